"""Asking Claude about the candidates of a night: what is stored, in one batch by schedule, one by one else; within the caps.

What is under way lies in the night's journal before anything is sent: the charges of the night, and each batch with its
questions. So a kill neither loses what was paid for nor pays twice; a batch of an earlier try is found again and taken in. A
night by schedule waits for its batch, and while the service asks to be left alone; one that a person waits for does neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from ebbtide.memory.ports import Clock, Judge, Question, Usage, Verdict
from ebbtide.sleep.desk import Kept, cost
from ebbtide.sleep.judge_check import Reason
from ebbtide.sleep.judge_prompt import PROMPT_VERSION
from ebbtide.sleep.night_undo import Journal
from ebbtide.sleep.nightly import ABANDONED, LOOK, LOST, undecided
from ebbtide.sleep.reading import Reader

DESK: Final = "judge.json"
"""What is under way, in the night's journal."""
PROMPT: Final = "night/"
"""What the prompt of a verdict is called in the store, before its version."""
KEPT: Final = 60 * 86_400.0
"""Seconds for which verdicts are kept; a night that was taken back may come again."""
FINAL: Final = ("answered", "refused", "truncated", "malformed")
"""Outcomes that were paid for and would be the same again."""
CHANGED: Final = Reason("it was changed, or may not be sent any more", "它已被改动，或不可再发送")
LATE: Final = Reason("its batch was not done in time (claude.judge_wait)", "批处理没有按时完成（claude.judge_wait）")


@dataclass(slots=True)
class Batch:
    """A batch under way; `keys`: question -> path of its note. `id` is None until it was written down."""

    begun: float
    charge: int
    keys: dict[str, str]
    id: str | None = None


@dataclass(slots=True)
class Sheet:
    """The journal of a night's asking: its day, the charges made for it, and what is under way (also of earlier days)."""

    day: str
    charges: list[int] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    done: bool = False
    """The night has ended: the next one begins with no charges."""
    earlier: list[int] = field(default_factory=list)
    """Charges of nights of the same day that have ended: they count for none of the caps of this one."""


def sheet_of(journal: Journal, day: str) -> Sheet:
    """What is written down for a day; charges of another one are none of its."""
    try:
        told = json.loads(journal.read(DESK) or b"{}")
        batches = [Batch(float(b["begun"]), int(b["charge"]), dict(b["keys"]), b["id"]) for b in told["batches"]]
        if told["day"] != day:
            return Sheet(day, [], batches, bool(told["done"]))
        charges, earlier = ([int(row) for row in told.get(name, ())] for name in ("charges", "earlier"))
        return Sheet(day, charges, batches, bool(told["done"]), earlier)
    except (ValueError, KeyError, TypeError):
        return Sheet(day)


def write_sheet(journal: Journal, sheet: Sheet) -> None:
    """Write it down; durable when it returns."""
    told: dict[str, Any] = asdict(sheet)
    journal.write(DESK, json.dumps(told).encode() + b"\n")


