"""The one adapter of Anthropic's SDK, against a service over real sockets: every way an answer can go wrong is a verdict."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from ebbtide.memory.ports import Question, Usage, Verdict
from ebbtide.sleep.claude import AnthropicJudge
from ebbtide.sleep.prompt import SCHEMA, SYSTEM
from fakes.messages import KEY, MODEL, FakeClaude, answer, fact, fake_claude

NOTE = "We decided to keep the archive on paper."


@pytest.fixture
def fake() -> Iterator[FakeClaude]:
    with fake_claude() as running:
        yield running


@pytest.fixture
def judge(fake: FakeClaude) -> Iterator[AnthropicJudge]:
    opened = AnthropicJudge(MODEL, KEY, fake.url, timeout=20)
    yield opened
    opened.close()


def question(name: str = "q1", note: str = NOTE) -> Question:
    return Question(name, SYSTEM, f"===== note abc\n{note}\n===== end abc\n", SCHEMA, 1000)


def test_a_question_is_answered_with_what_it_cost(fake: FakeClaude, judge: AnthropicJudge) -> None:
    verdict = judge.ask(question())
    assert (verdict.outcome, verdict.answer) == ("answered", answer(fact(NOTE)))
    assert verdict.usage is not None
    assert verdict.usage.stored > 1000 > verdict.usage.cached == 0
    again = judge.ask(question(note=NOTE + " And on film."))
    assert again.usage is not None
    assert again.usage.cached > 1000 > again.usage.stored == 0, "the same system part is read from the cache"


def test_what_is_on_the_wire(fake: FakeClaude, judge: AnthropicJudge) -> None:
    judge.ask(question())
    [seen] = fake.seen
    assert KEY in seen.headers["authorization"]
    assert KEY not in seen.raw.decode()
    assert seen.body["model"] == MODEL
    assert seen.body["max_tokens"] == 1000
    assert seen.body["system"] == [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}]
    assert seen.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert next(iter(SCHEMA["properties"])) == "reasoning", "grounds before verdicts"
    assert "temperature" not in seen.body
    assert seen.headers.get("x-stainless-retry-count") == "0"


@pytest.mark.parametrize(
    ("what", "outcome", "usage"),
    [
        ("limit", "busy", Usage()),
        ("overloaded", "busy", Usage()),
        ("broken", "failed", Usage()),
        ("denied", "denied", Usage()),
        ("unknown", "denied", Usage()),
        ("poor", "denied", Usage()),
        ("rejected", "rejected", Usage()),
        ("reset", "failed", None),
        ("page", "failed", None),
        ("half", "failed", None),
    ],
)
def test_failures_are_verdicts_and_nothing_is_tried_twice(
    fake: FakeClaude, judge: AnthropicJudge, what: str, outcome: str, usage: Usage | None
) -> None:
    fake.script.append(what)
    verdict = judge.ask(question())
    assert (verdict.outcome, verdict.answer, verdict.usage) == (outcome, None, usage)
    assert verdict.reason
    assert "archive" not in verdict.reason
    assert verdict.wait == (7.0 if what == "limit" else None)
    assert len(fake.seen) == 1, "retries are ours, not the library's"
    assert judge.ask(question()).outcome == "answered", "the next one goes through"


@pytest.mark.parametrize(
    ("what", "outcome"),
    [("truncated", "truncated"), ("refusal", "refused"), ("prose", "malformed"), ("list", "malformed")],
)
def test_unusable_answers_are_paid_for(fake: FakeClaude, judge: AnthropicJudge, what: str, outcome: str) -> None:
    fake.script.append(what)
    verdict = judge.ask(question())
    assert verdict.outcome == outcome
    assert verdict.usage is not None
    assert verdict.usage.tokens > 0


def test_silence_ends(fake: FakeClaude) -> None:
    fake.script.append("silent")
    judge = AnthropicJudge(MODEL, KEY, fake.url, timeout=0.3)
    verdict = judge.ask(question())
    assert (verdict.outcome, verdict.usage) == ("failed", None), "what it cost is not known"


def test_nobody_there_costs_nothing() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    verdict = AnthropicJudge(MODEL, KEY, f"http://127.0.0.1:{port}", timeout=5).ask(question())
    assert (verdict.outcome, verdict.usage) == ("busy", Usage())


def test_a_redirect_carries_nothing_elsewhere(fake: FakeClaude, judge: AnthropicJudge) -> None:
    with fake_claude() as other:
        fake.elsewhere = other.url
        fake.script.append("redirect")
        assert judge.ask(question()).outcome == "failed"
        assert other.connections == 0


def test_a_batch_is_handed_in_awaited_and_fetched(fake: FakeClaude, judge: AnthropicJudge) -> None:
    names = [f"q{n}" for n in range(7)]
    fake.in_batch = {1: "errored", 2: "expired", 3: "canceled", 4: "truncated", 5: "refusal", 6: "prose"}
    batch = judge.submit([question(name) for name in names])
    assert isinstance(batch, str)
    assert judge.collect(batch) is None
    fake.finish()
    found = judge.collect(batch)
    assert found is not None
    assert not isinstance(found, Verdict)
    outcomes = [found[name].outcome for name in names]
    assert outcomes == ["answered", "failed", "failed", "busy", "truncated", "refused", "malformed"]
    assert all(found[name].usage is not None for name in names)
    assert all(each["params"]["output_config"]["format"]["schema"] == SCHEMA for each in fake.seen[0].body["requests"])


@pytest.mark.parametrize("what", ["limit", "broken", "reset", "page"])
def test_a_batch_can_be_asked_for_again(fake: FakeClaude, judge: AnthropicJudge, what: str) -> None:
    batch = judge.submit([question()])
    assert isinstance(batch, str)
    fake.finish()
    fake.script.append(what)
    assert isinstance(judge.collect(batch), Verdict)
    found = judge.collect(batch)
    assert found is not None
    assert not isinstance(found, Verdict)
    assert found["q1"].outcome == "answered"


def test_a_batch_that_is_not_there_is_said(judge: AnthropicJudge) -> None:
    verdict = judge.collect("msgbatch_none")
    assert isinstance(verdict, Verdict)
    assert verdict.reason.startswith("404")


def test_a_batch_can_be_stopped(fake: FakeClaude, judge: AnthropicJudge) -> None:
    batch = judge.submit([question()])
    assert isinstance(batch, str)
    assert judge.cancel(batch) is None
    assert fake.batches[batch].state == "canceling"


def test_a_batch_whose_name_was_lost_is_found(fake: FakeClaude, judge: AnthropicJudge) -> None:
    since = time.time()
    first, second = judge.submit([question()]), judge.submit([question("a"), question("b")])
    assert judge.lost(since, 2, ()) == second
    assert judge.lost(since, 1, ()) == first
    assert judge.lost(since, 1, {first}) is None
    assert judge.lost(since, 3, ()) is None
    assert judge.lost(since + 3600, 1, ()) is None, "it was begun long before"
    fake.script.append("limit")
    assert isinstance(judge.lost(since, 1, ()), Verdict)


def test_the_sdk_is_loaded_with_the_first_question_only() -> None:
    code = (
        "import sys; from ebbtide.sleep import claude, extracting, verdicts;"
        "claude.AnthropicJudge('m', 'k', '', timeout=1); print([n for n in sys.modules if n.startswith(('anthropic', 'httpx'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(run.stdout) == []


def test_the_key_is_not_shown(judge: AnthropicJudge) -> None:
    assert KEY not in repr(judge)
