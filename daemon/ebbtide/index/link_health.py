"""How sound the links are: those that lead nowhere, could lead elsewhere, or miss their heading; notes that nothing links.

What it takes is kept when a note is read (its anchors and aliases in `outlines`), so that a note whose headings change
breaks the links of others without their being read again. A page costs one walk over the names of the vault, never
one for each link; asking which names are near is a loop of rapidfuzz.
"""

# ruff: noqa: S608 - what is put into SQL are constants of these modules and question marks
from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ebbtide.index.database import Database, marks, slices
from ebbtide.index.rows import View
from ebbtide.parse.anchors import read_outline
from ebbtide.parse.file_kinds import in_template_folder, is_attachment
from ebbtide.parse.links import NameIndex
from ebbtide.parse.marks import parse_whole
from ebbtide.parse.near import Name, Vocabulary
from ebbtide.parse.note import note_name
from ebbtide.parse.note_kind import is_periodic_name

PAGE: Final = 1000
"""Links of one page for which near names are looked up."""
OTHERS: Final = 10
"""Files at most that an ambiguous link could also mean."""

_ANCHORED: Final = 'l.target IS NOT NULL AND instr(l.record, \'"heading":null,"block":null\') = 0'
"""Word for word the condition of the index `links_anchored`."""
_ORIGIN: Final = """CASE WHEN NOT declared THEN iif(type = 'mentioned', 'mention', 'prose')
  WHEN instr(record, '"kind":"canvas"') THEN 'canvas' WHEN instr(record, '"kind":"inline-field"') THEN 'field'
  ELSE 'property' END"""
_LINKED_IN: Final = "EXISTS (SELECT 1 FROM links l WHERE l.target = f.path AND l.file != f.row)"
_LINKED_OUT: Final = (
    "EXISTS (SELECT 1 FROM links l WHERE l.file = f.row AND l.target IS NOT NULL AND l.target != f.path)"
)


@dataclass(frozen=True, slots=True)
class LinkPage:
    """A page of edges, each its record with `near`, `others` and `missing`; `after` asks for the next, None is the last.

    `total`, `unresolved` and `ambiguous` count everything that matched.
    """

    links: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    unresolved: int = 0
    ambiguous: int = 0
    after: str | None = None


