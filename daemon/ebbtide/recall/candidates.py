"""Candidates for a question: the union of keyword, vector, graph neighbour, named dates and recent uses, with their evidence.

No work here is proportional to the vault: every channel is asked for a fixed number of results, and what the
catalogue is asked for are the rows of those. (Exact vector search below 20,000 vectors is bounded by that number.)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ebbtide.index.catalog import Catalog, FileRow, PassageRow
from ebbtide.index.means import centred
from ebbtide.memory.ports import Embedder, FloatArray, LinkGraph, Step, TextIndex, VectorIndex
from ebbtide.parse.periods import Period
from ebbtide.recall.rank import Evidence, Weights, coverage
from ebbtide.recall.route import Route
from ebbtide.recall.why import Direction, leads, reasoned

KEYWORD_DEPTH = 100
DATED_DEPTH = 60
"""Notes of a named period that are looked at, the latest first; of one longer than a month none is sought by its date."""
RECENT_DEPTH = 20
"""Memories confirmed as used of late that are looked at."""
VECTOR_DEPTH = 300
RECORDS_KEPT = 2048
"""Facts whose records stay read: to read hundreds of them takes longer than to search for them, and questions resemble others."""
SCOPED_LABELS = 20_000
"""In a folder with at most this many passages every one is compared; in a larger one the nearest of the whole vault are."""


@dataclass(frozen=True, slots=True)
class Edges:
    """How relevance travels over a link; config section `recall`."""

    types: Mapping[str, float] = field(
        default_factory=lambda: {
            "causes": 1.0,
            "depends_on": 1.0,
            "supersedes": 1.0,
            "supports": 0.8,
            "contradicts": 0.8,
            "part_of": 0.6,
            "mentioned": 0.4,
        }
    )
    decay: float = 0.5
    weak: float = 0.5
    hub_limit: int = 3
    """One note brings at most so many neighbours, a hub like any other."""
    hops: int = 4
    """Hops for a question why; any other takes one."""
    least: float = 0.02
    """Relevance under which a neighbour is not taken in."""
    crowd: int = 2000
    """A note with more neighbours than this brings none: which of them would be chance."""

    def kept(self, step: Step) -> float:
        """The share of relevance that crosses an edge; a user's own word counts as a mention."""
        share = self.types.get(step.type, self.types.get("mentioned", 0.4))
        sure = step.confidence if step.type != "mentioned" else 1.0
        return self.decay * share * sure * (1.0 if step.strong else self.weak)


@dataclass(slots=True)
class NoteCandidate:
    """A note with its evidence; `best` are its passages near the question: label -> cosine."""

    file: FileRow
    evidence: Evidence
    best: dict[int, float] = field(default_factory=dict)
    via: str | None = None

    @property
    def nearest(self) -> int | None:
        """Label of the passage nearest to the question, of equal ones the first; None without any."""
        best = self.best
        if len(best) < 2:
            return next(iter(best), None)
        return min(best, key=lambda label: (-best[label], label))


@dataclass(slots=True)
class FactCandidate:
    """A fact with its evidence. `record` is its line of facts.jsonl."""

    file: FileRow
    label: int
    record: dict[str, Any]
    evidence: Evidence


