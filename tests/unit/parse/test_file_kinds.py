"""What a path says of its file."""

from __future__ import annotations

import pytest

from ebbtide.parse.file_kinds import conflict_copy, in_template_folder, is_attachment


@pytest.mark.parametrize(
    ("path", "tool", "original"),
    [
        ("a/Plan.sync-conflict-20260101-120000-ABCDEFG.md", "Syncthing", "a/Plan.md"),
        ("Plan.sync-conflict-20260101-120000.md", "Syncthing", "Plan.md"),
        ("Plan (Ann's conflicted copy 2026-01-01).md", "Dropbox", "Plan.md"),
        ("Plan (conflicted copy).md", "Dropbox", "Plan.md"),
        ("Plan (Ann's conflicted copy 2026-01-01) (1).md", "Dropbox", "Plan.md"),
        ("计划 (安的冲突副本 2026-01-01).md", "Dropbox", "计划.md"),
        ("计划（冲突副本）.md", "Dropbox", "计划.md"),
        ("計劃 (安 的衝突複本 2026-01-01).md", "Dropbox", "計劃.md"),
        ("计划的冲突副本 2026-01-01.md", "Dropbox", "计划.md"),
        ("Plan (Conflicted copy Pixel 7 202311011200).md", "Obsidian Sync", "Plan.md"),
        ("Plan (Conflicted copy device 20231101).md", "Obsidian Sync", "Plan.md"),
        ("Plan (conflicted copy 2026-01-01 120000).md", "Nextcloud", "Plan.md"),
        ("Plan_conflict-20260101-120000.md", "ownCloud", "Plan.md"),
        ("Plan (SFConflict ann@example.org 2026-01-01-12-00-00).md", "Seafile", "Plan.md"),
        ("Plan [conflicted].md", "pCloud", "Plan.md"),
        ("Plan.Conflict.md", "Resilio Sync", "Plan.md"),
        ("Board.sync-conflict-20260101-120000-ABCDEFG.canvas", "Syncthing", "Board.canvas"),
    ],
)
def test_names_that_sync_programs_make_are_conflict_copies(path: str, tool: str, original: str) -> None:
    found = conflict_copy(path)
    assert found is not None
    assert (found.tool, found.original) == (tool, original)


@pytest.mark.parametrize(
    "path",
    [
        "Plan.md", "Plan 2.md", "Plan (1).md", "Plan-LAPTOP.md", "Conflict.md", "Notes (conflict resolution).md",
        "What to do with a conflicted copy.md", "冲突副本怎么处理.md", "Dropbox的冲突副本.md", "sync-conflict.md",
        "Plan.sync-conflict-20260101-120000-ABCDEFG/inside.md", ".conflict.md", "(conflicted copy).md", "冲突.md",
        "两国冲突 2026-01-01.md",
    ],
)  # fmt: skip
def test_names_that_people_give_are_not(path: str) -> None:
    assert conflict_copy(path) is None


def test_template_folders_and_attachments() -> None:
    assert [in_template_folder(p) for p in ("Templates/a.md", "x/模板/a.md", "Meta Template/a.md", "00 Templates/a")]
    assert not any(in_template_folder(p) for p in ("Templates.md", "a/Templates.md", "a.md"))
    assert [is_attachment(p) for p in ("a.png", "x/b.PDF", "c.webm")] == [True] * 3
    assert not any(is_attachment(p) for p in ("png", "a.png/b", "a.md", "a.base", "a.canvas"))
