"""Filling a keyword index anew, step by step, from the notes on disk and the facts in the catalogue.

Two reasons: its files were lost or made by another version, then it is filled where it is; or too much in it is deleted
(deleted documents count in Tantivy's scores until they are gone), or a person asks for it, then a copy grows beside it,
hears of every change meanwhile, and takes its place at the end. Which folder holds a whole index stands in the catalogue,
in the transaction that makes it whole: a kill at any moment leaves the old one, or one that is known to be incomplete.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ebbtide.index import reading
from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.distil import documents
from ebbtide.memory.errors import IndexDamaged, VaultError
from ebbtide.memory.ports import TextIndex, Vault

log = logging.getLogger(__name__)

Documents = Sequence[tuple[str, Mapping[str, str]]]
_NOTES_AT_ONCE, _FACTS_AT_ONCE = 20, 500


class Refillable(TextIndex, Protocol):
    """A keyword index that can be made anew."""

    damaged: str

    @property
    def folder(self) -> Path:
        """Where its files are."""

    def deleted_share(self) -> float:
        """Share of deleted documents among those that count in scores."""

    def count(self) -> int:
        """Live documents."""

    def sound(self) -> bool:
        """Read every file and compare it with its checksum."""

    def reset(self) -> None:
        """Begin anew and empty."""

    def begin_copy(self, folder: Path) -> None:
        """Begin a copy."""

    def copy(self, docs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        """Put documents into the copy."""

    def drop_copy(self) -> None:
        """Give the copy up."""

    def switch(self) -> None:
        """Let the copy take the place of the index."""


@dataclass(slots=True)
class _Job:
    """A refill under way: of the index where it is, or into a copy; `after` is the last row that was taken."""

    copy: Path | None
    after: int = 0


class Refiller:
    """Keeps the keyword indexes whole and free of what is deleted. For the thread that owns their writers."""

    def __init__(
        self, vault: Vault, catalog: Catalog, indexes: Mapping[str, Refillable], version: str, merge_deleted: float
    ) -> None:
        """`indexes` are "notes" and "facts"; those that the catalogue does not call whole are filled first."""
        self.vault, self.catalog, self.indexes, self.version = vault, catalog, indexes, version
        self.merge_deleted = merge_deleted
        self._checked = False
        self._jobs = {name: _Job(None) for name in indexes if not self._whole(name)}
        if (
            self._jobs and catalog.empty()
        ):  # nothing to fill in: they are whole, and stay so if the first reading is cut off
            self.run()

    def _whole(self, name: str) -> bool:
        return self.catalog.meta(f"text-{name}") == f"{self.version}|{self.indexes[name].folder.name}"

    @property
    def busy(self) -> bool:
        """True while something is filled anew."""
        return bool(self._jobs)

    @property
    def incomplete(self) -> bool:
        """True while an index that is searched does not hold everything."""
        return any(job.copy is None for job in self._jobs.values())

    def order(self, name: str) -> None:
        """Make an index anew beside the one that answers. One that is being filled where it is goes on."""
        if name in self._jobs and self._jobs[name].copy is None:
            return
        index = self.indexes[name]
        folder = index.folder.with_name(f"text-{name}-{secrets.token_hex(4)}")
        index.begin_copy(folder)
        self._jobs[name] = _Job(folder)
        log.info("the keyword index of %s is made anew", name)

    def check(self, *, count: bool = True) -> None:
        """Begin anew with indexes that turned out damaged, or (`count`) do not hold as many documents as they should.

        The first time every file is read: a flipped byte shows in no other way.
        """
        first, self._checked = not self._checked, True
        bad = [
            name
            for name, index in self.indexes.items()
            if name not in self._jobs and not self._good(name, index, count)
        ]
        if first:
            bad += [
                name for name, index in self.indexes.items() if name not in (*self._jobs, *bad) and not index.sound()
            ]
        self.restart(bad)

    def _good(self, name: str, index: Refillable, count: bool) -> bool:
        if index.damaged or not count:
            return not index.damaged
        try:
            return index.count() == (
                self.catalog.count_texts() if name == "notes" else self.catalog.count_facts(None, None)
            )
        except IndexDamaged:
            return False

    def restart(self, names: Iterable[str]) -> None:
        """Throw these indexes away and fill them where they are."""
        for name in names:
            log.warning("the keyword index of %s is damaged or incomplete: it is filled again", name)
            self.catalog.set_meta(f"text-{name}", None)  # first: from here on it is not taken for whole
            self.indexes[name].reset()
            self._jobs[name] = _Job(None)

    def look(self) -> None:
        """Order a copy of every index in which too much is deleted."""
        for name, index in self.indexes.items():
            if name not in self._jobs and index.deleted_share() > self.merge_deleted:
                self.order(name)

    def step(self, seconds: float, interrupted: Callable[[], bool] = lambda: False) -> bool:
        """Go on for about this long; True if there is more to do. Each step is committed."""
        for name in list(self._jobs):
            index, job = self.indexes[name], self._jobs[name]
            until = time.monotonic() + seconds
            done = False
            try:
                with self.catalog.write():
                    while not done and time.monotonic() < until and not interrupted():
                        part, job.after = self._part(name, job.after)
                        (index.copy if job.copy is not None else index.upsert)(part)
                        done = not part
                    index.commit()
                    if done:
                        folder = job.copy or index.folder
                        self.catalog.set_meta(f"text-{name}", f"{self.version}|{folder.name}")
            except BaseException:
                index.rollback()
                job.after = 0  # what was rolled back is not in it: upserts make up for the rest
                raise
            if not done:
                return True
            del self._jobs[name]
            if job.copy is not None:
                index.switch()
        return False

    def run(self) -> None:
        """To the end, here and now."""
        while self.step(1.0):
            pass

    def _part(self, name: str, after: int) -> tuple[Documents, int]:
        """The next documents, and the row to go on from; none at the end."""
        if name == "facts":
            facts = self.catalog.facts_after(after, _FACTS_AT_ONCE)
            return documents(record for _, record in facts), facts[-1][0] if facts else after
        files = self.catalog.texts_after(after, _NOTES_AT_ONCE)
        return [(file.id, self._document(file)) for file in files], files[-1].row if files else after

    def _document(self, file: FileRow) -> Mapping[str, str]:
        """A note's keyword document, from the disk; where that is not what the catalogue knows, from its passages."""
        passages = [passage.text for passage in self.catalog.passages_of(file.row)]
        with contextlib.suppress(OSError, VaultError):
            text = self.vault.read(file.path)
            if text.digest == file.digest:
                return reading.document(reading.parse(file.kind, file.path, text.text), passages)
        self.catalog.forget_document(file.path)  # unreadable, or changed: it is read whole again as soon as it can be
        body = "\n".join([file.path.removesuffix(".md"), *passages])
        return {"path": file.path, "title": file.title, "body": body}
