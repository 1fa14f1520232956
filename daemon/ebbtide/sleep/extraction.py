"""Whether to believe what Claude read from a note: every claim is held against the note, or refused with a reason. Pure.

A model may be wrong, and a note may have talked it into something. So nothing is taken over that the note does not say
itself: the quote must stand there character for character, the fact must be made of its words and numbers, types and
dates must be real, and what addresses a model is no fact. Any JSON may come in; nothing is raised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, cast, get_args

from ebbtide.memory.records import FactDraft, Note
from ebbtide.memory.states import FACT_TYPES, Frame, Precision, Scope
from ebbtide.parse.dates import parse_date
from ebbtide.parse.episodes import Result
from ebbtide.parse.fact_cues import BINDING, IMPORTANCE
from ebbtide.parse.fact_text import MAX_FACT
from ebbtide.parse.fact_trigger import trigger_of
from ebbtide.parse.text import count_cjk, fold, language
from ebbtide.sleep.ground import (
    ADDRESSED,
    MOST_NEW,
    SAID_IN_NOTE,
    Ground,
    bad_text,
    days_of,
    denial,
    find,
    ground_of,
    news,
    numbers_of,
    paragraph,
    safe,
    said_in,
    share,
    strange,
    undated,
    words_of,
)
from ebbtide.sleep.prompt import MAX_FACTS

MAX_QUOTE: Final = 600
MIN_QUOTE: Final = 4
MAX_FIELD: Final = 200
MAX_ACTION: Final = 400
SAID_IN_QUOTE: Final = 0.3
STATED_IN_QUOTE: Final = 0.5
"""Share of a fact's words that its quote holds where it is stated; under it, it was concluded from more of the note."""
CONFIDENCE: Final = 0.85
_GROUNDED: Final = {"subject": 0.5, "value": 0.5, "action": SAID_IN_NOTE, "trigger": 0.2}
"""Shares of the words of these fields that the note must hold; the attribute is often a word of the reader's own."""

_DAY: Final = re.compile(r"([12]\d{3})(?:-(\d\d)(?:-(\d\d))?)?")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fact that was not taken over: its text and quote as given (cut short), and the reason for a person."""

    fact: str
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a note tells of an attempt. `result` is None where the note does not say it: it is asked for, never invented."""

    trigger: str | None = None
    result: Result | None = None
    quote: str | None = None
    line: int | None = None
    artifact: str | None = None
    lesson: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What is left of an answer. `malformed` says what the answer is instead of one; then the rest is empty.

    `concluded` are the drafts that say more than the words they quote.
    """

    drafts: tuple[FactDraft, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    episode: Told | None = None
    malformed: str = ""
    concluded: frozenset[FactDraft] = frozenset()


def check(note: Note, answer: object, *, project: str | None = None) -> Reading:
    """Hold an answer against its note. `project`: the one the note belongs to."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("facts"), list):
        return Reading(malformed="the answer is not an object with a list of facts")
    ground = ground_of(note, project)
    drafts: list[FactDraft] = []
    refusals: list[Refusal] = []
    for raw in answer["facts"]:
        fact, quote = (_text(raw, name) for name in ("fact", "quote"))
        if len(drafts) >= MAX_FACTS:
            made: FactDraft | str = f"a note gives at most {MAX_FACTS} facts"
        elif not isinstance(raw, Mapping):
            made = "it is not an object"
        else:
            made = _draft(raw, fact, quote, ground)
        if isinstance(made, FactDraft) and any(_same(made, other) for other in drafts):
            made = "it is said twice"
        if isinstance(made, FactDraft):
            drafts.append(made)
        else:
            refusals.append(Refusal(safe(fact)[:MAX_FACT], safe(quote)[:MAX_QUOTE], made))
    concluded = frozenset(draft for draft in drafts if not _stated(draft, ground))
    return Reading(tuple(drafts), tuple(refusals), _episode(answer.get("episode"), ground), concluded=concluded)


