"""What Linux says of disks and of inotify: the kind of file system, and how many folders really are watched.

Everywhere else the answers are empty, and the watcher goes without them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def mount_type(root: Path, table: Path = Path("/proc/self/mountinfo")) -> str:
    """The kind of file system the folder is on, as Linux names it; "" where that cannot be known."""
    best, kind = -1, ""
    try:
        lines = table.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    for line in lines:
        left, _, right = line.partition(" - ")
        columns = left.split(" ")
        if len(columns) < 5 or not right:
            continue
        point = columns[4].encode("utf-8", "surrogateescape").decode("unicode_escape")
        point = point.encode("latin-1").decode("utf-8", "surrogateescape")
        if root.is_relative_to(point) and len(point) >= best:  # a later mount on the same point hides the earlier
            best, kind = len(point), right.split(" ")[0]
    return kind


def inotify_descriptors() -> frozenset[str]:
    """Names (in /proc/self/fd) of this process's inotify descriptors."""
    found: set[str] = set()
    try:
        for entry in os.scandir("/proc/self/fd"):
            try:
                if os.readlink(entry.path) == "anon_inode:inotify":  # noqa: PTH115 - not a path
                    found.add(entry.name)
            except OSError:
                continue
    except OSError:
        return frozenset()
    return frozenset(found)


def watches(descriptors: Iterable[str]) -> int:
    """How many folders these descriptors watch: past the user's limit the kernel refuses more without a word."""
    count = 0
    for name in descriptors:
        try:
            count += Path("/proc/self/fdinfo", name).read_text("ascii").count("inotify wd:")
        except OSError:
            continue
    return count


def folders(root: Path, sign: Callable[[], None] = lambda: None) -> int:
    """Folders that watchdog would watch: hidden ones too, links not. `sign` is called with each."""
    count, stack = 0, [str(root)]
    while stack:
        sign()
        try:
            with os.scandir(stack.pop()) as entries:
                stack += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            count += 1
        except OSError:
            continue
    return count
