"""Items: live quotes, places in the plugin's units, reasons in the asker's language."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ebbtide.recall import compose
from ebbtide.recall.rank import Evidence


def test_a_quote_is_found_nearest_to_its_line() -> None:
    text = "same\nother\nsame\nsame\n"
    assert compose.locate(text, "same", 3) == (11, 3)
    assert compose.locate(text, "same", 1) == (0, 1)


def test_a_quote_that_moved_is_found_where_it_is_now() -> None:
    assert compose.locate("new line\n\nthe claim\n", "the claim", 1) == (10, 3)


def test_a_quote_that_is_gone_is_gone() -> None:
    assert compose.locate("something else", "the claim", 1) is None


@given(st.text(), st.text(min_size=1, max_size=5), st.text(), st.integers(1, 9))
def test_what_is_located_is_the_quote_on_its_line(before: str, quote: str, after: str, line: int) -> None:
    text = before + quote + after
    found = compose.locate(text, quote, line)
    assert found is not None
    offset, at = found
    assert text[offset : offset + len(quote)] == quote
    assert at == text.count("\n", 0, offset) + 1


def test_columns_count_as_obsidian_counts() -> None:
    assert compose.column_of("a\n😀x", 3) == 2


def test_the_sentence_that_answers_is_quoted() -> None:
    passage = "We met on Monday. The cache was full because nobody pruned it. Then lunch."
    start, end = compose.best_sentence(passage, frozenset({"cache", "full"}))
    assert "cache was full" in passage[start:end]


def test_reasons_speak_the_askers_language() -> None:
    evidence = Evidence(0.6, 0.5, ranks={"keyword": (1, 9.0), "vector": (2, 0.6)})
    english = compose.reasons(evidence, "en", crossed=False, via="Hub.md", wanted="decision", type_="decision")
    chinese = compose.reasons(evidence, "zh", crossed=True, via=None, wanted=None, type_="note")
    assert any("keyword" in reason for reason in english)
    assert any("Hub.md" in reason for reason in english)
    assert any("decision" in reason for reason in english)
    assert any("关键词" in reason for reason in chinese)
    assert any("跨语言" in reason for reason in chinese)


def test_an_injection_carries_condition_and_citation() -> None:
    text = compose.inject("when asked about tea", None, "She drinks red tea.", "Tea.md", 4, "2026-09-21", "en")
    assert text == "when asked about tea, She drinks red tea. [Tea.md:4, 2026-09-21]"


def test_a_long_passage_is_cut_at_a_line() -> None:
    text = ("line of text\n" * 400).strip() + " ^block"
    shown = compose.shown(text)
    assert len(shown) <= compose.TEXT_LIMIT + 2
    assert shown.endswith("line of text …")


def test_an_empty_answer_says_why() -> None:
    assert "Tea" in compose.empty_reason("en", ["Tea"], "weak")
    assert "空" in compose.empty_reason("zh", [], "empty")
