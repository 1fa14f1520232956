"""`python -m tests.bench.eval --shared ../shared/eval [sets...]`: how well recall finds what it should, beside BM25.

Each set is unpacked into .bench/eval, asked with `ebbtide exam ask` (which indexes it first; indexes are kept between runs, so that
the second run embeds nothing) and scored with the score.py that lies beside the sets. BM25 lines are the sets' own;
"hybrid" is the plain mixture of BM25 and vectors that the project's notes measured, nothing tuned.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ebbtide.prove.stats import wilson

from . import vaults
from .live import environment

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Row:
    """A line of the table. `floor`: None is "reported only"; a number is fixed; otherwise `below` what BM25 or hybrid reach."""

    set: str
    group: str = "ALL"
    metric: str = "hit@3"
    hybrid: float | None = None
    below: float = 0.01
    fixed: float | None = None
    only_told: bool = False
    no_scope: bool = False
    bm25: float | None = None
    first: float | None = None
    """What our first scored recall reached, before dates, places for the other language and shorter turns of dialogue."""
    goal: float | None = None

    def floor(self, bm25: float | None) -> float | None:
        """What it must reach."""
        if self.only_told:
            return None
        if self.fixed is not None:
            return self.fixed
        known = [value for value in (bm25, self.hybrid) if value is not None]
        return max(known) - self.below if known else None


ROWS = (
    # Floor sets: not below BM25 by more than .005.
    Row("cmrc2018", below=0.005, first=0.998),
    Row("drcd", below=0.005, first=0.994),
    Row("xquad", "cat same-language", below=0.005, first=0.988, goal=0.985),
    # Across languages: fixed floors.
    Row("xquad", "cat cross-zh-to-en", hybrid=0.029, fixed=0.75, first=0.899, goal=0.85),
    Row("xquad", "cat cross-en-to-zh", hybrid=0.223, fixed=0.90, first=0.936, goal=0.95),
    # The others: not more than .01 below BM25 nor below the plain hybrid.
    Row("locomo", hybrid=0.883, first=0.896, goal=0.92),
    Row("locomo", "cat multi-hop", metric="all@10", hybrid=0.591, first=0.621, goal=0.68),
    Row("siliconfriend", hybrid=0.981, first=0.991),
    Row("siliconfriend", hybrid=0.869, no_scope=True, bm25=0.832, first=0.841, goal=0.92),
    Row("timeqa", hybrid=0.587, first=0.635, goal=0.70),
    Row("prefeval", hybrid=0.828, first=0.897, goal=0.90),
    Row("rgb-zh", hybrid=0.917, first=0.911),
    Row("rgb-zh", "cat two-facts", metric="cover@10", hybrid=0.727, first=0.682, goal=0.80),
    Row("tldr-scale", "cat task-same-language", hybrid=0.738, first=0.850, goal=0.72),
    Row("tldr-scale", "cat cross-zh-to-en", hybrid=0.030, first=0.396, goal=0.50),
    Row("tldr-scale", "cat cross-en-to-zh", hybrid=0.105, first=0.238, goal=0.50),
    # Noisy: told, not judged.
    Row("obsidian-zh", "cat alias", hybrid=0.769, only_told=True, first=1.0),
    Row("obsidian-zh", "cat link-context", hybrid=0.191, only_told=True, first=0.195),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Ask and score; 1 if a floor is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.eval", description="Recall on evaluation sets, beside BM25."
    )
    parser.add_argument("sets", nargs="*", help="default: all of the table")
    parser.add_argument(
        "--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/ and tools/score.py"
    )
    parser.add_argument("--limit", type=int, help="only the first questions of each set: a quick look, no verdict")
    args = parser.parse_args(argv)
    chosen = [row for row in ROWS if not args.sets or row.set in args.sets]
    if unknown := set(args.sets) - {row.set for row in ROWS}:
        parser.error(f"not in the table: {', '.join(sorted(unknown))}")
    results: list[dict[str, Any]] = []
    scored: dict[tuple[str, bool], dict[str, Any]] = {}
    heads = "".join(f"{name:>8}" for name in ("BM25", "hybrid", "first", "floor", "goal"))
    print(f"{'set':<40}{'metric':>9}{'n':>6}{heads}{'Ebbtide':>9}")
    for row in chosen:
        key = (row.set, row.no_scope)
        if key not in scored:
            scored[key] = asked_and_scored(args.shared, row.set, no_scope=row.no_scope, limit=args.limit)
        results.append(line(row, args.shared, scored[key], judged=args.limit is None))
    for (name, no_scope), score in scored.items():
        wide = " (whole vault)" if no_scope else ""
        spent = f"ms p50 {score['ms_p50']}, p95 {score['ms_p95']}; {score['seconds']:.0f} s with indexing"
        print(f"{name}{wide}: {spent}; tokens p50 {score['tokens_p50']}, at most {score['tokens_max']}")
    file = ROOT / ".bench" / "eval" / "results.json"
    file.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    missed = [row for row in results if row["verdict"] == "MISSED"]
    print(
        "a sample of the questions: no verdict"
        if args.limit
        else f"{len(missed) or 'no'} floor{'s' * (len(missed) > 1)} missed"
    )
    return 1 if missed else 0


def asked_and_scored(shared: Path, name: str, *, no_scope: bool, limit: int | None) -> dict[str, Any]:
    """`exam ask` over a set, then score.py: {"groups": ..., "ms_p50": ...} and the seconds it took."""
    source, work = shared / "sets" / name, ROOT / ".bench" / "eval" / name
    vault = work / "vault"
    if not vault.exists():
        vaults.unpacked(source, vault)
    queries, results = source / "queries.jsonl", work / f"results{'-no-scope' if no_scope else ''}.jsonl"
    if limit is not None:
        lines = queries.read_text("utf-8").splitlines(keepends=True)
        queries = work / "queries.jsonl"
        queries.write_text("".join(lines[:: max(1, len(lines) // limit)][:limit]), "utf-8")
    command = [sys.executable, "-m", "ebbtide", "exam", "ask", "--vault", vault, "--queries", queries, "--out", results]
    before = time.perf_counter()
    subprocess.run([*command, *(["--no-scope"] if no_scope else [])], env=environment(work), check=True)
    spent = time.perf_counter() - before
    told = subprocess.run(
        [sys.executable, shared / "tools" / "score.py", queries, results, "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {**json.loads(told.stdout), "seconds": spent}


def _near(value: float, goal: float, group: Mapping[str, Any]) -> bool:
    """Whether a goal lies within the 95 % interval of a share."""
    n = int(group["n"])
    return wilson(round(value * n), n)[1] >= goal


def line(row: Row, shared: Path, score: dict[str, Any], *, judged: bool) -> dict[str, Any]:
    """Print a line of the table and return it."""
    baseline = json.loads((shared / "sets" / row.set / "baseline-bm25.json").read_text("utf-8"))["groups"]
    bm25 = row.bm25 if row.bm25 is not None else baseline.get(row.group, {}).get(row.metric)
    floor, group = row.floor(bm25), score["groups"].get(row.group, {})
    value = group.get(row.metric)
    verdict = "" if floor is not None else "told only"
    if floor is not None and value is not None and judged:
        verdict = "ok" if round(value, 4) >= round(floor, 4) else "MISSED"
        if verdict == "ok" and row.hybrid is not None and value < row.hybrid:
            verdict = "ok, a little under the hybrid"
    label = (
        row.set
        + ("" if row.group == "ALL" else ", " + row.group.removeprefix("cat "))
        + (" (whole vault)" if row.no_scope else "")
    )
    cells = "".join(
        f"{'-' if cell is None else format(cell, '.3f'):>8}" for cell in (bm25, row.hybrid, row.first, floor, row.goal)
    )
    reached = "-" if value is None else f"{value:.3f}"
    if row.goal is not None and value is not None and judged:
        verdict += (
            ""
            if value >= row.goal
            else f", goal {'within' if _near(value, row.goal, group) else 'outside'} the interval"
        )
    print(f"{label:<40}{row.metric:>9}{group.get('n', 0):>6}{cells}{reached:>9}  {verdict}", flush=True)
    return {
        "set": row.set,
        "group": row.group,
        "metric": row.metric,
        "no_scope": row.no_scope,
        "n": group.get("n"),
        "bm25": bm25,
        "hybrid": row.hybrid,
        "floor": floor,
        "value": value,
        "verdict": verdict,
        "all": group,
    }


if __name__ == "__main__":
    sys.exit(main())
