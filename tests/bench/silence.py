"""`python -m tests.bench.silence --shared ../shared/eval [vaults...]`: how often recall answers what a vault cannot know.

Questions of the other sets are put to each vault, where nothing can answer them, beside the vault's own. A false answer is an
item for a foreign question, a false silence none for an own one. The indexes are those of `tests.bench.eval`.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ebbtide.prove.stats import wilson

from . import vaults
from .eval import ROOT
from .live import environment

VAULTS = ("siliconfriend", "locomo", "timeqa", "xquad", "cmrc2018")
ASKED = 80
"""Questions of each set, drawn with a fixed seed."""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; never fails by its figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.silence", description="Answers where there are none.")
    parser.add_argument("vaults", nargs="*", default=VAULTS, metavar="set", help=f"default: {', '.join(VAULTS)}")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/")
    parser.add_argument("--asked", type=int, default=ASKED, help=f"questions of each set; default {ASKED}")
    args = parser.parse_args(argv)
    print(f"{'vault':<16}{'own':>6}{'silent':>8}{'foreign':>9}{'answered':>10}")
    totals = [0, 0, 0, 0]
    for name in args.vaults:
        own = _silences(args.shared, name, _drawn(args.shared, name, args.asked))
        others = [question for other in VAULTS if other != name for question in _drawn(args.shared, other, args.asked)]
        foreign = [not silent for silent in _silences(args.shared, name, others)]
        counts = (len(own), sum(own), len(foreign), sum(foreign))
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        print(
            f"{name:<16}{counts[0]:>6}{counts[1] / counts[0]:>8.3f}{counts[2]:>9}{counts[3] / counts[2]:>10.3f}",
            flush=True,
        )
    for name, part, whole in (("false silence", totals[1], totals[0]), ("false answers", totals[3], totals[2])):
        low, high = wilson(part, whole)
        print(f"{name}: {part / max(1, whole):.3f} ({low:.3f} to {high:.3f}) of {whole}")
    return 0


def _drawn(shared: Path, name: str, count: int) -> list[str]:
    lines = (shared / "sets" / name / "queries.jsonl").read_text("utf-8").splitlines()
    known = [record["query"] for record in map(json.loads, lines) if record.get("answerable") is not False]
    return random.Random(name).sample(known, min(count, len(known)))


def _silences(shared: Path, name: str, questions: Sequence[str]) -> list[bool]:
    """For each question put to a vault, whether recall abstained."""
    work = ROOT / ".bench" / "eval" / name
    if not (work / "vault").exists():
        vaults.unpacked(shared / "sets" / name, work / "vault")
    asked, out = work / "silence.jsonl", work / "silence-results.jsonl"
    rows: list[dict[str, Any]] = [{"id": str(n), "query": query} for n, query in enumerate(questions)]
    asked.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    command = [
        sys.executable,
        "-m",
        "ebbtide",
        "exam",
        "ask",
        "--vault",
        work / "vault",
        "--queries",
        asked,
        "--out",
        out,
    ]
    subprocess.run(command, env=environment(work), check=True, capture_output=True)
    return [json.loads(line)["abstained"] for line in out.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
