"""`python -m tests.bench.conflicts --shared ../shared/eval`: contradictions found in pairs of texts and in a whole vault.

Runs `ebbtide exam pairs` and `ebbtide exam conflicts` with and without the embedding model and prints tables by kind, each set
also by half: `tuned` is the random half that rules were looked at with, `other` the half that was only ever counted. Halves
are by topic, so that the rewordings of one do not stand on both sides. `--scale` times vaults of made-up notes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import vaults
from .live import environment

ROOT = Path(__file__).parents[2]
SEED = 4
PAIRS, VAULT = "contradiction-pairs", "contradiction-vault"
GOALS = (
    ("pairs F1", 0.55, True),
    ("pairs false alarms", 0.20, False),
    ("pairs, rgb-minimal-entity recall", 0.85, True),
    ("vault recall", 0.60, True),
    ("vault false alarms", 0.15, False),
    ("vault, other flags a note", 2.0, False),
)
"""(figure, bound, whether it must be at least that)."""
ONLY_A_JUDGE = 0.25
"""Recall below which a kind is said to need a judge."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.conflicts", description="Contradictions found.")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/")
    parser.add_argument("--no-model", action="store_true", help="by rules alone only")
    parser.add_argument("--scale", type=int, nargs="*", metavar="NOTES", help="only time vaults of so many notes")
    args = parser.parse_args(argv)
    if args.scale is not None:
        return scale(args.scale or [1000, 8000])
    missed = False
    for model in (False,) if args.no_model else (False, True):
        print(f"\n== {'with the embedding model' if model else 'by rules alone'} ==")
        figures = {**measure_pairs(args.shared, model=model), **measure_vault(args.shared, model=model)}
        for name, bound, at_least in GOALS:
            met = figures[name] >= bound if at_least else figures[name] < bound
            missed = missed or not met
            print(
                f"{name:<40}{figures[name]:>8.3f}  goal {'>=' if at_least else '<'} {bound}: {'ok' if met else 'MISSED'}"
            )
    return int(missed)


# --- pairs ------------------------------------------------------------------------------------------------------------


def measure_pairs(shared: Path, *, model: bool) -> dict[str, float]:
    """The table of the pairs, by set and kind and by half."""
    given = shared / "sets" / PAIRS / "pairs.jsonl"
    rows, said = _lines(given), {d["id"]: d for d in _run("pairs", model, "--pairs", given)}
    tuned = _tuned(shared)
    groups: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row in rows:
        case = (row["label"] == "contradiction", said[row["id"]]["contradiction"])
        half = "tuned" if re.sub(r"-(min|rew|same)$", "", row["id"]) in tuned else "other"
        for name in ("ALL", f"half {half}", f"set {row['set']}", f"kind {row['kind']}"):
            groups[name].append(case)
    print(f"{'pairs':<38}{'n':>6}{'precision':>11}{'recall':>8}{'F1':>8}{'false alarms':>14}")
    for name in sorted(groups, key=lambda g: (g != "ALL", not g.startswith("half"), not g.startswith("set"), g)):
        f = _figures(groups[name])
        judge = "  only a judge" if name.startswith("kind") and f["positives"] and f["recall"] < ONLY_A_JUDGE else ""
        print(
            f"{name:<38}{len(groups[name]):>6}{f['precision']:>11.3f}{f['recall']:>8.3f}{f['f1']:>8.3f}{f['alarms']:>14.3f}{judge}"
        )
    every = _figures(groups["ALL"])
    return {
        "pairs F1": every["f1"],
        "pairs false alarms": every["alarms"],
        "pairs, rgb-minimal-entity recall": _figures(groups["kind rgb-minimal-entity"])["recall"],
    }


