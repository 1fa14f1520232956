"""facts.jsonl between the daemon, a person with an editor, another device, and crashes."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from ebbtide.daemon import Daemon
from support import Place, notes_for, rebuilt, settled, wait_until

POND = "# Pond\n\n- The pond cost 400 EUR in 2026-05.\n- We decided to plant lilies instead of reeds in 2026-04.\n"


def lines_of(place: Place) -> list[str]:
    return (place.vault / "Memory/facts.jsonl").read_text("utf-8").splitlines()


def rewrite(place: Place, lines: list[str]) -> None:
    (place.vault / "Memory/facts.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")


def flushed(daemon: Daemon) -> None:
    """Let the daemon look at the file now, and not within a minute."""
    settled(daemon)
    daemon.indexer.order(daemon.runtime.write_facts)
    settled(daemon)


def test_lines_are_sorted_by_id_and_written_only_when_they_differ(place: Place) -> None:
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 20)})
    with place.served():
        pass
    file = place.vault / "Memory/facts.jsonl"
    ids = [json.loads(line)["id"] for line in lines_of(place)]
    assert ids == sorted(ids)
    assert len(ids) == 19
    before = file.stat()
    with place.served() as daemon:
        flushed(daemon)
        place.write("other.md", "nothing to know, okapi\n")
        wait_until(lambda: notes_for(daemon.service, "okapi"), "the note")
        flushed(daemon)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_line_changed_by_hand_is_taken_over_at_once_and_at_the_next_start(place: Place) -> None:
    place.write("Pond.md", POND)
    with place.served() as daemon:
        flushed(daemon)
        first = sorted(daemon.service.facts()["facts"], key=lambda fact: str(fact["id"]))[0]
        mine = [line.replace('"importance":', '"mine":"yes","importance":') for line in lines_of(place)]
        rewrite(place, [new if first["id"] in old else old for old, new in zip(lines_of(place), mine, strict=True)])
        flushed(daemon)
        assert daemon.service.fact(first["id"])["fact"]["mine"] == "yes"
    rewrite(place, [line.replace("lilies", "hyacinths") for line in lines_of(place)])
    with place.served() as daemon:
        flushed(daemon)
        assert any("hyacinths" in fact["fact"] for fact in daemon.service.facts()["facts"])
        items = daemon.service.recall("hyacinths")["items"]
        assert items == [] or items[0]["note"] == "Pond.md"
        assert daemon.service.fact(first["id"])["fact"]["mine"] == "yes"


def test_a_line_deleted_by_hand_is_forgotten_and_stays_so(place: Place) -> None:
    place.write("Pond.md", POND)
    with place.served() as daemon:
        flushed(daemon)
        gone = next(fact for fact in daemon.service.facts()["facts"] if "lilies" in fact["fact"])
        rewrite(place, [line for line in lines_of(place) if gone["id"] not in line])
        flushed(daemon)
        assert [fact["id"] for fact in daemon.service.facts()["facts"]] != []
        assert gone["id"] not in [fact["id"] for fact in daemon.service.facts()["facts"]]
        place.write("Pond.md", POND + "\nAn okapi drinks.\n")  # the note still says it, and is read again
        wait_until(lambda: notes_for(daemon.service, "okapi"), "the note")
        flushed(daemon)
        assert gone["id"] not in [fact["id"] for fact in daemon.service.facts()["facts"]]
    (revision,) = place.revisions("forget")
    assert (revision["subjects"], revision["by"]) == ([gone["id"]], "user")
    assert gone["id"] not in place.facts()
    for cache in place.caches:
        shutil.rmtree(cache)
    with place.served() as daemon:
        flushed(daemon)
        assert gone["id"] not in [fact["id"] for fact in daemon.service.facts()["facts"]]
        rebuilt(daemon, "facts")
        flushed(daemon)
    assert gone["id"] not in place.facts()
    assert len(place.facts()) == 1
    assert len(place.revisions("forget")) == 1


def test_many_lines_gone_at_once_come_back(place: Place) -> None:
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 60)})
    with place.served() as daemon:
        flushed(daemon)
        before = place.facts()
        rewrite(place, lines_of(place)[:35])
        flushed(daemon)
        assert place.facts() == before
        assert daemon.service.facts(limit=500)["total"] == 59
    assert place.revisions("forget") == []


def test_facts_of_another_device_come_in_and_wait_for_their_note(place: Place) -> None:
    place.write("Pond.md", POND)
    with place.served():
        pass
    model = next(iter(place.facts().values()))
    theirs: dict[str, Any] = model | {
        "id": "f_00000000000000aa", "fact": "Pond: the heron comes at dawn.", "quote": "The pond cost 400 EUR in 2026-05.",
        "extractor": "claude/1", "type": "event", "from_elsewhere": True,
    }  # fmt: skip
    later = theirs | {
        "id": "f_00000000000000bb",
        "source": "Later.md",
        "quote": "An axolotl",
        "fact": "An axolotl.",
        "note_hash": "",
    }
    with place.served() as daemon:
        flushed(daemon)
        rewrite(
            place,
            sorted(
                [*lines_of(place), json.dumps(theirs), json.dumps(later)], key=lambda line: str(json.loads(line)["id"])
            ),
        )
        flushed(daemon)
        ids = {fact["id"]: fact for fact in daemon.service.facts()["facts"]}
        assert ids[theirs["id"]]["from_elsewhere"] is True
        assert later["id"] not in ids
        assert [item["id"] for item in daemon.service.recall("heron dawn")["items"]][:1] == [theirs["id"]]
        place.write("Later.md", "An axolotl\n")
        wait_until(lambda: notes_for(daemon.service, "axolotl"), "the note to come")
        flushed(daemon)
    assert place.facts()[theirs["id"]]["from_elsewhere"] is True


def test_ids_and_dates_survive_a_lost_cache_and_a_lost_state(place: Place) -> None:
    place.fill({"Pond.md": POND, "Sub/Server.md": "# Server\n\nThe timeout is 30 seconds.\n"})
    with place.served() as daemon:
        flushed(daemon)
        place.write("Pond.md", POND.replace("We decided", "In spring we decided"))  # an id that no hash gives again
        settled(daemon)
        wait_until(lambda: any("spring" in fact["quote"] for fact in daemon.service.facts()["facts"]), "the edit")
    before = place.facts()
    assert len(before) == 3
    for lost in ("cache", "state"):
        shutil.rmtree(place.base / lost)
        with place.served() as daemon:
            flushed(daemon)
            assert {fact["id"] for fact in daemon.service.facts()["facts"]} == set(before)
        assert place.facts() == before, f"after the {lost} was lost"
    (place.vault / "Pond.md").rename(place.vault / "Lake.md")
    shutil.rmtree(place.base / "cache")
    with place.served() as daemon:  # renamed, and nothing left that knew the old name but facts.jsonl
        flushed(daemon)
    assert set(place.facts()) == set(before)
    assert {fact["source"] for fact in place.facts().values()} == {"Lake.md", "Sub/Server.md"}


def test_what_stood_in_the_journal_only_is_written_at_the_next_start(place: Place) -> None:
    place.write("Pond.md", POND)
    daemon = Daemon(place.open())
    daemon.start(0)
    wait_until(daemon.indexer.ready.is_set, "the first comparison")
    flushed(daemon)
    place.write("Server.md", "# Server\n\nThe timeout is 30 seconds.\n")
    wait_until(lambda: daemon.service.facts()["total"] == 3, "the new fact")
    settled(daemon)
    assert len(place.facts()) == 2, "it stands in the journal only"
    daemon.indexer.chores.facts = lambda: None  # as if it were killed: nothing is written at the end
    daemon.stop()
    assert len(place.facts()) == 2
    shutil.rmtree(place.base / "cache")
    (place.vault / "Server.md").unlink()
    place.write("Server.md", "# Server\n\nThe timeout is 30 seconds.\n")
    with place.served() as again:
        flushed(again)
    assert len(place.facts()) == 3


def test_a_restart_with_nothing_new_does_not_read_the_file(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("Pond.md", POND)
    with place.served():
        pass
    reads: list[str] = []
    runtime = place.open()
    read = type(runtime.store).memory_bytes

    def counted(self: Any, rel: str) -> bytes | None:
        reads.append(rel)
        return read(self, rel)

    monkeypatch.setattr(type(runtime.store), "memory_bytes", counted)
    try:
        runtime.catch_up()
        assert "facts.jsonl" not in reads
        place.write("Pond.md", POND + "\n- The bench cost 90 EUR in 2026-06.\n")
        runtime.catch_up()
        assert "facts.jsonl" in reads
    finally:
        runtime.close()
    assert len(place.facts()) == 3
