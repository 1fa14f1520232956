"""Reading what a night judges against: the core memories as they are now, what waits from earlier nights, what facts say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ebbtide.index.catalog import Catalog
from ebbtide.index.decisions import born
from ebbtide.memory import codec
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import TextIndex, Vault
from ebbtide.memory.promotion import task_of
from ebbtide.memory.records import Fact
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import fold
from ebbtide.sleep.consolidate import Place
from ebbtide.sleep.core_note import DERIVED, claim_of
from ebbtide.sleep.core_ties import core_of
from ebbtide.sleep.nights import Core, CoreMemory, Quote
from ebbtide.sleep.report_hygiene import Lapsed

LINKS_AT_MOST: Final = 500
FACTS_AT_MOST: Final = 20
WAITING_AT_MOST: Final = 3000
"""Latest revisions among which waiting candidates are looked for."""


def read_core(catalog: Catalog, vault: Vault, folder: str, today: str) -> Core:
    """The core memories that hold on a day, and the names taken in Memory/core. What cannot be read now is left out."""
    files = catalog.files()
    found = []
    for row in core_of(catalog, vault, files.values(), folder, today).files.values():
        try:
            file = vault.read(row.path)
        except (FileNotFoundError, VaultError):
            continue
        note = parse_note(row.path, file.text)
        status = note.properties.get("status")
        if not note.remembered or (isinstance(status, str) and fold(status).strip() in _OVER):
            continue
        lang: Lang = "zh" if row.lang == "zh" else "en"
        inside = row.kind == "memory" and row.path.startswith(f"{folder}/core/")
        found.append(
            CoreMemory(
                row.id,
                row.path,
                row.title,
                row.type or "",
                claim_of(file.text, row.title),
                file.text,
                file.digest,
                lang,
                (row.date or str(note.properties.get("created") or ""))[:10],
                inside and note.properties.get("origin") == DERIVED and not file.bom and not file.problems,
                note.private,
                _cited(catalog, row.path),
            )
        )
    taken = frozenset(fold(path) for path in files if path.startswith(f"{folder}/core/"))
    return Core(tuple(sorted(found, key=lambda memory: memory.path)), taken)


_OVER: Final = frozenset(["superseded", "merged", "archived", "retired", "stale", "已取代", "已合并", "已归档", "作废"])


def _cited(catalog: Catalog, path: str) -> frozenset[str]:
    links = map(json.loads, catalog.find_links(path, LINKS_AT_MOST))
    ends = {end for link in links if link["source"] == path for end in (link.get("from"), link["target"])}
    return frozenset(str(end) for end in ends if end is not None and end != path)


def waiting(catalog: Catalog, vault: Vault, today: str) -> list[Place]:
    """What candidates of earlier nights say that still wait to be borne out, and that their notes still say, by note and line."""
    found: dict[tuple[str, str], Place] = {}
    texts: dict[str, str | None] = {}
    for revision in catalog.latest_revisions(WAITING_AT_MOST, ("release", "associate")):
        place = _waits(revision, today)
        if place is None or _undone(catalog, revision):
            continue
        quote = place.quote
        if quote.note not in texts:
            texts[quote.note] = _text(vault, quote.note)
        if quote.text in (texts[quote.note] or ""):
            found.setdefault((quote.note, quote.text), place)
    return sorted(found.values(), key=lambda place: (place.quote.note, place.quote.line, place.quote.text))


def lapsed(catalog: Catalog, first: str, today: str) -> list[Lapsed]:
    """What waited until a day from `first` to yesterday, and was not borne out, by that day and its place."""
    found: dict[tuple[str, str], Lapsed] = {}
    for revision in catalog.latest_revisions(WAITING_AT_MOST, ("release", "associate")):
        place, until = _place(revision), str(revision.get("until") or "")
        if place is not None and until >= first and not _undone(catalog, revision):
            said = place.quote
            known = found.get((said.note, said.text))
            if known is None or known.until < until:
                found[said.note, said.text] = Lapsed(said, until)
    found = {at: one for at, one in found.items() if one.until < today}
    for revision in catalog.latest_revisions(WAITING_AT_MOST, ("promote", "associate", "compress")) if found else ():
        if not revision.get("until") and not _undone(catalog, revision):
            for said in revision.get("evidence") or ():
                found.pop((str(said.get("source")), str(said.get("quote"))), None)
    return sorted(found.values(), key=lambda one: (one.until, one.quote.note, one.quote.line, one.quote.text))


def _waits(revision: Mapping[str, Any], today: str) -> Place | None:
    return _place(revision) if str(revision.get("until") or "") >= today else None


def _place(revision: Mapping[str, Any]) -> Place | None:
    """What a candidate that waits, or waited, says and where."""
    places: Sequence[Any] = revision.get("evidence") or ()
    if not isinstance(revision.get("until"), str) or len(places) != 1:
        return None
    said = places[0]
    try:
        quote = Quote(
            str(said["source"]), int(said["line"]), str(said["quote"]), str(revision.get("day") or ""),
            revision.get("private") is True,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return None  # a line of another program's
    return Place(quote, str(revision.get("task") or task_of(quote.note, None, None)))


def _undone(catalog: Catalog, revision: Mapping[str, Any]) -> bool:
    whole = revision.get("part_of")
    return catalog.is_undone(str(revision["id"])) or (whole is not None and catalog.is_undone(str(whole)))


def _text(vault: Vault, path: str) -> str | None:
    try:
        return vault.read(path).text
    except (FileNotFoundError, VaultError):
        return None


def said_by_facts(catalog: Catalog, facts: TextIndex, text: str, today: str) -> list[Place]:
    """The places whose facts share words with a sentence: those that a person wrote and that hold, none dated after today."""
    hits = facts.search(text, FACTS_AT_MOST).hits
    found = catalog.facts_by_id([hit.key for hit in hits])
    standings = catalog.standings(list(found))
    out: list[Place] = []
    for ident in sorted(found):
        record = json.loads(found[ident][2])
        standing = standings.get(ident, Standing(state=born(record)))
        fact = codec.fact_from_dict(record)
        if standing.state == "active" and standing.there and fact.origin == "observed" and not fact.held:
            out += [place for place in _places(fact) if place.quote.day <= today]
    return out


def _places(fact: Fact) -> list[Place]:
    """The places of a fact. One whose day is not known to the day is of no day."""
    day = fact.created_at if fact.precision in (None, "day") else None
    own = Quote(fact.source, fact.line, fact.quote, (day or "")[:10], fact.private)
    more = [Quote(e.source, e.line, e.quote, (e.created_at or "")[:10], fact.private) for e in fact.evidence]
    return [Place(quote, task_of(quote.note, fact.project if quote is own else None, None)) for quote in (own, *more)]
