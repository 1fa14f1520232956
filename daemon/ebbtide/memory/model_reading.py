"""What a model read from a text that the rules have read before: whose facts hold. Pure planning, like `intake`.

A model's reading takes the place of the rules' facts of the same text, under the same ids where the quote is the same.
What says more than the words it quotes is a conclusion: it stands beside what is stated, never in its place and never as
evidence for it. What a person has decided on is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ebbtide.memory.intake import Origin, Plan, mint, normalised, plan_note, retraction
from ebbtide.memory.records import Fact, FactDraft, FactId


def plan_reading(
    drafts: Sequence[FactDraft],
    concluded: Collection[FactDraft],
    stored: Sequence[Fact],
    origin: Origin,
    *,
    stay: Mapping[FactId, Fact],
    folded: Callable[[str], str],
    elsewhere: Callable[[FactId], Fact | None],
) -> Plan:
    """Meet what a model read with the facts stored for the note, all of them read from the text it is now.

    `concluded` are the drafts that say more than they quote; `stay` are facts that this reading may not touch. The rest is as for
    `intake.plan_note`.
    """
    stated = [draft for draft in drafts if draft not in concluded]
    observed = [fact for fact in stored if fact.origin == "observed"]
    plan = _planned(stated, observed, origin, folded, elsewhere)
    more = [draft for draft in drafts if draft in concluded]
    known = {fact.id for fact in (*observed, *plan.puts)}
    minted = {mint(draft, folded): draft for draft in more}
    # A conclusion bears out no fact that a person stated; drawn again from other words of theirs, it bears out itself.
    fresh = [draft for ident, draft in minted.items() if ident not in known and _concluded(elsewhere(ident))]
    derived = [fact for fact in stored if fact.origin != "observed"]
    rest = _planned(fresh, derived, origin, folded, elsewhere)
    plan.puts += [replace(fact, origin="derived") for fact in rest.puts]
    plan.gone += rest.gone
    plan.revisions = [_said_by(revision, origin) for revision in (*plan.revisions, *rest.revisions)]
    # What a conclusion quotes is still said: the rules' plain fact of it stays beside it, or in its place if it says the same.
    quoted = {normalised(draft.quote) for draft in more}
    lost = [fact for fact in observed if fact.id in plan.gone]
    beside = {fact.id: fact for fact in lost if fact.id in minted or normalised(fact.quote) in quoted}
    return keeping(plan, {**beside, **stay})


def _concluded(other: Fact | None) -> bool:
    return other is None or other.origin == "derived"


def keeping(plan: Plan, stay: Mapping[FactId, Fact]) -> Plan:
    """The plan without anything that would touch these facts."""
    puts = [stay.get(fact.id, fact) for fact in plan.puts]
    there = {fact.id for fact in puts}
    return Plan(
        [*puts, *(fact for fact in stay.values() if fact.id not in there)],
        [ident for ident in plan.gone if ident not in stay],
        [revision for revision in plan.revisions if not stay.keys() & set(revision["subjects"])],
    )


def _planned(
    drafts: Sequence[FactDraft],
    stored: Sequence[Fact],
    origin: Origin,
    folded: Callable[[str], str],
    elsewhere: Callable[[FactId], Fact | None],
) -> Plan:
    """`plan_note` within one and the same text, where nothing was edited: another value of the same words is another reading of
    them, and like words on another line are another fact."""
    quotes, lines = {normalised(draft.quote) for draft in drafts}, {draft.line for draft in drafts}
    near = [fact for fact in stored if fact.line in lines or normalised(fact.quote) in quotes]
    plan = plan_note(drafts, [replace(f, value=None) for f in near], origin, folded=folded, elsewhere=elsewhere)
    taken = {fact.id for fact in (*near, *plan.puts)}
    for fact in stored:
        if fact.id not in taken:
            plan.gone.append(fact.id)
            plan.revisions.append(retraction(fact))
    return plan


def _said_by(revision: Mapping[str, Any], origin: Origin) -> dict[str, Any]:
    """A revision of this plan in the name of the model."""
    model = origin.extractor.rpartition("/")[0] or origin.extractor
    why = f"{model} has read the note and keeps other facts of it"
    return {**revision, "by": model, **({"why": why} if revision["kind"] == "retract" else {})}
