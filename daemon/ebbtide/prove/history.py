"""A run of the exam as it is kept, and two runs compared on what both were asked. Pure.

A line of `exam-results/<device>.jsonl` has, beside when and with what it was run, the outcome of each question under its id and a
key of what it asks, so that a question that was rewritten is a new one. Texts of notes are not kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ebbtide.prove import stats

Record = Mapping[str, Any]
Outcomes = dict[str, bool]
TREND: Final = 10
"""Runs of a trend."""
SAME: Final = ("version", "model", "config", "budget")
"""What a run was made with; a difference is named."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A share that is reported: its name, title in both languages, whether less of it is better, and the single outcomes behind it.

    `of` gives the outcomes that a record keeps, by the key under which both runs have them; None where only counts are kept.
    """

    name: str
    title: str
    title_zh: str
    of: Callable[[Record], Outcomes] | None = None
    lower: bool = False


def _asked(name: str, *, kind: str | None = None, besides: str | None = None) -> Callable[[Record], Outcomes]:
    """An outcome of the own questions, by question; only of one kind, or of all but one."""

    def read(record: Record) -> Outcomes:
        rows = _table(record, "questions")
        return {
            key: bool(row[name])
            for key, row in rows.items()
            if row.get(name) is not None
            and (kind is None or row.get("kind") == kind)
            and (besides is None or row.get("kind") != besides)
        }

    return read


def _within(places: int) -> Callable[[Record], Outcomes]:
    def read(record: Record) -> Outcomes:
        rows = _table(record, "questions")
        return {
            key: isinstance(row.get("rank"), int) and row["rank"] <= places
            for key, row in rows.items()
            if row.get("kind") != "unanswerable"
        }

    return read


def _plants(name: str) -> Callable[[Record], Outcomes]:
    def read(record: Record) -> Outcomes:
        return {key: bool(row.get(name)) for key, row in _table(record, "planted").items() if name in row}

    return read


def _not(of: Callable[[Record], Outcomes]) -> Callable[[Record], Outcomes]:
    return lambda record: {key: not value for key, value in of(record).items()}


NOBODY: Final = "unanswerable"
_answered: Final = _not(_asked("passed", kind=NOBODY))
FIGURES: Final[tuple[Figure, ...]] = (
    Figure("hit@1", "own questions: a right note first", "自己的题：正确笔记排第一", _within(1)),
    Figure("hit@3", "own questions: a right note among the first 3", "自己的题：正确笔记在前三", _within(3)),
    Figure("hit@10", "own questions: a right note among the first 10", "自己的题：正确笔记在前十", _within(10)),
    Figure("must-cite", "must-cite: the quote is shown at its line", "必引：原文在所引行给出", _asked("passed", kind="must-cite")),
    Figure("conflict", "own conflicts: what holds comes first", "自己的冲突题：现行说法在前", _asked("passed", kind="conflict")),
    Figure("detected", "planted contradictions: detected", "植入的矛盾：被发现", _plants("detected")),
    Figure("handled", "planted contradictions: the old one ranked lower", "植入的矛盾：旧说法排在后面", _plants("handled")),
    Figure("false-alarm", "repeated facts that were called contradictions", "换个说法却被当成矛盾", _plants("alarm"), lower=True),
    Figure("with-memory", "success with memory", "有记忆时答得出", _asked("helped")),
    Figure("newest-notes", "success with as many tokens of the newest notes", "同样篇幅的最新笔记答得出", _asked("newest")),
    Figure("false-answer", "unanswerable questions that got an answer", "无解的题却给了答案", _answered, lower=True),
    Figure("false-silence", "answerable questions that got none", "有解的题却没有答案", _asked("silent", besides=NOBODY), lower=True),
    Figure("wrong-type", "items of another type than asked for", "类型不符的条目", lower=True),
    Figure("wrong-type-unrouted", "the same without routing", "不按类型路由时类型不符的条目", lower=True),
    Figure("quote-live", "shown quotes that stand at their line", "所示引文确在所引行"),
    Figure("citation", "the vault's facts, cited from their words alone", "仅凭文字找回事实出处"),
    Figure("pollution", "facts without live quote or support, or called wrong", "无有效引文、无佐证或被指错的事实", lower=True),
    Figure("corrected", "of what was confirmed or corrected in 4 weeks: wrong", "四周内确认或更正中被指错的", lower=True),
)  # fmt: skip


def _table(record: Record, name: str) -> Mapping[str, Mapping[str, Any]]:
    """A table of outcomes; what another version wrote otherwise counts as none."""
    rows = record.get(name)
    return {k: v for k, v in rows.items() if isinstance(v, Mapping)} if isinstance(rows, Mapping) else {}


def identified(body: Mapping[str, Any]) -> dict[str, Any]:
    """The record with its id: xr_ and a hash of the rest."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return {"id": "xr_" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest(), **body}


