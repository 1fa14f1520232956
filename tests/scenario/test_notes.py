"""What a person does to notes, and what recall, facts and revisions say afterwards. By keyword only, so that it is quick."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from ebbtide.serve.service import Service
from support import Place, notes_for, settled, wait_until

SERVER = "# Server\n\nThe timeout is 30 seconds.\n"
GARDEN = "# Garden\n\n- We decided to plant roses instead of tulips in 2026-04.\n- The pond cost 400 EUR in 2026-05.\n"


def only(facts: dict[str, dict[str, Any]], source: str) -> dict[str, Any]:
    """The one fact of a note."""
    found = [fact for fact in facts.values() if fact["source"] == source]
    assert len(found) == 1, found
    return found[0]


def test_it_is_said_how_many_notes_are_passed_over_and_for_which_reason(place: Place) -> None:
    quiet = "---\nmemory: false\n---\n# Quiet\n\nNothing.\n"
    place.fill({"A.md": SERVER, "B.md": quiet, "C.md": quiet, "A.sync-conflict-20260101-120000-ABCDEFG.md": SERVER})
    with place.opened() as service:
        service.catch_up(vectors=False)
        told = service.notes("skipped")
        assert told["reasons"] == [
            {"status": "skipped", "reason": "memory: false", "notes": 2},
            {"status": "skipped", "reason": "conflict copy", "notes": 1},
        ]
        assert sum(row["notes"] for row in told["reasons"]) == told["total"] == 3
        assert service.notes("indexed")["reasons"] == []


# --- coming and going -----------------------------------------------------------------------------------------------


def test_a_saved_note_is_found_and_found_no_more_when_it_is_deleted(place: Place) -> None:
    with place.served() as daemon:
        file = place.write("Bees.md", "The hive swarmed beside the quince.\n")
        wait_until(lambda: notes_for(daemon.service, "quince") == ["Bees.md"], "the saved note")
        place.write("Bees.md", "The hive swarmed beside the medlar.\n")
        wait_until(lambda: notes_for(daemon.service, "medlar") == ["Bees.md"], "the edited note")
        assert notes_for(daemon.service, "quince") == []
        file.unlink()
        wait_until(lambda: notes_for(daemon.service, "medlar") == [], "the deleted note")


def test_folders_that_come_move_and_go(place: Place) -> None:
    with place.served() as daemon:
        for number in range(5):
            place.write(f"One/Deep/n{number}.md", f"Common wordle{number} here.\n")
        wait_until(lambda: len(notes_for(daemon.service, "common")) == 5, "the new folder")
        (place.vault / "One").rename(place.vault / "Two")
        wait_until(lambda: notes_for(daemon.service, "wordle3") == ["Two/Deep/n3.md"], "the renamed folder")
        assert sorted(notes_for(daemon.service, "common")) == [f"Two/Deep/n{number}.md" for number in range(5)]
        (place.vault / "Two").rename(place.base / "outside")
        wait_until(lambda: notes_for(daemon.service, "common") == [], "the folder moved out")
        (place.base / "outside").rename(place.vault / "Three")
        wait_until(lambda: len(notes_for(daemon.service, "common")) == 5, "the folder moved in")
        shutil.rmtree(place.vault / "Three")
        wait_until(lambda: notes_for(daemon.service, "common") == [], "the deleted folder")


def test_a_note_saved_by_renaming_a_new_file_over_it_keeps_its_id(place: Place) -> None:
    place.write("Plan.md", SERVER)
    with place.served() as daemon:
        before = daemon.service.note("Plan.md")["id"]
        new = place.base / "new.md"
        new.write_text("# Server\n\nThe timeout is 30 seconds, says the pangolin.\n")
        new.replace(place.vault / "Plan.md")
        wait_until(lambda: notes_for(daemon.service, "pangolin") == ["Plan.md"], "the replaced note")
        settled(daemon)
        assert daemon.service.note("Plan.md")["id"] == before


def test_what_changed_while_nobody_watched(place: Place) -> None:
    place.fill({"a.md": "alpha word\n", "b.md": "beta word\n", "c.md": "gamma word\n"})
    with place.served():
        pass
    place.write("a.md", "delta word\n")
    (place.vault / "b.md").unlink()
    place.write("d.md", "epsilon word\n")
    with place.served() as daemon:
        found = {word: notes_for(daemon.service, word) for word in ("alpha", "beta", "gamma", "delta", "epsilon")}
    assert found == {"alpha": [], "beta": [], "gamma": ["c.md"], "delta": ["a.md"], "epsilon": ["d.md"]}


def test_a_note_deleted_and_made_again_under_a_name_that_another_left(place: Place) -> None:
    """A renamed note keeps its id; a new one under the old name must get another."""
    place.write("a.md", GARDEN)
    with place.served() as daemon:
        first = daemon.service.note("a.md")["id"]
        (place.vault / "a.md").rename(place.vault / "b.md")
        wait_until(lambda: notes_for(daemon.service, "roses") == ["b.md"], "the renamed note")
        place.write("a.md", "Nothing but an armadillo.\n")
        wait_until(lambda: notes_for(daemon.service, "armadillo") == ["a.md"], "the new note")
        settled(daemon)
        second = daemon.service.note("a.md")["id"]
        assert daemon.service.note("b.md")["id"] == first != second
    for cache in place.caches:
        shutil.rmtree(cache)
    with place.served() as daemon:  # the revisions tell what the paths alone would not
        assert daemon.service.note("b.md")["id"] == first
        assert daemon.service.note("a.md")["id"] == second


# --- facts ------------------------------------------------------------------------------------------------------------


def test_a_rename_keeps_the_ids_and_writes_one_revision(place: Place) -> None:
    place.fill({"Old.md": GARDEN, "Other.md": "See [[Old]].\n"})
    with place.served() as daemon:
        note = daemon.service.note("Old.md")
        (place.vault / "Old.md").rename(place.vault / "New name.md")
        wait_until(lambda: notes_for(daemon.service, "tulips")[:1] == ["New name.md"], "the renamed note")
        settled(daemon)
        again = daemon.service.note("New name.md")
        assert again["id"] == note["id"]
        assert [p["id"] for p in again["passages"]] == [p["id"] for p in note["passages"]]
        ids = sorted(fact["id"] for fact in note["facts"])
        assert len(ids) == 2
        assert sorted(fact["id"] for fact in again["facts"]) == ids
    (move,) = place.revisions("move")
    assert move["subjects"] == [note["id"]]
    assert (move["changes"][0]["before"], move["changes"][0]["after"]) == ("Old.md", "New name.md")
    assert {fact["source"] for fact in place.facts().values()} == {"New name.md"}
    assert sorted(place.facts()) == ids
    assert place.revisions("retract") == []


def test_a_rename_while_nobody_watched_and_with_an_edit_is_known_by_the_quotes(place: Place) -> None:
    text = (
        GARDEN + "- The shed was painted green in 2026-06.\n- Apples were 12 kg in 2026-09.\n- The hedge cost 90 EUR.\n"
    )
    place.write("Old.md", text)
    with place.served() as daemon:
        before = daemon.service.note("Old.md")
        assert len(before["facts"]) >= 4
    (place.vault / "Old.md").unlink()
    place.write("Moved/New.md", "A new first line.\n\n" + text)
    with place.served() as daemon:
        after = daemon.service.note("Moved/New.md")
    assert after["id"] == before["id"]
    assert {fact["id"] for fact in before["facts"]} <= {fact["id"] for fact in after["facts"]}
    assert len(place.revisions("move")) == 1


def test_an_edited_value_is_a_new_fact_that_supersedes_the_old(place: Place) -> None:
    place.write("Server.md", SERVER)
    with place.served() as daemon:
        old = daemon.service.note("Server.md")["facts"][0]
        place.write("Server.md", SERVER.replace("30", "45"))
        wait_until(lambda: notes_for(daemon.service, "45"), "the edited note")
        settled(daemon)
        new = daemon.service.note("Server.md")["facts"][0]
        history = daemon.service.fact(new["id"])["history"]
    assert new["id"] != old["id"]
    assert (old["value"], new["value"]) == ("30", "45")
    (revision,) = place.revisions("supersede")
    assert (revision["subjects"], revision["object"]) == ([old["id"]], new["id"])
    assert [r["id"] for r in history] == [revision["id"]]
    assert list(place.facts()) == [new["id"]]
    assert place.revisions("retract") == []


def test_an_edit_around_a_fact_keeps_it(place: Place) -> None:
    place.write("Server.md", SERVER)
    with place.served() as daemon:
        before = daemon.service.note("Server.md")["facts"][0]
        place.write("Server.md", "# Server\n\nAn ibex walked in.\n\nThe timeout is 30 seconds.\n")
        wait_until(lambda: notes_for(daemon.service, "ibex"), "the edited note")
        settled(daemon)
        after = daemon.service.note("Server.md")["facts"][0]
    assert after["id"] == before["id"]
    assert (before["line"], after["line"]) == (3, 5)
    assert after["recorded_at"] == before["recorded_at"]
    assert place.ledger("revisions/*.jsonl") == []


def test_deleting_the_sentence_or_the_note_retracts(place: Place) -> None:
    place.fill({"Server.md": SERVER, "Garden.md": GARDEN})
    with place.served() as daemon:
        timeout = daemon.service.note("Server.md")["facts"][0]["id"]
        garden = sorted(fact["id"] for fact in daemon.service.note("Garden.md")["facts"])
        place.write("Server.md", "# Server\n\nOnly an echidna is left.\n")
        wait_until(lambda: notes_for(daemon.service, "echidna"), "the edited note")
        settled(daemon)
        (place.vault / "Garden.md").unlink()
        wait_until(lambda: not notes_for(daemon.service, "tulips"), "the deleted note")
        settled(daemon)
        assert daemon.service.facts()["facts"] == []
        answer = daemon.service.recall("timeout seconds")
        assert [item for item in answer["items"] if item["kind"] == "fact"] == []
    assert place.facts() == {}
    retracted = [revision["subjects"][0] for revision in place.revisions("retract")]
    assert sorted(retracted) == sorted([timeout, *garden])


def test_a_second_note_is_evidence_and_takes_over_when_the_first_goes(place: Place) -> None:
    """The same words under the same title: one fact, two places."""
    place.write("A/Server.md", SERVER)
    with place.served() as daemon:
        wait_until(lambda: daemon.service.facts()["total"] == 1, "the fact")
        place.write("B/Server.md", SERVER + "\nAn axolotl watches.\n")
        wait_until(lambda: notes_for(daemon.service, "axolotl"), "the second note")
        settled(daemon)
        (fact,) = daemon.service.facts()["facts"]
        assert fact["source"] == "A/Server.md"
        assert [entry["source"] for entry in fact["evidence"]] == ["B/Server.md"]
        (place.vault / "A/Server.md").unlink()
        wait_until(lambda: daemon.service.facts()["facts"][0]["source"] == "B/Server.md", "the other source")
        (left,) = daemon.service.facts()["facts"]
        assert (left["id"], left["evidence"], left["quote"]) == (fact["id"], [], "The timeout is 30 seconds.")
        (place.vault / "B/Server.md").rename(place.vault / "B/Renamed.md")
        wait_until(lambda: daemon.service.facts()["facts"][0]["source"] == "B/Renamed.md", "the renamed source")
        (place.vault / "B/Renamed.md").unlink()
        wait_until(lambda: daemon.service.facts()["total"] == 0, "the fact to go")
    assert [revision["subjects"] for revision in place.revisions("retract")] == [[fact["id"]]]


def test_evidence_follows_a_rename_and_ends_with_its_sentence(place: Place) -> None:
    place.fill({"A/Server.md": SERVER, "B/Server.md": SERVER + "\nAn axolotl watches.\n"})
    os.utime(place.vault / "B/Server.md", (1.7e9, 1.7e9))  # the newest is read first
    with place.served() as daemon:

        def evidence() -> list[str]:
            return [entry["source"] for entry in daemon.service.facts()["facts"][0]["evidence"]]

        wait_until(evidence, "the evidence")
        place.write("C/Server.md", (place.vault / "B/Server.md").read_text())
        (place.vault / "B/Server.md").unlink()
        wait_until(lambda: evidence() == ["C/Server.md"], "the moved evidence")
        place.write("C/Server.md", "# Server\n\nAn axolotl watches.\n")
        wait_until(lambda: evidence() == [], "the evidence to end")
        assert daemon.service.facts()["total"] == 1
    assert place.revisions("retract") == []


def test_a_fact_is_private_while_any_of_its_notes_is(place: Place) -> None:
    place.fill({"A/Server.md": SERVER, "B/Server.md": "---\nprivate: true\n---\n" + SERVER})
    with place.served() as daemon:
        wait_until(lambda: daemon.service.facts()["facts"][0]["evidence"], "the evidence")
        assert daemon.service.facts()["facts"][0]["private"] is True
        place.write("B/Server.md", "# Server\n\nNothing of it here, says the tapir.\n")
        wait_until(lambda: notes_for(daemon.service, "tapir"), "the edited note")
        settled(daemon)
        assert daemon.service.facts()["facts"][0]["private"] is False


# --- what may not be remembered ---------------------------------------------------------------------------------------


def leaks(place: Place, word: str) -> list[str]:
    """Files of Ebbtide's own, in the vault, the cache and the state, that hold a word."""
    found = []
    for base in (place.vault / "Memory", place.base / "cache", place.base / "state"):
        for folder, _, names in os.walk(base):
            for name in names:
                data = Path(folder, name).read_bytes()
                if any(word.encode(code) in data for code in ("utf-8", "utf-16-le")):
                    found.append(str(Path(folder, name).relative_to(place.base)))
    return found


