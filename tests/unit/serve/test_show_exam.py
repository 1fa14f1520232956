"""The exam as text: every figure with its interval, the last run and a verdict in words; failures with a way to look."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.serve import show_exam
from ebbtide.serve.show import Pen

PLAIN = Pen()
Answers = dict[str, dict[str, Any]]


@pytest.fixture
def report(answers: Answers) -> dict[str, Any]:
    found: dict[str, Any] = answers["exam"]["result"]
    return found


def shown(report: dict[str, Any], **changed: object) -> str:
    return show_exam.exam({"what": "exam run", "state": "done", "message": "", "result": report | changed}, PLAIN)


def test_a_figure_has_share_interval_last_run_and_verdict(report: dict[str, Any]) -> None:
    text = shown(report)
    [line] = [line for line in text.splitlines() if line.startswith("own questions: a right note among the first 3")]
    for part in ("80.0%", "24/30", "63%-90%", "90.0%", "no difference the numbers can show (+0 -3 of 30, p 0.25)"):
        assert part in line
    assert "(changed since: version)" in text


def test_a_draw_is_called_a_draw(report: dict[str, Any]) -> None:
    assert "2 won, 1 lost, 27 alike, p 1: a draw" in shown(report)
    assert "memory helps" in shown(report, memory=report["memory"] | {"verdict": "memory", "wins": 9, "p": 0.004})


def test_a_failure_says_what_came_and_how_to_look_and_how_many_more_there_are(report: dict[str, Any]) -> None:
    text = shown(report)
    assert "went right in the last run: find x_2: no right note among the first three" in text
    assert "wanted A.md; came B.md:3" in text
    assert "ebbtide explain 'who?' A.md" in text
    assert "... and 2 more" in text
    assert "Memory/exam.jsonl:7: bad (mend it)" in text


def test_what_was_not_measured_is_said_and_what_is_not_there_is_left_out(report: dict[str, Any]) -> None:
    text = shown(
        report, figures=[], memory=None, corrections_per_week=None, latency={}, failures=[], failure_count=0, kept=None
    )
    assert "By keyword only" in text
    assert "Not kept." in text
    assert "more" not in text
    assert "Tokens" not in text


def test_a_job_that_failed(answers: Answers) -> None:
    body = answers["exam"] | {"result": None, "state": "failed", "message": "The disk is full."}
    assert show_exam.exam(body, PLAIN) == "exam run: failed: The disk is full.\n"


def test_questions_and_runs(answers: Answers) -> None:
    text = show_exam.questions(answers["exam_questions"], PLAIN)
    assert "x_1  must-cite" in text
    assert "removed 2026-11-29" in text
    assert "Memory/exam.jsonl:7" in text
    empty = show_exam.questions({"file": "Memory/exam.jsonl", "questions": [], "removed": [], "problems": []}, PLAIN)
    assert "ebbtide exam add" in empty
    assert "80.0%" in show_exam.runs(answers["exam_runs"], PLAIN)
    assert "ebbtide exam run" in show_exam.runs({"runs": [], "total": 0}, PLAIN)
    assert "--undo" in show_exam.question(answers["exam_remove"], PLAIN)
