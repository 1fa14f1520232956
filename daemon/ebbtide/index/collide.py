"""Which stored facts a new one collides with: candidates by slot or by nearness, judged by the rules of memory.conflict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ebbtide.index.catalog import Catalog
from ebbtide.memory import codec, revisions
from ebbtide.memory.conflict import STRONG_AT, judge
from ebbtide.memory.conflict_claim import Claim, Nearness
from ebbtide.memory.conflict_ruling import later_of
from ebbtide.memory.gates import Collision
from ebbtide.memory.records import Fact, FactId, Note
from ebbtide.memory.states import Lang
from ebbtide.parse.claims import in_slot, read_claim
from ebbtide.parse.fact_text import plain
from ebbtide.parse.text import fold

SLOT_AT_MOST = 40
"""Facts of one slot that a new one is compared with; a slot with more is a series, not a slot."""


def slot_key(fact: Fact) -> str | None:
    """What makes two facts fill the same slot: subject, attribute, scope and project, folded. None: it fills none."""
    if not fact.subject or not fact.attribute:
        return None
    return "\x1f".join(fold(part or "").strip() for part in (fact.subject, fact.attribute, fact.scope, fact.project))


def claims_of(fact: Fact) -> tuple[Claim, Claim]:
    """A fact as the conflict rules read it: with its context in front, and as its note says it.

    In the same slot the context tells that both speak of one thing; elsewhere it differs from note to note and hides it.
    """
    title = fact.source.rpartition("/")[2].removesuffix(".md")

    def read(text: str) -> Claim:
        return in_slot(read_claim(text, title=title, note=fact.source, line=fact.line, date=fact.created_at), fact)

    return read(fact.fact), read(plain(fact.quote) or fact.fact)


class Collider:
    """Finds collisions of new facts with those that hold. Reads only."""

    def __init__(self, catalog: Catalog, nearness: Nearness | None = None) -> None:
        self.catalog, self.nearness = catalog, nearness

    def in_slot(self, fact: Fact, lang: Lang, besides: Iterable[str] = ()) -> list[Collision]:
        """Collisions with the facts of the same slot, but those named."""
        key = slot_key(fact)
        others = self.catalog.in_slot(key, SLOT_AT_MOST + 1) if key is not None else []
        if len(others) > SLOT_AT_MOST:
            return []
        return self.among(fact, sorted(set(others) - {fact.id, *besides}), lang)

    def among(self, fact: Fact, idents: Sequence[str], lang: Lang) -> list[Collision]:
        """Collisions with these facts, as far as they hold and nothing was ever decided between them: what was undone stays so."""
        standings = self.catalog.standings(idents)
        ruled = self.catalog.revisions_of(fact.id) if idents else []
        known = {name for r in ruled for name in (*(r.get("subjects") or ()), r.get("object"))}
        claims, found = claims_of(fact) if idents else (), []
        for ident, (_, _, record) in sorted(self.catalog.facts_by_id(idents).items()):
            standing = standings.get(ident)
            if ident in known or (standing is not None and (standing.state != "active" or not standing.there)):
                continue
            other = codec.fact_from_dict(json.loads(record))
            if other.held or other.origin != "observed" or other.source == fact.source:
                continue  # what one note says side by side, a person wrote side by side: rows, options, before and after
            collision = self._compare(claims, other, lang)
            if collision is not None:
                found.append(self._careful(collision, fact))
        return found

    def decided(self, idents: Iterable[str]) -> set[str]:
        """Those of which a person has said something that counts."""
        known = ((ident, revisions.effective(self.catalog.revisions_of(ident))) for ident in idents)
        return {ident for ident, found in known if any(r.get("by") == "user" for r in found)}

    def staying(self, facts: Sequence[Fact], path: str, note: Note) -> dict[FactId, Fact]:
        """Those that a person has decided on and the note still says in these words: no reading of it loses them."""
        said = {fact.id: fact for fact in facts if fact.quote and fact.quote in note.text}
        lines = {ident: note.text.count("\n", 0, note.text.index(fact.quote)) + 1 for ident, fact in said.items()}
        decided = self.decided(said)
        return {i: replace(f, source=path, line=lines[i]) for i, f in said.items() if i in decided}

    def _careful(self, collision: Collision, fact: Fact) -> Collision:
        """What a model read never takes the place of what a person has decided: both are shown, and the person is asked."""
        takes = collision.ruling == "supersede" and collision.newer and not fact.extractor.startswith("rules/")
        return replace(collision, ruling="dispute") if takes and self.decided([collision.other]) else collision

    def _compare(self, claims: Sequence[Claim], other: Fact, lang: Lang) -> Collision | None:
        for claim, against in zip(claims, claims_of(other), strict=True):
            verdict = judge(claim, against, self.nearness, firmly=True)
            if verdict.ruling is None or (verdict.conflict and verdict.score < STRONG_AT):
                continue
            newer = later_of(claim, against) is claim
            reason = verdict.reason_zh if lang == "zh" else verdict.reason
            return Collision(other.id, verdict.ruling, verdict.kind or verdict.why, newer, reason)
        return None


def revision_of(fact: Fact, other: Mapping[str, Any], collision: Collision) -> dict[str, Any]:
    """The revision that carries out a collision's ruling. `other` is the record of the fact that was there before."""
    old, new = collision.other, str(fact.id)
    changes: list[dict[str, Any]] = []
    subject, object_ = old, new
    if collision.ruling == "merge" or (collision.ruling == "supersede" and not collision.newer):
        subject, object_ = new, old
    if collision.ruling == "supersede":
        ends = other if collision.newer else {"valid_to": fact.valid_to}
        starts = {"valid_from": fact.valid_from, "created_at": fact.created_at} if collision.newer else other
        end = starts.get("valid_from") or starts.get("created_at")
        changes = [{"id": subject, "field": "valid_to", "before": ends.get("valid_to"), "after": end}]
    return {
        "by": "daemon",
        "kind": collision.ruling,
        "subjects": [subject],
        "object": object_,
        "changes": changes,
        "why": collision.reason,
        "evidence": [
            {"source": fact.source, "line": fact.line, "quote": fact.quote},
            {"source": other.get("source"), "line": other.get("line"), "quote": other.get("quote")},
        ],
    }
