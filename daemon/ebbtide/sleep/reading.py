"""A note as a question and an answer as facts: what both ways of asking Claude share, with the caps and the waiting."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from ebbtide.config import Config
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Question, Usage, Verdict, WatchedVault
from ebbtide.memory.records import FactDraft, Note
from ebbtide.parse.facts import project_of
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import estimate_tokens
from ebbtide.sleep.choose import choose
from ebbtide.sleep.desk import Desk, Job, Kept, Pause, token_for, worst
from ebbtide.sleep.extraction import Reading, Refusal, Told, check
from ebbtide.sleep.prompt import PROMPT_VERSION, SCHEMA, SYSTEM, Material, material, shown

LOOKED_AT: Final = 50
"""Notes looked at in one round for an answer that is already there."""
DENIED: Final = 3600.0
"""Least seconds of waiting after key, model or account were refused."""
WAIT_MOST: Final = 86_400.0
"""Longest waiting that a service may ask for."""
_SCHEMA_TOKENS: Final = 500
"""What the schema of an answer, which travels along, may count."""
_system_tokens: Final = cache(estimate_tokens)
"""Of the system part, which is the same for every question of a kind."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What Claude read from one content of one note, held against it. Good only for the text with this `digest`.

    `extractor` is model and prompt version. `usage` is None when the answer was stored already and cost nothing.
    `cut`: offsets of the part of a long note that it was not shown. `concluded`: those of the drafts that say more than the
    words they quote.
    """

    path: str
    digest: str
    extractor: str
    drafts: tuple[FactDraft, ...]
    refusals: tuple[Refusal, ...]
    episode: Told | None
    usage: Usage | None
    cut: tuple[int, int] | None
    concluded: frozenset[FactDraft] = frozenset()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A note that may be asked about, as it is now, and its question. `key` is the question's id."""

    job: Job
    note: Note
    found: Material
    key: str
    question: Question