def _stated(draft: FactDraft, ground: Ground) -> bool:
    """Whether a fact says what its quote (and the ground it gives, verbatim too) says: half of its words beside what it is
    about, and no number from outside of its paragraph."""
    quoted = f"{draft.quote}\n{draft.why or ''}"
    said = undated(draft.fact, days_of(quoted, ground))
    near = paragraph(ground.note.text, draft.start, draft.end)
    known = numbers_of("\n".join((ground.note.title, draft.heading or "", quoted, near)))
    told = words_of(said) - ground.names
    return numbers_of(said) <= known and share(told, words_of(quoted), fold(quoted)) >= STATED_IN_QUOTE


def _draft(raw: Mapping[str, Any], fact: str, quote: str, ground: Ground) -> FactDraft | str:
    """The fact, or why it is refused."""
    note = ground.note
    if reason := _bad_quote(quote, ground) or bad_fact(fact, quote, ground):
        return reason
    kind, frame, scope = _text(raw, "type"), _text(raw, "frame") or "current", _text(raw, "scope") or "observation"
    if kind not in FACT_TYPES:
        return f"there is no type {kind[:40]!r}"
    if frame not in get_args(Frame) or scope not in get_args(Scope):
        return "its frame or scope is none of the known ones"
    fields = _fields(raw, ground)
    if isinstance(fields, str):
        return fields
    since, until = _day(_text(raw, "valid_from"), last=False), _day(_text(raw, "valid_to"), last=True)
    if since == "" or until == "" or (since and until and until < since):
        return "its dates are not valid"
    start, days = find(quote, ground), days_of(quote, ground)
    why = _text(raw, "why")
    created, precision = _dated(ground, start)
    trigger = fields["trigger"] or trigger_of(
        fact, kind, language(fact), subject=fields["subject"] or None, attribute=fields["attribute"] or None,
        value=fields["value"] or None, day=created, step=False,
    )  # fmt: skip
    binding = 2.0 if BINDING.search(fold(quote)) else 0.0
    return FactDraft(
        fact=fact,
        type=kind,
        start=start,
        end=start + len(quote),
        line=note.text.count("\n", 0, start) + 1,
        heading=next((h.text for h in reversed(note.headings) if h.offset <= start), None),
        quote=quote,
        created_at=created,
        precision=precision,
        subject=fields["subject"] or None,
        attribute=fields["attribute"] or None,
        value=fields["value"] or None,
        unit=fields["unit"] or None,
        valid_from=since if since in days else None,
        valid_to=until if until in days else None,
        confidence=CONFIDENCE,
        importance=min(10.0, IMPORTANCE[kind] + binding),
        scope=cast(Scope, "observation" if scope == "project" and ground.project is None else scope),
        project=ground.project if scope in ("project", "temporary") else None,
        frame=ground.frame or cast(Frame, frame),
        trigger=trigger,
        action=fields["action"] or None,
        why=why if why and find(why, ground) >= 0 and len(why) <= MAX_FACT and not bad_text(why, ground) else None,
        tags=tuple(
            dict.fromkeys(
                tag.name for tag in note.tags if tag.offset is None or start <= tag.offset < start + len(quote)
            )
        )[:8],
    )


def _fields(raw: Mapping[str, Any], ground: Ground) -> dict[str, str] | str:
    """The small fields, "" where there is none, or why the fact is refused for one of them."""
    fields = {name: _text(raw, name) for name in ("subject", "attribute", "value", "unit", "trigger", "action")}
    for name, value in fields.items():
        if reason := bad_text(value, ground):
            return f"its {name} {reason}"
        if len(value) > (MAX_ACTION if name == "action" else MAX_FIELD) or strange(value, ground):
            fields[name] = ""
    if odd := numbers_of(fields["value"]) - ground.numbers:
        return f"its value says {min(odd)}, which the note does not"
    for name, least in _GROUNDED.items():  # an agent will act on these: what the note does not say is left out
        if fields[name] != "user" and not said_in(fields[name], ground, least):
            fields[name] = ""
    return fields


