"""How reading notes with Claude stands, for status and doctor: on or off and why, what waits, what it cost, what failed."""

from __future__ import annotations

import os
import time
from typing import Any

from ebbtide.config import Config
from ebbtide.memory.errors import Problem
from ebbtide.sleep.choose import way_to_claude

SHOWN = 3
"""Notes that were given up which the doctor names."""
RETRY = "change the note, or try again with `ebbtide extract --retry`; until then the rules' facts hold"


def problems(thread: Any) -> list[Problem]:
    """A line for each thing that keeps notes from being read. `thread` is the one that asks, None while Claude is off."""
    if thread is None:
        return []
    status = thread.extraction.status()
    found = [] if thread.problem is None else [thread.problem]
    if status.paused_until is not None:
        fix = "nothing to do: it is tried again by itself, and the rules' facts hold; see `ebbtide doctor`"
        found.append(Problem("", None, "claude-waits", _waits(status), fix, "warning"))
    if status.capped:
        fix = "raise it in your config.toml, or wait; the rules' facts hold"
        found.append(Problem("", None, "claude-cap", f"Claude reads no more today: {status.capped}.", fix, "info"))
    for letter in status.dead:
        said = f"Claude did not read it: {letter.reason}"
        found.append(Problem(letter.path, None, "claude-gave-up", said, RETRY, "info"))
    return found


def health(config: Config, thread: Any) -> tuple[bool, str, str]:
    """The doctor's check: whether all is well, what was found, what mends it."""
    if thread is None:
        way = way_to_claude(config.extract, config.claude, config.limits, os.environ)
        off, _, remedy = way.removeprefix("Claude is ").partition(". ") if isinstance(way, str) else ("", "", "")
        if off:
            return True, f"{off}; rules read the notes. To change that: {remedy or 'see the README'}", ""
        return True, f"{config.claude.model}; `ebbtide up` has it read notes", ""
    status = thread.extraction.status()
    spent, money = status.spent, f", {status.spent.money:.4f} of {status.money_a_day:g} in money"
    price = money if status.priced else ", no price is known (prices.input, prices.output): tokens alone are capped"
    parts = [
        f"{status.model}: {status.waiting} notes wait, {status.sent} under way, {status.ready} answered",
        f"today {spent.requests} requests, {spent.tokens:,} of {status.tokens_a_day:,} tokens{price}",
    ]
    if status.capped:
        parts.append(status.capped)
    if status.paused_until is not None:
        parts.append(_waits(status))
    if status.dead:
        named = ", ".join(f"{letter.path} ({letter.reason})" for letter in status.dead[:SHOWN])
        parts.append(f"{len(status.dead)} given up: {named}{' ...' if len(status.dead) > SHOWN else ''}")
    ok = not status.dead and status.paused_until is None and thread.problem is None
    return (
        ok,
        "; ".join(parts),
        "" if ok else RETRY if status.dead else "look at key, model, account and network; it is tried again",
    )


def _waits(status: Any) -> str:
    until = time.strftime("%H:%M", time.localtime(status.paused_until))
    return f"Claude is left alone until {until}, because: {status.paused_because}"
