"""Recall about a note instead of a question: what stands near it, and why it is or is not among the answers."""

from __future__ import annotations

from typing import Any

from ebbtide.index.catalog import FileRow
from ebbtide.recall import compose
from ebbtide.recall.engine import Engine, scores_of
from ebbtide.recall.ranking import Question


def related(engine: Engine, file: FileRow, limit: int) -> dict[str, Any]:
    """What stands near a note, by its own words, meaning and links; the answer of GET /v1/related."""
    catalog = engine.channels.catalog
    passages = catalog.passages_of(file.row)
    text = f"{file.title}\n" + "\n".join(p.text for p in passages[:3])
    ranking = engine.rank(Question(text[:1000]))
    items: list[dict[str, Any]] = []
    for row in ranking.notes:
        found = ranking.pool.notes[row]
        if found.file.path == file.path or len(items) >= limit:
            continue
        best = next(iter(sorted(found.best, key=lambda x: -found.best[x])), None)
        passage = ranking.pool.passages.get(best) if best is not None else None
        first = passage or next(iter(catalog.passages_of(row)), None)
        if first is None:
            continue
        items.append(
            {
                "note": found.file.path,
                "title": found.file.title,
                "line": first.line,
                "quote": next((x for x in first.text.splitlines() if x.strip()), "")[:300],
                "score": round(ranking.note_scores[row], 4),
                "why": compose.reasons(
                    found.evidence,
                    ranking.route.lang,
                    crossed=found.file.lang != ranking.route.lang,
                    via=found.via,
                    wanted=None,
                    type_="",
                ),
                "channels": compose.channels(found.evidence),
            }
        )
    skipped = [{"step": step, "why": why} for step, why in ranking.pool.skipped]
    return {
        "note": file.path,
        "items": items,
        "ms": {k: round(v, 2) for k, v in ranking.pool.ms.items()},
        "skipped": skipped,
        "empty_reason": None if items else "Nothing related was found.",
    }


def explain(engine: Engine, query: str, file: FileRow) -> dict[str, Any]:
    """Why, or why not, this note for this question; the answer of POST /v1/explain."""
    note = file.path
    steps: list[dict[str, Any]] = []

    def step(name: str, passed: bool, message: str) -> None:
        steps.append({"step": name, "passed": passed, "message": message})

    step("indexed", file.status == "indexed", f"{file.status}{': ' + file.reason if file.reason else ''}")
    answer = engine.recall(Question(query, limit=20))
    ranking = engine.rank(Question(query))
    rank = answer["notes"].index(note) + 1 if note in answer["notes"] else None
    found = ranking.pool.notes.get(file.row)
    for channel in ("keyword", "vector", "graph"):
        place = found.evidence.ranks.get(channel) if found else None
        step(channel, place is not None, f"rank {place[0]}, score {place[1]}" if place else "did not find it")
    score = scores_of(ranking, [note]).get(note)
    step(
        "ranked",
        rank is not None,
        f"place {rank} with relevance {score:.2f}" if rank and score is not None else "not among the first 100",
    )
    items = [item for item in answer["items"] if item["note"] == note]
    step(
        "returned",
        bool(items),
        f"{len(items)} item(s) in the answer" if items else "others were better, or the budget was full",
    )
    failed = next((s for s in steps if not s["passed"] and s["step"] in ("indexed", "ranked", "returned")), None)
    reason = "It is in the answer." if failed is None else f"It stopped at `{failed['step']}`: {failed['message']}."
    return {
        "query": query,
        "note": note,
        "found": rank is not None,
        "rank": rank,
        "returned": bool(items),
        "reason": reason,
        "steps": steps,
        "items": items,
    }
