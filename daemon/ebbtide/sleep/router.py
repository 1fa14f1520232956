"""`MEMORY.md`: the core memories on one page, one line a memory with its link and when to open it. Pure; mission.md D6.

The page stays within 200 lines and 8 KB whatever the core grows to: what is alike shares a line, and the coldest is left to recall.
It is made from the memories that are there, so that no link leads nowhere; what is private stays out, since agents read this page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ebbtide.memory.states import Lang
from ebbtide.parse.text import fold, tokenize
from ebbtide.sleep.markup import link, md

NAME: Final = "MEMORY.md"
LINES: Final = 200
BYTES: Final = 8192
ALIKE: Final = 0.8
"""Share of words that two hooks have in common from which they share a line."""
TOGETHER: Final = 4
"""Memories on one line, at most."""
_TITLE, _HOOK = 60, 140
_SECTIONS: Final[Mapping[str, tuple[frozenset[str], Mapping[Lang, str]]]] = {
    "principles": (frozenset(["principle", "rule", "preference"]), {"en": "Principles", "zh": "原则"}),
    "models": (frozenset(["model", "reference"]), {"en": "Models", "zh": "模型"}),
    "patterns": (frozenset(["pattern"]), {"en": "Patterns", "zh": "模式"}),
    "others": (frozenset(), {"en": "Others", "zh": "其他"}),
}
_WORDS: Final[Mapping[str, Mapping[Lang, str]]] = {
    "head": {"en": "# Memory", "zh": "# 记忆"},
    "lead": {
        "en": "What holds, and when to open it. Written by Ebbtide every night; change the memories, not this page.",
        "zh": "现行的核心记忆，以及何时打开。由 Ebbtide 每晚重写；请改记忆本身，不要改这一页。",
    },
    "more": {"en": "{n} more are found by `ebbtide recall`.", "zh": "还有 {n} 条，可用 `ebbtide recall` 找到。"},
    "none": {"en": "There is no core memory yet.", "zh": "还没有核心记忆。"},
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A core memory that is there: vault path, title, when to open it ("" unknown), type, and how warm it is (memory.heat)."""

    path: str
    title: str
    hook: str
    type: str
    heat: float
    private: bool = False


def router(entries: Iterable[Entry], folder: str, lang: Lang) -> str:
    """The page; `folder` is the memory folder, in which it lies. The same memories give the same page in whatever order they come."""
    shown = sorted((entry for entry in entries if not entry.private), key=lambda entry: (-entry.heat, entry.path))
    head = [_WORDS["head"][lang], "", _WORDS["lead"][lang]]
    if not shown:
        return "\n".join([*head, "", _WORDS["none"][lang], ""])
    taken: list[list[Entry]] = []
    groups = grouped(shown)
    page = _page(head, [], 0, folder, lang)
    for group in groups:
        left = len(shown) - sum(map(len, (*taken, group)))
        larger = _page(head, [*taken, group], left, folder, lang)
        if larger.count("\n") > LINES or len(larger.encode("utf-8", "replace")) > BYTES:
            break
        taken.append(group)
        page = larger
    return page if taken else _page(head, [], len(shown), folder, lang)


def grouped(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Memories that are opened for the same thing together, the warmest of them first."""
    groups: list[list[Entry]] = []
    words: list[frozenset[str]] = []
    for entry in entries[: LINES * TOGETHER]:  # more would not fit on the page, whatever is alike
        own = _words(entry.hook)
        home = next(
            (
                number
                for number, lead in enumerate(words)
                if len(groups[number]) < TOGETHER
                and _section(groups[number][0]) == _section(entry)
                and _alike(lead, own)
            ),
            None,
        )
        if home is None:
            groups.append([entry])
            words.append(own)
        else:
            groups[home].append(entry)
    return groups


def _words(text: str) -> frozenset[str]:
    return frozenset(token.text for token in tokenize(fold(text)[:1000]))


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a and b) and len(a & b) >= ALIKE * len(a | b)


def _section(entry: Entry) -> str:
    return next((name for name, (types, _) in _SECTIONS.items() if entry.type in types), "others")


def _page(head: Sequence[str], groups: Sequence[Sequence[Entry]], left: int, folder: str, lang: Lang) -> str:
    lines = list(head)
    for name, (_, titles) in _SECTIONS.items():
        mine = sorted((g for g in groups if _section(g[0]) == name), key=lambda group: group[0].path)
        if mine:
            lines += ["", f"## {titles[lang]}", "", *(_line(group, folder, lang) for group in mine)]
    if left:
        lines += ["", _WORDS["more"][lang].format(n=left)]
    return "\n".join([*lines, ""])


def _line(group: Sequence[Entry], folder: str, lang: Lang) -> str:
    comma, colon = ("、", "：") if lang == "zh" else (", ", ": ")
    links = comma.join(link(entry.title, entry.path, folder, most=_TITLE) for entry in group)
    hook = md(group[0].hook, _HOOK)
    return f"- {links}{colon}{hook}" if hook else f"- {links}"
