"""The sentences of the review queue, in the language of the record they ask about. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

from ebbtide.memory.states import Lang

ReviewKind = Literal["lines", "dispute", "wrong", "expired", "held", "quarantined", "merge", "missing-result"]
KINDS: Final[tuple[ReviewKind, ...]] = get_args(ReviewKind)
"""Kinds of open questions, the most pressing first."""

Ruling = Literal[
    "keep_a", "keep_b", "both", "merge", "still_true", "archive", "accept", "refuse", "clear", "forget",
    "bring_back", "keep_file", "later",
]  # fmt: skip
RULINGS: Final[tuple[Ruling, ...]] = get_args(Ruling)

CHOICES: Final[Mapping[ReviewKind, tuple[Ruling, ...]]] = {
    "lines": ("bring_back", "keep_file"),
    "dispute": ("keep_a", "keep_b", "both", "merge", "later"),
    "wrong": ("still_true", "archive", "later"),
    "expired": ("still_true", "archive", "later"),
    "held": ("accept", "refuse", "later"),
    "quarantined": ("clear", "forget", "later"),
    "merge": ("merge", "both", "later"),
    "missing-result": ("later",),
}

_LABELS: Final[Mapping[Ruling, tuple[str, str]]] = {
    "keep_a": ("The older one holds (a)", "以较早的为准（a）"),
    "keep_b": ("The newer one holds (b)", "以较新的为准（b）"),
    "both": ("Both are true", "两条都对"),
    "merge": ("They say the same: merge them", "说的是同一件事：合并"),
    "still_true": ("It is still true", "仍然成立"),
    "archive": ("Archive it", "归档"),
    "accept": ("Remember it", "记住"),
    "refuse": ("Do not remember it", "不记"),
    "clear": ("It is sound", "没有问题"),
    "forget": ("Forget it", "忘记"),
    "bring_back": ("Keep the lines", "保留这些行"),
    "keep_file": ("Forget them: the file is right", "忘记：以文件为准"),
    "later": ("Ask again in a week", "一周后再问"),
}


def choices(kind: ReviewKind, lang: Lang) -> list[dict[str, str]]:
    """What may be ruled on a question of this kind: {ruling, label}."""
    return [{"ruling": ruling, "label": _LABELS[ruling][lang == "zh"]} for ruling in CHOICES[kind]]


def question(
    kind: ReviewKind, lang: Lang, *, why: str = "", checked: str = "", count: int = 0, finding: bool = False
) -> str:
    """One sentence that asks. `why`: the reason that is known; `checked`: the day it was last known to be true; `finding`: a check-up
    found the reason, so that it is asked about that."""
    zh = lang == "zh"
    told = f"（{why}）" if why and zh else f" ({why})" if why else ""
    if kind == "dispute":
        return f"这两条互相矛盾{told}，哪一条对？" if zh else f"These two contradict each other{told}: which one holds?"
    if kind == "wrong":
        return (
            f"有人说这一条不对{told}，它还成立吗？"
            if zh
            else f"This was called wrong{told}: does it hold all the same?"
        )
    if kind == "expired" and finding:
        return f"这一条要不要保留{told}？" if zh else f"Does this still stand as it is{told}?"
    if kind == "quarantined" and count > 1:
        return (
            f"这 {count} 条被隔离了{told}，可信吗？"
            if zh
            else f"These {count} were set aside{told}: can they be trusted?"
        )
    if kind == "expired":
        since = (f"（上次确认：{checked}）" if zh else f" (last known on {checked})") if checked else ""
        return f"这一条现在还成立吗{since}？" if zh else f"Is this still true{since}?"
    if kind == "held":
        return f"这一条先放着没记{told}，要记住吗？" if zh else f"This was held back{told}: should it be remembered?"
    if kind == "quarantined":
        return f"这一条被隔离了{told}，可信吗？" if zh else f"This was set aside{told}: can it be trusted?"
    if kind == "merge":
        return (
            f"这两条核心记忆说的是同一件事{told}，要把前一条并为后一条的依据吗？"
            if zh
            else f"Do these two core memories say the same{told}, so that the first becomes evidence of the second?"
        )
    if kind == "lines":
        if zh:
            return f"facts.jsonl 少了 {count} 行：是要忘记它们吗？"
        return f"{count} lines were missing from facts.jsonl: were they meant to be forgotten?"
    return (
        "这件事结果如何？请写进笔记（result）。" if zh else "How did this turn out? Write the `result` into the note."
    )
