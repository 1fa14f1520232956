"""Planted contradictions: facts of the vault itself with one thing changed, and the same facts said again in other words. Pure.

A plant takes a sentence that a note really states and changes its number, date, chosen thing, name, or whether it is denied;
beside it the sentence is repeated with its numbers and days spelled otherwise, which contradicts nothing. Which facts are
taken, and how they are changed, follows from the facts alone: the same vault gives the same plants.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, get_args

from ebbtide.memory.states import Lang
from ebbtide.parse.text import fold, language

Change = Literal["number", "date", "choice", "entity", "negation"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)

PLANTS: Final = 20
"""Contradictions that are planted; formats.md and mission G1 ask for ten at least."""
SHORTEST, LONGEST = 12, 240
"""Characters of a sentence that is changed (half as many at least in Chinese)."""

_NUMBER = re.compile(r"(?<![\w.,:/#^-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\d:/.,-]*\d)(?!\s*[年月日号])")
_ISO = re.compile(r"(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])")
_DAY_ZH = re.compile(r"(?<!\d)(?P<m>\d{1,2})(?P<rest>\s*月\s*\d{1,2}\s*[日号])")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAY_EN = re.compile(rf"\b(?P<m>{'|'.join(_MONTHS)})(?= \d)|(?<=\d )(?P<n>{'|'.join(_MONTHS)})\b")
_YEAR = range(1900, 2101)
_CHOICE: Final[Mapping[Lang, re.Pattern[str]]] = {
    "en": re.compile(
        r"\b(?:use|uses|used|chose|choose|picked|moved to|switched to|settled on|prefers?)\s+(?P<x>[A-Z][\w.+#-]*\w)"
    ),
    "zh": re.compile(r"(?:选择了?|选了|改用|采用|换成了?|使用|只用|用)\s*[《“]?(?P<x>[A-Za-z][\w.+#-]*\w)"),
}
_NOT_EN = re.compile(r"\b(?:is|are|was|were|can|will|should|must|may|has been|have been)\b(?! not| no\b|n't)", re.I)
_DENIED_EN = re.compile(r"\b(?:is|are|was|were|can|will|should|must|may|do|does|did)(?P<no> not)\b", re.I)
_NOT_ZH = re.compile(r"(?<![不没别就还也都但于只可若要凡正])(?:需要|可以|应该|必须|能够|允许|支持|喜欢|愿意|同意|包括)")
_DENIED_ZH = re.compile(r"(?P<no>不)(?:需要|可以|应该|能够|允许|支持|喜欢|愿意|同意|包括|要|用|会|能)")
_TRIM = " \t,，.。;；:：!！?？-–—"
_SAID: Final[Mapping[Lang, str]] = {"en": "Once more: {}", "zh": "再记一次：{}"}
_ASKED: Final[Mapping[Lang, str]] = {"en": "What holds now: {}?", "zh": "现在的说法是怎样的：{}？"}


@dataclass(frozen=True, slots=True)
class Source:
    """A fact as planting takes it: where it stands, its sentence as plain text, what heads it, its language and day (or None)."""

    id: str
    note: str
    line: int
    title: str
    heading: str | None
    text: str
    lang: Lang
    day: str | None = None


@dataclass(frozen=True, slots=True)
class Plant:
    """A contradiction to plant. `said` takes the place of `source.text`; `again` says the same as `source.text`.

    `question` asks for what the two differ in, by the words they share. `before` and `after` are what was changed.
    """

    source: Source
    kind: Change
    said: str
    again: str
    question: str
    before: str
    after: str

    @property
    def id(self) -> str:
        """The same for the same fact and change."""
        return f"{self.kind}-{self.source.id}"


@dataclass(frozen=True, slots=True)
class Words:
    """What a vault offers to put in the place of another: chosen things by language, titles of notes by folder."""

    chosen: Mapping[Lang, tuple[str, ...]]
    titles: Mapping[str, tuple[str, ...]]
    folder_of: Mapping[str, str]
    """Title -> its folder."""


def words_of(sources: Sequence[Source], notes: Mapping[str, str]) -> Words:
    """Collect them. `notes`: path -> title of every note."""
    chosen: dict[Lang, set[str]] = {"en": set(), "zh": set()}
    for source in sources:
        found = _CHOICE[source.lang].search(source.text)
        if found:
            chosen[source.lang].add(found["x"])
    titles: defaultdict[str, set[str]] = defaultdict(set)
    for path, title in notes.items():
        if 2 <= len(title) <= 30 and not any(char.isdigit() for char in title):
            titles[path.rpartition("/")[0]].add(title)
    rows = {folder: tuple(sorted(names)) for folder, names in titles.items() if len(names) > 1}
    folder_of = {name: folder for folder in sorted(rows) for name in rows[folder]}
    return Words({lang: tuple(sorted(names)) for lang, names in chosen.items()}, rows, folder_of)


def front(text: str) -> int:
    """The line that ends the properties of a note; 0 without any."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)


