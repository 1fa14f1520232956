"""How a client finds the daemon of a vault and proves that it may ask: the token file and the run files.

Both lie in the user's state folder, never in the vault: a vault is synced and copied, and a port or a token of one
machine is wrong on every other. A run file is a hint (its process may be dead); clients verify it with a handshake.

    <state>/token                 the bearer token, kept over restarts until it is rotated
    <state>/run/<vault id>.json   url, token and process of a running daemon; removed when it stops
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import ConfigError
from ebbtide.serve.calls import APP, HOST

RUN_SCHEMA: Final = 1
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}\Z")
_POSIX: Final = sys.platform != "win32"
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The user's state folder for Ebbtide: EBBTIDE_STATE, else where the system keeps such things."""
    named = environ.get("EBBTIDE_STATE")
    if named:
        return Path(named)
    import platformdirs

    return platformdirs.user_state_path("ebbtide", appauthor=False)


def command(*words: str) -> tuple[str, ...]:
    """The absolute command that runs this very Ebbtide, whatever the PATH or the folder it is started in.

    `-P`: a folder or file named `ebbtide` where it is started is not taken for the program.
    """
    return (sys.executable, "-P", "-m", "ebbtide", *words)


# --- token --------------------------------------------------------------------------------------------------------


def ensure_token(state: Path) -> str:
    """The token of this user, made on first use. Raises ConfigError if anybody else could have read or written it."""
    _private(state)
    file = state / "token"
    if not os.path.lexists(file):
        made = _fresh(state)
        try:
            os.link(made, file)  # unlike a rename this fails if another start was quicker: both then use its token
        except FileExistsError:
            pass
        except OSError:  # a disk without hard links
            made.replace(file)
        made.unlink(missing_ok=True)
    return read_token(state)


def read_token(state: Path) -> str:
    """The token as it is; ConfigError if there is none or if its owner, mode or content is wrong."""
    file = state / "token"
    try:
        fd = os.open(file, _READ)
    except FileNotFoundError as error:
        raise ConfigError(f"There is no token at {file}.", "Make one with: ebbtide token rotate") from error
    except OSError as error:
        raise ConfigError(f"The token {file} cannot be read: {error.strerror}.", _RENEW) from error
    with open(fd, "rb") as handle:  # noqa: PTH123 - a descriptor: what is checked is what is read
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            raise ConfigError(f"The token {file} is not a plain file.", _RENEW)
        if _POSIX and about.st_uid != os.geteuid():
            raise ConfigError(f"The token {file} belongs to another user.", _RENEW)
        if _POSIX and about.st_mode & 0o077:
            raise ConfigError(f"Others may read the token {file} (mode {about.st_mode & 0o777:o}).", _RENEW)
        text = handle.read(200).decode("ascii", "replace").strip()
    if not _TOKEN.match(text):
        raise ConfigError(f"The token {file} is damaged.", _RENEW)
    return text


_RENEW: Final = "Replace it with: ebbtide token rotate"


def rotate_token(state: Path) -> str:
    """A new token, at once: running daemons notice the new file, and their run files are told."""
    _private(state)
    _fresh(state).replace(state / "token")
    token = read_token(state)
    for run in running(state):
        _write(Path(run.file), asdict(run) | {"token": token})
    return token


class LiveToken:
    """The token for the server, which asks on every request: rotating needs no restart, and a look costs one stat."""

    def __init__(self, state: Path) -> None:
        """Reads, and on first use makes, the token."""
        self._state = state
        self._token = ensure_token(state)
        self._stamp = self._look()

    def __call__(self) -> str:
        """The token that counts now. A file that is gone or damaged leaves the last good one in force."""
        stamp = self._look()
        if stamp is not None and stamp != self._stamp:
            with contextlib.suppress(ConfigError):
                self._token = read_token(self._state)
            self._stamp = stamp
        return self._token

    def _look(self) -> tuple[int, int] | None:
        try:
            about = os.lstat(self._state / "token")
        except OSError:
            return None
        return about.st_mtime_ns, about.st_ino


# --- run files ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """A running daemon as its run file tells. `command` is what started it, absolute; `file` where this lies."""

    vault_id: str
    vault_path: str
    port: int
    pid: int
    token: str
    token_file: str
    api: int
    version: str
    started: str
    command: tuple[str, ...] = ()
    url: str = ""
    file: str = ""
    app: str = APP
    schema: int = RUN_SCHEMA


