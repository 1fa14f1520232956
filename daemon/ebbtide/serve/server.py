"""The socket and uvicorn: one loopback port, ours alone, and a stop that lets requests end."""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
import threading
import time
from typing import Final

import uvicorn
from fastapi import FastAPI

from ebbtide.memory.errors import EbbtideError, PortTaken
from ebbtide.serve.calls import DEFAULT_PORT, HOST

TRIES: Final = 20


class Bound:
    """A server on its port, not yet answering: `run` it here, or `start` it in a thread; `stop` ends either."""

    def __init__(self, app: FastAPI, sock: socket.socket) -> None:
        """`sock` listens already, so that no second daemon can take the port between here and the first answer."""
        self._socket = sock
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None
        self.port: int = sock.getsockname()[1]
        app.state.port = self.port
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            http="h11",
            server_header=False,
            timeout_graceful_shutdown=5,
            timeout_keep_alive=30,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Answer until `stop` or, in the main thread, until a signal."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()

    def start(self, timeout: float = 10) -> None:
        """Answer in a thread; returns when the first request can be taken."""
        self._thread = threading.Thread(target=self._guarded, name="http", daemon=True)
        self._thread.start()
        deadline = time.monotonic() + timeout
        while not self._server.started:
            if self._failure is not None or not self._thread.is_alive() or time.monotonic() > deadline:
                raise EbbtideError("The local server did not start.", "See the log.") from self._failure
            time.sleep(0.01)

    def stop(self, timeout: float = 10) -> bool:
        """Ask it to end and wait; False if requests still ran after `timeout` seconds."""
        self._server.should_exit = True
        if self._thread is None:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        """True while the thread of `start` answers."""
        return self._thread is not None and self._thread.is_alive() and self._server.started

    def _guarded(self) -> None:
        try:
            self.run()
        except BaseException as error:  # noqa: BLE001 - uvicorn leaves by SystemExit; `start` must hear of all of it
            self._failure = error


def serve(app: FastAPI, port: int | None = None, *, first: int = DEFAULT_PORT, tries: int = TRIES) -> Bound:
    """Take a port on the loopback address: exactly `port` if it is given (0: any), else `first` or the next free one.

    Raises PortTaken, which says what was tried.
    """
    if port is not None:
        try:
            return Bound(app, _listen(port))
        except (OSError, OverflowError) as error:
            number = getattr(error, "errno", None)
            what = "is taken" if number in _TAKEN else f"cannot be used ({getattr(error, 'strerror', error)})"
            raise PortTaken(f"Port {port} {what}.", "Choose another with --port, or leave --port out.") from error
    last = min(first + tries, 65536)
    for candidate in range(first, last):
        with contextlib.suppress(OSError):
            return Bound(app, _listen(candidate))
    raise PortTaken(f"The ports {first} to {last - 1} are all taken.", "Name a free one with --port.")


_TAKEN: Final = {errno.EADDRINUSE, errno.EACCES} if sys.platform == "win32" else {errno.EADDRINUSE}


def _listen(port: int) -> socket.socket:
    """A listening socket. Address reuse is for ports that a stopped daemon left in TIME_WAIT; never SO_REUSEPORT, with
    which two daemons would share the port and each answer half of the questions."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Answers are small and written in two parts: with Nagle's algorithm each would wait some 40 ms for an acknowledgement.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.bind((HOST, port))
        sock.listen(128)
    except BaseException:
        sock.close()
        raise
    return sock
