"""Real watchdog on real folders. No test asserts a time: each waits for what must come, with a generous deadline."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog import events

import ebbtide.vault.watcher as module
from ebbtide.memory.records import FileStat
from ebbtide.vault.hearing import Pace
from ebbtide.vault.mounts import mount_type
from ebbtide.vault.store import VaultStore
from ebbtide.vault.watcher import Watcher

DEADLINE = 60.0
linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify")


class Now:
    """The wall clock."""

    def now(self) -> float:
        return time.time()


class Heard:
    """Collects batches, and waits for them."""

    def __init__(self) -> None:
        self.batches: list[tuple[frozenset[str], bool]] = []
        self.changed = threading.Condition()
        self.fail = False

    def __call__(self, paths: frozenset[str], rescan: bool) -> None:
        with self.changed:
            self.batches.append((paths, rescan))
            self.changed.notify_all()
        if self.fail:
            self.fail = False
            raise RuntimeError("the callback failed")

    @property
    def paths(self) -> set[str]:
        return {path for batch, _ in self.batches for path in batch}

    def clear(self) -> None:
        with self.changed:
            self.batches.clear()

    def until(self, true: Callable[[], bool]) -> None:
        with self.changed:
            end = time.monotonic() + DEADLINE
            while not true():
                left = end - time.monotonic()
                assert left > 0, f"waited in vain; heard {self.batches}"
                self.changed.wait(min(left, 0.1))


class Bench:
    """A vault, a store, a watcher and what it said."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "vault"
        self.root.mkdir()
        self.heard = Heard()
        self.watcher: Watcher | None = None

    def put(self, path: str, text: str = "text\n") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def start(self, pace: Pace | None = None) -> Watcher:
        self.store = VaultStore.open(self.root)
        self.watcher = Watcher(self.store, self.heard, clock=Now(), pace=pace or Pace())
        self.watcher.start()
        self.heard.until(lambda: (frozenset(), True) in self.heard.batches)
        self.heard.clear()
        return self.watcher

    def settle(self) -> None:
        """Wait until a file made just now has been heard: everything before it has been, too."""
        name = f"marker-{time.monotonic_ns()}.md"
        self.put(name)
        self.heard.until(lambda: name in self.heard.paths)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made, before = Bench(tmp_path), set(threading.enumerate())
    yield made
    if made.watcher is not None:
        made.watcher.stop()
        assert not [t for t in set(threading.enumerate()) - before if t.name == "ebbtide-watcher"]


