"""The two threads behind a served vault: one that takes over changes, one that embeds.

The first owns Tantivy's writers and the sync; it sleeps until the watcher reports paths, a rescan is due, or something is
to be written. The second owns the backfill. What a person just saved goes first in both.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ebbtide.index.backfill import SETTLE_SHARE, Backfill
from ebbtide.index.sync import Sync
from ebbtide.memory.errors import EbbtideError, Problem

log = logging.getLogger(__name__)

LINKS_EVERY = 3.0
"""Seconds between rewrites of links.jsonl, and pictures of the graph, at most."""
LINKS_PAUSE = 4.0
"""... and, where there are so many links that this takes long, so many times as long as it took."""
FACTS_EVERY = 60.0
"""Seconds between rewrites of facts.jsonl at most (formats.md 2)."""
SAVE_EVERY = 300.0
"""Seconds between saves of the vector index while it grows; a kill loses no vector, only the graph built since."""
RETRY = (2.0, 60.0)
"""Seconds until what failed is tried again: at first, and at most."""
URGENT = 200
"""More paths than this at once are no person's saving: they wait their turn."""


@dataclass(slots=True)
class Chores:
    """What else the indexer's thread does. `links` and `facts` write the memory folder; `adopt` reads it, once, at first.

    `graph` makes a new picture of the links if there is anything new to see.

    `upkeep` makes keyword indexes anew, a step at a time: True if there is more to do; it is asked whether to stop for
    something more urgent. `heal` is told of an error and mends what is damaged: False if it was not damage.
    """

    links: Callable[[], None]
    facts: Callable[[], None]
    adopt: Callable[[], None] = lambda: None
    upkeep: Callable[[Callable[[], bool]], bool] = lambda _interrupted: False
    heal: Callable[[Exception], bool] = lambda _error: False
    graph: Callable[[], None] = lambda: None


@dataclass(slots=True)
class _Inbox:
    """What was reported or ordered and not yet taken. Guarded by the worker's condition."""

    paths: set[str] = field(default_factory=set)
    rescan: bool = False
    orders: list[Callable[[], None]] = field(default_factory=list)


