"""Evaluating an opened vault: its figures, the report of a night, the router. A part of the composition root.

`close_night` is for the end of a night, once what it wrote is indexed; `measure` computes the day's figures alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from ebbtide import __version__
from ebbtide.index.patrol import asked_on
from ebbtide.recall.score import scoring_of
from ebbtide.runtime import Runtime
from ebbtide.sleep import day_account, trend
from ebbtide.sleep.core_state import Reading
from ebbtide.sleep.day_account import Account
from ebbtide.sleep.edition import Spending
from ebbtide.sleep.evaluate import Closing, When, closing, frozen, resting, routed
from ebbtide.sleep.hygiene import Chores, hygiene
from ebbtide.sleep.nights import Plan, Step
from ebbtide.sleep.planning import joined
from ebbtide.sleep.router import NAME
from ebbtide.vault import identity
from ebbtide.vault.health import HealthFiles
from ebbtide.vault.nightfiles import NightJournal

log = logging.getLogger(__name__)

Shown = Callable[[str], bool]


def health_files(runtime: Runtime) -> HealthFiles:
    """The history of the figures; where a vault is only read, writing goes to its shadow."""
    return HealthFiles(runtime.store, identity.device_id(runtime.places.state), runtime.state)


def when_of(runtime: Runtime) -> When:
    """This moment by the runtime's clock, and its local day."""
    at = datetime.fromtimestamp(runtime.sync.clock.now(), UTC)
    told = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return When(told, at.astimezone().date().isoformat(), __version__)


def reading_of(runtime: Runtime, shown: Shown | None = None) -> Reading:
    """What an evaluation reads. `shown`: whether an id was shown of late, where somebody knows."""
    warmth = scoring_of(runtime.config).heat
    return Reading(runtime.catalog, runtime.store, runtime.config.memory.folder, shown, warmth)


def spending_of(runtime: Runtime, day: str) -> Spending | None:
    """What reading with Claude has cost on a day, by the store of this device; None if nothing was ever sent."""
    from ebbtide.consulting import desk_file, spent_on
    from ebbtide.sleep.verdicts import VerdictStore

    file = desk_file(runtime)
    if not file.exists():
        return None
    desk, limits = VerdictStore.open(file), runtime.config.limits
    try:
        pause = desk.pause()
        reason = pause.reason if pause.until > runtime.sync.clock.now() else ""
        night = spent_on(runtime, desk, day)
        waiting = desk.counts().waiting
        return Spending(desk.spent(day), limits.tokens_a_day, limits.money_a_day, waiting, reason, night)
    finally:
        desk.close()


def accounts_of(runtime: Runtime, day: str) -> tuple[list[Account], bool]:
    """The nights that this device had on a day and that are not undone, and whether it had any at all."""
    found: list[Account] = []
    kept = NightJournal.of(runtime.state).archived(day)
    for data in kept:
        try:
            found.append(day_account.from_json(data))
        except ValueError as error:
            log.warning("what a night of %s came to cannot be read and is not told of (%s)", day, error)
    return [one for one in found if one.lead is None or not runtime.catalog.is_undone(one.lead)], bool(kept)


def measure(runtime: Runtime, shown: Shown | None = None) -> Closing:
    """The figures of now, without a night: what the nights of today did is kept, of an earlier line where they were had elsewhere.
    Writes nothing."""
    when, (lines, _) = when_of(runtime), health_files(runtime).lines()
    nights = [line["night"] for line in lines if line.get("day") == when.day and isinstance(line.get("night"), Mapping)]
    carried: Mapping[str, int] | None = nights[-1] if nights else None
    own, any_ = accounts_of(runtime, when.day)
    if any_:
        told = day_account.whole(own)
        carried = trend.counts(told[0]) if told is not None else None
    spending = spending_of(runtime, when.day)
    return closing(reading_of(runtime, shown), when, lines, spending=spending, carried=carried)


def close_night(
    runtime: Runtime,
    plan: Plan,
    skipped: Sequence[str] = (),
    spending: Spending | None = None,
    shown: Shown | None = None,
) -> Closing:
    """The end of a night, once its steps are indexed: its line for the history and its report as bytes. Writes nothing;
    `HealthFiles.keep` and `write` do."""
    lines, _ = health_files(runtime).lines()
    told = spending if spending is not None else spending_of(runtime, plan.day)
    when = when_of(runtime)
    return closing(reading_of(runtime, shown), When(when.at, plan.day, when.version), lines, plan, told, skipped)


def steps_before(runtime: Runtime, day: str) -> tuple[Step, ...]:
    """Steps of a night beside those of its candidates: facts that nobody has needed for a year are frozen, and the hygiene."""
    reading, config = reading_of(runtime), runtime.config
    cold = frozen(resting(reading, When("", day, __version__)))
    today = datetime.fromtimestamp(runtime.sync.clock.now(), UTC).date().isoformat()
    chores = Chores(
        config.sleep.checkup,
        config.sleep.now_days,
        config.sleep.quarantine,
        config.lifecycle.days["working"],
        max(0, config.lifecycle.asked - asked_on(runtime.catalog, today)),
        trend.nights(health_files(runtime).lines()[0], day),
    )
    named = [ident for step in cold for ident in step.subjects]
    return joined(cold, hygiene(reading, day, chores, runtime.sync.new_id, runtime.texts["facts"], named))


def steps_after(runtime: Runtime, day: str, without: Collection[str] = ()) -> tuple[Step, ...]:
    """Steps that need the others done: the router. `without`: ids of core memories that are about to go."""
    return routed(reading_of(runtime), day, runtime.store.memory_bytes(NAME), without)


def finish(
    runtime: Runtime,
    plan: Plan,
    skipped: Sequence[str],
    write: Callable[[Callable[[], object]], object],
    shown: Shown | None = None,
) -> None:
    """Close a night and bring the report and the line of its day to disk, with those that the day had before and that are not undone;
    done again, the later one stands. `write` has something done by the owner of the writers."""
    plan, skipped = day_account.whole(accounts_of(runtime, plan.day)[0]) or (plan, skipped)
    end, files = close_night(runtime, plan, skipped, shown=shown), health_files(runtime)

    def work() -> None:
        files.write(end.files)
        files.keep(end.record)

    write(work)
