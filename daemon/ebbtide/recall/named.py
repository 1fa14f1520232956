"""What a question names outright: days and years, and things by an exact name. Both lift what fits; neither hides the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ebbtide.parse.periods import Period
from ebbtide.parse.text import fold
from ebbtide.recall.candidates import Channels, NoteCandidate, Pool, folder
from ebbtide.recall.rank import Weights
from ebbtide.recall.route import Route
from ebbtide.recall.weighing import PASSAGES_READ

LOOKED_AT = 50
"""Notes whose passages are read for years where there are no vectors to tell which passage is near."""
HOLDERS = 5
"""An identifier that more notes hold than this names none of them."""
THIRD = 2
"""Index of the place that the other language may take."""
HALF = 0.5
"""Share of the score of what stands there that it must reach."""
_SHARES = ((8, 1.0), (31, 0.6))
"""Days of a period (at most) -> share of the lift for being dated in it; a longer one gives `_LONG`."""
_LONG = 0.3
_DAY_SAID = 0.3
"""Share of the lift for stating the year where a day was asked for."""


def lift_timely(
    periods: Sequence[Period],
    pool: Pool,
    channels: Channels,
    weights: Weights,
    notes: dict[int, float],
    facts: dict[str, float],
) -> set[int]:
    """Lift what is dated in the periods, held in them, or states their years. Returns the notes dated in one of them."""
    dated: set[int] = set()
    if not periods:
        return dated
    read: frozenset[int] = frozenset()
    if pool.vector is None:
        read = frozenset(sorted(notes, key=lambda row: (-notes[row], pool.notes[row].file.path))[:LOOKED_AT])
    for row, relevance in notes.items():
        note = pool.notes[row]
        share = _dated(periods, note.file.date)
        if share:
            dated.add(row)
            note.evidence.ranks.setdefault("date", (len(dated), 1.0))
        told = _told(periods, _texts(note, pool, channels, row in read))
        lifted = relevance + weights.period_date * share + weights.period_text * told
        if share == 1.0 and (note.evidence.coverage > 0 or (note.evidence.closeness or 0.0) > 0):
            lifted = max(lifted, weights.period_floor)
            pool.timely.add(row)
        notes[row] = lifted
    for ident in facts:
        fact = pool.facts[ident]
        record = fact.record
        share = max(_dated(periods, day) for day in (record.get("created_at"), fact.file.date))
        held = max(
            (_share(p) for p in periods if p.meets(record.get("valid_from"), record.get("valid_to"))), default=0.0
        )
        if share or held:
            fact.evidence.ranks.setdefault("date", (1, 1.0))
        facts[ident] += weights.period_date * max(share, held)
        facts[ident] += weights.period_text * _told(periods, [f"{record['fact']}\n{record['quote']}"])
    return dated


def _share(period: Period) -> float:
    return next((share for days, share in _SHARES if period.days <= days), _LONG)


def _dated(periods: Iterable[Period], day: str | None) -> float:
    return max((_share(period) for period in periods if period.holds(day)), default=0.0)


def _told(periods: Iterable[Period], texts: Sequence[str]) -> float:
    return max(
        (
            period.stated(text) * (_DAY_SAID if period.precision == "day" else 1.0)
            for period in periods
            for text in texts
        ),
        default=0.0,
    )


def _texts(note: NoteCandidate, pool: Pool, channels: Channels, read: bool) -> list[str]:
    """The passage of a note that is nearest to the question; without one all of the first ones, as one text, if they are to
    be read."""
    label = note.nearest
    if label is not None:
        return [pool.passages[label].text]
    if not read:
        return []
    return ["\n".join(passage.text for passage in channels.catalog.passages_of(note.file.row)[:PASSAGES_READ])]


def lift_exact(
    way: Route,
    pool: Pool,
    channels: Channels,
    scope: str | None,
    weights: Weights,
    notes: dict[int, float],
    facts: dict[str, float],
) -> None:
    """What is named by its id, its title, or an identifier that few notes hold is relevant, whatever the channels say."""
    if way.ident in facts:
        facts[way.ident] = max(facts[way.ident], weights.exact)
    plain = fold(way.text)
    for row in notes:
        file = pool.notes[row].file
        if file.id == way.ident or fold(file.title) == plain or fold(file.path) == plain:
            _raise(row, pool, weights, notes)
    for name in way.names:
        _lift_identifier(name, pool, channels, folder(scope), weights, notes, facts)


def _lift_identifier(
    name: str,
    pool: Pool,
    channels: Channels,
    within: str | None,
    weights: Weights,
    notes: dict[int, float],
    facts: dict[str, float],
) -> None:
    found = channels.notes.search(name, HOLDERS + 1, within)
    wanted = fold(name)
    files = channels.catalog.files_by_id([hit.key for hit in found.hits])
    holders: dict[int, bool] = {}
    for file in files.values():
        if file.status == "indexed":
            passages = channels.catalog.passages_of(file.row)[:PASSAGES_READ]
            holders[file.row] = wanted in fold(file.title) or any(wanted in fold(p.text) for p in passages)
    rows = [row for row, holds in holders.items() if holds]
    if not rows or len(rows) > HOLDERS:
        return
    for file in files.values():
        if file.row in rows and file.row in notes:
            _raise(file.row, pool, weights, notes)
    for ident, relevance in facts.items():
        fact = pool.facts[ident]
        if fact.file.row in rows and wanted in fold(f"{fact.record['fact']}\n{fact.record['quote']}"):
            fact.evidence.ranks.setdefault("exact", (1, 1.0))
            facts[ident] = max(relevance, weights.exact)


def _raise(row: int, pool: Pool, weights: Weights, notes: dict[int, float]) -> None:
    pool.notes[row].evidence.ranks.setdefault("exact", (1, 1.0))
    notes[row] = max(notes[row], weights.exact)


def further(order: Sequence[int], pool: Pool, scores: Mapping[int, float], weights: Weights) -> list[int]:
    """The order with meaning counted twice from the fourth place on.

    The first places go to what is most surely right. Who reads on wants what else bears on the question, and there keywords,
    which find the same words again, are of less help than closeness.
    """
    if pool.vector is None:
        return list(order)

    def value(row: int) -> float:
        return scores[row] + weights.further * max(0.0, pool.notes[row].evidence.closeness or 0.0)

    rest = sorted(order[THIRD + 1 :], key=lambda row: (-round(value(row), 9), pool.notes[row].file.path))
    return [*order[: THIRD + 1], *rest]


def other_language(
    way: Route,
    pool: Pool,
    order: Sequence[int],
    scores: dict[int, float],
    weights: Weights,
    apart: Collection[int],
    dated: Collection[int],
) -> list[int]:
    """The order with one of the first three places for the note in the other language that is closest in meaning.

    Words cannot be shared across languages, so keywords always speak for one's own; closeness does not. The note takes the
    third place if it is about as close as any in the question's language and at least half as good as what stood there;
    `scores` is raised to match. Notes `apart` are passed over; where the question names a period, so are those not in it.
    """
    if pool.vector is None or len(order) <= THIRD or weights.other_language < 0:
        return list(order)
    own, other = -1.0, None
    for row in order:
        note = pool.notes[row]
        label = note.nearest
        if label is None or row in apart:
            continue
        close = note.best[label]
        if pool.passages[label].lang == way.lang:
            own = max(own, close)
        elif (not dated or row in dated) and (other is None or close > other[1]):
            other = row, close
    if other is None or other[1] < own - weights.other_language or order.index(other[0]) <= THIRD:
        return list(order)
    row, beaten = other[0], order[THIRD]
    if scores[row] < HALF * scores[beaten]:
        return list(order)
    pool.notes[row].evidence.ranks.setdefault("language", (THIRD + 1, round(other[1], 4)))
    scores[row] = scores[beaten]
    rest = [known for known in order if known != row]
    return [*rest[:THIRD], row, *rest[THIRD:]]
