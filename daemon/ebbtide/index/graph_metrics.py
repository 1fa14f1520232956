"""Figures about the whole graph, computed in a process of their own: igraph would hold up every answer for seconds.

`python -m ebbtide.index.graph_metrics` is that process: the edges come in over stdin (see `_HEAD`), one JSON object goes out.
It ends when its stdin closes, so also when the daemon is killed. `GraphMetrics` starts it, keeps its answer with the
version of the graph, and never runs two at once.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import math
import os
import random
import struct
import subprocess
import sys
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ebbtide.index.graph import Graph, load_igraph

log = logging.getLogger(__name__)

EXACT_BELOW = 2000
"""Up to so many vertices distances are taken from every one; beyond, from `SOURCES` drawn with `SEED`."""
SOURCES, SEED = 200, 20261130
CENTRAL = 10
TIMEOUT = 300.0
"""Seconds after which the process is given up; 100,000 edges take some three."""
REST = 30.0
"""Seconds between the end of one computation and the start of the next, however often the graph changes."""
_HEAD = struct.Struct("=qq")
"""Numbers of vertices and edges; then follow all starts and all ends as int32, in the byte order of the machine."""


@dataclass(frozen=True, slots=True)
class MetricsReport:
    """What is known now. `values` belong to the graph of `version` (0: none yet); `fresh` if that is the newest graph.

    `values`: vertices, edges, pairs (linked, parallel edges once), isolated, components, giant_share (of the vertices, 0..1),
    efficiency (global, 0..1), steps (1 / efficiency; null: not defined), mean_distance (within the giant component),
    sampled (distances from a sample), central (file rows by PageRank, best first). A figure that is not defined is null.
    `reason` says why the last computation gave nothing.
    """

    version: int = 0
    values: Mapping[str, Any] | None = None
    fresh: bool = False
    computing: bool = False
    reason: str = ""


# --- in the daemon --------------------------------------------------------------------------------------------------


class GraphMetrics:
    """The figures of the newest graph, computed behind when they are asked for. Safe from any thread."""

    def __init__(self, current: Callable[[], Graph], *, timeout: float = TIMEOUT, rest: float = REST) -> None:
        self._current, self._timeout, self._rest = current, timeout, rest
        self._lock = threading.Lock()
        self._report = MetricsReport()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._failed = 0
        """The version that gave nothing."""
        self._next = 0.0
        self._closed = False

    def report(self, wait: float = 0.0) -> MetricsReport:
        """What is known, at once, or up to `wait` seconds later if something is still to be computed for the newest graph."""
        graph = self._current()
        until = time.monotonic() + wait
        while thread := self._start(graph, hurry=wait > 0):
            left = until - time.monotonic()
            if left <= 0:
                break
            thread.join(left)
        with self._lock:
            fresh = self._report.values is not None and self._report.version == graph.version
            return replace(self._report, fresh=fresh, computing=self._running() is not None)

    @property
    def pid(self) -> int | None:
        """The process at work, if any."""
        process = self._process
        return None if process is None else process.pid

    def close(self) -> None:
        """End the process; nothing is started any more."""
        with self._lock:
            self._closed = True
            self._kill()
            thread = self._running()
        if thread is not None:
            thread.join(timeout=10)

    def _running(self) -> threading.Thread | None:
        return self._thread if self._thread is not None and self._thread.is_alive() else None

    def _start(self, graph: Graph, *, hurry: bool) -> threading.Thread | None:
        """The thread at work, started if there is anything to do; None if there is nothing to wait for."""
        with self._lock:
            if running := self._running():
                return running
            known = self._report.version == graph.version and self._report.values is not None
            early = time.monotonic() < self._next and (not hurry or self._failed == graph.version)
            if known or early or self._closed:
                return None
            self._thread = threading.Thread(target=self._compute, args=(graph,), name="ebbtide-metrics", daemon=True)
            self._thread.start()
            return self._thread

    def _compute(self, graph: Graph) -> None:
        try:
            values = self._ask(graph)
        except (OSError, ValueError) as error:
            log.warning("no figures of the graph: %s", error)
            with self._lock:
                self._report = replace(self._report, reason=f"The figures could not be computed: {error}.")
                self._failed, self._next = graph.version, time.monotonic() + self._rest
            return
        values["central"] = [graph.rows[number] for number in values["central"]]
        with self._lock:
            self._report = MetricsReport(graph.version, values)
            self._failed, self._next = 0, time.monotonic() + self._rest

    def _ask(self, graph: Graph) -> dict[str, Any]:
        starts, ends = graph.ends()
        head = _HEAD.pack(len(graph), graph.size)
        with self._lock:
            if self._closed:
                raise OSError("the daemon ends")
            process = self._process = subprocess.Popen(
                # -P: the current folder may be a vault, and nothing in a vault is run
                [sys.executable, "-P", "-m", "ebbtide.index.graph_metrics"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._kill()

        timer = threading.Timer(self._timeout, give_up)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            with contextlib.suppress(BrokenPipeError):  # its exit code says more
                for part in (head, starts, ends):
                    process.stdin.write(part)
                process.stdin.flush()  # left open: closed, it tells the process that nobody waits for it
            answer = process.stdout.read()
            code = process.wait()
        finally:
            timer.cancel()
            with self._lock:
                self._kill()
                self._process = None
        if late.is_set():
            raise ValueError(f"it took longer than {self._timeout:g} s")
        if code != 0:
            raise ValueError(f"the process ended with {code}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def _kill(self) -> None:
        process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None and threading.current_thread() is self._thread:
                    pipe.close()


def _environment() -> dict[str, str]:
    package = str(Path(__file__).parents[2])
    known = os.environ.get("PYTHONPATH")
    return dict(os.environ) | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, [package, known]))}


# --- in the process of its own --------------------------------------------------------------------------------------


def measure(vertices: int, starts: Sequence[int], ends: Sequence[int]) -> dict[str, Any]:
    """The figures of a graph given by the numbers of the vertices at both ends of each edge; `central` are such numbers."""
    igraph = load_igraph()
    pairs = sorted({(a, b) if a < b else (b, a) for a, b in zip(starts, ends, strict=True) if a != b})
    graph = igraph.Graph(vertices, pairs)
    parts = graph.connected_components().membership
    sizes = Counter(parts)
    giant_id, giant = max(sizes.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
    sources = _sources(range(vertices))
    insiders = [vertex for vertex in sources if parts[vertex] == giant_id]
    if len(insiders) < SOURCES // 4:  # too few to speak for the giant component
        insiders = list(_sources([vertex for vertex, part in enumerate(parts) if part == giant_id]))
    efficiency = mean = None
    if pairs:
        seen = {source: _layers(graph, source) for source in {*sources, *insiders}}
        efficiency = sum(n / d for s in sources for d, n in enumerate(seen[s], 1)) / (len(sources) * (vertices - 1))
        reached = sum(sum(seen[s]) for s in insiders)
        mean = _ratio(sum(n * d for s in insiders for d, n in enumerate(seen[s], 1)), reached)
    return {
        "vertices": vertices,
        "edges": len(starts),
        "pairs": len(pairs),
        "isolated": graph.degree().count(0),
        "components": len(sizes),
        "giant_share": _ratio(giant, vertices),
        "efficiency": _finite(efficiency),
        "steps": _ratio(1.0, efficiency),
        "mean_distance": _finite(mean),
        "sampled": vertices > EXACT_BELOW,
        "central": _central(igraph, vertices, starts, ends) if pairs else [],
    }


def _layers(graph: Any, source: int) -> list[int]:
    """How many vertices are one step away, how many two, and so on."""
    _, begins, _ = graph.bfs(source)
    return [after - before for before, after in itertools.pairwise(begins[1:])]


def _sources(vertices: Sequence[int]) -> Sequence[int]:
    if len(vertices) <= EXACT_BELOW:
        return vertices
    return random.Random(SEED).sample(vertices, SOURCES)  # noqa: S311 - the same sample every time


def _central(igraph: Any, vertices: int, starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """The vertices with most PageRank along the links; a link that is there twice counts once. Ties by number."""
    links = sorted({(a, b) for a, b in zip(starts, ends, strict=True) if a != b})
    ranks = igraph.Graph(vertices, links, directed=True).pagerank()
    order = sorted(range(vertices), key=lambda vertex: (-round(ranks[vertex], 12), vertex))
    linked = {end for pair in links for end in pair}
    return [vertex for vertex in order if vertex in linked][:CENTRAL]


def _ratio(part: float, whole: float | None) -> float | None:
    return _finite(part / whole) if whole else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _read(stdin: Any) -> tuple[int, array[int], array[int]]:
    vertices, edges = _HEAD.unpack(stdin.read(_HEAD.size))
    both: Iterable[array[int]] = (array("i", stdin.read(4 * edges)) for _ in range(2))
    starts, ends = both
    if len(starts) != edges or len(ends) != edges:
        raise ValueError("the edges were cut off")
    return vertices, starts, ends


def _end_with(stdin: Any) -> None:
    """End the process when nobody waits for it any more."""
    stdin.read()
    os._exit(1)


def main() -> int:
    """The process: edges from stdin, figures to stdout."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(10)
    graph = _read(sys.stdin.buffer)
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    sys.stdout.write(json.dumps(measure(*graph), allow_nan=False))
    sys.stdout.flush()
    os._exit(0)  # the thread sits on stdin, whose lock the interpreter would wait for


if __name__ == "__main__":
    main()
