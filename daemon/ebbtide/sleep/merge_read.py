"""Core memories read for merging: what a person made of each, what was asked and answered before, and when the next look is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from ebbtide.index.catalog import Catalog
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Vault
from ebbtide.memory.revisions import Standing, effective
from ebbtide.memory.states import Lang
from ebbtide.parse.properties import read_properties
from ebbtide.parse.text import fold
from ebbtide.sleep.core_note import claim_of, has_list
from ebbtide.sleep.core_read import read_core
from ebbtide.sleep.likeness import Likeness
from ebbtide.sleep.merging import (
    MERGES,
    Known,
    Merge,
    Proposal,
    before,
    merges,
    proposals,
    proposed,
    said,
    steps,
    taken_back,
    untouched,
)
from ebbtide.sleep.nights import Core, CoreMemory, Step
from ebbtide.sleep.planning import inside
from ebbtide.sleep.report_merge import Joined

MERGES_AT_MOST: Final = 2000
"""Latest merges, of facts too, among which those of a night are looked for."""
MARK: Final = "core_merges_looked"
"""The subject of the revision that says when core memories were last looked through."""


@dataclass(frozen=True, slots=True)
class Look:
    """How core memories are looked through; see config_merge.Merge."""

    auto: bool = False
    every_days: int = 30
    likeness: float = 0.75
    most: int = 10


@dataclass(frozen=True, slots=True)
class Open:
    """A proposal that a person has not decided, as both memories stand now."""

    merge: Merge
    at: str
    why: str


def looked(
    catalog: Catalog, vault: Vault, folder: str, day: str, lang: Lang, look: Look, likeness: Likeness,
    check: Callable[[], None] = lambda: None,
) -> tuple[Step, ...]:  # fmt: skip
    """The steps of a look through the core, the mark of the look first; none before the next one is due. `check` is called between
    memories and may raise."""
    if not due(catalog, day, look.every_days):
        return ()
    core = read_core(catalog, vault, folder, day)
    if len(core.memories) < 2:
        return ()
    standings = catalog.standings([memory.id for memory in core.memories])
    earlier = proposals(catalog.revisions_of(MERGES))

    def leave(one: Merge) -> bool:
        if taken_back(one, catalog.revisions_of(one.covered.id)):
            return True
        old = before(one, earlier)
        return old is not None and (not look.auto or not _undecided(old, standings, catalog))

    found = merges(known_of(catalog, folder, core), likeness, look.likeness, look.most, leave, check)
    why = f"{len(core.memories)} core memories were looked through for what says the same"
    mark = Step("associate", "", "", None, (MARK,), why, (), {"looked": day})
    done = steps(found, folder, lang) if look.auto else [proposed(one, lang) for one in found]
    return (mark, *done)


def due(catalog: Catalog, day: str, every: int) -> bool:
    """Whether a look is due on a day (ISO); a look that was taken back with its night was none."""
    if every <= 0:
        return False
    marks = [str(r["looked"]) for r in effective(catalog.revisions_of(MARK)) if isinstance(r.get("looked"), str)]
    last = max((mark for mark in marks if mark <= day), default=None)
    return last is None or (date.fromisoformat(day) - date.fromisoformat(last)).days >= every


def known_of(catalog: Catalog, folder: str, core: Core) -> list[Known]:
    """The core memories with what decides which of two stays, by path; those that are frozen or pinned stay as they are."""
    idents = [memory.id for memory in core.memories]
    standings, uses = catalog.standings(idents), catalog.uses(idents)
    out = []
    for memory in core.memories:
        standing = standings.get(memory.id, Standing())
        if standing.frozen:
            continue
        days = {event.day for event in uses.get(memory.id, ()) if event.kind == "used"}
        days |= {standing.verified_at} if standing.verified_at else set()
        own = standing.pinned or not ours(catalog, folder, memory)
        places = sum(not note.startswith(f"{folder}/") for note in memory.notes)
        disputed = bool(standing.disputes) or has_list(memory.text, "Disputed")
        out.append(Known(memory, own, places, len(days), _scope(memory.text), disputed))
    return out


def ours(catalog: Catalog, folder: str, memory: CoreMemory) -> bool:
    """Whether Ebbtide wrote a core memory and no person ever changed it."""
    return memory.ours and untouched(catalog.revisions_of(memory.id), inside(memory.path, folder), memory.digest)


def _scope(text: str) -> str:
    values: Mapping[str, Any] = read_properties("", text).values
    return "\0".join(fold(str(values.get(name) or "")).strip() for name in ("scope", "project"))


def asked(catalog: Catalog, vault: Vault, folder: str, day: str) -> list[Open]:
    """What is proposed, open and not put off on a day, the oldest first: both memories hold, say what they said then, and one is
    still untouched."""
    every = proposals(catalog.revisions_of(MERGES))
    names = {ident for one in every for ident in one.pair}
    standings = catalog.standings(names)
    left = [one for one in every if _undecided(one, standings, catalog) and not _put_off(one, standings, day)]
    if not left:
        return []
    memories = {memory.id: memory for memory in read_core(catalog, vault, folder, day).memories}
    return [found for one in left if (found := _open(one, memories, catalog, folder)) is not None]


def _undecided(one: Proposal, standings: Mapping[str, Standing], catalog: Catalog) -> bool:
    a, b = (standings.get(ident, Standing()) for ident in (one.covered, one.kept))
    holds = all(side.there and side.state in ("active", "candidate") and not side.frozen for side in (a, b))
    if not holds or one.kept not in a.settled:
        return holds
    told = effective(catalog.revisions_of(one.covered))  # an earlier answer was about what they said then
    return not any(r.get("kind") == "settle" and _names(r) >= one.pair and str(r.get("at")) > one.at for r in told)


def _put_off(one: Proposal, standings: Mapping[str, Standing], day: str) -> bool:
    return all(standings.get(ident, Standing()).put_off(day) for ident in one.pair)


def _names(revision: Mapping[str, Any]) -> set[str]:
    return {str(name) for name in (*(revision.get("subjects") or ()), revision.get("object"))}


def _open(one: Proposal, memories: Mapping[str, CoreMemory], catalog: Catalog, folder: str) -> Open | None:
    covered, kept = memories.get(one.covered), memories.get(one.kept)
    if covered is None or kept is None or not ours(catalog, folder, covered):
        return None
    if {side.id: said(side.claim) for side in (covered, kept)} != dict(one.claims):
        return None
    return Open(Merge(kept, covered, 0.0), one.at, one.why)


def joined(catalog: Catalog, vault: Vault, day: str) -> list[Joined]:
    """The core memories that were merged on a day (ISO, local) and still are, in the order in which it was done."""
    out = []
    for revision in catalog.latest_revisions(MERGES_AT_MOST, ("merge",)):
        names = [*map(str, revision.get("subjects") or ()), str(revision.get("object"))]
        if revision.get("night") != day or len(names) != 2:
            continue
        files, whole = catalog.files_by_id(names), revision.get("part_of")
        undone = catalog.is_undone(str(revision["id"])) or (whole is not None and catalog.is_undone(str(whole)))
        if undone or files.keys() != set(names):
            continue
        covered, kept = (files[name] for name in names)
        try:
            text = claim_of(vault.read(covered.path).text, covered.title)
        except (FileNotFoundError, VaultError):
            text = covered.title
        out.append(Joined(str(revision["id"]), covered.path, kept.path, text, str(revision.get("why") or "")))
    return out[::-1]


def thawed(catalog: Catalog, done: Sequence[Step], lang: Lang) -> tuple[Step, ...]:
    """The steps that thaw what was frozen and a night found said again: it is needed after all."""
    names = sorted({str(step.extra["object"]) for step in done if step.kind in ("associate", "compress") and step.path
                    and isinstance(step.extra.get("object"), str)})  # fmt: skip
    why = "又有人提到" if lang == "zh" else "it was said again"
    standings = catalog.standings(names)
    return tuple(
        Step("thaw", "", "", None, (ident,), why) for ident in names if ident in standings and standings[ident].frozen
    )
