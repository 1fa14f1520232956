"""The composition root: the one place that reads the environment, opens adapters and hands them to those who work with ports.

A `Runtime` is an opened vault. `read_only` writes nothing under the vault (what would go to the memory folder goes to a
shadow folder in the cache); the daemon, the command line and the exam all come through here. The keyword side opens at
once; the model is opened by `open_model`, in whatever thread can wait for it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from ebbtide import config as settings
from ebbtide.config import Config
from ebbtide.index.backfill import Backfill
from ebbtide.index.catalog import KINDS, Catalog
from ebbtide.index.priors import load_priors
from ebbtide.index.sync import Indexes, Sync
from ebbtide.index.text import TantivyIndex
from ebbtide.index.text import version as text_version
from ebbtide.index.vectors import VectorIndex, VectorStore
from ebbtide.memory.errors import ConfigError, IndexDamaged, LockHeld, ModelUnavailable, Problem
from ebbtide.memory.ports import Embedder
from ebbtide.recall.budget import Limits
from ebbtide.recall.candidates import Channels
from ebbtide.recall.engine import Engine, Settings
from ebbtide.recall.rank import Weights
from ebbtide.vault import identity
from ebbtide.vault.ledger import DeviceLedger, FactsFile
from ebbtide.vault.locks import VaultLock
from ebbtide.vault.store import VaultStore
from ebbtide.vault.watcher import Pace

log = logging.getLogger(__name__)


class SystemClock:
    """ports.Clock on the wall."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie outside the vault. Environment: EBBTIDE_CONFIG (a file), EBBTIDE_STATE, EBBTIDE_CACHE (folders)."""

    config: Path
    state: Path
    cache: Path
    models: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Places:
        """The user's folders, as platformdirs names them. The converted model always goes to the user's own cache."""
        user_cache = Path(platformdirs.user_cache_dir("ebbtide", appauthor=False))
        return cls(
            Path(environ.get("EBBTIDE_CONFIG") or Path(platformdirs.user_config_dir("ebbtide", appauthor=False)) / "config.toml"),
            Path(environ.get("EBBTIDE_STATE") or platformdirs.user_state_dir("ebbtide", appauthor=False)),
            Path(environ.get("EBBTIDE_CACHE") or user_cache),
            user_cache / "models",
        )


