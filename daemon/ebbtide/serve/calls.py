"""What the API offers, as data: the server, its client and the command line share this page and nothing heavier.

Imports the standard library only: the command line loads it on every start. `UseCases` is what `serve.service.Service`
offers; each answer is a JSON object of the shape that `wire` and `wire_memory` give under the name in `CALLS`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote, urlencode

from ebbtide.memory.states import Lang

API_LEVEL: Final = 1
"""Raised when an existing key changes its meaning or goes away; new keys do not raise it."""
MIN_API_LEVEL: Final = 1
"""The oldest level this daemon still answers."""
MIN_PLUGIN_VERSION: Final = "0.1.0"
"""The oldest plugin for Obsidian that this daemon still serves; an older one says so and asks for its update."""
API_HEADER: Final = "X-Ebbtide-Api"
APP: Final = "ebbtide"
HOST: Final = "127.0.0.1"
"""Never `localhost`: that may mean ::1 only."""
DEFAULT_PORT: Final = 27631

Body = dict[str, Any]


class UseCases(Protocol):
    """Everything that can be asked of an open vault."""

    def status(self) -> Body:
        """State, handshake and change counter."""

    def recall(
        self,
        query: str,
        *,
        type: str | None = None,
        layer: str | None = None,
        scope: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        explain: bool = False,
        limit: int | None = None,
        lang: Lang | None = None,
    ) -> Body:
        """The memories that answer a question."""

    def why(
        self,
        query: str,
        *,
        scope: str | None = None,
        as_of: str | None = None,
        direction: str | None = None,
        note: str | None = None,
        lang: Lang | None = None,
    ) -> Body:
        """The causal chain behind what is asked about."""

    def answer(
        self,
        query: str,
        *,
        type: str | None = None,
        layer: str | None = None,
        scope: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        local: bool = False,
    ) -> Body:
        """What the notes say to a question, cited."""

    def related(
        self,
        note: str,
        limit: int = 10,
        *,
        type: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        unlinked: bool = False,
        lang: Lang | None = None,
    ) -> Body:
        """Memories near a note."""

    def explain(
        self,
        query: str,
        note: str,
        *,
        type: str | None = None,
        layer: str | None = None,
        scope: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        limit: int | None = None,
        lang: Lang | None = None,
        near: str | None = None,
        unlinked: bool = False,
    ) -> Body:
        """Why a note is, or is not, among the answers."""

    def facts(
        self,
        note: str | None = None,
        *,
        type: str | None = None,
        after: str = "",
        limit: int = 50,
        refused: bool = False,
        state: str | None = None,
    ) -> Body:
        """Facts by id, a page at a time; or what the gates refused."""

    def fact(self, id: str) -> Body:
        """One fact with its history."""

    def correct(self, id: str, set: Mapping[str, Any], *, why: str = "", client: str | None = None) -> Body:
        """Change fields of a fact, over what its source says."""

    def act(self, id: str, action: str, *, why: str = "", client: str | None = None) -> Body:
        """Archive, restore, freeze, thaw, pin, forget, quarantine, clear or confirm a fact or a note."""

    def undo(self, id: str | None = None, *, why: str = "", client: str | None = None) -> Body:
        """Take a revision back with all its parts."""

    def revisions(self, limit: int = 20) -> Body:
        """The latest revisions."""

    def reviews(self, kind: str | None = None, *, limit: int = 50, after: str = "", lang: Lang | None = None) -> Body:
        """What a person should decide, a page at a time."""

    def rule(self, id: str, ruling: str, *, why: str = "", client: str | None = None) -> Body:
        """Decide it."""

    def uses(
        self,
        ids: Sequence[str],
        *,
        kind: str = "used",
        query: str | None = None,
        session: str | None = None,
        client: str | None = None,
    ) -> Body:
        """Say that these helped, or were opened."""

    def corrections(
        self,
        ids: Sequence[str],
        why: str,
        *,
        query: str | None = None,
        session: str | None = None,
        client: str | None = None,
    ) -> Body:
        """Say that these are wrong."""

    def episodes(
        self,
        note: str | None = None,
        *,
        result: str | None = None,
        type: str | None = None,
        after: str = "",
        limit: int = 50,
    ) -> Body:
        """What was tried and how it ended, newest first, a page at a time."""

    def links(
        self,
        note: str | None = None,
        *,
        unresolved: bool = False,
        ambiguous: bool = False,
        broken_anchors: bool = False,
        orphans: bool = False,
        stats: bool = False,
        after: str = "",
        limit: int = 200,
    ) -> Body:
        """Edges a page at a time, or what none connects, or how far they are typed."""

    def note(self, path: str) -> Body:
        """A note as it was read."""

    def notes(self, status: str | None = None, limit: int = 200) -> Body:
        """What became of each note."""

    def exam(self, only: str | None = None, *, budget: int | None = None, keep: bool = True) -> Body:
        """Sit the exam of the vault; answers with a job whose result is the report."""

    def exam_runs(self, limit: int = 10) -> Body:
        """The last runs of the exam."""

    def exam_questions(self) -> Body:
        """The user's own questions."""

    def exam_add(
        self,
        query: str | None = None,
        *,
        gold: Sequence[str] = (),
        against: Sequence[str] = (),
        quote: str | None = None,
        answers: Sequence[str] = (),
        kind: str | None = None,
        type: str | None = None,
        as_of: str | None = None,
        scope: str | None = None,
        last: Any = None,
        client: str | None = None,
    ) -> Body:
        """Add a question, or make one of the last recall."""

    def exam_remove(self, id: str, *, undo: bool = False) -> Body:
        """Take a question out, or bring it back."""

    def tune(self, dry_run: bool = False, *, client: str | None = None) -> Body:
        """Fit settings to use and exam; answers with a job whose result is the report."""

    def sleep(
        self,
        dry_run: bool = False,
        *,
        since: str | None = None,
        undo: bool = False,
        day: str | None = None,
        client: str | None = None,
    ) -> Body:
        """Have a night, look ahead, or take one back; answers with a job whose result tells what was decided."""

    def health(self, days: int = 30) -> Body:
        """The figures of the core as they were last computed."""

    def measure(self, *, keep: bool = True) -> Body:
        """Compute them now; answers with a job whose result is the answer of `health`."""

    def digest(self) -> Body:
        """What is worth a minute today."""

    def rebuild(self, what: str = "all") -> Body:
        """Start rebuilding an index; answers with a job."""

    def job(self, id: str) -> Body:
        """How far a job is."""

    def doctor(self, lang: Lang | None = None) -> Body:
        """Checks of everything that can be wrong."""

    def pause(self, minutes: int | None = None) -> Body:
        """Stop indexing for a while."""

    def resume(self) -> Body:
        """Go on indexing."""


