"""Long work under way: what is asked for by one request and looked at by others. Jobs are forgotten when the process ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ebbtide.memory.errors import EbbtideError


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


class Busy(EbbtideError):
    """An exam is being sat, or settings are being fitted to one."""

    status = 409
    code = "busy"


def one_exam_at_a_time(jobs: Mapping[str, Job]) -> None:
    """Raise Busy while an exam, or a fit of settings, is under way: both measure with the settings in force."""
    busy = [job for job in jobs.values() if job.what.startswith(("exam", "tune")) and job.finished is None]
    if busy:
        what = "Settings are being fitted." if busy[0].what == "tune" else "An exam is being sat already."
        raise Busy(what, f"Wait for it: GET /v1/jobs/{busy[0].id}.")
