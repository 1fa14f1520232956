"""Warmth fitted to what was used: the half-life, what use adds to it, and the bands. Pure; algorithms.md B.1.

A history is cut into weeks. Each asks the same: was this memory used within the next seven days? Its temperature at the start of
the week answers with a rate (`Rate`), and log-loss says how well. What is fitted to the earlier weeks is judged on the later
ones, week against week, with an interval over memories, since the weeks of one memory are alike. The same histories give the
same values: there is no chance in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import numpy as np

from ebbtide.memory.heat import WEIGHTS, Event, Heat, kind_of
from ebbtide.prove.stats import Z95

WEEK: Final = 7
MOST_WEEKS: Final = 50_000
"""Weeks that are looked at, the latest; more would only take longer."""
EARLIER: Final = 0.6
"""Share of the weeks with a use that is fitted to; the rest, later in time, judges."""
FEW_MEMORIES, FEW_USES = 20, 20
"""With fewer memories, or fewer weeks with a use, in either part nothing is fitted."""
HALF_LIFE, GAIN = (2.0, 365.0), (0.0, 3.0)
"""What is searched; wider where the value in force lies outside."""
WORTH: Final = 0.005
"""Share of the log-loss that a change must save: with many weeks even what helps nobody is no noise."""
_RATIOS: Final = (0.5, 0.67, 0.8, 0.9, 0.95, 1.05, 1.11, 1.25, 1.5, 2.0)
_STEPS: Final = (-0.4, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.4)
_ROUNDS: Final = 12
_LEAST_RATE: Final = 1e-6
_EM_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class History:
    """A memory and its events. `group` joins what is used together: a fact and its note. `created`: a day, or None."""

    group: str
    type: str | None
    dated: bool
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Weeks:
    """Columns, a row a week: days since the last event, day-weights of use so far, the factor of its kind, whether it has a
    date, whether it was used within the week, the week's first day (ordinal), and the number of its group."""

    idle: np.ndarray
    uses: np.ndarray
    factor: np.ndarray
    dated: np.ndarray
    used: np.ndarray
    start: np.ndarray
    group: np.ndarray

    def where(self, rows: np.ndarray) -> Weeks:
        """Some of the rows."""
        return Weeks(*(getattr(self, name)[rows] for name in Weeks.__slots__))

    def __len__(self) -> int:
        return len(self.idle)


@dataclass(frozen=True, slots=True)
class Rate:
    """The chance of a use within a week is 1 - e^-(base + slope * T): some use comes anyhow, the rest with warmth."""

    base: float
    slope: float

    def chance(self, warm: np.ndarray) -> np.ndarray:
        """The chance for each temperature."""
        return np.asarray(-np.expm1(-np.maximum(self.base + self.slope * warm, _LEAST_RATE)))


@dataclass(frozen=True, slots=True)
class Trial:
    """Values in force against fitted ones on the later weeks: mean log-loss a week of each, and the 95 % interval of their
    difference (below 0: the fitted ones are better)."""

    before: float
    after: float
    low: float
    high: float
    weeks: int
    used: int
    memories: int

    @property
    def better(self) -> bool:
        """True if the difference is more than noise, and more than a trifle."""
        return self.high < 0.0 and self.before - self.after >= WORTH * self.before


# --- the weeks --------------------------------------------------------------------------------------------------------


