"""`python -m tests.bench.latency [--notes 8534|19074]`: recall by step over HTTP, at rest and while 200 notes are saved.

The daemon runs as it does for a user, with the time limit of recall. Half of the saves add notes, half rewrite notes that are
there; they are made at once, and questions go on until everything saved is found by keyword and by meaning. Vault and index are
kept in .bench/latency; vectors that `tests.bench.eval` has made of the same texts are taken over, so that only what is missing is
embedded. Ratios to the medians at rest say more than milliseconds: those are of this machine, this hour.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ebbtide.vault.identity import cache_dir, unborn_id

from . import vaults
from .eval import ROOT
from .live import Live
from .phases import percentile

SIZES: Mapping[int, tuple[str, ...]] = {
    8534: ("tldr-scale",),
    19074: ("locomo", "siliconfriend", "timeqa", "xquad", "cmrc2018", "drcd", "rgb-zh", "tldr-scale", "obsidian-zh"),
}
"""Notes -> the sets that make them up together."""
SAVES = 200
LEAST = 0.5
"""Milliseconds at rest under which a multiple of them says nothing."""
SHARES = (0.5, 0.95, 0.99)
STEPS = ("client", "total", "keyword", "dates", "recent", "embed", "vector", "graph", "rank", "compose", "chain")
"""The steps of an answer, `client` and `total` before them: all of it as the client and as the daemon see it."""


@dataclass(slots=True)
class Taken:
    """Milliseconds by step of the questions of one phase, and how often a step was left out for time."""

    steps: dict[str, list[float]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    questions: int = 0

    def ask(self, live: Live, question: str) -> None:
        """One question."""
        answer, client = live.recall(question)
        self.questions += 1
        for step, ms in {**answer["ms"], "client": client}.items():
            self.steps.setdefault(step, []).append(ms)
        self.skipped.update(left["step"] for left in answer["skipped"])


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; never fails by its figures."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.latency", description="Recall by step, at rest and during saves."
    )
    parser.add_argument(
        "--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/ and tools/"
    )
    parser.add_argument("--notes", type=int, choices=tuple(SIZES), default=8534, help="size of the vault; default 8534")
    parser.add_argument("--set", help="a vault of one set instead, for a quick look")
    parser.add_argument("--questions", type=int, default=500, help="questions at rest; default 500")
    parser.add_argument("--keyword", action="store_true", help="without the model: by keyword alone")
    args = parser.parse_args(argv)
    sets = (args.set,) if args.set else SIZES[args.notes]
    work = (
        ROOT / ".bench" / "latency" / ("-".join((args.set or str(args.notes), *(["keyword"] if args.keyword else []))))
    )
    bench = prepared(args.shared, sets, work, keyword=args.keyword)
    result = measured(bench, work, args.questions)
    print("\n".join(table(bench, result)))
    (work / "latency.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return 0


def prepared(shared: Path, sets: Sequence[str], work: Path, *, keyword: bool = False) -> vaults.Bench:
    """The vault of these sets under `work`, with its configuration and the vectors that other measurements made."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "config.toml").write_text("[embed]\nenabled = false\n" if keyword else "", "utf-8")
    source = shared / "sets" / sets[0]
    if len(sets) > 1:
        source = work / "merged"
        if not (source / "queries.jsonl").exists():
            merge = [sys.executable, shared / "tools" / "merge.py", source, *(shared / "sets" / name for name in sets)]
            subprocess.run(merge, check=True, stdout=subprocess.DEVNULL)
    vault = work / "vault"
    bench = vaults.known(source, vault) if vault.exists() else vaults.unpacked(source, vault)
    if not keyword:
        stores = [
            file for name in sets for file in (ROOT / ".bench" / "eval" / name / "cache").rglob("vectors-*.sqlite")
        ]
        seed(stores, vault, work / "cache")
    return bench


def seed(stores: Sequence[Path], vault: Path, cache: Path) -> None:
    """Put the vectors of other vector stores where the daemon looks for its own, unless it has some: texts decide, not vaults."""
    root = vault.resolve()
    if any(cache.rglob("vectors-*.sqlite")):
        return
    folder = cache_dir(cache, unborn_id(root), root)
    for store in stores:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.closing(sqlite3.connect(folder / store.name)) as own:
            own.execute("CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")
            own.execute("ATTACH ? AS other", (str(store),))
            own.execute("INSERT OR IGNORE INTO vectors SELECT key, v FROM other.vectors")
            own.commit()


