"""How close two sentences are in meaning, by the vault's model: each sentence is embedded once, and its vector kept in the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ebbtide.index.means import centred, text_key
from ebbtide.memory.ports import Embedder, FloatArray, VectorStore
from ebbtide.parse.text import language

_BLOCK: Final = 256
"""Sentences that are set against all others at once."""


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

    def pairs(self, texts: Sequence[str], cosine: float, check: Callable[[], None]) -> list[tuple[int, int]]:
        """All pairs of positions, the lower first, of sentences at least so close. `check` is called now and then and may raise."""
        rows = []
        for text in texts:
            check()
            rows.append(self._vector(text))
        out: list[tuple[int, int]] = []
        matrix = np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
        for first in range(0, len(rows), _BLOCK):
            check()
            near = matrix[first : first + _BLOCK] @ matrix.T >= cosine
            out += [(first + int(a), int(b)) for a, b in np.argwhere(near) if first + a < b]
        return out

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
