"""The HTTP API: every use-case of the service as a route on the loopback address. `guard` says who gets this far.

Routes are plain functions, so that they run in the thread pool and a slow search never holds up the state. Answers are
encoded once from the service's own objects; the models of `wire` describe them here and are held to them in the tests.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from typing import Annotated, Any, Final

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from ebbtide.memory.errors import EbbtideError
from ebbtide.serve import (
    wire,
    wire_answer,
    wire_episodes,
    wire_exam,
    wire_health,
    wire_links,
    wire_memory,
    wire_rulings,
    wire_sleep,
    wire_tune,
)
from ebbtide.serve.calls import API_HEADER, API_LEVEL, CALLS, UseCases, encode
from ebbtide.serve.guard import Inner, Outer, failure
from ebbtide.serve.rulings_moves import Action

log = logging.getLogger(__name__)

SEARCHES: Final = 4
"""Searches at once. More would only take turns on the processor, each of them too late."""
PATIENCE: Final = 1.0
"""Seconds a search waits for its turn before it is sent away."""

ID = Annotated[str, Path(max_length=64)]
NOTE_PATH = Annotated[str, Path(max_length=4096)]


class Json(Response):
    """An answer of the service, encoded as the command line would."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes on the wire."""
        return encode(content)


class Busy(EbbtideError):
    """Too many searches at once."""

    status = 503
    code = "busy"


def create_app(
    service: UseCases,
    token: str | Callable[[], str],
    port: int = 0,
    *,
    allowed_origins: Collection[str] = ("app://obsidian.md",),
    searches: int = SEARCHES,
    patience: float = PATIENCE,
) -> FastAPI:
    """The application for one vault. `token` may be a function, for a token that is rotated while the daemon runs.

    `port` is what the Host header must name; `server.serve` sets it to the port it got, as `app.state.port`.
    """
    held = (lambda: token) if isinstance(token, str) else token
    app: FastAPI = FastAPI(
        title="Ebbtide",
        version=str(API_LEVEL),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        description=f"Loopback only, a bearer token on every route. Interface level {API_LEVEL} ({API_HEADER}).",
        generate_unique_id_function=lambda route: route.name,
        default_response_class=Json,
        responses={"default": {"model": wire.ErrorResponse, "description": "Why it could not be done; the remedy."}},
        middleware=[
            Middleware(Outer, port=lambda: app.state.port, origins=allowed_origins),
            Middleware(
                CORSMiddleware,
                allow_origins=list(allowed_origins),
                allow_methods=["GET", "POST", "PATCH"],
                allow_headers=["Authorization", "Content-Type", API_HEADER],
                expose_headers=[API_HEADER, "Retry-After"],
                allow_private_network=True,
            ),
            Middleware(Inner, token=held),
        ],
    )
    app.state.port = port
    _errors(app)
    _routes(app, service, threading.BoundedSemaphore(searches), patience)
    _answers(app, service, threading.BoundedSemaphore(searches), patience)
    _ruling_routes(app, service)
    _night_routes(app, service)
    _health_routes(app, service)
    return app


def _routes(app: FastAPI, service: UseCases, turns: threading.BoundedSemaphore, patience: float) -> None:
    """Every entry of `CALLS`; a test holds the two to each other."""

    def search(ask: Callable[[], dict[str, Any]]) -> Json:
        return _in_turn(ask, turns, patience)

    @app.get(CALLS["status"].path, responses=_ok(wire.StatusResponse))
    def status() -> Json:
        """State of the daemon: handshake, progress, counts, problems. Cheap; poll `change` to notice news."""
        return _done(lambda: service.status() | {"port": app.state.port})

    @app.post(CALLS["recall"].path, responses=_ok(wire_memory.RecallResponse))
    def recall(body: wire.RecallRequest) -> Json:
        """The memories that answer a question, with reasons and exact places."""
        return search(lambda: service.recall(**body.model_dump()))

    @app.post(CALLS["why"].path, responses=_ok(wire_memory.WhyResponse))
    def why(body: wire.WhyRequest) -> Json:
        """The causal chain behind what is asked about, or what came of it."""
        return search(lambda: service.why(**body.model_dump()))

    @app.get(CALLS["related"].path, responses=_ok(wire_memory.RelatedResponse))
    def related(query: Annotated[wire.RelatedQuery, Query()]) -> Json:
        """Notes near a note."""
        return search(lambda: service.related(**query.model_dump()))

    @app.post(CALLS["explain"].path, responses=_ok(wire_memory.ExplainResponse))
    def explain(body: wire_answer.ExplainRequest) -> Json:
        """Why a note is, or is not, among the answers to a question."""
        return search(lambda: service.explain(**body.model_dump()))

    _records(app, service)
    _exam_routes(app, service)
    _upkeep(app, service)


