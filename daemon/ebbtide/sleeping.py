"""What a night needs, opened and wired: a part of the composition root that only who sleeps loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from ebbtide import consulting, measuring, tidying
from ebbtide.consulting import Manner
from ebbtide.index.priors import load_priors
from ebbtide.runtime import Runtime
from ebbtide.sleep import night
from ebbtide.sleep.collect import Sources, collect
from ebbtide.sleep.consolidate import Place, Rules
from ebbtide.sleep.core_read import said_by_facts
from ebbtide.sleep.likeness import Likeness
from ebbtide.sleep.meaning import Meaning
from ebbtide.sleep.night import Night, Outcome, Say, Write
from ebbtide.sleep.nights import Candidate, Judge
from ebbtide.sleep.power import power
from ebbtide.vault.nightfiles import NightFiles, NightJournal

__all__ = ["Night", "Outcome", "last_night", "open_night", "power", "under_way"]


def open_night(
    runtime: Runtime, write: Write, *, say: Say = lambda *_: None, stop: Callable[[], bool] = lambda: False,
    patient: bool = False, ahead: bool = False, shown: Callable[[str], bool] | None = None,
) -> Night:  # fmt: skip
    """The nights of an opened vault, judged by rules, and by Claude where it is on. `write` has something done by the owner of
    the writers. `patient`: begun by schedule, with time for a batch; `ahead`: only looked at, so nothing is asked or paid.
    `shown`: whether an id was shown of late, where somebody knows.
    """
    folder = runtime.config.memory.folder
    sources = Sources(
        runtime.catalog, runtime.store, runtime.near, runtime.texts["notes"], folder, runtime.config.sleep
    )

    def caught(day: str, since: str | None) -> tuple[tuple[Candidate, ...], int]:
        return collect(sources, day, since)

    def judge(day: str, earlier: Sequence[Place]) -> Judge:
        def heard(text: str) -> list[Place]:
            return said_by_facts(runtime.catalog, runtime.texts["facts"], text, day)

        rules = Rules(day, folder, heard, earlier, _likeness(runtime))
        manner = Manner(patient, ahead or runtime.read_only, lambda done, total: say("judge", done, total), stop, check)
        return consulting.judge_of(runtime, rules, day, manner)

    def check() -> None:
        if stop():
            raise night.stopped()

    def finished(outcome: Outcome) -> None:
        measuring.finish(runtime, outcome.plan, outcome.left, write, shown)
        write(lambda: tidying.prune(runtime, outcome.plan.day))
        consulting.ended(runtime, outcome.plan.day)

    return Night(
        runtime.sync,
        NightFiles(runtime.store),
        NightJournal.of(runtime.state),
        folder,
        caught,
        judge,
        write,
        further=lambda day: (*measuring.steps_before(runtime, day), *tidying.rested(runtime, day)),
        closing=lambda plan: tidying.closing_steps(runtime, plan, _likeness(runtime), check),
        finished=finished,
        say=say,
        stop=stop,
    )


def under_way(runtime: Runtime) -> bool:
    """Whether a night, or an undo, was cut off."""
    return night.under_way(NightJournal.of(runtime.state))


def last_night(runtime: Runtime) -> tuple[str, datetime] | None:
    """The day of the last night that ended here, and when that was; None before the first."""
    return night.last_night(NightJournal.of(runtime.state))


def _likeness(runtime: Runtime) -> Likeness:
    meaning = _meaning(runtime)
    return Likeness(meaning, meaning.pairs if meaning is not None else None)


def _meaning(runtime: Runtime) -> Meaning | None:
    embedder = runtime.embedder
    if embedder is None:
        return None
    means = load_priors(embedder.fingerprint).get("facts", {})
    return Meaning(embedder, None if runtime.read_only else runtime.vectors, means)
