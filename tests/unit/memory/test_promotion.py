"""What it takes until something lasts: days, notes and tasks apart, in a person's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.promotion import Sighting, promotion, task_of

MON, TUE = "2026-03-02", "2026-03-03"


@pytest.mark.parametrize(
    ("sightings", "due"),
    [
        ([], False),
        ([Sighting(MON, "a.md", "A")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(TUE, "b.md", "B")], True),
        ([Sighting(MON, "a.md", "A"), Sighting(MON, "b.md", "B"), Sighting(MON, "c.md", "C")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(TUE, "b.md", "A")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(TUE, "a.md", "B")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(None, "b.md", "B")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(TUE, "b.md", "B", "agent")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(TUE, "b.md", "B", "derived")], False),
        ([Sighting(MON, "a.md", "A"), Sighting(TUE, "b.md", "B", quoted=False)], False),
        ([Sighting(MON + "T08:00", "a.md", "A"), Sighting(MON + "T22:00", "b.md", "B")], False),
    ],
)
def test_one_event_shows_nothing(sightings: list[Sighting], due: bool) -> None:
    found = promotion(sightings)
    assert found.due is due
    assert found.reason("en")
    assert found.reason("zh")


def test_a_persons_word_is_enough_and_a_dispute_too_much() -> None:
    assert promotion([Sighting(MON, "a.md", "A")], stated=True).due
    assert not promotion([], stated=True).due
    assert not promotion([Sighting(MON, "a.md", "A"), Sighting(TUE, "b.md", "B")], disputed=True).due


SIGHTINGS = st.lists(
    st.builds(
        Sighting,
        st.sampled_from([None, MON, TUE]),
        st.sampled_from(["a.md", "b.md"]),
        st.sampled_from(["A", "B"]),
        st.sampled_from(["observed", "agent", "derived"]),
        st.booleans(),
    ),
    max_size=8,
)


@given(SIGHTINGS, SIGHTINGS)
def test_more_evidence_never_takes_back_and_machines_never_add(some: list[Sighting], more: list[Sighting]) -> None:
    before = promotion(some)
    assert promotion([*some, *more]).due or not before.due
    machines = [s for s in more if s.origin != "observed" or not s.quoted]
    assert promotion([*some, *machines]) == before
    assert promotion(reversed(some)) == before


def test_tasks() -> None:
    assert task_of("Projects/A/x.md", "Apollo", "x") == "Apollo"
    assert task_of("Projects/A/x.md", None, "x") == "A"
    assert task_of("10 项目/苔记/深/x.md", None, "x") == "苔记"
    assert task_of("Projects/x.md", None, "x") == "Projects"
    assert task_of("Life/x.md", None, "x") == "Life"
    assert task_of("x.md", None, "Tea") == "Tea"
    assert task_of("x.md", None, None) == "x.md"
