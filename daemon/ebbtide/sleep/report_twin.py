"""The twin of a report for machines: what `reports/DATE.json` holds (schemas/report). Pure; formats.md 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ebbtide.sleep import report_merge, trend
from ebbtide.sleep.edition import Edition, Spending
from ebbtide.sleep.nights import Judged
from ebbtide.sleep.report_hygiene import twin
from ebbtide.sleep.trend import Record

VERSION: Final = 1


def twin_of(edition: Edition, history: Sequence[Record]) -> dict[str, Any]:
    """What `reports/DATE.json` holds (schemas/report)."""
    plan = edition.plan
    return {
        "version": VERSION,
        "day": edition.day,
        "at": edition.record["at"],
        "core": plan.core if plan is not None else None,
        "counts": trend.counts(plan) if plan is not None else None,
        "candidates": [_candidate(one) for one in plan.judged] if plan is not None else [],
        "figures": edition.record["figures"],
        "layers": trend.layer_rows(edition.record, history),
        "warnings": trend.warnings(edition.record, history),
        "rulings": [
            {
                "kind": ruling.kind,
                "since": ruling.since,
                "why": ruling.why or None,
                "sides": [{"text": s.text, "note": s.note, "line": s.line} for s in ruling.sides],
            }
            for ruling in edition.rulings
        ],
        "open": edition.open_,
        "rest": [
            {"id": r.id, "text": r.text, "note": r.note, "line": r.line, "why": r.why} for r in edition.rest
        ],
        "merged": report_merge.twin(edition.joined),
        "hygiene": twin(edition.hygiene),
        "revive": list(edition.record.get("revive") or ()),
        "cost": _cost(edition.spending),
        "skipped": [*(plan.skipped if plan is not None else ()), *edition.skipped],
    }  # fmt: skip


def cost_of(told: Spending | None) -> dict[str, Any] | None:
    """The day's spending as an object; None where no model can be asked."""
    if told is None:
        return None
    used = told.spent.usage
    return {
        "requests": told.spent.requests,
        "tokens": told.spent.tokens,
        "read": used.read,
        "written": used.written,
        "cached": used.cached,
        "stored": used.stored,
        "money": round(told.spent.money, 6),
        "cap_tokens": told.tokens,
        "cap_money": told.money,
        "waiting": told.waiting,
        "reason": told.reason or None,
    }


def _cost(told: Spending | None) -> dict[str, Any] | None:
    """The day's spending with what of it went to judging the nights of that day."""
    cost = cost_of(told)
    if told is None or cost is None:
        return None
    night = told.night
    of_it = night and {"requests": night.requests, "tokens": night.tokens, "money": round(night.money, 6)}
    return cost | {"night": of_it}


def _candidate(one: Judged) -> dict[str, Any]:
    found = one.candidate
    return {
        "key": found.key,
        "id": found.id,
        "note": found.note,
        "title": found.title,
        "day": found.day,
        "private": found.private,
        "salience": round(found.salience, 6),
        "parts": {name: round(number, 6) for name, number in sorted(found.parts.items())},
        "why": list(found.why),
        "quotes": [{"note": q.note, "line": q.line, "quote": q.text} for q in one.places or found.quotes],
        "reasoning": one.reasoning,
        "relation": one.relation,
        "duplication": round(one.duplication, 6),
        "decision": one.decision,
        "core_insight": one.insight or None,
        "ground": one.why or None,
        "how": one.how or None,
        "links": list(one.links),
        "target": one.target,
        "written": one.path or None,
        "kind": one.kind or None,
        "until": one.until or None,
        "judge": one.judge,
        "unjudged": one.unjudged or None,
    }
