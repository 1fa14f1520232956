"""Words with an opposite, in both languages: what is the one cannot at the same time be the other. Folded."""

from __future__ import annotations

from typing import Final

_ZH: Final = """
喜欢/爱/热爱/喜爱/爱好~讨厌/厌恶/厌烦/反感/憎恨/痛恨 同意/赞成/支持/赞同/拥护~反对/拒绝/抵制/不同意
允许/准许/可以/批准~禁止/不准/不许/严禁/不得
增加/增长/上升/提高/上涨/增多/增大/扩大/加大/加快/升高/涨~减少/下降/降低/下跌/缩减/减小/缩小/削减/放缓/减慢/跌
成功/胜利/达成/不错~失败/落空 已经完成/已完成/已经结束~继续/推进/正在/未完成/尚未
开始/启动/展开~结束/终止/停止/完成/已经结束 完成/结束/做完/办妥/已完成~未完成/尚未/还没/没完成/进行中
打开/开启/启用/开通/启用~关闭/禁用/停用/关掉/停用 升起/上升~降下/下降/落下 大/巨大/庞大~小/微小/细小
高/很高~低/很低/矮 多/众多/许多/大量/很多~少/稀少/极少/少量/寥寥/很少 快/迅速/飞快~慢/缓慢
早/提前~晚/推迟/迟到/延后 长/漫长~短/短暂 强/强大/强劲/强力~弱/弱小/虚弱/脆弱
好/优秀/良好/不错/优质/出色/优良~坏/差/糟糕/恶劣/不好/很差/低劣/劣质/不佳 新/崭新~旧/老旧/陈旧
热/炎热/热情~冷/寒冷/冷淡/冷漠 美/美丽/漂亮/好看/英俊~丑/丑陋/难看/很丑 富/富裕/富有/有钱~穷/贫穷/贫困/没钱
真/真的/真实~假/假的/虚假/伪造/虚构 男/男性/男人/男的/男生/男孩/丈夫~女/女性/女人/女的/女生/女孩/妻子
白天/早上/早晨/上午~晚上/夜里/夜晚/半夜/深夜
第一/首位/之首/榜首/冠军/第一名~最后/末位/之末/倒数第一/垫底/最后一名
重要/关键/重视/核心/必不可少~不重要/无关紧要/次要/忽视/轻视/不受重视
复杂/困难/难/艰难/艰巨~简单/容易/轻松/随便/轻易 安全~危险/不安全 公开~保密/秘密/隐瞒 国内/本国~国外/外国/海外
内~外 上~下 左~右 前~后 高兴/开心/快乐/愉快/欢喜~难过/伤心/悲伤/痛苦/沮丧/生气/不高兴
沉默/安静/寂静/不语~说话/吵闹/喧闹/热闹/吵 记得/记住~忘记/忘了
知道/了解/清楚/明白/熟悉~不知道/不了解/不清楚/陌生/忘记 活/活着/健在/在世~死/去世/死亡/死了/逝世/已故
结婚/已婚~单身/未婚/离婚/未结婚 存在~不存在 进口~出口 买/购买/买入~卖/出售/卖出
输/失利/败/负~赢/胜/获胜/战胜/取胜 得到/获得/取得~失去/丧失 来/到来/回来~离开/离去/走了 集中~分散
相信/信任~怀疑/不信/质疑 充足/充裕/过剩/供不应求~不足/缺乏/短缺/缺少/匮乏/供过于求 宽容/宽厚/大度~小气/刻薄
繁荣/兴旺/景气~萧条/衰退/冷清/低迷/不景气 干净/整洁/整齐~脏/肮脏/凌乱/散乱/乱 积极/主动~消极/被动
合法~非法/违法 乐观~悲观 紧张~放松/轻松/缓和 现代化/先进~落后/原始 城市/城镇~农村/乡村/乡下
公有/国有/国营~私有/私营/民营 免费~收费/付费 直接~间接 必须/必要/必需~不必/无需/不用/没必要
满意/满足~不满/失望 清晰/清楚~模糊/含糊 聪明/精明/聪慧~愚蠢/笨/傻 勇敢~胆小/懦弱/害怕 勤劳/勤奋~懒惰/懒/偷懒
年轻~年老/老年/衰老 熟练/娴熟/精湛~生疏/笨拙 开阔/宽阔~狭窄/狭小
一样/相同/一致/相等/同样~不同/不一样/相异/不一致 独自/一个人/单独/自己~一起/共同/和大家/一同/跟 统一~分裂/对立
和平/友好~战争/敌对/冲突 改革/开放/创新~守旧/封闭 稳定/平稳~动荡/波动/混乱 吃过/吃了~没吃/没吃过/饿
上班~失业/休息/休假/放假/待业 毕业/毕业了~在读/在校 专家/行家/老手~外行/新手 主要~次要
保留/留下/维持~取消/撤销/废除/放弃/删除 继续/坚持/持续~停止/中断/放弃/停工 活泼/外向~严肃/内向/文静
笑/大笑~哭/哭泣 节约/节省~浪费 白~黑 红色~蓝色/绿色/白色/黑色/黄色 蓝/蓝色~红/红色/绿色
"""
_EN: Final = """
like/likes/love/loves/enjoy/enjoys~dislike/dislikes/hate/hates
allow/allowed/allows/permitted/permit~forbid/forbidden/prohibited/banned/disallowed/prohibit
increase/increased/rise/rose/risen/grew/higher/raised/up~decrease/decreased/fell/fall/dropped/declined/lower/lowered/reduced/down
success/succeeded/successful/successfully~failure/failed/unsuccessful/fails
start/started/begin/began/begins~end/ended/finish/finished/stopped/stop/ends open/opened~closed/shut/close
enable/enabled/on~disable/disabled/off first~last/final large/big/huge/larger/bigger~small/tiny/little/smaller
high/tall~low/short many/numerous~few fast/quick/quickly/faster~slow/slowly/slower early/earlier~late/later
good/great/excellent~bad/poor/terrible/awful new~old hot/warm~cold/cool/freezing beautiful/pretty~ugly
rich/wealthy~poor/broke true/real/genuine~false/fake/fictional
male/man/men/boy/husband/brother/son/father/he~female/woman/women/girl/wife/sister/daughter/mother/she
alive/living~dead/died/deceased day/morning~night/evening
important/crucial/essential~unimportant/trivial/irrelevant difficult/hard~easy/simple
safe~dangerous/unsafe/risky public~private/secret domestic~foreign/international
inside/indoor/indoors~outside/outdoor/outdoors left~right before~after north/northern~south/southern
east/eastern~west/western happy/glad/pleased~sad/unhappy/upset remember/remembered~forget/forgot
married~single/unmarried/divorced import/imports~export/exports buy/bought~sell/sold
win/won/winning/wins~lose/lost/losing/loses arrive/arrived~leave/left/departed trust~distrust
enough/sufficient/plenty~insufficient/lacking/scarce/shortage clean~dirty active~inactive/passive
legal~illegal optimistic~pessimistic urban/city~rural/countryside/village free~paid direct~indirect
required/mandatory/must~optional/unnecessary satisfied~dissatisfied/disappointed clear~unclear/vague
smart/clever~stupid/dumb brave~afraid/cowardly young/younger~old/older/elderly
same/identical~different/differs alone~together accept/accepted~reject/rejected/refused/declined
agree/agreed/agrees~disagree/disagreed/disagrees support/supports/supported~oppose/opposes/opposed
add/added~remove/removed/deleted keep/kept/retain~drop/dropped/removed/abandoned up~down present~absent
full~empty strong/stronger~weak/weaker above/over~below/under always~never all/every~none
everyone/everybody~nobody everything~nothing more~less/fewer most~least maximum/max~minimum/min
professional~amateur sync/synchronous~async/asynchronous stable~unstable/experimental mutable~immutable
compatible~incompatible vegetarian/vegan~meat liquid~solid/gas pass/passed~fail/failed appears~disappears
best~worst positive~negative known~unknown singular/single~plural/multiple/several recent/recently~ancient
teenager~adult child/children~adult/adults
"""


def _table() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for entry in f"{_ZH} {_EN}".split():
        one, other = (side.split("/") for side in entry.split("~"))
        for here, there in ((one, other), (other, one)):
            for word in here:
                out.setdefault(word, set()).update(there)
    return {word: frozenset(others) for word, others in out.items()}


OPPOSITES: Final[dict[str, frozenset[str]]] = _table()
"""A word and everything it cannot be together with."""
