"""The settings of what keeps the memory small: merging and resting of core memories, and how long files of Ebbtide's own stay."""

from __future__ import annotations

from dataclasses import dataclass

from ebbtide.config_key import key, rank


@dataclass(frozen=True, slots=True)
class Merge:
    """When core memories that say the same become one, and when a pattern that nobody needs is laid to rest."""

    auto: bool = key(False, "true: a night merges what it would else propose; each merge can be undone alone")
    every_days: int = rank(30, "days between two looks for core memories that say the same; 0: never", 0, 3650)
    likeness: float = rank(0.75, "duplication from which two core memories say the same", 0.5)
    most: int = rank(10, "merges proposed, or done, at one look", 1, 1000)
    idle_days: int = rank(
        0, "days without any use after which a pattern that Ebbtide wrote is frozen; 0: never", 0, 36_500
    )


@dataclass(frozen=True, slots=True)
class Keep:
    """How long files that Ebbtide made stay. What a person changed stays for good."""

    reports_days: int = key(90, "days for which the report of every night is kept; 0: for good", 0, 36_500)
    reports_weekly: int = key(365, "days for which one report a week is kept, beyond that one a month", 0, 36_500)
    undo_days: int = key(
        400, "days for which what a file held before is kept, so that a change can be undone; 0: for good", 0, 36_500
    )
