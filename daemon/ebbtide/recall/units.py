"""What belongs together in an answer: the sides of a dispute, the halves of a supersession, a memory and its causal chain.

Neither side of a dispute is shown without the others. What does not hold any more is shown only with what took its place,
and where it is asked for, that is not shown without what it replaced. A passage that states such a thing says so itself.
Looks at the items of one answer and the records they name, never at the vault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ebbtide.index.catalog import FileRow
from ebbtide.memory.ports import FloatArray
from ebbtide.memory.states import Lang
from ebbtide.parse.text import term_set
from ebbtide.recall import compose
from ebbtide.recall.budget import Alike, Limits, choose
from ebbtide.recall.candidates import Channels, FactCandidate
from ebbtide.recall.holding import CHAIN, PLAIN
from ebbtide.recall.packet import Counting, Draft, finished, priced
from ebbtide.recall.rank import Evidence
from ebbtide.recall.ranking import Question, Ranking, Settings, after
from ebbtide.recall.weighing import weigh

Steps = Callable[[], Sequence[Mapping[str, Any]]]
"""The places of the causal chain in order, as items show them, of the first the note alone; asked for at most once."""


@dataclass(slots=True)
class Packet:
    """What an answer holds. `reason` says why it is empty, `skipped` what was left out of it: (step, why)."""

    items: list[dict[str, Any]]
    reason: str | None = None
    abstained: bool = False
    counted: str = "estimate"
    skipped: list[tuple[str, str]] = field(default_factory=list)


class Units:
    """The sets among the facts that a question found. Brings in what is missing of them."""

    def __init__(self, question: Question, ranking: Ranking, channels: Channels, settings: Settings) -> None:
        self.question, self.ranking, self.channels, self.settings = question, ranking, channels, settings
        self._replaced = self._replaced_by()

    def completed(self, idents: Iterable[str]) -> dict[str, float]:
        """These facts and all they are to be shown with, with their scores; what was missing joins the ranking's pool."""
        scores, pool = self.ranking.fact_scores, self.ranking.pool
        found: dict[str, float] = {}
        open_ = [(ident, scores[ident]) for ident in idents]
        while open_:
            ident, score = open_.pop(0)
            if ident in found:
                continue
            found[ident] = score
            for other in (*self._sides(ident), *self._successor(ident), *self._predecessor(ident)):
                self._weigh(other, ident)
                open_.append((other, scores.get(other, self.ranking.weighed.facts[other].S)))
        return {ident: score for ident, score in found.items() if ident in pool.facts}

    def requires(self, drafts: Sequence[Draft]) -> dict[int, set[int]]:
        """Which drafts may not be shown without which others, by index; each is told what to say of the others."""
        at = {draft.item["id"]: index for index, draft in enumerate(drafts) if draft.kind == "facts"}
        out: dict[int, set[int]] = {}
        for ident, index in at.items():
            sides, successor = self._sides(ident), self._successor(ident)
            for other in (*sides, *successor, *self._predecessor(ident)):
                if other in at:
                    out.setdefault(index, set()).add(at[other])
                    if other in sides:
                        out.setdefault(at[other], set()).add(index)
            drafts[index].marks += self._marks(drafts, at, ident, sides, successor)
        return out

    def _sides(self, ident: str) -> list[str]:
        """Facts that say otherwise, undecided."""
        return [other for other in self.ranking.held.of(ident).disputes if other in self.ranking.pool.facts]

    def _successor(self, ident: str) -> list[str]:
        """What holds in place of a fact that is shown although it does not hold any more: none or one."""
        held, catalog = self.ranking.held, self.channels.catalog
        if held.of(ident).state != "stale":
            return []
        later = held.of(ident).superseded_by
        for _ in range(CHAIN):
            if later is None:
                return []
            if later not in held.standings:
                held.standings[later] = catalog.standings([later]).get(later, PLAIN)
            standing = held.of(later)
            if standing.there and standing.state == "active":
                return [later] if self._in_pool(later) else []
            later = standing.superseded_by
        return []

    def _in_pool(self, ident: str) -> bool:
        """Whether a fact is in the pool now: it is brought in, unless it is gone, put away or later than the day asked about."""
        pool, held = self.ranking.pool, self.ranking.held
        if ident in pool.facts:
            return True
        known = self.channels.catalog.facts_by_id([ident]).get(ident)
        if known is None or (held.of(ident).frozen and "frozen" not in held.include):
            return False
        file = shown_files(self.channels, [known[1]], held.include).get(known[1])
        if file is None:
            return False
        record = {**json.loads(known[2]), **self.ranking.held.of(ident).fields}
        day = self.question.as_of
        if day is not None and after(record.get("created_at") or file.date, day):
            return False
        pool.facts[ident] = FactCandidate(file, known[0], record, Evidence())
        return True

    def _predecessor(self, ident: str) -> list[str]:
        """Of the facts that this one replaced and that are shown too, the best: none or one."""
        return (
            [self._replaced[ident]] if ident in self._replaced and self.ranking.held.of(ident).state == "active" else []
        )

    def _replaced_by(self) -> dict[str, str]:
        """Successor -> the best of the facts found that it replaced and that may be shown."""
        held, pool, scores = self.ranking.held, self.ranking.pool, self.ranking.fact_scores
        out: dict[str, str] = {}
        stale = [ident for ident, found in held.standings.items() if found.state == "stale" and ident in pool.facts]
        for ident in sorted(stale, key=lambda ident: (-scores.get(ident, 0.0), ident)):
            later = held.of(ident).superseded_by
            if later is not None:
                out.setdefault(later, ident)
        return out

    def _weigh(self, ident: str, anchor: str) -> None:
        """What came in for the sake of another is as relevant as that one."""
        weighed = self.ranking.weighed.facts
        if ident in weighed:
            return
        pool = self.ranking.pool
        if not pool.facts[ident].evidence.ranks:
            pool.facts[ident].evidence = pool.facts[anchor].evidence
        scoring, asked = self.settings.scoring, self.question
        relevance: tuple[dict[int, float], dict[str, float]] = ({}, {ident: weighed[anchor].R})
        found = weigh(
            self.ranking.route,
            pool,
            self.ranking.held,
            self.channels,
            scoring,
            relevance,
            as_of=asked.as_of,
            uses=asked.uses,
        )
        weighed.update(found.facts)

    def _marks(
        self,
        drafts: Sequence[Draft],
        at: Mapping[str, int],
        ident: str,
        sides: Sequence[str],
        successor: Sequence[str],
    ) -> list[tuple[str, str]]:
        """What must be said beside a fact that is disputed or does not hold any more: where the other says so, and when."""
        lang = self.ranking.route.lang

        def place(other: str) -> str:
            if other in at:
                item = drafts[at[other]].item
                return compose.cited(item["note"], item["line"], item["as_of"])
            return cited(self.ranking.pool.facts[other].record)

        marks = [compose.mark("dispute", lang, place(other)) for other in sides]
        marks += [compose.mark("after", lang, place(other)) for other in successor]
        if not marks and self.ranking.held.of(ident).state == "stale":
            marks = [compose.mark("stale", lang)]
        return [("", mark) for mark in marks]


