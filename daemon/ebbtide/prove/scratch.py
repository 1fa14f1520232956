"""Planted contradictions, sat: a copy of notes in the cache, what the daemon makes of a contradicting note, and what it then answers.

The copy is a vault of its own with indexes of its own, and goes when the exam is over: the user's vault is only read. Notes are
copied first and indexed, then a note a plant is written and indexed like any other that a person saves. Half of them are dated
before the fact that they contradict, so that to favour what is new, short or well titled is not enough. A contradiction is
*detected* if a ruling (supersede, dispute) lies between the facts of the two notes, or the patrol flags the notes; it is
*handled* if a question about it brings the later statement before the earlier one, or without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from ebbtide.memory.errors import VaultError
from ebbtide.parse.fact_text import plain
from ebbtide.parse.text import language
from ebbtide.prove.conflicts import flagged
from ebbtide.prove.planted import PLANTS, Plant, Source, front, plants, words_of
from ebbtide.recall.engine import Question
from ebbtide.runtime import Runtime, open_runtime

COPIED: Final = 400
"""Notes of the vault in the copy at most: those that are contradicted, and others to find them among."""
LEAST: Final = 10
"""Contradictions that are planted before any fact is only said again (mission G1)."""
STEP: Final = 5.0
_SHARED: Final = ("recall", "heat", "embed", "relations", "lifecycle", "index")
"""Sections of the settings that the copy shares with the vault."""
_SKIP_TYPES: Final = frozenset({"plan"})

Say = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Sat:
    """What became of a contradiction. `caught`: how it was detected ("ruling", "patrol", ""). `shown`: the note shown first.

    `earlier`: the planted note was dated before the fact, so that the fact is what holds. `handled` is None for a fact without
    a day: nobody can say which of the two is the later one.
    """

    plant: Plant
    earlier: bool
    caught: str
    handled: bool | None
    shown: str | None

    @property
    def key(self) -> str:
        """What it is kept under."""
        return self.plant.id + ("-earlier" if self.earlier else "")

    @property
    def detected(self) -> bool:
        """True if it was flagged at all."""
        return bool(self.caught)


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was planted, and how big the copy was. `repeated`: facts said again in other words, and whether that was flagged.

    `steps` are the times of the questions asked, by step in ms.
    """

    sat: tuple[Sat, ...] = ()
    repeated: tuple[tuple[Plant, bool], ...] = ()
    copied: int = 0
    of: int = 0
    steps: tuple[Mapping[str, float], ...] = ()


def sources(runtime: Runtime) -> list[Source]:
    """The facts of a vault that can be contradicted: they hold, a person wrote them in running text, and no note is private."""
    catalog = runtime.catalog
    files = catalog.files()
    body: dict[str, int] = {}
    out: list[Source] = []
    standings = catalog.standings([ident for ident, _ in catalog.all_facts()])
    for ident, record in catalog.all_facts():
        fact = json.loads(record)
        file = files.get(fact["source"])
        standing = standings.get(ident)
        if file is None or file.kind != "note" or file.status != "indexed" or file.private or file.archived:
            continue
        if standing is not None and (standing.state != "active" or not standing.there or standing.disputes):
            continue
        if (
            fact.get("held")
            or fact["origin"] != "observed"
            or fact["frame"] != "current"
            or fact["type"] in _SKIP_TYPES
        ):
            continue
        if file.path not in body:
            body[file.path] = front(_read(runtime, file.path))
        if fact["line"] > body[file.path] and fact["quote"].count("\n") == 0:
            text = plain(fact["quote"])
            heading = fact.get("heading")
            out.append(
                Source(
                    ident, file.path, fact["line"], file.title, heading, text, language(text), fact.get("created_at")
                )
            )
    return sorted(out, key=lambda source: source.id)


