"""What the scenario tests share: a vault in a temporary folder, the real daemon on it, and waiting without guessing times."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ebbtide.daemon import Daemon
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service

PATIENCE = 60.0
"""Seconds that anything may take on a busy machine. Nothing here measures time."""
MOVING = ("revisions", "uses", "health", "reports", ".history")
"""What a night that was taken back may leave in the memory folder."""
QUICK: Mapping[str, Any] = {"embed.enabled": False, "watch.settle": 0.05, "server.ports": 200}


def wait_until(holds: Callable[[], Any], what: str = "it", patience: float = PATIENCE) -> Any:
    """The first true answer of `holds`; AssertionError when it does not come."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if found := holds():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {patience:g} s for {what}")


def fingerprints(root: Path, *, without: str | None = None) -> dict[str, tuple[str, int, int]]:
    """Every file, folder and link under a folder: hash of the bytes (or what it is), mode, time of change."""
    found: dict[str, tuple[str, int, int]] = {}
    for folder, names, files in os.walk(os.fsencode(root)):
        inside = os.path.relpath(os.fsdecode(folder), root)
        if without is not None and inside.split(os.sep)[0] == without:
            names.clear()
            continue
        for name in [*files, *names]:
            path = os.path.join(folder, name)
            shown = os.path.join(inside, os.fsdecode(name))
            if without is not None and shown == os.path.join(".", without):
                continue
            seen = os.lstat(path)
            if os.path.islink(path):
                what = "link " + os.fsdecode(os.readlink(path))
            elif os.path.isdir(path):
                what = "folder"
            else:
                with open(path, "rb") as file:
                    what = hashlib.blake2b(file.read()).hexdigest()
            found[shown] = (what, seen.st_mode, 0 if what == "folder" else seen.st_mtime_ns)
    return found


@dataclass
class Place:
    """A vault with cache, state and settings of its own."""

    base: Path
    options: dict[str, Any] = field(default_factory=lambda: dict(QUICK))

    @property
    def vault(self) -> Path:
        return self.base / "vault"

    @property
    def environ(self) -> dict[str, str]:
        """As a process would have it: nothing of the user's own Ebbtide but the converted model."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("EBBTIDE_")}
        return kept | {
            "EBBTIDE_CACHE": str(self.base / "cache"),
            "EBBTIDE_STATE": str(self.base / "state"),
            "EBBTIDE_CONFIG": str(self.base / "config.toml"),
        }

    @property
    def caches(self) -> list[Path]:
        """The folders of indexes that this vault has."""
        return sorted((self.base / "cache" / "vaults").glob("*"))

    def write(self, path: str, text: str | bytes) -> Path:
        """Save a note as an editor does: whole, in place."""
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return file

    def fill(self, notes: Mapping[str, str | bytes]) -> Place:
        """Save several notes."""
        for path, text in notes.items():
            self.write(path, text)
        return self

    def open(self, *, read_only: bool = False, **options: Any) -> Runtime:
        """The vault, opened in this process."""
        named = {key.replace("__", "."): value for key, value in options.items()}
        return open_runtime(self.vault, read_only=read_only, options={**self.options, **named}, environ=self.environ)

    @contextlib.contextmanager
    def opened(self, *, read_only: bool = False, vectors: bool = False, **options: Any) -> Iterator[Service]:
        """The vault, opened and indexed without a daemon."""
        runtime = self.open(read_only=read_only, **options)
        try:
            service = Service(runtime)
            service.catch_up(vectors=vectors)
            yield service
        finally:
            runtime.close()

    @contextlib.contextmanager
    def served(self, *, ready: bool = True, **options: Any) -> Iterator[Daemon]:
        """The daemon in this process; by default once it has compared the whole vault."""
        daemon = Daemon(self.open(**options))
        try:
            daemon.start(0)
            if ready:
                wait_until(daemon.indexer.ready.is_set, "the first comparison")
            yield daemon
        finally:
            daemon.stop()

    def ledger(self, pattern: str) -> list[dict[str, Any]]:
        """Records of the memory folder's JSONL files that match."""
        found = []
        for file in sorted((self.vault / "Memory").glob(pattern)):
            found += [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
        return found

    def facts(self) -> dict[str, dict[str, Any]]:
        """facts.jsonl by id."""
        return {record["id"]: record for record in self.ledger("facts*.jsonl")}

    def revisions(self, kind: str) -> list[dict[str, Any]]:
        """Revisions of a kind in the order of time."""
        found = [record for record in self.ledger("revisions/*.jsonl") if record["kind"] == kind]
        return sorted(found, key=lambda record: (record["at"], record["id"]))


def notes_for(service: Service, query: str) -> list[str]:
    """Paths of the notes that a question finds, best first."""
    return list(service.recall(query)["notes"])


def settled(daemon: Daemon) -> dict[str, Any]:
    """The status once everything reported is taken in and nothing waits for a vector."""

    def look() -> dict[str, Any] | None:
        status = daemon.service.status()
        busy = daemon.indexer.busy or status["progress"]["phase"] != "idle"
        return status if not busy and status["keyword_ready"] else None

    found: dict[str, Any] = wait_until(look, "everything to be indexed")
    return found


def rebuilt(daemon: Daemon, what: str) -> None:
    """Order a rebuild and wait until it is done."""
    job = daemon.service.rebuild(what)["id"]
    wait_until(lambda: daemon.service.job(job)["state"] == "done", f"rebuild {what}")


def wait_first(service: Service, query: str, path: str | None) -> None:
    """Wait until a note is the first that a question finds, or (None) until nothing is found."""
    wanted = [] if path is None else [path]
    wait_until(lambda: notes_for(service, query)[:1] == wanted, f"{path} for {query!r}")


def kept(place: Place) -> dict[str, bytes]:
    """Every file of the vault but those that an undone night may leave."""
    files = (file for file in sorted(place.vault.rglob("*")) if file.is_file())
    names = {file: file.relative_to(place.vault).as_posix() for file in files}
    return {
        name: file.read_bytes() for file, name in names.items() if name.split("/")[1:2][:1] not in [[m] for m in MOVING]
    }


def standings(runtime: Runtime) -> dict[str, Any]:
    """Where every record stands, by the fold."""
    idents = [ident for ident, _ in runtime.catalog.all_facts()] + [row.id for row in runtime.catalog.files().values()]
    return runtime.catalog.standings(idents)


def built_plugin(folder: Path, version: str, *, ident: str = "ebbtide") -> Path:
    """A built plugin as a build leaves it, with things beside it that are not shipped."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {"id": ident, "name": "Ebbtide", "version": version, "minAppVersion": "1.13.0"}
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    (folder / "main.js").write_text(f"module.exports = '{version}';", "utf-8")
    (folder / "styles.css").write_text(f".ebbtide {{ --version: '{version}'; }}", "utf-8")
    (folder / "package.json").write_text("{}", "utf-8")
    return folder
