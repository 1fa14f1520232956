"""The patrol: what nobody asked for and must be done the same day. A step at a time, in the thread that owns the writers.

Each fact, once it has a vector, is compared with its nearest neighbours: contradictions that no slot shows are ruled like
all others, and what is near is linked. Facts whose time limit has passed are put up for review, a few a day, so that a
person can keep up.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from ebbtide.index.catalog import Catalog
from ebbtide.index.collide import Collider, revision_of
from ebbtide.index.decisions import Decisions
from ebbtide.index.distil import Distiller
from ebbtide.memory import codec
from ebbtide.memory.gates import Collision
from ebbtide.memory.ports import Clock, VectorIndex
from ebbtide.memory.records import Fact

NEIGHBOURS: Final = 5
AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True)
class Rounds:
    """How much the patrol does."""

    asked: int = 20
    """Facts whose time limit has passed that are put up for review in a day, at most."""
    compared: float = 0.6
    """Cosine from which two facts are compared."""
    linked: float = 0.75
    """Cosine from which they are linked though neither says anything of the other."""


class Patrol:
    """Compares facts with their neighbours and asks about those that are overdue."""

    def __init__(
        self,
        catalog: Catalog,
        decisions: Decisions,
        distil: Distiller,
        near: Mapping[str, VectorIndex],
        clock: Clock,
        rounds: Rounds | None = None,
    ) -> None:
        self.catalog, self.decisions, self.distil, self.near, self.clock = catalog, decisions, distil, near, clock
        self.rounds = rounds or Rounds()
        self.collider = Collider(catalog)

    def step(self, seconds: float, interrupted: Callable[[], bool]) -> bool:
        """Work for so long; True if there is more to do."""
        until = time.monotonic() + seconds
        self.ask()
        while not interrupted():
            waiting = self.catalog.uncompared(AT_ONCE) if "facts" in self.near else []
            if not waiting:
                return False
            with self.catalog.write():
                for _, ident, record in waiting:
                    self._compare(ident, record)
                self.catalog.mark_compared([label for label, _, _ in waiting])
            self.decisions.outbox.deliver()
            if time.monotonic() >= until:
                return True
        return True

    def _compare(self, ident: str, record: str) -> None:
        found = self.catalog.facts_by_id([ident]).get(ident)
        if found is None:
            return
        fact = codec.fact_from_dict(json.loads(record))
        hits = [
            hit for hit in self.near["facts"].neighbours(found[0], NEIGHBOURS) if hit.cosine >= self.rounds.compared
        ]
        others = self.catalog.facts([hit.label for hit in hits])
        near = {others[hit.label][0]: hit.cosine for hit in hits if hit.label in others}
        standing = self.decisions.standing(ident)
        collisions: list[Collision] = []
        if near and standing.state == "active" and standing.there and fact.origin == "observed" and not fact.held:
            collisions = self.collider.among(fact, sorted(near), "zh" if self._chinese(found[1]) else "en")
            records = {other: json.loads(body) for other, _, body in others.values()}
            for collision in collisions:
                self.decisions.record(revision_of(fact, records[collision.other], collision))
        if not fact.related:
            self._relate(fact, near, collisions)

    def _chinese(self, row: int) -> bool:
        file = self.catalog.files_by_row([row]).get(row)
        return file is not None and file.lang == "zh"

    def _relate(self, fact: Fact, near: Mapping[str, float], collisions: list[Collision]) -> None:
        """Link a fact with its neighbours; the neighbours themselves are not rewritten."""
        said = {c.other: "same" if c.ruling == "merge" else "contradicts" for c in collisions}
        related = [
            {"id": other, "type": said.get(other, "near")}
            for other, cosine in sorted(near.items(), key=lambda item: (-item[1], item[0]))
            if other in said or cosine >= self.rounds.linked
        ]
        if related:
            self.distil.relate(replace(fact, related=tuple(related)))

    def ask(self) -> int:
        """Put facts whose time limit has passed up for review, the longest overdue first; returns how many."""
        today = datetime.fromtimestamp(self.clock.now(), UTC).date().isoformat()
        day, _, count = (self.catalog.meta("asked") or "").partition(":")
        asked = int(count) if day == today else 0
        left = self.rounds.asked - max(asked, asked_on(self.catalog, today)) - kept_for_night(self.rounds.asked)
        overdue = self.catalog.overdue(today, max(0, left))
        if not overdue:
            return 0
        with self.catalog.write():
            for ident, record in overdue:
                self.decisions.record(_expiry(ident, json.loads(record)))
            self.catalog.set_meta("asked", f"{today}:{asked + len(overdue)}")
        self.decisions.outbox.deliver()
        return len(overdue)


def asked_on(catalog: Catalog, day: str) -> int:
    """Questions that were put up on a day (ISO, UTC), by the patrol and by a night's check-up; a file that was moved is none."""
    made = catalog.revisions_since(day, ("expire", "quarantine"))
    own = [r for r in made if r.get("by") == "daemon" and not r.get("undoes") and not r.get("changes")]
    return sum(str(r.get("at")).startswith(day) for r in own)


def kept_for_night(asked: int) -> int:
    """Of the questions of a day, those that the patrol leaves to a night: what is overdue would else take all, every day."""
    return asked // 4


def _expiry(ident: str, record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "by": "daemon",
        "kind": "expire",
        "subjects": [ident],
        "object": None,
        "changes": [],
        "why": f"a {record.get('type')} is asked about again after a while; this one was last checked on"
        f" {str(record.get('verified_at') or record.get('recorded_at'))[:10]}",
        "evidence": [{"source": record.get("source"), "line": record.get("line"), "quote": record.get("quote")}],
    }
