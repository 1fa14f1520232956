"""The catalogue's tables of what is embedded: passages, and facts with the notes that state them."""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ebbtide.index.database import KINDS, SAVED, WANTED, Database, marks, slices
from ebbtide.index.rows import NewFact, NewPassage, PassageRow, Waiting

_PASSAGE = "p.row, p.id, p.file, p.ordinal, p.headings, p.line, p.start, p.stop, p.text, p.lang, p.ready"


def _passage(r: Sequence[Any]) -> PassageRow:
    return PassageRow(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], bool(r[10]))


class PassageTable(Database):
    """Passages by file and by label."""

    def put_passages(self, file: int, rows: Sequence[NewPassage]) -> list[int]:
        """Make these the passages of a file. Returns the labels that went away.

        A passage whose embedded text is unchanged keeps its row, hence its vector label.
        """
        with self.write():
            db = self._db()
            old: dict[bytes, list[int]] = {}
            for row, key in db.execute("SELECT row, key FROM passages WHERE file = ? ORDER BY ordinal", (file,)):
                old.setdefault(bytes(key), []).append(row)
            if old:
                # Two passages may swap ids while ordinals shift: park every old id first, so that UNIQUE(id) cannot trip.
                db.execute("UPDATE passages SET id = 'old-' || row WHERE file = ?", (file,))
            for passage in rows:
                same = old.get(passage.key)
                if same:
                    sql = "UPDATE passages SET id=?, ordinal=?, headings=?, line=?, start=?, stop=?, text=?, lang=? WHERE row=?"
                    db.execute(sql, (*passage[:8], same.pop(0)))
                else:
                    sql = (
                        "INSERT INTO passages(id, ordinal, headings, line, start, stop, text, lang, embed, key, file, wanted)"
                        f" VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,{WANTED.format(file='?11')})"
                    )
                    db.execute(sql, (*passage, file))
            gone = [row for rest in old.values() for row in rest]
            for part in slices(gone):
                db.execute(f"DELETE FROM passages WHERE row IN ({marks(part)})", part)
            return gone

    def passages_of(self, file: int) -> list[PassageRow]:
        """The passages of a file in order."""
        sql = f"SELECT {_PASSAGE} FROM passages p WHERE p.file = ? ORDER BY p.ordinal"
        return [_passage(r) for r in self._db().execute(sql, (file,))]

    def passages_of_files(self, files: Sequence[int]) -> list[PassageRow]:
        """The passages of several files, by label."""
        out: list[PassageRow] = []
        for part in slices(files):
            sql = f"SELECT {_PASSAGE} FROM passages p WHERE p.file IN ({marks(part)})"
            out += [_passage(r) for r in self._db().execute(sql, part)]
        return sorted(out, key=lambda passage: passage.row)

    def passages(self, rows: Sequence[int]) -> dict[int, PassageRow]:
        """Passages by label."""
        out: dict[int, PassageRow] = {}
        for part in slices(rows):
            sql = f"SELECT {_PASSAGE} FROM passages p WHERE p.row IN ({marks(part)})"
            out.update((r[0], _passage(r)) for r in self._db().execute(sql, part))
        return out


class FactTable(Database):
    """Facts by id, by label and by file; which further notes state each."""

    def put_fact(self, fact: NewFact) -> tuple[int | None, str | None]:
        """Insert or replace a fact by id. Returns the label that went away if the embedded text changed, and the old record."""
        with self.write():
            db = self._db()
            old = db.execute("SELECT row, key, record FROM facts WHERE id = ?", (fact.id,)).fetchone()
            if old is not None and bytes(old[1]) == fact.key:
                sql = "UPDATE facts SET file=?, record=?, lang=?, type=? WHERE row=?"
                db.execute(sql, (fact.file, fact.record, fact.lang, fact.type, old[0]))
                return None, str(old[2])
            if old is not None:
                db.execute("DELETE FROM facts WHERE row = ?", (old[0],))
            sql = (
                "INSERT INTO facts(file, id, record, embed, lang, key, type, wanted)"
                f" VALUES(?1,?2,?3,?4,?5,?6,?7,{WANTED.format(file='?1')})"
            )
            db.execute(sql, fact)
            return (None, None) if old is None else (int(old[0]), str(old[2]))

    def remove_facts(self, idents: Sequence[str]) -> list[int]:
        """Forget facts by id, and who else states them; returns their labels."""
        gone: list[int] = []
        with self.write():
            for part in slices(idents):
                sql = f"DELETE FROM facts WHERE id IN ({marks(part)}) RETURNING row"
                gone += [r[0] for r in self._db().execute(sql, part)]
                self._db().execute(f"DELETE FROM evidence WHERE fact IN ({marks(part)})", part)
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
        sql = "SELECT row, id, record FROM facts WHERE file = ? ORDER BY id"
        return [tuple(r) for r in self._db().execute(sql, (file,))]

    def facts(self, rows: Sequence[int]) -> dict[int, tuple[str, int, str]]:
        """Label -> (id, file row, record)."""
        out: dict[int, tuple[str, int, str]] = {}
        for part in slices(rows):
            sql = f"SELECT row, id, file, record FROM facts WHERE row IN ({marks(part)})"
            out.update((r[0], (r[1], r[2], r[3])) for r in self._db().execute(sql, part))
        return out

    def facts_by_id(self, idents: Sequence[str]) -> dict[str, tuple[int, int, str]]:
        """Id -> (label, file row, record)."""
        out: dict[str, tuple[int, int, str]] = {}
        for part in slices(idents):
            sql = f"SELECT id, row, file, record FROM facts WHERE id IN ({marks(part)})"
            out.update((r[0], (r[1], r[2], r[3])) for r in self._db().execute(sql, part))
        return out

    def derived_from(self, ident: str) -> list[tuple[str, str]]:
        """(id, record) of the facts whose `related` may say that they were concluded from this one, by id.

        Proportional to what was concluded at all, not to the facts.
        """
        sql = "SELECT id, record FROM facts WHERE instr(record, '\"derived_from\"') > 0 AND instr(record, ?) > 0 ORDER BY id"
        return [(r[0], r[1]) for r in self._db().execute(sql, (ident,))]

    def facts_after(self, row: int, limit: int) -> list[tuple[int, str]]:
        """(label, record) of facts by label, after a label: to walk through all of them in steps."""
        sql = "SELECT row, record FROM facts WHERE row > ? ORDER BY row LIMIT ?"
        return [(r[0], r[1]) for r in self._db().execute(sql, (row, limit))]

    def all_facts(self) -> Iterator[tuple[str, str]]:
        """(id, record) of every fact by id."""
        yield from self._db().execute("SELECT id, record FROM facts ORDER BY id")

    def find_facts(self, note: str | None, fact_type: str | None, limit: int, after: str = "") -> list[str]:
        """Records by id, optionally of one note path or one type; `after` is the last id of the page before."""
        where, values = _fact_filter(note, fact_type)
        sql = f"SELECT record FROM facts WHERE id > ? AND {where} ORDER BY id LIMIT ?"
        return [r[0] for r in self._db().execute(sql, (after, *values, limit))]

    def count_facts(self, note: str | None, fact_type: str | None) -> int:
        """How many facts `find_facts` pages through."""
        where, values = _fact_filter(note, fact_type)
        return int(self._db().execute(f"SELECT count(*) FROM facts WHERE {where}", values).fetchone()[0])


