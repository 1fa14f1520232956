"""Long work under way: what is asked for by one request and looked at by others. Jobs are forgotten when the process ends."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ebbtide.memory.errors import EbbtideError

log = logging.getLogger(__name__)

Say = Callable[[str, int, int], None]
"""(phase, done, total)."""


@dataclass(slots=True)
class Job:
    """A long work under way. `state` is "queued", "running", "done" or "failed".

    `progress` is that of the work itself, None where the work is the indexer's. `result` is what came of it.
    """

    id: str
    what: str
    state: str = "queued"
    message: str = ""
    started: float = field(default_factory=time.time)
    finished: float | None = None
    progress: dict[str, Any] | None = None
    result: dict[str, Any] | None = None

    def say(self, phase: str, done: int, total: int) -> None:
        """How far it is."""
        self.progress = {"phase": phase, "done": done, "total": total, "eta_seconds": None}


class Jobs:
    """The jobs of an opened vault. Safe from any thread."""

    def __init__(self) -> None:
        self._known: dict[str, Job] = {}
        self._gate = threading.Lock()

    def get(self, ident: str) -> Job | None:
        """A job by id."""
        return self._known.get(ident)

    def values(self) -> list[Job]:
        """All of them, in the order they were asked for."""
        return list(self._known.values())

    def under_way(self, *kinds: str) -> list[Job]:
        """Jobs not finished yet whose name begins with one of these; without any, all."""
        return [job for job in self.values() if job.finished is None and job.what.startswith(kinds or "")]

    def add(
        self, what: str, *, apart: tuple[str, ...] = (), refuse: Callable[[Job], EbbtideError] | None = None
    ) -> Job:
        """A new job. Raises what `refuse` makes of one of the kinds `apart` that is under way."""
        with self._gate:  # two requests at once must not both find nothing under way
            busy = self.under_way(*apart) if refuse is not None else []
            if busy and refuse is not None:
                raise refuse(busy[0])
            job = Job("j_" + secrets.token_hex(4), what)
            self._known[job.id] = job
        return job

    def begin(self, job: Job, work: Callable[[Say], dict[str, Any]], *, thread: str, phase: str) -> None:
        """Do it in a thread of its own, `thread` by name: its result is what `work` returns, its message why it failed."""
        job.say(phase, 0, 0)
        threading.Thread(target=_done, args=(job, work), name=thread, daemon=True).start()


def _done(job: Job, work: Callable[[Say], dict[str, Any]]) -> None:
    job.state = "running"
    try:
        job.result, job.state = work(job.say), "done"
    except EbbtideError as error:
        job.state, job.message = "failed", str(error)
    except Exception as error:
        job.state, job.message = "failed", f"{type(error).__name__}: {error}"
        log.exception("a job failed: %s", job.what)
    finally:
        job.finished = time.time()


class Busy(EbbtideError):
    """An exam is being sat, or settings are being fitted to one."""

    status = 409
    code = "busy"


def one_exam(jobs: Jobs, what: str) -> Job:
    """A new exam or fit of settings. Raises Busy while either is under way: both measure with the settings in force."""

    def refuse(busy: Job) -> EbbtideError:
        said = "Settings are being fitted." if busy.what == "tune" else "An exam is being sat already."
        return Busy(said, wait_for(busy))

    return jobs.add(what, apart=("exam", "tune"), refuse=refuse)


def wait_for(job: Job) -> str:
    """The remedy of who comes second."""
    return f"Wait for it: GET /v1/jobs/{job.id}."
