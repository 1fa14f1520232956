"""The catalogue's tables of what was decided: revisions by record, where each record stands, what a gate refused.

A mirror, like all of the catalogue: revisions come from the ledgers of every device and can be read again at any time. A
record without a row in `standings` is as it was born.
"""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ebbtide.index.database import Database, marks, slices
from ebbtide.memory.revisions import Standing

_COLUMNS = "id, state, there, superseded_by, merged_into, disputed, expired, frozen, body"


class StandingTable(Database):
    """Revisions, standings, refusals, slots."""

    # --- revisions ----------------------------------------------------------------------------------------------------

    def add_revisions(self, records: Iterable[Mapping[str, Any]]) -> set[str]:
        """Keep revisions that are not known yet. Returns the ids of all records that they concern.

        An undo concerns what its target concerns; what is a part of another revision concerns what it names itself.
        """
        touched: set[str] = set()
        with self.write():
            db = self._db()
            for record in records:
                ident, undoes = str(record.get("id")), record.get("undoes")
                found = db.execute("INSERT OR IGNORE INTO revisions VALUES(?,?,?,?,?,?)", (
                    ident, str(record.get("at")), str(record.get("kind")),
                    str(undoes) if undoes else None,
                    str(record["part_of"]) if record.get("part_of") else None,
                    json.dumps(record, ensure_ascii=False, separators=(",", ":")),
                ))  # fmt: skip
                if not found.rowcount:
                    continue
                names = _concerned(record)
                db.executemany("INSERT OR IGNORE INTO revised VALUES(?,?)", [(name, ident) for name in names])
                touched |= names
                if undoes:
                    touched |= self._undone(str(undoes))
        return touched

    def _undone(self, ident: str) -> set[str]:
        """The records whose standing an undo of this revision may change: its own, its parts', and those an undo it was undid."""
        out: set[str] = set()
        waiting, seen = [ident], set[str]()
        while waiting:
            one = waiting.pop()
            if one in seen:
                continue
            seen.add(one)
            out.update(r[0] for r in self._db().execute("SELECT record FROM revised WHERE revision = ?", (one,)))
            sql = "SELECT id FROM revisions WHERE part_of = ?1 UNION SELECT undoes FROM revisions WHERE id = ?1 AND undoes IS NOT NULL"
            waiting += [r[0] for r in self._db().execute(sql, (one,))]
        return out

    def revisions_of(self, ident: str) -> list[dict[str, Any]]:
        """Every revision that decides where a record stands: those that name it, their leads, and all undoes of either."""
        db = self._db()
        ids = {r[0] for r in db.execute("SELECT revision FROM revised WHERE record = ?", (ident,))}
        waiting = list(ids)
        while waiting:
            part = waiting[:400]
            del waiting[:400]
            sql = (
                f"SELECT id FROM revisions WHERE undoes IN ({marks(part)}) UNION SELECT part_of FROM revisions"
                f" WHERE part_of IS NOT NULL AND id IN ({marks(part)})"
            )
            fresh = {r[0] for r in db.execute(sql, (*part, *part))} - ids
            ids |= fresh
            waiting += sorted(fresh)
        return sorted(self.revisions(sorted(ids)).values(), key=lambda r: (str(r.get("at")), str(r.get("id"))))

    def revisions(self, idents: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Revisions by id."""
        out: dict[str, dict[str, Any]] = {}
        for part in slices(idents):
            sql = f"SELECT id, body FROM revisions WHERE id IN ({marks(part)})"
            out.update((r[0], json.loads(r[1])) for r in self._db().execute(sql, part))
        return out

    def revision_ids(self) -> list[str]:
        """Every revision that is known, by id. Proportional to all that was ever decided."""
        return [r[0] for r in self._db().execute("SELECT id FROM revisions ORDER BY id")]

    def latest_revisions(self, limit: int, kinds: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The newest revisions first, of these kinds or of all."""
        where = f"WHERE kind IN ({marks(kinds)})" if kinds else ""
        sql = f"SELECT body FROM revisions {where} ORDER BY at DESC, id DESC LIMIT ?"
        return [json.loads(r[0]) for r in self._db().execute(sql, (*kinds, limit))]

    def revisions_since(self, day: str, kinds: Sequence[str]) -> list[dict[str, Any]]:
        """Those of these kinds from a day (ISO) on, in the order of time; times are compared as they are written, in UTC."""
        sql = f"SELECT body FROM revisions WHERE at >= ? AND kind IN ({marks(kinds)}) ORDER BY at, id"
        return [json.loads(r[0]) for r in self._db().execute(sql, (day, *kinds))]

    def file_revisions(self) -> list[dict[str, Any]]:
        """Those that changed a file, and every undo, in the order of time."""
        sql = "SELECT body FROM revisions WHERE undoes IS NOT NULL OR instr(body, '\"content\"') ORDER BY at, id"
        return [json.loads(r[0]) for r in self._db().execute(sql)]

    def is_undone(self, ident: str) -> bool:
        """True if a revision was undone (and the undo was not)."""
        undoes = self._db().execute("SELECT id, part_of FROM revisions WHERE undoes = ?", (ident,)).fetchall()
        wholes = [[name for name in r if name is not None] for r in undoes if r[0] != ident]
        return any(not any(map(self.is_undone, whole)) for whole in wholes)

    # --- standings ----------------------------------------------------------------------------------------------------

    def put_standing(self, ident: str, standing: Standing, born: bool) -> None:
        """Keep where a record stands; `born`: it is as it was born, so that no row is needed."""
        with self.write():
            if born:
                self._db().execute("DELETE FROM standings WHERE id = ?", (ident,))
                return
            values = (
                ident, standing.state, int(standing.there), standing.superseded_by, standing.merged_into,
                int(bool(standing.disputes)), int(standing.expired), int(standing.frozen),
                json.dumps(dataclasses.asdict(standing), ensure_ascii=False),
            )  # fmt: skip
            self._db().execute(f"INSERT OR REPLACE INTO standings({_COLUMNS}) VALUES({marks(values)})", values)

    def standings(self, idents: Collection[str]) -> dict[str, Standing]:
        """Where records stand; those that are as they were born are left out."""
        out: dict[str, Standing] = {}
        for part in slices(sorted(idents)):
            sql = f"SELECT id, body FROM standings WHERE id IN ({marks(part)})"
            out.update((r[0], _standing(r[1])) for r in self._db().execute(sql, part))
        return out

    def was_taken_out(self, ident: str) -> bool:
        """Whether some revision says why a fact is in facts.jsonl no more: its note no longer says it, or it is forgotten."""
        standing = self.standings([ident]).get(ident)
        if standing is None:
            return False
        return standing.retracted or not standing.there or standing.superseded_by is not None

    def find_standings(self, where: str, limit: int, after: str = "") -> list[tuple[str, Standing]]:
        """Records by id that are "disputed", "expired", "candidate", "stale", "archived", "quarantined" or "frozen"."""
        column = {"disputed": "disputed = 1", "expired": "expired = 1", "frozen": "frozen = 1"}.get(where, "state = ?2")
        sql = f"SELECT id, body FROM standings WHERE {column} AND there = 1 AND id > ?1 ORDER BY id LIMIT ?3"
        return [(r[0], _standing(r[1])) for r in self._db().execute(sql, (after, where, limit))]

    def count_standings(self) -> dict[str, int]:
        """Records by state, and how many are disputed, expired or frozen; those that are as they were born are not counted."""
        db = self._db()
        out = dict(db.execute("SELECT state, count(*) FROM standings WHERE there = 1 GROUP BY state").fetchall())
        sql = "SELECT coalesce(sum(disputed), 0), coalesce(sum(expired), 0), coalesce(sum(frozen), 0) FROM standings WHERE there = 1"
        out |= dict(zip(("disputed", "expired", "frozen"), db.execute(sql).fetchone(), strict=True))
        return out

    # --- what a gate refused ------------------------------------------------------------------------------------------

    def put_refusals(self, file: int, rows: Iterable[tuple[str, str, str, str, str]]) -> None:
        """Make these what was refused of a file: (outcome, gate, code, reason, the fact as JSON)."""
        with self.write():
            self._db().execute("DELETE FROM refusals WHERE file = ?", (file,))
            self._db().executemany(
                "INSERT INTO refusals(file, outcome, gate, code, reason, fact) VALUES(?,?,?,?,?,?)",
                [(file, *row) for row in rows],
            )

    def refusals(self, path: str | None, limit: int, after: int = 0) -> list[tuple[int, str, str, str, str, str, str]]:
        """(number, path, outcome, gate, code, reason, fact) in the order they were made."""
        where, values = ("AND f.path = ?", [path]) if path is not None else ("", [])
        sql = (
            "SELECT r.row, f.path, r.outcome, r.gate, r.code, r.reason, r.fact FROM refusals r JOIN files f ON f.row = r.file"
            f" WHERE r.row > ? {where} ORDER BY r.row LIMIT ?"
        )
        return [tuple(r) for r in self._db().execute(sql, (after, *values, limit))]

    def count_refusals(self) -> dict[str, dict[str, int]]:
        """gate -> code -> how many."""
        out: dict[str, dict[str, int]] = {}
        for gate, code, count in self._db().execute("SELECT gate, code, count(*) FROM refusals GROUP BY gate, code"):
            out.setdefault(gate, {})[code] = count
        return out

    # --- what is to be looked at ---------------------------------------------------------------------------------------

    def uncompared(self, limit: int) -> list[tuple[int, str, str]]:
        """(label, id, record) of facts that have a vector and were not compared with their neighbours yet."""
        sql = "SELECT row, id, record FROM facts WHERE ready = 1 AND compared = 0 ORDER BY row LIMIT ?"
        return [tuple(r) for r in self._db().execute(sql, (limit,))]

    def mark_compared(self, labels: Sequence[int]) -> None:
        """These were compared."""
        with self.write():
            self._db().executemany("UPDATE facts SET compared = 1 WHERE row = ?", [(label,) for label in labels])

    def put_due(self, fact: str, day: str | None) -> None:
        """Note the day after which a fact must be looked at again."""
        with self.write():
            self._db().execute("UPDATE facts SET due = ? WHERE id = ? AND due IS NOT ?", (day, fact, day))

    def overdue(self, day: str, limit: int) -> list[tuple[str, str]]:
        """(id, record) of facts whose day has passed, the longest overdue first."""
        sql = "SELECT id, record FROM facts WHERE due < ? ORDER BY due, id LIMIT ?"
        return [tuple(r) for r in self._db().execute(sql, (day, limit))]

    # --- slots --------------------------------------------------------------------------------------------------------

    def put_slot(self, fact: str, key: str | None) -> None:
        """Note which slot a fact fills (None: none)."""
        with self.write():
            self._db().execute("DELETE FROM slots WHERE fact = ?", (fact,))
            if key is not None:
                self._db().execute("INSERT INTO slots VALUES(?, ?)", (key, fact))

    def in_slot(self, key: str, limit: int = 50) -> list[str]:
        """Ids of facts that fill a slot."""
        sql = "SELECT fact FROM slots WHERE key = ? ORDER BY fact LIMIT ?"
        return [r[0] for r in self._db().execute(sql, (key, limit))]


def _concerned(record: Mapping[str, Any]) -> set[str]:
    subjects = record.get("subjects")
    names = {str(name) for name in subjects} if isinstance(subjects, list | tuple) else set()
    other = record.get("object")
    return names | ({other} if isinstance(other, str) and other else set())


def _standing(body: str) -> Standing:
    values = json.loads(body)
    return Standing(**{**values, "disputes": tuple(values["disputes"]), "settled": tuple(values["settled"])})
