"""What time a sentence speaks of: current, historical, a change, or a plan; in Chinese and English (algorithms.md B.3).

Chinese has aspect, not tense: 了 says that something is complete, not that it is past (已经上线了
describes now), so adverbs and the lexicon decide. Sentences are read clause by clause; the last marked
clause wins. Quoted speech and code say nothing about the sentence around them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ebbtide.memory.states import Frame
from ebbtide.parse.cue import Cue
from ebbtide.parse.fates import declared
from ebbtide.parse.text import fold

_SILENT = re.compile(
    r"`[^`\n]{1,300}`|“[^”\n]{1,300}”|\"[^\"\n]{1,300}\"|「[^」\n]{1,300}」|『[^』\n]{1,300}』|《[^》\n]{1,100}》"
)
_CLAUSE = re.compile(
    r"[,;。!?\n]|(?<!\d)\.(?=\s|$)|:(?![/\d])|—|\b(?:but|and then|which|so that|because|while)\b|但是?"
    r"|而是|不过(?=[^百千万\d])"
)

_STRONG_ZH = (
    r"曾经|曾(?=[在是用任有被担])|一度(?=[^电])|当时|那时(?:候|起)?|早期"
    r"|过去(?!的[一几两三]?[天周月年])(?=[,，是都用我他她曾的常总]|$)"
    r"|已(?:经)?(?:被)?(?:废弃|弃用|作废|下线|停用|取代|淘汰|废止|停产|关停)"
    r"|已(?:经)?被[^,，]{1,12}(?:取代|替代|代替|淘汰)"
    r"|旧版本?|旧方案|老方案|旧的做法|老版本|旧流程|旧系统|老系统|从前|昔日|早年|往年|想当初"
    r"|(?:^|(?<=[我你他她它们]))以前的[^,，]{1,10}(?=[是叫在用])"
)
_STRONG_EN = (
    r"deprecated|obsolete"
    r"|(?<!is )(?<!am )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )(?<!being )(?<!get )(?<!gets )(?<!got )"
    r"(?<!getting )(?<!'re )(?<!'m )\bused to\b|formerly|superseded|legacy|back then|at that time|at the time(?! of)"
    r"|in the past|in those days|in the early days|years ago[^,]{0,20}\b(?:was|were|used|had)\b"
    r"|old (?:version|way|approach|scheme|plan)"
    r"|discontinued|retired in|was (?:later )?(?:abandoned|dropped|replaced|removed)|decommissioned"
    r"|(?:is|are|was|were|now) (?:now )?outdated"
    r"|(?:previously|originally|initially),? (?:\w+ ){1,3}(?:was|were|had|used|ran|kept|\w{2,}ed)\b"
)
_STRONG = Cue(f"{_STRONG_ZH}|{_STRONG_EN}")
_TIME = re.compile(
    r"曾经|曾(?=[在是用任有被担])|一度(?=[^电])|当时|那时|从前|昔日|早年|往年|想当初"
    r"|早期(?!的|版|客户|用户|数据|代码|项目|文件)|^以前(?=[是用都我你他她要])"
    r"|(?<!is )(?<!am )(?<!are )(?<!was )(?<!were )(?<!be )\bused to\b|\bformerly\b|\bback then\b|\bat that time\b"
    r"|\bin (?:the past|those days|the early days)\b"
)
"""When, not what: a rule that follows one of these was a rule then; a rule that names an old thing is one now."""

_BEFORE = re.compile(r"(?P<head>[^\s]{0,16}?)(?P<word>以前|之前)(?P<tail>.{0,6})")
_EVENT_ENDING = re.compile(
    r"(?:上线|发布|合并|提交|部署|开始|完成|结束|出发|睡觉|睡|启动|使用|安装|升级|迁移|修改|删除|更新"
    r"|测试|评审|开会|会议|会|面试|考试"
    r"|截止|交付|下班|上班|吃饭|饭|回家|关闭|关机|重启|动手|执行|运行|付款|签字|签约|入职|离职|出门|写"
    r"|做|改|买|用|来|去|到|走|点|日|号"
    r"|月|年|天|周|周[一二三四五六日末]|星期[一二三四五六日]|[一二三四五六七八九十\d]+[点时]"
    r"|[一二两三四五六七八九十几\d]+个?[天周月年]|那|此|这|在此|年底|月底"
    r"|春节|国庆|[a-z0-9]+ ?发布|之后|到期|过期|决定|确认|批准|审批|获批|采购|下单|登录|注册|保存|退出|生效)\Z"
)
_MUST = re.compile(r"要|必须|需|应|请|别|不要|不能|不得|先|记得|务必|禁止")
_PAST_STATE = re.compile(r"[是用都曾在]|一直|总|常|经常|每|有|叫|住|没|只")

_WEAK = Cue(
    r"(?<![还])原来(?!如此)|本来(?!就)|最初|起初|一开始|原先|原本|(?<!计)原计划|曾"
    r"|(?<=[用试做去看吃住写跑学考想来买玩听说读当养开接见问聊提踩犯])过(?![程去期敏滤于多度来年关节渡大分户劲高低敷重早晚头])"
    r"|\bpreviously\b|\boriginally\b|\binitially\b|\bat first\b|\bearlier\b|\bonce (?:was|were|had"
    r"|used)\b|\bbefore (?:that|this)\b"
)

_CHANGE = Cue(
    r"后来[^,，]{0,8}?(?:改|换|切|转|迁)|改(?:成|为|用|走|到|由)|(?<!转)(?<!兑)(?<!交)换(?:成|为|用"
    r"|到)|迁(?:移)?(?:到|至)|切换?(?:到|成|为)|转(?:为|用|向|成)|升级(?:到|为|至)"
    r"|取代了|替换(?:成|为|掉|了)|替代了|由.{1,20}变(?:成|为)|从.{1,20}(?:变|调整|降|升|涨|提升|提高"
    r"|增加|减少|缩短)(?:成|为|到|至)|推迟到|提前到|延期(?:到|至)"
    r"|\b(?:switch|switched|switching|migrat(?:e|ed|ing)|mov(?:e|ed|ing)|chang(?:e|ed|ing)|upgrad(?:e"
    r"|ed|ing)|convert(?:ed)?) (?:[\w.'-]+ ){0,6}?(?:over )?(?:to|into) "
    r"|\b(?:replac(?:e|ed|es|ing)) (?:[\w.'-]+ ){0,6}?(?:by|with) |\breplaced by\b"
    r"|\binstead of\b.{0,30}\bnow\b|\b(?:is|are) now\b.{0,20}\binstead\b"
    r"|\bfrom .{1,40}? to .{1,40}? (?:since|as of|starting)\b|\b(?:dropped|rose|fell|grew|went"
    r"|increased|decreased|improved|reduced|raised|cut) from .{1,40}? to\b|\brenamed (?:to|as)\b"
    r"|\bpostponed (?:to|until)\b"
)
_IMPERATIVE = re.compile(
    r"\s*(?:change|move|convert|migrate|switch|upgrade|replace|rename|moving|changing|converting) "
)
"""An instruction to change something is no change that happened."""
_CURRENT = Cue(
    r"现在|目前|当前|如今|现行|最新|从今|现阶段|眼下|至今|仍然|仍在|依然|依旧|始终"
    r"|已经?[^,，]{1,12}了\b|已经[^,，]{1,12}|不再|再也不|正在"
    r"|\bnow\b|\bcurrently\b|\bas of\b|\bno longer\b|\bthese days\b|\bnowadays\b|\bat present\b"
    r"|\bstill\b|\bat the moment\b|\banymore\b|\bany more\b|\bto this day\b"
)
_NEGATED = re.compile(
    r"(?:没有?|并未|并没有?|尚未|还没有?|未被?|不会|不是|非)(?:被|正式)?(?:废弃|弃用|作废|下线|停用"
    r"|取代|淘汰|旧版|老版本)"
    r"|(?:not|n't|never) (?:yet |been |being |be |actually |really )?(?:deprecated|obsolete|superseded"
    r"|legacy|retired|discontinued)"
)
_RULE = Cue(
    r"不要|别再?(?=[用写把去让给在做改删])|勿|禁止|不得|不许|不准|严禁|请(?!求|教|假)|必须|务必|应当|应该|不应|不能再"
    r"|\bdo not\b|\bdon't\b|\bnever\b(?! used)|\bmust\b|\bavoid\b|\bshould(?:n't| not)?\b(?! have)"
    r"|\bplease\b|\bstop using\b"
)
_PLAN = Cue(
    r"(?<![原的该此本旧老按])计划(?=[在于将要明下今周本用把对去从到开做写学买和与]"
    r"|[^,，。]{0,10}(?:完成|上线|发布|开始))|打算|准备(?=[要去在下开买写做换])|即将|拟(?=[于在将]"
    r"|定于)|将(?=[于在会要]|在)"
    r"|预计|预定|(?:明天|后天|下周|下个?月|明年|年底前|月底前|下季度|下一步|接下来"
    r"|以后)[^,，]{0,10}(?:要|会|将|去|做|完成|开始|发布|上线|改|开|参加|出)"
    r"|\bplan(?:s|ning)? (?:to|on)\b|\b(?:is|are|am|'m|'re|'s) (?:going|planning|about) to\b"
    r"|\bintends? to\b|\b(?:i|we|he|she|they)(?:'ll| will| shall)\b"
    r"|\bwill\b[^,]{0,60}\b(?:tomorrow|next (?:week|month|year|quarter|spring|summer|fall|winter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b"
    r"|\bscheduled (?:for|to)\b|\bupcoming\b|\bdue (?:on|by)\b|\blooking forward to\b|\b(?:hope|hoping"
    r"|want|wants) to\b[^,]{0,40}\b(?:next|soon|someday|one day)\b"
)
_MARKED_ZH = re.compile(
    r"曾|一度|当时|那时|早期|过去|已经?[被废弃作下停取淘关]|被[^,]{1,12}[取替代淘]|旧|老[方版系]|从前|昔|早年|往年|当初|以前|之前|原[来本先]|本来|最初|起初|一开始"
    r"|后来|改[成为用走到由]|换[成为用到]|迁|切[换到成为]|转[为用向成]|升级|取代|替[换代]|[变整降升涨高加少短][成为到至]|推迟|提前到|延期|\d\s?年"
    r"|计划|打算|准备|即将|拟|将[于在会要]|预[计定]|明天|后天|下[周个月季一]|明年|底前|接下来|以后"
)
_EN_WORDS = (
    "deprecated obsolete used use formerly superseded legacy then time past days ago old discontinued "
    "retired abandoned dropped replaced removed previously originally initially first earlier once before "
    "switch switched switching migrate migrated migrating move moved moving change changed changing upgrade "
    "upgraded upgrading convert converted replace replaces replacing instead renamed rose fell grew went "
    "increased decreased improved reduced raised cut postponed since starting plan plans planning going "
    "about intend intends will shall i'll we'll he'll she'll they'll scheduled upcoming due looking hope "
    "hoping want wants until lived ran using still decommissioned outdated kept "
)
_MARKED_EN: Final = frozenset(_EN_WORDS.split())
"""What a sentence must hold to be anything but current: a cheap look before the patterns."""
_DIGIT = re.compile(r"\d")
_LATIN_WORD = re.compile(r"[a-z']+")
_PAST_YEAR = re.compile(
    r"(?P<year>[12]\d{3})\s?年(?:[^,，]{0,6}?)(?:用的是|用的还是|使用的是|采用的是|叫|还在|还是|一直|都是)"
    r"|\b(?:in|until|back in) (?P<y2>[12]\d{3})\b[^,]{0,30}\b(?:used|was using|were using|was still"
    r"|were still|ran on|lived in)\b"
    r"|\b(?:used|was using|were using|was still|were still|ran on|lived in)\b[^,]{0,30}\b(?:in|until"
    r"|back in) (?P<y3>[12]\d{3})\b"
)

_QUERY_PAST = re.compile(
    r"上次|上周|上个?月|当初|为什么当时|历史|以前|之前(?=[^,，]{0,6}(?:怎么|是|用|为什么|谁|哪|的|在))"
    r"|先前|原先|原来|最初|起初|过去(?!的?[一几两三\d]+ ?个?[天周月年小分])|当年|早些年|早年|最早(?=[用是的叫由])"
    r"|[12]\d{3} ?年[^,，]{0,8}?(?:用的|是谁|谁|怎么|为什么|发生|负责|选了)"
    r"|\bold(?:er)? (?:process|way|version|approach|plan|system|setup|policy|rule|one|scheme)s?\b"
    r"|\bin [12]\d{3}\b(?<!in 2[1-9]\d\d)|去年|前年|曾|那时|早期|过(?:什么|哪|几|多少)"
    r"|\bhistory\b|\blast (?:time|week|month|year)\b|\bpreviously\b|\boriginally\b|\bused? to\b"
    r"|\bback then\b|\bin the past\b"
    r"|\bformer(?:ly)?\b|\bat the time\b|\bbefore (?:we|that|the (?:switch|move|change|migration))\b"
    r"|\bhow did\b.{0,40}\bbefore\b|\bearlier\b|\bever\b"
)
_QUERY_BEFORE_EVENT = re.compile(r"(?:^|[我们在的]{0,2})(?:以前|之前)")
_QUERY_PLAN = re.compile(
    r"(?:下周|明天|后天|下个?月|明年|接下来|下一步|将来|未来)|计划|打算|安排|\bnext (?:week|month|year"
    r"|step)|\btomorrow\b|\bplan(?:s|ned|ning)?\b|\bgoing to\b|\bupcoming\b|\bwill (?:i|we|you|he|she"
    r"|they|the)\b"
)


def frame(sentence: str, *, written: str | None = None) -> Frame:
    """The frame of a sentence. `written` is the day it was written: only then can a stated year be past."""
    found: Frame = "current"
    folded = fold(sentence)
    if _MARKED_ZH.search(folded) is None and _MARKED_EN.isdisjoint(_LATIN_WORD.findall(folded)):
        return found
    for clause in _clauses(folded):
        marked = _clause_frame(clause, written)
        if marked is not None:
            found = marked
    return found


def text_frame(text: str, focus: str = "", *, written: str | None = None) -> Frame:
    """The frame of a text of several sentences. `focus` is the one that a question is about: if it is marked, it decides.

    Else the past must outweigh all that is marked as now, as a change or as a plan; of as many, the later ones count.
    """
    if focus and (told := _marked(focus, written)):
        return told[-1]
    found = _marked(text, written)
    past = found.count("historical")
    if not found or 2 * past == len(found):
        return found[-1] if found else "current"
    return "historical" if 2 * past > len(found) else next(f for f in reversed(found) if f != "historical")


def _marked(text: str, written: str | None) -> list[Frame]:
    """The frames of the clauses that are marked, in order."""
    found = (_clause_frame(clause, written) for clause in _clauses(fold(text)))
    return [told for told in found if told is not None]


def query_frame(query: str) -> Frame:
    """The frame of a question: historical or plan if it says so, else current."""
    folded = _SILENT.sub(" ", fold(query))
    if _QUERY_PAST.search(folded):
        before = _BEFORE.search(folded)
        others = _QUERY_PAST.sub(lambda m: "" if m.group() in {"以前", "之前"} else m.group(), folded)
        if before is None or not _is_before_event(before) or _QUERY_PAST.search(others):
            return "historical"
    if _STRONG.search(folded) and not _NEGATED.search(folded):
        return "historical"
    return "plan" if _QUERY_PLAN.search(folded) else "current"


def structural_frame(properties: Mapping[str, Any], *, today: str | None = None) -> Frame | None:
    """Historical without reading the text: superseded, closed, archived or stale by its properties."""
    until = past_after(properties)
    return "historical" if until is not None and (until == "" or (today or "") > until) else None


def past_after(properties: Mapping[str, Any]) -> str | None:
    """The day (ISO) after which a note tells of the past, by its properties; "" if it does already, None if they do not say."""
    lowered = {str(key).strip().lower(): value for key, value in properties.items()}
    if any(lowered.get(key) for key in _REPLACED):
        return ""
    if str(lowered.get("status", lowered.get("状态", ""))).strip().lower() in _CLOSED:
        return ""
    if declared(properties) in ("dropped", "rejected"):
        return ""
    until = str(lowered.get("valid_to") or lowered.get("valid-to") or lowered.get("有效期至") or "")
    return until[:10] if re.match(r"\d{4}-\d\d-\d\d", until) else None


_REPLACED: Final = ("superseded_by", "superseded-by", "replaced_by", "replaced-by", "被取代", "取代者")


_CLOSED: Final = frozenset(
    {
        "superseded",
        "stale",
        "archived",
        "deprecated",
        "obsolete",
        "已归档",
        "归档",
        "已废弃",
        "废弃",
        "已作废",
        "已取代",
        "过时",
    }
)


def split_change(sentence: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where a sentence tells of a change in two clauses: (start, end) of what was, and of what is now; else None.

    The first becomes historical and ends on the day of the change, the second holds from that day.
    """
    folded = fold(sentence)
    if len(folded) != len(sentence):
        return None
    change = _CHANGE.search(_blank(folded))
    if change is None:
        return None
    breaks = [m.end() for m in re.finditer(r"[,，;；]\s*", folded[: change.start()])]
    if not breaks:
        return None
    cut = breaks[-1]
    before = folded[:cut].rstrip(" ,，;；")
    if len(before) < 6 or not (_STRONG.search(before) or _WEAK.search(before) or _past_before(before)):
        return None
    return (0, len(before)), (cut, len(sentence))


