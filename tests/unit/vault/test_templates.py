"""The template folders of Obsidian's settings: followed as they change, and never believed blindly."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ebbtide.vault.templates import Templates

CORE, TEMPLATER = ".obsidian/templates.json", ".obsidian/plugins/templater-obsidian/data.json"


def put(root: Path, file: str, data: Any) -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")


def test_both_settings_are_followed_as_they_change(tmp_path: Path) -> None:
    found = Templates(tmp_path)
    assert not found.matches("Templates/a.md")
    put(tmp_path, CORE, {"folder": "Templates"})
    assert found.matches("templates/A.md")
    assert not found.matches("Templates.md")
    assert not found.matches("Templates 2/a.md")
    put(tmp_path, TEMPLATER, {"templates_folder": "/模板/子/"})
    assert found.matches("模板/子/a.md")
    assert found.matches("Templates/a.md")
    put(tmp_path, CORE, {"folder": "Elsewhere/Deep"})
    assert [found.matches(p) for p in ("Templates/a.md", "Elsewhere/Deep/x/a.md", "Elsewhere/a.md")] == [
        False,
        True,
        False,
    ]
    (tmp_path / CORE).unlink()
    assert not found.matches("Elsewhere/Deep/a.md")


@pytest.mark.parametrize("folder", ["", "/", " ", ".", None, 3, ["Templates"], {"a": 1}])
def test_the_whole_vault_is_never_a_template_folder(tmp_path: Path, folder: Any) -> None:
    put(tmp_path, CORE, {"folder": folder})
    assert not Templates(tmp_path).matches("a.md")
    assert not Templates(tmp_path).matches("Templates/a.md")


def test_a_file_that_is_being_written_changes_nothing(tmp_path: Path) -> None:
    found = Templates(tmp_path)
    put(tmp_path, CORE, {"folder": "T"})
    assert found.matches("T/a.md")
    put(tmp_path, CORE, '{"fold')
    assert found.matches("T/a.md")
    put(tmp_path, CORE, {"folder": "U"})
    os.utime(tmp_path / CORE, ns=(1, 1))
    assert [found.matches("T/a.md"), found.matches("U/a.md")] == [False, True]
