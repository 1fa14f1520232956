"""What the rules and the orchestrators need from the outside, as protocols. The adapters are in vault/, index/ and sleep/.

Each port is tested with its real adapter on a temporary folder; there is no second implementation of any but the clock.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from ebbtide.memory.errors import Problem
from ebbtide.memory.records import Fact, FactId, FileStat, FileText

FloatArray = npt.NDArray[np.float32]


class Clock(Protocol):
    """Wall time; the only fake in the tests beside randomness and the paid model."""

    def now(self) -> float:
        """Seconds since the epoch."""


class Vault(Protocol):
    """Reading the user's notes. Nothing here can write outside the memory folder."""

    def scan(self) -> Iterator[FileStat]:
        """Every visible file (no dot-folders, no links out), one stat each, not read. Raises VaultError if the root is gone."""

    def stat(self, path: str) -> FileStat | None:
        """One file, or None if it is not there, not a regular file, hidden, or outside the vault."""

    def read(self, path: str) -> FileText:
        """Decoded text and digest. Raises FileNotFoundError if gone, VaultError if the path leaves the vault."""


class WatchedVault(Vault, Protocol):
    """A vault with what indexing must know beyond the files."""

    def unreadable(self) -> Sequence[str]:
        """Path prefixes the last scan could not look into: not seen there does not mean gone."""

    def excluded_by_obsidian(self, path: str) -> bool:
        """True if Obsidian's excluded files or our own patterns name the path."""

    def is_template(self, path: str) -> bool:
        """True for a file in the template folder of Obsidian's settings."""

    def in_memory_folder(self, path: str) -> bool:
        """True for Ebbtide's own folder."""

    def root_identity(self) -> tuple[int, int]:
        """What tells this folder from another in its place. Raises VaultError if there is none."""


