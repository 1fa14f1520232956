"""Anchors: what counts as the heading or block a link names, and what is near one that is not there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.anchors import MAX_ANCHORS, Anchors, fold_heading, outline, read_outline, write_outline
from ebbtide.parse.note import MAX_NOTE, parse_note

NOTE = """# Plan
## Why it matters?
Words. ^Kern-1
### Costs (2026)
## Risks
### Costs (2026)
### About [[Harbor|the harbor]]
## 为什么：改用 SQLite！
- item ^b2
# 📌 Pinned
"""


def anchors(text: str = NOTE, path: str = "n.md") -> Anchors:
    return read_outline(write_outline(outline(parse_note(path, text))))


@pytest.mark.parametrize(
    "heading",
    [
        "Plan", "plan", "PLAN ", "Why it matters", "why  it matters?", "Costs 2026", "Costs (2026)",
        "About Harbor the harbor", "为什么 改用 SQLite", "为什么：改用 sqlite！", "📌 Pinned",
        "Plan#Why it matters?", "Plan#Costs (2026)", "Risks#Costs (2026)", "Plan#Risks#Costs 2026", "#Risks",
    ],
)  # fmt: skip
def test_a_heading_is_found_as_obsidian_compares_it(heading: str) -> None:
    assert anchors().holds(heading, None)


@pytest.mark.parametrize(
    "heading",
    [
        "Pla", "Why-it-matters", "why it", "Cost 2026", "Pinned", "Risks#Plan", "Costs (2026)#Risks",
        "Risks#为什么 改用 SQLite", "Pinned#Risks", "Plan#Nowhere", "為什麼 改用 SQLite",
    ],
)  # fmt: skip
def test_a_heading_that_is_not_there_or_not_below_is_missing(heading: str) -> None:
    assert not anchors().holds(heading, None)


def test_a_nested_heading_is_looked_for_below_every_one_of_its_parents() -> None:
    found = anchors("# A\n## B\n# A\n## C\n")
    assert found.holds("A#B", None)
    assert found.holds("A#C", None)
    assert not found.holds("B#C", None)


@pytest.mark.parametrize(("block", "there"), [("Kern-1", True), ("kern-1", True), ("b2", True), ("kern", False)])
def test_blocks_know_no_case(block: str, there: bool) -> None:
    assert anchors().holds(None, block) is there
    assert anchors().holds(f"Risks#^{block}", None) is there


@pytest.mark.parametrize("heading", [None, "", "#", "[^1]"])
def test_what_names_no_anchor_misses_none(heading: str | None) -> None:
    assert anchors().holds(heading, None)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("x" * (MAX_NOTE + 1), "long.md"),
        ("# A\n", "d.excalidraw.md"),
        ("---\nexcalidraw-plugin: parsed\n---\n# A\n", "d.md"),
        ("# h\n" * (MAX_ANCHORS + 1), "many.md"),
    ],
)
def test_what_cannot_be_known_is_never_missing(text: str, path: str) -> None:
    found = anchors(text, path)
    assert found.holds("Anything", None)
    assert found.holds(None, "group=x1")
    assert found.near("Anything", None) == []


def test_the_nearest_headings_and_blocks_are_suggested() -> None:
    assert [near.name for near in anchors().near("Why it maters", None)] == ["Why it matters?"]
    assert anchors().near("Risk", None)[0].how == "plural"
    assert [near.name for near in anchors().near("Plan#Costs 2026", None)] == ["Costs (2026)"]
    assert [near.name for near in anchors().near("為什麼改用SQLite", None)] == ["为什么：改用 SQLite！"]
    assert [near.name for near in anchors().near(None, "kern1")] == ["Kern-1"]
    assert anchors().near("Something else", None) == []


def test_a_heading_of_punctuation_only_is_compared_as_it_is() -> None:
    found = anchors("# ???\n# !!!\n")
    assert found.holds("???", None)
    assert not found.holds("...", None)


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)


@given(TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold_heading(fold_heading(text)) == fold_heading(text)


@given(st.lists(st.tuples(st.integers(1, 6), st.text("abc 甲乙-_", min_size=1, max_size=8)), max_size=12))
def test_every_heading_of_a_note_is_found_by_its_own_text_and_below_its_parent(heads: list[tuple[int, str]]) -> None:
    note = parse_note("n.md", "".join(f"{'#' * level} {text}\n" for level, text in heads))
    found = read_outline(write_outline(outline(note)))
    above: list[tuple[int, str]] = []
    for heading in note.headings:
        assert found.holds(heading.text, None)
        above = [pair for pair in above if pair[0] < heading.level]
        if above and above[-1][1].strip() and heading.text.strip():
            assert found.holds(f"{above[-1][1]}#{heading.text}", None)
        above.append((heading.level, heading.text))


@given(TEXT)
def test_any_text_as_a_link_raises_nothing(text: str) -> None:
    found = anchors()
    assert found.holds(text, None) in (True, False)
    assert all(near.name for near in found.near(text, None))
