"""Do two claims contradict each other, in what, and what follows? Pure rules (algorithms.md B.8), the same answer in either order.

Three ways lead to a conflict, strongest first: the same slot of two facts with another value; two sentences alike but for one
place (`conflict_align`); and, weaker, a short statement that denies what a longer one says (`conflict_loose`). Whatever is
bound to another place, time, person or condition is no conflict, and is sorted out first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ebbtide.memory.conflict_align import Alignment, Gap, align, swapped
from ebbtide.memory.conflict_answers import answers
from ebbtide.memory.conflict_claim import Claim, ConflictKind, Nearness, Token, Verdict
from ebbtide.memory.conflict_gap import Finding, read_gap
from ebbtide.memory.conflict_loose import loose
from ebbtide.memory.conflict_ruling import agreement, apart, contradiction, nothing, same_slot
from ebbtide.memory.conflict_values import compare, difference
from ebbtide.memory.states import BOOKKEEPING

CONFLICT_AT: Final = 0.5
"""Score from which two claims are a contradiction."""
STRONG_AT: Final = 0.8
"""Score from which it rests on a slot or on a clean alignment."""
ALIKE: Final = 0.6
"""Share of tokens in common from which alignment decides."""
HALF_ALIKE: Final = 0.5
"""The same in two versions of one paragraph."""
CONTAINED: Final = 0.8
"""Share of the shorter one's tokens from which it stands in the longer one."""
MIN_TOPIC: Final = 2
"""Words with a topic that must be shared: "we use A" and "we use B" share none."""
LONG_TOPIC: Final = 4
"""The same between notes that nobody put side by side: "Port: 80" under two titles is about two things."""
STANDING: Final = ("choice", "owner")
"""Kinds that hold beyond the day they were written down on."""
LONG_SKELETON: Final = 6
"""Shared words from which an exchanged name is a contradiction wherever it stands."""


def judge(
    a: Claim, b: Claim, nearness: Nearness | None = None, *, firmly: bool = False, together: bool = False
) -> Verdict:
    """What a and b are to each other; the same in either order.

    `nearness` tells how close two short spans are in meaning; spans that are nearly the same are a paraphrase. `firmly`: where
    nobody put the two side by side, so that only slots, alignments, two names for one office and two days for one event count.
    `together`: they stand in two versions of one paragraph, so that even short sentences are about the same thing.
    """
    if [t.text for t in a.tokens] == [t.text for t in b.tokens]:
        return agreement("same")
    if a.code or b.code:
        return nothing("code")
    if not _telling(a, together) or not _telling(b, together):
        return nothing("empty")
    if a.asked and b.asked and a.answer and b.answer:
        return _answers(a, b)
    if a.question or b.question:
        return nothing("question")
    verdict = (
        _apart(a, b)
        or _slot(a, b)
        or _aligned(a, b, nearness, _least(a, b, firmly, together))
        or _loosely(a, b, firmly)
    )
    if verdict.conflict and verdict.kind not in STANDING and _series(a, b):
        return apart("series")
    return verdict


def _least(a: Claim, b: Claim, firmly: bool, together: bool) -> int:
    """How many words with a topic two sentences must share so that their difference counts."""
    if together:
        return 1
    return LONG_TOPIC if firmly and a.title != b.title else MIN_TOPIC


def _series(a: Claim, b: Claim) -> bool:
    """Whether both are records of a dated series, of different days."""
    return bool(a.record and b.record and a.date and b.date and a.date[:10] != b.date[:10])


def _telling(claim: Claim, together: bool) -> bool:
    """Whether a claim says anything: a name or a date alone is no statement, "Port: 80" one only in its paragraph."""
    return sum(1 for t in claim.tokens if t.role != "value") > (0 if together else 1)


def _apart(a: Claim, b: Claim) -> Verdict | None:
    """Bound to different places, projects, people or times: both can be true."""
    for name in ("scope", "project"):
        mine, other = getattr(a, name), getattr(b, name)
        if mine and other and mine.casefold() != other.casefold():
            return apart("scope")
    if a.places and b.places and a.places - b.places and b.places - a.places:
        return apart("scope")
    if a.valid_to and b.valid_from and a.valid_to <= b.valid_from:
        return apart("time")
    if b.valid_to and a.valid_from and b.valid_to <= a.valid_from:
        return apart("time")
    if "historical" in (a.frame, b.frame) and a.frame != b.frame:
        return apart("time")
    return None


# --- the same slot ---------------------------------------------------------------------------------------------------


