"""The packet of a real recall: within its budget by the tokenizer in use, and what belongs together together or not at all."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.parse.text import estimate_tokens
from ebbtide.prove.exam import ask
from ebbtide.serve.service import Service
from support import Place


def dated(day: str, body: str) -> str:
    return f"---\ndate: {day}\n---\n{body}"


DISPUTE = {
    "A/服务器.md": dated("2026-01-10", "# 服务器\n\n负责人：陈牧\n"),
    "B/服务器.md": dated("2026-03-10", "# 服务器\n\n负责人：苏禾\n"),
}
TIMEOUTS = {
    "Old/Server.md": dated("2026-01-10", "# Server\n\nThe timeout is 30 seconds.\n"),
    "New/Server.md": dated("2026-03-10", "# Server\n\nThe timeout is now 45 seconds.\n"),
}
PRICING = {
    "Annual pricing.md": dated(
        "2026-05-02", "# Annual pricing\n\nThe app is sold by the year.\n\nbecause:: [[Server bill]]\n"
    ),
    "Server bill.md": dated("2026-04-01", "# Server bill\n\nHosting grew fourfold.\n\ncaused by:: [[Photo uploads]]\n"),
    "Photo uploads.md": dated("2026-03-10", "# Photo uploads\n\nVolunteers send pictures of every tree.\n"),
}
LONG = {
    f"Log/{number}.md": f"# Server log {number}\n\n"
    + " ".join(f"On day {day} the server of region {number} answered {day * number} requests." for day in range(1, 40))
    + "\n\n"
    + "".join(f"服务器第{day}天处理了{day * number}个请求，没有异常。" for day in range(1, 40))
    + "\n"
    for number in range(2, 5)
}
QUESTIONS = (
    "服务器的负责人是谁",
    "timeout of the server formerly",
    "What is the timeout of the server?",
    "Why is the app sold with annual pricing?",
    "requests the server answered on day 7",
    "服务器以前的超时是多少",
)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A small vault in two languages, with a dispute, a supersession, a causal chain and long notes; the default model."""
    place = Place(tmp_path_factory.mktemp("budget"))
    with place.fill(DISPUTE | TIMEOUTS | PRICING | LONG).opened(vectors=True, embed__enabled=True) as service:
        assert service.runtime.embedder is not None, service.runtime.model.message
        yield service


def ids(service: Service) -> dict[str, str]:
    return {fact["source"]: fact["id"] for fact in service.facts(limit=500)["facts"]}


def count(service: Service, text: str) -> int:
    embedder = service.runtime.embedder
    return estimate_tokens(text) if embedder is None else embedder.count_tokens([text])[0]


def recall(service: Service, query: str, **options: Any) -> dict[str, Any]:
    """As the API answers, but repeatable: no step is left out for time."""
    from ebbtide.recall.engine import Question

    return service.runtime.engine.recall(Question(query, **options), hurry=False)


def check(service: Service, answer: dict[str, Any], budget: int) -> None:
    items = answer["items"]
    assert answer["tokens"] == sum(item["tokens"] for item in items) <= budget
    assert count(service, "\n".join(item["inject"] for item in items)) <= answer["tokens"]
    assert sum(count(service, item["inject"]) for item in items) <= answer["tokens"]
    for item in items:
        assert item["tokens"] == count(service, item["inject"] + "\n")
        assert f"[{item['note']}:{item['line']}" in item["inject"]
        assert all(step["text"].split()[0] in item["inject"] for step in item["chain"])
    scores = [item["score"] for item in items]
    assert scores == sorted(scores, reverse=True)
    if not items and not answer["abstained"]:
        assert str(budget) in answer["empty_reason"]


def sides(service: Service, answer: dict[str, Any], *notes: str) -> list[bool]:
    """Which of the facts of these notes are among the items."""
    known, shown = ids(service), {item["id"] for item in answer["items"]}
    return [known[note] in shown for note in notes]


def test_no_budget_is_passed_and_no_half_is_alone(asked: Service) -> None:
    chance = random.Random(6000)
    budgets = [
        *range(1, 60, 7),
        *(chance.randint(60, 600) for _ in range(9)),
        *(chance.randint(600, 8000) for _ in range(4)),
    ]
    seen = set()
    for query in QUESTIONS:
        for budget in budgets:
            answer = recall(asked, query, budget=budget)
            check(asked, answer, budget)
            assert answer["counted"] == "tokenizer"
            assert len(set(sides(asked, answer, *DISPUTE))) == 1
            old, new = sides(asked, answer, *TIMEOUTS)
            assert new or not old
            seen.add((bool(answer["items"]), any("…" in item["text"] for item in answer["items"])))
    assert {(False, False), (True, False), (True, True)} <= seen


def test_without_a_model_the_estimate_counts_and_says_so(place: Place) -> None:
    with place.fill(DISPUTE | TIMEOUTS | PRICING | LONG).opened() as service:
        for query in QUESTIONS:
            for budget in (5, 20, 40, 80, 300, 6000):
                answer = recall(service, query, budget=budget)
                check(service, answer, budget)
                assert answer["counted"] == "estimate"


