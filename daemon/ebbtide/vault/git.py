"""The history of the memory folder in git, if the user wants it (`git.enabled`): a commit for each change, that says what and why.

Git runs on a git folder of our own in the state folder, with a configuration of our own: nothing that lies in the vault (its
git configuration, hooks, attributes, filters) is read by it, so nothing of it can run. If the vault is a repository, the
objects are stored there and the commits stand under `refs/ebbtide/memory`; the user's index, HEAD and branches are never
looked at. `git log refs/ebbtide/memory` shows them there; otherwise `git --git-dir <state folder>/git log memory` does.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import shutil
import stat as modes
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.chronicle import message
from ebbtide.memory.errors import Problem
from ebbtide.vault.lines import TEMP_PREFIX, parse_lines, replace_durably

log = logging.getLogger(__name__)

REF: Final = "refs/ebbtide/memory"
_OWN_REF: Final = "refs/heads/memory"
_KEPT_HIDDEN: Final = (".ebbtide.json",)
_SECONDS: Final = 120
"""Longest run of one git command."""
_HEX: Final = re.compile(rb"[0-9a-f]{40}\Z")


class GitFailed(Exception):
    """Git is missing, or said no; the text says what to a person."""


@dataclass(frozen=True, slots=True)
class _Target:
    """Where commits go: the vault's own repository, or (None) nowhere but our folder; and why not there."""

    repository: Path | None
    why: str = ""


def _repository(root: Path) -> _Target:
    """The vault's repository, if objects and a loose reference can be put into it without asking git about it.

    A `.git` that is a file or a link leads elsewhere: a vault that came from others could name any folder there.
    """
    folder = root / ".git"
    if not os.path.lexists(folder):
        return _Target(None)
    for part in (folder, folder / "objects", folder / "refs"):
        if part.is_symlink() or not part.is_dir():
            return _Target(None, "its .git is not a plain folder with objects in it")
    for part in (folder / "refs" / "ebbtide", folder / "refs" / "ebbtide" / "memory"):
        if part.is_symlink():
            return _Target(None, f"{part.name} is a link there")
    try:
        config = (folder / "config").read_text("utf-8", "replace").lower()
    except OSError:
        config = ""
    if re.search(r"^\s*(refstorage|objectformat)\s*=", config, re.MULTILINE):
        return _Target(None, "its repository is of a format that is not written to (reftable or SHA-256)")
    return _Target(folder)


