"""The shapes on the wire: what a client may send (unknown keys refused) and what it gets (unknown keys allowed).

`serve.service` answers with plain objects of exactly these shapes, so that the command line prints the same bytes with
and without a daemon; tests hold the real answers to the models and the models to schemas/. Every response key is
always there: what is unknown is null, what is none is an empty list. Times are ISO 8601 strings, days YYYY-MM-DD,
durations milliseconds unless the name says otherwise, places as in memory.records (line from 1, UTF-16 column from 0).
Requests, status, work and errors are here; what recall, facts, links and notes answer is in `wire_memory`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ebbtide.memory.states import FactType, Lang, Layer
from ebbtide.serve.rulings_words import ReviewKind, Ruling

MAX_BODY_BYTES: Final = 256 * 1024
MAX_QUERY_CHARS: Final = 100 * 1024
"""Longer questions are refused; between 2,048 characters and this the service cuts them and says so in `skipped`."""


def _real_day(text: str) -> str:
    """The day, if the calendar has it (the pattern alone would let 2026-02-30 pass)."""
    date.fromisoformat(text)
    return text


Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_real_day)]
VaultPath = Annotated[str, Field(min_length=1, max_length=4096)]
Include = Literal["stale", "archived", "frozen", "quarantined", "conversations"]
RebuildWhat = Literal["text", "vectors", "links", "facts", "all"]
DaemonState = Literal["starting", "indexing", "ready", "paused", "degraded"]
FactFilter = Literal["candidate", "active", "stale", "archived", "quarantined", "disputed", "expired", "frozen"]
NoteStatus = Literal["indexed", "pending", "skipped", "failed"]


class Request(BaseModel):
    """What a client sends: a key we do not know is a mistake worth telling."""

    model_config = ConfigDict(extra="forbid")


class Response(BaseModel):
    """What a client gets: later versions may add keys, so readers must let them pass."""

    model_config = ConfigDict(extra="allow")


# --- requests -----------------------------------------------------------------------------------------------------


class RecallRequest(Request):
    """POST /v1/recall."""

    query: str = Field(max_length=MAX_QUERY_CHARS, description="The question, in any language; never read as syntax.")
    type: str | None = Field(None, max_length=64, description="Only this type of memory (decision, lesson, ...).")
    layer: Layer | None = Field(None, description="Only memories of this layer.")
    scope: str | None = Field(None, max_length=4096, description="Only notes in this folder.")
    as_of: Day | None = Field(None, description="Answer as on that day; records dated later are hidden.")
    budget: int | None = Field(None, ge=1, le=1_000_000, description="Tokens the items may take together.")
    include: list[Include] = Field(default_factory=list, description="States that are hidden unless asked for.")
    explain: bool = Field(False, description="Fill `parts` and the reasons of what was left out.")
    limit: int | None = Field(None, ge=1, le=100, description="At most so many items.")
    lang: Lang | None = Field(None, description="Language of the reasons; null: that of the question.")


class WhyRequest(Request):
    """POST /v1/why."""

    query: str = Field(max_length=MAX_QUERY_CHARS, description="What is asked about; never read as syntax.")
    scope: str | None = Field(None, max_length=4096, description="Only notes in this folder.")
    as_of: Day | None = Field(None, description="As on that day: notes dated later are no part of a chain.")
    direction: Literal["back", "forward"] | None = Field(
        None, description="back: why is it so; forward: what came of it; null: as the words of the question say."
    )
    note: VaultPath | None = Field(None, description="The note to start at; null: where the question leads.")
    lang: Lang | None = Field(None, description="Language of what is said of the steps; null: that of the question.")


class RebuildRequest(Request):
    """POST /v1/rebuild."""

    what: RebuildWhat = "all"


class PauseRequest(Request):
    """POST /v1/pause; without minutes until `resume`."""

    minutes: int | None = Field(None, ge=1, le=60 * 24 * 7)


class ResumeRequest(Request):
    """POST /v1/resume takes an empty object."""


class RelatedQuery(Request):
    """GET /v1/related."""

    note: VaultPath
    limit: int = Field(10, ge=1, le=100)
    type: str | None = Field(None, max_length=64, description="Only this type of memory (decision, lesson, ...).")
    budget: int | None = Field(None, ge=1, le=1_000_000, description="Tokens the items may take together.")
    include: list[Include] = Field(default_factory=list, description="States that are hidden unless asked for.")
    unlinked: bool = Field(False, description="Leave out what the note links to or is linked from.")
    lang: Lang | None = Field(None, description="Language of the reasons; null: that of the note.")


class FactsQuery(Request):
    """GET /v1/facts. `after` is the `next` of the page before."""

    note: VaultPath | None = None
    type: FactType | None = None
    after: str = Field("", max_length=64)
    limit: int = Field(50, ge=1, le=1000)
    refused: bool = Field(False, description="What a gate refused, with the reason, instead of the facts.")
    state: FactFilter | None = Field(None, description="Only facts of this state, or of which this holds.")


Why = Annotated[str, Field(max_length=2000, description="The reason, kept with the revision.")]
Client = Annotated[
    str | None,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$", description="Who acts, if it is an agent; null: a person."),
]


class CorrectRequest(Request):
    """PATCH /v1/facts/{id}: fields and their new values, as one revision; null where a field may be unknown."""

    set: dict[str, Any] = Field(min_length=1, max_length=40)
    why: Why = ""
    client: Client = None


class ActRequest(Request):
    """POST /v1/records/{id}/{action}."""

    why: Why = ""
    client: Client = None


class UndoRequest(Request):
    """POST /v1/undo; without an id the latest revision of whoever asks."""

    id: str | None = Field(None, max_length=64)
    why: Why = ""
    client: Client = None


class RevisionsQuery(Request):
    """GET /v1/revisions."""

    limit: int = Field(20, ge=1, le=500)


class ReviewsQuery(Request):
    """GET /v1/reviews. `after` is the `next` of the page before."""

    kind: ReviewKind | None = None
    limit: int = Field(50, ge=1, le=500)
    after: str = Field("", max_length=64)
    lang: Lang | None = Field(None, description="Language of the questions; null: that of what they are about.")


class RulingRequest(Request):
    """POST /v1/reviews/{id}/ruling: one of the question's `choices`."""

    ruling: Ruling
    why: Why = ""
    client: Client = None


