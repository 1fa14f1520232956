"""The user's own exam, `Memory/exam.jsonl`: a question a line, read, added to and taken out of without touching other lines. Pure.

A line that cannot be read, or makes no sense, is a problem with file, line and remedy; it stays in the file and is passed over.
A question that was removed stays, too, marked with the day, so that the removal can be undone to the byte.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, get_args

from ebbtide.memory.errors import BadRequest, NotFound, Problem

FILE: Final = "exam.jsonl"
"""Its name in the memory folder."""
Kind = Literal["find", "must-cite", "conflict", "unanswerable"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Part = Literal[Kind, "planted", "vault"]
PARTS: Final[tuple[Part, ...]] = (*KINDS, "planted", "vault")
"""What a run can be limited to: a kind of own questions, the planted contradictions, the figures of the vault."""
MOST: Final = 2000
"""Questions that are asked; an exam that nobody waits for is none."""
_MARK: Final = re.compile(rb'\{"removed":"\d{4}-\d\d-\d\d",')
_REMEDY: Final = 'each line is {"id", "query", "kind", "gold": [notes], ...}; see `ebbtide schema exam-question`'


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what answers it.

    - `kind`: find (a gold note comes up), must-cite (`quote` is shown, at its line), conflict (gold ranks before `against`),
      unanswerable (nothing is shown).
    - `gold`, `against`: notes by path or id, or facts by id; `ids`: ids of the golds, in their order, when they were added.
    - `answers`: words of which one must be in what is shown. `type`: the type of memory that it asks for.
    - `as_of`, `scope`: as in recall. `line` is where it stands in the file.
    """

    id: str
    query: str
    kind: Kind
    gold: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    quote: str | None = None
    gold_line: int | None = None
    answers: tuple[str, ...] = ()
    type: str | None = None
    as_of: str | None = None
    scope: str | None = None
    line: int = 0
    removed: str | None = None

    @property
    def key(self) -> str:
        """What makes two runs' answers to it comparable: the question and its gold, not its id alone."""
        said = (self.query, self.kind, self.gold, self.against, self.quote, self.answers, self.as_of, self.scope)
        return hashlib.blake2b(repr(said).encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class Paper:
    """What the file holds: questions to ask in the order of lines, those removed, and what is wrong with other lines."""

    asked: tuple[Asked, ...] = ()
    removed: tuple[Asked, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_paper(data: bytes, where: str) -> Paper:
    """Read the file's bytes. `where` is its path in the vault, for problems. Never raises."""
    asked: list[Asked] = []
    removed: list[Asked] = []
    problems: list[Problem] = []
    seen: set[str] = set()

    def bad(number: int, reason: str) -> None:
        problems.append(Problem(where, number, "exam-line", f"not a question: {reason}", _REMEDY))

    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            found = _asked(json.loads(raw.decode("utf-8")), number)
        except (ValueError, RecursionError) as error:
            bad(number, str(error) or type(error).__name__)
            continue
        if found.id in seen:
            bad(number, f"the id {found.id!r} is there already")
            continue
        seen.add(found.id)
        if found.removed is not None:
            removed.append(found)
        elif len(asked) < MOST:
            asked.append(found)
        else:
            bad(number, f"only the first {MOST} are asked")
    return Paper(tuple(asked), tuple(removed), tuple(problems))


def _asked(record: Any, number: int) -> Asked:
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - one kind of error for one bad line
    kind = record.get("kind", "find")
    if kind not in KINDS:
        raise ValueError(f"`kind` must be one of {', '.join(KINDS)}")
    made = Asked(
        id=_text(record, "id", True) or "",
        query=(_text(record, "query", True) or "").strip(),
        kind=kind,
        gold=_texts(record, "gold"),
        ids=_texts(record, "ids"),
        against=_texts(record, "against"),
        quote=_text(record, "quote"),
        gold_line=_line(record),
        answers=_texts(record, "answers"),
        type=_text(record, "type"),
        as_of=_day(record),
        scope=_text(record, "scope"),
        line=number,
        removed=_text(record, "removed"),
    )
    if kind == "unanswerable" and (made.gold or made.quote or made.answers):
        raise ValueError("what is unanswerable has no `gold`, `quote` or `answers`")
    if kind != "unanswerable" and not made.gold:
        raise ValueError("`gold` names no note")
    if kind == "must-cite" and not made.quote and made.gold_line is None:
        raise ValueError("must-cite needs `quote` or `gold_line`")
    return made


def _text(record: Mapping[str, Any], name: str, needed: bool = False) -> str | None:
    value = record.get(name)
    if value is None and not needed:
        return None
    if not isinstance(value, str) or not value.strip() or any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError(f"`{name}` must be text")
    return value


def _texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = record.get(name)
    given = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(given, list) or not all(isinstance(one, str) and one.strip() for one in given):
        raise ValueError(f"`{name}` must be a list of texts")
    return tuple(given)


def _line(record: Mapping[str, Any]) -> int | None:
    value = record.get("gold_line")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("`gold_line` must be a line number from 1")
    return value


def _day(record: Mapping[str, Any]) -> str | None:
    value = _text(record, "as_of")
    if value is not None:
        try:
            value = date.fromisoformat(value).isoformat()
        except ValueError:
            raise ValueError("`as_of` must be a day, YYYY-MM-DD") from None
    return value


# --- changing the file ------------------------------------------------------------------------------------------------


def make(record: Mapping[str, Any], taken: Sequence[Asked]) -> tuple[dict[str, Any], bytes]:
    """A new question as its record and line. Raises BadRequest if it makes no sense, or is there already.

    Its id is x_ and a hash of what is asked, so that two devices that add the same question add one.
    """
    body = {name: value for name, value in record.items() if value not in (None, [], ())}
    said = json.dumps([body.get(name) for name in ("query", "kind", "gold", "quote", "as_of", "scope")])
    made = {"id": "x_" + hashlib.blake2b(said.encode(), digest_size=4).hexdigest(), **body}
    try:
        asked = _asked(made, 0)
    except ValueError as error:
        raise BadRequest(f"This is no question: {error}.", "See `ebbtide exam add --help`.") from error
    if any(other.id == asked.id for other in taken):
        raise BadRequest(f"The exam asks this already ({asked.id}).", "See `ebbtide exam list`.")
    return made, json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def appended(data: bytes, line: bytes) -> bytes:
    """The file with one more line; a last line without an end gets one."""
    return data + (b"" if not data or data.endswith(b"\n") else b"\n") + line


def marked(data: bytes, ident: str, day: str, *, undo: bool = False) -> bytes:
    """The file with a question marked as removed on `day`, or (`undo`) without the mark; every other byte as it was.

    Raises NotFound if there is no such question in that state.
    """
    paper = read_paper(data, FILE)
    found = [asked for asked in (paper.removed if undo else paper.asked) if asked.id == ident]
    if not found:
        state = "removed question" if undo else "question"
        raise NotFound(f"There is no {state} {ident!r} in the exam.", "See `ebbtide exam list`.")
    start = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    lines = data.removeprefix(start).split(b"\n")
    raw = lines[found[0].line - 1]
    if undo:
        lines[found[0].line - 1] = _MARK.sub(b"{", raw, count=1)
    else:
        lines[found[0].line - 1] = raw.replace(b"{", b'{"removed":"%s",' % day.encode(), 1)
    changed = start + b"\n".join(lines)
    after = read_paper(changed, FILE)
    if not any(asked.id == ident for asked in (after.asked if undo else after.removed)):
        raise BadRequest(f"The line of {ident!r} cannot be changed.", f"Edit line {found[0].line} of {FILE} by hand.")
    return changed
