"""From a parsed note to stored facts: extraction, identity, evidence, and what the other indexes must hear of it.

The catalogue mirrors facts.jsonl; changes reach the file through the outbox. Facts that another device or an earlier life
of this cache left in facts.jsonl come in as seeds: they are matched when their note is read, so that ids and dates of
record survive a lost cache.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ebbtide.index import foreign
from ebbtide.index.catalog import Catalog, FileRow, NewFact
from ebbtide.index.collide import Collider, revision_of, slot_key
from ebbtide.index.decisions import Decisions, born
from ebbtide.index.means import text_key
from ebbtide.index.outbox import Outbox, claim
from ebbtide.memory import codec, intake
from ebbtide.memory.errors import CatalogDamaged
from ebbtide.memory.gates import Case, Verdict, judge
from ebbtide.memory.model_reading import keeping
from ebbtide.memory.promotion import Sighting, promotion, task_of
from ebbtide.memory.records import Evidence, Fact, FactDraft, FactId, Note
from ebbtide.memory.states import Lang
from ebbtide.parse.facts import EXTRACTOR, extract
from ebbtide.parse.text import fold, language


@dataclass(slots=True)
class FactChange:
    """What changed: documents to index by keyword, ids to drop from it, labels to drop from the vectors."""

    documents: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    gone_ids: list[str] = field(default_factory=list)
    gone_labels: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Distilled:
    """What reading a note means for its facts. `seeds` are facts of facts.jsonl that have found their note.

    `extracted` is false where the text is known already: then nothing that is not in the plan is touched.
    """

    plan: intake.Plan
    seeds: Sequence[Fact] = ()
    extracted: bool = True
    refused: Sequence[tuple[str, str, str, str, str]] = ()
    """(outcome, gate, code, reason, fact as JSON) of what did not pass the gates, or was held."""
    rulings: Sequence[tuple[Fact, Verdict]] = ()
    """New facts that collide with stored ones."""


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


def _renamed(fact: Fact, before: str, after: str) -> Fact:
    """The fact where a note that states it, too, has another path."""
    entries = tuple(replace(e, source=after) if e.source == before else e for e in fact.evidence)
    return replace(fact, evidence=entries)


def _read_by(fact: Fact, row: FileRow) -> int:
    """Whether a fact was read from just this text, by an extractor like ours (0) or a better one (1); else -1."""
    theirs, ours = extractor_rank(fact.extractor), extractor_rank(EXTRACTOR)
    return -1 if fact.note_hash != row.digest or theirs < ours else int(theirs > ours)


def parse_fact(record: str) -> Fact:
    """A fact from the catalogue. Raises CatalogDamaged if it is not one: the catalogue was altered on disk."""
    try:
        return codec.fact_from_dict(json.loads(record))
    except ValueError as error:
        raise CatalogDamaged(
            f"The catalogue holds a fact that is none ({error}).", "It is rebuilt from the notes."
        ) from error


class Distiller:
    """Keeps the facts of the catalogue in step with the notes. Called by the owner of the catalogue's write transaction."""

    def __init__(self, catalog: Catalog, outbox: Outbox, decisions: Decisions) -> None:
        self.catalog, self.outbox, self.decisions = catalog, outbox, decisions
        self._seeds: dict[str, list[Fact]] = {}
        self._seed_paths: dict[str, list[str]] = {}
        """Hash of a note's content -> where seeds from just that text say it lay."""
        self._again = False
        self.collider = Collider(catalog)

    def reread(self, again: bool = True) -> None:
        """Extract again even from notes that have not changed since their facts were read."""
        self._again = again

    # --- facts.jsonl --------------------------------------------------------------------------------------------------

    def adopt(self, stored: Mapping[FactId, Fact]) -> FactChange:
        """Meet the catalogue with what facts.jsonl holds, once the outbox is delivered: the file wins.

        What the file lacks is gone; what it alone holds comes in, or waits as a seed while its note has not been read.
        """
        change = FactChange()
        self._seeds = {}
        rest = dict(stored)
        undelivered = {body for _, body in self.catalog.outbox("fact", 1 << 40)}
        for ident, record in list(self.catalog.all_facts()):
            fact = rest.pop(FactId(ident), None)
            if ident in undelivered:
                continue
            if fact is None and foreign.said_here(self.catalog, parse_fact(record)):
                self.outbox.fact(FactId(ident))  # another device had no such text; it has, or gets, this one
            elif fact is None:
                self._remove(FactId(ident), change)
            elif codec.line(codec.fact_to_dict(fact)) != record:
                if foreign.outdated(self.catalog, fact, parse_fact(record)):
                    self.outbox.fact(fact.id)
                else:
                    self._put(fact, change, tell=False)
        for fact in rest.values():
            row = self.catalog.file(fact.source)
            if fact.id in undelivered:
                continue
            if row is not None and (row.status == "skipped" or foreign.taken_back(self.catalog, fact, row)):
                self.outbox.fact(fact.id)  # its note may not be remembered any more, or says something else by now
            elif row is not None and row.status == "indexed" and row.kind == "note":
                self._put(fact, change, tell=False)
            else:
                self._seeds.setdefault(fact.source, []).append(fact)
        self._seed_paths = {}
        for path, facts in self._seeds.items():
            if len({fact.note_hash for fact in facts}) == 1:
                self._seed_paths.setdefault(facts[0].note_hash, []).append(path)
        return change

    def bury(self) -> None:
        """Once every note is known: what waits for a note that is not there, and is gone by the revisions, waits no more."""
        for path in [path for path in self._seeds if self.catalog.file(path) is None]:
            gone = {fact.id for fact in self._seeds[path] if self.catalog.was_taken_out(fact.id)}
            for ident in sorted(gone):
                self.outbox.fact(ident)
            self._seeds[path] = [fact for fact in self._seeds[path] if fact.id not in gone]

    # --- notes --------------------------------------------------------------------------------------------------------

    def plan(
        self, number: int, row: FileRow, note: Note, now: str, before: str | None = None, *, mute: bool = False
    ) -> Distilled | None:
        """Read the facts of a note and meet them with what is stored; None if nothing changes. Writes nothing.

        `number` is the note's row in the catalogue; `row` is what it will be, `before` its path there if it is to move.
        `mute`: it is a note from which no fact is read.
        """
        stored = self._stored(number)
        known = {fact.id for fact in stored}
        seeds = [seed for seed in self._seeds_of(row) if seed.id not in known]
        together = [*stored, *map(self._met, seeds)]
        read = [_read_by(fact, row) for fact in together]
        better = max(read, default=-1) > 0  # then the rules do not undo it
        known_text = bool(together) and not mute and (better or (not self._again and min(read) >= 0))
        if known_text and all(fact.source == row.path for fact in together):
            return Distilled(intake.Plan(puts=together[len(stored) :]), seeds, extracted=False) if seeds else None
        if known_text and better:
            puts = [replace(fact, source=row.path) for fact in together]
            return Distilled(intake.Plan(puts=puts), seeds, extracted=False)
        drafts = [] if mute else self.unforgotten(extract(note))
        origin = intake.Origin(row.path, row.digest, EXTRACTOR, row.private, now)

        def elsewhere(ident: FactId) -> Fact | None:
            fact = self._fact(ident, besides=number)
            return fact if fact is None or before is None else _renamed(fact, before, row.path)

        plan = intake.plan_note(drafts, together, origin, folded=fold, elsewhere=elsewhere)
        if not mute:
            lost = {name for r in plan.revisions if r["kind"] == "retract" for name in r["subjects"]}
            plan = keeping(plan, self.collider.staying([fact for fact in together if fact.id in lost], row.path, note))
        return self.gated(Distilled(plan, seeds), {fact.id for fact in together}, row, note)

    def unforgotten(self, drafts: Sequence[FactDraft]) -> Sequence[FactDraft]:
        """The drafts without the claims that a person wanted forgotten."""
        forgotten = self.outbox.history.forgotten
        return [draft for draft in drafts if claim(draft.fact) not in forgotten] if forgotten else drafts

    def gated(self, found: Distilled, known: Collection[FactId], row: FileRow, note: Note) -> Distilled:
        """The plan with what the gates make of the facts that are new."""
        lang: Lang = "zh" if row.lang == "zh" else "en"
        puts, refused, rulings = [], [], []
        for fact in found.plan.puts:
            if fact.id in known or fact.source != row.path:
                puts.append(fact)
                continue
            collisions = self.collider.in_slot(fact, lang, [*found.plan.gone, *(f.id for f in found.plan.puts)])
            verdict = judge(Case(fact, lang, live=fact.quote in note.text, collisions=collisions))
            if verdict.outcome in ("refuse", "hold"):
                body = codec.line(codec.fact_to_dict(fact))
                refused.append((verdict.outcome, verdict.gate or "", verdict.code, verdict.reason, body))
            if verdict.outcome == "refuse":
                continue
            puts.append(replace(fact, held=verdict.reason) if verdict.outcome == "hold" else fact)
            if verdict.against:
                rulings.append((fact, verdict))
        plan = intake.Plan(puts, found.plan.gone, found.plan.revisions)
        return replace(found, plan=plan, refused=refused, rulings=rulings)

    def carry_out(self, found: Distilled, row: FileRow) -> FactChange:
        """Write what `plan` found; `row` is the note as it is stored now."""
        change = FactChange()
        for path in {fact.source for fact in found.seeds}:
            self._seeds.pop(path, None)
        filed = {fact.id: fact for fact in found.seeds}
        here = set(self.catalog.evidence_of(row.path)) if found.extracted else set()
        for fact in found.plan.puts:
            self._put(fact, change, row if fact.source == row.path else None, tell=filed.get(fact.id) != fact)
            here.discard(fact.id)
        for ident in sorted(here):  # stated here before, not any more; the fact itself lives elsewhere
            self._withdraw(FactId(ident), row.path, change)
        for ident in found.plan.gone:
            self._withdraw(ident, row.path, change)
            if ident in filed and self._fact(ident) is None:
                self.outbox.fact(ident)  # it was never more than a line of facts.jsonl here
        for revision in found.plan.revisions:
            self.decisions.record(revision)
        if found.extracted:
            self.catalog.put_refusals(row.row, found.refused)
        for fact in found.plan.puts:
            self._promote(fact)
        self._said_again([fact for fact in found.plan.puts if fact.source == row.path], row.path)
        for fact, verdict in found.rulings:
            self._rule(fact, verdict)
        return change

    def _rule(self, fact: Fact, verdict: Verdict) -> None:
        """Carry out what the collision gate decided: one revision for each fact that is concerned."""
        others = self.catalog.facts_by_id([collision.other for collision in verdict.against])
        for collision in verdict.against:
            if collision.other in others:
                self.decisions.record(revision_of(fact, json.loads(others[collision.other][2]), collision))

    def forget(self, number: int, path: str) -> FactChange:
        """A note is gone or may not be remembered: its facts are retracted, or live on by other evidence."""
        change = FactChange()
        for fact in self._stored(number):
            if self._withdraw(fact.id, path, change):
                self.decisions.record(intake.retraction(fact))
        for ident in self.catalog.evidence_of(path):
            self._withdraw(FactId(ident), path, change)
        for fact in self._seeds.pop(path, ()):
            self.outbox.fact(fact.id)
            self.decisions.record(intake.retraction(fact))
        return change

    def moved(self, before: str, after: str) -> FactChange:
        """A note has another path: evidence that names it follows. Its own facts follow when it is read."""
        change = FactChange()
        for ident in self.catalog.evidence_of(before):
            fact = self._fact(FactId(ident))
            if fact is not None:
                self._put(_renamed(fact, before, after), change)
        return change

    def relate(self, fact: Fact) -> None:
        """Store a fact with the ids of its neighbours. Within a transaction; no text changes."""
        self._put(fact, FactChange())

    def quotes_of(self, number: int) -> list[str]:
        """The quotes of a note's facts: to know the note again under another name."""
        return [fact.quote for fact in self._stored(number)]

    # --- helpers ------------------------------------------------------------------------------------------------------

    def _seeds_of(self, row: FileRow) -> Sequence[Fact]:
        """Facts that wait for this note: under its path, else under one that is gone, read from the very same text."""
        found = self._seeds.get(row.path)
        if found is not None:
            return found
        for path in self._seed_paths.get(row.digest, ()):
            if path in self._seeds and self.catalog.file(path) is None:
                return self._seeds[path]
        return ()

    def _met(self, seed: Fact) -> Fact:
        """A seed, with the notes that were read before its own and say the same."""
        known = self._fact(seed.id)
        if known is None or known.source == seed.source:
            return seed
        first = Evidence(known.source, known.line, known.quote, known.created_at)
        for entry in (first, *known.evidence):
            if entry.source != seed.source:
                seed = intake.with_evidence(seed, entry)
        return seed

    def _stored(self, number: int) -> list[Fact]:
        return [parse_fact(record) for _, _, record in self.catalog.facts_of(number)]

    def _fact(self, ident: FactId, *, besides: int | None = None) -> Fact | None:
        found = self.catalog.facts_by_id([ident]).get(ident)
        return None if found is None or found[1] == besides else parse_fact(found[2])

    def _put(self, fact: Fact, change: FactChange, row: FileRow | None = None, *, tell: bool = True) -> None:
        """Store a fact under its source, whose row may be given. `tell`: facts.jsonl must hear of it."""
        row = row or self.catalog.file(fact.source)
        if row is None:
            return
        others = [self.catalog.file(entry.source) for entry in fact.evidence]
        private = row.private or any(other.private for other in others if other is not None)
        if private != fact.private and row.status == "indexed":
            fact, tell = replace(fact, private=private), True
        text = fact_text(fact)
        record = codec.line(codec.fact_to_dict(fact))
        new = NewFact(row.row, fact.id, record, text, language(text), text_key(text), fact.type)
        lost, before = self.catalog.put_fact(new)
        if before == record:
            return
        if lost is not None:
            change.gone_labels.append(lost)
        self._stand(fact, new=before is None)
        if before is not None or fact.evidence:
            self.catalog.put_evidence(fact.id, [entry.source for entry in fact.evidence])
        if tell:
            self.outbox.fact(fact.id, fact)
        document = fact_document(fact)
        if before is None or fact_document(parse_fact(before)) != document:
            change.documents.append(document)

    def _stand(self, fact: Fact, *, new: bool) -> None:
        """Note the slot a fact fills, and where it stands if that is not plain."""
        self.catalog.put_slot(fact.id, slot_key(fact))
        if new:
            self.decisions.put_due(fact.id, codec.fact_to_dict(fact))
        if new and (born(codec.fact_to_dict(fact)) != "active" or self.catalog.standings([fact.id])):
            self.decisions.refold([fact.id])

    def _promote(self, fact: Fact) -> None:
        """A candidate that a person's own notes bear out, on several days and for several tasks, answers from now on."""
        if born(codec.fact_to_dict(fact)) != "candidate" or not fact.evidence:
            return
        standing = self.decisions.standing(fact.id)
        if standing.state != "candidate" or not standing.there:
            return
        places = [(fact.created_at, fact.source), *((entry.created_at, entry.source) for entry in fact.evidence)]
        project = {fact.source: fact.project}
        found = promotion(
            [Sighting(day, path, task_of(path, project.get(path), fact.subject)) for day, path in places],
            disputed=bool(standing.disputes),
        )
        if found.due:
            self.decisions.record(intake.promoting(fact, found.reason("zh" if language(fact.fact) == "zh" else "en")))

    def _said_again(self, facts: Sequence[Fact], path: str) -> None:
        """What an edit of this note had replaced, and another edit has brought back, holds again."""
        here = {fact.id for fact in facts}
        for ident, standing in self.catalog.standings(here).items():
            if standing.superseded_by is None or standing.superseded_by in here or standing.last is None:
                continue
            last = self.catalog.revisions([standing.last]).get(standing.last, {})
            if {entry.get("source") for entry in last.get("evidence") or ()} == {path}:
                fact = next(fact for fact in facts if fact.id == ident)
                self.decisions.record(intake.said_again(fact))

    def _remove(self, ident: FactId, change: FactChange) -> None:
        change.gone_labels += self.catalog.remove_facts([ident])
        self.catalog.put_slot(ident, None)
        change.gone_ids.append(ident)

    def _withdraw(self, ident: FactId, path: str, change: FactChange) -> bool:
        """A note no longer states a fact. True if nothing else does, so that it is gone."""
        fact = self._fact(ident)
        if fact is None:
            return False
        rest = intake.without_source(fact, path)
        if rest is not None and (rest.source == fact.source or self.catalog.file(rest.source) is not None):
            self._put(rest, change)
            if rest.source != fact.source:
                self.catalog.look_again(rest.source)  # whether it still says so
            return False
        self._remove(ident, change)
        self.outbox.fact(ident)
        return True


def documents(records: Iterable[str]) -> list[tuple[str, dict[str, str]]]:
    """Keyword documents of stored facts, by id: for building their index anew."""
    return [fact_document(parse_fact(record)) for record in records]
