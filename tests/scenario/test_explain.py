"""Why a note is not among the answers: each reason by its name, in the language of the question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest
from ebbtide.serve.service import Service
from support import Place

NOTES = {
    "Pump.md": "---\ndate: 2026-03-02\n---\n# Pump\n\nThe pump broke because a seal was worn, and cost 90 EUR.\n",
    "Pumps/Spare.md": "---\ntype: decision\ndate: 2026-05-02\n---\n# Spare pump\n\nWe decided to buy a spare pump.\n",
    "Tulips.md": "# Tulips\n\nTulips need sun.\n",
    "Quiet.md": "---\nmemory: false\n---\n# Quiet pump\n\nThe pump hums.\n",
    "Own.md": "---\nprivate: true\n---\n# Own pump\n\nThe pump is mine and cost 10 EUR.\n",
    "Hidden/Pump.md": "# Pump\n\nA hidden pump.\n",
    ".obsidian/app.json": '{"userIgnoreFilters": ["Hidden/"]}',
    "Picture.png": b"\x89PNG",
    "Archive/Old/Overview.md": "---\nstatus: archived\n---\n# Old pump\n\nThe old pump broke in 2024.\n",
}


@pytest.fixture
def service(place: Place) -> Iterator[Service]:
    with place.fill(NOTES).opened(recall__abstain=0.1) as opened:
        yield opened


def told(service: Service, note: str, query: str = "Why did the pump break?", **options: Any) -> dict[str, Any]:
    answer = service.explain(query, note, **options)
    assert (answer["query"], answer["note"]) == (query, note)
    assert answer["returned"] is (answer["reason"] in ("It is in the answer.", "它在答案中。"))
    return answer


def stopped(answer: dict[str, Any]) -> str:
    """The step that kept a note out; the reason repeats what it says."""
    failed = [s for s in answer["steps"] if not s["passed"] and s["step"] not in ("keyword", "vector", "graph")]
    assert failed[0]["message"] in answer["reason"]
    return str(failed[0]["step"])


def test_a_note_that_answers_shows_each_part_of_its_score(service: Service) -> None:
    answer = told(service, "Pump.md")
    assert (answer["found"], answer["returned"], answer["rank"]) == (True, True, 1)
    message = next(step["message"] for step in answer["steps"] if step["step"] == "ranked")
    for part in ("relevance", "freshness", "importance", "warmth", "use"):
        assert part in message
    assert answer["items"]
    chinese = told(service, "Pump.md", "pump 为什么坏了")
    for one, channels in (
        (answer, ("by its words", "by meaning", "by links")),
        (chinese, ("按字词", "按意思", "按链接")),
    ):
        assert channels == tuple(s["title"] for s in one["steps"] if s["step"] in ("keyword", "vector", "graph"))
    message = next(step["message"] for step in chinese["steps"] if step["step"] == "ranked")
    for part in ("相关度", "新鲜度", "重要度", "温度", "使用"):
        assert part in message


@pytest.mark.parametrize(
    ("note", "step", "english", "chinese"),
    [
        ("Pmup.md", "exists", "there is no such note; nearest: Pump.md", "没有这篇笔记；名称最接近的是：Pump.md"),
        ("Tulip.md", "exists", "nearest: Tulips.md", "最接近的是：Tulips.md"),
        ("Zeppelin.md", "exists", "there is no such note.", "没有这篇笔记。"),
        ("Quiet.md", "indexed", "skipped (memory: false)", "已跳过（memory: false）"),
        ("Hidden/Pump.md", "indexed", "skipped (excluded)", "已跳过（excluded）"),
        ("Picture.png", "indexed", "it is no note", "它不是笔记"),
        ("Tulips.md", "found", "no way of looking found it", "任何途径都没有找到它"),
    ],
)
def test_what_keeps_a_note_out_is_said_in_both_languages(
    service: Service, note: str, step: str, english: str, chinese: str
) -> None:
    for query, says, head in (
        ("Why did the pump break?", english, "It is not in the answer ("),
        ("pump 为什么坏了？", chinese, "它不在答案中（"),
    ):
        answer = told(service, note, query)
        assert stopped(answer) == step
        assert answer["reason"].startswith(head)
        assert says in answer["reason"]
        assert not answer["returned"]


def test_a_private_note_answers_here_and_says_so(service: Service) -> None:
    answer = told(service, "Own.md", "What does my own pump cost?")
    assert answer["returned"]
    assert any("never sent" in step["message"] for step in answer["steps"])


@pytest.mark.parametrize(
    ("note", "options", "step", "says"),
    [
        ("Pump.md", {"scope": "Pumps"}, "scope", "lies outside Pumps/"),
        ("Pumps/Spare.md", {"as_of": "2026-04-01"}, "as_of", "dated 2026-05-02, after 2026-04-01"),
        ("Pump.md", {"type": "decision"}, "type", "decision"),
    ],
)
def test_limits_of_the_question_are_named(
    service: Service, note: str, options: dict[str, Any], step: str, says: str
) -> None:
    answer = told(service, note, **options)
    assert stopped(answer) == step
    assert says in answer["reason"]
    assert told(service, note, query="pump spare seal broke decided buy")["found"]


@pytest.mark.parametrize(
    ("action", "state", "word"),
    [("archive", "archived", "已归档"), ("freeze", "frozen", "已冻结"), ("quarantine", "quarantined", "已隔离")],
)
def test_a_state_that_hides_a_note_is_named_with_the_way_to_see_it(
    service: Service, action: str, state: str, word: str
) -> None:
    ident = service.note("Pump.md")["id"]
    service.act(ident, action)
    answer = told(service, "Pump.md")
    assert stopped(answer) == "state"
    assert f"--include {state}" in answer["reason"]
    assert word in told(service, "Pump.md", "pump 为什么坏了？")["reason"]
    assert told(service, "Pump.md", include=[state])["steps"][2] == {
        "step": "state",
        "title": "state",
        "passed": True,
        "message": "holds",
    }


def test_facts_that_do_not_answer_are_counted(service: Service) -> None:
    [ident] = [fact["id"] for fact in service.facts(note="Pump.md")["facts"] if "90 EUR" in fact["fact"]]
    service.act(ident, "archive")
    state = next(step for step in told(service, "Pump.md")["steps"] if step["step"] == "state")
    assert state["passed"]
    assert "1 archived" in state["message"]


def test_what_is_not_relevant_enough_says_how_much_is_missing(place: Place) -> None:
    with place.fill(NOTES).opened(recall__abstain=0.9) as service:
        answer = told(service, "Pumps/Spare.md", "Why did the worn seal of the pump break?")
        assert stopped(answer) == "relevance"
        assert "is below 0.90" in answer["reason"]
        last = answer["steps"][-1]
        assert (last["step"], last["passed"]) == ("returned", False)


def test_what_is_lost_to_the_budget_or_the_number_of_items_says_so(place: Place) -> None:
    place.fill({f"Pump {n}.md": f"# Pump {n}\n\nPump {n} broke because seal {n} was worn.\n" for n in range(6)})
    with place.opened(recall__abstain=0.05) as service:
        query = "Which pump broke because a seal was worn?"
        kept = [item["note"] for item in service.recall(query)["items"]]
        assert len(set(kept)) > 1
        last = kept[-1]
        few = told(service, last, query, limit=1)
        assert stopped(few) == "returned"
        assert "the answer's 1 items were better" in few["reason"]
        assert few["items"], "what it would have given"
        short = told(service, last, query, budget=service.recall(query, limit=1)["tokens"] + 5)
        assert stopped(short) == "returned"
        assert "tokens was full" in short["reason"]


def test_a_path_out_of_the_vault_is_refused(service: Service) -> None:
    with pytest.raises(BadRequest):
        service.explain("q", "../x.md")
