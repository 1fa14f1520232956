"""From a ranking to the items of an answer: facts first, passages where no fact is as good, quotes that are live, a budget.

What is shown is read from the note as it is now. An item whose quote the note no longer says is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Vault
from ebbtide.memory.states import Lang
from ebbtide.parse.text import query_terms, tokenize
from ebbtide.recall import compose
from ebbtide.recall.budget import Limits, Priced, choose
from ebbtide.recall.candidates import Channels, FactCandidate, NoteCandidate, Pool
from ebbtide.recall.ranking import Question, Ranking, Settings
from ebbtide.recall.route import Route


class Items:
    """Builds items over the ports. Safe from any thread; reads only."""

    def __init__(self, vault: Vault, channels: Channels, settings: Settings) -> None:
        self.vault, self.channels, self.settings = vault, channels, settings

    def choose(self, question: Question, ranking: Ranking) -> tuple[list[dict[str, Any]], str | None, bool]:
        """The items of an answer, why there are none (else None), and whether recall abstains."""
        way, pool = ranking.route, ranking.pool
        if not way.text:
            return [], compose.empty_reason(way.lang, (), "empty"), True
        if ranking.weighed.best < self.settings.abstain_below:
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
            if self.settings.abstain_below <= ranking.weighed.facts[ident].R:
                out.append((score, fact))
                best_fact[fact.file.row] = max(best_fact.get(fact.file.row, 0.0), score)
        words = frozenset(query_terms(ranking.route.text).words)
        for row in ranking.notes[:12]:
            if row in ranking.held.put_away:
                continue
            score = ranking.note_scores[row]
            relevant = ranking.weighed.notes[row].R
            note = ranking.pool.notes[row]
            label = _telling(note, ranking.pool, words)
            if ranking.route.why and label is not None and compose.gives_reason(ranking.pool.passages[label].text):
                score += self.settings.weights.why_boost
                relevant += self.settings.weights.why_boost
            told = self._told(row, ranking)
            if told is not None and relevant >= self.settings.abstain_below:
                out.append((score + self.settings.weights.told_boost, (note, told)))
                if told == label:
                    continue
            if relevant >= self.settings.abstain_below and best_fact.get(row, 0.0) < 0.9 * score:
                out.append((score, (note, label)))
        return sorted(out, key=lambda item: -item[0])[:16]

    def _told(self, row: int, ranking: Ranking) -> int | None:
        """The passage of a failed episode that says why it failed, or what was learned: the first of them."""
        lines = ranking.pool.told.get(row)
        if not lines:
            return None
        for passage in self.channels.catalog.passages_of(row):
            last = passage.line + passage.text.count("\n")
            if any(passage.line <= first <= last for first, _ in lines):
                ranking.pool.passages[passage.row] = passage
                return passage.row
        return None

    def _compose(
        self,
        way: Route,
        ranking: Ranking,
        candidate: tuple[float, FactCandidate | tuple[NoteCandidate, int | None]],
        texts: dict[str, str | None],
    ) -> dict[str, Any] | None:
        score, what = candidate
        if isinstance(what, FactCandidate):
            return self._fact_item(way, ranking, score, what, texts)
        return self._passage_item(way, ranking, score, *what, texts)

    def _text(self, path: str, texts: dict[str, str | None]) -> str | None:
        if path not in texts:
            try:
                texts[path] = self.vault.read(path).text
            except (OSError, VaultError):
                texts[path] = None
        return texts[path]

    def _fact_item(
        self, way: Route, ranking: Ranking, score: float, fact: FactCandidate, texts: dict[str, str | None]
    ) -> dict[str, Any] | None:
        record: Mapping[str, Any] = fact.record
        text = self._text(record["source"], texts)
        place = None if text is None else compose.locate(text, record["quote"], record["line"])
        if text is None or place is None:
            return None
        offset, line = place
        as_of = record.get("created_at") or fact.file.date
        standing = ranking.held.of(record["id"])
        against = [ident for ident in standing.disputes if ident in ranking.pool.facts]
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
            "state": standing.state,
            "disputed_with": against,
            "superseded_by": standing.superseded_by,
            "temperature": compose.temperature(ranking.weighed.facts[record["id"]]),
            "score": round(score, 4),
            "why": [
                *compose.reasons(
                    fact.evidence, way.lang, crossed=crossed, via=None, wanted=way.type, type_=record["type"]
                ),
                *compose.standing_reasons(standing, against, way.lang),
            ],
            "parts": compose.parts(fact.evidence, ranking.weighed.facts[record["id"]]),
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
        overtaken = [after for said, after in ranking.held.overtaken.get(note.file.row, ()) if said in passage.text]
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
            "state": "stale" if overtaken else "active",
            "disputed_with": [],
            "superseded_by": overtaken[0] or None if overtaken else None,
            "temperature": compose.temperature(ranking.weighed.notes[note.file.row]),
            "score": round(score, 4),
            "why": [
                *compose.reasons(
                    note.evidence,
                    way.lang,
                    crossed=passage.lang != way.lang,
                    via=note.via,
                    wanted=way.type,
                    type_=type_,
                ),
                *([compose.overtaken_reason(way.lang)] if overtaken else []),
            ],
            "parts": compose.parts(note.evidence, ranking.weighed.notes[note.file.row]),
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
