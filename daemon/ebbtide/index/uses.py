"""The catalogue's table of uses: which memory a person or an agent confirmed, corrected, opened or edited, and on what day.

A mirror of the ledgers `uses/<device>.jsonl` of every device, like all of the catalogue. A record that names several
memories (a fact, and the note it is from) has a row for each.
"""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ebbtide.index.database import Database, marks, slices
from ebbtide.memory.heat import Event

KEPT: Final = frozenset(["used", "wrong", "opened", "edited", "linked"])
"""Kinds of events; a record of another kind is from a later version and says nothing here."""


class UseTable(Database):
    """Uses by memory and day."""

    def add_uses(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Keep the uses that are not known yet. Returns how many records were new."""
        count = 0
        with self.write():
            db = self._db()
            for record in records:
                subjects, at, kind = record.get("subjects"), str(record.get("at") or ""), str(record.get("kind"))
                if kind not in KEPT or not isinstance(subjects, list | tuple) or len(at) < 10:
                    continue
                tail = (at[:10], _utc(at), kind, _text(record.get("query_hash")), _text(record.get("session")))
                rows = [
                    (str(name), str(record.get("id")), int(place == 0), *tail, str(record.get("why") or ""))
                    for place, name in enumerate(subjects)
                ]
                sql = "INSERT OR IGNORE INTO uses VALUES(?,?,?,?,?,?,?,?,?)"
                count += int(sum(db.execute(sql, row).rowcount for row in rows) > 0)
        return count

    def uses(self, idents: Collection[str]) -> dict[str, list[Event]]:
        """The events of memories, by day; those without any are left out."""
        out: dict[str, list[Event]] = {}
        for part in slices(sorted(idents)):
            sql = f"SELECT record, day, kind, query FROM uses WHERE record IN ({marks(part)}) ORDER BY record, day, id"
            for ident, day, kind, query in self._db().execute(sql, part):
                out.setdefault(ident, []).append(Event(day, kind, query))
        return out

    def used_since(self, day: str, limit: int) -> list[str]:
        """Ids of memories whose use was confirmed on or after a day, the latest first, at most `limit`."""
        sql = "SELECT record FROM uses WHERE kind = 'used' AND day >= ? ORDER BY day DESC, record LIMIT ?"
        rows = self._db().execute(sql, (day, 4 * limit))  # one that is used daily has a row a day
        return list(dict.fromkeys(str(r[0]) for r in rows))[:limit]

    def used_ever(self) -> list[str]:
        """Ids of all memories with any event, by id."""
        return [str(row[0]) for row in self._db().execute("SELECT DISTINCT record FROM uses ORDER BY record")]

    def confirmed_uses(self) -> int:
        """How many uses were confirmed, of one memory at most one a day; what a fact's use is to its note is not counted."""
        sql = "SELECT count(*) FROM (SELECT DISTINCT record, day FROM uses WHERE kind = 'used' AND lead = 1)"
        return int(self._db().execute(sql).fetchone()[0])

    def is_used(self, ident: str, kind: str, day: str, session: str | None) -> bool:
        """True if a memory was confirmed (or called wrong) in this session, or without a session on this day."""
        sql = "SELECT 1 FROM uses WHERE record = ? AND lead = 1 AND kind = ? AND {} LIMIT 1"
        where, value = ("session = ?", session) if session is not None else ("session IS NULL AND day = ?", day)
        return self._db().execute(sql.format(where), (ident, kind, value)).fetchone() is not None

    def called_wrong(self, limit: int) -> list[tuple[str, str, str]]:
        """(memory, when, why) of what was called wrong, the latest word about each, by memory."""
        sql = (
            "SELECT record, max(at), why FROM uses WHERE kind = 'wrong' AND lead = 1 GROUP BY record ORDER BY record"
            " LIMIT ?"
        )
        return [(r[0], r[1], r[2]) for r in self._db().execute(sql, (limit,))]

    def note_of_passage(self, ident: str) -> str | None:
        """Id of the note that a passage is from; a passage changes with every edit, so what is confirmed is its note."""
        sql = "SELECT f.id FROM passages p JOIN files f ON f.row = p.file WHERE p.id = ?"
        found = self._db().execute(sql, (ident,)).fetchone()
        return None if found is None else str(found[0])


def _utc(at: str) -> str:
    """A time with its offset as the revisions write it, so that the two can be compared as text."""
    try:
        when = datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        return at
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
