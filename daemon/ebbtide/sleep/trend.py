"""The figures of a day as they are kept, a line of `Memory/health/<device>.jsonl`, and what they say beside earlier ones. Pure.

Every device writes a line a day; of one day the last computed counts, since all devices look at the same vault.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final

from ebbtide.memory.health import UNDEFINED, Figure
from ebbtide.memory.states import LAYERS, Lang
from ebbtide.sleep.nights import Plan

Record = Mapping[str, Any]

OUTCOMES: Final = ("promote", "associate", "compress", "release")
LOOSE: Final = 0.6
"""Share of promoted and associated candidates above which the gate is loose."""
LOOSE_OVER: Final = 7
"""Days over which it is counted when a night had fewer than `LOOSE_LEAST` candidates."""
LOOSE_LEAST: Final = 5
WEEKS: Final = 3
"""Weeks running in which a growing core is warned of."""
REACH: Final = 6
"""Days by which a line may be older than what it stands for."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure as it is reported: its name, title in both languages, unit, and whether less of it is better (None: neither)."""

    name: str
    en: str
    zh: str
    unit: str = "share"
    lower: bool | None = False

    def title(self, lang: Lang) -> str:
        """For a person."""
        return self.zh if lang == "zh" else self.en


KINDS: Final[tuple[Kind, ...]] = (
    Kind("freshness", "Fresh: met in 30 days", "新鲜：30 天内用过"),
    Kind("shown_only", "Shown of late, never used", "近来只被展示过", lower=None),
    Kind("coherence", "Linked to another core memory", "与其他核心记忆相连"),
    Kind("coherence_typed", "Linked by a named relation", "以明确关系相连"),
    Kind("steps", "Steps between two memories", "两条记忆之间的步数", "number", True),
    Kind("largest", "In the largest part", "在最大连通部分中"),
    Kind("inside", "Steps within that part", "最大部分内的步数", "number", True),
    Kind("distillation", "Merged, compressed, retired / promoted", "合并、压缩、退役 / 提升", "number"),
    Kind("pollution", "Called wrong or without support", "被指错或缺乏依据", lower=True),
    Kind("backlog", "Contradictions open for over a day", "超过一天未裁决的矛盾", "count", True),
    Kind("core", "Core memories", "核心记忆数", "count", None),
)
BY_NAME: Final = {kind.name: kind for kind in KINDS}
WARNINGS: Final[Mapping[str, Mapping[Lang, str]]] = {
    "core-grows": {
        "en": "The core has grown three weeks running. Merge or retire: fewer, sharper memories serve better.",
        "zh": "核心记忆已连续三周增长。请合并或退役一些：少而精更好用。",
    },
    "gate-loose": {
        "en": "More than 60 % of the candidates were promoted or associated. The gate is loose.",
        "zh": "超过 60% 的候选被提升或关联，把关偏松。",
    },
}
EMPTY: Final[Mapping[str, Mapping[Lang, str]]] = {
    "semantic": {
        "en": "no fact, decision or preference was read from the notes yet",
        "zh": "还没有从笔记中读出事实、决定或偏好",
    },
    "episodic": {
        "en": "no note tells of an attempt and no event is dated",
        "zh": "没有记录尝试的笔记，也没有带日期的事件",
    },
    "procedural": {"en": "no note says how something is done", "zh": "没有写明做法的笔记"},
    "concept": {
        "en": "nothing was said on two days, in two notes, for two tasks yet, so nothing was promoted",
        "zh": "还没有什么在两天、两篇笔记、两件事里都出现过，因此没有提升",
    },
    "working": {
        "en": "nothing is under way: no state, no plan, no working note",
        "zh": "没有进行中的状态、计划或工作笔记",
    },
}
"""Why a layer may be empty."""


@dataclass(frozen=True, slots=True)
class Change:
    """How a figure moved: by how much, whether that is good (None: neither), against which day."""

    by: float
    good: bool | None
    day: str


def counts(plan: Plan) -> dict[str, int]:
    """Processed, candidates, and how many came to each outcome."""
    found = dict.fromkeys(OUTCOMES, 0)
    for judged in plan.judged:
        found[judged.decision] += 1
    return {"processed": plan.processed, "candidates": len(plan.candidates), **found}


def record(
    at: str, day: str, version: str, figures: Mapping[str, Figure], layers: Mapping[str, int], **more: Any
) -> dict[str, Any]:
    """A line of the history. `at` is ISO 8601 in UTC, `day` the local day. `more`: night, spent, revive; None is left null."""
    body: dict[str, Any] = {
        "at": at,
        "day": day,
        "version": version,
        "figures": {
            name: {"value": _round(f.value), "k": f.k, "n": f.n, "why": f.why or None} for name, f in figures.items()
        },
        "layers": {name: int(layers.get(name, 0)) for name in LAYERS},
        "night": more.get("night"),
        "spent": more.get("spent"),
        "revive": list(more.get("revive") or ()),
    }
    return {"id": ident(body), **body}