def _figures(cases: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    tp = sum(true and said for true, said in cases)
    fp = sum(said and not true for true, said in cases)
    positives = sum(true for true, _ in cases)
    negatives = len(cases) - positives
    return {
        "precision": tp / (tp + fp) if tp + fp else 0.0,
        "recall": tp / positives if positives else 0.0,
        "f1": 2 * tp / (tp + fp + positives) if tp else 0.0,
        "alarms": fp / negatives if negatives else 0.0,
        "positives": float(positives),
    }


# --- a vault ----------------------------------------------------------------------------------------------------------


def measure_vault(shared: Path, *, model: bool) -> dict[str, float]:
    """The table of the planted vault, by kind and language and by half."""
    source, vault = shared / "sets" / VAULT, ROOT / ".bench" / "conflicts" / "vault"
    if not vault.exists():
        vaults.unpacked(source, vault)
    planted = {_key(row): row for row in _lines(source / "planted.jsonl")}
    flagged = {_key(row): row for row in _run("conflicts", model, "--vault", vault)}
    topic = {key: re.sub(r"-[0-9a-f]+\.md$", "", row["a"]) for key, row in planted.items()}
    tuned = _tuned(shared)
    groups: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for key, row in planted.items():
        lang, number = _topic(topic[key])
        half = "tuned" if f"rgb-{lang}-{int(number)}" in tuned else "other"
        for name in ("ALL", f"half {half}", f"kind {row['kind']}", f"lang {row['lang']}"):
            groups[name].append((row["label"] == "contradiction", key in flagged))
    print(f"\n{'vault':<38}{'n':>6}{'recall':>8}{'false alarms':>14}")
    for name in sorted(groups, key=lambda g: (g != "ALL", g)):
        f = _figures(groups[name])
        print(f"{name:<38}{len(groups[name]):>6}{f['recall']:>8.3f}{f['alarms']:>14.3f}")
    notes = sum(1 for _ in vault.rglob("*.md"))
    every = _figures(groups["ALL"])
    return {
        "vault recall": every["recall"],
        "vault false alarms": every["alarms"],
        "vault, other flags a note": len(flagged.keys() - planted.keys()) / notes,
    }


def _topic(name: str) -> tuple[str, str]:
    lang, number = name.rsplit("/", 1)[-1].split("-")[:2]
    return lang, number


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(sorted((row["a"], row["b"])))


# --- size -------------------------------------------------------------------------------------------------------------


def scale(sizes: Sequence[int]) -> int:
    """How long the patrol takes over so many made-up notes of twenty sentences, and what it makes of them."""
    from ebbtide.memory.conflict_pairs import candidates
    from ebbtide.memory.conflict_patrol import patrol
    from ebbtide.parse.claims import read_claim

    chance = random.Random(SEED)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("ran", "ves", "lin", "tok", "mer", "das")]
    print(f"{'notes':>7}{'claims':>9}{'pairs':>9}{'flags':>7}{'read s':>8}{'pairs s':>9}{'judge s':>9}")
    for size in sizes:
        sentence: Callable[[], str] = lambda: " ".join(  # noqa: E731
            ["The", *(chance.choice(words) for _ in range(9)), str(chance.randrange(2, 90)), "days."]
        )
        before = time.perf_counter()
        claims = [read_claim(sentence(), note=f"{n}.md", line=s) for n in range(size) for s in range(20)]
        read = time.perf_counter()
        pairs = candidates(claims)
        paired = time.perf_counter()
        flags = patrol(claims)
        spent = time.perf_counter()
        print(
            f"{size:>7}{len(claims):>9}{len(pairs):>9}{len(flags):>7}{read - before:>8.1f}{paired - read:>9.1f}"
            f"{spent - paired - (paired - read):>9.1f}"
        )
    return 0


# --- both -------------------------------------------------------------------------------------------------------------


def _tuned(shared: Path) -> set[str]:
    """The topics of the half that rules were looked at with."""
    rows = _lines(shared / "sets" / PAIRS / "pairs.jsonl")
    topics = sorted({re.sub(r"-(min|rew|same)$", "", row["id"]) for row in rows})
    random.Random(SEED).shuffle(topics)
    return set(topics[: len(topics) // 2])


def _run(what: str, model: bool, option: str, given: Path) -> list[dict[str, Any]]:
    work = ROOT / ".bench" / "conflicts"
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        command = [sys.executable, "-m", "ebbtide", "exam", what, option, str(given), "--out", str(out)]
        before = time.perf_counter()
        env = environment(work) | {"PYTHONPATH": str(ROOT / "daemon")}
        subprocess.run([*command, *([] if model else ["--no-model"])], env=env, check=True, capture_output=True)
        print(f"(exam {what}: {time.perf_counter() - before:.1f} s)")
        return _lines(out)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
