"""Time limits: the day after which a fact must be looked at again, by its type and scope. Pure; formats.md 4.

A limit never deletes: what is past it is asked about, and counts less until it was confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.memory.revisions import Standing

DAYS: Final[Mapping[str, int]] = {
    "working": 3,
    "temporary": 7,
    "candidate": 30,
    "state": 60,
    "metric": 90,
    "plan": 90,
    "preference": 365,
    "decision": 365,
}
"""Days by type; `temporary` is a scope and `candidate` a state, both before the type, and `working` is a note in Memory/working. What
is not named has no limit."""


def due(record: Mapping[str, Any], standing: Standing, days: Mapping[str, int] = DAYS) -> str | None:
    """The last day on which a fact still stands unasked (ISO), or None: it has no limit, was asked about, or does not answer.

    Counted from the day it was last checked, else from the day Ebbtide wrote it down: what somebody imports with ten years
    of notes is not overdue on the first morning.
    """
    if standing.expired or standing.pinned or not standing.there or standing.state not in ("active", "candidate"):
        return None
    expires = standing.fields.get("expires_at", record.get("expires_at"))
    if isinstance(expires, str) and expires:
        return expires[:10]
    kind = "candidate" if standing.state == "candidate" else record.get("type")
    if record.get("scope") == "temporary" and standing.state != "candidate":
        kind = "temporary"
    limit = days.get(str(kind), 0)
    since = standing.verified_at or record.get("verified_at") or record.get("recorded_at")
    try:
        return (date.fromisoformat(str(since)[:10]) + timedelta(days=limit)).isoformat() if limit else None
    except (ValueError, OverflowError):
        return None
