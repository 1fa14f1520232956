"""Every file of the indexes damaged in turn: the vault is opened, what is lost is made again, and questions are answered."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ebbtide.recall.engine import Question
from support import Place, notes_for, settled, wait_until
from tiny import questions, story, write_tiny

THOROUGH = os.environ.get("EBBTIDE_EVIDENCE") == "1"
WORD = "okapi"


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def garbage(file: Path) -> None:
    file.write_bytes(random.Random(5).randbytes(5000))


def flip(file: Path) -> None:
    """A byte here and there, all over the file."""
    data = bytearray(file.read_bytes())
    chance = random.Random(len(data))
    for _ in range(max(1, len(data) // 400)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def remove(file: Path) -> None:
    file.unlink()


DAMAGES: list[Callable[[Path], None]] = [truncate, empty, garbage, flip, remove]


@pytest.fixture
def filled(place: Place, tmp_path: Path) -> Place:
    place.options |= {"embed.enabled": True, "embed.model": str(write_tiny(tmp_path / "tiny"))}
    place.fill({f"n{n}.md": story(n, 6) for n in range(8)})
    place.write("Zoo.md", f"# Zoo\n\nThe {WORD} cost 900 EUR in 2026-03. See [[n1]].\n")
    with place.served() as daemon:  # edits leave several segments and deleted documents
        place.write("n1.md", story(101, 6))
        wait_until(lambda: daemon.runtime.catalog.file("n1.md"))
        settled(daemon)
        wait_until(daemon.embedding.at_rest.is_set, "the vectors")
    return place


def asked(service: Any) -> list[Any]:
    answers = [service.runtime.engine.recall(Question(query), hurry=False) for query in [*questions(8), WORD]]
    return [
        (answer["notes"], [(i["id"], i["note"], i["line"], round(i["score"], 3)) for i in answer["items"]])
        for answer in answers
    ]


def index_files(place: Place) -> list[Path]:
    (cache,) = place.caches
    return sorted(
        file
        for file in cache.rglob("*")
        if file.is_file() and not file.name.endswith(".lock") and "shadow" not in str(file)
    )


@pytest.mark.evidence
def test_each_file_damaged_in_turn(filled: Place) -> None:
    with filled.opened(vectors=True) as service:
        service.rebuild("text")
        reference, facts = asked(service), service.facts(limit=500)["facts"]
    memory = {file: file.read_bytes() for file in (filled.vault / "Memory").rglob("*.jsonl")}
    good = filled.base / "good"
    shutil.copytree(filled.base / "cache", good)
    names = [file.relative_to(filled.base / "cache") for file in index_files(filled)]
    kinds = {name.name.rpartition(".")[2] for name in names}
    assert {"sqlite", "usearch", "json", "term", "store", "idx", "pos", "fieldnorm"} <= kinds, kinds
    tried = 0
    for number, name in enumerate(names):
        for damage in DAMAGES if THOROUGH else [DAMAGES[number % len(DAMAGES)], flip]:
            shutil.rmtree(filled.base / "cache")
            shutil.copytree(good, filled.base / "cache")
            damage(filled.base / "cache" / name)
            with filled.opened(vectors=True) as service:
                found, doctor = asked(service), service.doctor()
                answered = service.facts(limit=500)["facts"]
                tried += 1
            where = f"{name.name} after {damage.__name__}"
            assert notes_like(found) == notes_like(reference), where
            assert [fact["id"] for fact in answered] == [fact["id"] for fact in facts], where
            states = {check["name"]: check["ok"] for check in doctor["checks"]}
            assert states["keyword index"], where
            assert states["vectors"], where
    assert tried >= len(names)
    assert {file: file.read_bytes() for file in (filled.vault / "Memory").rglob("*.jsonl")} == memory


def notes_like(answers: list[Any]) -> list[Any]:
    """The first notes of each answer, without the order of the last."""
    return [sorted(notes[:5]) for notes, _ in answers]


@pytest.mark.parametrize("damage", [garbage, flip, truncate], ids=lambda damage: damage.__name__)
@pytest.mark.parametrize(
    "pattern", ["catalog.sqlite", "text-notes-*/*.term", "text-facts-*/*.idx", "text-notes-*/meta.json"]
)
def test_a_daemon_meets_a_damaged_file_and_mends_it(
    filled: Place, pattern: str, damage: Callable[[Path], None]
) -> None:
    (cache,) = filled.caches
    for file in cache.glob(pattern):
        damage(file)
    with filled.served() as daemon:
        wait_until(lambda: notes_for(daemon.service, WORD)[:1] == ["Zoo.md"], "the answer")
        settled(daemon)
        assert daemon.indexer.problem is None
        assert {check["name"]: check["ok"] for check in daemon.service.doctor()["checks"]}["keyword index"]
        filled.write("Late.md", "An axolotl arrives.\n")
        wait_until(lambda: notes_for(daemon.service, "axolotl")[:1] == ["Late.md"], "a saved note afterwards")


def test_a_keyword_index_damaged_while_it_is_used_is_made_anew(filled: Place) -> None:
    with filled.served() as daemon:
        settled(daemon)
        daemon.runtime.texts["notes"].damaged = "a search found it so"
        filled.write("Late.md", "An axolotl arrives.\n")
        wait_until(lambda: notes_for(daemon.service, "axolotl")[:1] == ["Late.md"], "the saved note")
        wait_until(lambda: not daemon.runtime.texts["notes"].damaged, "the index to be mended")
        settled(daemon)
        assert notes_for(daemon.service, WORD)[:1] == ["Zoo.md"]


def test_a_catalogue_damaged_while_it_is_used_is_made_anew(filled: Place) -> None:
    """A table is pulled from under the running daemon: it begins anew and embeds nothing again."""
    with filled.served() as daemon:
        settled(daemon)
        wait_until(daemon.embedding.at_rest.is_set, "the vectors")
        assert daemon.runtime.backfill is not None
        before = daemon.runtime.backfill.embedded
        facts = sorted(fact["id"] for fact in daemon.service.facts(limit=500)["facts"])
        db = sqlite3.connect(daemon.runtime.catalog.path)
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("DROP TABLE passages")
        db.commit()
        db.close()
        filled.write("Late.md", "An axolotl arrives.\n")
        wait_until(lambda: _quiet(lambda: notes_for(daemon.service, "axolotl")[:1] == ["Late.md"]), "the saved note")
        settled(daemon)
        wait_until(lambda: daemon.service.status()["vectors_ready"], "the vectors")
        assert notes_for(daemon.service, WORD)[:1] == ["Zoo.md"]
        assert sorted(fact["id"] for fact in daemon.service.facts(limit=500)["facts"]) == facts
        assert daemon.runtime.backfill.embedded == before + 1


def _quiet(holds: Callable[[], bool]) -> bool:
    """False while what is asked is being made anew."""
    try:
        return holds()
    except sqlite3.Error:
        return False


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_model_leaves_keywords_and_says_so(filled: Place, name: str) -> None:
    garbage(filled.base / "tiny" / name)
    with filled.served() as daemon:
        assert notes_for(daemon.service, WORD)[:1] == ["Zoo.md"]
        wait_until(
            lambda: daemon.service.status()["model"]["state"] in ("missing", "failed"), "the model to be refused"
        )
        status = daemon.service.status()
        assert status["state"] == "degraded"
        assert status["message"]
        assert status["message_zh"] == "没有可用的语义模型，只能按关键词回忆。原因和修法见检查（ebbtide doctor）。"
        answer = daemon.service.recall(WORD)
        assert [step["step"] for step in answer["skipped"]] == ["vector"]
