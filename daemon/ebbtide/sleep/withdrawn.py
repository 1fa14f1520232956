"""Whether words that a night planned to carry on still may be: what they stand in is read again just before each step.

Between plan and writing lie hours where a batch is waited for, and days where a night was cut off. What a person deleted,
excluded, or made private meanwhile goes nowhere, and no report tells of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from ebbtide.index.catalog import Catalog
from ebbtide.index.reading import parse
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import WatchedVault
from ebbtide.memory.revisions import effective
from ebbtide.sleep.nights import Plan, Quote, Step

GONE: Final = "its note does not say it any more"
NOT_KEPT: Final = "its note is not to be remembered any more"
PRIVATE: Final = "its note was made private since the plan was made"
REASONS: Final = frozenset([GONE, NOT_KEPT, PRIVATE])


def withdrawn(catalog: Catalog, vault: WatchedVault, plan: Plan, step: Step) -> str:
    """Why the words that a step of a plan carries on may not be any more, or "". Reads their notes as they are now."""
    for quote in _carried(plan, step):
        reason = _reason(catalog, vault, quote)
        if reason:
            return reason
    return ""


def _carried(plan: Plan, step: Step) -> Sequence[Quote]:
    """The words of a person that a step writes on: of a candidate all that was read of it, since reasons are made of them, too.

    Steps that only ask about what is recorded already carry nothing on.
    """
    key = step.extra.get("key")
    if key is None:
        return step.evidence if step.extra.get("working") == "written" else ()
    read = [replace(quote, private=one.private) for one in plan.candidates if one.key == key for quote in one.quotes]
    return [*step.evidence, *read]


def _reason(catalog: Catalog, vault: WatchedVault, quote: Quote) -> str:
    if vault.excluded_by_obsidian(quote.note) or vault.is_template(quote.note):
        return NOT_KEPT
    row = catalog.file(quote.note)  # conversations have none
    try:
        note = parse(row.kind if row is not None else "note", quote.note, vault.read(quote.note).text)
    except (OSError, VaultError):
        return GONE
    if not note.remembered:
        return NOT_KEPT
    if note.private and not quote.private:
        return PRIVATE
    return "" if quote.text in note.text else GONE


def vouched(catalog: Catalog, step: Step, path: str, content: str) -> bool:
    """Whether a revision that holds says that a file has a content (by hash): of this device or of another one."""
    return any(
        change.get("path") == path and change.get("after") == content
        for name in {*step.subjects, str(step.extra.get("object") or "")}
        for revision in effective(catalog.revisions_of(name))
        for change in revision.get("changes") or ()
    )


def without(plan: Plan, steps: Collection[int]) -> Plan:
    """A plan without what was withdrawn: the candidates of these steps, by number, and their words. The numbers of steps stay."""
    keys = {plan.steps[n].extra.get("key") for n in steps} - {None}
    left = tuple(
        Step(step.kind, "", "", None, step.subjects, "") if n in steps else step for n, step in enumerate(plan.steps)
    )
    return replace(
        plan,
        candidates=tuple(one for one in plan.candidates if one.key not in keys),
        judged=tuple(one for one in plan.judged if one.candidate.key not in keys),
        steps=left,
    )
