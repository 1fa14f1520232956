"""An answer as text: quotes with their numbers, the chain step by step, the episode; within the budget. Pure.

Citations are numbered in the order in which they appear, and a place that is cited twice keeps its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ebbtide.memory.states import Lang
from ebbtide.parse.text import estimate_tokens
from ebbtide.recall.answer_marks import safe
from ebbtide.recall.answer_words import frame, quoted


@dataclass(slots=True)
class Cited:
    """A quote and its place. `text`: its words without markup, where they are read apart. `row` is of the file, -1 unknown."""

    id: str
    row: int
    note: str
    title: str
    line: int
    column: int
    quote: str
    text: str
    heading: str | None
    as_of: str | None
    lang: Lang
    state: str = "active"
    disputed: bool = False
    superseded_by: str | None = None
    lead: bool = False

    def record(self, n: int) -> dict[str, Any]:
        """As the API shows it."""
        names = (
            "note",
            "title",
            "line",
            "column",
            "quote",
            "heading",
            "as_of",
            "id",
            "state",
            "disputed",
            "superseded_by",
        )
        return {"n": n} | {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class Told:
    """A quote with what must stand beside it: the other sides of its dispute, what took its place, or the later note."""

    first: Cited
    rivals: list[Cited] = field(default_factory=list)
    successor: Cited | None = None
    later: tuple[str, str] | None = None
    """Path and title of the note that supersedes this one."""

    @property
    def all(self) -> list[Cited]:
        """Every quote of it."""
        return [self.first, *self.rivals, *([self.successor] if self.successor is not None else [])]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a causal chain: the titles of both notes, how the first goes on to the second, and the sentence that says so."""

    before: str
    words: str
    after: str
    superseded_by: str | None
    said: Cited


@dataclass(frozen=True, slots=True)
class Episode:
    """An attempt as the catalogue has it, and its parts with their places."""

    record: Mapping[str, Any]
    parts: Mapping[str, Cited]


@dataclass(slots=True)
class Numbers:
    """The citations of an answer in order."""

    all: list[Cited] = field(default_factory=list)
    steps: list[tuple[int, Step]] = field(default_factory=list)
    parts: list[tuple[str, Cited, int]] = field(default_factory=list)

    def of(self, cited: Cited) -> int:
        """The number of a citation; the one it has if the same words of the same place are cited already."""
        for n, known in enumerate(self.all, 1):
            if (known.note, known.line, known.quote) == (cited.note, cited.line, cited.quote):
                return n
        self.all.append(cited)
        return len(self.all)


class Shown(Protocol):
    """What is written down."""

    question: Any
    lang: Lang
    told: list[Told]
    steps: list[Step]
    episode: Episode | None

    @property
    def onward(self) -> bool:
        """The chain leads to what came of it."""

    @property
    def past(self) -> bool:
        """The question is about what was."""


def written(shown: Shown, text: str | None, budget: int) -> tuple[str, Numbers]:
    """The text and its citations. What passes the budget is left out from the end: episode, chain, further quotes.

    `text`: an answer in other words; its numbers [n] are those of `told`.
    """
    best: tuple[str, Numbers] = ("", Numbers())
    quotes = len(shown.told)
    for many, chain, episode in (
        (quotes, True, True),
        (quotes, True, False),
        (quotes, False, False),
        (1, False, False),
    ):
        numbers = Numbers()
        parts = [_quotes(shown, many, numbers) if text is None else _answered(shown, text, numbers)]
        if chain and shown.steps:
            parts.append(_chain(shown, numbers))
        if episode and shown.episode is not None:
            parts.append(_episode(shown.episode, shown.lang, numbers))
        best = ("\n\n".join(part for part in parts if part), numbers)
        if estimate_tokens(best[0]) <= budget:
            break
    return best


def _answered(shown: Shown, text: str, numbers: Numbers) -> str:
    for told in shown.told:
        numbers.all.append(told.first)
    return text


def _quotes(shown: Shown, many: int, numbers: Numbers) -> str:
    lang, blocks = shown.lang, []
    if shown.question.as_of is not None and shown.told:
        blocks.append(frame("as_of", lang, day=shown.question.as_of))
    further: list[Cited] = []
    for place, told in enumerate(shown.told[:many]):
        if told.rivals:
            sides = sorted((told.first, *told.rivals), key=lambda each: each.as_of or "")
            lines = [f"- {_quote(each, lang, numbers)}" for each in sides]
            blocks.append("\n".join([frame("disputed", lang), *lines]))
        elif told.successor is not None:
            if shown.past:
                before = _quote(told.first, lang, numbers)
                blocks.append(f"{before}\n{frame('replaced', lang)} {_quote(told.successor, lang, numbers)}")
            else:
                after = _quote(told.successor, lang, numbers)
                blocks.append(f"{after}\n{frame('formerly', lang)} {_quote(told.first, lang, numbers)}")
        elif told.later is not None:
            said = frame("note_replaced", lang, title=safe(told.later[1]))
            blocks.append(f"{_quote(told.first, lang, numbers)}\n{said}")
        elif place == 0:
            blocks.append(_quote(told.first, lang, numbers))
        else:
            further.append(told.first)
    if further:
        blocks.append("\n".join([frame("also", lang), *(f"- {_quote(each, lang, numbers)}" for each in further)]))
    return "\n\n".join(blocks)


def _quote(cited: Cited, lang: Lang, numbers: Numbers) -> str:
    marks = [
        cited.as_of or "",
        frame(f"from_{cited.lang}", lang) if cited.lang != lang else "",
        frame("lead", lang) if cited.lead else "",
    ]
    return quoted(cited.quote, marks, numbers.of(cited), lang)


def _chain(shown: Shown, numbers: Numbers) -> str:
    lang = shown.lang
    lines = [frame("onward" if shown.onward else "chain", lang)]
    for number, step in enumerate(shown.steps, 1):
        n = numbers.of(step.said)
        numbers.steps.append((n, step))
        lines.append(f"{number}. {safe(step.before)} → {safe(step.words)} → {safe(step.after)} [{n}]")
    return "\n".join(lines)


def _episode(episode: Episode, lang: Lang, numbers: Numbers) -> str:
    told = episode.record
    result = frame(told["result"], lang) if told["result"] else ""
    comma = "，" if lang == "zh" else ", "
    about = comma.join(word for word in (safe(told["type"]), told["date"] or "", result) if word)
    lines = [frame("episode", lang, title=safe(told["title"]), about=about)]
    for name, said in episode.parts.items():
        n = numbers.of(said)
        numbers.parts.append((name, said, n))
        colon = "：" if lang == "zh" else ": "
        lines.append(f"- {frame(name, lang)}{colon}“{safe(said.text)}” [{n}]")
    return "\n".join(lines)
