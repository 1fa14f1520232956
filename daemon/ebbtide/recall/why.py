"""Causal chains: which notes, in which order, say why something is so, or what came of it. Pure; the graph is a port.

A chain starts at a note that the question is about and follows edges in the direction asked. Backwards means from an
effect to its ground: A causes B is walked from B to A, B depends_on A likewise, A supersedes B from the new to the old.
Forwards is the other way round. Mentions carry no direction of their own, so they are walked both ways, but only where
nothing typed goes on, and a chain of mentions alone is a path, not a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ebbtide.memory.ports import LinkGraph, Step

Direction = Literal["back", "forward"]
Nearness = Callable[[Sequence[int]], Mapping[int, float]]
"""How near files are to the question, 0 to 1, by file row; those it knows nothing of are left out."""
Visible = Callable[[Collection[int]], Collection[int]]
"""Which of these files may be shown: indexed notes, not dated after the day asked about."""

_GROUND_AHEAD: Final[Mapping[str, bool]] = {
    "causes": False,
    "supports": False,
    "depends_on": True,
    "supersedes": True,
    "contradicts": True,
}
"""Types that carry a reason, and whether the edge leads from the effect to its ground."""


@dataclass(frozen=True, slots=True)
class Walking:
    """The constants of chains; config section `why`."""

    hops: int = 4
    types: Mapping[str, float] = field(
        default_factory=lambda: {
            "causes": 1.0,
            "depends_on": 0.95,
            "supersedes": 0.95,
            "supports": 0.8,
            "contradicts": 0.7,
            "part_of": 0.3,
            "mentioned": 0.4,
        }
    )
    weak: float = 0.5
    """A weak edge counts this share."""
    against: float = 0.7
    """A mention walked from the mentioned note to the one that mentions it counts this share."""
    branches: int = 5
    """Edges looked at from each note."""
    mentions: int = 4
    """Mentions looked at from each note that nothing typed leads on from."""
    least: float = 0.002
    """A chain whose steps multiply to less is not followed."""
    subject: float = 0.35
    """What a start is worth without any chain, beside the worth of a chain."""
    near: float = 0.5
    """What a note's own nearness to the question adds to a step into it."""
    crowd: int = 60
    """A note with more neighbours than this is nobody's reason: mentions are not followed through it."""
    light: float = 0.6
    """Nor are they into a note that carries less than this: an index, a daily note, a hub."""
    sure: float = 0.3
    """Nor is a mention less sure than this: one that its sentence quotes, denies or supposes."""
    compared: int = 100
    """Of the notes that one leads to, so many are compared with the question: the strongest."""


@dataclass(frozen=True, slots=True)
class Chain:
    """File rows in order, the steps between them (one fewer), and what the chain is worth."""

    files: tuple[int, ...]
    steps: tuple[Step, ...] = ()
    worth: float = 0.0

    @property
    def typed(self) -> int:
        """Steps that state a relation with a reason in it."""
        return sum(reasoned(step) for step in self.steps)


def reasoned(step: Step) -> bool:
    """True for a step over an edge whose type carries a reason."""
    return step.type in _GROUND_AHEAD


def leads(step: Step, direction: Direction) -> bool:
    """Whether a step goes the way that is asked for. A type without a reason in it goes both ways."""
    ahead = _GROUND_AHEAD.get(step.type)
    return ahead is None or step.outward == (ahead if direction == "back" else not ahead)


