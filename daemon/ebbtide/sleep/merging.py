"""Which core memories say the same, so that one of them becomes evidence of the other. Pure; the same whatever order they come in.

Two are merged if one says nearly all that the other says, or if a sharper one (a principle) covers a pattern. Never what
contradicts, what tells of another subject, scope or language, what is private on one side only; and what a person wrote or
changed is never merged away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ebbtide.memory.revisions import effective
from ebbtide.memory.states import Lang
from ebbtide.sleep import core_note
from ebbtide.sleep.likeness import FEW, Likeness
from ebbtide.sleep.nights import CoreMemory, Step
from ebbtide.sleep.planning import digest, inside

COVERED: Final = 0.5
"""Duplication from which a pattern may be an instance of a principle."""
INSTANCE: Final = 0.8
"""Share of the principle's words that such a pattern must have."""
SHARPNESS: Final[Mapping[str, int]] = {
    "principle": 0, "rule": 0, "preference": 0, "原则": 0, "规则": 0, "偏好": 0, "model": 1, "reference": 1, "模型": 1,
}  # fmt: skip
PATTERN: Final = 2
"""Sharpness of all else: what was only seen again and again."""
PROPOSES: Final = "proposes"
"""The field of a revision that only proposes something: its kind."""
MERGES: Final = "core_merges"
"""A subject of every proposal, by which all are found."""


