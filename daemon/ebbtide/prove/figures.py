"""Figures of a vault that need no questions: are facts cited where they stand, what is polluted, how often is something wrong."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.memory.errors import VaultError
from ebbtide.prove.cite import Reader, ranked
from ebbtide.prove.planted import front
from ebbtide.runtime import Runtime

CITED: Final = 40
"""Facts of the vault that are cited; always the same ones as long as they are there."""
WEEKS: Final = 4
"""Over which corrections are counted."""
Share = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pollution:
    """Of the facts that hold (`of`): without a live quote, concluded without two dated sources, called wrong; `any_` of them.

    `named` are the first of them, (id, note, line, why).
    """

    of: int
    dead: int
    unsupported: int
    wrong: int
    any_: int
    named: tuple[tuple[str, str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Corrections:
    """What was said over the last four weeks: memories called wrong, and confirmed."""

    wrong: int
    used: int

    @property
    def per_week(self) -> float:
        """Corrections a week."""
        return self.wrong / WEEKS


def holding(runtime: Runtime) -> list[tuple[str, dict[str, Any]]]:
    """The facts that are active, by id."""
    found = [(ident, json.loads(record)) for ident, record in runtime.catalog.all_facts()]
    standings = runtime.catalog.standings([ident for ident, _ in found])
    return sorted(
        (ident, fact)
        for ident, fact in found
        if not fact.get("held")
        and (standings.get(ident) is None or (standings[ident].state == "active" and standings[ident].there))
    )


def pollution(runtime: Runtime, facts: list[tuple[str, dict[str, Any]]], shown: int = 5) -> Pollution:
    """Of facts that hold, those that should not be trusted. Core memories are notes that a person reads; they count by their facts."""
    said = {ident: (at, why) for ident, at, why in runtime.catalog.called_wrong(1 << 30)}
    standings = runtime.catalog.standings(list(said))
    texts: dict[str, str] = {}
    dead = unsupported = wrong = 0
    named: list[tuple[str, str, int, str]] = []
    for ident, fact in facts:
        reasons = []
        if fact["source_kind"] != "external" and fact["quote"] not in _text(runtime, fact["source"], texts):
            dead += 1
            reasons.append("dead-quote")
        if fact["origin"] == "derived" and len(_dated(fact)) < 2:
            unsupported += 1
            reasons.append("one-source")
        if ident in said and not _cleared(standings.get(ident), said[ident][0]):
            wrong += 1
            reasons.append("called-wrong")
        if reasons:
            named.append((ident, fact["source"], fact["line"], reasons[0]))
    return Pollution(len(facts), dead, unsupported, wrong, len(named), tuple(named[:shown]))


def _cleared(standing: Any, at: str) -> bool:
    """A person has confirmed the memory on the day it was called wrong, or later."""
    return standing is not None and standing.verified_at is not None and standing.verified_at[:10] >= at[:10]


def _dated(fact: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Sources that bear it out, each with its day."""
    rows = [fact, *(fact.get("evidence") or ())]
    return {(row["source"], row["created_at"]) for row in rows if row.get("created_at")}


def _text(runtime: Runtime, path: str, texts: dict[str, str]) -> str:
    if path not in texts:
        try:
            texts[path] = runtime.store.read(path).text
        except (OSError, VaultError):
            texts[path] = ""
    return texts[path]


def cited(runtime: Runtime, facts: list[tuple[str, dict[str, Any]]]) -> tuple[Share, list[tuple[str, str, str]]]:
    """Facts of running text, cited from their words alone: (at a line that states them, of how many), and the misses.

    A miss is (fact, where it stands, what was cited instead). A line states a fact if it is its source's or its evidence's.
    """
    shuffled = sorted(facts, key=lambda row: hashlib.blake2b(row[0].encode(), digest_size=8).hexdigest())
    texts: dict[str, str] = {}
    picked = [row for row in shuffled if _running(runtime, row[1], texts)][:CITED]
    reader = Reader(runtime)
    right = 0
    missed: list[tuple[str, str, str]] = []
    for _, fact in picked:
        best = ranked(reader, fact["fact"])
        place = (best[0].anchor.rpartition("#")[0], best[0].number) if best else ("", 0)
        wanted = {(row["source"], row["line"]) for row in (fact, *(fact.get("evidence") or ()))}
        if place in wanted or (best and fact["quote"] in best[0].text):
            right += 1
        else:
            missed.append((fact["fact"], f"{fact['source']}:{fact['line']}", f"{place[0]}:{place[1]}"))
    return (right, len(picked)), missed


def _running(runtime: Runtime, fact: Mapping[str, Any], texts: dict[str, str]) -> bool:
    """Whether it stands in the body of a note, on one line, as it is cited."""
    if fact["source_kind"] != "note" or "\n" in fact["quote"]:
        return False
    text = _text(runtime, fact["source"], texts)
    return fact["quote"] in text and fact["line"] > front(text)


def corrections(runtime: Runtime) -> Corrections:
    """Counted from the ledgers of all devices."""
    since = (date.fromisoformat(runtime.uses.today()) - timedelta(weeks=WEEKS)).isoformat()
    records, _ = runtime.uses.ledger.read()
    kinds = [record.get("kind") for record in records if str(record.get("at") or "")[:10] > since]
    return Corrections(kinds.count("wrong"), kinds.count("used"))
