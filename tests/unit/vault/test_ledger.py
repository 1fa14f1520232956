"""Ledgers, edges and the facts file, between people, git, other devices and crashes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.memory.codec import fact_from_dict, fact_to_dict, link_from_dict, link_to_dict
from ebbtide.memory.errors import VaultError
from ebbtide.memory.records import Evidence, Fact, FactId, Link
from ebbtide.vault.facts import FactsFile
from ebbtide.vault.ledger import DeviceLedger, LinksFile
from ebbtide.vault.lines import dump_line, parse_lines
from ebbtide.vault.store import VaultStore


@pytest.fixture
def store(tmp_path: Path) -> VaultStore:
    (tmp_path / "vault").mkdir()
    return VaultStore.open(tmp_path / "vault")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def fact(number: int, text: str = "", **more: object) -> Fact:
    made = Fact(
        id=FactId(f"f_{number % 16:x}{number:015x}"),
        fact=text or f"fact {number}",
        source="a.md",
        line=1,
        quote="q",
        note_hash="h",
        type="event",
        recorded_at="2026-11-30",
    )
    return replace(made, **more)  # type: ignore[arg-type]


def facts(numbers: Iterable[int]) -> list[Fact]:
    return [fact(number) for number in numbers]


def written(store: VaultStore) -> list[str]:
    return (store.memory_bytes("facts.jsonl") or b"").decode().splitlines(keepends=True)


def rewrite(store: VaultStore, lines: Iterable[str]) -> None:
    """Somebody else's write: not through the store. The stamp is that of a hand that wrote later."""
    file = store.root / "Memory/facts.jsonl"
    file.write_text("".join(lines))
    later = file.stat().st_mtime_ns + 5_000_000_000
    os.utime(file, ns=(later, later))


def opened(store: VaultStore, state: Path, numbers: Iterable[int] = ()) -> FactsFile:
    file = FactsFile(store, state)
    file.load()
    if numbers:
        file.put(facts(numbers))
        assert file.flush()
    return file


def codes(file: FactsFile) -> list[str]:
    return [problem.code for problem in file.problems()]


# -- records -----------------------------------------------------------------------------------------------------------

texts = st.none() | st.text(max_size=8)


@settings(deadline=None)
@given(
    st.text(max_size=8),
    texts,
    st.booleans(),
    st.lists(st.text(max_size=4), max_size=3),
    st.floats(0, 1),
    st.dictionaries(
        st.text(min_size=1).filter(lambda word: word.startswith("x")), st.integers() | st.text(), max_size=3
    ),
)
def test_facts_round_trip_with_unknown_keys(
    text: str,
    subject: str | None,
    private: bool,
    tags: list[str],
    confidence: float,
    extra: dict[str, object],
) -> None:
    made = fact(
        1,
        text,
        subject=subject,
        private=private,
        tags=tuple(tags),
        confidence=confidence,
        extra=extra,
        evidence=(Evidence("b.md", 3, text, None),),
        related=({"id": "f_2", "type": "supports"},),
    )
    record = fact_to_dict(made)
    assert fact_from_dict(record) == made
    assert fact_from_dict(parse_lines(dump_line(record)).records[0]) == made
    assert list(record)[:5] == ["id", "fact", "source", "line", "quote"]


@pytest.mark.parametrize(
    "change",
    [
        {"id": None},
        {"type": "rumour"},
        {"line": "3"},
        {"confidence": "high"},
        {"tags": "a"},
        {"evidence": [{"source": "a"}]},
        {"subject": 3},
        {"quote": ["q"]},
        {"confidence": True},
    ],
)
def test_what_is_not_a_fact_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"`|type"):
        fact_from_dict(fact_to_dict(fact(1)) | change)


def test_anything_but_a_plain_false_is_private() -> None:
    assert fact_from_dict(fact_to_dict(fact(1)) | {"private": "yes"}).private
    assert not fact_from_dict(fact_to_dict(fact(1)) | {"private": None}).private


