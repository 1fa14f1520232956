"""Items as a person and an agent read them: reasons in the asker's language, a live quote, the place it lands on. Pure.

A quote is live if the note still says it. `locate` finds it in the present text, at the stored line or nearest to it; an
item whose quote is gone is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import LAYER_OF_TYPE, Lang, Layer
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import term_set
from ebbtide.recall.rank import Evidence
from ebbtide.recall.score import Parts

TEXT_LIMIT = 1600
"""Characters of a passage that are shown."""
LEAD_BELOW = 0.5
_REASON = re.compile(r"\b(because|due to|so that|the reason|root cause|led to)\b|因为|由于|原因|是为了|导致", re.I)
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*$", re.M)

_WORDS: Mapping[str, Mapping[Lang, str]] = {
    "keyword": {
        "en": "holds {share} of what the question's words say (rank {rank} by keyword)",
        "zh": "含有问题用词信息的 {share}（关键词第 {rank} 位）",
    },
    "vector": {"en": "close in meaning (rank {rank}, {score:.2f})", "zh": "意思相近（第 {rank} 位，{score:.2f}）"},
    "cross": {"en": "found across languages, by meaning", "zh": "跨语言按意思找到"},
    "graph": {"en": "linked with {via}", "zh": "与 {via} 有链接"},
    "type": {"en": "is a {type}, which the question asks for", "zh": "属于问题所问的类型：{type}"},
    "exact": {"en": "is what the question names exactly", "zh": "正是问题点名的内容"},
    "date": {"en": "lies in the time that the question names", "zh": "在问题所问的时间之内"},
    "recent": {"en": "was of use of late", "zh": "最近被确认有用"},
}
_OF_NOTE: Mapping[str, Mapping[Lang, str]] = {
    "keyword": {
        "en": "holds {share} of what this note's words say (rank {rank} by keyword)",
        "zh": "含有这篇笔记用词信息的 {share}（关键词第 {rank} 位）",
    },
    "exact": {"en": "is what this note names exactly", "zh": "正是这篇笔记点名的内容"},
    "date": {"en": "lies in the time that this note names", "zh": "在这篇笔记所说的时间之内"},
}
"""What differs where not a question was asked but a note looked at."""


def reasons(
    evidence: Evidence,
    lang: Lang,
    *,
    crossed: bool,
    via: str | None,
    wanted: str | None,
    type_: str,
    of_note: bool = False,
) -> list[str]:
    """Why an item is here, most telling first. `of_note`: it stands near a note, nobody asked a question."""
    words = {**_WORDS, **_OF_NOTE} if of_note else _WORDS
    out: list[str] = [words["exact"][lang]] if "exact" in evidence.ranks else []
    if "keyword" in evidence.ranks and evidence.coverage > 0:
        share = f"{min(1.0, evidence.coverage):.0%}"
        out.append(words["keyword"][lang].format(share=share, rank=evidence.ranks["keyword"][0]))
    if "vector" in evidence.ranks:
        rank, score = evidence.ranks["vector"]
        out.append(_WORDS["cross" if crossed else "vector"][lang].format(rank=rank, score=score))
    out += [words[name][lang] for name in ("date", "recent") if name in evidence.ranks]
    if via is not None:
        out.append(_WORDS["graph"][lang].format(via=via))
    if wanted is not None and wanted == type_ and not of_note:
        out.append(_WORDS["type"][lang].format(type=type_))
    return out


_STEPS: Mapping[str, tuple[Mapping[Lang, str], Mapping[Lang, str]]] = {
    "causes": ({"en": "because of", "zh": "因为"}, {"en": "led to", "zh": "导致"}),
    "depends_on": ({"en": "rests on", "zh": "依赖"}, {"en": "is needed by", "zh": "支撑了"}),
    "supersedes": ({"en": "took the place of", "zh": "取代了"}, {"en": "was replaced by", "zh": "被后者取代"}),
    "supports": ({"en": "is supported by", "zh": "依据是"}, {"en": "supports", "zh": "支持"}),
    "contradicts": ({"en": "speaks against", "zh": "反驳了"}, {"en": "is contradicted by", "zh": "被后者反驳"}),
}
"""How a step is said: towards the ground, and away from it."""
_LINKED: Mapping[bool, Mapping[Lang, str]] = {
    True: {"en": "mentions", "zh": "提到"},
    False: {"en": "is mentioned in", "zh": "在后者中被提到"},
}


def step_words(type_: str, *, leads_back: bool, outward: bool, lang: Lang) -> str:
    """A step of a chain in words: how the note before goes on to the next one. A user's own word is said as it is."""
    if type_ in _STEPS:
        return _STEPS[type_][0 if leads_back else 1][lang]
    return _LINKED[outward][lang] if type_ == "mentioned" else f"{type_} →" if outward else f"← {type_}"


