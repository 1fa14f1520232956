"""A stand-in for the service behind a real server on a real socket. The real service has its own tests."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import NotFound
from ebbtide.serve import docs
from ebbtide.serve.api import create_app
from ebbtide.serve.server import Bound, serve

TOKEN = "t" * 43
ORIGIN = "app://obsidian.md"


def example(schema: str, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(docs.schema_text(schema))["examples"][number]
    return found


@dataclass
class StandIn:
    """Answers with the examples of the schemas and remembers what it was asked."""

    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        if name.startswith("_"):
            raise AttributeError(name)

        def answer(**named: Any) -> dict[str, Any]:
            self.asked.append((name, named))
            self.before()
            if name == "fact" and named["id"] != example("fact")["id"]:
                raise NotFound("There is no such fact.", "See `ebbtide facts`.")
            return ANSWERS[name]

        return answer


def _view() -> dict[str, Any]:
    return example("fact") | {
        "layer": "semantic",
        "state": "active",
        "temperature": None,
        "superseded_by": None,
        "merged_into": None,
        "disputes": ["f_0d52e6a8b9174c3e"],
        "expired": False,
        "pinned": True,
        "frozen": False,
        "forgotten": False,
        "refused": False,
    }


def _revised() -> dict[str, Any]:
    note = {"id": "n_1", "path": "Home.md", "state": "archived"} | dict.fromkeys(
        ("pinned", "frozen", "forgotten", "refused"), False
    )
    return {
        "revisions": [example("revision")],
        "undone": None,
        "facts": [_view()],
        "notes": [note],
        "absent": ["f_0000000000000001"],
    }


_SIDE = {
    "id": "f_1",
    "fact": "The pond cost 400 EUR.",
    "note": "Pond.md",
    "line": 3,
    "quote": "It cost 400 EUR.",
    "date": "2026-05",
    "state": "active",
    "private": False,
}


_JOB = {
    "id": "j1",
    "what": "rebuild all",
    "state": "done",
    "message": "",
    "started": None,
    "finished": None,
    "progress": {"phase": "idle", "done": 0, "total": 0, "eta_seconds": None},
}
ANSWERS: dict[str, dict[str, Any]] = {
    "status": example("status"),
    "recall": example("recall-response"),
    "related": {"note": "Home.md", "items": [], "ms": {}, "skipped": [], "empty_reason": "No other note is near."},
    "explain": {
        "query": "q",
        "note": "Home.md",
        "found": True,
        "rank": 1,
        "returned": False,
        "reason": "The budget was full.",
        "steps": [{"step": "budget", "passed": False, "message": "full"}],
        "items": [example("recall-response")["items"][0]],
    },
    "facts": {
        "facts": [_view()],
        "refused": [
            {
                "note": "Home.md",
                "outcome": "refuse",
                "gate": "worth",
                "code": "chatter",
                "reason": "thanks",
                "fact": {"fact": "谢谢", "line": 3},
            }
        ],
        "counts": {"worth": {"chatter": 1}},
        "total": 1,
        "next": None,
    },
    "fact": {"fact": _view(), "history": [example("revision") | {"undone": True}]},
    "correct": _revised(),
    "act": _revised(),
    "undo": _revised() | {"undone": "r_0123456789abcdef"},
    "rule": _revised(),
    "uses": {"recorded": ["f_1"], "ignored": [{"id": "f_2", "reason": "told already"}], "day": "2026-11-30"},
    "corrections": {"recorded": ["f_1"], "ignored": [], "day": "2026-11-30"},
    "revisions": {"revisions": [example("revision") | {"undone": False, "parts": 2}]},
    "reviews": {
        "reviews": [
            {
                "id": "q_1",
                "kind": "dispute",
                "since": "2026-05-01T00:00:00Z",
                "question": "Which one holds?",
                "why": None,
                "lang": "en",
                "sides": [_SIDE, _SIDE | {"id": "f_2", "date": None}],
                "choices": [{"ruling": "keep_a", "label": "The older one"}, {"ruling": "later", "label": "Later"}],
            }
        ],
        "counts": {"dispute": 1, "lines": 0},
        "total": 1,
        "next": None,
    },
    "episodes": {
        "episodes": [
            {
                "note": "Work/Sprint 9.md",
                "title": "Sprint 9",
                "type": "sprint",
                "date": "2026-01-16",
                "result": "failure",
                "stated": True,
                "sign": "type",
                "missing": ["trigger"],
                "private": False,
                "parts": {"lesson": {"text": "Ask first", "line": 5, "quote": "Ask first"}},
                "facts": ["f_1"],
            }
        ],
        "total": 1,
        "counts": {"failure": 1},
        "next": None,
    },
    "links": {
        "links": [example("link", number) | {"near": [], "others": [], "missing": None} for number in (0, 1)],
        "total": 2,
        "unresolved": 1,
        "ambiguous": 0,
        "orphans": [],
        "orphan_counts": None,
        "stats": None,
        "next": None,
    },
    "notes": {
        "notes": [
            {
                "path": "大事记.md",
                "id": "n_1",
                "title": "大事记",
                "status": "skipped",
                "reason": "memory: false",
                "passages": 0,
                "facts": 0,
                "links": 2,
            }
        ],
        "total": 1,
        "counts": {"indexed": 0, "skipped": 1},
    },
    "note": {
        "path": "Home.md",
        "id": "n_2",
        "title": "Home",
        "status": "indexed",
        "reason": None,
        "digest": "d",
        "properties": {"lang": "en"},
        "aliases": [],
        "tags": [{"name": "a", "offset": 9, "line": 2}],
        "headings": [{"text": "Top", "level": 1, "offset": 0, "line": 1}],
        "blocks": [{"id": "b", "offset": 1, "line": 1}],
        "passages": [],
        "facts": [_view()],
        "links": [example("link")],
        "backlinks": [],
        "problems": [],
    },
    "rebuild": _JOB,
    "job": _JOB,
    "doctor": {"ok": False, "checks": [{"name": "model", "ok": False, "message": "missing", "fix": "install it"}]},
    "pause": {"state": "paused", "paused_until": None},
    "resume": {"state": "ready", "paused_until": None},
}


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.data)

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])


@dataclass
class Site:
    """A running server and a plain client for it."""

    bound: Bound
    service: StandIn

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str | None] | None = None,
    ) -> Reply:
        """One request; a header of None is left out, bytes go as they are."""
        sent: dict[str, str | None] = {"Host": f"127.0.0.1:{self.bound.port}", "Authorization": f"Bearer {TOKEN}"}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
            sent["Content-Length"] = str(len(data))
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.bound.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        reply = Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        connection.close()
        return reply


def started() -> Site:
    service = StandIn()
    bound = serve(create_app(service, TOKEN, searches=2, patience=0.2), 0)
    bound.start()
    return Site(bound, service)


@pytest.fixture(scope="module")
def _site() -> Iterator[Site]:
    site = started()
    yield site
    assert site.bound.stop()


@pytest.fixture
def site(_site: Site) -> Site:
    """A server that the tests of a module share, its memory wiped."""
    _site.service.asked.clear()
    _site.service.before = lambda: None
    return _site


@pytest.fixture
def own_site() -> Iterator[Site]:
    """A server that the test may stop."""
    site = started()
    yield site
    site.bound.stop()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("EBBTIDE_STATE", str(folder))
    monkeypatch.delenv("EBBTIDE_VAULT", raising=False)
    return folder


@pytest.fixture
def schema_example() -> Callable[[str, int], dict[str, Any]]:
    return example
