"""`parse_note`: one pass from the text of a note to everything the rest of Ebbtide reads of it. Pure; never raises.

Links follow the marker pass of design/obsidian.md 13: candidates with exact offsets (marks.py) are replaced by markers,
mistune says which markers lie in code, math or HTML, the others count. Places, lines and columns come from the source,
never from mistune. Blocks, headings and block ids come from the scanner (blocks.py), properties from properties.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, Final, NamedTuple

import mistune
from mistune.plugins.math import math_in_list, math_in_quote
from mistune.plugins.table import table, table_in_list, table_in_quote

from ebbtide.memory.errors import Problem
from ebbtide.memory.records import Note, RawLink, Tag, Unit
from ebbtide.memory.states import LinkKind
from ebbtide.parse.blocks import scan_blocks
from ebbtide.parse.fields import find_fields
from ebbtide.parse.marks import Candidate, Candidates, Target, clean_tag, find_candidates, parse_whole
from ebbtide.parse.properties import Properties, read_properties

MAX_NOTE: Final = 2 * 1024 * 1024
"""Characters of a note that are parsed; the rest is left out, and a Problem says so."""
MAX_SNIPPET: Final = 240

_INLINE = re.compile(r"`[^`]*`|\$[^$]+\$|<[A-Za-z/!?]|~~~")
"""Without any of these, and without code blocks, a body holds no code, math or HTML: mistune need not look."""
_SOLID = frozenset({"code", "math", "html"})
_REJECTED = frozenset({"codespan", "block_code", "inline_math", "block_math", "inline_html", "block_html"})
_MATH = (
    r"\$\$(?P<display>(?:[^$\\]|\\.)+?)\$\$"
    # A price is no math: no space inside the dollars, no digit after them.
    r"|\$(?![\s$])(?P<inline>(?:[^$\\\n]|\\.)*?(?:[^\s$\\]|\\.))\$(?!\d)"
)
_BLOCK_MATH = r"^ {0,3}\$\$(?P<math_block>[^$]+)\$\$[ \t]*(?:\n|$)"
_FOOTNOTE = re.compile(r"^([ \t>]*)\[\^[^\]\s]+\]:", re.MULTILINE)
_SENTENCE_END = re.compile(r"[。！？；](?![）」』”])|[.!?;](?=\s)")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^`]*(?<!`)\1(?!`)")


def parse_note(path: str, text: str) -> Note:
    """Parse the note at `path` (vault-relative) with this decoded text, its byte order mark already taken off.

    Offsets are code points in `text`. What is wrong in the note is in `problems`; nothing is raised.
    """
    problems: list[Problem] = []
    if len(text) > MAX_NOTE:
        cut = text.rfind("\n", 0, MAX_NOTE) + 1 or MAX_NOTE
        message = f"the note has {len(text):,} characters; only the first {cut:,} are read"
        problems.append(Problem(path, None, "note-too-long", message, "split the note"))
        text = text[:cut]
    properties = read_properties(path, text)
    problems.extend(properties.problems)
    blocks = scan_blocks(text, properties.body)
    candidates = find_candidates(text, properties.body, len(text))
    rejected = _classify(
        path, text, properties.body, candidates=candidates, units=blocks.units, problems=problems
    )  # fmt: skip
    places = _Places(text)
    links = _property_links(properties, places)
    links.extend(_body_links(text, candidates.links, rejected, places))
    title = properties.values.get("title")
    return Note(
        path=path,
        text=text,
        title=title.strip() if isinstance(title, str) and title.strip() else note_name(path),
        body=properties.body,
        properties=properties.values,
        property_lines=properties.lines,
        aliases=_aliases(properties),
        tags=_tags(properties, candidates, rejected, places),
        headings=blocks.headings,
        anchors=blocks.anchors,
        links=tuple(links),
        units=blocks.units,
        problems=tuple(problems),
    )


def note_name(path: str) -> str:
    """The file name without `.md` or `.canvas`: what a note is called if its properties give no title."""
    name = path.rpartition("/")[2]
    for ending in (".md", ".canvas"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


class _Place(NamedTuple):
    offset: int
    line: int
    column: int


class _Places:
    """Offsets to lines (1-based) and columns (UTF-16 units)."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def of(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        column = offset - start
        if self._astral:
            column += bisect_right(self._astral, offset - 1) - bisect_right(self._astral, start - 1)
        return line, column


