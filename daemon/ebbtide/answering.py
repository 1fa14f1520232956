"""The way to Claude for a question that a person asks: opened, capped and let go of for each; a part of the composition root.

Off unless the user has set `claude.answer`, chosen a model and given a key. What it costs counts against the caps of the
day, with the reading of notes; where the service asked to be left alone, it is.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from ebbtide import logs
from ebbtide.asking import DESK
from ebbtide.config import Config
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Question, Verdict, WatchedVault
from ebbtide.parse.note import parse_note
from ebbtide.places import Places
from ebbtide.sleep.choose import access, forbidden
from ebbtide.sleep.claude import AnthropicJudge
from ebbtide.sleep.desk import cost, token_for
from ebbtide.sleep.reading import Reader
from ebbtide.sleep.verdicts import VerdictStore
from ebbtide.vault import identity

LONGEST_WAIT: Final = 60.0
"""Seconds that a person waits for an answer at most, whatever `claude.timeout` says."""


def state_folder(places: Places, vault_id: str, root: Path) -> Path:
    """Where the sums of the day are kept, also for a vault that is only looked at."""
    return identity.state_dir(places.state, vault_id, root)


def may_leave(vault: WatchedVault, path: str, config: Config) -> bool:
    """Whether a note may be shown to Claude, as it is now: by the rules that hold for reading notes."""
    if vault.excluded_by_obsidian(path) or vault.in_memory_folder(path) or vault.is_template(path):
        return False
    try:
        note = parse_note(path, vault.read(path).text)
    except (OSError, VaultError):
        return False
    return not forbidden(note, config.extract, excluded=False)


def ask_once(
    vault: WatchedVault, config: Config, state: Path, now: float, body: str, question: Callable[[str], Question]
) -> Verdict | str:
    """Claude's verdict on one question, or why it was not asked. `state` is the vault's state folder.

    `question` makes it from a token that does not stand in `body` and that nobody else can know; the same body has the same.
    """
    way = access(config.claude, config.limits, os.environ)
    if isinstance(way, str):
        return way
    logs.hide(way.key)
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        desk = VerdictStore.open(state / DESK)
    except (OSError, sqlite3.Error) as error:
        return f"its costs cannot be written down ({type(error).__name__})"
    judge = AnthropicJudge(way.model, way.key, way.base_url, timeout=min(config.claude.timeout, LONGEST_WAIT))
    try:
        return _asked(Reader(vault, desk, config, _local), judge, question(token_for(desk.secret, body)), now)
    finally:
        judge.close()
        desk.close()


def _asked(reader: Reader, judge: AnthropicJudge, question: Question, now: float) -> Verdict | str:
    desk, config = reader.desk, reader.config
    if reader.halted(now):
        until = _local(desk.pause().until).strftime("%H:%M")
        return f"it is left alone until {until}, because: {desk.pause().reason}"
    tokens, money = reader.worst(question, batch=False)
    if not reader.within(tokens, money, now):
        return reader.capped
    charge = desk.reserve(reader.day(now), config.claude.model, requests=1, tokens=tokens, money=money, now=now)
    verdict = judge.ask(question)
    if verdict.usage is not None:
        desk.settle(charge, verdict.usage, cost(verdict.usage, config.claude.model, config.prices, batch=False))
    reader.weather(verdict, now)
    return verdict


def _local(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds).astimezone()