class MemoryGit:
    """Commits the memory folder. `due` returns at once and works in a thread of its own; `finish` brings it to an end."""

    def __init__(self, root: Path, memory_folder: str, state: Path, fact_of: Callable[[str], str | None]) -> None:
        self._root, self._memory, self._folder = root, memory_folder, state / "git"
        self._fact_of = fact_of
        self._told = state / "git-told.json"
        self._blobs: dict[str, tuple[tuple[int, int, int], str]] = {}
        """Path -> (size, mtime_ns, inode) and the object its bytes are."""
        self._lock = threading.Lock()
        self._running: threading.Thread | None = None
        self._problem: Problem | None = None

    def problems(self) -> list[Problem]:
        """Why the last commit could not be made."""
        return [] if self._problem is None else [self._problem]

    def health(self) -> tuple[bool, str, str]:
        """Whether it works, what was found, and what to do if it does not: a line for doctor."""
        if self._problem is not None:
            return False, self._problem.message, self._problem.fix
        try:
            version = self._git("version").decode("utf-8", "replace").strip()
        except GitFailed as error:
            return False, str(error), "install git, or set `git.enabled = false`"
        target = _repository(self._root)
        where = f"{REF} in the vault's repository" if target.repository else f"{self._folder}, branch memory"
        because = f" ({target.why})" if target.why else ""
        tip = self._tip()
        return True, f"{version}; commits go to {where}{because}; {'last ' + tip[:12] if tip else 'none yet'}", ""

    def due(self) -> None:
        """Something may have changed: commit it, in a thread of its own, unless one is at it already."""
        if self._running is not None and self._running.is_alive():
            return  # what it does not see, the next call does
        self._running = threading.Thread(target=self.commit, name="ebbtide-git", daemon=True)
        self._running.start()

    def finish(self, seconds: float = 20.0) -> None:
        """Wait for the commit under way, and make the last one."""
        if self._running is not None:
            self._running.join(seconds)
            if self._running.is_alive():
                return
        self.commit()

    def commit(self) -> str | None:
        """Commit the memory folder as it is now; the id of the commit, or None if nothing changed or it failed (`problems`)."""
        with self._lock:
            try:
                made = self._commit()
            except (GitFailed, OSError) as error:
                said = str(error) if isinstance(error, GitFailed) else f"{error.strerror}: {error.filename}"
                fix = "see `ebbtide doctor`; memory itself is complete, only its history in git is behind"
                self._problem = Problem("", None, "git", f"The memory folder could not be committed: {said}", fix)
                log.warning("%s", self._problem.message)
                return None
            self._problem = None
            return made

    # --- a commit -------------------------------------------------------------------------------------------------

    def _commit(self) -> str | None:
        target = _repository(self._root)
        self._prepare()
        objects = None if target.repository is None else target.repository / "objects"
        files = list(self._files())
        tree = self._tree(files, objects)
        tip = self._tip()
        if tip is not None and not self._there(tip, objects):
            tip = None  # the repository was made anew: a history begins again
            self._blobs.clear()
            tree = self._tree(files, objects)
        if tip is not None and self._git("rev-parse", f"{tip}^{{tree}}", objects=objects).decode().strip() == tree:
            self._publish(target, tip)
            return None
        revisions, told = self._news()
        text = message(revisions, self._fact_of)
        parents = [] if tip is None else ["-p", tip]
        made = self._git("commit-tree", tree, *parents, data=text.encode("utf-8", "replace"), objects=objects)
        commit = made.decode().strip()
        replace_durably(self._folder / _OWN_REF, f"{commit}\n".encode())
        self._publish(target, commit)
        replace_durably(self._told, json.dumps(told).encode())
        if target.repository is None:  # in the vault's repository this is the user's own git's work
            self._git("-c", "gc.autoDetach=false", "-c", "gc.packRefs=false", "gc", "--auto", "--quiet")
        return commit

    def _prepare(self) -> None:
        if not (self._folder / "HEAD").is_file():
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._git("init", "--quiet", "--bare", "--template=", str(self._folder))
        (self._folder / _OWN_REF).parent.mkdir(parents=True, exist_ok=True)

    def _publish(self, target: _Target, commit: str) -> None:
        """Let the vault's repository know the commit. A loose reference goes before a packed one of the same name."""
        if target.repository is None:
            return
        ref = target.repository / REF
        with contextlib.suppress(OSError):
            if ref.read_bytes().strip() == commit.encode():
                return
        ref.parent.mkdir(parents=True, exist_ok=True)
        replace_durably(ref, f"{commit}\n".encode())

    def _tip(self) -> str | None:
        try:
            found = (self._folder / _OWN_REF).read_bytes().strip()
        except OSError:
            return None
        return found.decode() if _HEX.match(found) else None

    def _there(self, commit: str, objects: Path | None) -> bool:
        try:
            self._git("cat-file", "-e", f"{commit}^{{tree}}", objects=objects)
        except GitFailed:
            return False
        return True

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Plain files of the memory folder by path below it, sorted; never through a link."""
        waiting = [""]
        while waiting:
            prefix = waiting.pop()
            try:
                entries = sorted(os.scandir(self._root / self._memory / prefix), key=lambda entry: entry.name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            for entry in entries:
                name = prefix + entry.name
                if (entry.name.startswith(".") and entry.name not in _KEPT_HIDDEN) or "\n" in entry.name:
                    continue
                if entry.name.startswith(TEMP_PREFIX) or entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name + "/")
                elif modes.S_ISREG((seen := entry.stat(follow_symlinks=False)).st_mode):
                    yield name, seen

    def _tree(self, files: Sequence[tuple[str, os.stat_result]], objects: Path | None) -> str:
        """The object that holds the memory folder under its name, from the leaves up; only what changed is read."""
        stamps = {name: (seen.st_size, seen.st_mtime_ns, seen.st_ino) for name, seen in files}
        fresh = [name for name, stamp in stamps.items() if self._blobs.get(name, (None, ""))[0] != stamp]
        if fresh:
            paths = b"".join(os.fsencode(str(self._root / self._memory / name)) + b"\n" for name in fresh)
            out = self._git("hash-object", "-w", "--no-filters", "--stdin-paths", data=paths, objects=objects).split()
            if len(out) != len(fresh):
                raise GitFailed("git hash-object answered short")
            self._blobs |= {name: (stamps[name], out[n].decode()) for n, name in enumerate(fresh)}
        self._blobs = {name: self._blobs[name] for name in stamps}
        nested: dict[str, Any] = {}
        for name, (_, blob) in self._blobs.items():
            *folders, last = (*self._memory.split("/"), *name.split("/"))
            here = nested
            for folder in folders:
                here = here.setdefault(folder, {})
            here[last] = blob
        return self._folder_object(nested, objects)

    def _folder_object(self, nested: Mapping[str, Any], objects: Path | None) -> str:
        lines = bytearray()
        for name, value in nested.items():
            if isinstance(value, str):
                lines += f"100644 blob {value}\t".encode() + os.fsencode(name) + b"\0"
            else:
                below = self._folder_object(value, objects)
                lines += f"040000 tree {below}\t".encode() + os.fsencode(name) + b"\0"
        return self._git("mktree", "-z", data=bytes(lines), objects=objects).decode().strip()

    def _news(self) -> tuple[list[dict[str, Any]], dict[str, int]]:
        """The revisions that no message has told, in order, and how far each ledger is told then."""
        try:
            told = {str(name): int(size) for name, size in json.loads(self._told.read_bytes()).items()}
        except (OSError, ValueError, AttributeError, TypeError):
            told = {}
        found: dict[str, dict[str, Any]] = {}
        now: dict[str, int] = {}
        for name, _ in self._files():
            if not name.startswith("revisions/") or not name.endswith(".jsonl"):
                continue
            data = (self._root / self._memory / name).read_bytes()
            end = data.rfind(b"\n") + 1
            begin = told.get(name, 0) if told.get(name, 0) <= end else end
            now[name] = end
            found |= {str(r.get("id")): r for r in parse_lines(data[begin:end]).records}
        return sorted(found.values(), key=lambda r: (str(r.get("at")), str(r.get("id")))), now

    # --- git ------------------------------------------------------------------------------------------------------

    def _git(self, *words: str, data: bytes = b"", objects: Path | None = None) -> bytes:
        """Run git on our own git folder; no shell, no prompt, nothing of the user's or the vault's configuration."""
        program = shutil.which("git")
        if program is None or not Path(program).is_absolute():
            raise GitFailed("git is not installed")
        environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        who = {"NAME": "Ebbtide", "EMAIL": "ebbtide@localhost"}
        environ |= {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
        environ |= {
            "GIT_DIR": str(self._folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        if objects is not None:
            environ["GIT_OBJECT_DIRECTORY"] = str(objects)
        elsewhere = self._folder if self._folder.is_dir() else self._folder.parent
        try:
            done = subprocess.run(
                [program, *words],
                input=data,
                capture_output=True,
                env=environ,
                cwd=elsewhere,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise GitFailed(f"git {words[0]} did not run: {error}") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitFailed(f"git {words[0]}: {said[-1] if said else f'exit code {done.returncode}'}")
        return done.stdout
