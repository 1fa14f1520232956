"""A sentence taken apart for the judgement of contradictions (`memory.conflict`): tokens, values, denials, opposites, marks.

Pure and without a vault: where the sentence stands, and what a fact says of its slot, is put in with `dataclasses.replace`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

import rjieba

from ebbtide.memory.conflict_claim import Claim, Role, Token
from ebbtide.memory.records import Fact
from ebbtide.parse import claims_words as say
from ebbtide.parse.claims_opposites import OPPOSITES
from ebbtide.parse.claims_roles import dated, names_of, roles_of
from ebbtide.parse.claims_values import Found, canonical, quantities
from ebbtide.parse.claims_words import words_in
from ebbtide.parse.stem import STOP_WORDS, STOP_WORDS_ZH, variants
from ebbtide.parse.text import HAN, fold, language

MAX_CLAIM: Final = 1200
"""Characters of a text that are compared; a sentence that is longer is a paste."""

_PIECE = re.compile(
    rf"(?P<han>[{HAN}]+)|(?P<word>[^\W_{HAN}]+(?:['._\-][^\W_{HAN}]+)*\+*)|(?P<stop>[,;:。!?、]|\.(?=\s|\Z)|\n)"
)
_CLAUSE_END: Final = frozenset(",;。!?.\n:")
_QA = re.compile(
    r"\s*(?:问|q|question)\s*[:：]\s*(?P<q>.{1,600}?)\s+(?:答|a|answer)\s*[:：]\s*(?P<a>.{1,600})", re.I | re.S
)
_CODE = re.compile(
    r"\s*(?:`[^`]+`|```.*|\$ .*|(?: {4}|\t).*|[A-Za-z_][A-Za-z0-9_./]*\([^\u4e00-\u9fff]*\);?"
    r"|(?:const|let|var|def|return|import|SELECT|select)\b.*[;:=(].*)\s*\Z",
    re.S,
)
_QUOTE_END = re.compile(r"[”\"」』]")
_SENTENCE_END = re.compile(r"[。!?\n]|\.(?=\s|\Z)")
_DATELINE = re.compile(r"\s?[\])]?\s*(?:\.\.\.|…|[:：—–|·]|-\s)")
_WHEN = re.compile(
    r"\A(?:(?:the|our|current|现在的?|目前的?|当前的?|如今的?)\s*)+(?=\S)|(?:现在|目前|当前|如今|现|已经?|改|\bnow|\bcurrently)\s*\Z"
)
_LAST_CLAUSE = re.compile(r"[^,。!?;]+")
_TITLE = re.compile(r"《([^》]{1,40})》")
_GENERIC: Final = words_in(
    """人 事 事情 东西 时候 问题 情况 方面 部分 地方 时间 今天 明天 昨天 现在 目前 今年 去年 明年 年 月 日 天 次 个 种 些
    说 想 看 做 去 来 走 是 有 能 会 要 到 就 还 再 又 才 只 最 更 非常 十分 已经 已 正 正在 进行 这么 那么 怎么 觉得 可能
    一定 必须 应该 需要 比较 自己 大家 别人 好 大 多 小 很多 thing things people time year years day one two also very more
    most much many still made make get got use used using new first last now known called named there"""
)
"""Content words by form that carry no topic: sharing one says nothing."""
_LIGHT: Final = words_in("d p c u uj ul uv ud uz ug r y e o q m f zg k h")
"""Parts of speech (jieba's) whose words carry no topic: adverbs, prepositions, particles, pronouns, numerals."""
_NAMES: Final = words_in("nr ns nt nz nrt nrfg nw eng")
_PERSONS: Final = words_in("nr nrt nrfg")
_REACH_ZH, _REACH_EN = 7, 6
"""How far a denial reaches: characters and words after it, within its clause."""


_FIRST: Final = frozenset(word[0] for word in OPPOSITES if not word.isascii())


class _Word(NamedTuple):
    text: str
    role: Role
    clause: int


def read_claim(text: str, *, title: str = "", note: str = "", line: int = 0, date: str | None = None) -> Claim:
    """The claim a text makes. The same text gives the same claim; `title` is that of its note."""
    claim = _read(text[:MAX_CLAIM])
    if not (title or note or line or date):
        return claim
    return replace(claim, title=title, note=note, line=line, date=claim.date or date)


@lru_cache(maxsize=4096)
def _read(text: str) -> Claim:
    text = unicodedata.normalize("NFC", text)
    folded = fold(text)
    head, day, values = _dateline(folded, quantities(folded))
    tokens = _tokens(text, folded, values, head)
    whole = _whole(folded, tokens)
    exclusive = next((kind for kind, cue in say.EXCLUSIVE.items() if cue.search(folded)), None)
    asked = _QA.match(text)
    return Claim(
        text=text,
        lang=language(text),
        tokens=tokens,
        words=_words(whole),
        opposites=_opposites(folded, whole),
        denied=_denied(whole),
        strength=frozenset(level for level, cue in say.STRONG_LEVELS.items() if cue.search(folded)),
        places=say.places(folded),
        roles=roles_of(text, folded, tokens),
        dated=dated(folded, tokens),
        names=names_of(text, tokens),
        bound=_bound(folded, tokens),
        folded=folded,
        record=day is not None,
        date=day,
        question=bool(say.QUESTION_END.search(folded)),
        code=bool(_CODE.match(text)),
        plan=bool(say.PLAN.search(folded)),
        change=bool(say.CHANGE.search(folded)),
        excepts=bool(say.EXCEPT.search(folded)),
        exclusive=exclusive,
        holds_one=bool(say.HOLDS_ONE.search(folded)),
        ordered=bool(say.ORDER.search(folded)),
        stance=1 if say.YES.match(folded) else -1 if say.NO.match(folded) else 0,
        unsure=bool(say.UNSURE.search(folded)),
        wants=bool(say.WANTS.search(_LAST_CLAUSE.findall(folded)[-1] if _LAST_CLAUSE.search(folded) else folded)),
        unsure_of=bool(say.ASKS_IF_KNOWN.search(folded)),
        asked=_read(asked["q"]) if asked else None,
        answer=_read(asked["a"]) if asked else None,
    )


# --- tokens ---------------------------------------------------------------------------------------------------------


def _tokens(text: str, folded: str, values: list[Found], head: int) -> tuple[Token, ...]:
    out: list[Token] = []
    titled = [m.span(1) for m in _TITLE.finditer(text)]
    negations = _spans(say.NEGATION_ZH, folded, [*_blocked(folded), *titled])
    negations += _spans(say.NEGATION_EN, folded, titled)
    levels = [m.span() for cue in say.STRONG_LEVELS.values() for m in cue.finditer(folded)]
    marks = [m.span() for cue in (say.CHANGE, say.PLAN) for m in cue.finditer(folded)]
    clause, word, at = 0, 0, head
    pending = [*values, None]
    for found in pending:
        for m in _PIECE.finditer(folded, at, found.start if found else len(folded)):
            if m["stop"]:
                clause += m.group() in _CLAUSE_END
                continue
            for start, end, named, light in _cut(text, m):
                word += 1
                name = named or any(s <= start and end <= e for s, e in titled)
                pieces = [(i, i + 1) for i in range(start, end)] if m["han"] else [(start, end)]
                for s, e in pieces:
                    role: Role = "stop" if light else "plain"
                    role = "mark" if light and _inside(s, e, marks) else role
                    role = "quantifier" if _inside(s, e, levels) else role
                    role = "negation" if _inside(s, e, negations) else role
                    form = folded[s:e] if m["han"] else variants(folded[s:e])[-1]
                    out.append(Token(form, s, e, role, clause, word, name and role == "plain"))
        if found:
            word += 1
            out.append(Token(canonical(found.value), found.start, found.end, "value", clause, word, False, found.value))
            at = found.end
    return tuple(out)


def _cut(text: str, m: re.Match[str]) -> list[tuple[int, int, bool, bool]]:
    """The words of a piece: (start, end, whether a name, whether without topic)."""
    if not m["han"]:
        start, end = m.span()
        original = text[start:end]
        name = (original[0].isupper() and (start > 0 or not original[1:].islower())) or any(
            c.isdigit() for c in original
        )
        return [(start, end, name, m.group() in STOP_WORDS)]
    at = m.start()
    out = []
    for word, tag in rjieba.tag(m.group()):
        light = tag in _LIGHT or word in STOP_WORDS_ZH
        out.append((at, at + len(word), tag in _NAMES, light))
        at += len(word)
    return out


def names_person(text: str) -> bool:
    """Whether a Chinese text holds a word that is a person's name by its part of speech."""
    return any(tag in _PERSONS for _, tag in rjieba.tag(text[:MAX_CLAIM]))


def _inside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    return any(s <= start and end <= e for s, e in spans)


def _blocked(folded: str) -> list[tuple[int, int]]:
    return [m.span() for m in say.NO_NEGATION_ZH.finditer(folded)]


def _spans(pattern: re.Pattern[str], folded: str, blocked: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Matches that do not lie in a blocked span: 不 in 不断 denies nothing."""
    return [m.span() for m in pattern.finditer(folded) if not any(s < m.end() and m.start() < e for s, e in blocked)]


def _words(whole: list[_Word]) -> frozenset[str]:
    """The words with a topic, one form each; characters of one Chinese word are put together again."""
    return frozenset(
        variants(word.text)[-1]
        for word in whole
        if word.role == "plain" and word.text not in STOP_WORDS and word.text not in _GENERIC
    )


def _whole(folded: str, tokens: tuple[Token, ...]) -> list[_Word]:
    """The words; a value is its canonical form."""
    out: list[_Word] = []
    for _, group in groupby(tokens, key=attrgetter("word")):
        parts = tuple(group)
        first = parts[0]
        text = first.text if first.role == "value" else folded[first.start : parts[-1].end]
        denies = any(t.role == "negation" for t in parts)  # 用不上 is one word
        out.append(_Word(text, "negation" if denies else first.role, first.clause))
    return out


# --- what is denied, what has an opposite, what is quoted ------------------------------------------------------------


def _denied(whole: list[_Word]) -> frozenset[str]:
    """The words within reach of a denial; "~" stands for any denial at all."""
    out: set[str] = set()
    reach, clause = 0, 0
    for word in whole:
        if word.clause != clause:
            reach, clause = 0, word.clause
        if word.role == "negation":
            reach = _REACH_ZH if not word.text.isascii() else _REACH_EN
            out.add("~")
            continue
        if reach > 0:
            reach -= len(word.text) if not word.text.isascii() else 1
            if word.role == "plain":
                out.update((variants(word.text)[-1], word.text))
    return frozenset(out)


def _opposites(folded: str, whole: list[_Word]) -> dict[str, frozenset[str]]:
    """The words that have an opposite. One Chinese character counts only as a word of its own, longer ones anywhere."""
    out = {word.text: OPPOSITES[word.text] for word in whole if word.text in OPPOSITES}
    for at, character in enumerate(folded):
        if character in _FIRST:
            for size in (2, 3, 4, 5):
                piece = folded[at : at + size]
                if piece in OPPOSITES:
                    out[piece] = OPPOSITES[piece]
    return out


def _bound(folded: str, tokens: tuple[Token, ...]) -> frozenset[int]:
    """The starts of the tokens that are quoted from somebody, supposed, or said to be uncertain."""
    spans: list[tuple[int, int]] = []
    for m in say.SAYING.finditer(folded):
        closing = _QUOTE_END.search(folded, m.end())
        spans.append((0 if _QUOTE_END.match(m.group()) else m.start(), closing.end() if closing else len(folded)))
    for m in say.SUPPOSING.finditer(folded):
        end = _SENTENCE_END.search(folded, m.end())
        spans.append((m.start(), end.start() if end else len(folded)))
    for m in say.DOUBTFUL.finditer(folded):
        clause = next((t.clause for t in tokens if t.end > m.start()), -1)
        spans.append((m.start(), max((t.end for t in tokens if t.clause == clause), default=0)))
    return frozenset(t.start for t in tokens if any(s <= t.start < e for s, e in spans))


def _dateline(folded: str, values: list[Found]) -> tuple[int, str | None, list[Found]]:
    """Where a sentence begins after its dateline, its day if it is a record of that day, and its values.

    The day at the head ("2024-05-01: ...") is no part of what is said; one before an ellipsis only stamps a clipping.
    """
    if values and not folded[: values[0].start].strip(" *#->[("):
        head = values[0]
        mark = _DATELINE.match(folded, head.end)
        if head.value.parts is not None and mark:
            year, month, day = head.value.parts
            stamp = mark.group().strip().startswith(("...", "…", "·"))
            told = f"{year:04}-{month:02}-{day:02}" if year and month and day and not stamp else None
            return head.end, told, values[1:]
    return 0, None, values


def _key(name: str | None) -> str | None:
    """A subject or attribute as a key: folded, without "current" before it or "now" after it."""
    return _WHEN.sub("", fold(name)).strip() or None if name else None


def in_slot(claim: Claim, fact: Fact, *, single_valued: bool | None = None) -> Claim:
    """The claim with what a fact read from the same place knows: subject, attribute, value, validity, scope.

    `single_valued`: whether the attribute has one value at a time; by default judged by its name.
    """
    if single_valued is None:
        single_valued = bool(say.ONE_VALUE.search(fold(fact.attribute or "")))
    found = quantities(fold(f"{fact.value} {fact.unit or ''}".strip())) if fact.value else []
    return replace(
        claim,
        subject=_key(fact.subject),
        attribute=_key(fact.attribute),
        value=fact.value,
        unit=fact.unit,
        measure=found[0].value if len(found) == 1 else None,
        project=fact.project,
        frame=fact.frame,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        date=claim.date or fact.created_at,
        record=claim.record or fact.type == "event",
        single_valued=single_valued,
    )
