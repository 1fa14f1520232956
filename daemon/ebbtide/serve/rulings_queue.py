"""The review queue: what a person should decide, each with its sides and the rulings it offers.

Made anew whenever it is asked for, from what the tables of standings list under a state; so it costs what is open, at most
`AT_MOST` of each kind, and never what the vault holds. A question has the same id as long as it asks the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final, Literal

from ebbtide.index.rows import FileRow
from ebbtide.memory import intake
from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.text import language
from ebbtide.runtime import Runtime
from ebbtide.serve import rulings_merge
from ebbtide.serve.rulings_desk import Desk
from ebbtide.serve.rulings_moves import Record, better, closing, on_facts, place, revision
from ebbtide.serve.rulings_words import CHOICES, KINDS, ReviewKind, choices, question
from ebbtide.sleep import checkup

AT_MOST: Final = 1000
"""Open questions of a kind that are looked at; more than a person can answer in a week."""
LATER_DAYS: Final = 7
_OPEN_STATES: Final = {
    "dispute": ("candidate", "active"),
    "expired": ("candidate", "active", "stale"),
    "held": ("candidate",),
    "quarantined": ("quarantined",),
}
"""States in which a fact's question is still one: what was archived or replaced meanwhile has answered it."""
_BEGAN: Final = {"dispute": "dispute", "expired": "expire", "quarantined": "quarantine"}


@dataclass(frozen=True, slots=True)
class Open:
    """An open question: the facts it is about (of a dispute the older first) and when it came up, as far as known yet."""

    id: str
    kind: ReviewKind
    facts: tuple[Record, ...]
    since: str
    why: str = ""
    count: int = 0


def missing_results(runtime: Runtime) -> list[Open]:
    """Notes whose type says episode and that do not say how it ended; the answer is written into the note."""
    found = []
    for path, _, day in runtime.catalog.episodes_missing(AT_MOST):
        file = runtime.catalog.file(path)
        if file is None:
            continue
        record = {**_of_note(file), "created_at": day}
        found.append(Open(_ident("missing-result", [file.id]), "missing-result", (record,), day or ""))
    return found


def _of_note(file: FileRow) -> dict[str, Any]:
    """A note as the side of a question."""
    return {
        "id": file.id,
        "fact": file.title,
        "source": file.path,
        "line": 1,
        "quote": file.title,
        "created_at": file.date,
        "private": file.private,
    }


