"""A question's way: route, candidates, rank, budget, compose, each timed, each able to say what it left out.

The parts of the score that need use and age (freshness, importance, temperature, reward) join in `_score`; until then a
score is relevance alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Vault
from ebbtide.memory.states import Lang, Layer
from ebbtide.parse.frames import query_frame
from ebbtide.parse.text import query_terms, tokenize
from ebbtide.recall import compose
from ebbtide.recall.budget import Limits, Priced, choose
from ebbtide.recall.candidates import (
    Channels,
    Edges,
    FactCandidate,
    NoteCandidate,
    Pool,
    add_neighbours,
    folder,
    gather,
)
from ebbtide.recall.rank import Weights, relevance
from ebbtide.recall.route import Route, route

NOTES_RANKED = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `as_of` is a day (YYYY-MM-DD): notes and facts dated later are hidden, undated ones stay."""

    query: str
    type: str | None = None
    layer: Layer | None = None
    scope: str | None = None
    as_of: str | None = None
    budget: int | None = None
    limit: int | None = None
    include: tuple[str, ...] = ()
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """The constants of recall; config section `recall`."""

    weights: Weights = field(default_factory=Weights)
    limits: Limits = field(default_factory=Limits)
    edges: Edges = field(default_factory=Edges)
    abstain_below: float = 0.2
    fact_share: float = 0.95
    """A note is at least this share as relevant as its best fact."""
    graph_parents: int = 5
    seconds: float = 0.3


@dataclass(slots=True)
class Ranking:
    """Notes and facts in order, before the budget. Scores by file row and fact id."""

    route: Route
    pool: Pool
    notes: list[int]
    note_scores: dict[int, float]
    fact_scores: dict[str, float]
    hidden_later: int = 0


