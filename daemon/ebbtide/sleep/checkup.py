"""The check-up re-read: what in a memory has run out, or does not say enough to be kept as it stands. Pure.

It finds and asks; it never changes a word. Each finding is about just these words: once a person has answered, it comes back only
when they change.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from ebbtide.memory.revisions import Revision, effective
from ebbtide.memory.states import Lang
from ebbtide.memory.worth import VAGUE, misshapen
from ebbtide.parse.dates import find_dates, last_day
from ebbtide.parse.frames import frame
from ebbtide.parse.text import fold

CODES: Final[Mapping[str, Mapping[Lang, str]]] = {
    "ran-out": {"en": "what it says held until {day}", "zh": "按它所说，只到 {day} 为止"},
    "review": {"en": "it was to be looked at again on {day}", "zh": "原定 {day} 重新查看"},
    "newer": {"en": "{note}, of {day}, says otherwise", "zh": "{day} 的 {note} 说法不同"},
    "pronoun": {
        "en": "it begins with “{word}”, and nothing says what that is",
        "zh": "开头的“{word}”没有说明指的是什么",
    },
    "subject": {"en": "it does not say of what it speaks", "zh": "没有说明说的是什么"},
    "now": {
        "en": "it says “{word}” of {day}, and no date tells when that was",
        "zh": "“{word}”是 {day} 说的，句中没有写明日期",
    },
    "working": {
        "en": "a working note of yours that nobody has touched since {day}",
        "zh": "你写的工作笔记，自 {day} 起没有动过",
    },
    "working-unsure": {
        "en": "a working note that nobody has touched since {day}; it may hold words of yours",
        "zh": "工作笔记，自 {day} 起没有动过，其中可能有你写的话",
    },
    "working-gone": {
        "en": "a working note that nobody has touched since {day}, and that tells of no end",
        "zh": "工作笔记，自 {day} 起没有动过，也没有写明结果",
    },
    "working-episode": {
        "en": "a working note that nobody has touched since {day}: what it tells is kept as an episode",
        "zh": "工作笔记，自 {day} 起没有动过：其中的经过已记为情景",
    },
    "working-written": {
        "en": "the working note tells how it ended: {result}",
        "zh": "这篇工作笔记写明了结果：{result}",
    },
    "agent": {"en": "its note was written by a machine", "zh": "出自机器写的笔记"},
    "clipping": {"en": "its note was clipped from the web", "zh": "出自网页剪藏"},
    "copy": {"en": "its note is a conflict copy", "zh": "出自同步冲突副本"},
    "agent-core": {
        "en": "a core memory that a machine wrote, and no person",
        "zh": "由机器写成的核心记忆，没有人写过",
    },
}
"""Why something is asked about, or set aside: by the code that its revision keeps under `check`."""
ORDER: Final = ("ran-out", "review", "newer", "pronoun", "subject", "now")
"""Findings by how pressing they are: a memory is asked about for its first one."""
ROLLING_HASH: Final = 8

_UNTIL_BEFORE: Final = re.compile(
    r"(?:\b(?:until|till|valid (?:until|through|to)|expires?(?: on)?|ends?(?: on)?|through|no later than)(?: the)?"
    r"|有效期[至到]|截[至止]到?|直到|到期日?[:： ]*(?:是|为)?|期限(?:是|为|到|至)?)\s*$"
)
_UNTIL_AFTER: Final = re.compile(r"^\s*(?:为止|[之以]?前(?:都)?有效|到期|截止|止(?!损))")
_NOW_EN: Final = re.compile(
    r"\b(?<!from )(?<!until )(?<!till )(?<!by )(?<!every )"
    r"(?:now(?! that\b| and (?:then|again)\b|here\b)|currently|at present|at the moment|these days|nowadays)\b"
)
_NOW_ZH: Final = re.compile(r"(?<![从到自])(?:现在(?!起|开始|进行时)|目前|当前(?!页|行|目录|用户|值)|眼下|现阶段|如今)")
_PRONOUN: Final = re.compile(
    r"^\W*(?P<word>it|this|that|these|those|they|he|she|him|her|the former|the latter"
    r"|[它他她]们?|这[个些]?|那[个些]?|其|此|前者|后者|两者)",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(r"\W*(?:it|this|that|these|those)\b", re.IGNORECASE)
_HIS: Final = re.compile(r"^\W*[他她](?:们)?(?!国|乡|日|人|山)")
_NO_SUBJECT: Final = re.compile(
    r"^\W*(?:(?:was|were|is|are|has been|had been|became|seems?|turns? out|turned out|worked|made|helped|meant|means)\s"
    r"|(?:and|but|so|then|also|because|which|therefore|otherwise)\b[ ,]"
    r"|(?:而且|并且|但是?|所以|因此|于是|然后|不过|否则|也就是说?|是因为|导致|使得|变得|说明了?|意味着))",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(r"[?？]\s*$")


@dataclass(frozen=True, slots=True)
class Read:
    """A memory as it is re-read: `text` is what it claims, `said` the day it was last said or checked (ISO, "" unknown), `born` the day
    it was first said.

    `dated`: the note is one of that day (a journal, a conversation). `about` is what it is known to speak of beside its own words (a
    fact's subject, a title that is none of them). `ends` and `review` are dates that it states for itself.
    """

    id: str
    text: str
    note: str
    line: int
    quote: str
    lang: Lang
    said: str = ""
    born: str = ""
    dated: bool = False
    about: str | None = None
    ends: str | None = None
    review: str | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a memory: a code of CODES, its blanks, and the hash of all that it rests on."""

    code: str
    of: str
    said: Mapping[str, str] = field(default_factory=dict)

    def reason(self, lang: Lang) -> str:
        """For a person."""
        return reason(self.code, self.said, lang)

    @property
    def kept(self) -> dict[str, Any]:
        """As its revision keeps it."""
        return {"check": self.code, "of": self.of, "said": dict(self.said)}


def reason(code: str, said: Mapping[str, Any], lang: Lang) -> str:
    """A finding in words; "" for a code of another version, or with blanks that are missing."""
    told = CODES.get(code)
    try:
        return told[lang].format(**{name: str(value) for name, value in said.items()}) if told is not None else ""
    except (KeyError, IndexError, ValueError):
        return ""


def told(revision: Revision, lang: Lang) -> str:
    """The finding that a revision was made for, in words; "" if it was made for none."""
    code, said = revision.get("check"), revision.get("said")
    return reason(str(code), said if isinstance(said, Mapping) else {}, lang) if code is not None else ""


def found(code: str, of: Sequence[str], **said: str) -> Finding:
    """A finding; `of` is the text it is about, and whatever else it rests on."""
    body = "\x1f".join([code, *of]).encode("utf-8", "surrogatepass")
    return Finding(code, hashlib.blake2b(body, digest_size=16).hexdigest(), said)


def examine(read: Read, today: str, now_days: int) -> Finding | None:
    """The most pressing thing that the memory's own words and dates say is wrong with it; None if nothing is."""
    return _dated(read, today) or _unclear(read) or _undated(read, today, now_days)


# --- dates --------------------------------------------------------------------------------------------------------


def _dated(read: Read, today: str) -> Finding | None:
    end = last_day(read.ends)
    if end is not None and end < today and (not read.born or read.born <= end):
        return found("ran-out", (read.text, end), day=end)
    review = last_day(read.review)
    if review is not None and review <= today:
        return found("review", (read.text, review), day=review)
    stated = stated_end(read.text, read.born)
    if stated is not None and stated < today:
        return found("ran-out", (read.text, stated), day=stated)
    return None


def stated_end(text: str, said: str) -> str | None:
    """The last day that a sentence states for what it claims (ISO); None if it states none, or told of the past when it was said."""
    mentions = find_dates(text, None)
    if not mentions or not said or frame(text, written=said) == "historical":
        return None
    folded = fold(text)
    ends = [
        mention.last
        for mention in mentions
        if _UNTIL_BEFORE.search(folded[: mention.start]) or _UNTIL_AFTER.search(folded[mention.end :])
    ]
    return max((end for end in ends if end >= said[:10]), default=None)


# --- words --------------------------------------------------------------------------------------------------------


def _unclear(read: Read) -> Finding | None:
    """A pronoun in front that stands for nothing known, or no subject at all."""
    text = read.text.strip()
    if read.about or _QUESTION.search(text):
        return None
    word = _PRONOUN.match(text)
    if word is not None:
        # "It is important to ..." points to nothing: with a subject given, only a pronoun that must stand for something is a flaw.
        empty = _EMPTY.match(text)
        if _HIS.match(text) or misshapen(text, subject="-" if empty else None, dated=True) == VAGUE:
            return found("pronoun", (text,), word=word["word"])
    if _NO_SUBJECT.match(text):
        return found("subject", (text,))
    return None


def _undated(read: Read, today: str, now_days: int) -> Finding | None:
    """“Now”, said long ago, in a sentence without a date."""
    if not read.said or read.dated or _idle(read.said, today) <= now_days or find_dates(read.text, None):
        return None
    folded = fold(read.quote)  # a fact may have the heading in front, where “now” is a title's
    word = _NOW_EN.search(folded) or _NOW_ZH.search(folded)
    return None if word is None else found("now", (read.text, read.said), word=word.group(), day=read.said[:10])


def _idle(day: str, today: str) -> int:
    try:
        return (date.fromisoformat(today[:10]) - date.fromisoformat(day[:10])).days
    except ValueError:
        return 0


def antecedent(title: str, claim: str) -> str | None:
    """A title that names what a claim is about; None if it is made of the claim's own first words."""
    name = " ".join(fold(title).split()).strip(" .。")
    return None if not name or name in " ".join(fold(claim).split()) else title


# --- what was asked before ----------------------------------------------------------------------------------------


def asked(revisions: Sequence[Revision], finding: Finding) -> bool:
    """Whether a person was asked just this, or took the question itself back: then it is not asked again."""
    return any(r.get("of") == finding.of for r in standing(revisions) if r.get("check") == finding.code)


def standing(revisions: Sequence[Revision]) -> list[Revision]:
    """Revisions that count, and those that were undone by themselves: a person's answer. One undone with its whole night is as
    if it had never been made."""
    counting = {str(r.get("id")) for r in effective(revisions)}
    answered = {str(r.get("undoes")) for r in revisions if r.get("undoes")}
    return [r for r in revisions if not r.get("undoes") and str(r.get("id")) in counting | answered]


# --- the rolling part ---------------------------------------------------------------------------------------------


def part(idents: Iterable[str], turn: int, most: int) -> list[str]:
    """The part of these that the night after so many others re-reads, about `most` of them, by id: each one's turn comes once in a
    round, whatever is added or goes. All of them where they are no more than that."""
    listed = sorted(set(idents))
    rounds = -(-len(listed) // max(1, most))
    return listed if rounds <= 1 else [ident for ident in listed if _hash(ident) % rounds == turn % rounds]


def _hash(ident: str) -> int:
    digest = hashlib.blake2b(ident.encode("utf-8", "surrogatepass"), digest_size=ROLLING_HASH).digest()
    return int.from_bytes(digest, "big")
