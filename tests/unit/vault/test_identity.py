"""Whose memory a folder is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ebbtide.memory.errors import VaultError
from ebbtide.vault.identity import cache_dir, device_id, open_memory, private_folder, state_dir, vault_key
from ebbtide.vault.store import VaultStore


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def test_is_made_once_and_found_again(root: Path) -> None:
    made = open_memory(VaultStore.open(root))
    assert made.stored
    assert open_memory(VaultStore.open(root)) == made
    record = json.loads((root / "Memory/.ebbtide.json").read_text())
    assert record == {"vault_id": made.vault_id, "schema": 1}


def test_read_only_writes_nothing_and_answers_the_same_twice(root: Path) -> None:
    first = open_memory(VaultStore.open(root), read_only=True)
    assert list(root.iterdir()) == []
    assert not first.stored
    assert open_memory(VaultStore.open(root), read_only=True) == first


def test_a_folder_of_somebody_else_is_refused_and_the_key_named(root: Path) -> None:
    (root / "Memory").mkdir()
    (root / "Memory/my holiday.md").write_text("x")
    for read_only in (False, True):
        with pytest.raises(VaultError, match=r"memory\.folder"):
            open_memory(VaultStore.open(root), read_only=read_only)
    assert open_memory(VaultStore.open(root, "Ebb memory")).stored
    (root / "File").write_text("x")
    with pytest.raises(VaultError, match=r"memory\.folder"):
        open_memory(VaultStore.open(root, "File"))


def test_an_empty_folder_is_what_a_crash_leaves(root: Path) -> None:
    (root / "Memory").mkdir()
    assert open_memory(VaultStore.open(root)).stored


def test_unknown_keys_and_a_mark_are_no_trouble(root: Path) -> None:
    (root / "Memory").mkdir()
    (root / "Memory/.ebbtide.json").write_bytes(b'\xef\xbb\xbf{"vault_id": "v_1", "schema": 1, "new": [1]}\r\n')
    assert open_memory(VaultStore.open(root)).vault_id == "v_1"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"vault_id": 3, "schema": 1}', '{"vault_id": "v"}', '{"vault_id": "v", "schema": 99}']
)
def test_a_damaged_or_newer_file_stops_with_a_remedy_and_stays(root: Path, text: str) -> None:
    (root / "Memory").mkdir()
    (root / "Memory/.ebbtide.json").write_text(text)
    with pytest.raises(VaultError) as caught:
        open_memory(VaultStore.open(root))
    assert caught.value.remedy
    assert (root / "Memory/.ebbtide.json").read_text() == text


def test_a_copied_vault_has_folders_of_its_own(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    link = tmp_path / "link"
    link.symlink_to(root)
    base = tmp_path / "cache"
    assert cache_dir(base, "v_1", root) != cache_dir(base, "v_1", copy)
    assert cache_dir(base, "v_1", root) == cache_dir(base, "v_1", link)
    assert cache_dir(base, "v_1", root) != cache_dir(base, "v_2", root)
    assert state_dir(base, "v_1", root).name == vault_key("v_1", root)


def test_the_device_keeps_its_digits(tmp_path: Path) -> None:
    state = tmp_path / "state"
    made = device_id(state)
    assert len(made) == 8
    assert int(made, 16) >= 0
    assert device_id(state) == made
    (state / "device").write_text("nonsense")
    again = device_id(state)
    assert device_id(state) == again != "nonsense"
    assert state.stat().st_mode & 0o777 == 0o700
    private_folder(state)
