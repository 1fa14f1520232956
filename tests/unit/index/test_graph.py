"""The picture of the typed graph, from a real catalogue: what is an edge, which way it leads, what weighs how much, the best path."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.index import graph_metrics
from ebbtide.index.catalog import Catalog, FileRow, NewLink
from ebbtide.index.graph import Graph, GraphIndex, GraphSettings
from ebbtide.index.graph_metrics import GraphMetrics, measure
from ebbtide.memory.ports import LinkGraph, Step
from ebbtide.parse.note_kind import is_index_name, is_periodic_name


def file(path: str, kind: str = "note", status: str = "indexed") -> FileRow:
    return FileRow(0, f"n_{path}", path, 1, 1, 1, "digest", kind, status, title=path)


def link(target: str | None, type_: str = "mentioned", **more: object) -> NewLink:
    record = json.dumps({"target": target, "type": type_, **more}, sort_keys=True)
    return NewLink(target, False, record, type_)._replace(**more)


class Book:
    """A catalogue in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog.open(folder / "catalog.sqlite")

    def put(self, path: str, *links: NewLink, kind: str = "note", status: str = "indexed") -> int:
        row = self.catalog.put_file(file(path, kind, status))
        self.catalog.put_links(row, links, [])
        return row

    def row(self, path: str) -> int:
        found = self.catalog.file(path)
        assert found is not None
        return found.row

    def graph(self) -> Graph:
        return GraphIndex(self.catalog).current()

    def seen(self, path: str, graph: Graph | None = None) -> list[tuple[str, str, bool]]:
        """(other, type, outward) of the steps at a file."""
        paths = dict(self.catalog.graph_files())
        steps = (graph or self.graph()).steps(self.row(path))
        return [(paths[step.other], step.type, step.outward) for step in steps]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    book = Book(tmp_path)
    yield book
    book.catalog.close()


# --- edges ----------------------------------------------------------------------------------------------------------


def test_a_link_is_seen_from_both_ends(book: Book) -> None:
    book.put("a.md", link("b.md", "causes", strong=True, declared=True, confidence=1.0))
    book.put("b.md")
    assert book.seen("a.md") == [("b.md", "causes", True)]
    assert book.seen("b.md") == [("a.md", "causes", False)]
    there, back = (book.graph().steps(book.row(path))[0] for path in ("a.md", "b.md"))
    assert (there.strong, there.declared, there.confidence, there.link) == (True, True, 1.0, back.link)
    assert book.catalog.link_records([there.link, 999]) == {there.link: ("a.md", book.catalog.find_links("a.md", 9)[0])}


def test_an_inverse_link_leads_into_the_file_that_holds_it(book: Book) -> None:
    book.put("effect.md", link("cause.md", "causes", inward=True))
    book.put("cause.md")
    assert book.seen("cause.md") == [("effect.md", "causes", True)]


def test_an_edge_of_a_board_lies_between_two_other_files(book: Book) -> None:
    book.put("board.canvas", link("b.md", "supports", origin="a.md"), link("a.md"), kind="canvas")
    book.put("a.md")
    book.put("b.md")
    assert sorted(book.seen("a.md")) == [("b.md", "supports", True), ("board.canvas", "mentioned", False)]
    assert book.seen("board.canvas") == [("a.md", "mentioned", True)]
    assert book.seen("b.md") == [("a.md", "supports", False)]


def test_what_is_no_edge(book: Book) -> None:
    """No target, a target that is no note or not indexed, oneself, an end of a board's edge that is not there."""
    book.put(
        "a.md",
        link(None),
        link("pic.png"),
        link("a.md"),
        link("a.md", inward=True),
        link("failed.md"),
        link("kept out.md"),
        link("gone.md"),
    )
    book.put("board.canvas", link("a.md", origin="gone.md"), link("a.md", origin="a.md"), kind="canvas")
    book.put("pic.png", kind="other")
    book.put("failed.md", link("a.md"), status="failed")
    book.put("kept out.md", status="skipped")
    graph = book.graph()
    assert (len(graph), graph.size) == (2, 0), "the note and the board"
    for path in ("a.md", "pic.png", "failed.md", "kept out.md"):
        assert (graph.steps(book.row(path)), graph.degree(book.row(path))) == ([], 0)
    assert (graph.steps(99), graph.degree(99), graph.light(99), graph.path(99, 1, 4)) == ([], 0, 1.0, [])


def test_memory_notes_are_vertices(book: Book) -> None:
    book.put("Memory/core/a.md", link("b.md"), kind="memory")
    book.put("b.md")
    assert book.seen("b.md") == [("Memory/core/a.md", "mentioned", False)]


