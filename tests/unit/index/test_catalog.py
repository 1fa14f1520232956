"""The catalogue: rows that keep their labels, counts that stay true, transactions, and work that does not grow with the vault."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ebbtide.index.catalog import Catalog, FileRow, NewFact, NewLink, NewPassage
from ebbtide.index.database import is_damage
from ebbtide.memory.errors import IndexDamaged
from support import Place
from tiny import story


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


def file(path: str, **more: Any) -> FileRow:
    return replace(FileRow(0, f"n_{path}", path, 1, 2, 3, f"d_{path}", "note", "indexed"), **more)


def passages(*texts: str) -> list[NewPassage]:
    return [
        NewPassage(f"p_{n}", n, "", n + 1, 0, len(text), text, "en", text, text.encode().ljust(16)[:16])
        for n, text in enumerate(texts)
    ]


def fact(row: int, ident: str, text: str = "") -> NewFact:
    text = text or ident
    return NewFact(row, ident, f'{{"id":"{ident}","fact":"{text}"}}', text, "en", text.encode().ljust(16)[:16], "event")


# --- rows and labels ----------------------------------------------------------------------------------------------------


def test_the_passages_of_several_files_come_by_label(catalog: Catalog) -> None:
    one, two, three = (catalog.put_file(file(path)) for path in ("a.md", "b.md", "c.md"))
    for row, texts in ((two, ("x", "y")), (one, ("z",)), (three, ("w",))):
        catalog.put_passages(row, [replaced._replace(id=f"{row}-{replaced.id}") for replaced in passages(*texts)])
    assert [p.text for p in catalog.passages_of_files([one, two])] == ["x", "y", "z"]
    assert {p.row for p in catalog.passages_of_files([one])} == {p.row for p in catalog.passages_of(one)}
    assert catalog.passages_of_files([]) == []


def test_a_passage_whose_text_stays_keeps_its_label_whatever_its_place(catalog: Catalog) -> None:
    row = catalog.put_file(file("a.md"))
    assert catalog.put_passages(row, passages("one", "two", "three")) == []
    labels = {p.text: p.row for p in catalog.passages_of(row)}
    catalog.mark_ready(("passages", label) for label in labels.values())
    gone = catalog.put_passages(row, passages("three", "new", "one", "one"))
    assert gone == [labels["two"]]
    now = catalog.passages_of(row)
    assert [(p.ordinal, p.text, p.ready) for p in now] == [
        (0, "three", True),
        (1, "new", False),
        (2, "one", True),
        (3, "one", False),
    ]
    assert (now[0].row, now[2].row) == (labels["three"], labels["one"])
    assert now[1].row > max(labels.values()), "a label is never used again"


def test_labels_are_not_used_again_even_when_the_last_was_removed(catalog: Catalog) -> None:
    row = catalog.put_file(file("a.md"))
    catalog.put_passages(row, passages("one"))
    (first,) = catalog.passages_of(row)
    catalog.put_passages(row, [])
    catalog.put_passages(row, passages("two"))
    assert catalog.passages_of(row)[0].row > first.row


def test_a_fact_keeps_its_label_until_its_text_changes(catalog: Catalog) -> None:
    row = catalog.put_file(file("a.md"))
    assert catalog.put_fact(fact(row, "f_1", "first")) == (None, None)
    ((label, _, record),) = catalog.facts_of(row)
    assert catalog.put_fact(fact(row, "f_1", "first")) == (None, record)
    assert catalog.put_fact(fact(row, "f_1", "second")) == (label, record)
    assert catalog.facts_of(row)[0][0] != label
    catalog.put_evidence("f_1", ["b.md", "c.md"])
    assert catalog.evidence_of("b.md") == ["f_1"]
    assert catalog.remove_facts(["f_1", "f_none"]) == [
        catalog.keys("facts")[0][0] if catalog.keys("facts") else label + 1
    ]
    assert catalog.evidence_of("b.md") == []


def test_marking_what_is_gone_says_so(catalog: Catalog) -> None:
    row = catalog.put_file(file("a.md"))
    catalog.put_passages(row, passages("one"))
    (one,) = catalog.passages_of(row)
    assert catalog.mark_ready([("passages", one.row), ("passages", 999), ("facts", 1)]) == [
        ("passages", 999),
        ("facts", 1),
    ]


def test_what_waits_comes_saved_first_then_by_age_and_links(catalog: Catalog) -> None:
    day = 86_400_000_000_000
    rows = {
        "old.md": catalog.put_file(file("old.md", mtime_ns=100 * day)),
        "new.md": catalog.put_file(file("new.md", mtime_ns=110 * day)),
        "linked.md": catalog.put_file(file("linked.md", mtime_ns=100 * day)),
    }
    hub = catalog.put_file(file("hub.md"))
    for path, row in rows.items():
        catalog.put_passages(row, passages(path)[:1] and [passages(path)[0]._replace(id=f"p_{path}")])
        catalog.put_fact(fact(row, f"f_{path}"))
    assert [w.embed for w in catalog.waiting(10)] == [
        "new.md",
        "old.md",
        "linked.md",
        "f_new.md",
        "f_old.md",
        "f_linked.md",
    ]
    catalog.put_links(hub, [NewLink("linked.md", False, "{}")], ["linked"])
    other = catalog.put_file(file("other.md"))
    catalog.put_links(other, [NewLink("linked.md", False, "{}")], ["linked"])
    catalog.rank_waiting()
    assert [w.embed for w in catalog.waiting(3)] == ["linked.md", "new.md", "old.md"]
    saved = catalog.put_file(file("saved.md", mtime_ns=1, changed=1.7e9))
    catalog.put_passages(saved, [passages("saved")[0]._replace(id="p_saved")])
    catalog.put_fact(fact(saved, "f_saved"))
    assert [w.embed for w in catalog.waiting(10)] == ["saved", "f_saved"], "alone, so that no batch mixes them"
    catalog.mark_ready([(w.kind, w.row) for w in catalog.waiting(10)])
    assert [w.embed for w in catalog.waiting(1)] == ["linked.md"]


# --- incoming links -----------------------------------------------------------------------------------------------------


def counted(catalog: Catalog) -> dict[str, int]:
    return {path: row.inlinks for path, row in catalog.files().items()}


def test_incoming_links_are_counted_as_they_come_and_go(catalog: Catalog) -> None:
    a, b = catalog.put_file(file("a.md")), catalog.put_file(file("b.md"))
    twice = [NewLink("c.md", False, "1"), NewLink("c.md", False, "2"), NewLink(None, False, "3")]
    assert catalog.put_links(a, twice, ["c"])
    assert not catalog.put_links(a, twice, ["c"]), "nothing differs"
    catalog.put_links(b, [NewLink("c.md", False, "1"), NewLink("a.md", False, "2")], ["c", "a"])
    catalog.put_file(file("c.md"))
    assert counted(catalog) == {"a.md": 1, "b.md": 0, "c.md": 2}, "links may be there before their target"
    catalog.put_file(file("c.md", size=9))
    assert counted(catalog)["c.md"] == 2
    catalog.move_file("c.md", "d.md")
    assert counted(catalog) == {"a.md": 1, "b.md": 0, "d.md": 0}, "nobody links to the new name yet"
    catalog.put_links(b, [NewLink("d.md", False, "1")], ["d"])
    assert counted(catalog) == {"a.md": 0, "b.md": 0, "d.md": 1}
    catalog.put_links(a, [], [])
    catalog.remove_file("a.md")
    assert catalog.sources_linking(["c", "d"]) == ["b.md"]


# --- transactions -------------------------------------------------------------------------------------------------------


def test_a_transaction_is_whole_or_nothing_and_hooks_follow_it(catalog: Catalog) -> None:
    done: list[str] = []
    with pytest.raises(RuntimeError), catalog.write():
        catalog.put_file(file("a.md"))
        catalog.post("revision", ["{}"])
        catalog.after_commit(lambda: done.append("never"))
        raise RuntimeError
    assert (catalog.files(), catalog.outbox("revision", 9), done) == ({}, [], [])
    with catalog.write():
        catalog.put_file(file("a.md"))
        catalog.after_commit(lambda: done.append("a"))
        with catalog.write():
            catalog.put_file(file("b.md"))
        assert done == []
    assert (sorted(catalog.files()), done) == (["a.md", "b.md"], ["a"])


def test_writers_take_turns(catalog: Catalog) -> None:
    """One that writes all the time lets another in after at most one of its transactions."""
    turns: list[str] = []
    waiting, stop = threading.Event(), threading.Event()

    def greedy() -> None:
        while not stop.is_set():
            with catalog.write():
                turns.append("greedy")
                waiting.wait(0.05)

    thread = threading.Thread(target=greedy)
    thread.start()
    try:
        for _ in range(5):
            before = len(turns)
            with catalog.write():
                assert len(turns) - before <= 2
    finally:
        stop.set()
        waiting.set()
        thread.join()


def test_readers_see_the_last_committed_state_from_any_thread(catalog: Catalog) -> None:
    seen: list[Any] = []
    with catalog.write():
        catalog.put_file(file("a.md"))
        reader = threading.Thread(target=lambda: seen.append(sorted(catalog.files())))
        reader.start()
        reader.join()
    reader = threading.Thread(target=lambda: seen.append(sorted(catalog.files())))
    reader.start()
    reader.join()
    assert seen == [[], ["a.md"]]


def test_connections_end_with_their_threads(catalog: Catalog) -> None:
    catalog.files()

    def descriptors() -> int:
        gc.collect()
        return sum("catalog.sqlite" in str(link) for link in _links())

    before = descriptors()
    for _ in range(20):
        thread = threading.Thread(target=catalog.files)
        thread.start()
        thread.join()
    assert descriptors() <= before + 2


def _links() -> list[Path]:
    out = []
    for entry in Path("/proc/self/fd").glob("*") if Path("/proc/self/fd").exists() else []:
        try:
            out.append(entry.readlink())
        except OSError:
            continue
    return out


# --- damage -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, b"SQLite format 3\0" + b"\0" * 4000])
def test_what_is_no_catalogue_is_not_opened(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(content)
    with pytest.raises(IndexDamaged):
        Catalog.open(path)


def test_another_version_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    catalog = Catalog.open(path)
    catalog.set_meta("schema", "0")
    catalog.close()
    with pytest.raises(IndexDamaged, match="version"):
        Catalog.open(path)


def test_beginning_anew_puts_the_old_file_aside_and_every_thread_meets_the_new_one(catalog: Catalog) -> None:
    catalog.put_file(file("a.md"))
    before = catalog.meta("generation")
    asked, answers, go_on = threading.Event(), [], threading.Event()

    def reader() -> None:
        answers.append(len(catalog.files()))
        asked.set()
        assert go_on.wait(20)
        answers.append(len(catalog.files()))

    thread = threading.Thread(target=reader)
    thread.start()
    assert asked.wait(20)
    catalog.reset()
    go_on.set()
    thread.join()
    assert answers == [1, 0]
    assert catalog.meta("generation") not in (None, before)
    assert catalog.path.with_name("catalog.sqlite.damaged").exists()
    catalog.put_file(file("b.md"))
    assert list(catalog.files()) == ["b.md"]


def test_a_full_or_busy_disk_is_no_damage() -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    locked = sqlite3.OperationalError("database is locked")
    locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
    torn = sqlite3.DatabaseError("database disk image is malformed")
    torn.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    assert [is_damage(error) for error in (full, locked, torn, ValueError(), sqlite3.ProgrammingError())] == [
        False, False, True, False, False,
    ]  # fmt: skip


# --- work that does not grow with the vault ------------------------------------------------------------------------------

SMALL = ("stale_keys", "outbox", "meta", "json_each", "CONSTANT ROW")
"""Tables of what is under way: empty at rest."""


def plans(catalog: Catalog, statements: list[str]) -> dict[str, str]:
    """Statements that walk through a whole table, with what SQLite says of them."""
    db = sqlite3.connect(catalog.path)
    bad = {}
    for statement in dict.fromkeys(statements):
        if not statement.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            continue
        if statement == "SELECT 1 FROM files LIMIT 1":  # looks at one row
            continue
        for row in db.execute(f"EXPLAIN QUERY PLAN {statement}"):
            if row[3].startswith("SCAN") and "waiting" not in row[3] and not any(name in row[3] for name in SMALL):
                bad[statement] = row[3]
    db.close()
    return bad


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[tuple[Place, Any, list[str]]]:
    """A vault of some notes, opened, with every statement that SQLite is given."""
    (tmp_path / "vault").mkdir()
    place = Place(tmp_path).fill({f"n{n}.md": story(n) for n in range(30)})
    runtime = place.open()
    runtime.catch_up()
    runtime.upkeep(lambda: False)  # counts once after a comparison of everything
    runtime.graph.current()  # made once, then kept
    statements: list[str] = []
    runtime.catalog._db().set_trace_callback(statements.append)
    yield place, runtime, statements
    runtime.close()


def test_a_saved_note_costs_no_walk_through_any_table(traced: tuple[Place, Any, list[str]]) -> None:
    place, runtime, statements = traced
    place.write("n3.md", story(503))
    place.write("new.md", story(504))
    (place.vault / "n4.md").rename(place.vault / "moved.md")
    (place.vault / "n5.md").unlink()
    runtime.sync.apply(["n3.md", "new.md", "n4.md", "moved.md", "n5.md"])
    runtime.sync.outbox.deliver()
    runtime.write_facts()
    runtime.upkeep(lambda: False)
    assert len(statements) > 50
    assert plans(runtime.catalog, statements) == {}


def test_a_round_of_embedding_costs_no_walk_through_any_table(traced: tuple[Place, Any, list[str]]) -> None:
    _, runtime, statements = traced
    waiting = runtime.catalog.waiting(40)
    assert len(waiting) == 40
    runtime.catalog.mark_ready((w.kind, w.row) for w in waiting)
    assert plans(runtime.catalog, statements) == {}


def test_a_question_costs_no_walk_through_any_table(traced: tuple[Place, Any, list[str]]) -> None:
    from ebbtide.recall.engine import Question

    _, runtime, statements = traced
    answer = runtime.engine.recall(Question(story(3).splitlines()[2]))
    assert answer["items"]
    assert plans(runtime.catalog, statements) == {}
