"""Recall about a note instead of a question: what stands near it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ebbtide.index.rows import FileRow
from ebbtide.memory.states import Lang
from ebbtide.recall.engine import Engine
from ebbtide.recall.ranking import Question

READ = 1000
"""Characters of a note that are its question."""
PASSAGES = 3


@dataclass(frozen=True, slots=True)
class Nearby:
    """What is asked for. `unlinked`: only what the note neither links to nor is linked from."""

    limit: int | None = 10
    type: str | None = None
    budget: int | None = None
    include: tuple[str, ...] = ()
    unlinked: bool = False
    lang: Lang | None = None


def _question_of(engine: Engine, file: FileRow) -> str:
    """A note as a question: its title and how it begins."""
    passages = engine.channels.catalog.passages_of(file.row)[:PASSAGES]
    return "\n".join([file.title, *(passage.text for passage in passages)])[:READ]


def _links_of(engine: Engine, file: FileRow) -> set[int]:
    """The file rows that a note links to or is linked from."""
    return {step.other for step in engine.channels.graph().steps(file.row)}


def looked_at(engine: Engine, file: FileRow, asked: Nearby) -> Question:
    """What is asked where a note is looked at."""
    return Question(
        _question_of(engine, file),
        type=asked.type,
        budget=asked.budget,
        limit=asked.limit,
        include=asked.include,
        lang=asked.lang,
        without=frozenset({file.row} | (_links_of(engine, file) if asked.unlinked else set())),
    )


def related(engine: Engine, file: FileRow, question: Question) -> dict[str, Any]:
    """What stands near a note, by its own words, meaning and links, without itself; the answer of GET /v1/related.

    `question` is what `looked_at` made of the note.
    """
    linked = _links_of(engine, file)
    ranking, found = engine.found(question)
    # The note itself is there as the other side of a dispute.
    others = [item for item in found["items"] if item["note"] != file.path]
    files = {note.file.path: note.file for note in ranking.pool.notes.values()}
    files |= {fact.file.path: fact.file for fact in ranking.pool.facts.values()}
    items = [
        item | {"title": files[item["note"]].title, "linked": files[item["note"]].row in linked} for item in others
    ]
    return {
        "note": file.path,
        "items": items,
        "notes": found["notes"],
        "budget": found["budget"],
        "tokens": sum(item["tokens"] for item in items),
        "counted": found["counted"],
        "ms": found["ms"],
        "skipped": found["skipped"],
        "hidden": found["hidden"],
        "empty_reason": None if items else found["empty_reason"] or _nothing(ranking.words),
    }


def _nothing(lang: Lang) -> str:
    return "没有找到相关的记忆。" if lang == "zh" else "Nothing related was found."
