"""The wheel: that all the program reads is in it, and that it works where there is no source tree."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.serve import pairing, plugin_install
from support import Place, built_plugin, wait_until

ROOT = Path(__file__).parents[2]
PARTS = ("pyproject.toml", "README.md", "LICENSE", "daemon", "schemas")


def wheel_of(tree: Path, out: Path) -> Path:
    """The wheel that a tree makes."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    [wheel] = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel is made of, with a plugin that looks built."""
    there = tmp_path_factory.mktemp("tree")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, there / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, there / name)
    built_plugin(there / "obsidian-plugin", "7.7.7")
    return there


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of(tree, tmp_path_factory.mktemp("dist"))


def test_every_module_and_every_file_it_reads_is_in_the_wheel(tree: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    package = tree / "daemon" / "ebbtide"
    wanted = {f"ebbtide/{file.relative_to(package).as_posix()}": file for file in package.rglob("*") if file.is_file()}
    assert any(name.endswith(".json") for name in wanted), "the shipped means are a file of the package"
    wanted |= {f"ebbtide/schemas/{file.name}": file for file in (tree / "schemas").iterdir()}
    wanted |= {f"ebbtide/plugin/{name}": tree / "obsidian-plugin" / name for name in plugin_install.FILES}
    inside = {name for name in files if name.startswith("ebbtide/")}
    assert inside == set(wanted)
    assert [name for name, file in wanted.items() if files[name] != file.read_bytes()] == []
    [scripts] = [data for name, data in files.items() if name.endswith("entry_points.txt")]
    assert b"ebbtide = ebbtide.serve.cli:main" in scripts
    assert any(name.endswith("licenses/LICENSE") for name in files)


def test_without_a_built_plugin_the_wheel_is_made_all_the_same(tree: Path, tmp_path: Path) -> None:
    there = tmp_path / "tree"
    shutil.copytree(tree, there)
    (there / "obsidian-plugin" / "main.js").unlink()
    with zipfile.ZipFile(wheel_of(there, tmp_path / "dist")) as packed:
        assert not [name for name in packed.namelist() if "plugin/" in name]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own with the wheel. The libraries are those of this environment, by a path file; its Ebbtide is not."""
    home = tmp_path_factory.mktemp("venv") / "ebbtide"
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(home)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(asked, check=True, capture_output=True, text=True, timeout=60).stdout.strip())
    libraries = [path for path in site.getsitepackages() if Path(path).is_dir()]
    (packages / "libraries.pth").write_text("\n".join(libraries) + "\n", "utf-8")
    return python.parent


def run(installed: Path, place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in place.environ.items() if name != "PYTHONPATH"}
    command = [str(installed / "ebbtide"), *words]
    return subprocess.run(
        command, env=environ, cwd=place.base, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def serving(installed: Path, place: Place) -> Iterator[pairing.Run]:
    """A daemon of the installed form, started by its own script in a folder that holds a trap."""
    place.write("Note.md", "# Note\n\nWe decided to keep the boiler in the cellar. See [[Plan]].\n")
    place.write("Plan.md", "# Plan\n")
    place.write(".obsidian/app.json", "{}")
    environ = {name: value for name, value in place.environ.items() if name != "PYTHONPATH"}
    command = [str(installed / "ebbtide"), "up", str(place.vault), "--port", "0", "--set", "embed.enabled=false"]
    with subprocess.Popen(command, env=environ, cwd=place.base, stderr=subprocess.DEVNULL) as daemon:
        try:
            [found] = wait_until(lambda: pairing.running(place.base / "state"), "the daemon")
            yield found
        finally:
            daemon.terminate()
            daemon.wait(60)


def test_the_installed_form_serves_without_the_source_tree(installed: Path, place: Place, serving: pairing.Run) -> None:
    def asked(*words: str) -> Any:
        done = run(installed, place, *words, "--vault", str(place.vault), "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    wait_until(lambda: asked("status")["counts"]["indexed"] == 2, "two notes")
    assert asked("recall", "where is the boiler?")["items"][0]["note"] == "Note.md"
    checks = {check["name"]: check for check in asked("doctor")["checks"]}
    assert checks["vault"]["ok"] and checks["keyword index"]["ok"]
    assert asked("plugin", "install", "--yes")["version"] == "7.7.7"
    assert "fact" in run(installed, place, "schema").stdout.split()
    assert json.loads(run(installed, place, "openapi").stdout)["paths"]


def test_the_command_that_starts_it_again_is_the_installed_one(
    installed: Path, place: Place, serving: pairing.Run
) -> None:
    """What the run file and the service name works from any folder, whatever lies there under our name."""
    assert serving.command[0] == str(installed / Path(serving.command[0]).name)
    (place.base / "ebbtide").mkdir()
    (place.base / "ebbtide" / "__init__.py").write_text("raise SystemExit('a trap')", "utf-8")
    words = [*serving.command[:-2], "--version"]
    done = subprocess.run(words, cwd=place.base, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("ebbtide "), done.stderr
