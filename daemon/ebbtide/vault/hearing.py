"""What the watcher listens with: how long it waits, what it has heard and not yet looked at, and watchdog's handlers."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from watchdog import events

T = TypeVar("T")
LINUX: Final = sys.platform == "linux"
KINDS: Final[list[type[events.FileSystemEvent]]] = [
    events.FileCreatedEvent,
    events.FileMovedEvent,
    events.FileDeletedEvent,
    events.FileClosedEvent,
    events.DirCreatedEvent,
    events.DirMovedEvent,
    events.DirDeletedEvent,
] + ([] if LINUX else [events.FileModifiedEvent])


@dataclass(frozen=True, slots=True)
class Pace:
    """The section `watch` of the settings, and two waits that only tests shorten. Seconds, but for `mode`, `burst`."""

    mode: str = "auto"
    settle: float = 0.3
    max_wait: float = 2.0
    scan_every: float = 30.0
    rescan_every: float = 300.0
    health_every: float = 60.0
    burst: int = 5000
    doubt: float = 5.0
    retry: float = 5.0


@dataclass(slots=True)
class Hints:
    """What was heard and not yet looked at. Guarded by the watcher's condition."""

    files: dict[str, tuple[float, float]] = field(default_factory=dict)
    """path -> (first heard, due)"""
    folders: dict[str, float] = field(default_factory=dict)
    young: dict[str, float] = field(default_factory=dict)
    """Folders that came, with the time: what is in them may not have been told of yet."""
    scan_due: float | None = None
    full: bool = False
    """The next scan must make the caller compare everything."""
    heard: int = 0


def signed(items: Iterable[T], sign: Callable[[], None]) -> Iterator[T]:
    """The items, with a sign of life for each: on a slow disk all of them together may take minutes."""
    for item in items:
        sign()
        yield item


class Ears(events.FileSystemEventHandler):
    """watchdog's handler: passes everything on."""

    def __init__(self, hear: Callable[[events.FileSystemEvent], None]) -> None:
        self.hear = hear

    def dispatch(self, event: events.FileSystemEvent) -> None:
        """One event, in watchdog's thread."""
        self.hear(event)


class Overflow(logging.Handler):
    """The only sign that the kernel dropped events is a line in watchdog's log."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Ask for a scan when the line comes."""
        if "overflow" in record.getMessage():
            self._lost()