class TestEvents:
    def test_starts_with_a_full_comparison_and_then_names_paths(self, bench: Bench) -> None:
        bench.put("a.md")
        bench.start()
        bench.put("a.md", "changed")
        bench.put("folder/new.md")
        bench.heard.until(lambda: bench.heard.paths >= {"a.md", "folder/new.md"})
        assert not any(rescan for _, rescan in bench.heard.batches)

    def test_saving_by_renaming_is_one_change_of_the_note(self, bench: Bench) -> None:
        bench.put("a.md")
        bench.start()
        bench.put(".a.md.tmp-1", "new").rename(bench.root / "a.md")
        bench.settle()
        assert bench.heard.paths >= {"a.md"}
        assert not any("tmp" in path for path in bench.heard.paths)

    @linux
    def test_saving_as_vim_does_never_shows_the_note_gone(self, bench: Bench) -> None:
        note = bench.put("a.md")
        bench.start()
        seen: list[bool] = []
        real = bench.heard.__class__.__call__

        def look(self: Heard, paths: frozenset[str], rescan: bool) -> None:
            if "a.md" in paths:
                seen.append(note.exists())
            real(self, paths, rescan)

        bench.heard.__class__.__call__ = look  # type: ignore[method-assign]
        try:
            note.rename(bench.root / "a.md~")
            bench.put("a.md", "new")
            (bench.root / "a.md~").unlink()
            bench.settle()
        finally:
            bench.heard.__class__.__call__ = real  # type: ignore[method-assign]
        assert seen
        assert all(seen)
        assert bench.heard.paths.isdisjoint({"a.md~"})

    def test_a_rename_comes_with_both_ends_in_one_batch(self, bench: Bench) -> None:
        bench.put("a.md")
        bench.start()
        (bench.root / "a.md").rename(bench.root / "b.md")
        bench.heard.until(lambda: bench.heard.paths >= {"a.md", "b.md"})
        assert any(batch >= {"a.md", "b.md"} for batch, _ in bench.heard.batches)

    @linux
    def test_a_note_moved_into_a_folder_made_just_before_comes_with_both_ends(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What comes into it before it is watched is told late, or never: here never."""
        bench.put("a.md")
        hear = Watcher._hear

        def deaf(self: Watcher, event: events.FileSystemEvent) -> None:
            if event.is_directory or "New" not in str(event.src_path):
                hear(self, event)

        monkeypatch.setattr(Watcher, "_hear", deaf)
        bench.start()
        (bench.root / "New/Deep").mkdir(parents=True)
        (bench.root / "a.md").rename(bench.root / "New/Deep/a.md")
        bench.heard.until(lambda: "a.md" in bench.heard.paths)
        assert [paths for paths, _ in bench.heard.batches if "a.md" in paths] == [{"a.md", "New/Deep/a.md"}]

    def test_deletions(self, bench: Bench) -> None:
        bench.put("a.md")
        bench.start()
        (bench.root / "a.md").unlink()
        bench.heard.until(lambda: "a.md" in bench.heard.paths)

    def test_a_folder_that_is_renamed_or_moved_out_names_its_notes(self, bench: Bench, tmp_path: Path) -> None:
        for n in range(4):
            bench.put(f"in/deep/{n}.md")
        bench.start()
        (bench.root / "in").rename(bench.root / "on")
        bench.heard.until(lambda: bench.heard.paths >= {f"{f}/deep/{n}.md" for n in range(4) for f in ("in", "on")})
        bench.heard.clear()
        (bench.root / "on").rename(tmp_path / "outside")
        bench.heard.until(lambda: bench.heard.paths >= {f"on/deep/{n}.md" for n in range(4)})
        bench.heard.clear()
        (tmp_path / "outside/deep/1.md").write_text("written outside")  # its watch leaks: heard under the old name
        bench.settle()
        assert "on/deep/1.md" not in bench.heard.paths

    def test_a_folder_moved_in_is_seen_and_watched(self, bench: Bench, tmp_path: Path) -> None:
        bench.start()
        (tmp_path / "outside/deep").mkdir(parents=True)
        (tmp_path / "outside/deep/a.md").write_text("x")
        (tmp_path / "outside").rename(bench.root / "in")
        bench.heard.until(lambda: "in/deep/a.md" in bench.heard.paths)
        bench.heard.clear()
        bench.put("in/deep/b.md")
        bench.heard.until(lambda: "in/deep/b.md" in bench.heard.paths)

    def test_hidden_and_temporary_names_are_not_heard(self, bench: Bench) -> None:
        bench.start()
        for name in (".obsidian/workspace.json", ".git/index", ".trash/a.md", "a.md~", "b.tmp", "Memory/.history/ab"):
            bench.put(name)
        bench.settle()
        assert all(path.startswith("marker-") for path in bench.heard.paths)

    def test_own_reads_are_not_heard(self, bench: Bench) -> None:
        bench.put("a.md")
        os.utime(bench.root / "a.md", (1_000_000_000, 1_000_000_000))
        bench.start()
        for _ in range(5):
            bench.store.read("a.md")
        bench.settle()
        assert "a.md" not in bench.heard.paths

    def test_own_writes_are_dropped_and_a_persons_edit_right_after_is_not(self, bench: Bench) -> None:
        bench.start()
        bench.store.write_memory("core/own.md", b"ours")
        bench.store.append_memory("uses/d.jsonl", b"{}\n")
        bench.settle()
        assert all(path.startswith("marker-") for path in bench.heard.paths)
        bench.store.write_memory("core/own.md", b"ours again")
        bench.put("Memory/core/own.md", "edited by hand")
        bench.heard.until(lambda: "Memory/core/own.md" in bench.heard.paths)

    def test_a_note_that_is_truncated_and_then_written_is_not_taken_for_empty(self, bench: Bench) -> None:
        note = bench.put("a.md", "content")
        bench.start()
        sizes: list[int] = []
        real = bench.store.stat

        def stat(path: str) -> FileStat | None:
            seen = real(path)
            if path == "a.md" and seen is not None:
                sizes.append(seen.size)
                if seen.size == 0 and len(sizes) == 1:
                    note.write_text("content again")
            return seen

        bench.store.stat = stat  # type: ignore[method-assign]
        note.write_text("")
        bench.heard.until(lambda: "a.md" in bench.heard.paths)
        assert sizes[0] == 0
        assert sizes[-1] > 0

    def test_a_note_that_is_really_emptied_is_believed_in_the_end(self, bench: Bench) -> None:
        note = bench.put("a.md", "content")
        bench.start()
        note.write_text("")
        bench.heard.until(lambda: "a.md" in bench.heard.paths)

    def test_a_change_of_obsidians_excluded_files_asks_for_everything(self, bench: Bench) -> None:
        bench.put(".obsidian/app.json", "{}")
        bench.start()
        bench.put(".obsidian/app.json", '{"userIgnoreFilters": ["x/"]}')
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))

    def test_a_note_that_keeps_changing_is_read_all_the_same(self, bench: Bench) -> None:
        bench.start()
        stop = threading.Event()

        def save() -> None:
            n = 0
            while not stop.wait(0.02):
                bench.put("busy.md", f"{n}")
                n += 1

        thread = threading.Thread(target=save)
        thread.start()
        try:
            bench.heard.until(lambda: "busy.md" in bench.heard.paths)
        finally:
            stop.set()
            thread.join()

    def test_many_files_at_once_are_all_found(self, bench: Bench) -> None:
        bench.start()
        names = {f"d{n % 20}/n{n}.md" for n in range(400)}
        for name in names:
            bench.put(name)
        bench.heard.until(lambda: bench.heard.paths >= names)


class TestLoss:
    def test_a_burst_is_replaced_by_a_scan(self, bench: Bench) -> None:
        bench.start(Pace(burst=100))
        names = {f"n{n}.md" for n in range(300)}
        for name in names:
            bench.put(name)
        bench.heard.until(lambda: bench.heard.paths >= names and any(rescan for _, rescan in bench.heard.batches))

    def test_watchdogs_word_of_an_overflow_asks_for_a_scan(self, bench: Bench) -> None:
        bench.start()
        logging.getLogger("watchdog.observers.inotify_c").warning(
            "Inotify queue overflowed; filesystem events were lost"
        )
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))

    @linux
    def test_a_real_overflow_is_healed(self, bench: Bench) -> None:
        """The kernel's queue holds 16,384 events; watchdog's reader is held up while more are made."""
        from watchdog.observers.inotify_c import InotifyFD

        gate = threading.Event()
        real = InotifyFD.handle_event

        def held(self: InotifyFD, event: object) -> None:
            gate.wait(DEADLINE)
            real(self, event)  # type: ignore[arg-type]

        bench.start(Pace(burst=10**6))
        InotifyFD.handle_event = held  # type: ignore[method-assign]
        try:
            for n in range(9000):  # created and closed: two events each
                (bench.root / f"n{n}.md").touch()
        finally:
            InotifyFD.handle_event = real  # type: ignore[method-assign]
            gate.set()
        bench.heard.until(lambda: len(bench.heard.paths) >= 9000 and any(rescan for _, rescan in bench.heard.batches))

    def test_a_callback_that_fails_is_called_again_with_everything(self, bench: Bench) -> None:
        bench.start(Pace(retry=0.1))
        bench.heard.fail = True
        bench.put("a.md")
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))
        bench.heard.clear()
        bench.put("b.md")
        bench.heard.until(lambda: "b.md" in bench.heard.paths)

    def test_a_handler_that_fails_asks_for_a_scan_and_lives_on(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        watcher = bench.start()
        real, once = watcher._relative, []

        def fail(raw: bytes | str) -> str | None:
            if not once:
                once.append(raw)
                raise RuntimeError("odd event")
            return real(raw)

        monkeypatch.setattr(watcher, "_relative", fail)
        bench.put("a.md")
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))
        bench.put("b.md")
        bench.heard.until(lambda: bench.heard.paths >= {"a.md", "b.md"})

    @linux
    def test_a_watch_limit_is_noticed_and_scanning_takes_over(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The limit of the machine is not ours to lower: watchdog's call is refused for all but three folders."""
        from watchdog.observers import inotify_c

        real, made = inotify_c.inotify_add_watch, []

        def limited(fd: int, path: bytes, mask: int) -> int:
            if len(made) >= 3:
                import ctypes

                ctypes.set_errno(28)
                return -1
            made.append(path)
            return int(real(fd, path, mask))

        for n in range(10):
            bench.put(f"d{n}/a.md")
        monkeypatch.setattr(inotify_c, "inotify_add_watch", limited)
        watcher = bench.start(Pace(scan_every=0.2))
        bench.put("d9/deaf.md")
        bench.heard.until(lambda: "d9/deaf.md" in bench.heard.paths)
        assert watcher.mode == "scan"
        problem = next(problem for problem in watcher.problems() if problem.code == "watch-limit")
        assert "fs.inotify.max_user_watches" in problem.fix

    @linux
    def test_a_refused_watch_falls_back_to_scanning(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_args: object, **_more: object) -> object:
            raise OSError(24, "inotify instance limit reached")

        monkeypatch.setattr(module.Observer, "schedule", refuse)
        watcher = bench.start(Pace(scan_every=0.2))
        bench.put("a.md")
        bench.heard.until(lambda: "a.md" in bench.heard.paths)
        assert [problem.code for problem in watcher.problems()] == ["watch-refused"]

    @linux
    def test_an_observer_that_died_is_replaced(self, bench: Bench) -> None:
        watcher = bench.start(Pace(health_every=0.3))
        dead = watcher._observer
        assert dead is not None
        dead.stop()
        dead.join()
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))
        assert watcher._observer is not dead
        bench.settle()


