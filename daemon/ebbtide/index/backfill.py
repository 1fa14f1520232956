"""Vectors for every text that has none, by priority, resumable after a kill at any moment.

A round takes the most wanted texts (just saved, then newest and most linked; passages before facts), gives those the store
already knows without embedding them, and embeds the rest batch by batch. Each batch is durable in the store before the next begins, so a
kill costs at most one batch; marks in the catalogue follow at the end of the round and are derivable from the store.
One thread calls this; searches go on beside it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ebbtide.index.catalog import KINDS, Catalog, Waiting
from ebbtide.index.means import Means
from ebbtide.memory.ports import Embedder, FloatArray, VectorIndex, VectorStore

log = logging.getLogger(__name__)

ROUND = 256
"""Texts a round: enough to sort by length, few enough that a saved note waits for no more than the batch under way."""
REBUILD_GROWTH = 1.5
"""The means are looked at again when a kind has grown by this factor: they move fast only while there is little."""
_SLICE = 5000


class Backfill:
    """Keeps the vector indexes in step with the catalogue."""

    def __init__(
        self, catalog: Catalog, store: VectorStore, near: Mapping[str, VectorIndex], embedder: Embedder,
        priors: Mapping[str, Mapping[str, FloatArray]],
    ) -> None:
        self.catalog, self.store, self.near, self.embedder = catalog, store, near, embedder
        self.means = {kind: Means(embedder.dims, priors.get(kind, {})) for kind in KINDS}
        self._checked = dict.fromkeys(KINDS, 0)
        self.embedded = 0
        """Texts that were really embedded since opening: what tests and status count."""

    # --- opening --------------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Bring saved indexes in, or build them from the store; then repair what a kill left behind."""
        generation = self._generation()
        if self.catalog.meta("fingerprint") != self.embedder.fingerprint:
            for kind in KINDS:
                self.catalog.mark_unready(kind)
            self.catalog.set_meta("fingerprint", self.embedder.fingerprint)
        for kind in KINDS:
            index = self.near[kind]
            if not (index.load(generation) and self._load_means(kind)):
                self._build(kind)
                continue
            wanted = {row: (lang, key) for row, lang, key in self.catalog.keys(kind, ready=True)}
            inside = set(index.labels().tolist())
            index.remove(sorted(inside - wanted.keys()))
            missing = [(row, *wanted[row]) for row in sorted(wanted.keys() - inside)]
            self._add_known(kind, missing, count=True)

    def rebuild(self) -> None:
        """Build both vector indexes again from the store."""
        for kind in KINDS:
            self._build(kind)

    def _generation(self) -> str:
        return self.catalog.meta("generation") or ""

    def _build(self, kind: str) -> None:
        """Build an index from the store: means first, then every vector centred with them. Embeds nothing."""
        rows = self.catalog.keys(kind)
        means = Means(self.embedder.dims, self.means[kind].prior)
        for start in range(0, len(rows), _SLICE):
            part = rows[start : start + _SLICE]
            found = self.store.get([key for _, _, key in part])
            for lang in sorted({lang for _, lang, _ in part}):
                vectors = [found[key] for _, l, key in part if l == lang and key in found]
                if vectors:
                    means.add(lang, np.stack(vectors))
        self.means[kind] = means
        self.near[kind].reset(means.snapshot())
        self._checked[kind] = sum(means.counts.values())
        self._add_known(kind, rows, count=False)

    def _add_known(self, kind: str, rows: Sequence[tuple[int, str, bytes]], *, count: bool) -> None:
        for start in range(0, len(rows), _SLICE):
            part = rows[start : start + _SLICE]
            found = self.store.get([key for _, _, key in part])
            have = [(row, lang, key) for row, lang, key in part if key in found]
            self._take_in(kind, have, [found[key] for _, _, key in have], count=count)
            self.catalog.mark_ready((kind, row) for row, _, _ in have)
            lost = [row for row, _, key in part if key not in found]
            self.catalog.mark_unready(kind, lost)

    def _take_in(
        self, kind: str, rows: Sequence[tuple[int, str, bytes]], vectors: Sequence[FloatArray], *, count: bool = True
    ) -> None:
        if not rows:
            return
        stacked = np.stack(vectors)
        langs = [lang for _, lang, _ in rows]
        self.near[kind].add([row for row, _, _ in rows], langs, stacked)
        if count:
            for lang in sorted(set(langs)):
                self.means[kind].add(lang, stacked[[i for i, l in enumerate(langs) if l == lang]])

    # --- rounds -----------------------------------------------------------------------------------------------------------

    def round(self, interrupted: Callable[[], bool]) -> int:
        """One round; returns how many texts got their vector (0: nothing is waiting). `interrupted` is asked between batches."""
        waiting = self.catalog.waiting(ROUND)
        if not waiting:
            return 0
        known = self.store.get([item.key for item in waiting])
        done: list[tuple[str, int]] = []
        self._settle([w for w in waiting if w.key in known], known, done)
        fresh: dict[bytes, list[Waiting]] = {}
        for item in waiting:
            if item.key not in known:
                fresh.setdefault(item.key, []).append(item)
        keys = list(fresh)
        try:
            for indices, vectors in self.embedder.iter_batches([fresh[key][0].embed for key in keys]):
                batch = [keys[i] for i in indices]
                self.store.put(batch, vectors)
                self.embedded += len(batch)
                # What is searched is what is stored: half precision, so that a restart changes no answer.
                rounded = vectors.astype(np.float16).astype(np.float32)
                self._settle([w for key in batch for w in fresh[key]], dict(zip(batch, rounded, strict=True)), done)
                if interrupted():
                    break
        finally:
            self.catalog.mark_ready(done)
        self._follow_means()
        return len(done)

    def _settle(self, items: Sequence[Waiting], vectors: Mapping[bytes, FloatArray], done: list[tuple[str, int]]) -> None:
        for kind in KINDS:
            mine = [item for item in items if item.kind == kind]
            self._take_in(kind, [(i.row, i.lang, i.key) for i in mine], [vectors[i.key] for i in mine])
            done += [(kind, item.row) for item in mine]

    def _follow_means(self) -> None:
        for kind in KINDS:
            size = sum(self.means[kind].counts.values())
            if size >= REBUILD_GROWTH * max(32, self._checked[kind]):
                self._checked[kind] = size
                if self.near[kind].drifted(self.means[kind].snapshot()):
                    log.info("the mean vectors of %s have moved: building their index again", kind)
                    self._build(kind)

    # --- closing ----------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write indexes and means; cheap when nothing changed."""
        for kind in KINDS:
            if self.near[kind].drifted(self.means[kind].snapshot()):
                self._build(kind)
            self.near[kind].save(self._generation())
            state = self.means[kind]
            record = {lang: [state.counts[lang], [float(x) for x in state.sums[lang]]] for lang in state.sums}
            self.catalog.set_meta(f"means-{kind}", json.dumps(record))

    def _load_means(self, kind: str) -> bool:
        raw = self.catalog.meta(f"means-{kind}")
        if raw is None:
            return False
        for lang, (count, total) in json.loads(raw).items():
            if len(total) != self.embedder.dims:
                return False
            self.means[kind].counts[lang] = int(count)
            self.means[kind].sums[lang] = np.asarray(total, dtype=np.float64)
        self._checked[kind] = sum(self.means[kind].counts.values())
        return True
