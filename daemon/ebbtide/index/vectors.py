"""Vectors: a store of raw ones that outlives every rebuild, and USearch over centred ones.

`VectorStore` (SQLite, a file a model) maps the hash of the exact embedded text to the raw vector (f16); as long as it
lives nothing is embedded twice, whatever is renamed, restarted or rebuilt. `VectorIndex` (USearch, f16, cosine) holds the same
vectors centred per language (embeddings.md 12) under the labels of the catalogue. Below `exact_below` vectors the search is exact.

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
from collections.abc import Iterable, Mapping, Sequence
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


class VectorStore:
    """Raw vectors by key, float16, in one SQLite file. Safe from any thread."""

    def __init__(self, path: Path, db: sqlite3.Connection, dims: int) -> None:
        self.path, self._db, self.dims = path, db, dims
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path, dims: int) -> VectorStore:
        """Open or create. Raises IndexDamaged when the file is not usable; moved aside, every text is embedded again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("CREATE TABLE IF NOT EXISTS vectors(key BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID")
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise IndexDamaged(f"{path} is damaged.", "Its texts are embedded again.")
        except sqlite3.DatabaseError as error:
            db.close()
            raise IndexDamaged(f"{path} cannot be read: {error}.", "Its texts are embedded again.") from error
        except IndexDamaged:
            db.close()
            raise
        return cls(path, db, dims)

    def close(self) -> None:
        """Close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._db.close()

    def put(self, keys: Sequence[bytes], vectors: FloatArray) -> None:
        """Keep vectors [n, dims]; durable when it returns (up to the operating system's own loss of power)."""
        rows = [(key, vector.astype(np.float16).tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?)", rows)
            self._db.execute("COMMIT")

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys that have a vector."""
        out: set[bytes] = set()
        with self._lock:
            for start in range(0, len(keys), 500):
                part = keys[start : start + 500]
                marks = ",".join("?" * len(part))
                out.update(bytes(r[0]) for r in self._db.execute(f"SELECT key FROM vectors WHERE key IN ({marks})", part))  # noqa: S608
        return out

    def get(self, keys: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Vectors [dims] by key; keys without one (or with one of another size) are left out."""
        out: dict[bytes, FloatArray] = {}
        with self._lock:
            for start in range(0, len(keys), 500):
                part = keys[start : start + 500]
                marks = ",".join("?" * len(part))
                for key, blob in self._db.execute(f"SELECT key, v FROM vectors WHERE key IN ({marks})", part):  # noqa: S608
                    if len(blob) == 2 * self.dims:
                        out[bytes(key)] = np.frombuffer(blob, dtype=np.float16).astype(np.float32)
        return out

    def count(self) -> int:
        """How many vectors are kept."""
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM vectors").fetchone()[0])


class VectorIndex:
    """Nearest neighbours over centred vectors of one kind (passages or facts). Safe from any thread.

    `means` are those the vectors inside were centred with; `drifted` tells when a rebuild is due.
    """

    def __init__(self, path: Path, dims: int, fingerprint: str, exact_below: int = 20_000) -> None:
        self.path, self.dims, self.fingerprint, self.exact_below = path, dims, fingerprint, exact_below
        self.means: dict[str, FloatArray] = {}
        self._removed = 0
        self._dirty = False
        self._lock = threading.RLock()
        self._index = self._new()

    def _new(self) -> Any:
        return Index(ndim=self.dims, metric="cos", dtype="f16", connectivity=16, expansion_add=128, expansion_search=128)

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

    def reset(self, means: Mapping[str, FloatArray]) -> None:
        """Empty the index; what is added from now on is centred with these means."""
        with self._lock:
            self._index = self._new()
            self.means = {lang: mean.copy() for lang, mean in means.items()}
            self._removed, self._dirty = 0, True

    def add(self, labels: Sequence[int], langs: Sequence[str], vectors: FloatArray) -> None:
        """Add raw vectors [n, dims] under new labels; one that is already inside is replaced."""
        if not len(labels):
            return
        rows = np.stack([self._centre(vector, lang) for vector, lang in zip(vectors, langs, strict=True)])
        unique: dict[int, int] = {label: i for i, label in enumerate(labels)}  # a repeat inside a batch would stop it half way
        keys = np.fromiter(unique, dtype=np.uint64, count=len(unique))
        rows = rows[list(unique.values())]
        with self._lock:
            present = self._index.contains(keys)
            if np.any(present):
                self._remove(keys[present])
            self._index.add(keys, rows.astype(np.float16), threads=1)
            if len(self._index) >= self.exact_below * 2.5:
                self._index.expansion_search = 256
            self._dirty = True

    def _centre(self, vector: FloatArray, lang: str) -> FloatArray:
        mean = self.means.get(lang)
        return centred(vector, mean) if mean is not None else vector

    def _remove(self, keys: npt.NDArray[np.uint64]) -> None:
        for key in keys:
            self._removed += int(bool(self._index.remove(int(key))))
        self._dirty = True

    def remove(self, labels: Iterable[int]) -> None:
        """Remove labels; unknown ones are passed over."""
        with self._lock:
            self._remove(np.fromiter(labels, dtype=np.uint64))

    def drifted(self, means: Mapping[str, FloatArray]) -> bool:
        """True when the means have moved so far, or so much was removed, that the index should be built again."""
        with self._lock:
            if self._removed > REBUILD_CHURN * max(64, len(self._index)):
                return True
            zero = np.zeros(self.dims, dtype=np.float32)
            return any(float(np.linalg.norm(mean - self.means.get(lang, zero))) > MEAN_DRIFT for lang, mean in means.items())

    # --- searching --------------------------------------------------------------------------------------------------


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

    def cosines(self, vector: FloatArray, labels: Sequence[int]) -> dict[int, float]:
        """Exact cosines of a centred query to given labels; labels without a vector are left out."""
        if not len(labels):
            return {}
        keys = np.asarray(labels, dtype=np.uint64)
        with self._lock:
            keys = keys[np.asarray(self._index.contains(keys))]
            if not len(keys):
                return {}
            rows = np.asarray(self._index.get(keys, dtype="f16"), dtype=np.float32)
        norms = np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
        return dict(zip(keys.tolist(), ((rows @ vector) / norms).tolist(), strict=True))

    # --- files ------------------------------------------------------------------------------------------------------

    @property
    def _sidecar(self) -> Path:
        return self.path.with_suffix(".json")

    def save(self, generation: str) -> None:
        """Write index and sidecar durably, each by rename; a kill at any moment leaves the old pair or none that matches."""
        with self._lock:
            if not self._dirty and self.path.exists():
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self.path.with_suffix(".new")
            self._index.save(str(temporary))
            means = {lang: [float(x) for x in mean] for lang, mean in self.means.items()}
            side = {
                "fingerprint": self.fingerprint, "generation": generation, "count": len(self._index), "removed": self._removed,
                "size": temporary.stat().st_size, "checksum": _checksum(temporary), "means": means,
            }
            self._dirty = False
        _fsync(temporary)
        side_temporary = self._sidecar.with_suffix(".json.new")
        side_temporary.write_text(json.dumps(side), encoding="utf-8")
        _fsync(side_temporary)
        os.replace(temporary, self.path)  # noqa: PTH105 - Path.replace is the same call; both are renames within a folder
        os.replace(side_temporary, self._sidecar)  # noqa: PTH105

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
            self._index, self.means, self._removed, self._dirty = index, means, int(side["removed"]), False
        return True


def _checksum(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _fsync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
