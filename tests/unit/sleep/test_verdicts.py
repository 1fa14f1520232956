"""The store: one verdict for ever, a queue with attempts, sums that keep the caps; all of it outlives kill -9."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ebbtide.config_claude import Prices
from ebbtide.memory.ports import Usage
from ebbtide.sleep.desk import Item, Job, Kept, Pause, cost, worst
from ebbtide.sleep.verdicts import VerdictStore

DAY = "2026-03-01"


@pytest.fixture
def desk(tmp_path: Path) -> VerdictStore:
    return VerdictStore.open(tmp_path / "state" / "verdicts.sqlite")


def again(desk: VerdictStore, tmp_path: Path) -> VerdictStore:
    desk.close()
    return VerdictStore.open(tmp_path / "state" / "verdicts.sqlite")


def job(path: str = "A.md", digest: str = "d1", due: float = 10.0, urgent: bool = True) -> Job:
    return Job(path, digest, due, 5.0, urgent)


def keep(desk: VerdictStore, key: str, answer: dict[str, object] | None, outcome: str = "answered") -> None:
    desk.keep(key, Kept(outcome, answer, ""), path="A.md", model="m", prompt="1", now=1.0)


def test_the_first_verdict_stays(desk: VerdictStore, tmp_path: Path) -> None:
    keep(desk, "k", {"facts": [], "odd": "\ud800"})
    keep(desk, "k", {"facts": [1]})
    desk = again(desk, tmp_path)
    assert desk.verdict("k") == Kept("answered", {"facts": [], "odd": "\ud800"}, "")
    assert desk.verdict("other") is None


def test_the_queue_keeps_what_it_knows_of_the_same_content(desk: VerdictStore, tmp_path: Path) -> None:
    desk.put(job())
    desk.later("A.md", "d1", 99.0, attempts=2, reason="busy")
    desk.put(job(due=1000.0))
    desk = again(desk, tmp_path)
    assert desk.job("A.md") == Job("A.md", "d1", 99.0, 5.0, True, 2, "", None, "busy")
    desk.put(job(digest="d2", due=50.0))
    assert desk.job("A.md") == Job("A.md", "d2", 50.0, 5.0, True)
    desk.later("A.md", "d1", 1.0, attempts=9, reason="of an older content")
    desk.done("A.md", "d1")
    assert desk.job("A.md") == Job("A.md", "d2", 50.0, 5.0, True)


def test_what_is_due_comes_in_order(desk: VerdictStore) -> None:
    for name, due, urgent in (("A", 3.0, True), ("B", 1.0, True), ("C", 2.0, False), ("D", 9.0, True)):
        desk.put(job(name, due=due, urgent=urgent))
    assert [each.path for each in desk.due(5.0, 9, urgent=True)] == ["B", "A"]
    assert [each.path for each in desk.due(5.0, 9, urgent=False)] == ["C"]
    assert [each.path for each in desk.due(5.0, 1, urgent=True)] == ["B"]


def test_what_was_looked_at_is_looked_at_again_once_it_is_answered(desk: VerdictStore) -> None:
    desk.put(job())
    assert [each.path for each in desk.open_jobs(20.0, 9)] == ["A.md"]
    desk.looked("A.md", "d1", "k")
    assert desk.open_jobs(20.0, 9) == []
    assert (desk.counts().waiting, desk.counts().ready) == (1, 0)
    keep(desk, "k", {})
    assert [each.path for each in desk.open_jobs(20.0, 9)] == ["A.md"]
    assert (desk.counts().waiting, desk.counts().ready) == (0, 1)


def test_dead_letters_stay_dead_until_the_note_changes_or_a_person_wants(desk: VerdictStore, tmp_path: Path) -> None:
    desk.put(job())
    desk.looked("A.md", "d1", "k")
    keep(desk, "k", None, "refused")
    desk.bury("A.md", "d1", "declined", 30.0, 3)
    desk.put(job())
    desk = again(desk, tmp_path)
    [letter] = desk.dead()
    assert (letter.path, letter.reason, letter.attempts, letter.at) == ("A.md", "declined", 3, 30.0)
    assert (desk.job("A.md"), desk.due(99.0, 9, urgent=True), desk.counts().waiting) == (None, [], 0)
    assert desk.revive("B.md", 40.0) == 0
    assert desk.revive(None, 40.0) == 1
    assert desk.verdict("k") is None
    assert [each.attempts for each in desk.due(40.0, 9, urgent=True)] == [0]
    desk.bury("A.md", "d1", "declined", 30.0, 3)
    desk.put(job(digest="d2"))
    assert desk.dead() == []


def test_a_batch_holds_its_notes_until_it_ends(desk: VerdictStore, tmp_path: Path) -> None:
    desk.put(job())
    desk.put(job("B.md"))
    row = desk.begin_batch([Item("k1", "A.md", "d1"), Item("k2", "B.md", "old")], 7, 20.0)
    desk = again(desk, tmp_path)
    [batch] = desk.batches()
    assert (batch.row, batch.id, batch.begun, batch.charge) == (row, None, 20.0, 7)
    assert [each.path for each in desk.due(99.0, 9, urgent=True)] == ["B.md"], "its content was another by then"
    desk.name_batch(row, "msgbatch_1")
    desk.look_later(row, 80.0)
    [batch] = desk.batches()
    assert (batch.id, batch.look, batch.looks) == ("msgbatch_1", 80.0, 1)
    assert [item.key for item in desk.items(row)] == ["k1", "k2"]
    desk.end_batch(row)
    assert (desk.batches(), desk.items(row)) == ([], [])
    assert len(desk.due(99.0, 9, urgent=True)) == 2


def test_what_is_set_aside_counts_until_it_is_settled(desk: VerdictStore, tmp_path: Path) -> None:
    charge = desk.reserve(DAY, "m", requests=1, tokens=5000, money=0.5, now=1.0)
    desk.reserve("2026-03-02", "m", requests=1, tokens=1, money=0.1, now=1.0)
    desk = again(desk, tmp_path)
    assert (desk.spent(DAY).tokens, desk.spent(DAY).money) == (5000, 0.5)
    desk.settle(charge, Usage(10, 20, 30, 40), 0.01)
    spent = desk.spent(DAY)
    assert (spent.requests, spent.tokens, spent.money, spent.usage) == (1, 100, 0.01, Usage(10, 20, 30, 40))


def test_a_pause_outlives_a_restart(desk: VerdictStore, tmp_path: Path) -> None:
    assert desk.pause() == Pause()
    desk.set_pause(Pause(500.0, 3, "busy"))
    desk = again(desk, tmp_path)
    assert desk.pause() == Pause(500.0, 3, "busy")
    desk.set_pause(Pause())
    assert desk.pause() == Pause()


def test_purging_a_note_leaves_nothing_of_it(desk: VerdictStore) -> None:
    desk.put(job())
    keep(desk, "k", {"facts": ["secret"]})
    desk.asked("A.md", 3.0)
    desk.purge("A.md")
    assert (desk.verdict("k"), desk.job("A.md"), desk.asked_at("A.md")) == (None, None, 0.0)


def test_the_secret_is_this_devices_and_stays(desk: VerdictStore, tmp_path: Path) -> None:
    assert len(desk.secret) == 32
    assert again(desk, tmp_path).secret == desk.secret
    assert VerdictStore.open(tmp_path / "other.sqlite").secret != desk.secret


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_only_its_owner_reads_it(desk: VerdictStore, tmp_path: Path) -> None:
    keep(desk, "k", {})
    for file in (tmp_path / "state").iterdir():
        assert file.stat().st_mode & 0o077 == 0, file.name


@pytest.mark.parametrize("damage", [b"not a database at all" * 400, b""])
def test_a_damaged_file_is_put_aside(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "v.sqlite"
    VerdictStore.open(path).close()
    path.write_bytes(damage)
    desk = VerdictStore.open(path)
    keep(desk, "k", {})
    assert desk.verdict("k") is not None
    assert (tmp_path / "v.sqlite.damaged").exists() is bool(damage)


def test_a_file_of_another_version_is_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    VerdictStore.open(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    assert VerdictStore.open(path).batches() == []
    assert (tmp_path / "v.sqlite.damaged").exists()


def test_taking_out_what_is_not_there_writes_nothing(desk: VerdictStore, tmp_path: Path) -> None:
    """It is called for every note of a vault."""
    desk.put(job())
    files = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "state").iterdir() if "shm" not in file.name}
    for n in range(20):
        desk.drop(f"{n}.md")
    assert files == {name: (tmp_path / "state" / name).stat().st_mtime_ns for name in files}
    desk.drop("A.md")
    assert desk.job("A.md") is None


def test_threads_do_not_meet(desk: VerdictStore) -> None:
    def work(name: int) -> None:
        for n in range(20):
            desk.put(job(f"{name}-{n}"))
            desk.reserve(DAY, "m", requests=1, tokens=1, money=0.0, now=1.0)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (desk.counts().waiting, desk.spent(DAY).tokens) == (80, 80)


CHILD = """
import itertools, sys
from pathlib import Path
from ebbtide.sleep.desk import Item, Job, Kept
from ebbtide.sleep.verdicts import VerdictStore
desk = VerdictStore.open(Path(sys.argv[1]))
for n in itertools.count():
    name = f"{sys.argv[2]}-{n}"
    desk.put(Job(f"{name}.md", "d", 1.0, 1.0, True))
    charge = desk.reserve("day", "m", requests=1, tokens=100, money=1.0, now=1.0)
    row = desk.begin_batch([Item(name, f"{name}.md", "d")], charge, 1.0)
    desk.name_batch(row, f"batch-{name}")
    desk.keep(name, Kept("answered", {"name": name}, ""), path=f"{name}.md", model="m", prompt="1", now=1.0)
    print(name, flush=True)
