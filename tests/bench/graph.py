"""`python -m tests.bench.graph [--edges N]`: the typed graph at 1,000, 10,000 and 100,000 edges, and the API meanwhile.

First the parts on a catalogue filled with made-up edges: a rebuild, one hop, a path, the figures of the worker process. Then the
daemon in a process of its own on a vault whose notes hold as many links, asked over HTTP while nothing runs, while its figures
are computed, and while its graph is made anew: the ratio of both was taken in one run.
"""

from __future__ import annotations

import argparse
import functools
import gc
import http.client
import json
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ebbtide.index.catalog import Catalog, FileRow, NewLink
from ebbtide.index.graph import Graph, GraphIndex, load_igraph
from ebbtide.index.graph_metrics import GraphMetrics

from .live import environment
from .phases import percentile

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 10_000, 100_000)
SEED = 20261130
TYPES = ("mentioned", "mentioned", "mentioned", "causes", "depends_on", "supersedes")
ASKED = 300
"""Hops and paths timed."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.graph", description="Benchmarks of the typed graph.")
    parser.add_argument("--edges", type=int, action="append", help="only so many; can be given again")
    parser.add_argument("--no-api", action="store_true", help="only the parts, no daemon")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.serve is not None:
        return _serve(args.serve)
    work = ROOT / ".bench" / "graph"
    shutil.rmtree(work, ignore_errors=True)
    sizes = args.edges or SIZES
    try:
        rows = [parts(size, work / str(size)) for size in sizes]
        print("\n".join(table("milliseconds", [f"{size:,} edges" for size in sizes], rows)))
        if not args.no_api:
            served = [api(size, work / f"api-{size}") for size in sizes]
            print("\n" + "\n".join(table("API, milliseconds", [f"{size:,} edges" for size in sizes], served)))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


def table(title: str, columns: Sequence[str], rows: Sequence[dict[str, str]]) -> list[str]:
    """One line a figure, one column a size."""
    lines = [f"{title:<52}" + "".join(f"{name:>24}" for name in columns)]
    return lines + [f"{key:<52}" + "".join(f"{row[key]:>24}" for row in rows) for key in rows[0]]


def drawn(edges: int) -> tuple[list[str], dict[int, list[int]]]:
    """Paths of the notes and, by note, those it links to: a third as many notes as links, a fifth of them alone."""
    dice, count = random.Random(SEED), edges // 3
    linked = [number for number in range(count) if number % 5]
    links: dict[int, list[int]] = {}
    for _ in range(edges):
        # Half of the links go to one note in twenty: hubs, as in a real vault.
        end = dice.choice(linked[::20]) if dice.random() < 0.5 else dice.choice(linked)
        links.setdefault(dice.choice(linked), []).append(end)
    return [f"Notes/{number % 97:02}/note {number:05}.md" for number in range(count)], links


# --- the parts --------------------------------------------------------------------------------------------------------


def parts(edges: int, folder: Path) -> dict[str, str]:
    """Rebuild, hop, path and figures on a catalogue of so many edges."""
    catalog = Catalog.open(folder / "catalog.sqlite")
    paths, links = drawn(edges)
    dice = random.Random(SEED)
    with catalog.write():
        rows = [
            catalog.put_file(FileRow(0, f"n_{n}", path, 1, 1, n, "d", "note", "indexed"))
            for n, path in enumerate(paths)
        ]
        for number, ends in links.items():
            made = [NewLink(paths[end], False, "x" * 350, dice.choice(TYPES), dice.random() < 0.3) for end in ends]
            catalog.put_links(rows[number], made, [])
    load_igraph()
    gc.collect()
    gc.freeze()  # as the daemon does: the collector does not look through the bench's own lists
    index = GraphIndex(catalog)
    whole = _best(lambda: (index.drop(), index.current()))
    stall = sorted(_longest_stall(lambda: (index.drop(), index.current())) for _ in range(5))
    still = sorted(_longest_stall(lambda: time.sleep(0.5)) for _ in range(5))
    held, files = list(catalog.graph_edges()), catalog.graph_files()
    picture = _best(lambda: Graph(files, held))
    graph = index.current()
    pairs = [(a, b) for a, b in zip(*graph.ends(), strict=True)]
    pure = _best(lambda: load_igraph().Graph(len(files), pairs, directed=True))
    stamp = _best(catalog.graph_stamp)
    hops = [_ms(lambda row=row: graph.steps(row)) for row in dice.choices(rows, k=ASKED)]
    found, ways = 0, []
    for _ in range(ASKED):
        ends_ = dice.choice(rows), dice.choice(rows)
        ways.append(_ms(lambda ends_=ends_: graph.path(*ends_, 4)))
        found += bool(graph.path(*ends_, 4))
    metrics = GraphMetrics(index.current)
    spent = _ms(lambda: metrics.report(wait=600))
    report = metrics.report()
    metrics.close()
    catalog.close()
    values = report.values or {}
    return {
        "rebuild from the catalogue": f"{whole:.1f}",
        "... without reading the catalogue": f"{picture:.1f}",
        "... igraph alone (holds the lock)": f"{pure:.2f}",
        "... longest wait of another thread: median / most": f"{stall[2]:.0f} / {stall[-1]:.0f}",
        "... the same at rest": f"{still[2]:.0f} / {still[-1]:.0f}",
        "nothing new to see": f"{stamp:.2f}",
        "one hop, p50 / p95": _spread(hops, 3),
        "path of at most 4, p50 / p95": _spread(ways, 2),
        "... pairs that have one": f"{found} of {ASKED}",
        "figures in the worker": f"{spent:.0f}",
        "... steps, giant share": f"{values.get('steps') or 0:.2f}, {values.get('giant_share') or 0:.3f}",
    }


def _ms(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) * 1000


def _longest_stall(work: Callable[[], object]) -> float:
    """Milliseconds between two ticks of a thread that wants to run every millisecond, at most, while something is done."""
    longest, done = [0.0], threading.Event()

    def tick() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            longest[0], last = max(longest[0], (now - last) * 1000), now

    thread = threading.Thread(target=tick)
    thread.start()
    work()
    done.set()
    thread.join()
    return longest[0]


def _best(work: Callable[[], object], times: int = 3) -> float:
    return min(_ms(work) for _ in range(times))


def _spread(values: Sequence[float], digits: int) -> str:
    return f"{percentile(values, 0.5):.{digits}f} / {percentile(values, 0.95):.{digits}f}"


# --- the API meanwhile ------------------------------------------------------------------------------------------------


def api(edges: int, work: Path, seconds: float = 4.0) -> dict[str, str]:
    """A vault of so many links, served; status and recall by keyword at rest, beside the worker, beside a rebuild."""
    paths, links = drawn(edges)
    vault = work / "vault"
    for number, path in enumerate(paths):
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        named = " and ".join(f"[[{Path(paths[end]).stem}]]" for end in links.get(number, []))
        file.write_text(f"# note {number:05}\n\nThe relay of shelf {number % 331} is near {named or 'nothing'}.\n")
    (work / "config.toml").write_text("[embed]\nenabled = false\n")
    with _Served(vault, work) as served:
        rest: Sequence[list[float]] = served.asked_during(lambda: time.sleep(seconds))
        figures = served.asked_during(lambda: served.tell("metrics", seconds))
        picture = served.asked_during(lambda: served.tell("rebuild", seconds))
        after = served.asked_during(lambda: time.sleep(seconds))
        rest = [before + later for before, later in zip(rest, after, strict=True)]
    out = {"edges in the graph": f"{served.size:,}"}
    for what, idle, a, b in zip(("status", "recall"), rest, figures, picture, strict=True):
        out[f"{what} at rest: p50 / p95 / longest"] = _three(idle)
        for name, values in (("figures", a), ("rebuilds", b)):
            out[f"{what} beside {name}"] = _three(values)
            ratio = (percentile(values, 0.5) or 0) / (percentile(idle, 0.5) or 1)
            out[f"{what} beside {name}: ratio of medians (answers)"] = f"{ratio:.2f} ({len(values)})"
    out["figures took, rebuild took"] = f"{served.said['metrics']:.0f}, {served.said['rebuild']:.0f}"
    return out


def _three(values: Sequence[float]) -> str:
    return f"{percentile(values, 0.5):.1f} / {percentile(values, 0.95):.1f} / {max(values):.1f}"


class _Served:
    """The daemon in a process of its own, told over its stdin what to do; asked over HTTP."""

    def __init__(self, vault: Path, work: Path) -> None:
        command = [sys.executable, "-m", "tests.bench.graph", "--serve", str(vault)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment(work), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.said: dict[str, float] = {}
        first = self._line()
        self.size = int(first["edges"])
        self._token = str(first["token"])
        self._connection = http.client.HTTPConnection("127.0.0.1", int(first["port"]), timeout=120)

    def __enter__(self) -> _Served:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def tell(self, what: str, seconds: float) -> None:
        """Order something, again and again for so many seconds, and wait until it is done."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what} {seconds}\n")
        self._process.stdin.flush()
        self.said[what] = float(self._line()["ms"])

    def asked_during(self, work: Callable[[], object]) -> tuple[list[float], list[float]]:
        """Milliseconds of every status and every recall, by turns, while something is done."""
        took: tuple[list[float], list[float]] = ([], [])
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive() or len(took[1]) < 3:
            took[0].append(self._ask("GET", "/v1/status"))
            words = f"relay of shelf {random.Random(len(took[1])).randrange(331)}"
            took[1].append(self._ask("POST", "/v1/recall", {"query": words, "limit": 5}))
            time.sleep(0.01)
        thread.join()
        return took

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> float:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        before = time.perf_counter()
        self._connection.request(method, path, json.dumps(body).encode() if body else None, headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:200]!r}")
        return (time.perf_counter() - before) * 1000

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the daemon ended with {self._process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found


def _serve(vault: Path) -> int:
    """The process behind `_Served`: the daemon, and figures or rebuilds on demand, for some seconds."""
    from ebbtide.daemon import Daemon
    from ebbtide.runtime import open_runtime
    from ebbtide.serve import pairing

    runtime = open_runtime(vault, read_only=False)
    daemon = Daemon(runtime)
    port = daemon.start(0)
    daemon.indexer.ready.wait(1800)
    while daemon.indexer.busy or runtime.graph.mark() != runtime.catalog.graph_stamp():
        time.sleep(0.1)
    print(
        json.dumps(
            {"port": port, "token": pairing.read_token(runtime.places.state), "edges": runtime.graph.current().size}
        ),
        flush=True,
    )
    for line in sys.stdin:
        what, seconds = line.split()
        spent, until = [], time.monotonic() + float(seconds)
        while len(spent) < 3 or time.monotonic() < until:
            spent.append(_ms(functools.partial(_do, daemon, what)))
        print(json.dumps({"ms": min(spent)}), flush=True)
    daemon.stop()
    return 0


def _do(daemon: Any, what: str) -> None:
    if what == "metrics":
        metrics = GraphMetrics(daemon.runtime.graph.current)
        assert metrics.report(wait=600).values is not None
        metrics.close()
        return
    done = threading.Event()

    def again() -> None:
        path = f"one more {time.monotonic_ns()}.md"  # something new to see
        daemon.runtime.catalog.put_file(FileRow(0, path, path, 1, 1, 1, "d", "note", "indexed"))
        assert daemon.runtime.graph.refresh()
        done.set()

    daemon.indexer.order(again)  # in the thread in which the daemon makes it
    assert done.wait(600)


if __name__ == "__main__":
    sys.exit(main())
