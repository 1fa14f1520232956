"""Sentences that are near in meaning, found among many as each pair alone would be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.ports import Embedder, FloatArray
from ebbtide.sleep import meaning
from ebbtide.sleep.meaning import Meaning


class Letters:
    """Texts by how often each of a few letters is in them."""

    def iter_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        for n, text in enumerate(texts):
            yield [n], np.array([[1 + text.count(letter) for letter in "abcd"]], dtype=np.float32)


def over_letters() -> Meaning:
    return Meaning(cast(Embedder, Letters()), None, {"en": np.full(4, 0.5, dtype=np.float32)})


@given(st.lists(st.text("abcd", max_size=6), max_size=30), st.floats(0.5, 0.99), st.integers(1, 40))
def test_pairs_are_those_that_are_near_one_by_one(texts: list[str], cosine: float, block: int) -> None:
    near = over_letters()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(meaning, "_BLOCK", block)
        found = set(near.pairs(texts, cosine, lambda: None))
    assert all(a < b for a, b in found)
    for a, b in combinations(range(len(texts)), 2):
        close = near(texts[a], texts[b])
        assert close is not None
        if abs(close - cosine) > 1e-5:
            assert ((a, b) in found) == (close >= cosine)


def test_it_stops_when_it_is_told_to() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        over_letters().pairs(["a", "b"], 0.5, stop)
