"""Where things lie outside the vault, and the settings that hold for it: read from files and the environment, once."""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from ebbtide import config as settings
from ebbtide.config import Config
from ebbtide.memory.errors import Problem


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie outside the vault. Environment: EBBTIDE_CONFIG (a file), EBBTIDE_STATE, EBBTIDE_CACHE (folders)."""

    config: Path
    state: Path
    cache: Path
    models: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Places:
        """The user's folders, as platformdirs names them. The converted model always goes to the user's own cache."""
        user_cache = Path(platformdirs.user_cache_dir("ebbtide", appauthor=False))
        return cls(
            Path(
                environ.get("EBBTIDE_CONFIG")
                or Path(platformdirs.user_config_dir("ebbtide", appauthor=False)) / "config.toml"
            ),
            Path(environ.get("EBBTIDE_STATE") or platformdirs.user_state_dir("ebbtide", appauthor=False)),
            Path(environ.get("EBBTIDE_CACHE") or user_cache),
            user_cache / "models",
        )


def load_config(
    places: Places, root: Path, environ: Mapping[str, str], options: Mapping[str, Any]
) -> tuple[Config, list[Problem]]:
    """Defaults, the user's file, its section for this vault, the vault's own file, the environment, options; later wins."""
    layers: list[tuple[str, Mapping[str, Any]]] = []
    problems: list[Problem] = []
    user = _toml(places.config, problems)
    layers.append((str(places.config), user))  # `[vault."/path"]` in it is passed over: the next layer
    with contextlib.suppress(OSError):
        layers.append((f"{places.config} [vault]", settings.vault_layer(user, [str(root), os.path.realpath(root)])))
    before, _ = settings.load(layers)
    inside = root / before.memory.folder / settings.VAULT_FILE
    layers.append((f"{before.memory.folder}/{settings.VAULT_FILE}", _toml(inside, problems)))
    layers.append((settings.ENVIRONMENT, dict(environ)))
    layers.append(("options", dict(options)))
    merged, found = settings.load(layers)
    return merged, [*problems, *found]


def _toml(path: Path, problems: list[Problem]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        problems.append(
            Problem(
                str(path), None, "config-unreadable", f"cannot be read: {error}", "mend or remove it; defaults hold"
            )
        )
        return {}
