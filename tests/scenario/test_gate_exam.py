"""The batch exam of reinforcement: without uses, with them, with the frame gate; over a vault that stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest
from ebbtide.prove.gate import ARMS, gate
from support import Place, fingerprints

EPISODES = Path(__file__).parents[1] / "data" / "gate_episodes.jsonl"
READ = [json.loads(line) for line in EPISODES.read_text("utf-8").splitlines()]


@pytest.fixture
def sat(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A vault with the notes of all episodes, and the environment of `ebbtide exam`."""
    for name, value in {**place.environ, "EBBTIDE_EMBED_ENABLED": "false"}.items():
        monkeypatch.setenv(name, value)
    return place.fill({path: text for episode in READ for path, text in episode["notes"].items()})


def run(place: Place, arm: Any, episodes: Path = EPISODES) -> dict[str, list[str]]:
    out = place.base / f"{arm}.jsonl"
    gate(place.vault, episodes, arm, out)
    return {row["id"]: row["ranked"] for row in map(json.loads, out.read_text("utf-8").splitlines())}


def ahead(ranked: dict[str, list[str]], when: str, right: str, wrong: str) -> dict[str, bool]:
    """For each episode whether the right note stands before the other."""
    found = {}
    for episode in READ:
        places = ranked[f"{episode['id']}-{when}0"]
        found[episode["id"]] = places.index(episode[right]) < places.index(episode[wrong])
    return found


def test_the_gate_keeps_the_gain_for_the_past_and_costs_the_present_nothing(sat: Place) -> None:
    before = fingerprints(sat.vault)
    arms = {arm: run(sat, arm) for arm in ARMS}
    assert fingerprints(sat.vault) == before
    now = {arm: ahead(arms[arm], "present", "new", "old") for arm in ARMS}
    past = {arm: ahead(arms[arm], "past", "old", "new") for arm in ARMS}
    assert now["gate"] == now["none"]
    assert sum(now["use"].values()) < sum(now["none"].values())  # else nothing was there to withdraw
    assert sum(past["use"].values()) > sum(past["none"].values())
    assert past["gate"] == past["use"]


def test_episodes_do_not_see_each_others_uses(sat: Place) -> None:
    alone = sat.base / "alone.jsonl"
    for episode in READ[:3]:
        alone.write_text(json.dumps(episode) + "\n", "utf-8")
        one = run(sat, "use", alone)
        assert one.items() <= run(sat, "use").items()


def test_uses_after_the_day_of_the_question_do_not_count(sat: Place) -> None:
    later = sat.base / "later.jsonl"
    moved = [{**e, "reinforce": [{**e["reinforce"][0], "last": "2027-06-01", "times": 5}]} for e in READ]
    later.write_text("".join(json.dumps(e) + "\n" for e in moved), "utf-8")
    assert run(sat, "use", later) == run(sat, "none")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "a"}', "is no episode"),
        ('{"id": "a", "reinforce": [{"note": "gone.md", "times": 1, "last": "2026-01-01"}]}', "gone.md"),
        ('{"id": "a", "reinforce": [{"note": "a.md", "times": 1, "last": "soon"}]}', "is no episode"),
        ("[]", "is no episode"),
    ],
)
def test_what_is_no_episode_is_named(sat: Place, line: str, reason: str) -> None:
    odd = sat.base / "odd.jsonl"
    odd.write_text(line + "\n", "utf-8")
    with pytest.raises(BadRequest, match=reason):
        gate(sat.vault, odd, "gate", sat.base / "out.jsonl")
    assert not (sat.base / "out.jsonl").exists()
