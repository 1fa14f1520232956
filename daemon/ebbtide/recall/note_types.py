"""Which type of note a question wants, and what users call the types of their notes; in Chinese and English. Pure.

A guess only weighs. Facts have types of their own (`route`); here are the words that people put into the `type` of a note.
"""

from __future__ import annotations

import re
from typing import Final

from ebbtide.parse.text import fold

REFERENCE: Final = "reference"
"""A note that says who, where and what belongs to what."""

_SPELLINGS: Final = {
    "decision": "decision decisions adr 决策 决定 决议 选型",
    "preference": "preference preferences user feedback taste 偏好 喜好 习惯",
    "procedure": "procedure procedural how-to howto how_to runbook guide sop playbook tutorial instructions 流程 步骤 操作 操作步骤"
    " 指南 教程 手册 方法",
    "metric": "metric metrics kpi measurement benchmark 指标 度量 数据 测量",
    "lesson": "lesson lessons failure incident postmortem debug retro retrospective 教训 事故 故障 复盘 踩坑",
    "plan": "plan plans proposal roadmap rfc 计划 方案 提案 规划",
    "definition": "definition concept term glossary 概念 定义 术语",
    "event": "event meeting 事件 会议",
    REFERENCE: "reference fact facts contact inventory 资料 事实 参考 档案 联系人 清单",
}
_TYPES: Final = {name: type_ for type_, names in _SPELLINGS.items() for name in names.split()}
_PLACES: Final = re.compile(
    r"\b(who|whose|where|which (room|building|floor|drawer|shelf|address))\b|谁|哪里|哪儿|在哪|放哪|几号(楼|房|柜|门)|电话|地址",
)


def note_type(spelled: str | None) -> str | None:
    """The type that a user's word for it means; None for words that are not known."""
    return None if spelled is None else _TYPES.get(fold(spelled).strip())


def wanted_type(query: str, guess: str | None) -> str | None:
    """The type of note a question wants: the guess for facts, else a reference where it asks who or where."""
    if guess not in (None, "definition", "event"):
        return guess
    return REFERENCE if _PLACES.search(fold(query)) else guess
