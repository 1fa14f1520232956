"""Two runs compared: on the same questions, with what chance would do, and whatever another version wrote."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.prove import history


def run(hits: dict[str, int | None], **more: Any) -> dict[str, Any]:
    questions = {
        key: {"kind": "find", "rank": rank, "passed": rank is not None and rank <= 3, "silent": False}
        for key, rank in hits.items()
    }
    return {"at": "2026-11-30T10:00:00Z", "version": "1", "model": "m", "only": None, "questions": questions, **more}


def figure(record: dict[str, Any], last: dict[str, Any] | None, name: str = "hit@3") -> dict[str, Any]:
    [row] = [row for row in history.rows(record, last) if row["name"] == name]
    return row


def test_a_share_with_its_interval_and_no_last_run() -> None:
    row = figure(run({str(i): 1 if i < 24 else None for i in range(30)}), None)
    assert (row["k"], row["n"], row["value"], row["last"]) == (24, 30, 0.8, None)
    assert (row["low"], row["high"]) == pytest.approx((0.627, 0.905), abs=1e-3)


def test_ranks_count_by_place() -> None:
    record = run({"a": 1, "b": 3, "c": 10, "d": 11, "e": None})
    assert [figure(record, None, f"hit@{k}")["k"] for k in (1, 3, 10)] == [1, 2, 3]


def test_six_gained_and_none_lost_is_better_and_five_are_not() -> None:
    keys = [str(i) for i in range(10)]
    good = run(dict.fromkeys(keys, 1))
    for moved, verdict in ((5, "no difference"), (6, "better")):
        bad = run({key: None if i < moved else 1 for i, key in enumerate(keys)})
        row = figure(good, bad)["last"]
        assert (row["gained"], row["lost"], row["same"], row["verdict"]) == (moved, 0, 10, verdict)
        assert figure(bad, good)["last"]["verdict"] == {"better": "worse"}.get(verdict, verdict)


def test_only_the_same_questions_are_compared() -> None:
    now = run({"a": 1, "b": None, "c": 1})
    last = run({"b": None, "c": 1, **{f"x{i}": None for i in range(20)}})
    row = figure(now, last)["last"]
    assert (row["same"], row["gained"], row["lost"], row["verdict"]) == (2, 0, 0, "no difference")


def test_without_a_question_in_common_the_counts_are_compared() -> None:
    now, last = run({f"a{i}": 1 for i in range(20)}), run({f"b{i}": None for i in range(20)})
    row = figure(now, last)["last"]
    assert (row["same"], row["gained"], row["verdict"]) == (0, None, "better")


def test_less_is_better_where_it_is() -> None:
    now, last = run({}, counts={"pollution": [0, 100]}), run({}, counts={"pollution": [30, 100]})
    assert figure(now, last, "pollution")["last"]["verdict"] == "better"
    assert figure(last, now, "pollution")["last"]["verdict"] == "worse"


def test_what_went_right_before_and_does_not_now_is_named() -> None:
    now = run({"a": None, "b": 1}, planted={"p": {"detected": False, "handled": True}})
    last = run({"a": 1, "b": None}, planted={"p": {"detected": True, "handled": True}})
    assert history.newly_failed(now, last) == {"a", "p"}
    assert history.newly_failed(now, None) == set()


def test_the_last_run_is_of_the_same_part() -> None:
    whole, part = run({}), run({}, only="planted")
    assert history.before([whole, part], None) is whole
    assert history.before([whole, part], "planted") is part
    assert history.before([part], None) is None
    assert history.differences(run({}, model="n"), whole) == ["model"]


def test_the_id_follows_from_the_rest() -> None:
    assert history.identified(run({})) == history.identified(run({}))
    assert history.identified(run({}))["id"] != history.identified(run({"a": 1}))["id"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
names = st.sampled_from(["questions", "planted", "counts", "at", "only", "model", "version"])
odd = st.dictionaries(
    names, json_values | st.dictionaries(st.sampled_from(["pollution", "a"]), json_values), max_size=6
)


@given(odd, odd)
def test_a_line_of_another_version_is_never_an_error(record: dict[str, Any], last: dict[str, Any]) -> None:
    for row in history.rows(record, last):
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
    history.newly_failed(record, last)
    assert len(history.trend([record, last])) == 2
    history.before([record, last], None)
