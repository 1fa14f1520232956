"""How healthy the core is, as figures; each says what it counts, or why it is not defined. Pure; algorithms.md B.9.

Every figure here can be raised without anything getting better (links for their own sake raise coherence, an index makes all
ways short): they are shown as trends and nothing is decided by them. What was merely shown refreshes nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

from ebbtide.memory.heat import WEIGHTS, Event, days_between
from ebbtide.memory.states import Lang

WINDOW: Final = 30
"""Days in which a core memory must have been met to be fresh, and over which distillation is counted."""
YOUNG: Final = 7
"""Days in which a new memory could not have been met yet; it is left out."""
EXACT: Final = 2000
"""Up to so many linked memories, distances are taken from every one; beyond, from `SOURCES` that `SEED` draws."""
SOURCES: Final = 256
SEED: Final = 20261130

UNDEFINED: Final[Mapping[str, Mapping[Lang, str]]] = {
    "empty": {"en": "there is no core memory yet", "zh": "还没有核心记忆"},
    "one": {"en": "there is only one core memory", "zh": "只有一条核心记忆"},
    "young": {"en": "every core memory is younger than 7 days", "zh": "核心记忆都还不到 7 天"},
    "no-edges": {"en": "no core memory links to another", "zh": "核心记忆之间还没有链接"},
    "no-promotion": {"en": "nothing was promoted in 30 days", "zh": "30 天内没有提升任何记忆"},
    "not-kept": {"en": "what was shown is not kept", "zh": "展示记录没有保存"},
}
"""Why a figure is not defined, by its code."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure. `k` of `n` where it is a share; `value` None where it is not defined, and then `why` is a key of UNDEFINED."""

    value: float | None
    k: int | None = None
    n: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Core:
    """A core memory as the figures see it.

    `born`: the day it was made (ISO), None if unknown. `events`: what a person did with it. `linked`: days of the person's
    notes that link to it. `wrong`: called wrong and not confirmed since. `unsupported`: it does not rest on what it must.
    `shown`: an answer brought it in the last 30 days; None where that is not kept.
    """

    id: str
    born: str | None = None
    events: tuple[Event, ...] = ()
    linked: tuple[str, ...] = ()
    wrong: bool = False
    unsupported: bool = False
    shown: bool | None = None


