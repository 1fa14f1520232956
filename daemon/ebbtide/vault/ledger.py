"""The memory as JSON lines: one ledger a device for what happened, one sorted file for the facts, one for the edges.

Ledgers are append-only, so that two devices never write one file. `links.jsonl` is wholly derived and rewritten when
it differs. `facts.jsonl` is shared with people, git and other devices: it is merged before it is written, a lost line
comes back unless it is plainly a wish to forget, and what is not yet merged stands in a journal outside the vault.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from ebbtide.memory.errors import ChangedOutside, Problem, VaultError
from ebbtide.memory.records import Fact, FactId, FileStat, Link
from ebbtide.memory.codec import fact_from_dict, fact_to_dict, link_from_dict, link_to_dict
from ebbtide.vault.lines import (
    MemoryFiles,
    Rejected,
    append_durably,
    digest_of,
    dump_line,
    keep_rejected,
    last_by_id,
    parse_lines,
    replace_durably,
)

Record = dict[str, Any]


class DeviceLedger:
    """`ports.Ledger`: this device appends to `<folder>/<device>.jsonl`, everybody's files are read."""

    def __init__(self, store: MemoryFiles, folder: str, device: str, state: Path) -> None:
        self._store, self._folder, self._state = store, folder, state
        self._own = f"{folder}/{device}.jsonl"

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


@dataclass(slots=True)
class _Disk:
    """The facts as the vault holds them now, in one file or in shards."""

    records: dict[str, Record] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    stats: dict[str, FileStat | None] = field(default_factory=dict)
    bad: int = 0
    total: int = 0
    generation: str = ""
    """One digest over the bytes of all the files in order."""


