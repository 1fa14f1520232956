"""What `ebbtide ask` and `ebbtide explain` do. See `actions` for the rules."""

from __future__ import annotations

import argparse
from typing import Any

from ebbtide.serve.screen import Screen, ask, query_of


def answer(args: argparse.Namespace, screen: Screen) -> int:
    """Print what the notes say to the question."""
    ask(args, screen, "answer", _limits(args) | {"local": args.local})
    return 0


def explain(args: argparse.Namespace, screen: Screen) -> int:
    """Print why (not) this note."""
    names = ("note", "limit", "near", "unlinked", "lang")
    ask(args, screen, "explain", _limits(args) | {name: getattr(args, name) for name in names})
    return 0


def _limits(args: argparse.Namespace) -> dict[str, Any]:
    include = sorted({state for states in args.include for state in states})
    names = ("type", "layer", "scope", "as_of", "budget")
    return {"query": query_of(args), "include": include} | {name: getattr(args, name) for name in names}
