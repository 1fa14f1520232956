"""The vault on disk: list, read, contain. The only writes are under the memory folder, atomic and hash-checked.

A scan is one pass of `os.scandir` with one stat a file. What cannot be read is a `Problem` and its folder is named in
`unreadable()`, so that nobody takes "could not look" for "is gone". A root that is missing raises instead.
Names are reported as on disk (NFD stays NFD); those that are not UTF-8 cannot be linked to and are skipped.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat as modes
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ebbtide.memory.errors import ChangedOutside, Problem, VaultError
from ebbtide.memory.records import FileStat, FileText
from ebbtide.vault.exclude import Exclusion
from ebbtide.vault.lines import (
    TEMP_PREFIX,
    TEMP_SUFFIX,
    append_durably,
    decode_note,
    digest_of,
    hidden,
    replace_durably,
    stat_of,
)
from ebbtide.vault.templates import Templates

READ_CAP: Final = 16 << 20
_DRIVE: Final = re.compile(r"[A-Za-z]:(?:[\\/]|\Z)" if os.name != "nt" else r"[A-Za-z]:")
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_DENIED: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_OPEN: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _visible(path: str) -> bool:
    return all(part and not hidden(part) for part in path.split("/"))


class VaultStore:
    """`ports.Vault` on a real folder. Safe to use from several threads."""

    def __init__(self, root: Path, memory_folder: str, excluded: Sequence[str], shadow: Path | None) -> None:
        self.root = root
        self._base = str(root).rstrip(os.sep)
        self.memory_folder = memory_folder
        self._shadow = shadow
        self._exclusion = Exclusion(root, excluded)
        self._templates = Templates(root)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._own: dict[str, tuple[int, int, int]] = {}
        self._found: tuple[Problem, ...] = ()
        self._read_problems: dict[str, tuple[Problem, ...]] = {}
        self._unreadable: tuple[str, ...] = ()
        self._root_is = self.root_identity()

    @classmethod
    def open(
        cls, root: Path, memory_folder: str = "Memory", excluded: Sequence[str] = (), *, shadow: Path | None = None
    ) -> VaultStore:
        """The vault at `root`. With `shadow`, writes to the memory folder go there, and what is there is read first."""
        try:
            real = Path(os.path.realpath(root, strict=True))
            if not real.is_dir():
                raise VaultError(f"{root} is not a folder.", "Name the folder that holds your notes.")
            with os.scandir(real):
                pass
        except OSError as error:
            raise _gone(root, error) from error
        parts = memory_folder.split("/")
        if not all(parts) or any(hidden(part) or "\\" in part or "\0" in part for part in parts):
            remedy = "Set `memory.folder` to a plain folder name."
            raise VaultError(f"{memory_folder!r} cannot be the memory folder.", remedy)
        store = cls(real, memory_folder, excluded, shadow)
        store.contain(memory_folder)
        return store

    # -- listing -------------------------------------------------------------------------------------------------------

    def root_identity(self) -> tuple[int, int]:
        """Device and inode of the root; a change means that another folder (or an empty mount point) is there now."""
        try:
            now = self.root.stat()
        except OSError as error:
            raise _gone(self.root, error) from error
        if not modes.S_ISDIR(now.st_mode):
            raise VaultError(f"{self.root} is no longer a folder.", "Restore the vault; nothing was changed.")
        return now.st_dev, now.st_ino

    def scan(self) -> Iterator[FileStat]:
        """Every visible file in the order of names. Raises VaultError if the root is, or goes, missing."""
        started = self.root_identity()
        if started != self._root_is:
            if not any(not entry.name.startswith(".") for entry in _entries(str(self.root))):
                remedy = "If it is a mount point, mount it; nothing was forgotten."
                raise VaultError(f"{self.root} is empty where a vault was.", remedy)
            self._root_is = started
        found: list[Problem] = []
        unreadable: list[str] = []
        stack = [""]
        while stack:
            prefix = stack.pop()
            try:
                entries = _entries(os.path.join(self.root, prefix))  # noqa: PTH118 - hot loop
            except (FileNotFoundError, NotADirectoryError):
                continue  # removed while we walked: the next scan agrees with the disk
            except OSError as error:
                unreadable.append(prefix)
                found.append(_unlisted(prefix, error))
                continue
            folders: list[str] = []
            for entry in entries:
                path = prefix + entry.name
                if hidden(entry.name):
                    continue
                if not _utf8(entry.name):
                    shown = os.fsencode(path).decode("utf-8", "replace")
                    text = "the name is not UTF-8: skipped"
                    found.append(Problem(shown, None, "name-not-utf8", text, "rename the file"))
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path + "/")
                        continue
                    seen = self._link(path) if entry.is_symlink() else entry.stat(follow_symlinks=False)
                except OSError as error:
                    if error.errno not in (errno.ENOENT, errno.ELOOP):
                        unreadable.append(path)
                        found.append(_unlisted(path, error))
                    continue
                if seen is not None and modes.S_ISREG(seen.st_mode):
                    yield stat_of(seen, path)
            stack.extend(reversed(folders))
        if self.root_identity() != started:
            remedy = "Nothing was taken over; the next scan looks again."
            raise VaultError(f"{self.root} was replaced during the scan.", remedy)
        self._found, self._unreadable = tuple(found), tuple(unreadable)

    def problems(self) -> list[Problem]:
        """What the last scan, the reads since, and the exclusion patterns found wrong."""
        with self._lock:
            reads = [problem for several in self._read_problems.values() for problem in several]
        return [*self._found, *reads, *self._exclusion.problems()]

    def unreadable(self) -> tuple[str, ...]:
        """Folders (with "/") and files that the last scan could not look into: what it misses there is not gone."""
        return self._unreadable

    def stat(self, path: str) -> FileStat | None:
        """One look at one visible regular file, or None."""
        if not _visible(path) or not _utf8(path):
            return None
        try:
            real = self._real(path)
            seen = os.stat(real, follow_symlinks=False)  # noqa: PTH116 - many at once
            if self._leads(path, real) and self._link(path) is None:
                return None
        except (OSError, VaultError):
            return None
        return stat_of(seen, path) if modes.S_ISREG(seen.st_mode) else None

    def _leads(self, path: str, real: str) -> bool:
        return real != f"{self._base}{os.sep}{path.replace('/', os.sep)}"

    def _link(self, path: str) -> os.stat_result | None:
        """The target of a symlinked file if it is a visible file of the vault under real folders, else None."""
        here = self.root / path
        if os.path.realpath(here.parent) != str(here.parent):
            return None  # a symlinked folder is not walked into, so nothing lies "in" it
        try:
            target = self.contain(path)
        except VaultError:
            return None
        if any(hidden(part) for part in target.relative_to(self.root).parts):
            return None
        return target.stat()

    # -- reading -------------------------------------------------------------------------------------------------------

    def contain(self, path: str) -> Path:
        """The real path of a vault-relative one. Raises VaultError if it is absolute, climbs, or leads outside."""
        return Path(self._real(path))

    def _real(self, path: str) -> str:
        parts = path.replace("\\", "/").split("/")
        if not path or path.startswith(("/", "\\")) or _DRIVE.match(path) or "\0" in path or ".." in parts:
            raise VaultError(f"{path!r} is not a path inside the vault.")
        here = self._base
        for part in path.split("/"):
            if part not in ("", "."):
                here = f"{here}{os.sep}{part}"
                # The root is real, so only what is below it can lead elsewhere.
                if os.name == "nt" or os.path.islink(here):  # noqa: PTH114 - many at once
                    break
        else:
            return here
        real = Path(os.path.realpath(self.root / path))
        if not real.is_relative_to(self.root):
            raise VaultError(f"{path!r} leads outside the vault.")
        return str(real)

    def read(self, path: str) -> FileText:
        """Decoded text and digest; bad bytes become U+FFFD, binary content is not decoded. Both are problems."""
        real = self._real(path)
        if not _visible(path) or (self._leads(path, real) and self._link(path) is None):
            raise FileNotFoundError(errno.ENOENT, "not a visible file of the vault", path)
        data, before = _read_steadily(real, path)
        text, bom, problems = decode_note(path, data[:READ_CAP])
        if before.size > READ_CAP:
            text_ = f"{before.size} bytes; only the first 16 MB are read"
            fix = "split the note or move it out of the vault"
            problems.append(Problem(path, None, "file-too-big", text_, fix))
        with self._lock:
            self._read_problems.pop(path, None)
            if problems:
                self._read_problems[path] = tuple(problems)
        digest = digest_of(data[:READ_CAP] + (str(before.size).encode() if before.size > READ_CAP else b""))
        return FileText(path, text, digest, before, bom, tuple(problems))

    def keep_exclusions(self, file: Path) -> None:
        """Remember Obsidian's excluded files here, for starts at which its own list cannot be read."""
        self._exclusion.keep_in(file)

    def excluded_by_obsidian(self, path: str) -> bool:
        """True if Obsidian's excluded files or our own `vault.excluded` name the path."""
        return self._exclusion.matches(path)

    def is_template(self, path: str) -> bool:
        """True if the path lies in the template folder of Obsidian's or Templater's settings."""
        return self._templates.matches(path)

    def in_memory_folder(self, path: str) -> bool:
        """True for the memory folder and everything in it."""
        return path == self.memory_folder or path.startswith(self.memory_folder + "/")

    # -- the memory folder (lines.MemoryFiles) -------------------------------------------------------------------------

    def memory_path(self, rel: str, *, write: bool = False) -> Path:
        """Where a file of the memory folder is, maybe in the shadow. Raises VaultError if it would leave the folder."""
        if not all(rel.split("/")):
            raise VaultError(f"{rel!r} is not a path inside the memory folder.")
        real = self.contain(f"{self.memory_folder}/{rel}")
        home = self.root / self.memory_folder
        if not real.is_relative_to(home):
            raise VaultError(f"{self.memory_folder}/{rel} leads outside the memory folder.", "Remove the link.")
        if self._shadow is not None:
            shadow = self._shadow / real.relative_to(home)
            if write or shadow.exists():
                return shadow
        return real

    def memory_bytes(self, rel: str) -> bytes | None:
        """The whole file, or None."""
        try:
            return self.memory_path(rel).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except OSError as error:
            raise VaultError(f"{self.memory_folder}/{rel} cannot be read: {error.strerror}.", "Check it.") from error

    def memory_stat(self, rel: str) -> FileStat | None:
        """One look at a file of the memory folder, or None."""
        try:
            return stat_of(self.memory_path(rel).stat(), f"{self.memory_folder}/{rel}")
        except OSError:
            return None

    def memory_list(self, folder: str) -> list[str]:
        """Names of the visible plain files in a folder of the memory folder, shadow included."""
        names: set[str] = set()
        self.contain(f"{self.memory_folder}/{folder}")
        bases = [self.root / self.memory_folder] + ([self._shadow] if self._shadow is not None else [])
        for base in bases:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                names |= {entry.name for entry in _entries(str(base / folder)) if entry.is_file(follow_symlinks=False)}
        return sorted(name for name in names if _utf8(name) and not hidden(name))

    def write_memory(self, rel: str, data: bytes, expected_digest: str | None = None) -> bool:
        """Replace a file of the memory folder atomically; False if it holds these bytes already.

        `expected_digest` is the digest of what the caller read ("" for a file that was not there): if the file differs,
        ChangedOutside is raised and nothing is written. The temporary file is hidden, so no index ever sees it.
        """
        with self._writing, _explained(f"{self.memory_folder}/{rel}"):
            path = self.memory_path(rel, write=True)
            if expected_digest is not None:
                self._check(rel, expected_digest)
            if self.memory_bytes(rel) == data:
                return False
            path.parent.mkdir(parents=True, exist_ok=True)

            def before(stat: FileStat) -> None:
                if expected_digest is not None:
                    self._check(rel, expected_digest)
                self._note_own(rel, stat)  # before the rename: its event may come faster than we return

            replace_durably(path, data, before)
            return True

    def append_memory(self, rel: str, data: bytes) -> None:
        """Append whole lines to a ledger, durably; a torn last line is left as it is and a new line started."""
        with self._writing, _explained(f"{self.memory_folder}/{rel}"):
            path = self.memory_path(rel, write=True)
            if self._shadow is not None and not path.exists():
                data = (self.memory_bytes(rel) or b"") + data
            self._note_own(rel, append_durably(path, data))

    def remove_memory(self, rel: str) -> None:
        """Remove a file that Ebbtide made."""
        with self._writing, _explained(f"{self.memory_folder}/{rel}"):
            self.memory_path(rel, write=True).unlink(missing_ok=True)

    def own_write(self, path: str, stat: FileStat) -> bool:
        """True if the file at this vault path is exactly what we wrote there last: same stamp, size and inode."""
        return self._own.get(path) == (stat.mtime_ns, stat.size, stat.inode)

    def _note_own(self, rel: str, stat: FileStat) -> None:
        self._own[f"{self.memory_folder}/{rel}"] = (stat.mtime_ns, stat.size, stat.inode)

    def _check(self, rel: str, expected: str) -> None:
        data = self.memory_bytes(rel)
        if ("" if data is None else digest_of(data)) != expected:
            reason = f"{self.memory_folder}/{rel} was changed by someone else."
            raise ChangedOutside(reason, "Read it again and merge first.")

    def sweep(self) -> None:
        """Remove temporary files that a killed Ebbtide left in the memory folder. For the holder of the lock only."""
        for folder, _folders, files in os.walk(self.root / self.memory_folder):
            for name in files:
                if name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX):
                    with contextlib.suppress(OSError):
                        Path(folder, name).unlink()


