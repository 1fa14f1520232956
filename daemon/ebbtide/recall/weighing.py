"""What is known of each candidate beside its relevance, brought together for its score: dates, uses, standing, frame, links.

Only what the vault holds counts, never what the cache alone remembers: a rebuild must change no answer. The frame of a note
is read where there is a reward to withdraw: from its properties and what superseded it, else from the words of the passage
that the question is about.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

import numpy as np

from ebbtide.index.catalog import FileRow
from ebbtide.memory.heat import CONFIRMED, Event
from ebbtide.memory.importance import basis
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Frame
from ebbtide.parse.fates import Fate, asked_fates, asks_plan, asks_then, from_code
from ebbtide.parse.frames import text_frame
from ebbtide.parse.note_kind import is_periodic_name
from ebbtide.parse.text import query_terms
from ebbtide.recall import compose
from ebbtide.recall.candidates import Channels, FactCandidate, NoteCandidate, Pool
from ebbtide.recall.holding import Holding
from ebbtide.recall.route import Route
from ebbtide.recall.score import Asked, Known, Parts, Scoring, question_key, score

PASSAGES_READ = 40
"""Passages of one note that are looked through for the one a question is about."""
_NO_MERIT = frozenset(["mentioned", "supersedes", "contradicts"])
"""Links to a note that do not make it weigh more."""


@dataclass(slots=True)
class Weighed:
    """The parts of every candidate's score, by file row and by fact id."""

    notes: dict[int, Parts] = field(default_factory=dict)
    facts: dict[str, Parts] = field(default_factory=dict)
    today: str = ""
    """The day it was asked for."""

    @property
    def best(self) -> float:
        """The greatest relevance."""
        return max((parts.R for table in (self.notes, self.facts) for parts in table.values()), default=0.0)


def weigh(
    way: Route,
    pool: Pool,
    held: Holding,
    channels: Channels,
    scoring: Scoring,
    relevance: tuple[Mapping[int, float], Mapping[str, float]],
    *,
    as_of: str | None = None,
    uses: Mapping[str, Sequence[Event]] | None = None,
) -> Weighed:
    """Score notes and facts by their relevance (by file row, by fact id). `as_of` sets the clock; `uses` are those of the
    catalogue unless they are given."""
    notes, facts = relevance
    best = max([*notes.values(), *facts.values()], default=0.0)
    asked = Asked(as_of or day_of(time.time()), way.frame, best)
    if uses is None:
        uses = channels.catalog.uses({*facts, *(pool.notes[row].file.id for row in notes)})
    past = asked.frame == "historical" or asks_then(way.text)
    wanted = None if past else asked_fates(way.text)
    scales = _Scales(way.text, pool, held, channels, uses, asked.today, scoring, wanted, asks_plan(way.text))
    return Weighed(
        {row: score(value, scales.note(pool.notes[row]), asked, scoring) for row, value in notes.items()},
        {ident: score(value, scales.fact(pool.facts[ident]), asked, scoring) for ident, value in facts.items()},
        asked.today,
    )


def ended(file: FileRow, today: str) -> tuple[Fate | Literal["over"], bool] | None:
    """How what a note tells of has ended by a day, and whether its properties say so; None where nothing says it has.

    "over": superseded, or true until a day that has passed.
    """
    found = None if file.fate is None else from_code(file.fate)
    if found is not None:
        return found.fate, found.declared
    return ("over", True) if file.until is not None and file.until < today else None


def said_on(record: Mapping[str, Any], file: FileRow) -> str | None:
    """The day a fact was said. The day on which a whole vault was first looked at says nothing about its age."""
    created, seen = record.get("created_at"), str(record.get("recorded_at") or "")[:10]
    return None if file.date is None and created == seen else _first(created, file.date)


def day_of(seconds: float) -> str:
    """The local day (ISO) of a time in seconds."""
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def day_before(day: str, count: int) -> str:
    """The day so many days before one; both ISO."""
    return (date.fromisoformat(day[:10]) - timedelta(count)).isoformat()


def _first(*days: Any) -> str | None:
    for day in days:
        if day:
            return str(day)
    return None


