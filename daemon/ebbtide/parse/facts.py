"""Facts of a note by rules: up to ten propositions that stand alone, each with its exact quote (formats.md 2).

Claims are collected (fact_claims), weighed and picked (fact_pick), and only the chosen ones are worked
out here: context in front, dates resolved, slot, frame, ground, trigger. Pure; the same note gives the
same facts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ebbtide.memory.records import FactDraft, Note
from ebbtide.memory.states import Frame, Lang, Precision, Scope
from ebbtide.parse import fact_cues as cues
from ebbtide.parse import fact_places as places
from ebbtide.parse.dates import DateMention, find_dates, parse_date
from ebbtide.parse.episodes import Episode, episode_of
from ebbtide.parse.fact_cells import Scene, scene_of
from ebbtide.parse.fact_claims import claims_of, names_of
from ebbtide.parse.fact_dialogue import is_user
from ebbtide.parse.fact_pick import LONG_NOTE, Claim, choose, weigh
from ebbtide.parse.fact_slots import Slot, action_of, label_slot, number_in, slot_of, why_of
from ebbtide.parse.fact_text import MAX_FACT, named_in, plain, stand_alone, telling, with_dates
from ebbtide.parse.fact_trigger import option_trigger, person_trigger, trigger_of
from ebbtide.parse.fates import plan_frame
from ebbtide.parse.file_kinds import conflict_copy, in_template_folder
from ebbtide.parse.frames import frame, split_change, structural_frame
from ebbtide.parse.own_words import handed_back, written_by_machine
from ebbtide.parse.passages import is_drawing
from ebbtide.parse.text import count_cjk, fold

EXTRACTOR: Final = "rules/2"

_PROJECTS = re.compile(r"^[\W\d_]*(?:projects?|项目|專案)$", re.IGNORECASE)
_TEMPORARY = re.compile(
    r"今天|这(?:几|两)天|本周|这周|最近|暂时|临时|眼下|此刻|心情|感觉|压力|today|tonight|this (?:week"
    r"|morning|afternoon)|temporar|right now|for now|lately|\bfeel(?:s|ing)?\b"
)
_FROM = re.compile(r"(?:自从?|从)\s*\Z|\b(?:since|from|as of|starting|effective)\s*\Z", re.IGNORECASE)
_UNTIL = re.compile(
    r"(?:直?到|至|截至|截止(?:到|于)?)\s*\Z|(?:until|till|through|to|by|expires? on|valid to)\s*\Z|[–—~-]\s*\Z",
    re.IGNORECASE,
)
_UNTIL_AFTER = re.compile(r"\s*(?:为止|截止|到期|前有效)")


@dataclass(frozen=True, slots=True)
class _Frame:
    """What holds for all facts of a note."""

    note: Note
    scene: Scene
    given: tuple[str, Precision] | None
    first_seen: str | None
    structure: Frame | None
    project: str | None
    failed: bool
    episode: Episode | None


def extract(note: Note, *, first_seen: str | None = None) -> list[FactDraft]:
    """The facts of a note. `first_seen` (ISO day) dates them where the note itself says nothing."""
    if not _readable(note):
        return []
    scene = scene_of(note)
    claims = [c for c in claims_of(scene) if not handed_back(note, c.unit, c.start, c.end)]
    for claim in claims:
        claim.worth = weigh(claim)
    body = note.text[note.body :]
    chosen = choose(claims, len(body) + count_cjk(body[:LONG_NOTE]))
    if not chosen:
        return []
    setting = _Frame(
        note,
        scene,
        scene.given,
        first_seen,
        structural_frame(note.properties, today=first_seen) or plan_frame(note),
        project_of(note),
        str(note.properties.get("result", "")).strip().lower() in {"failure", "失败"},
        episode_of(note),
    )
    drafts: list[FactDraft] = []
    for claim in chosen:
        drafts.extend(_drafts(claim, setting))
    return drafts[:10]


def _readable(note: Note) -> bool:
    """Whether a note is one from which facts may be read."""
    if not note.remembered or conflict_copy(note.path) or in_template_folder(note.path):
        return False
    return not is_drawing(note) and not written_by_machine(note)


def project_of(note: Note) -> str | None:
    """The `project` property, else the folder below one that is called Projects."""
    declared = note.properties.get("project", note.properties.get("项目"))
    if isinstance(declared, list) and declared:
        declared = declared[0]
    if isinstance(declared, str) and declared.strip():
        return plain(declared)
    parts = note.path.split("/")
    for i, part in enumerate(parts[:-1]):
        if _PROJECTS.match(part):
            return parts[i + 1].removesuffix(".md")
    return None


def _drafts(claim: Claim, setting: _Frame) -> list[FactDraft]:
    """One fact, or two for a sentence that tells what was and what is now."""
    parts = split_change(claim.text) if claim.kind in {"decision", "event", "state", "relation", "definition"} else None
    if parts is None or claim.speaker is not None:
        return [_draft(claim, claim.text, setting)]
    (a, b), (c, d) = parts
    day = _stated(claim, setting)
    old = _draft(replace(claim, kind="state"), claim.text[a:b], setting)
    new = _draft(claim, claim.text[c:d], setting)
    if new.subject is None or new.subject == old.subject or claim.text[a:b] == "":
        new = replace(new, subject=old.subject)
    return [
        replace(old, frame="historical", valid_to=old.valid_to or day, valid_from=None),
        replace(new, frame=setting.structure or "change", valid_from=new.valid_from or day),
    ]


def _draft(claim: Claim, text: str, setting: _Frame) -> FactDraft:
    note = setting.note
    created, precision = _dated(claim, setting)
    folded = fold(text)
    slot = _slot(claim, text)
    names = () if claim.personal and claim.kind == "preference" else names_of(setting.scene, claim.unit, claim.index)
    body = text.rstrip("；;，, ")
    stated = _stated(claim, setting)
    mentions = find_dates(body, stated if precision == "day" else None)
    dated = with_dates(body, mentions, _lang_of(body))
    fact = stand_alone(dated, _unnamed(names, body))
    lang = _lang_of(text)
    context = _subject(claim, names, note)
    subject = slot.subject or context
    since, until = _validity(claim, text, mentions)
    scope, project = _scope(claim, folded, setting)
    importance = cues.IMPORTANCE[claim.kind] + (
        2.0 if claim.gates & cues.BOUND and cues.BINDING.search(folded) else 0.0
    )
    importance += 1.0 if setting.failed and claim.kind == "lesson" else 0.0
    when = setting.structure or frame(text, written=created)
    if when == "change" and claim.kind == "procedure":
        when = "current"  # "change A to B" tells what to do, not what happened
    if claim.basis == "option":
        importance = 3.0
    return FactDraft(
        fact=fact[: MAX_FACT + 200],
        type=claim.kind,
        start=claim.start,
        end=claim.end,
        line=note.text.count("\n", 0, claim.start) + 1,
        heading=claim.unit.headings[-1] if claim.unit is not None and claim.unit.headings else None,
        quote=note.text[claim.start : claim.end],
        created_at=created,
        precision=precision,
        subject=subject,
        attribute=slot.attribute,
        value=slot.value,
        unit=slot.unit,
        valid_from=since or (stated if when == "change" else None),
        valid_to=until,
        confidence=_confidence(claim),
        importance=min(10.0, importance),
        scope=scope,
        project=project,
        frame=when,
        trigger=_trigger(claim, text, slot, context, created, lang, _PERSON.search(note.path) is not None),
        action=claim.command or action_of(text, claim.kind, slot, lang),
        why=claim.ground or why_of(text),
        because=_because(claim, setting),
        tags=tuple(
            dict.fromkeys(tag.name for tag in note.tags if tag.offset is None or claim.start <= tag.offset < claim.end)
        )[:8],
    )


def _trigger(
    claim: Claim, text: str, slot: Slot, context: str | None, day: str | None, lang: Lang, person: bool
) -> str:
    """When the fact matters; what a speaker likes matters when something is chosen for that person."""
    subject = slot.subject or context
    if claim.kind in {"procedure", "preference"} and context is not None:
        subject = context
    if claim.speaker is not None and claim.kind not in {"lesson", "decision", "constraint", "procedure"}:
        who = claim.speaker if not is_user(claim.speaker) else "用户" if lang == "zh" else "the user"
        return person_trigger(who, claim.kind, slot.value, lang)
    if claim.basis == "option":
        return option_trigger(subject if slot.subject is None else context, lang)
    if claim.kind == "preference" and subject is not None and subject != "user" and person:
        return person_trigger(subject.partition(" › ")[0], claim.kind, slot.value, lang)
    if claim.subject is not None and context is not None and claim.subject[:1].isdigit():
        subject = f"{context.partition(' › ')[0]} {claim.subject}"
    return trigger_of(
        text, claim.kind, lang, subject=subject, attribute=slot.attribute, value=slot.value,
        day=day, step=claim.command is not None,
    )  # fmt: skip


_heading_date = lru_cache(maxsize=2048)(parse_date)


def _dated(claim: Claim, setting: _Frame) -> tuple[str | None, Precision | None]:
    """When the claim was made: the note's property or name, else a heading above it, else the day it was first seen."""
    if setting.given is not None:
        return setting.given
    for heading in (claim.unit.headings if claim.unit is not None else ())[::-1]:
        found = _heading_date(heading)
        if found is not None:
            return found
    return (setting.first_seen[:10], "day") if setting.first_seen else (None, None)


