"""The catalogue's episodes: in order, by filter, a page at a time, and gone with their file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ebbtide.index.catalog import Catalog, FileRow, NewFact, NewLink
from ebbtide.parse.episodes import episode_of
from ebbtide.parse.note import parse_note


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def put(catalog: Catalog, path: str, properties: str, body: str = "Text.\n") -> int:
    row = catalog.put_file(FileRow(0, f"n_{path}", path, 1, 2, 3, f"d_{path}", "note", "indexed", title=path))
    catalog.put_episode(row, episode_of(parse_note(path, f"---\n{properties}\n---\n{body}")))
    return row


def fill(catalog: Catalog) -> None:
    put(catalog, "b.md", "type: debug\nresult: failure\ndate: 2026-02-01")
    put(catalog, "a.md", "type: sprint\nresult: success\ndate: 2026-02-01")
    put(catalog, "c.md", "type: debug\ndate: 2026-03-01")
    put(catalog, "d.md", "type: incident\ntrigger: Smoke")
    put(catalog, "e.md", "type: note\nresult: partial\ndate: 2025-01-01")
    put(catalog, "f.md", "type: note")


def paths(catalog: Catalog, result: str | None = None, kind: str | None = None, note: str | None = None) -> list[str]:
    found = [episode["note"] for _, _, episode in catalog.find_episodes(result, kind, note, 100)]
    assert catalog.count_episodes(result, kind, note) == len(found)
    return found


def test_newest_first_undated_last_and_by_path_within_a_day(catalog: Catalog) -> None:
    fill(catalog)
    assert paths(catalog) == ["c.md", "a.md", "b.md", "e.md", "d.md"]
    assert paths(catalog, "failure") == ["b.md"]
    assert paths(catalog, "missing") == ["c.md", "d.md"]
    assert paths(catalog, kind="debug") == ["c.md", "b.md"]
    assert paths(catalog, "missing", "debug") == ["c.md"]
    assert paths(catalog, note="e.md") == ["e.md"]
    assert catalog.episode_results() == {"missing": 2, "failure": 1, "partial": 1, "success": 1}


def test_pages_follow_each_other(catalog: Catalog) -> None:
    fill(catalog)
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = catalog.episode_answer(None, None, None, after, 2)
        seen += [episode["note"] for episode in page["episodes"]]
        assert page["total"] == 5
        after = page["next"]
    assert seen == paths(catalog)


def test_what_is_asked_for_is_of_declared_episodes_alone(catalog: Catalog) -> None:
    fill(catalog)
    assert catalog.episodes_missing(10) == [
        ("c.md", ("trigger", "result", "lesson"), "2026-03-01"),
        ("d.md", ("result", "lesson"), None),
    ]
    assert catalog.episodes_missing(1) == catalog.episodes_missing(10)[:1]
    assert catalog.episodes_missing(10, "c.md") == catalog.episodes_missing(10)[1:]


def test_parts_come_back_as_they_were_told_in_their_order(catalog: Catalog) -> None:
    put(catalog, "a.md", "type: debug\nlesson: 先问\ntrigger: Smoke", "## Result\n\nFixed: “half”\ud800.\n")
    ((_, _, found),) = catalog.find_episodes(None, None, None, 9)
    assert list(found["parts"]) == ["trigger", "result", "lesson"]
    assert found["parts"]["lesson"] == {"text": "先问", "line": 3, "quote": "先问"}
    assert (found["result"], found["stated"], found["sign"], found["private"]) == ("success", False, "type", False)


def test_an_episode_changes_moves_and_goes_with_its_file(catalog: Catalog) -> None:
    row = put(catalog, "a.md", "type: debug")
    assert put(catalog, "a.md", "type: debug\nresult: failure") == row
    assert paths(catalog, "failure") == ["a.md"]
    catalog.move_file("a.md", "b.md")
    assert paths(catalog) == ["b.md"]
    catalog.remove_file("b.md")
    assert paths(catalog) == []
    put(catalog, "a.md", "type: debug")
    put(catalog, "a.md", "type: note")
    assert paths(catalog) == []


def fact(row: int, ident: str, because: str | None) -> NewFact:
    said = "null" if because is None else f'"{because}"'
    key = ident.encode().ljust(16)[:16]
    return NewFact(row, ident, f'{{"id":"{ident}","because":{said}}}', ident, "en", key, "lesson")


def link(target: str, raw: str) -> NewLink:
    return NewLink(target, False, f'{{"raw":"{raw}"}}', "mentioned", False, False, 1.0, False, None)


def test_facts_point_to_their_episode_by_the_link_as_it_resolves(catalog: Catalog) -> None:
    one, two = put(catalog, "Work/One.md", "type: debug"), put(catalog, "Home/One.md", "type: debug")
    other = put(catalog, "Plan.md", "type: note")
    catalog.put_links(other, [link("Work/One.md", "[[One|the first]]"), link("Work/One.md", "[[Twofold]]")], [])
    for row, ident, because in (
        (one, "f_a", "Work/One"), (one, "f_b", None), (one, "f_c", "Home/One"), (other, "f_d", "One"), (other, "f_e", "Two"),
        (other, "f_f", None),
    ):  # fmt: skip
        catalog.put_fact(fact(row, ident, because))
    assert catalog.facts_because([one, two]) == {one: ["f_a", "f_d"], two: []}
    catalog.put_links(other, [link("Home/One.md", "[[One|the first]]")], [])
    assert catalog.facts_because([one, two]) == {one: ["f_a"], two: ["f_d"]}
