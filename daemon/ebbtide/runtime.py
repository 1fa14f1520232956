"""The composition root: the one place that reads the environment, opens adapters and hands them to those who work with ports.

A `Runtime` is an opened vault. `read_only` writes nothing under the vault (what would go to the memory folder goes to a
shadow folder in the cache); the daemon, the command line and the exam all come through here. The keyword side opens at
once; the model is opened by `open_model`, in whatever thread can wait for it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ebbtide.config import VAULT_FILE, Config
from ebbtide.index.backfill import Backfill
from ebbtide.index.catalog import KINDS, Catalog
from ebbtide.index.changes import Indexes
from ebbtide.index.changes import Pace as Slice
from ebbtide.index.confirm import Confirmations
from ebbtide.index.database import move_aside
from ebbtide.index.graph import GraphIndex
from ebbtide.index.graph_metrics import GraphMetrics, MetricsReport
from ebbtide.index.outbox import Outbox
from ebbtide.index.patrol import Patrol, Rounds
from ebbtide.index.priors import load_priors
from ebbtide.index.refill import Refiller
from ebbtide.index.sync import Sync
from ebbtide.index.text import TantivyIndex
from ebbtide.index.text import version as text_version
from ebbtide.index.vectors import VectorIndex, VectorStore
from ebbtide.keeping import Keeping, memory_git
from ebbtide.memory.errors import ConfigError, IndexDamaged, LockHeld, ModelUnavailable, Problem
from ebbtide.memory.ports import Embedder
from ebbtide.parse.relations import relation_table
from ebbtide.places import Places, load_config
from ebbtide.recall.candidates import Channels
from ebbtide.recall.engine import Engine
from ebbtide.recall.settings import recall_settings
from ebbtide.vault import identity
from ebbtide.vault.exam import ExamFiles
from ebbtide.vault.facts import FactsFile
from ebbtide.vault.hearing import Pace
from ebbtide.vault.ledger import DeviceLedger
from ebbtide.vault.locks import VaultLock
from ebbtide.vault.settings import SettingsFile
from ebbtide.vault.store import VaultStore

__all__ = ["ModelState", "Places", "Runtime", "SystemClock", "load_config", "open_runtime", "open_service"]

log = logging.getLogger(__name__)

BESIDE_AT_MOST = 8
TEXTS = ("notes", "facts")


class SystemClock:
    """ports.Clock on the wall."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


@dataclass(slots=True)
class ModelState:
    """What became of the embedding model: "preparing", "ready", "missing", "failed" or "off", and a sentence about it."""

    state: str = "preparing"
    name: str = ""
    message: str = ""


@dataclass(slots=True)
class Runtime(Keeping):
    """An opened vault with everything that works on it."""

    places: Places
    config: Config
    problems: list[Problem]
    root: Path
    vault_id: str
    engine: Engine
    cache: Path
    vectors_at: Path
    """Folder of the store of raw vectors, which every process that opens this vault shares."""
    lock: VaultLock | None
    metrics: GraphMetrics
    near: dict[str, VectorIndex] = field(default_factory=dict)
    embedder: Embedder | None = None
    vectors: VectorStore | None = None
    query_means: dict[str, Any] = field(default_factory=dict)
    read_config: Callable[[], Config] = Config
    """The settings as the files, the environment and the options have them now."""
    model: ModelState = field(default_factory=ModelState)
    _closing: threading.Lock = field(default_factory=threading.Lock)

    def open_model(self, progress: Any = None, threads: int | None = None) -> bool:
        """Open the embedding model and the vector side; False (with the reason in `model`) when it must be keyword only.

        The first time, the default model is converted from its package, which takes some seconds.
        """
        if not self.config.embed.enabled:
            self.model = ModelState(
                "off", "", "Embedding is switched off (embed.enabled); everything works by keyword."
            )
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
        vectors = VectorStore.open(self.vectors_at / f"vectors-{embedder.fingerprint[:12]}.sqlite", embedder.dims)
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

    def take_settings(self) -> None:
        """Take over what the settings of ranking are now; the others hold until the next start. Questions under way end as begun."""
        now = self.read_config()
        self.config = replace(self.config, recall=now.recall, heat=now.heat)
        self.engine = Engine(self.store, self.engine.channels, recall_settings(self.config))

    def graph_metrics(self, wait: float = 0.0) -> MetricsReport:
        """Figures about the whole graph: what is known at once, computed behind if it is not of the newest graph.

        `wait`: seconds to wait for them, for a caller that ends with its answer.
        """
        return self.metrics.report(wait)

    def close(self) -> None:
        """Bring everything to disk and let go."""
        self.metrics.close()
        with self._closing:
            if self.git is not None:
                self.git.finish()
            if self.backfill is not None:
                try:
                    self.backfill.save()
                except Exception as error:  # noqa: BLE001 - a full disk, a damaged catalogue: the next start builds it again
                    log.warning("the vector index could not be saved: %s", error)
                self.backfill = None
            for index in self.texts.values():
                index.close()
            self.catalog.close()
            if self.vectors is not None:
                self.vectors.close()
            if self.lock is not None:
                self.lock.release()


