"""The words that decide whether two sentences contradict: denial, opposites, how many, plans, changes, places of validity.

Every table is general language, written by hand in both scripts; all of it is folded (`text.fold`): lower case, simplified.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ebbtide.memory.conflict_claim import ConflictKind


def words_in(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


NEGATION_ZH: Final = re.compile(
    r"(?:从来|从|并|绝|决|毫|根本|压根|尚|还|再也)?(?:没有|没|不曾|未曾|不|未|无|非|勿|莫"
    r"|别(?=[再去做用让把动碰说忘])|否认)"
    r"(?!=)"
)
NO_NEGATION_ZH: Final = re.compile(
    r"不(?:仅|但|只是?|光|过|断|少|同|错|得不|由得?|禁|管|论|如|久|好意思|用说|良|妨|要紧|愧|惜|料"
    r"|一定|至于|外乎|怎么|太)"
    r"|差不多|对不起|了不起|忍不住|怪不得|免不了|少不了|想不到|要不是?|是不是|能不能|会不会|有没有"
    r"|要不要|好不好|可不可以|有没|是否"
    r"|无(?:论|数|非|限|线|锡|疑|偿|间|人机|妨|意中|比)|未(?:来|必|免|婚|央)|非(?:常|洲|典|凡|得|但"
    r"|要)|没(?:错|关系|准|事|劲)|别(?:人|的|处|墅|克|名|称|扭)"
    r"|不(?:可(?:或缺|避免|思议)|动产|二|解之缘|言而喻|遗余力|计其数|约而同|锈钢)"
)
NEGATION_EN: Final = re.compile(
    r"\b(?:not|never|no(?! doubt| \d)|none|nobody|nothing|neither|nor|without|cannot|unable|fail(?:s"
    r"|ed)? to|lacks?|lacked"
    r"|hardly|\w+n't|refus(?:e|es|ed)|denie[sd]|deny)\b(?! only\b)"
)

ALL: Final = re.compile(
    r"所有|全部|全都|每[个一人次天年位家件]|任何|一切|全体|完全|彻底|始终|总是|一直|永远|从来都?(?=是)"
    r"|统统|均(?=[为是已])|处处|到处都|人人|都(?=[是有会能在要没不])|各个"
    r"|必定|必然|绝对|毫无疑问|无一例外"
    r"|\b(?:all|every|always|everyone|everybody|everything|each|entire|entirely|completely|whole|any)\b"
)
SOME: Final = re.compile(
    r"一些|有些|部分|有的|少数|个别|有时|偶尔|某些|几个|不少|大多数?|多数|许多|很多"
    r"|\b(?:some|several|many|most|mostly|partly|part of|sometimes|occasionally|few|often|usually)\b"
)
NONE: Final = re.compile(
    r"没有人|没人|无人|从不|从未|从来没有?|从来不|没有任何|毫无|毫不|没有一|一个?也没|谁也[不没]"
    r"|[根压][本根][不没]|丝毫[不没]|完全[不没]|绝[对不]不|哪儿?[也都][不没]|什么[也都][不没]"
    r"|任何.{1,8}[也都][不没]|没什么|一点[儿也都]*[不没]"
    r"|\b(?:none|no one|nobody|never|nothing|no \w+s?)\b"
)
ONLY: Final = re.compile(
    r"只有|仅有|只[能会是在用去有](?!要)|(?<!不)仅[仅限在有]?|唯一|单单|只需|独一无二"
    r"|(?<!not )\b(?:only|solely|sole|exclusively|just one)\b"
)
STRONG_LEVELS: Final = {"all": ALL, "some": SOME, "none": NONE, "only": ONLY}

PLAN: Final = re.compile(
    r"计划|打算|准备(?=[在于用把要])|预计|预定|拟(?=[于在将定])|将(?=[于在会要由从有达])|即将"
    r"|目标(?:是|为)?|希望|争取|力争|预期|原定|想要|有望|待办"
    r"|\b(?:plan(?:s|ned|ning)? (?:to|for|is|was)?|going to|aims? (?:to|for)|aiming|expect(?:s|ed)?"
    r"|scheduled|target(?:s|ed)?|will|intend(?:s|ed)?|hope(?:s|d)? to"
    r"|goal|estimated?|forecast|budgeted|supposed to|should be)\b"
)
CHANGE: Final = re.compile(
    r"改[为成用到由走]|换[为成用到]|后来|不再|转[为用向](?!的)|切换?[到成为]|迁移?[到至]"
    r"|已(?:经)?(?:被)?(?:取代|替换|替代)|取代了|升级[到为至]|推迟[到至]|提前[到至]"
    r"|调整[为到至]|从今|现在(?:是|用|改|已|由|在)|现改|更新为|变[为成]|从此|不用.{1,12}了"
    r"|\b(?:switched|moved|migrated|changed|upgraded|renamed|postponed|raised|lowered|increased"
    r"|reduced) (?:\w+ ){0,4}?to\b|\breplaced\b|\bno longer\b|\bnow (?:is|uses?|runs?|at|on|in|lives?"
    r"|works?|costs?)\b"
    r"|\b(?:is|are|we|it|uses?) now\b|\binstead of\b|\bas of\b|\bfrom now on\b|\bnot any ?more\b"
    r"|\banymore\b|\bsince then\b"
)
SUPPOSING: Final = re.compile(
    r"如果|假如|假设|假使|要是|若(?:是|果)?(?!干)|倘若|万一|即使|就算|除非|一旦|\b(?:if|suppos(?:e"
    r"|ing)|assum(?:e|ing)|unless|what if|in case)\b"
)
"""What follows, to the end of the sentence, is only supposed."""
DOUBTFUL: Final = re.compile(
    r"可能|也许|或许|大概是|说不定|恐怕|似乎|好像|据说|听说|建议|考虑"
    r"|\b(?:would have|could have|might|may be|may have|maybe|perhaps|possibly|probably|allegedly"
    r"|rumou?red|proposed?|consider(?:ing)?)\b"
)
"""What follows in the clause is not certain."""
SAYING: Final = re.compile(
    r"(?:说|表示|认为|称|写道|指出|声称|觉得|问|回答|告诉|提到|建议|的话)[:：,，]?\s*[“\"「『]"
    r"|[”\"」』]\s*[,，]?(?:他|她|我|有人|对方|客户|老板|\w{2,3})?(?:说|表示|认为|称|写道)"
    r"|\b(?:said|says|wrote|claims?|claimed|argued?|thinks?|according to|told|quoted|asked|replied"
    r"|insist\w*)\b[^\"“]{0,40}[\"“]|[\"”],?\s+(?:\w+\s+){0,2}(?:said|says|wrote|claimed|asked"
    r"|replied)\b"
    r"|\A>\s"
)
EXCEPT: Final = re.compile(
    r"除了|除(?=.{1,12}[外之以])|除外|例外|不包括|\b(?:except|apart from|excluding|other than|but not"
    r"|aside from|unless|with the exception)\b"
)
YES: Final = re.compile(
    r"\A(?:我|我们)?(?:嗯+|恩+|是(?:的|呀|啊|(?=[,，。!]|\Z))|对的?呀?啊?|当然|会的|好的?|可以|没错"
    r"|必须的|有的?|喜欢|知道|看过|看到了|吃过|去过|yes|yeah|yep|sure|of course|indeed)(?!不|没|吗)"
)
NO: Final = re.compile(r"\A(?:(?:我|还|也|都|啊|哦|额|呃|从来|,|，)*(?:不|没|否|无|未)|no\b|nope|not\b|never)")
UNSURE: Final = re.compile(r"不知道|不晓得|不清楚|不记得|忘了|猜不出|不了解|没听说|don't know|no idea|not sure|forgot")
ASKS_IF_KNOWN: Final = re.compile(r"你?知道我|记得我|\bdo you (?:know|remember) (?:\w+ ){0,3}(?:i|my|me)\b")
WANTS: Final = re.compile(
    r"什么|哪|谁|几(?!乎)|多少|多大|多久|多长|怎么|为何|干嘛|啥|(?:你|您)呢[?？]?\s*\Z|还是|\b(?:what"
    r"|which|who|whom|whose|where|when|how|why)\b"
)
QUESTION_END: Final = re.compile(r"[?？]\s*[\"”」』)）]?\s*\Z|[吗呢么]\s*[?？。]?\s*\Z")

_PLACE_NAMES: Final = (
    "生产环境|生产|线上|测试环境|测试|开发环境|开发|预发布?|灰度|本地|沙箱|dev|development|prod|production|staging|test|testing|local|localhost|sandbox|qa|uat|canary|ci"
    "|windows|macos|mac|linux|ios|android|安卓|web端?|桌面端?|移动端|客户端|服务端|服务器端?|前端|后端|frontend|backend|server|client|desktop|mobile"
    "|主库|从库|备库|primary|replica|standby|内网|外网|海外|国内|国外|工作日|周末|weekdays?|weekends?|白天|夜间|夏季|冬季|夏天|冬天|summer|winter|成人|儿童|adults?|children"
    "|免费版|付费版|专业版|企业版|free|pro|enterprise|旧版|新版|v1|v2"
)
PLACES: Final = re.compile(rf"(?<![a-z])(?:{_PLACE_NAMES})(?![a-z])")
PROJECT: Final = re.compile(
    r"项目\s?([a-z0-9甲乙丙丁一二三四]+)|([a-z0-9甲乙丙丁]+)\s?项目|\b(?:project|team|site|branch|env"
    r"|cluster|region|tenant|room|floor)\s+([a-z0-9]+)\b"
)


def _other_words(table: str) -> dict[str, str]:
    """word -> what stands for it, of entries `one:other/other`."""
    entries = (entry.split(":") for entry in table.split())
    return {other: one for one, others in entries for other in others.split("/")}


_SAME_PLACE: Final = _other_words(
    """prod:生产环境/生产/线上/production test:测试环境/测试/testing dev:开发环境/开发/development
    staging:预发/预发布 local:localhost/本地 android:安卓 macos:mac web:web端 desktop:桌面/桌面端 mobile:移动端
    frontend:前端 backend:后端 server:服务端/服务器/服务器端 client:客户端 primary:主库 replica:从库 standby:备库
    weekdays:weekday/工作日 weekends:weekend/周末 summer:夏季/夏天 winter:冬季/冬天 adult:成人/adults
    children:儿童 sandbox:沙箱 free:免费版 pro:专业版 enterprise:企业版"""
)
"""A place in another word: one spelling each."""


def places(folded: str) -> frozenset[str]:
    """The environments, platforms, named projects and the like a sentence confines itself to, one spelling each."""
    found = {_SAME_PLACE.get(m.group(), m.group()) for m in PLACES.finditer(folded)}
    return frozenset(found | {f"project {next(g for g in m.groups() if g)}" for m in PROJECT.finditer(folded)})


EXCLUSIVE: Final[Mapping[ConflictKind, re.Pattern[str]]] = {
    "owner": re.compile(
        r"负责(?!任)|归.{1,6}管|接手|主管|牵头|维护者|对接人|负责人|\b(?:owned by|owns?|owner"
        r"|responsible for|in charge of|maintain(?:s|ed by|er)|assign(?:ed|ee)|leads?|led by|lead)\b"
    ),
    "choice": re.compile(
        r"选[择用定了]?|采用|选型|决定用|定为|使用|用(?=[a-z ])|走的?(?=[a-z])|\b(?:chose|choose|chosen"
        r"|picked?|adopt(?:s|ed)?|decided on|go(?:ing)? with|went with|uses?|using|settled on|opted for"
        r"|prefers?)\b"
    ),
}
ONE_VALUE: Final = re.compile(
    r"负责人|对接人|状态|版本|端口|截止|日期|时间|价格|费用|预算|地址|地点|位置|邮箱|电话|名称|全称|语言|数据库|默认|上限|下限|限制|数量|期限"
    r"|周期|频率|大小|容量|生日|年龄|身高|体重|首都|作者|导演|编剧|总裁|经理|主席|总统"
    r"|\b(?:owner|status|version|port|deadline|due|date|time|price|cost|fee|budget|address|location|place|e-?mail|phone|name"
    r"|language|database|default|limit|maximum|minimum|max|min|count|number|size|capacity|timeout|interval|frequency|period"
    r"|birthday|age|height|weight|capital|author|director|writer|ceo|cto|manager|president|lead|maintainer|licen[cs]e|region)\b"
)
"""Attributes with one value at a time; whom one likes and what one uses are lists."""
HOLDS_ONE: Final = re.compile(
    r"首都|总统|主席|总理|冠军|作者|导演|编剧|主演|创始人|队长|校长|ceo|cto|董事长|市长|经理|生日|首席"
    r"|位于|出生|获得|赢得|夺冠|最[高大长多早]|唯一|住在|主办|承办|执导|扮演"
    r"|\b(?:capital|president|chair\w*|ceo|cto|champion|author|director|founder|captain|mayor|manager"
    r"|winner|won|wins|born|host\w*|lives? in|located|married|wrote|directed|starr\w*|invented|founded"
    r"|largest"
    r"|highest|tallest|longest|birthday|named|headquarter\w*|elected)\b"
)
ORDER: Final = re.compile(
    r"比|先于|早于|晚于|高于|低于|大于|小于|优于|多于|少于|胜过|击败|打败|战胜|先.{1,12}[再后]|之前"
    r"|之后|以前|以后|在.{1,12}[前后]|属于|依赖|调用|取代|代替|从.{1,12}到|由.{1,12}到|借给|卖给|给"
    r"|介绍"
    r"|\b(?:before|after|then|than|precedes?|follows?|beats?|beat|defeat\w*|above|below|depends? on"
    r"|calls?|replace[sd]?|from|to|older|younger|owes?|parent of|part of|first|introduces?)\b"
)
