"""The rules of `dates`: patterns on folded text, each with the span of days it means.

Order is precedence: an exact date is taken before a month inside it, an absolute date before a relative one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final

from ebbtide.memory.states import Precision

Span = tuple[date, date, Precision, bool]
Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date | None], Span | None], bool, str]

# --- spans ----------------------------------------------------------------------------------------------------------


def day_span(year: int, month: int, day: int) -> Span | None:
    if not 1000 <= year <= 2999:
        return None
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return found, found, "day", False


def month_span(year: int, month: int) -> Span | None:
    if not (1000 <= year <= 2999 and 1 <= month <= 12):
        return None
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), following - timedelta(1), "month", False


def _year(year: int) -> Span | None:
    return (date(year, 1, 1), date(year, 12, 31), "year", False) if 1000 <= year <= 2999 else None


def _single(day: date) -> Span:
    return day, day, "day", False


def _week(anchor: date, weeks: int) -> Span:
    monday = anchor - timedelta(anchor.weekday()) + timedelta(7 * weeks)
    return monday, monday + timedelta(6), "day", True


def _weekend(anchor: date, weeks: int) -> Span:
    monday = anchor - timedelta(anchor.weekday()) + timedelta(7 * weeks)
    return monday + timedelta(5), monday + timedelta(6), "day", False


def _shift_months(anchor: date, months: int) -> Span | None:
    index = anchor.year * 12 + anchor.month - 1 + months
    return month_span(index // 12, index % 12 + 1)


def _near(anchor: date, month: int, day: int | None) -> Span | None:
    """A month (and day) without a year: the one closest to the day it was written."""
    best: tuple[int, Span] | None = None
    for year in (anchor.year - 1, anchor.year, anchor.year + 1):
        span = day_span(year, month, day) if day else month_span(year, month)
        if span is not None:
            distance = abs((span[0] - anchor).days)
            if best is None or distance < best[0]:
                best = distance, span
    return best[1] if best else None


_Z_DIGITS: Final = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "零": 0}
_E_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        ("", "a an one", "two couple", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
    for word in words.split(" ")
    if word
} | {"eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30}


def _number(text: str) -> int:
    """A small number in digits, Chinese numerals or English words."""
    text = text.strip()
    if text.isdigit():
        return int(text[:6])
    if text in _E_NUMBERS:
        return _E_NUMBERS[text]
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_Z_DIGITS.get(tens, 1) if tens else 1) * 10 + _Z_DIGITS.get(ones, 0)
    return _Z_DIGITS.get(text, 1)


def _ago(count: int, unit: str, anchor: date) -> Span | None:
    """`count` units from the anchor (negative: before). Months and years keep no more precision than they have."""
    unit = unit.removeprefix("个")
    if unit in {"天", "day", "night"}:
        return _single(anchor + timedelta(count))
    if unit in {"周", "星期", "礼拜", "week"}:
        return _week(anchor, count)
    if unit == "weekend":
        return _weekend(anchor, count)
    if unit in {"月", "month"}:
        return _shift_months(anchor, count)
    return _year(anchor.year + count)


# --- rules ----------------------------------------------------------------------------------------------------------

_MONTHS: Final = {
    name: number + 1
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        )
    )
    for name in names.split(" ")
}
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tue", "wednesday wed", "thursday thu", "friday fri", "saturday sat", "sunday sun")
    )
    for name in names.split(" ")
}
_Z_WEEKDAYS: Final = {day: number for number, day in enumerate("一二三四五六")} | {"日": 6, "天": 6, "末": 5}

_M = "(" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_MLONG = "(" + "|".join(name for name in _MONTHS if len(name) > 3 or name == "may") + r")\b"
_D = r"(\d{1,2})(?:st|nd|rd|th)?\b"
_WD = "(" + "|".join(sorted(_WEEKDAYS, key=len, reverse=True)) + r")\b"
_N = r"(\d{1,3}|an?|one|two|a couple of|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_ZN = "([0-9]{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_Y = r"([12]\d{3})"
COUNTED: Final = (_ZN, rf"\b{_N}", rf"\bin\s{_N}")
"""How the patterns begin that count units from the note's day."""