def _make_mistune() -> Any:
    """mistune with what decides about code, math and HTML only; emphasis and links would cost time for nothing."""
    markdown = mistune.Markdown(renderer=None, plugins=[table, table_in_list, table_in_quote])
    markdown.block.register("block_math", _BLOCK_MATH, _skip_math, before="list")
    math_in_quote(markdown)
    math_in_list(markdown)
    markdown.inline.register("inline_math", _MATH, _skip_math, before="codespan", start_chars="$")
    markdown.inline.rules = ["escape", "inline_math", "codespan", "auto_link", "inline_html"]
    return markdown


def _skip_math(_: Any, match: re.Match[str], state: Any) -> int:
    state.append_token({"type": "inline_math", "raw": match.group(0)})
    return match.end()


_markdown: Final = _make_mistune()


def _classify(
    path: str, text: str, body: int, *, candidates: Candidates, units: tuple[Unit, ...], problems: list[Problem]
) -> frozenset[int]:
    """Indices of the replaced spans that lie in code, math or HTML."""
    if not candidates.spans:
        return frozenset()
    if not any(unit.kind in _SOLID for unit in units) and not _INLINE.search(text, body):
        return frozenset()
    opening, closing = _marker_characters(text)
    marked = _mark(text, body, candidates.spans, opening, closing)
    marker = re.compile(f"{opening}(\\d+){closing}")
    try:
        tokens, _ = _markdown.parse(_FOOTNOTE.sub(r"\1- ", marked))
    except Exception as error:  # noqa: BLE001 - a note must never be lost to a library's bug; the scanner knows enough
        reason = "is nested too deeply" if isinstance(error, RecursionError) else f"made its parser fail: {error!r:.60}"
        message = f"the Markdown {reason}; links are read by a simpler rule"
        problems.append(Problem(path, None, "markdown-hostile", message, "simplify the nesting of this note"))
        return _classify_by_blocks(text, candidates.spans, units)
    rejected: set[int] = set()
    todo: list[Any] = list(tokens)
    while todo:
        token = todo.pop()
        if token["type"] in _REJECTED:
            rejected.update(int(number) for number in marker.findall(token["raw"]))
            if opening in (info := token.get("attrs", {}).get("info", "")):
                rejected.update(int(number) for number in marker.findall(info))
        todo.extend(token.get("children", ()))
    return frozenset(rejected)


def _marker_characters(text: str) -> tuple[str, str]:
    """Two private-use characters that the text does not hold."""
    if "\ue000" not in text and "\ue001" not in text:
        return "\ue000", "\ue001"
    used = set(text)
    spare = (chr(code) for area in ((0xE000, 0xF900), (0xF0000, 0xFFFFE)) for code in range(*area))
    free = (char for char in spare if char not in used)
    return next(free), next(free)


def _mark(text: str, body: int, spans: list[tuple[int, int]], opening: str, closing: str) -> str:
    """The body with every span replaced by its marker."""
    pieces: list[str] = []
    done = body
    for start, end, index in sorted((start, end, index) for index, (start, end) in enumerate(spans)):
        pieces += (text[done:start], opening, str(index), closing)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _classify_by_blocks(text: str, spans: list[tuple[int, int]], units: tuple[Unit, ...]) -> frozenset[int]:
    """The rule without mistune: spans in the scanner's code, math and HTML units, or in a code span of their line."""
    solid = [(unit.start, unit.end) for unit in units if unit.kind in _SOLID]
    begins = [start for start, _ in solid]
    rejected: set[int] = set()
    line_end, code = -1, []
    for start, end, index in sorted((start, end, index) for index, (start, end) in enumerate(spans)):
        which = bisect_right(begins, start) - 1
        if which >= 0 and start < solid[which][1]:
            rejected.add(index)
            continue
        if start > line_end:
            line = text.rfind("\n", 0, start) + 1
            line_end = text.find("\n", start)
            line_end = len(text) if line_end < 0 else line_end
            code = [match.span() for match in _CODE_SPAN.finditer(text, line, line_end)]
        which = bisect_right(code, (start, len(text))) - 1
        if which >= 0 and end <= code[which][1]:
            rejected.add(index)
    return frozenset(rejected)


