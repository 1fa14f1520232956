"""The token file and the run files: modes, owners, races, stale ones."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ebbtide.memory.errors import ConfigError
from ebbtide.serve import pairing

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _run(vault: Path, vault_id: str = "v_1", pid: int | None = None) -> pairing.Run:
    return pairing.Run(
        vault_id,
        str(vault),
        27631,
        os.getpid() if pid is None else pid,
        "t" * 43,
        "/state/token",
        1,
        "0.1.0",
        "2026-11-30T08:00:00Z",
        ("/usr/bin/ebbtide", "up", str(vault)),
    )


@pytest.fixture
def dead() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@posix
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_the_token_is_made_once_and_only_for_its_owner(tmp_path: Path, mask: int) -> None:
    state = tmp_path / "a" / "state"
    before = os.umask(mask)
    try:
        token = pairing.ensure_token(state)
    finally:
        os.umask(before)
    assert len(token) == 43
    assert pairing.ensure_token(state) == token == pairing.read_token(state)
    assert (_mode(state), _mode(state / "token")) == (0o700, 0o600)
    assert [file.name for file in state.iterdir()] == ["token"]


def test_two_first_starts_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: pairing.ensure_token(tmp_path / "state"), range(32)))) == 1


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o666])
def test_a_token_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    pairing.ensure_token(tmp_path)
    (tmp_path / "token").chmod(mode)
    with pytest.raises(ConfigError, match="Others may read"):
        pairing.ensure_token(tmp_path)
    pairing.rotate_token(tmp_path)
    assert _mode(tmp_path / "token") == 0o600


@pytest.mark.parametrize("text", ["", "short", "t" * 42 + "\n", "ü" * 43, "t" * 43 + " x"])
def test_a_damaged_token_is_refused(tmp_path: Path, text: str) -> None:
    pairing.ensure_token(tmp_path)
    (tmp_path / "token").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="damaged"):
        pairing.ensure_token(tmp_path)


@posix
def test_a_token_behind_a_link_or_a_pipe_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("t" * 43)
    elsewhere.chmod(0o600)
    state = tmp_path / "state"
    state.mkdir()
    (state / "token").symlink_to(elsewhere)
    with pytest.raises(ConfigError):
        pairing.ensure_token(state)
    (state / "token").unlink()
    os.mkfifo(state / "token", 0o600)
    with pytest.raises(ConfigError):
        pairing.ensure_token(state)


@posix
def test_a_foreign_owner_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairing.ensure_token(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(ConfigError, match="belongs to another user"):
        pairing.read_token(tmp_path)
    with pytest.raises(ConfigError, match="belongs to another user"):
        pairing.ensure_token(tmp_path)


@posix
def test_a_wide_state_folder_is_tightened(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    pairing.ensure_token(tmp_path)
    assert _mode(tmp_path) == 0o700


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be used"):
        pairing.ensure_token(tmp_path / "file" / "state")


def test_rotating_reaches_a_running_server_and_the_run_files(tmp_path: Path, dead: int) -> None:
    live = pairing.LiveToken(tmp_path)
    before = live()
    ours = pairing.announce(tmp_path, replace(_run(tmp_path / "vault"), token=before))
    theirs = pairing.announce(tmp_path, _run(tmp_path / "other", "v_2", dead))
    after = pairing.rotate_token(tmp_path)
    assert before != after == live()
    assert json.loads(ours.read_text())["token"] == after
    assert json.loads(theirs.read_text())["token"] == "t" * 43, "dead: left alone"
    if sys.platform != "win32":
        assert _mode(ours) == 0o600


def test_a_lost_or_damaged_token_file_leaves_the_last_one_in_force(tmp_path: Path) -> None:
    live = pairing.LiveToken(tmp_path)
    token = live()
    (tmp_path / "token").write_text("damaged")
    assert live() == token
    (tmp_path / "token").unlink()
    assert live() == token


def test_the_run_file_says_all_a_client_needs(tmp_path: Path) -> None:
    vault = tmp_path / "My Vault 笔记"
    file = pairing.announce(tmp_path, _run(vault))
    assert file == tmp_path / "run" / "v_1.json"
    record = json.loads(file.read_text())
    assert record["url"] == "http://127.0.0.1:27631"
    assert {"schema", "app", "token", "token_file", "vault_id", "api", "version", "pid", "started", "command"} <= set(
        record
    )
    assert record["vault_path"] == os.path.realpath(vault)
    if sys.platform != "win32":
        assert (_mode(file), _mode(file.parent)) == (0o600, 0o700)
    assert [f.name for f in file.parent.iterdir()] == ["v_1.json"], "no temporary file is left"
    assert pairing.find(tmp_path, vault) is not None
    pairing.withdraw(file)
    assert not file.exists()
    pairing.withdraw(file)


def test_a_vault_is_found_by_any_of_its_paths(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    link = tmp_path / "link"
    link.symlink_to(vault)
    pairing.announce(tmp_path, _run(vault))
    assert pairing.find(tmp_path, link) is not None
    assert pairing.find(tmp_path, tmp_path / "link" / ".." / "vault") is not None
    assert pairing.find(tmp_path, tmp_path / "other") is None


def test_a_dead_daemon_is_no_daemon(tmp_path: Path, dead: int) -> None:
    file = pairing.announce(tmp_path, _run(tmp_path / "vault", pid=dead))
    assert pairing.running(tmp_path) == []
    assert file.exists(), "looking changes nothing"
    pairing.clear_stale(tmp_path)
    assert not file.exists()


def test_a_later_daemons_run_file_is_not_withdrawn(tmp_path: Path) -> None:
    file = pairing.announce(tmp_path, _run(tmp_path / "vault"))
    pairing.withdraw(file, pid=1)
    assert file.exists()


def test_a_copied_vault_with_the_same_id_does_not_take_over(tmp_path: Path) -> None:
    first = pairing.announce(tmp_path, _run(tmp_path / "vault", pid=os.getppid()))
    second = pairing.announce(tmp_path, _run(tmp_path / "copy"))
    assert first != second
    found = [pairing.find(tmp_path, tmp_path / name) for name in ("vault", "copy")]
    assert [run.pid for run in found if run] == [os.getppid(), os.getpid()]


@pytest.mark.parametrize("vault_id", ["../../evil", "a/b", "", "x" * 300, "v\0"])
def test_a_hostile_vault_id_stays_inside_the_folder(tmp_path: Path, vault_id: str) -> None:
    assert pairing.announce(tmp_path, _run(tmp_path / "vault", vault_id)).parent == tmp_path / "run"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"app": "other"}', '{"vault_id": 1, "pid": "x"}', "null", "\xff"]
)
def test_run_files_that_are_not_ours_are_passed_over(tmp_path: Path, text: str) -> None:
    pairing.ensure_token(tmp_path)
    (tmp_path / "run").mkdir()
    file = tmp_path / "run" / "x.json"
    file.write_text(text, "latin-1")
    file.chmod(0o600)
    assert pairing.running(tmp_path) == []


@posix
def test_a_run_file_that_others_could_have_written_is_not_believed(tmp_path: Path) -> None:
    file = pairing.announce(tmp_path, _run(tmp_path / "vault"))
    file.chmod(0o666)
    assert pairing.find(tmp_path, tmp_path / "vault") is None


def test_unknown_keys_of_a_later_version_do_no_harm(tmp_path: Path) -> None:
    file = pairing.announce(tmp_path, _run(tmp_path / "vault"))
    record = json.loads(file.read_text()) | {"later": 1}
    file.write_text(json.dumps(record))
    file.chmod(0o600)
    assert pairing.find(tmp_path, tmp_path / "vault") is not None


def test_alive() -> None:
    assert pairing.alive(os.getpid())
    assert not pairing.alive(0)
    assert not pairing.alive(-1)
    if sys.platform != "win32":
        assert pairing.alive(1)
        assert not pairing.alive(2**40)