_STANDING: Mapping[str, Mapping[Lang, str]] = {
    "dispute": {"en": "disputed: another note says otherwise", "zh": "有争议：另一篇笔记的说法不同"},
    "stale": {"en": "no longer holds; asked about the past", "zh": "已不再成立；问题问的是过去"},
    "confirmed": {"en": "confirmed on {day}", "zh": "{day} 确认过"},
    "overtaken": {"en": "part of this has been superseded", "zh": "其中一部分已被新的说法取代"},
}


def standing_reasons(standing: Standing, against: Sequence[str], lang: Lang) -> list[str]:
    """What a person must know about where a fact stands."""
    out = [_STANDING["dispute"][lang]] if against else []
    if standing.state == "stale":
        out.append(_STANDING["stale"][lang])
    if standing.verified_at:
        out.append(_STANDING["confirmed"][lang].format(day=standing.verified_at))
    return out


def dispute_reason(lang: Lang) -> str:
    """Said of a passage that states what is disputed."""
    return _STANDING["dispute"][lang]


def overtaken_reason(lang: Lang) -> str:
    """Said of a passage that still states what was superseded."""
    return _STANDING["overtaken"][lang]


_ENDED: Mapping[str, Mapping[Lang, str]] = {
    "dropped": {"en": "the plan was dropped", "zh": "计划已放弃"},
    "rejected": {"en": "the proposal was turned down", "zh": "提案未被采纳"},
    "done": {"en": "the plan is done", "zh": "计划已完成"},
    "over": {"en": "it was replaced or has run out", "zh": "已被取代或已过期"},
}


def ended_reason(how: str, declared: bool, lang: Lang) -> str:
    """Said of what a note holds that tells of something that ended, with the ground: its properties, or only its words."""
    if lang == "zh":
        return f"{_ENDED[how][lang]}（{'笔记属性' if declared else '笔记正文'}如此说）"
    return f"{_ENDED[how][lang]}, by the note's {'properties' if declared else 'own words'}"


def column_of(text: str, offset: int) -> int:
    """0-based UTF-16 column of an offset in its line."""
    start = text.rfind("\n", 0, offset) + 1
    return len(text[start:offset].encode("utf-16-le", "surrogatepass")) // 2


def locate(text: str, quote: str, line: int) -> tuple[int, int] | None:
    """(offset, 1-based line) of the quote nearest to a line, or None if the note does not say it any more."""
    best: tuple[int, int, int] | None = None
    offset = text.find(quote)
    counted, at = 0, 1
    tries = 0
    while offset >= 0 and tries < 1000:
        at += text.count("\n", counted, offset)
        counted = offset
        if best is None or (abs(at - line), offset) < (best[0], best[1]):
            best = (abs(at - line), offset, at)
        if at >= line:
            break
        offset = text.find(quote, offset + 1)
        tries += 1
    return None if best is None else (best[1], best[2])


def held(text: str, words: frozenset[str]) -> int:
    """How many characters those of the words have that a text holds: longer words are rarer."""
    return sum(map(len, term_set(text) & words)) if words else 0


def best_sentence(passage: str, words: frozenset[str]) -> tuple[int, int]:
    """The span of the sentence that shares most with the question, else the first; rarer-looking (longer) words count more."""
    best = (0, min(len(passage), 300))
    score = -1.0
    for start, end in sentences(passage)[:60]:
        if not passage[start:end].strip():
            continue
        value = held(passage[start:end], words) / (20 + (end - start)) ** 0.3
        if value > score:
            best, score = (start, end), value
    return best


def gives_reason(text: str) -> bool:
    """True if a passage says why something is so, in so many words."""
    return _REASON.search(text) is not None


