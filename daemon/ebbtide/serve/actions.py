"""What each command does: ask the vault's daemon or the vault itself, and show the answer.

An action takes the parsed arguments and a `Screen` and returns the exit code. Nothing heavy is imported before it is
needed; nothing but the answer goes to standard output.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import BadRequest, EbbtideError, NotFound
from ebbtide.serve import client, pairing, show
from ebbtide.serve.actions_answer import answer, explain
from ebbtide.serve.actions_exam import exam_add, exam_list, exam_remove, exam_run, exam_trend
from ebbtide.serve.actions_extract import extract
from ebbtide.serve.actions_health import digest, health
from ebbtide.serve.actions_rulings import act, correct, review, rule, undo, used, wrong
from ebbtide.serve.actions_service import (
    plugin_install,
    plugin_uninstall,
    service_install,
    service_logs,
    service_status,
    service_uninstall,
    uninstall,
)
from ebbtide.serve.actions_sleep import sleep
from ebbtide.serve.actions_tune import tune
from ebbtide.serve.calls import encode
from ebbtide.serve.screen import Screen, ask, query_of, vault_of
from ebbtide.serve.service_unit import PERMANENT

__all__ = [
    "act",
    "answer",
    "correct",
    "digest",
    "exam_add",
    "exam_list",
    "exam_remove",
    "exam_run",
    "exam_trend",
    "explain",
    "extract",
    "health",
    "plugin_install",
    "plugin_uninstall",
    "review",
    "rule",
    "service_install",
    "service_logs",
    "service_status",
    "service_uninstall",
    "sleep",
    "tune",
    "undo",
    "uninstall",
    "used",
    "wrong",
]  # what `commands` names and stands elsewhere


def status(args: argparse.Namespace, screen: Screen) -> int:
    """Print the state."""
    ask(args, screen, "status", {})
    return 0


def recall(args: argparse.Namespace, screen: Screen) -> int:
    """Print what answers the question."""
    include = sorted({state for states in args.include for state in states})
    arguments = {
        "query": query_of(args),
        "type": args.type,
        "layer": args.layer,
        "scope": args.scope,
        "as_of": args.as_of,
        "budget": args.budget,
        "include": include,
        "explain": args.explain,
        "limit": args.limit,
        "lang": args.lang,
    }
    ask(args, screen, "recall", arguments, **({} if screen.json else {"explain": args.explain}))
    return 0


def why(args: argparse.Namespace, screen: Screen) -> int:
    """Print the chain behind what is asked about."""
    names = ("scope", "as_of", "direction", "note", "lang")
    ask(args, screen, "why", {"query": query_of(args)} | {name: getattr(args, name) for name in names})
    return 0


def related(args: argparse.Namespace, screen: Screen) -> int:
    """Print the memories near a note."""
    names = ("note", "limit", "type", "budget", "unlinked", "lang")
    include = sorted({state for states in args.include for state in states})
    ask(args, screen, "related", {name: getattr(args, name) for name in names} | {"include": include})
    return 0


def facts(args: argparse.Namespace, screen: Screen) -> int:
    """Print a page of facts."""
    names = ("note", "type", "after", "limit", "refused", "state")
    ask(args, screen, "facts", {name: getattr(args, name) for name in names})
    return 0


def fact(args: argparse.Namespace, screen: Screen) -> int:
    """Print one fact."""
    ask(args, screen, "fact", {"id": args.id})
    return 0


def episodes(args: argparse.Namespace, screen: Screen) -> int:
    """Print a page of episodes."""
    names = ("note", "result", "type", "after", "limit")
    ask(args, screen, "episodes", {name: getattr(args, name) for name in names})
    return 0


def links(args: argparse.Namespace, screen: Screen) -> int:
    """Print a page of edges, or of what none connects, or how far they are typed."""
    names = ("note", "unresolved", "ambiguous", "broken_anchors", "orphans", "stats", "after", "limit")
    ask(args, screen, "links", {name: getattr(args, name) for name in names})
    return 0


def note(args: argparse.Namespace, screen: Screen) -> int:
    """Print one note as it was read."""
    ask(args, screen, "note", {"path": args.note})
    return 0


def notes(args: argparse.Namespace, screen: Screen) -> int:
    """Print what became of each note."""
    ask(args, screen, "notes", {"status": args.status, "limit": args.limit})
    return 0


def doctor(args: argparse.Namespace, screen: Screen) -> int:
    """Print the checks; 1 if one failed."""
    spoken = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    lang = args.lang or ("zh" if spoken.startswith("zh") else "en")
    return 0 if ask(args, screen, "doctor", {"lang": lang})["ok"] else 1


def pause(args: argparse.Namespace, screen: Screen) -> int:
    """Let the daemon pause."""
    ask(args, screen, "pause", {"minutes": args.minutes})
    return 0


def resume(args: argparse.Namespace, screen: Screen) -> int:
    """Let the daemon go on."""
    ask(args, screen, "resume", {})
    return 0


POLL: Final = 0.5


def rebuild(args: argparse.Namespace, screen: Screen) -> int:
    """Start a rebuild and wait for its end; 1 if it failed."""
    asked = [what for what in ("text", "vectors", "links", "facts") if getattr(args, what)]
    if len(asked) > 1 and not args.all:
        raise BadRequest("One index at a time, or all of them.", "Use --all.")
    what = "all" if args.all or not asked else asked[0]
    with client.connect(vault_of(args), read_only=False, notice=screen.progress) as asker:
        data = asker.ask("rebuild", what=what)
        job = json.loads(data)
        last = ""
        while job["state"] in ("queued", "running"):
            now = job["progress"]
            line = f"{job['what']}: {now['phase']} {now['done']} of {now['total']}"
            if line != last:
                screen.progress(line)
            last = line
            time.sleep(POLL)
            data = asker.ask("job", id=job["id"])
            job = json.loads(data)
    screen.answer("rebuild", data)
    return 0 if job["state"] == "done" else 1


def up(args: argparse.Namespace, screen: Screen) -> int:
    """Run the daemon here until it is told to stop."""
    vault = Path(args.place).expanduser().absolute() if args.place else vault_of(args)
    if vault is None:
        raise BadRequest("Which vault?", "Try: ebbtide up ~/Notes")
    from ebbtide.daemon import run

    offline = {"claude.offline": True} if args.offline else {}
    options = {"set": dict(args.settings) | offline, "json": screen.json, "supervised": args.supervised}
    try:
        return run(vault, args.port, options)
    except EbbtideError as error:
        if not args.supervised or error.exit_code not in PERMANENT:
            raise
        screen.progress(f"ebbtide: {error}")
        return 0  # another start would only repeat it, and 0 is the only code that launchd leaves alone


def exam_ask(args: argparse.Namespace, screen: Screen) -> int:
    """Put a file of questions to the vault, without the daemon: the same files must give the same results."""
    from ebbtide.prove.exam import ask

    return _exam(args, screen, ask)


def exam_why(args: argparse.Namespace, screen: Screen) -> int:
    """The same through the causal chain."""
    from ebbtide.prove.exam import why

    return _exam(args, screen, why)


def exam_conflicts(args: argparse.Namespace, screen: Screen) -> int:
    """Flag the contradictions of a vault."""
    from ebbtide.prove.conflicts import conflicts

    out = Path(args.out).expanduser()
    return _wrote(screen, out, conflicts(_vault(args), out, not args.no_model, screen.progress))


def exam_pairs(args: argparse.Namespace, screen: Screen) -> int:
    """Judge pairs of texts, without a vault."""
    from ebbtide.prove.conflicts import pairs

    given, out = Path(args.pairs).expanduser(), Path(args.out).expanduser()
    return _wrote(screen, out, pairs(given, out, not args.no_model, screen.progress))


def exam_gate(args: argparse.Namespace, screen: Screen) -> int:
    """What confirmed uses do to questions about now and about the past."""
    from ebbtide.prove.gate import gate

    given, out = Path(args.episodes).expanduser(), Path(args.out).expanduser()
    return _wrote(screen, out, gate(_vault(args), given, args.arm, out, screen.progress))


def exam_cite(args: argparse.Namespace, screen: Screen) -> int:
    """Cite the lines that state facts."""
    from ebbtide.prove.cite import cite

    given, out = Path(args.facts).expanduser(), Path(args.out).expanduser()
    return _wrote(screen, out, cite(_vault(args), given, out, screen.progress))


def _vault(args: argparse.Namespace) -> Path:
    vault = vault_of(args)
    if vault is None:
        raise BadRequest("Which vault?", "Add --vault PATH or set EBBTIDE_VAULT.")
    return vault


def _wrote(screen: Screen, out: Path, result: dict[str, Any]) -> int:
    if screen.json:
        screen.raw(encode(result))
    else:
        screen.progress(f"Results: {out}")
    return 0


def _exam(args: argparse.Namespace, screen: Screen, batch: Callable[..., dict[str, Any]]) -> int:
    queries, out = Path(args.queries).expanduser(), Path(args.out).expanduser()
    return _wrote(screen, out, batch(_vault(args), queries, out, args.no_scope, screen.progress))


def token(args: argparse.Namespace, screen: Screen) -> int:
    """Print the token, a new one if asked for."""
    state = pairing.state_folder()
    value = pairing.rotate_token(state) if args.action == "rotate" else pairing.ensure_token(state)
    if screen.json:
        screen.raw(encode({"token": value, "file": str(state / "token")}))
    else:
        screen.out.write(value + "\n")
    return 0


def config(args: argparse.Namespace, screen: Screen) -> int:
    """Print the settings in force, or the table of all of them; 3 if something in them is wrong."""
    if args.table:
        from ebbtide.config import table_markdown

        screen.out.write(table_markdown())
        return 0
    vault = vault_of(args)
    if vault is None:
        raise BadRequest("Which vault?", "Add --vault PATH or set EBBTIDE_VAULT.")
    from ebbtide.runtime import Places, load_config

    settings, problems = load_config(Places.of(os.environ), vault, os.environ, dict(args.settings))
    values = flat(settings)
    told = [
        {"path": p.path, "line": p.line, "code": p.code, "message": p.message, "fix": p.fix, "severity": p.severity}
        for p in problems
    ]
    if screen.json:
        screen.raw(encode({"values": values, "problems": told}))
    else:
        rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in values.items()]
        screen.out.write(show.table(rows, ("key", "value"), screen.pen))
        for problem in told:
            screen.progress(show.problem_line(problem))
    return 3 if told else 0


def flat(settings: Any) -> dict[str, Any]:
    """Dotted keys, as they are written in the files, and plain values."""
    import dataclasses

    found: dict[str, Any] = {}
    for section in dataclasses.fields(settings):
        keys = getattr(settings, section.name)
        for item in dataclasses.fields(keys):
            value = getattr(keys, item.name)
            plain = dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value
            hidden = item.metadata.get("secret") and value
            found[f"{section.name}.{item.name.rstrip('_')}"] = "(set)" if hidden else plain
    return found


def openapi(_args: argparse.Namespace, screen: Screen) -> int:
    """Print the OpenAPI document."""
    from ebbtide.serve import docs

    screen.raw(docs.openapi_text().encode().rstrip(b"\n"))
    return 0


def schema(args: argparse.Namespace, screen: Screen) -> int:
    """Print one schema or the names of all."""
    from ebbtide.serve import docs

    names = docs.schema_names()
    if args.name is None:
        if screen.json:
            screen.raw(encode(names))
        else:
            screen.out.write("".join(f"{name}\n" for name in names))
        return 0
    if args.name not in names:
        raise NotFound(f"There is no schema {args.name!r}.", f"There are: {', '.join(names)}.")
    screen.raw(docs.schema_text(args.name).encode().rstrip(b"\n"))
    return 0
