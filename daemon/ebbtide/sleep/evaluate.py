"""The last part of a night: figures of the core, their line in the history, report, router, and what is laid to rest.

Everything comes from the catalogue, the notes and what is handed in; nothing is written here. The same vault, history, plan and
day give the same bytes. It looks at the whole vault, so it runs in a job or a night, never while somebody waits for an answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.decisions import born
from ebbtide.memory import disuse, health
from ebbtide.memory.heat import Event
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import LAYER_OF_TYPE, Lang
from ebbtide.sleep import digest, planning, trend
from ebbtide.sleep.core_read import lapsed
from ebbtide.sleep.core_state import Held, Reading, disputes, held, state
from ebbtide.sleep.digest import Recent, Sleeper
from ebbtide.sleep.edition import Back, Edition, Rest, Ruling, Side, Spending
from ebbtide.sleep.merge_read import asked, joined
from ebbtide.sleep.nights import Plan, Quote, Step
from ebbtide.sleep.open_rulings import expired_ruling, open_rulings, side_of
from ebbtide.sleep.report import report
from ebbtide.sleep.report_hygiene import Hygiene, hygiene_of
from ebbtide.sleep.report_twin import cost_of
from ebbtide.sleep.router import NAME, Entry, router
from ebbtide.sleep.trend import Record

RULINGS: Final = 100
"""Open questions that a report holds, at most."""
NOTES_READ: Final = 200
"""Notes of the last days among which a place for a memory is looked for."""
WORKING: Final = "working"


@dataclass(frozen=True, slots=True)
class When:
    """The moment of an evaluation: ISO 8601 in UTC, its local day, and the version of Ebbtide."""

    at: str
    day: str
    version: str


@dataclass(frozen=True, slots=True)
class Closing:
    """What an evaluation comes to. `record`: the line for Memory/health; `files`: the report, by path in the memory folder; `rest`: what
    may be frozen."""

    record: dict[str, Any]
    files: Mapping[str, bytes]
    rest: tuple[Rest, ...]
    back: tuple[Back, ...]
    lang: Lang


def closing(
    reading: Reading,
    when: When,
    history: Iterable[Record],
    plan: Plan | None = None,
    spending: Spending | None = None,
    skipped: Sequence[str] = (),
    carried: Mapping[str, Any] | None = None,
) -> Closing:
    """Evaluate the vault as the catalogue has it now, once what the night wrote is indexed.

    `history`: the lines of all devices. `skipped`: what was left undone, in words. `carried`: the night part of an earlier line of
    the same day, which figures that are computed anew without a night keep.
    """
    whole = _Whole(reading, when)
    past = [item for item in trend.by_day(history) if str(item["day"]) <= when.day]
    chosen = whole.revivals(past)
    night = trend.counts(plan) if plan is not None else carried
    record = trend.record(
        when.at,
        when.day,
        when.version,
        health.figures(whole.state, when.day),
        whole.layers,
        night=night,
        spent=cost_of(spending),
        revive=chosen,
    )
    back = whole.back(chosen)
    edition = Edition(
        record,
        past,
        reading.folder,
        whole.lang,
        plan,
        whole.rulings[:RULINGS],
        len(whole.rulings),
        whole.laid_to_rest(plan),
        back,
        spending,
        skipped,
        {path: row.title for path, row in whole.files.items() if row.title},
        hygiene_of(plan.steps, lapsed(reading.catalog, _since(past, when.day), when.day))
        if plan is not None
        else Hygiene(),
        joined(reading.catalog, reading.vault, when.day),
    )
    return Closing(record, report(edition), whole.rest, back, whole.lang)


def resting(reading: Reading, when: When) -> tuple[Rest, ...]:
    """The facts that nobody has needed for a year, by id: a night freezes them, each as a revision."""
    return _Whole(reading, when).rest


def frozen(rest: Iterable[Rest]) -> tuple[Step, ...]:
    """The steps that freeze them."""
    return tuple(
        Step("freeze", "", "", None, (one.id,), one.why, (Quote(one.note, one.line, one.quote),)) for one in rest
    )


def page_of(cores: Sequence[Held], folder: str, lang: Lang) -> bytes:
    """MEMORY.md over these core memories."""
    entries = [Entry(one.path, one.title, one.hook or one.claim, one.type, one.heat, one.private) for one in cores]
    return router(entries, folder, lang).encode("utf-8", "replace")


def routed(reading: Reading, day: str, present: bytes | None, without: Collection[str] = ()) -> tuple[Step, ...]:
    """The step that brings MEMORY.md (`present`: its bytes now) to the core memories that are there; none if it says that already.

    `without`: ids of those that are about to go."""
    files = reading.catalog.files()
    there = [one for one in held(reading, files, day) if one.core.id not in without]
    page = page_of(there, reading.folder, majority(files.values()))
    if page == present:
        return ()
    why = "the router names the core memories that are there and when to open each"
    return (Step("associate", NAME, planning.digest(present), page.decode("utf-8"), (), why),)


class _Whole:
    """One look at the whole vault."""

    def __init__(self, reading: Reading, when: When) -> None:
        self.reading, self.day = reading, when.day
        self.catalog: Catalog = reading.catalog
        self.files = self.catalog.files()
        self.lang = majority(self.files.values())
        self.cores = held(reading, self.files, when.day)
        self.open = disputes(self.catalog)
        waiting = [since for _, _, since in self.open]
        self.state = state(reading, self.cores, self.files.values(), waiting, when.day)
        self.layers, self.rest = self._facts()
        self.rulings = self._rulings()

    # --- facts --------------------------------------------------------------------------------------------------------

    def _facts(self) -> tuple[dict[str, int], tuple[Rest, ...]]:
        """Records per layer, and the facts that nobody has needed for a year; both from one walk over the facts."""
        by_row = {row.row: row for row in self.files.values()}
        layers: Counter[str] = Counter()
        old: list[tuple[str, dict[str, Any], FileRow]] = []
        for part in _parts(self.catalog.all_facts()):
            found = self.catalog.facts_by_id([ident for ident, _ in part])
            standings = self.catalog.standings(found)
            for ident, text in part:
                fact = json.loads(text)
                standing = standings.get(ident) or Standing(state=born(fact))
                if not standing.there or standing.state != "active":
                    continue
                layers[LAYER_OF_TYPE.get(fact.get("type"), "semantic")] += 1
                note = by_row.get(found[ident][1]) if ident in found else None
                if note is not None and _idle(fact, standing, (), self.day) is not None:
                    old.append((ident, fact, note))
        layers["episodic"] += self.catalog.count_episodes()
        layers["concept"] += len(self.cores)
        under = f"{self.reading.folder}/{WORKING}/"
        layers["working"] += sum(p.startswith(under) and r.status == "indexed" for p, r in self.files.items())
        return dict(layers), self._resting(old)

    def _resting(self, old: Sequence[tuple[str, dict[str, Any], FileRow]]) -> tuple[Rest, ...]:
        standings = self.catalog.standings([ident for ident, _, _ in old])
        uses = self.catalog.uses({name for ident, _, note in old for name in (ident, note.id)})
        out = []
        core = {one.path for one in self.cores}
        for ident, fact, note in old:
            events = (*uses.get(ident, ()), *uses.get(note.id, ()))
            idle = _idle(fact, standings.get(ident) or Standing(state=born(fact)), events, self.day)
            if idle is not None and note.path not in core:
                why = disuse.reason(idle, "zh" if note.lang == "zh" else "en")
                out.append(Rest(ident, str(fact["fact"]), note.path, int(fact["line"]), why, str(fact["quote"])))
        return tuple(sorted(out, key=lambda rest: rest.id))

    def _rulings(self) -> list[Ruling]:
        """What waits for a person and is not put off: contradictions first, the longest open at the top, then what is past its time."""
        expired = self.catalog.find_standings("expired", RULINGS)
        names = {ident for a, b, _ in self.open for ident in (a, b)} | {ident for ident, _ in expired}
        facts = {ident: json.loads(found[2]) for ident, found in self.catalog.facts_by_id(sorted(names)).items()}
        sides = self.catalog.standings({ident for a, b, _ in self.open for ident in (a, b)})
        out = [
            Ruling("dispute", (side_of(facts[a]), side_of(facts[b])), since)
            for a, b, since in self.open
            if {a, b} <= facts.keys()  # a side that no note says any more disputes nothing
            and not all(sides.get(one, Standing()).put_off(self.day) for one in (a, b))
        ]
        lasts = {ident: standing.last for ident, standing in expired if standing.last}
        made = self.catalog.revisions(sorted(lasts.values()))
        old = [
            expired_ruling(side_of(facts[ident]), made.get(lasts.get(ident, ""), {}), self.lang, self.day)
            for ident, standing in expired
            if ident in facts and standing.state in ("active", "candidate", "stale") and not standing.put_off(self.day)
        ]
        old.sort(key=lambda ruling: (ruling.since, ruling.sides[0].note, ruling.sides[0].line))
        return [*out, *old, *open_rulings(self.catalog, self.lang, self.day), *self._merges()]

    def _merges(self) -> list[Ruling]:
        """Core memories that a night found to say the same."""
        found = asked(self.catalog, self.reading.vault, self.reading.folder, self.day)
        return [
            Ruling("merge", tuple(Side(m.claim, m.path, 1) for m in (one.merge.covered, one.merge.kept)), one.at[:10])
            for one in found
        ]

    def laid_to_rest(self, plan: Plan | None) -> tuple[Rest, ...]:
        """What the night froze, by its plan: once that is done, the facts themselves propose nothing any more."""
        steps = (
            {step.subjects[0]: step for step in plan.steps if step.kind == "freeze" and step.subjects} if plan else {}
        )
        facts = self.catalog.facts_by_id(sorted(steps))
        out = []
        for ident, (_, _, text) in sorted(facts.items()):
            fact = json.loads(text)
            note, line = str(fact["source"]), int(fact["line"])
            out.append(Rest(ident, str(fact["fact"]), note, line, steps[ident].why, str(fact["quote"])))
        for ident, file in sorted(self.catalog.files_by_id(sorted(steps.keys() - facts.keys())).items()):
            said = steps[ident].evidence[0].text if steps[ident].evidence else file.title
            out.append(Rest(ident, said, file.path, 1, steps[ident].why, said))
        return tuple(out)

    # --- the core -----------------------------------------------------------------------------------------------------

    def revivals(self, history: Sequence[Record]) -> list[Mapping[str, Any]]:
        """What comes back this week: as it was chosen in its first night, or chosen now. Those that hold no more are left out."""
        there = {one.core.id for one in self.cores}
        known = digest.kept(history, self.day)
        if known is not None:
            return [row for row in known if row.get("id") in there]
        earlier = [item for item in history if str(item["day"]) < self.day]
        sleepers = [_sleeper(one) for one in self.cores]
        return [one.record() for one in digest.choose(sleepers, self._recent(), digest.asked(earlier), self.day)]

    def _recent(self) -> list[Recent]:
        first = (date.fromisoformat(self.day) - timedelta(days=digest.RECENT)).isoformat()
        rows = [row for row in self.catalog.dated(first, self.day, "", NOTES_READ) if row.kind == "note"]
        out = []
        for row in rows:
            if row.archived is None and not row.reason:
                text = "\n".join(passage.text for passage in self.catalog.passages_of(row.row))
                out.append(Recent(row.path, row.title, str(row.date)[:10], text))
        return out

    def back(self, chosen: Sequence[Mapping[str, Any]]) -> tuple[Back, ...]:
        """What comes back, as questions in the language of each memory."""
        by_id = {one.core.id: one for one in self.cores}
        return tuple(_back(by_id[str(row["id"])], row, self.files) for row in chosen if str(row.get("id")) in by_id)


def _since(history: Sequence[Record], day: str) -> str:
    """The day of the last night before this one: what lapsed from then on was not told yet. Yesterday where none is known."""
    nights = [str(item["day"]) for item in history if item.get("night") and str(item["day"]) < day]
    return nights[-1] if nights else (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def majority(files: Iterable[FileRow]) -> Lang:
    """The language of most notes of the person; English where there are as many of both."""
    counts = Counter(row.lang for row in files if row.kind == "note" and row.status == "indexed")
    return "zh" if counts["zh"] > counts["en"] else "en"


def _parts(rows: Iterable[tuple[str, str]], size: int = 500) -> Iterable[list[tuple[str, str]]]:
    part: list[tuple[str, str]] = []
    for row in rows:
        part.append(row)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def _idle(fact: Mapping[str, Any], standing: Standing, events: Sequence[Event], day: str) -> int | None:
    held_ = {**fact, **standing.fields}
    known = (held_.get("recorded_at"), held_.get("created_at"), held_.get("verified_at"), standing.verified_at)
    return disuse.idle_days(str(held_.get("type")), standing, events, known, day)


def _sleeper(one: Held) -> Sleeper:
    met = digest.met_days(one.core.events, one.core.born, *one.core.linked)
    return Sleeper(one.core.id, one.path, one.title, one.claim, one.hook, met, one.weight, one.lang)


def _back(one: Held, row: Mapping[str, Any], files: Mapping[str, FileRow]) -> Back:
    place = files.get(str(row.get("place"))) if row.get("place") else None
    idle = row.get("idle")
    asked = digest.question(
        one.title,
        one.claim,
        one.hook,
        idle if isinstance(idle, int) else 0,
        place.title if place is not None else None,
        one.lang,
    )
    return Back(one.path, one.title, asked, None if place is None else (place.path, place.title))
