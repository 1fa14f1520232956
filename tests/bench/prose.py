"""`python -m tests.bench.prose --shared ../shared/eval`: typed edges from prose, against hand-labelled sentences.

tests/data/prose_labels.jsonl names 473 links of real notes by set, path, line and column, without their text, and
says what the sentence states: a type and direction ("out": from the note, or from `other`, to the link; "in": the other
way), or nothing. Where a set has no links, the label's words are made one (a "mention"); two mentions of a line are both.
Half "before" was labelled before any rule was written. Each later set was labelled when the rules were frozen, and measured
once before it was learnt from: the first two of them are "between", the last is "after". What they gave at first sight:
precision .76, recall .45 (29 relations in 123 labels); .75, .48 (25 in 113); 1.00, .55 (22 in 104). Figures of today are
those of rules that have seen them all. Links of sentences with relation words were drawn on purpose; in a whole vault stated
relations are rare, see the shares.

Precision: of the typed edges read at labelled links, how many are as labelled. Recall: of labelled relations, how many are
read. --vault DIR also counts edges by type and origin; --speed times parsing with and without the prose of each note.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ebbtide.memory.records import Link, Note
from ebbtide.parse.links import NameIndex, build_links
from ebbtide.parse.note import parse_note
from ebbtide.parse.prose import stated_relations

ROOT = Path(__file__).parents[2]
LABELS = ROOT / "tests" / "data" / "prose_labels.jsonl"


class Judged(NamedTuple):
    """A label, and what was read: (type, direction, raw of the other end or None)."""

    label: Mapping[str, Any]
    read: tuple[str, str, str | None] | None
    sentence: str

    @property
    def wanted(self) -> tuple[str, str, str | None] | None:
        """What should have been read."""
        row = self.label
        return (row["type"], row["direction"], row.get("other")) if row["type"] else None


def labels() -> list[dict[str, Any]]:
    """The labels, in the file's order."""
    return [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines() if line]


def judge(shared: Path) -> list[Judged]:
    """Every label with what is read at its link."""
    by_note: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in labels():
        by_note[row["set"], row["path"]].append(row)
    return [item for (name, path), rows in by_note.items() for item in _judge_note(shared, name, path, rows)]


def _judge_note(shared: Path, name: str, path: str, rows: Sequence[Mapping[str, Any]]) -> Iterable[Judged]:
    lines = _texts(shared, name)[path].split("\n")
    marks = {(row["line"], column, raw) for row in rows for column, raw in _ends(row) if not raw.startswith("[[")}
    for line, column, raw in sorted(marks, reverse=True):
        text = lines[line - 1]
        if text[column : column + len(raw)] != raw:
            raise SystemExit(f"label does not fit the text: {name} {path}:{line} {column}")
        lines[line - 1] = f"{text[:column]}[[{raw}]]{text[column + len(raw) :]}"
    note = parse_note(path, "\n".join(lines))
    stated = stated_relations(note)
    for row in rows:
        places = [(column, raw) for column, raw in _ends(row)]
        shift = 4 * sum(line == row["line"] and column < row["column"] for line, column, _ in marks)
        start = sum(len(text) + 1 for text in lines[: row["line"] - 1])
        index = next(
            (number for number, link in enumerate(note.links) if link.offset == start + places[0][0] + shift), None
        )
        yield Judged(row, _read(note, stated, index, row), note.links[index].snippet if index is not None else "")


def _read(
    note: Note, stated: Sequence[Any], index: int | None, row: Mapping[str, Any]
) -> tuple[str, str, str | None] | None:
    found = []
    for item in stated:
        if index == item.link:
            other = None if item.other is None else note.links[item.other].raw
            found.append((item.type, "in" if item.inverse else "out", other))
        elif index is not None and index == item.other:
            found.append((item.type, "in", note.links[item.link].raw))
    wanted = (row["type"], row["direction"], _linked(row.get("other")))
    if row["type"] and wanted in found:
        return row["type"], row["direction"], row.get("other")
    return found[0] if found else None


def _linked(raw: str | None) -> str | None:
    return raw if raw is None or raw.startswith("[[") else f"[[{raw}]]"


