"""What comes back: each week up to two core memories that nobody has met for long, as a question with a place to use them. Pure.

Which ones is decided once a week, in the first night of it, and kept with that night's figures, so that the question stays the
same all week and none is asked again for two months. Nothing here warms a memory: only an answer does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from ebbtide.memory.heat import WEIGHTS, Event
from ebbtide.memory.states import Lang
from ebbtide.parse.stem import STOP_WORDS, STOP_WORDS_ZH
from ebbtide.parse.text import tokenize
from ebbtide.sleep.markup import plain

DORMANT: Final = 60
"""Days without a counted event after which a core memory is dormant."""
A_WEEK: Final = 2
"""Memories that come back in a week, at most: more would be work."""
REST: Final = 56
"""Days for which a memory that came back is left alone."""
RECENT: Final = 14
"""Days of notes among which a place to use it is looked for."""
SHARED: Final = 3
"""Distinct words a note must share with a memory to be such a place."""
READ: Final = 4000
"""Characters of a text whose words are compared."""


@dataclass(frozen=True, slots=True)
class Sleeper:
    """A core memory that may come back: `met` are days on which it was (events, when it was made), `weight` its importance (0..1)."""

    id: str
    path: str
    title: str
    claim: str
    hook: str
    met: tuple[str, ...]
    weight: float
    lang: Lang = "en"

    def idle(self, today: str) -> int | None:
        """Days since it was last met; None if nothing is known of when."""
        days = [day[:10] for day in self.met if len(day) >= 10 and day[:10] <= today[:10]]
        return (date.fromisoformat(today[:10]) - date.fromisoformat(max(days))).days if days else None


@dataclass(frozen=True, slots=True)
class Recent:
    """A note of the last days: its path, title, day (ISO) and text."""

    path: str
    title: str
    day: str
    text: str


@dataclass(frozen=True, slots=True)
class Revival:
    """A memory that comes back this week: since when it sleeps (days on the day it was chosen), and a note where it may serve."""

    id: str
    path: str
    idle: int
    place: str | None
    shared: tuple[str, ...] = ()
    """The words that the note and the memory have in common, the rarest first."""

    def record(self) -> dict[str, Any]:
        """As it is kept with the figures."""
        return {
            "id": self.id,
            "path": self.path,
            "idle": self.idle,
            "place": self.place,
            "shared": list(self.shared),
        }


def met_days(events: Iterable[Event], *others: str | None) -> tuple[str, ...]:
    """Days on which a memory was met: counted events, and those given."""
    days = [event.day for event in events if event.kind in WEIGHTS]
    return tuple(sorted({day for day in (*days, *others) if day}))


def week_of(day: str) -> str:
    """The ISO week of a day: "2026-W49"."""
    year, week, _ = date.fromisoformat(day[:10]).isocalendar()
    return f"{year}-W{week:02d}"


def kept(history: Sequence[Mapping[str, Any]], today: str) -> list[Mapping[str, Any]] | None:
    """What was chosen for this week, from the records of its days (oldest first); None if nothing was yet."""
    for item in history:
        if week_of(str(item["day"])) == week_of(today) and str(item["day"]) <= today[:10] and item.get("revive"):
            return [row for row in item["revive"] if isinstance(row, Mapping)]
    return None


def asked(history: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The last day on which each memory came back, by id."""
    out: dict[str, str] = {}
    for item in history:
        for row in item.get("revive") or ():
            if isinstance(row, Mapping):
                ident = str(row.get("id"))
                out[ident] = max(out.get(ident, ""), str(item["day"]))
    return out


def choose(
    sleepers: Iterable[Sleeper], recent: Sequence[Recent], before: Mapping[str, str], today: str
) -> list[Revival]:
    """Up to two: never asked or longest ago, then the more important, then the longer asleep; ties by path."""
    first = (date.fromisoformat(today[:10]) - timedelta(days=REST)).isoformat()
    fitting = [
        (sleeper, idle)
        for sleeper in sleepers
        if (idle := sleeper.idle(today)) is not None and idle >= DORMANT and before.get(sleeper.id, "") < first
    ]
    fitting.sort(key=lambda pair: (before.get(pair[0].id, ""), -round(pair[0].weight, 6), -pair[1], pair[0].path))
    words = [_words(f"{note.title}\n{note.text[:READ]}") for note in recent]
    out = []
    for sleeper, idle in fitting[:A_WEEK]:
        place, shared = _place(sleeper, recent, words)
        out.append(Revival(sleeper.id, sleeper.path, idle, place, shared))
    return out


def _words(text: str) -> frozenset[str]:
    """Words that carry meaning, each in its shortest form alone."""
    at: dict[int, str] = {}
    for token in tokenize(text):
        known = at.get(token.position)
        if known is None or (len(token.text), token.text) < (len(known), known):
            at[token.position] = token.text
    return frozenset(w for w in at.values() if len(w) > 1 and w not in STOP_WORDS and w not in STOP_WORDS_ZH)


def _place(
    sleeper: Sleeper, recent: Sequence[Recent], words: Sequence[frozenset[str]]
) -> tuple[str | None, tuple[str, ...]]:
    """The recent note that shares the rarest words with a memory; of equal ones the newest, then by path."""
    own = _words(f"{sleeper.title}\n{sleeper.hook}\n{sleeper.claim[:READ]}")
    seen = Counter(word for of_note in words for word in of_note)
    rare = {word: math.log(1 + len(recent) / seen[word]) for word in own if seen[word]}
    best: tuple[float, str, str] | None = None
    found: tuple[str | None, tuple[str, ...]] = (None, ())
    for note, of_note in zip(recent, words, strict=True):
        shared = own & of_note
        if len(shared) < SHARED or note.path == sleeper.path:
            continue
        score = round(math.fsum(sorted(rare[word] for word in shared)), 9)
        if best is None or (-score, _later(note.day), note.path) < (-best[0], best[1], best[2]):
            best = (score, _later(note.day), note.path)
            found = note.path, tuple(sorted(shared, key=lambda word: (-rare[word], word))[:5])
    return found


def _later(day: str) -> str:
    """Sorts the later day first, as text."""
    return "".join(chr(0x69 - ord(c)) if c.isdigit() else c for c in day[:10])


def question(title: str, claim: str, hook: str, idle: int, place: str | None, lang: Lang) -> str:
    """What is asked: does it still hold, and where it may serve: the note (its title), else what its hook says."""
    said, use = plain(claim or title), plain(place, 80) if place else None
    if lang == "zh":
        where = f"也许现在就用得上：《{use}》。" if use else f"它适用于：{plain(hook)}。" if hook else ""
        return f"“{said}”，已有 {idle} 天没用到了，还成立吗？{where}"
    where = f" It may serve in “{use}”." if use else f" It is for: {plain(hook)}." if hook else ""
    return f"“{said}”: not used for {idle} days. Does it still hold?{where}"
