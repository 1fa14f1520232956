"""The chain cases are what they claim to be: links lead from note to note, and no word of the question leads to the far ones.

What the chains score is told by `python -m tests.bench.chains`; here only the data are held to their rules.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.chains import CLIPS, DATA, HUB, cases, in_order, prepared, score
from ebbtide.memory.records import Note
from ebbtide.parse.canvas import parse_canvas
from ebbtide.parse.links import NameIndex, resolve_link
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import is_cjk, pairs, query_terms, tokenize

CASES = cases()
ANSWERED = [case for case in CASES if not case.get("none")]
VAULTS = sorted({case["vault"] for case in CASES})

FRAMES = ("为什么", "后来怎么样了", "why", "what came of", "what became of")
"""What makes a sentence a question, not what it asks about."""

BROKEN = {"Harbour permit 2025", "硬盘损坏 2025", "会说话的猫"}
"""Links that go nowhere on purpose."""

LISTS = {"Home.md", "Index.md", "首页.md", HUB}


def named(case: dict[str, Any]) -> str:
    return str(case["id"])


def words_of(text: str) -> set[str]:
    """The content words of a text, reduced forms too. A single Han character is no word here: its pairs count."""
    return {token.text for token in tokenize(text) if len(token.text) > 1 or not is_cjk(token.text)}


def content(query: str) -> set[str]:
    """The content words and pairs of a question without its frame."""
    bare = query
    for frame in FRAMES:
        bare = bare.replace(frame, " ").replace(frame.capitalize(), " ")
    terms = query_terms(bare)
    return {term for term in (*terms.words, *terms.pairs) if len(term) > 1 or not is_cjk(term)}


def written(vault: str, path: str) -> str:
    """All by which a note can be found: its path and its text."""
    return f"{path}\n{(DATA / vault / path).read_text('utf-8')}"


def shared(case: dict[str, Any], path: str) -> set[str]:
    text = written(case["vault"], path)
    return content(case["query"]) & (words_of(text) | set(pairs(text).split()))


@cache
def notes(vault: str) -> dict[str, Note]:
    folder = DATA / vault
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    out = {}
    for file in files:
        path, text = file.relative_to(folder).as_posix(), file.read_text("utf-8")
        out[path] = (parse_canvas if path.endswith(".canvas") else parse_note)(path, text)
    return out


@cache
def targets(vault: str) -> dict[str, dict[str, str | None]]:
    """By note: each link as written, and the note it means."""
    index = NameIndex([*notes(vault), HUB])
    return {
        path: {link.path: resolve_link(link, note, index).target for link in note.links}
        for path, note in notes(vault).items()
    }


@cache
def edges(vault: str) -> set[tuple[str, str]]:
    """Pairs of linked notes, in the direction in which the link is written; a canvas's labelled edges join its cards."""
    out = {(path, to) for path, links in targets(vault).items() for to in links.values() if to}
    for note in notes(vault).values():
        out |= {(link.from_path, link.path) for link in note.links if link.from_path}
    return out


def neighbours(vault: str, path: str) -> set[str]:
    return {b if a == path else a for a, b in edges(vault) if path in (a, b)}


def day(vault: str, path: str) -> str:
    lines = (DATA / vault / path).read_text("utf-8").splitlines()
    return next((line.removeprefix("date: ") for line in lines if line.startswith("date: ")), "")


def test_there_are_enough_cases_of_every_kind() -> None:
    kinds = Counter(case["kind"] for case in CASES)
    assert len({case["id"] for case in CASES}) == len(CASES) >= 40
    assert min(kinds[kind] for kind in ("typed", "prose", "backlink", "mixed")) >= 6
    traps = "cycle broken hub code negation hypothetical quote superseded asof none weak"
    assert {f"trap-{trap}" for trap in traps.split()} == {kind for kind in kinds if kind.startswith("trap-")}
    assert {len(case["chain"]) for case in ANSWERED} == {2, 3, 4}
    assert {case["lang"] for case in CASES} == {"zh", "en", "mixed"}
    directions = Counter(case["direction"] for case in CASES)
    assert set(directions) == {"back", "forward"}
    assert min(directions.values()) >= 10


