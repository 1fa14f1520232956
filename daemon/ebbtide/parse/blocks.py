"""Blocks of a note by a line scanner with exact offsets, in linear time. Pure.

mistune (note.py) decides what is a link; this scanner gives the places that mistune cannot give: units, headings and
block ids (design/obsidian.md 9, 13; records.Unit). It follows CommonMark's containers, with Obsidian's additions
(callouts, `$$`, footnotes, block ids) and one leniency: a list item indented too far is still an item.

Conventions: a unit starts at its own first character, after the indentation and the `>` of its containers and including
its own marker (`- [ ]`, `##`, `|`, fence), and ends before the line break. `depth` is the number of lists and quotes
around it (a top-level list item has 0). A heading's `headings` are those above it. Inside a quote, paragraphs have the
kind `quote` or `callout`, while list items, tables and code keep theirs. Headings inside quotes or lists do not open
sections. A unit wholly inside a `%%` comment of several lines has the kind `html`, as an HTML comment has.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from ebbtide.memory.records import Anchor, Heading, Unit
from ebbtide.parse import syntax
from ebbtide.parse.leaves import Box, Leaves
from ebbtide.parse.syntax import after_quote, comment_spans, skip_blanks, table_cells

MAX_DEPTH: Final = 2_000
"""Lists and quotes inside each other that are followed; deeper marks are text."""
_NOT_PLAIN: Final = syntax.STARTERS | frozenset(" \t\v\f")


@dataclass(frozen=True, slots=True)
class Blocks:
    """What the scanner found, in the order of the text."""

    units: tuple[Unit, ...]
    headings: tuple[Heading, ...]
    anchors: tuple[Anchor, ...]


def scan_blocks(text: str, start: int = 0, end: int | None = None) -> Blocks:
    """Scan text[start:end] (whole lines). Never raises; time and memory grow linearly with the text."""
    return _Scanner(text, start, len(text) if end is None else end).run()


class _Scanner(Leaves):
    """The containers: walks each line into the open ones, closes and opens, and hands the rest to the leaves."""

    def run(self) -> Blocks:
        text, end = self._text, self._end
        while self._pos < end:
            eol = text.find("\n", self._pos, end)
            eol = end if eol < 0 else eol
            stop = eol - 1 if eol > self._pos and text[eol - 1] == "\r" else eol
            if not self._take_plain(self._pos, stop):
                self._scan_line(self._pos, stop)
            self._pos = eol + 1
            self._line += 1
        self._close_leaf()
        units = self._units
        spans = [span for span in comment_spans(text, units) if text.find("\n", *span) >= 0]
        for begin, close in spans:
            low = bisect_right(units, begin - 1, key=attrgetter("start"))
            while low < len(units) and units[low].end <= close:
                if units[low].kind != "heading":
                    units[low] = replace(units[low], kind="html")
                low += 1
        return Blocks(tuple(units), tuple(self._headings), tuple(self._anchors))

    def _take_plain(self, pos: int, stop: int) -> bool:
        """The two commonest lines the short way: an empty one, and plain text outside lists and quotes."""
        leaf = self._leaf
        if pos == stop:
            if self._first_quote >= 0 or leaf not in ("", "para", "table"):
                return False
            if leaf:
                self._close_leaf()
            return True
        if self._boxes or self._text[pos] in _NOT_PLAIN or leaf not in ("", "para"):
            return False
        self._leaf = "para"
        self._rows.append((pos, stop, self._line))
        return True

    def _scan_line(self, pos: int, stop: int) -> None:
        text = self._text
        i, col = skip_blanks(text, pos, stop, 0)
        blank = i == stop
        base, depth = 0, 0
        if self._boxes:
            if blank:
                depth = len(self._boxes) if self._first_quote < 0 else self._first_quote
            else:
                i, col, base, depth = self._enter(i, col, stop)
                blank = i == stop
        whole = depth == len(self._boxes)
        leaf = self._leaf
        if leaf and whole and leaf not in ("para", "table"):
            if self._continue_leaf(i, col - base, stop, pos, blank):
                return
        elif leaf == "para" and not whole and not blank and not self._starts_block(i, stop, col - base):
            self._rows.append((i, stop, self._line))
            return
        if not whole:
            self._leave(depth)
        if blank:
            if leaf in ("para", "table") or not whole:
                self._close_leaf()
            return
        self._open(i, col, base, stop)

    def _enter(self, i: int, col: int, stop: int) -> tuple[int, int, int, int]:
        """Walk into the open containers that this line continues: position, column, base column, how many."""
        text, base, depth = self._text, 0, 0
        for box in self._boxes:
            if box.indent >= 0:
                if i < stop and col < box.indent:
                    break
                base = min(box.indent, col)
            elif i < stop and text[i] == ">" and col - base < 4:
                i, col, base = after_quote(text, i, col, stop)
            else:
                break
            depth += 1
        return i, col, base, depth

    def _leave(self, depth: int) -> None:
        self._close_leaf()
        del self._boxes[depth:]
        if self._first_quote >= depth:
            self._first_quote = -1
        for deeper in [level for level in self._leads if level > depth]:
            del self._leads[deeper]

    def _continue_leaf(self, i: int, indent: int, stop: int, pos: int, blank: bool) -> bool:
        """Give the line to the open code, math or HTML block. False if the block does not take it."""
        text, leaf = self._text, self._leaf
        if leaf == "indent":
            if not blank and indent < 4:
                self._close_leaf()
                return False
            if not blank:
                self._rows.append((i, stop, self._line))
            return True
        if leaf == "fence":
            mark = self._closer
            closes = not blank and indent < 4 and text.startswith(mark, i)
            if closes and not text[i:stop].strip(" \t").strip(mark[0]):
                self._rows.append((i, stop, self._line))
                self._close_leaf()
                return True
        elif not self._closer:
            if blank:
                self._close_leaf()
                return True
        elif text.find(self._closer, i, stop) >= 0 or self._closes_tag(i, stop):
            self._rows.append((i, stop, self._line))
            self._close_leaf()
            return True
        self._rows[1:] = [(max(pos, i), stop, self._line)]
        return True

    def _closes_tag(self, i: int, stop: int) -> bool:
        return self._closer.startswith("</") and self._closer in self._text[i:stop].lower()

    def _starts_block(self, i: int, stop: int, indent: int) -> bool:
        """True if the line cannot be a lazy continuation of a paragraph: another block begins here."""
        text = self._text
        if indent >= 4 or text[i] not in syntax.STARTERS:
            return False
        if text[i] in "-+*0123456789":
            return bool(syntax.BULLET.match(text, i, stop) or syntax.RULE.match(text, i, stop))
        if text[i] in "#>`~_":
            return text[i] == ">" or bool(
                syntax.ATX.match(text, i, stop) or syntax.FENCE.match(text, i, stop) or syntax.RULE.match(text, i, stop)
            )
        if text[i] == "%":
            return text[i:stop].rstrip() == "%%"
        html = syntax.HTML.match(text, i, stop) if text[i] == "<" else None
        return bool(html and html.lastgroup != "alone") or bool(syntax.FOOTNOTE.match(text, i, stop))

    def _open(self, i: int, col: int, base: int, stop: int) -> None:
        """Open the containers that begin on this line, then the leaf block."""
        text = self._text
        self._ruleless = ""
        while i < stop and text[i] in syntax.STARTERS and len(self._boxes) < MAX_DEPTH:
            char, indent = text[i], col - base
            if char == ">" and indent < 4:
                self._close_leaf()
                i, col, base = after_quote(text, i, col, stop)
                begin = self._open_quote(i, stop)
                if begin < 0:
                    return
                continue
            if char == "[" and indent < 4 and (note := syntax.FOOTNOTE.match(text, i, stop)):
                self._close_leaf()
                self._push(Box(base + 4, None, None, False, False))
                i, col, base = note.end(), base + 4, base + 4
                continue
            item = syntax.BULLET.match(text, i, stop) if char in "-+*0123456789" else None
            if item is None or not self._takes_item(item, indent, stop):
                break
            self._close_leaf()
            i, col, base = self._open_item(item, col, stop)
        if i < stop:
            self._open_leaf(i, col - base, stop)

    def _takes_item(self, item: re.Match[str], indent: int, stop: int) -> bool:
        """True if the matched marker opens a list item here."""
        char = self._text[item.start()]
        if char in "-*" and char not in self._ruleless:
            if syntax.RULE.match(self._text, item.start(), stop):
                return False
            # What is no rule from here on is none from a later mark of the same kind: ask once a line.
            self._ruleless += char
        in_item = bool(self._boxes) and self._boxes[-1].indent >= 0
        if indent >= 4 and not (in_item and self._leaf in ("para", "")):
            return False
        if self._leaf != "para" or in_item:
            return True
        # A paragraph is not interrupted by an empty item, nor by a number other than 1 (a date, a year).
        empty = not self._text[item.end() : stop].strip()
        return not empty and item.group()[:-1].lstrip("0") in ("", "1")

    def _push(self, box: Box) -> None:
        if self._boxes:
            parent = self._boxes[-1]
            parent.marker = -1
            box.foreign = box.foreign or parent.foreign
            if box.indent >= 0:
                box.callout, box.quoted = parent.callout, parent.quoted
            box.unit = parent.unit
        self._boxes.append(box)

    def _open_quote(self, i: int, stop: int) -> int:
        """Open a quotation or callout; -1 if its first line is a callout's title, which is then done."""
        if self._first_quote < 0:
            self._first_quote = len(self._boxes)
        callout = syntax.CALLOUT.match(self._text, i, stop)
        name = callout.group(1).split("|")[0].strip().lower() if callout else None
        self._push(Box(-1, None, name, name in (None, "quote", "cite"), True))
        if callout is None:
            return i
        if callout.end() < stop:
            self._rows = [(callout.end(), stop, self._line)]
            self._leaf = "para"
            self._close_leaf()
        return -1

    def _open_item(self, item: re.Match[str], col: int, stop: int) -> tuple[int, int, int]:
        text, level = self._text, len(self._boxes)
        after = col + item.end() - item.start()
        i, inner = skip_blanks(text, item.end(), stop, after)
        indent = inner if i < stop and inner - after <= 4 else after + 1
        box = Box(indent, None, None, False, False, item.start(), "list_item")
        lead = self._leads.get(level)
        if lead is not None and (lead[2] or lead[0] == self._line - 1 or lead[1].rstrip("*_ ").endswith((":", "："))):
            box.lead = lead[1]
            self._leads[level] = (lead[0], lead[1], True)
        task = syntax.TASK.match(text, i, stop)
        if task is not None:
            box.kind, box.checked = "task", task.group(1) in "xX"
            i, inner = task.end(), inner + task.end() - task.start()
            indent = inner
        self._push(box)
        if i == stop and task is not None:
            self._rows, self._leaf = [(i, stop, self._line)], "para"
        return i, inner, indent

    def _open_leaf(self, i: int, indent: int, stop: int) -> None:
        """Open, continue or emit the leaf block that this line belongs to."""
        text, row = self._text, (i, stop, self._line)
        para = self._leaf == "para"
        if indent >= 4 and not para and self._leaf != "table":
            self._start("indent", row)
            return
        char = text[i]
        if char in syntax.STARTERS and indent < 4 and self._special(char, i, stop, row, para):
            return
        if self._leaf == "table":
            if "|" in text[i:stop]:
                self._emit("table_row", i, stop, self._line, cells=table_cells(text, i, stop), header=self._header)
                return
            self._close_leaf()
        if self._leaf == "para":
            self._rows.append(row)
        else:
            self._start("para", row)

    def _special(self, char: str, i: int, stop: int, row: tuple[int, int, int], para: bool) -> bool:
        """Blocks that begin with a mark. True if the line is used up."""
        text = self._text
        if char == "#" and (atx := syntax.ATX.match(text, i, stop)):
            self._close_leaf()
            title = text[atx.end() : stop].strip()
            bare = title.rstrip("#")
            title = bare.rstrip() if not bare or bare[-1] in " \t" else title
            self._heading(len(atx.group(1)), title, i, stop, self._line)
            return True
        if char in "`~" and (fence := syntax.FENCE.match(text, i, stop)):
            self._start("fence", row, fence.group(1) or fence.group(2))
            return True
        if para and char in "=-" and (setext := syntax.SETEXT.match(text, i, stop)):
            return self._setext(1 if setext.group(1)[0] == "=" else 2, stop)
        if para and char in "|:-" and syntax.DELIMITER.match(text, i, stop) and self._open_table(i, stop):
            return True
        if (char in "-*_" and syntax.RULE.match(text, i, stop)) or (char == "%" and text[i:stop].rstrip() == "%%"):
            self._close_leaf()
            self._leads.pop(len(self._boxes), None)
            return True
        if char == "$" and text.startswith("$$", i):
            return self._math(i, stop, row)
        html = syntax.HTML.match(text, i, stop) if char == "<" else None
        if html is None or (html.lastgroup == "alone" and para):
            return False
        self._html(html, row, stop)
        return True