class LinkHealthTable(Database):
    """The anchors and aliases of each note, and what they tell about the links of all."""

    def put_outline(self, file: int, anchors: str | None, aliases: Sequence[str] = ()) -> None:
        """Keep what a note can be linked by: a line of `parse.anchors.write_outline` and its aliases. None: forget it."""
        with self.write():
            if anchors is None:
                self._db().execute("DELETE FROM outlines WHERE file = ?", (file,))
            else:
                values = (file, anchors, json.dumps(list(aliases), ensure_ascii=False))
                self._db().execute("INSERT OR REPLACE INTO outlines VALUES(?,?,?)", values)

    # --- edges --------------------------------------------------------------------------------------------------------

    def link_page(self, view: View, note: str | None, after: str, limit: int) -> LinkPage:
        """Edges by source and place, those of one note (from it or to it) or all. `after` is that of the page before.

        Unresolved ones carry near names, ambiguous ones the other files, broken ones the missing anchor and near ones.
        """
        if view == "broken_anchors":
            return self._broken(note, after, limit)
        where, values = _where(view, note)
        sql = (
            "SELECT count(*), coalesce(sum(l.target IS NULL), 0), coalesce(sum(l.ambiguous), 0)"
            f" FROM links l WHERE {where}"
        )
        total, unresolved, ambiguous = self._db().execute(sql, values).fetchone()
        limit = min(limit, PAGE) if view != "all" else limit
        path, seq = _place(after)
        sql = (
            "SELECT f.path, l.seq, l.record FROM links l JOIN files f ON f.row = l.file"
            f" WHERE {where} AND (f.path, l.seq) > (?, ?) ORDER BY f.path, l.seq LIMIT ?"
        )
        rows = self._db().execute(sql, (*values, path, seq, limit + 1)).fetchall()
        links = [json.loads(record) | {"near": [], "others": [], "missing": None} for _, _, record in rows[:limit]]
        if view == "unresolved":
            self._suggest(links)
        if view == "ambiguous":
            self._tell_others(links)
        return LinkPage(links, total, unresolved, ambiguous, _next(rows, limit))

    def _suggest(self, links: Sequence[dict[str, Any]]) -> None:
        wanted = sorted({path for link in links if (path := path_of(link))})
        if wanted:
            near = Vocabulary(self._names()).near_all(wanted)
            found = {path: [one._asdict() for one in several] for path, several in zip(wanted, near, strict=True)}
            for link in links:
                link["near"] = found.get(path_of(link) or "", [])

    def nearest_notes(self, wanted: str, limit: int) -> list[str]:
        """Paths of the files whose name, title or alias is nearest to a name or path, best first. Proportional to the vault."""
        [near] = Vocabulary(self._names()).near_all([wanted])
        return list(dict.fromkeys(one.path for one in near))[:limit]

    def _names(self) -> Iterator[Name]:
        """Names by which a person may mean a file: not of what Obsidian excludes, nor of conflict copies."""
        sql = (
            "SELECT f.path, f.kind, f.title, o.aliases FROM files f LEFT JOIN outlines o ON o.file = f.row"
            " WHERE f.status != 'skipped' OR f.reason = 'memory: false'"
        )
        for path, kind, title, aliases in self._db().execute(sql):
            yield Name(path.rpartition("/")[2], path, "file")
            if title and kind != "other" and title != note_name(path):
                yield Name(title, path, "title")
            for alias in json.loads(aliases) if aliases else ():
                yield Name(alias, path, "alias")

    def _tell_others(self, links: Sequence[dict[str, Any]]) -> None:
        """Every other file that the link could mean, in the order in which it would be taken."""
        paths = [r[0] for r in self._db().execute("SELECT path FROM files")] if links else []
        names = NameIndex(paths)
        for link in links:
            wanted = path_of(link)
            if wanted is None:
                continue
            if link["kind"] == "canvas":
                wanted = f"/{wanted}"
            taken: list[str] = []
            while len(taken) <= OTHERS and (target := names.resolve(wanted, link["source"]).target) is not None:
                taken.append(target)
                names.remove(target)
            for path in taken:
                names.add(path)
            link["others"] = taken[1 : OTHERS + 1]

    def _broken(self, note: str | None, after: str, limit: int) -> LinkPage:
        sql = (
            "SELECT f.path, l.seq, json_extract(l.record, '$.heading'), json_extract(l.record, '$.block'), l.ambiguous,"
            " l.target, o.anchors, l.row FROM links l JOIN files t ON t.path = l.target JOIN outlines o ON o.file = t.row"
            f" JOIN files f ON f.row = l.file WHERE {_ANCHORED} AND t.status = 'indexed' ORDER BY l.target"
        )
        rows = [
            row
            for row in self._db().execute(sql)
            if note in (None, row[0], row[5]) and not read_outline(row[6]).holds(row[2], row[3])
        ]
        rows.sort(key=lambda row: row[:2])
        limit = min(limit, PAGE)
        page = [row for row in rows if row[:2] > _place(after)]
        records = self._records([row[7] for row in page[:limit]])
        links = []
        for _, _, heading, block, _, target, anchors, number in page[:limit]:
            if number not in records:
                continue  # its note was read again just now
            link = json.loads(records[number])
            near = [found._replace(path=target)._asdict() for found in read_outline(anchors).near(heading, block)]
            missing = f"#{heading}" if block is None else f"#^{block}"
            links.append(link | {"near": near, "others": [], "missing": missing})
        return LinkPage(links, len(rows), 0, sum(row[4] for row in rows), _next(page, limit))

    def _records(self, rows: Sequence[int]) -> dict[int, str]:
        out: dict[int, str] = {}
        for part in slices(rows):
            out.update(
                self._db().execute(f"SELECT row, record FROM links WHERE row IN ({marks(part)})", part).fetchall()
            )
        return out

    def link_answer(self, view: View, note: str | None, after: str, limit: int) -> dict[str, Any]:
        """The answer of GET /v1/links."""
        page, orphans, counts, stats = LinkPage(), list[dict[str, Any]](), None, None
        more: str | None = None
        if view == "orphans":
            orphans, counts, more = self.orphans(after, limit)
        elif view == "stats":
            stats = self.link_stats()
        else:
            page = self.link_page(view, note, after, limit)
            more = page.after
        return {
            "links": page.links,
            "total": page.total,
            "unresolved": page.unresolved,
            "ambiguous": page.ambiguous,
            "orphans": orphans,
            "orphan_counts": counts,
            "stats": stats,
            "next": more,
        }

    # --- notes --------------------------------------------------------------------------------------------------------

    def orphans(self, after: str, limit: int) -> tuple[list[dict[str, Any]], dict[str, int], str | None]:
        """(a page, numbers of all by kind, `after` for the next): what no resolved link connects with another file.

        Notes and boards come first, then attachments that no note names. Left out: the memory folder, templates, notes
        of a day, week or month (they hang on their date), what is excluded and conflict copies.
        """
        linked = f"({_LINKED_IN} OR (f.kind != 'other' AND {_LINKED_OUT}))"
        sql = (
            f"SELECT f.path, f.title, f.kind FROM files f WHERE f.kind != 'memory' AND f.status = 'indexed'"
            f" AND f.reason = '' AND NOT {linked} ORDER BY f.kind = 'other', f.path"
        )
        found = []
        for path, title, kind in self._db().execute(sql):
            if kind == "other":
                if is_attachment(path):
                    found.append({"path": path, "title": path.rpartition("/")[2], "kind": "attachment"})
            elif not in_template_folder(path) and not is_periodic_name(note_name(path)):
                found.append({"path": path, "title": title, "kind": "board" if kind == "canvas" else "note"})
        counts = {kind: sum(1 for entry in found if entry["kind"] == kind) for kind in ("note", "board", "attachment")}
        path, rank = _place(after)
        page = [entry for entry in found if not after or _rank(entry) > (rank, path)]
        more = f"{_rank(page[limit - 1])[0]}:{page[limit - 1]['path']}" if len(page) > limit else None
        return page[:limit], counts, more

    def link_stats(self) -> dict[str, Any]:
        """Edges by type and by origin, how many resolve, and how far relations are typed. Shares are from 0 to 1."""
        by_type: dict[str, int] = {}
        by_origin = dict.fromkeys(("property", "field", "canvas", "prose", "mention"), 0)
        resolved = 0
        sql = f"SELECT type, {_ORIGIN}, count(*), sum(target IS NOT NULL) FROM links GROUP BY 1, 2"
        for name, whence, number, known in self._db().execute(sql):
            by_type[name] = by_type.get(name, 0) + number
            by_origin[whence] += number
            resolved += known
        edges = sum(by_type.values())
        typed = edges - by_type.get("mentioned", 0)
        notes = "SELECT count(*) FROM files WHERE kind = 'note' AND status = 'indexed'"
        total = int(self._db().execute(notes).fetchone()[0])
        related = self._typed_notes()
        return {
            "edges": edges,
            "resolved": resolved,
            "resolved_share": _share(resolved, edges),
            "by_type": dict(sorted(by_type.items(), key=lambda item: (-item[1], item[0]))),
            "by_origin": by_origin,
            "typed": typed,
            "typed_share": _share(typed, edges),
            "notes": total,
            "notes_typed": related,
            "notes_typed_share": _share(related, total),
        }

    def _typed_notes(self) -> int:
        """Notes at either end of an edge that says more than that one mentions the other."""
        sql = (
            "SELECT DISTINCT CASE WHEN l.origin IS NULL THEN f.path ELSE l.origin END, l.target"
            " FROM links l JOIN files f ON f.row = l.file WHERE l.type != 'mentioned'"
        )
        ends = sorted({path for pair in self._db().execute(sql) for path in pair if path is not None})
        count = "SELECT count(*) FROM files WHERE kind = 'note' AND status = 'indexed' AND path IN"
        return sum(int(self._db().execute(f"{count} ({marks(part)})", part).fetchone()[0]) for part in slices(ends))


