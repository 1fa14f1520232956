"""The use-cases of the core's health: the figures as they were last computed, computing them, the digest of a day. A part of `service`.

What a request reads is the history, a line a day, and at most two memories: nothing in it grows with the vault. Computing looks at
all of it, so it is a job, or the end of a night.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from ebbtide.memory.errors import EbbtideError, VaultError
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import language
from ebbtide.runtime import Runtime
from ebbtide.serve.jobs import Job, Jobs, wait_for
from ebbtide.serve.rulings import Rulings
from ebbtide.serve.rulings_queue import Open
from ebbtide.serve.rulings_words import KINDS
from ebbtide.serve.using import Shown
from ebbtide.serve.vitals import Threads
from ebbtide.sleep import digest, trend
from ebbtide.sleep.core_note import claim_of
from ebbtide.sleep.digest_page import page

REVIEWS: Final = 3
"""Open questions that a digest shows."""
WHAT: Final = "health"
_HINT: Final = {
    "hint": "Nothing was computed yet. A night does it, or `ebbtide health --now`.",
    "hint_zh": "还没有计算过。夜间整理会计算，也可以用 `ebbtide health --now`。",
}
_NO_HINT: Final = {"hint": None, "hint_zh": None}


class Measuring(EbbtideError):
    """The figures are being computed."""

    status = 409
    code = "busy"


class Health:
    """The use-cases; `Service` is one."""

    runtime: Runtime
    threads: Threads
    rulings: Rulings
    shown: Shown
    jobs: Jobs

    def job(self, id: str) -> dict[str, Any]:
        """GET /v1/jobs/{id}; the service's."""
        raise NotImplementedError

    def health(self, days: int = 30) -> dict[str, Any]:
        """GET /v1/health: the figures as they were last computed, how old they are, and how they moved."""
        return self._health_told(self._health_lines(), days)

    def measure(self, keep: bool = True) -> dict[str, Any]:
        """POST /v1/health: compute the figures of now, in a thread of its own; the job's `result` is as GET /v1/health answers.

        `keep`: keep the day's line in the memory folder, where it may be written to. Raises Measuring while that is under way.
        """

        def refuse(busy: Job) -> EbbtideError:
            return Measuring("The figures are being computed already.", wait_for(busy))

        job = self.jobs.add(WHAT, apart=(WHAT,), refuse=refuse)
        self.jobs.begin(job, lambda _say: self._measured(keep), thread="ebbtide-health", phase="measure")
        return self.job(job.id)

    def _measured(self, keep: bool) -> dict[str, Any]:
        from ebbtide import measuring

        runtime = self.runtime
        served = self.threads.indexer is not None
        found = measuring.measure(runtime, (lambda i: self.shown.question(i) is not None) if served else None)
        files, kept = measuring.health_files(runtime), None
        if keep and not runtime.read_only:
            name = self.rulings.desk.write(lambda: files.keep(found.record))
            kept = f"{runtime.config.memory.folder}/{name}"
        lines = [*self._health_lines(), found.record]
        return self._health_told(trend.by_day(lines), 30) | {"kept": kept}

    def digest(self) -> dict[str, Any]:
        """GET /v1/digest: memories that come back this week, what waits for a ruling, and what the last night came to."""
        today, history = self.runtime.uses.today(), self._health_lines()
        open_ = self.rulings.queue.open(KINDS)
        first = open_[:REVIEWS]
        last = history[-1] if history else None
        recent = last is not None and str(last["day"]) >= (date.fromisoformat(today) - timedelta(days=1)).isoformat()
        chosen = digest.kept(history, today) or []
        used = self._health_answered(chosen, today)
        back = [item for row in chosen if row.get("id") not in used and (item := self._health_back(row)) is not None]
        fresh = [item for item in back if self.shown.question(item["id"]) is None]
        self.shown.beside("", {"items": fresh})  # so that an answer to it is taken
        told: dict[str, Any] = {
            "day": today,
            "week": digest.week_of(today),
            "revive": back,
            "reviews": [_review(item) for item in self._health_asked(first, None)],
            "open": len(open_),
            "warnings": _warnings(last, history) if last is not None else [],
            "night": _night(last) if recent else None,
            "report": self._health_report(),
            **(_HINT if last is None else _NO_HINT),
        }
        pages = {"markdown": self._health_page(told, first, "en"), "markdown_zh": self._health_page(told, first, "zh")}
        return told | pages

    def _health_asked(self, questions: Sequence[Open], lang: Lang | None) -> list[dict[str, Any]]:
        return [self.rulings.queue.item(one, lang) for one in questions]

    def _health_page(self, told: Mapping[str, Any], first: Sequence[Open], lang: Lang) -> str:
        """A digest as Markdown, its questions asked in that language, too; without what is private, since the daily note may not be."""
        asked = self._health_asked(first, lang)
        open_ = [_review(item) for item in asked if not any(side["private"] for side in item["sides"])]
        back = [item for item in told["revive"] if not item["private"]]
        return page({**told, "reviews": open_, "revive": back}, self.runtime.root.name, lang)

    # --- parts --------------------------------------------------------------------------------------------------------

    def _health_lines(self) -> list[trend.Record]:
        from ebbtide import measuring

        return trend.by_day(measuring.health_files(self.runtime).lines()[0])

    def _health_told(self, history: Sequence[trend.Record], days: int) -> dict[str, Any]:
        if not history:
            names = dict.fromkeys(("day", "at", "age_seconds", "version", "night", "taken", "spent", "report", "kept"))
            return {**names, "figures": [], "layers": [], "warnings": [], "trend": [], **_HINT}
        last = history[-1]
        begin = (date.fromisoformat(str(last["day"])) - timedelta(days=days - 1)).isoformat()
        return {
            "day": last["day"],
            "at": last.get("at"),
            "age_seconds": self._health_age(str(last.get("at"))),
            "version": last.get("version"),
            "figures": [_figure(kind, last, history) for kind in trend.KINDS],
            "layers": trend.layer_rows(last, history),
            "night": _night(last),
            "taken": trend.taken(last, history),
            "warnings": _warnings(last, history),
            "spent": trend.spent(last),
            "trend": [_day(item) for item in history if str(item["day"]) >= begin],
            "report": self._health_report(),
            "kept": None,
            **_NO_HINT,
        }

    def _health_age(self, at: str) -> float | None:
        try:
            return round(max(0.0, self.runtime.sync.clock.now() - datetime.fromisoformat(at).timestamp()), 1)
        except (ValueError, OverflowError):
            return None

    def _health_answered(self, chosen: Sequence[Mapping[str, Any]], today: str) -> set[str]:
        """Memories of these that were used since they came back: a use is an answer."""
        week, idents = digest.week_of(today), [str(row.get("id")) for row in chosen]
        uses = self.runtime.catalog.uses(idents)
        return {
            i for i, events in uses.items() if any(e.kind == "used" and digest.week_of(e.day) == week for e in events)
        }

    def _health_report(self) -> str | None:
        names = [name for name in self.runtime.store.memory_list("reports") if name.endswith(".md")]
        return f"{self.runtime.config.memory.folder}/reports/{names[-1]}" if names else None

    def _health_back(self, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """A memory that comes back, as it is now; None if it holds no more."""
        catalog, ident = self.runtime.catalog, str(row.get("id"))
        file = catalog.files_by_id([ident]).get(ident)
        standing = catalog.standings([ident]).get(ident, Standing())
        if file is None or not standing.there or standing.state not in ("active", "candidate"):
            return None
        try:
            text = self.runtime.store.read(file.path).text
        except (FileNotFoundError, VaultError):
            return None
        note = parse_note(file.path, text)
        claim, hook = claim_of(text, note.title), str(note.properties.get("description") or "")
        known = catalog.file(str(row.get("place"))) if row.get("place") else None
        place = known if known is not None and known.status == "indexed" else None
        idle = row["idle"] if isinstance(row.get("idle"), int) else 0
        said = (note.title, claim, hook, idle, None if place is None else place.title)
        return {
            "id": ident,
            "path": file.path,
            "title": note.title,
            "claim": claim,
            "hook": hook,
            "lang": language(text[:4000]),
            "private": note.private or (place is not None and place.private),
            "idle_days": idle,
            "question": digest.question(*said, "en"),
            "question_zh": digest.question(*said, "zh"),
            "answers": _answers(ident, file.path),
            "place": None if place is None else {"path": place.path, "title": place.title},
        }


def _review(item: Mapping[str, Any]) -> dict[str, Any]:
    """A question of the queue as the digest tells it, with the words that it is first of all about."""
    side = item["sides"][0] if item["sides"] else {}
    about = {"text": side.get("fact"), "note": side.get("note"), "line": side.get("line")}
    return {name: item[name] for name in ("id", "kind", "question", "since")} | about


def _answers(ident: str, path: str) -> list[dict[str, Any]]:
    """What a person may say to a memory that comes back, and the request that says it; to rewrite it is to open its file."""
    return [
        {"answer": "use", "label": "I can use it", "label_zh": "用得上", "post": "/v1/uses", "body": {"ids": [ident]}, "open": None},
        {"answer": "rewrite", "label": "Rewrite it", "label_zh": "改写", "post": None, "body": None, "open": path},
        {
            "answer": "retire", "label": "Let it go", "label_zh": "退役", "post": f"/v1/records/{ident}/archive", "body": {},
            "open": None,
        },
    ]  # fmt: skip


def _day(item: trend.Record) -> dict[str, Any]:
    return {
        "day": item["day"],
        "figures": {kind.name: trend.value(item, kind.name) for kind in trend.KINDS},
        "layers": trend.layers(item),
        "night": _night(item),
        "spent": trend.spent(item),
    }


def _figure(kind: trend.Kind, last: trend.Record, history: Sequence[trend.Record]) -> dict[str, Any]:
    row = last["figures"].get(kind.name)
    kept = row if isinstance(row, Mapping) else {}
    value = trend.value(last, kind.name)
    day = str(last["day"])
    return {
        "name": kind.name,
        "title": kind.en,
        "title_zh": kind.zh,
        "unit": kind.unit,
        "value": value,
        "k": kept.get("k"),
        "n": kept.get("n"),
        "why": None if value is not None else trend.why(last, kind.name, "en"),
        "why_zh": None if value is not None else trend.why(last, kind.name, "zh"),
        "last": _move(kind, last, trend.before(history, day)),
        "month": _move(kind, last, trend.before(history, day, 30)),
    }


def _move(kind: trend.Kind, last: trend.Record, earlier: trend.Record | None) -> dict[str, Any] | None:
    found, value = trend.change(last, earlier, kind.name), trend.value(earlier, kind.name)
    if found is None or value is None:
        return None
    verdict = "same" if not found.by else "neither" if found.good is None else "better" if found.good else "worse"
    return {"day": found.day, "value": value, "by": found.by, "verdict": verdict}


def _night(item: trend.Record | None) -> dict[str, Any] | None:
    night = item.get("night") if item is not None else None
    if not isinstance(night, Mapping):
        return None
    names = ("processed", "candidates", *trend.OUTCOMES)
    return {name: night[name] if isinstance(night.get(name), int) else 0 for name in names}


def _warnings(item: trend.Record, history: Sequence[trend.Record]) -> list[dict[str, str]]:
    return [
        {"code": code, "text": trend.WARNINGS[code]["en"], "text_zh": trend.WARNINGS[code]["zh"]}
        for code in trend.warnings(item, history)
    ]