@dataclass(frozen=True, slots=True)
class Call:
    """One use-case on the wire: `{name}` in the path is an argument, `request` the model of the others."""

    method: Literal["GET", "POST", "PATCH"]
    path: str
    request: str | None
    response: str

    def target(self, arguments: Mapping[str, Any]) -> tuple[str, bytes | None]:
        """The path with its query, and the body, for the arguments; those that are None are left to the server."""
        rest = {name: value for name, value in arguments.items() if value is not None}
        path = self.path
        for name in list(rest):
            if "{" + name + "}" in path:
                path = path.replace("{" + name + "}", quote(str(rest.pop(name)), safe="/", errors="surrogateescape"))
        if self.method != "GET":
            return path, encode(rest)
        pairs = {name: str(value).lower() if isinstance(value, bool) else value for name, value in rest.items()}
        return (f"{path}?{urlencode(pairs, doseq=True, errors='surrogateescape')}" if pairs else path), None


CALLS: Final[dict[str, Call]] = {
    "status": Call("GET", "/v1/status", None, "StatusResponse"),
    "recall": Call("POST", "/v1/recall", "RecallRequest", "RecallResponse"),
    "answer": Call("POST", "/v1/answer", "AnswerRequest", "AnswerResponse"),
    "why": Call("POST", "/v1/why", "WhyRequest", "WhyResponse"),
    "related": Call("GET", "/v1/related", "RelatedQuery", "RelatedResponse"),
    "explain": Call("POST", "/v1/explain", "ExplainRequest", "ExplainResponse"),
    "facts": Call("GET", "/v1/facts", "FactsQuery", "FactsResponse"),
    "fact": Call("GET", "/v1/facts/{id}", None, "FactResponse"),
    "correct": Call("PATCH", "/v1/facts/{id}", "CorrectRequest", "RevisedResponse"),
    "act": Call("POST", "/v1/records/{id}/{action}", "ActRequest", "RevisedResponse"),
    "undo": Call("POST", "/v1/undo", "UndoRequest", "RevisedResponse"),
    "revisions": Call("GET", "/v1/revisions", "RevisionsQuery", "RevisionsResponse"),
    "reviews": Call("GET", "/v1/reviews", "ReviewsQuery", "ReviewsResponse"),
    "rule": Call("POST", "/v1/reviews/{id}/ruling", "RulingRequest", "RevisedResponse"),
    "uses": Call("POST", "/v1/uses", "UsesRequest", "UsesResponse"),
    "corrections": Call("POST", "/v1/corrections", "CorrectionsRequest", "UsesResponse"),
    "episodes": Call("GET", "/v1/episodes", "EpisodesQuery", "EpisodesResponse"),
    "links": Call("GET", "/v1/links", "LinksQuery", "LinksResponse"),
    "notes": Call("GET", "/v1/notes", "NotesQuery", "NotesResponse"),
    "note": Call("GET", "/v1/notes/{path}", None, "NoteResponse"),
    "exam": Call("POST", "/v1/exam", "ExamRequest", "ExamJobResponse"),
    "exam_runs": Call("GET", "/v1/exam", "ExamRunsQuery", "ExamRunsResponse"),
    "exam_questions": Call("GET", "/v1/exam/questions", None, "ExamQuestionsResponse"),
    "exam_add": Call("POST", "/v1/exam/questions", "ExamAddRequest", "ExamQuestionResponse"),
    "exam_remove": Call("POST", "/v1/exam/questions/{id}", "ExamRemoveRequest", "ExamQuestionResponse"),
    "tune": Call("POST", "/v1/tune", "TuneRequest", "TuneJobResponse"),
    "sleep": Call("POST", "/v1/sleep", "SleepRequest", "SleepJobResponse"),
    "health": Call("GET", "/v1/health", "HealthQuery", "HealthResponse"),
    "measure": Call("POST", "/v1/health", "HealthRequest", "HealthJobResponse"),
    "digest": Call("GET", "/v1/digest", None, "DigestResponse"),
    "rebuild": Call("POST", "/v1/rebuild", "RebuildRequest", "JobResponse"),
    "job": Call("GET", "/v1/jobs/{id}", None, "JobResponse"),
    "doctor": Call("GET", "/v1/doctor", "DoctorQuery", "DoctorResponse"),
    "pause": Call("POST", "/v1/pause", "PauseRequest", "PauseResponse"),
    "resume": Call("POST", "/v1/resume", "ResumeRequest", "PauseResponse"),
}
"""Every use-case by the name of its method; each is one route and, at least, one command."""


def encode(body: Any) -> bytes:
    """An answer as the bytes on the wire: UTF-8 JSON without spaces.

    Two things that JSON cannot carry must not fail a whole answer: file names that are not UTF-8 reach us with lone
    surrogates, which become question marks, and a score that is not a number becomes null.
    """
    try:
        text = _dumps(body)
    except ValueError:
        text = _dumps(_finite(body))
    return text.encode("utf-8", "replace")


def _dumps(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value
