"""Temperature and reward: the published checks, and what must hold whatever the numbers (algorithms.md B.10)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.heat import (
    WEIGHTS,
    Event,
    Heat,
    days_between,
    open_gate,
    reward,
    temperature,
    unused,
    warmth,
)

TODAY = "2026-11-30"


def ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()


def daily(count: int, last: int, kind: str = "used") -> list[Event]:
    return [Event(ago(last + n), kind) for n in range(count)]


EVENTS = st.lists(
    st.builds(Event, st.integers(0, 400).map(ago), st.sampled_from(["used", "opened", "edited", "linked"])), max_size=40
)


@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (7, 0.71), (14, 0.5), (30, 0.23)])
def test_a_memory_of_the_base_kind_cools_by_the_seven_and_thirty_day_rules(days: int, expected: float) -> None:
    assert temperature([], ago(days), None, TODAY) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("days", "expected"), [(30, 0.62), (90, 0.23), (180, 0.05)])
def test_what_was_used_daily_and_then_left_cools_too(days: int, expected: float) -> None:
    assert temperature(daily(30, days), ago(400), None, TODAY) == pytest.approx(expected, abs=0.02)


def test_kinds_cool_at_their_own_pace() -> None:
    kinds = ["working", "note", "definition", "preference", "procedure", "principle"]
    values = [temperature([], ago(30), kind, TODAY) for kind in kinds]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


def test_what_tells_of_one_day_is_warmed_by_use_alone() -> None:
    assert temperature([], ago(0), "event", TODAY) == temperature([], ago(900), "meeting", TODAY) == Heat().unknown
    assert temperature([Event(ago(0))], ago(900), "event", TODAY) == 1.0
    assert warmth([], ago(900), "event", TODAY, Heat(form="bands")).word == "warm"


def test_words_and_weights() -> None:
    hot, warm, cool = (warmth([], ago(n), None, TODAY) for n in (1, 20, 90))
    assert (hot.word, warm.word, cool.word) == ("hot", "warm", "cool")
    assert hot.weight == 1.0
    assert cool.weight == pytest.approx(0.3, abs=0.02)
    assert warmth(daily(5, 0), ago(9), None, TODAY, frozen=True).word == "frozen"


def test_bands_are_the_other_form() -> None:
    bands = Heat(form="bands")

    def weight(events: list[Event], created: int) -> float:
        return warmth(events, ago(created), None, TODAY, bands).weight

    assert [weight([], n) for n in (7, 8, 30, 31)] == [1.0, 0.7, 0.7, 0.3]
    assert weight(daily(15, 8), 300) == 1.0  # half an access a day
    assert weight(daily(14, 8), 300) == 0.7


def test_what_has_no_date_is_neither_hot_nor_cold() -> None:
    assert temperature([], None, None, TODAY) == Heat().unknown
    assert temperature([], "not a date", None, TODAY) == Heat().unknown
    assert temperature([Event(ago(0))], None, None, TODAY) == 1.0


def test_months_and_years_are_dates_too() -> None:
    assert days_between("2026-10", TODAY) == 46
    assert days_between("2025", TODAY) == days_between("2025-07-01", TODAY)
    assert days_between("2027-01-01", TODAY) == 0
    assert days_between(None, TODAY) is None


@given(EVENTS, st.integers(0, 400), st.integers(1, 200))
def test_without_an_event_it_cools(events: list[Event], created: int, later: int) -> None:
    after = (date.fromisoformat(TODAY) + timedelta(days=later)).isoformat()
    before = temperature(events, ago(created), "decision", TODAY)
    assert temperature(events, ago(created), "decision", after) < before
    assert reward(events, after) <= reward(events, TODAY)


@given(EVENTS, st.integers(0, 400), st.sampled_from(sorted(WEIGHTS)), st.integers(0, 400))
def test_an_event_never_cools(events: list[Event], created: int, kind: str, day: int) -> None:
    more = [*events, Event(ago(day), kind)]
    assert temperature(more, ago(created), None, TODAY) >= temperature(events, ago(created), None, TODAY)
    assert reward(more, TODAY) >= reward(events, TODAY)


@given(EVENTS, st.integers(2, 50))
def test_of_a_day_at_most_one_event_counts(events: list[Event], times: int) -> None:
    for formed in (lambda e: temperature(e, ago(90), None, TODAY), lambda e: reward(e, TODAY)):
        assert formed(events * times) == formed(events)


@given(EVENTS, st.lists(st.builds(Event, st.integers(0, 400).map(ago), st.just("shown")), max_size=50))
def test_being_shown_changes_nothing(events: list[Event], shown: list[Event]) -> None:
    assert temperature([*shown, *events], ago(90), None, TODAY) == temperature(events, ago(90), None, TODAY)
    assert reward([*shown, *events], TODAY) == reward(events, TODAY)


@given(EVENTS)
def test_what_lies_ahead_does_not_count_yet(events: list[Event]) -> None:
    ahead = [Event("2027-01-01"), Event("2027-01-02")]
    assert temperature([*events, *ahead], ago(90), None, TODAY) == temperature(events, ago(90), None, TODAY)
    assert reward([*events, *ahead], TODAY) == reward(events, TODAY)


@given(EVENTS, st.floats(0, 1))
def test_the_reward_is_bounded(events: list[Event], likeness: float) -> None:
    assert 0.0 <= reward(events, TODAY, likeness) <= Heat().reward


def test_the_reward_is_that_of_the_paper() -> None:
    assert reward([], TODAY) == 0.0
    assert reward(daily(1, 0), TODAY) == pytest.approx(0.08 * (0.5 + 0.5 * 0.2835), abs=1e-4)
    assert reward(daily(20, 14), TODAY) == pytest.approx(0.08 * (0.25 + 0.5 * 0.9987), abs=1e-4)
    assert reward(daily(20, 0), TODAY, 0.0) == pytest.approx(0.3 * reward(daily(20, 0), TODAY))
    assert reward(daily(20, 0, "opened"), TODAY) == 0.0


def test_wrong_takes_a_day_of_use_away() -> None:
    used = daily(3, 5)
    assert reward([*used, Event(ago(0), "wrong")], TODAY) < reward(used, TODAY)
    assert reward([*daily(1, 5), Event(ago(0), "wrong")], TODAY) == 0.0
    assert reward([Event(ago(5)), Event(ago(5), "wrong")], TODAY) == 0.0
    assert temperature([Event(ago(0), "wrong")], ago(90), None, TODAY) == temperature([], ago(90), None, TODAY)


@pytest.mark.parametrize(
    ("frame", "asked", "state", "lost", "expected"),
    [
        ("current", "current", "active", False, True),
        ("change", "current", "active", False, True),
        ("historical", "historical", "active", False, True),
        ("historical", "current", "active", False, False),
        ("historical", "plan", "active", False, False),
        ("current", "current", "stale", False, False),
        ("current", "historical", "active", True, False),
    ],
)
def test_the_gate(frame: str, asked: str, state: str, lost: bool, expected: bool) -> None:
    assert open_gate(frame, asked, state, lost=lost) is expected


@given(EVENTS)
def test_a_closed_gate_leaves_opens_and_edits(events: list[Event]) -> None:
    assert [e for e in events if e.kind != "used"] == unused(events)
