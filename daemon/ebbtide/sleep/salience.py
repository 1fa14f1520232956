"""How much of a note of the last days deserves a second thought, from 0 to 1, and why in words; algorithms.md B.7. Pure.

Five terms, each in [0, 1]: `nov` (unlike what was written lately and what the core holds), `ins` (words of insight, against
the writer's own habit), `chg` (a figure that left its usual range), `lnk` (ties to core memories) and `rev` (it changes what
the core or an earlier note says). A habit needs a past: with less of it than `Sleep.past` notes, fixed cut-offs stand in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal, TypeVar

from ebbtide.config_sleep import Sleep
from ebbtide.memory.states import Lang

PARTS: Final = ("nov", "ins", "chg", "lnk", "rev")
CONSISTENT: Final = 1.4826
"""Median absolute deviations in a standard deviation, for normal figures."""
FAR: Final = 3.5
"""Deviations at which a figure is wholly out of its range."""
CLEAR: Final = 3.0
"""Deviations at which the words of insight are wholly out of the writer's habit."""
Measure = Literal["meaning", "words"]
UNLIKE: Final[Mapping[Measure, tuple[float, float]]] = {"meaning": (0.45, 0.75), "words": (0.75, 0.95)}
"""Fixed cut-offs of novelty: so unlike its five nearest a note is not new at all, and wholly new. By meaning that is 1 - mean
cosine, by words 1 - the mean share of the keywords. Half of the notes of the sets lie below .6 and .87."""
DENSE: Final = 0.5
"""Fixed cut-off of insight: so many markers per hundred characters are as many as there can be."""
SERIES: Final = 5
"""Past values that a figure needs for a range of its own."""
MOVED: Final = 0.5
"""Fixed cut-off of change: with fewer, this share of the median is as far as it goes."""
TIES: Final = 3
"""Core memories that a note touches, from which on more add nothing."""
_SLACK: Final = 1e-9


def clip(value: float) -> float:
    """Into [0, 1]."""
    return min(1.0, max(0.0, value))


def deviations(value: float, past: Sequence[float]) -> float | None:
    """How many deviations a value lies above its past's median; None where the past never moved (MAD = 0)."""
    middle = median(past)
    spread = CONSISTENT * median(abs(other - middle) for other in past)
    return (value - middle) / spread if spread > _SLACK else None


def novelty(unlike: float, others: Sequence[float], past: int, measure: Measure = "meaning") -> float:
    """The share of the `others` that are less unlike their neighbours than this one, ties counted half.

    With fewer than `past` others it is read off the fixed cut-offs of the measure.
    """
    if len(others) < past:
        low, high = UNLIKE[measure]
        return clip((unlike - low) / (high - low))
    below = sum(1.0 for other in others if other < unlike - _SLACK)
    same = sum(1.0 for other in others if abs(other - unlike) <= _SLACK)
    return clip((below + same / 2) / len(others))


def insight(density: float, habit: Sequence[float], past: int) -> float:
    """Words of insight per hundred characters against the writer's own `habit` (of the last weeks)."""
    if density <= 0:
        return 0.0
    if len(habit) < past:
        return clip(density / DENSE)
    far = deviations(density, habit)
    if far is None:
        return 1.0 if density > median(habit) + _SLACK else 0.0
    return clip(far / CLEAR)


def change(value: float, past: Sequence[float]) -> float:
    """How far a figure has left the range of its own past; 0 where it has none."""
    if not past:
        return 0.0
    middle = median(past)
    if len(past) < SERIES:
        return clip(abs(value - middle) / max(abs(middle), _SLACK) / MOVED)
    far = deviations(value, past)
    if far is None:
        return 1.0 if abs(value - middle) > _SLACK else 0.0
    return clip(abs(far) / FAR)


def ties(touched: int) -> float:
    """Core memories that a note links to or names, as a share of `TIES`."""
    return clip(touched / TIES)


