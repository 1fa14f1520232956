"""How warm a memory is, and what confirmed use earns it. Pure; algorithms.md B.1 and B.4, formats.md 8.

Three clocks are kept apart, and only the first is read here: when a memory was used (temperature, reward), when it was last
checked to be true (freshness, `importance`), and from when to when it is true (what may answer at all). Being shown is no
event, nor is what a machine writes. Days are local days as ISO text; of one day at most one event counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final, Literal

Kind = Literal["used", "wrong", "opened", "edited", "linked"]
Word = Literal["hot", "warm", "cool", "frozen"]

WEIGHTS: Final[Mapping[str, float]] = {"used": 1.0, "edited": 1.0, "opened": 0.5, "linked": 0.5}
"""What a day with such an event counts; what is not named (shown, wrong) warms nothing."""
CONFIRMED: Final[Mapping[str, int]] = {"used": 1, "wrong": -1}
"""Days of confirmed use: one that was called wrong takes a day away."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something a person did with a memory on a local day (YYYY-MM-DD). `query`: hash of the question it answered, if known."""

    day: str
    kind: str = "used"
    query: str | None = None


def _types() -> dict[str, float]:
    return {
        "working": 0.15,
        "note": 1.0,
        "episodic": 1.0,
        "fact": 1.5,
        "preference": 3.0,
        "decision": 3.0,
        "procedural": 4.0,
        "principle": 6.0,
    }


@dataclass(frozen=True, slots=True)
class Heat:
    """The constants; config section `heat`. Days, shares, and factors of the half-life by kind of memory."""

    form: str = "curve"
    """curve, or bands: 7 and 30 days, or half an access a day, weigh 1.0, 0.7 and 0.3."""
    half_life: float = 14.0
    gain: float = 0.6
    most: float = 4.0
    """A memory used often cools at most so many times as slowly."""
    types: Mapping[str, float] = field(default_factory=_types)
    hot: float = 0.70
    warm: float = 0.22
    least: float = 0.3
    """Weight of what is stone cold: heat orders, it never hides."""
    unknown: float = 0.22
    """Temperature of what has neither a date nor an event: just warm."""
    reward: float = 0.08
    reward_days: float = 14.0
    reward_uses: float = 3.0
    reward_reach: float = 0.15
    """Only what is at most this much less relevant than the best is rewarded."""
    unlike: float = 0.3
    """Share of the reward that is left where the question resembles none it was confirmed for."""
    gate: bool = True


DEFAULT: Final = Heat()
BANDS: Final[tuple[tuple[float, Word, float], ...]] = ((7, "hot", 1.0), (30, "warm", 0.7), (math.inf, "cool", 0.3))
OFTEN: Final = 0.5
"""Accesses a day over the last 30 that keep a memory hot in bands."""

KIND_OF: Final[Mapping[str, str]] = {
    "decision": "decision", "preference": "preference", "procedure": "procedural", "lesson": "procedural",
    "constraint": "fact", "metric": "fact", "definition": "fact", "relation": "fact",
    "state": "note", "plan": "note",
    "event": "episodic", "episodic": "episodic", "sprint": "episodic", "roundtable": "episodic", "debug": "episodic",
    "experiment": "episodic", "incident": "episodic", "meeting": "episodic", "daily": "episodic", "journal": "episodic",
    "conversation": "episodic",
    "principle": "principle", "model": "principle", "pattern": "principle", "rule": "principle",
    "procedural": "procedural", "how-to": "procedural", "howto": "procedural", "runbook": "procedural",
    "working": "working", "user": "preference", "feedback": "preference", "reference": "fact",
}  # fmt: skip
"""Type of a fact or note -> what it cools like; what is not named is a note. A state or plan lives for weeks (its time
limit), so it is no working memory."""
STANDING: Final = frozenset(["decision", "preference", "procedural", "principle"])
"""What is in force until it is replaced: that nobody needed it for long says nothing against it."""
TIMELESS: Final = frozenset(["episodic"])
"""What tells of one day. It stays as true as it was, and how long ago it was says nothing of its worth: only use warms it."""


def kind_of(type_: str | None) -> str:
    """What a memory of this type cools like."""
    return KIND_OF.get(type_ or "", "note")


@lru_cache(maxsize=4096)
def days_between(earlier: str | None, later: str) -> float | None:
    """Days from a date to a day, at least 0; None without a readable date. A month counts from its middle, a year from July."""
    if not earlier:
        return None
    text = earlier[:10]
    text = {7: f"{text}-15", 4: f"{text}-07-01"}.get(len(text), text)
    try:
        return float(max(0, (date.fromisoformat(later[:10]) - date.fromisoformat(text)).days))
    except ValueError:
        return None


