"""What keeps the core small and the memory folder bounded, over an opened vault: a part of the composition root."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from ebbtide.measuring import health_files, reading_of, steps_after, when_of
from ebbtide.memory.errors import ChangedOutside, VaultError
from ebbtide.memory.states import Lang
from ebbtide.runtime import Runtime
from ebbtide.sleep import merge_read, merging
from ebbtide.sleep.core_rest import idle_patterns
from ebbtide.sleep.edition import FOLDER
from ebbtide.sleep.evaluate import frozen, majority
from ebbtide.sleep.likeness import Likeness
from ebbtide.sleep.merge_read import Look, Open
from ebbtide.sleep.night import change_of, last_night, writes_of
from ebbtide.sleep.night_undo import UNDO, end_pending, end_undo, intent_of
from ebbtide.sleep.nights import Plan, Step
from ebbtide.sleep.outlived import ENDINGS, needless, outlived, same_week, stretched, untouched
from ebbtide.vault.nightfiles import NightFiles, NightJournal
from ebbtide.vault.store import VaultStore

log = logging.getLogger(__name__)


def rested(runtime: Runtime, day: str) -> tuple[Step, ...]:
    """The steps that freeze core patterns which nobody has needed for long."""
    return frozen(idle_patterns(reading_of(runtime), day, runtime.config.merge.idle_days))


def closing_steps(
    runtime: Runtime, plan: Plan, likeness: Likeness, check: Callable[[], None] = lambda: None
) -> tuple[Step, ...]:
    """The steps that need those of the candidates done: what was said again is thawed, what says the same merged or proposed, and
    last the router, without what is merged away. `check` is called now and then and may raise."""
    folder, merge = runtime.config.memory.folder, runtime.config.merge
    lang: Lang = majority(runtime.catalog.files().values())
    look = Look(merge.auto, merge.every_days, merge.likeness, merge.most)
    back = merge_read.thawed(runtime.catalog, plan.steps, lang)
    looked = merge_read.looked(runtime.catalog, runtime.store, folder, plan.day, lang, look, likeness, check)
    gone = frozenset(step.subjects[0] for step in looked if step.kind == "merge")
    return (*back, *looked, *steps_after(runtime, plan.day, gone))


def prune(runtime: Runtime, day: str) -> None:
    """Take out reports as they were written that are past their time, and in the first night of a week contents that no undo needs any
    more; what cannot be taken out stays. Only the owner of the writers may call it."""
    told = {name.rpartition(".")[0] for name in runtime.store.memory_list(FOLDER) if name.endswith(ENDINGS)}
    lived = {str(line.get("day")) for line in health_files(runtime).lines()[0]} | told
    _thin_reports(runtime, day, told, lived)
    last = last_night(NightJournal.of(runtime.state))
    if last is None or not same_week(last[0], day):
        _try("what .history/ holds", partial(_drop_contents, runtime, day, lived))


def _thin_reports(runtime: Runtime, day: str, told: Collection[str], lived: Collection[str]) -> None:
    keep = runtime.config.keep
    every, weekly = (stretched(lived, day, limit) for limit in (keep.reports_days, keep.reports_weekly))
    for old in outlived(told, day, every, weekly):
        _try(f"the report of {old}", partial(_drop_report, runtime.store, old))


def _drop_contents(runtime: Runtime, day: str, lived: Collection[str]) -> None:
    files, revisions = NightFiles(runtime.store), runtime.catalog.file_revisions()
    limit = stretched({*lived, *(str(r.get("at"))[:10] for r in revisions)}, day, runtime.config.keep.undo_days)
    for digest in sorted(needless(revisions, day, limit) & set(files.contents())):
        _try(f"the content {digest}", partial(files.drop, digest))


def _drop_report(store: VaultStore, day: str) -> None:
    paths = {ending: f"{FOLDER}/{day}{ending}" for ending in ENDINGS}
    if untouched({ending: store.memory_bytes(path) for ending, path in paths.items()}):
        for path in paths.values():
            store.remove_memory(path)


def _try(what: str, work: Callable[[], object]) -> None:
    """Do it, or say why not: a file that cannot be taken out must not keep a night from ending."""
    try:
        work()
    except (VaultError, OSError) as error:
        log.warning("%s is past its time and stays: %s", what, error)


def open_merges(runtime: Runtime, day: str) -> list[Open]:
    """The merges that wait for a person."""
    return merge_read.asked(runtime.catalog, runtime.store, runtime.config.memory.folder, day)


def carry_out(runtime: Runtime, asked: Open, by: str, why: str) -> list[dict[str, Any]]:
    """Merge what a person was asked about: one revision with both files. Only the owner of the writers may call it.

    The intent comes first, then the revision, then the files: what a kill leaves is ended as an undo that was cut off is. Raises
    ChangedOutside, and does nothing, if one of the files was changed since it was read.
    """
    files, journal = NightFiles(runtime.store), NightJournal.of(runtime.state)
    folder, lang = runtime.config.memory.folder, asked.merge.covered.lang
    [step] = merging.steps([asked.merge], folder, lang)
    writes = writes_of(step)
    end_pending(runtime.sync, files, journal, folder)
    for path, before, _ in writes:
        if files.digest(path) != before:
            raise ChangedOutside(f"{path} was changed meanwhile.", "Nothing was done. See `ebbtide review`.")
    for path, _, after in writes:
        files.keep(files.read(path) or b"")
        files.keep((after or "").encode("utf-8"))
    revision = {
        "by": by,
        "kind": step.kind,
        "subjects": list(step.subjects),
        "object": step.extra["object"],
        "changes": [change_of(*write) for write in writes],
        "why": why or asked.why,
        "evidence": [],
        "claims": step.extra["claims"],
        "night": when_of(runtime).day,
    }
    data = intent_of(revision)
    journal.write(UNDO, data)
    made = runtime.sync.decisions.record(revision)
    runtime.sync.outbox.deliver()
    end_undo(runtime.sync, files, journal, folder, data)
    return made