def load_config(
    places: Places, root: Path, environ: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[Config, list[Problem]]:
    """Defaults, the user's file, its section for this vault, the vault's own file, the environment, options; later wins."""
    layers: list[tuple[str, Mapping[str, Any]]] = []
    problems: list[Problem] = []
    user = _toml(places.config, problems)
    layers.append((str(places.config), {key: value for key, value in user.items() if not isinstance(user.get("vault"), dict) or key != "vault"}))
    with contextlib.suppress(OSError):
        layers.append((f"{places.config} [vault]", settings.vault_layer(user, [str(root), os.path.realpath(root)])))
    before, _ = settings.load(layers)
    inside = root / before.memory.folder / settings.VAULT_FILE
    layers.append((f"{before.memory.folder}/{settings.VAULT_FILE}", _toml(inside, problems)))
    layers.append((settings.ENVIRONMENT, dict(environ)))
    layers.append(("options", dict(options)))
    merged, found = settings.load(layers)
    return merged, [*problems, *found]


def _toml(path: Path, problems: list[Problem]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        problems.append(Problem(str(path), None, "config-unreadable", f"cannot be read: {error}", "mend or remove it; defaults hold"))
        return {}


@dataclass(slots=True)
class ModelState:
    """What became of the embedding model: "preparing", "ready", "missing", "failed" or "off", and a sentence about it."""

    state: str = "preparing"
    name: str = ""
    message: str = ""


@dataclass(slots=True)
class Runtime:
    """An opened vault with everything that works on it."""

    places: Places
    config: Config
    problems: list[Problem]
    root: Path
    vault_id: str
    read_only: bool
    store: VaultStore
    facts: FactsFile
    catalog: Catalog
    sync: Sync
    engine: Engine
    cache: Path
    state: Path
    lock: VaultLock | None
    near: dict[str, VectorIndex] = field(default_factory=dict)
    embedder: Embedder | None = None
    vectors: VectorStore | None = None
    backfill: Backfill | None = None
    query_means: dict[str, Any] = field(default_factory=dict)
    model: ModelState = field(default_factory=ModelState)
    texts: dict[str, TantivyIndex] = field(default_factory=dict)
    _closing: threading.Lock = field(default_factory=threading.Lock)

    def open_model(self, progress: Any = None, threads: int | None = None) -> bool:
        """Open the embedding model and the vector side; False (with the reason in `model`) when it must be keyword only.

        The first time, the default model is converted from its package, which takes some seconds.
        """
        if not self.config.embed.enabled:
            self.model = ModelState("off", "", "Embedding is switched off (embed.enabled); everything works by keyword.")
            return False
        try:
            from ebbtide.index.embed import OnnxEmbedder
            from ebbtide.index.modelfile import ensure_default_model

            named = self.config.embed.model
            folder = Path(named).expanduser() if named else ensure_default_model(self.places.models, progress)
            embedder = OnnxEmbedder.open(folder, threads or self.config.embed.threads)
        except ModelUnavailable as error:
            self.model = ModelState("missing", "", str(error))
            log.warning("no embedding model: %s", error)
            return False
        priors = load_priors(embedder.fingerprint)
        vectors = self._open_vectors(embedder)
        for kind in KINDS:
            path = self.cache / f"{kind}-{embedder.fingerprint[:12]}.usearch"
            self.near[kind] = VectorIndex(path, embedder.dims, embedder.fingerprint, self.config.index.exact_below)
        self.sync.indexes.near.update(self.near)
        self.backfill = Backfill(self.catalog, vectors, self.near, embedder, priors)
        self.backfill.open()
        self.vectors = vectors
        self.query_means = dict(priors.get("query", {}))
        self.embedder = embedder
        self.model = ModelState("ready", folder.name, "")
        return True

    def _open_vectors(self, embedder: Embedder) -> VectorStore:
        path = self.cache / f"vectors-{embedder.fingerprint[:12]}.sqlite"
        try:
            return VectorStore.open(path, embedder.dims)
        except IndexDamaged as error:
            log.warning("%s", error)
            _move_aside(path)
            return VectorStore.open(path, embedder.dims)

    def write_memory(self) -> bool:
        """Bring links.jsonl and facts.jsonl in the memory folder up to date (read-only: the shadow's)."""
        done = self.write_links()
        return self.facts.flush() and done

    def write_links(self) -> bool:
        """Rewrite links.jsonl if a byte differs."""
        lines = "".join(record + "\n" for record in self.catalog.all_links())
        self.store.write_memory("links.jsonl", lines.encode("utf-8", "replace"))
        self.sync.links_dirty = False
        return True

    def rebuild(self, what: str) -> None:
        """Make indexes again from the notes, in the thread that owns the writers: "text", "vectors", "links", "facts" or "all".

        Vectors are kept by their text, so that nothing is embedded twice; facts keep their ids.
        """
        if what in ("text", "all"):
            for name, index in self.texts.items():
                index.clear()
                log.info("the keyword index of %s is built again", name)
        if what in ("text", "links", "facts", "all"):
            self.catalog.forget_digests()
            self.sync.distil.reread(what in ("facts", "all"))
            try:
                self.sync.reconcile()
            finally:
                self.sync.distil.reread(False)
        if what in ("vectors", "all") and self.backfill is not None:
            self.backfill.rebuild()

    def close(self) -> None:
        """Bring everything to disk and let go."""
        with self._closing:
            if self.backfill is not None:
                with contextlib.suppress(OSError):
                    self.backfill.save()
                self.backfill = None
            for index in self.texts.values():
                with contextlib.suppress(IndexDamaged):
                    index.close()
            self.catalog.close()
            if self.vectors is not None:
                self.vectors.close()
            if self.lock is not None:
                self.lock.release()


def open_runtime(
    root: Path, *, read_only: bool, options: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None,
) -> Runtime:
    """Open a vault. Raises VaultError, ConfigError, or (not read-only) LockHeld.

    Read-only use beside a running daemon works on a cache of its own, so that neither disturbs the other.
    """
    environ = os.environ if environ is None else environ
    places = Places.of(environ)
    config, problems = load_config(places, root, environ, options or {})
    probe = VaultStore.open(root, config.memory.folder, config.vault.excluded)
    who = identity.open_memory(probe, read_only=read_only)
    lock = VaultLock(places.state / "locks", probe.root, started=time.strftime("%Y-%m-%dT%H:%M:%S%z"))
    suffix = ""
    try:
        lock.acquire()
    except LockHeld:
        if not read_only:
            raise
        suffix = "-beside"
    try:
        cache = identity.cache_dir(places.cache, who.vault_id, probe.root)
        if who.stored and not cache.exists():
            _adopt(identity.cache_dir(places.cache, identity.unborn_id(probe.root), probe.root), cache)
        work = cache.with_name(cache.name + suffix)
        state = identity.state_dir(places.state, who.vault_id, probe.root)
        for folder in (work, state):
            _private(folder)
        shadow = work / "shadow" if read_only else None
        store = VaultStore.open(root, config.memory.folder, config.vault.excluded, shadow=shadow) if read_only else probe
        state = work / "shadow-state" if read_only else state
        _private(state)
        return _assemble(places, config, problems, who.vault_id, read_only, store, work, state, lock)
    except BaseException:
        lock.release()
        raise


def _adopt(before: Path, after: Path) -> None:
    """What was computed while the vault was only ever looked at is not computed again."""
    if before.is_dir():
        after.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            before.rename(after)


def _private(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be made: {error.strerror}.", "Make it writable, or set EBBTIDE_CACHE and EBBTIDE_STATE.") from error


def _assemble(
    places: Places, config: Config, problems: list[Problem], vault_id: str, read_only: bool, store: VaultStore,
    cache: Path, state: Path, lock: VaultLock,
) -> Runtime:
    catalog, texts = _open_indexes(cache)
    device = identity.device_id(places.state)
    revisions = DeviceLedger(store, "revisions", device, state)
    facts = FactsFile(store, state)
    clock = SystemClock()
    indexes = Indexes(catalog, texts["notes"], texts["facts"])
    sync = Sync(store, indexes, facts, revisions, clock)
    runtime: Runtime
    channels = Channels(
        catalog, texts["notes"], texts["facts"], indexes.near,
        embedder=lambda: runtime.embedder, query_means=lambda: runtime.query_means,
        why_no_vectors=lambda: runtime.model.message or "the embedding model is still being prepared",
    )
    engine = Engine(store, channels, recall_settings(config))
    runtime = Runtime(
        places, config, problems, store.root, vault_id, read_only, store, facts, catalog, sync, engine, cache, state,
        lock if lock.held else None, texts=texts,
    )
    return runtime


def watch_pace(config: Config) -> Pace:
    """The section `watch` as the watcher takes it."""
    watch = config.watch
    return Pace(
        mode=watch.mode, settle=watch.settle, max_wait=watch.max_wait, scan_every=watch.scan_every,
        rescan_every=watch.rescan_every, health_every=watch.health_every, burst=watch.burst,
    )


def recall_settings(config: Config) -> Settings:
    """The section `recall` as the engine takes it."""
    recall = config.recall
    weights = Weights()
    limits = Limits(recall.budget, recall.max_items, recall.note_share, recall.tail, recall.budget_mode)
    return Settings(weights=weights, limits=limits, seconds=recall.deadline_ms / 1000)


def _open_indexes(cache: Path) -> tuple[Catalog, dict[str, TantivyIndex]]:
    """Catalogue and keyword indexes, each made anew when damaged. A lost keyword index means that notes are read again."""
    try:
        catalog = Catalog.open(cache / "catalog.sqlite")
    except IndexDamaged as error:
        log.warning("%s", error)
        _move_aside(cache / "catalog.sqlite")
        catalog = Catalog.open(cache / "catalog.sqlite")
    texts: dict[str, TantivyIndex] = {}
    mark = f"{text_version()}|{catalog.meta('generation')}"
    fresh = catalog.meta("text") != mark
    for name in ("notes", "facts"):
        folder = cache / f"text-{name}"
        if fresh:
            TantivyIndex.wipe(folder)
        try:
            texts[name] = TantivyIndex.open(folder)
        except IndexDamaged as error:
            log.warning("%s", error)
            TantivyIndex.wipe(folder)
            texts[name] = TantivyIndex.open(folder)
            fresh = True
    if fresh:
        for name, index in texts.items():
            if index.count():
                index.close()
                TantivyIndex.wipe(cache / f"text-{name}")
                texts[name] = TantivyIndex.open(cache / f"text-{name}")
        catalog.forget_digests()
        catalog.set_meta("text", mark)
    return catalog, texts


def _move_aside(path: Path) -> None:
    """Keep one damaged generation for a look; its companions (-wal, -shm) would poison a new file of the same name."""
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        if file.exists():
            file.replace(file.with_name(file.name + ".damaged"))


@contextlib.contextmanager
def open_service(
    root: Path, *, read_only: bool = True, options: Mapping[str, Any] | None = None, vectors: bool = True,
    say: Callable[[str], None] = lambda _: None,
) -> Iterator[Any]:
    """A `Service` on a vault without a daemon: indexes what is new first. `say` is told how far that is."""
    from ebbtide.serve.service import Service, told

    runtime = open_runtime(root, read_only=read_only, options=options)
    try:
        service = Service(runtime)
        service.catch_up(vectors=vectors, progress=told(say))
        yield service
    finally:
        runtime.close()