@dataclass(slots=True)
class Reader:
    """See the module. `given` are the results handed out and not yet taken over; `capped` says why a cap stopped the round."""

    vault: WatchedVault
    desk: Desk
    config: Config
    local: Callable[[float], datetime]
    stop: Callable[[], bool] = lambda: False
    given: set[tuple[str, str]] = field(default_factory=set)
    capped: str = ""

    @property
    def extractor(self) -> str:
        """What stands as `extractor` on facts read so: model and prompt version."""
        return f"{self.config.claude.model.replace('/', ':')}/{PROMPT_VERSION}"

    def excluded(self, path: str) -> bool:
        """The vault's one exclusion rule, templates and our own folder."""
        vault = self.vault
        return vault.excluded_by_obsidian(path) or vault.in_memory_folder(path) or vault.is_template(path)

    def prepare(self, job: Job, now: float) -> Prepared | None:
        """The note as it is now, as a question; None if it may not be asked (any more), or has changed."""
        if self.excluded(job.path):
            self.desk.drop(job.path)
            return None
        try:
            file = self.vault.read(job.path)
        except (FileNotFoundError, VaultError):
            self.desk.drop(job.path)
            return None
        except OSError:
            self.desk.later(job.path, job.digest, now + 60, attempts=job.attempts, reason="the note cannot be read")
            return None
        note = parse_note(job.path, file.text)
        chosen = choose(note, self.config.extract, excluded=False)
        if not chosen.send:
            self.desk.drop(job.path)
            return None
        if file.digest != job.digest:
            self.desk.put(Job(job.path, file.digest, now + self.config.extract.quiet, now, job.urgent))
            return None
        found = material(note, chosen.purpose, self.config.limits.note_tokens)
        inside = f"{PROMPT_VERSION}\0{self.config.claude.model}\0{found.digest()}"
        key = hashlib.blake2b(inside.encode(), digest_size=16).hexdigest()
        self.desk.looked(job.path, job.digest, key)
        text = shown(found, token_for(self.desk.secret, f"{found.head}\n{found.body}"))
        return Prepared(job, note, found, key, Question(key, SYSTEM, text, SCHEMA, self.config.claude.max_tokens))

    def stored(self, ready: Prepared, now: float, found: list[Extracted]) -> bool:
        """Give out what is stored for a question; False if nothing is."""
        kept = self.desk.verdict(ready.key)
        if kept is None:
            return False
        if kept.answer is None:
            self.desk.bury(ready.job.path, ready.job.digest, kept.reason, now, ready.job.attempts)
        else:
            self.give(ready, self.check(ready, kept.answer), None, found)
        return True

    def check(self, ready: Prepared, answer: Mapping[str, object]) -> Reading:
        """The answer held against the note."""
        return check(ready.note, answer, project=project_of(ready.note))

    def give(self, ready: Prepared, reading: Reading, usage: Usage | None, found: list[Extracted]) -> None:
        """Add a result to those of this round."""
        job, cut = ready.job, ready.found.cut
        self.given.add((job.path, job.digest))
        found.append(
            Extracted(
                job.path, job.digest, self.extractor, reading.drafts, reading.refusals, reading.episode, usage, cut,
                reading.concluded,
            )
        )  # fmt: skip

    def meet(self, ready: Prepared, verdict: Verdict, now: float, found: list[Extracted]) -> None:
        """What a verdict means for its note."""
        job = ready.job
        if verdict.outcome == "answered" and verdict.answer is not None:
            reading = self.check(ready, verdict.answer)
            if not reading.malformed:
                self.keep(ready.key, job.path, verdict, now)
                self.desk.looked(job.path, job.digest, ready.key)
                self.give(ready, reading, verdict.usage, found)
                return
            verdict = Verdict("malformed", usage=verdict.usage, reason=reading.malformed)
        if verdict.outcome in ("refused", "truncated"):
            self.keep(ready.key, job.path, verdict, now)
            self.desk.bury(job.path, job.digest, verdict.reason, now, job.attempts + 1)
        elif verdict.outcome in ("busy", "denied"):  # not the note's fault: it is not counted
            due = now + (verdict.wait or 0.0)
            self.desk.later(job.path, job.digest, due, attempts=job.attempts, reason=verdict.reason)
        elif (attempts := job.attempts + 1) >= self.config.limits.attempts:
            self.desk.bury(job.path, job.digest, verdict.reason, now, attempts)
        else:
            due = now + self.back_off(attempts)
            self.desk.later(job.path, job.digest, due, attempts=attempts, reason=verdict.reason)

    def keep(self, key: str, path: str, verdict: Verdict, now: float) -> None:
        """Store a verdict for good."""
        kept = Kept(verdict.outcome, verdict.answer, verdict.reason)
        self.desk.keep(key, kept, path=path, model=self.config.claude.model, prompt=str(PROMPT_VERSION), now=now)

    def halted(self, now: float) -> bool:
        """True while nothing may be sent."""
        return self.stop() or self.desk.pause().until > now

    def back_off(self, times: int) -> float:
        """Seconds of waiting after so many failures."""
        limits = self.config.limits
        return min(limits.wait_most, limits.wait_first * 2.0 ** min(times - 1, 40))

    def weather(self, verdict: Verdict, now: float) -> None:
        """Whether the service answers: after a failure nothing is sent for a while, twice as long each time."""
        if verdict.outcome in ("answered", "refused", "truncated", "malformed"):
            if self.desk.pause().strikes:
                self.desk.set_pause(Pause())
            return
        strikes = self.desk.pause().strikes + 1
        wait = max(self.back_off(strikes), min(WAIT_MOST, verdict.wait or 0.0))
        wait = max(wait, DENIED) if verdict.outcome == "denied" else wait
        self.desk.set_pause(Pause(now + wait, strikes, verdict.reason))

    def day(self, now: float) -> str:
        """The user's day, which the caps are for."""
        return self.local(now).date().isoformat()

    def priced(self) -> bool:
        """Whether the model has a price, so that money can be counted."""
        model, prices = self.config.claude.model, self.config.prices
        return model in prices.input and model in prices.output

    def worst(self, question: Question, *, batch: bool) -> tuple[int, float]:
        """The most tokens and money a question can cost."""
        read = _system_tokens(question.system) + estimate_tokens(question.text) + _SCHEMA_TOKENS
        model = self.config.claude.model
        return read + question.most, worst(read, question.most, model, self.config.prices, batch=batch)

    def over(self, tokens: int, money: float, now: float) -> str:
        """The setting of the day's cap that so much more would pass; "" if they leave room."""
        spent, limits = self.desk.spent(self.day(now)), self.config.limits
        if self.priced() and spent.money + money > limits.money_a_day:
            return "limits.money_a_day"
        return "limits.tokens_a_day" if spent.tokens + tokens > limits.tokens_a_day else ""

    def within(self, tokens: int, money: float, now: float) -> bool:
        """Whether the caps of the day leave room for so much more; `capped` says which one does not."""
        over = self.over(tokens, money, now)
        if over:
            first = self.desk.spent(self.day(now)).requests == 0
            fits = "is too small for one note" if first else "is reached; the rest goes on tomorrow"
            self.capped = f"{over} {fits}"
        return not over
