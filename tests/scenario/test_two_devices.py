"""Two devices with one memory: whatever each writes, rules, undoes and loses, they agree once they have met.

A state machine over two copies of a vault that are merged as git or Syncthing would, each with caches and a state folder of
its own. `python -m pytest tests/scenario/test_two_devices.py` takes a few dozen steps; EBBTIDE_EVIDENCE=1 takes thousands.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ebbtide.index.decisions import born
from ebbtide.memory.revisions import Standing, fold
from ebbtide.runtime import Runtime, SystemClock
from support import Place

THOROUGH = os.environ.get("EBBTIDE_EVIDENCE") == "1"
PATHS = ("Pond.md", "Server.md", "Garden/Plan.md", "池塘.md", "Log 2026-03-05.md")
SENTENCES = (
    "The pond cost 400 EUR in 2026-05.",
    "The pond cost 450 EUR in 2026-05.",
    "The timeout is 30 seconds.",
    "The timeout is now 45 seconds.",
    "We decided to plant lilies instead of reeds in 2026-04.",
    "负责人：陈牧",
    "负责人：苏禾",
    "I prefer Postgres over MySQL for the archive.",
    "The nightly backup must finish before 05:00.",
    "An okapi drinks.",
)
ACTIONS = ("archive", "restore", "confirm", "freeze", "thaw", "pin", "quarantine", "clear", "forget", "stale")
SIDES = st.sampled_from((0, 1))
NUMBERS = st.integers(0, 1 << 16)
NOTES = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3, unique=True)


class Skewed:
    """ports.Clock of a device whose clock is wrong."""

    def __init__(self, by: float) -> None:
        self.by = by

    def now(self) -> float:
        return SystemClock().now() + self.by


class Device:
    """A copy of the vault, the notes that must be in it, and the runtime that is open on it, if any."""

    def __init__(self, base: Path) -> None:
        base.mkdir(parents=True)
        (base / "vault").mkdir()
        self.place = Place(base)
        self.notes: dict[str, bytes] = {}
        self.skew = 0.0
        self._runtime: Runtime | None = None

    @property
    def runtime(self) -> Runtime:
        if self._runtime is None:
            self._runtime = self.place.open()
            clock = Skewed(self.skew)
            self._runtime.sync.clock = self._runtime.sync.outbox.clock = clock
        return self._runtime

    @property
    def vault(self) -> Path:
        return self.place.vault

    def kill(self) -> None:
        """Nothing that is not durable yet reaches the disk. (That the process may die within a write: test_kills_decisions.)"""
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = None

    def index(self) -> None:
        self.runtime.catch_up()

    def files(self) -> dict[str, bytes]:
        """Every file that a sync program would carry, by path."""
        found = {}
        for file in sorted(self.vault.rglob("*")):
            if file.is_file() and not file.name.startswith(".ebbtide-"):
                found[file.relative_to(self.vault).as_posix()] = file.read_bytes()
        return found

    def facts(self) -> dict[str, dict[str, Any]]:
        return {ident: json.loads(record) for ident, record in self.runtime.catalog.all_facts()}

    def standings(self) -> dict[str, Standing]:
        """Where every record stands of which a revision or a note speaks."""
        known = set(self.facts()) | {r for row in self.ledger() for r in _names(row)}
        return {ident: self.runtime.sync.decisions.standing(ident) for ident in sorted(known)}

    def ledger(self) -> list[dict[str, Any]]:
        return self.runtime.sync.outbox.revisions.read()[0]


def _names(revision: Mapping[str, Any]) -> list[str]:
    return [*revision.get("subjects", ()), *([revision["object"]] if revision.get("object") else [])]


def merged_by_git(ground: bytes, ours: bytes, theirs: bytes) -> bytes:
    """What `git merge` leaves in the file, conflict markers and all."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, data in (("ours", ours), ("ground", ground), ("theirs", theirs)):
            file = Path(folder, name)
            file.write_bytes(data)
            names.append(str(file))
        return subprocess.run(["git", "merge-file", "-p", "--diff3", *names], capture_output=True, check=False).stdout


