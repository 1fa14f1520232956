"""What the facts of a note change: earlier statements that they contradict, replace or tell a change of.

Reads the catalogue: rulings that were made when the notes were indexed are taken as they stand, nothing is compared anew
but a sentence that tells of a change with its nearest earlier facts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.memory import revisions
from ebbtide.memory.ports import VectorIndex

NEAR: Final = 0.6
"""Cosine from which a fact that tells of a change is about what an earlier fact says (algorithms.md B.8)."""
NEIGHBOURS: Final = 8
_RANK: Final = {"dispute": 0, "supersede": 1, "change": 2}


@dataclass(frozen=True, slots=True)
class Touch:
    """A fact at `line` that changes what another note says: `how` is dispute, supersede or change; `file` the other note."""

    line: int
    how: str
    file: FileRow
    core: bool = False


@dataclass(slots=True)
class Revising:
    """Looks up what facts change. `earlier` says whether a file counts as known before a day; `core` are the core's files."""

    catalog: Catalog
    facts: VectorIndex | None
    core: Collection[int]
    earlier: Callable[[FileRow, str], bool]
    _files: dict[int, FileRow | None] = field(default_factory=dict)

    def touches(self, row: FileRow, day: str, own: Collection[int]) -> list[Touch]:
        """What the facts of a note of this day change, the gravest first. `own`: lines of the person's words; no others count."""
        found = []
        for label, ident, body in self.catalog.facts_of(row.row):
            record = json.loads(body)
            if record.get("origin", "observed") == "observed" and record.get("line") in own:
                found += self._ruled(ident, record, row, day)
                if record.get("frame") == "change":
                    found += self._changed(label, record, row, day)
        return sorted(set(found), key=lambda t: (not t.core, _RANK[t.how], t.line, t.file.path))

    def _ruled(self, ident: str, record: Mapping[str, Any], row: FileRow, day: str) -> list[Touch]:
        """Disputes that are open, and what this fact took the place of."""
        standing = self.catalog.standings([ident]).get(ident)
        if standing is not None and not standing.there:
            return []
        others = [("dispute", other) for other in (standing.disputes if standing is not None else ())]
        for revision in revisions.effective(self.catalog.revisions_of(ident)):
            if revision.get("kind") == "supersede" and revision.get("object") == ident:
                others += [("supersede", str(other)) for other in revision.get("subjects") or ()]
        known = self.catalog.facts_by_id([other for _, other in others])
        return [
            touch
            for how, other in others
            if other in known and (touch := self._touch(record, how, known[other][1], row, day)) is not None
        ]

    def _changed(self, label: int, record: Mapping[str, Any], row: FileRow, day: str) -> list[Touch]:
        """The nearest earlier fact that a sentence which tells of a change is about."""
        if self.facts is None:
            return []
        hits = [hit for hit in self.facts.neighbours(label, NEIGHBOURS) if hit.cosine >= NEAR]
        known = self.catalog.facts([hit.label for hit in hits])
        touches = (self._touch(record, "change", known[hit.label][1], row, day) for hit in hits if hit.label in known)
        first = next((touch for touch in touches if touch is not None), None)
        return [] if first is None else [first]

    def _touch(self, record: Mapping[str, Any], how: str, file: int, row: FileRow, day: str) -> Touch | None:
        if file not in self._files:
            self._files[file] = self.catalog.files_by_row([file]).get(file)
        other = self._files[file]
        if other is None or other.row == row.row or not self.earlier(other, day):
            return None
        return Touch(int(record["line"]), how, other, other.row in self.core)
