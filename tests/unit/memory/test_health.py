"""The figures of the core: the check values of algorithms.md B.9, what is not defined, and that nothing else moves them."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.memory.disuse import IDLE, idle_days, reason
from ebbtide.memory.health import (
    EXACT,
    UNDEFINED,
    Core,
    Edge,
    Figure,
    Moves,
    State,
    backlog,
    coherence,
    distillation,
    figures,
    freshness,
    pollution,
    reachability,
    shown_only,
)
from ebbtide.memory.heat import Event
from ebbtide.memory.revisions import Standing

TODAY = "2026-11-30"


def ago(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()


def names(count: int) -> list[str]:
    return [f"n_{number:04d}" for number in range(count)]


def edges(*pairs: tuple[int, int]) -> list[Edge]:
    return [Edge(f"n_{a:04d}", f"n_{b:04d}") for a, b in pairs]


# --- reachability -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "pairs", "steps"),
    [
        (4, list(combinations(range(4), 2)), 1.0),
        (4, [(0, 1), (1, 2), (2, 3)], 1.38),
        (4, [(0, 1), (2, 3)], 3.0),
        (10, [(0, other) for other in range(1, 10)], 1.67),
        (11, [(0, other) for other in range(1, 10)], 2.04),
    ],
    ids=["K4", "path of 4", "two couples", "star of 10", "star of 10 and one alone"],
)
def test_steps_are_those_of_the_check_values(count: int, pairs: list[tuple[int, int]], steps: float) -> None:
    found, _, _ = reachability(names(count), edges(*pairs))
    assert found.value == pytest.approx(steps, abs=0.005)


@pytest.mark.parametrize(
    ("count", "pairs", "why"), [(0, [], "empty"), (1, [], "one"), (1, [(0, 0)], "one"), (3, [], "no-edges"), (3, [(1, 1)], "no-edges")]
)  # fmt: skip
def test_reachability_is_not_defined_where_nothing_is_linked(
    count: int, pairs: list[tuple[int, int]], why: str
) -> None:
    for figure in reachability(names(count), edges(*pairs)):
        assert (figure.value, figure.why) == (None, why)
        assert set(UNDEFINED[why]) == {"en", "zh"}


def test_the_largest_part_and_the_steps_within_it() -> None:
    _, largest, inside = reachability(names(6), edges((0, 1), (1, 2), (3, 4)))
    assert (largest.k, largest.n, largest.value) == (3, 6, 0.5)
    assert inside.value == pytest.approx(4 / 3)


def test_beyond_the_limit_a_fixed_sample_comes_close_to_all() -> None:
    count = EXACT + 500
    ring = edges(*[(number, (number + 1) % count) for number in range(count)])
    first, again = reachability(names(count), ring), reachability(names(count)[::-1], ring[::-1])
    assert first == again
    half = count // 2
    exact = (count - 1) / (2 * sum(1 / d for d in range(1, half)) + 1 / half)
    assert first[0].value == pytest.approx(exact)  # in a ring every source sees the same


def test_a_sparse_graph_beyond_the_limit_is_defined() -> None:
    steps, largest, inside = reachability(names(EXACT * 2), edges((0, 1)))
    assert steps.value == pytest.approx(EXACT * 2 * (EXACT * 2 - 1) / 2)
    assert (largest.k, inside.value) == (2, 1.0)


pairs_of = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20)


@settings(max_examples=100, deadline=None)
@given(pairs_of, st.integers(2, 9), st.randoms(use_true_random=False))
def test_order_and_direction_change_nothing(pairs: list[tuple[int, int]], count: int, chance: object) -> None:
    turned = [(b, a) for a, b in reversed(pairs)]
    assert reachability(names(count), edges(*pairs)) == reachability(names(count)[::-1], edges(*turned, *pairs))


@settings(max_examples=100, deadline=None)
@given(pairs_of, st.integers(2, 9), st.tuples(st.integers(0, 8), st.integers(0, 8)))
def test_a_further_link_never_lengthens_the_way(
    pairs: list[tuple[int, int]], count: int, more: tuple[int, int]
) -> None:
    before, _, _ = reachability(names(count), edges(*pairs))
    after, _, _ = reachability(names(count), edges(*pairs, more))
    if before.value is not None:
        assert after.value is not None
        assert 1.0 - 1e-9 <= after.value <= before.value + 1e-9


# --- freshness ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["used", "opened", "edited", "linked"])
def test_what_a_person_did_within_30_days_keeps_it_fresh(kind: str) -> None:
    for days, share in ((0, 1.0), (29, 1.0), (30, 0.0), (400, 0.0)):
        core = Core("n_1", ago(100), (Event(ago(days), kind),))
        assert freshness([core], TODAY) == Figure(share, int(share), 1)


def test_being_called_wrong_or_shown_or_used_tomorrow_refreshes_nothing() -> None:
    later = (date.fromisoformat(TODAY) + timedelta(days=1)).isoformat()
    for event in (Event(ago(1), "wrong"), Event(ago(1), "shown"), Event(later, "used")):
        assert freshness([Core("n_1", ago(100), (event,), shown=True)], TODAY).value == 0.0


def test_a_new_link_of_a_person_refreshes() -> None:
    assert freshness([Core("n_1", ago(100), linked=(ago(3),))], TODAY).value == 1.0
    assert freshness([Core("n_1", ago(100), linked=(ago(40), "2026-11"))], TODAY).value == 0.0


def test_what_is_younger_than_a_week_is_left_out() -> None:
    young, old = Core("n_1", ago(6)), Core("n_2", ago(7), (Event(ago(1)),))
    assert freshness([young, old], TODAY) == Figure(1.0, 1, 1)
    assert freshness([young], TODAY).why == "young"
    assert freshness([], TODAY).why == "empty"
    assert freshness([Core("n_3", None)], TODAY) == Figure(0.0, 0, 1)


def test_what_was_only_shown_stands_beside_freshness() -> None:
    cores = [
        Core("n_1", ago(90), (Event(ago(1)),), shown=True),
        Core("n_2", ago(90), shown=True),
        Core("n_3", ago(90), shown=False),
        Core("n_4", ago(1), shown=True),
    ]
    assert shown_only(cores, TODAY) == Figure(1 / 3, 1, 3)
    assert shown_only([Core("n_1", ago(90))], TODAY).why == "not-kept"


# --- the others ---------------------------------------------------------------------------------------------------


def test_coherence_counts_links_between_core_memories_and_typed_ones_apart() -> None:
    cores = [Core(name) for name in names(4)]
    found = figures(
        State(tuple(cores), (Edge("n_0000", "n_0001"), Edge("n_0001", "n_0002", True), Edge("n_0003", "n_0003"))), TODAY
    )
    assert (found["coherence"].k, found["coherence"].n) == (3, 4)
    assert (found["coherence_typed"].k, found["coherence_typed"].n) == (2, 4)
    assert coherence(cores, [Edge("n_0000", "n_9999")]).k == 0  # the other end is no core memory
    assert (coherence([], []).why, coherence(cores[:1], []).why) == ("empty", "one")


def test_distillation_is_not_defined_without_a_promotion() -> None:
    assert distillation(Moves(merged=3)).why == "no-promotion"
    assert distillation(Moves(4, 1, 2, 3)) == Figure(1.5, 6, 4)


def test_pollution_counts_a_memory_once() -> None:
    cores = [Core("n_1", wrong=True, unsupported=True), Core("n_2", unsupported=True), Core("n_3"), Core("n_4")]
    assert pollution(cores) == Figure(0.5, 2, 4)
    assert pollution([]).why == "empty"


def test_backlog_counts_what_is_open_for_more_than_a_day() -> None:
    assert backlog([ago(0), ago(1), ago(2), ago(90)], TODAY).value == 2.0
    assert backlog([], TODAY).value == 0.0


def test_an_empty_core_has_every_figure_defined_or_a_reason() -> None:
    for figure in figures(State(), TODAY).values():
        assert figure.value is not None or figure.why in UNDEFINED


# --- disuse -------------------------------------------------------------------------------------------------------


def test_a_year_without_an_event_is_disuse() -> None:
    known = (ago(800), ago(700), None, "2024")
    assert idle_days("state", Standing(), [], known, TODAY) == 700
    assert idle_days("state", Standing(), [Event(ago(IDLE), "opened")], known, TODAY) == IDLE
    assert idle_days("state", Standing(), [Event(ago(IDLE - 1), "opened")], known, TODAY) is None
    assert idle_days("state", Standing(), [Event(ago(3), "wrong")], known, TODAY) == 700
    assert idle_days("state", Standing(), [], (ago(800), ago(10)), TODAY) is None
    assert idle_days("state", Standing(), [], (None, "2024"), TODAY) is None


@pytest.mark.parametrize("type_", ["decision", "preference", "procedure", "principle", "lesson", "rule", "pattern"])
def test_what_is_in_force_is_never_frozen(type_: str) -> None:
    assert idle_days(type_, Standing(), [], (ago(2000),), TODAY) is None


@pytest.mark.parametrize(
    "standing",
    [
        Standing(frozen=True),
        Standing(pinned=True),
        Standing(state="stale"),
        Standing(state="candidate"),
        Standing(forgotten=True),
        Standing(disputes=("f_1",)),
    ],
)
def test_nor_is_what_is_pinned_disputed_or_not_active(standing: Standing) -> None:
    assert idle_days("event", standing, [], (ago(2000),), TODAY) is None


def test_the_reason_is_told_in_both_languages() -> None:
    assert "400" in reason(400, "en")
    assert "400" in reason(400, "zh")
    assert reason(400, "en") != reason(400, "zh")
