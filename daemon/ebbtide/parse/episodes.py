"""Episodes: notes that tell of an attempt and how it ended. Pure; formats.md 5.

An episode says what set it off, what was tried, what came of it, why, and what to do next time. A note is one if its
`type` says so, if it carries a `result`, if it has the sections of one, or if its prose tells of an attempt and its end
(episode_prose). What it does not say is missing and is asked for; nothing is ever invented: a result is read only where
the note states it in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ebbtide.memory.records import Note, Unit
from ebbtide.parse.dates import note_date
from ebbtide.parse.episode_prose import told
from ebbtide.parse.fact_text import plain
from ebbtide.parse.outcomes import RESULTS, Result, read_result
from ebbtide.parse.text import fold

__all__ = ["EPISODIC", "PARTS", "RESULTS", "Episode", "Part", "Result", "Said", "Sign", "episode_of", "read_result"]

Part = Literal["trigger", "tried", "result", "reason", "lesson", "artifact"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
Sign = Literal["type", "result", "sections", "prose"]
"""What made the note an episode."""

EPISODIC: Final = frozenset(
    ["sprint", "roundtable", "debug", "experiment", "incident", "episode", "postmortem", "post-mortem", "retro",
     "retrospective", "trial", "outage", "冲刺", "圆桌", "调试", "实验", "事故", "复盘", "试验", "故障"]
)  # fmt: skip
"""Values of `type` that make a note an episode."""

_RESULTS: Final[Mapping[str, Result]] = {
    **dict.fromkeys(["success", "succeeded", "successful", "done", "ok", "成功", "完成", "达成"], "success"),
    **dict.fromkeys(["partial", "partly", "mixed", "inconclusive", "部分", "部分成功", "部分完成", "喜忧参半"], "partial"),
    **dict.fromkeys(["failure", "failed", "fail", "unsuccessful", "失败", "未成功", "没成"], "failure"),
}  # fmt: skip
_SECTIONS: Final[Mapping[str, Part]] = {
    **dict.fromkeys(["tried", "what we tried", "what i tried", "attempt", "attempts", "what we did", "尝试", "试了什么", "做法", "过程",
                     "排查", "排查过程", "处理过程"], "tried"),
    **dict.fromkeys(["result", "results", "outcome", "outcomes", "what happened", "fix", "resolution", "结果", "结局", "效果", "解决",
                     "处理结果"], "result"),
    **dict.fromkeys(["reason", "reasons", "why", "cause", "root cause", "原因", "根因", "为什么", "分析"], "reason"),
    **dict.fromkeys(["lesson", "lessons", "lessons learned", "takeaway", "takeaways", "learned", "next time", "教训", "经验",
                     "经验教训", "下次", "收获", "启示"], "lesson"),
    **dict.fromkeys(["trigger", "context", "background", "symptom", "symptoms", "起因", "触发", "背景", "现象", "症状"], "trigger"),
    **dict.fromkeys(["artifact", "artifacts", "output", "产物", "产出", "成果"], "artifact"),
}  # fmt: skip
_PROPERTIES: Final[Mapping[Part, tuple[str, ...]]] = {
    "trigger": ("trigger", "起因", "触发"),
    "artifact": ("artifact", "产物", "产出"),
    "lesson": ("lesson", "教训"),
    "reason": ("reason", "原因"),
    "result": ("result", "结果"),
}
_NUMBERED = re.compile(r"^(?:\d{1,2}[.、)）]|[一二三四五六七八九十][、.])\s*")
_LABEL = re.compile(
    r"\s*(?:[-*+>]\s+)*(?:\[.\]\s+)?(\*\*|__)?([^\W\d_][^\n:：*_。.]{0,20})(?:[:：。.]?(?(1)(?:\*\*|__)|)[:：]*)(?<=[:：*_])\s*"
)
"""A part that is named at the start of a line: "Result: ...", "**原因**：..."."""
_MARKER = re.compile(r"^[\s>]*(?:[-*+]\s+)?")
_TEXT, _QUOTE = 2000, 4000
"""Characters that are kept of a part: as plain words and as it stands."""


@dataclass(frozen=True, slots=True)
class Said:
    """A part of an episode as the note says it: `text` in plain words, `quote` verbatim from the note at `line` (from 1)."""

    text: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Episode:
    """What a note tells of an attempt. `result` is None where it does not say, and then among the `missing`."""

    type: str
    """The note's own `type`, folded; "episode" if it has none."""
    date: str | None
    result: Result | None
    sign: Sign
    stated: bool
    """The result is a property; false: it was read from words."""
    parts: Mapping[Part, Said]
    missing: tuple[Part, ...]
    """What it should say and does not: of trigger, result and lesson."""
    start: int
    end: int
    """The part of the text that tells of it: the whole body, or the sentences of a telling."""

    @property
    def declared(self) -> bool:
        """Whether its `type` says that it is one, so that a missing result may be asked for."""
        return self.sign == "type"