@dataclass(slots=True)
class Asking:
    """One night's. `patient`: by schedule, with time. `rest` waits some seconds; `check` raises where the night is to stop.

    `tell` is told how many of how many questions are answered. Times in epoch seconds.
    """

    reader: Reader
    judge: Judge
    journal: Journal
    clock: Clock
    day: str
    patient: bool
    rest: Callable[[float], None]
    check: Callable[[], None] = lambda: None
    tell: Callable[[int, int], None] = lambda _done, _total: None
    _sheet: Sheet = field(init=False)
    _until: float = field(init=False)
    _failed: dict[str, Reason] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._sheet = sheet_of(self.journal, self.day)
        if self._sheet.done:
            ended = self._sheet
            self._sheet = Sheet(self.day, batches=ended.batches, earlier=[*ended.earlier, *ended.charges])
        self._until = self.clock.now() + 3600 * self.reader.config.claude.judge_wait

    def answers(
        self, asked: Sequence[tuple[Question, str]], still: Callable[[str], bool]
    ) -> Mapping[str, Kept | Reason]:
        """The verdict on each question, or why there is none; see judging.Answers."""
        settings = self.reader.config.claude
        self._collect()
        self._failed.clear()  # what an earlier try failed with says nothing of this one
        self._progress(asked)
        batches = self.patient and settings.judge_wait > 0
        if batches:
            self._by_batch(asked, still)
        if not batches or settings.judge_late == "ask":
            self._one_by_one(asked, still)
        self.reader.desk.expire(PROMPT, self.clock.now() - KEPT)
        found: dict[str, Kept | Reason] = {}
        for question, _ in asked:
            kept = self.reader.desk.verdict(question.id)
            found[question.id] = kept or self._failed.get(question.id, LATE)
        return found

    def _open(self, asked: Sequence[tuple[Question, str]]) -> list[tuple[Question, str]]:
        """Those without a verdict that have not failed either."""
        desk = self.reader.desk
        return [(q, path) for q, path in asked if q.id not in self._failed and desk.verdict(q.id) is None]

    def _progress(self, asked: Sequence[tuple[Question, str]]) -> None:
        self.tell(len(asked) - len(self._open(asked)), len(asked))

    # --- one by one ---------------------------------------------------------------------------------------------------

    def _one_by_one(self, asked: Sequence[tuple[Question, str]], still: Callable[[str], bool]) -> None:
        self._stop_batches({question.id for question, _ in self._open(asked)})
        for question, path in self._open(asked):
            self.check()
            reason = self._one(question, path, still)
            if reason is not None:
                self._failed[question.id] = reason
            self._progress(asked)

    def _one(self, question: Question, path: str, still: Callable[[str], bool]) -> Reason | None:
        """Ask one question; why it has no verdict, or None."""
        if (paused := self._paused()) is not None:
            return paused
        tokens, money = self.reader.worst(question, batch=False)
        if (capped := self._capped(1, tokens, money)) is not None:
            return capped
        if not still(question.id):
            return CHANGED
        charge = self._reserve(1, tokens, money)
        verdict = self.judge.ask(question)
        self._keep(question.id, path, verdict)  # first: a kill leaves the sums too high, never too low
        if verdict.usage is not None:
            self._settle(charge, verdict.usage, batch=False)
        self.reader.weather(verdict, self.clock.now())
        return None if verdict.outcome in FINAL else Reason(verdict.reason, verdict.reason)

    # --- in a batch ---------------------------------------------------------------------------------------------------

    def _by_batch(self, asked: Sequence[tuple[Question, str]], still: Callable[[str], bool]) -> None:
        """Hand in what is not under way yet, and wait for it until the time is over."""
        handed_in = {key for batch in self._sheet.batches for key in batch.keys}
        self._submit([one for one in self._open(asked) if one[0].id not in handed_in], still)
        while True:
            wanted = {question.id for question, _ in self._open(asked)}
            begun = [batch.begun for batch in self._sheet.batches if wanted & batch.keys.keys()]
            if not begun or self.clock.now() >= min(begun) + 3600 * self.reader.config.claude.judge_wait:
                return
            self._pause(LOOK[0])
            if not self.reader.halted(self.clock.now()):
                self._collect()
            self._progress(asked)

    def _submit(self, asked: Sequence[tuple[Question, str]], still: Callable[[str], bool]) -> None:
        reader, reason = self.reader, Reason("", "")
        for _ in range(reader.config.limits.attempts if asked else 0):
            if (paused := self._paused()) is not None:
                reason = paused if not reason.en else reason
                break
            fits, tokens, money = self._fitting([one for one in asked if one[0].id not in self._failed], still)
            if not fits:
                return
            batch = Batch(self.clock.now(), 0, {question.id: path for question, path in fits})
            self._reserve(len(fits), tokens, money, batch)
            answer = self.judge.submit([question for question, _ in fits])
            if isinstance(answer, str):
                batch.id = answer
                self._write()
                reader.weather(Verdict("answered"), self.clock.now())
                return
            reader.weather(answer, self.clock.now())
            if answer.usage is None:
                return  # it may have been begun: that is looked for
            self._sheet.charges.remove(batch.charge)
            self._end(batch, Usage())
            reason = Reason(answer.reason, answer.reason)
            if answer.outcome in ("denied", "rejected"):
                break
        self._failed |= {question.id: reason for question, _ in asked if question.id not in self._failed}

    def _fitting(
        self, asked: Sequence[tuple[Question, str]], still: Callable[[str], bool]
    ) -> tuple[list[tuple[Question, str]], int, float]:
        """Those for which the caps leave room, in their order, with the most tokens and money they can cost."""
        fits: list[tuple[Question, str]] = []
        tokens, money = 0, 0.0
        for question, path in asked:
            more, dearer = self.reader.worst(question, batch=True)
            capped = self._capped(len(fits) + 1, tokens + more, money + dearer)
            if capped is not None or not still(question.id):
                self._failed[question.id] = capped or CHANGED
                continue
            fits.append((question, path))
            tokens, money = tokens + more, money + dearer
        return fits, tokens, money

    def _collect(self) -> None:
        """Take in what batches have answered."""
        for batch in list(self._sheet.batches):
            now = self.clock.now()
            name = batch.id or self._search(batch, now)
            if name is None:
                continue
            state = self.judge.collect(name)
            if state is None or (isinstance(state, Verdict) and undecided(state)):
                if isinstance(state, Verdict):
                    self.reader.weather(state, now)
                if now - batch.begun > ABANDONED:
                    self.judge.cancel(name)
                    self._end(batch, None)
                continue
            self.reader.weather(Verdict("answered"), now)
            if isinstance(state, Verdict) or not any(key in state for key in batch.keys):
                self._end(batch, Usage())  # it is not there, or not ours
                continue
            verdicts = {
                key: state.get(key, Verdict("failed", reason="the batch does not answer it")) for key in batch.keys
            }
            self._end(batch, self._taken_in(batch, verdicts))

    def _taken_in(self, batch: Batch, verdicts: Mapping[str, Verdict]) -> Usage | None:
        """Store the verdicts of a batch; what it cost, None if that is not known."""
        usage, known = Usage(), True
        for key, verdict in sorted(verdicts.items()):
            self._keep(key, batch.keys[key], verdict)
            if verdict.outcome not in FINAL:
                self._failed[key] = Reason(verdict.reason, verdict.reason)
            usage, known = usage + (verdict.usage or Usage()), known and verdict.usage is not None
        return usage if known else None

    def _search(self, batch: Batch, now: float) -> str | None:
        """The name of a batch that was handed in just before a kill; it is forgotten if it was never begun."""
        names = [*(other.id for other in self.reader.desk.batches()), *(other.id for other in self._sheet.batches)]
        known = {other for other in names if other is not None}
        answer = self.judge.lost(batch.begun, len(batch.keys), known)
        if isinstance(answer, str):
            batch.id = answer
            self._write()
            return answer
        if isinstance(answer, Verdict):
            self.reader.weather(answer, now)
        elif now - batch.begun > LOST:
            self._end(batch, Usage())
        return None

    def _stop_batches(self, wanted: set[str]) -> None:
        """Stop the batches with questions that are now asked one by one; what they have answered comes in by the next night."""
        for batch in self._sheet.batches:
            if batch.id is not None and wanted & batch.keys.keys():
                self.judge.cancel(batch.id)

    # --- caps and waiting ---------------------------------------------------------------------------------------------

    def _capped(self, requests: int, tokens: int, money: float) -> Reason | None:
        """The cap, of the night or of the day, that so much more would pass."""
        limits, spent = self.reader.config.limits, self.reader.desk.sum_of(self._sheet.charges)
        over = self.reader.over(tokens, money, self.clock.now())
        if spent.requests + requests > limits.requests_a_night:
            over = "limits.requests_a_night"
        elif spent.tokens + tokens > limits.tokens_a_night:
            over = "limits.tokens_a_night"
        elif self.reader.priced() and spent.money + money > limits.money_a_night:
            over = "limits.money_a_night"
        return Reason(f"{over} is reached", f"已达到 {over}") if over else None

    def _paused(self) -> Reason | None:
        """Wait while the service is to be left alone, if there is time; else why nothing is sent."""
        pause = self.reader.desk.pause()
        while pause.until > self.clock.now():
            if not self.patient or pause.until > self._until:
                until = self.reader.local(pause.until).strftime("%H:%M")
                return Reason(
                    f"Claude is left alone until {until}: {pause.reason}",
                    f"{until} 之前不再请求 Claude：{pause.reason}",
                )
            self._pause(pause.until - self.clock.now())
            pause = self.reader.desk.pause()
        return None

    def _pause(self, seconds: float) -> None:
        self.check()
        self.rest(min(seconds, LOOK[0]))
        self.check()

    # --- what is written down -----------------------------------------------------------------------------------------

    def _keep(self, key: str, path: str, verdict: Verdict) -> None:
        if verdict.outcome in FINAL:
            kept = Kept(verdict.outcome, verdict.answer, verdict.reason)
            desk, model, now = self.reader.desk, self.reader.config.claude.model, self.clock.now()
            desk.keep(key, kept, path=path, model=model, prompt=f"{PROMPT}{PROMPT_VERSION}", now=now)

    def _reserve(self, requests: int, tokens: int, money: float, batch: Batch | None = None) -> int:
        """Set aside the most that it can cost, and write it down, with the batch that it is for."""
        reader, now = self.reader, self.clock.now()
        model = reader.config.claude.model
        charge = reader.desk.reserve(reader.day(now), model, requests=requests, tokens=tokens, money=money, now=now)
        self._sheet.charges.append(charge)
        if batch is not None:
            batch.charge = charge
            self._sheet.batches.append(batch)
        self._write()
        return charge

    def _settle(self, charge: int, usage: Usage, *, batch: bool) -> None:
        config = self.reader.config
        self.reader.desk.settle(charge, usage, cost(usage, config.claude.model, config.prices, batch=batch))

    def _end(self, batch: Batch, usage: Usage | None) -> None:
        """A batch is over. `usage` None: nobody knows what it cost, so what was set aside stays."""
        if usage is not None:
            self._settle(batch.charge, usage, batch=True)
        self._sheet.batches.remove(batch)
        self._write()

    def _write(self) -> None:
        write_sheet(self.journal, self._sheet)
