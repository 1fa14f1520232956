"""Reading the daemon's log: its end, over rotated files, and what comes after."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

PACE: Final = 0.5
"""Seconds between two looks at a log that is followed."""


def tail(file: Path, count: int) -> list[str]:
    """The last lines, oldest first; where the log was just rotated, those before come from the older files."""
    lines: list[bytes] = []
    for older in (file, *(file.with_name(f"{file.name}.{number}") for number in range(1, 10))):
        if len(lines) >= count:
            break
        try:
            lines = older.read_bytes().split(b"\n")[:-1] + lines
        except OSError:
            break
    return [_text(line) for line in lines[max(0, len(lines) - count) :]]


def follow(file: Path, enough: Callable[[], bool] = lambda: False) -> Iterator[str]:
    """Lines written from now on, over rotations and restarts, until `enough` says so."""
    handle = _opened(file)
    if handle is not None:
        handle.seek(0, os.SEEK_END)
    half = b""
    while not enough():
        # Asked before the lines are read, so that the last ones of a log that was rotated away are not missed.
        rotated = handle is None or _is_another(file, handle)
        while handle is not None and (read := handle.readline()):
            half += read
            if half.endswith(b"\n"):
                yield _text(half[:-1])
                half = b""
        if rotated:
            if handle is not None:
                handle.close()
            handle, half = _opened(file), b""
        if handle is None or not rotated:
            time.sleep(PACE)
    if handle is not None:
        handle.close()


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _opened(file: Path) -> BinaryIO | None:
    try:
        return file.open("rb")
    except OSError:
        return None


def _is_another(file: Path, handle: BinaryIO) -> bool:
    """True once the log was rotated away from under the handle."""
    try:
        there, here = file.stat(), os.fstat(handle.fileno())
    except OSError:
        return False  # between two names: the next look finds the new one
    return (there.st_ino, there.st_dev) != (here.st_ino, here.st_dev) or there.st_size < handle.tell()