def episode_of(note: Note) -> Episode | None:
    """The episode that a note is, or None."""
    named = {fold(name).strip(): name for name in reversed([*note.properties])}
    kind = _kind(note.properties.get(named.get("type", "type")))
    properties = dict(_properties(note, named))
    declared = _result_word(properties["result"].text) if "result" in properties else None
    sections = _sections(note)
    result = declared if declared is not None else _read(sections.get("result", []))
    sign = _sign(kind, declared, sections, result)
    if sign is None:
        return _from_prose(note, kind, properties)
    parts: dict[Part, Said] = {part: runs[0] for part, runs in sections.items()}
    for part, said in properties.items():
        if part != "result" or (declared is not None and "result" not in parts):
            parts[part] = said
    return _episode(note, kind, result, sign, parts, declared is not None)


def _kind(value: Any) -> str:
    """The type of a note, folded: of several the one that is an episode's."""
    values = [fold(v).strip() for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]
    return next((v for v in values if v in EPISODIC), values[0] if values else "")


def _sign(kind: str, declared: Result | None, sections: Mapping[Part, Any], result: Result | None) -> Sign | None:
    if kind in EPISODIC:
        return "type"
    if declared is not None:
        return "result"
    telling = {"tried", "result", "reason", "lesson"} & sections.keys()
    # Notes about other people's work have results and takeaways as well: there an attempt, or a plain end, must be named.
    return "sections" if len(telling) >= 3 and ("tried" in telling or result is not None) else None


def _episode(
    note: Note, kind: str, result: Result | None, sign: Sign, parts: Mapping[Part, Said], stated: bool,
    span: tuple[int, int] | None = None,
) -> Episode:  # fmt: skip
    day = note_date(note.properties, note.path)
    start, end = span or (0, len(note.text))
    said = {*parts} - {"result"} | ({"result"} if result is not None else set())
    wanted: tuple[Part, ...] = ("trigger", "result", "lesson")
    missing = tuple(part for part in wanted if part not in said)
    return Episode(kind or "episode", day[0] if day else None, result, sign, stated, parts, missing, start, end)


def _from_prose(note: Note, kind: str, properties: Mapping[Part, Said]) -> Episode | None:
    telling = told(note, kind)
    if telling is None:
        return None
    parts: dict[Part, Said] = {name: said for name, said in properties.items() if name != "result"}
    for part in PARTS:
        if part in telling.spans and (said := _said(note, *telling.spans[part])) is not None:
            parts[part] = said
    return _episode(note, kind, telling.result, "prose", parts, False, (telling.start, telling.end))


def _read(runs: list[Said]) -> Result | None:
    """The result that the sections of that name agree on."""
    found = {result for run in runs if (result := read_result(run.text)) is not None}
    return found.pop() if len(found) == 1 else None


def _result_word(text: str) -> Result | None:
    return _RESULTS.get(fold(text).strip())


def _said(note: Note, start: int, end: int) -> Said | None:
    quote = note.text[start:end]
    text = " ".join(filter(None, (plain(_MARKER.sub("", row)) for row in quote.splitlines())))
    return Said(text[:_TEXT], note.text.count("\n", 0, start) + 1, quote[:_QUOTE]) if text else None


def _properties(note: Note, named: Mapping[str, str]) -> Iterator[tuple[Part, Said]]:
    """The parts that are properties; each points to the property's line."""
    for part, names in _PROPERTIES.items():
        for key in names:
            value = note.properties.get(named.get(key, key))
            if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
                value = "; ".join(value)
            if isinstance(value, str) and value.strip():
                line = note.property_lines.get(named.get(key, key), 1)
                yield part, Said(plain(value)[:_TEXT], line, _property_quote(note, line, value)[:_QUOTE])
                break


def _property_quote(note: Note, line: int, value: str) -> str:
    """The value as it stands in its line, else the line with the lines that belong to it."""
    rows = note.text[: note.body].split("\n")[line - 1 :]
    if not rows:
        return ""
    if value in rows[0]:
        return value
    last = next(
        (n for n, row in enumerate(rows[1:], 1) if row[:1] not in (" ", "\t", "-") or row.startswith("---")), len(rows)
    )
    return "\n".join(rows[:last]).strip()


def _sections(note: Note) -> dict[Part, list[Said]]:
    """The parts that are sections, each as often as it begins; lines that name their part, where no section does."""
    runs: list[tuple[Part, int, int]] = []
    labelled: list[tuple[Part, int, int]] = []
    last: Part | None = None
    for unit in note.units:
        if unit.kind == "heading" or unit.foreign:
            continue
        part = _part_of(unit)
        if part is not None and part == last:
            runs[-1] = (part, runs[-1][1], max(unit.end, runs[-1][2]))
        elif part is not None:
            runs.append((part, unit.start, unit.end))
        last = part
        label = _LABEL.match(note.text, unit.start, unit.end) if part is None else None
        named = _SECTIONS.get(fold(label[2]).strip()) if label is not None else None
        if label is not None and named is not None:
            labelled.append((named, label.end(), unit.end))
    out: dict[Part, list[Said]] = {}
    for part, start, end in (*runs, *(entry for entry in labelled if entry[0] not in {run[0] for run in runs})):
        if (said := _said(note, start, end)) is not None:
            out.setdefault(part, []).append(said)
    return out


def _part_of(unit: Unit) -> Part | None:
    """The part that the innermost heading of such a name makes of a block."""
    for heading in reversed(unit.headings):
        part = _SECTIONS.get(_NUMBERED.sub("", fold(plain(heading)).strip(" :：?？.。!！")))
        if part is not None:
            return part
    return None
