"""Type routing: six memories of different types about one matter, in nearly the same words; a question wants one of them.

The type stands in a property, as users spell it; the sentences name it hardly ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from ebbtide.recall.engine import Settings

from .running import Arm, Asked, Figure, Stand, share
from .words import HALVES, Half, Told, note, slug, subjects

TODAY: Final = "2026-11-30"
WHOLE: Final = 90
Kind = Literal["decision", "failure", "procedure", "preference", "metric", "fact"]
KINDS: Final[tuple[Kind, ...]] = ("decision", "failure", "procedure", "preference", "metric", "fact")

_MATTERS: Final = [
    (("缓存", "cache"), ("内存方案", "the in-memory one"), ("磁盘方案", "the disk one")),
    (("排期", "schedule"), ("两周一版", "a release every two weeks"), ("随到随发", "a release whenever it is ready")),
    (("供应商", "supplier"), ("本地那家", "the local one"), ("网上那家", "the online one")),
    (("备份盘", "backup disk"), ("固态盘", "solid state"), ("机械盘", "spinning disks")),
    (("提醒", "reminder"), ("短信", "text messages"), ("邮件", "mails")),
]
_TYPES: Final[Mapping[Half, Mapping[Kind, Mapping[str, str]]]] = {
    "A": {
        "decision": {"type": "decision"},
        "failure": {"type": "incident", "result": "failure"},
        "procedure": {"type": "procedure"},
        "preference": {"type": "preference"},
        "metric": {"type": "metric"},
        "fact": {"type": "reference"},
    },
    "B": {
        "decision": {"type": "决策"},
        "failure": {"type": "debug", "result": "失败"},
        "procedure": {"type": "how-to"},
        "preference": {"type": "偏好"},
        "metric": {"type": "指标"},
        "fact": {"type": "资料"},
    },
}
_SAID: Final[Mapping[Half, Mapping[str, Mapping[Kind, str]]]] = {
    "A": {
        "zh": {
            "decision": "{s}的{m}：{v}，{w}就算了，图的是省事。",
            "failure": "{s}的{m}用{v}的那天全停了，{w}也没顶上。因为没人试过。先小范围试{v}才行。",
            "procedure": "{s}的{m}：先停掉{w}，再装{v}，核对一遍以后打开。",
            "preference": "{s}的{m}，{v}用着顺手，{w}看着就烦。",
            "metric": "{s}的{m}：{v} {n} 分钟，{w} {k} 分钟。",
            "fact": "{s}的{m}包括{v}和{w}，{p}管着，放在 {n} 号柜。",
        },
        "en": {
            "decision": "{s}, {m}: {v} it is, and {w} is out, for the sake of simplicity.",
            "failure": "{s}, {m}: on the day of {v} all stood still, and {w} did not help: nobody had tried it. Try {v} in small first.",
            "procedure": "{s}, {m}: stop {w}, then set up {v}, check once more and switch it on.",
            "preference": "{s}, {m}: {v} feels right to me, {w} gets on my nerves.",
            "metric": "{s}, {m}: {n} minutes with {v}, {k} minutes with {w}.",
            "fact": "{s}, {m}: comprises {v} and {w}, under {p}, in cupboard {n}.",
        },
    },
    "B": {
        "zh": {
            "decision": "{s}的{m}定下来了：选{v}，{w}不选。",
            "failure": "{s}的{m}上{v}出了事故，{w}也跟着断了。因为没有演练。以后先演练{v}。",
            "procedure": "{s}的{m}要上{v}：第一步关{w}，第二步开{v}，第三步看一眼结果。",
            "preference": "{s}的{m}，我习惯{v}，讨厌{w}。",
            "metric": "{s}的{m}，{v}平均 {n} 元，{w}平均 {k} 元。",
            "fact": "{s}的{m}就是{v}和{w}两样，{p}保管，在 {n} 号楼。",
        },
        "en": {
            "decision": "{s}, {m}: it was settled that we go with {v} and not with {w}.",
            "failure": "{s}, {m}: {v} broke down and took {w} with it, since there was no rehearsal. Next time rehearse {v}.",
            "procedure": "{s}, {m}: to get {v} going, first close {w}, second open {v}, third look at the result.",
            "preference": "{s}, {m}: my favourite is {v}; I dislike {w}.",
            "metric": "{s}, {m}: {v} costs {n} EUR on average, {w} costs {k} EUR.",
            "fact": "{s}, {m}: there are {v} and {w}, in building {n}, looked after by {p}.",
        },
    },
}
_ASK: Final[Mapping[Half, Mapping[str, Mapping[Kind, Sequence[str]]]]] = {
    "A": {
        "zh": {
            "decision": ("{s}的{m}最后决定用{v}还是{w}", "{s}的{m}我们选了什么"),
            "failure": ("{s}的{m}用{v}有什么教训", "{s}的{m}{v}哪里失败了"),
            "procedure": ("{s}的{m}怎么换成{v}", "{s}的{m}换{v}有哪些步骤"),
            "preference": ("{s}的{m}我喜欢{v}还是{w}", "{s}的{m}我偏好哪一种"),
            "metric": ("{s}的{m}{v}和{w}各要多少分钟", "{s}的{m}用{v}耗时多久"),
            "fact": ("{s}的{m}放在哪里", "{s}的{m}归谁管"),
        },
        "en": {
            "decision": (
                "did we decide on {v} or {w} for the {m} of the {s}",
                "what did we choose for the {m} of the {s}",
            ),
            "failure": ("what went wrong with {v} for the {m} of the {s}", "how did the {m} of the {s} fail with {v}"),
            "procedure": ("how do I change the {m} of the {s} to {v}", "steps to change the {m} of the {s} from {w}"),
            "preference": ("do I prefer {v} or {w} for the {m} of the {s}", "which {m} of the {s} do I like"),
            "metric": (
                "how many minutes does the {m} of the {s} take with {v}",
                "how long does the {m} of the {s} take",
            ),
            "fact": ("where is the {m} of the {s} kept", "who does the {m} of the {s} belong to"),
        },
    },
    "B": {
        "zh": {
            "decision": ("{s}的{m}是怎么拍板的，{v}还是{w}", "{s}的{m}定了哪一个"),
            "failure": ("{s}的{m}上{v}出过什么岔子", "{s}的{m}{v}为什么没成"),
            "procedure": ("{s}的{m}上{v}要按什么顺序来", "{s}的{m}如何启用{v}"),
            "preference": ("{s}的{m}，{v}和{w}我更中意哪个", "{s}的{m}我平时爱用什么"),
            "metric": ("{s}的{m}{v}要花多少钱", "{s}的{m}平均几块钱"),
            "fact": ("{s}的{m}由谁保管", "{s}的{m}在几号楼"),
        },
        "en": {
            "decision": (
                "what was settled about {v} and {w}, {m} of the {s}",
                "which {m} are we going with for the {s}",
            ),
            "failure": (
                "what broke when {v} became the {m} of the {s}",
                "what trouble did we have with {v}, {m} of the {s}",
            ),
            "procedure": (
                "what do I do first to get {v} going as {m} of the {s}",
                "instructions for {v} as {m} of the {s}",
            ),
            "preference": ("what is my taste in the {m} of the {s}, {v} or {w}", "which {m} of the {s} do I dislike"),
            "metric": ("what is the price of {v} as {m} of the {s}", "average cost of the {m} of the {s}"),
            "fact": ("in which building is the {m} of the {s}", "who looks after the {m} of the {s}"),
        },
    },
}


@dataclass(frozen=True, slots=True)
class Matter:
    """Six notes by kind, and one question for each."""

    half: Half
    notes: Mapping[str, str]
    paths: Mapping[Kind, str]
    asks: Mapping[Kind, str]


def matters(count: int = WHOLE) -> list[Matter]:
    """As many as give so many questions, six each; the same every time."""
    return [_matter(told) for told in subjects(count // len(KINDS))]


def _matter(told: Told) -> Matter:
    half, lang, turn = told.half, told.lang, told.number // 2
    side = 1 if lang == "en" else 0
    matter, one, other = _MATTERS[turn % len(_MATTERS)]
    fill = {
        "s": told.name,
        "m": matter[side],
        "v": one[side],
        "w": other[side],
        "p": ("何悦", "Greta")[side],
        "n": 12 + told.number,
        "k": 45 + told.number,
    }
    notes: dict[str, str] = {}
    paths: dict[Kind, str] = {}
    for place, kind in enumerate(KINDS):
        properties = {"date": f"2026-0{3 + (place + told.number) % 6}-1{place}"} | dict(_TYPES[half][kind])
        path = f"{slug(told.number, told.name)}/{(place * 5 + told.number) % 6 + 1}.md"
        notes[path] = note(f"# {told.name} {fill['m']}\n\n" + _SAID[half][lang][kind].format(**fill), **properties)
        paths[kind] = path
    asks = {kind: _ASK[half][lang][kind][turn // 3 % 2].format(**fill) for kind in KINDS}
    return Matter(half, notes, paths, asks)


def unrouted(settings: Settings) -> Settings:
    """Recall that draws nothing from the type a question seems to want."""
    plain = replace(settings.weights, type_boost=0.0, type_note=0.0, why_boost=0.0, failure_boost=0.0, told_boost=0.0)
    return replace(settings, weights=plain)


def run(stand: Stand, told: Sequence[Matter], arm: Arm) -> list[Figure]:
    """hit@1 of the memory of the wanted type with routing and without, and what routing loses of hit@10."""
    places: dict[str, dict[Half, list[int]]] = {}
    for name in ("routed", "unrouted"):
        ask = stand.asker(arm, unrouted if name == "unrouted" else lambda settings: settings, items=False)
        places[name] = {half: [] for half in HALVES}
        for matter in told:
            for kind, query in matter.asks.items():
                places[name][matter.half].append(ask(Asked(query, TODAY)).place(matter.paths[kind]))
    out = []
    for half in HALVES:
        routed, plain = places["routed"][half], places["unrouted"][half]
        lost = share([a >= 10 for a in routed]) - share([b >= 10 for b in plain])
        out += [
            Figure("hit@1, routed", half, share([p < 1 for p in routed]), len(routed), least=0.85),
            Figure("hit@1, unrouted", half, share([p < 1 for p in plain]), len(plain)),
            Figure("hit@10 lost by routing", half, lost, len(routed), most=0.0),
        ]
    return out
