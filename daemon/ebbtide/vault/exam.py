"""The user's exam in the memory folder: the questions (`exam.jsonl`) and what came of each run (`exam-results/<device>.jsonl`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import Problem
from ebbtide.vault.ledger import DeviceLedger, Record
from ebbtide.vault.lines import MemoryFiles, digest_of

QUESTIONS: Final = "exam.jsonl"
RESULTS: Final = "exam-results"


class ExamFiles:
    """Both files. The questions are a file of the user's: it changes only by what is asked for, and never under a foreign edit."""

    def __init__(self, store: MemoryFiles, device: str, state: Path) -> None:
        self._store, self._own = store, f"{RESULTS}/{device}.jsonl"
        self._results = DeviceLedger(store, RESULTS, device, state)

    def questions(self) -> bytes:
        """The file as it is; empty if there is none."""
        return self._store.memory_bytes(QUESTIONS) or b""

    def change(self, edit: Callable[[bytes], bytes]) -> None:
        """Replace the file by what `edit` makes of it. Raises VaultError if somebody else saved it meanwhile."""
        before = self._store.memory_bytes(QUESTIONS)
        after = edit(before or b"")
        self._store.write_memory(QUESTIONS, after, digest_of(before) if before is not None else "")

    def keep(self, record: Mapping[str, Any]) -> str:
        """Add a run; durable when it returns. Returns the file of the memory folder that has it now."""
        self._results.append([record])
        return self._own

    def results(self) -> tuple[list[Record], list[Problem]]:
        """The runs of all devices, oldest first; ties by id."""
        records, problems = self._results.read()
        return sorted(records, key=lambda r: (str(r.get("at")), str(r.get("id")))), problems
