"""The score: relevance decides, the rest weighs; what the design worked out by hand, and what must always hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.config import Config
from ebbtide.memory.heat import Event, Heat
from ebbtide.recall.score import Asked, Known, Scoring, score, scoring_of

TODAY = "2026-11-30"
NOW = Asked(TODAY)
PLAIN = Scoring()


def ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()


def known(days: int, type_: str | None = None, base: float = 5.0, **more: object) -> Known:
    return replace(Known(type_, ago(days), ago(days), base), **more)  # type: ignore[arg-type]


def total(relevance: float, memory: Known, asked: Asked = NOW, scoring: Scoring = PLAIN) -> float:
    return score(relevance, memory, asked, scoring).S


def test_the_settings_default_to_the_constants() -> None:
    assert scoring_of(Config()) == PLAIN


USES = [Event(ago(n)) for n in range(3, 23)]
EVENTS = st.lists(
    st.builds(Event, st.integers(0, 400).map(ago), st.sampled_from(["used", "wrong", "opened"])), max_size=30
)
MEMORIES = st.builds(
    known,
    st.integers(0, 2000),
    st.sampled_from([None, "decision", "state", "principle"]),
    st.floats(1, 10),
    events=EVENTS,
    frame=st.sampled_from(["current", "historical", "change"]),
    state=st.sampled_from(["active", "stale"]),
    pinned=st.booleans(),
)
FORMS = st.sampled_from([PLAIN, Scoring(form="sum"), Scoring(heat=Heat(form="bands")), Scoring(heat_mix=0.0)])


def test_an_old_core_decision_is_not_lost_to_a_fresh_trifle() -> None:
    old, fresh = known(400, "decision", 7.0), known(0)
    assert total(0.90, old) == pytest.approx(
        0.624, abs=0.005
    )  # it is in force until replaced: no colder than just warm
    assert total(0.65, fresh) == pytest.approx(0.576, abs=0.005)
    as_sum = Scoring(form="sum")
    assert total(0.90, old, scoring=as_sum) == pytest.approx(0.59, abs=0.005)
    assert total(0.65, fresh, scoring=as_sum) > 0.67
    assert total(0.90, known(400, "principle", 7.0)) > 0.61
    assert total(0.90, replace(old, pinned=True)) > 0.72
    assert total(0.90, replace(old, type="note")) < 0.57


@given(MEMORIES, st.floats(0.0, 1.0))
def test_what_has_ended_scores_less_unless_the_question_is_about_the_past(memory: Known, relevance: float) -> None:
    over = replace(memory, lapse=0.7)
    assert total(relevance, over) <= total(relevance, memory) + 1e-12
    then = Asked(TODAY, "historical", relevance)
    assert score(relevance, over, then, PLAIN).F == score(relevance, memory, then, PLAIN).F


def test_the_plan_of_last_week_beats_the_one_abandoned_two_months_ago() -> None:
    assert total(0.85, known(7)) > total(0.88, known(60)) + 0.1


def test_what_is_all_equally_old_keeps_its_order() -> None:
    for days in (0, 30, 900):
        scores = [total(r / 100, known(days)) for r in range(25, 100)]
        assert scores == sorted(scores)


def test_what_has_no_date_stands_between_new_and_old() -> None:
    undated = total(0.8, Known())
    assert total(0.8, known(800)) < undated < total(0.8, known(0))


def test_what_happened_on_some_day_is_not_outranked_by_what_happened_later() -> None:
    assert total(0.8, known(400, "event")) == total(0.8, known(1, "event"))


def test_for_a_question_about_the_past_to_be_old_is_no_fault() -> None:
    asked = replace(NOW, frame="historical")
    assert total(0.8, known(400), asked) == total(0.8, known(1), asked)


def test_the_parts_are_told() -> None:
    parts = score(0.8, known(30, events=USES), NOW, PLAIN)
    assert (parts.R, parts.gate) == (0.8, 1)
    assert pytest.approx(0.9, abs=0.01) == parts.F
    assert pytest.approx(4 / 9) == parts.I
    assert parts.W == 1.0
    assert parts.warmth.word == "hot"
    assert 0.05 < parts.B < 0.08
    assert pytest.approx(0.8 * (0.6 + 0.2 * parts.F + 0.2 * parts.I) + parts.B) == parts.S


def test_only_what_is_nearly_as_relevant_as_the_best_is_rewarded() -> None:
    far = score(0.6, known(30, events=USES), replace(NOW, best=0.8), PLAIN)
    assert far.B == 0.0
    assert score(0.7, known(30, events=USES), replace(NOW, best=0.8), PLAIN).B > 0


def test_a_use_for_another_question_earns_less() -> None:
    alike, other = (total(0.8, known(30, events=USES, likeness=x)) for x in (1.0, 0.0))
    assert total(0.8, known(30)) < other < alike


def test_a_rule_of_the_past_gains_nothing_for_a_question_about_now() -> None:
    past = known(90, events=USES, frame="historical")
    assert total(0.8, past) == total(0.8, replace(past, events=()))
    assert total(0.8, past, replace(NOW, frame="historical")) > total(0.8, past)
    ungated = replace(PLAIN, heat=Heat(gate=False))
    assert total(0.8, past, scoring=ungated) == total(0.8, replace(past, frame="current"))


def test_use_never_freshens_and_checking_never_warms() -> None:
    base = score(0.8, known(300), NOW, PLAIN)
    used = score(0.8, known(300, events=USES), NOW, PLAIN)
    checked = score(0.8, replace(known(300), verified=ago(0)), NOW, PLAIN)
    assert used.F == base.F
    assert checked.W == base.W
    assert (used.W, checked.F) > (base.W, base.F)


@given(MEMORIES, st.floats(0, 1), st.floats(0, 1), FORMS)
def test_more_relevance_never_scores_less(memory: Known, a: float, b: float, scoring: Scoring) -> None:
    low, high = sorted((a, b))
    asked = replace(NOW, best=high)
    assert total(low, memory, asked, scoring) <= total(high, memory, asked, scoring)


@given(MEMORIES, st.floats(0, 1), FORMS, st.sampled_from(["current", "historical", "plan"]))
def test_the_gate_only_lowers_towards_the_base(memory: Known, relevance: float, scoring: Scoring, frame: str) -> None:
    asked = replace(NOW, best=relevance, frame=frame)
    base = total(
        relevance, replace(memory, events=[e for e in memory.events if e.kind not in ("used", "wrong")]), asked, scoring
    )
    ungated = total(relevance, memory, asked, replace(scoring, heat=replace(scoring.heat, gate=False)))
    assert base <= total(relevance, memory, asked, scoring) <= ungated


@given(MEMORIES, st.floats(0, 1), FORMS, st.integers(1, 100))
def test_being_shown_changes_no_score(memory: Known, relevance: float, scoring: Scoring, times: int) -> None:
    shown = replace(memory, events=[*memory.events, *[Event(TODAY, "shown")] * times])
    assert score(relevance, shown, NOW, scoring) == score(relevance, memory, NOW, scoring)


@given(MEMORIES, st.floats(0, 1), FORMS)
def test_the_reward_is_capped(memory: Known, relevance: float, scoring: Scoring) -> None:
    parts = score(relevance, memory, NOW, scoring)
    assert 0.0 <= parts.B <= scoring.heat.reward
    assert 0.0 <= parts.S <= 1.0 + scoring.heat.reward
