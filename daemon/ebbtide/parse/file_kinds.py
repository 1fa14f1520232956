"""What a path says of its file: a conflict copy, a template by its folder, an attachment. Pure.

Only names that a program makes are conflict copies. `Plan 2.md` (iCloud), `Plan (1).md` (browsers, Google Drive) and
`Plan-LAPTOP.md` (OneDrive) are also names that people give, so they are ordinary notes, whatever they hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PICTURES: Final = ("avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp")
_SOUNDS: Final = ("flac", "m4a", "mp3", "ogg", "wav", "webm", "3gp")
ATTACHMENTS: Final = frozenset((*_PICTURES, *_SOUNDS, "mkv", "mov", "mp4", "ogv", "pdf"))
"""Endings, without their dot, of what notes embed."""

_STAMP: Final = r"\d{4}-?\d{2}-?\d{2}"
_COPIES: Final = tuple(
    (tool, re.compile(pattern + r"(?:\s*\(\d+\))?\Z", re.IGNORECASE))
    for tool, pattern in (
        ("Syncthing", r"\.sync-conflict-\d{8}-\d{6}(?:-[0-9A-Z]+)?"),
        ("Obsidian Sync", r"\s*\(conflicted copy \S.*? \d{8,14}\)"),
        ("Nextcloud", rf"\s*\(conflicted copy {_STAMP} \d{{4,6}}\)"),
        ("ownCloud", r"[_-]conflict-\d{8}-\d{6}"),
        ("Dropbox", r"\s*[(（][^()（）]{0,120}\bconflicted copy\b[^()（）]{0,60}[)）]"),
        ("Dropbox", r"\s*[(（][^()（）]{0,120}[冲衝]突的?(?:副本|複本|文件|檔案)[^()（）]{0,60}[)）]"),
        ("Dropbox", rf"[\s_-]*的?[冲衝]突的?(?:副本|複本)[\s_-]*{_STAMP}[\d\s_-]*"),
        ("Seafile", rf"\s*\((?:SF)?conflict\b[^()]{{0,120}}{_STAMP}[^()]{{0,40}}\)"),
        ("pCloud", r"\s*\[conflicted\]"),
        ("Resilio Sync", r"\.conflict\d*"),
    )
)
_ENDINGS: Final = (".md", ".canvas")
_TEMPLATES: Final = re.compile(r"(?:^|/)[^/]{0,6}(?:templates?|模板|模版)/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ConflictCopy:
    """What a sync program set aside: `original` is the path of the note it copies, which may not be there any more."""

    tool: str
    original: str


def conflict_copy(path: str) -> ConflictCopy | None:
    """The conflict copy that this path of a note or board names, or None."""
    folder, slash, name = path.rpartition("/")
    ending = next((e for e in _ENDINGS if name.lower().endswith(e)), "")
    stem = name[: len(name) - len(ending)]
    for tool, pattern in _COPIES:
        found = pattern.search(stem)
        if found is not None and found.start() > 0:
            return ConflictCopy(tool, f"{folder}{slash}{stem[: found.start()]}{name[len(stem) :]}")
    return None


def in_template_folder(path: str) -> bool:
    """True if a folder of the path is called Templates, whatever Obsidian's settings say."""
    return _TEMPLATES.search(path) is not None


def is_attachment(path: str) -> bool:
    """True for pictures, sound, video and PDF."""
    return path.rpartition(".")[2].lower() in ATTACHMENTS and "." in path.rpartition("/")[2]
