"""What `ebbtide tune` does."""

from __future__ import annotations

import argparse
import json
import time
from typing import Final

from ebbtide.serve import client
from ebbtide.serve.screen import Screen, vault_of

POLL: Final = 0.3


def tune(args: argparse.Namespace, screen: Screen) -> int:
    """Start the fit, tell how far it is, print the report; 1 if it could not be made."""
    with client.connect(vault_of(args), read_only=args.dry_run, notice=screen.progress) as asker:
        data = asker.ask("tune", dry_run=args.dry_run)
        job = json.loads(data)
        last = ""
        while job["state"] in ("queued", "running"):
            now = job["progress"]
            if now["phase"] != last:
                screen.progress(f"tune: {now['phase']}")
                last = now["phase"]
            time.sleep(POLL)
            data = asker.ask("job", id=job["id"])
            job = json.loads(data)
    screen.answer("tune", data)
    return 0 if job["state"] == "done" else 1
