"""`python -m tests.bench.long_night [--keyword]`: seconds a night takes in a vault of some 10,000 notes, by phase.

The vault holds the notes of several evaluation sets, dated over three years by their files, and the diaries and conversations of
two of them, which carry their own dates. A night is had on each of the last days of those, with a moving clock: everything is
indexed, then the night collects, judges by rules, writes, and closes with the figures of the whole vault, report and router.
A last night looks at everything (`since` before the first note): the most that any night can be given. The vault is kept in
`.bench/long_night`; vectors that `tests.bench.eval` has made of the same texts are taken over. No figure is judged here.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service
from ebbtide.sleeping import open_night

from .eval import ROOT
from .latency import prepared
from .live import environment
from .nights import _by_day, _index, _notes
from .years import Hand

SETS = ("tldr-scale", "drcd", "prefeval", "xquad", "locomo", "siliconfriend")
DIARIES = ("locomo", "siliconfriend")
YEARS = 3


class Phases:
    """Seconds by phase of a night, as the night itself tells its phases."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._phase, self._since = "", time.perf_counter()

    def say(self, phase: str, done: int, total: int) -> None:
        """The night says what it does; after its last step it closes."""
        self.end()
        self._phase = "close" if phase == "write" and done == total else phase

    def end(self) -> None:
        """Count what the phase under way has taken."""
        now = time.perf_counter()
        if self._phase:
            self.spent[self._phase] += now - self._since
        self._since = now


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; never fails by its figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.long_night", description="Nights of a large vault.")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/")
    parser.add_argument("--nights", type=int, default=10, help="the last days of each diary; default 10")
    parser.add_argument("--keyword", action="store_true", help="without the embedding model")
    args = parser.parse_args(argv)
    work = ROOT / ".bench" / ("long_night-keyword" if args.keyword else "long_night")
    prepared(args.shared, SETS, work, keyword=args.keyword)
    vault = work / "vault"
    diaries = {path for name in DIARIES for path in _notes(args.shared / "sets" / name)}
    _age(vault, diaries)
    days = sorted(
        {day for name in DIARIES for day in sorted(_by_day(_notes(args.shared / "sets" / name)))[-args.nights :]}
    )
    runtime = open_runtime(vault, read_only=False, environ=environment(work))
    try:
        for line in _played(runtime, days):
            print(line, flush=True)
    finally:
        runtime.close()
    return 0


def _age(vault: Path, own_dates: set[str]) -> None:
    """Spread the files that carry no date of their own over the years before the diaries end."""
    files = [file for file in sorted(vault.rglob("*.md")) if "Memory" not in file.relative_to(vault).parts]
    end = datetime(2023, 1, 1, tzinfo=UTC).timestamp()
    for number, file in enumerate(files):
        if file.relative_to(vault).as_posix() not in own_dates:
            at = end - YEARS * 365 * 86400 * number / len(files)
            os.utime(file, (at, at))


def _played(runtime: Runtime, days: Sequence[str]) -> Iterator[str]:
    clock = Hand(datetime.now(UTC).timestamp())
    before = time.perf_counter()
    _index(runtime, Service(runtime))
    notes = runtime.catalog.counts()["notes"]
    print(f"indexed in {time.perf_counter() - before:.0f} s; {notes} notes; {len(days)} nights", flush=True)
    runtime.sync.clock = runtime.uses.clock = runtime.sync.outbox.clock = clock
    totals: list[float] = []
    yield f"{'night':<12}{'seen':>6}{'taken':>6}{'steps':>6}{'s':>8}  by phase"
    for day, since in [*((day, None) for day in days), (days[-1], "0001-01-01")]:
        clock.at = datetime.fromisoformat(f"{day}T23:00:00+00:00").timestamp()
        phases, started = Phases(), time.perf_counter()
        outcome = open_night(runtime, lambda work: work(), say=phases.say).run(day, since)
        runtime.write_memory()
        phases.end()
        totals.append(time.perf_counter() - started)
        told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in phases.spent.items())
        plan = outcome.plan
        yield (
            f"{day if since is None else 'everything':<12}{plan.processed:>6}{len(plan.candidates):>6}{len(outcome.steps):>6}"
            f"{totals[-1]:>8.2f}  {told}"
        )
    nights = totals[:-1]
    yield f"{len(nights)} nights: median {statistics.median(nights):.2f} s, most {max(nights):.2f}; everything {totals[-1]:.2f}"


if __name__ == "__main__":
    sys.exit(main())
