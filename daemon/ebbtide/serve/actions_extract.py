"""What `ebbtide extract` does: say how reading notes with Claude stands, and have notes read that wait or were given up."""

from __future__ import annotations

import argparse
import json

from ebbtide.memory.errors import NotFound
from ebbtide.serve import client
from ebbtide.serve.calls import encode
from ebbtide.serve.screen import Screen, note_path, vault_of
from ebbtide.serve.show import clean


def extract(args: argparse.Namespace, screen: Screen) -> int:
    """Print the doctor's check of Claude, after what was asked for is done; 1 if something is wrong."""
    from ebbtide import asking

    with client.connect(vault_of(args), vectors=False, notice=screen.progress) as asker:
        vault = json.loads(asker.ask("status"))["vault"]
        note = None if args.now is None else note_path(args.now, asker.root)
        many = 0
        if args.retry or note is not None:
            many = asking.again(vault["id"], asker.root, note)
            if note is not None and not many:
                raise NotFound(
                    f"{note!r} does not wait for Claude.",
                    "No rule names it (extract.*), or it has been read; see `facts`.",
                )
        [check] = [each for each in json.loads(asker.ask("doctor"))["checks"] if each["name"] == "Claude"]
    if screen.json:
        screen.raw(encode(check | {"again": many}))
        return 0 if check["ok"] else 1
    if args.retry or note is not None:
        screen.out.write(f"{many} to be read again\n")
    screen.out.write(clean(check["message"]) + "\n" + (f"{clean(check['fix'])}\n" if check["fix"] else ""))
    return 0 if check["ok"] else 1
