"""When a fact matters: its own condition, else its kind with what it is about. One short, readable clause."""

from __future__ import annotations

import re
from typing import Final

from ebbtide.memory.states import FactType, Lang
from ebbtide.parse.relations import RELATIONS, normalise_relation
from ebbtide.parse.text import fold, is_cjk

MAX_TRIGGER: Final = 60
_WHEN_ZH = re.compile(
    r"(?:每?当(?!时|天|年|初|然|场|地)|如果|若|一旦|遇到|碰到)[^，,。；;:：]{2,30}?(?:时候|时|的话|之?前|之?后"
    r"|(?=[，,]))|[^，,。；;:：]{2,20}(?:的时候|之前|以前)"
)
_WHEN_EN = re.compile(r"\b(?:when(?:ever)?|if|before|after|once) [^,.;:!?(]{4,80}", re.IGNORECASE)
_WHEN_HINT = re.compile(r"[当如若旦遇碰时前]")
_TOLD = re.compile(r"\b(?:was|were|had|did|went|got|came|became|made|took|gave|saw|i|me|my|you|\w{2,}ed)\b")
"""A condition that tells what happened once is none."""
_PLAIN: Final = frozenset({"是", "is", "使用", "uses", "改为", "changed to", "prefers", "avoids", "偏好", "避免"})
_TRIGGERS: Final[dict[FactType, tuple[str, str]]] = {
    "decision": ("when deciding about {0}", "当要决定{0}时"),
    "preference": ("when arranging or suggesting something in {0}", "当安排或推荐涉及{0}时"),
    "constraint": ("when working on {0}", "当处理{0}时"),
    "procedure": ("when doing {0}", "当要{0}时"),
    "lesson": ("when facing {0} again", "当再遇到{0}时"),
    "metric": ("when asked for the figures of {0}", "当问到{0}的数据时"),
    "definition": ("when {0} comes up", "当提到{0}时"),
    "event": ("when asked what happened with {0}", "当问到{0}发生了什么时"),
    "state": ("when asked how {0} is now", "当问到{0}的现状时"),
    "relation": ("when asked what {0} is related to", "当问到{0}和谁有关时"),
    "plan": ("when planning {0}", "当安排{0}时"),
}
_KIND_WORD: Final[dict[FactType, re.Pattern[str]]] = {
    "decision": re.compile(r"^(?:决定|决策|decision)[-:：· ]+|[-:：· ]*(?:决定|决策|\bdecision)$", re.IGNORECASE),
    "plan": re.compile(r"[-:：· ]*(?:安排|计划|\bplan)$", re.IGNORECASE),
}
_HOW_EN = re.compile(r"^how to (?=[a-z])", re.IGNORECASE)
_HOW_ZH = re.compile(r"^(?:怎么样?|如何|怎样)|(?<=..)(?:的?(?:步骤|流程|方法|做法|教程|指南))$")
_NO_OBJECT = re.compile(
    r"^(?:to|and|that|when|how|it|this|them|if|the (?:way|idea)|being|in|on|for|with|my|your|what|i|we|a lot)\b"
    r"|^[的了在和就被把这那它他她我你]",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*[（(][^（）()]*[)）]")
_EMPTY_HEADS: Final = frozenset(
    {"what", "number", "value", "数字", "数值", "内容", "事项", "note", "说明", "item", "lesson", "state", "状态"}
)
_LEAD = re.compile(r"^[^\w(（《「“\"'`]+")
_WHAT_ZH: Final = {
    "causes": "导致什么",
    "depends_on": "依赖什么",
    "supersedes": "取代什么",
    "superseded_by": "被什么取代",
    "caused_by": "由什么导致",
    "part_of": "属于什么",
    "supports": "支持什么",
    "contradicts": "和什么矛盾",
}
_PERSON_TRIGGERS: Final[dict[FactType, tuple[str, str]]] = {
    "event": ("when asked what {0} did", "当问到{0}做过什么时"),
    "plan": ("when asked what {0} plans", "当问到{0}的打算时"),
    "state": ("when asked how {0} is doing", "当问到{0}的近况时"),
    "relation": ("when asked who {0} knows", "当问到{0}和谁有关时"),
}
_END_MARKS: Final = " \t。.，,；;：:！!？?、…-—·"
_CLAUSE = re.compile(r"[，,。；;：:！!？?（(]|\.\s|\.$")
_DOUBLED: Final = frozenset(
    {"cut", "set", "run", "get", "put", "stop", "plan", "drop", "map", "ship", "log", "tag", "swap", "wrap", "plug"}
    | {"begin", "zip", "let", "dig", "fit", "pin", "trim", "skip", "split", "chop", "step"}
)


def trigger_of(
    text: str, kind: FactType, lang: Lang, *, subject: str | None, attribute: str | None, value: str | None,
    day: str | None, step: bool,
) -> str:  # fmt: skip
    """When a fact matters. `step`: the text is a command on its own, told apart from its note's other ones."""
    found = _condition(text) if kind in {"constraint", "procedure", "lesson", "decision"} else None
    if found is not None:
        return found
    zh = lang == "zh"
    if kind == "preference" and (subject is None or subject == "user"):
        return _liking("用户" if zh else "the user", value, zh)
    topic = _topic(subject, kind) if subject not in {None, "user"} else None
    if kind == "procedure":
        return _doing(text, topic, zh, step)
    attribute = _attribute(attribute, topic)
    if topic is None:
        topic, attribute = attribute, None
    if topic is None:
        topic = _gist(text) if subject is None and day is None else None
    if topic is None:
        who = ("用户" if zh else "the user") if subject == "user" else None
        if who and kind not in {"event", "plan"}:
            return f"当问到{who}的情况时" if zh else f"when asked about {who}"
        if who or not day:
            return _fit(_TRIGGERS[kind][zh], who or "")
        return f"当问到{day}的事时" if zh else f"when asked about {day}"
    if attribute is not None and kind not in {"decision", "lesson", "plan", "constraint", "preference", "event"}:
        return _asked(topic, attribute, kind, zh)
    return _fit(_TRIGGERS[kind][zh], topic)


def person_trigger(who: str, kind: FactType, value: str | None, lang: Lang) -> str:
    """When what a person likes, did or plans matters."""
    if kind != "preference":
        return _fit(_PERSON_TRIGGERS.get(kind, ("when asked about {0}", "当问到{0}时"))[lang == "zh"], who)
    return _liking(who, value, lang == "zh")


def option_trigger(subject: str | None, lang: Lang) -> str:
    """When what was considered matters."""
    topic = _topic(subject, "decision")
    if topic is None:
        return "当比较选项时" if lang == "zh" else "when comparing options"
    return _fit("当比较{0}的选项时" if lang == "zh" else "when comparing the options for {0}", topic)


def _condition(text: str) -> str | None:
    match = _WHEN_ZH.search(text) if not text.isascii() and _WHEN_HINT.search(text) else None
    said = _WHEN_EN.search(text)
    if said is not None and (match is None or said.start() < match.start()):
        found = cut(said.group(), MAX_TRIGGER)
        return None if _TOLD.search(found.lower()) else found[0].lower() + found[1:]
    if match is None:
        return None
    found = match.group().strip(_END_MARKS)
    if found.startswith("当"):
        return found if found.endswith(("时", "时候")) else f"{found}时"
    return found


def _liking(who: str, value: str | None, zh: bool) -> str:
    thing = (value or "").strip(_END_MARKS)
    short = 0 < len(thing) <= (12 if zh else 28) and not _NO_OBJECT.match(thing) and not _CLAUSE.search(thing)
    if short and is_cjk(thing[:1]) == zh:
        return f"当给{who}安排或推荐{thing}时" if zh else f"when suggesting {thing} to {who}"
    return f"当给{who}安排或推荐时" if zh else f"when choosing or suggesting something for {who}"


def _doing(text: str, topic: str | None, zh: bool, step: bool) -> str:
    title = topic or ""
    if title and not step:
        if _HOW_EN.match(title):
            return _fit("when {0}", _gerund(_HOW_EN.sub("", title)))
        if is_cjk(title[0]):
            return _fit("当要{0}时", _HOW_ZH.sub("", title) or title)
        return _fit(_TRIGGERS["procedure"][zh], title)
    gist = _gist(text) or title
    return _fit("当要{0}时", gist) if zh else _fit("when {0}", _gerund(gist))


def _gerund(phrase: str) -> str:
    """A verb phrase in the form that follows "when": cut a release -> cutting a release."""
    verb, space, rest = phrase.partition(" ")
    low = verb.lower()
    if not low.isalpha() or not low.isascii() or low.endswith("ing"):
        return f"doing {phrase}"
    if low in _DOUBLED:
        low += low[-1]
    elif low.endswith("e") and not low.endswith(("ee", "oe", "ye")) and len(low) > 2:
        low = low[:-1]
    return f"{low}ing{space}{rest}"


def _asked(topic: str, attribute: str, kind: FactType, zh: bool) -> str:
    word = normalise_relation(attribute)
    if kind == "relation" and word in RELATIONS:
        word = word.replace("_", " ")
        if zh or not word.isascii():
            asked = _WHAT_ZH.get(word.replace(" ", "_"), f"{word}什么" if not word.isascii() else f"的{word}")
            return _fit(f"当问到{{0}}{asked}时", topic)
        verb = word if word.endswith("s") or " on" in word or " to" in word else f"is {word}"
        return _fit(f"when asked what {{0}} {verb}", topic)
    return _fit(f"当问到{{0}}的{attribute}时" if zh else f"when asked for {attribute} of {{0}}", topic)


def _topic(subject: str | None, kind: FactType) -> str | None:
    """The subject without brackets, of a path the first part if all is too long."""
    name = _LEAD.sub("", (subject or "").strip(_END_MARKS))
    name = _BRACKETS.sub("", name) or name
    if " › " in name:
        name = name.replace(" › ", " ") if len(name) <= 30 else name.partition(" › ")[0]
    if kind in _KIND_WORD:
        name = _KIND_WORD[kind].sub("", name) or name
    return name or None


def _attribute(attribute: str | None, topic: str | None) -> str | None:
    name = (attribute or "").strip(_END_MARKS)
    if not name or name in _PLAIN or len(name) > 24 or name[0].isdigit() or fold(name) in _EMPTY_HEADS:
        return None
    if _NO_OBJECT.match(name) or name.lower().startswith("also "):
        return None
    name = name[0].lower() + name[1:] if name[1:2].islower() and name[1:].islower() else name
    return None if topic and (fold(name) in fold(topic) or fold(topic) in fold(name)) else name


def _gist(text: str) -> str | None:
    """The first clause of a text, short."""
    gist = _CLAUSE.split(text.strip(_END_MARKS), maxsplit=1)[0] or text
    return cut(gist, 44) or None


def _fit(form: str, topic: str) -> str:
    return form.replace("{0}", cut(topic, max(12, MAX_TRIGGER - len(form) + 3)))


def cut(text: str, size: int) -> str:
    """The text up to `size` characters, cut where a word ends, without marks at its end."""
    text = text.strip(_END_MARKS)
    if len(text) > size:
        at = text.rfind(" ", 0, size + 1)
        text = text[: at if at > size // 2 else size]
        text = re.sub(r"(?: (?:and|or|the|a|an|of|to|for|in|on|with|from|by|at|as|that))+$", "", text)
    text = text.strip(_END_MARKS)
    return text.rpartition("（")[0] or text if text.count("（") > text.count("）") else text
