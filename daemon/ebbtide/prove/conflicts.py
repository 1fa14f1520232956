"""The batch exams of contradictions: every pair of notes the patrol flags, and verdicts on pairs of texts (formats.md 7).

Nothing under the vault is created, changed or removed. Facts come from the index, so that slots are known; sentences from the
notes themselves, for what no fact was made of. The same vault gives the same flags.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ebbtide.memory import codec
from ebbtide.memory.conflict import judge
from ebbtide.memory.conflict_claim import Claim
from ebbtide.memory.conflict_pairs import Pair
from ebbtide.memory.conflict_patrol import Flag, patrol
from ebbtide.memory.errors import VaultError
from ebbtide.memory.records import Fact, Note
from ebbtide.memory.states import BOOKKEEPING
from ebbtide.parse.claims import in_slot, read_claim
from ebbtide.parse.date_rules import DATED_NAME
from ebbtide.parse.dates import note_date
from ebbtide.parse.fact_text import only_link, plain
from ebbtide.parse.note import parse_note
from ebbtide.parse.sentences import sentences
from ebbtide.prove.nearness import open_nearness
from ebbtide.prove.rows import read_rows, write_rows
from ebbtide.runtime import Places, Runtime, open_runtime
from ebbtide.serve.service import Service, told

Say = Callable[[str], None]

_LINK = re.compile(r"https?://\S+")
_FIELD = re.compile(r"[\s\-*(\[]*[\w \-]{1,40}::\s")
"""An inline field is a property: of the note it stands in, unless a fact knows better."""
_LEAD_LINK = re.compile(r"\W*\[+[^\]\n]{1,200}\]+(?:\([^)\n]*\))?\W*(?:$|\n)")
"""A line that is a link and nothing else names a thing; it says nothing."""

SENTENCES = 40
"""Sentences of a note that are compared."""
READ = ("paragraph", "list_item", "callout", "table_row")
NEIGHBOURS, NEAR_AT = 3, 0.6
"""Passages nearest to a passage that are looked at, and how near they must be."""


def conflicts(vault: Path, out: Path, vectors: bool = True, progress: Say = lambda _: None) -> dict[str, Any]:
    """Flag the contradictions of a vault: a line each, {a, b, kind, ruling, a_line, b_line, score, reason, reason_zh}.

    `vectors`: ask the local model about spans that may be paraphrases, and use the vectors that are there already.
    """
    runtime = open_runtime(vault, read_only=True)
    try:
        Service(runtime).catch_up(vectors=False, progress=told(progress))
        claims, found = flagged(runtime, vectors and runtime.config.embed.enabled, progress)
    finally:
        runtime.close()
    rows = []
    for flag in found:
        a, b, verdict = claims[flag.a], claims[flag.b], flag.verdict
        rows.append(
            {
                "a": a.note,
                "b": b.note,
                "kind": verdict.kind,
                "ruling": verdict.ruling,
                "a_line": a.line,
                "b_line": b.line,
                "score": verdict.score,
                "reason": verdict.reason,
                "reason_zh": verdict.reason_zh,
            }
        )
    write_rows(out, rows)
    kinds = Counter(row["kind"] for row in rows)
    return {"out": str(out), "claims": len(claims), "flags": len(rows), "kinds": dict(sorted(kinds.items()))}


def flagged(runtime: Runtime, vectors: bool, progress: Say = lambda _: None) -> tuple[list[Claim], list[Flag]]:
    """The claims of an opened vault, and which of them the patrol flags, strongest first; `vectors` as in `conflicts`."""
    claims = list(_claims(runtime))
    progress(f"claims {len(claims)}")
    near = open_nearness(runtime.places.models, runtime.config.embed.model or "") if vectors else None
    found = patrol(
        claims,
        _neighbours(runtime, claims) if vectors else (),
        near,
        lambda done, total: progress(f"pairs {done}/{total}"),
    )
    return claims, found


def pairs(given: Path, out: Path, vectors: bool = True, progress: Say = lambda _: None) -> dict[str, Any]:
    """Judge pairs of texts ({id, a, b} a line) into lines of `out`: {id, contradiction, kind, score}.

    Raises BadRequest naming the line that is no pair; `out` is written whole or not at all.
    """
    asked = list(_pairs(given))
    near = open_nearness(Places.of(os.environ).models) if vectors else None
    rows = []
    for number, (ident, a, b) in enumerate(asked, 1):
        verdict = judge(read_claim(a), read_claim(b), near)
        rows.append(
            {"id": ident, "contradiction": verdict.conflict, "kind": verdict.kind, "score": round(verdict.score, 4)}
        )
        if number % 200 == 0 or number == len(asked):
            progress(f"pairs {number}/{len(asked)}")
    write_rows(out, rows)
    return {"out": str(out), "pairs": len(rows), "contradictions": sum(row["contradiction"] for row in rows)}


# --- reading ----------------------------------------------------------------------------------------------------------


def _claims(runtime: Runtime) -> Iterator[Claim]:
    """The sentences of every note that may be remembered, with what facts know of them; by path and line."""
    facts: defaultdict[str, list[Fact]] = defaultdict(list)
    for _, record in runtime.catalog.all_facts():
        fact = codec.fact_from_dict(json.loads(record))
        facts[fact.source].append(fact)
    for path, row in sorted(runtime.catalog.files().items()):
        if row.kind != "note" or row.status != "indexed" or row.reason:
            continue
        try:
            note = parse_note(path, runtime.store.read(path).text)
        except VaultError:
            continue  # it went since it was indexed
        if note.remembered:
            yield from _sentences(note, facts.get(path, []))


def _sentences(note: Note, facts: Sequence[Fact]) -> Iterator[Claim]:
    at = defaultdict(list)
    for fact in facts:
        if (fact.attribute or "").casefold() not in BOOKKEEPING:
            at[fact.line].append(fact)
    day = note_date(note.properties, note.path)
    dated = bool(DATED_NAME.search(note.path.rsplit("/", 1)[-1]))
    count = 0
    for unit in note.units:
        if unit.kind not in READ or unit.foreign:
            continue
        raw = note.text[unit.start : unit.end]
        for start, end in sentences(raw):
            text = _LINK.sub(" ", plain(raw[start:end])).strip()
            if not text or only_link(raw[start:end].strip()) or _LEAD_LINK.match(raw, start):
                continue
            line = unit.line + raw.count("\n", 0, start)
            claim = read_claim(text, title=note.title, note=note.path, line=line, date=day[0] if day else None)
            claim = replace(claim, record=claim.record or dated)
            own = [f for f in at.get(line, []) if f.quote in raw[start:end] or raw[start:end] in f.quote]
            if not own and _FIELD.match(raw, start):
                continue
            yield in_slot(claim, own[0]) if own else claim
            count += 1
            if count >= SENTENCES:
                return


def _neighbours(runtime: Runtime, claims: Sequence[Claim]) -> list[Pair]:
    """Claims in passages that lie near each other, as far as the vault was embedded before."""
    if not runtime.open_model() or runtime.vectors is None or not len(runtime.near["passages"]):
        return []
    near, catalog = runtime.near["passages"], runtime.catalog
    inside: defaultdict[int, list[int]] = defaultdict(list)
    spans: dict[str, list[tuple[int, int]]] = {}
    for path, row in catalog.files().items():
        if row.kind == "note":
            spans[path] = [(p.line, p.row) for p in catalog.passages_of(row.row)]
    for index, claim in enumerate(claims):
        before = [label for line, label in spans.get(claim.note, []) if line <= claim.line]
        if before:
            inside[before[-1]].append(index)
    out: set[Pair] = set()
    for label, lang, key in catalog.keys("passages", ready=True):
        vector = runtime.vectors.get([key]).get(key)
        if vector is None:
            continue
        centred = vector.astype(np.float32) - near.means.get(lang, np.zeros(near.dims, np.float32))
        centred /= max(float(np.linalg.norm(centred)), 1e-9)
        for hit in near.search(centred, NEIGHBOURS + 1):
            if hit.label != label and hit.cosine >= NEAR_AT:
                out.update(_best(claims, inside.get(label, []), inside.get(hit.label, [])))
    return sorted(out)


def _best(claims: Sequence[Claim], left: Sequence[int], right: Sequence[int]) -> Iterator[Pair]:
    """For each claim of one passage the one of the other that shares most words with it."""
    for i in left:
        shared = [(len(claims[i].words & claims[j].words), -j) for j in right]
        if shared and max(shared)[0]:
            j = -max(shared)[1]
            yield (i, j) if i < j else (j, i)


def _pairs(path: Path) -> Iterator[tuple[str, str, str]]:
    def read(record: Any) -> tuple[str, str, str]:
        return record["id"], str.strip(record["a"]), str.strip(record["b"])

    return read_rows(path, "not a pair", '{"id": ..., "a": ..., "b": ...}', read)
