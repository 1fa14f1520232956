"""Notes and facts in order for a question, before the budget: candidates, relevance, one hop of links, filters, score.

Relevance decides what is looked at (parents of neighbours, thresholds of abstaining); the score, which weighs it by freshness,
importance, warmth and use (`weighing`), decides the order.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ebbtide.memory.heat import Event
from ebbtide.memory.states import Lang, Layer
from ebbtide.parse.fates import asked_fates, from_code
from ebbtide.recall import compose
from ebbtide.recall.budget import Limits
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
from ebbtide.recall.holding import Holding, behind, heed, heed_notes
from ebbtide.recall.named import further, lift_exact, lift_timely, other_language
from ebbtide.recall.note_types import note_type, wanted_type
from ebbtide.recall.rank import Weights, relevance
from ebbtide.recall.route import Route, route
from ebbtide.recall.score import Scoring
from ebbtide.recall.weighing import Weighed, day_before, day_of, weigh
from ebbtide.recall.why import Direction, Walking

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
    uses: Mapping[str, Sequence[Event]] | None = None
    """Uses by id instead of those of the catalogue: an exam credits them for one question only."""
    lang: Lang | None = None
    """The language of reasons; None: that of the question."""
    without: frozenset[int] = frozenset()
    """File rows that are no results, such as the note that the question is made of. What they link to is found all the same,
    and their facts come where one disputes a result."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The constants of recall; config section `recall`."""

    weights: Weights = field(default_factory=Weights)
    limits: Limits = field(default_factory=Limits)
    edges: Edges = field(default_factory=Edges)
    abstain_below: float = 0.2
    certain: float = 0.28
    """With vectors: the certainty under which nothing is offered."""
    sure: float = 0.29
    """The certainty from which a sentence is given as an answer: recall offers, an answer claims."""
    fact_share: float = 0.95
    """A note is at least this share as relevant as its best fact."""
    graph_parents: int = 5
    recent_days: int = 14
    """Days for which a confirmed use makes a memory a candidate for any question; its score is that of every other."""
    scoring: Scoring = field(default_factory=Scoring)
    walking: Walking = field(default_factory=Walking)
    walking_starts: int = 5
    """Notes a chain may start from."""
    start_even: float = 0.7
    start_share: float = 0.6
    """A chain may start at a note this share as relevant as the best; or this one, if it is better in meaning or in words."""
    route: str = "weigh"
    """weigh or filter: what a type does that was guessed from the question."""
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
    held: Holding = field(default_factory=Holding)
    weighed: Weighed = field(default_factory=Weighed)
    """What each score is made of."""
    words: Lang = "en"
    """The language in which reasons are given."""
    of_note: bool = False
    """A note was looked at: nobody asked a question."""

    @property
    def certainty(self) -> float:
        """How surely something found bears on the question: the best relevance, with vectors its mean with the best closeness.

        Relevance alone cannot tell: a few common words give an unrelated text as much of it as a translation has. What is
        said in a vault is near to the question in meaning too.
        """
        if self.pool.vector is None:
            return self.weighed.best
        close = (note.evidence.closeness or 0.0 for note in self.pool.notes.values())
        return (self.weighed.best + max(close, default=0.0)) / 2

    def weak(self, settings: Settings) -> bool:
        """True if nothing found is good enough to offer. A question about a day is met by the note of that day."""
        if self.weighed.best < settings.abstain_below:
            return True
        return not self.pool.timely and self.pool.vector is not None and self.certainty < settings.certain


