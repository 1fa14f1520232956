"""What one gap of an alignment means: another value, a denial, an opposite, another name, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from ebbtide.memory.conflict_align import Gap
from ebbtide.memory.conflict_claim import Claim, ConflictKind, Nearness, Token
from ebbtide.memory.conflict_values import compare, difference

PARAPHRASE = 0.8
"""Closeness in meaning (cosine, centred by language) from which two spans say the same; dog and cat have .75."""
SHORT_GAP = 4
"""Words in a gap up to which a denial in it denies the rest of the sentence."""
SPELLED_ALIKE = 0.8
"""Likeness in letters from which two names are one, spelled twice."""
SHORTEST_NAME = 5
"""Letters below which likeness says nothing."""
LONG_SPAN = 8
"""Words in a gap from which it is another wording rather than another name."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference that matters. `flips`: it turns the sentence into its opposite; `named`: not merely other words."""

    kind: ConflictKind
    score: float
    a_text: str
    b_text: str
    flips: bool = False
    named: bool = True


def read_gap(gap: Gap, a: Claim, b: Claim, nearness: Nearness | None) -> Finding | None:
    """The difference in a gap, None if the two sides go together (an addition, a paraphrase, the same in other words)."""
    one, two = _source(gap.a, a), _source(gap.b, b)
    comparable, values = _values(gap, one, two)
    if comparable:
        return values
    if max(_size(gap.a), _size(gap.b)) > SHORT_GAP and (_count((*gap.a, *gap.b), "negation") or _levels(gap, a, b)):
        return None  # a whole clause more on one side
    denied = _count(gap.a, "negation") % 2 != _count(gap.b, "negation") % 2
    opposite = _opposite(gap, a, b)
    if denied != opposite:
        if denied and _words(gap.a) - _words(gap.b) and _words(gap.b) - _words(gap.a):
            return None  # other words besides: a paraphrase of the denial cannot be told from another thing
        return Finding("negation", 0.9 if denied else 0.85, one, two, flips=True)
    if denied and opposite:
        return None
    levels = _levels(gap, a, b)
    if levels:
        return Finding("quantifier", 0.8, one, two)
    if not _plain(gap.a) or not _plain(gap.b):
        return None
    return _names(gap, a, b, one, two, nearness)


def _values(gap: Gap, one: str, two: str) -> tuple[bool, Finding | None]:
    """Whether a gap is a matter of values alone, and the difference if they differ."""
    left = [t.value for t in gap.a if t.value is not None]
    right = [t.value for t in gap.b if t.value is not None]
    if not left or not right:
        return False, None
    if _words(gap.a) and _words(gap.b) and not _words(gap.a) & _words(gap.b):
        return True, None  # "2020 in Tokyo" and "2004 in Paris": another thing altogether
    kinds: list[ConflictKind] = []
    for value in left:
        against = [difference(value, other) for other in right]
        agreed = [compare(value, other) == "same" for other in right]
        if not any(same and kind is None for same, kind in zip(agreed, against, strict=True)):
            kinds += [kind for kind in against if kind]
    if kinds:
        return True, Finding(kinds[0], 0.95, one, two)
    return len(left) == len(right) and not (_plain(gap.a) and _plain(gap.b)), None


def _opposite(gap: Gap, a: Claim, b: Claim) -> bool:
    """Whether the one side holds an opposite of a word of the other."""
    one, two = _joined(gap.a, a), _joined(gap.b, b)
    for word, others in a.opposites.items():
        if word in one and word not in two and any(o in b.opposites and o in two and o not in one for o in others):
            return _whole(word, one, gap.a)
    return False


def _whole(word: str, text: str, tokens: Sequence[Token]) -> bool:
    """A short opposite counts only as a word of its own: 大 in 大学 has none."""
    return len(word) > 1 or text == word or any(t.text == word for t in tokens)


def _levels(gap: Gap, a: Claim, b: Claim) -> bool:
    """Whether one side says all (none, only) where the other says some, or says nothing of it."""
    one, two = _count(gap.a, "quantifier") > 0, _count(gap.b, "quantifier") > 0
    if not (one or two) or a.strength == b.strength:
        return False
    firm = {"all", "none", "only"}
    differ = a.strength ^ b.strength
    if one and two:
        return bool(differ & firm)
    # Inserted: "only" narrows, "all" and "some" alone do not contradict a bare plural.
    return "only" in differ and not ({"all", "some"} & (a.strength | b.strength))


def _names(gap: Gap, a: Claim, b: Claim, one: str, two: str, nearness: Nearness | None) -> Finding | None:
    """Another name or thing in the same place, unless it is the same by another spelling, a wider word or a paraphrase."""
    left, right = _text(gap.a), _text(gap.b)
    if not left or not right or left in right or right in left or _words(gap.a) == _words(gap.b):
        return None
    if _initials(gap.a, right) or _initials(gap.b, left):
        return None
    first, second = sorted((left, right))
    if min(len(left), len(right)) >= SHORTEST_NAME and SequenceMatcher(None, first, second).ratio() >= SPELLED_ALIKE:
        return None
    named = any(t.name for t in gap.a) and any(t.name for t in gap.b)
    words = max(_size(gap.a), _size(gap.b))
    if words > LONG_SPAN and not named:
        return None
    if not named:
        close = nearness(one, two) if nearness is not None else None
        if close is not None and close >= PARAPHRASE:
            return None
    kind = a.exclusive if a.exclusive == b.exclusive and a.exclusive else "entity"
    score = (0.95 if named else 0.8) - 0.03 * max(0, words - 3)
    return Finding(kind, score, one, two, named=named)


def _initials(tokens: Sequence[Token], other: str) -> bool:
    """Whether `other` is the tokens' initials: UN and United Nations."""
    return len(tokens) > 1 and "".join(t.text[0] for t in tokens) == other


def _source(tokens: Sequence[Token], claim: Claim) -> str:
    return claim.text[tokens[0].start : tokens[-1].end] if tokens else ""


def _text(tokens: Sequence[Token]) -> str:
    return "".join(t.text for t in tokens if t.role in ("plain", "value"))


def _joined(tokens: Sequence[Token], claim: Claim) -> str:
    return claim.folded[tokens[0].start : tokens[-1].end] if tokens else ""


def _count(tokens: Sequence[Token], role: str) -> int:
    """How often a role occurs; words that follow each other (从来没有) are one."""
    runs, last = 0, ""
    for token in tokens:
        runs += token.role == role and last != role
        last = token.role
    return runs


def _size(tokens: Sequence[Token]) -> int:
    return len({t.word for t in tokens})


def _plain(tokens: Sequence[Token]) -> bool:
    return any(t.role == "plain" for t in tokens)


def _words(tokens: Sequence[Token]) -> set[str]:
    return {t.text for t in tokens if t.role == "plain"}