Ids = Annotated[
    list[Annotated[str, Field(pattern=r"^[fnp]_[0-9a-f]{1,32}$")]],
    Field(min_length=1, max_length=100, description="Facts, notes or passages, as answers name them."),
]
Session = Annotated[
    str | None, Field(max_length=100, description="In one session an id counts once; without one, once a day.")
]


class UsesRequest(Request):
    """POST /v1/uses."""

    ids: Ids
    kind: Literal["used", "opened"] = "used"
    query: str | None = Field(
        None,
        max_length=MAX_QUERY_CHARS,
        description="What they helped with; default: what they were shown for. Not kept.",
    )
    session: Session = None
    client: Client = None


class CorrectionsRequest(Request):
    """POST /v1/corrections."""

    ids: Ids
    why: str = Field(min_length=1, max_length=2000, description="What is wrong, for whoever reviews it.")
    query: str | None = Field(None, max_length=MAX_QUERY_CHARS)
    session: Session = None
    client: Client = None


class EpisodesQuery(Request):
    """GET /v1/episodes. `after` is the `next` of the page before."""

    result: Literal["success", "partial", "failure", "missing"] | None = None
    type: str | None = Field(None, max_length=100)
    note: VaultPath | None = None
    after: str = Field("", max_length=4200)
    limit: int = Field(50, ge=1, le=1000)


class LinksQuery(Request):
    """GET /v1/links. `note` takes the links that leave or reach it; of the flags at most one. `after` is the `next` before."""

    note: VaultPath | None = None
    unresolved: bool = Field(False, description="Links that lead nowhere, each with near names.")
    ambiguous: bool = Field(False, description="Links that could mean several files, each with the others.")
    broken_anchors: bool = Field(False, description="Links whose heading or block their note does not have.")
    orphans: bool = Field(False, description="Instead of links: notes and attachments that none connects.")
    stats: bool = Field(False, description="Instead of links: edges by type and origin.")
    after: str = Field("", max_length=4200)
    limit: int = Field(200, ge=1, le=10_000, description="Of links with near names at most 1,000 a page.")


class NotesQuery(Request):
    """GET /v1/notes: what became of each note."""

    status: NoteStatus | None = None
    limit: int = Field(200, ge=1, le=10_000)