class TestScanning:
    def test_finds_what_events_would_have(self, bench: Bench) -> None:
        bench.put("a.md"), bench.put("gone.md")
        watcher = bench.start(Pace(mode="scan", scan_every=0.1))
        assert watcher.mode == "scan"
        bench.put("a.md", "changed"), bench.put("b.md")
        (bench.root / "gone.md").unlink()
        bench.heard.until(lambda: bench.heard.paths >= {"a.md", "b.md", "gone.md"})
        assert not any(rescan for _, rescan in bench.heard.batches)

    def test_the_full_comparison_comes_back_now_and_then(self, bench: Bench) -> None:
        bench.start(Pace(mode="scan", scan_every=0.05, rescan_every=0.2))
        bench.heard.until(lambda: sum(rescan for _, rescan in bench.heard.batches) >= 3)

    def test_so_it_does_beside_events(self, bench: Bench) -> None:
        bench.start(Pace(rescan_every=0.2))
        bench.heard.until(lambda: sum(rescan for _, rescan in bench.heard.batches) >= 3)

    def test_a_distant_disk_is_scanned(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "mount_type", lambda _root: "fuse.sshfs")
        watcher = bench.start(Pace(scan_every=0.1))
        assert watcher.mode == "scan"
        assert [(p.code, p.severity) for p in watcher.problems()] == [("disk-kind", "info")]
        bench.put("a.md")
        bench.heard.until(lambda: "a.md" in bench.heard.paths)


