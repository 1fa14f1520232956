"""A daemon whose indexer or watcher stands still on SIGUSR1 and goes on on SIGUSR2, and that loses patience in seconds.

python child_stuck.py VAULT indexer|watcher watched|supervised
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

from ebbtide import daemon
from ebbtide.index import worker
from ebbtide.serve import notify
from ebbtide.vault.hearing import Pace
from ebbtide.vault.watcher import Watcher

PATIENCE = 3.0


def main(vault: str, who: str, how: str) -> int:
    going_on = threading.Event()
    going_on.set()

    def wait() -> None:
        going_on.wait()

    notify.SILENT = PATIENCE  # type: ignore[misc] - Final for the daemon; five minutes would be too long to wait here
    worker.FACTS_EVERY = 0.2  # what wakes an idle indexer
    vars(daemon)["watch_pace"] = lambda _config: Pace(settle=0.05, health_every=0.2)
    start, healthy = daemon.Daemon.start, Watcher._healthy

    def started(self: daemon.Daemon, port: int | None = None) -> int:
        def stop_going(*_: object) -> None:
            going_on.clear()
            if who == "indexer":
                self.indexer.order(wait)

        signal.signal(signal.SIGUSR1, stop_going)
        signal.signal(signal.SIGUSR2, lambda *_: going_on.set())
        return start(self, port)

    def checked(self: Watcher) -> bool:
        if who == "watcher":
            going_on.wait()
        return healthy(self)

    daemon.Daemon.start = started  # type: ignore[method-assign] - a thread stands still only by force
    Watcher._healthy = checked  # type: ignore[method-assign] - likewise
    settings = {"embed.enabled": False}
    return daemon.run(Path(vault), 0, {"json": True, "set": settings, "supervised": how == "supervised"})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
