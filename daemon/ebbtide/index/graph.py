"""The typed graph: an immutable picture of the catalogue's edges in igraph, and who holds the newest one (ports.LinkGraph).

The only module that knows igraph (GPL-2.0-or-later), so that it can be replaced. Vertices are numbered by path and edges by
where they stand, so that the same vault gives the same graph whatever became of it before. igraph holds the interpreter's
lock while it works: only calls that look at a neighbourhood are made here; what looks at everything is `graph_metrics`.
"""

from __future__ import annotations

import math
import os
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Protocol

from ebbtide.index.rows import GraphEdge
from ebbtide.memory.ports import Step
from ebbtide.parse.note import note_name
from ebbtide.parse.note_kind import is_index_name, is_periodic_name

_Way = tuple[Any, ...]
"""Edges from the start on, as (the way before, its last edge); empty at the start."""
AT_ONCE = 2000
"""Edges taken over at a time."""
LEAST = 1e-6
"""A confidence is taken to be at least this, so that its logarithm is a number."""


@cache
def load_igraph() -> Any:
    """The library, with one thread: with OpenMP a PageRank spins for the second core and takes a hundred times as long.

    The setting is read when the library is loaded; it is taken back then, since it is not for others in this process.
    """
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        import igraph
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
    return igraph


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """How much of its weight a step keeps. All in (0, 1] but `hub_from`."""

    hub_from: int = 16
    """Distinct neighbours up to which a file is no hub. Beyond, its light is 1 / (1 + log2(neighbours / hub_from)):
    1/2 at twice as many, 1/4 at eight times, about 1/5 with 256."""
    listing: float = 0.5
    """Index notes (Home, MOC, README, 目录, ...) and daily or weekly notes keep this much besides: they list, they do not state."""
    weak: float = 0.5
    """A weak edge against a strong one, on a connecting path."""


def _slices(edges: Iterable[GraphEdge]) -> Iterator[list[GraphEdge]]:
    """Few at a time: whatever is done with all of them in one go holds the interpreter's lock, and their memory the collector."""
    edges = iter(edges)
    while part := list(islice(edges, AT_ONCE)):
        yield part


class GraphSource(Protocol):
    """What is read of the catalogue."""

    def graph_stamp(self) -> str:
        """Equal stamps, equal graphs."""

    def graph_files(self) -> list[tuple[int, str]]:
        """(row, path) of every vertex, by path."""

    def graph_edges(self) -> Iterable[GraphEdge]:
        """Every edge, in a fixed order."""