class TestRoot:
    @pytest.mark.parametrize("mode", ["auto", "scan"])
    def test_a_vanished_root_takes_nothing_out_and_is_waited_for(self, bench: Bench, tmp_path: Path, mode: str) -> None:
        for n in range(3):
            bench.put(f"n{n}.md")
        watcher = bench.start(Pace(mode=mode, scan_every=0.1, health_every=0.1, retry=0.1))
        bench.root.rename(tmp_path / "away")
        bench.heard.until(lambda: [p.code for p in watcher.problems()] == ["vault-gone"])
        assert bench.heard.paths == set()
        (tmp_path / "away").rename(bench.root)
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))
        assert watcher.problems() == []
        bench.settle()

    def test_a_root_that_is_deleted_and_made_anew_is_watched_again(self, bench: Bench, tmp_path: Path) -> None:
        import shutil

        bench.put("a.md")
        watcher = bench.start(Pace(health_every=0.1, retry=0.1))
        shutil.copytree(bench.root, tmp_path / "copy")
        shutil.rmtree(bench.root)
        bench.heard.until(lambda: [p.code for p in watcher.problems()] == ["vault-gone"])
        (tmp_path / "copy").rename(bench.root)
        bench.heard.until(lambda: any(rescan for _, rescan in bench.heard.batches))
        bench.settle()
        assert watcher.problems() == []

    @pytest.mark.parametrize("mode", ["auto", "scan"])
    def test_half_a_vault_gone_is_believed_only_after_a_second_look(
        self, bench: Bench, tmp_path: Path, mode: str
    ) -> None:
        for n in range(30):
            bench.put(f"in/n{n}.md")
        watcher = bench.start(Pace(mode=mode, scan_every=0.1, doubt=1.0))
        (bench.root / "in").rename(tmp_path / "out")
        bench.heard.until(lambda: [p.code for p in watcher.problems()] == ["many-gone"])
        assert not any("in/" in path for path in bench.heard.paths)
        bench.heard.until(lambda: len(bench.heard.paths) == 30)
        assert watcher.problems() == []

    def test_and_not_at_all_if_it_comes_back(self, bench: Bench, tmp_path: Path) -> None:
        for n in range(30):
            bench.put(f"in/n{n}.md")
        watcher = bench.start(Pace(doubt=1.0))
        (bench.root / "in").rename(tmp_path / "out")
        bench.heard.until(lambda: [p.code for p in watcher.problems()] == ["many-gone"])
        (tmp_path / "out").rename(bench.root / "in")
        bench.heard.until(lambda: watcher.problems() == [] and any(rescan for _, rescan in bench.heard.batches))
        bench.settle()


