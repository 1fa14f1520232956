"""Texts to vectors: an ONNX sentence model run by onnxruntime, with the tokenizer that lies beside it.

Two kinds of folder can be opened: the converted default model (:mod:`ebbtide.index.modelfile`), and any folder of the
user's own that holds ``model.onnx`` and ``tokenizer.json``; an ``ebbtide.json`` in it may set ``query_prefix``,
``passage_prefix`` and ``max_tokens``. Nothing is ever downloaded.

Vectors are raw: of unit length, not centred. Centring per language is the index's affair (section 12).

Sources: design/embeddings.md, sections 4 (tokenizer), 6 (batches, threads, memory) and 10 (other people's models).
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from ebbtide.index import modelfile, modelgraph
from ebbtide.memory.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SETTINGS_NAME: Final = "ebbtide.json"

Vectors = npt.NDArray[np.float32]
_Ids = npt.NDArray[np.int32]

_DEFAULT_MAX_TOKENS: Final = 512
# A batch that outgrows the CPU's cache is slower than its texts one by one (section 6), so a batch takes this many
# tokens, padding included; a longer text goes alone.
_BATCH_TOKENS: Final = 512
# No tokenizer makes fewer tokens of real text, so what lies beyond could only be cut off, after costing memory.
_CHARACTERS_PER_TOKEN: Final = 64
# A 1 MB line would cost the tokenizer some 300 MB at once.
_COUNTED_AT_ONCE: Final = 20_000
_INTEGERS: Final[dict[str, type[np.signedinteger[Any]]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a folder says about its model: `trial_tokens` are run on opening, `remedy` helps if that fails, or later."""

    fingerprint: str
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    trial_tokens: int
    remedy: str


