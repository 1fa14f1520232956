"""What is indexed: one SQLite file in the cache, disposable, holding notes, passages, links and a mirror of the facts.

The catalogue is the join between the other indexes: Tantivy knows notes and facts by their ids, USearch knows passages
and facts by their row ids, and only the catalogue knows both. It is never the truth: any doubt (a version that differs, a
file that SQLite calls malformed) moves it aside and the next scan fills a new one. Vectors live in their own file
(`vectors.py`), so that a rebuild embeds nothing twice.

Its tables are in `files`, `texts`, `edges`, `link_health`, `standings`, `episodes` and `uses`, their rows in `rows`; connections
and transactions in `database`.
"""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ebbtide.index.database import KINDS
from ebbtide.index.edges import LinkTable
from ebbtide.index.episodes import EpisodeTable
from ebbtide.index.files import FileTable
from ebbtide.index.link_health import LinkHealthTable
from ebbtide.index.rows import FileRow, NewFact, NewLink, NewPassage, PassageRow, Waiting
from ebbtide.index.standings import StandingTable
from ebbtide.index.texts import FactTable, PassageTable, VectorMarks
from ebbtide.index.uses import UseTable

__all__ = ["KINDS", "Catalog", "FileRow", "NewFact", "NewLink", "NewPassage", "PassageRow", "Waiting"]


class Catalog(
    FileTable, PassageTable, FactTable, VectorMarks, LinkTable, LinkHealthTable, StandingTable, EpisodeTable, UseTable
):
    """The catalogue of one vault. Methods are safe from any thread; writes go inside `with catalog.write():`."""

    # --- outbox: decided here, not yet in the memory folder -----------------------------------------------------------

    def post(self, kind: str, bodies: Sequence[str]) -> None:
        """Queue news for the memory folder, in the transaction of the change itself: "fact" (an id) or "revision" (a line)."""
        with self.write():
            self._db().executemany("INSERT INTO outbox(kind, body) VALUES(?, ?)", [(kind, body) for body in bodies])

    def outbox(self, kind: str, limit: int) -> list[tuple[int, str]]:
        """The oldest news of a kind: (number, body)."""
        sql = "SELECT seq, body FROM outbox WHERE kind = ? ORDER BY seq LIMIT ?"
        return [(r[0], r[1]) for r in self._db().execute(sql, (kind, limit))]

    def delivered(self, kind: str, upto: int) -> None:
        """News of a kind up to a number have arrived."""
        with self.write():
            self._db().execute("DELETE FROM outbox WHERE kind = ? AND seq <= ?", (kind, upto))

    def post_every_fact(self) -> None:
        """Queue every fact: the memory folder's own record of them is another one, or lost."""
        with self.write():
            self._db().execute("INSERT INTO outbox(kind, body) SELECT 'fact', id FROM facts ORDER BY id")

    def parts_of(self, ident: str) -> list[dict[str, Any]]:
        """The revisions that were made as parts of another one, in order."""
        sql = "SELECT body FROM revisions WHERE part_of = ? ORDER BY at, id"
        return [json.loads(r[0]) for r in self._db().execute(sql, (ident,))]

    # --- counts -------------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Numbers for the status page."""
        one = self._db().execute
        out = {f"files_{status}": number for status, number in self.status_counts().items()}
        notes = "SELECT count(*) FROM files WHERE kind IN ('note', 'memory') AND status = 'indexed'"
        out["notes"] = one(notes).fetchone()[0]
        for kind in KINDS:
            out[kind] = one(f"SELECT count(*) FROM {kind}").fetchone()[0]
            out[f"{kind}_waiting"] = one(f"SELECT count(*) FROM {kind} WHERE ready = 0").fetchone()[0]
        out["links"] = one("SELECT count(*) FROM links").fetchone()[0]
        out["links_ambiguous"] = one("SELECT count(*) FROM links WHERE ambiguous = 1").fetchone()[0]
        out["links_unresolved"] = one("SELECT count(*) FROM links WHERE target IS NULL").fetchone()[0]
        out["indexed_texts"] = self.count_texts()
        out["problems"] = one("SELECT count(*) FROM problems").fetchone()[0]
        return out
