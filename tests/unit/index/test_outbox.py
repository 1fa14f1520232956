"""News for the memory folder: each revision once, each fact as it is now, whatever fails or dies in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ebbtide.index.catalog import Catalog, FileRow, NewFact
from ebbtide.index.outbox import Outbox, history_of
from ebbtide.memory import codec, intake
from ebbtide.memory.errors import Problem, VaultError
from ebbtide.memory.records import Fact, FactId


class Clock:
    def __init__(self, at: float = 1_000_000.0) -> None:
        self.at = at

    def now(self) -> float:
        return self.at


class Folder:
    """The memory folder: revisions and facts, which can refuse, or die after writing."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.facts: dict[FactId, Fact] = {}
        self.refuse = False

    def append(self, records: Sequence[Mapping[str, Any]]) -> None:
        if self.refuse:
            raise VaultError("The disk is full.", "Free some space.")
        self.records += [dict(record) for record in records]

    def size(self) -> int:
        return len(self.records)

    def read(self) -> tuple[list[dict[str, Any]], list[Problem]]:
        return list(self.records), []

    def put(self, facts: Iterable[Fact]) -> None:
        self.facts |= {fact.id: fact for fact in facts}

    def drop(self, ids: Iterable[FactId]) -> None:
        for ident in ids:
            self.facts.pop(ident, None)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def fact(number: int, text: str = "") -> Fact:
    ident = FactId(f"f_{number:016x}")
    return Fact(ident, text or f"fact {number}", "a.md", 1, "q", "h", "event", "2026-01-01T00:00:00Z")


def store(catalog: Catalog, *facts: Fact) -> None:
    row = catalog.put_file(FileRow(0, "n_a", "a.md", 1, 2, 3, "d", "note", "indexed"))
    for each in facts:
        record = codec.line(codec.fact_to_dict(each))
        catalog.put_fact(NewFact(row, each.id, record, each.fact, "en", each.fact.encode(), each.type))


def test_what_is_decided_arrives_once_in_order(catalog: Catalog) -> None:
    folder = Folder()
    outbox = Outbox(catalog, folder, folder, Clock())
    with catalog.write():
        for number in range(3):
            outbox.revision(intake.move(f"n_{number}", "a", "b", "how"))
    assert outbox.deliver()
    assert outbox.deliver()
    assert [record["subjects"] for record in folder.records] == [["n_0"], ["n_1"], ["n_2"]]
    times = [record["at"] for record in folder.records]
    assert times == sorted(set(times)), "each a millisecond after the other"
    assert len({record["id"] for record in folder.records}) == 3
    assert all(record["undoes"] is None for record in folder.records)


def test_time_never_runs_backwards(catalog: Catalog) -> None:
    folder = Folder()
    folder.records = [{"id": "r_1", "at": "2030-01-01T00:00:00.000Z", "kind": "move", "changes": []}]
    outbox = Outbox(catalog, folder, folder, Clock(0.0))
    outbox.revision(intake.move("n_0", "a", "b", "how"))
    outbox.deliver()
    assert folder.records[1]["at"] == "2030-01-01T00:00:00.001Z"


def test_a_rollback_takes_the_news_with_it(catalog: Catalog) -> None:
    folder = Folder()
    outbox = Outbox(catalog, folder, folder, Clock())
    with pytest.raises(RuntimeError), catalog.write():
        outbox.revision(intake.move("n_0", "a", "b", "how"))
        outbox.fact(fact(1).id, fact(1))
        raise RuntimeError
    assert outbox.deliver()
    assert (folder.records, folder.facts) == ([], {})


@pytest.mark.parametrize("died", [True, False], ids=["another process", "the same"])
def test_what_was_written_without_a_note_of_it_is_not_written_again(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, died: bool
) -> None:
    folder = Folder()
    outbox = Outbox(catalog, folder, folder, Clock())
    outbox.deliver()
    outbox.revision(intake.move("n_0", "a", "b", "how"))
    with monkeypatch.context() as patch:

        def die(*_: Any) -> None:
            raise VaultError("It died here.")

        patch.setattr(catalog, "delivered", die)
        assert not outbox.deliver()
    assert len(folder.records) == 1
    if died:
        outbox = Outbox(catalog, folder, folder, Clock())
    outbox.revision(intake.move("n_1", "c", "d", "how"))
    assert outbox.deliver()
    assert [record["subjects"] for record in folder.records] == [["n_0"], ["n_1"]]


def test_a_folder_that_refuses_is_named_and_gets_all_of_it_later(catalog: Catalog) -> None:
    folder = Folder()
    outbox = Outbox(catalog, folder, folder, Clock())
    folder.refuse = True
    store(catalog, fact(1))
    outbox.fact(fact(1).id, fact(1))
    outbox.revision(intake.retraction(fact(2)))
    assert not outbox.deliver()
    assert outbox.problem is not None
    assert "full" in outbox.problem.message
    assert list(folder.facts) == [fact(1).id], "what can be written is written"
    folder.refuse = False
    assert outbox.deliver()
    assert outbox.problem is None
    assert len(folder.records) == 1


def test_facts_arrive_as_they_are_when_they_are_delivered(catalog: Catalog) -> None:
    folder = Folder()
    store(catalog, fact(1, "first"), fact(2), fact(3))
    reading = Outbox(catalog, None, folder, Clock())  # a vault opened for reading: everything waits
    for number in (1, 2, 3):
        reading.fact(fact(number).id, fact(number))
    assert reading.deliver()
    assert folder.facts == {}
    store(catalog, fact(1, "second"))
    catalog.remove_facts([fact(3).id])
    writing = Outbox(catalog, folder, folder, Clock())
    folder.facts[fact(3).id] = fact(3)
    writing.fact(fact(3).id)
    assert writing.deliver()
    assert {ident: one.fact for ident, one in folder.facts.items()} == {fact(1).id: "second", fact(2).id: "fact 2"}


def test_the_history_knows_renames_and_what_is_to_be_forgotten() -> None:
    moved = [
        {"id": "r_1", "at": "1", **intake.move("n_a", "a.md", "b.md", "")},
        {"id": "r_2", "at": "2", **intake.move("n_a", "b.md", "c.md", "")},
        {"id": "r_3", "at": "3", **intake.move("n_b", "x.md", "b.md", "")},
        {"id": "r_4", "at": "4", **intake.forgetting(fact(1, "The Gate is shut."))},
        {"id": "r_5", "at": "5", **intake.forgetting(fact(2, "undone"))},
        {"id": "r_6", "at": "6", "kind": "restore", "undoes": "r_5", "changes": []},
    ]
    history = history_of(list(reversed(moved)))
    assert history.ids == {"c.md": "n_a", "b.md": "n_b"}
    assert history.owners == {"n_a": "c.md", "n_b": "b.md"}
    assert list(history.forgotten.values()) == [fact(1).id]


def test_what_this_device_decides_holds_for_it_before_it_is_delivered(catalog: Catalog) -> None:
    folder = Folder()
    writing = Outbox(catalog, None, folder, Clock())
    assert writing.history.ids == {}
    with catalog.write():
        writing.revision(intake.move("n_a", "a.md", "b.md", ""))
        gone = writing.revision(intake.forgetting(fact(1, "The Gate is shut.")))
    for _ in range(2):
        assert (writing.history.ids, list(writing.history.forgotten.values())) == ({"b.md": "n_a"}, [fact(1).id])
        writing.forget_history()
    assert folder.records == []
    with catalog.write():
        writing.revision({"kind": "restore", "subjects": [fact(1).id], "undoes": gone["id"]})
    assert writing.history.forgotten == {}