HINT = re.compile(
    r"\d|今|昨|前|明|后|去年|周|星期|礼拜|月|ago|yesterday|today|tonight|tomorrow|last|next|this|past"
    r"|january|february"
    r"|march|april|\bmay\b|june|july|august|september|october|november|december"
)
COMPACT = re.compile(r"(?<!\d)([12]\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d{3}(?!\d))")
ISO_WEEK = re.compile(r"(?<!\d)([12]\d{3})-?w([0-5]\d)(?!\d)")
BARE_YEAR_MONTH = re.compile(r"([12]\d{3})(?:[-./](0?[1-9]|1[0-2]))?")
DATED_NAME = re.compile(r"[12]\d{3}(?:\D{0,2}[01]?\d|-?[wW]\d)")


def _e_relative_month(m: re.Match[str], anchor: date | None) -> Span | None:
    assert anchor is not None
    month = _MONTHS[m[2]]
    year = anchor.year
    if m[1] == "last" and month >= anchor.month:
        year -= 1
    if m[1] == "next" and month <= anchor.month:
        year += 1
    return month_span(year, month)


def _e_weekday(m: re.Match[str], anchor: date | None) -> Span | None:
    assert anchor is not None
    number = _WEEKDAYS[m[2]]
    if m[1] in {"last", "past"}:
        return _single(anchor - timedelta((anchor.weekday() - number - 1) % 7 + 1))
    if m[1] == "next":
        return _single(anchor + timedelta((number - anchor.weekday() - 1) % 7 + 1))
    return _single(anchor - timedelta(anchor.weekday()) + timedelta(number))


def _e_unit(m: re.Match[str], anchor: date | None) -> Span | None:
    assert anchor is not None
    return _ago({"last": -1, "past": -1, "next": 1, "this": 0}[m[1]], m[2], anchor)


def _z_unit(m: re.Match[str], anchor: date | None) -> Span | None:
    """上周三, 下下周, 本月, 上个月底."""
    assert anchor is not None
    step = {"上": -1, "下": 1, "这": 0, "本": 0, "当": 0}[m[1][0]] * len(m[1])
    if m[2] == "月":
        return _shift_months(anchor, step)
    span = _week(anchor, step)
    if not m[3]:
        return span
    return _weekend(anchor, step) if m[3] == "末" else _single(span[0] + timedelta(_Z_WEEKDAYS[m[3]]))


def _z_year(m: re.Match[str], anchor: date | None) -> Span | None:
    """去年, 去年年底, 前年 5 月, 明年初."""
    assert anchor is not None
    year = anchor.year + {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}[m[1]]
    if m[2]:
        return month_span(year, _number(m[2]))
    if m[3]:
        return month_span(year, 12 if m[3] in "底末" else 1)
    return _year(year)


def _fixed(days: Mapping[str, int]) -> Callable[[re.Match[str], date | None], Span | None]:
    def resolve(m: re.Match[str], anchor: date | None) -> Span | None:
        return None if anchor is None else _single(anchor + timedelta(days[m[1]]))

    return resolve


def _anchored(
    then: Callable[[re.Match[str], date], Span | None],
) -> Callable[[re.Match[str], date | None], Span | None]:
    return lambda m, anchor: None if anchor is None else then(m, anchor)


