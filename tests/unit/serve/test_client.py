"""Asking the daemon or the vault itself, with the same answers and the same errors."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest, EbbtideError, NotFound, VaultError
from ebbtide.serve import client, pairing
from ebbtide.serve.calls import encode

VAULT_ID = "v_9f86d081884c7d65"


def _announce(state: Path, vault: Path, port: int, **more: Any) -> Path:
    run = pairing.Run(VAULT_ID, str(vault), port, os.getpid(), "t" * 43, "", 1, "0.1.0", "2026-11-30T08:00:00Z")
    return pairing.announce(state, replace(run, **more))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def test_the_daemon_answers_byte_for_byte(site: Any, state: Path, vault: Path) -> None:
    _announce(state, vault, site.bound.port)
    with client.connect(vault) as asker:
        assert asker.ask("recall", query="q", type=None) == encode(site.service.recall())
        assert asker.root == Path(os.path.realpath(vault))


def test_this_process_answers_with_the_same_bytes(site: Any, state: Path, vault: Path) -> None:
    _announce(state, vault, site.bound.port)
    local = client.Local(site.service, vault)
    with client.connect(vault) as asker:
        for name, arguments in (("facts", {"limit": 3}), ("note", {"path": "Home.md"}), ("links", {}), ("doctor", {})):
            assert asker.ask(name, **arguments) == local.ask(name, **arguments)
    assert (
        "facts",
        {"note": None, "type": None, "after": "", "limit": 3, "refused": False, "state": None},
    ) in site.service.asked


def test_the_only_daemon_needs_no_name(site: Any, state: Path, vault: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="Which vault"), client.connect(None):
        pass
    _announce(state, vault, site.bound.port)
    with client.connect(None) as asker:
        assert isinstance(asker, client.Daemon)
    _announce(state, tmp_path / "copy", site.bound.port, pid=os.getppid())
    with pytest.raises(BadRequest, match="Several vaults"), client.connect(None):
        pass


def test_errors_keep_their_kind_on_the_way(site: Any, state: Path, vault: Path) -> None:
    _announce(state, vault, site.bound.port)
    local = client.Local(site.service, vault)
    with client.connect(vault) as asker:
        for side in (asker, local):
            with pytest.raises(NotFound) as missing:
                side.ask("fact", id="f_0000000000000000")
            assert (missing.value.reason, missing.value.remedy) == ("There is no such fact.", "See `ebbtide facts`.")
            with pytest.raises(BadRequest, match="limit") as bad:
                side.ask("facts", limit=0)
            assert bad.value.exit_code == 2


def _nobody() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextlib.contextmanager
def _other(reply: bytes) -> Iterator[int]:
    """Another program on a port, which answers everything with the same bytes."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()

        def work() -> None:
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = sock.accept()
                    with peer:
                        peer.recv(65536)
                        peer.sendall(reply)

        threading.Thread(target=work, daemon=True).start()
        yield sock.getsockname()[1]


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\n\r\n{}",
        b"HTTP/1.0 404 Not Found\r\n\r\n[]",
        b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps({"app": "other"}).encode(),
        b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps({"app": "ebbtide", "vault": {"id": "v_other"}}).encode(),
    ],
)
def test_a_port_that_belongs_to_somebody_else_by_now(state: Path, vault: Path, reply: bytes) -> None:
    with _other(reply) as port:
        _announce(state, vault, port)
        assert client.find(vault) is None


def test_a_stale_run_file(state: Path, vault: Path) -> None:
    _announce(state, vault, _nobody())
    assert client.find(vault) is None


def test_a_daemon_of_another_vault_is_not_ours(site: Any, state: Path, vault: Path) -> None:
    _announce(state, vault, site.bound.port, vault_id="v_0000000000000000")
    assert client.find(vault) is None


def test_a_rejected_token_is_told_and_not_passed_over(site: Any, state: Path, vault: Path) -> None:
    _announce(state, vault, site.bound.port, token="x" * 43)
    with pytest.raises(EbbtideError, match="token is missing or wrong"):
        client.find(vault)


def test_another_interface_level_is_told(site: Any, state: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _announce(state, vault, site.bound.port)
    monkeypatch.setattr(client, "API_LEVEL", 7)
    with pytest.raises(EbbtideError, match="level 7") as caught:
        client.find(vault)
    assert caught.value.code == "api-level"
    assert EbbtideError.code == "failed", "the class keeps its own"


def test_a_daemon_that_hangs(state: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "HANDSHAKE_SECONDS", 0.2)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        _announce(state, vault, sock.getsockname()[1])
        with pytest.raises(EbbtideError, match="does not answer"):
            client.find(vault)


def test_a_vault_that_is_not_there(state: Path, tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="no folder") as caught, client.connect(tmp_path / "gone"):
        pass
    assert caught.value.exit_code == 3


def test_what_only_a_daemon_can_do(state: Path, vault: Path) -> None:
    with pytest.raises(EbbtideError, match="No daemon serves") as caught, client.connect(vault, daemon_only=True):
        pass
    assert f"ebbtide up {vault}" in caught.value.remedy
