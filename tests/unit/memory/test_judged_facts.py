"""The verdicts on facts read by hand hold references and nothing of the texts, and are of one make."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "judged_facts.jsonl").read_text("utf-8").splitlines()
]


def test_a_verdict_is_a_reference_and_marks() -> None:
    for row in ROWS:
        assert set(row) == {"round", "set", "path", "line", "fact", "worth", "alone", "type", "date", "reason", "gate"}
        assert re.fullmatch(r"[0-9a-f]{16}", row["fact"])
        assert row["date"] in ("right", "wrong", "none")
        assert all(isinstance(row[key], bool) for key in ("worth", "alone", "type"))


def test_every_rejected_fact_has_a_reason_and_no_kept_one_has() -> None:
    assert all(bool(row["reason"]) != (row["worth"] and row["alone"]) for row in ROWS)


def test_the_rounds_read_different_notes_of_at_least_four_sets() -> None:
    read: dict[str, set[tuple[str, str]]] = {}
    for row in ROWS:
        read.setdefault(row["round"], set()).add((row["set"], row["path"]))
    assert set(read) == {"before", "first", "second", "after"}
    assert sum(map(len, read.values())) == len(set().union(*read.values()))
    assert all(len({of for of, _ in notes}) >= 4 for notes in read.values())
    assert len(ROWS) >= 200