def test_the_halves_are_balanced_in_every_kind_and_language() -> None:
    halves = Counter(case["half"] for case in CASES)
    assert set(halves) == {"shown", "held"}
    assert abs(halves["shown"] - halves["held"]) <= 1
    for kind in {case["kind"] for case in CASES}:
        counts = Counter(case["half"] for case in CASES if case["kind"] == kind)
        assert abs(counts["shown"] - counts["held"]) <= 1, kind
    for lang in ("zh", "en", "mixed"):
        counts = Counter(case["half"] for case in CASES if case["lang"] == lang)
        assert min(counts["shown"], counts["held"]) >= 0.3 * (counts["shown"] + counts["held"]), lang


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_case_names_notes_that_are_there(case: dict[str, Any]) -> None:
    known = {*notes(case["vault"]), HUB}
    named_ones = [*case["chain"], *case.get("superseded", ()), *case.get("forbidden", ())]
    assert {*named_ones, case.get("subject", HUB)} <= known
    assert len(set(case["chain"])) == len(case["chain"])
    assert set(case.get("superseded", ())) <= set(case["chain"])
    assert not set(case.get("forbidden", ())) & set(case["chain"])


@pytest.mark.parametrize("case", ANSWERED, ids=named)
def test_far_notes_share_no_word_with_the_question(case: dict[str, Any]) -> None:
    near = case.get("near", 1)
    assert {path: shared(case, path) for path in case["chain"][near:] if shared(case, path)} == {}


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_first_note_is_the_one_that_words_find(case: dict[str, Any]) -> None:
    first = case["chain"][0] if case["chain"] else case["subject"]
    counts = {path: len(shared(case, path)) for path, note in notes(case["vault"]).items() if note.text}
    assert counts[first] >= 2
    assert counts[first] == max(counts.values())


@pytest.mark.parametrize("case", CASES, ids=named)
def test_other_notes_share_words_with_the_question_too(case: dict[str, Any]) -> None:
    others = set(notes(case["vault"])) - set(case["chain"]) - LISTS - {case.get("subject")}
    assert sum(bool(shared(case, path)) for path in others) >= 2


@pytest.mark.parametrize("case", ANSWERED, ids=named)
def test_links_lead_along_the_chain_and_nowhere_past_it(case: dict[str, Any]) -> None:
    chain = case["chain"]
    for here, there in pairwise(chain):
        assert there in neighbours(case["vault"], here), (here, there)
    assert not [b for b in chain[2:] if b in neighbours(case["vault"], chain[0])] or case["kind"] == "trap-cycle"


@pytest.mark.parametrize("case", [case for case in CASES if case.get("none")], ids=named)
def test_where_nothing_connects_only_lists_and_broken_links_touch_the_subject(case: dict[str, Any]) -> None:
    assert neighbours(case["vault"], case["subject"]) <= LISTS


@pytest.mark.parametrize("case", [case for case in CASES if case["kind"] == "trap-code"], ids=named)
def test_a_link_in_code_is_no_link(case: dict[str, Any]) -> None:
    subject = case["chain"][0] if case["chain"] else case["subject"]
    tempting = case["forbidden"][0]
    assert f"[[{Path(tempting).stem}]]" in written(case["vault"], subject)
    assert tempting not in neighbours(case["vault"], subject)


@pytest.mark.parametrize("case", [case for case in CASES if "as_of" in case], ids=named)
def test_what_came_later_is_dated_after_the_day_asked_for(case: dict[str, Any]) -> None:
    assert all("" < day(case["vault"], path) <= case["as_of"] for path in case["chain"])
    assert all(day(case["vault"], path) > case["as_of"] for path in case["forbidden"])


