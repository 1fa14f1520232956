"""The commands as data: names, arguments, help and examples. The parser and the README are made from the same table.

What a command does is the function of its `run` name in `actions`, imported only when it runs.
"""

from __future__ import annotations

import argparse
from typing import Any, Final, NoReturn

from ebbtide.memory.states import FACT_TYPES, LAYERS
from ebbtide.serve.arguments import day, setting, whole
from ebbtide.serve.commands_answer import COMMANDS as ANSWER_COMMANDS
from ebbtide.serve.commands_exam import COMMANDS as EXAM_COMMANDS
from ebbtide.serve.commands_health import COMMANDS as HEALTH_COMMANDS
from ebbtide.serve.commands_parts import INCLUDE, LANGUAGE, NOTE, Arg, Command, file, flag, number
from ebbtide.serve.commands_rulings import COMMANDS as RULING_COMMANDS
from ebbtide.serve.commands_rulings import FILTERS
from ebbtide.serve.commands_service import COMMANDS as SERVICE_COMMANDS
from ebbtide.serve.commands_sleep import COMMANDS as SLEEP_COMMANDS
from ebbtide.serve.commands_tune import COMMANDS as TUNE_COMMANDS

_SET: Final = Arg(
    "--set",
    "a setting for this time; may be repeated",
    "KEY=VALUE",
    {"type": setting, "action": "append", "default": [], "dest": "settings"},
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
                "--port", "this port and no other; default: 27631 or the next free one", "N", {"type": whole(0, 65535)}
            ),
            flag("--offline", "no connection to Claude, whatever the settings say"),
            flag(
                "--supervised", "end with an error if a thread stands still, for service managers that cannot watch it"
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
            Arg("--as-of", "answer as on that day", "DATE", {"type": day}),
            number("--budget", "tokens the answer may take", 1, 1_000_000),
            INCLUDE,
            number("--limit", "memories at most", 1, 100),
            flag("--explain", "show what each score is made of"),
            LANGUAGE,
        ),
    ),
    *ANSWER_COMMANDS,
    Command(
        "why",
        "why",
        "The causal chain behind something, or what came of it, step by step with the sentences that say so.",
        'ebbtide why "why did we move to annual pricing?"',
        (
            Arg("query", "the question, in any language; - reads it from standard input", "QUERY"),
            Arg("--scope", "only notes in this folder of the vault", "FOLDER"),
            Arg("--as-of", "as on that day: notes dated later are left out", "DATE", {"type": day}),
            Arg(
                "--direction",
                "back (why is it so) or forward (what came of it); default: as the question says",
                "WAY",
                {"choices": ("back", "forward")},
            ),
            Arg("--note", "start at this note instead of where the question leads", "NOTE"),
            LANGUAGE,
        ),
    ),
    Command(
        "related",
        "related",
        "Memories near a note: by link, by words, by meaning.",
        'ebbtide related "Projects/Roadmap.md"',
        (
            NOTE,
            number("--limit", "memories at most", 1, 100),
            Arg("--type", "only this type (decision, lesson, preference, sprint, ...)", "T"),
            number("--budget", "tokens they may take", 1, 1_000_000),
            INCLUDE,
            flag("--unlinked", "leave out what the note links to or is linked from"),
            LANGUAGE,
        ),
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
            Arg("--state", f"only what is {', '.join(FILTERS)}", "STATE", {"choices": FILTERS}),
            flag("--refused", "what a gate refused or holds back, with the reason, and how often each was given"),
        ),
    ),
    Command(
        "fact",
        "fact",
        "One fact with its source and history.",
        "ebbtide fact f_0123456789abcdef",
        (Arg("id", "the fact's id", "ID"),),
    ),
    *RULING_COMMANDS,
    Command(
        "episodes",
        "episodes",
        "What was tried and how it ended, newest first, with what each note does not say.",
        "ebbtide episodes --result failure",
        (
            Arg(
                "--result",
                "only these: success, partial, failure, or missing: those that do not say",
                "R",
                {"choices": ("success", "partial", "failure", "missing")},
            ),
            Arg("--type", "only this type (sprint, debug, experiment, incident, ...)", "T"),
            _OF_NOTE,
            Arg("--after", "go on after this place (the last answer names it)", "PLACE", {"default": ""}),
            number("--limit", "episodes at most", 1, 1000),
        ),
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
        (NOTE,),
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
    *SLEEP_COMMANDS,
    *HEALTH_COMMANDS,
    *EXAM_COMMANDS,
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
        "exam gate",
        "exam_gate",
        "Measure what confirmed uses do to questions about now and about the past; uses count in memory only.",
        "ebbtide exam gate --vault V --episodes E.jsonl --arm gate --out R.jsonl",
        (
            file("--episodes", "episodes, a JSON object a line: id, as_of?, reinforce, present, past", "E.jsonl"),
            Arg(
                "--arm",
                "uses ignored, uses without the frame gate, uses with it",
                "ARM",
                {"choices": ("none", "use", "gate"), "required": True},
            ),
            file("--out", "where the results go: id, ranked, ms", "R.jsonl"),
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
    Command(
        "exam cite",
        "exam_cite",
        "Name the line of the vault that states each fact, however it is worded.",
        "ebbtide exam cite --vault V --facts F.jsonl --out R.jsonl",
        (
            file("--facts", "facts, a JSON object a line: id?, fact", "F.jsonl"),
            file("--out", "where the citations go: id, note, line, quote, ranked", "R.jsonl"),
        ),
    ),
    *TUNE_COMMANDS,
    Command(
        "extract",
        "extract",
        "How reading notes with Claude stands; or have notes read again that were given up.",
        "ebbtide extract --retry",
        (
            Arg("--now", "have this note read soon, if it waits or was given up", "NOTE"),
            flag("--retry", "try all again that were given up"),
        ),
    ),
    Command(
        "doctor",
        "doctor",
        "Check everything that can be wrong, and say why it matters and how to put it right.",
        "ebbtide doctor",
        (Arg("--lang", "language of what is said; default: that of the terminal", "L", {"choices": ("zh", "en")}),),
    ),
    Command(
        "pause",
        "pause",
        "Let the daemon stop indexing; it goes on answering.",
        "ebbtide pause --minutes 30",
        (number("--minutes", "for so long; default: until `ebbtide resume`", 1, 60 * 24 * 7),),
    ),
    Command("resume", "resume", "Let the daemon go on indexing.", "ebbtide resume"),
    *SERVICE_COMMANDS,
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
        description="A memory that ebbs, for an Obsidian vault. All stays on this machine, unless you let Claude read notes.",
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