class Walker:
    """Finds chains in one picture of the graph, for one question."""

    def __init__(
        self,
        graph: LinkGraph,
        direction: Direction,
        *,
        visible: Visible,
        nearness: Nearness,
        settings: Walking | None = None,
    ) -> None:
        self.graph, self.direction = graph, direction
        self.settings = settings or Walking()
        self._visible, self._nearness = visible, nearness
        self._near: dict[int, float] = {}
        self._shown: dict[int, bool] = {}
        self._onward: dict[int, tuple[tuple[Step, float], ...]] = {}

    def best(self, starts: Sequence[tuple[int, float]]) -> Chain | None:
        """The best chain from any of the starts: (file, relevance), best first. None if nothing leads on from any."""
        found: tuple[float, Chain] | None = None
        for start, relevance in starts:
            for chain in self.chains(start):
                worth = relevance * (self.settings.subject + chain.worth) * (1.0 if chain.typed else 0.5)
                if found is None or worth > found[0] + 1e-12:
                    found = (worth, chain)
        return found[1] if found is not None else None

    def chains(self, start: int) -> Iterator[Chain]:
        """Every chain from a start that cannot be made longer, and none that comes back to a note it has passed."""
        stack: list[tuple[Chain, float]] = [(Chain((start,)), 1.0)]
        while stack:
            chain, kept = stack.pop()
            ended = True
            if len(chain.steps) < self.settings.hops:
                for step, strength in self._steps(chain):
                    left = kept * strength
                    if left < self.settings.least:
                        continue
                    ended = False
                    near = 1.0 + self.settings.near * self._near.get(step.other, 0.0)
                    longer = Chain((*chain.files, step.other), (*chain.steps, step), chain.worth + left * near)
                    stack.append((longer, left))
            if ended and chain.steps:
                yield chain

    def beside(self, chain: Chain, most: int = 5) -> list[Step]:
        """Further grounds of the notes on a chain, best first: what a person would ask about next."""
        passed = set(chain.files)
        found: dict[int, tuple[float, Step]] = {}
        for place, file in enumerate(chain.files):
            for step, strength in self.onward(file):
                value = strength / (1 + place)
                if step.other not in passed and reasoned(step) and value > found.get(step.other, (0.0,))[0]:
                    found[step.other] = (value, step)
        return [step for _, step in sorted(found.values(), key=lambda item: (-item[0], item[1].other))[:most]]

    def onward(self, file: int) -> tuple[tuple[Step, float], ...]:
        """The steps that go on from a file in the direction asked, with what each keeps: the best one to each other file."""
        known = self._onward.get(file)
        if known is None:
            known = self._onward[file] = self._look(file)
        return known

    def _steps(self, chain: Chain) -> list[tuple[Step, float]]:
        """What may follow a chain: typed steps; mentions where there are none, once at the end of a typed chain.

        From a reason over a mere link to another reason is a change of subject: "the meeting, attended by Ann, who once said".
        """
        passed = set(chain.files)
        open_ = [(step, strength) for step, strength in self.onward(chain.files[-1]) if step.other not in passed]
        if chain.typed and not reasoned(chain.steps[-1]):
            return []
        typed = [found for found in open_ if reasoned(found[0])]
        if typed:
            return typed[: self.settings.branches]
        if chain.typed:
            open_ = [found for found in open_ if found[0].type == "mentioned"]
        return open_[: self.settings.mentions]

    def _look(self, file: int) -> tuple[tuple[Step, float], ...]:
        crowded = self.graph.degree(file) > self.settings.crowd
        best: dict[int, tuple[Step, float]] = {}
        for step in self.graph.steps(file):
            if not leads(step, self.direction):
                continue
            if not reasoned(step) and (crowded or self._slight(step.other) or not self.holds(step)):
                continue
            strength = self._strength(step)
            held = best.get(step.other)
            # A relation in so many words says more than any number of mentions of the same note.
            if held is None or _rank(step, strength) > _rank(*held):
                best[step.other] = (step, strength)
        self._learn(sorted(best, key=lambda other: (-best[other][1], other)))
        shown = [found for other, found in best.items() if self._shown[other]]
        shown.sort(key=lambda found: (-found[1] * (1 + self._near.get(found[0].other, 0.0)), found[0].other))
        return tuple(shown)

    def holds(self, step: Step) -> bool:
        """False for a mention that its sentence takes back."""
        return step.type != "mentioned" or step.confidence >= self.settings.sure

    def _slight(self, file: int) -> bool:
        return self.graph.light(file) < self.settings.light

    def _strength(self, step: Step) -> float:
        types = self.settings.types
        share = types.get(step.type, types["mentioned"])
        if not reasoned(step) and not step.outward:
            share *= self.settings.against
        if step.type != "mentioned":
            share *= step.confidence
        return share * (1.0 if step.strong else self.settings.weak) * self.graph.light(step.other)

    def _learn(self, files: Sequence[int]) -> None:
        """Ask once for each file whether it may be shown, and how near the first of them are to the question."""
        fresh = [file for file in files if file not in self._shown]
        if fresh:
            shown = set(self._visible(fresh))
            self._shown.update((file, file in shown) for file in fresh)
            self._near.update(self._nearness([file for file in fresh if file in shown][: self.settings.compared]))


def _rank(step: Step, strength: float) -> tuple[bool, float, str, bool]:
    """What is taken of several edges between two notes; between equals the names decide, not the order of the edges."""
    return reasoned(step), strength, step.type, step.outward


def superseded_by(graph: LinkGraph, file: int, visible: Visible) -> int | None:
    """The note that says it takes this one's place, if one does; of several the first by row."""
    later = sorted(step.other for step in graph.steps(file) if step.type == "supersedes" and not step.outward)
    shown = set(visible(later)) if later else set()
    return next((other for other in later if other in shown), None)
