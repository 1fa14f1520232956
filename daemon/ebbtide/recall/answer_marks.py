"""Text that Markdown leaves alone, and back. Pure; light, since every command of the command line loads it."""

from __future__ import annotations

import re
from typing import Final

_LIVE: Final = re.compile(r"[\\`*\[\]<>|~$]|(?<!\w)_|_(?!\w)|#(?=\w)|&(?=[#\w])|(?<==)=|(?<=%)%|(?<=:):")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")


def safe(text: str) -> str:
    """Text on one line that Markdown shows as it is: no link, picture, tag, formula, comment or markup comes alive."""
    return _LIVE.sub(lambda m: f"\\{m[0]}", " ".join(text.split()))


def unescaped(text: str) -> str:
    """What `safe` was given, for a terminal."""
    return _ESCAPED.sub(r"\1", text)
