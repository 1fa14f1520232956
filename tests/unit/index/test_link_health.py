"""The tables behind link health: what is kept of each note, what leaves with it, and what a page costs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ebbtide.index.catalog import Catalog, FileRow, NewLink
from ebbtide.index.link_health import PAGE, path_of
from ebbtide.memory import codec
from ebbtide.memory.records import Link
from ebbtide.parse.anchors import outline, write_outline
from ebbtide.parse.note import parse_note


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def put(catalog: Catalog, path: str, text: str = "", aliases: tuple[str, ...] = (), **more: Any) -> int:
    title = path.rpartition("/")[2].removesuffix(".md")
    row = replace(FileRow(0, f"n_{path}", path, 1, 2, 3, f"d_{path}", "note", "indexed", title=title), **more)
    number = catalog.put_file(row)
    if row.kind == "note" and row.status == "indexed":
        catalog.put_outline(number, write_outline(outline(parse_note(path, text))), aliases)
    return number


def edge(
    source: str, target: str | None, raw: str, heading: str | None = None, block: str | None = None, **more: Any
) -> NewLink:
    link = Link(
        source,
        source,
        target,
        "mentioned",
        "weak",
        raw,
        "wikilink",
        None,
        False,
        0.5,
        heading,
        block,
        None,
        0,
        1,
        0,
        raw,
    )
    link = replace(link, **more)
    record = codec.line(codec.link_to_dict(link))
    return NewLink(target, link.ambiguous, record, link.type, False, link.declared, link.confidence, False, None)


def test_only_links_with_an_anchor_are_in_the_index_of_anchors(catalog: Catalog) -> None:
    """The index is chosen by the text of the record: this holds it to what `codec` writes."""
    row = put(catalog, "a.md")
    put(catalog, "b.md", "# H\n")
    trick = '"heading":null,"block":null'
    links = [
        edge("a.md", "b.md", "[[b]]", snippet=trick),
        edge("a.md", "b.md", "[[b#X]]", "X", snippet=trick, alias=trick),
        edge("a.md", "b.md", "[[b#^x]]", None, "x"),
        edge("a.md", None, "[[c#X]]", "X"),
    ]
    catalog.put_links(row, links, [])
    page = catalog.link_page("broken_anchors", None, "", 10)
    assert [link["raw"] for link in page.links] == ["[[b#X]]", "[[b#^x]]"]
    assert [link["missing"] for link in page.links] == ["#X", "#^x"]
    assert catalog.link_page("broken_anchors", "c.md", "", 10).total == 0


def test_an_outline_goes_with_its_file_and_with_what_may_not_be_kept(catalog: Catalog) -> None:
    row, target = put(catalog, "a.md"), put(catalog, "b.md", "# H\n", ("Bee",))
    catalog.put_links(row, [edge("a.md", "b.md", "[[b#X]]", "X"), edge("a.md", None, "[[bee]]")], [])
    assert catalog.link_page("broken_anchors", None, "", 10).total == 1
    assert [near["name"] for near in catalog.link_page("unresolved", None, "", 10).links[0]["near"]] == ["Bee"]
    catalog.put_outline(target, None)
    assert catalog.link_page("broken_anchors", None, "", 10).total == 0
    assert catalog.link_page("unresolved", None, "", 10).links[0]["near"] == []
    catalog.put_outline(target, write_outline(outline(parse_note("b.md", "# H\n"))))
    catalog.remove_file("b.md")
    assert catalog._db().execute("SELECT count(*) FROM outlines WHERE file = ?", (target,)).fetchone()[0] == 0


def test_names_that_nobody_may_mean_are_not_suggested(catalog: Catalog) -> None:
    row = put(catalog, "a.md")
    put(catalog, "x/Harbor.md", status="skipped", reason="excluded")
    put(catalog, "y/Harbor.md", status="skipped", reason="conflict copy")
    put(catalog, "z/Harbor.md", status="skipped", reason="memory: false")
    catalog.put_links(row, [edge("a.md", None, "[[old/Harbor]]")], [])
    (link,) = catalog.link_page("unresolved", None, "", 10).links
    assert [near["path"] for near in link["near"]] == ["z/Harbor.md"]


def test_a_page_with_near_names_is_bounded_and_says_how_to_go_on(catalog: Catalog) -> None:
    row = put(catalog, "a.md")
    catalog.put_links(row, [edge("a.md", None, f"[[Gone {n}]]") for n in range(PAGE + 5)], [])
    page = catalog.link_page("unresolved", None, "", 10_000)
    assert (len(page.links), page.total) == (PAGE, PAGE + 5)
    assert page.after is not None
    rest = catalog.link_page("unresolved", None, page.after, 10_000)
    assert (rest.links[0]["raw"], len(rest.links), rest.after) == (f"[[Gone {PAGE}]]", 5, None)


@pytest.mark.parametrize("after", ["", "x", ":", "99999999999:a.md", "-1:a.md", "a.md", "²:a.md"])
def test_a_place_that_is_none_begins_at_the_beginning(catalog: Catalog, after: str) -> None:
    row = put(catalog, "a.md")
    catalog.put_links(row, [edge("a.md", None, "[[x]]")], [])
    assert len(catalog.link_page("unresolved", None, after, 10).links) == 1
    assert len(catalog.orphans(after, 10)[0]) == 1


def test_the_path_of_a_link_is_read_from_its_record() -> None:
    def path(raw: str, kind: str = "wikilink", relation: str | None = None) -> str | None:
        return path_of({"raw": raw, "kind": kind, "relation": relation})

    assert path("[[a/B c#H|x]]") == "a/B c"
    assert path("![[p.png|20]]", "embed") == "p.png"
    assert path("[t](a%20b.md#h)", "markdown") == "a b.md"
    assert path("![t](<a b.png>)", "embed") == "a b.png"
    assert path("[[x\\|y]]") == "x"
    assert path("a/b.md", "canvas") == "a/b.md"
    assert path("causes", "canvas", "causes") is None
    assert path("plain") is None


def test_an_empty_vault_has_no_shares_to_divide(catalog: Catalog) -> None:
    stats = catalog.link_stats()
    assert (stats["edges"], stats["resolved_share"], stats["typed_share"], stats["notes_typed_share"]) == (
        0,
        0.0,
        0.0,
        0.0,
    )


def test_no_page_walks_through_the_links_or_asks_once_for_each(catalog: Catalog) -> None:
    for n in range(40):
        row = put(catalog, f"n{n}.md", "# H\n")
        links = [edge(f"n{n}.md", None, f"[[gone {n}]]"), edge(f"n{n}.md", "n1.md", "[[n1#X]]", "X")]
        catalog.put_links(row, [*links, edge(f"n{n}.md", "n2.md", "[[n2]]", ambiguous=True)], [])
    statements: list[str] = []
    catalog._db().set_trace_callback(statements.append)
    counts = {}
    for view in ("unresolved", "ambiguous", "broken_anchors"):
        before = len(statements)
        assert catalog.link_page(view, None, "", 100).total == 40
        counts[view] = len(statements) - before
    catalog.orphans("", 100)
    catalog._db().set_trace_callback(None)
    assert counts == {"unresolved": 3, "ambiguous": 3, "broken_anchors": 2}
    db = sqlite3.connect(catalog.path)
    plans = [(s, row[3]) for s in statements for row in db.execute(f"EXPLAIN QUERY PLAN {s}")]
    db.close()
    assert [plan for plan in plans if plan[1].startswith("SCAN l")] == []
    assert any("links_anchored" in what for _, what in plans)
    assert json.loads(json.dumps(catalog.link_answer("stats", None, "", 1)))["stats"]["edges"] == 120
