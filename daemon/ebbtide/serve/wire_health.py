"""The shapes on the wire: the health of the core and the digest of a day. See `wire` for the rules."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ebbtide.serve.wire import JobResponse, Request, Response


class HealthQuery(Request):
    """GET /v1/health."""

    days: int = Field(30, ge=1, le=1000, description="Days of the trend.")


class HealthRequest(Request):
    """POST /v1/health."""

    keep: bool = Field(True, description="Keep the day's line in Memory/health; nothing else is written.")


class HealthMove(Response):
    """How a figure stood on an earlier day, and which way it moved since."""

    day: str
    value: float
    by: float
    verdict: Literal["better", "worse", "same", "neither"]


class HealthFigure(Response):
    """A figure: a share (`k` of `n`), a number, or a count. null where it is not defined; then `why` says why."""

    name: str
    title: str
    title_zh: str
    unit: Literal["share", "number", "count"]
    value: float | None
    k: int | None
    n: int | None
    why: str | None
    why_zh: str | None
    last: HealthMove | None = Field(description="Against the last day before it.")
    month: HealthMove | None = Field(description="Against 30 days before it.")


class HealthLayer(Response):
    """Records of a layer. `week`: more or fewer than a week ago, null if nothing is known of then; `why`: why it is empty."""

    layer: str
    records: int
    week: int | None
    why: str | None
    why_zh: str | None


class HealthWarning(Response):
    """Something that a person should look at."""

    code: str
    text: str
    text_zh: str


class HealthNight(Response):
    """What a night looked at, and how many candidates came to each outcome."""

    processed: int
    candidates: int
    promote: int
    associate: int
    compress: int
    release: int


class HealthSpent(Response):
    """What asking a model cost on a day. `money` counts models with a price; a cap of 0 is none."""

    requests: int
    tokens: int
    money: float
    cap_tokens: int
    cap_money: float


class HealthDay(Response):
    """A day of the trend: its figures by name, the records of each layer that were counted, and what the night came to."""

    day: str
    figures: dict[str, float | None]
    layers: dict[str, int]
    night: HealthNight | None
    spent: HealthSpent | None


class HealthResponse(Response):
    """GET /v1/health: the figures as they were last computed, `age_seconds` ago; null and empty before the first time."""

    day: str | None
    at: str | None
    age_seconds: float | None
    version: str | None
    figures: list[HealthFigure]
    layers: list[HealthLayer]
    night: HealthNight | None
    taken: float | None = Field(
        description="Share of candidates that were promoted or associated, where enough were judged."
    )
    warnings: list[HealthWarning]
    spent: HealthSpent | None = Field(description="Of that day; null where no model can be asked.")
    trend: list[HealthDay]
    report: str | None = Field(description="The latest report.")
    kept: str | None = Field(description="The file that a computation was kept in; null: none was, or it is not kept.")
    hint: str | None
    hint_zh: str | None


class HealthJobResponse(JobResponse):
    """POST /v1/health; then GET /v1/jobs/{id} until it is done."""

    # Narrower than any job's; mypy minds because a field could be assigned to, and a response is not.
    result: HealthResponse | None = Field(description="What came of it, once it is done.")  # type: ignore[assignment]


class DigestPlace(Response):
    """A note."""

    path: str
    title: str


class DigestAnswer(Response):
    """What a person may say to a memory that comes back: a request to make (`post` with `body`), or a file to `open` and rewrite."""

    answer: Literal["use", "rewrite", "retire"]
    label: str
    label_zh: str
    post: str | None
    body: dict[str, Any] | None
    open: str | None


class DigestItem(Response):
    """A core memory that comes back this week, and a note of these days in which it may serve."""

    id: str
    path: str
    title: str
    claim: str
    hook: str
    lang: Literal["zh", "en"] = Field(description="Of the memory.")
    private: bool = Field(description="The memory, or the note in which it may serve, is private.")
    idle_days: int
    question: str
    question_zh: str
    place: DigestPlace | None
    answers: list[DigestAnswer]


class DigestReview(Response):
    """An open question, the most pressing first."""

    id: str
    kind: str
    question: str
    since: str | None
    text: str | None = Field(description="The first thing it is about, as that says it; null: it is about lost lines.")
    note: str | None
    line: int | None


class DigestResponse(Response):
    """GET /v1/digest: what is worth a minute today."""

    day: str
    week: str
    revive: list[DigestItem]
    reviews: list[DigestReview]
    open: int = Field(description="Open questions in all.")
    warnings: list[HealthWarning]
    night: HealthNight | None = Field(description="The last night, if it was today or yesterday.")
    report: str | None
    markdown: str = Field(description="The same as a callout for a daily note; nothing is put there but by a person.")
    markdown_zh: str
    hint: str | None
    hint_zh: str | None
