"""What time a question names, in both languages, as days from one to another."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.periods import PERIODS, Period, named_periods

TODAY = "2023-09-20"


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did we talk about on April 29th?", "2023-04-29", "2023-04-29"),
        ("在4月27日这天你给我推荐了哪些电影？", "2023-04-27", "2023-04-27"),
        ("What dish did Nate make on 9 November, 2022?", "2022-11-09", "2022-11-09"),
        ("Where was John between August 11 and August 15 2023?", "2023-08-11", "2023-08-15"),
        ("Who owned it from Aug 1995 to 2002?", "1995-08-01", "2002-12-31"),
        ("从2003年到2005年谁是负责人", "2003-01-01", "2005-12-31"),
        ("2024-03 到 2024-05 的预算", "2024-03-01", "2024-05-31"),
        ("the 2012-2013 season", "2012-01-01", "2013-12-31"),
        ("Where was Tim in the week before 16 November 2023?", "2023-11-09", "2023-11-16"),
        ("the last week of August 2023", "2023-08-25", "2023-08-31"),
        ("the first week of March 2024", "2024-03-01", "2024-03-07"),
        ("What happened in the 1980s?", "1980-01-01", "1989-12-31"),
        ("上世纪80年代的事", "1980-01-01", "1989-12-31"),
        ("in the summer of 2022", "2022-06-01", "2022-08-31"),
        ("去年春天读了什么书", "2022-03-01", "2022-05-31"),
        ("winter 2022", "2022-12-01", "2023-02-28"),
        ("What shipped in Q3 2024?", "2024-07-01", "2024-09-30"),
        ("2024年第三季度的目标", "2024-07-01", "2024-09-30"),
        ("去年下半年的复盘", "2022-07-01", "2022-12-31"),
        ("What have we decided since March 2023?", "2023-03-01", TODAY),
        ("今年三月以来做了什么", "2023-03-01", TODAY),
        ("What did I do yesterday?", "2023-09-19", "2023-09-19"),
        ("上周的进展", "2023-09-11", "2023-09-17"),
        ("the 2021 roadmap", "2021-01-01", "2021-12-31"),
        ("from 1840 to 1850", "1840-01-01", "1850-12-31"),
    ],
)
def test_a_named_time_is_a_span_of_days(question: str, first: str, last: str) -> None:
    assert [(p.first, p.last) for p in named_periods(question, TODAY)] == [(first, last)]


@pytest.mark.parametrize(
    "question",
    [
        "Why did we choose SQLite?",
        "为什么选这个方案",
        "port 8080",
        "a limit of 2000 users",
        "costs 2000.5 in all",
        "",
        "may I go",
    ],
)
def test_numbers_and_plain_words_name_no_time(question: str) -> None:
    assert named_periods(question, TODAY) == ()


def test_two_times_stay_two() -> None:
    assert [p.first for p in named_periods("May 5 or May 7?", TODAY)] == ["2023-05-05", "2023-05-07"]


def test_of_a_long_list_of_times_only_the_first_few_count() -> None:
    assert len(named_periods(", ".join(f"in {year}" for year in range(1900, 2000)), TODAY)) == PERIODS


def test_ends_the_wrong_way_round_are_two_times() -> None:
    assert len(named_periods("from 1930 to 1832", TODAY)) == 2


def test_a_date_lies_in_a_period_if_it_can() -> None:
    spring = Period("2023-03-01", "2023-05-31", "month")
    assert spring.holds("2023-04-30") and spring.holds("2023-03") and spring.holds("2023")
    assert not spring.holds("2023-06-01") and not spring.holds("2022") and not spring.holds(None)


def test_what_held_in_part_of_a_period_meets_it() -> None:
    spring = Period("2023-03-01", "2023-05-31", "month")
    assert spring.meets("2023-05-01", None) and spring.meets(None, "2023-03") and spring.meets("2020", "2024-01-01")
    assert (
        not spring.meets("2023-06-01", None) and not spring.meets(None, "2023-02-28") and not spring.meets(None, None)
    )


def test_years_that_a_text_states_place_it() -> None:
    tenure = Period("1995-08-01", "2002-08-31", "month")
    exact, within, outside = "since 1995", "in 1999 and 2010", "in 1990 and 2010"
    assert tenure.stated(exact) > tenure.stated(within) > tenure.stated(outside) == tenure.stated("no year") == 0.0


@given(st.text("0129 .年٣a", max_size=30))
def test_only_a_run_of_four_digits_is_a_year(text: str) -> None:
    runs = re.findall(r"\d+", text)
    years = {run for run in runs if len(run) == 4 and run.isascii() and (run[0] == "1" or run[:2] == "20")}
    assert (Period("1000-01-01", "2099-12-31", "year").stated(text) > 0) == bool(years)
    for year in ("1000", "1902", "2012", "2099"):
        assert (Period(f"{year}-01-01", f"{year}-12-31", "year").stated(text) > 0) == (year in years)


@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)), st.integers(0, 4000))
def test_two_days_with_a_word_between_are_the_ends(first: date, days: int) -> None:
    last = min(first + timedelta(days), date(2099, 12, 31))
    for question in (f"what happened from {first} to {last}?", f"{first}到{last}发生了什么"):
        (period,) = named_periods(question, TODAY)
        assert (period.first, period.last) == (first.isoformat(), last.isoformat())
        assert period.days == (last - first).days + 1
        assert period.holds(first.isoformat()) and period.holds(last.isoformat())
        assert not period.holds((last + timedelta(1)).isoformat())


@given(st.text(max_size=200))
def test_any_text_is_read_without_error(text: str) -> None:
    for period in named_periods(text, TODAY):
        assert period.first <= period.last
