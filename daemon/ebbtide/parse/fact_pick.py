"""Which claims of a note are worth keeping: their worth one by one, then the best ten, spread and without repeats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ebbtide.memory.records import Unit
from ebbtide.memory.states import FactType
from ebbtide.memory.worth import misshapen, unworthy
from ebbtide.parse.fact_cues import ADDRESSING, BINDING, BOUND, FELT, HEDGE, HEDGED, POINTING
from ebbtide.parse.fact_text import starts_vaguely
from ebbtide.parse.text import count_cjk, fold, is_cjk

MAX_FACTS: Final = 10
ENOUGH: Final = 1.5
"""Below this worth a claim is not kept; a long note that would yield fewer than three goes down to `AT_LEAST`."""
AT_LEAST: Final = 1.1
TOLD: Final = 1.3
"""In a dialogue: what a hundred characters told in the same turn add to a claim. People dwell on what matters to them."""
BRIEF: Final = 30
"""Characters of a turn that add nothing: an answer, not a telling."""
IMPERSONAL: Final = 0.5
"""The share of that for a claim about neither the speaker nor what they do together."""
FLOOR: Final = 0.8
"""Worth that a claim of a dialogue has in itself before its turn counts."""
SECOND: Final = 4.0
"""In a dialogue: worth that a further claim of the same turn must have."""
ONE_A_TURN: Final = 3.0
"""In a dialogue: what a claim loses for each one taken from its turn."""
LONG_NOTE: Final = 1200
"""Characters of text (Chinese counts double) from which a note is expected to hold three facts."""


@dataclass(slots=True)
class Claim:
    """A sentence, row or property on its way to become a fact. text[start:end] of the note is its quote."""

    text: str
    start: int
    end: int
    kind: FactType
    basis: str
    """words, place, note, option, form, noted (PLAIN) or default: what the type rests on."""
    unit: Unit | None = None
    index: int = -1
    section: int = 0
    speaker: str | None = None
    personal: bool = False
    """The writer or speaker is its subject."""
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    ground: str | None = None
    command: str | None = None
    result: bool = False
    labelled: bool = False
    joined: bool = False
    told: int = 0
    """In a dialogue: characters of the turn that are said rather than asked."""
    worth: float = 0.0
    folded: str = ""
    gates: int = 0


_TYPE_WORTH: Final[dict[FactType, float]] = {
    "decision": 2.6,
    "preference": 2.6,
    "constraint": 2.4,
    "lesson": 2.4,
    "metric": 2.2,
    "procedure": 1.9,
    "event": 2.0,
    "plan": 2.0,
    "relation": 1.9,
    "definition": 1.8,
    "state": 1.5,
}
_BASIS_WORTH: Final = {
    "words": 0.3,
    "place": 0.0,
    "note": 0.1,
    "default": -0.5,
    "form": -0.5,
    "noted": 0.1,
    "option": -0.2,
}
PLAIN: Final = {"default": "form", "note": "noted"}
"""What a type rests on when the form of the sentence gave it, where before it rested on nothing, or on the note's own type."""
_PLAIN_WORTH: Final = _TYPE_WORTH["definition"]
_NAME = re.compile(
    r"(?<=[\w,;:] )[A-Z][A-Za-z0-9.+#-]+|《[^》]+》|「[^」]+」|“[^”]{2,20}”|\"[^\"]{2,60}\""
    r"|\b[A-Z]{2,}\b|\b[A-Za-z]+\d[\w.]*"
)
_LATIN_IN_HAN = re.compile(r"[A-Za-z][\w.+#-]+")
_DATE = re.compile(
    r"\d{4}|\d+[月日号]|昨天|前天|上周|去年|yesterday|last (?:week|month|year|night|\w+day)|\bago\b", re.IGNORECASE
)
_FEELING = re.compile(
    r"\b(?:awesome|amazing|great|wonderful|fantastic|incredible|so (?:much )?(?:fun|cool|special|happy"
    r"|proud|excited)|grateful|thankful|blessed|super|fun\b|hopefully|really (?:nice|cool|special)|lovely|inspiring"
    r"|it's (?:important|good|great|nice)|means a lot|keep going|life is|reminds?)\b|真好|太好|开心"
    r"|高兴|努力|加油|希望(?!.{0,4}(?:学|去|能在))",
)
_DANGLING = re.compile(
    r"\b(?:these|those) (?!days|years|weeks)\w+|\bthe idea\b|^(?:(?!(?:an?|the|my|our|his|her|some)\b)\S+ ){1,6}(?:it|them)\b"
    r"|\bthat up\b|\b(?:it|them|one|this|these|those)\b(?=[.!,]|$| (?:but|has|had|made|and"
    r"|when|to|for|was|is|really|takes|so"
    r"|with|all|can)\b)|^(?:it|this|that|these|those)\b"
    r"|\bthat(?=[.!,]|$)"
)
"""A pronoun at the end of a clause or the start of a sentence: what it stands for is in another turn."""
_ELSEWHERE = re.compile(
    r"以上|上述|如下|下面|如图|下图|上图|见下|此处|这里|前文|前面(?!的?人)|^(?:又?比如|例如|举例|譬如|甚至|假设|假如|设想|试想"
    r"|等到?|接着|然后)"
    r"|\b(?:above|below|as follows|the following|see (?:figure|table))\b|^(?:for (?:example|instance)|e\.g\.|suppose|imagine|assume)"
)
"""What points to another place of the note, or is only an example of what stands there."""
_PASSING = re.compile(
    r"another question|go(?:ing)? (?:to )?(?:check|deal) (?:out|with) (?:th|some)|(?:do|try) (?:my|their|your) best|^当然"
    r"|let's (?:chat|talk|catch up)|chat again|\bbye\b|talk (?:to you )?(?:later|soon|next time)|(?:has"
    r"|have|need|needs|got) to go\b|gotta go|reach out|keep (?:you|that|it|this|them)\b"
    r"|(?:give|gave) (?:it|that|them) a (?:try|shot|go)|check (?:it|that|them|this) out|let (?:you"
    r"|u) know|take a look|look into (?:it|that)|this again|like (?:this|that)\b|some of that"
    r"|this one|seeing them|what you|\bgot it\b|\bthis (?!week|month|year|weekend|morning|summer"
    r"|winter|spring|fall|past|time|is|was|has)\w+|下次(?:再)?聊|先走了|改天聊"
    r"|\bmust (?:have been|be) |^(?:it|that|sounds?) sounds? |hang in there|means (?:a ton|a lot|so much|the world)\b"
    r"|^here(?:'s| is| are)\b|^(?:show|tell|send|give|let|believe in|wish|help) me\b|\bmake it through\b|no doubt\b"
    r"|\bi (?:\S+ )?agree\b|(?:talk|chat|speak) (?:to|with) you about|\bquestions? (?:to ask|for you)|\b(?:ask|tell|asking) you\b"
    r"|^(?:that|this|these|those|it) (?:was|is|looks?|sounds?|seems?) (?:so |really |such |very |pretty )?(?:a |an )?\w+[!.]*$"
    r"|\b(?:will|'ll|might|should) (?:\w+ )?(?:consider|think about|try) (?:it|that|them|this|making|doing|your|talking)\b"
    r"|\b(?:it's|it is|today is) (?:\S+ )*day[.!]?$|\b(?:took|take|snapped) (?:that|this) (?:pic|photo|picture|shot)"
    r"|^(?:believe|keep|stay|trust|enjoy|reminds|makes|gives|feels|helps|brings|hoping|gotta|oops)\b|\byourself\b|\b(?:ages|forever"
    r"|a (?:long )?while|long time) since\b|\badd (?:it|that|them)\b|\b(?:get|see|know|understand) how\b|^today is \w+day\b|^(?:look"
    r"|check out|an offer)\b|\bfor (?:him|her|them)[.!]*$|^i mean\b"
    r"|\bi mean,"
    r"|想[向跟和找](?:你|您)|会(?:去)?(?:试着|尝试|考虑|努力|尽力|继续努力)"
)
"""Turns of talk that pass with the talk."""
_CHECKABLE = re.compile(r"\d|[a-z,] [A-Z]|[《“\"]")
_LOOSE_LIKING = re.compile(
    r"\b(?:loves?|likes?|enjoys?|hates?) (?:how|that|it|this|them|those|your?|the (?:idea|thought|vibe"
    r"|energy|way|look)|what|when|to see|seeing)\b|喜欢(?:这|那|你|它)"
)
_GENERAL = re.compile(
    r"\b(?:can|could|may|might|must|should) (?:be|have|really|do|make|bring|lead|help|work|get|definitely)\b"
    r"|\b(?:someone|people|everyone|life|hard work|you)\b|^\w+ing\b.{0,60}\b(?:is|are|can)\b"
    r"|\b(?:important|always|worth it|matters?)\b|一个人|每个人|人生|生活(?:就|总|中)"
)
"""In talk, what is said of nobody: such sentences comfort or agree."""
_TOGETHER = re.compile(r"\b(?:we|our|us)\b|我们")
_HAN_DIGIT = re.compile(r"\d")


