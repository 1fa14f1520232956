"""Relevance, coverage and fusion: what must hold whatever the numbers are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.recall.rank import Evidence, Weights, coverage, relevance

SHARE = st.floats(0, 1, allow_nan=False)
COSINE = st.floats(-1, 1, allow_nan=False)
SCORE = st.floats(0, 100, allow_nan=False)
W = Weights()


@given(COSINE, COSINE, SHARE, st.booleans())
def test_closer_is_never_less_relevant(a: float, b: float, share: float, same: bool) -> None:
    low, high = sorted((a, b))
    assert relevance(Evidence(low, share), same, W) <= relevance(Evidence(high, share), same, W)


@given(COSINE, SHARE, SHARE, st.booleans())
def test_more_words_are_never_less_relevant(close: float, a: float, b: float, same: bool) -> None:
    low, high = sorted((a, b))
    assert relevance(Evidence(close, low), same, W) <= relevance(Evidence(close, high), same, W)


@given(COSINE, SHARE, st.booleans(), st.booleans(), SHARE)
def test_relevance_is_a_share(close: float, share: float, same: bool, keyword_only: bool, graph: float) -> None:
    assert 0 <= relevance(Evidence(close, share, graph), same, W, keyword_only) <= 1


def test_missing_words_do_not_bury_a_note_in_another_language() -> None:
    crossed = relevance(Evidence(0.6, 0.0), same_language=False, weights=W)
    lexical = relevance(Evidence(0.1, 0.3), same_language=True, weights=W)
    assert crossed > lexical


def test_a_twin_in_the_questions_own_language_comes_first() -> None:
    own = relevance(Evidence(0.6, 0.4), same_language=True, weights=W)
    other = relevance(Evidence(0.6, 0.0), same_language=False, weights=W)
    assert own > other


def test_without_vectors_words_speak_alone() -> None:
    assert relevance(Evidence(None, 0.7), True, W, keyword_only=True) == pytest.approx(0.7)


def test_a_neighbour_is_as_relevant_as_its_link_makes_it() -> None:
    assert relevance(Evidence(None, 0.0, graph=0.2), True, W) == pytest.approx(0.2)


@given(SCORE, SCORE, SCORE)
def test_coverage_grows_with_the_score_and_never_passes_its_yardstick(a: float, b: float, ceiling: float) -> None:
    low, high = sorted((a, b))
    best = max(high, 1e-6)
    assert 0 <= coverage(low, best, ceiling, W) <= coverage(high, best, ceiling, W) <= 1 + 1e-9


def test_coverage_of_nothing_is_nothing() -> None:
    assert coverage(0.0, 0.0, 0.0, W) == 0.0
