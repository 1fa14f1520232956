"""Consolidation by rules: what becomes of each candidate, on one snapshot of the core. Pure; needs no key.

Nothing is invented: an insight is the person's own most telling sentence that stands alone. It becomes a core memory once it
was said on several days, in several notes, for several tasks, or once they said outright that it holds (memory.promotion);
until then it waits. What the core says already gets a dated line there, what adds to it a footnote, and what contradicts it
is shown beside it: a person decides.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final

from ebbtide.memory.promotion import Promotion, Sighting, promotion
from ebbtide.memory.worth import misshapen, unworthy
from ebbtide.parse.claims import read_claim
from ebbtide.parse.fact_text import plain
from ebbtide.parse.text import fold
from ebbtide.sleep.core_note import line_of, name_for, room
from ebbtide.sleep.likeness import BESIDE, NEAR, SAME, Contrary, Likeness
from ebbtide.sleep.nights import Candidate, Core, CoreMemory, Decision, Judged, Quote, Relation
from ebbtide.sleep.own_reasons import bare, how_of, passing, stated, type_of, why_of
from ebbtide.sleep.told import figure_of

WAITS: Final = 30
"""Days for which a single event waits to be borne out."""
LONGEST: Final = 240
"""Characters of an insight: one sentence."""
COMPARED: Final = 6
"""Core memories, the nearest, that a candidate is set against."""
LINKS: Final = 3
PLACES: Final = 8
"""Places that a new core memory cites."""
ADDS: Final = 0.5
"""Duplication from which a sentence adds to a memory, so that it may become its footnote."""


@dataclass(frozen=True, slots=True)
class Place:
    """A person's words elsewhere, and what they belong to (memory.promotion.task_of)."""

    quote: Quote
    task: str


Heard = Callable[[str], Sequence[Place]]
"""The places, among the vault's facts, that may say what a sentence says."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate taken apart: its insight, the core memory nearest to it, and what bears it out."""

    candidate: Candidate
    insight: str
    quote: Quote | None
    target: CoreMemory | None = None
    duplication: float = 0.0
    contrary: Contrary | None = None
    places: tuple[Place, ...] = ()
    promotion: Promotion | None = None
    beside: tuple[CoreMemory, ...] = ()
    outright: bool = False
    """The person said outright that it holds."""

    @property
    def due(self) -> bool:
        """Whether it may become a core memory."""
        return self.promotion is not None and self.promotion.due


