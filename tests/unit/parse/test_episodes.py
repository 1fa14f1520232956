"""Which notes are episodes, what they say, and what they leave out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.episodes import RESULTS, Episode, episode_of, read_result
from ebbtide.parse.note import parse_note


def read(text: str, path: str = "Sprint.md") -> Episode | None:
    return episode_of(parse_note(path, text))


WHOLE = """---
type: sprint
trigger: Surveyors asked for maps
result: failure
date: 2026-01-16
lesson: "Ask first"
---
# Sprint 9

## Tried

- Pack tiles
- Resume downloads

## Result

Failed. One phone of six finished.

## Reason

Too large for [[Phones|the phones]].
"""


def test_a_whole_episode() -> None:
    found = read(WHOLE)
    assert found is not None
    assert (found.type, found.result, found.stated, found.date, found.missing) == (
        "sprint",
        "failure",
        True,
        "2026-01-16",
        (),
    )
    assert found.parts["tried"].text == "Pack tiles Resume downloads"
    assert (found.parts["tried"].line, found.parts["trigger"].line) == (12, 3)
    assert found.parts["reason"].text == "Too large for the phones."
    assert found.parts["reason"].quote == "Too large for [[Phones|the phones]]."


@pytest.mark.parametrize(
    ("text", "result", "missing"),
    [
        ("---\ntype: debug\n---\nIt was slow.\n", None, ("trigger", "result", "lesson")),
        ("---\nresult: 成功\n---\n换了电池。\n", "success", ("trigger", "lesson")),
        ("---\nresult: partly\n---\nHm.\n", "partial", ("trigger", "lesson")),
        ("## 尝试\n\n换线。\n\n## 结果\n\n恢复。\n\n## 教训\n\n先查线。\n", "success", ("trigger",)),
        ("## Tried\n\nA\n\n## Outcome\n\nHard to say.\n\n## Lesson\n\nB\n", None, ("trigger", "result")),
        ("---\ntype: experiment\nresult: maybe\n---\n## Result\n\nIt worked.\n", "success", ("trigger", "lesson")),
    ],
)
def test_what_is_not_said_is_missing(text: str, result: str | None, missing: tuple[str, ...]) -> None:
    found = read(text)
    assert found is not None
    assert (found.result, found.missing) == (result, missing)


@pytest.mark.parametrize(
    "text",
    [
        "# Plan\n\nWe will try tiles.\n",
        "## Result\n\n42\n",
        "## Tried\n\nA\n\n## Result\n\nB\n",
        "---\ntype: decision\n---\nX\n",
        "",
    ],
)
def test_other_notes_are_none(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Failed after two days.", "failure"),
        ("We gave up on it.", "failure"),
        ("It did not fail.", None),
        ("Everything worked.", "success"),
        ("It never worked.", None),
        ("It didn't work.", "failure"),
        ("Partly fixed.", "partial"),
        ("The import succeeded but the export failed.", "partial"),
        ("两天后恢复。", "success"),
        ("没有成功。", "failure"),
        ("部分解决了。", "partial"),
        ("没有失败。", None),
        ("204 台设备受影响。恢复。", "success"),
        ("42 users came.", None),
    ],
)
def test_a_result_is_read_only_where_it_is_stated(text: str, result: str | None) -> None:
    assert read_result(text) == result


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = read(f"---\ntype: sprint\n---\n{text}")
    assert found is None or found.result in (None, *RESULTS)
    for said in found.parts.values() if found else ():
        assert said.text
