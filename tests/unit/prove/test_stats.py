"""Intervals and tests against published values, and what must hold of them whatever the counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.prove.stats import compared, fisher, mcnemar, percentile, wilson

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (24, 30, 0.627, 0.905),
        (8, 10, 0.490, 0.943),
        (160, 200, 0.739, 0.850),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_as_published(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-4)


@given(counts)
def test_an_interval_holds_its_share_and_is_symmetric(pair: tuple[int, int]) -> None:
    k, n = pair
    low, high = wilson(k, n)
    assert 0.0 <= low <= k / n <= high <= 1.0
    assert low < high
    mirrored = wilson(n - k, n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(counts)
def test_more_of_the_same_narrows_the_interval(pair: tuple[int, int]) -> None:
    k, n = pair
    few, many = wilson(k, n), wilson(4 * k, 4 * n)
    assert many[1] - many[0] < few[1] - few[0]


def test_nothing_asked_shows_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (0, 10, 0.001953125),
        (2, 8, 0.109375),
        (5, 5, 1.0),
        (7, 25, 0.0021),
    ],
)
def test_mcnemar_is_the_binomial_test_of_a_half(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, abs=5e-5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_p_is_a_probability_and_takes_no_side(gained: int, lost: int) -> None:
    p = mcnemar(gained, lost)
    assert 0.0 < p <= 1.0
    assert p == mcnemar(lost, gained)


def test_fisher_on_the_lady_tasting_tea() -> None:
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert fisher(4, 4, 0, 4) == pytest.approx(2 / 70)
    assert fisher(1, 10, 11, 14) == pytest.approx(0.002759, abs=5e-7)
    assert fisher(0, 0, 3, 5) == 1.0


@given(counts, counts)
def test_fisher_is_a_probability_and_takes_no_side(one: tuple[int, int], other: tuple[int, int]) -> None:
    p = fisher(*one, *other)
    assert 0.0 < p <= 1.0
    assert p == pytest.approx(fisher(*other, *one))


def test_a_draw_is_called_a_draw() -> None:
    assert compared(5, 0, mcnemar(5, 0)) == "no difference"
    assert compared(6, 0, mcnemar(6, 0)) == "better"
    assert compared(0, 6, mcnemar(0, 6)) == "worse"
    assert compared(6, 0, mcnemar(6, 0), lower_is_better=True) == "worse"


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.floats(0.01, 1))
def test_a_percentile_is_one_of_the_values_with_its_share_below(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= math.floor(share * len(values))


def test_percentiles_by_rank() -> None:
    assert [percentile(range(1, 101), x) for x in (0.5, 0.95, 0.99, 1.0)] == [50, 95, 99, 100]
    assert percentile([], 0.5) is None
