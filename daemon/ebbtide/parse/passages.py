"""Passages: the heading-level pieces of a note that are embedded and cited. Pure.

A note is cut at headings (level 1-2 always), then between blocks, then, inside a giant block, between sentences.
Sizes are estimated tokens: CJK characters / 1.48 + other characters / 4. Nothing overlaps, except the pieces of one
block that had to be cut.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from operator import itemgetter
from typing import Final

from ebbtide.memory.records import Note, Passage, Unit
from ebbtide.memory.states import BOOKKEEPING, Lang
from ebbtide.parse.fact_dialogue import speakers_of
from ebbtide.parse.passage_key import clean_markdown, passage_key
from ebbtide.parse.syntax import comment_spans

__all__ = ["clean_markdown", "estimate_tokens", "language_of", "passage_key", "split_passages"]

MAX_TOKENS: Final = 350
OVERLAP: Final = 0.15


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long passages are, in estimated tokens: a piece under `least` joins another, one of `target` is enough, none but
    code passes `most`."""

    least: float
    target: float
    most: float


TEXT: Final = Sizes(80, 220, MAX_TOKENS)
DIALOGUE: Final = Sizes(40, 90, 180)
"""An exchange or two: what is said in a conversation changes its subject faster than what is written."""

_CJK = re.compile(
    r"[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f]+"
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_SENTENCE = re.compile(r"[。！？；!?;][”」』）)\"']*|\.(?=\s)|\n")
_BLOB = re.compile(r"data:[\w.+/-]{1,80};base64,[A-Za-z0-9+/=]*+|(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{256,}+")

Spans = list[tuple[int, int]]


def estimate_tokens(text: str) -> float:
    """Estimated tokens of the default model."""
    other = len(text) if text.isascii() else len(_CJK.sub("", text))
    return (len(text) - other) / 1.48 + other / 4.0


def language_of(text: str) -> Lang:
    """Majority script: `zh` if there are Han characters and, doubled, they are not fewer than the Latin letters."""
    if text.isascii():
        return "en"
    han = len(text) - len(_HAN.sub("", text))
    latin = len(text) - len(_LATIN.sub("", text))
    return "zh" if han and han * 2 >= latin else "en"


@dataclass(frozen=True, slots=True)
class _Atom:
    """A block that is kept whole: text[start:end], its heading path, and whether it is a heading or code."""

    start: int
    end: int
    line: int
    tokens: float
    path: tuple[str, ...]
    level: int = 0
    code: bool = False


def split_passages(note: Note) -> list[Passage]:
    """The note's passages in order; a note without body text gives one of its title and plain property values."""
    hidden = _hidden(note)
    writer = _Writer(note, hidden)
    for group in _groups(_atoms(note, hidden), DIALOGUE if speakers_of(note) else TEXT):
        writer.add(group)
    if not writer.passages and (text := _plain_properties(note)):
        line = note.text.count("\n", 0, note.body) + 1
        return [Passage(0, (), note.body, note.body, line, text, language_of(text))]
    return writer.passages


def is_drawing(note: Note) -> bool:
    """True for an Excalidraw note, whose drawing data must not be read as text."""
    return "excalidraw-plugin" in note.properties or note.path.lower().endswith(".excalidraw.md")


def _hidden(note: Note) -> Spans:
    """Comments, drawings and data blobs: in the note, but not in its passages. Sorted, without overlap."""
    drawing = is_drawing(note)
    spans = comment_spans(note.text, note.units, note.body)
    for unit in note.units:
        if (unit.kind == "html" and _is_comment(note.text, unit)) or (drawing and _is_drawn(note.text, unit)):
            spans.append((unit.start, unit.end))
    spans.extend(match.span() for match in _BLOB.finditer(note.text, note.body) if not _is_word(match.group()))
    apart: Spans = []
    for start, end in sorted(spans):
        if apart and start < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart


def _is_comment(text: str, unit: Unit) -> bool:
    return text.startswith("<!--", unit.start) and text.endswith("-->", unit.start, unit.end)


def _is_drawn(text: str, unit: Unit) -> bool:
    """Excalidraw's data, its section and the line that tells to switch the view."""
    return unit.kind == "code" or "Drawing" in unit.headings or text.startswith("==⚠", unit.start)


def _is_word(run: str) -> bool:
    """A long run of one kind of letter is text without spaces, not data."""
    return run.isalpha() and (run.islower() or run.isupper())


def _visible(text: str, start: int, end: int, hidden: Spans) -> str:
    """text[start:end] without its hidden parts."""
    pieces: list[str] = []
    at = bisect_right(hidden, start, key=itemgetter(1))
    while at < len(hidden) and hidden[at][0] < end:
        pieces.append(text[start : max(hidden[at][0], start)])
        start = max(hidden[at][1], start)
        at += 1
    pieces.append(text[start:end])
    return "".join(pieces)


def _atoms(note: Note, hidden: Spans) -> list[_Atom]:
    """Blocks with the text between them (rules, table heads) joined to the block that follows."""
    text, atoms = note.text, []
    levels = {heading.offset: heading for heading in note.headings}
    done = note.body
    for unit in note.units:
        if unit.end <= done:
            continue
        start = _line_start(text, max(done, note.body), unit)
        shown = _visible(text, start, unit.end, hidden) if hidden else text[start : unit.end]
        if not shown.strip():
            done = unit.end
            continue
        heading = levels.get(unit.start) if unit.kind == "heading" else None
        path = unit.headings if heading is None else (*unit.headings, heading.text)
        level = heading.level if heading is not None else 0
        tokens = estimate_tokens(shown) + (start - done) / 4.0
        done = unit.end
        atoms.append(_Atom(start, unit.end, unit.line, tokens, path, level, unit.kind == "code"))
    return atoms


def _line_start(text: str, done: int, unit: Unit) -> int:
    """Where the block begins with what stands before it since the last block, white space left out."""
    start = done
    while start < unit.start and text[start] in " \t\r\n":
        start += 1
    return start


def _groups(atoms: list[_Atom], sizes: Sizes) -> list[list[_Atom]]:
    """Atoms to passages: regions at headings of level 1-2, then by size."""
    return [group for region in _sections(atoms, 2) for group in _pack(region, sizes)]


def _sections(atoms: list[_Atom], level: int) -> list[list[_Atom]]:
    """Part at headings down to this level; headings that follow one another stay together."""
    sections: list[list[_Atom]] = []
    has_text = False
    for atom in atoms:
        if not sections or (0 < atom.level <= level and has_text):
            sections.append([])
            has_text = False
        sections[-1].append(atom)
        has_text = has_text or not atom.level
    return sections


def _pack(region: list[_Atom], sizes: Sizes) -> list[list[_Atom]]:
    """Split one region by size: first at its deeper headings, then between blocks."""
    if _size(region) <= sizes.most:
        return [region]
    groups: list[list[_Atom]] = []
    current: list[_Atom] = []
    have = 0.0
    for section in _sections(region, 6):
        size = _size(section)
        joins = have + size <= sizes.most and (have < sizes.least or size < sizes.least)
        if current and not joins:
            groups.extend(_pack_blocks(current, sizes))
            current, have = [], 0.0
        current.extend(section)
        have += size
    groups.extend(_pack_blocks(current, sizes))
    return groups


def _size(atoms: list[_Atom]) -> float:
    return sum(atom.tokens for atom in atoms)


def _pack_blocks(section: list[_Atom], sizes: Sizes) -> list[list[_Atom]]:
    """Split a section between its blocks into pieces near the target; the last piece is not left tiny."""
    left = _size(section)
    if left <= sizes.most:
        return [section] if section else []
    groups: list[list[_Atom]] = []
    current: list[_Atom] = []
    have, has_text = 0.0, False
    for atom in section:
        full = have + atom.tokens > sizes.most and not (atom.code and have <= sizes.most - sizes.target)
        enough = have >= sizes.target and left >= sizes.least
        if has_text and (full or enough):
            groups.append(current)
            current, have, has_text = [], 0.0, False
        current.append(atom)
        has_text = has_text or not atom.level
        # Of a block that will be cut, only the last piece counts: how long it is, the writer will see.
        have = have + atom.tokens if atom.tokens <= sizes.most or atom.code else 0.0
        left -= atom.tokens
    groups.append(current)
    return groups


class _Writer:
    """Turns groups of atoms into passages, in the order of the text."""

    def __init__(self, note: Note, hidden: Spans) -> None:
        self.passages: list[Passage] = []
        self._text, self._hidden = note.text, hidden
        self._at, self._line = 0, 1

    def add(self, group: list[_Atom]) -> None:
        """One passage, or several if a block of the group is too long."""
        group, path = _heading_path(group)
        start, have, end = group[0].start, 0.0, -1
        for atom in group:
            if end < 0:
                start = atom.start
            if have + atom.tokens <= MAX_TOKENS:
                have, end = have + atom.tokens, atom.end
                continue
            if atom.code:
                self._append(path, start, _cut_code(self._text, atom, MAX_TOKENS - have))
                have, end = 0.0, -1
                continue
            self._append(path, start, end)
            *whole, (start, end) = _cut_text(self._text, atom)
            for low, high in whole:
                self._append(path, low, high)
            # The last piece may be short: what follows can join it.
            have = estimate_tokens(self._text[start:end])
        self._append(path, start, end)

    def _append(self, path: tuple[str, ...], start: int, end: int) -> None:
        if end < 0:
            return
        shown = _visible(self._text, start, end, self._hidden).strip()
        if shown:
            # Overlapping pieces go back a little: count from the last place in either direction.
            breaks = self._text.count("\n", min(self._at, start), max(self._at, start))
            self._line += breaks if start >= self._at else -breaks
            self._at = start
            self.passages.append(
                Passage(len(self.passages), path, start, end, self._line, shown, language_of(shown))
            )  # fmt: skip


def _heading_path(group: list[_Atom]) -> tuple[list[_Atom], tuple[str, ...]]:
    """The passage's path, and the group without the headings that only repeat it."""
    content = [atom for atom in group if not atom.level]
    if not content:
        return group, group[0].path[:-1]
    path = content[0].path
    for atom in content:
        while atom.path[: len(path)] != path:
            path = path[:-1]
    while len(group) > 1 and group[0].level and path[: len(group[0].path)] == group[0].path:
        group = group[1:]
    return group, path


def _cut_code(text: str, atom: _Atom, room: float) -> int:
    """Where a code block that is too long is cut off: at a line break within the room left."""
    end = _limit(text, atom.start, atom.end, max(room, TEXT.least))
    newline = text.rfind("\n", atom.start, end)
    return newline if end < atom.end and newline > atom.start else end


def _cut_text(text: str, atom: _Atom) -> Iterator[tuple[int, int]]:
    """Pieces of a block that is too long, parted at sentences, each beginning with the end of the one before."""
    start = atom.start
    # Even pieces, with room for the overlap and for ending at a sentence.
    count = ceil(atom.tokens / (MAX_TOKENS * (1 - 2 * OVERLAP)))
    goal = min(MAX_TOKENS, atom.tokens / count * (1 + 2 * OVERLAP))
    while True:
        end = _limit(text, start, atom.end, goal)
        if end < atom.end:
            end = _sentence_end(text, _limit(text, start, end, goal / 2), end)
        yield start, end
        if end >= atom.end:
            return
        back = end - int((end - start) * OVERLAP)
        inner = _SENTENCE.search(text, back, end)
        start = max(start + 1, inner.end() if inner is not None and inner.end() < end else back)


def _limit(text: str, start: int, end: int, tokens: float) -> int:
    """The offset up to which text[start:end] holds at most so many tokens; at least one character."""
    low, high = start + 1, min(end, start + int(tokens * 4) + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[start:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    return min(low, end)


def _sentence_end(text: str, low: int, high: int) -> int:
    """The last end of a sentence in text[low:high], else of a word, else high."""
    last = high
    for match in _SENTENCE.finditer(text, low, high):
        last = match.end()
    if last < high or _SENTENCE.fullmatch(text, high - 1, high):
        return last
    space = text.rfind(" ", low, high)
    return space if space > low else high


def _plain_properties(note: Note) -> str:
    """Title and plain property values of a note without body text."""
    lines = [note.title, *note.aliases]
    for key, value in note.properties.items():
        if key.lower() in BOOKKEEPING or isinstance(value, (bool, dict)) or value is None:
            continue
        values = value if isinstance(value, list) else [value]
        items = [str(item) for item in values if isinstance(item, (str, int, float))]
        if items:
            lines.append(f"{key}: {', '.join(items)[:300]}")
    return "\n".join(line for line in lines if line.strip())[:1_200]
