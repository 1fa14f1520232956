"""Questions of the review queue about core memories that say the same, and what follows from an answer. A part of `service`."""

from __future__ import annotations

from typing import Any

from ebbtide.memory.errors import NotFound
from ebbtide.runtime import Runtime
from ebbtide.serve.rulings_moves import Record, revision
from ebbtide.sleep.core_note import claim_line
from ebbtide.sleep.nights import CoreMemory

Question = tuple[tuple[Record, Record], str, str]
"""Both memories (the first would become evidence of the second), when it came up, and why."""


def questions(runtime: Runtime, today: str) -> list[Question]:
    """The merges that wait for a person and are not put off."""
    from ebbtide import tidying

    found = tidying.open_merges(runtime, today)
    return [((_side(one.merge.covered), _side(one.merge.kept)), one.at, one.why) for one in found]


def _side(memory: CoreMemory) -> dict[str, Any]:
    """A core memory as the side of a question."""
    return {
        "id": memory.id,
        "fact": memory.claim,
        "source": memory.path,
        "line": claim_line(memory.text),
        "quote": memory.claim,
        "created_at": memory.day or None,
        "private": memory.private,
    }


def rule(runtime: Runtime, sides: tuple[Record, ...], ruling: str, by: str, why: str, today: str) -> list[Record]:
    """Carry `merge` or `both` out; returns the revisions made. In the thread that owns the writers. Raises NotFound."""
    from ebbtide import tidying

    covered, kept = sides
    if ruling == "both":
        told = why or "ruled in review: both stay"
        return list(runtime.sync.decisions.record(revision("settle", [covered["id"]], by, told, other=kept["id"])))
    pair = (covered["id"], kept["id"])
    open_ = tidying.open_merges(runtime, today)
    asked = next((one for one in open_ if (one.merge.covered.id, one.merge.kept.id) == pair), None)
    if asked is None:
        raise NotFound("One of the two was changed meanwhile.", "See `ebbtide review` for what is open.")
    return list(tidying.carry_out(runtime, asked, by, why))
