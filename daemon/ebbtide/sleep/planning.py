"""From verdicts to steps, and the plan as JSON: the same verdicts on the same core give the same bytes. Pure.

Each step carries what must be there before it and what is there afterwards, so that it can be done again after a kill without
doing anything twice, and left out where a person was faster.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, Final

from ebbtide.sleep import core_note
from ebbtide.sleep.nights import Candidate, Core, CoreMemory, Judged, Plan, Quote, Step

VERSION: Final = 1
CONFIDENCE: Final = (0.6, 0.1, 0.9)
"""Confidence of a new core memory: with one place, for each further one, at most."""

NewId = Callable[[str], str]
"""The id that a note gets when it is written at this vault path."""


def planned(
    day: str,
    core: Core,
    candidates: Sequence[Candidate],
    judged: Sequence[Judged],
    processed: int,
    *,
    folder: str,
    new_id: NewId,
    further: Sequence[Step] = (),
    skipped: Sequence[str] = (),
) -> Plan:
    """The plan of a night. `folder` is the memory folder's vault path; `further` are steps that are none of a candidate's, whose `needs`
    count from the first of them."""
    texts = {memory.path: memory for memory in core.memories}
    steps: list[Step] = []
    written: dict[str, int] = {}
    """Vault path of a new memory -> the number of its step."""
    for one in judged:
        if one.decision == "promote":
            written[one.path] = len(steps)
            steps.append(_promote(one, day, folder, new_id(one.path)))
            if one.target is not None and one.target in texts and texts[one.target].ours:
                step, texts[one.target] = _retire(one, texts[one.target], folder, new_id(one.path), len(steps) - 1)
                steps.append(step)
    for one in judged:
        if one.decision == "promote":
            continue
        memory = texts.get(one.target or "")
        if memory is not None:
            step, texts[memory.path] = _added(one, memory, day, folder)
            steps.append(step)
        else:
            steps.append(_marked(one, written, new_id))
    return Plan(day, core.hash, tuple(candidates), tuple(judged), joined(steps, further), processed, tuple(skipped))


def joined(*groups: Sequence[Step]) -> tuple[Step, ...]:
    """Groups of steps in a row: the `needs` of each, which count within its group, count from the first of all."""
    out: list[Step] = []
    for group in groups:
        first = len(out)
        for step in group:
            needs = step.extra.get("needs")
            shifted = {**step.extra, "needs": needs + first} if first and isinstance(needs, int) else step.extra
            out.append(replace(step, extra=shifted))
    return tuple(out)


def unjudged(judged: Sequence[Judged]) -> list[str]:
    """The candidates that rules judged in a model's place, by reason, in words; the commonest reason first."""
    reasons = Counter(one.unjudged for one in judged if one.unjudged)
    first = {one.unjudged: one.candidate.lang for one in reversed(judged)}
    return [
        f"{n} 条候选改由规则判断：{why}" if first[why] == "zh" else f"{n} of the candidates judged by rules: {why}"
        for why, n in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]


def digest(content: str | bytes | None) -> str:
    """The content hash of a file with this text or these bytes (vault.lines.digest_of); "" for none."""
    if content is None:
        return ""
    return hashlib.blake2b(content.encode() if isinstance(content, str) else content, digest_size=16).hexdigest()


def _promote(one: Judged, day: str, folder: str, ident: str) -> Step:
    first, more, most = CONFIDENCE
    new = core_note.NewCore(
        one.kind, one.insight, day, one.candidate.lang, one.places, one.why, one.how, one.links, one.target,
        round(min(most, first + more * (len(one.places) - 1)), 2), any(place.private for place in one.places),
    )  # fmt: skip
    extra = {**_of(one), "object": one.candidate.key}
    return Step(
        "promote", inside(one.path, folder), "", core_note.written(new), (ident,), one.reasoning, one.places, extra
    )


def _retire(one: Judged, memory: CoreMemory, folder: str, new: str, needs: int) -> tuple[Step, CoreMemory]:
    after = core_note.retired(memory.text, one.path)
    extra = {"object": new, "needs": needs, "key": one.candidate.key}
    step = Step(
        "supersede", inside(memory.path, folder), memory.digest, after, (memory.id,), one.reasoning, one.places, extra
    )
    return step, _now(memory, after)


