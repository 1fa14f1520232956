"""What a report tells of the night's hygiene: what is asked about, what was put away or set aside, what waited in vain. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ebbtide.memory.states import Lang
from ebbtide.sleep import checkup
from ebbtide.sleep.markup import md, plain
from ebbtide.sleep.nights import Quote, Step

SHOWN: Final = 40
"""Rows of a list that the page shows; the twin has all of them."""
_WORDS: Final = {
    "asked": ("The check-up asks", "例行复查的问题"),
    "asked_how": ("Answer with `ebbtide review`; no word was changed.", "用 `ebbtide review` 回答；没有改动任何文字。"),
    "moved": ("Working notes put away", "收起的工作笔记"),
    "moved_how": ("They lie in `.history` and come back with an undo.", "原文在 `.history` 中，撤销即可恢复。"),
    "set_aside": ("Set aside: doubtful sources", "已隔离：来源存疑"),
    "set_aside_how": (
        "Not recalled until cleared: `ebbtide clear ID`, or answer with `ebbtide review`.",
        "确认之前不会用于回答：`ebbtide clear ID`，或用 `ebbtide review` 回答。",
    ),
    "lapsed": ("Let go: waited in vain to be said again", "放下：一直没有再次出现"),
    "more": ("{n} more, see the JSON beside this page.", "还有 {n} 条，见同名 JSON。"),
    "until": ("waited until {day}", "等到 {day}"),
    "facts": ("{n} facts", "{n} 条事实"),
    "colon": (": ", "："),
}


@dataclass(frozen=True, slots=True)
class Lapsed:
    """A candidate of an earlier night that waited until a day (ISO) to be borne out, and was not."""

    quote: Quote
    until: str


@dataclass(frozen=True, slots=True)
class Hygiene:
    """What a night's hygiene came to, by its steps."""

    asked: tuple[Step, ...] = ()
    moved: tuple[Step, ...] = ()
    set_aside: tuple[Step, ...] = ()
    lapsed: tuple[Lapsed, ...] = ()


def hygiene_of(steps: Iterable[Step], lapsed: Sequence[Lapsed] = ()) -> Hygiene:
    """Those steps of a night that are its hygiene."""
    listed = list(steps)
    return Hygiene(
        tuple(step for step in listed if step.kind == "expire" and "check" in step.extra),
        tuple(step for step in listed if step.kind == "expire" and step.path),
        tuple(step for step in listed if step.kind == "quarantine" and "check" in step.extra),
        tuple(lapsed),
    )


def counts(told: Hygiene) -> dict[str, int]:
    """How many: questions, working notes moved and those of them that became episodes, facts and memories set aside, candidates."""
    return {
        "asked": len(told.asked),
        "moved": len(told.moved),
        "episodes": sum("written" in step.extra for step in told.moved),
        "set_aside": sum(len(step.subjects) for step in told.set_aside),
        "lapsed": len(told.lapsed),
    }


def twin(told: Hygiene) -> dict[str, Any]:
    """As `reports/DATE.json` holds it."""
    return {
        "counts": counts(told),
        "asked": [
            {"id": step.subjects[0], "check": step.extra["check"], "why": step.why, **_place(step.evidence[0])}
            for step in told.asked
        ],
        "moved": [
            {"path": step.evidence[0].note, "episode": step.extra.get("written"), "why": step.why}
            for step in told.moved
        ],
        "set_aside": [
            {
                "note": step.evidence[0].note,
                "ids": list(step.subjects),
                "check": step.extra["check"],
                "why": step.why,
                "quotes": [_place(quote) for quote in step.evidence],
            }
            for step in told.set_aside
        ],
        "lapsed": [{**_place(one.quote), "until": one.until} for one in told.lapsed],
    }  # fmt: skip


def _place(quote: Quote) -> dict[str, Any]:
    return {"note": quote.note, "line": quote.line, "quote": quote.text}


Link = Callable[..., str]
"""A link to a file of the vault: (path, title, line)."""


def sections(told: Hygiene, lang: Lang, link: Link) -> list[list[str]]:
    """The parts of the page, each as lines; none for what did not happen."""
    out: list[list[str]] = []
    for name, rows in (
        ("asked", [_asked(step, lang, link) for step in told.asked]),
        ("moved", [_moved(step, lang, link) for step in told.moved]),
        ("set_aside", [_set_aside(step, lang, link) for step in told.set_aside]),
        ("lapsed", [_lapsed(one, lang, link) for one in told.lapsed]),
    ):
        if not rows:
            continue
        more = len(rows) - SHOWN
        how = [_say(lang, f"{name}_how")] if f"{name}_how" in _WORDS else []
        tail = [*([_say(lang, "more", n=more)] if more > 0 else []), *(["", *how] if how else [])]
        out += [[f"## {_say(lang, name)}"], [*rows[:SHOWN], *tail]]
    return out


def _asked(step: Step, lang: Lang, link: Link) -> str:
    first = step.evidence[0]
    beside = "".join(f" ({link(quote.note, '', quote.line)})" for quote in step.evidence[1:2])
    return f"- “{md(first.text, 240)}” ({link(first.note, '', first.line)}){_say(lang, 'colon')}{md(_why(step, lang))}{beside}"


def _moved(step: Step, lang: Lang, link: Link) -> str:
    written = step.extra.get("written")
    to = f" → {link(str(written), '', None)}" if written else ""
    return f"- {md(step.evidence[0].text)}{_say(lang, 'colon')}{md(_why(step, lang))}{to}"


def _set_aside(step: Step, lang: Lang, link: Link) -> str:
    first = step.evidence[0]
    many = len(step.subjects)
    ident = "`" + plain(step.subjects[0], 40).replace("`", "") + "`" if many == 1 else _say(lang, "facts", n=many)
    where, colon = link(first.note, "", first.line), _say(lang, "colon")
    return f"- {where}{colon}{md(_why(step, lang))} ({ident}){colon}“{md(first.text, 240)}”"


def _why(step: Step, lang: Lang) -> str:
    """Its reason in the language of the page; in the note's where only that is known."""
    code = step.extra.get("check") or f"working-{step.extra.get('working')}"
    return checkup.reason(str(code), step.extra.get("said") or {}, lang) or step.why


def _lapsed(one: Lapsed, lang: Lang, link: Link) -> str:
    where = link(one.quote.note, "", one.quote.line)
    return f"- “{md(one.quote.text, 240)}” ({where}){_say(lang, 'colon')}{_say(lang, 'until', day=one.until)}"


def _say(lang: Lang, name: str, **values: object) -> str:
    return _WORDS[name][lang == "zh"].format(**values)