def test_parallel_edges_stay_and_count_once_for_the_degree(book: Book) -> None:
    book.put("a.md", link("b.md"), link("b.md", "causes"), link("b.md"))
    book.put("b.md", link("a.md", "contradicts"))
    steps = book.seen("a.md")
    assert [kind for _, kind, _ in steps] == ["mentioned", "causes", "mentioned", "contradicts"]
    assert [outward for _, _, outward in steps] == [True, True, True, False]
    assert book.graph().degree(book.row("a.md")) == book.graph().degree(book.row("b.md")) == 1


def test_a_moved_file_keeps_its_edges_and_an_older_picture_finds_no_wrong_sentence(book: Book) -> None:
    a = book.put("a.md", link("b.md"))
    book.put("b.md")
    old = book.graph().steps(a)[0].link
    book.catalog.move_file("a.md", "c.md")
    assert book.seen("c.md") == [("b.md", "mentioned", True)]
    book.catalog.put_links(a, [link("b.md", "causes")], [])
    assert book.catalog.link_records([old]) == {}, "rows of links are never used again"


# --- light ----------------------------------------------------------------------------------------------------------


def star(book: Book, name: str, leaves: int) -> Graph:
    for number in range(leaves):
        book.put(f"leaf {number}.md", link(name))
    book.put(name)
    return book.graph()


@pytest.mark.parametrize(
    ("neighbours", "light"), [(1, 1.0), (16, 1.0), (17, 1 / (1 + math.log2(17 / 16))), (32, 0.5), (128, 0.25)]
)
def test_a_hub_carries_less_the_more_neighbours_it_has(book: Book, neighbours: int, light: float) -> None:
    assert star(book, "Tea.md", neighbours).light(book.row("Tea.md")) == pytest.approx(light)


@pytest.mark.parametrize("name", ["Home.md", "目錄.md", "2026-11-30.md"])
def test_index_and_daily_notes_carry_half(book: Book, name: str) -> None:
    assert star(book, name, 3).light(book.row(name)) == 0.5
    assert book.graph().light(book.row("leaf 1.md")) == 1.0


def test_a_hub_that_is_an_index_too_carries_both(book: Book) -> None:
    assert star(book, "README.md", 32).light(book.row("README.md")) == 0.25


@pytest.mark.parametrize(
    "name",
    [
        "index", "INDEX", "_index", "MOC", "Home", "Start Here", "README", "目录", "目錄", "索引", "首頁", "导航", "Gardens MOC",
        "MOC - Gardens", "园艺（MOC）",
    ],
)  # fmt: skip
def test_names_of_index_notes(name: str) -> None:
    assert is_index_name(name)


@pytest.mark.parametrize(
    "name", ["Price index", "Home server", "Indexing", "数据库索引", "MOCK", "Mocha", "Index funds", "首页改版"]
)
def test_names_that_only_hold_such_a_word(name: str) -> None:
    assert not is_index_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "2026-11-30", "20261130", "2026.11.30", "2026-11-30 Monday", "2026-11-30（周一）", "2026年11月30日", "2026年1月3日 星期六",
        "2026-W48", "2026w48", "2026年第48周", "2026-11", "2026年11月", "2026-Q4",
    ],
)  # fmt: skip
def test_names_of_daily_and_weekly_notes(name: str) -> None:
    assert is_periodic_name(name)


@pytest.mark.parametrize(
    "name", ["2026-11-30 Disk full", "1984", "2026-13-01", "2026-11-45", "Plan 2026-11-30", "20261130001"]
)
def test_names_that_only_hold_a_date(name: str) -> None:
    assert not is_periodic_name(name)


# --- paths ----------------------------------------------------------------------------------------------------------


def route(book: Book, start: str, goal: str, most: int) -> list[str]:
    paths = dict(book.catalog.graph_files())
    return [paths[step.other] for step in book.graph().path(book.row(start), book.row(goal), most)]


def test_a_path_goes_both_ways_along_edges_and_no_further_than_allowed(book: Book) -> None:
    book.put("a.md", link("b.md"))
    book.put("b.md")
    book.put("c.md", link("b.md", "causes"), link("d.md"))
    book.put("d.md", link("e.md"))
    book.put("e.md")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert route(book, "a.md", "e.md", 4) == ["b.md", "c.md", "d.md", "e.md"]
        assert route(book, "a.md", "e.md", 3) == []
        assert route(book, "a.md", "a.md", 4) == []
        book.put("alone.md")
        assert route(book, "a.md", "alone.md", 4) == []
    steps = book.graph().path(book.row("a.md"), book.row("c.md"), 2)
    assert [(step.type, step.outward) for step in steps] == [("mentioned", True), ("causes", False)]


