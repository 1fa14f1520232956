"""What of a vault lies outside it, and taking that away again. A part of the composition root: only here is known where things lie."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ebbtide.memory.errors import VaultError
from ebbtide.places import Places, load_config
from ebbtide.vault import identity
from ebbtide.vault.locks import VaultLock
from ebbtide.vault.store import VaultStore

SHARED = ("token", "device", "run", "locks", "logs")
"""What all vaults of a user share in the state folder; of no use once none is left."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """What Ebbtide keeps of one vault. `memory` is None where the vault has no memory folder of ours."""

    root: Path
    places: Places
    state: Path
    caches: tuple[Path, ...]
    memory: Path | None

    @property
    def log(self) -> Path:
        """Where the daemon of the vault writes its log."""
        return self.state / "logs" / "ebbtide.log"

    @property
    def folders(self) -> list[Path]:
        """The vault's folders of index and state that are there."""
        return [folder for folder in (*self.caches, self.state) if folder.is_dir()]

    @property
    def shared(self) -> list[Path]:
        """What is left over once this vault's folders are gone; nothing while another vault has any."""
        mine = {self.state, *self.caches}
        for base in (self.places.state, self.places.cache):
            with contextlib.suppress(OSError):
                if any(folder not in mine for folder in (base / "vaults").iterdir()):
                    return []
        shared = [self.places.state / name for name in SHARED]
        if self.places.models.parent == self.places.cache:  # with EBBTIDE_CACHE it is another installation's
            shared.append(self.places.models)
        return [path for path in shared if path.exists()]


def belongings(root: Path, environ: Mapping[str, str] | None = None) -> Belongings:
    """Look where things lie; writes nothing. Raises VaultError if the vault is gone or its memory folder is somebody else's."""
    environ = os.environ if environ is None else environ
    places = Places.of(environ)
    config, _ = load_config(places, root, environ, {})
    store = VaultStore.open(root, config.memory.folder, config.vault.excluded)
    who = identity.open_memory(store, read_only=True)
    caches = tuple(_caches(places, store.root, who.vault_id))
    memory = store.root / store.memory_folder if who.stored else None
    return Belongings(store.root, places, identity.state_dir(places.state, who.vault_id, store.root), caches, memory)


def _caches(places: Places, root: Path, vault_id: str) -> Iterator[Path]:
    """The cache, that of the time when the vault was only ever looked at, and those of readers beside a daemon."""
    for known in dict.fromkeys((vault_id, identity.unborn_id(root))):
        folder = identity.cache_dir(places.cache, known, root)
        yield folder
        yield from sorted(folder.parent.glob(f"{folder.name}-beside-*"))


def remove(found: Belongings, *, memory: bool) -> list[Path]:
    """Take index and state away, with `memory` the memory folder too; returns what went.

    Raises LockHeld while a daemon serves the vault, VaultError if the memory folder is a link to somewhere else.
    """
    gone: list[Path] = []
    with VaultLock(found.places.state / "locks", found.root, started=time.strftime("%Y-%m-%dT%H:%M:%S%z")):
        if memory and found.memory is not None and found.memory.is_symlink():
            raise VaultError(f"{found.memory} is a link.", "Remove by hand what it leads to, if you are sure.")
        wanted = [*found.folders, *([found.memory] if memory and found.memory is not None else [])]
        shared = found.shared
        for path in wanted:
            shutil.rmtree(path)
            gone.append(path)
    for path in shared:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        gone.append(path)
    for base in (found.places.state, found.places.cache):
        for folder in (base / "vaults", base):
            with contextlib.suppress(OSError):
                folder.rmdir()  # only where nothing is left in it
    return gone
