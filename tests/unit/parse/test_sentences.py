"""Sentence boundaries in Chinese, English and both."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.sentences import sentences

CASES = [
    ("他说：“我去。”然后走了。", ["他说：“我去。”", "然后走了。"]),
    ("版本是 2.0；不是 3.1！真的……好吧", ["版本是 2.0；", "不是 3.1！", "真的……好吧"]),
    ("用 Node.js 18。再装依赖。", ["用 Node.js 18。", "再装依赖。"]),
    ("Mr. Smith paid 3.50 dollars, e.g. for tea. He left.", ["Mr. Smith paid 3.50 dollars, e.g. for tea.", "He left."]),
    ("See https://a.b/c?x=1. Done!", ["See https://a.b/c?x=1.", "Done!"]),
    ('Wait... what? "Yes." He said... No.', ["Wait... what?", '"Yes."', "He said...", "No."]),
    ("I met J. K. Rowling in the U.S. in May.", ["I met J. K. Rowling in the U.S. in May."]),
    ("1. First thing. Second.\n2. Another", ["First thing.", "Second.", "Another"]),
    ("- [ ] todo here\n> quoted text. more", ["todo here", "quoted text.", "more"]),
    ("我昨天去了北京\n今天回来了，\n很累。", ["我昨天去了北京", "今天回来了，\n很累。"]),
    ("`a. B` and [[A. B]] stay whole. Next.", ["`a. B` and [[A. B]] stay whole.", "Next."]),
    ("The answer is No. I did not. See No. 5.", ["The answer is No.", "I did not.", "See No. 5."]),
    ("完成.然后 ok. 然后继续", ["完成.", "然后 ok.", "然后继续"]),
    (
        "This hard-wrapped line was broken by an editor and not by its\nwriter. Next.",
        ["This hard-wrapped line was broken by an editor and not by its\nwriter.", "Next."],
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_cases(text: str, expected: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == expected


@given(st.text(alphabet=st.sampled_from('ab AB.。！!?？…\n"”’)-*>1研究，,；:`[](https://x)'), max_size=120))
def test_spans_are_ordered_and_cover_every_word(text: str) -> None:
    spans = sentences(text)
    last = 0
    for a, b in spans:
        assert last <= a < b <= len(text)
        assert not text[a].isspace() and not text[b - 1].isspace()
        last = b
    inside = {i for a, b in spans for i in range(a, b)}
    for i, ch in enumerate(text):
        if ch.isalpha() and ch != "x":
            assert i in inside


@pytest.mark.parametrize("unit", ["[", "`", ". ", "1. ", "a.b.", "(https://", '"', "> ", "...a"])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    small, large = unit * 20_000, unit * 80_000
    begin = time.perf_counter()
    sentences(small)
    middle = time.perf_counter()
    sentences(large)
    assert time.perf_counter() - middle < 20 * (middle - begin) + 0.5
