"""What taking over changes works with: the indexes, how far it is, what is still to do and what was done."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.memory.ports import TextIndex, VectorIndex
from ebbtide.memory.records import FileStat


@dataclass(slots=True)
class Progress:
    """Where a long work stands: for status pages. `phase` is "idle", "scan", "parse", "links" or "vectors"."""

    phase: str = "idle"
    done: int = 0
    total: int = 0
    started: float = 0.0


@dataclass(frozen=True, slots=True)
class Pace:
    """A slice is committed after this many notes or seconds, whichever comes first."""

    notes: int = 1000
    seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Indexes:
    """The adapters that a change goes into. `near` is empty while there is no model."""

    catalog: Catalog
    notes: TextIndex
    facts: TextIndex
    near: dict[str, VectorIndex] = field(default_factory=dict)

    @contextlib.contextmanager
    def slice(self) -> Iterator[None]:
        """One transaction over the catalogue and both keyword indexes."""
        try:
            with self.catalog.write():
                yield
                self.notes.commit()
                self.facts.commit()
        except BaseException:
            self.notes.rollback()
            self.facts.rollback()
            raise


@dataclass(slots=True)
class Outcome:
    """What one reconcile or apply did."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0
    unchanged: int = 0

    @property
    def touched(self) -> bool:
        """True if anything but stats changed."""
        return bool(self.added or self.changed or self.removed or self.moved)


BY_HAND = 20
"""More files at once than this were not changed by a person."""


@dataclass(slots=True)
class Work:
    """A change set under way: files to look at (the last one first), rows of files that are gone, what was done."""

    todo: list[FileStat]
    gone: dict[str, FileRow]
    saved: bool
    """A person saved these just now."""
    by_hand: bool = False
    """So few at once that a person did it, not a sync program or git."""
    edited: list[str] = field(default_factory=list)
    """Ids of notes whose text a person changed, not told of yet."""
    outcome: Outcome = field(default_factory=Outcome)
    resolved: set[str] = field(default_factory=set)
    """Paths whose links were resolved in this work."""
    quotes: dict[int, list[str]] = field(default_factory=dict)
    """The quotes of the facts of those that are gone, by row, once somebody asked."""

    def read(self, fresh: FileRow, row: FileRow, digest: str, *, new: bool) -> None:
        """A file was taken over; `row` is what was known of it before."""
        if self.by_hand and not new and fresh.kind == "note" and row.digest != digest:
            self.edited.append(fresh.id)

    def tell(self, heard: Callable[[str], None]) -> None:
        """Say which notes a person changed, once."""
        while self.edited:
            heard(self.edited.pop())
