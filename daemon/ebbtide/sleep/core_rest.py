"""Core patterns that nobody has needed for long: a night freezes them, so that the core may shrink; a thaw brings one back.

Only what was merely seen again and again, that Ebbtide wrote and no person changed: never a principle, rule, preference or model,
nor what is pinned, disputed, or cited by a person's note of late.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.memory.disuse import idle_days, reason
from ebbtide.memory.errors import VaultError
from ebbtide.memory.revisions import Standing
from ebbtide.parse.properties import read_properties
from ebbtide.parse.text import fold
from ebbtide.sleep.core_note import DERIVED, has_list
from ebbtide.sleep.core_state import Held, Reading, held
from ebbtide.sleep.edition import Rest
from ebbtide.sleep.merging import untouched
from ebbtide.sleep.planning import inside

TYPES: Final = frozenset(["pattern", "模式"])
COOLS_LIKE: Final = "note"
"""A pattern weighs like a principle while it is met; once nobody meets it, that alone does not keep it."""


def idle_patterns(reading: Reading, day: str, limit: int) -> tuple[Rest, ...]:
    """The patterns that nobody has needed for `limit` days (0: none are), by id."""
    if limit <= 0:
        return ()
    files = reading.catalog.files()
    first = (date.fromisoformat(day) - timedelta(days=limit)).isoformat()
    old = (row.date is None or row.date[:10] <= first for row in files.values() if fold(row.type or "") in TYPES)
    if not any(old):
        return ()
    found = (_resting(reading, one, day, limit) for one in held(reading, files, day) if fold(one.type) in TYPES)
    return tuple(sorted((rest for rest in found if rest is not None), key=lambda rest: rest.id))


def _resting(reading: Reading, one: Held, day: str, limit: int) -> Rest | None:
    if not one.path.startswith(f"{reading.folder}/core/"):
        return None
    ident = one.core.id
    standing = reading.catalog.standings([ident]).get(ident, Standing())
    known = [one.core.born, *one.core.linked, standing.verified_at]
    if idle_days(COOLS_LIKE, standing, one.core.events, known, day, limit) is None:
        return None
    try:
        file = reading.vault.read(one.path)
    except (FileNotFoundError, VaultError):
        return None
    told: Mapping[str, Any] = read_properties("", file.text).values
    idle = idle_days(COOLS_LIKE, standing, one.core.events, [*known, str(told.get("verified") or "")], day, limit)
    whole = untouched(reading.catalog.revisions_of(ident), inside(one.path, reading.folder), file.digest)
    if idle is None or told.get("origin") != DERIVED or not whole or has_list(file.text, "Disputed"):
        return None
    return Rest(ident, one.claim, one.path, 1, reason(idle, one.lang), one.claim)
