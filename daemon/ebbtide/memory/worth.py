"""What is not worth remembering, and what does not stand alone: words, in Chinese and English. Pure.

The first gate asks whether a claim will be needed again, is lost if it is not written, and harms when it is stale. Rules
cannot know that, but they know what never is: the state of an errand, a greeting, a pointer to the text around it, a
question, a placeholder. The second gate asks whether a claim can be read by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ebbtide.memory.states import Lang

MOST: Final = 600
"""Characters of a claim that still is one claim."""
LEAST: Final = 4


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a claim is turned away: a stable code, and the reason a person reads."""

    code: str
    en: str
    zh: str

    def reason(self, lang: Lang) -> str:
        """In the language of the note."""
        return self.zh if lang == "zh" else self.en


ERRAND: Final = Flaw("errand", "the state of a one-off task", "一次性任务的状态")
POINTER: Final = Flaw("pointer", "only points to the text around it", "只是指向前后文")
GREETING: Final = Flaw("greeting", "a greeting or thanks", "寒暄或致谢")
CHAT: Final = Flaw("chat", "talk that passes with the conversation", "随口的话，过后无用")
REFERENCE: Final = Flaw("reference", "a reference to a publication, not a claim", "是文献条目，不是陈述")
QUESTION: Final = Flaw("question", "a question, not a claim", "是问题，不是陈述")
PLACEHOLDER: Final = Flaw("placeholder", "a placeholder nobody has filled in", "尚未填写的占位内容")
SHORT: Final = Flaw("short", "too short to say anything", "太短，没有内容")
LONG: Final = Flaw("long", "more than one claim", "不止一条陈述")
VAGUE: Final = Flaw("vague", "does not say what it is about", "没有说明指的是什么")
DAY: Final = Flaw("relative-day", "names a day that cannot be told from the note", "所说的日子无法从笔记确定")
CUT: Final = Flaw("cut-off", "a sentence that was cut off", "句子被截断")
MARKUP: Final = Flaw("markup", "markup or data, not a sentence", "是标记或数据，不是句子")

