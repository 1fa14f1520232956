"""A working note that tells of an attempt and its end, as an episode: in the note's own words, and nothing else. Pure; formats.md 5."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Final

from ebbtide.memory.records import Note
from ebbtide.memory.states import Lang
from ebbtide.parse.episodes import Episode, Part, episode_of
from ebbtide.parse.note import note_name
from ebbtide.parse.text import fold
from ebbtide.sleep.core_note import DERIVED, line_of

_HEADINGS: Final[Mapping[Part, Mapping[Lang, str]]] = {
    "tried": {"en": "Tried", "zh": "尝试"},
    "result": {"en": "Result", "zh": "结果"},
    "reason": {"en": "Reason", "zh": "原因"},
    "lesson": {"en": "Lesson", "zh": "教训"},
}
_TITLE: Final = re.compile(r"\A\s*# [^\n]*(?:\n|\Z)")
_TOLD: Final[tuple[Part, ...]] = ("trigger", "artifact")
"""Parts that are properties; the others are sections."""


def ended(note: Note) -> Episode | None:
    """The episode that a note tells, if it says how the attempt ended and anything else of it."""
    found = episode_of(note)
    return found if found is not None and found.result is not None and _sections(note, found) else None


def _sections(note: Note, episode: Episode) -> dict[Part, str]:
    """The sections of an episode: its parts as they stand; of a note whose properties alone tell how it ended, its whole body."""
    head = note.text.count("\n", 0, note.body)
    said = {part: episode.parts[part] for part in _HEADINGS if part in episode.parts}
    if episode.stated and "result" in said and said["result"].line <= head:
        del said["result"]  # the word is its property
    out = {part: one.quote.strip() for part, one in said.items() if one.quote.strip()}
    if not any(one.line > head for one in said.values()):
        body = _TITLE.sub("", note.text[note.body :], count=1).strip()
        out |= {"tried": body} if body else {}
    return out


def written(note: Note, episode: Episode, day: str, today: str, lang: Lang) -> str:
    """The episode as a file. `day`: when it was, `today`: when it is written (ISO)."""
    head = ["---", f"type: {_value(episode.type)}", f"result: {episode.result}", f"date: {episode.date or day}"]
    head += [f"origin: {DERIVED}", f"created: {today}"]
    head += ["private: true"] if note.private else []
    head += [f"{name}: {_value(episode.parts[name].text)}" for name in _TOLD if name in episode.parts]
    body = [f"# {line_of(note.title)}"]
    told = _sections(note, episode)
    for part, heading in _HEADINGS.items():
        body += [f"## {heading[lang]}", told[part]] if part in told else []
    return "\n".join([*head, "---"]) + "\n\n" + "\n\n".join(body) + "\n"


def path_for(note: Note, day: str, folder: str, taken: Collection[str], key: str) -> str:
    """Where it is written (vault path): by its day under Memory/episodic, under the note's own name. `taken` are folded paths; a name
    that is in use gets a part of `key` behind it."""
    name = note_name(note.path)
    stem = name if name.startswith(day) else f"{day} {name}"
    base = f"{folder}/episodic/{day[:4]}/{day[5:7]}/"
    free = (f"{base}{stem}{more}.md" for more in ("", *(f" {key[:size]}" for size in (6, 12, len(key)))))
    return next((path for path in free if fold(path) not in taken), f"{base}{stem} {key}.md")


def _value(text: str) -> str:
    return json.dumps(line_of(text), ensure_ascii=False)
