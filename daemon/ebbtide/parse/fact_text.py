"""From marked-up text to a proposition that stands alone: markup off, context in front, dates made absolute.

A fact is read years later, far from its note. "It was faster" is worth nothing there; "Import service › Results: it was
faster" can be checked. So every fact names what it is about: in its own words, or by the title and headings above it.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Final

from ebbtide.memory.records import Note, Unit
from ebbtide.memory.states import Lang
from ebbtide.parse.dates import DateMention
from ebbtide.parse.text import count_cjk, fold

MAX_FACT: Final = 400
"""Longer propositions are not facts but paragraphs."""

_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*\Z")
_EMBED = re.compile(r"!\[\[[^\[\]\n]{0,300}\]\]|!\[[^\[\]\n]{0,300}\]\([^()\n]{0,500}\)")
_WIKILINK = re.compile(r"\[\[([^\[\]|\n]{0,300})(?:\|([^\[\]\n]{0,300}))?\]\]")
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\n]{0,500}\)")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]:?")
_COMMENT = re.compile(r"%%.{0,2000}?%%|<!--.{0,2000}?-->", re.DOTALL)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]{1,500})>")
_HIGHLIGHT = re.compile(r"==([^=\n]{1,300})==")
_BOLD = re.compile(r"(\*\*\*|\*\*|__)(?=\S)([^\n]{1,400}?)(?<=\S)\1")
_ITALIC = re.compile(
    r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,300}?)(?<=[^\s*])\*(?!\w)"
    r"|(?<![\w_])_(?=[^\s_])([^_\n]{1,300}?)(?<=[^\s_])_(?![\w_])"
)
_HASHTAG = re.compile(r"(?:^|(?<=\s))#(?=[^\s#\d!-/:-@])([^\s#]{1,60})")
_TRAILING_TAGS = re.compile(r"(?:\s+#[^\s#]{1,60}){1,20}\s*\Z")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_INLINE_FIELD = re.compile(r"[\[(][\w ]{1,30}:: ?[^\[\]()\n]{0,100}[\])]")
_LOOSE_MARK = re.compile(r"\*\*|==|(?<!\w)\[(?!\s?[\]x])(?=[^\]]*$)")
"""What is left of emphasis or a link that a sentence boundary cut in two."""
_LEAD_MARK = re.compile(
    r"^(?:\d{1,2}[,，、.](?=[^\d\s])|[-*+>|]\s+|\d{1,3}[.)]\s+|\[.\]\s+|[（(]?[①-⑳]\s*|[🔥✅⭐👉💡📌❗️⚠️•·]+\s*)+"
)
_FIELD = re.compile(r"(?<=[^\s:]):: ?")
_EMOJI_DATE = re.compile("\\s*([📅⏳🛫✅➕🔁⏫🔼🔽])\ufe0f?\\s*(\\d{4}-\\d\\d-\\d\\d)?")
_EMOJI = re.compile("[📅⏳🛫✅➕🔁⏫🔼🔽]")
_URL = re.compile(r"https?://\S+")
_PLACE = re.compile(r"\{\{(.*?)\}\}")
_CODE_ONLY = re.compile(r"`([^`\n]{1,400})`")


def plain(raw: str) -> str:
    """The words of marked-up text on one line: links by their text; no emphasis, images, trailing tags or block id."""
    text = _BLOCK_ID.sub("", raw) if "^" in raw else raw
    if "[" in text:
        text = _WIKILINK.sub(_link_text, _EMBED.sub("", text))
        text = _FOOTNOTE.sub("", _LINK.sub(r"\1", text))
    if "%%" in text or "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", _COMMENT.sub("", text)))
    if "~~" in text:
        text = _STRUCK.sub("", text)
    if "==" in text:
        text = _HIGHLIGHT.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _ITALIC.sub(lambda m: m[1] or m[2], _BOLD.sub(r"\2", text))
    if "#" in text:
        text = _HASHTAG.sub(r"\1", _TRAILING_TAGS.sub("", text))
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii() and _EMOJI.search(text):
        text = _EMOJI_DATE.sub(_task_date, text)
    if "::" in text:
        text = _INLINE_FIELD.sub("", text)
        text = _FIELD.sub(": ", text)
    text = _LEAD_MARK.sub("", " ".join(text.split()))
    return _LOOSE_MARK.sub("", text) if "*" in text or "[" in text or "=" in text else text


def _task_date(match: re.Match[str]) -> str:
    """The day of a task in words; its other emoji (priority, recurrence, creation) say nothing of the world."""
    return f" ({match[2]})" if match[2] and match[1] in "📅⏳🛫✅" else ""


def _link_text(match: re.Match[str]) -> str:
    if match[2]:
        return match[2].strip()
    target = match[1].strip()
    name, _, anchor = target.partition("#")
    name = name.rsplit("/", 1)[-1].removesuffix(".md")
    return name or anchor.lstrip("^#")


def only_link(raw: str) -> bool:
    """Whether nothing is said besides a link, an address or an image."""
    if "[" not in raw and "http" not in raw:
        return False
    rest = _URL.sub("", _LINK.sub("", _WIKILINK.sub("", _EMBED.sub("", raw))))
    return not any(ch.isalnum() for ch in rest)


def code_of(raw: str) -> str | None:
    """The command of a line that is nothing but inline code, placeholders written <so>."""
    match = _CODE_ONLY.fullmatch(raw.strip()) if raw.startswith("`") else None
    if match is None:
        return None
    return _PLACE.sub(r"<\1>", match[1]).strip()


def is_code(raw: str) -> bool:
    """Whether a line is nothing but inline code."""
    return raw.startswith("`") and _CODE_ONLY.fullmatch(raw.strip()) is not None


# --- context --------------------------------------------------------------------------------------------------------

_GENERIC_WORDS = (
    "untitled 未命名 无标题 readme index note notes daily 日记 日报 周报 随笔 笔记 inbox log home 首页 "
    "主页 moc summary overview 概述 概览 简介 介绍 正文 内容 其他 其它 misc other others 总结 小结 背景 "
    "background introduction 前言 today 今天 todo content contents 目录 session page 备注 说明 更多 more "
    "details 详情 示例 example examples 相关 参考 资料 session "
)
_GENERIC: Final = frozenset(_GENERIC_WORDS.split())
_GENERIC_ZH = re.compile(
    r"今天|今日|本周|本月|的|或|和|与|我|灵感|闪念|工作|日志|日记|日报|周报|月报|记录|想法|随笔|杂记"
    r"|感想|笔记|备注|碎碎念|总结|小结|内容|正文|说明|其他|其它|相关|概述|简介"
)
_DATE_PARTS = re.compile(
    r"[12]\d{3}[-./年_ ]?(?:w?\d{1,2})?(?:[-./月_ ]?\d{1,2})?[日号]?|\d+|星期.|周[一二三四五六日天]|[a-z]+day\b"
)
_HASH = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{6,40}|[0-9a-f-]{32,36}")
_HEAD_NUMBER = re.compile(
    r"^(?:\d+(?:\.\d+)*[.、)）]?\s+|[一二三四五六七八九十]+[、.．]\s*"
    r"|第[一二三四五六七八九十\d]+[章节部分]+[:：、\s]*|Q:\s*)"
)


@lru_cache(maxsize=4096)
def telling(name: str) -> bool:
    """Whether a title or heading says what its text is about: no date, no hash, none of the words for "notes"."""
    rest = fold(name).strip()
    if not rest or rest.startswith("http") or _HASH.fullmatch(rest):
        return False
    rest = _GENERIC_ZH.sub(" ", re.sub(r"[\W_]+", " ", _DATE_PARTS.sub(" ", rest))).strip()
    return len(rest) > 1 and not all(
        word in _GENERIC or (len(word) == 1 and word.isascii()) for word in rest.split(" ")
    )


def context_of(note: Note, unit: Unit | None) -> tuple[str, ...]:
    """The names that lead to a unit: the title, then the last headings, each only if it adds something."""
    names: list[str] = []
    title = _title(note)
    headings = [clean_heading(h) for h in (unit.headings if unit is not None else ())]
    for name in ([title] if telling(title) else []) + headings[-2:]:
        if telling(name) and len(name) <= 60 and not any(named_in(name, held) for held in names):
            names = [held for held in names if not named_in(held, name)] + [name]
    return tuple(names)


def named_in(name: str, text: str) -> bool:
    """Whether a text names something already: as whole words, whatever stands between them."""
    words = _bare(name)
    return (bool(words) and f" {words} " in f" {_BARE.sub(' ', fold(text))} ") or (
        count_cjk(words) > 0 and words in fold(text)
    )


_BARE = re.compile(r"[\W_]+")


@lru_cache(maxsize=4096)
def _bare(name: str) -> str:
    return _BARE.sub(" ", fold(name)).strip()


def clean_heading(heading: str) -> str:
    """A heading's words without numbering."""
    return _HEAD_NUMBER.sub("", plain(heading)).strip(" :：-—")