def ident(body: Mapping[str, Any]) -> str:
    """h_ and a hash of the rest."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "h_" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def by_day(records: Iterable[Record]) -> list[Record]:
    """One record a day, oldest first: of several devices' the one computed last, ties by id. What has no day is passed over."""
    found: dict[str, Record] = {}
    for item in sorted(records, key=lambda r: (str(r.get("at")), str(r.get("id")))):
        day = item.get("day")
        if isinstance(day, str) and _date(day) is not None and isinstance(item.get("figures"), Mapping):
            found[day] = item
    return [found[day] for day in sorted(found)]


def nights(history: Iterable[Record], day: str) -> int:
    """Days before a day that had a night: the same for all nights of a day, also for one that goes on after a kill."""
    return sum(isinstance(item.get("night"), Mapping) and str(item["day"]) < day for item in by_day(history))


def value(item: Record | None, name: str) -> float | None:
    """A figure of a record; None where it is not defined, or another version wrote it otherwise."""
    row = item["figures"].get(name) if item is not None else None
    found = row.get("value") if isinstance(row, Mapping) else None
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def why(item: Record, name: str, lang: Lang) -> str:
    """Why a figure is not defined, in words."""
    row = item["figures"].get(name)
    code = row.get("why") if isinstance(row, Mapping) else None
    known = UNDEFINED.get(str(code))
    return known[lang] if known is not None else ("没有计算" if lang == "zh" else "it was not computed")


def before(history: Sequence[Record], day: str, days: int | None = None) -> Record | None:
    """The last record before a day, or that of so many days ago: the nearest one at most REACH days older."""
    today = _date(day)
    if today is None:
        return None
    latest = today - timedelta(days=1 if days is None else days)
    earliest = date.min if days is None else latest - timedelta(days=REACH)
    fitting = [r for r in history if earliest <= (_date(str(r["day"])) or date.min) <= latest]
    return fitting[-1] if fitting else None


def change(item: Record, earlier: Record | None, name: str) -> Change | None:
    """How a figure moved since an earlier record; None where one of the two is not defined."""
    now, then = value(item, name), value(earlier, name)
    if earlier is None or now is None or then is None:
        return None
    by, lower = round(now - then, 6), BY_NAME[name].lower
    return Change(by, None if lower is None or by == 0 else (by < 0) == lower, str(earlier["day"]))


def layers(item: Record) -> dict[str, int]:
    """Records of each layer that the line tells of."""
    table = item.get("layers")
    return {name: number for name in LAYERS if (number := _whole(table, name)) is not None}


def spent(item: Record) -> dict[str, Any] | None:
    """What asking a model cost that day: requests, tokens, money and the day's caps (0: none). None where none could be asked."""
    row = item.get("spent")
    if not isinstance(row, Mapping):
        return None
    return {
        **{name: _whole(row, name) or 0 for name in ("requests", "tokens", "cap_tokens")},
        **{name: _number(row, name) for name in ("money", "cap_money")},
    }


def layer_rows(item: Record, history: Sequence[Record]) -> list[dict[str, Any]]:
    """Each layer: how many records, how many more than a week ago (None: nothing is known of then), why it is empty."""
    week = before(history, str(item["day"]), 7)
    out: list[dict[str, Any]] = []
    for name in LAYERS:
        now = _whole(item.get("layers"), name) or 0
        then = _whole(week.get("layers"), name) if week is not None else None
        reason = EMPTY[name] if not now else {"en": None, "zh": None}
        out.append(
            {
                "layer": name,
                "records": now,
                "week": None if then is None else now - then,
                "why": reason["en"],
                "why_zh": reason["zh"],
            }
        )
    return out


def warnings(item: Record, history: Sequence[Record]) -> list[str]:
    """Codes of WARNINGS that hold on the day of a record; `history` may hold it or not."""
    found = []
    weeks: list[Record | None] = [item, *(before(history, str(item["day"]), 7 * n) for n in range(1, WEEKS + 1))]
    sizes = [size for past in weeks if (size := value(past, "core")) is not None]
    if len(sizes) == WEEKS + 1 and all(a > b for a, b in pairwise(sizes)):
        found.append("core-grows")
    share = taken(item, history)
    if share is not None and share > LOOSE:
        found.append("gate-loose")
    return found


def taken(item: Record, history: Sequence[Record]) -> float | None:
    """Share of candidates that were promoted or associated: of this night, or with the nights of a week if it had but a few.

    None if fewer than LOOSE_LEAST were judged even so: of three candidates, two say nothing about the gate.
    """
    nights = [item]
    if _judged(item) < LOOSE_LEAST:
        first = ((_date(str(item["day"])) or date.max) - timedelta(days=LOOSE_OVER - 1)).isoformat()
        nights += [r for r in history if first <= str(r["day"]) < str(item["day"])]
    whole = sum(map(_judged, nights))
    if whole < LOOSE_LEAST:
        return None
    return sum(_outcome(r, "promote") + _outcome(r, "associate") for r in nights) / whole


def _judged(item: Record) -> int:
    return sum(_outcome(item, name) for name in OUTCOMES)


def _outcome(item: Record, name: str) -> int:
    return _whole(item.get("night"), name) or 0


def _whole(table: object, name: str) -> int | None:
    found = table.get(name) if isinstance(table, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _number(table: Mapping[str, Any], name: str) -> float:
    found = table.get(name)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else 0.0


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
