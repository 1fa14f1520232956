"""Two copies of a vault that meet: each surprise that the state machine of test_two_devices.py found, step by step."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import Place

POND = "# Pond\n\nThe pond cost 400 EUR in 2026-05.\n\nWe decided to plant lilies instead of reeds in 2026-04.\n"


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Place, Place]]:
    """Two devices that hold the same vault and have read it."""
    for name in ("one", "two"):
        (tmp_path / name / "vault").mkdir(parents=True)
    one, other = Place(tmp_path / "one"), Place(tmp_path / "two")
    read(one.fill({"Pond.md": POND, "Other.md": "# Other\n\nThe lamp cost 30 EUR in 2026-05.\n"}))
    carry(one, other)
    read(other)
    carry(other, one)
    yield one, other


def read(place: Place) -> dict[str, Any]:
    """Open, compare, write, close; the ids of notes and the facts as the index has them."""
    with place.opened() as service:
        catalog = service.runtime.catalog
        return {
            "ids": {path: row.id for path, row in catalog.files().items() if path.endswith(".md")},
            "facts": {ident: json.loads(record) for ident, record in catalog.all_facts()},
        }


def carry(source: Place, target: Place, *, only: str = "") -> None:
    """Make the other copy the same (or only some of its files), as a sync program does when one side alone has changed."""
    theirs = {p.relative_to(target.vault) for p in target.vault.rglob("*") if p.is_file()}
    ours = {p.relative_to(source.vault) for p in source.vault.rglob("*") if p.is_file()}
    for path in sorted(ours | theirs):
        if not path.as_posix().startswith(only):
            continue
        if path in ours:
            (target.vault / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source.vault / path, target.vault / path)
        elif not path.as_posix().startswith("Memory/revisions/"):
            (target.vault / path).unlink()


def test_a_note_keeps_its_id_on_a_device_that_saw_only_its_new_name(two: tuple[Place, Place]) -> None:
    one, other = two
    before = read(one)["ids"]["Pond.md"]
    (one.vault / "Pond.md").rename(one.vault / "Water.md")
    shutil.rmtree(other.base / "cache")
    carry(one, other)  # before the rename was noticed anywhere
    assert read(other)["ids"]["Water.md"] != before
    assert read(one)["ids"]["Water.md"] == before
    carry(one, other, only="Memory/revisions")
    found = read(other)
    assert found["ids"]["Water.md"] == before
    with other.opened() as service:
        assert service.recall("lilies instead of reeds")["notes"][:1] == ["Water.md"]
        checks = {check["name"]: check["ok"] for check in service.doctor()["checks"]}
        assert checks["keyword index"]


def test_what_another_device_took_out_is_forgotten_by_nobody(two: tuple[Place, Place]) -> None:
    one, other = two
    one.write("New.md", "# New\n\nThe kite cost 10 EUR in 2026-05.\n")
    read(one)
    (one.vault / "New.md").unlink()
    read(one)
    carry(one, other)
    read(other)
    (one.vault / "Other.md").unlink()
    read(one)
    carry(one, other, only="Memory/facts.jsonl")  # the note and the revision are still on their way
    read(other)
    carry(one, other, only="Memory/revisions")
    (other.vault / "Other.md").unlink()
    read(other)
    assert other.revisions("forget") == []
    one.write("Other.md", "# Other\n\nThe lamp cost 30 EUR in 2026-05.\n")  # and written again, it is known again
    carry(one, other, only="Other.md")
    assert [f["source"] for f in read(other)["facts"].values()].count("Other.md") == 1


def test_a_merge_does_not_bring_back_what_a_note_says_no_more(two: tuple[Place, Place]) -> None:
    one, other = two
    before = (one.vault / "Memory/facts.jsonl").read_bytes()
    one.write("Pond.md", "# Pond\n\nNothing to say.\n")
    after = read(one)["facts"]
    (one.vault / "Memory/facts.sync-conflict-20261130-120000-ABCDEFG.jsonl").write_bytes(before)
    assert read(one)["facts"] == after == one.facts()
    carry(one, other)
    assert read(other)["facts"] == after == other.facts()


def test_a_line_in_two_notes_does_not_go_to_and_fro(two: tuple[Place, Place]) -> None:
    one, other = two
    said = "# Said\n\nI prefer Postgres over MySQL for the archive.\n"
    one.write("A.md", said)
    read(one)
    other.write("B.md", said)
    read(other)
    for name, place, source in (("A.md", other, one), ("B.md", one, other)):
        shutil.copyfile(source.vault / name, place.vault / name)
    for _ in range(2):
        read(one)
        carry(one, other)
        read(other)
        carry(other, one)
    written = (one.vault / "Memory/facts.jsonl").read_bytes()
    assert read(one)["facts"] == read(other)["facts"] == one.facts()
    assert (
        (one.vault / "Memory/facts.jsonl").read_bytes() == written == (other.vault / "Memory/facts.jsonl").read_bytes()
    )