SECRET = (
    "# Titled heliotrope\n\nThe heliotrope budget was 900 EUR in 2026-03. See [[Home|heliotrope link]]. #heliotrope\n"
)
HOME = "# Home\n\nThe house budget was 100 EUR in 2026-03. See [[Kept/Secret]].\n"


@pytest.mark.parametrize("how", ["property", "setting", "obsidian"])
def test_nothing_of_a_note_that_may_not_be_remembered_is_anywhere(place: Place, how: str) -> None:
    text = "---\nmemory: false\ntitle: heliotrope title\n---\n" + SECRET if how == "property" else SECRET
    place.fill({"Home.md": HOME, "Kept/Secret.md": text, ".obsidian/app.json": "{}"})
    if how == "setting":
        place.options["vault.excluded"] = ["Kept/"]
    if how == "obsidian":
        place.write(".obsidian/app.json", '{"userIgnoreFilters": ["Kept/"]}')
    with place.served() as daemon:
        assert notes_for(daemon.service, "heliotrope") == []
        assert daemon.service.recall("heliotrope budget")["items"] == [] or all(
            item["note"] == "Home.md" for item in daemon.service.recall("heliotrope budget")["items"]
        )
        links = daemon.service.links("Home.md")["links"]
        assert [link["target"] for link in links] == ["Kept/Secret.md"]  # the name resolves, nothing else is kept
        status = {note["path"]: note["status"] for note in daemon.service.notes()["notes"]}
        assert status == {"Home.md": "indexed", "Kept/Secret.md": "skipped"}
    assert leaks(place, "heliotrope") == []
    assert {fact["source"] for fact in place.facts().values()} == {"Home.md"}


