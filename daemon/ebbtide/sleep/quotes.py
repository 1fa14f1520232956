"""The sentences that carry a candidate: what it has understood, changed, measured or mentions for the first time. Pure.

Chosen among the claims of the note as its facts are (parse.fact_pick), with more weight for what made the note salient. A
sentence with a marker is quoted even where it makes no claim. Every quote is verbatim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from ebbtide.memory.records import Note
from ebbtide.parse.fact_cells import scene_of
from ebbtide.parse.fact_claims import claims_of
from ebbtide.parse.fact_dialogue import speakers_of
from ebbtide.parse.fact_pick import weigh
from ebbtide.sleep.nights import Quote
from ebbtide.sleep.told import Saying, Told, words_of

MARKED: Final = 1.2
REVISED: Final = 3.0
MEASURED: Final = 3.0
FIRST: Final = 0.2
"""What each word adds that no note of late mentions."""
FIRST_MOST: Final = 1.0
PLAIN: Final = 0.5
"""Worth of a sentence that makes no claim."""
ALIKE: Final = 0.7
SPREAD: Final = 0.3
"""What each further sentence of a paragraph must be better by."""
A_TURN: Final = 2.0
"""The same in a dialogue, where a turn dwells on one thing."""
LONGEST: Final = 600
"""Characters of a quote; a longer sentence is a paste."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What makes a sentence of this note telling.

    `revised`, `measured`: lines (from 1) of facts that change something earlier, and of figures out of their range. `known`:
    words mentioned in other notes of late (None: nothing to compare with).
    """

    revised: Collection[int] = ()
    measured: Collection[int] = ()
    known: Collection[str] | None = None


def quotes(note: Note, own: Told, wanted: Wanted, most: int) -> tuple[Quote, ...]:
    """At most `most` sentences of a note, the most telling first; none says again what a better one says.

    Each further sentence of a paragraph or turn costs a little, so that they are spread over the note.
    """
    spread = A_TURN if speakers_of(note) else SPREAD
    pool = [(value + _more(saying, wanted), saying) for saying, value in _worth(note, own)]
    pool.sort(key=lambda one: (-one[0], one[1].start))
    chosen: list[Quote] = []
    held: list[frozenset[str]] = []
    lines: Counter[int] = Counter()
    while pool and len(chosen) < most:
        best = max(pool, key=lambda one: (one[0] - spread * lines[one[1].line], -one[1].start))
        pool.remove(best)
        saying = best[1]
        words = words_of(saying.text)
        if words and len(saying.text) <= LONGEST and not any(_alike(words, other) for other in held):
            chosen.append(Quote(note.path, saying.line, saying.text))
            held.append(words)
            lines[saying.line] += 1
    return tuple(chosen)


def _worth(note: Note, own: Told) -> list[tuple[Saying, float]]:
    """What can be quoted, in order: the claims of the person's sentences, and the sentences that make none; each with its worth."""
    claims = sorted((c for c in claims_of(scene_of(note)) if c.unit is not None), key=lambda c: (c.start, c.end))
    found: list[tuple[Saying, float]] = []
    sayings = list(own.sayings)
    for claim in claims:
        while sayings and sayings[0].end <= claim.start:
            found.append((sayings.pop(0), PLAIN))
        inside = [saying for saying in sayings if saying.start < claim.end]
        if inside:  # else it is not of the person's words, or quoted already
            del sayings[: len(inside)]
            start, end = inside[0].start, inside[-1].end
            marked = tuple(mark for saying in inside for mark in saying.markers)
            found.append((Saying(start, end, inside[0].line, note.text[start:end], marked), weigh(claim)))
    return found + [(saying, PLAIN) for saying in sayings]


def _more(saying: Saying, wanted: Wanted) -> float:
    more = MARKED if saying.markers else 0.0
    more += REVISED if saying.line in wanted.revised else 0.0
    more += MEASURED if saying.line in wanted.measured else 0.0
    if wanted.known is not None:
        fresh = sum(word not in wanted.known for word in words_of(saying.text))
        more += min(FIRST_MOST, FIRST * fresh)
    return more


def _alike(a: Collection[str], b: frozenset[str]) -> bool:
    return len(b.intersection(a)) >= ALIKE * min(len(a), len(b))
