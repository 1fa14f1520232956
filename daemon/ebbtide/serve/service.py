"""The use-cases: everything the API, the command line and the plugin can ask of an opened vault.

Every method answers with plain objects of the shapes in `wire`; errors are of the one tree in memory.errors. Safe from any
thread: reading goes through the catalogue's connection of the thread, writing is handed to the indexer.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from ebbtide.index.rows import View
from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.memory.states import Lang
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import fold
from ebbtide.runtime import ModelState, Runtime
from ebbtide.serve.doctor import doctor
from ebbtide.serve.examining import Examining
from ebbtide.serve.health import Health
from ebbtide.serve.jobs import Jobs
from ebbtide.serve.nights import Nights
from ebbtide.serve.questions import Questions
from ebbtide.serve.rulings import Rulings
from ebbtide.serve.tuning import Tuning
from ebbtide.serve.using import Shown, Using
from ebbtide.serve.vitals import Threads, Vitals, iso

VIEWS: Final[tuple[View, ...]] = ("unresolved", "ambiguous", "broken_anchors", "orphans", "stats")


class Service(Questions, Using, Examining, Tuning, Nights, Health):
    """The use-cases over one runtime. The daemon attaches its threads; without them the service works in the foreground."""

    def __init__(self, runtime: Runtime, threads: Threads | None = None) -> None:
        self.runtime = runtime
        self.threads = threads or Threads()
        self.vitals = Vitals(runtime, self.threads)
        self.rulings = Rulings.of(runtime, self.threads)
        self.shown = Shown()
        self.jobs = Jobs()

    # --- foreground work ------------------------------------------------------------------------------------------------

    def catch_up(
        self,
        *,
        vectors: bool = True,
        progress: Callable[[str, int, int], None] | None = None,
        threads: int | None = None,
    ) -> None:
        """Index what is new, here and now: for use without a daemon. `progress(phase, done, total)` is called now and then."""
        runtime = self.runtime
        say = progress or (lambda *_: None)
        ticker = _Ticker(
            lambda: say(runtime.sync.progress.phase, runtime.sync.progress.done, runtime.sync.progress.total)
        )
        with ticker:
            runtime.catch_up()
        self.vitals.caught_up = True
        if not vectors:
            runtime.model = ModelState("off", "", "The embedding model is not opened for this question.")
            return
        if not runtime.open_model(lambda text: say(text, 0, 0), threads):
            return
        backfill = runtime.backfill
        if backfill is None:
            return
        counts = runtime.catalog.counts()
        total = counts["passages_waiting"] + counts["facts_waiting"]
        done = 0
        while True:
            step = backfill.round(lambda: False)
            if not step:
                break
            done += step
            say("vectors", done, total)
        backfill.settle()
        backfill.save()

    # --- status -----------------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """GET /v1/status."""
        if self.vitals.paused_until is not None and not self.vitals.paused:
            self.resume()
        return self.vitals.status()

    def doctor(self, lang: Lang | None = None) -> dict[str, Any]:
        """GET /v1/doctor: checks a person can act on, each with what was found, why it matters and what mends it."""
        return doctor(self.vitals, "zh" if lang == "zh" else "en")

    def pause(self, minutes: int | None = None) -> dict[str, Any]:
        """POST /v1/pause: recall goes on, indexing and embedding wait."""
        self.vitals.paused_until = time.time() + 60 * (minutes if minutes is not None else 60 * 24 * 365 * 10)
        return self._set_paused(True)

    def resume(self) -> dict[str, Any]:
        """POST /v1/resume."""
        self.vitals.paused_until = None
        return self._set_paused(False)

    def _set_paused(self, value: bool) -> dict[str, Any]:
        for thread in (self.threads.indexer, self.threads.embedding, self.threads.claude):
            if thread is not None:
                thread.paused = value
        if not value and self.threads.indexer is not None:
            self.threads.indexer.report(frozenset(), True)
            self.threads.embedding.nudge()
        status = self.vitals.status()
        return {"state": status["state"], "paused_until": status["paused_until"]}

    # --- records ----------------------------------------------------------------------------------------------------------

    def facts(
        self,
        note: str | None = None,
        type: str | None = None,
        after: str = "",
        limit: int = 50,
        refused: bool = False,
        state: str | None = None,
    ) -> dict[str, Any]:
        """GET /v1/facts: a page by id, or of what the gates refused."""
        if note is not None:
            self._file(note)
        if refused:
            return self.rulings.refused(note, after, limit)
        return self.rulings.facts(note, type, after, limit, state)

    def fact(self, id: str) -> dict[str, Any]:
        """GET /v1/facts/{id} with the revisions that speak of it."""
        return self.rulings.fact(id)

    def correct(self, id: str, set: Mapping[str, Any], why: str = "", client: str | None = None) -> dict[str, Any]:
        """PATCH /v1/facts/{id}."""
        return self.rulings.correct(id, set, why, client)

    def act(self, id: str, action: str, why: str = "", client: str | None = None) -> dict[str, Any]:
        """POST /v1/records/{id}/{action}."""
        return self.rulings.act(id, action, why, client)

    def undo(self, id: str | None = None, why: str = "", client: str | None = None) -> dict[str, Any]:
        """POST /v1/undo."""
        return self.rulings.undo(id, why, client)

    def revisions(self, limit: int = 20) -> dict[str, Any]:
        """GET /v1/revisions: the latest, for choosing what to undo."""
        return self.rulings.revisions(limit)

    def reviews(
        self, kind: str | None = None, limit: int = 50, after: str = "", lang: Lang | None = None
    ) -> dict[str, Any]:
        """GET /v1/reviews: what a person should decide."""
        return self.rulings.reviews(kind, limit, after, lang)

    def rule(self, id: str, ruling: str, why: str = "", client: str | None = None) -> dict[str, Any]:
        """POST /v1/reviews/{id}/ruling."""
        return self.rulings.rule(id, ruling, why, client)

    def episodes(
        self,
        note: str | None = None,
        result: str | None = None,
        type: str | None = None,
        after: str = "",
        limit: int = 50,
    ) -> dict[str, Any]:
        """GET /v1/episodes: what was tried and how it ended, newest first."""
        if note is not None:
            self._file(note)
        return self.runtime.catalog.episode_answer(result, type and fold(type).strip(), note, after, limit)

    def links(
        self,
        note: str | None = None,
        unresolved: bool = False,
        ambiguous: bool = False,
        broken_anchors: bool = False,
        orphans: bool = False,
        stats: bool = False,
        after: str = "",
        limit: int = 200,
    ) -> dict[str, Any]:
        """GET /v1/links: a page of edges, or of what none connects, or how far they are typed. One flag at a time."""
        flags = (unresolved, ambiguous, broken_anchors, orphans, stats)
        views = [view for view, wanted in zip(VIEWS, flags, strict=True) if wanted]
        if len(views) > 1 or (note is not None and (orphans or stats)):
            raise BadRequest("These cannot be asked for together.", "Ask for one at a time.")
        if note is not None:
            self._file(note, indexed=False)
        return self.runtime.catalog.link_answer(views[0] if views else "all", note, after, limit)

    def note(self, path: str) -> dict[str, Any]:
        """GET /v1/notes/{path}: the note as it is parsed now."""
        file = self._file(path, indexed=False)
        if file.kind not in ("note", "memory"):
            raise NotFound(f"{path!r} is not a note.", "Attachments and boards appear in `ebbtide links`.")
        if file.reason == "memory: false":
            raise NotFound(f"{path!r} says `memory: false`.", "Remove the property to have it remembered.")
        if file.status == "skipped":
            raise NotFound(f"{path!r} is {file.reason or 'skipped'}.", "Only notes of the memory are shown.")
        try:
            text = self.runtime.store.read(path)
        except FileNotFoundError as error:
            raise NotFound(f"{path!r} is gone.", "It was removed after it was indexed.") from error
        note = parse_note(path, text.text)
        edges = [json.loads(record) for record in self.runtime.catalog.find_links(path, 10_000)]
        return {
            "id": file.id,
            "path": path,
            "title": note.title,
            "status": file.status,
            "reason": file.reason or None,
            "digest": text.digest,
            "properties": dict(note.properties),
            "aliases": list(note.aliases),
            "tags": [asdict(t) for t in note.tags],
            "headings": [asdict(h) for h in note.headings],
            "blocks": [asdict(a) for a in note.anchors],
            "passages": [
                {
                    "id": p.id,
                    "heading": p.headings or None,
                    "line": p.line,
                    "start": p.start,
                    "end": p.stop,
                    "text": p.text,
                }
                for p in self.runtime.catalog.passages_of(file.row)
            ],
            "facts": self.rulings.desk.views(json.loads(r) for _, _, r in self.runtime.catalog.facts_of(file.row)),
            "links": [edge for edge in edges if edge["source"] == path],
            "backlinks": [edge for edge in edges if edge["source"] != path],
            "problems": [asdict(p) for p in [*text.problems, *note.problems]],
        }

    def notes(self, status: str | None = None, limit: int = 200) -> dict[str, Any]:
        """GET /v1/notes: what became of each note, and why."""
        catalog = self.runtime.catalog
        keys = ("path", "id", "title", "status", "reason", "passages", "facts", "links")
        notes = [dict(zip(keys, row, strict=True)) for row in catalog.note_statuses(status, limit)]
        counts = catalog.status_counts()
        total = counts.get(status, 0) if status else sum(counts.values())
        return {
            "notes": [note | {"reason": note["reason"] or None} for note in notes],
            "total": total,
            "counts": counts,
            "reasons": catalog.status_reasons(status),
        }

    # --- jobs -------------------------------------------------------------------------------------------------------------

    def rebuild(self, what: str = "all") -> dict[str, Any]:
        """POST /v1/rebuild: make an index again from the notes. Nothing is embedded twice: vectors are kept by their text."""
        job = self.jobs.add(f"rebuild {what}")

        def work() -> None:
            job.state = "running"
            try:
                self.runtime.rebuild(what)
                job.state = "done"
            except Exception as error:
                job.state, job.message = "failed", str(error)
                raise
            finally:
                job.finished = time.time()
            if self.threads.embedding is not None:
                self.threads.embedding.nudge()

        if self.threads.indexer is not None:
            self.threads.indexer.order(work)
        else:
            work()
            self.runtime.write_memory()
        return self.job(job.id)

    def job(self, id: str) -> dict[str, Any]:
        """GET /v1/jobs/{id}."""
        job = self.jobs.get(id)
        if job is None:
            raise NotFound(f"No job {id!r} is known.", "Jobs are forgotten when the daemon restarts.")
        progress = self.vitals.progress() if job.progress is None else job.progress
        return {
            "id": job.id,
            "what": job.what,
            "state": job.state,
            "message": job.message,
            "progress": progress,
            "started": iso(job.started),
            "finished": None if job.finished is None else iso(job.finished),
            "result": job.result,
        }


def told(say: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """Turns (phase, done, total) into a line every few seconds, and one where a phase begins or ends."""
    told_phase, told_at = "", 0.0

    def progress(phase: str, done: int, total: int) -> None:
        nonlocal told_phase, told_at
        now = time.monotonic()
        if phase == "idle" or (phase == told_phase and done != total and now - told_at < 5):
            return
        told_phase, told_at = phase, now
        say(f"{phase} {done}/{total}" if total else phase)

    return progress


class _Ticker:
    """Calls something twice a second while a block runs."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell, self._done = tell, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._done.wait(0.5):
            self._tell()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
