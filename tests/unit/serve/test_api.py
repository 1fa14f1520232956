"""The routes: what reaches the service, what comes back, and what happens when it fails."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import pytest

from ebbtide.memory import errors
from ebbtide.serve import wire, wire_answer, wire_exam, wire_health, wire_memory, wire_sleep, wire_tune
from ebbtide.serve.api import create_app
from ebbtide.serve.calls import CALLS, encode


def _model(name: str) -> type[wire.Response]:
    return next(
        getattr(module, name)
        for module in (wire, wire_memory, wire_answer, wire_exam, wire_health, wire_sleep, wire_tune)
        if hasattr(module, name)
    )


def test_every_call_is_a_route_and_every_route_a_call(site: Any) -> None:
    app = create_app(site.service, "t")
    routes = {(next(iter(route.methods)), route.path.replace(":path", "")) for route in app.routes}
    assert routes == {(call.method, call.path) for call in CALLS.values()}


@pytest.mark.parametrize(
    ("name", "arguments", "passed"),
    [
        ("status", {}, {}),
        (
            "recall",
            {"query": "为什么", "as_of": "2026-03-01", "include": ["frozen"], "type": "sprint"},
            {
                "query": "为什么",
                "type": "sprint",
                "layer": None,
                "scope": None,
                "as_of": "2026-03-01",
                "budget": None,
                "include": ["frozen"],
                "explain": False,
                "limit": None,
                "lang": None,
            },
        ),
        (
            "related",
            {"note": "a b/100% #1?.md", "include": ["stale", "frozen"], "unlinked": True, "lang": "zh"},
            {
                "note": "a b/100% #1?.md",
                "limit": 10,
                "type": None,
                "budget": None,
                "include": ["stale", "frozen"],
                "unlinked": True,
                "lang": "zh",
            },
        ),
        (
            "answer",
            {"query": "为什么", "include": ["stale"], "local": True},
            {
                "query": "为什么",
                "type": None,
                "layer": None,
                "scope": None,
                "as_of": None,
                "budget": None,
                "include": ["stale"],
                "local": True,
            },
        ),
        (
            "explain",
            {"query": "q", "note": "Home.md", "as_of": "2026-03-01"},
            {
                "query": "q",
                "note": "Home.md",
                "type": None,
                "layer": None,
                "scope": None,
                "as_of": "2026-03-01",
                "budget": None,
                "include": [],
                "limit": None,
                "lang": None,
                "near": None,
                "unlinked": False,
            },
        ),
        (
            "facts",
            {"note": "Home.md", "refused": True},
            {"note": "Home.md", "type": None, "after": "", "limit": 50, "refused": True, "state": None},
        ),
        ("fact", {"id": "f_3f9a1c0b7de24851"}, {"id": "f_3f9a1c0b7de24851"}),
        (
            "correct",
            {"id": "f_1", "set": {"value": None, "tags": ["a"]}, "client": "desk-1"},
            {"id": "f_1", "set": {"value": None, "tags": ["a"]}, "why": "", "client": "desk-1"},
        ),
        (
            "act",
            {"id": "n_1", "action": "archive", "why": "旧"},
            {"id": "n_1", "action": "archive", "why": "旧", "client": None},
        ),
        ("undo", {}, {"id": None, "why": "", "client": None}),
        ("revisions", {"limit": 3}, {"limit": 3}),
        ("reviews", {"kind": "held"}, {"kind": "held", "limit": 50, "after": "", "lang": None}),
        (
            "uses",
            {"ids": ["f_1"], "kind": "opened", "client": "desk-1"},
            {"ids": ["f_1"], "kind": "opened", "query": None, "session": None, "client": "desk-1"},
        ),
        (
            "corrections",
            {"ids": ["n_1"], "why": "旧", "session": "s"},
            {"ids": ["n_1"], "why": "旧", "query": None, "session": "s", "client": None},
        ),
        (
            "rule",
            {"id": "q_1", "ruling": "keep_a", "why": "yes"},
            {"id": "q_1", "ruling": "keep_a", "why": "yes", "client": None},
        ),
        (
            "links",
            {"unresolved": True, "limit": 7},
            {
                "note": None,
                "unresolved": True,
                "ambiguous": False,
                "broken_anchors": False,
                "orphans": False,
                "stats": False,
                "after": "",
                "limit": 7,
            },
        ),
        ("notes", {"status": "failed"}, {"status": "failed", "limit": 200}),
        ("note", {"path": "折 叠/100% #1?&.md"}, {"path": "折 叠/100% #1?&.md"}),
        ("exam", {"only": "planted"}, {"only": "planted", "budget": None, "keep": True}),
        ("tune", {"dry_run": True}, {"dry_run": True, "client": None}),
        (
            "sleep",
            {"dry_run": True, "since": "2026-11-01"},
            {"dry_run": True, "since": "2026-11-01", "undo": False, "day": None, "client": None},
        ),
        ("exam_runs", {"limit": 3}, {"limit": 3}),
        ("exam_questions", {}, {}),
        (
            "exam_add",
            {"query": "为什么？", "gold": ["折 叠.md"], "quote": "因为"},
            {
                "query": "为什么？",
                "gold": ["折 叠.md"],
                "against": [],
                "quote": "因为",
                "answers": [],
                "kind": None,
                "type": None,
                "as_of": None,
                "scope": None,
                "last": None,
                "client": None,
            },
        ),
        ("exam_remove", {"id": "x_1", "undo": True}, {"id": "x_1", "undo": True}),
        ("health", {"days": 7}, {"days": 7}),
        ("measure", {"keep": False}, {"keep": False}),
        ("digest", {}, {}),
        ("rebuild", {"what": "text"}, {"what": "text"}),
        ("job", {"id": "j1"}, {"id": "j1"}),
        ("doctor", {"lang": "zh"}, {"lang": "zh"}),
        ("pause", {"minutes": 5}, {"minutes": 5}),
        ("resume", {}, {}),
    ],
)
def test_arguments_arrive_and_the_answer_is_the_services_own(
    site: Any, name: str, arguments: dict[str, Any], passed: dict[str, Any]
) -> None:
    target, body = CALLS[name].target(arguments)
    reply = site.ask(CALLS[name].method, target, body)
    assert reply.status == 200, reply.data
    assert site.service.asked == [(name, passed)]
    _model(CALLS[name].response).model_validate(reply.body)
    assert reply.headers["content-type"] == "application/json"


def test_status_names_the_port_that_was_bound(site: Any) -> None:
    assert site.ask("GET", "/v1/status").body["port"] == site.bound.port


@pytest.mark.parametrize(
    "target",
    [
        "/v1/related",
        "/v1/related?note=",
        "/v1/related?note=a&x=1",
        "/v1/related?note=a&limit=0",
        "/v1/facts?type=deep",
        "/v1/facts?limit=many",
        "/v1/links?unresolved=perhaps",
        "/v1/notes?status=lost",
        "/v1/facts/" + "f" * 100,
        "/v1/facts?state=gone",
        "/v1/reviews?kind=odd",
        "/v1/revisions?limit=0",
    ],
)
def test_wrong_arguments_are_a_400_that_names_them(site: Any, target: str) -> None:
    reply = site.ask("GET", target)
    assert (reply.status, reply.code) == (400, "bad-request")
    assert "`" in reply.body["error"]["reason"]
    assert site.service.asked == []


KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.EbbtideError)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_of_the_tree_has_its_status_and_body(site: Any, kind: type[errors.EbbtideError]) -> None:
    def act() -> None:
        raise kind("It is so.", "Do this.")

    site.service.before = act
    reply = site.ask("GET", "/v1/doctor")
    assert reply.status == kind.status
    assert reply.body == {"error": {"code": kind.code, "reason": "It is so.", "remedy": "Do this."}}


class PanicException(BaseException):
    """What a panic in a Rust library looks like from here."""


@pytest.mark.parametrize("kind", [RuntimeError, KeyError, MemoryError, RecursionError, PanicException])
@pytest.mark.parametrize(
    ("method", "path", "body"), [("GET", "/v1/doctor", None), ("POST", "/v1/recall", {"query": "q"})]
)
def test_the_unforeseen_is_a_500_without_traceback(
    site: Any, kind: type[BaseException], method: str, path: str, body: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def act() -> None:
        raise kind("secret detail")

    site.service.before = act
    with caplog.at_level(logging.ERROR, "ebbtide.serve.api"):
        reply = site.ask(method, path, body)
    assert (reply.status, reply.code) == (500, "internal")
    assert b"secret" not in reply.data
    assert b"Traceback" not in reply.data
    assert "secret detail" in caplog.text
    site.service.before = lambda: None
    assert site.ask("GET", "/v1/status").status == 200


def test_too_many_searches_at_once_are_sent_away_and_the_state_still_answers(site: Any) -> None:
    go, inside = threading.Event(), threading.Semaphore(0)

    def wait() -> None:
        if site.service.asked[-1][0] == "recall":
            inside.release()
            go.wait(10)

    site.service.before = wait
    replies: list[int] = []
    threads = [
        threading.Thread(target=lambda: replies.append(site.ask("POST", "/v1/recall", {"query": "q"}).status))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
        assert inside.acquire(timeout=5)
    busy = site.ask("POST", "/v1/recall", {"query": "q"})
    assert (busy.status, busy.code, busy.headers["retry-after"]) == (503, "busy", "1")
    assert site.ask("GET", "/v1/status").status == 200
    go.set()
    for thread in threads:
        thread.join(10)
    assert replies == [200, 200]
    assert site.ask("POST", "/v1/recall", {"query": "q"}).status == 200, "the turns were given back"


def test_turns_are_given_back_after_failures(site: Any) -> None:
    def act() -> None:
        raise errors.BadRequest("No.", "")

    site.service.before = act
    for _ in range(5):
        assert site.ask("POST", "/v1/recall", {"query": "q"}).status == 400
    site.service.before = lambda: None
    assert site.ask("POST", "/v1/recall", {"query": "q"}).status == 200


def test_what_json_cannot_carry_does_not_fail_an_answer() -> None:
    assert encode({"a": float("nan"), "b": [1.5, float("inf")]}) == b'{"a":null,"b":[1.5,null]}'
    assert encode({"path": "bad\udcff.md", "好": "值"}) == '{"path":"bad?.md","好":"值"}'.encode()


def test_stopping_waits_for_what_runs(own_site: Any) -> None:
    site = own_site
    site.service.before = lambda: time.sleep(0.5)
    replies: list[int] = []
    thread = threading.Thread(target=lambda: replies.append(site.ask("GET", "/v1/doctor").status))
    thread.start()
    while not site.service.asked:
        time.sleep(0.01)
    assert site.bound.stop()
    thread.join(5)
    assert replies == [200]
    assert not site.bound.alive