def path_of(link: dict[str, Any]) -> str | None:
    """The path that a record of an edge names, as written; None for a line between two cards, whose cards are edges too."""
    if link["kind"] == "canvas":
        return None if link["relation"] is not None else str(link["raw"])
    found = parse_whole(str(link["raw"]).removeprefix("!"))
    return None if found is None else found.path


def _where(view: View, note: str | None) -> tuple[str, list[Any]]:
    parts = {"unresolved": ["l.target IS NULL"], "ambiguous": ["l.ambiguous = 1"]}.get(view, ["1"])
    if note is None:
        return " AND ".join(parts), []
    return " AND ".join([*parts, "(l.file = (SELECT row FROM files WHERE path = ?) OR l.target = ?)"]), [note, note]


def _place(after: str) -> tuple[str, int]:
    """The place in the order that `after` names; before everything if it names none."""
    number, _, path = after.partition(":")
    return (path, int(number)) if number.isdecimal() and len(number) < 10 else ("", -1)


def _next(rows: Sequence[tuple[Any, ...]], limit: int) -> str | None:
    return f"{rows[limit - 1][1]}:{rows[limit - 1][0]}" if len(rows) > limit else None


def _rank(entry: dict[str, Any]) -> tuple[int, str]:
    return int(entry["kind"] == "attachment"), entry["path"]


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
