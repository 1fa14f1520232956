"""What is kept about notes on their way to Claude and back, as values, and the port of the store that keeps it. Pure."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ebbtide.config_claude import Prices
from ebbtide.memory.ports import Usage

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Job:
    """A note that waits to be read. `due`: not before. `urgent`: a person just saved it. `batch`: it is under way in one.

    `key` names the question once the note was looked at, "" before. `since` is when it came. Times in epoch seconds.
    """

    path: str
    digest: str
    due: float
    since: float
    urgent: bool
    attempts: int = 0
    key: str = ""
    batch: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """A note that was given up, with the reason: rules read it alone until it changes."""

    path: str
    digest: str
    attempts: int
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class Kept:
    """A verdict as stored: final, the same for ever. `answer` is None when the model declined or did not come to an end."""

    outcome: str
    answer: Mapping[str, Any] | None
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch under way. `id` is None between handing it in and writing down its name. `charge` is what was set aside for it."""

    row: int
    id: str | None
    begun: float
    look: float
    looks: int
    charge: int


@dataclass(frozen=True, slots=True)
class Item:
    """A question of a batch and the note it is about."""

    key: str
    path: str
    digest: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing is sent until then. `strikes`: failures in a row."""

    until: float = 0.0
    strikes: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a day has cost, with what is set aside for questions under way. `money` counts models with a price only."""

    requests: int = 0
    usage: Usage = field(default_factory=Usage)
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """How many notes are where: waiting for their time, in a batch, answered but not fetched."""

    waiting: int
    sent: int
    ready: int
    next_due: float | None


class Desk(Protocol):
    """The store, in the state folder; every call is durable when it returns. Safe from any thread."""

    secret: bytes
    """Random and known to this device only."""

    def put(self, job: Job) -> None:
        """A note that is to be read. What is known of the same content (attempts, batch, given up) stays."""

    def drop(self, path: str) -> None:
        """It is not to be read any more."""

    def job(self, path: str) -> Job | None:
        """The note's job, if it waits or is under way."""

    def open_jobs(self, now: float, limit: int) -> Sequence[Job]:
        """Those due that were not looked at, or whose question is answered."""

    def due(self, now: float, limit: int, *, urgent: bool) -> Sequence[Job]:
        """Those that wait to be sent, the longest due first. `urgent` False: all the others."""

    def looked(self, path: str, digest: str, key: str) -> None:
        """The question of a note is known."""

    def later(self, path: str, digest: str, due: float, *, attempts: int, reason: str) -> None:
        """Try again then."""

    def bury(self, path: str, digest: str, reason: str, now: float, attempts: int) -> None:
        """Give up on this content."""

    def done(self, path: str, digest: str) -> None:
        """What was read of this content has been taken over."""

    def dead(self) -> Sequence[Letter]:
        """What was given up, the newest first."""

    def revive(self, path: str | None, now: float) -> int:
        """Try again what was given up (all of it without a path); how many."""

    def asked(self, path: str, now: float) -> None:
        """The note was sent."""

    def asked_at(self, path: str) -> float:
        """When it was last sent; 0 if never."""

    def verdict(self, key: str) -> Kept | None:
        """The stored verdict on a question."""

    def keep(self, key: str, kept: Kept, *, path: str, model: str, prompt: str, now: float) -> None:
        """Store a verdict; the first one on a question stays."""

    def expire(self, prompt: str, before: float) -> None:
        """Forget the answers to prompts whose name begins so that are older."""

    def purge(self, path: str) -> None:
        """Forget every answer about a note."""

    def reserve(self, day: str, model: str, *, requests: int, tokens: int, money: float, now: float) -> int:
        """Set aside the most that a request can cost; the number of the charge."""

    def settle(self, charge: int, usage: Usage, money: float) -> None:
        """Put what it cost in place of what was set aside."""

    def spent(self, day: str) -> Spent:
        """The day's sum."""

    def sum_of(self, charges: Sequence[int]) -> Spent:
        """What these charges come to."""

    def begin_batch(self, items: Sequence[Item], charge: int, now: float) -> int:
        """Write down a batch before it is handed in; its jobs are under way from now on."""

    def name_batch(self, row: int, name: str) -> None:
        """The id the service gave it."""

    def batches(self) -> Sequence[Batch]:
        """Those under way, the oldest first."""

    def items(self, row: int) -> Sequence[Item]:
        """The questions of a batch."""

    def look_later(self, row: int, at: float) -> None:
        """The next time to ask for it."""

    def end_batch(self, row: int) -> None:
        """It is over: its jobs that were not settled wait again."""

    def pause(self) -> Pause:
        """Whether nothing may be sent for now."""

    def set_pause(self, pause: Pause) -> None:
        """Send nothing for a while; `Pause()` lifts it."""

    def counts(self) -> Counts:
        """How many notes are where."""


def token_for(secret: bytes, body: str) -> str:
    """What nobody who wrote `body` can know and what does not stand in it; the same for the same body."""
    for turn in range(1000):
        token = hmac.new(secret, f"{body}{turn}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:24]
        if token not in body:
            return token
    raise AssertionError("a text cannot hold a thousand tokens it does not know")


def cost(usage: Usage, model: str, prices: Prices, *, batch: bool) -> float:
    """What tokens cost; 0 for a model without a price."""
    read, written = prices.input.get(model, 0.0), prices.output.get(model, 0.0)
    whole = read * (usage.read + prices.cache_read * usage.cached + prices.cache_write * usage.stored)
    return (whole + written * usage.written) / MILLION * (prices.batch if batch else 1.0)


def worst(read: int, written: int, model: str, prices: Prices, *, batch: bool) -> float:
    """The most that so many tokens can cost, wherever the cache stands."""
    kinds = (Usage(read=read, written=written), Usage(stored=read, written=written))
    return max(cost(usage, model, prices, batch=batch) for usage in kinds)
