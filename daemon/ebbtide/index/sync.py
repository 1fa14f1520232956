"""Change set to all indexes: what the disk says goes into catalogue, keyword index, links, facts and vectors.

The scan is the truth, events are hints: `reconcile` compares every file with the catalogue, `apply` only the paths it is
given. One thread calls these (the writer of Tantivy). Order of durability: a slice of notes is one catalogue transaction,
and Tantivy commits inside it, just before it closes. A kill between the two repeats the slice (upserts by key); the
catalogue never claims what Tantivy has lost.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.distil import Distiller, FactChange
from ebbtide.index.means import text_key
from ebbtide.memory import codec, intake
from ebbtide.memory.errors import EbbtideError, Problem, VaultError
from ebbtide.memory.ports import Clock, FactStore, Ledger, TextIndex, VectorIndex, WatchedVault
from ebbtide.memory.records import Fact, FactId, FileStat, FileText, Note, Passage
from ebbtide.parse.canvas import parse_canvas
from ebbtide.parse.dates import note_date
from ebbtide.parse.links import NameIndex, build_links, keys_of
from ebbtide.parse.note import parse_note
from ebbtide.parse.passage_key import passage_key
from ebbtide.parse.passages import is_drawing, split_passages
from ebbtide.parse.text import language

log = logging.getLogger(__name__)

SLICE_NOTES = 1000
SLICE_SECONDS = 1.0
"""A slice is committed after this many notes or seconds, whichever comes first (issue of the first row: 1 s or 1,000)."""
MEMORY_INDEXED = ("core/", "episodic/", "people/", "scenes/", "working/")


@dataclass(slots=True)
class Progress:
    """Where a long work stands: for status pages. `phase` is "idle", "scan", "parse", "links" or "vectors"."""

    phase: str = "idle"
    done: int = 0
    total: int = 0
    started: float = 0.0


@dataclass(frozen=True, slots=True)
class Indexes:
    """The adapters that a change goes into. `near` is empty while there is no model."""

    catalog: Catalog
    notes: TextIndex
    facts: TextIndex
    near: dict[str, VectorIndex] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
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


class Sync:
    """Brings the indexes in line with the vault. Not thread-safe: one owner thread."""

    def __init__(
        self, vault: WatchedVault, indexes: Indexes, facts: FactStore, revisions: Ledger, clock: Clock
    ) -> None:
        self.vault, self.indexes, self.facts, self.revisions, self.clock = vault, indexes, facts, revisions, clock
        self.names = NameIndex()
        self.progress = Progress()
        self._bulk = False
        self.changes = 0
        """Counts every visible change, for clients that poll."""
        self.links_dirty = False
        self.last_stamp = 0.0
        """Time of the last revision seen: revisions never go back in time."""
        self.distil = Distiller(indexes.catalog, clock)
        self.yield_to: Callable[[], Sequence[str]] = tuple
        """Asked between notes of a long reconcile: paths a person just saved, which go first."""
        self.stop: Callable[[], bool] = lambda: False

    # --- the two ways in ----------------------------------------------------------------------------------------------

    def reconcile(self) -> Outcome:
        """Compare the whole vault with the catalogue and take over every difference. Resumable: a kill loses one slice."""
        self.progress = Progress("scan", started=self.clock.now())
        seen = {stat.path: stat for stat in self.vault.scan() if self._visible(stat.path)}
        known = self.indexes.catalog.files()
        unreadable = tuple(self.vault.unreadable())
        self.names = NameIndex()
        for path in seen:
            self.names.add(path)
        gone = {p: row for p, row in known.items() if p not in seen and not p.startswith(unreadable or ("\0",))}
        fresh = [stat for path, stat in seen.items() if path not in known]
        stale = [stat for path, stat in seen.items() if path in known and not _same(stat, known[path])]
        # On the very first scan every note is new; none of them was just saved.
        self._bulk = not known
        # Newest first: what a person works on is recallable long before the archive is.
        todo = sorted([*fresh, *stale], key=lambda s: (-s.mtime_ns, s.path))
        done = self._take_over(todo, known, gone)
        self.progress, self._bulk = Progress(), False
        return replace(done, unchanged=len(seen) - len(todo))

    def apply(self, paths: Iterable[str]) -> Outcome:
        """Look at these paths only. A path that is a folder's stands for nothing: the watcher names its files."""
        catalog = self.indexes.catalog
        todo: list[FileStat] = []
        known: dict[str, FileRow] = {}
        gone: dict[str, FileRow] = {}
        for path in sorted(set(paths)):
            if not self._visible(path):
                continue
            stat, row = self.vault.stat(path), catalog.file(path)
            if row is not None:
                known[path] = row
            if stat is None:
                if row is not None:
                    gone[path] = row
                    self.names.remove(path)
            elif row is None or not _same(stat, row):
                todo.append(stat)
                if row is None:
                    self.names.add(path)
        return self._take_over(todo, known, gone)

    def _visible(self, path: str) -> bool:
        """False for what is in the memory folder and is neither a node nor recalled (ledgers, reports, MEMORY.md)."""
        if not self.vault.in_memory_folder(path):
            return True
        inside = path.split("/", 1)[1] if "/" in path else ""
        return path.endswith(".md") and inside.startswith(MEMORY_INDEXED)

    def adopt_facts(self, stored: Mapping[FactId, Fact]) -> None:
        """Bring the catalogue in line with facts.jsonl: foreign edits are taken over, unknown facts wait for their note."""
        catalog = self.indexes.catalog
        with catalog.write():
            change = self.distil.adopt(stored)
            self._put_facts(change)
            self.indexes.facts.commit()

    # --- a change set ---------------------------------------------------------------------------------------------------

    def _take_over(self, todo: Sequence[FileStat], known: dict[str, FileRow], gone: dict[str, FileRow]) -> Outcome:
        if not todo and not gone:
            return Outcome()
        counts = {"added": 0, "changed": 0, "removed": 0, "moved": 0}
        keys: set[str] = set()
        indexed: set[str] = set()
        gone = dict(gone)
        queue = list(reversed(todo))
        self.progress = Progress("parse", 0, len(queue), self.clock.now())
        while queue and not self.stop():
            with self.indexes.catalog.write():
                until, taken = time.monotonic() + SLICE_SECONDS, 0
                while queue and taken < SLICE_NOTES and time.monotonic() < until and not self.stop():
                    stat = queue.pop()
                    taken += 1
                    for path in self.yield_to():
                        urgent = self.vault.stat(path)
                        if urgent is not None and path != stat.path:
                            queue.append(stat)
                            stat = urgent
                            until = 0.0  # a saved note is committed at once
                    how = self._take(stat, known.get(stat.path), gone)
                    self.progress.done = min(self.progress.done + 1, self.progress.total)
                    if how is not None:
                        counts[how] += 1
                        indexed.add(stat.path)
                    if how in ("added", "moved"):
                        keys.update(keys_of(stat.path))
                self._commit_text()
            self.changes += 1
        if self.stop():
            return Outcome(**counts)
        if gone:
            with self.indexes.catalog.write():
                for path, row in sorted(gone.items()):
                    self._forget(row)
                    counts["removed"] += 1
                    keys.update(keys_of(path))
                self._commit_text()
        self._relink(keys, indexed)
        self.indexes.catalog.count_inlinks()
        self.links_dirty = self.links_dirty or bool(indexed or gone)
        self.changes += 1
        return Outcome(**counts)

    def _commit_text(self) -> None:
        self.indexes.notes.commit()
        self.indexes.facts.commit()
        puts, drops = self.distil.take_journal()
        self.facts.put(puts)
        self.facts.drop(drops)
        records = self.distil.take_revisions()
        if records:
            self.revisions.append(stamped(records, self.clock.now(), self.last_stamp))
            self.last_stamp = max(self.clock.now(), self.last_stamp + 0.001)

    def _take(self, stat: FileStat, row: FileRow | None, gone: dict[str, FileRow]) -> str | None:
        """Take over one file; returns what it was ("added", "changed", "moved"), or None if nothing changed."""
        path = stat.path
        kind = self._kind(path)
        if kind == "other":
            if row is None:
                row = self._moved_from(stat, "", gone)
            new = _file_row(stat, "other", row)
            if row is not None and row.path != path:
                self.indexes.catalog.move_file(row.path, path)
                gone.pop(row.path, None)
            self.indexes.catalog.put_file(new)
            return "added" if row is None else "changed"
        try:
            file = self.vault.read(path)
        except FileNotFoundError:
            return None  # gone again: the event that says so follows, or the next scan does
        except (VaultError, OSError) as error:
            reason = error.reason if isinstance(error, EbbtideError) else str(error)
            self._fail(stat, kind, row, reason)
            return "changed" if row else "added"
        if row is not None and row.digest == file.digest and row.status != "failed":
            self.indexes.catalog.touch_file(path, stat.size, stat.mtime_ns, stat.inode)
            return None
        how = "changed" if row is not None else "added"
        if row is None:
            before = self._moved_from(file.stat, file.digest, gone, file.text)
            if before is not None:
                self._move(before, path)
                gone.pop(before.path, None)
                row, how = replace(before, path=path), "moved"
        try:
            self._index(file, kind, row)
        except Exception as error:  # noqa: BLE001 - one odd note must never stop the others; it is listed as failed
            log.exception("indexing failed for one note")
            self._fail(stat, kind, row, f"{type(error).__name__}: {error}")
        return how

    def _kind(self, path: str) -> str:
        lower = path.lower()
        if lower.endswith(".md"):
            return "memory" if self.vault.in_memory_folder(path) else "note"
        return "canvas" if lower.endswith(".canvas") else "other"

    # --- one note ---------------------------------------------------------------------------------------------------------

    def _index(self, file: FileText, kind: str, row: FileRow | None) -> None:
        catalog, path = self.indexes.catalog, file.path
        note = parse_canvas(path, file.text) if kind == "canvas" else parse_note(path, file.text)
        now = self.clock.now()
        reason = ""
        if self.vault.excluded_by_obsidian(path):
            reason = "excluded"
        elif not note.remembered:
            reason = "memory: false"
        date = note_date(note.properties, path)
        fresh = _file_row(file.stat, kind, row)
        fresh = replace(
            fresh, digest=file.digest, status="skipped" if reason else "indexed", reason=reason, title=note.title,
            type=_text(note.properties.get("type")), date=date[0] if date else None,
            lang=language(file.text[:4000]), private=note.private, changed=0.0 if self._bulk else now,
        )
        number = catalog.put_file(fresh)
        catalog.put_problems(path, [*file.problems, *note.problems])
        if reason:
            self._empty(number, fresh)
            return
        passages = split_passages(note) if kind != "canvas" else []
        self._put_passages(number, fresh, note, passages)
        self._put_links(number, note)
        self.indexes.notes.upsert([(fresh.id, _document(note, passages))])
        if kind == "note":
            changed = self.distil.take(number, fresh, note, file.digest, iso(now))
            self._put_facts(changed)

    def _put_passages(self, number: int, row: FileRow, note: Note, passages: Sequence[Passage]) -> None:
        texts = [passage_key(note, p) for p in passages]
        keys = [text_key(text) for text in texts]
        rows: list[tuple[str, int, str, int, int, int, str, str, str, bytes, bool]] = []
        for passage, text, key in zip(passages, texts, keys, strict=True):
            headings = " > ".join(passage.headings)
            ident = _ident("p_", f"{row.id}|{headings}|{passage.ordinal}")
            rows.append((
                ident, passage.ordinal, headings, passage.line, passage.start, passage.end, passage.text, text,
                passage.lang, key, False,
            ))
        lost = self.indexes.catalog.put_passages(number, rows)
        self._drop_vectors("passages", lost)

    def _put_facts(self, changed: FactChange) -> None:
        if changed.gone_ids:
            self.indexes.facts.delete(changed.gone_ids)
        if changed.documents:
            self.indexes.facts.upsert(changed.documents)
        self._drop_vectors("facts", changed.gone_labels)

    def _put_links(self, number: int, note: Note) -> None:
        written = {(raw.offset, raw.kind, raw.raw): raw.path for raw in note.links}
        rows = []
        for link in build_links(note, self.names):
            # An inverse edge names this note as its target; what the graph needs is the file at the other end.
            other = link.origin if link.target == note.path and link.origin != note.path else link.target
            key = self.names.key(written[link.offset, link.kind, link.raw])
            rows.append((key, other, link.ambiguous, codec.line(codec.link_to_dict(link))))
        self.indexes.catalog.put_links(number, rows)

    def _drop_vectors(self, kind: str, labels: Sequence[int]) -> None:
        index = self.indexes.near.get(kind)
        if index is not None and labels:
            index.remove(labels)

    def _empty(self, number: int, row: FileRow) -> None:
        """Keep nothing of a file but its name."""
        self._drop_vectors("passages", self.indexes.catalog.put_passages(number, []))
        self.indexes.catalog.put_links(number, [])
        self.indexes.notes.delete([row.id])
        self._put_facts(self.distil.forget(number, row.path))

    def _forget(self, row: FileRow) -> None:
        if row.kind != "other":
            self._empty(row.row, row)
        self.indexes.catalog.remove_file(row.path)

    def _fail(self, stat: FileStat, kind: str, row: FileRow | None, reason: str) -> None:
        """List a file as failed and keep what was known of it; its digest is cleared, so that the next look tries again."""
        new = _file_row(stat, kind, row)
        self.indexes.catalog.put_file(replace(new, digest="", status="failed", reason=reason))
        problem = Problem(stat.path, None, "note-failed", reason, "open the note and look; the rest of the vault is unaffected", "error")
        self.indexes.catalog.put_problems(stat.path, [problem])

    # --- names, links, moves ------------------------------------------------------------------------------------------------

    def _relink(self, keys: set[str], already: set[str]) -> None:
        """Resolve again only the links whose last segment is that of a file that came, went or moved."""
        sources = [p for p in self.indexes.catalog.sources_linking(sorted(keys)) if p not in already]
        if not sources:
            return
        self.progress = Progress("links", 0, len(sources), self.clock.now())
        for start in range(0, len(sources), 500):
            with self.indexes.catalog.write():
                for path in sources[start : start + 500]:
                    row = self.indexes.catalog.file(path)
                    if row is None or row.status != "indexed":
                        continue
                    try:
                        text = self.vault.read(path).text
                    except (OSError, VaultError):
                        continue  # its own change is on its way
                    note = parse_canvas(path, text) if row.kind == "canvas" else parse_note(path, text)
                    self._put_links(row.row, note)
                    self.progress.done += 1
        self.links_dirty = True

    def _moved_from(
        self, stat: FileStat, digest: str, gone: dict[str, FileRow], text: str = ""
    ) -> FileRow | None:
        """The file that this new path used to be: same content, else same inode or facts' quotes that mostly live on here."""
        kind = self._kind(stat.path)
        rows = [row for row in gone.values() if row.kind == kind]
        if digest:
            same = [row for row in rows if row.digest == digest]
            if same:
                return min(same, key=lambda r: (r.inode != stat.inode, not r.path.endswith("/" + stat.path.rsplit("/", 1)[-1]), r.path))
        best: tuple[float, str] | None = None
        found: FileRow | None = None
        for row in rows[:200] if text else ():
            quotes = self.distil.quotes_of(row.row)
            share = sum(quote in text for quote in quotes) / len(quotes) if quotes else 0.0
            needed = 0.5 if row.inode == stat.inode else 0.8
            if quotes and share >= needed and (best is None or (share, row.path) > best):
                best, found = (share, row.path), row
        return found

    def _move(self, row: FileRow, path: str) -> None:
        self.indexes.catalog.move_file(row.path, path)
        self.distil.moved(row.path, path)
        self.distil.record(intake.move(row.id, row.path, path, "the file was renamed or moved"))
        self.names.remove(row.path)


