"""Which claims of a whole vault are worth comparing: never all with all (algorithms.md B.8).

Three ways to a pair: the same slot of two facts; shared rare words, through an inverted index whose long lists are left out;
and neighbours that somebody found by vectors. Work grows with the number of claims, not with its square, and the same claims
give the same pairs in the same order.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final

from ebbtide.memory.conflict_claim import Claim
from ebbtide.memory.states import BOOKKEEPING

COMMON: Final = 40
"""A sign in more claims than this says nothing of a pair."""
RAREST: Final = 20
"""Signs of a claim that are looked up, the rarest first."""
BEST: Final = 8
"""Partners of a claim that are compared."""
SHARED: Final = 2
"""Signs two claims must share."""
SLOT_AT_MOST: Final = 24
"""Facts of one slot that are compared with each other; beyond, each with the next ones by day."""

Pair = tuple[int, int]


def candidates(claims: Sequence[Claim], neighbours: Iterable[Pair] = ()) -> list[Pair]:
    """Pairs (i, j), i < j, of claims of different notes that are worth a judgement."""
    found: set[Pair] = set(_slots(claims))
    found.update((i, j) if i < j else (j, i) for i, j in neighbours)
    found.update(_rare(claims))
    return sorted(pair for pair in found if claims[pair[0]].note != claims[pair[1]].note)


def signs(claim: Claim) -> set[str]:
    """What a claim can be found by: its words, its values, and each two words that follow each other."""
    words: dict[int, str] = {}
    for token in claim.tokens:
        if token.role in ("plain", "value"):
            words[token.word] = words.get(token.word, "") + token.text
    row = list(words.values())
    out = set(claim.words) | set(claim.names)
    out.update(f"{one}|{two}" for one, two in pairwise(row))
    out.update(word for word in row if word.startswith("#"))
    return out


def _rare(claims: Sequence[Claim]) -> Iterator[Pair]:
    """For each claim the partners with which it shares the most, weighted by how rare that is."""
    sets = [sorted(signs(claim)) for claim in claims]
    counts = Counter(sign for row in sets for sign in row)
    rows = [sorted((s for s in row if 2 <= counts[s] <= COMMON), key=lambda s: (counts[s], s))[:RAREST] for row in sets]
    lists: defaultdict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        for sign in row:
            lists[sign].append(index)
    total = len(claims)
    texts = [hash(tuple(t.text for t in claim.tokens)) for claim in claims]
    for index, row in enumerate(rows):
        weight: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for sign in row:
            idf = math.log(1 + total / counts[sign])
            for other in lists[sign]:
                if texts[other] != texts[index] and claims[other].note != claims[index].note:
                    weight[other] += idf  # type: ignore[assignment]
                    shared[other] += 1
        ranked = sorted((o for o in weight if shared[o] >= SHARED), key=lambda o: (-weight[o], o))
        for other in ranked[:BEST]:
            yield (index, other) if index < other else (other, index)


def _slots(claims: Sequence[Claim]) -> Iterator[Pair]:
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, claim in enumerate(claims):
        if claim.subject and claim.attribute and claim.attribute.casefold() not in BOOKKEEPING:
            key = (claim.subject, claim.attribute, claim.scope or "", claim.project or "")
            groups[tuple(part.casefold() for part in key)].append(index)
    for group in groups.values():
        if len(group) <= SLOT_AT_MOST:
            yield from combinations(group, 2)
        else:
            row = sorted(group, key=lambda i: (claims[i].valid_from or claims[i].date or "", i))
            yield from ((min(i, j), max(i, j)) for i, j in pairwise(row))
