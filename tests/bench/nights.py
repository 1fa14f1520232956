"""`python -m tests.bench.nights --shared ../shared/eval`: what a night catches, played with a moving clock and without a model.

The notes of a set arrive in a vault day by day; after each day everything is indexed as the daemon would, the night collects its
candidates (`sleep.collect`), and they are marked as dealt with. Nights on which nothing was written are left out: they could
only find what the night before left. Vectors come from the store that `tests.bench.eval` filled; what it lacks is embedded once.

locomo has hand-annotated events. An event counts as kept if its note is a candidate and one of the candidate's quotes
  - holds more than half of the event's content words (function words and the speakers' names left out), or
  - holds the sentence of the note that is nearest to the event: that of the person's sentences which shares most content
    words with it, each weighing log(1 + sentences / sentences that hold it); of equal ones the first.
`turn` is the same where any quote from the nearest sentence's line is enough. It is the milder rule, and quotes are spread
over turns on purpose, so both are told. An event that shares no word with its note is never kept by the second rule.
Beside it stand, for the same notes, as many sentences drawn at random (mean of draws) and the longest. Nearly every note of
locomo is a candidate, so this measures the choice of sentences, not of notes. siliconfriend has no events: there the days
count that its questions ask about, beside as many notes of each night drawn at random and the longest.

The halves are those of `tests.bench.coverage`, with which the worth of claims was tuned. Neither is held out here: the
constants of `sleep.quotes` were chosen among twenty settings with the figures of all conversations in view. Scored again by
these rules, the twenty keep .448 to .512 of all events by sentence and .541 to .658 by turn; the longest .345 and .498.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import hashlib
import json
import math
import os
import random
import shutil
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from ebbtide.config_sleep import Sleep
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import query_terms
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service
from ebbtide.sleep.collect import Sources, collect
from ebbtide.sleep.nights import Candidate
from ebbtide.sleep.told import Told, told

from . import coverage
from .live import environment

ROOT = Path(__file__).parents[2]
SEED, DRAWS = 6, 20
SETS = ("locomo", "siliconfriend")
AT_TWENTY = Sleep(least=20)
"""A night takes its twenty best, whatever their salience."""


@dataclass(frozen=True)
class Night:
    """What a night took, and the seconds it took."""

    day: str
    candidates: tuple[Candidate, ...]
    seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    """Play; 1 if a figure is no better than its baselines, or two runs differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.nights", description="What nights catch.")
    parser.add_argument("sets", nargs="*", default=list(SETS), help="default: all")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/")
    parser.add_argument("--once", action="store_true", help="do not play a second time to compare the bytes")
    args = parser.parse_args(argv)
    if unknown := set(args.sets) - set(SETS):
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    good = True
    for name in args.sets:
        source = args.shared / "sets" / name
        notes = _notes(source)
        for label, settings in (("by default", Sleep()), ("twenty a night", AT_TWENTY)):
            nights = play(name, notes, settings)
            print(f"\n{name}, {label}: {told_of(nights, notes)}")
            good = (events if name == "locomo" else asked_days)(source, notes, nights) and good
        if not args.once:
            same = digest(play(name, notes, AT_TWENTY)) == digest(nights)
            print(f"{name}: a second run gives {'the same bytes' if same else 'OTHER BYTES'} ({digest(nights)})")
            good = good and same
    return 0 if good else 1


# --- playing ----------------------------------------------------------------------------------------------------------


def play(name: str, notes: Mapping[str, str], settings: Sleep) -> list[Night]:
    """The nights of a set, from an empty vault on."""
    work = ROOT / ".bench" / "nights" / name
    shutil.rmtree(work, ignore_errors=True)
    vault = work / "vault"
    vault.mkdir(parents=True)
    kept = ROOT / ".bench" / "eval" / name / "cache"
    environ = environment(work)
    _share_model(kept, Path(environ["EBBTIDE_CACHE"]))
    runtime = open_runtime(vault, read_only=True, environ=environ)
    try:
        for file in sorted(kept.glob("vaults/*/vectors-*.sqlite")):
            shutil.copy(file, runtime.vectors_at / file.name)
        return list(_nights(runtime, vault, notes, settings))
    finally:
        runtime.close()


def _share_model(kept: Path, cache: Path) -> None:
    """The converted model is taken from where there is one, rather than made again."""
    cache.mkdir(parents=True, exist_ok=True)
    for models in (kept / "models", Path(os.environ.get("EBBTIDE_CACHE", "")) / "models"):
        if models.is_dir() and any(models.iterdir()):
            (cache / "models").symlink_to(models.resolve())
            return


