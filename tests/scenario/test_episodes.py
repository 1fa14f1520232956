"""Episodes from the note to the answer: read, renamed, taken back, asked for, and what facts say they rest on."""

from __future__ import annotations

import json
import shutil
from typing import Any

from ebbtide.parse.facts import EXTRACTOR
from support import Place, notes_for, settled, wait_until

KILN = """---
type: experiment
trigger: Glaze ran off the bowls
result: failure
lesson: Never trust a thermocouple near the door
date: 2026-03-04
---
# Slow kiln

## Tried

We fired the kiln over two nights.

## Reason

The thermocouple sat too near the door.
"""
RULE = """# Firing rules

We decided to fire by cones instead of the thermocouple because of [[Slow kiln]].
"""
DAY = """# Wednesday

The tap kept dripping. I tried new tape on the thread. No luck, because the washer was worn. Lesson: always look at the washer first.
"""
NOTES = {
    "Work/Slow kiln.md": KILN,
    "Rules.md": RULE,
    "Daily/2026-05-13.md": DAY,
    "Work/Fast kiln.md": "---\ntype: experiment\n---\n# Fast kiln\n\nFired on Friday.\n",
    "Work/Quiet.md": KILN.replace("type: exp", "memory: false\ntype: exp"),
    "Work/Own.md": KILN.replace("type: exp", "private: true\ntype: exp").replace("door", "flue"),
    "Work/Slow kiln.sync-conflict-20260305-101010-ABCDEFG.md": KILN,
    "Templates/Experiment.md": KILN,
}


def shown(service: Any, **asked: Any) -> dict[str, dict[str, Any]]:
    return {episode["note"]: episode for episode in service.episodes(**asked)["episodes"]}


def test_what_was_tried_and_how_it_ended(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        found = shown(service)
        assert list(found) == ["Daily/2026-05-13.md", "Work/Own.md", "Work/Slow kiln.md", "Work/Fast kiln.md"]
        assert {path: episode["result"] for path, episode in found.items()} == {
            "Daily/2026-05-13.md": "failure",
            "Work/Own.md": "failure",
            "Work/Slow kiln.md": "failure",
            "Work/Fast kiln.md": None,
        }
        assert [path for path, episode in found.items() if episode["private"]] == ["Work/Own.md"]
        for path, episode in found.items():
            text = (place.vault / path).read_text("utf-8")
            for said in episode["parts"].values():
                assert said["quote"] and said["quote"] in text
                assert said["quote"].split("\n")[0] in text.split("\n")[said["line"] - 1]
        day = found["Daily/2026-05-13.md"]["parts"]
        assert (day["tried"]["quote"], day["lesson"]["quote"]) == (
            "I tried new tape on the thread.",
            "Lesson: always look at the washer first.",
        )
        assert found["Work/Slow kiln.md"]["missing"] == []
        assert list(shown(service, result="missing")) == ["Work/Fast kiln.md"]
        assert service.runtime.catalog.episodes_missing(10) == [
            ("Work/Fast kiln.md", ("trigger", "result", "lesson"), None)
        ]


def test_facts_point_to_the_episode_they_come_from(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        facts = {fact["id"]: fact for fact in service.facts(limit=100)["facts"]}
        rests = shown(service, note="Work/Slow kiln.md")["Work/Slow kiln.md"]["facts"]
        assert {facts[ident]["source"] for ident in rests} == {"Rules.md", "Work/Slow kiln.md"}
        assert {facts[ident]["because"] for ident in rests} == {"Slow kiln", "Work/Slow kiln"}
        assert {facts[ident]["type"] for ident in rests} <= {"decision", "lesson", "constraint", "procedure"}
        (told,) = shown(service, note="Daily/2026-05-13.md")["Daily/2026-05-13.md"]["facts"]
        assert (facts[told]["type"], facts[told]["because"]) == ("lesson", "Daily/2026-05-13")


def test_an_episode_follows_its_note(place: Place) -> None:
    place.fill(NOTES)
    with place.served() as daemon:
        before = shown(daemon.service)["Work/Slow kiln.md"]
        (place.vault / "Work/Slow kiln.md").rename(place.vault / "Work/Two nights.md")
        place.write("Rules.md", RULE.replace("Slow kiln", "Two nights"))
        wait_until(lambda: "Work/Two nights.md" in shown(daemon.service), "the new name")
        settled(daemon)
        after = shown(daemon.service)["Work/Two nights.md"]
        own = [ident for ident in before["facts"] if ident in after["facts"]]
        assert own and {daemon.service.fact(ident)["fact"]["because"] for ident in own} == {"Work/Two nights"}
        assert {daemon.service.fact(ident)["fact"]["source"] for ident in after["facts"]} == {
            "Rules.md",
            "Work/Two nights.md",
        }
        assert {**after, "note": "", "title": "", "facts": ()} == {**before, "note": "", "title": "", "facts": ()}
        place.write("Work/Two nights.md", KILN.replace("failure", "success"))
        wait_until(lambda: shown(daemon.service)["Work/Two nights.md"]["result"] == "success", "the new result")
        place.write("Work/Two nights.md", KILN.replace("type: exp", "memory: false\ntype: exp"))
        wait_until(lambda: "Work/Two nights.md" not in shown(daemon.service), "it to be left out")
        (place.vault / "Daily/2026-05-13.md").unlink()
        wait_until(lambda: "Daily/2026-05-13.md" not in shown(daemon.service), "it to go")
        place.write("Work/Fast kiln.md", "# Fast kiln\n\nAn okapi.\n")
        wait_until(lambda: notes_for(daemon.service, "okapi"), "the edit")
        settled(daemon)
        assert list(shown(daemon.service)) == ["Work/Own.md"]


def test_an_older_reading_gets_its_episode_and_keeps_its_ids(place: Place) -> None:
    place.fill(NOTES)
    with place.served():
        pass
    before = place.facts()
    file = place.vault / "Memory/facts.jsonl"
    older = [record | {"extractor": "rules/1", "because": None} for _, record in sorted(before.items())]
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in older), "utf-8")
    for cache in place.caches:
        shutil.rmtree(cache)
    with place.served() as daemon:
        settled(daemon)
    assert place.facts() == before
    assert {record["extractor"] for record in before.values()} == {EXTRACTOR}
    assert any(record["because"] for record in before.values())
    assert place.revisions("retract") == place.revisions("supersede") == []
