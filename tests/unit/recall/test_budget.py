"""The packet: never over budget, never empty while anything fits, never the same thing twice."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ebbtide.recall.budget import Limits, Priced, choose

ITEM = st.builds(
    Priced,
    index=st.just(0), score=st.floats(0, 1), tokens=st.integers(1, 4000), note=st.sampled_from("abc"),
    first=st.integers(1, 50), last=st.just(0), quote=st.text(max_size=3),
)  # fmt: skip


def numbered(items: list[Priced]) -> list[Priced]:
    return [replace(item, index=i, last=item.first + i % 3) for i, item in enumerate(items)]


@given(st.lists(ITEM, max_size=12).map(numbered), st.integers(50, 6000))
def test_the_packet_keeps_to_its_limits(items: list[Priced], tokens: int) -> None:
    limits = Limits(tokens=tokens)
    chosen = [items[i] for i in choose(items, limits)]
    assert bool(chosen) == bool(items)
    assert len(chosen) <= limits.items
    rest = chosen[1:]
    assert sum(min(item.tokens, tokens) for item in chosen) <= tokens or not rest
    assert [item.score for item in chosen] == sorted((item.score for item in chosen), reverse=True)
    if chosen:
        assert chosen[0].score == max(item.score for item in items)
        assert all(item.score >= limits.floor_share * chosen[0].score for item in rest)


@given(st.lists(ITEM, max_size=8).map(numbered), st.randoms())
def test_the_order_of_the_candidates_does_not_matter(items: list[Priced], random: object) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # Hypothesis' own Random
    assert choose(shuffled, Limits()) == choose(items, Limits())


def priced(index: int, score: float, tokens: int = 100, note: str = "n", line: int = 1, quote: str = "") -> Priced:
    return Priced(index, score, tokens, note, line, line, quote or str(index))


def test_an_overlapping_item_says_nothing_new() -> None:
    assert choose([priced(0, 0.9, line=3), priced(1, 0.8, line=3), priced(2, 0.7, line=9)], Limits()) == [0, 2]


def test_what_does_not_fit_is_skipped_or_ends_the_packet() -> None:
    items = [priced(0, 0.9, 60, "a"), priced(1, 0.8, 60, "b"), priced(2, 0.7, 30, "c")]
    assert choose(items, Limits(tokens=100)) == [0, 2]
    assert choose(items, Limits(tokens=100, mode="stop")) == [0]


def test_one_note_cannot_be_the_whole_answer() -> None:
    items = [priced(i, 0.9 - i / 100, 30, "long", line=i * 10 + 1) for i in range(5)] + [priced(9, 0.6, 30, "other")]
    chosen = choose(items, Limits(tokens=100))
    assert 9 in chosen
    assert len([i for i in chosen if i != 9]) == 1
