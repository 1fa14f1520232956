"""Working notes whose time has passed: what tells of an attempt and its end becomes an episode, the rest goes; mission.md A3, D5.

Only what a machine wrote is moved, into `.history/`, and comes back with an undo. What a person wrote or made their own is asked
about; and so is what only says that a machine wrote it, since a person may have written on in it: the revisions must say that it
holds just what was put there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final

from ebbtide.index.catalog import FileRow
from ebbtide.memory.errors import VaultError
from ebbtide.memory.records import Note
from ebbtide.memory.revisions import Standing
from ebbtide.parse.dates import last_day, note_date, parse_date
from ebbtide.parse.note import parse_note
from ebbtide.parse.own_words import written_by_machine
from ebbtide.parse.text import fold
from ebbtide.sleep import checkup, working_episode
from ebbtide.sleep.checkup_read import lang_of, stated
from ebbtide.sleep.core_note import line_of
from ebbtide.sleep.core_state import Reading
from ebbtide.sleep.merging import untouched
from ebbtide.sleep.nights import Quote, Step
from ebbtide.sleep.planning import digest, inside

FOLDER: Final = "working"
_UPDATED: Final = ("updated", "modified", "更新", "修改时间")
_EXPIRES: Final = ("expires", "expires_at", "until", "过期", "有效期至")


def expired(
    reading: Reading, files: Mapping[str, FileRow], day: str, *, days: int, most: int, new_id: Callable[[str], str]
) -> tuple[Step, ...]:
    """The steps for working notes that are older than their limit (`days`), by path. At most `most` questions are asked.

    `needs` counts from the first of these steps.
    """
    under = f"{reading.folder}/{FOLDER}/"
    rows = [row for path, row in sorted(files.items()) if path.startswith(under) and row.status == "indexed"]
    standings = reading.catalog.standings([row.id for row in rows])
    taken = {fold(path) for path in files}
    steps: list[Step] = []
    asked = 0
    for row in rows:
        standing = standings.get(row.id, Standing())
        if row.kind != "memory" or standing.pinned or standing.expired or not standing.there:
            continue
        try:
            file = reading.vault.read(row.path)
        except (FileNotFoundError, VaultError):
            continue
        note = parse_note(row.path, file.text)
        touched = last_touched(note, row)
        if not due(note, touched, day, days):
            continue
        own = not written_by_machine(note) or file.bom or bool(file.problems)
        rel = inside(row.path, reading.folder)
        if own or not untouched(reading.catalog.revisions_of(row.id), rel, file.digest):
            code = "working" if own else "working-unsure"
            step = _question(reading, row, note, touched, code) if asked < most else None
            steps += [step] if step is not None else []
            asked += step is not None
            continue
        steps += _moved(reading, row, note, file.digest, touched, day, taken, new_id, len(steps))
    return tuple(steps)


def last_touched(note: Note, row: FileRow) -> str:
    """The last day (ISO, local) on which anybody worked on a note: what it says of itself, and when it was saved."""
    dated = note_date(note.properties, note.path)
    told = [dated[0] if dated is not None else ""]
    values = (note.properties.get(name) for name in _UPDATED)
    told += [found[0] for value in values if isinstance(value, str) and (found := parse_date(value)) is not None]
    saved = datetime.fromtimestamp(row.mtime_ns / 1e9, UTC).astimezone().date().isoformat()
    return max(*told, saved)


def due(note: Note, touched: str, day: str, days: int) -> bool:
    """Whether its time has passed: the last day of what it names itself, else so many days after it was last touched."""
    named = next((found for text in stated(note, _EXPIRES) if (found := last_day(text)) is not None), None)
    limit = named or (date.fromisoformat(touched) + timedelta(days=days)).isoformat()
    return limit < day


def _question(reading: Reading, row: FileRow, note: Note, touched: str, code: str) -> Step | None:
    finding = checkup.found(code, (note.text,), day=touched)
    if checkup.asked(reading.catalog.revisions_of(row.id), finding):
        return None
    quote = Quote(row.path, 1, line_of(note.title), touched, note.private)
    lang = lang_of(row)
    return Step("expire", "", "", None, (row.id,), finding.reason(lang), (quote,), finding.kept)


def _moved(
    reading: Reading, row: FileRow, note: Note, now: str, touched: str, day: str, taken: set[str],
    new_id: Callable[[str], str], first: int,
) -> list[Step]:  # fmt: skip
    """The steps that move a note into `.history/`, with the episode it becomes before, if any."""
    lang = lang_of(row)
    rel = inside(row.path, reading.folder)
    quote = Quote(row.path, 1, line_of(note.title), touched, note.private)
    episode = working_episode.ended(note)
    if episode is None:
        why = checkup.reason("working-gone", {"day": touched}, lang)
        return [Step("expire", rel, now, None, (row.id,), why, (quote,), {"working": "gone", "said": {"day": touched}})]
    when = episode.date if episode.date and len(episode.date) == 10 else touched
    path = working_episode.path_for(note, when, reading.folder, taken, digest(note.text))
    taken.add(fold(path))
    said = episode.parts.get("result") or next(iter(episode.parts.values()))
    place = Quote(row.path, said.line, said.quote, touched, note.private)
    text = working_episode.written(note, episode, when, day, lang)
    why = checkup.reason("working-written", {"result": episode.result}, lang)
    return [
        Step("compress", inside(path, reading.folder), "", text, (new_id(path),), why, (place,),
             {"object": row.id, "working": "written"}),
        Step("expire", rel, now, None, (row.id,), checkup.reason("working-episode", {"day": touched}, lang), (quote,),
             {"needs": first, "working": "episode", "said": {"day": touched}, "written": path}),
    ]  # fmt: skip
