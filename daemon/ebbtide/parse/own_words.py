"""What a machine wrote into a person's note: never a fact that the person states. Pure; mission.md B7 and E2.

Told apart by form, not by guess: a note whose properties name a machine as its author, a callout that is a machine's, and
a line that carries the citation which Ebbtide puts behind what it hands to an agent (`recall.compose.inject`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from ebbtide.memory.records import Note, Unit
from ebbtide.parse.text import fold

_AUTHORS: Final = (
    "author",
    "authors",
    "generated_by",
    "generated-by",
    "written_by",
    "created_by",
    "origin",
    "作者",
    "生成者",
)
_FLAGS: Final = ("generated", "ai_generated", "ai-generated", "machine_generated", "ai生成")
_MACHINE: Final = re.compile(
    r"(?:ebbtide|claude|chatgpt|gpt|copilot|gemini|llama|deepseek|kimi|qwen|grok|perplexity|豆包|文心一言|通义千问"
    r"|(?:ai|llm)(?:[ -](?:assistant|agent|model|bot))?|assistant|agent|derived|人工智能|智能体|ai ?助手)"
    r"(?:[ -]?(?:v?\d[\w.]*|code|opus|sonnet|haiku|pro|flash|turbo|mini|chat))*",
    re.I,
)
"""A machine as author: its whole name, with what versions are called. Claude Shannon is none."""
_CALLOUTS: Final = frozenset(["ai", "ebbtide", "assistant", "agent", "claude", "gpt", "chatgpt", "llm", "copilot"])
_CITED: Final = re.compile(r"\[[^\[\]\n]{1,400}\.md:\d+(?:, [12]\d{3}(?:-\d\d){0,2})?\]")


def written_by_machine(note: Note) -> bool:
    """Whether the note says of itself that a machine wrote it."""
    properties = note.properties
    if any(properties.get(name) is True for name in _FLAGS):
        return True
    return any(_names_machine(properties.get(name)) for name in _AUTHORS)


def _names_machine(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_names_machine(item) for item in value)  # a person among them vouches for it
    return isinstance(value, str) and _MACHINE.fullmatch(fold(value).strip()) is not None


def handed_back(note: Note, unit: Unit | None, start: int, end: int) -> bool:
    """Whether text[start:end] stands in a machine's callout, or on a line with a citation of ours."""
    if unit is not None and unit.callout in _CALLOUTS:
        return True
    line_start = note.text.rfind("\n", 0, start) + 1
    line_end = note.text.find("\n", end)
    return _CITED.search(note.text, line_start, line_end if line_end >= 0 else len(note.text)) is not None
