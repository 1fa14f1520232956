"""Text for search: script folding, tokens with true positions, character pairs, query terms, language, token estimate.

One tokenizer serves index, query and highlighting. Text is split at every script boundary before anything else, so a
Latin identifier glued to Chinese is found; Han runs are cut by rjieba in search mode (overlapping words), and `pairs`
gives the second field in which nothing depends on a segmentation. Offsets are code points in the text that was given.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import rjieba

from ebbtide.memory.states import Lang
from ebbtide.parse.script_table import SIMPLIFIED, TRADITIONAL
from ebbtide.parse.stem import STOP_WORDS, STOP_WORDS_ZH, variants

HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Character class of Han characters, for regular expressions."""
_KANA_HANGUL: Final = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\uac00-\ud7af\u1100-\u11ff"

MAX_TOKEN: Final = 128
"""Longer tokens (hashes, data URLs) are not indexed; nobody searches for them, and they would fill the dictionary."""
MAX_QUERY: Final = 512
MAX_TERMS: Final = 64

_HAN_RUN = re.compile(f"[{HAN}]+")
_CJK_RUN = re.compile(f"[{HAN}{_KANA_HANGUL}]+")
_LETTERS = re.compile("[A-Za-z\u00c0-\u024f]+")

# Possessive quantifiers: these patterns meet 1 MB lines and never have a reason to give characters back.
_WORD = f"(?:[0-9A-Za-z]++|[^\\W_{HAN}{_KANA_HANGUL}])++"
_WORDS = f"{_WORD}(?:'{_WORD})?+"
_TOKEN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})++(?![\w,]))"
    f"|(?P<word>{_WORDS}(?:[._\\-]++{_WORDS})*+(?:\\+\\+(?<=\\b[cCgG]\\+\\+)|#(?<=\\b[cCfF]#)(?!\\w))?+)"
    f"|(?P<han>[{HAN}]++)"
    f"|(?P<other>[{_KANA_HANGUL}]++)"
    r"|(?P<dotnet>\.(?:NET|net|Net)\b)"
)
_PART = re.compile(_WORDS)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(r"[._\-]")
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')


def _width_table() -> dict[int, str]:
    """Everything `fold` maps besides case: script, full width, and the few letters whose lower case would be two."""
    table = dict(zip(map(ord, TRADITIONAL), SIMPLIFIED, strict=True))
    table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    # "İ".lower() has two characters; a word-final sigma would differ from a searched one.
    table |= {0x3000: " ", 0x0130: "i", 0x03A3: "σ", 0x03C2: "σ", 0x2019: "'", 0x2010: "-", 0x2011: "-"}
    return table


_TABLE: Final = _width_table()


class Token(NamedTuple):
    """A term to index. `position` counts Latin words and Han characters; text[start:end] is where it stands.

    A named tuple and not a data class: a vault has tens of millions of them, and these are made three times as fast.
    """

    text: str
    position: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A query taken apart. `phrases` hold (term, position relative to the phrase's first term)."""

    words: tuple[str, ...]
    pairs: tuple[str, ...]
    phrases: tuple[tuple[tuple[str, int], ...], ...]


def fold(text: str) -> str:
    """Bring text to one form: NFC, half width, simplified characters, lower case. Same length as the NFC of `text`."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_TABLE)
    return text.lower()


def is_cjk(ch: str) -> bool:
    """True for a Han, kana or Hangul character."""
    return ch > "\u10ff" and _CJK_RUN.match(ch) is not None


def count_cjk(text: str) -> int:
    """How many Han, kana and Hangul characters a text has."""
    return 0 if text.isascii() else _count(_CJK_RUN, text)


def tokenize(text: str) -> list[Token]:
    """Cut text into terms with positions and offsets. Takes the original text (CamelCase is lost once it is folded).

    An identifier yields itself and its parts at consecutive positions, an English word also its reduced form at its
    own position. A Han word's position is that of its first character, so phrases hold across scripts and line ends.
    """
    if text.isascii():
        return _cut(text)
    if unicodedata.is_normalized("NFC", text):
        return _cut(text.translate(_TABLE))
    starts = _composition(text)
    composed = unicodedata.normalize("NFC", text).translate(_TABLE)
    if len(starts) != len(composed) + 1:  # a composition across clusters: offsets cannot be told, positions still can
        return [Token(t.text, t.position, 0, 0) for t in _cut(composed)]
    return [Token(t.text, t.position, starts[t.start], starts[t.end]) for t in _cut(composed)]


def term_set(text: str) -> set[str]:
    """The terms that `tokenize` cuts a text into, without their places: twice as fast, for who asks only what a text holds."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_TABLE)
    out: set[str] = set()
    for kind, raw in {(match.lastgroup, match.group()) for match in _TOKEN.finditer(text)}:
        if kind == "han":
            out.update([term for term, _, _ in rjieba.tokenize(raw, "search", False)])
        else:
            forms, _ = _forms(raw, kind) if len(raw) <= MAX_TOKEN else _forms.__wrapped__(raw, kind)
            out.update([form[0] for form in forms])
    return out


def pairs(text: str) -> str:
    """Overlapping pairs of each Han run of the folded text, joined by spaces; a run of one character is itself."""
    out: list[str] = []
    for run in _HAN_RUN.findall(fold(text)):
        out.extend(_pairs_of(run))
    return " ".join(out)


def query_terms(text: str) -> QueryTerms:
    """The terms of a query: distinct words without function words (if any), pairs, quoted phrases."""
    text = text[:MAX_QUERY]
    words = tuple(dict.fromkeys(token.text for token in tokenize(text)))
    kept = tuple(word for word in words if word not in STOP_WORDS and word not in STOP_WORDS_ZH)
    doubles = tuple(dict.fromkeys(pair for run in _HAN_RUN.findall(fold(text)) for pair in _pairs_of(run)))
    content = tuple(pair for pair in doubles if pair not in STOP_WORDS_ZH and not _all_function(pair))
    phrases = []
    for groups in _QUOTED.findall(text):
        phrase = _phrase(next(part for part in groups if part))
        if phrase:
            phrases.append(phrase)
    return QueryTerms((kept or words)[:MAX_TERMS], (content or doubles)[:MAX_TERMS], tuple(phrases))


def language(text: str) -> Lang:
    """The majority script; a Han character counts for two Latin letters."""
    cjk = count_cjk(text)
    return "zh" if cjk and cjk * 2 >= _count(_LETTERS, text) else "en"


def estimate_tokens(text: str) -> int:
    """What a text will cost a model, without its tokenizer: 1.2 per CJK character, 1 per 3.6 others, 10 % on top."""
    cjk = count_cjk(text)
    return math.ceil((1.2 * cjk + (len(text) - cjk) / 3.6) * 1.1)


def _count(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))


