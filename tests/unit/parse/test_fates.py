"""What became of a plan: by its properties in the spellings of users, by its own words narrowly, never by words about others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.fates import (
    FATES,
    Became,
    asked_fates,
    asks_plan,
    asks_then,
    became,
    declared,
    from_code,
    plan_frame,
)
from ebbtide.parse.note import parse_note


def fate(body: str, path: str = "Plan.md", **properties: str) -> str | None:
    head = "".join(f"{key}: {value}\n" for key, value in properties.items())
    found = became(parse_note(path, f"---\n{head}---\n{body}\n" if head else body))
    return None if found is None else found.code()


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("status", "abandoned", "dropped"), ("Status", "Dropped", "dropped"), ("状态", "已放弃", "dropped"),
        ("状态", "搁置", "dropped"), ("status", '"🚫 cancelled"', "dropped"), ("进度", "不做了", "dropped"),
        ("status", "rejected", "rejected"), ("status", '"[rejected]"', "rejected"), ("状态", "已否决", "rejected"),
        ("状态", "未采纳", "rejected"), ("status", "not adopted", "rejected"), ("状态", "被驳回", "rejected"),
        ("status", "done", "done"), ("status", '"✅ Done"', "done"), ("状态", "已上线", "done"), ("status", '"#status/done"', "done"),
        ("status", "[completed]", "done"), ("done", "true", "done"), ("abandoned", "true", "dropped"),
        ("status", "active", None), ("状态", "进行中", None), ("status", "In Progress", None), ("状态", "未完成", None),
        ("status", "draft", None), ("status", "someday", None), ("done", "false", None), ("result", "failure", None),
        ("状态", "暂停", None),
    ],
)  # fmt: skip
def test_a_property_says_it_in_the_spellings_of_users(key: str, value: str, found: str | None) -> None:
    assert fate("# Plan\n\nText.", **{key: value}) == found


def test_a_property_goes_before_words_and_a_tag_counts_as_one() -> None:
    assert fate("# Plan\n\nWe dropped this.", status="active") is None
    assert fate("# Plan\n\nWe dropped this.", status="done") == "done"
    assert fate("# Plan\n\nText. #status/abandoned") == "dropped"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("We dropped this: it cost too much.", "dropped"), ("This plan was abandoned in May.", "dropped"),
        ("Shelved, nobody had the time.", "dropped"), ("We gave up on it.", "dropped"),
        ("这个方案我们放弃了，成本太高。", "dropped"), ("人手不够，最后没做，搁置了。", "dropped"), ("本计划已作废。", "dropped"),
        ("The assistant's proposal was rejected.", "rejected"), ("Proposed by Claude; we did not adopt it.", "rejected"),
        ("这个方案没通过。", "rejected"), ("模型写的草案，会上被否决了。", "rejected"), ("助手的建议，我们没有采纳。", "rejected"),
        ("Shipped in March.", "done"), ("This project has been completed.", "done"), ("We finished this last week.", "done"),
        ("已经上线，三月收尾。", "done"), ("全部做完了。", "done"), ("该项目已于五月完成。", "done"),
        ("Status: dropped", "dropped"), ("结论：未通过", "rejected"), ("状态：已完成", "done"),
        # said of something else
        ("We dropped the idea of doing it at once; this plan is under way.", None),
        ("我们放弃了自己造轮子的想法，这份计划正在执行。", None), ("第一步已经完成，第二步在做。", None),
        ("Step one is done, step two is being worked on.", None), ("The old proposal was rejected.", None),
        ("The first batch has been delivered.", None), ("先上线，再完成验收。", None), ("原方案被否决了。", None),
        ("- done\n- dropped", None), ("> We dropped this.", None), ("Abandoned castles are on the route.", None),
        # the last word counts
        ("We dropped this. It was picked up again in June.", None), ("搁置了，后来重启了。", None),
        ("This was put on the list. We dropped this.", "dropped"),
    ],
)  # fmt: skip
def test_words_say_it_of_the_plan_as_a_whole(words: str, found: str | None) -> None:
    assert fate(f"# A plan\n\n{words}") == (found and f"{found}?")


def test_words_count_only_in_what_calls_itself_a_plan_and_only_near_its_ends() -> None:
    assert fate("# Kettle\n\nWe dropped this.", "Kettle.md") is None
    middle = "\n\n".join(["Text."] * 10)
    assert fate(f"# A plan\n\n{middle}\n\nWe dropped this.\n\n{middle}") is None
    assert fate(f"# A plan\n\n{middle}\n\nWe dropped this.") == "dropped?"


def test_what_is_done_may_hold_and_what_was_dropped_tells_of_the_past() -> None:
    def frame(status: str) -> str | None:
        return plan_frame(parse_note("a.md", f"---\nstatus: {status}\n---\n# Plan\n"))

    assert (frame("dropped"), frame("rejected"), frame("done"), frame("active")) == (
        "historical",
        "historical",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("which plan did we drop", {"dropped"}), ("哪个提案当时被否决了", {"rejected"}), ("搜索已经做完的是哪一个", {"done"}),
        ("what have we shipped", {"done"}), ("哪些方案没通过", {"rejected"}), ("what is the plan", set()), ("现在怎么做", set()),
    ],
)  # fmt: skip
def test_a_question_may_ask_for_what_ended(query: str, found: set[str]) -> None:
    assert asked_fates(query) == found


def test_a_question_may_ask_what_followed_on_something() -> None:
    assert asks_then("语音没成之后我们决定了什么？")
    assert asks_then("What did we decide after the lost counts went wrong?")
    assert not asks_then("以后怎么做")
    assert not asks_then("what are we doing about the cache")


def test_a_question_may_ask_for_a_plan() -> None:
    assert asks_plan("接下来打算怎么改")
    assert asks_plan("Which proposal do we follow?")
    assert not asks_plan("Where is the key?")


def test_a_code_is_read_as_it_was_written() -> None:
    for name in FATES:
        for said in (True, False):
            assert from_code(Became(name, said).code()) == Became(name, said)
    assert from_code(None) is from_code("") is from_code("lost?") is None


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())))
def test_any_properties_are_read(properties: dict[str, object]) -> None:
    assert declared(properties) in {*FATES, "open", None}


@given(st.text(alphabet="我们会上评审这方案没不通过已经了的 wedropthisplanwas,.;\n- "))
def test_any_body_is_read(body: str) -> None:
    assert became(parse_note("计划.md", body)) is None or fate(body, "计划.md") in {f"{name}?" for name in FATES}


@pytest.mark.parametrize(
    "odd", ["评审会上", "我们最后", "已都全部", "the plan ", "we later ", "以后之后", "没有被", "not never "]
)
def test_no_line_however_odd_takes_steps_without_end(odd: str) -> None:
    """A pattern that tried every way to read this would not come back at all."""
    assert fate(f"# 计划 plan\n\n{odd * 5000}否决x") is None
    assert fate(f"# 计划 plan\n\n{odd * 28}x") is None


def test_what_tells_of_one_day_is_no_plan() -> None:
    assert fate("# Plan\n\nText.", status="done", type="incident") is None
    assert fate("# Plan of the day\n\nWe dropped this.", "2026-03-01.md") is None
    assert declared({"type": "sprint", "status": "rejected"}) is None
