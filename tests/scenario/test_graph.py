"""The graph of a served vault: it follows what is saved, is made seldom, and its figures survive what becomes of their process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from ebbtide.index import graph_metrics, worker
from ebbtide.index.graph import Graph
from ebbtide.index.graph_metrics import GraphMetrics
from ebbtide.runtime import Runtime
from support import Place, rebuilt, settled, wait_until

NOTES = {
    "old relay.md": "# Old relay\n\nIt lost two days of work.\n",
    "new relay.md": "# New relay\n\nreplaces:: [[old relay]]\n\nSee [[field form]].\n",
    "field form.md": "# Field form\n\ncaused_by:: [[old relay]]\n",
    "board.canvas": '{"nodes": [{"id": "1", "type": "file", "file": "old relay.md"}, {"id": "2", "type": "file", "file":'
    ' "new relay.md"}], "edges": [{"id": "e", "fromNode": "1", "toNode": "2", "label": "causes"}]}',
    "pic.png": b"x",
}


def seen(runtime: Runtime, path: str) -> set[tuple[str, str, bool]]:
    """(other, type, outward) at a file, as the newest picture shows it."""
    names = dict(runtime.catalog.graph_files())
    row = runtime.catalog.file(path)
    steps = runtime.graph.current().steps(row.row) if row is not None else []
    return {(names.get(step.other, "?"), step.type, step.outward) for step in steps}


OLD_RELAY = {
    ("new relay.md", "supersedes", False),
    ("field form.md", "causes", True),
    ("new relay.md", "causes", True),
    ("board.canvas", "mentioned", False),
}


def test_a_command_sees_the_graph_of_what_is_there(place: Place) -> None:
    place.fill(NOTES)
    with place.opened(read_only=True) as service:
        assert seen(service.runtime, "old relay.md") == OLD_RELAY
        assert {name for name, _, _ in seen(service.runtime, "board.canvas")} == {"old relay.md", "new relay.md"}
        assert "pic.png" not in dict(service.runtime.catalog.graph_files()).values()


def test_ends_of_edges_of_a_board_that_move(place: Place) -> None:
    """With one end moved the board's edge waits for it; with the board changed as Obsidian changes it, it is there again."""
    place.fill(NOTES)
    runtime = place.open()
    try:
        runtime.catch_up()
        (place.vault / "A").mkdir()
        (place.vault / "old relay.md").rename(place.vault / "A/old relay.md")
        runtime.sync.apply(["old relay.md", "A/old relay.md"])
        assert runtime.graph.refresh()
        assert seen(runtime, "A/old relay.md") == OLD_RELAY - {("board.canvas", "mentioned", False)} - {
            ("new relay.md", "causes", True)
        }
        place.write("board.canvas", str(NOTES["board.canvas"]).replace("old relay.md", "A/old relay.md"))
        runtime.sync.apply(["board.canvas"])
        runtime.graph.refresh()
        assert seen(runtime, "A/old relay.md") == OLD_RELAY
        (place.vault / "board.canvas").rename(place.vault / "A/board.canvas")
        runtime.sync.apply(["board.canvas", "A/board.canvas"])
        runtime.graph.refresh()
        assert ("A/board.canvas", "mentioned", False) in seen(runtime, "A/old relay.md")
    finally:
        runtime.close()


def test_a_saved_link_and_a_note_that_is_kept_out_from_now_on(place: Place) -> None:
    place.fill(NOTES)
    with place.served() as daemon:
        wait_until(lambda: seen(daemon.runtime, "old relay.md") == OLD_RELAY, "the graph")
        before = daemon.runtime.graph.current().version
        place.write("new relay.md", "# New relay\n\nNothing is said any more.\n")
        fewer = {edge for edge in OLD_RELAY if edge[1] != "supersedes"}
        wait_until(lambda: seen(daemon.runtime, "old relay.md") == fewer, "the edge to go")
        assert daemon.runtime.graph.current().version > before
        # No link changes by this: the old relay holds none.
        place.write("old relay.md", "---\nmemory: false\n---\nIt lost two days of work.\n")
        wait_until(lambda: seen(daemon.runtime, "field form.md") == set(), "the note to leave the graph")