class OnnxEmbedder:
    """An opened model. Every method may be called from several threads at once.

    Attributes:
        fingerprint: 64 hex digits; vectors may be compared, and reused, where fingerprints are equal.
        dims: length of a vector.
        max_tokens: most tokens of one text, its prefix and special tokens included; the rest is cut off.
        overhead: tokens that prefix and special tokens take of `max_tokens` (the larger of query and passage).
        truncated: texts cut at `max_tokens` since opening, queries and passages together.
    """

    def __init__(self, session: Any, tokenizer: Any, settings: _Settings) -> None:
        """Not for callers: use :meth:`open`."""
        self._session = session
        self._tokenizer = tokenizer
        self._settings = settings
        self._inputs = {entry.name: _INTEGERS[entry.type] for entry in session.get_inputs()}
        outputs = [entry.name for entry in session.get_outputs()]
        # Exports of sentence-transformers give both kinds and name them. Elsewhere the first output is the token
        # states; a later one may be BERT's "pooler_output", which is no sentence vector.
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        self._pad = _padding_id(tokenizer)
        self._counting = threading.Lock()
        self.truncated = 0
        self.fingerprint = settings.fingerprint
        self.max_tokens = settings.max_tokens
        self.overhead = max(
            len(tokenizer.encode(prefix).ids) for prefix in (settings.query_prefix, settings.passage_prefix)
        )
        if self.overhead >= self.max_tokens:
            raise ModelUnavailable(f"max_tokens {self.max_tokens} leaves no room for a text.", settings.remedy)
        self.dims = int(self._run([np.full(settings.trial_tokens, self._pad, np.int32)]).shape[1])

    @classmethod
    def open(cls, folder: Path, threads: int = 1) -> OnnxEmbedder:
        """Open the model in `folder` and try it once. One run uses `threads` threads, the caller's own among them.

        Raises ModelUnavailable (reason, remedy) when a file is missing, damaged, or not of a kind we can run.
        """
        settings = _read_settings(folder)
        tokenizer = _open_tokenizer(folder / modelgraph.TOKENIZER_NAME, settings.remedy)
        session = _open_session(folder / modelgraph.MODEL_NAME, threads, settings.remedy)
        return cls(session, tokenizer, settings)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector [dims] of a question: float32, unit length."""
        vector: Vectors = self._run([self._encode(self._settings.query_prefix, text)])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors [n, dims] of `texts` in their order: float32, unit length.

        A text's vector does not depend on the others it is given with.
        """
        vectors = np.empty((len(texts), self.dims), np.float32)
        for indices, part in self.iter_batches(texts):
            vectors[indices] = part
        return vectors

    def iter_batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Like :meth:`embed_passages`, but yield each batch when it is done: k positions in `texts`, vectors [k, dims].

        The longest texts come first, so that memory is at its height at once and never creeps. Between two batches the
        caller can store what it has, or leave. All texts are tokenised at the start: give some hundreds at a time.
        """
        encoded = [self._encode(self._settings.passage_prefix, text) for text in texts]
        order = sorted(range(len(encoded)), key=lambda index: (-len(encoded[index]), index))
        start = 0
        while start < len(order):
            # The first of a batch is its longest, and so its width.
            rows = max(1, _BATCH_TOKENS // len(encoded[order[start]]))
            indices = order[start : start + rows]
            start += rows
            yield indices, self._run([encoded[index] for index in indices])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's own tokens; it is embedded whole if that plus `overhead` is at most `max_tokens`.

        A text of more than 20,000 characters is counted in slices, which may add a token at each cut.
        """
        return [self._count(text) for text in texts]

    def _count(self, text: str) -> int:
        text = _without_surrogates(text)
        slices = range(0, len(text), _COUNTED_AT_ONCE)
        return sum(
            len(self._tokenizer.encode(text[start : start + _COUNTED_AT_ONCE], add_special_tokens=False))
            for start in slices
        )

    def _encode(self, prefix: str, text: str) -> _Ids:
        """Return the ids of prefix and text with special tokens, at most `max_tokens` of them; count what was cut."""
        whole = prefix + _without_surrogates(text)
        cut = whole[: self.max_tokens * _CHARACTERS_PER_TOKEN]
        encoding = self._tokenizer.encode(cut)
        long = len(encoding) > self.max_tokens
        if long:
            # The template's closing tokens belong to the text that is left, so they are added after cutting.
            encoding = self._tokenizer.encode(cut, add_special_tokens=False)
            encoding.truncate(self.max_tokens - self._tokenizer.num_special_tokens_to_add(False))
            encoding = self._tokenizer.post_process(encoding)
        if long or len(cut) < len(whole):
            with self._counting:
                self.truncated += 1
        # A model without special tokens has none for an empty text, and no mean of nothing.
        return np.array(encoding.ids or [self._pad], np.int32)

    def _run(self, rows: Sequence[_Ids]) -> Vectors:
        """Run one batch; return unit vectors [len(rows), dims]."""
        width = max(len(row) for row in rows)
        ids = np.full((len(rows), width), self._pad, np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: values[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        try:
            output = np.asarray(self._session.run([self._output], feed)[0], np.float32)
        except Exception as error:  # onnxruntime's errors share no other base class
            reason = f"The embedding model failed on {len(rows)} texts of {width} tokens: {_line(error)}"
            raise ModelUnavailable(reason, self._settings.remedy) from error
        if output.ndim == 3:
            weights = mask.astype(np.float32)
            # Not a product with the mask: what a model writes at padding may be infinite, and 0 * inf is no number.
            output = np.where(mask[:, :, None] == 1, output, 0).sum(axis=1) / weights.sum(axis=1, keepdims=True)
        if output.ndim != 2 or len(output) != len(rows):
            raise ModelUnavailable(f"The embedding model answers in shape {output.shape}.", self._settings.remedy)
        norms = np.sqrt(np.square(output, dtype=np.float64).sum(axis=1, keepdims=True))
        if not np.isfinite(norms).all() or not norms.all():
            raise ModelUnavailable("The embedding model answers with numbers that are none.", self._settings.remedy)
        vectors: Vectors = (output / norms).astype(np.float32)
        return vectors


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates, which a Python string may hold and UTF-8 may not, by U+FFFD; join real pairs."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _read_settings(folder: Path) -> _Settings:
    """Tell the two kinds of folder apart and read what each says about its model."""
    manifest_path = folder / modelfile.MANIFEST_NAME
    # Another tool's manifest.json may lie in a user's folder; ours names a fingerprint. An unreadable one counts as
    # ours: taken for a user's folder, the default model would go on without its prefixes, and nobody would know.
    manifest = _read_json(manifest_path) if manifest_path.exists() else {}
    if manifest is None or "fingerprint" in manifest:
        remedy = f"Delete the folder {folder} and start again: it is made anew from its package."
        if found := modelfile.damage(folder):
            raise ModelUnavailable(f"The embedding model is damaged: {' '.join(found)}", remedy)
        read = modelfile.read_manifest(folder)
        if read is None:
            raise ModelUnavailable("The embedding model is damaged.", remedy)
        return _Settings(read.fingerprint, read.query_prefix, read.passage_prefix, read.max_tokens, 8, remedy)
    return _read_user_settings(folder)


def _read_user_settings(folder: Path) -> _Settings:
    remedy = (
        f"Put an ONNX export of a sentence model (model.onnx, dynamic batch and length) and its tokenizer.json into "
        f"{folder}; {SETTINGS_NAME} there may lower max_tokens."
    )
    for name in (modelgraph.MODEL_NAME, modelgraph.TOKENIZER_NAME):
        if not (folder / name).is_file():
            raise ModelUnavailable(f"The embedding model folder has no {name}.", remedy)
    path = folder / SETTINGS_NAME
    settings = _read_json(path) if path.exists() else {}
    defaults = {"query_prefix": "", "passage_prefix": "", "max_tokens": _DEFAULT_MAX_TOKENS}
    fix = f"Write, for instance: {json.dumps(defaults)}"
    if settings is None:
        raise ModelUnavailable(f"{path} is no JSON object.", fix)
    if unknown := sorted(settings.keys() - defaults.keys()):
        raise ModelUnavailable(f"{path} has settings that do not exist: {', '.join(unknown)}.", fix)
    values = {**defaults, **settings}
    prefixes = (values["query_prefix"], values["passage_prefix"])
    limit = values["max_tokens"]
    if not all(isinstance(prefix, str) for prefix in prefixes) or type(limit) is not int or not 8 <= limit <= 8192:
        raise ModelUnavailable(f"{path}: prefixes are strings, max_tokens is a number from 8 to 8192.", fix)
    # The trial is as long as a text may get: a limit above the model's own shows now, not in the middle of the night.
    return _Settings(_user_fingerprint(folder, values), prefixes[0], prefixes[1], limit, limit, remedy)


def _user_fingerprint(folder: Path, values: dict[str, Any]) -> str:
    """Hash everything that decides a vector: graph, its external weights (model.onnx*), tokenizer and settings."""
    names = sorted(path.name for path in folder.glob(f"{modelgraph.MODEL_NAME}*") if path.is_file())
    whole = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    try:
        for name in (*names, modelgraph.TOKENIZER_NAME):
            with (folder / name).open("rb") as file:
                whole.update(f"\n{name} {hashlib.file_digest(file, 'sha256').hexdigest()}".encode())
    except OSError as error:
        raise ModelUnavailable(f"{folder} cannot be read: {error.strerror}.", "Make its files readable.") from error
    return whole.hexdigest()


def _read_json(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file; None when it cannot be read as one."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _open_tokenizer(path: Path, remedy: str) -> Any:
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except BaseException as error:  # a panic in the library is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        raise ModelUnavailable(f"{path} is no tokenizer: {_line(error)}", remedy) from error
    # Files shipped with models cut at 128 tokens or pad to a fixed length; both are done here, batch by batch.
    tokenizer.no_truncation()
    return tokenizer


def _padding_id(tokenizer: Any) -> int:
    """Return the id for padding and end the tokenizer's own. It is masked out: any id of the vocabulary will do."""
    configured = tokenizer.padding
    tokenizer.no_padding()
    if configured:
        return int(configured["pad_id"])
    known = (tokenizer.token_to_id(name) for name in ("<pad>", "[PAD]"))
    return next((number for number in known if number is not None), 0)


def _open_session(path: Path, threads: int, remedy: str) -> Any:
    # Two things the library does on its own: it writes warnings to stderr, and its Windows build reports home.
    onnxruntime.set_default_logger_severity(4)
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin while waiting would take a core from the person at the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no other base class
        raise ModelUnavailable(f"{path} cannot be run: {_line(error)}", remedy) from error
    for entry in session.get_inputs():
        if entry.name not in _INPUTS or entry.type not in _INTEGERS:
            raise ModelUnavailable(f"{path} wants an input {entry.name} of {entry.type}.", remedy)
        if any(isinstance(size, int) for size in entry.shape):
            raise ModelUnavailable(f"{path} takes texts of one fixed shape only ({entry.shape}).", remedy)
    return session


def _line(error: BaseException) -> str:
    """The first line of a library's message, short enough for a log."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:300]