def _upkeep(app: FastAPI, service: UseCases) -> None:
    """What keeps memory and index in order."""

    @app.post(CALLS["rebuild"].path, responses=_ok(wire.JobResponse))
    def rebuild(body: wire.RebuildRequest) -> Json:
        """Throw an index away and build it again; answers at once with a job."""
        return _done(lambda: service.rebuild(what=body.what))

    @app.get(CALLS["job"].path, responses=_ok(wire.JobResponse))
    def job(id: ID) -> Json:
        """How far a job is."""
        return _done(lambda: service.job(id=id))

    @app.get(CALLS["doctor"].path, responses=_ok(wire.DoctorResponse))
    def doctor(query: Annotated[wire.DoctorQuery, Query()]) -> Json:
        """Checks of everything that can be wrong, each with why it matters and its remedy."""
        return _done(lambda: service.doctor(lang=query.lang))

    @app.post(CALLS["pause"].path, responses=_ok(wire.PauseResponse))
    def pause(body: wire.PauseRequest) -> Json:
        """Stop indexing, for some minutes or until told to go on. Questions are still answered."""
        return _done(lambda: service.pause(minutes=body.minutes))

    @app.post(CALLS["resume"].path, responses=_ok(wire.PauseResponse))
    def resume(body: wire.ResumeRequest) -> Json:
        """Go on indexing."""
        del body  # wanted only so that unknown keys are refused
        return _done(service.resume)


def _answers(app: FastAPI, service: UseCases, turns: threading.BoundedSemaphore, patience: float) -> None:
    """Answers have turns of their own: one that waits for Claude holds no search up."""

    @app.post(CALLS["answer"].path, responses=_ok(wire_answer.AnswerResponse))
    def answer(body: wire_answer.AnswerRequest) -> Json:
        """What the notes say to a question: the sentences that answer, cited, the causal chain, the episode behind it."""
        return _in_turn(lambda: service.answer(**body.model_dump()), turns, patience)


def _in_turn(ask: Callable[[], dict[str, Any]], turns: threading.BoundedSemaphore, patience: float) -> Json:
    if not turns.acquire(timeout=patience):
        raise Busy("Too many questions at once.", "Ask again in a second.")
    try:
        return _done(ask)
    finally:
        turns.release()


