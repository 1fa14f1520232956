"""What kind of fact a sentence is: by its own words, else by the heading or the lead above it. Chinese and English.

All patterns are for folded text (lower case, simplified, half width).
"""

from __future__ import annotations

import re
from typing import Final

from ebbtide.memory.states import FactType
from ebbtide.parse.cue import Cue

IMPORTANCE: Final[dict[FactType, float]] = {
    "decision": 7.0,
    "procedure": 7.0,
    "preference": 6.0,
    "lesson": 6.0,
    "constraint": 5.0,
    "definition": 5.0,
    "relation": 5.0,
    "event": 5.0,
    "plan": 5.0,
    "metric": 4.0,
    "state": 2.0,
}
"""The prior of algorithms.md B.2."""

_CUES: Final[tuple[tuple[FactType, str, str], ...]] = (
    (
        "lesson",
        "教 经 意 说 下 坑 早 亏 复 学 论 事 lesson lessons realised realized learned learnt shows next "
        "should takeaway hindsight turns made taught ",
        r"教训|经验(?:是|:)|我?意识到|这说明|下次(?:我?们?)(?:应该|要|一定|记得|先|别|不)|踩(?:过"
        r"|了)?的?坑|早该|应该早点|吃了.{0,4}亏|复盘(?:发现|得出|下来|结论|[后时:])|学到(?:了|的)|得出结论|事后(?:看|发现)"
        r"|\blessons?(?: learned)?\b(?=:| (?:is|was|are|learned))|\bi(?:'ve)? (?:realised|realized|learned"
        r"|learnt)\b(?! to\b)|\bwe (?:realised|realized|learned|learnt)\b|\bthis shows\b"
        r"|\bnext time\b.{0,20}\b(?:should|must|will|remember|do)\b|\bshould have\b|\btakeaway\b"
        r"|\bin hindsight\b|\bturns out\b|\bmade me (?:realize|realise)\b|\btaught me\b",
    ),
    (
        "preference",
        "喜 偏 更 讨 厌 爱 宁 受 反 忌 过 吃 喝 感 习 prefer prefers preferred prefer like likes love "
        "loves hate hates dislike dislikes enjoy enjoys avoid avoids refuse refuses favor favors favour "
        "favours adore adores despise despises detest detests can't stand allergic fond into interested "
        "passionate fan keen vegan vegetarian uncomfortable averse opposed preference aversion allergy "
        "fear phobia favourite favorite favourites favorites hobby hobbies passion escape dream "
        "won't not never rather don't only ",
        r"(?<![受不讨])喜欢|不喜欢|偏好|偏爱|更愿意|更倾向|讨厌|厌恶|不爱|热爱|最爱|宁愿|宁可|受不了|反感"
        r"|忌口|过敏|爱好(?=[是:有包])|(?:我|他|她|从|一直|都|们)(?:不吃|不喝)|对[^,]{1,12}感兴趣"
        r"|习惯(?:用|于|在)"
        r"|\b(?:i|we|he|she|they|user|who) (?:really |strongly |always |also |absolutely |just "
        r"|especially |definitely |generally |usually |much |personally |quite |mainly |mostly )*(?:prefers?|likes?|loves?|hates?"
        r"|dislikes?|enjoys?|avoids?|refuses?|favou?rs?|adores?|despises?|detests?|can't stand"
        r"|cannot stand|am allergic|is allergic)\b"
        r"|\b(?:i'm|i am|is|he's|she's|they're) (?:not |really |so |very |also |always |still |quite |a (?:big |huge )?)*(?:fond of"
        r"|into|allergic|interested in|passionate about|a fan|fan of|keen on|vegan|vegetarian"
        r"|uncomfortable with|averse|opposed)\b"
        r"|\b(?:i|we) (?:have|has) (?:a |an |strong |severe )*(?:preference|aversion|dislike|allergy|fear"
        r"|phobia)|\bmy (?:\w+ )?(?:favou?rites?|hobb(?:y|ies)|passion|escape|dream(?! (?:\w+ )?(?:business|job|car|house|home|team"
        r"|school|studio)))\b"
        r"|\bfavou?rite \w+ (?:is|are)\b|\bprefer(?:s|red)? (?:not |to |\w+ing|\w+ over)"
        r"|\b(?:i|we) (?:(?:won't|will not|would never) (?:eat|drink|use|buy|watch|go|take|travel|stay"
        r"|wear|work|read|listen|fly|drive|consider|accept)|would rather|don't want|do not want"
        r"|don't (?:really )?(?:like|enjoy|eat|drink|watch|use|buy|believe)|do not (?:like|enjoy|eat|drink"
        r"|watch|use|buy|believe)|only (?:eat|drink|watch|use|buy|read|listen|want|stay|travel|consider"
        r"|wear))\b",
    ),
    (
        "decision",
        "决 选 敲 拍 定 终 后 达 致 采 弃 否 通 改 换 放 decided chosen chose agreed settled went opted "
        "picked committed resolved rejected dropped switched adopted decision selected approved go use "
        "adopt ",
        r"(?:我们?|团队|会议|公司|大家|他们?|她们?|最终|最后|已经?|一致|于是|因此|^)决定(?!性|因素|论|权"
        r"|着|于)|决定(?=[用采使不将在先把改由以从砍推取放继去做:])|选定|敲定|拍板|定(?:为|下来|案)(?!义)"
        r"|选(?:择)?了|(?:最终|最后)(?:选|用|采用|确定|改)"
        r"|达成一致|一致同意|确定(?:用|采用|使用|为)|(?:团队|我们)(?:采用|选用|改用)|弃用了|放弃了|否决"
        r"|通过了.{0,8}(?:方案|提案)|改成|改为|改用|(?<!转)换成"
        r"|\b(?:i|we|they|team|he|she|has|have)(?:'ve| have| has)? (?:decided|chosen|chose|agreed"
        r"|settled on|went with|opted|picked|committed to|resolved to|rejected|dropped|switched|adopted)\b"
        r"|\bdecided (?:to|on|against|that)\b|\bdecision(?: is|:)|\bwas (?:chosen|selected|rejected"
        r"|approved)\b|\bwe(?:'ll| will) (?:go with|use|adopt)\b",
    ),
    (
        "constraint",
        "必 禁 不 红 严 务 只 仅 多 少 限 要 切 一 硬 才 需 must mustn't never not only always should "
        "required mandatory forbidden prohibited limited allowed most least more requires require do "
        "don't ",
        r"必须|禁止|不得|红线|严禁|务必|(?<![也恐怕就])只能(?![说怪认忍算艰无眼])|仅限|不允许|不许|不准(?=[\u4e00-\u9fff])(?![的确备])|至多|最多|至少(?=.{0,3}\d)|不超过"
        r"|不能超过|(?:上限|下限)(?=[是为:]|.{0,6}\d)|不要(?!紧)|切勿|一律|硬性|才能|不可以|需要满足"
        r"|\bmust(?: not|n't)?\b(?! (?:have|be (?:so|great|nice|fun|hard|tough|really|amazing))\b)"
        r"|\bnever\b(?= (?:use|commit|deploy|push|put|store|share|edit|delete|run|call|write|send|change"
        r"|log|expose|be))|\b(?:shall|may|should) (?:not|only|never)\b|(?<!there )\bshould (?:always"
        r"|be(?! (?:\d|fine|ok|easy|good|enough|able|about|around|here|there))|use)\b"
        r"|\bis (?:not allowed|forbidden|prohibited|required|mandatory|limited to)\b"
        r"|\bnot allowed\b|\bat (?:most|least) \d|\bno more than\b|\brequires?\b"
        r"|(?<!i )(?<!they )(?<!people )(?<!you )\bdo not\b(?! (?:know|think|remember|believe|need|want|have|see"
        r"|understand|care|mind|mean|exist|work|seem|matter)\b)|^don't\b"
        r"|\bonly (?:if|when|after)\b",
    ),
    (
        "plan",
        "计 考 打 准 即 拟 将 预 下 明 后 年 月 接 plan plans planning going hoping intend intends "
        "scheduled i'll we'll will hope want wants like aim aims forward upcoming thinking ",
        r"(?<![动的])计划(?=[在于将要明下今周本用把对去从到开做写学买和与:])|打算|^考虑先|准备(?=[要去在下开买写做换])|即将"
        r"|拟于|将于|预计|下一步|(?:明天|后天|下周|下个?月|明年|年底前|月底前|(?<!不知道)接下来)[^,]{0,12}(?:要|会|将"
        r"|去|做|完成|开始|发布|上线|参加)"
        r"|\bplan(?:s|ning)? (?:to|on)\b|\b(?:am|'m|is|are|'re|'s) (?:going|planning|hoping) to\b"
        r"|\bintends? to\b|\bscheduled (?:for|to)\b|\bi(?:'ll| will) (?:try|go|start|make|take|visit|keep"
        r"|continue|consider|think about|definitely|also|do|give|look|learn|use|be \w+ing)\b|\b(?:i"
        r"|we)(?:'ll| will)\b.{0,60}\b(?:tomorrow|next|soon|this (?:week|month|year))\b"
        r"|\bwill\b.{0,40}\bnext (?:week|month|year|quarter)\b|\b(?:hope|want|wants|would like|aim)s? to\b"
        r"|\blooking forward to\b|\bupcoming\b|\bthinking (?:about|of) \w+ing\b",
    ),
    (
        "definition",
        "是 指 定 所 即 又 也 简 全 意 为 refers refer is are was were stands means known ",
        r"是指|指的是|定义(?:为|是)|所谓|即(?:是|为)|又称|也称|简称|全称|意思是|(?:是|为)(?:一"
        r"|某)?[种个类款门项座条名位套](?!月|人都)|是.{1,24}的(?:一种|一部分|简称|总称|缩写|方法|过程|工具"
        r"|技术|原理|系统|协议|框架|格式|标准|城市|国家|作家)"
        r"|\brefers? to\b|\b(?:is|are|was|were) (?:defined as|known as|called)\b|\b(?:is|are|was"
        r"|were) (?:an?|the) (?:\w+[ -]){0,6}(?:of|that|which|used|for|in|from|by)\b|\bstands for\b"
        r"|\bmeans (?:that|the|a)\b|\bis short for\b|\balso known as\b|^\S+(?: \S+){0,3} (?:is|are) an? ",
    ),
    (
        "relation",
        "依 属 取 导 引 造 源 来 对 负 由 隶 合 的 depends depend belongs belong part causes caused "
        "leads lead consists consist owned maintained led run managed written developed works reports "
        "responsible wife husband son daughter brother sister mother father mom dad friend boss manager "
        "colleague partner mentor married ",
        r"依赖(?![项包库])(?:于)?|属于|取决于|导致|引起|造成|源于|来自|对应(?:着|于|的?是|关系)|负责(?=[^任])|由.{1,16}(?:负责|维护|开发"
        r"|提供|组成|创建|管理)|隶属|[和与跟].{1,16}合作|(?:我|他|她)?的(?:同事|朋友|领导|老板|妻子|丈夫|女儿|儿子|母亲"
        r"|父亲|妈妈|爸爸|姐姐|哥哥|妹妹|弟弟|导师|客户|搭档)(?:是|叫)"
        r"|\bdepends? on\b|\bbelongs? to\b|\bpart of\b|\bcaus(?:es|ed)\b|\bleads? to\b|\bconsists? of\b"
        r"|\b(?:is|are) (?:owned|maintained|led|run|managed|written|developed) by\b|\bworks (?:for|at"
        r"|with)\b|\breports to\b|\bis responsible for\b|\bis (?:my|his|her|their) (?:\w+ )?(?:wife"
        r"|husband|son|daughter|brother|sister|mother|father|mom|dad|friend|boss|manager|colleague|partner"
        r"|mentor)\b|\bmarried to\b",
    ),
    (
        "procedure",
        "步 首 先 点 执 运 打 安 可 使 通 按 即 快 勾 方 run click open install use set create add press "
        "select choose go copy configure enable disable make check download type enter start restart "
        "build deploy remove delete list show print display convert connect generate specify update save "
        "to how first by shortcut ",
        r"步骤|首先.{2,}(?:然后|再|接着)|先.{1,30}(?:再|然后|后).{1,}|点击|执行(?:命令|以下)|运行(?:命令"
        r"|以下|`)|打开.{1,16}(?:设置|菜单|页面|文件)|安装(?:好|完|后)|可以(?:通过|用|使用).{1,20}(?:来"
        r"|实现|完成|查看|打开|设置)|使用.{1,24}(?:来|进行|即可|命令|可以)|通过.{1,24}(?:来|实现|即可"
        r"|可以)|按下?.{1,8}键|即可|快捷键|勾选|(?:方法|方式|办法)(?:就)?是|的方法:"
        r"|^(?:run|click|open|install|use|set|create|add|press|select|choose|go to|copy|configure|enable"
        r"|disable|make sure|check|download|type|enter|start|restart|build|deploy|remove|delete|list|show"
        r"|print|display|convert|connect|generate|specify|update|save)\b(?! (?:is|are|was|were)\b)"
        r"|\bto \w+[^,]{0,40}, (?:run|use|click|open|press|type|set|go)\b|\bhow to\b"
        r"|\bfirst,? .{3,} then\b|\bby (?:running|using|setting|clicking)\b|\bshortcut\b",
    ),
    (
        "event",
        "昨 前 今 上 去 当 月 年 发 完 参 获 成 创 出 毕 举 开 竣 首 任 签 爆 搬 yesterday last ago in "
        "on i we he she they who was were died graduated ",
        r"(?:昨天|前天|今天|今早|昨晚|上周|上个?月|去年|前年|今年|当天"
        r"|[一二三四五六七八九十\d]+月[\d]+[日号]|\d{4}年)[^,]{0,30}(?:了|去|发生|上线|发布|开|参加|完成"
        r"|结婚|出生|去世|搬|入职|离职|成立|毕业|举行|获得|遇到|收到|见)|发生(?:了|在)|上线了|发布了"
        r"|完成了|参加了|获得了|成立于|创立|出生|去世|毕业于|举(?:行|办)|开业|竣工|出版|首映|当选|任命"
        r"|签署|爆发|搬到"
        r"|\b(?:yesterday|last (?:night|week|month|year|weekend|summer|friday|monday|tuesday|wednesday"
        r"|thursday|saturday|sunday)|\w+ (?:days?|weeks?|months?|years?) ago|in (?:[12]\d{3})"
        r"|on \w+ \d{1,2})\b"
        r"|\b(?:i|we|he|she|they|who) (?:just |recently |finally |also |actually |even )*(?:went|got|had"
        r"|made|met|started|began|bought|joined|attended|visited|finished|completed|moved|won|lost|took"
        r"|signed|launched|released|created|painted|wrote|read|watched|gave|ran|found|adopted|passed"
        r"|graduated|married|hosted|organized|organised|volunteered|spent|saw|learned|built|celebrated"
        r"|received|held|opened|quit|left|came|performed|recorded|traveled|travelled|played|tried|set up"
        r"|signed up|cooked|baked|planted|helped|published|ended|applied|injured|broke|scored|landed"
        r"|injured|booked)\b"
        r"|\b(?:was|were) (?:born|founded|established|released|published|built|awarded|elected|appointed"
        r"|launched|killed|signed|opened|created|introduced|completed|held|discovered)\b|\bdied\b"
        r"|\bgraduated from\b",
    ),
    (
        "state",
        "目 现 当 正 如 状 处 最 这 仍 还 有 感 心 压 住 就 任 担 currently now moment these lately "
        "recently status still i'm am we're are feel have live work own teach study run play write "
        "practice i've ",
        r"目前|现在|当前|正在|如今|状态[:是为]|处于|最近(?!的)|这(?:几|两)天|仍(?:然|在)|还(?:没|未)|有点"
        r"|感觉|心情|压力|住在|就职|任职|担任"
        r"|\bcurrently\b|\bnow\b|\bat the moment\b|\bthese days\b|\blately\b|\brecently\b|\bstatus(?: is"
        r"|:)|\bis still\b|\b(?:i'm|i am|we're|we are) (?:\w+ing|in|at|on|a|an|feeling|working|living)\b"
        r"|\bi (?:feel|have|live|work|own|teach|study|run|play|write|practice)\b|\bi've been\b",
    ),
)
_METRIC = re.compile(
    r"(?:达到?|约?为|是|:|降(?:到|至|低)|升(?:到|至)|提升|提高|减少|增加|增长|下降|占|共|超过|仅|只有"
    r"|需要?|花(?:了|费)?|耗时|用时|大约|平均|总计|合计)[^\d,]{0,8}[$¥€]?(?!(?:1\d|20)\d\d\s?年)\d[\d,.]*\s?(?:%|倍|毫秒|秒"
    r"|分钟|小时|天|周|个月|年|元|万|亿|千|美元|人|次|条|个|页|字|行|篇|公斤|斤|克|公里|米|厘米|度|分"
    r"|台|mb|gb|kb|ms|qps|fps|kg|km|cm)"
    r"|[$¥€£]\s?\d[\d,.]*|\b(?!(?:100|99|120)\s?% ?(?:确定|肯定|同意|赞同|相信|sure|certain|agree))\d[\d,.]*\s?(?:%|percent|ms|milliseconds"
    r"|seconds|minutes|hours|mb|gb|kb|tb"
    r"|qps|rps|fps|kg|km|miles|lbs|users|people|requests|tokens|usd|eur|dollars|euros|pages"
    r"|points)(?![a-z])"
    r"|\b(?:latency|throughput|accuracy|precision|recall|revenue|cost|budget|price|score|rate|size"
    r"|weight|population|area|average|total)\b[^.]{0,20}\b(?:is|was|of|at|to|:)\s?[$¥€£]?\d"
)

