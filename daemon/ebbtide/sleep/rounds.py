"""The thread that has notes read by Claude, and what it does with the answers: handed to the thread that owns the writers.

It is made only where a note could be sent. It waits for the first comparison of the vault, then goes its rounds: when a note
has rested long enough, and every half minute.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ebbtide.index.rows import FileRow
from ebbtide.index.takeover import SWEPT, ModelReading, TakeOver
from ebbtide.memory.errors import EbbtideError, Problem, VaultError
from ebbtide.memory.records import Note
from ebbtide.parse.note import parse_note
from ebbtide.sleep.extracting import Extracted, Extraction

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds between two rounds at most."""
PATIENCE = 10.0
"""Seconds that the end of the daemon waits for an answer under way; afterwards it is asked for again by the next start."""


@dataclass(frozen=True, slots=True)
class Handing:
    """How the thread and the owner of the writers meet. `order` has something done there; `ready` is set once it knows the vault.

    `close` lets go of connections and files.
    """

    takeover: TakeOver
    order: Callable[[Callable[[], None]], None]
    ready: threading.Event
    close: Callable[[], None] = lambda: None


class Rounds(threading.Thread):
    """Asks Claude about notes that are due. Survives every error of one round."""

    def __init__(self, extraction: Extraction, hands: Handing) -> None:
        super().__init__(name="ebbtide-claude", daemon=True)
        self.extraction, self.hands = extraction, hands
        self._wake = threading.Event()
        self._stopping = False
        self.paused = False
        self.problem: Problem | None = None

    @property
    def halted(self) -> bool:
        """True while nothing may be asked."""
        return self._stopping or self.paused

    # --- in the thread that owns the writers --------------------------------------------------------------------------

    def settled(self, path: str, note: Note, row: FileRow) -> None:
        """A note was indexed with this content. What was read from just this text, here or on another device, is not asked again."""
        extraction = self.extraction
        if self.hands.takeover.has_read(row, extraction.extractor):
            extraction.gone(path)
        elif extraction.settled(path, note, row).send:
            self._wake.set()

    def gone(self, path: str) -> None:
        """A note is not there any more, or not under this path."""
        self.extraction.gone(path)

    def _take(self, result: Extracted) -> None:
        """Take a result over; it is given out again if that fails, and given up if it is the note that it fails with."""
        refused = [(each.fact, each.quote, each.reason) for each in result.refusals]
        reading = ModelReading(
            result.path, result.digest, result.extractor, result.drafts, result.concluded, refused, result.cut or (0, 0)
        )
        try:
            self.hands.takeover.take(reading)
        except (EbbtideError, sqlite3.Error, OSError, MemoryError):
            self.extraction.again(result)
            raise
        except Exception as error:
            self.extraction.give_up(result, f"its facts could not be taken in ({type(error).__name__})")
            raise
        self.extraction.taken(result)

    # --- the thread ---------------------------------------------------------------------------------------------------

    def nudge(self) -> None:
        """Go a round now."""
        self._wake.set()

    def ask_no_more(self) -> None:
        """Ask nothing more, wait a little for an answer under way, end."""
        self._stopping = True
        self._wake.set()
        if self.is_alive():
            self.join(timeout=PATIENCE)

    def close(self) -> None:
        """Let go of connections and files, once nothing is indexed any more."""
        self.hands.close()

    def run(self) -> None:
        """The loop; see the class."""
        while not self._stopping and not self.hands.ready.wait(0.2):
            pass
        while not self._stopping:
            self._wake.clear()
            if not self.paused:
                self._try(self._sweep)
                self._try(self._round)
            self._wake.wait(self._patience())

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
            self.problem = None
        except Exception as error:  # this thread must survive whatever one round meets
            if not self._stopping:
                said = f"Notes are not read by Claude: {type(error).__name__}: {error}"
                self.problem = Problem("", None, "claude", said, "see the log; the rules go on (it is tried again)")
                log.exception("a round of reading notes failed")

    def _round(self) -> None:
        for result in self.extraction.round(self.extraction.clock.now()):
            self.hands.order(partial(self._take, result))

    def _sweep(self) -> None:
        """Look at the notes that were indexed before anybody could send them, or under other rules: they may go at night."""
        catalog, vault, config = self.hands.takeover.catalog, self.extraction.vault, self.extraction.config
        now = hashlib.blake2b(f"{config.extract}{self.extraction.extractor}".encode(), digest_size=16).hexdigest()
        if catalog.meta(SWEPT) == now:
            return
        for path, row in catalog.files().items():
            if self.halted:
                return
            if (row.kind, row.status) != ("note", "indexed") or vault.is_template(path):
                continue
            try:
                file = vault.read(path)
            except (OSError, VaultError):
                continue
            if file.digest == row.digest:  # otherwise the indexer will tell
                self.settled(path, parse_note(path, file.text), replace(row, changed=0.0))
        catalog.set_meta(SWEPT, now)

    def _patience(self) -> float:
        """Seconds until a note is due, if that is soon."""
        try:
            due = self.extraction.desk.counts().next_due
        except sqlite3.Error:
            return EVERY
        left = EVERY if due is None else due - self.extraction.clock.now()
        return left + 0.01 if 0 < left < EVERY else EVERY
