"""Relations that prose states in so many words: "because [[A]] does not hold, we ...", "[[旧]] 已被 [[新]] 取代". Pure.

A sentence with one link relates it to its note; one that names both ends relates the two links. Quotations, code and
unchecked tasks are passed over, and prose_rules.py says what else states nothing. A label counts as said ("原因：[[A]]",
a list under "## Why"), and in a table the head of a column, whose subject is the link in the row's first cell. The
evidence is the link's snippet: its sentence.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ebbtide.memory.records import Note, Unit
from ebbtide.parse import prose_words as words
from ebbtide.parse.prose_rules import ANY_LINK, BREAK, OPENING, TYPES, Found, Sentence, clause_start, find, meaning_of
from ebbtide.parse.prose_words import FIRST, MOST, Verb
from ebbtide.parse.relations import RELATIONS
from ebbtide.parse.text import fold

_BODY: Final = frozenset(("wikilink", "embed", "markdown"))
_SILENT: Final = frozenset(("quote", "code", "math", "html"))
PROSE_RULES: Final = "3"
"""Raised when the rules change, so that the edges of notes that did not change are read again."""
DOUBTED: Final = 0.2
"""Confidence of a mention that is quoted, denied or supposed: its sentence connects nothing."""
_LISTED: Final = 0.7
_MAX_ROW: Final = 2000

_QUOTE = re.compile(r"“[^”]{1,200}”|\"[^\"]{1,200}\"|「[^」]{1,200}」|『[^』]{1,200}』|`[^`]{1,200}`|~~[^~]{1,200}~~")
_DAY = re.compile(r"\d{4}-\d{2}(?:-\d{2})?$")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_HEAD = re.compile(r"[\s*_#:：?？。]+$|^[\s*_#\d.、]+")


@dataclass(frozen=True, slots=True)
class Stated:
    """One stated relation. `link` and `other` are indices of the note's links; `other` None: the note itself.

    The edge runs from `other` to `link`, or the other way round if `inverse`. `relation` is the words as written.
    """

    link: int
    other: int | None
    type: str
    inverse: bool
    relation: str
    confidence: float


def stated_relations(note: Note, table: Mapping[str, tuple[str, bool]] = RELATIONS) -> list[Stated]:
    """The relations that this note's prose states, by place; each pair of ends once, with the surest wording."""
    if not any(link.kind in _BODY for link in note.links):
        return []
    own = table is not RELATIONS
    verbs = (*words.VERBS, *_own_verbs(_extra(table))) if own else words.VERBS
    found: dict[tuple[int, int | None], Stated] = {}
    starts = [unit.start for unit in note.units]
    done = -1
    for index, link in enumerate(note.links):
        if index <= done or link.kind not in _BODY or link.relation is not None:
            continue
        unit = _unit(note.units, starts, link.offset)
        labels = _labels(unit, table)
        if not labels and not own and not _hopeful(unit, fold(link.snippet)):
            continue
        if unit is not None and (unit.foreign or unit.kind in _SILENT or unit.checked is False):
            continue
        sentence = _sentence(note, index, unit)
        if sentence is None:
            continue
        done = sentence.last
        for item in _read(sentence, unit, verbs, labels, table):
            key = (item.link, item.other)
            if key not in found or found[key].confidence < item.confidence:
                found[key] = item
    return sorted(found.values(), key=lambda item: (item.link, item.other if item.other is not None else -1))


def doubted_links(note: Note) -> frozenset[int]:
    """Indices of the links of the body that their sentence only quotes, denies or supposes."""
    starts = [unit.start for unit in note.units]
    found = set()
    for index, link in enumerate(note.links):
        if link.kind not in _BODY or link.relation is not None:
            continue
        unit = _unit(note.units, starts, link.offset)
        quoted = unit is not None and (unit.foreign or unit.kind == "quote")
        if quoted or _doubted(fold(link.snippet), fold(link.raw)):
            found.add(index)
    return frozenset(found)


