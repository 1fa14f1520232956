"""The daemon in a process of its own that is made to be killed: it tells what it embeds before anything of it is stored.

    python child.py VAULT MODEL LOG SECONDS

Each line of LOG is an event: `up`, or `batch N` before the N vectors of a batch are kept. SECONDS are waited for in each
batch, so that a model that takes no time leaves moments to be killed in.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ebbtide import daemon
from ebbtide.index.embed import OnnxEmbedder


def main(vault: str, model: str, log: str, seconds: str) -> int:
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    batches = OnnxEmbedder.iter_batches

    def told(self: OnnxEmbedder, wanted: Any) -> Iterator[Any]:
        for indices, vectors in batches(self, wanted):
            time.sleep(float(seconds))
            os.write(file, f"batch {len(indices)}\n".encode())
            yield indices, vectors

    OnnxEmbedder.iter_batches = told  # type: ignore[method-assign, assignment]
    start = daemon.Daemon.start

    def up(self: daemon.Daemon, port: int | None = None) -> int:
        bound = start(self, port)
        os.write(file, b"up\n")
        return bound

    daemon.Daemon.start = up  # type: ignore[method-assign]
    settings = {"embed.model": model, "watch.settle": 0.05, "index.commit_documents": 7}
    return daemon.run(Path(vault), 0, {"json": True, "set": settings})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
