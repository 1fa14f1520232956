"""A night: planned as a whole, written down outside the vault, carried out step by step, each step a file and a revision.

A night that was cut off goes on where it stopped. What was done is told by the revisions, each with the number of its step
and a part of the night's own; and by the files, which hold either what the plan found there or what it puts there. What a
person changed meanwhile holds neither: that step is left out, and said. Undoing a night undoes its own revision, all parts with
it, and puts back the bytes that each file had.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol, TypeVar

from ebbtide.index.sync import Sync
from ebbtide.memory.errors import ChangedOutside, NotFound, VaultError
from ebbtide.sleep import day_account, planning
from ebbtide.sleep.consolidate import Place
from ebbtide.sleep.core_read import read_core, waiting
from ebbtide.sleep.day_account import Account
from ebbtide.sleep.night_undo import CONTENT, UNDO, Files, Journal, bring, end_pending, latest_night, take_back
from ebbtide.sleep.nights import Candidate, Judge, Plan, Step
from ebbtide.sleep.withdrawn import REASONS, vouched, withdrawn, without

log = logging.getLogger(__name__)

OPEN: Final = "open.json"
"""The plan under way."""
FURTHER: Final = "further.json"
"""The steps that follow once those of the plan are done."""
MARK: Final = "mark"
"""Names the run of the plan under way: the same plan may come twice in a day, and is then carried out twice."""
LAST: Final = "last.json"
"""The last night that ended: {"day", "at" (seconds since the epoch), "lead"}."""
T = TypeVar("T")
Collect = Callable[[str, str | None], tuple[tuple[Candidate, ...], int]]
"""(day, since) -> candidates, most salient first, and how many notes were looked at."""
JudgeOf = Callable[[str, Sequence[Place]], Judge]
"""The judge of the night of a day, given what still waits from earlier nights."""
Say = Callable[[str, int, int], None]
"""(phase, done, total); phases: collect, judge, write, undo."""


class Write(Protocol):
    """Has something done by the owner of the writers, and waits for it."""

    def __call__(self, work: Callable[[], T], /) -> T:
        """What the work returns."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a night. `lead` is the revision that stands for it, None where nothing was to do; `skipped`: step -> why.

    `plan` and `steps` are without the words that were withdrawn before they were written."""

    plan: Plan
    lead: str | None
    done: int
    skipped: Mapping[int, str]
    steps: tuple[Step, ...]

    @property
    def left(self) -> list[str]:
        """What was left out, in words."""
        found = [(self.steps[n], why) for n, why in sorted(self.skipped.items())]
        return [f"{f'{step.kind} {step.path}'.rstrip()}: {why}" for step, why in found]


@dataclass(slots=True)
class Night:
    """One vault's nights. `folder` is the memory folder's vault path. Only `write` touches the writers; the rest reads.

    `further` gives steps beside those of candidates, planned with them; `closing` those that need the others done (a router of
    the core); `finished` is told at the end, once even after a kill or more often.
    """

    sync: Sync
    files: Files
    journal: Journal
    folder: str
    collect: Collect
    judge: JudgeOf
    write: Write
    further: Callable[[str], Sequence[Step]] = lambda _day: ()
    closing: Callable[[Plan], Sequence[Step]] = lambda _plan: ()
    finished: Callable[[Outcome], None] = lambda _outcome: None
    say: Say = lambda *_: None
    stop: Callable[[], bool] = lambda: False

    # --- planning -----------------------------------------------------------------------------------------------------

    def plan(self, day: str, since: str | None = None) -> Plan:
        """What the night of a day would do. Writes nothing; the same vault gives the same plan."""
        catalog = self.sync.indexes.catalog
        self.say("collect", 0, 0)
        candidates, processed = self.collect(day, since)
        core = read_core(catalog, self.sync.vault, self.folder, day)
        self.say("judge", 0, len(candidates))
        judge = self.judge(day, waiting(catalog, self.sync.vault, day))
        judged = judge(candidates, core)
        return planning.planned(
            day, core, candidates, judged, processed,
            folder=self.folder, new_id=self.sync.new_id, further=self.further(day), skipped=planning.unjudged(judged),
        )  # fmt: skip

    # --- carrying out -------------------------------------------------------------------------------------------------

    def run(self, day: str, since: str | None = None) -> Outcome:
        """End what was cut off, then have the night of a day. Raises what the vault raises; then the next run goes on."""
        self.resume()
        plan = self.plan(day, since)
        data = planning.to_json(plan)
        run = hashlib.blake2b(data, digest_size=8).hexdigest() + f"-{int(1000 * self.sync.clock.now()):x}"
        self.journal.write(MARK, run.encode())  # first: a plan without its mark could not be gone on with
        self.journal.write(OPEN, data)
        return self._carry_out(plan)

    def resume(self) -> Outcome | None:
        """Go on with a night, or an undo, that was cut off; None if there was no night."""
        if self.journal.read(UNDO) is not None:
            self.write(lambda: end_pending(self.sync, self.files, self.journal, self.folder))
        data = self.journal.read(OPEN)
        if data is None:
            return None
        try:
            plan = planning.from_json(data)
        except ValueError as error:
            log.warning("the plan of a night cannot be read and is left (%s)", error)
            self._close()
            return None
        return self._carry_out(plan)

    def _carry_out(self, plan: Plan) -> Outcome:
        lead, skipped, done = "", dict[int, str](), 0
        steps = plan.steps
        if steps:
            lead = self.write(lambda: self._lead(plan))
            done += self._do_all(plan, lead, steps, 0, skipped)
        told = without(plan, {n for n, why in skipped.items() if why in REASONS})
        more = self._further(told)
        if more:
            lead = lead or self.write(lambda: self._lead(plan))
            done += self._do_all(plan, lead, more, len(steps), skipped)
        total = len(steps) + len(more)
        self.say("write", total, total)
        outcome = Outcome(told, lead or None, done, skipped, (*told.steps, *more))
        now = self.sync.clock.now()
        account = Account(now, outcome.lead, told, tuple(outcome.left))
        self.journal.archive(plan.day, self._mark(), day_account.to_json(account))  # first: it is what is told of
        self.finished(outcome)
        last = {"day": plan.day, "at": now, "lead": outcome.lead}
        self.journal.write(LAST, json.dumps(last).encode() + b"\n")
        self._close()
        return outcome

    def _further(self, plan: Plan) -> tuple[Step, ...]:
        """The steps that follow; written down before the first is done, so that a kill does not change them."""
        data = self.journal.read(FURTHER)
        if data is not None:
            try:
                return planning.steps_from_json(data)
            except ValueError as error:
                log.warning("the last steps of a night cannot be read and are left (%s)", error)
                return ()
        more = tuple(self.closing(plan))
        if more:
            self.journal.write(FURTHER, planning.steps_to_json(more))
        return more

    def _mark(self) -> str:
        return (self.journal.read(MARK) or b"").decode("ascii", "replace")

    def _close(self) -> None:
        self.journal.remove(FURTHER)
        self.journal.remove(OPEN)

    def _do_all(self, plan: Plan, lead: str, steps: Sequence[Step], first: int, skipped: dict[int, str]) -> int:
        done = 0
        for number, step in enumerate(steps, first):
            if self.stop():
                raise stopped()
            self.say("write", number, first + len(steps))
            needed = step.extra.get("needs")
            if isinstance(needed, int) and needed in skipped:
                skipped[number] = skipped[needed]
                continue

            def work(number: int = number, step: Step = step) -> str:
                return self._do(plan, lead, number, step)

            reason = self.write(work)
            if reason:
                skipped[number] = reason
                log.info("step %d of the night of %s was left out: %s", number, plan.day, reason)
            done += not reason
        return done

    # --- in the thread of the writers ---------------------------------------------------------------------------------

    def _lead(self, plan: Plan) -> str:
        """The revision that stands for the night: that of before the kill, or a new one."""
        catalog, name = self.sync.indexes.catalog, night_name(plan.day)
        mark = self._mark()
        for known in catalog.revisions_of(name):
            ident = str(known["id"])
            if known.get("plan") == mark and name in (known.get("subjects") or ()) and not catalog.is_undone(ident):
                return ident
        made = self.sync.decisions.record(
            {
                "by": "daemon",
                "kind": "release",
                "subjects": [name],
                "object": None,
                "changes": [],
                "why": f"the night of {plan.day}: {len(plan.candidates)} candidates, {plan.processed} notes looked at",
                "evidence": [],
                "night": plan.day,
                "plan": mark,
            }
        )
        self.sync.outbox.deliver()
        return str(made[0]["id"])

    def _do(self, plan: Plan, lead: str, number: int, step: Step) -> str:
        """Do one step if it is not done; why it was left out, or ""."""
        catalog = self.sync.indexes.catalog
        if any(part.get("step") == number for part in catalog.parts_of(lead)):
            return ""
        writes = writes_of(step)
        reason = withdrawn(catalog, self.sync.vault, plan, step) or self._other_source(plan, number)
        if reason:
            self._take_out(step, writes)
            return reason
        reason = self._place(writes)
        if reason:
            return reason
        extra = {key: value for key, value in step.extra.items() if key not in ("object", "needs")}
        revision = {
            "by": "daemon",
            "kind": step.kind,
            "subjects": list(step.subjects),
            "object": step.extra.get("object"),
            "changes": [change_of(*write) for write in writes],
            "why": step.why,
            "evidence": [{"source": q.note, "line": q.line, "quote": q.text} for q in step.evidence],
            "part_of": lead,
            "night": plan.day,
            "step": number,
        }
        self.sync.decisions.record({**extra, **revision})
        self.sync.outbox.deliver()
        if writes:
            self._index([path for path, _, _ in writes])
        return ""

    def _place(self, writes: Sequence[FileWrite]) -> str:
        """Bring files to what a step puts there, all or none; why not, or "". Doing it again changes nothing."""
        try:
            found = [self.files.digest(path) for path, _, _ in writes]
            # What has it already was written before a kill, or by another device from the same notes.
            left = [w for w, now in zip(writes, found, strict=True) if now != planning.digest(w[2])]
            if any(self.files.digest(path) != before for path, before, _ in left):
                return _CHANGED
            for path, before, after in left:
                if before:
                    self.files.keep(self.files.read(path) or b"")
                if after is None:
                    self.files.take(path, before)
                else:
                    self.files.put(path, after.encode("utf-8"), before)
        except ChangedOutside:
            return _CHANGED
        return ""

    def _other_source(self, plan: Plan, number: int) -> str:
        """Why not, if another file is to go once this step has written what it said, and says something else by now; or ""."""
        sources = (one for one in plan.steps if one.extra.get("needs") == number and one.path and one.after is None)
        return _CHANGED if any(self.files.digest(one.path) != one.before for one in sources) else ""

    def _take_out(self, step: Step, writes: Sequence[FileWrite]) -> None:
        """Take back what was placed before a kill and not recorded, since it may not be any more."""
        out: list[str] = []
        for path, before, after in reversed(writes):
            content = planning.digest(after)
            ours = content != before and self.files.digest(path) == content
            if ours and not vouched(self.sync.indexes.catalog, step, path, content):
                out += [path] if bring(self.files, path, content, before) else []
        if out:
            self._index(out)

    def _index(self, rels: Iterable[str]) -> None:
        paths = sorted(f"{self.folder}/{rel}" for rel in rels)
        self.sync.apply(paths)
        self.sync.changes += 1

    # --- undoing ------------------------------------------------------------------------------------------------------

    def undo(self, day: str | None, by: str, why: str) -> tuple[str, str, list[str]]:
        """Take a night back: the latest, or the latest of a day. Returns its day, its revision, and the files that stay.

        Raises NotFound, and BadRequest where a later night has written on in one of its files.
        """
        self.resume()
        self.say("undo", 0, 0)
        return self.write(lambda: self._undo(day, by, why))

    def _undo(self, day: str | None, by: str, why: str) -> tuple[str, str, list[str]]:
        lead = latest_night(self.sync, day)
        if lead is None:
            raise NotFound(
                f"There is no night{'' if day is None else f' of {day}'} to undo.", "See `ebbtide undo --list`."
            )
        _, left = take_back(self.sync, self.files, self.journal, self.folder, str(lead["id"]), by, why)
        return str(lead["night"]), str(lead["id"]), left


class Interrupted(VaultError):
    """The daemon ends while a night is under way."""

    code = "stopped"


def stopped() -> Interrupted:
    """The daemon ends: what there is of the night stays for the next one."""
    return Interrupted("The night was stopped.", "The next one goes on where it stopped.")


_CHANGED: Final = "the file was changed since the plan was made; a person's edits stay"


FileWrite = tuple[str, str, str | None]
"""A file of the memory folder, the digest of what must be there before, and its text afterwards (None: none)."""


def writes_of(step: Step) -> list[FileWrite]:
    """The files that a step writes."""
    first: list[FileWrite] = [(step.path, step.before, step.after)] if step.path else []
    return [*first, *([step.second] if step.second is not None else [])]


def change_of(path: str, before: str, after: str | None) -> dict[str, Any]:
    """A written file as a change of a revision."""
    return {"path": path, "field": CONTENT, "before": before or None, "after": planning.digest(after) or None}


def night_name(day: str) -> str:
    """The subject of the revisions that stand for the nights of a day."""
    return f"night_{day}"


def under_way(journal: Journal) -> bool:
    """Whether a night, or an undo, was cut off."""
    return any(journal.read(name) is not None for name in (OPEN, UNDO))


def last_night(journal: Journal) -> tuple[str, datetime] | None:
    """The day of the last night that ended here, and when that was (UTC); None before the first."""
    data = journal.read(LAST)
    if data is None:
        return None
    try:
        told = json.loads(data)
        return str(told["day"]), datetime.fromtimestamp(float(told["at"]), UTC)
    except (ValueError, KeyError, TypeError, OverflowError, OSError):
        return None
