"""The catalogue's tables of links: the edges of each file, the names that decide about them, and who is linked how often."""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ebbtide.index.database import Database, marks, slices
from ebbtide.index.rows import GraphEdge, NewLink

_VERTEX = "status = 'indexed' AND kind != 'other'"
_EDGES = (
    "SELECT l.file, l.target, l.origin, l.inward, l.row, l.type, l.strong, l.declared, l.confidence"
    " FROM files f CROSS JOIN links l ON l.file = f.row"  # CROSS and +: walk the files by path, sort nothing
    " WHERE +f.status = 'indexed' AND l.target IS NOT NULL ORDER BY f.path, l.seq"
)


class LinkTable(Database):
    """Edges by source and by target, and the file names that wait for their links to be looked at again."""

    def put_links(self, file: int, rows: Sequence[NewLink], keys: Iterable[str]) -> bool:
        """Make these the links of a file; `keys` are the file names by which they are resolved. True if any line differs.

        The numbers of incoming links of the files that are linked newly or no more follow.
        """
        with self.write():
            db = self._db()
            fresh = [tuple(link) for link in rows]
            names = ", ".join(NewLink._fields)
            old = [tuple(r) for r in db.execute(f"SELECT {names} FROM links WHERE file = ? ORDER BY seq", (file,))]
            if old != fresh:
                db.execute("DELETE FROM links WHERE file = ?", (file,))
                db.executemany(
                    f"INSERT INTO links(file, seq, {names}) VALUES({marks(['file', 'seq', *NewLink._fields])})",
                    [(file, seq, *values) for seq, values in enumerate(fresh)],
                )
                before, after = {r[0] for r in old}, {link.target for link in rows}
                self._count(before - after, -1)
                self._count(after - before, 1)
            db.execute("DELETE FROM link_keys WHERE file = ?", (file,))
            db.executemany("INSERT INTO link_keys VALUES(?,?)", [(file, key) for key in sorted(set(keys))])
            return old != fresh

    def _count(self, targets: Iterable[str | None], step: int) -> None:
        sql = "UPDATE files SET inlinks = max(0, inlinks + ?) WHERE path = ?"
        self._db().executemany(sql, [(step, target) for target in targets if target is not None])

    def put_stale_keys(self, keys: Iterable[str]) -> None:
        """Note that files of these names came or went: links by these names must be resolved again, even after a kill."""
        with self.write():
            self._db().executemany("INSERT OR IGNORE INTO stale_keys VALUES(?)", [(key,) for key in keys])

    def link_keys(self) -> list[str]:
        """Every name that some link is resolved by."""
        return [r[0] for r in self._db().execute("SELECT DISTINCT key FROM link_keys ORDER BY key")]

    def stale_keys(self) -> list[str]:
        """Names whose links were not resolved again yet."""
        return [r[0] for r in self._db().execute("SELECT key FROM stale_keys ORDER BY key")]

    def drop_stale_keys(self, keys: Iterable[str]) -> None:
        """The links by these names are resolved."""
        with self.write():
            self._db().executemany("DELETE FROM stale_keys WHERE key = ?", [(key,) for key in keys])

    def sources_linking(self, keys: Sequence[str]) -> list[str]:
        """Paths of files that hold a link whose last segment is one of these keys."""
        out: set[str] = set()
        for part in slices(keys):
            sql = (
                f"SELECT DISTINCT f.path FROM link_keys l JOIN files f ON f.row = l.file WHERE l.key IN ({marks(part)})"
            )
            out.update(r[0] for r in self._db().execute(sql, part))
        return sorted(out)

    def all_links(self) -> Iterator[str]:
        """Records of every edge by source and place: the lines of links.jsonl."""
        sql = "SELECT l.record FROM files f JOIN links l ON f.row = l.file ORDER BY f.path, l.seq"
        for (record,) in self._db().execute(sql):
            yield record

    # --- the graph ----------------------------------------------------------------------------------------------------

    def graph_stamp(self) -> str:
        """What the graph is made of, in short: two stamps are equal only if the files and edges are the same.

        A link that differs has a new row, so numbers and sums say it; and the rows belong to one generation of the file.
        """
        count = "count(*) || '-' || coalesce(sum(row), 0) || '-' || coalesce(max(row), 0)"
        sql = f"SELECT (SELECT {count} FROM links), (SELECT {count} FROM files WHERE {_VERTEX})"
        return "|".join([self.meta("generation") or "", *self._db().execute(sql).fetchone()])

    def graph_files(self) -> list[tuple[int, str]]:
        """(row, path) of every vertex, by path: indexed notes, boards and what is in the memory folder; no attachments."""
        return self._db().execute(f"SELECT row, path FROM files WHERE {_VERTEX} ORDER BY path").fetchall()

    def graph_edges(self) -> Iterator[GraphEdge]:
        """Every edge between two vertices, by the file that holds it and its place there. Loops are left out."""
        rows = {path: row for row, path in self.graph_files()}
        for file, target, origin, inward, *rest in self._db().execute(_EDGES):
            there = rows.get(target)
            start, end = (there, file) if inward else (file if origin is None else rows.get(origin), there)
            if start is not None and end is not None and start != end:
                yield GraphEdge(start, end, *rest)

    def link_records(self, rows: Sequence[int]) -> dict[int, tuple[str, str]]:
        """(source path, line of links.jsonl) of edges by their row; rows that are no more are left out."""
        out: dict[int, tuple[str, str]] = {}
        for part in slices(rows):
            sql = f"SELECT l.row, f.path, l.record FROM links l JOIN files f ON f.row = l.file WHERE l.row IN ({marks(part)})"
            out.update((r[0], (r[1], r[2])) for r in self._db().execute(sql, part))
        return out

    def find_links(self, note: str, limit: int) -> list[str]:
        """Records of the edges that leave or reach a note, by source and place."""
        sql = (
            "SELECT l.record FROM links l JOIN files f ON f.row = l.file"
            " WHERE l.file = (SELECT row FROM files WHERE path = ?1) OR l.target = ?1 ORDER BY f.path, l.seq LIMIT ?2"
        )
        return [r[0] for r in self._db().execute(sql, (note, limit))]
