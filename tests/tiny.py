"""A model that runs in no time and knows a few synonyms: for tests that need vectors, not quality."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

DIMS: Final = 64
STEMS: Final = [
    a + b + c
    for a in ("bra", "cli", "dro", "fen", "gul", "mir")
    for b in ("ta", "ne", "so", "vi", "lu")
    for c in "kmpt"
]
"""120 words of no language."""
SAME: Final = {"automobile": "car", "physician": "doctor", "infant": "baby", "feline": "cat"}
"""Words with one meaning."""


def write_tiny(folder: Path) -> Path:
    """Make the model in an empty folder. A text is the mean of its words' vectors, drawn once and for all."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *STEMS, *SAME, *SAME.values()]
    drawn = np.random.default_rng(7).standard_normal((len(words), DIMS)).astype(np.float32)
    drawn[:4] *= 0.02
    for one, other in SAME.items():
        drawn[words.index(one)] = drawn[words.index(other)]
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"], axis=0)]
    inputs = ["input_ids", "attention_mask"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(drawn, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, str(folder / "model.onnx"))
    return folder


def story(seed: int, sentences: int = 12) -> str:
    """A note of words that the model knows, with facts in it; the same for the same seed."""
    chance = random.Random(seed)
    lines = [f"# {chance.choice(STEMS).title()} {seed}", ""]
    for number in range(sentences):
        words = " ".join(chance.choice(STEMS) for _ in range(9))
        lines += [f"The {words} cost {chance.randint(10, 999)} EUR in 2026-{number % 12 + 1:02}.", ""]
    lines.append(f"See [[n{chance.randint(0, 40)}]] and [[n{chance.randint(0, 40)}|that one]].")
    return "\n".join(lines) + "\n"


def questions(count: int) -> list[str]:
    """Questions over the stories."""
    chance = random.Random(4711)
    return [" ".join(chance.choice(STEMS) for _ in range(4)) for _ in range(count)]
