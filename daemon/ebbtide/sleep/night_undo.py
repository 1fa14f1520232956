"""Taking back what a night did: its revisions, and the bytes that each file had. In the thread that owns the writers.

By the revisions alone, whichever device had the night: each names its file by the hashes of what was there and what is.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, Final, Protocol

from ebbtide.index.sync import Sync
from ebbtide.memory.errors import BadRequest, ChangedOutside, NotFound, VaultError
from ebbtide.memory.revisions import ordered

log = logging.getLogger(__name__)

UNDO: Final = "undo.json"
"""The undo under way: {"id": the revision}; or what a new revision is about to do to files: {"forward": its fields}."""
INTENT: Final = ("kind", "subjects", "object", "changes", "claims")
"""What tells the revision of an intent from others: it names its files by the hashes before and after."""
CONTENT: Final = "content"
"""The field of a change that is the whole of a file, by hash."""
NIGHTS_AT_MOST: Final = 10_000
"""Latest revisions among which nights are looked for."""


class Files(Protocol):
    """Files of the memory folder; vault.nightfiles.NightFiles."""

    def read(self, rel: str) -> bytes | None:
        """The bytes, or None."""

    def digest(self, rel: str) -> str:
        """Their hash; "" if there is no file."""

    def allowed(self, rel: str) -> bool:
        """Whether a night may touch this path."""

    def keep(self, data: bytes) -> str:
        """Keep a content by its hash."""

    def kept(self, digest: str) -> bytes | None:
        """A kept content."""

    def put(self, rel: str, data: bytes, before: str) -> None:
        """Write. Raises ChangedOutside."""

    def take(self, rel: str, before: str) -> None:
        """Take away. Raises ChangedOutside."""


class Journal(Protocol):
    """What is under way; vault.nightfiles.NightJournal."""

    def read(self, name: str) -> bytes | None:
        """A file, or None."""

    def write(self, name: str, data: bytes) -> None:
        """Replace a file durably."""

    def remove(self, name: str) -> None:
        """Take a file out."""

    def archive(self, day: str, mark: str, data: bytes) -> None:
        """Keep the account of a night of a day, by its mark; told again, the later one stands."""


def latest_night(sync: Sync, day: str | None = None) -> dict[str, Any] | None:
    """The revision of the latest night, or of the latest of a day, that is not undone."""
    catalog = sync.indexes.catalog
    for revision in catalog.latest_revisions(NIGHTS_AT_MOST, ("release",)):
        stands = revision.get("night") and revision.get("plan") and not revision.get("part_of")
        if stands and day in (None, revision["night"]) and not catalog.is_undone(str(revision["id"])):
            return revision
    return None


def take_back(
    sync: Sync, files: Files, journal: Journal, folder: str, ident: str, by: str, why: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Undo a revision, and bring its files back. Returns the revisions made, and the files that stay as a person left them.

    For any revision; one that changed no file is only undone. A kill in between is ended by `end_undo`. Raises NotFound,
    BadRequest.
    """
    if not _files_of(sync, ident):
        return sync.decisions.undo(ident, by, why), []
    end_pending(sync, files, journal, folder)  # first: refusing looks at files
    _refuse_out_of_turn(sync, ident)
    _refuse_not_kept(sync, files, ident)
    data = json.dumps({"id": ident, "by": by, "why": why}).encode() + b"\n"
    journal.write(UNDO, data)
    try:
        made = sync.decisions.undo(ident, by, why)
    except (NotFound, BadRequest):
        journal.remove(UNDO)
        raise
    sync.outbox.deliver()
    return made, end_undo(sync, files, journal, folder, data)


