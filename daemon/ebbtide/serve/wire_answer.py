"""The shapes on the wire, fifth part: answers, and why a note does (not) answer. See `wire` for the rules."""

from __future__ import annotations

from pydantic import Field

from ebbtide.memory.states import Lang, Layer, State
from ebbtide.parse.episodes import Part, Result
from ebbtide.serve.wire import MAX_QUERY_CHARS, Day, Include, Request, Response, VaultPath
from ebbtide.serve.wire_memory import Skipped, WhyPlace


class AnswerRequest(Request):
    """POST /v1/answer."""

    query: str = Field(max_length=MAX_QUERY_CHARS, description="The question, in any language; never read as syntax.")
    type: str | None = Field(
        None, max_length=64, description="Only from memories of this type (decision, lesson, ...)."
    )
    layer: Layer | None = Field(None, description="Only from memories of this layer.")
    scope: str | None = Field(None, max_length=4096, description="Only from notes in this folder.")
    as_of: Day | None = Field(None, description="Answer as on that day; records dated later are hidden.")
    budget: int | None = Field(None, ge=1, le=1_000_000, description="Tokens that memories, and the answer, may take.")
    include: list[Include] = Field(default_factory=list, description="States that are hidden unless asked for.")
    local: bool = Field(False, description="Quotes only: Claude is not asked, whatever the settings say.")


class ExplainRequest(Request):
    """POST /v1/explain: why (not) this note for this question, asked as a recall with the same fields.

    With `near` nobody asked: it is explained for GET /v1/related of that note, and `query`, layer, scope and day do not count.
    """

    query: str = Field(max_length=MAX_QUERY_CHARS)
    near: VaultPath | None = Field(None, description="The note that was looked at, instead of a question.")
    unlinked: bool = Field(False, description="With `near`: what it links to or is linked from was left out.")
    note: VaultPath
    type: str | None = Field(None, max_length=64)
    layer: Layer | None = None
    scope: str | None = Field(None, max_length=4096)
    as_of: Day | None = None
    budget: int | None = Field(None, ge=1, le=1_000_000)
    include: list[Include] = Field(default_factory=list)
    limit: int | None = Field(None, ge=1, le=100)
    lang: Lang | None = Field(None, description="Language of the steps and reasons; null: that of the question.")


class Citation(Response):
    """A place that bears an answer out: the words of the note as they stand there now."""

    n: int = Field(description="As in the answer: [n].")
    note: str
    title: str
    line: int
    column: int
    quote: str = Field(description="Verbatim from the note, beginning at `line` and `column`.")
    heading: str | None
    as_of: str | None = Field(description="The day the claim was made, as far as known.")
    id: str = Field(description="The fact, passage or note that it is from.")
    state: State
    disputed: bool = Field(description="Another note says otherwise; that one is cited as well.")
    superseded_by: str | None = Field(description="The fact that took its place.")


class AnswerPlace(WhyPlace):
    """A note on the causal chain."""

    n: int | None = Field(description="The citation that states the step to this place; null for the first.")


class AnswerPart(Response):
    """A part of the episode as its note says it."""

    text: str = Field(description="In plain words.")
    line: int
    quote: str = Field(description="Verbatim from the note.")
    n: int = Field(description="Its citation.")


class AnswerEpisode(Response):
    """The attempt behind an answer."""

    note: str
    title: str
    type: str
    date: str | None
    result: Result | None = Field(description="Null: the note does not say how it ended.")
    parts: dict[Part, AnswerPart] = Field(description="Of trigger, result, reason and lesson those that the note says.")


class NearNote(Response):
    """A note that is near a question that nothing answers; not verified."""

    note: str
    title: str


class AnswerResponse(Response):
    """POST /v1/answer."""

    query: str
    answer: str = Field(
        description="Plain text that Markdown shows as it is (characters that mean something to it stand behind a"
        " backslash): quotes with [n], then the chain, then the episode. When abstained: one sentence that says so."
    )
    by: str = Field(description='"extract": quotes of the notes; else the model that put it into words.')
    why: str | None = Field(
        description="Why Claude was asked in vain, or what it was not shown; in the language of the question."
    )
    lang: Lang = Field(description="Of the question, and of all words that are not quoted.")
    citations: list[Citation]
    chain: list[AnswerPlace] = Field(description="Places in order; empty where no link states a reason.")
    episode: AnswerEpisode | None
    abstained: bool
    nearest: list[NearNote] = Field(description="When abstained: what is nearest, unverified.")
    as_of: str | None = Field(description="The day that was asked about; null: now.")
    hidden: dict[str, int] = Field(description="Matches left out, by state.")
    skipped: list[Skipped]
    budget: int
    tokens: int = Field(description="Of the answer, estimated.")
    ms: dict[str, float]
