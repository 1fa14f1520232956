"""The thread that begins a night by itself: with rest, in its hours or after a missed one, once; and ends what was cut off."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ebbtide.daemon import Daemon
from ebbtide.serve.sleeper import EVERY, REST, Sleeper
from ebbtide.sleep.schedule import Power
from ebbtide.sleeping import last_night, open_night
from support import Place, wait_until

NIGHT = datetime.now().astimezone().replace(hour=3, minute=0, second=0, microsecond=0)
NOTES = {"Work/2026-03-09.md": "# Monday\n\nFrom now on we never deploy the service on a Friday evening.\n"}


class Hand:
    """A clock that is moved by hand, from tonight on."""

    def __init__(self) -> None:
        self.at = NIGHT

    def now(self) -> float:
        return self.at.timestamp()

    def passes(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def sleeper(daemon: Daemon, clock: Hand, at: Power | None = None) -> Sleeper:
    wait_until(lambda: not daemon.indexer.busy, "rest")
    daemon.runtime.sync.clock = clock
    return Sleeper(daemon.service, lambda: at, clock.now)


def rests(one: Sleeper, clock: Hand, seconds: float = REST + EVERY) -> int:
    """Look every half minute for so long; how often a night was begun."""
    begun = 0
    for _ in range(int(seconds / EVERY)):
        begun += one.look()
        clock.passes(EVERY)
        wait_until(lambda: all(job.finished for job in one.service.jobs.values()), "the end of the night")
    return begun


def nights(daemon: Daemon) -> int:
    wait_until(lambda: all(job.finished for job in daemon.service.jobs.values()), "the end of the night")
    return sum(job.what == "sleep" for job in daemon.service.jobs.values())


def test_a_night_begins_once_there_was_rest_and_only_once(place: Place) -> None:
    with place.fill(NOTES).served() as daemon:
        clock = Hand()
        one = sleeper(daemon, clock)
        assert rests(one, clock, REST) == 0
        assert rests(one, clock, EVERY) == 1
        ended = last_night(daemon.runtime)
        assert ended is not None
        assert rests(one, clock, 3 * REST) == 0
        assert nights(daemon) == 1
        clock.passes(86_400)
        assert rests(one, clock, REST) == 0, "who opens the machine has not rested"
        assert rests(one, clock, EVERY) == 1
        assert nights(daemon) == 2


def test_a_missed_night_is_caught_up_by_day(place: Place) -> None:
    with place.fill(NOTES).served() as daemon:
        clock = Hand()
        one = sleeper(daemon, clock)
        assert rests(one, clock) == 1
        clock.at = NIGHT + timedelta(days=3, hours=11)
        assert rests(one, clock) == 1
        assert rests(one, clock) == 0
        assert nights(daemon) == 2


@pytest.mark.parametrize(("options", "at"), [({"sleep.nightly": False}, None), ({}, Power(10, plugged=False))])
def test_not_where_it_is_switched_off_and_not_on_a_low_battery(
    place: Place, options: dict[str, object], at: Power | None
) -> None:
    place.options |= options
    with place.fill(NOTES).served() as daemon:
        clock = Hand()
        assert rests(sleeper(daemon, clock, at), clock, 3 * REST) == 0
        assert nights(daemon) == 0


def test_not_while_indexing_is_paused(place: Place) -> None:
    with place.fill(NOTES).served() as daemon:
        clock = Hand()
        one = sleeper(daemon, clock)
        daemon.service.pause()
        assert rests(one, clock, 3 * REST) == 0
        daemon.service.resume()
        wait_until(lambda: not daemon.indexer.busy, "rest")
        assert rests(one, clock, 2 * REST) == 1


def test_what_was_cut_off_is_gone_on_with_at_once(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        night = open_night(service.runtime, lambda work: work(), stop=lambda: True)
        with pytest.raises(Exception, match="stopped"):
            night.run("2026-03-10")
    with place.served() as daemon:
        clock = Hand()
        assert sleeper(daemon, clock).look()
        assert nights(daemon) == 0
        ended = last_night(daemon.runtime)
        assert ended is not None
        assert ended[0] == "2026-03-10"
        assert list((place.vault / "Memory").glob("core/**/*.md"))
