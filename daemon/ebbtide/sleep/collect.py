"""What of the last days is worth thinking over tonight: candidates with their salience, the reasons and the sentences.

Reads the catalogue, the stored vectors and the notes themselves; embeds nothing and writes nothing. Looked at is every note
of a person's that is dated in the window (or, without a date, was saved in it): episodes, daily notes, working notes,
conversations. Left out are core memories, lists of notes, templates, what is excluded, what a machine wrote, and what a
night has dealt with and nobody has changed since. The same catalogue and notes give the same candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Final, Protocol

from ebbtide.config_sleep import Sleep
from ebbtide.index.catalog import Catalog, FileRow
from ebbtide.index.reading import TEMPLATE, ident, note_id, parse
from ebbtide.memory import revisions
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import TextIndex, VectorIndex, WatchedVault
from ebbtide.memory.promotion import task_of
from ebbtide.memory.records import FileText, Note
from ebbtide.memory.states import Lang
from ebbtide.parse.dates import note_date
from ebbtide.parse.facts import project_of
from ebbtide.parse.file_kinds import conflict_copy, in_template_folder
from ebbtide.parse.note import note_name
from ebbtide.parse.note_kind import is_index_name
from ebbtide.parse.text import language
from ebbtide.sleep import salience
from ebbtide.sleep.core_ties import CoreTies, core_of
from ebbtide.sleep.near_notes import nearness
from ebbtide.sleep.nights import Candidate
from ebbtide.sleep.quotes import Wanted, quotes
from ebbtide.sleep.revising import Revising, Touch
from ebbtide.sleep.salience import Grounds, Moved
from ebbtide.sleep.told import Told, told

DEALT: Final = frozenset(["promote", "associate", "compress", "release"])
"""Revisions about a candidate's key after which it is not caught again."""
HISTORY_AT_MOST: Final = 600
"""Notes of the past that are read, the newest first."""
CONVERSATIONS: Final = "conversations"
NEAR_CORE: Final = 5


class NightVault(WatchedVault, Protocol):
    """A vault with the memory folder's listing: conversations lie there and are not indexed."""

    def memory_list(self, folder: str) -> list[str]:
        """Names of the visible plain files in a folder of the memory folder."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a night reads from. `near` are the vector indexes by kind, empty where there is no model; `folder` is the memory
    folder's path in the vault."""

    catalog: Catalog
    vault: NightVault
    near: Mapping[str, VectorIndex]
    notes: TextIndex
    folder: str
    settings: Sleep = field(default_factory=Sleep)


@dataclass(frozen=True, slots=True)
class Read:
    """A note of the past or of the window, read. `row.row` is 0 for one that is not indexed."""

    row: FileRow
    day: str
    note: Note
    own: Told


def candidate_key(note: str, digest: str) -> str:
    """What names a candidate over nights: its note (id) as it is now (digest of its bytes)."""
    return ident("c_", f"{note}\0{digest}")


