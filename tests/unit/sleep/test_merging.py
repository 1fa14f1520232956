"""Which core memories say the same: rules, whatever the order they come in, and what their files become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.parse.note import parse_note
from ebbtide.sleep.core_note import EVIDENCE_AT_MOST, absorbed, claim_line, claim_of, retired, with_footnote, with_place
from ebbtide.sleep.likeness import Likeness
from ebbtide.sleep.merging import (
    MERGES,
    Known,
    Merge,
    before,
    between,
    claims,
    merges,
    proposals,
    proposed,
    steps,
    taken_back,
    untouched,
)
from ebbtide.sleep.nights import CoreMemory, Quote
from ebbtide.sleep.planning import digest, from_json, steps_from_json, steps_to_json
from night_cases import FOLDER, FRIDAY, SPLIT, SPLIT_TOO, SPLIT_ZH, memory

LEAST = 0.75
SAID = (
    SPLIT,
    SPLIT_TOO,
    SPLIT_ZH,
    FRIDAY,
    "Never deploy the service on Friday evenings.",
    "Deploy the service on a Friday evening.",
    "Reviews get better once we split the work before planning.",
    "Split the work before planning.",
    "开会前先写一页纸，讨论会快一半。",
)


def known(claim: str, name: str = "A", type_: str = "pattern", **more: Any) -> Known:
    names = {"own", "places", "confirmed", "scope", "disputed"}
    own = {key: more.pop(key) for key in names & more.keys()}
    path = f"{FOLDER}/core/patterns/{name}.md"
    return Known(memory(claim, name, type=type_, path=path, **more), **own)


def which(a: Known, b: Known) -> str | None:
    """The name of the one that is merged away."""
    found = between(a, b, Likeness(), LEAST)
    assert found == between(b, a, Likeness(), LEAST)
    return None if found is None else found.covered.title


# --- which ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"type_": "principle"}, {"places": 9, "confirmed": 9}),
        ({"type_": "model", "day": "2026-02-01"}, {"day": "2026-01-01"}),
        ({"places": 3, "day": "2026-02-01"}, {"places": 2, "day": "2026-01-01"}),
        ({"confirmed": 1, "day": "2026-02-01"}, {"day": "2026-01-01"}),
        ({"day": "2026-01-01"}, {"day": "2026-02-01"}),
        ({"own": True}, {"type_": "principle", "places": 9}),
        ({"ours": False, "own": True}, {}),
        ({}, {}),
    ],
)
def test_the_sharper_the_better_borne_out_the_older_one_stays(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert which(known(SPLIT, "A", **a), known(SPLIT_TOO, "B", **b)) == "B"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((FRIDAY,), ("Deploy the service on a Friday evening.",)),
        ((SPLIT,), ("Reviews get better once we split the work before planning.",)),
        ((SPLIT,), (FRIDAY,)),
        (("跑步需要上午一段安静的时间。",), ("评审需要上午一段安静的时间。",)),
        ((SPLIT, {"lang": "en"}), (SPLIT_TOO, {"lang": "zh"})),
        ((SPLIT, {"private": True}), (SPLIT_TOO,)),
        ((SPLIT, {"scope": "user"}), (SPLIT_TOO, {"scope": "project\0delta"})),
        ((SPLIT, {"own": True}), (SPLIT_TOO, {"own": True})),
        ((SPLIT,), (SPLIT_TOO, {"ours": False, "day": "2026-03-01"})),
        ((SPLIT,), (SPLIT_TOO, {"disputed": True, "day": "2026-03-01"})),
    ],
)
def test_never(a: tuple[Any, ...], b: tuple[Any, ...]) -> None:
    one, two = (known(case[0], name, **(case[1] if len(case) > 1 else {})) for case, name in ((a, "A"), (b, "B")))
    assert which(one, two) is None


def test_a_principle_covers_a_pattern_that_has_its_words_and_never_the_other_way_round() -> None:
    short, long = "Split the work before planning.", SPLIT
    found = between(known(short, "A", "principle"), known(long, "B", places=9), Likeness(), LEAST)
    assert found is not None
    assert (found.covered.title, found.covers) == ("B", True)
    assert which(known(short, "A"), known(long, "B", "principle")) is None
    assert which(known(short, "A", "principle"), known(long, "B", "model")) is None


KNOWN = st.lists(
    st.builds(
        known,
        st.sampled_from(SAID),
        st.sampled_from([*"ABCDEFGH"]),
        st.sampled_from(["pattern", "principle", "model"]),
        own=st.booleans(),
        private=st.booleans(),
        places=st.integers(0, 3),
        confirmed=st.integers(0, 2),
        day=st.sampled_from(["2026-01-06", "2026-02-01", ""]),
    ),
    max_size=6,
    unique_by=lambda one: one.memory.path,
)


@settings(max_examples=60, deadline=None)
@given(KNOWN, st.randoms(use_true_random=False), st.integers(0, 4))
def test_the_same_whatever_the_order_and_each_is_merged_away_once(all_: list[Known], chance: Any, most: int) -> None:
    found = merges(all_, Likeness(), LEAST, most)
    mixed = list(all_)
    chance.shuffle(mixed)
    assert merges(mixed, Likeness(), LEAST, most) == found
    assert len(found) <= most
    gone, stays = [one.covered.path for one in found], {one.kept.path for one in found}
    assert len(set(gone)) == len(gone)
    assert not set(gone) & stays
    by_path = {one.memory.path: one for one in all_}
    for one in found:
        assert not by_path[one.covered.path].own
        assert one.covered.private == one.kept.private
    likeness = Likeness()
    for one in found:
        assert likeness.contrary(one.kept.claim, one.covered.claim, one.share) is None
    more = merges(all_, Likeness(), LEAST, 100)
    assert more[: len(found)] == found
    assert merges(all_, Likeness(), LEAST, 100, lambda one: one in more) != more or not more


@settings(max_examples=100, deadline=None)
@given(KNOWN, st.sampled_from([0.3, 0.5, 0.75, 0.95]), st.booleans())
def test_no_pair_is_missed_though_not_each_is_looked_at(all_: list[Known], least: float, model: bool) -> None:
    def near(a: str, b: str) -> float:
        return 0.7 if a[:1] == b[:1] else 0.1

    def close(texts: Sequence[str], cosine: float, _check: Callable[[], None]) -> list[tuple[int, int]]:
        both = combinations(range(len(texts)), 2)
        return [(n, m) for n, m in both if near(texts[n], texts[m]) >= cosine]

    likeness = Likeness(near, close) if model else Likeness()
    listed = sorted(all_, key=lambda one: one.memory.path)
    every = [found for a, b in combinations(listed, 2) if (found := between(a, b, likeness, least)) is not None]
    looked: list[Merge] = []

    def leave(one: Merge) -> bool:
        looked.append(one)
        return False

    merges(all_, likeness, least, 100, leave)
    assert looked == every


def test_a_look_stops_when_it_is_told_to_and_looks_at_few_pairs() -> None:
    names = ["".join(pair) for pair in product("bdfgkmprtz", repeat=2)]
    topics = [f"{w}{n}ox opens ya{n}or and be{n}ul to la{n}im." for n in names for w in ("do", "ga", "ha")]
    seen: list[tuple[str, str]] = []

    class Counting(Likeness):
        def alike(self, a: str, b: str) -> float:
            seen.append((a, b))
            return Likeness.alike(self, a, b)

    all_ = [known(topic, f"N{n:03d}") for n, topic in enumerate(topics)]
    merges(all_, Counting(), LEAST, 100)
    assert len(seen) < len(topics) * 5

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        merges(all_, Likeness(), LEAST, 100, check=stop)


# --- a person's hand --------------------------------------------------------------------------------------------------


def write(ident: str, before_: str, after: str, **more: Any) -> dict[str, Any]:
    change = {"path": "core/x.md", "field": "content", "before": before_ or None, "after": after or None}
    return {"id": ident, "at": f"2026-01-0{ident[-1]}T00:00:00Z", "kind": "associate", "changes": [change], **more}


def test_a_file_is_untouched_as_long_as_every_write_found_what_the_last_one_left() -> None:
    first, second = write("r1", "", "a"), write("r2", "a", "b")
    assert untouched([first, second], "core/x.md", "b")
    assert not untouched([first, second], "core/x.md", "c"), "edited since"
    assert not untouched([first, write("r2", "m", "b")], "core/x.md", "b"), "edited in between, and written on"
    assert not untouched([write("r2", "m", "b")], "core/x.md", "b"), "it was a person's from the start"
    assert not untouched([first], "core/y.md", "a"), "renamed"
    assert not untouched([], "core/x.md", "")
    undo = {"id": "r3", "at": "2026-01-03T00:00:00Z", "kind": "restore", "undoes": "r2", "changes": []}
    assert untouched([first, second, undo], "core/x.md", "a")
    assert untouched([first, second, undo, write("r4", "a", "d")], "core/x.md", "d")


# --- proposals --------------------------------------------------------------------------------------------------------


def merge() -> Merge:
    return Merge(memory(SPLIT_TOO, "Kept"), memory(SPLIT, "Covered"), 0.9)


def recorded(ident: str, at: str, step: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": ident,
        "at": at,
        "kind": step.kind,
        "subjects": list(step.subjects),
        "why": step.why,
        **step.extra,
        **more,
    }


def test_a_proposal_is_found_again_and_told_from_one_about_other_words() -> None:
    one = merge()
    step = proposed(one, "en")
    assert (step.path, step.kind) == ("", "associate")
    told = [
        recorded("r1", "2026-01-01T00:00:00Z", step),
        {"id": "r2", "at": "2026-01-02T00:00:00Z", "subjects": [MERGES]},
    ]
    [found] = proposals(told)
    assert (found.covered, found.kept, found.why) == ("n_Covered", "n_Kept", "says what “Kept” says (90%)")
    assert before(one, [found]) == found
    assert before(Merge(one.covered, one.kept, 0.9), [found]) == found
    assert before(replace(one, kept=replace(one.kept, claim="Something else.")), [found]) is None
    undo = {"id": "r3", "at": "2026-01-03T00:00:00Z", "kind": "restore", "undoes": "r1"}
    assert proposals([*told, undo]) == []


def test_what_a_person_took_back_alone_is_not_done_again() -> None:
    one = merge()
    [step] = steps([one], FOLDER, "en")
    done = recorded("r1", "2026-01-01T00:00:00Z", step, part_of="r0")
    lead = {"id": "r0", "at": "2026-01-01T00:00:00Z", "kind": "release", "subjects": ["night_2026-01-01"]}

    def undo(of: str, ident: str) -> dict[str, Any]:
        return {"id": ident, "at": "2026-01-02T00:00:00Z", "kind": "restore", "subjects": [], "undoes": of}

    assert not taken_back(one, [lead, done])
    assert taken_back(one, [lead, done, undo("r1", "r2")])
    assert not taken_back(one, [lead, done, undo("r0", "r2")]), "with the whole night"
    assert not taken_back(one, [lead, done, undo("r1", "r2"), undo("r2", "r3")]), "and brought back"
    other = replace(one, covered=replace(one.covered, claim="Something else."))
    assert not taken_back(other, [lead, done, undo("r1", "r2")])


# --- files ------------------------------------------------------------------------------------------------------------


def full(name: str, claim: str, places: int) -> CoreMemory:
    found = memory(claim, name)
    text = found.text
    for n in range(places):
        text = with_place(text, "Evidence", Quote(f"{name}/{n}.md", 3, claim, "2026-02-01"), "2026-02-01")
    return replace(found, text=text, digest=digest(text))


def test_the_steps_change_both_files_or_none_and_survive_json() -> None:
    kept, covered, third = full("Kept", SPLIT_TOO, 1), full("Covered", SPLIT, 2), full("Third", SPLIT, 0)
    found = steps([Merge(kept, covered, 0.9), Merge(kept, third, 0.8)], FOLDER, "zh")
    assert [(step.kind, step.path, step.subjects) for step in found] == [
        ("merge", "core/principles/Covered.md", ("n_Covered",)),
        ("merge", "core/principles/Third.md", ("n_Third",)),
    ]
    assert steps_from_json(steps_to_json(found)) == tuple(found)
    first, second = (step.second for step in found)
    assert first is not None
    assert second is not None
    assert (first[0], first[1]) == ("core/principles/Kept.md", kept.digest)
    assert second[1] == digest(first[2]), "each begins where the one before has left it"
    note = parse_note(kept.path, second[2])
    assert note.problems == ()
    assert {"Memory/core/principles/Covered", "Memory/core/principles/Third"} <= {link.path for link in note.links}
    assert claim_of(second[2], "") == claim_of(kept.text, "")
    assert found[0].after is not None
    gone = parse_note(covered.path, found[0].after).properties
    assert (gone["status"], gone["superseded_by"]) == ("merged", "[[Memory/core/principles/Kept]]")
    [own] = steps([Merge(replace(kept, ours=False), covered, 0.9)], FOLDER, "en")
    assert own.second is None, "a person's own file is never written"


@given(st.integers(0, 14), st.integers(0, 14), st.booleans())
@settings(max_examples=30, deadline=None)
def test_what_is_taken_over_has_bounds_and_changes_nothing_else(mine: int, theirs: int, windows: bool) -> None:
    kept, covered = full("Kept", SPLIT_TOO, mine), full("Covered", SPLIT, theirs)
    covered = replace(covered, text=with_footnote(covered.text, Quote("Foot/note.md", 3, "Also true.", "2026-02-02")))
    text = kept.text.replace("\n", "\r\n") if windows else kept.text
    after = absorbed(text, covered)
    assert absorbed(after, covered) == after, "once is enough"
    lines = text.split("\r\n" if windows else "\n")
    now = after.split("\r\n" if windows else "\n")
    assert [line for line in now if line in lines][: len(lines)] == [line for line in lines if line in now]
    items = sum(line.startswith("- ") for line in now)
    assert items <= max(EVIDENCE_AT_MOST, sum(line.startswith("- ") for line in lines))
    assert ("[[Memory/core/principles/Covered]]" in after) == (mine + 1 < EVIDENCE_AT_MOST)
    assert now[claim_line(after) - 1] == SPLIT_TOO


def test_what_it_was_linked_to_goes_along_up_to_three() -> None:
    kept = memory(SPLIT_TOO, "Kept")
    covered = memory(SPLIT, "Covered")
    links = ", ".join(f"[[Memory/core/models/{n}]]" for n in range(5))
    covered = replace(covered, text=covered.text + f"\n**Related:** {links}\n")
    after = absorbed(kept.text, covered)
    assert after.endswith("\n**Related:** " + ", ".join(f"[[Memory/core/models/{n}]]" for n in range(3)) + "\n")
    assert absorbed(after, covered) == after
    own = kept.text + "\n**Related:** [[Mine]], [[Memory/core/models/1]]\n"
    assert absorbed(own, covered).endswith(
        "**Related:** [[Mine]], [[Memory/core/models/1]], [[Memory/core/models/0]]\n"
    )


def test_it_says_in_its_file_that_it_was_merged() -> None:
    text = memory(SPLIT).text
    assert "status: merged" in retired(text, "Memory/core/patterns/B.md", "merged")
    assert retired("No properties.\n", "B.md", "merged") == "No properties.\n"


def test_claims_name_what_both_say() -> None:
    one = merge()
    assert claims(one) == claims(Merge(one.covered, one.kept, 0.1))
    assert claims(replace(one, kept=replace(one.kept, claim="Else."))) != claims(one)


def test_a_plan_without_second_files_is_still_read() -> None:
    with pytest.raises(ValueError, match="version"):
        from_json(b'{"version": 0}')
    old = steps_to_json(steps([merge()], FOLDER, "en")).replace(b'"second": [', b'"unknown": [')
    assert steps_from_json(old)[0].second is None
