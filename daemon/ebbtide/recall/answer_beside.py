"""What belongs beside a sentence that answers: the other side of its dispute, what took its place, its chain, its episode.

What is looked up here is shown only as it stands in its note at this moment, and never if it was put away.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, cast

from ebbtide.index.rows import FileRow
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.text import language
from ebbtide.recall.answer_pick import Said, Texts, adds
from ebbtide.recall.answer_text import Cited, Episode, Step, Told
from ebbtide.recall.candidates import folder
from ebbtide.recall.engine import Engine
from ebbtide.recall.ranking import Question, Ranking, after
from ebbtide.recall.why import superseded_by

QUOTED: Final = 3
"""Sentences quoted at most, beside those that a dispute or a supersession brings."""
ENOUGH: Final = 0.8
"""A further sentence answers at least this share as well as the first."""
PARTS: Final = ("trigger", "result", "reason", "lesson")
PAST_NOTE: Final = 0.6
"""What a sentence of a superseded note counts where the question is about now."""
_LINK: Final = re.compile(r"\[\[[^\[\]\n]+\]\]")
_WENT_WRONG: Final = ("failure", "partial")


class Finder:
    """Looks up what belongs to the sentences of one answer."""

    def __init__(self, engine: Engine, ranking: Ranking, question: Question, texts: Texts) -> None:
        self.engine, self.ranking, self.question, self.texts = engine, ranking, question, texts
        self.catalog = engine.channels.catalog
        self.past = ranking.route.frame == "historical"
        self._later: dict[int, FileRow | None] = {}

    # --- sentences ----------------------------------------------------------------------------------------------------

    def told(self, found: Sequence[Said]) -> list[Told]:
        """The sentences to quote, each with the other side of its dispute, or with what took its place."""
        if not self.past:
            found = sorted(found, key=lambda said: -round(said.value * self._present(said), 6))
        chosen: list[Said] = []
        out: list[Told] = []
        shown: set[tuple[str, str]] = set()
        for said in found:
            worth = said.value * (1.0 if self.past else self._present(said))
            if len(out) >= QUOTED or (chosen and worth < ENOUGH * chosen[0].value):
                break
            if (
                (said.item["note"], said.quote) in shown
                or not adds(said, chosen)
                or self.withheld(said.item["note"], said.quote)
            ):
                continue
            told = self.stands(said)
            chosen.append(said)
            out.append(told)
            shown.update((each.note, each.quote) for each in told.all)
        return out

    def _present(self, said: Said) -> float:
        file = self._file(said.item["note"])
        return PAST_NOTE if file is not None and self.later(file.row) is not None else 1.0

    def stands(self, said: Said) -> Told:
        """A sentence with where it stands: as fact if it states one, else as a passage of its note."""
        cited = self._cited(said)
        for ident, standing in self._facts_of(said):
            rivals = [r for r in map(self._fact, standing.disputes) if r is not None]
            if rivals:
                cited.state, cited.disputed = standing.state, True
                for rival in rivals:
                    rival.disputed = True
                return Told(cited, rivals=rivals)
            if standing.superseded_by is not None:
                cited.state, cited.superseded_by = "stale", standing.superseded_by
                successor = self._fact(standing.superseded_by)
                if cited.id != ident and successor is not None and successor.quote == cited.quote:
                    continue
                return Told(cited, successor=successor)
        later = self.later(cited.row)
        return Told(cited, later=None if later is None else (later.path, later.title))

    def _facts_of(self, said: Said) -> list[tuple[str, Standing]]:
        """The facts that a sentence states, with where they stand."""
        ranking, note = self.ranking, said.item["note"]
        file = self._file(note)
        if said.item["kind"] == "fact":
            return [(said.item["id"], ranking.held.of(said.item["id"]))]
        if file is None:
            return []
        same = [
            ident
            for _, ident, record in self.catalog.facts_of(file.row)
            if _overlap(json.loads(record)["quote"], said.quote)
        ]
        known = self.catalog.standings(same)
        return [(ident, known[ident]) for ident in sorted(same) if ident in known]

    def withheld(self, note: str, words: str) -> bool:
        """Whether words of a note state a fact that was put away: what recall does not show is not quoted from a passage."""
        file = self._file(note)
        own = self.catalog.facts_of(file.row) if file is not None else ()
        stated = [ident for _, ident, record in own if _overlap(json.loads(record)["quote"], words)]
        include = self.question.include
        return any(
            not standing.there
            or (standing.state in ("archived", "quarantined") and standing.state not in include)
            or (standing.frozen and "frozen" not in include)
            for standing in self.catalog.standings(stated).values()
        )

    def _fact(self, ident: str) -> Cited | None:
        """A fact as a citation; None where its note does not say it any more, or it may not be shown for this question."""
        known = self.catalog.facts_by_id([ident]).get(ident)
        if known is None:
            return None
        record = json.loads(known[2])
        file = self._file(record["source"])
        place = self.texts.place(record["source"], record["quote"], record["line"])
        standing = self.catalog.standings([ident]).get(ident, Standing())
        late = self.question.as_of is not None and after(record.get("created_at"), self.question.as_of)
        if file is None or place is None or not standing.there or late or standing.state == "quarantined":
            return None
        return Cited(
            id=ident,
            row=file.row,
            note=file.path,
            title=file.title,
            line=place[1],
            column=place[2],
            quote=record["quote"],
            text=record["quote"],
            heading=record.get("heading"),
            as_of=record.get("created_at") or file.date,
            lang=language(record["quote"]),
            state=standing.state,
        )

    def _cited(self, said: Said) -> Cited:
        item = said.item
        file = self._file(item["note"])
        return Cited(
            id=said.id,
            row=file.row if file is not None else -1,
            note=item["note"],
            title=file.title if file is not None else item["note"],
            line=said.line,
            column=said.column,
            quote=said.quote,
            text=said.quote,
            heading=said.heading,
            as_of=item["as_of"],
            lang=cast(Lang, said.lang),
            state=item["state"] if item["kind"] == "fact" else "active",
            lead=item["lead"],
        )

    def _file(self, path: str) -> FileRow | None:
        for found in self.ranking.pool.notes.values():
            if found.file.path == path:
                return found.file
        return self.catalog.file(path)

    def later(self, row: int) -> FileRow | None:
        """The note that says it takes this one's place, if one does and may be shown."""
        if row not in self._later:
            other = superseded_by(self.engine.channels.graph(), row, self._visible) if row >= 0 else None
            self._later[row] = self.catalog.files_by_row([other]).get(other) if other is not None else None
        return self._later[row]

    def _visible(self, rows: Collection[int]) -> Collection[int]:
        """Those that are indexed, in the folder asked about, and not dated after the day asked about."""
        as_of, within = self.question.as_of, folder(self.question.scope) or ""
        files = self.catalog.files_by_row(sorted(rows))
        here = {row: file for row, file in files.items() if file.status == "indexed" and file.path.startswith(within)}
        return [row for row, file in here.items() if as_of is None or not after(file.date, as_of)]

    # --- chain and episode --------------------------------------------------------------------------------------------

    def chain(self, first: int, started: float | None) -> tuple[list[dict[str, Any]], list[Step]]:
        """The places of the causal chain and its steps: asked for, or beginning at the note that answers.

        It ends before a step that is a mere mention, and before one whose sentence is not in its note any more: nothing says it.
        """
        way = self.ranking.route
        deadline = None if started is None else started + self.engine.settings.seconds
        kind, places = self.engine.chain(self.question, self.ranking, deadline)
        starts = self._file(places[0]["note"]) if places else None
        asked = way.why or way.onward
        if kind != "typed" or starts is None or not (asked or starts.row == first):
            return [], []
        steps: list[Step] = []
        for before, place in itertools.pairwise(places):
            said = self._edge(place["edge"]) if place["edge"]["reasoned"] else None
            if said is None:
                break
            steps.append(Step(before["title"], place["edge"]["words"], place["title"], place["superseded_by"], said))
        return places[: len(steps) + 1] if steps else [], steps

    def _edge(self, edge: Mapping[str, Any]) -> Cited | None:
        """The words that state a step, as they stand: its sentence, else the line of a property or of a board."""
        source, file = edge["source"], self._file(edge["source"])
        sentence = edge["sentence"]
        place = self.texts.place(source, sentence, edge["line"])
        if place is None:
            lines = (self.texts.of(source) or "").split("\n")[edge["line"] - 1 : edge["line"]]
            sentence = lines[0].strip() if lines else ""
            stated = source.endswith(".canvas") or any(link in sentence for link in _LINK.findall(edge["sentence"]))
            place = self.texts.place(source, sentence, edge["line"]) if stated else None
        return None if place is None or file is None else _of_note(file, sentence, place)

    def episode(self, told: Sequence[Told], chain: Sequence[Mapping[str, Any]]) -> Episode | None:
        """The attempt behind an answer: what a quoted fact rests on, else on the chain, else among the notes quoted.

        A question about a failure looks among all memories found, and for what failed first.
        """
        named = [path for each in told if (path := self._because(each.first)) is not None]
        quoted_ = [each.first.note for each in told]
        paths = [*named, *(str(place["note"]) for place in chain), *quoted_]
        if self.ranking.route.failure:
            paths = [
                *named,
                *quoted_,
                *paths,
                *(self.ranking.pool.notes[row].file.path for row in self.ranking.notes[:5]),
            ]
        found = [told_ for path in dict.fromkeys(paths) if (told_ := self._told(path)) is not None]
        if self.ranking.route.failure:
            found.sort(key=lambda each: each.record["result"] not in _WENT_WRONG)
        return next((each for each in found if each.parts), None)

    def _because(self, cited: Cited) -> str | None:
        """The note that a fact's `because` leads to, as the link in its note resolves now."""
        known = self.catalog.facts_by_id([cited.id]).get(cited.id)
        because = json.loads(known[2]).get("because") if known is not None else None
        if not because:
            return None
        ends = tuple(f"[[{because}{end}" for end in ("]", "|", "#", "\\|"))
        for record in self.catalog.find_links(cited.note, 500):
            link = json.loads(record)
            if link["source"] == cited.note and link["target"] and any(end in link["raw"] for end in ends):
                return str(link["target"])
        return cited.note if f"{because}.md" == cited.note else None

    def _told(self, path: str) -> Episode | None:
        file = self._file(path)
        if file is None or file.row not in self._visible([file.row]) or file.row in self.ranking.held.put_away:
            return None
        for _, _, record in self.catalog.find_episodes(None, None, path, 1):
            parts: dict[str, Cited] = {}
            for name in PARTS:
                said = record["parts"].get(name)
                place = self.texts.place(path, said["quote"], said["line"]) if said else None
                if said and place is not None and not self.withheld(path, said["quote"]):
                    parts[name] = _of_note(file, said["quote"], place, said["text"])
            return Episode(record, parts)
        return None


def _overlap(quote: str, words: str) -> bool:
    return quote in words or words in quote


def _of_note(file: FileRow, quote: str, place: tuple[int, int, int], text: str | None = None) -> Cited:
    return Cited(
        id=file.id,
        row=file.row,
        note=file.path,
        title=file.title,
        line=place[1],
        column=place[2],
        quote=quote,
        text=text or quote,
        heading=None,
        as_of=file.date,
        lang=language(quote),
    )
