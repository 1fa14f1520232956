"""The store behind reading notes with Claude: verdicts, the queue, batches under way, spending. One SQLite file.

It lies in the state folder, not in the cache: what is in it was paid for, and its sums keep the caps over restarts. Every
call is one transaction with full sync: a few a minute, each worth more than the milliseconds. Answers hold text of
notes, so the file is its owner's alone.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

from ebbtide.memory.ports import Usage
from ebbtide.sleep.desk import Batch, Counts, Item, Job, Kept, Letter, Pause, Spent

log = logging.getLogger(__name__)

VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE verdicts(
  key TEXT PRIMARY KEY, outcome TEXT NOT NULL, answer TEXT, reason TEXT NOT NULL,
  path TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX verdicts_path ON verdicts(path);
CREATE TABLE queue(
  path TEXT PRIMARY KEY, digest TEXT NOT NULL, due REAL NOT NULL, since REAL NOT NULL, urgent INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, key TEXT NOT NULL DEFAULT '', batch INTEGER, reason TEXT NOT NULL DEFAULT '',
  dead REAL                               -- when it was given up
) WITHOUT ROWID;
CREATE INDEX queue_due ON queue(urgent, due) WHERE dead IS NULL AND batch IS NULL;
CREATE TABLE asked(path TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE charges(
  row INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL,
  requests INTEGER NOT NULL, tokens INTEGER NOT NULL, money REAL NOT NULL,
  read INTEGER NOT NULL DEFAULT 0, written INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0, stored INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX charges_day ON charges(day);
CREATE TABLE batches(
  row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, begun REAL NOT NULL,
  look REAL NOT NULL, looks INTEGER NOT NULL DEFAULT 0, charge INTEGER NOT NULL
);
CREATE TABLE items(
  batch INTEGER NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY(batch, key)
) WITHOUT ROWID;
"""
_JOB: Final = "path, digest, due, since, urgent, attempts, key, batch, reason"
_ALIVE: Final = "dead IS NULL AND batch IS NULL"


