"""Keeping an opened vault's indexes and memory folder true: the work of the one thread that owns the writers.

Part of the composition root (`runtime.Runtime` is a `Keeping`), split off by size: it knows the adapters.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ebbtide.index.backfill import Backfill
from ebbtide.index.catalog import Catalog
from ebbtide.index.database import is_damage
from ebbtide.index.graph import GraphIndex
from ebbtide.index.patrol import Patrol
from ebbtide.index.refill import Refiller
from ebbtide.index.sync import Sync
from ebbtide.index.text import TantivyIndex
from ebbtide.memory.errors import IndexDamaged
from ebbtide.vault import identity
from ebbtide.vault.facts import FactsFile
from ebbtide.vault.store import VaultStore

log = logging.getLogger(__name__)

STEP = 0.25
"""Seconds for which upkeep holds the writers at a time."""
HEALED_AT_MOST, HEALED_WITHIN = 3, 3600.0
"""Damage that comes back more often than this is the disk's, or ours: then it is named, not mended."""


@dataclass(slots=True, kw_only=True)
class Keeping:
    """The indexes of a vault, its facts and its memory folder. `store` is where to write; read-only: in a shadow."""

    read_only: bool
    store: VaultStore
    facts: FactsFile
    catalog: Catalog
    sync: Sync
    refiller: Refiller
    texts: dict[str, TantivyIndex]
    graph: GraphIndex
    patrol: Patrol
    state: Path
    backfill: Backfill | None = None
    _healed: list[float] = field(default_factory=list)
    _counted: int = 0
    """The comparison after which the documents were last counted."""

    def catch_up(self) -> None:
        """Compare the vault with the indexes and bring everything but vectors up to date, here and now."""
        try:
            self._catch_up()
        except Exception as error:
            if not self.heal(error):
                raise
            self._catch_up()

    def _catch_up(self) -> None:
        self.adopt()
        outcome = self.sync.reconcile()
        self.graph.drop()  # whoever asks for it now makes it; most commands do not
        self.refiller.check()
        self.refiller.look()
        self.refiller.run()
        if outcome.touched or not self.read_only:
            self.write_memory()

    def adopt(self) -> None:
        """Meet the catalogue with facts.jsonl and the revisions, unless all are as they were when they last agreed."""
        self._adopt_facts()
        self.adopt_revisions()

    def adopt_revisions(self) -> None:
        """Take over what other devices decided; this device's own revisions are taken over when they are made."""
        ledger = self.sync.outbox.revisions
        mark = ledger.mark()
        if self.catalog.meta("revisions-mark") == mark:
            return
        records, _ = ledger.read()
        self.sync.decisions.adopt(records)
        self.sync.outbox.forget_history()
        self.catalog.set_meta("revisions-mark", mark)

    def _adopt_facts(self) -> None:
        outbox = self.sync.outbox
        if self.read_only:
            mark = self.facts.mark()
            if mark not in (self.catalog.meta("facts-mark"), self.catalog.meta("facts-read")):
                self.sync.adopt_facts(self.facts.load())
                self.catalog.set_meta("facts-read", mark)
            return
        token = identity.state_token(self.state)
        if self.catalog.meta("facts-of") != token:
            self.catalog.post_every_fact()  # what was delivered went to another state folder, or nowhere
            self.catalog.set_meta("facts-of", token)
        elif self.catalog.meta("facts-mark") == self.facts.mark() and not self.catalog.outbox("fact", 1):
            outbox.deliver()
            return
        self.facts.load()
        outbox.deliver()
        self._take_over_facts()

    def _take_over_facts(self) -> None:
        forgotten = self.facts.forgotten()
        self.sync.adopt_facts(self.facts.facts, forgotten)
        self.facts.acknowledge(fact.id for fact in forgotten)

    def write_memory(self) -> None:
        """Bring links.jsonl and facts.jsonl in the memory folder up to date (read-only: the shadow's)."""
        self.write_links()
        self.write_facts()

    def write_links(self) -> None:
        """Rewrite links.jsonl if a byte differs."""
        lines = "".join(record + "\n" for record in self.catalog.all_links())
        self.store.write_memory("links.jsonl", lines.encode("utf-8", "replace"))
        self.sync.linker.dirty = False

    def refresh_graph(self) -> None:
        """Make a new picture of the graph if edges or files differ from what it shows."""
        self.graph.refresh()

    def write_facts(self) -> None:
        """Rewrite facts.jsonl if it does not say what we know, after taking over what others wrote into it."""
        if self.read_only:
            lines = "".join(record + "\n" for _, record in self.catalog.all_facts())
            self.store.write_memory("facts.jsonl", lines.encode("utf-8", "replace"))
            return
        self.adopt_revisions()
        outbox = self.sync.outbox
        delivered = outbox.deliver()
        if self.catalog.meta("facts-mark") == self.facts.mark() and not self.facts.dirty:
            return
        before = self.facts.merges
        whole = self.facts.flush()
        if self.facts.merges != before:
            self._take_over_facts()
            delivered = outbox.deliver()
            whole = self.facts.flush()
        if whole and delivered and not self.facts.dirty:
            self.catalog.set_meta("facts-mark", self.facts.mark())

    def rebuild(self, what: str) -> None:
        """Make indexes again from the notes, in the thread that owns the writers: "text", "vectors", "links", "facts" or "all".

        Vectors are kept by their text, so that nothing is embedded twice; facts keep their ids. The old keyword index
        answers until the new one is whole, and what a person saves meanwhile goes first.
        """
        if what in ("links", "facts", "all"):
            self.catalog.read_again()
            self.sync.distil.reread(what != "links")
            try:
                self.sync.reconcile()
            finally:
                self.sync.distil.reread(False)
        if what in ("text", "all"):
            for name in self.texts:
                self.refiller.order(name)
            while self.refiller.step(STEP) and not self.sync.stop():
                if saved := self.sync.yield_to():
                    self.sync.apply(saved)
                    self.sync.on_saved()
        if what in ("vectors", "all") and self.backfill is not None:
            self.backfill.rebuild()

    def upkeep(self, interrupted: Callable[[], bool]) -> bool:
        """A step of what nobody waits for: keyword indexes that are incomplete, damaged or full of what is deleted."""
        if not self.refiller.busy and self.sync.comparisons:
            self.refiller.check(count=self.sync.comparisons != self._counted)
            self._counted = self.sync.comparisons
            self.refiller.look()
        more = self.refiller.step(STEP, interrupted)
        if not more and self.sync.comparisons and not self.read_only:
            more = self.patrol.step(STEP, interrupted)
        return more

    def heal(self, error: Exception) -> bool:
        """Mend what an error shows to be damaged; False if it shows nothing, or mending has not helped before."""
        catalog = is_damage(error)
        if not catalog and not isinstance(error, IndexDamaged):
            return False
        now = time.monotonic()
        self._healed = [at for at in self._healed if now - at < HEALED_WITHIN]
        if len(self._healed) >= HEALED_AT_MOST:
            return False
        self._healed.append(now)
        log.warning("an index is damaged and made anew: %s", error)
        if catalog:
            with self.backfill.turn() if self.backfill is not None else contextlib.nullcontext():
                self.catalog.reset()  # the labels in the vector indexes mean nothing to a new catalogue
                self.graph.drop()  # nor do the rows in the picture of the graph
                if self.backfill is not None:
                    self.backfill.rebuild()
            self.sync.linker.dirty = True
            self.sync.outbox.forget_history()
        self.refiller.restart(self.texts)
        if catalog:
            self.adopt()
        return True