# --- status -------------------------------------------------------------------------------------------------------


class VaultInfo(Response):
    """Which vault this daemon serves; clients compare `id` with the run file's."""

    id: str
    name: str
    path: str


class Counts(Response):
    """How much there is. `notes` = indexed + pending + skipped + failed."""

    notes: int
    indexed: int
    pending: int
    skipped: int
    failed: int
    passages: int
    facts: int
    links: int
    unresolved: int
    ambiguous: int
    vectors: int
    vectors_wanted: int


class Progress(Response):
    """How far the present work is; `idle` with 0 of 0 when there is none."""

    phase: str = Field(description="idle, scan, parse, keyword, links, facts, model or vectors.")
    done: int
    total: int
    eta_seconds: float | None


class ModelInfo(Response):
    """The embedding model. Without it everything works by keyword; `message` says what is the matter."""

    name: str
    fingerprint: str | None
    state: Literal["ready", "preparing", "missing", "failed", "off"]
    message: str


class WatchInfo(Response):
    """How changes are noticed, and what is weak about it here."""

    mode: Literal["events", "scan", "off"]
    message: str


class ProblemInfo(Response):
    """Something in a user's file that is not as it should be; memory.errors.Problem."""

    path: str
    line: int | None
    code: str
    message: str
    fix: str
    severity: Literal["info", "warning", "error"]


class StatusResponse(Response):
    """GET /v1/status: handshake, state and the change counter that clients poll."""

    app: Literal["ebbtide"]
    version: str
    api: int = Field(description="The level of this interface.")
    api_min: int = Field(description="The oldest level still answered.")
    plugin_min: str = Field(description="The oldest version of the Obsidian plugin that is still served.")
    vault: VaultInfo
    state: DaemonState
    message: str = Field(description="The state in one sentence for a person.")
    message_zh: str = Field(description="The same in Chinese; of what is wrong, only the kind.")
    change: int = Field(description="Grows with every visible change; poll and compare.")
    counts: Counts
    progress: Progress
    model: ModelInfo
    keyword_ready: bool
    vectors_ready: bool
    problems: list[ProblemInfo] = Field(description="The worst and newest, capped.")
    problem_count: int
    watch: WatchInfo
    paused_until: str | None
    uptime_seconds: float
    pid: int
    port: int | None = Field(description="Null when the command line opened the vault itself.")


# --- work and errors ----------------------------------------------------------------------------------------------


class JobResponse(Response):
    """POST /v1/rebuild and GET /v1/jobs/{id}."""

    id: str
    what: str
    state: Literal["queued", "running", "done", "failed"]
    progress: Progress
    message: str = Field(description="Why it failed, else empty.")
    started: str | None
    finished: str | None
    result: dict[str, Any] | None = Field(description="What came of it, where something did; see who started it.")


class DoctorQuery(Request):
    """The query of GET /v1/doctor."""

    lang: Lang | None = Field(None, description="Language of what is said; null: English.")


class Check(Response):
    """One thing `doctor` looked at."""

    name: str = Field(description="Stable; `title` is what a person reads.")
    title: str
    ok: bool
    message: str
    why: str = Field(description="Why it matters.")
    fix: str = Field(description="What mends it, or could be better though it is in order; commands are in backticks.")


class DoctorResponse(Response):
    """GET /v1/doctor."""

    ok: bool
    checks: list[Check]


class PauseResponse(Response):
    """POST /v1/pause and /v1/resume."""

    state: DaemonState
    paused_until: str | None


class ErrorInfo(Response):
    """Why it could not be done and what to do about it; `code` is stable (memory.errors)."""

    code: str
    reason: str
    remedy: str


class ErrorResponse(Response):
    """The body of every answer that is not 2xx."""

    error: ErrorInfo


def describe(errors: Iterable[Any]) -> str:
    """What pydantic found wrong, as one sentence: which key and why; never the value, which may be long or private."""
    parts = []
    for entry in list(errors)[:3]:
        where = [str(part) for part in entry["loc"] if part not in ("body", "query", "path")]
        named = where and entry["type"] != "json_invalid"  # there the place is a character, not a key
        parts.append(f"`{'.'.join(where)}`: {entry['msg']}" if named else str(entry["msg"]))
    return "; ".join(parts) + "."
