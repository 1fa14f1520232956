"""Which reports and earlier contents have outlived their use."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ebbtide.sleep.outlived import JUMP, needless, outlived, sealed, stretched, untouched

TODAY = "2026-11-30"
SHOWN = {".md": b"# Page\n", ".svg": b"<svg/>"}
TWIN = {"day": TODAY, "figures": {"core": 4.0, "steps": 1.38}, "words": "核心"}


def back(days: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()


# --- reports ------------------------------------------------------------------------------------------------------


def test_a_report_as_it_was_written_is_known_from_one_that_was_changed() -> None:
    files: dict[str, bytes | None] = {**SHOWN, ".json": sealed(TWIN, SHOWN)}
    assert untouched(files)
    assert untouched({**files, ".svg": None}), "a missing picture is nobody's edit"
    for ending, data in files.items():
        assert data is not None
        assert not untouched({**files, ending: data + b"mine\n"})
    assert not untouched({**files, ".json": sealed(TWIN, SHOWN).replace(b"4.0", b"5.0")})
    for bad in (None, b"", b"{", b"[]", b"{}", b'{"digests": 3}'):
        assert not untouched({**files, ".json": bad})


def test_every_one_then_one_a_week_then_one_a_month() -> None:
    days = [back(n) for n in range(1000)]
    left = sorted(set(days) - set(outlived(days, TODAY, 90, 365)))
    lately = [day for day in left if day > back(90)]
    assert len(lately) == 90
    weekly = [day for day in left if back(365) < day <= back(90)]
    assert 39 <= len(weekly) <= 39 + 10, "Sundays, and the last day of a month"
    older = [day for day in left if day <= back(365)]
    assert len(older) == len({day[:7] for day in older})
    assert outlived(left, TODAY, 90, 365) == []
    assert outlived(days, TODAY, 0, 365) == []
    assert outlived(["README", "2020-13-40", "2020-1-1"], TODAY, 90, 365) == []


@given(st.lists(st.integers(0, 2000), max_size=60), st.integers(1, 400), st.integers(0, 800))
def test_what_goes_is_old_and_something_of_its_month_stays(ages: list[int], every: int, weekly: int) -> None:
    days = [back(age) for age in ages]
    gone = outlived(days, TODAY, every, weekly)
    assert gone == outlived(days[::-1], TODAY, every, weekly)
    assert all(day <= back(every) for day in gone)
    assert {day[:7] for day in days} == {day[:7] for day in set(days) - set(gone)}
    assert outlived(sorted(set(days) - set(gone)), TODAY, every, weekly) == []


# --- earlier contents ---------------------------------------------------------------------------------------------


def revision(ident: str, age: int, before: str | None, after: str | None, **more: Any) -> dict[str, Any]:
    change = {"path": "core/x.md", "field": "content", "before": before, "after": after}
    return {"id": ident, "at": f"{back(age)}T03:00:00.000Z", "changes": [change], **more}


def test_only_what_old_revisions_alone_name_is_needless() -> None:
    known = [
        revision("r1", 500, None, "a"),
        revision("r2", 450, "a", "b"),
        revision("r3", 10, "b", "c"),
        {"id": "r4", "at": f"{back(900)}T00:00:00Z", "changes": [{"id": "f_1", "field": "fact", "before": "z"}, 3]},
    ]
    assert needless(known, TODAY, 400) == {"a"}
    assert needless(known, TODAY, 500) == set()
    assert needless(known, TODAY, 0) == set()


def test_what_was_undone_of_late_can_be_brought_back_with_all_its_parts() -> None:
    night = [
        {"id": "n", "at": f"{back(600)}T03:00:00Z", "changes": []},
        revision("p", 600, "a", "b", part_of="n"),
        revision("q", 600, "x", "y"),
    ]
    undo = {"id": "u", "at": f"{back(3)}T03:00:00Z", "changes": [], "undoes": "n"}
    assert needless(night, TODAY, 400) == {"a", "b", "x", "y"}
    assert needless([*night, undo], TODAY, 400) == {"x", "y"}
    again = {"id": "v", "at": f"{back(1)}T03:00:00Z", "changes": [], "undoes": "u"}
    assert needless([undo, again, *night], TODAY, 400) == {"x", "y"}


# --- a wrong clock ------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2000), max_size=60), st.integers(1, 500))
def test_time_without_a_known_day_makes_nothing_older(ages: list[int], days: int) -> None:
    lived = [back(age) for age in ages]
    limit = stretched(lived, TODAY, days)
    assert limit >= days
    ahead = (date.fromisoformat(TODAY) + timedelta(days=JUMP + 1)).isoformat()
    moved = stretched([*lived, TODAY], ahead, days)
    assert moved - (JUMP + 1) == limit or moved > limit > 1500
    assert stretched([*lived, ahead], TODAY, days) == limit, "what is still to come says nothing"


def test_every_day_lived_is_a_day_and_a_leap_is_none() -> None:
    daily = [back(n) for n in range(1, 600)]
    assert stretched(daily, TODAY, 400) == 400
    assert stretched(daily, TODAY, 0) == 0
    assert stretched([back(n) for n in range(1, 600, JUMP)], TODAY, 400) == 400
    assert stretched([back(age) for age in (5, 10, 1000, 1010)], TODAY, 15) == 1005
    assert stretched(daily[:300], TODAY, 400) > 100_000