class TestStop:
    def test_stops_from_every_state(self, bench: Bench) -> None:
        before = list(logging.getLogger("watchdog").handlers)
        watcher = Watcher(VaultStore.open(bench.root), bench.heard, clock=Now())
        watcher.stop()
        watcher = bench.start(Pace(health_every=3600))
        watcher.stop()
        watcher.stop()
        assert logging.getLogger("watchdog").handlers == before

    def test_a_callback_may_stop_it(self, bench: Bench) -> None:
        done = threading.Event()

        def stop(_paths: frozenset[str], _rescan: bool) -> None:
            watcher.stop()
            done.set()

        watcher = Watcher(VaultStore.open(bench.root), stop, clock=Now())
        watcher.start()
        assert done.wait(DEADLINE)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/mnt/c/Users/x", "9p"),
        ("/home/me/remote", "fuse.sshfs"),
        ("/home/me/with space/n", "cifs"),
        ("/srv/笔记", "nfs4"),
        ("/home/me/remoteness", "ext4"),
        ("/over", "tmpfs"),
    ],
)
def test_the_kind_of_disk_is_that_of_the_nearest_mount(tmp_path: Path, path: str, kind: str) -> None:
    table = tmp_path / "mountinfo"
    name = "".join(f"\\{byte:03o}" for byte in "笔记".encode())
    table.write_text(
        "1 0 8:1 / / rw - ext4 /dev/root rw\n2 1 0:4 / /mnt/c rw,noatime shared:1 - 9p drvfs rw\n"
        "3 1 0:5 / /home/me/remote rw - fuse.sshfs host: rw\n4 1 0:6 / /home/me/with\\040space rw - cifs //a/b rw\n"
        f"5 1 0:7 / /srv/{name} rw - nfs4 host:/x rw\n6 1 0:8 / /over rw - ext4 /dev/b rw\n"
        "7 6 0:9 / /over rw - tmpfs t rw\nbroken\n"
    )
    assert mount_type(Path(path), table) == kind
