"""The entry point `ebbtide`: parse, run one action, and turn every failure into one sentence and an exit code."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ebbtide import __version__
from ebbtide.memory.errors import EbbtideError
from ebbtide.serve import commands

if TYPE_CHECKING:
    from ebbtide.serve.screen import Screen

INTERRUPTED: Final = 130
"""What a shell expects after Ctrl-C."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    _tolerant()
    top = commands.parser(__version__)
    try:
        args = top.parse_args(argv)
        if getattr(args, "run", None) is None:
            top.print_help(sys.stderr)
            return 2
        from ebbtide.serve import actions

        screen = _screen(args.json)
        code: int = getattr(actions, args.run)(args, screen)
        sys.stdout.flush()
    except SystemExit as left:  # argparse leaves this way, with 0 after --help and 2 after wrong use
        return left.code if isinstance(left.code, int) else 2
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except EbbtideError as error:
        return _failed(error, as_json=args.json)
    except Exception as error:
        if os.environ.get("EBBTIDE_DEBUG"):
            raise
        return _failed(_wrapped(error), as_json=args.json)
    return code


def _wrapped(error: Exception) -> EbbtideError:
    """Something that nobody foresaw, without its traceback."""
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        return EbbtideError(f"{error.strerror}{where}.", "Check the path, its permissions and the disk.")
    return EbbtideError(
        f"Something went wrong inside Ebbtide: {type(error).__name__}: {error}.",
        "Run it again with EBBTIDE_DEBUG=1 to see where, and please report it.",
    )


def _failed(error: EbbtideError, *, as_json: bool) -> int:
    """The sentence to stderr; with --json the body that the API would have answered to stdout as well."""
    if as_json:
        from ebbtide.serve.calls import encode

        body = {"error": {"code": error.code, "reason": error.reason, "remedy": error.remedy}}
        _screen(as_json).raw(encode(body))
    print(f"ebbtide: {error}", file=sys.stderr)
    return error.exit_code


def _screen(as_json: bool) -> Screen:
    from ebbtide.serve.screen import Screen
    from ebbtide.serve.show import Pen

    terminal = sys.stdout.isatty()
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and os.name != "nt"
    width = shutil.get_terminal_size().columns if terminal else None
    return Screen(sys.stdout, sys.stderr, as_json, Pen(color, width))


def _tolerant() -> None:
    """A code page that lacks a character prints a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
