"""What a service manager is told of the daemon, and when: systemd over its socket, launchd by the way the process ends.

A thread that stands still does not end by itself, so both threads that matter give signs of life (`Beat`), and the daemon's main
loop passes them on only while all of them beat. Where nobody listens (launchd has no watchdog) a `Supervisor` ends the process.
"""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

SILENT: Final = 300.0
"""Seconds without a sign after which a thread counts as stuck. An idle one gives a sign each minute; a busy one with every note."""
STUCK: Final = 1
"""Exit code of a process that its supervisor ended: one that every service manager answers with a restart."""


@dataclass(frozen=True, slots=True)
class Beat:
    """A thread's signs of life. `last` gives the time of the latest by `time.monotonic`, minus infinity if it died."""

    name: str
    last: Callable[[], float]


def silent(beats: Sequence[Beat], now: float, limit: float = SILENT) -> list[str]:
    """The names of those that gave no sign for more than `limit` seconds."""
    return [beat.name for beat in beats if now - beat.last() > limit]


class Notifier:
    """Datagrams to the socket that the service manager named; without one, nothing. Never raises and never waits."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        """Reads NOTIFY_SOCKET (a path, or a name in the abstract space after "@"), WATCHDOG_USEC and WATCHDOG_PID."""
        named = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + named[1:] if named.startswith("@") else named
        self._status = ""
        self._pinged = float("-inf")
        self.every = _every(environ) if self.listened_to else None
        """Seconds between two pings, a third of what the manager allows; None if it does not watch."""

    @property
    def listened_to(self) -> bool:
        """True if a service manager waits for messages."""
        return bool(self._address)

    def ready(self) -> None:
        """Requests are answered from now on."""
        self._send("READY=1")

    def stopping(self) -> None:
        """The end has begun."""
        self._send("STOPPING=1")

    def status(self, line: str) -> None:
        """How far it is, in words without anything of the notes; the same line is sent once."""
        if line != self._status:
            self._status = line
            self._send("STATUS=" + " ".join(line.split()))

    def ping(self, beats: Sequence[Beat], now: float | None = None) -> bool:
        """Tell the watchdog that all is well, if it is and a ping is due; True if one was sent."""
        now = time.monotonic() if now is None else now
        if self.every is None or now - self._pinged < self.every:
            return False
        if stuck := silent(beats, now, SILENT):
            log.error("no sign of life from %s; the service manager is not told that all is well", " and ".join(stuck))
            self._pinged = now  # said once in a while, not each second
            return False
        self._pinged = now
        self._send("WATCHDOG=1")
        return True

    def _send(self, message: str) -> None:
        if not self._address:
            return
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.setblocking(False)
            line.sendto(message.encode(), self._address)


def _every(environ: Mapping[str, str]) -> float | None:
    """WATCHDOG_USEC is for the process that WATCHDOG_PID names; a child that inherited both is not meant."""
    allowed, meant = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not allowed.isdecimal() or int(allowed) == 0 or (meant and meant != str(os.getpid())):
        return None
    return int(allowed) / 3e6


class Supervisor(threading.Thread):
    """Ends the process when a thread stands still. Nothing is lost: that is what every kill -9 is."""

    def __init__(
        self, beats: Sequence[Beat], *, limit: float | None = None, end: Callable[[int], None] = os._exit
    ) -> None:
        """`beats` include the main loop's; `limit` in seconds, by default SILENT."""
        super().__init__(name="ebbtide-supervisor", daemon=True)
        self._beats, self._end = beats, end
        self._limit = SILENT if limit is None else limit
        self._done = threading.Event()

    def run(self) -> None:
        """Look a few times within the limit."""
        while not self._done.wait(self._limit / 10):
            if stuck := silent(self._beats, time.monotonic(), self._limit):
                log.error("no sign of life from %s; ending, so that the service starts again", " and ".join(stuck))
                with contextlib.suppress(OSError, ValueError):
                    faulthandler.dump_traceback()
                self._end(STUCK)
                return

    def stop(self) -> None:
        """An orderly end has begun, which may take as long as it takes."""
        self._done.set()
