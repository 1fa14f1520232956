"""Rules by which versions of facts.jsonl become one: which files hold it, what a conflict copy is, two readings of one fact. Pure."""

from __future__ import annotations

import re
from typing import Any, Final

from ebbtide.parse.file_kinds import conflict_copy

Record = dict[str, Any]

SHARDS: Final = frozenset(f"facts-{digit}.jsonl" for digit in "0123456789abcdef")
"""Above some 20,000 facts: one file for each first digit of their ids."""
_NUMBERED: Final = re.compile(r" (?:\d|\(\d\))\Z")
"""iCloud and Google Drive number what they set aside; nobody but they and we name files here."""
_PLACE: Final = ("source", "line", "heading", "quote", "note_hash", "evidence")
_RECORDED: Final = "recorded_at"


def is_copy(name: str) -> bool:
    """True for what a sync program made of the file, or of a shard, when two devices had written it."""
    stem, _, ending = name.rpartition(".")
    if not stem.startswith("facts") or ending != "jsonl":
        return False
    copy = conflict_copy(stem)
    original = _NUMBERED.sub("", stem) if copy is None else copy.original
    return original != stem and (f"{original}.jsonl" in SHARDS or original == "facts")


def shard(ident: str) -> str:
    """The file for a fact, once they are split."""
    digit = ident[2:3].lower()
    return f"facts-{digit if digit in set('0123456789abcdef') else '0'}.jsonl"


def damage(bad: int, total: int, now: int, before: int) -> str:
    """Why a file does not look like the one that was written: unreadable lines, or half of it gone; "" if it does."""
    if bad * 100 > total:
        return f"{bad} of {total} lines cannot be read"
    if 2 * now < before:
        return f"the file shrank from {before} facts to {now}"
    return ""


def three_way(ground: Record | None, ours: Record, theirs: Record | None) -> Record:
    """Ours, with the fields that somebody else changed meanwhile; what two devices read alike, since the earlier time.

    Where a fact stands is one thing: a line of one reading means nothing beside the source of another.
    """
    if theirs is None or theirs == ground:
        return ours
    if ground is None:
        first = min(str(ours.get(_RECORDED)), str(theirs.get(_RECORDED)))
        return ours | {_RECORDED: first} if _RECORDED in ours and _RECORDED in theirs else ours
    changed = {key: value for key, value in theirs.items() if key not in ground or ground[key] != value}
    if any(ours.get(key) != ground.get(key) for key in _PLACE):
        changed = {key: value for key, value in changed.items() if key not in _PLACE}
    elif any(key in changed for key in _PLACE):
        changed |= {key: theirs.get(key) for key in _PLACE if key in ours or key in theirs}
    return ours | changed