def _clauses(folded: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(_SILENT.sub(" ", folded)) if clause and clause.strip()]


def _blank(text: str) -> str:
    """The text with quotations and code made blank, same length."""
    return _SILENT.sub(lambda m: " " * len(m.group()), text)


def _clause_frame(clause: str, written: str | None) -> Frame | None:
    """The frame one clause marks, None if it marks none."""
    scripts = (not clause.isascii(), _LATIN_WORD.search(clause) is not None)
    rule = _RULE.search(clause, *scripts)
    if rule:
        then = _TIME.search(clause.strip())
        late = _CURRENT.search(clause, *scripts)
        bound = then is not None and clause.find(then.group()) < rule.start()
        return "historical" if bound and not late else "current"
    if _CHANGE.search(clause, *scripts) and not _IMPERATIVE.match(clause):
        return "plan" if _PLAN.search(clause, *scripts) else "change"
    strong = _strong(clause, scripts) or _past_before(clause) or _past_year(clause, written)
    current = _CURRENT.search(clause, *scripts)
    if strong and not (current and _present_negative(current.group())):
        return "historical"
    if current:
        return "plan" if _PLAN.search(clause, *scripts) and not _present_negative(current.group()) else "current"
    if _PLAN.search(clause, *scripts):
        return "plan"
    return "historical" if _WEAK.count(clause) + _weak_before(clause) >= 2 else None


