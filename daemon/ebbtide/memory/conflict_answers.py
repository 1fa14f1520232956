"""The same question answered twice: yes and no, another number, another thing, or "I do not know" beside what was said."""

from __future__ import annotations

from ebbtide.memory.conflict_claim import Claim, ConflictKind, Quantity, Token
from ebbtide.memory.conflict_values import compare, unmatched

Found = tuple[ConflictKind, float, str, str]

ASKED_ALIKE = 0.3
"""Share of the words of the shorter question that the other must share."""
MOST_NAMED = 4
"""Words in an answer that still names one thing."""
SHORT = 60
"""Characters of two answers together whose opposites speak of the same."""


def answers(a: Claim, b: Claim) -> Found | None:
    """How the answers of two questions contradict each other; None if they may both be given by the same person."""
    assert a.asked and a.answer and b.asked and b.answer
    unsure = _unsure(a, b) or _unsure(b, a)
    if unsure:
        return unsure
    if a.answer.unsure or b.answer.unsure or not _alike(a.asked, b.asked):
        return None
    left, right = a.answer, b.answer
    one, two = left.text, right.text
    kind = unmatched(_values(left), _values(right))
    if kind and not _agree(left, right):
        return kind, 0.75, one, two
    flipped = _flipped(a.asked, b.asked)
    mine, other = _stance(a.asked, left), _stance(b.asked, right)
    if mine * other == -1 and not flipped and not (a.asked.wants and b.asked.wants):
        return "negation", 0.7, one, two
    crossed = sorted(w for w in left.words & right.words if (w in left.denied) != (w in right.denied))
    if crossed and not flipped and mine * other != 1:
        return "negation", 0.65, crossed[0], crossed[0]
    opposed = _opposed(left, right)
    if opposed and not flipped and len(left.folded) + len(right.folded) < SHORT:
        return "negation", 0.65, *opposed
    return _things(a.asked, left, b.asked, right)


def _stance(asked: Claim, answer: Claim) -> int:
    """Yes (1) or no (-1): as it begins, else by whether it affirms or denies a word of the question."""
    if answer.stance:
        return answer.stance
    told = [w for w in asked.words if w in answer.words]
    if not told or asked.wants:
        return 0
    return -1 if any(w in answer.denied for w in told) else 1


def _unsure(a: Claim, b: Claim) -> Found | None:
    """One does not know what the other was told: the question repeats its words, or asks what "I" had said of myself."""
    assert a.asked and a.answer and b.asked and b.answer
    if not b.answer.unsure or a.answer.unsure:
        return None
    known = a.asked.words | a.answer.words
    repeated = b.asked.words & known
    told_of_self = b.asked.unsure_of and not a.asked.question
    return ("negation", 0.7, a.text, b.answer.text) if repeated or told_of_self else None


def _alike(a: Claim, b: Claim) -> bool:
    """Whether two questions are about the same: by the characters of their words, so that inflection does not count."""
    left, right = _letters(a), _letters(b)
    smaller = min(len(left), len(right))
    return smaller == 0 or len(left & right) / smaller >= ASKED_ALIKE


def _letters(claim: Claim) -> set[str]:
    return {w if w.isascii() else c for w in claim.words for c in w}


def _flipped(a: Claim, b: Claim) -> bool:
    """Whether one question asks for the opposite of the other: "do you like", "do you dislike". "Don't you" is "do you"."""
    return _opposed(a, b) is not None


def _opposed(a: Claim, b: Claim) -> tuple[str, str] | None:
    for word in sorted(a.opposites):
        for other in sorted(a.opposites[word]):
            apart = other in b.opposites and word not in b.opposites and other not in a.opposites
            if apart and (word in a.denied) == (other in b.denied):
                return word, other
    return None


def _agree(a: Claim, b: Claim) -> bool:
    return any(compare(x, y) == "same" for x in _values(a) for y in _values(b))


def _values(claim: Claim) -> list[Quantity]:
    return [t.value for t in claim.tokens if t.value is not None]


def _things(asked_a: Claim, a: Claim, asked_b: Claim, b: Claim) -> Found | None:
    """Asked for a thing, two different ones were named: the first clauses are alike but for one place."""
    if not (asked_a.wants and asked_b.wants) or _flipped(asked_a, asked_b):
        return None
    left, right = _first(a), _first(b)
    mine, other = _topics(left), _topics(right)
    common = set(mine) & set(other)
    mine, other = [w for w in mine if w not in common], [w for w in other if w not in common]
    if not mine or not other or len(mine) > MOST_NAMED or len(other) > MOST_NAMED:
        return None
    if any(x in y or y in x for x in mine for y in other):
        return None
    frame = {t.text for t in left if t.role != "plain"} & {t.text for t in right if t.role != "plain"}
    return ("entity", 0.6, a.text, b.text) if frame else None


def _first(claim: Claim) -> list[Token]:
    return [t for t in claim.tokens if t.clause == claim.tokens[0].clause]


def _topics(tokens: list[Token]) -> list[str]:
    words: dict[int, str] = {}
    for token in tokens:
        if token.role == "plain":
            words[token.word] = words.get(token.word, "") + token.text
    return list(words.values())