def _stated(claim: Claim, setting: _Frame) -> str | None:
    """The day that the note itself gives. Only it resolves "yesterday": when we first saw a note says nothing."""
    created = _dated(claim, setting)[0]
    return None if setting.given is None and created == (setting.first_seen or "")[:10] else created


def _slot(claim: Claim, text: str) -> Slot:
    if claim.attribute and claim.value:
        return number_in(Slot(claim.subject, claim.attribute, claim.value))
    if claim.speaker is not None:  # what people say in passing has loose subjects: only what they like is a slot
        return slot_of(text, claim.kind) if claim.personal and claim.kind == "preference" else Slot()
    if claim.labelled:
        return label_slot(text) or slot_of(text, claim.kind)
    return slot_of(text, claim.kind)


def _subject(claim: Claim, names: tuple[str, ...], note: Note) -> str | None:
    """Whose slot it is when the sentence does not say: the speaker, the user, or what the note is about."""
    if claim.speaker is not None:
        return "user" if is_user(claim.speaker) else claim.speaker
    if claim.personal and (not names or claim.kind in {"preference", "state", "event"}):
        return "user"
    title = fold(plain(note.title))
    kept = [
        name for name in names if fold(name) == title or not (_DAY_NAME.match(name) or places.is_section(fold(name)))
    ]
    if not kept and names:
        kept = [plain(note.title)] if telling(plain(note.title)) else []
    return " › ".join(kept) or None


