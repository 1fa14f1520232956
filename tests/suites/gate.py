"""The frame gate: notes that tell of the past and were used often, beside what holds now; and controls that must keep their reward.

Measured as `exam gate` does: arms `none` (uses ignored), `use` (no gate), `gate`; the right note against its rival, for
questions about now and about the past.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final, Literal

from ebbtide.memory.heat import Event
from ebbtide.recall.engine import Settings

from .running import Arm, Asked, Figure, Stand, share
from .words import HALVES, Half, Told, note, slug, subjects

TODAY: Final = "2026-11-30"
WHOLE: Final = 120
Use = Literal["none", "use", "gate"]
USES: Final[tuple[Use, ...]] = ("none", "use", "gate")

_ASPECTS: Final = [
    # (zh, en), old (zh, en), now (zh, en)
    (
        ("部署", "deployment"),
        ("手工打包传 FTP", "zip files copied to FTP by hand"),
        ("流水线自动发布", "a pipeline that releases by itself"),
    ),
    (
        ("备份", "backup"),
        ("每月刻一张光盘", "one DVD burnt a month"),
        ("每晚写到异地机房", "a nightly copy to another site"),
    ),
    (
        ("日志", "logging"),
        ("写在本机文件里", "files on each machine"),
        ("集中送到一处检索", "one searchable place for all"),
    ),
    (("值班", "on-call duty"), ("小林一个人", "one person all year"), ("四人每周轮换", "four people in weekly turns")),
    (("审批", "approval"), ("纸质签字", "a signature on paper"), ("线上一键确认", "one click online")),
    (("预算", "budget"), ("季度统一申请", "one request a quarter"), ("按月滚动核定", "a rolling monthly figure")),
]
_OLD: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": (
            "以前{s}的{a}靠{o}。{p}那时每周要花半天在这上面。",
            "{s}早期的{a}是{o}，当时大家都觉得够用。",
            "曾经{s}的{a}用的是{o}，由{p}负责。",
            "当时{s}的{a}方式：{o}。出错要到第二天才知道。",
        ),
        "en": (
            "The {a} of the {s} used to be {o}. {p} spent half a day a week on it.",
            "Back then the {a} of the {s} was {o}, and everybody thought it was enough.",
            "Formerly the {s} had {o} as its {a}, with {p} in charge.",
            "In the early days {a} of the {s} meant {o}. Errors were noticed a day late.",
        ),
    },
    "B": {
        "zh": (
            "从前{s}的{a}一直是{o}，{p}管了两年。",
            "{s}的{a}旧方案：{o}。已废弃。",
            "那时候{s}的{a}都是{o}，没有人觉得慢。",
            "过去{s}的{a}采用{o}，这套旧流程已经被取代。",
        ),
        "en": (
            "In the past the {a} of the {s} was {o}; {p} looked after it for two years.",
            "The old way of {a} for the {s}: {o}. It is deprecated.",
            "At that time the {s} relied on {o} for {a}, and nobody found it slow.",
            "The {s} previously had {o} for {a}. That scheme was later replaced.",
        ),
    },
}
_NOW: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": ("现在{s}的{a}是{n}，{p}看结果。", "{s}的{a}目前采用{n}。", "{s}的{a}：{n}。有问题找{p}。"),
        "en": (
            "The {a} of the {s} is now {n}; {p} looks at the result.",
            "Currently {a} of the {s} is {n}.",
            "{a} of the {s}: {n}. Ask {p}.",
        ),
    },
    "B": {
        "zh": ("如今{s}的{a}换成了{n}。", "{s}的{a}已经改成{n}了，由{p}维护。", "{s}这边{a}按{n}来做。"),
        "en": (
            "The {s} has {n} for its {a} these days.",
            "{a} of the {s} was changed to {n}, kept up by {p}.",
            "For the {s}, {a} goes by {n}.",
        ),
    },
}
_RULE: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": (
            "{s}的{a}必须走{n}，不要再用已废弃的{o}。",
            "{s}上线之前，{a}都要先过{n}这一关。",
            "{s}的{a}没有废弃{n}，照常使用。",
            "{s}的{a}已经是{n}了，不再靠{o}。",
        ),
        "en": (
            "The {a} of the {s} must be {n}; never go back to the deprecated {o}.",
            "Before a release of the {s}, its {a} has to go through {n}.",
            "{n} is not deprecated: it stays the {a} of the {s}.",
            "The {s} no longer has {o} as its {a}; it is {n}.",
        ),
    },
    "B": {
        "zh": (
            "{s}做{a}请用{n}，旧版的{o}禁止再碰。",
            "{s}合并之前，{a}由{n}检查一遍。",
            "{s}的{a}并没有弃用{n}，依旧有效。",
            "后来{s}的{a}从{o}改成{n}，{p}在维护。",
        ),
        "en": (
            "Please do the {a} of the {s} by {n}, and avoid the legacy {o}.",
            "Prior to any change of the {s}, {n} takes care of {a}.",
            "{n} was never discontinued as the {a} of the {s} and still holds.",
            "The {a} of the {s} moved from {o} to {n}, and {p} keeps it.",
        ),
    },
}
_RIVAL: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": (
            "{s}的{a}会上谈了一次，{p}记了{o}和{n}两种说法，没有结论。",
            "关于{s}的{a}，{p}收到一封来信，问怎么做、由谁做。",
        ),
        "en": (
            "A meeting talked about {a} of the {s}; {p} noted both {o} and {n}, without a result.",
            "A letter to {p} asks how {a} of the {s} is done and by whom.",
        ),
    },
    "B": {
        "zh": ("{p}整理了{s}的{a}提问：怎么做，谁来做，{o}还是{n}。", "{s}的{a}，{p}列了一份要问的问题。"),
        "en": (
            "{p} collected questions on {a} of the {s}: how, by whom, {o} or {n}.",
            "On {a} of the {s}, {p} keeps a list of things to ask.",
        ),
    },
}
_ASK_NOW: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": ("{s}的{a}是怎么做的，靠{o}吗", "{s}的{a}用什么方式，谁负责"),
        "en": ("how is {a} of the {s} done, is it {o}", "what is the {a} of the {s} and who is in charge"),
    },
    "B": {
        "zh": ("{s}做{a}的方式是{o}还是别的", "{s}怎么处理{a}"),
        "en": ("does the {s} have {o} for {a}, or what", "how does the {s} handle {a}"),
    },
}
_ASK_THEN: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": ("以前{s}的{a}是怎么做的", "当初{s}的{a}用的是什么"),
        "en": ("how was {a} of the {s} done back then", "what did the {s} use to have for {a}"),
    },
    "B": {
        "zh": ("{s}最早的{a}是什么方式", "过去{s}怎么做{a}"),
        "en": ("what was the {a} of the {s} originally", "how did the {s} handle {a} in the past"),
    },
}


@dataclass(frozen=True, slots=True)
class Episode:
    """One story: its notes, which of them was used when, and (when, question, right note, rival) of what is asked."""

    id: str
    half: Half
    kind: str
    notes: Mapping[str, str]
    used: str
    uses: tuple[Event, ...]
    asked: tuple[tuple[str, str, str, str], ...] = field(default_factory=tuple)


def episodes(count: int = WHOLE) -> list[Episode]:
    """So many episodes and controls, the same every time."""
    chance = random.Random(11)
    return [_episode(told, chance) for told in subjects(count)]


def _episode(told: Told, chance: random.Random) -> Episode:
    half, lang, number = told.half, told.lang, told.number
    kind = ("old", "old", "old", "rule", "old", "structure", "old", "rule", "old", "plain")[number // 2 % 10]
    aspect, old, now = _ASPECTS[(number // 2 + number // 40) % len(_ASPECTS)]
    side = 1 if lang == "en" else 0
    fill = {"s": told.name, "a": aspect[side], "o": old[side], "n": now[side], "p": told.pick(PEOPLE_OF[half])}

    def say(table: Mapping[Half, Mapping[str, Sequence[str]]], shift: int = 0) -> str:
        texts = table[half][lang]
        return texts[(number // 6 + shift) % len(texts)].format(**fill)

    day = date(2026, 6, 1) + timedelta(days=chance.randrange(90))
    folder = slug(number, told.name)
    one, two = f"{folder}/{fill['a']} 1.md", f"{folder}/{fill['a']} 2.md"
    title = f"# {told.name} {fill['a']}\n\n"
    first, second = day.isoformat(), (day + timedelta(days=chance.randrange(5, 25))).isoformat()
    uses = tuple(
        Event((date.fromisoformat(TODAY) - timedelta(days=chance.randrange(3, 9) + back)).isoformat())
        for back in range(chance.randrange(8, 20))
    )
    ask_now, ask_then = say(_ASK_NOW), say(_ASK_THEN)
    if kind in ("rule", "plain"):
        text = say(_RULE) if kind == "rule" else say(_NOW, 2)
        notes = {one: note(title + text, date=first), two: note(title + say(_RIVAL), date=second)}
        return Episode(f"{number:03}", half, kind, notes, one, uses, (("present", ask_now, one, two),))
    said: dict[str, str] = {"date": first}
    text = say(_OLD)
    if kind == "structure":
        said |= told.pick_structure()
        text = ("{s}的{a}：{o}。" if lang == "zh" else "{s} {a}: {o}.").format(**fill)
    notes = {one: note(title + text, **said), two: note(title + say(_NOW), date=second)}
    asked = (("present", ask_now, two, one), ("past", ask_then, one, two))
    return Episode(f"{number:03}", half, kind, notes, one, uses, asked)


PEOPLE_OF: Final[Mapping[Half, Sequence[tuple[str, str]]]] = {
    "A": (("陈牧", "Dana"), ("苏禾", "Milo"), ("林岚", "Priya")),
    "B": (("周远", "Tomas"), ("何悦", "Greta"), ("顾川", "Ines")),
}


def _with(use: Use, settings: Settings) -> Settings:
    heat = replace(settings.scoring.heat, gate=use != "use")
    return replace(settings, scoring=replace(settings.scoring, heat=heat))


def run(stand: Stand, told: Sequence[Episode], arm: Arm) -> list[Figure]:
    """The right note ahead by use and time, then what the gate must keep."""
    won: dict[tuple[Half, Use, str, bool], list[bool]] = {}
    for use in USES:
        ask = stand.asker(arm, lambda settings, use=use: _with(use, settings), items=False)  # type: ignore[misc]
        for episode in told:
            uses = {} if use == "none" else {episode.used: episode.uses}
            for when, query, right, rival in episode.asked:
                answer = ask(Asked(query, TODAY, uses))
                key = (episode.half, use, when, right == episode.used)
                won.setdefault(key, []).append(answer.ahead(right, rival))
    return [figure for half in HALVES for figure in _figures(half, won)]


def _figures(half: Half, won: Mapping[tuple[Half, Use, str, bool], list[bool]]) -> list[Figure]:
    def rate(use: Use, when: str, reinforced: bool | None = None) -> tuple[float, int]:
        sides = (True, False) if reinforced is None else (reinforced,)
        hits = [hit for side in sides for hit in won.get((half, use, when, side), [])]
        return share(hits), len(hits)

    out = [
        Figure(f"{when}: right note ahead, {use}", half, *rate(use, when))
        for when in ("present", "past")
        for use in USES
    ]
    right = {use: [h for w in ("present", "past") for h in won.get((half, use, w, True), [])] for use in USES}
    outranked = {use: 1.0 - rate(use, "present", False)[0] for use in USES}
    gain = share(right["use"]) - share(right["none"])
    count = rate("gate", "present", False)[1]
    kept = (share(right["gate"]) - share(right["none"])) / gain if gain > 0 else 0.0
    out = [replace(f, least=0.9) if f.name == "past: right note ahead, gate" else f for f in out]
    return [
        *out,
        Figure("outranked without uses", half, outranked["none"], count),
        Figure("outranked with uses, no gate", half, outranked["use"], count),
        Figure("outranked with the gate", half, outranked["gate"], count, most=outranked["none"]),
        Figure("gain of uses, right note", half, gain, len(right["use"]), least=0.05),
        Figure("share of the gain kept by the gate", half, kept, len(right["use"]), least=0.9),
    ]