def test_the_surer_way_is_taken_though_it_is_longer(book: Book) -> None:
    book.put("a.md", link("goal.md", confidence=0.1), link("b.md", "causes", confidence=1.0, strong=True))
    book.put("b.md", link("goal.md", "causes", confidence=1.0, strong=True))
    book.put("goal.md")
    assert route(book, "a.md", "goal.md", 4) == ["b.md", "goal.md"]
    assert route(book, "a.md", "goal.md", 1) == ["goal.md"], "the best that is short enough"


def test_a_way_round_the_hub_is_taken_if_there_is_one(book: Book) -> None:
    for number in range(200):
        book.put(f"leaf {number}.md", link("hub.md"))
    book.put("hub.md")
    book.put("a.md", link("hub.md"), link("quiet.md"))
    book.put("b.md", link("hub.md"), link("quiet.md"))
    book.put("quiet.md")
    assert route(book, "a.md", "b.md", 4) == ["quiet.md", "b.md"]


Drawn = list[tuple[int, int, float, bool, bool]]
"""(file that holds it, its target, confidence, strong, inward)."""
SIZE = 8
EDGES = st.lists(
    st.tuples(
        st.integers(0, SIZE - 1),
        st.integers(0, SIZE - 1),
        st.sampled_from([0.1, 0.5, 0.7, 1.0]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=24,
)


def drawn(folder: Path, edges: Drawn, order: Sequence[int]) -> Book:
    book = Book(folder)
    for number in order:
        held = [edge for edge in edges if edge[0] == number]
        links = [
            link(f"{to}.md", confidence=sure, strong=strong, inward=inward) for _, to, sure, strong, inward in held
        ]
        book.put(f"{number}.md", *links)
    return book


def cost(book: Book, graph: Graph, start: int, steps: Sequence[Step]) -> float:
    lights = [graph.light(step.other) for step in steps[:-1]]
    weak = GraphSettings().weak
    return math.prod([*lights, *(step.confidence * (1.0 if step.strong else weak) for step in steps)])


@settings(max_examples=60, deadline=None)
@given(EDGES, st.randoms(use_true_random=False))
def test_steps_and_paths_are_the_same_from_both_ends_and_in_any_order(edges: Drawn, chance: random.Random) -> None:
    order = list(range(SIZE))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first = drawn(Path(one), edges, order)
        chance.shuffle(order)
        second = drawn(Path(other), edges, order)
        pictures = [(book, book.graph(), dict(book.catalog.graph_files())) for book in (first, second)]
        said = []
        for book, graph, names in pictures:
            rows = {name: row for row, name in names.items()}

            def shown(steps: Sequence[Step], names: dict[int, str] = names) -> list[tuple[object, ...]]:
                return [(names[s.other], s.outward, s.type, s.strong, s.declared, s.confidence) for s in steps]

            steps = {name: shown(graph.steps(row)) for name, row in rows.items()}
            for name, seen in steps.items():
                for at in {step[0] for step in seen}:
                    there = [step[1:] for step in seen if step[0] == at]
                    back = [(not step[1], *step[2:]) for step in steps[at] if step[0] == name]
                    assert there == back
            paths = {}
            for start, goal in itertools.permutations(rows, 2):
                found = graph.path(rows[start], rows[goal], 4)
                paths[start, goal] = shown(found)
                back_found = graph.path(rows[goal], rows[start], 4)
                assert [step.link for step in found] == [step.link for step in back_found][::-1]
            said.append((steps, paths))
            book.catalog.close()
        assert said[0] == said[1]


@settings(max_examples=60, deadline=None)
@given(EDGES, st.integers(1, 4))
def test_a_path_is_the_best_of_all_that_are_short_enough(edges: Drawn, most: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = drawn(Path(folder), edges, range(SIZE))
        graph = book.graph()
        start, goal = book.row("0.md"), book.row("7.md")

        def ways(at: int, been: tuple[int, ...], left: int) -> Iterator[list[Step]]:
            for step in graph.steps(at):
                if step.other == goal:
                    yield [step]
                elif left > 1 and step.other not in been:
                    yield from ([step, *rest] for rest in ways(step.other, (*been, step.other), left - 1))

        found = graph.path(start, goal, most)
        best = max((cost(book, graph, start, way) for way in ways(start, (start,), most)), default=None)
        book.catalog.close()
        assert (best is None) == (not found)
        assert len(found) <= most
        if best is not None:
            assert cost(book, graph, start, found) == pytest.approx(best)


# --- the newest picture -----------------------------------------------------------------------------------------------


def test_a_picture_is_made_once_and_again_only_when_something_differs(book: Book) -> None:
    index = GraphIndex(book.catalog)
    assert index.mark() == ""
    book.put("a.md", link("b.md"))
    book.put("b.md")
    first: LinkGraph = index.current()
    assert index.current() is first
    assert not index.refresh()
    book.put("b.md")
    assert not index.refresh(), "nothing that the graph shows"
    book.put("b.md", status="skipped")
    assert first.steps(book.row("a.md")), "a picture does not change"
    assert index.refresh()
    assert index.current().steps(book.row("a.md")) == []
    assert index.current().version == first.version + 1
    book.catalog.reset()
    index.drop()
    assert len(index.current()) == 0
    assert index.current().version == first.version + 2


def test_many_who_ask_first_get_the_same_picture(book: Book) -> None:
    for number in range(300):
        book.put(f"{number}.md", link(f"{number + 1}.md"))
    index, got = GraphIndex(book.catalog), []
    threads = [threading.Thread(target=lambda: got.append(index.current())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 8
    assert len(set(map(id, got))) == 1


def test_the_library_gets_one_thread_and_the_environment_is_left_alone() -> None:
    code = (
        "import os; from ebbtide.index.graph import load_igraph; before = dict(os.environ); load_igraph();"
        "print(dict(os.environ) == before)"
    )
    for more in ({}, {"OMP_NUM_THREADS": "4"}):
        environ = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"} | more
        path = str(Path(graph_metrics.__file__).parents[2])
        run = subprocess.run(
            [sys.executable, "-c", code], env=environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == "True"


# --- figures about everything -----------------------------------------------------------------------------------------


def figures(vertices: int, pairs: Sequence[tuple[int, int]]) -> dict[str, object]:
    return measure(vertices, [a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize(
    ("vertices", "pairs", "steps"),
    [
        (4, list(itertools.combinations(range(4), 2)), 1.0),
        (4, [(0, 1), (1, 2), (2, 3)], 1.38),
        (4, [(0, 1), (2, 3)], 3.0),
        (10, [(0, leaf) for leaf in range(1, 10)], 1.67),
        (11, [(0, leaf) for leaf in range(1, 10)], 2.04),
        (1, [], None),
        (0, [], None),
        (5, [], None),
    ],
)
def test_steps_between_notes(vertices: int, pairs: list[tuple[int, int]], steps: float | None) -> None:
    found = figures(vertices, pairs)["steps"]
    assert found is None if steps is None else found == pytest.approx(steps, abs=0.005)


def test_parallel_edges_loops_and_directions_change_no_distance() -> None:
    plain = figures(4, [(0, 1), (1, 2), (2, 3)])
    other = figures(4, [(1, 0), (0, 1), (1, 2), (3, 2), (2, 2)])
    assert (plain["edges"], plain["pairs"], other["edges"], other["pairs"]) == (3, 3, 5, 3)
    for key in ("efficiency", "steps", "mean_distance", "components", "isolated", "giant_share"):
        assert plain[key] == other[key]


def test_parts_and_centre() -> None:
    found = figures(7, [(1, 0), (2, 0), (3, 0), (4, 5)])
    assert (found["isolated"], found["components"], found["giant_share"]) == (1, 3, pytest.approx(4 / 7))
    assert found["mean_distance"] == pytest.approx(1.5)
    assert isinstance(found["central"], list)
    assert found["central"][0] == 0
    assert 6 not in found["central"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_a_sample_is_the_same_every_time_and_near_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    pairs = [(chance.randrange(2500), chance.randrange(2500)) for _ in range(6000)]
    sampled = figures(2500, pairs)
    assert sampled == figures(2500, pairs)
    monkeypatch.setattr(graph_metrics, "EXACT_BELOW", 10_000)
    exact = figures(2500, pairs)
    assert (sampled["sampled"], exact["sampled"]) == (True, False)
    assert sampled["steps"] == pytest.approx(exact["steps"], rel=0.03)
    assert sampled["mean_distance"] == pytest.approx(exact["mean_distance"], rel=0.03)


def test_the_process_gives_what_is_computed_here(book: Book) -> None:
    book.put("a.md", link("b.md"), link("c.md"))
    book.put("b.md", link("c.md"))
    book.put("c.md")
    book.put("alone.md")
    index = GraphIndex(book.catalog)
    metrics = GraphMetrics(index.current)
    report = metrics.report(wait=60)
    graph = index.current()
    expected = measure(len(graph), *graph.ends())
    expected["central"] = [graph.rows[number] for number in expected["central"]]
    assert (report.values, report.version, report.fresh, report.reason) == (expected, graph.version, True, "")
    assert report.values is not None
    assert report.values["central"][0] == book.row("c.md")
    assert metrics.report(wait=60) == report, "kept with the version of the graph"
    metrics.close()
