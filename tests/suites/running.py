"""How a suite is run: a real vault with a real index and the real model, asked by the whole recall or by one channel alone.

Arms: `full` is recall as it ships; `keyword` and `vector` are one channel in its own order, with nothing of a memory around
it; `no-keyword` and `no-vector` are the whole of recall without one of them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from ebbtide.index.means import centred
from ebbtide.memory.heat import Event
from ebbtide.memory.ports import KeywordResult
from ebbtide.parse.text import language
from ebbtide.recall.engine import Engine, Question, Settings
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service

from .words import Half

Arm = Literal["full", "keyword", "vector", "no-keyword", "no-vector"]
ARMS: Final[tuple[Arm, ...]] = get_args(Arm)
SHOWN: Final = 5
"""Notes of a channel alone that count as offered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`ranked` are note paths, best first; `offered` (path, marked as not holding) of what would be shown, in order."""

    ranked: Sequence[str]
    offered: Sequence[tuple[str, bool]]

    def place(self, path: str) -> int:
        """Rank from 0; behind everything where it was not found."""
        return self.ranked.index(path) if path in self.ranked else 10_000

    def ahead(self, one: str, other: str) -> bool:
        """Whether one note stands before another."""
        return self.place(one) < self.place(other)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its clock, and the uses (note path -> events) that are credited for it alone."""

    query: str
    as_of: str
    uses: Mapping[str, Sequence[Event]] = field(default_factory=dict)
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured share (or a difference of shares) of one half of a suite, and what it must reach. `most`: it must not exceed."""

    name: str
    half: Half | Literal["all"]
    value: float
    count: int
    least: float | None = None
    most: float | None = None

    @property
    def passed(self) -> bool:
        """True if it is as it must be; what only is reported passes."""
        low = self.least is None or self.value >= self.least - 1e-9
        return low and (self.most is None or self.value <= self.most + 1e-9)


def share(hits: Sequence[bool]) -> float:
    """The share that is true; 0 of none."""
    return sum(hits) / len(hits) if hits else 0.0


class _Silent:
    """A keyword index that finds nothing."""

    def search(self, _query: str, _limit: int, _within: str | None = None) -> KeywordResult:
        return KeywordResult((), 0.0)


class _Remembering:
    """An embedder that keeps the vectors of questions: several arms ask the same ones."""

    def __init__(self, embedder: Any) -> None:
        self._embedder, self._known = embedder, dict[str, Any]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Any:
        if text not in self._known:
            self._known[text] = self._embedder.embed_query(text)
        return self._known[text]


Ask = Callable[[Asked], Answer]


class Stand:
    """An opened vault to be asked by any arm."""

    def __init__(self, service: Service) -> None:
        self.service, self.runtime = service, service.runtime
        embedder: Any = _Remembering(self.runtime.engine.channels.embedder())
        self.channels = replace(self.runtime.engine.channels, embedder=lambda: embedder)

    def asker(
        self, arm: Arm, change: Callable[[Settings], Settings] = lambda settings: settings, *, items: bool = True
    ) -> Ask:
        """What asks by an arm; `change` alters the settings of recall, as an ablation does. Without `items` only a ranking is
        made, and nothing is offered."""
        if arm == "keyword":
            return self._keyword
        if arm == "vector":
            return self._vector
        runtime = self.runtime
        channels = self.channels
        if arm == "no-vector":
            channels = replace(channels, embedder=lambda: None)
        elif arm == "no-keyword":
            silent: Any = _Silent()
            channels = replace(channels, notes=silent, facts=silent)
        engine = Engine(runtime.store, channels, change(runtime.engine.settings))

        def ask(asked: Asked) -> Answer:
            question = Question(asked.query, as_of=asked.as_of, uses=self.credited(asked.uses), include=asked.include)
            if not items:
                ranking = engine.rank(question)
                return Answer([ranking.pool.notes[row].file.path for row in ranking.notes], [])
            answer = engine.recall(question, hurry=False)
            return Answer(answer["notes"], [(item["note"], item["frame"] == "historical") for item in answer["items"]])

        return ask

    def credited(self, uses: Mapping[str, Sequence[Event]]) -> dict[str, list[Event]]:
        """Events by id: of each note, and of its facts."""
        out: dict[str, list[Event]] = {}
        for path, events in uses.items():
            file = self.runtime.catalog.file(path)
            assert file is not None, path
            for ident in (file.id, *(ident for _, ident, _ in self.runtime.catalog.facts_of(file.row))):
                out.setdefault(ident, []).extend(events)
        return out

    def _keyword(self, asked: Asked) -> Answer:
        hits = self.runtime.engine.channels.notes.search(asked.query, 100).hits
        files = self.runtime.catalog.files_by_id([hit.key for hit in hits])
        return _plain([files[hit.key].path for hit in hits if hit.key in files])

    def _vector(self, asked: Asked) -> Answer:
        channels = self.channels
        embedder = channels.embedder()
        assert embedder is not None
        vector = embedder.embed_query(asked.query)
        mean = channels.query_means().get(language(asked.query))
        if mean is not None:
            vector = centred(vector, mean)
        near = channels.near["passages"].search(vector, 300)
        rows = channels.catalog.passages([hit.label for hit in near])
        files = channels.catalog.files_by_row(sorted({row.file for row in rows.values()}))
        return _plain(list(dict.fromkeys(files[rows[hit.label].file].path for hit in near if hit.label in rows)))


def _plain(ranked: Sequence[str]) -> Answer:
    return Answer(ranked, [(path, False) for path in ranked[:SHOWN]])


@contextlib.contextmanager
def opened(base: Path, notes: Mapping[str, str]) -> Iterator[Stand]:
    """The notes as the vault under `base`, indexed and embedded; vectors of an earlier run there are kept."""
    vault = base / "vault"
    shutil.rmtree(vault, ignore_errors=True)
    for path, text in notes.items():
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EBBTIDE_")}
    places = {name: str(base / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
    environ = kept | {f"EBBTIDE_{name}": value for name, value in places.items()}
    runtime: Runtime = open_runtime(vault, read_only=False, environ=environ)
    try:
        service = Service(runtime)
        service.catch_up(threads=1)
        assert runtime.engine.channels.embedder() is not None, "the suites need the embedding model"
        yield Stand(service)
    finally:
        runtime.close()
