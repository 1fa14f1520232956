"""A step of the build: the Obsidian plugin goes into the wheel (and the sdist) where it has been built.

Without Node the plugin cannot be built, and the daemon must be: then the wheel comes without it, and `ebbtide plugin install` says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FILES = ("main.js", "styles.css", "manifest.json")
"""What Obsidian loads; the same as `ebbtide.serve.plugin_install.FILES`."""


class PluginHook(BuildHookInterface[Any]):
    """Adds the built files under `ebbtide/plugin/`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before anything is packed. An editable install finds them in the checkout."""
        folder = Path(self.root) / "obsidian-plugin"
        if version == "editable" or not all((folder / name).is_file() for name in FILES):
            return
        inside = "ebbtide/plugin" if self.target_name == "wheel" else "obsidian-plugin"
        for name in FILES:
            build_data["force_include"][str(folder / name)] = f"{inside}/{name}"
