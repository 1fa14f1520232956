"""What a command is made of: its name and its arguments. Pure; see `commands`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from ebbtide.serve.arguments import STATES, states, whole


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument: `name` as typed (`--type`) or, without dashes, a place; `show` is what stands for its value."""

    name: str
    help: str
    show: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def usage(self) -> str:
        """As it stands in a usage line."""
        if not self.name.startswith("-"):
            return f"[{self.show}]" if self.options.get("nargs") == "?" else self.show
        text = f"{self.name} {self.show}".strip()
        return text if self.options.get("required") else f"[{text}]"


def flag(name: str, text: str) -> Arg:
    """A switch."""
    return Arg(name, text, "", {"action": "store_true"})


def number(name: str, text: str, low: int, high: int) -> Arg:
    """An option with a whole number."""
    return Arg(name, f"{text} ({low} to {high})", "N", {"type": whole(low, high)})


def file(name: str, text: str, show: str) -> Arg:
    """An option that names a file and must be given."""
    return Arg(name, text, show, {"required": True})


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `name` may have two words (`exam ask`); `run` names its function in `actions`."""

    name: str
    run: str
    help: str
    example: str
    args: tuple[Arg, ...] = ()

    @property
    def usage(self) -> str:
        """The usage line, without the options that every command has."""
        return " ".join(["ebbtide", self.name, *(arg.usage for arg in self.args)])


LANGUAGE: Final = Arg(
    "--lang", "language of the reasons; default: that of the question", "L", {"choices": ("zh", "en")}
)
NOTE: Final = Arg("note", "a note: its path in the vault, or a path from here", "NOTE")
INCLUDE: Final = Arg(
    "--include",
    f"also what is {', '.join(STATES[:4])}, or from {STATES[4]}; may be repeated",
    "STATES",
    {"type": states, "action": "append", "default": []},
)
