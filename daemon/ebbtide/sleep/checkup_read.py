"""The check-up of a night: a rolling part of core memories and facts is read again, with what is new; what is found is asked about.

Reads only; what comes of it are steps that put a question into the review queue, so few a day that a person can keep up. No word
of a memory changes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.index.catalog import FileRow
from ebbtide.index.decisions import born, folded
from ebbtide.memory.ports import TextIndex
from ebbtide.memory.records import Note
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.dates import note_date
from ebbtide.parse.fact_text import plain
from ebbtide.parse.text import language
from ebbtide.sleep import checkup
from ebbtide.sleep.checkup import Finding, Read
from ebbtide.sleep.core_note import claim_of, line_of
from ebbtide.sleep.core_read import said_by_facts
from ebbtide.sleep.core_state import PERSONA, Reading, over, read_note
from ebbtide.sleep.core_ties import core_of
from ebbtide.sleep.likeness import BESIDE, Likeness
from ebbtide.sleep.nights import Quote, Step

_ENDS: Final = ("valid_to", "valid-to", "expires", "expires_at", "有效期至")
_LASTING: Final = frozenset(["constraint", "decision", "plan", "preference", "procedure", "relation", "state"])
"""Types of facts that hold for a time: what happened, or was measured, did so on its day and is not over after it."""
_REVIEW: Final = ("review", "review_at", "复查", "复核")


@dataclass(frozen=True, slots=True)
class Part:
    """What a night reads again: facts with where they stand, core memories as notes, and the words of facts to set them against."""

    facts: tuple[tuple[Mapping[str, Any], Standing], ...]
    cores: tuple[tuple[FileRow, Note], ...]


def part_of(reading: Reading, files: Mapping[str, FileRow], day: str, most: int, turn: int) -> Part:
    """About `most` facts and `most` core memories whose turn it is (the number of this night), and the facts written down since
    yesterday."""
    catalog = reading.catalog
    new = tuple(f'"recorded_at":"{since}' for since in (day, _day(day, -1)))
    every: list[str] = []
    fresh: list[str] = []
    for ident, record in catalog.all_facts():
        every.append(ident)
        if len(fresh) < most and any(sign in record for sign in new):
            fresh.append(ident)
    idents = sorted({*checkup.part(every, turn, most), *fresh})
    standings = catalog.standings(idents)
    records = [json.loads(record) for _, (_, _, record) in sorted(catalog.facts_by_id(idents).items())]
    facts = tuple((record, standings.get(record["id"], Standing(state=born(record)))) for record in records)
    ties = core_of(catalog, reading.vault, files.values(), reading.folder, day)
    rows = {row.id: row for row in ties.files.values() if row.path != f"{reading.folder}/{PERSONA}"}
    read = sorted((rows[ident] for ident in checkup.part(rows, turn, most)), key=lambda row: row.path)
    cores = tuple((row, found[0]) for row in read if (found := read_note(reading, row)) is not None)
    return Part(facts, cores)


def checked(
    reading: Reading, part: Part, day: str, *, most: int, now_days: int, facts: TextIndex | None = None,
    besides: Collection[str] = (),
) -> tuple[Step, ...]:  # fmt: skip
    """Questions about what the check-up found, the most pressing first, at most so many, none about `besides` (ids). `facts` finds
    newer words on a claim."""
    asked = [*_cores(reading, part, day, now_days, facts), *_facts(part, day, now_days)]
    asked.sort(key=lambda one: (checkup.ORDER.index(one[1].code), one[0].note, one[0].line, one[0].id))
    steps: list[Step] = []
    for read, finding, more in asked:
        if len(steps) >= most:
            break
        if read.id not in besides and not checkup.asked(reading.catalog.revisions_of(read.id), finding):
            own = Quote(read.note, read.line, read.quote, read.said, read.private)
            steps.append(
                Step("expire", "", "", None, (read.id,), finding.reason(read.lang), (own, *more), finding.kept)
            )
    return tuple(steps)


_Found = tuple[Read, Finding, tuple[Quote, ...]]


def _facts(part: Part, day: str, now_days: int) -> Iterator[_Found]:
    for record, standing in part.facts:
        if not _plain(standing) or record.get("origin") != "observed" or record.get("held"):
            continue
        fact = folded(record, standing)
        born = str(fact.get("created_at") or fact.get("recorded_at") or "")[:10]
        said = str(standing.verified_at or fact.get("verified_at") or born)[:10]
        current = fact.get("frame") in ("current", "plan")
        ends = fact.get("valid_to") if fact.get("type") in _LASTING else None
        text, note = str(fact["fact"]), str(fact["source"])
        read = Read(
            str(fact["id"]), text, note, int(fact["line"]), str(fact["quote"]), language(text), said, born,
            note_date({}, note) is not None, fact.get("subject"), ends, fact.get("review_at"), bool(fact.get("private")),
        )  # fmt: skip
        finding = checkup.examine(read, day, now_days) if current else None
        if finding is not None:
            yield read, finding, ()


def _cores(reading: Reading, part: Part, day: str, now_days: int, facts: TextIndex | None) -> Iterator[_Found]:
    standings = reading.catalog.standings([row.id for row, _ in part.cores])
    likeness = Likeness()
    for row, note in part.cores:
        standing = standings.get(row.id, Standing())
        if not _plain(standing) or not note.remembered or over(note) or row.until == "":
            continue
        read = _core(row, note, standing)
        finding = checkup.examine(read, day, now_days)
        if finding is None or finding.code not in checkup.ORDER[:2]:
            newer = _newer(reading, read, day, likeness, facts) if facts is not None else None
            if newer is not None:
                yield newer
                continue
        if finding is not None:
            yield read, finding, ()


def _core(row: FileRow, note: Note, standing: Standing) -> Read:
    claim, line = claim_at(note)
    known = [note.properties.get("created"), row.date, note.properties.get("verified"), standing.verified_at]
    days = [str(day)[:10] if day and len(str(day)) >= 10 else "" for day in known]
    return Read(
        row.id, claim, row.path, line, claim, lang_of(row), max(days), days[0] or days[1], False,
        checkup.antecedent(note.title, claim), _property(note, _ENDS), _property(note, _REVIEW), note.private,
    )  # fmt: skip


def _newer(reading: Reading, read: Read, day: str, likeness: Likeness, facts: TextIndex) -> _Found | None:
    """A person's later words, in another note, that a core memory cannot hold beside; the latest of them."""
    found = []
    for place in said_by_facts(reading.catalog, facts, read.text, day):
        quote, text = place.quote, line_of(plain(place.quote.text))
        if quote.note == read.note or not text or not read.said or quote.day <= read.said:
            continue
        if quote.private and not read.private:
            continue  # what is private is not named beside what is not
        share = likeness.duplication(read.text, text)
        if share >= BESIDE and likeness.contrary(text, read.text, share, (quote.day, read.said)) is not None:
            found.append((quote.day, quote.note, quote.line, quote, text))
    if not found:
        return None
    _, _, _, quote, text = max(found, key=lambda one: one[:3])
    name = quote.note.rpartition("/")[2].removesuffix(".md")
    finding = checkup.found("newer", (read.text, quote.note, text), note=name, day=quote.day)
    return read, finding, (quote,)


def claim_at(note: Note) -> tuple[str, int]:
    """What a core memory says in one line, and the line (from 1) on which it stands; the first where it is not found as it is."""
    claim = claim_of(note.text, note.title)
    return claim, note.text.count("\n", 0, max(0, note.text.find(claim))) + 1


def lang_of(row: FileRow) -> Lang:
    """The language of a note."""
    return "zh" if row.lang == "zh" else "en"


def _plain(standing: Standing) -> bool:
    """Whether a memory answers, and nobody is asked about it already."""
    open_ = standing.expired or standing.disputes or standing.pinned or standing.frozen
    return standing.there and standing.state == "active" and not open_


def stated(note: Note, names: Sequence[str]) -> Iterator[str]:
    """What a note says of itself by properties of these names, in their order."""
    values = (note.properties.get(name) for name in names)
    return (str(value) for value in values if isinstance(value, str | int))  # a year alone is read as a number


def _property(note: Note, names: Sequence[str]) -> str | None:
    return next((text for text in stated(note, names) if text.strip()), None)


def _day(day: str, by: int) -> str:
    return (date.fromisoformat(day[:10]) + timedelta(days=by)).isoformat()