def _added(one: Judged, memory: CoreMemory, day: str, folder: str) -> tuple[Step, CoreMemory]:
    """A line or a footnote in a core memory."""
    quote = _own(one)
    if one.decision == "compress":
        after = core_note.with_footnote(memory.text, quote)
    else:
        label = "Evidence" if one.relation == "redundant" else "Disputed"
        after = core_note.with_place(memory.text, label, quote, day)
    extra = {**_of(one), "object": memory.id}
    step = Step(
        one.decision, inside(memory.path, folder), memory.digest, after, _subjects(one), one.reasoning, (quote,),
        extra,
    )  # fmt: skip
    return step, _now(memory, after)


def _marked(one: Judged, written: Mapping[str, int], new_id: NewId) -> Step:
    """Marked as seen: released, or taken in by a memory that this night writes."""
    extra = _of(one)
    if one.target in written:
        extra |= {"object": new_id(one.target or ""), "needs": written[one.target or ""]}
    quotes = (_own(one),) if one.candidate.quotes else ()
    return Step(one.decision, "", "", None, _subjects(one), one.reasoning, quotes, extra)


def _subjects(one: Judged) -> tuple[str, ...]:
    """The note, and the candidate as which a night knows it again while nobody changes it."""
    return one.candidate.id, one.candidate.key


def _now(memory: CoreMemory, text: str) -> CoreMemory:
    return replace(memory, text=text, digest=digest(text))


def _own(one: Judged) -> Quote:
    """The candidate's own words for its insight."""
    own = [quote for quote in one.places if quote.note == one.candidate.note]
    quote = own[0] if own else one.candidate.quotes[0]
    return replace(quote, day=one.candidate.day, private=one.candidate.private)


def _of(one: Judged) -> dict[str, Any]:
    """What a revision says of its candidate: enough to know it again, and to bear another one out while it waits."""
    told: dict[str, Any] = {"key": one.candidate.key}
    told |= {"judge": one.judge} if one.judge != "rules" else {}
    if one.until:
        told |= {"until": one.until, "task": one.candidate.task, "day": one.candidate.day}
        told |= {"private": True} if one.candidate.private else {}
    return told


def inside(path: str, folder: str) -> str:
    """A vault path as one of the memory folder."""
    return path.removeprefix(f"{folder}/")


# --- JSON ---------------------------------------------------------------------------------------------------------


def to_json(plan: Plan) -> bytes:
    """The plan as a JSON document; the same plan gives the same bytes. Lone surrogates become escapes."""
    body = {"version": VERSION, **asdict(plan)}
    for judged, one in zip(body["judged"], plan.judged, strict=True):
        judged["candidate"] = plan.candidates.index(one.candidate)
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, indent=1)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def from_json(data: bytes) -> Plan:
    """The plan again. Raises ValueError if it is none, or of another version."""
    try:
        body = json.loads(data)
        if body["version"] != VERSION:
            raise ValueError("a plan of another version")
        candidates = tuple(_candidate(item) for item in body["candidates"])
        judged = tuple(
            _made(
                Judged, item | {"candidate": candidates[item["candidate"]], "places": _quotes(item["places"])}, "links"
            )
            for item in body["judged"]
        )
        steps = tuple(_step(item) for item in body["steps"])
        skipped = tuple(map(str, body["skipped"]))
        return Plan(body["day"], body["core"], candidates, judged, steps, body["processed"], skipped)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"not a plan: {error!r}") from error


def steps_to_json(steps: Sequence[Step]) -> bytes:
    """Steps alone, as they stand in a plan."""
    text = json.dumps([asdict(step) for step in steps], ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def steps_from_json(data: bytes) -> tuple[Step, ...]:
    """Steps again. Raises ValueError."""
    try:
        return tuple(_step(item) for item in json.loads(data))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not steps: {error!r}") from error


def _candidate(item: Mapping[str, Any]) -> Candidate:
    made: Candidate = _made(Candidate, {**item, "quotes": _quotes(item["quotes"])}, "why", "near")
    return made


def _step(item: Mapping[str, Any]) -> Step:
    second = item.get("second")
    values = {**item, "evidence": _quotes(item["evidence"]), "second": tuple(second) if second else None}
    made: Step = _made(Step, values, "subjects")
    return made


def _quotes(items: Sequence[Mapping[str, Any]]) -> tuple[Quote, ...]:
    return tuple(_made(Quote, item) for item in items)


def _made(kind: Any, values: Mapping[str, Any], *tuples: str) -> Any:
    known = {item.name for item in fields(kind)}
    return kind(**{name: tuple(value) if name in tuples else value for name, value in values.items() if name in known})
