"""What a person says in a note, sentence by sentence: their own words alone, the signs of insight in them, and their figures.

A machine's turns in a dialogue, its callouts, lines with our own citation, quotations, code and headings are left out. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ebbtide.memory.records import Note, Unit
from ebbtide.memory.states import BOOKKEEPING
from ebbtide.parse.fact_dialogue import speakers_of, turn_of
from ebbtide.parse.fact_slots import Slot, slot_of
from ebbtide.parse.fact_text import plain
from ebbtide.parse.own_words import handed_back, written_by_machine
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import HAN, fold, pairs
from ebbtide.sleep import markers

MAX_UNIT: Final = 20_000
"""Characters read of one block: a longer paragraph is a paste."""
_SILENT: Final = frozenset(["heading", "code", "math", "html", "quote"])
_END_ID: Final = re.compile(r"\s*\^[A-Za-z0-9-]+\s*\Z")
_DIGIT: Final = re.compile(r"\d")
_WORD: Final = re.compile(rf"[^\W_{HAN}]{{3,40}}")
_FIGURE: Final = re.compile(r"\s*([$¥€£]?)\s*(-?\d[\d,]{0,14}(?:\.\d{1,6})?)\s*([^\d\s.,:/-][^\d\s]{0,11})?\s*")
_LEADING: Final = re.compile(
    r"([$¥€£]?)\s?(-?\d[\d,]{0,14}(?:\.\d{1,6})?) ?([^\W\d_]{1,12}|%|°C|°F)?(?=[\s.,;，。；!！]|$)"
)
_NO_SERIES: Final = re.compile(
    r"(?:number|no|order|index|position|pages?|year|month|day|week|version|isbn|doi|id|.*_id|time|date.*|.*date|sort.*"
    r"|编号|序号|页数?|年份?|月份?|版本|日期|时间)"
)


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of the person's: text[start:end] of the note, exactly, at `line` (from 1)."""

    start: int
    end: int
    line: int
    text: str
    markers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that a note states: what it is called, its unit, its value, and the line (None: a property)."""

    name: str
    unit: str
    value: float
    line: int | None = None


@dataclass(frozen=True)
class Told:
    """A note as its person's words, and the figures in them and in its properties, by name."""

    sayings: tuple[Saying, ...] = ()
    figures: tuple[Figure, ...] = ()

    @cached_property
    def text(self) -> str:
        """All of their words."""
        return "\n".join(saying.text for saying in self.sayings)

    @cached_property
    def density(self) -> float:
        """Markers of insight per hundred characters."""
        return markers.density(sum(len(saying.markers) for saying in self.sayings), markers.size(self.text))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of it, folded: what has been mentioned here."""
        return words_of(self.text)


def words_of(text: str) -> frozenset[str]:
    """Latin words and pairs of Han characters of a text, folded: enough to see what was mentioned before."""
    folded = fold(text)
    return frozenset({*_WORD.findall(folded), *pairs(folded).split()})


def told(note: Note, added: Sequence[str] = (), *, talk: bool = False) -> Told:
    """The person's own words in a note, empty for one that a machine wrote. `added`: their own markers (`sleep.markers`).

    `talk`: it is a conversation by where it lies, so that every named turn in it is one.
    """
    if written_by_machine(note):
        return Told()
    found, figures = [], _properties(note.properties)
    line, at = 1, 0
    for start, end in _spans(note, talk):
        line += note.text.count("\n", at, start)
        at = start
        words = plain(note.text[start:end])
        found.append(Saying(start, end, line, note.text[start:end], tuple(markers.marks(words, added))))
        figures += _stated(words, line)
    return Told(tuple(found), tuple(sorted(figures, key=lambda f: (f.name, f.unit, f.line or 0))))


def _spans(note: Note, talk: bool) -> Iterator[tuple[int, int]]:
    speakers = speakers_of(note)
    machine = False
    """Whether the turn under way is a machine's: its further paragraphs have no name in front."""
    for unit in note.units:
        if unit.kind == "heading":
            machine = False
        if unit.kind in _SILENT or unit.foreign:
            continue
        start, end = unit.start, min(unit.end, unit.start + MAX_UNIT)
        turn = turn_of(note.text, start, end, speakers) if speakers or talk else None
        if turn is not None:
            machine, start = turn.machine, turn.start
        if not machine:
            yield from _sentences(note, unit, start, end)


def _sentences(note: Note, unit: Unit, start: int, end: int) -> Iterator[tuple[int, int]]:
    for a, b in sentences(note.text[start:end]):
        first, last = start + a, start + b
        if ident := _END_ID.search(note.text, first, last):
            last = ident.start()
        said = note.text[first:last]
        if any(ch.isalpha() for ch in said) and not handed_back(note, unit, first, last) and not said.startswith("[!"):
            yield first, last


def _properties(properties: Mapping[str, Any]) -> list[Figure]:
    """Properties that are one number, with or without a unit, and that a person would follow over time."""
    out: list[Figure] = []
    for key, value in properties.items():
        name = fold(str(key)).strip()
        if name in BOOKKEEPING or _NO_SERIES.fullmatch(name) or isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            out.append(Figure(name, "", float(value)))
        elif isinstance(value, str) and (figure := figure_of(value)) is not None:
            out.append(Figure(name, figure[1], figure[0]))
    return out


def _stated(words: str, line: int) -> list[Figure]:
    """The figure that a sentence gives something: "Weight: 71.2 kg", "the build took 14 minutes"."""
    slot = slot_of(words, "metric") if _DIGIT.search(words) else Slot()
    name = _series(" ".join(part for part in (slot.subject, slot.attribute) if part))
    value = fold(f"{slot.value} {slot.unit or ''}".strip()) if slot.value else ""
    found = _LEADING.match(value)
    if found is None or not name or _NO_SERIES.fullmatch(name):
        return []
    return [Figure(name, found[1] + (found[3] or ""), float(found[2].replace(",", "")), line)]


def _series(name: str) -> str:
    """A figure's name without what differs from note to note: dates and numbers."""
    words = "".join(" " if ch.isdigit() or ch == "-" else ch for ch in fold(name)).split()
    return " ".join(dict.fromkeys(words))


def figure_of(text: str) -> tuple[float, str] | None:
    """The number and the unit that a short text is, and nothing else: "71.2 kg" -> (71.2, "kg")."""
    found = _FIGURE.fullmatch(fold(text[:60])) if len(text) <= 60 else None
    return None if found is None else (float(found[2].replace(",", "")), found[1] + (found[3] or ""))