def collect(sources: Sources, today: str, since: str | None = None) -> tuple[tuple[Candidate, ...], int]:
    """The candidates of the night of a day (ISO), most salient first, and how many notes were looked at for them.

    `since` (ISO) begins the window earlier or later than `Sleep.window_days` does, as after nights that were missed.
    """
    night = _Night(sources, today, since)
    looked = [read for read in night.window if not night.dealt_with(read.row)]
    found = [(one.value, one.read.row.path, one) for read in looked if (one := night.weigh(read)) is not None]
    chosen = salience.take(found, sources.settings)
    return tuple(night.candidate(one) for one in chosen), len(looked)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A note with its salience, and what it rests on."""

    read: Read
    value: float
    parts: Mapping[str, float]
    grounds: Grounds
    wanted: Wanted


class _Night:
    """One collecting: what was read for it."""

    def __init__(self, sources: Sources, today: str, since: str | None) -> None:
        self.sources, self.settings, self.today = sources, sources.settings, today
        day = date.fromisoformat(today)
        first = since or (day - timedelta(days=self.settings.window_days - 1)).isoformat()
        begin = min(first, (day - timedelta(days=self.settings.history_days)).isoformat())
        files = sources.catalog.files()
        self.core: CoreTies = core_of(sources.catalog, sources.vault, files.values(), sources.folder, today)
        dated = [(row, self._day(row)) for row in files.values() if self._counts(row)]
        dated += [(row, row.date[:10]) for row in self._conversations() if row.date]
        dated = [(row, day) for row, day in dated if begin <= day <= today]
        dated.sort(key=lambda one: one[0].path)
        dated.sort(key=lambda one: one[1], reverse=True)
        lately = sum(day >= first for _, day in dated)
        reads = [
            read for row, day in dated[: max(lately, HISTORY_AT_MOST)] if (read := self._read(row, day)) is not None
        ]
        self.window = [read for read in reads if read.day >= first]
        self.past = reads
        near = sources.near.get("passages")
        said = [(read.row, read.own.text) for read in reads]
        self.nearness = nearness(sources.catalog, near, sources.notes, said, self.core.files)
        earlier: Callable[[FileRow, str], bool] = lambda row, day: (self._day(row) or "") <= day  # noqa: E731
        self.revising = Revising(sources.catalog, sources.near.get("facts"), self.core.rows, earlier)
        self.figures = _by_name(reads)
        self.known = _mentions(reads)

    # --- which notes --------------------------------------------------------------------------------------------------

    def _counts(self, row: FileRow) -> bool:
        """Whether a file is a person's note of the kind a night looks at, whatever its day."""
        if row.status != "indexed" or row.kind not in ("note", "memory") or row.reason == TEMPLATE:
            return False
        if row.row in self.core.rows or in_template_folder(row.path) or is_index_name(note_name(row.path)):
            return False
        inside = row.path.removeprefix(self.sources.folder + "/")
        return row.kind != "memory" or inside.startswith(("working/", "episodic/"))

    @staticmethod
    def _day(row: FileRow) -> str:
        """The day of a note, "" if nothing tells: its date, else the local day on which a person was seen to save it."""
        if row.date:
            return row.date[:10]
        return datetime.fromtimestamp(row.changed, UTC).astimezone().date().isoformat() if row.changed > 0 else ""

    def _conversations(self) -> Iterator[FileRow]:
        """Conversations in the memory folder as rows, which the catalogue has none of; row id 0."""
        for name in self.sources.vault.memory_list(CONVERSATIONS):
            path = f"{self.sources.folder}/{CONVERSATIONS}/{name}"
            found = note_date({}, path) if name.endswith(".md") else None
            if found is None or conflict_copy(path) or self.sources.vault.excluded_by_obsidian(path):
                continue
            yield FileRow(
                0, note_id(path), path, 0, 0, 0, "", "memory", "indexed", title=note_name(path), date=found[0]
            )

    def _read(self, row: FileRow, day: str) -> Read | None:
        """A note's own words; None if it is gone, cannot be read, or holds no word of a person's."""
        try:
            file: FileText = self.sources.vault.read(row.path)
        except (FileNotFoundError, VaultError):
            return None
        note = parse(row.kind, row.path, file.text)
        talk = row.path.startswith(f"{self.sources.folder}/{CONVERSATIONS}/")
        own = told(note, self.settings.markers, talk=talk) if note.remembered else Told()
        if not own.sayings:
            return None
        return Read(row if row.row else _as_read(row, file, note), day, note, own)

    def dealt_with(self, row: FileRow) -> bool:
        """Whether a night has decided about this note as it is now, and the decision was not undone."""
        known = self.sources.catalog.revisions_of(candidate_key(row.id, row.digest))
        return any(revision.get("kind") in DEALT for revision in revisions.effective(known))

    # --- how salient --------------------------------------------------------------------------------------------------

    def weigh(self, read: Read) -> _Weighed | None:
        """The salience of a note."""
        past = self.settings.past
        measure, unlike = self.nearness.measure(read.row.id)
        others = [value for note, value in sorted(unlike.items()) if note != read.row.id]
        own_lines = {saying.line for saying in read.own.sayings} | set(read.note.property_lines.values())
        touches = self.revising.touches(read.row, read.day, own_lines) if read.row.row else []
        touches = touches or self._named_change(read)
        moved, far = self._moved(read)
        tied = self.core.tied(self.sources.catalog, read.row.path, read.own.text)
        parts = {
            "nov": salience.novelty(unlike[read.row.id], others, past, measure) if unlike else 0.0,
            "ins": salience.insight(read.own.density, self._habit(read), past),
            "chg": far,
            "lnk": salience.ties(len(tied)),
            "rev": 1.0 if touches else 0.0,
        }
        parts = {name: round(value, 4) for name, value in parts.items()}
        grounds = Grounds(
            len(others),
            len(others) >= past,
            tuple(mark for saying in read.own.sayings for mark in saying.markers),
            None if moved is None else moved[0],
            tuple(self.core.titles[row] for row in tied),
            (touches[0].file.title or note_name(touches[0].file.path)) if touches else "",
            touches[0].how if touches else "",
            bool(touches) and touches[0].core,
        )
        measured = {moved[1]} if moved is not None and moved[1] is not None else set[int]()
        wanted = Wanted({touch.line for touch in touches}, measured, self._mentioned_elsewhere(read))
        return _Weighed(read, salience.salience(parts, self.settings), parts, grounds, wanted)

    def _named_change(self, read: Read) -> list[Touch]:
        """Sentences that tell of a change and name a core memory."""
        return [
            Touch(saying.line, "change", self.core.files[row], True)
            for saying in read.own.sayings
            if (row := self.core.changed_by(saying.text, read.day)) is not None
        ]

    def _habit(self, read: Read) -> list[float]:
        """How densely the notes of the weeks before this one hold words of insight."""
        first = (date.fromisoformat(read.day) - timedelta(days=self.settings.habit_days)).isoformat()
        return [other.own.density for other in self.past if first <= other.day < read.day]

    def _moved(self, read: Read) -> tuple[tuple[Moved, int | None] | None, float]:
        """The figure that left its range farthest, with its line, and how far that is; of two, the first by name."""
        best: tuple[Moved, int | None] | None = None
        most = 0.0
        for figure in read.own.figures:
            series = self.figures.get((_folder(read.row.path), figure.name, figure.unit), [])
            past = [value for day, path, value in series if day < read.day and path != read.row.path]
            far = salience.change(figure.value, past)
            if far > most:
                named = f"{figure.name} ({figure.unit})" if figure.unit else figure.name
                best, most = (Moved(named, figure.value, median(past), len(past)), figure.line), far
        return best, most

    def _mentioned_elsewhere(self, read: Read) -> frozenset[str] | None:
        """The words of this note that another one of late mentions; None if there is no other."""
        if len(self.past) < 2:
            return None
        return frozenset(word for word in read.own.words if self.known[word] > 1)

    # --- the candidate ------------------------------------------------------------------------------------------------

    def candidate(self, one: _Weighed) -> Candidate:
        """A chosen note with its sentences and the core memories near it."""
        row, note = one.read.row, one.read.note
        near = self.nearness.core.get(row.id, {})
        ranked = sorted(near, key=lambda other: (-near[other], self.core.files[other].path))[:NEAR_CORE]
        lang: Lang = "zh" if row.lang == "zh" else "en"
        return Candidate(
            key=candidate_key(row.id, row.digest),
            id=row.id,
            note=row.path,
            title=row.title or note_name(row.path),
            day=one.read.day,
            lang=lang,
            task=task_of(row.path, project_of(note), None),
            salience=one.value,
            parts=one.parts,
            why=salience.why(one.parts, one.grounds, lang),
            quotes=quotes(note, one.read.own, one.wanted, self.settings.quotes),
            near=tuple(self.core.files[other].path for other in ranked),
            private=row.private or note.private,
        )


def _as_read(row: FileRow, file: FileText, note: Note) -> FileRow:
    """The row of a note that the catalogue does not know, from what is in it."""
    lang, private = language(file.text[:4000]), note.private
    return FileRow(
        0, row.id, row.path, file.stat.size, file.stat.mtime_ns, file.stat.inode, file.digest, row.kind, row.status,
        title=note.title, date=row.date, lang=lang, private=private,
    )  # fmt: skip


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _by_name(reads: Sequence[Read]) -> dict[tuple[str, str, str], list[tuple[str, str, float]]]:
    """(folder, name, unit) -> (day, path, value): figures of one name in one folder are a series."""
    out: dict[tuple[str, str, str], list[tuple[str, str, float]]] = {}
    for read in reads:
        for figure in read.own.figures:
            out.setdefault((_folder(read.row.path), figure.name, figure.unit), []).append(
                (read.day, read.row.path, figure.value)
            )
    return out


def _mentions(reads: Sequence[Read]) -> dict[str, int]:
    """Word -> in how many notes it is mentioned."""
    out: dict[str, int] = {}
    for read in reads:
        for word in read.own.words:
            out[word] = out.get(word, 0) + 1
    return out
