"""The settings of the night: what it looks at and what it catches. The constants of sleep.salience and sleep.markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ebbtide.config_key import key, rank, table


@dataclass(frozen=True, slots=True)
class Sleep:
    """Which notes of the last days are worth thinking over at night."""

    nightly: bool = rank(True, "have a night every night, in the hours of extract.night, once there is rest")
    battery: float = rank(30.0, "percent of battery below which no night begins unless plugged in", 0, 100)
    window_days: int = rank(7, "days of notes that a night looks at", 1, 90)
    history_days: int = rank(90, "days of notes that novelty and metrics are measured against", 7, 3650)
    habit_days: int = rank(30, "days of notes that say how often this writer uses words of insight", 7, 3650)
    least: int = rank(3, "candidates a night takes at least, where there are so many", 0, 100)
    most: int = rank(20, "candidates a night takes at most", 1, 200)
    threshold: float = rank(0.5, "salience from which a note is taken")
    revision: float = rank(0.8, "salience, at least, of what changes a core memory or an earlier statement")
    weights: Mapping[str, float] = table(
        {"nov": 0.30, "ins": 0.30, "chg": 0.20, "lnk": 0.20},
        "weight of novelty, insight, change of a metric and ties to the core in salience",
        0,
        1,
        vault=True,
    )
    checkup: int = rank(500, "facts, and core memories, that a night reads again in turn", 1, 100_000)
    now_days: int = rank(90, "days after which `now` without a date is asked about", 1, 3650)
    quarantine: bool = rank(
        True, "set facts aside that only a clipping or a machine states, until a person clears them"
    )
    past: int = rank(20, "notes of the past below which fixed cut-offs stand in for the writer's own habit", 2, 1000)
    quotes: int = rank(5, "sentences that a candidate is shown with, at most", 1, 20)
    markers: tuple[str, ...] = key(
        (), "words of insight beside the built-in ones, e.g. `it dawned on me`, `恍然`", vault=True, adds=True
    )
