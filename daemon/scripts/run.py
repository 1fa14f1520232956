"""`make run`: serve a vault until Ctrl-C; without one, a copy of the sample vault, with three questions to show what it does.

Everything of the demonstration stays in `.run/` (vault copy, cache, state); only the converted model goes to the user's
cache, where every later vault finds it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import threading
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
QUESTIONS = (
    ("中文提问", "为什么从买断改成年费？"),
    ("In English", "Why did we give up last-write-wins?"),
    ("Across languages: a Chinese question, an English note", "离线地图那次冲刺为什么失败？"),
)


def main() -> int:
    """Serve; returns the exit code."""
    parser = argparse.ArgumentParser(description="Serve a vault, or a copy of the sample vault.")
    parser.add_argument("--vault", type=Path, help="your own vault; default: a copy of sample-vault/ in .run/")
    parser.add_argument("--once", action="store_true", help="stop after the answers instead of serving on")
    args = parser.parse_args()
    from ebbtide.memory.errors import EbbtideError

    try:
        if args.vault is not None:
            from ebbtide.daemon import run

            return run(args.vault.expanduser().absolute())
        return demonstrate(once=args.once)
    except EbbtideError as error:
        print(f"ebbtide: {error}", file=sys.stderr)
        return error.exit_code


def demonstrate(*, once: bool) -> int:
    """Copy, index with progress, ask, serve on."""
    place = PROJECT / ".run"
    vault = place / "vault"
    shutil.copytree(PROJECT / "sample-vault", vault, dirs_exist_ok=True)
    os.environ["EBBTIDE_CACHE"], os.environ["EBBTIDE_STATE"] = str(place / "cache"), str(place / "state")
    os.environ["EBBTIDE_CONFIG"] = str(place / "config.toml")
    from ebbtide.daemon import Stop, run

    stop = Stop()
    problems: list[BaseException] = []

    def ask(port: int, token: str) -> None:
        try:
            for title, question in QUESTIONS:
                show(title, question, post(port, token, question))
            print(f"\nServing {vault} on http://127.0.0.1:{port}. Ask your own:", flush=True)
            state = place / "state"
            print(f'  EBBTIDE_STATE={state} .venv/bin/ebbtide recall "..." --vault {vault}', flush=True)
            print("Ctrl-C stops it.", flush=True)
        except BaseException as error:
            problems.append(error)
            raise
        finally:
            if once or problems:
                stop.set()

    def when_ready(port: int, token: str) -> None:
        threading.Thread(target=ask, args=(port, token), daemon=True).start()

    code = run(vault, options={"when_ready": when_ready, "stop": stop})
    return 1 if problems else code


def post(port: int, token: str, question: str) -> dict[str, object]:
    """Ask the daemon over HTTP, as every client does."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = json.dumps({"query": question, "limit": 2}).encode()
    connection.request(
        "POST", "/v1/recall", body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    )
    answer: dict[str, object] = json.loads(connection.getresponse().read())
    return answer


def show(title: str, question: str, answer: dict[str, object]) -> None:
    """One question with what was recalled and where it stands."""
    print(f"\n{title}\n  ? {question}", flush=True)
    items = answer.get("items")
    for item in items if isinstance(items, list) else []:
        text = " ".join(str(item["text"]).split())
        print(f"  = {text[:220]}{'…' if len(text) > 220 else ''}", flush=True)
        print(f"    {item['note']}:{item['line']}  ({'; '.join(item['why'])})", flush=True)
    if not items:
        print(f"  = {answer.get('empty_reason') or answer}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