_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN_SHIFT: Final = 32
_COMPILED: Final = tuple(
    (kind, 1 << i, 1 << i + _LATIN_SHIFT, Cue(pattern)) for i, (kind, _, pattern) in enumerate(_CUES)
)
HEDGED: Final = 1 << 20
BOUND: Final = 1 << 21
FELT: Final = 1 << 22
POINTING: Final = 1 << 23
ADDRESSING: Final = 1 << 24
_GATE_WORD = re.compile("[a-z']+|[\u4e00-\u9fff]")


def _gates() -> dict[str, int]:
    gates: dict[str, int] = {}
    for i, (_, words, _) in enumerate(_CUES):
        for word in words.split():
            gates[word] = gates.get(word, 0) | 1 << (i if _HAN.match(word) else i + _LATIN_SHIFT)
    for bit, words in _MARKS.items():
        for word in words.split():
            gates[word] = gates.get(word, 0) | bit
    return gates


_DIGIT = re.compile(r"[0-9]")

NOTE_TYPES: Final[dict[str, FactType]] = {
    "decision": "decision",
    "preference": "preference",
    "rule": "constraint",
    "principle": "constraint",
    "procedure": "procedure",
    "lesson": "lesson",
    "plan": "plan",
    "definition": "definition",
    "concept": "definition",
}
"""What a note's `type` property says about sentences that say nothing themselves."""