class Ranker:
    """Ranks over the ports. Safe from any thread; reads only."""

    def __init__(self, channels: Channels, settings: Settings) -> None:
        self.channels, self.settings = channels, settings

    def rank(self, question: Question, deadline: float | None = None) -> Ranking:
        """Notes and facts by score. The exam calls this without a deadline, so that the same question ranks the same."""
        weights, today = self.settings.weights, question.as_of or day_of(time.time())
        way = route(question.query, question.type, question.layer, today, self.settings.route == "filter")
        if not way.text:
            return Ranking(way, Pool(), [], {}, {}, words=question.lang or way.lang)
        since = day_before(today, self.settings.recent_days) if question.uses is None else None
        pool = gather(way, self.channels, question.scope, weights, deadline, since)
        later = self._hide_later(pool, question.as_of)
        held = heed(pool, self.channels, way.text, way.frame == "historical", question.include, question.as_of)
        self._hide_later(pool, question.as_of)  # a successor or the other side of a dispute may be later too
        found = set(pool.notes)
        fact_scores = {ident: self._score(way, fact, pool) for ident, fact in pool.facts.items()}
        note_scores = {row: self._score(way, note, pool) for row, note in pool.notes.items()}
        for ident, fact in pool.facts.items():
            if fact.file.row in note_scores:
                lifted = self.settings.fact_share * fact_scores[ident]
                note_scores[fact.file.row] = max(note_scores[fact.file.row], lifted)
        lift_exact(way, pool, self.channels, question.scope, weights, note_scores, fact_scores)
        self._graph(way, question, pool, note_scores, deadline)
        heed_notes(pool, self.channels, held, sorted(pool.notes.keys() - found))
        _leave_out(question.without, pool, note_scores, fact_scores)
        self._weigh_type(way, pool, note_scores, fact_scores)
        dated = lift_timely(way.periods, pool, self.channels, weights, note_scores, fact_scores)
        weighed = self._weighed(question, way, pool, held, note_scores, fact_scores)
        note_scores = {row: parts.S for row, parts in weighed.notes.items()}
        fact_scores = {ident: parts.S for ident, parts in weighed.facts.items()}
        order = sorted(note_scores, key=lambda row: (-round(note_scores[row], 9), pool.notes[row].file.path))
        order = further(order, pool, note_scores, weights)
        order = other_language(way, pool, order, note_scores, weights, held.put_away, dated)
        ranked = behind(order, held.put_away)[:NOTES_RANKED]
        said = question.lang or way.lang
        return Ranking(way, pool, ranked, note_scores, fact_scores, later, held, weighed, said, bool(question.without))

    def _weighed(
        self,
        question: Question,
        way: Route,
        pool: Pool,
        held: Holding,
        notes: Mapping[int, float],
        facts: Mapping[str, float],
    ) -> Weighed:
        """The scores of what is relevant."""
        scoring = self.settings.scoring
        return weigh(way, pool, held, self.channels, scoring, (notes, facts), as_of=question.as_of, uses=question.uses)

    def _score(self, way: Route, found: NoteCandidate | FactCandidate, pool: Pool) -> float:
        lang = found.file.lang
        label = found.nearest if isinstance(found, NoteCandidate) else None
        if label is not None:
            lang = pool.passages[label].lang
        return relevance(found.evidence, lang == way.lang, self.settings.weights, pool.vector is None)

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
            direction: Direction | None = "forward" if way.onward else "back" if way.why else None
            add_neighbours(pool, self.channels, parents, folder(question.scope), self.settings.edges, direction)
        self._hide_later(pool, question.as_of)
        for row, note in pool.notes.items():
            if row not in before:
                scores[row] = self._score(way, note, pool)
            elif note.evidence.graph > 0:
                scores[row] = max(
                    scores[row], self._score(way, note, pool)
                )  # a note that its facts lifted stays lifted

    def _hide_later(self, pool: Pool, as_of: str | None) -> int:
        if as_of is None:
            return 0
        later = [row for row, note in pool.notes.items() if after(note.file.date, as_of)]
        for row in later:
            del pool.notes[row]
        facts = [
            i
            for i, f in pool.facts.items()
            if after(f.record.get("created_at"), as_of) or (f.file.row not in pool.notes and after(f.file.date, as_of))
        ]
        for ident in facts:
            del pool.facts[ident]
        return len(later)

    def _weigh_failures(self, pool: Pool, notes: dict[int, float], facts: dict[str, float]) -> None:
        """Lift the episodes that went wrong, and of their facts those that say why or what to do next time."""
        weights = self.settings.weights
        pool.told = self.channels.catalog.failed_episodes(list(notes))
        for row in pool.told:
            notes[row] += weights.failure_boost
        for ident in facts:
            fact = pool.facts[ident]
            lines = pool.told.get(fact.file.row)
            if lines is not None:
                told = any(first <= fact.record["line"] <= last for first, last in lines)
                facts[ident] += weights.failure_boost + (weights.told_boost if told else 0.0)

    def _weigh_fates(self, way: Route, pool: Pool, notes: dict[int, float], facts: dict[str, float]) -> None:
        """Lift the plans that ended as the question asks: what was dropped, turned down or finished."""
        asked = asked_fates(way.text)
        if not asked:
            return
        gain = 1.0 + self.settings.weights.fate_gain
        for row in notes:
            found = from_code(pool.notes[row].file.fate)
            notes[row] *= gain if found is not None and found.fate in asked else 1.0
        for ident in facts:
            found = from_code(pool.facts[ident].file.fate)
            facts[ident] *= gain if found is not None and found.fate in asked else 1.0

    def _weigh_type(self, way: Route, pool: Pool, notes: dict[int, float], facts: dict[str, float]) -> None:
        """The type asked for filters; a guessed one only weighs, so that a wrong guess never loses the note."""
        if way.failure:
            self._weigh_failures(pool, notes, facts)
        self._weigh_fates(way, pool, notes, facts)
        if way.why:
            for ident in facts:
                if pool.facts[ident].record.get("why"):
                    facts[ident] += self.settings.weights.why_boost
        wanted = None if way.filters else wanted_type(way.text, way.type)
        if wanted is not None:
            gain = 1.0 + self.settings.weights.type_note
            for row in notes:
                notes[row] *= gain if note_type(pool.notes[row].file.type) == wanted else 1.0
            for ident in facts:
                facts[ident] *= gain if note_type(pool.facts[ident].file.type) == wanted else 1.0
        if way.type is None and way.layer is None:
            return
        for ident in list(facts):
            record = pool.facts[ident].record
            fits = record["type"] == way.type if way.type else compose.layer_of("fact", record["type"]) == way.layer
            if fits and not way.filters:
                facts[ident] += self.settings.weights.type_boost
            elif not fits and way.filters:
                del facts[ident]
        if way.filters:
            kept = {pool.facts[ident].file.row for ident in facts}
            for row in list(notes):
                file = pool.notes[row].file
                fits = (
                    way.type in (file.type, note_type(file.type))
                    if way.type
                    else compose.layer_of("note", file.type) == way.layer
                )
                if not fits and row not in kept:
                    del notes[row]


def after(date: str | None, as_of: str) -> bool:
    """True if a date (day, month or year precision) lies wholly after a day."""
    return date is not None and date[:10] > as_of[: len(date[:10])]


def _leave_out(rows: frozenset[int], pool: Pool, notes: dict[int, float], facts: dict[str, float]) -> None:
    """Take these notes and their facts out of the results; the facts stay in the pool, for the other side of a dispute."""
    for row in rows & notes.keys():
        del notes[row], pool.notes[row]
    for ident in [ident for ident in facts if pool.facts[ident].file.row in rows]:
        del facts[ident]
