"""Names near a name: what an unresolved link may have meant. Pure; a suggestion, never a resolution.

In this order: the same name in another folder; the same but for case, spaces, punctuation or script (traditional and
simplified); singular and plural; a slip of the keyboard. Names that differ in a number are different things (`Week 3`
and `Week 4`, 一月 and 二月), and short ones that differ at all are. Distances are rapidfuzz's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ebbtide.parse.file_kinds import ATTACHMENTS
from ebbtide.parse.links import fold_name
from ebbtide.parse.text import fold

How = Literal["moved", "form", "plural", "typo"]
NameKind = Literal["file", "title", "alias", "heading", "block"]

_ORDER: Final[dict[NameKind, int]] = {"file": 0, "title": 1, "alias": 2, "heading": 3, "block": 4}
_ENDINGS: Final = ATTACHMENTS | {"base", "canvas"}
_NUMBERS: Final = re.compile(r"\d+|[〇零一二三四五六七八九十百千万两]+")
_EDITS: Final = 3
"""Slips at most, whatever the length."""
_AT_ONCE: Final = 2_000_000
"""Pairs of names that are compared at once, a byte each."""
MAX_NAME: Final = 200


class Near(NamedTuple):
    """A name near the one that was asked for. `nearness` is 1.0 for the same but for its form, less for a slip."""

    name: str
    path: str
    kind: NameKind
    nearness: float
    how: How


class Name(NamedTuple):
    """A name that a person may mean, and the file it stands for."""

    name: str
    path: str
    kind: NameKind


class _Dropped(dict[int, int | None]):
    """For str.translate: punctuation, spaces, pictures and control characters go; `+` and `=` tell `C++` from `C`."""

    def __missing__(self, code: int) -> int | None:
        kind = unicodedata.category(chr(code))
        self[code] = None if kind[0] in "PZC" or kind in ("So", "Sk") else code
        return self[code]


_DROPPED: Final = _Dropped()


@lru_cache(maxsize=65536)
def plain(name: str) -> str:
    """A name without what people write differently: case, script, spaces, punctuation. Names of nothing else stay."""
    folded = fold(name[:MAX_NAME])
    return folded.translate(_DROPPED) or folded


def singular(word: str) -> str:
    """An English plural without its ending; anything else as it is."""
    if not word.isascii() or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zes")) else word[:-1]


def split_ending(name: str) -> tuple[str, str]:
    """A file's name in a link as (name, ending): the ending of a note is "", as is everything that is no known ending."""
    stem, dot, ending = name.rpartition(".")
    if dot and stem and ending.lower() in _ENDINGS:
        return stem, ending.lower()
    return name[:-3] if name.lower().endswith(".md") and len(name) > 3 else name, ""


@dataclass(slots=True)
class _Group:
    """The names with one ending, by their plain form."""

    by_plain: dict[str, list[Name]]
    by_singular: dict[str, list[str]]
    forms: list[str]


