"""A fit of settings as a person reads it."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.serve import show_tune
from ebbtide.serve.show import Pen

PLAIN = Pen()


@pytest.fixture
def report(answers: dict[str, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = answers["tune"]["result"]
    return found


def shown(report: dict[str, Any], **changed: Any) -> str:
    return show_tune.tune({"what": "tune", "state": "done", "message": "", "result": report | changed}, PLAIN)


def test_what_changed_why_before_and_after_and_the_way_back(report: dict[str, Any]) -> None:
    text = shown(report)
    for told in ("1 setting changed", "heat.half_life  14 -> 31.5  used for longer", "0.3600", "-0.0150 to -0.0050",
                 "20/30 (49%-81%)", "21/30", "+1 -0", "They stay.", "in force now", "ebbtide undo r_0123456789abcdef"):  # fmt: skip
        assert told in text, told


def test_what_was_not_written_is_said(report: dict[str, Any]) -> None:
    nothing = {"revision": None, "undo": None, "in_force": False}
    assert "1 setting would change" in (text := shown(report, dry_run=True, **nothing))
    assert "Nothing was written" in text
    assert "nothing better was found" in shown(report, changes=[], warmth=[], exam=[], **nothing)
    few = shown(report, enough=False, uses=12, missing=188, changes=[], warmth=[], exam=[], **nothing)
    assert "12 of 200 confirmed uses" in few
    assert "overruled" in shown(report, in_force=False)


def test_a_job_that_failed(answers: dict[str, dict[str, Any]]) -> None:
    body = answers["tune"] | {"result": None, "state": "failed", "message": "The disk is full."}
    assert show_tune.tune(body, PLAIN) == "tune: failed: The disk is full.\n"
