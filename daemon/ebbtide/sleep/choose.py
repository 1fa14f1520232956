"""Which notes Claude may read and which it shall: the user's rules by folder, type and tag, under what never leaves. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from ebbtide.config_claude import SAFE_URL, Claude, Extract, Limits
from ebbtide.memory.records import Note
from ebbtide.parse.episodes import EPISODIC, episode_of
from ebbtide.parse.file_kinds import conflict_copy, in_template_folder
from ebbtide.parse.passages import is_drawing
from ebbtide.parse.text import fold
from ebbtide.sleep.prompt import Purpose

DECISIONS: Final = frozenset(("decision", "adr", "decision-record", "决策", "决定", "决议"))
"""Types of notes that record a decision, in folded words."""
_KINDS: Final = {"episode": EPISODIC, "decision": DECISIONS}
_SAFE_URL: Final = re.compile(SAFE_URL)
_FALSE: Final = frozenset(("", "false", "no", "off", "0", "none", "null"))


@dataclass(frozen=True, slots=True)
class Choice:
    """Whether Claude reads a note, to what end, and why (not)."""

    send: bool
    reason: str
    purpose: Purpose = "all"


def choose(note: Note, rules: Extract, *, excluded: bool) -> Choice:
    """What the rules say of a note. `excluded`: the vault's one exclusion rule names it, or it lies in our own folder."""
    if reason := forbidden(note, rules, excluded=excluded):
        return Choice(False, reason)
    if rules.with_ != "claude":
        return Choice(False, "rules read all notes (extract.with)")
    wanted = _wanted(note, rules)
    if wanted is None:
        return Choice(False, "no rule names it (extract.folders, extract.types, extract.tags)")
    return Choice(True, wanted, _purpose(note.path, rules.purpose))


def forbidden(note: Note, rules: Extract, *, excluded: bool) -> str:
    """Why a note must not leave, whatever else is wished; "" if it may.

    Stricter than what the rest of Ebbtide takes for private: a property in an odd spelling, or properties that cannot be
    read at all, keep a note here.
    """
    if excluded:
        return "it is excluded"
    told = {str(key).strip().lower(): value for key, value in note.properties.items()}
    if _truthy(told.get("private")):
        return "it is private"
    if "memory" in told and not _truthy(told["memory"]):
        return "it says memory: false"
    unread = ("yaml", "properties")
    if any(problem.code.startswith(unread) for problem in note.problems):
        return "its properties cannot be read, so it might be private"
    if conflict_copy(note.path) or in_template_folder(note.path) or is_drawing(note):
        return "it is a copy, a template or a drawing"
    never = tuple(rule for rule in rules.never if rule)
    if any(_in_folder(note.path, rule) for rule in never if not rule.startswith("#")):
        return "its folder never leaves (extract.never)"
    if _tagged(note, (rule[1:] for rule in never if rule.startswith("#"))):
        return "its tag never leaves (extract.never)"
    return ""


def _truthy(value: Any) -> bool:
    return value is not None and str(value).strip().lower() not in _FALSE


def _wanted(note: Note, rules: Extract) -> str | None:
    for folder in rules.folders:
        if _in_folder(note.path, folder):
            return f"it lies in {folder}"
    kinds = set(_types(note))
    for named in rules.types:
        folded = fold(named).strip()
        if kinds & (_KINDS.get(folded) or {folded}):
            return f"its type is {named}"
    told = episode_of(note) if "episode" in map(fold, rules.types) else None
    if told is not None and told.sign != "prose":  # a diary that mentions an attempt in passing stays here
        return "it tells of an attempt"
    return "its tag is named" if _tagged(note, rules.tags) else None


def _types(note: Note) -> list[str]:
    told = note.properties.get("type", note.properties.get("类型"))
    found = told if isinstance(told, list) else [told]
    return [fold(kind).strip() for kind in found if isinstance(kind, str)]


def _tagged(note: Note, tags: Any) -> bool:
    """True if the note has one of the tags or a tag nested under it."""
    has = [fold(tag.name) for tag in note.tags]
    wanted = [fold(tag).lstrip("#").strip("/") for tag in tags]
    return any(tag == want or tag.startswith(want + "/") for want in wanted if want for tag in has)


def _in_folder(path: str, folder: str) -> bool:
    inside = folder.strip().strip("/").lower()
    return inside == "" or path.lower() == inside or path.lower().startswith(inside + "/")


def _purpose(path: str, purposes: Mapping[str, str]) -> Purpose:
    """That of the deepest folder named."""
    named = sorted((folder for folder in purposes if _in_folder(path, folder)), key=len)
    return cast(Purpose, purposes[named[-1]]) if named else "all"


@dataclass(frozen=True, slots=True)
class Access:
    """The way to the service: what `claude.AnthropicJudge` is opened with. `base_url` "" is the provider's own."""

    model: str
    key: str
    base_url: str = ""

    def __repr__(self) -> str:  # a key must not get into a log
        return f"Access({self.model!r}, {self.base_url!r})"


def way_to_claude(rules: Extract, settings: Claude, limits: Limits, environ: Mapping[str, str]) -> Access | str:
    """The way to Claude if any note could ever be sent, or why it is off, with the remedy."""
    if rules.with_ != "claude":
        return "Claude is off: rules read all notes. Set extract.with to claude to use it."
    if not (rules.folders or rules.types or rules.tags):
        return "Claude is off: no rule names a note. Set extract.folders, extract.types or extract.tags."
    return access(settings, limits, environ)


def access(settings: Claude, limits: Limits, environ: Mapping[str, str]) -> Access | str:
    """The way to Claude by the user's settings and environment, or why it is off, with the remedy.

    The settings must be those of the user: `config.load` takes none of this from a file in the vault.
    """
    if settings.offline:
        return "Claude is off: offline. Take away --offline or claude.offline to use it."
    if not settings.model:
        return "Claude is off: no model is chosen. Set claude.model in your config.toml."
    key = environ.get("ANTHROPIC_API_KEY", "").strip() or settings.api_key.strip()
    if not key:
        return "Claude is off: there is no key. Set ANTHROPIC_API_KEY, or claude.api_key in your config.toml."
    if limits.tokens_a_day == 0 or limits.money_a_day == 0:
        return "Claude is off: limits.tokens_a_day or limits.money_a_day is 0."
    base_url = environ.get("ANTHROPIC_BASE_URL", "").strip() or settings.base_url
    if not _SAFE_URL.fullmatch(base_url):
        return "Claude is off: its address (ANTHROPIC_BASE_URL) is neither https nor on this machine."
    return Access(settings.model, key, base_url)
