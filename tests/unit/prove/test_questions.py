"""The file of own questions: what a line may be, what is wrong with others, and changes that leave other bytes alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.prove.questions import appended, make, marked, read_paper

GOOD: dict[str, Any] = {"id": "q1", "query": "谁修好了同步？", "kind": "find", "gold": ["People/Mara.md"]}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def test_a_question_with_everything() -> None:
    whole = {**GOOD, "kind": "must-cite", "quote": "fixed", "gold_line": 3, "answers": ["Mara"], "type": "event",
             "as_of": "2026-01-02", "scope": "People", "added": "2026-01-01", "by": "user", "later": {"x": 1}}  # fmt: skip
    [asked] = read_paper(lines(whole), "Memory/exam.jsonl").asked
    assert (asked.kind, asked.quote, asked.gold_line, asked.answers) == ("must-cite", "fixed", 3, ("Mara",))
    assert (asked.type, asked.as_of, asked.scope, asked.line) == ("event", "2026-01-02", "People", 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not a question"),
        (b"\xff\xfe", "not a question"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "not a question"),
        (lines({**GOOD, "id": ""}), "`id`"),
        (lines({**GOOD, "query": 7}), "`query`"),
        (lines({**GOOD, "kind": "essay"}), "`kind`"),
        (lines({**GOOD, "gold": []}), "`gold`"),
        (lines({**GOOD, "gold": [1]}), "`gold`"),
        (lines({**GOOD, "kind": "must-cite"}), "`quote` or `gold_line`"),
        (lines({**GOOD, "kind": "unanswerable"}), "unanswerable"),
        (lines({**GOOD, "as_of": "2026-02-30"}), "`as_of`"),
        (lines({**GOOD, "gold_line": True}), "`gold_line`"),
        (b'{"id":"a","query":"\\ud800","gold":["x"]}', "`query`"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_asked(line: bytes, reason: str) -> None:
    paper = read_paper(lines(GOOD) + line.rstrip(b"\n") + b"\n" + lines({**GOOD, "id": "q2"}), "Memory/exam.jsonl")
    assert [asked.id for asked in paper.asked] == ["q1", "q2"]
    [problem] = paper.problems
    assert (problem.path, problem.line) == ("Memory/exam.jsonl", 2)
    assert reason in problem.message
    assert problem.fix


def test_of_two_with_one_id_the_first_is_asked() -> None:
    paper = read_paper(lines(GOOD, {**GOOD, "query": "other"}), "e")
    assert [asked.query for asked in paper.asked] == [GOOD["query"]]
    assert [problem.line for problem in paper.problems] == [2]


def test_the_key_changes_with_what_is_asked_and_not_with_the_place() -> None:
    one, two, moved = (
        read_paper(data, "e").asked[-1]
        for data in (lines(GOOD), lines({**GOOD, "gold": ["Other.md"]}), b"\n\n" + lines(GOOD))
    )
    assert one.key == moved.key != two.key


def test_adding_names_what_makes_no_sense_and_what_is_there() -> None:
    record, line = make({"query": "q", "kind": "find", "gold": ["a.md"], "quote": None}, ())
    asked = read_paper(line, "e").asked
    assert [one.id for one in asked] == [record["id"]]
    assert "quote" not in record
    with pytest.raises(BadRequest, match="already"):
        make({"query": "q", "kind": "find", "gold": ["a.md"]}, asked)
    with pytest.raises(BadRequest, match="gold"):
        make({"query": "q", "kind": "find"}, ())


odd = st.binary(max_size=40).filter(lambda raw: b"\n" not in raw)


@given(st.lists(odd, max_size=5), st.lists(odd, max_size=5), st.booleans(), st.booleans())
def test_removing_and_undoing_change_one_line_and_come_back_to_the_byte(
    before: list[bytes], after: list[bytes], ends: bool, bom: bool
) -> None:
    data = b"\n".join([*before, lines(GOOD)[:-1], *after]) + (b"\n" if ends else b"")
    data = (b"\xef\xbb\xbf" if bom else b"") + data
    if [asked.id for asked in read_paper(data, "e").asked] != ["q1"]:
        return
    gone = marked(data, "q1", "2026-11-30")
    paper = read_paper(gone, "e")
    assert not paper.asked
    assert [asked.id for asked in paper.removed] == ["q1"]
    assert sum(one != other for one, other in zip(data.split(b"\n"), gone.split(b"\n"), strict=True)) == 1
    assert marked(gone, "q1", "2026-12-01", undo=True) == data


def test_what_is_not_there_cannot_be_removed_or_brought_back() -> None:
    with pytest.raises(NotFound):
        marked(lines(GOOD), "q2", "2026-11-30")
    with pytest.raises(NotFound):
        marked(lines(GOOD), "q1", "2026-11-30", undo=True)


@given(st.binary(max_size=60))
def test_a_line_is_added_behind_whatever_is_there(data: bytes) -> None:
    whole = appended(data, lines(GOOD))
    assert whole.startswith(data)
    assert whole.split(b"\n")[-2] == lines(GOOD)[:-1]
