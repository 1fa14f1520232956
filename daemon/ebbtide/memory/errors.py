"""The exception tree, and problems in a user's files as values.

An exception says that an operation could not be done; every one carries a sentence for a person and the remedy.
A `Problem` says that something in the vault is not as it should be while work goes on: it names file, line and fix.
Exit codes are those of the command line: 1 failed, 2 wrong use, 3 vault or configuration, 4 lock held or port taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a user's file, found while going on.

    `path` is vault-relative (or a configuration file's path), `line` is 1-based or None for the whole file,
    `code` a stable short name ("yaml-invalid", "bytes-invalid", ...), `fix` what a person can do about it.
    """

    path: str
    line: int | None
    code: str
    message: str
    fix: str
    severity: Severity = "warning"

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.message} ({self.fix})"


class EbbtideError(Exception):
    """Base of every error that Ebbtide raises on purpose. `str()` is one sentence for a person."""

    exit_code: ClassVar[int] = 1
    status: ClassVar[int] = 500
    code: ClassVar[str] = "failed"

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason if not remedy else f"{reason} {remedy}")
        self.reason = reason
        self.remedy = remedy


class BadRequest(EbbtideError):
    """The caller asked for something that cannot be: a query too long, an unknown option, a bad date."""

    exit_code = 2
    status = 400
    code = "bad-request"


class NotFound(EbbtideError):
    """No such note, fact or job."""

    status = 404
    code = "not-found"


class VaultError(EbbtideError):
    """The vault is missing, unreadable, read-only, unmounted, or a path would leave it."""

    exit_code = 3
    status = 503
    code = "vault"


class ConfigError(EbbtideError):
    """A setting that makes starting impossible (a bad value alone is a listed Problem, not this)."""

    exit_code = 3
    code = "config"


class LockHeld(EbbtideError):
    """Another daemon serves this vault."""

    exit_code = 4
    status = 409
    code = "lock-held"


class PortTaken(EbbtideError):
    """No free port in the range asked for."""

    exit_code = 4
    code = "port-taken"


class ChangedOutside(EbbtideError):
    """A file changed between reading it and writing it; nothing was written."""

    status = 409
    code = "changed-outside"


class IndexDamaged(EbbtideError):
    """An index cannot be opened or answers with nonsense. It is a cache: move it aside and rebuild."""

    code = "index-damaged"


class CatalogDamaged(IndexDamaged):
    """The catalogue holds what was never put there: everything made of it is in doubt."""


class IndexUnwritable(EbbtideError):
    """An index cannot be written: the disk is full, read-only or failing. What is in it stays good."""

    code = "index-unwritable"


class ModelUnavailable(EbbtideError):
    """No embedding model can be had; everything goes on by keyword."""

    code = "model-unavailable"
