"""The nouns: what a note, a passage, a link and a fact are. Frozen values; no behaviour beyond what they say of themselves.

Offsets are 0-based code points in the decoded text of the file without its byte order mark, newlines untouched.
Lines are 1-based, columns 0-based UTF-16 units (what the plugin and Obsidian count in). Paths are vault-relative with "/".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NewType

from ebbtide.memory.errors import Problem
from ebbtide.memory.states import (
    LAYER_OF_TYPE,
    FactType,
    Frame,
    Lang,
    Layer,
    LinkKind,
    Origin,
    Precision,
    Scope,
    UnitKind,
)

NoteId = NewType("NoteId", str)
"""`n_` and 16 hex digits of a hash of the path when first seen; kept over renames."""
PassageId = NewType("PassageId", str)
"""`p_` and 16 hex digits of a hash of (note id, heading path, ordinal)."""
FactId = NewType("FactId", str)
"""`f_` and 16 hex digits; formats.md 1."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """What one look at a file in the vault says, without reading it. Times in nanoseconds, size in bytes."""

    path: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as read: decoded text without BOM, newlines untouched; `digest` is a hash of the raw bytes."""

    path: str
    text: str
    digest: str
    stat: FileStat
    bom: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: raw text (markup kept, trailing #s gone), level 1-6, where its line starts."""

    text: str
    level: int
    offset: int
    line: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """A block id (`^id`) and the place of the caret."""

    id: str
    offset: int
    line: int


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag without `#`, as first spelled; offset None when it comes from the properties."""

    name: str
    offset: int | None
    line: int


@dataclass(frozen=True, slots=True)
class RawLink:
    """A link as written, not yet resolved. `path` is the path part (decoded for Markdown links); `subpath` without its first `#`.

    `relation` is the property key, field key or edge label as written. `source_path` differs from the note only for
    canvas edges, whose `from_path` names the other card's file. `inverse` is decided when the edge is typed.
    """

    raw: str
    kind: LinkKind
    path: str
    heading: str | None
    block: str | None
    alias: str | None
    relation: str | None
    offset: int
    line: int
    column: int
    snippet: str
    native: bool = True
    from_path: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One block of a note, the smallest thing a fact is read from: text[start:end] is its exact source.

    `headings` is the path of heading texts above it. `depth` counts list or quote nesting. `cells` and `header` are the
    trimmed cell texts of a table row and of the table's head (head rows are not units). `lead` is the nearest introducing
    line above a list ("Steps:"), `parent` the index of the parent list item in the note's units.
    `callout` is the callout type in lower case for units inside a callout; `foreign` is true inside an ordinary quotation.
    """

    kind: UnitKind
    start: int
    end: int
    line: int
    headings: tuple[str, ...] = ()
    depth: int = 0
    cells: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    lead: str | None = None
    parent: int | None = None
    callout: str | None = None
    foreign: bool = False
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note: everything one pass over the text yields. `body` is the offset where the body starts.

    `title` is the `title` property if it is a plain string, else the file name without `.md`. `tags` hold property and
    inline tags. `properties` are JSON values (dates are strings). `property_lines` maps a key to its 1-based line.
    """

    path: str
    text: str
    title: str
    body: int
    properties: Mapping[str, Any] = field(default_factory=dict)
    property_lines: Mapping[str, int] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    headings: tuple[Heading, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    links: tuple[RawLink, ...] = ()
    units: tuple[Unit, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def private(self) -> bool:
        """True if the note must never leave for a remote model."""
        return self.properties.get("private") is True

    @property
    def remembered(self) -> bool:
        """False if the note says `memory: false`: links resolve to it, nothing else is kept of it."""
        return self.properties.get("memory") is not False


@dataclass(frozen=True, slots=True)
class Passage:
    """A heading-level block of 80 to 350 estimated tokens: text[start:end] of its note, never across a heading of level 1-2."""

    ordinal: int
    headings: tuple[str, ...]
    start: int
    end: int
    line: int
    text: str
    lang: Lang


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of links.jsonl; formats.md 3. `origin` is the `from` end (equal to `source` unless the direction is inverse)."""

    source: str
    origin: str
    target: str | None
    type: str
    weight: str
    raw: str
    kind: LinkKind
    relation: str | None
    declared: bool
    confidence: float
    heading: str | None
    block: str | None
    alias: str | None
    offset: int
    line: int
    column: int
    snippet: str
    ambiguous: bool = False
    native: bool = True


@dataclass(frozen=True, slots=True)
class Evidence:
    """A further place that says the same as a fact."""

    source: str
    line: int
    quote: str
    created_at: str | None = None


@dataclass(frozen=True, slots=True)
class FactDraft:
    """What the extractor reads from one unit, before it has an identity. `quote` is text[start:end] of the note, exactly."""

    fact: str
    type: FactType
    start: int
    end: int
    line: int
    heading: str | None
    quote: str
    created_at: str | None = None
    precision: Precision | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    unit: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    confidence: float = 0.8
    importance: float = 5.0
    scope: Scope = "observation"
    project: str | None = None
    frame: Frame = "current"
    trigger: str = ""
    action: str | None = None
    why: str | None = None
    because: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of facts.jsonl; formats.md 2. `extra` keeps keys that this version does not know."""

    id: FactId
    fact: str
    source: str
    line: int
    quote: str
    note_hash: str
    type: FactType
    recorded_at: str
    heading: str | None = None
    source_kind: str = "note"
    tags: tuple[str, ...] = ()
    created_at: str | None = None
    precision: Precision | None = None
    verified_at: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    unit: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    origin: Origin = "observed"
    confidence: float = 0.8
    importance: float = 5.0
    scope: Scope = "observation"
    project: str | None = None
    frame: Frame = "current"
    trigger: str = ""
    action: str | None = None
    why: str | None = None
    because: str | None = None
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Mapping[str, Any], ...] = ()
    expires_at: str | None = None
    review_at: str | None = None
    extractor: str = "rules/1"
    private: bool = False
    held: str | None = None
    """Why a gate holds it back as a candidate, or None."""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def layer(self) -> Layer:
        """The layer that follows from the type."""
        return LAYER_OF_TYPE[self.type]
