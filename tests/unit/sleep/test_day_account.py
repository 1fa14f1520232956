"""Several nights of a day told as one: each once, the later verdict stands, and what was looked at adds up."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.sleep.consolidate import Rules
from ebbtide.sleep.day_account import Account, from_json, to_json, whole
from ebbtide.sleep.nights import Candidate, Core, Plan, Step
from night_cases import CANDIDATES, FOLDER, TODAY


def account(at: float, found: list[Candidate]) -> Account:
    judged = tuple(Rules(TODAY, FOLDER)(found, Core()))
    steps = (Step("promote", "a", "", "x", ("n",), "w"), Step("supersede", "b", "", "y", ("m",), "w", (), {"needs": 0}))
    return Account(at, f"r_{at}", Plan(TODAY, "", tuple(found), judged, steps, len(found), ("left",)), ("one",))


NIGHTS = st.lists(CANDIDATES, max_size=4).map(lambda all_: [account(float(n), found) for n, found in enumerate(all_)])


@given(NIGHTS)
def test_an_account_is_read_as_it_was_written(nights: list[Account]) -> None:
    assert [from_json(to_json(one)) for one in nights] == nights


@given(NIGHTS, st.randoms())
def test_all_nights_are_told_once_in_whatever_order_they_are_found(
    nights: list[Account], chance: random.Random
) -> None:
    mixed = list(nights)
    chance.shuffle(mixed)
    told = whole(mixed)
    assert told == whole(nights)
    if told is None:
        assert nights == []
        return
    plan, left = told
    keys = [one.candidate.key for one in plan.judged]
    assert len(keys) == len(set(keys))
    assert set(keys) == {one.key for night in nights for one in night.plan.candidates}
    last = {one.candidate.key: one for night in nights for one in night.plan.judged}
    assert {one.candidate.key: one for one in plan.judged} == last
    assert plan.processed == sum(night.plan.processed for night in nights)
    assert (len(plan.skipped), len(left)) == (len(nights), len(nights))
    assert [step.extra["needs"] for step in plan.steps if "needs" in step.extra] == [2 * n for n in range(len(nights))]


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"version": 2}', b'{"version": 1, "plan": {}}', b"\xff"])
def test_what_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_json(data)
