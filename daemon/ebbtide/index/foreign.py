"""What a line of facts.jsonl, or its absence, means when another device or a merge had a hand in it.

Every device reads the same notes, so the text that a note has now settles most of it: what was read from just this text is
true of it, whoever reads; what was read from another text is older, or not here yet.
"""

from __future__ import annotations

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.memory.records import Fact


def live(catalog: Catalog, fact: Fact) -> bool:
    """Whether a fact was read from the very text that its note has now."""
    row = catalog.file(fact.source)
    return row is not None and row.status == "indexed" and row.digest == fact.note_hash


def said_here(catalog: Catalog, fact: Fact) -> bool:
    """Whether a fact was read from the very text that its note has now, and nobody wants it forgotten."""
    return live(catalog, fact) and all(standing.there for standing in catalog.standings([fact.id]).values())


def outdated(catalog: Catalog, fact: Fact, ours: Fact) -> bool:
    """Whether a merge brought back what was read from another text than the note has now, over what was read from this."""
    return live(catalog, ours) and not live(catalog, fact)


def taken_back(catalog: Catalog, fact: Fact, row: FileRow) -> bool:
    """Whether a merge brought back what the revisions say is gone, and the note's text as it is now never gave."""
    if row.status != "indexed" or fact.note_hash == row.digest:
        return False
    standing = catalog.standings([fact.id]).get(fact.id)
    return standing is not None and (standing.retracted or standing.superseded_by is not None)
