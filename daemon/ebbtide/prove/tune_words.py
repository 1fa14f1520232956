"""What tuning says in words, in both languages: why a setting changes, and why nothing does. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Told = dict[str, str]

NOTICES: Final[Mapping[str, tuple[str, str]]] = {
    "few-uses": (
        "{uses} uses are confirmed; {missing} more are wanted before anything is fitted to them (heat.tune_least = {least})."
        " Nothing was changed. Confirm one with: ebbtide used ID",
        "目前有 {uses} 次确认的使用，还差 {missing} 次才会据此调整（heat.tune_least = {least}）。"
        "没有改动任何设置。确认一次：ebbtide used ID",
    ),
    "few-weeks": (
        "The uses do not reach over enough weeks and memories to fit warmth to the earlier and judge it by the later ones.",
        "这些使用所跨的周数和记忆还太少，无法用前一段拟合温度、用后一段检验。",
    ),
    "bands-form": (
        "Warmth is by fixed bands (recall.temperature = bands), so the half-life has no say and is not fitted.",
        "温度采用固定分段（recall.temperature = bands），半衰期不起作用，因此不调整。",
    ),
    "life-kept": (
        "No other half-life foretells the later weeks better by more than noise: it stays.",
        "没有别的半衰期能对后一段的使用预测得明显更好：保持不变。",
    ),
    "bands-kept": (
        "No other thresholds of hot and warm say more about the later weeks: they stay.",
        "没有别的“热”“温”界限能对后一段说明得更多：保持不变。",
    ),
    "few-questions": (
        "The exam has {n} questions that can be asked; below {least} the weights of the score and the thresholds of silence are"
        " not fitted. Add one: ebbtide exam add QUESTION --gold NOTE",
        "考题中可用的有 {n} 道；少于 {least} 道时不调整打分权重与沉默界限。可以添加：ebbtide exam add 问题 --gold 笔记",
    ),
    "some-asked": (
        "Of {n} questions of the exam {asked} are asked for this.",
        "考卷共 {n} 道题，这里只问其中 {asked} 道。",
    ),
    "warmth-hurts": (
        "The fitted warmth makes the exam worse ({lost} questions lost, {gained} gained), so it is not taken.",
        "拟合的温度使考试变差（失 {lost} 题，得 {gained} 题），因此不采用。",
    ),
    "all-right": (
        "Every question of the half to fit goes right already: there is nothing to gain.",
        "用于拟合的那一半题目已全部答对：没有可改进之处。",
    ),
    "exam-kept": (
        "No weights near those in force do better on the half to fit: they stay.",
        "在现有权重附近，没有更好的取值：保持不变。",
    ),
    "exam-unsure": (
        "Other weights do better on the half they were fitted to (+{gained} -{lost}), but not on the other half"
        " (+{gained2} -{lost2}): they are not taken.",
        "别的权重在拟合的一半上更好（+{gained} -{lost}），在另一半上却没有（+{gained2} -{lost2}）：不采用。",
    ),
}
TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "life": ("used within 7 days, foretold by warmth (log-loss a week)", "由温度预测 7 天内是否被使用（每周对数损失）"),
    "bands": ("used within 7 days, foretold by hot, warm, cool", "由热、温、凉预测 7 天内是否被使用"),
}
_WHY: Final[Mapping[str, tuple[str, str]]] = {
    "slower": (
        "memories go on being used for longer than assumed; the later weeks are foretold better (log-loss {before:.4f} to {after:.4f})",
        "记忆被使用的时间比原先设想的更久；后一段预测得更好（对数损失 {before:.4f} 到 {after:.4f}）",
    ),
    "faster": (
        "memories fall out of use sooner than assumed; the later weeks are foretold better (log-loss {before:.4f} to {after:.4f})",
        "记忆比原先设想的更早不再被使用；后一段预测得更好（对数损失 {before:.4f} 到 {after:.4f}）",
    ),
    "gain": (
        "what days of use add to that time, fitted along with it (log-loss {before:.4f} to {after:.4f})",
        "使用天数对这一时间的延长，与之一同拟合（对数损失 {before:.4f} 到 {after:.4f}）",
    ),
    "bands": (
        "here the chance of a use within the week changes most (log-loss of the three words {before:.4f} to {after:.4f})",
        "一周内被使用的机会在此处变化最大（三个词的对数损失 {before:.4f} 到 {after:.4f}）",
    ),
    "exam": (
        "more of your own questions go right: +{gained} -{lost} on the half it was fitted to, +{gained2} -{lost2} on the other",
        "你自己的题答对得更多：拟合的一半 +{gained} -{lost}，另一半 +{gained2} -{lost2}",
    ),
}


def notice(code: str, **values: Any) -> Told:
    """A notice by its code."""
    text, text_zh = NOTICES[code]
    return {"code": code, "text": text.format(**values), "text_zh": text_zh.format(**values)}


def why(code: str, **values: Any) -> Told:
    """Why a setting changes."""
    text, text_zh = _WHY[code]
    return {"why": text.format(**values), "why_zh": text_zh.format(**values)}
