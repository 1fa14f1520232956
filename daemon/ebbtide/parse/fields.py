"""Inline fields in the way of Dataview: `key:: value` lines and `[key:: value]`, `(key:: value)` spans. Pure.

design/obsidian.md 12: a bracketed field on a line switches the whole-line form off, tasks take bracketed fields only,
list items both. Text before the key on a line is part of the key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

MAX_VALUE: Final = 4_000
"""Characters of a bracketed field that are looked through for its closing bracket."""
_LIST_MARK = re.compile(r"[\s>]*(?:[-+*]|\d{1,9}[.)])[ \t]+")
_TASK_MARK = re.compile(r"\[.\](?:[ \t]|$)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^`]*(?<!`)\1(?!`)")
_BRACKET_KEY = re.compile(r"([\[(])([^\[\]()\n]{1,200})\Z")
_LINE_KEY = re.compile(r"[^\w]*([\w][\w\s/-]*?)[_*~`\s]*\Z")
_PAIRS = {"[": "]", "(": ")"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a line: its key without markup, and the range of its value (offsets in the line)."""

    key: str
    start: int
    end: int


def find_fields(line: str) -> list[Field]:
    """Fields of one line of a note (without its line break), in order. A `::` in inline code makes no field."""
    code = [m.span() for m in _CODE_SPAN.finditer(line)] if "`" in line else []
    places: list[int] = []
    place = line.find("::")
    while place >= 0 and len(places) < 100:
        if not any(begin < place < end for begin, end in code):
            places.append(place)
        place = line.find("::", place + 2)
    fields: list[Field] = []
    done = 0
    for place in places:
        if place >= done and (field := _bracketed(line, place)):
            fields.append(field)
            done = field.end
    if fields or not places:
        return fields
    mark = _LIST_MARK.match(line)
    begin = mark.end() if mark else 0
    if mark and _TASK_MARK.match(line, begin):
        return []
    key = _LINE_KEY.match(line[begin : places[0]]) if places[0] - begin <= 300 else None
    return [Field(key[1].strip(), places[0] + 2, len(line))] if key else []


def _bracketed(line: str, place: int) -> Field | None:
    """The bracketed field whose `::` is at this place: the nearest bracket before it opens it."""
    key = _BRACKET_KEY.search(line, max(0, place - 202), place)
    name = key[2].strip().strip("_*~`").strip() if key else ""
    if key is None or not name:
        return None
    opening, closing = key[1], _PAIRS[key[1]]
    depth, end, stop = 1, place + 2, min(len(line), place + MAX_VALUE)
    while end < stop and depth:
        char = line[end]
        depth += 1 if char == opening else -1 if char == closing else 0
        end += 2 if char == "\\" else 1
    return Field(name, place + 2, min(end, stop) - 1) if depth == 0 else None
