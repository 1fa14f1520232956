"""Noticing changes: events are hints that a path may differ, the scan is the truth.

Events are lost silently on every system (a full kernel queue, a watch limit, a folder moved out), so they only name
paths to look at; a scan at the start, every few minutes and after every sign of loss finds the rest. One worker thread
looks, compares with what was known, waits for what is not settled, and hands over batches. Nothing is believed in
haste: a note that suddenly reads as empty is looked at again, and so is a vault of which half has gone.

Run on Linux only so far. On macOS and Windows the same code waits for quiet instead of for closing.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from ebbtide.memory.errors import Problem, VaultError
from ebbtide.memory.ports import Clock
from ebbtide.memory.records import FileStat
from ebbtide.vault.hearing import KINDS, LINUX, Ears, Hints, Overflow, Pace, signed
from ebbtide.vault.lines import hidden
from ebbtide.vault.mounts import folders, inotify_descriptors, mount_type, watches

log = logging.getLogger(__name__)

APP_JSON: Final = ".obsidian/app.json"
CLOSED: Final = 0.05
"""Seconds after a closing on Linux: the content is whole, this only joins what comes together (a rename and links)."""
GONE: Final = 0.4
"""Seconds until a deletion is believed: editors that save by renaming delete and create within a moment."""
EMPTY: Final = 1.0
YOUNG: Final = 10.0
"""Seconds for which a new folder is looked into before anything is believed to be gone."""
FRESH: Final = 2.0
"""Age in seconds under which an unchanged stamp proves nothing: coarse clocks of disks."""
_DISTANT: Final = ("9p", "nfs", "cifs", "smb", "fuse", "afs", "vboxsf", "virtiofs", "drvfs", "ceph", "glusterfs")
OnChange = Callable[[frozenset[str], bool], None]


class Watched(Protocol):
    """What of the vault store the watcher needs."""

    root: Path

    def root_identity(self) -> tuple[int, int]:
        """Device and inode of the root."""

    def scan(self) -> Iterator[FileStat]:
        """Every visible file."""

    def stat(self, path: str) -> FileStat | None:
        """One file, or None."""

    def own_write(self, path: str, stat: FileStat) -> bool:
        """True if this is what we wrote ourselves."""

    def unreadable(self) -> tuple[str, ...]:
        """What the last scan could not look into."""


class Watcher:
    """Calls `on_change(paths, rescan_needed)` from its own thread; the flag asks for a comparison with a full scan.

    The first call comes after start with (nothing, True). A callback that raises is called again with True later.
    """

    def __init__(self, store: Watched, on_change: OnChange, *, clock: Clock, pace: Pace | None = None) -> None:
        self._store, self._on_change, self._clock = store, on_change, clock
        self._pace = pace or Pace()
        self._prefix = str(store.root).rstrip(os.sep) + os.sep
        self._wake = threading.Condition()
        self._hints = Hints(scan_due=0.0, full=True)
        self._asleep_until = time.monotonic()
        self._stopping = False
        self._known: dict[str, FileStat] = {}
        self._emptied: set[str] = set()
        self._racy: set[str] = set()
        self._doubted = self._lost = self._looked = False
        self._root_is: tuple[int, int] | None = None
        self._observer: BaseObserver | None = None
        self._inotify: frozenset[str] = frozenset()
        self._scanning = self._pace.mode == "scan"
        self._problems: dict[str, Problem] = {}
        self._overflow = Overflow(self.rescan)
        self._health_due = self._full_due = 0.0
        self._scan_took = 0.0
        self._thread = threading.Thread(target=self._run, name="ebbtide-watcher", daemon=True)

    @property
    def mode(self) -> str:
        """`events` or `scan`."""
        return "scan" if self._scanning else "events"

    @property
    def beat(self) -> float:
        """When its thread last gave a sign of life, by `time.monotonic`; minus infinity once it has ended."""
        return min(self._asleep_until, time.monotonic()) if self._thread.is_alive() else float("-inf")

    def _sign(self) -> None:
        self._asleep_until = time.monotonic()

    def problems(self) -> list[Problem]:
        """What keeps the watcher from seeing everything at once."""
        with self._wake:
            return list(self._problems.values())

    def start(self) -> None:
        """Begin to watch; the first scan runs in the watcher's thread."""
        kind = mount_type(self._store.root)
        if self._pace.mode == "auto" and kind.startswith(_DISTANT):
            self._fall_back("disk-kind", f"changes on a {kind} disk are not announced", "nothing to do", "info")
        logger = logging.getLogger("watchdog")
        if not logger.isEnabledFor(logging.WARNING):
            logger.setLevel(logging.WARNING)  # its warning is the only sign of lost events
        logger.addHandler(self._overflow)
        self._thread.start()

    def stop(self) -> None:
        """Stop both threads; returns when they are gone."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        logging.getLogger("watchdog").removeHandler(self._overflow)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(timeout=30)

    def rescan(self, after: float = 0.0) -> None:
        """Ask for a full comparison: after wake-up, on request, on a sign of lost events."""
        with self._wake:
            self._want_scan(time.monotonic() + after, full=True)

    # -- hearing (watchdog's thread): fast, and never raises -----------------------------------------------------------

    def _hear_safely(self, event: events.FileSystemEvent) -> None:
        """An exception here would end watchdog's thread unnoticed."""
        try:
            self._hear(event)
        except Exception:
            log.exception("an event could not be taken in")
            self.rescan()

    def _hear(self, event: events.FileSystemEvent) -> None:
        now = time.monotonic()
        ends = [self._relative(event.src_path)]
        if isinstance(event, events.FileSystemMovedEvent):
            ends.append(self._relative(event.dest_path))
        visible = [path for path in ends if path is not None]
        with self._wake:
            if any(path == "" for path in visible):
                self._want_scan(now + self._pace.settle, full=True)  # the root itself
                return
            if not visible:
                return
            hints = self._hints
            hints.heard += 1
            if hints.heard > self._pace.burst:
                hints.files.clear()
                hints.folders.clear()
                if hints.scan_due is None or hints.heard % self._pace.burst == 1:
                    self._want_scan(now + self._pace.max_wait, full=True)
                return
            # A move within the vault is one change: both ends go into one batch. A move to a hidden name is how editors
            # begin to save, so it waits like a deletion.
            gone = event.event_type == events.EVENT_TYPE_DELETED or (len(ends) == 2 and ends[1] is None)
            closed = LINUX and event.event_type in (events.EVENT_TYPE_CLOSED, events.EVENT_TYPE_MOVED)
            delay = max(GONE, self._pace.settle) if gone else CLOSED if closed else self._pace.settle
            for path in visible:
                if event.is_directory:
                    hints.folders[path] = now + delay
                    if not gone:
                        hints.young[path] = now
                    due = now + delay
                else:
                    first = hints.files.get(path, (now, 0.0))[0]
                    due = min(now + delay, max(first + self._pace.max_wait, now))
                    hints.files[path] = (first, due)
                if due < self._asleep_until:
                    self._wake.notify_all()

    def _relative(self, raw: bytes | str) -> str | None:
        """Path in the vault, or None for what is hidden in it or not in it; "" for the root."""
        path = os.fsdecode(raw)
        if path + os.sep == self._prefix:
            return ""
        if not path.startswith(self._prefix):
            return None
        inside = path[len(self._prefix) :].replace(os.sep, "/")
        return None if inside != APP_JSON and any(map(hidden, inside.split("/"))) else inside

    def _want_scan(self, due: float, *, full: bool) -> None:
        hints = self._hints
        hints.scan_due = due if hints.scan_due is None else min(due, hints.scan_due)
        hints.full = hints.full or full
        self._wake.notify_all()

    # -- looking (our thread) ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._health_due = time.monotonic() + self._pace.health_every
        try:
            if not self._scanning:
                self._observe()
            while True:
                with self._wake:
                    while not self._stopping and (wait := self._next_due() - time.monotonic()) > 0:
                        self._asleep_until = time.monotonic() + wait
                        self._wake.wait(wait)
                    if self._stopping:
                        return
                    batch, scan, full = self._take(time.monotonic())
                try:
                    self._work(batch, scan=scan, full=full)
                except Exception:
                    log.exception("the watcher failed to look at changes; everything is scanned again")
                    self.rescan(after=self._pace.retry)
        finally:
            self._unobserve()

    def _next_due(self) -> float:
        hints = self._hints
        dues = [due for _, due in hints.files.values()] + list(hints.folders.values()) + [self._health_due]
        return min(dues if hints.scan_due is None else [*dues, hints.scan_due])

    def _take(self, now: float) -> tuple[set[str], bool, bool]:
        """What is due: paths, whether a scan is, and whether it must be a full comparison."""
        hints, self._asleep_until = self._hints, now
        # What is due in a moment belongs to the same rename or save.
        batch = {path for path, (_, due) in hints.files.items() if due <= now + CLOSED}
        for path in batch:
            del hints.files[path]
        for folder in [folder for folder, due in hints.folders.items() if due <= now + CLOSED]:
            del hints.folders[folder]
            batch |= {path for path in self._known if path.startswith(folder + "/")}
        scan = hints.scan_due is not None and hints.scan_due <= now
        if scan or (not hints.files and hints.heard <= self._pace.burst):
            hints.heard = 0
        full = scan and (hints.full or now >= self._full_due)
        if scan:
            hints.scan_due, hints.full = None, False
        return batch, scan, full

    def _work(self, batch: set[str], *, scan: bool, full: bool) -> None:
        if time.monotonic() >= self._health_due:
            self._health_due = time.monotonic() + self._pace.health_every
            if not self._healthy():
                scan = full = True
        if batch and not self._lost:
            self._look(batch)
        if scan:
            self._reconcile(full=full)

    def _look(self, batch: Iterable[str]) -> None:
        """Compare hinted paths with what was known."""
        changed: set[str] = set()
        gone: list[str] = []
        if any(path in self._known and self._store.stat(path) is None for path in batch):
            batch = {*batch, *self._newcomers()}  # a note that went may have gone there: both ends are one change
        for path in signed(sorted(batch), self._sign):
            if path == APP_JSON:
                self.rescan()  # other files may be excluded now
                continue
            seen, known = self._store.stat(path), self._known.get(path)
            if seen is None:
                gone += [path] if known is not None else []
            elif self._store.own_write(path, seen):
                self._known[path] = seen
            elif (seen != known or self._fresh(seen)) and not self._wait_for_content(path, seen, known):
                self._known[path] = seen
                changed.add(path)
        if gone and (self._root_changed() or self._too_many(len(gone))):
            self.rescan()  # the scan decides whether they are gone
        else:
            for path in gone:
                del self._known[path]
            changed.update(gone)
        if changed:
            self._deliver(frozenset(changed), full=False)

    def _newcomers(self) -> set[str]:
        """Files that nobody told of yet in folders made a moment before: these are not watched from their first moment on."""
        with self._wake:
            young = self._hints.young
            for folder in [folder for folder, at in young.items() if time.monotonic() - at > YOUNG]:
                del young[folder]
            folders = list(young)
        found: set[str] = set()
        for folder in folders:
            for base, inside, names in signed(os.walk(self._store.root / folder), self._sign):
                inside[:] = [name for name in inside if not hidden(name)]
                here = os.path.relpath(base, self._store.root).replace(os.sep, "/")
                found.update(f"{here}/{name}" for name in names if not hidden(name))
                if len(found) > self._pace.burst:
                    return set()  # the scan that a burst brings finds them
        return {path for path in found if path not in self._known}

    def _reconcile(self, *, full: bool) -> None:
        """Scan, compare, hand over. A scan that finds the vault gone, or most of it, changes nothing yet."""
        begun = time.monotonic()
        try:
            if not self._scanning and (self._lost or self._root_changed()) and self._identity() is not None:
                self._unobserve()  # it still listens to the old folder, or its thread died with it
                self._observe()
            found = {stat.path: stat for stat in signed(self._store.scan(), self._sign)}
            self._root_is = self._store.root_identity()
        except VaultError as error:
            self._lost = True
            self._note(Problem("", None, "vault-gone", error.reason, error.remedy or "bring the vault back", "error"))
            self.rescan(after=self._pace.retry)
            return
        self._scan_took = time.monotonic() - begun
        if self._lost:
            self._lost, full = False, True
            self._forget("vault-gone")
        if blind := self._store.unreadable():  # what cannot be looked at is not gone
            found |= {path: old for path, old in self._known.items() if path not in found and path.startswith(blind)}
        gone = self._known.keys() - found.keys()
        if self._too_many(len(gone)) and not self._doubted:
            self._doubted = True
            text = f"{len(gone)} of {len(self._known)} files have gone at once"
            self._note(Problem("", None, "many-gone", text, "nothing is taken out before a second look agrees"))
            self.rescan(after=self._pace.doubt)
            return
        self._doubted = False
        self._forget("many-gone")
        racy, self._racy = self._racy, set()
        changed = set(gone)
        for path, seen in found.items():
            known = self._known.get(path)
            if (seen == known and path not in racy) or self._store.own_write(path, seen):
                continue
            if self._wait_for_content(path, seen, known):
                found[path] = known or seen
                continue
            if self._fresh(seen):
                self._racy.add(path)
            changed.add(path)
        first, self._looked, self._known = not self._looked, True, found
        with self._wake:
            now = time.monotonic()
            if full:
                self._full_due = now + self._pace.rescan_every
            every = min(max(self._pace.scan_every, 20 * self._scan_took), 2 * self._pace.scan_every)
            self._want_scan(now + (every if self._scanning else self._pace.rescan_every), full=not self._scanning)
        if full or changed:
            self._deliver(frozenset() if first else frozenset(changed), full=full)
        if full and not self._scanning:
            self._check_watches()

    def _fresh(self, seen: FileStat) -> bool:
        return self._clock.now() - seen.mtime_ns / 1e9 < FRESH

    def _wait_for_content(self, path: str, seen: FileStat, known: FileStat | None) -> bool:
        """A note that was not empty reads as empty: somebody truncated it and is about to write. Look again once."""
        if seen.size or known is None or not known.size or path in self._emptied:
            self._emptied.discard(path)
            return False
        self._emptied.add(path)
        with self._wake:
            now = time.monotonic()
            self._hints.files[path] = (now, now + EMPTY)
        return True

    def _too_many(self, gone: int) -> bool:
        return len(self._known) > 20 and gone * 2 > len(self._known)

    def _deliver(self, paths: frozenset[str], *, full: bool) -> None:
        try:
            self._on_change(paths, full)
        except Exception:
            log.exception("taking in changes failed; it is tried again with a full comparison")
            self.rescan(after=self._pace.retry)

    # -- the watcher's own state ---------------------------------------------------------------------------------------

    def _observe(self) -> None:
        before = inotify_descriptors()
        observer = Observer()
        try:
            observer.schedule(Ears(self._hear_safely), str(self._store.root), recursive=True, event_filter=KINDS)
            observer.start()
        except OSError as error:
            observer.unschedule_all()
            observer.on_thread_stop()
            if self._store.root.is_dir():
                self._fall_back("watch-refused", f"the system refuses to watch the vault: {error.strerror}", _SYSCTL)
            return
        self._observer = observer
        self._inotify = inotify_descriptors() - before
        self._root_is = self._identity()

    def _unobserve(self) -> None:
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            observer.join(timeout=10)

    def _identity(self) -> tuple[int, int] | None:
        try:
            return self._store.root_identity()
        except VaultError:
            return None

    def _root_changed(self) -> bool:
        return self._root_is is not None and self._identity() != self._root_is

    def _healthy(self) -> bool:
        """False if the root is another one, or watchdog's threads have died; then they are started anew."""
        if self._root_changed():
            return False
        observer = self._observer
        alive = observer is not None and all(thread.is_alive() for thread in (observer, *observer.emitters))
        if self._scanning or alive:
            return True
        self._unobserve()
        self._observe()
        return False

    def _check_watches(self) -> None:
        """Find out whether folders are deaf because the kernel's limit is reached: watchdog says nothing then."""
        for _attempt in range(2):
            if not self._inotify or watches(self._inotify) >= folders(self._store.root, self._sign):
                return
            with self._wake:
                self._wake.wait_for(lambda: self._stopping, 1.0)  # a folder made meanwhile may just be missing
        text = f"{watches(self._inotify)} of {folders(self._store.root, self._sign)} folders can be watched"
        self._unobserve()
        self._fall_back("watch-limit", text, _SYSCTL)

    def _fall_back(self, code: str, message: str, fix: str, severity: Any = "warning") -> None:
        self._scanning = True
        every = f"{self._pace.scan_every:g}"
        self._note(Problem("", None, code, f"{message}; scanning every {every} s instead", fix, severity))
        with self._wake:
            self._want_scan(time.monotonic() + self._pace.scan_every, full=False)

    def _note(self, problem: Problem) -> None:
        with self._wake:
            if problem.code not in self._problems:
                log.log(logging.INFO if problem.severity == "info" else logging.WARNING, "%s", problem)
            self._problems[problem.code] = problem

    def _forget(self, code: str) -> None:
        with self._wake:
            self._problems.pop(code, None)


_SYSCTL: Final = (
    "raise the limits: sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024"
    " (to keep them: the same lines in /etc/sysctl.d/60-ebbtide.conf), then restart Ebbtide"
)
