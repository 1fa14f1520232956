"""Claims from the parts of a note that are no prose: properties and table rows. Also what holds for a whole note.

A property or a cell is already a slot with its value, so little has to be guessed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ebbtide.memory.records import Note, Unit
from ebbtide.memory.states import BOOKKEEPING, FactType, Precision
from ebbtide.parse import fact_cues as cues
from ebbtide.parse.dates import note_date
from ebbtide.parse.fact_dialogue import speakers_of
from ebbtide.parse.fact_form import is_setting
from ebbtide.parse.fact_pick import Claim
from ebbtide.parse.fact_places import Place, place_kind, type_by_place
from ebbtide.parse.fact_text import MAX_FACT, clean_heading, plain
from ebbtide.parse.relations import RELATIONS, normalise_relation
from ebbtide.parse.text import fold, is_cjk, language

_SKIPPED_KEYS = re.compile(
    r"^(?:date.*|.*date|.*time|time.*|日期|时间|创建.*|修改.*|更新.*|type|speakers?|participants"
    r"|private|memory|cover|banner.*|image|img|icon|url|link|links|website|网址|链接|封面|图标"
    r"|kanban.*|excalidraw.*|position|colou?r|width|height|related|相关|up|down|parent|child|children"
    r"|next|prev|previous|父|子|上级|下级|share.*|dg-.*|sr-.*|obsidian.*|zotero.*|citekey|isbn|doi"
    r"|number headings|sticker|comments?|draft|slug|toc|mathjax|category|categories|分类|类别|标签"
    r"|template|模板|collection|lastmod|version|schema.*|uuid|hash|cards-deck|deck|feed|theme|class"
    r"|kind|name|metadata.*|project|项目)$"
)
_EMPTY_VALUES: Final = frozenset({"", "-", "无", "none", "null", "n/a", "na", "tbd", "待定", "?", "[]", "{}"})

_PROPERTY_TYPES: Final[tuple[tuple[FactType, str], ...]] = (
    ("decision", r"decision|决定|决策|结论"),
    ("lesson", r"lesson|教训|经验"),
    ("preference", r"prefer|偏好|喜好"),
    ("plan", r"deadline|due|截止|计划|goal|目标|next"),
    ("metric", r"budget|预算|cost|price|价格|费用|rating|评分|评价|score|得分|priority|count|数量|频率|weight|体重"),
    (
        "relation",
        r"owner|负责|author|作者|team|团队|client|客户|member|成员|company|公司|depends|依赖|manager|导演|出版",
    ),
    ("state", r"status|状态|阶段|stage|phase|progress|进度|当前|是否|location|地点"),
    ("event", r"result|结果|outcome|trigger"),
)
_PROPERTY_COMPILED: Final = tuple((kind, re.compile(pattern)) for kind, pattern in _PROPERTY_TYPES)
_PARTIES: Final = frozenset(
    {"attendees", "attendee", "present", "people", "artifact", "artifacts", "because", "speakers", "participants"}
    | {"参会", "参会人", "参与者", "出席", "出席者", "产物", "与会者"}
)
"""Keys whose values are people or things that belong to the note."""
_VALUE_HEADS: Final = frozenset(
    {"值", "value", "说明", "描述", "description", "内容", "含义", "meaning", "备注", "note", "notes", "作用"}
)


@dataclass(slots=True)
class Scene:
    """What holds for all claims of a note."""

    note: Note
    speakers: frozenset[str]
    note_type: FactType | None
    given: tuple[str, Precision] | None = None
    places: dict[tuple[tuple[str, ...], str | None], FactType | None] = field(default_factory=dict)
    kinds: dict[tuple[tuple[str, ...], str | None], Place | None] = field(default_factory=dict)
    contexts: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    silent: dict[tuple[str, ...], bool] = field(default_factory=dict)
    """What is found once for all units below the same headings."""


def scene_of(note: Note) -> Scene:
    """The standing facts of a note: who speaks, what kind of note it is."""
    declared = note.properties.get("type")
    kind = cues.NOTE_TYPES.get(declared.strip().lower()) if isinstance(declared, str) else None
    return Scene(note, speakers_of(note), kind, note_date(note.properties, note.path))


def by_place(scene: Scene, unit: Unit) -> FactType | None:
    key = (unit.headings, unit.lead)
    if key not in scene.places:
        headings = tuple(fold(clean_heading(heading)) for heading in unit.headings)
        scene.places[key] = type_by_place(headings, fold(unit.lead) if unit.lead else None)
    return scene.places[key]


def kind_of_place(scene: Scene, unit: Unit) -> Place | None:
    """Whether a unit stands in a timeline or among options."""
    key = (unit.headings, unit.lead)
    if key not in scene.kinds:
        headings = tuple(fold(clean_heading(heading)) for heading in unit.headings)
        scene.kinds[key] = place_kind(headings, fold(unit.lead) if unit.lead else None)
    return scene.kinds[key]


# --- properties -----------------------------------------------------------------------------------------------------


def property_claims(scene: Scene) -> Iterator[Claim]:
    note = scene.note
    starts = _line_starts(note.text, note.body) if note.property_lines else []
    for key, value in note.properties.items():
        folded_key = fold(str(key)).strip()
        line = note.property_lines.get(key)
        shown = _shown(value)
        if line is None or shown is None or folded_key in BOOKKEEPING or _SKIPPED_KEYS.match(folded_key):
            continue
        if line > len(starts) or "::" in folded_key:
            continue
        start = starts[line - 1]
        end = _value_end(note.text, start, note.body)
        if start >= end or folded_key not in fold(note.text[start:end]):
            continue  # the parser's line and the text disagree: no exact quote, no fact
        text = f"{key}：{shown}" if is_cjk(str(key)[0]) else f"{key}: {shown}"
        linked = "[[" in note.text[start:end]
        kind = _property_type(folded_key, fold(shown), linked)
        yield Claim(
            text, start, end, kind, "noted" if is_setting(folded_key) else "place", labelled=True, section=-1, subject=None,
            attribute=str(key), value=shown,
        )  # fmt: skip


def _shown(value: Any) -> str | None:
    """A property's value as words; None for empty ones, switches and structures."""
    if isinstance(value, bool) or value is None or isinstance(value, dict):
        return None
    if isinstance(value, list):
        parts = [_shown(item) for item in value[:12]]
        kept = [part for part in parts if part]
        return ", ".join(kept) if kept and len(kept) == len(parts) else None
    text = plain(str(value))
    return None if fold(text) in _EMPTY_VALUES or len(text) > 300 or text.startswith("http") else text


