"""What follows from a comparison: supersede, merge or dispute, with a reason a person understands, in English and Chinese."""

from __future__ import annotations

from typing import Final

from ebbtide.memory.conflict_claim import Claim, ConflictKind, Verdict

_APART: Final = {
    "scope": ("They hold for different places, projects or people.", "两者针对不同的环境、项目或对象。"),
    "time": ("Each is true for its own time.", "两者各在自己的时间内成立。"),
    "series": ("They are records of different days.", "两者是不同日期的记录。"),
    "plan": ("One is the plan, the other the outcome.", "一个是计划，另一个是结果。"),
    "condition": ("The difference is quoted or only supposed.", "差异出现在引用或假设之中。"),
    "subject": ("They are about different things.", "两者说的不是同一件事。"),
}
_SAYS: Final[dict[str, tuple[str, str]]] = {
    "negation": ("one says what the other denies", "一方肯定，另一方否定"),
    "number": ("the numbers differ", "数字不同"),
    "unit": ("the units make them different amounts", "单位不同，数量不等"),
    "date": ("the dates differ", "日期不同"),
    "entity": ("the same place names something else", "同一位置的名称不同"),
    "choice": ("something else was chosen", "选择不同"),
    "owner": ("somebody else is responsible", "负责人不同"),
    "quantifier": ("one says all, none or only, the other does not", "一方说全部、没有或只有，另一方并非如此"),
    "order": ("the order is reversed", "先后或高下相反"),
}
_SHOWN: Final = 60


def same_slot(a: Claim, b: Claim) -> bool:
    """Whether both are known to speak of the same attribute of the same subject, in the same scope."""
    if not (a.subject and b.subject and a.attribute and b.attribute):
        return False
    return (
        a.subject.casefold() == b.subject.casefold()
        and a.attribute.casefold() == b.attribute.casefold()
        and (a.scope or "").casefold() == (b.scope or "").casefold()
        and (a.project or "").casefold() == (b.project or "").casefold()
    )


def nothing(why: str) -> Verdict:
    """The two have nothing to do with each other."""
    return Verdict(False, None, 0.0, None, why, "", "")


def apart(why: str) -> Verdict:
    """They differ, and both can be true."""
    return Verdict(False, None, 0.0, None, why, *_APART[why])


def agreement(why: str) -> Verdict:
    """They say the same: the evidence of both belongs together."""
    return Verdict(False, None, 0.0, "merge", why, "Both say the same.", "两者说法一致。")


def contradiction(a: Claim, b: Claim, kind: ConflictKind, score: float, why: str, a_span: str, b_span: str) -> Verdict:
    """They cannot both be true. Superseded only in one slot with a single value, if one is known to be the later."""
    score = round(max(0.0, min(1.0, score)), 4)
    later = later_of(a, b) if same_slot(a, b) and a.single_valued and b.single_valued else None
    english, chinese = _SAYS[kind]
    one, two = _shown(a_span), _shown(b_span)
    if later is None:
        reason = f"{english[0].upper()}{english[1:]}: “{one}” and “{two}”."
        return Verdict(True, kind, score, "dispute", why, reason, f"{chinese}：“{one}”与“{two}”。", a_span, b_span)
    new, old = (one, two) if later is a else (two, one)
    when = f" ({later.valid_from or later.date})" if later.valid_from or later.date else ""
    return Verdict(
        True,
        kind,
        score,
        "supersede",
        why,
        f"“{new}”{when} replaces “{old}”: {english}.",
        f"“{new}”{when}取代“{old}”：{chinese}。",
        a_span,
        b_span,
    )


def later_of(a: Claim, b: Claim) -> Claim | None:
    """The claim that replaces the other: it tells of the change, or it holds from a later day; None if that is open."""
    day_a, day_b = a.valid_from or a.date, b.valid_from or b.date
    dated = (a if day_a > day_b else b) if day_a and day_b and day_a != day_b else None
    if a.change != b.change:
        changed = a if a.change else b
        return changed if dated is None or dated is changed else None
    return dated if (a.valid_from and b.valid_from) or a.change else None


def _shown(span: str) -> str:
    text = " ".join(span.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
