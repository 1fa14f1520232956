"""The settings: layers, ranges, and what a vault may not set."""

from __future__ import annotations

import ast
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ebbtide.config as module
from ebbtide.config import ENVIRONMENT, Config, load, table_markdown, vault_layer


def keys() -> list[tuple[str, Any]]:
    return [
        (f"{section.name}.{item.name.rstrip('_')}", item)
        for section in fields(Config)
        for item in fields(getattr(Config(), section.name))
    ]


def test_no_layers_are_the_defaults() -> None:
    assert load([]) == (Config(), [])


def test_the_tree_is_frozen_and_pure() -> None:
    with pytest.raises(FrozenInstanceError):
        Config().server.port = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        Config().recall.edges["causes"] = 2.0  # type: ignore[index]
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names} | {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    }
    assert imported.isdisjoint({"os", "pathlib", "time", "random", "tomllib", "io", "sys"})


def test_every_key_has_a_meaning_and_every_number_a_range_that_holds_its_default() -> None:
    for name, item in keys():
        meta = item.metadata
        assert meta["doc"], name
        default = item.default_factory() if callable(item.default_factory) else item.default
        values = list(default.values()) if hasattr(default, "values") else [default]
        for value in values:
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert meta["low"] <= value <= meta["high"], name
            if meta["choices"]:
                assert value in meta["choices"], name


def test_every_default_is_accepted_when_written_out() -> None:
    layer: dict[str, dict[str, Any]] = {}
    for name, item in keys():
        section, _, word = name.partition(".")
        default = item.default_factory() if callable(item.default_factory) else item.default
        layer.setdefault(section, {})[word] = list(default) if isinstance(default, tuple) else default
    assert load([("config.toml", layer)]) == (Config(), [])


def test_later_layers_win() -> None:
    config, problems = load(
        [
            ("config.toml", {"recall": {"budget": 1000, "max_items": 3}, "watch": {"mode": "scan"}}),
            ("config.toml [vault]", {"recall": {"budget": 2000}}),
            ("Memory/ebbtide.toml", {"recall": {"budget": 2500, "tail": 0.6}}),
            (ENVIRONMENT, {"EBBTIDE_RECALL_BUDGET": "3000", "HOME": "/root", "EBBTIDE_VAULT": "/notes"}),
            ("options", {"recall.hub_limit": 1}),
        ]
    )
    assert problems == []
    assert (config.recall.budget, config.recall.max_items, config.recall.hub_limit) == (3000, 3, 1)
    assert (config.recall.tail, config.watch.mode) == (0.6, "scan")


def test_an_unknown_key_names_the_nearest() -> None:
    _, problems = load([("config.toml", {"recall": {"bugdet": 1}, "srever": {"port": 1}, "loose": 3})])
    assert [problem.code for problem in problems] == ["config-unknown"] * 3
    assert "`recall.budget`" in problems[0].fix
    assert "`server.port`" in problems[1].fix
    _, problems = load([(ENVIRONMENT, {"EBBTIDE_RECALL_BUDGETS": "1"})])
    assert "`recall.budget`" in problems[0].fix


@pytest.mark.parametrize(
    ("layer", "word"),
    [
        ({"recall": {"budget": "many"}}, "whole number"),
        ({"recall": {"budget": True}}, "whole number"),
        ({"recall": {"budget": 1.5}}, "whole number"),
        ({"recall": {"budget": 0}}, "not within"),
        ({"recall": {"abstain": float("nan")}}, "not within"),
        ({"recall": {"budget_mode": "maximum"}}, "skip, stop"),
        ({"recall": {"edges": {"causes": 2}}}, "not within"),
        ({"recall": {"edges": {"hates": 1}}}, "no entry"),
        ({"recall": {"edges": 3}}, "a table"),
        ({"vault": {"excluded": "x"}}, "list of texts"),
        ({"vault": {"excluded": [1]}}, "list of texts"),
        ({"relations": {"synonyms": {"基于": "loves"}}}, "one of"),
        ({"embed": {"enabled": "yes"}}, "true or false"),
        ({"memory": {"folder": 3}}, "a text"),
        ({"recall": {"budget": None}}, "whole"),
    ],
)
def test_a_bad_value_is_a_problem_and_what_was_below_stays(layer: dict[str, Any], word: str) -> None:
    config, problems = load([("config.toml", layer)])
    assert config == Config()
    assert [problem.code for problem in problems] == ["config-value"]
    assert word in problems[0].message


def test_a_bad_value_keeps_that_of_the_layer_below() -> None:
    config, problems = load([("a", {"server": {"port": 30000}}), ("b", {"server": {"port": 1}})])
    assert config.server.port == 30000
    assert "30000 stays" in problems[0].fix


