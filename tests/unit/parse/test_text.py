"""The search tokenizer: folding, positions, identifiers, pairs, query terms, estimates."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse import text as t
from ebbtide.parse.stem import variants

MIXED = st.text(
    alphabet=st.one_of(
        st.sampled_from("研究生命科學資料庫裡的abcXYZ019_-.+#'’“”\"「」 \n，。：ＡＢ１e\u0301İΣς語カナ한글🙂"),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=80,
)


def words(text: str) -> list[str]:
    return [token.text for token in t.tokenize(text)]


@given(MIXED)
def test_folding_keeps_the_length_of_the_composed_text(text: str) -> None:
    folded = t.fold(text)
    assert len(folded) == len(unicodedata.normalize("NFC", text))
    assert len(t.fold(folded)) == len(unicodedata.normalize("NFC", folded))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("資料庫", "资料库"),
        ("ＡＢＣ１２３", "abc123"),
        ("ÉTÉ", "été"),
        ("e\u0301", "é"),
        ("瞭解彷彿", "了解仿佛"),
        ("İ", "i"),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert t.fold(text) == folded


@given(MIXED)
def test_tokens_lie_in_the_text_in_order(text: str) -> None:
    tokens = t.tokenize(text)
    composed = unicodedata.is_normalized("NFC", text)
    for token in tokens:
        assert token.text and 0 <= token.start <= token.end <= len(text)
        if composed and t.is_cjk(token.text[0]):
            assert t.fold(text[token.start : token.end]) == token.text
    positions = [token.position for token in tokens if "_" not in token.text]
    assert all(a <= b + 8 for a, b in pairwise(positions))


@given(MIXED)
def test_the_terms_without_places_are_those_with_places(text: str) -> None:
    text += " Don't re-read GitHubActions 1,000 caf\u0065\u0301 c++ 研究生命起源 ｆｕｌｌ"
    assert t.term_set(text) == {token.text for token in t.tokenize(text)}


@given(MIXED)
def test_a_query_never_raises_and_keeps_its_caps(text: str) -> None:
    terms = t.query_terms(text * 20)
    assert len(terms.words) <= t.MAX_TERMS and len(terms.pairs) <= t.MAX_TERMS
    assert len(set(terms.words)) == len(terms.words)
    for phrase in terms.phrases:
        assert phrase[0][1] == 0 and all(a[1] < b[1] for a, b in pairwise(phrase))


def test_a_latin_word_glued_to_chinese_is_found() -> None:
    assert "gen-itgc" in words("重跑gen-itgc后") and "itgc" in words("重跑gen-itgc后")


def test_overlapping_words_of_a_run() -> None:
    found = {token.text: token.position for token in t.tokenize("研究生命科学")}
    assert found["研究"] == 0 and found["生命"] == 2 and found["生命科学"] == 2


def test_positions_count_han_characters_and_latin_words_across_white_space() -> None:
    one = {token.text: token.position for token in t.tokenize("数据库 uses SQL")}
    two = {token.text: token.position for token in t.tokenize("数据库\n\n uses   SQL")}
    assert one == two
    assert one["sql"] == one["uses"] + 1 == 4


def test_traditional_text_is_cut_by_the_simplified_dictionary() -> None:
    assert words("資料庫") == words("资料库")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("snake_case_name", {"snake_case_name", "snake", "case", "name"}),
        ("CamelCaseName", {"camelcasename", "camel", "case", "name"}),
        ("v1.2.3", {"v1.2.3", "v1", "2", "3"}),
        ("E0425", {"e0425"}),
        ("C++ C# .NET", {"c++", "c#", ".net"}),
        ("3,000 users", {"3000", "users", "user"}),
        ("the user's café", {"the", "user", "café", "cafe"}),
    ],
)
def test_identifiers_and_special_tokens(text: str, wanted: set[str]) -> None:
    assert set(words(text)) == wanted


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("experiments", "experiment"), ("queries", "query"), ("running", "run"), ("making", "make"), ("decided", "decide"),
        ("caches", "cache"), ("boxes", "box"), ("changed", "change"), ("went", "go"), ("travelling", "travel"),
    ],
)  # fmt: skip
def test_english_forms_meet(form: str, base: str) -> None:
    assert variants(form) == (form, base)


@pytest.mark.parametrize("word", ["status", "analysis", "news", "redis", "need", "string", "aws", "class"])
def test_words_that_only_look_inflected_stay(word: str) -> None:
    assert variants(word) == (word,)


def test_offsets_refer_to_decomposed_text() -> None:
    text = "cafe\u0301 李明"
    cut = {token.text: text[token.start : token.end] for token in t.tokenize(text)}
    assert cut["café"] == "cafe\u0301"
    assert "李" in "".join(cut.values())


def test_pairs_do_not_cross_anything() -> None:
    assert t.pairs("研究生，我a資料 库") == "研究 究生 我 资料 库"


def test_function_words_go_unless_nothing_is_left() -> None:
    assert t.query_terms("what is the database").words == ("database",)
    assert t.query_terms("what is it").words == ("what", "is", "it")
    assert "什么" not in t.query_terms("数据库是什么").words


def test_quoted_parts_are_phrases() -> None:
    phrases = t.query_terms('找 "snake case" 和「研究生命科学」').phrases
    assert phrases[0] == (("snake", 0), ("case", 1))
    assert phrases[1] == (("研究", 0), ("生命科学", 2))


def test_language_and_estimate() -> None:
    assert t.language("我用 Obsidian 记笔记") == "zh"
    assert t.language("I use Obsidian") == "en"
    assert t.language("") == "en"
    assert t.estimate_tokens("") == 0
    assert t.estimate_tokens("字" * 100) == 132
    assert t.estimate_tokens("a" * 36) == 11


def test_long_junk_is_no_term() -> None:
    assert words("a" * 500) == []
