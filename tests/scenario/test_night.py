"""A night over a real vault: what it writes, that a person's files and edits stay, that a kill loses and doubles nothing, and undo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ebbtide import measuring
from ebbtide.index.decisions import Decisions
from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.parse.note import parse_note
from ebbtide.runtime import Runtime
from ebbtide.serve.nights import Asleep
from ebbtide.serve.rulings_desk import ReadOnly
from ebbtide.serve.service import Service
from ebbtide.sleep.core_read import waiting
from ebbtide.sleep.night import Night, Outcome
from ebbtide.sleep.nights import Candidate, Core, Judged, Plan, Step
from ebbtide.sleep.planning import to_json
from ebbtide.sleeping import open_night
from ebbtide.vault.lines import digest_of
from support import Place, fingerprints, kept, standings, wait_until

THOROUGH = os.environ.get("EBBTIDE_EVIDENCE") == "1"
DAY, NEXT = "2026-03-10", "2026-03-11"
RULE = "From now on we never deploy the service on a Friday evening."
NOTES = {
    "Work/2026-03-09.md": "# Monday\n\nI realised that estimates get better once we split the work before planning, because"
    " nobody forgets a task then. The import service went out.\n",
    "Garden/2026-03-07.md": "# Saturday\n\nThe bed took long. I realised that estimates get better once I split the work"
    " before planning it.\n",
    "Life/2026-03-08.md": f"# Sunday\n\nAnother evening lost to a rollback. {RULE}\n",
    "日记/2026-03-06.md": "# 周五\n\n今天很累。我意识到开会前先写一页纸，讨论会快一半。\n",
    "Home.md": "# Home\n\nSee [[Work/2026-03-09]].\n",
}


def night_of(runtime: Runtime, **changed: Any) -> Night:
    night = open_night(runtime, lambda work: work())
    for name, value in changed.items():
        setattr(night, name, value)
    return night


def run(service: Service, day: str = DAY, **changed: Any) -> Outcome:
    outcome = night_of(service.runtime, **changed).run(day)
    service.runtime.write_memory()
    return outcome


def written(place: Place) -> dict[str, str]:
    """The core memories on disk."""
    base = place.vault / "Memory"
    return {file.relative_to(base).as_posix(): file.read_text("utf-8") for file in sorted(base.glob("core/**/*.md"))}


def parts(place: Place) -> list[dict[str, Any]]:
    return [r for r in place.ledger("revisions/*.jsonl") if r.get("night") and r.get("part_of")]


def test_a_night_promotes_what_was_borne_out_and_lets_the_rest_wait(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        before = fingerprints(place.vault, without="Memory")
        outcome = run(service)
        assert fingerprints(place.vault, without="Memory") == before
        decided = {one.candidate.note: one.decision for one in outcome.plan.judged}
        assert decided["Life/2026-03-08.md"] == "promote"
        assert sorted((decided["Work/2026-03-09.md"], decided["Garden/2026-03-07.md"])) == ["associate", "promote"]
        assert outcome.skipped == {}
        memories = written(place)
        assert len(memories) == 2
        for path, text in memories.items():
            note = parse_note(f"Memory/{path}", text)
            assert note.problems == ()
            assert note.properties["origin"] == "derived"
            assert all(f"Memory/{path}" != link.path for link in note.links)
        [rule] = [text for text in memories.values() if RULE in text]
        assert "[[Life/2026-03-08]]" in rule
        [split] = [text for text in memories.values() if "estimates" in text]
        assert "[[Work/2026-03-09]]" in split
        assert "[[Garden/2026-03-07]]" in split
        assert "**Why:** nobody forgets a task then" in split


def test_what_it_wrote_is_recalled_as_a_core_memory(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        run(service)
        items = service.recall("when do we deploy the service?")["items"]
        [core] = [item for item in items if item["kind"] == "core"]
        assert (core["layer"], core["state"]) == ("semantic", "active")
        assert core["note"].startswith("Memory/core/")
        backlinks = service.note("Life/2026-03-08.md")["backlinks"]
        assert any(link["source"].startswith("Memory/core/") for link in backlinks)


def test_the_next_night_sees_only_what_is_new(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        run(service)
        assert night_of(service.runtime).plan(NEXT).judged == ()
        before = written(place)
        place.write("Garden/2026-03-10.md", f"# Tuesday\n\nSo it is. {RULE}\n")
        service.catch_up(vectors=False)
        [one] = run(service, NEXT).plan.judged
        assert (one.decision, one.relation) == ("associate", "redundant")
        after = written(place)
        [path] = [path for path in after if after[path] != before.get(path)]
        assert "2026-03-10 [[Garden/2026-03-10]]" in after[path]
        assert path in before


def test_what_waited_is_promoted_by_a_later_night(place: Place) -> None:
    claim = "Seedlings in the kitchen window grow better once they are turned every morning."
    place.fill({"Garden/2026-03-09.md": f"# Monday\n\nI noticed that {claim[0].lower()}{claim[1:]}\n"})
    with place.opened() as service:
        [one] = run(service).plan.judged
        assert (one.decision, one.until) == ("release", "2026-04-09")
        place.write("Life/2026-03-25.md", f"# Later\n\nI realised again that {claim[0].lower()}{claim[1:]}\n")
        service.catch_up(vectors=False)
        later = night_of(service.runtime)
        [two] = [one for one in later.plan("2026-03-25").judged if one.candidate.note == "Life/2026-03-25.md"]
        assert two.decision == "promote"
        assert {quote.note for quote in two.places} == {"Garden/2026-03-09.md", "Life/2026-03-25.md"}


def test_it_waits_while_its_note_says_it_until_its_day_and_not_once_its_night_was_taken_back(place: Place) -> None:
    said = "I noticed that seedlings grow better once they are turned every morning."
    with place.fill({"Garden/2026-03-09.md": f"# Monday\n\n{said}\n"}).opened() as service:
        catalog, vault = service.runtime.catalog, service.runtime.store
        run(service)
        assert [one.quote.text for one in waiting(catalog, vault, "2026-04-09")] == [said]
        assert waiting(catalog, vault, "2026-04-10") == []
        place.write("Garden/2026-03-09.md", "# Monday\n\nNothing.\n")
        assert waiting(catalog, vault, "2026-03-11") == []
        place.write("Garden/2026-03-09.md", f"# Monday\n\nFirst. {said}\n")
        assert len(waiting(catalog, vault, "2026-03-11")) == 1
        night_of(service.runtime).undo(None, "user", "no")
        assert waiting(catalog, vault, "2026-03-11") == []


def test_the_same_vault_gives_the_same_plan_and_looking_writes_nothing(tmp_path: Path) -> None:
    plans = []
    for name in ("one", "two"):
        (tmp_path / name / "vault").mkdir(parents=True)
        place = Place(tmp_path / name).fill(NOTES if name == "one" else dict(reversed(NOTES.items())))
        with place.opened(read_only=True) as service:
            before = fingerprints(place.vault)
            plans.append(to_json(night_of(service.runtime).plan(DAY)))
            assert to_json(night_of(service.runtime).plan(DAY)) == plans[-1]
            assert fingerprints(place.vault) == before
    assert plans[0] == plans[1]


# --- a person's edits -------------------------------------------------------------------------------------------------


def test_an_edit_after_the_plan_was_made_wins_and_is_told(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        run(service)
        [path] = [path for path, text in written(place).items() if RULE in text]
        place.write("Garden/2026-03-10.md", f"# Tuesday\n\nSo it is. {RULE}\n")
        service.catch_up(vectors=False)
        night = night_of(service.runtime)
        plain = night.judge

        def edited(day: str, earlier: Any) -> Any:
            judge = plain(day, earlier)

            def work(candidates: Any, core: Core) -> Any:
                found = judge(candidates, core)
                file = place.vault / "Memory" / path
                file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
                return found

            return work

        night.judge = edited
        outcome = night.run(NEXT)
        assert list(outcome.skipped) == [0]
        assert written(place)[path].endswith("\nMine.\n")
        assert "2026-03-10" not in written(place)[path].split("**Evidence:**")[1]
        service.catch_up(vectors=False)
        again = run(service, "2026-03-12")
        assert [one.decision for one in again.plan.judged] == ["associate"]
        assert "Mine." in written(place)[path]
        assert "[[Garden/2026-03-10]]" in written(place)[path]


def test_a_file_of_that_name_is_never_overwritten(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        plan = night_of(service.runtime).plan(DAY)
        paths = [one.path for one in plan.judged if one.decision == "promote"]
        for path in paths:
            place.write(path, "# Mine\n\nMy own words.\n")
        service.catch_up(vectors=False)
        run(service)
        for path in paths:
            assert (place.vault / path).read_text("utf-8") == "# Mine\n\nMy own words.\n"
        assert len(written(place)) == 2 * len(paths)


def test_one_that_comes_in_between_is_not_overwritten_either(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        night = night_of(service.runtime)
        plain, late = night.judge, "# Mine\n"

        def judge(day: str, earlier: Any) -> Any:
            inner = plain(day, earlier)

            def work(candidates: Any, core: Core) -> list[Judged]:
                found = list(inner(candidates, core))
                for one in found:
                    if one.path:
                        place.write(one.path, late)
                return found

            return work

        night.judge = judge
        outcome = night.run(DAY)
        assert set(written(place).values()) == {late}
        assert {outcome.steps[n].kind for n in outcome.skipped} == {"promote", "associate"}
        assert [r for r in parts(place) if r["kind"] == "promote"] == []


def test_a_memory_that_a_person_made_their_own_is_left_alone(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        run(service)
        [path] = [path for path, text in written(place).items() if RULE in text]
        file = place.vault / "Memory" / path
        own = file.read_text("utf-8").replace("origin: derived", "origin: observed")
        file.write_text(own, "utf-8")
        place.write("Garden/2026-03-10.md", f"# Tuesday\n\nSo it is. {RULE}\n")
        service.catch_up(vectors=False)
        [one] = run(service, NEXT).plan.judged
        assert (one.decision, one.relation) == ("release", "redundant")
        assert file.read_text("utf-8") == own


@pytest.mark.parametrize(
    "said", ["../../../Escape", "[[Secret]] | # ^x", "CON", "今天" * 120, "a" * 300, "`x` %%y%% <b>$z$ ^q"]
)
def test_hostile_titles_and_sentences(place: Place, said: str) -> None:
    place.fill(
        {
            f"Work/{DAY}.md": f"# {said}\n\nFrom now on we never open {said} at the office, whatever they say.\n",
            "Secret.md": "x\n",
        }
    )
    with place.opened() as service:
        run(service)
        assert bool(written(place)) == (len(said) < 200), "a sentence of that length is no insight"
        for path, text in written(place).items():
            assert path.startswith(("core/principles/", "core/models/", "core/patterns/"))
            note = parse_note(f"Memory/{path}", text)
            assert note.problems == ()
            assert {link.path for link in note.links} == {f"Work/{DAY}"}
        assert not list(place.base.rglob("Escape*"))


def test_what_is_private_makes_a_private_memory(place: Place) -> None:
    place.fill({f"Work/{DAY}.md": f"---\nprivate: true\n---\n# Talk\n\n{RULE}\n"})
    with place.opened() as service:
        run(service)
        [text] = written(place).values()
        assert "private: true" in text.split("---")[1]
        [item] = [i for i in service.recall("when do we deploy the service?")["items"] if i["kind"] == "core"]
        assert service.runtime.catalog.file(item["note"]).private  # type: ignore[union-attr]


# --- words that were withdrawn between plan and write -----------------------------------------------------------------

RULED = f"Work/{DAY}.md"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nprivate: true\n---\n# Talk\n\nNothing.\n", "private"),
        (f"---\nprivate: true\n---\n# Talk\n\n{RULE}\n", "private"),
        (f"---\nmemory: false\n---\n# Talk\n\n{RULE}\n", "remembered"),
        ("# Talk\n\nNothing.\n", "say it any more"),
        (None, "say it any more"),
    ],
)
@pytest.mark.parametrize("killed", [False, True])
def test_what_was_withdrawn_since_the_plan_was_made_goes_nowhere(
    place: Place, monkeypatch: pytest.MonkeyPatch, text: str | None, why: str, killed: bool
) -> None:
    place.fill({RULED: f"# Talk\n\n{RULE}\n"})
    with place.opened() as service:
        plain = Night._carry_out

        def change() -> None:
            (place.vault / RULED).unlink() if text is None else place.write(RULED, text)

        def late(night: Night, plan: Plan) -> Outcome:
            change()
            return plain(night, plan)

        with monkeypatch.context() as patched:
            if killed:  # the file is there, and its revision is not
                patched.setattr(Decisions, "record", cut_after_the_lead(Decisions.record))
                with pytest.raises(OSError, match="cut off"):
                    night_of(service.runtime).run(DAY)
                assert len(written(place)) == 1
                change()
            else:
                patched.setattr(Night, "_carry_out", late)
                outcome = night_of(service.runtime).run(DAY)
        if killed:
            gone_on = night_of(service.runtime).resume()
            assert gone_on is not None
            outcome = gone_on
        service.runtime.write_memory()
        assert written(place) == {}
        assert why in outcome.skipped[0]
        assert outcome.plan.judged == ()
        assert all(r["kind"] not in ("promote", "release") for r in parts(place))
        base = place.vault / "Memory"
        told = {file.relative_to(base).as_posix() for file in base.rglob("*") if file.is_file() and said_in(file)}
        assert {path for path in told if not path.startswith((".history/", "facts"))} == set()
        [line] = place.ledger("health/*.jsonl")
        assert line["night"]["promote"] == 0


def test_what_was_excluded_since_the_plan_was_made_goes_nowhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Night._carry_out

    def late(night: Night, plan: Plan) -> Outcome:
        place.write(".obsidian/app.json", json.dumps({"userIgnoreFilters": ["Work/"]}))
        return plain(night, plan)

    with place.fill({RULED: f"# Talk\n\n{RULE}\n"}).opened() as service, monkeypatch.context() as patched:
        patched.setattr(Night, "_carry_out", late)
        assert "remembered" in run(service).skipped[0]
        assert written(place) == {}


def said_in(file: Path) -> bool:
    return b"deploy the service" in file.read_bytes()


def cut_after_the_lead(record: Any) -> Any:
    def cut(decisions: Decisions, *news: Any) -> Any:
        if any(new.get("part_of") for new in news):
            raise OSError("cut off")
        return record(decisions, *news)

    return cut


def test_what_was_private_already_makes_a_private_memory_still(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"---\nprivate: true\n---\n# Talk\n\n{RULE}\n"
    plain = Night._carry_out

    def late(night: Night, plan: Plan) -> Outcome:
        place.write(RULED, f"{text}\nMore.\n")
        return plain(night, plan)

    with place.fill({RULED: text}).opened() as service, monkeypatch.context() as patched:
        patched.setattr(Night, "_carry_out", late)
        assert run(service).skipped == {}
        assert len(written(place)) == 1


# --- undo -------------------------------------------------------------------------------------------------------------


def test_one_command_takes_a_night_back_to_the_byte(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        run(service)
        place.write("Garden/2026-03-10.md", f"# Tuesday\n\nSo it is. {RULE}\n")
        service.catch_up(vectors=False)
        service.runtime.write_memory()
        files, before = kept(place), standings(service.runtime)
        later = run(service, NEXT)
        assert kept(place) != files
        assert night_of(service.runtime).undo(None, "user", "no")[:2] == (NEXT, later.lead)
        service.runtime.write_memory()
        assert kept(place) == files
        assert standings(service.runtime) == before
        assert [one.decision for one in night_of(service.runtime).plan(NEXT).judged] == ["associate"]


def test_nights_are_taken_back_in_turn(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        start = kept(place), standings(service.runtime)
        run(service)
        place.write("Garden/2026-03-10.md", f"# Tuesday\n\nSo it is. {RULE}\n")
        service.catch_up(vectors=False)
        run(service, NEXT)
        night = night_of(service.runtime)
        with pytest.raises(BadRequest, match=NEXT):
            night.undo(DAY, "user", "no")
        night.undo(NEXT, "user", "no")
        night.undo(DAY, "user", "no")
        with pytest.raises(NotFound):
            night.undo(None, "user", "no")
        (place.vault / "Garden/2026-03-10.md").unlink()
        service.catch_up(vectors=False)
        service.runtime.write_memory()
        assert (kept(place), standings(service.runtime)) == start


def test_a_file_that_a_person_edited_stays_when_its_night_is_taken_back(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        run(service)
        [path] = [path for path, text in written(place).items() if RULE in text]
        file = place.vault / "Memory" / path
        file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
        service.catch_up(vectors=False)
        _, _, left = night_of(service.runtime).undo(None, "user", "no")
        assert left == [path]
        assert list(written(place)) == [path]


def test_the_plain_undo_takes_the_files_back_too_and_can_itself_be_undone(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        lead = run(service).lead
        memories = written(place)
        undone = service.undo(id=lead)["revisions"][0]["id"]
        assert written(place) == {}
        service.undo(id=undone)
        assert written(place) == memories
        promote = next(r for r in parts(place) if r["kind"] == "promote")
        service.undo(id=promote["id"])
        assert len(written(place)) == len(memories) - 1


def test_a_path_that_a_foreign_ledger_names_is_not_followed(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        runtime = service.runtime
        kept_ = b"harmless\n"
        runtime.store.write_memory("facts-0.jsonl", kept_)
        for path in (
            "../Home.md",
            "facts-0.jsonl",
            ".history/x",
            "core/../../Home.md",
            "revisions/x.jsonl",
            "core/x.txt",
        ):
            change = {"path": path, "field": "content", "before": None, "after": digest_of(kept_)}
            news = {"by": "daemon", "kind": "release", "subjects": [], "changes": [change], "night": DAY, "why": ""}
            [made] = runtime.sync.decisions.record(news)
            service.undo(id=made["id"])
        assert (place.vault / "Home.md").read_text("utf-8") == NOTES["Home.md"]
        assert (place.vault / "Memory/facts-0.jsonl").read_bytes() == kept_


# --- kills ------------------------------------------------------------------------------------------------------------


def children(*jobs: tuple[Place, int, str]) -> list[list[int]]:
    """Have each (place, tick, what) done by a process of its own: its exit code, -9 where it was killed, and moments met."""
    told = [
        {"vault": str(place.vault), "environ": place.environ, "day": DAY, "tick": tick, "what": what}
        for place, tick, what in jobs
    ]
    file = jobs[0][0].base / "jobs.json"
    file.write_text(json.dumps(told))
    command = [sys.executable, str(Path(__file__).with_name("child_night.py")), str(file)]
    done = subprocess.run(command, env=jobs[0][0].environ, capture_output=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    found: list[list[int]] = json.loads(done.stdout)
    assert all(code in (0, -9) for code, _ in found), done.stderr.decode()[-2000:]
    return found


def fresh(base: Path, name: object) -> Place:
    (base / f"{name}" / "vault").mkdir(parents=True)
    return Place(base / f"{name}").fill(NOTES)


def moments(most: int, several: int) -> list[int]:
    """All moments of a run, or a few spread over it."""
    return list(range(1, most + 1)) if THOROUGH else [1 + (2 * n + 1) * most // (2 * several) for n in range(several)]


def shape(place: Place) -> tuple[dict[str, str], Counter[Any], dict[str, Any]]:
    """What must be the same however often it was killed: the core, each step once, what each revision changed."""
    steps = [(r["step"], r["kind"], tuple(r["subjects"]), r.get("object")) for r in parts(place)]
    changed = {str(r["step"]): r["changes"] for r in parts(place)}
    return written(place), Counter(steps), changed


def leads(place: Place) -> list[dict[str, Any]]:
    return [r for r in place.ledger("revisions/*.jsonl") if r.get("plan") and not r.get("part_of")]


@pytest.mark.evidence
def test_killed_at_any_moment_a_night_goes_on_and_does_nothing_twice(tmp_path: Path) -> None:
    whole = fresh(tmp_path, "whole")
    [[_, most]] = children((whole, 0, "sleep"))
    wanted = shape(whole)
    assert set(wanted[1].values()) == {1}
    places = {tick: fresh(tmp_path, tick) for tick in moments(most, 6)}
    codes = children(*((place, tick, "sleep") for tick, place in places.items()))
    assert {code for code, _ in codes} == {-9}
    children(*((place, 0, "sleep") for place in places.values()))
    for tick, place in places.items():
        assert shape(place) == wanted, f"killed at moment {tick} of {most}"
        assert len(leads(place)) == 1, f"killed at moment {tick} of {most}"


@pytest.mark.evidence
def test_killed_again_and_again_a_night_comes_to_its_end(tmp_path: Path) -> None:
    whole, place = fresh(tmp_path, "whole"), fresh(tmp_path, "place")
    every = 16 if THOROUGH else 24  # the last part of a night has a dozen moments
    codes = children((whole, 0, "sleep"), *[(place, every, "sleep")] * (40 if THOROUGH else 12))
    assert [code for code, _ in codes[1:3]] == [-9, -9]
    assert 0 in [code for code, _ in codes[1:]]  # nights after that one find nothing to do
    children((place, 0, "none"))
    assert shape(place) == shape(whole)
    assert len(leads(place)) == 1


@pytest.mark.evidence
def test_killed_while_it_is_taken_back(tmp_path: Path) -> None:
    probe = fresh(tmp_path, "probe")
    [_, [_, most]] = children((probe, 0, "sleep"), (probe, 0, "undo"))
    places = {tick: fresh(tmp_path, tick) for tick in moments(most, 4)}
    children(*((place, 0, "none") for place in places.values()))
    start = {tick: kept(place) for tick, place in places.items()}
    children(*((place, 0, "sleep") for place in places.values()))
    children(*((place, tick, "undo") for tick, place in places.items()))
    children(*((place, 0, "none") for place in places.values()))
    undone = 0
    for tick, place in places.items():
        with place.opened() as service:
            if service.runtime.catalog.is_undone(leads(place)[0]["id"]):
                undone += 1
                assert kept(place) == start[tick], f"killed at moment {tick} of {most}"
            else:  # it was killed before it began
                assert written(place)
    assert undone


def test_a_stop_between_two_steps_is_gone_on_with(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        seen: list[tuple[str, int, int]] = []
        night = night_of(service.runtime, say=lambda *said: seen.append(said), stop=lambda: len(parts(place)) >= 2)
        with pytest.raises(Exception, match="stopped"):
            night.run(DAY)
        assert len(parts(place)) == 2
        outcome = night_of(service.runtime).resume()
        assert outcome is not None
        assert sorted(r["step"] for r in parts(place)) == list(range(len(outcome.steps)))
        assert night_of(service.runtime).resume() is None


@pytest.mark.parametrize("name", ["open.json", "further.json", "undo.json"])
def test_a_journal_that_is_damaged_holds_no_night_up(place: Place, name: str) -> None:
    with place.fill(NOTES).opened() as service:
        for other in ("open.json", "mark", name):
            night_of(service.runtime).journal.write(other, b"{torn" if other == name else b"?")
        assert {one.decision for one in run(service).plan.judged} >= {"promote"}
        assert len(written(place)) == 2
        assert night_of(service.runtime).resume() is None


def test_steps_of_others_are_done_and_taken_back(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        ident = next(iter(ident for ident, _ in service.runtime.catalog.all_facts()))
        freeze = Step("freeze", "", "", None, (ident,), "nobody needed it")
        page = Step("associate", "MEMORY.md", "", "# Memory\n", (), "the router")
        run(service, collect=lambda *_: ((), 0), further=lambda _: (freeze,), closing=lambda _: (page,))
        assert service.runtime.sync.decisions.standing(ident).frozen
        assert (place.vault / "Memory/MEMORY.md").read_text() == "# Memory\n"
        night_of(service.runtime).undo(None, "user", "no")
        assert not service.runtime.sync.decisions.standing(ident).frozen
        assert not (place.vault / "Memory/MEMORY.md").exists()


def test_the_same_plan_twice_in_a_day_is_carried_out_twice(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        texts = iter(["one\n", "two\n"])

        def page(_plan: Any) -> tuple[Step, ...]:
            now = service.runtime.store.memory_bytes("MEMORY.md")
            return (
                Step("associate", "MEMORY.md", "" if now is None else digest_of(now), next(texts), (), "the router"),
            )

        for text in ("one\n", "two\n"):
            run(service, collect=lambda *_: ((), 0), further=lambda _: (), closing=page)
            assert (place.vault / "Memory/MEMORY.md").read_text() == text


# --- several nights of a day ------------------------------------------------------------------------------------------


def told_of(place: Place, day: str = DAY) -> tuple[dict[str, Any], str]:
    base = place.vault / "Memory/reports"
    twin: dict[str, Any] = json.loads((base / f"{day}.json").read_text("utf-8"))
    return twin, (base / f"{day}.md").read_text("utf-8")


def test_a_day_tells_of_all_its_nights_once_and_not_of_one_that_was_taken_back(place: Place) -> None:
    with place.fill({RULED: f"# Talk\n\n{RULE}\n"}).opened() as service:
        first = run(service)
        place.write("Garden/2026-03-10.md", NOTES["Work/2026-03-09.md"])
        service.catch_up(vectors=False)
        second = run(service)
        twin, page = told_of(place)
        notes = [one["note"] for one in twin["candidates"]]
        assert notes == [RULED, "Garden/2026-03-10.md"]
        assert twin["counts"]["candidates"] == 2
        assert twin["counts"]["promote"] == 1
        assert twin["counts"]["processed"] == first.plan.processed + second.plan.processed
        assert RULE in page
        [line] = place.ledger("health/*.jsonl")
        assert line["night"] == twin["counts"]
        assert measuring.close_night(service.runtime, second.plan).record["night"] != twin["counts"]
        night_of(service.runtime).undo(None, "user", "no")
        run(service, collect=lambda *_: ((), 0))
        twin, _ = told_of(place)
        assert [one["note"] for one in twin["candidates"]] == [RULED]
        assert twin["counts"]["processed"] == first.plan.processed


def test_a_night_that_was_cut_off_at_its_end_is_told_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.fill({RULED: f"# Talk\n\n{RULE}\n"}).opened() as service:
        run(service)
        place.write("Garden/2026-03-10.md", NOTES["Work/2026-03-09.md"])
        service.catch_up(vectors=False)
        with monkeypatch.context() as patched, pytest.raises(OSError, match="cut off"):
            patched.setattr(Night, "_close", lambda _: (_ for _ in ()).throw(OSError("cut off")))
            night_of(service.runtime).run(DAY)
        twin, _ = told_of(place)
        assert night_of(service.runtime).resume() is not None
        again, _ = told_of(place)
        assert again["counts"] == twin["counts"]
        assert again["candidates"] == twin["candidates"]
        assert len(again["candidates"]) == 2


# --- through the service ----------------------------------------------------------------------------------------------


def ended(service: Service, job: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = wait_until(lambda: (j := service.job(job["id"])) and j["finished"] and j, "the night")
    assert found["state"] == "done", found["message"]
    result: dict[str, Any] = found["result"]
    return result


def today_notes(service: Service) -> dict[str, str]:
    today = service.runtime.uses.today()
    return {f"Life/{today}.md": f"# Today\n\nAnother evening lost. {RULE}\n"}


def test_the_daemon_sleeps_shows_and_takes_back(place: Place) -> None:
    with place.fill(NOTES).served() as daemon:
        service = daemon.service
        place.fill(today_notes(service))
        wait_until(lambda: service.facts()["total"] and len(service.notes()["notes"]) == len(NOTES) + 1, "the note")
        wait_until(lambda: not daemon.indexer.busy, "rest")
        shown = ended(service, service.sleep(dry_run=True))
        assert shown["dry_run"]
        assert written(place) == {}
        told = ended(service, service.sleep())
        assert told["counts"] == shown["counts"]
        assert told["counts"]["promote"] == 1
        assert len(written(place)) == 1
        assert json.loads(json.dumps(told)) == told
        back = ended(service, service.sleep(undo=True))
        assert back["undone"] == told["revision"]
        assert written(place) == {}


def test_there_are_never_two_nights_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.fill(NOTES).opened() as service:
        gate = threading.Event()
        monkeypatch.setattr(Night, "plan", lambda *_: gate.wait(30) and (_ for _ in ()).throw(NotFound("end")))
        first = service.sleep(dry_run=True)
        with pytest.raises(Asleep):
            service.sleep()
        gate.set()
        wait_until(lambda: service.job(first["id"])["finished"], "the end")
        assert service.job(first["id"])["state"] == "failed"


def test_wrong_use_and_reading_only(place: Place) -> None:
    with place.fill(NOTES).opened(read_only=True) as service:
        with pytest.raises(ReadOnly):
            service.sleep()
        with pytest.raises(BadRequest):
            service.sleep(undo=True, dry_run=True)
        with pytest.raises(BadRequest):
            service.sleep(dry_run=True, day=DAY)
        with pytest.raises(BadRequest):
            service.sleep(dry_run=True, since="9999-01-01")
        assert not ended(service, service.sleep(dry_run=True))["revision"]


def test_a_night_that_was_cut_off_is_gone_on_with_by_the_service(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        with pytest.raises(Exception, match="stopped"):
            night_of(service.runtime, stop=lambda: len(parts(place)) >= 1).run(DAY)
        job = service.end_night()
        assert job is not None
        assert ended(service, job)["day"] == DAY
        assert service.end_night() is None


def test_candidates_of_any_judge_are_carried_out(place: Place) -> None:
    """The seam for another judge: verdicts come from outside, and only the plan decides."""
    with place.fill(NOTES).opened() as service:
        night = night_of(service.runtime)

        def judge(candidates: list[Candidate], _core: Core) -> list[Judged]:
            return [replace(Judged(one, "because", "new", 0.0, "release", ""), judge="a model") for one in candidates]

        night.judge = lambda _day, _earlier: judge  # type: ignore[assignment,return-value]
        outcome = night.run(DAY)
        assert {one.judge for one in outcome.plan.judged} == {"a model"}
        assert {r["kind"] for r in parts(place)} == {"release", "associate"}  # the router is none of the judge's
        assert written(place) == {}
