"""What an exam says in words, in both languages: why something failed, and what was not measured. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_WHY: Final[Mapping[str, tuple[str, str]]] = {
    "not-found": ("no right note among the first three", "前三条里没有正确的笔记"),
    "silent": ("recall found nothing sure enough", "没有找到足够可靠的记忆"),
    "answered": ("something was shown where nothing answers", "本无答案，却给出了内容"),
    "not-cited": ("the quote is not shown at its line", "没有在所引行给出原文"),
    "outranked": ("what does not hold any more came first", "已不成立的说法排在前面"),
    "undetected": ("the contradiction was not noticed", "没有发现这处矛盾"),
    "old-first": ("the earlier statement came before the later one", "较早的说法排在较晚的说法之前"),
    "alarm": ("said again in other words, and called a contradiction", "只是换个说法，却被当成矛盾"),
    "cited-elsewhere": ("another line was cited for it", "引用了别的行"),
    "dead-quote": ("the note does not say it any more", "笔记里已没有这句原文"),
    "one-source": ("concluded, without two dated sources", "由推断而来，没有两处带日期的来源"),
    "called-wrong": ("called wrong, and not confirmed since", "被指为错误，之后没有确认"),
}
NOTICES: Final[Mapping[str, tuple[str, str]]] = {
    "no-questions": (
        "The exam has no questions of your own. Add one: ebbtide exam add QUESTION --gold NOTE,"
        " or after a recall: ebbtide exam add --last right",
        "还没有你自己的题。可以添加：ebbtide exam add 问题 --gold 笔记，或在一次回忆之后：ebbtide exam add --last right",
    ),
    "few-questions": (
        "{n} questions show only large differences; 30 and more are better.",
        "只有 {n} 道题，只能看出很大的差别；最好有 30 道以上。",
    ),
    "no-types": (
        "No question says which type it asks for (`type`), so the share of wrong types is not measured.",
        "没有题目注明所问的类型（type），所以不计类型不符的比例。",
    ),
    "few-plants": (
        "Only {n} facts of this vault could be contradicted; below 10 this part shows little.",
        "这个库里只有 {n} 条事实可以植入矛盾；少于 10 条时这一部分说明不了什么。",
    ),
    "part-copied": (
        "The contradictions were planted in a copy of {n} of {of} notes.",
        "矛盾植入在 {of} 篇笔记中 {n} 篇的副本里。",
    ),
    "unborn": (
        "This vault has no memory folder yet: what is kept lies in the cache of this device.",
        "这个库还没有记忆文件夹：保留的结果放在本机的缓存里。",
    ),
    "no-model": ("By keyword only: {why}", "仅按关键词：{why}"),
    "claude-off": (
        "Judging by Claude was not run: {why} Success is judged by the answers' words, else by the note.",
        "没有用 Claude 评判：{why} 是否答得出按答案用词判断，没有时按笔记判断。",
    ),
    "claude-failed": (
        "Of {of} packets Claude was to judge, {n} have no verdict ({why}); there the note decides.",
        "交给 Claude 评判的 {of} 份中有 {n} 份没有结论（{why}），改按笔记判断。",
    ),
}
"""By code; the words in braces are filled in."""


def why_of(code: str) -> tuple[str, str]:
    """Why something failed, in English and Chinese."""
    return _WHY[code]
