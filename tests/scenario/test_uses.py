"""Confirmed uses and corrections: what counts, once a day or session, across devices and rebuilds; being shown never does."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest, EbbtideError
from ebbtide.serve.service import Service
from support import Place, wait_until

NOTES = {
    "Pump.md": "---\ndate: 2026-01-10\n---\n# Pump\n\nThe pump costs 90 EUR.\n",
    "Kettle.md": "---\ndate: 2026-01-10\n---\n# Kettle\n\nThe kettle costs 40 EUR.\n",
}


def facts(service: Service) -> dict[str, str]:
    return {fact["source"]: fact["id"] for fact in service.facts(limit=500)["facts"]}


def item(service: Service, ident: str, query: str = "what does the pump cost") -> dict[str, Any]:
    [found] = [item for item in service.recall(query)["items"] if item["id"] == ident]
    return found


def test_a_use_warms_and_is_rewarded_and_being_shown_does_neither(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        pump = facts(service)["Pump.md"]
        before = item(service, pump)
        for _ in range(30):
            assert item(service, pump) == before
        assert service.uses([pump])["recorded"] == [pump]
        after = item(service, pump)
        assert (after["temperature"]["word"], before["temperature"]["word"]) == ("hot", "cool")
        assert before["parts"]["B"] == 0.0
        assert 0.0 < after["parts"]["B"] <= 0.08
        assert after["parts"]["F"] == before["parts"]["F"]  # use says nothing about truth
        assert after["score"] > before["score"]


def test_the_ledger_says_who_and_when_and_not_what_was_asked(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        pump = facts(service)["Pump.md"]
        service.uses([pump], query="my secret question", session="s-1", client="claude-code")
        [record] = place.ledger("uses/*.jsonl")
        assert record["kind"] == "used"
        assert record["by"] == "agent:claude-code"
        assert record["session"] == "s-1"
        assert record["subjects"] == [pump, service.note("Pump.md")["id"]]
        assert len(record["query_hash"]) == 32
    for file in [*place.base.rglob("*.jsonl"), *place.base.rglob("*.sqlite*")]:
        assert b"my secret question" not in file.read_bytes(), file


def test_an_id_counts_once_a_day_or_once_a_session(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        pump = facts(service)["Pump.md"]
        assert service.uses([pump, pump])["recorded"] == [pump]
        assert service.uses([pump])["ignored"] == [{"id": pump, "reason": "it was told already today"}]
        assert service.uses([pump], session="a")["recorded"] == [pump]
        assert service.uses([pump], session="a")["recorded"] == []
        assert service.uses([pump], session="b")["recorded"] == [pump]
        once = item(service, pump)["parts"]["B"]
        assert once == pytest.approx(0.08 * (0.5 + 0.5 * 0.2835), abs=1e-3)  # still one day


def test_a_passage_stands_for_its_note_and_what_is_unknown_is_said(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        note = service.note("Pump.md")
        assert service.uses([note["passages"][0]["id"]])["recorded"]
        assert place.ledger("uses/*.jsonl")[0]["subjects"] == [note["id"]]
        gone = ["f_0000000000000000", "n_0000000000000000", "p_0000000000000000"]
        assert [left["id"] for left in service.uses(gone)["ignored"]] == gone


def test_a_daemon_takes_only_what_it_has_shown(place: Place) -> None:
    with place.fill(NOTES).served() as daemon:
        service = daemon.service
        known = facts(service)
        assert service.uses([known["Pump.md"]])["ignored"][0]["reason"] == "it was not shown of late"
        shown = [entry["id"] for entry in service.recall("what does the pump cost")["items"]]
        assert service.uses(shown)["recorded"] == shown
        assert place.ledger("uses/*.jsonl")[0]["query_hash"] is not None


def test_what_was_called_wrong_is_asked_about_counts_less_and_stays(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        pump = facts(service)["Pump.md"]
        service.uses([pump])
        assert service.corrections([pump], "it was 95")["recorded"] == [pump]
        assert item(service, pump)["parts"]["B"] == 0.0
        [asked] = service.reviews("wrong")["reviews"]
        assert "it was 95" in asked["question"]
        assert [side["id"] for side in asked["sides"]] == [pump]
        service.rule(asked["id"], "still_true")
        assert service.reviews("wrong")["total"] == 0
        service.corrections([pump], "I am sure it was 95", session="later")
        [again] = service.reviews("wrong")["reviews"]
        service.rule(again["id"], "archive")
        assert service.reviews("wrong")["total"] == 0
        assert pump in place.facts()


def test_a_note_called_wrong_is_asked_about_too(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        service.corrections([service.note("Pump.md")["passages"][0]["id"]], "old shop")
        [asked] = service.reviews("wrong")["reviews"]
        assert asked["sides"][0]["note"] == "Pump.md"
        service.rule(asked["id"], "later")
        assert service.reviews("wrong")["total"] == 0


def test_uses_outlive_the_cache_and_come_from_other_devices(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        known = facts(service)
        service.uses([known["Pump.md"]])
        warm = item(service, known["Pump.md"])["parts"]
    for cache in place.caches:
        for file in cache.glob("catalog.sqlite*"):
            file.unlink()
    [own] = (place.vault / "Memory" / "uses").glob("*.jsonl")
    record = json.loads(own.read_text("utf-8")) | {"id": "u_00000000000000ff", "subjects": [known["Kettle.md"]]}
    yesterday = datetime.fromisoformat(record["at"]) - timedelta(days=1)
    other = own.with_name("0badcafe.jsonl")
    other.write_text(json.dumps(record | {"at": yesterday.isoformat(timespec="milliseconds")}) + "\n", "utf-8")
    with place.opened() as service:
        assert item(service, known["Pump.md"])["parts"] == warm
        assert item(service, known["Kettle.md"], "what does the kettle cost")["parts"]["B"] > 0
        other.write_text("", "utf-8")


def test_as_of_sets_the_clock_for_uses_too(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        pump = facts(service)["Pump.md"]
        service.uses([pump])
        now = datetime.now().astimezone().date()

        def earned(day: str) -> float:
            [found] = [i for i in service.recall("what does the pump cost", as_of=day)["items"] if i["id"] == pump]
            return float(found["parts"]["B"])

        assert earned("2026-01-20") == 0.0
        assert earned(str(now + timedelta(days=60))) < earned(str(now))


def test_nothing_is_written_where_only_reading_is_allowed(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        pump = facts(service)["Pump.md"]
    with place.opened(read_only=True) as service:
        with pytest.raises(EbbtideError):
            service.uses([pump])
        with pytest.raises(EbbtideError):
            service.corrections([pump], "no")
    with place.opened() as service, pytest.raises(BadRequest):
        service.corrections([pump], "  ")
    assert place.ledger("uses/*.jsonl") == []


PAST = {
    "Old.md": "---\ndate: 2026-01-10\n---\n# Gateway before\n\nThe gateway was formerly Nginx, with one big file of rules.\n",
    "New.md": "---\ndate: 2026-01-12\n---\n# Gateway\n\nThe gateway is now Envoy, with rules from the console.\n",
}


def test_a_use_of_what_tells_of_the_past_earns_nothing_for_now(place: Place) -> None:
    with place.fill(PAST).opened() as service:

        def asked(query: str) -> dict[str, Any]:
            return next(entry for entry in service.recall(query)["items"] if entry["note"] == "Old.md")

        now, past = "which gateway, which rules", "which gateway was it formerly, which rules"
        plain = asked(now)["score"], asked(past)["score"]
        service.uses([service.note("Old.md")["id"]])
        assert (asked(now)["score"], asked(now)["parts"]["gate"]) == (plain[0], 0.0)
        assert asked(past)["score"] > plain[1]
        assert asked(past)["parts"]["gate"] == 1.0


def test_an_edit_by_hand_warms_the_note_once_a_day_and_verifies_nothing(place: Place) -> None:
    place.fill(NOTES)
    with place.served() as daemon:
        service = daemon.service
        before = service.runtime.catalog.file("Pump.md")
        assert before is not None
        for price in (91, 92):
            place.write("Pump.md", NOTES["Pump.md"].replace("90", str(price)))
            wait_until(partial(facts_say, service, f"{price} EUR"), "the new price")
        wait_until(lambda: place.ledger("uses/*.jsonl"), "the edit in the ledger")
        [record] = place.ledger("uses/*.jsonl")
        assert (record["kind"], record["by"], record["subjects"]) == ("edited", "user", [before.id])
        events = service.runtime.catalog.uses([before.id])[before.id]
        assert [event.kind for event in events] == ["edited"]


def test_new_notes_rewrites_of_the_same_text_and_many_changes_at_once_are_no_edits(place: Place) -> None:
    many = {f"Many {n}.md": f"# Many {n}\n\nThe first text of number {n}.\n" for n in range(30)}
    with place.fill(NOTES | many).opened() as service:
        sync, edited = service.runtime.sync, list[str]()
        sync.on_edited = edited.append
        place.write("Pump.md", NOTES["Pump.md"])
        place.write("New.md", "# New\n\nThe new one costs 7 EUR.\n")
        sync.apply(["Pump.md", "New.md"])
        place.fill({path: text.replace("first", "second") for path, text in many.items()})
        sync.apply(many)
        assert edited == []
        place.write("New.md", "# New\n\nThe new one costs 8 EUR.\n")
        sync.apply(["New.md"])
        assert len(edited) == 1


def facts_say(service: Service, text: str) -> bool:
    return any(text in fact["fact"] for fact in service.facts(limit=500)["facts"])