# --- measuring ----------------------------------------------------------------------------------------------------


def measured(bench: vaults.Bench, work: Path, questions: int, saves: int = SAVES) -> dict[str, Any]:
    """{"rest": ..., "burst": ...}, each with the milliseconds by step, the steps left out, and the seconds it lasted."""
    asked = itertools.cycle(bench.questions)
    out: dict[str, Any] = {}
    with Live(bench.root, work) as live:
        _say("indexing")
        while not _settled(live):
            time.sleep(0.1)
        for _ in range(20):
            live.recall(next(asked))
        _say("at rest")
        began, rest = time.perf_counter(), Taken()
        for _ in range(questions):
            rest.ask(live, next(asked))
        out["rest"] = _phase(rest, began)
        _say(f"{saves} saves")
        notes = live.status()["counts"]["indexed"]
        with saved(bench, saves) as added:
            began, burst = time.perf_counter(), Taken()
            while True:
                burst.ask(live, next(asked))
                # The watcher has not seen anything at first: what was added must have arrived before "settled" means it.
                if burst.questions % 5 == 0 and _settled(live) and live.status()["counts"]["indexed"] >= notes + added:
                    break
            out["burst"] = _phase(burst, began)
        out["notes"] = notes
    return out


@contextlib.contextmanager
def saved(bench: vaults.Bench, count: int) -> Iterator[int]:
    """Save so many notes at once, every second one new; yields how many are new. What was there before is there again after."""
    before: dict[Path, bytes | None] = {}
    for number in range(count):
        old = bench.root / bench.notes[number * len(bench.notes) // count]
        new = bench.root / "Saved" / f"{number:04}.md"
        file = new if number % 2 else old
        before[file] = None if number % 2 else file.read_bytes()
    try:
        for number, (file, text) in enumerate(before.items()):
            file.parent.mkdir(exist_ok=True)
            said = f"Save {number}: the {number * 7 % 97} kilns were moved, since the smoke of kiln {number} reached the bedrooms.\n"
            file.write_bytes((text or f"# Saved {number}\n\n".encode()) + f"\n{said}".encode())
        yield sum(text is None for text in before.values())
    finally:
        for file, text in before.items():
            if text is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(text)


def _settled(live: Live) -> bool:
    """Whether everything is indexed, by meaning too where there is a model."""
    status = live.advancing()
    return bool(status["keyword_ready"] and (status["vectors_ready"] or status["model"]["state"] == "off"))


def _phase(taken: Taken, began: float) -> dict[str, Any]:
    steps = {step: [percentile(values, share) for share in SHARES] for step, values in taken.steps.items()}
    seconds = time.perf_counter() - began
    return {"questions": taken.questions, "seconds": seconds, "steps": steps, "skipped": dict(taken.skipped)}


# --- printing -----------------------------------------------------------------------------------------------------


def table(bench: vaults.Bench, result: Mapping[str, Any]) -> list[str]:
    """Milliseconds by step at rest and during the saves, and the latter as multiples of the step's median at rest."""
    rest, burst = result["rest"], result["burst"]
    heads = "".join(f"{f'p{share * 100:.0f}':>9}" for share in SHARES)
    out = [
        f"{bench.name}: {result['notes']} notes; {rest['questions']} questions at rest, {burst['questions']} in the"
        f" {burst['seconds']:.1f} s until {SAVES} saves were indexed",
        f"{'step':<10}{'at rest, ms':>27}{'during saves, ms':>27}{'times the median at rest':>27}",
        f"{'':<10}{heads}{heads}{heads}",
    ]
    for step in (step for step in STEPS if step in rest["steps"] or step in burst["steps"]):
        quiet, busy = (phase["steps"].get(step, [None] * len(SHARES)) for phase in (rest, burst))
        times = [None if value is None or (quiet[0] or 0.0) < LEAST else value / quiet[0] for value in busy]
        out.append(
            f"{step:<10}"
            + "".join(f"{'-' if value is None else format(value, '.1f'):>9}" for value in (*quiet, *busy, *times))
        )
    for name, phase in (("at rest", rest), ("during saves", burst)):
        left = ", ".join(f"{step} {count}" for step, count in sorted(phase["skipped"].items()))
        out.append(f"left out {name}: {left or 'nothing'}")
    return out


def _say(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