def cited(record: Mapping[str, Any]) -> str:
    """The citation of a fact by its record."""
    return compose.cited(record["source"], record["line"], record.get("created_at"))


def shown_files(channels: Channels, rows: Collection[int], include: Collection[str]) -> dict[int, FileRow]:
    """Those of these files that may be shown: indexed and not put away, or asked for."""
    files = channels.catalog.files_by_row(sorted(set(rows)))
    standings = channels.catalog.standings([file.id for file in files.values()])

    def shown(file: FileRow) -> bool:
        standing = standings.get(file.id, PLAIN)
        away = {standing.state} & {"archived", "quarantined"} | ({"frozen"} if standing.frozen else set())
        return file.status == "indexed" and (away | ({"archived"} if file.archived else set())) <= set(include)

    return {row: file for row, file in files.items() if shown(file)}


def told_beside(
    channels: Channels, file: int, text: str, lang: Lang, as_of: str | None, include: Collection[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    """What a passage must say of itself: (quote, mark) of each of its facts that is disputed or superseded, and by what the
    disputed ones are contradicted (ids). What is put away, or later than `as_of`, is not named."""
    catalog = channels.catalog
    facts = {ident: record for _, ident, record in catalog.facts_of(file)}
    standings = {ident: found for ident, found in catalog.standings(facts).items() if found.there}
    others = {other for found in standings.values() for other in (*found.disputes, found.superseded_by) if other}
    rows = catalog.facts_by_id(sorted(others))
    files = shown_files(channels, {row for _, row, _ in rows.values()}, include)
    known = {ident: json.loads(record) for ident, (_, row, record) in rows.items() if row in files}
    known = {ident: record for ident, record in known.items() if as_of is None or not _later(record, as_of)}
    holds = catalog.standings(known)
    marks: list[tuple[str, str]] = []
    against: list[str] = []
    for ident in sorted(standings):
        found, quote = standings[ident], json.loads(facts[ident])["quote"]
        if quote not in text:
            continue
        for other in found.disputes:
            standing = holds.get(other, PLAIN)
            if other in known and standing.there and standing.state == "active" and found.state == "active":
                said = {**known[other], **standing.fields}
                marks.append((quote, compose.mark("told", lang, cited(said), said["fact"])))
                against.append(other)
        if found.state == "stale" and found.superseded_by in known:
            marks.append((quote, compose.mark("part", lang, cited(known[found.superseded_by]))))
    return list(dict.fromkeys(marks)), list(dict.fromkeys(against))


def _later(record: Mapping[str, Any], as_of: str) -> bool:
    return after(record.get("created_at"), as_of)


def pack(
    drafts: Sequence[Draft],
    requires: Mapping[int, set[int]],
    steps: Steps,
    limits: Limits,
    by: Counting,
    channels: Channels,
    lang: Lang,
) -> Packet:
    """Choose among the drafts within the budget. The causal chain is theirs before it is decided, and part of their cost."""
    _hang(drafts, steps())
    costs = [priced(index, draft, by) for index, draft in enumerate(drafts)]
    taken = choose(costs, limits, requires, _alike(drafts, channels))
    out = Packet([finished(drafts[one.index], one, by) for one in taken], counted=by.by)
    if not taken:
        out.reason = compose.budget_reason(lang, limits.tokens)
    if any(one.form in ("short", "cut") for one in taken):
        out.skipped.append(("budget", "the best memory was cut down to its quote"))
    if any(drafts[one.index].chain and one.form != "whole" for one in taken):
        out.skipped.append(("chain", "it did not fit the budget"))
    return out


def _hang(drafts: Sequence[Draft], steps: Sequence[Mapping[str, Any]]) -> None:
    """The chain goes with the best memory of each of its notes: what leads on from that note."""
    places = {step["note"]: number for number, step in enumerate(steps)}
    for draft in sorted(drafts, key=lambda draft: -draft.item["score"]):
        number = places.pop(draft.item["note"], None)
        if number is not None:
            draft.chain = list(steps[number + 1 :])


def _alike(drafts: Sequence[Draft], channels: Channels) -> Alike:
    """How much two drafts say the same: the cosine of their centred vectors, else of the sets of their words."""
    vectors: dict[tuple[str, int], FloatArray] = {}
    for kind, near in channels.near.items():
        labels = sorted({draft.label for draft in drafts if draft.kind == kind})
        vectors |= {(kind, label): vector for label, vector in near.vectors(labels).items()}
    words: dict[int, frozenset[str]] = {}

    def words_of(index: int) -> frozenset[str]:
        if index not in words:
            words[index] = frozenset(term_set(drafts[index].text))
        return words[index]

    def alike(one: int, other: int) -> float:
        a, b = (vectors.get((drafts[i].kind, drafts[i].label)) for i in (one, other))
        if a is not None and b is not None:
            return float(a @ b)
        first, second = words_of(one), words_of(other)
        return len(first & second) / ((len(first) * len(second)) ** 0.5 or 1.0)

    return alike
