"""What reading notes with Claude needs, opened and wired: a part of the composition root that the daemon alone needs.

Off unless the user has chosen a model and given a key; then nothing of it is opened: no thread, no file, no SDK, no connection.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ebbtide import logs
from ebbtide.config import Config
from ebbtide.index.sync import Sync
from ebbtide.index.takeover import SWEPT, TakeOver
from ebbtide.places import Places
from ebbtide.sleep.choose import way_to_claude
from ebbtide.sleep.claude import AnthropicJudge
from ebbtide.sleep.extracting import Extraction
from ebbtide.sleep.rounds import Handing, Rounds
from ebbtide.sleep.verdicts import VerdictStore
from ebbtide.vault import identity

DESK = "verdicts.sqlite"
"""What is kept about notes on their way, in the vault's state folder."""


def open_rounds(
    sync: Sync, state: Path, config: Config, order: Callable[[Callable[[], None]], None], ready: threading.Event
) -> Rounds | None:
    """The thread that has notes read, not started yet, its hooks in place; None while Claude is off.

    `state` is the vault's state folder. `order` has something done by the owner of the writers; `ready` is set once that
    has compared the whole vault.
    """
    catalog = sync.indexes.catalog
    way = way_to_claude(config.extract, config.claude, config.limits, os.environ)
    if isinstance(way, str):
        if catalog.meta(SWEPT):
            catalog.set_meta(SWEPT, "")  # what changes from now on is looked at when it is on again
        return None
    logs.hide(way.key)
    judge = AnthropicJudge(way.model, way.key, way.base_url, timeout=config.claude.timeout)
    desk = VerdictStore.open(state / DESK)

    def close() -> None:
        judge.close()
        desk.close()

    rounds: Rounds
    extraction = Extraction(sync.vault, desk, judge, "", config, sync.clock, stop=lambda: rounds.halted)
    rounds = Rounds(extraction, Handing(TakeOver(sync), order, ready, close))
    sync.on_read, sync.on_gone = rounds.settled, rounds.gone
    return rounds


def again(vault_id: str, root: Path, note: str | None) -> int:
    """Have one note read soon, or (None) all that were given up; how many. A running daemon sees it within a minute.

    Only what waits or was given up: which notes may go at all, the rules say at the moment of sending.
    """
    file = identity.state_dir(Places.of(os.environ).state, vault_id, root) / DESK
    if not file.exists():
        return 0
    desk, now = VerdictStore.open(file), time.time()
    try:
        revived = desk.revive(note, now)
        job = desk.job(note) if note is not None else None
        if job is None:
            return revived
        desk.put(replace(job, urgent=True))
        desk.later(job.path, job.digest, now, attempts=0, reason="")
        return 1
    finally:
        desk.close()
