"""Which notes are episodes, what they say, and what they leave out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.episodes import PARTS, RESULTS, Episode, episode_of, read_result
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
    assert (found.parts["lesson"].line, found.parts["lesson"].quote) == (6, "Ask first")
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
        ("I worked on it for two days.", None),
        ("The failed uploads are in the log.", None),
        ("The failure rate is 3 %.", None),
        ("失败率 3%。", None),
        ("It should have worked.", None),
        ("It would be fixed by a restart.", None),
        ("应该会成功。", None),
        ("Not yet solved.", None),
        ("问题尚未解决了。", None),
        ("Fixed in half a day.", "success"),
        ("It worked for only half of the phones.", "partial"),
        ("It failed twice and worked in the end.", "success"),
        ("先成功了一天，最后还是失败了。", "failure"),
        ("It worked once, and finally we gave up.", "failure"),
    ],
)
def test_a_result_is_read_only_where_it_is_stated(text: str, result: str | None) -> None:
    assert read_result(text) == result


@pytest.mark.parametrize(
    ("line", "part", "quote"),
    [
        ("lesson: Ask first", "lesson", "Ask first"),
        ("Lesson: 'Ask ''first'''", "lesson", "Lesson: 'Ask ''first'''"),
        ("lesson: >\n  Ask\n  first", "lesson", "lesson: >\n  Ask\n  first"),
        ("artifact: [a.mp4, b.mp4]", "artifact", "artifact: [a.mp4, b.mp4]"),
        ("artifact:\n  - a.mp4\n  - b.mp4", "artifact", "artifact:\n  - a.mp4\n  - b.mp4"),
        ("教训: 先问", "lesson", "先问"),
        ("result: failure", "result", "failure"),
    ],
)
def test_a_property_points_to_its_line(line: str, part: str, quote: str) -> None:
    found = read(f"---\ntype: debug\n{line}\nlang: en\n---\nText.\n")
    assert found is not None
    (said,) = (said for name, said in found.parts.items() if name == part)
    assert (said.line, said.quote) == (3, quote)


def test_the_type_may_be_one_of_several() -> None:
    found = read("---\ntype: [note, Debug]\n---\nIt was slow.\n")
    assert found is not None
    assert (found.type, found.declared) == ("debug", True)


def test_sections_of_one_name_must_agree_and_headings_below_belong_to_their_section() -> None:
    front = "---\ntype: debug\n---\n## 1. Tried\n\n### A cable\n\nNew cable.\n\n"
    found = read(front + "## Result\n\nFailed.\n\n## Later\n\nMuch later.\n\n## Result\n\nIt worked.\n")
    assert found is not None
    assert (found.result, found.missing[1]) == (None, "result")
    assert found.parts["tried"].text == "New cable."
    assert found.parts["result"].quote == "Failed.", "what stands between two sections belongs to neither"


@pytest.mark.parametrize(
    "text",
    [
        "Tried: a longer cable\n\nResult: failed\n\nReason: too thin\n",
        "- **尝试**：换线\n- **结果**：没成\n- **原因**：太细\n",
    ],
)
def test_lines_that_name_their_part_are_sections(text: str) -> None:
    found = read(text)
    assert found is not None
    assert (found.sign, found.result, set(found.parts)) == ("sections", "failure", {"tried", "result", "reason"})
    assert all(said.quote in text for said in found.parts.values())


TOLD = """# Tuesday

The market was loud.

The greenhouse kept losing heat at night. We tried bubble wrap on the north side. It failed because the tape came off in \
the damp. Next time use clips, not tape.

Soup for dinner.
"""
TOLD_ZH = """# 周二

鱼缸的水老是发绿。我试了换一半的水，没用，原因是灯开得太久。下次先关灯三天再说。

