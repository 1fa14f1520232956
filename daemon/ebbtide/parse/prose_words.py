"""The words with which a sentence states a relation between notes, in English and Chinese. Pure.

Patterns read folded sentences (half width, simplified, lower case; `text.fold`) in which each link is one character of
LINK. A verb stands between its two ends, or behind the second one (被 … 取代). A link is an end only where it is the head
of what the words govern, so the gaps are short: what is not said in so many words is left alone.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

FIRST: Final = 0xE000
MOST: Final = 64
"""Links of one sentence that are told apart; a longer enumeration states nothing of each."""
LINK: Final = f"[{chr(FIRST)}-{chr(FIRST + MOST - 1)}]"
LINKS: Final = f"{LINK}(?:\\s*(?:[,、&+/]|和|与|及|以及|and|or)\\s*(?:and\\s+)?{LINK}){{0,8}}"
PAIR: Final = f"{LINK}(?:\\s*(?:[、&+/]|和|与|及|以及|and|or)\\s*{LINK}){{0,8}}"
"""Links joined without a comma: "because of [[A]], [[B]] failed" names one ground."""

_NO_HEAD = (
    "of|in|on|at|to|for|by|with|from|and|or|but|that|which|who|when|where|what|how|if|is|are|was|were|be|been|has|have|had"
    "|do|does|did|not|no|than|as|into|i|we|you|he|she|they|it|because|since|so|after|before|about|against|between"
    "|over|aboard|at|under|through|during"
)
GAP_EN: Final = rf"(?:[ *_\"'(]+(?!(?:{_NO_HEAD})\b)[a-z0-9'-]+){{0,4}}[ *_\"']*"
"""Article and adjectives before a link, no word that would begin another phrase."""
GAP_ZH: Final = (
    r"[ *_\"“「]*(?:[我他她它咱]们?的|[这那][个次份条些]|这)?"
    r"(?:[^\s\W们是把将让被使不没用做去来会能要可放弃写给对从在于像似跟和与往里到我\ue000-\ue03f]{1,8})?[ *_\"“「]*"
)
_LIGHT = r"(?:[了着过]|是)?"


class Verb(NamedTuple):
    """Words of a relation. The edge runs subject -> object, or object -> subject if `inverse`.

    `free`: whatever the subject is, it is something that this note tells of; else the subject must be the note's own.
    """

    type: str
    inverse: bool
    free: bool
    confidence: float
    pattern: re.Pattern[str]


def _verb(kind: str, pattern: str, gap: str, *, inverse: bool = False, free: bool = False, sure: float = 0.8) -> Verb:
    return Verb(kind, inverse, free, sure, re.compile(f"(?P<v>{pattern})(?:{gap}(?P<b>{LINKS}))?"))


def english(kind: str, words: str, *, inverse: bool = False, free: bool = False, sure: float = 0.8) -> Verb:
    """A verb before its object."""
    return _verb(kind, rf"\b(?:{words})(?![\w-])", GAP_EN, inverse=inverse, free=free, sure=sure)


def chinese(kind: str, words: str, *, inverse: bool = False, free: bool = False, sure: float = 0.8) -> Verb:
    """A verb before its object; aspect particles may follow it."""
    return _verb(kind, f"(?:{words}){_LIGHT}", GAP_ZH, inverse=inverse, free=free, sure=sure)


def _framed(kind: str, before: str, after: str, *, inverse: bool, free: bool = False, sure: float = 0.85) -> Verb:
    """A verb behind its object: 被 L 取代, 与 L 矛盾, 是 L 的一部分."""
    gap = r"[^\s,，。;；:：\ue000-\ue03f]{0,8}"
    middle = rf"(?:{GAP_ZH}(?P<b>{LINKS})|(?P<self>本|该|此|这)[^,，。;；\ue000-\ue03f]{{0,6}}?)"
    pattern = rf"(?P<v>(?:{before})\s*{middle}\s*{gap}?(?:{after}))"
    return Verb(kind, inverse, free, sure, re.compile(pattern))


_BE = r"(?:(?:is|are|was|were|been|being|be|got|gets) )?(?:[a-z]+ly )?"
_CAUSE_ZH = "导致|引起|引发|引出|造成|促成|催生|触发|诱发|致使|招致|促使|使得"
_REPLACE_ZH = "取代|替代|替换|代替|接替|顶替|换掉|淘汰"

VERBS: Final[tuple[Verb, ...]] = (
    english(
        "causes",
        r"(?:leads?|led)(?: [a-z]+ly| later| in turn| straight)? to|caused|causes|resulted in|(?<=this )results in"
        r"|(?<=that )results in|(?<=[\ue000-\ue03f] )results in|brought about"
        r"|g[ai]ves? rise to|triggers|triggered|prompted|sparked|contribute[sd]? to|pave[sd]? the way for"
        r"|(?:led|forced|compelled|drove|pushed)(?= (?:us|me)\b)",
        free=True,
    ),
    english(
        "causes",
        rf"{_BE}(?:caused|triggered|prompted|brought (?:about|on)|motivated|sparked|inspired) by|result(?:s|ed|ing)? from"
        r"|stem(?:s|med|ming)? from|ar(?:ise|ises|ose|ising) from|grew out of"
        r"|(?:was |were )?born (?:out )?of|follow(?:s|ed) from|(?:a|the) (?:direct )?(?:result|consequence) of",
        inverse=True, free=True,
    ),
    chinese("causes", f"{_CAUSE_ZH}|带来", free=True),
    chinese("causes", "(?:会|从而|进而|逐渐|最终)形成", free=True, sure=0.65),
    chinese("causes", "源于|源自于?|起因于|缘于|起源于|得益于|归功于|归咎于|要?归因于", inverse=True, free=True, sure=0.65),
    _framed("causes", "受到?了?", "的?(?:启发|刺激|推动)", inverse=True, free=True, sure=0.6),
    _framed("causes", "受到?了?", "的?(?:影响|拖累|波及)", inverse=True, sure=0.6),
    _framed("causes", "是", "的(?:直接|必然|最终)?(?:结果|产物|后果)", inverse=True, free=True, sure=0.75),
    chinese("causes", f"(?<={LINK})\\s*的(?:直接|最终|必然)?(?:后果|结果)(?:就|便)?是", free=True, sure=0.75),
    _framed("causes", "由于?|因|被", f"(?:所|而)?(?:{_CAUSE_ZH}|起)", inverse=True, free=True),
    english(
        "depends_on",
        r"depend(?:s|ed|ing)?(?: [a-z]+ly)? (?:up)?on|dependent (?:up)?on|rel(?:y|ies|ied"
        r"|ying)(?: [a-z]+ly)? (?:up)?on|based on|buil(?:ds?|t) "
        r"(?:up)?on(?: top of)?|(?<!to )requires?|hinges on|blocked (?:by|on)|runs on(?: top of)?",
    ),
    english("depends_on", rf"{_BE}(?:required|needed) by|(?:an? )?prerequisite (?:of|for)", inverse=True),
    chinese("depends_on", "依赖于?|取决于|基于|建立在|依托于?|仰赖|受制于|前提(?:条件)?[是:]|离不开"),
    _framed("depends_on", "以", "为(?:前提|基础|依据|底层|内核)|(?:作)?为基础", inverse=False),
    chinese("depends_on", "(?<![不只无也])需要(?:先?(?:用到|使用|安装|借助|依靠|用))?", sure=0.6),
    english(
        "supersedes",
        r"(?:is|was|as) (?:an?|the) (?:[a-z]+ )?(?:successor|replacement) (?:to|of|for)"
        r"|replaces|replaced(?! by| with)|replacing|supersedes|superseded(?! by)|superseding|obsoletes|supplants"
        r"|(?:took|takes) (?:over from|the place of)"
        r"|(?:chosen|hired|appointed|built|written|introduced|made|designed|created) to (?:replace|supersede|succeed)",
    ),
    english(
        "supersedes",
        rf"{_BE}(?:replaced|superseded|succeeded|obsoleted|supplanted|deprecated)(?: [a-z0-9-]+){{0,4}}? (?:by|with)"
        r"|g[ai]ves? way to|(?:dropped|abandoned|retired|deprecated|scrapped|rejected|discarded)(?: [a-z0-9-]+){0,3} in favou?r of",
        inverse=True,
    ),
    chinese("supersedes", _REPLACE_ZH),
    _framed("supersedes", "被|由|让", f"所?(?:{_REPLACE_ZH})", inverse=True),
    english(
        "supports",
        r"(?<!to )confirm|confirms|confirmed(?! by)|corroborate[sd](?! by)|proves|proved(?! by)|validate[sd](?! by)|bears? out|bore out"
        r"|backs up|backed up(?! by)|(?:is |as )?evidence for|supports|supported(?! by)",
        sure=0.7,
    ),
    english(
        "supports",
        rf"{_BE}(?:supported|confirmed|proved|proven|backed(?: up)?|validated|borne out|corroborated) by",
        inverse=True, sure=0.75,
    ),
    chinese("supports", "支持|支撑|证明|印证|佐证|证实|验证", sure=0.7),
    _framed("supports", "被|由|得到|受到", "的?(?:支持|支撑|证明|印证|佐证|证实|验证)", inverse=True, sure=0.75),
    english(
        "contradicts",
        r"(?<!to )contradict|contradicts|contradicted(?! by)|conflict(?:s|ed)? with|disagree[sd]? with"
        r"|refute[sd](?! by)|disprove[sd]?(?! by)"
        r"|at odds with|oppose[sd](?! by| to)|incompatible with|goes against|went against|runs? counter to|contrary to",
    ),
    english("contradicts", rf"{_BE}(?:contradicted|refuted|disproved|disproven|opposed) by", inverse=True),
    chinese("contradicts", "反驳|推翻|反对|否定|驳斥|违背"),
    _framed("contradicts", "与|和|跟|同", "(?:相?矛盾|相?冲突|相悖|相左|不一致|抵触|对立|相反)", inverse=False),
    _framed("contradicts", "被", "所?(?:反驳|推翻|否定|驳斥)", inverse=True),
    english(
        "part_of",
        r"(?:(?:is|are|was|were|as|became|becomes?|being|remain(?:s|ed)?|forms?"
        r"|formed) )(?:an? )?(?:[a-z]+ )?part of|(?:is|are|was|were|as|became|being|remains?) (?:an? )?(?:[a-z]+ )?member of"
        r"|(?:now|still|then|also|once|formerly|[a-z]+ly) part of|(?:^|(?<=[(,;] ))part of|belong(?:s|ed"
        r"|ing)?(?: [a-z0-9]+){0,2}? to|(?:a )?(?:component|subset|module|subproject|branch) of",
    ),
    english("part_of", r"consist(?:s|ed) of|comprises|made up of|contains|includes", inverse=True, sure=0.65),
    _framed("part_of", "是", "的(?:超集|上级|母项目)", inverse=True),
    english("part_of", r"superset of", inverse=True),
    chinese("part_of", "隶属于?|从属于|分?属于|归属于?|归入"),
    _framed(
        "part_of", "是|为|作为|成为|属于?", "的?(?:一个?|重要|核心|关键)*(?:的)?(?:组成)?部分|的(?:子项目|子集|组件"
        "|模块|一环|分支|子系统)",
        inverse=False,
    ),
    chinese("part_of", "包含|包括|囊括", inverse=True, sure=0.65),
    _framed("part_of", "由", "(?:共同)?(?:组成|构成)", inverse=True),
)  # fmt: skip

BECAUSE: Final = re.compile(
    rf"(?P<v>\b(?:because of|due to|owing to|thanks to|as a (?:result|consequence) of|in response to|on account of"
    rf"|in (?:the )?light of|in the wake of"
    rf"|to (?:prevent|avoid) (?:a repeat of|another|a second)|learn(?:ed|t|ing) from)\b)"
    rf"(?: (?:my|our|his|her|their|its) [a-z]+ ?,\s*|{GAP_EN})(?P<b>{PAIR})"
    rf"|(?P<w>\bbecause\b|(?<=, )since\b|(?<=[a-z] )since\b(?=\s*{LINK}\s*(?:[.;]|$|is\b|was\b|has\b|does\b|did\b|had\b)))"
    rf"\s+(?:(?:the|a|an|our|my|this|that|old|new|in|of) )*(?P<c>{PAIR})"
    rf"|(?P<y>\bwhat (?:[a-z]+ly |then )?(?:made|caused|drove|forced|led|prompted|pushed|got)\b"
    rf"[^,.;:\ue000-\ue03f]{{1,50}}?(?<! and)(?<! who)(?<! it) (?:was|is)\b"
    r"|\b(?:the|our|my) (?:[a-z]+ )?(?:reason|cause)\b[^,.;:\ue000-\ue03f]{0,40}?(?<! and)(?<! which) (?:was|is)\b(?: that\b)?)"
    rf"{GAP_EN}(?P<e>{PAIR})"
    rf"|(?P<x>因为|由于|多亏了?|(?<!原)因(?=\s*{LINK})|都怪|全怪|归根(?:到底|结底)(?:是|在于)|说到底(?:就|还)?是"
    rf"|(?:吸取|汲取|接受)了?(?=[^,，]{{0,6}}{LINK}\s*的[^,，]{{0,2}}教训)|鉴于|出于|正因|(?:主要|根本|真正|直接)?(?:原因|起因|根因|成因)(?:就"
    rf"|主要|很清楚|很简单|如下)?(?:是因为|是|在于|[:：])|根源(?:是|在于)"
    r"|(?:让|使|令|逼得?|迫使|促使|导致|引起|造成)[^,，。;；:\s\ue000-\ue03f]{1,16}的(?:其实|主要|恰恰|正|就|还|也|却)?是(?![不否]))"
    rf"(?:有|是|了)?{GAP_ZH}(?P<d>{PAIR})"
)
"""A ground and its link, which is the head of the ground or the subject of its clause.