@dataclass(frozen=True, slots=True)
class Moves:
    """What became of core memories in the window, by number: what came in, and what made the core smaller or denser."""

    promoted: int = 0
    merged: int = 0
    compressed: int = 0
    retired: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A resolved link between two core memories, by id, whichever way; `typed`: it says how they hang together."""

    a: str
    b: str
    typed: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """All that the figures are computed from. `waiting`: the days on which the open contradictions came up."""

    cores: tuple[Core, ...] = ()
    edges: tuple[Edge, ...] = ()
    moves: Moves = field(default_factory=Moves)
    waiting: tuple[str, ...] = ()


def figures(state: State, today: str) -> dict[str, Figure]:
    """Every figure by name. `today` is the local day (ISO)."""
    cores = state.cores
    steps, largest, inside = reachability([core.id for core in cores], state.edges)
    return {
        "freshness": freshness(cores, today),
        "shown_only": shown_only(cores, today),
        "coherence": coherence(cores, state.edges),
        "coherence_typed": coherence(cores, [edge for edge in state.edges if edge.typed]),
        "steps": steps,
        "largest": largest,
        "inside": inside,
        "distillation": distillation(state.moves),
        "pollution": pollution(cores),
        "backlog": backlog(state.waiting, today),
        "core": Figure(float(len(cores))),
    }


def met(core: Core, today: str) -> bool:
    """True if a person confirmed, opened or edited it, or a note of theirs began to link to it, within the window."""
    days = [event.day for event in core.events if event.kind in WEIGHTS]
    first = (date.fromisoformat(today[:10]) - timedelta(days=WINDOW)).isoformat()
    return any(first < day[:10] <= today[:10] for day in (*days, *core.linked) if len(day) >= 10)


def _grown(cores: Sequence[Core], today: str) -> list[Core]:
    ages = ((core, days_between(core.born, today)) for core in cores)
    return [core for core, age in ages if age is None or age >= YOUNG]


def _share(k: int, n: int) -> Figure:
    return Figure(k / n, k, n)


def freshness(cores: Sequence[Core], today: str) -> Figure:
    """Share of the core that was met in 30 days; what is younger than 7 days is left out."""
    counted = _grown(cores, today)
    if not counted:
        return Figure(None, why="young" if cores else "empty")
    return _share(sum(met(core, today) for core in counted), len(counted))


def shown_only(cores: Sequence[Core], today: str) -> Figure:
    """Share of the same memories that was only shown: beside freshness, never in it."""
    counted = _grown(cores, today)
    if not counted:
        return Figure(None, why="young" if cores else "empty")
    if any(core.shown is None for core in counted):
        return Figure(None, why="not-kept")
    return _share(sum(bool(core.shown) and not met(core, today) for core in counted), len(counted))


def _pairs(idents: Collection[str], edges: Iterable[Edge]) -> set[tuple[str, str]]:
    known = set(idents)
    return {
        (min(edge.a, edge.b), max(edge.a, edge.b))
        for edge in edges
        if edge.a != edge.b and edge.a in known and edge.b in known
    }


def coherence(cores: Sequence[Core], edges: Iterable[Edge]) -> Figure:
    """Share of the core with a link to or from another core memory. Not defined below two."""
    if len(cores) < 2:
        return Figure(None, why="one" if cores else "empty")
    tied = {ident for pair in _pairs([core.id for core in cores], edges) for ident in pair}
    return _share(len(tied), len(cores))


def reachability(idents: Sequence[str], edges: Iterable[Edge]) -> tuple[Figure, Figure, Figure]:
    """(steps, largest, inside): 1 / global efficiency, whatever the direction of a link; the share of the largest part that
    hangs together; the mean steps between two memories within it. Not defined below two memories or without a link."""
    order = sorted(set(idents))
    pairs = _pairs(order, edges)
    if len(order) < 2 or not pairs:
        why = "empty" if not order else "one" if len(order) < 2 else "no-edges"
        return Figure(None, why=why), Figure(None, why=why), Figure(None, why=why)
    beside: dict[str, list[str]] = {ident: [] for ident in order}
    for a, b in sorted(pairs):
        beside[a].append(b)
        beside[b].append(a)
    giant = _largest(beside)
    tied = [ident for ident in order if beside[ident]]  # the others reach nothing, so a sample leaves them out
    sources = _drawn(tied)
    inner = [ident for ident in sources if ident in giant]
    if len(inner) < SOURCES // 4:  # too few to speak for the largest part
        inner = _drawn(sorted(giant))
    layers = {source: _layers(beside, source) for source in {*sources, *inner}}
    gained = sum(count / depth for source in sources for depth, count in layers[source].items()) / len(sources)
    efficiency = gained * len(tied) / (len(order) * (len(order) - 1))
    walked = sum(depth * count for source in inner for depth, count in layers[source].items())
    reached = sum(count for source in inner for count in layers[source].values())
    steps = Figure(1 / efficiency)
    return steps, _share(len(giant), len(order)), Figure(walked / reached)


def _drawn(order: Sequence[str]) -> list[str]:
    """All, or the same sample of them every time."""
    if len(order) <= EXACT:
        return list(order)
    return sorted(order, key=lambda ident: (hashlib.blake2b(f"{SEED}:{ident}".encode()).digest(), ident))[:SOURCES]


def _layers(beside: Mapping[str, Sequence[str]], source: str) -> Counter[int]:
    """How many are one step away, how many two, and so on."""
    seen, front, depth = {source}, [source], 0
    found: Counter[int] = Counter()
    while front:
        depth += 1
        following = []
        for ident in front:
            for other in beside[ident]:
                if other not in seen:
                    seen.add(other)
                    following.append(other)
        if following:
            found[depth] = len(following)
        front = following
    return found


def _largest(beside: Mapping[str, Sequence[str]]) -> set[str]:
    """The largest part that hangs together; of equal ones that with the first name."""
    best: set[str] = set()
    left = dict.fromkeys(beside)
    while left:
        start = next(iter(left))
        part, front = {start}, [start]
        while front:
            for other in beside[front.pop()]:
                if other not in part:
                    part.add(other)
                    front.append(other)
        for ident in part:
            left.pop(ident, None)
        if len(part) > len(best):
            best = part
    return best


def distillation(moves: Moves) -> Figure:
    """What made the core smaller or denser against what was promoted, in 30 days; above 1 it is boiled down."""
    if not moves.promoted:
        return Figure(None, why="no-promotion")
    gone = moves.merged + moves.compressed + moves.retired
    return Figure(gone / moves.promoted, gone, moves.promoted)


def pollution(cores: Sequence[Core]) -> Figure:
    """Share of the core that was called wrong, or does not rest on what it must."""
    if not cores:
        return Figure(None, why="empty")
    return _share(sum(core.wrong or core.unsupported for core in cores), len(cores))


def backlog(waiting: Iterable[str], today: str) -> Figure:
    """Contradictions that nobody has decided for more than a day."""
    ages = [days_between(day, today) for day in waiting]
    return Figure(float(sum(age is not None and age > 1 for age in ages)))
