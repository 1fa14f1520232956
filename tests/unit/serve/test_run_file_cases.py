"""The path rule of the run file, from the table that the plugin's discovery is held to as well: it lies in the plugin's folder,
which has to build alone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from ebbtide.serve import pairing

TABLE = Path(__file__).parents[3] / "obsidian-plugin/tests/fixtures/run-file-cases.json"
CASES: dict[str, Any] = json.loads(TABLE.read_text("utf-8"))
posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and the paths of other systems")


@posix
@pytest.mark.parametrize("case", CASES["folders"], ids=lambda case: str(case["name"]))
def test_where_the_state_folder_is(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EBBTIDE_STATE", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", case["home"])
    for name, value in case["environment"].items():
        monkeypatch.setenv(name, value)

    def of_that_system(name: str, appauthor: Literal[False]) -> Path:
        if case["platform"] == "win32":  # what its registry answers on Windows, %LOCALAPPDATA% says here
            return Path(os.environ["LOCALAPPDATA"] + "\\" + name)
        system = MacOS if case["platform"] == "darwin" else Unix
        return system(name, appauthor=appauthor).user_state_path

    monkeypatch.setattr("platformdirs.user_state_path", of_that_system)
    assert str(pairing.state_folder(os.environ)) == case["expect"]


@posix
@pytest.mark.parametrize("case", CASES["choices"], ids=lambda case: str(case["name"]))
def test_which_run_file_is_the_vaults(case: dict[str, Any], tmp_path: Path) -> None:
    tmp_path = tmp_path.resolve()
    folder = tmp_path / "state" / "run"
    folder.mkdir(parents=True)
    vault = tmp_path / case.get("vault", "Notes")
    vault.mkdir()
    for name, file in case["files"].items():
        _lay(tmp_path, folder / name, file)
    asked = vault
    if case.get("through") == "link":
        asked = tmp_path / "link"
        asked.symlink_to(vault)
    run = pairing.find(tmp_path / "state", asked)
    assert (None if run is None else Path(run.file).name) == case["expect"]


def _lay(root: Path, path: Path, file: dict[str, Any]) -> None:
    if file.get("folder"):
        path.mkdir()
        return
    if "link" in file:
        path.symlink_to(path.parent / file["link"])
        return
    run = {
        "app": "ebbtide", "schema": 1, "url": "http://127.0.0.1:27631", "port": 27631, "pid": os.getpid(),
        "token": "t" * 43, "token_file": str(root / "state/token"), "vault_id": "v_1", "vault_path": str(root / file.get("vault", "")),
        "api": 1, "version": "0.1.0", "started": "2026-11-30T08:00:00+0000", "command": ["/usr/bin/ebbtide", "up"],
    }  # fmt: skip
    path.write_text(file.get("text", json.dumps(run | file.get("set", {}))), "utf-8")
    path.chmod(int(file.get("mode", "600"), 8))
