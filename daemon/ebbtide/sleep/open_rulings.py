"""What waits for a person beside contradictions and facts past their time: notes that are asked about, and what was set aside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ebbtide.index.catalog import Catalog
from ebbtide.memory.states import Lang
from ebbtide.sleep import checkup
from ebbtide.sleep.edition import Ruling, Side

AT_MOST: Final = 100


def expired_ruling(side: Side, made: Mapping[str, Any], lang: Lang, today: str) -> Ruling:
    """The question whether something still holds; `made` is the revision that asks, and tells what a check-up found."""
    return Ruling("expired", (side,), str(made.get("at") or today)[:10], checkup.told(made, lang))


def open_rulings(catalog: Catalog, lang: Lang, today: str) -> list[Ruling]:
    """Core memories and working notes that a night asks about, and each source that was set aside, once; by kind, day and note.
    None that a person has put off."""
    notes = {
        ident: standing
        for ident, standing in catalog.find_standings("expired", AT_MOST, "n_")
        if standing.state in ("active", "candidate", "stale") and not standing.put_off(today)
    }
    quarantined = catalog.find_standings("quarantined", AT_MOST)
    aside = {ident: standing for ident, standing in quarantined if not standing.put_off(today)}
    files = catalog.files_by_id(sorted({*notes, *(ident for ident in aside if ident.startswith("n_"))}))
    facts = {ident: json.loads(row[2]) for ident, row in catalog.facts_by_id(sorted(aside)).items()}
    revised = catalog.revisions(sorted({s.last for s in (*notes.values(), *aside.values()) if s.last is not None}))
    out = []
    for ident, standing in notes.items():
        if ident in files and files[ident].status == "indexed":
            made = revised.get(standing.last or "", {})
            out.append(expired_ruling(_side(made, files[ident].path, files[ident].title), made, lang, today))
    seen: set[str] = set()
    for ident, standing in aside.items():
        if standing.last in seen or not (ident in facts or ident in files):
            continue
        seen |= {standing.last} if standing.last is not None else set()
        made = revised.get(standing.last or "", {})
        side = side_of(facts[ident]) if ident in facts else _side(made, files[ident].path, files[ident].title)
        out.append(Ruling("quarantined", (side,), str(made.get("at") or today)[:10], checkup.told(made, lang)))
    return sorted(out, key=lambda one: (one.kind, one.since, one.sides[0].note, one.sides[0].line))


def side_of(fact: Mapping[str, Any]) -> Side:
    """A fact, by its record, as a side of a ruling."""
    return Side(str(fact["fact"]), str(fact["source"]), int(fact["line"]))


def _side(revision: Mapping[str, Any], path: str, title: str) -> Side:
    """The words of a note that a revision is about, else its title."""
    for place in revision.get("evidence") or ():
        if isinstance(place, Mapping) and place.get("source") == path and isinstance(place.get("line"), int):
            return Side(str(place.get("quote") or title), path, place["line"])
    return Side(title, path, 1)
