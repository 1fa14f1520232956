"""Freshness by verification, importance by type and what became of a memory."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.importance import Truth, basis, freshness, importance
from ebbtide.parse.fact_cues import IMPORTANCE

TODAY = "2026-11-30"


def ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()


@pytest.mark.parametrize(("days", "expected"), [(0, 1.0), (30, 0.90), (90, 0.60), (365, 0.30)])
def test_the_anchors(days: int, expected: float) -> None:
    assert freshness(ago(days), "definition", TODAY) == pytest.approx(expected, abs=0.01)


def test_principles_and_procedures_age_more_slowly() -> None:
    assert freshness(ago(360), "principle", TODAY) == pytest.approx(freshness(ago(90), None, TODAY))
    for slow in ("procedure", "decision", "lesson"):
        assert freshness(ago(180), slow, TODAY) == pytest.approx(freshness(ago(90), None, TODAY))


def test_what_tells_of_one_day_does_not_age() -> None:
    assert freshness(ago(0), "event", TODAY) == freshness(ago(900), "episodic", TODAY) == Truth().unknown


def test_past_its_limit_nothing_is_fresh() -> None:
    assert freshness(ago(1), None, TODAY, overdue=True) == 0.3
    assert freshness(ago(2000), None, TODAY, overdue=True) == freshness(ago(2000), None, TODAY)


def test_without_a_date_it_is_neutral() -> None:
    assert freshness(None, None, TODAY) == freshness("soon", None, TODAY) == Truth().unknown
    assert freshness(None, None, TODAY) == pytest.approx(freshness(ago(90), None, TODAY), abs=0.01)


@given(st.integers(0, 4000), st.integers(1, 400), st.sampled_from([None, "decision", "principle"]))
def test_freshness_falls_with_age(age: int, more: int, kind: str | None) -> None:
    newer, older = (freshness(ago(days), kind, TODAY) for days in (age, age + more))
    assert 0.25 <= older < newer <= 1.0


def test_priors_are_those_facts_are_read_with() -> None:
    assert {kind: basis(kind) for kind in IMPORTANCE} == IMPORTANCE


def test_binding_words_and_failures_raise() -> None:
    assert basis("definition", "合并前必须评审") == basis("definition", "You MUST review") == 7.0
    assert basis("definition", "mustard is yellow") == 5.0
    assert basis("lesson", failed=True) == 7.0
    assert basis("decision", "never, 禁止", failed=True) == 10.0


def test_what_became_of_it_counts() -> None:
    plain = importance(5.0)
    assert plain == pytest.approx(4 / 9)
    assert importance(5.0, linked=1) == pytest.approx(4.5 / 9)
    assert importance(5.0, linked=1000) == pytest.approx(5.5 / 9)
    assert importance(5.0, months=2) == plain
    assert importance(5.0, months=3) == pytest.approx(5 / 9)
    assert importance(5.0, derived=True, confidence=0.4) == pytest.approx(2 / 9)
    assert importance(5.0, derived=True, confidence=0.6) == importance(5.0, confidence=0.4) == plain
    assert importance(1.0, pinned=True) == 1.0


@given(st.floats(-5, 20), st.integers(0, 100), st.integers(0, 12), st.booleans(), st.floats(0, 1))
def test_importance_stays_within_bounds(base: float, linked: int, months: int, derived: bool, sure: float) -> None:
    assert 0.0 <= importance(base, linked=linked, months=months, derived=derived, confidence=sure) <= 1.0
