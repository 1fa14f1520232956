"""The core as it stands, read for its figures: which memories hold, what a person did with them, what they rest on, what ties them.

Which files are core memories is decided in `core_ties`; here index, daily and retired ones are left out as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.reading import parse
from ebbtide.memory import heat, revisions
from ebbtide.memory.errors import VaultError
from ebbtide.memory.health import WINDOW, Core, Edge, Moves, State
from ebbtide.memory.heat import Event, temperature
from ebbtide.memory.importance import basis, importance
from ebbtide.memory.ports import Vault
from ebbtide.memory.records import Note
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.note import note_name
from ebbtide.parse.note_kind import is_index_name, is_periodic_name
from ebbtide.parse.text import fold, language
from ebbtide.sleep.core_note import claim_of
from ebbtide.sleep.core_ties import is_core

RETIRED: Final = frozenset(
    ["superseded", "retired", "archived", "merged", "stale", "obsolete", "已取代", "退役", "归档", "已归档", "已合并"]
)
"""Values of the property `status` that say: this holds no more."""
PERSONA: Final = "core/persona.md"
"""The portrait of the person is made from the core and links to much of it; it is none of its memories."""
MADE: Final = frozenset(["derived", "agent"])
"""Values of `origin` of what a person did not write."""
NEEDED: Final = 2
"""Notes that must still say what a derived memory was made of, if so many did when it was made."""
LINKS_AT_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read of a vault. `folder` is the memory folder; `shown`: whether an id was shown of late, None where that is not kept."""

    catalog: Catalog
    vault: Vault
    folder: str
    shown: Callable[[str], bool] | None = None
    warmth: heat.Heat = heat.DEFAULT


@dataclass(frozen=True, slots=True)
class Held:
    """A core memory that holds: its file, what its figures are made of, and what is shown of it."""

    file: FileRow
    core: Core
    title: str
    type: str
    hook: str
    claim: str
    lang: Lang
    private: bool
    heat: float
    weight: float

    @property
    def path(self) -> str:
        """Of its file."""
        return self.file.path


def held(reading: Reading, files: Mapping[str, FileRow], today: str) -> list[Held]:
    """The core memories that hold on a day, by path."""
    catalog = reading.catalog
    rows = sorted((row for row in files.values() if _counts(row, reading.folder, today)), key=lambda row: row.path)
    idents = [row.id for row in rows]
    standings, uses = catalog.standings(idents), catalog.uses(idents)
    wrong = {ident: at for ident, at, _ in catalog.called_wrong(1 << 30)}
    linked = _linked(reading, files, {row.row for row in rows})
    out = []
    for row in rows:
        standing = standings.get(row.id, Standing())
        if not _holds(standing):
            continue
        found = read_note(reading, row)
        if found is None:
            continue
        note, text = found
        if over(note):
            continue
        events = (*uses.get(row.id, ()), *_saved(row))
        born = _day(note.properties.get("created")) or _day(row.date)
        type_ = row.type or "reference"
        core = Core(
            row.id,
            born,
            events,
            tuple(sorted(linked.get(row.row, ()))),
            wrong=row.id in wrong and (standing.verified_at or "") < wrong[row.id][:10],
            unsupported=_unsupported(reading, row, note.properties),
            shown=None if reading.shown is None else reading.shown(row.id),
        )
        claim = claim_of(text, note.title)
        months = len({event.day[:7] for event in events if event.kind == "used"})
        out.append(
            Held(
                row,
                core,
                note.title,
                type_,
                str(note.properties.get("description") or ""),
                claim,
                language(text[:4000]),
                note.private,
                temperature(events, born, type_, today, reading.warmth),
                importance(basis(type_, claim), linked=row.inlinks, months=months, pinned=standing.pinned),
            )
        )
    return out


def _counts(row: FileRow, folder: str, today: str) -> bool:
    if not is_core(row, folder) or row.path == f"{folder}/{PERSONA}" or (row.date or "")[:10] > today:
        return False
    name = note_name(row.path)
    return not (is_index_name(name) or is_periodic_name(name))


def _holds(standing: Standing) -> bool:
    whole = standing.superseded_by is None and standing.merged_into is None and not standing.frozen
    return standing.there and standing.state in ("active", "candidate") and whole


def over(note: Note) -> bool:
    """Whether a note says by its `status` that it holds no more."""
    return fold(str(note.properties.get("status", note.properties.get("状态")) or "")).strip() in RETIRED


def read_note(reading: Reading, row: FileRow) -> tuple[Note, str] | None:
    """The note and its text; None if it has gone since it was indexed."""
    try:
        text = reading.vault.read(row.path).text
    except (FileNotFoundError, VaultError):
        return None
    return parse(row.kind, row.path, text), text


def _saved(row: FileRow) -> list[Event]:
    """A person's save of a note of their own; in the memory folder it cannot be told from a write of the night."""
    if row.kind != "note" or row.changed <= 0:
        return []
    return [Event(datetime.fromtimestamp(row.changed, UTC).astimezone().date().isoformat(), "edited")]


def _linked(reading: Reading, files: Mapping[str, FileRow], rows: Collection[int]) -> dict[int, set[str]]:
    """Days of a person's notes that link to each of these files: when a link was made no file says, when its note was does."""
    days = {file.row: day for file in files.values() if file.kind == "note" and (day := _day(file.date))}
    out: dict[int, set[str]] = {}
    for edge in reading.catalog.graph_edges():
        if edge.end in rows and edge.start in days and edge.start not in rows:
            out.setdefault(edge.end, set()).add(days[edge.start])
    return out


