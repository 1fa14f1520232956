"""From the catalogue to the memory folder: facts for facts.jsonl, revisions for this device's ledger, each exactly once.

What a change decides is queued in the catalogue within the change's own transaction, and taken off once it has arrived: a
kill in between delivers again, which changes nothing, since facts are upserted by id and a revision carries its id from
the moment it is decided. A vault that is opened only for reading delivers nothing: its queue waits for the daemon.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ebbtide.index.catalog import Catalog
from ebbtide.index.means import text_key
from ebbtide.memory import codec, intake, revisions
from ebbtide.memory.errors import EbbtideError, Problem
from ebbtide.memory.ports import Clock, FactStore, Ledger
from ebbtide.memory.records import Fact, FactId
from ebbtide.parse.text import fold

log = logging.getLogger(__name__)

_AT_ONCE = 2000


def iso(seconds: float) -> str:
    """UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(slots=True)
class History:
    """What the revisions of all devices say that indexing must heed."""

    last: float = 0.0
    """Seconds since the epoch of the latest revision: time never runs backwards in the ledgers."""
    forgotten: dict[str, str] = field(default_factory=dict)
    """Claims (normalised) that a person wanted forgotten -> the id they had."""
    ids: dict[str, str] = field(default_factory=dict)
    """Path -> note id, for notes that were renamed: what the path alone would not tell."""
    owners: dict[str, str] = field(default_factory=dict)
    """The other way round."""

    def forget(self, fact: Fact) -> None:
        """A person wants this forgotten."""
        self.forgotten[claim(fact.fact)] = fact.id

    def take(self, record: Mapping[str, Any]) -> None:
        """The next revision that counts."""
        if record.get("kind") == "restore":
            for ident in record.get("subjects") or ():
                self.heed(str(ident), ())
        for change in record.get("changes") or ():
            before, after = (change.get("before"), change.get("after")) if isinstance(change, dict) else (None, None)
            ident = str(change.get("id")) if isinstance(change, dict) else ""
            if record.get("kind") == "move" and isinstance(before, str) and isinstance(after, str):
                if self.ids.get(before) == ident:
                    del self.ids[before]
                self.ids[after], self.owners[ident] = ident, after
            elif record.get("kind") == "forget" and isinstance(before, str) and change.get("field") == "fact":
                self.forgotten[claim(before)] = ident

    def heed(self, ident: str, claims: Iterable[str]) -> None:
        """These claims of a fact, and no others, must not come back when a note is read again."""
        self.forgotten = {text: owner for text, owner in self.forgotten.items() if owner != ident}
        self.forgotten |= {claim(text): ident for text in claims}


def history_of(records: Sequence[Mapping[str, Any]]) -> History:
    """Fold the revisions, in the order of time and id. What was undone does not count, nor the parts of it."""
    out = History()
    out.last = max((_seconds(record.get("at")) for record in records), default=0.0)
    for record in revisions.effective(records):
        out.take(record)
    return out


def claim(text: str) -> str:
    """What makes two facts' texts the same claim."""
    return intake.normalised(fold(text))


def _seconds(at: object) -> float:
    try:
        return datetime.fromisoformat(str(at)).timestamp()
    except ValueError:
        return 0.0


class Outbox:
    """Queues news in the catalogue and delivers it. One thread calls this, the owner of the writers."""

    def __init__(self, catalog: Catalog, facts: FactStore | None, revisions: Ledger, clock: Clock) -> None:
        """`facts` is None where nothing may be written: then everything waits in the queue."""
        self.catalog, self.facts, self.revisions, self.clock = catalog, facts, revisions, clock
        self.problem: Problem | None = None
        """Why the memory folder cannot be written, while it cannot."""
        self._history: History | None = None
        self._arrived: set[str] | None = None
        """Ids of revisions that may have been delivered without a note of it (a kill, a full disk); None: not looked yet."""
        self._fresh: dict[str, Fact] = {}

    @property
    def history(self) -> History:
        """The fold of the revisions, read once."""
        if self._history is None:
            records, _ = self.revisions.read()
            waiting = [json.loads(body) for _, body in self.catalog.outbox("revision", 1 << 40)]
            self._history = history_of([*records, *waiting])
        return self._history

    def forget_history(self) -> None:
        """Read the revisions again when they are next needed."""
        self._history = None

    def fact(self, ident: FactId, fact: Fact | None = None) -> None:
        """A fact came or changed, or (None) is there no more. Within the transaction of the change."""
        self.catalog.post("fact", [ident])
        self._fresh.pop(ident, None)
        if fact is not None and self.facts is not None:
            self._fresh[ident] = fact  # spares parsing it again from the catalogue

    def revision(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Something happened that formats.md 4 has a kind for. It gets its time and id here, within the transaction."""
        at = max(self.clock.now(), self.history.last + 0.001)
        self.history.last = at
        when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = {"at": when, **record, "undoes": record.get("undoes")}
        made = {"id": "r_" + text_key(codec.line(body))[:8].hex(), **body}
        self.catalog.post("revision", [codec.line(made)])
        self._heed(made)
        return made

    def _heed(self, made: Mapping[str, Any]) -> None:
        """What this device decides itself holds for it at once."""
        if made["undoes"]:
            self._history = None  # rare, and folded from everything: which claims may come back
        elif made.get("kind") in ("move", "forget", "restore"):
            self.history.take(made)

    def deliver(self) -> bool:
        """Hand over what is queued; True if nothing is left. What cannot be written stays queued and is named in `problem`."""
        if self.facts is None:
            return True
        try:
            self._deliver_facts(self.facts)
            self._deliver_revisions()
        except EbbtideError as error:
            remedy = "nothing is lost: it waits in the index and is tried again"
            self.problem = Problem("", None, "memory-write", error.reason, f"{error.remedy} ({remedy})", "error")
            log.warning("%s", error)
            self._fresh.clear()
            return False
        self.problem = None
        return True

    def _deliver_facts(self, facts: FactStore) -> None:
        while news := self.catalog.outbox("fact", _AT_ONCE):
            idents = list(dict.fromkeys(body for _, body in news))
            unread = [ident for ident in idents if ident not in self._fresh]
            puts = [self._fresh[ident] for ident in idents if ident in self._fresh]
            stored = self.catalog.facts_by_id(unread)
            puts += [codec.fact_from_dict(json.loads(stored[ident][2])) for ident in unread if ident in stored]
            there = {fact.id for fact in puts}
            facts.put(puts)
            facts.drop(FactId(ident) for ident in idents if ident not in there)
            self.catalog.delivered("fact", news[-1][0])
            for ident in idents:
                self._fresh.pop(ident, None)
        self._fresh.clear()

    def _deliver_revisions(self) -> None:
        while news := self.catalog.outbox("revision", _AT_ONCE):
            arrived = self._arrived
            if arrived is None:
                arrived = {str(record.get("id")) for record in self.revisions.read()[0]}
            self._arrived = None  # until it is noted that these have arrived
            records = [json.loads(body) for _, body in news]
            self.revisions.append([record for record in records if record["id"] not in arrived])
            self.catalog.delivered("revision", news[-1][0])
            self.catalog.set_meta("revisions-size", str(self.revisions.size()))  # less than this: something took of it
            self._arrived = set()
        self._arrived = set()
