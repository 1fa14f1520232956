"""Names to files, relation words to types, and the edges of a note."""

from __future__ import annotations

import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.canvas import parse_canvas
from ebbtide.parse.links import (
    RELATIONS,
    NameIndex,
    Resolution,
    build_links,
    fold_name,
    keys_of,
    keys_of_link,
    normalise_relation,
    relation_type,
    resolve_link,
)
from ebbtide.parse.note import parse_note

FILES = ["Tank.md", "a/Tank.md", "a/Pump.md", "b/Pump.md", "b/c/Pump.md", "bb/Valve.md", "ab/Valve.md", "a/x.png",
         "x.md", "Über.md", "v1.2.md", "a/b/Deep.md", "Board.base", "C (1).md", "s/trail .md"]  # fmt: skip


@pytest.mark.parametrize(
    ("link", "source", "target", "ambiguous"),
    [
        ("Tank", "a/n.md", "Tank.md", False),
        ("tank.MD", "n.md", "Tank.md", False),
        ("a/Tank", "n.md", "a/Tank.md", False),
        ("./Tank", "a/n.md", "a/Tank.md", False),
        ("../Tank", "a/b/n.md", "a/Tank.md", False),
        ("../../Tank", "a/b/n.md", "Tank.md", False),
        ("../../../Tank", "a/b/n.md", None, False),
        ("../Tank", "n.md", None, False),
        ("/a/Tank.md", "b/n.md", "a/Tank.md", False),
        ("/Pump", "a/n.md", None, False),
        ("Pump", "b/n.md", "b/Pump.md", False),
        ("Pump", "b/c/n.md", "b/c/Pump.md", False),
        ("Pump", "b/c/d/n.md", "a/Pump.md", True),
        ("c/Pump", "n.md", "b/c/Pump.md", False),
        ("Valve", "n.md", "ab/Valve.md", True),
        ("Valve", "bb/n.md", "bb/Valve.md", False),
        ("x", "n.md", "x.md", False),
        ("x.png", "n.md", "a/x.png", False),
        ("X.PNG", "n.md", "a/x.png", False),
        ("Board", "n.md", None, False),
        ("board.base", "n.md", "Board.base", False),
        ("v1.2", "n.md", "v1.2.md", False),
        ("u\u0308ber", "n.md", "Über.md", False),
        ("C\u00a0(1)", "n.md", "C (1).md", False),
        ("ank", "n.md", None, False),
        ("q/Deep", "n.md", None, False),
        ("", "a/n.md", "a/n.md", False),
        ("a", "n.md", None, False),
        ("a/", "n.md", None, False),
        ("..", "a/n.md", None, False),
    ],
)
def test_resolve(link: str, source: str, target: str | None, ambiguous: bool) -> None:
    assert NameIndex(FILES).resolve(link, source) == Resolution(target, ambiguous)


def test_names_that_differ_in_case_only_prefer_the_spelling_and_are_ambiguous() -> None:
    index = NameIndex(["tank.md", "Tank.md"])
    assert index.resolve("tank", "n.md") == Resolution("tank.md", True)
    assert index.resolve("Tank", "n.md") == Resolution("Tank.md", True)
    assert index.resolve("TANK", "n.md") == Resolution("Tank.md", True)


def test_path_lengths_count_as_obsidian_counts_them() -> None:
    # An emoji is two UTF-16 units, so the two folders are equally long; a decomposed letter counts as composed.
    assert NameIndex(["🔥/T.md", "ab/T.md"]).resolve("T", "n.md") == Resolution("ab/T.md", True)
    assert NameIndex(["e\u0301e\u0301/T.md", "abc/T.md"]).resolve("T", "n.md") == Resolution("e\u0301e\u0301/T.md")


def test_dot_folders_are_not_in_the_vault() -> None:
    index = NameIndex([".trash/A.md", "x/.hid/A.md", ".A.md"])
    assert index.resolve("A", "n.md").target is None


def test_removing_gives_the_name_back() -> None:
    index = NameIndex(FILES)
    index.remove("Tank.md")
    index.remove("never/there.md")
    assert index.resolve("Tank", "n.md").target == "a/Tank.md"
    assert "Tank.md" not in index
    assert "a/Tank.md" in index


NAMES = st.text(alphabet=st.sampled_from("aAéÉß🔥 .\u00a0"), min_size=1, max_size=3)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
VAULTS = st.lists(PATHS.map(lambda path: f"{path}.md"), max_size=8, unique=True)


@given(VAULTS, st.integers(0, 10_000), PATHS, PATHS)
def test_resolution_does_not_depend_on_order_or_history(vault: list[str], seed: int, link: str, source: str) -> None:
    shuffled = list(vault)
    Random(seed).shuffle(shuffled)
    other = NameIndex([*shuffled, "a/extra.md", "a.md"])
    for gone in ("a/extra.md", "a.md"):
        if gone not in vault:
            other.remove(gone)
    found = NameIndex(vault).resolve(link, f"{source}.md")
    assert found == other.resolve(link, f"{source}.md")
    assert found.target is None or found.target in vault or (not link.strip() and found.target == f"{source}.md")


@given(VAULTS, PATHS, PATHS, PATHS)
def test_only_files_with_the_links_key_matter(vault: list[str], link: str, source: str, extra: str) -> None:
    index = NameIndex(vault)
    before = index.resolve(link, source)
    index.add(f"{extra}.md")
    if index.key(link) not in keys_of(f"{extra}.md"):
        assert index.resolve(link, source) == before