class Graph:
    """ports.LinkGraph over igraph. Immutable; safe from any thread. Parallel edges stay apart."""

    def __init__(
        self,
        files: Sequence[tuple[int, str]],
        edges: Iterable[GraphEdge],
        version: int = 1,
        settings: GraphSettings | None = None,
    ) -> None:
        """`files` are (row, path), `edges` as of `Catalog.graph_edges`; an edge to a file that is not among them is left out."""
        self.version = version
        self.rows: array[int] = array("q", [row for row, _ in files])
        """File rows by number of the vertex."""
        self._settings = settings or GraphSettings()
        self._paths = [path for _, path in files]
        self._number = {row: number for number, row in enumerate(self.rows)}
        self._starts, self._ends, self._types = array("i"), array("i"), array("i")
        self._links, self._confidences = array("q"), array("d")
        self._strong, self._declared = bytearray(), bytearray()
        names: dict[str, int] = {}
        pairs: list[tuple[int, int]] = []
        for part in _slices(edges):
            self._add(part, names, pairs)
        self._names = list(names)
        self._graph = load_igraph().Graph(len(self.rows), pairs, directed=True)
        self._degrees: dict[int, int] = {}

    def _add(self, part: Sequence[GraphEdge], names: dict[str, int], pairs: list[tuple[int, int]]) -> None:
        numbers = self._number
        kept = [edge for edge in part if edge[0] in numbers and edge[1] in numbers and edge[0] != edge[1]]
        if not kept:
            return
        starts, ends, links, types, strong, declared, confidences = zip(*kept, strict=True)
        at = len(self._starts)
        self._starts.extend(map(numbers.__getitem__, starts))
        self._ends.extend(map(numbers.__getitem__, ends))
        pairs.extend(zip(self._starts[at:], self._ends[at:], strict=True))
        self._links.extend(links)
        self._types.extend([names.setdefault(name, len(names)) for name in types])
        self._confidences.extend(confidences)
        self._strong.extend(map(bool, strong))
        self._declared.extend(map(bool, declared))

    def __len__(self) -> int:
        """Number of vertices."""
        return len(self.rows)

    @property
    def size(self) -> int:
        """Number of edges, parallel ones counted each."""
        return len(self._starts)

    def ends(self) -> tuple[array[int], array[int]]:
        """Numbers of the vertices at both ends of every edge; not to be changed."""
        return self._starts, self._ends

    def degree(self, file: int) -> int:
        """Number of distinct neighbours, either way."""
        vertex = self._number.get(file)
        return 0 if vertex is None else self._degree(vertex)

    def light(self, file: int) -> float:
        """What a step into this file keeps of its weight, in (0, 1]: hubs, index and daily notes carry less."""
        vertex = self._number.get(file)
        return 1.0 if vertex is None else self._light(vertex)

    def steps(self, file: int) -> Sequence[Step]:
        """Every edge at this file, both ways, by the path of the note that holds it and its place there."""
        vertex = self._number.get(file)
        return [] if vertex is None else [self._step(edge, vertex) for edge in self._edges_at(vertex)]

    def path(self, start: int, goal: int, most: int) -> Sequence[Step]:
        """The best connecting path of at most `most` steps, whatever the direction and type of its edges; empty if none.

        Best is the greatest product of confidence, weight and light of the files on the way. From goal to start it is the same
        path. The cost is that of the edges within `most` - 1 steps of the two ends and, of these, only on ways between them.
        """
        here, there = self._number.get(start), self._number.get(goal)
        if here is None or there is None or here == there or most < 1:
            return []
        turned = here > there
        edges = self._best(*((there, here) if turned else (here, there)), most)
        out, at = [], here
        for edge in reversed(edges) if turned else edges:
            out.append(self._step(edge, at))
            at = self._other(edge, at)
        return out

    # --- by number of vertex and edge ---------------------------------------------------------------------------------

    def _degree(self, vertex: int) -> int:
        known = self._degrees.get(vertex)
        if known is None:
            known = self._degrees[vertex] = len(set(self._graph.neighbors(vertex, mode="all")))
        return known

    def _light(self, vertex: int) -> float:
        settings, degree = self._settings, self._degree(vertex)
        light = 1.0 if degree <= settings.hub_from else 1.0 / (1.0 + math.log2(degree / settings.hub_from))
        name = note_name(self._paths[vertex])
        return light * settings.listing if is_index_name(name) or is_periodic_name(name) else light

    def _edges_at(self, vertex: int) -> list[int]:
        found: list[int] = self._graph.incident(vertex, mode="all")
        return sorted(found)

    def _other(self, edge: int, vertex: int) -> int:
        start = self._starts[edge]
        return start if start != vertex else self._ends[edge]

    def _step(self, edge: int, at: int) -> Step:
        return Step(
            other=self.rows[self._other(edge, at)],
            outward=self._starts[edge] == at,
            type=self._names[self._types[edge]],
            strong=bool(self._strong[edge]),
            declared=bool(self._declared[edge]),
            confidence=self._sure(edge),
            link=self._links[edge],
        )

    def _sure(self, edge: int) -> float:
        sure: float = self._confidences[edge]
        return min(1.0, max(LEAST, sure))

    def _cost(self, edge: int) -> float:
        return -math.log(self._sure(edge) * (1.0 if self._strong[edge] else self._settings.weak))

    def _best(self, start: int, goal: int, most: int) -> list[int]:
        """Edges of the cheapest way, by growing ways from the start step by step. Dijkstra alone knows no bound of steps."""
        half = most // 2
        met = set(self._graph.neighborhood(start, order=half, mode="all"))
        if met.isdisjoint(self._graph.neighborhood(goal, order=most - half, mode="all")):
            return []
        near = [set(self._graph.neighborhood(goal, order=order, mode="all")) for order in range(most)]
        cheapest: dict[int, float] = {start: 0.0, goal: math.inf}
        front: dict[int, tuple[float, _Way]] = {start: (0.0, ())}
        best: _Way = ()
        for left in range(most - 1, -1, -1):
            grown: dict[int, tuple[float, _Way]] = {}
            for vertex, (so_far, way) in front.items():
                cost = so_far - (math.log(self._light(vertex)) if way else 0.0)
                if cost >= cheapest[goal]:
                    continue
                for edge in self._edges_at(vertex):
                    other = self._other(edge, vertex)
                    if other not in near[left]:
                        continue
                    sum_ = cost + self._cost(edge)
                    if sum_ < cheapest[goal] and sum_ < cheapest.get(other, math.inf):
                        cheapest[other] = sum_
                        grown[other] = sum_, (way, edge)
            best = grown.pop(goal, (0.0, best))[1]
            front = grown
        edges: list[int] = []
        while best:
            best, edge = best
            edges.append(edge)
        return edges[::-1]


class GraphIndex:
    """Holds the newest picture. Asking for it never waits, but for the first one."""

    def __init__(self, source: GraphSource, settings: GraphSettings | None = None) -> None:
        self._source, self._settings = source, settings
        self._building = threading.Lock()
        self._held: tuple[Graph, str] | None = None
        self._versions = 0

    def current(self) -> Graph:
        """The newest picture; the first time it is asked for, it is made."""
        held = self._held
        if held is None:
            with self._building:
                held = self._held or self._build()
        return held[0]

    def mark(self) -> str:
        """What the picture was made from (`Catalog.graph_stamp`); empty before there is one."""
        held = self._held
        return "" if held is None else held[1]

    def refresh(self) -> bool:
        """Make a new picture if the catalogue holds other edges or files than the newest one shows; True if it did."""
        with self._building:
            if self._held is not None and self._held[1] == self._source.graph_stamp():
                return False
            self._build()
            return True

    def drop(self) -> None:
        """Forget the picture: its rows may mean other files now. Whoever asks next gets a new one."""
        with self._building:
            self._held = None

    def _build(self) -> tuple[Graph, str]:
        stamp = self._source.graph_stamp()  # first: what changes meanwhile is found by the next refresh
        edges = self._source.graph_edges()
        graph = Graph(self._source.graph_files(), edges, self._versions + 1, self._settings)
        self._versions += 1
        self._held = graph, stamp
        return self._held
