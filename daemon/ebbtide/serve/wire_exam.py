"""The shapes on the wire, fifth part: the exam of a vault, its questions and its runs. See `wire` for the rules."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from ebbtide.prove.questions import Kind, Part
from ebbtide.prove.stats import Comparison
from ebbtide.serve.wire import MAX_QUERY_CHARS, Day, JobResponse, Request, Response
from ebbtide.serve.wire_health import HealthMove

MOST: Final = 50
"""Notes or answers of one question."""


class ExamRequest(Request):
    """POST /v1/exam."""

    only: Part | None = Field(
        None, description="Only this kind of own questions, the planted ones, or the vault's figures."
    )
    budget: int | None = Field(
        None, ge=1, le=1_000_000, description="Tokens a question may take; default: recall.budget."
    )
    keep: bool = Field(True, description="Add the result to Memory/exam-results; nothing else is ever written.")


class ExamRunsQuery(Request):
    """GET /v1/exam."""

    limit: int = Field(10, ge=1, le=1000)


class ExamAddRequest(Request):
    """POST /v1/exam/questions. Notes by path from the vault's root, or by an id that an answer shows."""

    query: str | None = Field(None, max_length=MAX_QUERY_CHARS)
    gold: list[str] = Field(default_factory=list, max_length=MOST, description="Notes of which one must come.")
    against: list[str] = Field(default_factory=list, max_length=MOST, description="Notes that must come after it.")
    quote: str | None = Field(None, max_length=4096, description="Exact text of a gold note that must be shown.")
    answers: list[str] = Field(default_factory=list, max_length=MOST, description="Words of which one must be shown.")
    kind: Kind | None = Field(None, description="null: must-cite with a quote, conflict with `against`, else find.")
    type: str | None = Field(None, max_length=64, description="The type of memory that it asks for.")
    as_of: Day | None = None
    scope: str | None = Field(None, max_length=4096)
    last: Literal["right", "wrong"] | None = Field(None, description="Take the question of the last recall.")
    client: str | None = Field(None, max_length=64)


class ExamRemoveRequest(Request):
    """POST /v1/exam/questions/{id}."""

    undo: bool = Field(False, description="Bring it back.")


class ExamProblem(Response):
    """A line of the exam that could not be used."""

    path: str
    line: int | None
    code: str
    message: str
    fix: str


class ExamQuestion(Response):
    """A question of the user's own exam, and where it stands in the file."""

    id: str
    query: str
    kind: Kind
    gold: list[str]
    against: list[str]
    quote: str | None
    gold_line: int | None
    answers: list[str]
    type: str | None
    as_of: str | None
    scope: str | None
    line: int
    removed: str | None = Field(description="The day it was taken out.")


class ExamQuestionsResponse(Response):
    """GET /v1/exam/questions."""

    file: str
    questions: list[ExamQuestion]
    removed: list[ExamQuestion]
    problems: list[ExamProblem]


class ExamQuestionResponse(Response):
    """POST /v1/exam/questions and /v1/exam/questions/{id}."""

    question: ExamQuestion
    asked: int = Field(description="Questions that the exam asks now.")


class ExamLast(Response):
    """A figure in the last run. `gained`, `lost`: of the `same` questions; null where only counts could be compared."""

    value: float
    same: int
    gained: int | None
    lost: int | None
    p: float
    verdict: Comparison


class ExamFigure(Response):
    """A share, `k` of `n`, with its 95 % Wilson interval."""

    name: str
    title: str
    title_zh: str
    k: int
    n: int
    value: float
    low: float
    high: float
    lower_is_better: bool
    last: ExamLast | None


class ExamMemory(Response):
    """With memory against as many tokens of the newest notes, on the same questions; `by_words`, `by_note`: how judged."""

    judged: int
    by_words: int
    by_claude: int
    by_note: int
    wins: int
    losses: int
    draws: int
    p: float
    verdict: Literal["memory", "newest notes", "draw"]


class ExamFailure(Response):
    """What went wrong: what was wanted, what came instead, and the command that shows why. `regression`: it went right before."""

    part: str
    id: str
    query: str
    wanted: list[str]
    got: list[str]
    code: str
    why: str
    why_zh: str
    look: str
    regression: bool


class ExamNotice(Response):
    """Something that was not measured, and why."""

    code: str
    text: str
    text_zh: str


class ExamCounts(Response):
    """What was asked. `copied` of `notes` were in the copy that the contradictions were planted in."""

    asked: int
    by_kind: dict[str, int]
    passed_over: int
    planted: int
    repeated: int
    copied: int
    notes: int


class ExamRun(Response):
    """A run as it is kept: its shares by name."""

    at: str
    version: str
    model: str | None
    only: str | None
    figures: dict[str, float]


class ExamKind(Response):
    """A share that runs report: its name, what a person reads, its latest value, and how it stood in the run before that had it."""

    name: str
    title: str
    title_zh: str
    unit: Literal["share"]
    value: float | None = Field(description="null: none of the runs has it.")
    last: HealthMove | None
    lower_is_better: bool


class ExamRunsResponse(Response):
    """GET /v1/exam: the last runs, oldest first."""

    kinds: list[ExamKind] = Field(description="Every share that a run may have, in the order of a report.")
    runs: list[ExamRun]
    total: int


class ExamReport(Response):
    """What came of a run. `changed` names what is not as in the run before: version, model, config, budget."""

    at: str
    version: str
    model: str | None
    config: str
    only: Part | None
    budget: int
    last: str | None = Field(description="When the run was that this one is compared with.")
    changed: list[str]
    questions: ExamCounts
    figures: list[ExamFigure]
    memory: ExamMemory | None
    corrections_per_week: float | None
    tokens: dict[str, float | None] = Field(description="Mean tokens a question: `tokens` and `tokens_newest`.")
    latency: dict[str, dict[str, float | None]] = Field(description="p50, p95 and p99 in ms of each step.")
    failures: list[ExamFailure]
    failure_count: int
    problems: list[ExamProblem]
    notices: list[ExamNotice]
    trend: list[ExamRun]
    kept: str | None = Field(description="The file of the memory folder that has the result; null: not kept.")


class ExamJobResponse(JobResponse):
    """POST /v1/exam; then GET /v1/jobs/{id} until it is done."""

    # Narrower than any job's; mypy minds because a field could be assigned to, and a response is not.
    result: ExamReport | None = Field(description="What came of it, once it is done.")  # type: ignore[assignment]
