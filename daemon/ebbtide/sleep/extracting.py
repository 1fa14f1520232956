"""Reading notes with Claude, from a settled note to facts that were held against it: what is due, within the caps, and back.

No thread of its own: whoever calls `round` does the work. A result stays until `taken` says that it arrived, so a kill
between the two repeats it without asking again. Nothing is sent that the rules of `choose` do not allow at that very
moment, whatever they said when the note was queued.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ebbtide.config import Config
from ebbtide.index.rows import FileRow
from ebbtide.memory.ports import Clock, Judge, WatchedVault
from ebbtide.memory.records import Note
from ebbtide.sleep.choose import Choice, choose
from ebbtide.sleep.desk import Desk, Job, Letter, Spent, cost
from ebbtide.sleep.nightly import Nights
from ebbtide.sleep.reading import LOOKED_AT, Extracted, Reader

__all__ = ["Extracted", "Extraction", "Status"]


@dataclass(frozen=True, slots=True)
class Status:
    """For doctor and the health panel. `off`: why nothing is sent, "" if Claude is on. Times in epoch seconds.

    `capped` is a sentence once the day's caps are reached. `dead` are notes left to the rules, with the reasons.
    """

    off: str
    model: str
    waiting: int
    sent: int
    ready: int
    next_due: float | None
    paused_until: float | None
    paused_because: str
    capped: str
    spent: Spent
    tokens_a_day: int
    money_a_day: float
    priced: bool
    dead: Sequence[Letter]


@dataclass(slots=True)
class Extraction:
    """The use-case. `judge` is None while Claude is off, for the reason in `off`; stored answers are still given out.

    `settled` may be called from the indexer's thread while another one is in `round`; `round` from one thread only.
    `stop` is asked before each request. Times are seconds since the epoch; `local` makes the user's day and hour of them.
    """

    vault: WatchedVault
    desk: Desk
    judge: Judge | None
    off: str
    config: Config
    clock: Clock
    local: Callable[[float], datetime] = datetime.fromtimestamp
    stop: Callable[[], bool] = lambda: False
    _reader: Reader = field(init=False)
    _nights: Nights | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._reader = Reader(self.vault, self.desk, self.config, self.local, self.stop)
        if self.judge is not None:
            self._nights = Nights(self._reader, self.judge)

    @property
    def extractor(self) -> str:
        """What stands as `extractor` on facts read so: model and prompt version."""
        return self._reader.extractor

    def settled(self, path: str, note: Note, row: FileRow) -> Choice:
        """A note was indexed with this content: queue it if the rules name it, else make sure it does not go."""
        rules = self.config.extract
        chosen = choose(note, rules, excluded=self._reader.excluded(path) or row.private)
        if not chosen.send:
            self.desk.drop(path)
            return chosen
        now, saved = self.clock.now(), row.changed > 0
        due = max(now + rules.quiet if saved else now, self.desk.asked_at(path) + rules.again)
        self.desk.put(Job(path, row.digest, due, now, urgent=saved and rules.when == "settle"))
        return chosen

    def gone(self, path: str) -> None:
        """A note is not there any more, or not under this path."""
        self.desk.drop(path)

    def round(self, now: float) -> list[Extracted]:
        """Do what is due at `now` and give back what has come in. Asks a few notes at most; the rest waits for the next."""
        reader, nights = self._reader, self._nights
        reader.capped = ""
        if not self.config.claude.model:
            return []
        found: list[Extracted] = []
        if nights is not None:
            nights.collect(now, found)
        for job in self.desk.open_jobs(now, LOOKED_AT + len(reader.given)):
            if (job.path, job.digest) not in reader.given and (ready := reader.prepare(job, now)):
                reader.stored(ready, now, found)
        if self.judge is not None and nights is not None:
            self._ask_few(self.judge, now, found)
            if not reader.halted(now) and not self.desk.batches():
                nights.submit(now, found)
        return found

    def taken(self, result: Extracted) -> None:
        """What was read has been taken over (or was out of date): it is not given out again."""
        self._reader.given.discard((result.path, result.digest))
        self.desk.done(result.path, result.digest)

    def again(self, result: Extracted) -> None:
        """It could not be taken over for now: the next round gives it out again."""
        self._reader.given.discard((result.path, result.digest))

    def give_up(self, result: Extracted, reason: str) -> None:
        """It can never be taken over: the note is left to the rules, and named among the dead letters."""
        self._reader.given.discard((result.path, result.digest))
        self.desk.bury(result.path, result.digest, reason, self.clock.now(), 1)

    def cancel(self) -> int:
        """Stop every batch under way; what they have answered by then still comes in. Returns how many were stopped."""
        named = [batch.id for batch in self.desk.batches() if batch.id]
        return sum(self.judge.cancel(name) is None for name in named) if self.judge is not None else 0

    def revive(self, path: str | None = None) -> int:
        """Try dead letters again (all without a path); how many there were."""
        return self.desk.revive(path, self.clock.now())

    def status(self) -> Status:
        """How things stand."""
        now, limits, reader = self.clock.now(), self.config.limits, self._reader
        counts, pause = self.desk.counts(), self.desk.pause()
        waits = pause.until > now
        return Status(
            off=self.off,
            model=self.config.claude.model,
            waiting=counts.waiting,
            sent=counts.sent,
            ready=counts.ready,
            next_due=counts.next_due,
            paused_until=pause.until if waits else None,
            paused_because=pause.reason if waits else "",
            capped=reader.capped,
            spent=self.desk.spent(reader.day(now)),
            tokens_a_day=limits.tokens_a_day,
            money_a_day=limits.money_a_day,
            priced=reader.priced(),
            dead=self.desk.dead(),
        )

    def _ask_few(self, judge: Judge, now: float, found: list[Extracted]) -> None:
        """Ask what a person just saved, a few notes a round."""
        reader, desk, asked = self._reader, self.desk, 0
        for job in desk.due(now, LOOKED_AT + len(reader.given), urgent=True):
            if asked >= self.config.limits.round or reader.halted(now):
                return
            ready = None if (job.path, job.digest) in reader.given else reader.prepare(job, now)
            if ready is None or reader.stored(ready, now, found):
                continue
            tokens, money = reader.worst(ready.question, batch=False)
            if not reader.within(tokens, money, now):
                return
            model = self.config.claude.model
            charge = desk.reserve(reader.day(now), model, requests=1, tokens=tokens, money=money, now=now)
            desk.asked(job.path, now)
            verdict = judge.ask(ready.question)
            asked += 1
            # The verdict first: a kill between the two leaves the day's sum too high, never too low.
            reader.meet(ready, verdict, now, found)
            if verdict.usage is not None:
                desk.settle(charge, verdict.usage, cost(verdict.usage, model, self.config.prices, batch=False))
            reader.weather(verdict, now)
