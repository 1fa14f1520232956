"""Notes that tell of an attempt in plain sentences: "We tried X. It failed because ... Next time ...". Pure.

Precision comes first: an attempt of the writer's own, told as past, and its end in the same sentence or in one that goes
on from it. What others did, advice, questions, quotations and turns of a conversation are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ebbtide.memory.records import Note, Unit
from ebbtide.parse.fact_dialogue import is_user, speakers_of, turn_of
from ebbtide.parse.outcomes import Result, at_last, outcome
from ebbtide.parse.sentences import sentences

_ATTEMPT = re.compile(
    r"\b(?:i|we)(?:'ve| have| had| both)?(?: (?:also|then|first|finally|just|even|once|again|\w{2,12}ly))? "
    r"(?:tried(?! and (?:tested|true))|attempted|experimented with)\b"
    r"|(?:^|[,;:.] |\b(?:and|then|first|today|yesterday)(?:,)? )(?:tried|attempted) (?!and (?:tested|true))"
    r"|\b(?:my|our)(?: \w+)? attempts? (?:to|at)\b|\b(?:i|we) (?:gave \w+(?: \w+)? a try|spent [\w ]{3,24} trying)\b"
    r"|(?:试|尝试|折腾)(?:了|过|着)",
    re.I,
)
_HINT = re.compile(r"\b(?:tried|attempt|experimented|a try|trying)|试[了过着]|折腾", re.I)
"""Without one of these there is no attempt: most notes are left at that."""
_NOT_MINE = re.compile(
    r"(?:没有?|未|别|不妨|可以|会|要|想|你们?|您|他们?|她们?|有人|如果|应该|建议|多|去|值得|大家|谁|曾经有|需要|一定)[^，。；！？\n]{0,4}$"
    r"|\b(?:if|when|would|could|should|you|they|he|she|never|not|n't|anyone|people|who)\b[^.;,]{0,20}$",
    re.I,
)
_GOES_ON = re.compile(
    r"\s*(?:(?:it|that|this|they|both|neither|none|no|nothing|still|but|and|then|so|yet|alas|unfortunately|sadly|luckily"
    r"|however|result|outcome|in the end|finally|eventually|failed|worked|fixed|did(?:n't| not)|gave up|partly|half)\b"
    r"|结果|但|可|还是|仍|依然|也|都|没|不|失败|成功|后来|最后|最终|终于|于是|然而|只|部分|搞定|修好|放弃|无效|这|它|全)",
    re.I,
)
_TROUBLE = re.compile(
    r"\b(?:broken?|slow(?:ly)?|stuck|crash\w*|errors?|bugs?|problems?|issues?|ke(?:eps|pt)|leak\w*|pain\w*|complain\w*"
    r"|too (?:many|much|long|slow|cold|hot|loud|big)|could(?:n't| not)|can(?:'t|not)|because|since|in order to|to (?:fix|stop))\b"
    r"|问题|坏了|太慢|很慢|卡住|卡顿|报错|错误|崩溃|老是|总是|抱怨|疼|漏|不稳|失败|为了|因为|由于|想让|想把",
    re.I,
)
_REASON = re.compile(
    r"\b(?:because|due to|caused by|the (?:real |true )?(?:reason|cause|culprit|problem)|turned out|turns out)\b"
    r"|因为|由于|原因|根因|原来(?!的)|问题出在|是[^，。]{0,12}导致",
    re.I,
)
_LESSON = re.compile(
    r"\b(?:next time|lessons?|learn(?:ed|t)|in hindsight|should(?:n't)? have|never again|from now on|takeaways?|note to self)\b"
    r"|下次|下回|教训|以后(?:要|先|别|不|再|都|得)|早知道|记住|学到|长记性|再也不",
    re.I,
)
_WORD = re.compile(r"[a-z0-9_`.-]{4,}|[\u4e00-\u9fff]{2}", re.I)
_JOURNAL: Final = frozenset(
    ["", "daily", "daily note", "journal", "diary", "log", "worklog", "devlog", "note", "weekly", "fleeting", "memo",
     "日记", "日志", "周记", "周报", "随笔", "笔记", "手记"]
)  # fmt: skip
"""Values of `type` that do not say that a note is something else than a telling."""
_CLIPPED: Final = ("url", "source_url", "author", "作者", "原文", "链接")
_AHEAD: Final = 4
"""Sentences after the attempt in which its end may stand."""


@dataclass(slots=True)
class Telling:
    """An attempt as prose tells it; spans are offsets into the note's text."""

    result: Result
    start: int
    end: int
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence, the number of its unit, and whether the unit before it is told in the same breath."""

    start: int
    end: int
    text: str
    unit: int
    headings: tuple[str, ...]


def told(note: Note, kind: str) -> Telling | None:
    """The fullest telling of a note whose `type` (folded) is `kind`: the first of those with most parts."""
    if kind not in _JOURNAL or any(name in note.properties for name in _CLIPPED):
        return None
    if not _HINT.search(note.text, note.body):
        return None
    lines = list(_lines(note))
    found = [telling for at in range(len(lines)) if (telling := _telling(lines, at)) is not None]
    return max(found, key=lambda telling: len(telling.spans), default=None)


def _lines(note: Note) -> Iterator[_Line]:
    speakers = speakers_of(note)
    for number, unit in enumerate(note.units):
        if not _prose(unit):
            continue
        turn = turn_of(note.text, unit.start, unit.end, speakers)
        if turn is not None and (speakers or turn.machine or is_user(turn.speaker)):
            continue
        text = note.text[unit.start : unit.end]
        for start, end in sentences(text):
            yield _Line(unit.start + start, unit.start + end, text[start:end], number, unit.headings)


def _prose(unit: Unit) -> bool:
    return unit.kind in ("paragraph", "list_item", "task", "callout") and not unit.foreign


def _attempt(text: str) -> int:
    """Where an attempt of the writer's own ends in the sentence; -1 if it tells of none."""
    if text.rstrip().endswith(("?", "？")):
        return -1
    return next((m.end() for m in _ATTEMPT.finditer(text) if not _NOT_MINE.search(text[: m.start()])), -1)