_ERRAND = re.compile(
    r"^\W*(?:todo|to do|wip|fixme|tbd|done|doing|in progress|待办|待定|进行中|已完成|未完成)\b[\W_]*$"
    r"|^\W*\[[ xX/-]\]"
    r"|^\W*(?:todo|fixme|待办)\s*[:：]"
    r"|^\W*(?:remember to|don't forget to|need to|have to|记得|别忘了|待会儿?|等下|回头)\s?"
    r"(?:buy|call|pick up|reply|email|send|book|pay|买|打电话|取|回复|发|订|付|交)"
    r"|\b(?:brb|afk|eod today)\b",
    re.I,
)
_POINTER = re.compile(
    r"^\W*(?:see (?:above|below|also|link|here)|as (?:follows|above|below)|the following|details? (?:above|below)|more (?:here|below)"
    r"|如下|见上|见下|如上|详见|参见|以下(?:是|为)|上文|下文|同上|略)[\s\S]{0,24}$",
    re.I,
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|cheers|good (?:morning|night)|bye|welcome|congrat\w*|happy (?:birthday|new year)"
    r"|你好|您好|大家好|谢谢|多谢|感谢|辛苦了|再见|晚安|早安|早上好|生日快乐|新年快乐|哈哈+)\W*(?:[\w ]{0,24}|.{0,8})[!！。.~]*$",
    re.I,
)
_CHAT = re.compile(
    r"^\W*(?:\w+[:：] ?)?(?:(?:\w+ ){0,2}(?:\d+% )?agrees?(?: with (?:you|that))?(?:,? \w+)?"
    r"|(?:today|it)(?:'s| is) (?:such )?(?:a|an) (?:\w+ )?day|(?:\w+ )?(?:hope|hoping|wish)(?:es)? (?:you|it|that|this|to see you)\b.*"
    r"|(?:same here|me too|no doubt|of course|hang in there)\b.{0,40})[.!]*$"
    r"|\b(?:(?:talk|chat|speak|catch up) (?:to|with) you|keep you (?:updated|posted)|let you know|get back to you"
    r"|a (?:small |quick )?question (?:to ask|for) you|(?:means|meant) (?:a lot|a ton|so much|the world) to (?:me|\w+)[.!]*$)"
    r"|想(?:问|向|跟|和|找)(?:问)?(?:你|您)(?!的)|^\W*(?:我也)?(?:同意|赞同|没错|确实如此|说得对)[。！!，,]?$",
    re.I,
)
_REFERENCE = re.compile(
    r"\bet al\b|\b(?:pp?|vol|no)\. ?\d+(?=[ ,.;)])|\b(?:doi|isbn|issn)\b[: ]*[\d/.-]{4,}"
    r"|\d+ ?\. ?\d+ ?\( ?\w*[ ,]*(?:1[89]|20)\d\d ?\) ?, ?\d+ ?[-–] ?\d+|(?-i:[\[［][JMDCNP][\]］] ?[.．,])",
    re.I,
)
_QUESTION = re.compile(
    r"[?？]\s*[\"'”’)）]*\s*$|^\W*(?:有没有可能|会不会|是不是|能不能|要不要|难道|为什么|怎么(?:样|办|才))[^：:]*$"
)
_PLACEHOLDER = re.compile(
    r"\{\{.*?\}\}|<%.*?%>|\blorem ipsum\b|^\W*(?:n/?a|tbd|tba|todo|xxx+|\.{3,}|待补充?|待填|待定|暂无|无)\W*$"
    r"|[:：]\s*(?:n/?a|tbd|tba|xxx+|\?+|待补充?|待填|待定|暂无)\W*$",
    re.I,
)
_VAGUE = re.compile(
    r"^\W*(?:(?:it|this|that|these|those|they|he|she|him|her|the former|the latter)(?:'s|'re|\s+(?:is|are|was|were|has|had|will|would"
    r"|can|could|should|does|did|makes?|means?|works?|helps?|needs?))\b"
    r"|(?:它|这(?!样的|种|类|个\w|些\w|次\w|周|里|边)|那(?!么|样|种|个\w|些\w|次\w|里|边)|其(?!实|他|它|中|余|次)|此(?!外|时|次)|前者|后者|两者)[们]?"
    r"(?:也|就|都|会|能|要|是|很|更|不|只|可|被|让|使|说明|意味|导致|比较)?)",
    re.I,
)
_STARTS_IT = re.compile(
    r"^\W*(?:it|they|he|she|these|those|this|that)(?:'s|'re|'ve|'d|'ll)?\s+"
    r"(?!(?:(?:is|was|has|been)\s){0,2}(?:\w+ly |so |very |really |quite )?"
    r"(?:(?:important|possible|hard|tough|easy|necessary|better|best|good|great|likely|clear|true)\b.{0,24} (?:to|that|for|how|if|when)\b"
    r"|(?:the |same )?(?:time|way|day|weekend|year|month|week|summer|winter|spring|autumn|fall|morning|evening|afternoon)\b)"
    r"|.{0,40}\b(?:birthday|anniversary|holiday)\b)\w+",
    re.I,
)
"""A pronoun in front, but for what stands for nothing ("it is important to ...") and for times ("this week")."""
_SHOWN = re.compile(
    r"\b(?:took|take|taken|snapped|see|in|of) (?:that|this) (?:pic|photo|picture|shot|image)\b|(?:这|那)张(?:照片|图)",
    re.I,
)
_CUT = re.compile(r"\b(?:by|of|the|and|or|approx|[Nn]o) \.$|^\W*\d[\d,]* , [a-z]")
_THEIRS = re.compile(r"^\W*(?:他|她)(?:们)?(?:也|就|都|会|能|要|是|很|更|不|只|可|被|说|觉得|认为)")
_DAY = re.compile(
    r"\b(?:yesterday|tomorrow|the day (?:before|after)|(?<!the )last (?:night|week|month)|(?<!the )next (?:week|month))\b"
    r"|昨天|昨晚|明天|后天|前天|上周|下周|上个月|下个月",
    re.I,
)
_MARKUP = re.compile(r"^[\W\d_]*$|^\s*(?:https?://\S+|!?\[\[[^\]]*\]\]|#[\w/-]+)\s*$")


def unworthy(claim: str) -> Flaw | None:
    """What makes a claim not worth keeping, or None."""
    text = claim.strip()
    if len(text) < LEAST:
        return SHORT
    for flaw, pattern in (
        (PLACEHOLDER, _PLACEHOLDER),
        (MARKUP, _MARKUP),
        (ERRAND, _ERRAND),
        (GREETING, _GREETING),
        (CHAT, _CHAT),
        (REFERENCE, _REFERENCE),
        (POINTER, _POINTER),
        (QUESTION, _QUESTION),
    ):
        if pattern.search(text):
            return flaw
    return None


def misshapen(claim: str, *, subject: str | None, dated: bool) -> Flaw | None:
    """Why a claim cannot stand alone, or None. `subject` is what it is about, if that is known; `dated`: its day is known."""
    text = claim.strip()
    if len(text) > MOST:
        return LONG
    if subject is None and (_VAGUE.search(text) or _THEIRS.search(text)):
        return VAGUE
    if _STARTS_IT.search(text) or _SHOWN.search(text):
        return VAGUE
    if _CUT.search(text):
        return CUT
    if not dated and _DAY.search(text):
        return DAY
    return None
