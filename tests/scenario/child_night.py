"""Processes that have a night, or take one back, and kill themselves with SIGKILL at their N-th touch of disk or catalogue.

    python child_night.py JOBS

JOBS is a JSON list of {vault, environ, day, tick, what}: one process each, one after another, forked from this one so that the
imports are paid for once. Before and after each write of a file, of the journal, of a revision, and of the index is a moment;
tick 0 is never met. Prints a JSON list of [exit code (-9: killed), moments met].
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ebbtide.index.decisions import Decisions
from ebbtide.index.outbox import Outbox
from ebbtide.index.sync import Sync
from ebbtide.runtime import open_runtime
from ebbtide.sleeping import open_night
from ebbtide.vault.health import HealthFiles
from ebbtide.vault.nightfiles import NightFiles, NightJournal

TOUCHES: list[tuple[type, str]] = [
    (NightFiles, "keep"),
    (NightFiles, "put"),
    (NightFiles, "take"),
    (NightJournal, "write"),
    (NightJournal, "remove"),
    (Decisions, "record"),
    (Decisions, "undo"),
    (Outbox, "deliver"),
    (Sync, "apply"),
    (HealthFiles, "write"),
    (HealthFiles, "keep"),
]


def job(vault: str, day: str, tick: int, what: str) -> int:
    """Do it here; returns the moments that were met."""
    runtime = open_runtime(Path(vault), read_only=False, options={"embed.enabled": False})
    runtime.catch_up()
    met = 0

    def moment() -> None:
        nonlocal met
        met += 1
        if met == tick:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(inner: Callable[..., Any]) -> Callable[..., Any]:
        def outer(*args: Any, **named: Any) -> Any:
            moment()
            found = inner(*args, **named)
            moment()
            return found

        return outer

    for kind, name in TOUCHES:
        setattr(kind, name, watched(getattr(kind, name)))
    night = open_night(runtime, lambda work: work())
    gone_on = night.resume() is not None
    if what == "undo":
        night.undo(day, "user", "taken back")
    elif what == "sleep" and not gone_on:
        night.run(day)
    runtime.write_memory()
    runtime.close()
    return met


def forked(one: dict[str, Any], told: Path) -> list[int]:
    """A job in a process of its own; its exit code and the moments it met (0 if it was killed)."""
    told.write_text("0")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.environ.update(one["environ"])
            told.write_text(str(job(one["vault"], one["day"], one["tick"], one["what"])))
            code = 0
        except BaseException:  # noqa: BLE001 - told by the exit code
            traceback.print_exc()
        finally:
            os._exit(code)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(told.read_text())]


def main(jobs: str) -> int:
    told = Path(jobs).with_suffix(".met")
    print(json.dumps([forked(one, told) for one in json.loads(Path(jobs).read_text())]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
