"""Periods that a question names: a day, a month, a year, a decade, a season, a quarter, or a span between two of them. Pure.

"From Aug 1995 to 2002", "in the week before 16 November", "2023年第三季度", "上周": what is asked about lies in these days. Dates
without a year and relative ones count from the day of the question.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from ebbtide.memory.states import Precision
from ebbtide.parse.dates import find_dates, parse_day
from ebbtide.parse.text import fold


@dataclass(frozen=True, slots=True)
class Period:
    """The days `first` to `last`, ISO and inclusive; `precision` is the coarser of how its ends were named."""

    first: str
    last: str
    precision: Precision

    @property
    def years(self) -> tuple[int, int]:
        """The years of both ends."""
        return int(self.first[:4]), int(self.last[:4])

    @property
    def days(self) -> int:
        """How many days it has."""
        return (date.fromisoformat(self.last) - date.fromisoformat(self.first)).days + 1

    def holds(self, day: str | None) -> bool:
        """True if a date (ISO; day, month or year) can lie in it: a month does if any of its days does."""
        if not day or len(day) < 4:
            return False
        size = min(len(day), 10)
        return self.first[:size] <= day[:10] <= self.last[:size]

    def meets(self, start: str | None, end: str | None) -> bool:
        """True if something that held from `start` to `end` (None: unknown, at least one is known) can have held in it."""
        if start is None and end is None:
            return False
        return (start is None or start[:10] <= self.last[: len(start[:10])]) and (
            end is None or end[:10] >= self.first[: len(end[:10])]
        )

    def stated(self, text: str) -> float:
        """From 0 to 1: how far the years that a text states place it in this period: its first year, any year, their share."""
        years = set(map(int, _STATED.findall(text)))
        if not years:
            return 0.0
        first, last = self.years
        inside = sum(first <= year <= last for year in years)
        return 0.44 * (first in years) + 0.37 * (inside > 0) + 0.19 * inside / len(years)


_STATED = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})(?!\d)(?<!\d{5})")
"""A run of four digits. What is before it is looked at last: a pattern that begins with a digit is sought far faster."""
PERIODS = 4
"""Periods of one question that are heeded: a pasted list of years names none."""
_ORDER: dict[Precision, int] = {"day": 0, "month": 1, "year": 2}
_YEAR = re.compile(
    r"(?:(?<![\d.,:/])(?:19|20)[0-9]{2}|(?:(?<=from )|(?<=between )|(?<=\bin )|(?<=\bto )|(?<=\band )|(?<=\d-))1[0-8][0-9]{2})"
    r"(?!\d|[.,:]\d|\s?(?:%|[kmg]b\b|ms\b|users|people|items|times|notes|words|tokens|lines|files|rows|元|人|次|个|字|行|块|万|美元))"
)
"""A bare year; one before 1900 only where a preposition makes it one."""
_TO = re.compile(r"\s*(?:to|until|till|through|up to|[-–—~～]|到|至|直到)\s*(?:the\s+)?", re.I)
_AND = re.compile(r"\s*(?:and|和|与|跟)\s*", re.I)
_BETWEEN = re.compile(r"(?:\bbetween|在|介于)\s*(?:the\s+)?$", re.I)
_SINCE = re.compile(r"\bsince\s*(?:the\s+)?$", re.I)
_ONWARD = re.compile(r"^\s*(?:以来|至今|到现在|到今天|起(?!来|初))")
_BEFORE = re.compile(r"\b(?:in|during)?\s*the\s+(week|month|year)\s+before\s*$", re.I)
_PART = re.compile(r"\b(?:the\s+)?(first|last|final)\s+week\s+(?:of|in)\s*$", re.I)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_DIGITS = {"一": 1, "二": 2, "三": 3, "四": 4}
_Y = r"(1[0-9]{3}|20[0-9]{2})"

_Found = tuple[int, int, Period]


def _span(first: date, last: date, precision: Precision) -> Period:
    return Period(first.isoformat(), last.isoformat(), precision)


def _months(year: int, month: int, count: int) -> Period:
    end = year * 12 + month - 1 + count - 1
    last = date(end // 12, end % 12 + 1, monthrange(end // 12, end % 12 + 1)[1])
    return _span(date(year, month, 1), last, "month")


def _decade(match: re.Match[str], _today: date) -> Period:
    said = int(match.group("n"))
    year = said if said >= 1000 else (1900 if said >= 30 else 2000) + said
    return _span(date(year, 1, 1), date(year + 9, 12, 31), "year")


def _season(match: re.Match[str], today: date) -> Period:
    groups = match.groupdict()
    name, said = groups["season"].lower(), groups.get("year")
    if said:
        year = int(said)
    else:
        word = groups.get("word") or ""
        year = today.year - (word in ("last", "去年") or (word != "next" and _SEASONS[name] > today.month))
    return _months(year, _SEASONS[name], 3)


def _quarter(match: re.Match[str], _today: date) -> Period:
    said = match.group("n")
    number = _DIGITS.get(said) or int(said)
    return _months(int(match.group("year")), number * 3 - 2, 3)


def _half(match: re.Match[str], today: date) -> Period:
    said, which = match.group("year"), match.group("half").lower()
    year = int(said) if said and said.isdigit() else today.year - (said == "去年")
    return _months(year, 1 if which in ("1", "上") else 7, 6)


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Period]], ...] = (
    (re.compile(r"(?<![\d'])'?(?P<n>(?:1[0-9]|20)?[0-9]0)s\b"), _decade),
    (re.compile(r"(?<!\d)(?P<n>(?:1[0-9]|20)?[0-9]0)\s?年代"), _decade),
    (re.compile(rf"\b(?P<season>spring|summer|autumn|fall|winter)\s+(?:of\s+|in\s+)?(?P<year>{_Y})\b"), _season),
    (re.compile(r"\b(?P<word>last|this|next)\s+(?P<season>spring|summer|autumn|fall|winter)\b"), _season),
    (re.compile(rf"(?<!\d)(?P<year>{_Y})\s?年?的?(?P<season>[春夏秋冬])[天季]"), _season),
    (re.compile(r"(?P<word>去年|今年)的?(?P<season>[春夏秋冬])[天季]"), _season),
    (re.compile(rf"\bq(?P<n>[1-4])\s*(?:of\s+)?(?P<year>{_Y})\b"), _quarter),
    (re.compile(rf"(?<!\d)(?P<year>{_Y})\s?(?:年)?\s?(?:-\s?)?q(?P<n>[1-4])\b"), _quarter),
    (re.compile(rf"(?<!\d)(?P<year>{_Y})\s?年的?第?(?P<n>[一二三四1-4])季度?"), _quarter),
    (re.compile(rf"\bh(?P<half>[12])\s*(?:of\s+)?(?P<year>{_Y})\b"), _half),
    (re.compile(rf"(?<!\d)(?:(?P<year>{_Y}|去年|今年)\s?年?的?)(?P<half>[上下])半年"), _half),
)


def named_periods(question: str, today: str) -> tuple[Period, ...]:
    """The periods a question names, in its order; `today` (ISO) is the day it is asked. Two named ends make one period."""
    text = fold(question)
    day = parse_day(today)
    if len(text) != len(question) or day is None:
        return ()
    out: list[Period] = []
    before: tuple[int, int] | None = None
    for start, end, period in _named(text, today, day):
        if before is not None and _joins(text, before, start) and out[-1].first <= period.last:
            coarser = max(out[-1].precision, period.precision, key=lambda name: _ORDER[name])
            out[-1] = Period(out[-1].first, period.last, coarser)
            before = None
            continue
        out.append(_as_meant(text, start, end, period, today))
        before = start, end
    return tuple(dict.fromkeys(out))[:PERIODS]


def _named(text: str, today: str, day: date) -> list[_Found]:
    """What is named, left to right, without overlap: special forms before dates, dates before bare years."""
    taken: list[_Found] = []

    def take(start: int, end: int, period: Period) -> None:
        if not any(start < other[1] and other[0] < end for other in taken):
            taken.append((start, end, period))

    for pattern, resolve in _RULES:
        for match in pattern.finditer(text):
            take(*match.span(), resolve(match, day))
    for mention in find_dates(text, today):
        start = mention.start
        if not mention.relative and (part := _PART.search(text, 0, start)) is not None:
            start = part.start()
            month = Period(mention.first, mention.last, mention.precision)
            taken = [other for other in taken if not (start <= other[0] < mention.end)]
            take(start, mention.end, _week_of(month, part[1]))
            continue
        take(start, mention.end, Period(mention.first, mention.last, mention.precision))
    for match in _YEAR.finditer(text):
        take(*match.span(), Period(f"{match[0]}-01-01", f"{match[0]}-12-31", "year"))
    return sorted(taken, key=lambda found: found[:2])


def _joins(text: str, before: tuple[int, int], start: int) -> bool:
    """True if what stands between two dates makes them the ends of one period."""
    between = text[before[1] : start]
    if _TO.fullmatch(between):
        return True
    return _AND.fullmatch(between) is not None and _BETWEEN.search(text[: before[0]]) is not None


def _week_of(month: Period, which: str) -> Period:
    """The first or last seven days of a period."""
    first, last = date.fromisoformat(month.first), date.fromisoformat(month.last)
    return _span(first, first + timedelta(6), "day") if which == "first" else _span(last - timedelta(6), last, "day")


def _as_meant(text: str, start: int, end: int, period: Period, today: str) -> Period:
    """A period with what stands around it: the week before it, since it."""
    before = _BEFORE.search(text[:start])
    first = date.fromisoformat(period.first)
    if before is not None:
        days = {"week": 7, "month": 31, "year": 366}[before[1].lower()]
        return Period((first - timedelta(days)).isoformat(), period.last, period.precision)
    said = text[start:end]
    since = (
        _SINCE.search(text[:start]) is not None or said.startswith("since ") or _ONWARD.match(text[end:]) is not None
    )
    if since and period.last < today:
        return Period(period.first, today, period.precision)
    return period
