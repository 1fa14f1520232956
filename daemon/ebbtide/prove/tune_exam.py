"""Settings tried on the user's own exam: which questions go right with them, and a small search on one half of the questions.

The halves are made by question, not by chance: by kind, in the order of a hash. One half is searched on, the other judges. A
question counts as right only if something is shown where something is to be found: else silence would always win.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ebbtide.config import Config
from ebbtide.prove import stats
from ebbtide.prove.questions import KINDS, Asked
from ebbtide.prove.sitting import Sitting
from ebbtide.prove.tune_file import range_of, value_of, with_values
from ebbtide.recall.engine import Engine
from ebbtide.recall.settings import recall_settings
from ebbtide.runtime import Runtime

Say = Callable[[int, int], None]
Values = Mapping[str, float]

LEAST: Final = 20
"""Questions below which nothing is fitted to them."""
MOST: Final = 400
"""Questions that are asked for it; each is asked some dozens of times."""
STEPS: Final[Mapping[str, tuple[float, ...]]] = {
    "heat.freshness": (-0.1, -0.05, 0.05, 0.1),
    "heat.importance": (-0.1, -0.05, 0.05, 0.1),
    "heat.mix": (-0.2, -0.1, 0.1, 0.2),
    "recall.abstain": (-0.05, -0.025, 0.025, 0.05),
    "recall.certain": (-0.04, -0.02, 0.02, 0.04),
}
"""What is searched, and how far one step goes."""
ROUNDS: Final = 2


@dataclass(frozen=True, slots=True)
class Compared:
    """The same questions with two sets of settings: how many went right, and how many turned either way."""

    n: int
    before: int
    after: int
    gained: int
    lost: int

    @property
    def p(self) -> float:
        """McNemar's exact two-sided p."""
        return stats.mcnemar(self.gained, self.lost)

    @property
    def verdict(self) -> stats.Comparison:
        """In words: what moved counts only where chance would rarely move as much."""
        return stats.compared(self.gained, self.lost, self.p)


def compared(before: Mapping[str, bool], after: Mapping[str, bool], keys: Sequence[str]) -> Compared:
    """Over these questions; both know all of them."""
    gained = sum(after[key] and not before[key] for key in keys)
    lost = sum(before[key] and not after[key] for key in keys)
    right = sum(before[key] for key in keys)
    return Compared(len(keys), right, right + gained - lost, gained, lost)


def halves(asked: Sequence[Asked]) -> tuple[list[Asked], list[Asked]]:
    """(to fit, to judge), at most `MOST` together: of each kind every other question, in the order of a hash."""
    first: list[Asked] = []
    second: list[Asked] = []
    chosen = sorted(asked, key=_place)[:MOST]
    for kind in KINDS:
        for number, one in enumerate(one for one in chosen if one.kind == kind):
            (first if number % 2 == 0 else second).append(one)
    return first, second


def _place(asked: Asked) -> tuple[str, str]:
    return hashlib.blake2b(name_of(asked).encode("utf-8", "replace"), digest_size=8).hexdigest(), asked.id


def name_of(asked: Asked) -> str:
    """What a question is known by here."""
    return f"{asked.id}:{asked.key}"


@dataclass(slots=True)
class Replay:
    """Asks questions with other settings. The vault is only read and no use is recorded; an answer is asked for once."""

    runtime: Runtime
    say: Say = lambda *_: None
    asked: int = 0
    _sitting: Sitting = field(init=False)
    _known: dict[tuple[str, tuple[tuple[str, float], ...]], bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Questions stand where the exam finds them."""
        self._sitting = Sitting(self.runtime)

    def right(self, questions: Sequence[Asked], values: Values) -> dict[str, bool]:
        """By question, whether it goes right; those whose gold is not there are left out."""
        engine: Engine | None = None
        kept = tuple(sorted(values.items()))
        out: dict[str, bool] = {}
        for asked in questions:
            key = (name_of(asked), kept)
            if key not in self._known:
                if engine is None:
                    engine = self._engine(values)
                self._known[key] = self._sitting.goes_right(asked, engine)
                self.asked += 1
                self.say(self.asked, 0)
            found = self._known[key]
            if found is not None:
                out[name_of(asked)] = found
        return out

    def _engine(self, values: Values) -> Engine:
        config = with_values(self.runtime.config, values)
        return Engine(self.runtime.store, self.runtime.engine.channels, recall_settings(config))

    def search(self, questions: Sequence[Asked], base: Values) -> dict[str, float]:
        """The values, beside those of `base`, with which most of these questions go right; none if none is better.

        One setting at a time, the best step of each; a step that brings nothing is not taken, the shorter one of equals is.
        """
        found: dict[str, float] = {}
        best = sum(self.right(questions, base).values())
        for _ in range(ROUNDS):
            before = best
            for key in STEPS:
                for value in _around(self.runtime.config, key, found):
                    if best == len(questions):
                        return found
                    right = sum(self.right(questions, {**base, **found, key: value}).values())
                    if right > best:
                        best, step = right, value
                        found = {**found, key: step}
            if best == before:
                break
        return found


def _around(config: Config, key: str, found: Values) -> list[float]:
    """The steps from where a setting stands, the shorter ones first, within its range."""
    low, high = range_of(key)
    now = found.get(key, value_of(config, key))
    steps = sorted(STEPS[key], key=lambda step: (abs(step), step))
    return list(dict.fromkeys(min(high, max(low, round(now + step, 4))) for step in steps))


def row(part: str, found: Compared) -> dict[str, Any]:
    """As the report has it: both shares with their 95 % intervals."""

    def share(right: int) -> dict[str, Any]:
        low, high = stats.wilson(right, found.n)
        return {"k": right, "value": round(right / found.n, 4), "low": round(low, 4), "high": round(high, 4)}

    return {
        "part": part,
        "n": found.n,
        "before": share(found.before),
        "after": share(found.after),
        "gained": found.gained,
        "lost": found.lost,
        "p": round(found.p, 4),
        "verdict": found.verdict,
    }
