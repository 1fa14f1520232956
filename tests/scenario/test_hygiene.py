"""The hygiene of a night over a real vault: what it asks about, sets aside and puts away, that it touches nothing else, and undo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ebbtide.parse.episodes import episode_of
from ebbtide.parse.note import parse_note
from ebbtide.serve.service import Service
from ebbtide.sleep.night import Outcome, change_of
from ebbtide.sleep.planning import digest
from ebbtide.sleep.told import told as told_in
from ebbtide.sleeping import open_night
from ebbtide.vault import contracts
from support import Place, fingerprints, kept, standings

TODAY = datetime.now().astimezone().date()


def day(back: int) -> str:
    return (TODAY - timedelta(days=back)).isoformat()


DAY = day(0)


def core(claim: str, *, born: int = 200, **more: str) -> str:
    head = {"type": "principle", "status": "active", "created": day(born)} | more
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in head.items()) + f"---\n\n{claim}\n"


PRINCIPLES = "Memory/core/principles"
OLD = f"{PRINCIPLES}/Suppliers.md"
REVIEW = f"{PRINCIPLES}/Weekly review.md"
IT, IT_ZH = f"{PRINCIPLES}/It makes everything slower.md", f"{PRINCIPLES}/它会让启动变慢.md"
BACKUP = f"{PRINCIPLES}/Backups.md"
SOUND = f"{PRINCIPLES}/Small batches.md"
BANK = "We currently keep the rent account at the Harbour Bank."
CORES: Mapping[str, str] = {
    OLD: core(f"Until {day(20)} every order goes through the second supplier."),
    REVIEW: core("Write the weekly review on Friday.", review=day(3)),
    IT: core("It makes everything slower."),
    IT_ZH: core("它会让启动变慢。"),
    BACKUP: core("The backup of the office server must never run on Sundays."),
    SOUND: core("Small batches ship faster than large ones.", review=day(-30)),
}
NOTES: Mapping[str, str] = {
    "Money/Rent.md": f"---\ndate: {day(200)}\n---\n# Rent\n\n{BANK}\n",
    "Work/Server.md": f"---\ndate: {day(10)}\n---\n# Server\n\nThe backup of the office server must run on Sundays.\n",
    "Home.md": "# Home\n\nSee [[Rent]].\n",
}
REASONS = {
    OLD: f"what it says held until {day(20)}",
    REVIEW: f"it was to be looked at again on {day(3)}",
    IT: "it begins with “It”, and nothing says what that is",
    IT_ZH: "开头的“它”没有说明指的是什么",
    BACKUP: f"Server, of {day(10)}, says otherwise",
    "Money/Rent.md": f"it says “currently” of {day(200)}, and no date tells when that was",
}


@pytest.fixture
def filled(place: Place) -> Place:
    """A vault whose memory folder is ours, with a core of the person's own."""
    with place.opened():
        pass
    return place.fill({**CORES, **NOTES})


def run(service: Service, at: str = DAY) -> Outcome:
    outcome = open_night(service.runtime, lambda work: work()).run(at)
    service.runtime.write_memory()
    return outcome


def undo(service: Service, at: str | None = None) -> list[str]:
    _, _, left = open_night(service.runtime, lambda work: work()).undo(at, "user", "no")
    service.runtime.write_memory()
    return left


def asked(service: Service, kind: str = "expired") -> dict[str, dict[str, Any]]:
    """Open questions by the note of their first side."""
    return {item["sides"][0]["note"]: item for item in service.reviews(kind=kind)["reviews"]}


def twin(place: Place, at: str = DAY) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((place.vault / f"Memory/reports/{at}.json").read_text("utf-8"))
    assert contracts.validate("report", told) == []
    return told


def rulings(place: Place, at: str = DAY) -> set[tuple[str, str]]:
    """What a report says waits for a person: the kind and the note of its first side."""
    return {(one["kind"], one["sides"][0]["note"]) for one in twin(place, at)["rulings"]}


