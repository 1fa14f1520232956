"""Ports: the named one and no other, or the next free one; never shared."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

import pytest

from ebbtide.memory.errors import PortTaken
from ebbtide.serve.api import create_app
from ebbtide.serve.server import serve


def _free() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def test_a_taken_port_is_passed_over(site: Any) -> None:
    app = create_app(site.service, "t")
    bound = serve(app, first=site.bound.port)
    try:
        assert site.bound.port < bound.port < site.bound.port + 20
        assert app.state.port == bound.port
    finally:
        bound.start()
        assert bound.stop()


def test_a_named_port_that_is_taken_is_an_error(site: Any) -> None:
    with pytest.raises(PortTaken, match=f"Port {site.bound.port} is taken") as caught:
        serve(create_app(site.service, "t"), site.bound.port)
    assert caught.value.exit_code == 4
    assert "--port" in caught.value.remedy


def test_no_port_left(site: Any) -> None:
    port = site.bound.port
    with pytest.raises(PortTaken, match=f"{port} to {port} are all taken"):
        serve(create_app(site.service, "t"), first=port, tries=1)
    with pytest.raises(PortTaken):
        serve(create_app(site.service, "t"), 70_000)


def test_a_port_is_held_from_the_moment_it_is_chosen(site: Any) -> None:
    app = create_app(site.service, "t")
    bound = serve(app, _free())
    with pytest.raises(PortTaken):
        serve(create_app(site.service, "t"), bound.port)
    bound.start()
    assert bound.alive
    assert bound.stop()
    again = serve(app, bound.port)  # what the first connection left in TIME_WAIT is no obstacle
    again.start()
    assert again.stop()


def test_another_process_cannot_listen_beside_us(site: Any) -> None:
    steal = (
        "import socket, sys\ns = socket.socket()\ns.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
        "try:\n s.bind(('127.0.0.1', int(sys.argv[1]))); s.listen()\nexcept OSError:\n sys.exit(7)"
    )
    run = subprocess.run([sys.executable, "-c", steal, str(site.bound.port)], check=False)
    assert run.returncode == 7


def test_only_the_loopback_address_is_bound(site: Any) -> None:
    assert site.bound._socket.getsockname()[0] == "127.0.0.1"
