"""What a question is taken to want."""

from __future__ import annotations

import pytest

from ebbtide.recall.route import MAX_QUERY, route


@pytest.mark.parametrize(
    ("query", "type_"),
    [
        ("Why did the import job fail?", "lesson"),
        ("上次迁移为什么失败了？", "lesson"),
        ("Which database did we choose?", "decision"),
        ("为什么要用双写？", "decision"),
        ("What tea does she prefer?", "preference"),
        ("她喜欢什么茶？", "preference"),
        ("How do I rotate the token?", "procedure"),
        ("怎么装插件？", "procedure"),
        ("How many devices sync at once?", "metric"),
        ("导出要多久？", "metric"),
        ("red kite", None),
    ],
)
def test_the_type_is_guessed(query: str, type_: str | None) -> None:
    found = route(query)
    assert found.type == type_
    assert not found.explicit


def test_what_is_asked_for_wins_over_the_guess() -> None:
    found = route("Why did it fail?", type_="metric")
    assert (found.type, found.explicit) == ("metric", True)


def test_only_what_is_asked_for_filters_unless_guesses_are_to() -> None:
    assert route("Why did it fail?", type_="metric").filters
    assert not route("What tea does she prefer?").filters
    guessed = route("What tea does she prefer?", filtering=True)
    assert (guessed.type, guessed.explicit, guessed.filters) == ("preference", False, True)
    assert not route("red kite", filtering=True).filters


@pytest.mark.parametrize(("query", "why"), [("why X?", True), ("为何如此", True), ("when was it", False)])
def test_questions_why_are_known(query: str, why: bool) -> None:
    assert route(query).why is why


def test_a_transcript_is_cut_and_says_so() -> None:
    found = route("x" * (MAX_QUERY + 1))
    assert found.cut
    assert len(found.text) == MAX_QUERY
    assert not route("短").cut


@pytest.mark.parametrize(("query", "lang"), [("哪天上线 v2 release", "zh"), ("when is 上线", "en"), ("", "en")])
def test_the_language_is_that_of_most_letters(query: str, lang: str) -> None:
    assert route(query).lang == lang


@pytest.mark.parametrize(
    "query",
    [
        "What happened after the flood?",
        "What followed the flood?",
        "What resulted from the flood?",
        "What came out of the flood?",
        "Where did the flood lead?",
        "What effects did the flood have?",
        "What impact has the flood had?",
        "Did the flood have any consequences?",
        "What did the flood change?",
        "What was affected by the flood?",
        "What depends on the flood gauge?",
        "What replaced the old gauge?",
        "What was the old gauge replaced by?",
        "How did the flood turn out?",
        "What has changed since the flood?",
        "进水后来怎么样了？",
        "进水以后发生了什么",
        "进水之后我们做了什么？",
        "进水有什么后续？",
        "进水有哪些影响",
        "进水影响了什么",
        "进水引出了什么？",
        "进水导致了哪些后果？",
        "进水的后续",
        "旧水泵被什么取代了？",
        "哪些东西依赖水泵？",
        "進水帶來了什麼？",
        "進水後來怎麼樣了？",
        "進水導致了哪些後果？",
    ],
)
def test_a_question_what_came_of_it_is_known(query: str) -> None:
    assert route(query).onward


@pytest.mark.parametrize(
    "query",
    [
        "Why did the flood happen?",
        "What led to the flood?",
        "What resulted in the flood?",
        "What does the flood gauge depend on?",
        "What did the new gauge replace?",
        "什么影响了进水？",
        "是什么导致了进水？",
        "水泵受了什么影响？",
        "水泵依赖什么？",
        "水泵取代了什么？",
        "停电是什么的结果？",
        "為什麼會進水？",
    ],
)
def test_and_one_what_it_came_from_is_not_taken_for_it(query: str) -> None:
    assert not route(query).onward


@pytest.mark.parametrize("query", ["為什麼會進水？", "進水的原因", "怎麼會進水"])
def test_traditional_characters_ask_why_like_simplified_ones(query: str) -> None:
    assert route(query).why


@pytest.mark.parametrize(
    ("query", "effect"),
    [
        ("Why did the flood lead to the new pump?", "the new pump"),
        ("How did a clogged pipe cause damp books?", "damp books"),
        ("why would leaves result in mould", "mould"),
        ("进水为什么会导致书受潮？", "书受潮"),
        ("为什么进水导致了书受潮", "书受潮"),
        ("進水是怎麼引起書受潮的？", "書受潮"),
        ("Why did we buy a pump?", None),
        ("What did the flood lead to?", None),
        ("为什么会进水？", None),
        ("进水导致了什么？", None),
        ("为什么进水会造成什么影响", None),
    ],
)
def test_a_question_that_names_ground_and_effect_is_about_the_effect(query: str, effect: str | None) -> None:
    found = route(query)
    assert found.effect == effect
    assert effect is None or (found.why and not found.onward)
