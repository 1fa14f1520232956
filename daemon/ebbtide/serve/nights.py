"""The use-cases of the night: sleep, or only show what it would do; take a night back; go on with one that was cut off.

A part of `service`. A night runs in a thread of its own; each of its steps is handed to the owner of the writers.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from ebbtide.memory.errors import BadRequest, EbbtideError
from ebbtide.runtime import Runtime
from ebbtide.serve.jobs import Job, Jobs, Say, wait_for
from ebbtide.serve.rulings import Rulings
from ebbtide.serve.rulings_desk import Desk
from ebbtide.serve.using import Shown
from ebbtide.serve.vitals import Threads
from ebbtide.sleep.nights import Judged, Plan
from ebbtide.sleep.report_hygiene import Hygiene, counts, hygiene_of

if TYPE_CHECKING:
    from ebbtide.sleeping import Night, Outcome

PATIENCE: Final = 3600.0
"""Seconds that a step waits for the indexer: a night has time."""
DECISIONS: Final = ("promote", "associate", "compress", "release")
SINCE_AT_MOST: Final = 366
"""Days that a night may look back."""


class Asleep(EbbtideError):
    """A night is under way."""

    status = 409
    code = "busy"


class Nights:
    """The use-cases; `Service` is one."""

    runtime: Runtime
    threads: Threads
    rulings: Rulings
    jobs: Jobs
    shown: Shown
    _night_stops: bool = False

    def job(self, id: str) -> dict[str, Any]:
        """GET /v1/jobs/{id}; the service's."""
        raise NotImplementedError

    # --- what is asked for --------------------------------------------------------------------------------------------

    def sleep(
        self,
        dry_run: bool = False,
        since: str | None = None,
        undo: bool = False,
        day: str | None = None,
        client: str | None = None,
        *,
        scheduled: bool = False,
    ) -> dict[str, Any]:
        """POST /v1/sleep: in a thread of its own; the job's `result` tells what was decided about each candidate.

        `scheduled`: nobody waits for it, so that Claude may be asked in a batch.
        `since` begins the window on that day. `undo` takes the latest night back, or the latest of a `day`. Raises Asleep while
        one is under way, BadRequest, and ReadOnly where the vault was opened only for reading and more than a look is asked for.
        """
        if undo and (dry_run or since):
            raise BadRequest("--undo takes a night back and does nothing else.", "Leave out --dry-run and --since.")
        if day is not None and not undo:
            raise BadRequest("A day is only named to undo its night.", "Use --since for where the window begins.")
        if since is not None and not self._back(since):
            raise BadRequest(f"{since} is in the future, or too far back.", f"At most {SINCE_AT_MOST} days.")
        if not dry_run:
            self.rulings.desk.refuse_read_only()
        job = self._one_night("sleep undo" if undo else "sleep dry-run" if dry_run else "sleep")
        by = "user" if client is None else f"agent:{client}"
        if undo:
            self._begin(job, lambda night: self._undone(night, day, by))
        elif dry_run:
            self._begin(job, lambda night: _told(night.plan(self._today(), since), dry_run=True))
        else:
            self._begin(job, lambda night: _outcome(night.run(self._today(), since)), scheduled=scheduled)
        return self.job(job.id)

    def end_night(self) -> dict[str, Any] | None:
        """Go on with a night, or an undo, that was cut off; its job, or None if there was none."""
        from ebbtide.sleeping import under_way

        if self.runtime.read_only or not under_way(self.runtime):
            return None
        try:
            job = self._one_night("sleep resume")
        except Asleep:
            return None
        self._begin(job, _resumed)
        return self.job(job.id)

    def stop_nights(self, patience: float = 30.0) -> None:
        """Let a night under way end after its present step; it goes on at the next start."""
        self._night_stops = True
        until = time.monotonic() + patience
        while time.monotonic() < until and self.jobs.under_way("sleep"):
            time.sleep(0.02)

    # --- the thread ---------------------------------------------------------------------------------------------------

    def _one_night(self, what: str) -> Job:
        def refuse(busy: Job) -> EbbtideError:
            return Asleep("A night is under way.", wait_for(busy))

        return self.jobs.add(what, apart=("sleep",), refuse=refuse)

    def _begin(self, job: Job, work: Callable[[Night], dict[str, Any]], *, scheduled: bool = False) -> None:
        def slept(say: Say) -> dict[str, Any]:
            result = work(self._night(say, scheduled=scheduled, ahead=job.what == "sleep dry-run"))
            if self.threads.indexer is None and not self.runtime.read_only and job.what != "sleep dry-run":
                self.runtime.write_memory()
            return result

        self.jobs.begin(job, slept, thread="ebbtide-night", phase="sleep")

    def _night(self, say: Say, *, scheduled: bool, ahead: bool) -> Night:
        from ebbtide.sleeping import open_night

        desk = Desk(self.runtime, self.threads, PATIENCE)
        # Without a daemon this thread owns the writers, and the memory folder is written once at the end.
        write = desk.write if self.threads.indexer is not None else (lambda work: work())
        known = (lambda ident: self.shown.question(ident) is not None) if self.threads.indexer is not None else None
        return open_night(
            self.runtime, write, say=say, stop=lambda: self._night_stops, patient=scheduled, ahead=ahead, shown=known
        )

    def _undone(self, night: Night, day: str | None, by: str) -> dict[str, Any]:
        of, lead, left = night.undo(day, by, "the night was taken back")
        folder = self.runtime.config.memory.folder
        return _empty(of) | {"undone": lead, "left": [f"{folder}/{rel}" for rel in left]}

    def _today(self) -> str:
        return self.runtime.uses.today()

    def _back(self, since: str) -> bool:
        today = date.fromisoformat(self._today())
        return today - timedelta(days=SINCE_AT_MOST) <= date.fromisoformat(since) <= today

    def last_night(self) -> tuple[str, datetime] | None:
        """The day of the last night that ended here and when that was; None before the first."""
        from ebbtide.sleeping import last_night

        return last_night(self.runtime)


