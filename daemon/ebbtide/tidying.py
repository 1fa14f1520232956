"""What keeps the core small and the memory folder bounded, over an opened vault: a part of the composition root."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any, Final

from ebbtide.measuring import reading_of, steps_after
from ebbtide.memory.states import Lang
from ebbtide.runtime import Runtime
from ebbtide.sleep import merge_read, merging
from ebbtide.sleep.core_rest import idle_patterns
from ebbtide.sleep.edition import FOLDER
from ebbtide.sleep.evaluate import frozen, majority
from ebbtide.sleep.likeness import Likeness
from ebbtide.sleep.merge_read import Look, Open
from ebbtide.sleep.night import change_of, writes_of
from ebbtide.sleep.night_undo import UNDO, end_undo
from ebbtide.sleep.nights import Plan, Step
from ebbtide.sleep.outlived import ENDINGS, needless, outlived, untouched
from ebbtide.vault.nightfiles import NightFiles, NightJournal

WEEK: Final = 7


def rested(runtime: Runtime, day: str) -> tuple[Step, ...]:
    """The steps that freeze core patterns which nobody has needed for long."""
    reading = reading_of(runtime)
    return frozen(idle_patterns(reading, runtime.catalog.files(), day, runtime.config.merge.idle_days))


def closing_steps(runtime: Runtime, plan: Plan, likeness: Likeness) -> tuple[Step, ...]:
    """The steps that need those of the candidates done: what was said again is thawed, what says the same merged or proposed, and
    last the router, without what is merged away."""
    folder, merge = runtime.config.memory.folder, runtime.config.merge
    lang: Lang = majority(runtime.catalog.files().values())
    look = Look(merge.auto, merge.every_days, merge.likeness, merge.most)
    back = merge_read.thawed(runtime.catalog, plan.steps, lang)
    looked = merge_read.looked(runtime.catalog, runtime.store, folder, plan.day, lang, look, likeness)
    gone = frozenset(step.subjects[0] for step in looked if step.kind == "merge")
    return (*back, *looked, *steps_after(runtime, plan.day, gone))


def prune(runtime: Runtime, day: str) -> None:
    """Take out reports as they were written that are past their time, and once a week contents that no undo needs any more. Only the
    owner of the writers may call it."""
    keep, store = runtime.config.keep, runtime.store
    names = {name for name in store.memory_list(FOLDER) if name.endswith(ENDINGS)}
    days = {name.rpartition(".")[0] for name in names}
    for old in outlived(days, day, keep.reports_days, keep.reports_weekly):
        paths = {ending: f"{FOLDER}/{old}{ending}" for ending in ENDINGS}
        if untouched({ending: store.memory_bytes(path) for ending, path in paths.items()}):
            for path in paths.values():
                store.remove_memory(path)
    if date.fromisoformat(day).toordinal() % WEEK == 0:
        files = NightFiles(store)
        gone = needless(runtime.catalog.file_revisions(), day, keep.undo_days)
        for digest in sorted(gone & set(files.contents())):
            files.drop(digest)


def open_merges(runtime: Runtime, day: str) -> list[Open]:
    """The merges that wait for a person."""
    return merge_read.asked(runtime.catalog, runtime.store, runtime.config.memory.folder, day)


def carry_out(runtime: Runtime, asked: Open, by: str, why: str) -> list[dict[str, Any]]:
    """Merge what a person was asked about: one revision with both files. Only the owner of the writers may call it.

    The revision comes first; the files follow, also after a kill, as those of an undo that was cut off do.
    """
    files, journal = NightFiles(runtime.store), NightJournal.of(runtime.state)
    folder, lang = runtime.config.memory.folder, asked.merge.covered.lang
    day = datetime.fromtimestamp(runtime.sync.clock.now(), UTC).astimezone().date().isoformat()
    [step] = merging.steps([asked.merge], folder, lang)
    writes = writes_of(step)
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
        "night": day,
    }
    made = runtime.sync.decisions.record(revision)
    data = json.dumps({"id": made[0]["id"], "forward": True}).encode() + b"\n"
    journal.write(UNDO, data)
    runtime.sync.outbox.deliver()
    end_undo(runtime.sync, files, journal, folder, data)
    return made
