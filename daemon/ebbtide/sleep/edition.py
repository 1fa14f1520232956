"""The nouns of a report: what it tells beside the plan of the night, and in which words. Frozen values. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ebbtide.memory.states import Lang
from ebbtide.sleep.desk import Spent
from ebbtide.sleep.markup import link
from ebbtide.sleep.nights import Plan
from ebbtide.sleep.report_hygiene import Hygiene
from ebbtide.sleep.report_merge import Joined
from ebbtide.sleep.report_words import say
from ebbtide.sleep.trend import Record

FOLDER: Final = "reports"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an open question: what it says, in which note, at which line (from 1)."""

    text: str
    note: str
    line: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """Something a person must decide: its kind (dispute, expired, held, wrong, quarantined), sides, since when (ISO day), and what a
    check-up found, in words."""

    kind: str
    sides: tuple[Side, ...]
    since: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Spending:
    """What the day has cost and may cost; a cap of 0 is none. `reason`: why nothing is sent for now."""

    spent: Spent
    tokens: int = 0
    money: float = 0.0
    waiting: int = 0
    reason: str = ""
    night: Spent | None = None
    """Of it, what judging the nights of the day has cost; None where Claude was not asked."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A memory that is frozen for disuse, and why; `quote`: the words in its note."""

    id: str
    text: str
    note: str
    line: int
    why: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Back:
    """A memory that comes back, as a question; `place`: (path, title) of the note where it may serve."""

    path: str
    title: str
    question: str
    place: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Edition:
    """All that a report tells. `record` is the day's line of the history, `history` one line a day, oldest first, with or without it.

    `folder`: the memory folder (vault path). `titles`: of notes by path, for links. `skipped`: beside what the plan left out.
    """

    record: Record
    history: Sequence[Record]
    folder: str
    lang: Lang = "en"
    plan: Plan | None = None
    rulings: Sequence[Ruling] = ()
    open_: int = 0
    """Open questions in all."""
    rest: Sequence[Rest] = ()
    back: Sequence[Back] = ()
    spending: Spending | None = None
    skipped: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    hygiene: Hygiene = field(default_factory=Hygiene)
    joined: Sequence[Joined] = ()

    @property
    def day(self) -> str:
        """The day it is of."""
        return str(self.record["day"])

    @property
    def here(self) -> str:
        """The folder of the report, from the vault's root."""
        return f"{self.folder}/{FOLDER}"

    def say(self, name: str, **values: object) -> str:
        """A phrase in its language."""
        return say(self.lang, name, **values)

    def to(self, path: str, title: str = "", line: int | None = None) -> str:
        """A link to a file of the vault."""
        shown = title or self.titles.get(path, "") or path.rpartition("/")[2].removesuffix(".md")
        return link(shown, path, self.here, line)
