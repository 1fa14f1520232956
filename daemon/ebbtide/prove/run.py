"""`ebbtide exam run`: the whole exam over an opened vault, as one report and one record to keep (formats.md 7, mission G1).

The vault is only read, and no use is recorded. The same vault and questions give the same report but for times. What cannot be
measured (no questions, no model, a vault too small to plant in) is said in `notices`, never filled in.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any, Final

from ebbtide import __version__
from ebbtide.memory.errors import Problem
from ebbtide.prove import figures, history, stats
from ebbtide.prove.judged import ByClaude, judge_of
from ebbtide.prove.notices import NOTICES, why_of
from ebbtide.prove.questions import FILE, KINDS, Asked, Part, read_paper
from ebbtide.prove.scratch import Harvest, sow
from ebbtide.prove.sitting import Outcome, Sitting
from ebbtide.runtime import Runtime

FAILURES: Final = 100
"""Failures that a report names; the counts are of all."""
FEW: Final = 10
"""Contradictions below which the planted part shows little (mission G1)."""
_RANKING: Final = ("recall", "heat", "embed", "relations", "lifecycle")
"""Sections of the settings that can move a figure."""

Say = Callable[[str, int, int], None]


def run(
    runtime: Runtime, only: Part | None = None, budget: int | None = None, say: Say = lambda *_: None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Sit the exam, or a part of it, with `budget` tokens a question: (report, record to keep). Nothing is written here."""
    folder = runtime.config.memory.folder
    paper = read_paper(runtime.exam.questions(), f"{folder}/{FILE}")
    results, torn = runtime.exam.results()
    asked = [one for one in paper.asked if only is None or one.kind == only]
    judge = judge_of(runtime)
    sitting = Sitting(runtime, budget, judge if isinstance(judge, ByClaude) else None)
    outcomes, lost = sitting.sit(asked, say)
    harvest = sow(runtime, say=say) if only in (None, "planted") else Harvest()
    vault = _vault(runtime, say) if only in (None, "vault") else {}
    record = history.identified(_record(runtime, only, budget, outcomes, harvest, vault))
    last = history.before(results, only)
    rows = history.rows(record, last)
    failures = _failures(outcomes, harvest, vault, history.newly_failed(record, last))
    report = {
        **{name: record[name] for name in ("at", "version", "model", "config", "only", "budget")},
        "last": None if last is None else str(last.get("at")),
        "changed": history.differences(record, last),
        "questions": {
            "asked": len(outcomes),
            "by_kind": {kind: sum(o.asked.kind == kind for o in outcomes) for kind in KINDS},
            "passed_over": len(lost) + len(paper.problems),
            "planted": len(harvest.sat),
            "repeated": len(harvest.repeated),
            "copied": harvest.copied,
            "notes": harvest.of,
        },
        "figures": rows,
        "memory": _with_and_without(outcomes),
        "corrections_per_week": record["numbers"].get("corrections_per_week"),
        "tokens": {name: record["numbers"].get(name) for name in ("tokens", "tokens_newest")},
        "latency": _latency([*(o.steps for o in outcomes), *harvest.steps]),
        "failures": failures[:FAILURES],
        "failure_count": len(failures),
        "problems": [_told(problem) for problem in (*paper.problems, *lost, *torn)],
        "notices": _notices(runtime, only, paper.asked, harvest, outcomes, judge),
        "trend": history.trend([*(r for r in results if r.get("only") == only), record]),
        "kept": None,
    }
    return report, record


# --- the record -------------------------------------------------------------------------------------------------------