The last of each language name the effect first: "what made us leave was [[A]]", "让我们早走的是 [[A]]".
"""
GROUND: Final = re.compile(
    rf"(?P<b>{LINKS})\s*(?P<v>(?:也|就|才|正|便)?(?:是|成为|成了)[^,，。;；]{{0,24}}?(?:的"
    rf"|之)?[^,，。;；的]{{0,4}}?(?:原因|起因|根因|导火索|诱因|成因))"
    rf"|(?P<c>{LINKS})\s*(?P<w>(?:is|was) (?:the|one|a|another|also)[a-z ]{{0,16}}? (?:reason|cause)\b"
    rf"|(?:is|was) why (?:we|this|it|our)\b|made us\b)"
    rf"|(?P<d>{LINKS})\s*(?P<x>(?:才|也|就|最终|最后|直接|终于|又|再次)*(?:让|逼得?|迫使|促使|使得?)(?:我们|咱们)"
    rf"(?![想看来觉感]|一起|知道|明白|相信))"
)
"""A link that is said to be the ground of something."""
OUTCOME: Final = re.compile(
    rf"(?P<v>(?:于是|所以|因此|从而|这才|后来)(?:我们|我)?(?:就|才|便|又)?(?:有了|诞生了|写了|写成了|做了|定了"
    rf"|开始了|催生了|选了|选择了|选定了|改用了?|采用了|建了|搭了|加了|立了|启动了|推出了|成立了|写下了?)){GAP_ZH}(?P<b>{LINKS})"
    rf"|^(?P<x>所以|因此|于是|故)[,，]?\s*(?P<d>{LINK})\s*(?:[,，。!！;；]|$)"
    rf"|(?P<y>(?:\bso|\btherefore|\bhence|\bas a (?:result|consequence)),? (?:we|i|they) (?:then |finally )?(?:wrote|built|made"
    rf"|started|chose|picked|set up|created|added|introduced|launched|drafted|adopted|agreed on)\b){GAP_EN}(?P<e>{LINKS})"
    rf"|(?P<w>\b(?:this|that|which|hence|so) (?:is|was) (?:why|how)\b)"
    rf"(?: we (?:have|wrote|made|started|built|took|have now|chose|use|picked|added))?"
    rf"{GAP_EN}(?P<c>{LINKS})"
)
"""What came of what the note tells."""
CHANGE: Final = re.compile(
    rf"(?P<v>(?:用|拿|以)){GAP_ZH}(?P<new>{LINK})\s*(?P<v2>(?:来|去)?(?:完全|直接|彻底)?(?:{_REPLACE_ZH}))[了掉]?{GAP_ZH}(?P<old>{LINK})"
    rf"|(?P<w>从|把|将|由){GAP_ZH}(?P<old2>{LINK})[^,，。;；\ue000-\ue03f]{{0,6}}?"
    rf"(?P<w2>换成了?|换到了?|改成了?|改为|替换[成为]了?|迁移?[到至]了?|切换?[到成为]了?|转[到向为]了?"
    rf"|升级[到为成]了?|改用了?){GAP_ZH}(?P<new2>{LINK})"
    rf"|(?P<x>不再(?:使)?用|弃用|放弃|停用|废弃)了?{GAP_ZH}(?P<old3>{LINK})[^。;；\ue000-\ue03f]{{0,8}}?"
    rf"(?P<x2>改用|换成|换用|转用|转向|改成|改为)了?{GAP_ZH}(?P<new3>{LINK})"
    rf"|(?P<y>\b(?:replac(?:e[sd]|ing)|swapp?(?:ed|ing))\b){GAP_EN}(?P<old4>{LINK})(?:'s)?(?:(?!\band\b)[^,;.\ue000-\ue03f]){{0,20}}?\b"
    rf"(?P<y2>with|by|for)\b(?: [a-z-]+)?{GAP_EN}(?P<new4>{LINK})"
    rf"|(?P<z>\b(?:switch(?:ed|ing)?|mov(?:ed|ing)|migrat(?:ed|ing)|chang(?:ed|ing)"
    rf"|upgraded) (?:[a-z]+ ){{0,2}}?from)\b{GAP_EN}(?P<old5>{LINK})"
    rf"\s*\b(?P<z2>to)\b{GAP_EN}(?P<new5>{LINK})"
)
"""Both ends of a replacement named in one construction: (new) for (old)."""

CUE: Final = re.compile(
    r"becaus|due to|owing to|thanks to|a (?:result|consequence) of|response to|account of|light of|since|leads? "
    r"|led |cause|result|brought|rise to|trigger|prompted|spark|motivat|inspir|stem|aris|arose|grew out|depend"
    r"|rel(?:y|ie)|based|builds? (?:up)?on|built (?:up)?on|build (?:up)?on|requir|needed|prerequisite|hinge|blocked"
    r"|runs |replac|supersed|succe|obsolet|supplant|t(?:ook|akes) |deprecat|way to|favou?r|confirm|corrobor|proves"
    r"|proved|proven|valid|bears? out|bor(?:e|ne) out|backs up|backed|evidence|support|contra|conflict|disagree"
    r"|refut|dispro|odds|oppos|incompat|against|counter|part of|member of|belong|component of|subset of|module of"
    r"|subproject of|branch of|consist|compris|made up|contain|includ|reason|why|is how|was how|switch|mov(?:ed"
    r"|ing)|migrat|chang|upgrad|swap|substit|chosen to|hired to|appointed to|designed to|created to|written to"
    r"|made to|因[为此 \ue000-\ue03f\[]|由于|引起|原因|起因|根因|诱因|成因|导火索|根源|鉴于|出于|多亏|使得|导致"
    r"|引[起发]|造成|促成|催生|触发|诱发|致使|促使|招致|带来|形成|源[于自]|缘于|得益|归[功咎因属入]|依赖|取决|基于"
    r"|建立在|依托|仰赖|受制|前提|离不开|需要|为(?:前提|基础|依据|底层|内核|导)|矛盾|冲突|相[悖左反]|不一致|抵触"
    r"|对立|组成|构成|换[成到用]|改[成为用]|迁[移换]?[到至成为]|移[移换]?[到至成为]|切[移换]?[到至成为]"
    r"|转[到向为用]|升级|取代|替[代换]|代替|接替|顶替|换掉|淘汰|支[持撑]|证[明实]|印证|佐证|验证|反[驳对]|推翻|否定"
    r"|驳斥|违背|隶属|属于|部分|受[到影启了\ue000-\ue03f\[ ]|归[于入]|的一环|的子|的组件|的模块|的分支|的超集"
    r"|的上级|的母|包[含括]|囊括|于是|所以|从而|这才|后来|故|的(?:其实|主要|恰恰|正|就|还|也|却)?是"
    r"|what (?:[a-z]+ )?(?:made|drove|forced|pushed|got) |so,? (?:we|i|they) |therefore"
    r"|hence|wake of|prevent|avoid|learn|contribut|pave|forced"
    r"|compelled|drove|pushed|made us|born |follow(?:s|ed) from|successor|的(?:直接|最终|必然)?(?:结果|产物|后果)|影响|拖累|都怪|全怪"
    r"|归根|说到底|[吸汲]取|接受|[让使逼]得?(?:我们|咱们)|迫使"
)
"""Cheap test of a folded sentence: without one of these, and without a label, there is nothing to look for.