@pytest.mark.parametrize("vault", VAULTS)
def test_links_resolve_except_those_that_are_broken_on_purpose(vault: str) -> None:
    assert 40 <= len(notes(vault)) <= 80
    lost = {name for links in targets(vault).values() for name, to in links.items() if to is None}
    assert lost <= BROKEN


def test_every_broken_link_is_somewhere() -> None:
    lost = {name for v in VAULTS for links in targets(v).values() for name, to in links.items() if to is None}
    assert lost == BROKEN


@pytest.mark.parametrize("vault", VAULTS)
def test_the_index_note_links_all_notes(vault: str) -> None:
    (index,) = LISTS & set(notes(vault))
    assert neighbours(vault, index) >= {path for path in notes(vault) if path.endswith(".md")} - {index}


@pytest.mark.parametrize("file", sorted(DATA.rglob("*.canvas")), ids=lambda file: file.name)
def test_a_canvas_is_sound(file: Path) -> None:
    vault, text = file.relative_to(DATA).parts[0], file.read_text("utf-8")
    note = parse_canvas(file.name, text)
    assert not note.problems
    cards = [node["file"] for node in json.loads(text)["nodes"] if node["type"] == "file"]
    assert set(cards) <= set(notes(vault))
    assert sum(bool(link.relation) for link in note.links) == 1


@pytest.mark.parametrize("vault", VAULTS)
def test_the_runner_adds_a_hub_of_two_hundred_links(vault: str, tmp_path: Path) -> None:
    folder = prepared(vault, tmp_path / "vault")
    hub = parse_note(HUB, (folder / HUB).read_text("utf-8"))
    index = NameIndex(file.relative_to(folder).as_posix() for file in folder.rglob("*.md"))
    assert len({resolve_link(link, hub, index).target for link in hub.links} - {None}) == CLIPS == 200


def test_order_is_that_of_a_subsequence() -> None:
    assert in_order("ac", "abc")
    assert not in_order("ca", "abc")
    assert not in_order("ad", "abc")


def test_a_case_is_scored_by_its_chain() -> None:
    case = {"kind": "trap-quote", "chain": ["a", "b"], "forbidden": ["x"]}
    ranked = {"ranked": ["a", "p", "q", "r", "s", "b"]}
    rows = {"why": {"ranked": ["a", "b"], "chain": ["a", "c", "b"]}, "ask": ranked, "no graph": {"ranked": ["a"]}}
    good = score(case, rows)
    assert good.right
    assert (good.precision, good.recall) == (2 / 3, 1.0)
    assert [good.all_at[arm, 5] for arm in rows] == [True, False, False]
    assert [good.all_at[arm, 10] for arm in rows] == [True, True, False]
    assert not score(case, rows | {"why": {"ranked": [], "chain": ["a", "x", "b"]}}).right
    assert not score(case, rows | {"why": {"ranked": [], "chain": ["b", "a"]}}).right
    weak = case | {"kind": "trap-weak"}
    assert score(weak, rows | {"why": {"ranked": [], "chain": ["a", "b"], "kind": "path"}}).right
    assert not score(weak, rows | {"why": {"ranked": [], "chain": ["a", "b"], "kind": "typed"}}).right


def test_a_superseded_step_must_be_marked_where_the_result_tells() -> None:
    case = {"kind": "trap-superseded", "chain": ["a", "b"], "superseded": ["b"]}
    rest = {arm: {"ranked": []} for arm in ("ask", "no graph")}
    for marked, right in ((["b"], True), ([], False), (None, True)):
        why = {"ranked": [], "chain": ["a", "b"]} | ({} if marked is None else {"superseded": marked})
        assert score(case, rest | {"why": why}).right is right


def test_saying_nothing_is_right_only_where_nothing_connects() -> None:
    rows = {arm: {"ranked": [], "chain": []} for arm in ("why", "ask", "no graph")}
    assert score({"kind": "trap-none", "chain": [], "none": True}, rows).right
    silent = score({"kind": "typed", "chain": ["a", "b"]}, rows)
    assert not silent.right
    assert silent.precision is None
