"""What the heading or the lead above a sentence says of it: its kind, a timeline, options, a mere part of its note.

All patterns are for folded text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from ebbtide.memory.states import FactType

_SECTIONS: Final[tuple[tuple[FactType, str], ...]] = (
    (
        "decision",
        r"决定|决策|决议|结论|选型|拍板|\bdecisions?\b|\bdecided\b|\boutcome\b|\bresolution\b"
        r"|\bconclusions?\b|\bverdict\b",
    ),
    (
        "preference",
        r"偏好|喜好|喜欢|习惯|口味|爱好|\bpreferences?\b|\blikes?\b|\bdislikes?\b|\bfavou?rites?\b|\bhabits?\b",
    ),
    (
        "constraint",
        r"约束|限制|规则|规范|要求|红线|原则|注意事项|禁忌|\bconstraints?\b|\brules?\b|\bprinciples?\b"
        r"|\brequirements?\b|\blimits?\b|\bpolic(?:y|ies)\b|\bguidelines?\b",
    ),
    (
        "procedure",
        r"步骤|流程|做法|操作|方法|用法|使用(?=方法|步骤|说明|技巧|指南|教程|$)|教程|安装|配置|部署|如何|怎么|指南|命令|\bsteps?\b"
        r"|\bprocedure\b|\bhow to\b|\busage\b|\bsetup\b|\binstall\w*\b|\binstructions?\b|\bworkflow\b"
        r"|\bguide\b|\bcommands?\b|\bcheat ?sheet\b",
    ),
    (
        "lesson",
        r"教训|经验|反思|复盘|收获|心得|启发|感悟|踩坑|坑|\blessons?\b|\blearnings?\b|\btakeaways?\b"
        r"|\bretro(?:spective)?\b|\breflections?\b|\bpost-?mortem\b|\binsights?\b",
    ),
    (
        "metric",
        r"指标|数据|结果|性能|统计|成绩|度量|\bmetrics?\b|\bresults?\b|\bbenchmarks?\b|\bnumbers?\b"
        r"|\bstats\b|\bperformance\b|\bkpis?\b",
    ),
    (
        "definition",
        r"定义|概念|术语|是什么|含义|简介|\bdefinitions?\b|\bglossary\b|\bterms?\b|\bwhat is\b|\bconcepts?\b",
    ),
    (
        "plan",
        r"计划|规划|下一步|待办|路线图|目标|日程|安排|\bplans?\b|\broadmap\b|\bnext steps?\b|\bgoals?\b"
        r"|\bschedule\b|\bobjectives?\b",
    ),
    (
        "event",
        r"事件|经过|记录|日志|时间线|尝试|进展|\bevents?\b|\btimeline\b|\bwhat happened\b|\btried\b|\blog\b|\bhistory\b"
        r"|\bprogress\b",
    ),
    (
        "relation",
        r"人员|成员|分工|负责人|关系|依赖|\bpeople\b|\bteam\b|\bmembers?\b|\broles?\b|\bowners?\b"
        r"|\bdependenc(?:y|ies)\b",
    ),
    ("state", r"状态|现状|近况|\bstatus\b|\bcurrent state\b"),
)
_SECTION_COMPILED: Final = tuple((kind, re.compile(pattern)) for kind, pattern in _SECTIONS)


_GROUNDS = re.compile(
    r"(?:context|background|reasons?|rationale|why|consequences?|impact)\b|(?:背景|上下文|理由|原因|后果|影响)(?!\w)"
)
"""Sections of a decision or an incident that tell what led to it or came of it, not what it is."""


@lru_cache(maxsize=4096)
def type_by_place(folded_headings: tuple[str, ...], folded_lead: str | None) -> FactType | None:
    """The type that the lead of the list, else the nearest heading that has one gives."""
    for name in ((folded_lead,) if folded_lead else ()) + folded_headings[::-1]:
        if len(name) <= 40 and _GROUNDS.match(name):
            return "definition"
        for kind, pattern in _SECTION_COMPILED:
            if len(name) <= 40 and pattern.search(name):
                return kind
    return None


_TIMELINE = re.compile(
    r"\btimeline\b|时间[线轴]|^(?:事[件故情]|故障)?(?:的?经过|过程)\b|^(?:处理|排查|修复)过程\b|^(?:work |event |activity )?log\b(?! \w)"
)
_OPTIONS = re.compile(
    r"^(?:(?:considered|other|rejected|possible|the) )?(?:options?|alternatives?|choices)\b(?! \w+ed\b(?<!considered))"
    r"|^(?:选项|备选(?:项|方案)?|候选(?:项|方案)?|可选方案)(?!\w)|^considered\b|\b(?:options|alternatives) considered\b"
)
Place = Literal["timeline", "options", "section"]


@lru_cache(maxsize=4096)
def place_kind(folded_headings: tuple[str, ...], folded_lead: str | None) -> Place | None:
    """Whether the nearest name above that is one of a section is that of a timeline or of options."""
    for name in ((folded_lead.strip(" :"),) if folded_lead else ()) + folded_headings[::-1]:
        if len(name) <= 40:
            if _OPTIONS.search(name):
                return "options"
            if _TIMELINE.search(name):
                return "timeline"
            if type_by_place((name,), None) is not None:
                return "section"
    return None


_SECTION_NAME = re.compile(
    r"(?:context|options?|alternatives?|considered|reasons?|rationale|why|consequences?|results?|tried|problem|solution"
    r"|questions?|open questions|facts?|state|timeline|impact|cause|root cause|follow-?ups?|actions?|action items"
    r"|what happened|evidence|status|scope|goals?|discussion|agenda|after|before|参考"
    r"|背景|上下文|选项|备选(?:方案)?|理由|原因|后果|影响|结果|结论|尝试|问题|解决|事实|时间线|经过|过程|现状|状态|后续|行动项"
    r"|讨论|议题|目标|范围|证据|之后|然后|现象|根因|处理|改进)(?:\s*[(（·/].*)?"
)


@lru_cache(maxsize=4096)
def is_section(folded: str) -> bool:
    """Whether a heading only names a part of its note: Context, Options, 理由. It is no subject."""
    return (
        _SECTION_NAME.fullmatch(folded) is not None
        or (len(folded) <= 40 and (_OPTIONS.search(folded) or _TIMELINE.search(folded)) is not None)
        or type_by_place((folded,), None) is not None
    )
