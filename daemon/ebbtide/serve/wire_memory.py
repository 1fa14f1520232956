"""The shapes on the wire, second part: what recall, facts, links and notes answer. See `wire` for the rules."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ebbtide.memory.states import Frame, Layer, State
from ebbtide.serve.wire import NoteStatus, ProblemInfo, Response
from ebbtide.serve.wire_episodes import EpisodesResponse  # noqa: F401 - likewise
from ebbtide.serve.wire_links import LinkRecord, LinksResponse  # noqa: F401 - `CALLS` names it, found here or in `wire`
from ebbtide.serve.wire_rulings import (  # noqa: F401 - likewise
    FactResponse,
    FactsResponse,
    FactView,
    ReviewsResponse,
    RevisedResponse,
    RevisionsResponse,
    Temperature,
    UsesResponse,
)

ItemKind = Literal["fact", "passage", "episode", "core", "concept", "working"]


class Channel(Response):
    """Where one way of finding placed the item: 1 is best; `score` is its own and cannot be compared."""

    rank: int
    score: float


class Parts(Response):
    """What the score is made of (algorithms.md B). Null: this version does not use that part."""

    channels: dict[str, Channel] = Field(description="keyword, vector, graph, recent: only those that found it.")
    R: float = Field(description="Relevance, 0 to 1.")
    F: float | None = Field(description="Freshness.")
    I: float | None = Field(description="Importance.")  # noqa: E741 -- the name in the published formula
    W: float | None = Field(description="Weight of the temperature.")
    B: float | None = Field(description="Reward of confirmed uses.")
    gate: float | None = Field(description="Frame gate: 0 withdraws the reward.")
    lapse: float | None = Field(description="Share of the score that is left to what has ended; 1 for what holds.")


class ChainStep(Response):
    """A further step of the causal chain that the item's note is on; asked with a question why."""

    note: str
    line: int = Field(description="In `source`.")
    type: str
    text: str = Field(description="The sentence that says so.")
    words: str = Field(description="How the step is said, in the language asked for, else that of the question.")
    source: str = Field(description="The file that says it.")
    date: str | None
    superseded_by: str | None


class OtherSide(Response):
    """A fact that says otherwise, where its note states it."""

    id: str
    note: str
    line: int
    column: int
    quote: str
    as_of: str | None


class RecallItem(Response):
    """One memory, with the place it comes from and the reasons it is here."""

    id: str
    kind: ItemKind
    layer: Layer
    text: str
    inject: str = Field(
        description='The form for an agent: "when ..., do ..." with its citation, what disputes it or took its place, its chain.'
    )
    note: str
    line: int
    column: int
    quote: str
    heading: str | None
    type: str
    state: State
    disputed_with: list[str] = Field(
        description="Facts that say otherwise: in this answer too or, of a passage, told in `inject`."
    )
    against: list[OtherSide] = Field(description="Those of `disputed_with` as their notes state them now.")
    superseded_by: str | None
    frame: Frame | None = Field(
        description="What time it tells of; historical too where its note tells of what ended. Null: a passage that was not read for it."
    )
    temperature: Temperature | None
    score: float
    why: list[str] = Field(
        description="Sentences a person reads, in the language asked for, else that of the question."
    )
    parts: Parts
    chain: list[ChainStep]
    as_of: str | None = Field(description="The day the claim was made, as far as known.")
    tokens: int = Field(description="Of `inject` with the line break behind it.")
    lead: bool = Field(description="Confidence below 0.5: shown as a lead, never injected.")


class Route(Response):
    """What kind of memory the question seems to want."""

    type: str | None
    layer: Layer | None
    explicit: bool = Field(
        description="Asked for by the client, so it filters; otherwise guessed, so it only weighs (unless `recall.route` is filter)."
    )


class Skipped(Response):
    """A step that was left out or cut short, and why."""

    step: str
    why: str


class RecallResponse(Response):
    """POST /v1/recall."""

    items: list[RecallItem]
    notes: list[str] = Field(description="Distinct paths, best first, before the budget.")
    route: Route
    frame: Frame
    budget: int
    tokens: int = Field(description="Of the items together; never more than the budget.")
    counted: Literal["tokenizer", "estimate"] = Field(
        description="How: by the tokenizer of the embedding model or, without one, by estimate."
    )
    ms: dict[str, float] = Field(description="By step; `total` is the whole.")
    skipped: list[Skipped]
    hidden: dict[str, int] = Field(description="Matches left out, by state.")
    abstained: bool
    empty_reason: str | None = Field(description="One sentence when there are no items, else null.")


