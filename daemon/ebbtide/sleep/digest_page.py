"""The digest of a day as Markdown, for whoever wants it on top of a daily note. Pure.

It is a callout that says whose words it holds, so that none of them is ever taken for the person's own (parse.own_words); and it
opens notes by Obsidian's own addresses, since a link between notes would count as the person's, and what is shown is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from ebbtide.memory.states import Lang
from ebbtide.sleep.markup import md

CALLOUT: Final = "ebbtide"
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Worth a minute, {day}", "值得看一眼，{day}"),
    "revive": ("Coming back this week", "本周回想"),
    "serves": ("may serve in {place}", "也许用得上：{place}"),
    "reviews": ("Needs your ruling", "需要你裁决"),
    "more": ("{n} more: `ebbtide review`", "还有 {n} 项：`ebbtide review`"),
    "night": (
        "Last night: {processed} notes looked at, {candidates} candidates: {promote} promoted, {associate} associated, {compress}"
        " compressed, {release} let go",
        "昨晚：看了 {processed} 篇笔记，候选 {candidates} 个：提升 {promote}，关联 {associate}，压缩 {compress}，放下 {release}",
    ),
    "report": ("report", "报告"),
    "none": ("Nothing waits for you.", "没有等待你的内容。"),
}


def page(told: Mapping[str, Any], vault: str, lang: Lang) -> str:
    """The digest (as GET /v1/digest tells it) in a language; `vault` is the name by which Obsidian knows the vault."""
    zh = "_zh" if lang == "zh" else ""
    lines = [f"[!{CALLOUT}] {_say(lang, 'title', day=md(told['day']))}"]
    lines += [f"- {md(warning[f'text{zh}'], 300)}" for warning in told["warnings"]]
    lines += _revive(told["revive"], vault, lang)
    lines += _reviews(told["reviews"], int(told["open"]), vault, lang)
    if told["night"] is not None:
        report = f" ({_open(_say(lang, 'report'), told['report'], vault)})" if told["report"] else ""
        lines.append(f"- {_say(lang, 'night', **told['night'])}{report}")
    hint = told[f"hint{zh}"]
    lines += [f"- {md(hint, 300)}"] if hint else []
    if len(lines) == 1:
        lines.append(_say(lang, "none"))
    return "".join(f"> {line}\n" for line in lines)


def _revive(items: Sequence[Mapping[str, Any]], vault: str, lang: Lang) -> list[str]:
    lines = [f"- **{_say(lang, 'revive')}**"] if items else []
    for item in items:
        asked = md(item["question_zh" if lang == "zh" else "question"], 500)
        place = item["place"]
        where = _open(place["title"], place["path"], vault) if place is not None else ""
        serves = f" → {_say(lang, 'serves', place=where)}" if where else ""
        lines.append(f"    - {_open(item['title'], item['path'], vault)}: {asked}{serves}")
    return lines


def _reviews(items: Sequence[Mapping[str, Any]], many: int, vault: str, lang: Lang) -> list[str]:
    lines = [f"- **{_say(lang, 'reviews')}**"] if items else []
    for item in items:
        about = (
            f"“{md(item['text'], 160)}” ({_open(_name(item['note']), item['note'], vault)}): " if item["note"] else ""
        )
        lines.append(f"    - {about}{md(item['question'], 300)}")
    left = many - len(items)
    return [*lines, *([f"    - {_say(lang, 'more', n=left)}"] if items and left > 0 else [])]


def _open(title: object, path: object, vault: str) -> str:
    """An address that Obsidian opens, and that is no link between notes."""
    shown = md(title, 80) or md(path, 80)
    return f"[{shown}](obsidian://open?vault={_coded(vault)}&file={_coded(str(path))})"


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _coded(text: str) -> str:
    return quote(text.encode("utf-8", "replace"), safe="")


def _say(lang: Lang, name: str, **values: object) -> str:
    return _WORDS[name][lang == "zh"].format(**values)
