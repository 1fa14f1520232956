"""The commands of the exam of one's own: sit it, its questions, its runs. The batch exams stand in `commands`. Pure."""

from __future__ import annotations

from typing import Any, Final

from ebbtide.prove.questions import KINDS, PARTS
from ebbtide.serve.arguments import day
from ebbtide.serve.commands_parts import Arg, Command, flag, number


def _many(name: str, text: str, show: str, dest: str) -> Arg:
    options: dict[str, Any] = {"action": "append", "default": [], "dest": dest}
    return Arg(name, f"{text}; may be repeated", show, options)


COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "exam run",
        "exam_run",
        "Sit the exam of a vault: own questions, planted contradictions, with and without memory; with intervals and trend.",
        "ebbtide exam run --only planted",
        (
            Arg(
                "--only",
                f"a part of it: {', '.join(KINDS)} (kinds of own questions), planted, or vault (figures without questions)",
                "PART",
                {"choices": PARTS},
            ),
            number("--budget", "tokens a question may take", 1, 1_000_000),
            flag("--no-keep", "leave no line in Memory/exam-results"),
        ),
    ),
    Command(
        "exam add",
        "exam_add",
        "Add a question to the exam of your own, or make one of the last recall that went right or wrong.",
        'ebbtide exam add "why did we drop last-write-wins?" --gold "Decisions/ADR-007.md"',
        (
            Arg("query", "the question; left out with --last", "QUERY", {"nargs": "?"}),
            _many("--gold", "a note that answers it, by path or id", "NOTE", "gold"),
            _many("--against", "a note that does not hold any more and must come after it", "NOTE", "against"),
            Arg("--quote", "exact text of that note which must be shown, at its line", "TEXT"),
            _many("--answer", "words of the answer, by which success is judged", "TEXT", "answers"),
            flag("--must-cite", "the quote must be shown; with --last right: that of the first memory shown"),
            flag("--nothing", "no note answers it: to show nothing is right"),
            Arg("--type", "the type of memory it asks for (decision, lesson, preference, ...)", "T"),
            Arg("--as-of", "asked as on that day", "DATE", {"type": day}),
            Arg("--scope", "asked of this folder only", "FOLDER"),
            Arg(
                "--last",
                "the question of the last recall: right (what was confirmed, else the first, is the answer) or wrong (say what is)",
                "HOW",
                {"choices": ("right", "wrong")},
            ),
        ),
    ),
    Command(
        "exam list",
        "exam_list",
        "The questions of your own exam, and lines of its file that are none.",
        "ebbtide exam list",
    ),
    Command(
        "exam remove",
        "exam_remove",
        "Take a question out of the exam; its line stays in the file, marked, and --undo brings it back.",
        "ebbtide exam remove x_0123abcd",
        (Arg("id", "the question's id", "ID"), flag("--undo", "bring it back")),
    ),
    Command(
        "exam trend",
        "exam_trend",
        "How the exam went in the last runs, on all devices.",
        "ebbtide exam trend --limit 20",
        (number("--limit", "runs at most", 1, 1000),),
    ),
)
