"""Success judged by Claude where the user lets it: what is sent, what counts, and what happens when it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fakes.messages import FakeClaude, fake_claude, keyed
from support import Place, wait_until

NOTES = {
    "Pump.md": "---\ndate: 2026-03-02\n---\n# Pump\n\nThe pump broke because a seal was worn.\n",
    "Diary.md": "---\ndate: 2026-11-02\n---\n# Diary\n\nRain all day, and soup for dinner with the neighbours. "
    + "It went on for hours. " * 20
    + "\n",
    "Secret.md": "---\ndate: 2026-11-20\nprivate: true\n---\n# Secret\n\nThe pump is hidden below the xylophone.\n",
}
ASKED = {"id": "pump", "query": "Why did the pump break?", "gold": ["Pump.md"]}


@pytest.fixture
def fake() -> Iterator[FakeClaude]:
    with fake_claude() as running:
        running.actor = marker
        yield running


@pytest.fixture
def claude(place: Place, fake: FakeClaude, monkeypatch: pytest.MonkeyPatch) -> Place:
    keyed(place, fake, monkeypatch, claude__answer=True).fill(NOTES)
    with place.opened(claude__answer=False):
        pass
    place.write("Memory/exam.jsonl", json.dumps(ASKED) + "\n")
    return place


def marker(shown: str) -> dict[str, Any]:
    """An honest marker."""
    found = "a seal was worn" in shown
    return {"found": found, "quote": "because a seal was worn" if found else ""}


def sat(place: Place, **options: Any) -> dict[str, Any]:
    with place.opened(read_only=True, **options) as service:
        ident = service.exam(only="find", budget=60, keep=False)["id"]
        wait_until(lambda: service.job(ident)["finished"], "the exam")
        job = service.job(ident)
        assert job["state"] == "done", job["message"]
        found: dict[str, Any] = job["result"]
        return found


def codes(report: dict[str, Any]) -> set[str]:
    return {notice["code"] for notice in report["notices"]}


def test_both_packets_are_judged_and_nothing_private_is_sent(claude: Place, fake: FakeClaude) -> None:
    memory = sat(claude)["memory"]
    assert (memory["by_claude"], memory["by_note"]) == (1, 0)
    assert (memory["wins"], memory["losses"]) == (1, 0)
    assert len(fake.asked) == 2
    assert "xylophone" not in fake.sent()
    assert "soup" in fake.sent()


def test_answer_words_need_no_judge(claude: Place, fake: FakeClaude) -> None:
    claude.write("Memory/exam.jsonl", json.dumps(ASKED | {"answers": ["seal"]}) + "\n")
    assert sat(claude)["memory"]["by_words"] == 1
    assert fake.asked == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"claude__answer": False}, "claude.answer is off"),
        ({"claude__model": ""}, "no model is chosen"),
        ({"claude__offline": True}, "offline"),
    ],
)
def test_where_it_may_not_judge_that_is_said_and_the_note_decides(
    claude: Place, fake: FakeClaude, options: dict[str, Any], says: str
) -> None:
    report = sat(claude, **options)
    assert report["memory"]["by_note"] == 1
    assert any(says in notice["text"] for notice in report["notices"] if notice["code"] == "claude-off")
    assert fake.connections == 0


@pytest.mark.parametrize(
    "verdict",
    [
        {"found": True, "quote": "words that stand nowhere"},
        {"found": True, "quote": ""},
        {"found": "yes", "quote": "because a seal was worn"},
        {"nonsense": 1},
    ],
)
def test_a_verdict_that_does_not_hold_is_none(claude: Place, fake: FakeClaude, verdict: dict[str, Any]) -> None:
    fake.actor = lambda _: verdict
    report = sat(claude)
    assert (report["memory"]["by_claude"], report["memory"]["by_note"]) == (0, 1)
    assert "claude-failed" in codes(report)


def test_without_money_left_the_note_decides(claude: Place, fake: FakeClaude) -> None:
    report = sat(claude, limits__tokens_a_day=100)
    assert report["memory"]["by_note"] == 1
    assert "claude-failed" in codes(report)
    assert fake.asked == []
