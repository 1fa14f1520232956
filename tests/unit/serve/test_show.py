"""Answers as text."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.serve import show, show_answer, show_exam, show_health, show_rulings, show_sleep, show_tune
from ebbtide.serve.calls import CALLS
from ebbtide.serve.show import Pen

PLAIN = Pen()


def test_everything_that_can_be_asked_can_be_shown() -> None:
    shown = (
        show.SHOWN.keys()
        | show_rulings.SHOWN.keys()
        | show_answer.SHOWN.keys()
        | show_exam.SHOWN.keys()
        | show_health.SHOWN.keys()
        | show_sleep.SHOWN.keys()
        | show_tune.SHOWN.keys()
    )
    assert set(CALLS) - {"job"} == shown


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("搬家", 4), ("e\u0301", 1), ("ｆｕｌｌ", 8), ("a\u200db", 2), ("", 0)]
)
def test_columns(text: str, width: int) -> None:
    assert show.columns(text) == width


def test_cut_never_exceeds_the_width() -> None:
    for width in range(2, 12):
        assert show.columns(show.cut("搬家 decision 决定", width)) <= width
    assert show.cut("搬家", 4) == "搬家"


def test_a_table_lines_up_with_wide_characters() -> None:
    text = show.table([("搬家决定.md", 1, "x"), ("a.md", 22, "y")], ("note", "n", "end"), PLAIN)
    assert {
        show.columns(line[: line.index(mark)]) for line, mark in zip(text.splitlines(), ("end", "x", "y"), strict=True)
    } == {17}
    narrow = show.table([("a.md", "长" * 50)], ("note", "why"), Pen(width=30))
    assert max(map(show.columns, narrow.splitlines())) <= 30
    assert show.table([], ("a", "b"), PLAIN) == ""


def test_a_note_cannot_drive_the_terminal() -> None:
    assert show.clean("a\x1b[2J\x07b\u202ec\nd") == "a\ufffd[2J\ufffdb\ufffdc d"


def test_recall(schema_example: Any) -> None:
    text = show.recall(schema_example("recall-response", 0), PLAIN, explain=True)
    assert "Projects/Mosslog/Decisions/ADR-007 Per-Field Merge Log.md:12" in text
    assert "close in meaning" in text
    assert "Hidden: 3 frozen, 1 archived; --include shows them." in text
    assert "R 0.88" in text
    assert "\x1b" not in text
    empty = show.recall(schema_example("recall-response", 1), PLAIN)
    assert empty.startswith("没有找到相关的记忆。")
    assert "模型还在准备" in empty


def test_status(schema_example: Any) -> None:
    text = show.status(schema_example("status", 1), PLAIN)
    for part in (
        "indexing",
        "57 of 62 indexed",
        "vectors 40 of 394, about 21 s to go",
        "1 problem in the vault",
        "Scratch/Broken.md:3",
        "quote the value",
        "no daemon",
    ):
        assert part in text
    assert "problem" not in show.status(schema_example("status", 0), PLAIN)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59, "59 s"),
        (60, "1 min 0 s"),
        (3612, "1 h 0 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert show.duration(seconds) == text


def test_colour_only_when_asked_for() -> None:
    assert Pen(color=True).bold("x") == "\x1b[1mx\x1b[0m"
    assert Pen().bold("x") == "x"
