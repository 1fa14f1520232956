"""The records as files hold them: conversions to and from dicts, and the JSON Schemas they must meet.

The schemas are data: `schemas/` at the top of a checkout, `ebbtide/schemas` in a wheel. The validator knows the part of
JSON Schema 2020-12 that our schemas use, so that the daemon needs no library for it; the tests compare it with one.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import Problem

# -- schemas -----------------------------------------------------------------------------------------------------------


def schema_folder() -> Traversable:
    """Where the schemas are: in the package when installed, at the top of the checkout otherwise."""
    packaged = resources.files("ebbtide").joinpath("schemas")
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[3] / "schemas"


@functools.cache
def schema(kind: str) -> Mapping[str, Any]:
    """The schema of a kind of record, by its file name without ending. Raises LookupError if there is none."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", kind):
        raise LookupError(f"no schema is called {kind!r}")
    for name in (f"{kind}.schema.json", f"{kind}.json"):
        file = schema_folder().joinpath(name)
        if file.is_file():
            loaded: dict[str, Any] = json.loads(file.read_text("utf-8"))
            return loaded
    raise LookupError(f"no schema is called {kind!r}")


def validate(kind: str, record: object, where: str = "") -> list[Problem]:
    """What in a record does not meet its schema; each problem names the field. `where` is the file it came from."""
    whole = schema(kind)
    return [
        Problem(where or kind, None, "schema", f"{path or 'the record'}: {reason}", f"see schemas/{kind}", "warning")
        for path, reason in check(whole, record, whole)
    ]


def check(rules: Any, value: object, whole: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """(place, reason) for every rule that the value breaks. `whole` resolves local references."""
    if rules is True or rules is False:
        if not rules:
            yield path, "is not allowed"
        return
    if "$ref" in rules:
        yield from check(_resolve(rules["$ref"], whole), value, whole, path)
    kinds = rules.get("type")
    if kinds is not None and not any(_is(kind, value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield path, f"must be {kinds if isinstance(kinds, str) else ' or '.join(kinds)}"
        return
    if "enum" in rules and not any(_same(value, allowed) for allowed in rules["enum"]):
        yield path, f"must be one of {', '.join(map(str, rules['enum']))}"
    if "const" in rules and not _same(value, rules["const"]):
        yield path, f"must be {rules['const']}"
    for rule, applies, broken in _BOUNDS:
        if rule in rules and applies(value) and broken(value, rules[rule]):
            yield path, f"breaks {rule} {rules[rule]}"
    if isinstance(value, dict):
        yield from _check_object(rules, value, whole, path)
    elif isinstance(value, list) and "items" in rules:
        for number, item in enumerate(value):
            yield from check(rules["items"], item, whole, f"{path}[{number}]")
    for part in rules.get("allOf", ()):
        yield from check(part, value, whole, path)
    for rule, most in (("anyOf", math.inf), ("oneOf", 1)):
        if rule in rules and not 1 <= sum(not any(check(part, value, whole, path)) for part in rules[rule]) <= most:
            yield path, f"does not meet {rule}"


def _check_object(
    rules: Mapping[str, Any],
    value: dict[str, Any],
    whole: Mapping[str, Any],
    path: str,
) -> Iterator[tuple[str, str]]:
    for name in rules.get("required", ()):
        if name not in value:
            yield f"{path}.{name}".lstrip("."), "is missing"
    named = rules.get("properties", {})
    patterns = {re.compile(pattern): part for pattern, part in rules.get("patternProperties", {}).items()}
    for name, item in value.items():
        place = f"{path}.{name}".lstrip(".")
        if name in named:
            yield from check(named[name], item, whole, place)
        matching = [part for pattern, part in patterns.items() if pattern.search(name)]
        for part in matching:
            yield from check(part, item, whole, place)
        if name not in named and not matching:
            yield from check(rules.get("additionalProperties", True), item, whole, place)


def _resolve(reference: str, whole: Mapping[str, Any]) -> Any:
    if not reference.startswith("#"):
        name, _, inner = reference.partition("#")
        other = schema(name.removesuffix(".json").removesuffix(".schema"))
        return _resolve("#" + inner, other)
    found: Any = whole
    for part in reference.removeprefix("#").split("/"):
        if part:
            found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is(kind: str, value: object) -> bool:
    if kind == "null":
        return value is None
    if kind == "number":
        return _number(value)
    if kind == "integer":
        return _number(value) and (not isinstance(value, float) or value.is_integer())
    known: dict[str, type] = {"string": str, "boolean": bool, "object": dict, "array": list}
    return kind in known and isinstance(value, known[kind])


def _same(left: object, right: object) -> bool:
    """Equality of JSON: 1 and 1.0 are one number, 1 and true are not the same."""
    return isinstance(left, bool) == isinstance(right, bool) and left == right


_BOUNDS: Final[tuple[tuple[str, Callable[[Any], bool], Callable[[Any, Any], bool]], ...]] = (
    ("minimum", _number, lambda value, bound: value < bound),
    ("maximum", _number, lambda value, bound: value > bound),
    ("exclusiveMinimum", _number, lambda value, bound: value <= bound),
    ("exclusiveMaximum", _number, lambda value, bound: value >= bound),
    ("multipleOf", _number, lambda value, step: not math.isclose(value / step, round(value / step))),
    ("minLength", lambda value: isinstance(value, str), lambda value, bound: len(value) < bound),
    ("maxLength", lambda value: isinstance(value, str), lambda value, bound: len(value) > bound),
    ("pattern", lambda value: isinstance(value, str), lambda value, pattern: re.search(pattern, value) is None),
    ("minItems", lambda value: isinstance(value, list), lambda value, bound: len(value) < bound),
    ("maxItems", lambda value: isinstance(value, list), lambda value, bound: len(value) > bound),
    ("minProperties", lambda value: isinstance(value, dict), lambda value, bound: len(value) < bound),
)
UNDERSTOOD: Final = frozenset(rule for rule, _, _ in _BOUNDS) | {
    "$ref",
    "type",
    "enum",
    "const",
    "required",
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "allOf",
    "anyOf",
    "oneOf",
    "$schema",
    "$id",
    "$defs",
    "$comment",
    "title",
    "description",
    "examples",
    "default",
    "format",
    "deprecated",
    "readOnly",
    "x-version",
}
"""Keywords that `check` applies or may pass over. A test holds every shipped schema against this list."""


def not_understood(rules: Any) -> set[str]:
    """Keywords in a schema that `check` would pass over in silence."""
    if isinstance(rules, list):
        return set().union(*map(not_understood, rules)) if rules else set()
    if not isinstance(rules, dict):
        return set()
    found = {word for word in rules if word not in UNDERSTOOD}
    for word, part in rules.items():
        if word in ("properties", "patternProperties", "$defs"):
            found |= not_understood(list(part.values()))
        elif word in ("items", "additionalProperties", "allOf", "anyOf", "oneOf"):
            found |= not_understood(part)
    return found