def _body_links(
    text: str, candidates: Iterable[Candidate], rejected: frozenset[int], places: _Places
) -> Iterable[RawLink]:
    """RawLinks of the body in the order of the text, with the inline field that a link is the value of."""
    line_end, line_start, fields = -1, 0, []
    for found in candidates:
        if not rejected.isdisjoint(found.marks):
            continue
        if found.start > line_end:
            line_start = text.rfind("\n", 0, found.start) + 1
            line_end = text.find("\n", found.start)
            line_end = len(text) if line_end < 0 else line_end
            line = text[line_start:line_end]
            fields = find_fields(line) if "::" in line else []
        at = found.start - line_start
        relation = next((field.key for field in fields if field.start <= at < field.end), None)
        kind: LinkKind = "embed" if found.embed else "markdown" if found.shape == "markdown" else "wikilink"
        if relation is not None and not found.embed:
            kind = "inline-field"
        snippet = snippet_around(text, found.start, found.end, line_start, line_end)
        place = _Place(found.start, *places.of(found.start))
        yield _link(text[found.start : found.end], kind, found.target, relation, place, snippet=snippet)


def _link(
    raw: str, kind: LinkKind, target: Target, relation: str | None, place: _Place, *, snippet: str, native: bool = True
) -> RawLink:
    return RawLink(
        raw, kind, target.path, target.heading, target.block, target.alias, relation,
        place.offset, place.line, place.column, snippet, native,
    )  # fmt: skip


def snippet_around(text: str, start: int, end: int, line_start: int, line_end: int) -> str:
    """The sentence around text[start:end] within its line, trimmed, at most MAX_SNIPPET characters."""
    low = max(line_start, start - MAX_SNIPPET)
    for stop in _SENTENCE_END.finditer(text, low, start):
        low = stop.end()
    high = min(line_end, max(end, start + MAX_SNIPPET))
    stop_after = _SENTENCE_END.search(text, end, min(len(text), high + 1))
    if stop_after is not None and stop_after.end() <= high:
        high = stop_after.end()
    if high - low > MAX_SNIPPET:
        low = max(low, min(start, high - MAX_SNIPPET, start - (MAX_SNIPPET - (end - start)) // 2))
        high = low + MAX_SNIPPET
    return text[low:high].strip().lstrip(">-*+# \t")


def _property_links(properties: Properties, places: _Places) -> list[RawLink]:
    """Property values that are a link as a whole; unquoted `[[x]]` are marked as not native."""
    links: list[RawLink] = []
    for item in properties.texts:
        target = parse_whole(item.text)
        if target is not None:
            raw = item.text.strip()
            snippet = f"{item.key}: {raw}"[:MAX_SNIPPET]
            place = _Place(item.start, *places.of(item.start))
            links.append(_link(raw, "frontmatter", target, item.key, place, snippet=snippet, native=item.native))
    links.sort(key=lambda link: link.offset)
    return links


def _tags(properties: Properties, candidates: Candidates, rejected: frozenset[int], places: _Places) -> tuple[Tag, ...]:
    """Property tags, then inline tags; each name once (without case), as first spelled."""
    seen: dict[str, Tag] = {}
    for key, line, value in _listed(properties, "tags"):
        name = clean_tag(value.removeprefix("#")) if isinstance(value, str) else None
        if name is not None:
            seen.setdefault(name.lower(), Tag(name, None, properties.lines.get(key, line)))
    for found in candidates.tags:
        if found.mark not in rejected:
            for name, offset in found.tags:
                if name.lower() not in seen:
                    seen[name.lower()] = Tag(name, offset, places.line(offset))
    return tuple(seen.values())


def _aliases(properties: Properties) -> tuple[str, ...]:
    values = (value for _, _, value in _listed(properties, "aliases"))
    names = (str(value).strip() for value in values if isinstance(value, (str, int, float)) and value is not True)
    return tuple(dict.fromkeys(name for name in names if name))


def _listed(properties: Properties, wanted: str) -> list[tuple[str, int, Any]]:
    """(key, line, value) of each item of a property whose key is `wanted` without case: a list, or one value."""
    found: list[tuple[str, int, Any]] = []
    for key, value in properties.values.items():
        if key.lower() == wanted and value is not None and not isinstance(value, (bool, dict)):
            line = properties.lines.get(key, 1)
            found.extend((key, line, item) for item in (value if isinstance(value, list) else [value]))
    return found
