"""Warmth fitted to histories whose half-life is known: towards it, never worse later, and nothing from nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.memory.heat import Event, Heat, temperature
from ebbtide.prove import tune_fit
from ebbtide.prove.tune_fit import History, Weeks

END = date(2026, 11, 30)
TODAY = END.isoformat()
NOW = Heat()


def simulated(
    seed: int, half_life: float, *, gain: float = 0.6, memories: int = 80, days: int = 300, slope: float = 0.25
) -> list[History]:
    """Memories that are used as warm as they are, from a first use on: the truth that is to be found again."""
    chance = random.Random(seed)
    out = []
    for number in range(memories):
        born = END - timedelta(days - chance.randrange(60))
        used = [born]
        for ahead in range(1, (END - born).days + 1):
            day = born + timedelta(ahead)
            life = half_life * min(4.0, 1.0 + gain * math.log1p(len(used)))
            warm = 2 ** (-(day - used[-1]).days / life)
            if chance.random() < 1 - math.exp(-(0.002 + slope * warm) / 7):
                used.append(day)
        out.append(History(f"n_{number}", None, True, [Event(day.isoformat()) for day in used]))
    return out


def parts(histories: list[History]) -> tuple[Weeks, Weeks]:
    found = tune_fit.parted(tune_fit.weeks_of(histories, TODAY, NOW))
    assert found is not None
    return found[0], found[1]


COOLING = [(4.0, 80, 300, 2.0), (50.0, 200, 500, 0.2)]
"""Half-life, memories, days, uses a week while hot: rarely enough that memories get cold and show how fast."""


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("truth", "memories", "days", "slope"), COOLING)
def test_the_fit_moves_towards_the_truth_and_is_better_later(
    seed: int, truth: float, memories: int, days: int, slope: float
) -> None:
    earlier, later = parts(simulated(seed, truth, memories=memories, days=days, slope=slope))
    fitted = tune_fit.fit_life(earlier, NOW)
    # What counts is how fast a memory cools after some uses: half-life and gain trade for each other.
    before, after = (one.half_life * min(one.most, 1 + one.gain * math.log1p(3)) for one in (NOW, fitted))
    wanted = truth * (1 + 0.6 * math.log1p(3))
    assert abs(math.log(after / wanted)) < 0.5 * abs(math.log(before / wanted))
    trial = tune_fit.try_life(earlier, later, NOW, fitted)
    assert trial.better
    assert trial.low < trial.after - trial.before < trial.high < 0


def test_where_nothing_ever_gets_cold_nothing_is_learned() -> None:
    for seed in (1, 2, 3):
        earlier, later = parts(simulated(seed, 40.0, days=400, slope=0.8))
        fitted = tune_fit.fit_life(earlier, NOW)
        assert not tune_fit.try_life(earlier, later, NOW, fitted).better


def test_where_the_values_in_force_are_right_nothing_is_found_to_be_better() -> None:
    kept = 0
    for seed in range(6):
        earlier, later = parts(simulated(seed, 14.0, slope=0.8))
        fitted = tune_fit.fit_life(earlier, NOW)
        trial = tune_fit.try_life(earlier, later, NOW, fitted)
        assert trial.after - trial.before < 0.003
        kept += trial.better
    assert kept <= 1  # a 95 % interval may err once


def test_bands_follow_what_is_used() -> None:
    """Used every week while above .5, hardly below: a threshold belongs there."""
    chance = random.Random(5)
    size = 4000
    idle = np.array([chance.uniform(0, 60) for _ in range(size)])
    warm = np.exp2(-idle / 14)
    used = np.array([chance.random() < (0.9 if value >= 0.5 else 0.05) for value in warm])
    none = np.zeros(size)
    group = np.arange(size, dtype=np.int64) % 50
    weeks = Weeks(idle, none, none + 1, none == 0, used, np.arange(size, dtype=np.int64), group)
    fitted = tune_fit.fit_bands(weeks, NOW)
    assert 0.5 in (fitted.hot, fitted.warm)
    trial = tune_fit.try_bands(weeks, weeks, NOW, fitted)
    assert trial.better
    assert trial.after < trial.before


def test_the_same_histories_give_the_same_values_in_any_order() -> None:
    histories = simulated(7, 40.0)
    one, other = (tune_fit.weeks_of(told, TODAY, NOW) for told in (histories, histories[::-1]))
    for name in Weeks.__slots__:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert tune_fit.fit_life(one, NOW) == tune_fit.fit_life(other, NOW)


def test_weeks_are_of_the_past_and_the_parts_do_not_overlap() -> None:
    histories = simulated(3, 30.0)
    weeks = tune_fit.weeks_of(histories, TODAY, NOW)
    assert weeks.start.max() + 7 < END.toordinal()
    found = tune_fit.parted(weeks)
    assert found is not None
    earlier, later, split = found
    assert earlier.start.max() + 7 <= split <= later.start.min()
    changed = [replace(h, events=[*h.events, Event("2027-05-05")]) for h in histories]
    again = tune_fit.weeks_of(changed, TODAY, NOW)
    assert np.array_equal(weeks.idle, again.idle)  # what is dated later has not happened yet


def test_a_week_is_used_only_by_a_confirmed_use() -> None:
    events = [Event("2026-10-01"), Event("2026-10-09", "opened"), Event("2026-10-16"), Event("2026-10-23", "wrong")]
    weeks = tune_fit.weeks_of([History("n", None, True, events)], "2026-11-01", NOW)
    assert weeks.used.tolist() == [False, False, True, False]
    assert weeks.idle.tolist() == [0, 7, 6, 6]
    assert weeks.uses.tolist() == [1.0, 1.0, 1.5, 2.5]


@pytest.mark.parametrize("kept", [0, 1, 10])
def test_too_little_is_not_parted(kept: int) -> None:
    weeks = tune_fit.weeks_of(simulated(1, 14.0)[:kept], TODAY, NOW)
    assert tune_fit.parted(weeks) is None


days = st.dates(date(2026, 1, 1), date(2026, 11, 1)).map(date.isoformat)
events = st.lists(st.builds(Event, days, st.sampled_from(["used", "opened", "edited", "linked", "wrong"])), max_size=8)


@given(events, st.sampled_from([None, "decision", "event", "plan", "rule"]), st.floats(1, 100), st.floats(0, 3))
def test_a_week_is_as_warm_as_the_score_says(told: list[Event], type_: str | None, life: float, gain: float) -> None:
    heat = Heat(half_life=life, gain=gain)
    created = "2025-12-31"
    weeks = tune_fit.weeks_of([History("n", type_, type_ != "event", told)], TODAY, heat)
    for start, warm in zip(weeks.start, tune_fit.temperatures(weeks, heat), strict=True):
        day = date.fromordinal(int(start)).isoformat()
        assert warm == pytest.approx(temperature(told, created, type_, day, heat))


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6),
    st.floats(0.1, 3650),
    st.floats(0, 10),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_what_is_fitted_is_within_the_ranges_of_the_settings(
    seed: int, life: float, gain: float, cuts: tuple[float, float]
) -> None:
    now = Heat(half_life=life, gain=gain, warm=cuts[0], hot=cuts[1])
    histories = simulated(seed, 20.0, memories=30, days=100, slope=1.5)
    weeks = tune_fit.weeks_of(histories, TODAY, now)
    fitted = tune_fit.fit_bands(weeks, tune_fit.fit_life(weeks, now))
    assert 0.1 <= fitted.half_life <= 3650
    assert 0 <= fitted.gain <= 10
    assert 0 <= fitted.warm <= 1
    assert 0 <= fitted.hot <= 1
    others: Mapping[str, object] = {
        n: getattr(now, n) for n in Heat.__slots__ if n not in ("half_life", "gain", "hot", "warm")
    }
    assert all(getattr(fitted, name) == value for name, value in others.items())


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=40), st.integers(1, 10))
def test_an_interval_holds_the_mean_and_is_wider_for_what_hangs_together(values: list[float], size: int) -> None:
    numbers = np.array(values)
    low, high = tune_fit.interval(numbers, np.arange(len(values)))
    assert low <= numbers.mean() <= high
    again = np.repeat(numbers, size)
    same = tune_fit.interval(again, np.repeat(np.arange(len(values)), size))
    assert same == pytest.approx((low, high), abs=1e-9)  # saying the same ten times makes nothing surer
