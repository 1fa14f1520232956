"""What a person or an agent may do with a record, as revisions: which moves are allowed, what they change. Pure.

A revision here lacks time and id: `index.decisions` gives both when it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, Literal, get_args

from ebbtide.memory.errors import BadRequest, EbbtideError
from ebbtide.memory.revisions import CORRECTABLE, MOVES, Standing
from ebbtide.memory.states import FACT_TYPES, Frame, Scope

Action = Literal["archive", "restore", "freeze", "thaw", "pin", "forget", "quarantine", "clear", "confirm"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)

Record = Mapping[str, Any]

MAX_TEXT: Final = 2000
"""Characters of a corrected text."""
MAX_TAGS: Final = 50


class NotAllowed(EbbtideError):
    """A move that the present state of the record does not allow; nothing was done."""

    status = 409
    code = "not-allowed"


# --- moves --------------------------------------------------------------------------------------------------------


def present(standing: Standing) -> str:
    """Where a record stands, in words: "archived", "superseded by f_...", "active and frozen"."""
    if standing.forgotten:
        return "forgotten"
    if standing.refused:
        return "refused"
    state: str = standing.state
    if standing.superseded_by is not None:
        state = f"superseded by {standing.superseded_by}"
    elif standing.merged_into is not None:
        state = f"merged into {standing.merged_into}"
    more = [word for word, holds in (("frozen", standing.frozen), ("pinned", standing.pinned)) if holds]
    return " and ".join([state, *more])


def remedy(action: Action, standing: Standing) -> str | None:
    """None if the action is allowed from where the record stands, else what to do instead."""
    state = standing.state
    if action == "restore":
        away = not standing.there or standing.expired or state in MOVES["restore"][0]
        return None if away else ("Use `ebbtide clear`." if state == "quarantined" else "There is nothing to restore.")
    if not standing.there:
        return "Restore it first: `ebbtide restore ID`."
    if action == "confirm":
        if standing.merged_into is not None:
            return "Confirm the one it was merged into, or restore it first."
        first = {"archived": "restore", "quarantined": "clear"}.get(state)
        return None if first is None else f"First `ebbtide {first} ID`."
    if action == "pin":
        return "Undo the pin to take it back: `ebbtide undo`." if standing.pinned else None
    if action in ("freeze", "thaw"):
        wanted = "thaw" if standing.frozen else "freeze"
        return None if action == wanted else f"`ebbtide {wanted} ID` is possible."
    if action == "clear":
        return None if state == "quarantined" else "Only what is quarantined can be cleared."
    if action == "forget" or state in MOVES[action][0]:
        return None
    return "Restore it first: `ebbtide restore ID`." if state == "archived" else "Clear it first: `ebbtide clear ID`."


def check(action: Action, ident: str, standing: Standing) -> None:
    """Raise NotAllowed, naming the present state, unless the action is allowed."""
    instead = remedy(action, standing)
    if instead is not None:
        raise NotAllowed(
            f"{ident} is {present(standing)}: {action} is not possible.", instead.replace(" ID`", f" {ident}`")
        )


def goes_along(action: Action, standing: Standing) -> bool:
    """Whether a fact takes part in what is done to its note: never one that another fact has taken the place of."""
    if standing.superseded_by is not None or standing.merged_into is not None:
        return action in ("forget", "archive", "quarantine") and remedy(action, standing) is None
    return remedy(action, standing) is None


# --- revisions ----------------------------------------------------------------------------------------------------


def revision(
    kind: str,
    subjects: Sequence[str],
    by: str,
    why: str,
    *,
    other: str | None = None,
    changes: Iterable[Record] = (),
    evidence: Iterable[Record] = (),
) -> dict[str, Any]:
    """A revision as `Decisions.record` takes it."""
    return {
        "by": by,
        "kind": kind,
        "subjects": list(subjects),
        "object": other,
        "changes": [dict(change) for change in changes],
        "why": why,
        "evidence": list(evidence),
    }


def place(record: Record) -> dict[str, Any]:
    """Where a fact is said, as evidence of a revision."""
    return {"source": record["source"], "line": record["line"], "quote": record["quote"]}


def on_facts(action: str, records: Sequence[Record], by: str, why: str) -> dict[str, Any]:
    """One revision that does the same to all of these facts. `forget` says which claims are not to come back."""
    changes = [{"id": r["id"], "field": "fact", "before": r["fact"], "after": None} for r in records]
    return revision(
        action,
        [r["id"] for r in records],
        by,
        why,
        changes=changes if action == "forget" else (),
        evidence=[place(r) for r in records],
    )


def conclusions(record: Record, ground: str) -> bool:
    """Whether a fact was concluded from another one."""
    told = any(entry.get("type") == "derived_from" and entry.get("id") == ground for entry in record.get("related", ()))
    return told and record.get("origin") == "derived"


def closing(kept: Record, other: Record, today: str) -> dict[str, Any] | None:
    """The change that ends what is superseded where the kept one begins, else today; None if it has ended before."""
    begins = next((str(d) for d in (other.get("valid_from"), other.get("created_at")) if d), "")
    starts = [str(d) for d in (kept.get("valid_from"), kept.get("created_at")) if d]
    end = next((d for d in starts if d[: len(begins)] >= begins[: len(d)]), today)
    ended = other.get("valid_to")
    if ended is not None and str(ended)[: len(end)] <= end:
        return None
    return {"id": other["id"], "field": "valid_to", "before": ended, "after": end}


def better(a: Record, b: Record) -> tuple[Record, Record]:
    """(the better sourced of two facts, the other): observed before concluded, then by places, confidence, age."""

    def rank(record: Record) -> tuple[Any, ...]:
        observed = record.get("origin") == "observed" and record.get("source_kind") != "external"
        places = len(record.get("evidence") or ())
        return (not observed, -places, -float(record.get("confidence") or 0), str(record.get("created_at") or "9999"))

    return (b, a) if (rank(b), b["id"]) < (rank(a), a["id"]) else (a, b)


# --- corrections --------------------------------------------------------------------------------------------------

_DAYS: Final = frozenset(["verified_at", "expires_at", "review_at"])
_DATES: Final = _DAYS | {"valid_from", "valid_to", "created_at"}
_RANGES: Final = {"confidence": (0.0, 1.0), "importance": (1.0, 10.0)}
_WORDS: Final[Mapping[str, Sequence[str]]] = {"type": FACT_TYPES, "scope": get_args(Scope), "frame": get_args(Frame)}
_NEEDED: Final = frozenset(["fact", "trigger"])
"""Texts that are never null."""


def checked(name: str, value: Any) -> Any:
    """The value for a field of a fact as it is stored. Raises BadRequest, naming what the field takes."""
    if name not in CORRECTABLE:
        allowed = f"Fields that can be corrected: {', '.join(sorted(CORRECTABLE))}."
        raise BadRequest(f"`{name}` cannot be corrected.", allowed)
    if name in _RANGES:
        low, high = _RANGES[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high:
            raise _wrong(name, f"a number from {low:g} to {high:g}")
        return float(value)
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise _wrong(name, f"one of {', '.join(_WORDS[name])}")
        return value
    if name == "tags":
        listed = isinstance(value, list) and len(value) <= MAX_TAGS
        if not listed or not all(isinstance(tag, str) and tag.strip() for tag in value):
            raise _wrong(name, f"a list of at most {MAX_TAGS} words")
        return [tag.strip() for tag in value]
    if value is None and name not in _NEEDED:
        return None
    if name in _DATES:
        return _dated(name, value)
    if not isinstance(value, str) or len(value) > MAX_TEXT or (name == "fact" and not value.strip()):
        raise _wrong(name, f"text of at most {MAX_TEXT} characters" + (", not empty" if name == "fact" else ""))
    return value.strip()


def _dated(name: str, value: Any) -> str:
    parts = r"\d{4}-\d{2}-\d{2}" if name in _DAYS else r"\d{4}(-\d{2}(-\d{2})?)?"
    try:
        if isinstance(value, str) and re.fullmatch(parts, value):
            date.fromisoformat((value + "-01-01")[:10] if len(value) == 4 else (value + "-01")[:10])
            return value
    except ValueError:
        pass
    raise _wrong(name, "a day such as 2026-11-30" + ("" if name in _DAYS else ", a month or a year") + ", or null")


def _wrong(name: str, wanted: str) -> BadRequest:
    return BadRequest(f"`{name}` is not what it takes.", f"Give {wanted}.")


def corrections(record: Record, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The changes of one correction; `record` is the fact as it holds now. Raises BadRequest if something is wrong with it."""
    if not fields:
        raise BadRequest("Nothing to correct was given.", "Name at least one field and its value.")
    wanted = {name: checked(name, value) for name, value in fields.items()}
    changes = [
        {"id": record["id"], "field": name, "before": record.get(name), "after": value}
        for name, value in wanted.items()
        if record.get(name) != value
    ]
    if not changes:
        raise BadRequest("The fact says this already.", "Nothing was changed.")
    after = {**record, **wanted}
    start, end = after.get("valid_from"), after.get("valid_to")
    if start and end and str(end)[: len(str(start))] < str(start)[: len(str(end))]:
        raise BadRequest("`valid_to` is before `valid_from`.", "Correct both together.")
    if after.get("scope") == "project" and not after.get("project"):
        raise BadRequest("A fact of scope project needs a `project`.", "Give `project` as well.")
    return changes
