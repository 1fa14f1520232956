"""A stand-in for the service behind a real server on a real socket. The real service has its own tests."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import NotFound
from ebbtide.serve import docs
from ebbtide.serve.api import create_app
from ebbtide.serve.server import Bound, serve

TOKEN = "t" * 43
ORIGIN = "app://obsidian.md"


def example(schema: str, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(docs.schema_text(schema))["examples"][number]
    return found


@dataclass
class StandIn:
    """Answers with the examples of the schemas and remembers what it was asked."""

    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    before: Callable[[], None] = lambda: None

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        if name.startswith("_"):
            raise AttributeError(name)

        def answer(**named: Any) -> dict[str, Any]:
            self.asked.append((name, named))
            self.before()
            if name == "fact" and named["id"] != example("fact")["id"]:
                raise NotFound("There is no such fact.", "See `ebbtide facts`.")
            return ANSWERS[name]

        return answer


def _view() -> dict[str, Any]:
    return example("fact") | {
        "layer": "semantic",
        "state": "active",
        "temperature": None,
        "superseded_by": None,
        "merged_into": None,
        "disputes": ["f_0d52e6a8b9174c3e"],
        "expired": False,
        "pinned": True,
        "frozen": False,
        "forgotten": False,
        "refused": False,
    }


def _revised() -> dict[str, Any]:
    note = {"id": "n_1", "path": "Home.md", "state": "archived"} | dict.fromkeys(
        ("pinned", "frozen", "forgotten", "refused"), False
    )
    return {
        "revisions": [example("revision")],
        "undone": None,
        "facts": [_view()],
        "notes": [note],
        "absent": ["f_0000000000000001"],
    }


_SIDE = {
    "id": "f_1",
    "fact": "The pond cost 400 EUR.",
    "note": "Pond.md",
    "line": 3,
    "quote": "It cost 400 EUR.",
    "date": "2026-05",
    "state": "active",
    "private": False,
}


_JOB = {
    "id": "j1",
    "what": "rebuild all",
    "state": "done",
    "message": "",
    "started": None,
    "finished": None,
    "progress": {"phase": "idle", "done": 0, "total": 0, "eta_seconds": None},
    "result": None,
}
_NIGHT = {
    "day": "2026-11-30",
    "dry_run": False,
    "core": "0123456789abcdef0123456789abcdef",
    "processed": 9,
    "candidates": 1,
    "counts": {"promote": 1, "associate": 0, "compress": 0, "release": 0},
    "hygiene": {"asked": 2, "moved": 1, "episodes": 1, "set_aside": 3},
    "judged": [
        {
            "note": "日记/2026-11-28.md",
            "title": "2026-11-28",
            "day": "2026-11-28",
            "salience": 0.6,
            "parts": {"nov": 1.0, "ins": 1.0, "chg": 0.0, "lnk": 0.0, "rev": 0.0},
            "reasons": ["新的内容"],
            "decision": "promote",
            "relation": "new",
            "duplication": 0.1,
            "reasoning": "你自己明确说过",
            "insight": "原则：开会前必须先写一页纸。",
            "why": None,
            "how": None,
            "path": "Memory/core/principles/开会前必须先写一页纸.md",
            "target": None,
            "links": [],
            "places": [
                {"note": "日记/2026-11-28.md", "line": 3, "quote": "原则：开会前必须先写一页纸。", "day": "2026-11-28"}
            ],
            "until": None,
            "judge": "rules",
            "unjudged": None,
            "private": False,
        }
    ],
    "skipped": ["associate core/models/A.md: the file was changed since"],
    "revision": "r_0123456789abcdef",
    "undo": "ebbtide sleep --undo 2026-11-30",
    "undone": None,
    "left": [],
}
_QUESTION = {
    "id": "x_1",
    "query": "为什么？",
    "kind": "must-cite",
    "gold": ["折 叠.md"],
    "against": [],
    "quote": "因为",
    "gold_line": 3,
    "answers": [],
    "type": None,
    "as_of": None,
    "scope": None,
    "line": 1,
    "removed": None,
}
_RUN = {"at": "2026-11-30T10:00:00.000Z", "version": "1", "model": None, "only": None, "figures": {"hit@3": 0.8}}
_REPORT = {
    "at": "2026-11-30T10:00:00.000Z",
    "version": "1",
    "model": None,
    "config": "a4ac5e78",
    "only": None,
    "budget": 6000,
    "last": "2026-11-29T10:00:00.000Z",
    "changed": ["version"],
    "questions": {
        "asked": 30,
        "by_kind": {"find": 30},
        "passed_over": 1,
        "planted": 0,
        "repeated": 0,
        "copied": 0,
        "notes": 9,
    },
    "figures": [
        {
            "name": "hit@3",
            "title": "own questions: a right note among the first 3",
            "title_zh": "自己的题：正确笔记在前三",
            "k": 24,
            "n": 30,
            "value": 0.8,
            "low": 0.6269,
            "high": 0.9050,
            "lower_is_better": False,
            "last": {"value": 0.9, "same": 30, "gained": 0, "lost": 3, "p": 0.25, "verdict": "no difference"},
        }
    ],
    "memory": {
        "judged": 30,
        "by_words": 20,
        "by_claude": 0,
        "by_note": 10,
        "wins": 2,
        "losses": 1,
        "draws": 27,
        "p": 1.0,
        "verdict": "draw",
    },
    "corrections_per_week": 0.25,
    "tokens": {"tokens": 700.0, "tokens_newest": 5990.0},
    "latency": {"total": {"p50": 20.0, "p95": 40.0, "p99": 80.0}},
    "failures": [
        {
            "part": "find",
            "id": "x_2",
            "query": "who?",
            "wanted": ["A.md"],
            "got": ["B.md:3"],
            "code": "not-found",
            "why": "no right note among the first three",
            "why_zh": "前三条里没有正确的笔记",
            "look": "ebbtide explain 'who?' A.md",
            "regression": True,
        }
    ],
    "failure_count": 3,
    "problems": [{"path": "Memory/exam.jsonl", "line": 7, "code": "exam-line", "message": "bad", "fix": "mend it"}],
    "notices": [{"code": "no-model", "text": "By keyword only", "text_zh": "仅按关键词"}],
    "trend": [_RUN],
    "kept": "Memory/exam-results/0123abcd.jsonl",
}
_TUNED = {
    "day": "2026-11-30",
    "enough": True,
    "uses": 240,
    "needed": 200,
    "missing": 0,
    "changes": [{"key": "heat.half_life", "old": 14.0, "new": 31.5, "why": "used for longer", "why_zh": "用得更久"}],
    "warmth": [
        {
            "name": "life",
            "title": "used within 7 days",
            "title_zh": "7 天内被使用",
            "before": 0.36,
            "after": 0.35,
            "low": -0.015,
            "high": -0.005,
            "weeks": 900,
            "used": 120,
            "memories": 40,
            "since": "2026-08-01",
            "kept": True,
        }
    ],
    "exam": [
        {
            "part": "all",
            "n": 30,
            "before": {"k": 20, "value": 0.6667, "low": 0.4878, "high": 0.8077},
            "after": {"k": 21, "value": 0.7, "low": 0.5212, "high": 0.8334},
            "gained": 1,
            "lost": 0,
            "p": 1.0,
            "verdict": "no difference",
        }
    ],
    "notices": [{"code": "bands-kept", "text": "They stay.", "text_zh": "保持不变。"}],
    "dry_run": False,
    "file": "Memory/ebbtide.toml",
    "revision": "r_0123456789abcdef",
    "undo": "ebbtide undo r_0123456789abcdef",
    "in_force": True,
}
_SPENT = {"requests": 2, "tokens": 900, "money": 0.01, "cap_tokens": 200000, "cap_money": 1.0}
_SLEPT = {"processed": 31, "candidates": 5, "promote": 1, "associate": 1, "compress": 1, "release": 2}
_HEALTH = {
    "day": "2026-11-30",
    "at": "2026-11-30T03:10:00.000Z",
    "age_seconds": 3600.0,
    "version": "1",
    "figures": [
        {
            "name": "freshness",
            "title": "Fresh: met in 30 days",
            "title_zh": "新鲜：30 天内用过",
            "unit": "share",
            "value": 0.5,
            "k": 6,
            "n": 12,
            "why": None,
            "why_zh": None,
            "last": {"day": "2026-11-29", "value": 0.4, "by": 0.1, "verdict": "better"},
            "month": None,
        },
        {
            "name": "steps",
            "title": "Steps between two memories",
            "title_zh": "两条记忆之间的步数",
            "unit": "number",
            "value": None,
            "k": None,
            "n": None,
            "why": "no core memory links to another",
            "why_zh": "核心记忆之间还没有链接",
            "last": None,
            "month": None,
        },
    ],
    "layers": [{"layer": "concept", "records": 0, "week": -2, "why": "nothing yet", "why_zh": "还没有"}],
    "night": _SLEPT,
    "taken": 0.4,
    "spent": _SPENT,
    "warnings": [{"code": "core-grows", "text": "The core has grown.", "text_zh": "核心在增长。"}],
    "trend": [
        {
            "day": "2026-11-30",
            "figures": {"freshness": 0.5, "steps": None},
            "layers": {"concept": 0},
            "night": _SLEPT,
            "spent": _SPENT,
        }
    ],
    "report": "Memory/reports/2026-11-30.md",
    "kept": "Memory/health/0123abcd.jsonl",
    "hint": None,
    "hint_zh": None,
}
ANSWERS: dict[str, dict[str, Any]] = {
    "status": example("status"),
    "recall": example("recall-response"),
    "answer": {
        "query": "q",
        "answer": "“It cost 400 EUR.” \\[x\\] [1]",
        "by": "extract",
        "why": None,
        "lang": "en",
        "citations": [
            {
                "n": 1,
                "note": "Pond.md",
                "title": "Pond",
                "line": 3,
                "column": 0,
                "quote": "It cost 400 EUR.",
                "heading": "Pond",
                "as_of": "2026-05",
                "id": "f_1",
                "state": "active",
                "disputed": False,
                "superseded_by": None,
            }
        ],
        "chain": [],
        "episode": None,
        "abstained": False,
        "nearest": [{"note": "Home.md", "title": "Home"}],
        "as_of": None,
        "hidden": {"stale": 1},
        "skipped": [],
        "budget": 6000,
        "tokens": 9,
        "ms": {"total": 1.0},
    },
    "related": {
        "note": "Home.md",
        "items": [example("recall-response")["items"][0] | {"title": "Home", "linked": False}],
        "notes": ["Pond.md"],
        "budget": 6000,
        "tokens": 9,
        "counted": "estimate",
        "ms": {},
        "skipped": [],
        "hidden": {},
        "empty_reason": None,
    },
    "why": {
        "query": "q",
        "direction": "back",
        "kind": "none",
        "message": "No chain was found.",
        "chain": [],
        "branches": [],
        "notes": [],
        "as_of": None,
        "tokens": 0,
        "ms": {},
        "skipped": [],
    },
    "explain": {
        "query": "q",
        "note": "Home.md",
        "found": True,
        "rank": 1,
        "returned": False,
        "reason": "The budget was full.",
        "steps": [{"step": "budget", "title": "budget", "passed": False, "message": "full"}],
        "items": [example("recall-response")["items"][0]],
    },
    "facts": {
        "facts": [_view()],
        "refused": [
            {
                "note": "Home.md",
                "outcome": "refuse",
                "gate": "worth",
                "code": "chatter",
                "reason": "thanks",
                "fact": {"fact": "谢谢", "line": 3},
            }
        ],
        "counts": {"worth": {"chatter": 1}},
        "total": 1,
        "next": None,
    },
    "fact": {"fact": _view(), "history": [example("revision") | {"undone": True}]},
    "correct": _revised(),
    "act": _revised(),
    "undo": _revised() | {"undone": "r_0123456789abcdef"},
    "rule": _revised(),
    "uses": {"recorded": ["f_1"], "ignored": [{"id": "f_2", "reason": "told already"}], "day": "2026-11-30"},
    "corrections": {"recorded": ["f_1"], "ignored": [], "day": "2026-11-30"},
    "revisions": {"revisions": [example("revision") | {"undone": False, "parts": 2}]},
    "reviews": {
        "reviews": [
            {
                "id": "q_1",
                "kind": "dispute",
                "since": "2026-05-01T00:00:00Z",
                "question": "Which one holds?",
                "why": None,
                "lang": "en",
                "sides": [_SIDE, _SIDE | {"id": "f_2", "date": None}],
                "choices": [{"ruling": "keep_a", "label": "The older one"}, {"ruling": "later", "label": "Later"}],
            }
        ],
        "counts": {"dispute": 1, "lines": 0},
        "total": 1,
        "next": None,
    },
    "episodes": {
        "episodes": [
            {
                "note": "Work/Sprint 9.md",
                "title": "Sprint 9",
                "type": "sprint",
                "date": "2026-01-16",
                "result": "failure",
                "stated": True,
                "sign": "type",
                "missing": ["trigger"],
                "private": False,
                "parts": {"lesson": {"text": "Ask first", "line": 5, "quote": "Ask first"}},
                "facts": ["f_1"],
            }
        ],
        "total": 1,
        "counts": {"failure": 1},
        "next": None,
    },
    "links": {
        "links": [example("link", number) | {"near": [], "others": [], "missing": None} for number in (0, 1)],
        "total": 2,
        "unresolved": 1,
        "ambiguous": 0,
        "orphans": [],
        "orphan_counts": None,
        "stats": None,
        "next": None,
    },
    "notes": {
        "notes": [
            {
                "path": "大事记.md",
                "id": "n_1",
                "title": "大事记",
                "status": "skipped",
                "reason": "memory: false",
                "passages": 0,
                "facts": 0,
                "links": 2,
            }
        ],
        "total": 1,
        "counts": {"indexed": 0, "skipped": 1},
        "reasons": [{"status": "skipped", "reason": "memory: false", "notes": 1}],
    },
    "note": {
        "path": "Home.md",
        "id": "n_2",
        "title": "Home",
        "status": "indexed",
        "reason": None,
        "digest": "d",
        "properties": {"lang": "en"},
        "aliases": [],
        "tags": [{"name": "a", "offset": 9, "line": 2}],
        "headings": [{"text": "Top", "level": 1, "offset": 0, "line": 1}],
        "blocks": [{"id": "b", "offset": 1, "line": 1}],
        "passages": [],
        "facts": [_view()],
        "links": [example("link")],
        "backlinks": [],
        "problems": [],
    },
    "exam": _JOB | {"what": "exam run", "result": _REPORT},
    "sleep": _JOB | {"what": "sleep", "result": _NIGHT},
    "tune": _JOB | {"what": "tune", "result": _TUNED},
    "exam_runs": {
        "kinds": [
            {
                "name": "hit@3",
                "title": "among the first 3",
                "title_zh": "前三",
                "unit": "share",
                "value": 0.8,
                "last": {"day": "2026-11-01", "value": 0.7, "by": 0.1, "verdict": "better"},
                "lower_is_better": False,
            }
        ],
        "runs": [_RUN],
        "total": 1,
    },
    "exam_questions": {
        "file": "Memory/exam.jsonl",
        "questions": [_QUESTION],
        "removed": [_QUESTION | {"id": "x_2", "removed": "2026-11-29"}],
        "problems": _REPORT["problems"],
    },
    "exam_add": {"question": _QUESTION, "asked": 1},
    "exam_remove": {"question": _QUESTION | {"removed": "2026-11-30"}, "asked": 0},
    "health": _HEALTH,
    "measure": _JOB | {"what": "health", "result": _HEALTH},
    "digest": {
        "day": "2026-11-30",
        "week": "2026-W49",
        "revive": [
            {
                "id": "n_1",
                "path": "Memory/core/models/潮汐.md",
                "title": "潮汐",
                "claim": "会退潮的记忆",
                "hook": "谈到遗忘时",
                "lang": "zh",
                "private": False,
                "idle_days": 92,
                "question": "“会退潮的记忆”: not used for 92 days. Does it still hold?",
                "question_zh": "“会退潮的记忆”，已有 92 天没用到了，还成立吗？",
                "place": {"path": "Plan.md", "title": "Plan"},
                "answers": [
                    {
                        "answer": "rewrite",
                        "label": "Rewrite it",
                        "label_zh": "改写",
                        "post": None,
                        "body": None,
                        "open": "Memory/core/models/潮汐.md",
                    }
                ],
            }
        ],
        "reviews": [
            {
                "id": "q_1",
                "kind": "dispute",
                "question": "Which one holds?",
                "since": "2026-11-28",
                "text": "The pond costs 90 EUR.",
                "note": "Pond.md",
                "line": 3,
            }
        ],
        "open": 3,
        "warnings": _HEALTH["warnings"],
        "night": _HEALTH["night"],
        "report": "Memory/reports/2026-11-30.md",
        "markdown": "> [!ebbtide] Worth a minute, 2026-11-30\n",
        "markdown_zh": "> [!ebbtide] 值得看一眼，2026-11-30\n",
        "hint": None,
        "hint_zh": None,
    },
    "rebuild": _JOB,
    "job": _JOB,
    "doctor": {
        "ok": False,
        "checks": [
            {
                "name": "model",
                "title": "embedding model",
                "ok": False,
                "message": "missing",
                "why": "Only words are compared.",
                "fix": "install it",
            }
        ],
    },
    "pause": {"state": "paused", "paused_until": None},
    "resume": {"state": "ready", "paused_until": None},
}


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.data)

    @property
    def code(self) -> str:
        return str(self.body["error"]["code"])


@dataclass
class Site:
    """A running server and a plain client for it."""

    bound: Bound
    service: StandIn

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: dict[str, str | None] | None = None,
    ) -> Reply:
        """One request; a header of None is left out, bytes go as they are."""
        sent: dict[str, str | None] = {"Host": f"127.0.0.1:{self.bound.port}", "Authorization": f"Bearer {TOKEN}"}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
            sent["Content-Length"] = str(len(data))
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.bound.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        reply = Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        connection.close()
        return reply


def started() -> Site:
    service = StandIn()
    bound = serve(create_app(service, TOKEN, searches=2, patience=0.2), 0)
    bound.start()
    return Site(bound, service)


@pytest.fixture(scope="module")
def _site() -> Iterator[Site]:
    site = started()
    yield site
    assert site.bound.stop()


@pytest.fixture
def answers() -> dict[str, dict[str, Any]]:
    """What the stand-in answers, by use-case."""
    return ANSWERS


@pytest.fixture
def site(_site: Site) -> Site:
    """A server that the tests of a module share, its memory wiped."""
    _site.service.asked.clear()
    _site.service.before = lambda: None
    return _site


@pytest.fixture
def own_site() -> Iterator[Site]:
    """A server that the test may stop."""
    site = started()
    yield site
    site.bound.stop()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("EBBTIDE_STATE", str(folder))
    monkeypatch.delenv("EBBTIDE_VAULT", raising=False)
    return folder


@pytest.fixture
def schema_example() -> Callable[[str, int], dict[str, Any]]:
    return example
