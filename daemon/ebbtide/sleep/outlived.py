"""Which files of Ebbtide's own have outlived their use: old reports as they were written, and old contents that no undo needs. Pure.

A report is told from one that a person changed by the digests that its JSON holds of all three files, so that every device knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.sleep.planning import digest

ENDINGS: Final = (".md", ".svg", ".json")
DIGESTS: Final = "digests"
JUMP: Final = 90
"""Days without a sign of life beyond which a clock is not believed."""


# --- reports ------------------------------------------------------------------------------------------------------


def sealed(twin: Mapping[str, Any], others: Mapping[str, bytes]) -> bytes:
    """The JSON of a report with the digests of its files, `others` by their endings; its own is taken without itself."""
    told = {ending: digest(data) for ending, data in sorted(others.items())}
    own = digest(_dumped({**twin, DIGESTS: told}))
    return _dumped({**twin, DIGESTS: {**told, ".json": own}})


def untouched(files: Mapping[str, bytes | None]) -> bool:
    """Whether all files of a report, by their endings, are as they were written. None: not there."""
    data = files.get(".json")
    try:
        twin = json.loads(data or b"")
        told = dict(twin[DIGESTS])
        own = told.pop(".json")
    except (ValueError, KeyError, TypeError):
        return False
    if data != _dumped(twin) or own != digest(_dumped({**twin, DIGESTS: told})):
        return False
    others = {ending: found for ending, found in files.items() if ending != ".json" and found is not None}
    return all(told.get(ending) == digest(found) for ending, found in others.items())


def _dumped(twin: Mapping[str, Any]) -> bytes:
    return (json.dumps(twin, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def outlived(days: Iterable[str], today: str, every: int, weekly: int) -> list[str]:
    """The days (ISO) whose report is not kept: every one is for `every` days, the last of a week for `weekly`, else the last of a
    month. `every` 0 keeps all."""
    if every <= 0:
        return []
    known = sorted({day for day in days if _day(day) is not None})
    now = date.fromisoformat(today)
    weeks = {date.fromisoformat(day).isocalendar()[:2]: day for day in known}
    months = {day[:7]: day for day in known}
    out = []
    for day in known:
        this = date.fromisoformat(day)
        if now - this < timedelta(days=every) or day == months[day[:7]]:
            continue
        if now - this < timedelta(days=weekly) and day == weeks[this.isocalendar()[:2]]:
            continue
        out.append(day)
    return out


def stretched(lived: Iterable[str], today: str, days: int) -> int:
    """How far back from today so many days of life go: a gap of more than JUMP between known days (`lived`, ISO) counts for none, since
    a clock that was wrong once must not make all that was there old. Longer than anything if so many were not lived."""
    now = upper = date.fromisoformat(today)
    if days <= 0:
        return 0
    left = days
    for day in sorted({known for text in lived if (known := _day(text)) is not None and known < now}, reverse=True):
        gap = (upper - day).days
        if gap <= JUMP:
            if gap >= left:
                return (now - upper).days + left
            left -= gap
        upper = day
    return (now - date.min).days


def same_week(a: str, b: str) -> bool:
    """Whether two days (ISO) are of one week, from Monday to Sunday; what is no day is of none."""
    one, two = _day(a), _day(b)
    return one is not None and two is not None and one.isocalendar()[:2] == two.isocalendar()[:2]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


# --- earlier contents ---------------------------------------------------------------------------------------------


def needless(revisions: Sequence[Mapping[str, Any]], today: str, days: int) -> set[str]:
    """Hashes of contents that only revisions older than `days` name; 0: none. What was undone, or is a part of what was, counts by the
    day of its undo. `revisions`: all that changed a file, and all undoes."""
    if days <= 0:
        return set()
    first = (date.fromisoformat(today) - timedelta(days=days)).isoformat()
    by_id = {str(r.get("id")): r for r in revisions}
    parts: dict[str, list[str]] = {}
    for ident, r in by_id.items():
        if r.get("part_of"):
            parts.setdefault(str(r["part_of"]), []).append(ident)
    waiting = [ident for ident, r in by_id.items() if str(r.get("at")) >= first]
    live: set[str] = set()
    while waiting:
        ident = waiting.pop()
        if ident in live:
            continue
        live.add(ident)
        undoes = by_id.get(ident, {}).get("undoes")
        waiting += [*parts.get(ident, ()), *([str(undoes)] if undoes else ())]
    old = (r for ident, r in by_id.items() if ident not in live)
    return _hashes(old) - _hashes(by_id[ident] for ident in live & by_id.keys())


def _hashes(revisions: Iterable[Mapping[str, Any]]) -> set[str]:
    return {
        str(change[side])
        for r in revisions
        for change in r.get("changes") or ()
        if isinstance(change, Mapping) and change.get("field") == "content"
        for side in ("before", "after")
        if isinstance(change.get(side), str)
    }
