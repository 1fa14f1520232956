"""What each night of a day came to, kept until the report is no longer written anew; and all nights of a day told as one. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ebbtide.sleep import planning
from ebbtide.sleep.nights import Candidate, Judged, Plan

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Account:
    """A night that was carried out: when (seconds since the epoch), the revision that stands for it (None: nothing was to do), its
    plan, and what was left out, in words."""

    at: float
    lead: str | None
    plan: Plan
    left: tuple[str, ...] = ()


def to_json(account: Account) -> bytes:
    """As JSON; the same account gives the same bytes."""
    plan = json.loads(planning.to_json(account.plan))
    body = {"version": VERSION, "at": account.at, "lead": account.lead, "left": list(account.left), "plan": plan}
    return json.dumps(body, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace") + b"\n"


def from_json(data: bytes) -> Account:
    """The account again. Raises ValueError if it is none, or of another version."""
    try:
        body = json.loads(data)
        if body["version"] != VERSION:
            raise ValueError("an account of another version")
        plan = planning.from_json(json.dumps(body["plan"]).encode())
        lead = body["lead"]
        return Account(float(body["at"]), None if lead is None else str(lead), plan, tuple(map(str, body["left"])))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not an account: {error!r}") from error


def whole(accounts: Sequence[Account]) -> tuple[Plan, tuple[str, ...]] | None:
    """All nights of a day as one plan, the earliest first, with what was left out; None without any.

    What two nights judged alike is told once, as the later one did. Notes looked at add up.
    """
    nights = sorted(accounts, key=lambda one: (one.at, one.lead or ""))
    if not nights:
        return None
    plans = [one.plan for one in nights]
    candidates: dict[str, Candidate] = {}
    judged: dict[str, Judged] = {}
    for plan in plans:
        candidates |= {one.key: one for one in plan.candidates}
        judged |= {one.candidate.key: one for one in plan.judged}
    return (
        replace(
            plans[-1],
            candidates=tuple(candidates.values()),
            judged=tuple(judged.values()),
            steps=planning.joined(*(plan.steps for plan in plans)),
            processed=sum(plan.processed for plan in plans),
            skipped=tuple(text for plan in plans for text in plan.skipped),
        ),
        tuple(text for one in nights for text in one.left),
    )
