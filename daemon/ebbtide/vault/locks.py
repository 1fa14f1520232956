"""One writer a vault: an advisory lock on a file in the state folder.

The kernel frees the lock with the process, even after kill -9, so there is no stale lock to judge. The file is never
removed (removing it while held would let a second daemon in) and never inherited by a child (which would keep it).
What is written inside is for messages only. Not to be relied on when the state folder is on a network disk.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ebbtide.memory.errors import LockHeld, VaultError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR: Final = 1 << 30
"""Windows locks are mandatory: the byte locked lies far behind the text, so that others can read who holds it."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock, as far as the file says: process id, port (None before it listens), start time."""

    pid: int
    port: int | None
    started: str

    def __str__(self) -> str:
        port = "" if self.port is None else f", port {self.port}"
        return f"process {self.pid}{port}, since {self.started}"


def lock_file(folder: Path, root: Path) -> Path:
    """The lock file of a vault, named by its real path, device and inode."""
    real = os.path.realpath(root)
    there = Path(real).stat()
    name = hashlib.blake2b(f"{real}\0{there.st_dev}\0{there.st_ino}".encode("utf-8", "surrogateescape"), digest_size=8)
    return folder / f"{name.hexdigest()}.lock"


class VaultLock:
    """The lock on one vault. Use as a context manager, or `acquire` and `release`."""

    def __init__(self, folder: Path, root: Path, *, started: str) -> None:
        """`folder` is in the state folder of the user; `started` is this process's start time, for messages."""
        try:
            self.path = lock_file(folder, root)
        except OSError as error:
            reason = f"The vault {root} cannot be opened: {error.strerror}."
            raise VaultError(reason, "Check the path and the mount.") from error
        self._root = root
        self._started = started
        self._fd: int | None = None

    @property
    def held(self) -> bool:
        """True while this object holds the lock."""
        return self._fd is not None

    def acquire(self) -> Self:
        """Take the lock or raise LockHeld, saying who has it. Never waits."""
        if self._fd is not None:
            return self
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # os.open makes descriptors that no child inherits (PEP 446).
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            reason = f"The lock {self.path} cannot be made: {error.strerror}."
            raise VaultError(reason, "Make the folder writable.") from error
        try:
            _lock(fd)
        except OSError as error:
            os.close(fd)
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                reason = f"The disk of {self.path} does not support locks: {error.strerror}."
                raise VaultError(reason, "Put the state folder on a local disk.") from error
            who = self.holder()
            raise LockHeld(
                f"Another Ebbtide serves this vault ({who or 'it has not said who it is'}).",
                f"Use it, or stop it first{f' with: kill {who.pid}' if who else ''}.",
            ) from error
        self._fd = fd
        self.announce(None)
        return self

    def announce(self, port: int | None) -> None:
        """Write into the lock file who we are; again once the port is known."""
        if self._fd is None:
            return
        text = json.dumps(asdict(Holder(os.getpid(), port, self._started))).encode() + b"\n"
        with contextlib.suppress(OSError):  # a full disk must not stop us from holding the lock
            os.ftruncate(self._fd, 0)
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.write(self._fd, text)

    def holder(self) -> Holder | None:
        """Who holds the lock, by what the file says. It may be out of date: only `acquire` knows."""
        try:
            record = json.loads(self.path.read_bytes())
            return Holder(int(record["pid"]), record["port"], str(record["started"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def release(self) -> None:
        """Give the lock up; the file stays."""
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, 0)
            with contextlib.suppress(OSError):
                _unlock(self._fd)
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


if sys.platform == "win32":  # not run anywhere yet

    def _lock(fd: int) -> None:
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

    def _unlock(fd: int) -> None:
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)
