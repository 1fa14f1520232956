"""The ledgers of decisions between git, sync programs, full disks and hands that delete: nothing decided is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ebbtide.serve.service import Service
from support import Place

NOTE = "# Pond\n\nThe pond cost 400 EUR in 2026-05.\n\nWe decided to plant lilies instead of reeds in 2026-04.\n"


def decide(service: Service, kind: str, number: int = 0) -> dict[str, Any]:
    ident = sorted(fact["id"] for fact in service.facts()["facts"])[number]
    news = {"by": "user", "kind": kind, "subjects": [ident], "object": None, "changes": [], "why": "", "evidence": []}
    [made] = service.runtime.sync.decisions.record(news)
    service.runtime.sync.outbox.deliver()
    return made


def states(service: Service) -> list[str]:
    decisions = service.runtime.sync.decisions
    return [decisions.standing(ident).state for ident in sorted(fact["id"] for fact in service.facts()["facts"])]


def own(place: Place) -> Path:
    return place.vault / "Memory/revisions" / f"{(place.base / 'state/device').read_text().strip()}.jsonl"


def codes(service: Service) -> list[str]:
    return [problem["code"] for problem in service.status()["problems"]]


@pytest.mark.parametrize("cache", ["kept", "lost"])
@pytest.mark.parametrize("how", ["markers", "copy", "torn"])
def test_both_sides_of_a_conflict_hold(place: Place, how: str, cache: str) -> None:
    with place.fill({"Pond.md": NOTE}).opened() as service:
        decide(service, "archive", 0)
        decide(service, "quarantine", 1)
    one, two = own(place).read_bytes().splitlines(keepends=True)
    other = own(place).with_name("0badcafe.jsonl")
    if how == "markers":
        own(place).write_bytes(b"<<<<<<< HEAD\n" + one + b"=======\n" + two + b">>>>>>> theirs\n")
    elif how == "copy":
        own(place).write_bytes(one)
        own(place).with_name(f"{own(place).stem}.sync-conflict-20261130-120000-ABCDEFG.jsonl").write_bytes(two)
    else:
        other.write_bytes(b'{"id":"r_torn","kind":"arch\n' + two + b'{"id":"r_to')
        own(place).write_bytes(one)
    if cache == "lost":
        shutil.rmtree(place.base / "cache")
    with place.opened() as service:
        assert states(service) == ["archived", "quarantined"]
        broken = [p for p in service.status()["problems"] if p["code"] == "jsonl-line"]
        assert [(p["path"], p["line"]) for p in broken] == ([("revisions/0badcafe.jsonl", 1)] if how == "torn" else [])
        decide(service, "pin", 0)
    assert {r["kind"] for r in read(place)} == {"archive", "quarantine", "pin"}


def read(place: Place) -> list[dict[str, Any]]:
    """Revisions of all ledgers, each once."""
    lines = [line for file in (place.vault / "Memory/revisions").iterdir() for line in file.read_bytes().split(b"\n")]
    found = {}
    for line in lines:
        if line.startswith(b'{"id"') and line.endswith(b"}"):
            record = json.loads(line)
            found[record["id"]] = record
    return list(found.values())


@pytest.mark.parametrize("how", ["half", "gone", "folder"])
@pytest.mark.parametrize("whose", ["own", "other"])
def test_decisions_that_the_ledgers_lost_are_written_again(place: Place, how: str, whose: str) -> None:
    with place.fill({"Pond.md": NOTE}).opened() as service:
        decide(service, "archive", 0)
        decide(service, "quarantine", 1)
        if whose == "other":
            own(place).rename(own(place).with_name("0badcafe.jsonl"))
            service.runtime.write_facts()
    before = read(place)
    file = own(place) if whose == "own" else own(place).with_name("0badcafe.jsonl")
    if how == "half":
        file.write_bytes(file.read_bytes().splitlines(keepends=True)[0])
    elif how == "gone":
        file.unlink()
    else:
        shutil.rmtree(file.parent)
    with place.opened() as service:
        assert states(service) == ["archived", "quarantined"]
        assert "ledger-shrank" in codes(service)
    assert sorted(read(place), key=lambda r: str(r["id"])) == sorted(before, key=lambda r: str(r["id"]))
    shutil.rmtree(place.base / "cache")
    with place.opened() as service:
        assert states(service) == ["archived", "quarantined"]
        assert "ledger-shrank" not in codes(service)
    assert len([r for r in place.ledger("revisions/*.jsonl") if r["kind"] == "archive"]) == 1


def test_a_decision_that_cannot_be_written_waits_and_arrives_once(place: Place) -> None:
    with place.fill({"Pond.md": NOTE}).opened() as service:
        folder = place.vault / "Memory/revisions"
        folder.write_text("no folder can be made here\n")
        made = decide(service, "archive", 0)
        assert states(service)[0] == "archived"
        assert "memory-write" in [problem.code for problem in [service.runtime.sync.outbox.problem] if problem]
    with place.opened() as service:
        assert states(service)[0] == "archived"
        folder.unlink()
    with place.opened() as service:
        assert service.runtime.sync.outbox.problem is None
    assert [record["id"] for record in place.ledger("revisions/*.jsonl")] == [made["id"]]


def test_a_read_only_look_writes_nothing_again(place: Place) -> None:
    with place.fill({"Pond.md": NOTE}).opened() as service:
        decide(service, "archive", 0)
    own(place).unlink()
    with place.opened(read_only=True) as service:
        assert states(service)[0] == "archived"
    assert not own(place).exists()
