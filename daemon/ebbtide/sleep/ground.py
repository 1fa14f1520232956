"""A note as what is said of it is held against: its words, numbers, days, and what may not be taken over from anywhere. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from ebbtide.memory.records import Note
from ebbtide.memory.states import Frame, Precision
from ebbtide.parse.dates import find_dates, note_date
from ebbtide.parse.frames import structural_frame
from ebbtide.parse.stem import STOP_WORDS, STOP_WORDS_ZH
from ebbtide.parse.text import fold, is_cjk, tokenize

SAID_IN_NOTE: Final = 0.6
"""Share of a fact's words that the note must hold: names may come from elsewhere in it, connecting words from nowhere."""
MOST_NEW: Final = 3
"""Words of content in a row that a fact may hold and its note not."""
ADDRESSED: Final = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:instructions?|prompts?)\b"
    r"|\b(?:ignore|disregard|forget) (?:all |any |the |your |of )*(?:above|previous|prior|earlier|system)? ?rules?\b"
    r"|\bsystem prompt\b|\byou are now\b|\b(?:attention|dear|note to)[, ]+(?:the )?(?:assistant|ai|model|llm|claude)\b"
    r"|\b(?:answer|respond|reply)\b[^.\n]{0,20}\b(?:only|exactly)\b|\boutput (?:only |exactly )?the following\b"
    r"|\b(?:extract|record|remember)\b[^.\n]{0,20}\b(?:this|following|these) facts?\b"
    r"|\bas an? (?:ai|language model)\b|</?(?:system|assistant|user|instructions?)>"
    r"|(?:忽略|无视|忘记|忘掉)[^。\n]{0,6}(?:以上|上面|之前|前面|所有|一切|系统)[^。\n]{0,6}(?:指令|指示|规则|提示|要求)"
    r"|系统提示|你现在是|[只仅]回答|(?:输出|抽取|提取|记住)(?:以下|如下|下列|下面)的?(?:事实|内容|文字|json)"
    r"|(?:作为|身为)(?:一个)?(?:ai|人工智能|语言模型)",
    re.IGNORECASE,
)
"""Words that speak to a model and not to a reader."""
_MARKUP: Final = re.compile(
    r"\[\[|!\[|\]\(|\]\[|```|~~~|%%|\$\$|<!|<\?|javascript:|data:\w+/"
    r"|</?(?:script|iframe|img|svg|style|embed|link|meta)\b|<a\s|\bon\w{3,20}\s*=\s*[\"']",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(r"<[A-Za-z/][^<>\n]*>?|\{\{[^{}\n]*\}?\}?")
"""What may stand in code ("List<String>", "{{path}}"), if it is the note's own."""
_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+", re.IGNORECASE)
_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_DATE: Final = re.compile(r"(?<![\d-])[12]\d{3}(?:-\d\d(?:-\d\d)?)?(?![\d-])")
_DENIES: Final = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|without|cannot|neither|nor|unable|impossible|instead of|rather than|hardly"
    r"|(?:avoid|fail|refus|disabl|stop|lack|miss|ban|forbid|exclud|remov|drop|reject|den[iy])\w*)\b"
    r"|n['’]t\b|不(?![过错同])|非(?!常)|[没未无别勿莫停缺免]|禁止|拒绝|失败",
    re.IGNORECASE,
)
_PLAIN_NOT: Final = re.compile(
    r"\b(?:not|never|cannot|no longer)\b|n['’]t\b|[没未勿]|不(?=[能要会是再可用应在得])|禁止", re.IGNORECASE
)
_HIDDEN: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(slots=True)
class Ground:
    """A note as answers are held against it."""

    note: Note
    words: frozenset[str]
    names: frozenset[str]
    folded: str
    numbers: frozenset[str]
    given: tuple[str, Precision] | None
    frame: Frame | None
    hidden: tuple[tuple[int, int], ...]
    project: str | None
    days: set[str] = field(default_factory=set)


def ground_of(note: Note, project: str | None) -> Ground:
    """Look through a note once for all that is said of it."""
    text = f"{note.title}\n{note.path}\n{note.text}"
    given = note_date(note.properties, note.path)
    ground = Ground(
        note,
        frozenset(words_of(text)),
        frozenset(words_of(" ".join((note.title, note.path, *(heading.text for heading in note.headings))))),
        fold(text),
        frozenset(numbers_of(text)),
        given,
        structural_frame(note.properties),
        tuple(match.span() for match in _HIDDEN.finditer(note.text)),
        project,
    )
    for at in range(0, len(note.text), 20_000):  # dates are looked for in parts: a long note is no reason to wait
        for mention in find_dates(note.text[at : at + 20_000], given[0] if given else None):
            ground.days |= {mention.first, mention.last}
    if given:
        ground.days.add(given[0])
    return ground


