"""What nobody has needed for a year is laid to rest: frozen, which hides it from plain questions and is undone by a thaw. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

from ebbtide.memory.heat import STANDING, WEIGHTS, Event, kind_of, until
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang

IDLE: Final = 365
"""Days without a counted event."""


def idle_days(
    type_: str,
    standing: Standing,
    events: Iterable[Event],
    known: Iterable[str | None],
    today: str,
    limit: int = IDLE,
) -> int | None:
    """For how many days a memory has not been needed, if it may be frozen for that; None if it may not.

    `events` are its own and its note's, `known` the days on which it was written down, claimed or checked: what is new here
    was not idle before; `limit`: days from which it may be. What is in force until it is replaced (decisions, preferences,
    procedures and lessons, principles) is never frozen, nor what is pinned, disputed, not active or frozen already.
    """
    if kind_of(type_) in STANDING or standing.state != "active" or not standing.there or standing.disputes:
        return None
    if standing.frozen or standing.pinned:
        return None
    days = [event.day for event in until(events, today) if event.kind in WEIGHTS]
    read = [day for day in map(_day, (*days, *known)) if day is not None]
    idle = (date.fromisoformat(today[:10]) - max(read)).days if read else None
    return idle if idle is not None and idle >= limit else None


def reason(idle: int, lang: Lang) -> str:
    """Why it is frozen, for a person."""
    if lang == "zh":
        return f"已有 {idle} 天没有被确认、打开或编辑"
    return f"not confirmed, opened or edited for {idle} days"


def _day(text: str | None) -> date | None:
    """A whole day; a month or a year says too little to count days from."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
