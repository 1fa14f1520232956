"""When a night is due: in its hours, or as soon as it can be after one was missed; never twice, never while busy. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True)
class Power:
    """What the system says of its battery: share left (0 to 100), and whether it is being fed. None where it says nothing."""

    percent: float
    plugged: bool


@dataclass(frozen=True, slots=True)
class Hours:
    """The night's hours, local: from `first` o'clock on, `many` of them."""

    first: int
    many: int

    def began(self, now: datetime) -> datetime:
        """When the latest night began whose hours have begun (local)."""
        start = now.replace(hour=self.first, minute=0, second=0, microsecond=0)
        return start if start <= now else start - timedelta(days=1)

    def within(self, now: datetime) -> bool:
        """Whether it is night."""
        return now < self.began(now) + timedelta(hours=self.many)


def due(now: datetime, last: datetime | None, hours: Hours, *, idle: bool, power: Power | None, battery: float) -> bool:
    """Whether a night should begin. `now` and `last` (when the last one ended; None before the first) are local times.

    A missed night is caught up at any hour; the first of all waits for its hours. `battery`: percent below which no night
    begins while the machine is not plugged in.
    """
    if not idle or (power is not None and not power.plugged and power.percent < battery):
        return False
    if last is None:
        return hours.within(now)
    return last < hours.began(now)