def page(place: Place, at: str = DAY) -> str:
    return (place.vault / f"Memory/reports/{at}.md").read_text("utf-8")


# --- the check-up -----------------------------------------------------------------------------------------------------


def test_the_check_up_asks_about_what_ran_out_contradicts_or_is_vague_and_changes_no_word(filled: Place) -> None:
    with filled.opened() as service:
        before, outside = kept(filled), fingerprints(filled.vault, without="Memory")
        run(service)
        questions = asked(service)
        assert {note: item["why"] for note, item in questions.items()} == REASONS
        assert all(REASONS[note] in item["question"] for note, item in questions.items())
        assert "要不要保留" in questions[IT_ZH]["question"]
        assert questions[BACKUP]["sides"][0]["quote"] == "The backup of the office server must never run on Sundays."
        after = kept(filled)
        assert {name: after[name] for name in before if name.endswith(".md") and name != "Memory/MEMORY.md"} == {
            name: data for name, data in before.items() if name.endswith(".md") and name != "Memory/MEMORY.md"
        }
        assert fingerprints(filled.vault, without="Memory") == outside
        told = twin(filled)
        assert told["hygiene"]["counts"] == {"asked": 6, "moved": 0, "episodes": 0, "set_aside": 0, "lapsed": 0}
        assert {one["note"]: one["check"] for one in told["hygiene"]["asked"]} == {
            OLD: "ran-out", REVIEW: "review", IT: "pronoun", IT_ZH: "pronoun", BACKUP: "newer", "Money/Rent.md": "now",
        }  # fmt: skip
        assert {r["sides"][0]["note"] for r in told["rulings"] if r["kind"] == "expired"} == set(REASONS)
        assert "## The check-up asks" in page(filled)
        assert f"[Server](../../Work/Server.md):{NOTES['Work/Server.md'].count(chr(10), 0, -2) + 1}" in page(filled)


