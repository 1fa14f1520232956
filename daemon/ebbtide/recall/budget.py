"""A token budget over scored items, some of which belong together. Pure; algorithms.md B.6.

What is chosen is a unit: an item with all it requires (the other side of a dispute, the other half of a supersession). Of the
units left, the one with the greatest gain / cost^power is next, where gain is its score less what the chosen ones already say;
what does not fit is passed over (`skip`) or ends the packet (`stop`). The best unit is always in, so the packet is never
worth less than the best single item; if need be it is cut down, first to its facts and quotes, then within them. One note may
take at most `note_share` of the budget, the best unit excepted. The budget itself is never passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Form = Literal["whole", "plain", "short", "cut"]
Alike = Callable[[int, int], float]
"""How much two items (by index) say the same, at most 1."""


@dataclass(frozen=True, slots=True)
class Priced:
    """An item as the budget sees it: what it is worth, where it lies (line span in a note), the tokens of each of its forms.

    `whole` is everything; `plain` the same without its causal chain, None where it has none; `brief()` its fact or quote
    alone, and its citation with one character: to count these takes time, and only where room is scarce are they asked for.
    """

    index: int
    score: float
    note: str
    first: int
    last: int
    quote: str
    whole: int
    brief: Callable[[], tuple[int, int]]
    plain: int | None = None

    @property
    def short(self) -> int:
        """Its fact or quote alone."""
        return self.brief()[0]

    @property
    def least(self) -> int:
        """Its citation and one character."""
        return self.brief()[1]


@dataclass(frozen=True, slots=True)
class Taken:
    """A chosen item and the form it is shown in. `tokens` are those of the form; for "cut" the most it may take."""

    index: int
    form: Form
    tokens: int


@dataclass(frozen=True, slots=True)
class Limits:
    """The constants of the budget; config section `recall`."""

    tokens: int = 6000
    items: int = 8
    """At most so many; the best unit is whole even if it alone has more."""
    note_share: float = 0.4
    floor_share: float = 0.5
    mode: str = "skip"
    redundancy: float = 0.3
    cost_power: float = 0.3


def choose(
    items: Sequence[Priced],
    limits: Limits,
    requires: Mapping[int, Collection[int]] | None = None,
    alike: Alike | None = None,
) -> list[Taken]:
    """The chosen items by score, ties by index; empty only if not even the citations of the best unit fit.

    Items come in any order. `requires`: index -> indices without which it may not be shown; others than those of `items` do
    not count.
    """
    packing = _Packing({item.index: item for item in items}, limits, alike or (lambda *_: 0.0))
    units = _units(packing.items, requires or {})
    if not units:
        return []
    best = min(units, key=lambda unit: (-unit.score, len(unit.parts), unit.parts))
    if packing.force(best.parts):
        packing.fill(units, best.score)
    order = sorted(packing.taken, key=lambda index: (-packing.items[index].score, index))
    return [packing.taken[index] for index in order]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Items that are shown together or not at all. What an item merely needs lends it no worth: `score` is the item's own."""

    parts: tuple[int, ...]
    score: float


def _units(items: Mapping[int, Priced], requires: Mapping[int, Collection[int]]) -> list[_Unit]:
    """Each item with everything it requires, directly or not. Items that require each other are one unit."""
    found: dict[tuple[int, ...], float] = {}
    for index in sorted(items):
        unit, open_ = {index}, [index]
        while open_:
            more = {other for other in requires.get(open_.pop(), ()) if other in items} - unit
            unit |= more
            open_ += more
        parts = tuple(sorted(unit))
        found[parts] = max(found.get(parts, items[index].score), items[index].score)
    return [_Unit(parts, score) for parts, score in found.items()]


