"""Vectors over real USearch and SQLite: what is put is found, what is damaged is noticed, nothing is stored twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.index.vectors import VectorIndex, VectorStore

DIMS = 24


def unit(count: int, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMS)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def filled(path: Path, count: int = 50) -> tuple[VectorIndex, np.ndarray]:
    index, rows = VectorIndex(path, DIMS, "model"), unit(count)
    index.rebuild({}, ())
    index.add(range(count), ["en"] * count, rows)
    return index, rows


def test_the_nearest_is_the_vector_itself(tmp_path: Path) -> None:
    index, rows = filled(tmp_path / "v.usearch")
    for label in (0, 17, 49):
        assert index.search(rows[label], 3)[0].label == label


def test_exact_search_equals_comparing_with_every_one(tmp_path: Path) -> None:
    index, rows = filled(tmp_path / "v.usearch", 200)
    query = unit(1, 9)[0]
    found = [hit.label for hit in index.search(query, 10)]
    stored = rows.astype(np.float16).astype(np.float32)
    cosines = stored @ query / np.linalg.norm(stored, axis=1)
    assert set(found) == set(np.argsort(-cosines)[:10].tolist())


def test_a_label_added_again_is_replaced(tmp_path: Path) -> None:
    index, rows = filled(tmp_path / "v.usearch")
    index.add([3, 3], ["en", "en"], np.stack([rows[5], rows[7]]))
    assert len(index) == 50
    assert index.cosines(rows[7], [3])[3] == pytest.approx(1.0, abs=1e-2)


def test_vectors_inside_are_handed_out_at_length_one(tmp_path: Path) -> None:
    index, rows = filled(tmp_path / "v.usearch")
    found = index.vectors([9, 3, 999])
    assert found.keys() == {9, 3}
    assert float(found[9] @ rows[9]) == pytest.approx(1.0, abs=1e-2)
    assert float(np.linalg.norm(found[3])) == pytest.approx(1.0, abs=1e-5)
    assert index.vectors([]) == {}


def test_what_is_removed_is_not_found(tmp_path: Path) -> None:
    index, rows = filled(tmp_path / "v.usearch")
    index.remove([4, 4, 999])
    assert 4 not in {hit.label for hit in index.search(rows[4], 50)}
    assert index.cosines(rows[4], [4, 5]).keys() == {5}


def test_languages_are_centred_with_their_own_means(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path / "v.usearch", DIMS, "model")
    middle = unit(1, 3)[0] * 5
    index.rebuild({"zh": middle, "en": np.zeros(DIMS, dtype=np.float32)}, ())
    rows = unit(2)
    index.add([1, 2], ["zh", "en"], np.stack([rows[0] + middle, rows[1]]).astype(np.float32))
    assert index.cosines(rows[0], [1])[1] == pytest.approx(1.0, abs=1e-2)
    assert index.cosines(rows[1], [2])[2] == pytest.approx(1.0, abs=1e-2)


def test_a_saved_index_comes_back(tmp_path: Path) -> None:
    index, rows = filled(tmp_path / "v.usearch")
    index.save("g1")
    again = VectorIndex(tmp_path / "v.usearch", DIMS, "model")
    assert again.load("g1")
    assert again.labels().tolist() == list(range(50))
    assert again.search(rows[8], 5) == index.search(rows[8], 5)


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "garbage", "gone", "sidecar", "sidecar gone"])
def test_a_damaged_file_is_never_loaded(tmp_path: Path, damage: str) -> None:
    index, _ = filled(tmp_path / "v.usearch")
    index.save("g1")
    file, side = tmp_path / "v.usearch", tmp_path / "v.json"
    data = bytearray(file.read_bytes())
    match damage:
        case "truncate":
            file.write_bytes(data[: len(data) // 2])
        case "flip":
            data[len(data) // 2] ^= 1
            file.write_bytes(data)
        case "empty":
            file.write_bytes(b"")
        case "garbage":
            file.write_bytes(b"not an index" * 100)
        case "gone":
            file.unlink()
        case "sidecar":
            side.write_text("{")
        case _:
            side.unlink()
    again = VectorIndex(tmp_path / "v.usearch", DIMS, "model")
    assert not again.load("g1")
    assert len(again) == 0


def test_another_model_or_catalogue_is_another_index(tmp_path: Path) -> None:
    index, _ = filled(tmp_path / "v.usearch")
    index.save("g1")
    assert not VectorIndex(tmp_path / "v.usearch", DIMS, "other model").load("g1")
    assert not VectorIndex(tmp_path / "v.usearch", DIMS, "model").load("g2")


def test_the_store_keeps_what_it_is_given(tmp_path: Path) -> None:
    rows = unit(3)
    store = VectorStore.open(tmp_path / "s.sqlite", DIMS)
    store.put([b"a" * 16, b"b" * 16], rows[:2])
    store.close()
    again = VectorStore.open(tmp_path / "s.sqlite", DIMS)
    found = again.get([b"a" * 16, b"b" * 16, b"c" * 16])
    assert found.keys() == {b"a" * 16, b"b" * 16}
    assert np.allclose(found[b"a" * 16], rows[0], atol=1e-3)
    again.close()


def test_a_file_that_is_no_store_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_bytes(b"this is not a database" * 1000)
    store = VectorStore.open(tmp_path / "s.sqlite", DIMS)
    assert store.count() == 0
    store.close()
    assert any(b"this is not" in file.read_bytes() for file in tmp_path.iterdir() if file.name != "s.sqlite")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=40))
def test_labels_inside_are_those_added_and_not_removed(steps: list[tuple[int, bool]]) -> None:
    index = VectorIndex(Path("never-saved"), DIMS, "model")
    index.rebuild({}, ())
    rows, model = unit(13), set()
    for label, add in steps:
        if add:
            index.add([label], ["en"], rows[[label]])
            model.add(label)
        else:
            index.remove([label])
            model.discard(label)
    assert set(index.labels().tolist()) == model
