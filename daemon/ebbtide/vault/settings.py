"""The settings file that travels with the vault, and its earlier contents by hash in `.history/`, so that a change can be undone.

A content is kept before the file that holds it is replaced, and is taken back only if it still has the hash it is named by.
"""

from __future__ import annotations

import re
from typing import Final

from ebbtide.memory.errors import ChangedOutside, NotFound
from ebbtide.vault.lines import MemoryFiles, digest_of

HISTORY: Final = ".history"
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")


class SettingsFile:
    """`name` in the memory folder. One thread calls what writes, the owner of the writers."""

    def __init__(self, store: MemoryFiles, name: str) -> None:
        self._store, self.name = store, name

    def read(self) -> bytes:
        """The file as it is; empty if there is none."""
        return self._store.memory_bytes(self.name) or b""

    def replace(self, data: bytes, before: bytes) -> tuple[str | None, str]:
        """Put `data` where `before` was read. Returns the hashes of what was there (None: no file) and of what is.

        Raises ChangedOutside if somebody else saved the file meanwhile.
        """
        found = self._store.memory_bytes(self.name)
        if (found or b"") != before:
            raise self._changed()
        old = None if found is None else self._keep(found)
        new = self._keep(data)
        self._store.write_memory(self.name, data, "" if old is None else old)
        return old, new

    def bring_back(self, before: object, after: object) -> None:
        """Put back the content with the hash `before` (None: no file) where now is the one with the hash `after`.

        Raises ChangedOutside if the file is neither (a person edited it since), NotFound if the content is not kept.
        """
        found = self._store.memory_bytes(self.name)
        now = None if found is None else digest_of(found)
        if now == before:
            return
        if now != after:
            raise self._changed()
        if before is None:
            self._store.remove_memory(self.name)
            return
        data = self._store.memory_bytes(f"{HISTORY}/{before}") if _DIGEST.fullmatch(str(before)) else None
        if data is None or digest_of(data) != before:
            raise NotFound(f"The earlier {self.name} is not kept any more.", "Its changed lines say what they were.")
        self._store.write_memory(self.name, data, digest_of(found or b""))

    def _keep(self, data: bytes) -> str:
        digest = digest_of(data)
        self._store.write_memory(f"{HISTORY}/{digest}", data)
        return digest

    def _changed(self) -> ChangedOutside:
        return ChangedOutside(f"{self.name} was changed by someone else since.", "Nothing was done; edit it by hand.")