"""


def test_kill_9_loses_nothing_that_was_said_to_be_done(tmp_path: Path) -> None:
    path, done = tmp_path / "v.sqlite", list[str]()
    for turn in range(8):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path), str(turn)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        done += [child.stdout.readline().strip() for _ in range(3 + turn)]
        child.send_signal(signal.SIGKILL)
        done += child.stdout.read().split()
        child.wait()
        desk = VerdictStore.open(path)
        for name in done:
            assert desk.verdict(name) == Kept("answered", {"name": name}, "")
            assert desk.job(f"{name}.md") is not None
        assert {f"batch-{name}" for name in done} <= {batch.id for batch in desk.batches()}
        assert 0 <= desk.spent("day").tokens - 100 * len(done) <= 100 * (turn + 1), "what was under way is counted too"
        desk.close()
    assert not path.with_name("v.sqlite.damaged").exists()


def test_money_is_counted_by_kind_of_token() -> None:
    prices = Prices(input={"m": 3.0}, output={"m": 15.0})
    usage = Usage(read=1_000_000, written=100_000, cached=1_000_000, stored=1_000_000)
    assert cost(usage, "m", prices, batch=False) == pytest.approx(3.0 + 1.5 + 0.3 + 3.75)
    assert cost(usage, "m", prices, batch=True) == pytest.approx((3.0 + 1.5 + 0.3 + 3.75) / 2)
    assert cost(usage, "other", prices, batch=False) == 0.0
    assert worst(1_000_000, 0, "m", prices, batch=False) == pytest.approx(3.75)
