"""What is injected in each form, and that no form costs more than it was given."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.facts import extract
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import estimate_tokens
from ebbtide.recall.budget import Taken
from ebbtide.recall.packet import Counting, Draft, counting, finished, priced

STEP = {
    "note": "Bill.md",
    "line": 8,
    "type": "causes",
    "text": "caused by\nthe [[Uploads]]",
    "words": "because of",
    "source": "Pricing.md",
    "date": "2026-04-01",
    "superseded_by": None,
}


def item(**more: Any) -> dict[str, Any]:
    return {
        "id": "f",
        "note": "Tea.md",
        "line": 4,
        "as_of": "2026-09-21",
        "score": 0.5,
        "quote": "She drinks red tea.",
    } | more


def draft(short: str = "She drinks red tea.", **more: Any) -> Draft:
    given: dict[str, Any] = {"text": "She drinks red tea. It was a gift.", "short": short, **more}
    return Draft(item(), "facts", 1, "en", **given)


ESTIMATE = counting(None)


def test_without_a_model_the_estimate_counts() -> None:
    assert ESTIMATE.by == "estimate"
    assert ESTIMATE.tokens("tea") == estimate_tokens("tea\n")


def test_the_whole_is_claim_citation_marks_and_a_line_for_each_step() -> None:
    one = draft(trigger="when tea is served", marks=[("", "(disputed)")], chain=[STEP])
    assert one.whole() == (
        "when tea is served, She drinks red tea. It was a gift. [Tea.md:4, 2026-09-21] (disputed)\n"
        "because of Bill.md: caused by the [[Uploads]] [Pricing.md:8]"
    )
    assert one.plain() == one.whole().split("\n")[0]
    assert one.brief() == "She drinks red tea. [Tea.md:4, 2026-09-21] (disputed)"
    assert one.brief(5) == "She d… [Tea.md:4, 2026-09-21] (disputed)"


def test_a_mark_about_some_words_goes_with_them_and_stays_when_they_are_cut() -> None:
    one = draft(marks=[("red tea", "(A)"), ("a gift", "(B)")])
    assert one.plain().endswith("(A) (B)")
    assert one.brief().endswith("] (A)")
    assert one.brief(2).endswith("] (A)")


def test_what_is_injected_and_pasted_back_is_no_evidence() -> None:
    text = "We decided to use SQLite for storage because it is one file."
    one = draft(
        text=text, marks=[("", "(disputed: [Two.md:3, 2026-03-10] says otherwise)")], chain=[{**STEP, "text": text}]
    )
    assert [fact.fact for fact in extract(parse_note("Storage.md", f"# Log\n\n{one.whole()}\n"))] == []


@given(
    st.text(min_size=1, max_size=60).filter(str.strip),
    st.integers(0, 80),
    st.booleans(),
    st.sampled_from([ESTIMATE, Counting(lambda text: len(text.split()) + text.count("a") % 3, "tokenizer")]),
)
def test_no_form_costs_more_than_it_was_given(short: str, above: int, chained: bool, by: Counting) -> None:
    one = draft(short, chain=[STEP] if chained else [])
    cost = priced(0, one, by)
    assert (cost.plain is None) is not chained
    for form, tokens in (("whole", cost.whole), ("plain", cost.plain or cost.whole), ("short", cost.short)):
        done = finished(one, Taken(0, form, tokens), by)  # type: ignore[arg-type]
        assert done["tokens"] == by.tokens(done["inject"]) == tokens
        assert done["chain"] == ([STEP] if form == "whole" and chained else [])
    room = cost.least + above
    if room < cost.short:
        done = finished(one, Taken(0, "cut", room), by)
        assert done["tokens"] == by.tokens(done["inject"]) <= room
        assert short.startswith(done["text"].removesuffix("…"))
