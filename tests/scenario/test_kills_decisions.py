"""kill -9 while decisions are made: what was answered for is there exactly once, and nothing is there by half."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ebbtide.index.decisions import born
from ebbtide.memory.codec import fact_from_dict
from ebbtide.memory.revisions import fold
from support import Place, wait_until

THOROUGH = os.environ.get("EBBTIDE_EVIDENCE") == "1"
KILLS = 100 if THOROUGH else 3
NOTES = {f"b{n}.md": f"# B{n}\n\nThe lamp {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 13)}


def run_and_kill(place: Place, log: Path, seed: int, seconds: float) -> None:
    """Let the child work for a while after its first sign of life, and kill it wherever it is."""
    log.touch()
    begun = log.stat().st_size
    command = [
        sys.executable,
        str(Path(__file__).with_name("child_decisions.py")),
        str(place.vault),
        str(log),
        str(seed),
    ]
    with (log.parent / "child.err").open("ab") as errors:
        child = subprocess.Popen(command, env=place.environ, stdout=subprocess.DEVNULL, stderr=errors)
    try:
        wait_until(lambda: log.stat().st_size > begun or child.poll() is not None, "the child")
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=seconds)
        assert child.poll() is None, (log.parent / "child.err").read_text()[-2000:]
    finally:
        child.kill()
        child.wait()


def answered(log: Path) -> list[list[str]]:
    """What the child was told is done; a last line that is cut was not told to its end."""
    lines = [line for line in log.read_text().split("\n")[:-1] if line.startswith("[")]
    return [json.loads(line) for line in lines]


def whole(records: list[dict[str, Any]]) -> None:
    """No id twice, no part without its lead, no lead without its parts."""
    times = Counter(record["id"] for record in records)
    assert {ident for ident, count in times.items() if count > 1} == set()
    parts = Counter(record["part_of"] for record in records if record.get("part_of"))
    assert parts.keys() <= times.keys()
    leads = [r for r in records if r["by"] == "user" and not r.get("undoes") and not r.get("part_of")]
    assert {r["id"]: parts[r["id"]] for r in leads if parts[r["id"]] != 2} == {}
    assert {r["undoes"] for r in records if r.get("undoes")} <= times.keys()


@pytest.mark.evidence
@pytest.mark.parametrize("number", range(KILLS))
def test_killed_while_deciding(tmp_path: Path, number: int) -> None:
    (tmp_path / "vault").mkdir()
    place, log = Place(tmp_path).fill(NOTES), tmp_path / "log"
    chance = random.Random(4200 + number)
    for turn in range(1 if THOROUGH else 2):
        run_and_kill(place, log, 10 * number + turn, chance.uniform(0, 1.5))
    if number % 3 == 0:
        shutil.rmtree(tmp_path / "cache")  # what was answered for does not depend on it
    with place.opened() as service:
        runtime = service.runtime
        assert runtime.catalog.outbox("revision", 1) == runtime.catalog.outbox("fact", 1) == []
        records = place.ledger("revisions/*.jsonl")
        whole(records)
        assert {ident for made in answered(log) for ident in made} <= {record["id"] for record in records}
        stored = {ident: json.loads(record) for ident, record in runtime.catalog.all_facts()}
        assert place.facts() == stored
        for ident, fact in stored.items():
            assert fact_from_dict(fact).id == ident
            assert runtime.sync.decisions.standing(ident) == fold(ident, records, born(fact))
            assert fact["quote"] in (place.vault / fact["source"]).read_text()
    with place.opened():
        pass
    assert place.ledger("revisions/*.jsonl") == records
