"""The core memories as a night sees them: which files they are, by what names notes mention them, and who touches which."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.reading import parse
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Vault
from ebbtide.parse.frames import frame
from ebbtide.parse.note import note_name
from ebbtide.parse.text import count_cjk, fold

TYPES: Final = frozenset(
    ["principle", "model", "pattern", "rule", "preference", "原则", "模型", "模式", "规则", "偏好"]
)
"""Types of a person's own notes that make them core memories where they lie (formats.md 5)."""
LINKS_AT_MOST: Final = 500
_LATIN: Final = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class CoreTies:
    """The core memories by file row, with their titles. `names`: folded names -> row, of which `pattern` finds any."""

    files: Mapping[int, FileRow]
    titles: Mapping[int, str]
    names: Mapping[str, int]
    pattern: re.Pattern[str] | None

    @property
    def rows(self) -> frozenset[int]:
        """Their file rows."""
        return frozenset(self.files)

    def named(self, text: str) -> list[int]:
        """The core memories that a text names by title or alias, in its order, each once."""
        found = self.pattern.finditer(fold(text)) if self.pattern is not None else ()
        return list(dict.fromkeys(self.names[match.group()] for match in found))

    def tied(self, catalog: Catalog, path: str, text: str) -> list[int]:
        """The core memories that a note links to, in any way, or names in its text, by path."""
        rows = {file.path: row for row, file in self.files.items()}
        touched = set(self.named(text))
        for record in catalog.find_links(path, LINKS_AT_MOST):
            link = json.loads(record)
            if link.get("source") == path:
                touched |= {rows[end] for end in (link.get("from"), link.get("target")) if end in rows}
        return sorted(touched, key=lambda row: self.files[row].path)

    def changed_by(self, sentence: str, written: str) -> int | None:
        """The core memory that a sentence names while it tells of a change; None if it does not do both."""
        named = self.named(sentence)
        return named[0] if named and frame(sentence, written=written) == "change" else None


def core_of(catalog: Catalog, vault: Vault, files: Iterable[FileRow], folder: str, today: str) -> CoreTies:
    """The core memories of a vault that are not dated after today: what lies in Memory/core, and a person's own of such a type.

    Those that are archived, forgotten or quarantined are none; `folder` is the memory folder.
    """
    rows = sorted((row for row in files if is_core(row, folder) and (row.date or "")[:10] <= today), key=_path)
    standings = catalog.standings([row.id for row in rows])
    held = [row for row in rows if row.id not in standings or _holds(standings[row.id].state, standings[row.id].there)]
    names: dict[str, int] = {}
    for row in held:
        for name in _names(vault, row):
            names.setdefault(name, row.row)
    ordered = sorted(names, key=lambda name: (-len(name), name))
    pattern = re.compile("|".join(map(_whole, ordered))) if ordered else None
    titles = {row.row: row.title or note_name(row.path) for row in held}
    return CoreTies({row.row: row for row in held}, titles, names, pattern)


def is_core(row: FileRow, folder: str) -> bool:
    """Whether a file is a core memory by its place or its type."""
    if row.status != "indexed" or row.archived is not None:
        return False
    if row.kind == "memory":
        return row.path.startswith(f"{folder}/core/")
    return row.kind == "note" and row.reason == "" and row.type is not None and fold(row.type).strip() in TYPES


def _holds(state: str, there: bool) -> bool:
    return there and state in ("active", "candidate")


def _path(row: FileRow) -> str:
    return row.path


def _names(vault: Vault, row: FileRow) -> list[str]:
    """Title, file name and aliases, folded, as far as they are long enough to be meant where they stand."""
    names = [row.title, note_name(row.path)]
    with contextlib.suppress(FileNotFoundError, VaultError):  # it has just gone: its links still tell
        names += parse(row.kind, row.path, vault.read(row.path).text).aliases
    folded = (" ".join(fold(name).split()) for name in names)
    return [name for name in folded if count_cjk(name) >= 2 or len(_LATIN.findall(name)) >= 4]


def _whole(name: str) -> str:
    """A name as a pattern of itself, Latin words only as whole ones."""
    left = r"(?<![^\W_])" if name[0].isascii() and name[0].isalnum() else ""
    right = r"(?![^\W_])" if name[-1].isascii() and name[-1].isalnum() else ""
    return left + re.escape(name) + right
