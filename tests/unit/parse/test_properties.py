"""Properties: what counts as a block, YAML 1.2 core values, places, and hostile blocks."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.properties import Properties, find_block, read_properties


def read(block: str) -> Properties:
    return read_properties("n.md", f"---\n{block}\n---\nbody\n")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nbody", 13),
        ("---  \r\na: 1\r\n---\t\r\nbody", 19),
        ("---\n---\n", 8),
        ("---\na: 1\n---", 12),
        ("\n---\na: 1\n---\n", 0),
        (" ---\na: 1\n---\n", 0),
        ("----\na: 1\n----\n", 0),
        ("---\na: 1\n", 0),
        ("---\na: 1\n--- x\n----\n", 0),
        ("", 0),
    ],
)
def test_where_the_body_begins(text: str, body: int) -> None:
    assert read_properties("n.md", text).body == body
    assert (find_block(text) is None) == (body == 0)


def test_values_are_core_yaml_and_json() -> None:
    values = read(
        "date: 2023-02-30\ntime: 12:30\nanswer: yes\nstate: off\nn: 1.10\ni: 0123\nhex: 0x1F\n"
        "big: 99999999999999999999\nt: True\nf: false\nnone: ~\nempty:\ninf: .inf\nhuge: 1e999\ntext: |\n  a\n  b\nlist: [a, 1, null]"
    ).values
    assert values == {
        "date": "2023-02-30", "time": "12:30", "answer": "yes", "state": "off", "n": 1.1, "i": 123, "hex": 31,
        "big": "99999999999999999999", "t": True, "f": False, "none": None, "empty": None, "inf": ".inf",
        "huge": "1e999", "text": "a\nb\n", "list": ["a", 1, None],
    }  # fmt: skip


def test_keys_stay_as_written() -> None:
    values = read("2024: a\nyes: b\n~: c\ncontent: d\nhandler: e\n[x]: f\nslot: {{date}}").values
    assert values == {
        "2024": "a", "yes": "b", "~": "c", "content": "d", "handler": "e", '["x"]': "f",
        "slot": {'{"date": null}': None},
    }  # fmt: skip


def test_json_block_is_read_even_where_yaml_cannot() -> None:
    found = read('{\n\t"up": "[[A]]",\n\t"smile": "\\ud83d\\ude00", "half": "\\ud800", "n": 18446744073709551616\n}')
    assert found.values == {"up": "[[A]]", "smile": "😀", "half": "\ufffd", "n": "18446744073709551616"}
    assert found.lines["up"] == 3
    assert found.problems == ()


def test_lines_and_places_of_values() -> None:
    text = "---\n# note\na: \"[[é🔥]]\"\n\nlist:\n  - x\n  - '[[Y]]'\nopen: [[Z|z]]\n---\n"
    found = read_properties("n.md", text)
    assert found.lines == {"a": 3, "list": 5, "open": 8}
    assert [(t.key, text[t.start : t.start + len(t.text)], t.native) for t in found.texts] == [
        ("a", "[[é🔥]]", True), ("list", "x", True), ("list", "[[Y]]", True), ("open", "[[Z|z]]", False),
    ]  # fmt: skip


def test_double_key_keeps_the_first_and_names_the_line() -> None:
    found = read("a: 1\nb: 2\na: 3")
    assert found.values == {"a": 1, "b": 2}
    assert [(p.code, p.line) for p in found.problems] == [("yaml-duplicate-key", 4)]


@pytest.mark.parametrize("block", ["- a\n- b", "just words", "12"])
def test_no_map_is_no_properties(block: str) -> None:
    found = read(block)
    assert found.values == {}
    assert [p.code for p in found.problems] == ["properties-not-a-map"]


@pytest.mark.parametrize(
    ("block", "code", "line"),
    [
        ("a: [x\nb: 1", "yaml-invalid", None),
        ("a: 1\nb: @x", "yaml-invalid", 3),
        ("a:\n\t- b", "yaml-invalid", 3),
        ("a: \0", "yaml-invalid", 2),
        ("a: *gone", "yaml-invalid", 2),
        ("a: " + "[" * 60_000, "yaml-invalid", 2),
        ("a: " + "[" * 200 + "]" * 200, "yaml-hostile", 2),
        ("a: [" + "1," * 20_000 + "]", "yaml-hostile", 2),
        ("a: b\n" * 20_000, "yaml-too-large", 2),
        ('{"a": ' + "[" * 30_000, "yaml-invalid", 2),
    ],
)
def test_hostile_blocks_are_a_problem_with_a_line(block: str, code: str, line: int | None) -> None:
    began = time.process_time()
    found = read(block)
    assert time.process_time() - began < 2
    assert found.values == {}
    assert [p.code for p in found.problems] == [code]
    assert line is None or found.problems[0].line == line
    assert found.problems[0].fix


def test_alias_bomb_is_counted_before_it_grows() -> None:
    rows = ["a0: &a0 [x, x, x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]" for i in range(1, 30)]
    found = read("\n".join(rows))
    assert [p.code for p in found.problems] == ["yaml-hostile"]


def test_nothing_is_constructed_from_tags() -> None:
    assert read("a: !!python/object/apply:os.getcwd []\nb: !!timestamp 2020-01-01\nc: !!str 12").values == {
        "a": [], "b": "2020-01-01", "c": "12",
    }  # fmt: skip


@pytest.mark.parametrize("rest", ["x: [", "a: 1\na: 2", "y: @"])
def test_privacy_survives_a_block_that_is_not_understood(rest: str) -> None:
    found = read(f"private: true\nmemory: false\n{rest}")
    assert found.values["private"] is True
    assert found.values["memory"] is False
    assert found.problems


def test_unclosed_block_is_text_and_said_so() -> None:
    found = read_properties("n.md", "---\nup: x\nbody\n")
    assert (found.body, found.values) == (0, {})
    assert [(p.code, p.line) for p in found.problems] == [("properties-unclosed", 1)]
    assert read_properties("n.md", "---\n\na rule above\n").problems == ()


YAML_MARKS = list(" \n\t:-[]{}&*!|>'\"#?,.%@`~ab1é\ud800\U0001f525\x00\r<=")
YAMLISH = st.text(alphabet=st.sampled_from(YAML_MARKS), max_size=120)


@given(st.one_of(YAMLISH, st.text(max_size=80)))
def test_never_raises_and_gives_json(block: str) -> None:
    text = f"---\n{block}\n---\nbody"
    found = read_properties("n.md", text)
    assert 0 <= found.body <= len(text)
    json.dumps(found.values, allow_nan=False)
    for item in found.texts:
        assert 0 <= item.start <= item.end <= found.body
