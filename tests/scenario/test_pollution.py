"""What may last (mission.md B7): sixty stories of one conclusion each, read from real notes by a model that always concludes.

It happened once, several times on one day, again and again, or the memory's own words came back. Only the third kind may be
promoted. `pytest -s` prints the figures.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from ebbtide.index.takeover import ModelReading, TakeOver
from ebbtide.memory.records import FactDraft
from ebbtide.recall.compose import inject
from ebbtide.serve.service import Service
from support import Place

SUBJECTS = (
    "long meetings", "early starts", "paper lists", "loud cafés", "late deploys", "phone calls", "big pull requests",
    "长会议", "早起", "临时改期", "周五上线", "口头约定", "晚睡", "连续出差", "多人审批",
)  # fmt: skip
SAID = (
    "Lost the thread again because of {it}.",
    "{it} cost me the afternoon.",
    "Tired after {it} once more.",
    "又因为{it}误了事。",
    "{it}之后什么也没做成。",
)
PROJECTS = ("Mosslog", "Kettle", "House", "Tea", "Running")


@dataclass(frozen=True)
class Story:
    """Notes (path, day, text, by a person) that a conclusion is drawn from, and whether it may last."""

    claim: str
    notes: tuple[tuple[str, str, str, bool], ...]
    lasting: bool


def stories() -> list[Story]:
    chance = random.Random(7)
    out: list[Story] = []
    kinds = ["once"] * 15 + ["same day"] * 12 + ["same task"] * 5 + ["again"] * 18 + ["own words"] * 10
    for number, kind in enumerate(kinds):
        it = SUBJECTS[number % len(SUBJECTS)]
        claim = f"Case {number}: {it} make the user lose focus."
        count = {"once": 1, "same day": 3, "same task": 3}.get(kind, chance.randint(2, 4))
        notes = []
        for turn in range(count):
            project = PROJECTS[0] if kind == "same task" else PROJECTS[(number + turn) % len(PROJECTS)]
            day = f"2026-03-{10 if kind == 'same day' else 10 + 2 * turn:02}"
            said = SAID[(number + turn) % len(SAID)].format(it=it)
            if kind == "own words" and turn:
                said = inject("when planning", None, claim, f"Projects/{project}/s{number}-0.md", 6, day, "en")
            author = "author: Claude\n" if kind == "own words" and turn % 2 == 0 and turn else ""
            text = f"---\ndate: {day}\n{author}---\n# Log\n\n{said}\n"
            notes.append((f"Projects/{project}/s{number}-{turn}.md", day, text, kind != "own words" or not turn))
        out.append(Story(claim, tuple(notes), kind == "again"))
    return out


def read(service: Service, path: str, claim: str, day: str) -> None:
    """What a model makes of a note: always the same conclusion, with the note's own line as its quote."""
    file = service.runtime.store.read(path)
    row = service.runtime.catalog.file(path)
    assert row is not None
    quote = file.text.rstrip("\n").split("\n")[-1]
    start = file.text.index(quote)
    line = file.text.count("\n", 0, start) + 1
    draft = FactDraft(
        claim, "lesson", start, start + len(quote), line, "Log", quote, day, "day",
        subject="user", trigger="when planning", scope="user",
    )  # fmt: skip
    reading = ModelReading(path, row.digest, "model/1", [draft], concluded=[draft])
    TakeOver(service.runtime.sync).take(reading)


def test_only_what_truly_repeats_is_promoted(place: Place) -> None:
    told = stories()
    assert len(told) == 60
    place.fill({path: text for story in told for path, _, text, _ in story.notes})
    with place.opened() as service:
        for story in told:
            for path, day, _, _ in story.notes:
                read(service, path, story.claim, day)
        facts = {fact["fact"]: fact for fact in service.facts(limit=1000)["facts"]}
        states = {story.claim: facts[story.claim]["state"] for story in told}
    promoted = [story for story in told if states[story.claim] == "active"]
    lasting = [story for story in told if story.lasting]
    pollution = sum(not story.lasting for story in promoted) / max(1, len(promoted))
    recall = sum(story.lasting for story in promoted) / len(lasting)
    print(f"60 stories: {len(promoted)} promoted, pollution {pollution:.3f}, promotion recall {recall:.3f}")
    assert set(states.values()) == {"active", "candidate"}
    assert pollution <= 0.02
    assert recall >= 0.85
    assert {r["kind"] for r in place.ledger("revisions/*.jsonl") if r["kind"] == "promote"} == {"promote"}
