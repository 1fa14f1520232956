"""The settings of reading notes with Claude. None of them may come with a vault: they decide what leaves and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ebbtide.config_key import key, table

SAFE_URL: Final = r"(https://\S+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(/\S*)?)?"
"""Addresses that notes and a key may be sent to: encrypted, or on this machine."""


@dataclass(frozen=True, slots=True)
class Extract:
    """Who reads notes for facts, which and when. Rules read every note; Claude reads those named here."""

    with_: str = key(
        "claude", "rules alone, or Claude as well (once it has a key and a model)", choices=("rules", "claude")
    )
    when: str = key(
        "settle", "Claude reads a note once it rests, or at night, at half the price", choices=("settle", "night")
    )
    quiet: float = key(120.0, "seconds a saved note must rest before Claude reads it", 0, 86400)
    again: float = key(3600.0, "least seconds between two readings of the same note", 0, 604_800)
    night: int = key(2, "hour at which the night's readings may begin", 0, 23)
    night_hours: int = key(5, "hours in which they may begin", 1, 24)
    folders: tuple[str, ...] = key((), "folders whose notes Claude reads, whatever their type")
    types: tuple[str, ...] = key(
        ("episode", "decision"), "types of notes Claude reads; `episode` means all kinds of them"
    )
    tags: tuple[str, ...] = key((), "tags of notes Claude reads, whatever their type")
    never: tuple[str, ...] = key(
        (), "folders and #tags Claude never reads, beside private and excluded notes", adds=True
    )
    purpose: Mapping[str, str] = table(
        {}, "folder -> what is worth keeping of it", closed=False, choices=("work", "life", "all")
    )


@dataclass(frozen=True, slots=True)
class Claude:
    """The way to Claude. A key in ANTHROPIC_API_KEY and an address in ANTHROPIC_BASE_URL go before those set here."""

    model: str = key("", "model that reads notes; empty: none does, and rules do it alone", pattern=r"[\w.:@/-]{0,100}")
    base_url: str = key("", "address of the API; empty: Anthropic's own; https, or on this machine", pattern=SAFE_URL)
    api_key: str = key("", "key of the API", secret=True)
    answer: bool = key(
        False, "true: `ebbtide ask` sends the question and the memories found, private ones never, and Claude answers"
    )
    judge: bool = key(
        True,
        "true: where Claude reads notes, the night's candidates go to it as well: sentences of them, of the days around and the core"
        " memories near; private and excluded ones never",
    )
    judge_wait: float = key(
        3.0, "hours that a night by schedule waits for a batch, at half the price; 0: one by one", 0, 24
    )
    judge_late: str = key(
        "rules", "what judges once that is over: the rules, or Claude one by one", choices=("rules", "ask")
    )
    offline: bool = key(False, "true: not one connection is made")
    timeout: float = key(120.0, "seconds to wait for an answer", 1, 600)
    max_tokens: int = key(4096, "most tokens of one answer", 256, 32_000)
    batch: int = key(200, "most notes in one batch", 1, 10_000)


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs; a model without a price is capped by tokens alone."""

    input: Mapping[str, float] = table({}, "model -> price of a million tokens read", 0, 10_000, closed=False)
    output: Mapping[str, float] = table({}, "model -> price of a million tokens written", 0, 10_000, closed=False)
    cache_read: float = key(0.1, "price of a token read from the prompt cache, as a share of `input`", 0, 10)
    cache_write: float = key(1.25, "price of a token put into the prompt cache, as a share of `input`", 0, 10)
    batch: float = key(0.5, "price in a batch, as a share of the others", 0, 10)


@dataclass(frozen=True, slots=True)
class Limits:
    """What Claude may cost, and how often it is asked in vain."""

    tokens_a_day: int = key(500_000, "tokens a day, read and written; 0: none", 0, 1_000_000_000)
    money_a_day: float = key(1.0, "money a day, in the currency of the prices; 0: none", 0, 100_000)
    requests_a_night: int = key(60, "candidates that a night asks about; 0: none", 0, 10_000)
    tokens_a_night: int = key(200_000, "tokens of a night's judging, read and written; 0: none", 0, 1_000_000_000)
    money_a_night: float = key(0.5, "money of a night's judging, in the currency of the prices; 0: none", 0, 100_000)
    attempts: int = key(3, "readings of one note that may fail before it is left to the rules", 1, 20)
    round: int = key(4, "notes read one by one in one round", 1, 100)
    note_tokens: int = key(
        6000, "tokens of one note that are sent; the middle of a longer one is left out", 500, 100_000
    )
    wait_first: float = key(60.0, "seconds of waiting after a failure; doubled each time", 1, 86400)
    wait_most: float = key(21_600.0, "longest waiting after a failure, in seconds", 1, 604_800)
