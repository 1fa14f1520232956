"""Logging, configured in one place: to stderr or to a rotating file, never to stdout, which belongs to answers and MCP.

Records made before `configure` are kept and written once it is known where to. Every line passes `redact` on its way
out, tracebacks included, so that tokens and keys do not end in a log that people send around.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
import sys
import threading
from io import TextIOWrapper
from pathlib import Path
from typing import Final, TextIO

log = logging.getLogger(__name__)

LEVELS: Final = ("debug", "info", "warning", "error")
_FORMAT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
SIZE: Final = 2 << 20
"""Bytes at which a log file is rotated."""
_KEPT: Final = 1000
_MARK: Final = "[hidden]"
_SECRETS: Final = re.compile(
    r"""(?ix)
    \b(bearer \s+) [\w.~+/=-]{6,}
    | ( ["']? \b (?: [\w-]*token | [\w-]*api[_-]?key | authorization | password | secret ) ["']? \s* [:=] \s* ["']? )
      (?! bearer\b ) [^\s"',;&}\]]{6,}
    | () \b sk-[\w-]{12,}
    """
)


class _Hidden:
    """Secrets known by value: whatever the text around them looks like, they are not written."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.values: frozenset[str] = frozenset()

    def add(self, secret: str) -> None:
        with self._lock:
            self.values |= {secret}


_hidden = _Hidden()


def hide(secret: str) -> None:
    """Never write this value to a log: a token that was just read or made. Short values would hide ordinary words."""
    if len(secret) >= 8:
        _hidden.add(secret)


def redact(text: str) -> str:
    """The text without what looks like a token or key, or is known to be one."""
    for value in _hidden.values:
        text = text.replace(value, _MARK)
    return _SECRETS.sub(lambda found: next((part for part in found.groups() if part), "") + _MARK, text)


class Redacting(logging.Formatter):
    """The last step before a line is written: message, arguments and traceback are one text by now."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, redacted."""
        return redact(super().format(record))


class _Waiting(logging.Handler):
    """Holds records; nothing is written and nothing dropped until there is a place for it."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.records) < _KEPT:
            self.records.append(record)


def buffer() -> None:
    """Keep records until `configure` says where they go, the first thousand of them; harmless when repeated."""
    root = logging.getLogger()
    if not any(isinstance(handler, _Waiting) for handler in root.handlers):
        root.addHandler(_Waiting())
        root.setLevel(logging.DEBUG)


def configure(
    level: str = "info",
    *,
    file: Path | None = None,
    stream: TextIO | None = None,
    size: int = SIZE,
    kept: int = 3,
) -> None:
    """Send everything from `level` up to `file` (rotated at `size` bytes, never at 0; `kept` old ones), else to `stream` or stderr.

    Replaces what an earlier call set up. A log file that cannot be opened is said on stderr, and stderr is used.
    """
    root = logging.getLogger()
    trouble: OSError | None = None
    handler: logging.Handler
    try:
        handler = _to_file(file, size, kept) if file is not None else logging.StreamHandler(stream or sys.stderr)
    except OSError as error:
        trouble, handler = error, logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Redacting(_FORMAT))
    threshold = getattr(logging, level.upper()) if level in LEVELS else logging.INFO
    handler.setLevel(threshold)
    waiting = [old for old in root.handlers if isinstance(old, _Waiting)]
    for old in [old for old in root.handlers if isinstance(old, _Waiting) or isinstance(old.formatter, Redacting)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(threshold)
    # watchdog says on WARNING that events were lost: the watcher listens for that line.
    logging.getLogger("watchdog").setLevel(logging.WARNING)
    for record in (record for early in waiting for record in early.records):
        if record.levelno >= threshold:
            handler.handle(record)
    if trouble is not None:
        log.warning("the log file %s cannot be opened (%s); logging to stderr", file, trouble.strerror)


def _to_file(file: Path, size: int, kept: int) -> logging.Handler:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _Private(file, maxBytes=size, backupCount=kept, encoding="utf-8", errors="backslashreplace")


class _Private(logging.handlers.RotatingFileHandler):
    """Rotation opens new files: each is for its owner only, from its first byte."""

    def _open(self) -> TextIOWrapper:
        fd = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        # By a descriptor, for its mode from birth; in text mode, which mypy cannot tell, that is a TextIOWrapper.
        return open(fd, self.mode, encoding=self.encoding, errors=self.errors)  # type: ignore[return-value]  # noqa: PTH123
