"""How much one sentence says what another does, and whether it says the contrary: for the judgement of a night. Pure.

By meaning where there is a model (`Nearness`), by words else. What nearly repeats a sentence and denies it is the contrary,
never the same: so that is asked first (algorithms.md, A.24).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from ebbtide.memory.conflict import judge
from ebbtide.memory.conflict_claim import Claim, Nearness, Quantity, Verdict
from ebbtide.memory.conflict_ruling import later_of
from ebbtide.memory.conflict_values import compare
from ebbtide.memory.states import Lang
from ebbtide.parse.claims import read_claim
from ebbtide.parse.stem import STOP_WORDS, STOP_WORDS_ZH
from ebbtide.parse.text import tokenize
from ebbtide.sleep.own_reasons import bare

SAME: Final = 0.7
"""Duplication from which two sentences say the same."""
BESIDE: Final = 0.4
"""Duplication from which they speak of the same thing."""
NEAR: Final = 0.15
"""Duplication from which it is worth a link."""
NOTHING, EVERYTHING = 0.2, 0.75
"""Cosines of sentences that have nothing to do with each other, and of those that say the same."""
FEW: Final = 3
"""Words below which shared words alone say little."""
SLACK: Final = 0.001
"""What rounding may take from a duplication."""
Close = Callable[[Sequence[str], float, Callable[[], None]], Iterable[tuple[int, int]]]
"""(texts, cosine, check) -> all pairs of positions, the lower first, of texts at least so close in meaning."""


@dataclass(frozen=True, slots=True)
class Contrary:
    """Two sentences that cannot both hold. `newer`: the first one is known to take the other's place."""

    newer: bool
    en: str
    zh: str

    def reason(self, lang: Lang) -> str:
        """For a person."""
        return self.zh if lang == "zh" else self.en


@dataclass(slots=True)
class Likeness:
    """Compares sentences; what was read once is kept. `near` is None without a model; `close` finds what it calls near, among many."""

    near: Nearness | None = None
    close: Close | None = None
    _words: dict[str, frozenset[str]] = field(default_factory=dict)
    _bare: dict[str, str] = field(default_factory=dict)

    def words(self, text: str) -> frozenset[str]:
        """The words of a sentence that carry its topic."""
        if text not in self._words:
            self._words[text] = frozenset(token.text for token in tokenize(text)) - STOP_WORDS - STOP_WORDS_ZH
        return self._words[text]

    def bare(self, text: str) -> str:
        """What a sentence claims, without how it was come by and without its ground."""
        if text not in self._bare:
            self._bare[text] = bare(text)
        return self._bare[text]

    def by_words(self, a: str, b: str) -> float:
        """Share of words in common, from 0 to 1: mostly of the longer one's, also of the shorter one's."""
        one, two = self.words(a), self.words(b)
        if not one or not two:
            return float(a == b)
        shared = len(one & two)
        if one != two and min(len(one), len(two)) < FEW:
            return 0.6 * shared / max(len(one), len(two))
        return 0.6 * shared / max(len(one), len(two)) + 0.4 * shared / min(len(one), len(two))

    def duplication(self, a: str, b: str) -> float:
        """How much of a sentence another one says, from 0 to 1; the same in either order.

        What says the same of another subject, or for another project, says nothing of this one, however alike the words are.
        """
        share = self.alike(a, b)
        elsewhere = share >= BESIDE and self._verdict(self.bare(a), self.bare(b)) in _ELSEWHERE
        return min(share, NEAR) if elsewhere else share

    def alike(self, a: str, b: str) -> float:
        """How much of a sentence another one says if both speak of the same thing: never less than their duplication."""
        a, b = self.bare(a), self.bare(b)
        cosine = self.near(a, b) if self.near is not None else None
        meaning = 0.0 if cosine is None else min(1.0, max(0.0, (cosine - NOTHING) / (EVERYTHING - NOTHING)))
        return round(max(self.by_words(a, b), meaning), 4)

    def touching(self, texts: Sequence[str], least: float, check: Callable[[], None]) -> list[tuple[int, int]]:
        """Pairs of positions, the lower first and in order, that hold all whose duplication is at least `least` (above 0), without
        looking at each pair. `check` is called between sentences and may raise."""
        said = [self.bare(text) for text in texts]
        found: set[tuple[int, int]] = set()
        having: dict[str, list[int]] = {}
        for n, text in enumerate(said):
            check()
            words = self.words(text) or {text}  # what has no words says only what is written just so
            shared = Counter(other for word in words for other in having.get(word, ()))
            for other, count in shared.items():
                sizes = sorted((len(words), len(self.words(said[other])) or 1))
                if 0.6 * count / sizes[1] + 0.4 * count / sizes[0] >= least - SLACK:
                    found.add((other, n))
            for word in words:
                having.setdefault(word, []).append(n)
        if self.near is not None and self.close is None:
            found.update(combinations(range(len(said)), 2))
        elif self.close is not None:
            found.update(self.close(said, NOTHING + (least - SLACK) * (EVERYTHING - NOTHING), check))
        return sorted(found)

    def apart(self, a: str, b: str) -> bool:
        """Whether two sentences, however alike, tell of different things: of another subject, place, time or condition."""
        return self._verdict(self.bare(a), self.bare(b)) in _UNRELATED

    def _verdict(self, a: str, b: str) -> str:
        """What `judge` finds two claims to be to each other, in one word."""
        one, two = read_claim(a, note="a"), read_claim(b, note="b")
        found = judge(one, two, self.near, firmly=True)
        return "subject" if _elsewhere(one, two, found) else found.why

    def contrary(self, a: str, b: str, duplication: float, days: tuple[str, str] = ("", "")) -> Contrary | None:
        """Whether a contradicts b. `days`: when each was said. Sentences that hardly touch are never set against each other."""
        if duplication < BESIDE:
            return None
        a, b = self.bare(a), self.bare(b)
        one = read_claim(a, note="a", date=days[0] or None)
        two = read_claim(b, note="b", date=days[1] or None)
        newer = one.change and later_of(one, two) is one
        found = judge(one, two, self.near, firmly=True)
        if _elsewhere(one, two, found):
            return None
        if found.conflict:
            return Contrary(newer, found.reason, found.reason_zh)
        if bool(one.denied) != bool(two.denied):
            loose = judge(one, two, self.near)
            if loose.conflict and len(loose.a_span) < len(one.text):  # a word is denied, not somewhere something
                return Contrary(newer, loose.reason, loose.reason_zh)
        if duplication >= SAME and found.why not in _APART:
            return _differ(one, two, newer)
        return None


