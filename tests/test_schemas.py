"""The schemas are valid, their examples meet them, and records, wire models and settings are what they say."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ebbtide import config
from ebbtide.memory import codec
from ebbtide.memory.records import Evidence, Fact, FactId, Link
from ebbtide.memory.states import FACT_TYPES
from ebbtide.serve import wire, wire_memory, wire_rulings
from ebbtide.vault import contracts

FOLDER = Path(__file__).parents[1] / "schemas"
NAMES = sorted(file.name.removesuffix(".schema.json") for file in FOLDER.glob("*.schema.json"))
WANTED = {
    "fact",
    "link",
    "revision",
    "use",
    "note-properties",
    "recall-response",
    "status",
    "config",
    "exam-query",
    "exam-result",
    "exam-question",
    "exam-results",
    "ebbtide-json",
    "health",
    "report",
}


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))
    return found


def meets(name: str, record: Any) -> None:
    jsonschema.Draft202012Validator(load(name)).validate(record)


def test_all_of_them_are_here() -> None:
    assert set(NAMES) == WANTED


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_versioned_and_has_two_examples(name: str) -> None:
    schema = load(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].endswith(f"/{name}.schema.json")
    assert schema["x-version"] >= 1
    assert schema["title"] and schema["description"]
    assert len(schema["examples"]) >= 2
    for example in schema["examples"]:
        meets(name, example)
        assert contracts.validate(name, example) == [], "the daemon's own validator agrees"


@pytest.mark.parametrize("name", NAMES)
def test_unknown_keys_are_allowed(name: str) -> None:
    meets(name, load(name)["examples"][0] | {"a key of a later version": {"x": [1]}})
    assert "false" not in re.findall(r'"additionalProperties": (\w+)', json.dumps(load(name)))


@pytest.mark.parametrize("name", NAMES)
def test_the_daemons_validator_understands_every_keyword(name: str) -> None:
    assert contracts.not_understood(load(name)) == set()


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("fact", {"type": "opinion"}),
        ("fact", {"line": 0}),
        ("fact", {"confidence": 1.2}),
        ("fact", {"id": "x"}),
        ("fact", {"quote": None}),
        ("link", {"weight": "some"}),
        ("link", {"kind": "hyperlink"}),
        ("link", {"line": 0}),
        ("revision", {"kind": "erase"}),
        ("use", {"subjects": []}),
        ("note-properties", {"type": 7}),
        ("exam-query", {"id": ""}),
        ("exam-result", {"ms": -1}),
        ("exam-question", {"kind": "essay"}),
        ("exam-question", {"gold_line": 0}),
        ("exam-results", {"id": "x"}),
        ("exam-results", {"counts": {"pollution": [-1, 2]}}),
        ("ebbtide-json", {"vault_id": ""}),
        ("health", {"day": "soon"}),
        ("health", {"figures": {"steps": {"value": "far"}}}),
        ("report", {"candidates": [{"key": "c", "note": "A.md", "reasoning": "", "decision": "keep"}]}),
        ("report", {"counts": {"promote": -1}}),
        ("status", {"state": "fine"}),
        ("config", {"recall": {"budget": "many"}}),
        ("config", {"recall": {"budget_mode": "guess"}}),
        ("recall-response", {"frame": "dream"}),
    ],
)
def test_what_is_wrong_is_found(name: str, broken: dict[str, Any]) -> None:
    record = load(name)["examples"][0] | broken
    with pytest.raises(jsonschema.ValidationError):
        meets(name, record)
    assert contracts.validate(name, record)


# --- records ---------------------------------------------------------------------------------------------------------

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
maybe = st.none() | text
some = text.filter(bool)
share = st.floats(0, 1)
lines = st.integers(1, 10**6)
hexes = st.text("0123456789abcdef", min_size=16, max_size=16)

facts = st.builds(
    Fact,
    id=hexes.map(lambda x: FactId(f"f_{x}")),
    fact=some,
    source=some,
    line=lines,
    quote=text,
    note_hash=text,
    type=st.sampled_from(FACT_TYPES),
    recorded_at=text,
    heading=maybe,
    source_kind=st.sampled_from(["note", "conversation", "external"]),
    tags=st.lists(text, max_size=3).map(tuple),
    created_at=maybe,
    precision=st.sampled_from([None, "day", "month", "year"]),
    verified_at=maybe,
    subject=maybe,
    attribute=maybe,
    value=maybe,
    unit=maybe,
    valid_from=maybe,
    valid_to=maybe,
    origin=st.sampled_from(["observed", "derived", "agent"]),
    confidence=share,
    importance=st.floats(1, 10),
    scope=st.sampled_from(["user", "project", "temporary", "observation"]),
    project=maybe,
    frame=st.sampled_from(["current", "historical", "change", "plan"]),
    trigger=text,
    action=maybe,
    why=maybe,
    because=maybe,
    evidence=st.lists(st.builds(Evidence, source=some, line=lines, quote=text, created_at=maybe), max_size=2).map(
        tuple
    ),
    related=st.lists(st.fixed_dictionaries({"id": text, "type": text}), max_size=2).map(tuple),
    expires_at=maybe,
    review_at=maybe,
    extractor=text,
    private=st.booleans(),
    extra=st.dictionaries(some.map(lambda x: f"x-{x}"), text, max_size=2),
)
links = st.builds(
    Link,
    source=some,
    origin=some,
    target=maybe,
    type=some,
    weight=st.sampled_from(["strong", "weak"]),
    raw=text,
    kind=st.sampled_from(["wikilink", "embed", "markdown", "frontmatter", "inline-field", "canvas"]),
    relation=maybe,
    declared=st.booleans(),
    confidence=share,
    heading=maybe,
    block=maybe,
    alias=maybe,
    offset=st.integers(0, 10**7),
    line=lines,
    column=st.integers(0, 10**5),
    snippet=text,
    ambiguous=st.booleans(),
    native=st.booleans(),
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(facts)
def test_facts_round_trip_and_meet_their_schema(fact: Fact) -> None:
    record = json.loads(json.dumps(codec.fact_to_dict(fact)))
    meets("fact", record)
    wire_rulings.FactRecord.model_validate(record)
    assert codec.fact_from_dict(record) == fact


@quick
@given(links)
def test_links_round_trip_and_meet_their_schema(link: Link) -> None:
    record = json.loads(json.dumps(codec.link_to_dict(link)))
    meets("link", record)
    wire_memory.LinkRecord.model_validate(record)
    assert codec.link_from_dict(record) == link


def test_an_unknown_key_of_a_fact_survives() -> None:
    record = load("fact")["examples"][0] | {"mood": {"deep": [1, None]}}
    assert codec.fact_to_dict(codec.fact_from_dict(record)) == record


# --- names -----------------------------------------------------------------------------------------------------------


def _fields(model: type[wire.Response]) -> list[str]:
    return [item.alias or name for name, item in model.model_fields.items()]


def test_records_wire_models_and_schemas_name_the_same_keys() -> None:
    fact = [item.name for item in dataclasses.fields(Fact) if item.name != "extra"]
    link = ["from" if item.name == "origin" else item.name for item in dataclasses.fields(Link)]
    assert fact == _fields(wire_rulings.FactRecord) == list(load("fact")["properties"])
    assert link == _fields(wire_memory.LinkRecord) == list(load("link")["properties"])
    assert _fields(wire_memory.RecallResponse) == list(load("recall-response")["properties"])
    assert _fields(wire.StatusResponse) == list(load("status")["properties"])
    entry = load("fact")["properties"]["evidence"]["items"]["properties"]
    assert [item.name for item in dataclasses.fields(Evidence)] == _fields(wire_rulings.EvidenceRecord) == list(entry)


def test_a_fact_of_the_api_is_a_record_with_its_standing() -> None:
    assert _fields(wire_rulings.FactView)[-11:-8] == ["layer", "state", "temperature"]


def test_every_setting_has_its_schema_and_every_default_meets_it() -> None:
    sections = load("config")["properties"]
    for section in dataclasses.fields(config.Config):
        keys = [item.name.rstrip("_") for item in dataclasses.fields(getattr(config.Config(), section.name))]
        assert list(sections[section.name]["properties"]) == keys
    defaults = {
        name: {key: rules["default"] for key, rules in section["properties"].items()}
        for name, section in sections.items()
    }
    meets("config", defaults)


def test_words_of_the_closed_sets_are_those_of_the_code() -> None:
    assert load("fact")["properties"]["type"]["enum"] == list(FACT_TYPES)
