"""The answer to a question why: recall finds where to start, the graph is walked, and each step is shown with its sentence.

What is said of a chain is only what its links say. Without a typed step there is no reason to give: then the best
connecting path is shown and called that, and where nothing connects, that is the answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ebbtide.index.rows import FileRow
from ebbtide.memory.ports import LinkGraph, Step
from ebbtide.memory.states import Lang
from ebbtide.recall import compose
from ebbtide.recall.candidates import Channels, folder
from ebbtide.recall.packet import counting
from ebbtide.recall.ranking import Question, Ranker, Ranking, Settings, after
from ebbtide.recall.why import Chain, Direction, Walker, leads, reasoned, superseded_by

PLACES = 60
"""Passages of one note that are compared with the question."""


@dataclass(slots=True)
class _Seen:
    """The files a question has come across, and who may be shown."""

    channels: Channels
    question: Question
    rows: dict[int, FileRow] = field(default_factory=dict)

    def visible(self, files: Collection[int]) -> list[int]:
        """Indexed notes in the folder asked about, not dated after the day asked about."""
        fresh = [file for file in files if file not in self.rows]
        self.rows.update(self.channels.catalog.files_by_row(sorted(fresh)))
        within = folder(self.question.scope) or ""
        return [file for file in files if (row := self.rows.get(file)) is not None and self._shown(row, within)]

    def _shown(self, row: FileRow, within: str) -> bool:
        late = self.question.as_of is not None and after(row.date, self.question.as_of)
        return row.status == "indexed" and row.kind in ("note", "memory") and row.path.startswith(within) and not late


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a question why: the chain (None: nothing connects) and further grounds beside it."""

    ranking: Ranking
    direction: Direction
    kind: str
    chain: Chain | None
    beside: Sequence[Step]
    seen: _Seen
    graph: LinkGraph