def bad_text(text: str, ground: Ground) -> str:
    """Why a text may not be taken over, or ""."""
    if _CONTROL.search(text):
        return "holds line breaks or hidden characters"
    if _MARKUP.search(text):
        return "holds markup"
    if any(link not in ground.note.text for link in _ADDRESS.findall(text)):
        return "holds an address that the note does not"
    return ""


def strange(text: str, ground: Ground) -> bool:
    """True for a placeholder that the note does not have."""
    return any(mark not in ground.note.text for mark in _PLACEHOLDER.findall(text))


def safe(text: str) -> str:
    """A text fit to be shown on one line."""
    return _CONTROL.sub(" ", text)


def find(quote: str, ground: Ground) -> int:
    """Where the quote stands, in the body if it can: what a property repeats belongs to the sentence."""
    at = ground.note.text.find(quote, ground.note.body)
    return at if at >= 0 else ground.note.text.find(quote)


def paragraph(text: str, start: int, end: int) -> str:
    """The lines round a span up to an empty one, at most some thousand characters of them."""
    begin = max(text.rfind("\n\n", 0, start), text.rfind("\n\r\n", 0, start), start - 4000, 0)
    stops = [at for at in (text.find("\n\n", end), text.find("\n\r\n", end)) if at >= 0]
    return text[begin : min([*stops, end + 4000])]


def words_of(text: str) -> set[str]:
    """The words to compare by: folded, of two letters or one Han character, without plain numbers."""
    return {
        word
        for token in tokenize(text)
        if (len(word := token.text.lower()) > 1 or is_cjk(word))
        and not word.replace(".", "").replace(",", "").isdigit()
    }


def numbers_of(text: str) -> set[str]:
    """The numbers in digits, without separators of thousands and leading zeros."""
    return {number.replace(",", "").lstrip("0") or "0" for number in _NUMBER.findall(fold(text))}


def days_of(quote: str, ground: Ground) -> set[str]:
    """The days that the note gives, with those that relative words of the quote mean."""
    mentions = find_dates(quote, ground.given[0] if ground.given else None)
    return ground.days.union(*((mention.first, mention.last) for mention in mentions))


def undated(text: str, days: set[str]) -> str:
    """The text without the dates that the note gives in other words ("yesterday")."""
    for mention in reversed(find_dates(text, None)):
        if mention.first in days or mention.last in days:
            text = text[: mention.start] + " " + text[mention.end :]
    return _DATE.sub(lambda m: "" if any(day.startswith(m[0]) for day in days) else m[0], text)


def said_in(text: str, ground: Ground, least: float) -> bool:
    """Whether a text is made of the note's words and does not address a model; an empty one is not."""
    if not text or ADDRESSED.search(text):
        return False
    return fold(text) in ground.folded or share(words_of(text), ground.words, ground.folded) >= least


def share(words: set[str], known: set[str] | frozenset[str], folded: str) -> float:
    """How many of the words are known. Han words also count where the text was cut elsewhere."""
    if not words:
        return 1.0
    return sum(word in known or (is_cjk(word[0]) and word in folded) for word in words) / len(words)


def news(text: str, ground: Ground) -> int:
    """The longest run of words of content, one after another, that the note does not hold."""
    longest = run = end = 0
    for token in sorted(tokenize(text), key=lambda token: (token.start, -token.end)):
        word = token.text.lower()
        if token.start < end or word in STOP_WORDS or word in STOP_WORDS_ZH or word.isdigit():
            continue
        end = token.end
        known = word in ground.words or (is_cjk(word[0]) and word in ground.folded)
        run = 0 if known else run + 1
        longest = max(longest, run)
    return longest


def denial(fact: str, quote: str) -> str:
    """Whether a fact turns its quote round: a "not" that the quote does not give, or one that it leaves out; "" if not."""
    if len(_PLAIN_NOT.findall(fact)) > len(_DENIES.findall(quote)):
        return "it denies what its quote says"
    said = words_of(quote)
    whole = bool(said) and share(said, words_of(fact), fold(fact)) >= 0.8
    if whole and _PLAIN_NOT.search(quote) and not _DENIES.search(fact):
        return "it leaves out that its quote denies it"
    return ""
