"""A local service that speaks Anthropic's Messages and Message Batches API over HTTP, well and badly.

It is the one fake of the paid model: real sockets, and the real SDK against it. It answers by an *actor*, a function from
the note it was shown to an answer; what goes wrong is scripted request by request. Every request is written down.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from support import Place

MODEL = "claude-test"
KEY = "sk-test-not-a-key"
_NOTE = re.compile(r"^===== (?:note|memories|candidate) (\w+)\n(.*?)\n===== end \1$", re.DOTALL | re.MULTILINE)
FIELDS = ("worth", "subject", "attribute", "value", "unit", "valid_from", "valid_to", "trigger", "action", "why")


def fact(quote: str, text: str | None = None, kind: str = "decision", **more: str) -> dict[str, str]:
    """A fact as the schema wants it."""
    empty = dict.fromkeys(FIELDS, "")
    return (
        empty
        | {"frame": "current", "scope": "observation"}
        | more
        | {"quote": quote, "fact": text or quote, "type": kind}
    )


def answer(*facts: dict[str, str], **episode: str) -> dict[str, Any]:
    """A whole answer."""
    about = {"trigger": "", "result_quote": "", "result": "unknown", "artifact": "", "lesson": ""} | episode
    return {"reasoning": "It tells of a decision.", "facts": list(facts), "episode": about}


def honest(note: str) -> dict[str, Any]:
    """Every line that decides something, word for word."""
    lines = [line for line in note.split("\n") if "decided" in line or "决定" in line]
    return answer(*(fact(line) for line in lines[:10]))


def obedient(note: str) -> dict[str, Any]:
    """A model that has fallen for an order in the note: it says what is demanded, once made up and once as if quoted."""
    demanded = re.search(r'fact "([^"]+)"|事实“([^”]+)”', note)
    if demanded is None:
        return honest(note)
    text = demanded[1] or demanded[2]
    order = next(line for line in note.split("\n") if text in line)
    return answer(
        fact(text), fact(order, text), fact("Quoted from nowhere, but said with conviction.", text), fact(order)
    )


@dataclass
class Seen:
    """A request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    raw: bytes


@dataclass
class Work:
    """A batch."""

    id: str
    requests: list[dict[str, Any]]
    created: datetime
    state: str = "in_progress"
    lines: list[dict[str, Any]] = field(default_factory=list)


