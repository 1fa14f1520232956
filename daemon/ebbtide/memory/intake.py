"""The write path for facts: what an extractor read meets what is already known, and identities are kept.

Pure planning: `plan_note` takes the drafts of one note and the facts stored for it and says what to put, what to retract and which
revisions to record. An id is minted once from a hash and kept afterwards (formats.md 1): the same quote keeps it,
so does the same block with most of its words; only a changed value is a new fact, which supersedes the old one.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ebbtide.memory.records import Evidence, Fact, FactDraft, FactId

SAME_BLOCK_OVERLAP = 0.85
_NOISE = re.compile(r"[\W_]+")


def normalised(text: str) -> str:
    """Text reduced to what makes two claims the same: case, white space and punctuation are gone."""
    return _NOISE.sub(" ", text).strip().lower()


def mint(draft: FactDraft, folded: Callable[[str], str]) -> FactId:
    """The id of a new fact: a hash of (subject, claim, scope, project, stated start of validity), all normalised."""
    parts = (draft.subject or "", draft.fact, draft.scope, draft.project or "", draft.valid_from or "")
    text = "\x1f".join(normalised(folded(part)) for part in parts)
    return FactId("f_" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest())


@dataclass(frozen=True, slots=True)
class Origin:
    """The note the drafts come from, and when they were read."""

    path: str
    digest: str
    extractor: str
    private: bool
    now: str


@dataclass(slots=True)
class Plan:
    """What taking in one note changes. `revisions` lack id and time: the ledger stamps them."""

    puts: list[Fact] = field(default_factory=list)
    gone: list[FactId] = field(default_factory=list)
    revisions: list[dict[str, Any]] = field(default_factory=list)


def _overlap(a: str, b: str) -> float:
    """Share of the longer text's tokens that both hold; 1 for equal token sets."""
    left, right = set(normalised(a).split()), set(normalised(b).split())
    if len(left) <= 2 or len(right) <= 2:  # unbroken Chinese is one "word": compare characters instead
        left, right = set(normalised(a)), set(normalised(b))
    longer = max(len(left), len(right))
    return len(left & right) / longer if longer else 0.0


def _matches(drafts: Sequence[FactDraft], stored: Sequence[Fact]) -> dict[int, Fact]:
    """Draft index -> the stored fact it continues: by exact quote first, then by the most alike quote under the same heading,
    last by the slot whose value was edited."""
    found: dict[int, Fact] = {}
    free = {fact.id: fact for fact in stored}
    by_quote: dict[tuple[str, str], list[Fact]] = {}
    for fact in stored:
        by_quote.setdefault((normalised(fact.quote), fact.type), []).append(fact)
    for i, draft in enumerate(drafts):
        same = [f for f in by_quote.get((normalised(draft.quote), draft.type), []) if f.id in free]
        if same:
            # One sentence can hold two facts: prefer the one that says the same.
            best = max(same, key=lambda f: (_overlap(f.fact, draft.fact), f.id))
            found[i] = free.pop(best.id)
    for i, draft in enumerate(drafts):
        if i in found or not free:
            continue
        near = [(f, _overlap(f.quote, draft.quote)) for f in free.values() if f.heading == draft.heading]
        near = [(f, share) for f, share in near if share >= SAME_BLOCK_OVERLAP]
        if near:
            best, _ = max(near, key=lambda pair: (pair[1], pair[0].id))
            found[i] = free.pop(best.id)
    for i, draft in enumerate(drafts):
        if i in found or draft.attribute is None:
            continue
        # In a short sentence a new value alone is more than the tolerance: the slot says what was edited.
        slot = [f for f in free.values() if _same_slot(f, draft) and _changed_value(f, draft)]
        if slot:
            found[i] = free.pop(max(slot, key=lambda f: (_overlap(f.quote, draft.quote), f.id)).id)
    return found


def _same_slot(fact: Fact, draft: FactDraft) -> bool:
    theirs = (fact.heading, fact.type, fact.subject, fact.attribute)
    return theirs == (draft.heading, draft.type, draft.subject, draft.attribute)


def _changed_value(fact: Fact, draft: FactDraft) -> bool:
    return fact.value is not None and draft.value is not None and normalised(fact.value) != normalised(draft.value)


def _fact(ident: FactId, draft: FactDraft, origin: Origin, old: Fact | None) -> Fact:
    fields = {f.name: getattr(draft, f.name) for f in dataclasses.fields(FactDraft) if f.name not in ("start", "end")}
    kept: dict[str, Any] = {}
    if old is not None:
        kept = {
            "recorded_at": old.recorded_at,
            "verified_at": old.verified_at,
            "related": old.related,
            "extra": old.extra,
            "evidence": old.evidence,
            "expires_at": old.expires_at,
            "review_at": old.review_at,
            "held": old.held,
        }
        if draft.created_at is None:
            kept |= {"created_at": old.created_at, "precision": old.precision}
    values = {
        **fields,
        "id": ident,
        "source": origin.path,
        "note_hash": origin.digest,
        "extractor": origin.extractor,
        "private": origin.private,
        "recorded_at": origin.now,
        **kept,
    }
    return Fact(**values)


