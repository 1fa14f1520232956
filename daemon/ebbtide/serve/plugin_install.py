"""The Obsidian plugin in a vault: what is shipped, what is there, putting it in and taking it out.

Only three files in `.obsidian/plugins/ebbtide/` are ours: the plugin's own settings (`data.json`) stay through every change, and
whether Obsidian runs the plugin is the user's to say in Obsidian.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import EbbtideError, NotFound, VaultError
from ebbtide.serve import pairing

ID: Final = "ebbtide"
FILES: Final = ("main.js", "styles.css", "manifest.json")
"""In the order in which they are put in place: the manifest, which names the version, last."""
_LARGEST: Final = 4 << 20
_PACKAGED: Final = Path(__file__).parents[1] / "plugin"
_CHECKOUT: Final = Path(__file__).parents[3] / "obsidian-plugin"


class NotBuilt(NotFound):
    """This installation has no built plugin."""

    code = "plugin-not-built"


@dataclass(frozen=True, slots=True)
class Shipped:
    """The built plugin of this installation."""

    version: str
    app: str
    """The oldest Obsidian it runs in."""
    files: dict[str, bytes]


@dataclass(frozen=True, slots=True)
class There:
    """The plugin in a vault. `version` is None if it is not there, "" if its manifest cannot be read."""

    folder: Path
    version: str | None
    enabled: bool
    obsidian: bool
    """False where Obsidian never opened the vault."""


def source() -> Path:
    """Where the built files are: in the installed package, or in a checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def shipped(folder: Path | None = None) -> Shipped:
    """The built plugin. Raises NotBuilt, with the command that builds it."""
    folder = source() if folder is None else folder
    try:
        files = {name: (folder / name).read_bytes() for name in FILES}
        manifest = json.loads(files["manifest.json"])
        return Shipped(str(manifest["version"]), str(manifest["minAppVersion"]), files)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if folder == _CHECKOUT:
            remedy = f"Build it with: npm --prefix {folder} ci && npm --prefix {folder} run build"
        else:
            remedy = "Install a release of Ebbtide, whose wheel has it."
        raise NotBuilt("This Ebbtide comes without a built plugin.", remedy) from error


def differing(folder: Path, new: Shipped) -> list[str]:
    """The files that are not, byte for byte, as shipped."""
    return [name for name in FILES if not _same(folder / name, new.files[name])]


def look(vault: Path) -> There:
    """What of it is in the vault; reads only."""
    config = vault / ".obsidian"
    folder = config / "plugins" / ID
    running = _json(config / "community-plugins.json")
    version: str | None = None
    if (folder / "manifest.json").exists() or (folder / "main.js").exists():
        manifest = _json(folder / "manifest.json")
        version = str(manifest.get("version", "")) if isinstance(manifest, dict) and manifest.get("id") == ID else ""
    return There(folder, version, isinstance(running, list) and ID in running, config.is_dir())


def install(vault: Path, new: Shipped) -> dict[str, Any]:
    """Put it in. All that can fail for want of room is written beside first, so that old and new are never mixed by a full disk.

    Raises VaultError where there is no place for it that is ours.
    """
    there = look(vault)
    check(vault, there)
    folder = there.folder
    changed = differing(folder, new)
    made: dict[Path, Path] = {}  # the new file by the one whose place it takes
    try:
        if changed:
            folder.mkdir(parents=True, exist_ok=True)
        for name in changed:
            made[folder / name] = pairing.temporary(folder / name, new.files[name], 0o644)
        for file, temporary in made.items():
            temporary.replace(file)
    except OSError as error:
        for temporary in made.values():
            temporary.unlink(missing_ok=True)
        raise EbbtideError(
            f"{folder} cannot be written: {error.strerror}.", "Check its permissions and the disk."
        ) from error
    return _told(vault, there, new.version, changed)


def uninstall(vault: Path) -> dict[str, Any]:
    """Take the files out; the folder goes with them unless the plugin's settings, or anything of yours, lie in it."""
    there = look(vault)
    if there.version is None:
        return _told(vault, there, None, [])
    check(vault, there)
    gone = [name for name in FILES if (there.folder / name).is_file()]
    for name in reversed(gone):
        (there.folder / name).unlink()
    if not any(there.folder.iterdir()):
        there.folder.rmdir()
    return _told(vault, there, None, gone)


def _told(vault: Path, before: There, version: str | None, files: list[str]) -> dict[str, Any]:
    kept = sorted(entry.name for entry in before.folder.iterdir()) if before.folder.is_dir() else []
    return {
        "vault": str(vault),
        "folder": str(before.folder),
        "before": before.version,
        "version": version,
        "changed": bool(files),
        "files": files,
        "kept": [name for name in kept if name not in FILES],
        "enabled": before.enabled,
    }


def check(vault: Path, there: There) -> None:
    """Raise VaultError unless the place is the vault's own and ours."""
    if not vault.is_dir():
        raise VaultError(f"There is no folder {vault}.", "Check the path, and whether its disk is mounted.")
    if not there.obsidian:
        raise VaultError(
            f"{vault} has no folder .obsidian.", "Open it in Obsidian once as a vault, then run this again."
        )
    base = vault.resolve()
    for place in (vault / ".obsidian", there.folder.parent, there.folder):
        if place.is_symlink() or not place.resolve().is_relative_to(base):
            raise VaultError(f"{place} is a link.", "Put the plugin where it leads by hand, or remove the link.")
    if there.version == "":
        raise VaultError(
            f"{there.folder} holds something else, or a damaged manifest.json.", "Look at it, and remove or rename it."
        )


def _same(file: Path, data: bytes) -> bool:
    try:
        return not file.is_symlink() and file.read_bytes() == data
    except OSError:
        return False


def _json(file: Path) -> Any:
    """What a file of Obsidian's says, or None: it is read as a stranger's."""
    try:
        return json.loads(file.read_bytes()) if file.stat().st_size < _LARGEST else None
    except (OSError, ValueError, RecursionError):
        return None
