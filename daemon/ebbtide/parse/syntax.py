"""Line syntax of notes: the patterns that open a block, table cells, columns, `%%` comments. Pure.

Every pattern is linear: quantifiers that could hand characters back and forth are possessive, and runs are entered only
at their start. A line may have a megabyte.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from ebbtide.memory.records import Unit

ATX = re.compile(r"(#{1,6})(?=[ \t]|$)")
BULLET = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)")
TASK = re.compile(r"\[(.)\](?:[ \t]+|$)")
FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
RULE = re.compile(r"(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
SETEXT = re.compile(r"(=+|-+)[ \t]*$")
DELIMITER = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
CALLOUT = re.compile(r"\[!([^\]\n]+)\][+-]?[ \t]*")
FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:[ \t]*")
ANCHOR = re.compile(r"(?:^|(?<=[ \t>]))\^([A-Za-z0-9-]+)\Z", re.MULTILINE)
_CELL = re.compile(r"\\.|!?\[\[[^\[\]\n]*\]\]|(?<!`)(`++)[^`]+\1|\|", re.DOTALL)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^`\n]*(?<!`)\1(?!`)")
HTML = re.compile(
    r"(?P<comment><!--)|(?P<ask><\?)|(?P<declare><!)|<(?P<pre>script|pre|style|textarea)(?=[\s>]|$)|"
    r"(?P<block></?(?:address|article|aside|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    r"fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    r"nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?=[\s/>]|$))|(?P<alone></?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>[ \t]*$)",
    re.IGNORECASE,
)
HTML_END: Final = {"comment": "-->", "ask": "?>", "declare": ">"}
STARTERS: Final = frozenset("#>-+*`~$<|_=:[%0123456789")


def comment_spans(text: str, units: Sequence[Unit], start: int = 0) -> list[tuple[int, int]]:
    """Offsets (first `%`, after the last `%`) of the `%%` comments, those in code left out.

    A comment closes on its line, or it opens at the start of a line and runs to the next `%%`. Without one it is text.
    """
    if "%%" not in text:
        return []
    solid = [(u.start, u.end) for u in units if u.kind in ("code", "math")]
    begins = [span[0] for span in solid]
    spans: list[tuple[int, int]] = []
    opened, line, eol = -1, 0, -1
    place = text.find("%%", start)
    while place >= 0:
        after = place + 2
        which = bisect_right(begins, place) - 1
        if which >= 0 and place < solid[which][1]:
            after = solid[which][1]
        elif opened >= 0:
            spans.append((opened, after))
            opened = -1
        else:
            if place > eol:
                line = text.rfind("\n", 0, place) + 1
                eol = text.find("\n", place)
                eol = len(text) if eol < 0 else eol
            if _in_code_span(text, line, eol, place):
                after = place + 2
            elif (close := text.find("%%", after, eol)) >= 0:
                spans.append((place, close + 2))
                after = close + 2
            elif not text[line:place].strip(" \t>"):
                opened = place
        place = text.find("%%", after)
    return spans


def _in_code_span(text: str, line: int, eol: int, place: int) -> bool:
    low, high = max(line, place - 400), min(eol, place + 400)
    if text.find("`", low, high) < 0:
        return False
    return any(m.start() < place < m.end() for m in _CODE_SPAN.finditer(text, low, high))


def table_cells(text: str, start: int, stop: int) -> tuple[str, ...]:
    """Trimmed cells of a table line. A bar in a wikilink, in code or after a backslash does not part cells."""
    line = text[start:stop].strip()
    cells: list[str] = []
    begin = 1 if line.startswith("|") else 0
    for mark in _CELL.finditer(line, begin):
        if mark.group() == "|":
            cells.append(line[begin : mark.start()].strip().replace("\\|", "|"))
            begin = mark.end()
    if begin < len(line) or not cells:
        cells.append(line[begin:].strip().replace("\\|", "|"))
    return tuple(cells)


def skip_blanks(text: str, i: int, stop: int, col: int) -> tuple[int, int]:
    """The first character that is not a space or tab from i on, and its column (tab stops of 4)."""
    while i < stop:
        char = text[i]
        if char == " ":
            col += 1
        elif char == "\t":
            col += 4 - col % 4
        else:
            break
        i += 1
    return i, col


def after_quote(text: str, i: int, col: int, stop: int) -> tuple[int, int, int]:
    """Past a `>` and the one space after it: next character, its column, and the column where the content begins."""
    i, col = i + 1, col + 1
    base = col + 1 if i < stop and text[i] in " \t" else col
    i, col = skip_blanks(text, i, stop, col)
    return i, col, base
