"""How unlike its nearest neighbours each note is, from stored vectors: nothing is embedded. Pure.

A note is as many vectors as it has passages; what is new in it may be one of them. Its figure is the mean over its
passages of 1 - the mean cosine to the five nearest passages of other notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ebbtide.memory.ports import FloatArray

NEAREST: Final = 5
_BLOCK: Final = 512


def unlikeness(labels: Sequence[int], owners: Sequence[int], vectors: FloatArray) -> dict[int, float]:
    """Label -> 1 - mean cosine to the nearest passages of other owners, in [0, 1]; 1 where there are no others.

    `vectors` [n, dims] are centred and of length 1, `owners` [n] the files of the passages; the first of them are those
    asked about, under their `labels`, and the rest is only compared with.
    """
    out: dict[int, float] = {}
    belongs = np.asarray(owners)
    for start in range(0, len(labels), _BLOCK):
        end = min(start + _BLOCK, len(labels))
        cosines = vectors[start:end] @ vectors.T
        cosines[belongs[start:end, None] == belongs[None, :]] = -np.inf
        count = min(NEAREST, cosines.shape[1])
        best = np.partition(cosines, cosines.shape[1] - count, axis=1)[:, -count:]
        for label, row in zip(labels[start:end], best, strict=True):
            near = row[np.isfinite(row)]
            out[label] = float(np.clip(1.0 - near.mean(), 0.0, 1.0)) if near.size else 1.0
    return out


def of_notes(unlike: Mapping[int, float], owner: Mapping[int, int]) -> dict[int, float]:
    """File -> the mean over its passages, of those that have one; rounded, so that it is the same on every machine."""
    found: dict[int, list[float]] = {}
    for label, value in unlike.items():
        found.setdefault(owner[label], []).append(value)
    return {file: round(sum(values) / len(values), 6) for file, values in found.items()}


def closest(vectors: FloatArray, core: FloatArray, owners: Sequence[int]) -> dict[int, float]:
    """Owner -> the greatest cosine of any of these vectors [n, dims] to any of the owner's in `core` [m, dims]."""
    out: dict[int, float] = {}
    if not len(vectors) or not len(owners):
        return out
    for owner, value in zip(owners, (vectors @ core.T).max(axis=0).tolist(), strict=True):
        out[owner] = max(out.get(owner, -1.0), round(value, 6))
    return out
