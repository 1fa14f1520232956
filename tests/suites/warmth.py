"""Temperature: histories of use, edits, age, freezing and pinning, and what a question must then find.

Kinds: `frozen` (frozen by the user, then thawed), `archived` (a project that was put away, then named), `warm` (two notes of
the same words, one in use), `pinned` (likewise, one pinned), `central` (an old decision that answers exactly, among fresh
and busy trifles about the same matter).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Literal

from ebbtide.memory.heat import Event

from .running import Arm, Asked, Figure, Stand, share
from .words import HALVES, Half, Told, note, slug, subjects

TODAY: Final = "2026-11-30"
WHOLE: Final = 30
Kind = Literal["frozen", "warm", "central", "archived", "pinned"]
KINDS: Final[tuple[Kind, ...]] = ("central", "frozen", "warm", "central", "archived", "pinned")

_DECISIONS: Final[Mapping[Half, Mapping[str, Sequence[tuple[str, str, str]]]]] = {
    "A": {
        "zh": (
            ("{s}的主密钥", "{s}的主密钥由两个人分持，少一个都开不了。", "{s}的密钥归谁拿着"),
            ("{s}的退出条件", "{s}连亏三个季度就收掉，不再投钱。", "{s}亏到什么地步就不做了"),
            ("{s}的命名", "{s}里所有名字一律小写加短横。", "{s}里起名有什么规矩"),
        ),
        "en": (
            (
                "Keys of the {s}",
                "The master key of the {s} is shared by two people, and neither can open it alone.",
                "who holds the master key of the {s}",
            ),
            (
                "End of the {s}",
                "After three losing quarters the {s} is closed, and no more money goes in.",
                "when would we close the {s}",
            ),
            (
                "Names in the {s}",
                "All names in the {s} are in lower case with hyphens.",
                "what is the rule for naming things in the {s}",
            ),
        ),
    },
    "B": {
        "zh": (
            ("{s}的对外口径", "{s}对外只由一个人说话，别人一律转给他。", "{s}有人来打听该由谁回答"),
            ("{s}的留存期", "{s}的记录满两年就删，不留副本。", "{s}的记录要存多长时间"),
            ("{s}的验收", "{s}没有签过字的清单就不算完。", "{s}怎样才算验收了"),
        ),
        "en": (
            (
                "Voice of the {s}",
                "Only one person speaks for the {s}; all others pass questions on.",
                "who answers when outsiders ask about the {s}",
            ),
            (
                "Records of the {s}",
                "Records of the {s} are erased after two years, copies included.",
                "how many years are records of the {s} kept",
            ),
            (
                "Acceptance of the {s}",
                "Without a signed list the {s} does not count as accepted.",
                "what does it take for the {s} to be accepted",
            ),
        ),
    },
}
_TRIFLES: Final[Mapping[Half, Mapping[str, Sequence[str]]]] = {
    "A": {
        "zh": (
            "{s}的贴纸印好了。",
            "今天又聊到{s}，没什么新的。",
            "{s}的会改到下午。",
            "{s}的文件夹理了一遍。",
            "给{s}买了咖啡豆。",
            "{s}的密码提示贴在桌上了吗？问一下。",
        ),
        "en": (
            "Stickers for the {s} have been printed.",
            "Talked about the {s} again, nothing new.",
            "The {s} call moves to the afternoon.",
            "Tidied the {s} folder.",
            "Bought coffee for the {s} people.",
            "Who holds the door for the {s} visitors? Ask.",
        ),
    },
    "B": {
        "zh": (
            "{s}的海报换了颜色。",
            "有人路过问起{s}。",
            "{s}的周会取消一次。",
            "{s}的群改了名字。",
            "{s}聚餐定在周五。",
            "{s}的记录本买了两本。",
        ),
        "en": (
            "The poster of the {s} has another colour.",
            "Somebody passing by asked about the {s}.",
            "No weekly meeting of the {s} this time.",
            "The chat of the {s} has a new name.",
            "Dinner of the {s} on Friday.",
            "Two notebooks for records of the {s}.",
        ),
    },
}
_PAIRS: Final[Mapping[Half, Mapping[str, Sequence[tuple[str, str]]]]] = {
    "A": {
        "zh": (("{s}的检查要看灯、看水、看门。", "{s}检查什么"), ("{s}每周一早上清点一次。", "{s}多久清点一次")),
        "en": (
            ("The check of the {s} covers lights, water and doors.", "what does the check of the {s} cover"),
            ("The {s} is counted every Monday.", "how often is the {s} counted"),
        ),
    },
    "B": {
        "zh": (("{s}的钥匙挂在门后第二个钩子上。", "{s}的钥匙在哪"), ("{s}的表格按地区分三栏。", "{s}的表格怎么分栏")),
        "en": (
            ("The key of the {s} hangs on the second hook.", "where is the key of the {s}"),
            ("The sheet of the {s} has three columns, one a region.", "how is the sheet of the {s} divided"),
        ),
    },
}


_PROJECTS: Final[Mapping[Half, Sequence[str]]] = {
    "A": ("Heron", "Kestrel", "白鹭"),
    "B": ("Larkspur", "蒲公英", "Juniper"),
}
"""Names of projects that were put away; no question but one names them."""


@dataclass(frozen=True, slots=True)
class History:
    """Notes, what a person did with them, and the question. `right` is what must come first or at all; `rival` the other."""

    half: Half
    kind: Kind
    notes: Mapping[str, str]
    right: str
    rival: str
    query: str
    named: str = ""
    uses: Mapping[str, Sequence[Event]] = field(default_factory=dict)
    asks: Sequence[tuple[str, str]] = ()
    """(question, note that answers it) where there are several."""


def histories(count: int = WHOLE) -> list[History]:
    """So many histories, the same every time."""
    chance = random.Random(37)
    return [_history(told, chance) for told in subjects(count)]


def _day(back: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=back)).isoformat()


def _history(told: Told, chance: random.Random) -> History:
    half, lang, turn = told.half, told.lang, told.number // 2
    kind, folder = KINDS[(turn + turn // 3) % len(KINDS)], slug(told.number, told.name)
    if kind == "central":
        return _central(told, folder, chance)
    text, query = (part.format(s=told.name) for part in _PAIRS[half][lang][turn % 2])
    one, other = (f"{folder}/{name}.md" for name in (("1", "2") if turn % 2 else ("2", "1")))
    old = _day(chance.randrange(150, 400))
    body = f"# {told.name}\n\n{text}"
    if kind == "archived":
        one = f"Archive/{_PROJECTS[half][turn % 3]}/{told.number}.md"
    notes = {one: note(body, date=old), other: note(body, date=old)}
    if kind == "warm":
        events = [
            Event(_day(back), "edited" if turn % 4 == 2 and back % 2 else "used")
            for back in sorted(chance.sample(range(1, 20), 8))
        ]
        return History(half, kind, notes, one, other, query, uses={one: events})
    if kind == "pinned":
        return History(half, kind, notes, one, other, query)
    named = f"{query}, {_PROJECTS[half][turn % 3]}"
    return History(half, kind, notes, other, one, query, named)


def _central(told: Told, folder: str, chance: random.Random) -> History:
    """Three old decisions about a subject, and what was said about it in passing these days: two of it with links to them."""
    half, lang = told.half, told.lang
    notes: dict[str, str] = {}
    asks: list[tuple[str, str]] = []
    titles: list[str] = []
    for decision in _DECISIONS[half][lang]:
        title, text, query = (part.format(s=told.name) for part in decision)
        path = f"{folder}/{title}.md"
        notes[path] = note(f"# {title}\n\n{text}", type="decision", date=_day(chance.randrange(380, 900)))
        asks.append((query, path))
        titles.append(title)
    uses: dict[str, list[Event]] = {}
    for place, trifle in enumerate(_TRIFLES[half][lang]):
        path = f"{folder}/{place}.md"
        link = f" [[{titles[place]}]]" if place < 2 else ""
        notes[path] = note(f"# {told.name}\n\n{trifle.format(s=told.name)}{link}", date=_day(chance.randrange(1, 6)))
        uses[path] = [Event(_day(back)) for back in range(1, chance.randrange(4, 15))]
    return History(half, "central", notes, asks[0][1], "", asks[0][0], uses=uses, asks=tuple(asks))


def run(stand: Stand, told: Sequence[History], arm: Arm) -> list[Figure]:
    """What is frozen or put away never leaks, and is back when it is asked for; warm before cool; the old decision is found."""
    ask = stand.asker(arm)
    seen: dict[tuple[str, Half], list[bool]] = {}

    def add(name: str, history: History, value: bool) -> None:
        seen.setdefault((name, history.half), []).append(value)

    ids = {path: file.id for path in _paths(told) if (file := stand.runtime.catalog.file(path)) is not None}
    pins: list[str] = []
    for history in told:
        if history.kind == "frozen":
            stand.service.act(ids[history.rival], "freeze")
        elif history.kind == "pinned":
            stand.service.act(ids[history.right], "pin")
            pins += [revision["id"] for revision in stand.runtime.catalog.latest_revisions(1)]
    for history in told:
        answer = ask(Asked(history.query, TODAY, history.uses))
        shown = [path for path, _ in answer.offered]
        if history.kind in ("frozen", "archived"):
            add("leaks", history, history.rival in shown or not answer.ahead(history.right, history.rival))
        if history.kind == "archived":
            named = ask(Asked(history.named, TODAY, history.uses))
            add("found when asked for", history, history.rival in [path for path, _ in named.offered])
            continue
        if history.kind == "frozen":
            back = ask(Asked(history.query, TODAY, history.uses, ("frozen",)))
            add("found when asked for", history, history.rival in [path for path, _ in back.offered])
            continue
        if history.kind == "central":
            for query, right in history.asks:
                place = ask(Asked(query, TODAY, history.uses)).place(right)
                add("central", history, place < 3)
                add("central first", history, place < 1)
            continue
        add("warm", history, answer.ahead(history.right, history.rival))
    for history in told:
        if history.kind == "frozen":
            stand.service.act(ids[history.rival], "thaw")
            answer = ask(Asked(history.query, TODAY))
            add("found when asked for", history, history.rival in [path for path, _ in answer.offered])
    for revision in pins:
        stand.service.undo(revision)
    out = []
    for half in HALVES:
        for name, label, least, most in (
            ("leaks", "frozen and put away: leaks", None, 0.0),
            ("found when asked for", "thawed or asked for: found", 0.9, None),
            ("warm", "in use or pinned before cool", 0.95, None),
            ("central", "old central decision, hit@3", 0.9, None),
            ("central first", "old central decision, hit@1", None, None),
        ):
            values = seen.get((name, half), [])
            if values:
                out.append(Figure(label, half, share(values), len(values), least, most))
    return out


def _paths(told: Sequence[History]) -> list[str]:
    return [path for history in told for path in history.notes]
