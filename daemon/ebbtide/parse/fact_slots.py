"""The slot a fact fills (subject, attribute, value, unit), its ground, and what to do.

Slots are the key by which contradictions are found, so they are taken only from shapes that leave no
doubt: a label with a value, a table cell, "X is Y", "X uses Y", a measure with its number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from ebbtide.memory.states import FactType, Lang
from ebbtide.parse.fact_text import starts_vaguely
from ebbtide.parse.text import count_cjk, is_cjk


@dataclass(frozen=True, slots=True)
class Slot:
    """What a fact is about and what it says of it."""

    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    unit: str | None = None


_UNITS = (
    r"%|‰|倍|毫秒|秒|分钟|小时|天|周|个月|年|元|万元|亿元|万|亿|美元|人民币|人|次|条|个|页|字|行|篇"
    r"|公斤|斤|克|公里|米|厘米|度|分|台|件|张|本|项"
    r"|percent|milliseconds?|ms|seconds?|minutes?|hours?|days?|weeks?|months?|years?|mb|gb|kb|tb|qps"
    r"|rps|fps|kg|km|cm|mm|miles?"
    r"|lbs|users?|people|requests?|tokens?|usd|eur|cny|rmb|dollars?|euros?|yuan|pages?|points?|notes?"
    r"|files?|times|s|m|g"
)
_NUMBER = re.compile(
    rf"(?P<cur>[$¥€£])?\s?(?P<n>[-+]?\d[\d,]*(?:\.\d+)?)\s?(?P<u>(?:{_UNITS})(?![a-z\d])(?:[/每](?:天"
    rf"|日|月|年|秒|人|day|month|year|s|second|hour)\b)?)?",
    re.IGNORECASE,
)
_CURRENCY: Final = {"$": "USD", "¥": "CNY", "€": "EUR", "£": "GBP"}

_LABEL = re.compile(r"(?P<a>[^：:，,。.！!？?；;（(「“\"]{1,40})(?:：|: )\s*(?P<v>.{1,200})\Z")
_Z_OF = re.compile(
    r"(?P<s>[^，,。；：:的]{1,20})的(?P<a>[^的是为，,：:。]{1,10})(?:是|为|改为|改成|定为"
    r"|等于)(?P<v>[^，,。；;]{1,60})"
)
_Z_CHANGE = re.compile(
    r"(?P<s>[^，,。；：:从由]{0,20}?)(?:从|由)(?P<old>[^，,。；到至]{1,20})(?:改成|改为|改到|换成|换到"
    r"|切换到|迁移到|迁到|降到|降至|升到|升至|提高到|增加到|减少到|调整到|调整为|变成|变为|提升到"
    r"|缩短到|到)(?P<v>[^，,。；;]{1,30})"
)
_Z_BA = re.compile(
    r"[^，,。]{0,12}?把(?P<s>[^，,。把]{1,16}?)(?:改成|改为|改到|换成|迁移到|调整为|调整到|设为|定为"
    r"|升级到)(?P<v>[^，,。；;]{1,30})"
)
_Z_MEASURE = re.compile(
    r"(?P<a>[^，,。；;：:\d]{2,16}?)(?:已)?(?:达到|约为|降到|降至|升到|升至|提升到|提高到|增加到"
    r"|下降到|减少到|不超过|超过|不得超过|控制在|是|为|占|共有?|耗时|需要?|只有|仅)(?:约|大约|了"
    r"|到)?\s?(?P<v>[$¥€]?\d[\d,]*[^，,。；;]{0,30})"
)
_Z_USE = re.compile(
    r"(?P<s>[^，,。；：:]{0,16}?)(?:后来)?(?P<verb>使用|采用|选用|改用|选定|换成|改成|改为|选择|决定用"
    r"|决定采用|用的是|用(?![户途法处品意力心来于]))(?:了|的是)?(?P<v>[^，,。；;]{1,30})"
)
_Z_OWNER = re.compile(r"(?P<s>[^，,。；：:由]{1,20})由(?P<v>[^，,。；]{1,12})(?:负责|维护|管理|主持|开发)")
_Z_IS = re.compile(r"(?P<s>[^，,。；：:是]{1,20})是(?P<v>[^，,。；;]{1,60})")

_NP = r"(?:[Tt]he |[Oo]ur |[Mm]y |[Aa]n? )?(?P<{0}>[\w][\w'./+#-]*(?: [\w'./+#-]+){{0,{1}}}?)"
_E_OF = re.compile(
    rf"{_NP.format('a', 2)} of (?:the |our |my )?(?P<s>[\w'./-]+(?: [\w'./-]+){{0,4}}?) (?:is|are|was"
    rf"|were) (?P<v>[^,.;]{{1,80}})"
)
_E_OWN = re.compile(
    rf"{_NP.format('s', 3)}'s? (?P<a>[\w-]+(?: [\w-]+){{0,2}}?) (?:is|are|was|were) (?P<v>[^,.;]{{1,80}})"
)
_E_CHANGE = re.compile(
    rf"{_NP.format('s', 4)} (?:was |were |has been |have )?(?:switched|changed|moved|migrated|upgraded"
    rf"|dropped|rose|fell|grew|went|increased|decreased|improved"
    rf"|reduced) from (?P<old>[^,.;]{{1,40}}?) to (?P<v>[^,;]{{1,40}})"
)
_E_MEASURE = re.compile(
    rf"{_NP.format('a', 4)} (?:now )?(?:is|are|was|were|dropped to|rose to|reached|reaches|takes|took"
    rf"|costs?|weighs|hit|averages?|is limited to|must not exceed|is at (?:most|least)|grew to"
    rf"|fell to) (?:about |around |only |roughly |approximately |now )?(?P<v>[$¥€£~]?\d[^,;]{{0,30}})"
)
_E_USE = re.compile(
    rf"{_NP.format('s', 3)} (?:now |currently |will )?(?P<verb>uses?|using|runs on|switched to|moved to"
    rf"|migrated to|chose|adopted|picked|went with|settled on|decided (?:to use|on)|is written in"
    rf"|is built with|depends on) (?P<v>[^,.;]{{1,60}}?)(?= because | since | instead of | so that "
    rf"| for | in order | as | to |[,.;]|$)"
)
_E_IS = re.compile(rf"{_NP.format('s', 5)} (?:is|are|was|were) (?!\w+ing\b)(?P<v>[^,;.]{{1,80}})")

_LIKE_ZH = re.compile(
    r"(?P<verb>更?不喜欢|不爱|讨厌|厌恶|受不了|反感|拒绝|不吃|不喝|避免|更?喜欢|偏好|偏爱|热爱|最爱"
    r"|更愿意|宁愿|爱好是?)(?P<v>[^，,。；;！!]{1,40})"
)
_ALLERGY_ZH = re.compile(r"对(?P<v>[^，,。；]{1,16}?)(?:严重)?(?P<verb>过敏|反感)")
_LIKE_EN = re.compile(
    r"\b(?P<verb>(?:strongly )?prefers? not to|prefers?|refuses? to|dislikes?|hates?|can(?:'t"
    r"|not) stand|(?:do not|don't|doesn't|does not) (?:like|enjoy|want|eat|drink|watch|use)|avoids?"
    r"|(?:am|is|'m) allergic to"
    r"|loves?"
    r"|(?<!felt )(?<!feel )(?<!feels )(?<!look )(?<!looks )(?<!looked )"
    r"(?<!seems )(?<!sounds )(?<!it's )(?<!things )(?<!just )likes?"
    r"|enjoys?|(?:am|is|'m) (?:fond of|into|interested in|passionate about)|favou?rs?|would (?:never"
    r"|rather)|(?:have|has) (?:an? |no )?(?:\w+ ){0,2}?(?:aversion to|allerg(?:y|ies) to"
    r"|dislike (?:for|of)|preference for|fear of|phobia of"
    r"|interest in))\b (?P<v>[^.;!]{1,100}?)(?= because | since | due to | as (?:it|they|i)\b|, (?:so"
    r"|but|even|because|which|that)|[.;!]|$)",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"不|过敏|讨厌|厌恶|反感|拒绝|避免|not|n't|refuse|dislike|hate|stand|avoid|allergic|never|aversion"
    r"|allerg|fear|phobia|no \w*interest|\bno\b",
    re.IGNORECASE,
)


def label_slot(text: str) -> Slot | None:
    """`Label: value`, the commonest form of a fact in a list."""
    match = _LABEL.match(text)
    if match is None or len(match["a"].split()) > 5 or count_cjk(match["a"]) > 12:
        return None
    value = match["v"].strip(" 。；;")
    return None if not value or value.startswith("//") else number_in(Slot(None, match["a"].strip(), value))


def number_in(slot: Slot) -> Slot:
    """Part a value that is a number with its unit: 3,000 元 -> 3000, 元."""
    match = _NUMBER.match(slot.value or "")
    if match is None or (slot.value or "")[match.end() :].strip(" 。.!！左右以内)）"):
        return slot
    unit = _CURRENCY.get(match["cur"] or "", match["u"])
    return replace(slot, value=match["n"].replace(",", ""), unit=unit)


def slot_of(text: str, kind: FactType) -> Slot:
    """The slot of a sentence, empty where no shape fits."""
    chinese = is_cjk(text[:1]) or count_cjk(text[:40]) * 2 >= len(text[:40])
    if kind == "preference":
        match = (_ALLERGY_ZH.search(text) or _LIKE_ZH.search(text)) if chinese else _LIKE_EN.search(text)
        if match:
            away = bool(_NEGATIVE.search(match["verb"]))
            names = ("避免" if away else "偏好") if chinese else ("avoids" if away else "prefers")
            return Slot(None, names, match["v"].strip())
    label = label_slot(text)
    if label is not None:
        return label
    for pattern, attribute in _Z_SHAPES if chinese else _E_SHAPES:
        match = pattern.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        subject = (groups.get("s") or "").strip() or None
        if subject and (starts_vaguely(subject) or _NO_SUBJECT.search(subject)):
            subject = None
            if attribute in {"是", "is"}:
                continue
        value = match["v"].strip()
        if attribute in {"是", "is"} and kind not in _STATING:
            continue  # "last week Ann was in Rio" names no attribute of anything
        if attribute in {"使用", "uses"} and not (subject or kind in {"decision", "constraint"}):
            continue
        name = (groups.get("a") or attribute).strip()
        measured = _NUMBER.match(value)
        if measured and measured["u"] and not value[measured.end() : measured.end() + 1].isalnum():
            value = measured.group()
            if attribute in {"改为", "changed to"} and subject:  # what changed is a measure: it is the attribute
                subject, name = None, subject
        return number_in(Slot(subject, name, value))
    return Slot()


_NO_SUBJECT = re.compile(
    r"[还也都就才只并便又不却正即则更最很可]\Z|[我你他她它这那]|^(?:之所以|关键|当然|目前|现在|其实|一般|当前"
    r"|如今|可能|主要|因|由|如|若|虽|即使|在|从|对|当|以|把|被|按|用|通过)"
    r"|\b(?:i|you|he|she|it|we|they|this|that|there|what|which|who|if|when|because|although|while|in"
    r"|on|at|for|with|by)\b",
    re.IGNORECASE,
)
_STATING: Final = frozenset({"definition", "relation", "metric", "constraint", "state"})
_Z_SHAPES: Final = (
    (_Z_BA, "改为"), (_Z_CHANGE, "改为"), (_Z_OF, ""), (_Z_MEASURE, ""),
    (_Z_OWNER, "负责人"), (_Z_USE, "使用"), (_Z_IS, "是"),
)  # fmt: skip
_E_SHAPES: Final = (
    (_E_CHANGE, "changed to"), (_E_MEASURE, ""), (_E_OF, ""), (_E_OWN, ""), (_E_USE, "uses"), (_E_IS, "is"),
)  # fmt: skip

# --- ground ---------------------------------------------------------------------------------------------------------

_WHY = re.compile(
    r"(?:因为|由于|原因是|原因:|理由是|理由:|(?<![成作称])为了|以便|以免|免得"
    r"|从而避免)[^，,。；;]{3,100}(?:，[^，。；]{2,60})?"
    r"|\b(?:because|due to|in order to|so that|so as to|to avoid|the reason (?:is|was)|given that"
    r"|thanks to|since (?:it|we|i|the|they|he|she|there)\b)[^;.]{4,160}",
    re.IGNORECASE,
)
_WHY_HINT: Final = re.compile(
    r"[因由理为以免避]|[bdisgt](?:ecause|ue |n or|o |he re|iven|hank|ince)", re.IGNORECASE
).search
_WHY_START = re.compile(
    r"(?:这是)?(?:因为|由于|原因|理由)|(?:this is |that's |that is )?(?:because|why\b|reason\b|the reason)",
    re.IGNORECASE,
)


def why_of(text: str) -> str | None:
    """The clause that gives the ground, as it stands."""
    match = _WHY.search(text) if _WHY_HINT(text) else None
    return match.group().strip() if match else None


def is_ground(text: str) -> bool:
    """Whether a whole sentence gives the ground for the one before."""
    return _WHY_START.match(text) is not None


# --- what to do --------------------------------------------------------------------------------------------


def action_of(text: str, kind: FactType, slot: Slot, lang: Lang) -> str | None:
    """What to do: for rules and procedures the sentence, for preferences their object."""
    if kind == "preference" and slot.value and slot.attribute in {"偏好", "避免", "prefers", "avoids"}:
        verb = {"偏好": "优先", "避免": "避免", "prefers": "prefer", "avoids": "avoid"}[slot.attribute]
        return f"{verb}{slot.value}" if lang == "zh" else f"{verb} {slot.value}"
    if kind in {"procedure", "constraint"}:
        return text
    return None
