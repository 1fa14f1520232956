"""The commands of the core's health and the digest of a day. Pure; see `commands`."""

from __future__ import annotations

from typing import Final

from ebbtide.serve.commands_parts import Arg, Command, flag, number

AUTO: Final = "auto"

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "health",
        "health",
        "How fresh, connected and clean the core memories are, as last computed, with trends; a night computes it.",
        "ebbtide health --now",
        (
            flag("--now", "compute it now and keep the day's line in Memory/health"),
            flag("--no-keep", "with --now: keep nothing"),
            number("--days", "days of the trend", 1, 1000),
        ),
    ),
    Command(
        "digest",
        "digest",
        "What is worth a minute today: memories that come back as a question, what waits for a ruling, the last night.",
        "ebbtide digest",
        (
            Arg(
                "--markdown",
                "print it as Markdown for the top of a daily note, in this language; auto: that of what comes back",
                "LANG",
                {"nargs": "?", "const": AUTO, "choices": (AUTO, "en", "zh")},
            ),
        ),
    ),
)
