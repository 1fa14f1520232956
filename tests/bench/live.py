"""The real daemon in a process of its own, with cache and state of its own, asked over HTTP as every client asks."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil

PATIENCE = 60.0
"""Seconds without any progress after which a measurement is given up."""


def environment(work: Path) -> dict[str, str]:
    """The environment without the user's own settings of Ebbtide, its cache and state under `work`."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EBBTIDE_")}
    return kept | {
        "EBBTIDE_CACHE": str(work / "cache"),
        "EBBTIDE_STATE": str(work / "state"),
        "EBBTIDE_CONFIG": str(work / "config.toml"),
    }


class Live:
    """A daemon that runs; a context manager. `clock()` is seconds since its start without the time it was suspended."""

    def __init__(self, vault: Path, work: Path) -> None:
        self.vault, self.work = vault, work
        self._log = (work / "daemon.log").open("ab")
        self._runs = work / "state" / "run"
        for left in self._runs.glob("*.json"):
            left.unlink()
        self._suspended = 0.0
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ebbtide", "up", str(vault), "--port", "0", "--json"],
            env=environment(work),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )
        self._memory = _Memory(self._process.pid)
        self._connection: http.client.HTTPConnection | None = None
        self._token = ""
        self._moved = ("", time.monotonic())

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def clock(self) -> float:
        """Seconds since the start, pauses of ours left out."""
        return time.perf_counter() - self.started - self._suspended

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """One call on the connection that is kept open; RuntimeError if the daemon refuses it."""
        if self._connection is None:
            self._connect()
        assert self._connection is not None
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        self._connection.request(method, path, json.dumps(body).encode() if body is not None else None, headers)
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {answer}")
        return answer

    def status(self) -> dict[str, Any]:
        """GET /v1/status."""
        return self.ask("GET", "/v1/status")

    def recall(self, question: str, limit: int = 5) -> tuple[dict[str, Any], float]:
        """An answer and the milliseconds it took as the client sees it."""
        before = time.perf_counter()
        answer = self.ask("POST", "/v1/recall", {"query": question, "limit": limit})
        return answer, (time.perf_counter() - before) * 1000

    def wait_settled(self) -> dict[str, Any]:
        """Until everything is indexed, by meaning too."""
        while not ((status := self.advancing())["keyword_ready"] and status["vectors_ready"]):
            time.sleep(0.1)
        return status

    def advancing(self) -> dict[str, Any]:
        """The status; RuntimeError if notes fail, TimeoutError if nothing has moved for `PATIENCE` seconds."""
        status = self.status()
        moved = json.dumps([status["counts"], status["progress"], status["change"]])
        if moved != self._moved[0]:
            self._moved = (moved, time.monotonic())
        if status["counts"]["failed"] and not status["counts"]["indexed"]:
            raise RuntimeError(f"no note can be read: {status['problems'][0]['message']}")
        if time.monotonic() - self._moved[1] > PATIENCE:
            raise TimeoutError(f"nothing moves: {status['message']} See the logs in {self.work}.")
        return status

    def suspended(self) -> _Pause:
        """A block during which the daemon's process stands still."""
        return _Pause(self)

    def peak_mib(self) -> float:
        """Most resident memory so far, mapped files (model, keyword index) included."""
        return self._memory.peak() / 2**20

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._memory.end()
        if self._connection is not None:
            self._connection.close()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()

    def _connect(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise RuntimeError(f"the daemon ended with {self._process.returncode}; see {self.work / 'daemon.log'}")
            for file in self._runs.glob("*.json"):
                run = json.loads(file.read_bytes())
                self._token = run["token"]
                self._connection = http.client.HTTPConnection("127.0.0.1", run["port"], timeout=120)
                return
            time.sleep(0.005)
        raise TimeoutError("the daemon does not answer")

    def _stand_still(self, still: bool) -> None:
        process = psutil.Process(self._process.pid)
        if still:
            process.suspend()
        else:
            process.resume()


class _Pause:
    def __init__(self, live: Live) -> None:
        self._live = live

    def __enter__(self) -> None:
        self._since = time.perf_counter()
        self._live._stand_still(True)

    def __exit__(self, *_: object) -> None:
        self._live._stand_still(False)
        self._live._suspended += time.perf_counter() - self._since


class _Memory(threading.Thread):
    """Samples resident memory of a process and its children; on Linux the kernel's own high-water mark counts too."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process, self._most, self._ended = psutil.Process(pid), 0, threading.Event()
        self.start()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            self._look()

    def _look(self) -> None:
        try:
            family = [self._process, *self._process.children(recursive=True)]
            self._most = max(self._most, sum(one.memory_info().rss for one in family))
        except psutil.Error:
            return
        try:
            marks = Path(f"/proc/{self._process.pid}/status").read_text().split("VmHWM:")
            self._most = max(self._most, int(marks[1].split()[0]) * 1024)
        except (OSError, IndexError, ValueError):
            return

    def peak(self) -> int:
        self._look()
        return self._most

    def end(self) -> None:
        self._look()
        self._ended.set()
