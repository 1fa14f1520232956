"""The command that fits settings to use and exam. Pure."""

from __future__ import annotations

from typing import Final

from ebbtide.serve.commands_parts import Command, flag

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "tune",
        "tune",
        "Fit warmth to your confirmed uses (at least 200) and the weights to your exam; shows before and after, can be undone.",
        "ebbtide tune --dry-run",
        (flag("--dry-run", "only show what would be set; write nothing"),),
    ),
)
