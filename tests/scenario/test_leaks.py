"""What a person keeps out of the memory is nowhere in it: not in answers, records, indexes, explanations or logs."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import EbbtideError
from ebbtide.prove import exam
from ebbtide.serve.service import Service
from support import Place, notes_for, settled, wait_until

OPEN = "# Home\n\nWe decided to use the wolverine protocol in 2026-03 because it is quiet.\n"


def secret(word: str, properties: str = "") -> str:
    """A note of which passages, facts, links and properties all hold the word."""
    return (
        f"---\naliases: [{word}alias]\n{properties}---\n# About {word}head\n\nWe decided to use {word} in 2026-03 because"
        f" {word}reason. See [[Home|{word}link]] and [[{word}target]]. #{word}tag\n"
    )


HIDDEN: dict[str, tuple[str, str]] = {
    "Away/filtered.md": ("heliotrope", ""),
    "Own/excluded.md": ("vermilion", ""),
    "Kept out.md": ("celadon", "memory: false\n"),
    ".dot/note.md": ("amaranth", ""),
    ".hidden.md": ("gamboge", ""),
    "half.md.tmp": ("fuchsia", ""),
}
WORDS = [word for word, _ in HIDDEN.values()] + ["cerulean"]


@pytest.fixture
def kept(place: Place) -> Place:
    place.options["vault.excluded"] = ["Own/"]
    place.fill({path: secret(word, extra) for path, (word, extra) in HIDDEN.items()})
    place.fill({"Home.md": OPEN, ".obsidian/app.json": '{"userIgnoreFilters": ["Away/"]}'})
    outside = place.base / "elsewhere"
    outside.mkdir()
    (outside / "out.md").write_text(secret("cerulean"))
    os.symlink(outside / "out.md", place.vault / "linked.md")
    os.symlink(outside, place.vault / "linked folder")
    os.symlink(place.vault / ".dot" / "note.md", place.vault / "to a dot folder.md")
    return place


def holders(folder: Path, words: list[str]) -> list[tuple[str, str]]:
    """Files under a folder that hold one of the words, in whatever case."""
    found = []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = file.read_bytes().lower()
        found += [(str(file.relative_to(folder)), word) for word in words if word.encode() in data]
    return found


def said(ask: Callable[[], Any]) -> str:
    """An answer, or a refusal, as text."""
    try:
        return json.dumps(ask(), ensure_ascii=False)
    except EbbtideError as error:
        return str(error)


def everything(service: Service, paths: list[str], word: str) -> str:
    """All that the service says to somebody who does not know the word; questions use it, so they are not repeated."""
    parts = [said(lambda: service.status()), said(lambda: service.doctor()), said(lambda: service.facts(limit=1000))]
    parts += [said(lambda: service.links(limit=1000)), said(lambda: service.notes(limit=1000))]
    parts.append(said(lambda: service.related("Home.md")))
    for path in paths:
        for ask in (
            service.note,
            service.related,
            lambda path: service.facts(note=path),
            lambda p: service.links(note=p),
        ):
            parts.append(said(lambda ask=ask, path=path: ask(path)))
        parts.append(said(lambda path=path: service.explain("wolverine", path)))
    parts.append(said(lambda: service.recall("why wolverine protocol decided use", explain=True)))
    answer = service.recall(f"why {word}", explain=True)
    parts += [json.dumps(answer["items"], ensure_ascii=False)]
    assert not set(answer["notes"]) & set(paths), answer["notes"]
    return "\n".join(parts).lower()


PATHS = [*HIDDEN, "linked.md", "linked folder/out.md", "to a dot folder.md"]


def test_what_is_kept_out_is_nowhere(kept: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with kept.served() as daemon:
        settled(daemon)
        assert notes_for(daemon.service, "wolverine") == ["Home.md"]
        for word in WORDS:
            told = everything(daemon.service, PATHS, word)
            assert [w for w in WORDS if w in told] == []
        daemon.service.rebuild("all")
        settled(daemon)
    assert kept.facts()
    assert holders(kept.vault / "Memory", ["wolverine"])
    assert holders(kept.vault / "Memory", WORDS) == []
    assert holders(kept.base / "cache", ["wolverine"])
    assert holders(kept.base / "cache", WORDS) == []
    assert holders(kept.base / "state", WORDS) == []
    assert [word for word in WORDS if word in caplog.text.lower()] == []


def test_the_exam_ranks_nothing_that_is_kept_out(kept: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in (kept.environ | {"EBBTIDE_EMBED_ENABLED": "false"}).items():
        monkeypatch.setenv(key, value)
    (kept.base / "config.toml").write_text('[vault]\nexcluded = ["Own/"]\n')
    queries, out = tmp_path / "queries.jsonl", tmp_path / "out.jsonl"
    queries.write_text("".join(json.dumps({"id": word, "query": word}) + "\n" for word in [*WORDS, "wolverine"]))
    exam.ask(kept.vault, queries, out)
    ranked = {row["id"]: row["ranked"] for row in map(json.loads, out.read_text().splitlines())}
    assert ranked["wolverine"] == ["Home.md"]
    assert {path for paths in ranked.values() for path in paths} == {"Home.md"}
    assert holders(kept.base / "cache", WORDS) == []


def passages(service: Service) -> str:
    return json.dumps([service.runtime.catalog.passages_of(f.row) for f in service.runtime.catalog.files().values()],
                      default=str)  # fmt: skip


def test_a_note_that_is_taken_out_of_the_memory_and_brought_back(place: Place) -> None:
    place.fill({"Home.md": OPEN, "Mine.md": secret("celadon")})
    with place.served() as daemon:
        service = daemon.service
        settled(daemon)
        assert notes_for(service, "celadon")[:1] == ["Mine.md"]
        (before,) = service.facts(note="Mine.md")["facts"]
        place.write("Mine.md", secret("celadon", "memory: false\n"))
        wait_until(lambda: "Mine.md" not in notes_for(service, "celadon"), "the note to be forgotten")
        settled(daemon)
        assert "celadon" not in passages(service).lower()
        assert "celadon" not in everything(service, ["Mine.md"], "celadon")
        assert service.status()["counts"]["skipped"] == 1
    assert {fact["source"] for fact in place.facts().values()} == {"Home.md"}
    assert [before["id"] in revision["subjects"] for revision in place.revisions("retract")] == [True]
    assert holders(place.vault / "Memory", ["celadon"]) in ([], [(f, "celadon") for f, _ in holders(
        place.vault / "Memory", ["celadon"]) if f.startswith("revisions/")])  # fmt: skip
    with place.served() as daemon:
        place.write("Mine.md", secret("celadon"))
        wait_until(lambda: notes_for(daemon.service, "celadon")[:1] == ["Mine.md"], "the note that is back")
        settled(daemon)
    assert {fact["source"] for fact in place.facts().values()} == {"Home.md", "Mine.md"}


def test_a_folder_that_obsidian_excludes_later_and_no_more(place: Place) -> None:
    place.fill({"Home.md": OPEN, "Away/note.md": secret("heliotrope"), ".obsidian/app.json": "{}"})
    with place.served() as daemon:
        settled(daemon)
        assert notes_for(daemon.service, "heliotrope")[:1] == ["Away/note.md"]
        place.write(".obsidian/app.json", '{"userIgnoreFilters": ["Away/"]}')
        daemon.indexer.report(frozenset(), True)
        wait_until(lambda: "Away/note.md" not in notes_for(daemon.service, "heliotrope"), "the exclusion")
        settled(daemon)
        assert "heliotrope" not in passages(daemon.service).lower()
        assert "heliotrope" not in everything(daemon.service, ["Away/note.md"], "heliotrope")
        place.write(".obsidian/app.json", "{")  # Obsidian is just writing it: nothing comes back by that
        daemon.indexer.report(frozenset(), True)
        settled(daemon)
        assert "Away/note.md" not in notes_for(daemon.service, "heliotrope")
        place.write(".obsidian/app.json", '{"userIgnoreFilters": null}')
        daemon.indexer.report(frozenset(), True)
        wait_until(lambda: notes_for(daemon.service, "heliotrope")[:1] == ["Away/note.md"], "the folder that is back")
        settled(daemon)
    assert {fact["source"] for fact in place.facts().values()} == {"Home.md", "Away/note.md"}


def test_private_is_carried_on_every_fact_and_follows_the_note(place: Place) -> None:
    place.fill({"Home.md": OPEN, "Diary.md": secret("celadon", "private: true\n")})

    def privacy(service: Service) -> dict[str, bool]:
        return {fact["source"]: fact["private"] for fact in service.facts(limit=1000)["facts"]}

    with place.served() as daemon:
        settled(daemon)
        assert privacy(daemon.service) == {"Home.md": False, "Diary.md": True}
        place.write("Diary.md", secret("celadon"))
        wait_until(lambda: privacy(daemon.service) == {"Home.md": False, "Diary.md": False}, "no longer private")
        place.write("Diary.md", secret("celadon", "private: true\n"))
        wait_until(lambda: privacy(daemon.service) == {"Home.md": False, "Diary.md": True}, "private again")
        settled(daemon)
    assert {fact["source"]: fact["private"] for fact in place.facts().values()} == {"Home.md": False, "Diary.md": True}
