"""How long ago a memory was checked to be true, and how much hangs on it. Pure; algorithms.md B.2.

Freshness is read from verification (a re-check, new agreeing evidence, else the day the claim was made); use never refreshes
it. Importance is a prior by type with what raises or lowers it, never scaled within a question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ebbtide.memory.heat import TIMELESS, days_between, kind_of

PRIORS: Final[Mapping[str, float]] = {
    "decision": 7.0, "procedure": 7.0, "procedural": 7.0, "principle": 7.0, "rule": 7.0, "how-to": 7.0, "runbook": 7.0,
    "preference": 6.0, "lesson": 6.0, "feedback": 6.0, "pattern": 6.0, "model": 6.0,
    "metric": 4.0, "state": 2.0, "working": 2.0,
}  # fmt: skip
"""Importance by type of a fact or note, 1 to 10; a plain fact, and what is not named, is 5."""
PLAIN: Final = 5.0
BINDING: Final = re.compile(
    r"必须|禁止|红线|严禁|不得|务必|绝不|\bmust\b|\bnever\b|\bforbidden\b|\bmandatory\b", re.IGNORECASE
)
"""Words that bind."""


def _slower() -> dict[str, float]:
    return {"principle": 0.25, "procedural": 0.5, "decision": 0.5}


@dataclass(frozen=True, slots=True)
class Truth:
    """The constants of freshness and importance; config section `heat`. Days, and factors of the age by kind of memory."""

    days: float = 84.0
    power: float = 1.8
    floor: float = 0.25
    slower: Mapping[str, float] = field(default_factory=_slower)
    overdue: float = 0.3
    """Freshness at most, once its time limit has passed."""
    unknown: float = 0.6
    """Freshness of what has no date at all: as if checked 90 days ago. Neither rewarded nor punished for it."""
    binding: float = 2.0
    lesson: float = 1.0
    links: float = 0.5
    links_most: float = 1.5
    months: int = 3
    cited: float = 1.0
    doubtful: float = 2.0
    """Taken off what was concluded with a confidence below 0.5."""


DEFAULT: Final = Truth()


def freshness(
    verified: str | None, type_: str | None, today: str, *, overdue: bool = False, truth: Truth = DEFAULT
) -> float:
    """F in [floor, 1]: 0.90, 0.60 and 0.30 at 30, 90 and 365 days; principles age at a quarter, decisions and procedures at
    half the pace, and what tells of one day does not age. `verified`: the day it was last known to be true."""
    age = None if kind_of(type_) in TIMELESS else days_between(verified, today)
    if age is None:
        fresh = truth.unknown
    else:
        age *= truth.slower.get(kind_of(type_), 1.0)
        fresh = truth.floor + (1.0 - truth.floor) / (1.0 + (age / truth.days) ** truth.power)
    return min(fresh, truth.overdue) if overdue else fresh


def basis(type_: str | None, text: str = "", *, failed: bool = False, truth: Truth = DEFAULT) -> float:
    """Importance, 1 to 10, by what a memory itself says: its type, words that bind, a failure with its lesson."""
    found = PRIORS.get(type_ or "", PLAIN)
    found += truth.binding if BINDING.search(text) else 0.0
    return min(10.0, found + (truth.lesson if failed else 0.0))


def importance(
    base: float,
    *,
    linked: int = 0,
    months: int = 0,
    derived: bool = False,
    confidence: float = 1.0,
    pinned: bool = False,
    truth: Truth = DEFAULT,
) -> float:
    """I in [0, 1] from an importance of 1 to 10 and what became of the memory since.

    `linked`: different notes that link to it with a type; `months`: distinct months in which an answer with it was confirmed.
    """
    if pinned:
        return 1.0
    found = base + min(truth.links_most, truth.links * math.log2(1.0 + max(0, linked)))
    found += truth.cited if months >= truth.months else 0.0
    found -= truth.doubtful if derived and confidence < 0.5 else 0.0
    return (min(10.0, max(1.0, found)) - 1.0) / 9.0
