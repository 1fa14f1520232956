"""Closed sets of names: types, life cycle, layers, edge types. formats.md 2-4 is the source."""

from __future__ import annotations

from typing import Final, Literal, get_args

FactType = Literal[
    "decision",
    "preference",
    "constraint",
    "procedure",
    "lesson",
    "metric",
    "definition",
    "event",
    "state",
    "relation",
    "plan",
]
FACT_TYPES: Final[tuple[FactType, ...]] = get_args(FactType)

Layer = Literal["semantic", "episodic", "procedural", "concept", "working"]
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)

State = Literal["candidate", "active", "stale", "archived", "quarantined"]
Frame = Literal["current", "historical", "change", "plan"]
Scope = Literal["user", "project", "temporary", "observation"]
Origin = Literal["observed", "derived", "agent"]
Precision = Literal["day", "month", "year"]
Lang = Literal["zh", "en"]

LAYER_OF_TYPE: Final[dict[FactType, Layer]] = {
    "decision": "semantic",
    "preference": "semantic",
    "constraint": "semantic",
    "procedure": "procedural",
    "lesson": "procedural",
    "metric": "semantic",
    "definition": "semantic",
    "event": "episodic",
    "state": "working",
    "relation": "semantic",
    "plan": "working",
}
"""The published table that gives a fact its layer from its type."""

EdgeType = Literal["mentioned", "depends_on", "causes", "contradicts", "supports", "supersedes", "part_of"]
EDGE_TYPES: Final[tuple[EdgeType, ...]] = get_args(EdgeType)

LinkKind = Literal["wikilink", "embed", "markdown", "frontmatter", "inline-field", "canvas"]
UnitKind = Literal["heading", "paragraph", "list_item", "task", "table_row", "quote", "callout", "code", "math", "html"]

BOOKKEEPING: Final[frozenset[str]] = frozenset(
    [
        "id",
        "source",
        "uid",
        "permalink",
        "layout",
        "lang",
        "tags",
        "tag",
        "aliases",
        "alias",
        "cssclass",
        "cssclasses",
        "created",
        "modified",
        "updated",
        "publish",
        "title",
    ]
)
"""Properties that are bookkeeping and yield no facts."""
