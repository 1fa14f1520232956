"""Recall about a note instead of a question: what stands near it."""

from __future__ import annotations

from typing import Any

from ebbtide.index.catalog import FileRow
from ebbtide.recall import compose
from ebbtide.recall.engine import Engine
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
        best = found.nearest
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