def test_excluding_a_note_later_takes_it_out_and_including_it_brings_it_back(place: Place) -> None:
    place.fill({"Home.md": HOME, "Kept/Secret.md": SECRET, ".obsidian/app.json": "{}"})
    with place.served() as daemon:
        assert notes_for(daemon.service, "heliotrope")[:1] == ["Kept/Secret.md"]
        place.write(".obsidian/app.json", '{"userIgnoreFilters": ["Kept/"]}')
        wait_until(lambda: notes_for(daemon.service, "heliotrope") == [], "the exclusion")
        settled(daemon)
        assert {fact["source"] for fact in daemon.service.facts()["facts"]} == {"Home.md"}
        place.write(".obsidian/app.json", '{"userIgnoreFilters": []}')
        wait_until(lambda: notes_for(daemon.service, "heliotrope")[:1] == ["Kept/Secret.md"], "the note to come back")
        place.write("Kept/Secret.md", "---\nmemory: false\n---\n" + SECRET)
        wait_until(lambda: notes_for(daemon.service, "heliotrope") == [], "the note to be forgotten")
    assert {fact["source"] for fact in place.facts().values()} == {"Home.md"}
    links = [record for record in place.ledger("links.jsonl") if record["source"] != "Home.md"]
    assert links == []


def test_ledgers_and_reports_of_the_memory_folder_are_no_notes(place: Place) -> None:
    place.write("Home.md", HOME)
    with place.served() as daemon:
        place.write("Memory/reports/2026-11-30.md", "A report about a zebu.\n")
        place.write("Memory/MEMORY.md", "Router with a zebu.\n")
        place.write("Memory/core/principles/Order.md", "A principle of the capybara.\n")
        wait_until(lambda: notes_for(daemon.service, "capybara"), "the core memory")
        settled(daemon)
        settled(daemon)
        assert notes_for(daemon.service, "zebu") == []
        assert daemon.service.facts()["total"] == 1  # of Home alone: no facts are read from our own folder
    with place.served() as daemon:
        assert notes_for(daemon.service, "zebu") == []
        assert notes_for(daemon.service, "capybara") == ["Memory/core/principles/Order.md"]


