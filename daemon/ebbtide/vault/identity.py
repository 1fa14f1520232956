"""Whose memory a folder is: the identity file, the device, and the folders outside the vault that belong to both.

The memory folder is ours only if it holds `.ebbtide.json`. A copied vault carries the same id to another place; its
caches must not be shared with the original, so their key is a hash of the id and the real path together.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from ebbtide.memory.errors import VaultError
from ebbtide.vault.lines import MemoryFiles, load_line, replace_durably

IDENTITY_FILE: Final = ".ebbtide.json"
SCHEMA: Final = 1
_DEVICE: Final = re.compile(r"[0-9a-f]{8}\Z")


class MemoryStore(MemoryFiles, Protocol):
    """The vault store, as far as identity needs it."""

    root: Path
    memory_folder: str

    def memory_path(self, rel: str, *, write: bool = False) -> Path:
        """Where a file of the memory folder is."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A vault's id and the schema version of its memory folder; `stored` is false if it is not on disk (read-only)."""

    vault_id: str
    schema: int
    stored: bool


def open_memory(
    store: MemoryStore,
    *,
    read_only: bool = False,
    token: Callable[[int], str] = secrets.token_hex,
) -> Identity:
    """Read the identity of the memory folder, creating the folder when it is absent and writing is allowed.

    A read-only look at a vault that was never opened gets an id made from its path, so that its cache is found again.
    Raises VaultError if a folder of that name belongs to somebody else.
    """
    where = f"{store.memory_folder}/{IDENTITY_FILE}"
    data = store.memory_bytes(IDENTITY_FILE)
    if data is not None:
        return _parse(where, data)
    if _occupied(store.root / store.memory_folder):
        raise VaultError(
            f"The folder {store.memory_folder!r} exists in this vault and is not Ebbtide's.",
            "Choose another name for the memory folder with the setting `memory.folder`.",
        )
    if read_only:
        return Identity(unborn_id(store.root), SCHEMA, stored=False)
    identity = Identity("v_" + token(8), SCHEMA, stored=True)
    text = json.dumps({"vault_id": identity.vault_id, "schema": identity.schema}, indent=2) + "\n"
    store.write_memory(IDENTITY_FILE, text.encode(), expected_digest="")
    return identity


def unborn_id(root: Path) -> str:
    """The id of a vault that was only ever looked at: made from its path, so that its cache is found again."""
    return "unborn-" + _hash(str(root))


def _occupied(folder: Path) -> bool:
    """True if a folder holds anything but hidden files: an empty one is what a crash before the identity leaves."""
    try:
        return any(not name.startswith(".") for name in os.listdir(folder))  # noqa: PTH208 - names only
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        return True
    except OSError as error:
        reason = f"The memory folder {folder} cannot be read: {error.strerror}."
        raise VaultError(reason, "Check its permissions.") from error


def _parse(where: str, data: bytes) -> Identity:
    try:
        record = load_line(data.removeprefix(b"\xef\xbb\xbf").strip())
        vault_id, schema = record["vault_id"], record["schema"]
        if not (isinstance(vault_id, str) and vault_id and isinstance(schema, int)):
            raise ValueError("no vault_id or schema")  # noqa: TRY301 - the same message as for bad JSON
    except (ValueError, KeyError) as error:
        raise VaultError(
            f"{where} is damaged ({error}).",
            'Restore it from your sync history, or write {"vault_id": "v_<16 hex digits>", "schema": 1} into it.',
        ) from error
    if schema > SCHEMA:
        reason = f"{where} was written by a newer Ebbtide (schema {schema}, this one knows {SCHEMA})."
        raise VaultError(reason, "Update Ebbtide on this device.")
    return Identity(vault_id, schema, stored=True)


def device_id(state_base: Path, token: Callable[[int], str] = secrets.token_hex) -> str:
    """This device's 8 hex digits, made once and kept in the user's state folder."""
    file = state_base / "device"
    try:
        known = file.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        known = ""
    if _DEVICE.match(known):
        return known
    private_folder(state_base)
    made = token(4)
    replace_durably(file, made.encode() + b"\n")
    return file.read_text("ascii").strip()  # whoever wrote last: two first starts agree afterwards


def state_token(state: Path, token: Callable[[int], str] = secrets.token_hex) -> str:
    """What tells a vault's state folder from another that lay in its place before."""
    file = state / "token"
    try:
        known = file.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        known = ""
    if not known:
        known = token(8)
        private_folder(state)
        replace_durably(file, known.encode() + b"\n")
    return known


def vault_key(vault_id: str, root: Path) -> str:
    """The name of a vault's folders outside it: a copy elsewhere gets another one."""
    return _hash(f"{vault_id}\0{os.path.realpath(root)}")


def cache_dir(cache_base: Path, vault_id: str, root: Path) -> Path:
    """Where a vault's disposable indexes live."""
    return cache_base / "vaults" / vault_key(vault_id, root)


def state_dir(state_base: Path, vault_id: str, root: Path) -> Path:
    """Where a vault's journal, backups and reports of bad lines live on this device."""
    return state_base / "vaults" / vault_key(vault_id, root)


def private_folder(path: Path) -> Path:
    """Create a folder that only its owner can enter."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
