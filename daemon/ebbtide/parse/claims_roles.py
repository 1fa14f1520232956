"""Who or what a sentence gives an office or a deed to that only one can have: director, winner, capital, chief executive.

The nearest proper name on the side where the language puts it: 由X执导, X导演, "directed by X", "X won", "CEO X", "X is the CEO".
"""

from __future__ import annotations

import re
from typing import Final

from ebbtide.memory.conflict_claim import Quantity, Token
from ebbtide.parse.claims_words import words_in

_ROLES: Final = {
    "director": r"导演|执导|\bdirector\b|\bdirected by\b|\bdirected\b",
    "writer": r"编剧|作者|著(?=[,，。的]|\Z)|所著|\bauthor\b|\bwritten by\b|\bwrote\b|\bscreenwriter\b",
    "star": r"主演|饰演|扮演|领衔|\bstarr?ing\b|\bstars?\b(?= [a-z])|\bplayed by\b",
    "head": r"首席执行官|总裁|董事长|\bceo\b|\bchief executive\b|\bpresident of\b|\bchair(?:man|woman|person)?\b",
    "state": (
        r"总统|总理|首相|主席|国王|\bpresident\b|\bprime minister\b|\bpremier\b|\bking\b|\bgovernor\b"
        r"|\bmayor\b|市长|州长|省长"
    ),
    "winner": (
        r"冠军|夺冠|夺得|捧起|摘得|获得|荣获|获奖|得主|\bwon\b|\bwins\b|\bwinner\b|\bchampions?\b"
        r"|\bawarded to\b|\bwinning\b"
    ),
    "host": r"主办|举办|举行|承办|东道主|\bhosted?\b|\bheld in\b|\bhosts\b|\btakes? place in\b",
    "capital": r"首都|首府|\bcapital\b",
    "founder": r"创始人|创办|创立|\bfounded by\b|\bfounder\b|\bco-founder\b",
    "maker": (
        r"开发商|开发(?=的)|研发|推出|发行|制造|生产商|\bdeveloped by\b|\bpublished by\b"
        r"|\bmanufactured by\b|\bmade by\b|\bdeveloper\b|\bpublisher\b"
    ),
    "singer": r"演唱|主唱|歌手|\bsung by\b|\bsinger\b|\bperformed by\b",
    "coach": r"主教练|教练|\bcoach\b|\bmanager\b",
    "owner": (
        r"负责人|对接人|维护者|负责(?!任)|\bowner\b|\bowned by\b|\bmaintained by\b|\bin charge\b"
        r"|\bresponsible for\b"
    ),
    "spouse": r"妻子|丈夫|结婚|\bwife\b|\bhusband\b|\bmarried\b",
    "place": r"位于|坐落|出生于|出生在|\blocated in\b|\bborn in\b|\bheadquartered in\b|\bbased in\b",
}
_DUELS: Final = re.compile(
    r"击败|战胜|打败|胜过|收购|\bbeats?\b|\bdefeat(?:s|ed)\b|\bacquire[sd]?\b|\bbought\b|\binvented\b"
    r"|\bdiscovered\b|发明了?|发现了"
)
"""Deeds with two sides: who is named before the word did it to whom is named after it."""
_DATED: Final = {
    name: re.compile(pattern)
    for name, pattern in {
        "release": (
            r"发布|上映|发售|上线|首播|定档|开播|\breleased?\b|\bpremiered?\b|\blaunch(?:es|ed)?\b|\bdebut(?:s"
            r"|ed)?\b|\bpublished\b"
        ),
        "birth": r"出生|生于|\bborn\b",
        "death": r"逝世|去世|\bdied\b",
        "founding": r"成立|创立|创办|\bfounded\b|\bestablished\b",
        "opening": r"开幕|举行|举办|开始|\bopens?\b|\bheld\b|\bstarts?\b|\bstarted\b|\bbegins?\b|\bbegan\b",
        "end": r"结束|闭幕|截止|\bends?\b|\bended\b|\bdeadline\b|\bdue\b|\bexpires?\b",
        "departure": r"发射|起飞|出发|\btook off\b|\bdeparts?\b|\blift(?:s|ed)? off\b",
        "event": r"爆发|发生|\boccurred\b|\bhappened\b|\bsigned\b|签署|签订",
        "joining": r"加入|成为|入职|\bjoined\b|\bbecame\b",
    }.items()
}
DATE_REACH: Final = 18
"""Characters between what happens and its date."""
ROLES: Final = {name: re.compile(pattern) for name, pattern in _ROLES.items()}
REACH: Final = 8
"""Characters between a role word and the name it is given to."""
_TITLE = re.compile(r"《([^》]{1,40})》|[“\"]([^”\"]{2,40})[”\"]|'([^']{2,40})'(?=\W)")
_COMMON: Final = words_in(
    "jan feb mar apr may jun jul aug sep oct nov dec monday tuesday wednesday thursday friday saturday sunday the"
)


