"""One writer a vault, between real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ebbtide.memory.errors import LockHeld, VaultError
from ebbtide.vault.locks import VaultLock, lock_file

HOLD = """
import sys, time
from pathlib import Path
from ebbtide.vault.locks import VaultLock
lock = VaultLock(Path(sys.argv[1]), Path(sys.argv[2]), started="2026-11-30T09:00:00").acquire()
lock.announce(27631)
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def test_a_second_process_is_told_who_holds_it_and_a_kill_frees_it(root: Path, tmp_path: Path) -> None:
    import ebbtide

    environment = {**os.environ, "PYTHONPATH": str(Path(ebbtide.__file__).parents[1])}
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "locks", root],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        lock = VaultLock(tmp_path / "locks", root, started="now")
        with pytest.raises(LockHeld, match=rf"process {holder.pid}, port 27631, since 2026-11-30T09:00:00"):
            lock.acquire()
        holder.send_signal(signal.SIGKILL)
        holder.wait(timeout=60)
    with lock:
        assert lock.held
        who = lock.holder()
        assert who is not None
        assert who.pid == os.getpid()


def test_in_one_process_too_and_the_file_is_never_removed(root: Path, tmp_path: Path) -> None:
    first, second = (VaultLock(tmp_path / "locks", root, started="now") for _ in range(2))
    with first, pytest.raises(LockHeld):
        second.acquire()
    inode = first.path.stat().st_ino
    with second:
        assert first.path.stat().st_ino == inode
    assert first.path.exists()
    assert not first.held
    assert not second.held


def test_a_child_does_not_keep_it(root: Path, tmp_path: Path) -> None:
    lock = VaultLock(tmp_path / "locks", root, started="now").acquire()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False) as child:
        lock.release()
        with VaultLock(tmp_path / "locks", root, started="now"):
            pass
        child.communicate(b"\n")


def test_one_name_for_every_spelling_of_a_vault(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    other = tmp_path / "other"
    other.mkdir()
    assert lock_file(tmp_path, link) == lock_file(tmp_path, root)
    assert lock_file(tmp_path, other) != lock_file(tmp_path, root)


def test_what_cannot_be_made_is_explained(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VaultError, match="cannot be made"):
        VaultLock(tmp_path / "file", root, started="now").acquire()
    with pytest.raises(VaultError, match="cannot be opened"):
        VaultLock(tmp_path, tmp_path / "nowhere", started="now")


def test_nonsense_in_the_file_is_no_holder(root: Path, tmp_path: Path) -> None:
    lock = VaultLock(tmp_path / "locks", root, started="now")
    assert lock.holder() is None
    with lock:
        lock.path.write_bytes(b"\xff{")
        assert lock.holder() is None
        with pytest.raises(LockHeld, match="not said"):
            VaultLock(tmp_path / "locks", root, started="now").acquire()
