"""`python -m tests.bench [--set DIR] [--quick]`: measure, print a table, keep the figures in .bench/."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import bare, phases, vaults
from .live import Live

ROOT = Path(__file__).parents[2]
LIBRARIES = ("ebbtide", "onnxruntime", "tantivy", "usearch", "tokenizers", "numpy")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one vault."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description="Benchmarks of indexing and recall on one vault."
    )
    parser.add_argument(
        "--set", type=Path, help="an evaluation set: a folder with vault.jsonl.gz; default: a vault written for it"
    )
    parser.add_argument("--notes", type=int, help="how many notes (default: 600 of the written vault, all of a set)")
    parser.add_argument("--quick", action="store_true", help="some minutes less: 120 notes, fewer questions")
    parser.add_argument("--keep", action="store_true", help="leave vault and indexes in .bench/work")
    args = parser.parse_args(argv)
    work = ROOT / ".bench" / "work"
    shutil.rmtree(work, ignore_errors=True)
    try:
        count = args.notes or (120 if args.quick else 600 if args.set is None else None)
        vault = work / "vault"
        bench = vaults.unpacked(args.set, vault, count) if args.set else vaults.synthetic(vault, count or 600)
        result = measure(bench, work, quick=args.quick)
    finally:
        if not args.keep:
            shutil.rmtree(work, ignore_errors=True)
    print("\n".join(table(result)))
    file = ROOT / ".bench" / f"{bench.name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json"
    file.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(f"\nwritten: {file.relative_to(ROOT)}")
    return 0


def measure(bench: vaults.Bench, work: Path, *, quick: bool = False) -> dict[str, Any]:
    """Everything, in the order in which a person meets it."""
    work.mkdir(parents=True, exist_ok=True)
    loop = bare.BareLoop()
    out: dict[str, Any] = {"about": about(bench)}
    _say("first indexing")
    with Live(bench.root, work) as live:
        out["first"] = phases.first_indexing(
            live, bench, loop, every=2.0 if quick else 8.0, turn_texts=64 if quick else bare.ROUND
        )
        live.wait_settled()
        _say("recall at rest")
        out["rest"] = phases.recall_at_rest(live, bench.questions, 30 if quick else 200)
        _say("saving")
        out["saving"] = phases.saving(live, 4 if quick else 12)
        live.wait_settled()
        out["peak_mib"] = live.peak_mib()
    _say("restart")
    out["restart"] = phases.restart(bench, work) | phases.reopened(bench, work)
    out["size"] = phases.sizes(bench, work)
    _say("reading against Tantivy alone")
    out["reading"] = bare.reading_ratio(bench, work, 2 if quick else 6, 30 if quick else 150)
    return out


def about(bench: vaults.Bench) -> dict[str, Any]:
    """What was measured, and with what."""
    return {
        "vault": bench.name,
        "notes": len(bench.notes),
        "megabytes": round(bench.megabytes, 3),
        "questions": len(bench.questions),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def table(result: dict[str, Any]) -> list[str]:
    """The figures as lines: ratios and counts first, then the absolute ones, each with its aim where the project has one."""
    first, rest, saved, peak = result["first"], result["rest"], result["saving"], result["peak_mib"]
    again, size, reading, what = result["restart"], result["size"], result["reading"], result["about"]
    share = first.get("share_of_bare_while_embedding")
    rates = (
        f"{_number(first.get('embedding_texts_per_s'), 1)} texts/s, bare {_number(first.get('bare_texts_per_s'), 1)}"
    )
    by_index = "; ".join(f"{name} {value:.2f}" for name, value in size.items() if name != "all")
    rows: list[tuple[str, str, str]] = [
        ("embedding, share of bare onnxruntime", _number(share), _aim(share, 0.85, "at least")),
        ("... from process start to all vectors", _number(first.get("share_of_bare_from_start")), ""),
        ("reading, share of read + tokenise + tantivy", _number(reading["ratio"]), ""),
        ("texts embedded after a restart", str(again["embedded"]), _aim(again["embedded"], 0, "at most")),
        ("index bytes for a byte of notes", _number(size["all"]), by_index),
        (
            "vectors",
            str(first["vectors"]),
            f"{first['passages']} passages, {first['facts']} facts of {first['notes']} notes",
        ),
        ("", "", ""),
        ("first keyword answer", _seconds(first["first_keyword_answer_s"]), "since the process began"),
        ("all notes by keyword", _seconds(first["all_keyword_s"]), ""),
        ("all vectors", _seconds(first["all_vectors_s"]), rates),
        ("restart: first answer", _seconds(again["first_answer_s"]), f"all ready {_seconds(again['ready_s'])}"),
        ("saved, by keyword", _pair(saved["keyword_s"], "s"), _aim(saved["keyword_s"]["max"], 1.0, "at most")),
        ("saved, by meaning", _pair(saved["meaning_s"], "s"), _aim(saved["meaning_s"]["max"], 3.0, "at most")),
        ("recall while reading", _pair(first["recall_reading_ms"], "ms"), ""),
        ("recall while embedding", _pair(first["recall_embedding_ms"], "ms"), ""),
        ("recall at rest", _pair(rest["client_ms"], "ms"), _aim(rest["client_ms"]["p95"], 300, "at most", "p95 ")),
        ("recall at rest, inside the daemon", _pair(rest["engine_ms"], "ms"), ""),
        ("peak memory", f"{peak:.0f} MiB", _aim(peak, 1024, "at most")),
    ]
    head = [
        f"{what['vault']}: {what['notes']} notes, {what['megabytes']} MB; {what['system']}, {what['processors']} processors",
        "Ratios and counts were taken in this run, by turns; absolute figures, below the gap, are indicative: this machine, this hour.",
        "",
    ]
    return head + [f"{name:<44} {value:>24}  {note}".rstrip() for name, value, note in rows]


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _seconds(value: float) -> str:
    return f"{value:.2f} s"


def _pair(values: dict[str, Any], unit: str) -> str:
    if not values["n"]:
        return "-"
    digits = 2 if unit == "s" else 0
    return f"p50 {values['p50']:.{digits}f}, p95 {values['p95']:.{digits}f} {unit}"


def _aim(value: float | None, bound: float, word: str, of: str = "") -> str:
    if value is None:
        return ""
    kept = value >= bound if word == "at least" else value <= bound
    return f"aim: {of}{word} {bound:g}{'' if kept else '   MISSED'}"


def _say(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
