"""Text of a vault put into Markdown and SVG so that it stays text: no link, no markup, no order to a reader. Pure."""

from __future__ import annotations

import posixpath
import re
from typing import Final

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>|#$~=^!&%])")
_ADDRESS: Final = re.compile(r":(?=//)|:(?=:)|(?<=\bwww)\.", re.IGNORECASE)
"""What makes a bare address a link, or a word an inline field."""
_KEPT: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/,;+=@!'&$")


def plain(text: object, most: int = 200) -> str:
    """One line of printable text, at most so many characters; what is cut off leaves an ellipsis."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def md(text: object, most: int = 200) -> str:
    """Text inside a line of Markdown or a cell of a table: every character stands for itself."""
    return _ADDRESS.sub(lambda m: "\\" + m.group(), _SPECIAL.sub(r"\\\1", plain(text, most)))


def address(path: str, folder: str) -> str:
    """A vault path as the target of a Markdown link in a note of `folder` (vault path, "" for the root)."""
    relative = posixpath.relpath(path or ".", folder or ".")
    return "".join(map(_coded, relative))


def _coded(char: str) -> str:
    if char in _KEPT or (not char.isascii() and char.isprintable() and not char.isspace()):
        return char
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))


def link(text: object, path: str, folder: str, line: int | None = None, most: int = 80) -> str:
    """A Markdown link that Obsidian and every other reader follows. The line is told, not linked: Obsidian has no links to lines.

    Nothing can link to a file with # in its path, for what follows it would be a heading: its path is told instead.
    """
    shown = md(text, most) or md(posixpath.basename(path), most) or "-"
    told = f"{shown} ({md(path)})" if "#" in path else f"[{shown}]({address(path, folder)})"
    return told + (f":{line}" if line is not None else "")


def xml(text: object, most: int = 200) -> str:
    """Text between tags, or in an attribute in double quotes."""
    out = plain(text, most).encode("utf-8", "replace").decode("utf-8")
    for char, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;")):
        out = out.replace(char, name)
    return out