def _record(
    runtime: Runtime,
    only: Part | None,
    budget: int | None,
    outcomes: Sequence[Outcome],
    harvest: Harvest,
    vault: Mapping[str, Any],
) -> dict[str, Any]:
    embedder = runtime.embedder
    sections = {name: getattr(runtime.config, name) for name in _RANKING}
    ranking = [
        (name, item.name, repr(getattr(keys, item.name))) for name, keys in sections.items() for item in fields(keys)
    ]
    text = json.dumps(sorted(ranking))
    numbers: dict[str, Any] = {}
    answerable = [o for o in outcomes if o.helped is not None]
    if answerable:
        numbers["tokens"] = round(sum(o.tokens for o in answerable) / len(answerable), 1)
        numbers["tokens_newest"] = round(sum(o.tokens_newest for o in answerable) / len(answerable), 1)
    if vault:
        numbers["corrections_per_week"] = vault["corrections"].per_week
    return {
        "at": datetime.fromtimestamp(runtime.uses.clock.now(), UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z"),
        "version": __version__,
        "model": embedder.fingerprint[:12] if embedder is not None else None,
        "config": hashlib.blake2b(text.encode(), digest_size=4).hexdigest(),
        "only": only,
        "budget": budget or runtime.engine.settings.limits.tokens,
        "questions": {
            f"{o.asked.id}:{o.asked.key}": {
                "kind": o.asked.kind,
                "rank": o.rank,
                "passed": o.passed,
                "silent": o.silent,
                "helped": o.helped,
                "newest": o.newest,
            }
            for o in outcomes
        },
        "planted": {
            **{
                sat.key: {"detected": sat.detected} | ({} if sat.handled is None else {"handled": sat.handled})
                for sat in harvest.sat
            },
            **{f"again-{plant.id}": {"alarm": alarm} for plant, alarm in harvest.repeated},
        },
        "counts": _counts(outcomes, vault),
        "numbers": numbers,
    }


def _counts(outcomes: Sequence[Outcome], vault: Mapping[str, Any]) -> dict[str, list[int]]:
    """Shares of things that are not questions: items, facts."""
    out = {}
    for name, attribute in (("wrong-type", "odd"), ("wrong-type-unrouted", "odd_unrouted"), ("quote-live", "live")):
        pairs = [getattr(outcome, attribute) for outcome in outcomes]
        out[name] = [sum(k for k, _ in pairs), sum(n for _, n in pairs)]
    if vault:
        found, said = vault["pollution"], vault["corrections"]
        out["citation"] = list(vault["cited"])
        out["pollution"] = [found.any_, found.of]
        out["corrected"] = [said.wrong, said.wrong + said.used]
    return out


def _vault(runtime: Runtime, say: Say) -> dict[str, Any]:
    say("facts", 0, 2)
    facts = figures.holding(runtime)
    found = figures.pollution(runtime, facts)
    say("facts", 1, 2)
    cited, missed = figures.cited(runtime, facts)
    say("facts", 2, 2)
    return {"pollution": found, "cited": cited, "missed": missed, "corrections": figures.corrections(runtime)}


# --- the report -------------------------------------------------------------------------------------------------------


def _with_and_without(outcomes: Sequence[Outcome]) -> dict[str, Any] | None:
    """The same questions with memory and with the newest notes; None without any to judge."""
    judged = [o for o in outcomes if o.helped is not None]
    if not judged:
        return None
    wins = sum(bool(o.helped and not o.newest) for o in judged)
    losses = sum(bool(o.newest and not o.helped) for o in judged)
    p = stats.mcnemar(wins, losses)
    verdict = {"better": "memory", "worse": "newest notes"}.get(stats.compared(wins, losses, p), "draw")
    return {
        "judged": len(judged),
        **{f"by_{judge}": sum(o.judge == judge for o in judged) for judge in ("words", "claude", "note")},
        "wins": wins,
        "losses": losses,
        "draws": len(judged) - wins - losses,
        "p": round(p, 4),
        "verdict": verdict,
    }


def _latency(steps: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """Percentiles of each step in ms, over every question that was asked."""
    names = sorted({name for row in steps for name in row})
    table = {name: [row[name] for row in steps if name in row] for name in names}
    return {
        name: {f"p{round(share * 100)}": stats.percentile(values, share) for share in (0.5, 0.95, 0.99)}
        for name, values in table.items()
    }


def _failures(
    outcomes: Sequence[Outcome], harvest: Harvest, vault: Mapping[str, Any], regressed: set[str]
) -> list[dict[str, Any]]:
    """What went wrong, what came instead, and how to look; what went right in the last run first."""
    out: list[dict[str, Any]] = []
    for o in outcomes:
        if not o.passed:
            wanted = [f"{path}:{o.asked.gold_line}" if o.asked.gold_line else path for path in o.gold]
            got = list(o.shown or (() if o.silent else o.ranked))
            key = f"{o.asked.id}:{o.asked.key}"
            look = _look("explain", o.asked.query, o.gold[0]) if o.gold else _look("recall", o.asked.query)
            out.append(_failure(o.asked.kind, o.asked.id, o.asked.query, wanted, got, o.why, look, key in regressed))
    for sat in harvest.sat:
        source, plant = sat.plant.source, sat.plant
        wanted, key = [f"{source.note}:{source.line}"], sat.key
        look = _look("fact", source.id)
        if not sat.detected:
            said = f"{plant.said} → {source.text}" if sat.earlier else f"{source.text} → {plant.said}"
            out.append(_failure("planted", key, said, wanted, [], "undetected", look, key in regressed))
        if sat.handled is False:
            holds = [source.text if sat.earlier else plant.said]
            got = [sat.shown] if sat.shown else []
            out.append(_failure("planted", key, plant.question, holds, got, "old-first", look, key in regressed))
    for plant, alarm in harvest.repeated:
        if alarm:
            source = plant.source
            wanted = [f"{source.note}:{source.line}"]
            said = f"{source.text} → {plant.again}"
            out.append(_failure("planted", plant.id, said, wanted, [], "alarm", _look("note", source.note), False))
    for fact, place, cited in vault.get("missed", ()):
        look = _look("recall", fact)
        out.append(_failure("citation", place, fact, [place], [cited], "cited-elsewhere", look, False))
    for ident, note, line, why in vault["pollution"].named if vault else ():
        out.append(_failure("pollution", ident, "", [f"{note}:{line}"], [], why, _look("fact", ident), False))
    return sorted(out, key=lambda failure: not failure["regression"])


def _failure(
    part: str, ident: str, query: str, wanted: Sequence[str], got: Sequence[str], why: str, look: str, regression: bool
) -> dict[str, Any]:
    english, chinese = why_of(why)
    return {
        "part": part,
        "id": ident,
        "query": query,
        "wanted": list(wanted),
        "got": list(got),
        "code": why,
        "why": english,
        "why_zh": chinese,
        "look": look,
        "regression": regression,
    }


def _look(command: str, *arguments: str) -> str:
    return shlex.join(["ebbtide", command, *(" ".join(argument.split()) for argument in arguments)])


def _told(problem: Problem) -> dict[str, Any]:
    return {name: value for name, value in asdict(problem).items() if name != "severity"}


def _notices(
    runtime: Runtime,
    only: Part | None,
    paper: Sequence[Asked],
    harvest: Harvest,
    outcomes: Sequence[Outcome],
    judge: ByClaude | str,
) -> list[dict[str, str]]:
    """What was not measured, and why."""
    found: list[tuple[str, dict[str, Any]]] = []
    if not paper and only not in ("planted", "vault"):
        found.append(("no-questions", {}))
    elif 0 < len(outcomes) < 30 and only is None:
        found.append(("few-questions", {"n": len(outcomes)}))
    if outcomes and not any(o.asked.type for o in outcomes):
        found.append(("no-types", {}))
    if only in (None, "planted") and len(harvest.sat) < FEW:
        found.append(("few-plants", {"n": len(harvest.sat)}))
    if harvest.sat and harvest.copied < harvest.of:
        found.append(("part-copied", {"n": harvest.copied, "of": harvest.of}))
    if runtime.vault_id.startswith("unborn-"):
        found.append(("unborn", {}))
    if runtime.embedder is None:
        found.append(("no-model", {"why": runtime.model.message or "it is not ready"}))
    if any(o.helped is not None for o in outcomes):
        if isinstance(judge, str):
            found.append(("claude-off", {"why": judge}))
        elif judge.failed:
            found.append(("claude-failed", {"n": judge.failed, "of": judge.asked, "why": judge.reason}))
    return [
        {"code": code, "text": NOTICES[code][0].format(**given), "text_zh": NOTICES[code][1].format(**given)}
        for code, given in found
    ]
