"""The catalogue's SQLite file: one connection a thread, transactions, and what happens when the file is damaged.

Readers go on beside the one writer (WAL). Writers take turns in the order they came: the indexer, which writes all the
time while a vault is read for the first time, would otherwise never let the embedder in.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from ebbtide.memory.errors import CatalogDamaged, IndexDamaged

SCHEMA_VERSION = 11
KINDS = ("passages", "facts")
"""What is embedded: the names of two tables, of two vector indexes, and of the channels' settings."""

WANTED = (
    "(SELECT CASE WHEN f.changed > 0 THEN f.changed ELSE f.mtime_ns / 86400000000000 + 7 * min(f.inlinks, 8) END"
    " FROM files f WHERE f.row = {file})"
)
"""How much a text is wanted: the second a person saved its note; else days of its age, a week more for each link to it."""
SAVED = 1e8
"""`wanted` above this is a time in seconds: a saved note; below, a day number: back-fill."""

_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, path TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, digest TEXT NOT NULL,
  kind TEXT NOT NULL,              -- note | canvas | memory | other
  status TEXT NOT NULL,            -- pending | indexed | skipped | failed
  reason TEXT NOT NULL DEFAULT '',
  title TEXT NOT NULL DEFAULT '', type TEXT, date TEXT, lang TEXT NOT NULL DEFAULT 'en',
  private INTEGER NOT NULL DEFAULT 0, changed REAL NOT NULL DEFAULT 0,
  document TEXT NOT NULL DEFAULT '', again INTEGER NOT NULL DEFAULT 0, archived TEXT, until TEXT, fate TEXT,
  inlinks INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX files_title ON files(title);
CREATE INDEX files_digest ON files(digest);
CREATE INDEX files_date ON files(date) WHERE date IS NOT NULL;
CREATE INDEX files_status ON files(status, kind);
CREATE TABLE passages(
  row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, headings TEXT NOT NULL, line INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  text TEXT NOT NULL, embed TEXT NOT NULL, lang TEXT NOT NULL, key BLOB NOT NULL,
  ready INTEGER NOT NULL DEFAULT 0, wanted REAL NOT NULL DEFAULT 0
);
CREATE INDEX passages_file ON passages(file);
CREATE INDEX passages_waiting ON passages(wanted DESC, row) WHERE ready = 0;
CREATE TABLE facts(
  row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE,
  record TEXT NOT NULL, embed TEXT NOT NULL, lang TEXT NOT NULL, key BLOB NOT NULL, type TEXT NOT NULL,
  ready INTEGER NOT NULL DEFAULT 0, wanted REAL NOT NULL DEFAULT 0,
  compared INTEGER NOT NULL DEFAULT 0,    -- with its nearest neighbours, for contradictions
  due TEXT                                -- the day after which it must be looked at again
);
CREATE INDEX facts_uncompared ON facts(row) WHERE ready = 1 AND compared = 0;
CREATE INDEX facts_due ON facts(due) WHERE due IS NOT NULL;
CREATE INDEX facts_file ON facts(file);
CREATE INDEX facts_type ON facts(type, id);
CREATE INDEX facts_derived ON facts(id) WHERE instr(record, '"derived_from"') > 0;
CREATE INDEX facts_waiting ON facts(wanted DESC, row) WHERE ready = 0;
CREATE TABLE evidence(fact TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(fact, path)) WITHOUT ROWID;
CREATE INDEX evidence_path ON evidence(path);
CREATE TABLE links(
  row INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: an older picture of the graph must not find another edge
  file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE, seq INTEGER NOT NULL,
  target TEXT, ambiguous INTEGER NOT NULL, record TEXT NOT NULL,
  type TEXT NOT NULL, strong INTEGER NOT NULL, declared INTEGER NOT NULL, confidence REAL NOT NULL,
  inward INTEGER NOT NULL,                -- it leads from the target to the file
  origin TEXT                             -- where it begins, if both ends are other files
);
-- All that the graph is made of, so that it is read without the records.
CREATE INDEX links_file ON links(file, seq, target, origin, inward, type, strong, declared, confidence);
CREATE INDEX links_target ON links(target);
CREATE INDEX links_ambiguous ON links(ambiguous) WHERE ambiguous = 1;
CREATE INDEX links_anchored ON links(target)
  WHERE target IS NOT NULL AND instr(record, '"heading":null,"block":null') = 0;
