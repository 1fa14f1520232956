"""What of a candidate may be shown to a model, as the vault is now: its sentences, those of the days around it, the core near it.

Nothing is shown that the rules for reading notes keep here: what is private, excluded, `memory: false`, of a folder or tag that
never leaves, or Ebbtide's own but for the core. A core memory is shown only if every note it cites may be shown as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

from ebbtide.config_claude import Extract
from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import WatchedVault
from ebbtide.memory.records import Note
from ebbtide.parse.note import parse_note
from ebbtide.sleep.choose import forbidden
from ebbtide.sleep.core_ties import LINKS_AT_MOST
from ebbtide.sleep.ground import ADDRESSED
from ebbtide.sleep.judge_check import Reason, addressed
from ebbtide.sleep.judge_prompt import CORE, Shown
from ebbtide.sleep.likeness import Likeness
from ebbtide.sleep.nights import Candidate, CoreMemory, Quote
from ebbtide.sleep.quotes import LONGEST
from ebbtide.sleep.told import Told, told

DAYS: Final = 2
"""Days before and after a candidate whose sentences are shown with it."""
SENTENCES: Final = 6
NOTES: Final = 40
"""Notes of those days that are looked through, the nearest days first."""


STAYS: Final = Reason(
    "what is private, excluded or Ebbtide's own never leaves", "私密的、被排除的和 Ebbtide 自己的内容不外传"
)
SPEAKS: Final = Reason("its note gives orders to a model", "笔记里有对模型的指令")
GONE: Final = Reason("its note does not say it any more", "笔记里已经没有这些话")


@dataclass(slots=True)
class Context:
    """Reads for one night. `folder` is the memory folder's vault path; `markers` are the writer's own words of insight."""

    catalog: Catalog
    vault: WatchedVault
    folder: str
    rules: Extract
    markers: Sequence[str] = ()
    likeness: Likeness = field(default_factory=Likeness)
    _told: dict[tuple[str, str], Told] = field(default_factory=dict)
    _days: dict[str, list[FileRow]] | None = None

    def shown(self, candidate: Candidate, nearest: Callable[[], Sequence[CoreMemory]]) -> Shown | Reason:
        """What is shown of a candidate, or why nothing is. `nearest`: the core memories near it, nearest first."""
        note = None if candidate.private or candidate.machine else self.leaves(candidate.note)
        if note is None:
            return STAYS
        if any(quote.text not in note.text for quote in candidate.quotes):
            return GONE
        if addressed(Shown(candidate)):
            return SPEAKS
        core: list[CoreMemory] = []
        for memory in nearest():
            if len(core) == CORE:
                break
            core += [memory] if self._core_leaves(memory) else []
        return Shown(candidate, self._around(candidate), tuple(core))

    def leaves(self, path: str, *, core: bool = False) -> Note | None:
        """A note as it is now, if it may leave; `core`: it is a core memory, wherever it lies."""
        vault, row = self.vault, self.catalog.file(path)
        inside = vault.in_memory_folder(path) and not core
        if row is None or row.private or inside or vault.excluded_by_obsidian(path) or vault.is_template(path):
            return None
        try:
            note = parse_note(path, vault.read(path).text)
        except (OSError, VaultError):
            return None
        return None if forbidden(note, self.rules, excluded=False) else note

    def _core_leaves(self, memory: CoreMemory) -> bool:
        if memory.private or ADDRESSED.search(memory.claim) or self.leaves(memory.path, core=True) is None:
            return False
        if not memory.path.startswith(f"{self.folder}/"):
            return True  # a person's own note, which says for itself whether it may
        links = map(json.loads, self.catalog.find_links(memory.path, LINKS_AT_MOST))
        own = [link["target"] for link in links if link["source"] == memory.path]
        return all(end is not None and (self._ours(end) or self.leaves(end) is not None) for end in own)

    def _ours(self, path: str) -> bool:
        """Another core memory: it is only named."""
        return path.startswith(f"{self.folder}/core/")

    # --- the days around ----------------------------------------------------------------------------------------------

    def _around(self, candidate: Candidate) -> tuple[tuple[Quote, str], ...]:
        """The sentences of the days around a candidate that have most to do with it, by day, with their notes' titles."""
        own = {quote.text for quote in candidate.quotes}
        found: list[tuple[float, str, str, int, Quote, str]] = []
        for row, day in self._rows(candidate.day):
            note = self.leaves(row.path)
            if note is None or ADDRESSED.search(note.title):
                continue
            for saying in self._read(row, note).sayings:
                text = saying.text
                if text in own or len(text) > LONGEST or ADDRESSED.search(text):
                    continue
                share = max((self.likeness.by_words(text, quote) for quote in own), default=0.0)
                if share > 0 or row.path == candidate.note:
                    quote = Quote(row.path, saying.line, text, day)
                    found.append((-share, day, row.path, saying.start, quote, note.title))
        chosen = sorted(found, key=lambda one: one[:4])[:SENTENCES]
        return tuple((one[4], one[5]) for one in sorted(chosen, key=lambda one: one[1:4]))

    def _rows(self, day: str) -> Iterator[tuple[FileRow, str]]:
        """The notes of the days around one (ISO), its own first."""
        try:
            at = date.fromisoformat(day)
        except ValueError:
            return
        if self._days is None:
            self._days = {}
            for row in self.catalog.files().values():
                if row.kind == "note" and row.status == "indexed" and row.date and not row.private:
                    self._days.setdefault(row.date[:10], []).append(row)
        left = NOTES
        for away in sorted(range(-DAYS, DAYS + 1), key=lambda n: (abs(n), n)):
            other = (at + timedelta(days=away)).isoformat()
            for row in sorted(self._days.get(other, ()), key=lambda row: row.path)[:left]:
                left -= 1
                yield row, other

    def _read(self, row: FileRow, note: Note) -> Told:
        """A note's own words, read once for each content."""
        key = (row.path, note.text)
        if key not in self._told:
            self._told[key] = told(note, self.markers)
        return self._told[key]
