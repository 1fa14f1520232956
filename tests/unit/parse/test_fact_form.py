"""The type that only the form of a sentence tells, and what of a dialogue is picked."""

from __future__ import annotations

import pytest

from ebbtide.parse.fact_form import corrected, type_by_form
from ebbtide.parse.facts import extract
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import fold


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("event", "Carrow wrote the first timetable of the ferry."),
        ("event", "The limit was raised from 6 to 12."),
        ("event", "The record was broken in the old stadium."),
        (None, "The cave lies in a quiet valley."),
        (None, "Lamps used in halls are dim."),
        (None, "The harbour was a busy place."),
        ("relation", "Carrow is also the Vice President of the harbour board."),
        ("constraint", "装灯的时候应该先断电，别急。"),
        ("procedure", "第一步就是下载安装包。"),
        ("relation", "旧灯已经被新的感应灯取代。"),
        ("event", "时隔六年，重新用回这盏旧灯。"),
        ("event", "我买了两盏新灯。"),
        ("state", "我从小一直用这种灯。"),
        (None, "这种灯的亮度由旋钮调节。"),
    ],
)
def test_a_plain_statement(kind: str | None, text: str) -> None:
    assert type_by_form(fold(text), labelled=False) == kind


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("state", "设置同步：手机账号"),
        ("state", "Current version: 4"),
        ("event", "June 1938: the ferry received a second deck"),
        ("relation", "同类竞品：灯塔"),
        (None, "作用：照明"),
        (None, "Meaning: a small lamp"),
    ],
)
def test_a_labelled_statement(kind: str | None, text: str) -> None:
    assert type_by_form(fold(text), labelled=True) == kind


@pytest.mark.parametrize(
    ("cue", "kind", "text"),
    [
        ("preference", "definition", "定义：更倾向于眼前的利益"),
        ("definition", "relation", "Vera is the founder of the club"),
        ("procedure", "event", "我没有请过教练"),
        ("metric", "definition", "占总重0.01%以上的称为常量元素"),
        ("decision", "procedure", "如果太暗，就换成大灯"),
        ("decision", "decision", "我们换成大灯"),
        ("definition", "definition", "A lamp is a kind of light"),
    ],
)
def test_a_cue_is_set_right(cue: str, kind: str, text: str) -> None:
    assert corrected(fold(text), cue, spoken=False) == kind  # type: ignore[arg-type]  # the names of types


TALK = """---
date: 2024-03-02
speakers: ["Odile", "Tomas"]
---

**Odile**: Hey, I hope you have fun! I totally agree with you. ^t1

**Tomas**: I sold my rowing boat to a school in Halden, and next month I start as a night baker at the old mill. ^t2

**Odile**: It takes me to another world. Losing something can be really tough. ^t3

**Tomas**: Look what came in the mail! I took that pic on a hike. ^t4
"""


def test_of_a_dialogue_only_what_stands_alone_is_kept() -> None:
    facts = extract(parse_note("Talk.md", TALK))
    assert [fact.line for fact in facts] == [8]
    assert facts[0].subject == "Tomas"
    assert facts[0].quote in TALK.split("\n")[7]


def test_a_turn_that_tells_more_comes_before_a_brief_one() -> None:
    turns = [f"**Ann**: I went to shop {n}. ^a{n}\n\n**Bo**: Right. ^b{n}" for n in range(14)]
    told = (
        "**Ann**: I went to shop 99, where my aunt has sold lamps since the flood, and she showed me the blue one "
        "that my grandfather bought before he left for Halden with the ferry. ^a99"
    )
    text = "---\nspeakers: [Ann, Bo]\n---\n\n" + "\n\n".join([*turns[:12], told, *turns[12:]]) + "\n"
    facts = extract(parse_note("Shops.md", text))
    assert len(facts) <= 10
    assert any("shop 99" in fact.fact for fact in facts)


def test_a_sentence_cut_in_two_is_no_fact() -> None:
    text = "# Halden\n\nThe rink has room ( main arena for approx.\n\n4 , visiting ports in Florida and Cuba.\n"
    assert extract(parse_note("Halden.md", text)) == []
