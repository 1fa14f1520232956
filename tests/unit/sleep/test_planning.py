"""The plan of a night: its steps, and its JSON, which is the same for the same vault and reads back to the same plan."""

from __future__ import annotations

import pytest
from hypothesis import given

from ebbtide.memory.revisions import KINDS
from ebbtide.sleep.consolidate import Rules
from ebbtide.sleep.nights import Candidate, Core, Plan, Step
from ebbtide.sleep.planning import digest, from_json, planned, steps_from_json, steps_to_json, to_json
from night_cases import CANDIDATES, FOLDER, FRIDAY, SPLIT, SPLIT_TOO, TODAY, candidate, core, memory


def plan(*candidates: Candidate, core_: Core | None = None) -> Plan:
    known = core_ or Core()
    judged = Rules(TODAY, FOLDER)(candidates, known)
    return planned(TODAY, known, candidates, judged, 7, folder=FOLDER, new_id=lambda path: f"n_{path}")


def test_a_promotion_writes_a_file_that_was_not_there() -> None:
    found = plan(candidate(SPLIT), candidate(SPLIT_TOO, "Garden/x.md", "2026-03-07"))
    promote, associate = found.steps
    assert (promote.kind, promote.before) == ("promote", "")
    assert promote.path.startswith("core/")
    assert promote.after is not None
    assert SPLIT in promote.after
    assert promote.subjects == (f"n_{FOLDER}/{promote.path}",)
    assert (associate.kind, associate.path, associate.after) == ("associate", "", None)
    assert (associate.extra["needs"], associate.extra["object"]) == (0, promote.subjects[0])


def test_every_candidate_can_be_known_again_by_a_revision() -> None:
    some = [
        candidate(SPLIT),
        candidate(SPLIT_TOO, "Garden/x.md", "2026-03-07"),
        candidate("The shed has a new door.", "B/y.md"),
    ]
    found = plan(*some)
    named = {name for step in found.steps for name in (*step.subjects, step.extra.get("object"))}
    assert {one.key for one in some} <= named
    assert {step.kind for step in found.steps} <= set(KINDS)


def test_what_waits_keeps_what_it_waits_with() -> None:
    [step] = plan(candidate(SPLIT, private=True)).steps
    assert step.kind == "release"
    assert step.extra["until"] == "2026-04-09"
    assert (step.extra["task"], step.extra["day"], step.extra["private"]) == ("Work", "2026-03-09", True)
    assert [quote.text for quote in step.evidence] == [SPLIT]


def test_two_lines_in_one_memory_follow_each_other() -> None:
    known = memory(FRIDAY)
    first, second = plan(candidate(FRIDAY), candidate(FRIDAY, "Life/x.md"), core_=core(known)).steps
    assert (first.path, first.before) == ("core/principles/A.md", known.digest)
    assert second.before == digest(first.after)
    assert second.after is not None
    assert "[[Work/2026-03-09]]" in second.after
    assert "[[Life/x]]" in second.after


def test_a_correction_retires_the_old_memory_only_if_the_new_one_is_written() -> None:
    known = memory("Deploy the service every Friday evening.")
    new, old = plan(
        candidate("From now on we no longer deploy the service every Friday evening."), core_=core(known)
    ).steps
    assert (new.kind, old.kind) == ("promote", "supersede")
    assert old.extra["needs"] == 0
    assert old.subjects == (known.id,)
    assert old.after is not None
    assert "status: superseded" in old.after
    assert new.after is not None
    assert 'supersedes: "[[Memory/core/principles/A]]"' in new.after


@given(CANDIDATES)
def test_the_same_verdicts_give_the_same_bytes_and_read_back(some: list[Candidate]) -> None:
    known = core(memory(FRIDAY))
    found = plan(*some, core_=known)
    data = to_json(found)
    assert data == to_json(plan(*some, core_=known))
    assert to_json(from_json(data)) == data
    assert from_json(data) == found
    assert steps_from_json(steps_to_json(found.steps)) == found.steps


def test_odd_text_survives() -> None:
    found = plan(candidate("We never deploy \ud800 on \u2028 a Friday “ever”.", "B/\udcff.md"))
    assert from_json(to_json(found)) == found


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"version": 99}', b'{"version": 1, "candidates": [{}]}', b"\xff"]
)
def test_what_is_no_plan_is_told(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        from_json(data)


def test_the_core_is_named_by_its_bytes() -> None:
    one, two = memory(FRIDAY), memory("Tea.", "B")
    assert core(one, two).hash == core(two, one).hash
    assert core(one).hash != core(one, two).hash
    assert core(one).hash != core(memory(FRIDAY, digest="0")).hash


def test_steps_of_others_come_last() -> None:
    further = Step("freeze", "", "", None, ("f_1",), "nobody needed it")
    known = Core()
    found = planned(TODAY, known, (), (), 0, folder=FOLDER, new_id=str, further=[further])
    assert found.steps == (further,)