def _nights(runtime: Runtime, vault: Path, notes: Mapping[str, str], settings: Sleep) -> Iterator[Night]:
    service = Service(runtime)
    sources = Sources(
        runtime.catalog, runtime.store, runtime.near, runtime.texts["notes"], runtime.config.memory.folder, settings
    )
    for day, paths in sorted(_by_day(notes).items()):
        for path in paths:
            file = vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(notes[path], "utf-8", newline="")
        _index(runtime, service)
        before = time.perf_counter()
        candidates, _ = collect(sources, day)
        spent = time.perf_counter() - before
        runtime.sync.decisions.record(*[_release(candidate) for candidate in candidates])
        yield Night(day, candidates, spent)


def _index(runtime: Runtime, service: Service) -> None:
    """Bring everything up to date, as the daemon's threads do."""
    if runtime.backfill is None:
        service.catch_up()
        return
    runtime.catch_up()
    while runtime.backfill.round(lambda: False):
        pass
    runtime.backfill.settle()


def _first(day: str, settings: Sleep) -> str:
    """The first day of the window of a night."""
    return (date.fromisoformat(day) - timedelta(days=settings.window_days - 1)).isoformat()


def _release(candidate: Candidate) -> dict[str, Any]:
    return {
        "by": "daemon",
        "kind": "release",
        "subjects": [candidate.key],
        "object": None,
        "changes": [],
        "why": "caught on this night",
        "evidence": [],
    }


def _notes(source: Path) -> dict[str, str]:
    with gzip.open(source / "vault.jsonl.gz", "rt", encoding="utf-8") as stored:
        return {row["path"]: row["text"] for row in map(json.loads, stored)}


def _by_day(notes: Mapping[str, str]) -> dict[str, list[str]]:
    out: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in sorted(notes.items()):
        out[str(parse_note(path, text).properties["date"])[:10]].append(path)
    return dict(out)


def digest(nights: Sequence[Night]) -> str:
    """Of all that the nights caught, but the time it took."""
    told = [(night.day, [_plain(candidate) for candidate in night.candidates]) for night in nights]
    return hashlib.blake2b(json.dumps(told, ensure_ascii=False).encode(), digest_size=8).hexdigest()


def _plain(candidate: Candidate) -> dict[str, Any]:
    values = {item.name: getattr(candidate, item.name) for item in dataclasses.fields(candidate)}
    quotes = [dataclasses.asdict(quote) for quote in candidate.quotes]
    return values | {"parts": dict(candidate.parts), "quotes": quotes}


def told_of(nights: Sequence[Night], notes: Mapping[str, str]) -> str:
    """How much was caught, and how long it took."""
    caught = sum(len(night.candidates) for night in nights)
    spent = [night.seconds for night in nights]
    over = sum(candidate.salience >= Sleep().threshold for night in nights for candidate in night.candidates)
    times = f"{statistics.median(spent) * 1000:.0f} ms a night, at most {max(spent) * 1000:.0f}"
    return f"{len(nights)} nights, {caught} candidates of {len(notes)} notes ({over} by salience), {times}"


# --- events -----------------------------------------------------------------------------------------------------------


Sentence = tuple[int, str]
"""Line and text."""


@dataclass(frozen=True)
class Event:
    """An annotated event of a note, with its content words."""

    note: str
    text: str
    words: frozenset[str]


def events(source: Path, notes: Mapping[str, str], nights: Sequence[Night]) -> bool:
    """Print the share of events kept; whether it is above both baselines."""
    owns = {path: told(parse_note(path, text)) for path, text in notes.items()}
    gold = list(_events(source, notes))
    near = {event: _nearest(event, owns[event.note]) for event in gold}
    caught = {candidate.note: candidate for night in nights for candidate in night.candidates}
    counts = {path: len(candidate.quotes) for path, candidate in caught.items()}
    chance = random.Random(SEED)
    drawn: list[Mapping[str, Sequence[Sentence]]] = [
        {path: _drawn(owns[path], count, chance) for path, count in counts.items()} for _ in range(DRAWS)
    ]
    ways: dict[str, list[Mapping[str, Sequence[Sentence]]]] = {
        "ours": [
            {path: [(quote.line, quote.text) for quote in candidate.quotes] for path, candidate in caught.items()}
        ],
        "longest": [{path: _longest(owns[path], count) for path, count in counts.items()}],
        "random": drawn,
    }
    print(
        f"{'':<10}{'events':>8}{'in notes':>10}" + 2 * f"{'ours':>8}{'longest':>9}{'random':>8}" + "   (sentence, turn)"
    )
    better = True
    for name, part in _halves(gold).items():
        inside, cells = statistics.mean(event.note in caught for event in part), ""
        for turn in (False, True):
            shares = [statistics.mean(_share(part, near, one, turn=turn) for one in found) for found in ways.values()]
            cells += f"{shares[0]:>8.3f}{shares[1]:>9.3f}{shares[2]:>8.3f}"
            better = better and shares[0] > max(shares[1:])
        print(f"{name:<10}{len(part):>8}{inside:>10.3f}{cells}")
    lost = sum(sentence is None for sentence in near.values())
    print(f"{sum(counts.values())} quotes; {lost} events share no word with their note")
    return better


