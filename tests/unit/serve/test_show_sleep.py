"""A night as text: what was decided, what was left out and how to take it back."""

from __future__ import annotations

from typing import Any

from ebbtide.serve.show import Pen
from ebbtide.serve.show_sleep import sleep

Answers = dict[str, dict[str, Any]]
PLAIN = Pen()


def shown(answers: Answers, **changed: object) -> str:
    return sleep(answers["sleep"] | {"result": answers["sleep"]["result"] | changed}, PLAIN)


def test_a_night_tells_each_decision_with_its_reason(answers: Answers) -> None:
    text = shown(answers)
    assert "9 notes looked at, 1 candidates: 1 promoted, 0 associated, 0 compressed, 0 let go" in text
    assert "promoted -> Memory/core/principles/开会前必须先写一页纸.md" in text
    assert "new: 你自己明确说过" in text
    assert "Left out: associate core/models/A.md" in text
    assert "ebbtide sleep --undo 2026-11-30" in text


def test_what_waits_is_not_called_let_go(answers: Answers) -> None:
    one = answers["sleep"]["result"]["judged"][0] | {"decision": "release", "until": "2026-12-30", "path": None}
    assert "\nwaits  日记/2026-11-28.md" in shown(answers, judged=[one])
    assert "\nlet go  日记/2026-11-28.md" in shown(answers, judged=[one | {"until": None}])


def test_a_models_wording_is_not_shown_as_the_persons_words(answers: Answers) -> None:
    one = answers["sleep"]["result"]["judged"][0]
    assert f"  “{one['insight']}”" in shown(answers)
    text = shown(answers, judged=[one | {"judge": "claude-test"}])
    assert f"\n  {one['insight']}\n" in text
    assert text.count("(judged by claude-test)") == 1


def test_a_look_ahead_and_a_night_taken_back(answers: Answers) -> None:
    assert "nothing was written" in shown(answers, dry_run=True, undo=None)
    text = shown(answers, undone="r_1", left=["Memory/core/models/A.md"])
    assert text == "The night of 2026-11-30 was taken back (r_1).\nLeft as you changed it: Memory/core/models/A.md\n"
    assert shown(answers, day="") == "Nothing was under way.\n"


def test_a_job_that_failed(answers: Answers) -> None:
    body = answers["sleep"] | {"result": None, "state": "failed", "message": "The disk is full."}
    assert sleep(body, PLAIN) == "sleep: failed: The disk is full.\n"