def _bad_quote(quote: str, ground: Ground) -> str:
    if not MIN_QUOTE <= len(quote) <= MAX_QUOTE:
        return f"its quote is not {MIN_QUOTE} to {MAX_QUOTE} characters long"
    start = find(quote, ground)
    if start < 0:
        return "its quote is not in the note"
    if any(a <= start < b for a, b in ground.hidden):
        return "its quote stands in a hidden comment"
    if ADDRESSED.search(paragraph(ground.note.text, start, start + len(quote))):
        return "its quote stands in words that give orders to a model"
    return ""


def bad_fact(fact: str, quote: str, ground: Ground) -> str:
    """Why a sentence may not be taken over as what its quote and its note say, or ""."""
    if not fact:
        return "it says nothing"
    if len(fact) > MAX_FACT:
        return f"its text is longer than {MAX_FACT} characters"
    if why := bad_text(fact, ground) or ("holds markup" if strange(fact, ground) else ""):
        return f"its text {why}"
    if ADDRESSED.search(fact):
        return "it gives orders to a model"
    spoken = (language(quote), language(ground.note.text[ground.note.body :]))
    if bool(count_cjk(fact)) != bool(count_cjk(quote)) and language(fact) not in spoken:
        return "it is not in the language of the note"
    if odd := numbers_of(undated(fact, days_of(quote, ground))) - ground.numbers:
        return f"it says {min(odd)}, which the note does not"
    words = words_of(fact)
    if not words and not numbers_of(fact):
        return "it says nothing"
    told = words - ground.names  # what it is about may stand in front of what is said of it
    in_note, in_quote = share(words, ground.words, ground.folded), share(told, words_of(quote), fold(quote))
    if in_note < SAID_IN_NOTE or in_quote < SAID_IN_QUOTE or news(fact, ground) > MOST_NEW:
        return "it says other things than its quote and its note"
    return denial(fact, quote)


def _episode(raw: object, ground: Ground) -> Told | None:
    """What is said of an attempt; nothing that the note does not say. None where it tells of none."""
    if not isinstance(raw, Mapping):
        return None

    def said(name: str) -> str | None:
        text = _text(raw, name)
        fine = (
            len(text) <= MAX_FIELD
            and not (bad_text(text, ground) or strange(text, ground))
            and said_in(text, ground, SAID_IN_NOTE)
        )
        return text if fine and numbers_of(text) <= ground.numbers else None

    quote, result = _text(raw, "result_quote"), _text(raw, "result")
    proven = result in get_args(Result) and not _bad_quote(quote, ground)
    made = Told(
        said("trigger"),
        cast(Result, result) if proven else None,
        quote if proven else None,
        ground.note.text.count("\n", 0, find(quote, ground)) + 1 if proven else None,
        said("artifact"),
        said("lesson"),
    )
    return made if made != Told() else None


def _text(raw: object, name: str) -> str:
    """A text of an answer, "" if there is none."""
    value = raw.get(name) if isinstance(raw, Mapping) else None
    return value.strip() if isinstance(value, str) else ""


def _same(one: FactDraft, other: FactDraft) -> bool:
    return fold(one.fact) == fold(other.fact) or (
        one.quote == other.quote and words_of(one.fact) == words_of(other.fact)
    )


def _day(text: str, *, last: bool) -> str | None:
    """The first or last ISO day of a year, month or day; None for an empty text, "" for one that is no date."""
    if not text:
        return None
    match = _DAY.fullmatch(text)
    if match is None:
        return ""
    year, month, day = int(match[1]), int(match[2] or (12 if last else 1)), match[3]
    try:
        if day or not last:
            return date(year, month, int(day or 1)).isoformat()
        return date.fromordinal(date(year + month // 12, month % 12 + 1, 1).toordinal() - 1).isoformat()
    except ValueError:
        return ""


def _dated(ground: Ground, start: int) -> tuple[str | None, Precision | None]:
    """When the claim was made: the note's date, else that of a heading above it."""
    if ground.given:
        return ground.given
    for heading in (h for h in reversed(ground.note.headings) if h.offset <= start):
        if found := parse_date(heading.text):
            return found
    return None, None