class Embedder(Protocol):
    """Text to vectors, on this machine."""

    fingerprint: str
    dims: int

    def embed_query(self, text: str) -> FloatArray:
        """Shape [dims], length 1."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text by itself, without what the model puts before and behind it."""

    def iter_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], FloatArray]]:
        """Indices into `texts` and their vectors [len(indices), dims], batch by batch, each text once."""


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A document found by keyword. `score` is BM25, not bounded."""

    key: str
    score: float


@dataclass(frozen=True, slots=True)
class KeywordResult:
    """Hits, best first, and `ceiling`: the BM25 of a document that held every term of the query without end.

    score / ceiling is the share of the question's information that a document holds, comparable between questions.
    """

    hits: tuple[KeywordHit, ...]
    ceiling: float


class TextIndex(Protocol):
    """Keyword search over one kind of document (notes, passages or facts)."""

    def upsert(self, docs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        """Replace documents by key; visible after `commit`."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove documents by key; visible after `commit`."""

    def commit(self) -> None:
        """Make everything durable and visible."""

    def rollback(self) -> None:
        """Drop what is not committed. Never fails."""

    def search(self, query: str, limit: int, within: str | None = None) -> KeywordResult:
        """Best first, ties by key. `within` is a folder prefix. User text never reaches a query parser."""


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A vector found: `label` is the integer key it was added under, `cosine` to the query."""

    label: int
    cosine: float


class Ledger(Protocol):
    """Append-only JSONL in the memory folder, one file a device."""

    def mark(self) -> str:
        """What tells, without reading them, that the other devices' files are as they were."""

    def size(self) -> int:
        """Bytes of this device's own file: it only ever grows, unless something outside took of it."""

    def append(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Durable when it returns."""

    def read(self) -> tuple[list[dict[str, Any]], list[Problem]]:
        """Every device's valid records and what could not be read."""


@dataclass(frozen=True, slots=True)
class Step:
    """An edge of the graph as seen from one of its ends.

    `other` is the file row at the other end. `outward`: the edge leads from here to there (`A causes B`, seen from A).
    `link` names the catalogue's row of the edge, where its sentence and place are. `confidence` is in (0, 1].
    """

    other: int
    outward: bool
    type: str
    strong: bool
    declared: bool
    confidence: float
    link: int


class LinkGraph(Protocol):
    """An immutable picture of the typed graph: vertices are file rows of the catalogue, edges its resolved links.

    Unknown rows have no edges. Nothing here costs more than the edges of the files asked about.
    """

    version: int
    """Counts pictures: another number, another graph."""

    def degree(self, file: int) -> int:
        """Number of distinct neighbours, either way."""

    def light(self, file: int) -> float:
        """What a step into this file keeps of its weight, in (0, 1]: hubs, index and daily notes carry less."""

    def steps(self, file: int) -> Sequence[Step]:
        """Every edge at this file, both ways, in a fixed order. Loops are left out."""

    def path(self, start: int, goal: int, most: int) -> Sequence[Step]:
        """The best connecting path of at most `most` steps, whatever the direction and type of its edges; empty if none."""


class FactStore(Protocol):
    """facts.jsonl with its journal."""

    def put(self, facts: Iterable[Fact]) -> None:
        """Add or replace; durable in the journal when it returns, in the vault after the next flush."""

    def drop(self, ids: Iterable[FactId]) -> None:
        """Take out; durable likewise."""


class VectorStore(Protocol):
    """Raw vectors by the identity of the embedded text; outlives every index."""

    def put(self, keys: Sequence[bytes], vectors: FloatArray) -> None:
        """Keep vectors [n, dims]; durable when it returns."""

    def reset(self) -> None:
        """Begin anew and empty: its file is damaged."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Vectors [dims] by key; keys without one are left out."""


class VectorIndex(Protocol):
    """Nearest neighbours over vectors that are centred per language, under the catalogue's labels."""

    def __len__(self) -> int:
        """Vectors inside."""

    def labels(self) -> npt.NDArray[np.uint64]:
        """Every label inside, sorted."""

    churn: int
    """Vectors that came or went since the whole was last built in one go."""

    means: dict[str, FloatArray]
    """The mean of each language that the vectors inside were centred with, shape [dims]."""

    def rebuild(
        self, means: Mapping[str, FloatArray], parts: Iterable[tuple[Sequence[int], Sequence[str], FloatArray]]
    ) -> None:
        """Build anew from (labels, languages, raw vectors), centred with these means; the old one answers until then."""

    def add(self, labels: Sequence[int], langs: Sequence[str], vectors: FloatArray) -> None:
        """Add raw vectors [n, dims]; labels inside are replaced."""

    def remove(self, labels: Iterable[int]) -> None:
        """Remove labels; unknown ones are passed over."""

    def drifted(self, means: Mapping[str, FloatArray]) -> bool:
        """True when these means, or removals, are so far from what is inside that it should be built again."""

    def search(self, vector: FloatArray, limit: int) -> list[VectorHit]:
        """The nearest to a centred query, best first."""

    def neighbours(self, label: int, limit: int) -> list[VectorHit]:
        """The nearest to a vector inside, itself left out, best first; nearly exact. Empty if it is not inside."""

    def cosines(self, vector: FloatArray, labels: Sequence[int]) -> dict[int, float]:
        """Cosines of a centred query to given labels."""

    def vectors(self, labels: Sequence[int]) -> dict[int, FloatArray]:
        """The centred vectors [dims] of given labels, length 1; labels without one are left out."""

    def save(self, generation: str) -> None:
        """Write durably."""

    def load(self, generation: str) -> bool:
        """Read what was saved, if it is whole and belongs to this model and catalogue."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked. `id` names it in a batch: 1 to 64 letters, digits, `-` and `_`.

    `system` is the same for many questions (and cached by the provider), `text` this one's own, `schema` the JSON schema of
    the answer. `most` is the largest number of tokens of the answer.
    """

    id: str
    system: str
    text: str
    schema: Mapping[str, Any]
    most: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that an answer cost. `read` are those not from the cache, `cached` from it, `stored` put into it."""

    read: int = 0
    written: int = 0
    cached: int = 0
    stored: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.read + other.read, self.written + other.written, self.cached + other.cached, self.stored + other.stored
        )

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.read + self.written + self.cached + self.stored


Outcome = Literal["answered", "refused", "truncated", "malformed", "rejected", "denied", "busy", "failed"]
"""What became of a question. answered; refused: the model declines; truncated: the answer did not fit; malformed: it is no
object; rejected: the service takes no such question; denied: key, model or account; busy: later (429, 529, no connection);
failed: anything else (5xx, time-out, expired). A batch that does not exist (any more) is "rejected"."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came back. `answer` only when answered. `usage` is None when it is not known what was spent.

    `wait`: seconds the service asks to be left alone. `reason` is for a person and holds nothing of a note.
    """

    outcome: Outcome
    answer: Mapping[str, Any] | None = None
    usage: Usage | None = None
    reason: str = ""
    wait: float | None = None


class Judge(Protocol):
    """A model that answers by a schema. Nothing is raised: what goes wrong is a verdict. No retries of its own."""

    model: str

    def ask(self, question: Question) -> Verdict:
        """One question, answered now."""

    def submit(self, questions: Sequence[Question]) -> str | Verdict:
        """Hand in many, for half the price and an answer within a day; the id of the batch, or what went wrong."""

    def lost(self, since: float, count: int, known: Container[str]) -> str | Verdict | None:
        """The id of a batch of `count` questions begun after `since` (epoch seconds) that is not `known`, if there is one.

        For a process that was killed between handing in and writing down.
        """

    def collect(self, batch: str) -> Mapping[str, Verdict] | Verdict | None:
        """The verdicts by question id once the batch has ended, None before that, or what went wrong with asking."""

    def cancel(self, batch: str) -> Verdict | None:
        """Stop a batch; what it has answered by then can still be collected. None, or what went wrong."""
