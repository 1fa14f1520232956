"""What is indexed: one SQLite file in the cache, disposable, holding notes, passages, links and a mirror of the facts.

The catalogue is the join between the other indexes: Tantivy knows notes and facts by their ids, USearch knows passages
and facts by their row ids, and only the catalogue knows both. It is never the truth: any doubt (a version that differs, a file that SQLite
calls malformed) moves it aside and the next scan fills a new one. Vectors live in their own file (`vectors.py`), so
that a rebuild embeds nothing twice.

One connection a thread; one thread writes notes, the embedder thread writes `ready` marks; WAL lets readers go on.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ebbtide.memory.errors import IndexDamaged, Problem

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, digest TEXT NOT NULL,
  kind TEXT NOT NULL,              -- note | canvas | memory | other
  status TEXT NOT NULL,            -- indexed | skipped | failed
  reason TEXT NOT NULL DEFAULT '',
  title TEXT NOT NULL DEFAULT '', type TEXT, date TEXT, lang TEXT NOT NULL DEFAULT 'en',
  private INTEGER NOT NULL DEFAULT 0, changed REAL NOT NULL DEFAULT 0, inlinks INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX files_title ON files(title);
CREATE TABLE passages(
  row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, headings TEXT NOT NULL, line INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  text TEXT NOT NULL, embed TEXT NOT NULL, lang TEXT NOT NULL, key BLOB NOT NULL, ready INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX passages_file ON passages(file);
CREATE INDEX passages_waiting ON passages(ready) WHERE ready = 0;
CREATE TABLE facts(
  row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE,
  record TEXT NOT NULL, embed TEXT NOT NULL, lang TEXT NOT NULL, key BLOB NOT NULL, ready INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL DEFAULT '', state TEXT NOT NULL DEFAULT 'active'
);
CREATE INDEX facts_file ON facts(file);
CREATE INDEX facts_waiting ON facts(ready) WHERE ready = 0;
CREATE TABLE evidence(fact TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(fact, path)) WITHOUT ROWID;
CREATE INDEX evidence_path ON evidence(path);
CREATE TABLE links(
  file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE, seq INTEGER NOT NULL,
  key TEXT NOT NULL, target TEXT, ambiguous INTEGER NOT NULL DEFAULT 0, record TEXT NOT NULL, PRIMARY KEY(file, seq)
) WITHOUT ROWID;
CREATE INDEX links_key ON links(key);
CREATE INDEX links_target ON links(target);
CREATE TABLE problems(path TEXT NOT NULL, line INTEGER, code TEXT NOT NULL, message TEXT NOT NULL, fix TEXT NOT NULL, severity TEXT NOT NULL);
CREATE INDEX problems_path ON problems(path);
"""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as the catalogue last saw it. `changed` is seconds since the epoch of the last change of content seen."""

    row: int
    id: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    digest: str
    kind: str
    status: str
    reason: str = ""
    title: str = ""
    type: str | None = None
    date: str | None = None
    lang: str = "en"
    private: bool = False
    changed: float = 0.0
    inlinks: int = 0


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage with its place; `row` is its label in the vector index, `key` the hash of `embed` (16 bytes)."""

    row: int
    id: str
    file: int
    ordinal: int
    headings: str
    line: int
    start: int
    stop: int
    text: str
    lang: str
    ready: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text that has no vector yet. `kind` is "passages" or "facts"."""

    kind: str
    row: int
    embed: str
    lang: str
    key: bytes


_FILE_COLUMNS = (
    "row, id, path, size, mtime_ns, inode, digest, kind, status, reason, title, type, date, lang, private, changed, inlinks"
)
_PASSAGE_COLUMNS = "p.row, p.id, p.file, p.ordinal, p.headings, p.line, p.start, p.stop, p.text, p.lang, p.ready"
KINDS = ("passages", "facts")


def _file_row(r: Sequence[Any]) -> FileRow:
    return FileRow(*r[:14], private=bool(r[14]), changed=r[15], inlinks=r[16])


def _passage_row(r: Sequence[Any]) -> PassageRow:
    return PassageRow(*r[:10], ready=bool(r[10]))


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _slices(values: Sequence[Any], size: int = 500) -> Iterator[Sequence[Any]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _link_filter(note: str | None, unresolved: bool, ambiguous: bool) -> tuple[str, list[str]]:
    parts, values = ["1"], []
    if note is not None:
        parts.append("(f.path = ? OR l.target = ?)")
        values += [note, note]
    if unresolved:
        parts.append("l.target IS NULL")
    if ambiguous:
        parts.append("l.ambiguous = 1")
    return " AND ".join(parts), values


class Catalog:
    """The catalogue of one vault. Methods are safe from any thread; writes go inside `with catalog.write():`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._writer = threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Catalog:
        """Open or create. Raises IndexDamaged when the file is not a catalogue of this version or fails a quick check."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not path.exists()
        catalog = cls(path)
        try:
            db = catalog._db()
            if fresh:
                with db:
                    db.executescript(_SCHEMA)
                    db.execute("INSERT INTO meta VALUES('schema', ?)", (str(SCHEMA_VERSION),))
                    # Labels are only good together with this very file: a new one must not meet old vector indexes.
                    db.execute("INSERT INTO meta VALUES('generation', ?)", (secrets.token_hex(8),))
            elif catalog.meta("schema") != str(SCHEMA_VERSION):
                raise IndexDamaged(f"{path} has another schema version.", "It is rebuilt from the notes.")
            elif db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise IndexDamaged(f"{path} is damaged.", "It is rebuilt from the notes.")
        except sqlite3.DatabaseError as error:
            catalog.close()
            raise IndexDamaged(f"{path} cannot be read: {error}.", "It is rebuilt from the notes.") from error
        except IndexDamaged:
            catalog.close()
            raise
        return catalog

    def _db(self) -> sqlite3.Connection:
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            # Closed from another thread on shutdown, hence the check is off; each connection still serves one thread.
            db = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("PRAGMA foreign_keys=ON")
            db.execute("PRAGMA cache_size=-8000")
            self._local.db = db
            with self._guard:
                self._connections.append(db)
        return db

    def close(self) -> None:
        """Close every thread's connection."""
        with self._guard:
            for db in self._connections:
                with contextlib.suppress(sqlite3.Error):
                    db.close()
            self._connections.clear()
        self._local = threading.local()

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """One transaction; nested use joins the outer one. Rolls back on any exception."""
        with self._writer:
            db = self._db()
            if db.in_transaction:
                yield
                return
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    # --- meta -----------------------------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """A named value, or None."""
        row = self._db().execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Keep a named value."""
        with self.write():
            self._db().execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    # --- files ----------------------------------------------------------------------------------------------------

    def files(self) -> dict[str, FileRow]:
        """Every known file by path. Proportional to the vault: for the reconcile scan only."""
        return {r[2]: _file_row(r) for r in self._db().execute(f"SELECT {_FILE_COLUMNS} FROM files")}  # noqa: S608

    def file(self, path: str) -> FileRow | None:
        """One file by path."""
        row = self._db().execute(f"SELECT {_FILE_COLUMNS} FROM files WHERE path = ?", (path,)).fetchone()  # noqa: S608
        return None if row is None else _file_row(row)

    def files_by_row(self, rows: Sequence[int]) -> dict[int, FileRow]:
        """Files by row id."""
        out: dict[int, FileRow] = {}
        for part in _slices(rows):
            sql = f"SELECT {_FILE_COLUMNS} FROM files WHERE row IN ({_marks(part)})"  # noqa: S608
            out.update((r[0], _file_row(r)) for r in self._db().execute(sql, part))
        return out

    def files_by_id(self, ids: Sequence[str]) -> dict[str, FileRow]:
        """Files by note id."""
        out: dict[str, FileRow] = {}
        for part in _slices(ids):
            sql = f"SELECT {_FILE_COLUMNS} FROM files WHERE id IN ({_marks(part)})"  # noqa: S608
            out.update((r[1], _file_row(r)) for r in self._db().execute(sql, part))
        return out

    def files_titled(self, titles: Sequence[str]) -> list[FileRow]:
        """Indexed notes whose title is one of these, exactly."""
        if not titles:
            return []
        sql = f"SELECT {_FILE_COLUMNS} FROM files WHERE title IN ({_marks(titles)}) AND status = 'indexed'"  # noqa: S608
        return [_file_row(r) for r in self._db().execute(sql, tuple(titles))]

    def notes_under(self, folder: str, as_of: str | None, limit: int) -> list[str]:
        """Paths of indexed notes that start with a folder prefix and are not dated after a day, sorted, at most `limit`."""
        sql = (
            "SELECT path FROM files WHERE status = 'indexed' AND kind IN ('note', 'memory') AND path >= ? AND path < ?"
            " AND (? IS NULL OR date IS NULL OR substr(date, 1, 10) <= substr(?, 1, length(date))) ORDER BY path LIMIT ?"
        )
        return [r[0] for r in self._db().execute(sql, (folder, folder + "\U0010ffff", as_of, as_of, limit))]

    def put_file(self, file: FileRow) -> int:
        """Insert or update by path; returns the row id. `file.row` is ignored for a new path."""
        with self.write():
            db = self._db()
            values = (
                file.id, file.path, file.size, file.mtime_ns, file.inode, file.digest, file.kind, file.status, file.reason,
                file.title, file.type, file.date, file.lang, int(file.private), file.changed,
            )
            db.execute(
                "INSERT INTO files(id, path, size, mtime_ns, inode, digest, kind, status, reason, title, type, date, lang, private, changed)"
                " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
                " ON CONFLICT(path) DO UPDATE SET id=excluded.id, size=excluded.size, mtime_ns=excluded.mtime_ns, inode=excluded.inode,"
                " digest=excluded.digest, kind=excluded.kind, status=excluded.status, reason=excluded.reason, title=excluded.title,"
                " type=excluded.type, date=excluded.date, lang=excluded.lang, private=excluded.private, changed=excluded.changed",
                values,
            )
            return int(db.execute("SELECT row FROM files WHERE path = ?", (file.path,)).fetchone()[0])

    def touch_file(self, path: str, size: int, mtime_ns: int, inode: int) -> None:
        """Remember a new stat of unchanged content."""
        with self.write():
            self._db().execute(
                "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE path = ?", (size, mtime_ns, inode, path)
            )

    def forget_digests(self) -> None:
        """Make the next reconcile read every note again: the keyword index does not hold them any more."""
        with self.write():
            self._db().execute("UPDATE files SET digest = '' WHERE kind != 'other'")

    def move_file(self, old: str, new: str) -> None:
        """Give a file another path; its id, passages, facts and links stay."""
        with self.write():
            self._db().execute("UPDATE files SET path = ? WHERE path = ?", (new, old))

    def remove_file(self, path: str) -> None:
        """Forget a file with its passages, facts, links and problems."""
        with self.write():
            self._db().execute("DELETE FROM files WHERE path = ?", (path,))
            self._db().execute("DELETE FROM problems WHERE path = ?", (path,))

    # --- passages and facts -----------------------------------------------------------------------------------------

    def put_passages(self, file: int, rows: Sequence[tuple[str, int, str, int, int, int, str, str, str, bytes, bool]]) -> list[int]:
        """Make these the passages of a file: (id, ordinal, headings, line, start, stop, text, embed, lang, key, ready).

        A passage whose embedded text is unchanged keeps its row, hence its vector label. Returns the labels that went away.
        """
        with self.write():
            db = self._db()
            old: dict[bytes, list[tuple[int, int]]] = {}
            for row, key, ready in db.execute("SELECT row, key, ready FROM passages WHERE file = ? ORDER BY ordinal", (file,)):
                old.setdefault(bytes(key), []).append((row, ready))
            # Two passages may swap ids while ordinals shift: park every old id first, so that UNIQUE(id) cannot trip.
            db.execute("UPDATE passages SET id = 'old-' || row WHERE file = ?", (file,))
            for ident, ordinal, headings, line, start, stop, text, embed, lang, key, ready in rows:
                same = old.get(key)
                if same:
                    row, was = same.pop(0)
                    db.execute(
                        "UPDATE passages SET id=?, ordinal=?, headings=?, line=?, start=?, stop=?, text=?, lang=?, ready=? WHERE row=?",
                        (ident, ordinal, headings, line, start, stop, text, lang, int(ready or was), row),
                    )
                else:
                    db.execute(
                        "INSERT INTO passages(id, file, ordinal, headings, line, start, stop, text, embed, lang, key, ready)"
                        " VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
                        (ident, file, ordinal, headings, line, start, stop, text, embed, lang, key, int(ready)),
                    )
            gone = [row for rest in old.values() for row, _ in rest]
            for part in _slices(gone):
                db.execute(f"DELETE FROM passages WHERE row IN ({_marks(part)})", part)  # noqa: S608
            return gone

    def passages_of(self, file: int) -> list[PassageRow]:
        """The passages of a file in order."""
        sql = f"SELECT {_PASSAGE_COLUMNS} FROM passages p WHERE p.file = ? ORDER BY p.ordinal"  # noqa: S608
        return [_passage_row(r) for r in self._db().execute(sql, (file,))]

    def passages(self, rows: Sequence[int]) -> dict[int, PassageRow]:
        """Passages by label."""
        out: dict[int, PassageRow] = {}
        for part in _slices(rows):
            sql = f"SELECT {_PASSAGE_COLUMNS} FROM passages p WHERE p.row IN ({_marks(part)})"  # noqa: S608
            out.update((r[0], _passage_row(r)) for r in self._db().execute(sql, part))
        return out

    def put_fact(self, file: int, ident: str, record: str, embed: str, lang: str, key: bytes, ready: bool, fact_type: str) -> int | None:
        """Insert or replace a fact by id. Returns the label that went away when the embedded text changed, else None."""
        with self.write():
            db = self._db()
            old = db.execute("SELECT row, key FROM facts WHERE id = ?", (ident,)).fetchone()
            if old is not None and bytes(old[1]) == key:
                db.execute(
                    "UPDATE facts SET file=?, record=?, lang=?, type=? WHERE row=?", (file, record, lang, fact_type, old[0])
                )
                return None
            if old is not None:
                db.execute("DELETE FROM facts WHERE row = ?", (old[0],))
            db.execute(
                "INSERT INTO facts(id, file, record, embed, lang, key, ready, type) VALUES(?,?,?,?,?,?,?,?)",
                (ident, file, record, embed, lang, key, int(ready), fact_type),
            )
            return None if old is None else int(old[0])

    def remove_facts(self, idents: Sequence[str]) -> list[int]:
        """Forget facts by id; returns their labels."""
        gone: list[int] = []
        with self.write():
            for part in _slices(idents):
                marks = _marks(part)
                gone += [r[0] for r in self._db().execute(f"SELECT row FROM facts WHERE id IN ({marks})", part)]  # noqa: S608
                self._db().execute(f"DELETE FROM facts WHERE id IN ({marks})", part)  # noqa: S608
        return gone

    def put_evidence(self, ident: str, paths: Sequence[str]) -> None:
        """Make these the further notes that state a fact."""
        with self.write():
            db = self._db()
            db.execute("DELETE FROM evidence WHERE fact = ?", (ident,))
            if paths:
                db.executemany("INSERT OR IGNORE INTO evidence VALUES(?, ?)", [(ident, path) for path in paths])

    def evidence_of(self, path: str) -> list[str]:
        """Ids of facts that live in another note and are stated in this one too."""
        return [r[0] for r in self._db().execute("SELECT fact FROM evidence WHERE path = ? ORDER BY fact", (path,))]

    def facts_of(self, file: int) -> list[tuple[int, str, str]]:
        """(label, id, record) of the facts of a file, by id."""
        return [tuple(r) for r in self._db().execute("SELECT row, id, record FROM facts WHERE file = ? ORDER BY id", (file,))]

    def facts(self, rows: Sequence[int]) -> dict[int, tuple[str, int, str]]:
        """Label -> (id, file row, record)."""
        out: dict[int, tuple[str, int, str]] = {}
        for part in _slices(rows):
            sql = f"SELECT row, id, file, record FROM facts WHERE row IN ({_marks(part)})"  # noqa: S608
            out.update((r[0], (r[1], r[2], r[3])) for r in self._db().execute(sql, part))
        return out

    def facts_by_id(self, idents: Sequence[str]) -> dict[str, tuple[int, int, str]]:
        """Id -> (label, file row, record)."""
        out: dict[str, tuple[int, int, str]] = {}
        for part in _slices(idents):
            sql = f"SELECT id, row, file, record FROM facts WHERE id IN ({_marks(part)})"  # noqa: S608
            out.update((r[0], (r[1], r[2], r[3])) for r in self._db().execute(sql, part))
        return out

    def all_facts(self) -> Iterator[str]:
        """Records of every fact by id: for rewriting facts.jsonl."""
        for (record,) in self._db().execute("SELECT record FROM facts ORDER BY id"):
            yield record

    def find_facts(self, note: str | None, fact_type: str | None, limit: int, after: str = "") -> list[str]:
        """Records by id, optionally of one note path or one type; `after` is the last id of the page before."""
        sql = "SELECT f.record FROM facts f JOIN files n ON n.row = f.file WHERE f.id > ?"
        values: list[Any] = [after]
        if note is not None:
            sql, values = sql + " AND n.path = ?", [*values, note]
        if fact_type is not None:
            sql, values = sql + " AND f.type = ?", [*values, fact_type]
        return [r[0] for r in self._db().execute(sql + " ORDER BY f.id LIMIT ?", (*values, limit))]

    def count_facts(self, note: str | None, fact_type: str | None) -> int:
        """How many facts `find_facts` pages through."""
        sql, values = "SELECT count(*) FROM facts f JOIN files n ON n.row = f.file WHERE 1", []
        if note is not None:
            sql, values = sql + " AND n.path = ?", [*values, note]
        if fact_type is not None:
            sql, values = sql + " AND f.type = ?", [*values, fact_type]
        return int(self._db().execute(sql, values).fetchone()[0])

    # --- vectors' side ----------------------------------------------------------------------------------------------

    def waiting(self, limit: int) -> list[Waiting]:
        """Texts without a vector: passages before facts, just saved before back-fill, newest and most linked first."""
        out: list[Waiting] = []
        for kind in KINDS:
            if len(out) >= limit:
                break
            sql = (
                f"SELECT x.row, x.embed, x.lang, x.key FROM {kind} x JOIN files f ON f.row = x.file WHERE x.ready = 0"  # noqa: S608
                " ORDER BY f.changed DESC, f.mtime_ns / 86400000000000 + 7 * min(f.inlinks, 8) DESC, x.row LIMIT ?"
            )
            out += [Waiting(kind, r[0], r[1], r[2], bytes(r[3])) for r in self._db().execute(sql, (limit - len(out),))]
        return out

    def mark_ready(self, items: Iterable[tuple[str, int]]) -> None:
        """Note that these labels (kind, row) have vectors."""
        with self.write():
            for kind, row in items:
                self._db().execute(f"UPDATE {kind} SET ready = 1 WHERE row = ?", (row,))  # noqa: S608

    def mark_unready(self, kind: str, rows: Sequence[int] | None = None) -> None:
        """Forget that texts of a kind have vectors: all of them (another model), or those whose vectors were lost."""
        with self.write():
            if rows is None:
                self._db().execute(f"UPDATE {kind} SET ready = 0 WHERE ready != 0")  # noqa: S608
                return
            for part in _slices(rows):
                self._db().execute(f"UPDATE {kind} SET ready = 0 WHERE row IN ({_marks(part)})", part)  # noqa: S608

    def keys(self, kind: str, ready: bool | None = None) -> list[tuple[int, str, bytes]]:
        """(label, lang, key) of a kind, by label. Proportional to the vault: for building the vector index only."""
        sql = f"SELECT row, lang, key FROM {kind}"  # noqa: S608
        if ready is not None:
            sql += f" WHERE ready = {int(ready)}"
        return [(r[0], r[1], bytes(r[2])) for r in self._db().execute(sql + " ORDER BY row")]

    def labels_under(self, kind: str, folder: str, limit: int) -> list[int]:
        """Labels with vectors whose note lies under a folder prefix."""
        sql = (
            f"SELECT x.row FROM {kind} x JOIN files f ON f.row = x.file"  # noqa: S608
            " WHERE f.path >= ? AND f.path < ? AND x.ready = 1 ORDER BY x.row LIMIT ?"
        )
        return [r[0] for r in self._db().execute(sql, (folder, folder + "\U0010ffff", limit))]

    # --- links ------------------------------------------------------------------------------------------------------

    def put_links(self, file: int, rows: Sequence[tuple[str, str | None, bool, str]]) -> None:
        """Make these the links of a file: (name key, file at the other end, ambiguous, record)."""
        with self.write():
            db = self._db()
            db.execute("DELETE FROM links WHERE file = ?", (file,))
            db.executemany(
                "INSERT INTO links VALUES(?,?,?,?,?,?)",
                [(file, seq, key, target, int(unsure), record) for seq, (key, target, unsure, record) in enumerate(rows)],
            )

    def sources_linking(self, keys: Sequence[str]) -> list[str]:
        """Paths of files that hold a link whose last segment is one of these keys."""
        out: set[str] = set()
        for part in _slices(keys):
            sql = f"SELECT DISTINCT f.path FROM links l JOIN files f ON f.row = l.file WHERE l.key IN ({_marks(part)})"  # noqa: S608
            out.update(r[0] for r in self._db().execute(sql, part))
        return sorted(out)

    def all_links(self) -> Iterator[str]:
        """Records of every edge by source and place: the lines of links.jsonl."""
        for (record,) in self._db().execute(
            "SELECT l.record FROM links l JOIN files f ON f.row = l.file ORDER BY f.path, l.seq"
        ):
            yield record

    def edges_of(self, paths: Sequence[str], limit: int = 200) -> list[tuple[str, str, str]]:
        """(source path, target path, record) of resolved edges from or to any of these paths, at most `limit` a side."""
        out: list[tuple[str, str, str]] = []
        for part in _slices(paths):
            marks = _marks(part)
            for column in ("f.path", "l.target"):
                sql = (
                    f"SELECT f.path, l.target, l.record FROM links l JOIN files f ON f.row = l.file"  # noqa: S608
                    f" WHERE {column} IN ({marks}) AND l.target IS NOT NULL LIMIT ?"
                )
                out += [tuple(r) for r in self._db().execute(sql, (*part, limit))]
        return out

    def find_links(self, note: str | None, unresolved: bool, ambiguous: bool, limit: int) -> list[str]:
        """Records of edges by source and place: of one note (from it or to it), without a target, with more than one."""
        where, values = _link_filter(note, unresolved, ambiguous)
        sql = f"SELECT l.record FROM links l JOIN files f ON f.row = l.file WHERE {where} ORDER BY f.path, l.seq LIMIT ?"  # noqa: S608
        return [r[0] for r in self._db().execute(sql, (*values, limit))]

    def count_links(self, note: str | None, unresolved: bool, ambiguous: bool) -> tuple[int, int, int]:
        """(all, unresolved, ambiguous) of the edges that `find_links` would find without a limit."""
        where, values = _link_filter(note, unresolved, ambiguous)
        sql = (
            "SELECT count(*), coalesce(sum(l.target IS NULL), 0), coalesce(sum(l.ambiguous), 0)"  # noqa: S608
            f" FROM links l JOIN files f ON f.row = l.file WHERE {where}"
        )
        found: tuple[int, int, int] = self._db().execute(sql, values).fetchone()
        return found

    def count_inlinks(self) -> None:
        """Bring every file's number of incoming links up to date."""
        with self.write():
            self._db().execute(
                "UPDATE files SET inlinks = coalesce((SELECT count(DISTINCT l.file) FROM links l WHERE l.target = files.path), 0)"
            )

    # --- problems and counts ----------------------------------------------------------------------------------------

    def put_problems(self, path: str, problems: Sequence[Problem]) -> None:
        """Make these the problems of a file."""
        with self.write():
            db = self._db()
            db.execute("DELETE FROM problems WHERE path = ?", (path,))
            db.executemany(
                "INSERT INTO problems VALUES(?,?,?,?,?,?)",
                [(p.path, p.line, p.code, p.message, p.fix, p.severity) for p in problems],
            )

    def problems(self, limit: int = 1000) -> list[Problem]:
        """What is wrong in the user's files, by path."""
        sql = "SELECT path, line, code, message, fix, severity FROM problems ORDER BY path, line LIMIT ?"
        return [Problem(*r) for r in self._db().execute(sql, (limit,))]

    def counts(self) -> dict[str, int]:
        """Numbers for the status page."""
        one = self._db().execute
        out = {f"files_{r[0]}": r[1] for r in one("SELECT status, count(*) FROM files WHERE kind != 'other' GROUP BY status")}
        out["notes"] = one("SELECT count(*) FROM files WHERE kind IN ('note', 'memory') AND status = 'indexed'").fetchone()[0]
        for kind in KINDS:
            out[kind] = one(f"SELECT count(*) FROM {kind}").fetchone()[0]  # noqa: S608
            out[f"{kind}_waiting"] = one(f"SELECT count(*) FROM {kind} WHERE ready = 0").fetchone()[0]  # noqa: S608
        out["links"] = one("SELECT count(*) FROM links").fetchone()[0]
        out["links_ambiguous"] = one("SELECT count(*) FROM links WHERE ambiguous = 1").fetchone()[0]
        out["indexed_texts"] = one("SELECT count(*) FROM files WHERE kind != 'other' AND status = 'indexed'").fetchone()[0]
        out["links_unresolved"] = one("SELECT count(*) FROM links WHERE target IS NULL").fetchone()[0]
        out["problems"] = one("SELECT count(*) FROM problems").fetchone()[0]
        return out

    def note_statuses(self, status: str | None, limit: int) -> list[tuple[Any, ...]]:
        """(path, id, title, status, reason, passages, facts, links) of notes and boards by path."""
        sql = (
            "SELECT f.path, f.id, f.title, f.status, f.reason, (SELECT count(*) FROM passages p WHERE p.file = f.row),"
            " (SELECT count(*) FROM facts x WHERE x.file = f.row), (SELECT count(*) FROM links l WHERE l.file = f.row)"
            " FROM files f WHERE f.kind != 'other'"
        )
        values: list[Any] = []
        if status is not None:
            sql, values = sql + " AND f.status = ?", [status]
        return [tuple(r) for r in self._db().execute(sql + " ORDER BY f.path LIMIT ?", (*values, limit))]

    def status_counts(self) -> dict[str, int]:
        """Number of notes and boards by status."""
        return dict(self._db().execute("SELECT status, count(*) FROM files WHERE kind != 'other' GROUP BY status ORDER BY status"))
