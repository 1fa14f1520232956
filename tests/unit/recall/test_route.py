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