def weigh(claim: Claim) -> float:
    """The worth of a claim: its kind, how surely it is of that kind, what can be checked in it, what is vague in it."""
    text, folded, gates = claim.text, claim.folded, claim.gates
    worth = (_PLAIN_WORTH if claim.basis in PLAIN.values() else _TYPE_WORTH[claim.kind]) + _BASIS_WORTH[claim.basis]
    if claim.speaker is not None and claim.basis == "default":
        worth += 0.3  # what a person says of themselves needs no cue to be worth knowing
    worth += 0.25 if _HAN_DIGIT.search(text) else 0.0
    worth += min(0.5, 0.15 * len(_NAME.findall(text)))
    if is_cjk(text[:1]):
        worth += min(0.3, 0.1 * len(_LATIN_IN_HAN.findall(text)))
    worth += 0.3 if _DATE.search(folded) else 0.0
    worth += 0.3 if claim.ground else 0.0
    worth += 0.5 if gates & BOUND and BINDING.search(folded) else 0.0
    worth += 0.2 if claim.labelled else 0.0
    worth += 0.3 if claim.personal and claim.speaker else 0.0
    worth -= 0.4 if gates & HEDGED and HEDGE.search(folded) else 0.0
    if starts_vaguely(folded):
        worth -= 0.5
    elif gates & POINTING:
        worth -= 0.2 if claim.speaker else 0.15
    if gates & ADDRESSING:
        worth -= 1.2 if claim.speaker else 0.1
    if _ELSEWHERE.search(folded):
        worth -= 0.5
    if claim.speaker is not None:
        worth = _spoken(claim, worth)
    if claim.kind == "preference" and _LOOSE_LIKING.search(folded):
        worth -= 0.7
    return worth + _length_worth(text)


