"""When a night begins: in its hours or after a missed one, with rest, never on a low battery, never twice."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.sleep.power import power
from ebbtide.sleep.schedule import Hours, Power, due

HOURS = Hours(2, 5)
NIGHT = datetime(2026, 3, 10, 3, 30)


def begins(
    now: datetime, last: datetime | None, hours: Hours = HOURS, *, idle: bool = True, at: Power | None = None
) -> bool:
    return due(now, last, hours, idle=idle, power=at, battery=30)


@pytest.mark.parametrize(
    ("now", "last", "wanted"),
    [
        (NIGHT, None, True),
        (datetime(2026, 3, 10, 14), None, False),
        (NIGHT, datetime(2026, 3, 9, 2, 10), True),
        (NIGHT, datetime(2026, 3, 10, 2, 10), False),
        (datetime(2026, 3, 10, 14), datetime(2026, 3, 9, 2, 10), True),
        (datetime(2026, 3, 10, 14), datetime(2026, 3, 10, 9), False),
        (datetime(2026, 3, 10, 1, 59), datetime(2026, 3, 9, 2, 10), False),
        (datetime(2026, 3, 10, 1, 59), datetime(2026, 3, 8, 2, 10), True),
    ],
    ids=["the first", "the first waits for its hours", "the next", "not twice", "missed, caught up by day", "caught up once",
         "not before its hours", "one that was missed altogether"],
)  # fmt: skip
def test_when(now: datetime, last: datetime | None, wanted: bool) -> None:
    assert begins(now, last) is wanted


def test_over_midnight() -> None:
    late = Hours(22, 5)
    assert late.within(datetime(2026, 3, 10, 1))
    assert not late.within(datetime(2026, 3, 10, 4))
    assert begins(datetime(2026, 3, 10, 1), datetime(2026, 3, 9, 21), late)
    assert not begins(datetime(2026, 3, 10, 1), datetime(2026, 3, 9, 23), late)


def test_not_while_busy_and_not_on_a_low_battery() -> None:
    last = NIGHT - timedelta(days=1)
    assert not begins(NIGHT, last, idle=False)
    assert not begins(NIGHT, last, at=Power(29, plugged=False))
    assert begins(NIGHT, last, at=Power(29, plugged=True))
    assert begins(NIGHT, last, at=Power(31, plugged=False))


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)),
    st.timedeltas(timedelta(0), timedelta(days=5)),
    st.builds(Hours, st.integers(0, 23), st.integers(1, 24)),
)
def test_one_that_has_just_ended_is_never_followed_and_one_of_two_days_ago_always_is(
    now: datetime, ago: timedelta, hours: Hours
) -> None:
    assert not begins(now, now, hours)
    if ago >= timedelta(days=1):
        assert begins(now, now - ago, hours)


def battery(base: Path, name: str, **files: str) -> None:
    for file, text in files.items():
        (base / name).mkdir(exist_ok=True)
        (base / name / file).write_text(text + "\n")


def test_what_linux_tells_of_its_batteries(tmp_path: Path) -> None:
    assert power(tmp_path / "none") is None
    battery(tmp_path, "AC", type="Mains", online="0")
    battery(tmp_path, "mouse", type="Battery", scope="Device", capacity="3", status="Discharging")
    assert power(tmp_path) is None
    battery(tmp_path, "BAT0", type="Battery", capacity="20", status="Discharging")
    assert power(tmp_path) == Power(20, plugged=False)
    battery(tmp_path, "BAT1", type="Battery", capacity="80", status="Full")
    assert power(tmp_path) == Power(50, plugged=False)
    battery(tmp_path, "BAT0", status="Charging")
    assert power(tmp_path) == Power(50, plugged=True)
    battery(tmp_path, "BAT0", capacity="odd")
    assert power(tmp_path) == Power(80, plugged=True)
