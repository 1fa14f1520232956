"""What became of a plan: dropped, turned down or done, by its properties or by its own words; in Chinese and English. Pure.

A property is what the author declared. Words are a guess and are read narrowly: only in a note that calls itself a plan,
only near its beginning or end, and only a clause that says it of the note as a whole. "第一步已经完成" and "we dropped the idea
of doing it at once" are said of something else. The last such clause counts, so that what was picked up again is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from ebbtide.memory.heat import TIMELESS, kind_of
from ebbtide.memory.records import Note
from ebbtide.memory.states import Frame
from ebbtide.parse.note_kind import is_periodic_name
from ebbtide.parse.text import fold

Fate = Literal["dropped", "rejected", "done"]
FATES: Final[tuple[Fate, ...]] = get_args(Fate)


class Became(NamedTuple):
    """What became of a plan. `declared`: a property says so, not only words."""

    fate: Fate
    declared: bool

    def code(self) -> str:
        """As the catalogue keeps it: "done", or "done?" where only words say so."""
        return self.fate if self.declared else f"{self.fate}?"


def from_code(code: str | None) -> Became | None:
    """What `code` wrote; None for anything else."""
    fate = next((fate for fate in FATES if code is not None and code.removesuffix("?") == fate), None)
    return None if fate is None or code is None else Became(fate, not code.endswith("?"))


def became(note: Note) -> Became | None:
    """What became of the plan that a note is; None where nothing says that it ended. What tells of one day is no plan."""
    if _of_a_day(note.properties) or is_periodic_name(note.title):
        return None
    said = declared(note.properties)
    tagged = [tag.name.rpartition("/")[2] for tag in note.tags if tag.name.lower().startswith(("status/", "状态/"))]
    if said is None:
        said = next((found for value in tagged if (found := _status(value)) is not None), None)
    if said is not None:
        return None if said == "open" else Became(said, True)
    told = _told(note)
    return None if told is None or told == "open" else Became(told, False)


def plan_frame(note: Note) -> Frame | None:
    """Historical, where a note is a plan that was dropped or turned down. What is done may well hold: None."""
    found = became(note)
    return "historical" if found is not None and found.fate != "done" else None


def declared(properties: Mapping[str, Any]) -> Fate | Literal["open"] | None:
    """What properties say of a plan; "open" where they say that it goes on, None where they say neither."""
    if _of_a_day(properties):
        return None
    for key, value in properties.items():
        name = fold(str(key)).strip()
        if name in _FLAGS and value is True:
            return _FLAGS[name]
        if name in _KEYS:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and (found := _status(one)) is not None:
                    return found
    return None


def _of_a_day(properties: Mapping[str, Any]) -> bool:
    """Whether a note is an episode or a conversation: its status is that of an attempt, and what it tells has happened."""
    kind = properties.get("type")
    return isinstance(kind, str) and kind_of(kind) in TIMELESS


def asked_fates(query: str) -> frozenset[Fate]:
    """The fates a question asks about: what ended that way is then what is wanted."""
    folded = fold(query)
    return frozenset(fate for fate, cue in _ASKED.items() if cue.search(folded))


def asks_then(query: str) -> bool:
    """Whether a question is about what followed on something that happened: then what has ended since is no worse an answer."""
    return _ASKS_THEN.search(fold(query)) is not None


def asks_plan(query: str) -> bool:
    """Whether a question wants to know what is going to be done."""
    return _ASKS_PLAN.search(fold(query)) is not None


# --- properties ---------------------------------------------------------------------------------------------------------

_KEYS: Final = frozenset(["status", "state", "stage", "progress", "状态", "进度", "阶段", "进展"])
_FLAGS: Final[Mapping[str, Fate]] = {
    "done": "done", "completed": "done", "abandoned": "dropped", "cancelled": "dropped", "canceled": "dropped",
    "rejected": "rejected",
}  # fmt: skip
_EN_STATUS: Final[Mapping[Fate, str]] = {
    "dropped": "abandoned|dropped|cancelled|canceled|shelved|discarded|scrapped|killed|aborted|withdrawn|wontfix|wont do"
    "|won't do|given up|called off|on ice|dead",
    "rejected": "rejected|declined|refused|denied|vetoed|turned down|voted down"
    "|not (?:accepted|adopted|approved|taken up|selected)",
    "done": "done|complete|completed|finished|shipped|released|launched|delivered|closed|implemented|rolled out|resolved",
}
_ZH_STATUS: Final[Mapping[Fate, str]] = {
    "dropped": "放弃|废弃|搁置|取消|作废|中止|终止|叫停|停止|撤销|撤回|不做|不再做|砍掉|搁浅",
    "rejected": "否决|驳回|拒绝|否掉|毙掉|(?:未|没|没有|不)(?:被|获|获得)?(?:通过|采纳|采用|批准|同意|接受|批)",
    "done": "完成|做完|上线|交付|发布|结束|完结|收尾|关闭|落地|实施|竣工|完工|办完|解决",
}
_STATUS: Final[Mapping[Fate, re.Pattern[str]]] = {
    fate: re.compile(rf"(?:{_EN_STATUS[fate]})|(?:已经?|都|全部?)?(?:被)?(?:{_ZH_STATUS[fate]})了?") for fate in FATES
}
_OPEN_STATUS: Final = re.compile(
    "active|current|ongoing|on going|open|doing|in progress|started|wip|under ?way|todo|to do|planned|planning|next"
    "|accepted|approved|adopted|live|正在.{1,4}|.{1,4}中|当前|现行|有效|已?(?:采纳|通过|批准|启动|立项)|待.{1,3}|未完成|没做完"
)
_ODD: Final = re.compile(r"[^\w'\u4e00-\u9fff]+|_+")


def _status(value: str) -> Fate | Literal["open"] | None:
    plain = " ".join(_ODD.sub(" ", fold(value).rpartition("/")[2]).split())
    found = next((fate for fate in FATES if _STATUS[fate].fullmatch(plain)), None)
    return found or ("open" if _OPEN_STATUS.fullmatch(plain) else None)


# --- words --------------------------------------------------------------------------------------------------------------

_PLAN_NOTE: Final = re.compile(
    r"方案|计划|提案|提议|规划|路线图|立项|草案|\b(?:plans?|proposals?|rfc|roadmaps?|initiatives?|project (?:brief|charter))\b"
)
_NEAR: Final = 6
"""Lines at the beginning and at the end of a note in which its author says what became of it."""
_HEAD: Final = 300
"""Characters in which a note calls itself a plan."""
_LABEL: Final = re.compile(
    r"\W{0,4}(?:状态|结论|结果|进展|status|outcome|verdict|state)\W{0,2}[:：]{1,2}\W{0,3}(?P<value>.{1,40})"
)
_SKIPPED: Final = re.compile(r"\s*(?:#|[-*+] |\d+[.)] |\||```|>)")
_SPLIT: Final = re.compile(r"[,;。!?、:—\n]|(?<!\d)\.(?=\s|$)|\s-\s|\b(?:but|and|because|so|since|as)\b")

_NOUN_ZH: Final = "(?:方案|计划|提案|提议|建议|规划|草案|项目|想法|路线?|做法|主意|事情?|活动?)"
_SELF_ZH: Final = rf"(?:(?:这|该|此|本)(?:一?[个份套条项期次版件]|一切|些)?{_NOUN_ZH}?|{_NOUN_ZH})"
_BY_ZH: Final = (
    r"(?:我们|我|大家|团队|上面|领导|老板|评审|会议?|讨论|商量|研究|以后|之后|上(?!线)|最后|最终|后来|后|终于|结果|现在|目前"
    r"|已经?|早已?|都|全量|完全|全部?|被|也|就|又|决定|于|在|[\d一二三四五六七八九十]+[年月日号周]|去年|今年|上个?[月周]|[春夏秋冬]天?)*+"
)
"""Who and when. Possessive: what it took it keeps, so that no clause, however odd, takes long."""
_ENDED_ZH: Final[Mapping[Fate, str]] = {
    "dropped": r"(?:放弃|废弃|搁置|作废|取消|中止|终止|叫停|停掉|砍掉|搁浅|流产|黄|不了了之)(?:掉)?了?"
    r"|(?:没有?|不)再?(?:做|干|走|搞|弄|推进|进行|继续|实施)(?:成|下去)?了?|算了",
    "rejected": r"(?:否决|驳回|拒绝|否掉|毙掉|打回来?)(?:掉)?了?"
    r"|(?:没有?|未能?|不)(?:被|获得?|得到|能)?(?:通过|采纳|采用|批准|同意|接受|批)(?:评审|审批|审查|投票|表决)?",
    "done": r"(?:上线|完成|做完|交付|收尾|收工|结束|落地|发布|竣工|完工|办完|搞定|弄完)(?:完毕)?了?",
}
_SAID_ZH: Final[Mapping[Fate, re.Pattern[str]]] = {
    fate: re.compile(rf"{_SELF_ZH}?{_BY_ZH}(?:{ended})(?:{_SELF_ZH}|它)?") for fate, ended in _ENDED_ZH.items()
}
_COMPLETE_ZH: Final = re.compile("已|都|全|了|于")
"""上线 alone is a heading or a step; with one of these it is said to be done."""

_NOUN_EN: Final = (
    "(?:plan|proposal|project|idea|rfc|initiative|approach|draft|suggestion|effort|roadmap|work|one|thing|version)"
)
_OTHER_EN: Final = r"(?!(?:\w+ )?(?:old|older|other|first|second|previous|earlier|former|original|alternative|last)\b)"
_SELF_EN: Final = (
    rf"(?:it|this|that|all of (?:this|it)|everything(?: here)?|(?:this|the|our|an?) {_OTHER_EN}(?:[\w']+ ){{0,2}}?{_NOUN_EN}"
    r"(?: that| which)?)"
)
_AUX_EN: Final = r"(?:was|is|has been|have been|had been|got|were|are)"
_ADV_EN: Final = r"(?:(?:now|later|then|finally|eventually|since|already|all|fully|completely|in the end|soon) )*"
_TAIL_EN: Final = (
    r"(?: (?:in|on|by|after|before|at|during|last|this|to|for|due|within|over|early|late|yesterday|today|too|again"
    r"|altogether|entirely) ?.{0,50}| yesterday| today)?"
)
_WHO_EN: Final = r"(?:we|i|they|he|she|the (?:team|board|group|committee|company|review)|everybody|everyone|people)"
_PASSIVE_EN: Final[Mapping[Fate, str]] = {
    "dropped": "dropped|abandoned|shelved|cancelled|canceled|scrapped|killed|discarded|called off|given up|withdrawn|dead",
    "rejected": "rejected|declined|refused|vetoed|turned down|voted down|denied"
    "|(?:not|never) (?:accepted|adopted|approved|taken up)",
    "done": "done|finished|completed|shipped|delivered|rolled out|launched|released|implemented|complete",
}
_ACTIVE_EN: Final[Mapping[Fate, str]] = {
    "dropped": "dropped|abandoned|shelved|cancelled|canceled|scrapped|killed|discarded|called off|gave up on|gave up"
    "|(?:decided|chose) (?:not to (?:go ahead with|do|pursue|go on with|continue)|against)",
    "rejected": "rejected|declined|refused|vetoed|turned down|voted down|said no to|voted against"
    "|(?:did not|didn't|never) (?:adopt|accept|approve|take up)",
    "done": "finished|completed|shipped|delivered|rolled out|launched|released|implemented",
}
_SAID_EN: Final[Mapping[Fate, re.Pattern[str]]] = {
    fate: re.compile(
        rf"(?:{_SELF_EN} )?(?:{_AUX_EN} )?{_ADV_EN}(?:{_PASSIVE_EN[fate]}){_TAIL_EN}"
        rf"|(?:{_WHO_EN} )?(?:have |had )?{_ADV_EN}(?:{_ACTIVE_EN[fate]}) {_SELF_EN}{_TAIL_EN}"
        + (r"|(?:.{0,30} )?(?:did not|didn't|never) (?:get through|pass|make it through)(?: (?:the )?\w+)?" if fate == "rejected" else "")
        + (r"|closed" if fate == "done" else "")
    )
    for fate in FATES
}  # fmt: skip
_OPEN_SAID: Final = re.compile(
    rf"{_SELF_ZH}?{_BY_ZH}(?:重启|恢复|重新启动|重新开始|捡起来|复活|正在(?:执行|进行|推进|做)|进行中|执行中)了?"
    rf"|(?:{_SELF_EN} )?(?:{_AUX_EN} )?{_ADV_EN}(?:revived|reopened|resumed|restarted|picked up again|back on|under way"
    rf"|underway|in progress|ongoing){_TAIL_EN}"
    rf"|{_WHO_EN} {_ADV_EN}(?:revived|reopened|resumed|restarted|picked up) {_SELF_EN}{_TAIL_EN}"
)
_HINT: Final = re.compile(
    "弃|搁|废|取消|止|停|砍|流产|黄|了之|不再?[做干走搞弄推进继实]|没有?[做干走搞弄推进继实通采批同接被获]|算了|否|驳|拒|毙|打回|未|不[通采批同接]"
    "|上线|完|交付|收|结束|落地|发布|竣|搞定|重|恢复|捡|复活|正在|行中"
    "|drop|abandon|shelv|cancel|scrap|kill|discard|call|gave|giv|withdraw|dead|decid|chose|reject|declin|refus|veto|turn|vot"
    "|deni|accept|adopt|approv|tak|said|through|pass|done|finish|complet|ship|deliver|roll|launch|releas|implement|clos"
    "|reviv|reopen|resum|restart|pick|back|way|progress|ongoing"
)
"""What a line must hold to be looked at clause by clause: a cheap look before the patterns."""


def _told(note: Note) -> Fate | Literal["open"] | None:
    body = note.text[note.body :]
    kind = note.properties.get("type")
    named = " ".join(
        [note.title, kind if isinstance(kind, str) else "", *(tag.name for tag in note.tags), body[:_HEAD]]
    )
    if _PLAN_NOTE.search(fold(named)) is None:
        return None
    found: Fate | Literal["open"] | None = None
    for line in _outer(body):
        folded = fold(line)
        label = _LABEL.match(folded)
        if label is not None and (said := _status(label["value"])) is not None:
            found = said
        elif not _SKIPPED.match(folded) and _HINT.search(folded):
            for clause in _SPLIT.split(folded):
                found = _said(clause.strip(" \t.*_~“”\"'()（）")) or found
    return found


def _outer(body: str) -> Iterator[str]:
    lines = [line for line in body.split("\n") if line.strip()]
    yield from lines if len(lines) <= 2 * _NEAR else [*lines[:_NEAR], *lines[-_NEAR:]]


def _said(clause: str) -> Fate | Literal["open"] | None:
    """What one clause says of the whole plan."""
    if not 1 < len(clause) <= 120:
        return None
    for fate in FATES:
        if _SAID_EN[fate].fullmatch(clause):
            return fate
        if _SAID_ZH[fate].fullmatch(clause) and (fate != "done" or _COMPLETE_ZH.search(clause)):
            return fate
    return "open" if _OPEN_SAID.fullmatch(clause) else None


# --- questions ----------------------------------------------------------------------------------------------------------

_ASKED: Final[Mapping[Fate, re.Pattern[str]]] = {
    "dropped": re.compile(
        r"放弃|废弃|搁置|作废|取消|中止|终止|叫停|砍掉|不做了?|没做|\b(?:drop(?:ped)?|abandon(?:ed)?|shelved?|cancell?ed|scrapped"
        r"|g[ai]ven? up|called off|discarded)\b"
    ),
    "rejected": re.compile(
        r"否决|驳回|拒绝|否掉|(?:未|没有?|不)(?:被|获得?|能)?(?:通过|采纳|采用|批准|同意|接受)"
        r"|\b(?:reject(?:ed)?|declined?|refused?|vetoed|turn(?:ed)? down|voted down|(?:not|never) (?:accept|adopt|approve)(?:ed|d)?)\b"
    ),
    "done": re.compile(
        r"做完|完成|上线[了过]|已上线|交付|结束了?|收尾"
        r"|\b(?:done|finish(?:ed)?|completed?|shipped|delivered|rolled out|launched|released)\b"
    ),
}
_ASKS_THEN: Final = re.compile(
    r"(?:之后|以后|那次|那回).{0,12}了"
    r"|\b(?:did|was|were|had)\b.{0,60}\b(?:after|when|once) (?:the|we|i|it|that|this|they|he|she|our|my)\b"
    r"|\b(?:after|when|once) (?:the|we|i|it|that|this|they|he|she|our|my)\b.{0,60}\b(?:did|was|were|had)\b"
)
_ASKS_PLAN: Final = re.compile(
    r"计划|方案|提案|规划|路线|打算|安排|接下来|下一步|怎么办|要怎么|\b(?:plans?|proposals?|roadmaps?|roads?|going to|next steps?"
    r"|are we doing|will we|shall we)\b"
)
