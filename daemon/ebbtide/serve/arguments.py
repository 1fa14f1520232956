"""How what is typed after an option is read: numbers, days, states, settings. Pure."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from datetime import date
from typing import Any, Final

STATES: Final = ("stale", "archived", "frozen", "quarantined", "conversations")
"""What recall leaves out unless it is asked for."""


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers from `low` to `high`."""

    def read(text: str) -> int:
        value = int(text) if re.fullmatch(r"\d{1,9}", text) else -1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
        return value

    return read


def day(text: str) -> str:
    """A day of the calendar, YYYY-MM-DD."""
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a day such as 2026-11-30")


def states(text: str) -> list[str]:
    """Some of STATES, with commas."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in STATES:
            raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(STATES)}")
    return words


def setting(text: str) -> tuple[str, Any]:
    """KEY=VALUE as the name and the value it would have in a settings file."""
    import tomllib

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return name.strip(), tomllib.loads(f"it = {value}")["it"]  # as it would stand in the file
    except tomllib.TOMLDecodeError:
        return name.strip(), value  # a plain word needs no quotes here