def plants(sources: Sequence[Source], words: Words, most: int = PLANTS) -> list[Plant]:
    """At most `most` plants, one a note, kinds and languages in turn, of dated facts first; fewer where the vault offers no more."""
    waiting: dict[tuple[Change, Lang], list[Source]] = {}
    ordered = sorted(filter(_fits, sources), key=lambda s: (s.day is None, _shuffled(s.id), s.id))
    for kind in CHANGES:
        for lang in ("en", "zh"):
            waiting[kind, lang] = [source for source in ordered if source.lang == lang]
    out: list[Plant] = []
    taken: set[str] = set()
    while len(out) < most and any(waiting.values()):
        for (kind, _), rest in waiting.items():
            while rest and len(out) < most:
                source = rest.pop(0)
                made = None if source.note in taken else plant(source, kind, words)
                if made is not None:
                    out.append(made)
                    taken.add(source.note)
                    break
    return out


def plant(source: Source, kind: Change, words: Words) -> Plant | None:
    """The fact with that kind of change; None if it has nothing of the kind to change."""
    changed = next(_EDITS[kind](source, words), None)
    if changed is None:
        return None
    start, end, after = changed
    text = source.text
    said = text[:start] + after + text[end:]
    if fold(said) == fold(text):
        return None
    kept = " ".join(part for part in (text[:start].strip(_TRIM), text[end:].strip(_TRIM)) if part)
    about = f"{source.title} {kept}" if source.title and source.title not in kept else kept
    question = _ASKED[source.lang].format(about)
    return Plant(source, kind, said, again(text, source.lang), question, text[start:end], after)


def again(text: str, lang: Lang) -> str:
    """The same said again: days and thousands spelled otherwise."""

    def day(found: re.Match[str]) -> str:
        try:
            when = date.fromisoformat(found[0])
        except ValueError:
            return found[0]
        if lang == "zh":
            return f"{when.year}年{when.month}月{when.day}日"
        return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"

    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", _ISO.sub(day, text))
    return _SAID[lang].format(text)


def _fits(source: Source) -> bool:
    least = SHORTEST if source.lang == "en" else SHORTEST // 2
    return least <= len(source.text) <= LONGEST and "\n" not in source.text and "|" not in source.text


def _shuffled(ident: str) -> str:
    """An order that has nothing to do with what a fact says or where."""
    return hashlib.blake2b(ident.encode(), digest_size=8).hexdigest()


# --- one thing changed: (start, end, what stands there then) -----------------------------------------------------------

Edits = Iterator[tuple[int, int, str]]


def _numbers(source: Source, _words: Words) -> Edits:
    days = [found.span() for found in (*_ISO.finditer(source.text), *_DAY_ZH.finditer(source.text))]
    for found in _NUMBER.finditer(source.text):
        if any(start <= found.start() < end for start, end in days):
            continue
        digits = found[0].replace(",", "")
        value = float(digits)
        if value in _YEAR and "." not in digits and "," not in found[0]:
            continue
        after = source.text[found.end() : found.end() + 2].strip()
        other = value / 2 if after.startswith(("%", "％")) and value > 1 else value + max(1.0, value // 2)
        places = len(digits.partition(".")[2])
        yield *found.span(), f"{other:,.{places}f}" if "," in found[0] else f"{other:.{places}f}"


def _dates(source: Source, _words: Words) -> Edits:
    for found in _ISO.finditer(source.text):
        if found.start() == 0:
            continue  # the day of an entry, not what it says
        try:
            yield *found.span(), (date.fromisoformat(found[0]) + timedelta(days=40)).isoformat()
        except (ValueError, OverflowError):
            continue
    for found in _DAY_ZH.finditer(source.text):
        yield *found.span(), f"{int(found['m']) % 12 + 1}{found['rest']}"
    for found in _DAY_EN.finditer(source.text):
        yield *found.span(), _MONTHS[(_MONTHS.index(found[0]) + 2) % 12]


def _choices(source: Source, words: Words) -> Edits:
    for found in _CHOICE[source.lang].finditer(source.text):
        other = _next(words.chosen[source.lang], found["x"], source.text)
        if other is not None:
            yield *found.span("x"), other


def _entities(source: Source, words: Words) -> Edits:
    for name in sorted(words.folder_of, key=lambda n: (-len(n), n)):
        start = source.text.find(name)
        if start < 0 or name == source.title or not _whole(source.text, start, start + len(name)):
            continue
        alike = [other for other in words.titles[words.folder_of[name]] if language(other) == language(name)]
        other = _next(alike, name, source.text)
        if other is not None and other != source.title:
            yield start, start + len(name), other


def _denials(source: Source, _words: Words) -> Edits:
    denied, plain = (_DENIED_EN, _NOT_EN) if source.lang == "en" else (_DENIED_ZH, _NOT_ZH)
    for found in denied.finditer(source.text):
        yield *found.span("no"), ""
    for found in plain.finditer(source.text):
        place = found.end() if source.lang == "en" else found.start()
        yield place, place, " not" if source.lang == "en" else "不"


_EDITS: Final[Mapping[Change, Callable[[Source, Words], Edits]]] = {
    "number": _numbers,
    "date": _dates,
    "choice": _choices,
    "entity": _entities,
    "negation": _denials,
}


def _next(names: Sequence[str], name: str, text: str) -> str | None:
    """The next of the names, in a ring, that the text does not hold."""
    if name not in names:
        return None
    place = list(names).index(name)
    return next((other for other in (*names[place + 1 :], *names[:place]) if other not in text), None)


def _whole(text: str, start: int, end: int) -> bool:
    """True if the name is not a part of a longer Latin word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (text[start].isascii() and before.isascii() and before.isalnum()) and not (
        text[end - 1].isascii() and after.isascii() and after.isalnum()
    )