def _resumed(night: Night) -> dict[str, Any]:
    outcome = night.resume()
    return _empty("") if outcome is None else _outcome(outcome)


def _outcome(outcome: Outcome) -> dict[str, Any]:
    told = _told(outcome.plan, dry_run=False)
    told["skipped"] += outcome.left
    return told | {
        "revision": outcome.lead,
        "undo": f"ebbtide sleep --undo {outcome.plan.day}" if outcome.lead else None,
    }


def _told(plan: Plan, *, dry_run: bool) -> dict[str, Any]:
    """A plan as the API tells it."""
    decided = Counter(one.decision for one in plan.judged)
    return _empty(plan.day) | {
        "dry_run": dry_run,
        "core": plan.core,
        "processed": plan.processed,
        "candidates": len(plan.candidates),
        "counts": {name: decided.get(name, 0) for name in DECISIONS},
        "hygiene": _done(hygiene_of(plan.steps)),
        "judged": [_judged(one) for one in plan.judged],
        "skipped": list(plan.skipped),
    }


def _done(told: Hygiene) -> dict[str, int]:
    """What its hygiene comes to; what waited in vain is for the report."""
    return {name: number for name, number in counts(told).items() if name != "lapsed"}


def _judged(one: Judged) -> dict[str, Any]:
    candidate = one.candidate
    return {
        "note": candidate.note,
        "title": candidate.title,
        "day": candidate.day,
        "salience": candidate.salience,
        "parts": dict(candidate.parts),
        "reasons": list(candidate.why),
        "decision": one.decision,
        "relation": one.relation,
        "duplication": one.duplication,
        "reasoning": one.reasoning,
        "insight": one.insight,
        "why": one.why or None,
        "how": one.how or None,
        "path": one.path or None,
        "target": one.target,
        "links": list(one.links),
        "places": [{"note": q.note, "line": q.line, "quote": q.text, "day": q.day or None} for q in one.places],
        "until": one.until or None,
        "judge": one.judge,
        "unjudged": one.unjudged or None,
        "private": candidate.private,
    }


def _empty(day: str) -> dict[str, Any]:
    none: Mapping[str, Any] = {
        "day": day, "dry_run": False, "core": None, "processed": 0, "candidates": 0, "judged": [], "skipped": [],
        "revision": None, "undo": None, "undone": None, "left": [], "counts": dict.fromkeys(DECISIONS, 0),
        "hygiene": _done(Hygiene()),
    }  # fmt: skip
    return dict(none)
