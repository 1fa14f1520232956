"""kill -9 at random moments: afterwards everything is as if nothing had happened, and at most one batch was done twice."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ebbtide.daemon import Daemon
from ebbtide.recall.engine import Question
from support import Place, rebuilt, settled, wait_until
from tiny import questions, story, write_tiny

THOROUGH = os.environ.get("EBBTIDE_EVIDENCE") == "1"
KILLS = 30 if THOROUGH else 3
NOTES = 36
BATCH_SECONDS = 0.03

CHANGES = (
    [("write", f"new{n}.md", story(500 + n)) for n in range(4)]
    + [("write", f"n{n}.md", story(600 + n)) for n in range(4)]
    + [("value", f"n{n}.md", "") for n in range(4, 8)]
    + [("rename", f"n{n}.md", f"Moved/m{n}.md") for n in range(8, 12)]
    + [("delete", f"n{n}.md", "") for n in range(12, 15)]
    + [("rename", f"B/n{n}.md", f"C/n{n}.md") for n in range(15, 18)]
)
"""Each note is touched once, so that what must be remembered of it does not depend on who looked when."""


def fill(place: Place) -> None:
    place.fill({f"{'B/' if n in (15, 16, 17) else ''}n{n}.md": story(n) for n in range(NOTES)})


def change(place: Place, what: tuple[str, str, str]) -> None:
    kind, path, other = what
    file = place.vault / path
    if kind == "write":
        place.write(path, other)
    elif kind == "value":
        text = file.read_text("utf-8")
        value = text.split(" cost ")[1].split(" ")[0]
        place.write(path, text.replace(f" cost {value} EUR", " cost 7777 EUR", 1))
    elif kind == "delete":
        file.unlink()
    else:
        (place.vault / other).parent.mkdir(parents=True, exist_ok=True)
        file.rename(place.vault / other)


def taken(daemon: Daemon, path: str) -> bool:
    """Whether the catalogue knows a path as the disk does."""
    return (daemon.runtime.catalog.file(path) is None) == (not (daemon.runtime.root / path).exists())


class Child:
    """The daemon of child.py, to be killed."""

    def __init__(self, place: Place, model: Path, log: Path) -> None:
        self.log = log
        self.log.touch()
        self._seen = log.stat().st_size
        command = [sys.executable, str(Path(__file__).with_name("child.py")), str(place.vault), str(model), str(log)]
        self._process = subprocess.Popen(
            [*command, str(BATCH_SECONDS)], env=place.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def wait_up(self) -> None:
        wait_until(
            lambda: b"up" in self.log.read_bytes()[self._seen :] or self._process.poll() is not None, "the child"
        )
        assert self._process.poll() is None

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


def embedded(log: Path) -> list[int]:
    """Sizes of the batches that were computed, ever."""
    return [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("batch")]


def finish(daemon: Daemon) -> None:
    """Wait until everything is in and at rest."""

    def done() -> bool:
        status = settled(daemon)
        counts = status["counts"]
        return bool(
            status["vectors_ready"]
            and counts["vectors"] == counts["vectors_wanted"]
            and daemon.embedding.at_rest.is_set()
        )

    wait_until(done, "everything")


def outcome(place: Place, model: Path) -> dict[str, Any]:
    """Open it once more, let it come to rest, make the keyword index anew, and ask."""
    place.options |= {"embed.enabled": True, "embed.model": str(model)}
    with place.served() as daemon:
        finish(daemon)
        resumed = daemon.runtime.backfill.embedded if daemon.runtime.backfill is not None else -1
    with place.served() as daemon:  # a start settles exactly what little changed before
        finish(daemon)
        assert daemon.runtime.backfill is not None
        assert daemon.runtime.backfill.embedded == 0
        rebuilt(daemon, "text")
        finish(daemon)
        # Without uses: an edit keeps a note warm if a daemon sees it, and which ones it saw is a matter of the kill.
        asked = [Question(query, uses={}) for query in questions(25)]
        answers = [daemon.runtime.engine.recall(question, hurry=False) for question in asked]
        stored = daemon.runtime.vectors.count() if daemon.runtime.vectors is not None else -1
        counts = daemon.runtime.catalog.counts()
        links = list(daemon.runtime.catalog.all_links())
        problems = daemon.service.status()["problems"]
    revisions = [(r["kind"], tuple(r["subjects"]), r["object"]) for r in place.ledger("revisions/*.jsonl")]
    ids = [r["id"] for r in place.ledger("revisions/*.jsonl")]
    return {
        "answers": answers,
        "counts": counts,
        "facts": {ident: (fact["source"], fact["fact"], fact["line"]) for ident, fact in place.facts().items()},
        "links": links,
        "written links": place.ledger("links.jsonl"),
        "revisions": Counter(revisions),
        "twice": [ident for ident, times in Counter(ids).items() if times > 1],
        "problems": problems,
        "resumed": resumed,
        "stored": stored,
    }


def same_answers(ours: list[Any], theirs: list[Any]) -> None:
    """The same notes and items in the same order, but for what is as good as equal."""
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert sorted(one["notes"]) == sorted(other["notes"])
        assert [(i["note"], i["line"]) for i in one["items"]] == [(i["note"], i["line"]) for i in other["items"]]
        for mine, reference in zip(one["items"], other["items"], strict=True):
            assert mine["score"] == pytest.approx(reference["score"], abs=0.002)


def compare(found: dict[str, Any], reference: dict[str, Any]) -> None:
    for key in ("counts", "facts", "links", "written links", "revisions"):
        assert found[key] == reference[key], key
    assert found["twice"] == found["problems"] == []
    same_answers(found["answers"], reference["answers"])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny")


def make(base: Path) -> Place:
    (base / "vault").mkdir(parents=True)
    place = Place(base)
    fill(place)
    return place


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory, model: Path) -> dict[str, Any]:
    """A first indexing that nobody interrupted."""
    place = make(tmp_path_factory.mktemp("untouched") / "first")
    return outcome(place, model)


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory, model: Path) -> dict[str, Any]:
    """The changes, taken in one by one by a daemon that nobody interrupted."""
    place = make(tmp_path_factory.mktemp("updated") / "first")
    outcome(place, model)
    with place.served() as daemon:
        for what in CHANGES:
            change(place, what)
            wait_until(partial(taken, daemon, what[2] if what[0] == "rename" else what[1]))
        finish(daemon)
    return outcome(place, model)


@pytest.mark.evidence
@pytest.mark.parametrize("number", range(KILLS))
def test_killed_during_the_first_indexing(tmp_path: Path, model: Path, untouched: dict[str, Any], number: int) -> None:
    place, log = make(tmp_path / "place"), tmp_path / "log"
    chance = random.Random(number)
    kills = 1 if THOROUGH else 2
    for _ in range(kills):
        child = Child(place, model, log)
        child.wait_up()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child._process.wait(timeout=chance.uniform(0, 2.5))
        child.kill()
    batches = embedded(log)
    found = outcome(place, model)
    compare(found, untouched)
    assert found["stored"] == untouched["stored"] == untouched["resumed"]
    again = sum(batches) + found["resumed"] - found["stored"]
    assert 0 <= again <= kills * max(batches, default=0), "more than the batches that were under way was embedded again"
    shutil.rmtree(tmp_path / "place")


@pytest.mark.evidence
@pytest.mark.parametrize("number", range(KILLS))
def test_killed_while_notes_change(tmp_path: Path, model: Path, updated: dict[str, Any], number: int) -> None:
    place, log = make(tmp_path / "place"), tmp_path / "log"
    outcome(place, model)
    chance = random.Random(1000 + number)
    child = Child(place, model, log)
    child.wait_up()
    before = chance.randrange(len(CHANGES) + 1)
    for what in CHANGES[:before]:
        change(place, what)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child._process.wait(timeout=chance.uniform(0, 1.5))
    child.kill()
    for what in CHANGES[before:]:
        change(place, what)
    compare(outcome(place, model), updated)
    shutil.rmtree(tmp_path / "place")
