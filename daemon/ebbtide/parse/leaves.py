"""Leaf blocks of the block scanner: what is open on the current line, and the units that close. Pure.

The conventions of units are those of blocks.py, which walks the containers (lists, quotes, footnotes) around them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ebbtide.memory.records import Anchor, Heading, Unit
from ebbtide.memory.states import UnitKind
from ebbtide.parse import syntax
from ebbtide.parse.syntax import table_cells


@dataclass(slots=True)
class Box:
    """An open container. `indent` is the column where the content of an item starts (-1 for a quote)."""

    indent: int
    unit: int | None
    callout: str | None
    foreign: bool
    quoted: bool
    marker: int = -1
    kind: UnitKind = "paragraph"
    checked: bool | None = None
    lead: str | None = None


class Leaves:
    """State of one scan. `_leaf` is the open leaf block; `_rows` are (start, end, line) of its lines so far."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._pos, self._end = text, start, end
        self._line = text.count("\n", 0, start) + 1
        self._boxes: list[Box] = []
        self._first_quote = -1
        self._units: list[Unit] = []
        self._headings: list[Heading] = []
        self._anchors: list[Anchor] = []
        self._stack: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._leaf = ""
        self._rows: list[tuple[int, int, int]] = []
        self._closer = ""
        self._header: tuple[str, ...] = ()
        self._leads: dict[int, tuple[int, str, bool]] = {}
        self._ruleless = ""

    def _start(self, leaf: str, row: tuple[int, int, int], closer: str = "") -> None:
        self._close_leaf()
        self._leaf, self._rows, self._closer = leaf, [row], closer

    def _html(self, found: re.Match[str], row: tuple[int, int, int], stop: int) -> None:
        group = found.lastgroup or ""
        closer = syntax.HTML_END.get(group, f"</{found.group('pre').lower()}>" if found.group("pre") else "")
        self._start("html", row, closer)
        if closer and closer in self._text[found.end() : stop].lower():
            self._close_leaf()

    def _math(self, i: int, stop: int, row: tuple[int, int, int]) -> bool:
        """`$$` at the start of a line: a math block if it closes at the end of this line or on a later one."""
        close = self._text.find("$$", i + 2, stop)
        if close < 0 and self._text.find("$$", stop, self._end) >= 0:
            self._start("math", row, "$$")
            return True
        if close < 0 or self._text[close + 2 : stop].strip():
            return False
        self._start("math", row)
        self._close_leaf()
        return True

    def _setext(self, level: int, stop: int) -> bool:
        rows, first = self._rows, self._rows[0]
        self._leaf, self._rows = "", []
        title = " ".join(self._text[a:b].strip() for a, b, _ in rows)
        self._heading(level, title, first[0], stop, first[2])
        return True

    def _open_table(self, i: int, stop: int) -> bool:
        head = self._rows[-1]
        cells = table_cells(self._text, head[0], head[1])
        if "|" not in self._text[i:stop] + self._text[head[0] : head[1]]:
            return False
        if len(cells) != len(table_cells(self._text, i, stop)):
            return False
        self._rows.pop()
        self._close_leaf()
        self._leaf, self._header = "table", cells
        return True

    def _heading(self, level: int, title: str, start: int, stop: int, line: int) -> None:
        self._leads.clear()
        if self._boxes:
            self._emit("heading", start, stop, line)
            return
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._path = tuple(name for _, name in self._stack)
        self._emit("heading", start, stop, line)
        if title:
            self._headings.append(Heading(title, level, start, line))
            self._stack.append((level, title))
            self._path = (*self._path, title)

    def _close_leaf(self) -> None:
        leaf, rows = self._leaf, self._rows
        self._leaf, self._rows, self._closer = "", [], ""
        if not rows or not leaf:
            return
        if leaf == "para":
            self._paragraph(rows)
            return
        kind: UnitKind = "math" if leaf == "math" else "html" if leaf == "html" else "code"
        self._leads.pop(len(self._boxes), None)
        self._emit(kind, rows[0][0], rows[-1][1], rows[0][2])

    def _paragraph(self, rows: list[tuple[int, int, int]]) -> None:
        text, (start, _, line) = self._text, rows[0]
        last, stop = rows[-1][0], rows[-1][1]
        while stop > last and text[stop - 1] in " \t":
            stop -= 1
        near = max(last, stop - 200)
        anchor = syntax.ANCHOR.search(text, near, stop) if text.find("^", near, stop) >= 0 else None
        if anchor is not None:
            self._anchors.append(Anchor(anchor.group(1), anchor.start(1) - 1, rows[-1][2]))
            if len(rows) == 1 and anchor.start(1) - 1 == start and not self._is_fresh():
                return
        if self._is_fresh():
            box = self._boxes[-1]
            index = len(self._units)
            self._emit(box.kind, box.marker, stop, line, checked=box.checked, lead=box.lead)
            box.unit, box.marker = index, -1
            return
        kind: UnitKind = "paragraph"
        if self._boxes and self._boxes[-1].quoted:
            kind = "callout" if self._boxes[-1].callout is not None else "quote"
        self._emit(kind, start, stop, line)
        lead = text[last:stop].strip()
        if len(lead) <= 200:
            self._leads[len(self._boxes)] = (rows[-1][2], lead, False)
        else:
            self._leads.pop(len(self._boxes), None)

    def _is_fresh(self) -> bool:
        return bool(self._boxes) and self._boxes[-1].marker >= 0

    def _emit(
        self, kind: UnitKind, start: int, stop: int, line: int, *, cells: tuple[str, ...] = (),
        header: tuple[str, ...] = (), lead: str | None = None, checked: bool | None = None,
    ) -> None:  # fmt: skip
        box = self._boxes[-1] if self._boxes else None
        if box is not None and kind not in ("list_item", "task"):
            # An item that begins with another block has no text of its own; a later paragraph is not its text.
            box.marker = -1
        depth = len(self._boxes) - (1 if kind in ("list_item", "task") else 0)
        parent, callout, foreign = (None, None, False) if box is None else (box.unit, box.callout, box.foreign)
        self._units.append(
            Unit(kind, start, stop, line, self._path, depth, cells, header, lead, parent, callout, foreign, checked)
        )
