"""The six gates that every candidate fact passes, whoever brings it: rules, a model, or an agent. Pure; mission.md B.

Evidence, version, shape, worth, trigger, collision, in this order: what is cheap and certain first. The first gate that
has something to say decides, and says why in words. Nothing is silent: a refusal is kept with its reason, a collision
becomes a ruling that can be undone or a dispute that a person settles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ebbtide.memory.records import Fact
from ebbtide.memory.states import FactType, Lang
from ebbtide.memory.worth import Flaw, misshapen, unworthy

Gate = Literal["evidence", "version", "shape", "worth", "trigger", "collision"]
GATES: Final[tuple[Gate, ...]] = get_args(Gate)
Outcome = Literal["accept", "merge", "supersede", "dispute", "hold", "refuse"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class Collision:
    """What an earlier fact and the new one say about the same thing. `ruling` is that of memory.conflict."""

    other: str
    ruling: Literal["supersede", "merge", "dispute"]
    kind: str
    newer: bool
    """The new one holds now: for `supersede`, it takes the other's place; else the other takes its."""
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a candidate. `gate` is the one that decided (None: it passed all six); `against` are the facts concerned."""

    outcome: Outcome
    gate: Gate | None = None
    code: str = ""
    reason: str = ""
    against: tuple[Collision, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate and what is known about it.

    `live`: its quote stands verbatim in the note now. `forgotten`: a person wanted just this claim forgotten. `stale`: it was
    read from an older text of its note, or by a lesser extractor than what is stored. `generated`: the place it stands in was written by
    Ebbtide or an agent.
    """

    fact: Fact
    lang: Lang
    live: bool
    forgotten: bool = False
    stale: bool = False
    generated: bool = False
    collisions: Sequence[Collision] = ()


_GONE: Final = Flaw("no-quote", "the note does not say this in these words", "笔记里没有这句原话")
_FORGOTTEN: Final = Flaw("forgotten", "you asked to forget this", "你要求忘记这一条")
_OLD: Final = Flaw("old-reading", "read from an older text of the note", "出自笔记的旧版本")
_OWN: Final = Flaw("own-words", "written by Ebbtide or an agent, not by a person", "出自 Ebbtide 或智能体，不是人写的")
_CONCLUDED: Final = Flaw("concluded", "concluded, not stated: it waits until it is confirmed", "推断而非陈述，等待确认")
_EXTERNAL: Final = Flaw(
    "external", "its source is outside the vault: it waits until it is confirmed", "来源在库外，等待确认"
)
_NO_TRIGGER: Final = Flaw("no-trigger", "does not say when it matters", "没有说明什么时候用得上")
_UNSURE: Final = Flaw("unsure", "too uncertain to answer with", "把握太小，暂不用于回答")

SURE_ENOUGH: Final = 0.5
"""Confidence under which a stated claim is held."""


def judge(case: Case) -> Verdict:
    """The verdict of the six gates."""
    fact = case.fact
    for gate, flaw in (
        ("evidence", _evidence(case)),
        ("version", _FORGOTTEN if case.forgotten else _OLD if case.stale else None),
        ("shape", misshapen(fact.fact, subject=fact.subject, dated=fact.created_at is not None)),
        ("worth", unworthy(fact.fact)),
    ):
        if flaw is not None:
            return _verdict("refuse", gate, flaw, case.lang)  # type: ignore[arg-type]  # the literals above are gates
    if not fact.trigger and not fact.action and trigger_by_rule(fact, case.lang) == "":
        return _verdict("hold", "trigger", _NO_TRIGGER, case.lang)
    if fact.origin != "observed":
        return _verdict("hold", "evidence", _CONCLUDED, case.lang)
    if fact.source_kind == "external":
        return _verdict("hold", "evidence", _EXTERNAL, case.lang)
    if fact.confidence < SURE_ENOUGH:
        return _verdict("hold", "worth", _UNSURE, case.lang)
    if case.collisions:
        first = min(case.collisions, key=lambda c: (_ORDER[c.ruling], c.other))
        same = tuple(c for c in case.collisions if c.ruling == first.ruling)
        return Verdict(first.ruling, "collision", first.kind, first.reason, same)
    return Verdict("accept")


_ORDER: Final = {"dispute": 0, "supersede": 1, "merge": 2}


def _evidence(case: Case) -> Flaw | None:
    if case.generated and case.fact.origin == "observed":
        return _OWN
    return _GONE if not case.live and case.fact.source_kind != "external" else None


def _verdict(outcome: Outcome, gate: Gate, flaw: Flaw, lang: Lang) -> Verdict:
    return Verdict(outcome, gate, flaw.code, flaw.reason(lang))


_WHEN: Final[dict[FactType, tuple[str, str]]] = {
    "decision": ("when {it} is up for decision", "再要决定{it}时"),
    "preference": ("when choosing for {it}", "为{it}做选择时"),
    "constraint": ("when working on {it}", "处理{it}时"),
    "procedure": ("when doing {it}", "做{it}时"),
    "lesson": ("when {it} comes up again", "再遇到{it}时"),
    "metric": ("when {it} is measured or compared", "衡量或比较{it}时"),
    "definition": ("when {it} is mentioned", "提到{it}时"),
    "event": ("when asked what happened with {it}", "问起{it}的经过时"),
    "state": ("when asked how {it} stands", "问起{it}的现状时"),
    "relation": ("when {it} is involved", "涉及{it}时"),
    "plan": ("when planning {it}", "安排{it}时"),
}


def trigger_by_rule(fact: Fact, lang: Lang) -> str:
    """When a fact matters, from its type and subject; empty if it has no subject."""
    about = fact.subject or fact.heading
    if not about:
        return ""
    return _WHEN[fact.type][1 if lang == "zh" else 0].format(it=about)
