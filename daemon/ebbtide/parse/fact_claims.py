"""Every claim a note makes: list items, turns and sentences here, properties and table rows from `fact_cells`.

Left out: code, mathematics, templates, what others said (quotations), open to-dos without a date, questions, greetings,
lists of references. What is left is weighed and picked in `fact_pick`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ebbtide.memory.records import Note, Unit
from ebbtide.memory.states import FactType
from ebbtide.parse import fact_cues as cues
from ebbtide.parse.fact_cells import Scene, by_place, is_relation, kind_of_place, property_claims, row_claims
from ebbtide.parse.fact_dialogue import Turn, in_third_person, is_user, says, turn_of, without_opening
from ebbtide.parse.fact_form import corrected, type_by_form
from ebbtide.parse.fact_pick import PLAIN, Claim
from ebbtide.parse.fact_places import type_by_place
from ebbtide.parse.fact_slots import is_ground
from ebbtide.parse.fact_text import (
    CONTINUES,
    MAX_FACT,
    clean_heading,
    code_of,
    context_of,
    first_person,
    is_code,
    only_link,
    plain,
    without_connective,
)
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import count_cjk, fold, is_cjk

MAX_UNIT: Final = 20_000
"""Characters read of one block: a longer paragraph is a paste."""
MAX_JOINED: Final = 260
"""Characters that two sentences may have together to become one claim."""
MAX_CLAIMS: Final = 3_000

_SILENT_CALLOUTS: Final = frozenset({"quote", "cite", "question", "help", "faq", "todo", "bug?", "excalidraw"})
_SILENT_SECTIONS = re.compile(
    r"参考|引用|来源|出处|相关链接|延伸阅读|外部链接|目录|附录|标签|^see also|^references?\b"
    r"|^bibliography|^sources?$|^external links|^further reading|^footnotes|^table of contents|^toc$"
    r"|^links$|^related"
)
_PLACEHOLDER = re.compile(r"\{\{|<%")
_INLINE_CODE = re.compile(r"`[^`\n]{0,500}`")
_CALLOUT_HEAD = re.compile(r"(?:>\s?)*\[![^\]\n]{1,40}\][+-]?[^\n]*\n?")
_DAY = re.compile(r"\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}")
_FOOTNOTE_TEXT = re.compile(r"\[\^[^\]\s]{1,40}\]:")
_MOSTLY_SYMBOLS = re.compile(r"[^\w\s\u3000-\u303f，。；：！？、（）“”‘’《》,.;:!?'\"()-]")
_LABELLED_URL = re.compile(r"[^:：]{0,40}[:：]\s*<?https?://\S+\Z")
_EMPTY_KEYS: Final = frozenset(
    {"up", "ps", "p.s", "注", "tips", "tip", "相关", "参考", "来源", "链接", "link", "source", "see", "via"}
)
_BOILERPLATE = re.compile(
    r"转载|著作权归|版权|关注公众号|点击关注|all rights reserved|\bcopyright\b|licensed under|本文由"
    r"|^see (?:here|also)|详见|请参[考阅]|更多信息|for more information"
)
_ANY_FIRST = re.compile(r"\b(?:i|my|me|i'm|i've|we|our)\b|我")
_STATES = re.compile(r"(?:\S+ ){1,6}(?:is|are|was|were|has|have|had)\b|[^，。]{0,12}，?[它这那](?:就)?是")
_FIELD_KEY = re.compile(r"[\s>*+-]*(?:\d+[.)]\s+)?[*_]{0,2}([^\s:*_\[\]()][^:\n*\[\]()]{0,30}?)[*_]{0,2}::(?!:)")
_CLOCK = re.compile(
    r"(?:\d{1,2}:\d{2}|(?:清晨|早上|上午|中午|下午|傍晚|晚上|夜里|凌晨|早晨|半夜)\s?[\d一二三四五六七八九十]{1,3}\s?(?:点半?|时|:\d{2})"
    r"|\d{1,2} ?[ap]\.?m\b)(?!\s*(?:[-–—~到至]|to\b))"
)
"""A clock time at the start of an item: what happened then. A span of hours is a habit or a plan."""
_FOR_WHOM = re.compile(r"for (?:any(?:body|one)|every(?:body|one)|whoever|me\b|myself|those) ?(?:who)?", re.IGNORECASE)
_POINTER = re.compile(
    r"(?:[在见看]|参考|\b(?:in|see|at|is|are))\s*(?:这里)?[:：]?\s*\[\[[^\]\n]+\]\]\s*[。.!]?\s*\Z", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"(?:it|its|it's|they|he|she|him|her|these|those|that's|this|that)\b(?! (?:week|month|year|morning|evening|summer|winter|time)\b)"
    r"|[它他她](?!人)|[这那](?=[是个些样里])",
    re.IGNORECASE,
)
_END_ID = re.compile(r"\s+\^[A-Za-z0-9-]+\s*\Z")
_SUPPOSED = re.compile(r"假设|假如|设想|试想|(?:suppose|imagine|assume)\b")
_MIDDLE = re.compile(r"\d[\d,]* ?, [a-z]")
_ASIDE = re.compile(r"^[(（].*[)）]$")
_VERB_ZH = re.compile(
    r"[是有在了要会能可用为把被让使从不没做去来给出得应由需将于以支占属含叫指加改选定选说看写读吃买开关打取提发成入到建设学教练保持避免减增升降]"
)
_VERB_EN = re.compile(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|should|must|may"
    r"|might|'s|'re|'m|n't|\w{2,}ed|\w{3,}ing|\w{2,}[^s\s]s|went|got|made|met|took|gave|found|came|saw"
    r"|ran|won|lost|built|wrote|left|kept|began|let|use|need|want|run|set|get|make|keep|put|read|see"
    r"|try|work|love|like|hate|think|know|feel|believe|prefer|refuse|avoid|enjoy)\b"
)


def claims_of(scene: Scene) -> list[Claim]:
    """All claims of a note, in the order of its text, unweighed."""
    claims = list(property_claims(scene))
    for claim in claims:
        claim.folded = fold(claim.text)
        claim.gates = cues.gate(claim.folded)
    section = 0
    for index, unit in enumerate(scene.note.units):
        if unit.kind == "heading":
            section += 1
            continue
        if len(claims) >= MAX_CLAIMS:
            break
        if not _silent(scene, unit):
            found = row_claims(scene, unit, index) if unit.kind == "table_row" else _sentences(scene, unit, index)
            for claim in found:
                claim.section = section
                if not claim.folded:
                    claim.folded = fold(claim.text)
                    claim.gates = cues.gate(claim.folded)
                claims.append(claim)
    return claims


def _silent(scene: Scene, unit: Unit) -> bool:
    """Blocks that make no claim of the writer's."""
    note = scene.note
    if unit.kind in {"code", "math", "html", "quote"} or unit.foreign or unit.callout in _SILENT_CALLOUTS:
        return True
    if unit.kind == "task" and not unit.checked and not _DAY.search(note.text, unit.start, unit.end):
        return True
    if unit.headings:
        if unit.headings not in scene.silent:
            scene.silent[unit.headings] = any(
                len(h) < 30 and _SILENT_SECTIONS.search(fold(h)) is not None for h in unit.headings[-2:]
            )
        if scene.silent[unit.headings]:
            return True
    raw = note.text[unit.start : min(unit.end, unit.start + MAX_UNIT)]
    if _FOOTNOTE_TEXT.match(raw):
        return True
    return ("{{" in raw or "<%" in raw) and _PLACEHOLDER.search(_INLINE_CODE.sub("", raw)) is not None