_PERSON = re.compile(r"(?:^|/)(?:people|persons?|contacts?|人物|人|联系人|朋友|家人)/", re.IGNORECASE)
_DAY_NAME = re.compile(r"[12]\d{3}[-./年]\d{1,2}[-./月]\d{1,2}")
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]*[)）]")


def _unnamed(names: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The context without what the text names without its parenthesis: "Quan (empress)" is named by "Quan"."""
    return tuple(
        name
        for name in names
        if not (
            "(" in fold(name) and telling(bare := _PARENTHESIS.sub("", name)) and len(bare) > 1 and named_in(bare, text)
        )
    )


def _lang_of(text: str) -> Lang:
    return "zh" if count_cjk(text) * 4 >= len(text) else "en"


def _validity(claim: Claim, text: str, mentions: list[DateMention]) -> tuple[str | None, str | None]:
    """valid_from and valid_to where the words state them; the day itself for an event or a plan."""
    since = until = None
    for mention in mentions:
        before = text[: mention.start]
        word = text[mention.start : mention.end].lower()
        if _UNTIL_AFTER.match(text, mention.end) or _UNTIL.search(before) or word.startswith(("until", "by")):
            until = until or mention.last
        elif _FROM.search(before) or word.startswith(("since", "from")) or text[mention.end : mention.end + 1] == "起":
            since = since or mention.first
    if since is None and until is None and mentions and claim.kind in {"event", "plan", "decision"}:
        since = mentions[0].first
    if since and until and until < since:
        until = None
    return since, until


def _scope(claim: Claim, folded: str, setting: _Frame) -> tuple[Scope, str | None]:
    if claim.kind == "preference" and (claim.personal or claim.speaker is not None or claim.basis == "note"):
        return "user", None
    if claim.kind == "state" and _TEMPORARY.search(folded):
        return "temporary", setting.project
    if setting.project is not None:
        return "project", setting.project
    return "observation", None


def _confidence(claim: Claim) -> float:
    """How sure it is that the note says this: tables and labels are plain, hedged and spoken words less so."""
    if claim.basis == "option":
        return 0.6
    sure = 0.85 if claim.labelled or claim.basis == "words" else 0.75
    sure -= 0.25 if claim.gates & cues.HEDGED and cues.HEDGE.search(claim.folded) else 0.0
    sure += 0.05 if claim.gates & cues.BOUND and cues.BINDING.search(claim.folded) else 0.0
    return round(sure - (0.05 if claim.speaker is not None else 0.0), 2)


_CAUSE_LINK = re.compile(
    r"(?:因为|由于|原因|源于|起因|见|参见|教训来自|\bbecause\b|\bsee\b|\bafter\b|\bdue to\b|\bsince\b"
    r"|\b(?:learned|came|lesson) from\b)[^\[\]\n。！？；.!?;]{0,40}!?\[\[([^\[\]|#\n]{1,200})",
    re.IGNORECASE,
)
_SEE_LINK = re.compile(
    r"[\s。.；;,，]{0,3}[（(]?(?:参见|详见|见|see\b)[ :：]{0,2}\[\[([^\[\]|#\n]{1,200})", re.IGNORECASE
)
"""A reference just behind a sentence, on its line."""
_FROM_EPISODES: Final = frozenset(["decision", "lesson", "constraint", "procedure", "preference"])
"""Types of facts that an attempt teaches; a number in an episode is of the episode, but does not rest on it."""

_GROUNDS: Final = frozenset(["because", "caused_by", "caused by", "起因", "原因", "因为"])


def _because(claim: Claim, setting: _Frame) -> str | None:
    """The episode or incident behind the claim: the note that its ground links to, else its own note where that tells of one.

    A link as it is written; its own note by its path without the ending, which as a link means that note alone. What a note
    declares as its ground holds for the decisions in it.
    """
    note, episode = setting.note, setting.episode
    if note.links:
        match = _CAUSE_LINK.search(note.text, claim.start, claim.end)
        if match is None and "\n" not in note.text[claim.end : claim.end + 3]:
            match = _SEE_LINK.match(note.text, claim.end)
        if match is not None:
            return match[1].rstrip("\\").strip()
    taught = episode is not None and episode.start <= claim.start < claim.end <= episode.end
    if taught and claim.kind in _FROM_EPISODES:
        return note.path.removesuffix(".md")
    grounds = (link.path for link in note.links if link.relation is not None and fold(link.relation) in _GROUNDS)
    return next(grounds, None) if claim.kind == "decision" else None