@dataclass(slots=True)
class Pool:
    """What the channels found, and how long each took in milliseconds."""

    notes: dict[int, NoteCandidate] = field(default_factory=dict)
    facts: dict[str, FactCandidate] = field(default_factory=dict)
    passages: dict[int, PassageRow] = field(default_factory=dict)
    vector: FloatArray | None = None
    """The centred vector of the question, shape [dims]."""
    told: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """File row -> lines (first, last) that tell the reason and the lesson of an episode that went wrong; only where asked for."""
    timely: set[int] = field(default_factory=set)
    """File rows of notes of the very days that the question names."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Channels:
    """The ports recall reads from. `embedder` is None while there is no model; then everything works by keyword."""

    catalog: Catalog
    notes: TextIndex
    facts: TextIndex
    near: Mapping[str, VectorIndex]
    embedder: Callable[[], Embedder | None]
    query_means: Callable[[], Mapping[str, FloatArray]]
    why_no_vectors: Callable[[], str]
    graph: Callable[[], LinkGraph]
    asked: Callable[[Sequence[bytes]], Mapping[bytes, FloatArray]] = lambda _: {}
    """Centred vectors [dims] of questions that uses were confirmed for, by their keys; those not known are left out."""


def folder(scope: str | None) -> str | None:
    """A scope as a folder prefix with its slash; None for the whole vault."""
    if scope is None:
        return None
    clean = scope.replace("\\", "/").strip("/")
    return clean + "/" if clean else None


def gather(
    route: Route,
    channels: Channels,
    scope: str | None,
    weights: Weights,
    deadline: float | None = None,
    since: str | None = None,
) -> Pool:
    """Ask keyword, dates, recent uses, then vectors. `since` is the day from which a use is recent; None asks for none.

    `deadline` is of time.perf_counter(): past it, the next channel is left out and named.
    """
    pool = Pool()
    within = folder(scope)
    with _timed(pool, "keyword"):
        _keyword(route, channels, within, pool, weights)
    if route.ident is not None:
        _by_id([route.ident], "exact", channels, within, pool)
    with _timed(pool, "dates"):
        _dated(route.periods, channels, within, pool)
    if since is not None:
        with _timed(pool, "recent"):
            _by_id(channels.catalog.used_since(since, RECENT_DEPTH), "recent", channels, within, pool)
    embedder = channels.embedder()
    if embedder is None:
        pool.skipped.append(("vector", channels.why_no_vectors()))
    elif deadline is not None and time.perf_counter() > deadline:
        pool.skipped.append(("vector", "the time limit was reached"))
    elif route.text:
        with _timed(pool, "embed"):
            mean = channels.query_means().get(route.lang)
            vector = embedder.embed_query(route.text)
            if mean is not None:
                vector = centred(vector, mean)
        with _timed(pool, "vector"):
            _vector(vector, channels, within, pool)
        pool.vector = vector
    return pool


def add_neighbours(
    pool: Pool,
    channels: Channels,
    parents: Sequence[tuple[int, float]],
    within: str | None,
    edges: Edges,
    direction: Direction | None = None,
    limit: int = 30,
) -> None:
    """Neighbours of good candidates, (file row, relevance) best first, over one hop; over more in a direction asked about.

    Relevance decays over each edge by its type and weight and by what the note it leads to is: a hub, an index or a daily
    note takes less. With a `direction` (a question why) steps whose links state a reason are followed up to `edges.hops`.
    """
    with _timed(pool, "graph"):
        graph = channels.graph()
        wanted: dict[int, tuple[float, int]] = {}
        front = dict(parents)
        for hop in range(edges.hops if direction is not None else 1):
            reached: dict[int, float] = {}
            for parent, score in front.items():
                for other, kept in _brought(graph, parent, edges, direction if hop else None):
                    value = score * kept
                    if value >= edges.least and value > wanted.get(other, (0.0, 0))[0] and other not in front:
                        wanted[other] = (value, parent)
                        reached[other] = value
            front = dict(sorted(reached.items(), key=lambda item: (-item[1], item[0]))[:limit])
        _take_in(pool, channels, wanted, within, limit)


def _brought(graph: LinkGraph, parent: int, edges: Edges, direction: Direction | None) -> list[tuple[int, float]]:
    """The neighbours one note brings, with the share of its relevance each keeps: at most `hub_limit`, the best ones."""
    if graph.degree(parent) > edges.crowd:
        return []
    best: dict[int, float] = {}
    for step in graph.steps(parent):
        if direction is not None and not (reasoned(step) and leads(step, direction)):
            continue
        kept = edges.kept(step) * graph.light(step.other)
        best[step.other] = max(best.get(step.other, 0.0), kept)
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))[: edges.hub_limit]


def _take_in(
    pool: Pool, channels: Channels, wanted: Mapping[int, tuple[float, int]], within: str | None, limit: int
) -> None:
    known = channels.catalog.files_by_row(
        sorted({row for row, (_, parent) in wanted.items()} | {parent for _, parent in wanted.values()})
    )
    chosen = sorted(wanted.items(), key=lambda item: (-item[1][0], item[0]))
    rank = 0
    for row, (score, parent) in chosen:
        file = known.get(row)
        if file is None or file.status != "indexed" or file.kind not in ("note", "memory") or rank >= limit:
            continue
        if within and not file.path.startswith(within):
            continue
        rank += 1
        via = known[parent].path if parent in known else None
        candidate = pool.notes.setdefault(row, NoteCandidate(file, Evidence(), via=via))
        candidate.evidence.graph = max(candidate.evidence.graph, score)
        candidate.evidence.ranks["graph"] = (rank, round(score, 4))


def _keyword(route: Route, channels: Channels, within: str | None, pool: Pool, weights: Weights) -> None:
    found = channels.notes.search(route.text, KEYWORD_DEPTH, within)
    files = channels.catalog.files_by_id([hit.key for hit in found.hits])
    for rank, hit in enumerate(found.hits, 1):
        file = files.get(hit.key)
        if file is None or file.status != "indexed":
            continue
        candidate = pool.notes.setdefault(file.row, NoteCandidate(file, Evidence()))
        candidate.evidence.coverage = coverage(hit.score, found.hits[0].score, found.ceiling, weights)
        candidate.evidence.ranks["keyword"] = (rank, round(hit.score, 4))
    found = channels.facts.search(route.text, KEYWORD_DEPTH, within)
    known = channels.catalog.facts_by_id([hit.key for hit in found.hits])
    facts = _facts(pool, channels, [(hit.key, *known[hit.key]) for hit in found.hits if hit.key in known])
    for rank, hit in enumerate(found.hits, 1):
        fact = facts.get(hit.key)
        if fact is not None:
            fact.evidence.coverage = coverage(hit.score, found.hits[0].score, found.ceiling, weights)
            fact.evidence.ranks["keyword"] = (rank, round(hit.score, 4))


def _dated(periods: Sequence[Period], channels: Channels, within: str | None, pool: Pool) -> None:
    """Notes of the days that the question names, whatever their words."""
    rank = 0
    for period in periods:
        if period.days > 31:
            continue
        for file in channels.catalog.dated(period.first, period.last, within or "", DATED_DEPTH - rank):
            rank += 1
            candidate = pool.notes.setdefault(file.row, NoteCandidate(file, Evidence()))
            candidate.evidence.ranks["date"] = (rank, 1.0)


def _by_id(idents: Sequence[str], channel: str, channels: Channels, within: str | None, pool: Pool) -> None:
    """Take in these memories (facts and notes) as found by a channel, in this order; they earn nothing by it."""
    known = channels.catalog.facts_by_id(idents)
    rows = channels.catalog.files_by_row(sorted({row for _, row, _ in known.values()}))
    files = channels.catalog.files_by_id([ident for ident in idents if ident not in known])

    def lies_here(file: FileRow | None) -> bool:
        return file is not None and file.status == "indexed" and file.path.startswith(within or "")

    facts = _facts(pool, channels, [(i, *known[i]) for i in idents if i in known and lies_here(rows.get(known[i][1]))])
    for rank, ident in enumerate(idents, 1):
        file = files.get(ident)
        if ident in facts:
            facts[ident].evidence.ranks[channel] = (rank, 1.0)
        elif file is not None and lies_here(file):
            pool.notes.setdefault(file.row, NoteCandidate(file, Evidence())).evidence.ranks[channel] = (rank, 1.0)


def _vector(vector: FloatArray, channels: Channels, within: str | None, pool: Pool) -> None:
    near = _nearest(vector, channels, "passages", within)
    rows = channels.catalog.passages([label for label, _ in near])
    files = channels.catalog.files_by_row(sorted({p.file for p in rows.values()} - pool.notes.keys()))
    rank = 0
    for label, cosine in near:
        passage = rows.get(label)
        if passage is None:
            continue
        candidate = pool.notes.get(passage.file)
        if candidate is None:
            file = files.get(passage.file)
            if file is None or file.status != "indexed":
                continue
            candidate = pool.notes[passage.file] = NoteCandidate(file, Evidence())
        pool.passages[label] = passage
        candidate.best[label] = cosine
        if candidate.evidence.closeness is None:
            rank += 1
            candidate.evidence.closeness = cosine
            candidate.evidence.ranks["vector"] = (rank, round(cosine, 4))
    _compare_rest(vector, channels, pool)
    close = _nearest(vector, channels, "facts", within)
    found = channels.catalog.facts([label for label, _ in close])
    known = ((label, *found[label]) for label, _ in close if label in found)
    facts = _facts(pool, channels, [(ident, label, row, record) for label, ident, row, record in known])
    for rank, (label, cosine) in enumerate(close, 1):
        fact = facts.get(found[label][0]) if label in found else None
        if fact is not None:
            fact.evidence.closeness = cosine
            fact.evidence.ranks["vector"] = (rank, round(cosine, 4))
    rest = {f.label: f for f in pool.facts.values() if f.evidence.closeness is None}
    for label, cosine in channels.near["facts"].cosines(vector, sorted(rest)).items():
        rest[label].evidence.closeness = cosine


def _compare_rest(vector: FloatArray, channels: Channels, pool: Pool) -> None:
    """Notes that only keywords found get their cosine too: not near enough to be listed is not the same as unknown."""
    unknown = [row for row, candidate in pool.notes.items() if candidate.evidence.closeness is None]
    rest = channels.catalog.passages_of_files(unknown)
    pool.passages.update((passage.row, passage) for passage in rest)
    labels = {passage.row: passage.file for passage in rest}
    for label, cosine in channels.near["passages"].cosines(vector, sorted(labels)).items():
        candidate = pool.notes[labels[label]]
        candidate.best[label] = cosine
        candidate.evidence.closeness = max(cosine, candidate.evidence.closeness or -1.0)


def _nearest(vector: FloatArray, channels: Channels, kind: str, within: str | None) -> list[tuple[int, float]]:
    index = channels.near[kind]
    if within is not None:
        labels = channels.catalog.labels_under(kind, within, SCOPED_LABELS + 1)
        if len(labels) <= SCOPED_LABELS:
            found = index.cosines(vector, labels)
            return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:VECTOR_DEPTH]
    hits = [
        (hit.label, hit.cosine) for hit in index.search(vector, VECTOR_DEPTH if within is None else 4 * VECTOR_DEPTH)
    ]
    if within is None:
        return hits
    allowed = set(labels)
    return [hit for hit in hits if hit[0] in allowed][:VECTOR_DEPTH]


def _facts(pool: Pool, channels: Channels, known: Sequence[tuple[str, int, int, str]]) -> dict[str, FactCandidate]:
    """The candidates of facts (id, label, file row, record) by id, taken into the pool; those without a file are left out."""
    rows = {row for ident, _, row, _ in known if ident not in pool.facts and row not in pool.notes}
    files = channels.catalog.files_by_row(sorted(rows))
    out: dict[str, FactCandidate] = {}
    for ident, label, row, record in known:
        found = pool.facts.get(ident)
        if found is None:
            file = pool.notes[row].file if row in pool.notes else files.get(row)
            if file is None:
                continue
            found = pool.facts[ident] = FactCandidate(file, label, _record(record), Evidence())
        out[ident] = found
    return out


@lru_cache(maxsize=RECORDS_KEPT)
def _record(line: str) -> dict[str, Any]:
    """A line of facts.jsonl, read. Nobody changes a record: what a revision changes of it is put into a copy."""
    record: dict[str, Any] = json.loads(line)
    return record


class _timed:
    """Adds the milliseconds of a block to the pool."""

    def __init__(self, pool: Pool, step: str) -> None:
        self.pool, self.step = pool, step

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        spent = (time.perf_counter() - self.start) * 1000
        self.pool.ms[self.step] = self.pool.ms.get(self.step, 0.0) + spent
