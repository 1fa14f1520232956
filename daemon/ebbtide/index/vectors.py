"""Vectors: a store of raw ones that outlives every rebuild, and USearch over centred ones.

`VectorStore` (SQLite, a file a model) maps the hash of the exact embedded text to the raw vector (f16); as long as it lives
nothing is embedded twice, whatever is renamed, restarted or rebuilt. `VectorIndex` (USearch, f16, cosine) holds the same
vectors centred per language (embeddings.md 12) under the labels of the catalogue. Below `exact_below` vectors the search is
exact.

USearch's `save` overwrites in place and a kill leaves a torn file (embeddings.md 7): we save to a temporary name, fsync and
rename, and keep a sidecar with length, checksum, model and means; on any mismatch the index is built again from the store.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ebbtide.index.means import centred
from ebbtide.index.native import Index
from ebbtide.memory.errors import IndexDamaged
from ebbtide.memory.ports import FloatArray, VectorHit

REBUILD_CHURN = 0.25
"""Share of removals since the last build past which the graph has lost recall and is built again."""
MEAN_DRIFT = 0.02
"""Euclidean move of a language's mean past which the centred vectors are built again (embeddings.md, Decisions)."""
_PART = 500
_LENGTH_SLACK = 0.01


class VectorStore:
    """Raw vectors by key, float16, in one SQLite file. Safe from any thread, and for several processes at once."""

    def __init__(self, path: Path, dims: int) -> None:
        self.path, self.dims = path, dims
        self._lock = threading.Lock()
        self._db = self._connect()

    @classmethod
    def open(cls, path: Path, dims: int) -> VectorStore:
        """Open or create. One that is not usable is put aside, and its texts are embedded again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return cls(path, dims)
        except IndexDamaged:
            _put_aside(path)
            return cls(path, dims)

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")
            sound = db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        except sqlite3.DatabaseError as error:
            db.close()
            raise IndexDamaged(f"{self.path} cannot be read: {error}.", "Its texts are embedded again.") from error
        if not sound:
            db.close()
            raise IndexDamaged(f"{self.path} is damaged.", "Its texts are embedded again.")
        return db

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise IndexDamaged(f"{self.path} is damaged: {error}.", "Its texts are embedded again.") from error
            raise

    def reset(self) -> None:
        """Put the file aside and begin an empty one: what it held is embedded again."""
        with self._lock:
            self._db.close()
            _put_aside(self.path)
            self._db = self._connect()

    def close(self) -> None:
        """Close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._db.close()

    def put(self, keys: Sequence[bytes], vectors: FloatArray) -> None:
        """Keep vectors [n, dims]; durable when it returns (up to the operating system's own loss of power)."""
        rows = [(key, vector.astype(np.float16).tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._lock, self._guarded():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?)", rows)
                self._db.execute("COMMIT")
            except sqlite3.Error:
                with contextlib.suppress(sqlite3.Error):  # SQLite itself rolls back when the disk is full
                    self._db.execute("ROLLBACK")
                raise

    def get(self, keys: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Vectors [dims] by key; keys without a sound one (of this size, of length 1) are left out."""
        found: list[tuple[bytes, bytes]] = []
        with self._lock, self._guarded():
            for start in range(0, len(keys), _PART):
                part = keys[start : start + _PART]
                marks = ",".join("?" * len(part))
                found += self._db.execute(f"SELECT key, v FROM vectors WHERE key IN ({marks})", part)  # noqa: S608 - question marks
        whole = [(bytes(key), blob) for key, blob in found if len(blob) == 2 * self.dims]
        if not whole:
            return {}
        vectors = np.frombuffer(b"".join(blob for _, blob in whole), dtype=np.float16).astype(np.float32)
        vectors = vectors.reshape(len(whole), self.dims)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.linalg.norm(vectors, axis=1)
        sound = np.abs(lengths - 1) < _LENGTH_SLACK  # a flipped byte makes another length, or none
        return {key: vectors[i] for i, (key, _) in enumerate(whole) if sound[i]}

    def count(self) -> int:
        """How many vectors are kept."""
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM vectors").fetchone()[0])


def _put_aside(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        with contextlib.suppress(FileNotFoundError):
            file.replace(file.with_name(file.name + ".damaged"))


class VectorIndex:
    """Nearest neighbours over centred vectors of one kind (passages or facts). Safe from any thread.

    `means` are those the vectors inside were centred with; `drifted` tells when a rebuild is due.
    """

    def __init__(self, path: Path, dims: int, fingerprint: str, exact_below: int = 20_000) -> None:
        self.path, self.dims, self.fingerprint, self.exact_below = path, dims, fingerprint, exact_below
        self.means: dict[str, FloatArray] = {}
        self.churn = 0
        """Vectors that came or went since the whole was last built in one go."""
        self._removed = 0
        self._leaving: set[int] | None = None
        self._dirty = False
        self._lock = threading.RLock()
        self._index = self._new()

    def _new(self) -> Any:
        return Index(
            ndim=self.dims, metric="cos", dtype="f16", connectivity=16, expansion_add=128, expansion_search=128
        )

    def __len__(self) -> int:
        with self._lock:
            return len(self._index)

    def labels(self) -> npt.NDArray[np.uint64]:
        """Every label inside, sorted."""
        with self._lock:
            if not len(self._index):
                return np.zeros(0, dtype=np.uint64)
            return np.sort(np.fromiter(self._index.keys, dtype=np.uint64, count=len(self._index)))

    # --- building ---------------------------------------------------------------------------------------------------

    def rebuild(
        self, means: Mapping[str, FloatArray], parts: Iterable[tuple[Sequence[int], Sequence[str], FloatArray]]
    ) -> None:
        """Build anew from (labels, languages, raw vectors), centred with these means, and take its place at once.

        Until then the old one answers; what is removed from it meanwhile does not come back.
        """
        means = {lang: mean.copy() for lang, mean in means.items()}
        index = self._new()
        leaving: set[int] = set()
        with self._lock:
            self._leaving = leaving
        try:
            for labels, langs, vectors in parts:
                _insert(index, labels, _centre(langs, vectors, means))
            with self._lock:
                for label in leaving:
                    index.remove(label)
                self._index, self.means = index, means
                self._removed, self.churn, self._dirty = 0, len(leaving), True
                self._widen()
        finally:
            self._leaving = None

    def add(self, labels: Sequence[int], langs: Sequence[str], vectors: FloatArray) -> None:
        """Add raw vectors [n, dims] under new labels; one that is already inside is replaced."""
        if not len(labels):
            return
        rows = _centre(langs, vectors, self.means)
        with self._lock:
            present = self._index.contains(np.asarray(labels, dtype=np.uint64))
            self._remove([label for label, there in zip(labels, np.atleast_1d(present), strict=True) if there])
            _insert(self._index, labels, rows)
            self.churn += len(labels)
            self._dirty = True
            self._widen()

    def _widen(self) -> None:
        if len(self._index) >= self.exact_below * 2.5:
            self._index.expansion_search = 256

    def _remove(self, labels: Iterable[int]) -> None:
        for label in labels:
            gone = int(bool(self._index.remove(int(label))))
            self._removed += gone
            self.churn += gone
            self._dirty = self._dirty or bool(gone)
            if self._leaving is not None:
                self._leaving.add(int(label))

    def remove(self, labels: Iterable[int]) -> None:
        """Remove labels; unknown ones are passed over."""
        with self._lock:
            self._remove(labels)

    def drifted(self, means: Mapping[str, FloatArray]) -> bool:
        """True when the means have moved so far, or so much was removed, that the index should be built again."""
        with self._lock:
            if self._removed > REBUILD_CHURN * max(64, len(self._index)):
                return True
            zero = np.zeros(self.dims, dtype=np.float32)
            return any(
                float(np.linalg.norm(mean - self.means.get(lang, zero))) > MEAN_DRIFT for lang, mean in means.items()
            )

    # --- searching ----------------------------------------------------------------------------------------------------

    def search(self, vector: FloatArray, limit: int) -> list[VectorHit]:
        """The nearest to a centred query, best first, ties by label. Exact below `exact_below` vectors."""
        with self._lock:
            size = len(self._index)
            if not size:
                return []
            exact = size < self.exact_below
            found = self._index.search(vector.astype(np.float16), min(limit, size), threads=1, exact=exact)
            labels, distances = np.asarray(found.keys), np.asarray(found.distances)
        order = sorted(zip(labels.tolist(), (1.0 - distances).tolist(), strict=True), key=lambda x: (-x[1], x[0]))
        return [VectorHit(label, cosine) for label, cosine in order]

    def neighbours(self, label: int, limit: int) -> list[VectorHit]:
        """The nearest to a vector inside, itself left out, best first; nearly exact. Empty if it is not inside."""
        with self._lock:
            if not self._index.contains(int(label)):
                return []
            found = self._index.search(self._index.get(int(label), dtype="f16"), limit + 1, threads=1)
            labels, distances = np.asarray(found.keys), np.asarray(found.distances)
        order = sorted(zip(labels.tolist(), (1.0 - distances).tolist(), strict=True), key=lambda x: (-x[1], x[0]))
        return [VectorHit(other, cosine) for other, cosine in order if other != label][:limit]

    def cosines(self, vector: FloatArray, labels: Sequence[int]) -> dict[int, float]:
        """Exact cosines of a centred query to given labels; labels without a vector are left out."""
        keys, rows, norms = self._rows(labels)
        return dict(zip(keys, ((rows @ vector) / norms).tolist(), strict=True))

    def vectors(self, labels: Sequence[int]) -> dict[int, FloatArray]:
        """The centred vectors [dims] of given labels, length 1; labels without one are left out."""
        keys, rows, norms = self._rows(labels)
        return dict(zip(keys, rows / norms[:, None], strict=True))

    def _rows(self, labels: Sequence[int]) -> tuple[list[int], FloatArray, FloatArray]:
        """Those of the labels that are inside, their vectors [n, dims] as they are stored, and the lengths of these [n]."""
        keys = np.asarray(labels, dtype=np.uint64)
        with self._lock:
            if len(keys):
                keys = keys[np.asarray(self._index.contains(keys))]
            if not len(keys):
                return [], np.zeros((0, self.dims), dtype=np.float32), np.ones(0, dtype=np.float32)
            rows = np.asarray(self._index.get(keys, dtype="f16"), dtype=np.float32)
        norms: FloatArray = np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
        return keys.tolist(), rows, norms

    # --- files ------------------------------------------------------------------------------------------------------

    @property
    def _sidecar(self) -> Path:
        return self.path.with_suffix(".json")

    def save(self, generation: str) -> None:
        """Write index and sidecar durably, each by rename; a kill at any moment leaves the old pair or none that matches."""
        temporary, side_temporary = self.path.with_suffix(".new"), self._sidecar.with_suffix(".json.new")
        with self._lock:
            if not self._dirty and self.path.exists():
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._index.save(str(temporary))
            means = {lang: [float(x) for x in mean] for lang, mean in self.means.items()}
            side: dict[str, Any] = {
                "fingerprint": self.fingerprint,
                "generation": generation,
                "count": len(self._index),
            }
            side |= {"removed": self._removed, "churn": self.churn, "means": means}
            self._dirty = False
        try:
            side |= {"size": temporary.stat().st_size, "checksum": _checksum(temporary)}
            _fsync(temporary)
            side_temporary.write_text(json.dumps(side), encoding="utf-8")
            _fsync(side_temporary)
            temporary.replace(self.path)
            side_temporary.replace(self._sidecar)
        except OSError:
            self._dirty = True
            raise

    def load(self, generation: str) -> bool:
        """Read a saved index; False (and empty) if it is missing, torn, altered, or was made for another model or catalogue."""
        try:
            side = json.loads(self._sidecar.read_text(encoding="utf-8"))
            size, checksum = side["size"], side["checksum"]
            if side["fingerprint"] != self.fingerprint or side["generation"] != generation:
                return False
            if self.path.stat().st_size != size or _checksum(self.path) != checksum:
                return False
            index = self._new()
            index.load(str(self.path))
            if len(index) != side["count"]:
                return False
            means = {lang: np.asarray(mean, dtype=np.float32) for lang, mean in side["means"].items()}
            if any(mean.shape != (self.dims,) for mean in means.values()):
                return False
        except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError):
            return False
        with self._lock:
            self._index, self.means, self._dirty = index, means, False
            self._removed, self.churn = int(side["removed"]), int(side["churn"])
            self._widen()
        return True


def _centre(langs: Sequence[str], vectors: FloatArray, means: Mapping[str, FloatArray]) -> FloatArray:
    """Each vector without its language's mean; those of a language without one stay as they are."""
    out = np.array(vectors, dtype=np.float32)
    for lang in set(langs) & means.keys():
        mine = [i for i, other in enumerate(langs) if other == lang]
        out[mine] = centred(out[mine], means[lang])
    return out


def _insert(index: Any, labels: Sequence[int], rows: FloatArray) -> None:
    """Add vectors; of a label that comes twice the last counts (USearch would stop half way)."""
    last = {int(label): i for i, label in enumerate(labels)}
    index.add(
        np.fromiter(last, dtype=np.uint64, count=len(last)), rows[list(last.values())].astype(np.float16), threads=1
    )


def _checksum(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _fsync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
