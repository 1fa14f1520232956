"""Whether two values can both be true of the same thing, and if not, what differs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from ebbtide.memory.conflict_claim import ConflictKind, Quantity

Agreement = Literal["same", "differ", "apart"]
"""`apart`: not comparable (seconds and persons), so nothing follows."""

ROUGH = 0.1
"""What "about" allows on either side."""
UNITS_DIFFER = 0.03
"""Allowed when the units as written differ: 1 GB and 1,000 MB, a mile and 1.6 km."""
MONTH = 2_629_746.0
"""Seconds of a mean month."""


def compare(x: Quantity, y: Quantity) -> Agreement:
    """Same if the more precise one lies within what the other allows."""
    if x.parts is not None and y.parts is not None:
        known = [(p, q) for p, q in zip(x.parts, y.parts, strict=True) if p is not None and q is not None]
        if not known:
            return "apart"
        return "same" if all(p == q for p, q in known) else "differ"
    if x.parts is not None or y.parts is not None:
        return "apart"
    if x.dimension == y.dimension == "version":
        shorter, longer = sorted((x.unit, y.unit), key=len)
        return "same" if f"{longer}.".startswith(f"{shorter}.") else "differ"
    factor = _common(x.dimension, y.dimension)
    if factor is None:
        return "apart"
    return "same" if _overlap(x, y, *factor) else "differ"


def _common(x: str, y: str) -> tuple[float, float] | None:
    """Factors that bring two dimensions together, None where they measure different things."""
    if x == y:
        return 1.0, 1.0
    if {x, y} == {"month", "second"}:
        return (MONTH, 1.0) if x == "month" else (1.0, MONTH)
    if {x, y} <= {"clock", "clock12"}:
        return 1.0, 1.0
    return None


def _overlap(x: Quantity, y: Quantity, fx: float, fy: float) -> bool:
    if "clock12" in (x.dimension, y.dimension):
        return x.low % 720 == y.low % 720
    low_x, high_x = _allowed(x, fx)
    low_y, high_y = _allowed(y, fy)
    slack = 0.0
    if x.unit != y.unit or fx != fy:
        slack = UNITS_DIFFER * min(abs(x.low * fx), abs(y.low * fy)) if x.low == x.high and y.low == y.high else 0.0
    elif x.step != y.step and x.low == x.high and y.low == y.high:
        slack = max(x.step, y.step) / 2  # 29.8 rounds to 30; 29 does not
        if max(x.step, y.step) == 1 and min(x.step, y.step) == 1:
            slack = 0.0
    return low_x <= high_y + slack and low_y <= high_x + slack


def _allowed(value: Quantity, factor: float) -> tuple[float, float]:
    spread = ROUGH * abs(value.low) if value.near and value.low == value.high else 0.0
    return (value.low - spread) * factor, (value.high + spread) * factor


def difference(x: Quantity, y: Quantity) -> ConflictKind | None:
    """What kind of conflict two values in the same place are; None if they agree or cannot be compared."""
    agreement = compare(x, y)
    if agreement == "same" and not _limits_differ(x, y):
        return None
    if agreement == "apart":
        bare = "" in (x.dimension, y.dimension) or x.parts is not None or y.parts is not None
        same_number = x.low == x.high == y.low == y.high
        units = not x.dimension.startswith(("count", "rank", "version")) and not y.dimension.startswith(
            ("count", "rank")
        )
        return "unit" if same_number and units and not bare else None
    if x.parts is not None or x.dimension.startswith("clock"):
        return "date"
    if x.unit != y.unit and x.dimension not in ("", "version") and not x.dimension.startswith("count"):
        return "unit"
    return "number"


def _limits_differ(x: Quantity, y: Quantity) -> bool:
    """Two upper (or two lower) limits of the same thing: both hold for many numbers, but the limit is one."""
    if x.parts is not None or y.parts is not None or _common(x.dimension, y.dimension) is None:
        return False
    if math.inf in (x.high, -x.low) and (x.high == y.high == math.inf or x.low == y.low == -math.inf):
        fx, fy = _common(x.dimension, y.dimension) or (1.0, 1.0)
        one, two = (x.low * fx, y.low * fy) if x.high == math.inf else (x.high * fx, y.high * fy)
        return abs(one - two) > UNITS_DIFFER * max(abs(one), abs(two))
    return False


def unmatched(of: Iterable[Quantity], among: Iterable[Quantity]) -> ConflictKind | None:
    """The kind of the first value in `of` that something in `among` can be compared with, and nothing agrees with."""
    pool = list(among)
    for value in of:
        kinds = [compare(value, other) for other in pool]
        if "differ" in kinds and "same" not in kinds:
            return "date" if value.parts is not None or value.dimension.startswith("clock") else "number"
    return None
