"""How close short spans are in meaning, by the local model: few, cached, and only where a rule asks."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from ebbtide.memory.conflict_claim import Nearness
from ebbtide.memory.errors import ModelUnavailable
from ebbtide.memory.ports import FloatArray
from ebbtide.parse.text import language

log = logging.getLogger(__name__)

MOST_SPANS = 600
"""Spans that are embedded at most; what is asked beyond them is not known."""
LONGEST_SPAN = 60


def open_nearness(models: Path, named: str = "", threads: int = 1) -> Nearness | None:
    """Cosine of two spans, centred by language; None without a model. `named`: a model's folder, else the default in `models`."""
    try:
        from ebbtide.index.embed import OnnxEmbedder
        from ebbtide.index.modelfile import ensure_default_model
        from ebbtide.index.priors import load_priors

        embedder = OnnxEmbedder.open(Path(named).expanduser() if named else ensure_default_model(models, None), threads)
    except ModelUnavailable as error:
        log.warning("no embedding model: %s", error)
        return None
    means = load_priors(embedder.fingerprint).get("facts", {})
    known: dict[str, FloatArray] = {}

    def vector(span: str) -> FloatArray | None:
        if span not in known:
            if len(known) >= MOST_SPANS or len(span) > LONGEST_SPAN:
                return None
            raw = embedder.embed_passages([span])[0]
            mean = means.get(language(span))
            row = raw if mean is None else raw - mean
            known[span] = row / max(float(np.linalg.norm(row)), 1e-9)
        return known[span]

    def nearness(a: str, b: str) -> float | None:
        one, two = vector(a), vector(b)
        return None if one is None or two is None else float(one @ two)

    return nearness
