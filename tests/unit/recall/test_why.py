"""Causal chains on a real graph: direction, what ends them, and that no chain ever takes a step it must not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.index.graph import Graph
from ebbtide.index.rows import GraphEdge
from ebbtide.recall.why import Chain, Direction, Walker, Walking, leads, reasoned, superseded_by

TYPES = ("causes", "depends_on", "supersedes", "supports", "contradicts", "part_of", "mentioned", "reminds_of")


def graph(edges: Sequence[tuple[int, int, str]], names: Mapping[int, str] | None = None, **more: Any) -> Graph:
    """Edges (from, to, type) between files 1 to 9, each named after its number."""
    files = [(row, (names or {}).get(row, f"note{row}.md")) for row in range(1, 10)]
    made = [
        GraphEdge(
            start=start,
            end=end,
            link=number,
            type=kind,
            strong=int(kind != "mentioned"),
            declared=int(kind != "mentioned"),
            confidence=more.get("confidence", 1.0 if kind != "mentioned" else 0.5),
        )
        for number, (start, end, kind) in enumerate(edges, 1)
    ]
    return Graph(files, made)


def walker(made: Graph, way: Direction = "back", hidden: Collection[int] = (), **more: Any) -> Walker:
    return Walker(
        made,
        way,
        visible=lambda files: [file for file in files if file not in hidden],
        nearness=lambda files: {file: more.get("near", {}).get(file, 0.0) for file in files},
        settings=more.get("settings"),
    )


def best(edges: Sequence[tuple[int, int, str]], start: int, way: Direction = "back", **more: Any) -> list[int]:
    found = walker(graph(edges, more.get("names")), way, **more).best([(start, 1.0)])
    return list(found.files) if found is not None else []


@pytest.mark.parametrize(
    ("kind", "back"),
    [
        ("causes", [2, 1]),
        ("supports", [2, 1]),
        ("depends_on", [1, 2]),
        ("supersedes", [1, 2]),
        ("contradicts", [1, 2]),
    ],
)
def test_each_type_leads_back_from_the_effect_to_its_ground_and_forward_the_other_way(
    kind: str, back: list[int]
) -> None:
    edges = [(1, 2, kind)]
    assert best(edges, back[0]) == back
    assert best(edges, back[1]) == []
    assert best(edges, back[1], "forward") == back[::-1]
    assert best(edges, back[0], "forward") == []


def test_a_chain_mixes_types_and_ends_after_four_steps() -> None:
    edges = [(2, 1, "causes"), (2, 3, "depends_on"), (3, 4, "supersedes"), (5, 4, "causes"), (6, 5, "causes")]
    assert best(edges, 1) == [1, 2, 3, 4, 5]
    assert best(edges, 1, settings=Walking(hops=2)) == [1, 2, 3]


def test_a_typed_step_is_taken_before_any_number_of_mentions() -> None:
    edges = [(1, other, "mentioned") for other in (3, 4, 5, 6)] + [(2, 1, "causes")]
    assert best(edges, 1)[:2] == [1, 2]
    both = [(1, 2, "mentioned"), (2, 1, "causes"), (1, 2, "mentioned")]
    found = walker(graph(both)).best([(1, 1.0)])
    assert found is not None
    assert [step.type for step in found.steps] == ["causes"]


def test_a_mere_link_does_not_lead_from_one_reason_to_another() -> None:
    edges = [(2, 1, "causes"), (2, 3, "attended_by"), (4, 3, "causes"), (2, 5, "mentioned"), (6, 5, "causes")]
    assert best(edges, 1) == [1, 2, 5]


def test_of_mentions_those_near_the_question_go_first() -> None:
    edges = [(1, 2, "mentioned"), (1, 3, "mentioned")]
    assert best(edges, 1, near={3: 0.9}) == [1, 3]
    assert best(edges, 1, near={2: 0.9}) == [1, 2]


def test_mentions_are_not_followed_into_an_index_or_a_daily_note_but_reasons_are() -> None:
    names = {2: "Home.md", 3: "2026-05-01.md"}
    assert best([(1, 2, "mentioned"), (1, 3, "mentioned")], 1, names=names) == []
    assert best([(3, 1, "causes")], 1, names=names) == [1, 3]


def test_a_mention_that_its_sentence_takes_back_is_no_step() -> None:
    for kind, confidence, there in (("mentioned", 0.5, True), ("mentioned", 0.2, False), ("depends_on", 0.2, True)):
        made = graph([(1, 2, kind)], confidence=confidence)
        assert (walker(made).best([(1, 1.0)]) is not None) is there


def test_of_very_many_reasons_only_the_strongest_are_compared_with_the_question() -> None:
    files = [(row, f"note{row}.md") for row in range(1, 1002)]
    edges = [GraphEdge(row, 1, row, "causes", 1, 1, 1.0 if row == 1001 else 0.5) for row in range(2, 1002)]
    asked: list[int] = []

    def nearness(rows: Sequence[int]) -> Mapping[int, float]:
        asked.extend(rows)
        return {}

    found = Walker(Graph(files, edges), "back", visible=lambda rows: rows, nearness=nearness).best([(1, 1.0)])
    assert found is not None
    assert found.files == (1, 1001)
    assert len(asked) <= Walking().compared + 1


def test_what_is_hidden_is_no_part_of_a_chain() -> None:
    assert best([(2, 1, "causes"), (3, 2, "causes")], 1, hidden={3}) == [1, 2]
    assert best([(2, 1, "causes"), (3, 2, "causes")], 1, hidden={2}) == []


def test_a_better_start_is_not_given_up_for_a_longer_chain_from_a_poor_one() -> None:
    edges = [(2, 1, "causes"), (4, 3, "causes"), (5, 4, "causes")]
    found = walker(graph(edges)).best([(1, 0.9), (3, 0.3)])
    assert found is not None
    assert found.files == (1, 2)


def test_further_grounds_stand_beside_the_chain() -> None:
    edges = [(2, 1, "causes"), (4, 2, "causes"), (3, 1, "causes")]
    at = walker(graph(edges))
    chain = at.best([(1, 1.0)])
    assert chain is not None
    assert chain.files == (1, 2, 4)
    assert [step.other for step in at.beside(chain)] == [3]


def test_the_successor_of_a_note() -> None:
    made = graph([(1, 2, "supersedes"), (3, 2, "causes")])
    assert superseded_by(made, 2, list) == 1
    assert superseded_by(made, 1, list) is None
    assert superseded_by(made, 2, lambda files: [f for f in files if f != 1]) is None


Edges = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from(TYPES)), max_size=24)


@given(Edges, st.sampled_from(["back", "forward"]), st.integers(1, 5), st.sets(st.integers(2, 9), max_size=3))
def test_no_chain_takes_a_step_it_must_not(
    edges: list[tuple[int, int, str]], way: Direction, hops: int, hidden: set[int]
) -> None:
    made = graph(edges)
    at = walker(made, way, hidden, settings=Walking(hops=hops))
    chains = list(at.chains(1))
    for chain in chains:
        assert chain.files[0] == 1
        assert 1 <= len(chain.steps) == len(chain.files) - 1 <= hops
        assert len(set(chain.files)) == len(chain.files)
        assert not set(chain.files) & hidden
        for (before, after), step in zip(pairwise(chain.files), chain.steps, strict=True):
            assert step.other == after
            assert step in made.steps(before)
            assert leads(step, way)
    found = at.best([(1, 1.0)])
    assert (found is None) == (not chains)
    if found is not None:
        assert found in chains
        typed = any(reasoned(step) for chain in chains for step in chain.steps[:1])
        assert not typed or found.typed


@given(Edges, st.randoms(use_true_random=False))
def test_the_order_of_edges_changes_nothing(edges: list[tuple[int, int, str]], chance: Any) -> None:
    unique = sorted(set(edges))
    mixed = list(unique)
    chance.shuffle(mixed)

    def shape(chain: Chain | None) -> Any:
        return chain and (chain.files, [(s.type, s.outward) for s in chain.steps])

    ours = walker(graph(unique)).best([(1, 1.0), (2, 0.9)])
    theirs = walker(graph(mixed)).best([(1, 1.0), (2, 0.9)])
    assert shape(ours) == shape(theirs)
