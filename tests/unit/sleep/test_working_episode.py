"""A working note as an episode: only its own words, read back as it was read; and the report's words about a night's hygiene."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.states import Lang
from ebbtide.parse.episodes import episode_of
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import fold
from ebbtide.sleep.nights import Quote, Step
from ebbtide.sleep.report_hygiene import Lapsed, counts, hygiene_of, sections, twin
from ebbtide.sleep.working_episode import ended, path_for, written

ZH = """---
type: 调试
trigger: 夜里索引停了
origin: agent
---

# 索引

## 尝试

用四个线程重建。

## 结果

失败了：磁盘满了。

## 原因

日志没有清理。

## 教训

- 先看剩余空间。
- 再重建。
"""
EN = '---\nresult: partial\n---\n\n# Import\n\n## Tried\n\nImported `a: b` twice.\n\n## Lesson\n\nKeep a copy: "always".\n'


def note(text: str, path: str = "Memory/working/Note.md") -> Any:
    return parse_note(path, text)


@pytest.mark.parametrize(("text", "lang", "result"), [(ZH, "zh", "failure"), (EN, "en", "partial")])
def test_it_says_what_the_note_said_and_is_read_back_the_same(text: str, lang: Lang, result: str) -> None:
    before = ended(note(text))
    assert before is not None
    made = written(note(text), before, "2026-11-20", "2026-11-30", lang)
    again = note(made, "Memory/episodic/2026/11/Note.md")
    assert again.problems == ()
    after = episode_of(again)
    assert after is not None
    assert (after.result, after.date, after.type) == (result, "2026-11-20", before.type)
    for part in ("trigger", "tried", "reason", "lesson"):
        told = before.parts.get(part)
        assert (after.parts[part].text if told else None) == (told.text if told else None)
        assert told is None or told.quote in text
    assert made == written(note(text), before, "2026-11-20", "2026-11-30", lang)


@pytest.mark.parametrize(
    "text",
    [
        "# Plan\n\nUnder way.\n",
        "---\ntype: debug\n---\n\n# X\n\n## Tried\n\nSomething.\n",
        "---\nresult: failure\n---\n\n# X\n",
        "",
    ],
)
def test_what_tells_of_no_end_is_none(text: str) -> None:
    assert ended(note(text)) is None


@given(st.text(max_size=300))
def test_whatever_an_attempt_says_the_file_is_whole(said: str) -> None:
    text = f"---\nresult: failure\nlesson: x\n---\n\n# T\n\n## Tried\n\n{said}\n"
    found = ended(note(text))
    if found is not None:
        after = episode_of(note(written(note(text), found, "2026-11-20", "2026-11-30", "en")))
        assert after is not None
        assert after.result == "failure"


def test_a_note_whose_properties_tell_its_end_keeps_its_whole_body() -> None:
    text = "---\nresult: failure\nlesson: Ask first.\n---\n\n# X\n\nAsked nobody.\n\n- one\n- two\n"
    found = ended(note(text))
    assert found is not None
    made = written(note(text), found, "2026-11-20", "2026-11-30", "en")
    assert "## Tried\n\nAsked nobody.\n\n- one\n- two\n\n## Lesson\n\nAsk first.\n" in made
    assert made.count("failure") == 1


def test_its_name_is_free() -> None:
    one = note(EN, "Memory/working/Import.md")
    first = path_for(one, "2026-11-20", "Memory", (), "abcdef0123456789")
    assert first == "Memory/episodic/2026/11/2026-11-20 Import.md"
    second = path_for(one, "2026-11-20", "Memory", {fold(first)}, "abcdef0123456789")
    assert second == "Memory/episodic/2026/11/2026-11-20 Import abcdef.md"
    dated = note(EN, "Memory/working/2026-11-20 Import.md")
    assert path_for(dated, "2026-11-20", "Memory", (), "ab") == first


# --- the report -------------------------------------------------------------------------------------------------------

HOSTILE = "x]] ](http://evil) | <script>\n# h `c` %%c%% a::b [[e]]"


def asked(number: int, text: str = "We now meet.") -> Step:
    kept = {"check": "now", "of": "0", "said": {"word": "now", "day": "2026-01-01"}}
    return Step("expire", "", "", None, (f"f_{number}",), "why", (Quote("A.md", 3, text),), kept)


def link(path: str, title: str = "", line: int | None = None) -> str:
    return f"[{title}]({path}):{line}"


def test_a_night_tells_its_hygiene_in_both_languages_and_nothing_where_nothing_was() -> None:
    steps = [
        asked(1),
        Step("expire", "working/B.md", "d", None, ("n_2",), "why", (Quote("Memory/working/B.md", 1, "B"),), {"working": "gone"}),
        Step("quarantine", "", "", None, ("f_3", "f_4"), "why", (Quote("C.md", 1, "C"),), {"check": "clipping", "said": {}}),
        Step("freeze", "", "", None, ("f_5",), "idle"),
        Step("quarantine", "", "", None, ("f_6",), "another program's"),
    ]  # fmt: skip
    told = hygiene_of(steps, [Lapsed(Quote("D.md", 2, "D"), "2026-11-29")])
    assert counts(told) == {"asked": 1, "moved": 1, "episodes": 0, "set_aside": 2, "lapsed": 1}
    for lang, word in (("en", "it says “now” of 2026-01-01"), ("zh", "“now”是 2026-01-01 说的")):
        page = "\n".join(line for part in sections(told, lang, link) for line in part)  # type: ignore[arg-type]
        assert word in page
        assert page.count("## ") == 4
    assert sections(hygiene_of([]), "en", link) == []
    assert twin(told)["lapsed"] == [{"note": "D.md", "line": 2, "quote": "D", "until": "2026-11-29"}]


def test_what_notes_say_stays_text_and_long_lists_are_cut() -> None:
    told = hygiene_of([asked(number, HOSTILE) for number in range(60)])
    [_, rows] = sections(told, "en", link)
    assert len([row for row in rows if row.startswith("- ")]) == 40
    assert any("20 more" in row for row in rows)
    assert all("<script>" not in row.replace("\\<", "") and "[[e" not in row and "\n" not in row for row in rows)
    assert len(twin(told)["asked"]) == 60