@dataclass(slots=True)
class Rules:
    """The judge of a night without a model. `today` is the night's day; `folder` the memory folder's vault path.

    `earlier` are the candidates of earlier nights that still wait. Verdicts come in the order of the candidates.
    """

    today: str
    folder: str
    heard: Heard = lambda _text: ()
    earlier: Sequence[Place] = ()
    likeness: Likeness = field(default_factory=Likeness)
    waits: int = WAITS

    def __call__(self, candidates: Sequence[Candidate], core: Core) -> list[Judged]:
        """The verdicts of a night."""
        weighed = [self.weigh(candidate, candidates, core) for candidate in candidates]
        judged = [self.judge(one, core) for one in weighed]
        return self.among_themselves(weighed, judged)

    # --- weighing -----------------------------------------------------------------------------------------------------

    def weigh(
        self, candidate: Candidate, all_: Sequence[Candidate], core: Core, said: tuple[str, Quote] | None = None
    ) -> Weighed:
        """A candidate set against the core and against all that may bear it out; by its own best sentence, or that of `said`."""
        found = None if candidate.machine else said or insight_of(candidate)
        if found is None:
            return Weighed(candidate, "", None)
        insight, quote = found
        compared = self.nearest(insight, candidate, core)
        target, duplication = compared[0] if compared else (None, 0.0)
        contrary: Contrary | None = None
        for memory, share in compared[:COMPARED]:
            contrary = self.likeness.contrary(insight, memory.claim, share, (candidate.day, memory.day))
            if contrary is not None:
                target, duplication = memory, share
                break
        places = self._places(insight, quote, candidate, all_)
        told = [Sighting(place.quote.day or None, place.quote.note, place.task) for place in places]
        says = stated(quote.text) or stated(insight)
        opposed = contrary is not None and not contrary.newer
        open_ = [place for place in places if not place.quote.private]
        if not candidate.private and len(open_) < len(places):
            only = [Sighting(place.quote.day or None, place.quote.note, place.task) for place in open_]
            if promotion(only, stated=says, disputed=opposed).due:
                places, told = open_, only  # what is private need not be named
        beside = tuple(m for m, share in compared if share >= NEAR or m.path in candidate.near)
        return Weighed(
            candidate, insight, quote, target, duplication, contrary, tuple(places),
            promotion(told, stated=says, disputed=opposed), beside, says,
        )  # fmt: skip

    def nearest(self, insight: str, candidate: Candidate, core: Core) -> list[tuple[CoreMemory, float]]:
        """The core memories with how much of the insight each says, the most first."""
        shares = [(memory, self.likeness.duplication(insight, memory.claim)) for memory in core.memories]
        near = {path: n for n, path in enumerate(candidate.near)}
        shares.sort(key=lambda one: (-one[1], near.get(one[0].path, len(near)), one[0].path))
        return [(memory, share) for memory, share in shares if share >= NEAR or memory.path in near]

    def _places(self, insight: str, quote: Quote, candidate: Candidate, all_: Sequence[Candidate]) -> list[Place]:
        """One place of each note and day that says the same, its own among them, by day and path."""
        own = Place(replace(quote, day=candidate.day, private=candidate.private), candidate.task)
        others = [
            Place(replace(said, day=other.day, private=other.private), other.task)
            for other in all_
            if other.note != candidate.note and not other.machine
            for said in other.quotes
        ]
        found: dict[str, tuple[float, Place]] = {own.quote.note: (2.0, own)}
        for place in (*others, *self.earlier, *self.heard(insight)):
            text = line_of(plain(place.quote.text))
            if place.quote.note == own.quote.note or not text:
                continue
            share = self.likeness.duplication(insight, text)
            best = found.get(place.quote.note)
            if share < SAME or (best is not None and best[0] >= share):
                continue
            if self.likeness.contrary(insight, text, share, (candidate.day, place.quote.day)) is None:
                found[place.quote.note] = (share, place)
        return sorted((place for _, place in found.values()), key=lambda p: (p.quote.day or "9999", p.quote.note))

    # --- judging ------------------------------------------------------------------------------------------------------

    def judge(self, one: Weighed, core: Core) -> Judged:
        """What the rules make of a candidate."""
        zh = one.candidate.lang == "zh"
        if one.quote is None:
            why = ("出自机器，不算依据", "written by a machine: no evidence of anything") if one.candidate.machine else (
                "没有一句话能单独成立、又不只是当天的事", "no sentence stands alone and is more than an event of the day")  # fmt: skip
            return _verdict(one, "release", "new", why[0] if zh else why[1])
        if one.contrary is not None:
            return self._contrary(one, one.contrary, core)
        if one.target is not None and one.duplication >= SAME:
            return self.known(one, one.target)
        relation: Relation = "complements" if one.target is not None and one.duplication >= BESIDE else "new"
        if one.due:
            return self.promoted(one, relation, core)
        if one.target is not None and one.duplication >= ADDS:
            return self.added(one, one.target, relation)
        return self.waiting(one, relation)

    def added(self, one: Weighed, target: CoreMemory, relation: Relation) -> Judged:
        """As a footnote of a core memory, where it may get one."""
        if not _may_add(one, target, "footnote"):
            return self.waiting(one, relation)
        said = f"补充了《{target.title}》" if one.candidate.lang == "zh" else f"adds to “{target.title}”"
        return _verdict(one, "compress", relation, said, target.path)

    def _contrary(self, one: Weighed, contrary: Contrary, core: Core) -> Judged:
        zh, target = one.candidate.lang == "zh", one.target
        assert target is not None  # a contradiction has two sides
        reason = contrary.reason(one.candidate.lang)
        if contrary.newer and one.due and not (target.private and not one.candidate.private):
            said = f"更正了《{target.title}》：{reason}" if zh else f"corrects “{target.title}”: {reason}"
            return replace(self.promoted(one, "corrects", core, said), target=target.path)
        return self.disputed(one, target, "corrects" if contrary.newer else "opposed", reason)

    def disputed(self, one: Weighed, target: CoreMemory, relation: Relation, reason: str) -> Judged:
        """Shown beside the core memory that it contradicts, where it may get a line: a person decides. `reason`: a sentence."""
        zh = one.candidate.lang == "zh"
        said = f"与《{target.title}》说法相反：{reason}" if zh else f"contradicts “{target.title}”: {reason}"
        if _may_add(one, target, "Disputed"):
            ask = "，请你裁定" if zh else " It is for you to decide."
            return replace(_verdict(one, "associate", relation, said.rstrip("。") + ask if zh else said + ask, target.path),
                           until=self._until(one))  # fmt: skip
        return self.waiting(one, relation, said)

    def known(self, one: Weighed, target: CoreMemory) -> Judged:
        """What a core memory says already: one more place that bears it out, where it may get a line."""
        zh = one.candidate.lang == "zh"
        said = f"《{target.title}》已经这么说" if zh else f"“{target.title}” says so already"
        if one.candidate.note in target.notes:
            more = "，也已引用这篇笔记" if zh else ", and cites this note"
            return _verdict(one, "release", "redundant", said + more)
        if not _may_add(one, target, "Evidence"):
            return _verdict(one, "release", "redundant", said)
        more = "，又多一处依据" if zh else ": one more place that bears it out"
        return _verdict(one, "associate", "redundant", said + more, target.path)

    def promoted(self, one: Weighed, relation: Relation, core: Core, said: str = "") -> Judged:
        """As a core memory of its own; for one that is due."""
        lang, places = one.candidate.lang, one.places[:PLACES]
        assert one.promotion is not None  # it is due
        reason = one.promotion.reason(lang)
        told = [*one.candidate.quotes, *(place.quote for place in places)]
        sentences = [one.insight, *(line_of(plain(quote.text)) for quote in told)]
        private = any(place.quote.private for place in places)
        type_ = type_of(bare(one.insight))
        beside = [m.path for m in one.beside if (private or not m.private) and not (said and m is one.target)]
        return replace(
            _verdict(one, "promote", relation, f"{said}{'；' if lang == 'zh' else ' '}{reason}" if said else reason),
            why=why_of(sentences),
            how=how_of(sentences),
            links=tuple(beside[:LINKS]),
            kind=type_,
            path=name_for(bare(one.insight), type_, self.folder, _hash(one.candidate), core.taken),
            places=tuple(place.quote for place in places),
        )

    def waiting(self, one: Weighed, relation: Relation, said: str = "") -> Judged:
        """Let go for now; it waits to be borne out."""
        lang = one.candidate.lang
        until = self._until(one)
        reason = one.promotion.reason(lang) if one.promotion is not None else ""
        waits = f"等待印证至 {until}" if lang == "zh" else f"it waits until {until} to be borne out"
        parts = [part for part in (said, reason, waits) if part]
        told = ("；" if lang == "zh" else "; ").join(part.rstrip(".。") for part in parts)
        return replace(_verdict(one, "release", relation, told), until=until)

    def _until(self, one: Weighed) -> str:
        try:
            first = date.fromisoformat((one.candidate.day or self.today)[:10])
        except ValueError:
            first = date.fromisoformat(self.today)
        return (max(first, date.fromisoformat(self.today)) + timedelta(days=self.waits)).isoformat()

    # --- among themselves ---------------------------------------------------------------------------------------------

    def among_themselves(self, weighed: Sequence[Weighed], judged: Sequence[Judged]) -> list[Judged]:
        """What is accepted in one night is set against each other: one memory for what says the same, none for both sides."""
        out = self._set_against(weighed, judged)
        return [replace(new, judge=old.judge, unjudged=old.unjudged) for new, old in zip(out, judged, strict=True)]

    def _set_against(self, weighed: Sequence[Weighed], judged: Sequence[Judged]) -> list[Judged]:
        out = list(judged)
        order = sorted(
            (n for n, one in enumerate(out) if one.decision == "promote"),
            key=lambda n: (-weighed[n].candidate.salience, weighed[n].candidate.note),
        )
        accepted: list[int] = []
        for n in order:
            other = next((m for m in accepted if self._share(weighed[n], weighed[m]) >= BESIDE), None)
            contrary = other is not None and self._against(weighed[n], weighed[other])
            if other is not None and contrary:
                for side, against in ((n, other), (other, n)):
                    out[side] = self._open(weighed[side], weighed[against])
                accepted.remove(other)
            elif other is not None and self._share(weighed[n], weighed[other]) >= SAME:
                out[n] = _joined(weighed[n], out[other])
            else:
                accepted.append(n)
        self._distinct(accepted, out)
        for n in accepted:
            cited = {quote.note for quote in out[n].places}
            for m, one in enumerate(out):
                if m != n and one.decision == "release" and one.candidate.note in cited:
                    out[m] = _joined(weighed[m], out[n])
        return out

    def _share(self, a: Weighed, b: Weighed) -> float:
        return self.likeness.duplication(a.insight, b.insight)

    def _against(self, a: Weighed, b: Weighed) -> bool:
        days = (a.candidate.day, b.candidate.day)
        return self.likeness.contrary(a.insight, b.insight, self._share(a, b), days) is not None

    def _open(self, one: Weighed, against: Weighed) -> Judged:
        zh = one.candidate.lang == "zh"
        title = against.candidate.title
        said = (
            f"与同一晚的《{title}》说法相反，请你裁定"
            if zh
            else f"“{title}”, of the same night, says the contrary: decide"
        )
        return self.waiting(replace(one, promotion=None), "opposed", said)

    def _distinct(self, accepted: Sequence[int], out: list[Judged]) -> None:
        """No two memories of a night under one name."""
        used: set[str] = set()
        for n in sorted(accepted, key=lambda n: (out[n].candidate.note, out[n].candidate.key)):
            one = out[n]
            if fold(one.path) in used:
                stem, key = one.path.removesuffix(".md"), _hash(one.candidate)
                free = (f"{stem} {key[:size]}.md" for size in range(6, len(key) + 1, 2))
                out[n] = replace(one, path=next((p for p in free if fold(p) not in used), f"{stem} {key}.md"))
            used.add(fold(out[n].path))


