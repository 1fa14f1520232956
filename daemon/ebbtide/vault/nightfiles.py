"""What a night writes in the memory folder, and what it keeps beside the vault until it has ended.

A content is kept by its hash in `.history/` before it is replaced. A file is written, or taken away, only if it holds what the
night saw there: what a person saved meanwhile is put back untouched.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Final, Protocol

from ebbtide.memory.errors import ChangedOutside, VaultError
from ebbtide.vault.identity import private_folder
from ebbtide.vault.lines import (
    TEMP_PREFIX,
    TEMP_SUFFIX,
    MemoryFiles,
    digest_of,
    hidden,
    replace_durably,
    sync_folder,
)
from ebbtide.vault.settings import HISTORY

ROUTER: Final = "MEMORY.md"
FOLDERS: Final = ("core/", "episodic/", "people/", "scenes/", "working/")
"""Where a night may write Markdown. Ledgers name paths, and come from other devices: nothing else is ever touched."""
PLANS: Final = 60
"""Days whose accounts are kept."""
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_ACCOUNT: Final = re.compile(r"plan-(\d{4}-\d{2}-\d{2})(?:\.[0-9a-f]{32})?\.json")


class MemoryStore(MemoryFiles, Protocol):
    """The vault store, as far as a night needs it."""

    root: Path
    memory_folder: str

    def memory_list(self, folder: str) -> list[str]:
        """Names of the plain files in a folder of the memory folder."""

    def memory_path(self, rel: str, *, write: bool = False) -> Path:
        """Where a file of the memory folder is. Raises VaultError if it would leave the folder."""


class NightFiles:
    """Files of the memory folder by relative path. One thread calls what writes, the owner of the writers."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def read(self, rel: str) -> bytes | None:
        """The bytes of a file, or None. Raises VaultError for a path that is no night's to touch."""
        self._check(rel)
        return self._store.memory_bytes(rel)

    def digest(self, rel: str) -> str:
        """The hash of a file's bytes; "" if there is none."""
        data = self.read(rel)
        return "" if data is None else digest_of(data)

    def keep(self, data: bytes) -> str:
        """Keep a content in `.history/`; returns the hash it is named by."""
        digest = digest_of(data)
        self._store.write_memory(f"{HISTORY}/{digest}", data)
        return digest

    def contents(self) -> list[str]:
        """The hashes of all contents that are kept."""
        return [name for name in self._store.memory_list(HISTORY) if _DIGEST.fullmatch(name)]

    def drop(self, digest: str) -> bool:
        """Take a kept content out, if its file holds just that."""
        whole = self.kept(digest) is not None
        if whole:
            self._store.remove_memory(f"{HISTORY}/{digest}")
        return whole

    def kept(self, digest: str) -> bytes | None:
        """A content that was kept, if it still has its hash."""
        data = self._store.memory_bytes(f"{HISTORY}/{digest}") if _DIGEST.fullmatch(digest) else None
        return data if data is not None and digest_of(data) == digest else None

    def put(self, rel: str, data: bytes, before: str) -> None:
        """Write a file that holds what `before` names ("" for none). Raises ChangedOutside if it does not."""
        self._check(rel)
        self._store.write_memory(rel, data, before)

    def take(self, rel: str, before: str) -> None:
        """Move a file that holds what `before` names into `.history/`. Raises ChangedOutside, and leaves it, if it does not.

        The folder goes with its last file. A file that is saved in between is put back.
        """
        self._check(rel)
        path = self._store.memory_path(rel, write=True)
        data = self._store.memory_bytes(rel)
        if data is None or digest_of(data) != before:
            raise _changed(rel)
        self.keep(data)
        aside = path.parent / f"{TEMP_PREFIX}{secrets.token_hex(8)}{TEMP_SUFFIX}"
        try:
            path.rename(aside)
            if digest_of(aside.read_bytes()) != before:
                _put_back(aside, path)
                raise _changed(rel)
            aside.unlink()
        except OSError as error:
            raise VaultError(f"{rel} cannot be moved: {error.strerror}.", "Nothing was lost; try again.") from error
        sync_folder(path.parent)
        self._tidy(path.parent)

    def _tidy(self, folder: Path) -> None:
        home = self._store.root / self._store.memory_folder
        with contextlib.suppress(OSError):  # not empty
            while folder != home and folder.is_relative_to(home):
                folder.rmdir()
                folder = folder.parent

    def allowed(self, rel: str) -> bool:
        """Whether a night may touch this path: Markdown in its folders, and the router."""
        parts = rel.split("/")
        ours = rel == ROUTER or (rel.startswith(FOLDERS) and rel.endswith(".md"))
        return ours and not any(not part or hidden(part) or "\\" in part or "\0" in part for part in parts)

    def _check(self, rel: str) -> None:
        if not self.allowed(rel):
            raise VaultError(f"{rel!r} is no file that a night writes.")


def _put_back(aside: Path, path: Path) -> None:
    """A file that was saved while it was taken away. If there is a newer one by now, that one stays."""
    with contextlib.suppress(FileExistsError):
        os.link(aside, path)
    aside.unlink()


def _changed(rel: str) -> ChangedOutside:
    return ChangedOutside(f"{rel} was changed by someone else.", "It was left as it is.")


class NightJournal:
    """What is under way, in the vault's state folder: small files by name, each replaced whole; and what the nights of the
    last days came to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, state: Path) -> NightJournal:
        """In a vault's state folder."""
        return cls(state / "nights")

    def read(self, name: str) -> bytes | None:
        """A file, or None."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Replace a file durably."""
        private_folder(self._folder)
        replace_durably(self._folder / name, data)

    def remove(self, name: str) -> None:
        """Take a file out, if it is there."""
        (self._folder / name).unlink(missing_ok=True)
        if self._folder.is_dir():
            sync_folder(self._folder)

    def archive(self, day: str, mark: str, data: bytes) -> None:
        """Keep the account of a night of a day, by its mark; told again, the later one stands. The oldest days go."""
        self.write(f"plan-{day}.{digest_of(mark.encode('utf-8', 'replace'))}.json", data)
        found = {
            path: match[1] for path in self._folder.glob("plan-*.json") if (match := _ACCOUNT.fullmatch(path.name))
        }
        kept = set(sorted(set(found.values()))[-PLANS:])
        for path in sorted(path for path, of in found.items() if of not in kept):
            path.unlink(missing_ok=True)

    def archived(self, day: str) -> list[bytes]:
        """The accounts of the nights of a day, if they are still kept."""
        names = sorted(path.name for path in self._folder.glob(f"plan-{day}.*.json")) if _DAY.fullmatch(day) else []
        found = (self.read(name) for name in names if _ACCOUNT.fullmatch(name))
        return [data for data in found if data is not None]
