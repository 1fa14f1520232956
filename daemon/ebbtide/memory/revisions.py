"""What became of a record: the fold of the revisions over it. Pure; formats.md 4.

Nothing is edited in place, so where a record stands is computed: its revisions in the order of (at, id), without those
that were undone. The same revisions give the same standing whatever the order they arrived in, on every device. An undo
takes back its target and all that was done as a part of it; undoing the undo brings it back; a second undo of the same
target changes nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from ebbtide.memory.states import State

Revision = Mapping[str, Any]

Kind = Literal[
    "accept",
    "refuse",
    "supersede",
    "merge",
    "dispute",
    "settle",
    "confirm",
    "expire",
    "stale",
    "archive",
    "restore",
    "quarantine",
    "clear",
    "forget",
    "correct",
    "move",
    "retract",
    "promote",
    "associate",
    "compress",
    "release",
    "pin",
    "freeze",
    "thaw",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

MOVES: Final[Mapping[str, tuple[frozenset[State], State]]] = {
    "accept": (frozenset(["candidate"]), "active"),
    "promote": (frozenset(["candidate", "active"]), "active"),
    "stale": (frozenset(["active"]), "stale"),
    "supersede": (frozenset(["candidate", "active", "stale"]), "stale"),
    "merge": (frozenset(["candidate", "active", "stale"]), "stale"),
    "archive": (frozenset(["candidate", "active", "stale"]), "archived"),
    "quarantine": (frozenset(["candidate", "active", "stale", "archived"]), "quarantined"),
    "restore": (frozenset(["stale", "archived", "candidate"]), "active"),
}
"""Kind -> the states it may leave and the one it leads to. `clear` leads back to where a quarantine came from."""

CORRECTABLE: Final = frozenset(
    [
        "fact",
        "type",
        "tags",
        "subject",
        "attribute",
        "value",
        "unit",
        "valid_from",
        "valid_to",
        "created_at",
        "verified_at",
        "confidence",
        "importance",
        "scope",
        "project",
        "frame",
        "trigger",
        "action",
        "why",
        "because",
        "expires_at",
        "review_at",
    ]
)
"""Fields of a fact that a revision may change. Source, quote and id are what it rests on: they never are."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a record stands.

    `superseded_by` and `merged_into` name the record that took its place; `disputes` those it contradicts, undecided.
    `fields` are values that revisions have changed, over what the source says. `last` is the last revision that counted.
    """

    state: State = "active"
    superseded_by: str | None = None
    merged_into: str | None = None
    disputes: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    """Records it was in dispute with until a person, or the evidence, decided: not disputed again."""
    refused: bool = False
    forgotten: bool = False
    retracted: bool = False
    expired: bool = False
    pinned: bool = False
    frozen: bool = False
    verified_at: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    last: str | None = None
    before_quarantine: State | None = None

    @property
    def there(self) -> bool:
        """False for what was refused or forgotten: it answers nothing, whatever is asked for.

        What was retracted is there again as soon as a note says it again: whether one does, facts.jsonl tells.
        """
        return not (self.refused or self.forgotten)

    def put_off(self, today: str) -> bool:
        """Whether a person has put off what is asked about it until a day after this one (ISO)."""
        later = self.fields.get("review_at")
        return isinstance(later, str) and later > today


def ordered(revisions: Iterable[Revision]) -> list[Revision]:
    """By time and id; the same revision twice counts once."""
    unique = {str(r.get("id")): r for r in revisions}
    return sorted(unique.values(), key=lambda r: (str(r.get("at")), str(r.get("id"))))


def effective(revisions: Sequence[Revision]) -> list[Revision]:
    """Those that count, in order: not undone, no part of anything undone, and no undo themselves."""
    by_id = {str(r.get("id")): r for r in revisions}
    undoing: dict[str, list[str]] = {}
    for r in revisions:
        if r.get("undoes"):
            undoing.setdefault(str(r["undoes"]), []).append(str(r.get("id")))
    known: dict[str, bool] = {}

    def counts(ident: str) -> bool:
        if ident in known:
            return known[ident]
        known[ident] = True  # a ring of undoes, which only a forged file can hold, ends here
        whole = by_id.get(ident, {}).get("part_of")
        held = not any(counts(undo) for undo in undoing.get(ident, ()))
        known[ident] = held and (whole is None or str(whole) not in by_id or counts(str(whole)))
        return known[ident]

    return [r for r in ordered(revisions) if not r.get("undoes") and counts(str(r.get("id")))]


def fold(ident: str, revisions: Iterable[Revision], born: State = "active") -> Standing:
    """Where a record stands after these revisions, of which others than its own are passed over.

    `born` is its state before any revision: active for what a person wrote, candidate for what was concluded or said by
    a model. A move that its state does not allow is passed over, as another device may have been faster.
    """
    standing = Standing(state=born)
    for revision in effective(ordered(revisions)):
        standing = _applied(ident, standing, revision)
    return standing


def _applied(ident: str, standing: Standing, revision: Revision) -> Standing:
    kind, subjects, other = str(revision.get("kind")), _names(revision.get("subjects")), revision.get("object")
    mine, theirs = ident in subjects, other == ident
    if not (mine or theirs):
        return standing
    after = standing
    if kind == "dispute":
        against = {*subjects, *([str(other)] if other is not None else [])} - {ident}
        fresh = against - set(standing.settled) - set(standing.disputes)
        after = dataclasses.replace(standing, disputes=tuple(sorted({*standing.disputes, *fresh})))
    elif kind == "settle":
        over = {*subjects, *([str(other)] if other is not None else [])} - {ident}
        after = dataclasses.replace(
            standing,
            disputes=tuple(sorted(set(standing.disputes) - over)),
            settled=tuple(sorted({*standing.settled, *over})),
        )
    elif mine:
        after = _moved(ident, standing, kind, revision)
    if after is standing:
        return standing
    return dataclasses.replace(after, why=str(revision.get("why") or ""), last=str(revision.get("id")))


def _moved(ident: str, standing: Standing, kind: str, revision: Revision) -> Standing:
    """The standing after a revision whose subject the record is."""
    if kind in ("refuse", "forget", "retract"):
        return dataclasses.replace(
            standing,
            refused=standing.refused or kind == "refuse",
            forgotten=standing.forgotten or kind == "forget",
            retracted=standing.retracted or kind == "retract",
        )
    if kind in ("pin", "freeze", "thaw"):
        return dataclasses.replace(
            standing,
            pinned=standing.pinned or kind == "pin",
            frozen=kind == "freeze" or (standing.frozen and kind != "thaw"),
        )
    if kind == "expire":
        return dataclasses.replace(standing, expired=True)
    if kind == "confirm":
        state: State = "active" if standing.state in ("candidate", "stale") else standing.state
        at = str(revision.get("at"))[:10]
        return dataclasses.replace(
            standing, state=state, verified_at=at, expired=False, superseded_by=None, merged_into=None
        )
    if kind == "correct":
        return _changed(ident, standing, revision)
    if kind == "clear":
        back = standing.before_quarantine or "active"
        return (
            dataclasses.replace(standing, state=back, before_quarantine=None)
            if standing.state == "quarantined"
            else standing
        )
    if kind == "restore":
        standing = dataclasses.replace(standing, refused=False, forgotten=False, expired=False)
        if standing.state == "active":
            return standing
    move = MOVES.get(kind)
    if move is None or standing.state not in move[0]:
        return standing
    after = dataclasses.replace(
        standing,
        state=move[1],
        superseded_by=_name(revision.get("object")) if kind == "supersede" else None,
        merged_into=_name(revision.get("object")) if kind == "merge" else None,
        before_quarantine=standing.state if kind == "quarantine" else None,
    )
    return _changed(ident, after, revision)


def _changed(ident: str, standing: Standing, revision: Revision) -> Standing:
    fields = dict(standing.fields)
    for change in revision.get("changes") or ():
        if isinstance(change, Mapping) and change.get("id") == ident and change.get("field") in CORRECTABLE:
            fields[str(change["field"])] = change.get("after")
    return standing if fields == standing.fields else dataclasses.replace(standing, fields=fields)


def _names(value: object) -> set[str]:
    return {str(name) for name in value} if isinstance(value, list | tuple) else set()


def _name(value: object) -> str | None:
    return str(value) if isinstance(value, str) and value else None


def open_disputes(standings: Mapping[str, Standing]) -> list[tuple[str, str]]:
    """Pairs in dispute, each once, of records that are both there."""
    return sorted(
        {
            (min(ident, other), max(ident, other))
            for ident, standing in standings.items()
            for other in standing.disputes
            if standing.there and (other not in standings or standings[other].there)
        }
    )