def end_undo(sync: Sync, files: Files, journal: Journal, folder: str, data: bytes) -> list[str]:
    """Bring the files of an undone revision back, as far as they are not; those that a person changed stay, and are named.

    `data` with "forward": bring them to what a new revision says instead; an intent whose revision was never made is dropped.
    """
    catalog = sync.indexes.catalog
    try:
        told = json.loads(data)
        forward = told.get("forward") is not None
        ident = str(told["id"]) if "id" in told else _intended(sync, told["forward"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("an undo that was cut off cannot be read and is left (%s)", error)
        journal.remove(UNDO)
        return []
    if ident is None:
        journal.remove(UNDO)
        return []
    target = _target(sync, ident)
    left: list[str] = []
    touched: list[str] = []
    if target is not None and (catalog.is_undone(ident) or forward):
        for rel, now, then in _moves(sync, target, back=catalog.is_undone(target)):
            if rel in left:
                continue
            if bring(files, rel, now, then):
                touched.append(rel)
            else:
                left.append(rel)
    if touched:
        sync.apply(sorted({f"{folder}/{rel}" for rel in touched}))
        sync.changes += 1
    journal.remove(UNDO)
    return left


def end_pending(sync: Sync, files: Files, journal: Journal, folder: str) -> None:
    """End what was cut off, before something else is begun that would stand in its place."""
    data = journal.read(UNDO)
    if data is not None:
        end_undo(sync, files, journal, folder, data)


def intent_of(revision: Mapping[str, Any]) -> bytes:
    """What is written down before a revision is made whose files follow it."""
    return json.dumps({"forward": {name: revision.get(name) for name in INTENT}}).encode() + b"\n"


def _intended(sync: Sync, intent: Mapping[str, Any]) -> str | None:
    """The revision that was made of an intent and holds; None if the kill came first."""
    catalog = sync.indexes.catalog
    made = [
        str(known["id"])
        for known in catalog.revisions_of(str(intent["subjects"][0]))
        if all(known.get(name) == intent.get(name) for name in INTENT)
    ]
    return next((ident for ident in reversed(made) if not catalog.is_undone(ident)), None)


def bring(files: Files, rel: str, now: str, then: str) -> bool:
    """Bring a file from one content to another, by their hashes ("" none); False if it holds neither, or is not kept."""
    try:
        found = files.digest(rel)
        if found == then:
            return True
        if found != now:
            return False
        if not then:
            files.take(rel, now)
            return True
        data = files.kept(then)
        if data is None:
            return False
        if now:
            files.keep(files.read(rel) or b"")
        files.put(rel, data, now)
    except (ChangedOutside, VaultError) as error:
        log.warning("%s", error)
        return False
    return True


def _target(sync: Sync, ident: str) -> str | None:
    """The revision that an undo, or an undo of an undo, is about in the end; the revision itself if it is none."""
    seen: set[str] = set()
    while ident not in seen:
        seen.add(ident)
        found = sync.indexes.catalog.revisions([ident]).get(ident)
        if found is None:
            return None
        if not found.get("undoes"):
            return ident
        ident = str(found["undoes"])
    return None


def _changes(sync: Sync, ident: str) -> list[tuple[str, str, str]]:
    """(file, hash before, hash after) of a revision and its parts, in order; a hash is "" for no file."""
    catalog = sync.indexes.catalog
    own = list(catalog.revisions([ident]).values())
    out: list[tuple[str, str, str]] = []
    for revision in ordered([*own, *catalog.parts_of(ident)]):
        if revision.get("night") is None:
            continue
        out += [
            (change["path"], str(change.get("before") or ""), str(change.get("after") or ""))
            for change in revision.get("changes") or ()
            if isinstance(change, Mapping) and change.get("field") == CONTENT and isinstance(change.get("path"), str)
        ]
    return out


def _moves(sync: Sync, ident: str, *, back: bool) -> list[tuple[str, str, str]]:
    """(file, hash that it has, hash that it is to have), one after another; `back`: from the last change to the first."""
    changes = _changes(sync, ident)
    return [(rel, after, before) for rel, before, after in reversed(changes)] if back else changes


def _files_of(sync: Sync, ident: str) -> list[str]:
    target = _target(sync, ident)
    return [] if target is None else [rel for rel, _, _ in _changes(sync, target)]


def _refuse_not_kept(sync: Sync, files: Files, ident: str) -> None:
    """Raise BadRequest if what a file held before is not kept any more: half an undo would be none."""
    target = _target(sync, ident)
    if target is None:
        return
    moves = _moves(sync, target, back=not sync.indexes.catalog.is_undone(target))
    ours = {rel: files.digest(rel) == now for rel, now, _ in reversed(moves) if files.allowed(rel)}
    for rel, _, then in moves:
        if ours.get(rel) and then and then != files.digest(rel) and files.kept(then) is None:
            raise BadRequest(
                f"What {rel} held before is not kept any more: it can be taken back for `keep.undo_days` only.",
                "Nothing was done. Change the file by hand.",
            )


def _refuse_out_of_turn(sync: Sync, ident: str) -> None:
    """Raise BadRequest if a later night, or a merge that a person ruled, holds and wrote on in a file of this revision."""
    catalog = sync.indexes.catalog
    target = _target(sync, ident)
    if target is None or catalog.is_undone(target):
        return
    mine = set(_files_of(sync, target))
    at = str(catalog.revisions([target])[target].get("at"))
    own = {target, str(catalog.revisions([target])[target].get("part_of") or target)}
    for lead in catalog.latest_revisions(NIGHTS_AT_MOST, ("release", "merge")):
        ruled = lead.get("kind") == "merge" and not lead.get("part_of")
        wrote = lead.get("night") and (lead.get("plan") or ruled)
        later = wrote and str(lead.get("at")) > at and str(lead["id"]) not in own
        if later and not catalog.is_undone(str(lead["id"])) and mine & set(_files_of(sync, str(lead["id"]))):
            first = f"undo {lead['id']}" if ruled else f"sleep --undo {lead['night']}"
            raise BadRequest(
                f"{'A merge' if ruled else 'The night'} of {lead['night']} wrote on in the same files.",
                f"Undo that one first: `ebbtide {first}`.",
            )
