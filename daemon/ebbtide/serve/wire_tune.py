"""The shapes on the wire, sixth part: settings fitted to use and exam. See `wire` for the rules."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ebbtide.prove.stats import Comparison
from ebbtide.serve.wire import Client, JobResponse, Request, Response


class TuneRequest(Request):
    """POST /v1/tune."""

    dry_run: bool = Field(False, description="Only show what would be set.")
    client: Client = None


class TuneChange(Response):
    """A setting with its old and new value, and why."""

    key: str
    old: float
    new: float
    why: str
    why_zh: str


class TuneTrial(Response):
    """Warmth as it is against as it was fitted, on the weeks from `since` on, which it was not fitted to.

    `before`, `after`: mean log-loss a week of "used within the next 7 days"; `low`, `high`: 95 % interval of the difference.
    """

    name: Literal["life", "bands"]
    title: str
    title_zh: str
    before: float
    after: float
    low: float
    high: float
    weeks: int
    used: int = Field(description="Weeks with a use.")
    memories: int
    since: str
    kept: bool


class TuneShare(Response):
    """Questions that go right, with the 95 % Wilson interval of their share."""

    k: int
    value: float
    low: float
    high: float


class TuneExam(Response):
    """The exam before and after, on the half that was searched, on the half that judged, and on all of it."""

    part: Literal["fitted", "judged", "all"]
    n: int
    before: TuneShare
    after: TuneShare
    gained: int
    lost: int
    p: float = Field(description="McNemar's exact two-sided p.")
    verdict: Comparison


class TuneNotice(Response):
    """Something that was not fitted or not taken, and why."""

    code: str
    text: str
    text_zh: str


class TuneReport(Response):
    """What came of a fit. `enough` false: fewer than `needed` confirmed uses, and nothing was fitted."""

    day: str
    enough: bool
    uses: int
    needed: int
    missing: int
    changes: list[TuneChange]
    warmth: list[TuneTrial]
    exam: list[TuneExam]
    notices: list[TuneNotice]
    dry_run: bool
    file: str = Field(description="The settings file in the vault.")
    revision: str | None = Field(description="The revision that set it; null: nothing was set.")
    undo: str | None = Field(description="The command that takes it back.")
    in_force: bool = Field(
        description="The new values hold now; false after a change: an environment variable or an option overrules them."
    )


class TuneJobResponse(JobResponse):
    """POST /v1/tune; then GET /v1/jobs/{id} until it is done."""

    # Narrower than any job's; mypy minds because a field could be assigned to, and a response is not.
    result: TuneReport | None = Field(description="What came of it, once it is done.")  # type: ignore[assignment]
