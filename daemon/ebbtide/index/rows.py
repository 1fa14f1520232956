"""The rows of the catalogue, as values: what is stored of files, passages, facts and links. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

View = Literal["all", "unresolved", "ambiguous", "broken_anchors", "orphans", "stats"]
"""What can be asked of the links of a vault."""


@dataclass(slots=True, unsafe_hash=True)
class FileRow:
    """A file as the catalogue last saw it. `changed`: seconds since the epoch when a person was seen to save it, else 0.

    Never changed once made. To say so to Python makes it eight times as slow to make, and a question makes hundreds of them.
    """

    row: int
    id: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    digest: str
    kind: str
    status: str
    reason: str = ""
    title: str = ""
    type: str | None = None
    date: str | None = None
    lang: str = "en"
    private: bool = False
    changed: float = 0.0
    document: str = ""
    """Hash of its keyword document, so that one that has not changed is not written again."""
    again: bool = False
    """It must be read again, whatever its stat and content say."""
    archived: str | None = None
    """The archived project it belongs to (parse.note_kind), or None."""
    until: str | None = None
    """The day after which it tells of the past, by its properties (parse.frames); "" is always, None never."""
    fate: str | None = None
    """What became of the plan it is (parse.fates), as that module writes it, or None."""
    inlinks: int = 0


@dataclass(slots=True, unsafe_hash=True)
class PassageRow:
    """A passage with its place; `row` is its label in the vector index. Never changed once made; see FileRow."""

    row: int
    id: str
    file: int
    ordinal: int
    headings: str
    line: int
    start: int
    stop: int
    text: str
    lang: str
    ready: bool


class NewPassage(NamedTuple):
    """A passage to store; `embed` is the text it is embedded under, `key` that text's identity."""

    id: str
    ordinal: int
    headings: str
    line: int
    start: int
    stop: int
    text: str
    lang: str
    embed: str
    key: bytes


class NewFact(NamedTuple):
    """A fact to store under a file; `record` is its line of facts.jsonl."""

    file: int
    id: str
    record: str
    embed: str
    lang: str
    key: bytes
    type: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A text that has no vector yet. `kind` is "passages" or "facts"."""

    kind: str
    row: int
    embed: str
    lang: str
    key: bytes


class NewLink(NamedTuple):
    """An edge to store: the file at its other end, whether the choice was ambiguous, its line of links.jsonl.

    It leads from the file that holds it to the target; `inward`: from the target to the file ("caused by"). `origin` is
    where it begins if both ends are other files, as between two cards of a canvas.
    """

    target: str | None
    ambiguous: bool
    record: str
    type: str = "mentioned"
    strong: bool = False
    declared: bool = False
    confidence: float = 0.5
    inward: bool = False
    origin: str | None = None


class GraphEdge(NamedTuple):
    """An edge between two indexed files, its direction normalised: `link` is the row of the links table, the ends are file rows."""

    start: int
    end: int
    link: int
    type: str
    strong: int
    declared: int
    confidence: float