def counted(figure: Figure, record: Record) -> tuple[int, int] | None:
    """(how many, of how many); None if nothing of it was asked."""
    if figure.of is not None:
        outcomes = figure.of(record)
        return (sum(outcomes.values()), len(outcomes)) if outcomes else None
    kept = record.get("counts")
    row = kept.get(figure.name) if isinstance(kept, Mapping) else None
    if not (isinstance(row, list | tuple) and len(row) == 2 and all(isinstance(x, int) for x in row)):
        return None
    return (row[0], row[1]) if 0 <= row[0] <= row[1] and row[1] else None


def kinds(runs: Sequence[Record]) -> list[dict[str, Any]]:
    """Every share that one of `runs` (as of `trend`) may have: name, titles, its value, and how it moved since the run before."""
    return [_kind(figure) | _moved(figure, runs) for figure in FIGURES]


def _kind(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "title": figure.title,
        "title_zh": figure.title_zh,
        "lower_is_better": figure.lower,
    }


def _moved(figure: Figure, runs: Sequence[Record]) -> dict[str, Any]:
    had = [(str(run["at"])[:10], run["figures"][figure.name]) for run in runs if figure.name in run["figures"]][-2:]
    last = None
    if len(had) == 2:
        day, value = had[0]
        by = round(had[1][1] - value, 4)
        verdict = "same" if not by else "better" if (by < 0) == figure.lower else "worse"
        last = {"day": day, "value": value, "by": by, "verdict": verdict}
    return {"unit": "share", "value": had[-1][1] if had else None, "last": last}


def rows(record: Record, last: Record | None) -> list[dict[str, Any]]:
    """Every figure that was measured: share, 95 % interval, what it was in the last run, and whether that is a difference."""
    out = []
    for figure in FIGURES:
        count = counted(figure, record)
        if count is None:
            continue
        low, high = stats.wilson(*count)
        row: dict[str, Any] = {
            **_kind(figure),
            "k": count[0],
            "n": count[1],
            "value": round(count[0] / count[1], 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "last": None,
        }
        before = counted(figure, last) if last is not None else None
        if last is not None and before is not None:
            row["last"] = _against(figure, record, last, count, before)
        out.append(row)
    return out


def _against(
    figure: Figure, record: Record, last: Record, count: tuple[int, int], before: tuple[int, int]
) -> dict[str, Any]:
    """On the same questions where there are any (McNemar), else by the counts alone (Fisher)."""
    now, then = (figure.of(record), figure.of(last)) if figure.of is not None else ({}, {})
    both = sorted(now.keys() & then.keys())
    gained = sum(now[key] and not then[key] for key in both)
    lost = sum(then[key] and not now[key] for key in both)
    if both:
        p = stats.mcnemar(gained, lost)
    else:
        p = stats.fisher(*count, *before)
        gained, lost = (1, 0) if count[0] * before[1] > before[0] * count[1] else (0, 1)
        if count[0] * before[1] == before[0] * count[1]:
            gained = lost = 0
    verdict = stats.compared(gained, lost, p, lower_is_better=figure.lower)
    return {
        "value": round(before[0] / before[1], 4),
        "same": len(both),
        "gained": gained if both else None,
        "lost": lost if both else None,
        "p": round(p, 4),
        "verdict": verdict,
    }


def newly_failed(record: Record, last: Record | None) -> set[str]:
    """Keys of own questions and plants that went right in the last run and do not now."""
    if last is None:
        return set()
    out: set[str] = set()
    for of in (_asked("passed"), _plants("detected"), _plants("handled")):
        now, then = of(record), of(last)
        out |= {key for key in now.keys() & then.keys() if then[key] and not now[key]}
    return out


def before(results: Sequence[Record], only: str | None) -> Record | None:
    """The last run that asked the same part of the exam. `results` are oldest first."""
    return next((r for r in reversed(results) if r.get("only") == only and isinstance(r.get("at"), str)), None)


def differences(record: Record, last: Record | None) -> list[str]:
    """What is not as it was in the last run: "model", "config", ..."""
    return [] if last is None else [name for name in SAME if record.get(name) != last.get(name)]


def trend(results: Sequence[Record], most: int = TREND) -> list[dict[str, Any]]:
    """The last runs, oldest first, each with its shares by name."""
    out = []
    for record in results[-most:]:
        counts = {figure.name: counted(figure, record) for figure in FIGURES}
        out.append(
            {
                "at": str(record.get("at")),
                "version": str(record.get("version")),
                "model": record.get("model") if isinstance(record.get("model"), str) else None,
                "only": record.get("only") if isinstance(record.get("only"), str) else None,
                "figures": {name: round(c[0] / c[1], 4) for name, c in counts.items() if c is not None},
            }
        )
    return out
