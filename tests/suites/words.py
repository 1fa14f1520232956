"""What the templates are filled with: subjects, parts of them, people. The two halves share none of the subjects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Half = Literal["A", "B"]
Tongue = Literal["zh", "en", "mixed"]
HALVES: Final[tuple[Half, ...]] = ("A", "B")
TONGUES: Final[tuple[Tongue, ...]] = ("zh", "en", "mixed")
"""`mixed` is Chinese prose with English names, as many people write."""

_SUBJECTS: Final = """
搜索服务|search service;结算系统|billing system;推荐引擎|recommender;登录网关|login gateway;图片存储|image store
消息队列|message queue;报表平台|report platform;订单中心|order centre;会员体系|membership scheme;库存盘点|stock taking
客服机器人|support bot;移动客户端|mobile client;官网首页|landing page;数据湖|data lake;监控告警|alerting stack
短信通道|SMS channel;风控规则|fraud rules;配送调度|delivery dispatch;知识库|knowledge base;视频转码|video transcoder
合同归档|contract archive;门禁系统|door access;会议室预订|room booking;工资核算|payroll run;培训课程|training course
温室灌溉|greenhouse irrigation;咖啡烘焙|coffee roasting;读书会|book club;厨房翻修|kitchen renovation;马拉松训练|marathon training
相册整理|photo album;家庭网络|home network;阳台菜园|balcony garden;播客节目|podcast show;毕业论文|thesis draft
社区义卖|charity sale;木工台面|workbench build;日语学习|Japanese study;露营装备|camping gear;旧车置换|car trade-in
"""
SUBJECTS: Final = [tuple(pair.split("|")) for line in _SUBJECTS.split("\n") for pair in line.split(";") if pair]
PEOPLE: Final = [
    ("陈牧", "Dana"),
    ("苏禾", "Milo"),
    ("林岚", "Priya"),
    ("周远", "Tomas"),
    ("何悦", "Greta"),
    ("顾川", "Ines"),
]


@dataclass(frozen=True, slots=True)
class Told:
    """A subject as a case names it."""

    number: int
    half: Half
    tongue: Tongue
    name: str
    in_other: str
    """Its name in the other language than `name`."""

    @property
    def lang(self) -> Literal["zh", "en"]:
        """The language of the sentences."""
        return "en" if self.tongue == "en" else "zh"

    def pick(self, pairs: object, shift: int = 0) -> str:
        """One of several (Chinese, English) pairs, or of several texts, by the number of the case."""
        assert isinstance(pairs, list | tuple)
        chosen = pairs[(self.number + shift) % len(pairs)]
        if isinstance(chosen, str):
            return chosen
        return str(chosen[1 if self.tongue != "zh" else 0])

    def pick_structure(self) -> dict[str, str]:
        """A property that says, in one of several ways, that what the note tells is over."""
        ways = {
            "A": ({"superseded_by": '"[[2]]"'}, {"valid_to": "2026-07-01"}, {"status": "deprecated"}),
            "B": ({"replaced_by": '"[[2]]"'}, {"有效期至": "2026-08-01"}, {"状态": "已废弃"}),
        }[self.half]
        return dict(ways[self.number // 2 % 3])


def subjects(count: int) -> list[Told]:
    """So many subjects, both halves in turn; after all were told once, they come again with another number."""
    found = []
    for number in range(count):
        zh, en = SUBJECTS[number % len(SUBJECTS)]
        tongue = TONGUES[(number // 2) % 3]
        again = number // len(SUBJECTS)
        name, other = (zh, en) if tongue == "zh" else (en, zh)
        found.append(
            Told(number, HALVES[number % 2], tongue, *(f"{n} {again + 1}" if again else n for n in (name, other)))
        )
    return found


def note(body: str, **properties: str) -> str:
    """A note with flat properties."""
    lines = [f"{key}: {value}" for key, value in properties.items()]
    return "\n".join(["---", *lines, "---", body.strip(), ""]) if lines else body.strip() + "\n"


def slug(number: int, name: str) -> str:
    """A folder for a case: it tells the subject, nothing else."""
    return f"{number:03} {name}"
