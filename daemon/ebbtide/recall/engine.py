"""A question's way: route, candidates, rank, budget, compose, each timed, each able to say what it left out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ebbtide.memory.ports import Vault
from ebbtide.recall.candidates import Channels
from ebbtide.recall.causes import Causes
from ebbtide.recall.holding import counted
from ebbtide.recall.items import Items
from ebbtide.recall.ranking import Question, Ranker, Ranking, Settings
from ebbtide.recall.why import Direction

__all__ = ["Engine", "Question", "Ranking", "Settings"]


class Engine:
    """Recall over the ports. Safe from any thread; reads only."""

    def __init__(self, vault: Vault, channels: Channels, settings: Settings) -> None:
        self.channels, self.settings = channels, settings
        self._ranker, self._items = Ranker(channels, settings), Items(vault, channels, settings)
        self._causes = Causes(channels, settings, self._ranker)

    def rank(self, question: Question, deadline: float | None = None) -> Ranking:
        """Notes and facts by score; see Ranker."""
        return self._ranker.rank(question, deadline)

    def why(
        self, question: Question, direction: Direction | None = None, *, hurry: bool = True, start: int | None = None
    ) -> dict[str, Any]:
        """The causal chain for a question, from a file row if one is given: the response of POST /v1/why."""
        return self._causes.answer(question, direction, hurry=hurry, start=start)

    def recall(self, question: Question, *, hurry: bool = True) -> dict[str, Any]:
        """The response of formats.md 6. Without `hurry` no step is left out for time (exams must be repeatable)."""
        return self.found(question, hurry=hurry)[1]

    def chain(self, question: Question, ranking: Ranking, deadline: float | None) -> tuple[str, list[dict[str, Any]]]:
        """Of what a ranked question leads to: "typed", "path" or "none", and the places as POST /v1/why shows them."""
        found = self._causes.follow(question, ranking, deadline=deadline)
        return found.kind, self._causes.shown(found)

    def found(self, question: Question, *, hurry: bool = True) -> tuple[Ranking, dict[str, Any]]:
        """What `recall` answers, with the ranking it was made from: for who goes on from there."""
        started = time.perf_counter()
        ranking = self.rank(question, started + self.settings.seconds if hurry else None)
        mark = time.perf_counter()
        rest = (mark - started) * 1000 - sum(ranking.pool.ms.values())
        packet = self._items.choose(
            question, ranking, lambda: self._steps(question, ranking, started if hurry else None)
        )
        ms = {**ranking.pool.ms, "rank": rest, "compose": (time.perf_counter() - mark) * 1000}
        ms["total"] = (time.perf_counter() - started) * 1000
        skipped = [{"step": step, "why": why} for step, why in (*ranking.pool.skipped, *packet.skipped)]
        if ranking.route.cut:
            skipped.append({"step": "query", "why": "only the first 2,048 characters were looked at"})
        budget = question.budget or self.settings.limits.tokens
        return ranking, {
            "items": packet.items,
            "notes": [ranking.pool.notes[row].file.path for row in ranking.notes],
            "route": {"type": ranking.route.type, "layer": ranking.route.layer, "explicit": ranking.route.explicit},
            "frame": ranking.route.frame,
            "budget": budget,
            "tokens": sum(item["tokens"] for item in packet.items),
            "counted": packet.counted,
            "ms": {step: round(value, 2) for step, value in ms.items()},
            "skipped": skipped,
            "hidden": counted(ranking.held.hidden, ranking.hidden_later),
            "abstained": packet.abstained,
            "empty_reason": packet.reason,
        }

    def _steps(self, question: Question, ranking: Ranking, started: float | None) -> list[dict[str, Any]]:
        """The causal chain of a question why, as items show it: of its first place the note alone; empty without a reason."""
        if not (ranking.route.why or ranking.route.onward):
            return []
        if started is not None and time.perf_counter() - started > self.settings.seconds:
            ranking.pool.skipped.append(("chain", "the time limit was reached"))
            return []
        kind, places = self.chain(question, ranking, None if started is None else started + self.settings.seconds)
        if kind != "typed":
            return []
        return [{"note": places[0]["note"]}, *map(_chain_step, places[1:])]


def _chain_step(place: Mapping[str, Any]) -> dict[str, Any]:
    edge = place["edge"]
    return {
        "note": place["note"],
        "line": edge["line"],
        "type": edge["type"],
        "text": edge["sentence"],
        "words": edge["words"],
        "source": edge["source"],
        "date": place["date"],
        "superseded_by": place["superseded_by"],
    }
