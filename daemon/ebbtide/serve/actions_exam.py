"""What the commands of one's own exam do: `exam run`, `add`, `list`, `remove`, `trend`."""

from __future__ import annotations

import argparse
import json
import time
from typing import Final

from ebbtide.memory.errors import BadRequest
from ebbtide.serve import client
from ebbtide.serve.screen import Screen, ask, note_path, vault_of

POLL: Final = 0.3


def exam_run(args: argparse.Namespace, screen: Screen) -> int:
    """Start the exam, tell how far it is, print the report; 1 if it could not be sat."""
    with client.connect(vault_of(args), notice=screen.progress) as asker:
        data = asker.ask("exam", only=args.only, budget=args.budget, keep=not args.no_keep)
        job = json.loads(data)
        last = ""
        while job["state"] in ("queued", "running"):
            now = job["progress"]
            line = f"exam: {now['phase']}" + (f" {now['done']} of {now['total']}" if now["total"] else "")
            if now["phase"] != last:
                screen.progress(line)
                last = now["phase"]
            time.sleep(POLL)
            data = asker.ask("job", id=job["id"])
            job = json.loads(data)
    screen.answer("exam", data)
    return 0 if job["state"] == "done" else 1


def exam_add(args: argparse.Namespace, screen: Screen) -> int:
    """Add a question."""
    if args.nothing and (args.gold or args.must_cite or args.quote or args.answers or args.against):
        raise BadRequest(
            "--nothing says that no note answers it.", "Leave out --gold, --quote, --answer and --must-cite."
        )
    kind = "unanswerable" if args.nothing else "must-cite" if args.must_cite else None
    with client.connect(vault_of(args), read_only=False, vectors=False, notice=screen.progress) as asker:
        data = asker.ask(
            "exam_add",
            query=args.query,
            gold=[note_path(name, asker.root) for name in args.gold],
            against=[note_path(name, asker.root) for name in args.against],
            quote=args.quote,
            answers=args.answers,
            kind=kind,
            type=args.type,
            as_of=args.as_of,
            scope=args.scope,
            last=args.last,
        )
    screen.answer("exam_add", data)
    return 0


def exam_list(args: argparse.Namespace, screen: Screen) -> int:
    """Print the questions."""
    ask(args, screen, "exam_questions", {})
    return 0


def exam_remove(args: argparse.Namespace, screen: Screen) -> int:
    """Take a question out, or bring it back."""
    ask(args, screen, "exam_remove", {"id": args.id, "undo": args.undo})
    return 0


def exam_trend(args: argparse.Namespace, screen: Screen) -> int:
    """Print the last runs."""
    ask(args, screen, "exam_runs", {"limit": args.limit})
    return 0
