"""The keyword index as files: copies without what is deleted, checksums, full disks, and writers that fail."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ebbtide.index import text
from ebbtide.index.text import TantivyIndex
from ebbtide.memory.errors import IndexDamaged, IndexUnwritable

WORDS = [f"{a}{b}" for a in ("al", "be", "ga", "de") for b in ("ron", "tin", "mus", "lak", "pir")]


def documents(count: int, seed: int = 1) -> list[tuple[str, dict[str, str]]]:
    chance = random.Random(seed)
    return [
        (f"k{n}", {"path": f"F{n % 3}/n{n}.md", "title": f"note {n}", "body": " ".join(chance.choices(WORDS, k=20))})
        for n in range(count)
    ]


@pytest.fixture
def index(tmp_path: Path) -> TantivyIndex:
    made = TantivyIndex.open(tmp_path / "one")
    made.upsert(documents(60))
    made.commit()
    return made


def scores(index: TantivyIndex) -> list[Any]:
    found = [index.search(word, 1000) for word in WORDS]
    return [([(hit.key, round(hit.score, 6)) for hit in result.hits], round(result.ceiling, 6)) for result in found]


def test_a_copy_scores_like_an_index_that_was_built_once(index: TantivyIndex, tmp_path: Path) -> None:
    fresh = TantivyIndex.open(tmp_path / "fresh")
    fresh.upsert(documents(50, 2))
    fresh.commit()
    for seed in (3, 4, 2):
        index.upsert(documents(50, seed))
        index.commit()
    index.delete(f"k{n}" for n in range(50, 60))
    index.commit()
    index.upsert(documents(50, 2)[:9])
    index.commit()
    assert index.deleted_share() > 0
    assert scores(index) != scores(fresh)
    index.begin_copy(tmp_path / "two")
    index.copy(documents(50, 2)[:30])
    index.upsert([("k3", {"body": "changed meanwhile"})])
    index.commit()
    assert index.search("meanwhile", 5).hits, "the one that answers hears of it"
    index.copy(documents(50, 2)[30:])
    index.upsert(documents(50, 2)[3:4])
    index.delete(["k49"])
    index.upsert(documents(50, 2)[49:])
    index.commit()
    index.switch()
    assert not (tmp_path / "one").exists()
    assert index.folder == tmp_path / "two"
    index.begin_copy(tmp_path / "three")  # what was written twice meanwhile is deleted there, too
    index.copy(documents(50, 2))
    index.commit()
    index.switch()
    assert index.deleted_share() == 0
    assert scores(index) == scores(fresh)


def test_a_copy_given_up_leaves_everything_as_it_was(index: TantivyIndex, tmp_path: Path) -> None:
    before = scores(index)
    index.begin_copy(tmp_path / "two")
    index.copy(documents(5))
    index.drop_copy()
    index.commit()
    assert not (tmp_path / "two").exists()
    assert scores(index) == before


def test_what_is_not_committed_is_dropped_by_a_rollback(index: TantivyIndex) -> None:
    before = scores(index)
    index.upsert([("k1", {"body": "never"}), ("new", {"body": "never"})])
    index.delete(["k2"])
    index.rollback()
    index.upsert([("after", {"body": "later"})])
    index.delete(["after"])
    index.commit()
    assert index.count() == 60
    assert not index.search("never", 5).hits
    index.begin_copy(index.folder.with_name("two"))
    index.copy(documents(60))
    index.commit()
    index.switch()
    assert scores(index) == before


def test_beginning_anew_is_empty_and_goes_on(index: TantivyIndex) -> None:
    index.damaged = "so"
    index.reset()
    assert (index.count(), index.damaged) == (0, "")
    index.upsert(documents(3))
    index.commit()
    assert index.count() == 3


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[1] ^= 16
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, flip, Path.unlink], ids=["cut", "flipped", "gone"])
@pytest.mark.parametrize("ending", ["term", "idx", "pos", "store", "fieldnorm", "fast", "del"])
def test_damage_of_any_file_is_seen(index: TantivyIndex, ending: str, damage: Callable[[Path], None]) -> None:
    index.delete(["k1"])
    index.commit()
    assert index.sound()
    damage(next(index.folder.glob(f"*.{ending}")))
    assert not index.sound()


def test_a_search_that_meets_damage_finds_nothing_and_says_so(index: TantivyIndex, tmp_path: Path) -> None:
    index.close()
    for file in index.folder.glob("*.term"):
        data = bytearray(file.read_bytes())
        data[:-100] = b"\xff" * (len(data) - 100)
        file.write_bytes(data)
    try:
        again = TantivyIndex.open(tmp_path / "one")
    except IndexDamaged:
        return
    result = again.search(WORDS[0], 5)
    assert result.hits == () or not again.sound()
    assert again.damaged or not again.sound()


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("An IO error occurred: 'No space left on device (os error 28)'", IndexUnwritable),
        ("Failed to open file for write: Os { code: 28, kind: StorageFull }", IndexUnwritable),
        ("Read-only file system (os error 30)", IndexUnwritable),
        ("No such file or directory (os error 2)", IndexDamaged),
        ("Data corrupted", IndexDamaged),
    ],
)
def test_a_disk_that_cannot_be_written_is_no_damage(message: str, kind: type[Exception]) -> None:
    def work() -> None:
        raise ValueError(message)

    with pytest.raises(kind):
        text._guarded(work)


def test_a_writer_that_failed_is_replaced(index: TantivyIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __getattr__(self, _: str) -> Any:
            raise ValueError("No space left on device (os error 28)")

    index.upsert([("lost", {"body": "lost"})])
    index._core._writer = Broken()  # type: ignore[assignment]
    with pytest.raises(IndexUnwritable):
        index.commit()
    index.upsert([("kept", {"body": "kept"})])
    index.commit()
    assert index.search("kept", 5).hits
    assert not index.search("lost", 5).hits


def test_a_panic_becomes_an_error() -> None:
    class PanicException(BaseException):
        pass

    def work() -> None:
        raise PanicException("index out of bounds")

    with pytest.raises(IndexDamaged, match="panicked"):
        text._guarded(work)
    with pytest.raises(KeyboardInterrupt):
        text._guarded(lambda: (_ for _ in ()).throw(KeyboardInterrupt))


def test_an_index_that_lies_elsewhere_later_is_opened_there(index: TantivyIndex, tmp_path: Path) -> None:
    index.close()
    shutil.move(tmp_path / "one", tmp_path / "moved")
    assert TantivyIndex.open(tmp_path / "moved").count() == 60