def _title(note: Note) -> str:
    """The title; for a note named by a date or a hash its only first-level heading."""
    title = plain(note.title)
    if telling(title) or not note.headings:
        return title
    first = [h for h in note.headings if h.level == 1]
    return clean_heading(first[0].text) if len(first) == 1 else title


_PRONOUN_EN = re.compile(
    r"(?:it|its|it's|this|that|these|those|they|they're|their|he|he's|she|she's|his|her|there|here"
    r"|such|both|one|the (?:former|latter|same|other)"
    r"|and|but|or|so|also|then|however|therefore|thus|because|which|who|what|when|where|if|as|after"
    r"|before|while|since|instead|otherwise)\b",
    re.IGNORECASE,
)
_PRONOUN_ZH = re.compile(
    r"(?:它|他|她|这|那|此|该|其|前者|后者|以上|如上|上述|另外|同时|而且|并且|但|不过|然后|因此|所以"
    r"|因为|由于|如果|若|例如|比如|其中|从而|于是|否则|或者|还|也|都|就|再|并|且)"
)
CONTINUES = re.compile(
    r"(?:it|its|it's|this|these|they|they're|their|he|he's|she|she's|his|her|both)\b|(?:它|他|她|这"
    r"|其(?=[中他]?[^他中])|该|此)",
    re.IGNORECASE,
)
"""A sentence that begins so is about the subject of the one before."""
_FIRST_EN = re.compile(r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll)\b", re.IGNORECASE)
_FIRST_ZH = re.compile(r"(?:我们?(?!的)|咱们|本人)")


