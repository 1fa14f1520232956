"""The shapes on the wire, third part: edges, and how sound they are. See `wire` for the rules."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from ebbtide.memory.states import LinkKind
from ebbtide.serve.wire import Response


class LinkRecord(Response):
    """A line of links.jsonl, formats.md 3."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, serialize_by_alias=True)

    source: str
    from_: str = Field(alias="from")
    target: str | None
    type: str
    weight: Literal["strong", "weak"]
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
    ambiguous: bool
    native: bool


class NearName(Response):
    """What a link may have meant: a suggestion, never a resolution."""

    name: str = Field(
        description="As it is spelled there: a name without its ending, a title, an alias, a heading, a block id."
    )
    path: str
    kind: Literal["file", "title", "alias", "heading", "block"]
    nearness: float = Field(description="1 for the same but for its form or folder, from 0.75 for a slip.")
    how: Literal["moved", "form", "plural", "typo"] = Field(
        description="moved: in another folder; form: other case, spaces, punctuation or script."
    )


class LinkView(LinkRecord):
    """An edge with what is the matter with it; `near`, `others` and `missing` are filled when they are asked for."""

    near: list[NearName] = Field(
        description="Of unresolved links names, of broken anchors headings or blocks: three at most."
    )
    others: list[str] = Field(
        description="Of ambiguous links the other files, in the order in which they would be taken."
    )
    missing: str | None = Field(description="Of broken anchors what the target does not have, with its `#` or `#^`.")


class Orphan(Response):
    """A file that no resolved link connects with another one."""

    path: str
    title: str
    kind: Literal["note", "board", "attachment"]


class OrphanCounts(Response):
    """How many there are in all."""

    note: int
    board: int
    attachment: int


class Origins(Response):
    """Edges by where they come from: `property`, `field` and `canvas` are declared, `prose` is read from a sentence."""

    property: int
    field: int
    canvas: int
    prose: int
    mention: int


class LinkStats(Response):
    """How far links resolve and say what they mean. Shares are from 0 to 1."""

    edges: int
    resolved: int
    resolved_share: float
    by_type: dict[str, int]
    by_origin: Origins
    typed: int = Field(description="Edges of another type than `mentioned`.")
    typed_share: float
    notes: int
    notes_typed: int = Field(description="Notes at either end of such an edge.")
    notes_typed_share: float


class LinksResponse(Response):
    """GET /v1/links, by source and place; counts are of all that matched, not of this page. `next` goes into `after`."""

    links: list[LinkView]
    total: int
    unresolved: int
    ambiguous: int
    orphans: list[Orphan]
    orphan_counts: OrphanCounts | None = Field(description="Null unless `orphans` was asked for.")
    stats: LinkStats | None = Field(description="Null unless it was asked for.")
    next: str | None
