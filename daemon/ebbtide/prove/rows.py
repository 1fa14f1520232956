"""The files of the batch exams: a JSON object a line in, a JSON object a line out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ebbtide.memory.errors import BadRequest

T = TypeVar("T")


def read_rows(path: Path, wrong: str, shape: str, read: Callable[[Any], T]) -> Iterator[T]:
    """What `read` makes of each line that is not blank. Raises BadRequest naming the file, or the line that is wrong.

    `wrong` is what is said of such a line ("not a question"), `shape` what a line looks like. `read` may raise what a
    wrong record makes it raise.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise BadRequest(
            f"{path} cannot be read: {error.strerror}.",
            f"Name a file of {wrong.rpartition(' ')[2]}s, a JSON object a line.",
        ) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            made = read(json.loads(line.decode("utf-8-sig")))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise BadRequest(f"{path}:{number} is {wrong} ({error}).", f"Each line is {shape}.") from error
        yield made


def write_rows(out: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the file whole or not at all."""
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    temporary.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    temporary.replace(out)