@given(VAULTS, PATHS)
def test_a_whole_path_finds_its_file_in_any_form(vault: list[str], source: str) -> None:
    index = NameIndex(vault)
    for path in vault:
        wanted = unicodedata.normalize("NFD", path.removesuffix(".md"))
        if wanted[0] != "." and "/." not in path and wanted == wanted.strip():
            target = index.resolve(wanted, source).target
            assert target is not None
            assert fold_name(target) in (fold_name(path), f"{fold_name(path)}.md")


@given(st.text(max_size=40), st.text(max_size=20))
def test_resolve_never_raises(link: str, source: str) -> None:
    NameIndex(FILES).resolve(link, source)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (None, ("mentioned", False)), ("causes", ("causes", False)), ("Leads to", ("causes", False)),
        ("caused-by", ("causes", True)), ("dependsOn", ("depends_on", False)), ("depends_on", ("depends_on", False)),
        ("导致", ("causes", False)), ("原因", ("causes", True)), ("因为", ("causes", True)),
        ("依赖", ("depends_on", False)),
        ("replaced by", ("supersedes", True)), ("被取代", ("supersedes", True)), ("被新方案取代", ("supersedes", True)),
        ("取代", ("supersedes", False)), ("part of", ("part_of", False)), ("包含", ("part_of", True)),
        ("矛盾", ("contradicts", False)), ("evidence", ("supports", True)), ("related", ("related", False)),
        ("Up", ("up", False)), ("  My - Word ", ("my_word", False)), ("é", ("é", False)), ("", ("mentioned", False)),
    ],
)  # fmt: skip
def test_relation_types(word: str | None, expected: tuple[str, bool]) -> None:
    assert relation_type(word) == expected


def test_the_table_can_be_replaced_and_is_normalised() -> None:
    assert relation_type("Boosts", {"boosts": ("supports", False)}) == ("supports", False)
    assert relation_type("causes", {}) == ("causes", False)
    assert all(normalise_relation(word) == word for word in RELATIONS)
    assert normalise_relation("results in:") == "results_in"  # `results in:: [[X]]` written among the properties
    assert normalise_relation("引起：") == "引起"


def test_edges_of_a_note() -> None:
    text = (
        '---\ncaused by: "[[Pump]]"\nup: [[Home]]\n---\nOnce [[Tank]], twice [[Valve#h|v]] and [[ab/Valve]].\n'
        "![[x.png]] [[Gone]] [[gone]]\ncontradicts:: [[Nowhere]]\n"
    )
    note = parse_note("b/n.md", text)
    links = build_links(note, NameIndex([*FILES, "Home.md"]))
    assert [link.offset for link in links] == sorted(link.offset for link in links)
    shown = [(e.origin, e.target, e.type, e.weight, e.declared, e.confidence, e.native, e.ambiguous) for e in links]
    assert shown == [
        ("b/Pump.md", "b/n.md", "causes", "strong", True, 1.0, True, False),
        ("b/n.md", "Home.md", "up", "strong", True, 1.0, False, False),
        ("b/n.md", "Tank.md", "mentioned", "weak", False, 0.5, True, False),
        ("b/n.md", "ab/Valve.md", "mentioned", "strong", False, 0.5, True, True),
        ("b/n.md", "ab/Valve.md", "mentioned", "strong", False, 0.5, True, False),
        ("b/n.md", "a/x.png", "mentioned", "strong", False, 0.5, True, False),
        ("b/n.md", None, "mentioned", "strong", False, 0.5, True, False),
        ("b/n.md", None, "mentioned", "strong", False, 0.5, True, False),
        ("b/n.md", None, "contradicts", "strong", True, 1.0, True, False),
    ]
    assert {link.source for link in links} == {"b/n.md"}
    assert links[3].heading == "h"
    assert links[3].snippet == "Once [[Tank]], twice [[Valve#h|v]] and [[ab/Valve]]."


def test_an_unresolved_inverse_edge_keeps_its_source() -> None:
    (edge,) = build_links(parse_note("n.md", "caused by:: [[Nowhere]]\n"), NameIndex())
    assert (edge.origin, edge.target, edge.type) == ("n.md", None, "causes")


def test_canvas_edges_start_at_the_other_card() -> None:
    text = (
        '{"nodes": [{"id": "1", "type": "file", "file": "a/Tank.md"}, {"id": "2", "type": "file", "file": "Pump.md"},'
        '{"id": "3", "type": "file", "file": "x.md"}],'
        '"edges": [{"fromNode": "1", "toNode": "3", "label": "caused by"}]}'
    )
    note = parse_canvas("m.canvas", text)
    index = NameIndex(FILES)
    edges = build_links(note, index)
    assert {(e.origin, e.target, e.type) for e in edges} == {
        ("m.canvas", "a/Tank.md", "mentioned"), ("m.canvas", None, "mentioned"), ("m.canvas", "x.md", "mentioned"),
        ("x.md", "a/Tank.md", "causes"),
    }  # fmt: skip
    edge = next(link for link in note.links if link.relation)
    assert keys_of_link(edge) == ("x.md", "tank.md")
    # A card names a whole path: a namesake elsewhere is not meant.
    assert resolve_link(note.links[1], note, index).target is None