def test_many_saves_make_few_pictures(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a pause of an hour between pictures, what is saved after the first makes none until the pause is over."""
    monkeypatch.setattr(worker, "LINKS_EVERY", 3600.0)
    place.fill(NOTES)
    with place.served() as daemon:
        wait_until(lambda: seen(daemon.runtime, "old relay.md") == OLD_RELAY, "the graph")
        version = daemon.runtime.graph.current().version
        for number in range(5):
            place.write(f"n{number}.md", "[[old relay]]\n")
            wait_until(lambda name=f"n{number}.md": daemon.runtime.catalog.file(name), "the note")
        settled(daemon)
        assert daemon.runtime.graph.current().version == version
        assert len(place.ledger("links.jsonl")) == len(list(daemon.runtime.catalog.all_links())) - 5
        daemon.indexer._links_due = 0.0
        place.write("n5.md", "[[old relay]]\n")
        wait_until(lambda: len(seen(daemon.runtime, "old relay.md")) == len(OLD_RELAY) + 6, "the next picture")
        assert daemon.runtime.graph.current().version == version + 1


def test_a_catalogue_that_is_made_anew_shows_no_old_rows(place: Place) -> None:
    place.fill(NOTES)
    with place.served() as daemon:
        wait_until(lambda: seen(daemon.runtime, "old relay.md") == OLD_RELAY, "the graph")
        rebuilt(daemon, "all")
        wait_until(lambda: seen(daemon.runtime, "old relay.md") == OLD_RELAY, "the graph")


# --- figures ----------------------------------------------------------------------------------------------------------


def large() -> Graph:
    """A ring with which the process is busy for a good while."""
    from ebbtide.index.rows import GraphEdge

    size = 150_000
    edges = [GraphEdge(n, (n + 1) % size, n, "mentioned", 0, 0, 0.5) for n in range(size)]
    return Graph([(n, f"{n}.md") for n in range(size)], edges)


@pytest.fixture(scope="module")
def ring() -> Graph:
    return large()


def test_the_figures_of_a_served_vault(place: Place) -> None:
    place.fill(NOTES)
    with place.served() as daemon:
        wait_until(lambda: seen(daemon.runtime, "old relay.md") == OLD_RELAY, "the graph")
        first = daemon.runtime.graph_metrics()
        assert (first.values, first.fresh) == (None, False), "asked for at once, nothing is known"
        report = daemon.runtime.graph_metrics(wait=60)
        assert report.values is not None
        assert (report.values["vertices"], report.values["isolated"], report.values["components"]) == (4, 0, 1)
        assert report.version == daemon.runtime.graph.current().version
        place.write("alone.md", "word\n")
        wait_until(lambda: daemon.runtime.graph.current().version > report.version, "the next picture")
        stale = daemon.runtime.graph_metrics()
        assert (stale.values, stale.fresh) == (report.values, False), "what is known is given, and said to be old"
        fresh = daemon.runtime.graph_metrics(wait=60)
        assert fresh.values is not None
        assert (fresh.values["isolated"], fresh.fresh) == (1, True)


def test_a_process_that_is_killed_midway_is_a_reason_and_not_tried_at_once(ring: Graph) -> None:
    metrics = GraphMetrics(lambda: ring)
    assert metrics.report().computing
    pid = wait_until(lambda: metrics.pid, "the process")
    assert metrics.report().computing
    assert metrics.pid == pid, "never two at once"
    os.kill(pid, signal.SIGKILL)
    report = wait_until(lambda: (found := metrics.report()).reason and found, "the reason")
    assert (report.values, report.fresh) == (None, False)
    assert str(-signal.SIGKILL) in report.reason
    assert not metrics.report().computing
    assert metrics.pid is None
    metrics.close()


def test_a_process_that_takes_too_long_is_given_up(ring: Graph) -> None:
    metrics = GraphMetrics(lambda: ring, timeout=0.2)
    report = metrics.report(wait=60)
    assert "longer than 0.2 s" in report.reason
    assert report.values is None
    metrics.close()


def test_what_was_known_stays_after_a_failure_and_the_next_try_mends_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill(NOTES)
    runtime = place.open()
    try:
        runtime.catch_up()
        metrics = GraphMetrics(runtime.graph.current, rest=0.0)
        known = metrics.report(wait=60)
        place.write("alone.md", "word\n")
        runtime.sync.apply(["alone.md"])
        runtime.graph.refresh()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", str(place.base / "nowhere"))
            metrics.report()
            failed = wait_until(lambda: (found := metrics.report()).reason and found, "the reason")
            assert (failed.values, failed.version, failed.fresh) == (known.values, known.version, False)
        mended = metrics.report(wait=60)
        assert (mended.fresh, mended.reason) == (True, "")
        metrics.close()
    finally:
        runtime.close()


def test_the_process_ends_with_whoever_asked(ring: Graph) -> None:
    metrics = GraphMetrics(lambda: ring)
    metrics.report()
    process = psutil.Process(wait_until(lambda: metrics.pid, "the process"))
    metrics.close()
    wait_until(lambda: not process.is_running(), "its end")
    assert metrics.pid is None
    assert not metrics.report().computing, "nothing is started after the end"
    assert [thread for thread in threading.enumerate() if thread.name == "ebbtide-metrics"] == []


def test_the_process_ends_when_the_daemon_is_killed(ring: Graph, tmp_path: Path) -> None:
    """Nobody closes its stdin then but the system."""
    code = (
        "import sys, time; from ebbtide.index.graph import Graph; from ebbtide.index.rows import GraphEdge\n"
        "from ebbtide.index.graph_metrics import GraphMetrics\n"
        "size = 150000\n"
        "graph = Graph([(n, str(n)) for n in range(size)], [GraphEdge(n, (n + 1) % size, n, 'x', 0, 0, .5) for n in range(size)])\n"
        "metrics = GraphMetrics(lambda: graph); metrics.report()\n"
        "while not metrics.pid: time.sleep(.01)\n"
        "print(metrics.pid, flush=True); time.sleep(600)\n"
    )
    path = str(Path(graph_metrics.__file__).parents[2])
    parent = subprocess.Popen(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        time.sleep(0.5)  # far enough to have read the edges, not nearly done
        assert child.is_running()
    finally:
        parent.kill()
        parent.communicate()
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "the end of the process")


def test_nothing_in_the_current_folder_is_run(ring: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ebbtide up .` inside a vault: a json.py beside the notes is text, no program."""
    (tmp_path / "json.py").write_text("raise SystemExit('run')\n")
    (tmp_path / "igraph.py").write_text("raise SystemExit('run')\n")
    monkeypatch.chdir(tmp_path)
    small = Graph([(1, "a.md")], [])
    report = GraphMetrics(lambda: small).report(wait=60)
    assert report.reason == ""
    assert report.values is not None
    assert report.values["vertices"] == 1
