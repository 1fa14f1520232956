"""Means: identity of texts, the blend of a vault's own mean with the shipped one, centring, the shipped means."""

from __future__ import annotations

import hashlib
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ebbtide.index.means import KEY_BYTES, PRIOR_WEIGHT, Means, centred, text_key
from ebbtide.index.modelfile import default_fingerprint
from ebbtide.index.priors import PRIOR_KINDS, load_priors
from ebbtide.memory.ports import FloatArray

DIMENSIONS = 8
LANGUAGES = ("zh", "en")

finite = st.floats(-1, 1, width=32)
vectors = arrays.arrays(np.float32, st.tuples(st.integers(1, 40), st.just(DIMENSIONS)), elements=finite)
vector = arrays.arrays(np.float32, DIMENSIONS, elements=finite)


def constant(value: float, rows: int = 1) -> FloatArray:
    """Vectors [rows, dims] that all hold one number."""
    return np.full((rows, DIMENSIONS), value, dtype=np.float32)


# --- identity ---------------------------------------------------------------------------------------------------------


@given(st.text(max_size=80))
def test_a_text_has_one_key_of_16_bytes(text: str) -> None:
    key = text_key(text)
    assert len(key) == KEY_BYTES == 16
    assert key == text_key(text)


def test_the_key_never_changes_between_versions() -> None:
    """Stored vectors are found under it: another key would mean embedding every vault again."""
    assert text_key("潮 tide").hex() == hashlib.blake2b("潮 tide".encode(), digest_size=16).hexdigest()
    assert text_key("潮 tide").hex() == "8f34c01fb9abd5333b49008a10bec46c"


@given(st.lists(st.text(max_size=20), min_size=2, max_size=8, unique=True))
def test_different_texts_have_different_keys(texts: list[str]) -> None:
    assert len({text_key(text) for text in texts}) == len(texts)


def test_composed_and_decomposed_texts_are_different_texts() -> None:
    assert text_key("caf\u00e9") != text_key("cafe\u0301")


def test_lone_surrogates_have_a_key() -> None:
    assert len({text_key(text) for text in ("\ud800", "\udfff", "\ufffd", "")}) == 4


# --- the blend --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 10, 50, 150, 5000])
def test_the_own_mean_counts_n_of_n_plus_50(count: int) -> None:
    means = Means(DIMENSIONS, prior={"en": constant(0.0)[0]})
    means.add("en", constant(1.0, count))
    assert means.of("en") == pytest.approx(np.full(DIMENSIONS, count / (count + 50)))


@given(vectors, vector)
def test_the_blend_lies_between_the_own_mean_and_the_prior(own: FloatArray, prior: FloatArray) -> None:
    means = Means(DIMENSIONS, prior={"zh": prior})
    means.add("zh", own)
    share = len(own) / (len(own) + PRIOR_WEIGHT)
    expected = share * own.mean(axis=0, dtype=np.float64) + (1 - share) * prior
    assert np.allclose(means.of("zh"), expected, atol=1e-6)


@given(vectors, st.integers(0, 40))
def test_it_makes_no_difference_in_how_many_parts_vectors_come(own: FloatArray, cut: int) -> None:
    whole, parts = Means(DIMENSIONS), Means(DIMENSIONS)
    whole.add("en", own)
    parts.add("en", own[:cut])
    parts.add("en", own[cut:])
    assert whole.counts == parts.counts
    assert np.allclose(whole.of("en"), parts.of("en"), atol=1e-6)


@given(vectors)
def test_without_a_prior_the_mean_is_the_vaults_own(own: FloatArray) -> None:
    means = Means(DIMENSIONS)
    means.add("en", own)
    assert np.allclose(means.of("en"), own.mean(axis=0, dtype=np.float64), atol=1e-6)


