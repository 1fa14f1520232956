"""Dialogues: who speaks, and what "I" means. Turns are paragraphs of the form **Name**: text ^id.

A turn's first person is the speaker, so "I went to Kyoto" becomes "Ann went to Kyoto". What an assistant says is not a
fact about anybody (formats.md: agent text is no evidence), so its turns yield nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ebbtide.memory.records import Note
from ebbtide.parse.text import is_cjk

_TURN = re.compile(r"\*\*([^*\n:：]{1,40})(?:\*\*\s?[:：]|[:：]\*\*)\s*")
_PLAIN_TURN = re.compile(r"([^\W\d_][^\n:：*\[\]`]{0,30})[:：]\s+")
_MACHINES: Final = frozenset(
    {
        "assistant",
        "ai",
        "chatgpt",
        "gpt",
        "gpt-4",
        "claude",
        "bot",
        "copilot",
        "gemini",
        "system",
        "model",
        "llm",
        "kimi",
    }
    | {"deepseek", "siri", "助手", "机器人", "ai助手", "人工智能", "系统", "豆包", "文心一言", "通义千问"}
)
_USERS: Final = frozenset({"user", "me", "i", "you", "human", "用户", "我"})


@dataclass(frozen=True, slots=True)
class Turn:
    """Who speaks (None: not a turn), whether it is a machine, and where the words begin."""

    speaker: str
    machine: bool
    start: int


def speakers_of(note: Note) -> frozenset[str]:
    """The names of those who speak in a note, empty if it is no dialogue.

    Bold words with a colon are also how people write labels: without a `speakers` property a note is a dialogue only
    if at least two names take turns, at least four in all.
    """
    listed = note.properties.get("speakers", note.properties.get("participants"))
    if isinstance(listed, list):
        return frozenset(str(name) for name in listed)
    names: list[str] = []
    for unit in note.units:
        if unit.kind == "paragraph":
            match = _TURN.match(note.text, unit.start, unit.end)
            if match:
                names.append(match[1].strip())
    distinct = frozenset(names)
    return distinct if len(distinct) >= 2 and len(names) >= 4 and len(names) >= 2 * len(distinct) else frozenset()


def turn_of(text: str, start: int, end: int, speakers: frozenset[str]) -> Turn | None:
    """The turn that begins at `start`, if it is one."""
    match = _TURN.match(text, start, end) or _PLAIN_TURN.match(text, start, end)
    if match is None or (speakers and match[1].strip() not in speakers):
        return None
    name = match[1].strip()
    return Turn(name, name.lower() in _MACHINES, match.end())


def is_user(speaker: str) -> bool:
    """Whether a speaker is the vault's owner rather than a named person."""
    return speaker.strip().lower() in _USERS


# --- the first person -----------------------------------------------------------------------------------------------

_ADVERB = (
    r"(?:(?:really|also|just|always|usually|still|never|often|definitely|even|actually|only|recently"
    r"|absolutely|totally"
    r"|sometimes|finally|truly|currently|already|especially|strongly|generally|mostly|particularly|personally|now) )*"
)
_I = re.compile(
    rf"\b(?P<i>I)(?P<cut>'m|'ve|'d|'ll)?(?![\w'])(?P<adv> {_ADVERB}| )?(?P<verb>[a-z]+(?:'t)?)?"
    rf"|\b(?P<poss>[Mm]y|[Mm]ine)\b|\b(?P<me>me|myself)\b"
)
_BASE_WORDS = (
    "like love hate enjoy prefer want need think feel hope know plan work live try use believe find see "
    "go come make take get keep look play write run teach study learn watch eat drink cook bake wish "
    "dream spend start remember understand mean wonder guess care help own dislike avoid refuse "
    "appreciate admire miss consider collect volunteer paint draw sing dance swim hike travel visit tend "
    "intend expect agree seem say tell ask give bring carry wear buy sell listen talk speak meet join "
    "attend struggle practice grow turn call manage value focus aim rely depend support follow share "
    "usually create build design train coach lead host stay walk ride drive sleep wake check relate "
    "identify picture see trust fear adore favor dread suffer aspire strive "
)
_BASE: Final = frozenset(_BASE_WORDS.split())
_THIRD: Final = {"am": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "can't": "can't"}
_LATER: Final = {"am": "are", "was": "were", "wasn't": "weren't"}


def in_third_person(text: str, speaker: str) -> tuple[str, bool]:
    """The text with the first person resolved to the speaker, and whether there was one."""
    if _SUBJECTLESS.match(text):  # "Had a great night out": spoken English leaves the I unsaid
        word, space, rest = text.partition(" ")
        text = f"I {_UNSAID.get(word, word.lower())}{space}{rest}"
    return _chinese(text, speaker) if _HAS_WO.search(text) else _english(text, speaker)


