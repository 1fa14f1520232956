"""Where rulings are carried out: in the indexer's thread, with everything that must follow from them.

What is decided about a record is a revision (`index.decisions`); what follows outside of it is here: claims that must not
come back, notes that must be read again, and the answer that tells how the records stand now.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

from ebbtide.index.decisions import born, folded
from ebbtide.memory.errors import EbbtideError, VaultError
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import LAYER_OF_TYPE
from ebbtide.runtime import Runtime
from ebbtide.serve.rulings_moves import Record, conclusions
from ebbtide.serve.vitals import Threads

PATIENCE: Final = 30.0
"""Seconds that a ruling waits for the indexer, which may be in the midst of a long comparison."""
SHOWN_AT_MOST: Final = 200
"""Facts that an answer shows after a ruling; what was done to a note may concern more."""

T = TypeVar("T")


class Occupied(EbbtideError):
    """The indexer did not come to it in time; nothing was done."""

    status = 503
    code = "busy"


class ReadOnly(VaultError):
    """The vault was opened only for reading."""

    code = "read-only"


class _Order(Generic[T]):
    """Work for the indexer's thread, and somebody who waits for its result. What is given up is not done afterwards."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work, self._lock, self._done = work, threading.Lock(), threading.Event()
        self._begun = self._left = False
        self._value: T
        self._error: BaseException | None = None

    def run(self) -> None:
        with self._lock:
            if self._left:
                return
            self._begun = True
        try:
            self._value = self._work()
        except EbbtideError as error:  # the answer to whoever asked, and nothing that is wrong with the indexer
            self._error = error
        except BaseException as error:
            self._error = error
            raise
        finally:
            self._done.set()

    def result(self, patience: float, doing: Callable[[], str]) -> T:
        if not self._done.wait(patience):
            with self._lock:
                self._left = not self._begun
            if self._left or not self._done.wait(patience):
                said = "Nothing was done." if self._left else "It is under way."
                raise Occupied(
                    f"The indexer is busy ({doing()}). {said}", "Ask again when `ebbtide status` says ready."
                )
        if self._error is not None:
            raise self._error
        return self._value