class TwoDevices(RuleBasedStateMachine):
    """See the module."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(tempfile.mkdtemp(prefix="ebbtide-two-"))
        self.devices = [Device(self.base / "one"), Device(self.base / "two")]
        self.common: dict[str, bytes] = {}
        self.copies = 0
        self.said: list[str] = []
        """Ids of the revisions that a person was told are made."""
        self.named: dict[tuple[str, bytes], set[str]] = {}
        """Ids of the facts of a text at a path, when both had met."""

    @initialize(notes=st.dictionaries(st.sampled_from(PATHS), NOTES, min_size=1, max_size=3))
    def begin(self, notes: dict[str, list[str]]) -> None:
        for path, sentences in notes.items():
            self._write(self.devices[0], path, sentences, 1)
        self.devices[0].index()
        self.sync("git", 0)

    def teardown(self) -> None:
        try:
            if self.common:
                self.meet()
        finally:
            for device in self.devices:
                device.kill()
            shutil.rmtree(self.base)

    # --- people and programs ------------------------------------------------------------------------------------------

    def _write(self, device: Device, path: str, sentences: list[str], month: int) -> None:
        text = (
            f"---\ndate: 2026-{month:02}-10\n---\n# {path.rpartition('/')[2][:-3]}\n\n" + "\n\n".join(sentences) + "\n"
        )
        device.place.write(path, text)
        device.notes[path] = text.encode()

    @rule(side=SIDES, path=st.sampled_from(PATHS), sentences=NOTES, month=st.integers(1, 6))
    def save(self, side: int, path: str, sentences: list[str], month: int) -> None:
        self._write(self.devices[side], path, sentences, month)

    @rule(side=SIDES, path=st.sampled_from(PATHS))
    def delete(self, side: int, path: str) -> None:
        if self.devices[side].notes.pop(path, None) is not None:
            (self.devices[side].vault / path).unlink()

    @rule(side=SIDES, path=st.sampled_from(PATHS), other=st.sampled_from(PATHS))
    def rename(self, side: int, path: str, other: str) -> None:
        device = self.devices[side]
        if path in device.notes and other not in device.notes:
            (device.vault / other).parent.mkdir(exist_ok=True)
            (device.vault / path).rename(device.vault / other)
            device.notes[other] = device.notes.pop(path)

    @rule(side=SIDES)
    def index(self, side: int) -> None:
        self.devices[side].index()

    @rule(side=SIDES)
    def look(self, side: int) -> None:
        """Index, without bringing the memory folder up to date."""
        self.devices[side].runtime.sync.reconcile()

    @rule(side=SIDES, lost=st.booleans())
    def kill(self, side: int, lost: bool) -> None:
        device = self.devices[side]
        device.kill()
        if lost:
            shutil.rmtree(device.place.base / "cache", ignore_errors=True)

    @rule(side=SIDES, hours=st.sampled_from((-48.0, -0.01, 0.0, 0.01, 48.0)))
    def wrong_clock(self, side: int, hours: float) -> None:
        self.devices[side].kill()
        self.devices[side].skew = hours * 3600

    # --- decisions ----------------------------------------------------------------------------------------------------

    def _record(self, side: int, *news: dict[str, Any]) -> list[dict[str, Any]]:
        runtime = self.devices[side].runtime
        made = runtime.sync.decisions.record(*news)
        runtime.sync.outbox.deliver()
        self.said += [revision["id"] for revision in made]
        return made

    def _undo(self, side: int, ident: str) -> list[dict[str, Any]]:
        runtime = self.devices[side].runtime
        made = runtime.sync.decisions.undo(ident, "user", "")
        runtime.sync.outbox.deliver()
        self.said += [revision["id"] for revision in made]
        return made

    def _pick(self, side: int, number: int) -> str | None:
        idents = sorted(self.devices[side].facts())
        return idents[number % len(idents)] if idents else None

    def _revision(self, kind: str, subjects: list[str], **more: Any) -> dict[str, Any]:
        made = {
            "by": "user",
            "kind": kind,
            "subjects": subjects,
            "object": None,
            "changes": [],
            "why": "",
            "evidence": [],
        }
        return made | more

    def _ruling(self, side: int, kind: str, ident: str) -> dict[str, Any]:
        fact = self.devices[side].facts()[ident]
        gone = [{"id": ident, "field": "fact", "before": fact["fact"], "after": None}]
        return self._revision(kind, [ident], changes=gone if kind == "forget" else [])

    @rule(side=SIDES, kind=st.sampled_from(ACTIONS), number=NUMBERS)
    def decide(self, side: int, kind: str, number: int) -> None:
        if (ident := self._pick(side, number)) is not None:
            self._record(side, self._ruling(side, kind, ident))

    @rule(side=SIDES, number=NUMBERS, value=st.integers(1, 10))
    def correct(self, side: int, number: int, value: int) -> None:
        if (ident := self._pick(side, number)) is not None:
            change = {"id": ident, "field": "importance", "before": None, "after": float(value)}
            self._record(side, self._revision("correct", [ident], changes=[change]))

    @rule(side=SIDES, kind=st.sampled_from(("supersede", "merge", "dispute", "settle")), one=NUMBERS, other=NUMBERS)
    def between(self, side: int, kind: str, one: int, other: int) -> None:
        a, b = self._pick(side, one), self._pick(side, other)
        if a is not None and b is not None and a != b:
            news = [self._revision(kind, [a], object=b)]
            if kind == "supersede":
                news.append(self._revision("settle", [a], object=b))
            self._record(side, *news)

    @rule(side=SIDES, kind=st.sampled_from(ACTIONS), number=NUMBERS)
    def decide_and_think_better(self, side: int, kind: str, number: int) -> None:
        if (ident := self._pick(side, number)) is None:
            return
        decisions = self.devices[side].runtime.sync.decisions
        before = decisions.standing(ident)
        [made] = self._record(side, self._ruling(side, kind, ident))
        after = decisions.standing(ident)
        [undo] = self._undo(side, made["id"])
        assert decisions.standing(ident) == before
        self._undo(side, undo["id"])
        assert decisions.standing(ident) == after

    @rule(side=SIDES, number=NUMBERS)
    def undo(self, side: int, number: int) -> None:
        runtime = self.devices[side].runtime
        known = [r for r in runtime.catalog.latest_revisions(1000) if r["kind"] != "move"]
        known = sorted(r["id"] for r in known if not runtime.catalog.is_undone(r["id"]))
        if known:
            self._undo(side, known[number % len(known)])

    # --- how they meet ------------------------------------------------------------------------------------------------

    @rule(style=st.sampled_from(("git", "syncthing")), winner=SIDES)
    def sync(self, style: str, winner: int) -> None:
        """Make both folders the same, as a program would that knows nothing of what is in the files."""
        one, two = (device.files() for device in self.devices)
        for path in sorted(one.keys() | two.keys() | self.common.keys()):
            ground, sides = self.common.get(path), (one.get(path), two.get(path))
            if sides[0] == sides[1] or path.endswith("links.jsonl"):
                continue
            if ground in sides:
                self._place(path, sides[1 - sides.index(ground)])
            elif None in sides:
                self._place(path, sides[0] or sides[1])
            elif style == "git" and path.endswith(".jsonl"):
                self._place(path, merged_by_git(ground or b"", sides[0] or b"", sides[1] or b""))
            else:
                self._place(path, sides[winner])
                if style == "syncthing":
                    self.copies += 1
                    name, _, ending = path.rpartition(".")
                    stamp = f"20261130-{self.copies:06}-ABCDEF{winner}"
                    self._place(f"{name}.sync-conflict-{stamp}.{ending}", sides[1 - winner])
        self.common = {path: data for path, data in self.devices[0].files().items() if not path.endswith("links.jsonl")}

    def _place(self, path: str, data: bytes | None) -> None:
        for device in self.devices:
            file = device.vault / path
            if data is None:
                file.unlink(missing_ok=True)
            elif not file.exists() or file.read_bytes() != data:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            if not path.startswith("Memory/"):
                device.notes.pop(path, None)
                if data is not None:
                    device.notes[path] = data

    @precondition(lambda self: bool(self.common))
    @rule()
    def meet(self) -> None:
        """Sync and index until nothing moves any more; then nothing may differ."""
        for turn in range(6):
            before = [device.files() for device in self.devices]
            self.sync("git" if turn % 2 else "syncthing", turn % 2)
            for device in self.devices:
                device.index()
            if turn and [device.files() for device in self.devices] == before and before[0] == before[1]:
                break
        one, two = self.devices
        assert one.files() == two.files()
        self._agree()
        self._nothing_is_lost()
        self._ids_stay()

    def _agree(self) -> None:
        one, two = self.devices
        facts = one.facts()
        assert facts == two.facts()
        written = one.place.facts()
        waiting = {ident for ident in written.keys() - facts.keys() if written[ident]["source"] not in one.notes}
        assert {ident: fact for ident, fact in written.items() if ident not in waiting} == facts
        assert [name for name in one.files() if "conflict" in name and name.startswith("Memory/facts")] == []
        standings = one.standings()
        assert standings == two.standings()
        ledger = one.ledger()
        for ident, standing in standings.items():
            state = born(facts[ident]) if ident in facts else "active"
            assert fold(ident, ledger, state) == standing
        for ident, fact in facts.items():
            text = one.notes[fact["source"]].decode()
            assert fact["quote"] in text.split("\n")[fact["line"] - 1], (ident, fact)

    def _nothing_is_lost(self) -> None:
        for device in self.devices:
            times = Counter(r["id"] for r in device.place.ledger("revisions/*.jsonl"))
            assert {ident: times[ident] for ident in self.said if times[ident] < 1} == {}
        with tempfile.TemporaryDirectory() as folder:
            fresh = Device(Path(folder, "fresh"))
            for path, data in self.devices[0].notes.items():
                fresh.place.write(path, data)
            fresh.index()
            quotes = {fact["quote"] for fact in fresh.facts().values()}
            fresh.kill()
        forgotten = {
            change["before"] for r in self.devices[0].ledger() if r["kind"] == "forget" for change in r["changes"]
        }
        here = {fact["quote"] for fact in self.devices[0].facts().values()}
        # By quote: a sentence under two headings is one fact, named after the heading that was read first.
        assert {quote for quote in quotes - here if not any(quote in text for text in forgotten)} == set()
        assert here <= quotes
        # Nothing is called forgotten that nobody forgot.
        assert {r["id"] for r in self.devices[0].ledger() if r["kind"] == "forget"} <= set(self.said)

    def _ids_stay(self) -> None:
        notes, facts = self.devices[0].notes, self.devices[0].facts()
        for path, data in notes.items():
            here = {i for i, f in facts.items() if path in (f["source"], *(e["source"] for e in f["evidence"]))}
            before = self.named.setdefault((path, data), here)
            assert before == here or any(r["kind"] == "forget" for r in self.devices[0].ledger())
        one, two = (
            {p: row.id for p, row in device.runtime.catalog.files().items() if p.endswith(".md")}
            for device in self.devices
        )
        assert one == two

    @invariant()
    def no_note_is_touched(self) -> None:
        for device in self.devices:
            for path, data in device.notes.items():
                assert (device.vault / path).read_bytes() == data


@pytest.mark.evidence
def test_two_devices_agree_whatever_happens() -> None:
    run_state_machine_as_test(
        TwoDevices,
        settings=settings(
            max_examples=150 if THOROUGH else 4,
            stateful_step_count=40 if THOROUGH else 12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
