"""The rules judge: what becomes of a candidate, by its relation to the core and by what bears it out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.sleep.consolidate import Place, Rules, insight_of
from ebbtide.sleep.likeness import BESIDE, Likeness
from ebbtide.sleep.nights import Candidate, Core, Judged, Quote
from ebbtide.sleep.own_reasons import bare, how_of, passing, stated, type_of, why_of
from night_cases import CANDIDATES, FOLDER, FRIDAY, SPLIT, SPLIT_TOO, TODAY, candidate, core, memory


def judged(*candidates: Candidate, core_: Core | None = None, **more: Any) -> list[Judged]:
    return Rules(TODAY, FOLDER, **more)(candidates, core_ or Core())


def place(text: str, note: str, day: str, task: str) -> Place:
    return Place(Quote(note, 3, text, day), task)


# --- what it takes to be promoted -------------------------------------------------------------------------------------


def test_a_single_event_waits() -> None:
    [one] = judged(candidate(SPLIT))
    assert (one.decision, one.relation, one.path) == ("release", "new", "")
    assert one.until == "2026-04-09"
    assert one.insight == SPLIT
    assert "1 of 2 days" in one.reasoning


def test_two_days_two_notes_two_tasks_promote_once_with_both_as_evidence() -> None:
    work, garden = candidate(SPLIT, salience=0.9), candidate(SPLIT_TOO, "Garden/2026-03-07.md", "2026-03-07")
    first, second = judged(work, garden)
    assert first.decision == "promote"
    assert first.path.startswith("Memory/core/")
    assert [(q.note, q.day) for q in first.places] == [(garden.note, "2026-03-07"), (work.note, "2026-03-09")]
    assert (second.decision, second.relation, second.target) == ("associate", "redundant", first.path)


@pytest.mark.parametrize(
    ("note", "day"),
    [("Garden/x.md", "2026-03-09"), ("Work/x.md", "2026-03-07"), ("Work/2026-03-09.md", "2026-03-07")],
    ids=["the same day", "the same task", "the same note"],
)
def test_less_than_that_does_not(note: str, day: str) -> None:
    heard = [place(SPLIT_TOO, note, day, note.partition("/")[0])]
    [one] = judged(candidate(SPLIT), earlier=heard)
    assert one.decision == "release"
    assert one.until


def test_what_waited_and_what_facts_say_bears_it_out() -> None:
    [by_earlier] = judged(candidate(SPLIT), earlier=[place(SPLIT_TOO, "Garden/x.md", "2026-02-20", "Garden")])
    [by_facts] = judged(candidate(SPLIT), heard=lambda _: [place(SPLIT_TOO, "Garden/x.md", "2025-02-20", "Garden")])
    assert by_earlier.decision == by_facts.decision == "promote"
    [unlike] = judged(candidate(SPLIT), earlier=[place("Tomatoes need light.", "Garden/x.md", "2026-02-20", "Garden")])
    assert unlike.decision == "release"


@pytest.mark.parametrize(
    "said",
    [
        "From now on we never deploy on a Friday.",
        "Rule: a backup is only one once it was restored.",
        "原则：开会前必须先写一页纸。",
    ],
)
def test_a_persons_explicit_word_is_enough(said: str) -> None:
    [one] = judged(candidate(said))
    assert one.decision == "promote"
    assert one.insight == said


def test_a_machine_is_no_evidence() -> None:
    [alone] = judged(candidate("From now on we never deploy on a Friday.", machine=True))
    assert (alone.decision, alone.insight, alone.until) == ("release", "", "")
    person, machine = judged(candidate(SPLIT), candidate(SPLIT_TOO, "Garden/x.md", "2026-03-07", machine=True))
    assert person.decision == machine.decision == "release"


def test_what_cannot_stand_alone_is_no_insight() -> None:
    assert insight_of(candidate("It was much better.\nWhy?\n" + SPLIT)) == (
        SPLIT,
        Quote("Work/2026-03-09.md", 5, SPLIT),
    )
    [one] = judged(candidate("It was much better.\nWhy?"))
    assert (one.decision, one.until) == ("release", "")


# --- its relation to the core -----------------------------------------------------------------------------------------


def test_what_the_core_says_gets_a_dated_line_there_and_no_twin() -> None:
    known = memory(FRIDAY)
    [one] = judged(candidate("We should never deploy the service on a Friday evening."), core_=core(known))
    assert (one.decision, one.relation, one.target) == ("associate", "redundant", known.path)
    assert one.duplication >= 0.7


def test_a_place_that_is_cited_already_is_not_cited_again() -> None:
    known = memory(FRIDAY, notes=frozenset(["Work/2026-03-09.md"]))
    [one] = judged(candidate(FRIDAY), core_=core(known))
    assert (one.decision, one.target) == ("release", None)


def test_what_adds_becomes_a_footnote() -> None:
    known = memory("Split the work into small pieces of one day before planning.")
    [one] = judged(
        candidate("Pieces of the work that take longer than one day before planning are never finished in time."),
        core_=core(known),
    )
    assert (one.decision, one.relation, one.target) == ("compress", "complements", known.path)


@pytest.mark.parametrize(
    "said", ["Deploy the service on a Friday evening.", "Always deploy the service on a Friday evening."]
)
def test_what_contradicts_the_core_is_shown_beside_it_and_never_promoted(said: str) -> None:
    known = memory(FRIDAY)
    more = [place(said, "Garden/x.md", "2026-02-20", "Garden")]
    [one] = judged(candidate(said), core_=core(known), earlier=more)
    assert (one.relation, one.decision, one.target) == ("opposed", "associate", known.path)


def test_numbers_that_differ_are_no_duplicate() -> None:
    known = memory("The budget for the garden is 300 EUR a year.")
    [one] = judged(candidate("The budget for the garden is 500 EUR a year."), core_=core(known))
    assert one.relation in ("opposed", "corrects")


def test_a_change_that_is_stated_takes_the_place_of_the_old_one() -> None:
    known = memory("Deploy the service every Friday evening.")
    [one] = judged(candidate("From now on we no longer deploy the service every Friday evening."), core_=core(known))
    assert (one.decision, one.relation, one.target) == ("promote", "corrects", known.path)
    assert known.path not in one.links


def test_a_memory_that_is_a_persons_own_is_not_written_in() -> None:
    known = memory(FRIDAY, ours=False)
    [one] = judged(candidate(FRIDAY), core_=core(known))
    assert (one.decision, one.relation, one.target) == ("release", "redundant", None)
    [against] = judged(candidate("Deploy the service on a Friday evening."), core_=core(known))
    assert against.decision == "release"
    assert against.until


def test_it_is_linked_with_up_to_three_that_are_near() -> None:
    near = [
        memory(f"Estimates of the team get better when we talk about {word} first.", word)
        for word in ("risk", "cost", "time", "scope")
    ]
    far = memory("Tomatoes need light.", "Tomatoes")
    [one] = judged(candidate("Rule: estimates of the team are a range, not a number."), core_=core(*near, far))
    assert one.decision == "promote"
    assert 2 <= len(one.links) <= 3
    assert far.path not in one.links


# --- among themselves -------------------------------------------------------------------------------------------------


def test_two_that_contradict_each_other_are_both_left_open() -> None:
    yes = candidate("From now on we always write the report on Monday morning.", "A/x.md", salience=0.9)
    no = candidate("From now on we never write the report on Monday morning.", "B/x.md", "2026-03-08")
    for one in judged(yes, no):
        assert (one.decision, one.relation) == ("release", "opposed")
        assert one.until


def test_two_that_are_called_alike_get_two_names() -> None:
    head = "As a rule we write the decisions of each long team meeting down"
    log = candidate(f"{head} in a log that stands beside the door of the kitchen.", "A/x.md")
    grounds = candidate(f"{head} with grounds, doubts, costs and whoever voted against them.", "B/x.md")
    one, two = judged(log, grounds)
    assert one.decision == two.decision == "promote"
    assert one.path.lower() != two.path.lower()
    assert two.path.removesuffix(".md").startswith(one.path.removesuffix(".md"))


# --- what is private stays so -----------------------------------------------------------------------------------------


def test_what_is_private_is_added_to_nothing_that_is_not() -> None:
    known = memory(FRIDAY)
    [one] = judged(candidate(FRIDAY, private=True), core_=core(known))
    assert (one.decision, one.target) == ("release", None)
    kept = memory(FRIDAY, private=True)
    [two] = judged(candidate(FRIDAY, private=True), core_=core(kept))
    assert (two.decision, two.target) == ("associate", kept.path)


def test_private_places_are_named_only_where_they_are_needed() -> None:
    secret = Place(Quote("Private/x.md", 3, SPLIT_TOO, "2026-02-20", True), "Private")
    public = [place(SPLIT_TOO, "Garden/x.md", "2026-02-21", "Garden")]
    [open_] = judged(candidate(SPLIT), earlier=[secret, *public])
    assert "Private/x.md" not in {quote.note for quote in open_.places}
    [closed] = judged(candidate(SPLIT), earlier=[secret])
    assert closed.decision == "promote"
    assert any(quote.private for quote in closed.places)


# --- their own words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("We stopped it because nobody reads it. Really.", "nobody reads it"),
        ("因为没有草稿，所以会议总是跑题。", "没有草稿"),
        ("We stopped it.", ""),
        ("会议总是跑题。", ""),
    ],
)
def test_grounds(said: str, why: str) -> None:
    assert why_of([said]) == why


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("Before a release, ask who stays late.", "Before a release, ask who stays late"),
        ("下次开会前要先写一页纸。", "下次开会前要先写一页纸"),
        ("When I was in Paris, I should have called.", ""),
        ("The tea was good.", ""),
    ],
)
def test_when_to_do_what(said: str, how: str) -> None:
    assert how_of([said]) == how


def test_sorts() -> None:
    assert type_of("We prefer tea.") == "preference"
    assert type_of("Never deploy on a Friday.") == type_of("开会前必须写一页纸") == "principle"
    assert type_of("Plans fail because nobody looks at them.") == "model"
    assert type_of("The team is tired in March.") == "pattern"


def test_what_is_compared_is_the_claim() -> None:
    assert bare("I finally realised that tea helps, because it is warm.") == "tea helps"
    assert bare("我发现早上写作效率最高") == "早上写作效率最高"
    assert bare("I see.") == "I see."
    assert not stated("We deployed on a Friday.")


@given(CANDIDATES, st.booleans())
def test_whatever_comes_every_candidate_is_decided_once_and_nothing_is_invented(
    some: list[Candidate], ours: bool
) -> None:
    known = core(memory(FRIDAY, ours=ours))
    found = judged(*some, core_=known)
    assert [one.candidate for one in found] == some
    assert found == judged(*some, core_=known)
    paths = [one.path for one in found if one.decision == "promote"]
    assert len({path.lower() for path in paths}) == len(paths)
    for one in found:
        said = " ".join(quote.text for quote in one.candidate.quotes)
        assert one.reasoning
        said += " ".join(quote.text for quote in one.places)
        assert all(part in said for part in (one.insight, one.why, one.how))
        assert bool(one.path) == (one.decision == "promote")
        assert not one.until or one.until > TODAY
        if one.decision in ("associate", "compress"):
            assert one.target in {*paths, *(m.path for m in known.memories if m.ours)}
        if one.decision == "promote":
            assert not one.candidate.machine
            assert one.candidate.note in {quote.note for quote in one.places}


@pytest.mark.parametrize(
    "text",
    [
        "Called Mira about the weekend.",
        "It rained and the tram was late.",
        "今天下雨，电车晚点了。",
        "We moved the server to the cellar.",
    ],
)
def test_what_only_happened_on_a_day_is_no_insight(text: str) -> None:
    assert passing(text)


@pytest.mark.parametrize(
    "text",
    [
        "I realised that the tram was late because of the rain.",
        "We lost a day because nobody tested the restore.",
        "Guided tours work best in small groups.",
        "这说明今天的做法不行。",
        "以后跑步一律不在晚上九点以后开始。",
        "I prefer tea in the morning.",
    ],
)
def test_what_is_marked_stated_or_grounded_is_more_than_an_event(text: str) -> None:
    assert not passing(text)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("From now on meetings never start after nine.", "From now on deploys never start after nine."),
        ("以后音乐一律不在晚上九点以后开始。", "以后跑步一律不在晚上九点以后开始。"),
        ("Next time I should plan music the evening before.", "Next time I should plan running the evening before."),
        ("下次我应该前一晚就安排好评审。", "下次我应该前一晚就安排好跑步。"),
        ("Mira prefers calls.", "Jonas prefers calls."),
    ],
)
def test_the_same_said_of_another_thing_is_neither_the_contrary_nor_the_same(a: str, b: str) -> None:
    likeness = Likeness()
    for one, two in ((a, b), (b, a)):
        share = likeness.duplication(one, two)
        assert share < BESIDE
        assert likeness.contrary(one, two, 1.0) is None
        assert likeness.apart(one, two)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("From now on we deploy on Mondays.", "From now on we deploy on Tuesdays."),
        ("Reviews happen on Mondays before lunch.", "Reviews happen on Tuesdays before lunch."),
        ("The sync server runs on Postgres.", "The sync server runs on SQLite."),
        ("Deploys never start after nine.", "Deploys never start after ten."),
    ],
)
def test_another_value_of_the_same_thing_is_the_contrary(a: str, b: str) -> None:
    likeness = Likeness()
    assert likeness.contrary(a, b, likeness.duplication(a, b)) is not None
