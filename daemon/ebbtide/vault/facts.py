"""facts.jsonl: shared with people, git and other devices, and never lost between them.

It is merged before it is written; a lost line comes back unless it is plainly a wish to forget; what is not yet merged
stands in a journal outside the vault. It is read when it is first needed, and held as facts, not as the objects they were
read from, which take several times the room.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from ebbtide.memory.codec import fact_from_dict, fact_to_dict
from ebbtide.memory.errors import ChangedOutside, Problem, VaultError
from ebbtide.memory.records import Fact, FactId, FileStat
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
from ebbtide.vault.merging import SHARDS, damage, is_copy, shard, three_way

Record = dict[str, Any]


@dataclass(slots=True)
class _Disk:
    """The facts as the vault holds them now, in one file or in shards."""

    records: dict[str, Record] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    stats: dict[str, FileStat | None] = field(default_factory=dict)
    bad: int = 0
    total: int = 0
    copies: list[dict[str, Record]] = field(default_factory=list)
    """What sync programs set aside where two devices had written, one a file."""
    untidy: bool = False
    """Both sides of a conflict stand in it, or a line twice: it wants to be written again."""
    generation: str = ""
    """One digest over the bytes of all the files in order."""


class FactsFile:
    """`facts.jsonl` and its shards. `load` first; `put` and `drop` are durable at once; `flush` writes the vault.

    `explained(id)` says that a revision of some device accounts for a line that is no longer there (retracted,
    forgotten, superseded): then its absence is no question. `alone()`: no other device writes here; else one may have taken a
    line out whose revision is still on its way, so that its absence is never a wish. `forgotten()` are the facts whose
    lines a person took out; the caller records the revisions and acknowledges them. While the file looks damaged, `flush`
    writes nothing and `problems()` asks; `resolve` is the answer.
    """

    NAME: Final = "facts.jsonl"

    def __init__(
        self,
        store: MemoryFiles,
        state: Path,
        *,
        explained: Callable[[str], bool] = lambda _id: False,
        alone: Callable[[], bool] = lambda: True,
        split_above: int = 20_000,
    ) -> None:
        self._store, self._state, self._explained, self._alone = store, state, explained, alone
        self._split_above = split_above
        self._backup, self._journal = state / "facts.backup.jsonl", state / "facts.journal.jsonl"
        self._history = state / "facts.generations"
        self._lock = threading.RLock()
        self._facts: dict[FactId, Fact] = {}
        self._opaque: dict[str, Record] = {}
        self._pending: dict[
            str, Record | None
        ] = {}  # id -> what it grew from; ours is in `_facts`, unless it is dropped
        self._forgotten: dict[str, Record] = {}
        self._disk = _Disk()
        self._missing: set[str] = set()
        self._returned: set[str] = set()
        """Lines that were missing and came back: whether they were meant to go is asked."""
        self._damage = ""
        self._allowed = self._dirty = self._loaded = False
        self._problems: list[Problem] = []
        self.merges = 0
        """Counts how often the file was read and merged: what it then says others may have to take over."""

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

    def question(self) -> tuple[Literal["damaged", "missing"], list[str]] | None:
        """What the file asks a person, with the ids it is about: whether lines are to go; damaged: nothing is written until then."""
        if self._damage:
            return "damaged", sorted(self._missing)
        returned = sorted(ident for ident in self._returned if ident in self._facts)
        return ("missing", returned) if returned else None

    def load(self) -> Mapping[FactId, Fact]:
        """Read the vault, bring in what the journal holds, and answer with the facts."""
        with self._lock:
            parsed = parse_lines(_bytes(self._journal))
            keep_rejected(self._state / "facts.journal.rejected", self._journal.name, parsed.rejected)
            for entry in parsed.records:
                record, key = entry.get("record"), str(entry.get("id"))
                forgot = entry.get("op") == "forgot" and isinstance(record, dict)
                if forgot and isinstance(record, dict):
                    self._forgotten[key] = record
                    self._pending.pop(key, None)
                else:
                    self._pending[key] = None
                self._hold(key, None if forgot or not isinstance(record, dict) else record)
            self._merge(self._read_disk())
            self._loaded = True
            return self.facts

    def mark(self) -> str:
        """What tells, without reading it, that the vault's file and the journal are as they were: for whoever has both."""
        stats = [(n, x and (x.size, x.mtime_ns, x.inode)) for n in self._names() for x in [self._store.memory_stat(n)]]
        return repr((stats, self._journal.stat().st_size if self._journal.exists() else 0))

    def _hold(self, ident: str, record: Record | None) -> Problem | None:
        """Take a record as the one that we hold, or (None) hold it no more."""
        self._facts.pop(FactId(ident), None)
        self._opaque.pop(ident, None)
        if record is None:
            return None
        try:
            self._facts[FactId(ident)] = fact_from_dict(record)
        except ValueError as error:
            self._opaque[ident] = record
            fix = "correct the line, or update Ebbtide; the line is kept as it is"
            return Problem(self.NAME, None, "fact-unknown", f"{ident} is not understood: {error}", fix)
        return None

    def _held(self, ident: str) -> Record | None:
        fact = self._facts.get(FactId(ident))
        return self._opaque.get(ident) if fact is None else fact_to_dict(fact)

    def put(self, facts: Iterable[Fact]) -> None:
        """Add or replace facts: in the journal at once, in the vault with the next flush."""
        self._change({fact.id: fact for fact in facts})

    def drop(self, ids: Iterable[FactId]) -> None:
        """Take facts out: their source no longer says them, or they are forgotten."""
        wanted = list(ids)
        if wanted and not self._loaded:
            self.load()
        self._change({ident: None for ident in wanted if ident in self._facts or ident in self._opaque})

    def _change(self, changes: Mapping[FactId, Fact | None]) -> None:
        with self._lock:
            if not changes:
                return
            if not self._loaded:
                self.load()
            lines = bytearray()
            for ident, fact in changes.items():
                record = None if fact is None else fact_to_dict(fact)
                lines += dump_line({"op": "drop" if record is None else "put", "id": ident, "record": record})
            with self._explained_errors():
                append_durably(self._journal, bytes(lines))
            for ident, fact in changes.items():
                self._pending.setdefault(ident, self._held(ident))
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
                for ident in sorted(self._missing if self._damage else self._returned):
                    fact = self._facts.pop(FactId(ident), None)
                    if fact is not None:
                        self._remember_forgotten(ident, fact_to_dict(fact))
                    self._pending.pop(ident, None)
            self._missing.clear()
            self._returned.clear()
            self._problems = [problem for problem in self._problems if problem.severity != "error"]
            self._allowed = self._dirty = True
            self._damage = ""

    def flush(self) -> bool:
        """Merge what others wrote, then rewrite sorted by id. True if the vault now holds everything."""
        with self._lock:
            if not self._loaded:
                self.load()
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
        return [self.NAME, *(name for name in self._store.memory_list("") if name in SHARDS or is_copy(name))]

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
            parsed = parse_lines(data or b"")
            disk.total += parsed.total + parsed.torn
            for number, record in zip(parsed.numbers, parsed.records, strict=True):
                if not isinstance(record.get("id"), str):
                    parsed.rejected.append(Rejected(number, dump_line(record).rstrip(), "no id"))
            here = last_by_id(parsed.records)
            disk.untidy |= parsed.conflicts > 0 or len(here) != len(parsed.records)
            if is_copy(name):
                disk.copies.append(here)
            else:
                whole.append(data or b"")
                disk.records |= here
            disk.bad += len(parsed.rejected) + parsed.torn
            self._problems += keep_rejected(self._state / f"{name}.rejected", name, parsed.rejected)
        disk.generation = digest_of(b"".join(whole))
        return disk

    def _merge(self, disk: _Disk) -> None:
        """Take the file as the ground, decide on missing lines, put our pending changes on top."""
        found, backup = disk.records, _bytes(self._backup)
        base = found if digest_of(backup) == disk.generation else last_by_id(parse_lines(backup).records)
        held = {ident: self._held(ident) for ident in self._pending}
        dropped = {ident for ident, record in held.items() if record is None}
        for copy in disk.copies:
            for ident, record in copy.items():
                found[ident] = three_way(base.get(ident), found[ident], record) if ident in found else record
        missing = {i for i in base if i not in found and i not in dropped and not self._explained(i)}
        before = len(base.keys() & found.keys()) + len(missing)
        self._damage = "" if self._allowed else damage(disk.bad, disk.total, len(found), before)
        merged = dict(found)
        if missing and self._wish(disk, base, missing):
            for ident in sorted(missing):
                self._remember_forgotten(ident, base[ident])
                self._pending.pop(ident, None)
            missing = set()
        merged |= {ident: base[ident] for ident in missing}
        for ident, grown_from in self._pending.items():
            ours = held[ident]
            if ours is None:
                merged.pop(ident, None)
            else:
                merged[ident] = three_way(grown_from or base.get(ident), ours, found.get(ident))
        self._disk, self._missing = disk, missing
        self._facts, self._opaque = {}, {}
        self.merges += 1
        self._dirty = merged != found or bool(self._pending) or len(disk.digests) > 1 or found != base or disk.untidy
        disk.records, disk.copies = {}, []  # as objects they take several times the room of the facts made of them
        for ident in list(merged):
            unknown = self._hold(ident, merged.pop(ident))
            if unknown is not None:
                self._problems.append(unknown)
        if self._damage:
            fix = "say whether to bring the lines back or to keep the file as it is; nothing is written until then"
            self._problems.append(Problem(self.NAME, None, "facts-damaged", self._damage, fix, "error"))
        elif missing:
            self._returned |= missing
            text = f"{len(missing)} lines were missing and are brought back"
            fix = "to forget facts, use `ebbtide forget`, or delete at most 20 lines at a time and nothing else"
            self._problems.append(Problem(self.NAME, None, "facts-lines-missing", text, fix))

    def _wish(self, disk: _Disk, base: dict[str, Record], missing: set[str]) -> bool:
        """A deletion is a wish only if it is plainly one: few lines, all else as we wrote it, no sync at work."""
        untouched = all(disk.records.get(ident) == record for ident, record in base.items() if ident in disk.records)
        few = len(missing) <= max(20, 0.02 * len(base))
        pure = disk.records.keys() <= base.keys()  # new lines beside missing ones: another device, not a person
        return few and untouched and pure and self._alone() and not (self._damage or disk.bad or self._older(disk))

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
        lines = {
            ident: dump_line(self._held(ident) or {}) for ident in sorted(self._facts.keys() | self._opaque.keys())
        }
        split_now = any(name in SHARDS for name in self._disk.digests)
        # Once split it stays split until well below the limit, or a vault at the limit would be moved every minute.
        split = len(lines) > (self._split_above * 3 // 4 if split_now else self._split_above)
        wanted: dict[str, list[bytes]] = {}
        for ident, line in lines.items():
            wanted.setdefault(shard(ident) if split else self.NAME, []).append(line)
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
        entries += [{"op": "put", "id": i, "record": self._held(i)} for i in self._pending]
        if entries or self._journal.exists():
            self._journal.parent.mkdir(parents=True, exist_ok=True)
            replace_durably(self._journal, b"".join(map(dump_line, entries)))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