def _strong(clause: str, scripts: tuple[bool, bool]) -> bool:
    """A strong marker of the past that is not denied (没有废弃, not deprecated)."""
    return _STRONG.search(clause, *scripts) is not None and _NEGATED.search(clause) is None


def _present_negative(marker: str) -> bool:
    """不再, no longer: about now, although what they deny is past. 现在 beside a past marker is one too."""
    return marker.startswith(("不再", "再也不", "no longer", "any", "现在", "目前", "当前", "如今", "now", "currently"))


def _past_before(clause: str) -> bool:
    """以前是/用/都...: strong, unless 以前 closes a clause of time (上线以前都要测试)."""
    if "前" not in clause:
        return False
    for match in _BEFORE.finditer(clause):
        state = match["word"] == "以前" and _PAST_STATE.match(match["tail"].lstrip("我们你他她它 "))
        if state and not _is_before_event(match):
            return True
    return False


def _weak_before(clause: str) -> bool:
    return "前" in clause and any(not _is_before_event(match) for match in _BEFORE.finditer(clause))


def _is_before_event(match: re.Match[str]) -> bool:
    """Whether 以前 or 之前 follows an event or a point of time: then it is "before", not "formerly"."""
    head = match["head"]
    if not head:
        return False
    if _EVENT_ENDING.search(head):
        return True
    return _MUST.search(match["tail"]) is not None and len(head) > 1


def _past_year(clause: str, written: str | None) -> bool:
    match = _PAST_YEAR.search(clause) if written and _DIGIT.search(clause) else None
    if match is None or not written:
        return False
    return (match["year"] or match["y2"] or match["y3"]) < written[:4]