def test_the_default_budget_holds_where_no_other_is_given(asked: Service) -> None:
    answer = recall(asked, QUESTIONS[4])
    assert answer["budget"] == 6000
    check(asked, answer, 6000)


def test_both_sides_of_a_dispute_are_shown_as_disputed_with_both_dates(asked: Service) -> None:
    known = ids(asked)
    for query, word in (
        ("服务器的负责人是苏禾吗", "有争议"),
        ("Who is 服务器 负责人 of the server, as we know?", "disputed"),
    ):
        found = {item["id"]: item for item in recall(asked, query)["items"]}
        one, other = found[known["A/服务器.md"]], found[known["B/服务器.md"]]
        assert (one["disputed_with"], other["disputed_with"]) == ([other["id"]], [one["id"]])
        for item in (one, other):
            assert word in item["inject"]
            assert "A/服务器.md:6, 2026-01-10]" in item["inject"]
            assert "B/服务器.md:6, 2026-03-10]" in item["inject"]


def test_a_dispute_that_is_best_is_cut_on_both_sides(asked: Service) -> None:
    whole = recall(asked, "服务器的负责人是谁")["items"]
    known = ids(asked)
    cost = sum(item["tokens"] for item in whole if item["id"] in (known["A/服务器.md"], known["B/服务器.md"]))
    answer = recall(asked, "服务器的负责人是谁", budget=cost - 1)
    assert sides(asked, answer, *DISPUTE) == [True, True]
    assert [left["step"] for left in answer["skipped"]] == ["budget"]
    assert all("有争议" in item["inject"] for item in answer["items"])


def test_a_limit_of_one_does_not_part_a_dispute(asked: Service) -> None:
    answer = recall(asked, "服务器的负责人是谁", limit=1)
    assert sides(asked, answer, *DISPUTE) == [True, True]
    assert len(answer["items"]) == 2


def test_who_asks_about_the_past_gets_what_took_its_place_too(asked: Service) -> None:
    known = ids(asked)
    for query, include in (("timeout of the server formerly", ()), ("What is the timeout of the server?", ("stale",))):
        found = {item["id"]: item for item in recall(asked, query, include=include)["items"]}
        old, new = found[known["Old/Server.md"]], found[known["New/Server.md"]]
        assert (old["state"], new["state"]) == ("stale", "active")
        assert "superseded by [New/Server.md:6, 2026-03-10]" in old["inject"]
        assert "superseded" not in new["inject"]
        only = recall(asked, query, include=include, limit=1)["items"]
        assert {item["id"] for item in only} >= {old["id"], new["id"]}


def test_a_successor_that_no_channel_found_is_brought_in(place: Place) -> None:
    with place.fill(TIMEOUTS).opened(recall__abstain=0.1) as service:
        known = ids(service)
        answer = recall(service, "timeout of the server formerly", scope="Old")
        found = {item["id"]: item for item in answer["items"]}
        assert known["Old/Server.md"] in found
        assert found[known["New/Server.md"]]["text"] == "Server: The timeout is now 45 seconds."
        assert 0.0 < found[known["New/Server.md"]]["parts"]["R"] <= 1.0
        then = recall(service, "timeout of the server formerly", scope="Old", as_of="2026-02-01")
        assert [item["note"] for item in then["items"]] == ["Old/Server.md"]
        assert "New/" not in "".join(item["inject"] for item in then["items"])


def test_the_chain_is_counted_and_is_in_whole_or_not_at_all(asked: Service) -> None:
    query = "Why is the app sold with annual pricing?"
    first = recall(asked, query)["items"][0]
    assert [step["note"] for step in first["chain"]] == ["Server bill.md", "Photo uploads.md"]
    *said, second, third = first["inject"].split("\n")
    assert second.startswith("because of Server bill.md: ")
    assert second.endswith("[Annual pricing.md:8]")
    assert third.endswith("[Server bill.md:8]")
    answer = recall(asked, query, budget=first["tokens"])
    assert answer["items"][0] == first
    without = recall(asked, query, budget=first["tokens"] - 1)
    assert without["items"][0]["chain"] == []
    assert without["items"][0]["inject"] == "\n".join(said)
    assert {"step": "chain", "why": "it did not fit the budget"} in without["skipped"]


def test_the_best_is_cut_to_its_quote_and_then_within_it(asked: Service) -> None:
    query = "requests the server answered on day 7"
    best = recall(asked, query)["items"][0]
    seen = []
    for budget in range(best["tokens"], 0, -1):
        answer = recall(asked, query, budget=budget)
        check(asked, answer, budget)
        if not answer["items"]:
            assert str(budget) in answer["empty_reason"]
            break
        top = answer["items"][0]
        assert top["id"] == best["id"]
        seen.append(top["text"])
    assert best["text"] in seen
    assert best["quote"] in seen
    cut = [text for text in seen if text.endswith("…") and text not in (best["text"], best["quote"])]
    assert cut
    assert all(best["quote"].startswith(text[:-1]) for text in cut)
    assert best["quote"] in asked.runtime.store.read(best["note"]).text
    empty = recall(asked, "服务器的负责人是谁", budget=1)
    assert "预算" in empty["empty_reason"]
    assert empty["notes"]


