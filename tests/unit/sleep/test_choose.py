"""Which notes go to Claude, which never do, and from where the way to it may be taken."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.config import Config, load
from ebbtide.memory.records import Note
from ebbtide.parse.note import parse_note
from ebbtide.serve.actions import flat
from ebbtide.sleep.choose import Access, access, choose


def settings(**layer: Any) -> Config:
    config, problems = load([("config.toml", layer)])
    assert problems == []
    return config


def note(properties: str, path: str = "Work/Note.md", body: str = "text") -> Note:
    return parse_note(path, f"---\n{properties}\n---\n{body}\n")


DEFAULT = Config().extract


@pytest.mark.parametrize(
    ("properties", "send"),
    [
        ("type: debug", True),
        ("type: Experiment", True),
        ("type: episode", True),
        ("type: decision", True),
        ("type: ADR", True),
        ("type: 决策", True),
        ("类型: 复盘", True),
        ("type: [note, incident]", True),
        ("result: failure", True),
        ("result:", False),
        ("result: 失败", True),
        ("type: recipe", False),
        ("title: plain", False),
        ("type: 7", False),
    ],
)
def test_by_default_episodes_and_decisions(properties: str, send: bool) -> None:
    chosen = choose(note(properties), DEFAULT, excluded=False)
    assert chosen.send is send
    assert chosen.reason


def test_a_diary_that_tells_of_an_attempt_stays_here() -> None:
    told = note("title: Tuesday", "Daily/2026-05-12.md", "I tried the old key. It failed because of rust.")
    assert not choose(told, DEFAULT, excluded=False).send


@pytest.mark.parametrize(
    "properties",
    [
        "private: true",
        "private: yes",
        'private: "true"',
        "Private: true",
        "private: 1",
        "private: [x]",
        "memory: false",
        "memory: no",
        'Memory: "off"',
        "private: &a [*a]\nx: [",
        "bad: [unclosed",
        "key: v\n\tkey: v",
    ],
)
def test_what_is_or_might_be_private_never_goes(properties: str) -> None:
    rules = settings(extract={"folders": [""], "types": ["decision"], "tags": ["x"]}).extract
    assert choose(note("type: decision"), rules, excluded=False).send
    assert not choose(note(f"type: decision\n{properties}"), rules, excluded=False).send


@pytest.mark.parametrize("properties", ["private: false", "private:", "memory: true", "private: no"])
def test_a_no_is_a_no(properties: str) -> None:
    assert choose(note(f"type: decision\n{properties}"), DEFAULT, excluded=False).send


def test_exclusions_templates_copies_and_drawings_never_go() -> None:
    assert not choose(note("type: decision"), DEFAULT, excluded=True).send
    for path in ("Templates/T.md", "A.sync-conflict-20260101-120000-ABCDEFG.md", "D.excalidraw.md"):
        assert not choose(note("type: decision", path), DEFAULT, excluded=False).send, path


def test_folders_types_and_tags_are_any_of_them() -> None:
    rules = settings(extract={"folders": ["Work/Labs"], "types": ["meeting"], "tags": ["key"]}).extract
    assert choose(note("a: b", "work/labs/x/N.md"), rules, excluded=False).send
    assert not choose(note("a: b", "Work/Labs2/N.md"), rules, excluded=False).send
    assert choose(note("type: Meeting"), rules, excluded=False).send
    assert choose(note("tags: [key/sub]"), rules, excluded=False).send
    assert choose(note("a: b", body="see #KEY"), rules, excluded=False).send
    assert not choose(note("a: b", body="see #keys"), rules, excluded=False).send
    assert not choose(note("type: decision"), rules, excluded=False).send


def test_never_goes_before_everything() -> None:
    rules = settings(extract={"folders": ["Work"], "never": ["Work/Staff", "#salary"]}).extract
    assert choose(note("a: b"), rules, excluded=False).send
    assert not choose(note("a: b", "Work/Staff/N.md"), rules, excluded=False).send
    assert not choose(note("tags: salary"), rules, excluded=False).send


def test_rules_alone_can_be_asked_for() -> None:
    assert not choose(note("type: decision"), settings(extract={"with": "rules"}).extract, excluded=False).send


def test_the_purpose_is_that_of_the_deepest_folder() -> None:
    rules = settings(extract={"purpose": {"Work": "work", "Work/Family": "life"}}).extract
    found = {path: choose(note("type: debug", path), rules, excluded=False).purpose for path in ("Work/N.md", "N.md")}
    assert found == {"Work/N.md": "work", "N.md": "all"}
    assert choose(note("type: debug", "work/family/N.md"), rules, excluded=False).purpose == "life"


# --- the way to Claude ------------------------------------------------------------------------------------------------

KEYED = {"ANTHROPIC_API_KEY": "sk-1"}


def way(environ: dict[str, str], limits: dict[str, Any] | None = None, **claude: Any) -> Access | str:
    config = settings(claude=claude, limits=limits or {})
    return access(config.claude, config.limits, environ)


def test_without_model_key_or_money_it_is_off_and_says_why() -> None:
    assert "claude.model" in str(way(KEYED))
    assert "ANTHROPIC_API_KEY" in str(way({}, model="m"))
    assert "offline" in str(way(KEYED, model="m", offline=True))
    assert "money_a_day" in str(way(KEYED, {"money_a_day": 0}, model="m"))
    assert way(KEYED, model="m") == Access("m", "sk-1", "")


def test_the_environment_goes_before_the_users_file() -> None:
    both = way(
        {**KEYED, "ANTHROPIC_BASE_URL": "https://a.example"}, model="m", api_key="sk-2", base_url="https://b.example"
    )
    assert both == Access("m", "sk-1", "https://a.example")
    assert way({}, model="m", api_key="sk-2", base_url="https://b.example") == Access("m", "sk-2", "https://b.example")


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://gate.example/v1", True),
        ("http://127.0.0.1:8080", True),
        ("http://localhost/x", True),
        ("http://[::1]:9", True),
        ("http://gate.example", False),
        ("http://localhost@evil.example", False),
        ("http://127.0.0.1.evil.example", False),
        ("ftp://x", False),
    ],
)
def test_a_key_is_not_sent_in_the_clear(url: str, safe: bool) -> None:
    assert isinstance(way({**KEYED, "ANTHROPIC_BASE_URL": url}, model="m"), Access) is safe
    _, problems = load([("config.toml", {"claude": {"base_url": url}})])
    assert (problems == []) is safe


def test_a_vault_sets_nothing_of_this() -> None:
    layer = {
        "claude": {"model": "m", "base_url": "https://evil.example", "api_key": "sk-3", "offline": False},
        "extract": {"folders": [""], "with": "claude", "when": "night", "purpose": {"": "work"}},
        "prices": {"input": {"m": 0.0}},
        "limits": {"tokens_a_day": 9, "money_a_day": 9.0},
    }
    config, problems = load([("Memory/ebbtide.toml", layer)])
    assert config == Config()
    assert {problem.code for problem in problems} == {"config-forbidden"}
    assert len(problems) == sum(map(len, layer.values()))


def test_the_key_is_not_shown() -> None:
    assert "sk-1" not in repr(way(KEYED, model="m"))
    _, problems = load([("a", {"claude": {"api_key": "sk-hidden"}}), ("b", {"claude": {"api_key": 5}})])
    assert "sk-hidden" not in str(problems)


def test_the_settings_that_are_printed_hide_the_key() -> None:
    shown = flat(settings(claude={"api_key": "sk-hidden", "model": "m"}))
    assert "sk-hidden" not in str(shown)
    assert (shown["claude.api_key"], shown["claude.model"]) == ("(set)", "m")
    assert flat(Config())["claude.api_key"] == ""
