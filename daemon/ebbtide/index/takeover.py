"""Taking over what a model read from a note: from drafts that were held against its text to stored facts.

In the thread that owns the writers, one slice a note. The drafts pass what the rules' drafts pass (identity, the gates, rulings);
only their rank differs. What could not be believed, or a gate refused, is kept with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ebbtide.index.catalog import FileRow
from ebbtide.index.distil import Distilled, extractor_rank, parse_fact
from ebbtide.index.outbox import iso
from ebbtide.index.sync import Sync
from ebbtide.memory.errors import VaultError
from ebbtide.memory.intake import Origin
from ebbtide.memory.model_reading import plan_reading
from ebbtide.memory.records import Fact, FactDraft, FactId, Note
from ebbtide.parse.note import parse_note
from ebbtide.parse.own_words import handed_back, written_by_machine
from ebbtide.parse.text import fold

SWEPT = "claude-swept"
"""The catalogue's word for the rules under which all notes were last looked at for a model to read; empty once notes were
indexed where no model could hear of it."""
_OWN = "written by Ebbtide or an agent, not by a person: it bears nothing out"
Refused = tuple[str, str, str]
"""A fact that was not believed, its quote, and the reason."""


@dataclass(frozen=True, slots=True)
class ModelReading:
    """What a model read from the text of a note that has this `digest`.

    `concluded` are the drafts that say more than they quote. `unseen` is the part of the text that it was not shown, as
    offsets: what the rules read there stays.
    """

    path: str
    digest: str
    extractor: str
    drafts: Sequence[FactDraft]
    concluded: Collection[FactDraft] = ()
    refused: Sequence[Refused] = ()
    unseen: tuple[int, int] = (0, 0)


class TakeOver:
    """Meets a model's readings with what is stored. Called by the owner of the writers."""

    def __init__(self, sync: Sync) -> None:
        self.sync, self.catalog, self.distil = sync, sync.indexes.catalog, sync.distil

    def take(self, reading: ModelReading) -> bool:
        """Take a reading over; False if the note is not there with this text any more, or a better one has read it.

        When this returns, all of it is durable. Raises what the disk or the indexes raise; then nothing was taken.
        """
        row = self.catalog.file(reading.path)
        if row is None or row.digest != reading.digest or (row.kind, row.status) != ("note", "indexed") or row.private:
            return False
        try:
            file = self.sync.vault.read(reading.path)
        except (FileNotFoundError, VaultError):
            return False
        if file.digest != reading.digest:
            return False
        note = parse_note(row.path, file.text)
        own = [d for d in reading.drafts if written_by_machine(note) or handed_back(note, None, d.start, d.end)]
        reading = replace(
            reading,
            drafts=[draft for draft in reading.drafts if draft not in own],
            refused=[*reading.refused, *((draft.fact, draft.quote, _OWN) for draft in own)],
        )
        rows = [_refusal(reading, each) for each in reading.refused]
        with self.sync.indexes.slice():
            if rows and not reading.drafts:  # nothing of it was to be believed: the rules' facts stay
                stored = [found[2:] for found in self.catalog.refusals(row.path, 1000)]
                self.catalog.put_refusals(row.row, dict.fromkeys([*stored, *rows]))
                return True
            found = self._plan(row, note, reading)
            if found is None:
                return False
            found = replace(found, refused=[*rows, *found.refused])
            self.sync.put_facts(self.distil.carry_out(found, row))
        self.sync.changes += 1
        self.sync.outbox.deliver()
        return True

    def has_read(self, row: FileRow, extractor: str) -> bool:
        """True if the stored facts say that an extractor like this one, or a better one, has read just this text."""
        ours = extractor_rank(extractor)
        return any(f.note_hash == row.digest and extractor_rank(f.extractor) >= ours for f in self._stored(row))

    def _plan(self, row: FileRow, note: Note, reading: ModelReading) -> Distilled | None:
        stored, ours = self._stored(row), extractor_rank(reading.extractor)
        if any(fact.note_hash == row.digest and extractor_rank(fact.extractor) > ours for fact in stored):
            return None
        unseen = note.text[slice(*reading.unseen)]
        stay = self.distil.collider.staying(stored, row.path, note) | {
            fact.id: fact for fact in stored if fact.quote in unseen
        }

        def elsewhere(ident: FactId) -> Fact | None:
            found = self.catalog.facts_by_id([ident]).get(ident)
            return None if found is None or found[1] == row.row else parse_fact(found[2])

        now = iso(self.sync.clock.now())
        plan = plan_reading(
            self.distil.unforgotten(reading.drafts),
            reading.concluded,
            stored,
            Origin(row.path, row.digest, reading.extractor, row.private, now),
            stay=stay,
            folded=fold,
            elsewhere=elsewhere,
        )
        there = {fact.id for fact in plan.puts}
        others = self.catalog.facts_by_id(self.catalog.evidence_of(row.path)).values()
        for fact in (
            parse_fact(record) for _, _, record in others
        ):  # it says the same as another note where it was not shown
            if fact.id not in there and any(e.source == row.path and e.quote in unseen for e in fact.evidence):
                plan.puts.append(fact)
        return self.distil.gated(Distilled(plan), set(stay), row, note)

    def _stored(self, row: FileRow) -> list[Fact]:
        return [parse_fact(record) for _, _, record in self.catalog.facts_of(row.row)]


def _refusal(reading: ModelReading, refused: Refused) -> tuple[str, str, str, str, str]:
    fact, quote, reason = refused
    body = {"fact": fact, "quote": quote, "source": reading.path, "line": None, "extractor": reading.extractor}
    return (
        "refuse",
        "evidence",
        "unproven",
        reason,
        json.dumps(body, ensure_ascii=False).encode("utf-8", "replace").decode(),
    )
