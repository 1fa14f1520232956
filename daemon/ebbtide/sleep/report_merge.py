"""What a report says of merging: which memories became evidence of another, and that a smaller core is a success. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ebbtide.memory.states import Lang
from ebbtide.sleep import trend
from ebbtide.sleep.markup import md
from ebbtide.sleep.trend import Record

MONTH: Final = 30
_WORDS: Final[Mapping[str, Mapping[Lang, str]]] = {
    "merged": {"en": "Merged", "zh": "合并"},
    "into": {"en": "now evidence of {into}", "zh": "成为 {into} 的依据"},
    "how": {
        "en": "`ebbtide undo {revision}` takes the first one back; the others likewise, by the JSON beside this page.",
        "zh": "`ebbtide undo {revision}` 可撤回第一项；其余见同名 JSON，同样可撤回。",
    },
    "smaller": {
        "en": "The core is smaller than on {day}: {then} memories then, {now} now. Fewer, sharper memories serve better.",
        "zh": "核心记忆比 {day} 更少：当时 {then} 条，现在 {now} 条。少而精更好用。",
    },
}


@dataclass(frozen=True, slots=True)
class Joined:
    """A core memory that became evidence of another: the revision that says so, both paths, what it claimed, and why."""

    revision: str
    covered: str
    into: str
    text: str
    why: str


def sections(joined: Sequence[Joined], lang: Lang, to: Callable[[str], str]) -> list[list[str]]:
    """The part of the page about what was merged; nothing if nothing was. `to` makes a link of a vault path."""
    if not joined:
        return []
    colon, sep = ("：", "；") if lang == "zh" else (": ", "; ")
    lines = [
        f"- {to(one.covered)}{colon}“{md(one.text, 300)}”{sep}{_say('into', lang, into=to(one.into))}{sep}{md(one.why, 300)}"
        for one in joined
    ]
    return [[f"## {_say('merged', lang)}"], [*lines, "", _say("how", lang, revision=joined[0].revision)]]


def success(item: Record, history: Sequence[Record], lang: Lang) -> list[str]:
    """The lines that tell of a core that has become smaller in a month; nothing if it has not."""
    then = trend.before(history, str(item["day"]), MONTH)
    change = trend.change(item, then, "core")
    if then is None or change is None or change.by >= 0:
        return []
    now, was = trend.value(item, "core") or 0.0, trend.value(then, "core") or 0.0
    told = _say("smaller", lang, day=str(then["day"]), then=f"{was:.0f}", now=f"{now:.0f}")
    return ["> [!success]", f"> {told}"]


def twin(joined: Sequence[Joined]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {"revision": one.revision, "covered": one.covered, "into": one.into, "text": one.text, "why": one.why}
        for one in joined
    ]


def _say(name: str, lang: Lang, **values: str) -> str:
    return _WORDS[name][lang].format(**values)