_UNSAID: Final = {"Been": "have been", "Gonna": "am gonna"}
_SUBJECTLESS = re.compile(
    r"(?:Had|Took|Went|Been(?! (?:an?|ages|too|so|forever|quite)\b)|Gonna|Got|Made|Saw|Met|Just (?=\w+(?:ed|t|n|w)\b)"
    r"|Finally (?=\w+(?:ed|t|n"
    r"|w)\b)|Bought|Spent|Came|Ended|Won|Ran|Found|Built|Wrote|Read|Started"
    r"|(?!Need|Indeed|Based|Inspired|Excited|Speed|Amazed|Red|Bed|Related"
    r"|Compared)[A-Z][a-z]{2,}ed)(?= (?!by|with my|up by|to be|is|was|are|were|it'?s))"
)
_HAS_WO = re.compile(r"我")
_CLAUSE_END = re.compile(r"[，,；;。]")
_WO = re.compile(r"(?<![^来出亲独各源]自)(?<!^自)我(?![们国方军校省市院司])")


def _chinese(text: str, speaker: str) -> tuple[str, bool]:
    named_at = -1

    def resolve(m: re.Match[str]) -> str:
        nonlocal named_at
        again = named_at >= 0 and not _CLAUSE_END.search(text, named_at, m.start())
        named_at = m.start()
        return "自己" if again else speaker

    out, count = _WO.subn(resolve, text)
    return out, count > 0


def _english(text: str, speaker: str) -> tuple[str, bool]:
    named = False

    def resolve(m: re.Match[str]) -> str:
        nonlocal named
        first, named = not named, True
        if m["i"]:
            return _subject(m, speaker) if first else _they(m)
        if m["poss"]:
            return f"{speaker}'s" if first else {"my": "their", "mine": "theirs"}[m["poss"].lower()]
        if first:
            return speaker
        return "them" if m["me"] == "me" else "themselves"

    out = _I.sub(resolve, text)
    return out, named


def _subject(m: re.Match[str], name: str) -> str:
    """I, I'm, I have ... as the first mention: Ann, Ann is, Ann has ..."""
    cut, adverb, verb = m["cut"], m["adv"] or "", m["verb"] or ""
    if cut:
        return (
            name
            + {"'m": " is", "'ve": " has", "'d": " would" if verb not in _HAD else " had", "'ll": " will"}[cut]
            + adverb
            + verb
        )
    if verb in _THIRD:
        return name + adverb + _THIRD[verb]
    if verb in _BASE:
        ending = "es" if verb.endswith(("s", "sh", "ch", "x", "go")) else "s"
        verb = verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + ending
    return name + adverb + verb


_HAD: Final = frozenset(
    {"been", "gone", "seen", "done", "had", "never", "always", "already", "just", "better", "taken"}
)


def _they(m: re.Match[str]) -> str:
    cut, adverb, verb = m["cut"], m["adv"] or "", m["verb"] or ""
    if cut:
        return "they" + {"'m": "'re"}.get(cut, cut) + adverb + verb
    return "they" + adverb + _LATER.get(verb, verb)


_OPENING = re.compile(
    r"(?:(?:hi|hey|hello|thanks|thank you|wow|cool|great|awesome|nice|ok|okay|yeah|yep|yup|yes|no|nope"
    r"|sure|sorry|congrats|oh|ah|aww|aw|hmm|well"
    r"|anyway|actually|btw|by the way|honestly|absolutely|definitely|exactly|totally|of course"
    r"|on another note|speaking of which|lol|haha)"
    r"(?: [A-Z][a-z]+)?(?:[,!]| [–-])\s+|(?:and|but|so|also|plus)(?:,| (?=(?:i|we|my|he|she|they"
    r"|it)\b))\s*|(?:[A-Z][a-z]+), (?=(?:i|my|we)\b))+",
    re.IGNORECASE,
)
_OPENING_ZH = re.compile(
    r"(?:(?:嗯+|哦|啊|是的|是啊|对的?|好的?|好啊|没错|其实|谢谢你?|当然|哈哈|确实|你好|嗨|不过|而且"
    r"|所以|另外|还有一个问题|此外|然后|最近嘛)[，,！!。、~ ]\s*|(?:其实|但是?|而且|不过|所以"
    r"|另外)(?=我))+"
)


def without_opening(text: str) -> str:
    """A spoken sentence without its "Yeah, " and "Hey Ann, "."""
    match = _OPENING.match(text) or _OPENING_ZH.match(text)
    rest = text[match.end() :] if match else text
    return rest[:1].upper() + rest[1:]


def says(text: str, speaker: str) -> str:
    """A statement with its speaker in front, for sentences without a first person."""
    colon = "：" if any(is_cjk(ch) for ch in text[:8]) else ": "
    return f"{speaker}{colon}{text}"
