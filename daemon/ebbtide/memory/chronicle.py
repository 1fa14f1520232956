"""What a commit of the memory folder says: which decisions it holds, in a sentence each. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

Revision = Mapping[str, Any]

SHOWN: Final = 200
"""Decisions that one message tells; the rest is counted."""
_WIDTH, _SUBJECT = 72, 120
_PLAIN: Final = "Update facts and links"


def message(revisions: Sequence[Revision], fact_of: Callable[[str], str | None]) -> str:
    """The message of a commit that holds these revisions, in their order. `fact_of(id)` is a fact's text, if it is known.

    One decision is the subject itself; several are counted there and told below, parts under what they are parts of.
    """
    leads = [r for r in revisions if not r.get("part_of")] or list(revisions)
    if not leads:
        return _PLAIN + "\n"
    told = [sentence(r, fact_of) for r in leads[:SHOWN]]
    if len(leads) == 1:
        why = _line(leads[0].get("why"))
        by = _line(leads[0].get("by")) or "unknown"
        return f"{_short(told[0], _SUBJECT)}\n\n{told[0]}\n" + (f"Why: {why}\n" if why else "") + f"By: {by}\n"
    kinds: dict[str, int] = {}
    for r in leads:
        kinds[str(r.get("kind"))] = kinds.get(str(r.get("kind")), 0) + 1
    counted = ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in sorted(kinds.items()))
    whys = [_line(r.get("why")) for r in leads[:SHOWN]]
    lines = [f"- {text}" + (f": {why}" if why else "") for text, why in zip(told, whys, strict=True)]
    if len(leads) > SHOWN:
        lines.append(f"- and {len(leads) - SHOWN} more")
    return "\n".join([_short(f"{len(leads)} decisions: {counted}", _SUBJECT), "", *lines]) + "\n"


def sentence(revision: Revision, fact_of: Callable[[str], str | None]) -> str:
    """What a revision did, to what, where: "Supersede: The timeout is 30 s. -> The timeout is 45 s. (b.md:5)"."""
    kind = ("undo of " if revision.get("undoes") else "") + str(revision.get("kind"))
    subjects = [str(ident) for ident in revision.get("subjects") or ()]
    named = [fact_of(ident) or ident for ident in subjects[:3]]
    what = ", ".join(_short(_line(text), _WIDTH) for text in named)
    if len(subjects) > len(named):
        what += f" and {len(subjects) - len(named)} more"
    after = _after(revision, fact_of)
    if after:
        what += f" -> {_short(after, _WIDTH)}"
    return f"{kind[:1].upper()}{kind[1:]}: {what}{_place(revision)}"


def _after(revision: Revision, fact_of: Callable[[str], str | None]) -> str:
    other = revision.get("object")
    if isinstance(other, str) and other:
        return _line(fact_of(other) or other)
    changes = [c for c in revision.get("changes") or () if isinstance(c, Mapping) and c.get("after") is not None]
    if revision.get("kind") in ("correct", "move") and changes:
        return ", ".join(f"{c.get('field')} {_line(c.get('after'))}" for c in changes[:3])
    return ""


def _place(revision: Revision) -> str:
    for entry in reversed(revision.get("evidence") or ()):
        if isinstance(entry, Mapping) and entry.get("source"):
            line = f":{entry['line']}" if entry.get("line") else ""
            return f" ({_line(entry['source'])}{line})"
    return ""


def _line(value: object) -> str:
    """Text on one line, without what a terminal would obey."""
    text = "" if value is None else str(value)
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"