def salience(parts: Mapping[str, float], settings: Sleep) -> float:
    """The salience of a note with these parts, rounded to four places so that it is the same on every machine."""
    told = sum(weight * clip(parts.get(name, 0.0)) for name, weight in settings.weights.items())
    return round(clip(max(settings.revision * clip(parts.get("rev", 0.0)), told)), 4)


_T = TypeVar("_T")


def take(found: Sequence[tuple[float, str, _T]], settings: Sleep) -> list[_T]:
    """The ones to think over, most salient first, ties by path: (salience, path, it).

    All from the threshold on, at most `most`; where these are fewer than `least`, the best of the others too.
    """
    ranked = sorted(found, key=lambda one: (-one[0], one[1]))
    over = sum(one[0] >= settings.threshold for one in ranked)
    return [one[2] for one in ranked[: min(settings.most, max(over, settings.least))]]


# --- in words ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure and its past: what it is called (with its unit), its value and the median of `count` earlier ones."""

    name: str
    value: float
    before: float
    count: int


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the parts of a salience rest on, for the words that explain it.

    `compared`: notes that novelty was measured against. `markers`: words of insight as found. `tied`: titles of the core
    memories touched. `against`: the note whose statement it changes, and how ("dispute", "supersede", "change").
    """

    compared: int = 0
    percentile: bool = False
    markers: tuple[str, ...] = ()
    moved: Moved | None = None
    tied: tuple[str, ...] = ()
    against: str = ""
    how: str = ""
    core: bool = False


_HOW: Final[Mapping[str, tuple[str, str]]] = {
    "dispute": ("contradicts", "与之矛盾"),
    "supersede": ("takes the place of what is said in", "取代其中的说法"),
    "change": ("tells of a change to what is said in", "说明其中的说法已有变化"),
}


def why(parts: Mapping[str, float], grounds: Grounds, lang: Lang) -> tuple[str, ...]:
    """What makes a note salient, a sentence for each part that is not 0, in the language of the note; the weightiest first."""
    say = _zh if lang == "zh" else _en
    order = ("rev", "ins", "nov", "chg", "lnk")
    return tuple(say(name, parts[name], grounds) for name in order if parts.get(name, 0.0) > 0)


def _en(name: str, value: float, g: Grounds) -> str:
    if name == "rev":
        what = "the core memory" if g.core else "an earlier note,"
        return f"revises: it {_HOW[g.how][0]} {what} “{g.against}”"
    if name == "ins":
        return f"insight: {_listed(g.markers, ', ', '“{}”')} ({value:.2f})"
    if name == "nov":
        rank = f"less like the rest than {value:.0%} of" if g.percentile else f"novelty {value:.2f} beside"
        return f"new: {rank} {g.compared} notes of late and in the core"
    if name == "chg" and g.moved is not None:
        return f"change: {g.moved.name} is {g.moved.value:g}, usually {g.moved.before:g} ({g.moved.count} before)"
    return f"ties: {_listed(g.tied, ', ', '“{}”')} in the core"


def _zh(name: str, value: float, g: Grounds) -> str:
    if name == "rev":
        what = "核心记忆" if g.core else "较早的笔记"
        return f"改变看法：{what}「{g.against}」，{_HOW[g.how][1]}"
    if name == "ins":
        return f"有所领悟：{_listed(g.markers, '、', '「{}」')}（{value:.2f}）"
    if name == "nov":
        rank = f"比其中 {value:.0%} 更不像其他内容" if g.percentile else f"新颖度 {value:.2f}"
        return f"新内容：与近期及核心的 {g.compared} 篇相比，{rank}"
    if name == "chg" and g.moved is not None:
        return f"指标变化：{g.moved.name} 为 {g.moved.value:g}，以往多为 {g.moved.before:g}（{g.moved.count} 次）"
    return f"关联核心：{_listed(g.tied, '、', '「{}」')}"


def _listed(words: Sequence[str], comma: str, form: str) -> str:
    return comma.join(form.format(word.replace("{", "(").replace("}", ")")) for word in dict.fromkeys(words[:3]))