def test_a_note_that_moves_while_the_vault_is_scanned_is_known_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is seen in both places: where it was when its old folder was listed, and where it went."""
    place.fill({"A/Old.md": GARDEN, "B/other.md": "word\n"})
    runtime = place.open()
    try:
        runtime.catch_up()
        before = runtime.catalog.files()["A/Old.md"].id
        scan = runtime.store.scan

        def moving() -> Any:
            for stat in scan():
                if stat.path == "A/Old.md":
                    (place.vault / "A/Old.md").rename(place.vault / "B/New.md")
                yield stat

        monkeypatch.setattr(runtime.store, "scan", moving)
        runtime.sync.reconcile()
        assert runtime.catalog.files()["B/New.md"].id == before
        monkeypatch.undo()
        runtime.sync.reconcile()
        assert sorted(runtime.catalog.files()) == ["B/New.md", "B/other.md"]
        assert runtime.catalog.counts()["facts"] == 2
    finally:
        runtime.close()
    assert len(place.revisions("move")) == 1


@pytest.mark.parametrize("work", ["refill", "rebuild"])
def test_a_note_that_moves_while_indexes_are_made_anew_is_known_again(place: Place, work: str) -> None:
    place.fill({"A/Old.md": GARDEN, "B/other.md": "word\n"})
    runtime = place.open()
    try:
        runtime.catch_up()
        before = runtime.catalog.files()["A/Old.md"].id
        (place.vault / "A/Old.md").rename(place.vault / "B/New.md")
        if work == "refill":  # it meets a note that is not where it was, before anybody tells
            runtime.refiller.order("notes")
            runtime.refiller.run()
        else:
            runtime.catalog.read_again()
        assert notes_for(Service(runtime), "tulips") == ["A/Old.md"]
        runtime.sync.apply(["B/New.md"])
        runtime.sync.apply(["A/Old.md"])
        assert runtime.catalog.files()["B/New.md"].id == before
        runtime.sync.reconcile()
        assert notes_for(Service(runtime), "tulips") == ["B/New.md"]
        assert runtime.texts["notes"].count() == runtime.catalog.count_texts() == 2
        runtime.write_memory()
    finally:
        runtime.close()
    assert len(place.revisions("move")) == 1


def test_a_note_that_the_scan_saw_in_neither_place_is_known_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left its folder before that was listed, for one that had been listed before it came."""
    place.fill({"A/Old.md": GARDEN, "B/other.md": "word\n"})
    runtime = place.open()
    try:
        runtime.catch_up()
        before = runtime.catalog.files()["A/Old.md"].id
        (place.vault / "A/Old.md").rename(place.vault / "B/New.md")
        scan, looks = runtime.store.scan, iter([True])

        def blind() -> Any:
            hidden = next(looks, False)
            return (stat for stat in scan() if not (hidden and stat.path == "B/New.md"))

        monkeypatch.setattr(runtime.store, "scan", blind)
        runtime.sync.reconcile()
        assert runtime.catalog.files()["B/New.md"].id == before
        runtime.write_memory()
    finally:
        runtime.close()
    assert [record["kind"] for record in place.ledger("revisions/*.jsonl")] == ["move"]
