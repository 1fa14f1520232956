"""What the report says of merging and of a core that has become smaller."""

from __future__ import annotations

from typing import Any

import pytest

from ebbtide.memory.states import Lang
from ebbtide.sleep.report_merge import Joined, sections, success, twin

DONE = Joined("r_1", "Memory/core/patterns/A.md", "Memory/core/principles/B.md", "Half [[of]] it", "an instance of “B”")


def line(day: str, core: float | None) -> dict[str, Any]:
    return {"id": f"h_{day}", "at": f"{day}T03:00:00Z", "day": day, "figures": {"core": {"value": core}}}


@pytest.mark.parametrize(("lang", "title"), [("en", "## Merged"), ("zh", "## 合并")])
def test_each_merge_is_told_with_both_files_why_and_how_it_is_undone(lang: Lang, title: str) -> None:
    [head, lines] = sections([DONE, DONE], lang, lambda path: f"<{path}>")
    assert head == [title]
    assert len([one for one in lines if one.startswith("- <Memory/core/patterns/A.md>")]) == 2
    assert "<Memory/core/principles/B.md>" in lines[0]
    assert "[[of]]" not in lines[0], "words of a note make no link"
    assert "ebbtide undo r_1" in lines[-1]
    assert sections([], lang, lambda path: path) == []
    assert twin([DONE]) == [
        {"revision": "r_1", "covered": DONE.covered, "into": DONE.into, "text": DONE.text, "why": DONE.why}
    ]


def test_a_smaller_core_is_told_as_success_and_nothing_else_is() -> None:
    now = line("2026-11-30", 9.0)
    assert success(now, [line("2026-10-31", 12.0)], "en")[0] == "> [!success]"
    assert "12 memories then, 9 now" in success(now, [line("2026-10-31", 12.0)], "en")[1]
    assert "当时 12 条，现在 9 条" in success(now, [line("2026-10-31", 12.0)], "zh")[1]
    for history in ([], [line("2026-10-31", 9.0)], [line("2026-10-31", 3.0)], [line("2026-11-29", 12.0)]):
        assert success(now, history, "en") == []
    assert success(line("2026-11-30", None), [line("2026-10-31", 12.0)], "en") == []
