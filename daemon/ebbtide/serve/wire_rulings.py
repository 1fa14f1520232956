"""The shapes on the wire, fourth part: facts as they hold, what was decided and what is to be. See `wire` for the rules."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ebbtide.memory.states import FactType, Frame, Lang, Layer, Origin, Precision, Scope, State
from ebbtide.serve.rulings_words import ReviewKind, Ruling
from ebbtide.serve.wire import Response


class Temperature(Response):
    """How warm a memory is by use; the word and the number behind it."""

    word: Literal["hot", "warm", "cool", "frozen"]
    value: float


class EvidenceRecord(Response):
    """A further place that says the same."""

    source: str
    line: int
    quote: str
    created_at: str | None


class FactRecord(Response):
    """A line of facts.jsonl, formats.md 2, folded with the rulings; what this version does not know passes through."""

    id: str
    fact: str
    source: str
    line: int
    quote: str
    note_hash: str
    type: FactType
    recorded_at: str
    heading: str | None
    source_kind: Literal["note", "conversation", "external"]
    tags: list[str]
    created_at: str | None
    precision: Precision | None
    verified_at: str | None
    subject: str | None
    attribute: str | None
    value: str | None
    unit: str | None
    valid_from: str | None
    valid_to: str | None
    origin: Origin
    confidence: float
    importance: float
    scope: Scope
    project: str | None
    frame: Frame
    trigger: str
    action: str | None
    why: str | None
    because: str | None
    evidence: list[EvidenceRecord]
    related: list[dict[str, Any]]
    expires_at: str | None
    review_at: str | None
    extractor: str
    private: bool
    held: str | None = Field(None, description="Why a gate holds it back as a candidate.")


class FactView(FactRecord):
    """A fact as the API shows it: the record, the layer of its type, and where it stands in its life."""

    layer: Layer
    state: State
    temperature: Temperature | None
    superseded_by: str | None = Field(description="The fact that took its place.")
    merged_into: str | None
    disputes: list[str] = Field(description="Facts that say otherwise, undecided.")
    expired: bool = Field(description="Its time is up: whether it still holds is asked.")
    pinned: bool
    frozen: bool
    forgotten: bool
    refused: bool


class RefusedFact(Response):
    """A candidate that a gate refused or holds back, and why."""

    note: str
    outcome: str = Field(description="refuse or hold.")
    gate: str
    code: str
    reason: str
    fact: dict[str, Any] = Field(description="The candidate, as it would have stood in facts.jsonl.")


class FactsResponse(Response):
    """GET /v1/facts, by id. `next` goes into `after` for the next page; null on the last one."""

    facts: list[FactView]
    refused: list[RefusedFact] = Field(description="Instead of the facts, when asked for.")
    counts: dict[str, dict[str, int]] = Field(
        description="Of all that was refused or is held in the vault: gate, code, how many."
    )
    total: int
    next: str | None


class FactResponse(Response):
    """GET /v1/facts/{id}: the fact and every revision that touched it, oldest first (formats.md 4)."""

    fact: FactView
    history: list[dict[str, Any]]


class NoteStanding(Response):
    """Where a note stands after a ruling on it."""

    id: str
    path: str
    state: State
    pinned: bool
    frozen: bool
    forgotten: bool
    refused: bool


class RevisedResponse(Response):
    """What a change of mind came to: the revisions made (the first one leads, undo takes it) and how the records stand now."""

    revisions: list[dict[str, Any]] = Field(description="As in revisions/<device>.jsonl; formats.md 4.")
    undone: str | None = Field(description="The revision that was taken back, if it was an undo.")
    facts: list[FactView]
    notes: list[NoteStanding]
    absent: list[str] = Field(description="Facts concerned that no note says any more.")


class RevisionsResponse(Response):
    """GET /v1/revisions, newest first. Each with `undone`, and `parts`: how many others were made with it."""

    revisions: list[dict[str, Any]]


class ReviewSide(Response):
    """One of the facts that a question is about."""

    id: str
    fact: str
    note: str
    line: int
    quote: str
    date: str | None = Field(description="When it was said, else from when it holds.")
    state: State
    private: bool


class Choice(Response):
    """A ruling that a question offers."""

    ruling: Ruling
    label: str


class Review(Response):
    """An open question. Of a dispute the first side (a) is the older one."""

    id: str
    kind: ReviewKind
    since: str | None
    question: str
    why: str | None = Field(description="Why it came up, if that is known.")
    lang: Lang
    sides: list[ReviewSide]
    choices: list[Choice]


class ReviewsResponse(Response):
    """GET /v1/reviews, the most pressing kind first, then the oldest. At most 1,000 of a kind are looked at and counted."""

    reviews: list[Review]
    counts: dict[str, int]
    total: int
    next: str | None


class IgnoredUse(Response):
    """A use that was not taken down, and why."""

    id: str
    reason: str


class UsesResponse(Response):
    """POST /v1/uses and /v1/corrections: what counts from now on."""

    recorded: list[str]
    ignored: list[IgnoredUse]
    day: str = Field(description="The local day it counts for.")
