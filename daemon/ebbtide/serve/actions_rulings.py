"""What the commands about where records stand do; `ebbtide review` at a terminal: one key for each question."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from ebbtide.memory.errors import EbbtideError
from ebbtide.serve import client, show_rulings
from ebbtide.serve.client import Asker
from ebbtide.serve.screen import Screen, ask, vault_of
from ebbtide.serve.show import Pen, clean


def correct(args: argparse.Namespace, screen: Screen) -> int:
    """Correct fields of a fact."""
    ask(args, screen, "correct", {"id": args.id, "set": dict(args.fields), "why": args.why})
    return 0


def act(args: argparse.Namespace, screen: Screen) -> int:
    """Do with a record what the command is named after."""
    ask(args, screen, "act", {"id": args.id, "action": args.command, "why": args.why})
    return 0


def undo(args: argparse.Namespace, screen: Screen) -> int:
    """Take a revision back, or list the latest."""
    given = {"limit": args.limit} if args.list else {"id": args.id, "why": args.why}
    ask(args, screen, "revisions" if args.list else "undo", given)
    return 0


def used(args: argparse.Namespace, screen: Screen) -> int:
    """Say that memories helped."""
    ask(args, screen, "uses", {"ids": args.id, "query": args.query, "session": args.session})
    return 0


def wrong(args: argparse.Namespace, screen: Screen) -> int:
    """Say that memories are wrong."""
    ask(args, screen, "corrections", {"ids": args.id, "why": args.why, "session": args.session})
    return 0


def rule(args: argparse.Namespace, screen: Screen) -> int:
    """Decide an open question."""
    ask(args, screen, "rule", {"id": args.id, "ruling": args.ruling, "why": args.why})
    return 0


def review(args: argparse.Namespace, screen: Screen) -> int:
    """Go through the open questions, or list them where nobody can press a key."""
    given = {"kind": args.kind, "limit": args.limit, "after": args.after}
    if screen.json or not interactive(screen.out):
        ask(args, screen, "reviews", given)
        return 0
    with client.connect(vault_of(args), read_only=False, vectors=False, notice=screen.progress) as asker:
        return Session(asker, screen.out, screen.pen).run(given)


KEYS: Final[Mapping[str, str]] = {
    "keep_a": "a",
    "keep_b": "b",
    "both": "2",
    "merge": "m",
    "later": "l",
    "still_true": "y",
    "archive": "x",
    "accept": "y",
    "refuse": "n",
    "clear": "y",
    "forget": "n",
    "bring_back": "y",
    "keep_file": "n",
}
"""The key of each ruling; of one question no two are alike. `u` takes the last one back, `s` skips, `q` ends."""
_PAGE: Final = 50


def interactive(out: TextIO) -> bool:
    """Whether somebody sits there who can press keys and sees what is asked."""
    return sys.stdin.isatty() and out.isatty()


def key_pressed() -> str:
    """One key from the terminal; where single keys cannot be read, the first letter of a line. Empty at the end of input."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        return sys.stdin.readline()[:1]
    import os

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)  # what was typed ahead counts
        pressed = os.read(terminal, 1)
        while pressed and pressed[0] >= 0xC0 and len(pressed) < 4:  # a wide character of an input method
            pressed += os.read(terminal, 1)
            if len(pressed.decode("utf-8", "ignore")) == 1:
                break
        return pressed.decode("utf-8", "replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


@dataclass(slots=True)
class Session:
    """One sitting over the queue. `key` gives the next key; `done` are the revisions made, the latest last."""

    asker: Asker
    out: TextIO
    pen: Pen
    key: Callable[[], str] = key_pressed
    done: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def run(self, given: Mapping[str, Any]) -> int:
        """Ask until nothing is open, or somebody has had enough. Returns the exit code."""
        left = given["limit"] or sys.maxsize
        while left > 0:
            item, total = self._next(given)
            if item is None:
                self._say("Nothing more to decide." if self._seen else "Nothing to decide.")
                break
            self._say(f"\n{show_rulings.review(item, self.pen)}{self._offer(item, total)}")
            if not self._answered(item):
                break
            left -= item["id"] in self._seen  # after an undo it is asked again
        if self.done:
            self._say(f"{len(self.done)} decided; `ebbtide undo` takes the last one back.")
        return 0

    def _next(self, given: Mapping[str, Any]) -> tuple[dict[str, Any] | None, int]:
        """The first open question that was not shown yet, and how many are open."""
        after = given["after"]
        while True:
            body = self._asked("reviews", kind=given["kind"], limit=_PAGE, after=after)
            item = next((item for item in body["reviews"] if item["id"] not in self._seen), None)
            if item is not None or body["next"] is None:
                return item, int(body["total"])
            after = body["next"]

    def _offer(self, item: Mapping[str, Any], total: int) -> str:
        words = [f"[{KEYS[c['ruling']]}] {clean(c['label'])}" for c in item["choices"]]
        return "  ".join([*words, "[s] skip", "[u] undo", "[q] quit"]) + self.pen.dim(f"   {total} open")

    def _answered(self, item: Mapping[str, Any]) -> bool:
        """Take keys until the question is decided or passed over; False to end."""
        rulings = {KEYS[choice["ruling"]]: choice["ruling"] for choice in item["choices"]}
        while True:
            pressed = self.key().lower()
            if pressed in ("q", "", "\x04"):
                return False
            if pressed == "u":
                self._undo()
                self._seen.discard(item["id"])
                return True
            if pressed == "s" or pressed in rulings:
                self._seen.add(item["id"])
                if pressed in rulings:
                    self._rule(item["id"], rulings[pressed])
                return True
            if pressed.strip():
                self._say(f"Press {', '.join([*rulings, 's', 'u', 'q'])}.")

    def _rule(self, ident: str, ruling: str) -> None:
        try:
            body = self._asked("rule", id=ident, ruling=ruling)
        except EbbtideError as error:  # somebody else was faster: the next question comes all the same
            self._say(str(error))
            return
        if body["revisions"]:
            self.done.append(body["revisions"][0]["id"])
        self._say(show_rulings.revised(body, self.pen).rstrip("\n"))

    def _undo(self) -> None:
        if not self.done:
            self._say("Nothing was decided in this sitting; `ebbtide undo` takes back what was before.")
            return
        self._asked("undo", id=self.done.pop())
        self._seen.clear()
        self._say("Taken back.")

    def _asked(self, name: str, **given: Any) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.asker.ask(name, **given))
        return body

    def _say(self, text: str) -> None:
        self.out.write(text + "\n")
        self.out.flush()