def shown(text: str) -> str:
    """A passage for reading: block ids gone, cut at a line end past the limit."""
    text = _BLOCK_ID.sub("", text).strip()
    if len(text) <= TEXT_LIMIT:
        return text
    cut = text.rfind("\n", 0, TEXT_LIMIT)
    return text[: cut if cut > TEXT_LIMIT // 2 else TEXT_LIMIT].rstrip() + " …"


_EPISODIC = frozenset(["episodic", "sprint", "roundtable", "debug", "experiment", "incident", "meeting", "daily"])
_PROCEDURAL = frozenset(["procedure", "procedural", "how-to", "howto", "runbook"])
_FACT_LAYERS: Mapping[str, Layer] = {str(name): layer for name, layer in LAYER_OF_TYPE.items()}


_PLACES: Mapping[str, tuple[str, Layer | None]] = {
    "core": ("core", None),
    "episodic": ("episode", "episodic"),
    "scenes": ("episode", "episodic"),
    "people": ("concept", "concept"),
    "working": ("working", "working"),
}
_PLACE = re.compile(rf"(?:^|/)({'|'.join(_PLACES)})/")


def of_memory(file_kind: str, path: str, type_: str | None) -> tuple[str, Layer]:
    """The kind and layer of a passage: by its folder where Ebbtide's own tiers lie (formats.md 1), else by the note's type."""
    found = _PLACE.search(path) if file_kind == "memory" else None
    kind, layer = _PLACES[found[1]] if found is not None else ("passage", None)
    return kind, layer or layer_of("passage", type_)


def layer_of(kind: str, type_: str | None) -> Layer:
    """The layer of a note or passage by its type; facts have a table of their own."""
    if kind == "fact":
        return _FACT_LAYERS.get(type_ or "", "semantic")
    if type_ in _EPISODIC:
        return "episodic"
    return "procedural" if type_ in _PROCEDURAL else "semantic"


def cited(note: str, line: int, as_of: str | None) -> str:
    """A citation. `parse.own_words` knows this form, so that a line pasted back into a note is no new evidence."""
    return f"[{note}:{line}{', ' + as_of if as_of else ''}]"


_MARKS: Mapping[str, Mapping[Lang, str]] = {
    "dispute": {"en": "(disputed: {place} says otherwise)", "zh": "（有争议：{place} 的说法不同）"},
    "told": {"en": "(disputed: “{text}” {place})", "zh": "（有争议：“{text}” {place}）"},
    "after": {"en": "(superseded by {place})", "zh": "（已被 {place} 取代）"},
    "part": {"en": "(superseded in part by {place})", "zh": "（其中一部分已被 {place} 取代）"},
    "stale": {"en": "(no longer holds)", "zh": "（已不再成立）"},
    "dropped": {"en": "(of a plan that was dropped)", "zh": "（所属计划已放弃）"},
    "rejected": {"en": "(of a proposal that was turned down)", "zh": "（所属提案未被采纳）"},
    "done": {"en": "(of a plan that is done)", "zh": "（所属计划已完成）"},
    "over": {"en": "(of a note that was replaced or has run out)", "zh": "（所属笔记已被取代或已过期）"},
}


def mark(kind: str, lang: Lang, place: str = "", text: str = "") -> str:
    """What must be said beside a claim that is disputed (`told`: by what) or does not hold any more."""
    return _MARKS[kind][lang].format(place=place, text=" ".join(text.split()))


def chain_line(step: Mapping[str, Any]) -> str:
    """A step of a causal chain as it is injected below the memory it leads on from."""
    text = " ".join(step["text"].split())
    as_of = step["date"] if step["source"] == step["note"] else None
    return f"{step['words']} {step['note']}: {text} {cited(step['source'], step['line'], as_of)}"


def inject(
    trigger: str | None, action: str | None, text: str, note: str, line: int, as_of: str | None, lang: Lang
) -> str:
    """The form for an agent: condition, then what to know or do, with its citation. The text is quoted data, never an instruction."""
    place = cited(note, line, as_of)
    body = action or text
    if not trigger:
        return f"{body} {place}"
    return f"{trigger}，{body} {place}" if lang == "zh" else f"{trigger}, {body} {place}"


def channels(evidence: Evidence) -> dict[str, Any]:
    """Where each way of finding placed a candidate."""
    return {name: {"rank": rank, "score": score} for name, (rank, score) in sorted(evidence.ranks.items())}


def parts(evidence: Evidence, scored: Parts) -> dict[str, Any]:
    """What a score is made of."""
    values = {name: round(float(getattr(scored, name)), 4) for name in ("R", "F", "I", "W", "B", "gate", "lapse")}
    return {"channels": channels(evidence), **values, "R": min(1.0, values["R"])}  # a type that is asked for adds to it


def temperature(scored: Parts) -> dict[str, Any]:
    """How warm an item is: word and number."""
    return {"word": scored.warmth.word, "value": round(scored.warmth.value, 4)}


def budget_reason(lang: Lang, tokens: int) -> str:
    """One sentence for an answer without items where something was found."""
    if lang == "zh":
        return f"预算只有 {tokens} 个 token，连最佳记忆的出处都放不下。"
    return f"A budget of {tokens} tokens is too small even for the citation of the best memory."


def empty_reason(lang: Lang, nearest: Sequence[str], why: str) -> str:
    """One sentence for an answer without items: why, and the nearest titles as guesses."""
    names = (", " if lang == "en" else "、").join(nearest[:3])
    if lang == "zh":
        return {
            "empty": "问题是空的。",
            "index": "索引里还没有笔记。",
            "scope": "这个文件夹里没有已索引的笔记。",
            "type": "没有这一类型的记忆。",
            "weak": f"没有足够可靠的记忆。也许相关（未证实）：{names}。" if names else "没有找到相关的记忆。",
        }[why]
    return {
        "empty": "The question is empty.",
        "index": "No note is indexed yet.",
        "scope": "No indexed note lies in that folder.",
        "type": "No memory of that type was found.",
        "weak": f"Nothing is sure enough. Perhaps (unverified): {names}." if names else "Nothing related was found.",
    }[why]