def test_a_passage_that_states_what_is_disputed_says_so_and_by_what(place: Place) -> None:
    sparrow = "\n\n有一天，一只麻雀从窗外飞了进来，停在书架上，过了很久才飞走。\n"
    place.fill(DISPUTE | {"A/服务器.md": DISPUTE["A/服务器.md"] + sparrow})
    with place.opened() as service:
        answer = recall(service, "麻雀从窗外飞进来停在书架上")
        [item] = [item for item in answer["items"] if item["kind"] == "passage"]
        assert "陈牧" in item["text"]
        assert item["inject"].count("有争议") == 1
        assert "苏禾" in item["inject"]
        assert "[B/服务器.md:6, 2026-03-10]" in item["inject"]
        assert item["disputed_with"] == [ids(service)["B/服务器.md"]]
        assert any("争议" in why for why in item["why"])
        cut = recall(service, "麻雀从窗外飞进来停在书架上", budget=item["tokens"] - 1)["items"][0]
        assert "麻雀" in cut["text"]
        assert "争议" not in cut["inject"], "its quote is not what is disputed"


def test_a_dispute_is_whole_whatever_type_is_asked_for(place: Place) -> None:
    with place.fill(DISPUTE).opened() as service:
        known = ids(service)
        base: dict[str, Any] = {"by": "user", "object": None, "why": "told so", "evidence": [], "kind": "correct"}
        change = {"id": known["B/服务器.md"], "field": "type", "before": "relation", "after": "decision"}
        service.runtime.sync.decisions.record({**base, "subjects": [known["B/服务器.md"]], "changes": [change]})
        for type_ in ("relation", "decision"):
            answer = recall(service, "服务器的负责人是谁", type=type_)
            assert sides(service, answer, *DISPUTE) == [True, True]
            assert {item["type"] for item in answer["items"]} == {"relation", "decision"}


def test_the_other_side_is_unknown_before_its_day(place: Place) -> None:
    with place.fill(DISPUTE).opened() as service:
        before = recall(service, "服务器的负责人是谁", as_of="2026-02-01")
        assert [item["note"] for item in before["items"]] == ["A/服务器.md"]
        assert "苏禾" not in json.dumps(before, ensure_ascii=False)
        assert "B/" not in "".join(item["inject"] for item in before["items"])


@pytest.mark.parametrize("kind", ["quarantine", "freeze", "archive"])
def test_the_other_side_of_a_dispute_is_not_shown_from_a_note_that_was_put_away(place: Place, kind: str) -> None:
    sparrow = "\n\n有一天，一只麻雀从窗外飞了进来，停在书架上，过了很久才飞走。\n"
    with place.fill(DISPUTE | {"A/服务器.md": DISPUTE["A/服务器.md"] + sparrow}).opened() as service:
        base: dict[str, Any] = {"by": "user", "object": None, "changes": [], "why": "told so", "evidence": []}
        note = service.note("B/服务器.md")["id"]
        service.runtime.sync.decisions.record({**base, "kind": kind, "subjects": [note]})
        for query in ("服务器的负责人是谁", "麻雀从窗外飞进来停在书架上"):
            answer = recall(service, query)
            assert {item["note"] for item in answer["items"]} == {"A/服务器.md"}
            assert "苏禾" not in "".join(item["inject"] for item in answer["items"])


def test_what_says_the_same_gives_way(place: Place) -> None:
    same = {f"Copy {n}.md": f"# Pump {n}\n\nThe pump in the cellar costs 90 EUR and is loud.\n" for n in range(4)}
    with place.fill(
        same | {"Other.md": "# Pump\n\nThe pump was bought by Mara at the market for the garden.\n"}
    ).opened() as s:
        plain = recall(s, "the pump")["items"]
        assert "Other.md" in [item["note"] for item in plain]
    with place.opened(recall__redundancy=0.0) as service:
        every = recall(service, "the pump")["items"]
    with place.opened(recall__redundancy=1.0) as service:
        strict = recall(service, "the pump")["items"]
    assert len(strict) < len(every)


def test_the_exam_counts_the_packet_that_would_be_injected(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill(DISPUTE | PRICING)
    for name, value in (place.environ | {"EBBTIDE_EMBED_ENABLED": "false"}).items():
        monkeypatch.setenv(name, value)
    queries, out = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    asked = [{"id": n, "query": query} for n, query in enumerate(QUESTIONS[:4])]
    queries.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in asked), "utf-8")
    ask(place.vault, queries, out)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    with place.opened(read_only=True) as service:
        for row, query in zip(rows, QUESTIONS, strict=False):
            packet = recall(service, query)["items"]
            assert row["tokens"] == sum(estimate_tokens(item["inject"] + "\n") for item in packet)
            assert row["abstained"] == (not packet)