# --- sentences ------------------------------------------------------------------------------------------------------


def _sentences(scene: Scene, unit: Unit, index: int) -> Iterator[Claim]:
    """The claims of a paragraph, list item, done task or callout."""
    note = scene.note
    start, end = unit.start, min(unit.end, unit.start + MAX_UNIT)
    head = _CALLOUT_HEAD.match(note.text, start, end) if unit.callout else None
    start = head.end() if head else start
    turn = turn_of(note.text, start, end, scene.speakers) if scene.speakers else None
    if turn is not None:
        if turn.machine:
            return
        start = turn.start
    previous: Claim | None = None
    told = _told(note.text[start:end]) if turn is not None else 0
    for a, b in sentences(note.text[start:end]):
        raw = note.text[start + a : start + b]
        if previous is None and is_code(raw):
            continue
        text = without_connective(plain(raw)) if turn is None else without_opening(plain(raw))
        if previous is not None and _goes_on(previous, text, turn):
            _extend(previous, text, start + a + _quote_end(raw), turn)
            continue
        if previous is not None:
            yield previous
            previous = None
        folded = fold(text)
        if not _sayable(text, folded, raw, unit):
            continue
        gates = cues.gate(folded)
        kind, basis = _kind(scene, unit, turn, text, folded, gates)
        if not _complete(folded, kind, basis, unit) or (turn is None and _vague(scene, unit, index, text, raw)):
            continue
        if kind not in ("procedure", "constraint") and text.endswith((":", "：")):
            continue  # it introduces what stands below
        kind, basis = _set_right(scene, unit, raw, folded, kind, basis)
        previous = Claim(text, start + a, start + a + _quote_end(raw), kind, basis, unit, index)
        previous.folded, previous.gates, previous.told = folded, gates, told
        _label(previous)
        _form(previous, turn)
        if turn is not None:
            _speak(previous, turn)
        elif first_person(text) or (kind == "preference" and _ANY_FIRST.search(folded)):
            previous.personal = True
        if kind == "procedure" and text.endswith((":", "：")):
            previous.command = _command_after(scene.note, index)
            previous.text = text.rstrip(":：")
    if previous is not None:
        yield previous