def _spoken(claim: Claim, worth: float) -> float:
    """The worth of what was said in a dialogue: less for talk that passes, more where a turn tells much."""
    text, folded, gates = claim.text, claim.folded, claim.gates
    loose = bool(gates & POINTING) and not claim.joined and _DANGLING.search(folded) is not None
    worth -= 0.7 if loose else 0.0
    worth -= (0.15 if claim.personal else 0.35) * min(3, len(_FEELING.findall(folded))) if gates & FELT else 0.0
    own = claim.personal or _TOGETHER.search(folded) is not None
    if not own:
        worth -= 1.0 if _GENERAL.search(folded) else 0.5
    if worth >= FLOOR and _PASSING.search(folded):  # the dearest pattern: not tried on what is lost already
        worth -= 1.5
    if worth >= FLOOR and not loose:
        worth += TOLD * max(0, min(claim.told, 300) - BRIEF) / 100 * (1.0 if own else IMPERSONAL)
    if claim.kind != "preference" and len(text) + count_cjk(text) < 40 and not _CHECKABLE.search(text):
        worth -= 0.5 if len(text) > 30 else 0.9
    return worth


def _length_worth(text: str) -> float:
    """Too short says nothing, too long is several facts. A Han character counts for two letters, a word for six."""
    size = len(text) + count_cjk(text)
    if size < 14:
        return -0.9
    if size < 24:
        return -0.4
    if size > 360:
        return -0.7
    return -0.2 if size > 240 else 0.0


def choose(claims: list[Claim], size: int) -> list[Claim]:
    """At most ten claims, best first while they last, each next from a section or unit costing a little more."""
    pool = sorted((c for c in claims if c.worth >= AT_LEAST), key=lambda c: (-c.worth, c.start))[:300]
    chosen: list[Claim] = []
    words: list[frozenset[str]] = []
    in_section: dict[int, int] = {}
    in_unit: dict[int, int] = {}
    alive = list(range(len(pool)))
    while alive and len(chosen) < MAX_FACTS:
        best = max(
            alive,
            key=lambda i: (
                pool[i].worth
                - 0.2 * min(3, in_section.get(pool[i].section, 0))
                - (ONE_A_TURN if pool[i].speaker else 0.2) * in_unit.get(_unit_key(pool[i]), 0),
                -i,
            ),
        )
        alive.remove(best)
        claim = pool[best]
        if claim.worth < ENOUGH and (len(chosen) >= 3 or size < LONG_NOTE):
            continue
        if claim.speaker is not None and ((in_unit.get(_unit_key(claim)) and claim.worth < SECOND) or _refused(claim)):
            continue  # the gates would refuse it: or its turn has said enough
        known = _words(claim.text)
        if any(_same(known, held) for held in words):
            continue
        chosen.append(claim)
        words.append(known)
        in_section[claim.section] = in_section.get(claim.section, 0) + 1
        in_unit[_unit_key(claim)] = in_unit.get(_unit_key(claim), 0) + 1
    return sorted(chosen, key=lambda c: c.start)


def _refused(claim: Claim) -> bool:
    """Whether a gate would refuse what a speaker said."""
    said = claim.text.removeprefix(claim.speaker or "").lstrip(":： ") if not claim.personal else claim.text
    return (misshapen(said, subject=claim.speaker, dated=True) or unworthy(said)) is not None


def _unit_key(claim: Claim) -> int:
    return claim.unit.start if claim.unit is not None else -1


_WORD = re.compile(r"[^\W_]+")


def _words(text: str) -> frozenset[str]:
    """Words of Latin runs, pairs of characters of Han runs: enough to see that two sentences say the same."""
    out: set[str] = set()
    for run in _WORD.findall(fold(text)):
        if is_cjk(run[0]) and len(run) > 1:
            out.update(run[i : i + 2] for i in range(len(run) - 1))
        else:
            out.add(run)
    return frozenset(out)


def _same(a: frozenset[str], b: frozenset[str]) -> bool:
    """The same words, but for few that only one of them has: one swapped name or number makes another fact."""
    shared = len(a & b)
    return bool(shared) and shared == min(len(a), len(b)) and shared >= 0.7 * max(len(a), len(b))