Every alternative begins with a character, so that the engine can skip to the next place where one may begin.
"""
LABEL_CUE: Final = re.compile(r"[^:\[\]]{1,25}:[\W_]{0,6}\[")

CONDITIONAL: Final = re.compile(
    r"\b(?:if|unless|whether|in case|suppose|assuming)\b|如果|要是|假如|假设|倘若|若(?!干)|万一|除非|一旦|据说|听说|有人说|号称|传言"
)
"""Said before a relation, these hold for all of the sentence."""
HEDGED: Final = re.compile(
    r"\b(?:might|may|maybe|perhaps|possibly|probably|would|could|should|unlikely"
    r"|plan(?:s|ned|ning)? (?:to|on)|hop(?:e|es|ing) to|wants? to|will|shall|going to|consider(?:s|ed|ing)?|propos\w+|suggest(?:s|ed)?"
    r"|allegedly|reportedly|supposedly|claim(?:s|ed)?|wonder|announced|likely|appears? to|seems? to)\b|'ll\b|'d\b"
    r"|也许|或许|可能|大概|恐怕|估计|似乎|好像|计划|打算|考虑|准备(?!好)|将会|将要"
    r"|应该|应当|建议|希望|能否|是否|会不会|试图|不妨|预计|未来|所谓|猜测?|可不可以|要不要|想要|怀疑"
)
"""A plan, a hypothesis, hearsay."""
ABLE: Final = re.compile(r"\b(?:can|able to)\b|可以|可(?=[被以])|能(?!量|源|力)|能够|不说|一定程度")
"""A capability: that something can be replaced or supported does not say that it was."""
DENIED_EN: Final = re.compile(
    r"(?:\b(?:not|never|no longer|hardly|rather than|instead of|cannot)\b|n't\b)(?!\s+only)"
    r"(?:\s+(?:[a-z]+ly|yet|been|be|have|has|ever|itself|in any way|always|even|so much|directly))*\s*$"
    r"|\b(?:no|nothing|none|nobody|neither|nor)\b(?:\s+[\w'-]+){0,4}\s*$"
)
DENIED_ZH: Final = re.compile(
    r"(?:(?<![不无])不(?![仅只但光断错])|没有?|未(?!来)|并非|非|无(?!论)|别|勿|莫|而不是|谈不上)"
    r"(?:[会能再必被是曾想要用太]|直接|完全|真正|一定|必然|怎么|那么|可以|可能|得到)*$"
)
NOT_BECAUSE: Final = re.compile(
    r"(?:\bnot\b|n't\b|never\b|rather than|instead of)(?! (?:only|just|merely))(?: (?:simply|really|actually|at all))?\s*$"
    r"|(?:不是|并非|并不是|不因|而非|不(?:全|完全|单纯)是?|未必(?:是)?|没有?)\s*$"
)
QUESTION: Final = re.compile(r"[?？]|[吗么]\s*[。!！]?\s*$|为什么|为何|\bwhy (?:does|do|did|is|are|was|were)\b")

OWN: Final = re.compile(
    r"^(?:(?:making|leaving|keeping) )?(?:(?:and|but|so|then|now|also|still|currently|here|today|later|both"
    r"|since \S+|in \w+|[a-z]+ly),? )*"
    r"(?:(?:the|this|that|our|my|its|these|those|their|his|her)\b[\w' -]{0,40}|(?:it|this|that|which|we|i|he|she|they|these|those)\b"
    r"(?:'(?:s|re|ve|m))?)?(?: (?:is|are|was|were|has|have|had|been|being|also|still|now|later|only|then|both"
    r"|itself|had|did|do|does|[a-z]+ly))*$"
    r"|^(?:而|但|且|并|就|所以|因此|目前|现在|当前|后来|最终|其实|本质上?|主要|另外|此外|同时|同样|好像|当时|一|更|还|也|都|只)*"
    r"(?:(?:这|此|本|该|那|其|它|他|她|我|咱|后者|前者)[^,，。;；是]{0,14})?(?:也|就|都|是|还|曾|已经?|才|主要|完全"
    r"|直接|仍|一直|目前|现在|则|均|更|为了)*$"
)
"""A subject that is what the note is about: none at all, a pronoun, or a definite phrase."""
ITSELF: Final = re.compile(
    r"^(?:it|(?:this|the|our) (?:note|project|decision|plan|system|page|release|version)|它|(?:[本该此]|这(?!些))\S{0,6})$"
)
"""A subject that can only be the note."""
GOVERNED: Final = re.compile(
    r"\b(?:by|in|of|on|at|to|for|with|from|into|than|about|after|before|under"
    r"|over)(?: (?:the|a|an|our|my|this|that))?\s*$"
)
"""Before a link: a preposition, so that the link is not the subject of what follows."""
GOVERNED_ZH: Final = re.compile(r"(?:在|从|对|向|为|给|把|将|跟|和|与|用|看了?|读了?)\s*$")
MAKES: Final = re.compile("使得|促使|致使")
HOLDS: Final = re.compile(r"包|囊|consist|compris|made up|contain|includ")
PERSON: Final = re.compile(r"\b(?:he|she|they|i)\b|^[他她]")
"""Somebody: what he is part of or replaced by is not what the note is."""
OWN_START: Final = re.compile(
    r"\s*(?:(?:the|this|that|it|its|we|i|our|my|he|she|they|these)\b|而?且?[这此本该它其我他她]"
    r"|[^,，。是\ue000-\ue03f]{0,16}是(?!因|由|否|不))"
)
"""A clause whose subject is what the note is about."""
OWN_RESULT: Final = re.compile(
    r"\s*(?:(?:this|that|these|our|my|us|me|it)\b|the (?:[a-z-]+ )?(?:change|decision|redesign|switch|move|outage|incident|rewrite|fix"
    r"|migration|failure|delay|split|bug|rule|plan|project|release|break)\b|(?:了|着|过)?\s*(?:这|此|本|该|那|我|咱|后来|现在))"
)
OWN_OBJECT: Final = re.compile(r"\s*(?:(?:this|our|my|us|me)\b|(?:了|着|过)?\s*(?:这|此|本|该|我们的|我的))")
"""An object that is what the note is about; OWN_RESULT: an effect that it tells of."""
PATIENT: Final = re.compile(
    r"\s*(?:(?:was|were|is|are|has|had|failed|broke|grew|stopped|slowed|went|became|got|ended|came|stays?|keeps?|had to)\b"
    r"|[^,，。;；\s]{0,3}?(?:被|已|才|就|没|不|失败|停|变|挂|慢|出现|推迟|放弃|取消|下线|上线|回滚|需要|必须|更|很"
    r"|得以|有了|无法|难|诞生))"
)
"""What follows the subject of an effect, when the subject is a thing to which something happened."""
HEADED_EN: Final = re.compile(
    r"\s+(?!(?:and|or|but|nor|in|on|at|of|to|for|from|with|without|by|as|when|where|which|that|who|whose|because|so|since|while|after"
    r"|before|until|is|was|are|were|be|being|has|had|have|did|does|do|not|then|than|if|into|over|under|between|during|it|we|i|he|she|they"
    r"|again|too|also|now|later|today|yesterday|alone|instead|itself|there|here|can|could|will|would|may|might|must|should|never|only"
    r"|via|per|across|within|against|this|last|next|[a-z]+(?:ly|ed|ing|es))\b)[a-z]{3,}"
)
"""After a link: a noun that the link only describes ("the [[Saxon]] family")."""
TIME: Final = re.compile(
    r"^[\d年月日.\-/: ]{4,}(?:起|开始|之?后|以来|时)?|^(?:in|on|since|from|by|during"
    r"|until) (?:[a-z]+ )?[\d-]{1,10}(?: , ?\d{4})?,?|^从?[今去前昨本这上]\S{1,3}[年月天起]起?"
)
"""A time before a subject."""
ACTOR: Final = re.compile(
    r"\b(?:he|she|we|i|they|data|numbers?|results?|evidence|experiments?|stud(?:y|ies)|findings?|measurements?|tests?|figures?)\b"
    r"|[我他她]们?|数据|数字|结果|实验|证据|研究|测试|事实|经验|观察|记录"
)
"""Who or what can support a claim; programs `support` formats, which is not meant."""

SUPPOSED: Final = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|(?:may|would|could) (?:be|have|not|well))\b|也许|或许|可能(?!性)|恐怕|假如"
)
"""In the clause of a mention: nobody says that it is so. A plan is no hypothesis; what it mentions, it builds on."""
DISOWNED: Final = re.compile(
    r"(?:(?:\b(?:not|never)|n't)(?! (?:only|just|merely))|\b(?:rather than|instead of))"
    r"(?: (?:[a-z]+ly|at all|caused|because|due|owing|thanks|based|depend|rely|come|came|came about|a|the|result|consequence|part"
    r"|reason|response|of|to|by|on|in|from|with|about))*\s*$"
    r"|\b(?:nothing to do with|unrelated to|no (?:link|relation|connection|bearing) (?:with|to|on)|(?:regardless|independent(?:ly)?"
    r"|irrespective) of)(?: the| our| this)?\s*$"
    r"|(?:不是|并非|而非|没有?|不|未)(?:因为|由于|因|受|依赖|依据|基于|源于|源自|取决于|参考|采用|沿用|来自|出自)\s*$|(?:不是|并非|而非)\s*$"
)
"""Before a mention: it is said not to matter."""
DISOWNED_BEHIND: Final = re.compile(
    r"\s*(?:完全|毫|并|也|都|其实|本身|根本)*(?:无关|没有?(?:任何|什么|直接|半点)?(?:关系|联系|干系)|不相干"
    r"|不是[^,，。;；]{0,6}(?:原因|起因|根因|关键))"
    r"| (?:(?:is|was|were|are)(?: not|n't)(?: [a-z]+){0,2} (?:reason|cause|to blame|related|involved|responsible)"
    r"|(?:has|had|have) nothing to do|played no part)\b"
)
"""The same behind one."""