def link(source: str, offset: int, **more: object) -> Link:
    made = Link(
        source=source,
        origin=source,
        target="b.md",
        type="mentioned",
        weight="weak",
        raw="[[b]]",
        kind="wikilink",
        relation=None,
        declared=False,
        confidence=1.0,
        heading=None,
        block=None,
        alias=None,
        offset=offset,
        line=1,
        column=0,
        snippet="",
    )
    return replace(made, **more)  # type: ignore[arg-type]


def test_links_are_sorted_and_rewritten_only_when_they_differ(store: VaultStore) -> None:
    file = LinksFile(store)
    several = [link("b.md", 9), link("a.md", 70), link("a.md", 8, origin="c.md", target=None)]
    assert file.write(several)
    before = store.memory_stat("links.jsonl")
    assert not file.write(reversed(several))
    assert store.memory_stat("links.jsonl") == before
    assert [(edge.source, edge.offset) for edge in file.read()] == [("a.md", 8), ("a.md", 70), ("b.md", 9)]
    record = link_to_dict(several[2])
    assert record["from"] == "c.md"
    assert "origin" not in record
    assert link_from_dict(record) == several[2]


# -- ledgers -----------------------------------------------------------------------------------------------------------


class TestDeviceLedger:
    def test_every_device_is_read_and_only_ones_own_written(self, store: VaultStore, state: Path) -> None:
        one, two = DeviceLedger(store, "uses", "aaaaaaaa", state), DeviceLedger(store, "uses", "bbbbbbbb", state)
        two.append([{"id": "2", "n": 1}])
        one.append([{"id": "1"}, {"text": "雪\u2028"}])
        one.append([])
        two.append([{"id": "2", "n": 2}])
        assert one.read() == two.read() == ([{"id": "1"}, {"text": "雪\u2028"}, {"id": "2", "n": 2}], [])
        assert (store.root / "Memory/uses/aaaaaaaa.jsonl").read_bytes().count(b"\n") == 2

    def test_torn_ends_and_bad_lines(self, store: VaultStore, state: Path) -> None:
        ledger = DeviceLedger(store, "uses", "aaaaaaaa", state)
        ledger.append([{"id": "1"}])
        file = store.root / "Memory/uses/aaaaaaaa.jsonl"
        with file.open("ab") as out:
            out.write(b'{"id":"tor')
        assert ledger.read() == ([{"id": "1"}], [])
        ledger.append([{"id": "3"}])
        found, problems = ledger.read()
        assert found == [{"id": "1"}, {"id": "3"}]
        assert [(p.path, p.line) for p in problems] == [("uses/aaaaaaaa.jsonl", 2)]
        assert list(state.glob("*.rejected"))

    def test_a_kill_in_the_middle_loses_nothing_that_was_durable(self, store: VaultStore, state: Path) -> None:
        """A child appends numbers and says each when it is durable; it is killed at some moment."""
        import ebbtide

        code = (
            "import sys\nfrom pathlib import Path\nfrom ebbtide.vault.store import VaultStore\n"
            "from ebbtide.vault.ledger import DeviceLedger\n"
            "ledger = DeviceLedger(VaultStore.open(Path(sys.argv[1])), 'uses', 'aaaaaaaa', Path(sys.argv[2]))\n"
            "for n in range(10**6):\n    ledger.append([{'id': str(n), 'pad': 'x' * 2000}])\n    print(n, flush=True)\n"
        )
        environment = {**os.environ, "PYTHONPATH": str(Path(ebbtide.__file__).parents[1])}
        with subprocess.Popen(
            [sys.executable, "-c", code, store.root, state],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        ) as child:
            assert child.stdout is not None
            while int(child.stdout.readline()) < 20:
                pass
            child.kill()
            said = [20, *(int(line) for line in child.stdout.read().split() if line.isdigit())]
        found, problems = DeviceLedger(store, "uses", "aaaaaaaa", state).read()
        assert len(found) >= said[-1]  # the last line read may itself be cut
        assert problems == []