def test_questions_come_in_the_language_that_is_asked_for(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
        [zh] = [i for i in service.reviews(kind="expired", lang="zh")["reviews"] if i["sides"][0]["note"] == OLD]
        assert f"按它所说，只到 {day(20)} 为止" in zh["question"]


def test_a_night_takes_its_questions_back_and_asks_them_again(filled: Place) -> None:
    with filled.opened() as service:
        service.runtime.write_memory()
        files, before = kept(filled), standings(service.runtime)
        first = run(service)
        assert undo(service) == []
        assert (kept(filled), standings(service.runtime)) == (files, before)
        assert asked(service) == {}
        again = run(service, day(-1))
        assert [s.subjects for s in again.plan.steps if s.kind == "expire"] == [
            s.subjects for s in first.plan.steps if s.kind == "expire"
        ]


def test_one_question_is_taken_back_by_itself_and_is_not_asked_again(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
        [made] = [r for r in filled.revisions("expire") if r["evidence"][0]["source"] == OLD]
        service.undo(id=made["id"])
        assert set(asked(service)) == set(REASONS) - {OLD}
        run(service, day(-1))
        assert set(asked(service)) == set(REASONS) - {OLD}


def test_what_a_person_says_still_holds_is_not_asked_again_until_its_words_change(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
        for note in (OLD, "Money/Rent.md"):
            service.rule(asked(service)[note]["id"], "still_true")
        run(service, day(-1))
        assert set(asked(service)) == set(REASONS) - {OLD, "Money/Rent.md"}
        filled.write(OLD, core(f"Until {day(19)} every order goes through the second supplier."))
        service.catch_up(vectors=False)
        run(service, day(-2))
        assert asked(service)[OLD]["why"] == f"what it says held until {day(19)}"


def test_later_and_archive_are_rulings_on_a_core_memory(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
        questions = asked(service)
        service.rule(questions[IT]["id"], "later")
        service.rule(questions[OLD]["id"], "archive")
        assert set(asked(service)) == set(REASONS) - {IT, OLD}
        recalled = service.recall("which supplier do orders go through?")["items"]
        assert OLD not in {item["note"] for item in recalled}
        assert (filled.vault / OLD).read_text("utf-8") == CORES[OLD]


def test_what_is_put_off_is_in_no_report_until_its_day(filled: Place) -> None:
    filled.fill(CLIPPED)
    filled.fill({f"Sea/{name}.md": f"# {name}\n\nWe decided to sail from {name} in May.\n" for name in ("Rye", "Deal")})
    with filled.opened() as service:
        sides = [next(iter(facts_of(service, f"Sea/{name}.md"))) for name in ("Rye", "Deal")]
        said = {"by": "daemon", "kind": "dispute", "subjects": sides[:1], "object": sides[1]}
        service.runtime.sync.decisions.record({**said, "changes": [], "why": "two harbours", "evidence": []})
        run(service)
        before = rulings(filled)
        assert {kind for kind, _ in before} == {"dispute", "expired", "quarantined"}
        for item in service.reviews()["reviews"]:
            service.rule(item["id"], "later")
        run(service, day(-1))
        assert rulings(filled, day(-1)) == set()
        run(service, day(-8))
        assert rulings(filled, day(-8)) >= before


def test_questions_of_a_day_share_one_limit_the_most_pressing_first(filled: Place) -> None:
    with filled.opened(lifecycle__asked=2) as service:
        run(service)
        assert set(asked(service)) == {OLD, REVIEW}
        run(service)
        assert set(asked(service)) == {OLD, REVIEW}, "the same day has no more to ask"
        assert service.runtime.patrol.ask() == 0


def test_each_memory_has_its_turn_where_a_night_reads_only_a_part(filled: Place) -> None:
    with filled.opened(sleep__checkup=1) as service:
        seen: list[set[str]] = []
        for back in range(7):
            run(service, day(-3 * back))  # each night is a turn, however far apart they are
            seen.append(set(asked(service)))
        assert len(seen[0]) < len(REASONS)
        assert all(a <= b for a, b in pairwise(seen))
        assert seen[-1] == set(REASONS)


def test_a_dry_run_tells_how_much_it_would_ask_and_asks_nothing(filled: Place) -> None:
    with filled.opened():
        pass
    before = fingerprints(filled.vault)
    told = command(filled, "sleep", "--dry-run", "--json")
    assert told.returncode == 0, told.stderr
    counts = {"asked": len(REASONS), "moved": 0, "episodes": 0, "set_aside": 0}
    assert json.loads(told.stdout)["result"]["hygiene"] == counts
    assert f"Hygiene: {len(REASONS)} questions asked" in command(filled, "sleep", "--dry-run").stdout
    assert fingerprints(filled.vault) == before


def test_a_night_that_was_cut_off_goes_on_and_does_nothing_twice(tmp_path: Path) -> None:
    def night(name: str, writes: int) -> tuple[dict[str, bytes], list[tuple[Any, ...]]]:
        (tmp_path / name / "vault").mkdir(parents=True)
        place = Place(tmp_path / name)
        with place.opened():
            pass
        place.fill({**CORES, **NOTES, **WORKING, **CLIPPED})
        vouch(place, REBUILD, TODO)
        age(place, REBUILD, TODO, MINE)
        left = writes

        def write(work: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError("the disk is gone")
            return work()

        with place.opened() as service:
            try:
                open_night(service.runtime, write).run(DAY)
            except OSError:
                assert open_night(service.runtime, lambda work: work()).resume() is not None
            service.runtime.write_memory()
        done = [r for r in place.ledger("revisions/*.jsonl") if r.get("part_of")]
        pages = {name: data for name, data in kept(place).items() if name.endswith(".md")}
        return pages, sorted((r["step"], r["kind"], r["subjects"], str(r["changes"])) for r in done)

    whole = night("whole", 10_000)
    assert {kind for _, kind, *_ in whole[1]} >= {"expire", "quarantine", "compress"}
    for cut in (1, 3, 6, 10, 13):
        assert night(f"cut {cut}", cut) == whole


# --- working notes ----------------------------------------------------------------------------------------------------

ATTEMPT = """---
origin: agent
author: claude
---

# Index rebuild

## Tried

Rebuilt the index with four workers.

## Result

It failed: the disk was full after ten minutes.

## Lesson

Check the free space before a rebuild.
"""
WORKING: Mapping[str, str] = {
    "Memory/working/Index rebuild.md": ATTEMPT,
    "Memory/working/待办.md": "---\norigin: agent\n---\n\n# 待办\n\n正在整理下周的会议。\n",
    "Memory/working/Fresh.md": "---\norigin: agent\n---\n\n# Fresh\n\nUnder way.\n",
    "Memory/working/Mine.md": "# Mine\n\nIdeas for the trip.\n",
}
REBUILD, TODO, FRESH, MINE = WORKING
EPISODE = f"Memory/episodic/{day(10)[:4]}/{day(10)[5:7]}/{day(10)} Index rebuild.md"


def age(place: Place, *paths: str) -> None:
    """As if nobody had saved these for ten days."""
    then = (datetime.now() - timedelta(days=10)).timestamp()
    for path in paths:
        os.utime(place.vault / path, (then, then))


def vouch(place: Place, *paths: str, before: str = "") -> None:
    """The revisions by which an agent wrote these notes just as they are, over a text (none: the note is new)."""
    with place.opened() as service:
        for path in paths:
            row = service.runtime.catalog.file(path)
            assert row is not None
            change = change_of(
                path.removeprefix("Memory/"), digest(before or None), (place.vault / path).read_text("utf-8")
            )
            service.runtime.sync.decisions.record(
                {"by": "agent:claude", "kind": "associate", "subjects": [row.id], "object": None,
                 "changes": [change], "why": "noted", "evidence": []}
            )  # fmt: skip
        service.runtime.write_memory()


@pytest.fixture
def working(place: Place) -> Place:
    """Working notes that nobody has touched for ten days, but one."""
    with place.opened():
        pass
    place.fill(WORKING)
    vouch(place, REBUILD, TODO, FRESH)
    age(place, REBUILD, TODO, MINE)
    return place


def files_of(place: Place, folder: str) -> set[str]:
    base = place.vault / "Memory" / folder
    return {file.relative_to(place.vault).as_posix() for file in base.rglob("*.md")}


def test_a_working_note_becomes_an_episode_or_nothing_and_a_persons_own_is_asked_about(working: Place) -> None:
    with working.opened() as service:
        outside = fingerprints(working.vault, without="Memory")
        outcome = run(service)
        assert outcome.skipped == {}
        assert files_of(working, "working") == {FRESH, MINE}
        assert files_of(working, "episodic") == {EPISODE}
        text = (working.vault / EPISODE).read_text("utf-8")
        episode = episode_of(parse_note(EPISODE, text))
        assert episode is not None
        assert (episode.result, episode.date) == ("failure", day(10))
        assert episode.parts["lesson"].quote == "Check the free space before a rebuild."
        own = {line for line in text.split("---\n")[2].splitlines() if line and not line.startswith("#")}
        assert own <= set(ATTEMPT.splitlines()), "no word that does not stand in the note"
        assert asked(service)[MINE]["why"] == f"a working note of yours that nobody has touched since {day(10)}"
        assert [e["note"] for e in service.episodes(result="failure")["episodes"]] == [EPISODE]
        assert fingerprints(working.vault, without="Memory") == outside
        told = twin(working)["hygiene"]
        assert told["counts"] == {"asked": 1, "moved": 2, "episodes": 1, "set_aside": 0, "lapsed": 0}
        assert {one["path"]: one["episode"] for one in told["moved"]} == {REBUILD: EPISODE, TODO: None}
        assert "Index rebuild" in page(working)


@pytest.mark.parametrize(
    "text", ["# Rebuild\n\nNothing.\n", "---\nprivate: true\n---\n# Rebuild\n\nNothing.\n", f"{ATTEMPT}\nMine.\n"]
)
def test_a_working_note_that_was_changed_since_the_plan_was_made_becomes_no_episode(working: Place, text: str) -> None:
    with working.opened() as service:
        night = open_night(service.runtime, lambda work: work())
        plain = night.further

        def further(at: str) -> Any:
            steps = plain(at)
            working.write(REBUILD, text)
            return steps

        night.further = further
        outcome = night.run(DAY)
        assert [outcome.steps[n].kind for n in outcome.skipped] == ["compress", "expire"]
        assert files_of(working, "episodic") == set()
        assert (working.vault / REBUILD).read_text("utf-8") == text


@pytest.mark.parametrize("back", ["nothing", "the revision of another text", "an edit in between"])
def test_a_persons_words_in_a_machines_working_note_are_asked_about(place: Place, back: str) -> None:
    with place.opened():
        pass
    own = ATTEMPT + "\nMy own remark: ask Jo about the disk.\n"
    place.write(REBUILD, ATTEMPT)
    if back != "nothing":
        vouch(place, REBUILD)
    place.write(REBUILD, own)
    if back == "an edit in between":  # the agent wrote on over the person's words
        place.write(REBUILD, own + "\nDone.\n")
        vouch(place, REBUILD, before=own)
    age(place, REBUILD)
    with place.opened() as service:
        text = (place.vault / REBUILD).read_text("utf-8")
        run(service)
        assert (place.vault / REBUILD).read_text("utf-8") == text
        assert files_of(place, "episodic") == set()
        assert asked(service)[REBUILD]["why"] == (
            f"a working note that nobody has touched since {day(10)}; it may hold words of yours"
        )


def test_working_notes_come_back_to_the_byte(working: Place) -> None:
    with working.opened() as service:
        service.runtime.write_memory()
        files, before = kept(working), standings(service.runtime)
        run(service)
        assert kept(working) != files
        assert undo(service) == []
        assert (kept(working), standings(service.runtime)) == (files, before)


def test_one_working_note_comes_back_by_itself(working: Place) -> None:
    with working.opened() as service:
        run(service)
        [made] = [r for r in working.revisions("expire") if r.get("working") == "gone"]
        service.undo(id=made["id"])
        assert (working.vault / TODO).read_text("utf-8") == WORKING[TODO]
        assert files_of(working, "working") == {FRESH, MINE, TODO}


def test_a_working_note_lasts_as_long_as_is_set_and_as_it_says_itself(working: Place) -> None:
    for name, ends in (("Short", day(1)), ("Year", day(0)[:4]), ("Month", day(0)[:7])):
        text = f"---\norigin: agent\nexpires: {ends}\n---\n\n# {name}\n\nA word.\n"
        working.write(f"Memory/working/{name}.md", text)
        vouch(working, f"Memory/working/{name}.md")
    with working.opened(lifecycle__days={"working": 30}) as service:
        run(service)
        lasts = {"Memory/working/Year.md", "Memory/working/Month.md"}
        assert files_of(working, "working") == {REBUILD, TODO, FRESH, MINE} | lasts
        assert asked(service) == {}
        next_year = f"{int(DAY[:4]) + 1}-01-01"
        for note in lasts:
            age(working, note)
        run(service, next_year)
        assert files_of(working, "working").isdisjoint(lasts)


def test_what_lies_where_the_episode_would_go_is_not_overwritten(working: Place) -> None:
    working.write(EPISODE, "# Mine\n\nMy own words.\n")
    with working.opened() as service:
        run(service)
        assert (working.vault / EPISODE).read_text("utf-8") == "# Mine\n\nMy own words.\n"
        [other] = files_of(working, "episodic") - {EPISODE}
        assert "result: failure" in (working.vault / other).read_text("utf-8")


def test_the_note_stays_where_its_episode_could_not_be_written(working: Place) -> None:
    with working.opened() as service:
        told = open_night(service.runtime, lambda work: work())
        plain = told.further

        def late(at: str) -> Any:
            steps = plain(at)
            working.write(EPISODE, "# Mine\n")
            return steps

        told.further = late
        outcome = told.run(DAY)
        assert {outcome.steps[n].path for n in outcome.skipped} == {
            EPISODE.removeprefix("Memory/"), REBUILD.removeprefix("Memory/"),
        }  # fmt: skip
        assert (working.vault / REBUILD).read_text("utf-8") == ATTEMPT
        assert not (working.vault / TODO).exists()


def test_private_stays_private(working: Place) -> None:
    working.write(REBUILD, ATTEMPT.replace("origin: agent", "origin: agent\nprivate: true"))
    vouch(working, REBUILD, before=ATTEMPT)
    age(working, REBUILD)
    with working.opened() as service:
        run(service)
        assert parse_note(EPISODE, (working.vault / EPISODE).read_text("utf-8")).private


# --- doubtful sources -------------------------------------------------------------------------------------------------

CLIP = "Clippings/Tides.md"
CLIPPED = {
    CLIP: "---\nsource: https://tides.example/page\ntags: [clippings]\n---\n# Tides\n\nThe tide at Dover rises 6.7 metres at springs."
    "\n\nThe tide mill at Woodbridge was built in 1793.\n",
    "Sea/Own.md": "# Own\n\nWe decided to sail from Dover in May.\n",
    f"{PRINCIPLES}/Sail at night.md": core("Always sail at night.", origin="agent"),
}


@pytest.fixture
def clipped(place: Place) -> Place:
    with place.opened():
        pass
    return place.fill(CLIPPED)


def facts_of(service: Service, note: str) -> dict[str, str]:
    """Ids of the facts of a note with their state."""
    return {fact["id"]: fact["state"] for fact in service.facts(note=note)["facts"]}


def test_what_only_a_clipping_says_is_set_aside_and_one_answer_clears_it(clipped: Place) -> None:
    with clipped.opened() as service:
        own = facts_of(service, "Sea/Own.md")
        assert own
        outside = fingerprints(clipped.vault, without="Memory")
        run(service)
        aside = facts_of(service, CLIP)
        assert len(aside) >= 2
        assert set(aside.values()) == {"quarantined"}
        assert facts_of(service, "Sea/Own.md") == own
        questions = asked(service, "quarantined")
        assert set(questions) == {CLIP, f"{PRINCIPLES}/Sail at night.md"}
        assert questions[CLIP]["why"] == "its note was clipped from the web"
        assert {side["id"] for side in questions[CLIP]["sides"]} == set(aside)
        assert fingerprints(clipped.vault, without="Memory") == outside
        told = twin(clipped)["hygiene"]
        assert told["counts"]["set_aside"] == len(aside) + 1
        assert {one["note"]: one["check"] for one in told["set_aside"]} == {
            CLIP: "clipping", f"{PRINCIPLES}/Sail at night.md": "agent-core",
        }  # fmt: skip
        assert "## Set aside: doubtful sources" in page(clipped)
        shown = {item["note"] for item in service.recall("when do we always sail?")["items"]}
        assert f"{PRINCIPLES}/Sail at night.md" not in shown
        service.rule(questions[CLIP]["id"], "clear")
        assert set(facts_of(service, CLIP).values()) == {"active"}
        run(service, day(-1))
        assert set(facts_of(service, CLIP).values()) == {"active"}


def test_clear_takes_it_out_and_it_stays_out(clipped: Place) -> None:
    with clipped.opened() as service:
        run(service)
        [first, *_] = facts_of(service, CLIP)
        service.act(first, "clear")
        row = service.runtime.catalog.file(f"{PRINCIPLES}/Sail at night.md")
        assert row is not None
        service.act(row.id, "clear")
        run(service, day(-1))
        assert facts_of(service, CLIP)[first] == "active"
        assert service.runtime.sync.decisions.standing(row.id).state == "active"


def test_a_source_is_cleared_as_a_whole_by_its_note(clipped: Place) -> None:
    with clipped.opened() as service:
        run(service)
        row = service.runtime.catalog.file(CLIP)
        assert row is not None
        service.act(row.id, "clear")
        assert set(facts_of(service, CLIP).values()) == {"active"}
        run(service, day(-1))
        assert set(facts_of(service, CLIP).values()) == {"active"}


def test_a_source_that_was_set_aside_twice_is_cleared_and_set_aside_again_as_a_whole(clipped: Place) -> None:
    with clipped.opened() as service:
        run(service)
        first = facts_of(service, CLIP)
        clipped.write(CLIP, CLIPPED[CLIP] + "\nThe tide gate at Bow was closed in 1811.\n")
        service.catch_up(vectors=False)
        run(service, day(-1))
        assert len(facts_of(service, CLIP)) > len(first)
        assert set(facts_of(service, CLIP).values()) == {"quarantined"}
        row = service.runtime.catalog.file(CLIP)
        assert row is not None
        done = service.act(row.id, "clear")
        assert set(facts_of(service, CLIP).values()) == {"active"}
        run(service, day(-2))
        assert set(facts_of(service, CLIP).values()) == {"active"}
        service.undo(id=done["revisions"][0]["id"])
        assert set(facts_of(service, CLIP).values()) == {"quarantined"}
        service.act(row.id, "clear")
        assert set(facts_of(service, CLIP).values()) == {"active"}


def test_the_undo_of_the_night_clears_all_of_it(clipped: Place) -> None:
    with clipped.opened() as service:
        service.runtime.write_memory()
        files, before = kept(clipped), standings(service.runtime)
        run(service)
        undo(service)
        assert (kept(clipped), standings(service.runtime)) == (files, before)


def test_what_a_person_says_too_is_not_set_aside(clipped: Place) -> None:
    clipped.write("Sea/Tides.md", "# Tides\n\nThe tide mill at Woodbridge was built in 1793.\n")
    with clipped.opened() as service:
        run(service)
        [mill] = [f for f in service.facts()["facts"] if "Woodbridge" in f["fact"]]
        assert mill["state"] == "active"
        assert CLIP in {mill["source"], *(e["source"] for e in mill["evidence"])}
        [dover] = [f for f in service.facts()["facts"] if "6.7" in f["fact"]]
        assert dover["state"] == "quarantined"


def test_setting_aside_can_be_switched_off(clipped: Place) -> None:
    with clipped.opened(sleep__quarantine=False) as service:
        run(service)
        assert set(facts_of(service, CLIP).values()) == {"active"}


# --- what waited ------------------------------------------------------------------------------------------------------


def test_what_waited_in_vain_is_told_once(place: Place) -> None:
    said = "I noticed that seedlings grow better once they are turned every morning."
    begun = (date.fromisoformat(DAY) - timedelta(days=1)).isoformat()
    with place.fill({f"Garden/{begun}.md": f"# Then\n\n{said}\n"}).opened() as service:
        run(service)
        until = (TODAY + timedelta(days=30)).isoformat()
        run(service, until)
        assert twin(place, until)["hygiene"]["lapsed"] == []
        after = (TODAY + timedelta(days=31)).isoformat()
        run(service, after)
        [one] = twin(place, after)["hygiene"]["lapsed"]
        assert (one["quote"], one["until"]) == (said, until)
        assert f"waited until {until}" in page(place, after)
        run(service, (TODAY + timedelta(days=32)).isoformat())
        assert twin(place, (TODAY + timedelta(days=32)).isoformat())["hygiene"]["lapsed"] == []


def test_a_hostile_working_note_stays_in_its_place(place: Place) -> None:
    with place.opened():
        pass
    text = ATTEMPT.replace("# Index rebuild", "# ../../Escape [[Home]] %%x%%")
    place.write("Memory/working/---.md", text)
    vouch(place, "Memory/working/---.md")
    age(place, "Memory/working/---.md")
    with place.opened() as service:
        run(service)
        assert all(name.startswith("Memory/episodic/") for name in files_of(place, "episodic"))
        assert len(files_of(place, "episodic")) == 1
        assert not list(place.base.rglob("Escape*"))


# --- what comes back, and the digest ----------------------------------------------------------------------------------


def test_what_comes_back_is_answered_by_use_or_retired(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
        first, second = service.digest()["revive"]
        assert [one["answer"] for one in first["answers"]] == ["use", "rewrite", "retire"]
        use, rewrite, retire = first["answers"]
        assert (use["post"], rewrite["open"]) == ("/v1/uses", first["path"])
        assert service.uses(**use["body"])["recorded"] == [first["id"]]
        assert [one["id"] for one in service.digest()["revive"]] == [second["id"]]
        [retire] = [one for one in second["answers"] if one["answer"] == "retire"]
        assert retire["post"] == f"/v1/records/{second['id']}/archive"
        service.act(second["id"], "archive")
        assert service.digest()["revive"] == []


def test_the_daemon_takes_an_answer_to_what_the_digest_showed(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
    with filled.served() as daemon:
        ident = daemon.service.digest()["revive"][0]["id"]
        assert daemon.service.uses([ident])["recorded"] == [ident]


@pytest.mark.parametrize("field", ["markdown", "markdown_zh"])
def test_the_digest_as_markdown_is_a_callout_that_is_nobodys_words_and_no_link(filled: Place, field: str) -> None:
    filled.write(f"{PRINCIPLES}/Evil.md", core("[[Home]] ![[x]] <b>a::b</b> `c` %%d%%\u202e"))
    with filled.opened() as service:
        before = fingerprints(filled.vault, without="Memory")
        run(service)
        told = service.digest()
        text = told[field]
        assert all(line.startswith("> ") for line in text.splitlines())
        assert text.startswith("> [!ebbtide] ")
        assert (
            told["revive"][0]["question" if field == "markdown" else "question_zh"].split("”")[0].lstrip("“")[:12]
            in text
        )
        assert fingerprints(filled.vault, without="Memory") == before
        facts = {fact["id"] for fact in service.facts()["facts"]}
        name = f"Daily/{DAY}.md"
        filled.write(name, f"{text}\n# Today\n\nBought bread.\n")
        service.catch_up(vectors=False)
        assert service.note(name)["links"] == []
        assert {fact["id"] for fact in service.facts()["facts"] if fact["source"] == name} <= facts
        note = parse_note(name, (filled.vault / name).read_text("utf-8"))
        assert note.links == ()
        assert [saying.text for saying in told_in(note).sayings] == ["Bought bread."]


def test_what_is_private_is_not_in_the_markdown(filled: Place) -> None:
    for path, text in CORES.items():
        filled.write(path, text.replace("type: principle", "type: principle\nprivate: true"))
    with filled.opened() as service:
        run(service)
        told = service.digest()
        assert told["revive"]
        for text in (told["markdown"], told["markdown_zh"]):
            assert not any(name in text for name in ("Suppliers", "supplier", "Backups", "slower", "review on Friday"))


def test_the_command_line_prints_it(filled: Place) -> None:
    with filled.opened() as service:
        run(service)
        told = service.digest()
    printed = []
    for options in (("--markdown", "en"), ("--markdown", "zh"), ("--markdown",)):
        done = command(filled, "digest", *options)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == told["markdown"]
    assert printed[1] == told["markdown_zh"]
    assert printed[2] in printed[:2]


def command(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    """The command line, as a process of its own."""
    line = [sys.executable, "-m", "ebbtide", *words, "--vault", str(place.vault)]
    environ = {**place.environ, "EBBTIDE_EMBED_ENABLED": "false"}
    return subprocess.run(line, env=environ, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False)
