"""The commands of the installed form: the background service, the plugin in a vault, and taking Ebbtide off again. Pure."""

from __future__ import annotations

from typing import Final

from ebbtide.serve.commands_parts import Arg, Command, flag, number

_YES: Final = flag("--yes", "do it without asking")
_PLACE: Final = Arg("place", "the vault's folder; default: as --vault", "VAULT", {"nargs": "?"})

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "service install",
        "service_install",
        "Have a vault served in the background, from every login on: a systemd user unit or a launchd agent, one a vault.",
        "ebbtide service install --vault ~/Notes",
    ),
    Command(
        "service uninstall",
        "service_uninstall",
        "Stop the service of a vault and remove its unit; memory, index and settings stay.",
        "ebbtide service uninstall --vault ~/Notes",
    ),
    Command(
        "service status",
        "service_status",
        "Whether a vault's service is installed, runs and starts at login; 1 if it does not run.",
        "ebbtide service status --vault ~/Notes",
    ),
    Command(
        "service logs",
        "service_logs",
        "The end of the daemon's log, which holds no text of notes and no keys.",
        "ebbtide service logs --follow",
        (
            Arg("-n", "lines to begin with (0 to 100000); default: 50", "N", number("-n", "", 0, 100_000).options),
            flag("--follow", "go on as it grows, until Ctrl-C"),
        ),
    ),
    Command(
        "plugin install",
        "plugin_install",
        "Put the Obsidian plugin into a vault, or bring it up to date; Obsidian's own settings and the plugin's stay as they are.",
        "ebbtide plugin install ~/Notes",
        (_PLACE, _YES),
    ),
    Command(
        "plugin uninstall",
        "plugin_uninstall",
        "Take the plugin's files out of a vault again; the plugin's own settings (data.json) stay.",
        "ebbtide plugin uninstall ~/Notes",
        (_PLACE, _YES),
    ),
    Command(
        "uninstall",
        "uninstall",
        "Remove the service, plugin, index and state of a vault, after asking; never a note, and the memory folder only with --memory.",
        "ebbtide uninstall --vault ~/Notes",
        (_YES, flag("--memory", "also the memory folder of the vault, which cannot be made again")),
    ),
)