class Engine:
    """Recall over the ports. Safe from any thread; reads only."""

    def __init__(self, vault: Vault, channels: Channels, settings: Settings) -> None:
        self.vault, self.channels, self.settings = vault, channels, settings

    def recall(self, question: Question, *, hurry: bool = True) -> dict[str, Any]:
        """The response of formats.md 6. Without `hurry` no step is left out for time (exams must be repeatable)."""
        started = time.perf_counter()
        ranking = self.rank(question, started + self.settings.seconds if hurry else None)
        mark = time.perf_counter()
        items, reason, abstained = self._items(question, ranking)
        ms = {**ranking.pool.ms, "compose": (time.perf_counter() - mark) * 1000}
        ms["total"] = (time.perf_counter() - started) * 1000
        skipped = [{"step": step, "why": why} for step, why in ranking.pool.skipped]
        if ranking.route.cut:
            skipped.append({"step": "query", "why": "only the first 2,048 characters were looked at"})
        budget = question.budget or self.settings.limits.tokens
        return {
            "items": items,
            "notes": [ranking.pool.notes[row].file.path for row in ranking.notes],
            "route": {"type": ranking.route.type, "layer": ranking.route.layer, "explicit": ranking.route.explicit},
            "frame": query_frame(ranking.route.text),
            "budget": budget,
            "tokens": sum(item["tokens"] for item in items),
            "ms": {step: round(value, 2) for step, value in ms.items()},
            "skipped": skipped,
            "hidden": {"later": ranking.hidden_later} if ranking.hidden_later else {},
            "abstained": abstained,
            "empty_reason": reason,
        }

    # --- ranking --------------------------------------------------------------------------------------------------------

    def rank(self, question: Question, deadline: float | None = None) -> Ranking:
        """Notes and facts by score. The exam calls this without a deadline, so that the same question ranks the same."""
        way = route(question.query, question.type, question.layer)
        if not way.text:
            return Ranking(way, Pool(), [], {}, {})
        pool = gather(way, self.channels, question.scope, self.settings.weights, deadline)
        later = self._hide_later(pool, question.as_of)
        fact_scores = {ident: self._score(way, fact, pool) for ident, fact in pool.facts.items()}
        note_scores = {row: self._score(way, note, pool) for row, note in pool.notes.items()}
        for ident, fact in pool.facts.items():
            if fact.file.row in note_scores:
                lifted = self.settings.fact_share * fact_scores[ident]
                note_scores[fact.file.row] = max(note_scores[fact.file.row], lifted)
        self._graph(way, question, pool, note_scores, deadline)
        self._weigh_type(way, pool, note_scores, fact_scores)
        order = sorted(note_scores, key=lambda row: (-round(note_scores[row], 9), pool.notes[row].file.path))
        return Ranking(way, pool, order[:NOTES_RANKED], note_scores, fact_scores, later)

    def _score(self, way: Route, found: NoteCandidate | FactCandidate, pool: Pool) -> float:
        lang = found.file.lang
        if isinstance(found, NoteCandidate) and found.best:
            lang = pool.passages[max(found.best, key=lambda label: (found.best[label], -label))].lang
        return relevance(found.evidence, lang == way.lang, self.settings.weights, not pool.vector_used)

    def _graph(
        self, way: Route, question: Question, pool: Pool, scores: dict[int, float], deadline: float | None
    ) -> None:
        if deadline is not None and time.perf_counter() > deadline:
            pool.skipped.append(("graph", "the time limit was reached"))
            return
        best = sorted(scores, key=lambda row: (-scores[row], pool.notes[row].file.path))[: self.settings.graph_parents]
        before = set(pool.notes)
        parents = [(row, scores[row]) for row in best if scores[row] >= self.settings.abstain_below]
        if parents:
            add_neighbours(pool, self.channels, parents, folder(question.scope), self.settings.edges)
        self._hide_later(pool, question.as_of)
        for row in pool.notes.keys() - before:
            scores[row] = self._score(way, pool.notes[row], pool)

    def _hide_later(self, pool: Pool, as_of: str | None) -> int:
        if as_of is None:
            return 0
        later = [row for row, note in pool.notes.items() if _after(note.file.date, as_of)]
        for row in later:
            del pool.notes[row]
        facts = [
            i
            for i, f in pool.facts.items()
            if _after(f.record.get("created_at"), as_of)
            or (f.file.row not in pool.notes and _after(f.file.date, as_of))
        ]
        for ident in facts:
            del pool.facts[ident]
        return len(later)

    def _weigh_type(self, way: Route, pool: Pool, notes: dict[int, float], facts: dict[str, float]) -> None:
        """The type asked for filters; a guessed one only weighs, so that a wrong guess never loses the note."""
        if way.why:
            for ident in facts:
                if pool.facts[ident].record.get("why"):
                    facts[ident] += self.settings.weights.why_boost
        if way.type is None and way.layer is None:
            return
        for ident in list(facts):
            record = pool.facts[ident].record
            fits = record["type"] == way.type if way.type else compose.layer_of("fact", record["type"]) == way.layer
            if fits and not way.explicit:
                facts[ident] += self.settings.weights.type_boost
            elif not fits and way.explicit:
                del facts[ident]
        if way.explicit:
            kept = {pool.facts[ident].file.row for ident in facts}
            for row in list(notes):
                file = pool.notes[row].file
                fits = file.type == way.type if way.type else compose.layer_of("note", file.type) == way.layer
                if not fits and row not in kept:
                    del notes[row]

    # --- items ------------------------------------------------------------------------------------------------------------

    def _items(self, question: Question, ranking: Ranking) -> tuple[list[dict[str, Any]], str | None, bool]:
        way, pool = ranking.route, ranking.pool
        if not way.text:
            return [], compose.empty_reason(way.lang, (), "empty"), True
        best = max([*ranking.note_scores.values(), *ranking.fact_scores.values()], default=0.0)
        if best < self.settings.abstain_below:
            why = "weak"
            if not pool.notes:
                why = "scope" if question.scope else "weak"
                if self.channels.catalog.counts()["notes"] == 0:
                    why = "index"
                elif way.explicit:
                    why = "type"
            titles = [pool.notes[row].file.title for row in ranking.notes[:3]]
            return [], compose.empty_reason(way.lang, titles, why), True
        found = self._candidates(ranking)
        texts: dict[str, str | None] = {}
        built = [item for item in (self._compose(way, ranking, c, texts) for c in found) if item is not None]
        limits = self.settings.limits
        limits = Limits(
            question.budget or limits.tokens,
            min(question.limit or limits.items, 100),
            limits.note_share,
            limits.floor_share,
            limits.mode,
        )
        priced = [
            Priced(
                i,
                item["score"],
                item["tokens"],
                item["note"],
                item["line"],
                item["line"] + item["text"].count("\n"),
                item["quote"],
            )
            for i, item in enumerate(built)
        ]
        items = [built[i] for i in choose(priced, limits)]
        if items and items[0]["tokens"] > limits.tokens:
            items[0]["text"] = items[0]["quote"]
            items[0]["tokens"] = min(limits.tokens, compose.cost(items[0]["quote"], items[0]["note"]))
        reason = None if items else compose.empty_reason(way.lang, (), "weak")
        return items, reason, not items

    def _candidates(self, ranking: Ranking) -> list[tuple[float, FactCandidate | tuple[NoteCandidate, int | None]]]:
        """Facts first: a passage is offered where its note has no fact nearly as good."""
        out: list[tuple[float, FactCandidate | tuple[NoteCandidate, int | None]]] = []
        best_fact: dict[int, float] = {}
        facts = sorted(ranking.fact_scores.items(), key=lambda item: (-item[1], item[0]))[:24]
        for ident, score in facts:
            fact = ranking.pool.facts[ident]
            if score >= self.settings.abstain_below:
                out.append((score, fact))
                best_fact[fact.file.row] = max(best_fact.get(fact.file.row, 0.0), score)
        words = frozenset(query_terms(ranking.route.text).words)
        for row in ranking.notes[:12]:
            score = ranking.note_scores[row]
            note = ranking.pool.notes[row]
            label = _telling(note, ranking.pool, words)
            if ranking.route.why and label is not None and compose.gives_reason(ranking.pool.passages[label].text):
                score += self.settings.weights.why_boost
            if score >= self.settings.abstain_below and best_fact.get(row, 0.0) < 0.9 * score:
                out.append((score, (note, label)))
        return sorted(out, key=lambda item: -item[0])[:16]

    def _compose(
        self,
        way: Route,
        ranking: Ranking,
        candidate: tuple[float, FactCandidate | tuple[NoteCandidate, int | None]],
        texts: dict[str, str | None],
    ) -> dict[str, Any] | None:
        score, what = candidate
        if isinstance(what, FactCandidate):
            return self._fact_item(way, score, what, texts)
        return self._passage_item(way, ranking, score, *what, texts)

    def _text(self, path: str, texts: dict[str, str | None]) -> str | None:
        if path not in texts:
            try:
                texts[path] = self.vault.read(path).text
            except (OSError, VaultError):
                texts[path] = None
        return texts[path]

    def _fact_item(
        self, way: Route, score: float, fact: FactCandidate, texts: dict[str, str | None]
    ) -> dict[str, Any] | None:
        record: Mapping[str, Any] = fact.record
        text = self._text(record["source"], texts)
        place = None if text is None else compose.locate(text, record["quote"], record["line"])
        if text is None or place is None:
            return None
        offset, line = place
        as_of = record.get("created_at") or fact.file.date
        crossed = fact.file.lang != way.lang
        return {
            "id": record["id"],
            "kind": "fact",
            "layer": compose.layer_of("fact", record["type"]),
            "text": record["fact"],
            "inject": compose.inject(
                record.get("trigger"),
                record.get("action"),
                record["fact"],
                record["source"],
                line,
                as_of,
                _lang(fact.file.lang),
            ),
            "note": record["source"],
            "line": line,
            "column": compose.column_of(text, offset),
            "quote": record["quote"],
            "heading": record.get("heading"),
            "type": record["type"],
            "state": "active",
            "temperature": None,
            "score": round(score, 4),
            "why": compose.reasons(
                fact.evidence, way.lang, crossed=crossed, via=None, wanted=way.type, type_=record["type"]
            ),
            "parts": compose.parts(fact.evidence, score),
            "chain": [],
            "as_of": as_of,
            "tokens": compose.cost(record["fact"], record["source"]),
            "lead": record.get("confidence", 1.0) < compose.LEAD_BELOW,
        }

    def _passage_item(
        self,
        way: Route,
        ranking: Ranking,
        score: float,
        note: NoteCandidate,
        label: int | None,
        texts: dict[str, str | None],
    ) -> dict[str, Any] | None:
        text = self._text(note.file.path, texts)
        words = frozenset(query_terms(way.text).words)
        passage = ranking.pool.passages.get(label) if label is not None else None
        if passage is None:
            passage = self._by_words(note, words)
        if text is None or passage is None:
            return None
        start, end = compose.best_sentence(passage.text, words)
        quote = passage.text[start:end].strip()
        place = compose.locate(text, quote, passage.line + passage.text.count("\n", 0, start))
        if place is None or not quote:
            return None
        offset, line = place
        shown = compose.shown(passage.text)
        type_ = note.file.type or "note"
        return {
            "id": passage.id,
            "kind": "passage",
            "layer": compose.layer_of("passage", note.file.type),
            "text": shown,
            "inject": compose.inject(None, None, shown, note.file.path, line, note.file.date, _lang(passage.lang)),
            "note": note.file.path,
            "line": line,
            "column": compose.column_of(text, offset),
            "quote": quote,
            "heading": passage.headings or None,
            "type": type_,
            "state": "active",
            "temperature": None,
            "score": round(score, 4),
            "why": compose.reasons(
                note.evidence, way.lang, crossed=passage.lang != way.lang, via=note.via, wanted=way.type, type_=type_
            ),
            "parts": compose.parts(note.evidence, score),
            "chain": [],
            "as_of": note.file.date,
            "tokens": compose.cost(shown, note.file.path),
            "lead": False,
        }

    def _by_words(self, note: NoteCandidate, words: frozenset[str]) -> Any:
        """Without vectors: the passage of a note that holds most of the question's words."""
        passages = self.channels.catalog.passages_of(note.file.row)[:60]
        return max(passages, key=lambda p: (_held(p.text, words), -p.ordinal), default=None)


def _telling(note: NoteCandidate, pool: Pool, words: frozenset[str]) -> int | None:
    """The passage of a note to show: of the five nearest in meaning the one that also holds most of the question's words."""
    nearest = sorted(note.best, key=lambda label: (-note.best[label], label))[:5]
    whole = sum(map(len, words)) or 1
    return max(
        nearest, key=lambda x: (note.best[x] + 0.5 * _held(pool.passages[x].text, words) / whole, -x), default=None
    )


def _held(text: str, words: frozenset[str]) -> int:
    return sum(len(word) for word in {token.text for token in tokenize(text)} & words)


def _lang(stored: str) -> Lang:
    return "zh" if stored == "zh" else "en"


def _after(date: str | None, as_of: str) -> bool:
    """True if a date (day, month or year precision) lies wholly after a day."""
    return date is not None and date[:10] > as_of[: len(date[:10])]


def scores_of(ranking: Ranking, paths: Sequence[str]) -> dict[str, float]:
    """Scores of the ranked notes by path, for explanations."""
    wanted = set(paths)
    return {
        ranking.pool.notes[row].file.path: score
        for row, score in ranking.note_scores.items()
        if row in ranking.pool.notes and ranking.pool.notes[row].file.path in wanted
    }
