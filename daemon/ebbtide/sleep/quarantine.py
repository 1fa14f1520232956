"""Doubtful sources, set aside in the night: facts that rest on nothing but a clipping or a machine's words, and what a machine put
into the core by itself.

Only what is stated as a fact is set aside; the note stays and is found as what it is. Rules extract nothing from what a machine
wrote, and conflict copies are not indexed, so here is what came another way: notes that were marked later, a better extractor, another
device. What a person has cleared, or taken back, stays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ebbtide.index.catalog import FileRow
from ebbtide.index.decisions import born
from ebbtide.index.reading import parse
from ebbtide.memory.errors import VaultError
from ebbtide.memory.records import Note
from ebbtide.memory.revisions import Revision, Standing
from ebbtide.sleep import checkup, doubtful
from ebbtide.sleep.checkup_read import Part, claim_at, lang_of
from ebbtide.sleep.core_state import Reading
from ebbtide.sleep.nights import Quote, Step

QUOTED: Final = 20
"""Facts of one note that a revision quotes: as many as one question shows."""
_TRUSTED: Final = ("clear", "confirm", "restore", "accept")
"""What a person does to what they trust."""


def set_aside(reading: Reading, part: Part, most: int) -> tuple[Step, ...]:
    """What of this part is set aside: a step for each note whose facts are doubtful, and for each core memory of a machine's, by path;
    at most so many."""
    steps = [step for row, note in part.cores if (step := _core(reading, row, note)) is not None]
    paths = sorted({str(record["source"]) for record, standing in part.facts if _answers(standing)})
    judged: dict[str, str | None] = {}
    for path in paths:
        if len(steps) >= most:
            break
        if _doubt(reading, path, judged) is not None and (step := _facts(reading, path, judged)) is not None:
            steps.append(step)
    return tuple(steps[:most])


def _core(reading: Reading, row: FileRow, note: Note) -> Step | None:
    if not doubtful.agents_own(note) or not _answers(reading.catalog.standings([row.id]).get(row.id, Standing())):
        return None
    if _trusted(reading.catalog.revisions_of(row.id)):
        return None
    lang = lang_of(row)
    claim, line = claim_at(note)
    finding = checkup.found("agent-core", (row.id,))
    quote = Quote(row.path, line, claim, private=note.private)
    return Step("quarantine", "", "", None, (row.id,), finding.reason(lang), (quote,), finding.kept)


def _facts(reading: Reading, path: str, judged: dict[str, str | None]) -> Step | None:
    """The facts of a note that answer and that no note of a person's says, too."""
    catalog, code = reading.catalog, judged[path]
    row = catalog.file(path)
    if row is None or code is None or _trusted(catalog.revisions_of(row.id)):
        return None
    records = [json.loads(record) for _, _, record in catalog.facts_of(row.row)]
    standings = catalog.standings([record["id"] for record in records])
    taken = []
    for record in records:
        standing = standings.get(record["id"], Standing(state=born(record)))
        elsewhere = any(_doubt(reading, str(e["source"]), judged) is None for e in record.get("evidence") or ())
        if _answers(standing) and not elsewhere:
            if _trusted(catalog.revisions_of(record["id"])):
                return None  # who trusts one sentence of a source has seen the source
            taken.append(record)
    if not taken:
        return None
    finding = checkup.found(code, (row.id,))
    lang = lang_of(row)
    quotes = tuple(_quote(record) for record in taken[:QUOTED])
    return Step(
        "quarantine", "", "", None, tuple(record["id"] for record in taken), finding.reason(lang), quotes,
        {**finding.kept, "object": row.id},
    )  # fmt: skip


def _quote(record: Mapping[str, Any]) -> Quote:
    return Quote(str(record["source"]), int(record["line"]), str(record["quote"]), private=bool(record.get("private")))


def _doubt(reading: Reading, path: str, judged: dict[str, str | None]) -> str | None:
    """Why a note is doubtful, read once; what is not there any more vouches for nothing."""
    if path not in judged:
        row = reading.catalog.file(path)
        try:
            text = reading.vault.read(path).text
            judged[path] = doubtful.doubt(parse(row.kind if row is not None else "note", path, text))
        except (FileNotFoundError, VaultError):
            judged[path] = None
    return judged[path]


def _answers(standing: Standing) -> bool:
    return standing.there and standing.state == "active" and not standing.pinned


def _trusted(revisions: Sequence[Revision]) -> bool:
    """Whether a person has said that this may be trusted: cleared or confirmed it, or took back that it was set aside."""
    known = checkup.standing(revisions)
    taken_back = {str(r.get("undoes")) for r in revisions if r.get("undoes")}
    return any(
        (r.get("kind") in _TRUSTED and r.get("by") != "daemon")
        or (r.get("kind") == "quarantine" and r.get("check") is not None and str(r.get("id")) in taken_back)
        for r in known
    )
