"""The nouns of a night: what it caught, what was decided about it, and what will be written. Frozen values. Pure.

A night is planned as a whole, written down, and then carried out step by step: the plan is the only thing that decides, so that
a night which was cut off goes on where it stopped, and the same vault gives the same plan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ebbtide.memory.states import Lang

Decision = Literal["promote", "associate", "compress", "release"]
Relation = Literal["new", "redundant", "opposed", "complements", "corrects"]


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a person that stand in a note: `text` verbatim at `line` (from 1) of `note` (vault path)."""

    note: str
    line: int
    text: str
    day: str = ""
    """The day it was said (ISO); "" where only its candidate knows."""
    private: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something of the last days that may be worth keeping.

    `id` is the note's id, `key` names the candidate over nights: a note and the hash of its digest. `parts` are the terms of
    its salience (algorithms.md B.7: nov, ins, chg, lnk, rev), each in [0, 1]; `why` says them in words, in the note's language.
    `quotes` are the sentences that carry it, the most telling first. `task`: what it belongs to (memory/promotion.task_of).
    """

    key: str
    id: str
    note: str
    title: str
    day: str
    lang: Lang
    task: str
    salience: float
    parts: Mapping[str, float]
    why: tuple[str, ...]
    quotes: tuple[Quote, ...]
    near: tuple[str, ...] = ()
    """Paths of the core memories nearest to it, nearest first."""
    private: bool = False
    machine: bool = False
    """Written by a machine: no evidence for anything."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What was decided about a candidate, reasons first; formats.md 5 (`reports/DATE.json`)."""

    candidate: Candidate
    reasoning: str
    relation: Relation
    duplication: float
    """How much of it the core says already, from 0 to 1."""
    decision: Decision
    insight: str
    """The claim in one sentence, from the person's own words (a model's wording adds none); "" where nothing is kept."""
    why: str = ""
    how: str = ""
    links: tuple[str, ...] = ()
    """Paths of two or three existing core memories it belongs beside."""
    target: str | None = None
    """Associate, compress: the core memory that takes it in; promote: the one that it takes the place of, if any."""
    judge: str = "rules"
    """Who decided: "rules", or a model by its name."""
    unjudged: str = ""
    """Why the model that was to decide did not, for a person; "" where it did, or where none was to."""
    kind: str = ""
    """Promote: its type (core_note.FOLDERS)."""
    path: str = ""
    """Promote: where it is written (vault path)."""
    places: tuple[Quote, ...] = ()
    """What it rests on: one quotation of each note, the oldest first, its own among them."""
    until: str = ""
    """Release: the last day (ISO) on which it still waits to be borne out; "" where it does not."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """A core memory as a night sees it: its claim in one sentence, its whole text, and the hash of its bytes.

    `ours`: Ebbtide wrote it and no person has made it their own, so that lines may be added. `notes`: the paths it cites.
    """

    id: str
    path: str
    title: str
    type: str
    claim: str
    text: str
    digest: str
    lang: Lang
    day: str = ""
    ours: bool = False
    private: bool = False
    notes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Core:
    """The core memories that hold, by path, and every name that is taken where a new one may be written (folded paths)."""

    memories: tuple[CoreMemory, ...] = ()
    taken: frozenset[str] = frozenset()

    @property
    def hash(self) -> str:
        """Names the snapshot: 32 hex digits of the paths and bytes of its memories."""
        told = "".join(f"{memory.path}\0{memory.digest}\n" for memory in self.memories)
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


Judge = Callable[[Sequence[Candidate], Core], Sequence[Judged]]
"""Decides about all candidates of a night on one snapshot of the core, and sets those it accepts against each other."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a night does: a file under the memory folder gets new bytes (None: it is moved to .history), and a revision
    says so. `before` is the digest of what must be there now ("" for nothing): what a person changed meanwhile is left alone.

    `path` is relative to the memory folder; "" where only the revision is made. Of `extra`, `object` is the revision's other
    side and `needs` the number of a step without which this one is left out; all else goes into the revision as it is.
    """

    kind: str
    path: str
    before: str
    after: str | None
    subjects: tuple[str, ...]
    why: str
    evidence: tuple[Quote, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    second: tuple[str, str, str] | None = None
    """Another file that changes with it: (path, digest before, text after). Both change, or neither."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A night: the day it is for (ISO, local), the hash of the core it was judged against, what was found and what will be done."""

    day: str
    core: str
    candidates: tuple[Candidate, ...]
    judged: tuple[Judged, ...]
    steps: tuple[Step, ...]
    processed: int
    """Notes looked at, candidates or not."""
    skipped: tuple[str, ...] = ()
    """What was left out and why, in words."""
