"""Stale plans: groups of the plan that holds, one that was dropped, a model's proposal that was turned down, and one that is done.

`properties`: only a property says which is which, in the spellings of users. `words`: only a sentence in the body does. The
dates say nothing: any of the four may be the newest.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from .running import Arm, Asked, Figure, Stand, share
from .words import HALVES, Half, Told, note, slug, subjects

TODAY: Final = "2026-11-30"
WHOLE: Final = 40
Mode = Literal["properties", "words"]
MODES: Final[tuple[Mode, ...]] = ("properties", "words")
Fate = Literal["current", "dropped", "rejected", "done"]
FATES: Final[tuple[Fate, ...]] = ("current", "dropped", "rejected", "done")

_WAYS: Final = [
    ("先做最小的一块再往外扩", "start with the smallest part and widen it"),
    ("请外面的团队整包承担", "have an outside team take the whole of it"),
    ("全部推倒重来", "tear it all down and begin anew"),
    ("一边保留旧的一边搭新的", "build the new one beside the old one"),
    ("换成现成的产品", "buy a product off the shelf"),
    ("按季度分四批推进", "go ahead in four batches, one a quarter"),
]
_GROUNDS: Final = [
    ("越来越吃力，需要动一动", "has become a burden"),
    ("跟不上了，抱怨不少", "cannot keep up, and people complain"),
    ("全靠一个人记着，风险大", "is in the head of one person, which is a risk"),
    ("每次改动都要拖上几天", "takes days for every change"),
]
_BODIES: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": (
            "# {s}改造计划\n\n目标是让{s}轻一点。做法：{w}。负责人{p}，费用 {n} 万。{told}",
            "# {s}的方案\n\n## 背景\n{s}{b}。\n\n## 做法\n{w}。由{p}牵头，大约 {n} 万。{told}",
        ),
        "en": (
            "# Plan for the {s}\n\nThe aim is a lighter {s}. The way: {w}. {p} leads it, at {n} thousand.{told}",
            "# {s} proposal\n\n## Background\nThe {s} {b}.\n\n## Approach\nWe {w}. Led by {p}, about {n} thousand.{told}",
        ),
    },
    "B": {
        "zh": (
            "# 关于{s}的规划\n\n{told}\n\n{p}起草。路线是{w}，估计 {n} 万，先看三个月的效果。",
            "# {s}下一步方案\n\n- 路线：{w}\n- 人：{p}\n- 钱：{n} 万\n\n{told}",
        ),
        "en": (
            "# {s} roadmap\n\n{told}\n\nDrafted by {p}. The road: {w}. An estimate of {n} thousand, with a look at it after three months.",
            "# How to go on with the {s}: a plan\n\n- Road: {w}\n- Who: {p}\n- Money: {n} thousand\n\n{told}",
        ),
    },
}
_SAID: Final[Mapping[Half, Mapping[str, Mapping[Fate, Sequence[str]]]]] = {
    "A": {
        "zh": {
            "current": ("", "我们放弃了自己造轮子的想法，这份计划正在执行。", "第一步已经完成，第二步在做。"),
            "dropped": ("这个方案我们放弃了，成本太高。", "人手不够，最后没做，搁置了。", "本计划已作废。"),
            "rejected": (
                "这是 Claude 提的方案，没有通过评审。",
                "助手建议的做法，我们没有采纳。",
                "模型写的草案，会上被否决了。",
            ),
            "done": ("已经上线，三月收尾。", "全部做完了。", "该项目已于五月完成。"),
        },
        "en": {
            "current": (
                "",
                "We dropped the idea of doing everything at once; this plan is under way.",
                "Step one is done, step two is being worked on.",
            ),
            "dropped": (
                "We dropped this: it cost too much.",
                "This plan was abandoned in May.",
                "Shelved, nobody had the time.",
            ),
            "rejected": (
                "Proposed by Claude; we did not adopt it.",
                "The assistant's proposal was rejected.",
                "This came from the model and did not get through the review.",
            ),
            "done": ("Shipped in March.", "All of this is finished and live.", "The project was completed in May."),
        },
    },
    "B": {
        "zh": {
            "current": ("大家不再考虑外包，就按这份来。", "", "第一批已经交付，其余还在进行。"),
            "dropped": ("讨论以后决定不做了。", "这条路我们不走了，已叫停。", "此方案取消。"),
            "rejected": (
                "GPT 给出的提案，团队没同意。",
                "大模型的建议，评审会上驳回了。",
                "AI 出的主意，没被采用。",
            ),
            "done": ("项目已交付，验收也通过了。", "这一期四月就做完了。", "已全量上线，收工。"),
        },
        "en": {
            "current": (
                "Nobody wants to hand it to outsiders any more, so we go by this one.",
                "",
                "The first batch has been delivered; the rest is in the works.",
            ),
            "dropped": (
                "We decided not to go ahead with this.",
                "Called off after the first look.",
                "We gave up on this plan.",
            ),
            "rejected": (
                "Suggested by the model, turned down by the team.",
                "GPT drafted this. We said no to it.",
                "An AI proposal that was not accepted.",
            ),
            "done": (
                "Rolled out to everyone in April.",
                "Everything here has been delivered; closed.",
                "We finished this in spring.",
            ),
        },
    },
}
_STATUS: Final[Mapping[Half, Mapping[Fate, Sequence[tuple[str, str]]]]] = {
    "A": {
        "current": (("status", "current"), ("状态", "进行中"), ("status", "In Progress"), ("status", "active")),
        "dropped": (("status", "abandoned"), ("状态", "已放弃"), ("status", "Dropped"), ("status", "🚫 cancelled")),
        "rejected": (("status", "rejected"), ("状态", "已否决"), ("status", "[rejected]"), ("状态", "未采纳")),
        "done": (("status", "done"), ("状态", "已完成"), ("status", "✅ Done"), ("status", "completed")),
    },
    "B": {
        "current": (("Status", "ongoing"), ("状态", "执行中"), ("state", "doing"), ("进度", "推进中")),
        "dropped": (("Status", "shelved"), ("状态", "搁置"), ("state", "canceled"), ("进度", "不做了")),
        "rejected": (("Status", "declined"), ("状态", "未通过"), ("state", "not adopted"), ("进度", "已驳回")),
        "done": (("Status", "shipped"), ("状态", "已上线"), ("state", "#status/done"), ("进度", "做完了")),
    },
}
_ASK: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": ("{s}现在的计划是什么", "{s}接下来打算怎么改", "{s}目前按哪个方案做"),
        "en": (
            "what is the plan for the {s} now",
            "how are we going to change the {s}",
            "which proposal for the {s} do we follow",
        ),
    },
    "B": {
        "zh": ("{s}的路线定成哪一条", "我们要拿{s}怎么办", "{s}要花多少万，谁来做"),
        "en": (
            "which road do we take with the {s}",
            "what are we doing about the {s}",
            "how much will the {s} plan cost and who does it",
        ),
    },
}
_ASK_PAST: Final[Mapping[Half, Mapping[str, Mapping[Fate, str]]]] = {
    "A": {
        "zh": {
            "dropped": "{s}以前放弃过哪个方案",
            "rejected": "{s}有哪个提案当时被否决了",
            "done": "{s}之前做完的是哪个方案",
        },
        "en": {
            "dropped": "which plan for the {s} did we drop",
            "rejected": "which proposal for the {s} was rejected",
            "done": "which plan for the {s} has been completed",
        },
    },
    "B": {
        "zh": {
            "dropped": "{s}哪份规划后来不做了",
            "rejected": "{s}的哪个提议没被采纳",
            "done": "{s}已经做完的是哪一个",
        },
        "en": {
            "dropped": "what did we give up on with the {s}",
            "rejected": "what idea for the {s} was turned down in the past",
            "done": "what have we already shipped for the {s}",
        },
    },
}


@dataclass(frozen=True, slots=True)
class Group:
    """Four plans for one subject, by what became of them, and the questions."""

    half: Half
    notes: Mapping[str, str]
    paths: Mapping[Fate, str]
    asks: Sequence[str]
    asks_past: Mapping[Fate, str]
    ask_across: str
    """In the other language than the notes."""


def groups(mode: Mode, count: int = WHOLE) -> list[Group]:
    """So many groups, the same every time."""
    chance = random.Random(23)
    return [_group(told, mode, chance) for told in subjects(count)]


def _group(told: Told, mode: Mode, chance: random.Random) -> Group:
    half, lang, turn = told.half, told.lang, told.number // 2
    days, numbers, people = chance.sample(range(120), 4), chance.sample(range(11, 90), 4), chance.sample(range(3), 3)
    ways, grounds = chance.sample(_WAYS, 4), chance.sample(_GROUNDS, 4)
    order = chance.sample(range(1, 5), 4)
    body = _BODIES[half][lang][turn % 2]
    notes: dict[str, str] = {}
    paths: dict[Fate, str] = {}
    for place, fate in enumerate(FATES):
        said = _SAID[half][lang][fate]
        properties = {"date": (date(2026, 6, 1) + timedelta(days=days[place])).isoformat()}
        if mode == "properties":
            key, value = _STATUS[half][fate][turn % 4]
            properties[key] = f'"{value}"'
        text = body.format(
            s=told.name,
            w=ways[place][1 if lang == "en" else 0],
            p=PEOPLE[half][people[place % 3]][1 if lang == "en" else 0],
            n=numbers[place],
            b=grounds[place][1 if lang == "en" else 0],
            told=("\n\n" + said[turn % 3] if half == "A" else said[turn % 3]) if mode == "words" else "",
        )
        path = f"{slug(told.number, told.name)}/{order[place]}.md"
        notes[path], paths[fate] = note(text, **properties), path
    asks = [ask.format(s=told.name) for ask in _ASK[half][lang]]
    past = {f: q.format(s=told.name) for f, q in _ASK_PAST[half][lang].items()}
    across = _ASK[half]["en" if lang == "zh" else "zh"][turn % 3].format(s=told.in_other)
    return Group(half, notes, paths, asks, past, across)


PEOPLE: Final[Mapping[Half, Sequence[tuple[str, str]]]] = {
    "A": (("陈牧", "Dana"), ("苏禾", "Milo"), ("林岚", "Priya")),
    "B": (("周远", "Tomas"), ("何悦", "Greta"), ("顾川", "Ines")),
}


def run(stand: Stand, told: Sequence[Group], arm: Arm, mode: Mode) -> list[Figure]:
    """hit@1 of the plan that holds, leaks of the others, and whether questions about them still find them."""
    ask = stand.asker(arm)
    first: dict[Half, list[bool]] = {half: [] for half in HALVES}
    leaks: dict[Half, list[bool]] = {half: [] for half in HALVES}
    past: dict[Half, list[bool]] = {half: [] for half in HALVES}
    past_first: dict[Half, list[bool]] = {half: [] for half in HALVES}
    across: dict[Half, list[bool]] = {half: [] for half in HALVES}
    for group in told:
        current = group.paths["current"]
        others = [path for fate, path in group.paths.items() if fate != "current"]
        for query in group.asks:
            answer = ask(Asked(query, TODAY))
            first[group.half].append(answer.ranked[:1] == [current])
            for path in others:
                bare = any(seen == path and not marked for seen, marked in answer.offered)
                leaks[group.half].append(answer.ahead(path, current) or bare)
        across[group.half].append(ask(Asked(group.ask_across, TODAY)).ranked[:1] == [current])
        for fate, query in group.asks_past.items():
            answer = ask(Asked(query, TODAY))
            past[group.half].append(answer.place(group.paths[fate]) < 3)
            past_first[group.half].append(answer.place(group.paths[fate]) < 1)
    most = {"properties": 0.02, "words": 0.10}[mode]
    out = []
    for half in HALVES:
        out += [
            Figure(f"{mode}: current plan hit@1", half, share(first[half]), len(first[half]), least=0.95),
            Figure(f"{mode}: leaks of other plans", half, share(leaks[half]), len(leaks[half]), most=most),
            Figure(f"{mode}: asked about the old ones, hit@3", half, share(past[half]), len(past[half]), least=0.9),
            Figure(f"{mode}: asked about the old ones, hit@1", half, share(past_first[half]), len(past_first[half])),
            Figure(f"{mode}: asked across languages, hit@1", half, share(across[half]), len(across[half])),
        ]
    return out
