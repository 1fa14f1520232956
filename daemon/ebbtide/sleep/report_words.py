"""The words of the report, in English and Chinese. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ebbtide.memory.states import Lang

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "title": ("Night of {day}", "{day} 之夜"),
    "night": (
        "{processed} notes looked at, {candidates} candidates: {promote} promoted, {associate} associated, {compress} compressed,"
        " {release} released.",
        "看了 {processed} 篇笔记，候选 {candidates} 个：提升 {promote}，关联 {associate}，压缩 {compress}，释放 {release}。",
    ),
    "no_night": ("Only the figures: no night was run.", "只有数字：今晚没有整理。"),
    "share": ("Share of each outcome: {shares}.", "各去向占比：{shares}。"),
    "promote_share": ("promoted", "提升"),
    "associate_share": ("associated", "关联"),
    "compress_share": ("compressed", "压缩"),
    "release_share": ("released", "释放"),
    "chart": ("Trends of the figures below", "下列数字的走势"),
    "rulings": ("Needs your ruling", "需要你裁决"),
    "rulings_none": ("Nothing waits for a ruling.", "没有等待裁决的内容。"),
    "rulings_more": ("{n} more. Rule on them with `ebbtide review`.", "还有 {n} 项。用 `ebbtide review` 裁决。"),
    "rulings_how": ("Rule on them with `ebbtide review`.", "用 `ebbtide review` 裁决。"),
    "since": ("open since {day}", "自 {day} 起未裁决"),
    "figures": ("Figures of the core", "核心的数字"),
    "figure": ("figure", "数字"),
    "now": ("now", "现在"),
    "of": ("of", "范围"),
    "last": ("last night", "昨晚"),
    "month": ("30 days ago", "30 天前"),
    "better": ("better", "变好"),
    "worse": ("worse", "变差"),
    "undefined": ("not defined: {why}", "无定义：{why}"),
    "unknown": ("-", "-"),
    "pt": ("pt", "个百分点"),
    "promoted": ("Promoted, and why", "提升了什么，为什么"),
    "associate": ("Associated", "关联"),
    "compress": ("Compressed into what is there", "压缩进已有记忆"),
    "release": ("Let go", "放下的"),
    "none": ("Nothing.", "无。"),
    "why": ("Why", "为什么"),
    "how": ("How to apply", "怎么用"),
    "evidence": ("Evidence", "证据"),
    "beside": ("Beside", "相关"),
    "into": ("into {target}", "并入 {target}"),
    "with": ("with {target}", "与 {target}"),
    "instead": ("in the place of {target}", "取代 {target}"),
    "until": ("waits to be said again until {day}", "等待再次出现，至 {day}"),
    "relation": (
        "relation to the core: {relation}, said already: {share}",
        "与核心的关系：{relation}，已有说法占 {share}",
    ),
    "salience": ("salience {value} ({parts})", "显著度 {value}（{parts}）"),
    "judge": ("judged by {judge}", "裁定者：{judge}"),
    "new": ("new", "新"),
    "redundant": ("redundant", "重复"),
    "opposed": ("opposed", "相反"),
    "complements": ("complements", "补充"),
    "corrects": ("corrects", "更正"),
    "layers": ("Records per layer", "各层记录"),
    "layer": ("layer", "层"),
    "records": ("records", "记录数"),
    "week": ("in a week", "一周变化"),
    "semantic": ("semantic: facts, decisions, preferences", "语义：事实、决定、偏好"),
    "episodic": ("episodic: what happened", "情景：发生过什么"),
    "procedural": ("procedural: how it is done", "程序：怎么做"),
    "concept": ("concept: the core", "概念：核心记忆"),
    "working": ("working: what is under way", "工作：正在进行"),
    "revive": ("Coming back this week", "本周回想"),
    "revive_none": ("No core memory has been asleep for long.", "没有沉睡已久的核心记忆。"),
    "rest": ("Frozen for disuse", "因久未使用而冻结"),
    "rest_how": (
        "`ebbtide thaw ID` brings one back; decisions, preferences, procedures and principles are never frozen.",
        "`ebbtide thaw ID` 可恢复；决定、偏好、流程和原则从不冻结。",
    ),
    "rest_more": ("{n} more, see the JSON beside this page.", "还有 {n} 条，见同名 JSON。"),
    "spending": ("Spending", "花费"),
    "spent_none": ("Nothing was sent to a model.", "没有向模型发送任何内容。"),
    "spent": (
        "{requests} requests, {tokens} tokens ({read} read, {cached} of them from the cache, {written} written), {money} in the"
        " currency of `prices`.",
        "{requests} 次请求，{tokens} 个 token（读 {read}，其中缓存 {cached}，写 {written}），按 `prices` 的币种计 {money}。",
    ),
    "caps": ("The day's caps: {tokens} tokens, {money}.", "当日上限：{tokens} 个 token，{money}。"),
    "spent_night": (
        "Of it for judging at night: {requests} requests, {tokens} tokens, {money}.",
        "其中用于夜间裁定候选：{requests} 次请求，{tokens} 个 token，{money}。",
    ),
    "no_cap": ("none", "无"),
    "waiting": ("{n} notes still wait to be read.", "还有 {n} 篇笔记等待阅读。"),
    "paused": ("Nothing is sent for now: {reason}", "暂不发送：{reason}"),
    "skipped": ("Left out, and why", "略过的，及原因"),
    "foot": (
        "Written by Ebbtide from the revisions of this night; the same in machine-readable form: {json}. Undo the night:"
        " `ebbtide sleep --undo {day}`.",
        "由 Ebbtide 根据当晚的修订写成；机器可读版：{json}。撤销当晚：`ebbtide sleep --undo {day}`。",
    ),
    "foot_figures": (
        "Written by Ebbtide; the same in machine-readable form: {json}.",
        "由 Ebbtide 写成；机器可读版：{json}。",
    ),
    "private": ("private", "私密"),
    "nov": ("new", "新颖"),
    "ins": ("insight", "领悟"),
    "chg": ("change", "变化"),
    "lnk": ("ties", "联系"),
    "rev": ("revises", "修正"),
    "dispute": ("contradiction", "矛盾"),
    "expired": ("past its time", "已过期限"),
    "check": ("check-up", "复查"),
    "held": ("held back", "暂缓"),
    "wrong": ("called wrong", "被指错"),
    "quarantined": ("quarantined", "已隔离"),
    "merge": ("say the same", "说法相同"),
    "sep": ("; ", "；"),
    "comma": (", ", "、"),
    "colon": (": ", "："),
}


def say(lang: Lang, name: str, **values: object) -> str:
    """A phrase with its blanks filled; what is filled in must be escaped by the caller."""
    text = _WORDS[name][lang == "zh"]
    return text.format(**values) if values else text


def known(name: str) -> bool:
    """Whether there is a phrase of this name."""
    return name in _WORDS