# -- the facts file ----------------------------------------------------------------------------------------------------


class TestFactsFile:
    def test_is_sorted_by_id_and_written_only_when_it_differs(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, [3, 1, 2])
        assert [line[7:25] for line in written(store)] == [f.id for f in facts([1, 2, 3])]
        before = store.memory_stat("facts.jsonl")
        file.put(facts([2]))
        assert file.flush()
        assert store.memory_stat("facts.jsonl") == before
        assert dict(FactsFile(store, state).load()) == {f.id: f for f in facts([1, 2, 3])}

    def test_what_is_put_survives_a_crash_before_the_flush(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(5))
        file.put([fact(7)])
        file.drop([fact(1).id])
        with (state / "facts.journal.jsonl").open("ab") as out:
            out.write(b'{"op":"put","id":"to')
        again = opened(store, state)
        assert set(again.facts) == {fact(n).id for n in (0, 2, 3, 4, 7)}
        assert len(written(store)) == 5
        assert again.flush()
        assert len(written(store)) == 5
        assert not again.dirty
        assert set(opened(store, state).facts) == set(again.facts)
        assert opened(store, state).forgotten() == []

    def test_a_crash_between_the_vault_and_the_backup_is_no_wish(
        self,
        store: VaultStore,
        state: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        import ebbtide.vault.facts as module

        file = opened(store, state, range(30))
        file.drop([fact(3).id])

        def crash(*_args: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(module, "replace_durably", crash)
        with pytest.raises(KeyboardInterrupt):
            file.flush()
        monkeypatch.undo()
        assert len(written(store)) == 29
        again = opened(store, state)
        assert len(again.facts) == 29
        assert (again.forgotten(), codes(again)) == ([], [])

    def test_foreign_edits_are_merged_field_by_field_before_a_write(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(5))
        lines = written(store)
        changed = next(number for number, line in enumerate(lines) if "fact 2" in line)
        lines[changed] = (
            lines[changed].replace('"fact 2"', '"fact two, by hand"').replace('"line":1', '"note":"mine","line":1')
        )
        rewrite(store, [*lines, dump_line(fact_to_dict(fact(40))).decode()])
        file.put([fact(2, verified_at="2026-12-01"), fact(9)])
        assert file.flush()
        again = opened(store, state)
        assert set(again.facts) == {fact(n).id for n in (0, 1, 2, 3, 4, 9, 40)}
        merged = again.facts[fact(2).id]
        assert (merged.fact, merged.verified_at, merged.extra) == ("fact two, by hand", "2026-12-01", {"note": "mine"})
        assert [line[7:25] for line in written(store)] == sorted(again.facts)

    def test_a_write_that_comes_between_look_and_rename_is_merged(
        self,
        store: VaultStore,
        state: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        file = opened(store, state, range(5))
        file.put([fact(9)])
        real, once = VaultStore.write_memory, []

        def late(self: VaultStore, rel: str, data: bytes, expected: str | None = None) -> bool:
            if not once:
                once.append(rel)
                rewrite(self, [*written(self), dump_line(fact_to_dict(fact(40))).decode()])
            return real(self, rel, data, expected)

        monkeypatch.setattr(VaultStore, "write_memory", late)
        assert file.flush()
        assert {fact(9).id, fact(40).id} <= {FactId(line[7:25]) for line in written(store)}

    def test_a_deleted_line_is_a_wish_to_forget(self, store: VaultStore, state: Path) -> None:
        opened(store, state, range(30))
        rewrite(store, [line for line in written(store) if '"fact 7"' not in line and '"fact 8"' not in line])
        file = opened(store, state)
        assert [f.fact for f in file.forgotten()] == ["fact 7", "fact 8"]
        assert len(file.facts) == 28
        assert file.flush()
        again = opened(store, state)
        assert [f.fact for f in again.forgotten()] == ["fact 7", "fact 8"]
        again.acknowledge([f.id for f in again.forgotten()])
        assert opened(store, state).forgotten() == []
        assert len(opened(store, state).facts) == 28

    def test_deleting_the_newest_line_is_a_wish_though_the_file_stood_so_before(
        self, store: VaultStore, state: Path
    ) -> None:
        file = opened(store, state, range(30))
        before = written(store)
        file.put([fact(31)])
        assert file.flush()
        rewrite(store, before)
        assert [f.fact for f in opened(store, state).forgotten()] == ["fact 31"]

    def test_an_older_copy_put_back_by_sync_is_no_wish(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(30))
        older, stamp = written(store), (store.root / "Memory/facts.jsonl").stat()
        file.put([fact(31)])
        assert file.flush()
        rewrite(store, older)
        os.utime(store.root / "Memory/facts.jsonl", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        again = opened(store, state)
        assert fact(31).id in again.facts
        assert again.forgotten() == []
        assert codes(again) == ["facts-lines-missing"]
        assert again.flush()
        assert len(written(store)) == 31

    @pytest.mark.parametrize("how", ["many", "edited too", "new lines too", "bad line too"])
    def test_otherwise_the_lines_come_back_and_one_question_is_asked(
        self, store: VaultStore, state: Path, how: str
    ) -> None:
        opened(store, state, range(200))
        lines = written(store)
        gone = 21 if how == "many" else 2
        left = lines[gone:]
        if how == "edited too":
            left[5] = left[5].replace('"fact ', '"fakt ')
        if how == "new lines too":
            left.append(dump_line(fact_to_dict(fact(999))).decode())
        if how == "bad line too":
            left[5] = left[5][:30] + "\n"
        rewrite(store, left)
        file = opened(store, state)
        assert file.forgotten() == []
        assert codes(file).count("facts-lines-missing") == 1
        assert {FactId(line[7:25]) for line in lines} <= set(file.facts)
        assert file.flush()
        assert {line[7:25] for line in lines} <= {line[7:25] for line in written(store)}

    def test_lines_that_another_device_took_out_with_a_revision_are_no_question(
        self, store: VaultStore, state: Path
    ) -> None:
        opened(store, state, range(200))
        rewrite(store, [*written(store)[60:], dump_line(fact_to_dict(fact(999))).decode()])
        file = FactsFile(store, state, explained=lambda _id: True)
        assert len(file.load()) == 141
        assert (file.forgotten(), codes(file)) == ([], [])

    def test_a_file_that_shrank_by_half_is_not_written_until_asked(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(30))
        rewrite(store, written(store)[:10])
        assert not file.flush()
        assert codes(file) == ["facts-damaged"]
        assert len(file.facts) == 30
        file.put([fact(50)])
        assert not file.flush()
        assert len(written(store)) == 10
        file.resolve("ours")
        assert file.flush()
        assert len(written(store)) == 31
        assert codes(file) == []

    def test_or_the_file_is_kept_as_it_stands(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(30))
        rewrite(store, written(store)[:10])
        file.load()
        file.resolve("file")
        assert file.flush()
        assert len(written(store)) == 10
        assert len(file.forgotten()) == 20

    @pytest.mark.parametrize("how", ["removed", "emptied"])
    def test_a_lost_file_is_not_a_wish_to_forget_everything(self, store: VaultStore, state: Path, how: str) -> None:
        opened(store, state, range(3))
        file = store.root / "Memory/facts.jsonl"
        file.unlink() if how == "removed" else file.write_text("")
        again = opened(store, state)
        assert len(again.facts) == 3
        assert codes(again) == ["facts-damaged"]
        assert not again.flush()

    def test_bad_lines_over_one_percent_stop_the_writing(self, store: VaultStore, state: Path) -> None:
        opened(store, state, range(150))
        whole = written(store)
        lines = list(whole)
        lines[3] = lines[3].replace('{"id"', "{id")
        rewrite(store, lines)
        file = opened(store, state)
        assert codes(file) == ["jsonl-line", "facts-lines-missing"]
        lines[9] = lines[9].replace('{"id"', "{id")
        rewrite(store, lines)
        file = opened(store, state)
        assert codes(file)[-1] == "facts-damaged"
        assert not file.flush()
        assert [p.line for p in file.problems()][:2] == [4, 10]
        assert (state / "facts.jsonl.rejected").read_bytes().count(b"{id") == 2
        rewrite(store, whole)
        assert file.flush()
        assert codes(file) == []

    def test_lines_of_a_newer_version_are_kept_as_they_are(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(3))
        rewrite(store, [*written(store), '{"id":"f_zz","type":"omen","deep":{"a":[1]}}\n'])
        file.put([fact(9)])
        assert file.flush()
        assert '{"id":"f_zz","type":"omen","deep":{"a":[1]}}\n' in written(store)
        assert codes(file) == ["fact-unknown"]
        assert len(file.facts) == 4

    def test_splits_and_joins_by_the_first_digit(self, store: VaultStore, state: Path) -> None:
        file = FactsFile(store, state, split_above=40)
        file.load()
        file.put(facts(range(40)))
        file.flush()
        assert store.memory_list("") == ["facts.jsonl"]
        file.put([fact(40)])
        file.flush()
        assert store.memory_list("") == [f"facts-{digit}.jsonl" for digit in "0123456789abcdef"]
        assert opened(store, state).facts == file.facts
        before = {digit: store.memory_stat(f"facts-{digit}.jsonl") for digit in "0123456789abcdef"}
        file.put([fact(56)])
        file.flush()
        after = {digit: store.memory_stat(f"facts-{digit}.jsonl") for digit in "0123456789abcdef"}
        assert [digit for digit in before if before[digit] != after[digit]] == ["8"]
        file.drop([fact(n).id for n in range(20)])
        file.flush()
        assert store.memory_list("") == ["facts.jsonl"]
        assert file.problems() == []
        assert opened(store, state).facts == file.facts

    def test_a_crash_while_splitting_leaves_every_fact_once(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(20))
        (store.root / "Memory/facts-3.jsonl").write_bytes(dump_line(fact_to_dict(fact(3, "newer"))))
        again = opened(store, state)
        assert len(again.facts) == 20
        assert again.facts[fact(3).id].fact == "newer"
        assert again.flush()
        assert store.memory_list("") == ["facts.jsonl"]
        assert len(written(store)) == 20
        assert file.flush()

    def test_a_new_device_takes_the_file_as_it_is(self, store: VaultStore, state: Path, tmp_path: Path) -> None:
        opened(store, state, range(5))
        before = store.memory_stat("facts.jsonl")
        other = opened(store, tmp_path / "other device")
        assert other.flush()
        assert store.memory_stat("facts.jsonl") == before
        assert not opened(store, tmp_path / "other device").dirty

    def test_a_full_state_folder_is_explained_and_nothing_pretended(
        self,
        store: VaultStore,
        state: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        file = opened(store, state, range(5))

        def refuse(_fd: int, _data: object) -> int:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", refuse)
        with pytest.raises(VaultError, match="No space left"):
            file.put([fact(9)])
        assert fact(9).id not in file.facts
        monkeypatch.undo()
        file.put([fact(9)])
        monkeypatch.setattr(os, "write", refuse)
        with pytest.raises(VaultError, match="full"):
            file.flush()
        monkeypatch.undo()
        assert file.flush()
        assert len(written(store)) == 6

    def test_the_backup_lies_outside_the_vault(self, store: VaultStore, state: Path) -> None:
        opened(store, state, range(5))
        assert (state / "facts.backup.jsonl").read_bytes() == store.memory_bytes("facts.jsonl")

    def test_a_merged_git_conflict_keeps_both_sides(self, store: VaultStore, state: Path) -> None:
        opened(store, state, range(4))
        ours, theirs = (dump_line(fact_to_dict(fact(n))).decode() for n in (20, 21))
        rewrite(store, [*written(store), "<<<<<<< HEAD\n", ours, "=======\n", theirs, ">>>>>>> other\n"])
        file = opened(store, state)
        assert len(file.facts) == 6
        assert file.flush()
        assert len(written(store)) == 6

    def test_markers_go_even_if_both_sides_are_known(self, store: VaultStore, state: Path) -> None:
        opened(store, state, range(4))
        before = written(store)
        rewrite(store, ["<<<<<<< HEAD\n", *before[:2], "=======\n", before[0], ">>>>>>> other\n", *before[2:]])
        assert opened(store, state).flush()
        assert written(store) == before

    @pytest.mark.parametrize(
        "name",
        [
            "facts.sync-conflict-20261130-120000-ABCDEFG",
            "facts (Ann's conflicted copy 2026-11-30)",
            "facts 2",
            "facts (1)",
        ],
    )
    def test_what_a_sync_program_set_aside_is_merged_and_then_removed(
        self, store: VaultStore, state: Path, name: str
    ) -> None:
        opened(store, state, range(4))
        changed = replace(fact(1), extra={"mine": "yes"})
        copy = store.root / f"Memory/{name}.jsonl"
        copy.write_bytes(dump_line(fact_to_dict(changed)) + dump_line(fact_to_dict(fact(20))) + b"torn{\n")
        file = opened(store, state)
        assert file.facts[fact(1).id].extra == {"mine": "yes"}
        assert len(file.facts) == 5
        file.resolve("ours")  # more than one line in a hundred is bad
        assert file.flush()
        assert not copy.exists()
        assert len(written(store)) == 5
        assert b"torn{" in next(state.glob(f"{name}*.rejected")).read_bytes()

    def test_a_place_is_taken_over_whole_or_not_at_all(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(4))
        theirs = replace(fact(1), source="z.md", line=9, quote="theirs", importance=9.0)
        file.put([replace(fact(1), line=5, quote="ours"), fact(7)])
        rewrite(
            store,
            [line if '"fact 1"' not in line else dump_line(fact_to_dict(theirs)).decode() for line in written(store)],
        )
        assert file.flush()
        found = file.facts[fact(1).id]
        assert (found.source, found.line, found.quote, found.importance) == ("a.md", 5, "ours", 9.0)

    def test_what_two_devices_read_alike_is_recorded_since_the_earlier(self, store: VaultStore, state: Path) -> None:
        file = opened(store, state, range(4))
        file.put([replace(fact(9), recorded_at="2026-12-02")])
        rewrite(store, [*written(store), dump_line(fact_to_dict(replace(fact(9), recorded_at="2026-12-01"))).decode()])
        assert file.flush()
        assert file.facts[fact(9).id].recorded_at == "2026-12-01"

    @settings(deadline=None, max_examples=30)
    @given(st.lists(st.tuples(st.sampled_from(["put", "drop", "flush", "reopen"]), st.integers(0, 9)), max_size=12))
    def test_any_order_of_changes_flushes_and_restarts_holds_the_same_facts(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        steps: list[tuple[str, int]],
    ) -> None:
        base = tmp_path_factory.mktemp("facts")
        (base / "vault").mkdir()
        store = VaultStore.open(base / "vault")
        file = opened(store, base / "state")
        expected: dict[FactId, Fact] = {}
        for step, number in steps:
            if step == "put":
                made = fact(number, f"said at step {len(expected)}")
                file.put([made])
                expected[made.id] = made
            elif step == "drop":
                file.drop([fact(number).id])
                expected.pop(fact(number).id, None)
            elif step == "flush":
                assert file.flush()
            else:
                file = opened(store, base / "state")
            assert dict(file.facts) == expected
        assert file.flush()
        assert dict(opened(store, base / "state").facts) == expected
        assert file.forgotten() == []
