"""`python -m tests.bench.suites [suite ...] [--arm ARM ...]`: the development suites of recall, whole, as tables.

By default recall as it ships and each channel alone: a suite that one channel passes proves nothing. Half A was looked at
while recall was written, half B is only measured. Vaults and vectors are kept in .bench/suites.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from ..suites.all import SUITES, sat
from ..suites.running import ARMS, Arm, Figure

ROOT = Path(__file__).parents[2]
USUAL: Sequence[Arm] = ("full", "keyword", "vector")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if recall as it ships misses a figure, or one channel alone misses none of a suite."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.suites", description="The development suites of recall."
    )
    parser.add_argument("suites", nargs="*", metavar="suite", help=f"default: all of {', '.join(SUITES)}")
    parser.add_argument("--arm", choices=ARMS, action="append", help="may be repeated; default: full, keyword, vector")
    args = parser.parse_args(argv)
    if unknown := set(args.suites) - set(SUITES):
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    arms: Sequence[Arm] = args.arm or USUAL
    wrong = 0
    for name in args.suites or SUITES:
        before = time.perf_counter()
        figures = sat(name, ROOT / ".bench" / "suites" / name, arms)
        print(f"\n{name} ({time.perf_counter() - before:.0f} s)")
        table(figures)
        for arm, told in figures.items():
            failed = any(not figure.passed for figure in told)
            if arm in USUAL:
                wrong += failed if arm == "full" else not failed
                print(
                    f"  {arm}: {'fails' if failed else 'passes'}{'' if failed != (arm == 'full') else ', as it must not'}"
                )
    return 1 if wrong else 0


def table(figures: dict[Arm, list[Figure]]) -> None:
    """A line a figure, a column an arm; what is missed is marked."""
    first = next(iter(figures.values()))
    print(f"  {'half':<5}{'figure':<46}{'n':>5}{'must be':>9}" + "".join(f"{arm:>13}" for arm in figures))
    for place, figure in enumerate(first):
        bounds = ((">=", figure.least), ("<=", figure.most))
        must = "".join(f"{sign} {bound:.2f}" for sign, bound in bounds if bound is not None)
        cells = [told[place] for told in figures.values()]
        shown = "".join(f"{cell.value:>12.3f}{' ' if cell.passed else '*'}" for cell in cells)
        print(f"  {figure.half:<5}{figure.name:<46}{figure.count:>5}{must:>9}{shown}")


if __name__ == "__main__":
    raise SystemExit(main())
