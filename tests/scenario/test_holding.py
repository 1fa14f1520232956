"""What may answer: successors instead of what they superseded, both sides of a dispute, nothing that waits or was put away."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.serve.service import Service
from support import Place


def dated(day: str, body: str) -> str:
    return f"---\ndate: {day}\n---\n{body}"


TIMEOUTS = {
    "a.md": dated("2026-01-10", "# Server\n\nThe timeout is 30 seconds.\n"),
    "b.md": dated("2026-03-10", "# Server\n\nThe timeout is now 45 seconds.\n"),
}


def ids(service: Service) -> dict[str, str]:
    return {fact["source"]: fact["id"] for fact in service.facts(limit=500)["facts"]}


def decide(service: Service, kind: str, ident: str, **more: Any) -> None:
    base = {"by": "user", "object": None, "changes": [], "why": "told so", "evidence": []}
    service.runtime.sync.decisions.record({**base, "kind": kind, "subjects": [ident], **more})


def items(service: Service, query: str, **options: Any) -> dict[str, dict[str, Any]]:
    return {item["id"]: item for item in service.recall(query, **options)["items"]}


def test_a_superseded_fact_gives_way_to_its_successor(place: Place) -> None:
    with place.fill(TIMEOUTS).opened() as service:
        known = ids(service)
        answer = service.recall("What is the timeout of the server?")
        facts = [item["id"] for item in answer["items"] if item["kind"] == "fact"]
        assert facts == [known["b.md"]]
        assert answer["hidden"] == {"stale": 1}
        for item in answer["items"]:
            if item["note"] == "a.md":  # its passage still says so, and is marked
                assert (item["state"], item["superseded_by"]) == ("stale", known["b.md"])


def test_a_question_about_the_past_or_who_asks_for_it_finds_what_is_stale(place: Place) -> None:
    with place.fill(TIMEOUTS).opened(recall__abstain=0.1) as service:
        known = ids(service)
        past = items(service, "timeout of the server formerly")
        assert past[known["a.md"]]["state"] == "stale"
        assert any("no longer" in why for why in past[known["a.md"]]["why"])
        asked = items(service, "timeout of the server", include=["stale"])
        assert known["a.md"] in asked


def test_on_an_earlier_day_what_was_superseded_later_still_holds(place: Place) -> None:
    with place.fill(TIMEOUTS).opened(recall__abstain=0.1) as service:
        known = ids(service)
        then = items(service, "What is the timeout of the server?", as_of="2026-02-01")
        assert then[known["a.md"]]["state"] == "active"
        assert known["b.md"] not in then
        since = items(service, "What is the timeout of the server?", as_of="2026-04-01")
        assert known["a.md"] not in since
        assert known["b.md"] in since


def test_what_was_true_until_a_day_gives_way_to_what_is(place: Place) -> None:
    place.fill(
        {
            "Old.md": "---\nvalid_to: 2026-02-01\n---\n# Parking\n\nThe parking permit is for the north yard.\n",
            "New.md": "# Parking permit\n\nThe parking permit is for the yard behind the mill.\n",
        }
    )
    with place.opened(recall__abstain=0.1) as service:
        assert service.recall("Which yard is the parking permit for?", as_of="2026-06-01")["notes"][0] == "New.md"
        old = service.recall("Which yard was the parking permit for formerly?", as_of="2026-06-01")
        assert "Old.md" in old["notes"][:2]


def test_neither_side_of_a_dispute_is_shown_alone(place: Place) -> None:
    place.fill(
        {
            "a.md": dated("2026-01-10", "# 服务器\n\n负责人：陈牧\n"),
            "b.md": dated("2026-03-10", "# 服务器\n\n负责人：苏禾\n"),
        }
    )
    with place.opened() as service:
        known = ids(service)
        found = items(service, "服务器的负责人是苏禾吗")
        assert found[known["a.md"]]["disputed_with"] == [known["b.md"]]
        assert found[known["b.md"]]["disputed_with"] == [known["a.md"]]
        assert any("争议" in why for why in found[known["a.md"]]["why"])


@pytest.mark.parametrize(
    ("kind", "hidden", "include"),
    [
        ("archive", "archived", "archived"),
        ("freeze", "frozen", "frozen"),
        ("quarantine", "quarantined", "quarantined"),
        ("forget", None, None),
        ("refuse", None, None),
    ],
)
def test_what_was_put_away_answers_only_who_asks_for_it(
    place: Place, kind: str, hidden: str | None, include: str | None
) -> None:
    with place.fill({"a.md": "# Pump\n\nThe pump costs 90 EUR.\n"}).opened() as service:
        [ident] = ids(service).values()
        assert ident in items(service, "pump costs")
        decide(service, kind, ident)
        answer = service.recall("pump costs")
        assert ident not in {item["id"] for item in answer["items"]}
        assert answer["hidden"] == ({hidden: 1} if hidden else {})
        if include is not None:
            assert ident in items(service, "pump costs", include=[include])
        [last] = service.runtime.catalog.latest_revisions(1)
        service.runtime.sync.decisions.undo(last["id"], "user", "no")
        assert ident in items(service, "pump costs")


def test_a_frozen_note_gives_no_items_and_comes_last(place: Place) -> None:
    place.fill({"a.md": "# Pump\n\nThe pump costs 90 EUR.\n", "b.md": "# Other\n\nA pump was seen in a shop window.\n"})
    with place.opened() as service:
        decide(service, "freeze", service.note("a.md")["id"])
        answer = service.recall("pump")
        assert [item["note"] for item in answer["items"]] == ["b.md"]
        assert answer["notes"] == ["b.md", "a.md"]
        assert answer["hidden"]["frozen"] >= 1
        assert "a.md" in [item["note"] for item in service.recall("pump", include=["frozen"])["items"]]


ARCHIVED = {
    "Archive/Kettle Timer/Plan.md": "# Plan\n\nThe buzzer costs 3 EUR.\n",
    "Now.md": "# Now\n\nA buzzer was bought.\n",
    "Done.md": "---\nstatus: archived\n---\n# Done\n\nThe sieve costs 5 EUR.\n",
}


def test_an_archived_project_answers_when_it_is_named(place: Place) -> None:
    with place.fill(ARCHIVED).opened() as service:
        answer = service.recall("buzzer")
        assert answer["notes"] == ["Now.md", "Archive/Kettle Timer/Plan.md"]
        assert [item["note"] for item in answer["items"]] == ["Now.md"]
        assert answer["hidden"]["archived"] >= 1
        named = service.recall("what does the buzzer of the kettle timer cost")
        assert "Archive/Kettle Timer/Plan.md" in [item["note"] for item in named["items"]]
        assert service.recall("the sieve")["items"] == []
        assert service.recall("the sieve", include=["archived"])["items"]


def test_and_is_back_when_it_leaves_the_archive_or_is_restored(place: Place) -> None:
    with place.fill(ARCHIVED).opened() as service:
        decide(service, "restore", service.note("Done.md")["id"])
        assert service.recall("the sieve")["items"]
        (place.vault / "Plan.md").parent.mkdir(exist_ok=True)
        (place.vault / "Archive/Kettle Timer/Plan.md").rename(place.vault / "Plan.md")
        service.catch_up(vectors=False)
        assert "Plan.md" in [item["note"] for item in service.recall("what does the buzzer cost")["items"]]


def test_a_correction_is_what_is_shown(place: Place) -> None:
    with place.fill({"a.md": "# Pump\n\nThe pump costs 90 EUR.\n"}).opened() as service:
        [ident] = ids(service).values()
        change = {"id": ident, "field": "fact", "before": None, "after": "The pump costs 95 EUR."}
        decide(service, "correct", ident, changes=[change])
        shown = items(service, "pump costs")[ident]
        assert shown["text"] == "The pump costs 95 EUR."
        assert shown["quote"] == "The pump costs 90 EUR."
