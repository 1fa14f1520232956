"""The two threads behind a served vault: one that takes over changes, one that embeds. And the same work in the foreground.

The first owns Tantivy's writers and the sync; it sleeps until the watcher reports paths or a rescan is due. The second
owns the backfill. What a person just saved goes first in both.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ebbtide.index.backfill import Backfill
from ebbtide.index.sync import Sync
from ebbtide.memory.errors import EbbtideError, Problem

log = logging.getLogger(__name__)

LINKS_EVERY = 3.0
"""Seconds between rewrites of links.jsonl at most."""
FACTS_EVERY = 60.0
"""Seconds between rewrites of facts.jsonl at most (formats.md 2)."""
SAVE_EVERY = 300.0
"""Seconds between saves of the vector index while it grows; a kill loses no vector, only the graph built since."""


@dataclass(slots=True)
class Flush:
    """What writes the derived files of the memory folder: `links` and `facts` return True when nothing is left to write."""

    links: Callable[[], bool]
    facts: Callable[[], bool]


@dataclass(slots=True)
class _Inbox:
    """Paths reported and not yet taken. Guarded by the worker's condition."""

    paths: set[str] = field(default_factory=set)
    rescan: bool = False


class Indexer(threading.Thread):
    """Takes over changes as they are reported. Survives every error of one round; what failed is tried again by a rescan."""

    def __init__(self, sync: Sync, flush: Flush, on_change: Callable[[], None]) -> None:
        super().__init__(name="ebbtide-indexer", daemon=True)
        self.sync, self.flush, self.on_change = sync, flush, on_change
        self._wake = threading.Condition()
        self._inbox = _Inbox()
        self._stopping = False
        self._orders: list[Callable[[], None]] = []
        self.paused = False
        self.ready = threading.Event()
        """Set once the first comparison with the whole vault is done."""
        self.problem: Problem | None = None
        self._links_due = self._facts_due = 0.0
        sync.stop = lambda: self._stopping
        sync.yield_to = self._urgent

    def report(self, paths: frozenset[str], rescan: bool) -> None:
        """The watcher's word that these paths may differ, or that everything must be compared. Returns at once."""
        with self._wake:
            self._inbox.paths |= paths
            self._inbox.rescan = self._inbox.rescan or rescan
            self._wake.notify()

    def order(self, work: Callable[[], None]) -> None:
        """Run something in this thread (a rebuild): nobody else may touch the writers."""
        with self._wake:
            self._orders.append(work)
            self._wake.notify()

    def stop(self) -> None:
        """Finish the slice under way, write what is unwritten, end."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self.is_alive():
            self.join(timeout=60)

    def _urgent(self) -> list[str]:
        """What was saved while a long comparison runs, one path at a time so that each is committed at once."""
        with self._wake:
            if not self._inbox.paths or len(self._inbox.paths) > 200:
                return []
            paths = sorted(self._inbox.paths)
            self._inbox.paths.clear()
            return paths

    def run(self) -> None:
        """The loop; see the class."""
        while True:
            with self._wake:
                if not (self._inbox.paths or self._inbox.rescan or self._orders or self._stopping):
                    self._wake.wait(self._patience())
                if self._stopping:
                    break
                taken, orders = self._inbox, self._orders
                if self.paused:
                    taken = _Inbox()
                else:
                    self._inbox = _Inbox()
                self._orders = []
            self._round(taken, orders)
        self._write(force=True)

    def _patience(self) -> float:
        due = [t for t, dirty in ((self._links_due, self.sync.links_dirty), (self._facts_due, True)) if dirty]
        return max(0.05, min([1.0, *(t - time.monotonic() for t in due)]))

    def _round(self, taken: _Inbox, orders: list[Callable[[], None]]) -> None:
        try:
            for work in orders:
                work()
            if taken.rescan:
                self.sync.reconcile()
                self.ready.set()
            elif taken.paths:
                self.sync.apply(taken.paths)
            if taken.rescan or taken.paths or orders:
                self.on_change()
            self.problem = None
        except EbbtideError as error:
            # A vault that is unmounted, a full disk: say so, keep everything, look again with the next scan.
            self.problem = Problem("", None, error.code, error.reason, error.remedy or "it is tried again", "error")
            log.error("%s", error)
        except Exception as error:
            self.problem = Problem("", None, "indexing", f"{type(error).__name__}: {error}", "it is tried again with the next scan", "error")
            log.exception("a round of indexing failed")
        self._write(force=False)

    def _write(self, *, force: bool) -> None:
        now = time.monotonic()
        try:
            if self.sync.links_dirty and (force or now >= self._links_due):
                self.sync.links_dirty = not self.flush.links()
                self._links_due = now + LINKS_EVERY
            if force or now >= self._facts_due:
                self.flush.facts()
                self._facts_due = now + FACTS_EVERY
        except (EbbtideError, OSError) as error:
            self._links_due = self._facts_due = now + FACTS_EVERY
            reason = error.reason if isinstance(error, EbbtideError) else str(error)
            self.problem = Problem("", None, "memory-write", reason, "nothing is lost: the journal keeps it; it is tried again", "error")
            log.error("writing the memory folder failed: %s", error)


class Embedding(threading.Thread):
    """Fills in vectors by priority while anything waits."""

    def __init__(self, open_model: Callable[[], Backfill | None], on_change: Callable[[], None]) -> None:
        super().__init__(name="ebbtide-embedding", daemon=True)
        self.open_model, self.on_change = open_model, on_change
        self._wake = threading.Event()
        self._stopping = False
        self.paused = False
        self.problem: Problem | None = None

    def nudge(self) -> None:
        """Something new waits: leave the round under way after its batch and look again what is most wanted."""
        self._wake.set()

    def stop(self) -> None:
        """Finish the batch under way and end."""
        self._stopping = True
        self._wake.set()
        if self.is_alive():
            self.join(timeout=60)

    def run(self) -> None:
        """The loop; see the class."""
        backfill = self._open()
        if backfill is None:
            return
        saved, unsaved = time.monotonic(), False
        while not self._stopping:
            self._wake.clear()
            try:
                count = 0 if self.paused else backfill.round(lambda: self._wake.is_set() or self._stopping)
                self.problem = None
            except Exception as error:
                self.problem = Problem("", None, "embedding", f"{type(error).__name__}: {error}", "it is tried again", "error")
                log.exception("a round of embedding failed")
                self._wake.wait(10)
                continue
            unsaved = unsaved or count > 0
            if count:
                self.on_change()
            if unsaved and (count == 0 or time.monotonic() - saved > SAVE_EVERY):
                self._save(backfill)
                saved, unsaved = time.monotonic(), False
            if count == 0:
                self._wake.wait(5)

    def _open(self) -> Backfill | None:
        try:
            return self.open_model()
        except Exception as error:
            self.problem = Problem("", None, "embedding", f"{type(error).__name__}: {error}", "restart; if it stays, run `ebbtide doctor`", "error")
            log.exception("the vector side could not be opened")
            return None

    def _save(self, backfill: Backfill) -> None:
        try:
            backfill.save()
        except OSError as error:
            log.error("saving the vector index failed: %s", error)
