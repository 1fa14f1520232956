"""Where a record stands: whatever the order in which its revisions arrive, and however often something is undone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.revisions import KINDS, Standing, effective, fold, open_disputes

A, B, C = "f_a", "f_b", "f_c"


def rev(number: int, kind: str, subject: str = A, object_: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": f"r_{number:04}",
        "at": f"2026-01-01T00:00:{number % 60:02}.{number // 60:03}Z",
        "by": "user",
        "kind": kind,
        "subjects": [subject],
        "object": object_,
        "changes": [],
        "why": f"because {number}",
        "evidence": [],
        "undoes": None,
        **more,
    }


def undo(number: int, target: int) -> dict[str, Any]:
    return rev(number, "restore", undoes=f"r_{target:04}")


def test_without_revisions_a_record_is_as_it_was_born() -> None:
    assert fold(A, []) == Standing()
    assert fold(A, [], "candidate").state == "candidate"
    assert fold(A, [rev(1, "archive", B)]) == Standing()


@pytest.mark.parametrize(
    ("born", "kinds", "state"),
    [
        ("candidate", ["accept"], "active"),
        ("candidate", ["promote"], "active"),
        ("candidate", ["confirm"], "active"),
        ("candidate", ["stale"], "candidate"),
        ("active", ["accept"], "active"),
        ("active", ["stale"], "stale"),
        ("active", ["stale", "archive"], "archived"),
        ("active", ["archive", "stale"], "archived"),
        ("active", ["archive", "restore"], "active"),
        ("active", ["stale", "confirm"], "active"),
        ("active", ["archive", "confirm"], "archived"),
        ("active", ["quarantine"], "quarantined"),
        ("active", ["quarantine", "restore"], "quarantined"),
        ("active", ["quarantine", "clear"], "active"),
        ("active", ["archive", "quarantine", "clear"], "archived"),
        ("candidate", ["quarantine", "clear"], "candidate"),
        ("active", ["clear"], "active"),
        ("active", ["supersede", "restore"], "active"),
    ],
)
def test_only_allowed_moves_move(born: Any, kinds: list[str], state: str) -> None:
    assert fold(A, [rev(n, kind) for n, kind in enumerate(kinds)], born).state == state


def test_a_superseded_record_knows_its_successor_and_when_it_ended() -> None:
    change = {"id": A, "field": "valid_to", "before": None, "after": "2026-05-01"}
    found = fold(A, [rev(1, "supersede", A, B, changes=[change])])
    assert (found.state, found.superseded_by, found.fields) == ("stale", B, {"valid_to": "2026-05-01"})
    assert fold(B, [rev(1, "supersede", A, B, changes=[change])]) == Standing()
    assert fold(A, [rev(1, "supersede", A, B), undo(2, 1)]) == Standing()


def test_a_dispute_stands_until_it_is_settled_and_does_not_come_back() -> None:
    quarrel = rev(1, "dispute", A, B)
    assert fold(A, [quarrel]).disputes == (B,)
    assert fold(B, [quarrel]).disputes == (A,)
    settled = [quarrel, rev(2, "settle", A, B), rev(3, "dispute", B, A)]
    assert fold(A, settled).disputes == fold(B, settled).disputes == ()
    assert fold(A, [*settled, undo(4, 2)]).disputes == (B,)
    assert open_disputes({A: fold(A, [quarrel]), B: fold(B, [quarrel])}) == [(A, B)]
    assert open_disputes({A: fold(A, [quarrel]), B: fold(B, [quarrel, rev(2, "forget", B)])}) == []


def test_ends_and_returns() -> None:
    assert not fold(A, [rev(1, "refuse")]).there
    assert fold(A, [rev(1, "retract")]).retracted
    assert fold(A, [rev(1, "forget"), rev(2, "restore")]).there
    assert not fold(A, [rev(1, "retract"), undo(2, 1)]).retracted
    assert fold(A, [rev(1, "expire"), rev(2, "confirm")]) == Standing(
        verified_at="2026-01-01", why="because 2", last="r_0002"
    )


def test_pins_and_frost() -> None:
    assert fold(A, [rev(1, "pin"), rev(2, "freeze")]).pinned
    assert fold(A, [rev(1, "freeze")]).frozen
    assert not fold(A, [rev(1, "freeze"), rev(2, "thaw")]).frozen


def test_a_correction_changes_fields_but_never_what_it_rests_on() -> None:
    changes = [{"id": A, "field": name, "before": None, "after": "new"} for name in ("value", "quote", "source", "id")]
    found = fold(A, [rev(1, "correct", changes=changes), rev(2, "correct", B, changes=changes)])
    assert found.fields == {"value": "new"}


def test_an_undo_takes_parts_with_it_and_can_be_undone_itself() -> None:
    lead, part = rev(1, "archive", B), rev(2, "archive", A, part_of="r_0001")
    assert fold(A, [lead, part]).state == "archived"
    assert fold(A, [lead, part, undo(3, 1)]).state == "active"
    assert fold(A, [lead, part, undo(3, 1), undo(4, 1)]).state == "active"
    assert fold(A, [lead, part, undo(3, 1), undo(4, 3)]).state == "archived"
    assert fold(A, [part]).state == "archived"  # the other device's ledger has not arrived yet


def test_a_ring_of_undoes_ends() -> None:
    ring = [rev(1, "restore", undoes="r_0002"), rev(2, "restore", undoes="r_0001"), rev(3, "archive", undoes=None)]
    assert len(effective(ring)) == 1


@st.composite
def ledgers(draw: st.DrawFn) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 14))):
        if out and draw(st.booleans()):
            out.append(undo(number, draw(st.integers(0, number - 1))))
            continue
        change = {"id": A, "field": draw(st.sampled_from(["value", "why", "quote"])), "before": None, "after": number}
        names = st.sampled_from([A, B, C])
        part = f"r_{draw(st.integers(0, number)):04}" if draw(st.booleans()) else None
        out.append(rev(number, draw(st.sampled_from(KINDS)), draw(names), draw(names), changes=[change], part_of=part))
    return out


@given(ledgers(), st.sampled_from(["active", "candidate"]), st.randoms(use_true_random=False))
def test_the_order_of_arrival_and_repetition_change_nothing(
    ledger: list[dict[str, Any]], born: Any, chance: random.Random
) -> None:
    mixed = [*ledger, *chance.sample(ledger, len(ledger) // 2)]
    chance.shuffle(mixed)
    for ident in (A, B, C):
        assert fold(ident, mixed, born) == fold(ident, ledger, born)


@given(ledgers(), st.sampled_from(KINDS), st.sampled_from(["active", "candidate"]))
def test_undo_restores_exactly_and_twice_is_once(ledger: list[dict[str, Any]], kind: str, born: Any) -> None:
    for ident in (A, B):
        before = fold(ident, ledger, born)
        done = [*ledger, rev(50, kind, A, B)]
        assert fold(ident, [*done, undo(51, 50)], born) == before
        assert fold(ident, [*done, undo(51, 50), undo(52, 50)], born) == before
        assert fold(ident, [*done, undo(51, 50), undo(52, 51)], born) == fold(ident, done, born)
