"""What `ebbtide health` and `ebbtide digest` do."""

from __future__ import annotations

import argparse
import json
import time
from typing import Final

from ebbtide.memory.errors import BadRequest
from ebbtide.serve import client
from ebbtide.serve.screen import Screen, ask, vault_of

POLL: Final = 0.2


def health(args: argparse.Namespace, screen: Screen) -> int:
    """Print the figures; with --now compute them first, and 1 if that failed."""
    if not args.now:
        if args.no_keep:
            raise BadRequest("--no-keep goes with --now.", "Without --now nothing is written anyway.")
        ask(args, screen, "health", {"days": args.days})
        return 0
    keep = not args.no_keep
    with client.connect(vault_of(args), read_only=not keep, vectors=False, notice=screen.progress) as asker:
        data = asker.ask("measure", keep=keep)
        job = json.loads(data)
        while job["state"] in ("queued", "running"):
            time.sleep(POLL)
            data = asker.ask("job", id=job["id"])
            job = json.loads(data)
    screen.answer("measure", data)
    return 0 if job["state"] == "done" else 1


def digest(args: argparse.Namespace, screen: Screen) -> int:
    """Print the digest of today, as Markdown where that is asked for."""
    ask(args, screen, "digest", {}, markdown=args.markdown)
    return 0
