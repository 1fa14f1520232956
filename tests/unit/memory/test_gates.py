"""The six gates: what each refuses, which one speaks first, and that a refusal always says why in the note's language."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.gates import GATES, OUTCOMES, SURE_ENOUGH, Case, Collision, judge, trigger_by_rule
from ebbtide.memory.records import Fact
from ebbtide.memory.states import FACT_TYPES, FactType
from ebbtide.memory.worth import MOST, misshapen, unworthy


def fact(text: str = "The relay keeps thirty days of logs.", **more: Any) -> Fact:
    return Fact(
        **{
            "id": "f_1",
            "fact": text,
            "source": "Relay.md",
            "line": 3,
            "quote": text,
            "note_hash": "h",
            "type": "state",
            "recorded_at": "2026-01-01T00:00:00Z",
            "subject": "relay",
            "created_at": "2026-01-01",
            **more,
        }
    )


def case(text: str = "The relay keeps thirty days of logs.", **more: Any) -> Case:
    known = {
        key: more.pop(key) for key in ("forgotten", "stale", "generated", "collisions", "live", "lang") if key in more
    }
    return Case(fact(text, **more), **{"lang": "en", "live": True, **known})


UNWORTHY = [
    ("placeholder", "TODO"),
    ("errand", "In progress"),
    ("errand", "[ ] call the plumber"),
    ("errand", "Todo: renew the passport"),
    ("errand", "Remember to buy milk"),
    ("errand", "need to email Tomas"),
    ("errand", "待办：交电费"),
    ("errand", "记得买牛奶"),
    ("errand", "回头取快递"),
    ("pointer", "See below for the table."),
    ("pointer", "See link : then hit enter"),
    ("pointer", "as follows:"),
    ("pointer", "详见第三章的表格"),
    ("pointer", "同上面的那一条"),
    ("greeting", "Thank you so much!"),
    ("greeting", "Good morning Mira"),
    ("greeting", "大家好，我来了"),
    ("greeting", "晚安，明天见"),
    ("chat", "Ann totally agrees, Tom."),
    ("chat", "Ann 100% agree, Tom."),
    ("chat", "Emily wants to talk to you about her plans."),
    ("chat", "Jolene will keep you posted on the project."),
    ("chat", "Your support means a lot to me."),
    ("chat", "Hope you have fun in Rome!"),
    ("chat", "李雪想问你一个问题"),
    ("chat", "确实如此。"),
    ("reference", "Brandt et al. , A history of lamps"),
    ("reference", "Journal of Lamps 24.4 ( Winter , 2016 ) , 601-607"),
    ("reference", "王三. 灯的历史[M]. 北京"),
    ("question", "Why does the relay stop at night?"),
    ("question", "中继为什么会停？"),
    ("question", "有没有可能再过五年就没有纸了"),
    ("placeholder", "{{date}} written by {{author}}"),
    ("placeholder", "Owner: TBD"),
    ("placeholder", "负责人：待定"),
    ("placeholder", "Lorem ipsum dolor sit amet"),
    ("short", "ok"),
    ("short", "好的"),
    ("markup", "https://example.org/a"),
    ("markup", "[[Relay]]"),
    ("markup", "--- 12 ---"),
]
WORTHY = [
    "The relay keeps thirty days of logs.",
    "Mira agrees every change with the harbour office before it is made.",
    "We decided to drop the second relay because it lost two days of work.",
    "Never restart the importer while Tomas is working.",
    "Welcome notes are sent by the night job.",
    "List the packages with a [n]on-empty name",
    "Questions go to the help desk in room 4.",
    "Ann hopes to open a bakery in spring.",
    "The book on page 12 explains the knot.",
    "我们决定用第二种方案，因为第一种太慢。",
    "中继保留三十天的日志。",
    "何清不吃香菜。",
    "你好先生乐队成立于2019年，在杭州。",
    "回头客占了三成。",
    "记得住的密码不安全。",
    "千万不要问你的理发师该不该剪头发。",
]
VAGUE = [
    ("vague", "It was moved to the cellar.", None, True),
    ("vague", "They are stored in the red box.", None, True),
    ("vague", "This makes the import slower.", None, True),
    ("vague", "它比较慢", None, True),
    ("vague", "他也不喜欢", None, True),
    ("vague", "这导致了延迟", None, True),
    ("vague", "It takes Ann to another world.", "Ann", True),
    ("vague", "Those moments remind Ann of her aunt.", "Ann", True),
    ("vague", "Ann took that pic on a hike.", "Ann", True),
    ("relative-day", "The relay stopped yesterday.", "relay", False),
    ("relative-day", "中继昨天停了", "中继", False),
    ("cut-off", "In the series Minna is played by .", "Minna", True),
    ("cut-off", "4 , visiting ports in Florida", "VP-29", True),
    ("long", "x" * (MOST + 1), "x", True),
]
WHOLE = [
    ("The relay stopped yesterday.", "relay", True),
    ("中继昨天停了", "中继", True),
    ("Show the schedule for the next week", "schedule", False),
    ("It is important to Ann to keep the old boat.", "Ann", True),
    ("It's hard to run a bakery alone.", "Ann", True),
    ("This week Ann opened a bakery.", "Ann", True),
    ("It's Ann's birthday today (2024-05-04).", "Ann", True),
    ("其他人都走了", None, True),
    ("这样的灯不耐用", None, True),
    ("那么多的灯只有一盏亮着", None, True),
]


@pytest.mark.parametrize(("code", "text"), UNWORTHY)
def test_what_is_never_worth_keeping(code: str, text: str) -> None:
    flaw = unworthy(text)
    assert flaw is not None
    assert flaw.code == code
    verdict = judge(case(text))
    assert (verdict.outcome, verdict.gate, verdict.code) == ("refuse", "worth", code)


@pytest.mark.parametrize("text", WORTHY)
def test_what_looks_alike_and_is_kept(text: str) -> None:
    assert unworthy(text) is None
    assert judge(case(text)).outcome == "accept"


@pytest.mark.parametrize(("code", "text", "subject", "dated"), VAGUE)
def test_what_cannot_be_read_alone(code: str, text: str, subject: str | None, dated: bool) -> None:
    flaw = misshapen(text, subject=subject, dated=dated)
    assert flaw is not None
    assert flaw.code == code
    verdict = judge(case(text, subject=subject, created_at="2026-01-01" if dated else None))
    assert (verdict.outcome, verdict.gate) == ("refuse", "shape")


@pytest.mark.parametrize(("text", "subject", "dated"), WHOLE)
def test_what_can_be_read_alone(text: str, subject: str | None, dated: bool) -> None:
    assert misshapen(text, subject=subject, dated=dated) is None


def collision(ruling: Any, other: str = "f_0") -> Collision:
    return Collision(other, ruling, "number", True, "30 became 60")


ORDER = [
    ("evidence", "refuse", {"live": False}),
    ("version", "refuse", {"forgotten": True}),
    ("shape", "refuse", {"text": "It was moved, but nobody knows where to?", "subject": None}),
    ("worth", "refuse", {"text": "Where was the relay moved to?"}),
    ("trigger", "hold", {"subject": None, "heading": None}),
    ("evidence", "hold", {"origin": "derived"}),
    ("worth", "hold", {"confidence": SURE_ENOUGH - 0.1}),
    ("collision", "dispute", {"collisions": (collision("dispute"),)}),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_first_gate_with_something_to_say_decides(first: int) -> None:
    more: dict[str, Any] = {}
    for _, _, trouble in reversed(ORDER[first:]):
        more |= trouble
    verdict = judge(case(**more))
    assert (verdict.gate, verdict.outcome) == ORDER[first][:2]


@pytest.mark.parametrize(
    ("more", "outcome", "gate", "code"),
    [
        ({}, "accept", None, ""),
        ({"live": False, "source_kind": "external"}, "hold", "evidence", "external"),
        ({"generated": True}, "refuse", "evidence", "own-words"),
        ({"generated": True, "origin": "derived"}, "hold", "evidence", "concluded"),
        ({"stale": True}, "refuse", "version", "old-reading"),
        ({"stale": True, "forgotten": True}, "refuse", "version", "forgotten"),
        ({"subject": None, "heading": None, "action": "restart it"}, "accept", None, ""),
        ({"subject": None, "heading": None, "trigger": "when it stops"}, "accept", None, ""),
        ({"subject": None, "heading": "Relay"}, "accept", None, ""),
        ({"confidence": SURE_ENOUGH}, "accept", None, ""),
    ],
)
def test_what_is_known_of_a_candidate(more: dict[str, Any], outcome: str, gate: str | None, code: str) -> None:
    verdict = judge(case(**more))
    assert (verdict.outcome, verdict.gate, verdict.code) == (outcome, gate, code)


def test_a_dispute_comes_before_a_supersession_and_that_before_a_merge() -> None:
    merge, supersede, dispute = collision("merge", "f_a"), collision("supersede", "f_b"), collision("dispute", "f_c")
    again = collision("dispute", "f_0")
    verdict = judge(case(collisions=(merge, supersede, dispute, again)))
    assert (verdict.outcome, verdict.against) == ("dispute", (dispute, again))
    assert judge(case(collisions=(merge, supersede))).against == (supersede,)
    assert judge(case(collisions=(merge,))).outcome == "merge"
    assert verdict.reason == "30 became 60"


def test_a_reason_is_in_the_language_of_the_note() -> None:
    assert judge(case(live=False)).reason == "the note does not say this in these words"
    assert judge(case(live=False, lang="zh")).reason == "笔记里没有这句原话"


def test_when_a_fact_matters() -> None:
    bridge = fact(type="constraint", subject="bridge")
    assert trigger_by_rule(bridge, "en") == "when working on bridge"
    assert trigger_by_rule(replace(bridge, subject="桥"), "zh") == "处理桥时"
    assert trigger_by_rule(replace(bridge, subject=None, heading="Bridges"), "en") == "when working on Bridges"
    assert trigger_by_rule(replace(bridge, subject=None, heading=None), "en") == ""


@pytest.mark.parametrize("kind", FACT_TYPES)
def test_every_type_has_a_trigger_in_both_languages(kind: FactType) -> None:
    en, zh = (trigger_by_rule(fact(type=kind, subject="X"), lang) for lang in ("en", "zh"))
    assert "X" in en
    assert en.isascii()
    assert "X" in zh
    assert not zh.isascii()


words = st.sampled_from(
    [
        "It",
        "is",
        "the",
        "relay",
        "TODO",
        "{{",
        "}}",
        "你好",
        "它",
        "昨天",
        "？",
        "?",
        "[ ]",
        "et al",
        "\n",
        "^a",
        "agree",
        "想问你",
        "100%",
        "。",
    ]
)
texts = st.one_of(
    st.text(max_size=80), st.lists(words, max_size=12).map(" ".join), st.lists(words, max_size=12).map("".join)
)
collisions = st.lists(
    st.builds(
        Collision,
        st.sampled_from(["f_a", "f_b"]),
        st.sampled_from(["supersede", "merge", "dispute"]),
        st.just("number"),
        st.booleans(),
        st.just("differs"),
    ),
    max_size=3,
)


@given(
    text=texts,
    lang=st.sampled_from(["en", "zh"]),
    subject=st.none() | texts,
    heading=st.none() | texts,
    created_at=st.none() | st.just("2026-01-01"),
    origin=st.sampled_from(["observed", "derived"]),
    source_kind=st.sampled_from(["note", "external"]),
    confidence=st.floats(0, 1),
    kind=st.sampled_from(FACT_TYPES),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()),
    found=collisions,
)
def test_every_candidate_gets_a_verdict_and_every_refusal_a_reason(
    text: str, lang: Any, flags: tuple[bool, bool, bool, bool], found: list[Collision], kind: FactType, **more: Any
) -> None:
    live, forgotten, stale, generated = flags
    candidate = Case(fact(text, type=kind, **more), lang, live, forgotten, stale, generated, found)
    verdict = judge(candidate)
    assert verdict == judge(candidate)
    assert verdict.outcome in OUTCOMES
    assert (verdict.gate is None) == (verdict.outcome == "accept")
    assert (verdict.gate == "collision") == bool(verdict.against)
    if verdict.outcome in ("refuse", "hold"):
        assert verdict.gate in GATES
        assert verdict.code
        assert verdict.reason
        assert verdict.reason.isascii() == (lang == "en")
