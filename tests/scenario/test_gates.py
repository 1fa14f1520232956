"""What the gates make of real notes: refused with a reason, held, superseded, disputed, merged; and nothing is silent."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from ebbtide.serve.service import Service
from support import Place, notes_for


def dated(day: str, body: str) -> str:
    return f"---\ndate: {day}\n---\n{body}"


OLD = dated("2026-01-10", "# Server\n\nThe timeout is 30 seconds.\n")
NEW = dated("2026-03-10", "# Server\n\nThe timeout is now 45 seconds.\n")
OWNERS = {
    "a.md": dated("2026-01-10", "# 服务器\n\n负责人：陈牧\n"),
    "b.md": dated("2026-03-10", "# 服务器\n\n负责人：苏禾\n"),
}


def by_source(service: Service) -> dict[str, str]:
    return {fact["source"]: fact["id"] for fact in service.facts(limit=500)["facts"]}


def standing(service: Service, ident: str) -> Any:
    return service.runtime.sync.decisions.standing(ident)


@pytest.mark.parametrize("order", ["older first", "newer first", "at once"])
def test_a_later_value_of_the_same_slot_supersedes_at_once_whoever_is_read_first(place: Place, order: str) -> None:
    steps = {"older first": ["a.md", "b.md"], "newer first": ["b.md", "a.md"], "at once": []}[order]
    texts = {"a.md": OLD, "b.md": NEW}
    if not steps:
        place.fill(texts)
    with place.opened() as service:
        for path in steps:
            place.write(path, texts[path])
            service.catch_up(vectors=False)
        ids = by_source(service)
        old = standing(service, ids["a.md"])
        assert (old.state, old.superseded_by, old.fields) == ("stale", ids["b.md"], {"valid_to": "2026-03-10"})
        assert standing(service, ids["b.md"]).state == "active"
    [revision] = place.revisions("supersede")
    assert (revision["subjects"], revision["object"]) == ([ids["a.md"]], ids["b.md"])
    assert "45" in revision["why"]
    assert {entry["source"] for entry in revision["evidence"]} == {"a.md", "b.md"}


def test_a_supersession_can_be_undone_and_is_not_made_again(place: Place) -> None:
    place.fill({"a.md": OLD, "b.md": NEW})
    with place.opened() as service:
        ids = by_source(service)
        decisions = service.runtime.sync.decisions
        decisions.undo(standing(service, ids["a.md"]).last, "user", "both hold")
        assert standing(service, ids["a.md"]).state == "active"
        place.write("b.md", NEW + "\nMore.\n")
        service.catch_up(vectors=False)
        assert standing(service, ids["a.md"]).state == "active"
    with place.opened() as service:
        assert standing(service, ids["a.md"]).state == "active"


def test_what_cannot_be_ruled_is_disputed_both_ways(place: Place) -> None:
    with place.fill(OWNERS).opened() as service:
        ids = by_source(service)
        assert standing(service, ids["a.md"]).disputes == (ids["b.md"],)
        assert standing(service, ids["b.md"]).disputes == (ids["a.md"],)
        assert "负责人" in standing(service, ids["a.md"]).why
    [revision] = place.revisions("dispute")
    assert {*revision["subjects"], revision["object"]} == set(ids.values())


def test_an_edit_that_is_taken_back_makes_the_old_value_hold_again(place: Place) -> None:
    with place.opened() as service:
        for text in (OLD, NEW.replace("2026-03-10", "2026-01-10"), OLD):
            place.write("a.md", text)
            service.catch_up(vectors=False)
        [ident] = by_source(service).values()
        assert standing(service, ident).state == "active"


def test_a_lost_cache_changes_nothing_about_where_records_stand(place: Place) -> None:
    place.fill(OWNERS | {"c.md": OLD, "d.md": NEW})
    with place.served() as daemon:
        daemon.service.runtime.sync.outbox.deliver()
        ids = by_source(daemon.service)
        before = {path: standing(daemon.service, ident) for path, ident in ids.items()}
    ledger = place.ledger("revisions/*.jsonl")
    shutil.rmtree(place.base / "cache")
    with place.served() as daemon:
        assert by_source(daemon.service) == ids
        assert {path: standing(daemon.service, ident) for path, ident in ids.items()} == before
    assert place.ledger("revisions/*.jsonl") == ledger


def test_what_another_device_decided_holds_here(place: Place) -> None:
    place.fill({"a.md": OLD})
    with place.served() as daemon:
        [ident] = by_source(daemon.service).values()
    foreign = (
        '{"id":"r_00112233445566aa","at":"2030-01-01T00:00:00.000Z","by":"user","kind":"archive","subjects":["%s"],'
        '"object":null,"changes":[],"why":"old","evidence":[],"undoes":null}\n'
    )
    place.write("Memory/revisions/0badcafe.jsonl", foreign % ident)
    with place.served() as daemon:
        assert standing(daemon.service, ident).state == "archived"


@pytest.mark.parametrize("text", ["- [ ] call the bank\n", "TODO: reply to Ann\n", "见下文。\n", "谢谢大家！\n"])
def test_what_is_not_worth_it_is_no_fact(place: Place, text: str) -> None:
    with place.fill({"a.md": f"# A\n\n{text}\n"}).opened() as service:
        assert service.facts()["facts"] == []
        assert notes_for(service, "A") == ["a.md"]