def _ruling_routes(app: FastAPI, service: UseCases) -> None:
    """The entries of `CALLS` about where records stand."""

    @app.patch(CALLS["correct"].path, responses=_ok(wire_rulings.RevisedResponse))
    def correct(id: ID, body: wire.CorrectRequest) -> Json:
        """Change fields of a fact, as one revision over what its source says."""
        return _done(lambda: service.correct(id=id, **body.model_dump()))

    @app.post(CALLS["act"].path, responses=_ok(wire_rulings.RevisedResponse))
    def act(id: ID, action: Action, body: wire.ActRequest) -> Json:
        """Archive, restore, freeze, thaw, pin, forget, quarantine, clear or confirm a fact, or a note with its facts."""
        return _done(lambda: service.act(id=id, action=action, **body.model_dump()))

    @app.post(CALLS["undo"].path, responses=_ok(wire_rulings.RevisedResponse))
    def undo(body: wire.UndoRequest) -> Json:
        """Take a revision back with all its parts; without an id the latest of whoever asks."""
        return _done(lambda: service.undo(**body.model_dump()))

    @app.get(CALLS["revisions"].path, responses=_ok(wire_rulings.RevisionsResponse))
    def revisions(query: Annotated[wire.RevisionsQuery, Query()]) -> Json:
        """The latest revisions, for choosing what to undo."""
        return _done(lambda: service.revisions(limit=query.limit))

    @app.get(CALLS["reviews"].path, responses=_ok(wire_rulings.ReviewsResponse))
    def reviews(query: Annotated[wire.ReviewsQuery, Query()]) -> Json:
        """What a person should decide: disputes, what has expired, what is held back or quarantined, lost lines."""
        return _done(lambda: service.reviews(**query.model_dump()))

    @app.post(CALLS["uses"].path, responses=_ok(wire_rulings.UsesResponse))
    def uses(body: wire.UsesRequest) -> Json:
        """Say that memories of an answer helped: they stay warm, and rank a little higher where they are as relevant."""
        return _done(lambda: service.uses(**body.model_dump()))

    @app.post(CALLS["corrections"].path, responses=_ok(wire_rulings.UsesResponse))
    def corrections(body: wire.CorrectionsRequest) -> Json:
        """Say that memories are wrong: a person is asked about them, and nothing is deleted."""
        return _done(lambda: service.corrections(**body.model_dump()))

    @app.post(CALLS["rule"].path, responses=_ok(wire_rulings.RevisedResponse))
    def rule(id: ID, body: wire.RulingRequest) -> Json:
        """Decide an open question by one of its choices; one undo takes it back."""
        return _done(lambda: service.rule(id=id, **body.model_dump()))


def _health_routes(app: FastAPI, service: UseCases) -> None:
    """The entries of `CALLS` about how healthy the core is."""

    @app.get(CALLS["health"].path, responses=_ok(wire_health.HealthResponse))
    def health(query: Annotated[wire_health.HealthQuery, Query()]) -> Json:
        """The figures of the core as they were last computed, their age, and how they moved. Computes nothing."""
        return _done(lambda: service.health(days=query.days))

    @app.post(CALLS["measure"].path, responses=_ok(wire_health.HealthJobResponse))
    def measure(body: wire_health.HealthRequest) -> Json:
        """Compute the figures now; answers at once with a job."""
        return _done(lambda: service.measure(keep=body.keep))

    @app.get(CALLS["digest"].path, responses=_ok(wire_health.DigestResponse))
    def digest() -> Json:
        """What is worth a minute today: memories that come back, what waits for a ruling, the last night."""
        return _done(service.digest)


def _night_routes(app: FastAPI, service: UseCases) -> None:
    """The entry of `CALLS` about the night."""

    @app.post(CALLS["sleep"].path, responses=_ok(wire_sleep.SleepJobResponse))
    def sleep(body: wire_sleep.SleepRequest) -> Json:
        """Have a night, only look ahead, or take one back; answers at once with a job, whose result tells what was decided."""
        return _done(lambda: service.sleep(**body.model_dump()))


def _exam_routes(app: FastAPI, service: UseCases) -> None:
    """The entries of `CALLS` about the exam."""

    @app.post(CALLS["exam"].path, responses=_ok(wire_exam.ExamJobResponse))
    def exam(body: wire_exam.ExamRequest) -> Json:
        """Sit the exam of the vault, or a part of it; answers at once with a job, whose result is the report."""
        return _done(lambda: service.exam(**body.model_dump()))

    @app.get(CALLS["exam_runs"].path, responses=_ok(wire_exam.ExamRunsResponse))
    def exam_runs(query: Annotated[wire_exam.ExamRunsQuery, Query()]) -> Json:
        """The last runs of all devices, oldest first."""
        return _done(lambda: service.exam_runs(limit=query.limit))

    @app.get(CALLS["exam_questions"].path, responses=_ok(wire_exam.ExamQuestionsResponse))
    def exam_questions() -> Json:
        """The user's own questions, those taken out, and lines of the file that are none."""
        return _done(service.exam_questions)

    @app.post(CALLS["exam_add"].path, responses=_ok(wire_exam.ExamQuestionResponse))
    def exam_add(body: wire_exam.ExamAddRequest) -> Json:
        """Add a question, or make one of the last recall."""
        return _done(lambda: service.exam_add(**body.model_dump()))

    @app.post(CALLS["exam_remove"].path, responses=_ok(wire_exam.ExamQuestionResponse))
    def exam_remove(id: ID, body: wire_exam.ExamRemoveRequest) -> Json:
        """Take a question out, or bring it back; its line stays in the file."""
        return _done(lambda: service.exam_remove(id=id, **body.model_dump()))

    @app.post(CALLS["tune"].path, responses=_ok(wire_tune.TuneJobResponse))
    def tune(body: wire_tune.TuneRequest) -> Json:
        """Fit settings to confirmed uses and the exam; answers at once with a job, whose result is the report."""
        return _done(lambda: service.tune(**body.model_dump()))