class WhyEdge(Response):
    """The edge that leads to a place of a chain from the one before."""

    type: str
    relation: str | None = Field(description="The relation as it is written, if it is.")
    words: str = Field(description="How the note before goes on to this one, in the language of the question.")
    declared: bool = Field(description="False: read from prose, or a mere mention.")
    confidence: float
    reasoned: bool = Field(description="The type carries a reason; a mention does not.")
    source: str = Field(description="The file that says it.")
    line: int
    column: int
    sentence: str


class WhyPlace(Response):
    """A note on a chain."""

    note: str
    title: str
    line: int
    column: int
    date: str | None
    type: str
    edge: WhyEdge | None = Field(description="Null for the first place.")
    superseded_by: str | None = Field(description="The note that says it takes this one's place.")


class WhyResponse(Response):
    """POST /v1/why."""

    query: str
    direction: Literal["back", "forward"]
    kind: Literal["typed", "path", "none"] = Field(
        description="typed: links state the reason; path: notes are only connected, which is weaker; none: nothing is."
    )
    message: str = Field(description="What the chain is worth, in the language of the question.")
    chain: list[WhyPlace]
    branches: list[WhyPlace] = Field(description="Further grounds of notes on the chain, best first.")
    notes: list[str] = Field(description="The chain in order, its branches, then what recall found.")
    as_of: str | None
    tokens: int
    ms: dict[str, float]
    skipped: list[Skipped]


class RelatedItem(RecallItem):
    """A memory near a note."""

    title: str
    linked: bool = Field(description="A link leads from one note to the other.")


class RelatedResponse(Response):
    """GET /v1/related."""

    note: str
    items: list[RelatedItem] = Field(description="Never of the note itself.")
    notes: list[str] = Field(description="Distinct paths, best first, before the budget.")
    budget: int
    tokens: int = Field(description="Of the items together; never more than the budget.")
    counted: Literal["tokenizer", "estimate"]
    ms: dict[str, float]
    skipped: list[Skipped]
    hidden: dict[str, int] = Field(description="Matches left out, by state.")
    empty_reason: str | None


class ExplainStep(Response):
    """One stage of recall and what it made of the note."""

    step: str
    title: str = Field(description="The step's name in words, in the language of the answer.")
    passed: bool
    message: str


class ExplainResponse(Response):
    """POST /v1/explain."""

    query: str
    note: str
    found: bool = Field(description="Among the ranked notes.")
    rank: int | None = Field(description="From 1, before the budget.")
    returned: bool = Field(description="Among the items of the answer.")
    reason: str = Field(description="The verdict in one sentence.")
    steps: list[ExplainStep]
    items: list[RecallItem] = Field(description="What this note offers for the question, best first.")


# --- records ------------------------------------------------------------------------------------------------------


class NoteEntry(Response):
    """What became of one note; `reason` says why it was skipped or failed, else it is null."""

    path: str
    id: str | None
    title: str
    status: NoteStatus
    reason: str | None
    passages: int
    facts: int
    links: int


class NoteReason(Response):
    """How many notes were skipped, have failed or are passed over (templates) for a reason."""

    status: NoteStatus
    reason: str
    notes: int


class NotesResponse(Response):
    """GET /v1/notes, by path. `total` and `reasons` are of those asked for, `counts` of all notes by status."""

    notes: list[NoteEntry]
    total: int
    counts: dict[str, int]
    reasons: list[NoteReason] = Field(description="The most frequent first, at most 100.")


class HeadingInfo(Response):
    """A heading of a note."""

    text: str
    level: int
    offset: int
    line: int


class TagInfo(Response):
    """A tag without its #; `offset` is null when it stands in the properties."""

    name: str
    offset: int | None
    line: int


class BlockInfo(Response):
    """A block id, without its caret."""

    id: str
    offset: int
    line: int


class PassageInfo(Response):
    """A passage as it is indexed: text from `start` to `end` of the note."""

    id: str
    heading: str | None = Field(description="The headings above it, joined.")
    line: int
    start: int
    end: int
    text: str


class NoteResponse(Response):
    """GET /v1/notes/{path}: the note as Ebbtide read it."""

    path: str
    id: str | None
    title: str
    status: NoteStatus
    reason: str | None
    digest: str | None
    properties: dict[str, Any]
    aliases: list[str]
    tags: list[TagInfo]
    headings: list[HeadingInfo]
    blocks: list[BlockInfo]
    passages: list[PassageInfo]
    facts: list[FactView]
    links: list[LinkRecord] = Field(description="Edges written in this note.")
    backlinks: list[LinkRecord] = Field(description="Edges that reach it from elsewhere.")
    problems: list[ProblemInfo]