class FakeClaude:
    """The service. `script` holds what happens to the next requests, by name; an empty one means: all is well.

    ok, limit (429 with retry-after 7), overloaded (529), broken (500), denied (401), unknown (404), poor (400, no credit),
    rejected (400), reset (the connection breaks), silent (no answer while the server lives), page (HTML with status 200),
    half (half a body), truncated (max_tokens), refusal, prose (no JSON), list (JSON, but no object), odd (an object
    without facts), redirect (to `elsewhere`).
    """

    def __init__(self) -> None:
        self.script: deque[str] = deque()
        self.actor: Callable[[str], dict[str, Any]] = honest
        self.seen: list[Seen] = []
        self.connections = 0
        self.batches: dict[str, Work] = {}
        self.in_batch: dict[int, str] = {}
        """What becomes of the nth request of a batch: errored, expired, canceled, or a word of the script."""
        self.elsewhere = ""
        self.closing = threading.Event()
        self._cached: set[str] = set()
        self._lock = threading.Lock()
        fake = self

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def get_request(self) -> Any:
                fake.connections += 1
                return super().get_request()

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that gave up is part of the play."""

        self._server = Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"fake": self}))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def asked(self) -> list[Seen]:
        """Requests for one message."""
        return [seen for seen in self.seen if seen.path == "/v1/messages"]

    def sent(self) -> str:
        """Everything that ever came in, bodies, paths and headers, as one text."""
        return "\n".join(
            f"{s.path} {s.headers} {s.raw.decode()} {json.dumps(s.body, ensure_ascii=False)}" for s in self.seen
        )

    def finish(self, name: str | None = None) -> None:
        """Let a batch (all of them) come to its end."""
        for work in self.batches.values():
            if work.state != "ended" and name in (None, work.id):
                work.lines = [self._line(i, request) for i, request in enumerate(work.requests)][::-1]
                work.state = "ended"

    def _line(self, index: int, request: dict[str, Any]) -> dict[str, Any]:
        what = self.in_batch.get(index, "ok")
        if what in ("expired", "canceled"):
            result: dict[str, Any] = {"type": what}
        elif what == "errored":
            error = {"type": "error", "error": {"type": "api_error", "message": "inside"}, "request_id": None}
            result = {"type": what, "error": error}
        else:
            result = {"type": "succeeded", "message": self.message(request["params"], what)}
        return {"custom_id": request["custom_id"], "result": result}

    def message(self, params: dict[str, Any], what: str) -> dict[str, Any]:
        """A message with its usage, as the cache stands."""
        system, text = params["system"][0]["text"], params["messages"][0]["content"]
        found = _NOTE.search(text)
        assert found is not None, "no note between two lines with the same token"
        body = json.dumps(self.actor(found[2]), ensure_ascii=False)
        body = {"prose": "I think that", "list": "[1, 2]", "odd": '{"reasoning": "x"}', "truncated": body[:20]}.get(
            what, body
        )
        content = [] if what == "refusal" else [{"type": "text", "text": body, "citations": None}]
        stop = {"truncated": "max_tokens", "refusal": "refusal"}.get(what, "end_turn")
        with self._lock:
            hit = system in self._cached and "cache_control" in params["system"][0]
            self._cached.add(system)
        usage = {
            "input_tokens": len(text) // 4,
            "output_tokens": len(body) // 4,
            "cache_creation_input_tokens": 0 if hit else len(system) // 4,
            "cache_read_input_tokens": len(system) // 4 if hit else 0,
        }
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": params["model"], "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": usage,
        }  # fmt: skip

    def begin(self, requests: list[dict[str, Any]]) -> Work:
        """A new batch."""
        work = Work(f"msgbatch_{len(self.batches) + 1}", requests, datetime.now(UTC))
        self.batches[work.id] = work
        return work

    def told(self, work: Work) -> dict[str, Any]:
        """A batch as the API shows it."""
        done = work.state == "ended"
        counts = dict.fromkeys(("canceled", "errored", "expired", "processing", "succeeded"), 0)
        counts["succeeded" if done else "processing"] = len(work.requests)
        return {
            "id": work.id, "type": "message_batch", "processing_status": work.state, "request_counts": counts,
            "created_at": work.created.isoformat(), "expires_at": (work.created + timedelta(days=1)).isoformat(),
            "ended_at": work.created.isoformat() if done else None, "archived_at": None, "cancel_initiated_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{work.id}/results" if done else None,
        }  # fmt: skip


_STATUS = {
    "limit": (429, "rate_limit_error", "slow down"),
    "overloaded": (529, "overloaded_error", "overloaded"),
    "broken": (500, "api_error", "inside"),
    "denied": (401, "authentication_error", "invalid x-api-key"),
    "unknown": (404, "not_found_error", "model: claude-test"),
    "poor": (400, "invalid_request_error", "Your credit balance is too low"),
    "rejected": (400, "invalid_request_error", "output_config: unknown"),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeClaude

    def log_message(self, format: str, *args: Any) -> None:
        """Not on the test's screen."""

    def do_GET(self) -> None:
        self._handle(b"")

    def do_POST(self) -> None:
        self._handle(self.rfile.read(int(self.headers.get("content-length") or 0)))

    def _handle(self, raw: bytes) -> None:
        fake, path = self.fake, self.path.partition("?")[0]
        body = json.loads(raw) if raw else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        fake.seen.append(Seen(self.command, path, headers, body, raw))
        what = fake.script.popleft() if fake.script else "ok"
        if what in _STATUS:
            code, kind, text = _STATUS[what]
            error = {"type": "error", "error": {"type": kind, "message": text}}
            self._reply(code, error, {"retry-after": "7"} if what == "limit" else {})
        elif what == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
        elif what == "silent":
            fake.closing.wait(60)
            self.close_connection = True
        elif what == "page":
            self._raw(200, b"<html>please sign in</html>", {"content-type": "text/html"})
        elif what == "half":
            self._raw(200, b'{"id": "msg_1", "type": "mess', {"content-type": "application/json"})
        elif what == "redirect":
            self._raw(307, b"", {"location": fake.elsewhere + self.path})
        else:
            self._service(path, body, what)

    def _service(self, path: str, body: Any, what: str) -> None:
        fake, parts = self.fake, path.strip("/").split("/")
        if path == "/v1/messages":
            self._reply(200, fake.message(body, what))
        elif path == "/v1/messages/batches" and self.command == "POST":
            self._reply(200, fake.told(fake.begin(body["requests"])))
        elif path == "/v1/messages/batches":
            found = [fake.told(work) for work in reversed(fake.batches.values())]
            self._reply(200, {"data": found, "has_more": False, "first_id": None, "last_id": None})
        elif parts[3] not in fake.batches:
            self._reply(404, {"type": "error", "error": {"type": "not_found_error", "message": "no such batch"}})
        else:
            work = fake.batches[parts[3]]
            if path.endswith("/results"):
                lines = "".join(json.dumps(line) + "\n" for line in work.lines)
                self._raw(200, lines.encode(), {"content-type": "application/x-jsonl"})
                return
            if path.endswith("/cancel"):
                work.state = "canceling"
            self._reply(200, fake.told(work))

    def _reply(self, code: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self._raw(code, json.dumps(body).encode(), {"content-type": "application/json", **(headers or {})})

    def _raw(self, code: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def fake_claude() -> Iterator[FakeClaude]:
    """A running service."""
    fake = FakeClaude()
    try:
        yield fake
    finally:
        fake.close()


def keyed(place: Place, fake: FakeClaude, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Place:
    """A vault whose user has chosen a model and given a key; options by name, `__` for the dot."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    named = {key.replace("__", "."): value for key, value in options.items()}
    place.options |= {"claude.model": MODEL, "claude.base_url": fake.url, "claude.timeout": 5, **named}
    return place