def test_without_vectors_the_mean_is_the_prior_and_without_both_zero() -> None:
    means = Means(DIMENSIONS, prior={"en": constant(0.25)[0]})
    assert means.of("en").tolist() == [0.25] * DIMENSIONS
    assert means.of("zh").tolist() == [0.0] * DIMENSIONS
    assert means.of("zh").dtype == np.float32


def test_languages_do_not_mix() -> None:
    means = Means(DIMENSIONS)
    means.add("zh", constant(1.0, 3))
    means.add("en", constant(-1.0, 5))
    assert (means.of("zh")[0], means.of("en")[0]) == (1.0, -1.0)


def test_adding_nothing_changes_nothing() -> None:
    means = Means(DIMENSIONS)
    means.add("en", constant(1.0, 0))
    assert (means.counts, means.sums, means.snapshot()) == ({}, {}, {})


def test_a_snapshot_stays_as_it_was() -> None:
    prior = constant(0.5)[0]
    means = Means(DIMENSIONS, prior={"en": prior})
    means.add("zh", constant(1.0, 2))
    before = means.snapshot()
    means.add("zh", constant(0.0, 2))
    means.add("en", constant(0.0, 50))
    assert {lang: float(mean[0]) for lang, mean in before.items()} == {"en": 0.5, "zh": 1.0}
    assert {lang: float(mean[0]) for lang, mean in means.snapshot().items()} == {"en": 0.25, "zh": 0.5}
    assert prior.tolist() == [0.5] * DIMENSIONS


# --- centring ---------------------------------------------------------------------------------------------------------


@given(vectors, vector)
def test_centred_vectors_have_unit_length_and_the_right_direction(raw: FloatArray, mean: FloatArray) -> None:
    moved = raw.astype(np.float64) - mean
    lengths = np.linalg.norm(moved, axis=1)
    assume(bool((lengths > 1e-3).all()))
    out = centred(raw, mean)
    assert out.shape == raw.shape
    assert out.dtype == np.float32
    assert np.allclose(np.linalg.norm(out, axis=1), 1, atol=1e-5)
    assert np.allclose(out, moved / lengths[:, None], atol=1e-3)


@given(vectors, vector)
def test_one_vector_is_centred_like_one_of_many(raw: FloatArray, mean: FloatArray) -> None:
    assert np.allclose(centred(raw[0], mean), centred(raw, mean)[0], atol=1e-5)


@given(vector)
def test_a_vector_equal_to_the_mean_becomes_zero_and_not_nan(mean: FloatArray) -> None:
    assert centred(mean, mean).tolist() == [0.0] * DIMENSIONS


# --- the shipped means ------------------------------------------------------------------------------------------------


def test_the_shipped_means_belong_to_the_default_model() -> None:
    """Fails when the model's recipe has changed: run daemon/scripts/make_means.py."""
    priors = load_priors(default_fingerprint())
    assert sorted(priors) == sorted(PRIOR_KINDS)
    for kind, means in priors.items():
        assert sorted(means) == sorted(LANGUAGES), kind
        for mean in means.values():
            assert mean.shape == (384,)
            assert mean.dtype == np.float32
            assert 0.5 < float(np.linalg.norm(mean)) < 1, "a mean of unit vectors, not brought to unit length"


@pytest.mark.parametrize("fingerprint", ["", "0" * 64, default_fingerprint()[:-1], default_fingerprint().upper()])
def test_another_model_gets_no_means(fingerprint: str) -> None:
    assert load_priors(fingerprint) == {}


def test_the_shipped_means_differ_by_kind_and_language() -> None:
    priors = load_priors(default_fingerprint())
    every = [mean for means in priors.values() for mean in means.values()]
    for one, other in combinations(every, 2):
        assert float(np.linalg.norm(one - other)) > 0.02


def test_what_is_loaded_is_the_callers_own() -> None:
    first = load_priors(default_fingerprint())
    first["query"]["zh"][:] = 0
    assert load_priors(default_fingerprint())["query"]["zh"].any()
