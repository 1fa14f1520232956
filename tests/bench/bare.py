"""The yardsticks: onnxruntime over the same token batches with nothing around it, and read + tokenise + Tantivy alone."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from ebbtide.index.embed import OnnxEmbedder  # onnxruntime comes before USearch: index/native.py
from ebbtide.index.modelfile import ensure_default_model
from ebbtide.index.text import TantivyIndex
from ebbtide.runtime import open_runtime

from . import vaults
from .live import environment

ROUND = 256
"""Texts that are sorted by length together, as `index.backfill` does it."""


def model_folder() -> Path:
    """The default model in the user's cache, converted now if it never was."""
    return ensure_default_model(Path(platformdirs.user_cache_dir("ebbtide", appauthor=False)) / "models")


class _Tape:
    """Stands where the session is, and keeps what it is given instead of running it."""

    def __init__(self, dims: int) -> None:
        self.dims, self.feeds = dims, list[tuple[Any, Any]]()

    def run(self, outputs: Any, feed: Any) -> list[Any]:
        self.feeds.append((outputs, feed))
        return [np.ones((len(feed["input_ids"]), self.dims), np.float32)]


class BareLoop:
    """`session.run` and nothing else, over token batches made beforehand by the product's own embedder."""

    def __init__(self, threads: int = 1) -> None:
        self.embedder = OnnxEmbedder.open(model_folder(), threads)
        self._session: Any = self.embedder._session
        self.texts, self.seconds = 0, 0.0

    def batches(self, texts: Sequence[str]) -> list[tuple[Any, Any]]:
        """The token batches that the product makes of these texts."""
        tape = _Tape(self.embedder.dims)
        self.embedder._session = tape
        try:
            for _ in self.embedder.iter_batches(texts):
                pass
        finally:
            self.embedder._session = self._session
        return tape.feeds

    def run(self, texts: Sequence[str], feeds: Sequence[tuple[Any, Any]] | None = None) -> float:
        """Seconds for these texts; counted in `rate`."""
        feeds = self.batches(texts) if feeds is None else feeds
        before = time.perf_counter()
        for outputs, feed in feeds:
            self._session.run(outputs, feed)
        spent = time.perf_counter() - before
        self.texts, self.seconds = self.texts + len(texts), self.seconds + spent
        return spent

    @property
    def rate(self) -> float:
        """Texts a second so far."""
        return self.texts / self.seconds if self.seconds else 0.0


def catalogue_texts(work: Path) -> list[str]:
    """Every distinct text that wants a vector, from a running daemon's catalogue, in an order of chance (but always the same)."""
    found: set[str] = set()
    for file in (work / "cache" / "vaults").glob("*/catalog.sqlite"):
        db = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)
        for kind in ("passages", "facts"):
            found.update(row[0] for row in db.execute(f"SELECT embed FROM {kind}"))
        db.close()
    texts = sorted(found)
    random.Random(vaults.SEED).shuffle(texts)
    return texts


def stored_vectors(work: Path) -> int:
    """How many texts have been embedded, ever."""
    total = 0
    for file in (work / "cache" / "vaults").glob("*/vectors-*.sqlite"):
        db = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)
        total += int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])
        db.close()
    return total


# --- keyword side -------------------------------------------------------------------------------------------------


def slices(bench: vaults.Bench, count: int, size: int) -> Iterator[list[str]]:
    """`count` disjoint samples of at most `size` notes."""
    names = list(bench.notes)
    random.Random(vaults.SEED).shuffle(names)
    size = max(1, min(size, len(names) // count))
    return (names[number * size : (number + 1) * size] for number in range(count))


def text_only(root: Path, names: Sequence[str], index: Path) -> float:
    """Seconds to read, tokenise and index these notes with Tantivy, one commit at the end."""
    keyword = TantivyIndex.open(index)
    before = time.perf_counter()
    for name in names:
        text = (root / name).read_bytes().decode("utf-8", "replace")
        keyword.upsert([(name, {"path": name, "title": Path(name).stem, "body": text})])
    keyword.commit()
    spent = time.perf_counter() - before
    keyword.close()
    return spent


def whole_reading(root: Path, work: Path) -> float:
    """Seconds for the product to take in a vault without vectors: read, parse, passages, links, facts, both keyword indexes."""
    runtime = open_runtime(root, read_only=True, environ=environment(work))
    try:
        before = time.perf_counter()
        runtime.sync.reconcile()
        return time.perf_counter() - before
    finally:
        runtime.close()


def reading_ratio(bench: vaults.Bench, work: Path, count: int, size: int) -> dict[str, float]:
    """Read + tokenise + Tantivy against the whole reading, by turns over disjoint samples, first one and then the other first."""
    alone = whole = 0.0
    notes = 0
    for number, names in enumerate(slices(bench, count, size)):
        place = work / f"slice-{number}"
        for name in names:
            (place / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(bench.root / name, place / "vault" / name)
        turns = [
            lambda n=names, p=place: text_only(p / "vault", n, p / "text"),
            lambda p=place: whole_reading(p / "vault", p),
        ]
        if number % 2:
            second, first = turns[1](), turns[0]()
        else:
            first, second = turns[0](), turns[1]()
        alone, whole, notes = alone + first, whole + second, notes + len(names)
        shutil.rmtree(place)
    return {
        "notes": notes,
        "alone_notes_per_s": notes / alone,
        "whole_notes_per_s": notes / whole,
        "ratio": alone / whole,
    }
