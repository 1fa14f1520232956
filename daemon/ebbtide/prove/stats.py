"""What few questions can show: intervals of shares, paired and unpaired comparison, percentiles. Pure.

Thirty questions are a smoke alarm, not a ruler: every share comes with its interval, and two runs are compared on the same
questions or not at all. All tests are exact and two-sided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

Z95: Final = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""
ALPHA: Final = 0.05
Comparison = Literal["better", "worse", "no difference", "not comparable"]


def wilson(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a share, within [0, 1]; (0, 1) without trials. Raises ValueError on impossible counts."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials}")
    if trials == 0:
        return 0.0, 1.0
    share, square = successes / trials, z * z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = z * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials)) / (1 + square / trials)
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return low, high


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p of McNemar's test: `gained` and `lost` are the pairs that differ, either way. 1.0 without any."""
    if min(gained, lost) < 0:
        raise ValueError(f"{gained} and {lost}")
    pairs = gained + lost
    tail = sum(math.comb(pairs, k) for k in range(min(gained, lost) + 1))
    return min(1.0, float(2 * tail / (1 << pairs)))


def fisher(a: int, n: int, b: int, m: int) -> float:
    """The exact two-sided p that `a` of `n` and `b` of `m` come from one share (all tables as unlikely or more)."""
    if not (0 <= a <= n and 0 <= b <= m):
        raise ValueError(f"{a} of {n}, {b} of {m}")
    total = a + b
    ways = [math.comb(n, k) * math.comb(m, total - k) for k in range(max(0, total - m), min(n, total) + 1)]
    here = math.comb(n, a) * math.comb(m, b)
    return sum(way for way in ways if way <= here) / sum(ways)


def compared(gained: int, lost: int, p: float, *, lower_is_better: bool = False) -> Comparison:
    """The verdict in words: what moved counts only where chance would rarely move as much."""
    if p >= ALPHA or gained == lost:
        return "no difference"
    return "better" if (gained > lost) != lower_is_better else "worse"


def percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile, `share` in (0, 1]; None of nothing."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