BINDING = re.compile(r"必须|禁止|红线|严禁|不得|务必|绝不|\bmust\b|\bnever\b|\bforbidden\b|\bmandatory\b|\brefuse")
HEDGE = Cue(
    r"可能|也许|大概|或许|似乎|好像|据说|应该是|不确定|估计|感觉像|猜|\bmaybe\b|\bperhaps\b|\bmight\b"
    r"|\bprobably\b|\bi think\b|\bi guess\b|\bseems?\b|\bnot sure\b|\bpossibly\b|\bsupposedly\b"
    r"|\bcould be\b"
)
_QUESTION = re.compile(r"[?？]\s*[\"”』」)）]*\s*\Z|(?:吗|呢)[。.]?\Z")
_ASKING = re.compile(
    r"(?:what|why|how|when|where|who|which|is|are|do"
    r"|does|did|can|could|should|would|will|have|has) (?:is|are|do|does|did|can|could|should|would|you"
    r"|i|we|they|he|she|it|there|the|this|that|your|my)\b(?!.*[.!]\Z)"
)
_SMALL_TALK = re.compile(
    r"^(?:hi|hey|hello|hiya|yo|thanks?|thank you|thx|wow|cool|great|awesome|nice|ok(?:ay)?|yeah|yep"
    r"|yup|yes|no|nope|sure|sorry|congrats|congratulations|good (?:luck|morning|night|job|for you"
    r"|to (?:see|hear))"
    r"|bye|see you|take care|absolutely|definitely|exactly|totally|agreed|same here|me too|haha|lol|oh"
    r"|ah|aww?|woah|whoa|hmm|well done|keep it up|sounds (?:good|great|like|fun|amazing)|glad|happy to"
    r"|no (?:worries|problem)|of course|anyway|long time"
    r"|you'?re (?:right|welcome)|i (?:agree|hope so|see|know|understand|get it"
    r"|can(?:'t)? (?:only )?imagine|bet|hear you|appreciate|totally)|that'?s (?:\w+ )?(?:great|awesome"
    r"|amazing|nice|cool|so|really|true|right|wonderful|fantastic|good|lovely|it|what|the|a|an)|what a"
    r"|how (?:\w+)|so (?:glad|happy|cool|sweet|true|proud|excited) |can't wait|let me know|i'm (?:so "
    r"|really |very )?(?:glad|happy (?:for|to hear)|sorry|proud of you|here for you))\b"
    r"|^(?:你好|您好|嗨|谢谢|感谢|好的|好啊|是的|对的?|嗯|哦|哈哈|太好了|太棒了|没错|没关系|不客气"
    r"|再见|早上好|晚上好|晚安|辛苦了|加油|当然|确实|真的|明白了?|知道了?|听起来|祝你?|非常感谢"
    r"|很高兴)(?:[,，。!！~、]|$|[^,，。]{0,4}$)"
)


