"""English word forms and function words of both languages, for the search tokenizer.

Reduction is much less than Porter's: plurals, possessives, -ing and -ed, and only to something that is a word, because
a reduced form shares its position with the exact one and must not make strangers meet ("universe", "university").
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: Final = _words(
    """a an the of to in on at by for from with about into over under as and or but if then than so that this these
    those there here it its it's he she they we i you me him her them us my your his their our mine yours is are was
    were be been being am do does did done doing have has had having will would shall should can could may might must
    what what's when where which who whom whose why how not no nor any some such just also too very tell please
    s t re ve ll d m don don't doesn't didn't isn't aren't wasn't weren't i'm i've"""
)
"""English words that carry no topic in a question."""

STOP_WORDS_ZH: Final = _words(
    """的 了 是 在 和 与 及 或 也 都 就 还 又 很 吗 呢 吧 啊 呀 嘛 哦 么 我 你 您 他 她 它 们
    我们 你们 他们 她们 它们 这 那 这个 那个 这些 那些 这样 那样 什么 怎么 怎样 如何 为什么 为何
    哪 哪些 哪个 哪里 哪儿 谁 几 多少 什么样 什么时候 时候 有 没有 把 被 给 从 到 对 对于 关于
    要 会 能 可以 应该 请 请问 一个 一下 一些 之 而 其 所 以 于 着 过 地 得 让 用 上 里
    是否 是不是 有没有"""
)
"""Chinese words that carry no topic in a question."""

# Forms that the rules below would get wrong, or that are too common to miss.
_IRREGULAR: Final[dict[str, str]] = dict(
    pair.split(":")
    for pair in _words(
        """using:use used:use uses:use caching:cache cached:cache caches:cache movies:movie cookies:cookie
    calories:calorie zombies:zombie selfies:selfie ties:tie pies:pie lies:lie dies:die shoes:shoe toes:toe heroes:hero
    potatoes:potato tomatoes:tomato echoes:echo buses:bus gases:gas lenses:lens indices:index matrices:matrix
    children:child men:man women:woman mice:mouse people:person feet:foot teeth:tooth lives:life wives:wife knives:knife
    leaves:leaf shelves:shelf being:be having:have doing:do going:go went:go gone:go made:make said:say took:take
    taken:take gave:give given:give wrote:write written:write chose:choose chosen:choose bought:buy built:build
    found:find kept:keep left:leave lost:lose met:meet paid:pay ran:run sent:send spent:spend taught:teach thought:think
    told:tell won:win began:begin broke:break broken:break drove:drive ate:eat fell:fall felt:feel grew:grow knew:know
    known:know saw:see seen:see sold:sell spoke:speak swam:swim wore:wear heard:hear led:lead read:read held:hold
    dying:die lying:lie tying:tie agreed:agree agreeing:agree freed:free"""
    )
)
_KEEP: Final = _words(
    """news always perhaps does this his its was has is us as yes thus plus during morning evening nothing something
    anything everything thing things king ring sing bring spring string wing swing ceiling wedding building red bed led
    need feed seed speed indeed hundred sacred naked species series corps physics mathematics economics politics
    analysis basis status bus gas lens process access address across less unless kubernetes pandas windows ios macos
    redis aws css dns https sales perhaps exceed proceed succeed embed bleed breed greed"""
)
_VOWEL = re.compile(r"[aeiouy]")
_CVC = re.compile(r"[^aeiou][aeiouy][^aeiouwxy]\Z")


@lru_cache(maxsize=50_000)
def variants(word: str) -> tuple[str, ...]:
    """The forms to index for a lower-case word: itself first, then its reduced or unaccented form if there is one."""
    if "'" in word:
        word = word[:-2] if word.endswith("'s") else word
        return (word, *variants(word)[1:]) if "'" not in word else (word,)
    if not word.isascii():
        plain = "".join(ch for ch in unicodedata.normalize("NFD", word) if not unicodedata.combining(ch))
        return (word, plain) if plain != word and plain.isascii() and plain else (word,)
    reduced = _reduce(word)
    return (word, reduced) if reduced != word else (word,)


def _reduce(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _KEEP or not word.isalpha():
        return word
    if word.endswith("ing") and len(word) > 5 and _VOWEL.search(word[:-3]):
        return _restore(word[:-3])
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed") and len(word) > 4 and not word.endswith("eed") and _VOWEL.search(word[:-2]):
        return _restore(word[:-2])
    if word.endswith("s"):
        return _singular(word)
    return word


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _restore(stem: str) -> str:
    """Give back the e or the single consonant that -ing and -ed took: mak -> make, runn -> run, creat -> create."""
    if stem in _NO_E:
        return stem
    if len(stem) > 3 and stem[-1] == stem[-2] and (stem[-1] not in "lszaeo" or _DOUBLED_L.search(stem)):
        return stem[:-1]
    if _TOOK_E.search(stem):
        return stem + "e"
    if len(stem) <= 4 and _CVC.search(stem) and len(_VOWELS.findall(stem)) == 1:
        return stem + "e"
    return stem


_VOWELS = re.compile(r"[aeiouy]+")
# Endings of stems that stand before a silent e. Each exception inside is a common verb that has none.
_TOOK_E = re.compile(
    r"(?:(?<![eo])at|creat|bl|[iy]z|(?<!o)ur|(?<!a)ir|(?<![eo])ar|(?:pl|st|gn|sc)or|(?<![aoe])in|(?<![aou])id|ag"
    r"|[cdfgkptz]l|yl|edul|com|v|dg|nc|rg|rs|ng|us|[ae]as|rais|[iou]s|uc|ac|ic|u|clud|[cl]od|plet|delet|compet|invit"
    r"|mot|vot|(?:ec|mp|ib|it|sol)ut|iev|eiv|tim|nam|cop|qu|ys|uid)\Z"
)
_DOUBLED_L = re.compile(r"[aeiouy].*(?:ell|roll)\Z")
_NO_E: Final = _words(
    """visit edit limit exit bring sing ring hang bang long belong focus discus canvas bias gas open enter listen happen
    develop gather answer offer order monitor color author favor login plan add err explain enroll"""
)
"""Stems that the endings above would lengthen wrongly."""
