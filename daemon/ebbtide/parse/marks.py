"""Candidates: every place in a body that could be a link or a tag, with exact offsets. Pure.

One pass over the text, linear in its length. What is code, math or HTML is not decided here but by mistune in note.py,
which sees the body with each candidate replaced by a marker (design/obsidian.md 13). Escapes are decided here.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import unquote

MAX_DESTINATION: Final = 4_096
"""Characters of a Markdown link's destination and title that are looked at."""

_TAG_CHARS: Final = r"[^\s\u2000-\u206f\u2e00-\u2e7f!-,.:-@\[-^`{-~]"
"""Tag alphabet: no white space, no ASCII punctuation but `_ - /`, no general punctuation (obsidian.md 8)."""
_TRIGGER = re.compile(r"[\\\[\]#]")
_ANYTHING = re.compile(rf"\[\[|\]\(|#(?<!\S#){_TAG_CHARS}")
_WIKI = re.compile(r"\[\[(?!\[)([^\[\]\n]*(?:(?:\[(?!\[)|\](?!\]))[^\[\]\n]*)*)\]\]")
_TAGS = re.compile(rf"(?<!\S)(?:#{_TAG_CHARS}+)+")
# A Markdown link may run over lines, not over blocks: a blank line or the first mark of a block ends it.
_BLOCK = re.compile(r"\n(?=[ \t]*(?:[-+*#>|]|\d{1,9}[.)]|\r?\n))")
_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_DESTINATION = re.compile(
    r"\([ \t]*(?:<(?P<angle>(?:\\.|[^<>\n\\])*+)>"
    r"|(?P<bare>(?:\\[!-/:-@\[-`{-~]|[^\s()<\\]|\\|(?<!\()<|\((?:[^\s()]|\((?:[^\s()]|\([^\s()]*+\))*+\))*+\))*+))"
    r"(?:[ \t]*\n?[ \t]+(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\)))?[ \t]*\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FULL_TAG = re.compile(rf"{_TAG_CHARS}+")


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a link as written: path, subpath split into heading or block, alias."""

    path: str
    heading: str | None
    block: str | None
    alias: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible link, text[start:end]; `shape` says how it is written. `marks` are indices of its replaced spans."""

    start: int
    end: int
    shape: Literal["wiki", "markdown"]
    embed: bool
    target: Target
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TagCandidate:
    """Tags written without a gap (`#a#b`): (name, offset of its `#`), and the index of the replaced span."""

    tags: tuple[tuple[str, int], ...]
    mark: int


@dataclass(slots=True)
class Candidates:
    """All candidates of a body. `spans` are the source ranges that a marker stands for; not sorted."""

    links: list[Candidate] = field(default_factory=list)
    tags: list[TagCandidate] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


def parse_wikilink(inside: str) -> Target | None:
    """Split what stands between `[[` and `]]`; None if there is nothing. A bar written `\\|` (tables) is a bar."""
    inside = inside.replace("\\|", "|")
    if not inside.strip():
        return None
    link, bar, alias = inside.partition("|")
    if bar and not link.strip():
        # Obsidian keeps such a thing as an unresolved link whose text starts with the bar.
        return Target(inside.strip(), None, None, None)
    return _target(link, alias or None)


def parse_destination(destination: str, angle: bool, alias: str | None) -> Target | None:
    """Decode the destination of a Markdown link; None if it is empty or leads out of the vault."""
    link = _ESCAPED.sub(r"\1", destination) if "\\" in destination else destination
    if not link or _SCHEME.match(link):
        return None
    if "%" in link:
        with suppress(UnicodeDecodeError):
            link = unquote(link, errors="strict")
    return _target(link, alias) if link.strip() or angle else None


def parse_whole(text: str) -> Target | None:
    """The target of a property value that is a link as a whole, else None."""
    text = text.strip()
    if text.startswith("[[") and text.endswith("]]") and (match := _WIKI.fullmatch(text)):
        return parse_wikilink(match[1])
    if text.startswith("[") and text.endswith(")"):
        found = find_candidates(text, 0, len(text)).links
        if len(found) == 1 and found[0].start == 0 and found[0].end == len(text):
            return found[0].target
    return None


def clean_tag(name: str) -> str | None:
    """The tag without a `/` at its end, or None if it is no tag (digits only, other characters)."""
    name = name.rstrip("/")
    if not name or not _FULL_TAG.fullmatch(name) or all(char.isdecimal() for char in name):
        return None
    return name


def _target(link: str, alias: str | None) -> Target:
    path, _, sub = link.partition("#")
    sub = sub.strip()
    if sub.startswith("^"):
        return Target(path.strip(), None, sub[1:].strip() or None, alias)
    return Target(path.strip(), sub or None, None, alias)


class _Finder:
    """One pass. `opened` are offsets of open brackets (of the `!` before them); those under `barrier` hold a link."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._pos, self._end = text, start, end
        self._opened: list[int] = []
        self._barrier = 0
        # Failing destinations may look at the same characters again and again: a hostile line must not cost more
        # than a few times its length.
        self._budget = 8 * (end - start) + 65_536
        self.found = Candidates()

    def run(self) -> Candidates:
        text, end, search = self._text, self._end, _TRIGGER.search
        while match := search(text, self._pos, end):
            place = match.start()
            char = match[0]
            self._pos = place + 1
            if char == "\\":
                self._pos += place + 1 < end and text[place + 1] in _PUNCTUATION
            elif char == "]":
                self._close(place)
            elif char == "#":
                self._tags(place)
            elif wiki := _WIKI.match(text, place, end):
                self._wiki(wiki)
            else:
                self._opened.append(place - self._has_bang(place))
        self.found.links.sort(key=lambda link: link.start)
        return self.found

    def _has_bang(self, place: int) -> bool:
        """True if an unescaped `!` stands before this bracket."""
        text = self._text
        if place == 0 or text[place - 1] != "!":
            return False
        before = place - 2
        while before >= 0 and text[before] == "\\":
            before -= 1
        return (place - 2 - before) % 2 == 0

    def _span(self, start: int, end: int) -> int:
        self.found.spans.append((start, end))
        return len(self.found.spans) - 1

    def _wiki(self, match: re.Match[str]) -> None:
        self._pos = match.end()
        target = parse_wikilink(match[1])
        if target is None:
            return
        embed = self._has_bang(match.start())
        start, end = match.start() - embed, match.end()
        if match[1].count("`") % 2:
            # A backtick swallowed by the marker would open or close code elsewhere: let mistune see the inside.
            marks: tuple[int, ...] = (self._span(start, match.start() + 2), self._span(end - 2, end))
        else:
            marks = (self._span(start, end),)
        self.found.links.append(Candidate(start, end, "wiki", embed, target, marks))

    def _close(self, place: int) -> None:
        text = self._text
        if not self._opened:
            return
        start = self._opened.pop()
        embed = text[start] == "!"
        length = 1 + embed
        dead = len(self._opened) < self._barrier
        self._barrier = min(self._barrier, len(self._opened))
        if self._budget <= 0 or not text.startswith("(", place + 1):
            return
        match = _DESTINATION.match(text, place + 1, min(self._end, place + MAX_DESTINATION))
        if match is None:
            self._budget -= self._looked_at(place + 1)
            return
        if (dead and not embed) or place - start > MAX_DESTINATION or _BLOCK.search(text, start, place):
            return
        if not embed:
            # A link holds no other link: the brackets still open around it cannot become one. Images may hold links.
            self._barrier = len(self._opened)
        self._pos = match.end()
        angle = match["angle"] is not None
        alias = text[start + length : place] or None
        target = parse_destination(match["angle"] if angle else match["bare"], angle, alias)
        if target is not None and (target.path or target.heading or target.block):
            marks = (self._span(start, start + length), self._span(place, match.end()))
            self.found.links.append(Candidate(start, match.end(), "markdown", embed, target, marks))

    def _looked_at(self, place: int) -> int:
        """How far a failed match can have read: to the end of the line, at most MAX_DESTINATION."""
        stop = self._text.find("\n", place, place + MAX_DESTINATION)
        return (stop if stop >= 0 else min(place + MAX_DESTINATION, self._end)) - place

    def _tags(self, place: int) -> None:
        match = _TAGS.match(self._text, place, self._end)
        if match is None:
            return
        self._pos = match.end()
        tags: list[tuple[str, int]] = []
        for part in match[0][1:].split("#"):
            name = clean_tag(part)
            if name is not None:
                tags.append((name, place))
            place += len(part) + 1
        if tags:
            self.found.tags.append(TagCandidate(tuple(tags), self._span(*match.span())))


def find_candidates(text: str, start: int, end: int) -> Candidates:
    """Candidates of text[start:end] in the order of the text (links sorted by start). Never raises."""
    if _ANYTHING.search(text, start, end) is None:
        return Candidates()
    return _Finder(text, start, end).run()
