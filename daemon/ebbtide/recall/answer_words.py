"""The words round an answer's quotes, in the asker's language; what a question wants to hear.

Pure. Whatever an answer says beside these words is quoted from a note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from ebbtide.memory.states import Lang
from ebbtide.parse.claims import names_person
from ebbtide.parse.claims_values import quantities
from ebbtide.parse.claims_words import words_in
from ebbtide.parse.dates import find_dates
from ebbtide.parse.text import fold
from ebbtide.recall.answer_marks import safe

Kind = Literal["person", "date", "number"]

# --- what is asked for ------------------------------------------------------------------------------------------------

_KINDS: Final[Mapping[Kind, re.Pattern[str]]] = {
    "person": re.compile(r"\bwho(m|se)?\b|\bwhich (person|colleague|one of us)\b|谁|哪一?位|哪个人|什么人"),
    "date": re.compile(
        r"^(and |so )?when\b|\bwhen (did|do|does|is|was|were|are|will|has|have|had|can|should)\b|\bsince when\b|\bhow long ago\b"
        r"|\b(what|which) (day|date|weekday|month|year|time|evening|morning)\b"
        r"|什么时[候间]|啥时候|何时|哪一?(天|日|年|个月|月)|几(月|号|点)|星期几|周几"
    ),
    "number": re.compile(
        r"\bhow (many|much|long(?! ago)|often|far|old|fast|big|large|tall|high|heavy|expensive|late)\b"
        r"|\bwhat (share|percentage|percent|price|cost|number|rate|fraction|size|amount|budget|temperature)\b"
        r"|多少|几(个|次|条|秒|天|年|人|位|台|分|小时|公里|块|元|倍|成|页|份)|多(久|长|大|远|快|重|高|贵|慢|厚)|百分之几"
    ),
}
_LESSON: Final = re.compile(r"\blessons?\b|\blearn(ed|t)?\b|教训|学到|经验")
_TIME_OF_DAY: Final = re.compile(
    r"\b(mornings?|afternoons?|evenings?|nights?|noon|midnight|(mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
    r"|早上|上午|中午|下午|晚上|傍晚|凌晨|半夜|星期[一二三四五六日天]|周[一二三四五六日末]|[一二三四五六七八九十]{1,3}(月|号)"
)
_CLOCK: Final = re.compile(r"\b\d{1,2}[:：]\d{2}\b|\d{1,2} ?点|\b\d{1,2} ?(am|pm|o'clock)\b")
_MIDWAY: Final = re.compile(r"(?<=[a-z,;:)(] )[A-Z][a-z]+(?:['’]s)?\b")
_AHEAD: Final = re.compile(r"^\W*([A-Z][a-z]+)(?= (?:and [A-Z]|had|will|[a-z]*(?:ed|s)\b))|\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_NO_NAME: Final = words_in(
    "The This That These Those There It We He She They You What When Where Which Who How Why Each Every Some Any All No"
    " One Two Three First Last Then Now If As At By For From In On Of To With And But Or So January February March April"
    " May June July August September October November December Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
)
"""Words that begin with a capital and name nobody."""


def wanted(question: str) -> frozenset[Kind]:
    """What the sentence that answers should hold: a person, a date, a number; empty where the question does not say."""
    plain = fold(question).strip()
    return frozenset(kind for kind, cue in _KINDS.items() if cue.search(plain))


def asks_lesson(question: str) -> bool:
    """Whether a question asks what was learned."""
    return _LESSON.search(fold(question)) is not None


def holds(sentence: str, kind: Kind) -> bool:
    """Whether a sentence holds what was asked for, in Chinese or English."""
    if kind == "person":
        latin = [*_MIDWAY.findall(sentence), *(m[1] or m[0].split()[0] for m in _AHEAD.finditer(sentence))]
        if any(name.removesuffix("'s").removesuffix("’s") not in _NO_NAME for name in latin):
            return True
        return not sentence.isascii() and names_person(sentence)
    folded = fold(sentence)
    if kind == "date":
        dated = bool(find_dates(sentence, "2000-01-01")) or any(q.value.parts for q in quantities(folded))
        return dated or _TIME_OF_DAY.search(folded) is not None or _CLOCK.search(folded) is not None
    return any(found.value.parts is None for found in quantities(folded))


# --- framing ----------------------------------------------------------------------------------------------------------

_FRAMES: Final[Mapping[str, Mapping[Lang, str]]] = {
    "as_of": {"en": "As of {day}:", "zh": "截至 {day}："},
    "also": {"en": "Also:", "zh": "另外："},
    "disputed": {
        "en": "Disputed: the notes do not agree, and nobody has decided yet.",
        "zh": "有争议：笔记的说法不一致，还没有裁定。",
    },
    "formerly": {"en": "No longer so:", "zh": "已不再成立："},
    "replaced": {"en": "What holds since:", "zh": "现在成立的是："},
    "note_replaced": {"en": "That note was superseded by “{title}”.", "zh": "该笔记已被“{title}”取代。"},
    "chain": {"en": "How it came about:", "zh": "来龙去脉："},
    "onward": {"en": "What came of it:", "zh": "后来："},
    "episode": {"en": "The episode behind it: {title} ({about})", "zh": "背后的经历：{title}（{about}）"},
    "trigger": {"en": "Trigger", "zh": "起因"},
    "result": {"en": "Result", "zh": "结果"},
    "reason": {"en": "Reason", "zh": "原因"},
    "lesson": {"en": "Lesson", "zh": "教训"},
    "success": {"en": "success", "zh": "成功"},
    "failure": {"en": "failure", "zh": "失败"},
    "partial": {"en": "partial success", "zh": "部分成功"},
    "lead": {"en": "a lead, not certain", "zh": "线索，不确定"},
    "from_zh": {"en": "in Chinese", "zh": "中文"},
    "from_en": {"en": "in English", "zh": "英文"},
    "private": {
        "en": "{count} of the memories found were not shown to {model}: they are private, put away, or kept here by your rules.",
        "zh": "找到的记忆中有 {count} 条没有发给 {model}：它们是私密的、已收起的，或按你的设置不外发。",
    },
    "nothing_to_send": {
        "en": "None of the memories found may be sent: they are private, put away, or kept here by your rules.",
        "zh": "找到的记忆都不能外发：它们是私密的、已收起的，或按你的设置不外发。",
    },
    "not_by": {"en": "Not answered by Claude: {reason}.", "zh": "Claude 没有作答：{reason}。"},
    "unproven": {"en": "its answer does not bear out: {reason}", "zh": "它的回答无法核实：{reason}"},
    "no_source": {"en": "it cites nothing", "zh": "没有引用"},
    "unknown_source": {"en": "it cites [{n}], which it was not given", "zh": "引用了没有给它的 [{n}]"},
    "no_quote": {"en": "it quotes nothing for [{n}]", "zh": "[{n}] 没有原文"},
    "false_quote": {"en": "what it quotes for [{n}] is not there", "zh": "[{n}] 的引文不在原文里"},
    "uncited": {"en": "a sentence of it has no citation", "zh": "有一句话没有引用"},
    "unanswered": {"en": "it finds no answer in them", "zh": "它认为其中没有答案"},
    "no_json": {"en": "it is not in the form asked for", "zh": "格式不对"},
}


def frame(name: str, lang: Lang, **values: object) -> str:
    """One of the phrases above, filled in."""
    return _FRAMES[name][lang].format(**values)


def quoted(quote: str, marks: Sequence[str], n: int, lang: Lang) -> str:
    """A quote with its number, and in brackets what must be known of it: day, language, state."""
    about = ("，" if lang == "zh" else ", ").join(mark for mark in marks if mark)
    tail = "" if not about else f"（{about}）" if lang == "zh" else f" ({about})"
    return f"“{safe(quote)}” [{n}]{tail}"
