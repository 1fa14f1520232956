"""Whose words a note holds: what a machine wrote, what was clipped from the web, what a sync program set aside. Pure; mission.md B7.

Told apart by what a note says of itself and by names that programs give, never by guessing at a style.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ebbtide.memory.records import Note
from ebbtide.parse.file_kinds import conflict_copy
from ebbtide.parse.own_words import written_by_machine
from ebbtide.parse.text import fold
from ebbtide.sleep.core_note import DERIVED

_TAGS: Final = frozenset(
    ["clippings", "clipping", "clipped", "web-clip", "web-clipping", "webclip", "readwise", "剪藏", "网页剪藏", "摘录"]
)
_FOLDER: Final = re.compile(r"(?:^|/)(?:clippings|web clips?|web clippings|剪藏|网页剪藏)/", re.IGNORECASE)
"""Where web clippers put what they save."""
_FROM: Final = ("clipped_from", "clipped-from")
"""What only a clipper writes: the address alone says so."""
_ADDRESS: Final = ("source", "来源", "原文", "url", "link", "链接", "网址")
_BESIDE: Final = ("published", "author", "authors", "site", "clipped", "发布时间", "作者")
"""What a clipper writes beside the address; a person's note about a page has the address alone."""
_HTTP: Final = re.compile(r"\s*[<\"']?https?://\S", re.IGNORECASE)


def doubt(note: Note) -> str | None:
    """Why what a note states is not its person's word: "copy", "agent", "clipping"; None if nothing says so."""
    if conflict_copy(note.path) is not None:
        return "copy"
    if written_by_machine(note):
        return "agent"
    return "clipping" if _clipped(note) else None


def agents_own(note: Note) -> bool:
    """Whether a machine wrote this note, and not a night of Ebbtide's: those say `origin: derived`."""
    return written_by_machine(note) and fold(str(note.properties.get("origin") or "")).strip() != DERIVED


def _clipped(note: Note) -> bool:
    if _FOLDER.search(note.path) or any(fold(tag.name).split("/")[0] in _TAGS for tag in note.tags):
        return True
    properties = {fold(str(key)).strip(): value for key, value in note.properties.items()}
    if any(_is_address(properties.get(key)) for key in _FROM):
        return True
    told = any(properties.get(key) for key in _BESIDE)
    return told and any(_is_address(properties.get(key)) for key in _ADDRESS)


def _is_address(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(one, str) and _HTTP.match(one) is not None for one in values)
