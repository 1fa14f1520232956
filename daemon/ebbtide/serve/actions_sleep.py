"""What `ebbtide sleep` does."""

from __future__ import annotations

import argparse
import json
import time
from typing import Final

from ebbtide.serve import client
from ebbtide.serve.commands_sleep import LATEST
from ebbtide.serve.screen import Screen, vault_of

POLL: Final = 0.2


def sleep(args: argparse.Namespace, screen: Screen) -> int:
    """Have a night, tell how far it is, print what was decided; 1 if it failed."""
    day = None if args.undo in (None, LATEST) else args.undo
    asked = {"dry_run": args.dry_run, "since": args.since, "undo": args.undo is not None, "day": day}
    with client.connect(vault_of(args), read_only=args.dry_run, notice=screen.progress) as asker:
        data = asker.ask("sleep", **{name: value for name, value in asked.items() if value is not None})
        job = json.loads(data)
        last = ""
        while job["state"] in ("queued", "running"):
            now = job["progress"]
            line = f"sleep: {now['phase']}" + (f" {now['done']} of {now['total']}" if now["total"] else "")
            if line != last:
                screen.progress(line)
                last = line
            time.sleep(POLL)
            data = asker.ask("job", id=job["id"])
            job = json.loads(data)
    screen.answer("sleep", data)
    return 0 if job["state"] == "done" else 1
