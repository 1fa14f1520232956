"""`python -m tests.bench.whole_nights [locomo siliconfriend]`: whole nights over a set, without a model, on a moving clock.

The notes of a set arrive day by day, as in `tests.bench.nights`; after each day that brought some a whole night is had: collect,
judge by rules, write, close. Printed for each set: the core over time, what was decided, seconds a night, whether every note of the
set still has its very bytes, and whether a second run writes the same core memories and the same router, byte for byte.
By keyword, unless --vectors takes over those that `tests.bench.eval` has made.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service
from ebbtide.sleeping import open_night

from .eval import ROOT
from .live import environment
from .nights import SETS, _by_day, _index, _notes, _share_model
from .years import Hand


@dataclass
class Played:
    """What the nights of a set came to. `core`: the core memories after each night; `made`: path -> bytes of core and router."""

    core: list[int] = field(default_factory=list)
    decided: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    made: dict[str, bytes] = field(default_factory=dict)
    untouched: bool = True

    @property
    def digest(self) -> str:
        """Of all that was made."""
        told = b"".join(path.encode() + b"\0" + data + b"\0" for path, data in sorted(self.made.items()))
        return hashlib.blake2b(told, digest_size=8).hexdigest()


def main(argv: Sequence[str] | None = None) -> int:
    """Play; 1 if a note was touched or two runs differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.whole_nights", description="Whole nights over a set.")
    parser.add_argument("sets", nargs="*", default=list(SETS), help="default: all")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/")
    parser.add_argument("--vectors", action="store_true", help="with the stored vectors of tests.bench.eval")
    args = parser.parse_args(argv)
    good = True
    for name in args.sets:
        notes = _notes(args.shared / "sets" / name)
        first, second = (play(name, notes, vectors=args.vectors) for _ in range(2))
        nights = len(first.core)
        steps = sorted({*range(0, nights, max(1, nights // 8)), nights - 1})
        print(
            f"\n{name}: {len(notes)} notes, {nights} nights; core after night "
            + ", ".join(f"{n + 1}: {first.core[n]}" for n in steps)
        )
        print("decided: " + ", ".join(f"{kind} {count}" for kind, count in sorted(first.decided.items())))
        print(f"{statistics.median(first.seconds):.2f} s a night (median), {max(first.seconds):.2f} at most")
        same = first.digest == second.digest
        print(
            f"notes untouched: {first.untouched}; a second run writes {'the same bytes' if same else 'OTHER BYTES'} ({first.digest})"
        )
        good = good and same and first.untouched
    return 0 if good else 1


def play(name: str, notes: Mapping[str, str], *, vectors: bool) -> Played:
    """The whole nights of a set, from an empty vault on."""
    work = ROOT / ".bench" / "whole_nights" / name
    shutil.rmtree(work, ignore_errors=True)
    vault = work / "vault"
    vault.mkdir(parents=True)
    environ = environment(work)
    kept = ROOT / ".bench" / "eval" / name / "cache"
    if vectors:
        _share_model(kept, Path(environ["EBBTIDE_CACHE"]))
    runtime = open_runtime(vault, read_only=False, options={} if vectors else {"embed.enabled": False}, environ=environ)
    try:
        if vectors:
            for file in sorted(kept.glob("vaults/*/vectors-*.sqlite")):
                shutil.copy(file, runtime.vectors_at / file.name)
        return _play(runtime, vault, notes)
    finally:
        runtime.close()


def _play(runtime: Runtime, vault: Path, notes: Mapping[str, str]) -> Played:
    played, service, clock = Played(), Service(runtime), Hand(0.0)
    runtime.sync.clock = runtime.uses.clock = runtime.sync.outbox.clock = clock
    for day, paths in sorted(_by_day(notes).items()):
        for path in paths:
            file = vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(notes[path], "utf-8", newline="")
        clock.at = datetime.fromisoformat(f"{day}T23:00:00+00:00").timestamp()
        _index(runtime, service)
        before = time.perf_counter()
        outcome = open_night(runtime, lambda work: work()).run(day)
        runtime.write_memory()
        played.seconds.append(time.perf_counter() - before)
        played.decided.update(judged.decision for judged in outcome.plan.judged)
        played.core.append(_holding(vault))
    made = [*(vault / "Memory" / "core").rglob("*.md"), vault / "Memory" / "MEMORY.md"]
    played.made = {file.relative_to(vault).as_posix(): file.read_bytes() for file in made if file.exists()}
    played.untouched = all((vault / path).read_bytes() == text.encode() for path, text in notes.items())
    return played


def _holding(vault: Path) -> int:
    """Core memories that hold."""
    texts = (file.read_text("utf-8") for file in (vault / "Memory" / "core").rglob("*.md"))
    return sum("\nstatus: active\n" in text for text in texts)


if __name__ == "__main__":
    sys.exit(main())
