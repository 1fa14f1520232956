"""Many notes at once, at night: handing in a batch, finding it again after a restart, taking its answers in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from ebbtide.memory.ports import Judge, Usage, Verdict
from ebbtide.memory.records import Note
from ebbtide.sleep.desk import Batch, Item, cost
from ebbtide.sleep.extraction import check
from ebbtide.sleep.reading import Extracted, Prepared, Reader

OVERDUE: Final = 86_400.0
"""A note for the night that has waited so long goes by day: maybe this machine sleeps at night."""
LOOK: Final = (60.0, 600.0)
"""Seconds between two looks at a batch, at first and at most."""
LOST: Final = 600.0
"""Seconds after which a batch without a name is taken for never begun."""
ABANDONED: Final = 2 * 86_400.0
"""The service ends a batch within a day; after two it is given up."""


@dataclass(slots=True)
class Nights:
    """Batches of one judge."""

    reader: Reader
    judge: Judge

    def collect(self, now: float, found: list[Extracted]) -> None:
        """Look at the batches that are due for it."""
        reader, desk = self.reader, self.reader.desk
        for batch in desk.batches():
            if batch.look <= now and not reader.halted(now):
                self._look(batch, now, found)

    def _night(self, now: float) -> bool:
        reader = self.reader
        settings = reader.config.extract
        hours = (reader.local(now) - timedelta(hours=settings.night)).hour
        return hours < settings.night_hours

    def submit(self, now: float, found: list[Extracted]) -> None:
        """Hand in what waits for the night, as one batch within the caps."""
        reader, desk = self.reader, self.reader.desk
        jobs = desk.due(now, reader.config.claude.batch + len(reader.given), urgent=False)
        if not self._night(now):
            jobs = [job for job in jobs if now - job.since >= OVERDUE]
        questions: dict[str, Prepared] = {}
        tokens, money = 0, 0.0
        for job in jobs:
            ready = None if (job.path, job.digest) in reader.given else reader.prepare(job, now)
            if ready is None or ready.key in questions or reader.stored(ready, now, found):
                continue
            more, dearer = reader.worst(ready.question, batch=True)
            if not reader.within(tokens + more, money + dearer, now) or len(questions) >= reader.config.claude.batch:
                break
            questions[ready.key] = ready
            tokens, money = tokens + more, money + dearer
        if not questions:
            return
        model, many = reader.config.claude.model, len(questions)
        charge = desk.reserve(reader.day(now), model, requests=many, tokens=tokens, money=money, now=now)
        items = [Item(key, ready.job.path, ready.job.digest) for key, ready in questions.items()]
        row = desk.begin_batch(items, charge, now)
        for item in items:
            desk.asked(item.path, now)
        answer = self.judge.submit([ready.question for ready in questions.values()])
        if isinstance(answer, str):
            desk.name_batch(row, answer)
            desk.look_later(row, now + LOOK[0])
            reader.weather(Verdict("answered"), now)
            return
        reader.weather(answer, now)
        if answer.usage is not None:  # it was surely not begun; otherwise the next look finds out
            self._release(row, charge)

    def _release(self, row: int, charge: int) -> None:
        desk = self.reader.desk
        desk.settle(charge, Usage(), 0.0)
        desk.end_batch(row)

    def _look(self, batch: Batch, now: float, found: list[Extracted]) -> None:
        """Ask for a batch; take in its answers when it has ended."""
        reader, desk = self.reader, self.reader.desk
        name = batch.id or self._search(batch, now)
        if name is None:
            return
        state = self.judge.collect(name)
        if state is None or (isinstance(state, Verdict) and undecided(state)):
            if isinstance(state, Verdict):
                reader.weather(state, now)
            if now - batch.begun > ABANDONED:
                self.judge.cancel(name)
                desk.end_batch(batch.row)  # what was set aside for it stays: nobody knows
                return
            desk.look_later(batch.row, now + min(LOOK[1], LOOK[0] * 1.5 ** min(batch.looks, 20)))
            return
        reader.weather(Verdict("answered"), now)
        items = desk.items(batch.row)
        if isinstance(state, Verdict) or not any(item.key in state for item in items):
            self._release(batch.row, batch.charge)  # it is not there, or not ours
            return
        usage, known = Usage(), True
        for item in items:
            verdict = state.get(item.key, Verdict("failed", reason="the batch does not answer it"))
            known = known and verdict.usage is not None
            usage += verdict.usage or Usage()
            self._met_in_batch(item, verdict, now, found)
        if known:
            price = cost(usage, reader.config.claude.model, reader.config.prices, batch=True)
            desk.settle(batch.charge, usage, price)
        desk.end_batch(batch.row)

    def _search(self, batch: Batch, now: float) -> str | None:
        """The name of a batch that was handed in just before a kill; it waits again if it was never begun."""
        reader, desk = self.reader, self.reader.desk
        known = {other.id for other in desk.batches() if other.id}
        answer = self.judge.lost(batch.begun, len(desk.items(batch.row)), known)
        if isinstance(answer, str):
            desk.name_batch(batch.row, answer)
            return answer
        if isinstance(answer, Verdict):
            reader.weather(answer, now)
        elif now - batch.begun > LOST:
            self._release(batch.row, batch.charge)
        else:
            desk.look_later(batch.row, now + LOOK[0])
        return None

    def _met_in_batch(self, item: Item, verdict: Verdict, now: float, found: list[Extracted]) -> None:
        reader, desk = self.reader, self.reader.desk
        job = desk.job(item.path)
        if job is not None and job.digest == item.digest:
            ready = reader.prepare(job, now)
            if ready is not None and ready.key == item.key:
                reader.meet(ready, verdict, now, found)
                return
        # The note has changed or gone. Its answer was paid for, and the same text may come back.
        if verdict.outcome == "answered" and not _form(verdict.answer):
            reader.keep(item.key, item.path, verdict, now)


def _form(answer: object) -> str:
    """What is wrong with an answer before any note is looked at; "" if nothing."""
    return check(Note("", "", "", 0), answer).malformed


def undecided(verdict: Verdict) -> bool:
    """Whether collecting a batch may yet tell more than what went wrong: not where the service does not know it."""
    missing = verdict.outcome == "denied" and verdict.reason.startswith("404")
    return verdict.outcome != "rejected" and not missing
