"""Canvas files: cards, labelled edges, places, and broken files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.canvas import parse_canvas

CARDS = [
    {"id": "a", "type": "file", "file": "Ü/leak.md", "subpath": "#Rate"},
    {"id": "b", "type": "file", "file": "noise.md", "subpath": "#^b1"},
    {"id": "t", "type": "text", "text": "[[no]]"},
    {"id": "g", "type": "group", "label": "[[no]]"},
    {"id": "u", "type": "link", "url": "https://x"},
]


def links(edges: list[dict[str, Any]]) -> list[tuple[str | None, str, str | None]]:
    note = parse_canvas("m.canvas", json.dumps({"nodes": CARDS, "edges": edges}))
    return [(link.from_path, link.path, link.relation) for link in note.links if link.relation]


def test_file_cards_are_links_with_places() -> None:
    text = json.dumps({"nodes": CARDS, "x": 1}, ensure_ascii=False, indent=1)
    first, second = parse_canvas("a/m.canvas", text).links
    assert (first.path, first.heading, first.block, first.kind) == ("Ü/leak.md", "Rate", None, "canvas")
    assert (second.path, second.heading, second.block, second.relation) == ("noise.md", None, "b1", None)
    for link in (first, second):
        assert text[link.offset : link.offset + len(link.raw)] == link.raw
        assert text.split("\n")[link.line - 1][link.column :].startswith(link.raw)
    assert parse_canvas("a/m.canvas", text).title == "m"


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        ({"label": " causes "}, [("Ü/leak.md", "noise.md", "causes")]),
        ({"label": "causes", "fromEnd": "arrow", "toEnd": "none"}, [("noise.md", "Ü/leak.md", "causes")]),
        ({"label": "causes", "fromEnd": "arrow"}, [("Ü/leak.md", "noise.md", "causes")]),
        ({"label": "causes", "toEnd": "none"}, [("Ü/leak.md", "noise.md", "causes")]),
        ({"label": "  "}, []),
        ({}, []),
        ({"label": 3}, []),
        ({"label": "x", "toNode": "t"}, []),
        ({"label": "x", "toNode": "gone"}, []),
    ],
)
def test_labelled_edges_between_file_cards(edge: dict[str, Any], expected: list[Any]) -> None:
    assert links([{"fromNode": "a", "toNode": "b", **edge}]) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", None), (" \n", None), ("{}", None), ('{"nodes": 3, "edges": {"a": 1}}', "canvas-invalid"),
        ("{", "canvas-invalid"), ("[]", "canvas-invalid"), ("[" * 100_000, "canvas-invalid"),
        ("9" * 5_000, "canvas-invalid"), ('{"nodes": [1, null, {"type": "file"}, {"type": "file", "file": 3}]}', None),
    ],
)  # fmt: skip
def test_broken_files_give_no_links_and_say_so(text: str, code: str | None) -> None:
    note = parse_canvas("m.canvas", text)
    assert note.links == ()
    assert [problem.code for problem in note.problems] == ([code] if code else [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["file", "a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["nodes", "edges", "type", "file", "id", "label", "fromNode", "toNode"]), inner
        )
    ),
    max_leaves=20,
)


@given(st.text(max_size=60) | JSON.map(json.dumps) | st.lists(JSON, max_size=4).map(lambda n: json.dumps({"nodes": n})))
def test_never_raises(text: str) -> None:
    parse_canvas("m.canvas", text)


def test_nodes_and_edges_that_are_no_lists_are_a_problem() -> None:
    note = parse_canvas("b.canvas", '{"nodes": {"a": 1}, "edges": "none"}')
    assert note.links == ()
    assert [problem.code for problem in note.problems] == ["canvas-invalid"]
