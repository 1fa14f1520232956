"""How a served vault is: the status that clients poll. A part of `service`, which owns the threads; the doctor looks at it too."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ebbtide import __version__
from ebbtide.memory.errors import Problem
from ebbtide.runtime import Runtime
from ebbtide.serve import asking
from ebbtide.serve.calls import API_LEVEL, MIN_API_LEVEL, MIN_PLUGIN_VERSION

PROBLEMS_SHOWN = 50
# What is wrong with the vault as a whole, by the problem's code; the English sentence names the particulars.
_WRONG_ZH = {
    "embedding": "语义模型出错，暂时只能按关键词回忆。",
    "facts": "读取事实时出错，会再试。",
    "graph": "读取链接图时出错，会再试。",
    "indexing": "建索引时出错，会再试。",
    "links": "更新链接时出错，会再试。",
    "memory-write": "写不进记忆文件夹，内容没有丢，会再试。",
    "upkeep": "维护索引时出错，会再试。",
    "vault-gone": "找不到笔记仓库。",
}
_ANY_ZH = "有一处出错。"
_DETAILS_ZH = "原因和修法见检查（ebbtide doctor）。"
_NO_MODEL_ZH = "没有可用的语义模型，只能按关键词回忆。"


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
    """State of one runtime. `paused_until` is seconds since the epoch, None while indexing goes on."""

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
        problems = self.problems()
        vectors = sum(len(index) for index in runtime.near.values())
        wanted = counts["passages"] + counts["facts"]
        waiting = counts["passages_waiting"] + counts["facts_waiting"]
        state, message, message_zh = self._state(waiting, problems)
        return {
            "app": "ebbtide",
            "version": __version__,
            "api": API_LEVEL,
            "api_min": MIN_API_LEVEL,
            "plugin_min": MIN_PLUGIN_VERSION,
            "vault": {"id": runtime.vault_id, "name": runtime.root.name, "path": str(runtime.root)},
            "state": state,
            "message": message,
            "message_zh": message_zh,
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

    def _state(self, waiting: int, problems: Sequence[Problem]) -> tuple[str, str, str]:
        """The state, and a sentence about it in English and in Chinese."""
        if self.paused:
            said = "Indexing is paused; recall goes on with what is indexed."
            return "paused", said, "索引已暂停；回忆仍用已经建好的索引。"
        if self.threads.indexer is not None and not self.threads.indexer.ready.is_set():
            return "starting", "Comparing the vault with the index.", "正在比对仓库和索引。"
        if self.runtime.sync.progress.phase != "idle":
            return "indexing", "Reading changed notes.", "正在读有改动的笔记。"
        if worst := next((p for p in problems if p.severity == "error" and not p.path), None):
            return "degraded", worst.message, _WRONG_ZH.get(worst.code, _ANY_ZH) + _DETAILS_ZH
        if self.runtime.model.state in ("missing", "failed"):
            return "degraded", self.runtime.model.message, _NO_MODEL_ZH + _DETAILS_ZH
        if waiting and self.runtime.model.state != "off":
            said = "Keyword recall is ready; meaning is being filled in."
            return "indexing", said, "已能按关键词回忆；正在补全语义。"
        return "ready", "Everything is indexed.", "全部已建好索引。"

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

    def problems(self) -> list[Problem]:
        """Everything that is wrong, the worst first."""
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


def iso(seconds: float) -> str:
    """UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