def roles_of(text: str, folded: str, tokens: tuple[Token, ...]) -> dict[str, frozenset[str]]:
    """Each role a text speaks of, with the names beside its words."""
    spans = _names(text, tokens)
    if not spans:
        return {}
    out: dict[str, set[str]] = {}
    for role, cue in ROLES.items():
        for m in cue.finditer(folded):
            near = [
                (min(abs(s - m.end()), abs(m.start() - e)), folded[s:e])
                for s, e in spans
                if (0 <= s - m.end() <= REACH or 0 <= m.start() - e <= REACH) and not cue.search(folded[s:e])
            ]
            if near:
                out.setdefault(role, set()).add(min(near)[1])
    for m in _DUELS.finditer(folded):
        before = [(m.start() - e, folded[s:e]) for s, e in spans if 0 <= m.start() - e <= 2]
        after = [(s - m.end(), folded[s:e]) for s, e in spans if 0 <= s - m.end() <= 3]
        for side, near in (("<", before), (">", after)):
            if near:
                out.setdefault(f"{m.group()[:5]}{side}", set()).add(min(near)[1])
    return {role: frozenset(names) for role, names in out.items()}


def dated(folded: str, tokens: tuple[Token, ...]) -> dict[str, tuple[Quantity, ...]]:
    """When a text says that something happened once: birth, release, opening, each with the nearest date."""
    days = [t for t in tokens if t.value is not None and t.value.parts is not None]
    if not days:
        return {}
    out: dict[str, tuple[Quantity, ...]] = {}
    for event, cue in _DATED.items():
        for m in cue.finditer(folded):
            near = [(max(t.start - m.end(), m.start() - t.end), t.start, t.value) for t in days]
            near = [entry for entry in near if entry[0] <= DATE_REACH]
            if near:
                value = min(near, key=lambda entry: entry[:2])[2]
                if value is not None:
                    out[event] = (*out.get(event, ()), value)
    return out


def _names(text: str, tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
    """The spans of proper names: Latin words that follow each other are one, and so are names joined by a dot."""
    spans: list[tuple[int, int]] = []
    last: Token | None = None
    for token in tokens:
        if not token.name or token.text in _COMMON:
            last = None
            continue
        joined = (
            last is not None
            and text[last.end : token.start].strip("·•・ .-") == ""
            and (token.word == last.word or token.start - last.end <= 2)
        )
        if joined and spans:
            spans[-1] = (spans[-1][0], token.end)
        else:
            spans.append((token.start, token.end))
        last = token
    return [span for span in spans if span[1] - span[0] > 1]


def names_of(text: str, tokens: tuple[Token, ...]) -> frozenset[str]:
    """What ties a sentence to its topic: proper names, titles in quotation marks, years."""
    out = {text[s:e].casefold() for s, e in _names(text, tokens)}
    out |= {next(g for g in m.groups() if g).casefold() for m in _TITLE.finditer(text)}
    out |= {t.text for t in tokens if t.value is not None and t.value.parts is not None and t.value.parts[0]}
    return frozenset(out)
