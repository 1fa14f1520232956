"""When something that kept coming up may become a lasting memory. Pure; mission.md B7.

One event shows nothing. What is promoted was said by a person, in their own words, on at least two days, in at least two
notes, for at least two tasks; or they said outright that it holds. What a machine wrote counts for nothing, however often.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ebbtide.memory.states import Lang, Origin

DAYS: Final = 2
NOTES: Final = 2
TASKS: Final = 2


@dataclass(frozen=True, slots=True)
class Sighting:
    """One place that says it: day (ISO, None unknown), note (path), task, and who says it. `quoted`: the words are there now."""

    day: str | None
    note: str
    task: str
    origin: Origin = "observed"
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class Promotion:
    """Whether it may be promoted, what it rests on, and why (not)."""

    due: bool
    days: int
    notes: int
    tasks: int
    en: str
    zh: str

    def reason(self, lang: Lang) -> str:
        """For a person."""
        return self.zh if lang == "zh" else self.en


def promotion(sightings: Iterable[Sighting], *, stated: bool = False, disputed: bool = False) -> Promotion:
    """Weigh the places that say something. `stated`: a person said outright that it holds from now on."""
    counted = [s for s in sightings if s.origin == "observed" and s.quoted]
    days = len({s.day[:10] for s in counted if s.day})
    notes, tasks = len({s.note for s in counted}), len({s.task.casefold() for s in counted})
    if disputed:
        return Promotion(False, days, notes, tasks, "another note says otherwise", "另有笔记说法不同")
    if stated and counted:
        return Promotion(True, days, notes, tasks, "you said so yourself", "你自己明确说过")
    if days >= DAYS and notes >= NOTES and tasks >= TASKS:
        en = f"said on {days} days, in {notes} notes, for {tasks} tasks"
        return Promotion(True, days, notes, tasks, en, f"在 {days} 天、{notes} 篇笔记、{tasks} 件事里都出现过")
    en = f"said on {days} of {DAYS} days, in {notes} of {NOTES} notes, for {tasks} of {TASKS} tasks"
    zh = f"目前只有 {days}/{DAYS} 天、{notes}/{NOTES} 篇笔记、{tasks}/{TASKS} 件事"
    return Promotion(False, days, notes, tasks, en, zh)


_PROJECTS: Final = re.compile(r"[\W\d_]*(?:projects?|项目|專案)", re.I)


def task_of(path: str, project: str | None, subject: str | None) -> str:
    """What a place belongs to: its project, else the folder below one that is called Projects, else its top folder, else its subject."""
    folders = path.split("/")[:-1]
    below = next((after for folder, after in pairwise(folders) if _PROJECTS.fullmatch(folder)), None)
    return project or below or (folders[0] if folders else None) or subject or path