def plan_note(
    drafts: Sequence[FactDraft],
    stored: Sequence[Fact],
    origin: Origin,
    *,
    folded: Callable[[str], str],
    elsewhere: Callable[[FactId], Fact | None],
) -> Plan:
    """Meet the drafts of one note with the facts stored for it.

    `stored` are the facts whose source is this note; `elsewhere(id)` finds a fact by id in any other note; `folded` brings
    text to one script and width. A fact that another note already states gets this note as evidence instead of a twin.
    """
    plan = Plan()
    found = _matches(drafts, stored)
    continued = {fact.id for fact in found.values()}
    taken: set[FactId] = set()
    for i, draft in enumerate(drafts):
        old = found.get(i)
        if old is not None and not _changed_value(old, draft):
            taken.add(old.id)
            plan.puts.append(_fact(old.id, draft, origin, old))
            continue
        ident = mint(draft, folded)
        if ident in taken:
            continue
        if old is not None and ident != old.id:
            plan.gone.append(old.id)
            plan.revisions.append(_supersede(old, ident, draft, origin))
        other = elsewhere(ident)
        if other is not None and other.source != origin.path and ident not in continued:
            plan.puts.append(with_evidence(other, Evidence(origin.path, draft.line, draft.quote, draft.created_at)))
        else:
            plan.puts.append(_fact(ident, draft, origin, old if old is not None and old.id == ident else None))
        taken.add(ident)
    for fact in stored:
        if fact.id not in taken and fact.id not in plan.gone:
            plan.gone.append(fact.id)
            plan.revisions.append(retraction(fact))
    return plan


def with_evidence(fact: Fact, evidence: Evidence) -> Fact:
    """The fact with one more place that says the same; one entry a note."""
    rest = tuple(e for e in fact.evidence if e.source != evidence.source)
    entries = tuple(sorted((*rest, evidence), key=lambda e: (e.source, e.line)))
    return dataclasses.replace(fact, evidence=entries)


def without_source(fact: Fact, path: str) -> Fact | None:
    """The fact when a note no longer states it: evidence dropped, or the next evidence made the source; None if none is left."""
    rest = tuple(e for e in fact.evidence if e.source != path)
    if fact.source != path:
        return dataclasses.replace(fact, evidence=rest)
    if not rest:
        return None
    first, *others = rest
    return dataclasses.replace(
        fact,
        source=first.source,
        line=first.line,
        quote=first.quote,
        heading=None,
        note_hash="",
        created_at=first.created_at or fact.created_at,
        evidence=tuple(others),
    )


def retraction(fact: Fact) -> dict[str, Any]:
    """The revision that says: the source no longer says it."""
    return {
        "by": "daemon",
        "kind": "retract",
        "subjects": [fact.id],
        "object": None,
        "changes": [{"id": fact.id, "field": "fact", "before": fact.fact, "after": None}],
        "why": "the source no longer says it",
        "evidence": [{"source": fact.source, "line": fact.line, "quote": fact.quote}],
    }


def promoting(fact: Fact, why: str) -> dict[str, Any]:
    """The revision that makes a candidate answer, with every place that bears it out."""
    places = [Evidence(fact.source, fact.line, fact.quote, fact.created_at), *fact.evidence]
    return {
        "by": "daemon",
        "kind": "promote",
        "subjects": [fact.id],
        "object": None,
        "changes": [],
        "why": why,
        "evidence": [{"source": e.source, "line": e.line, "quote": e.quote} for e in places],
    }


def said_again(fact: Fact) -> dict[str, Any]:
    """The revision that says: an edit had replaced this, and another edit has brought it back."""
    return {
        **retraction(fact),
        "kind": "restore",
        "changes": [{"id": fact.id, "field": "valid_to", "before": None, "after": fact.valid_to}],
        "why": "its note says it again",
    }


def forgetting(fact: Fact) -> dict[str, Any]:
    """The revision that says: a person took the fact's line out of facts.jsonl."""
    return {**retraction(fact), "by": "user", "kind": "forget", "why": "its line was deleted from facts.jsonl"}


def _supersede(old: Fact, ident: FactId, draft: FactDraft, origin: Origin) -> dict[str, Any]:
    changes: list[Mapping[str, Any]] = [
        {"id": old.id, "field": "value", "before": old.value, "after": draft.value},
        {"id": old.id, "field": "fact", "before": old.fact, "after": draft.fact},
    ]
    return {
        "by": "daemon",
        "kind": "supersede",
        "subjects": [old.id],
        "object": ident,
        "changes": changes,
        "why": "the value was edited in its note",
        "evidence": [{"source": origin.path, "line": draft.line, "quote": draft.quote}],
    }


def move(ident: str, before: str, after: str, how: str) -> dict[str, Any]:
    """The revision that keeps a note's id over a rename."""
    return {
        "by": "daemon",
        "kind": "move",
        "subjects": [ident],
        "object": None,
        "changes": [{"id": ident, "field": "path", "before": before, "after": after}],
        "why": how,
        "evidence": [],
    }