def test_pairs_out_of_order_keep_their_defaults() -> None:
    config, problems = load([("a", {"watch": {"settle": 9.0, "max_wait": 1.0}})])
    assert config == Config()
    assert len(problems) == 1


def test_a_vault_sets_ranking_schedule_and_exclusions_only() -> None:
    allowed = {name.partition(".")[0] for name, item in keys() if item.metadata["vault"]}
    assert allowed == {
        "vault",
        "recall",
        "heat",
        "lifecycle",
        "sleep",
        "merge",
    }  # time limits, nights and merges are a schedule
    forbidden = {
        "memory": {"folder": ".."},
        "embed": {"model": "/etc"},
        "server": {"port": 1234},
        "watch": {"mode": "scan"},
    }
    config, problems = load([("Memory/ebbtide.toml", forbidden)])
    assert config == Config()
    assert {problem.code for problem in problems} == {"config-forbidden"}
    assert len(problems) == 4


def test_no_key_that_holds_a_path_address_or_key_is_open_to_a_vault() -> None:
    for name, item in keys():
        if item.metadata["vault"] and isinstance(item.default, str):
            assert item.metadata["choices"] or item.metadata["pattern"], name


def test_exclusions_add_up_and_cannot_be_taken_away() -> None:
    config, _ = load(
        [
            ("config.toml", {"vault": {"excluded": ["Private/"]}}),
            ("Memory/ebbtide.toml", {"vault": {"excluded": []}}),
            (ENVIRONMENT, {"EBBTIDE_VAULT_EXCLUDED": "Drafts/, Private/"}),
        ]
    )
    assert config.vault.excluded == ("Private/", "Drafts/")


def test_tables_are_merged_word_by_word() -> None:
    config, problems = load(
        [
            (
                "a",
                {
                    "recall": {"edges": {"causes": 0.9}},
                    "relations": {"synonyms": {"基于": "depends_on"}},
                },
            ),
            (
                ENVIRONMENT,
                {"EBBTIDE_RECALL_EDGES": "supports=0.5", "EBBTIDE_RELATIONS_SYNONYMS": "leans_on=depends_on"},
            ),
        ]
    )
    assert problems == []
    edges = config.recall.edges
    assert (edges["causes"], edges["supports"], edges["depends_on"]) == (0.9, 0.5, 1.0)
    assert dict(config.relations.synonyms) == {"基于": "depends_on", "leans_on": "depends_on"}


def test_sections_for_vaults_are_layers_of_their_own() -> None:
    user = {"recall": {"budget": 1000}, "vault": {"excluded": ["a/"], "/notes": {"recall": {"budget": 2000}}}}
    assert vault_layer(user, ["/other", "/notes"]) == {"recall": {"budget": 2000}}
    assert vault_layer(user, ["/other"]) == vault_layer({"vault": 3}, ["/notes"]) == vault_layer({}, ["/notes"]) == {}
    config, problems = load([("user", user), ("user, this vault", vault_layer(user, ["/notes"]))])
    assert problems == []
    assert (config.recall.budget, config.vault.excluded) == (2000, ("a/",))


@pytest.mark.parametrize(("text", "value"), [("1", True), ("off", False), ("True", True)])
def test_words_for_yes_and_no(text: str, value: bool) -> None:
    assert load([(ENVIRONMENT, {"EBBTIDE_EMBED_ENABLED": text})])[0].embed.enabled is value


toml = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from([name for name, _ in keys()])


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from([*(f.name for f in fields(Config)), "x"]) | st.text(max_size=4), toml, max_size=4),
    st.dictionaries(names, toml, max_size=4),
    st.dictionaries(names, st.text(max_size=6), max_size=4),
)
def test_nothing_in_a_layer_makes_it_fail(
    layer: dict[str, Any], dotted: dict[str, Any], environment: dict[str, str]
) -> None:
    variables = {"EBBTIDE_" + name.upper().replace(".", "_"): text for name, text in environment.items()}
    config, problems = load([("a", layer), ("b/ebbtide.toml", layer), ("options", dotted), (ENVIRONMENT, variables)])
    assert isinstance(config, Config)
    assert all(problem.message and problem.fix for problem in problems)
    for section in fields(Config):
        for item in fields(getattr(config, section.name)):
            value, meta = getattr(getattr(config, section.name), item.name), item.metadata
            if isinstance(value, float | int) and not isinstance(value, bool):
                assert meta["low"] <= value <= meta["high"]


def test_the_table_names_every_key_once() -> None:
    table = table_markdown()
    for name, _ in keys():
        assert table.count(f"`{name}`") == 1
    assert "| `recall.budget` * | `6000` | 100 to 200000 | tokens of one answer |" in table
    assert all(line.count(" | ") == 3 for line in table.splitlines()[2:])
