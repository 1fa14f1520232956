"""What is injected of a memory, in each form the budget may ask for, and what that costs. Pure.

The text for an agent is the claim with its citation, then what must be said beside it (a dispute, a successor), then the causal
chain, a line a step. Exactly this text is counted, by the tokenizer of the model in use; only without a model by estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from ebbtide.memory.ports import Embedder
from ebbtide.memory.states import Lang
from ebbtide.parse.text import estimate_tokens
from ebbtide.recall import compose
from ebbtide.recall.budget import Priced, Taken

CUT = "…"


@dataclass(frozen=True, slots=True)
class Counting:
    """How tokens are counted. `tokens`: those of a text with the line break that ends it, so that those of a packet add up."""

    count: Callable[[str], int]
    by: Literal["tokenizer", "estimate"]

    def tokens(self, text: str) -> int:
        """Tokens of an item in a packet."""
        return self.count(text + "\n")


def counting(embedder: Embedder | None) -> Counting:
    """The tokenizer of the model in use, else the estimate."""
    if embedder is None:
        return Counting(estimate_tokens, "estimate")
    return Counting(lambda text: embedder.count_tokens([text])[0], "tokenizer")


@dataclass(slots=True)
class Draft:
    """An item before the budget. `item` is what the API will say of it, but for `inject`, `text`, `chain` and `tokens`.

    `short` is what stays of it where room is scarce: its fact or quote. `marks` are what must be said beside it: (the words
    they are about, the mark); without such words the mark is about all of it.
    """

    item: dict[str, Any]
    kind: str
    """Kind of its vector: facts or passages."""
    label: int
    lang: Lang
    text: str
    short: str
    trigger: str | None = None
    action: str | None = None
    marks: list[tuple[str, str]] = field(default_factory=list)
    chain: list[Mapping[str, Any]] = field(default_factory=list)

    def whole(self) -> str:
        """Everything, with the causal chain."""
        return "\n".join([self.plain(), *map(compose.chain_line, self.chain)])

    def plain(self) -> str:
        """The same without the chain."""
        return self._marked(self.text, self.text, self.trigger, self.action)

    def brief(self, length: int | None = None) -> str:
        """The fact or quote alone, or so many characters of it."""
        return self._marked(self.cut(length), self.short)

    def cut(self, length: int | None) -> str:
        """The first characters of the fact or quote; a cut is shown as one."""
        if length is None or length >= len(self.short):
            return self.short
        return self.short[:length].rstrip() + CUT

    def _marked(self, text: str, of: str, trigger: str | None = None, action: str | None = None) -> str:
        """A claim and its marks; those of a claim that was cut stay."""
        item = self.item
        said = compose.inject(trigger, action, text, item["note"], item["line"], item["as_of"], self.lang)
        return " ".join([said, *(mark for about, mark in self.marks if not about or about in of)])


def priced(index: int, draft: Draft, by: Counting) -> Priced:
    """A draft as the budget sees it."""
    item = draft.item
    plain = by.tokens(draft.plain())
    return Priced(
        index,
        item["score"],
        item["note"],
        item["line"],
        item["line"] + draft.text.count("\n"),
        item["quote"],
        whole=by.tokens(draft.whole()) if draft.chain else plain,
        brief=cache(lambda: (by.tokens(draft.brief()), by.tokens(draft.brief(1)))),
        plain=plain if draft.chain else None,
    )


def finished(draft: Draft, taken: Taken, by: Counting) -> dict[str, Any]:
    """The item in the form in which it was taken, with what that costs: never more than the budget gave it."""
    text, said, tokens = draft.text, draft.plain(), taken.tokens
    if taken.form == "whole":
        said = draft.whole()
    elif taken.form == "short":
        text, said = draft.short, draft.brief()
    elif taken.form == "cut":
        length = _longest(draft, taken.tokens, by)
        text, said = draft.cut(length), draft.brief(length)
        tokens = by.tokens(said)
    chain = [dict(step) for step in draft.chain] if taken.form == "whole" else []
    return {**draft.item, "text": text, "inject": said, "chain": chain, "tokens": tokens}


def _longest(draft: Draft, room: int, by: Counting) -> int:
    """The most characters of the fact or quote that fit; one always does. A longer text may count less: what fits is tried."""
    fits, over = 1, len(draft.short)
    while over - fits > 1:
        middle = (fits + over) // 2
        if by.tokens(draft.brief(middle)) <= room:
            fits = middle
        else:
            over = middle
    return fits