def is_talk(folded: str) -> bool:
    """Whether a sentence is a question or a greeting, thanks, applause."""
    if _ASKING.match(folded) or _SMALL_TALK.match(folded):
        return True
    if folded.isascii():
        return "?" in folded and _QUESTION.search(folded) is not None
    return _QUESTION.search(folded) is not None or "谢谢你" in folded or "感谢你" in folded or "非常感谢" in folded


_MARKS: Final = {
    HEDGED: "可 也 大 或 似 好 据 应 不 估 感 猜 "
    "maybe perhaps might probably think guess seems seem sure possibly supposedly could",
    BOUND: "必 禁 红 严 得 务 绝 must never forbidden mandatory refuse refuses refused",
    FELT: "真 太 开 高 努 加 希 "
    "awesome amazing great wonderful fantastic incredible so grateful thankful blessed super really "
    "lovely inspiring fun hopefully one it's lot going life reminds remind thrilling exciting excited",
    POINTING: "这 那 它 this that these those it they them such one",
    ADDRESSING: "你 您 you your you're you've you'll yours",
}
_GATES: Final = _gates()


_IMPERATIVE = re.compile(
    r"(?:run|click|open|install|use|set|create|add|press|select|choose|go to|copy|configure|enable"
    r"|disable|make sure|check|download"
    r"|type|enter|start|restart|build|deploy|remove|delete|list|show|print|display|convert|connect"
    r"|generate|specify|update|save|move"
    r"|change|get|find|search|read|write|send|upload|export|import|compress|extract|rename|replace"
    r"|view|edit|log in|execute|initialize"
    r"|synchronize|mount|unmount|kill|stop|query|dump|backup|restore|encrypt|decrypt|validate|compile"
    r"|test|put|store|keep|turn|switch) "
    r"(?!(?:is|are|was|were|has|have|can|will|may|should|must|of|and|or|as|up to)\b)"
)


def gate(folded: str) -> int:
    """Which kinds and marks a sentence can have at all, by its single words: most patterns need not be tried."""
    found = 0
    get = _GATES.get
    for word in _GATE_WORD.findall(folded):
        found |= get(word, 0)
    return found


def type_by_words(folded: str, gates: int | None = None) -> FactType | None:
    """The type that the sentence's own words give it, the more telling kind first."""
    gates = gate(folded) if gates is None else gates
    if _IMPERATIVE.match(folded):
        return "constraint" if folded.startswith(("make sure", "always", "never")) else "procedure"
    for kind, han, latin, cue in _COMPILED[:5]:
        if gates & (han | latin) and cue.search(folded, bool(gates & han), bool(gates & latin)) is not None:
            return kind
    if _DIGIT.search(folded) and _METRIC.search(folded):
        return "metric"
    for kind, han, latin, cue in _COMPILED[5:]:
        if gates & (han | latin) and cue.search(folded, bool(gates & han), bool(gates & latin)) is not None:
            return kind
    return None
