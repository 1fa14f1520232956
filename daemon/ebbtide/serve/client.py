"""Asking: the running daemon over HTTP if there is one, otherwise the vault itself. Both answer with the same bytes.

Only the standard library at the top, `http.client` inside: the command line loads this for every command.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from ebbtide.memory import errors
from ebbtide.memory.errors import BadRequest, EbbtideError, VaultError
from ebbtide.serve import pairing
from ebbtide.serve.calls import API_HEADER, API_LEVEL, APP, CALLS, HOST, UseCases, encode

_BY_CODE: Final = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, EbbtideError) and kind is not EbbtideError
}
HANDSHAKE_SECONDS: Final = 5.0
ANSWER_SECONDS: Final = 120.0


class Unreachable(Exception):
    """Nothing of ours answers there: the run file is stale, or its port belongs to somebody else by now."""


class Asker(Protocol):
    """Something that answers use-cases by name with the bytes of the API."""

    def ask(self, name: str, **arguments: Any) -> bytes:
        """The answer's JSON. Raises the EbbtideError that the use-case raised."""

    @property
    def root(self) -> Path:
        """The vault's folder."""


class Daemon:
    """A running daemon, over one connection for each question."""

    def __init__(self, run: pairing.Run) -> None:
        """`run` is a hint until `verify` has passed."""
        self.run = run

    @property
    def root(self) -> Path:
        """The vault's folder, as the daemon says."""
        return Path(self.run.vault_path)

    def verify(self) -> None:
        """Raise Unreachable unless a daemon of this vault and of our interface level answers."""
        status, data = self._send("GET", "/v1/status", None, HANDSHAKE_SECONDS)
        try:
            body = json.loads(data)
        except ValueError as error:
            raise Unreachable("not JSON") from error
        if status in (401, 409) and isinstance(body, dict) and "error" in body:
            raise _raised(body)
        if not (isinstance(body, dict) and body.get("app") == APP and isinstance(body.get("vault"), dict)):
            raise Unreachable("not Ebbtide")
        if body["vault"].get("id") != self.run.vault_id:
            raise Unreachable("another vault")

    def ask(self, name: str, **arguments: Any) -> bytes:
        """The answer's bytes exactly as they came."""
        call = CALLS[name]
        target, body = call.target(arguments)
        try:
            status, data = self._send(call.method, target, body, ANSWER_SECONDS)
        except Unreachable as error:
            raise EbbtideError("The daemon went away before it answered.", "Ask again; see its log.") from error
        if status == 200:
            return data
        try:
            answer = json.loads(data)
        except ValueError:
            answer = None
        raise _raised(answer if isinstance(answer, dict) else {})

    def _send(self, method: str, target: str, body: bytes | None, timeout: float) -> tuple[int, bytes]:
        import http.client

        headers = {"Authorization": f"Bearer {self.run.token}", API_HEADER: str(API_LEVEL)}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(HOST, self.run.port, timeout=timeout)
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except TimeoutError as error:
            raise EbbtideError(
                f"The daemon (process {self.run.pid}) does not answer within {timeout:g} s.", "See its log, or stop it."
            ) from error
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(str(error)) from error
        finally:
            connection.close()


class Local:
    """The vault opened in this process: the same checks of the arguments, the same bytes."""

    def __init__(self, service: UseCases, root: Path) -> None:
        """`service` stays the caller's to close."""
        self.service = service
        self.root = root

    def ask(self, name: str, **arguments: Any) -> bytes:
        """Check the arguments as the server would and ask the service."""
        given = {key: value for key, value in arguments.items() if value is not None}
        for key, value in given.items():
            if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
                raise BadRequest(f"`{key}` is not valid Unicode.", "Names that are not UTF-8 cannot be linked to.")
        call = CALLS[name]
        model, named = call.request, {key: given.pop(key) for key in list(given) if "{" + key + "}" in call.path}
        if model is not None:
            from pydantic import ValidationError

            from ebbtide.serve import wire, wire_answer, wire_exam, wire_health, wire_sleep, wire_tune

            request: type[wire.Request] = next(
                getattr(module, model)
                for module in (wire, wire_answer, wire_exam, wire_health, wire_tune, wire_sleep)
                if hasattr(module, model)
            )
            try:
                given = request.model_validate(given).model_dump()
            except ValidationError as error:
                raise BadRequest(wire.describe(error.errors()), "See --help.") from error
        return encode(getattr(self.service, name)(**named, **given))


def find(vault: Path | None, state: Path | None = None) -> Daemon | None:
    """The verified daemon of a vault; without a vault, the only one that runs. None if there is none."""
    state = pairing.state_folder() if state is None else state
    if vault is not None:
        run = pairing.find(state, vault)
        runs = [run] if run is not None else []
    else:
        runs = pairing.running(state)
    found: list[Daemon] = []
    for run in runs:
        daemon = Daemon(run)
        with contextlib.suppress(Unreachable):
            daemon.verify()
            found.append(daemon)
    if vault is None and len(found) > 1:
        names = ", ".join(daemon.run.vault_path for daemon in found)
        raise BadRequest(f"Several vaults are being served ({names}).", "Name one with --vault.")
    return found[0] if found else None


@contextlib.contextmanager
def connect(
    vault: Path | None,
    *,
    read_only: bool = True,
    daemon_only: bool = False,
    vectors: bool = True,
    notice: Callable[[str], None] | None = None,
) -> Iterator[Asker]:
    """Somebody who answers for the vault: its daemon, else this process. Writes nothing in the vault if `read_only`.

    Opening the vault here indexes first what is new; without `vectors` that is quick, for questions that need none.
    """
    if vault is not None and not vault.is_dir():
        raise VaultError(f"There is no folder {vault}.", "Check the path, and whether its disk is mounted.")
    daemon = find(vault)
    if daemon is not None:
        yield daemon
        return
    if vault is None:
        raise BadRequest("Which vault?", "Add --vault PATH or set EBBTIDE_VAULT.")
    if daemon_only:
        raise EbbtideError("No daemon serves this vault.", f"Start it with: ebbtide up {vault}")
    if notice is not None:
        notice(f"No daemon serves {vault}; opening it here.")
    from ebbtide.runtime import open_service

    with open_service(vault, read_only=read_only, vectors=vectors, say=notice or (lambda _: None)) as service:
        yield Local(service, vault)


def _raised(body: dict[str, Any]) -> EbbtideError:
    """The error of an answer as the exception it was, so that the exit code is the same with and without a daemon."""
    told = body.get("error")
    told = told if isinstance(told, dict) else {}
    reason = str(told.get("reason") or "The daemon answered with something unexpected.")
    error = _BY_CODE.get(str(told.get("code")), EbbtideError)(reason, str(told.get("remedy") or ""))
    if type(error) is EbbtideError and told.get("code"):
        error.code = str(told["code"])  # type: ignore[misc]  # keep the server's word for --json
    return error
