"""Which folders hold templates, by the settings of Obsidian's own plugin and of Templater. Read, never written.

The settings come with a vault from anywhere: whatever is no plain folder name in them is passed over, and while a file
cannot be read (Obsidian may just be writing it), what it last said stays in force.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ebbtide.memory.records import FileStat
from ebbtide.vault.lines import BOM, load_line, stat_of

SETTINGS: Final = (
    ("templates.json", "folder"),
    ("plugins/templater-obsidian/data.json", "templates_folder"),
)
"""Files below `.obsidian`, and the key that names the folder."""
MAX_SETTINGS: Final = 4 << 20


class Templates:
    """The template folders of a vault as they are set now."""

    def __init__(self, root: Path) -> None:
        self._files = [(root / ".obsidian" / file, key) for file, key in SETTINGS]
        self._seen: list[FileStat | None] = [FileStat("", -1, -1, -1)] * len(SETTINGS)
        self._folders: list[str] = [""] * len(SETTINGS)

    def matches(self, path: str) -> bool:
        """True if the path lies in a template folder; Obsidian's paths know no case."""
        self._refresh()
        prefixes = tuple(folder for folder in self._folders if folder)
        return bool(prefixes) and path.lower().startswith(prefixes)

    def _refresh(self) -> None:
        for number, (file, key) in enumerate(self._files):
            try:
                stamp: FileStat | None = stat_of(file.stat(), "")
            except OSError:
                stamp = None
            if stamp == self._seen[number]:
                continue
            try:
                self._folders[number] = "" if stamp is None else _folder(file, stamp, key)
            except (OSError, ValueError):
                continue
            self._seen[number] = stamp


def _folder(file: Path, stamp: FileStat, key: str) -> str:
    """The folder as a prefix with its slash, or "" if none is set. The whole vault is no template folder."""
    if stamp.size > MAX_SETTINGS:
        return ""
    named = load_line(file.read_bytes().removeprefix(BOM)).get(key)
    folder = named.strip().strip("/").lower() if isinstance(named, str) else ""
    return f"{folder}/" if folder and folder != "." else ""