class Queue:
    """The open questions of one vault."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    # --- reading --------------------------------------------------------------------------------------------------

    def page(self, kind: str | None, limit: int, after: str, lang: Lang | None = None) -> dict[str, Any]:
        """Open questions of a kind or all, the most pressing kind first, then the oldest; `after` is the last id before."""
        if kind is not None and kind not in KINDS:
            raise BadRequest(f"There is no kind {kind!r} of open question.", f"Choose one of {', '.join(KINDS)}.")
        found = self.open([k for k in KINDS if kind in (None, k)])
        begin = next((number + 1 for number, item in enumerate(found) if item.id == after), 0)
        shown = found[begin : begin + limit]
        return {
            "reviews": [self.item(item, lang) for item in shown],
            "counts": {k: sum(item.kind == k for item in found) for k in KINDS if kind in (None, k)},
            "total": len(found),
            "next": shown[-1].id if shown and begin + limit < len(found) else None,
        }

    def open(self, kinds: Iterable[ReviewKind]) -> list[Open]:
        """What is open of these kinds, in the order in which it is asked."""
        makers: Mapping[ReviewKind, Callable[[], list[Open]]] = {
            "lines": self._lines,
            "dispute": self._disputes,
            "wrong": self._wrong,
            "expired": lambda: self._single("expired", "expired"),
            "held": lambda: self._single("held", "candidate"),
            "quarantined": lambda: self._single("quarantined", "quarantined"),
            "merge": self._merges,
            "missing-result": self._episodes,
        }
        return [item for kind in kinds for item in sorted(makers[kind](), key=lambda item: (item.since, item.id))]

    def _listed(self, where: str) -> dict[str, Standing]:
        """Facts of a state that no person has put off."""
        return dict(self.desk.runtime.catalog.find_standings(where, AT_MOST))

    def _since(self, standings: Iterable[Standing]) -> dict[str, str]:
        lasts = sorted({s.last for s in standings if s.last is not None})
        return {ident: str(r.get("at")) for ident, r in self.desk.runtime.catalog.revisions(lasts).items()}

    def _single(self, kind: ReviewKind, where: str) -> list[Open]:
        listed = {
            ident: s
            for ident, s in self._listed(where).items()
            if s.there and s.state in _OPEN_STATES[kind] and not s.put_off(self.desk.today)
        }
        lasts = self.desk.runtime.catalog.revisions(sorted({s.last for s in listed.values() if s.last is not None}))
        stored = self.desk.raw(sorted(listed)) | self._notes(listed, lasts)
        together: dict[str, list[Record]] = {}
        for ident, record in stored.items():
            last = lasts.get(listed[ident].last or "", {})
            key = str(last["id"]) if _as_one(last) else ident
            together.setdefault(key, []).append({**record, **listed[ident].fields})
        found = []
        for records in together.values():
            last = lasts.get(listed[records[0]["id"]].last or "", {})
            since = str(last.get("at") or records[0].get("recorded_at"))
            found.append(
                Open(_ident(kind, [r["id"] for r in records]), kind, tuple(records), since, count=len(records))
            )
        return found

    def _notes(self, listed: Mapping[str, Standing], lasts: Mapping[str, Record]) -> dict[str, Record]:
        """Notes among these, with the words that the latest revision is about; one that is not there any more asks nothing."""
        files = self.desk.runtime.catalog.files_by_id(sorted(ident for ident in listed if ident.startswith("n_")))
        out: dict[str, Record] = {}
        for ident, file in sorted(files.items()):
            if file.status == "indexed":
                evidence = lasts.get(listed[ident].last or "", {}).get("evidence") or ()
                said = next((e for e in evidence if e.get("source") == file.path and e.get("quote")), None)
                words = {} if said is None else {"fact": said["quote"], "quote": said["quote"], "line": said["line"]}
                out[ident] = {**_of_note(file), **words}
        return out

    def _disputes(self) -> list[Open]:
        catalog = self.desk.runtime.catalog
        listed = self._listed("disputed")
        listed |= catalog.standings({other for s in listed.values() for other in s.disputes} - listed.keys())
        holds = {i for i, s in listed.items() if s.there and s.state in _OPEN_STATES["dispute"]}
        pairs = {(min(i, other), max(i, other)) for i in holds for other in listed[i].disputes if other in holds}
        pairs = {pair for pair in pairs if not all(listed[ident].put_off(self.desk.today) for ident in pair)}
        stored = self.desk.raw(sorted({ident for pair in pairs for ident in pair}))
        since = self._since(listed[ident] for ident in stored)
        found = []
        for pair in sorted(pairs):
            if not stored.keys() >= set(pair):
                continue  # a side that no note says any more disputes nothing
            records = [{**stored[ident], **listed[ident].fields} for ident in pair]
            a, b = sorted(records, key=lambda record: (_day(record), record["id"]))
            # The order is a part of the identity: "a" must mean the same fact when the ruling comes as when it was shown.
            began = max(since.get(listed[ident].last or "", "") for ident in pair)
            found.append(Open(_ident("dispute", [a["id"], b["id"]]), "dispute", (a, b), began))
        return found

    def _merges(self) -> list[Open]:
        return [
            Open(_ident("merge", [side["id"] for side in sides]), "merge", sides, at, why)
            for sides, at, why in rulings_merge.questions(self.desk.runtime, self.desk.today)
        ]

    def _episodes(self) -> list[Open]:
        found = missing_results(self.desk.runtime)
        standings = self.desk.runtime.catalog.standings([item.facts[0]["id"] for item in found])
        return [item for item in found if not standings.get(item.facts[0]["id"], Standing()).put_off(self.desk.today)]

    def _wrong(self) -> list[Open]:
        """What was called wrong, until it is decided about; a note stands for what its passages say."""
        catalog = self.desk.runtime.catalog
        marks = {ident: (at, why) for ident, at, why in catalog.called_wrong(AT_MOST)}
        standings, today = catalog.standings(marks), self.desk.today
        since = self._since(standings.values())
        records = self.desk.raw(sorted(marks))
        records |= {
            file.id: _of_note(file) for file in catalog.files_by_id(sorted(marks.keys() - records.keys())).values()
        }
        found = []
        for ident, record in records.items():
            (at, why), standing = marks[ident], standings.get(ident, Standing())
            holds = standing.there and standing.state in _OPEN_STATES["expired"] and not standing.put_off(today)
            if holds and since.get(standing.last or "", "") < at:
                found.append(Open(_ident("wrong", [ident, at]), "wrong", ({**record, **standing.fields},), at, why))
        return found

    def _lines(self) -> list[Open]:
        asked = self.desk.runtime.facts.question()
        if asked is None:
            return []
        what, idents = asked
        stored = self.desk.raw(idents[:AT_MOST])
        facts = tuple(stored[ident] for ident in idents[:AT_MOST] if ident in stored)
        return [Open(_ident("lines", [what, *idents]), "lines", facts, "", count=len(idents))]

    def item(self, item: Open, asked: Lang | None) -> dict[str, Any]:
        """A question as the API shows it, in the language `asked` for, None: that of what it is about.

        Only here the history is looked at: when it came up, and why.
        """
        lang: Lang = asked or (language(item.facts[0]["fact"]) if item.facts else "en")
        since, why, finding = self._began(item, lang)
        first = item.facts[0] if item.facts else {}
        checked = str(first.get("verified_at") or first.get("created_at") or "")[:10]
        standings = self.desk.runtime.catalog.standings([record["id"] for record in item.facts])
        return {
            "id": item.id,
            "kind": item.kind,
            "since": since or None,
            "question": question(
                item.kind, lang, why=finding or why, checked=checked, count=item.count, finding=bool(finding)
            ),
            "why": finding or why or None,
            "lang": lang,
            "sides": [_side(record, standings.get(record["id"], Standing())) for record in item.facts[:AT_SHOWN]],
            "choices": choices(item.kind, lang),
        }

    def _began(self, item: Open, lang: Lang) -> tuple[str, str, str]:
        """When it came up, why, and what a check-up found, in words; "" where none did."""
        if item.kind == "held":
            return item.since, str(item.facts[0].get("held") or ""), ""
        kind = _BEGAN.get(item.kind)
        if kind is None:
            return item.since, item.why, ""
        idents = {record["id"] for record in item.facts}
        for r in reversed(self.desk.runtime.sync.decisions.history(item.facts[0]["id"])):
            named = {*(r.get("subjects") or ()), r.get("object")}
            if r["kind"] == kind and not r["undone"] and not r.get("undoes") and idents <= named:
                return str(r["at"]), str(r.get("why") or ""), checkup.told(r, lang)
        return item.since, item.why, ""

    # --- ruling: in the thread of `Desk.write` --------------------------------------------------------------------

    def rule(self, ident: str, ruling: str, by: str, why: str) -> dict[str, Any]:
        """Carry a ruling out: one revision and its parts."""
        item = next((item for item in self.open(KINDS) if item.id == ident), None)
        if item is None:
            raise NotFound(
                f"The question {ident!r} is not open (any more).", "See `ebbtide review` for those that are."
            )
        if ruling not in CHOICES[item.kind]:
            offered = f"Choose one of {', '.join(CHOICES[item.kind])}."
            raise BadRequest(f"{ruling!r} is no ruling on a question of kind {item.kind}.", offered)
        if item.kind == "lines":
            return self._rule_lines(ruling == "keep_file", by, why)
        if ruling == "later":
            return self.desk.record(self._later(item, by, why))
        told = why or f"ruled in review: {ruling}"
        if item.kind == "merge":
            made = rulings_merge.rule(self.desk.runtime, item.facts, ruling, by, why, self.desk.today)
            return self.desk.followed(made)
        if item.kind == "dispute":
            return self.desk.record(*self._rule_dispute(item.facts[0], item.facts[1], ruling, by, told))
        kinds = {"still_true": "confirm"}
        news = [on_facts(kinds.get(ruling, ruling), item.facts, by, told)]
        if ruling == "forget":
            stored = self.desk.raw([f["id"] for f in item.facts])
            news = [on_facts("forget", [stored.get(f["id"], f) for f in item.facts], by, told)]
            if derived := self.desk.concluded([f["id"] for f in item.facts]):
                news.append(on_facts("forget", derived, by, "it was concluded from what was forgotten"))
        return self.desk.record(*news)

    def _rule_dispute(self, a: Record, b: Record, ruling: str, by: str, why: str) -> list[dict[str, Any]]:
        places = [place(a), place(b)]
        news = [revision("settle", [a["id"]], by, why, other=b["id"], evidence=places)]
        if ruling in ("keep_a", "keep_b"):
            kept, other = (a, b) if ruling == "keep_a" else (b, a)
            end = closing(kept, other, self.desk.today)
            news.append(
                revision(
                    "supersede", [other["id"]], by, why, other=kept["id"], changes=[end] if end else (), evidence=places
                )
            )
            news.append(on_facts("confirm", [kept], by, why))
        elif ruling == "merge":
            kept, other = better(a, b)
            news.append(revision("merge", [other["id"]], by, why, other=kept["id"], evidence=places))
        return news

    def _later(self, item: Open, by: str, why: str) -> dict[str, Any]:
        """Put a question off: a date on each fact it is about, so that other devices do not ask meanwhile, and undo works."""
        until = (date.fromisoformat(self.desk.today) + timedelta(days=LATER_DAYS)).isoformat()
        changes = [
            {"id": fact["id"], "field": "review_at", "before": fact.get("review_at"), "after": until}
            for fact in item.facts
        ]
        idents = [fact["id"] for fact in item.facts]
        told = why or f"put off until {until}"
        return revision("correct", idents, by, told, changes=changes, evidence=[place(fact) for fact in item.facts])

    def _rule_lines(self, forget: bool, by: str, why: str) -> dict[str, Any]:
        """Answer what facts.jsonl asks. What is to go is forgotten like anything else: one undo brings it back."""
        runtime = self.desk.runtime
        keep: Literal["file", "ours"] = "file" if forget else "ours"
        runtime.facts.resolve(keep)
        gone = runtime.facts.forgotten() if forget else []
        told = why or "its line was missing from facts.jsonl, and was meant to be"
        made = runtime.sync.decisions.record(*({**intake.forgetting(f), "by": by, "why": told} for f in gone))
        for fact in gone:
            runtime.sync.outbox.history.forget(fact)
        runtime.sync.adopt_facts(runtime.facts.facts)
        runtime.facts.acknowledge(fact.id for fact in gone)
        runtime.write_facts()
        return self.desk.followed(made)


AT_SHOWN: Final = 20
"""Sides of a question that are shown; only a question about lines can have more than two."""


def _as_one(last: Record) -> bool:
    """Whether what a revision did to several records is one question: a source that was set aside, or one such put off."""
    several = len(last.get("subjects") or ()) > 1
    return several and ((last.get("kind") == "quarantine" and "check" in last) or last.get("kind") == "correct")


def _ident(kind: ReviewKind, parts: Sequence[str]) -> str:
    told = "\x1f".join([kind, *parts])
    return "q_" + hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def _day(record: Record) -> str:
    """When a fact was said, as far as known: what is older is compared by this. Undated is last."""
    return str(record.get("created_at") or record.get("valid_from") or "9999")


def _side(record: Record, standing: Standing) -> dict[str, Any]:
    return {
        "id": record["id"],
        "fact": record["fact"],
        "note": record["source"],
        "line": record["line"],
        "quote": record["quote"],
        "date": record.get("created_at") or record.get("valid_from"),
        "state": standing.state,
        "private": bool(record.get("private")),
    }
