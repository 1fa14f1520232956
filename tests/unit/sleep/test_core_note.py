"""A core memory as a file: what is put into it stays text, what a person made of it stays, and it is read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.links import NameIndex, build_links
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import fold
from ebbtide.sleep.core_note import (
    EVIDENCE_AT_MOST,
    FOLDERS,
    FOOTNOTES_AT_MOST,
    NewCore,
    claim_of,
    escaped,
    line_of,
    linked,
    name_for,
    retired,
    room,
    unescaped,
    with_footnote,
    with_place,
    written,
)
from ebbtide.sleep.nights import Quote
from night_cases import memory

CLAIM = "Never deploy on a Friday."
PLACE = Quote("Work/2026-03-09.md", 3, "We deployed on a Friday and it broke.", "2026-03-09")
NEW = NewCore(
    "principle",
    CLAIM,
    "2026-03-10",
    "en",
    [PLACE],
    why="nobody is there on Saturday",
    how="before a release, ask who stays",
)

TEXT = st.text(max_size=80)
HOSTILE = [
    "[[Secret]] and ![[Secret]] and [x](Secret.md)",
    "%%hidden%% <script>alert(1)</script> <% tp.file.delete() %> {{title}}",
    "supersedes:: [[Other]] (causes:: Other) #tag ^block",
    "# Heading",
    "- item",
    "1. first",
    "> quote",
    "``` code",
    "`= this.file` `$= dv.pages()` $x^2$ ~~no~~ ==yes== **bold** _it_",
    "---",
    "[^1]: note",
    "&lt;b&gt; &#91;&#91;Secret&#93;&#93;",
    "line\nwith\u2028breaks\x00and\x1bcontrols",
]


def test_it_is_a_core_memory_of_the_contract() -> None:
    text = written(NEW)
    note = parse_note("Memory/core/principles/A.md", text)
    properties = note.properties
    assert note.problems == ()
    assert properties["type"] == "principle"
    assert properties["origin"] == "derived"
    assert properties["status"] == "active"
    assert properties["created"] == properties["verified"] == "2026-03-10"
    assert properties["evidence"] == ["[[Work/2026-03-09]]"]
    assert properties["description"]
    assert claim_of(text, "A") == CLAIM
    assert "**Why:** nobody is there on Saturday" in text
    assert "**How to apply:** before a release, ask who stays" in text
    assert "- 2026-03-09 [[Work/2026-03-09]]: “We deployed on a Friday and it broke.”" in text


def test_nothing_is_said_that_nobody_said() -> None:
    text = written(NewCore("model", CLAIM, "2026-03-10", "en", [PLACE]))
    assert "Why" not in text
    assert "How to apply" not in text
    assert "Related" not in text


def test_its_links_lead_to_evidence_and_neighbours() -> None:
    text = written(
        NewCore("model", CLAIM, "2026-03-10", "en", [PLACE], links=["Memory/core/models/B.md", "Own/C [x].md"])
    )
    path = "Memory/core/models/A.md"
    names = NameIndex(["Work/2026-03-09.md", "Memory/core/models/B.md", "Own/C [x].md", path])
    links = build_links(parse_note(path, text), names)
    assert {end for link in links for end in (link.origin, link.target)} - {path} == {
        "Work/2026-03-09.md",
        "Memory/core/models/B.md",
        "Own/C [x].md",
    }


@pytest.mark.parametrize("said", HOSTILE)
def test_text_of_the_vault_stays_text(said: str) -> None:
    place = Quote("Work/2026-03-09.md", 3, said, "2026-03-09")
    text = written(NewCore("model", CLAIM, "2026-03-10", "en", [place], why=said, how=said))
    note = parse_note("Memory/core/models/A.md", text)
    assert {link.path for link in note.links} == {"Work/2026-03-09"}
    assert all(link.relation in (None, "evidence") for link in note.links)
    assert note.tags == ()
    assert note.anchors == ()
    assert note.headings == ()
    assert [unit.kind for unit in note.units if unit.kind in ("code", "math", "html", "quote")] == []
    assert claim_of(text, "A") == CLAIM


@given(TEXT)
def test_what_is_escaped_is_read_back(text: str) -> None:
    assert unescaped(escaped(text)) == line_of(text)
    assert "\n" not in escaped(text)


@given(TEXT, st.sampled_from(sorted(FOLDERS)), st.sets(st.sampled_from(["a", "b"])))
def test_names_are_safe_free_and_the_same_again(claim: str, kind: str, taken: set[str]) -> None:
    path = name_for(claim, kind, "Memory", "0123456789abcdef0123456789abcdef", taken)
    again = name_for(claim, kind, "Memory", "0123456789abcdef0123456789abcdef", {fold(path)})
    base = f"Memory/core/{FOLDERS[kind]}/"
    for one in (path, again):
        name = one.removeprefix(base)
        assert one.startswith(base)
        assert name.endswith(".md")
        assert not set(name) & set('\\/:*?"<>|#^[]')
        assert name.isprintable()
        assert not name.startswith((".", " "))
        assert not name.removesuffix(".md").endswith((".", " "))
        assert len(name.encode()) <= 200
    assert fold(again) != fold(path)
    assert path == name_for(claim, kind, "Memory", "0123456789abcdef0123456789abcdef", taken)


@pytest.mark.parametrize(
    "claim",
    [
        "../../etc/passwd",
        "CON",
        "nul.txt",
        "2026-03-09",
        "Index",
        "…",
        ".hidden",
        "a.tmp",
        "Plan (conflicted copy 2026-01-01 120000)",
        "~",
    ],
)
def test_hostile_names(claim: str, tmp_path: Path) -> None:
    path = name_for(claim, "model", "Memory", "0123456789abcdef", frozenset())
    file = tmp_path / path
    assert file.resolve().is_relative_to(tmp_path / "Memory" / "core" / "models")
    file.parent.mkdir(parents=True)
    file.write_text("x")
    name = file.stem.lower()
    assert name not in ("con", "index", "2026-03-09")
    assert not name.startswith(".")
    assert "conflicted copy" not in name


def test_links_that_brackets_cannot_hold() -> None:
    assert linked("A/B c.md") == "[[A/B c]]"
    assert linked("A/[x] #1|2.md") == "[\\[x\\] \\#1|2](A/%5Bx%5D%20%231%7C2.md)"


# --- added to ---------------------------------------------------------------------------------------------------------

MORE = Quote("Life/2026-03-12.md", 5, "A quiet Thursday is better.", "2026-03-12")


def test_a_further_place_stands_under_the_others_and_verifies() -> None:
    text = with_place(written(NEW), "Evidence", MORE, "2026-03-13")
    lines = text.split("\n")
    first, second = (n for n, line in enumerate(lines) if line.startswith("- 2026"))
    assert second == first + 1
    assert "[[Life/2026-03-12]]" in lines[second]
    assert "verified: 2026-03-13" in lines
    assert "created: 2026-03-10" in lines


def test_a_dispute_gets_a_list_of_its_own_and_verifies_nothing() -> None:
    new = NewCore("principle", CLAIM, "2026-03-10", "en", [PLACE], links=["Memory/core/models/B.md"])
    text = with_place(written(new), "Disputed", MORE, "2026-03-13")
    assert text.index("**Evidence:**") < text.index("**Disputed:**") < text.index("**Related:**")
    assert "verified: 2026-03-10" in text
    again = with_place(text, "Disputed", PLACE, "2026-03-13")
    assert again.count("**Disputed:**") == 1


def test_a_footnote_hangs_on_the_claim() -> None:
    once = with_footnote(written(NEW), MORE)
    twice = with_footnote(once, PLACE)
    assert f"{CLAIM}[^1][^2]\n" in twice
    assert twice.endswith("”\n")
    assert twice.index("[^1]: 2026-03-12") < twice.index("[^2]: 2026-03-09")
    assert claim_of(twice, "A") == CLAIM


OWN_TEXT = st.text(alphabet=st.sampled_from(list("ab 中\n#-*>[]^:1.|`")), max_size=200)


@given(OWN_TEXT, st.sampled_from(["\n", "\r\n"]))
def test_what_a_person_wrote_stays_whatever_it_is(own: str, end: str) -> None:
    text = ("---\ntype: model\norigin: derived\nverified: 2026-01-01\n---\n" + own).replace("\n", end)
    kept = [line.strip() for line in own.split("\n") if line.strip()]
    for changed in (
        with_place(text, "Evidence", MORE, "2026-03-13"),
        with_place(text, "Disputed", MORE, "2026-03-13"),
        with_footnote(text, MORE),
        retired(text, "Memory/core/models/B.md"),
    ):
        lines = [line.strip() for line in changed.replace("\r\n", "\n").split("\n") if line.strip()]
        rest = iter(lines)
        assert all(any(line.startswith(mine) for line in rest) for mine in kept)
        assert (end == "\r\n") == ("\r\n" in changed)
        assert changed.count("origin: derived") == 1


def test_one_that_is_replaced_says_so() -> None:
    note = parse_note("A.md", retired(written(NEW), "Memory/core/models/B.md"))
    assert note.properties["status"] == "superseded"
    assert note.properties["superseded_by"] == "[[Memory/core/models/B]]"
    assert claim_of(note.text, "A") == CLAIM


def test_it_does_not_grow_without_end() -> None:
    text = written(NEW)
    for _ in range(EVIDENCE_AT_MOST):
        text = with_place(text, "Evidence", MORE, "2026-03-13")
    assert not room(memory(CLAIM, text=text), "Evidence")
    assert room(memory(CLAIM, text=text), "Disputed")
    for _ in range(FOOTNOTES_AT_MOST):
        assert room(memory(CLAIM, text=text), "footnote")
        text = with_footnote(text, MORE)
    assert not room(memory(CLAIM, text=text), "footnote")


def test_a_persons_own_note_is_read_too() -> None:
    assert claim_of("# Title\n\n- a list\n\nThe claim itself.\n", "T") == "The claim itself."
    assert claim_of("---\ndescription: when it rains\n---\n# Only a title\n", "T") == "when it rains"
    assert claim_of("# Only a title\n", "T") == "T"
