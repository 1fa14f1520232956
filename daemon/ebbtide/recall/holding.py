"""What still holds: which of the things found may answer, and what takes the place of what does not hold any more.

A candidate never answers. What was superseded brings in its successor; what two notes dispute comes with both sides. What
is stale answers questions about the past, what is archived or frozen only who asks for it, by name or by `include`. What is
left out is counted, so that nobody takes silence for absence.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ebbtide.index.catalog import FileRow
from ebbtide.memory.revisions import Standing
from ebbtide.parse.text import fold
from ebbtide.recall.candidates import Channels, FactCandidate, Pool
from ebbtide.recall.rank import Evidence

PLAIN = Standing()
CHAIN = 8
"""Successors followed from one fact: a longer row is a ring."""


@dataclass(slots=True)
class Holding:
    """What a question may be answered with. `standings` are of facts and notes that are not plainly active."""

    query: str = ""
    """The question, folded."""
    include: Collection[str] = ()
    past: bool = False
    """The question is about the past."""
    standings: dict[str, Standing] = field(default_factory=dict)
    hidden: Counter[str] = field(default_factory=Counter)
    put_away: set[int] = field(default_factory=set)
    """File rows that answer only who asks for them: they come last, and give no items."""
    overtaken: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    """File row -> (quote, id of the successor) of facts that were left out as stale: their passages still say it."""

    def of(self, ident: str) -> Standing:
        """Where a record stands."""
        return self.standings.get(ident, PLAIN)


def heed(
    pool: Pool, channels: Channels, query: str, past: bool, include: Collection[str], as_of: str | None = None
) -> Holding:
    """Take out of the pool what does not hold, bring in what took its place. `past`: the question is about the past.

    With `as_of` (ISO day) what was superseded only later still holds.
    """
    held = Holding(fold(query), include, past)
    held.standings = channels.catalog.standings({*pool.facts, *(fact.file.id for fact in pool.facts.values())})
    heed_notes(pool, channels, held, pool.notes)
    for ident in list(pool.facts):
        fact = pool.facts[ident]
        if as_of is not None and _held_then(held.of(ident), channels, as_of):
            held.standings[ident] = PLAIN
        reason = _hides(held.of(ident), past, include) or _put_away(fact.file, held.of(fact.file.id), held)
        if reason is None:
            continue
        del pool.facts[ident]
        if reason in ("stale", "merged"):
            _succeed(pool, channels, held, fact, ident)
        if reason == "stale":
            after = held.of(ident).superseded_by or ""
            held.overtaken.setdefault(fact.file.row, []).append((fact.record["quote"], after))
        if reason != "gone":
            held.hidden[reason] += fact.evidence.matches
    _both_sides(pool, channels, held)
    for ident, fact in pool.facts.items():
        if held.of(ident).fields:
            fact.record = {**fact.record, **held.of(ident).fields}
    return held


def heed_notes(pool: Pool, channels: Channels, held: Holding, rows: Collection[int]) -> None:
    """Note which of these notes are put away."""
    held.standings |= channels.catalog.standings([pool.notes[row].file.id for row in rows])
    for row in rows:
        file = pool.notes[row].file
        reason = _put_away(file, held.of(file.id), held)
        if reason is not None:
            held.put_away.add(row)
            held.hidden[reason] += pool.notes[row].evidence.matches


def _put_away(file: FileRow, standing: Standing, held: Holding) -> str | None:
    include = held.include
    if standing.state == "quarantined" and "quarantined" not in include:
        return "quarantined"
    if standing.frozen and "frozen" not in include:
        return "frozen"
    if standing.state == "stale" and not held.past and "stale" not in include:
        return "merged" if standing.merged_into is not None else "stale"  # what took its place speaks for it
    restored = standing.last is not None and standing.state == "active"
    archived = standing.state == "archived" or (file.archived is not None and not restored)
    named = file.archived is not None and file.archived in held.query
    return "archived" if archived and not named and "archived" not in include else None


def _hides(standing: Standing, past: bool, include: Collection[str]) -> str | None:
    """Why a fact may not answer, or None."""
    if not standing.there:
        return "gone"
    if standing.state == "candidate":
        return "candidate"
    if standing.state in ("archived", "quarantined"):
        return None if standing.state in include else standing.state
    if standing.frozen and "frozen" not in include:
        return "frozen"
    if standing.merged_into is not None:
        return "merged"
    if standing.state == "stale" and not past and "stale" not in include:
        return "stale"
    return None


def _held_then(standing: Standing, channels: Channels, as_of: str) -> bool:
    """Whether something superseded held on a day: what took its place had not begun, or nobody had said so yet."""
    after = standing.superseded_by
    if after is None or not standing.there or standing.state != "stale":
        return False
    known = channels.catalog.facts_by_id([after]).get(after)
    if known is None:
        return False
    record = json.loads(known[2])
    began = record.get("valid_from") or record.get("created_at")
    return isinstance(began, str) and began[:10] > as_of[: len(began[:10])]


def _succeed(pool: Pool, channels: Channels, held: Holding, fact: FactCandidate, ident: str) -> None:
    """What took a fact's place stands where it stood. A merged fact whose other half is gone stands for itself."""
    standing = held.of(ident)
    merged = standing.merged_into is not None
    for _ in range(CHAIN):
        after = standing.superseded_by or standing.merged_into
        if after is None:
            return
        if after in pool.facts:
            _lift(pool.facts[after], fact)
            return
        known = channels.catalog.facts_by_id([after]).get(after)
        if known is None:
            if merged:
                pool.facts[ident] = fact
            return
        standing = channels.catalog.standings([after]).get(after, PLAIN)
        held.standings[after] = standing
        if standing.there and standing.state == "active":
            brought = _candidate(channels, known, held)
            if brought is not None:
                pool.facts[after] = brought
                _lift(brought, fact)
            return


