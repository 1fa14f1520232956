"""Records to and from the JSON objects of formats.md. Unknown keys of a fact survive a round trip in `extra`.

Numbers, strings, lists and null only: what cannot be JSON never enters a record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from ebbtide.memory.records import Evidence, Fact, FactId, Link
from ebbtide.memory.states import FACT_TYPES


def _plain(name: str, value: Any) -> Any:
    if name == "evidence":
        return [{part.name: getattr(item, part.name) for part in fields(item)} for item in value]
    if name == "related":
        return [dict(item) for item in value]
    return list(value) if isinstance(value, tuple) else value


_FACT_FIELDS: Final = tuple(part.name for part in fields(Fact) if part.name != "extra")
_FACT_NEEDED: Final = ("id", "fact", "source", "line", "quote", "note_hash", "type", "recorded_at")
_FACT_DEFAULTS: Final = {part.name: part.default for part in fields(Fact) if part.default is not MISSING}
_TEXT_FIELDS: Final = {*_FACT_FIELDS} - {"line", "confidence", "importance", "tags", "evidence", "related", "private"}
_NUMBER_FIELDS: Final = frozenset({"confidence", "importance", "line"})


def fact_to_dict(fact: Fact) -> dict[str, Any]:
    """A fact as an object of facts.jsonl: every key of formats.md 2 in its order, then the unknown ones."""
    out = {name: _plain(name, getattr(fact, name)) for name in _FACT_FIELDS}
    out.update(fact.extra)
    return out


def fact_from_dict(record: Mapping[str, Any]) -> Fact:
    """A fact from an object of facts.jsonl; unknown keys go to `extra`. Raises ValueError if it is not one we know."""
    values: dict[str, Any] = {}
    for name in _FACT_NEEDED:
        if record.get(name) is None:
            raise ValueError(f"no `{name}`")
    if record["type"] not in FACT_TYPES:
        raise ValueError(f"unknown type {record['type']!r}")
    for name in _FACT_FIELDS:
        value = record.get(name)
        if value is None and name in _FACT_DEFAULTS:
            value = _FACT_DEFAULTS[name]
        elif name in _TEXT_FIELDS:
            if value is not None and not isinstance(value, str):
                raise ValueError(f"`{name}` is not text")
        elif name in _NUMBER_FIELDS:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"`{name}` is not a number")
        elif name == "private":
            value = value is not False  # anything but a plain false protects
        elif name == "evidence":
            value = tuple(_evidence(item) for item in _items(name, value))
        elif name == "related":
            value = tuple(dict(item) for item in _items(name, value) if isinstance(item, dict))
        else:
            value = tuple(str(item) for item in _items(name, value))
        values[name] = value
    values["id"] = FactId(values["id"])
    values["line"] = int(values["line"])
    values["confidence"], values["importance"] = float(values["confidence"]), float(values["importance"])
    return Fact(**values, extra={key: value for key, value in record.items() if key not in values and key != "layer"})


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
