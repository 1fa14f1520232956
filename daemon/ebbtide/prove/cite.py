"""The batch exam of citation: given a fact in other words, the line of the vault that states it (formats.md 7).

Recall finds the notes. Their lines are then compared with the fact: the rare words, names and numbers they share with it, who
speaks, the meaning of the line and of its passage. Nothing under the vault is created, changed or removed.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import FloatArray
from ebbtide.memory.records import Note, Unit
from ebbtide.parse.fact_dialogue import speakers_of, turn_of
from ebbtide.parse.fact_text import plain
from ebbtide.parse.note import parse_note
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import fold, language, query_terms
from ebbtide.prove.rows import read_rows, write_rows
from ebbtide.recall.engine import Question
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service, told

Say = Callable[[str], None]
Table = npt.NDArray[np.float64]

NOTES: Final = 15
"""Notes whose lines are compared."""
LINES: Final = 400
"""Lines read of one note."""
MEANT: Final = 24
"""Lines of a fact that are compared in meaning: the best by everything else."""
RANKED: Final = 10
LEAST: Final = 5
_SILENT: Final = frozenset({"code", "math", "html", "heading"})
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Weights:
    """What each agreement between a fact and a line counts; each lies between 0 and 1 (`speaker`: -1 to 1)."""

    words: float = 1.0
    around: float = 0.5
    meaning: float = 0.7
    passage: float = 0.2
    note: float = 0.7
    speaker: float = 0.1
    numbers: float = 0.2


WEIGHTS: Final = Weights()


@dataclass(frozen=True, slots=True)
class Line:
    """A line that says something. `anchor` is how it is cited; `words` are its terms, `speaker` is folded, `said` the plain text."""

    anchor: str
    number: int
    text: str
    said: str
    speaker: str
    words: frozenset[str]
    numbers: frozenset[str]
    spans: tuple[str, ...]
    """Its sentences, verbatim."""


@dataclass(slots=True)
class Reader:
    """The lines of notes and their vectors, each made once."""

    runtime: Runtime
    notes: dict[str, tuple[Line, ...]] = field(default_factory=dict)
    vectors: dict[str, FloatArray] = field(default_factory=dict)

    def lines(self, path: str) -> tuple[Line, ...]:
        """The lines of a note; none if it is gone."""
        if path not in self.notes:
            try:
                note = parse_note(path, self.runtime.store.read(path).text)
            except VaultError:
                self.notes[path] = ()
            else:
                self.notes[path] = tuple(_lines(note))
        return self.notes[path]

    def meaning(self, texts: Sequence[str]) -> list[FloatArray] | None:
        """Centred vectors of short texts, [dims] each; None without a model."""
        embedder = self.runtime.embedder
        if embedder is None:
            return None
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        means = self.runtime.near["facts"].means
        for places, rows in embedder.iter_batches(new) if new else ():
            for place, row in zip(places, rows, strict=True):
                mean = means.get(language(new[place]))
                moved = row if mean is None else row - mean
                self.vectors[new[place]] = moved / max(float(np.linalg.norm(moved)), 1e-9)
        return [self.vectors[text] for text in texts]


def cite(vault: Path, facts: Path, out: Path, progress: Say = lambda _: None) -> dict[str, Any]:
    """Cite every line of `facts` ({id?, fact}) in a line of `out`: {id, note, line, quote, ranked: ["path#^block" or "path#Lnn"]}.

    `note`, `line` and `quote` are null where nothing is found. Raises BadRequest naming the line that is no fact;
    `out` is written whole or not at all.
    """
    asked = list(_facts(facts))
    runtime = open_runtime(vault, read_only=True)
    rows: list[dict[str, Any]] = []
    try:
        Service(runtime).catch_up(progress=told(progress), threads=os.cpu_count() or 1)
        reader = Reader(runtime)
        for number, (ident, fact) in enumerate(asked, 1):
            rows.append({"id": ident, **_cited(reader, fact)})
            if number % 100 == 0 or number == len(asked):
                progress(f"facts {number}/{len(asked)}")
    finally:
        runtime.close()
    write_rows(out, rows)
    return {"out": str(out), "facts": len(rows), "cited": sum(row["note"] is not None for row in rows)}


def _cited(reader: Reader, fact: str) -> dict[str, Any]:
    best = ranked(reader, fact)
    anchors = list(dict.fromkeys(line.anchor for line in best))[:RANKED]
    if len(anchors) < LEAST:
        anchors = list(dict.fromkeys([*anchors, *_any(reader)]))[:LEAST]
    if not best:
        return {"note": None, "line": None, "quote": None, "ranked": anchors}
    first = best[0]
    return {
        "note": first.anchor.rpartition("#")[0],
        "line": first.number,
        "quote": _quote(first, fact),
        "ranked": anchors,
    }


def _any(reader: Reader) -> Iterator[str]:
    """Lines of any note, so that rankings of different systems have the same length."""
    for path in reader.runtime.catalog.notes_under("", None, NOTES):
        yield from (line.anchor for line in reader.lines(path)[:LEAST])


def _quote(line: Line, fact: str) -> str:
    """The sentence of the line that shares most with the fact."""
    wanted = _terms(fact)
    return max(line.spans, key=lambda span: len(wanted & _terms(span)))


def _facts(path: Path) -> Iterator[tuple[Any, str]]:
    def read(record: Any) -> tuple[dict[str, Any], str]:
        record.get("id")  # an object, whatever it is called
        return record, str.strip(record["fact"])

    for number, (record, fact) in enumerate(read_rows(path, "not a fact", '{"fact": ...}', read)):
        yield record.get("id", number), fact


# --- lines ------------------------------------------------------------------------------------------------------------


def _lines(note: Note) -> Iterator[Line]:
    """What a note says, line by line, below its headings."""
    speakers = speakers_of(note)
    seen: set[int] = set()
    for unit in note.units:
        if unit.kind in _SILENT:
            continue
        block = next((a.id for a in note.anchors if unit.start <= a.offset <= unit.end), None)
        for line in _of_unit(note, unit, block, speakers):
            if line.number not in seen and len(seen) < LINES:
                seen.add(line.number)
                yield line


def _of_unit(note: Note, unit: Unit, block: str | None, speakers: frozenset[str]) -> Iterator[Line]:
    raw = note.text[unit.start : unit.end]
    turn = turn_of(note.text, unit.start, unit.end, speakers) if speakers else None
    rows: dict[int, list[str]] = {}
    for start, end in sentences(raw):
        rows.setdefault(raw.count("\n", 0, start), []).append(raw[start:end])
    for below, spans in rows.items():
        text = " ".join(spans)
        said = plain(text)
        if not any(ch.isalnum() for ch in said):
            continue
        number = unit.line + below
        yield Line(
            anchor=f"{note.path}#^{block}" if block else f"{note.path}#L{number}",
            number=number,
            text=text,
            said=said[:600],
            speaker=fold(turn.speaker) if turn is not None else "",
            words=_terms(said),
            numbers=frozenset(_NUMBER.findall(said)),
            spans=tuple(spans),
        )


def _terms(text: str) -> frozenset[str]:
    found = query_terms(text)
    return frozenset((*found.words, *found.pairs))


# --- comparing --------------------------------------------------------------------------------------------------------


def ranked(reader: Reader, fact: str, weights: Weights = WEIGHTS) -> list[Line]:
    """The lines that may state a fact, best first."""
    lines, table = compared(reader, fact)
    if not lines:
        return []
    scores = table @ np.array([getattr(weights, name) for name in Weights.__slots__])
    order = sorted(range(len(lines)), key=lambda i: (-round(float(scores[i]), 6), lines[i].anchor))
    return [lines[i] for i in order]


def compared(reader: Reader, fact: str) -> tuple[list[Line], Table]:
    """The candidate lines of a fact, and how each agrees with it: [lines, fields of Weights]."""
    ranking = reader.runtime.engine.rank(Question(fact))
    lines: list[Line] = []
    rows: list[list[float]] = []
    wanted, numbers = _terms(fact), frozenset(_NUMBER.findall(fact))
    folded = fold(fact)
    for row in ranking.notes[:NOTES]:
        found = ranking.pool.notes[row]
        own = reader.lines(found.file.path)
        near = _passages(reader.runtime, row, found.best)
        names = {line.speaker for line in own if line.speaker and _names(line.speaker, folded)}
        for line in own:
            lines.append(line)
            spoken = 0.0 if not names else 1.0 if line.speaker in names else -1.0
            shared = len(numbers & line.numbers) / len(numbers) if numbers else 0.0
            rows.append([0.0, 0.0, 0.0, near(line.number), ranking.note_scores[row], spoken, shared])
    if not lines:
        return [], np.zeros((0, len(Weights.__slots__)))
    table = np.array(rows)
    table[:, 0], table[:, 1] = _overlap(lines, wanted)
    _add_meaning(reader, fact, lines, table)
    return lines, table


def _names(speaker: str, folded: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(speaker)}(?!\w)", folded) is not None or (
        not speaker.isascii() and speaker in folded
    )


def _passages(runtime: Runtime, row: int, best: Mapping[int, float]) -> Callable[[int], float]:
    """How near the passage of a line is to the fact."""
    spans = sorted((passage.line, max(0.0, best.get(passage.row, 0.0))) for passage in runtime.catalog.passages_of(row))

    def near(line: int) -> float:
        before = [value for start, value in spans if start <= line]
        return before[-1] if before else 0.0

    return near


def _overlap(lines: Sequence[Line], wanted: frozenset[str]) -> tuple[Table, Table]:
    """The share of the fact's words that each line has, rare words counting more, and what the line before it adds."""
    held = Counter(word for line in lines for word in line.words & wanted)
    weight = {word: math.log(1 + len(lines) / (0.5 + held[word])) for word in wanted}
    total = sum(weight.values()) or 1.0
    mine, around = np.zeros(len(lines)), np.zeros(len(lines))
    for i, line in enumerate(lines):
        shared = line.words & wanted
        mine[i] = sum(weight[word] for word in sorted(shared)) / total
        if i and lines[i - 1].anchor.rpartition("#")[0] == line.anchor.rpartition("#")[0]:
            around[i] = sum(weight[word] for word in sorted((lines[i - 1].words & wanted) - shared)) / total
    return mine, around


def _add_meaning(reader: Reader, fact: str, lines: Sequence[Line], table: Table) -> None:
    """Compare the likeliest lines with the fact in meaning."""
    weights = np.array([getattr(WEIGHTS, name) for name in Weights.__slots__])
    likely = sorted(range(len(lines)), key=lambda i: (-float(table[i] @ weights), i))[:MEANT]
    vectors = reader.meaning([fact, *(lines[i].said for i in likely)])
    if vectors is not None:
        for i, vector in zip(likely, vectors[1:], strict=True):
            table[i, 2] = max(0.0, float(vectors[0] @ vector))
