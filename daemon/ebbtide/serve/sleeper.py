"""The thread that begins a night when it is due: in its hours, or once there is rest after a missed one. A part of the daemon.

It only asks; the service sees to it that there are never two at once. What was cut off by the last end is gone on with first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from ebbtide.memory.errors import EbbtideError
from ebbtide.serve.nights import Nights
from ebbtide.sleep.schedule import Hours, Power, due

log = logging.getLogger(__name__)

EVERY: Final = 30.0
"""Seconds between two looks."""
REST: Final = 300.0
"""Seconds for which nothing must have been going on before a night begins."""
GAP: Final = 120.0
"""Seconds without a look after which the machine has slept itself: who opens it now has not rested."""


class Sleeper(threading.Thread):
    """Looks every half minute. Survives every error of one look."""

    def __init__(self, service: Nights, power: Callable[[], Power | None], now: Callable[[], float]) -> None:
        """`now`: seconds since the epoch."""
        super().__init__(name="ebbtide-sleeper", daemon=True)
        self.service, self.power, self.now = service, power, now
        self._ended = threading.Event()
        self._resumed = False
        self._busy_at: float | None = None
        """When something was last seen to go on."""
        self._looked_at: float | None = None

    def run(self) -> None:
        """The loop; see the class."""
        while not self._ended.wait(EVERY):
            try:
                self.look()
            except EbbtideError as error:
                log.info("no night: %s", error)
            except Exception:
                log.exception("looking whether a night is due failed")

    def look(self) -> bool:
        """Begin a night if it is due; True if one was begun, or one that was cut off is gone on with."""
        moment, before = self.now(), self._looked_at
        self._looked_at = moment
        woken = before is None or not 0 <= moment - before <= GAP
        if self._busy_at is None or woken or self._going_on():
            self._busy_at = moment
        threads = self.service.threads
        if threads.indexer is None or not threads.indexer.ready.is_set():
            return False
        if not self._resumed:
            self._resumed = True
            if self.service.end_night() is not None:
                return True
        config = self.service.runtime.config
        if not config.sleep.nightly:
            return False
        last = self.service.last_night()
        begin = due(
            datetime.fromtimestamp(moment, UTC).astimezone(),
            None if last is None else last[1].astimezone(),
            Hours(config.extract.night, config.extract.night_hours),
            idle=moment - self._busy_at >= REST,
            power=self.power(),
            battery=config.sleep.battery,
        )
        if begin:
            self.service.sleep(scheduled=True)
            self._busy_at = moment
        return begin

    def stop(self) -> None:
        """Begin nothing more, and let a night under way end after its present step."""
        self._ended.set()
        if self.is_alive():
            self.join(timeout=10)
        self.service.stop_nights()

    def _going_on(self) -> bool:
        service = self.service
        indexer, embedding = service.threads.indexer, service.threads.embedding
        embeds = embedding is not None and service.runtime.model.state == "ready" and not embedding.at_rest.is_set()
        paused = indexer is not None and indexer.paused
        jobs = bool(service.jobs.under_way())
        return indexer is None or indexer.busy or paused or embeds or service.runtime.model.state == "preparing" or jobs
