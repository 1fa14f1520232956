"""An answer without a model: the sentences of the notes that answer, each cited; the chain of causes; the episode behind it.

Nothing is said that no note says, but for the words that frame the quotes (`answer_words`). What is disputed is shown with
both sides, what was superseded is called so beside what took its place. Where recall abstains, so does the answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ebbtide.memory.ports import Vault
from ebbtide.memory.states import Lang
from ebbtide.parse.text import estimate_tokens, language
from ebbtide.recall import compose
from ebbtide.recall.answer_beside import Finder
from ebbtide.recall.answer_pick import Said, Texts, pick
from ebbtide.recall.answer_text import Cited, Episode, Step, Told, written
from ebbtide.recall.engine import Engine
from ebbtide.recall.ranking import Question, Ranking

NEAREST: Final = 3


@dataclass(slots=True)
class Extract:
    """What was found for a question: recall's own answer and ranking, and what is shown of it."""

    question: Question
    lang: Lang
    recall: dict[str, Any]
    ranking: Ranking
    told: list[Told] = field(default_factory=list)
    chain: list[dict[str, Any]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    episode: Episode | None = None
    ms: float = 0.0

    def body(self, by: str = "extract", why: str | None = None, text: str | None = None) -> dict[str, Any]:
        """The response of POST /v1/answer. `text`: an answer in other words than quotes, its [n] those of `told` in order."""
        budget = self.recall["budget"]
        shown, cited = written(self, text, budget)
        places = {id(step): n for n, step in cited.steps}
        chain = [place | {"n": None} for place in self.chain[: len(cited.steps) + 1]] if cited.steps else []
        for place, step in zip(chain[1:], self.steps, strict=False):
            place["n"] = places.get(id(step))
        episode = None
        if self.episode is not None and cited.parts:
            parts = {name: _part(said, n) for name, said, n in cited.parts}
            episode = {key: self.episode.record[key] for key in ("note", "title", "type", "date", "result")}
            episode["parts"] = parts
        recalled = self.recall
        return {
            "query": self.question.query,
            "answer": shown if self.told else recalled["empty_reason"] or "",
            "by": by,
            "why": why,
            "lang": self.lang,
            "citations": [each.record(n) for n, each in enumerate(cited.all, 1)],
            "chain": chain,
            "episode": episode,
            "abstained": not self.told,
            "nearest": [] if self.told else self.nearest(),
            "as_of": self.question.as_of,
            "hidden": recalled["hidden"],
            "skipped": recalled["skipped"],
            "budget": budget,
            "tokens": estimate_tokens(shown) if self.told else 0,
            "ms": recalled["ms"] | {"answer": round(self.ms, 2)},
        }

    @property
    def onward(self) -> bool:
        """The chain leads to what came of it."""
        return self.ranking.route.onward

    @property
    def past(self) -> bool:
        """The question is about what was."""
        return self.ranking.route.frame == "historical"

    def nearest(self) -> list[dict[str, Any]]:
        """What is nearest where nothing answers: unverified."""
        pool, away = self.ranking.pool, self.ranking.held.put_away
        files = [pool.notes[row].file for row in self.ranking.notes if row not in away][:NEAREST]
        return [{"note": file.path, "title": file.title} for file in files]


def _part(said: Cited, n: int) -> dict[str, Any]:
    return {"text": said.text, "line": said.line, "quote": said.quote, "n": n}


class Answers:
    """Answers over the ports. Safe from any thread; reads only."""

    def __init__(self, vault: Vault, engine: Engine) -> None:
        self.vault, self.engine = vault, engine

    def extract(self, question: Question, *, hurry: bool = True) -> Extract:
        """What the notes say to a question. Without `hurry` no step is left out for time."""
        ranking, recalled = self.engine.found(question, hurry=hurry)
        started = time.perf_counter()
        out = Extract(question, ranking.route.lang, recalled, ranking)
        items = [item for item in recalled["items"] if _fits(item, question)]
        if items and ranking.certainty >= self.engine.settings.sure:
            texts = Texts(self.vault)
            finder = Finder(self.engine, ranking, question, texts)
            out.told = finder.told(pick(ranking, items, texts, self.engine.channels))
        if not out.told:
            why = "type" if recalled["items"] and not items else "weak"
            titles = [near["title"] for near in out.nearest()]
            recalled["empty_reason"] = recalled["empty_reason"] or compose.empty_reason(out.lang, titles, why)
            return out
        out.chain, out.steps = finder.chain(out.told[0].first.row, started if hurry else None)
        out.episode = finder.episode(out.told, out.chain)
        out.ms = (time.perf_counter() - started) * 1000
        return out

    def withheld(self, found: Extract, item: Mapping[str, Any]) -> bool:
        """Whether a memory, as recall shows it, also states something that was put away."""
        finder = Finder(self.engine, found.ranking, found.question, Texts(self.vault))
        return item["kind"] != "fact" and finder.withheld(item["note"], item["text"])

    def restated(self, found: Extract, cited: Sequence[tuple[Mapping[str, Any], str]]) -> Extract | None:
        """The same with other quotes: (memory, words of its note) in order. None if a note does not say them any more."""
        texts = Texts(self.vault)
        finder = Finder(self.engine, found.ranking, found.question, texts)
        told: list[Told] = []
        for item, quote in cited:
            place = texts.place(item["note"], quote, item["line"])
            if place is None:
                return None
            told.append(
                finder.stands(Said(item, quote, *place, frozenset(), language(quote), item["id"], item["heading"]))
            )
        return replace(found, told=told)


def _fits(item: Mapping[str, Any], question: Question) -> bool:
    """Whether a memory is of the type or layer asked for: a passage may be there for a fact in its note that is."""
    return question.type in (None, item["type"]) and question.layer in (None, item["layer"])
