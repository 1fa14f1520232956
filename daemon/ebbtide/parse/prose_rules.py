"""The rules by which a sentence states a relation: where its words stand, what their two ends are, and what speaks against it. Pure.

A sentence arrives folded, its links as single private characters. Nothing is read from a question, a negation, a plan or
a hypothesis. `find` yields the ends as those characters; none on one side is the note itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ebbtide.parse import prose_words as words
from ebbtide.parse.prose_words import FIRST, LINK, LINKS, Verb
from ebbtide.parse.relations import normalise_relation
from ebbtide.parse.text import fold

TYPES: Final = frozenset(("causes", "depends_on", "supersedes", "supports", "contradicts", "part_of"))
ANY_LINK: Final = re.compile(LINK)
_LABELLED: Final = 0.85

BREAK: Final = re.compile(
    r"[,，。;；:：!！?？()（）|…]|\.(?=\s|$)| [-–—]+ |——|\b(?:but|and then|so that|which)\b|但是?|而是|不过|然后"
)
_SUBJECT = re.compile(rf"({LINKS})[\s*_]*(?:[^,，。;；:：()（）\ue000-\uf8ff]{{0,8}})$")
_ADVERBS = re.compile(
    r"[\s*_)]*(?:(?:已经?|也|就|才|都|还|曾|后来|最终|直接|完全|主要|其实|本质上?|可|会|则|均|是|正|一直|目前|现在"
    r"|常常|往往|间接|又|再|所)*"
    r"|(?:用|通过|经由?|在|从)[^,，]{1,12}|(?: ?\b(?:is|are|was|were|has|have|had|been|being|also|later|then|now"
    r"|still|only|eventually|since|directly|both|[a-z]+ly)\b)*)\s*$"
)
OPENING = re.compile(rf"^[\s*_]*({LINKS})(?!\s*(?:的|'s))")
_LABEL = re.compile(
    rf"^[\s*_]*(?P<v>[^\s:：*_\ue000-\uf8ff][^:：*_\ue000-\uf8ff]{{0,24}}?)[\s*_]*[:：][\s*_]*(?P<b>{LINKS})"
)
_PRONOUN = re.compile(r"\s*(?:it|he|she|we|they|i|who|which)\b")
_RELATIVE = re.compile(rf"({LINKS})\s*,?\s*(?:which|that|who)\s*$")
_AND = re.compile(r"^\s*(?:and|then|later)\b|^(?:并且?|且|又|而)")
_TOPIC = re.compile(rf"({LINKS})\s*[:：(（]\s*$")
_DEFINED = re.compile(rf"({LINKS})\s+(?:is|was|are|were)\s+(?:an?|the|one)\b[^,;.]{{1,60}}\b(?:that|who|which)\s*")
_GROUNDS: Final = (("v", "b"), ("w", "c"), ("x", "d"), ("y", "e"))
"""The groups of the patterns of grounds and outcomes: what is said, and of which link."""
_OWNED = re.compile(r"\s*(?:'s\b|的(?!(?:一|重要|核心)*(?:组成)?部分))")
_MODIFIES = re.compile(f"{_OWNED.pattern}|{words.HEADED_EN.pattern}")


class Found(NamedTuple):
    """A match in a masked sentence: the links that are the object, the links that are the subject (none: the note)."""

    objects: str
    subjects: str
    type: str
    inverse: bool
    span: tuple[int, int]
    confidence: float


class Sentence(NamedTuple):
    """The snippet of a link with every link of the body as one private character; `links` are their indices in the note."""

    written: str
    folded: str
    links: Sequence[int]
    last: int
    names: Sequence[str]
    raws: Sequence[str]
    opens: bool
    bound: bool


def find(sentence: Sentence, verbs: Sequence[Verb], table: Mapping[str, tuple[str, bool]]) -> Iterator[Found]:
    """Every relation that the sentence states, by each wording."""
    text = sentence.folded
    if words.QUESTION.search(text):
        return
    yield from _labelled(text, table)
    yield from _verbal(sentence, verbs)
    yield from _grounds(text)
    yield from _outcomes(text)
    yield from _changes(text)


def meaning_of(word: str, table: Mapping[str, tuple[str, bool]]) -> tuple[str, bool] | None:
    """Type of a label and whether it is inverse, if it is one of the six types."""
    meaning = table.get(normalise_relation(fold(word))) or table.get(normalise_relation(word))
    return meaning if meaning is not None and meaning[0] in TYPES else None


def _labelled(text: str, table: Mapping[str, tuple[str, bool]]) -> Iterator[Found]:
    """A relation word, a colon, links: "原因：[[A]]"."""
    match = _LABEL.match(text)
    meaning = meaning_of(match["v"], table) if match else None
    if match is not None and meaning is not None:
        yield Found(match["b"], "", meaning[0], meaning[1], match.span("v"), _LABELLED)


def clause_start(text: str, at: int) -> int:
    """Where the clause of `at` begins."""
    start = 0
    for stop in BREAK.finditer(text, 0, at):
        start = stop.end()
    return start


def _unsure(text: str, start: int, begin: int, end: int) -> bool:
    """Whether text[start:end], a clause with its relation from `begin`, is a plan, a hypothesis or hearsay."""
    return words.CONDITIONAL.search(text, 0, begin) is not None or words.HEDGED.search(text, start, end) is not None


def _verbal(sentence: Sentence, verbs: Sequence[Verb]) -> Iterator[Found]:
    """Subject, verb, object."""
    text = sentence.folded
    changes = [match.span() for match in words.CHANGE.finditer(text)]
    for verb in verbs:
        for match in verb.pattern.finditer(text):
            begin, end = match.span("v")
            if any(first <= begin < last for first, last in changes):
                continue
            start = clause_start(text, begin)
            left = text[start:begin]
            if words.DENIED_EN.search(left) or words.DENIED_ZH.search(left) or _unsure(text, start, begin, match.end()):
                continue
            if verb.type in ("supersedes", "supports", "depends_on") and words.ABLE.search(left[-12:]):
                continue
            found = _ends(sentence, verb, match, start)
            if found is not None:
                yield Found(*found, verb.type, verb.inverse, (begin, end), verb.confidence)


def _ends(sentence: Sentence, verb: Verb, match: re.Match[str], start: int) -> tuple[str, str] | None:
    """The object's links and the subject's links of a verb; no link on one side: the note."""
    text, objects = sentence.folded, match["b"] or ""
    begin, end = match.span("v")
    left = text[start:begin]
    if objects and match.end("b") == match.end() and _MODIFIES.match(text, match.end()):
        return None
    if objects and words.MAKES.match(match["v"]):
        return None  # 使得 [[A]] ...: what [[A]] was made to do, not [[A]]
    subjects = _subject(text, start, begin, verb.free)
    if re.search("[被由让]", left[-8:]) and objects:
        return None
    if verb.type == "supports" and re.search("支持|支撑|support", match["v"]) and not verb.inverse:
        names = " ".join(sentence.raws[ord(char) - FIRST] for char in ANY_LINK.findall(subjects))
        if not words.ACTOR.search(f"{left} {names}"):
            return None
    if objects:
        # 需要 and 包括 are said of everything: only a subject that is named will do.
        named = match["v"] == "需要" or (verb.inverse and words.HOLDS.match(match["v"]) is not None)
        if verb.type == "supports" and words.ACTOR.search(left) and not ANY_LINK.search(left):
            return objects, ""
        somebody = words.PERSON.search(left) is not None and verb.type not in ("supports", "contradicts")
        if subjects or verb.free or (not somebody and _own(sentence, start, left, named=named)):
            return objects, subjects
        return None
    if not subjects:
        return None
    itself = match.groupdict().get("self") or (words.OWN_RESULT if verb.free else words.OWN_OBJECT).match(text, end)
    following = BREAK.split(text[end : end + 40], maxsplit=1)[0]
    return ("", subjects) if itself or any(name in following for name in sentence.names) else None


def _subject(text: str, start: int, begin: int, free: bool) -> str:
    """The links that are the subject of the verb at `begin`, in its clause or as the topic of the one before."""
    left = text[start:begin]
    match = _SUBJECT.search(left)
    defined = _DEFINED.search(text, 0, begin)
    if defined is not None and defined.end() == begin:
        return defined.group(1)
    if match is not None and (words.GOVERNED.search(left[: match.start(1)]) or _PRONOUN.match(left)):
        return ""
    if match is not None:
        tail = left[match.end(1) :]
        short = free and re.fullmatch(r"\s*的[^,，]{1,6}", tail)
        if _ADVERBS.fullmatch(re.sub(r"^[\u4e00-\u9fff]{0,2}(?<!的)", "", tail)) or _ADVERBS.fullmatch(tail) or short:
            return match.group(1)
        return ""
    before = text[:start]
    if re.fullmatch(r"\s*(?:who|which)\s*", left) or (not left.strip() and re.match("being|having been", text[begin:])):
        named = ANY_LINK.findall(before)
        return named[0] if len(named) == 1 else ""
    relative = _RELATIVE.search(before)
    if relative is not None and _ADVERBS.fullmatch(left):
        return relative.group(1)
    if not start or not _ADVERBS.fullmatch(_AND.sub("", left)):
        return ""
    topic = _TOPIC.search(before)
    if topic is not None:
        return topic.group(1)
    opening = OPENING.match(before)
    return opening.group(1) if opening is not None and before.rstrip()[-1:] in tuple(",，") else ""


def _own(sentence: Sentence, start: int, left: str, *, named: bool) -> bool:
    """Whether the subject before a verb is what the note is about; `named`: by its name."""
    bare = words.TIME.sub("", left.strip(" \t_>-")).strip()
    if any(name in bare for name in sentence.names):
        return True
    if named:
        return words.ITSELF.match(bare) is not None
    if not words.OWN.match(bare) or ANY_LINK.search(bare):
        return False
    if bare or not start:
        return bool(bare) or not sentence.bound
    # No subject in this clause: it is that of the clause before.
    clause = sentence.folded[clause_start(sentence.folded, start - 1) : start - 1]
    if ANY_LINK.search(clause):
        return False
    return words.OWN_START.match(clause) is not None or any(name in clause for name in sentence.names)


def _grounds(text: str) -> Iterator[Found]:
    """Because of a link; a link that is the reason."""
    for match in words.BECAUSE.finditer(text):
        name, link = next(pair for pair in _GROUNDS if match[pair[1]])
        begin = match.start(name)
        if words.NOT_BECAUSE.search(text[:begin]) or words.CONDITIONAL.search(text, 0, begin):
            continue
        if name in ("v", "y") and words.HEADED_EN.match(text, match.end(link)):
            continue
        effect = _effect(text, begin, match.end())
        if words.HEDGED.search(effect):
            continue
        subject = OPENING.match(effect)
        patient = subject is not None and words.PATIENT.match(effect, subject.end())
        objects = subject.group(1) if subject is not None and patient else ""
        yield Found(objects, match[link], "causes", False, match.span(name), 0.85)
    for match in words.GROUND.finditer(text):
        name, link = next(pair for pair in _GROUNDS if pair[1] in match.re.groupindex and match[pair[1]])
        start = clause_start(text, match.start())
        left = text[start : match.start()]
        if words.GOVERNED.search(left) or words.GOVERNED_ZH.search(left):
            continue
        if not _unsure(text, start, match.start(), match.end()) and not re.search("不是|并非|not", match.group()):
            yield Found("".join(ANY_LINK.findall(match[name])), match[link], "causes", False, match.span(name), 0.7)


def _effect(text: str, begin: int, end: int) -> str:
    """The clause that a ground is given for: the one before it, or, if the ground opens the sentence, the next."""
    before = text[:begin].strip(" ,，;；—-(（[]")
    before = re.sub(r"(?:这|那|就|也|都|主要|正)*是?$", "", before) or before
    if before.strip():
        return before[clause_start(before, len(before)) :].strip()
    stop = BREAK.search(text, end)
    if stop is None:
        return ""
    after = text[stop.end() :]
    following = BREAK.search(after)
    return re.sub(r"^(?:\s|所以|因此|于是|我们|then|so)*", "", after[: following.start()] if following else after)


def _outcomes(text: str) -> Iterator[Found]:
    """What came of the note, or of what its sentence tells."""
    for match in words.OUTCOME.finditer(text):
        name, link = next(pair for pair in _GROUNDS if match[pair[1]])
        start = clause_start(text, match.start())
        if not _unsure(text, start, match.start(), match.end()) and not _OWNED.match(text, match.end(link)):
            yield Found(match[link], "", "causes", False, match.span(name), 0.65)


def _changes(text: str) -> Iterator[Found]:
    """One link put in the place of another, both named in one construction."""
    for match in words.CHANGE.finditer(text):
        start = clause_start(text, match.start())
        left = text[start : match.start()]
        if _unsure(text, start, match.start(), match.end()) or words.ABLE.search(left[-12:]):
            continue
        if words.DENIED_EN.search(left) or words.DENIED_ZH.search(left):
            continue
        groups = match.groupdict()
        number = next(n for n in ("", "2", "3", "4", "5") if groups[f"old{n}"])
        yield Found(groups[f"old{number}"], groups[f"new{number}"], "supersedes", False, match.span(), 0.85)
