"""The use-cases about where records stand: facts as they hold, actions, corrections, undo, and the review queue.

Parts of `service`. Every change is a revision with who, why and on what ground, made by the one thread that may write;
refusals name the present state and what to do instead.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.memory.states import FACT_TYPES, Lang
from ebbtide.runtime import Runtime
from ebbtide.serve import rulings_moves as moves
from ebbtide.serve.commands_rulings import FILTERS
from ebbtide.serve.rulings_desk import PATIENCE, Desk
from ebbtide.serve.rulings_moves import ACTIONS, Action, NotAllowed, Record, on_facts, revision
from ebbtide.serve.rulings_queue import Queue
from ebbtide.serve.vitals import Threads

_PAGE: Final = 500
_COUNTED: Final = 10_000
"""Refusals of one note that are counted."""
_LOOK_BACK: Final = 1000
"""Latest revisions among which the one to undo is looked for."""
_TAKES_BACK: Final[Mapping[str, tuple[str, ...]]] = {
    "restore": ("archive", "forget"),
    "thaw": ("freeze",),
    "clear": ("quarantine",),
}
"""What these do to a note: they take back what was done to it and its facts, exactly."""


@dataclass(slots=True)
class Rulings:
    """The use-cases over one runtime; see the module."""

    desk: Desk
    queue: Queue

    @classmethod
    def of(cls, runtime: Runtime, threads: Threads, patience: float = PATIENCE) -> Rulings:
        """Over an opened vault and its threads."""
        desk = Desk(runtime, threads, patience)
        return cls(desk, Queue(desk))

    # --- facts ----------------------------------------------------------------------------------------------------

    def facts(
        self, note: str | None, type: str | None, after: str, limit: int, state: str | None = None
    ) -> dict[str, Any]:
        """A page of facts by id, as they hold now; what is refused or forgotten is left out. The note is known to be there."""
        if type is not None and type not in FACT_TYPES:
            raise BadRequest(f"There is no fact type {type!r}.", f"Choose one of {', '.join(FACT_TYPES)}.")
        if state is not None and state not in FILTERS:
            raise BadRequest(f"There is no state {state!r}.", f"Choose one of {', '.join(FILTERS)}.")
        page: list[dict[str, Any]] = []
        more = False
        for view in self._matching(note, type, after, state):
            if len(page) == limit:
                more = True
                break
            page.append(view)
        return {
            "facts": page,
            "refused": [],
            "counts": {},
            "total": self._total(note, type, state),
            "next": page[-1]["id"] if more and page else None,
        }

    def _matching(self, note: str | None, type: str | None, after: str, state: str | None) -> Iterator[dict[str, Any]]:
        for batch in self._batches(note, type, after, state):
            yield from (view for view in self.desk.views(batch) if _matches(view, note, type, state))

    def _batches(self, note: str | None, type: str | None, after: str, state: str | None) -> Iterator[list[Record]]:
        """Records by id that may match; by the table of standings where the state is not the plain one."""
        catalog = self.desk.runtime.catalog
        if state in (None, "active") or note is not None:
            while records := [json.loads(r) for r in catalog.find_facts(note, type, _PAGE, after)]:
                yield records
                after = records[-1]["id"]
            return
        while found := catalog.find_standings(str(state), _PAGE, after):
            stored = self.desk.raw([ident for ident, _ in found])
            yield [stored[ident] for ident, _ in found if ident in stored]
            after = found[-1][0]

    def _total(self, note: str | None, type: str | None, state: str | None) -> int:
        catalog = self.desk.runtime.catalog
        if state is None:
            return catalog.count_facts(note, type)
        if state == "active" and note is None:
            counts = catalog.count_standings()
            plain = catalog.count_facts(None, type)
            return (
                plain if type is not None else max(0, plain - sum(counts.get(s, 0) for s in FILTERS[:5] if s != state))
            )
        return sum(1 for _ in self._matching(note, type, "", state))

    def refused(self, note: str | None, after: str, limit: int) -> dict[str, Any]:
        """What the gates refused or hold back, with the reason, and how many by gate and code."""
        if after and not after.isdigit():
            raise BadRequest(f"{after!r} is no place to go on from.", "Give the `next` of the page before.")
        catalog = self.desk.runtime.catalog
        rows = catalog.refusals(note, limit + 1, int(after or 0))
        names = ("note", "outcome", "gate", "code", "reason")
        counts = catalog.count_refusals()
        return {
            "facts": [],
            "refused": [dict(zip(names, row[1:6], strict=True)) | {"fact": json.loads(row[6])} for row in rows[:limit]],
            "counts": counts,
            "total": len(catalog.refusals(note, _COUNTED)) if note else sum(sum(c.values()) for c in counts.values()),
            "next": str(rows[limit - 1][0]) if len(rows) > limit else None,
        }

    def fact(self, ident: str) -> dict[str, Any]:
        """One fact as it holds now, with every revision that touched it, oldest first."""
        history = self.desk.runtime.sync.decisions.history(ident)
        stored = self.desk.raw([ident])
        if ident not in stored:
            raise self._unknown(ident, history)
        return {"fact": self.desk.views([stored[ident]])[0], "history": history}

    def _unknown(self, ident: str, history: Sequence[Record]) -> NotFound:
        told = [r for r in history if not r["undone"] and not r.get("undoes") and ident in (r.get("subjects") or ())]
        if not told:
            return NotFound(f"No fact {ident!r} is known.", "See `ebbtide facts`.")
        last = told[-1]
        forgotten = any(r["kind"] == "forget" for r in told)
        way = f"`ebbtide restore {ident}` brings it back." if forgotten else "See `ebbtide undo --list`."
        reason = (
            f"The fact {ident} is not there any more: {last['kind']} on {str(last['at'])[:10]} ({last.get('why')})."
        )
        return NotFound(reason, way)

    # --- actions --------------------------------------------------------------------------------------------------

    def act(self, ident: str, action: str, why: str = "", client: str | None = None) -> dict[str, Any]:
        """Do something with a fact, or with a note (or the note of a passage) and its facts. Raises NotFound, NotAllowed."""
        if action not in ACTIONS:
            raise BadRequest(f"There is no action {action!r}.", f"Choose one of {', '.join(ACTIONS)}.")
        by, reason = _who(client), why.strip() or "asked for"
        if ident.startswith("p_"):
            ident = self._note_of(ident)
        if ident.startswith("n_"):
            return self.desk.write(lambda: self._act_on_note(ident, action, by, reason))
        return self.desk.write(lambda: self._act_on_fact(ident, action, by, reason))

    def _note_of(self, passage: str) -> str:
        """The note that a passage is from: passages come and go with every edit, so nothing is done to one alone."""
        note = self.desk.runtime.catalog.note_of_passage(passage)
        if note is None:
            raise NotFound(f"No passage {passage!r} is known.", "It changed with its note; recall again.")
        return note

    def _act_on_fact(self, ident: str, action: Action, by: str, why: str) -> dict[str, Any]:
        decisions = self.desk.runtime.sync.decisions
        stored, standing = self.desk.raw([ident]), decisions.standing(ident)
        if ident not in stored:
            if action != "restore" or standing.there:
                raise self._unknown(ident, decisions.history(ident))
            return self.desk.record(revision("restore", [ident], by, why))
        moves.check(action, ident, standing)
        news = [on_facts(action, [stored[ident]], by, why)]
        return self.desk.record(*news, *self._cascade(action, [ident], by))

    def _cascade(self, action: str, idents: Sequence[str], by: str) -> list[dict[str, Any]]:
        derived = self.desk.concluded(idents) if action == "forget" else []
        return [on_facts("forget", derived, by, "it was concluded from what was forgotten")] if derived else []

    def _act_on_note(self, ident: str, action: Action, by: str, why: str) -> dict[str, Any]:
        """The note first; its facts, as far as their own state allows, as a part of it."""
        runtime = self.desk.runtime
        file = runtime.catalog.files_by_id([ident]).get(ident)
        if file is None or file.status != "indexed":
            raise NotFound(f"No note {ident!r} is indexed.", "`ebbtide note PATH --json` and `ebbtide notes` name ids.")
        decisions = runtime.sync.decisions
        standing = decisions.standing(ident)
        by_property = action == "restore" and file.archived is not None and standing.state == "active"
        undone = self._taken_back(ident, action)
        only_facts = action == "clear" and bool(undone)  # a night set aside what the note states, not the note
        if not (by_property and standing.last is None) and not only_facts:
            moves.check(action, ident, standing)
        if undone:
            return self.desk.clear(undone, by, why) if action == "clear" else self.desk.undo(undone[-1], by, why)
        records = [json.loads(record) for _, _, record in runtime.catalog.facts_of(file.row)]
        along = [r for r in records if moves.goes_along(action, decisions.standing(r["id"]))]
        news = [revision(action, [ident], by, why)]
        if along and action not in _TAKES_BACK:
            news.append(on_facts(action, along, by, f"{action} of its note"))
            news += self._cascade(action, [r["id"] for r in along], by)
        return self.desk.record(*news)

    def _taken_back(self, ident: str, action: Action) -> list[str]:
        """The revisions of a note that this action takes back, the oldest first: a source may be set aside more than once, as it grows."""
        kinds = _TAKES_BACK.get(action, ())
        history = self.desk.runtime.sync.decisions.history(ident)
        found = [r for r in history if r["kind"] in kinds and not r["undone"] and not r.get("undoes")]
        return [str(r["id"]) for r in found]

    # --- corrections ----------------------------------------------------------------------------------------------

    def correct(
        self, ident: str, fields: Mapping[str, Any], why: str = "", client: str | None = None
    ) -> dict[str, Any]:
        """Change fields of a fact, in one revision over what its source says. Raises NotFound, BadRequest, NotAllowed."""

        def work() -> dict[str, Any]:
            decisions = self.desk.runtime.sync.decisions
            stored, standing = self.desk.raw([ident]), decisions.standing(ident)
            if ident not in stored:
                raise self._unknown(ident, decisions.history(ident))
            if not standing.there:
                reason = f"{ident} is {moves.present(standing)}: it cannot be corrected."
                raise NotAllowed(reason, f"Restore it first: `ebbtide restore {ident}`.")
            changes = moves.corrections({**stored[ident], **standing.fields}, fields)
            told = why.strip() or "corrected by hand"
            evidence = [moves.place(stored[ident])]
            return self.desk.record(
                revision("correct", [ident], _who(client), told, changes=changes, evidence=evidence)
            )

        return self.desk.write(work)

    # --- undo -----------------------------------------------------------------------------------------------------

    def undo(self, ident: str | None = None, why: str = "", client: str | None = None) -> dict[str, Any]:
        """Take back a revision with all its parts; without an id the latest of whoever asks. Raises NotFound, BadRequest."""
        by = _who(client)
        return self.desk.write(lambda: self.desk.undo(ident or self._latest(by), by, why.strip() or "taken back"))

    def _latest(self, by: str) -> str:
        catalog = self.desk.runtime.catalog
        for r in catalog.latest_revisions(_LOOK_BACK):
            whole = r.get("part_of") or r.get("undoes") or r.get("kind") == "move"
            if r.get("by") == by and not whole and not catalog.is_undone(str(r["id"])):
                return str(r["id"])
        raise NotFound("There is nothing to undo.", "Name a revision; `ebbtide undo --list` shows the latest.")

    def revisions(self, limit: int = 20) -> dict[str, Any]:
        """The latest revisions, newest first, without their parts, undos and renames."""
        catalog = self.desk.runtime.catalog
        found = [
            {**r, "undone": catalog.is_undone(str(r["id"])), "parts": len(catalog.parts_of(str(r["id"])))}
            for r in catalog.latest_revisions(max(limit, _LOOK_BACK))
            if not (r.get("part_of") or r.get("undoes") or r.get("kind") == "move")
        ][:limit]
        return {"revisions": found}

    # --- the review queue -----------------------------------------------------------------------------------------

    def reviews(
        self, kind: str | None = None, limit: int = 50, after: str = "", lang: Lang | None = None
    ) -> dict[str, Any]:
        """A page of open questions, the most pressing first, in a language or each in that of what it is about."""
        return self.queue.page(kind, limit, after, lang)

    def rule(self, ident: str, ruling: str, why: str = "", client: str | None = None) -> dict[str, Any]:
        """Answer an open question. Raises NotFound if it is not open any more, BadRequest for a ruling it does not offer."""
        return self.desk.write(lambda: self.queue.rule(ident, ruling, _who(client), why.strip()))


def _who(client: str | None) -> str:
    return "user" if client is None else f"agent:{client}"


def _matches(view: Record, note: str | None, type: str | None, state: str | None) -> bool:
    """Whether a fact belongs to a page. A state that came from the table of standings may be another by now."""
    if view["forgotten"] or view["refused"]:
        return False
    if note is not None and view["source"] != note:
        return False
    if type is not None and view["type"] != type:
        return False
    if state in ("expired", "frozen"):
        return bool(view[state])
    if state == "disputed":
        return bool(view["disputes"])
    return state is None or view["state"] == state
