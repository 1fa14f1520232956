"""Confirmed uses and corrections: into this device's ledger first, then into the catalogue; those of other devices from theirs.

The question that a use answered is not kept: the ledger has its hash, and the store of vectors, in the cache, its vector under
the same key, so that a later question can be compared with it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ebbtide.index.catalog import Catalog
from ebbtide.memory import codec
from ebbtide.memory.errors import EbbtideError
from ebbtide.memory.ports import Clock, Ledger

log = logging.getLogger(__name__)

MARK = "uses-mark"
"""What the ledgers were when the catalogue last agreed with them; absent while that is not sure."""


class Confirmations:
    """What was confirmed. One thread calls what writes, the owner of the writers."""

    def __init__(self, catalog: Catalog, ledger: Ledger, clock: Clock) -> None:
        self.catalog, self.ledger, self.clock = catalog, ledger, clock

    def adopt(self) -> None:
        """Take over what the ledgers of all devices hold and the catalogue does not."""
        mark = self.ledger.mark()
        if self.catalog.meta(MARK) == mark:
            return
        records, _ = self.ledger.read()
        with self.catalog.write():
            self.catalog.add_uses(records)
            self.catalog.set_meta(MARK, mark)

    def today(self) -> str:
        """The local day (YYYY-MM-DD)."""
        return self._now()[:10]

    def _now(self) -> str:
        return datetime.fromtimestamp(self.clock.now()).astimezone().isoformat(timespec="milliseconds")

    def record(
        self,
        kind: str,
        subjects: Sequence[Sequence[str]],
        *,
        by: str,
        query: bytes | None = None,
        session: str | None = None,
        why: str | None = None,
    ) -> list[dict[str, Any]]:
        """Make a record for each memory: `subjects` are its id and those it counts for as well. Durable when it returns."""
        made = [self._made(kind, list(names), by, query, session, why) for names in subjects]
        mark = self.catalog.meta(MARK)
        self.catalog.set_meta(MARK, None)  # a kill between the two is made good by reading the ledgers again
        self.ledger.append(made)
        with self.catalog.write():
            self.catalog.add_uses(made)
            self.catalog.set_meta(MARK, mark)
        return made

    def edited(self, ident: str) -> None:
        """A person changed a note: it is on their mind, once a day. That says nothing of whether what it says is true."""
        if self.catalog.is_used(ident, "edited", self.today(), None):
            return
        try:
            self.record("edited", [[ident]], by="user")
        except (
            OSError,
            EbbtideError,
        ) as error:  # what was saved is indexed whether the memory folder can be written or not
            log.warning("an edit was not noted: %s", error)

    def _made(
        self, kind: str, names: list[str], by: str, query: bytes | None, session: str | None, why: str | None
    ) -> dict[str, Any]:
        body = {
            "at": self._now(),
            "by": by,
            "kind": kind,
            "subjects": names,
            "query_hash": query.hex() if query is not None else None,
            "session": session,
            "why": why,
        }
        digest = hashlib.blake2b(codec.line(body).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return {"id": f"u_{digest}", **body}
