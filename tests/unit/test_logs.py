"""Where log lines go, and what never goes there."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from ebbtide import logs

log = logging.getLogger("ebbtide.test")


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    root.setLevel(level)


def test_lines_go_to_the_stream_and_never_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    log.info("hello")
    log.debug("too fine")
    out, err = capsys.readouterr()
    assert out == ""
    assert "hello" in err
    assert "too fine" not in err


def test_what_was_said_before_is_written_once_it_is_known_where() -> None:
    logs.buffer()
    logs.buffer()
    log.debug("early and fine")
    log.error("early %s", "error")
    stream = io.StringIO()
    logs.configure("info", stream=stream)
    log.info("late")
    assert [line.split(": ")[1] for line in stream.getvalue().splitlines()] == ["early error", "late"]


def test_a_second_call_replaces_the_first() -> None:
    first, second = io.StringIO(), io.StringIO()
    logs.configure(stream=first)
    logs.configure("error", stream=second)
    log.warning("no")
    log.error("yes")
    assert first.getvalue() == ""
    assert second.getvalue().count("yes") == 1
    assert "no" not in second.getvalue()


def test_a_file_is_private_and_rotated(tmp_path: Path) -> None:
    file = tmp_path / "state/ebbtide.log"
    logs.configure(file=file, size=500, kept=2)
    for n in range(50):
        log.info("line %d 雪", n)
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in file.parent.iterdir()) == ["ebbtide.log", "ebbtide.log.1", "ebbtide.log.2"]
    assert "line 49" in file.read_text("utf-8")


def test_a_file_that_cannot_be_opened_is_said_and_stderr_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    stream = io.StringIO()
    logs.configure(file=tmp_path / "file/ebbtide.log", stream=stream)
    log.info("still here")
    assert "cannot be opened" in stream.getvalue()
    assert "still here" in stream.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer SECRETSECRET",
        "authorization=SECRETSECRET",
        '{"token": "SECRETSECRET", "n": 1}',
        "api_key='SECRETSECRET'",
        "ANTHROPIC_API_KEY=SECRETSECRET",
        "GET /v1/x?token=SECRETSECRET&q=1",
        "key sk-ant-SECRETSECRET-x",
        "password: SECRETSECRET",
        "bearer SECRETSECRET.SECRETSECRET",
    ],
)
def test_tokens_and_keys_are_hidden(text: str) -> None:
    assert "SECRET" not in logs.redact(text)
    assert "[hidden]" in logs.redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "12 tokens: 6000 left",
        "the token was rotated",
        "skipped notes/sk-8.md",
        "token=abc",
        "a secret: no",
        "tokens = 4096 of 8192",
    ],
)
def test_ordinary_words_are_not(text: str) -> None:
    assert logs.redact(text) == text


def test_known_secrets_are_hidden_everywhere_tracebacks_included() -> None:
    logs.hide("correct horse battery")
    logs.hide("short")
    stream = io.StringIO()
    logs.configure(stream=stream)
    try:
        int("correct horse battery")
    except ValueError:
        log.exception("failed with %r, in short", {"x": "correct horse battery"})
    assert "horse" not in stream.getvalue()
    assert "in short" in stream.getvalue()
    assert "Traceback" in stream.getvalue()


def test_the_watchers_sign_of_lost_events_is_never_silenced() -> None:
    logs.configure("error", stream=io.StringIO())
    assert logging.getLogger("watchdog.observers").isEnabledFor(logging.WARNING)
