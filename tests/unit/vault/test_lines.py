"""JSON lines on bytes, and writes that survive a crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.vault.lines import append_durably, dump_line, keep_rejected, last_by_id, parse_lines, replace_durably

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
records = st.dictionaries(st.text(max_size=5), plain, max_size=5)


@settings(deadline=None)
@given(st.lists(records, max_size=5))
def test_what_is_written_is_read_again(several: list[dict[str, object]]) -> None:
    data = b"".join(map(dump_line, several))
    parsed = parse_lines(data)
    assert parsed.records == several
    assert not parsed.rejected
    assert data.count(b"\n") == len(several)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    parsed = parse_lines(data)
    assert parsed.total == len(parsed.records) + len(parsed.rejected)
    for record in parsed.records:
        assert parse_lines(dump_line(record)).total == 1


def test_lone_surrogates_and_separators_stay_inside_their_record() -> None:
    line = b'{"id":"1","t":"a\\ud800b","s":"x\xe2\x80\xa8y\xc2\x85z"}\n'
    parsed = parse_lines(line)
    assert parsed.records == [{"id": "1", "t": "a\ud800b", "s": "x\u2028y\u0085z"}]
    assert dump_line(parsed.records[0]) == line


def test_large_integers_keep_every_digit_and_what_is_no_json_number_becomes_null() -> None:
    parsed = parse_lines(b'{"n":123456789012345678901234567890}\n{"n":NaN}\n{"n":1e999}\n')
    assert [record["n"] for record in parsed.records] == [123456789012345678901234567890, None, None]
    assert json.loads(dump_line(parsed.records[0]))["n"] == 123456789012345678901234567890


def test_marks_carriage_returns_and_conflicts() -> None:
    data = (
        b'\xef\xbb\xbf{"id":"1","v":1}\r\n<<<<<<< HEAD\n{"id":"2","v":"ours"}\n||||||| base\n{"id":"2","v":"base"}\n'
        b'=======\n{"id":"2","v":"theirs"}\n{"id":"3"}\n>>>>>>> branch\n\n   \n'
    )
    parsed = parse_lines(data)
    assert not parsed.rejected
    assert last_by_id(parsed.records) == {"1": {"id": "1", "v": 1}, "2": {"id": "2", "v": "theirs"}, "3": {"id": "3"}}


def test_bad_lines_have_numbers_and_a_torn_end_is_no_bad_line(tmp_path: Path) -> None:
    data = b'{"id":"1"}\nnull\n[]\n{"a":\n\xff\n' + b"[" * 5000 + b'\n{"x":' * 3 + b'\n{"id":"2"}\n{"id":"to'
    parsed = parse_lines(data)
    assert [record["id"] for record in parsed.records] == ["1", "2"]
    assert [bad.line for bad in parsed.rejected] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert parsed.torn
    file = tmp_path / "state/x.rejected"
    problems = keep_rejected(file, "x.jsonl", parsed.rejected)
    assert [(p.path, p.line) for p in problems] == [("x.jsonl", n) for n in range(2, 10)]
    once = file.read_bytes()
    assert b"\nnull\n" in once
    keep_rejected(file, "x.jsonl", parsed.rejected)
    assert file.read_bytes() == once


def test_deep_nesting_is_rejected_rather_than_read_and_never_written() -> None:
    deep = b'{"a":' + b"[" * 900 + b"]" * 900 + b"}\n"
    parsed = parse_lines(deep)
    assert parsed.total == 1
    for record in parsed.records:
        dump_line(record)


def test_an_append_after_a_torn_line_starts_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "a/l.jsonl"
    append_durably(file, b'{"n":1}\n')
    with file.open("ab") as out:
        out.write(b'{"n":2,"te')
    append_durably(file, b'{"n":3}\n')
    parsed = parse_lines(file.read_bytes())
    assert [record["n"] for record in parsed.records] == [1, 3]
    assert [bad.line for bad in parsed.rejected] == [2]


def test_a_replacement_that_is_stopped_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "f"
    replace_durably(file, b"one")

    def stop(_stat: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        replace_durably(file, b"two", stop)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert file.read_bytes() == b"one"