def _gone(root: Path, error: OSError) -> VaultError:
    return VaultError(f"The vault {root} cannot be opened: {error.strerror}.", "Check path, mount and permissions.")


def _unlisted(path: str, error: OSError) -> Problem:
    fix = "check its permissions and the disk; what was known of it is kept"
    return Problem(path, None, "unreadable", f"cannot be looked at: {error.strerror}", fix)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    return sorted(os.scandir(folder), key=lambda entry: entry.name)


def _utf8(name: str) -> bool:
    """False for the lone surrogates by which Python shows bytes that are not UTF-8."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read_steadily(real: str, path: str) -> tuple[bytes, FileStat]:
    """The bytes and the stat they belong to. A file that changes under the read is read once more.

    If it changes again, the older stat is returned: it cannot equal the next look, so the file is read again then.
    """
    for attempt in range(2):
        fd = os.open(real, _OPEN)
        try:
            before = os.fstat(fd)
            if not modes.S_ISREG(before.st_mode):
                raise FileNotFoundError(errno.ENOENT, "not a regular file", path)
            data = b""
            while len(data) <= READ_CAP and (more := os.read(fd, min(before.st_size, READ_CAP) + 1)):
                data += more
        finally:
            os.close(fd)
        after = os.stat(real, follow_symlinks=False)  # noqa: PTH116 - many at once
        if stat_of(before, path) == stat_of(after, path) or attempt:
            break
    return data, stat_of(before, path)


@contextlib.contextmanager
def _explained(where: str) -> Iterator[None]:
    """Turn an OSError of a write into a sentence with its remedy. The old file is still there, whatever happened."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            reason, remedy = "the disk is full", "Free some space; nothing was lost."
        elif error.errno in _DENIED:
            reason, remedy = f"{error.strerror}", "Make the folder writable; nothing was lost."
        else:
            reason, remedy = f"{error.strerror}", "Nothing was lost; it is tried again."
        raise VaultError(f"{where} cannot be written: {reason}.", remedy) from error