def sow(runtime: Runtime, most: int = PLANTS, say: Say = lambda *_: None) -> Harvest:
    """Plant in a copy under the vault's cache folder and see what comes of it. Raises what opening a vault raises."""
    found = sources(runtime)
    notes = {
        path: row.title
        for path, row in runtime.catalog.files().items()
        if row.kind == "note" and row.status == "indexed" and not row.reason
    }
    made = plants(found, words_of(found, notes), 2 * most)
    if not made:
        return Harvest(of=len(notes))
    told = min(most, max(LEAST, (len(made) + 1) // 2))  # the rest, of other notes, is only said again
    for left in runtime.cache.glob("planted-*"):
        shutil.rmtree(left, ignore_errors=True)  # of an exam that was killed; nobody else sits one over this cache
    base = Path(tempfile.mkdtemp(prefix="planted-", dir=runtime.cache))
    try:
        copied = _copy(runtime, base / "vault", [plant.source.note for plant in made], sorted(notes))
        return _grown(runtime, base, (made[:told], made[told:]), (copied, len(notes)), say)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _copy(runtime: Runtime, root: Path, needed: Sequence[str], paths: Sequence[str]) -> int:
    """Copy the notes that are needed, and others in an order that has nothing to do with what they say."""
    rest = sorted(
        set(paths) - set(needed), key=lambda path: (hashlib.blake2b(path.encode("utf-8", "replace")).digest(), path)
    )
    count = 0
    root.mkdir(parents=True)
    for path in [*needed, *rest][:COPIED]:
        text = _read(runtime, path)
        file = root / path
        if text and file.resolve().is_relative_to(root.resolve()):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            count += 1
    return count


def _grown(
    runtime: Runtime, base: Path, made: tuple[Sequence[Plant], Sequence[Plant]], copied: tuple[int, int], say: Say
) -> Harvest:
    against, alike = made
    scratch = _opened(runtime, base)
    try:
        say("planted: copying", 0, len(against))
        _settle(scratch, runtime, first=True)
        today = runtime.uses.today()
        days = [_before(plant) if number % 4 in (1, 2) else None for number, plant in enumerate(against)]
        told = [(plant, plant.said, day or today) for plant, day in zip(against, days, strict=True)]
        for plant, text, day in (*told, *((plant, plant.again, today) for plant in alike)):
            file = base / "vault" / _path(plant)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_note(plant, text, day), "utf-8")
        say("planted: reading", 0, len(against))
        _settle(scratch, runtime)
        claims, flags = flagged(scratch, vectors=False)
        pairs = {frozenset((claims[flag.a].note, claims[flag.b].note)) for flag in flags}
        sat: list[Sat] = []
        steps: list[Mapping[str, float]] = []
        for plant, earlier in zip(against, days, strict=True):
            one, ms = _see(scratch, plant, _caught(scratch, plant, pairs), earlier=earlier is not None)
            sat.append(one)
            steps.append(ms)
            say("planted: asking", len(sat), len(against))
        repeated = tuple((plant, bool(_caught(scratch, plant, pairs))) for plant in alike)
    finally:
        scratch.close()
    return Harvest(tuple(sat), repeated, *copied, tuple(steps))


def _opened(runtime: Runtime, base: Path) -> Runtime:
    """The copy as a vault, with the settings of the vault that shape reading and recall, and nothing else of the user's."""
    places = {f"EBBTIDE_{name}": str(base / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
    environ = {key: value for key, value in os.environ.items() if not key.startswith("EBBTIDE_")} | places
    options: dict[str, Any] = {"memory.folder": runtime.config.memory.folder}  # no folder of the user's has that name
    for section in _SHARED:
        keys = getattr(runtime.config, section)
        values = {f"{section}.{item.name.rstrip('_')}": getattr(keys, item.name) for item in fields(keys)}
        options |= {
            name: dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }
    return open_runtime(base / "vault", read_only=False, options=options, environ=environ)


def _settle(scratch: Runtime, runtime: Runtime, *, first: bool = False) -> None:
    """Index, embed (what the vault has embedded already is taken from there), and let the patrol go round."""
    scratch.catch_up()
    if first and not (runtime.embedder is not None and scratch.open_model()):
        return
    if scratch.backfill is not None and scratch.vectors is not None:
        for kind in ("passages", "facts"):
            keys = [key for _, _, key in scratch.catalog.keys(kind)]
            known = runtime.vectors.get(keys) if runtime.vectors is not None else {}
            if known:
                scratch.vectors.put(list(known), np.stack(list(known.values())))
        while scratch.backfill.round(lambda: False):
            pass
        scratch.backfill.settle()
    while scratch.patrol.step(STEP, lambda: False):
        pass


def _caught(scratch: Runtime, plant: Plant, pairs: set[frozenset[str]]) -> str:
    """How a planted note was set against the note that it is about, if it was."""
    if _ruled(scratch, plant.source.note, _path(plant)):
        return "ruling"
    return "patrol" if frozenset((plant.source.note, _path(plant))) in pairs else ""


def _see(scratch: Runtime, plant: Plant, caught: str, *, earlier: bool) -> tuple[Sat, Mapping[str, float]]:
    answer = scratch.engine.recall(Question(plant.question), hurry=False)
    items, notes = answer["items"], answer["notes"]
    source = plant.source.note
    planted = [place for place, item in enumerate(items) if item["note"] == _path(plant)]
    stated = [
        place for place, item in enumerate(items) if item["note"] == source and plant.source.text in plain(item["text"])
    ]
    current, old = (stated, planted) if earlier else (planted, stated)
    if current or old:
        handled = bool(current) and (not old or current[0] < old[0])
    else:
        now, then = (source, _path(plant)) if earlier else (_path(plant), source)
        handled = now in notes and (then not in notes or notes.index(now) < notes.index(then))
    known = handled if plant.source.day else None
    return Sat(plant, earlier, caught, known, items[0]["note"] if items else None), answer["ms"]


def _before(plant: Plant) -> str | None:
    """A year before the fact; None if its day is not known."""
    try:
        return (date.fromisoformat(plant.source.day or "") - timedelta(days=365)).isoformat()
    except (ValueError, OverflowError):
        return None


def _ruled(scratch: Runtime, old: str, new: str) -> bool:
    """True if a fact of one note supersedes, is superseded by, or is in dispute with one of the other."""
    catalog = scratch.catalog
    both = [catalog.file(old), catalog.file(new)]
    facts = [{ident for _, ident, _ in catalog.facts_of(file.row)} if file is not None else set() for file in both]
    for ident in sorted(facts[1]):
        for record in catalog.revisions_of(ident):
            named = {str(name) for name in (*(record.get("subjects") or ()), record.get("object"))}
            if record.get("kind") in ("supersede", "dispute") and named & facts[0]:
                return True
    return False


def _path(plant: Plant) -> str:
    """Where a planted note lies: beside the note that it is about, under a name that says nothing."""
    folder = plant.source.note.rpartition("/")[0]
    name = hashlib.blake2b(plant.id.encode(), digest_size=4).hexdigest()
    return f"{folder}/{name}.md" if folder else f"{name}.md"


def _note(plant: Plant, text: str, day: str) -> str:
    """A note as a person would write it: under the same title, dated today."""
    title = " ".join(plant.source.title.split())
    heading = (plant.source.heading or "").split(" > ")[-1].strip()
    below = f"## {heading}\n\n" if heading and heading != title else ""
    return f"---\ncreated: {day}\n---\n\n# {title}\n\n{below}{text}\n"


def _read(runtime: Runtime, path: str) -> str:
    try:
        return runtime.store.read(path).text
    except (OSError, VaultError):
        return ""