def _events(source: Path, notes: Mapping[str, str]) -> Iterator[Event]:
    for row in map(json.loads, (source / "events.jsonl").read_text("utf-8").splitlines()):
        names = {word for name in row["events"] for word in query_terms(name).words}
        names |= {
            word
            for name in parse_note(row["note"], notes[row["note"]]).properties["speakers"]
            for word in query_terms(name).words
        }
        for found in row["events"].values():
            for text in found:
                yield Event(row["note"], text, frozenset(query_terms(text).words) - names)


def _nearest(event: Event, own: Told) -> Sentence | None:
    """The sentence nearest to an event, None if none shares a word with it."""
    words = [frozenset(query_terms(saying.text).words) for saying in own.sayings]
    held = Counter(word for several in words for word in several)
    weights = {word: math.log(1 + len(words) / held[word]) for word in event.words if held[word]}
    scored = [(sum(weights.get(word, 0.0) for word in sorted(several)), -place) for place, several in enumerate(words)]
    best, place = max(scored, default=(0.0, 0))
    return (own.sayings[-place].line, own.sayings[-place].text) if best > 0 else None


def _share(
    gold: Sequence[Event],
    near: Mapping[Event, Sentence | None],
    quoted: Mapping[str, Sequence[Sentence]],
    *,
    turn: bool = False,
) -> float:
    """The share of events kept; `turn`: any quote from the line of the nearest sentence is enough."""

    def kept(event: Event) -> bool:
        nearest = near[event]
        return any(
            (nearest is not None and (line == nearest[0] if turn else nearest[1] in text))
            or 2 * len(event.words & set(query_terms(text).words)) > len(event.words)
            for line, text in quoted.get(event.note, ())
        )

    return statistics.mean(kept(event) for event in gold)


def _longest(own: Told, count: int) -> list[Sentence]:
    ranked = sorted(own.sayings, key=lambda saying: (-len(saying.text), saying.start))
    return [(saying.line, saying.text) for saying in ranked[:count]]


def _drawn(own: Told, count: int, chance: random.Random) -> list[Sentence]:
    return [(saying.line, saying.text) for saying in chance.sample(list(own.sayings), min(count, len(own.sayings)))]


def _halves(gold: Sequence[Event]) -> dict[str, list[Event]]:
    """Everything, and each half of the conversations (folders), as `coverage` parts them."""
    folders = sorted({event.note.rsplit("/", 1)[0] for event in gold})
    random.Random(coverage.SEED).shuffle(folders)
    tuned = set(folders[: len(folders) // 2])
    return {
        "ALL": list(gold),
        "tuned": [event for event in gold if event.note.rsplit("/", 1)[0] in tuned],
        "other": [event for event in gold if event.note.rsplit("/", 1)[0] not in tuned],
    }


# --- days that questions ask about -------------------------------------------------------------------------------------


def asked_days(source: Path, notes: Mapping[str, str], nights: Sequence[Night]) -> bool:
    """Print the share of the days asked about that were caught, beside as many notes of each night drawn at random and the longest.

    Told, not judged: which day is asked about says little of what was worth keeping of it.
    """
    rows = map(json.loads, (source / "queries.jsonl").read_text("utf-8").splitlines())
    gold = [path for row in rows for path in row["gold"]]
    days = {path: day for day, paths in _by_day(notes).items() for path in paths}
    chance = random.Random(SEED)

    def replayed(choose: Callable[[Sequence[str], int], Sequence[str]]) -> set[str]:
        taken: set[str] = set()
        for night in nights:
            first = _first(night.day, Sleep())
            left = sorted(path for path, day in days.items() if first <= day <= night.day and path not in taken)
            taken |= set(choose(left, min(len(night.candidates), len(left))))
        return taken

    ours = {candidate.note for night in nights for candidate in night.candidates}
    longest = replayed(lambda paths, count: sorted(paths, key=lambda path: (-len(notes[path]), path))[:count])
    drawn = [replayed(chance.sample) for _ in range(DRAWS)]
    shares = [statistics.mean(path in taken for path in gold) for taken in (ours, longest, *drawn)]
    print(f"{'':<10}{'asked':>8}{'ours':>8}{'longest':>9}{'random':>8}")
    print(f"{'ALL':<10}{len(gold):>8}{shares[0]:>8.3f}{shares[1]:>9.3f}{statistics.mean(shares[2:]):>8.3f}")
    return True


if __name__ == "__main__":
    sys.exit(main())