def insight_of(candidate: Candidate) -> tuple[str, Quote] | None:
    """The person's most telling sentence that stands alone and is more than an event of a day, its marks taken off, and where
    it stands; None without one."""
    for quote in candidate.quotes:
        text = line_of(plain(quote.text))
        if stands_alone(text, dated=bool(candidate.day)) and not passing(text):
            return text, quote
    return None


def stands_alone(text: str, *, dated: bool) -> bool:
    """Whether a line can be understood by itself, and claims something. `dated`: the day it was said is known."""
    if not text or len(text) > LONGEST or unworthy(text) or misshapen(text, subject=None, dated=dated):
        return False
    if figure_of(re.split("[:：]", text, maxsplit=1)[-1].strip()) is not None:
        return False  # a reading of a series: a fact, whose next one differs
    claim = read_claim(text)
    return not claim.question and not claim.code


def _may_add(one: Weighed, memory: CoreMemory, label: str) -> bool:
    """Whether a memory may get a line of this candidate: Ebbtide wrote it, it has room, and nothing private becomes less so."""
    return memory.ours and room(memory, label) and (memory.private or not one.candidate.private)


def _verdict(one: Weighed, decision: Decision, relation: Relation, said: str, target: str | None = None) -> Judged:
    return Judged(
        one.candidate, said, relation, one.duplication, decision, one.insight, target=target,
        places=tuple(place.quote for place in one.places),
    )  # fmt: skip


def _joined(one: Weighed, new: Judged) -> Judged:
    """A candidate that says what a new memory of the same night says, and is cited there."""
    zh = one.candidate.lang == "zh"
    said = "今晚的新记忆已经包含它" if zh else "a new memory of this night says it"
    verdict = _verdict(one, "associate", "redundant", said, new.path)
    return replace(verdict, links=(), duplication=max(one.duplication, SAME))


def _hash(candidate: Candidate) -> str:
    """Hex digits that name a candidate."""
    return hashlib.blake2b(candidate.key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