- 晚上吃面。
"""


def test_a_note_that_tells_of_an_attempt() -> None:
    found = read(TOLD, "Daily/2026-05-12.md")
    assert found is not None
    assert (found.type, found.sign, found.result, found.stated) == ("episode", "prose", "failure", False)
    assert found.date == "2026-05-12"
    assert {part: said.text.split()[0] for part, said in found.parts.items()} == {
        "trigger": "The",
        "tried": "We",
        "result": "It",
        "reason": "It",
        "lesson": "Next",
    }
    assert found.missing == ()
    assert {said.line for said in found.parts.values()} == {5}
    assert TOLD[found.start : found.end].startswith("The greenhouse")
    assert TOLD[found.start : found.end].endswith("not tape.")


def test_a_chinese_telling() -> None:
    found = read(TOLD_ZH, "日记/2026-05-12.md")
    assert found is not None
    assert (found.result, found.missing) == ("failure", ())
    assert found.parts["trigger"].text == "鱼缸的水老是发绿。"
    assert found.parts["tried"].text == found.parts["result"].text == "我试了换一半的水，没用，原因是灯开得太久。"
    assert found.parts["reason"].text == "我试了换一半的水，没用，原因是灯开得太久。"
    assert found.parts["lesson"].text == "下次先关灯三天再说。"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Tried the old key. No luck.", "failure"),
        ("I tried the old key first. No luck. Then I oiled the lock, and finally it worked.", "success"),
        ("We have tried a second pump, which did not help.", "failure"),
        ("Yesterday tried decaf; it helped, and that solved the headache.", "success"),
        ("- Tried a lower tyre pressure.\n- Gave up after a mile.", "failure"),
        ("我们尝试了夜里备份，结果成功了。", "success"),
        ("折腾了一晚上，还是没解决。", "failure"),
        ("先试了重启。不行。最后换了网线，终于好了。", "success"),
    ],
)
def test_how_a_telling_ends(text: str, result: str) -> None:
    found = read(text, "Log.md")
    assert found is not None
    assert (found.sign, found.result) == ("prose", result)


@pytest.mark.parametrize(
    "text",
    [
        "I tried the new café. The waiter was kind.",
        "I tried the new café. Ann's driving test failed again.",
        "Have you tried a restart? It failed for me.",
        "If you tried that, it failed.",
        "He tried to climb it. He failed.",
        "You could try a restart. It worked.",
        "A tried and tested way. It worked.",
        "We tried tiles.",
        "We will have tried everything. It would have failed.",
        "> I tried a restart. It failed.\n",
        "```\nI tried a restart. It failed.\n```\n",
        "---\ntype: decision\n---\nWe tried tiles. It failed.\n",
        "---\nurl: https://example.org\n---\nWe tried tiles. It failed.\n",
        "**Ann**: I tried it. It failed.\n\n**Bo**: Oh.\n\n**Ann**: Yes.\n\n**Bo**: Well.\n",
        "**Claude**: I tried it. It failed.\n",
        "**用户**：我试了重启，没用。\n",
        "你可以试着重启，没用再说。",
        "没试过，不行就算了。",
        "如果试了还失败，就换一个。",
        "他试了三次，都失败了。",
        "试了一下新的面馆，味道不错。",
        "你试过重启吗？不行的话再说。",
        "---\ntype: episodic\n---\nWe met at noon.\n",
    ],
)
def test_what_does_not_tell_of_an_attempt_of_ones_own(text: str) -> None:
    assert read(text, "Log.md") is None


@given(st.lists(st.sampled_from([*TOLD.split(" "), *TOLD_ZH, "\n\n", "## Tried\n", "Result: "]), max_size=60))
def test_every_quote_stands_in_the_note(words: list[str]) -> None:
    text = " ".join(words)
    found = read(text, "Log.md")
    for said in found.parts.values() if found else ():
        assert said.quote in text
        assert said.quote.split("\n")[0] in text.split("\n")[said.line - 1]
    assert found is None or (set(found.parts) <= set(PARTS) and 0 <= found.start < found.end <= len(text))


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = read(f"---\ntype: sprint\n---\n{text}")
    assert found is None or found.result in (None, *RESULTS)
    for said in found.parts.values() if found else ():
        assert said.text