@dataclass(slots=True)
class _Packing:
    items: Mapping[int, Priced]
    limits: Limits
    alike: Alike
    taken: dict[int, Taken] = field(default_factory=dict)
    spent: int = 0
    per_note: Counter[str] = field(default_factory=Counter)
    said: dict[int, float] = field(default_factory=dict)
    """Of each item, how much of it the nearest of those taken says."""

    def force(self, unit: Sequence[int]) -> bool:
        """Take the best unit in the first form in which it fits. False: not even its citations do."""
        parts = [self.items[index] for index in unit]
        room = self.limits.tokens
        for form in ("whole", "plain", "short"):
            taken = [_in_form(part, form) for part in parts]
            if sum(one.tokens for one in taken) <= room:
                self._take(taken)
                return True
        squeezed = _squeezed(parts, room)
        self._take(squeezed)
        return bool(squeezed)

    def fill(self, units: Sequence[_Unit], best: float) -> None:
        """Take further units while they fit and are worth it."""
        open_ = [unit for unit in units if unit.score >= self.limits.floor_share * best]
        while len(self.taken) < self.limits.items:
            left = [(unit, rest) for unit in open_ if (rest := [i for i in unit.parts if i not in self.taken])]
            worth = [(self._worth(unit.score, rest), unit, rest) for unit, rest in left]
            worth = [found for found in worth if found[0] > 0.0]
            if not worth:
                return
            _, unit, rest = min(worth, key=lambda found: (-found[0], -found[1].score, found[1].parts))
            open_ = [other for _, other, _ in worth if other is not unit]
            taken = self._fitting(rest)
            if taken is None:
                if self.limits.mode == "stop":
                    return
            elif self._allowed(taken):
                self._take(taken)

    def _worth(self, score: float, rest: Sequence[int]) -> float:
        """Gain over cost, 0 where there is nothing to gain. A set says as much new as that of its parts which says most."""
        if all(self._repeated(index) for index in rest):
            return 0.0
        gain = score - self.limits.redundancy * min(self.said.get(index, 0.0) for index in rest)
        cost = max(1, sum(self.items[index].whole for index in rest))
        return float(max(0.0, gain) / cost**self.limits.cost_power)

    def _fitting(self, unit: Sequence[int]) -> list[Taken] | None:
        parts = [self.items[index] for index in unit]
        for form in ("whole", "plain"):
            taken = [_in_form(part, form) for part in parts]
            if self.spent + sum(one.tokens for one in taken) <= self.limits.tokens:
                return taken
        return None

    def _allowed(self, taken: Sequence[Taken]) -> bool:
        notes = self.per_note.copy()
        for one in taken:
            notes[self.items[one.index].note] += one.tokens
        most = self.limits.note_share * self.limits.tokens
        touched = {self.items[one.index].note for one in taken}
        return len(self.taken) + len(taken) <= self.limits.items and all(notes[note] <= most for note in touched)

    def _take(self, taken: Sequence[Taken]) -> None:
        for one in taken:
            self.taken[one.index] = one
            self.spent += one.tokens
            self.per_note[self.items[one.index].note] += one.tokens
            for other in self.items:
                if other not in self.taken:
                    self.said[other] = max(self.said.get(other, 0.0), self.alike(other, one.index))

    def _repeated(self, index: int) -> bool:
        return any(_repeats(self.items[index], self.items[other]) for other in self.taken)


def _in_form(part: Priced, form: Form) -> Taken:
    if form == "whole" or (form == "plain" and part.plain is None):
        return Taken(part.index, "whole", part.whole)
    if form == "plain" and part.plain is not None:
        return Taken(part.index, "plain", part.plain)
    return Taken(part.index, "short", part.short)


def _squeezed(parts: Sequence[Priced], room: int) -> list[Taken]:
    """Each part cut to an equal share of the room above what it takes at least; what one does not need the others get."""
    left = room - sum(part.least for part in parts)
    if left < 0:
        return []
    out = []
    order = sorted(parts, key=lambda part: (part.short - part.least, part.index))
    for waiting, part in zip(range(len(order), 0, -1), order, strict=True):
        given = min(max(0, part.short - part.least), left // waiting)
        left -= given
        form: Form = "short" if part.short <= part.least + given else "cut"
        out.append(Taken(part.index, form, part.short if form == "short" else part.least + given))
    return out


def _repeats(item: Priced, other: Priced) -> bool:
    return item.note == other.note and (
        (item.first <= other.last and other.first <= item.last) or item.quote == other.quote
    )
