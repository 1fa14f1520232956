"""The commands that answer a question, or say why a note does not, as data. Pure; see `commands`."""

from __future__ import annotations

from typing import Final

from ebbtide.memory.states import LAYERS
from ebbtide.serve.arguments import day
from ebbtide.serve.commands_parts import INCLUDE, LANGUAGE, NOTE, Arg, Command, flag, number

_LIMITS: Final = (
    Arg("--type", "only this type (decision, lesson, preference, sprint, ...)", "T"),
    Arg("--layer", f"only this layer: {', '.join(LAYERS)}", "L", {"choices": LAYERS}),
    Arg("--scope", "only notes in this folder of the vault", "FOLDER"),
    Arg("--as-of", "as on that day: what is dated later is left out", "DATE", {"type": day}),
)

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "ask",
        "answer",
        "Answer a question with sentences of the notes, each cited, the causal chain and the episode behind it.",
        'ebbtide ask "why did the map sprint fail?"',
        (
            Arg("query", "the question, in any language; - reads it from standard input", "QUESTION"),
            *_LIMITS,
            number("--budget", "tokens the memories, and the answer, may take", 1, 1_000_000),
            INCLUDE,
            flag("--local", "quotes only: do not ask Claude, even if claude.answer is set"),
        ),
    ),
    Command(
        "explain",
        "explain",
        "Why a note is, or is not, among the answers to a question.",
        'ebbtide explain "who fixed sync?" "People/Mara Ellison.md"',
        (
            Arg("query", "the question; - reads it from standard input", "QUERY"),
            NOTE,
            *_LIMITS,
            number("--budget", "tokens the answer may take", 1, 1_000_000),
            INCLUDE,
            number("--limit", "memories at most", 1, 100),
            Arg("--near", "near this note, as `related` shows it, instead of for the question", "NOTE"),
            flag("--unlinked", "with --near: linked notes were left out"),
            LANGUAGE,
        ),
    ),
)
