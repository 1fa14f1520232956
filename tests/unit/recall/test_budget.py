"""The packet: never over budget, no half of a set alone, the best always in, never the same thing twice."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ebbtide.recall.budget import Limits, Priced, Taken, choose

TRIES = 10_000


def costing(short: int, least: int) -> Callable[[], tuple[int, int]]:
    return lambda: (short, least)


def priced(index: int, score: float, tokens: int = 100, note: str = "n", line: int = 0, **more: int) -> Priced:
    brief = costing(more.get("short", min(tokens, 20)), more.get("least", min(tokens, 10)))
    line = line or index * 10 + 1
    return Priced(index, score, note, line, line, str(index), tokens, brief, more.get("plain"))


def indices(taken: Sequence[Taken]) -> list[int]:
    return [one.index for one in taken]


# --- anything at all ----------------------------------------------------------------------------------------------


def drawn(chance: random.Random) -> tuple[list[Priced], Limits, dict[int, list[int]], dict[tuple[int, int], float]]:
    """Items in one to four notes with forms of any cost, disputes, supersessions, and cosines between them."""
    items = []
    for index in range(chance.randint(1, 14)):
        least = chance.randint(1, 60)
        short = least + chance.randint(0, 120)
        plain = short + chance.randint(0, 900) if chance.random() < 0.7 else chance.randint(1, 900)
        chain = chance.random() < 0.25
        first = chance.randint(1, 60)
        items.append(
            Priced(
                index,
                chance.choice([0.5, round(chance.random(), 2)]),
                chance.choice("abcd"),
                first,
                first + chance.randint(0, 3),
                chance.choice("xyz") if chance.random() < 0.2 else str(index),
                plain + chance.randint(1, 300) if chain else plain,
                costing(short, least),
                plain if chain else None,
            )
        )
    requires: dict[int, list[int]] = {}
    for _ in range(chance.choice([0, 0, 1, 2, 4])):
        one, other = chance.randrange(len(items)), chance.randrange(len(items))
        requires.setdefault(one, []).append(other)
        if chance.random() < 0.7:
            requires.setdefault(other, []).append(one)
    cosines = {(a.index, b.index): chance.uniform(-0.2, 1) for a in items for b in items}
    limits = Limits(
        tokens=chance.choice([chance.randint(1, 100), chance.randint(1, 1000), chance.randint(1, 8000)]),
        items=chance.randint(1, 10),
        note_share=chance.choice([0.05, 0.4, 1.0]),
        mode=chance.choice(["skip", "stop"]),
        redundancy=chance.choice([0.0, 0.3, 1.0]),
        cost_power=chance.choice([0.0, 0.3, 1.0]),
    )
    return items, limits, requires, cosines


def closure(start: int, requires: Mapping[int, Sequence[int]]) -> set[int]:
    found = {start}
    while more := {other for index in found for other in requires.get(index, ())} - found:
        found |= more
    return found


def check(items: Sequence[Priced], limits: Limits, requires: Mapping[int, Sequence[int]], taken: list[Taken]) -> None:
    by_index = {item.index: item for item in items}
    assert sum(one.tokens for one in taken) <= limits.tokens
    for one in taken:
        item = by_index[one.index]
        tokens = {"whole": item.whole, "plain": item.plain, "short": item.short}.get(one.form)
        assert one.tokens == tokens if tokens is not None else item.least <= one.tokens < item.short
        assert set(requires.get(one.index, ())) <= set(indices(taken))
    best = max(item.score for item in items)
    firsts = [closure(item.index, requires) for item in items if item.score == best]
    smallest = min(map(len, firsts))
    firsts = [unit for unit in firsts if len(unit) == smallest]
    if not taken:  # only where the best unit cannot even be cited
        assert any(sum(by_index[index].least for index in unit) > limits.tokens for unit in firsts)
        return
    first = next(unit for unit in firsts if unit <= set(indices(taken)))
    assert len(taken) <= max(limits.items, smallest)
    rest = [one for one in taken if one.index not in first]
    assert all(one.form in ("whole", "plain") for one in rest)
    spent: Counter[str] = Counter()
    for one in taken:
        spent[by_index[one.index].note] += one.tokens
    assert all(spent[by_index[one.index].note] <= limits.note_share * limits.tokens for one in rest)
    scores = [by_index[one.index].score for one in taken]
    assert scores == sorted(scores, reverse=True)
    good = [one.index for one in taken if by_index[one.index].score >= limits.floor_share * best]
    assert set(indices(taken)) <= {index for start in good for index in closure(start, requires)}


def test_ten_thousand_packets_keep_to_their_limits() -> None:
    chance = random.Random(20261130)
    seen: Counter[str] = Counter()
    for _ in range(TRIES):
        items, limits, requires, cosines = drawn(chance)
        taken = choose(items, limits, requires, lambda a, b, known=cosines: known[a, b])  # type: ignore[misc]
        check(items, limits, requires, taken)
        seen["empty"] += not taken
        seen["sets"] += any(len(closure(index, requires)) > 1 for index in indices(taken))
        seen.update({one.form for one in taken})
    assert min(seen[kind] for kind in ("empty", "sets", "whole", "plain", "short", "cut")) > TRIES / 100


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(chance: random.Random) -> None:
    items, limits, requires, cosines = drawn(chance)
    shuffled = list(items)
    chance.shuffle(shuffled)

    def alike(one: int, other: int) -> float:
        return cosines[one, other]

    assert choose(shuffled, limits, requires, alike) == choose(items, limits, requires, alike)


# --- rule by rule -------------------------------------------------------------------------------------------------


def test_an_overlapping_item_says_nothing_new() -> None:
    items = [priced(0, 0.9, line=3), priced(1, 0.8, line=3), priced(2, 0.7, line=9)]
    assert indices(choose(items, Limits())) == [0, 2]


def test_what_does_not_fit_is_skipped_or_ends_the_packet() -> None:
    items = [priced(0, 0.9, 60, "a"), priced(1, 0.8, 60, "b"), priced(2, 0.5, 30, "c")]
    limits = Limits(tokens=100, cost_power=0.0)
    assert indices(choose(items, limits)) == [0, 2]
    assert indices(choose(items, replace(limits, mode="stop"))) == [0]


def test_one_note_cannot_be_the_whole_answer() -> None:
    items = [priced(i, 0.9 - i / 100, 30, "long") for i in range(5)] + [priced(9, 0.6, 30, "other")]
    assert indices(choose(items, Limits(tokens=100))) == [0, 9]
    assert indices(choose([priced(0, 0.9, 30, "a"), priced(1, 0.8, 41, "b")], Limits(tokens=100))) == [0]


def test_what_the_chosen_ones_say_already_gives_way_to_something_new() -> None:
    items = [priced(0, 0.9, 40, "a"), priced(1, 0.8, 40, "b"), priced(2, 0.7, 40, "c")]

    def alike(one: int, other: int) -> float:
        return 0.95 if {one, other} == {0, 1} else 0.1

    assert indices(choose(items, Limits(tokens=100), alike=alike)) == [0, 2]
    assert indices(choose(items, Limits(tokens=100, redundancy=0.0), alike=alike)) == [0, 1]
    assert indices(choose(items, Limits(redundancy=1.0), alike=alike)) == [0, 2]  # nothing to gain, whatever the room


def test_a_cheap_one_goes_before_a_dear_one_that_is_hardly_better() -> None:
    items = [priced(0, 0.9, 10, "a"), priced(1, 0.72, 40, "b"), priced(2, 0.7, 10, "c"), priced(3, 0.7, 10, "d")]
    assert indices(choose(items, Limits(tokens=100, items=3))) == [0, 2, 3]
    assert indices(choose(items, Limits(tokens=100, items=3, cost_power=0.0))) == [0, 1, 2]


def test_neither_half_of_a_set_is_in_alone() -> None:
    items = [priced(0, 0.9, 40, "a"), priced(1, 0.8, 30, "b"), priced(2, 0.3, 40, "c"), priced(3, 0.6, 20, "d")]
    disputed = {1: [2], 2: [1]}
    assert indices(choose(items, Limits(tokens=200), disputed)) == [0, 1, 3, 2]
    assert indices(choose(items, Limits(tokens=100), disputed)) == [0, 3]
    assert indices(choose(items, Limits(tokens=200, items=2), disputed)) == [0, 3]


def test_the_best_is_in_with_all_that_belongs_to_it_even_past_the_number_of_items() -> None:
    items = [priced(0, 0.9, 40, "a"), priced(1, 0.1, 40, "b"), priced(2, 0.8, 40, "c")]
    assert indices(choose(items, Limits(items=1), {0: [1], 1: [0]})) == [0, 1]


def test_what_is_needed_does_not_carry_in_what_needs_it() -> None:
    items = [priced(0, 0.9, 30, "a"), priced(1, 0.3, 30, "b"), priced(2, 0.8, 30, "c")]
    assert indices(choose(items, Limits(), {1: [2]})) == [0, 2]


def test_what_is_needed_by_several_is_paid_once() -> None:
    items = [priced(0, 0.9, 30, "a"), priced(1, 0.8, 30, "b"), priced(2, 0.7, 30, "c")]
    assert indices(choose(items, Limits(tokens=90), {1: [0], 2: [0]})) == [0, 1, 2]


def test_the_best_loses_its_chain_then_its_words_before_it_passes_the_budget() -> None:
    item = priced(0, 0.9, 90, plain=50, short=20, least=10)
    for tokens, form, cost in (
        (90, "whole", 90),
        (89, "plain", 50),
        (49, "short", 20),
        (19, "cut", 19),
        (10, "cut", 10),
    ):
        assert choose([item], Limits(tokens=tokens)) == [Taken(0, form, cost)]  # type: ignore[arg-type]
    assert choose([item], Limits(tokens=9)) == []


def test_a_set_that_is_cut_shares_the_room_evenly() -> None:
    items = [priced(0, 0.9, 500, "a", short=200, least=10), priced(1, 0.5, 400, "b", short=20, least=10)]
    both = {0: [1], 1: [0]}
    assert choose(items, Limits(tokens=100), both) == [Taken(0, "cut", 80), Taken(1, "short", 20)]
    assert choose(items, Limits(tokens=30), both) == [Taken(0, "cut", 15), Taken(1, "cut", 15)]
    assert choose(items, Limits(tokens=19), both) == []


def test_a_further_item_loses_its_chain_rather_than_its_place() -> None:
    items = [priced(0, 0.9, 50, "a"), priced(1, 0.8, 80, "b", plain=30)]
    assert choose(items, Limits(tokens=100)) == [Taken(0, "whole", 50), Taken(1, "plain", 30)]
    assert [one.form for one in choose(items, Limits(tokens=200))] == ["whole", "whole"]
