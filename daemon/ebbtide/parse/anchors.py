"""Anchors: which headings and blocks a note has, and whether a link's `#Heading`, `#A#B` or `#^id` is among them. Pure.

As Obsidian compares them (design/obsidian.md 9): headings without case, punctuation and repeated spaces, nested ones each
below the one before; block ids without case. Never a slug. What cannot be known is never called broken: a note that was
read in part, a drawing (its elements are anchors too), and what is no note (`#page=3` of a PDF, a view of a base).
"""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ebbtide.memory.records import Note
from ebbtide.parse.near import Near, closest
from ebbtide.parse.passages import is_drawing

_KEPT: Final = frozenset("_-")
MAX_ANCHORS: Final = 5_000
"""Headings, and block ids, that are kept of one note; of one with more nothing is known."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What links can point at within a note: (level, text) of its headings in order, and its block ids.

    `whole` is false where there may be more: then nothing is missing.
    """

    headings: tuple[tuple[int, str], ...] = ()
    blocks: tuple[str, ...] = ()
    whole: bool = True


def outline(note: Note) -> Outline:
    """The anchors of a note."""
    cut = any(problem.code == "note-too-long" for problem in note.problems)
    if cut or is_drawing(note) or max(len(note.headings), len(note.anchors)) > MAX_ANCHORS:
        return Outline(whole=False)
    return Outline(
        tuple((heading.level, heading.text) for heading in note.headings),
        tuple(dict.fromkeys(anchor.id for anchor in note.anchors)),
    )


def write_outline(found: Outline) -> str:
    """An outline as a line of JSON: headings as [level, folded text, text], blocks as [folded id, id]."""
    if not found.whole:
        return ""
    headings = [[level, fold_heading(text), text] for level, text in found.headings]
    return json.dumps([headings, [[block.lower(), block] for block in found.blocks]], ensure_ascii=False)


@lru_cache(maxsize=64)
def read_outline(text: str) -> Anchors:
    """What `write_outline` wrote."""
    if not text:
        return Anchors((), (), whole=False)
    headings, blocks = json.loads(text)
    return Anchors(tuple((int(h[0]), str(h[1]), str(h[2])) for h in headings), tuple((b[0], b[1]) for b in blocks))


@dataclass(frozen=True, slots=True)
class Anchors:
    """An outline ready for comparing: (level, folded, text) of headings, (folded, id) of blocks."""

    headings: tuple[tuple[int, str, str], ...]
    blocks: tuple[tuple[str, str], ...]
    whole: bool = True

    def holds(self, heading: str | None, block: str | None) -> bool:
        """True if a link's heading (everything after its first `#`) or block is here, or nobody can know."""
        if not self.whole:
            return True
        parts = [part.strip() for part in (heading or "").split("#") if part.strip()]
        if block is None and parts and parts[-1].startswith("^"):  # `#Heading#^id`: the block decides
            block = parts[-1][1:]
        if block is not None:
            return any(folded == block.strip().lower() for folded, _ in self.blocks)
        if not parts or parts[0].startswith("[^"):  # the top of the note; a footnote, which is no anchor of ours
            return True
        return self._below(tuple(map(fold_heading, parts)), 0, 0)

    def _below(self, wanted: tuple[str, ...], start: int, level: int) -> bool:
        """True if the first wanted heading stands after `start`, deeper than `level`, and the others in it in turn."""
        for number in range(start, len(self.headings)):
            depth, folded, _ = self.headings[number]
            if level and depth <= level:
                return False
            if folded == wanted[0] and (len(wanted) == 1 or self._below(wanted[1:], number + 1, depth)):
                return True
        return False

    def near(self, heading: str | None, block: str | None, limit: int = 3) -> list[Near]:
        """Headings, or block ids, that may have been meant, nearest first. `path` is empty: the note is known."""
        if block is not None:
            return closest(block, [block for _, block in self.blocks], "block", limit)
        wanted = (heading or "").rpartition("#")[2].strip()
        whole = closest((heading or "").replace("#", " "), [text for _, _, text in self.headings], "heading", limit)
        return whole or closest(wanted, [text for _, _, text in self.headings], "heading", limit)


@lru_cache(maxsize=4096)
def fold_heading(text: str) -> str:
    """The form in which headings are compared; a heading of punctuation only is compared as it is."""
    plain = unicodedata.normalize("NFC", text.replace("\u00a0", " ")).lower()
    kept = "".join(char if _counts(char) else " " for char in plain)
    return " ".join(kept.split()) or " ".join(plain.split())


def _counts(char: str) -> bool:
    """Letters with their marks, numbers, `_`, `-` and emoji."""
    if char.isalnum() or char in _KEPT:
        return True
    kind = unicodedata.category(char)
    return kind[0] in "LNM" or kind == "So" or (kind == "Sk" and char > "\U0001f000")