class FactsFile:
    """`facts.jsonl` and its shards. `load` first; `put` and `drop` are durable at once; `flush` writes the vault.

    `explained(id)` says that a revision of some device accounts for a line that is no longer there (retracted,
    forgotten, superseded): then its absence is no question. `forgotten()` are the facts whose lines a person took out;
    the caller records the revisions and acknowledges them. While the file looks damaged, `flush` writes nothing and
    `problems()` asks; `resolve` is the answer.
    """

    NAME: Final = "facts.jsonl"

    def __init__(
        self,
        store: MemoryFiles,
        state: Path,
        *,
        explained: Callable[[str], bool] = lambda _id: False,
        split_above: int = 20_000,
    ) -> None:
        self._store, self._state, self._explained = store, state, explained
        self._split_above = split_above
        self._backup, self._journal = state / "facts.backup.jsonl", state / "facts.journal.jsonl"
        self._history = state / "facts.generations"
        self._lock = threading.RLock()
        self._facts: dict[FactId, Fact] = {}
        self._opaque: dict[str, Record] = {}
        self._pending: dict[str, tuple[Record | None, Record | None]] = {}  # id -> (ours or dropped, what it grew from)
        self._forgotten: dict[str, Record] = {}
        self._disk = _Disk()
        self._missing: set[str] = set()
        self._damage = ""
        self._allowed = self._dirty = False
        self._problems: list[Problem] = []

    @property
    def facts(self) -> Mapping[FactId, Fact]:
        """The facts by id, pending ones included."""
        return MappingProxyType(self._facts)

    @property
    def dirty(self) -> bool:
        """True if the vault does not yet hold what this object holds."""
        return self._dirty

    def problems(self) -> list[Problem]:
        """What the last look at the file found wrong, and what it asks."""
        return list(self._problems)

    def load(self) -> Mapping[FactId, Fact]:
        """Read the vault, bring in what the journal holds, and answer with the facts."""
        with self._lock:
            parsed = parse_lines(_bytes(self._journal))
            keep_rejected(self._state / "facts.journal.rejected", self._journal.name, parsed.rejected)
            for entry in parsed.records:
                record, key = entry.get("record"), str(entry.get("id"))
                if entry.get("op") == "forgot" and isinstance(record, dict):
                    self._forgotten[key] = record
                    self._pending.pop(key, None)
                else:
                    self._pending[key] = (record if isinstance(record, dict) else None, None)
            self._merge(self._read_disk())
            return self.facts

    def put(self, facts: Iterable[Fact]) -> None:
        """Add or replace facts: in the journal at once, in the vault with the next flush."""
        self._change({fact.id: fact for fact in facts})

    def drop(self, ids: Iterable[FactId]) -> None:
        """Take facts out: their source no longer says them, or they are forgotten."""
        self._change({ident: None for ident in ids if ident in self._facts or ident in self._opaque})

    def _change(self, changes: Mapping[FactId, Fact | None]) -> None:
        with self._lock:
            entries: list[Record] = []
            for ident, fact in changes.items():
                record = None if fact is None else fact_to_dict(fact)
                entries.append({"op": "drop" if record is None else "put", "id": ident, "record": record})
            if not entries:
                return
            with self._explained_errors():
                append_durably(self._journal, b"".join(map(dump_line, entries)))
            for (ident, fact), entry in zip(changes.items(), entries, strict=True):
                known = self._facts.get(ident)
                grown_from = None if known is None else fact_to_dict(known)
                if ident in self._pending:
                    grown_from = self._pending[ident][1]
                self._pending[ident] = (entry["record"], grown_from)
                self._opaque.pop(ident, None)
                if fact is None:
                    self._facts.pop(ident, None)
                else:
                    self._facts[ident] = fact
            self._dirty = True

    def forgotten(self) -> list[Fact]:
        """Facts whose lines a person deleted, until acknowledged; they survive a restart."""
        return [fact_from_dict(record) for record in self._forgotten.values()]

    def acknowledge(self, ids: Iterable[str]) -> None:
        """The revisions for these forgotten facts are written."""
        with self._lock:
            for ident in ids:
                self._forgotten.pop(ident, None)
            self._rewrite_journal()

    def resolve(self, keep: Literal["ours", "file"]) -> None:
        """Answer the question of a damaged or shrunken file: bring our lines back, or take the file as it stands."""
        with self._lock:
            if keep == "file":
                for ident in sorted(self._missing):
                    fact = self._facts.pop(FactId(ident), None)
                    if fact is not None:
                        self._remember_forgotten(ident, fact_to_dict(fact))
                    self._pending.pop(ident, None)
            self._missing.clear()
            self._problems = [problem for problem in self._problems if problem.severity != "error"]
            self._allowed = self._dirty = True
            self._damage = ""

    def flush(self) -> bool:
        """Merge what others wrote, then rewrite sorted by id. True if the vault now holds everything."""
        with self._lock:
            for _attempt in range(3):
                if self._moved():
                    self._merge(self._read_disk())
                if self._damage:
                    return False
                if not self._dirty:
                    return True
                try:
                    with self._explained_errors():
                        self._write()
                except ChangedOutside:
                    continue  # somebody wrote between our look and the rename: merge again
                return True
            return False

    # -- reading and merging -------------------------------------------------------------------------------------------

    def _names(self) -> list[str]:
        shards = {f"facts-{digit}.jsonl" for digit in "0123456789abcdef"}
        return [self.NAME, *sorted(shards & set(self._store.memory_list("")))]

    def _moved(self) -> bool:
        return {name: self._store.memory_stat(name) for name in self._names()} != self._disk.stats

    def _read_disk(self) -> _Disk:
        disk = _Disk()
        whole: list[bytes] = []
        self._problems = []
        for name in self._names():
            disk.stats[name] = self._store.memory_stat(name)
            data = self._store.memory_bytes(name)
            disk.digests[name] = "" if data is None else digest_of(data)
            whole.append(data or b"")
            parsed = parse_lines(data or b"")
            disk.total += parsed.total + parsed.torn
            for number, record in zip(parsed.numbers, parsed.records, strict=True):
                if not isinstance(record.get("id"), str):
                    parsed.rejected.append(Rejected(number, dump_line(record).rstrip(), "no id"))
            disk.records |= last_by_id(parsed.records)
            disk.bad += len(parsed.rejected) + parsed.torn
            self._problems += keep_rejected(self._state / f"{name}.rejected", name, parsed.rejected)
        disk.generation = digest_of(b"".join(whole))
        return disk

    def _merge(self, disk: _Disk) -> None:
        """Take the file as the ground, decide on missing lines, put our pending changes on top."""
        found, backup = disk.records, _bytes(self._backup)
        base = found if digest_of(backup) == disk.generation else last_by_id(parse_lines(backup).records)
        dropped = {ident for ident, (record, _) in self._pending.items() if record is None}
        missing = {i for i in base if i not in found and i not in dropped and not self._explained(i)}
        self._damage = "" if self._allowed else _damage(disk, len(base.keys() & found.keys()) + len(missing))
        merged = dict(found)
        if missing and self._wish(disk, base, missing):
            for ident in sorted(missing):
                self._remember_forgotten(ident, base[ident])
                self._pending.pop(ident, None)
            missing = set()
        merged |= {ident: base[ident] for ident in missing}
        for ident, (ours, grown_from) in self._pending.items():
            if ours is None:
                merged.pop(ident, None)
            else:
                merged[ident] = _three_way(grown_from or base.get(ident), ours, found.get(ident))
        self._disk, self._missing = disk, missing
        self._facts, self._opaque = {}, {}
        for ident, record in merged.items():
            try:
                self._facts[FactId(ident)] = fact_from_dict(record)
            except ValueError as error:
                self._opaque[ident] = record
                text = f"{ident} is not understood: {error}"
                fix = "correct the line, or update Ebbtide; the line is kept as it is"
                self._problems.append(Problem(self.NAME, None, "fact-unknown", text, fix))
        self._dirty = merged != found or bool(self._pending) or len(disk.digests) > 1 or found != base
        if self._damage:
            fix = "say whether to bring the lines back or to keep the file as it is; nothing is written until then"
            self._problems.append(Problem(self.NAME, None, "facts-damaged", self._damage, fix, "error"))
        elif missing:
            text = f"{len(missing)} lines were missing and are brought back"
            fix = "to forget facts, use `ebbtide forget`, or delete at most 20 lines at a time and nothing else"
            self._problems.append(Problem(self.NAME, None, "facts-lines-missing", text, fix))

    def _wish(self, disk: _Disk, base: dict[str, Record], missing: set[str]) -> bool:
        """A deletion is a wish only if it is plainly one: few lines, all else as we wrote it, no sync at work."""
        untouched = all(disk.records.get(ident) == record for ident, record in base.items() if ident in disk.records)
        few = len(missing) <= max(20, 0.02 * len(base))
        pure = disk.records.keys() <= base.keys()  # new lines beside missing ones: another device, not a person
        return few and untouched and pure and not (self._damage or disk.bad or self._older(disk))

    def _older(self, disk: _Disk) -> bool:
        """True if sync or git put an older copy back. The last one is also what deleting the newest line looks like."""
        *earlier, last = [b"", *_bytes(self._history).split(b"\n")]
        generation = disk.generation.encode()
        written = self._backup.stat().st_mtime_ns if self._backup.exists() else 0
        stamped_before = all(stat is None or stat.mtime_ns < written for stat in disk.stats.values())
        return generation in earlier or (generation == last and stamped_before)

    def _remember_forgotten(self, ident: str, record: Record) -> None:
        self._forgotten[ident] = record
        append_durably(self._journal, dump_line({"op": "forgot", "id": ident, "record": record}))

    # -- writing -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _explained_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"The state folder {self._state} cannot be written: {error.strerror}."
            raise VaultError(reason, "Free some space or make it writable; nothing was lost.") from error

    def _write(self) -> None:
        self._state.mkdir(parents=True, exist_ok=True)
        records: dict[str, Record] = dict(self._opaque)
        records |= {ident: fact_to_dict(fact) for ident, fact in self._facts.items()}
        lines = {ident: dump_line(records[ident]) for ident in sorted(records)}
        split_now = len(self._disk.digests) > 1
        # Once split it stays split until well below the limit, or a vault at the limit would be moved every minute.
        split = len(lines) > (self._split_above * 3 // 4 if split_now else self._split_above)
        wanted: dict[str, list[bytes]] = {}
        for ident, line in lines.items():
            wanted.setdefault(_shard(ident) if split else self.NAME, []).append(line)
        wanted.setdefault(self.NAME, [])
        if split:
            del wanted[self.NAME]
        for name, several in wanted.items():
            self._store.write_memory(name, b"".join(several), self._disk.digests.get(name, ""))
        for name in self._disk.digests.keys() - wanted.keys():
            self._store.remove_memory(name)
        # The order matters: until the backup says so, the journal still explains every line that we took out.
        whole = b"".join(lines.values())
        replace_durably(self._backup, whole)
        fresh = _Disk(generation=digest_of(whole))
        for name in self._names():
            fresh.stats[name] = self._store.memory_stat(name)
            fresh.digests[name] = digest_of(b"".join(wanted[name])) if name in wanted else ""
        older = _bytes(self._history).split(b"\n")[-50:]
        if fresh.generation != self._disk.generation:
            replace_durably(self._history, b"\n".join([*older, self._disk.generation.encode()]))
        self._disk, self._dirty, self._allowed = fresh, False, False
        self._missing.clear()
        self._pending.clear()
        self._rewrite_journal()

    def _rewrite_journal(self) -> None:
        entries: list[Record] = [{"op": "forgot", "id": i, "record": r} for i, r in self._forgotten.items()]
        entries += [{"op": "put", "id": i, "record": ours} for i, (ours, _) in self._pending.items()]
        if entries or self._journal.exists():
            self._journal.parent.mkdir(parents=True, exist_ok=True)
            replace_durably(self._journal, b"".join(map(dump_line, entries)))


def _shard(ident: str) -> str:
    digit = ident[2:3].lower()
    return f"facts-{digit if digit in set('0123456789abcdef') else '0'}.jsonl"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _damage(disk: _Disk, before: int) -> str:
    if disk.bad * 100 > disk.total:
        return f"{disk.bad} of {disk.total} lines cannot be read"
    if 2 * len(disk.records) < before:
        return f"the file shrank from {before} facts to {len(disk.records)}"
    return ""


def _three_way(ground: Record | None, ours: Record, theirs: Record | None) -> Record:
    """Ours, with the fields that somebody else changed meanwhile."""
    if theirs is None or ground is None or theirs == ground:
        return ours
    return ours | {key: value for key, value in theirs.items() if key not in ground or ground[key] != value}