@dataclass(frozen=True, slots=True)
class Known:
    """A core memory and what decides which of two stays.

    `own`: a person wrote or changed it, or pinned it. `places`: how many notes bear it out; `confirmed`: on how many days it
    was confirmed; `scope`: for whom or what it holds.
    """

    memory: CoreMemory
    own: bool = False
    places: int = 0
    confirmed: int = 0
    scope: str = ""
    disputed: bool = False

    @property
    def sharpness(self) -> int:
        """0 is a principle."""
        return SHARPNESS.get(self.memory.type.strip().lower(), PATTERN)

    @property
    def rank(self) -> tuple[Any, ...]:
        """The lower one stays."""
        memory = self.memory
        return (
            not self.own, self.sharpness, -self.places, -self.confirmed, memory.day or "9999", memory.path,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Merge:
    """One core memory becomes evidence of another. `covers`: as an instance of it, not because both say the same."""

    kept: CoreMemory
    covered: CoreMemory
    share: float
    covers: bool = False

    def reason(self, lang: Lang) -> str:
        """For a person."""
        title = self.kept.title
        if self.covers:
            return f"是《{title}》的一个例子" if lang == "zh" else f"an instance of “{title}”"
        if lang == "zh":
            return f"与《{title}》说的是同一件事（{self.share:.0%}）"
        return f"says what “{title}” says ({self.share:.0%})"


def merges(
    known: Iterable[Known],
    likeness: Likeness,
    least: float,
    most: int,
    leave: Callable[[Merge], bool] = lambda _one: False,
    check: Callable[[], None] = lambda: None,
) -> list[Merge]:
    """What may be merged, the most alike first, `most` at most; each memory is merged away once, and none into one that is.

    `least`: duplication from which two say the same; `leave`: whether a merge is none of those that are asked for; `check` is
    called between memories and may raise.
    """
    listed = sorted(known, key=lambda one: one.memory.path)
    found = []
    for a, b in likeness.touching([one.memory.claim for one in listed], min(least, COVERED), check):
        check()
        merge = between(listed[a], listed[b], likeness, least)
        if merge is not None and not leave(merge):
            found.append(merge)
    found.sort(key=lambda one: (one.covers, -one.share, one.covered.path, one.kept.path))
    gone: set[str] = set()
    stays: set[str] = set()
    out: list[Merge] = []
    for one in found:
        if len(out) == most:
            break
        if one.covered.path in gone | stays or one.kept.path in gone:
            continue
        gone.add(one.covered.path)
        stays.add(one.kept.path)
        out.append(one)
    return out


def between(a: Known, b: Known, likeness: Likeness, least: float) -> Merge | None:
    """Whether, and which way, two core memories are merged; the same in either order."""
    kept, covered = sorted((a, b), key=lambda one: one.rank)
    if covered.own or not covered.memory.ours or covered.disputed:
        return None
    one, two = kept.memory, covered.memory
    if (one.lang, one.private, kept.scope) != (two.lang, two.private, covered.scope):
        return None
    sharper = kept.sharpness < covered.sharpness == PATTERN and _within(one, two, likeness)
    if likeness.alike(one.claim, two.claim) < (min(least, COVERED) if sharper else least):
        return None  # before the dearer look at what each speaks of
    share = likeness.duplication(one.claim, two.claim)
    if share < least and not (sharper and share >= COVERED):
        return None
    apart = likeness.apart(one.claim, two.claim)
    # Either may be the later one, so that what denies is asked for in both orders.
    denies = any(likeness.contrary(x.claim, y.claim, share, (x.day, y.day)) for x, y in ((one, two), (two, one)))
    return None if apart or denies else Merge(one, two, share, share < least)


def _within(principle: CoreMemory, pattern: CoreMemory, likeness: Likeness) -> bool:
    """Whether a pattern has nearly all that a principle speaks of."""
    words = likeness.words(likeness.bare(principle.claim))
    return len(words) >= FEW and len(words & likeness.words(likeness.bare(pattern.claim))) >= INSTANCE * len(words)


# --- a person's hand ----------------------------------------------------------------------------------------------


def untouched(revisions: Sequence[Mapping[str, Any]], rel: str, now: str) -> bool:
    """Whether a file holds what Ebbtide last wrote there and nobody ever changed between two of its writes.

    `revisions`: all about it; `rel`: its path in the memory folder; `now`: the hash of its bytes.
    """
    last = ""
    for revision in effective(revisions):
        for change in revision.get("changes") or ():
            if isinstance(change, Mapping) and change.get("path") == rel and change.get("field") == "content":
                if str(change.get("before") or "") != last:
                    return False
                last = str(change.get("after") or "")
    return bool(now) and last == now


# --- carrying out -------------------------------------------------------------------------------------------------


def steps(found: Sequence[Merge], folder: str, lang: Lang) -> list[Step]:
    """The steps that carry merges out, one a merge: both files change, or neither."""
    texts: dict[str, CoreMemory] = {}
    out = []
    for one in found:
        kept = texts.get(one.kept.path, one.kept)
        text = core_note.absorbed(kept.text, one.covered) if kept.ours else kept.text
        second = (inside(kept.path, folder), kept.digest, text) if text != kept.text else None
        texts[kept.path] = _with(kept, text)
        out.append(_step(one, folder, one.reason(lang), second))
    return out


def _step(one: Merge, folder: str, why: str, second: tuple[str, str, str] | None) -> Step:
    after = core_note.retired(one.covered.text, one.kept.path, "merged")
    extra = {"object": one.kept.id, "claims": claims(one)}
    path = inside(one.covered.path, folder)
    return Step("merge", path, one.covered.digest, after, (one.covered.id,), why, (), extra, second)


def _with(memory: CoreMemory, text: str) -> CoreMemory:
    return replace(memory, text=text, digest=digest(text))


def claims(one: Merge) -> dict[str, str]:
    """What both say, as hashes by id: a question that was answered comes back only if one of them says something else."""
    return {memory.id: said(memory.claim) for memory in (one.covered, one.kept)}


def said(claim: str) -> str:
    """A hash of what a memory claims."""
    return hashlib.blake2b(claim.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# --- proposing ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proposal:
    """A merge that a night proposed: ids of both, hashes of their claims, when (ISO 8601) and why."""

    covered: str
    kept: str
    claims: Mapping[str, str]
    at: str
    why: str

    @property
    def pair(self) -> frozenset[str]:
        """Both, whichever stays."""
        return frozenset((self.covered, self.kept))


def proposed(one: Merge, lang: Lang) -> Step:
    """The step that proposes a merge: a revision alone, which changes no standing."""
    extra = {"object": one.kept.id, PROPOSES: "merge", "claims": claims(one)}
    return Step("associate", "", "", None, (one.covered.id, MERGES), one.reason(lang), (), extra)


def proposals(revisions: Sequence[Mapping[str, Any]]) -> list[Proposal]:
    """The latest proposal of each pair that was not taken back, the oldest first. `revisions`: all about MERGES."""
    found: dict[frozenset[str], Proposal] = {}
    for revision in effective(revisions):
        names = [str(name) for name in revision.get("subjects") or () if name != MERGES]
        other, told = revision.get("object"), revision.get("claims")
        if revision.get(PROPOSES) != "merge" or len(names) != 1 or not isinstance(other, str):
            continue
        if isinstance(told, Mapping):
            one = Proposal(names[0], other, dict(told), str(revision.get("at")), str(revision.get("why") or ""))
            found[one.pair] = one
    return sorted(found.values(), key=lambda one: (one.at, one.covered, one.kept))


def before(one: Merge, earlier: Iterable[Proposal]) -> Proposal | None:
    """The proposal by which just this was asked before: it is open, or a person has decided."""
    same = (old for old in earlier if {one.covered.id, one.kept.id} == old.pair and claims(one) == dict(old.claims))
    return next(same, None)


def taken_back(one: Merge, revisions: Iterable[Mapping[str, Any]]) -> bool:
    """Whether just this was merged and a person took it back by itself (not with its whole night). `revisions`: all about `covered`."""
    known = list(revisions)
    undone = {str(r["undoes"]): str(r.get("id")) for r in known if r.get("undoes")}
    return any(
        r.get("kind") == "merge"
        and r.get("claims") == claims(one)
        and undone.get(str(r.get("id")), "") not in {"", *undone}
        for r in known
    )
