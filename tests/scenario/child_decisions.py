"""A process that decides, undoes and saves notes until it is killed, and tells what it was told is done.

    python child_decisions.py VAULT LOG SEED

Each line of LOG is written after the runtime has answered: a JSON list of the ids of the revisions that one decision made.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from ebbtide.runtime import open_runtime


def main(vault: str, log: str, seed: str) -> int:
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    chance = random.Random(int(seed))
    runtime = open_runtime(Path(vault), read_only=False, options={"embed.enabled": False, "git.enabled": True})
    decisions, outbox = runtime.sync.decisions, runtime.sync.outbox

    def tell(made: list[dict[str, Any]]) -> None:
        outbox.deliver()
        os.write(file, json.dumps([revision["id"] for revision in made]).encode() + b"\n")

    runtime.catch_up()
    os.write(file, b"up\n")
    ours: list[str] = []
    for number in range(1 << 30):
        idents = [ident for ident, _ in runtime.catalog.all_facts()]
        what = chance.choice(["rule", "rule", "undo", "save", "write"])
        if what == "rule":
            some = chance.sample(idents, 3)
            news = {"by": "user", "object": None, "changes": [], "why": f"{number}", "evidence": []}
            kinds = chance.choices(("archive", "restore", "confirm", "pin", "freeze", "thaw"), k=3)
            made = decisions.record(*(news | {"kind": k, "subjects": [i]} for k, i in zip(kinds, some, strict=True)))
            ours.append(made[0]["id"])
            tell(made)
        elif what == "undo" and (left := [ident for ident in ours if not runtime.catalog.is_undone(ident)]):
            tell(decisions.undo(chance.choice(left), "user", f"{number}"))
        elif what == "save":
            (Path(vault) / f"n{chance.randrange(6)}.md").write_text(
                f"# N\n\nThe boat {number} cost {number} EUR in 2026-05.\n"
            )
            runtime.sync.reconcile()
        elif what == "write":
            runtime.write_memory()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