def _kind(scene: Scene, unit: Unit, turn: Turn | None, text: str, folded: str, gates: int) -> tuple[FactType, str]:
    """The kind of a sentence and what it rests on: its words, else its place."""
    kind = None if unit.kind == "task" and not unit.checked else cues.type_by_words(folded, gates)
    if turn is not None and (kind == "procedure" or (kind == "constraint" and not _ANY_FIRST.search(folded))):
        kind = None  # people who talk tell no steps, and "don't give up" is no rule
    if scene.note_type == "preference" and _ANY_FIRST.search(folded):
        kind = "preference"
    if kind is not None:
        return kind, "words"
    kind, basis = _fallback(scene, unit, turn)
    stated = (basis == "place" and text[:1].isascii()) or _STATES.match(text) is not None
    return ("definition", "default") if kind == "procedure" and unit.kind == "paragraph" and stated else (kind, basis)


def _form(claim: Claim, turn: Turn | None) -> None:
    """Set the kind right by the form of the sentence."""
    if claim.basis in PLAIN and claim.kind in ("definition", "state"):
        form = type_by_form(claim.folded, claim.labelled)
        if form is not None:
            claim.kind, claim.basis = form, PLAIN[claim.basis]
    elif claim.basis in ("words", "place"):
        spoken = turn is not None and _ANY_FIRST.search(claim.folded) is not None
        claim.kind = corrected(claim.folded, claim.kind, spoken=spoken)


def _set_right(scene: Scene, unit: Unit, raw: str, folded: str, kind: FactType, basis: str) -> tuple[FactType, str]:
    """The kind of what its place or form settles: options, what happened at a time, inline fields that are relations."""
    if (
        "::" in raw
        and (field := _FIELD_KEY.match(raw)) is not None
        and is_relation(fold(field[1]).strip(), "[[" in raw)
    ):
        return "relation", "words"
    placed = kind_of_place(scene, unit)
    if placed == "options":
        return "definition", "option"
    if unit.kind != "task" and (placed == "timeline" or (scene.given is not None and _CLOCK.match(folded))):
        return "event", "words" if basis == "words" else "place"
    if kind in {"procedure", "constraint", "plan"} and len(unit.headings) > 1 and unit.kind != "task":
        section = fold(clean_heading(unit.headings[-1]))
        if type_by_place((section,), None) == "event":
            return "event", "place"  # what stands under Tried or Log was done, however it is worded
    return kind, basis


def _vague(scene: Scene, unit: Unit, index: int, text: str, raw: str) -> bool:
    """Whether a sentence says nothing without its note: it only points elsewhere, or its pronoun stands for nothing."""
    if _FOR_WHOM.match(text):
        return True
    if "[[" in raw:
        if (
            (found := _POINTER.search(raw)) is not None
            and len(raw[: found.start()].split()) <= 3
            and (found.start() <= 12 or raw.isascii())
        ):
            return True
        key, colon, value = raw.replace("：", ":", 1).partition(":")
        if colon and value.count("[[") > 1 and only_link(value) and by_place(scene, unit) != "relation":
            return not is_relation(fold(plain(key)).strip(), True)
    return _PRONOUN.match(text) is not None and not names_of(scene, unit, index)


def _goes_on(previous: Claim, text: str, turn: Turn | None) -> bool:
    """Whether a sentence only makes sense after the one before: it gives its ground, or begins with a pronoun."""
    if is_ground(text):
        return previous.ground is None
    if len(previous.text) + len(text) > MAX_JOINED or previous.joined or len(text) < 6:
        return False
    folded = fold(text)
    if cues.is_talk(folded):
        return False
    return CONTINUES.match(text) is not None and not (turn is not None and first_person(text))


def _extend(claim: Claim, text: str, end: int, turn: Turn | None) -> None:
    """Join a sentence to the claim before it; a ground stays apart in its own field."""
    claim.end = end
    if is_ground(text):
        claim.ground = text
        return
    if turn is not None and not is_user(turn.speaker):
        text = in_third_person(text, turn.speaker)[0]
    claim.text += text if is_cjk(text[0]) else f" {text}"
    claim.joined = True


def _quote_end(raw: str) -> int:
    """The sentence's length without a block id at its end."""
    match = _END_ID.search(raw) if "^" in raw else None
    return match.start() if match else len(raw)


