"""Change set to all indexes: what the disk says goes into catalogue, keyword index, links, facts and vectors.

The scan is the truth, events are hints: `reconcile` compares every file with the catalogue, `apply` only the paths it is
given. One thread calls these (the writer of Tantivy). Order of durability: a slice of notes is one catalogue transaction,
and Tantivy commits inside it, just before it closes; vectors are dropped and the memory folder hears of it afterwards. A
kill between any two repeats what is missing: documents are upserted by key, labels that the catalogue does not know are
dropped when the vector index is opened, names whose links were not looked at again and news for the memory folder stand in
the catalogue. A rollback takes Tantivy's uncommitted work with it.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, takewhile

from ebbtide.index import reading
from ebbtide.index.catalog import FileRow
from ebbtide.index.changes import BY_HAND, Indexes, Outcome, Pace, Progress, Work
from ebbtide.index.decisions import Decisions
from ebbtide.index.distil import Distilled, Distiller, FactChange
from ebbtide.index.linker import Linker, moved_from
from ebbtide.index.outbox import Outbox, iso
from ebbtide.memory import intake
from ebbtide.memory.errors import EbbtideError, IndexDamaged, Problem, VaultError
from ebbtide.memory.ports import Clock, WatchedVault
from ebbtide.memory.records import Fact, FactId, FileStat, FileText, Note
from ebbtide.parse.links import NameIndex

log = logging.getLogger(__name__)

MEMORY_INDEXED = ("core/", "episodic/", "people/", "scenes/", "working/")


class Sync:
    """Brings the indexes in line with the vault. Not thread-safe: one owner thread."""

    def __init__(
        self, vault: WatchedVault, indexes: Indexes, outbox: Outbox, clock: Clock, pace: Pace | None = None
    ) -> None:
        self.vault, self.indexes, self.outbox, self.clock = vault, indexes, outbox, clock
        self.pace = pace or Pace()
        self.linker = Linker(vault, indexes.catalog)
        self.progress = Progress()
        self.changes = 0
        """Counts every visible change, for clients that poll."""
        self.decisions = Decisions(indexes.catalog, outbox)
        self.distil = Distiller(indexes.catalog, outbox, self.decisions)
        self._root: tuple[int, int] | None = None
        """Which folder the vault was when it was last compared as a whole."""
        self.comparisons = 0
        """How often everything was compared: before the first time, a kill may have left the indexes a slice apart."""
        self.yield_to: Callable[[], Sequence[str]] = tuple
        """Asked between notes of a long work: paths a person just saved, which go first."""
        self.on_saved: Callable[[], None] = lambda: None
        """Called when such paths are taken in."""
        self.stop: Callable[[], bool] = lambda: False
        self.on_read: Callable[[str, Note, FileRow], None] = lambda *_: None
        """Called within the slice when a note was indexed with this content."""
        self.on_edited: Callable[[str], None] = lambda _ident: None
        """Called with the id of a note whose text a person has just changed."""
        self.on_gone: Callable[[str], None] = lambda _path: None
        """Called when a note is not there any more, not under this path, or may not be remembered."""

    @property
    def links_dirty(self) -> bool:
        """True while links.jsonl may not say what the catalogue says."""
        return self.linker.dirty

    # --- the two ways in ----------------------------------------------------------------------------------------------

    def reconcile(self) -> Outcome:
        """Compare the whole vault with the catalogue and take over every difference. Resumable: a kill loses one slice."""
        self.progress = Progress("scan", started=self.clock.now())
        try:
            known = self.indexes.catalog.files()
            seen = self._scan()
            if known.keys() - seen.keys():
                # What moved during the scan may have been seen in neither place: a second look finds where it went.
                seen |= self._scan()
            if self.stop():
                return Outcome()  # what a scan that was broken off has not seen is not gone
            blind = tuple(self.vault.unreadable())  # not seen there does not mean gone
            lost = {path: row for path, row in known.items() if path not in seen}
            gone = {path: row for path, row in lost.items() if not path.startswith(blind)}
            self.linker.names = NameIndex([*seen, *(lost.keys() - gone.keys())])
            self._root = self.vault.root_identity()
            todo = [stat for path, stat in seen.items() if self._differs(stat, known.get(path))]
            # Newest first: what a person works on is recallable long before the archive is.
            todo.sort(key=lambda stat: (stat.mtime_ns, stat.path))
            work = Work(todo, gone, saved=False, outcome=Outcome(unchanged=len(seen) - len(todo)))
            self._take_over(work)
            if work.outcome.touched:
                self.indexes.catalog.rank_waiting()
            if not self.stop():
                self.comparisons += 1
                with self.indexes.catalog.write():
                    self.distil.bury()
            return work.outcome
        finally:
            self.progress = Progress()

    def _scan(self) -> dict[str, FileStat]:
        asked = takewhile(lambda _: not self.stop(), self.vault.scan())  # which is a sign of life, too
        return {stat.path: stat for stat in asked if self._visible(stat.path)}

    def apply(self, paths: Iterable[str]) -> Outcome:
        """Look at these paths only. A path that is a folder's stands for nothing: the watcher names its files.

        Before anything was compared as a whole it is not known which names there are: then that comes first.
        """
        if self._root is None:
            return self.reconcile()
        work = Work([], {}, saved=True)
        for path in sorted(set(paths), reverse=True):
            if not self._visible(path):
                continue
            stat, row = self.vault.stat(path), self.indexes.catalog.file(path)
            if stat is not None:
                self.linker.names.add(path)  # it may have been taken out while it was away for a moment
                if self._differs(stat, row):
                    work.todo.append(stat)
            elif row is not None:
                work.gone[path] = row
                self.linker.names.remove(path)
        if work.gone and self.vault.root_identity() != self._root:
            raise VaultError("The vault was replaced.", "It is compared as a whole before anything is taken out.")
        work.by_hand = len(work.todo) <= BY_HAND
        before = self.progress
        try:
            self._take_over(work)
        finally:
            self.progress = before
        return work.outcome

    def adopt_facts(self, stored: Mapping[FactId, Fact], forgotten: Sequence[Fact] = ()) -> None:
        """Bring the catalogue in line with facts.jsonl: foreign edits are taken over, unknown facts wait for their note.

        `forgotten` are facts whose lines a person took out: they are not to come back when their note is read again.
        """
        with self.indexes.slice():
            for fact in forgotten:
                self.decisions.record(intake.forgetting(fact))
                self.outbox.history.forget(fact)
            self.put_facts(self.distil.adopt(stored))
        self.outbox.deliver()

    def _visible(self, path: str) -> bool:
        """False for what is in the memory folder and is neither a node nor recalled (ledgers, reports, MEMORY.md)."""
        if not self.vault.in_memory_folder(path):
            return True
        parts = path.split("/")
        inside = next((n for n in range(1, len(parts)) if self.vault.in_memory_folder("/".join(parts[:n]))), len(parts))
        return path.endswith(".md") and "/".join(parts[inside:]).startswith(MEMORY_INDEXED)

    def _differs(self, stat: FileStat, row: FileRow | None) -> bool:
        if row is None or row.again or row.status == "pending":
            return True
        same = (stat.size, stat.mtime_ns, stat.inode) == (row.size, row.mtime_ns, row.inode)
        return not same or (row.kind != "other" and not self._same_role(row, stat.path))

    def _same_role(self, row: FileRow, path: str) -> bool:
        """Whether Obsidian's settings say of a file what they said when it was read: excluded, a template, or neither."""
        if self.vault.excluded_by_obsidian(path) != (row.reason == reading.EXCLUDED):
            return False
        read = row.kind == "note" and row.status == "indexed"
        return not read or self.vault.is_template(path) == (row.reason == reading.TEMPLATE)

    # --- a change set -------------------------------------------------------------------------------------------------

    def _take_over(self, work: Work) -> None:
        if work.todo or work.gone:
            self._register(work)
            self.progress = Progress("parse", 0, len(work.todo), self.clock.now())
        while (work.todo or work.gone) and not self.stop():
            with self.indexes.slice():
                saved = self._take_slice(work)
            work.tell(self.on_edited)
            if not work.saved:  # what a person saved is searched for before the memory folder is told
                self.outbox.deliver()
            self.changes += 1
            if saved:
                self._apply_between(saved)
        if not self.stop():
            self._relink(work)

    def _relink(self, work: Work) -> None:
        """Resolve links again by the names that came or went; after a comparison of everything also what a kill left over."""
        keys = self.linker.take_stale() if work.saved else self.linker.left_stale()
        for done, total in self.linker.resolve_again(keys, work.resolved):
            self.progress = Progress("links", done, total, self.progress.started)
            self.changes += 1
            if self.stop():
                return
            if not work.saved and (saved := self.yield_to()):
                self._apply_between(saved)

    def _apply_between(self, saved: Sequence[str]) -> None:
        self.apply(saved)
        self.on_saved()

    def _register(self, work: Work) -> None:
        """Give every new file its row before any is read: which names there are is then known whatever is killed."""
        catalog = self.indexes.catalog
        first = catalog.empty()
        with catalog.write():
            for stat in work.todo:
                if catalog.file(stat.path) is None:
                    catalog.put_file(self._row(stat, None))
                    if not first:  # nothing can link to it yet
                        self.linker.came_or_went(stat.path)

    def _take_slice(self, work: Work) -> Sequence[str]:
        """Take files until the slice is full or a person saves something: those paths."""
        until, taken = time.monotonic() + self.pace.seconds, 0
        while (work.todo or work.gone) and not self.stop():
            saved = () if work.saved else self.yield_to()
            if saved:
                return saved
            if taken >= self.pace.notes or time.monotonic() >= until:
                break
            taken += 1
            if work.todo:
                self._take(work.todo.pop(), work)
                self.progress.done += 1
            else:  # what went is taken out last: it may turn up under another name
                self._lose(work.gone.popitem()[1], work)
        return ()

    def _lose(self, row: FileRow, work: Work) -> None:
        catalog = self.indexes.catalog
        if catalog.file(row.path) is None:
            return  # it was taken care of meanwhile
        if self.vault.stat(row.path) is not None:
            self.linker.names.add(row.path)  # it is there again: its event, or the next scan, says what became of it
            return
        if row.kind != "other":
            self._empty(row)
        catalog.remove_file(row.path)
        self.linker.came_or_went(row.path)
        work.outcome.removed += 1

    def _take(self, stat: FileStat, work: Work) -> None:
        """Take over one file."""
        catalog, path = self.indexes.catalog, stat.path
        row = catalog.file(path)
        if row is None or not self._differs(stat, row):
            return  # another look, between two slices, was faster
        new = row.status == "pending"
        fresh = self._row(stat, row)
        if fresh.kind == "other":
            catalog.put_file(replace(fresh, digest="-", status="indexed"))
            self._count(work, new=new)
            return
        try:
            file = self.vault.read(path)
        except FileNotFoundError:
            return  # gone again: the event that says so follows, or the next scan does
        except (VaultError, OSError) as error:
            self._fail(fresh, work, error.reason if isinstance(error, EbbtideError) else str(error), new=new)
            return
        same = row.digest == file.digest and not row.again and row.status in ("indexed", "skipped")
        if same and self._same_role(row, path):
            catalog.touch_file(path, file.stat.size, file.stat.mtime_ns, file.stat.inode)
            return
        before = self._moved_from(file, fresh, work) if new else None
        if before is not None:
            fresh = self._row(file.stat, before)
            if before.path in self.linker.names:
                # Nobody told of its departure: what was read so far may link to it there.
                self.linker.names.remove(before.path)
                work.resolved.clear()
        fresh = replace(fresh, changed=self.clock.now() if work.saved else 0.0)
        try:
            excluded, template = self.vault.excluded_by_obsidian(path), self.vault.is_template(path)
            found = self.linker.read(file, fresh, excluded=excluded, template=template)
            facts = self._plan_facts(before or row, found)
        except (IndexDamaged, sqlite3.Error, MemoryError):
            raise
        except Exception as error:
            # One odd note must never stop the others; nothing was written of it, and it is listed as failed.
            log.exception("reading failed for one note")
            self._fail(
                fresh if before is None else self._row(stat, row), work, f"{type(error).__name__}: {error}", new=new
            )
            return
        if before is not None:
            self._move(before, path)
            work.gone.pop(before.path, None)
            work.outcome.moved += 1
        else:
            self._count(work, new=new)
        self._write(found, facts, fresh.document)
        work.resolved.add(path)
        work.read(fresh, row, file.digest, new=new)

    def _moved_from(self, file: FileText, fresh: FileRow, work: Work) -> FileRow | None:
        """Which file this new one used to be, among those that are gone.

        A folder made just now is not watched yet: an arrival is told before the departure. What moves during a scan is seen twice.
        """
        same = self.indexes.catalog.files_like(file.digest)
        gone = [row for row in same if row.path not in work.gone and self.vault.stat(row.path) is None]
        return moved_from(file, fresh, [*work.gone.values(), *gone], lambda row: self._quotes(row, work))

    def _quotes(self, row: FileRow, work: Work) -> Sequence[str]:
        if row.row not in work.quotes:
            work.quotes[row.row] = self.distil.quotes_of(row.row)
        return work.quotes[row.row]

    def _plan_facts(self, row: FileRow, found: reading.Reading) -> Distilled | None:
        if found.file.kind != "note" or found.file.status != "indexed":
            return None
        before = row.path if row.path != found.file.path else None
        mute = found.file.reason == reading.TEMPLATE
        return self.distil.plan(row.row, found.file, found.note, iso(self.clock.now()), before, mute=mute)

    def _count(self, work: Work, *, new: bool) -> None:
        work.outcome.added += new
        work.outcome.changed += not new

    def _row(self, stat: FileStat, row: FileRow | None) -> FileRow:
        """The row of a file at its present stat; identity and what is known of it come from the row before, if there is one."""
        if row is None:
            kind = reading.kind_of(stat.path, memory=self.vault.in_memory_folder(stat.path))
            row = FileRow(0, self.new_id(stat.path), stat.path, 0, 0, 0, "", kind, "pending")
        return replace(row, path=stat.path, size=stat.size, mtime_ns=stat.mtime_ns, inode=stat.inode, again=False)

    def new_id(self, path: str) -> str:
        """The id by the path when first seen; one that belongs to a note that was renamed is left to it."""
        history = self.outbox.history
        candidates = chain([history.ids.get(path)], (reading.note_id(path, number) for number in count()))
        return next(
            ident
            for ident in candidates
            if ident and history.owners.get(ident, path) == path and not self.indexes.catalog.files_by_id([ident])
        )

    # --- one note -----------------------------------------------------------------------------------------------------

    def _write(self, found: reading.Reading, facts: Distilled | None, before: str) -> None:
        """Store what was read; `before` is the hash of the keyword document that is there."""
        catalog = self.indexes.catalog
        row = replace(found.file, row=catalog.put_file(found.file))
        if row.status == "skipped":
            self._empty(row, found.problems)
            return
        catalog.put_outline(row.row, found.outline, found.note.aliases)
        catalog.put_episode(row.row, found.episode)
        catalog.put_problems(row.path, found.problems)
        self._drop_vectors("passages", catalog.put_passages(row.row, found.passages))
        self.linker.put(row.row, found.links, found.link_keys)
        if found.document is not None and row.document != before:
            self.indexes.notes.upsert([(row.id, found.document)])
        if facts is not None:
            self.put_facts(self.distil.carry_out(facts, row))
        if row.kind == "note" and row.reason != reading.TEMPLATE:
            self.on_read(row.path, found.note, row)

    def put_facts(self, changed: FactChange) -> None:
        """Bring what changed about facts into the other indexes. Within a slice."""
        if changed.gone_ids:
            self.indexes.facts.delete(changed.gone_ids)
        if changed.documents:
            self.indexes.facts.upsert(changed.documents)
        self._drop_vectors("facts", changed.gone_labels)

    def _drop_vectors(self, kind: str, labels: Sequence[int]) -> None:
        index = self.indexes.near.get(kind)
        if index is not None and labels:
            self.indexes.catalog.after_commit(lambda: index.remove(labels))

    def _empty(self, row: FileRow, problems: Sequence[Problem] = ()) -> None:
        """Keep nothing of a file but its name and what is wrong with it."""
        catalog = self.indexes.catalog
        catalog.put_problems(row.path, problems)
        catalog.put_outline(row.row, None)
        catalog.put_episode(row.row, None)
        self._drop_vectors("passages", catalog.put_passages(row.row, []))
        self.linker.put(row.row, [], [])
        self.indexes.notes.delete([row.id])
        self.put_facts(self.distil.forget(row.row, row.path))
        self.on_gone(row.path)

    def _fail(self, row: FileRow, work: Work, reason: str, *, new: bool) -> None:
        """List a file as failed and keep what was known of it; the next look tries again."""
        self.indexes.catalog.put_file(replace(row, again=True, status="failed", reason=reason))
        fix = "open the note and look; the rest of the vault is unaffected"
        self.indexes.catalog.put_problems(row.path, [Problem(row.path, None, "note-failed", reason, fix, "error")])
        self._count(work, new=new)

    def _move(self, row: FileRow, path: str) -> None:
        self.indexes.catalog.move_file(row.path, path)
        self.on_gone(row.path)
        self.linker.came_or_went(row.path, path)
        self.put_facts(self.distil.moved(row.path, path))
        self.decisions.record(intake.move(row.id, row.path, path, "the file was renamed or moved"))