def _lift(successor: FactCandidate, fact: FactCandidate) -> None:
    """A successor is as relevant as what it replaced."""
    mine, theirs = successor.evidence, fact.evidence
    mine.coverage = max(mine.coverage, theirs.coverage)
    if theirs.closeness is not None:
        mine.closeness = max(mine.closeness if mine.closeness is not None else -1.0, theirs.closeness)
    for channel, place in theirs.ranks.items():
        mine.ranks.setdefault(channel, place)


def _both_sides(pool: Pool, channels: Channels, held: Holding) -> None:
    """Neither side of a dispute is shown alone."""
    missing = {
        (other, ident)
        for ident in pool.facts
        for other in held.of(ident).disputes
        if other not in pool.facts and held.of(ident).there
    }
    known = channels.catalog.facts_by_id([other for other, _ in sorted(missing)])
    standings = channels.catalog.standings(known)
    for other, ident in sorted(missing):
        if other not in known or other in pool.facts:
            continue
        standing = standings.get(other, PLAIN)
        if not standing.there or standing.state != "active":
            continue
        brought = _candidate(channels, known[other], held)
        if brought is not None:
            brought.evidence = copy.deepcopy(pool.facts[ident].evidence)
            pool.facts[other] = brought
            held.standings[other] = standing


def _candidate(channels: Channels, known: tuple[int, int, str], held: Holding) -> FactCandidate | None:
    """A fact to bring in; None if its note is gone or put away."""
    label, row, record = known
    file = channels.catalog.files_by_row([row]).get(row)
    if file is None:
        return None
    held.standings |= channels.catalog.standings([file.id])
    away = _put_away(file, held.of(file.id), held)
    return FactCandidate(file, label, json.loads(record), Evidence()) if away is None else None


def counted(hidden: Mapping[str, int], later: int) -> dict[str, int]:
    """What was left out, by state, for an answer."""
    out = {reason: count for reason, count in sorted(hidden.items()) if count and reason != "merged"}
    return out | ({"later": later} if later else {})


def behind(rows: Sequence[int], put_away: Collection[int]) -> list[int]:
    """The notes in order, with what is put away behind all others."""
    return [row for row in rows if row not in put_away] + [row for row in rows if row in put_away]
