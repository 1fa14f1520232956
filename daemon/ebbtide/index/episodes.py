"""The catalogue's table of episodes: what notes tell of attempts and how they ended; a part of the catalogue.

An episode belongs to the row of its file, so it comes, moves and goes with the note. It is never filled in by hand: what a
note does not say is missing here, too.
"""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from ebbtide.index.database import Database, marks, slices
from ebbtide.parse.episodes import PARTS, Episode

MISSING: Final = "missing"
"""In place of a result: episodes that do not say how they ended."""
FACTS_SHOWN: Final = 200
"""Facts that are named of one episode."""

_JOINED: Final = "FROM episodes e JOIN files f ON f.row = e.file"
_ORDER: Final = "ORDER BY e.date DESC, f.path"


class EpisodeTable(Database):
    """Episodes by file row; newest first, undated ones last."""

    def put_episode(self, file: int, episode: Episode | None) -> None:
        """Make this the episode of a file; None: it tells of none."""
        with self.write():
            if episode is None:
                self._db().execute("DELETE FROM episodes WHERE file = ?", (file,))
                return
            values = (
                file, episode.type, episode.result, episode.date or "", int(episode.declared),
                json.dumps(episode.missing), _body(episode),
            )  # fmt: skip
            self._db().execute("INSERT OR REPLACE INTO episodes VALUES(?,?,?,?,?,?,?)", values)

    def find_episodes(
        self, result: str | None, kind: str | None, note: str | None, limit: int, after: str = ""
    ) -> list[tuple[int, str, dict[str, Any]]]:
        """(file row, place, episode), newest first. `result` may be MISSING; `after` is the place of the last one seen.

        An episode has the keys note, title, type, date, result, stated, sign, missing, private and parts: by name
        {text, line, quote}.
        """
        where, values = _filter(result, kind, note)
        if after:
            date, _, path = after.partition(" ")
            where, values = [*where, "(e.date < ? OR (e.date = ? AND f.path > ?))"], [*values, date, date, path]
        sql = (
            f"SELECT e.file, e.date, f.path, f.title, e.type, e.result, e.missing, f.private, e.body {_JOINED}"
            f" WHERE {' AND '.join(where)} {_ORDER} LIMIT ?"
        )
        return [(r[0], f"{r[1]} {r[2]}", _episode(r[1:])) for r in self._db().execute(sql, (*values, limit))]

    def count_episodes(self, result: str | None = None, kind: str | None = None, note: str | None = None) -> int:
        """How many episodes `find_episodes` pages through."""
        where, values = _filter(result, kind, note)
        sql = f"SELECT count(*) {_JOINED} WHERE {' AND '.join(where)}"
        return int(self._db().execute(sql, values).fetchone()[0])

    def episode_results(self) -> dict[str, int]:
        """How many episodes ended how; MISSING for those that do not say."""
        sql = "SELECT coalesce(result, ?), count(*) FROM episodes GROUP BY result ORDER BY result"
        return dict(self._db().execute(sql, (MISSING,)).fetchall())

    def episode_answer(
        self, result: str | None, kind: str | None, note: str | None, after: str, limit: int
    ) -> dict[str, Any]:
        """A page as GET /v1/episodes answers it: episodes with the facts that rest on them, total, counts, next."""
        found = self.find_episodes(result, kind, note, limit + 1, after)
        page = found[:limit]
        facts = self.facts_because([file for file, _, _ in page])
        return {
            "episodes": [episode | {"facts": facts[file]} for file, _, episode in page],
            "total": self.count_episodes(result, kind, note),
            "counts": self.episode_results(),
            "next": page[-1][1] if len(found) > limit else None,
        }

    def episodes_missing(self, limit: int, after: str = "") -> list[tuple[str, tuple[str, ...], str | None]]:
        """(path, missing parts, date) of notes whose type says episode and that do not say how it ended, by path.

        These are to be asked for. `after` is the last path of the page before.
        """
        sql = (
            # Episodes first, by the index of those: a walk through the files would cost what the vault holds.
            "SELECT f.path, e.missing, e.date FROM episodes e CROSS JOIN files f ON f.row = e.file"
            " WHERE e.declared = 1 AND e.result IS NULL AND f.path > ? ORDER BY f.path LIMIT ?"
        )
        return [(r[0], tuple(json.loads(r[1])), r[2] or None) for r in self._db().execute(sql, (after, limit))]

    def failed_episodes(self, files: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
        """File row -> lines (first, last) of reason and lesson, the reason first, of those that ended as failure or partial."""
        out: dict[int, list[tuple[int, int]]] = {}
        for part in slices(files):
            sql = f"SELECT file, body FROM episodes WHERE result IN ('failure', 'partial') AND file IN ({marks(part)})"
            for file, body in self._db().execute(sql, part):
                told = json.loads(body)["parts"]
                said = [told[name] for name in ("reason", "lesson") if name in told]
                out[file] = [(p["line"], p["line"] + p["quote"].count("\n")) for p in said]
        return out

    def facts_because(self, files: Sequence[int]) -> dict[int, list[str]]:
        """File row -> ids of the facts whose `because` points to that note: its own, and those whose note links it so.

        A link counts as it resolves now, so a rename is no question. At most FACTS_SHOWN of a file, by id.
        """
        return {file: self._because(file) for file in files}

    def _because(self, file: int) -> list[str]:
        because, raw = "json_extract(x.record, '$.because')", "json_extract(l.record, '$.raw')"
        ends = [f"instr({raw}, '[[' || {because} || '{end}') > 0" for end in ("]", "|", "#", "\\|")]
        sql = (
            f"SELECT x.id FROM facts x JOIN files f ON f.row = x.file WHERE x.file = ?1 AND {because} || '.md' = f.path"
            f" UNION SELECT x.id FROM files f JOIN links l ON l.target = f.path AND l.file != ?1"
            f" JOIN facts x ON x.file = l.file WHERE f.row = ?1 AND {because} IS NOT NULL"
            f" AND ({' OR '.join(ends)}) ORDER BY 1 LIMIT ?2"
        )
        return [r[0] for r in self._db().execute(sql, (file, FACTS_SHOWN))]


def _filter(result: str | None, kind: str | None, note: str | None) -> tuple[list[str], list[str]]:
    where: list[str] = ["1"]
    values: list[str] = []
    if result == MISSING:
        where.append("e.result IS NULL")
    elif result is not None:
        where, values = [*where, "e.result = ?"], [*values, result]
    if kind is not None:
        where, values = [*where, "e.type = ?"], [*values, kind]
    if note is not None:
        where, values = [*where, "f.path = ?"], [*values, note]
    return where, values


def _body(episode: Episode) -> str:
    told = ((name, episode.parts[name]) for name in PARTS if name in episode.parts)
    parts = {name: {"text": said.text, "line": said.line, "quote": said.quote} for name, said in told}
    text = json.dumps({"sign": episode.sign, "stated": episode.stated, "parts": parts}, ensure_ascii=False)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _episode(r: Sequence[Any]) -> dict[str, Any]:
    date, path, title, kind, result, missing, private, body = r
    said: dict[str, Any] = json.loads(body)
    return {
        "note": path,
        "title": title,
        "type": kind,
        "date": date or None,
        "result": result,
        "stated": said["stated"],
        "sign": said["sign"],
        "missing": json.loads(missing),
        "private": bool(private),
        "parts": said["parts"],
    }
