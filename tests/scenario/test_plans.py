"""Plans that ended: behind the one that holds, marked wherever they are shown, never lost, and found when they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.serve.service import Service
from support import Place

BODY = "# Plan for the greenhouse\n\nThe greenhouse gets {way}, and the cost is {cost} EUR.{more}\n"


def plans(*, words: bool) -> dict[str, str]:
    def one(way: str, cost: int, status: str, said: str) -> str:
        text = BODY.format(way=way, cost=cost, more=f"\n\n{said}" if words else "")
        return text if words else f"---\nstatus: {status}\n---\n{text}"

    return {
        "a.md": one("a new roof", 100, "abandoned", "We dropped this."),
        "b.md": one("better doors", 200, "rejected", "Proposed by Claude; we did not adopt it."),
        "c.md": one("new benches", 300, "done", "Shipped in March."),
        "d.md": one("a water tank", 400, "in progress", "Work goes on."),
    }


def first_items(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for item in answer["items"]:
        found.setdefault(item["note"], item)
    return found


@pytest.mark.parametrize("words", [False, True])
def test_the_plan_that_holds_comes_first_and_the_others_are_marked(place: Place, words: bool) -> None:
    with place.fill(plans(words=words)).opened() as service:
        answer = service.recall("what is the plan for the greenhouse")
        assert answer["notes"][0] == "d.md"
        assert sorted(answer["notes"]) == ["a.md", "b.md", "c.md", "d.md"]
        found = first_items(answer)
        assert found["d.md"]["frame"] != "historical"
        ground = "own words" if words else "properties"
        for path, mark in {"a.md": "dropped", "b.md": "turned down", "c.md": "done"}.items():
            for item in (item for item in answer["items"] if item["note"] == path):
                assert item["frame"] == "historical"
                assert mark in item["inject"]
                assert any(mark in why and ground in why for why in item["why"])


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("which plan for the greenhouse did we drop", "a.md"),
        ("which proposal for the greenhouse was rejected", "b.md"),
        ("what have we finished in the greenhouse", "c.md"),
    ],
)
def test_what_ended_is_found_by_who_asks_for_it(place: Place, query: str, path: str) -> None:
    with place.fill(plans(words=False)).opened() as service:
        assert service.recall(query)["notes"][0] == path


def test_a_question_about_the_past_weighs_them_all_alike(place: Place) -> None:
    with place.fill(plans(words=False)).opened() as service:
        ranking = service.runtime.engine.rank(_question("the plans for the greenhouse back then"))
        assert {parts.lapse for parts in ranking.weighed.notes.values()} == {1.0}


def _question(query: str) -> Any:
    from ebbtide.recall.engine import Question

    return Question(query)


def test_a_wrong_guess_never_loses_the_note(place: Place) -> None:
    notes = {
        "Plan.md": "# Plan for the kiln\n\nWe dropped this.\n\nThe kiln costs 90 EUR.\n",
        "b.md": "# Tea\n\nGreen.\n",
    }
    with place.fill(notes).opened() as service:
        answer = service.recall("what does the kiln cost")
        assert answer["notes"][0] == "Plan.md"
        assert not answer["abstained"]
        assert "90 EUR" in " ".join(item["text"] for item in answer["items"])


def test_an_episode_or_a_daily_note_ends_nothing(place: Place) -> None:
    text = "# Plan of the day\n\nThe kiln plan was looked at. We dropped this.\n"
    place.fill({"2026-03-01.md": text, "e.md": f"---\ntype: sprint\n---\n{text}"})
    with place.opened() as service:
        answer = service.recall("the kiln plan")
        assert len(answer["notes"]) == 2
        assert {item["frame"] for item in answer["items"]} <= {None, "current", "change"}


def test_the_mark_is_said_in_the_language_of_the_asker(place: Place) -> None:
    notes = {"计划.md": "---\n状态: 已放弃\n---\n# 温室计划\n\n温室的屋顶换成玻璃，费用是 100 元。\n"}
    with place.fill(notes).opened() as service:
        [item] = first_items(service.recall("温室的屋顶换成什么")).values()
        assert "已放弃" in item["inject"]
        assert any("计划已放弃（笔记属性如此说）" in why for why in item["why"])


def test_a_plan_that_is_taken_up_again_is_read_anew(place: Place) -> None:
    with place.fill(plans(words=False)).opened() as service:
        place.write("a.md", plans(words=False)["a.md"].replace("abandoned", "active"))
        place.write("d.md", plans(words=False)["d.md"].replace("in progress", "dropped"))
        service.catch_up(vectors=False)
        found = first_items(service.recall("what is the plan for the greenhouse"))
        assert next(iter(found)) == "a.md"
        assert _frame(service, "d.md") == "historical"


def _frame(service: Service, path: str) -> str | None:
    frame: str | None = first_items(service.recall("what is the plan for the greenhouse"))[path]["frame"]
    return frame


def test_the_type_a_user_spells_is_the_type_that_is_asked_for(place: Place) -> None:
    notes = {
        "a.md": "---\ntype: 决策\n---\n# 缓存\n\n缓存用内存。\n",
        "b.md": "---\ntype: 指标\n---\n# 缓存\n\n缓存用内存。\n",
    }
    with place.fill(notes).opened() as service:
        assert service.recall("缓存用什么", type="decision")["notes"] == ["a.md"]
        assert service.recall("缓存的指标")["notes"][0] == "b.md"
        assert service.recall("缓存决定用什么")["notes"][0] == "a.md"


def test_explain_says_what_is_left_of_the_score_and_why(place: Place) -> None:
    with place.fill(plans(words=False)).opened() as service:
        told = service.explain("what is the plan for the greenhouse", "a.md")
        assert any("70% of it is left: the plan was dropped" in step["message"] for step in told["steps"])
        told = service.explain("what is the plan for the greenhouse", "d.md")
        assert not any("is left" in step["message"] for step in told["steps"])