class Vocabulary:
    """Every name of a vault, ready to be asked which ones are near. Built once a request; asking is rapidfuzz's loop."""

    def __init__(self, names: Iterable[Name]) -> None:
        """Names of kind "file" carry their ending; titles and aliases never have one."""
        groups: dict[str, dict[str, list[Name]]] = {}
        for name in names:
            stem, ending = split_ending(name.name) if name.kind == "file" else (name.name, "")
            groups.setdefault(ending, {}).setdefault(plain(stem), []).append(Name(stem, name.path, name.kind))
        self._groups = {ending: _group(found) for ending, found in groups.items()}

    def near(self, wanted: str, limit: int = 3) -> list[Near]:
        """`near_all` for one."""
        return self.near_all([wanted], limit)[0]

    def near_all(self, wanted: Sequence[str], limit: int = 3) -> list[list[Near]]:
        """For each path of a link the nearest names, one for each file, best first; none where nothing is near."""
        asked = [_asked(path) for path in wanted]
        slips: dict[tuple[str, str], list[tuple[str, float]]] = {}
        for ending, group in self._groups.items():
            forms = sorted({one.form for one in asked if one.ending == ending})
            slips.update(((ending, form), found) for form, found in zip(forms, _slips(forms, group.forms), strict=True))
        return [self._near(one, slips.get((one.ending, one.form), ()), limit) for one in asked]

    def _near(self, asked: _Asked, slips: Iterable[tuple[str, float]], limit: int) -> list[Near]:
        group, form = self._groups.get(asked.ending), asked.form
        if group is None or not form:
            return []
        same = fold_name(asked.stem) if asked.folder else None
        found = [
            Near(n.name, n.path, n.kind, 1.0, "moved" if n.kind == "file" and fold_name(n.name) == same else "form")
            for n in group.by_plain.get(form, ())
        ]
        one = singular(form)
        for other in group.by_singular.get(one, ()):
            if other != form:
                found += [Near(n.name, n.path, n.kind, 0.95, "plural") for n in group.by_plain[other]]
        for other, nearness in slips:
            if singular(other) != one:
                found += [Near(n.name, n.path, n.kind, nearness, "typo") for n in group.by_plain[other]]
        found.sort(key=lambda near: (-near.nearness, _ORDER[near.kind], near.path, near.name))
        best: dict[str, Near] = {}
        for near in found:
            best.setdefault(near.path, near)
        return list(best.values())[:limit]


class _Asked(NamedTuple):
    """The path of a link in its parts; `form` is the plain form of the stem."""

    folder: str
    stem: str
    ending: str
    form: str


def _asked(path: str) -> _Asked:
    folder, _, last = path.strip().rpartition("/")
    stem, ending = split_ending(last.strip())
    return _Asked(folder, stem, ending, plain(stem))


def _group(by_plain: dict[str, list[Name]]) -> _Group:
    by_singular: dict[str, list[str]] = {}
    for form in by_plain:
        by_singular.setdefault(singular(form), []).append(form)
    return _Group(by_plain, by_singular, list(by_plain))


def closest(wanted: str, names: Sequence[str], kind: NameKind, limit: int) -> list[Near]:
    """The nearest of some names that belong to one file, best first, each once."""
    form = plain(wanted)
    forms: dict[str, str] = {}
    for name in names:
        forms.setdefault(plain(name), name)
    if not form or not forms:
        return []
    found = [Near(forms[form], "", kind, 1.0, "form")] if form in forms else []
    one = singular(form)
    for other, nearness in _slips([form], list(forms))[0]:
        if other != form:
            same = singular(other) == one
            found.append(Near(forms[other], "", kind, 0.95 if same else nearness, "plural" if same else "typo"))
    found.sort(key=lambda near: (-near.nearness, near.name))
    return found[:limit]


def _slips(wanted: Sequence[str], forms: Sequence[str]) -> list[list[tuple[str, float]]]:
    """For each form those that are a slip or two away from it, with how near each is."""
    out: list[list[tuple[str, float]]] = []
    step = max(1, _AT_ONCE // (len(forms) or 1))
    for start in range(0, len(wanted), step):
        part = wanted[start : start + step]
        # rapidfuzz compares many with many in one native loop; what is farther than the limit is cut short
        table = process.cdist(part, forms, scorer=OSA.distance, score_cutoff=_EDITS, dtype=np.uint8)
        hits: list[list[tuple[str, float]]] = [[] for _ in part]
        for row, column in zip(*np.nonzero((table > 0) & (table <= _EDITS)), strict=True):
            form, other, distance = part[row], forms[column], int(table[row, column])
            if distance <= _edits(min(len(form), len(other))) and _NUMBERS.findall(form) == _NUMBERS.findall(other):
                hits[row].append((other, round(1 - distance / max(len(form), len(other)), 2)))
        out += hits
    return out


def _edits(length: int) -> int:
    """How many slips a name of this length may have and still be the same name."""
    return 0 if length < 4 else 1 if length < 9 else 2 if length < 14 else _EDITS