def until(events: Iterable[Event], today: str) -> list[Event]:
    """The events up to a day."""
    return [event for event in events if event.day <= today]


def temperature(
    events: Iterable[Event], created: str | None, type_: str | None, today: str, heat: Heat = DEFAULT
) -> float:
    """T in [0, 1]: 2^(-days since the last event / half-life). The half-life grows with days of use, never with many on one.

    Creation is an event, too, but no use; of what tells of one day it is none. Without a date it is
    at least `heat.unknown`: a use long ago must not count against a memory.
    """
    kind = kind_of(type_)
    days = _weights(events, today)
    born = None if kind in TIMELESS else days_between(created, today)
    life = heat.half_life * heat.types.get(kind, 1.0)
    if not days:  # nearly all of a vault, and every candidate of a question comes through here
        return heat.unknown if born is None else math.exp2(-born / life)
    idle = [gap for gap in (*(days_between(day, today) for day in days), born) if gap is not None]
    if not idle:
        return heat.unknown
    life *= min(heat.most, 1.0 + heat.gain * math.log1p(sum(days.values())))
    return max(math.exp2(-min(idle) / life), heat.unknown if born is None else 0.0)


def _weights(events: Iterable[Event], today: str) -> dict[str, float]:
    days: dict[str, float] = {}
    for event in events:
        if event.day > today:
            continue
        weight = WEIGHTS.get(event.kind, 0.0)
        if weight > 0:
            days[event.day] = max(days.get(event.day, 0.0), weight)
    return days


@dataclass(slots=True)
class Warmth:
    """A temperature in [0, 1], the word for it, and its weight W in the score. Never changed once made: every candidate of a
    question has one, and frozen ones take three times as long to make."""

    value: float
    word: Word
    weight: float


def warmth(
    events: Iterable[Event],
    created: str | None,
    type_: str | None,
    today: str,
    heat: Heat = DEFAULT,
    *,
    frozen: bool = False,
) -> Warmth:
    """How warm a memory is. Frozen is a state, never a number: what is asked for although frozen weighs as the coolest."""
    listed = list(events)
    created = None if kind_of(type_) in TIMELESS else created
    value = temperature(listed, created, type_, today, heat)
    if frozen:
        return Warmth(value, "frozen", heat.least)
    if heat.form == "bands":
        word, weight = _band(listed, created, today)
        return Warmth(value, word, weight)
    band: Word = "hot" if value >= heat.hot else "warm" if value >= heat.warm else "cool"
    return Warmth(value, band, min(1.0, heat.least + value))


def _band(events: list[Event], created: str | None, today: str) -> tuple[Word, float]:
    gaps = [gap for day in _weights(events, today) if (gap := days_between(day, today)) is not None]
    born = days_between(created, today)
    idle = min([*gaps, 30.0 if born is None else born])
    if sum(gap < 30 for gap in gaps) / 30 >= OFTEN:
        idle = 0.0
    return next(((word, weight) for upto, word, weight in BANDS if idle <= upto), ("cool", 0.3))


def reward(events: Iterable[Event], today: str, likeness: float = 1.0, heat: Heat = DEFAULT) -> float:
    """B before gate and reach, in [0, heat.reward]: half for recent use, half for use on many days, saturating.

    `likeness` in [0, 1] is how alike the present question is to the nearest one it was confirmed for.
    """
    days: dict[str, int] = {}
    for event in until(events, today):
        count = CONFIRMED.get(event.kind, 0)
        if count:
            days[event.day] = count if days.get(event.day, count) == count else 0
    uses, last = sum(days.values()), max((day for day, count in days.items() if count > 0), default=None)
    idle = days_between(last, today)
    if uses <= 0 or idle is None:
        return 0.0
    recent, many = math.exp2(-idle / heat.reward_days), 1.0 - math.exp(-uses / heat.reward_uses)
    return heat.reward * (0.5 * recent + 0.5 * many) * max(heat.unlike, min(1.0, likeness))


def unused(events: Iterable[Event]) -> list[Event]:
    """The events without confirmed uses: what a closed gate leaves of them."""
    return [event for event in events if event.kind not in CONFIRMED]


def open_gate(frame: str, query_frame: str, state: str, *, lost: bool = False) -> bool:
    """False where the reward is withdrawn: the memory tells of the past and the question does not ask about it, it is not
    active, or it lost a conflict."""
    past = frame == "historical" and query_frame != "historical"
    return not past and state == "active" and not lost