def open_runtime(
    root: Path,
    *,
    read_only: bool,
    options: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Runtime:
    """Open a vault. Raises VaultError, ConfigError, or (not read-only) LockHeld.

    Read-only use beside a running daemon works on a cache of its own, so that neither disturbs the other.
    """
    environ = os.environ if environ is None else environ
    places, kept_environ, kept_options = Places.of(environ), dict(environ), dict(options or {})

    def read() -> tuple[Config, list[Problem]]:
        return load_config(places, root, kept_environ, kept_options)

    config, problems = read()
    probe = VaultStore.open(root, config.memory.folder, config.vault.excluded)
    lock = _lock(places.state / "locks", probe.root)
    try:
        lock.acquire()
    except LockHeld:
        if not read_only:
            raise
    try:
        who = identity.open_memory(probe, read_only=read_only)
        cache = identity.cache_dir(places.cache, who.vault_id, probe.root)
        if lock.held and who.stored and not cache.exists():
            _adopt(identity.cache_dir(places.cache, identity.unborn_id(probe.root), probe.root), cache)
        work = cache
        if not lock.held:
            lock, work = _beside(cache, probe.root)
        state = identity.state_dir(places.state, who.vault_id, probe.root)
        source = store = probe
        remembered = state / "excluded.json"
        if read_only:
            state = work / "shadow-state"
            store = VaultStore.open(root, config.memory.folder, config.vault.excluded, shadow=work / "shadow")
            # What is in the memory folder is read from there, never from an earlier shadow; nothing is written to it.
            shutil.rmtree(state, ignore_errors=True)
            source = VaultStore.open(root, config.memory.folder, config.vault.excluded, shadow=state / "void")
        else:
            probe.sweep()
        for folder in (cache, work, state, remembered.parent):
            _private(folder)
        store.keep_exclusions(remembered)
        kept = probe if who.stored else store
        opened = _Opened(
            places, config, problems, who.vault_id, read_only, store, source, kept, work, cache, state, lock
        )
        return _assemble(opened, lambda: read()[0])
    except BaseException:
        lock.release()
        raise


def _lock(folder: Path, root: Path) -> VaultLock:
    return VaultLock(folder, root, started=time.strftime("%Y-%m-%dT%H:%M:%S%z"))


def _beside(cache: Path, root: Path) -> tuple[VaultLock, Path]:
    """A cache of one's own while the daemon, or another reader, holds the vault's."""
    for number in range(1, BESIDE_AT_MOST + 1):
        work = cache.with_name(f"{cache.name}-beside-{number}")
        _private(work)
        lock = _lock(work, root)
        with contextlib.suppress(LockHeld):
            lock.acquire()
            return lock, work
    raise LockHeld("Too many commands read this vault at once.", "Ask the running daemon, or wait until one has ended.")


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
        raise ConfigError(
            f"{folder} cannot be made: {error.strerror}.", "Make it writable, or set EBBTIDE_CACHE and EBBTIDE_STATE."
        ) from error


@dataclass(frozen=True, slots=True)
class _Opened:
    """What `_assemble` puts together. `source` reads the memory folder as it is; `store` is where to write, `kept` the exam."""

    places: Places
    config: Config
    problems: list[Problem]
    vault_id: str
    read_only: bool
    store: VaultStore
    source: VaultStore
    kept: VaultStore
    work: Path
    cache: Path
    state: Path
    lock: VaultLock


def _assemble(o: _Opened, read_config: Callable[[], Config]) -> Runtime:
    catalog, texts = _open_indexes(o.work)
    revisions = DeviceLedger(o.source, "revisions", identity.device_id(o.places.state), o.state)
    facts = FactsFile(o.source, o.state, explained=catalog.was_taken_out, alone=revisions.alone)
    clock = SystemClock()
    indexes = Indexes(catalog, texts["notes"], texts["facts"])
    pace = Slice(o.config.index.commit_documents, o.config.index.commit_seconds)
    sync = Sync(o.store, indexes, Outbox(catalog, None if o.read_only else facts, revisions, clock), clock, pace)
    sync.linker.table = relation_table(o.config.relations.synonyms)
    sync.decisions.days = o.config.lifecycle.days
    refiller = Refiller(o.store, catalog, texts, text_version(), o.config.index.merge_deleted)
    graph = GraphIndex(catalog)
    runtime: Runtime
    channels = Channels(
        catalog,
        texts["notes"],
        texts["facts"],
        indexes.near,
        embedder=lambda: runtime.embedder,
        query_means=lambda: runtime.query_means,
        why_no_vectors=lambda: runtime.model.message or "the embedding model is still being prepared",
        graph=graph.current,
        asked=lambda keys: runtime.vectors.get(keys) if runtime.vectors is not None else {},
    )
    engine = Engine(o.store, channels, recall_settings(o.config))
    runtime = Runtime(
        read_only=o.read_only,
        store=o.store,
        facts=facts,
        catalog=catalog,
        sync=sync,
        refiller=refiller,
        texts=texts,
        graph=graph,
        patrol=Patrol(
            catalog, sync.decisions, sync.distil, indexes.near, clock, Rounds(asked=o.config.lifecycle.asked)
        ),
        uses=Confirmations(catalog, DeviceLedger(o.source, "uses", identity.device_id(o.places.state), o.state), clock),
        exam=ExamFiles(o.kept, identity.device_id(o.places.state), o.state),
        settings=SettingsFile(o.store, VAULT_FILE),
        read_config=read_config,
        metrics=GraphMetrics(graph.current),
        state=o.state,
        git=memory_git(o.store, o.state, catalog) if o.config.git.enabled and not o.read_only else None,
        places=o.places,
        config=o.config,
        problems=o.problems,
        root=o.store.root,
        vault_id=o.vault_id,
        engine=engine,
        cache=o.work,
        vectors_at=o.cache,
        lock=o.lock,
    )
    return runtime


def watch_pace(config: Config) -> Pace:
    """The section `watch` as the watcher takes it."""
    return Pace(**asdict(config.watch))


def _open_indexes(cache: Path) -> tuple[Catalog, dict[str, TantivyIndex]]:
    """The catalogue, and for each name the keyword index that it calls whole, or an empty one that must be filled."""
    path = cache / "catalog.sqlite"
    try:
        catalog = Catalog.open(path)
    except IndexDamaged as error:
        log.warning("%s", error)
        move_aside(path)
        catalog = Catalog.open(path)
    return catalog, {name: _open_text(cache, catalog, name) for name in TEXTS}


def _open_text(cache: Path, catalog: Catalog, name: str) -> TantivyIndex:
    made_by, _, folder = (catalog.meta(f"text-{name}") or "").partition("|")
    keep = folder if made_by == text_version() and folder and (cache / folder).is_dir() else ""
    index = None
    if keep:
        try:
            index = TantivyIndex.open(cache / keep)
        except IndexDamaged as error:
            log.warning("%s", error)
            keep = ""
    for other in cache.glob(f"text-{name}*"):
        if other.name != keep:
            TantivyIndex.wipe(other)  # of another version, damaged, or a copy that a kill left half made
    return index or TantivyIndex.open(cache / f"text-{name}-{secrets.token_hex(4)}")


@contextlib.contextmanager
def open_service(
    root: Path,
    *,
    read_only: bool = True,
    options: Mapping[str, Any] | None = None,
    vectors: bool = True,
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
