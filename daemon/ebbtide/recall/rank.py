"""From raw channel scores to one calibrated relevance. Pure: every number that enters is an argument.

Two kinds of evidence, each on a scale that means the same for every question and every vault:
- `closeness`: cosine of centred vectors (0 = unrelated, about .5 and more = says it);
- `coverage`: BM25 over a yardstick between the most this question could score and the best that any text scores for it
  (the share of the question's information that the text holds).
Relevance is their weighted sum. Words cannot be shared across languages, so where text and question differ in language
the missing keywords are not held against the text: coverage is taken to be at least a share of closeness.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of relevance; config section `recall`."""

    coverage: float = 1.5
    yardstick: float = 0.3
    cross_floor: float = 0.5
    cross_penalty: float = 0.04
    full: float = 2.0
    """The weighted sum that counts as certain."""
    type_boost: float = 0.03
    why_boost: float = 0.08
    failure_boost: float = 0.06
    told_boost: float = 0.06
    type_note: float = 0.25
    """A note of the type that the question seems to want is so much more relevant, as a share; a fact has `type_boost`."""
    period_date: float = 0.15
    """Added to what is dated in a period the question names, if that is a week at most; to less for a longer one."""
    period_floor: float = 0.25
    """Relevance, at least, of a note of the very days asked about that has anything to do with the question."""
    period_text: float = 0.16
    """Added, at most, to what states years of that period."""
    exact: float = 0.9
    """Relevance, at least, of what is named exactly: by its id, its title, or by an identifier few notes hold."""
    other_language: float = 0.1
    """A note in the other language takes the third place if it is at most this much less close in meaning than the closest."""
    further: float = 0.3
    """Weight of closeness beside the score from the fourth place on."""
    fate_gain: float = 0.15
    """A plan that ended as the question asks is so much more relevant, as a share: what is unrelated stays so."""


@dataclass(slots=True)
class Evidence:
    """What the channels say of one candidate."""

    closeness: float | None = None
    coverage: float = 0.0
    graph: float = 0.0
    ranks: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Channel -> (rank from 1, the channel's own score)."""

    @property
    def matches(self) -> bool:
        """True if something of the question led to it; that it was of use of late did not."""
        return any(channel != "recent" for channel in self.ranks)


def relevance(evidence: Evidence, same_language: bool, weights: Weights, keyword_only: bool = False) -> float:
    """R in [0, 1]. `keyword_only`: the question has no vector at all, so coverage must speak alone."""
    coverage = min(1.0, evidence.coverage)
    if keyword_only:
        text = coverage
    else:
        closeness = max(0.0, evidence.closeness or 0.0)
        if same_language:
            text = closeness + weights.coverage * coverage
        else:
            text = closeness + weights.coverage * max(coverage, weights.cross_floor * closeness) - weights.cross_penalty
        text /= weights.full
    return max(0.0, min(1.0, max(text, evidence.graph)))


def coverage(score: float, best: float, ceiling: float, weights: Weights) -> float:
    """BM25 as a share of the yardstick: `ceiling` if nothing comes near it, half way down to the `best` score otherwise.

    The ceiling alone makes long questions hopeless (no text repeats them whole), the best alone makes weak matches certain.
    """
    yardstick = weights.yardstick * best + (1 - weights.yardstick) * max(ceiling, best)
    return score / yardstick if yardstick > 0 else 0.0