@dataclass(slots=True)
class Desk:
    """Rulings over one runtime. Reading is safe from any thread; what writes goes through `write`."""

    runtime: Runtime
    threads: Threads
    patience: float = PATIENCE

    def write(self, work: Callable[[], T]) -> T:
        """Do something that only the owner of the writers may do, and wait for it. Raises Occupied, ReadOnly."""
        runtime = self.runtime
        self.refuse_read_only()
        if self.threads.indexer is None:
            found = work()
            runtime.write_memory()
            return found
        order = _Order(work)
        self.threads.indexer.order(order.run)
        return order.result(self.patience, lambda: self.runtime.sync.progress.phase)

    def refuse_read_only(self) -> None:
        """Raise ReadOnly unless the vault may be written to."""
        if self.runtime.read_only:
            reason = "This vault was opened only for reading."
            raise ReadOnly(reason, f"Serve it with `ebbtide up {self.runtime.root}`.")

    @property
    def today(self) -> str:
        """The day by the runtime's clock, UTC."""
        return datetime.fromtimestamp(self.runtime.sync.clock.now(), UTC).date().isoformat()

    # --- reading --------------------------------------------------------------------------------------------------

    def raw(self, idents: Sequence[str]) -> dict[str, Record]:
        """Facts as their sources say them, by id; those that are not stored are left out."""
        return {ident: json.loads(row[2]) for ident, row in self.runtime.catalog.facts_by_id(idents).items()}

    def views(self, records: Iterable[Record]) -> list[dict[str, Any]]:
        """Facts as the API shows them: as they hold now, with where they stand."""
        listed = list(records)
        standings = self.runtime.catalog.standings([record["id"] for record in listed])
        return [view(r, standings.get(r["id"]) or Standing(state=born(r))) for r in listed]

    def concluded(self, idents: Sequence[str]) -> list[Record]:
        """Facts that were concluded from these, directly or through others, and are not forgotten."""
        found: dict[str, Record] = {}
        waiting = list(idents)
        while waiting:
            ground = waiting.pop()
            for ident, body in self.runtime.catalog.derived_from(ground):
                record = json.loads(body)
                if ident in found or ident in idents or not conclusions(record, ground):
                    continue
                if self.runtime.sync.decisions.standing(ident).there:
                    found[ident] = record
                    waiting.append(ident)
        return [found[ident] for ident in sorted(found)]

    # --- writing: in the thread of `write` ------------------------------------------------------------------------

    def record(self, *news: Mapping[str, Any]) -> dict[str, Any]:
        """Make one revision and its parts, see to what follows, and answer."""
        return self.followed(self.runtime.sync.decisions.record(*news))

    def undo(self, ident: str, by: str, why: str) -> dict[str, Any]:
        """Take a revision back with all its parts, see to what follows, and answer. Raises NotFound, BadRequest."""
        catalog = self.runtime.catalog
        settings = self._settings_back(ident)
        made = self.runtime.take_back(ident, by, why)
        if settings:
            self.runtime.take_settings()
        undone = target = catalog.revisions([ident])[ident]
        while target.get("undoes") and target["undoes"] != target["id"]:
            before = catalog.revisions([target["undoes"]]).get(target["undoes"])
            if before is None:
                break
            target = before
        return self.followed(made, [undone, target, *catalog.parts_of(ident), *catalog.parts_of(target["id"])])

    def clear(self, idents: Sequence[str], by: str, why: str) -> dict[str, Any]:
        """Take back, as one, the revisions that set a source aside."""
        catalog = self.runtime.catalog
        made = self.runtime.sync.decisions.undo_all(idents, by, why)
        known = catalog.revisions(idents)
        about = [one for ident in idents for one in (known[ident], *catalog.parts_of(ident))]
        return self.followed(made, about)

    def _settings_back(self, ident: str) -> bool:
        """Bring back the settings file as it was before a revision that changed it; False if it did not, or is undone.

        Before the undo is told: if a person has changed the file since, nothing is done. Raises ChangedOutside, NotFound.
        """
        catalog, file = self.runtime.catalog, self.runtime.settings
        target = catalog.revisions([ident]).get(ident)
        if target is None or catalog.is_undone(ident):
            return False
        for change in target.get("changes") or ():
            if isinstance(change, dict) and (change.get("path"), change.get("field")) == (file.name, "content"):
                file.bring_back(change.get("before"), change.get("after"))
                return True
        return False

    def followed(self, made: Sequence[Record], about: Sequence[Record] = ()) -> dict[str, Any]:
        """What follows from revisions, and the answer. `about` are those that were undone."""
        runtime = self.runtime
        idents = list(dict.fromkeys(ident for r in (*made, *about) for ident in _named(r)))
        facts = [ident for ident in idents if ident.startswith("f_")]
        if any(r["kind"] in ("forget", "restore", "refuse") for r in (*made, *about)):
            self._heed(facts)
            self._bring_back(facts)
        runtime.sync.changes += 1
        runtime.sync.outbox.deliver()
        stored = self.raw(facts[:SHOWN_AT_MOST])
        notes = runtime.catalog.files_by_id([ident for ident in idents if ident.startswith("n_")])
        return {
            "revisions": [dict(r) for r in made],
            "undone": about[0]["id"] if about else None,
            "facts": self.views(stored[ident] for ident in facts if ident in stored),
            "notes": [note_view(ident, file.path, self._standing(ident)) for ident, file in sorted(notes.items())],
            "absent": [ident for ident in facts[:SHOWN_AT_MOST] if ident not in stored],
        }

    def _standing(self, ident: str) -> Standing:
        return self.runtime.sync.decisions.standing(ident)

    def _heed(self, facts: Sequence[str]) -> None:
        """What is forgotten does not come back when its note is read again; what is not, may."""
        history = self.runtime.sync.outbox.history
        for ident in facts:
            gone = self._standing(ident).forgotten
            texts = [
                str(change["before"])
                for r in (self.runtime.catalog.revisions_of(ident) if gone else ())
                for change in r.get("changes") or ()
                if r.get("kind") == "forget" and change.get("id") == ident and change.get("field") == "fact"
            ]
            history.heed(ident, texts)

    def _bring_back(self, facts: Sequence[str]) -> None:
        """Read again the notes of facts that hold again and were taken out meanwhile."""
        catalog, sync = self.runtime.catalog, self.runtime.sync
        stored = catalog.facts_by_id(facts)
        paths = {
            path
            for ident in facts
            if ident not in stored and self._standing(ident).there
            for r in catalog.revisions_of(ident)
            if r.get("kind") in ("forget", "retract")
            for path in _sources(r, ident)
        }
        rows = [row for row in map(catalog.file, sorted(paths)) if row is not None]
        if not rows:
            return
        with catalog.write():
            for row in rows:
                catalog.put_file(replace(row, again=True))
        sync.distil.reread()
        try:
            sync.apply([row.path for row in rows])
        finally:
            sync.distil.reread(False)


def _named(r: Record) -> list[str]:
    other = r.get("object")
    return [str(ident) for ident in (*(r.get("subjects") or ()), *([other] if other else []))]


def _sources(r: Record, ident: str) -> list[str]:
    """Paths of the notes that said a fact which a revision took out."""
    subjects, places = list(r.get("subjects") or ()), list(r.get("evidence") or ())
    if len(subjects) == len(places) and ident in subjects:
        places = [places[subjects.index(ident)]]
    return [str(place["source"]) for place in places if isinstance(place, dict) and place.get("source")]


def view(record: Record, standing: Standing) -> dict[str, Any]:
    """A fact as it holds now, with the layer of its type and where it stands in its life."""
    fact = folded(record, standing)
    return {
        **fact,
        "verified_at": max(filter(None, (fact.get("verified_at"), standing.verified_at)), default=None),
        "held": fact.get("held"),
        "layer": LAYER_OF_TYPE[fact["type"]],
        **_stands(standing),
        "superseded_by": standing.superseded_by,
        "merged_into": standing.merged_into,
        "disputes": list(standing.disputes),
        "expired": standing.expired,
        "temperature": None,
    }


def note_view(ident: str, path: str, standing: Standing) -> dict[str, Any]:
    """Where a note stands."""
    return {"id": ident, "path": path, **_stands(standing)}


def _stands(standing: Standing) -> dict[str, Any]:
    return {
        "state": standing.state,
        "pinned": standing.pinned,
        "frozen": standing.frozen,
        "forgotten": standing.forgotten,
        "refused": standing.refused,
    }
