"""The exam in two halves: every question in one, each kind in both, the same whatever the order of the file."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide import config
from ebbtide.prove.questions import KINDS, Asked
from ebbtide.prove.tune_exam import MOST, STEPS, compared, halves, name_of, row
from ebbtide.prove.tune_file import range_of

asked = st.lists(
    st.builds(
        lambda n, kind: Asked(f"x_{n}", f"question {n}", kind, gold=() if kind == "unanswerable" else ("A.md",)),
        st.integers(0, 10**6),
        st.sampled_from(KINDS),
    ),
    max_size=60,
    unique_by=lambda one: one.id,
)


@given(asked, st.randoms(use_true_random=False))
def test_halves_share_nothing_and_do_not_hang_on_the_order(paper: list[Asked], chance: object) -> None:
    first, second = halves(paper)
    assert Counter(map(name_of, [*first, *second])) == Counter(map(name_of, paper))
    for kind in KINDS:
        here, there = (sum(one.kind == kind for one in half) for half in (first, second))
        assert 0 <= here - there <= 1
    shuffled = sorted(paper, key=lambda _: chance.random())  # type: ignore[attr-defined]
    moved = [replace(one, line=n) for n, one in enumerate(shuffled)]
    assert [[one.id for one in half] for half in halves(moved)] == [
        [one.id for one in half] for half in (first, second)
    ]


def test_a_long_exam_is_asked_in_part() -> None:
    paper = [Asked(f"x_{n}", "q", "find", gold=("A.md",)) for n in range(MOST + 100)]
    assert sum(map(len, halves(paper))) == MOST


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_what_turned_either_way_adds_up(turned: dict[str, tuple[bool, bool]]) -> None:
    before, after = ({key: pair[side] for key, pair in turned.items()} for side in (0, 1))
    found = compared(before, after, list(turned))
    assert (found.before, found.after) == (sum(before.values()), sum(after.values()))
    assert found.after - found.before == found.gained - found.lost
    shown = row("all", found)
    assert shown["before"]["low"] <= shown["before"]["value"] <= shown["before"]["high"]
    assert found.verdict in ("better", "worse", "no difference")


def test_many_lost_are_worse_and_few_are_no_difference() -> None:
    keys = [str(n) for n in range(20)]
    right = dict.fromkeys(keys, True)
    assert compared(right, right | dict.fromkeys(keys[:8], False), keys).verdict == "worse"
    assert compared(right, right | {"0": False}, keys).verdict == "no difference"


@pytest.mark.parametrize("key", list(STEPS))
def test_what_is_searched_is_a_setting_that_a_vault_may_set(key: str) -> None:
    low, high = range_of(key)
    section, _, name = key.partition(".")
    assert low <= getattr(getattr(config.Config(), section), name) <= high
