"""What a person's own sentences say of a claim: its ground, when it applies, that it holds from now on, what sort it is. Pure.

Nothing is concluded: each answer is a part of what was said, word for word, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ebbtide.parse.fact_form import type_by_form
from ebbtide.parse.text import fold
from ebbtide.sleep.markers import marks

_WHY: Final = (
    re.compile(r"\b(?:because(?! of)|the reason (?:is|was)(?: that)?)\s+(?P<it>[^.;!?]{6,240})", re.IGNORECASE),
    re.compile(r"\b(?:because of|due to|thanks to)\s+(?P<it>[^.;!?]{6,240})", re.IGNORECASE),
    re.compile(
        r"(?:是因为|因为|由于|原因(?:是|在于))(?P<it>[^。；！？;!?]{3,120}?)(?:[，,]?\s*(?:所以|因此|于是|故)|(?=[。；！？;!?]|\Z))"
    ),
)
_PREAMBLE: Final = re.compile(
    r"^\W*(?:(?:today|again|and|so|but)\b[ ,]*)?(?:i|we)(?:'ve| have|'m| am)? ?"
    r"(?:(?:just|now|also|finally|suddenly|only|once again)\b ?)*"
    r"(?:reali[sz]ed?|learn(?:ed|t)|understand|understood|see|saw|noticed|found(?: out)?|discovered|figured out) (?:again )?(?:that )?"
    r"|^\W*(?:(?:this|that|it) (?:shows|proves|means|taught me) (?:that )?|it turn(?:s|ed) out (?:that )?)"
    r"|^\W*(?:今天|再次|又|终于|突然|忽然)?(?:我|我们)?(?:又|才|终于|突然|再次)?(?:发现|意识到|明白|体会到|认识到|学到|懂得)了?[:：，,]?"
    r"|^\W*(?:这|由此)(?:也|再次)?(?:说明|证明|可见)了?[:：，,]?|^\W*(?:原则|规则|教训|记住|rule|principle|lesson(?: learned)?)\s*[:：]\s*",
    re.IGNORECASE,
)
_ENOUGH: Final = 6
"""Characters that must be left."""
_HOW_EN: Final = re.compile(
    r"\b(?:when(?:ever)?|if|before|after|next time|every time|from now on|as soon as|once)\b[^.;!?]{3,200}",
    re.IGNORECASE,
)
_DO_EN: Final = re.compile(
    r"\b(?:should(?:n't)?|must(?:n't)?|never|always|need to|have to|has to|do not|don't|make sure|remember|i will|i'll|we will"
    r"|we'll|let's|first)\b|,\s*(?:ask|check|use|avoid|keep|stop|start|write|read|try|take|wait|split|test|call|say|look|go)\b",
    re.IGNORECASE,
)
_TOLD_EN: Final = re.compile(
    r"\b(?:when(?:ever)?|if|before|after|once)\b[^,.;!?]{0,60}\b(?:was|were|had|did|went|came|got)\b", re.IGNORECASE
)
_HOW_ZH: Final = re.compile(
    r"(?:下次|以后|今后|往后|每次|每当|遇到|碰到|如果|一旦|只要|当[^，。；]{2,24}时|[^，。；！？]{2,20}(?:之前|以前|的时候))[^。；！？]{2,100}"
)
_DO_ZH: Final = re.compile(r"要|先|应该|应当|必须|不要|别|不能|得|记得|一定|再也不|务必|尽量|不再|就")

_STATED: Final = re.compile(
    r"\bfrom now on\b|\bas a rule\b|\brule of thumb\b|\bnever again\b|\b(?:note to self|remember|rule|principle|lesson(?: learned)?)\s*:"
    r"|\b(?:i|we)(?:'ll| will| shall) (?:always|never)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:decided|agreed|resolved) (?:to (?:always|never)|never)\b"
    r"|从今(?:以后|往后|天起|天开始)|(?:以后|今后|往后)(?:都|一律|每次|再也不|绝不|永远|我们?都)|再也不|下不为例"
    r"|(?:原则|规则|规矩|铁律|教训|记住|切记|谨记)\s*[:：]",
    re.IGNORECASE,
)
_PREFERENCE: Final = re.compile(
    r"\b(?:i|we) (?:prefer|like|love|hate|dislike)\b|(?:我|我们)(?:更?喜欢|偏好|宁愿|讨厌|不喜欢)", re.IGNORECASE
)
_PRINCIPLE: Final = re.compile(
    r"\b(?:must(?:n't)?|never|always|should(?:n't)?|ought|do not|don't|from now on|next time|rule|principle|need to|have to)\b"
    r"|必须|不要|不能|不得|禁止|应该|应当|务必|一定要|原则|规则|下次|以后|再也不|一律|千万|别",
    re.IGNORECASE,
)
_MODEL: Final = re.compile(
    r"\b(?:because|means?|depends? on|leads? to|causes?|the more|is really|turns? out|works? by|in order to|therefore)\b"
    r"|因为|由于|意味着|取决于|导致|造成|本质|其实是|越[^，。]{1,12}越|原来|关键在于|关键是",
    re.IGNORECASE,
)


_TODAY: Final = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b|今天|今早|今晚|今日|昨天|昨晚|昨日", re.IGNORECASE
)
_NO_SUBJECT: Final = re.compile(
    r"^\W*[A-Z][a-z]{2,}ed (?:(?:the|an?|my|our|his|her|him|them|up|out|off|at|about)\b|[A-Z])"
)
"""A sentence that begins with what was done, as in a diary ("Called Mira about the weekend.")."""


def passing(sentence: str) -> bool:
    """Whether a sentence only tells what happened on a day: said again and again it is a habit of the days, no insight.

    What a person marks as one ("this shows", 以后), states outright or gives a ground for is more than that.
    """
    if stated(sentence) or marks(sentence) or why_of([sentence]):
        return False
    folded = fold(sentence)
    happened = type_by_form(folded, ":" in folded) == "event" or _NO_SUBJECT.search(sentence) is not None
    return happened or _TODAY.search(sentence) is not None


def why_of(sentences: Iterable[str]) -> str:
    """The ground that a person gives, without "because"; "" if they give none."""
    for sentence in sentences:
        for pattern in _WHY:
            found = pattern.search(sentence)
            if found is not None:
                return found["it"].strip(" ,，、:：")
    return ""


def bare(sentence: str) -> str:
    """A sentence without how it was come by ("I realised that") and without its ground: what is compared with others."""
    text = _PREAMBLE.sub("", sentence, count=1)
    for pattern in _WHY:
        found = pattern.search(text)
        if found is not None:
            rest = f"{text[: found.start()].rstrip(' ,，、')} {text[found.end() :].lstrip(' ,，、')}".strip(" .。,，")
            if len(rest) >= _ENOUGH:
                text = rest
    return text if len(text) >= _ENOUGH else sentence


def how_of(sentences: Iterable[str]) -> str:
    """A condition with what to do then, as a person says it; "" if they say none. What happened once is no condition."""
    for sentence in sentences:
        found = _HOW_EN.search(sentence)
        if found is not None and _DO_EN.search(sentence) and not _TOLD_EN.search(sentence):
            return (sentence if _DO_EN.search(sentence, 0, found.start()) else found.group()).strip(" ,")
        found = _HOW_ZH.search(sentence)
        if found is not None and _DO_ZH.search(found.group()):
            return found.group().strip(" ，,、")
    return ""


def stated(sentence: str) -> bool:
    """Whether a person says outright that something holds from now on."""
    return _STATED.search(sentence) is not None


def type_of(claim: str) -> str:
    """What sort of core memory a claim makes: preference, principle, model, or else pattern."""
    if _PREFERENCE.search(claim):
        return "preference"
    if _PRINCIPLE.search(claim):
        return "principle"
    return "model" if _MODEL.search(claim) else "pattern"