def _same(stat: FileStat, row: FileRow) -> bool:
    return row.digest != "" and (stat.size, stat.mtime_ns, stat.inode) == (row.size, row.mtime_ns, row.inode)


def _ident(prefix: str, text: str) -> str:
    return prefix + text_key(text)[:8].hex()


def note_id(path: str) -> str:
    """The id a note gets when its path is first seen."""
    return _ident("n_", path)


def _file_row(stat: FileStat, kind: str, row: FileRow | None) -> FileRow:
    """The row of a file at its present stat; identity and what is known of it come from the row before, if there is one."""
    if row is None:
        row = FileRow(0, note_id(stat.path), stat.path, 0, 0, 0, "-", kind, "indexed")
    return replace(row, path=stat.path, size=stat.size, mtime_ns=stat.mtime_ns, inode=stat.inode, kind=kind, reason="")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def iso(seconds: float) -> str:
    """UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def stamped(records: Sequence[dict[str, Any]], now: float, last: float) -> list[dict[str, Any]]:
    """Revisions with time and id: never before the last one seen, each a millisecond after the other (formats.md 4)."""
    out: list[dict[str, Any]] = []
    for number, record in enumerate(records):
        at = max(now, last + 0.001) + number / 1000
        when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = {"at": when, **record, "undoes": record.get("undoes")}
        out.append({"id": _ident("r_", codec.line(body)), **body})
    return out


def _document(note: Note, passages: Sequence[Passage]) -> dict[str, str]:
    """A note as a keyword document: names as title; path, properties and the whole text as body (a drawing's data left out)."""
    title = "\n".join(dict.fromkeys([note.title, note.path.rsplit("/", 1)[-1].removesuffix(".md"), *note.aliases]))
    values = [str(value) for value in note.properties.values() if isinstance(value, str | int | float)]
    values += [str(v) for value in note.properties.values() if isinstance(value, list) for v in value if isinstance(v, str)]
    text = "\n".join(p.text for p in passages) if is_drawing(note) else note.text[note.body :]
    return {"path": note.path, "title": title, "body": "\n".join([note.path.removesuffix(".md"), *values, text])}
