"""A question's way: route, candidates, rank, budget, compose, each timed, each able to say what it left out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ebbtide.memory.ports import Vault
from ebbtide.parse.frames import query_frame
from ebbtide.recall.candidates import Channels
from ebbtide.recall.causes import Causes
from ebbtide.recall.holding import counted
from ebbtide.recall.items import Items
from ebbtide.recall.ranking import Question, Ranker, Ranking, Settings
from ebbtide.recall.why import Direction

__all__ = ["Engine", "Question", "Ranking", "Settings", "scores_of"]


class Engine:
    """Recall over the ports. Safe from any thread; reads only."""

    def __init__(self, vault: Vault, channels: Channels, settings: Settings) -> None:
        self.channels, self.settings = channels, settings
        self._ranker, self._items = Ranker(channels, settings), Items(vault, channels, settings)
        self._causes = Causes(channels, settings, self._ranker)

    def rank(self, question: Question, deadline: float | None = None) -> Ranking:
        """Notes and facts by score; see Ranker."""
        return self._ranker.rank(question, deadline)

    def why(self, question: Question, direction: Direction | None = None, *, hurry: bool = True) -> dict[str, Any]:
        """The causal chain for a question: the response of POST /v1/why."""
        return self._causes.answer(question, direction, hurry=hurry)

    def recall(self, question: Question, *, hurry: bool = True) -> dict[str, Any]:
        """The response of formats.md 6. Without `hurry` no step is left out for time (exams must be repeatable)."""
        started = time.perf_counter()
        ranking = self.rank(question, started + self.settings.seconds if hurry else None)
        mark = time.perf_counter()
        items, reason, abstained = self._items.choose(question, ranking)
        if (ranking.route.why or ranking.route.onward) and items:
            self._chain(question, ranking, items, started if hurry else None)
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
            "hidden": counted(ranking.held.hidden, ranking.hidden_later),
            "abstained": abstained,
            "empty_reason": reason,
        }

    def _chain(
        self, question: Question, ranking: Ranking, items: Sequence[dict[str, Any]], started: float | None
    ) -> None:
        """Show the causal chain with the first memory of each of its notes: from that note on."""
        if started is not None and time.perf_counter() - started > self.settings.seconds:
            ranking.pool.skipped.append(("chain", "the time limit was reached"))
            return
        deadline = started + self.settings.seconds if started is not None else None
        found = self._causes.follow(question, ranking, deadline=deadline)
        if found.kind != "typed":
            return
        steps = self._causes.shown(found)
        places = {step["note"]: number for number, step in enumerate(steps)}
        for item in items:
            number = places.pop(item["note"], None)
            if number is not None:
                item["chain"] = [_chain_step(step) for step in steps[number + 1 :]]


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


def scores_of(ranking: Ranking, paths: Sequence[str]) -> dict[str, float]:
    """Scores of the ranked notes by path, for explanations."""
    wanted = set(paths)
    return {
        ranking.pool.notes[row].file.path: score
        for row, score in ranking.note_scores.items()
        if row in ranking.pool.notes and ranking.pool.notes[row].file.path in wanted
    }
