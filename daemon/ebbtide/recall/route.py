"""What a question wants: its language, a type of memory, whether it asks why. Pure; a guess only weighs, it never filters.

Cues are whole words in English and characters in Chinese; the first matching family in the order of the table wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ebbtide.memory.states import LAYER_OF_TYPE, FactType, Lang, Layer
from ebbtide.parse.text import language

MAX_QUERY = 2048
"""Characters of a question that are looked at (field.md 5.3: hosts send whole transcripts)."""

_CUES: tuple[tuple[FactType, re.Pattern[str]], ...] = (
    (
        "lesson",
        re.compile(
            r"\b(fail(ed|ure)?|went wrong|lessons?|mistakes?|postmortem)\b|失败|教训|踩坑|出了什么问题|翻车", re.I
        ),
    ),
    (
        "decision",
        re.compile(
            r"\b(decid(e|ed)|decision|chose|choose|chosen|why (do|did) we (use|have|pick))\b|决定|选择了|为什么(要|用|选|改)|选型",
            re.I,
        ),
    ),
    (
        "preference",
        re.compile(r"\b(prefer(s|red|ence)?|favou?rite|likes?|dislikes?|recommend)\b|喜欢|偏好|习惯|讨厌|推荐", re.I),
    ),
    (
        "procedure",
        re.compile(
            r"\b(how (do|to|can)|steps?|procedure|instructions?)\b|怎么(做|办|用|设|装|配)|如何|步骤|流程|方法", re.I
        ),
    ),
    (
        "metric",
        re.compile(
            r"\b(how (many|much|long|fast|large)|percent|latency|cost|rate)\b|多少|多久|几(个|次|条|秒)|指标|耗时|成本",
            re.I,
        ),
    ),
    ("plan", re.compile(r"\b(plan(s|ned)?|roadmap|next (step|week|month)|deadline)\b|计划|打算|下一步|截止", re.I)),
    ("definition", re.compile(r"\b(what (is|are|does .* mean)|define|definition)\b|什么是|是什么意思|定义", re.I)),
    ("event", re.compile(r"\b(when|last time|yesterday|happened)\b|什么时候|上次|哪天|发生", re.I)),
)
_ONWARD = re.compile(
    r"\b(what (came|became) of|what happened (after|next|then|because)|what did .{1,80} (lead to|cause|change|bring)"
    r"|(consequences?|effects?|outcomes?|aftermath|impact) of|led to what|lead to\?|result(ed)? in what)\b"
    r"|后来(怎么|怎样|如何|发生|呢)|结果(怎么|怎样|如何|呢|是什么)|(带来|导致|引起|造成|引发|产生)了?(什么|哪些)|有(什么|哪些)(影响|后果|结果)"
    r"|之后(怎么|怎样|发生)|的(后果|影响|下文)",
    re.I,
)
_WHY = re.compile(r"\b(why|how come|what caused|because of what|reason)\b|为什么|为何|怎么会|原因|起因", re.I)


@dataclass(frozen=True, slots=True)
class Route:
    """What a question seems to want. `explicit` means that the caller asked for the type or layer: then it filters."""

    text: str
    lang: Lang
    type: str | None
    layer: Layer | None
    explicit: bool
    why: bool
    onward: bool
    """It asks what came of something, not what it came from."""
    cut: bool


def route(query: str, type_: str | None = None, layer: Layer | None = None) -> Route:
    """Read a question. `type_` and `layer` are what the caller asked for, if anything."""
    text = " ".join(query[:MAX_QUERY].split())
    guess: FactType | None = None
    if type_ is None and layer is None:
        guess = next((name for name, cue in _CUES if cue.search(text)), None)
    return Route(
        text=text,
        lang=language(text),
        type=type_ or guess,
        layer=layer or (LAYER_OF_TYPE[guess] if guess else None),
        explicit=type_ is not None or layer is not None,
        onward=_ONWARD.search(text) is not None,
        why=_WHY.search(text) is not None,
        cut=len(query) > MAX_QUERY,
    )
