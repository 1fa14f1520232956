"""Keeping an opened vault's indexes and memory folder true: the work of the one thread that owns the writers.

Part of the composition root (`runtime.Runtime` is a `Keeping`), split off by size: it knows the adapters.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ebbtide.index.backfill import Backfill
from ebbtide.index.catalog import Catalog
from ebbtide.index.confirm import Confirmations
from ebbtide.index.database import is_damage
from ebbtide.index.graph import GraphIndex
from ebbtide.index.patrol import Patrol
from ebbtide.index.refill import Refiller
from ebbtide.index.sync import Sync
from ebbtide.index.takeover import SWEPT
from ebbtide.index.text import TantivyIndex
from ebbtide.memory import codec
from ebbtide.memory.errors import IndexDamaged, Problem
from ebbtide.sleep import night_undo
from ebbtide.vault import identity
from ebbtide.vault.exam import ExamFiles
from ebbtide.vault.facts import FactsFile
from ebbtide.vault.git import MemoryGit
from ebbtide.vault.nightfiles import NightFiles, NightJournal
from ebbtide.vault.settings import SettingsFile
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
    uses: Confirmations
    exam: ExamFiles
    """Where the user's questions and results are: in the vault once its memory folder is ours, even if all else is only read."""
    settings: SettingsFile
    state: Path
    backfill: Backfill | None = None
    ledger_problems: list[Problem] = field(default_factory=list)
    """What the last reading of the ledgers found wrong."""
    git: MemoryGit | None = None
    """The history of the memory folder, if the user wants one."""
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
        if outcome.touched and self.catalog.meta(SWEPT):
            self.catalog.set_meta(SWEPT, "")  # the next daemon tells Claude of these notes
        self.graph.drop()  # whoever asks for it now makes it; most commands do not
        self.refiller.check()
        self.refiller.look()
        self.refiller.run()
        if outcome.touched or not self.read_only:
            self.write_memory()

    def adopt(self) -> None:
        """Meet the catalogue with facts.jsonl and the revisions, unless all are as they were when they last agreed."""
        self.uses.adopt()
        mark = self._adopt_revisions()  # first: they say which lines of facts.jsonl are missing for a reason
        self._adopt_facts()
        if mark is not None:
            self._adopt_ids()
            self.catalog.set_meta("revisions-mark", mark)

    def adopt_revisions(self) -> None:
        """Take over what other devices decided, and used; this device's own are taken over when they are made."""
        self.uses.adopt()
        if (mark := self._adopt_revisions()) is not None:
            self._adopt_ids()
            self.catalog.set_meta("revisions-mark", mark)

    def _adopt_revisions(self) -> str | None:
        """What tells how the ledgers stood that were read, or None if nothing is new in them."""
        ledger = self.sync.outbox.revisions
        mark, size = ledger.mark(), ledger.size()
        shrank = size < int(self.catalog.meta("revisions-size") or 0)
        if self.catalog.meta("revisions-mark") == mark and not shrank:
            return None
        records, self.ledger_problems = ledger.read()
        self.sync.decisions.adopt(records)
        self._write_again(records)
        self.catalog.set_meta("revisions-size", str(size))
        self.sync.outbox.forget_history()
        return mark

    def _write_again(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Nothing that was decided is ever meant to go: what the ledgers held and hold no more goes into our own again."""
        if self.read_only:
            return
        waiting = (json.loads(body) for _, body in self.catalog.outbox("revision", 1 << 40))
        there = {str(record.get("id")) for record in (*records, *waiting)}
        lost = [ident for ident in self.catalog.revision_ids() if ident not in there]
        if lost:
            found = self.catalog.revisions(lost)
            ordered = sorted(found.values(), key=lambda r: (str(r.get("at")), str(r.get("id"))))
            self.catalog.post("revision", [codec.line(record) for record in ordered])
            text = f"{len(lost)} decisions were missing from the ledgers and are written again"
            fix = "nothing to do; `ebbtide undo ID` takes a decision back, deleting its line does not"
            self.ledger_problems.append(Problem("revisions", None, "ledger-shrank", text, fix))
            log.warning("%s", text)

    def _adopt_ids(self) -> None:
        """A note that another device knew under another name before keeps the id that it had there."""
        history, files = self.sync.outbox.history, self.catalog.files()
        wanted = {path: ident for path, ident in history.ids.items() if history.owners.get(ident) == path}
        wrong = [
            row
            for path, row in sorted(files.items())
            if row.id != wanted.get(path, row.id) or history.owners.get(row.id, path) != path
        ]
        with self.catalog.write():
            for row in wrong:
                self.catalog.give_id(row.path, f"{row.id}-{row.row}")  # two may have each other's
            for row in wrong:
                self.catalog.give_id(row.path, self.sync.new_id(row.path))
                if row.document:
                    self.texts["notes"].delete([row.id])
            self.texts["notes"].commit()
        if wrong:
            self.sync.apply([row.path for row in wrong])

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

    def take_back(self, ident: str, by: str, why: str) -> list[dict[str, Any]]:
        """Undo a revision with its parts; what a night wrote has its old bytes again, but where a person changed it since.

        Raises NotFound, BadRequest.
        """
        files, journal = NightFiles(self.store), NightJournal.of(self.state)
        folder = self.store.memory_folder
        return night_undo.take_back(self.sync, files, journal, folder, ident, by, why)[0]

    def refresh_graph(self) -> None:
        """Make a new picture of the graph if edges or files differ from what it shows."""
        self.graph.refresh()

    def write_facts(self) -> None:
        """Rewrite facts.jsonl if it does not say what we know, after taking over what others wrote into it."""
        if self.read_only:
            lines = "".join(record + "\n" for _, record in self.catalog.all_facts())
            self.store.write_memory("facts.jsonl", lines.encode("utf-8", "replace"))
            return
        try:
            self._write_facts()
        finally:
            if self.git is not None:
                self.git.due()

    def _write_facts(self) -> None:
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


def memory_git(store: VaultStore, state: Path, catalog: Catalog) -> MemoryGit:
    """The history of the memory folder; its messages tell facts by what they say."""

    def fact_of(ident: str) -> str | None:
        found = catalog.facts_by_id([ident]).get(ident)
        return None if found is None else str(json.loads(found[2])["fact"])

    return MemoryGit(store.root, store.memory_folder, state, fact_of)