def _doubted(sentence: str, link: str) -> bool:
    """Whether a folded sentence quotes, denies or supposes the first place of a link in it."""
    at = sentence.find(link)
    end = at + len(link)
    if at < 0 or len(sentence.strip()) <= len(link):
        return False
    for quoted in _QUOTE.finditer(sentence):
        if quoted.start() < at and end < quoted.end() and quoted.group()[1:-1].strip("~ ") != link:
            return True
    masked = f"{sentence[:at]}{chr(FIRST)}{sentence[end:]}"
    start = clause_start(masked, at)
    stop = BREAK.search(masked, at)
    clause, left = masked[start : stop.start() if stop else None], masked[start:at]
    unsure = words.CONDITIONAL.search(left) is not None or words.SUPPOSED.search(clause) is not None
    denied = words.DISOWNED.search(left) is not None or words.DISOWNED_BEHIND.match(masked, at + 1) is not None
    return unsure or denied


def _hopeful(unit: Unit | None, folded: str) -> bool:
    """Whether a sentence is worth a look: most are not, and cost no more than this."""
    if words.CUE.search(folded) is not None or words.LABEL_CUE.match(folded) is not None:
        return True
    return unit is not None and unit.kind == "table_row" and any(meaning_of(head, RELATIONS) for head in unit.header)


def _unit(units: Sequence[Unit], starts: Sequence[int], offset: int) -> Unit | None:
    at = bisect_right(starts, offset) - 1
    return units[at] if at >= 0 and offset < units[at].end else None


def _sentence(note: Note, index: int, unit: Unit | None) -> Sentence | None:
    """The sentence of a link, or None if its snippet was cut within a link or holds too many."""
    link = note.links[index]
    text, snippet = note.text, link.snippet
    begin = text.find(snippet, max(0, link.offset - len(snippet)), link.offset + len(snippet))
    end = begin + len(snippet)
    if unit is not None and unit.kind == "table_row" and unit.end - unit.start <= _MAX_ROW:
        begin, end = unit.start, unit.end
    if begin < 0 or begin > link.offset or link.offset + len(link.raw) > end:
        return None
    inside = []
    for at in range(index, len(note.links)):
        other = note.links[at]
        if other.offset >= end:
            break
        if other.offset + len(other.raw) <= end and other.relation is None and other.kind in _BODY:
            inside.append(at)
    if len(inside) > MOST:
        return None
    pieces, done = [], begin
    for number, at in enumerate(inside):
        other = note.links[at]
        if other.offset < done:
            return None
        pieces.append(_PRIVATE.sub(" ", text[done : other.offset]))
        pieces.append("日" if _DAY.match(other.path) else chr(FIRST + number))
        done = other.offset + len(other.raw)
    pieces.append(_PRIVATE.sub(" ", text[done:end]))
    written = _quiet("".join(pieces))
    folded = fold(written)
    if len(folded) != len(written):
        written = unicodedata.normalize("NFC", written)
    opens = unit is not None and not text[unit.start : begin].strip(" \t>-*+#[]0123456789.)|")
    bound = (unit is not None and unit.parent is not None) or text[:begin].rstrip(" \t")[-1:] in tuple(";；:：,，")
    raws = [fold(note.links[at].alias or note.links[at].path) for at in inside]
    return Sentence(written, folded, inside, inside[-1], _names(note), raws, opens, bound)


def _quiet(text: str) -> str:
    """Quoted speech, code and struck-out text made silent, marks of emphasis made spaces; same length."""

    def silence(match: re.Match[str]) -> str:
        inner = match.group()[1:-1]
        if len(inner.strip()) == 1 and ANY_LINK.search(inner):
            return f" {inner} "
        return ("某" if not inner.isascii() else "x") * len(match.group())

    return _QUOTE.sub(silence, text).replace("*", " ").replace("==", "  ")


@lru_cache(maxsize=64)
def _names_of(title: str, aliases: tuple[str, ...], name: str) -> tuple[str, ...]:
    whole = [fold(item) for item in (title, name, *aliases)]
    parts = [part for item in whole for part in re.split(r"[\W_]+", item)]
    return tuple(
        {item for item in (*whole, *parts) if len(item) >= (4 if item.isascii() else 2) and not item.isdigit()}
    )


def _names(note: Note) -> tuple[str, ...]:
    return _names_of(note.title, note.aliases, note.path.rpartition("/")[2].removesuffix(".md"))


def _labels(unit: Unit | None, table: Mapping[str, tuple[str, bool]]) -> list[tuple[str, str, bool]]:
    """(word, type, inverse) of the head above a table cell, the line above a list, or the heading above."""
    if unit is None or unit.kind not in ("list_item", "paragraph", "callout"):
        return []
    spoken = unit.lead or (unit.headings[-1] if unit.headings else "")
    meaning = _spoken(spoken) if table is RELATIONS else meaning_of(_HEAD.sub("", spoken), table)
    return [(_HEAD.sub("", spoken), *meaning)] if meaning is not None else []


