"""The block scanner: kinds, nesting, exact offsets, headings, block ids, and time on hostile text."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ebbtide.memory.records import Unit
from ebbtide.parse.blocks import scan_blocks
from ebbtide.parse.syntax import comment_spans, table_cells

MARKS = list("#>-+*`~$<|_=:[]()^!%\\\n\n\n  \t1.ax中🔥\r")
PIECES = st.sampled_from(
    ["- ", "1. ", "> ", "  ", "    ", "\t", "```", "~~~", "\n", "\n", "\n\n", "# ", "text", "[ ] ", "|", "|-|\n", "$$", "<div>",
     "<!--", "-->", "---", "===", "[^1]: ", "[!note] ", "%%", " ^id", "中", "\r\n", ":"]
)  # fmt: skip
MARKDOWNISH = st.text(alphabet=st.sampled_from(MARKS), max_size=200) | st.lists(PIECES, max_size=40).map("".join)


def shown(text: str, *names: str) -> list[tuple[Any, ...]]:
    units = scan_blocks(text).units
    return [(u.kind, text[u.start : u.end], *(getattr(u, name) for name in names)) for u in units]


def test_kinds_of_blocks() -> None:
    text = (
        "# One\n\ntext\nmore\n\n```py\ncode\n```\n\n    code\n\n$$\nx\n$$\n\n<div>\nhtml\n</div>\n\n---\n\nTwo\n===\n"
        "<!-- a\n\nb -->\nend\n"
    )
    assert shown(text) == [
        ("heading", "# One"), ("paragraph", "text\nmore"), ("code", "```py\ncode\n```"), ("code", "code"),
        ("math", "$$\nx\n$$"), ("html", "<div>\nhtml\n</div>"), ("heading", "Two\n==="), ("html", "<!-- a\n\nb -->"),
        ("paragraph", "end"),
    ]  # fmt: skip


def test_lists_tasks_parents_and_leads() -> None:
    text = "Steps:\n\n1. one\n   more\n\t- [x] two\n\t\t- three\n2. four\n\n   more of four\n- [ ] five\n"
    assert shown(text, "depth", "parent", "checked", "lead") == [
        ("paragraph", "Steps:", 0, None, None, None),
        ("list_item", "1. one\n   more", 0, None, None, "Steps:"),
        ("task", "- [x] two", 1, 1, True, None),
        ("list_item", "- three", 2, 2, None, None),
        ("list_item", "2. four", 0, None, None, "Steps:"),
        ("paragraph", "more of four", 1, 4, None, None),
        ("task", "- [ ] five", 0, None, False, "Steps:"),
    ]


def test_a_paragraph_far_above_does_not_lead_a_list() -> None:
    assert shown("Said so.\n\n- a\n", "lead")[1] == ("list_item", "- a", None)
    assert shown("Said so.\n- a\n", "lead")[1] == ("list_item", "- a", "Said so.")


def test_quotes_are_foreign_and_callouts_are_not() -> None:
    text = "> said\nlazy\n\n> [!Warning]- Take care\n> body\n> - item\n>\n> ```\n> code\n> ```\n"
    text += "\n> [!quote]\n> theirs\n"
    assert shown(text, "callout", "foreign") == [
        ("quote", "said\nlazy", None, True),
        ("callout", "Take care", "warning", False),
        ("callout", "body", "warning", False),
        ("list_item", "- item", "warning", False),
        ("code", "```\n> code\n> ```", "warning", False),
        ("callout", "theirs", "quote", True),
    ]


def test_tables_have_cells_and_header() -> None:
    text = "before\n| a | b \\| c |\n|---|:-:|\n| [[x|y]] | `p|q` |\n| 1 |\n\nafter | not\n"
    assert shown(text, "cells", "header") == [
        ("paragraph", "before", (), ()),
        ("table_row", "| [[x|y]] | `p|q` |", ("[[x|y]]", "`p|q`"), ("a", "b | c")),
        ("table_row", "| 1 |", ("1",), ("a", "b | c")),
        ("paragraph", "after | not", (), ()),
    ]


@pytest.mark.parametrize(
    ("line", "cells"), [("a|b", ("a", "b")), ("| |x|", ("", "x")), ("a", ("a",)), ("|a\\|b|", ("a|b",)), ("|", ("",))]
)
def test_table_cells(line: str, cells: tuple[str, ...]) -> None:
    assert table_cells(line, 0, len(line)) == cells


def test_heading_paths_and_raw_text() -> None:
    text = "intro\n# A *b* [[C]] ##\n## D\nx\n#tag\n### \n# E#\ny\n> # quoted\n"
    blocks = scan_blocks(text)
    assert [(h.level, h.text, h.line) for h in blocks.headings] == [(1, "A *b* [[C]]", 2), (2, "D", 3), (1, "E#", 7)]
    paths = {text[u.start : u.end]: u.headings for u in blocks.units}
    assert paths["intro"] == ()
    assert paths["x\n#tag"] == ("A *b* [[C]]", "D")
    assert paths["# E#"] == ()
    assert paths["y"] == ("E#",)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("It drips. ^leak-1\n", ["leak-1"]),
        ("- a ^A1\n- b\n", ["A1"]),
        ("> said\n\n^quote1\n", ["quote1"]),
        ("| a |\n|---|\n| b |\n\n^t\n", ["t"]),
        ("two lines\nhere ^end  \n", ["end"]),
        ("x^2\n\na ^b c\n\na ^b_c\n\n```\n^code\n```\n", []),
    ],
)
def test_block_ids(text: str, ids: list[str]) -> None:
    anchors = scan_blocks(text).anchors
    assert [anchor.id for anchor in anchors] == ids
    assert all(text.startswith(f"^{anchor.id}", anchor.offset) for anchor in anchors)


def test_footnote_text_is_no_code() -> None:
    assert shown("[^1]: one\n\n    two\n\nthree\n") == [
        ("paragraph", "one"), ("paragraph", "two"), ("paragraph", "three"),
    ]  # fmt: skip


def test_comments_outside_code_only() -> None:
    text = "a %%b%% c `%%` d\n\n```\n%%\n```\n\n%%\nhidden\n\n# Too\n%%\n100%% sure\n"
    blocks = scan_blocks(text)
    spans = [text[a:b] for a, b in comment_spans(text, blocks.units)]
    assert spans == ["%%b%%", "%%\nhidden\n\n# Too\n%%"]
    assert ("html", "hidden") in shown(text)


def test_crlf_stays_out_of_units() -> None:
    assert shown("# A\r\n\r\n- b\r\n  c\r\n") == [("heading", "# A"), ("list_item", "- b\r\n  c")]


def check_units(text: str, start: int = 0) -> tuple[Unit, ...]:
    blocks = scan_blocks(text, start)
    before = start
    for unit in blocks.units:
        assert before <= unit.start <= unit.end <= len(text)
        before = unit.start
        assert unit.line == text.count("\n", 0, unit.start) + 1
        assert unit.parent is None or blocks.units[unit.parent].kind in ("list_item", "task")
        source = text[unit.start : unit.end]
        if unit.kind not in ("code", "math", "html"):
            assert source == source.strip(" \t") or unit.kind in ("heading", "table_row", "callout", "task")
    for anchor in blocks.anchors:
        assert text.startswith(f"^{anchor.id}", anchor.offset)
    for heading in blocks.headings:
        assert heading.line == text.count("\n", 0, heading.offset) + 1
    return blocks.units


@example("- ```\n  x\n  ```\n  text\n")
@example("- - a\n\n  b\n- > q\n\n  b\n- # h\n  c\n")
@given(MARKDOWNISH)
def test_places_are_exact_on_any_text(text: str) -> None:
    check_units(text)


@given(st.text(max_size=200))
def test_never_raises_on_arbitrary_text(text: str) -> None:
    check_units(text)


@given(MARKDOWNISH)
def test_every_word_of_plain_paragraphs_is_in_a_unit(text: str) -> None:
    units = scan_blocks(text).units
    place = text.find("中")
    while place >= 0:
        line = text[text.rfind("\n", 0, place) + 1 : place]
        # Table heads, callout names and footnote labels are no units.
        if not set(line) & set("|[:-"):
            inside = any(u.start <= place < u.end for u in units)
            table = any(u.kind == "table_row" for u in units) or "|" in text
            assert inside or table
        place = text.find("中", place + 1)


HOSTILE = {
    "one line": "a" * 1_000_000,
    "brackets": "[" * 10_000,
    "quotes": ">" * 100_000 + " x\n",
    "levels": "".join("  " * depth + "- x\n" for depth in range(1_000)),
    "levels and blanks": "".join("  " * depth + "- x\n" for depth in range(1_000)) + "\n" * 200_000,
    "dashes": "- " * 200_000 + "x",
    "ticks": "`" * 500_000 + "\n" + "|`" * 100_000,
    "spaces": "# a" + " " * 500_000 + "b\n|a\n-" + " " * 500_000 + "x\n<a " + " " * 500_000 + "y",
    "comments": "%%" * 200_000 + "\n" + "%%\n" * 100_000,
    "fences": "```\n" * 100_000,
    "nul": "\0" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    began = time.process_time()
    scan_blocks(HOSTILE[name])
    assert time.process_time() - began < 6


def test_thousand_levels_are_kept() -> None:
    units = scan_blocks(HOSTILE["levels"]).units
    assert [unit.depth for unit in units] == list(range(1_000))
    assert units[-1].parent == 998