def _ends(row: Mapping[str, Any]) -> list[tuple[int, str]]:
    ends = [(row["column"], row["raw"])]
    return ends + ([(row["other_column"], row["other"])] if "other" in row else [])


@cache
def _texts(shared: Path, name: str) -> dict[str, str]:
    if name == "sample-vault":
        root = ROOT / name
        return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in root.rglob("*.md")}
    with gzip.open(shared / "sets" / name / "vault.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {row["path"]: row["text"] for row in map(json.loads, lines)}


def score(judged: Iterable[Judged]) -> tuple[int, int, int, int]:
    """(right, read, labelled relations, labels)."""
    rows = list(judged)
    right = sum(row.read is not None and row.read == row.wanted for row in rows)
    return right, sum(row.read is not None for row in rows), sum(row.wanted is not None for row in rows), len(rows)


def edges(note_texts: Mapping[str, str]) -> list[Link]:
    """All edges of a vault."""
    index = NameIndex(note_texts)
    return [edge for path, text in note_texts.items() for edge in build_links(parse_note(path, text), index)]


def _table(judged: Sequence[Judged]) -> None:
    print(f"{'half':8}{'what':16}{'labels':>8}{'stated':>8}{'read':>6}{'right':>7}{'precision':>11}{'recall':>8}")
    for half in ("before", "between", "after"):
        rows = [row for row in judged if row.label["half"] == half]
        groups = [("all", rows)]
        groups += [(key, [r for r in rows if r.label["lang"] == key]) for key in ("en", "zh")]
        groups += [(key, [r for r in rows if r.label["set"] == key]) for key in sorted({r.label["set"] for r in rows})]
        for key in sorted({r.label["type"] for r in rows if r.label["type"]}):
            groups.append((key, [r for r in rows if key in (r.label["type"], r.read and r.read[0])]))
        for key, part in groups:
            right, read, stated, number = score(part)
            precision, recall = right / read if read else 1.0, right / stated if stated else 1.0
            print(f"{half:8}{key:16}{number:8}{stated:8}{read:6}{right:7}{precision:11.2f}{recall:8.2f}")


def _shares(name: str, texts: Mapping[str, str]) -> None:
    counted = Counter(
        (link.type, "declared" if link.declared else "plain" if link.relation is None else "prose")
        for link in edges(texts)
    )
    total = sum(counted.values())
    print(f"\n{name}: {total} edges in {len(texts)} notes")
    for (kind, origin), number in sorted(counted.items(), key=lambda item: -item[1]):
        print(f"  {kind:14}{origin:10}{number:7}  {number / max(1, total):.4f}")


def _speed(texts: Mapping[str, str]) -> None:
    def timed(rounds: int, work: Any) -> float:
        best = float("inf")
        for _ in range(rounds):
            start = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - start)
        return best

    notes = [parse_note(path, text) for path, text in texts.items()]
    parsing = timed(3, lambda: [parse_note(path, text) for path, text in texts.items()])
    prose = timed(3, lambda: [stated_relations(note) for note in notes])
    print(f"\nparsing {parsing:.2f} s, prose {prose:.3f} s more: {1 + prose / parsing:.3f} times")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; always 0: figures are reported, not judged, here."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.prose", description="Typed edges from prose.")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="where the sets lie")
    parser.add_argument(
        "--vault", type=Path, help="count edges of this folder, beside obsidian-zh and the sample vault"
    )
    parser.add_argument(
        "--errors", choices=("before", "between", "after"), help="name what was read wrong in this half"
    )
    parser.add_argument("--speed", action="store_true", help="time it over obsidian-zh")
    options = parser.parse_args(argv)
    judged = judge(options.shared)
    _table(judged)
    for row in judged:
        if row.label["half"] == options.errors and row.read != row.wanted:
            print(f"\n{row.label['set']} {row.label['path']}:{row.label['line']}  {row.label['raw']}")
            print(f"  wanted {row.wanted}, read {row.read}\n  {row.sentence}")
    for name in ("obsidian-zh", "sample-vault"):
        _shares(name, _texts(options.shared, name))
    if options.vault:
        _shares(
            str(options.vault),
            {str(p.relative_to(options.vault)): p.read_text("utf-8") for p in options.vault.rglob("*.md")},
        )
    if options.speed:
        _speed(_texts(options.shared, "obsidian-zh"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
