"""What an evaluation leaves in the memory folder: a line a day in `health/<device>.jsonl`, the report, the router."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import Problem
from ebbtide.vault.ledger import DeviceLedger, Record
from ebbtide.vault.lines import MemoryFiles, digest_of, dump_line, parse_lines

FOLDER: Final = "health"


class HealthFiles:
    """The history of the figures of all devices, of which this one writes its own file. One thread writes."""

    def __init__(self, store: MemoryFiles, device: str, state: Path) -> None:
        self._store, self._own = store, f"{FOLDER}/{device}.jsonl"
        self._ledger = DeviceLedger(store, FOLDER, device, state)

    def keep(self, record: Mapping[str, Any]) -> str:
        """Keep the line of a day, in the place of one that this device wrote for the same day. Durable when it returns.

        Returns the file of the memory folder that has it. Raises VaultError if somebody else changed the file meanwhile.
        """
        data = self._store.memory_bytes(self._own) or b""
        known = parse_lines(data)
        if all(line.get("day") != record.get("day") for line in known.records):
            self._ledger.append([record])
            return self._own
        kept = [line for line in known.records if line.get("day") != record.get("day")]
        bad = [line.raw + b"\n" for line in known.rejected]  # what cannot be read is not ours to throw away
        self._store.write_memory(self._own, b"".join([*map(dump_line, [*kept, record]), *bad]), digest_of(data))
        return self._own

    def lines(self) -> tuple[list[Record], list[Problem]]:
        """The lines of all devices, and those that cannot be read; see sleep.trend.by_day."""
        return self._ledger.read()

    def write(self, files: Mapping[str, bytes]) -> list[str]:
        """Bring files of an evaluation to disk, each atomically; returns those that changed."""
        return [path for path, data in sorted(files.items()) if self._store.write_memory(path, data)]