class Causes:
    """Finds and shows causal chains over the ports. Safe from any thread; reads only."""

    def __init__(self, channels: Channels, settings: Settings, ranker: Ranker) -> None:
        self.channels, self.settings, self._ranker = channels, settings, ranker

    def follow(
        self,
        question: Question,
        ranking: Ranking,
        direction: Direction | None = None,
        deadline: float | None = None,
        start: int | None = None,
    ) -> Found:
        """The chain for a question that was ranked. `direction` None: as the question's words say; `start`: the file row to
        start at, None: where the question leads."""
        way: Direction = direction or ("forward" if ranking.route.onward else "back")
        graph, seen = self.channels.graph(), _Seen(self.channels, question)
        pool = ranking.pool
        started = time.perf_counter()
        starts = self._starts(ranking) if start is None else [(start, 1.0)]
        if start is None and way == "back" and ranking.route.effect is not None:
            # Ground and effect are both named, and of the two the ground may be the better found.
            effect = self._ranker.rank(replace(question, query=ranking.route.effect), deadline)
            starts = self._starts(effect) or starts
        walker = Walker(
            graph,
            way,
            visible=seen.visible,
            nearness=lambda files: self._near(ranking, files),
            settings=self.settings.walking,
        )
        first = seen.visible([row for row, _ in starts])
        starts = [(row, score) for row, score in starts if row in first]
        chain = walker.best(starts)
        kind = "none" if chain is None else "typed" if chain.typed else "path"
        if kind == "path" and (joined := self._join(walker, starts, seen)) is not None:
            chain = joined
        beside = walker.beside(chain) if chain is not None and kind == "typed" else []
        pool.ms["chain"] = (time.perf_counter() - started) * 1000
        return Found(ranking, way, kind, chain, beside, seen, graph)

    def _starts(self, ranking: Ranking) -> list[tuple[int, float]]:
        """The notes that are about the question, best first: the best one and those that are nearly as good.

        A note further behind may still be the one that is meant, if it is better than the best in meaning or in words. One
        that is worse in both is about something else, however good a chain leads on from it; so is a mere neighbour.
        """
        pool, R = ranking.pool, {row: parts.R for row, parts in ranking.weighed.notes.items()}
        rows = [row for row in ranking.notes if pool.notes[row].evidence.ranks.keys() != {"graph"}]
        rows = [row for row in rows if row not in ranking.held.put_away and self.settings.abstain_below <= R[row]]
        rows.sort(key=lambda row: (-R[row], pool.notes[row].file.path))  # what is meant does not age
        if not rows:
            return []
        best = pool.notes[rows[0]].evidence
        out = []
        for row in rows:
            found, share = pool.notes[row].evidence, R[row] / R[rows[0]]
            better = found.coverage > best.coverage or (found.closeness or 0.0) > (best.closeness or 0.0)
            if share >= self.settings.start_even or (better and share >= self.settings.start_share):
                out.append((row, R[row]))
        return out[: self.settings.walking_starts]

    def answer(
        self, question: Question, direction: Direction | None = None, *, hurry: bool = True, start: int | None = None
    ) -> dict[str, Any]:
        """The response of POST /v1/why."""
        started = time.perf_counter()
        deadline = started + self.settings.seconds if hurry else None
        ranking = self._ranker.rank(question, deadline)
        found = self.follow(question, ranking, direction, deadline, start)
        lang = found.ranking.words
        chain = self.shown(found)
        notes = [found.seen.rows[file].path for file in found.chain.files] if found.chain is not None else []
        branches = [self._place(found, step.other, step, lang) for step in found.beside]
        pool = found.ranking.pool
        ranked = list(dict.fromkeys([*notes, *(branch["note"] for branch in branches)]))
        rest = [pool.notes[row].file.path for row in found.ranking.notes]
        return {
            "query": question.query,
            "direction": found.direction,
            "kind": found.kind,
            "message": message(found, lang),
            "chain": chain,
            "branches": branches,
            "notes": list(dict.fromkeys([*ranked, *rest])),
            "as_of": question.as_of,
            "tokens": sum(map(counting(self.channels.embedder()).tokens, map(_text, chain))),
            "ms": {k: round(v, 2) for k, v in pool.ms.items()} | {"total": _since(started)},
            "skipped": [{"step": step, "why": why} for step, why in pool.skipped],
        }

    def shown(self, found: Found) -> list[dict[str, Any]]:
        """The places of the chain in order; each but the first with the edge that leads to it and its sentence."""
        if found.chain is None:
            return []
        lang = found.ranking.words
        steps = (None, *found.chain.steps)
        return [self._place(found, file, step, lang) for file, step in zip(found.chain.files, steps, strict=True)]

    def _place(self, found: Found, file: int, step: Step | None, lang: Lang) -> dict[str, Any]:
        row = found.seen.rows[file]
        later = superseded_by(found.graph, file, found.seen.visible)
        place: dict[str, Any] = {
            "note": row.path,
            "title": row.title,
            "line": 1,
            "column": 0,
            "date": row.date,
            "type": row.type or "note",
            "edge": None,
            "superseded_by": found.seen.rows[later].path if later is not None else None,
        }
        if step is None:
            return place
        record = self._record(step)
        words = compose.step_words(step.type, leads_back=_is_back(step), outward=step.outward, lang=lang)
        if record.get("source") == row.path:
            place |= {"line": record["line"], "column": record["column"]}
        place["edge"] = {
            "type": step.type,
            "relation": record.get("relation"),
            "words": words,
            "declared": step.declared,
            "confidence": step.confidence,
            "reasoned": reasoned(step),
            "source": record.get("source", row.path),
            "line": record.get("line", 1),
            "column": record.get("column", 0),
            "sentence": record.get("snippet", ""),
        }
        return place

    def _record(self, step: Step) -> Mapping[str, Any]:
        found = self.channels.catalog.link_records([step.link])
        if step.link not in found:
            return {}  # the note was saved since the picture of the graph was taken
        record: Mapping[str, Any] = json.loads(found[step.link][1])
        return record

    def _near(self, ranking: Ranking, files: Sequence[int]) -> dict[int, float]:
        """How near notes are to the question: as ranked, else by the best of their passages."""
        near = {file: ranking.weighed.notes[file].R for file in files if file in ranking.weighed.notes}
        vector = ranking.pool.vector
        if vector is None:
            return near
        labels: dict[int, int] = {}
        for file in files:
            if file not in near:
                labels.update((passage.row, file) for passage in self.channels.catalog.passages_of(file)[:PLACES])
        for label, cosine in self.channels.near["passages"].cosines(vector, sorted(labels)).items():
            near[labels[label]] = max(near.get(labels[label], 0.0), cosine / 2)
        return near

    def _join(self, walker: Walker, starts: Sequence[tuple[int, float]], seen: _Seen) -> Chain | None:
        """Where only mentions lead on: the path between two notes that are both about the question, if there is one."""
        if len(starts) < 2:
            return None
        graph, first = walker.graph, starts[0][0]
        for other, _ in starts[1:]:
            steps = graph.path(first, other, self.settings.walking.hops)
            files = (first, *(step.other for step in steps))
            slight = any(graph.light(file) < self.settings.walking.light for file in files[1:-1])
            sound = not slight and all(walker.holds(step) for step in steps)
            if len(steps) > 1 and sound and len(seen.visible(files)) == len(files):
                return Chain(files, tuple(steps))
        return None


def message(found: Found, lang: Lang) -> str:
    """What the chain is worth, in one sentence."""
    if found.chain is None:
        return _MESSAGES["abstain" if not found.ranking.notes else "none"][lang]
    weak = found.kind == "typed" and found.chain.typed < len(found.chain.steps)
    return _MESSAGES["partly" if weak else found.kind][lang]


_MESSAGES: Mapping[str, Mapping[Lang, str]] = {
    "typed": {"en": "The links between these notes say so.", "zh": "这些笔记之间的链接写明了原因。"},
    "partly": {
        "en": "The links say so in part; steps marked as mentions only say that the notes are linked.",
        "zh": "部分步骤由链接写明；标为“提到”的步骤只说明两篇笔记有链接。",
    },
    "path": {
        "en": "No link states a reason. This is how the notes are connected, which is weaker.",
        "zh": "没有链接写明原因。这只是笔记之间的联系，说服力较弱。",
    },
    "none": {
        "en": "No chain was found: nothing leads on from the notes about this.",
        "zh": "没有找到因果链：相关的笔记没有可以追溯的链接。",
    },
    "abstain": {"en": "No note about this was found.", "zh": "没有找到与此相关的笔记。"},
}


def _is_back(step: Step) -> bool:
    return leads(step, "back")


def _text(place: Mapping[str, Any]) -> str:
    edge = place["edge"]
    if not edge:
        return f"{place['title']} {compose.cited(place['note'], place['line'], place['date'])}"
    return f"{edge['words']} {place['title']}: {edge['sentence']} {compose.cited(edge['source'], edge['line'], place['date'])}"


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)
