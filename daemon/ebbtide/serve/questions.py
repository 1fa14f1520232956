"""The use-cases of asking: recall, answers, causal chains, what is near a note, and why a note does (not) answer. A part of `service`."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ebbtide.index.rows import FileRow
from ebbtide.memory.errors import BadRequest, NotFound, VaultError
from ebbtide.memory.states import Lang
from ebbtide.recall import about, explaining
from ebbtide.recall.answer import Answers, Extract
from ebbtide.recall.answer_asking import Checked, asking, checked, material
from ebbtide.recall.answer_words import frame
from ebbtide.recall.engine import Question
from ebbtide.runtime import Runtime
from ebbtide.serve.using import Shown

MAX_QUERY = 100 * 1024


class Questions:
    """The use-cases; `Service` is one. `shown` remembers what answers show, so that it can be confirmed."""

    runtime: Runtime
    shown: Shown

    def recall(
        self,
        query: str,
        type: str | None = None,
        layer: Any = None,
        scope: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        explain: bool = False,
        limit: int | None = None,
        lang: Lang | None = None,
    ) -> dict[str, Any]:
        """POST /v1/recall."""
        self._check_query(query)
        question = Question(query, type, layer, scope, as_of, budget, limit, tuple(include), explain, lang=lang)
        return self.shown.add(query, self.runtime.engine.recall(question))

    def answer(
        self,
        query: str,
        type: str | None = None,
        layer: Any = None,
        scope: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        local: bool = False,
    ) -> dict[str, Any]:
        """POST /v1/answer: the sentences that answer, cited; by Claude where the user has asked for that, unless `local`."""
        self._check_query(query)
        answers = Answers(self.runtime.store, self.runtime.engine)
        found = answers.extract(Question(query, type, layer, scope, as_of, budget, None, tuple(include)))
        asked = found.told and self.runtime.config.claude.answer and not local
        body = self._by_claude(answers, found) if asked else found.body()
        self.shown.add(query, {"items": [*found.recall["items"], *body["citations"]]})
        return body

    def why(
        self,
        query: str,
        scope: str | None = None,
        as_of: str | None = None,
        direction: Any = None,
        note: str | None = None,
        lang: Lang | None = None,
    ) -> dict[str, Any]:
        """POST /v1/why: the causal chain behind what is asked about, or what came of it."""
        self._check_query(query)
        start = None if note is None else self._file(note).row
        return self.runtime.engine.why(Question(query, scope=scope, as_of=as_of, lang=lang), direction, start=start)

    def related(
        self,
        note: str,
        limit: int = 10,
        type: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        unlinked: bool = False,
        lang: Lang | None = None,
    ) -> dict[str, Any]:
        """GET /v1/related: what stands near a note, by its own words, meaning and links."""
        file, engine = self._file(note), self.runtime.engine
        asked = about.looked_at(engine, file, about.Nearby(limit, type, budget, tuple(include), unlinked, lang))
        return self.shown.beside(asked.query, about.related(engine, file, asked))

    def explain(
        self,
        query: str,
        note: str,
        type: str | None = None,
        layer: Any = None,
        scope: str | None = None,
        as_of: str | None = None,
        budget: int | None = None,
        include: Sequence[str] = (),
        limit: int | None = None,
        lang: Lang | None = None,
        near: str | None = None,
        unlinked: bool = False,
    ) -> dict[str, Any]:
        """POST /v1/explain: why, or why not, this note for this question, or near another note."""
        self._check_query(query)
        if near is not None:
            asked = about.Nearby(limit, type, budget, tuple(include), unlinked, lang)
            beside = about.looked_at(self.runtime.engine, self._file(near), asked)
            told = explaining.explain(self.runtime.engine, beside, note, self._known(note), near)
            return told | {"query": query}
        question = Question(query, type, layer, scope, as_of, budget, limit, tuple(include), True, lang=lang)
        return explaining.explain(self.runtime.engine, question, note, self._known(note))

    def _check_query(self, query: str) -> None:
        if len(query) > MAX_QUERY:
            raise BadRequest(
                f"The question has {len(query):,} characters.",
                f"Send at most {MAX_QUERY:,}; the first 2,048 are looked at.",
            )

    def _file(self, path: str, *, indexed: bool = True) -> FileRow:
        file = self._known(path)
        if file is None:
            raise NotFound(f"No note {path!r} is known.", "Give its path from the vault's root, with its ending.")
        if indexed and file.status != "indexed":
            raise NotFound(
                f"{path!r} is not indexed ({file.reason or file.status}).", "See `ebbtide notes --status skipped`."
            )
        return file

    def _known(self, path: str) -> FileRow | None:
        try:
            self.runtime.store.contain(path)
        except VaultError as error:
            raise BadRequest(error.reason, "Give a path from the vault's root.") from error
        return self.runtime.catalog.file(path)

    # --- Claude -------------------------------------------------------------------------------------------------------

    def _by_claude(self, answers: Answers, found: Extract) -> dict[str, Any]:
        """Claude's answer over the memories found that may leave, if it holds; else the extract with the reason."""
        from ebbtide import answering

        runtime, lang = self.runtime, found.lang
        items = [i for i in found.recall["items"] if self._may_leave(i) and not answers.withheld(found, i)]
        if not items:
            return found.body(why=frame("not_by", lang, reason=frame("nothing_to_send", lang).rstrip(".。")))
        body = material(found.question.query, lang, items)
        ident = "a-" + hashlib.blake2b(body.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        state = answering.state_folder(runtime.places, runtime.vault_id, runtime.root)
        verdict = answering.ask_once(
            runtime.store, runtime.config, state, time.time(), body, lambda token: asking(body, token, ident)
        )
        reason = verdict if isinstance(verdict, str) else verdict.reason
        if not isinstance(verdict, str) and verdict.outcome == "answered" and verdict.answer is not None:
            held = checked(verdict.answer, items, lang)
            told = None if isinstance(held, str) else answers.restated(found, held.cited)
            if isinstance(held, Checked) and told is not None:
                left = len(found.recall["items"]) - len(items)
                note = frame("private", lang, count=left, model=runtime.config.claude.model) if left else None
                return told.body(runtime.config.claude.model, note, held.text)
            said = held if isinstance(held, str) else frame("false_quote", lang, n=1)
            reason = frame("unproven", lang, reason=said)
        return found.body(why=frame("not_by", lang, reason=reason.rstrip(".。")))

    def _may_leave(self, item: Mapping[str, Any]) -> bool:
        from ebbtide import answering

        if item["kind"] == "fact":
            known = self.runtime.catalog.facts_by_id([item["id"]]).get(item["id"])
            if known is None or json.loads(known[2]).get("private"):
                return False
        return answering.may_leave(self.runtime.store, item["note"], self.runtime.config)
