"""`parse_canvas`: the links of an Obsidian canvas (JSON). Pure; never raises.

File cards are links of the canvas, as in Obsidian since 1.12. A labelled edge between two file cards becomes a typed
link between the two notes: our rule (design/obsidian.md 11). Text, web and group cards give nothing.
"""

from __future__ import annotations

import json
from typing import Any

from ebbtide.memory.errors import Problem
from ebbtide.memory.records import Note, RawLink
from ebbtide.parse.note import MAX_NOTE, note_name


def parse_canvas(path: str, text: str) -> Note:
    """Parse the canvas at `path`. Its links have the file as written (a whole vault path); a broken file has none.

    Offsets point at the file's name (for edges: at the label) in the JSON text, 0 if it is written with escapes.
    """
    nodes, edges, problems = _load(path, text)
    finder = _Finder(text)
    links: list[RawLink] = []
    cards: dict[str, str] = {}
    for node in nodes:
        file = node.get("file")
        if node.get("type") != "file" or not isinstance(file, str) or not file:
            continue
        cards.setdefault(str(node.get("id")), file)
        subpath = node.get("subpath")
        sub = subpath.removeprefix("#").strip() if isinstance(subpath, str) else ""
        heading, block = (None, sub[1:] or None) if sub.startswith("^") else (sub or None, None)
        links.append(finder.link(file, file, heading, block))
    for edge in edges:
        link = _edge_link(edge, cards, finder)
        if link is not None:
            links.append(link)
    return Note(path=path, text=text, title=note_name(path), body=0, links=tuple(links), problems=tuple(problems))


def _load(path: str, text: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[Problem]]:
    fix = "open it in Obsidian and save it again, or take it from a backup"
    if not text.strip():
        return [], [], []
    if len(text) > MAX_NOTE:
        return [], [], [Problem(path, None, "note-too-long", "the canvas is too long to be read", "split the canvas")]
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        return [], [], [Problem(path, error.lineno, "canvas-invalid", f"the canvas is no valid JSON: {error.msg}", fix)]
    except (RecursionError, ValueError):
        return [], [], [Problem(path, None, "canvas-invalid", "the canvas is nested too deeply", fix)]
    if not isinstance(data, dict):
        return [], [], [Problem(path, 1, "canvas-invalid", "the canvas is no JSON object", fix)]
    nodes, edges = data.get("nodes"), data.get("edges")
    odd = [
        name
        for name, value in (("nodes", nodes), ("edges", edges))
        if value is not None and not isinstance(value, list)
    ]
    problems = [Problem(path, 1, "canvas-invalid", f"the canvas's {' and '.join(odd)} are no list", fix)] if odd else []
    return _objects(nodes), _objects(edges), problems


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _edge_link(edge: dict[str, Any], cards: dict[str, str], finder: _Finder) -> RawLink | None:
    """The typed link of a labelled edge between two file cards, else None."""
    label = edge.get("label")
    start, end = cards.get(str(edge.get("fromNode"))), cards.get(str(edge.get("toNode")))
    if not isinstance(label, str) or not label.strip() or start is None or end is None:
        return None
    if edge.get("fromEnd") == "arrow" and edge.get("toEnd", "arrow") == "none":
        start, end = end, start
    return finder.link(end, label, None, None, relation=label.strip(), start=start)


class _Finder:
    """Makes links with places; looks for each text after the last place of the same text, so that work stays linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._after: dict[str, int] = {}

    def link(
        self, file: str, written: str, heading: str | None, block: str | None, *,
        relation: str | None = None, start: str | None = None,
    ) -> RawLink:  # fmt: skip
        quoted = json.dumps(written, ensure_ascii=False)
        place = self._text.find(quoted, self._after.get(quoted, 0)) if self._after.get(quoted, 0) >= 0 else -1
        self._after[quoted] = place + len(quoted) if place >= 0 else -1
        offset = max(place + 1, 0) if place >= 0 else 0
        begin = self._text.rfind("\n", 0, offset) + 1
        column = len(self._text[begin:offset].encode("utf-16-le", "surrogatepass")) // 2
        line = self._text.count("\n", 0, offset) + 1
        snippet = f"{start} {relation} {file}"[:240] if relation else file[:240]
        return RawLink(
            file, "canvas", file, heading, block, None, relation, offset, line, column, snippet, from_path=start
        )