class Indexer(threading.Thread):
    """Takes over changes as they are reported. Survives every error of one round; what failed is tried again by a rescan."""

    def __init__(self, sync: Sync, chores: Chores, on_change: Callable[[], None]) -> None:
        super().__init__(name="ebbtide-indexer", daemon=True)
        self.sync, self.chores, self.on_change = sync, chores, on_change
        self._wake = threading.Condition()
        self._inbox = _Inbox()
        self._stopping = False
        self._paused = False
        self.ready = threading.Event()
        """Set once the first comparison with the whole vault is done."""
        self._troubles: dict[str, Problem] = {}
        self._links_due = self._facts_due = 0.0
        self._pictured = -1
        """`sync.changes` when the graph was last looked at."""
        self._retry_at, self._retry = float("inf"), RETRY[0]
        self._more = True
        """There may be upkeep to do."""
        self._adopted = self._working = False
        self.beat = time.monotonic()
        """When it last gave a sign of life, by `time.monotonic`: each round, and each time that work under way looks up."""
        sync.stop = self._asked
        sync.yield_to, sync.on_saved = self._urgent, on_change

    @property
    def problem(self) -> Problem | None:
        """What keeps the indexes or the memory folder from being up to date."""
        return next(iter([*self._troubles.values(), *filter(None, [self.sync.outbox.problem])]), None)

    @property
    def paused(self) -> bool:
        """True while reported changes wait."""
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        with self._wake:
            self._paused = value
            self._wake.notify()

    @property
    def busy(self) -> bool:
        """True while something reported or ordered is not wholly taken in, or a keyword index is made anew."""
        with self._wake:
            return self._working or self._more or self._called()

    def report(self, paths: frozenset[str], rescan: bool) -> None:
        """The watcher's word that these paths may differ, or that everything must be compared. Returns at once."""
        with self._wake:
            self._inbox.paths |= paths
            self._inbox.rescan = self._inbox.rescan or rescan
            self._wake.notify()

    def order(self, work: Callable[[], None]) -> None:
        """Run something in this thread (a rebuild): nobody else may touch the writers."""
        with self._wake:
            self._inbox.orders.append(work)
            self._wake.notify()

    def stop(self) -> None:
        """Finish the slice under way, write what is unwritten, end."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self.is_alive():
            self.join(timeout=60)

    def _asked(self) -> bool:
        """Whether to stop, as long work asks again and again."""
        self._sign()
        return self._stopping

    def _sign(self) -> None:
        if threading.current_thread() is self:  # others may ask as well, and say nothing of this thread
            self.beat = time.monotonic()

    def _urgent(self) -> list[str]:
        """What was saved while a long work runs."""
        with self._wake:
            if self._paused or len(self._inbox.paths) > URGENT:
                return []
            paths, self._inbox.paths = sorted(self._inbox.paths), set()
        return paths

    def _called(self) -> bool:
        """True if something waits that goes before upkeep."""
        self._sign()
        inbox = self._inbox
        return self._stopping or bool(inbox.orders) or (not self._paused and bool(inbox.paths or inbox.rescan))

    def run(self) -> None:
        """The loop; see the class."""
        self._try("graph", self.chores.graph)  # of what the last run left: the first question need not wait for it
        while True:
            with self._wake:
                self._wake.wait_for(self._called, timeout=self._patience())
                if self._stopping:
                    break
                taken, self._working = self._take(), True
            self._round(taken)
            self._write(force=False)
            if not self._paused:
                self._upkeep()
            self._working = False
        self._write(force=True)

    def _take(self) -> _Inbox:
        inbox = self._inbox
        if self._paused:
            self._inbox = _Inbox(inbox.paths, inbox.rescan)
            return _Inbox(orders=inbox.orders)
        self._inbox = _Inbox()
        if time.monotonic() >= self._retry_at:
            inbox.rescan = True
        return inbox

    def _patience(self) -> float:
        """Seconds until there is something to do without being called."""
        if self._more and not self._paused:
            return 0.0
        due = (
            [self._facts_due]
            + [self._links_due] * (self._links_changed and self.ready.is_set())
            + [self._retry_at] * (not self._paused)
        )
        return max(0.05, min(due) - time.monotonic())

    def _round(self, taken: _Inbox) -> None:
        for work in taken.orders:
            if not self._try("order", work):
                self._troubles.pop("order")  # who gave the order is told; it is not tried again
        if taken.rescan or (taken.paths and not self.ready.is_set()):  # nothing is known before the first comparison
            if self._try("indexing", self._compare):
                self._retry_at, self._retry = float("inf"), RETRY[0]
                if not self._stopping:
                    self.ready.set()
            else:
                self._try_again()
        elif taken.paths and not self._try("indexing", lambda: self._apply(taken.paths)):
            self._try_again()
        if taken.rescan or taken.paths or taken.orders:
            self._more = True
            self.on_change()
            self.sync.outbox.deliver()

    def _compare(self) -> None:
        if not self._adopted:
            self.chores.adopt()
            self._adopted = True
        self.sync.reconcile()

    def _apply(self, paths: set[str]) -> None:
        self.sync.apply(paths)

    def _try_again(self) -> None:
        self._retry_at = time.monotonic() + self._retry
        self._retry = min(2 * self._retry, RETRY[1])

    def _try(self, code: str, work: Callable[[], None]) -> bool:
        """Do something that may fail: a vault that is unmounted, a full disk. Say so, keep everything; True if it was done."""
        try:
            work()
        except Exception as error:
            if self._healed(error):
                self._inbox.rescan = True
                return True
            if isinstance(error, EbbtideError):
                said, remedy = error.reason, error.remedy
                log.warning("%s", error)
            else:
                said, remedy = f"{type(error).__name__}: {error}", "see the log"
                log.exception("a round of indexing failed")
            self._troubles[code] = Problem("", None, code, said, f"{remedy} (it is tried again)", "error")
            return False
        self._troubles.pop(code, None)
        return True

    def _healed(self, error: Exception) -> bool:
        try:
            return self.chores.heal(error)
        except Exception:
            log.exception("mending the indexes failed")
            return False

    def _upkeep(self) -> None:
        """A step of what nobody waits for."""
        more = False

        def step() -> None:
            nonlocal more
            more = self.chores.upkeep(self._called)

        self._try("upkeep", step)
        self._more = more

    def _write(self, *, force: bool) -> None:
        now = time.monotonic()
        # Before the first comparison the edges are not all there; what the last run wrote is nearer to the truth.
        if self.ready.is_set() and self._links_changed and (force or now >= self._links_due):
            written = not self.sync.links_dirty or self._try("links", self._links)
            pictured = force or self._try("graph", self._picture)
            done = time.monotonic()
            pause = max(LINKS_EVERY, LINKS_PAUSE * (done - now))
            self._links_due = done + (pause if written and pictured else RETRY[1])
        if force or now >= self._facts_due:
            self._facts_due = now + FACTS_EVERY
            self._try("facts", self._facts)

    @property
    def _links_changed(self) -> bool:
        """True if links.jsonl or the picture of the graph may be behind. A note that is kept out from now on changes no link."""
        return self.sync.links_dirty or self.sync.changes != self._pictured

    def _links(self) -> None:
        self.chores.links()

    def _picture(self) -> None:
        changes = self.sync.changes
        self.chores.graph()
        self._pictured = changes

    def _facts(self) -> None:
        self.sync.outbox.deliver()
        self.chores.facts()


class Embedding(threading.Thread):
    """Fills in vectors by priority while anything waits."""

    def __init__(self, open_model: Callable[[], Backfill | None], on_change: Callable[[], None]) -> None:
        super().__init__(name="ebbtide-embedding", daemon=True)
        self.open_model, self.on_change = open_model, on_change
        self._wake = threading.Event()
        self._stopping = False
        self.paused = False
        self.problem: Problem | None = None
        self.on_rest: Callable[[], None] = lambda: None
        """Called when everything has a vector after something had none."""
        self.at_rest = threading.Event()
        """Set while nothing waits, and what is searched is settled and saved."""

    def nudge(self) -> None:
        """Something new waits: leave the round under way after its batch and look again what is most wanted."""
        self.at_rest.clear()
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
        saved, unsaved, rested, come, fresh = time.monotonic(), True, False, 0, True
        while not self._stopping:
            self._wake.clear()
            try:
                count = 0 if self.paused else backfill.round(lambda: self._wake.is_set() or self._stopping)
                idle = count == 0 and not self.paused and not self._wake.is_set()
                come += count
                if idle and unsaved:
                    # After a start, or after much has come, exactly; else only when it pays.
                    much = not rested or come > SETTLE_SHARE * backfill.size
                    backfill.settle(0.0 if much else SETTLE_SHARE)
                    rested, come = True, 0
                unsaved = unsaved or count > 0
                if unsaved and (idle or time.monotonic() - saved > SAVE_EVERY):
                    backfill.save()
                    saved, unsaved = time.monotonic(), False
                self.problem = None
                fresh = fresh or count > 0
                if idle and not self._wake.is_set():
                    self.at_rest.set()
                    if fresh:
                        fresh = False
                        self.on_rest()
            except Exception as error:  # noqa: BLE001 - this thread must survive whatever one round meets
                self._trouble(error, "it is tried again")
                self._wake.wait(10)
                continue
            if count:
                self.on_change()
            else:
                self._wake.wait(5)

    def _open(self) -> Backfill | None:
        try:
            return self.open_model()
        except Exception as error:  # noqa: BLE001 - without vectors everything works by keyword
            self._trouble(error, "restart; if it stays, run `ebbtide doctor`")
            return None

    def _trouble(self, error: Exception, fix: str) -> None:
        self.problem = Problem("", None, "embedding", f"{type(error).__name__}: {error}", fix, "error")
        log.exception("a round of embedding failed")
