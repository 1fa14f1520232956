"""Near names: what is suggested for a link that leads nowhere, and when nothing is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.near import Name, Near, Vocabulary, singular

PATHS = [
    "Projects/Roadmap 2026.md", "Archive/Harbor Plan.md", "Index Design.md", "Meetings.md", "People/Mara Ellison.md",
    "笔记/项目计划.md", "笔记/索引设计.md", "一月总结.md", "Week 3.md", "img/diagram.png", "img/diagram 2.png", "board.canvas",
    "C++.md", "Idea.v2.md", "云.md", "NAT.md", "阿里云盘.md", "Sortable.md",
]  # fmt: skip
NAMES = [
    *(Name(path.rpartition("/")[2], path, "file") for path in PATHS),
    Name("The long road", "Projects/Roadmap 2026.md", "title"),
    Name("MELL", "People/Mara Ellison.md", "alias"),
    Name("路线图", "Projects/Roadmap 2026.md", "alias"),
]


@pytest.fixture(scope="module")
def names() -> Vocabulary:
    return Vocabulary(NAMES)


@pytest.mark.parametrize(
    ("wanted", "name", "how"),
    [
        ("Old/Harbor Plan", "Harbor Plan", "moved"),
        ("Old/harbor plan.md", "Harbor Plan", "moved"),
        ("旧/项目计划", "项目计划", "moved"),
        ("harbor-plan", "Harbor Plan", "form"),
        ("HarborPlan", "Harbor Plan", "form"),
        ("項目計劃", "项目计划", "form"),
        ("索引 设计", "索引设计", "form"),
        ("ｉｎｄｅｘ Design", "Index Design", "form"),
        ("Meeting", "Meetings", "plural"),
        ("Roadmaps 2026", "Roadmap 2026", "typo"),
        ("Haror Plan", "Harbor Plan", "typo"),
        ("Habror Plan", "Harbor Plan", "typo"),
        ("Mara Elison", "Mara Ellison", "typo"),
        ("索引设汁", "索引设计", "typo"),
        ("the long road", "The long road", "form"),
        ("mell", "MELL", "form"),
        ("路線圖", "路线图", "form"),
        ("diagrm.png", "diagram", "typo"),
        ("pics/Diagram.PNG", "diagram", "moved"),
        ("Board.canvas", "board", "form"),
        ("Ideav2", "Idea.v2", "form"),
    ],
)
def test_the_name_that_was_meant_comes_first(names: Vocabulary, wanted: str, name: str, how: str) -> None:
    found = names.near(wanted)
    assert (found[0].name, found[0].how) == (name, how)
    assert 0.75 <= found[0].nearness <= 1.0
    assert len(found) <= 3


@pytest.mark.parametrize(
    "wanted",
    [
        "", "/", "Folder/", "Nothing like it", "完全不同的名字", "Roadmap 2027", "Week 4", "二月总结", "C", "C#", "月",
        "diagram 3.png", "diagram.pdf", "board", "Road", "DNAT", "阿里云", "airtable", "https://example.org/x",
    ],
)  # fmt: skip
def test_nothing_is_said_when_nothing_is_near(names: Vocabulary, wanted: str) -> None:
    assert names.near(wanted) == []


def test_one_file_is_suggested_once_and_the_nearest_first() -> None:
    names = Vocabulary(
        [
            Name("Garden notes.md", "a/Garden notes.md", "file"),
            Name("Garden-notes", "a/Garden notes.md", "alias"),
            Name("Garden note.md", "b/Garden note.md", "file"),
            Name("Gardem notes.md", "c/Gardem notes.md", "file"),
            Name("Garden nodes.md", "d/Garden nodes.md", "file"),
        ]
    )
    found = names.near("old/garden notes")
    assert [(near.path, near.how) for near in found] == [
        ("a/Garden notes.md", "moved"),
        ("b/Garden note.md", "plural"),
        ("c/Gardem notes.md", "typo"),
    ]


def test_singular_is_careful() -> None:
    words = {"meetings": "meeting", "stories": "story", "boxes": "box", "class": "class", "status": "status"}
    assert {word: singular(word) for word in words} == words
    assert [singular(word) for word in ("thesis", "gas", "项目s")] == ["thesis", "gas", "项目s"]


@given(st.lists(st.text(min_size=1, max_size=20), max_size=20), st.text(max_size=20))
def test_any_names_can_be_asked_and_the_same_answer_comes_again(paths: list[str], wanted: str) -> None:
    names = [Name(path, f"{n}.md", "title") for n, path in enumerate(paths)]
    found = Vocabulary(names).near(wanted)
    assert found == Vocabulary(reversed(names)).near(wanted)
    assert all(isinstance(near, Near) and 0.75 <= near.nearness <= 1 for near in found)


NAME = st.text(st.characters(categories=("L", "N", "P", "So"), exclude_characters="/"), min_size=1, max_size=30)


@given(NAME)
def test_a_name_in_another_folder_is_found_by_its_name(name: str) -> None:
    found = Vocabulary([Name(name + ".md", f"new/{name}.md", "file")]).near(f"old/{name}.md")
    assert [near.path for near in found] == [f"new/{name}.md"]


@given(NAME, st.integers(0, 30))
def test_a_slip_in_a_long_name_is_found_unless_it_changes_a_number(name: str, at: int) -> None:
    good, bad = f"harbor{name[:at]}quay", f"harbor{name[:at]}qay"
    assert [near.how for near in Vocabulary([Name(good, "n.md", "title")]).near(bad)] == ["typo"]
