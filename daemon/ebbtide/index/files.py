"""The catalogue's table of files: what each was when it was last looked at, and what is wrong in it."""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ebbtide.index.database import Database, marks, slices
from ebbtide.index.rows import FileRow
from ebbtide.memory.errors import Problem

_NAMES = (
    "id", "path", "size", "mtime_ns", "inode", "digest", "kind", "status", "reason", "title", "type", "date", "lang",
    "private", "changed", "document", "again", "archived", "until", "fate",
)  # fmt: skip
_COLUMNS = f"row, {', '.join(_NAMES)}, inlinks"
_INLINKS = "(SELECT count(DISTINCT file) FROM links WHERE target = {path})"
_PUT = (
    f"INSERT INTO files({', '.join(_NAMES)}, inlinks) VALUES({marks(_NAMES)}, {_INLINKS.format(path='?2')})"
    f" ON CONFLICT(path) DO UPDATE SET {', '.join(f'{n}=excluded.{n}' for n in _NAMES if n != 'path')} RETURNING row"
)


def _row(r: Sequence[Any]) -> FileRow:
    row = FileRow(*r)
    row.private, row.again = bool(row.private), bool(row.again)  # SQLite has numbers only
    return row


class FileTable(Database):
    """Files by path, row and id; problems by path."""

    def files(self) -> dict[str, FileRow]:
        """Every known file by path. Proportional to the vault: for the reconcile scan only."""
        return {r[2]: _row(r) for r in self._db().execute(f"SELECT {_COLUMNS} FROM files")}

    def empty(self) -> bool:
        """True while no file was ever taken in."""
        return self._db().execute("SELECT 1 FROM files LIMIT 1").fetchone() is None

    def file(self, path: str) -> FileRow | None:
        """One file by path."""
        row = self._db().execute(f"SELECT {_COLUMNS} FROM files WHERE path = ?", (path,)).fetchone()
        return None if row is None else _row(row)

    def files_by_row(self, rows: Sequence[int]) -> dict[int, FileRow]:
        """Files by row id."""
        return {file.row: file for file in self._files_where("row", rows)}

    def files_by_id(self, ids: Sequence[str]) -> dict[str, FileRow]:
        """Files by note id."""
        return {file.id: file for file in self._files_where("id", ids)}

    def _files_where(self, column: str, values: Sequence[Any]) -> Iterable[FileRow]:
        for part in slices(values):
            sql = f"SELECT {_COLUMNS} FROM files WHERE {column} IN ({marks(part)})"
            yield from map(_row, self._db().execute(sql, part))

    def files_titled(self, titles: Sequence[str]) -> list[FileRow]:
        """Indexed notes whose title is one of these, exactly."""
        return [file for file in self._files_where("title", titles) if file.status == "indexed"]

    def files_like(self, digest: str) -> list[FileRow]:
        """Files of the very same content."""
        return [file for file in self._files_where("digest", [digest]) if file.kind != "other"]

    def notes_under(self, folder: str, as_of: str | None, limit: int) -> list[str]:
        """Paths of indexed notes that start with a folder prefix and are not dated after a day, sorted, at most `limit`."""
        sql = (
            "SELECT path FROM files WHERE status = 'indexed' AND kind IN ('note', 'memory') AND path >= ? AND path < ?"
            " AND (? IS NULL OR date IS NULL OR substr(date, 1, 10) <= substr(?, 1, length(date))) ORDER BY path LIMIT ?"
        )
        return [r[0] for r in self._db().execute(sql, (folder, folder + "\U0010ffff", as_of, as_of, limit))]

    def dated(self, first: str, last: str, folder: str, limit: int) -> list[FileRow]:
        """Indexed notes dated from one day to another under a folder prefix, the latest first, at most `limit`."""
        sql = (
            f"SELECT {_COLUMNS} FROM files WHERE date IS NOT NULL AND date >= ? AND date < ? AND status = 'indexed'"
            " AND kind IN ('note', 'memory') AND path >= ? AND path < ? ORDER BY date DESC, path LIMIT ?"
        )
        values = (first, last + "\U0010ffff", folder, folder + "\U0010ffff", limit)
        return [_row(r) for r in self._db().execute(sql, values)]

    def texts_after(self, row: int, limit: int) -> list[FileRow]:
        """Files that have a keyword document, by row, after a row: to walk through all of them in steps."""
        sql = f"SELECT {_COLUMNS} FROM files WHERE row > ? AND document != '' ORDER BY row LIMIT ?"
        return [_row(r) for r in self._db().execute(sql, (row, limit))]

    def count_texts(self) -> int:
        """Files that have a keyword document."""
        return int(self._db().execute("SELECT count(*) FROM files WHERE document != ''").fetchone()[0])

    def put_file(self, file: FileRow) -> int:
        """Insert or update by path; returns the row id. `file.row` and `file.inlinks` are ignored."""
        values = [getattr(file, name) for name in _NAMES]
        with self.write():
            return int(self._db().execute(_PUT, values).fetchone()[0])

    def touch_file(self, path: str, size: int, mtime_ns: int, inode: int) -> None:
        """Remember a new stat of unchanged content."""
        with self.write():
            sql = "UPDATE files SET size = ?, mtime_ns = ?, inode = ? WHERE path = ?"
            self._db().execute(sql, (size, mtime_ns, inode, path))

    def read_again(self) -> None:
        """Make the next reconcile read every note again. What they were stays known, so that one that moves is known too."""
        with self.write():
            self._db().execute("UPDATE files SET again = 1 WHERE kind != 'other'")

    def look_again(self, path: str) -> None:
        """Make the next reconcile read a note again."""
        with self.write():
            self._db().execute("UPDATE files SET again = 1 WHERE path = ? AND kind != 'other'", (path,))

    def forget_document(self, path: str) -> None:
        """Make the next reconcile read a note again and write its keyword document."""
        with self.write():
            self._db().execute("UPDATE files SET again = 1, document = '?' WHERE path = ?", (path,))

    def give_id(self, path: str, ident: str) -> None:
        """Give a file another id; whoever does reads it again, so that its passages and documents follow."""
        with self.write():
            self._db().execute("UPDATE files SET id = ?, again = 1, document = '?' WHERE path = ?", (ident, path))

    def move_file(self, old: str, new: str) -> None:
        """Give a file another path, in the place of what was registered there; id, passages, facts and links stay."""
        with self.write():
            self._db().execute("DELETE FROM files WHERE path = ?", (new,))
            sql = f"UPDATE files SET path = ?1, inlinks = {_INLINKS.format(path='?1')} WHERE path = ?2"
            self._db().execute(sql, (new, old))
            self._db().execute("DELETE FROM problems WHERE path = ?", (old,))

    def remove_file(self, path: str) -> None:
        """Forget a file and its problems. Its passages, facts and links were taken out before, so that each is counted."""
        with self.write():
            self._db().execute("DELETE FROM files WHERE path = ?", (path,))
            self._db().execute("DELETE FROM problems WHERE path = ?", (path,))

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

    def note_statuses(self, status: str | None, limit: int) -> list[tuple[Any, ...]]:
        """(path, id, title, status, reason, passages, facts, links) of notes and boards by path."""
        sql = (
            "SELECT f.path, f.id, f.title, f.status, f.reason, (SELECT count(*) FROM passages p WHERE p.file = f.row),"
            " (SELECT count(*) FROM facts x WHERE x.file = f.row), (SELECT count(*) FROM links l WHERE l.file = f.row)"
            " FROM files f WHERE f.kind != 'other' AND (?1 IS NULL OR f.status = ?1) ORDER BY f.path LIMIT ?2"
        )
        return [tuple(r) for r in self._db().execute(sql, (status, limit))]

    def status_reasons(self, status: str | None) -> list[dict[str, Any]]:
        """Why notes and boards stand as they do, the most frequent reason first: {status, reason, notes}."""
        sql = (
            "SELECT status, reason, count(*) AS notes FROM files WHERE kind != 'other' AND reason != ''"
            " AND (?1 IS NULL OR status = ?1) GROUP BY status, reason ORDER BY notes DESC, status, reason LIMIT 100"
        )
        return [{"status": s, "reason": r, "notes": n} for s, r, n in self._db().execute(sql, (status,))]

    def status_counts(self) -> dict[str, int]:
        """Number of notes and boards by status."""
        sql = "SELECT status, count(*) FROM files WHERE kind != 'other' GROUP BY status ORDER BY status"
        return dict(self._db().execute(sql))