@lru_cache(maxsize=1024)
def _spoken(text: str) -> tuple[str, bool] | None:
    return meaning_of(_HEAD.sub("", text), RELATIONS)


def _extra(table: Mapping[str, tuple[str, bool]]) -> tuple[tuple[str, str, bool], ...]:
    """The words of the table that are a person's own."""
    return tuple((word, *mean) for word, mean in table.items() if mean[0] in TYPES and RELATIONS.get(word) != mean)


@lru_cache(maxsize=8)
def _own_verbs(extra: tuple[tuple[str, str, bool], ...]) -> tuple[Verb, ...]:
    """A person's own relation words as verbs."""
    verbs = []
    for word, kind, inverse in extra:
        pattern = re.escape(fold(word).replace("_", " "))
        make = words.english if word.isascii() else words.chinese
        verbs.append(make(kind, pattern, inverse=inverse, free=kind == "causes", sure=0.75))
    return tuple(verbs)


def _read(
    sentence: Sentence, unit: Unit | None, verbs: Sequence[Verb], labels: Sequence[tuple[str, str, bool]],
    table: Mapping[str, tuple[str, bool]],
) -> Iterator[Stated]:  # fmt: skip
    """What one sentence states; of a table's row, each cell by itself."""
    if unit is not None and unit.kind == "table_row":
        yield from _read_row(sentence, unit, verbs, table)
        return
    opening = OPENING.match(sentence.folded) if labels and sentence.opens else None
    if opening is not None:
        for word, kind, inverse in labels:
            yield from _stated(sentence, Found(opening.group(1), "", kind, inverse, (0, 0), _LISTED), word)
    for found in find(sentence, verbs, table):
        yield from _stated(sentence, found)


def _read_row(
    sentence: Sentence, unit: Unit, verbs: Sequence[Verb], table: Mapping[str, tuple[str, bool]]
) -> Iterator[Stated]:  # fmt: skip
    """A row tells of what its first cell names: of that link, or, if it is none, only what happened to the note."""
    bars = [-1, *(match.start() for match in re.finditer(r"\|", sentence.folded)), len(sentence.folded)]
    spans = [(one + 1, two) for one, two in pairwise(bars) if two > one + 1 or one >= 0]
    if spans and not sentence.folded[slice(*spans[0])].strip():
        del spans[0]
    first = sentence.folded[slice(*spans[0])].strip(" *_") if spans else ""
    subject = first if len(first) == 1 and ANY_LINK.match(first) else ""
    for number, (start, end) in enumerate(spans[1:], 1):
        cell = sentence._replace(written=sentence.written[start:end].strip(), folded=sentence.folded[start:end].strip())
        head = meaning_of(_HEAD.sub("", unit.header[number]), table) if number < len(unit.header) else None
        opening = OPENING.match(cell.folded)
        if head is not None and subject and opening is not None:
            yield from _stated(cell, Found(opening.group(1), subject, *head, (0, 0), _LISTED), unit.header[number])
        for found in find(cell, verbs, table):
            if found.objects and found.subjects:
                yield from _stated(cell, found)
            elif found.objects and (subject or found.type == "causes"):
                yield from _stated(cell, found._replace(subjects=subject))
            elif found.subjects and (subject or found.type == "causes"):
                yield from _stated(cell, found._replace(objects=subject))


def _stated(sentence: Sentence, found: Found, word: str | None = None) -> Iterator[Stated]:
    """A relation for each pair of its ends; `word` if it is not what stands at its span."""
    relation = word or ANY_LINK.sub("…", sentence.written[slice(*found.span)]).strip()
    for one in ANY_LINK.findall(found.objects) or [""]:
        for two in ANY_LINK.findall(found.subjects) or [""]:
            source, target = (one, two) if found.inverse else (two, one)
            link, other = (target, source) if target else (source, target)
            if link == other:
                continue
            yield Stated(
                sentence.links[ord(link) - FIRST], sentence.links[ord(other) - FIRST] if other else None,
                found.type, not target, relation, found.confidence,
            )  # fmt: skip
