"""How unlike the rest each note is, and which core memories are near it: by stored vectors, else by words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.memory.ports import TextIndex, VectorIndex
from ebbtide.sleep.novelty import NEAREST, closest, of_notes, unlikeness
from ebbtide.sleep.salience import Measure

PASSAGES_AT_MOST: Final = 8_000
"""Passages that are compared with each other, the newest notes' first; the core's come on top."""
WORDS_DEPTH: Final = 60


@dataclass(frozen=True, slots=True)
class Nearness:
    """Note id -> how unlike the others it is (1 - mean likeness to the nearest five), and the core's files -> likeness.

    `meaning` and `words` are two measures; a note is in one of them, and is to be compared within it.
    """

    meaning: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)
    core: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    def measure(self, note: str) -> tuple[Measure, Mapping[str, float]]:
        """The measure that a note is in, with all that are in it; empty if it is in none."""
        if note in self.meaning:
            return "meaning", self.meaning
        return "words", self.words if note in self.words else {}


def nearness(
    catalog: Catalog, index: VectorIndex | None, keyword: TextIndex, past: Sequence[tuple[FileRow, str]],
    core: Mapping[int, FileRow],
) -> Nearness:  # fmt: skip
    """Compare the notes of late, newest first, with each other and with the core. `past`: (file, the person's words in it)."""
    meaning, near = _by_meaning(catalog, index, [row for row, _ in past if row.row], core) if index else ({}, {})
    rest = [(row, text) for row, text in past if row.id not in meaning]
    words, more = _by_words(keyword, rest, {row.id for row, _ in past}, {row.id: key for key, row in core.items()})
    return Nearness(meaning, words, {**more, **near})


def _by_meaning(
    catalog: Catalog, index: VectorIndex, rows: Sequence[FileRow], core: Mapping[int, FileRow]
) -> tuple[dict[str, float], dict[str, dict[int, float]]]:
    owner: dict[int, int] = {}
    for row in rows:
        if len(owner) < PASSAGES_AT_MOST:
            owner |= {passage.row: row.row for passage in catalog.passages_of(row.row) if passage.ready}
    asked = set(owner)
    for file in sorted(core):
        owner |= {passage.row: file for passage in catalog.passages_of(file) if passage.ready}
    found = index.vectors(list(owner))
    labels = [label for label in owner if label in found and label in asked]
    others = [label for label in owner if label in found and label not in asked]
    if not labels:
        return {}, {}
    vectors = np.stack([found[label] for label in (*labels, *others)])
    unlike = unlikeness(labels, [owner[label] for label in (*labels, *others)], vectors)
    ids = {row.row: row.id for row in rows}
    notes = {ids[file]: value for file, value in of_notes(unlike, owner).items()}
    near = {}
    for row in rows:
        mine = [place for place, label in enumerate(labels) if owner[label] == row.row]
        near[row.id] = closest(vectors[mine], vectors[len(labels) :], [owner[label] for label in others])
    return notes, near


def _by_words(
    keyword: TextIndex, notes: Iterable[tuple[FileRow, str]], pool: Collection[str], core: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, dict[int, float]]]:
    unlike: dict[str, float] = {}
    near: dict[str, dict[int, float]] = {}
    for row, text in notes:
        result = keyword.search(f"{row.title} {text}", WORDS_DEPTH)
        share = {hit.key: hit.score / result.ceiling for hit in result.hits} if result.ceiling > 0 else {}
        share.pop(row.id, None)
        best = sorted((value for note, value in share.items() if note in pool or note in core), reverse=True)[:NEAREST]
        unlike[row.id] = round(min(1.0, max(0.0, 1.0 - sum(best) / NEAREST)), 6)
        near[row.id] = {core[note]: round(value, 6) for note, value in share.items() if note in core}
    return unlike, near
