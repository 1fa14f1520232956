"""`ebbtide plugin install`: what it writes, what it leaves alone, and whom it asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import EbbtideError, VaultError
from ebbtide.serve import pairing, plugin_install
from ebbtide.serve.cli import main
from support import Place, built_plugin, fingerprints

ENABLED = b'["dataview","ebbtide"]'


@pytest.fixture
def vault(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that Obsidian has opened, with another plugin; the command line is given version 1.0.0."""
    place.write("Note.md", "# Note\n")
    place.write(".obsidian/community-plugins.json", b'["dataview"]')
    place.write(".obsidian/plugins/dataview/main.js", "other")
    ship(place.base, "1.0.0", monkeypatch)
    for name, value in place.environ.items():
        if name.startswith("EBBTIDE_"):
            monkeypatch.setenv(name, value)
    return place.vault


def ship(base: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    folder = built_plugin(base / "built", version)
    monkeypatch.setattr(plugin_install, "_PACKAGED", folder)
    return {name: (folder / name).read_bytes() for name in plugin_install.FILES}


def in_vault(vault: Path) -> dict[str, bytes]:
    folder = vault / ".obsidian" / "plugins" / "ebbtide"
    return {file.name: file.read_bytes() for file in folder.iterdir()} if folder.is_dir() else {}


def asked(capsys: Any, *words: str) -> tuple[int, Any, str]:
    code = main([*words, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_it_writes_three_files_and_nothing_else(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = fingerprints(vault)
    code, told, said = asked(capsys, "plugin", "install", str(vault), "--yes")
    assert code == 0
    files = ship(tmp_path, "1.0.0", monkeypatch)
    assert in_vault(vault) == files
    after = {name: seen for name, seen in fingerprints(vault).items() if "plugins/ebbtide" not in name}
    assert after == before, "no other file of the vault, nor Obsidian's list of plugins, was touched"
    assert told["before"] is None
    assert (told["version"], told["changed"], told["enabled"]) == ("1.0.0", True, False)
    assert sorted(told["files"]) == sorted(files)
    for name in files:
        assert name in said, "what is written is said first"
    mode = (vault / ".obsidian/plugins/ebbtide/main.js").stat().st_mode & 0o777
    assert mode == 0o644


def test_a_second_time_changes_nothing_and_asks_nobody(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugin", "install", str(vault), "--yes"]) == 0
    capsys.readouterr()
    before = fingerprints(vault)
    code, told, said = asked(capsys, "plugin", "install", "--vault", str(vault))
    assert (code, told["changed"], told["files"]) == (0, False, [])
    assert said == ""
    assert fingerprints(vault) == before


def test_an_upgrade_keeps_settings_and_says_to_reload(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plugin", "install", str(vault), "--yes"]) == 0
    settings = vault / ".obsidian/plugins/ebbtide/data.json"
    settings.write_bytes(b'{"lines": 3}')
    (vault / ".obsidian/community-plugins.json").write_bytes(ENABLED)
    files = ship(tmp_path, "1.1.0", monkeypatch)
    capsys.readouterr()
    assert main(["plugin", "install", str(vault), "--yes"]) == 0
    told = capsys.readouterr().out
    assert in_vault(vault) == files | {"data.json": b'{"lines": 3}'}
    assert "1.1.0" in told and "was 1.0.0" in told and "Reload Obsidian" in told
    assert (vault / ".obsidian/community-plugins.json").read_bytes() == ENABLED


def test_without_a_terminal_and_without_yes_nothing_is_written(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = fingerprints(vault)
    code, told, said = asked(capsys, "plugin", "install", str(vault))
    assert code == 1
    assert told["error"]["code"] == "not-agreed"
    assert "--yes" in said
    assert fingerprints(vault) == before


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
@pytest.mark.parametrize(("typed", "written"), [("y\n", True), ("\n", False), ("no\n", False), ("是\n", True)])
def test_at_a_terminal_a_person_decides(vault: Path, place: Place, typed: str, written: bool) -> None:
    program = (
        "import sys; from pathlib import Path; from ebbtide.serve import plugin_install, cli;"
        "plugin_install._PACKAGED = Path(sys.argv[1]); sys.exit(cli.main(['plugin', 'install', sys.argv[2]]))"
    )
    code, said = at_a_terminal(
        [sys.executable, "-c", program, str(place.base / "built"), str(vault)], place.environ, typed
    )
    assert "Do it? [y/N]" in said
    assert bool(in_vault(vault)) is written
    assert code == (0 if written else 1), said


def at_a_terminal(command: list[str], environ: Mapping[str, str], typed: str) -> tuple[int, str]:
    """Run a program at a pseudo-terminal, type once it has asked; exit code and everything shown."""
    import pty

    near, far = pty.openpty()
    path = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        command, stdin=far, stdout=far, stderr=far, env=dict(environ) | {"PYTHONPATH": path, "PYTHONUTF8": "1"}
    )
    os.close(far)
    shown = b""
    sent = False
    while True:
        try:
            read = os.read(near, 4096)
        except OSError:  # how Linux ends a pseudo-terminal
            break
        if not read:
            break
        shown += read
        if not sent and b"[y/N] " in shown:
            os.write(near, typed.encode())
            sent = True
    os.close(near)
    return process.wait(60), shown.decode("utf-8", "replace")


def test_uninstall_takes_out_what_install_put_in(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = fingerprints(vault)
    assert main(["plugin", "install", str(vault), "--yes"]) == 0
    assert main(["plugin", "uninstall", str(vault), "--yes"]) == 0
    assert fingerprints(vault) == before
    capsys.readouterr()
    code, told, _ = asked(capsys, "plugin", "uninstall", str(vault))
    assert (code, told["changed"]) == (0, False), "where nothing is, nobody is asked"


def test_uninstall_leaves_the_plugins_settings(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugin", "install", str(vault), "--yes"]) == 0
    (vault / ".obsidian/plugins/ebbtide/data.json").write_bytes(b"{}")
    capsys.readouterr()
    code, told, _ = asked(capsys, "plugin", "uninstall", str(vault), "--yes")
    assert (code, told["kept"]) == (0, ["data.json"])
    assert in_vault(vault) == {"data.json": b"{}"}


@pytest.mark.parametrize("link", [".obsidian", ".obsidian/plugins", ".obsidian/plugins/ebbtide"])
def test_it_never_follows_a_link_out_of_the_vault(vault: Path, tmp_path: Path, link: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    (vault / link).parent.mkdir(parents=True, exist_ok=True)
    if (vault / link).exists():
        (vault / link).rename(elsewhere)
    else:
        elsewhere.mkdir()
    (vault / link).symlink_to(elsewhere, target_is_directory=True)
    before = fingerprints(elsewhere)
    with pytest.raises(VaultError, match="is a link"):
        plugin_install.install(vault, plugin_install.shipped())
    assert fingerprints(elsewhere) == before


def test_what_is_not_ours_is_not_overwritten(vault: Path, tmp_path: Path) -> None:
    folder = built_plugin(vault / ".obsidian/plugins/ebbtide", "9.9.9", ident="somebody-else")
    before = fingerprints(folder)
    with pytest.raises(VaultError, match="something else"):
        plugin_install.install(vault, plugin_install.shipped())
    with pytest.raises(VaultError, match="something else"):
        plugin_install.uninstall(vault)
    assert fingerprints(folder) == before


def test_a_vault_that_obsidian_never_opened_is_refused(place: Place, vault: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert main(["plugin", "install", str(plain), "--yes"]) == 3
    assert list(plain.iterdir()) == []


def test_a_full_disk_leaves_the_old_plugin_whole(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["plugin", "install", str(vault), "--yes"]) == 0
    before = fingerprints(vault)
    ship(tmp_path, "2.0.0", monkeypatch)
    write, count = pairing.temporary, iter(range(9))

    def full(file: Path, data: bytes, mode: int = 0o600) -> Path:
        if next(count) == 2:
            raise OSError(28, "No space left on device", str(file))
        return write(file, data, mode)

    monkeypatch.setattr(pairing, "temporary", full)
    with pytest.raises(EbbtideError, match="No space left"):
        plugin_install.install(vault, plugin_install.shipped())
    assert fingerprints(vault) == before


def test_a_checkout_that_was_not_built_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_install, "_CHECKOUT", tmp_path / "obsidian-plugin")
    monkeypatch.setattr(plugin_install, "_PACKAGED", tmp_path / "none")
    with pytest.raises(plugin_install.NotBuilt, match=r"npm .*obsidian-plugin run build"):
        plugin_install.shipped()