def _fallback(scene: Scene, unit: Unit, turn: Turn | None) -> tuple[FactType, str]:
    """The type of a sentence whose words do not tell."""
    if unit.kind == "task":
        return ("event", "place") if unit.checked else ("plan", "place")
    placed = by_place(scene, unit)
    if placed is not None:
        return placed, "place"
    if scene.note_type is not None:
        return scene.note_type, "note"
    return ("state", "default") if turn is not None else ("definition", "default")


def names_of(scene: Scene, unit: Unit | None, index: int) -> tuple[str, ...]:
    """The context of a unit: title, headings, the item above it, the line that introduces its list."""
    headings = unit.headings if unit is not None else ()
    if headings not in scene.contexts:
        scene.contexts[headings] = () if scene.speakers else context_of(scene.note, unit)
    names = scene.contexts[headings]
    if unit is None or unit.kind == "table_row":
        return names
    if unit.parent is not None and unit.parent < index:
        above = scene.note.units[unit.parent]
        text = plain(scene.note.text[above.start : min(above.end, above.start + 200)]).rstrip(" :：")
        if 1 < len(text) <= 40 and not _ends_sentence(text):
            names = (*names, text)
    elif unit.lead:
        lead = plain(unit.lead)
        if lead.endswith((":", "：")) and len(lead) > 2 and len(lead) + count_cjk(lead) <= 50:
            names = (*names, lead.rstrip(" :："))
    return names


def _ends_sentence(text: str) -> bool:
    return text[-1] in "。.!！?？;；"


def _sayable(text: str, folded: str, raw: str, unit: Unit) -> bool:
    """Whether a sentence could be a proposition at all."""
    if len(text) < 4 or len(text) > MAX_FACT or only_link(raw):
        return False
    if _SUPPOSED.match(folded):
        return False
    if text.count("(") + text.count("（") != text.count(")") + text.count("）") or _MIDDLE.match(text):
        return False  # a sentence cut in two
    if _ASIDE.match(text) or text.startswith(("http", "|", "```", "[]", "[ ]")) or _LABELLED_URL.match(text):
        return False
    if cues.is_talk(folded) or _BOILERPLATE.search(folded):
        return False
    if is_code(raw) or len(_MOSTLY_SYMBOLS.findall(text)) * 5 > len(text):
        return False
    letters = sum(map(str.isalpha, text))
    return letters * 2 >= len(text) - text.count(" ") and not (unit.kind == "paragraph" and text.endswith((":", "：")))


def _complete(folded: str, kind: FactType, basis: str, unit: Unit) -> bool:
    """Whether a sentence says something of something, and is no bare name of a thing."""
    chinese = count_cjk(folded) * 2 >= len(folded) * 0.6
    if ": " in folded or ":" in folded[1:24]:
        key, _, value = folded.partition(":")
        if len(value.strip()) < 2:
            return kind == "procedure"
        return len(key.strip()) > 1 and key.strip() not in _EMPTY_KEYS
    if chinese:
        return (
            len(folded) >= 6
            and (basis == "words" or _VERB_ZH.search(folded) is not None)
            and (len(folded) >= 9 or basis != "default")
        )
    words = folded.split()
    if len(words) < (3 if basis == "words" else 4 if kind == "procedure" else 5):
        return False
    return basis == "words" or unit.kind == "task" or _VERB_EN.search(folded) is not None


def _label(claim: Claim) -> None:
    """Note whether a claim has the form `label: value`."""
    key, colon, value = claim.text.replace("：", ": ", 1).partition(": ")
    claim.labelled = bool(colon) and 0 < len(key) <= 30 and bool(value.strip()) and " — " not in key


_UNSAID = re.compile(r"\([^()\n]{0,400}\)|[^.!?。！？\n]{0,400}[?？]|\s\^[A-Za-z0-9-]+\s*\Z")


def _told(turn: str) -> int:
    """Characters of a turn without its questions and what is in parentheses; a Han character counts for two."""
    said = _UNSAID.sub("", turn)
    return len(said) + count_cjk(said)


def _speak(claim: Claim, turn: Turn) -> None:
    """Give a statement in a dialogue its speaker."""
    claim.speaker = turn.speaker
    if is_user(turn.speaker):
        claim.personal = _ANY_FIRST.search(claim.folded) is not None
        return
    text, claim.personal = in_third_person(claim.text, turn.speaker)
    claim.text = text if claim.personal else says(text, turn.speaker)


def _command_after(note: Note, index: int) -> str | None:
    """The command in the block below "Do this:", which becomes the fact's action."""
    if index + 1 >= len(note.units):
        return None
    following = note.units[index + 1]
    if following.kind not in {"paragraph", "list_item"}:
        return None
    return code_of(note.text[following.start : following.end])
