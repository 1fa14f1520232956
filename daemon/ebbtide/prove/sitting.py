"""The user's own questions, put to the vault: where the gold came, whether it was cited, and what the newest notes would have done.

The control for "does the memory help" is the same token budget filled with the newest notes, which is what one has without
any memory at all. Success is judged by the answer's words where the question names any, else by Claude where the user lets it,
else by whether a gold note is in the packet. Nothing is recorded as used or shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from ebbtide.index.rows import FileRow
from ebbtide.memory.errors import Problem, VaultError
from ebbtide.memory.states import FACT_TYPES
from ebbtide.parse.text import fold
from ebbtide.prove.judged import ByClaude, Parts
from ebbtide.prove.questions import FILE, Asked
from ebbtide.recall import compose
from ebbtide.recall.engine import Engine, Question
from ebbtide.recall.packet import counting
from ebbtide.runtime import Runtime

Say = Callable[[str, int, int], None]
Judge = Literal["words", "claude", "note"]
NEAREST = 10
"""Places in the ranking that count."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question.

    - `rank`: place of the first gold note, from 1; None if it did not come up among the ranked.
    - `passed`: what its kind asks for: hit@3, the citation, the order, silence.
    - `helped`, `newest`: success with memory, and with the newest notes, and who judged; None where nothing is to be found.
    - `odd`, `odd_unrouted`: (items of another type than the question's among the first three, items) with routing and without.
    - `live`: (items whose quote is in its note at its line, items).
    - `shown`: the places of the first items; `why` names in one word why it failed, "" if it passed.
    """

    asked: Asked
    gold: tuple[str, ...]
    rank: int | None
    passed: bool
    silent: bool
    helped: bool | None
    newest: bool | None
    judge: Judge
    tokens: int
    tokens_newest: int
    odd: tuple[int, int]
    odd_unrouted: tuple[int, int]
    live: tuple[int, int]
    shown: tuple[str, ...]
    ranked: tuple[str, ...]
    why: str
    steps: dict[str, float]


@dataclass(slots=True)
class Sitting:
    """Puts questions to an opened vault, one at a time."""

    runtime: Runtime
    budget: int | None = None
    claude: ByClaude | None = None
    unrouted: Engine = field(init=False)
    _moves: dict[str, str] | None = None
    _texts: dict[str, str | None] = field(default_factory=dict)
    _packets: dict[tuple[str | None, str | None], tuple[list[tuple[str, str]], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The same recall with the route having no say."""
        settings = self.runtime.engine.settings
        none = {item.name: 0.0 for item in fields(settings.weights) if item.name.endswith("_boost")}
        weights = replace(settings.weights, **none)
        self.unrouted = Engine(self.runtime.store, self.runtime.engine.channels, replace(settings, weights=weights))

    def sit(self, paper: Sequence[Asked], say: Say) -> tuple[list[Outcome], list[Problem]]:
        """Every question whose gold is there; of the others a problem each."""
        out: list[Outcome] = []
        problems: list[Problem] = []
        for number, asked in enumerate(paper, 1):
            gold = [self.path_of(name, ident) for name, ident in _paired(asked)]
            lost = [name for name, path in zip(asked.gold, gold, strict=True) if path is None]
            if asked.kind != "unanswerable" and len(lost) == len(gold):
                text = f"`gold` is no note of this vault any more: {', '.join(lost)}"
                fix = f"name the note that answers it now, or `ebbtide exam remove {asked.id}`"
                where = f"{self.runtime.config.memory.folder}/{FILE}"
                problems.append(Problem(where, asked.line, "exam-gold", text, fix))
            else:
                out.append(self._outcome(asked, tuple(path for path in gold if path is not None)))
            say("questions", number, len(paper))
        return out, problems

    def path_of(self, name: str, ident: str | None = None) -> str | None:
        """Where a gold is now: by the note's id, as a fact's source, by path, or where that path was moved to."""
        catalog = self.runtime.catalog
        for given in (ident, name):
            if given is not None and given.startswith("n_"):
                found = catalog.files_by_id([given]).get(given)
                if found is not None and found.status == "indexed":
                    return found.path
            if given is not None and given.startswith("f_"):
                fact = catalog.facts_by_id([given]).get(given)
                file = catalog.files_by_row([fact[1]]).get(fact[1]) if fact is not None else None
                if file is not None:
                    return file.path
        file = catalog.file(name)
        if file is None:
            file = catalog.file(self._moved(name))
        return file.path if file is not None and file.status == "indexed" else None

    def _moved(self, path: str) -> str:
        """Where the renames that the revisions tell of have brought a path."""
        if self._moves is None:
            self._moves = {}
            records = self.runtime.catalog.latest_revisions(1 << 30, ("move",))
            for record in sorted(records, key=lambda r: (str(r.get("at")), str(r.get("id")))):
                for change in record.get("changes") or ():
                    before, after = change.get("before"), change.get("after")
                    if isinstance(before, str) and isinstance(after, str):
                        self._moves |= {old: after for old, now in self._moves.items() if now == before}
                        self._moves[before] = after
        return self._moves.get(path, path)

    def goes_right(self, asked: Asked, engine: Engine) -> bool | None:
        """Whether another engine does what the question's kind asks, and answers where something is to be found.

        None if no gold note is there.
        """
        found = [self.path_of(name, ident) for name, ident in _paired(asked)]
        gold = tuple(path for path in found if path is not None)
        if asked.kind != "unanswerable" and not gold:
            return None
        answer = engine.recall(self._question(asked), hurry=False)
        places = [answer["notes"].index(path) + 1 for path in gold if path in answer["notes"]]
        silent = asked.kind != "unanswerable" and bool(answer["abstained"])
        return not silent and not self._failed(asked, gold, min(places, default=None), answer)

    def _question(self, asked: Asked) -> Question:
        return Question(asked.query, scope=asked.scope, as_of=asked.as_of, budget=self.budget)

    # --- one question -------------------------------------------------------------------------------------------------

    def _outcome(self, asked: Asked, gold: tuple[str, ...]) -> Outcome:
        question = self._question(asked)
        answer = self.runtime.engine.recall(question, hurry=False)
        items, notes = answer["items"], answer["notes"]
        places = [notes.index(path) + 1 for path in gold if path in notes]
        rank = min(places, default=None)
        why = self._failed(asked, gold, rank, answer)
        plain = self.unrouted.recall(question, hurry=False)["items"] if asked.type else []
        helped: bool | None = None
        newest: bool | None = None
        judge: Judge = "note"
        spent = 0
        if asked.kind != "unanswerable":
            control, spent = self._newest(asked)
            helped, newest, judge = self._judged(asked, gold, [(i["note"], i["inject"]) for i in items], control)
        return Outcome(
            asked=asked,
            gold=gold,
            rank=rank,
            passed=not why,
            silent=bool(answer["abstained"]),
            helped=helped,
            newest=newest,
            judge=judge,
            tokens=answer["tokens"],
            tokens_newest=spent,
            odd=_odd(asked, items),
            odd_unrouted=_odd(asked, plain),
            live=(sum(self._live(item) for item in items), len(items)),
            shown=tuple(f"{item['note']}:{item['line']}" for item in items[:3]),
            ranked=tuple(notes[:3]),
            why=why,
            steps=dict(answer["ms"]),
        )

    def _failed(self, asked: Asked, gold: Sequence[str], rank: int | None, answer: dict[str, Any]) -> str:
        """Why it did not do what its kind asks for, in one word; "" if it did."""
        if asked.kind == "unanswerable":
            return "" if answer["abstained"] else "answered"
        if asked.kind == "must-cite":
            return "" if any(self._cites(asked, gold, item) for item in answer["items"]) else "not-cited"
        if rank is None or rank > (NEAREST if asked.kind == "conflict" else 3):
            return "silent" if answer["abstained"] else "not-found"
        if asked.kind == "conflict":
            old = [path for path in map(self.path_of, asked.against) if path in answer["notes"] and path not in gold]
            if any(answer["notes"].index(path) < rank - 1 for path in old):
                return "outranked"
        return ""

    def _cites(self, asked: Asked, gold: Sequence[str], item: dict[str, Any]) -> bool:
        """Whether an item shows the quote, of a gold note, at the line on which it stands there now."""
        text = self._text(item["note"]) if item["note"] in gold else None
        if text is None:
            return False
        quote = (
            asked.quote or (text.split("\n")[asked.gold_line - 1 :] or [""])[0].strip()
            if asked.gold_line
            else asked.quote
        )
        place = compose.locate(text, quote, asked.gold_line or item["line"]) if quote else None
        if place is None or quote is None:
            return False
        inside = quote in item["quote"] or item["quote"] in quote or quote in item["text"]
        return inside and abs(item["line"] - place[1]) <= max(item["text"].count("\n"), quote.count("\n"))

    def _live(self, item: dict[str, Any]) -> bool:
        text = self._text(item["note"])
        found = compose.locate(text, item["quote"], item["line"]) if text is not None and item["quote"] else None
        return found is not None and found[1] == item["line"]

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            try:
                self._texts[path] = self.runtime.store.read(path).text
            except (OSError, VaultError):
                self._texts[path] = None
        return self._texts[path]

    # --- the control --------------------------------------------------------------------------------------------------

    def _judged(self, asked: Asked, gold: Sequence[str], memory: Parts, control: Parts) -> tuple[bool, bool, Judge]:
        """Success with memory and with the newest notes, both by the same judge."""
        if asked.answers:
            return _says(asked, memory), _says(asked, control), "words"
        if self.claude is not None:
            one = self.claude.succeeds(asked.query, memory)
            other = self.claude.succeeds(asked.query, control) if one is not None else None
            if one is not None and other is not None:
                return one, other, "claude"
        return _has(gold, memory), _has(gold, control), "note"

    def _newest(self, asked: Asked) -> tuple[list[tuple[str, str]], int]:
        """The newest notes in as many tokens as recall may use, (path, text) each, and the tokens. The last is cut to fit."""
        key = (asked.as_of, asked.scope)
        if key not in self._packets:
            budget = self.budget or self.runtime.engine.settings.limits.tokens
            count = counting(self.runtime.embedder)
            parts: list[tuple[str, str]] = []
            spent = 0
            for file in self._by_day(asked):
                text = (self._text(file.path) or "").strip()
                cost = count.tokens(text)
                while text and spent + cost > budget:
                    text = text[: min(len(text) - 1, len(text) * (budget - spent) // cost)]
                    cost = count.tokens(text) if text else 0
                if text:
                    parts.append((file.path, text))
                    spent += cost
                if spent >= budget - 1:
                    break
            self._packets[key] = (parts, spent)
        return self._packets[key]

    def _by_day(self, asked: Asked) -> list[FileRow]:
        """Notes, the newest first: by the day that they are of; what has none comes last. Ties by path."""
        scope = (asked.scope or "").strip("/")
        found = [
            file
            for file in self.runtime.catalog.files().values()
            if file.kind == "note"
            and file.status == "indexed"
            and (not scope or file.path.startswith(f"{scope}/"))
            and not (asked.as_of and file.date and file.date[:10] > asked.as_of)
        ]
        return sorted(sorted(found, key=lambda file: file.path), key=lambda file: file.date or "", reverse=True)


def _paired(asked: Asked) -> list[tuple[str, str | None]]:
    ids = [*asked.ids, *([None] * len(asked.gold))] if len(asked.ids) == len(asked.gold) else [None] * len(asked.gold)
    return list(zip(asked.gold, ids, strict=False))


def _says(asked: Asked, parts: Parts) -> bool:
    said = _loose("\n".join(text for _, text in parts))
    return any(_loose(answer) in said for answer in asked.answers)


def _has(gold: Sequence[str], parts: Parts) -> bool:
    return any(path in gold for path, _ in parts)


def _loose(text: str) -> str:
    return " ".join(fold(text).split())


def _odd(asked: Asked, items: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Of the first three items those of another type. A passage of a note without a type has none, and does not count."""
    first = [item["type"] for item in items[:3]] if asked.type else []
    typed = [name for name in first if name in FACT_TYPES or name == asked.type]
    return sum(name != asked.type for name in typed), len(typed)
