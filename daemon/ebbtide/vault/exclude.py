"""Which paths are excluded: Obsidian's own list and the settings', patterns from a vault being untrusted."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ebbtide.memory.errors import Problem
from ebbtide.memory.records import FileStat
from ebbtide.vault.lines import BOM, load_line, replace_durably, stat_of

MAX_PATTERN: Final = 200
SLOW = 0.25
"""Seconds of processor time after which a pattern is dropped."""
_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)
_CLASS: Final = re.compile(r"\[\^?\]?[^\]]*\]")
_BACKREF: Final = re.compile(r"\\[1-9]|\(\?P=")
_QUANTIFIER: Final = re.compile(r"[*+?]|\{\d*,?\d*\}")


def costly(pattern: str) -> str | None:
    """Why a regular expression from a vault must not run here, or None. Python's matcher can take for ever on a name.

    Allowed are at most three open repeats, weighed with optional parts and groups of alternatives, and no repeat around
    either: what is left is polynomial of low degree on paths, and `Exclusion` drops what still proves slow.
    """
    if len(pattern) > MAX_PATTERN:
        return f"is longer than {MAX_PATTERN} characters"
    bare = _CLASS.sub("x", _ESCAPE.sub("x", pattern))
    if _BACKREF.search(pattern):
        return "refers back to a group"
    stack = [False]  # for the whole and each open group: does it hold a repeat or alternatives?
    weight = opens = 0
    for at, char in enumerate(bare):
        quantified = _QUANTIFIER.match(bare, at + 1)
        if char == "(":
            stack.append(False)
        elif char == "|" and len(stack) > 1:
            weight += not stack[-1]
            stack[-1] = True
        elif char == ")" and len(stack) > 1:
            varied = stack.pop()
            if quantified and varied:
                return "repeats a group that itself repeats or has alternatives"
            stack[-1] = stack[-1] or varied
        if quantified and char not in "(|*+?{":
            is_open = quantified[0][0] in "*+{"
            opens += is_open
            weight += 2 if is_open else 1
            stack[-1] = True
    return "has too many repeats and choices" if opens > 3 or weight > 6 else None


class Exclusion:
    """Obsidian's `userIgnoreFilters` and our own patterns: a prefix of the path, or `/regex/`.

    The patterns come with a vault from anywhere, so a regular expression must look cheap before it runs, and one that
    turns out slow is dropped. A dropped pattern excludes nothing: the problem says so. Obsidian's own list is remembered
    (`keep_in`): while its file cannot be read, what it last named stays excluded, over restarts too.
    """

    def __init__(self, root: Path, own: Sequence[str]) -> None:
        self._file = root / ".obsidian" / "app.json"
        self._own = tuple(own)
        self._seen: FileStat | None = FileStat("", -1, -1, -1)
        self._theirs: list[str] = []
        self._prefixes: tuple[str, ...] = ()
        self._regexes: list[tuple[str, re.Pattern[str]]] = []
        self._problems: list[Problem] = []
        self._kept: Path | None = None
        self._known = False
        """Obsidian's list was read, or found missing, in this process."""

    def keep_in(self, file: Path) -> None:
        """Remember Obsidian's list in this file, outside the vault."""
        self._kept, self._seen = file, FileStat("", -1, -1, -1)

    def problems(self) -> list[Problem]:
        """Patterns that are not applied."""
        self._refresh()
        return list(self._problems)

    def matches(self, path: str) -> bool:
        """True if a pattern names this vault path."""
        self._refresh()
        if path.lower().startswith(self._prefixes):  # Obsidian's paths know no case
            return True
        for source, regex in self._regexes:
            begun = time.thread_time()
            hit = regex.search(path)
            if time.thread_time() - begun > SLOW:
                self._regexes = [pair for pair in self._regexes if pair[0] != source]
                self._refuse(source, "is too slow")
            if hit:
                return True
        return False

    def _refuse(self, pattern: str, why: str) -> None:
        where = "config" if pattern in self._own else ".obsidian/app.json"
        why, fix = f"the pattern {pattern[:80]!r} {why}", "write a folder prefix; until then it excludes nothing"
        self._problems.append(Problem(where, None, "exclusion-refused", why, fix, "error"))

    def _take(self, listed: list[str]) -> None:
        self._theirs, self._known = listed, True
        if self._kept is not None and self._remembered() != listed:
            with contextlib.suppress(OSError):  # a full disk must not stop the scan; the list in memory holds
                replace_durably(self._kept, json.dumps(listed, ensure_ascii=False).encode("utf-8", "replace"))

    def _remembered(self) -> list[str]:
        try:
            listed = json.loads(self._kept.read_bytes()) if self._kept is not None else []
        except (OSError, ValueError):
            return []
        return [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []

    def _refresh(self) -> None:
        try:
            stamp: FileStat | None = stat_of(self._file.stat(), "")
        except OSError:
            stamp = None
        if stamp == self._seen:
            return
        self._problems = []
        if stamp is None:
            self._take([])
        else:
            try:
                listed = load_line(self._file.read_bytes().removeprefix(BOM)).get("userIgnoreFilters") or []
                self._take([item for item in listed if isinstance(item, str) and item])
            except (OSError, ValueError, TypeError) as error:
                # Maybe Obsidian is just writing it: what was excluded stays excluded.
                if not self._known:
                    self._theirs = self._remembered()
                fix = "open Obsidian's settings once"
                self._problems.append(Problem(".obsidian/app.json", None, "app-json", f"cannot be read: {error}", fix))
        prefixes, regexes = list[str](), list[tuple[str, re.Pattern[str]]]()
        for pattern in (*self._own, *self._theirs):
            if not (len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/")):
                prefixes.append(pattern.lower().lstrip("/"))
            elif why := costly(pattern[1:-1]):
                self._refuse(pattern, why)
            else:
                try:
                    regexes.append((pattern, re.compile(pattern[1:-1])))
                except (re.error, OverflowError, RecursionError) as error:
                    self._refuse(pattern, f"is not a valid pattern: {error}")
        self._prefixes = tuple(prefix for prefix in prefixes if prefix)
        self._regexes, self._seen = regexes, stamp
