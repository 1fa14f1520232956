"""The patrol: every contradiction between the claims of a vault, the sure ones first, and not too many for one note.

When two sentences differ in one place, a third note may say the same as one of them in other words: it then contradicts the
other, and is named too. That is how a reworded contradiction is found without a judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ebbtide.memory.conflict import STRONG_AT, judge
from ebbtide.memory.conflict_claim import Claim, Nearness, Quantity, Verdict
from ebbtide.memory.conflict_pairs import Pair, candidates, signs
from ebbtide.memory.conflict_values import compare

WEAK_PER_NOTE: Final = 2
"""Flags of a note that do not rest on a slot or an alignment."""
WITNESS_SCORE: Final = 0.6
WITNESS_SHARES: Final = 2
"""Rare signs a witness must share with the sentences it is a witness to, beside the value itself."""
DISTINCT: Final = 100
"""A bare number below this may mean anything."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Two claims, by their index, that contradict each other."""

    a: int
    b: int
    verdict: Verdict


def patrol(
    claims: Sequence[Claim],
    neighbours: Iterable[Pair] = (),
    nearness: Nearness | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Flag]:
    """The contradictions of a vault, a pair of notes once, strongest first; ties by place."""
    pairs = candidates(claims, neighbours)
    flags: list[Flag] = []
    agreed: set[frozenset[str]] = set()
    near: defaultdict[int, set[int]] = defaultdict(set)
    for number, (i, j) in enumerate(pairs, 1):
        verdict = judge(claims[i], claims[j], nearness, firmly=True, together=_together(claims, i, j))
        near[i].add(j)
        near[j].add(i)
        if verdict.conflict:
            flags.append(Flag(i, j, verdict))
        elif verdict.ruling == "merge":
            agreed.add(frozenset((claims[i].note, claims[j].note)))
        if number % 1000 == 0 or number == len(pairs):
            progress(number, len(pairs))
    flags += _witnesses(claims, flags, near)
    return _chosen(claims, flags, agreed)


def _together(claims: Sequence[Claim], i: int, j: int) -> bool:
    """Whether the sentences before or after the two are the same: two versions of one paragraph."""
    for step in (-1, 1):
        one, two = i + step, j + step
        inside = min(one, two) >= 0 and max(one, two) < len(claims)
        if inside and claims[one].note == claims[i].note and claims[two].note == claims[j].note:
            texts = [[t.text for t in claims[n].tokens] for n in (one, two)]
            if len(texts[0]) > 1 and texts[0] == texts[1]:
                return True
    return False


def _witnesses(claims: Sequence[Claim], flags: Sequence[Flag], near: dict[int, set[int]]) -> list[Flag]:
    """Further notes that say what one side says, not the other, of the same matter."""
    out = []
    for flag in flags:
        verdict = flag.verdict
        if verdict.why != "aligned" or verdict.score < STRONG_AT or verdict.kind == "negation":
            continue
        for mine, other, value, against in (
            (flag.a, flag.b, verdict.a_span, verdict.b_span),
            (flag.b, flag.a, verdict.b_span, verdict.a_span),
        ):
            both = {claims[mine].note, claims[other].note}
            around = {n for i in near[mine] | near[other] for n in _paragraph(claims, i) if claims[n].note not in both}
            for third in sorted(around):
                if not _says(claims[third], value, claims[mine]):
                    continue
                window = _paragraph(claims, third)
                if any(_says(claims[n], against, claims[other]) for n in window):
                    continue
                shared = set[str]().union(*(signs(claims[n]) for n in window)) & signs(claims[other])
                if len(shared - {value.casefold()}) >= WITNESS_SHARES:
                    out.append(_witness(third, other, value, against, verdict))
    return out


def _paragraph(claims: Sequence[Claim], index: int) -> list[int]:
    """A claim with the ones beside it in its note."""
    return [n for n in range(max(0, index - 2), min(len(claims), index + 3)) if claims[n].note == claims[index].note]


def _witness(third: int, other: int, value: str, against: str, verdict: Verdict) -> Flag:
    english = f"A third note says “{value}”, this one “{against}”."
    chinese = f"另一篇笔记说“{value}”，这一篇说“{against}”。"
    found = Verdict(True, verdict.kind, WITNESS_SCORE, "dispute", "witness", english, chinese, value, against)
    if third < other:
        return Flag(third, other, found)
    swapped = Verdict(True, verdict.kind, WITNESS_SCORE, "dispute", "witness", english, chinese, against, value)
    return Flag(other, third, swapped)


def _says(claim: Claim, span: str, source: Claim) -> bool:
    """Whether a claim has the words of a span, or its value in another spelling."""
    values = [t.value for t in source.tokens if t.value is not None and source.text[t.start : t.end] in span]
    if values:
        own = [t.value for t in claim.tokens if t.value is not None]
        return all(any(_exactly(value, other) for other in own) for value in values)
    return bool(span) and span.casefold() in claim.folded


def _exactly(x: Quantity, y: Quantity) -> bool:
    """Whether two values are the same, and told closely enough to be known again: a year alone, or a bare 4, is not."""
    if x.parts is not None and y.parts is not None and x.parts != y.parts:
        shared = sum(p is not None and q is not None for p, q in zip(x.parts, y.parts, strict=True))
        return shared > 1 and compare(x, y) == "same"
    return compare(x, y) == "same" and not (x.dimension == "" and x.low < DISTINCT)


def _chosen(claims: Sequence[Claim], flags: Sequence[Flag], agreed: set[frozenset[str]]) -> list[Flag]:
    """One flag a pair of notes, the strongest; the weak ones only as many as a person will look at."""
    out: list[Flag] = []
    seen: set[frozenset[str]] = set()
    weak: Counter[str] = Counter()
    for flag in sorted(flags, key=lambda f: (-f.verdict.score, f.a, f.b)):
        notes = frozenset((claims[flag.a].note, claims[flag.b].note))
        if notes in seen:
            continue
        if flag.verdict.score < STRONG_AT:
            if notes in agreed or any(weak[note] >= WEAK_PER_NOTE for note in notes):
                continue
            weak.update(notes)
        seen.add(notes)
        out.append(flag)
    return out
