"""All suites: what each is made of, and one that is run by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from . import gate, plans, routing, warmth
from .running import Arm, Figure, Stand, opened


@dataclass(frozen=True, slots=True)
class Suite:
    """`make(count)` gives the cases, each with `notes`; `score` asks them of an opened vault."""

    make: Callable[[int], Sequence[Any]]
    score: Callable[[Stand, Sequence[Any], Arm], list[Figure]]
    whole: int
    small: int


def _plans(mode: plans.Mode) -> Suite:
    return Suite(
        lambda count: plans.groups(mode, count),
        lambda stand, told, arm: plans.run(stand, told, arm, mode),
        plans.WHOLE,
        16,
    )


SUITES: Final[Mapping[str, Suite]] = {
    "gate": Suite(gate.episodes, gate.run, gate.WHOLE, 20),
    "plans-properties": _plans("properties"),
    "plans-words": _plans("words"),
    "routing": Suite(routing.matters, routing.run, routing.WHOLE, 36),
    "warmth": Suite(warmth.histories, warmth.run, warmth.WHOLE, 30),
}


def sat(name: str, base: Path, arms: Sequence[Arm], *, small: bool = False) -> dict[Arm, list[Figure]]:
    """The figures of a suite by arm. `base`: where its vault and indexes are made; vectors that lie there are used again."""
    suite = SUITES[name]
    told = suite.make(suite.small if small else suite.whole)
    notes = {path: text for case in told for path, text in case.notes.items()}
    with opened(base, notes) as stand:
        return {arm: suite.score(stand, told, arm) for arm in arms}
