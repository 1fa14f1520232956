"""Where sentences begin and end, in Chinese, English and both, in time linear in the text.

Spans are exact offsets without surrounding white space, list markers and quote marks, so that text[start:end] can be
shown as a quotation. Nothing is split inside code, a wikilink, a link target or a URL.
"""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    "mr mrs ms dr prof sr jr st al etc vs cf approx dept est inc ltd co corp jan feb mar apr jun jul aug sep sept oct "
    "nov dec mon tue wed thu fri sat sun ca resp incl excl min max avg ver rev ref refs tel ext univ assn bros capt "
    "col gen gov lt maj messrs rep sen ed eds"
)
_ABBREVIATIONS: Final = frozenset(_WORDS.split())
_DOTTED: Final = re.compile(r"(?:\b[A-Za-z]\.)+[A-Za-z]?\Z")
"""e.g, i.e, U.S, a.m and initials: letters with a full stop after each."""

_PROTECTED = re.compile(
    r"`[^`\n]{1,500}`|\[[^\[\]\n]{1,300}(?=\]\()|!?\[\[[^\[\]\n]{1,300}\]\]|\]\([^)\n]{0,500}\)|<?https?://[^\s，。；！？、）】》」”]{1,2000}(?<![.!?])"
)
_CANDIDATE = re.compile(r"[。！？!?；]+|…+|\.+|\n")
_CLOSING: Final = frozenset("\"'”’」』）)】》*_]~=")
_MARKER = re.compile(r"[ \t]*(?:(?:[-*+](?=[ \t])|>|\d{1,3}[.)](?=[ \t])|#{1,6}(?=[ \t]))[ \t]*|\[.\][ \t]+)*")
_NEXT_BLOCK = re.compile(r"[ \t]*(?:[-*+>|#]|\d{1,3}[.)][ \t]|$)", re.MULTILINE)
_LAST_WORD = re.compile(r"[^\W_]+(?:\.[^\W_]+)*\Z")
_LIST_NUMBER = re.compile(r"[ \t>]*\d{1,3}")
_NUMBERED: Final = frozenset({"no", "fig", "figs", "eq", "sec", "ch", "vol", "pp", "p"})
"""Abbreviations only before a number: "No. 5", but "No. I did not."."""
_WIDE = re.compile("[\u2e80-\u9fff\uff00-\uffef]")
_WRAPPED: Final = 60
"""A Latin line at least this wide that ends without a stop was broken by an editor, not by its writer."""


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of `text`, in order and without overlap; every visible word lies in one of them."""
    protected = [m.span() for m in _PROTECTED.finditer(text)]
    spans: list[tuple[int, int]] = []
    start = 0
    shield = 0
    line_start = 0
    for match in _CANDIDATE.finditer(text):
        at, end = match.span()
        if match.group() == "\n":
            if _line_ends(text, line_start, at, end):
                _add(text, start, at, spans)
                start = end
            line_start = end
            continue
        while shield < len(protected) and protected[shield][1] <= at:
            shield += 1
        if (shield < len(protected) and protected[shield][0] <= at) or at < start:
            continue
        if _is_stop(text, match.group(), max(start, line_start), at, end):
            while end < len(text) and text[end] in _CLOSING:
                end += 1
            _add(text, start, end, spans)
            start = end
    _add(text, start, len(text), spans)
    return spans


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Keep a span without its white space and leading markers, if a letter or digit is left."""
    marker = _MARKER.match(text, start, end)
    if marker is not None:
        start = marker.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        if spans and not any(ch.isalnum() for ch in text[start:end][:200]):
            return  # punctuation alone: "。" after a bracket, a rule, an emoji
        spans.append((start, end))


def _is_stop(text: str, mark: str, line_start: int, at: int, end: int) -> bool:
    """Whether the punctuation text[at:end] ends a sentence; its line, or the sentence in it, began at `line_start`."""
    if mark[0] in "。！？；":
        return True
    after = end
    while after < len(text) and text[after] in _CLOSING:
        after += 1
    following = text[after] if after < len(text) else "\n"
    if mark[0] in "!?":
        return following.isspace() or _wide(following)
    if mark[0] == "…" or len(mark) > 1:
        return following == "\n" or (following == " " and _starts_sentence(text, after))
    return _is_full_stop(text, line_start, at, after, following)


def _is_full_stop(text: str, line_start: int, at: int, after: int, following: str) -> bool:
    """A single "." at `at`: neither decimal, list number, abbreviation nor initial."""
    if at == 0 or not (following.isspace() or _wide(following)):
        return False
    if _wide(following):
        return _wide(text[at - 1])
    if at - line_start <= 12 and _LIST_NUMBER.fullmatch(text, line_start, at):
        return False
    word = _LAST_WORD.search(text[max(line_start, at - 40) : at])
    last = word.group() if word else ""
    if _DOTTED.search(text[max(line_start, at - 12) : at]) or (len(last) == 1 and last.isalpha() and last != "I"):
        return following == "\n" and after + 1 >= len(text)
    if last.lower() in _NUMBERED:
        return not text[after : after + 2].strip().isdigit()
    if last.lower() in _ABBREVIATIONS:
        return following == "\n"
    return following == "\n" or _starts_sentence(text, after) or (last.isalpha() and len(last) > 3)


def _starts_sentence(text: str, at: int) -> bool:
    """Whether what follows the white space at `at` looks like a beginning: not a lower-case letter, not a comma."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at >= len(text) or not (text[at].islower() or text[at] in ",;:)")


def _line_ends(text: str, line_start: int, at: int, after: int) -> bool:
    """Whether a line break ends the sentence: always, but for a Latin line that was merely wrapped."""
    line = text[max(line_start, at - 400) : at]
    if line.endswith(("  ", "\\")) or not line.strip() or _NEXT_BLOCK.match(text, after):
        return True
    last = line.rstrip()[-1]
    if last in ",，、":
        return False
    following = text[after] if after < len(text) else "\n"
    if _wide(last) or _wide(following) or last in ".!?:;\"')":
        return True
    return not (following.islower() or len(line) >= _WRAPPED)


def _wide(ch: str) -> bool:
    return _WIDE.match(ch) is not None
