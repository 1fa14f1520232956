"""The gate before every route: who may speak to the daemon at all, and how much they may send.

The address is loopback, but every web page the user opens can reach it: a page cannot read a foreign answer, yet its
request runs. So the Host must be ours with our port (DNS rebinding), a foreign Origin is refused on every route, and
the token is wanted on every route, the state included. Only then is a body read, and only so much of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any, Final

from ebbtide.serve.calls import API_HEADER, API_LEVEL, MIN_API_LEVEL, encode
from ebbtide.serve.wire import MAX_BODY_BYTES

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_DRAIN: Final = 16 * MAX_BODY_BYTES
"""How much of a body that is too large is read and thrown away, so that the client gets to see the answer."""
_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")


def failure(code: str, reason: str, remedy: str, **more: Any) -> dict[str, Any]:
    """The body of an answer that is not 2xx; wire.ErrorResponse."""
    return {"error": {"code": code, "reason": reason, "remedy": remedy, **more}}


class Outer:
    """Host and Origin, before anything else. The port is asked for late, since it is known only after binding."""

    def __init__(self, app: App, *, port: Callable[[], int], origins: Collection[str]) -> None:
        """Guard `app`; `origins` are the only ones that may be named."""
        self.app, self.port, self.origins = app, port, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or answer 400 or 403."""
        if scope["type"] != "http":
            return  # no websockets here: uvicorn closes what nobody accepts
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts():
            body = failure("host", "The Host header is not this daemon's.", f"Ask http://127.0.0.1:{self.port()}.")
            await _answer(send, 400, body)
        elif any(origin not in self.origins for origin in origins):
            body = failure("origin", "Foreign pages may not speak to Ebbtide.", "Use the plugin or the command line.")
            await _answer(send, 403, body)
        else:
            await self.app(scope, receive, send)

    def _hosts(self) -> set[str]:
        port = self.port()
        return {f"{name}:{port}" for name in _HOSTS} | (set(_HOSTS) if port == 80 else set())


class Inner:
    """Token, interface level, content type and size: inside the CORS layer, so that the plugin can read the refusal."""

    def __init__(self, app: App, *, token: Callable[[], str]) -> None:
        """Guard `app`; the token is asked for on every request, because it can be rotated."""
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or answer 401, 409, 413 or 415."""

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()),
                    (API_HEADER.lower().encode(), str(API_LEVEL).encode()),
                    (b"cache-control", b"no-store"),
                    (b"x-content-type-options", b"nosniff"),
                ]
            await send(message)

        if not self._known(scope):
            body = failure("token", "The token is missing or wrong.", "Read it with: ebbtide token")
            await _answer(marked, 401, body, (b"www-authenticate", b"Bearer"))
        elif (level := _unknown_level(scope)) is not None:
            await _answer(marked, 409, _level_failure(level))
        elif scope["method"] == "POST":
            await self._post(scope, receive, marked)
        else:
            await self.app(scope, receive, marked)

    def _known(self, scope: Scope) -> bool:
        given = _values(scope, b"authorization")
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(" ")
        # Bytes, because compare_digest refuses strings that are not ASCII.
        right = secrets.compare_digest(token.strip().encode("utf-8", "replace"), self.token().encode())
        return right and scheme.lower() == "bearer"

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        kinds = _values(scope, b"content-type")
        if len(kinds) != 1 or kinds[0].partition(";")[0].strip().lower() != "application/json":
            body = failure("content-type", "The body must be JSON.", "Send it with Content-Type: application/json")
            await _answer(send, 415, body)
            return
        content = await _read(receive)
        if content is None:
            body = failure("too-large", f"The body is larger than {MAX_BODY_BYTES // 1024} KB.", "Send less at a time.")
            await _answer(send, 413, body)
            return
        sent = False

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": content, "more_body": False}

        await self.app(scope, replay, send)


async def _read(receive: Receive) -> bytes | None:
    """The whole body, or None if it is too large or the client went away."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        size += len(message.get("body", b""))
        if size <= MAX_BODY_BYTES:
            parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts) if size <= MAX_BODY_BYTES else None
        if size > _DRAIN:
            return None


def _unknown_level(scope: Scope) -> str | None:
    """The interface level the client wants, if it is one we do not speak."""
    for wanted in _values(scope, API_HEADER.lower().encode()):
        if not (wanted.isascii() and wanted.isdigit() and MIN_API_LEVEL <= int(wanted[:9]) <= API_LEVEL):
            return wanted
    return None


def _level_failure(wanted: str) -> dict[str, Any]:
    newer = wanted.isascii() and wanted.isdigit() and int(wanted[:9]) > API_LEVEL
    reason = f"The client speaks interface level {wanted[:9]}, this daemon {MIN_API_LEVEL} to {API_LEVEL}."
    remedy = "Update Ebbtide and start it again." if newer else "Update the client (in Obsidian: the Ebbtide plugin)."
    return failure("api-level", reason, remedy, api=API_LEVEL, api_min=MIN_API_LEVEL)


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def _answer(send: Send, status: int, body: dict[str, Any], *headers: tuple[bytes, bytes]) -> None:
    content = encode(body)
    start = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": content})