def _telling(lines: list[_Line], at: int) -> Telling | None:
    line = lines[at]
    tried = _attempt(line.text)
    if tried < 0:
        return None
    result = outcome(line.text[tried:], telling=True)
    ended = at if result is not None else -1
    words = {word.lower() for word in _WORD.findall(line.text[tried:])}
    for number in range(at + 1, min(at + 1 + _AHEAD, len(lines))):
        after = lines[number]
        if after.unit - line.unit > 1 or after.headings != line.headings:
            break
        if result is not None and not at_last(after.text):
            continue
        if not _GOES_ON.match(after.text) and not words & {word.lower() for word in _WORD.findall(after.text)}:
            continue
        said = outcome(after.text, telling=True)
        if said is not None:
            result, ended = said, number
    if result is None:
        return None
    spans = {"tried": (line.start, line.end), "result": (lines[ended].start, lines[ended].end)}
    _add_rest(lines, at, ended, spans)
    start, end = min(a for a, _ in spans.values()), max(b for _, b in spans.values())
    return Telling(result, start, end, spans)


def _add_rest(lines: list[_Line], at: int, ended: int, spans: dict[str, tuple[int, int]]) -> None:
    """What set it off, why it ended so, and what to do next time, where sentences near it say so."""
    line = lines[at]
    before = lines[at - 1] if at and lines[at - 1].unit == line.unit else None
    if before is not None and _TROUBLE.search(before.text):
        spans["trigger"] = (before.start, before.end)
    for number in range(at, min(ended + 1 + _AHEAD, len(lines))):
        after = lines[number]
        if after.headings != line.headings or after.unit - lines[ended].unit > 1:
            break
        if "lesson" not in spans and number > at and _LESSON.search(after.text):
            spans["lesson"] = (after.start, after.end)
        elif "reason" not in spans and number >= ended and _REASON.search(after.text):
            spans["reason"] = (after.start, after.end)
