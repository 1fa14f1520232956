"""A place with an empty vault, and the mark of the long counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault").mkdir()
    return Place(tmp_path)


@pytest.fixture(scope="session")
def thorough() -> bool:
    """True under `make evidence`: the counts that the issue asks for; else a few."""
    return os.environ.get("EBBTIDE_EVIDENCE") == "1"
