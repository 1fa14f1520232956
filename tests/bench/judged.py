"""`python -m tests.bench.judged`: facts of real notes that were read against their notes and judged by hand, in shares.

`tests/data/judged_facts.jsonl` holds a verdict a line, with references only: set, path, line and a hash of the fact (no text of the
evaluation sets is kept here). `round` is the state of the rules that made the fact: `before` any change, `first` and `second` in between,
`after` the last one; each round read other notes, drawn with a fixed seed. `worth`, `alone` and `type` are true or false, `date` is
right, wrong or none (none needed), `reason` says why a fact is not worth keeping or does not stand alone, and `gate` is what the gates
say of it now (empty: they let it pass).
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "judged_facts.jsonl"
ROUNDS = ("before", "first", "second", "after")


def main() -> int:
    """Print shares with 95 % intervals, reasons, and gates against verdicts."""
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    print(
        f"{'round':<10}{'facts':>6}{'notes':>7}  {'worth keeping':<22}{'stands alone':<22}{'right type':<22}{'date not wrong':<22}"
    )
    for name in (*ROUNDS, "ALL"):
        part = [row for row in rows if name in (row["round"], "ALL")]
        notes = len({(row["set"], row["path"]) for row in part})
        cells = [share([row[key] for row in part]) for key in ("worth", "alone", "type")]
        cells.append(share([row["date"] != "wrong" for row in part]))
        print(f"{name:<10}{len(part):>6}{notes:>7}  " + "".join(f"{cell:<22}" for cell in cells))
    for name in ROUNDS:
        part = [row for row in rows if row["round"] == name]
        print(f"\n{name}: rejected " + _counts(Counter(row["reason"] for row in part if row["reason"])))
        print(f"{name}: wrong type in " + _counts(Counter(row["set"] for row in part if not row["type"])))
        for good in (True, False):
            passed = [row for row in part if (row["worth"] and row["alone"]) == good]
            refused = Counter(row["gate"] for row in passed if row["gate"])
            said = "keep" if good else "reject"
            print(f"{name}: I {said} {len(passed)}, the gates refuse {refused.total()} of them ({_counts(refused)})")
    return 0


def share(marks: Sequence[Any]) -> str:
    """A share with its 95 % interval (Wilson)."""
    n, z = len(marks), 1.96
    p = sum(map(bool, marks)) / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{p:.3f} ({middle - half:.3f} - {middle + half:.3f})"


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in found.most_common()) or "none"


if __name__ == "__main__":
    sys.exit(main())
