"""The batch exam: questions in, ranked notes out, over a vault that may never have been opened (formats.md 7).

Nothing under the vault is created, changed or removed, and no use is recorded: the vault is opened read-only, with a
shadow for what would go to the memory folder. The same vault and questions give the same results.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ebbtide.prove.rows import read_rows, write_rows
from ebbtide.recall.candidates import folder
from ebbtide.recall.engine import Question
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service, told

RANKED_AT_LEAST = 10

Say = Callable[[str], None]
Answer = Callable[[Runtime, Question, Mapping[str, Any]], dict[str, Any]]


def ask(
    vault: Path, queries: Path, out: Path, no_scope: bool = False, progress: Say = lambda _: None
) -> dict[str, Any]:
    """Answer every line of `queries` ({id, query, scope?, as_of?}) into a line of `out` ({id, ranked, ms, tokens, abstained}).

    Raises BadRequest naming the line that is not a question; `out` is written whole or not at all.
    """
    return _batch(vault, queries, out, no_scope, progress, _answer)


def why(
    vault: Path, queries: Path, out: Path, no_scope: bool = False, progress: Say = lambda _: None
) -> dict[str, Any]:
    """The same through the causal chain: `ranked` starts with it, `chain` is it alone; `direction` may be asked for."""
    return _batch(vault, queries, out, no_scope, progress, _chain)


def _batch(vault: Path, queries: Path, out: Path, no_scope: bool, progress: Say, answer: Answer) -> dict[str, Any]:
    asked = list(_questions(queries, no_scope))
    runtime = open_runtime(vault, read_only=True)
    try:
        service = Service(runtime)
        service.catch_up(progress=told(progress), threads=os.cpu_count() or 1)
        rows: list[dict[str, Any]] = []
        for number, (question, record) in enumerate(asked, 1):
            rows.append({"id": record["id"], **answer(runtime, question, record)})
            if number % 100 == 0 or number == len(asked):
                progress(f"questions {number}/{len(asked)}")
    finally:
        runtime.close()
    write_rows(out, rows)
    spent = sorted(row["ms"] for row in rows)
    return {
        "out": str(out),
        "questions": len(rows),
        "abstained": sum(row["abstained"] for row in rows),
        "ms_p50": spent[len(spent) // 2] if spent else None,
        "ms_p95": spent[int(len(spent) * 0.95)] if spent else None,
    }


def _answer(runtime: Runtime, question: Question, _record: Mapping[str, Any]) -> dict[str, Any]:
    started = time.perf_counter()
    answer = runtime.engine.recall(question, hurry=False)
    spent = (time.perf_counter() - started) * 1000
    return {
        "ranked": filled(runtime, question, answer["notes"]),
        "ms": round(spent, 2),
        "tokens": answer["tokens"],
        "abstained": answer["abstained"],
    }


def _chain(runtime: Runtime, question: Question, record: Mapping[str, Any]) -> dict[str, Any]:
    started = time.perf_counter()
    answer = runtime.engine.why(question, record.get("direction"), hurry=False)
    spent = (time.perf_counter() - started) * 1000
    return {
        "ranked": filled(runtime, question, answer["notes"]),
        "chain": [place["note"] for place in answer["chain"]],
        "kind": answer["kind"],
        "superseded": [place["note"] for place in answer["chain"] if place["superseded_by"]],
        "ms": round(spent, 2),
        "tokens": answer["tokens"],
        "abstained": answer["kind"] == "none",
    }


def filled(runtime: Runtime, question: Question, notes: Sequence[str]) -> list[str]:
    """At least ten notes even where nothing is related, so that rankings of different systems have the same length."""
    ranked = list(notes)
    if len(ranked) < RANKED_AT_LEAST:
        within = folder(question.scope) or ""
        more = runtime.catalog.notes_under(within, question.as_of, RANKED_AT_LEAST + len(ranked))
        known = set(ranked)
        ranked += [path for path in more if path not in known][: RANKED_AT_LEAST - len(ranked)]
    return ranked


def _questions(path: Path, no_scope: bool) -> Iterator[tuple[Question, dict[str, Any]]]:
    def read(record: Any) -> tuple[Question, dict[str, Any]]:
        record["id"]  # every result is named by it
        query = str.strip(record["query"])
        {None: 0, "back": 1, "forward": 2}[record.get("direction")]
        if record.get("as_of") is not None:
            date.fromisoformat(record["as_of"])
        scope = None if no_scope else record.get("scope")
        return Question(query, scope=scope, as_of=record.get("as_of")), record

    return read_rows(path, "not a question", '{"id": ..., "query": ...}', read)
