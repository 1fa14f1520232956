"""From a parsed note to stored facts: extraction, identity, evidence, and what the keyword index must hear of it.

The catalogue mirrors facts.jsonl; the file itself is written from the mirror now and then (`vault.facts`). Facts that another
device or an earlier life of this cache left in facts.jsonl come in as seeds: they are matched when their note is read, so
that ids and dates of record survive a lost cache.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.means import text_key
from ebbtide.memory import codec, intake
from ebbtide.memory.ports import Clock
from ebbtide.memory.records import Fact, FactDraft, FactId, Note
from ebbtide.parse.facts import EXTRACTOR, extract
from ebbtide.parse.text import fold, language


@dataclass(slots=True)
class FactChange:
    """What changed: documents to index by keyword, ids to drop from it, labels to drop from the vectors."""

    documents: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    gone_ids: list[str] = field(default_factory=list)
    gone_labels: list[int] = field(default_factory=list)

    @property
    def touched(self) -> bool:
        """True if any fact came, went or changed."""
        return bool(self.documents or self.gone_ids or self.gone_labels)


def fact_text(fact: Fact) -> str:
    """The text a fact is embedded under: the proposition alone, since it stands alone."""
    return fact.fact


def fact_document(fact: Fact) -> tuple[str, dict[str, str]]:
    """A fact as a keyword document: subject as title; proposition, quote and trigger as body."""
    body = "\n".join(dict.fromkeys(part for part in (fact.fact, fact.quote, fact.trigger) if part))
    return fact.id, {"path": fact.source, "title": fact.subject or "", "body": body}


def extractor_rank(name: str) -> tuple[int, int]:
    """A model's reading outranks the rules', a newer version an older one; a device never re-extracts downwards."""
    kind, _, version = name.partition("/")
    return (0 if kind == "rules" else 1, int(version) if version.isdigit() else 0)


class Distiller:
    """Keeps the facts of the catalogue in step with the notes. Called by the owner of the catalogue's write transaction."""

    def __init__(self, catalog: Catalog, clock: Clock) -> None:
        self.catalog, self.clock = catalog, clock
        self._seeds: dict[str, list[Fact]] = {}
        self._revisions: list[dict[str, Any]] = []
        self._puts: dict[FactId, Fact] = {}
        self._drops: dict[FactId, None] = {}
        self._again = False

    # --- seeds and revisions ------------------------------------------------------------------------------------------

    def seed(self, facts: Iterable[Fact]) -> int:
        """Take facts from facts.jsonl that the catalogue does not hold; they wait for their note. Returns how many."""
        count = 0
        for fact in facts:
            self._seeds.setdefault(fact.source, []).append(fact)
            count += 1
        return count

    @property
    def seeds(self) -> Mapping[str, Sequence[Fact]]:
        """Seeds whose note has not been read yet."""
        return self._seeds

    def record(self, revision: dict[str, Any]) -> None:
        """Queue a revision; the ledger stamps id and time when it is appended."""
        self._revisions.append(revision)

    def take_revisions(self) -> list[dict[str, Any]]:
        """Hand over what is queued."""
        out, self._revisions = self._revisions, []
        return out

    def reread(self, again: bool = True) -> None:
        """Extract again even from notes that have not changed since their facts were read."""
        self._again = again

    def take_journal(self) -> tuple[list[Fact], list[FactId]]:
        """Hand over the facts that came or changed, and the ids of those that went, since the last call: for facts.jsonl."""
        puts, drops = list(self._puts.values()), list(self._drops)
        self._puts, self._drops = {}, {}
        return puts, drops

    def adopt(self, stored: Mapping[FactId, Fact]) -> FactChange:
        """Meet the catalogue with what facts.jsonl holds: the file wins, and what it holds of unread notes waits as seeds."""
        change = FactChange()
        known = set()
        for record in list(self.catalog.all_facts()):
            ident = FactId(json.loads(record)["id"])
            known.add(ident)
            fact = stored.get(ident)
            if fact is None:
                change.gone_labels += self.catalog.remove_facts([ident])
                self.catalog.put_evidence(ident, [])
                change.gone_ids.append(ident)
            elif codec.line(codec.fact_to_dict(fact)) != record:
                self._put(fact, change, None)
        self.seed(fact for ident, fact in stored.items() if ident not in known)
        self._puts, self._drops = {}, {}  # all of this came from the file
        return change

    # --- notes ----------------------------------------------------------------------------------------------------------

    def take(self, number: int, row: FileRow, note: Note, digest: str, now: str) -> FactChange:
        """Read the facts of a note and meet them with what is stored."""
        stored = self._stored(number)
        seeded = not stored
        if seeded:
            stored = self._seeds.pop(row.path, [])
        if not self._again and stored and all(f.note_hash == digest and f.private == row.private for f in stored):
            if min(extractor_rank(f.extractor) for f in stored) >= extractor_rank(EXTRACTOR):
                if seeded:
                    return self._keep(number, stored)
                # Nothing to read again, but the keyword index may have been emptied under us.
                return FactChange(documents=[fact_document(fact) for fact in stored])
        drafts: Sequence[FactDraft] = extract(note)
        origin = intake.Origin(row.path, digest, EXTRACTOR, row.private, now)
        plan = intake.plan_note(drafts, stored, origin, folded=fold, elsewhere=self._fact)
        change = FactChange()
        here = set(self.catalog.evidence_of(row.path))
        for fact in plan.puts:
            self._put(fact, change, number if fact.source == row.path else None)
            here.discard(fact.id)
        for ident in sorted(here):  # stated here before, not any more; the fact itself lives elsewhere
            self._withdraw(FactId(ident), row.path, change)
        for ident in plan.gone:
            self._withdraw(ident, row.path, change)
        for revision in plan.revisions:
            self.record(revision)
        return change

    def forget(self, number: int, path: str) -> FactChange:
        """A note is gone or may not be remembered: its facts are retracted, or live on by other evidence."""
        change = FactChange()
        for fact in self._stored(number):
            if self._withdraw(fact.id, path, change):
                self.record(intake.retraction(fact))
        for ident in self.catalog.evidence_of(path):
            self._withdraw(FactId(ident), path, change)
        return change

    def moved(self, before: str, after: str) -> None:
        """A note has another path: evidence that names it follows. Its own facts follow when it is read."""
        for ident in self.catalog.evidence_of(before):
            fact = self._fact(FactId(ident))
            if fact is not None:
                entries = tuple(replace(e, source=after) if e.source == before else e for e in fact.evidence)
                self._put(replace(fact, evidence=entries), FactChange(), None)

    def quotes_of(self, number: int) -> list[str]:
        """The quotes of a note's facts: to know the note again under another name."""
        return [fact.quote for fact in self._stored(number)]

    # --- helpers ----------------------------------------------------------------------------------------------------------

    def _stored(self, number: int) -> list[Fact]:
        return [codec.fact_from_dict(json.loads(record)) for _, _, record in self.catalog.facts_of(number)]

    def _fact(self, ident: FactId) -> Fact | None:
        found = self.catalog.facts_by_id([ident]).get(ident)
        return None if found is None else codec.fact_from_dict(json.loads(found[2]))

    def _keep(self, number: int, facts: Sequence[Fact]) -> FactChange:
        change = FactChange()
        for fact in facts:
            self._put(fact, change, number)
        return change

    def _put(self, fact: Fact, change: FactChange, number: int | None) -> None:
        if number is None:
            row = self.catalog.file(fact.source)
            if row is None:
                return
            number = row.row
        text = fact_text(fact)
        record = codec.line(codec.fact_to_dict(fact))
        lost = self.catalog.put_fact(
            number, fact.id, record, text, language(text), text_key(text), ready=False, fact_type=fact.type
        )
        if lost is not None:
            change.gone_labels.append(lost)
        self.catalog.put_evidence(fact.id, [entry.source for entry in fact.evidence])
        self._puts[fact.id] = fact
        self._drops.pop(fact.id, None)
        change.documents.append(fact_document(fact))

    def _withdraw(self, ident: FactId, path: str, change: FactChange) -> bool:
        """A note no longer states a fact. True if nothing else does, so that it is gone."""
        fact = self._fact(ident)
        if fact is None:
            return False
        rest = intake.without_source(fact, path)
        if rest is not None and (rest.source == fact.source or self.catalog.file(rest.source) is not None):
            self._put(rest, change, None)
            return False
        change.gone_labels += self.catalog.remove_facts([ident])
        self.catalog.put_evidence(ident, [])
        change.gone_ids.append(ident)
        self._puts.pop(ident, None)
        self._drops[ident] = None
        return True
