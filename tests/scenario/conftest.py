"""A place with an empty vault."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault").mkdir()
    return Place(tmp_path)
