"""The service of a vault on this machine: write, load, look, remove. Through systemctl or launchctl, never through a shell.

Installing twice is the same as installing once; a unit that is already as it should be is not written and the daemon not restarted.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from ebbtide.memory.errors import BadRequest, EbbtideError, LockHeld, VaultError
from ebbtide.serve import pairing, service_unit
from ebbtide.serve.service_unit import Service

PASSED_ON: Final = (
    "EBBTIDE_CONFIG", "EBBTIDE_STATE", "EBBTIDE_CACHE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
)  # fmt: skip
"""What of the environment decides where things lie; a service manager knows nothing of it. Never a key or a token."""
SECONDS: Final = 150.0
"""How long a service manager may take to start or stop the daemon: longer than it gives the daemon itself."""
LOOK: Final = 10.0
"""... and to say how it is."""


class NoManager(EbbtideError):
    """There is no service manager of this user, or it does not answer."""

    code = "no-service-manager"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a service manager says of a service. `state`: active, starting, stopping, failed, stopped, not-installed or unknown."""

    state: str
    enabled: bool | None = None
    pid: int | None = None
    said: str = ""
    exit_code: int | None = None
    restarts: int | None = None


class Manager(Protocol):
    """A service manager of one user."""

    @property
    def kind(self) -> str:
        """How it is called."""

    def file(self, name: str) -> Path:
        """Where the service's file belongs."""

    def text(self, service: Service) -> bytes:
        """What belongs there. ValueError for a name it cannot hold."""

    def check(self) -> None:
        """Raise NoManager, with what to do, if it does not answer."""

    def load(self, name: str, *, changed: bool) -> None:
        """Take the file over, start the service now and at every login; `changed`: a running one must start again."""

    def unload(self, name: str) -> None:
        """Stop it, and start it no more; nothing if it is not loaded."""

    def forget(self, name: str) -> None:
        """The file is gone."""

    def journal(self, name: str) -> str:
        """The command that shows what the service said where the daemon's own log could not take it."""

    def look(self, name: str) -> Seen:
        """How it is. Raises NoManager."""

    def lingers(self) -> bool | None:
        """Whether it runs on when the user logs out; None if that cannot be said."""


