"""What a memory scores for a question: relevance, weighed by freshness, importance and warmth, and the reward of use.

Pure; algorithms.md B.5. As a product relevance decides and the rest can only weigh: an old core decision that answers
exactly is not lost to a fresh trifle. The plain sum is kept as a setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ebbtide.config import Config
from ebbtide.index.means import text_key
from ebbtide.memory.heat import STANDING, Event, Heat, Warmth, kind_of, open_gate, reward, until, unused, warmth
from ebbtide.memory.importance import Truth, freshness, importance


@dataclass(frozen=True, slots=True)
class Scoring:
    """The constants of the score; config sections `recall` and `heat`."""

    form: str = "product"
    """product or sum."""
    relevance: float = 0.6
    freshness: float = 0.2
    importance: float = 0.2
    heat_mix: float = 0.7
    """Share of the score that no cold can take; 0: warmth multiplies all of it."""
    ended: float = 0.7
    """What is left of the score of a plan that was dropped, turned down or replaced, and of one that is done where a plan is
    asked for; by its properties. A guess must not lose a note, so nothing here hides."""
    ended_told: float = 0.8
    """The same where only its words say so."""
    done: float = 0.92
    """What is left to a plan that is done, whatever else is asked: what it says may well hold."""
    heat: Heat = field(default_factory=Heat)
    truth: Truth = field(default_factory=Truth)


def question_key(text: str) -> bytes:
    """The identity of a question, under which its vector is kept and a use names it; the question itself is not kept."""
    return text_key("question: " + " ".join(text.split()))


def scoring_of(config: Config) -> Scoring:
    """The settings as the score takes them."""
    set_ = config.heat
    heat = Heat(
        form=config.recall.temperature,
        **{name: getattr(set_, name) for name in Heat.__slots__ if name != "form"},
    )
    truth = Truth(
        days=set_.fresh_days,
        power=set_.fresh_power,
        floor=set_.fresh_floor,
        overdue=set_.fresh_overdue,
        unknown=set_.fresh_unknown,
        months=set_.cited_months,
        **{n: getattr(set_, n) for n in ("slower", "binding", "lesson", "links", "links_most", "cited", "doubtful")},
    )
    shares = {
        name: getattr(set_, name) for name in ("relevance", "freshness", "importance", "ended", "ended_told", "done")
    }
    return Scoring(config.recall.score, **shares, heat_mix=set_.mix, heat=heat, truth=truth)


@dataclass(slots=True)
class Known:
    """What is known of a memory beside its relevance. Dates are ISO, day, month or year; None is unknown. Never changed once
    made: a question makes hundreds of these, and frozen ones take three times as long to make.

    `base` is its importance from 1 to 10; `frame` what time it tells of; `lost`: it lost a conflict.
    """

    type: str | None = None
    created: str | None = None
    verified: str | None = None
    base: float = 5.0
    frame: str = "current"
    state: str = "active"
    events: Sequence[Event] = ()
    likeness: float = 1.0
    linked: int = 0
    derived: bool = False
    confidence: float = 1.0
    pinned: bool = False
    frozen: bool = False
    overdue: bool = False
    lost: bool = False
    lapse: float = 1.0
    """Share of the score that is left to it, since it tells of what ended."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question adds: the day it is asked for, its frame, and the relevance of the best candidate."""

    today: str
    frame: str = "current"
    best: float = 0.0


@dataclass(slots=True)
class Parts:
    """The score `S` and what it is made of: R, F, I and W in [0, 1], B at most `Heat.reward`; `gate` 0 withdrew the reward.
    Never changed once made, like Known."""

    R: float
    F: float
    I: float  # noqa: E741 - the name in the published formula
    B: float
    gate: int
    warmth: Warmth
    S: float
    lapse: float = 1.0

    @property
    def W(self) -> float:
        """Weight of the temperature."""
        return self.warmth.weight


def score(relevance: float, known: Known, asked: Asked, scoring: Scoring) -> Parts:
    """The parts and their score. Being shown changes nothing; a closed gate takes back to what unused memory would score."""
    heat = scoring.heat
    events = until(known.events, asked.today)
    free = not heat.gate or open_gate(known.frame, asked.frame, known.state, lost=known.lost)
    counted = events if free else unused(events)
    then = asked.frame == "historical"  # what is asked about lies back: to be old is no fault
    created = None if then else known.created
    warm = warmth(counted, created, known.type, asked.today, heat, frozen=known.frozen)
    checked = None if then else known.verified
    fresh = freshness(
        checked, known.type, asked.today, overdue=(known.overdue or known.lapse < 1.0) and not then, truth=scoring.truth
    )
    months = len({event.day[:7] for event in counted if event.kind == "used"}) if counted else 0
    weight = importance(
        known.base,
        linked=known.linked,
        months=months,
        derived=known.derived,
        confidence=known.confidence,
        pinned=known.pinned,
        truth=scoring.truth,
    )
    near = relevance >= asked.best - heat.reward_reach
    earned = reward(counted, asked.today, known.likeness, heat) if counted and free and near else 0.0
    stands = known.pinned or kind_of(known.type) in STANDING
    if stands and not known.frozen and (scoring.form, heat.form) == ("product", "curve"):
        # What is in force until it is replaced weighs as if just warm, at least: it must not be lost to a fresh trifle.
        warm = replace(warm, weight=max(warm.weight, 1.0 if known.pinned else heat.least + heat.warm))
    joined = _joined(relevance, fresh, weight, warm, scoring) * known.lapse
    return Parts(relevance, fresh, weight, earned, int(free), warm, joined + earned, known.lapse)


def _joined(relevance: float, fresh: float, weight: float, warm: Warmth, scoring: Scoring) -> float:
    rest = scoring.freshness * fresh + scoring.importance * weight
    held = scoring.heat_mix + (1.0 - scoring.heat_mix) * warm.weight
    if scoring.form == "sum":
        return (scoring.relevance * relevance + rest) * held
    return relevance * (scoring.relevance + rest) * held