@dataclass(slots=True)
class _Scales:
    text: str
    pool: Pool
    held: Holding
    channels: Channels
    uses: Mapping[str, Sequence[Event]]
    today: str
    scoring: Scoring
    wanted: frozenset[Fate] | None
    """What ended in one of these ways is asked for; None: the past is, so that nothing counts as over."""
    plan: bool
    """A plan is asked for."""

    def note(self, found: NoteCandidate) -> Known:
        """What is known of a note."""
        file, standing = found.file, self.held.of(found.file.id)
        written = file.date
        events = self.uses.get(file.id, ())
        used = any(event.kind in CONFIRMED for event in events)
        linked, replaced = self._links(file)
        return Known(
            type=file.type or ("daily" if is_periodic_name(file.title) else None),
            created=written,
            verified=_first(standing.verified_at, written),
            base=basis(file.type, file.title, truth=self.scoring.truth),
            frame=self._frame(found, standing, replaced) if used else "current",
            state=standing.state,
            events=events,
            likeness=self._likeness(events),
            linked=linked,
            pinned=standing.pinned,
            frozen=standing.frozen,
            overdue=standing.expired,
            lost=standing.superseded_by is not None or replaced,
            lapse=self._lapse(file),
        )

    def fact(self, found: FactCandidate) -> Known:
        """What is known of a fact, as it holds now."""
        record, standing = found.record, self.held.of(found.record["id"])
        created = said_on(record, found.file)
        checked = _first(standing.verified_at, record.get("verified_at"), created)
        for other in record.get("evidence") or ():
            said = other.get("created_at")
            if said and said <= self.today:
                checked = str(said) if checked is None else max(checked, str(said))
        events = self.uses.get(record["id"], ())
        ended = record.get("valid_to")
        over = ended is not None and str(ended)[:10] < self.today[: len(str(ended)[:10])]
        limit = record.get("expires_at")
        return Known(
            type=record["type"],
            created=created,
            verified=checked,
            base=float(record.get("importance") or basis(record["type"], record["fact"])),
            frame="historical" if over else str(record.get("frame") or "current"),
            state=standing.state,
            events=events,
            likeness=self._likeness(events),
            derived=record.get("origin", "observed") != "observed",
            confidence=float(record.get("confidence", 1.0)),
            pinned=standing.pinned,
            frozen=standing.frozen,
            overdue=standing.expired or (isinstance(limit, str) and limit[:10] < self.today),
            lost=standing.superseded_by is not None,
            lapse=min(
                self._lapse(found.file),
                self.scoring.ended if over and standing.superseded_by is None and self.wanted is not None else 1.0,
            ),
        )

    def _lapse(self, file: FileRow) -> float:
        """What is left of the score of a note, and of its facts, that tells of what ended."""
        found = None if self.wanted is None else ended(file, self.today)
        if found is None or found[0] in (self.wanted or ()):
            return 1.0
        how, declared = found
        if how == "done" and not self.plan:
            return self.scoring.done
        return self.scoring.ended if declared else self.scoring.ended_told

    def _links(self, file: FileRow) -> tuple[int, bool]:
        """(different notes that link here with a type, whether one of them says that it took this one's place)."""
        if not file.inlinks:
            return 0, False
        inward = [step for step in self.channels.graph().steps(file.row) if not step.outward]
        return len({step.other for step in inward if step.type not in _NO_MERIT}), any(
            step.type == "supersedes" for step in inward
        )

    def _frame(self, found: NoteCandidate, standing: Standing, replaced: bool) -> Frame:
        """What time a note tells of: structure before words."""
        file = found.file
        if replaced or standing.superseded_by is not None or standing.state != "active" or file.archived is not None:
            return "historical"
        over = ended(file, self.today)
        if over is not None and over[0] != "done":
            return "historical"
        words = frozenset(query_terms(self.text).words)
        known = [self.pool.passages[label] for label in found.best if label in self.pool.passages]
        passages = known or self.channels.catalog.passages_of(file.row)[:PASSAGES_READ]
        if not passages:
            return text_frame(file.title)
        near = max(passages, key=lambda p: (found.best.get(p.row, 0.0), compose.held(p.text, words), -p.ordinal))
        start, end = compose.best_sentence(near.text, words)
        told = "\n".join([file.title, near.headings.replace(" > ", "\n"), near.text])
        return text_frame(told, near.text[start:end], written=file.date or self.today)

    def _likeness(self, events: Sequence[Event]) -> float:
        """How alike the question is to the nearest one that confirmed this; 1 where one of them is not known."""
        keys = {event.query for event in events if event.kind == "used"} if events else ()
        if not keys or None in keys or self.pool.vector is None:
            return 1.0
        if question_key(self.text).hex() in keys:
            return 1.0
        vectors = self.channels.asked([bytes.fromhex(key) for key in keys if key])
        if len(vectors) < len(keys):
            return 1.0
        return max(float(np.dot(vector, self.pool.vector)) for vector in vectors.values())
