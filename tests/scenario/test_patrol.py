"""What the patrol does by itself: contradictions that no slot shows, links between near facts, time limits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from ebbtide.daemon import Daemon
from ebbtide.index.patrol import Patrol, Rounds
from support import Place, settled, wait_until
from tiny import write_tiny

RULES = {
    "a.md": "---\ndate: 2026-01-10\n---\n# Backups\n\nThe nightly backup of the office server must never run on Sundays.\n",
    "b.md": "---\ndate: 2026-02-10\n---\n# Server notes\n\nThe nightly backup of the office server must run on Sundays.\n",
    "c.md": "# Garden\n\nTulips must be planted in October before the first frost.\n",
}


class Clock:
    def __init__(self, at: float) -> None:
        self.at = at

    def now(self) -> float:
        return self.at


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny")


def patrolled(daemon: Daemon) -> Callable[[], bool]:
    def done() -> bool:
        settled(daemon)
        counts = daemon.service.status()["counts"]
        whole = counts["vectors"] == counts["vectors_wanted"] and daemon.embedding.at_rest.is_set()
        return bool(whole and not daemon.runtime.catalog.uncompared(1) and not daemon.indexer.busy)

    return done


def by_source(daemon: Daemon) -> dict[str, dict[str, Any]]:
    return {fact["source"]: fact for fact in daemon.service.facts(limit=100)["facts"]}


def test_near_facts_are_compared_once_they_have_vectors(place: Place, model: Path) -> None:
    place.options |= {"embed.enabled": True, "embed.model": str(model)}
    daemon = Daemon(place.fill(RULES).open())
    daemon.runtime.patrol.rounds = Rounds(compared=-1.0)  # the tiny model's vectors mean nothing
    try:
        daemon.start(0)
        wait_until(patrolled(daemon), "the patrol")
        facts = by_source(daemon)
        standing = daemon.runtime.sync.decisions.standing
        assert standing(facts["a.md"]["id"]).disputes == (facts["b.md"]["id"],)
        assert standing(facts["c.md"]["id"]).disputes == ()
        related = {entry["type"] for path in ("a.md", "b.md") for entry in facts[path]["related"]}
        assert "contradicts" in related
    finally:
        daemon.stop()
    assert len(place.revisions("dispute")) == 1
    with place.served() as daemon:
        wait_until(patrolled(daemon), "the patrol")
    assert len(place.revisions("dispute")) == 1


def test_rows_of_one_table_do_not_contradict_each_other(place: Place, model: Path) -> None:
    rows = (
        "| What | Number |\n| --- | --- |\n| Seconds per record, Monday | 34 |\n"
        "| Seconds per record, Friday | 19 |\n| Records also written on paper, Friday | about 60 |\n"
    )
    place.options |= {"embed.enabled": True, "embed.model": str(model)}
    daemon = Daemon(
        place.fill(
            {"Field Week.md": f"---\ndate: 2025-12-05\n---\n# Field Week\n\n## Friday: numbers\n\n{rows}"}
        ).open()
    )
    daemon.runtime.patrol.rounds = Rounds(compared=-1.0)
    try:
        daemon.start(0)
        wait_until(patrolled(daemon), "the patrol")
        assert len(daemon.service.facts()["facts"]) == 3
    finally:
        daemon.stop()
    assert place.revisions("dispute") == place.revisions("supersede") == []


def test_what_is_overdue_is_asked_about_a_few_a_day_and_no_more_once_confirmed(place: Place) -> None:
    place.fill({f"n{n}.md": f"# Meter {n}\n\nThe timeout is {n + 3} seconds.\n" for n in range(5)})
    with place.opened() as service:
        runtime = service.runtime
        facts = service.facts(limit=100)["facts"]
        assert {fact["type"] for fact in facts} == {"metric"}
        start = date.fromisoformat(facts[0]["recorded_at"][:10])
        clock = Clock(0.0)
        patrol = Patrol(runtime.catalog, runtime.sync.decisions, runtime.sync.distil, {}, clock, Rounds(asked=3))

        def on(days: int) -> int:
            clock.at = (start + timedelta(days=days) - date(1970, 1, 1)).total_seconds() + 3600
            return patrol.ask()

        assert on(90) == 0
        assert on(91) == 3
        assert on(91) == 0
        assert on(92) == 2
        assert on(93) == 0
        expired = [f["id"] for f in facts if runtime.sync.decisions.standing(f["id"]).expired]
        assert len(expired) == 5
        assert service.recall("timeout of meter 2")["items"]  # it still answers
        base = {"by": "user", "object": None, "changes": [], "why": "still so", "evidence": []}
        runtime.sync.decisions.record({**base, "kind": "confirm", "subjects": [expired[0]]})
        standing = runtime.sync.decisions.standing(expired[0])
        assert not standing.expired
        assert on(95) == 1  # after its whole limit it is asked about again
    assert len(place.revisions("expire")) == 6
