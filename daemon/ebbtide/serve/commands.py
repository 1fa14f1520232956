"""The commands as data: names, arguments, help and examples. The parser and the README are made from the same table.

What a command does is the function of its `run` name in `actions`, imported only when it runs.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, NoReturn

from ebbtide.memory.states import FACT_TYPES, LAYERS


def _whole(low: int, high: int) -> Any:
    def read(text: str) -> int:
        value = int(text) if re.fullmatch(r"\d{1,9}", text) else -1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
        return value

    return read


def _day(text: str) -> str:
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not a day such as 2026-11-30")


STATES: Final = ("stale", "archived", "frozen", "quarantined", "conversations")


def _states(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in STATES:
            raise argparse.ArgumentTypeError(f"{word!r} is none of {', '.join(STATES)}")
    return words


def _setting(text: str) -> tuple[str, Any]:
    import tomllib

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    try:
        return name.strip(), tomllib.loads(f"it = {value}")["it"]  # as it would stand in the file
    except tomllib.TOMLDecodeError:
        return name.strip(), value  # a plain word needs no quotes here


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
    return Arg(name, f"{text} ({low} to {high})", "N", {"type": _whole(low, high)})


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


_NOTE: Final = Arg("note", "a note: its path in the vault, or a path from here", "NOTE")
_SET: Final = Arg(
    "--set",
    "a setting for this time; may be repeated",
    "KEY=VALUE",
    {"type": _setting, "action": "append", "default": [], "dest": "settings"},
)
_RULES_ONLY: Final = flag("--no-model", "by rules alone: do not ask the embedding model what means the same")
_OF_NOTE: Final = Arg("--note", "only those of this note", "NOTE")

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "up",
        "up",
        "Watch, index and serve a vault, in the foreground, until Ctrl-C.",
        "ebbtide up ~/Notes",
        (
            Arg("place", "the vault's folder", "VAULT", {"nargs": "?"}),
            Arg(
                "--port", "this port and no other; default: 27631 or the next free one", "N", {"type": _whole(0, 65535)}
            ),
            _SET,
        ),
    ),
    Command("status", "status", "What the memory holds, what is going on, and what is wrong.", "ebbtide status"),
    Command(
        "recall",
        "recall",
        "Find what the notes know about a question, with citations and reasons.",
        'ebbtide recall "why did we drop last-write-wins?" --type decision',
        (
            Arg("query", "the question, in any language; - reads it from standard input", "QUERY"),
            Arg("--type", "only this type (decision, lesson, preference, sprint, ...)", "T"),
            Arg("--layer", f"only this layer: {', '.join(LAYERS)}", "L", {"choices": LAYERS}),
            Arg("--scope", "only notes in this folder of the vault", "FOLDER"),
            Arg("--as-of", "answer as on that day", "DATE", {"type": _day}),
            number("--budget", "tokens the answer may take", 1, 1_000_000),
            Arg(
                "--include",
                f"also what is {', '.join(STATES[:4])}, or from {STATES[4]}; may be repeated",
                "STATES",
                {"type": _states, "action": "append", "default": []},
            ),
            number("--limit", "memories at most", 1, 100),
            flag("--explain", "show what each score is made of"),
        ),
    ),
    Command(
        "why",
        "why",
        "The causal chain behind something, or what came of it, step by step with the sentences that say so.",
        'ebbtide why "why did we move to annual pricing?"',
        (
            Arg("query", "the question, in any language; - reads it from standard input", "QUERY"),
            Arg("--scope", "only notes in this folder of the vault", "FOLDER"),
            Arg("--as-of", "as on that day: notes dated later are left out", "DATE", {"type": _day}),
            Arg(
                "--direction",
                "back (why is it so) or forward (what came of it); default: as the question says",
                "WAY",
                {"choices": ("back", "forward")},
            ),
        ),
    ),
    Command(
        "related",
        "related",
        "Notes near a note: by link, by words, by meaning.",
        'ebbtide related "Projects/Roadmap.md"',
        (_NOTE, number("--limit", "notes at most", 1, 100)),
    ),
    Command(
        "explain",
        "explain",
        "Why a note is, or is not, among the answers to a question.",
        'ebbtide explain "who fixed sync?" "People/Mara Ellison.md"',
        (Arg("query", "the question; - reads it from standard input", "QUERY"), _NOTE),
    ),
    Command(
        "facts",
        "facts",
        "The facts read from the notes, or those that were refused.",
        "ebbtide facts --type decision --limit 20",
        (
            _OF_NOTE,
            Arg("--type", f"only this type: {', '.join(FACT_TYPES)}", "T", {"choices": FACT_TYPES}),
            Arg("--after", "go on after this id (the last answer names it)", "ID", {"default": ""}),
            number("--limit", "facts at most", 1, 1000),
            flag("--refused", "what a gate refused, with the reason"),
        ),
    ),
    Command(
        "fact",
        "fact",
        "One fact with its source and history.",
        "ebbtide fact f_0123456789abcdef",
        (Arg("id", "the fact's id", "ID"),),
    ),
    Command(
        "links",
        "links",
        "Every edge between notes, with type, place and whether it resolves; and what is wrong with them.",
        "ebbtide links --unresolved",
        (
            _OF_NOTE,
            flag("--unresolved", "only links that lead nowhere, with the nearest names"),
            flag("--ambiguous", "only links that could mean several notes, with the others"),
            flag("--broken-anchors", "only links whose heading or block is not in their note, with the nearest"),
            flag("--orphans", "instead: notes (but those of a day), boards and attachments that no link connects"),
            flag("--stats", "instead: how many edges of each type and origin, and how far they are typed"),
            Arg("--after", "go on after this place (the last answer names it)", "PLACE", {"default": ""}),
            number("--limit", "links at most", 1, 10_000),
        ),
    ),
    Command(
        "note",
        "note",
        "A note as Ebbtide read it: headings, passages, facts, links, problems.",
        "ebbtide note Home.md",
        (_NOTE,),
    ),
    Command(
        "notes",
        "notes",
        "What became of each note: indexed, pending, skipped or failed, and why.",
        "ebbtide notes --status skipped",
        (
            Arg(
                "--status",
                "only these: indexed, pending, skipped, failed",
                "S",
                {"choices": ("indexed", "pending", "skipped", "failed")},
            ),
            number("--limit", "notes at most", 1, 10_000),
        ),
    ),
    Command(
        "rebuild",
        "rebuild",
        "Throw indexes away and build them again from the notes; notes stay untouched.",
        "ebbtide rebuild --text",
        (
            flag("--text", "the keyword index"),
            flag("--vectors", "the vectors"),
            flag("--links", "links.jsonl"),
            flag("--facts", "facts.jsonl"),
            flag("--all", "all of it (the default)"),
        ),
    ),
    Command(
        "exam ask",
        "exam_ask",
        "Put a file of questions to a vault and write the ranked notes of each.",
        "ebbtide exam ask --vault V --queries Q.jsonl --out R.jsonl",
        (
            file("--queries", "questions, a JSON object a line: id, query, scope?, as_of?, include_frozen?", "Q.jsonl"),
            file("--out", "where the results go: id, ranked, ms, tokens, abstained", "R.jsonl"),
            flag("--no-scope", "ask every question of the whole vault"),
        ),
    ),
    Command(
        "exam why",
        "exam_why",
        "Put a file of questions to the causal chains of a vault; `ranked` starts with the chain.",
        "ebbtide exam why --vault V --queries Q.jsonl --out R.jsonl",
        (
            file("--queries", "questions, a JSON object a line: id, query, scope?, as_of?, direction?", "Q.jsonl"),
            file("--out", "where the results go: id, ranked, chain, kind, ms, tokens, abstained", "R.jsonl"),
            flag("--no-scope", "ask every question of the whole vault"),
        ),
    ),
    Command(
        "exam conflicts",
        "exam_conflicts",
        "Write every pair of notes that contradict each other, with the lines and the reason.",
        "ebbtide exam conflicts --vault V --out F.jsonl",
        (file("--out", "where they go: a, b, kind, ruling, a_line, b_line, score, reason", "F.jsonl"), _RULES_ONLY),
    ),
    Command(
        "exam pairs",
        "exam_pairs",
        "Say of each pair of texts whether they contradict each other.",
        "ebbtide exam pairs --pairs P.jsonl --out D.jsonl",
        (
            file("--pairs", "pairs of texts, a JSON object a line: id, a, b", "P.jsonl"),
            file("--out", "where the verdicts go: id, contradiction, kind, score", "D.jsonl"),
            _RULES_ONLY,
        ),
    ),
    Command("doctor", "doctor", "Check everything that can be wrong, and say how to put it right.", "ebbtide doctor"),
    Command(
        "pause",
        "pause",
        "Let the daemon stop indexing; it goes on answering.",
        "ebbtide pause --minutes 30",
        (number("--minutes", "for so long; default: until `ebbtide resume`", 1, 60 * 24 * 7),),
    ),
    Command("resume", "resume", "Let the daemon go on indexing.", "ebbtide resume"),
    Command(
        "token",
        "token",
        "Print the token that clients need, or replace it.",
        "ebbtide token rotate",
        (
            Arg(
                "action",
                "rotate: make a new token; running daemons take it at once",
                "rotate",
                {"nargs": "?", "choices": ("rotate",)},
            ),
        ),
    ),
    Command(
        "config",
        "config",
        "Print the settings in force, and what is wrong in them.",
        "ebbtide config --table",
        (flag("--table", "every key with default, range and meaning"), _SET),
    ),
    Command("openapi", "openapi", "Print the OpenAPI document of the local API.", "ebbtide openapi > openapi.json"),
    Command(
        "schema",
        "schema",
        "Print a JSON Schema of the files and answers, or their names.",
        "ebbtide schema fact",
        (Arg("name", "which; without it their names", "NAME", {"nargs": "?"}),),
    ),
)
COMMON: Final = (
    Arg("--vault", "the vault's folder; default: EBBTIDE_VAULT, else the one that is being served", "PATH"),
    flag("--json", "print exactly what the API answers"),
)


class Parser(argparse.ArgumentParser):
    """Wrong use in one line to stderr and exit code 2, like every other error."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where the help is."""
        self.exit(2, f"ebbtide: {message[:1].upper()}{message[1:]}. See: {self.prog} --help\n")


