"""The batch exam of reinforcement: what confirmed uses of a note do to questions about now and about the past (formats.md 7).

Uses are credited in memory only, to one question at a time: episodes do not see each other's, and nothing under the vault is
created, changed or removed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from ebbtide.memory.errors import BadRequest
from ebbtide.memory.heat import Event
from ebbtide.prove.exam import filled
from ebbtide.prove.rows import read_rows, write_rows
from ebbtide.recall.engine import Engine, Question
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service, told

Arm = Literal["none", "use", "gate"]
ARMS: Final[tuple[Arm, ...]] = ("none", "use", "gate")
MOST: Final = 3650
"""Uses of one note at most: ten years of days."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Episode:
    """Notes that were used, (path, days of use), and what is asked then: (name, question)."""

    id: str
    as_of: str | None
    used: tuple[tuple[str, tuple[str, ...]], ...]
    asked: tuple[tuple[str, str], ...]


def gate(vault: Path, episodes: Path, arm: Arm, out: Path, progress: Say = lambda _: None) -> dict[str, Any]:
    """Answer the questions of every episode into lines of `out`: {id: "<episode>-present0" or "-past0" ..., ranked, ms}.

    Arms: `none` ignores the uses, `use` counts them without the frame gate, `gate` with it. Raises BadRequest naming the line
    that is no episode, or the note that is not there; `out` is written whole or not at all.
    """
    read = list(_episodes(episodes))
    runtime = open_runtime(vault, read_only=True)
    rows: list[dict[str, Any]] = []
    try:
        Service(runtime).catch_up(progress=told(progress), threads=os.cpu_count() or 1)
        engine = _engine(runtime, arm)
        for number, episode in enumerate(read, 1):
            uses = {} if arm == "none" else _credited(runtime, episode)
            rows += [_answer(runtime, engine, episode, name, query, uses) for name, query in episode.asked]
            if number % 50 == 0 or number == len(read):
                progress(f"episodes {number}/{len(read)}")
    finally:
        runtime.close()
    write_rows(out, rows)
    return {"out": str(out), "arm": arm, "episodes": len(read), "questions": len(rows)}


def _engine(runtime: Runtime, arm: Arm) -> Engine:
    """The vault's own, with or without the gate."""
    settings = runtime.engine.settings
    heat = replace(settings.scoring.heat, gate=arm != "use")
    scoring = replace(settings.scoring, heat=heat)
    return Engine(runtime.store, runtime.engine.channels, replace(settings, scoring=scoring))


def _credited(runtime: Runtime, episode: Episode) -> dict[str, list[Event]]:
    """The uses by id: of each note, and of its facts."""
    out: dict[str, list[Event]] = {}
    for path, days in episode.used:
        file = runtime.catalog.file(path)
        if file is None:
            raise BadRequest(
                f"Episode {episode.id!r} reinforces {path!r}, which is no note of this vault.",
                "Name notes by their path from the vault's root.",
            )
        events = [Event(day) for day in days]
        for ident in (file.id, *(ident for _, ident, _ in runtime.catalog.facts_of(file.row))):
            out.setdefault(ident, []).extend(events)
    return out


def _answer(
    runtime: Runtime, engine: Engine, episode: Episode, name: str, query: str, uses: Mapping[str, list[Event]]
) -> dict[str, Any]:
    question = Question(query, as_of=episode.as_of, uses=uses)
    started = time.perf_counter()
    ranking = engine.rank(question)
    spent = (time.perf_counter() - started) * 1000
    notes = [ranking.pool.notes[row].file.path for row in ranking.notes]
    return {"id": f"{episode.id}-{name}", "ranked": filled(runtime, question, notes), "ms": round(spent, 2)}


def _episodes(path: Path) -> Iterator[Episode]:
    shape = '{"id": ..., "reinforce": [{"note", "times", "last"}], "present": [...], "past": [...]}'
    return read_rows(path, "no episode", shape, _episode)


def _episode(record: Mapping[str, Any]) -> Episode:
    used = tuple((str(entry["note"]), _days(int(entry["times"]), str(entry["last"]))) for entry in record["reinforce"])
    asked = [
        (f"{when}{place}", str.strip(asked["query"] if isinstance(asked, Mapping) else asked))
        for when in ("present", "past")
        for place, asked in enumerate(record.get(when) or ())
    ]
    return Episode(str(record["id"]), record.get("as_of"), used, tuple(asked))


def _days(times: int, last: str) -> tuple[str, ...]:
    """So many consecutive days that end on the last one."""
    end = date.fromisoformat(last[:10])
    return tuple((end - timedelta(days=back)).isoformat() for back in range(min(max(0, times), MOST)))
