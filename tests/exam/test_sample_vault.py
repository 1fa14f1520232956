"""The sample vault sits an exam: recall floors in both languages and across them, and a vault that is left as it was.

The floors stand well below what was measured (21 of 24 in the first three), so that they catch a broken channel, not noise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ebbtide.memory.errors import BadRequest
from ebbtide.prove import exam

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "tests" / "data" / "sample_questions.json").read_text(encoding="utf-8"))
QUESTIONS = [*CASES["demo"], *CASES["questions"]]

pytestmark = pytest.mark.xdist_group("sample-exam")


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Cache and state of their own, kept over the module so that the vault is embedded once."""
    base = tmp_path_factory.mktemp("exam")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EBBTIDE_CACHE", str(base / "cache"))
        patch.setenv("EBBTIDE_STATE", str(base / "state"))
        patch.setenv("EBBTIDE_CONFIG", str(base / "config.toml"))
        yield base


def run(base: Path, questions: list[dict[str, object]], **options: bool) -> dict[str, dict[str, object]]:
    asked, out = base / "q.jsonl", base / "r.jsonl"
    asked.write_text("".join(json.dumps(q, ensure_ascii=False) + "\n" for q in questions), encoding="utf-8")
    exam.ask(ROOT / "sample-vault", asked, out, **options)
    return {row["id"]: row for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}


@pytest.fixture(scope="module")
def answers(places: Path) -> dict[str, dict[str, object]]:
    before = fingerprint(ROOT / "sample-vault")
    rows = run(places, [{"id": str(i), "query": q["query"]} for i, q in enumerate(QUESTIONS)])
    assert fingerprint(ROOT / "sample-vault") == before
    return rows


def place(answers: dict[str, dict[str, object]], number: int) -> int:
    ranked = answers[str(number)]["ranked"]
    assert isinstance(ranked, list)
    note = QUESTIONS[number]["note"]
    return ranked.index(note) + 1 if note in ranked else 1000


def test_the_right_note_is_among_the_first_three(answers: dict[str, dict[str, object]]) -> None:
    hits = sum(place(answers, i) <= 3 for i in range(len(QUESTIONS)))
    assert hits >= 18


def test_what_failed_last_time_is_among_the_first_three(places: Path) -> None:
    """Measured 22 of 28 and, where a word for failure is no question for one, 11 of 12."""
    cases = json.loads((ROOT / "tests" / "data" / "episode_questions.json").read_text(encoding="utf-8"))
    for part, least in (("questions", 20), ("controls", 10)):
        rows = run(places, [{"id": str(i), "query": q["query"]} for i, q in enumerate(cases[part])])
        ranked = [rows[str(i)]["ranked"] for i in range(len(cases[part]))]
        hits = sum(
            q["note"] in notes[:3] for q, notes in zip(cases[part], ranked, strict=True) if isinstance(notes, list)
        )
        assert hits >= least, part


@pytest.mark.parametrize("number", range(3))
def test_the_questions_of_the_demonstration_are_answered_first(
    answers: dict[str, dict[str, object]], number: int
) -> None:
    assert place(answers, number) == 1


def test_every_ranking_has_at_least_ten_distinct_notes(answers: dict[str, dict[str, object]]) -> None:
    for row in answers.values():
        ranked = row["ranked"]
        assert isinstance(ranked, list)
        assert len(ranked) >= 10
        assert len(ranked) == len(set(ranked))


def test_what_may_not_be_remembered_is_never_ranked(answers: dict[str, dict[str, object]]) -> None:
    ranked = {path for row in answers.values() for path in row["ranked"]}  # type: ignore[attr-defined] # checked above
    assert not [p for p in ranked if p.startswith("Excluded/") or p in ("Start Here.md", "Scratch/Gift Ideas.md")]


def test_the_same_questions_give_the_same_results(places: Path, answers: dict[str, dict[str, object]]) -> None:
    again = run(places, [{"id": "0", "query": QUESTIONS[0]["query"]}])
    assert again["0"]["ranked"] == answers["0"]["ranked"]


def test_scope_and_day_limit_what_is_ranked(places: Path, answers: dict[str, dict[str, object]]) -> None:
    asked = {"query": "sync", "scope": "Projects/Mosslog/Decisions/", "as_of": "2026-01-15"}
    rows = run(places, [{"id": "in", **asked}, {"id": "nowhere", "query": "sync", "scope": "No/Such/Folder/"}])
    inside = rows["in"]["ranked"]
    assert isinstance(inside, list)
    assert inside
    assert all(path.startswith("Projects/Mosslog/Decisions/") for path in inside)
    assert not any("ADR-007" in path for path in inside)
    assert rows["nowhere"]["ranked"] == []
    unscoped = run(places, [{"id": "in", **asked}], no_scope=True)["in"]["ranked"]
    assert isinstance(unscoped, list)
    assert any(not path.startswith("Projects/Mosslog/Decisions/") for path in unscoped)


@pytest.mark.parametrize("line", ["not json", '{"id": 1}', '{"id": 1, "query": 7}', "[]"])
def test_a_line_that_is_no_question_is_named(places: Path, line: str) -> None:
    asked = places / "bad.jsonl"
    asked.write_text('{"id": "ok", "query": "x"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(BadRequest, match="bad.jsonl:2"):
        exam.ask(ROOT / "sample-vault", asked, places / "bad-out.jsonl")
    assert not (places / "bad-out.jsonl").exists()
