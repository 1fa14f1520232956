"""What every action of the command line does: ask the vault's daemon or the vault itself, and show the answer."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

from ebbtide.serve import client, show, show_answer, show_exam, show_health, show_rulings, show_sleep, show_tune


@dataclass(frozen=True, slots=True)
class Screen:
    """Where output goes: text or, with --json, the API's bytes; progress to stderr."""

    out: TextIO
    err: TextIO
    json: bool
    pen: show.Pen

    def answer(self, name: str, data: bytes, **more: Any) -> dict[str, Any]:
        """Print an answer of the API and return it."""
        body: dict[str, Any] = json.loads(data)
        if self.json:
            self.raw(data)
        else:
            self.out.write(_function(name)(body, self.pen, **more))
        return body

    def raw(self, data: bytes) -> None:
        """Bytes as they are, whatever the code page of the terminal, and one newline."""
        self.out.flush()
        binary: BinaryIO | None = getattr(self.out, "buffer", None)
        if binary is None:
            self.out.write(data.decode() + "\n")
        else:
            binary.write(data + b"\n")
            binary.flush()

    def progress(self, line: str) -> None:
        """One line of progress."""
        self.err.write(f"{show.clean(line)}\n")
        self.err.flush()


def _function(name: str) -> Callable[..., str]:
    return (
        show.SHOWN
        | show_rulings.SHOWN
        | show_answer.SHOWN
        | show_exam.SHOWN
        | show_health.SHOWN
        | show_tune.SHOWN
        | show_sleep.SHOWN
    )[name]


def vault_of(args: argparse.Namespace) -> Path | None:
    """The vault that was named, in words or by EBBTIDE_VAULT."""
    named = args.vault or os.environ.get("EBBTIDE_VAULT")
    return Path(named).expanduser().absolute() if named else None


def query_of(args: argparse.Namespace) -> str:
    """The question as typed, or what stands on standard input."""
    return str(args.query) if args.query != "-" else sys.stdin.read().strip()


def note_path(text: str, vault: Path) -> str:
    """A note as the vault names it, from what a person typed or a shell completed."""
    typed = Path(text).expanduser()
    if typed.is_absolute() or not (vault / typed).exists():
        path, base = typed.resolve(), vault.resolve()
        if path.is_relative_to(base) and path.is_file():
            return path.relative_to(base).as_posix()
    return text.replace("\\", "/") if os.sep == "\\" else text


WRITES: Final = frozenset({"correct", "act", "undo", "rule", "uses", "corrections", "exam_add", "exam_remove"})
"""What changes where a record stands: without a daemon, the vault is opened for writing."""
NO_VECTORS: Final = WRITES | {
    "status", "doctor", "facts", "fact", "episodes", "links", "note", "notes", "revisions", "reviews",
    "exam_questions", "exam_runs", "health", "digest",
}  # fmt: skip
"""What is answered from the notes alone: a vault opened for these need not be embedded first."""


def ask(
    args: argparse.Namespace, screen: Screen, name: str, arguments: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """Ask one question and show the answer."""
    with client.connect(
        vault_of(args),
        read_only=name not in WRITES,
        daemon_only=name in ("pause", "resume"),
        vectors=name not in NO_VECTORS,
        notice=screen.progress,
    ) as asker:
        given = dict(arguments)
        for key in ("note", "path"):
            if given.get(key) is not None:
                given[key] = note_path(given[key], asker.root)
        data = asker.ask(name, **given)
    return screen.answer(name, data, **more)
