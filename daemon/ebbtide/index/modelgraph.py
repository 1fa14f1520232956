"""Rewriting the package's weights: its file read, the ONNX graph "i8row" with 7-bit weights written, and the tokenizer.

Used by the conversion alone, in a process of its own (:mod:`ebbtide.index.modelfile`); numpy, onnx and tokenizers are
imported here and nowhere above. Sources: design/embeddings.md, sections 2 (layout), 3 (graph), 4 (tokenizer).
"""

from __future__ import annotations

import itertools
import json
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import onnx

MODEL_NAME: Final = "model.onnx"
DATA_NAME: Final = "model.onnx.data"
TOKENIZER_NAME: Final = "tokenizer.json"
DIMS: Final = 384
MAX_TOKENS: Final = 512

# Anything that changes a vector must change one of these two: they are part of the fingerprint, and so of every key
# under which a vector is stored.
GRAPH: Final = "i8row7/1"
TOKENIZER_RECIPE: Final = "unigram-nmt-nfkc/1"

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


# --- reading the package's file --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tensor:
    """An entry of the tensor directory: `dtype` 0 float32, 1 Q4_0; `size` in elements; `start`, `length` in bytes."""

    dtype: int
    size: int
    start: int
    length: int


class Source:
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


def _embedding(graph: _Graph, source: Source) -> str:
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


def _layer(graph: _Graph, source: Source, number: int, x: str) -> str:
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


def write_graph(source: Source, target_dir: Path) -> None:
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


def write_tokenizer(source: Source, target_dir: Path) -> None:
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
