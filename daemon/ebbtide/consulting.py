"""The way to Claude for the judgement of a night: opened for it, capped and let go of; a part of the composition root.

On where reading notes with Claude is on and the user has not switched `claude.judge` off; else rules judge, and nothing of this is
opened. A look ahead asks nothing: it takes what is stored, and says what would be asked.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from ebbtide import logs
from ebbtide.asking import DESK
from ebbtide.memory.ports import Question
from ebbtide.runtime import Runtime
from ebbtide.sleep.choose import Access, way_to_claude
from ebbtide.sleep.claude import AnthropicJudge
from ebbtide.sleep.consolidate import Rules
from ebbtide.sleep.desk import Kept, Spent
from ebbtide.sleep.judge_asking import Asking, sheet_of, write_sheet
from ebbtide.sleep.judge_check import Reason
from ebbtide.sleep.judge_context import Context
from ebbtide.sleep.judging import Answers, ClaudeJudge
from ebbtide.sleep.nights import Candidate, Core, Judge, Judged
from ebbtide.sleep.reading import Reader
from ebbtide.sleep.verdicts import VerdictStore
from ebbtide.vault import identity
from ebbtide.vault.nightfiles import NightJournal

AHEAD: Final = Reason("a look ahead asks Claude nothing", "预览不会请求 Claude")
SLICE: Final = 0.5
"""Seconds between two looks whether the night is to stop."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a night asks. `patient`: it was begun by schedule; `ahead`: it is only looked at, and asks nothing.

    `tell` hears how many of how many questions are answered; `stop` says whether the night is to stop, and `check` raises then.
    """

    patient: bool = False
    ahead: bool = False
    tell: Callable[[int, int], None] = lambda _done, _total: None
    stop: Callable[[], bool] = lambda: False
    check: Callable[[], None] = lambda: None


def judge_of(runtime: Runtime, rules: Rules, day: str, manner: Manner) -> Judge:
    """Claude under these rules, or the rules themselves where it is off."""
    config = runtime.config
    way = way_to_claude(config.extract, config.claude, config.limits, os.environ)
    if isinstance(way, str) or not config.claude.judge:
        return rules
    logs.hide(way.key)
    return lambda candidates, core: _judged(runtime, rules, way, day, manner, candidates, core)


def desk_file(runtime: Runtime) -> Path:
    """Where this device keeps what was asked, answered and paid; there is no file before the first question."""
    return identity.state_dir(runtime.places.state, runtime.vault_id, runtime.root) / DESK


def spent_on(runtime: Runtime, desk: VerdictStore, day: str) -> Spent | None:
    """What the judgement of all nights of a day has cost; None where nothing was asked."""
    sheet = sheet_of(NightJournal.of(runtime.state), day)
    charges = [*sheet.earlier, *sheet.charges]
    return desk.sum_of(charges) if charges else None


def ended(runtime: Runtime, day: str) -> None:
    """A night has ended: the next one has caps of its own."""
    journal = NightJournal.of(runtime.state)
    sheet = sheet_of(journal, day)
    if sheet.charges and not sheet.done:
        write_sheet(journal, replace(sheet, done=True))


def _judged(
    runtime: Runtime, rules: Rules, way: Access, day: str, manner: Manner, candidates: Sequence[Candidate], core: Core
) -> Sequence[Judged]:
    file = desk_file(runtime)
    if manner.ahead and not file.exists():
        return _judge(runtime, rules, b"", _refusing(AHEAD))(candidates, core)
    try:
        desk = VerdictStore.open(file)
    except (OSError, sqlite3.Error) as error:
        why = type(error).__name__
        shut = Reason(f"its costs cannot be written down ({why})", f"无法记录费用（{why}）")
        return _judge(runtime, rules, b"", _refusing(shut))(candidates, core)
    judge = AnthropicJudge(way.model, way.key, way.base_url, timeout=runtime.config.claude.timeout)

    def stored(asked: Sequence[tuple[Question, str]], _still: Callable[[str], bool]) -> Mapping[str, Kept | Reason]:
        return {question.id: desk.verdict(question.id) or AHEAD for question, _ in asked}

    def rest(seconds: float) -> None:
        until = time.monotonic() + seconds
        while not manner.stop() and (left := until - time.monotonic()) > 0:
            time.sleep(min(SLICE, left))

    try:
        reader = Reader(runtime.store, desk, runtime.config, lambda now: datetime.fromtimestamp(now).astimezone())
        asking = Asking(
            reader, judge, NightJournal.of(runtime.state), runtime.sync.clock, day, manner.patient, rest,
            manner.check, manner.tell,
        )  # fmt: skip
        answers = stored if manner.ahead else asking.answers
        return _judge(runtime, rules, desk.secret, answers)(candidates, core)
    finally:
        judge.close()
        desk.close()


def _refusing(reason: Reason) -> Answers:
    return lambda asked, _still: {question.id: reason for question, _ in asked}


def _judge(runtime: Runtime, rules: Rules, secret: bytes, answers: Answers) -> ClaudeJudge:
    config = runtime.config
    context = Context(
        runtime.catalog, runtime.store, config.memory.folder, config.extract, config.sleep.markers, rules.likeness
    )
    return ClaudeJudge(rules, context, answers, config.claude.model, config.claude.max_tokens, secret)
