"""`python -m tests.bench.coverage --shared ../shared/eval`: what the facts of a note cover, and whether each stands where it says.

Coverage: of the gold facts of a set of dialogues, the share whose turn is the line of one of our facts (ten a note at most), beside
as many lines drawn at random and the longest lines: as many as our facts stand on, and as many as our facts (two may share a line,
so that this is more lines than ours). `tuned` are the conversations that rules were looked at with, `other` the rest.
Citation: over every vault, the share of our facts whose line exists and whose quote is verbatim there; it must be 1.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ebbtide.memory.records import FactDraft, Note
from ebbtide.parse.facts import extract
from ebbtide.parse.note import parse_note

ROOT = Path(__file__).parents[2]
SEED, DRAWS = 4, 20
SET = "locomo"
Gold = Mapping[str, Sequence[frozenset[int]]]
"""Path -> the lines of the turns that each gold fact rests on."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; 1 if a fact does not stand where it says or coverage is no better than its baselines."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.coverage", description="What facts cover.")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/")
    parser.add_argument("--only", action="store_true", help=f"only the coverage of {SET}")
    args = parser.parse_args(argv)
    ours = coverage(args.shared / "sets" / SET)
    return int(not ours or (not args.only and not citations(args.shared / "sets")))


# --- coverage ---------------------------------------------------------------------------------------------------------


def coverage(source: Path) -> bool:
    """Print the table; whether ours is above both baselines."""
    notes = {note.path: note for note in _notes(source)}
    gold = _gold(source, notes)
    facts = {path: extract(note) for path, note in notes.items()}
    ours = {path: [fact.line for fact in found] for path, found in facts.items()}
    print(
        f"{SET}: {sum(map(len, facts.values()))} facts of {len(notes)} notes, {sum(map(len, gold.values()))} gold facts"
    )
    print(f"{'':<10}{'lines':>7}{'ours':>8}{'longest':>9}{'random':>8}{'facts':>9}{'longest':>9}{'random':>8}")
    better = True
    for name, part in _halves(gold).items():
        mine, cells = _share(part, ours), []
        for counts in ({p: len(set(ours[p])) for p in part}, {p: len(ours[p]) for p in part}):
            chance = random.Random(SEED)
            drawn = [_share(part, {p: _drawn(notes[p], counts[p], chance) for p in part}) for _ in range(DRAWS)]
            cells.append((sum(counts.values()), _share(part, {p: _longest(notes[p], counts[p]) for p in part}), drawn))
        (lines, long, drawn), (count, long_too, drawn_too) = cells
        better = better and mine > max(long, *drawn)
        print(
            f"{name:<10}{lines:>7}{mine:>8.3f}{long:>9.3f}{statistics.mean(drawn):>8.3f}"
            f"{count:>9}{long_too:>9.3f}{statistics.mean(drawn_too):>8.3f}"
        )
    return better


def _gold(source: Path, notes: Mapping[str, Note]) -> dict[str, list[frozenset[int]]]:
    """The lines of every gold fact, by note."""
    lines = {f"{path}#^{anchor.id}": anchor.line for path, note in notes.items() for anchor in note.anchors}
    out: defaultdict[str, list[frozenset[int]]] = defaultdict(list)
    for row in map(json.loads, (source / "facts.jsonl").read_text("utf-8").splitlines()):
        out[row["note"]].append(frozenset(lines[anchor] for anchor in row["anchors"] if anchor in lines))
    return dict(out)


def _halves(gold: Gold) -> dict[str, Gold]:
    """Everything, and each half of the conversations (folders)."""
    folders = sorted({path.rsplit("/", 1)[0] for path in gold})
    random.Random(SEED).shuffle(folders)
    tuned = set(folders[: len(folders) // 2])
    return {
        "ALL": gold,
        "tuned": {path: found for path, found in gold.items() if path.rsplit("/", 1)[0] in tuned},
        "other": {path: found for path, found in gold.items() if path.rsplit("/", 1)[0] not in tuned},
    }


def _share(gold: Gold, lines: Mapping[str, Sequence[int]]) -> float:
    hits = [bool(turns & set(lines[path])) for path, found in gold.items() for turns in found]
    return statistics.mean(hits)


def _said(note: Note) -> list[tuple[int, int]]:
    """(line, length) of every line of the body that says something."""
    before = note.text.count("\n", 0, note.body)
    return [
        (number, len(line))
        for number, line in enumerate(note.text[note.body :].split("\n"), before + 1)
        if line.strip()
    ]


def _longest(note: Note, count: int) -> list[int]:
    return [line for line, _ in sorted(_said(note), key=lambda item: (-item[1], item[0]))[:count]]


def _drawn(note: Note, count: int, chance: random.Random) -> list[int]:
    lines = [line for line, _ in _said(note)]
    return chance.sample(lines, min(count, len(lines)))


# --- citations --------------------------------------------------------------------------------------------------------


def citations(sets: Path) -> bool:
    """Print the table over every vault; whether every fact stands where it says."""
    print(f"\n{'vault':<22}{'notes':>7}{'facts':>8}{'a note':>8}{'MB/s':>7}{'stand':>9}")
    right = True
    for source in sorted(sets.iterdir()):
        if not (source / "vault.jsonl.gz").exists():
            continue
        notes = list(_notes(source))
        before = time.perf_counter()
        facts = [extract(note) for note in notes]
        spent = time.perf_counter() - before
        stand = [_stands(note, fact) for note, found in zip(notes, facts, strict=True) for fact in found]
        size = sum(len(note.text.encode()) for note in notes)
        share = statistics.mean(stand) if stand else 1.0
        right = right and all(stand) and max(map(len, facts), default=0) <= 10
        rate = size / 1e6 / spent
        print(
            f"{source.name:<22}{len(notes):>7}{len(stand):>8}{len(stand) / len(notes):>8.1f}{rate:>7.2f}{share:>9.4f}"
        )
    return right


def _stands(note: Note, fact: FactDraft) -> bool:
    """Whether the line exists and the quote is verbatim there."""
    lines = note.text.split("\n")
    if not (fact.quote and 1 <= fact.line <= len(lines)):
        return False
    return "\n".join(lines[fact.line - 1 :]).find(fact.quote, 0, len(lines[fact.line - 1]) + len(fact.quote)) >= 0


def _notes(source: Path) -> Iterator[Note]:
    with gzip.open(source / "vault.jsonl.gz", "rt", encoding="utf-8") as stored:
        for row in map(json.loads, stored):
            yield parse_note(row["path"], row["text"])


if __name__ == "__main__":
    sys.exit(main())
