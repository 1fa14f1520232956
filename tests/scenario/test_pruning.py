"""Files of Ebbtide's own stay bounded over many nights; nothing that a person wrote or changed goes, and undo says where it ends."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest

from ebbtide.memory.errors import BadRequest, VaultError
from ebbtide.serve.service import Service
from ebbtide.sleep.nights import Step
from ebbtide.sleeping import open_night, under_way
from ebbtide.vault.store import VaultStore
from support import Place

FIRST, LOG = date(2026, 3, 2), "scenes/Log.md"


class Hand:
    """A clock that stands where it is set."""

    at = 0.0

    def now(self) -> float:
        return self.at


def nights(service: Service, clock: Hand, first: date, count: int, every: int = 1) -> None:
    """Nights, so many days apart, that each write on in a file of the memory folder."""
    for day in (first + timedelta(n * every) for n in range(count)):
        clock.at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
        night = open_night(service.runtime, lambda work: work())
        step = Step("associate", LOG, night.files.digest(LOG), f"Day {day}.\n", (), "a line a day")
        night.collect = lambda *_: ((), 0)
        night.further = partial(_only, step)
        night.run(day.isoformat())


def _only(step: Step, _day: str) -> tuple[Step, ...]:
    return (step,)


def clocked(service: Service) -> Hand:
    clock, runtime = Hand(), service.runtime
    runtime.sync.clock = runtime.uses.clock = runtime.sync.outbox.clock = clock
    return clock


def reports(place: Place) -> set[str]:
    return {file.stem for file in (place.vault / "Memory/reports").glob("*.md")}


def test_reports_thin_out_but_not_those_that_a_person_changed(place: Place) -> None:
    with place.opened(keep__reports_days=5, keep__reports_weekly=14) as service:
        clock = clocked(service)
        nights(service, clock, FIRST, 4)
        kept = place.vault / f"Memory/reports/{FIRST}.md"
        kept.write_text(kept.read_text("utf-8") + "\nMy own remark.\n", "utf-8")
        (place.vault / "Memory/reports/Mine.md").write_text("mine\n", "utf-8")
        nights(service, clock, FIRST + timedelta(4), 31)
        left = reports(place)
        last = FIRST + timedelta(34)
        assert {str(last - timedelta(n)) for n in range(5)} <= left
        assert {str(FIRST), "Mine", "2026-03-31"} <= left
        assert str(FIRST + timedelta(1)) not in left
        assert len(left) <= 5 + 3 + 2 + 2
        folder = place.vault / "Memory/reports"
        assert {file.name for file in folder.iterdir()} == {"Mine.md"} | {
            f"{day}{end}" for day in left - {"Mine"} for end in (".md", ".svg", ".json")
        }


def test_earlier_contents_go_once_no_undo_reaches_them(place: Place) -> None:
    with place.opened(keep__undo_days=10) as service:
        clock, history = clocked(service), place.vault / "Memory/.history"
        nights(service, clock, FIRST, 8)
        stray = history / ("0" * 32)
        stray.write_bytes(b"what no revision names\n")
        nights(service, clock, FIRST + timedelta(8), 30)
        assert len(list(history.iterdir())) <= 1 + 10 + 7 + 1, (
            "the last days, until the next weekly look, and the stray one"
        )
        assert stray.exists()
        log = place.vault / "Memory" / LOG
        for back in range(1, 10):
            open_night(service.runtime, lambda work: work()).undo(None, "user", "no")
            assert log.read_text("utf-8") == f"Day {FIRST + timedelta(37 - back)}.\n"
        first = FIRST + timedelta(3)
        [lead] = [r for r in place.ledger("revisions/*.jsonl") if r.get("plan") and r["night"] == str(first)]
        log.write_text(f"Day {first}.\n", "utf-8")
        for later in range(4, 29):
            day = str(first + timedelta(later - 3))
            [other] = [r for r in place.ledger("revisions/*.jsonl") if r.get("plan") and r["night"] == day]
            service.runtime.sync.decisions.undo(other["id"], "user", "by hand")
        with pytest.raises(BadRequest, match="not kept any more"):
            service.undo(id=lead["id"])
        assert log.read_text("utf-8") == f"Day {first}.\n"


def test_an_undo_whose_contents_are_gone_does_nothing_and_says_why(place: Place) -> None:
    with place.opened() as service:
        clock = clocked(service)
        nights(service, clock, FIRST, 2)
        [lead] = [
            r for r in place.ledger("revisions/*.jsonl") if r.get("plan") and r["night"] == str(FIRST + timedelta(1))
        ]
        files = {file: file.read_bytes() for file in (place.vault / "Memory").rglob("*.md")}
        for kept in (place.vault / "Memory/.history").iterdir():
            kept.unlink()
        with pytest.raises(BadRequest, match="not kept any more"):
            service.undo(id=lead["id"])
        assert not service.runtime.catalog.is_undone(lead["id"])
        assert {file: file.read_bytes() for file in (place.vault / "Memory").rglob("*.md")} == files


def test_nights_that_come_once_a_week_take_earlier_contents_out_whatever_the_day(place: Place) -> None:
    with place.opened(keep__undo_days=10) as service:
        clock, history = clocked(service), place.vault / "Memory/.history"
        nights(service, clock, date(2026, 3, 4), 12, every=7)
        assert len(list(history.iterdir())) <= 1 + 2 + 1


def test_nights_of_a_clock_that_is_years_ahead_take_nothing_out(place: Place) -> None:
    with place.opened(keep__undo_days=30, keep__reports_days=30, keep__reports_weekly=60) as service:
        clock, history = clocked(service), place.vault / "Memory/.history"
        nights(service, clock, FIRST, 20)
        before, told = {file.name for file in history.iterdir()}, reports(place)
        nights(service, clock, FIRST + timedelta(1500), 2, every=8)
        assert {file.name for file in history.iterdir()} >= before
        assert reports(place) >= told
        nights(service, clock, FIRST + timedelta(20), 30)
        assert not {file.name for file in history.iterdir()} >= before, "once they are really old they go"


def test_a_file_that_cannot_be_taken_out_stays_and_the_night_ends(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real, stuck = VaultStore.remove_memory, f"reports/{FIRST}.md"

    def remove(store: VaultStore, rel: str) -> None:
        if rel == stuck or rel.startswith(".history/"):
            raise VaultError(f"{rel} cannot be written.", "Look at its permissions.")
        real(store, rel)

    monkeypatch.setattr(VaultStore, "remove_memory", remove)
    with place.opened(keep__undo_days=3, keep__reports_days=3, keep__reports_weekly=0) as service:
        nights(service, clocked(service), FIRST, 10)
        assert not under_way(service.runtime)
        left = reports(place)
        assert str(FIRST) in left
        assert str(FIRST + timedelta(1)) not in left
        assert stuck.removeprefix("reports/").removesuffix(".md") in caplog.text
