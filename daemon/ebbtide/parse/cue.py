"""Lexicon patterns in Chinese and English, each searched only in text of its script.

A pattern whose alternatives all begin with a literal character is searched many times as fast as one in which some
begin with a word boundary. So the alternatives are parted by script, and a Chinese clause is spared the English ones.
"""

from __future__ import annotations

import re
from typing import Final

_HAN: Final = re.compile("[\u4e00-\u9fff]")


class Cue:
    """A pattern of alternatives for folded text, parted by script."""

    __slots__ = ("_han", "_latin")

    def __init__(self, pattern: str) -> None:
        parts = _alternatives(pattern)
        self._han = re.compile("|".join(part for part in parts if _HAN.search(part)) or r"(?!)")
        self._latin = re.compile("|".join(part for part in parts if not _HAN.search(part)) or r"(?!)")

    def search(self, folded: str, han: bool = True, latin: bool = True) -> re.Match[str] | None:
        """A match of one of the alternatives of the wanted scripts, the Chinese ones first."""
        return (self._han.search(folded) if han else None) or (self._latin.search(folded) if latin else None)

    def count(self, folded: str) -> int:
        """How many times the alternatives match."""
        return sum(1 for pattern in (self._han, self._latin) for _ in pattern.finditer(folded))


def _alternatives(pattern: str) -> list[str]:
    """Split a pattern at its outermost bars."""
    parts, depth, escaped, inside = [""], 0, False, False
    for ch in pattern:
        if ch == "|" and not depth and not escaped and not inside:
            parts.append("")
            continue
        if not escaped:
            inside = (inside or ch == "[") and ch != "]"
            depth += (ch == "(") - (ch == ")") if not inside else 0
        escaped = ch == "\\" and not escaped
        parts[-1] += ch
    return [part for part in parts if part]
