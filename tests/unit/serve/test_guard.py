"""Who gets in: Host, Origin, token, interface level, content type and size, over a real socket (design/stack.md 6)."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from ebbtide.serve.calls import CALLS

ORIGIN = "app://obsidian.md"


@pytest.mark.parametrize(
    "host",
    [
        "evil.com",
        "127.0.0.1.nip.io:{port}",
        "localhost.:{port}",
        "0.0.0.0:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        None,
        "localhost",
        "127.0.0.1:{port}.evil.com",
    ],
)
def test_a_foreign_host_is_refused(site: Any, host: str | None) -> None:
    named = None if host is None else host.format(port=site.bound.port)
    reply = site.ask("GET", "/v1/status", headers={"Host": named})
    assert reply.status == 400
    assert "access-control-allow-origin" not in reply.headers
    assert site.service.asked == []


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_our_own_names_pass(site: Any, host: str) -> None:
    assert site.ask("GET", "/v1/status", headers={"Host": host.format(port=site.bound.port)}).status == 200


def test_two_host_headers_are_refused(site: Any) -> None:
    host = f"127.0.0.1:{site.bound.port}"
    with socket.create_connection(("127.0.0.1", site.bound.port), timeout=5) as sock:
        sock.sendall(f"GET /v1/status HTTP/1.1\r\nHost: {host}\r\nHost: evil.com\r\nConnection: close\r\n\r\n".encode())
        assert b" 400 " in sock.recv(200)
    assert site.service.asked == []


PATHS = [
    ("GET" if call.method == "GET" else "POST", call.path.replace("{id}", "x").replace("{path}", "Home.md"))
    for call in CALLS.values()
]


@pytest.mark.parametrize(
    ("method", "path"), [*PATHS, ("GET", "/"), ("GET", "/docs"), ("GET", "/openapi.json"), ("GET", "/x")]
)
def test_every_route_wants_the_token_and_no_foreign_origin(site: Any, method: str, path: str) -> None:
    body = {} if method == "POST" else None
    assert site.ask(method, path, body, headers={"Authorization": None}).status == 401
    assert site.ask(method, path, body, headers={"Origin": "https://evil.com"}).status == 403
    assert site.service.asked == []


@pytest.mark.parametrize(
    "value", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic " + "t" * 43, "t" * 43, "Bearer tökén"]
)
def test_a_wrong_token(site: Any, value: str) -> None:
    reply = site.ask("GET", "/v1/status", headers={"Authorization": value})
    assert (reply.status, reply.code) == (401, "token")
    assert "t" * 43 not in reply.data.decode()


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.com",
        "null",
        "http://localhost",
        "app://obsidian.md.evil.com",
        "capacitor://localhost",
        "APP://OBSIDIAN.MD",
        "",
    ],
)
def test_a_foreign_origin_also_before_its_preflight(site: Any, origin: str) -> None:
    assert site.ask("GET", "/v1/status", headers={"Origin": origin}).status == 403
    ahead = {"Origin": origin, "Access-Control-Request-Method": "POST", "Authorization": None}
    reply = site.ask("OPTIONS", "/v1/recall", headers=ahead)
    assert reply.status == 403
    assert "access-control-allow-origin" not in reply.headers
    assert site.service.asked == []


def test_the_plugin_gets_cors_and_private_network_access(site: Any) -> None:
    reply = site.ask(
        "OPTIONS",
        "/v1/recall",
        headers={
            "Origin": ORIGIN,
            "Access-Control-Request-Method": "POST",
            "Authorization": None,
            "Access-Control-Request-Headers": "authorization,content-type,x-ebbtide-api",
            "Access-Control-Request-Private-Network": "true",
        },
    )
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == ORIGIN
    assert reply.headers["access-control-allow-private-network"] == "true"
    assert "X-Ebbtide-Api" in reply.headers["access-control-allow-headers"]
    for headers, status in (({}, 200), ({"Authorization": None}, 401)):
        reply = site.ask("GET", "/v1/status", headers={"Origin": ORIGIN, **headers})
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (status, ORIGIN)


def test_a_preflight_without_origin_needs_the_token(site: Any) -> None:
    assert site.ask("OPTIONS", "/v1/status", headers={"Authorization": None}).status == 401


@pytest.mark.parametrize("level", ["0", "2", "99999999999999999999", "x", "-1", "1.0", "²"])
def test_another_interface_level_is_told_which_side_to_update(site: Any, level: str) -> None:
    reply = site.ask("GET", "/v1/status", headers={"X-Ebbtide-Api": level})
    assert (reply.status, reply.code) == (409, "api-level")
    assert reply.body["error"]["api"] == 1
    assert "Update" in reply.body["error"]["remedy"]


def test_our_interface_level_is_in_every_answer(site: Any) -> None:
    for headers, status in (({"X-Ebbtide-Api": "1"}, 200), ({}, 200), ({"Authorization": None}, 401)):
        reply = site.ask("GET", "/v1/status", headers=headers)
        assert (reply.status, reply.headers["x-ebbtide-api"]) == (status, "1")
        assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", None, "application/jsonx", "text/json"]
)
def test_a_body_must_be_json(site: Any, kind: str | None) -> None:
    reply = site.ask("POST", "/v1/recall", {"query": "q"}, headers={"Content-Type": kind})
    assert (reply.status, reply.code) == (415, "content-type")
    assert site.service.asked == []


def test_a_charset_is_no_obstacle(site: Any) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert site.ask("POST", "/v1/recall", {"query": "q"}, headers=headers).status == 200


def test_a_body_that_is_too_large_is_told_so(site: Any) -> None:
    for size in (300_000, 3_000_000):
        reply = site.ask("POST", "/v1/recall", b'{"query": "' + b"a" * size + b'"}')
        assert (reply.status, reply.code) == (413, "too-large")


def test_a_chunked_body_is_counted_too(site: Any) -> None:
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    head = (
        f"POST /v1/recall HTTP/1.1\r\nHost: 127.0.0.1:{site.bound.port}\r\nAuthorization: Bearer {'t' * 43}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", site.bound.port), timeout=10) as sock:
        sock.sendall(head.encode() + chunk * 6 + b"0\r\n\r\n")
        assert b" 413 " in sock.recv(300)


@pytest.mark.parametrize("query", ["(" * 102_400, "(" * 3_000, "?!。，" * 12_000, "", " ", "\x00", "喵" * 34_000])
def test_a_monstrous_question_is_answered_quickly(site: Any, query: str) -> None:
    started = time.monotonic()
    reply = site.ask("POST", "/v1/recall", {"query": query})
    assert reply.status in (200, 400)
    assert reply.status == 200 or reply.body["error"]["remedy"]
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"q"',
        b"{}",
        b'{"query": 1}',
        b'{"query": null}',
        b'{"query": "q", "unknown": 1}',
        b'{"query": "\\ud800"}',
        b'{"query": "q", "as_of": "2026-02-30"}',
        b'{"query": "q", "as_of": "yesterday"}',
        b'{"query": "q", "budget": 0}',
        b'{"query": "q", "layer": "deep"}',
        b'{"query": "q", "include": ["all"]}',
        b'{"query": "q", "limit": 1e99}',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"query": "' + b"(" * 102_401 + b'"}',
        b"NaN",
    ],
)
def test_a_wrong_body_is_a_clear_400(site: Any, body: bytes) -> None:
    reply = site.ask("POST", "/v1/recall", body)
    assert (reply.status, reply.code) == (400, "bad-request")
    assert len(reply.data) < 1000
    assert site.service.asked == []


def test_an_unsupported_method_and_an_unknown_route(site: Any) -> None:
    assert (site.ask("DELETE", "/v1/status").status, site.ask("DELETE", "/v1/status").code) == (405, "method")
    assert (site.ask("GET", "/v2/status").status, site.ask("GET", "/v2/status").code) == (404, "not-found")
    assert site.ask("GET", "/docs").status == 404
    assert site.ask("GET", "/openapi.json").status == 404


def test_a_websocket_is_not_let_in(site: Any) -> None:
    reply = site.ask(
        "GET",
        "/v1/status",
        headers={
            "Authorization": None,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        },
    )
    assert reply.status == 401