def _records(app: FastAPI, service: UseCases) -> None:
    """Those that read what is kept, a page or a thing at a time."""

    @app.get(CALLS["facts"].path, responses=_ok(wire_rulings.FactsResponse))
    def facts(query: Annotated[wire.FactsQuery, Query()]) -> Json:
        """Facts by id, a page at a time."""
        return _done(lambda: service.facts(**query.model_dump()))

    @app.get(CALLS["fact"].path, responses=_ok(wire_rulings.FactResponse))
    def fact(id: ID) -> Json:
        """One fact with its history."""
        return _done(lambda: service.fact(id=id))

    @app.get(CALLS["episodes"].path, responses=_ok(wire_episodes.EpisodesResponse))
    def episodes(query: Annotated[wire.EpisodesQuery, Query()]) -> Json:
        """Notes that tell of an attempt and how it ended, newest first, a page at a time."""
        return _done(lambda: service.episodes(**query.model_dump()))

    @app.get(CALLS["links"].path, responses=_ok(wire_links.LinksResponse))
    def links(query: Annotated[wire.LinksQuery, Query()]) -> Json:
        """Edges between notes."""
        return _done(lambda: service.links(**query.model_dump()))

    @app.get(CALLS["notes"].path, responses=_ok(wire_memory.NotesResponse))
    def notes(query: Annotated[wire.NotesQuery, Query()]) -> Json:
        """What became of each note: indexed, waiting, skipped or failed, with the reason."""
        return _done(lambda: service.notes(**query.model_dump()))

    @app.get("/v1/notes/{path:path}", responses=_ok(wire_memory.NoteResponse))
    def note(path: NOTE_PATH) -> Json:
        """A note as it was read: properties, headings, passages, facts, links both ways, problems."""
        return _done(lambda: service.note(path=path))


def _ok(model: type[wire.Response]) -> dict[int | str, dict[str, Any]]:
    return {200: {"model": model}}


def _done(ask: Callable[[], dict[str, Any]]) -> Json:
    """The answer of a use-case. What it raises on purpose goes to `_errors`, anything else to the log."""
    try:
        return Json(ask())
    except EbbtideError:
        raise
    except BaseException as error:
        # A panic in one of the Rust libraries arrives as a BaseException and would take the server's thread with it.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        log.exception("a request failed")
        return Json(_INTERNAL, 500)


_INTERNAL: Final = failure("internal", "Something went wrong inside Ebbtide.", "See the log, or run: ebbtide doctor")


def _errors(app: FastAPI) -> None:
    """Every kind of failure to one shape of body, in this one place."""

    @app.exception_handler(EbbtideError)
    def known(_request: Request, error: EbbtideError) -> Json:
        headers = {"Retry-After": "1"} if isinstance(error, Busy) else None
        return Json(failure(error.code, error.reason, error.remedy), error.status, headers=headers)

    @app.exception_handler(RequestValidationError)
    def invalid(_request: Request, error: RequestValidationError) -> Json:
        reason = wire.describe(error.errors())
        return Json(failure("bad-request", reason, "See `ebbtide openapi` for what is allowed."), 400)

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> Json:
        code, reason = {
            404: ("not-found", "There is no such route."),
            405: ("method", f"{request.method} is not possible here."),
        }.get(error.status_code, ("bad-request", str(error.detail)))
        remedy = "See `ebbtide openapi` for the routes."
        return Json(failure(code, reason, remedy), error.status_code, headers=error.headers)

    @app.exception_handler(Exception)
    def unexpected(_request: Request, _error: Exception) -> Json:
        return Json(_INTERNAL, 500)
