"""Vectors for every text that has none, by priority, resumable after a kill at any moment.

A round takes the most wanted texts (just saved, then newest and most linked; passages before facts), gives those the store
already knows without embedding them, and embeds the rest batch by batch. Each batch is durable in the store before the next
begins, so a kill costs at most one batch; marks in the catalogue follow and are derivable from the store.

Vectors are compared after their language's mean is taken off. While a vault is filled the means move, so the index is built
again now and then; when everything is there, `settle` builds it from all vectors at once, and what it answers then depends
on the notes alone, not on the order in which they were read or on what was interrupted.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ebbtide.index.catalog import KINDS, Catalog, Waiting
from ebbtide.index.means import Means
from ebbtide.memory.errors import IndexDamaged
from ebbtide.memory.ports import Embedder, FloatArray, VectorIndex, VectorStore

log = logging.getLogger(__name__)

ROUND = 256
"""Texts a round: enough to sort by length, few enough that a saved note waits for no more than the batch under way."""
REBUILD_GROWTH = 1.5
"""The means are looked at again when a kind has grown by this factor: they move fast only while there is little."""
SETTLE_SHARE = 0.05
"""A running daemon builds an index again for its means once so much of it has come or gone; each start does for less."""
_SLICE = 5000

Rows = Sequence[tuple[int, str, bytes]]


class Backfill:
    """Keeps the vector indexes in step with the catalogue. One thread embeds; others may ask for a rebuild or a save."""

    def __init__(
        self,
        catalog: Catalog,
        store: VectorStore,
        near: Mapping[str, VectorIndex],
        embedder: Embedder,
        priors: Mapping[str, Mapping[str, FloatArray]],
    ) -> None:
        self.catalog, self.store, self.near, self.embedder = catalog, store, near, embedder
        self.means = {kind: Means(embedder.dims, priors.get(kind, {})) for kind in KINDS}
        self._checked = dict.fromkeys(KINDS, 0)
        self._lock = threading.RLock()
        self._asked_for = 0
        self.embedded = 0
        """Texts that were really embedded since opening: what tests and status count."""

    # --- opening ------------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Bring saved indexes in, or build them from the store; then repair what a kill left behind."""
        with self._lock:
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
                self._add_known(kind, [(row, *wanted[row]) for row in sorted(wanted.keys() - inside)])

    def rebuild(self) -> None:
        """Build both vector indexes again from the store."""
        with self.turn():
            for kind in KINDS:
                self._build(kind)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """The lock of the embedding thread, for another one: a round under way ends after its batch."""
        self._asked_for += 1
        try:
            with self._lock:
                yield
        finally:
            self._asked_for -= 1

    def _generation(self) -> str:
        return self.catalog.meta("generation") or ""

    def _build(self, kind: str) -> None:
        """Build an index from the store: means first, then every vector centred with them. Embeds nothing."""
        rows = self.catalog.keys(kind)
        means = Means(self.embedder.dims, self.means[kind].prior)
        for part, found in self._stored(rows):
            _count(means, [(lang, found[key]) for _, lang, key in part if key in found])
        lost: list[int] = []
        have: list[int] = []

        def parts() -> Iterator[tuple[Sequence[int], Sequence[str], FloatArray]]:
            for part, found in self._stored(rows):
                with_vector = [(row, lang, found[key]) for row, lang, key in part if key in found]
                lost.extend(row for row, _, key in part if key not in found)
                have.extend(row for row, _, _ in with_vector)
                if with_vector:
                    yield (
                        [r for r, _, _ in with_vector],
                        [x for _, x, _ in with_vector],
                        np.stack([v for _, _, v in with_vector]),
                    )

        self.near[kind].rebuild(means.snapshot(), parts())
        self.means[kind] = means
        self._checked[kind] = sum(means.counts.values())
        self.catalog.mark_unready(kind, lost)
        self._mark([(kind, row) for row in have])

    def _stored(self, rows: Rows) -> Iterator[tuple[Rows, dict[bytes, FloatArray]]]:
        for start in range(0, len(rows), _SLICE):
            part = rows[start : start + _SLICE]
            yield part, self._known([key for _, _, key in part])

    def _add_known(self, kind: str, rows: Rows) -> None:
        for part, found in self._stored(rows):
            have = [(row, lang, key) for row, lang, key in part if key in found]
            self._take_in(kind, have, [found[key] for _, _, key in have])
            self.catalog.mark_unready(kind, [row for row, _, key in part if key not in found])

    def _take_in(self, kind: str, rows: Rows, vectors: Sequence[FloatArray]) -> None:
        if rows:
            self.near[kind].add([row for row, _, _ in rows], [lang for _, lang, _ in rows], np.stack(vectors))
            _count(self.means[kind], [(lang, vector) for (_, lang, _), vector in zip(rows, vectors, strict=True)])

    def _mark(self, done: Sequence[tuple[str, int]]) -> None:
        """Mark as ready; of a text that was taken out while it was embedded, the vector goes too."""
        for kind, row in self.catalog.mark_ready(done):
            self.near[kind].remove([row])

    # --- rounds -------------------------------------------------------------------------------------------------------

    def round(self, interrupted: Callable[[], bool]) -> int:
        """One round; returns how many texts got their vector (0: nothing waits). `interrupted` is asked between batches."""
        with self._lock:
            waiting = self.catalog.waiting(ROUND)
            if not waiting:
                return 0
            done: list[tuple[str, int]] = []
            try:
                known = self._known([item.key for item in waiting])
                self._settle([w for w in waiting if w.key in known], known, done)
                self._embed([w for w in waiting if w.key not in known], done, interrupted)
            finally:
                self._mark(done)
            self._follow_means()
            return len(done)

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, FloatArray]:
        try:
            return self.store.get(keys)
        except IndexDamaged as error:
            self._lost_store(error)
            return {}

    def _keep(self, keys: Sequence[bytes], vectors: FloatArray) -> None:
        try:
            self.store.put(keys, vectors)
        except IndexDamaged as error:
            self._lost_store(error)
            self.store.put(keys, vectors)

    def _lost_store(self, error: IndexDamaged) -> None:
        """Begin the store anew: what is searched stays, and is embedded again for it."""
        log.warning("%s", error)
        self.store.reset()
        for kind in KINDS:
            self.catalog.mark_unready(kind)

    def _embed(self, items: Sequence[Waiting], done: list[tuple[str, int]], interrupted: Callable[[], bool]) -> None:
        fresh: dict[bytes, list[Waiting]] = {}
        for item in items:
            fresh.setdefault(item.key, []).append(item)
        keys = list(fresh)
        for indices, vectors in self.embedder.iter_batches([fresh[key][0].embed for key in keys]):
            batch = [keys[i] for i in indices]
            self._keep(batch, vectors)
            self.embedded += len(batch)
            # What is searched is what is stored: half precision, so that a restart changes no answer.
            rounded = vectors.astype(np.float16).astype(np.float32)
            self._settle([w for key in batch for w in fresh[key]], dict(zip(batch, rounded, strict=True)), done)
            if interrupted() or self._asked_for:
                break

    def _settle(
        self, items: Sequence[Waiting], vectors: Mapping[bytes, FloatArray], done: list[tuple[str, int]]
    ) -> None:
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

    @property
    def size(self) -> int:
        """Vectors that are searched."""
        return sum(len(index) for index in self.near.values())

    # --- closing ------------------------------------------------------------------------------------------------------

    def settle(self, share: float = 0.0) -> None:
        """Nothing waits: build again every index of which more than `share` came or went since it was built in one go."""
        with self._lock:
            for kind in KINDS:
                index = self.near[kind]
                if index.churn > share * len(index) or index.drifted(self.means[kind].snapshot()):
                    self._build(kind)

    def save(self) -> None:
        """Write indexes and means; cheap when nothing changed."""
        with self.turn():
            for kind in KINDS:
                self.near[kind].save(self._generation())
                state = self.means[kind]
                record = {
                    lang: [state.counts[lang], [float(x) for x in state.sums[lang]]] for lang in sorted(state.sums)
                }
                text = json.dumps(record)
                if text != self.catalog.meta(f"means-{kind}"):
                    self.catalog.set_meta(f"means-{kind}", text)

    def _load_means(self, kind: str) -> bool:
        try:
            record = json.loads(self.catalog.meta(f"means-{kind}") or "")
            counts = {lang: int(count) for lang, (count, _) in record.items()}
            sums = {lang: np.asarray(total, dtype=np.float64) for lang, (_, total) in record.items()}
        except (ValueError, TypeError, AttributeError):
            return False
        if any(total.shape != (self.embedder.dims,) for total in sums.values()):
            return False
        self.means[kind].counts, self.means[kind].sums = counts, sums
        self._checked[kind] = sum(counts.values())
        return True


def _count(means: Means, vectors: Sequence[tuple[str, FloatArray]]) -> None:
    for lang in sorted({lang for lang, _ in vectors}):
        means.add(lang, np.stack([vector for other, vector in vectors if other == lang]))
