"""The command of the night. Pure."""

from __future__ import annotations

from typing import Final

from ebbtide.serve.arguments import day
from ebbtide.serve.commands_parts import Arg, Command, flag

LATEST: Final = "latest"

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "sleep",
        "sleep",
        "Think the last days over: promote what was borne out, join what belongs together, let the rest go; can be undone.",
        "ebbtide sleep --dry-run",
        (
            flag("--dry-run", "only show what the night would do; write nothing"),
            Arg(
                "--since",
                "look at notes from this day on; default: the last days (sleep.window_days)",
                "DAY",
                {"type": day},
            ),
            Arg(
                "--undo",
                "take the latest night back, or that of a day: its revisions, and every file as it was",
                "DAY",
                {"nargs": "?", "const": LATEST, "type": lambda text: text if text == LATEST else day(text)},
            ),
        ),
    ),
)