def weeks_of(histories: Sequence[History], today: str, heat: Heat) -> Weeks:
    """The weeks of memories from their first event on, in order of memories, then time. A week that is not over before
    `today` is left out."""
    end = date.fromisoformat(today[:10]).toordinal()
    groups = {name: number for number, name in enumerate(sorted({history.group for history in histories}))}
    rows: list[tuple[float, float, float, bool, bool, int, int]] = []
    for history in histories:
        rows += _rows(history, end, heat.types.get(kind_of(history.type), 1.0), groups[history.group])
    rows.sort(key=lambda row: -row[5])
    rows = sorted(rows[:MOST_WEEKS], key=lambda row: (row[5], row[6]))
    columns = list(zip(*rows, strict=True)) or [()] * len(Weeks.__slots__)
    kinds = (float, float, float, bool, bool, np.int64, np.int64)
    return Weeks(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


def _rows(
    history: History, end: int, factor: float, group: int
) -> list[tuple[float, float, float, bool, bool, int, int]]:
    weights: dict[int, float] = {}
    used: set[int] = set()
    for event in history.events:
        day = _ordinal(event.day)
        weight = WEIGHTS.get(event.kind, 0.0)
        if day is None or day > end or weight <= 0:
            continue
        weights[day] = max(weights.get(day, 0.0), weight)
        if event.kind == "used":
            used.add(day)
    days = sorted(weights)
    out = []
    at, total = 0, 0.0
    for start in range(days[0] if days else end, end - WEEK, WEEK):
        while at < len(days) and days[at] <= start:
            total += weights[days[at]]
            at += 1
        hit = any(day in used for day in range(start + 1, start + WEEK + 1))
        out.append((float(start - days[at - 1]), total, factor, history.dated, hit, start, group))
    return out


def _ordinal(day: str) -> int | None:
    try:
        return date.fromisoformat(day[:10]).toordinal()
    except ValueError:
        return None


def parted(weeks: Weeks) -> tuple[Weeks, Weeks, int] | None:
    """(earlier, later, the day between, ordinal); None where either part has too little to fit or judge by.

    No week of the earlier part reaches beyond the first day of the later one.
    """
    ends = np.sort(weeks.start[weeks.used]) + WEEK
    if len(ends) < 2 * FEW_USES:
        return None
    split = int(ends[int(len(ends) * EARLIER)])
    earlier, later = weeks.where(weeks.start + WEEK <= split), weeks.where(weeks.start >= split)
    for part in (earlier, later):
        if part.used.sum() < FEW_USES or len(np.unique(part.group)) < FEW_MEMORIES:
            return None
    return earlier, later, split


# --- temperature and rate ---------------------------------------------------------------------------------------------


def temperatures(weeks: Weeks, heat: Heat) -> np.ndarray:
    """`memory.heat.temperature` for every week's first day."""
    life = heat.half_life * weeks.factor * np.minimum(heat.most, 1.0 + heat.gain * np.log1p(weeks.uses))
    return np.asarray(np.maximum(np.exp2(-weeks.idle / life), np.where(weeks.dated, 0.0, heat.unknown)))


def rate_of(warm: np.ndarray, used: np.ndarray) -> Rate:
    """The likeliest rate. Two sources of uses, one of them in step with warmth; expectation and maximum in turn."""
    count, total, hits = len(warm), float(warm.sum()), warm[used]
    base = slope = max(_LEAST_RATE, float(used.mean()) / 2)
    if total <= 0:
        return Rate(-math.log(1.0 - min(float(used.mean()), 1.0 - 1e-9)), 0.0)
    for _ in range(_EM_STEPS):
        rate = np.maximum(base + slope * hits, _LEAST_RATE)
        expected = 1.0 / -np.expm1(-rate)
        new_base = float((base * expected).sum()) / count
        new_slope = float((slope * hits * expected).sum()) / total
        settled = abs(new_base - base) + abs(new_slope - slope) < 1e-9
        base, slope = new_base, new_slope
        if settled:
            break
    return Rate(base, slope)


def losses(chance: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The log-loss of each week, in nats."""
    held = np.clip(chance, _LEAST_RATE, 1.0 - _LEAST_RATE)
    return np.asarray(-np.where(used, np.log(held), np.log1p(-held)))


# --- the half-life and what use adds to it ----------------------------------------------------------------------------


def fit_life(earlier: Weeks, now: Heat) -> Heat:
    """The half-life and gain that explain the earlier weeks best; steps from the values in force, the best one each time.

    A mild prior holds to what is in force, so that a handful of uses moves nothing far.
    """
    low, high = min(HALF_LIFE[0], now.half_life), max(HALF_LIFE[1], now.half_life)
    least, most = min(GAIN[0], now.gain), max(GAIN[1], now.gain)
    known: dict[tuple[float, float], float] = {}

    def cost(life: float, gain: float) -> float:
        if (life, gain) not in known:
            warm = temperatures(earlier, replace(now, half_life=life, gain=gain))
            loss = float(losses(rate_of(warm, earlier.used).chance(warm), earlier.used).sum())
            prior = (math.log2(life / now.half_life) / 2) ** 2 + ((gain - now.gain) / 0.6) ** 2
            known[life, gain] = loss + prior / 2
        return known[life, gain]

    best = (now.half_life, now.gain)
    for _ in range(_ROUNDS):
        life, gain = best
        steps = [(_held(life * ratio, low, high, 1), gain) for ratio in _RATIOS]
        steps += [(life, _held(gain + step, least, most, 2)) for step in _STEPS]
        found = min(sorted(set(steps) - {best}), key=lambda one: cost(*one))
        if cost(*found) >= cost(*best) - 1e-6:
            break
        best = found
    return replace(now, half_life=best[0], gain=best[1])


def _held(value: float, low: float, high: float, digits: int) -> float:
    return min(high, max(low, round(value, digits)))


def try_life(earlier: Weeks, later: Weeks, before: Heat, after: Heat) -> Trial:
    """Both on the later weeks; the rates are those of the earlier ones."""
    return _tried(later, *(_chances(earlier, later, heat) for heat in (before, after)))


def _chances(earlier: Weeks, later: Weeks, heat: Heat) -> np.ndarray:
    return rate_of(temperatures(earlier, heat), earlier.used).chance(temperatures(later, heat))


# --- the bands --------------------------------------------------------------------------------------------------------


def fit_bands(earlier: Weeks, now: Heat) -> Heat:
    """The thresholds of hot and warm by which three words say most about the next week."""
    warm = temperatures(earlier, now)
    lows = sorted({*(round(0.05 * n, 2) for n in range(1, 13)), now.warm})
    highs = sorted({*(round(0.05 * n, 2) for n in range(3, 20)), now.hot})
    pairs = [(low, high) for low in lows for high in highs if high >= low + 0.1]

    def cost(pair: tuple[float, float]) -> float:
        heat = replace(now, warm=pair[0], hot=pair[1])
        table = _table(_band(warm, heat), earlier.used)
        moved = abs(pair[0] - now.warm) + abs(pair[1] - now.hot)
        return float(losses(table[_band(warm, heat)], earlier.used).sum()) + moved

    best = min(pairs, key=lambda pair: (cost(pair), pair), default=(now.warm, now.hot))
    if now.hot > now.warm and cost(best) >= cost((now.warm, now.hot)) - 1e-6:
        return now
    return replace(now, warm=best[0], hot=best[1])


def try_bands(earlier: Weeks, later: Weeks, before: Heat, after: Heat) -> Trial:
    """Both on the later weeks; the chance of each band is that of the earlier ones."""

    def chances(heat: Heat) -> np.ndarray:
        table = _table(_band(temperatures(earlier, heat), heat), earlier.used)
        return np.asarray(table[_band(temperatures(later, heat), heat)])

    return _tried(later, chances(before), chances(after))


def _band(warm: np.ndarray, heat: Heat) -> np.ndarray:
    return np.where(warm >= heat.hot, 2, np.where(warm >= heat.warm, 1, 0))


def _table(band: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The chance in each band; half a use is granted to each, so that none is certain."""
    return np.array([(used[band == word].sum() + 0.5) / ((band == word).sum() + 1.0) for word in range(3)])


# --- the comparison ---------------------------------------------------------------------------------------------------


def _tried(later: Weeks, before: np.ndarray, after: np.ndarray) -> Trial:
    old, new = losses(before, later.used), losses(after, later.used)
    low, high = interval(new - old, later.group)
    return Trial(
        float(old.mean()),
        float(new.mean()),
        low,
        high,
        len(later),
        int(later.used.sum()),
        len(np.unique(later.group)),
    )


def interval(differences: np.ndarray, group: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of a mean whose values come in groups (one memory's weeks): the spread is that between groups."""
    _, number = np.unique(group, return_inverse=True)
    groups, mean = int(number.max()) + 1, float(differences.mean())
    sums = np.bincount(number, differences - mean, groups)
    spread = math.sqrt(float((sums**2).sum()) * groups / max(1, groups - 1)) / len(differences)
    return mean - Z95 * spread, mean + Z95 * spread


Fit = Callable[[Weeks, Heat], Heat]
Try = Callable[[Weeks, Weeks, Heat, Heat], Trial]
PARTS: Final[Mapping[str, tuple[Fit, Try]]] = {"life": (fit_life, try_life), "bands": (fit_bands, try_bands)}
"""What is fitted, in this order: the bands are cut from the temperatures that the half-life gives."""