def manager(platform: str = sys.platform, environ: Mapping[str, str] = os.environ) -> Manager:
    """The one of this system. Raises NoManager where none is known."""
    home = Path(environ.get("HOME") or Path.home())
    if platform == "darwin":
        return Launchd(home / "Library")
    if platform.startswith("linux"):
        return Systemd(Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user")
    raise NoManager(
        "Ebbtide can make itself a service of systemd (Linux) and launchd (macOS) only.",
        "Here, have `ebbtide up VAULT` started at login, for example by the Task Scheduler.",
    )


def service_for(vault: Path, environ: Mapping[str, str] = os.environ) -> Service:
    """The service of a vault: this very installation of Ebbtide, on the vault's real path."""
    real = os.path.realpath(vault)
    kept = {name: os.path.abspath(environ[name]) for name in PASSED_ON if environ.get(name)}  # noqa: PTH100 - pathlib leaves ".."
    return Service(real, pairing.command("up", real), kept)


# --- what the commands do ---------------------------------------------------------------------------------------------


def install(vault: Path, over: Manager, state: Path) -> dict[str, Any]:
    """Write, load and start; answers like `status`, with "changed": whether anything had to be done.

    Raises VaultError, NoManager, LockHeld if a daemon that somebody else started serves the vault, EbbtideError if loading failed.
    """
    if not vault.is_dir():
        raise VaultError(f"There is no folder {vault}.", "Check the path, and whether its disk is mounted.")
    service = service_for(vault)
    file, text = over.file(service.name), _text(over, service)
    over.check()
    seen, there = over.look(service.name), _read(file)
    if there == text and seen.state == "active" and seen.enabled is not False:
        return {"changed": False} | status(vault, over, state)
    running = pairing.find(state, Path(service.vault))
    if running is not None and running.pid != seen.pid and seen.state not in ("active", "starting"):
        raise LockHeld(
            f"A daemon that was started by hand serves this vault already (process {running.pid}).",
            "Stop it (Ctrl-C in its terminal), then run `ebbtide service install` again.",
        )
    if there != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        pairing.temporary(file, text, 0o644).replace(file)
    over.load(service.name, changed=there is not None and there != text)
    return {"changed": True} | status(vault, over, state)


def uninstall(vault: Path, over: Manager, state: Path) -> dict[str, Any]:
    """Stop, unload, remove; answers like `status`. Works for a vault that is gone. Raises NoManager if it runs and cannot be stopped."""
    name = service_unit.name_of(os.path.realpath(vault))
    file = over.file(name)
    there = file.exists()
    if there:
        over.check()
        over.unload(name)
        file.unlink(missing_ok=True)
        over.forget(name)
    return {"changed": there} | status(vault, over, state)


def status(vault: Path, over: Manager, state: Path) -> dict[str, Any]:
    """How the service of a vault is; see `show_service`. Asks, changes nothing, and never fails for want of a manager."""
    service = service_for(vault)
    file = over.file(service.name)
    there, trouble, current = _read(file), "", False
    try:
        seen = over.look(service.name) if there is not None else Seen("not-installed")
    except NoManager as error:
        seen, trouble = Seen("unknown"), str(error)
    with contextlib.suppress(ValueError):
        current = there == over.text(service)
    running = pairing.find(state, Path(service.vault))
    return {
        "vault": service.vault,
        "manager": over.kind,
        "name": service.name,
        "file": str(file),
        "installed": there is not None,
        "current": current,
        "state": seen.state,
        "enabled": seen.enabled,
        "pid": seen.pid,
        "exit_code": seen.exit_code,
        "restarts": seen.restarts,
        "said": seen.said,
        "lingers": over.lingers() if there is not None else None,
        "trouble": trouble,
        "journal": over.journal(service.name),
        "command": list(service.command),
        "port": None if running is None else running.port,
    }


def _text(over: Manager, service: Service) -> bytes:
    try:
        return over.text(service)
    except ValueError as error:
        raise BadRequest(
            f"The path {error.args[0]!r} holds characters that {over.kind} cannot take.", "Rename that folder."
        ) from error


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def run(*command: str, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
    """A program with its words as they are. Raises NoManager if it is not there or does not come back."""
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise NoManager(f"{command[0]} cannot be run: {error.strerror}.", BY_HAND) from error
    except subprocess.TimeoutExpired as error:
        raise NoManager(f"{command[0]} does not answer within {seconds:g} s.", "Try again; look at its log.") from error


BY_HAND: Final = "Run `ebbtide up VAULT` by hand instead, or have your own service manager run it."


def _failed(what: str, done: subprocess.CompletedProcess[str], journal: str) -> EbbtideError:
    said = " ".join((done.stderr or done.stdout).split())
    remedy = f"See `ebbtide service logs`, or what came before the log: {journal}"
    return EbbtideError(f"{what} failed: {said or f'exit code {done.returncode}'}.", remedy)


# --- systemd ----------------------------------------------------------------------------------------------------------

_STATES: Final = {
    "active": "active", "reloading": "active", "activating": "starting", "deactivating": "stopping", "failed": "failed",
    "inactive": "stopped",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Systemd:
    """The systemd instance of the user."""

    folder: Path
    kind: str = "systemd"

    def file(self, name: str) -> Path:
        """A unit in the user's own folder."""
        return self.folder / f"{name}.service"

    def text(self, service: Service) -> bytes:
        """The unit."""
        return service_unit.systemd(service)

    def check(self) -> None:
        """`show` answers if, and only if, there is an instance."""
        done = run("systemctl", "--user", "show", "--property=Version", seconds=LOOK)
        if done.returncode:
            raise NoManager(
                "No systemd instance runs for this user (it is started by a login; su, sudo and containers have none).",
                f"Log in directly, or let yours run always: sudo loginctl enable-linger {_user()}. {BY_HAND}",
            )

    def load(self, name: str, *, changed: bool) -> None:
        """Reload, enable, start."""
        unit = f"{name}.service"
        for words in (
            ["daemon-reload"],
            ["reset-failed", unit],
            ["enable", unit],
            ["restart" if changed else "start", unit],
        ):
            done = run("systemctl", "--user", *words)
            if done.returncode and words[0] != "reset-failed":
                raise _failed(f"systemctl --user {words[0]}", done, self.journal(name))

    def unload(self, name: str) -> None:
        """Stop and disable."""
        done = run("systemctl", "--user", "disable", "--now", f"{name}.service")
        if done.returncode:
            raise _failed("systemctl --user disable", done, self.journal(name))

    def forget(self, name: str) -> None:  # noqa: ARG002 - a `Manager`'s; systemd itself finds out which unit is gone
        """Let it notice that the unit is gone."""
        run("systemctl", "--user", "daemon-reload")

    def journal(self, name: str) -> str:
        """What it said goes to the user's journal."""
        return f"journalctl --user -u {name}"

    def look(self, name: str) -> Seen:
        """What `show` says."""
        names = ("ActiveState", "UnitFileState", "MainPID", "StatusText", "Result", "ExecMainStatus", "NRestarts")
        done = run("systemctl", "--user", "show", f"{name}.service", f"--property={','.join(names)}", seconds=LOOK)
        if done.returncode:
            self.check()
            raise NoManager("systemctl --user show failed.", BY_HAND)
        found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        state = _STATES.get(found.get("ActiveState", ""), "unknown")
        result = found.get("Result", "")
        return Seen(
            state,
            found.get("UnitFileState") in ("enabled", "linked"),
            _number(found.get("MainPID")) or None,
            found.get("StatusText", "") if state in ("active", "starting") else "" if result == "success" else result,
            _number(found.get("ExecMainStatus")) if state == "failed" else None,
            _number(found.get("NRestarts")),
        )

    def lingers(self) -> bool | None:
        """Whether the instance runs without a login."""
        try:
            done = run("loginctl", "show-user", _user(), "--property=Linger", "--value", seconds=LOOK)
        except NoManager:
            return None
        return {"yes": True, "no": False}.get(done.stdout.strip()) if done.returncode == 0 else None


# --- launchd ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Launchd:
    """The launchd domain of the user's session. Written after Apple's documentation; not yet run on a Mac."""

    library: Path
    kind: str = "launchd"
    domain: str = field(default_factory=lambda: f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}")

    def file(self, name: str) -> Path:
        """An agent of the user."""
        return self.library / "LaunchAgents" / f"{name}.plist"

    def text(self, service: Service) -> bytes:
        """The agent."""
        return service_unit.launchd(service, str(self._log(service.name)))

    def check(self) -> None:
        """`print` of the domain answers if somebody is logged in at the screen."""
        done = run("launchctl", "print", self.domain, seconds=LOOK)
        if done.returncode:
            reason = f"launchd has no session {self.domain} for this user (it is there while you are logged in at the screen)."
            raise NoManager(reason, f"Log in at the screen, or: {BY_HAND}")

    def load(self, name: str, *, changed: bool) -> None:
        """Bootstrap; an agent that is loaded with another content must go first."""
        (self.library / "Logs").mkdir(parents=True, exist_ok=True)
        target = f"{self.domain}/{name}"
        loaded = run("launchctl", "print", target).returncode == 0
        if loaded and changed:
            self.unload(name)
            loaded = False
        run("launchctl", "enable", target)
        done = run(
            "launchctl", *(["kickstart", target] if loaded else ["bootstrap", self.domain, str(self.file(name))])
        )
        if done.returncode:
            raise _failed(f"launchctl {'kickstart' if loaded else 'bootstrap'}", done, self.journal(name))

    def unload(self, name: str) -> None:
        """Boot it out."""
        target = f"{self.domain}/{name}"
        done = run("launchctl", "bootout", target)
        if done.returncode and run("launchctl", "print", target).returncode == 0:
            raise _failed("launchctl bootout", done, self.journal(name))

    def forget(self, name: str) -> None:
        """launchd keeps nothing of an agent but the file of what it said."""
        self._log(name).unlink(missing_ok=True)

    def journal(self, name: str) -> str:
        """What it said goes to a file of its own."""
        return f"tail -n 50 {shlex.quote(str(self._log(name)))}"

    def _log(self, name: str) -> Path:
        return self.library / "Logs" / f"{name}.log"

    def look(self, name: str) -> Seen:
        """What `print` says of it."""
        done = run("launchctl", "print", f"{self.domain}/{name}", seconds=LOOK)
        if done.returncode:
            self.check()
            return Seen("stopped", enabled=False)
        found = dict(re.findall(r"^\t([a-z ]+) = (.*)$", done.stdout, re.MULTILINE))
        pid, code = _number(found.get("pid")), _number(found.get("last exit code"))
        return Seen("active" if pid else "failed" if code else "stopped", True, pid, "", code or None)

    def lingers(self) -> bool | None:
        """An agent ends with the session, always."""
        return None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.strip().isdecimal() else None


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "$USER"
