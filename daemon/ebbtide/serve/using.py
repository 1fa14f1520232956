"""The use-cases of use: what a person or an agent says helped, or was wrong. A part of `service`.

What was shown is remembered here, in memory only, so that a daemon takes a confirmation only for what it has shown, and knows
which question it answered. Without a daemon whoever has the vault open may confirm freely.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ebbtide.index.means import centred
from ebbtide.memory.errors import BadRequest
from ebbtide.parse.text import language
from ebbtide.recall.score import question_key
from ebbtide.runtime import Runtime
from ebbtide.serve.rulings import Rulings
from ebbtide.serve.vitals import Threads

REMEMBERED: Final = 2000
"""Items shown of late that can still be confirmed."""
_KEPT: Final = ("id", "note", "quote")
"""What is remembered of the items of the latest answer."""
_WAYS: Final = {"f_": "fact", "n_": "note", "p_": "passage"}


class Shown:
    """The items shown of late, each with the question it was last shown for. Safe from any thread."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most, self._lock = most, threading.Lock()
        self._items: OrderedDict[str, str] = OrderedDict()
        self._last: tuple[str, tuple[Mapping[str, str], ...]] | None = None

    def add(self, query: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Note what an answer shows, and hand it on."""
        with self._lock:
            shown = ({name: str(item.get(name) or "") for name in _KEPT} for item in answer.get("items", ()))
            self._last = (query, tuple(shown))
        return self.beside(query, answer)

    def beside(self, query: str, answer: dict[str, Any]) -> dict[str, Any]:
        """The same for what was shown without a question being asked: the latest question stays."""
        with self._lock:
            for item in answer.get("items", ()):
                self._items[item["id"]] = query
                self._items.move_to_end(item["id"])
            while len(self._items) > self._most:
                self._items.popitem(last=False)
        return answer

    def question(self, ident: str) -> str | None:
        """The question an item was last shown for; None if it was not shown of late."""
        with self._lock:
            return self._items.get(ident)

    def last(self) -> tuple[str, tuple[Mapping[str, str], ...]] | None:
        """The latest question and what was shown for it ({id, note, quote}), best first; None if nothing was asked yet."""
        with self._lock:
            return self._last


class Using:
    """The use-cases; `Service` is one. `shown` is filled by what answers."""

    runtime: Runtime
    threads: Threads
    rulings: Rulings
    shown: Shown

    def uses(
        self,
        ids: Sequence[str],
        kind: str = "used",
        query: str | None = None,
        session: str | None = None,
        client: str | None = None,
    ) -> dict[str, Any]:
        """POST /v1/uses: these helped (`used`), or were looked at (`opened`)."""
        return self._confirm(ids, kind, query, session, client, None)

    def corrections(
        self,
        ids: Sequence[str],
        why: str,
        query: str | None = None,
        session: str | None = None,
        client: str | None = None,
    ) -> dict[str, Any]:
        """POST /v1/corrections: these are wrong. Nothing is deleted: it is asked about in review, and earns less until then."""
        if not why.strip():
            raise BadRequest("A correction needs a reason.", "Say what is wrong with --why.")
        return self._confirm(ids, "wrong", query, session, client, why.strip())

    def _confirm(
        self, ids: Sequence[str], kind: str, query: str | None, session: str | None, client: str | None, why: str | None
    ) -> dict[str, Any]:
        return self.rulings.desk.write(lambda: self._recorded(ids, kind, query, session, client, why))

    def _recorded(
        self, ids: Sequence[str], kind: str, query: str | None, session: str | None, client: str | None, why: str | None
    ) -> dict[str, Any]:
        uses = self.runtime.uses
        recorded: list[str] = []
        ignored: list[dict[str, str]] = []
        for ident in dict.fromkeys(ids):
            told = query or self.shown.question(ident)
            names, reason = self._named(ident)
            if not reason and self.threads.indexer is not None and self.shown.question(ident) is None:
                reason = "it was not shown of late"
            if not reason and uses.catalog.is_used(names[0], kind, uses.today(), session):
                reason = "it was told already in this session" if session else "it was told already today"
            if reason:
                ignored.append({"id": ident, "reason": reason})
                continue
            by = "user" if client is None else f"agent:{client}"
            uses.record(kind, [names], by=by, query=self._key(told), session=session, why=why)
            recorded.append(ident)
        return {"recorded": recorded, "ignored": ignored, "day": uses.today()}

    def _named(self, ident: str) -> tuple[list[str], str]:
        """The memories that an id stands for, the one that is meant first; or why there is none.

        A passage stands for its note. What is said of a fact is said of a line of its note, so it counts there, too.
        """
        catalog = self.runtime.catalog
        way = _WAYS.get(ident[:2], "")
        if way == "passage":
            note = catalog.note_of_passage(ident)
            return ([note], "") if note else ([], "no such passage is there any more")
        if way == "note":
            return ([ident], "") if catalog.files_by_id([ident]) else ([], "no such note is known")
        found = catalog.facts_by_id([ident]).get(ident) if way == "fact" else None
        if found is None:
            return [], "no such fact is known"
        file = catalog.files_by_row([found[1]]).get(found[1])
        return ([ident, file.id] if file is not None else [ident]), ""

    def _key(self, query: str | None) -> bytes | None:
        """The key of a question; its vector is kept under it where there is a model, so that later ones can be compared."""
        if not query or not query.strip():
            return None
        runtime, text = self.runtime, " ".join(query[:2048].split())
        key = question_key(text)
        if runtime.embedder is not None and runtime.vectors is not None and not runtime.vectors.get([key]):
            vector = runtime.embedder.embed_query(text)
            mean = runtime.query_means.get(language(text))
            runtime.vectors.put([key], (vector if mean is None else centred(vector, mean))[None, :])
        return key
