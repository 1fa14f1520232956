"""The back-fill with a model that counts: nothing twice, whatever is interrupted, and one answer whatever the order."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ebbtide.index.backfill import Backfill
from ebbtide.index.catalog import KINDS, Catalog, FileRow, NewFact, NewPassage
from ebbtide.index.means import centred, text_key
from ebbtide.index.vectors import VectorIndex, VectorStore
from ebbtide.memory.ports import FloatArray

DIMS = 16


class Model:
    """Vectors drawn by the text; each batch holds `size` texts. `fail_after` batches the process dies."""

    fingerprint = "f" * 64
    dims = DIMS

    def __init__(self, size: int = 4) -> None:
        self.size = size
        self.texts: list[str] = []
        self.fail_after: int | None = None

    def embed_query(self, text: str) -> FloatArray:
        return self._vector(text)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def _vector(self, text: str) -> FloatArray:
        drawn = np.random.default_rng(int.from_bytes(text_key(text)[:4], "big")).standard_normal(DIMS)
        drawn[0] += 2.0 if text.isascii() else -2.0  # each language has a mean of its own
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)

    def iter_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        for number, start in enumerate(range(0, len(texts), self.size)):
            if self.fail_after is not None and number >= self.fail_after:
                raise KeyboardInterrupt
            part = list(range(start, min(start + self.size, len(texts))))
            self.texts += [texts[i] for i in part]
            yield part, np.stack([self._vector(texts[i]) for i in part])


class Vault:
    """A catalogue with a store and two indexes, to be opened again and again."""

    def __init__(self, base: Path) -> None:
        self.base, self.model = base, Model()
        self.catalog = Catalog.open(base / "catalog.sqlite")

    def put(self, path: str, *texts: str) -> None:
        file = FileRow(0, f"n_{path}", path, 1, 2, 3, "d", "note", "indexed")
        row = self.catalog.put_file(file)
        lang = [("en" if text.isascii() else "zh") for text in texts]
        self.lost = self.catalog.put_passages(
            row,
            [
                NewPassage(f"p_{path}{n}", n, "", n, 0, 1, text, lang[n], text, text_key(text))
                for n, text in enumerate(texts)
            ],
        )
        self.catalog.put_fact(NewFact(row, f"f_{path}", "{}", f"fact {path}", "en", text_key(f"fact {path}"), "event"))

    def open(self) -> Backfill:
        self.store = VectorStore.open(self.base / "vectors.sqlite", DIMS)
        self.near = {kind: VectorIndex(self.base / f"{kind}.usearch", DIMS, Model.fingerprint) for kind in KINDS}
        backfill = Backfill(self.catalog, self.store, self.near, self.model, {})
        backfill.open()
        return backfill

    def fill(self, backfill: Backfill) -> None:
        while backfill.round(lambda: False):
            pass
        backfill.settle()

    def answers(self) -> dict[str, Any]:
        """For some questions the texts found, with their cosines: without labels, which depend on history."""
        out = {}
        for number in range(8):
            query = self.model.embed_query(f"question {number}")
            for kind in KINDS:
                hits = self.near[kind].search(query, 10)
                keys = {row: key for row, _, key in self.catalog.keys(kind)}
                out[f"{kind} {number}"] = sorted((keys[hit.label], round(hit.cosine, 6)) for hit in hits)
        return out


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.catalog.close()


TEXTS = {f"n{n}.md": [f"passage {n} {part}" for part in "abc"] + [f"段落 {n}"] for n in range(25)}


def test_each_text_is_embedded_once_however_often_it_occurs(vault: Vault) -> None:
    for path in ("a.md", "b.md", "c.md"):
        vault.put(path, "the same", "the same", f"only in {path}")
    backfill = vault.open()
    vault.fill(backfill)
    assert sorted(vault.model.texts) == [
        "fact a.md",
        "fact b.md",
        "fact c.md",
        "only in a.md",
        "only in b.md",
        "only in c.md",
        "the same",
    ]
    assert backfill.embedded == 7
    assert len(vault.near["passages"]) == 9
    assert vault.catalog.count_waiting() == 0
    again = vault.open()  # nothing was saved: it is built from the store
    vault.fill(again)
    assert (again.embedded, len(vault.near["passages"])) == (0, 9)
    again.save()
    once_more = vault.open()
    assert (once_more.embedded, vault.near["passages"].churn) == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_dying_anywhere_costs_one_batch_and_changes_no_answer(tmp_path: Path, seed: int) -> None:
    whole = Vault(tmp_path / "whole")
    for path, texts in TEXTS.items():
        whole.put(path, *texts)
    whole.fill(whole.open())
    reference = whole.answers()
    chance = random.Random(seed)
    vault = Vault(tmp_path / "dying")
    paths = list(TEXTS)
    chance.shuffle(paths)
    for path in paths:
        vault.put(path, *TEXTS[path])
    for _ in range(4):
        backfill = vault.open()
        vault.model.fail_after = chance.randrange(5)
        before = vault.store.count()
        with pytest.raises(KeyboardInterrupt):
            vault.fill(backfill)
        assert vault.store.count() - before == backfill.embedded
        if chance.random() < 0.5:
            backfill.save()
        vault.store.close()
    vault.model.fail_after = None
    vault.fill(vault.open())
    assert len(vault.model.texts) == len(set(vault.model.texts)) == vault.store.count()
    assert vault.answers() == reference
    vault.catalog.close()
    whole.catalog.close()


def test_changes_settle_to_what_a_fresh_build_gives(vault: Vault, tmp_path: Path) -> None:
    for path, texts in TEXTS.items():
        vault.put(path, *(f"before {text}" for text in texts))
    backfill = vault.open()
    vault.fill(backfill)
    for path, texts in TEXTS.items():
        vault.put(path, *texts)
        vault.near["passages"].remove(vault.lost)
    vault.fill(backfill)
    fresh = Vault(tmp_path / "fresh")
    for path, texts in TEXTS.items():
        fresh.put(path, *texts)
    fresh.fill(fresh.open())
    assert vault.answers() == fresh.answers()
    fresh.catalog.close()


def test_a_text_taken_out_while_it_is_embedded_leaves_no_vector(vault: Vault) -> None:
    vault.put("a.md", *(f"text {n}" for n in range(8)))
    backfill = vault.open()

    def gone() -> bool:
        vault.put("a.md", "text 7")
        vault.near["passages"].remove(vault.lost)  # as the indexer does: some of them are not in yet
        return True

    backfill.round(gone)
    vault.fill(backfill)
    labels = set(vault.near["passages"].labels().tolist())
    assert labels == {row for row, _, _ in vault.catalog.keys("passages")}


def test_another_model_begins_anew_and_the_first_is_not_forgotten(vault: Vault) -> None:
    vault.put("a.md", "one", "two")
    vault.fill(vault.open())
    vault.catalog.set_meta("fingerprint", "another")
    backfill = vault.open()
    vault.fill(backfill)
    assert backfill.embedded == 0


def test_what_a_kill_left_in_the_saved_index_is_repaired(vault: Vault) -> None:
    vault.put("a.md", "one", "two", "three")
    backfill = vault.open()
    vault.fill(backfill)
    backfill.save()
    vault.put("a.md", "one", "four")  # two labels go and one comes, after the last save
    while backfill.round(lambda: False):
        pass
    vault.store.close()
    again = vault.open()
    labels = set(vault.near["passages"].labels().tolist())
    assert labels == {row for row, _, _ in vault.catalog.keys("passages")}
    assert vault.near["passages"].churn == 3
    vault.fill(again)
    assert (again.embedded, vault.near["passages"].churn) == (0, 0)


def test_vectors_that_are_none_are_made_again(vault: Vault) -> None:
    vault.put("a.md", *(f"text {n}" for n in range(12)))
    vault.fill(vault.open())
    vault.store.close()
    db = sqlite3.connect(vault.base / "vectors.sqlite")
    keys = [key for (key,) in db.execute("SELECT key FROM vectors ORDER BY key")]
    bad = [b"", b"short", np.full(DIMS, np.nan, np.float16).tobytes(), np.full(DIMS, 9, np.float16).tobytes()]
    db.executemany("UPDATE vectors SET v = ? WHERE key = ?", list(zip(bad, keys, strict=False)))
    db.commit()
    db.close()
    backfill = vault.open()
    vault.fill(backfill)
    assert backfill.embedded == len(bad)
    assert vault.catalog.count_waiting() == 0


def test_a_store_damaged_while_it_is_used_is_begun_anew(vault: Vault) -> None:
    vault.put("a.md", "one", "two")
    backfill = vault.open()
    vault.fill(backfill)
    vault.put("a.md", "one", "two", "three")
    torn = sqlite3.DatabaseError("database disk image is malformed")
    torn.sqlite_errorcode = sqlite3.SQLITE_CORRUPT

    class Torn:
        def execute(self, *_: object) -> None:
            raise torn

        def close(self) -> None:
            pass

    vault.store._db = Torn()  # type: ignore[assignment]
    vault.fill(backfill)
    assert vault.catalog.count_waiting() == 0
    assert vault.store.count() == 4
    assert (vault.base / "vectors.sqlite.damaged").exists()
    assert len(vault.near["passages"]) == 3


def test_answers_go_on_while_an_index_is_built_again(tmp_path: Path) -> None:
    """What is removed meanwhile does not come back; until the end the old index answers."""
    index = VectorIndex(tmp_path / "x.usearch", DIMS, "f")
    model = Model()
    labels = list(range(1, 40))
    vectors = np.stack([model._vector(str(label)) for label in labels])
    index.rebuild({}, [(labels, ["en"] * len(labels), vectors)])
    seen: list[list[int]] = []

    def parts() -> Iterator[tuple[list[int], list[str], FloatArray]]:
        for start in range(0, len(labels), 10):
            part = labels[start : start + 10]
            yield part, ["en"] * len(part), vectors[start : start + 10]
            seen.append([hit.label for hit in index.search(vectors[4], 1)])
            if start == 10:
                index.remove([5, 30])

    mean = vectors.mean(axis=0)
    index.rebuild({"en": mean}, parts())
    assert seen[0] == [5]
    assert len(index) == len(labels) - 2
    assert [hit.label for hit in index.search(centred(vectors[4], mean), 39)].count(5) == 0
    assert index.search(centred(vectors[9], mean), 1)[0].cosine == pytest.approx(1, abs=1e-3)
    assert index.churn == 2
    index.add([5], ["en"], vectors[4:5])
    assert index.search(centred(vectors[4], mean), 1)[0].label == 5
    assert replace(index.search(centred(vectors[4], mean), 1)[0], cosine=0).label == 5