def _fact_filter(note: str | None, fact_type: str | None) -> tuple[str, list[str]]:
    parts: list[str] = ["1"]
    values: list[str] = []
    if note is not None:
        parts, values = [*parts, "file = (SELECT row FROM files WHERE path = ?)"], [*values, note]
    if fact_type is not None:
        parts, values = [*parts, "type = ?"], [*values, fact_type]
    return " AND ".join(parts), values


class VectorMarks(Database):
    """Which texts have a vector, and which of the others is wanted most."""

    def waiting(self, limit: int) -> list[Waiting]:
        """Texts without a vector, passages before facts: what was just saved alone, else the newest and most linked.

        A batch is sorted by length, so what was saved would not come first in the company of others.
        Work is proportional to `limit`: both tables are asked through an index that holds only what waits, in order.
        """
        found: list[tuple[bool, int, float, Waiting]] = []
        for place, kind in enumerate(KINDS):
            sql = f"SELECT row, embed, lang, key, wanted FROM {kind} WHERE ready = 0 ORDER BY wanted DESC, row LIMIT ?"
            found.extend(
                (r[4] < SAVED, place, -r[4], Waiting(kind, r[0], r[1], r[2], bytes(r[3])))
                for r in self._db().execute(sql, (limit,))
            )
        found.sort(key=lambda item: item[:3])
        return [item[3] for item in found[:limit] if item[0] == found[0][0]]

    def count_waiting(self) -> int:
        """How many texts have no vector yet."""
        return sum(self._db().execute(f"SELECT count(*) FROM {kind} WHERE ready = 0").fetchone()[0] for kind in KINDS)

    def rank_waiting(self) -> None:
        """Weigh anew what waits, now that the links to each note are known. Proportional to what waits."""
        with self.write():
            for kind in KINDS:
                sql = f"UPDATE {kind} SET wanted = {WANTED.format(file=f'{kind}.file')} WHERE ready = 0 AND wanted < ?"
                self._db().execute(sql, (SAVED,))

    def mark_ready(self, items: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """Note that these labels (kind, row) have vectors. Returns those whose text is not there any more."""
        gone: list[tuple[str, int]] = []
        with self.write():
            for kind, row in items:
                if not self._db().execute(f"UPDATE {kind} SET ready = 1 WHERE row = ?", (row,)).rowcount:
                    gone.append((kind, row))
        return gone

    def mark_unready(self, kind: str, rows: Sequence[int] | None = None) -> None:
        """Forget that texts of a kind have vectors: all of them (another model), or those whose vectors were lost."""
        with self.write():
            if rows is None:
                self._db().execute(f"UPDATE {kind} SET ready = 0 WHERE ready != 0")
                return
            for part in slices(rows):
                self._db().execute(f"UPDATE {kind} SET ready = 0 WHERE row IN ({marks(part)})", part)

    def keys(self, kind: str, ready: bool | None = None) -> list[tuple[int, str, bytes]]:
        """(label, lang, key) of a kind, by label. Proportional to the vault: for building the vector index only."""
        sql = f"SELECT row, lang, key FROM {kind}"
        if ready is not None:
            sql += f" WHERE ready = {int(ready)}"
        return [(r[0], r[1], bytes(r[2])) for r in self._db().execute(sql + " ORDER BY row")]

    def labels_under(self, kind: str, folder: str, limit: int) -> list[int]:
        """Labels with vectors whose note lies under a folder prefix."""
        sql = (
            f"SELECT x.row FROM {kind} x JOIN files f ON f.row = x.file"
            " WHERE f.path >= ? AND f.path < ? AND x.ready = 1 ORDER BY x.row LIMIT ?"
        )
        return [r[0] for r in self._db().execute(sql, (folder, folder + "\U0010ffff", limit))]
