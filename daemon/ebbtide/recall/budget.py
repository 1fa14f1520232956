"""A token budget over scored items. Pure.

Greedy by score: what does not fit is passed over and the next tried (`skip`), or ends the packet (`stop`). The best item is
always in, cut to its quote if need be. One note may take at most two fifths of the budget, so that one long note cannot be
the whole answer; an item whose quote lies inside one already chosen says nothing new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Priced:
    """An item as the budget sees it: what it costs, what it is worth, where it lies (line span in a note)."""

    index: int
    score: float
    tokens: int
    note: str
    first: int
    last: int
    quote: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The constants of the budget; config section `recall`."""

    tokens: int = 6000
    items: int = 8
    note_share: float = 0.4
    floor_share: float = 0.5
    mode: str = "skip"


def choose(items: Sequence[Priced], limits: Limits) -> list[int]:
    """Indices of the chosen items, best first. Items come in any order; ties are settled by index."""
    order = sorted(items, key=lambda item: (-item.score, item.index))
    chosen: list[Priced] = []
    spent = 0
    per_note: dict[str, int] = {}
    for item in order:
        if len(chosen) >= limits.items or (chosen and item.score < limits.floor_share * chosen[0].score):
            break
        if any(_repeats(item, other) for other in chosen):
            continue
        used = per_note.get(item.note, 0)
        fits = spent + item.tokens <= limits.tokens
        if chosen and (not fits or (used and used + item.tokens > limits.note_share * limits.tokens)):
            if limits.mode == "stop" and not fits:
                break
            continue
        chosen.append(item)
        spent += min(item.tokens, limits.tokens)
        per_note[item.note] = used + item.tokens
    return [item.index for item in chosen]


def _repeats(item: Priced, other: Priced) -> bool:
    return item.note == other.note and (
        (item.first <= other.last and other.first <= item.last) or item.quote == other.quote
    )
