"""Identity of an embedded text, and the mean vector per language that is taken off before vectors are compared.

Pure. A multilingual model ranks the question's own language first, whatever is said; centring per language removes that
(embeddings.md 12). The vault's own mean is blended with a shipped prior by n / (n + 50), so that small vaults work too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ebbtide.memory.ports import FloatArray

KEY_BYTES = 16
PRIOR_WEIGHT = 50.0
"""How many vectors of its own a vault needs until its mean counts as much as the shipped one."""


def text_key(text: str) -> bytes:
    """The identity of an embedded text, whatever the model: 16 bytes. Each model has a store of its own."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


@dataclass(slots=True)
class Means:
    """The mean vector per language: the vault's own, blended with a shipped prior by n / (n + 50)."""

    dims: int
    prior: Mapping[str, FloatArray] = field(default_factory=dict)
    sums: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, lang: str, vectors: FloatArray) -> None:
        """Count vectors [n, dims] of a language."""
        if len(vectors):
            total = self.sums.setdefault(lang, np.zeros(self.dims))
            total += vectors.sum(axis=0, dtype=np.float64)
            self.counts[lang] = self.counts.get(lang, 0) + len(vectors)

    def of(self, lang: str) -> FloatArray:
        """The blended mean of a language, shape [dims]; zeros where nothing is known."""
        count = self.counts.get(lang, 0)
        prior = self.prior.get(lang)
        weight = PRIOR_WEIGHT if prior is not None else 0.0
        if count + weight == 0:
            return np.zeros(self.dims, dtype=np.float32)
        total = self.sums.get(lang, np.zeros(self.dims)).copy()
        if prior is not None:
            total += weight * prior
        return (total / (count + weight)).astype(np.float32)

    def snapshot(self) -> dict[str, FloatArray]:
        """The means as they are now, for building an index with them."""
        return {lang: self.of(lang) for lang in sorted({*self.prior, *self.sums})}


def centred(vectors: FloatArray, mean: FloatArray) -> FloatArray:
    """Vectors minus their language's mean, length 1 again; shape kept. A vector equal to the mean stays zero."""
    moved = vectors - mean
    norms = np.linalg.norm(moved, axis=-1, keepdims=True)
    out: FloatArray = (moved / np.maximum(norms, 1e-9)).astype(np.float32)
    return out
