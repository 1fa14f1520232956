"""What was decided about records, and what follows: revisions are taken in, and where each record stands is folded anew.

The one way in for every change of mind: rulings of the gates, of a person, of another device. A revision gets its time
and id when it is made, is queued for the ledger and folded into the catalogue in the same transaction, so that a kill
leaves both or neither.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from ebbtide.index.catalog import Catalog
from ebbtide.index.outbox import Outbox
from ebbtide.memory import revisions
from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.memory.limits import DAYS, due
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import State

log = logging.getLogger(__name__)

Revision = Mapping[str, Any]


class Decisions:
    """Where records stand. One thread calls what writes, the owner of the writers; reading is safe from any."""

    def __init__(self, catalog: Catalog, outbox: Outbox, days: Mapping[str, int] = DAYS) -> None:
        """`days` are the time limits by type."""
        self.catalog, self.outbox, self.days = catalog, outbox, days

    # --- reading ------------------------------------------------------------------------------------------------------

    def standing(self, ident: str) -> Standing:
        """Where a record stands."""
        found = self.catalog.standings([ident])
        return found[ident] if ident in found else Standing(state=self.born(ident))

    def history(self, ident: str) -> list[dict[str, Any]]:
        """Every revision that concerns a record, in order, each with `undone`: whether it still counts."""
        known = self.catalog.revisions_of(ident)
        counting = {str(r["id"]) for r in revisions.effective(known)}
        return [r | {"undone": not r.get("undoes") and str(r["id"]) not in counting} for r in known]

    def born(self, ident: str) -> State:
        """The state of a record before any revision."""
        found = self.catalog.facts_by_id([ident]).get(ident)
        return born(json.loads(found[2])) if found is not None else "active"

    # --- writing ------------------------------------------------------------------------------------------------------

    def record(self, *news: Revision) -> list[dict[str, Any]]:
        """Make revisions: (kind, by, subjects, object, changes, why, evidence, undoes?, part_of?). Returns them with time and id.

        Those after the first are parts of it unless they say otherwise: one undo takes back all.
        """
        made: list[dict[str, Any]] = []
        with self.catalog.write():
            for new in news:
                lead = {"part_of": made[0]["id"]} if made and "part_of" not in new else {}
                made.append(self.outbox.revision({**new, **lead}))
            self._take(made)
        return made

    def adopt(self, records: Iterable[Revision]) -> int:
        """Take over what the ledgers of all devices hold and the catalogue does not. Returns how many records moved."""
        with self.catalog.write():
            return self._take(records)

    def refold(self, idents: Iterable[str]) -> None:
        """Work out anew where records stand."""
        with self.catalog.write():
            for ident in sorted(set(idents)):
                found = self.catalog.facts_by_id([ident]).get(ident)
                record = json.loads(found[2]) if found is not None else None
                state = born(record) if record is not None else "active"
                standing = revisions.fold(ident, self.catalog.revisions_of(ident), state)
                self.catalog.put_standing(ident, standing, standing == Standing())
                if record is not None:
                    self.catalog.put_due(ident, due(record, standing, self.days))

    def put_due(self, ident: str, record: Mapping[str, Any]) -> None:
        """Note when a new fact must be looked at again."""
        self.catalog.put_due(ident, due(record, Standing(state=born(record)), self.days))

    def _take(self, records: Iterable[Revision]) -> int:
        touched = self.catalog.add_revisions(records)
        self.refold(touched)
        return len(touched)

    def undo(self, ident: str, by: str, why: str) -> list[dict[str, Any]]:
        """Take back a revision and all that was done as a part of it. Raises NotFound, BadRequest."""
        return self.undo_all([ident], by, why)

    def undo_all(self, idents: Iterable[str], by: str, why: str) -> list[dict[str, Any]]:
        """Take back several revisions as one: who undoes the first of the undoes has them all back. Raises NotFound, BadRequest."""
        return self.record(*[self._undoing(ident, by, why) for ident in idents])

    def _undoing(self, ident: str, by: str, why: str) -> Revision:
        target = self.catalog.revisions([ident]).get(ident)
        if target is None:
            raise NotFound(f"No revision {ident!r} is known.", "See the history of a fact, or `ebbtide undo --list`.")
        if target.get("kind") == "move":
            raise BadRequest("A rename is undone by renaming the note back.", "Do it in Obsidian; its id stays.")
        if self.catalog.is_undone(ident):
            raise BadRequest(f"{ident!r} is undone already.", "Undo the undo to bring it back.")
        return {
            "by": by,
            "kind": "restore",
            "subjects": list(target.get("subjects") or ()),
            "object": target.get("object"),
            "changes": [_turned(change) for change in target.get("changes") or () if isinstance(change, Mapping)],
            "why": why,
            "evidence": [],
            "undoes": ident,
        }


def born(record: Mapping[str, Any]) -> State:
    """What a fact is before any revision: a candidate if it was concluded, said by a model, or held by a gate."""
    held = record.get("origin", "observed") != "observed" or record.get("source_kind") == "external"
    return "candidate" if held or record.get("held") else "active"


def folded(record: Mapping[str, Any], standing: Standing) -> dict[str, Any]:
    """A fact as it holds now: what its source says, with what rulings changed over it."""
    return {**record, **standing.fields}


def _turned(change: Mapping[str, Any]) -> dict[str, Any]:
    return {**change, "before": change.get("after"), "after": change.get("before")}
