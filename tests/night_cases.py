"""Candidates and core memories for the tests of a night's rules."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ebbtide.memory.states import Lang
from ebbtide.parse.text import language
from ebbtide.sleep.core_note import NewCore, claim_of, written
from ebbtide.sleep.nights import Candidate, Core, CoreMemory, Quote
from ebbtide.sleep.planning import digest

TODAY = "2026-03-10"
FOLDER = "Memory"

SPLIT = "I realised that estimates get better once we split the work before planning."
SPLIT_TOO = "Estimates get better once I split the work before planning it."
SPLIT_ZH = "我发现先把工作拆小再计划，估算会准很多。"
FRIDAY = "Never deploy the service on a Friday evening."


def candidate(text: str, note: str = "Work/2026-03-09.md", day: str = "2026-03-09", **more: Any) -> Candidate:
    """A candidate that says these sentences, one a line."""
    lang: Lang = language(text)
    quotes = tuple(Quote(note, number, line) for number, line in enumerate(text.split("\n"), 3))
    values: dict[str, Any] = {
        "key": f"c_{note}",
        "id": f"n_{note}",
        "note": note,
        "title": note.rpartition("/")[2].removesuffix(".md"),
        "day": day,
        "lang": lang,
        "task": note.partition("/")[0],
        "salience": 0.6,
        "parts": {"nov": 1.0, "ins": 1.0, "chg": 0.0, "lnk": 0.0, "rev": 0.0},
        "why": ("it is new",),
        "quotes": quotes,
    }
    return Candidate(**{**values, **more})


def memory(claim: str, name: str = "A", **more: Any) -> CoreMemory:
    """A core memory that Ebbtide wrote."""
    place = Quote("Old/note.md", 3, claim, "2026-01-05")
    private = bool(more.get("private"))
    text = written(NewCore("principle", claim, "2026-01-06", language(claim), [place], private=private))
    path = f"{FOLDER}/core/principles/{name}.md"
    values: dict[str, Any] = {
        "id": f"n_{name}",
        "path": path,
        "title": name,
        "type": "principle",
        "claim": claim_of(text, name),
        "text": text,
        "digest": digest(text),
        "lang": language(claim),
        "day": "2026-01-06",
        "ours": True,
        "notes": frozenset(["Old/note.md"]),
    }
    return CoreMemory(**{**values, **more})


def core(*memories: CoreMemory) -> Core:
    """A snapshot of these."""
    paths = frozenset(m.path.lower() for m in memories)
    return Core(tuple(sorted(memories, key=lambda m: m.path)), paths)


SENTENCES = st.sampled_from(
    [
        SPLIT,
        SPLIT_TOO,
        SPLIT_ZH,
        FRIDAY,
        "Deploy the service on a Friday evening.",
        "It rained.",
        "From now on we walk at noon.",
        "?",
        "",
    ]
)
CANDIDATES = st.lists(
    st.builds(
        candidate,
        SENTENCES,
        st.sampled_from(["A/1.md", "A/2.md", "B/1.md", "C/1.md"]),
        st.sampled_from(["2026-03-07", "2026-03-08", "2026-03-09"]),
        salience=st.sampled_from([0.4, 0.6, 0.9]),
        private=st.booleans(),
        machine=st.booleans(),
    ),
    max_size=6,
    unique_by=lambda one: one.note,
)
