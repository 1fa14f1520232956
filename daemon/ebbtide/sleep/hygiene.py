"""The hygiene of a night: working notes whose time has passed, doubtful sources, the check-up. As steps, in this order.

All questions of a day share one limit with those that the patrol asks (lifecycle.asked), so that a person can keep up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ebbtide.memory.limits import DAYS
from ebbtide.memory.ports import TextIndex
from ebbtide.sleep.checkup_read import checked, part_of
from ebbtide.sleep.core_state import Reading
from ebbtide.sleep.nights import Step
from ebbtide.sleep.planning import joined
from ebbtide.sleep.quarantine import set_aside
from ebbtide.sleep.working_notes import expired


@dataclass(frozen=True, slots=True)
class Chores:
    """How much a night does: records read again of each sort, days after which “now” is old, whether doubtful sources are set aside,
    days that a working note lasts, questions that may still be asked today, and the days before that had a night: whose turn it
    is."""

    records: int = 500
    now_days: int = 90
    quarantine: bool = True
    working_days: int = DAYS["working"]
    questions: int = 20
    turn: int = 0


def hygiene(
    reading: Reading,
    day: str,
    chores: Chores,
    new_id: Callable[[str], str],
    facts: TextIndex | None = None,
    besides: Collection[str] = (),
) -> tuple[Step, ...]:
    """The steps; `needs` counts from the first. `facts` finds newer words on a claim; nothing is asked of the ids in `besides`."""
    files = reading.catalog.files()
    working = expired(reading, files, day, days=chores.working_days, most=chores.questions, new_id=new_id)
    left = max(0, chores.questions - sum(not step.path for step in working))
    part = part_of(reading, files, day, chores.records, chores.turn)
    aside = set_aside(reading, part, left) if chores.quarantine else ()
    taken = {ident for step in aside for ident in step.subjects} | set(besides)
    questions = checked(
        reading, part, day, most=left - len(aside), now_days=chores.now_days, facts=facts, besides=taken
    )
    return joined(working, aside, questions)
