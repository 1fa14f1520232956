"""From a ranking to the items of an answer: facts first, passages where no fact is as good, quotes that are live.

What is shown is read from the note as it is now. An item whose quote the note no longer says is left out. What belongs together
and what fits the budget is settled by `units`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Vault
from ebbtide.memory.states import Lang
from ebbtide.parse.text import query_terms
from ebbtide.recall import compose
from ebbtide.recall.candidates import Channels, FactCandidate, NoteCandidate, Pool
from ebbtide.recall.packet import Draft, counting
from ebbtide.recall.rank import Evidence
from ebbtide.recall.ranking import Question, Ranking, Settings
from ebbtide.recall.sides import sides
from ebbtide.recall.units import Packet, Steps, Units, pack, told_beside
from ebbtide.recall.weighing import ended

WISHES = frozenset(["preference", "constraint"])
WISHED = 0.05
"""Relevance that a preference must have for a request."""
MOST_WISHES = 3
Found = FactCandidate | tuple[NoteCandidate, int | None]
"""A fact, or a note with the label of its passage to show (None: not known yet)."""


class Items:
    """Builds items over the ports. Safe from any thread; reads only."""

    def __init__(self, vault: Vault, channels: Channels, settings: Settings) -> None:
        self.vault, self.channels, self.settings = vault, channels, settings

    def choose(self, question: Question, ranking: Ranking, steps: Steps) -> Packet:
        """The items of an answer within its budget, and why there are none. `steps`: the causal chain, asked for if needed."""
        way, pool = ranking.route, ranking.pool
        by = counting(self.channels.embedder())
        if not way.text:
            return Packet([], compose.empty_reason(ranking.words, (), "empty"), True, by.by)
        weak = ranking.weak(self.settings)
        found = self._wishes(ranking) if weak else self._candidates(ranking)
        if weak and not found:
            why = "weak"
            if not pool.notes:
                why = "scope" if question.scope else "weak"
                if self.channels.catalog.counts()["notes"] == 0:
                    why = "index"
                elif way.filters:
                    why = "type"
            elif way.filters and not ranking.notes:
                why = "type"
            titles = [pool.notes[row].file.title for row in ranking.notes[:3]]
            return Packet([], compose.empty_reason(ranking.words, titles, why), True, by.by)
        units = Units(question, ranking, self.channels, self.settings)
        drafts = self._drafts(question, ranking, units, found)
        if not drafts:
            return Packet([], compose.empty_reason(ranking.words, (), "weak"), True, by.by)
        limits = self.settings.limits
        limits = replace(
            limits, tokens=question.budget or limits.tokens, items=min(question.limit or limits.items, 100)
        )
        return pack(drafts, units.requires(drafts), steps, limits, by, self.channels, ranking.words)

    def _drafts(
        self, question: Question, ranking: Ranking, units: Units, found: Sequence[tuple[float, Found]]
    ) -> list[Draft]:
        """The best candidates, with all that may not be missing beside them."""
        whole = units.completed(what.record["id"] for _, what in found if isinstance(what, FactCandidate))
        texts: dict[str, str | None] = {}
        drafts = [self._fact(ranking, whole[ident], ranking.pool.facts[ident], texts) for ident in whole]
        for score, what in found:
            if not isinstance(what, FactCandidate):
                drafts.append(self._passage(question, ranking, score, *what, texts))
        return [draft for draft in drafts if draft is not None]

    def _candidates(self, ranking: Ranking) -> list[tuple[float, Found]]:
        """Facts first: a passage is offered where its note has no fact nearly as good."""
        out: list[tuple[float, Found]] = []
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
            told = self._told(row, ranking)
            good = relevant >= self.settings.abstain_below
            label = None
            if ranking.route.why or (good and (told is not None or best_fact.get(row, 0.0) < 0.9 * score)):
                label = _telling(note, ranking.pool, words)
            if ranking.route.why and label is not None and compose.gives_reason(ranking.pool.passages[label].text):
                score += self.settings.weights.why_boost
                relevant += self.settings.weights.why_boost
            if told is not None and relevant >= self.settings.abstain_below:
                out.append((score + self.settings.weights.told_boost, (note, told)))
                if told == label:
                    continue
            if relevant >= self.settings.abstain_below and best_fact.get(row, 0.0) < 0.9 * score:
                out.append((score, (note, label)))
        return sorted(out, key=lambda item: -item[0])[:16]

    def _wishes(self, ranking: Ranking) -> list[tuple[float, Found]]:
        """Of a request that nothing in the vault answers: the few preferences that come nearest to it.

        "I avoid seafood" shares neither word nor subject with a question for a restaurant, and bears on it all the same.
        """
        if not ranking.route.request:
            return []
        out: list[tuple[float, Found]] = []
        met: set[int] = set()
        for ident, score in sorted(ranking.fact_scores.items(), key=lambda item: (-item[1], item[0])):
            fact = ranking.pool.facts[ident]
            if fact.record["type"] in WISHES and ranking.weighed.facts[ident].R >= WISHED:
                out.append((score, fact))
                met.add(fact.file.row)
        words = frozenset(query_terms(ranking.route.text).words)
        for row in ranking.notes:
            note = ranking.pool.notes[row]
            wished = note.file.type in WISHES and row not in met and row not in ranking.held.put_away
            if wished and ranking.weighed.notes[row].R >= WISHED:
                out.append((ranking.note_scores[row], (note, _telling(note, ranking.pool, words))))
        return sorted(out, key=lambda item: -item[0])[:MOST_WISHES]

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

    def _text(self, path: str, texts: dict[str, str | None]) -> str | None:
        if path not in texts:
            try:
                texts[path] = self.vault.read(path).text
            except (OSError, VaultError):
                texts[path] = None
        return texts[path]

    def _fact(self, ranking: Ranking, score: float, fact: FactCandidate, texts: dict[str, str | None]) -> Draft | None:
        record = fact.record
        text = self._text(record["source"], texts)
        place = None if text is None else compose.locate(text, record["quote"], record["line"])
        if text is None or place is None:
            return None
        offset, line = place
        standing = ranking.held.of(record["id"])
        against = [ident for ident in standing.disputes if ident in ranking.pool.facts]
        over = ended(fact.file, ranking.weighed.today)
        item = {
            "id": record["id"],
            "kind": "fact",
            "layer": compose.layer_of("fact", record["type"]),
            "note": record["source"],
            "line": line,
            "column": compose.column_of(text, offset),
            "quote": record["quote"],
            "heading": record.get("heading"),
            "type": record["type"],
            "state": standing.state,
            "disputed_with": against,
            "against": sides(self.channels, against, lambda path: self._text(path, texts)),
            "superseded_by": standing.superseded_by,
            "frame": "historical" if over else record.get("frame") or "current",
            "temperature": compose.temperature(ranking.weighed.facts[record["id"]]),
            "score": round(score, 4),
            "why": [
                *_reasons(ranking, fact.evidence, fact.file.lang, record["type"]),
                *compose.standing_reasons(standing, against, ranking.words),
                *([compose.ended_reason(*over, ranking.words)] if over else []),
            ],
            "parts": compose.parts(fact.evidence, ranking.weighed.facts[record["id"]]),
            "as_of": record.get("created_at") or fact.file.date,
            "lead": record.get("confidence", 1.0) < compose.LEAD_BELOW,
        }
        return Draft(
            item,
            "facts",
            fact.label,
            _lang(fact.file.lang),
            text=record["fact"],
            short=min(record["fact"], record["quote"], key=len),
            trigger=record.get("trigger"),
            action=record.get("action"),
            marks=[("", compose.mark(over[0], _lang(fact.file.lang)))] if over else [],
        )

    def _passage(
        self,
        question: Question,
        ranking: Ranking,
        score: float,
        note: NoteCandidate,
        label: int | None,
        texts: dict[str, str | None],
    ) -> Draft | None:
        way, file, lang = ranking.route, note.file, ranking.words
        text = self._text(file.path, texts)
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
        marks, against = told_beside(self.channels, file.row, shown, way.lang, question.as_of, question.include)
        overtaken = [after for said, after in ranking.held.overtaken.get(file.row, ()) if said in passage.text]
        over = ended(file, ranking.weighed.today)
        if over:
            marks = [*marks, ("", compose.mark(over[0], _lang(passage.lang)))]
        type_ = file.type or "note"
        kind, layer = compose.of_memory(file.kind, file.path, file.type)
        item = {
            "id": passage.id,
            "kind": kind,
            "layer": layer,
            "note": file.path,
            "line": line,
            "column": compose.column_of(text, offset),
            "quote": quote,
            "heading": passage.headings or None,
            "type": type_,
            "state": "stale" if overtaken else "active",
            "disputed_with": against,
            "against": sides(self.channels, against, lambda path: self._text(path, texts)),
            "superseded_by": overtaken[0] or None if overtaken else None,
            "frame": "historical" if over else None,
            "temperature": compose.temperature(ranking.weighed.notes[file.row]),
            "score": round(score, 4),
            "why": [
                *_reasons(ranking, note.evidence, passage.lang, type_, note.via),
                *([compose.dispute_reason(lang)] if against else []),
                *([compose.overtaken_reason(lang)] if overtaken else []),
                *([compose.ended_reason(*over, lang)] if over else []),
            ],
            "parts": compose.parts(note.evidence, ranking.weighed.notes[file.row]),
            "as_of": file.date,
            "lead": False,
        }
        return Draft(item, "passages", passage.row, _lang(passage.lang), text=shown, short=quote, marks=marks)

    def _by_words(self, note: NoteCandidate, words: frozenset[str]) -> Any:
        """Without vectors: the passage of a note that holds most of the question's words."""
        passages = self.channels.catalog.passages_of(note.file.row)[:60]
        return max(passages, key=lambda p: (compose.held(p.text, words), -p.ordinal), default=None)


def _reasons(ranking: Ranking, evidence: Evidence, lang: str, type_: str, via: str | None = None) -> list[str]:
    """Why an item in this language is here; see compose.reasons."""
    way = ranking.route
    crossed = lang != way.lang
    return compose.reasons(
        evidence, ranking.words, crossed=crossed, via=via, wanted=way.type, type_=type_, of_note=ranking.of_note
    )


def _telling(note: NoteCandidate, pool: Pool, words: frozenset[str]) -> int | None:
    """The passage of a note to show: of the five nearest in meaning the one that also holds most of the question's words."""
    nearest = sorted(note.best, key=lambda label: (-note.best[label], label))[:5]
    whole = sum(map(len, words)) or 1
    return max(
        nearest,
        key=lambda x: (note.best[x] + 0.5 * compose.held(pool.passages[x].text, words) / whole, -x),
        default=None,
    )


def _lang(stored: str) -> Lang:
    return "zh" if stored == "zh" else "en"
