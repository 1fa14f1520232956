"""The shapes on the wire of a night: what is asked of it, and what it decided. See `wire` for the rules."""

from __future__ import annotations

from pydantic import Field

from ebbtide.serve.wire import Client, Day, JobResponse, Request, Response
from ebbtide.sleep.nights import Decision, Relation


class SleepRequest(Request):
    """POST /v1/sleep."""

    dry_run: bool = Field(False, description="Only tell what the night would do; nothing is written.")
    since: Day | None = Field(None, description="Look at notes from this day on; null: sleep.window_days.")
    undo: bool = Field(False, description="Take a night back, the latest or that of `day`.")
    day: Day | None = Field(None, description="With `undo`: the day of the night to take back.")
    client: Client = None


class SleepPlace(Response):
    """A person's words that bear something out."""

    note: str
    line: int
    quote: str
    day: str | None


class SleepJudged(Response):
    """A candidate and what was decided about it. `parts` are the terms of its salience: nov, ins, chg, lnk, rev, in [0, 1]."""

    note: str
    title: str
    day: str
    salience: float
    parts: dict[str, float]
    reasons: list[str] = Field(description="Why it was caught, in the note's language.")
    decision: Decision
    relation: Relation = Field(description="Of its insight to the core.")
    duplication: float = Field(description="How much of it the core says already, 0 to 1.")
    reasoning: str
    insight: str = Field(
        description="The sentence that is kept: the person's own, or a model's wording that adds nothing; empty: none stands alone."
    )
    why: str | None
    how: str | None
    path: str | None = Field(description="promote: the new core memory.")
    target: str | None = Field(description="The core memory that takes it in, or whose place the new one takes.")
    links: list[str]
    places: list[SleepPlace]
    until: str | None = Field(description="Until this day it waits to be borne out by further notes.")
    judge: str = Field(description="rules, or a model by its name.")
    unjudged: str | None = Field(description="Why the model that was to decide did not; null: it did, or none was to.")
    private: bool


class SleepHygiene(Response):
    """What the hygiene of a night comes to."""

    asked: int = Field(description="Questions of the check-up, for the review queue.")
    moved: int = Field(description="Working notes whose time has passed.")
    episodes: int = Field(description="Of these, that became an episode.")
    set_aside: int = Field(description="Facts and memories of doubtful sources.")


class SleepResult(Response):
    """What came of a night, of a look ahead, or of taking one back."""

    day: str
    dry_run: bool
    core: str | None = Field(description="Names the snapshot of the core that was judged against.")
    processed: int = Field(description="Notes looked at.")
    candidates: int
    counts: dict[str, int] = Field(description="Candidates by decision.")
    judged: list[SleepJudged]
    hygiene: SleepHygiene
    skipped: list[str] = Field(description="Steps that were left out, and why.")
    revision: str | None = Field(description="The revision that stands for the night; null: nothing was to do.")
    undo: str | None = Field(description="The command that takes it back.")
    undone: str | None = Field(description="The night that was taken back.")
    left: list[str] = Field(description="Files that stayed as a person had changed them.")


class SleepJobResponse(JobResponse):
    """POST /v1/sleep; then GET /v1/jobs/{id} until it is done."""

    # Narrower than any job's; mypy minds because a field could be assigned to, and a response is not.
    result: SleepResult | None = Field(description="What came of it, once it is done.")  # type: ignore[assignment]