def _day(value: object) -> str | None:
    """A whole ISO day out of a property or a date of the catalogue."""
    text = str(value or "")[:10]
    try:
        return date.fromisoformat(text).isoformat() if len(text) == 10 else None
    except ValueError:
        return None


def _unsupported(reading: Reading, row: FileRow, properties: Mapping[str, Any]) -> bool:
    """Whether a memory that no person wrote does not rest on enough any more: the quotations it was promoted with, where they
    are known, else the notes that it names as evidence."""
    if fold(str(properties.get("origin") or "")).strip() not in MADE:
        return False
    known = revisions.effective(reading.catalog.revisions_of(row.id))
    made = [r for r in known if r.get("kind") == "promote" and row.id in (r.get("subjects") or ())]
    places = [p for r in made[-1:] for p in r.get("evidence") or () if isinstance(p, Mapping) and p.get("source")]
    if not places:
        return not _evidence(reading.catalog, row.path)
    notes = {str(place["source"]) for place in places}
    texts: dict[str, str] = {}
    live = {
        str(p["source"]) for p in places if str(p.get("quote") or "") in _text(reading.vault, str(p["source"]), texts)
    }
    return len(live) < min(NEEDED, len(notes))


def _text(vault: Vault, path: str, texts: dict[str, str]) -> str:
    if path not in texts:
        try:
            texts[path] = vault.read(path).text
        except (FileNotFoundError, VaultError):
            texts[path] = ""
    return texts[path]


def _evidence(catalog: Catalog, path: str) -> set[str]:
    links = map(json.loads, catalog.find_links(path, LINKS_AT_MOST))
    named = (
        link for link in links if link.get("source") == path and fold(str(link.get("relation"))) in ("evidence", "证据")
    )
    return {str(link["target"]) for link in named if link.get("target")}


# --- between them, and what became of them ------------------------------------------------------------------------


def edges(catalog: Catalog, cores: Sequence[Held]) -> tuple[Edge, ...]:
    """Resolved links between core memories; `mentioned` says nothing of how they hang together."""
    names = {one.file.row: one.core.id for one in cores}
    found = {
        Edge(names[edge.start], names[edge.end], edge.type != "mentioned")
        for edge in catalog.graph_edges()
        if edge.start in names and edge.end in names and edge.start != edge.end
    }
    return tuple(sorted(found, key=lambda edge: (edge.a, edge.b, edge.typed)))


def moves(catalog: Catalog, idents: Collection[str], today: str) -> Moves:
    """What became of core memories in the window, by the revisions that count. `idents`: of every core memory, retired ones too."""
    first = (date.fromisoformat(today) - timedelta(days=WINDOW)).isoformat()
    kinds = ("promote", "compress", "merge", "supersede", "archive", "forget")
    seen: dict[str, set[str]] = {kind: set() for kind in kinds}
    for item in catalog.revisions_since(first, kinds):
        if item.get("undoes") or not first < _local(str(item.get("at"))) <= today:
            continue
        if any(catalog.is_undone(str(item[name])) for name in ("id", "part_of") if item.get(name)):
            continue
        kind, subjects = str(item["kind"]), [str(name) for name in item.get("subjects") or ()]
        if kind == "compress":
            seen[kind] |= {str(item["id"])} if str(item.get("object")) in idents else set()
        else:
            seen[kind] |= {name for name in subjects if name in idents}
    retired = seen["supersede"] | seen["archive"] | seen["forget"]
    return Moves(len(seen["promote"]), len(seen["merge"]), len(seen["compress"]), len(retired - seen["merge"]))


def _local(at: str) -> str:
    try:
        return datetime.fromisoformat(at).astimezone().date().isoformat()
    except ValueError:
        return at[:10]


def disputes(catalog: Catalog, most: int = 1000) -> list[tuple[str, str, str]]:
    """(a, b, since) of open contradictions, the longest open first; `since` is the local day on which it came up."""
    listed = dict(catalog.find_standings("disputed", most))
    listed |= catalog.standings({other for s in listed.values() for other in s.disputes} - listed.keys())
    out = []
    for a, b in revisions.open_disputes(listed):
        if not all(_open(listed.get(ident)) for ident in (a, b)):
            continue
        known = revisions.effective(catalog.revisions_of(a))
        days = [_local(str(r.get("at"))) for r in known if r.get("kind") == "dispute" and _names(r) >= {a, b}]
        if days:
            out.append((a, b, min(days)))
    return sorted(out, key=lambda one: (one[2], one[0], one[1]))


def _open(standing: Standing | None) -> bool:
    return standing is None or (standing.there and standing.state in ("active", "candidate"))


def _names(item: Mapping[str, Any]) -> set[str]:
    other = item.get("object")
    return {str(name) for name in (*(item.get("subjects") or ()), *([other] if other else ()))}


def state(
    reading: Reading, cores: Sequence[Held], files: Iterable[FileRow], waiting: Sequence[str], today: str
) -> State:
    """All that the figures are computed from."""
    every = {row.id for row in files if row.path.startswith(f"{reading.folder}/core/")} | {one.core.id for one in cores}
    return State(
        tuple(one.core for one in cores),
        edges(reading.catalog, cores),
        moves(reading.catalog, every, today),
        tuple(waiting),
    )
