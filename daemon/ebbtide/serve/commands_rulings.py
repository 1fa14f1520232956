"""The commands about where records stand: what is done with a fact or a note, corrections, undo, and the review queue."""

from __future__ import annotations

import argparse
from typing import Any, Final

from ebbtide.memory.revisions import CORRECTABLE
from ebbtide.serve.commands_parts import Arg, Command, flag, number
from ebbtide.serve.rulings_words import KINDS, RULINGS

FILTERS: Final = ("candidate", "active", "stale", "archived", "quarantined", "disputed", "expired", "frozen")
"""What `facts` can be asked for: a state, or what else may hold of a fact."""
_NUMBERS: Final = frozenset(["confidence", "importance"])


def _field(text: str) -> tuple[str, Any]:
    """FIELD=VALUE as the API takes it: numbers, lists of tags, and null for an empty value."""
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or name not in CORRECTABLE:
        raise argparse.ArgumentTypeError(f"{text!r} is not FIELD=VALUE with one of {', '.join(sorted(CORRECTABLE))}")
    if name == "tags":
        return name, [tag.strip().lstrip("#") for tag in value.split(",") if tag.strip()]
    if name not in _NUMBERS:
        return name, value or None
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{name}` takes a number, not {value!r}") from None


_ID: Final = Arg("id", "a fact (f_...) or a note (n_...)", "ID")
_FACT: Final = Arg("id", "the fact's id", "ID")
_IDS: Final = Arg("id", "facts (f_...), notes (n_...) or passages (p_...), as answers name them", "ID", {"nargs": "+"})
_SESSION: Final = Arg("--session", "in one session an id counts once (default: once a day)", "NAME")
_WHY: Final = Arg("--why", "the reason, kept in the history", "TEXT", {"default": ""})
_HELP: Final = {
    "archive": "Put a fact, or a note with its facts, away: it answers only when it is asked for.",
    "restore": "Bring back what was archived, forgotten or replaced.",
    "freeze": "Let a fact or a note answer only when frozen ones are asked for.",
    "thaw": "Take a freeze back.",
    "pin": "Keep a fact or a note from ever being frozen or let go.",
    "forget": "Forget a fact, and what was concluded from it; it does not come back when its note is read again.",
    "quarantine": "Set a doubtful fact or note aside: it is not recalled.",
    "clear": "Take something out of quarantine, to where it was.",
    "confirm": "Say that a fact is true as of today.",
}

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "correct",
        "correct",
        "Correct fields of a fact, over what its note says; the note is not changed.",
        'ebbtide correct f_0123456789abcdef --set valid_to=2026-03-31 --why "the contract ended"',
        (
            _FACT,
            Arg(
                "--set",
                "a field and its value (empty: unknown); may be repeated",
                "FIELD=VALUE",
                {"type": _field, "action": "append", "required": True, "dest": "fields"},
            ),
            _WHY,
        ),
    ),
    *(Command(name, "act", text, f"ebbtide {name} f_0123456789abcdef", (_ID, _WHY)) for name, text in _HELP.items()),
    Command(
        "used",
        "used",
        "Say that memories of an answer helped; without a daemon any may be named, with one only what it has shown of late.",
        "ebbtide used f_0123456789abcdef",
        (_IDS, Arg("--query", "what they helped with (default: what they were shown for)", "TEXT"), _SESSION),
    ),
    Command(
        "wrong",
        "wrong",
        "Say that memories are wrong: they are asked about in review and count less; nothing is deleted.",
        'ebbtide wrong f_0123456789abcdef --why "only on an empty stomach"',
        (_IDS, Arg("--why", "what is wrong", "TEXT", {"required": True}), _SESSION),
    ),
    Command(
        "undo",
        "undo",
        "Take back the latest thing you did, or any revision, with all that was done along with it.",
        "ebbtide undo r_0123456789abcdef",
        (
            Arg("id", "a revision; default: your latest", "ID", {"nargs": "?"}),
            flag("--list", "instead: the latest revisions"),
            number("--limit", "with --list: revisions at most", 1, 500),
            _WHY,
        ),
    ),
    Command(
        "review",
        "review",
        "Go through what a person should decide, one key each; into a pipe or with --json: list it.",
        "ebbtide review --kind dispute",
        (
            Arg("--kind", f"only this kind: {', '.join(KINDS)}", "KIND", {"choices": KINDS}),
            number("--limit", "questions at most", 1, 500),
            Arg("--after", "go on after this one (the last answer names it)", "REVIEW", {"default": ""}),
        ),
    ),
    Command(
        "rule",
        "rule",
        "Decide one open question.",
        "ebbtide rule q_0123456789abcdef keep_b",
        (
            Arg("id", "the question's id", "REVIEW"),
            Arg("ruling", f"one of its choices: {', '.join(RULINGS)}", "RULING", {"choices": RULINGS}),
            _WHY,
        ),
    ),
)
