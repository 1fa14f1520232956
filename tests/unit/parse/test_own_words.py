"""What a machine wrote into a person's note yields no facts."""

from __future__ import annotations

import pytest

from ebbtide.parse.facts import extract
from ebbtide.parse.note import parse_note
from ebbtide.parse.own_words import written_by_machine
from ebbtide.recall.compose import inject

FACT = "We decided to use SQLite for storage because it is one file."


def facts(text: str) -> list[str]:
    return [draft.fact for draft in extract(parse_note("Storage.md", text))]


@pytest.mark.parametrize(
    "properties",
    [
        "author: Claude",
        "author: [Claude Opus 4.1, ChatGPT]",
        "generated_by: gpt-4o",
        "ai-generated: true",
        "origin: agent",
        "作者: 豆包",
        "author: AI assistant",
    ],
)
def test_a_note_that_names_a_machine_as_its_author(properties: str) -> None:
    note = parse_note("a.md", f"---\n{properties}\n---\n{FACT}\n")
    assert written_by_machine(note)
    assert extract(note) == []


@pytest.mark.parametrize(
    "properties",
    [
        "author: Claude Shannon",
        "author: [Claude, Mara]",
        "author: Ai Weiwei",
        "origin: 杭州",
        "generated: false",
        "x: 1",
    ],
)
def test_people_and_places_are_no_machines(properties: str) -> None:
    note = parse_note("a.md", f"---\n{properties}\n---\n{FACT}\n")
    assert not written_by_machine(note)
    assert extract(note)


def test_what_was_injected_and_pasted_back_is_passed_over() -> None:
    line = inject("when storage is chosen", "use SQLite", FACT, "Storage.md", 12, "2026-03-01", "en")
    assert facts(f"# Log\n\n{line}\n") == []
    assert facts(f"# Log\n\n- {FACT} [Storage.md:12]\n") == []
    assert facts(f"# Log\n\n{FACT}\n\n{line}\n") == facts(f"# Log\n\n{FACT}\n")


def test_a_machines_callout_is_passed_over_and_a_persons_is_not() -> None:
    assert facts(f"# Log\n\n> [!ai] Answer\n> {FACT}\n") == []
    assert facts(f"# Log\n\n> [!note] Mine\n> {FACT}\n")
