"""The memory as JSON lines: one ledger a device for what happened, one sorted file for the edges (the facts: `vault.facts`).

Ledgers are append-only, so that two devices never write one file. `links.jsonl` is wholly derived and rewritten when
it differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.codec import link_from_dict, link_to_dict
from ebbtide.memory.errors import Problem
from ebbtide.memory.records import Link
from ebbtide.vault.lines import MemoryFiles, dump_line, keep_rejected, parse_lines

Record = dict[str, Any]


class DeviceLedger:
    """`ports.Ledger`: this device appends to `<folder>/<device>.jsonl`, everybody's files are read."""

    def __init__(self, store: MemoryFiles, folder: str, device: str, state: Path) -> None:
        self._store, self._folder, self._state = store, folder, state
        self._own = f"{folder}/{device}.jsonl"

    def mark(self) -> str:
        """What tells, without reading them, that the other devices' files are as they were."""
        names = [f"{self._folder}/{name}" for name in self._store.memory_list(self._folder) if name.endswith(".jsonl")]
        stats = [(name, self._store.memory_stat(name)) for name in names if name != self._own]
        return repr([(name, stat and (stat.size, stat.mtime_ns, stat.inode)) for name, stat in stats])

    def alone(self) -> bool:
        """True if no other device has a file here."""
        return all(f"{self._folder}/{name}" == self._own for name in self._store.memory_list(self._folder))

    def size(self) -> int:
        """Bytes of this device's own file: it only ever grows, unless something outside took of it."""
        stat = self._store.memory_stat(self._own)
        return 0 if stat is None else stat.size

    def append(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Durable when it returns: one write, one fsync."""
        if records:
            self._store.append_memory(self._own, b"".join(map(dump_line, records)))

    def read(self) -> tuple[list[Record], list[Problem]]:
        """Every device's records in the order of files and lines; of two with one id the later. Bad lines are problems.

        A torn last line is an append cut short, here or by sync: it says nothing yet and is no problem.
        """
        keyed: dict[object, Record] = {}
        problems: list[Problem] = []
        for name in (name for name in self._store.memory_list(self._folder) if name.endswith(".jsonl")):
            parsed = parse_lines(self._store.memory_bytes(f"{self._folder}/{name}") or b"")
            for record in parsed.records:
                key = record.get("id")
                keyed[key if isinstance(key, str) else len(keyed)] = record
            rejects = self._state / f"{self._folder}-{name}.rejected"
            problems += keep_rejected(rejects, f"{self._folder}/{name}", parsed.rejected)
        return list(keyed.values()), problems


class LinksFile:
    """`links.jsonl`: every edge, sorted by source and offset, rewritten only if a byte differs."""

    NAME: Final = "links.jsonl"

    def __init__(self, store: MemoryFiles) -> None:
        self._store = store

    def write(self, links: Iterable[Link]) -> bool:
        """Replace the file; False if it already says this."""
        ordered = sorted(links, key=lambda link: (link.source, link.offset, link.kind, link.raw, link.target or ""))
        return self._store.write_memory(self.NAME, b"".join(dump_line(link_to_dict(link)) for link in ordered))

    def read(self) -> list[Link]:
        """The edges as they were last written; a line that cannot be read is left out, for all of it is derived."""
        found: list[Link] = []
        for record in parse_lines(self._store.memory_bytes(self.NAME) or b"").records:
            try:
                found.append(link_from_dict(record))
            except ValueError:
                continue
        return found
