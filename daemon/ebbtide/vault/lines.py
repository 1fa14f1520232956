"""What the adapters of the vault share: JSON lines on bytes, durable writes, decoding of notes.

JSON Lines are read on bytes and split at `\\n` only: `str.splitlines` would also split at U+2028 inside a record.
orjson does the bulk; the standard library takes the lines that orjson refuses (lone surrogates, NaN) or would change
(integers above 64 bits become floats there). A bad line is a value with its number, never an exception.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import orjson

from ebbtide.memory.errors import Problem
from ebbtide.memory.records import FileStat

BOM: Final = b"\xef\xbb\xbf"
_MARKERS: Final = re.compile(rb"(?:<{7}|>{7}|\|{7})(?: .*)?\Z|={7}\Z")
_DIGITS: Final = bytes(48 if 48 <= code < 58 else 32 for code in range(256))
_LONG_NUMBER: Final = b"0" * 19
_CONTROL: Final = bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32))
_TEMP_ENDINGS: Final = ("~", ".tmp", ".swp", ".swx", ".crdownload", ".part")
_PLAIN: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
MAX_LINE: Final = 4 << 20
TEMP_PREFIX, TEMP_SUFFIX = ".ebbtide-", ".tmp"


class MemoryFiles(Protocol):
    """The part of the vault store that the ledgers need: bytes under the memory folder, by relative path."""

    def memory_bytes(self, rel: str) -> bytes | None:
        """The whole file, or None if it is not there."""

    def memory_stat(self, rel: str) -> FileStat | None:
        """One look at the file, or None."""

    def memory_list(self, folder: str) -> list[str]:
        """Names of the plain files in a folder, sorted; empty if there is no such folder."""

    def write_memory(self, rel: str, data: bytes, expected_digest: str | None = None) -> bool:
        """Replace the file atomically; False if it already held these bytes."""

    def append_memory(self, rel: str, data: bytes) -> None:
        """Append whole lines durably, starting a new line if the last one is torn."""

    def remove_memory(self, rel: str) -> None:
        """Remove a file that Ebbtide made; nothing if it is not there."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is not a JSON object: 1-based number, its bytes, and why."""

    line: int
    raw: bytes
    reason: str