_APART: Final = frozenset(["scope", "time", "series"])
_NAMING: Final = frozenset(["entity", "owner", "choice"])
"""Kinds of contradiction that another thing in the same place makes."""
_ELSEWHERE: Final = frozenset(["subject", "scope"])
_UNRELATED: Final = _APART | {"subject", "condition", "plan"}
"""Why `judge` finds that two claims have nothing to do with each other."""


def _elsewhere(a: Claim, b: Claim, found: Verdict) -> bool:
    """Whether two claims that differ in one thing only speak of different things, rather than of one in two ways.

    A core memory is a statement that holds in general. There another thing at the head ("Reviews never start late", "Deploys
    never start late") or elsewhere ("plan music the evening before") is another subject; only a name or a value, or what was chosen
    and ends the sentence, can be what is claimed of one. Of facts this is not so: who won a cup is asked of the head.
    """
    if not found.conflict or found.why != "aligned" or found.kind not in _NAMING:
        return False
    sides = [_parted(claim, span) for claim, span in ((a, found.a_span), (b, found.b_span))]
    if any(side is None for side in sides):
        return False
    before, after = (any(side is not None and side[n] for side in sides) for n in (0, 1))
    if not before:
        return True
    one_of = found.kind != "entity" or (a.holds_one and b.holds_one)
    return (after or not one_of) and not any(
        _telling(claim, span) for claim, span in ((a, found.a_span), (b, found.b_span))
    )


def _parted(claim: Claim, span: str) -> tuple[bool, bool] | None:
    """Whether words that carry the topic stand before and after a span of a claim; None where the span is not found."""
    start = claim.text.find(span)
    if not span or start < 0:
        return None
    end = start + len(span)
    at = [token.start for token in claim.tokens if token.role in ("plain", "value")]
    return any(place < start for place in at), any(place >= end for place in at)


def _telling(claim: Claim, span: str) -> bool:
    """Whether a span is a name or holds a value."""
    start = claim.text.find(span)
    inside = [token for token in claim.tokens if start <= token.start < start + len(span)]
    return span[:1].isupper() or any(token.value is not None for token in inside)


def _differ(a: Claim, b: Claim, newer: bool) -> Contrary | None:
    """All against none, or other numbers, in sentences that otherwise say the same."""
    if ("all" in a.strength and "none" in b.strength) or ("none" in a.strength and "all" in b.strength):
        return Contrary(newer, "One says all, the other none.", "一方说全部，另一方说没有。")
    found = {compare(x, y) for x in _values(a) for y in _values(b) if x.dimension}
    if "differ" in found and "same" not in found:
        return Contrary(newer, "The numbers differ.", "数字不同。")
    return None


def _values(claim: Claim) -> list[Quantity]:
    return [token.value for token in claim.tokens if token.value is not None]
