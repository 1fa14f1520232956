"""The real service answers in the shapes of the wire: every key there, of the right kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import EbbtideError
from ebbtide.runtime import open_service
from ebbtide.serve import client, wire, wire_answer, wire_exam, wire_health, wire_memory, wire_sleep, wire_tune
from ebbtide.serve.calls import CALLS, UseCases

NOTES = {
    "Home.md": '---\ntags: [home]\nalso: "[[Plan]]"\n---\n# Home\n\nWe decided to use SQLite in 2026-03 because it is '
    "one file. See [[Plan#Steps]] and [[Nowhere]]. ^a1\n\n- [ ] ship it #work\n",
    "Plan.md": "# Plan\n\n## Steps\n\n1. Copy the database.\n2. Never stop the server before the copy is done.\n",
    "笔记/搬家.md": "# 搬家\n\n2026-04-05 决定搬到良渚，因为房租便宜三成。\n",
    "Server.md": "---\ntype: debug\nresult: failure\n---\n# Server\n\n## Lesson\n\nNever stop the server by hand.\n",
    "Secret.md": "---\nmemory: false\n---\nnothing\n",
    "Broken.md": "---\na: [1\n---\ntext\n",
}


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[client.Local]:
    base = tmp_path_factory.mktemp("contract")
    vault = base / "vault"
    for name, text in NOTES.items():
        file = vault / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EBBTIDE_STATE", str(base / "state"))
        patch.setenv("EBBTIDE_CACHE", str(base / "cache"))
        with open_service(vault, read_only=True, vectors=False) as service:
            service_is_whole: UseCases = service
            yield client.Local(service_is_whole, vault)


def _check(name: str, data: bytes) -> dict[str, Any]:
    model: type[wire.Response] = next(
        getattr(module, CALLS[name].response)
        for module in (wire, wire_memory, wire_answer, wire_exam, wire_health, wire_sleep, wire_tune)
        if hasattr(module, CALLS[name].response)
    )
    body: dict[str, Any] = json.loads(data)
    model.model_validate(body)
    return body


ASKED = [
    ("status", {}),
    ("recall", {"query": "why SQLite?", "explain": True}),
    ("recall", {"query": "为什么搬家"}),
    ("recall", {"query": "?"}),
    ("recall", {"query": "("}),
    ("recall", {"query": ""}),
    ("recall", {"query": "(" * 100_000}),
    ("recall", {"query": "SQLite", "as_of": "2020-01-01", "include": ["frozen"], "layer": "semantic", "limit": 1}),
    ("recall", {"query": "SQLite", "scope": "笔记", "type": "decision", "budget": 50}),
    ("answer", {"query": "why SQLite?"}),
    ("answer", {"query": "为什么搬家", "local": True, "as_of": "2026-05-01", "scope": "笔记"}),
    ("answer", {"query": "What went wrong with the server last time?"}),
    ("answer", {"query": ""}),
    ("answer", {"query": "(" * 100_000, "include": ["stale"], "budget": 1}),
    ("related", {"note": "Home.md"}),
    ("related", {"note": "Home.md", "include": ["stale", "frozen"], "unlinked": True, "lang": "zh", "budget": 500}),
    ("why", {"query": "why SQLite?", "note": "Home.md", "lang": "zh"}),
    ("explain", {"query": "why SQLite?", "note": "Home.md"}),
    ("explain", {"query": "why SQLite?", "note": "笔记/搬家.md"}),
    ("explain", {"query": "为什么", "note": "Hone.md"}),
    ("explain", {"query": "why SQLite?", "note": "Home.md", "as_of": "2020-01-01", "scope": "笔记", "type": "lesson"}),
    ("facts", {}),
    ("facts", {"note": "Home.md", "limit": 1}),
    ("facts", {"refused": True}),
    ("facts", {"state": "active"}),
    ("facts", {"state": "disputed", "type": "decision"}),
    ("revisions", {"limit": 5}),
    ("reviews", {}),
    ("reviews", {"kind": "dispute", "limit": 1}),
    ("episodes", {}),
    ("episodes", {"result": "failure", "type": "Debug", "limit": 1}),
    ("episodes", {"result": "missing"}),
    ("episodes", {"note": "Server.md", "after": "2026-01-01 A.md"}),
    ("links", {}),
    ("links", {"unresolved": True}),
    ("links", {"note": "Plan.md", "limit": 1}),
    ("links", {"ambiguous": True}),
    ("links", {"broken_anchors": True}),
    ("links", {"orphans": True}),
    ("links", {"stats": True}),
    ("notes", {}),
    ("notes", {"status": "skipped"}),
    ("note", {"path": "Home.md"}),
    ("note", {"path": "笔记/搬家.md"}),
    ("note", {"path": "Broken.md"}),
    ("doctor", {}),
    ("doctor", {"lang": "zh"}),
    ("exam_questions", {}),
    ("exam_runs", {"limit": 2}),
    ("tune", {"dry_run": True}),
    ("sleep", {"dry_run": True}),
    ("health", {}),
    ("measure", {}),
    ("digest", {}),
    ("rebuild", {"what": "text"}),
    ("pause", {"minutes": 1}),
    ("resume", {}),
]


@pytest.mark.parametrize(("name", "arguments"), ASKED)
def test_an_answer_has_the_shape_of_the_wire(local: client.Local, name: str, arguments: dict[str, Any]) -> None:
    _check(name, local.ask(name, **arguments))


def test_one_fact_and_one_job(local: client.Local) -> None:
    facts = _check("facts", local.ask("facts"))["facts"]
    assert facts
    _check("fact", local.ask("fact", id=facts[0]["id"]))
    job = _check("rebuild", local.ask("rebuild", what="links"))
    _check("job", local.ask("job", id=job["id"]))


def test_pages_of_facts_follow_each_other(local: client.Local) -> None:
    whole = [fact["id"] for fact in json.loads(local.ask("facts", limit=1000))["facts"]]
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = json.loads(local.ask("facts", limit=1, after=after))
        seen += [fact["id"] for fact in page["facts"]]
        after = page["next"]
    assert seen == whole


@pytest.mark.parametrize(
    ("name", "arguments", "status"),
    [
        ("fact", {"id": "f_0000000000000000"}, 404),
        ("job", {"id": "j"}, 404),
        ("note", {"path": "Gone.md"}, 404),
        ("note", {"path": "Secret.md"}, 404),
        ("related", {"note": "Gone.md"}, 404),
        ("episodes", {"note": "Gone.md"}, 404),
        ("episodes", {"result": "maybe"}, 400),
        ("note", {"path": "../../etc/passwd"}, None),
        ("note", {"path": "/etc/passwd"}, None),
        ("note", {"path": "a\0b"}, None),
        ("note", {"path": "\udcff.md"}, 400),
        ("recall", {"query": "q", "as_of": "soon"}, 400),
        ("act", {"id": "f_0000000000000000", "action": "archive"}, 503),
        ("act", {"id": "f_0000000000000000", "action": "burn"}, 400),
        ("correct", {"id": "f_0000000000000000", "set": {"value": "1"}}, 503),
        ("correct", {"id": "f_0000000000000000", "set": {}}, 400),
        ("undo", {}, 503),
        ("rule", {"id": "q_0000000000000000", "ruling": "both"}, 503),
    ],
)
def test_a_refusal_is_of_the_one_tree(
    local: client.Local, name: str, arguments: dict[str, Any], status: int | None
) -> None:
    with pytest.raises(EbbtideError) as caught:
        local.ask(name, **arguments)
    assert caught.value.status < 504
    assert status is None or caught.value.status == status


def test_nothing_was_written_into_the_vault(local: client.Local) -> None:
    found = {
        str(file.relative_to(local.root)): file.read_text("utf-8") for file in local.root.rglob("*") if file.is_file()
    }
    assert found == NOTES
    assert not Path(local.root, "Memory").exists()
