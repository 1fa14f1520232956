"""The type of a sentence that no word of its own and no place gives: by its tense, its person, its label. Pure.

For folded text (fact_cues). What this says is weaker than a cue: it names the type of a claim and never adds to its worth.
"""

from __future__ import annotations

import re
from typing import Final

from ebbtide.memory.states import FactType
from ebbtide.parse.text import count_cjk

_PRESENT_WORDS = (
    "is are am has have does do can will may must should would could isn't aren't hasn't haven't can't won't "
    "i'm i've we're we've they're it's that's there's he's she's you're means lies contains includes uses"
)
_PRESENT: Final = frozenset(_PRESENT_WORDS.split())
_PAST_WORDS = (
    "went got made took gave found came saw ran won lost built wrote left kept began became led sent spent bought brought "
    "taught held told sold fell grew drew flew threw chose broke spoke rose drove sang swam met paid caught forgot gone"
)
_PAST: Final = frozenset(_PAST_WORDS.split())
_NOT_PAST_WORDS = (
    "need indeed speed seed feed bed red based used related supposed interested excited tired bored limited required called named "
    "amazed pleased detailed advanced united embed hundred"
)
_NOT_PAST: Final = frozenset(_NOT_PAST_WORDS.split())
_PASSIVE = re.compile(
    r"(?:\w{2,}(?:ed|ken|ten|ven)|given|made|taken|held|built|written|sent|born|won|lost|found|known|chosen|sold|led|shown)\Z"
)
_WORD = re.compile(r"[a-z][a-z']*")

_MINE_ZH = re.compile(r"(?:^|[，,；;])(?:[^，,；;]{0,6})我(?!国|们的)")
_DONE_ZH = re.compile(
    r"(?:买|去|看|写|做|学|装|换|参加|完成|注册|遇到|收到|得到|见|试|开|搬|删|隐藏|发布|读|听|打|拿|跑|吃|去掉|尝试|发现|认识|整理)(?:完|到|掉|好)?[了过]"
    r"|没(?:有)?[买去看写做学用玩试请听读吃]{1,2}过"
)
_SHOULD_ZH = re.compile(
    r"应该|应当|[更都]要|要学会|尽量|最好(?!的)|以后要|以后[^，,]{0,8}前提|一定要|切记|记得|不要|没必要|宁可|先要"
)
_STEP_ZH = re.compile(r"第[一二三四五1-5]步|(?:先|再|然后)[^，,]{0,6}(?:下载|安装|打开|点击|设置|导入|导出|新建|复制)")
_REPLACED_ZH = re.compile(
    r"(?:已经?|后来)?被[^，,]{1,20}(?:取代|替代|代替|替换)|(?:竞品|同类|类似|替代品?|平替|平行)[^，,：:]{0,8}[：:]"
)
_KEY = re.compile(r"((?:[^\s:：,，。;；]{1,12}|(?:[\w'-]+ ){0,3}[\w'-]+)) ?[:：]")
_DATE_KEY = re.compile(
    r"(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,2},?)? (?:1\d|20)\d\d ?:"
    r"|(?:1\d|20)\d\d(?:[-/.年]\d{1,2}(?:[-/.月](?:\d{1,2}日?)?)?|年)? ?[:：]"
)
_SETTING = re.compile(
    r"同步|账号|账户|状态|进度|频率|版本|当前|目前|现在|配置|设置|正在|\b(?:status|version|account|settings?|current|currently|progress)\b"
)
"""Labels of what may be otherwise tomorrow."""


_BEGAN_ZH = re.compile(
    r"开始[^，,]{1,8}了|^时隔|重新(?:用|装|买|开始)[^，,]|尝试[^。]{1,40}(?:失败|成功)|^(?:1\d|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?[，, ]"
)
_IF = re.compile(r"如果|要是|的话|\bif\b")
_USUALLY = re.compile(r"一般|通常|往往|\busually\b")
_CALLED_ZH = re.compile(r"[称叫](?:为|作|做|之为)|者称")
_ROLE = re.compile(
    r"\b(?:is|was|are|were) (?:also |currently |now )?(?:an?|the) (?:[\w-]+ ){0,4}(?:member|president|director|chair\w*|head|leader"
    r"|founder|owner"
    r"|author|captain|manager|editor|child|son|daughter|wife|husband|brother|sister|subsidiary|capital|part) of\b"
)
_DEFINES = re.compile(r"(?:定义|含义|释义|definition|meaning) ?[:：]")


def corrected(folded: str, kind: FactType, *, spoken: bool) -> FactType:
    """The kind that a cue gave, where the form says better: a definition by its label, a role, what a speaker says of himself."""
    if _DEFINES.match(folded):
        return "definition"
    if kind == "definition" and _ROLE.search(folded):
        return "relation"
    if kind == "procedure" and _MINE_ZH.search(folded) and _DONE_ZH.search(folded):
        return "event"
    if kind == "metric" and _CALLED_ZH.search(folded):
        return "definition"
    if kind == "decision" and _IF.search(folded):
        return "procedure"
    if kind == "decision" and _USUALLY.search(folded):
        return "definition"
    return "state" if kind == "definition" and spoken else kind


def type_by_form(folded: str, labelled: bool) -> FactType | None:
    """event, state, constraint, procedure or relation, where the form of a sentence tells; None: a plain statement."""
    key = _KEY.match(folded) if labelled else None
    if key is not None:
        if _DATE_KEY.match(folded):
            return "event"
        return "relation" if _REPLACED_ZH.search(folded) else "state" if is_setting(key[1]) else None
    if count_cjk(folded) * 4 >= len(folded):
        return _chinese(folded)
    return "relation" if _ROLE.search(folded) else "event" if _past(folded) else None


def is_setting(key: str) -> bool:
    """Whether a label or property names what may be otherwise tomorrow."""
    return _SETTING.search(key) is not None


def _chinese(folded: str) -> FactType | None:
    if _REPLACED_ZH.search(folded):
        return "relation"
    if _STEP_ZH.search(folded):
        return "procedure"
    if _BEGAN_ZH.search(folded):
        return "event"
    if _SHOULD_ZH.search(folded):
        return "constraint"
    if _MINE_ZH.search(folded):
        return "event" if _DONE_ZH.search(folded) else "state"
    return None


def _past(folded: str) -> bool:
    """Whether the first finite verb is in the past and says what was done; "was a", "were in" only describe."""
    words = _WORD.findall(folded)
    for i, word in enumerate(words[:24]):
        if word in _PRESENT:
            return False
        if word in ("was", "were"):
            if words[i - 1] == "there" and i:
                return True
            following = words[i + 1 : i + 3]
            return any(_PASSIVE.match(w) is not None and w not in ("interested", "excited", "known") for w in following)
        if word in _PAST or (i > 0 and word.endswith("ed") and len(word) > 4 and word not in _NOT_PAST):
            return words[i - 1] not in ("the", "a", "an", "of", "to", "and", "by") if i else False
    return False