def _cut(text: str) -> list[Token]:
    """Tokens of text whose script and width are folded and whose case is not."""
    out: list[Token] = []
    add, new = out.append, tuple.__new__  # past the generated constructor: this loop is the speed of indexing
    position = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        start = match.start()
        raw = match.group()
        if kind == "han":
            for term, first, last in rjieba.tokenize(raw, "search", False):
                add(new(Token, (term, position + first, start + first, start + last)))
            position += len(raw)
            continue
        forms, advance = _forms(raw, kind) if len(raw) <= MAX_TOKEN else _forms.__wrapped__(raw, kind)
        for term, ahead, first, last in forms:
            add(new(Token, (term, position + ahead, start + first, start + last)))
        position += advance
    return out


@lru_cache(maxsize=50_000)
def _forms(raw: str, kind: str | None) -> tuple[tuple[tuple[str, int, int, int], ...], int]:
    """The terms of one match as (term, position, start, end) relative to it, and how far the position moves on."""
    if kind != "word":
        term = raw.replace(",", "") if kind == "number" else raw.lower()
        return (((term, 0, 0, len(raw)),) if len(term) <= MAX_TOKEN else ()), 1
    if not _SEPARATOR.search(raw):
        return tuple(_single(raw, 0, 0)), 1
    forms = [(raw.lower(), 0, 0, len(raw))] if len(raw) <= MAX_TOKEN else []
    position = 0
    for part in _PART.finditer(raw):
        forms.extend(_single(part.group(), position, part.start()))
        position += 1
    return tuple(forms), position


def _single(raw: str, position: int, start: int) -> list[tuple[str, int, int, int]]:
    """One word with its reduced form and its CamelCase parts.

    The parts stay at the word's own position: "GitHub Actions" must still be found as the phrase "github actions".
    """
    term = raw.lower()
    if len(term) > MAX_TOKEN:
        return []
    forms = variants(term)
    end = start + (len(forms[0]) if forms[0] != term else len(raw))  # a possessive: the bare noun stands for it
    out = [(form, position, start, end) for form in forms]
    if not (raw.islower() or raw.isupper() or raw[1:].islower()):
        cuts = [0, *(m.start() for m in _CAMEL.finditer(raw)), len(raw)]
        for left, right in pairwise(cuts):
            if len(cuts) > 2 and right - left > 1:
                out.append((raw[left:right].lower(), position, start + left, start + right))
    return out


def _pairs_of(run: str) -> list[str]:
    return [run] if len(run) == 1 else list(map(str.__add__, run, run[1:]))


def _all_function(pair: str) -> bool:
    return all(ch in STOP_WORDS_ZH for ch in pair)


def _phrase(text: str) -> tuple[tuple[str, int], ...]:
    """One term a position: the parts of identifiers, and of overlapping Han words the longest from left to right."""
    best: dict[int, Token] = {}
    for token in tokenize(text):
        if is_cjk(token.text[0]):
            held = best.get(token.position)
            if held is None or len(token.text) > len(held.text):
                best[token.position] = token
        elif not _SEPARATOR.search(token.text) or token.position not in best:
            held = best.get(token.position)
            if held is None or _SEPARATOR.search(held.text):
                best[token.position] = token
    chosen: list[tuple[str, int]] = []
    covered = -1
    for position in sorted(best):
        token = best[position]
        if token.start >= covered:
            chosen.append((token.text, position))
            covered = token.end if is_cjk(token.text[0]) else token.start
    first = chosen[0][1] if chosen else 0
    return tuple((term, position - first) for term, position in chosen)[:MAX_TERMS]


def _composition(text: str) -> list[int]:
    """For each code point of the NFC form, where the cluster it comes from starts in `text`; the end comes last."""
    starts: list[int] = []
    i = 0
    while i < len(text):
        j = i + 1
        while j < len(text) and (unicodedata.combining(text[j]) or "\u1160" <= text[j] <= "\u11ff"):
            j += 1
        starts.extend([i] * len(unicodedata.normalize("NFC", text[i:j])))
        i = j
    starts.append(len(text))
    return starts