@dataclass(slots=True)
class Parsed:
    """The records of a file in order with their line numbers, what was rejected, and whether the last line is torn."""

    records: list[dict[str, Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    torn: bool = False
    conflicts: int = 0
    """Conflict markers of git that were passed over: the file wants to be written again without them."""

    @property
    def total(self) -> int:
        """Lines that should have been records."""
        return len(self.records) + len(self.rejected)


def load_line(raw: bytes) -> dict[str, Any]:
    """One JSON object from one line without its newline. Raises ValueError with the reason."""
    if len(raw) > MAX_LINE:
        raise ValueError(f"line of {len(raw)} bytes")
    value: Any
    try:
        if _LONG_NUMBER in raw.translate(_DIGITS):  # orjson would make a float of an integer over 64 bits
            raise ValueError("left to the standard library")  # noqa: TRY301 - which is just below
        value = orjson.loads(raw)
    except ValueError:
        try:
            value = json.loads(raw.decode("utf-8"), parse_constant=lambda _name: None, parse_float=_finite)
        except UnicodeDecodeError as error:
            raise ValueError("not UTF-8") from error
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - one kind of error for one bad line
    if raw.count(b"[") + raw.count(b"{") > 200:
        try:  # what can be read but not written again would stop every later rewrite
            dump_line(value)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
    return value


def _finite(text: str) -> float | None:
    """JSON numbers beyond a double become null, as NaN does: both would be written as text that is not JSON."""
    value = float(text)
    return value if math.isfinite(value) else None


def parse_lines(data: bytes) -> Parsed:
    """Every object of a JSONL file. Conflict markers are skipped and both sides kept; blank lines do not count.

    A last line without newline that does not parse is torn, not rejected: an append was cut off by a crash or by sync.
    """
    out = Parsed()
    pieces = data.removeprefix(BOM).split(b"\n")
    for number, piece in enumerate(pieces, start=1):
        raw = piece.rstrip(b"\r").strip(b" \t")
        if not raw:
            continue
        if _MARKERS.match(raw):
            out.conflicts += 1
            continue
        try:
            record = load_line(raw.removeprefix(BOM))
        except ValueError as error:
            if number == len(pieces):
                out.torn = True
            else:
                out.rejected.append(Rejected(number, raw, str(error)))
            continue
        out.records.append(record)
        out.numbers.append(number)
    return out


def dump_line(record: Mapping[str, Any]) -> bytes:
    """One record as compact UTF-8 JSON with its newline."""
    plain = record if isinstance(record, dict) else dict(record)
    try:
        return orjson.dumps(plain) + b"\n"
    except TypeError:
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        # A lone surrogate stands as itself in `text`; backslashreplace writes exactly its JSON escape.
        return text.encode("utf-8", "backslashreplace") + b"\n"


def last_by_id(records: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The last record of each id. Records without a string id are left out."""
    return {record["id"]: record for record in records if isinstance(record.get("id"), str)}


def keep_rejected(path: Path, name: str, rejected: Sequence[Rejected]) -> list[Problem]:
    """Copy bad lines to `path` (each once) and report them: nothing that stood in the vault goes without a copy."""
    if not rejected:
        return []
    try:
        known = set(path.read_bytes().split(b"\n"))
    except FileNotFoundError:
        known = set()
    fresh = b"".join(
        f"# {name}:{bad.line}: {bad.reason}\n".encode("utf-8", "replace") + bad.raw + b"\n"
        for bad in rejected
        if bad.raw not in known
    )
    if fresh:
        append_durably(path, fresh)
    return [
        Problem(
            name,
            bad.line,
            "jsonl-line",
            f"this line cannot be read: {bad.reason}",
            f"repair it by hand; a copy is kept in {path}",
        )
        for bad in rejected
    ]


def append_durably(path: Path, data: bytes) -> FileStat:
    """Append whole lines and fsync. Starts a new line if the last one is torn; a failed write leaves the old size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _PLAIN, 0o644)
    try:
        size = os.fstat(fd).st_size
        if size:
            os.lseek(fd, size - 1, os.SEEK_SET)
            if os.read(fd, 1) != b"\n":
                data = b"\n" + data
        try:
            write_all(fd, data)
            os.fsync(fd)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, size)
            raise
        return stat_of(os.fstat(fd), path.name)
    finally:
        os.close(fd)


def replace_durably(path: Path, data: bytes, before: Callable[[FileStat], None] = lambda _stat: None) -> None:
    """Write `path` whole: hidden unique temp beside it, fsync, rename, fsync of the folder; the mode is kept.

    `before` is told the stat that the file will have and may raise to stop; then nothing has changed.
    """
    mode = path.stat().st_mode & 0o7777 if path.exists() else None
    temp = path.parent / f"{TEMP_PREFIX}{secrets.token_hex(8)}{TEMP_SUFFIX}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o644)
    try:
        try:
            write_all(fd, data)
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(fd, mode)
            os.fsync(fd)
            stat = stat_of(os.fstat(fd), path.name)
        finally:
            os.close(fd)
        before(stat)
        temp.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    sync_folder(path.parent)


def write_all(fd: int, data: bytes) -> None:
    """os.write until everything is written."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(folder: Path) -> None:
    """fsync a folder, so that a rename in it survives a power cut. Windows and some network disks cannot."""
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def hidden(name: str) -> bool:
    """A name that is no part of the vault: dot-names, and what editors and downloads leave while they work."""
    return name.startswith(".") or name.endswith(_TEMP_ENDINGS) or name[name.rfind(".") :].startswith(".sync-")


def digest_of(data: bytes) -> str:
    """The content hash used everywhere: blake2b, 128 bits, hex."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def stat_of(result: os.stat_result, path: str) -> FileStat:
    """What we keep of it."""
    return FileStat(path, result.st_size, result.st_mtime_ns, result.st_ino)


def decode_note(path: str, data: bytes) -> tuple[str, bool, list[Problem]]:
    """Text without its byte order mark, whether there was one, and what is wrong with the bytes.

    One code point stands for each bad sequence or NUL, so offsets stay true. Binary content gives an empty text.
    """
    bom = data.startswith(BOM)
    body = data[3:] if bom else data
    head = body[:8192]
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    strange = len(head) - len(head.translate(None, _CONTROL))
    if b"\0" in head and (utf16 or strange > max(8, 0.01 * len(head))):  # a stray NUL in a short note is only that
        fix = "save it as UTF-8 if it is a note, or give it its true ending"
        return "", bom, [Problem(path, None, "binary", "binary in .md (or UTF-16): not read", fix)]
    problems: list[Problem] = []
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        text = body.decode("utf-8", "replace")
        line = body.count(b"\n", 0, error.start) + 1
        fix = "save the note as UTF-8 (Chinese notes in GBK look like this)"
        problems.append(Problem(path, line, "bytes-invalid", "bytes that are not UTF-8, read as U+FFFD", fix))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        text = text.replace("\0", "\ufffd")
        problems.append(Problem(path, line, "nul", "a NUL character, read as U+FFFD", "delete it"))
    return text, bom, problems
