"""Dates: absolute and relative, Chinese and English, with their precision."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.dates import find_dates, note_date, parse_date

WRITTEN = "2023-06-14"  # a Wednesday

ONE = [
    ("昨天去了医院", "昨天", "2023-06-13", "day"),
    ("上周三开会", "上周三", "2023-06-07", "day"),
    ("上週五開會", "上週五", "2023-06-09", "day"),
    ("三天前发布", "三天前", "2023-06-11", "day"),
    ("去年年底搬家", "去年年底", "2022-12", "month"),
    ("下个月要发布", "下个月", "2023-07", "month"),
    ("上個月的帳單", "上個月", "2023-05", "month"),
    ("2023年5月上线", "2023年5月", "2023-05", "month"),
    ("2023 年 5 月 7 日", "2023 年 5 月 7 日", "2023-05-07", "day"),
    ("5月3日交付", "5月3日", "2023-05-03", "day"),
    ("今年3月", "今年3月", "2023-03", "month"),
    ("两个月后复查", "两个月后", "2023-08", "month"),
    ("本周日聚餐", "本周日", "2023-06-18", "day"),
    ("大前天", "大前天", "2023-06-11", "day"),
    ("I left yesterday", "yesterday", "2023-06-13", "day"),
    ("We met last Friday", "last Friday", "2023-06-09", "day"),
    ("next Monday", "next Monday", "2023-06-19", "day"),
    ("two weeks ago", "two weeks ago", "week of 2023-05-29", "day"),
    ("it starts next month", "next month", "2023-07", "month"),
    ("founded in 2019", "in 2019", "2019", "year"),
    ("on May 7, 2023", "May 7, 2023", "2023-05-07", "day"),
    ("on 7 May 2023", "7 May 2023", "2023-05-07", "day"),
    ("since March", "since March", "2023-03", "month"),
    ("on June 3rd", "June 3rd", "2023-06-03", "day"),
    ("last July", "last July", "2022-07", "month"),
    ("ten years ago", "ten years ago", "2013", "year"),
    ("log of 2023-05-07", "2023-05-07", "2023-05-07", "day"),
]


@pytest.mark.parametrize(("text", "words", "label", "precision"), ONE)
def test_one_date(text: str, words: str, label: str, precision: str) -> None:
    (found,) = find_dates(text, WRITTEN)
    assert text[found.start : found.end] == words
    assert (found.label("en"), found.precision) == (label, precision)


@pytest.mark.parametrize(
    "text",
    [
        "目前的天气",
        "以前的做法",
        "日本语",
        "ratio 3/4",
        "in 2048 users",
        "may I ask",
        "第三天",
        "之前提到",
        "version 1.2.3",
    ],
)
def test_no_date(text: str) -> None:
    assert find_dates(text, WRITTEN) == []


def test_relative_dates_need_a_day_to_count_from() -> None:
    assert find_dates("yesterday, 昨天", None) == []
    assert find_dates("yesterday", "not a date") == []


def test_a_count_after_a_stated_date_is_not_counted_from_the_note() -> None:
    found = find_dates("2001年入学，三年后毕业", WRITTEN)
    assert [mention.first for mention in found] == ["2001-01-01"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2026-11-30", ("2026-11-30", "day")),
        ("20261130 日报", ("2026-11-30", "day")),
        ("2026年11月30日", ("2026-11-30", "day")),
        ("2026-11", ("2026-11-01", "month")),
        ("2026-W49", ("2026-11-30", "day")),
        ("2026", ("2026-01-01", "year")),
        ("2026-02-31", None),
        ("v2.3.1", None),
    ],
)
def test_names(name: str, expected: tuple[str, str] | None) -> None:
    assert parse_date(name) == expected


def test_a_note_is_dated_by_property_then_by_name() -> None:
    assert note_date({"date": "2026-03-01T10:00"}, "x/2025-01-01.md") == ("2026-03-01", "day")
    assert note_date({"日期": "2026年3月1日"}, "x.md") == ("2026-03-01", "day")
    assert note_date({}, "daily/2025-01-01.md") == ("2025-01-01", "day")
    assert note_date({"date": None}, "plain.md") is None
    assert note_date({}, "2048 game.md") is None


@given(
    st.text(
        alphabet=st.sampled_from("0123456789年月日-/. 上下个周天前后昨今明last next week ago in may一二十"), max_size=60
    )
)
def test_anything_goes(text: str) -> None:
    spans = [(m.start, m.end) for m in find_dates(text, WRITTEN)]
    assert spans == sorted(spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    for mention in find_dates(text, "0001-01-01") + find_dates(text, "9999-12-31"):
        assert mention.first <= mention.last
    parse_date(text)
