"""The process that serves one vault: lock, threads, port, run file, and an orderly end.

Order of start: the lock, the indexes (keyword answers come from what the last run left), the port and its run file, then the
watcher, whose first report makes the indexer compare the whole vault, and the model in its own thread. Nothing that
takes long stands before the first answer.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ebbtide import __version__, logs, removal
from ebbtide.asking import open_rounds
from ebbtide.index.backfill import Backfill
from ebbtide.index.worker import Chores, Embedding, Indexer
from ebbtide.memory.errors import EbbtideError, LockHeld
from ebbtide.runtime import Runtime, SystemClock, open_runtime, watch_pace
from ebbtide.serve import pairing
from ebbtide.serve.calls import API_LEVEL
from ebbtide.serve.notify import Beat, Notifier, Supervisor
from ebbtide.serve.service import Service
from ebbtide.serve.sleeper import Sleeper
from ebbtide.serve.vitals import Threads
from ebbtide.sleeping import power
from ebbtide.vault.watcher import Watcher

log = logging.getLogger(__name__)


class Daemon:
    """A served vault. `start` returns once requests are answered; `stop` brings everything to disk."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.embedding = Embedding(self._open_model, self._changed)
        chores = Chores(
            runtime.write_links,
            runtime.write_facts,
            runtime.adopt,
            runtime.upkeep,
            runtime.heal,
            runtime.refresh_graph,
        )
        self.indexer = Indexer(runtime.sync, chores, self._indexed)
        self.embedding.on_rest = lambda: self.indexer.order(lambda: None)  # facts can be compared by their vectors
        self.claude = open_rounds(runtime.sync, runtime.state, runtime.config, self.indexer.order, self.indexer.ready)
        self.watcher = Watcher(runtime.store, self.indexer.report, clock=SystemClock(), pace=watch_pace(runtime.config))
        self.threads = Threads(self.indexer, self.embedding, self.watcher, self.claude)
        self.service = Service(runtime, self.threads)
        self.sleeper = Sleeper(self.service, power, runtime.sync.clock.now)
        self._bound: Any = None
        self._run_file: Path | None = None
        self._stopped = threading.Event()

    def start(self, port: int | None = None) -> int:
        """Serve; returns the port. Raises PortTaken."""
        from ebbtide.serve.api import create_app
        from ebbtide.serve.server import serve

        runtime = self.runtime
        pairing.clear_stale(runtime.places.state)
        token = pairing.LiveToken(runtime.places.state)
        logs.hide(token())
        server = runtime.config.server
        self._bound = serve(create_app(self.service, token), port, first=server.port, tries=server.ports)
        self.threads.port = self._bound.port
        self._bound.start()
        if runtime.lock is not None:
            runtime.lock.announce(self._bound.port)
        self._run_file = pairing.announce(
            runtime.places.state,
            pairing.Run(
                vault_id=runtime.vault_id,
                vault_path=str(runtime.root),
                port=self._bound.port,
                pid=os.getpid(),
                token=token(),
                token_file=str(runtime.places.state / "token"),
                api=API_LEVEL,
                version=__version__,
                started=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
                command=pairing.command("up", str(runtime.root)),
            ),
        )
        runtime.sync.on_edited = runtime.uses.edited
        self.indexer.start()
        self.watcher.start()
        self.embedding.start()
        if self.claude is not None:
            self.claude.start()
        self.sleeper.start()
        log.info("serving %s on 127.0.0.1:%d", runtime.root, self._bound.port)
        return int(self._bound.port)

    @property
    def beats(self) -> list[Beat]:
        """The signs of life of the two threads without which nothing new is noticed."""
        return [
            Beat("the indexer", lambda: self.indexer.beat if self.indexer.is_alive() else float("-inf")),
            Beat("the watcher", lambda: self.watcher.beat),
        ]

    def stop(self) -> None:
        """End in the order that loses nothing: no new requests, no new changes, then what is unwritten goes to disk."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._run_file is not None:
            pairing.withdraw(self._run_file)
        if self._bound is not None:
            self._bound.stop()
        self.sleeper.stop()
        self.watcher.stop()
        self.embedding.stop()
        if self.claude is not None:
            self.claude.ask_no_more()
        self.indexer.stop()
        if self.claude is not None:
            self.claude.close()
        self.runtime.close()

    @property
    def answering(self) -> bool:
        """True while the local server takes requests."""
        return self._bound is not None and bool(self._bound.alive)

    def _open_model(self) -> Backfill | None:
        # Collected once here: what start-up allocated stays, and later collections pass over it.
        gc.collect()
        gc.freeze()
        return self.runtime.backfill if self.runtime.open_model(log.info) else None

    def _indexed(self) -> None:
        self.embedding.nudge()

    def _changed(self) -> None:
        self.runtime.sync.changes += 1


class Stop(threading.Event):
    """Set it to end `run`."""


def run(vault: Path, port: int | None = None, options: Mapping[str, Any] | None = None) -> int:
    """`ebbtide up`: serve in the foreground until SIGINT or SIGTERM. Returns the exit code.

    `options`: "set" (settings by dotted key), "json" (no progress), "stop" (a `Stop`), "when_ready" (called once with port
    and token when everything is indexed), "supervised" (end the process when a thread stands still).

    What it fails with goes to the vault's log, too, wherever it is known where that is: under a service manager nobody sees stderr.
    """
    options = dict(options or {})
    runtime = _opened(vault, options.get("set") or {})
    try:
        return _run(runtime, port, options)
    except Exception as error:
        _failed(error)
        raise


def _failed(error: Exception) -> None:
    """The last line of the log: a sentence and the remedy, or for what nobody foresaw where it came from."""
    if isinstance(error, EbbtideError):
        log.error("%s", error)
    else:
        log.error("ended by what nobody foresaw", exc_info=error)


def _opened(vault: Path, settings: Mapping[str, Any]) -> Runtime:
    try:
        runtime = open_runtime(vault, read_only=False, options=settings)
    except Exception as error:
        if (file := _log_of(vault)) is not None:
            # Whoever holds the lock writes to this log, and alone may rotate it.
            logs.configure("info", file=file, size=0 if isinstance(error, LockHeld) else logs.SIZE)
            _failed(error)
        raise
    logs.configure("info", file=runtime.state / "logs" / "ebbtide.log")
    return runtime


def _log_of(vault: Path) -> Path | None:
    """The log of a vault that could not be opened. None where the vault is gone, or nobody knows yet whose it is."""
    with contextlib.suppress(EbbtideError, OSError):
        found = removal.belongings(vault)
        return found.log if found.memory is not None else None
    return None


def _run(runtime: Runtime, port: int | None, options: Mapping[str, Any]) -> int:
    daemon, notifier = Daemon(runtime), Notifier()
    ended: Stop = options.get("stop") or Stop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    if notifier.listened_to:
        faulthandler.enable()  # a watchdog ends with SIGABRT: where each thread stood goes to the journal
    pulse = _Pulse()
    try:
        bound = daemon.start(port)
        notifier.ready()
        if options.get("supervised"):
            pulse.watch(daemon.beats)
        say = _Teller(daemon, bool(options.get("json")), notifier)
        say.started(bound)
        _serve(daemon, notifier, say, ended, options.get("when_ready"), pulse)
    finally:
        notifier.stopping()
        pulse.stop()
        daemon.stop()
    return 0


def _serve(daemon: Daemon, notifier: Notifier, say: _Teller, ended: Stop, when_ready: Any, pulse: _Pulse) -> None:
    """The main loop: pass signs of life on, tell how far it is."""
    beats, rest = daemon.beats, 0
    while not ended.wait(min(1.0, notifier.every or 1.0)):
        pulse.beat()
        notifier.ping(beats)
        if not daemon.answering:
            state = daemon.runtime.state
            raise EbbtideError("The local server stopped by itself.", f"See {state / 'logs'}; start again.")
        rest -= 1
        if rest > 0:
            continue
        status = say.progress()
        idle = status["progress"]["phase"] == "idle"
        if when_ready is not None and idle and status["state"] in ("ready", "degraded"):
            when_ready(daemon.threads.port, pairing.read_token(daemon.runtime.places.state))
            when_ready = None
        rest = 10 if idle and when_ready is None else 0  # counting everything once a second is no rest


class _Pulse:
    """The main loop's own sign of life, and the supervisor that looks for it where no service manager does."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._supervisor: Supervisor | None = None

    def watch(self, beats: list[Beat]) -> None:
        """Let a supervisor look after these and the main loop."""
        self._supervisor = Supervisor([*beats, Beat("the main loop", lambda: self._last)])
        self._supervisor.start()

    def beat(self) -> None:
        """A round of the main loop."""
        self._last = time.monotonic()

    def stop(self) -> None:
        """The end has begun."""
        if self._supervisor is not None:
            self._supervisor.stop()


class _Teller:
    """Progress on stderr while there is any; one line where it serves."""

    def __init__(self, daemon: Daemon, quiet: bool, notifier: Notifier) -> None:
        self._daemon, self._quiet, self._last, self._told = daemon, quiet, "", 0.0
        self._notifier = notifier

    @staticmethod
    def _line(text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def started(self, port: int) -> None:
        """Say where."""
        self._line(f"Ebbtide serves {self._daemon.runtime.root} on http://127.0.0.1:{port} (Ctrl-C stops it)")

    def progress(self) -> dict[str, Any]:
        """Say how far, every few seconds while something is under way, and once when it is done. Returns the status."""
        status = self._daemon.service.status()
        now = status["progress"]
        line = status["message"]
        if now["total"]:
            eta = f", about {now['eta_seconds']:.0f} s left" if now["eta_seconds"] else ""
            line = f"{now['phase']}: {now['done']}/{now['total']}{eta}"
        self._notifier.status(line)
        if self._quiet or line == self._last or (now["total"] and time.monotonic() - self._told < 3):
            return status
        self._last, self._told = line, time.monotonic()
        self._line(line)
        return status
