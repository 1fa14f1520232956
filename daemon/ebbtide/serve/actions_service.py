"""What the commands of the installed form do: service, plugin, uninstall. What is written or removed is said, and asked about, first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ebbtide.memory.errors import BadRequest, EbbtideError, VaultError
from ebbtide.serve import client, pairing, show_service
from ebbtide.serve import plugin_install as plugins
from ebbtide.serve import service_install as services
from ebbtide.serve import service_logs as logs
from ebbtide.serve.calls import encode
from ebbtide.serve.screen import Screen, vault_of
from ebbtide.serve.show import clean


class Refused(EbbtideError):
    """Nobody agreed."""

    code = "not-agreed"


def service_install(args: argparse.Namespace, screen: Screen) -> int:
    """Make the vault's daemon a service."""
    told = services.install(_vault(args), services.manager(), pairing.state_folder())
    return _show(screen, told, show_service.installed(told, screen.pen))


def service_uninstall(args: argparse.Namespace, screen: Screen) -> int:
    """Make it one no more."""
    told = services.uninstall(_vault(args), services.manager(), pairing.state_folder())
    return _show(screen, told, show_service.removed(told, screen.pen))


def service_status(args: argparse.Namespace, screen: Screen) -> int:
    """Say how it is; 1 if it does not run."""
    told = services.status(_vault(args), services.manager(), pairing.state_folder())
    _show(screen, told, show_service.status(told, screen.pen))
    return 0 if told["state"] == "active" else 1


def service_logs(args: argparse.Namespace, screen: Screen) -> int:
    """Print the end of the log, and what comes."""
    from ebbtide.removal import belongings

    if screen.json and args.follow:
        raise BadRequest("--follow has no end, and JSON needs one.", "Leave one of them out.")
    vault = _vault(args)
    service = _status_or_none(vault)
    elsewhere = f"What the service said before it had one: {service['journal']}" if service else ""
    try:
        file = belongings(vault).log
    except VaultError as error:
        raise VaultError(error.reason, f"{error.remedy} {elsewhere}".strip()) from error
    lines = logs.tail(file, 50 if args.n is None else args.n)
    if not lines and not (file.exists() and file.stat().st_size):
        screen.progress(f"There is no log yet: {file} {elsewhere}".strip())
    if screen.json:
        screen.raw(encode({"file": str(file), "lines": lines}))
        return 0
    screen.out.write("".join(f"{clean(line)}\n" for line in lines))
    for line in logs.follow(file) if args.follow else ():
        screen.out.write(f"{clean(line)}\n")
        screen.out.flush()
    return 0


def plugin_install(args: argparse.Namespace, screen: Screen) -> int:
    """Put the plugin into the vault, once somebody agreed."""
    vault, new = _vault(args), plugins.shipped()
    there = plugins.look(vault)
    if there.obsidian and (files := plugins.differing(there.folder, new)):
        was = f" (there is {there.version})" if there.version else ""
        agreed(args, screen, [f"Write the plugin {new.version}{was} into {there.folder}:", *files])
    told = plugins.install(vault, new)
    return _show(screen, told, show_service.plugin(told, screen.pen, new.app))


def plugin_uninstall(args: argparse.Namespace, screen: Screen) -> int:
    """Take the plugin out of the vault, once somebody agreed."""
    vault = _vault(args)
    there = plugins.look(vault)
    if there.version is not None:
        agreed(args, screen, [f"Remove from {there.folder}:", *plugins.FILES])
    told = plugins.uninstall(vault)
    return _show(screen, told, show_service.plugin(told, screen.pen, ""))


def uninstall(args: argparse.Namespace, screen: Screen) -> int:
    """Remove what lies outside the vault and, if asked for, what lies in it, once somebody agreed."""
    from ebbtide import removal

    vault = _vault(args)
    found = removal.belongings(vault)
    there, ours = _plugin_in(found.root, screen)
    service = _status_or_none(found.root)
    served = pairing.find(found.places.state, found.root)
    if served is not None and not (service and service["state"] == "active"):
        raise EbbtideError(f"A daemon serves this vault (process {served.pid}).", f"Stop it first: kill {served.pid}")
    lines = [f"Remove of {found.root}:"]
    lines += [f"the service {service['file']}"] if service else []
    lines += [f"the plugin in {there.folder}"] if ours else []
    lines += [str(path) for path in (*found.folders, *found.shared)]
    forever = args.memory and found.memory is not None
    lines += [f"FOR EVER: {found.memory}, everything Ebbtide remembers of this vault"] if forever else []
    if len(lines) > 1:
        agreed(args, screen, lines, word=found.root.name if forever else "")
    if service:
        services.uninstall(found.root, services.manager(), found.places.state)
    plugin = plugins.uninstall(found.root)["files"] if ours else []
    gone = removal.remove(found, memory=args.memory)
    stays = there.folder if there.version is not None and not ours else None
    told = {
        "vault": str(found.root),
        "service": bool(service),
        "plugin": plugin,
        "removed": [str(path) for path in gone],
        "kept": [
            str(path) for path in (stays, found.memory, found.places.config) if path is not None and path.exists()
        ],
    }
    return _show(screen, told, show_service.uninstalled(told, screen.pen))


def _plugin_in(vault: Path, screen: Screen) -> tuple[plugins.There, bool]:
    """What of the plugin is there, and whether it is ours to remove; says why if it is not."""
    there = plugins.look(vault)
    if there.version is None:
        return there, False
    try:
        plugins.check(vault, there)
    except VaultError as error:
        screen.progress(f"The plugin stays: {error.reason}")
        return there, False
    return there, True


def _status_or_none(vault: Path) -> dict[str, Any] | None:
    """The service of the vault, if it is installed on a system that can have one."""
    try:
        told = services.status(vault, services.manager(), pairing.state_folder())
    except services.NoManager:
        return None
    return told if told["installed"] else None


def _vault(args: argparse.Namespace) -> Path:
    """The vault that was named, else the only one that is served."""
    named = Path(args.place).expanduser().absolute() if getattr(args, "place", None) else vault_of(args)
    if named is not None:
        return named
    daemon = client.find(None)
    if daemon is None:
        raise BadRequest("Which vault?", "Add --vault PATH or set EBBTIDE_VAULT.")
    return daemon.root


def agreed(args: argparse.Namespace, screen: Screen, lines: Sequence[str], word: str = "") -> None:
    """Go on only with `--yes` or a person's word: `y`, or for what cannot be brought back `word`. Raises Refused."""
    for line in (lines[0], *(f"- {line}" for line in lines[1:])):
        screen.progress(line)
    if args.yes:
        return
    if screen.json or not (sys.stdin.isatty() and screen.err.isatty()):
        raise Refused("Nobody is here who could agree to that, so nothing was done.", "Add --yes to agree beforehand.")
    screen.err.write(f"Type {word} to agree: " if word else "Do it? [y/N] ")
    screen.err.flush()
    typed = sys.stdin.readline().strip()
    if typed != word if word else typed.lower() not in ("y", "yes", "是", "好"):
        raise Refused("Nothing was done.")


def _show(screen: Screen, told: dict[str, Any], text: str) -> int:
    if screen.json:
        screen.raw(encode(told))
    else:
        screen.out.write(text)
    return 0