def _value_end(text: str, start: int, limit: int) -> int:
    """Where the property that begins at `start` ends: with its line, or with the last item or line below its key."""
    end = text.find("\n", start, limit)
    end = limit if end < 0 else end
    while end < limit:
        following = text.find("\n", end + 1, limit)
        following = limit if following < 0 else following
        line = text[end + 1 : following]
        if not line.strip() or not (line[0] in " \t]}" or line.startswith("- ") or line.strip() == "-"):
            break
        end = following
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def is_relation(key: str, linked: bool) -> bool:
    """Whether a key is a typed relation. Words that also name a result need a link to be one."""
    return normalise_relation(key) in RELATIONS and (linked or key not in {"结果", "result", "evidence", "依据", "why"})


def _property_type(key: str, value: str, linked: bool) -> FactType:
    if is_relation(key, linked) or key in _PARTIES:
        return "relation"
    for kind, pattern in _PROPERTY_COMPILED:
        if pattern.search(key):
            return kind
    if is_setting(key):
        return "state"
    return cues.type_by_words(value) or ("metric" if value[:1].isdigit() else "definition")


def _line_starts(text: str, end: int) -> list[int]:
    starts = [0]
    at = text.find("\n", 0, end)
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1, end)
    return starts


# --- tables ---------------------------------------------------------------------------------------------------------


def row_claims(scene: Scene, unit: Unit, index: int) -> Iterator[Claim]:
    """A row as a proposition: its first cell has, for each column, what stands there."""
    cells = [plain(cell) for cell in unit.cells]
    heads = [plain(head) for head in unit.header]
    if len(cells) < 2 or not any(ch.isalnum() for ch in cells[0]) or len(cells[0]) > 80:
        return
    filled = [
        (heads[i] if i < len(heads) else "", cells[i])
        for i in range(1, len(cells))
        if any(ch.isalnum() for ch in cells[i]) and fold(cells[i]) not in _EMPTY_VALUES
    ]
    if not filled:
        return
    chinese = language(" ".join(cells + heads)) == "zh"
    colon, stop = ("：", "；") if chinese else (": ", "; ")
    if len(filled) == 1 and (not filled[0][0] or fold(filled[0][0]) in _VALUE_HEADS):
        text = f"{cells[0]}{colon}{filled[0][1]}"
        attribute, subject = cells[0], ""
    else:
        parts = [f"{head}{colon}{cell}" if head else cell for head, cell in filled[:6]]
        text = f"{cells[0]} — {stop.join(parts)}"
        attribute, subject = filled[0][0], cells[0]
    if len(text) > MAX_FACT:
        return
    folded = fold(text)
    kind = (
        cues.type_by_words(fold(filled[0][1]))
        or by_place(scene, unit)
        or ("metric" if _numeric(filled) else "definition")
    )
    basis = "place"
    placed = kind_of_place(scene, unit)
    if placed == "options":
        kind, basis = "definition", "option"
    elif placed == "timeline":
        kind = "event"
    yield Claim(
        text, unit.start, unit.end, kind, basis, unit, index,
        labelled=any(ch.isdigit() for ch in folded), subject=subject or None, attribute=attribute or None, value=filled[0][1],
    )  # fmt: skip


def _numeric(filled: list[tuple[str, str]]) -> bool:
    return any(cell[:1] in "0123456789$¥€£+-~<>" for _, cell in filled)