CREATE TABLE outlines(
  file INTEGER PRIMARY KEY REFERENCES files(row) ON DELETE CASCADE,
  anchors TEXT NOT NULL,                  -- what links can point at within the note; parse.anchors
  aliases TEXT NOT NULL                   -- a JSON list
);
CREATE TABLE link_keys(
  file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE, key TEXT NOT NULL, PRIMARY KEY(file, key)
) WITHOUT ROWID;
CREATE INDEX link_keys_key ON link_keys(key);
CREATE TABLE stale_keys(key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE outbox(seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE problems(
  path TEXT NOT NULL, line INTEGER, code TEXT NOT NULL, message TEXT NOT NULL, fix TEXT NOT NULL, severity TEXT NOT NULL
);
CREATE INDEX problems_path ON problems(path);
CREATE TABLE revisions(
  id TEXT PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, undoes TEXT, part_of TEXT, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX revisions_at ON revisions(at, id);
CREATE INDEX revisions_undoes ON revisions(undoes) WHERE undoes IS NOT NULL;
CREATE INDEX revisions_part ON revisions(part_of) WHERE part_of IS NOT NULL;
CREATE TABLE revised(record TEXT NOT NULL, revision TEXT NOT NULL, PRIMARY KEY(record, revision)) WITHOUT ROWID;
CREATE INDEX revised_revision ON revised(revision);
CREATE TABLE standings(
  id TEXT PRIMARY KEY, state TEXT NOT NULL, there INTEGER NOT NULL, superseded_by TEXT, merged_into TEXT,
  disputed INTEGER NOT NULL, expired INTEGER NOT NULL, frozen INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX standings_state ON standings(state, id);
CREATE INDEX standings_disputed ON standings(id) WHERE disputed = 1;
CREATE INDEX standings_expired ON standings(id) WHERE expired = 1;
CREATE TABLE refusals(
  row INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files(row) ON DELETE CASCADE,
  outcome TEXT NOT NULL, gate TEXT NOT NULL, code TEXT NOT NULL, reason TEXT NOT NULL, fact TEXT NOT NULL
);
CREATE INDEX refusals_file ON refusals(file);
CREATE TABLE episodes(
  file INTEGER PRIMARY KEY REFERENCES files(row) ON DELETE CASCADE,
  type TEXT NOT NULL, result TEXT,        -- success | partial | failure, or NULL: the note does not say
  date TEXT NOT NULL,                     -- '' where the note gives none
  declared INTEGER NOT NULL,              -- its type says that it is one
  missing TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX episodes_date ON episodes(date DESC, file);
CREATE INDEX episodes_missing ON episodes(file) WHERE declared = 1 AND result IS NULL;
CREATE TABLE uses(
  record TEXT NOT NULL, id TEXT NOT NULL, lead INTEGER NOT NULL,   -- the memory that was named itself, not its note
  day TEXT NOT NULL,                      -- local, where it happened
  at TEXT NOT NULL, kind TEXT NOT NULL, query TEXT, session TEXT, why TEXT NOT NULL, PRIMARY KEY(record, id)
) WITHOUT ROWID;
CREATE INDEX uses_used ON uses(day DESC, record) WHERE kind = 'used';
CREATE INDEX uses_wrong ON uses(record, at) WHERE kind = 'wrong';
CREATE TABLE slots(key TEXT NOT NULL, fact TEXT NOT NULL, PRIMARY KEY(key, fact)) WITHOUT ROWID;
CREATE INDEX slots_fact ON slots(fact);
"""


def marks(values: Sequence[object]) -> str:
    """Question marks for an IN list."""
    return ",".join("?" * len(values))


def slices(values: Sequence[Any], size: int = 500) -> Iterator[Sequence[Any]]:
    """Parts of a long list: SQLite takes a limited number of values in one statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def is_damage(error: BaseException) -> bool:
    """True if an error says that the file is not a sound database; a full or busy disk is not that."""
    if isinstance(error, CatalogDamaged | sqlite3.IntegrityError):
        return True  # what is in there, or a rule of the schema, is broken: it cannot be trusted
    if not isinstance(error, sqlite3.DatabaseError) or isinstance(error, sqlite3.ProgrammingError):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "decode" in str(error) or "no such" in str(error)


def move_aside(path: Path) -> None:
    """Keep one damaged generation for a look; its companions (-wal, -shm) would poison a new file of the same name."""
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        with contextlib.suppress(FileNotFoundError):
            file.replace(file.with_name(file.name + ".damaged"))


class _Held:
    """A connection that closes with the thread that holds it."""

    def __init__(self, db: sqlite3.Connection, epoch: int) -> None:
        self.db, self.epoch = db, epoch

    def __del__(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self.db.close()


class Database:
    """The file behind the catalogue's tables. Safe from any thread; writes go inside `with catalog.write():`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._epoch = 0
        self._door, self._writer = threading.Lock(), threading.Lock()
        self._owner: int | None = None
        self._hooks: list[Callable[[], None]] = []

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create. Raises IndexDamaged when the file is not a catalogue of this version or fails a quick check."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not path.exists()
        catalog = cls(path)
        try:
            if fresh:
                catalog._create()
            elif fault := catalog._fault():
                raise IndexDamaged(f"{path} {fault}.", "It is rebuilt from the notes.")  # noqa: TRY301 - closed below, as for any damage
        except sqlite3.DatabaseError as error:
            catalog.close()
            raise IndexDamaged(f"{path} cannot be read: {error}.", "It is rebuilt from the notes.") from error
        except IndexDamaged:
            catalog.close()
            raise
        return catalog

    def _create(self) -> None:
        db = self._db()
        db.executescript(f"BEGIN;{_SCHEMA}COMMIT;")
        # Labels are only good together with this very file: a new one must not meet old vector indexes.
        self.set_meta("generation", secrets.token_hex(8))
        self.set_meta("schema", str(SCHEMA_VERSION))

    def _fault(self) -> str:
        if self.meta("schema") != str(SCHEMA_VERSION):
            return "has another schema version"
        sound = self._db().execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        return "" if sound else "is damaged"

    def reset(self) -> None:
        """Put the file aside and begin an empty one in its place. Other threads meet it with their next question."""
        with self._door, self._writer:
            self.close()
            move_aside(self.path)
            self._create_in_place()

    def _create_in_place(self) -> None:
        self._owner = threading.get_ident()  # the writer's lock is held: `set_meta` joins instead of waiting for us
        try:
            self._create()
        finally:
            self._owner = None

    def _db(self) -> sqlite3.Connection:
        held: _Held | None = getattr(self._local, "held", None)
        if held is None or held.epoch != self._epoch:
            # The check of threads is off since a connection may be closed by the collector; each still serves one thread.
            db = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("PRAGMA foreign_keys=ON")
            held = self._local.held = _Held(db, self._epoch)
        return held.db

    def close(self) -> None:
        """Let go of the file: this thread's connection now, the others' with their threads or their next question.

        A connection must not be closed under a thread that may be asking something.
        """
        self._epoch += 1
        self._local.held = None

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """One transaction; nested use joins the outer one. Rolls back on any exception."""
        me = threading.get_ident()
        if self._owner == me:
            yield
            return
        with self._door:  # whoever waits here gets the lock next, before the thread that just had it
            self._writer.acquire()
        self._owner, hooks = me, []
        try:
            db = self._db()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
                db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # SQLite itself rolls back when the disk is full
                    db.execute("ROLLBACK")
                raise
            hooks = list(self._hooks)
        finally:
            self._hooks.clear()
            self._owner = None
            self._writer.release()
        for hook in hooks:
            hook()

    def after_commit(self, hook: Callable[[], None]) -> None:
        """Do something once the transaction under way is durable; never if it is rolled back."""
        self._hooks.append(hook)

    def meta(self, key: str) -> str | None:
        """A named value, or None."""
        row = self._db().execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str | None) -> None:
        """Keep a named value; None forgets it."""
        with self.write():
            if value is None:
                self._db().execute("DELETE FROM meta WHERE key = ?", (key,))
            else:
                self._db().execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))
