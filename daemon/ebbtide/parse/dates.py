"""Dates in notes: absolute and relative ones in Chinese and English, resolved against a given day.

Relative dates are resolved when a fact is written ("yesterday" means nothing a month later). A date is an ISO day and a
precision; a month or a year is its first day. Where a note says nothing, nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.memory.states import Lang, Precision
from ebbtide.parse.date_rules import (
    BARE_YEAR_MONTH,
    COMPACT,
    COUNTED,
    DATED_NAME,
    HINT,
    ISO_WEEK,
    RULES,
    Span,
    day_span,
    month_span,
)
from ebbtide.parse.text import fold

DATE_KEYS: Final = (
    "date",
    "日期",
    "时间",
    "created",
    "created_at",
    "date created",
    "date_created",
    "creation date",
    "创建时间",
    "创建日期",
    "day",
)
"""Properties that say when a note was written, in this order."""


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date in a text: text[start:end] means the days `first` to `last` (ISO, inclusive)."""

    start: int
    end: int
    first: str
    last: str
    precision: Precision
    relative: bool
    week: bool = False

    def label(self, lang: Lang) -> str:
        """How a person writes it: 2023-05-07, 2023-05, 2023, "week of 2023-05-01"."""
        if self.precision == "year":
            return self.first[:4]
        if self.precision == "month":
            return self.first[:7]
        if self.week:
            return f"{self.first} 那周" if lang == "zh" else f"week of {self.first}"
        return self.first if self.first == self.last else f"{self.first} – {self.last}"


_WORDS = re.compile(r"[a-z]{2}")


def find_dates(text: str, given: str | None) -> list[DateMention]:
    """The dates in `text`, left to right and without overlap; relative ones only if the day `given` is known."""
    folded = fold(text)
    if len(folded) != len(text) or not HINT.search(folded):
        return []
    anchor = parse_day(given)
    plain, words = folded.isascii(), _WORDS.search(folded) is not None
    taken: list[DateMention] = []
    for pattern, resolve, relative, script in RULES:
        if (script == "han" and plain) or (script == "latin" and not words):
            continue
        if relative and (anchor is None or (taken and pattern.pattern.startswith(COUNTED))):
            continue  # "three years later" after a stated date counts from that date, not from the note's
        for match in pattern.finditer(folded):
            start, end = match.span()
            if any(start < held.end and held.start < end for held in taken):
                continue
            span = _safely(resolve, match, anchor)
            if span is not None:
                first, last, precision, week = span
                taken.append(DateMention(start, end, first.isoformat(), last.isoformat(), precision, relative, week))
    return sorted(taken, key=lambda mention: mention.start)


def parse_day(text: str | None) -> date | None:
    """The day of an ISO date or date-time, None if it is none."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def parse_date(text: str) -> tuple[str, Precision] | None:
    """The first absolute date in a short text such as a property, a file name or a heading."""
    folded = fold(text)
    compact = COMPACT.search(folded)
    if compact:
        day = day_span(int(compact[1]), int(compact[2]), int(compact[3]))
        if day is not None:
            return day[0].isoformat(), "day"
    week = ISO_WEEK.search(folded)
    if week:
        try:
            return date.fromisocalendar(int(week[1]), int(week[2]), 1).isoformat(), "day"
        except ValueError:
            return None
    for mention in find_dates(text, None):
        return mention.first, mention.precision
    bare = BARE_YEAR_MONTH.fullmatch(folded.strip())
    if bare and bare[2]:
        span = month_span(int(bare[1]), int(bare[2]))
        return (span[0].isoformat(), "month") if span else None
    return (f"{bare[1]}-01-01", "year") if bare else None


def last_day(text: str | None) -> str | None:
    """The last day (ISO) of what a property states: a day, week, month or year, of several the last; None if it states none."""
    if not text:
        return None
    if mentions := find_dates(text, None):
        return max(mention.last for mention in mentions)
    stated = parse_date(text)
    if stated is None:
        return None
    first = date.fromisoformat(stated[0])
    if stated[1] == "year":
        return first.replace(month=12, day=31).isoformat()
    if stated[1] == "month":
        return ((first + timedelta(days=31)).replace(day=1) - timedelta(days=1)).isoformat()
    week = ISO_WEEK.search(fold(text)) is not None
    return (first + timedelta(days=6 if week else 0)).isoformat()


def note_date(properties: Mapping[str, Any], path: str) -> tuple[str, Precision] | None:
    """When a note was written: its date property, else its file name; a heading's date comes after both."""
    lowered = {str(key).strip().lower(): value for key, value in properties.items()}
    for key in DATE_KEYS:
        value = lowered.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            found = parse_date(str(value))
            if found is not None:
                return found
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    return parse_date(name) if DATED_NAME.search(name) else None


def _safely(
    resolve: Callable[[re.Match[str], date | None], Span | None], match: re.Match[str], anchor: date | None
) -> Span | None:
    """A rule's answer, None where the calendar ends (year 10000, "999 years ago" in 2026)."""
    try:
        return resolve(match, anchor)
    except (ValueError, OverflowError):
        return None