def _slot(a: Claim, b: Claim) -> Verdict | None:
    """Two facts about the same attribute of the same subject; None if they are not, or their values cannot be compared."""
    if not same_slot(a, b) or (a.attribute or "").casefold() in BOOKKEEPING:
        return None
    if not a.value or not b.value:
        return None
    if a.value.casefold() == b.value.casefold() and (a.unit or "") == (b.unit or ""):
        return agreement("same value")
    if a.plan != b.plan:
        return apart("plan")
    if a.measure and b.measure:
        kind = difference(a.measure, b.measure)
        if kind:
            return contradiction(a, b, kind, 0.95, "slot", a.value, b.value)
        return agreement("equal value") if compare(a.measure, b.measure) == "same" else None
    if a.measure or b.measure or not (a.single_valued and b.single_valued):
        return None
    if a.value.casefold() in b.value.casefold() or b.value.casefold() in a.value.casefold():
        return agreement("more precise")
    return contradiction(a, b, a.exclusive or b.exclusive or "entity", 0.9, "slot", a.value, b.value)


# --- alike but for one place -----------------------------------------------------------------------------------------


def _aligned(a: Claim, b: Claim, nearness: Nearness | None, least: int) -> Verdict | None:
    """The verdict of the differences that are left after alignment; None if the two are not alike enough to say."""
    side = align(a, b)
    if swapped(a, b):
        return contradiction(a, b, "order", 0.85, "order", a.text, b.text)
    if not _alike(side, least):
        return None
    findings = [(gap, read_gap(gap, a, b, nearness)) for gap in side.gaps]
    if least > MIN_TOPIC and side.topic < 2 * LONG_TOPIC and any(found and not found.named for _, found in findings):
        return None  # other words in a short sentence: rarely about the same thing
    if any(_bound(gap.a, a) or _bound(gap.b, b) for gap, found in findings if found):
        return apart("condition")
    if a.plan != b.plan and any(found and found.kind in ("number", "date", "unit") for _, found in findings):
        return apart("plan")
    if a.excepts or b.excepts:
        findings = [(g, f) for g, f in findings if f is None or f.kind not in ("negation", "quantifier")]
    return _decide(a, b, side, [(gap, found) for gap, found in findings if found], together=least == 1)


def _alike(side: Alignment, least: int) -> bool:
    if side.topic < least and not (least <= MIN_TOPIC and side.topic and side.within >= CONTAINED):
        return False
    return side.ratio >= (ALIKE if least > 1 else HALF_ALIKE) or (
        side.within >= CONTAINED and side.topic >= LONG_SKELETON
    )


def _bound(tokens: Sequence[Token], claim: Claim) -> bool:
    """Whether a difference stands in what is quoted or only supposed."""
    return any(t.start in claim.bound for t in tokens)


def _decide(a: Claim, b: Claim, side: Alignment, found: list[tuple[Gap, Finding]], *, together: bool) -> Verdict | None:
    if not found:
        return agreement("alike") if not _extra(side) else None
    denials = sum(f.flips for _, f in found)
    if denials and denials % 2 == 0:
        return agreement("twice denied")
    kinds = {f.kind for _, f in found}
    distinct = {frozenset((f.a_text, f.b_text)) for _, f in found}
    names = {frozenset((f.a_text, f.b_text)) for _, f in found if f.kind in ("entity", "owner", "choice")}
    best = max((f for _, f in found), key=lambda f: (f.score, f.kind))
    if "date" in kinds and kinds & {"number", "unit"}:
        return apart("series")
    several = len(names) > 1 or side.topic < 3 * len(distinct) or best.score < STRONG_AT
    if len(distinct) > 1 and names and several:
        return apart("subject")
    if kinds <= {"entity"} and side.topic < LONG_SKELETON and not (together or (a.holds_one and b.holds_one)):
        subject = found[0][0].at < 0.15
        if subject:
            return apart("subject")
    score = best.score * min(1.0, 0.55 + 0.5 * side.ratio) - 0.1 * max(0, len(distinct) - 1)
    if score < CONFLICT_AT:
        return nothing("weak")
    return contradiction(a, b, best.kind, score, "aligned", best.a_text, best.b_text)


def _extra(side: Alignment) -> bool:
    """Whether one says more than the other."""
    return any(t.role in ("plain", "value") for gap in side.gaps for t in (*gap.a, *gap.b))


# --- the same question answered twice ---------------------------------------------------------------------------------


def _answers(a: Claim, b: Claim) -> Verdict:
    found = answers(a, b)
    if found is None:
        return nothing("answers agree")
    return _weak(a, b, *found)


def _loosely(a: Claim, b: Claim, firmly: bool) -> Verdict:
    found = loose(a, b, firmly)
    return nothing("unrelated") if found is None else _weak(a, b, *found)


def _weak(a: Claim, b: Claim, kind: ConflictKind, score: float, one: str, other: str) -> Verdict:
    if score < CONFLICT_AT:
        return Verdict(False, kind, score, None, "weak", "", "")
    return contradiction(a, b, kind, score, "stated", one, other)
