"""The small validator agrees with the reference implementation on what our schemas use."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.vault.contracts import check, not_understood, schema, schema_folder, validate

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id", "line"],
    "properties": {
        "id": {"type": "string", "pattern": "^f_[0-9a-f]+$"},
        "line": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b", None, 1]},
        "weight": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 2},
        "place": {"$ref": "#/$defs/place"},
        "either": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/place"}]},
        "one": {"oneOf": [{"type": "integer"}, {"type": "number", "exclusiveMinimum": 5}]},
        "fixed": {"const": True},
        "closed": {"type": "object", "additionalProperties": False, "properties": {"x": True}},
        "map": {"type": "object", "additionalProperties": {"type": "integer", "multipleOf": 2}},
    },
    "$defs": {"place": {"type": "object", "required": ["line"], "properties": {"line": {"type": "integer"}}}},
}
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from([0.0, 0.5, 1.0, 7.5])
    | st.sampled_from(["", "a", "f_1", "f_x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "y", "line"]), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "unknown"]), values, max_size=6))
def test_agrees_with_the_reference(record: dict[str, Any]) -> None:
    reference = {
        ".".join(map(str, e.absolute_path)) for e in jsonschema.Draft202012Validator(SCHEMA).iter_errors(record)
    }
    ours = list(check(SCHEMA, record, SCHEMA))
    assert bool(ours) == bool(reference)


def test_names_the_field() -> None:
    found = dict(check(SCHEMA, {"id": "f_1", "line": 0, "tags": ["x", ""], "closed": {"z": 1}}, SCHEMA))
    assert set(found) == {"line", "tags[1]", "closed.z"}


def test_every_keyword_is_understood() -> None:
    assert not_understood(SCHEMA) == set()
    assert not_understood({"properties": {"if": {"if": {}, "uniqueItems": True}}}) == {"if", "uniqueItems"}


def test_an_unknown_kind_is_a_lookup_error() -> None:
    for kind in ("no-such-thing", "../pyproject", ""):
        with pytest.raises(LookupError):
            schema(kind)


def shipped() -> list[str]:
    folder = schema_folder()
    if not folder.is_dir():
        return []
    names = [
        entry.name
        for entry in folder.iterdir()
        if entry.name.endswith(".json") and not entry.name.startswith("openapi")
    ]
    return sorted(name.removesuffix(".json").removesuffix(".schema") for name in names)


@pytest.mark.parametrize("kind", shipped())
def test_shipped_schemas_are_understood_whole_and_their_examples_pass(kind: str) -> None:
    rules = schema(kind)
    jsonschema.Draft202012Validator.check_schema(rules)
    assert not_understood(dict(rules)) == set()
    for example in rules.get("examples", ()):
        assert validate(kind, example) == []
        json.dumps(example)