_Z_DAYS: Final = {"大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3}
_E_DAYS: Final = {
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
}


def _script(pattern: str) -> str:
    """Which script a text must have for the pattern to match at all: Han, Latin letters, or neither."""
    if re.search("[\u4e00-\u9fff]", pattern):
        return "han"
    return "latin" if re.search("january|weekend|ago|since|yesterday|month", pattern) else ""


RULES: Final[tuple[Rule, ...]] = tuple(
    (re.compile(pattern), resolve, relative, _script(pattern))
    for pattern, resolve, relative in (
        # absolute, the most exact first
        (
            rf"(?<!\d){_Y}\s?年\s?(\d{{1,2}})\s?月\s?(\d{{1,2}})\s?[日号]?",
            lambda m, _: day_span(int(m[1]), int(m[2]), int(m[3])),
            False,
        ),
        (
            rf"(?<![\d.]){_Y}([-/.])(\d{{1,2}})\2(\d{{1,2}})(?![\d])",
            lambda m, _: day_span(int(m[1]), int(m[3]), int(m[4])),
            False,
        ),
        (rf"\b{_M}\s{{1,2}}{_D},?\s{{1,2}}{_Y}\b", lambda m, _: day_span(int(m[3]), _MONTHS[m[1]], int(m[2])), False),
        (
            rf"(?<!\d){_D}\s{{1,2}}(?:of\s)?{_M},?\s{{1,2}}{_Y}\b",
            lambda m, _: day_span(int(m[3]), _MONTHS[m[2]], int(m[1])),
            False,
        ),
        (rf"(?<!\d){_Y}\s?年\s?(\d{{1,2}})\s?月(?:份)?", lambda m, _: month_span(int(m[1]), int(m[2])), False),
        (rf"\b{_M},?\s{{1,2}}(?:of\s)?{_Y}\b", lambda m, _: month_span(int(m[2]), _MONTHS[m[1]]), False),
        (rf"(?<![\d./-]){_Y}-(0[1-9]|1[0-2])(?![\d-])", lambda m, _: month_span(int(m[1]), int(m[2])), False),
        (rf"(?<!\d){_Y}\s?年(?:\s?年?[底末初])?(?![前后内多来间龄代限级级])", lambda m, _: _year(int(m[1])), False),
        (
            rf"\b(?:in|since|during|of|until|by|from|before|after)\s(?:early\s|late\s|mid-?)?{_Y}\b(?!\s?(?:%"
            rf"|ms|kb|mb|gb|users|people|items|times|notes))",
            lambda m, _: _year(int(m[1])),
            False,
        ),
        # relative
        (
            rf"{_ZN}\s?(天|个?星期|周|个?礼拜|个月|年)(?:之前|以前|前)(?!后)",
            _anchored(lambda m, a: _ago(-_number(m[1]), m[2], a)),
            True,
        ),
        (
            rf"{_ZN}\s?(天|个?星期|周|个?礼拜|个月|年)(?:之后|以后|后)",
            _anchored(lambda m, a: _ago(_number(m[1]), m[2], a)),
            True,
        ),
        (
            r"(去年|前年|今年|明年|后年)(?:的)?(?:\s?(\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月(?:份)?"
            r"|年?(底|末|初))?",
            _z_year,
            True,
        ),
        (r"(上上|下下|上|下|这|本|当)(?:一)?(?:个)?(周|星期|礼拜)(?!期)([一二三四五六日天末])?", _z_unit, True),
        (r"(上上|下下|上|下|这|本|当)(?:一)?(?:个)?(月)()(?:[底初末份])?", _z_unit, True),
        (r"(大前|大后|(?<![之以目当])前|(?<![之以今])后|昨|今|明)(?:天|日(?![本语记期程]))", _fixed(_Z_DAYS), True),
        (r"(昨|今|明|当)(?:晚|早|夜)(?!期|已)", _fixed(_Z_DAYS), True),
        (
            r"(?<![\d年.])(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]",
            _anchored(lambda m, a: _near(a, int(m[1]), int(m[2]))),
            True,
        ),
        (
            r"\b(the day before yesterday|the day after tomorrow|yesterday|last night|today|tonight|tomorrow"
            r"|this (?:morning|afternoon|evening))\b",
            _fixed(_E_DAYS),
            True,
        ),
        (
            rf"\b{_N}\s(day|week|weekend|month|year|night)s?\s(?:ago|earlier|back)\b",
            _anchored(lambda m, a: _ago(-_number(m[1].replace("a couple of", "couple")), m[2], a)),
            True,
        ),
        (
            rf"\bin\s{_N}\s(day|week|month|year)s?(?:'\stime)?\b(?!\sor)",
            _anchored(lambda m, a: _ago(_number(m[1].replace("a couple of", "couple")), m[2], a)),
            True,
        ),
        (rf"\b(last|next|this|past)\s{_WD}", _e_weekday, True),
        (rf"\b(last|next|this)\s{_MLONG}", _e_relative_month, True),
        (r"\b(last|next|this)\s(weekend|week|month|year)\b", _e_unit, True),
        (r"\bthis\s(past)\s(weekend|week|month|year)\b", _e_unit, True),
        (rf"\b{_M}\s{{1,2}}{_D}(?![:%\d])", _anchored(lambda m, a: _near(a, _MONTHS[m[1]], int(m[2]))), True),
        (
            rf"(?<![\d.])(\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MLONG}",
            _anchored(lambda m, a: _near(a, _MONTHS[m[2]], int(m[1]))),
            True,
        ),
        (
            rf"\b(?:in|since|during|until|by|early|late)\s{_MLONG}(?!\s\d)",
            _anchored(lambda m, a: _near(a, _MONTHS[m[1]], None)),
            True,
        ),
    )
)
