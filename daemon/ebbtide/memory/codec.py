"""Records to and from the JSON objects of formats.md. Unknown keys of a fact survive a round trip in `extra`.

Numbers, strings, lists and null only: what cannot be JSON never enters a record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from ebbtide.memory.records import Evidence, Fact, Link
from ebbtide.memory.states import FACT_TYPES

_FACT_FIELDS: Final = tuple(part.name for part in fields(Fact) if part.name != "extra")
_EVIDENCE_FIELDS: Final = tuple(part.name for part in fields(Evidence))
_FACT_NEEDED: Final = tuple(part.name for part in fields(Fact))[:8]
_NUMBERS: Final = {"line": int, "confidence": float, "importance": float}
_TEXTS: Final = frozenset(_FACT_FIELDS) - {*_NUMBERS, "tags", "evidence", "related", "private"}


def fact_to_dict(fact: Fact) -> dict[str, Any]:
    """A fact as an object of facts.jsonl: every key of formats.md 2 in its order, then the unknown ones."""
    out = {name: getattr(fact, name) for name in _FACT_FIELDS}
    out["tags"] = list(fact.tags)
    out["evidence"] = [{part: getattr(item, part) for part in _EVIDENCE_FIELDS} for item in fact.evidence]
    out["related"] = [dict(item) for item in fact.related]
    out.update(fact.extra)
    return out


def fact_from_dict(record: Mapping[str, Any]) -> Fact:
    """A fact from an object of facts.jsonl; unknown keys go to `extra`. Raises ValueError if it is not one we know."""
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in record.items():
        if name in _TEXTS:
            if isinstance(value, str):
                values[name] = value
            elif value is not None:
                raise ValueError(f"`{name}` is not text")
        elif name in _NUMBERS:
            if isinstance(value, int | float) and not isinstance(value, bool):
                values[name] = _NUMBERS[name](value)
            elif value is not None:
                raise ValueError(f"`{name}` is not a number")
        elif name == "private":
            values[name] = value is not False and value is not None  # anything but a plain false protects
        elif name == "tags":
            values[name] = tuple(str(item) for item in _items(name, value))
        elif name == "evidence":
            values[name] = tuple(_evidence(item) for item in _items(name, value))
        elif name == "related":
            values[name] = tuple(dict(item) for item in _items(name, value) if isinstance(item, dict))
        elif name != "layer":  # follows from the type
            extra[name] = value
    for name in _FACT_NEEDED:
        if name not in values:
            raise ValueError(f"no `{name}`")
    if values["type"] not in FACT_TYPES:
        raise ValueError(f"unknown type {values['type']!r}")
    return Fact(**values, extra=extra)


def _items(name: str, value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"`{name}` is not a list")  # noqa: TRY004 - one kind of error for one bad line
    return value


def _evidence(item: Any) -> Evidence:
    try:
        return Evidence(str(item["source"]), int(item["line"]), str(item["quote"]), item.get("created_at"))
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise ValueError("`evidence` is not a list of places") from error


_LINK_KEYS: Final = tuple(("from" if part.name == "origin" else part.name, part.name) for part in fields(Link))


def link_to_dict(link: Link) -> dict[str, Any]:
    """An edge as an object of links.jsonl; the field `origin` is written as `from`."""
    return {key: getattr(link, name) for key, name in _LINK_KEYS}


def link_from_dict(record: Mapping[str, Any]) -> Link:
    """An edge from an object of links.jsonl. Raises ValueError if keys are missing."""
    try:
        return Link(**{name: record[key] for key, name in _LINK_KEYS})
    except KeyError as error:
        raise ValueError(f"no `{error.args[0]}`") from error


def line(record: Mapping[str, Any]) -> str:
    """One line of JSONL without its newline: UTF-8 kept, no spaces, keys as they come; lone surrogates become U+FFFD."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