class VerdictStore:
    """sleep.desk.Desk in SQLite."""

    secret: bytes

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db, self._lock = db, threading.RLock()
        self.secret = bytes.fromhex(self._meta("secret"))

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create. A damaged file, or one of another version, is put aside under the name `*.damaged`."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            return cls(_connect(path))
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
            log.warning("%s is damaged and put aside; notes are read anew: %s", path.name, error)
            for suffix in ("", "-wal", "-shm"):
                file = path.with_name(path.name + suffix)
                with contextlib.suppress(FileNotFoundError):
                    file.replace(file.with_name(file.name + ".damaged"))
            return cls(_connect(path))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # SQLite itself rolls back when the disk is full
                    self._db.execute("ROLLBACK")
                raise

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def _meta(self, key: str) -> str:
        return str(self._all("SELECT value FROM meta WHERE key = ?", key)[0][0])

    # --- the queue ---

    def put(self, job: Job) -> None:
        """See Desk."""
        with self._write() as db:
            known = db.execute("SELECT digest FROM queue WHERE path = ?", (job.path,)).fetchone()
            if known is not None and known[0] == job.digest:
                db.execute("UPDATE queue SET urgent = max(urgent, ?) WHERE path = ?", (job.urgent, job.path))
                return
            db.execute(
                f"INSERT OR REPLACE INTO queue({_JOB}) VALUES(?,?,?,?,?,?,?,?,?)",
                (job.path, job.digest, job.due, job.since, job.urgent, job.attempts, job.key, None, job.reason),
            )

    def drop(self, path: str) -> None:
        """See Desk. Most notes are not named by any rule: for those it only looks, since writing costs a sync each."""
        if not self._all("SELECT 1 FROM queue WHERE path = ?", path):
            return
        with self._write() as db:
            db.execute("DELETE FROM queue WHERE path = ?", (path,))

    def job(self, path: str) -> Job | None:
        """See Desk."""
        return next(iter(self._jobs("path = ? AND dead IS NULL", path)), None)

    def open_jobs(self, now: float, limit: int) -> Sequence[Job]:
        """See Desk."""
        known = "(key = '' OR EXISTS(SELECT 1 FROM verdicts v WHERE v.key = queue.key))"
        return self._jobs(f"{_ALIVE} AND due <= ? AND {known} ORDER BY due, path LIMIT ?", now, limit)

    def due(self, now: float, limit: int, *, urgent: bool) -> Sequence[Job]:
        """See Desk."""
        return self._jobs(f"{_ALIVE} AND due <= ? AND urgent = ? ORDER BY due, path LIMIT ?", now, urgent, limit)

    def _jobs(self, where: str, *values: object) -> list[Job]:
        rows = self._all(f"SELECT {_JOB} FROM queue WHERE {where}", *values)  # noqa: S608 - our own words
        return [Job(p, d, due, since, bool(u), n, key, batch, why) for p, d, due, since, u, n, key, batch, why in rows]

    def looked(self, path: str, digest: str, key: str) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("UPDATE queue SET key = ? WHERE path = ? AND digest = ?", (key, path, digest))

    def later(self, path: str, digest: str, due: float, *, attempts: int, reason: str) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute(
                "UPDATE queue SET due = ?, attempts = ?, reason = ?, batch = NULL WHERE path = ? AND digest = ?",
                (due, attempts, reason, path, digest),
            )

    def bury(self, path: str, digest: str, reason: str, now: float, attempts: int) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute(
                "UPDATE queue SET dead = ?, attempts = ?, reason = ?, batch = NULL WHERE path = ? AND digest = ?",
                (now, attempts, reason, path, digest),
            )

    def done(self, path: str, digest: str) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("DELETE FROM queue WHERE path = ? AND digest = ?", (path, digest))

    def dead(self) -> Sequence[Letter]:
        """See Desk."""
        query = "SELECT path, digest, attempts, reason, dead FROM queue WHERE dead IS NOT NULL ORDER BY dead DESC, path"
        return [Letter(*row) for row in self._all(query)]

    def revive(self, path: str | None, now: float) -> int:
        """See Desk. A final verdict is forgotten with it, or it would be given up again unread."""
        with self._write() as db:
            which, values = ("dead IS NOT NULL", ()) if path is None else ("dead IS NOT NULL AND path = ?", (path,))
            db.execute(
                f"DELETE FROM verdicts WHERE outcome != 'answered' AND key IN (SELECT key FROM queue WHERE {which})",  # noqa: S608 - our own words
                values,
            )
            again = f"UPDATE queue SET dead = NULL, attempts = 0, due = ?, since = ? WHERE {which}"  # noqa: S608 - our own words
            return db.execute(again, (now, now, *values)).rowcount

    def asked(self, path: str, now: float) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("INSERT OR REPLACE INTO asked VALUES(?,?)", (path, now))

    def asked_at(self, path: str) -> float:
        """See Desk."""
        return next((float(at) for (at,) in self._all("SELECT at FROM asked WHERE path = ?", path)), 0.0)

    def counts(self) -> Counts:
        """See Desk."""
        known = "EXISTS(SELECT 1 FROM verdicts v WHERE v.key = queue.key)"
        row = self._all(
            f"SELECT coalesce(sum(batch IS NULL AND NOT {known}), 0), coalesce(sum(batch IS NOT NULL), 0),"  # noqa: S608 - our own words
            f" coalesce(sum(batch IS NULL AND {known}), 0), min(CASE WHEN batch IS NULL THEN due END)"
            " FROM queue WHERE dead IS NULL"
        )[0]
        return Counts(*row)

    # --- verdicts ---

    def verdict(self, key: str) -> Kept | None:
        """See Desk."""
        for outcome, answer, reason in self._all("SELECT outcome, answer, reason FROM verdicts WHERE key = ?", key):
            return Kept(outcome, None if answer is None else json.loads(answer), reason)
        return None

    def keep(self, key: str, kept: Kept, *, path: str, model: str, prompt: str, now: float) -> None:
        """See Desk."""
        # ASCII, so that half a surrogate pair in an answer can be stored.
        answer = None if kept.answer is None else json.dumps(kept.answer)
        with self._write() as db:
            values = (key, kept.outcome, answer, kept.reason, path, model, prompt, now)
            db.execute("INSERT OR IGNORE INTO verdicts VALUES(?,?,?,?,?,?,?,?)", values)

    def expire(self, prompt: str, before: float) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("DELETE FROM verdicts WHERE substr(prompt, 1, ?) = ? AND at < ?", (len(prompt), prompt, before))

    def purge(self, path: str) -> None:
        """See Desk."""
        with self._write() as db:
            for table in ("verdicts", "queue", "asked"):
                db.execute(f"DELETE FROM {table} WHERE path = ?", (path,))  # noqa: S608 - one of three words

    # --- money ---

    def reserve(self, day: str, model: str, *, requests: int, tokens: int, money: float, now: float) -> int:
        """See Desk."""
        with self._write() as db:
            row = db.execute(
                "INSERT INTO charges(at, day, model, requests, tokens, money) VALUES(?,?,?,?,?,?)",
                (now, day, model, requests, tokens, money),
            ).lastrowid
            return int(row or 0)

    def settle(self, charge: int, usage: Usage, money: float) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute(
                "UPDATE charges SET tokens = ?, money = ?, read = ?, written = ?, cached = ?, stored = ? WHERE row = ?",
                (usage.tokens, money, usage.read, usage.written, usage.cached, usage.stored, charge),
            )

    def spent(self, day: str) -> Spent:
        """See Desk."""
        return self._sum("day = ?", day)

    def sum_of(self, charges: Sequence[int]) -> Spent:
        """See Desk."""
        return self._sum("row IN (SELECT value FROM json_each(?))", json.dumps(list(charges)))

    def _sum(self, which: str, value: str) -> Spent:
        sums = ", ".join(
            f"coalesce(sum({name}), 0)"
            for name in ("requests", "tokens", "money", "read", "written", "cached", "stored")
        )
        requests, tokens, money, *kinds = self._all(f"SELECT {sums} FROM charges WHERE {which}", value)[0]  # noqa: S608 - our own words
        return Spent(requests, Usage(*kinds), tokens, money)

    # --- batches ---

    def begin_batch(self, items: Sequence[Item], charge: int, now: float) -> int:
        """See Desk."""
        with self._write() as db:
            made = db.execute("INSERT INTO batches(begun, look, charge) VALUES(?,?,?)", (now, now, charge)).lastrowid
            row = int(made or 0)
            for each in items:
                db.execute("INSERT INTO items VALUES(?,?,?,?)", (row, each.key, each.path, each.digest))
                db.execute(
                    "UPDATE queue SET batch = ?, key = ? WHERE path = ? AND digest = ?",
                    (row, each.key, each.path, each.digest),
                )
            return row

    def name_batch(self, row: int, name: str) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("UPDATE batches SET id = ? WHERE row = ?", (name, row))

    def batches(self) -> Sequence[Batch]:
        """See Desk."""
        return [
            Batch(*row) for row in self._all("SELECT row, id, begun, look, looks, charge FROM batches ORDER BY row")
        ]

    def items(self, row: int) -> Sequence[Item]:
        """See Desk."""
        return [
            Item(*each) for each in self._all("SELECT key, path, digest FROM items WHERE batch = ? ORDER BY path", row)
        ]

    def look_later(self, row: int, at: float) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("UPDATE batches SET look = ?, looks = looks + 1 WHERE row = ?", (at, row))

    def end_batch(self, row: int) -> None:
        """See Desk."""
        with self._write() as db:
            db.execute("UPDATE queue SET batch = NULL WHERE batch = ?", (row,))
            db.execute("DELETE FROM items WHERE batch = ?", (row,))
            db.execute("DELETE FROM batches WHERE row = ?", (row,))

    # --- waiting ---

    def pause(self) -> Pause:
        """See Desk."""
        for (value,) in self._all("SELECT value FROM meta WHERE key = 'pause'"):
            return Pause(*json.loads(value))
        return Pause()

    def set_pause(self, pause: Pause) -> None:
        """See Desk."""
        with self._write() as db:
            value = json.dumps([pause.until, pause.strikes, pause.reason])
            db.execute("INSERT OR REPLACE INTO meta VALUES('pause', ?)", (value,))


def _connect(path: Path) -> sqlite3.Connection:
    """A sound file of this version; made if there is none. Raises sqlite3.DatabaseError otherwise."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite would make it readable for all
    db = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version={VERSION};COMMIT;")
            db.execute("INSERT OR IGNORE INTO meta VALUES('secret', ?)", (secrets.token_hex(32),))
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            raise sqlite3.DatabaseError("another version")  # noqa: TRY301
        if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("quick check failed")  # noqa: TRY301
        if not db.execute("SELECT 1 FROM meta WHERE key = 'secret'").fetchone():
            db.execute("INSERT INTO meta VALUES('secret', ?)", (secrets.token_hex(32),))  # killed right after creating
    except BaseException:
        db.close()
        raise
    return db