def announce(state: Path, run: Run) -> Path:
    """Write the run file once the port is bound; returns its path for `withdraw`.

    A copy of a vault has the same id. If the original's daemon is alive, the copy's file gets its own name; clients
    therefore look at all of them and compare the path.
    """
    folder = _private(state / "run")
    real = os.path.realpath(run.vault_path)
    file = folder / f"{_safe(run.vault_id)}.json"
    other = _parse(file)
    if other is not None and other.pid != run.pid and alive(other.pid) and not _same(other.vault_path, real):
        digest = hashlib.blake2b(real.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
        file = folder / f"{_safe(run.vault_id)}.{digest}.json"
    _write(file, asdict(run) | {"vault_path": real, "url": f"http://{HOST}:{run.port}", "file": str(file)})
    return file


def withdraw(file: Path, pid: int | None = None) -> None:
    """Remove a run file on a clean stop, unless another daemon has taken it over since."""
    run = _parse(file)
    if run is not None and run.pid == (os.getpid() if pid is None else pid):
        file.unlink(missing_ok=True)


def running(state: Path) -> list[Run]:
    """Every run file whose process is alive."""
    try:
        names = sorted(name for name in os.listdir(state / "run") if name.endswith(".json"))  # noqa: PTH208 - names only
    except OSError:
        return []
    runs = (_parse(state / "run" / name) for name in names)
    return [run for run in runs if run is not None and alive(run.pid)]


def find(state: Path, vault: Path) -> Run | None:
    """The daemon of the vault at this path, if its run file is there and its process alive; still to be verified."""
    real = os.path.realpath(vault)
    return next((run for run in running(state) if _same(run.vault_path, real)), None)


def clear_stale(state: Path) -> None:
    """Remove the run files of daemons that were killed; for the start of a new one."""
    with contextlib.suppress(OSError):
        for file in (state / "run").glob("*.json"):
            run = _parse(file)
            if run is None or not alive(run.pid):
                file.unlink(missing_ok=True)


def alive(pid: int) -> bool:
    """Whether there is a process of that number; where the system will not say, yes: the handshake decides."""
    if pid <= 0:
        return False
    if not _POSIX:
        return True  # os.kill would end it there
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _parse(file: Path) -> Run | None:
    """A run file of ours, readable by nobody else; anything else is as good as none."""
    try:
        fd = os.open(file, _READ)
    except OSError:
        return None
    about = os.fstat(fd)  # before `open`, which a folder of that name would end
    if not stat.S_ISREG(about.st_mode) or (_POSIX and (about.st_uid != os.geteuid() or about.st_mode & 0o077)):
        os.close(fd)
        return None
    with open(fd, "rb") as handle:  # noqa: PTH123 - a descriptor, as above
        data = handle.read(1 << 16)
    try:
        record = json.loads(data)
        known: dict[str, Any] = {part.name: record[part.name] for part in fields(Run) if part.name in record}
        run = Run(**known | {"command": tuple(known.get("command", ())), "file": str(file)})
    except (ValueError, TypeError, KeyError):
        return None
    whole = isinstance(run.port, int) and isinstance(run.pid, int) and isinstance(run.vault_path, str)
    return run if whole and run.app == APP and isinstance(run.token, str) else None


def _same(one: str, other: str) -> bool:
    return os.path.normcase(one) == os.path.normcase(other)


def _safe(name: str) -> str:
    """The id as a file name: it comes from a file in the vault, which somebody else may have written."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:100] or "_"


def _private(folder: Path) -> Path:
    """A folder that only its owner can enter; tightened if it is ours and wider."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
        if _POSIX and about.st_uid != os.geteuid():
            raise ConfigError(f"The folder {folder} belongs to another user.", "Name another one with EBBTIDE_STATE.")
        if _POSIX and about.st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise ConfigError(
            f"The folder {folder} cannot be used: {error.strerror}.", "Name another one with EBBTIDE_STATE."
        ) from error
    return folder


def _fresh(folder: Path) -> Path:
    """A new token in a new file beside the old one."""
    return temporary(folder / "token", secrets.token_urlsafe(32).encode() + b"\n")


def _write(file: Path, record: Mapping[str, Any]) -> None:
    temporary(file, json.dumps(record, indent=2).encode() + b"\n").replace(file)


def temporary(file: Path, data: bytes, mode: int = 0o600) -> Path:
    """The data durably in a new file beside `file`, to be renamed to it; by default nobody else can read it."""
    made = file.with_name(f".{file.name}.{secrets.token_hex(4)}.tmp")
    fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with open(fd, "wb") as handle:  # noqa: PTH123 - a descriptor with its mode from birth
        if _POSIX:
            os.fchmod(fd, mode)
        handle.write(data)
        handle.flush()
        os.fsync(fd)
    return made
