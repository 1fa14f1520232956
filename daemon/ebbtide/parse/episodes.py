"""Episodes: notes that tell of an attempt and how it ended. Pure; formats.md 5.

An episode says what set it off, what was tried, what came of it, why, and what to do next time. A note is one if its
`type` says so, if it carries a `result`, or if it has the sections of one. What it does not say is missing and is asked
for; nothing is ever invented: a result is read only where the note states it in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ebbtide.memory.records import Note
from ebbtide.parse.dates import note_date
from ebbtide.parse.fact_text import plain
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import fold

Result = Literal["success", "partial", "failure"]
RESULTS: Final[tuple[Result, ...]] = get_args(Result)
Part = Literal["trigger", "tried", "result", "reason", "lesson", "artifact"]

EPISODIC: Final = frozenset(
    ["sprint", "roundtable", "debug", "experiment", "incident", "episode", "episodic", "postmortem", "retro", "retrospective",
     "trial", "outage", "冲刺", "圆桌", "调试", "实验", "事故", "复盘", "试验", "故障"]
)  # fmt: skip
"""Values of `type` that make a note an episode."""

_RESULTS: Final[Mapping[str, Result]] = {
    **dict.fromkeys(["success", "succeeded", "successful", "done", "ok", "成功", "完成", "达成"], "success"),
    **dict.fromkeys(["partial", "partly", "mixed", "inconclusive", "部分", "部分成功", "部分完成", "喜忧参半"], "partial"),
    **dict.fromkeys(["failure", "failed", "fail", "unsuccessful", "失败", "未成功", "没成"], "failure"),
}  # fmt: skip
_SECTIONS: Final[Mapping[str, Part]] = {
    **dict.fromkeys(["tried", "what we tried", "what i tried", "attempt", "attempts", "尝试", "试了什么", "做法", "过程"], "tried"),
    **dict.fromkeys(["result", "results", "outcome", "what happened", "结果", "结局", "效果"], "result"),
    **dict.fromkeys(["reason", "reasons", "why", "cause", "root cause", "原因", "根因", "为什么", "分析"], "reason"),
    **dict.fromkeys(["lesson", "lessons", "lessons learned", "takeaway", "takeaways", "learned", "next time", "教训", "经验",
                     "下次", "收获", "启示"], "lesson"),
    **dict.fromkeys(["trigger", "context", "background", "起因", "触发", "背景"], "trigger"),
    **dict.fromkeys(["artifact", "artifacts", "output", "产物", "产出", "成果"], "artifact"),
}  # fmt: skip
_FAILED = re.compile(
    r"\b(?:fail(?:ed|ure|s)?|did(?:n't| not) work|gave up|abandoned|rolled back|nothing shipped|never merged|broke down)\b"
    r"|失败|没成|未能|没能|没有成功|泡汤|放弃了|回滚|翻车|告吹",
    re.I,
)
_WORKED = re.compile(
    r"\b(?:success(?:ful|fully)?|succeeded|worked|shipped|fixed|solved|resolved|restored|recovered)\b"
    r"|成功|修好|修复|解决了|恢复|上线了|搞定|达成|奏效",
    re.I,
)
_PARTLY = re.compile(r"\b(?:part(?:ly|ial|ially)|half|mixed|inconclusive)\b|部分|一半|喜忧参半|不完全", re.I)
_DENIED = re.compile(r"\b(?:not|n't|never|no|without)\b[^.;,]{0,16}$|(?:没有?|未|不|并非)[^，。；]{0,4}$", re.I)


@dataclass(frozen=True, slots=True)
class Said:
    """A part of an episode as the note says it: `quote` is text[start:end] exactly; a property has its line and no span."""

    text: str
    line: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """What a note tells of an attempt. `result` is None where it does not say; `told` is false for a guess by sections."""

    type: str
    date: str | None
    result: Result | None
    stated: bool
    """The result is a property; false: it was read from the words of its section."""
    parts: Mapping[Part, Said]
    missing: tuple[Part, ...]


def episode_of(note: Note) -> Episode | None:
    """The episode that a note is, or None."""
    kind = note.properties.get("type")
    kind = fold(kind).strip() if isinstance(kind, str) else ""
    declared = _result_word(note.properties.get("result", note.properties.get("结果")))
    sections = _sections(note)
    telling = {"tried", "result", "reason", "lesson"} & sections.keys()
    if not (kind in EPISODIC or declared is not None or len(telling) >= 3):
        return None
    parts: dict[Part, Said] = dict(sections)
    for part, names in _PROPERTIES.items():
        said = _property(note, names)
        if said is not None:
            parts[part] = said
    result = declared if declared is not None else read_result(parts["result"].text) if "result" in parts else None
    day = note_date(note.properties, note.path)
    wanted: tuple[Part, ...] = ("trigger", "result", "lesson")
    missing = tuple(part for part in wanted if part not in parts and not (part == "result" and result is not None))
    if result is None and "result" not in missing:
        missing = tuple(part for part in wanted if part in missing or part == "result")
    return Episode(kind or "episode", day[0] if day else None, result, declared is not None, parts, missing)


def read_result(text: str) -> Result | None:
    """How an attempt ended, where its words say so: the first sentence that says, and partial if they say both."""
    for start, end in sentences(text)[:6]:
        sentence = text[start:end]
        failed, worked = _holds(_FAILED, sentence), _holds(_WORKED, sentence)
        if _PARTLY.search(sentence) and (failed or worked):
            return "partial"
        if failed and worked:
            return "partial"
        if failed or worked:
            return "failure" if failed else "success"
    return None


def _holds(pattern: re.Pattern[str], sentence: str) -> bool:
    """True if a word stands there and is not denied."""
    return any(not _DENIED.search(sentence[: found.start()]) for found in pattern.finditer(sentence))


def _result_word(value: Any) -> Result | None:
    return _RESULTS.get(fold(value).strip()) if isinstance(value, str) else None


_PROPERTIES: Final[Mapping[Part, tuple[str, ...]]] = {
    "trigger": ("trigger", "起因", "触发"),
    "artifact": ("artifact", "产物", "产出"),
    "lesson": ("lesson", "教训"),
    "reason": ("reason", "原因"),
}


def _property(note: Note, names: tuple[str, ...]) -> Said | None:
    for name in names:
        value = note.properties.get(name)
        if isinstance(value, str) and value.strip():
            return Said(plain(value), note.property_lines.get(name, 1))
    return None


def _sections(note: Note) -> dict[Part, Said]:
    """The parts that are sections: the text of each up to the next heading, lists joined."""
    spans: dict[Part, tuple[int, int, int]] = {}
    for unit in note.units:
        if unit.kind == "heading" or not unit.headings or unit.foreign:
            continue
        name = fold(plain(unit.headings[-1])).strip(" :：?？.。!！")
        part = _SECTIONS.get(name)
        if part is None:
            continue
        start, _, line = spans.get(part, (unit.start, unit.end, unit.line))
        spans[part] = (start, max(unit.end, spans[part][1] if part in spans else 0), line)
    out: dict[Part, Said] = {}
    for part, (start, end, line) in spans.items():
        quote = note.text[start:end]
        text = " ".join(filter(None, (plain(row.strip(" \t-*+>")) for row in quote.splitlines())))
        if text:
            out[part] = Said(text[:2000], line, quote[:4000])
    return out
