"""`recall.route`: a guessed type weighs, so that a wrong guess loses nothing; set to filter, it hides like one that is asked for."""

from __future__ import annotations

import pytest

from support import Place

NOTES = {
    "tea.md": "---\ntype: preference\n---\n# Tea\n\nMira prefers red tea in the kiln house.\n",
    "kiln.md": "---\ntype: meeting\n---\n# Kiln house\n\nMira drank red tea in the kiln house on Monday.\n",
}


@pytest.mark.parametrize("query", ["what tea does Mira prefer in the kiln house", "Mira 喜欢 tea 吗 kiln house"])
def test_a_guess_filters_only_where_it_is_set_to(place: Place, query: str) -> None:
    place.fill(NOTES)
    answers = {}
    for mode in ("weigh", "filter"):
        with place.opened(**{"recall.route": mode}) as service:
            answers[mode] = service.recall(query)
            asked = service.recall(query, type="preference")
    assert answers["weigh"]["route"] == answers["filter"]["route"] != asked["route"]
    assert sorted(answers["weigh"]["notes"]) == ["kiln.md", "tea.md"]
    assert answers["weigh"]["notes"][0] == "tea.md"
    assert answers["filter"]["notes"] == asked["notes"] == ["tea.md"]
    assert [item["id"] for item in answers["filter"]["items"]] == [item["id"] for item in asked["items"]]


def test_what_a_filter_leaves_empty_says_that_it_was_the_type(place: Place) -> None:
    place.fill({"kiln.md": NOTES["kiln.md"]})
    with place.opened(**{"recall.route": "filter"}) as service:
        answer = service.recall("what tea does Mira prefer in the kiln house")
    assert answer["items"] == []
    assert "type" in answer["empty_reason"]