def starts_vaguely(text: str) -> bool:
    """Whether a sentence begins with a pronoun or a connective, so that its subject stands elsewhere."""
    return bool(_PRONOUN_EN.match(text) or _PRONOUN_ZH.match(text))


def first_person(text: str) -> bool:
    """Whether the writer is the subject: then the writer is known, and the sentence needs no title."""
    return bool(_FIRST_EN.match(text) or _FIRST_ZH.match(text))


def stand_alone(text: str, names: tuple[str, ...]) -> str:
    """The text with the context in front that it does not name itself: "Title › Heading: text"."""
    missing = [name for name in names if not named_in(name, text)]
    return f"{' › '.join(missing)}: {text}" if missing else text


_CONNECTIVE = re.compile(
    r"(?:但是?|而是?|所以|因此|当然|其实|不过|另外|此外|同时|而且|并且|然而|总之|综上|总的来说"
    r"|一般来说|综合(?:而言|来看|判断)|也就是说|换句话说|事实上|实际上|显然|首先|其次|最后|再次"
    r"|第[一二三四五]|关键是?)[，,:：、]\s*"
    r"|(?:但是?|而且|不过|而|所以|当然)(?=[A-Za-z《「“我])"
    r"|(?:however|therefore|thus|moreover|furthermore|in addition|additionally|also|finally|first"
    r"|firstly|second|secondly|third|lastly|in fact|actually|of course|for example|meanwhile|overall"
    r"|in short|generally|basically|so|but|and)(?:, |(?<=but) |(?<=and) )(?=\w)",
    re.IGNORECASE,
)


def without_connective(text: str) -> str:
    """A sentence without the word that ties it to the one before; the quote keeps it."""
    match = _CONNECTIVE.match(text)
    rest = text[match.end() :] if match else text
    return rest[:1].upper() + rest[1:] if match and len(rest) > 8 else text


def with_dates(text: str, mentions: list[DateMention], lang: Lang) -> str:
    """The text with each relative date followed by what it means: yesterday (2023-05-07)."""
    out: list[str] = []
    done = 0
    for mention in mentions:
        if mention.relative:
            label = mention.label(lang)
            out.append(text[done : mention.end] + (f"（{label}）" if lang == "zh" else f" ({label})"))
            done = mention.end
    return "".join(out) + text[done:]
