"""Aligned difference: of two sentences that share most of their tokens in order, only what is left decides (algorithms.md B.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from ebbtide.memory.conflict_claim import Claim, Token


@dataclass(frozen=True, slots=True)
class Gap:
    """Tokens of both claims that stand in the same place and differ; either side may be empty."""

    a: tuple[Token, ...]
    b: tuple[Token, ...]
    at: float
    """Where in the shorter claim, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """`shared`: tokens in common; `ratio`: their share of both claims; `within`: their share of the shorter one."""

    gaps: tuple[Gap, ...]
    shared: int
    topic: int
    ratio: float
    within: float


def align(a: Claim, b: Claim) -> Alignment:
    """Put two claims side by side. Symmetric: the order of the two changes only which side of a gap is which."""
    swapped = (b.text, b.note) < (a.text, a.note)
    one, two = (b, a) if swapped else (a, b)
    left, right = one.tokens, two.tokens
    matcher = SequenceMatcher(None, [t.text for t in left], [t.text for t in right], autojunk=False)
    blocks = [(i, j, n) for i, j, n in matcher.get_matching_blocks() if n]
    blocks = _solid(blocks, left, right)
    gaps: list[Gap] = []
    shorter = max(1, min(len(left), len(right)))
    for (i, j, n), (following_i, following_j, _) in pairwise([(0, 0, 0), *blocks, (len(left), len(right), 0)]):
        x, y = left[i + n : following_i], right[j + n : following_j]
        if x or y:
            gaps.append(Gap(y, x, (i + n) / shorter) if swapped else Gap(x, y, (i + n) / shorter))
    shared = sum(n for _, _, n in blocks)
    topic = len({t.word for i, _, n in blocks for t in left[i : i + n] if t.role in ("plain", "value")})
    total = len(left) + len(right)
    return Alignment(tuple(gaps), shared, topic, 2 * shared / total if total else 0.0, shared / shorter)


def _solid(
    blocks: list[tuple[int, int, int]], left: Sequence[Token], right: Sequence[Token]
) -> list[tuple[int, int, int]]:
    """Matching blocks without those that only cut words apart: the 山 that 佛山 and 中山 share is no agreement."""
    out = []
    for index, (i, j, n) in enumerate(blocks):
        start, stop = 0, n
        first, last = index == 0 and i == 0 and j == 0, i + n == len(left) and j + n == len(right)
        if not first:
            while start < stop and (_joined(left, i + start) or _joined(right, j + start)):
                start += 1
        if not last:
            while stop > start and (_joined(left, i + stop) or _joined(right, j + stop)):
                stop -= 1
        between = 0 < index < len(blocks) - 1
        lonely = stop - start == 1 and left[i + start].role == "stop" and between
        if stop > start and not lonely:
            out.append((i + start, j + start, stop - start))
    return out


def _joined(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token at `at` continues the word of the one before it."""
    return 0 < at < len(tokens) and tokens[at].word == tokens[at - 1].word


def swapped(a: Claim, b: Claim) -> bool:
    """Whether b is a with two parts exchanged round a word of order: "X before Y" and "Y before X"."""
    if not (a.ordered and b.ordered) or len(a.tokens) != len(b.tokens):
        return False
    left, right = [t.text for t in a.tokens], [t.text for t in b.tokens]
    if left == right or sorted(left) != sorted(right):
        return False
    start = next(i for i, (x, y) in enumerate(zip(left, right, strict=True)) if x != y)
    stop = len(left) - next(i for i, (x, y) in enumerate(zip(left[::-1], right[::-1], strict=True)) if x != y)
    x, y = left[start:stop], right[start:stop]
    for m in range(1, len(x)):
        for n in range(1, len(x) - m):
            # x = head + middle + tail, y = tail + middle + head
            if x[:m] == y[len(y) - m :] and x[len(x) - n :] == y[:n] and x[m : len(x) - n] == y[n : len(y) - m]:
                return True
    return False
