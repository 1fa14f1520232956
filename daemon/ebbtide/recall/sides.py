"""The other sides of a dispute, as quotes with their places: what a person needs to see both beside each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from ebbtide.recall import compose
from ebbtide.recall.candidates import Channels
from ebbtide.recall.holding import PLAIN


def sides(channels: Channels, idents: Collection[str], read: Callable[[str], str | None]) -> list[dict[str, Any]]:
    """These facts as their notes state them now, in the order given; one that its note says no longer is left out.

    `read` gives the text of a note by its path, None where there is none.
    """
    if not idents:
        return []
    known = channels.catalog.facts_by_id(list(idents))
    standings = channels.catalog.standings(known)
    out: list[dict[str, Any]] = []
    for ident in idents:
        if ident not in known:
            continue
        record = {**json.loads(known[ident][2]), **standings.get(ident, PLAIN).fields}
        text = read(record["source"])
        place = None if text is None else compose.locate(text, record["quote"], record["line"])
        if text is None or place is None:
            continue
        out.append(
            {
                "id": ident,
                "note": record["source"],
                "line": place[1],
                "column": compose.column_of(text, place[0]),
                "quote": record["quote"],
                "as_of": record.get("created_at"),
            }
        )
    return out
