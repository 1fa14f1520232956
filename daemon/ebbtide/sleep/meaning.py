"""How close two sentences are in meaning, by the vault's model: each sentence is embedded once, and its vector kept in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ebbtide.index.means import centred, text_key
from ebbtide.memory.ports import Embedder, FloatArray, VectorStore
from ebbtide.parse.text import language


@dataclass(slots=True)
class Meaning:
    """`memory.conflict_claim.Nearness` over a model. `means` are the shipped ones of facts, by language, so that what a night
    decides does not depend on how much of the vault is embedded; `store` is None where nothing may be written."""

    embedder: Embedder
    store: VectorStore | None
    means: Mapping[str, FloatArray]
    _known: dict[str, FloatArray] = field(default_factory=dict)

    def __call__(self, a: str, b: str) -> float | None:
        """Cosine of two sentences, centred by language."""
        return float(self._vector(a) @ self._vector(b))

    def _vector(self, text: str) -> FloatArray:
        if text not in self._known:
            key = text_key(text)
            found = self.store.get([key]).get(key) if self.store is not None else None
            if found is None:
                [(_, rows)] = list(self.embedder.iter_batches([text]))
                found = rows[0].astype(np.float16).astype(np.float32)  # as the store gives it back
                if self.store is not None:
                    self.store.put([key], found[None, :])
            mean = self.means.get(language(text))
            zero = np.zeros(len(found), dtype=np.float32)
            self._known[text] = centred(found, zero if mean is None else mean)
        return self._known[text]
