"""The mean vectors shipped with the default model, so that centring works from the first note on (embeddings.md 12).

`means.json` is made by `daemon/scripts/make_means.py` from texts of this repository, and holds for one model only.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final

import numpy as np

from ebbtide.memory.ports import FloatArray

PRIORS_NAME: Final = "means.json"
PRIOR_KINDS: Final = ("query", "passages", "facts")


def load_priors(fingerprint: str) -> dict[str, dict[str, FloatArray]]:
    """The shipped means, kind -> language -> vector [dims]; kinds are `PRIOR_KINDS`.

    Passages and facts are centred with their own kind's mean, a question with the mean of questions. Empty for a model
    other than the one the means were made with: vectors of two models have nothing to do with each other.
    """
    shipped = json.loads(files("ebbtide.index").joinpath(PRIORS_NAME).read_bytes())
    if shipped["fingerprint"] != fingerprint:
        return {}
    return {
        kind: {lang: np.array(vector, dtype=np.float32) for lang, vector in shipped[kind].items()}
        for kind in PRIOR_KINDS
    }