def parser(version: str) -> Parser:
    """The whole command line."""
    top = Parser(
        prog="ebbtide",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A memory that ebbs, for an Obsidian vault. Everything stays on this machine.",
        epilog='start with:\n  ebbtide up ~/Notes\n  ebbtide recall "what did we decide about sync?"\n\n'
        "exit codes: 0 done, 1 failed, 2 wrong use, 3 vault or settings, 4 vault or port in use",
    )
    top.add_argument("--version", action="version", version=f"ebbtide {version}")
    for arg in COMMON:  # before the command as well as after it
        top.add_argument(arg.name, help=argparse.SUPPRESS, **_options(arg))
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    groups: dict[str, Any] = {}
    for command in COMMANDS:
        group, _, word = command.name.rpartition(" ")
        if group and group not in groups:
            made = commands.add_parser(group, help=f"{command.help} (`{command.name}`)", allow_abbrev=False)
            groups[group] = made.add_subparsers(
                dest="subcommand", metavar="COMMAND", required=True, parser_class=Parser
            )
        _add(groups.get(group, commands), word, command)
    return top


def _add(commands: Any, word: str, command: Command) -> None:
    made = commands.add_parser(
        word,
        help=command.help,
        description=command.help,
        epilog=f"example:\n  {command.example}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for arg in (*command.args, *COMMON):
        options = _options(arg)
        if arg in COMMON:
            options["default"] = argparse.SUPPRESS  # what was said before the command stays said
        made.add_argument(arg.name, help=arg.help.replace("%", "%%"), **options)
    made.set_defaults(run=command.run)


def _options(arg: Arg) -> dict[str, Any]:
    return {**({"metavar": arg.show} if arg.show else {}), **arg.options}
