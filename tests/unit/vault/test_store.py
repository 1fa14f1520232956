"""The vault on a real folder: what is listed, read, contained, and how the memory folder is written."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.memory.errors import ChangedOutside, VaultError
from ebbtide.vault import exclude
from ebbtide.vault.exclude import costly
from ebbtide.vault.lines import decode_note, digest_of
from ebbtide.vault.store import READ_CAP, VaultStore


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def put(root: Path, path: str, data: bytes | str = "text\n") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return file


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def listed(store: VaultStore) -> list[str]:
    return [stat.path for stat in store.scan()]


class TestScan:
    def test_lists_visible_files_in_order_with_their_stats(self, root: Path) -> None:
        put(root, "b.md"), put(root, "a/z.md", "12345"), put(root, "a/图.png"), put(root, "c.canvas")
        found = list(VaultStore.open(root).scan())
        assert [stat.path for stat in found] == ["b.md", "c.canvas", "a/z.md", "a/图.png"]
        real = (root / "a/z.md").stat()
        assert (found[2].size, found[2].mtime_ns, found[2].inode) == (5, real.st_mtime_ns, real.st_ino)

    def test_skips_dot_names_and_what_editors_leave(self, root: Path) -> None:
        for name in (
            ".obsidian/app.json",
            ".git/x.md",
            ".trash/n.md",
            ".hidden.md",
            "n.md~",
            "n.tmp",
            "n.md.swp",
            "n.md.crdownload",
            "n.md.sync-1a2b",
            "a/.ebbtide-x.tmp",
        ):
            put(root, name)
        put(root, "Note.sync-conflict-20260101-120000-ABC.md")
        put(root, "node_modules/readme.md")
        assert listed(VaultStore.open(root)) == ["Note.sync-conflict-20260101-120000-ABC.md", "node_modules/readme.md"]

    def test_odd_names_survive_as_they_are_on_disk(self, root: Path) -> None:
        names = [
            "cafe\u0301.md",
            "caf\u00e9.md",
            "emoji 🌊.md",
            'quote "q".md',
            "100%25.md",
            "trailing .md ",
            "A.md",
            "a.md",
            "back\\slash.md",
            "x" * 252 + ".md",
            "\u2028sep.md",
        ]
        for name in names:
            put(root, name, name)
        store = VaultStore.open(root)
        assert sorted(listed(store)) == sorted(names)
        for name in names:
            assert store.read(name).text == name
            assert store.stat(name) is not None
        assert store.problems() == []

    def test_a_name_that_is_not_utf8_is_a_problem(self, root: Path) -> None:
        put(root, "good.md")
        put(root, os.fsdecode(b"bad\xff.md"))
        store = VaultStore.open(root)
        assert listed(store) == ["good.md"]
        assert [p.code for p in store.problems()] == ["name-not-utf8"]

    def test_links_out_and_linked_folders_are_left_alone(self, root: Path, tmp_path: Path) -> None:
        outside = put(tmp_path, "outside/secret.md")
        put(root, "real.md"), put(root, "folder/in.md"), put(root, ".obsidian/plugin.json")
        (root / "out.md").symlink_to(outside)
        (root / "outdir").symlink_to(outside.parent)
        (root / "indir").symlink_to(root / "folder")
        (root / "inside.md").symlink_to(root / "real.md")
        (root / "hidden.md").symlink_to(root / ".obsidian/plugin.json")
        (root / "dangling.md").symlink_to(root / "nowhere.md")
        (root / "loop.md").symlink_to(root / "loop.md")
        store = VaultStore.open(root)
        assert listed(store) == ["inside.md", "real.md", "folder/in.md"]
        assert store.stat("inside.md") is not None
        assert store.read("inside.md").text == "text\n"
        for path in ("out.md", "outdir/secret.md", "indir/in.md", "hidden.md", "dangling.md", "loop.md"):
            assert store.stat(path) is None
            with pytest.raises((VaultError, OSError)):
                store.read(path)

    def test_special_files_are_no_notes(self, root: Path) -> None:
        os.mkfifo(root / "pipe.md")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(root / "s.md"))
            store = VaultStore.open(root)
            assert listed(store) == []
            with pytest.raises(FileNotFoundError):
                store.read("pipe.md")

    def test_an_unreadable_folder_is_named_and_the_rest_goes_on(
        self,
        root: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Root may read everything, so the refusal comes from a stand-in for one folder."""
        put(root, "a/1.md"), put(root, "b/2.md")
        real = os.scandir

        def scandir(path: str) -> object:
            if str(path).rstrip("/").endswith("/a"):
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path)

        store = VaultStore.open(root)
        monkeypatch.setattr(os, "scandir", scandir)
        assert listed(store) == ["b/2.md"]
        assert store.unreadable() == ("a/",)
        assert [p.code for p in store.problems()] == ["unreadable"]

    def test_a_missing_root_raises(self, root: Path, tmp_path: Path) -> None:
        with pytest.raises(VaultError):
            VaultStore.open(tmp_path / "nowhere")
        with pytest.raises(VaultError):
            VaultStore.open(put(tmp_path, "file"))
        store = VaultStore.open(root)
        root.rmdir()
        with pytest.raises(VaultError):
            listed(store)

    def test_an_empty_mount_point_is_not_an_emptied_vault(self, root: Path, tmp_path: Path) -> None:
        put(root, "a.md")
        store = VaultStore.open(root)
        root.rename(tmp_path / "unmounted")
        root.mkdir()
        with pytest.raises(VaultError, match="empty"):
            listed(store)
        root.rmdir()
        (tmp_path / "unmounted").rename(root)
        assert listed(store) == ["a.md"]

    def test_a_root_that_goes_during_the_scan_raises(self, root: Path, tmp_path: Path) -> None:
        put(root, "a/1.md"), put(root, "b/1.md")
        scan = VaultStore.open(root).scan()
        next(scan)
        root.rename(tmp_path / "moved")
        with pytest.raises(VaultError):
            list(scan)


class TestContain:
    @pytest.mark.parametrize(
        "path",
        [
            "",
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a\\..\\..\\x",
            "C:/x",
            "C:\\x",
            "\\\\host\\x",
            "a\0b",
            "..",
            "a/..",
        ],
    )
    def test_refuses(self, root: Path, path: str) -> None:
        store = VaultStore.open(root)
        with pytest.raises(VaultError):
            store.contain(path)
        with pytest.raises(VaultError):
            store.read(path)
        assert store.stat(path) is None

    def test_a_colon_after_one_letter_is_a_name(self, root: Path) -> None:
        put(root, "A: plan.md")
        assert VaultStore.open(root).read("A: plan.md").text == "text\n"

    @settings(deadline=None)
    @given(st.text(max_size=40))
    def test_never_leads_out(self, tmp_path_factory: pytest.TempPathFactory, path: str) -> None:
        root = tmp_path_factory.getbasetemp()
        store = VaultStore.open(root)
        with contextlib.suppress(VaultError, OSError, UnicodeError):
            assert store.contain(path).is_relative_to(store.root)


class TestRead:
    def test_keeps_newlines_and_remembers_the_mark(self, root: Path) -> None:
        put(root, "a.md", b"\xef\xbb\xbfone\r\ntwo\rthree\n\xe2\x80\xa8x")
        text = VaultStore.open(root).read("a.md")
        assert text.text == "one\r\ntwo\rthree\n\u2028x"
        assert text.bom
        assert text.digest == digest_of((root / "a.md").read_bytes())
        assert len(text.digest) == 32

    def test_bad_bytes_are_replaced_and_reported_with_their_line(self, root: Path) -> None:
        put(root, "a.md", b"fine\nsecond \xff line\n")
        store = VaultStore.open(root)
        text = store.read("a.md")
        assert text.text == "fine\nsecond \ufffd line\n"
        assert [(p.code, p.line) for p in text.problems] == [("bytes-invalid", 2)]
        assert list(text.problems) == store.problems()
        put(root, "a.md", "repaired")
        store.read("a.md")
        assert store.problems() == []

    @pytest.mark.parametrize(
        "data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 9, "text".encode("utf-16"), bytes(range(256)) * 9]
    )
    def test_binary_is_not_decoded(self, root: Path, data: bytes) -> None:
        put(root, "a.md", data)
        text = VaultStore.open(root).read("a.md")
        assert text.text == ""
        assert [p.code for p in text.problems] == ["binary"]

    def test_one_nul_in_a_note_is_only_a_bad_character(self, root: Path) -> None:
        put(root, "a.md", b"a long enough line of ordinary text, " * 9 + b"\n\0 here\n")
        text = VaultStore.open(root).read("a.md")
        assert "\ufffd here" in text.text
        assert [(p.code, p.line) for p in text.problems] == [("nul", 2)]

    def test_a_huge_file_is_read_up_to_the_cap(self, root: Path) -> None:
        put(root, "a.md", b"x" * (READ_CAP + 10))
        text = VaultStore.open(root).read("a.md")
        assert len(text.text) == READ_CAP
        assert text.stat.size == READ_CAP + 10
        assert [p.code for p in text.problems] == ["file-too-big"]

    def test_gone_and_hidden_files(self, root: Path) -> None:
        put(root, ".obsidian/app.json", "{}")
        store = VaultStore.open(root)
        for path in ("nowhere.md", ".obsidian/app.json", "a//b.md"):
            with pytest.raises(FileNotFoundError):
                store.read(path)

    def test_a_file_that_changes_under_the_read_is_read_again(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The change comes between the two looks of the first attempt."""
        file = put(root, "a.md", "before")
        store = VaultStore.open(root)
        real, calls = os.fstat, []

        def fstat(fd: int) -> os.stat_result:
            seen = real(fd)
            if not calls:
                file.write_text("after, and longer")
            calls.append(fd)
            return seen

        monkeypatch.setattr(os, "fstat", fstat)
        text = store.read("a.md")
        monkeypatch.undo()
        assert text.text == "after, and longer"
        assert text.stat == store.stat("a.md")
        assert len(calls) == 2

    @settings(deadline=None)
    @given(st.binary(max_size=200))
    def test_decoding_never_fails_and_keeps_one_to_one_offsets_of_valid_text(self, data: bytes) -> None:
        text, bom, problems = decode_note("n.md", data)
        assert "\0" not in text
        if not problems:
            assert (b"\xef\xbb\xbf" if bom else b"") + text.encode() == data


class TestExclusion:
    def app(self, root: Path, *patterns: str) -> None:
        import json

        put(root, ".obsidian/app.json", json.dumps({"userIgnoreFilters": list(patterns)}))

    def test_obsidians_filters_and_ours(self, root: Path) -> None:
        self.app(root, "Archive/", r"/\.excalidraw\.md$/")
        store = VaultStore.open(root, excluded=["Private"])
        assert store.excluded_by_obsidian("Archive/a.md")
        assert store.excluded_by_obsidian("archive/a.md")
        assert store.excluded_by_obsidian("x/d.excalidraw.md")
        assert store.excluded_by_obsidian("Private/a.md")
        assert not store.excluded_by_obsidian("Notes/Archive/a.md")

    def test_is_read_again_when_it_changes(self, root: Path) -> None:
        store = VaultStore.open(root)
        assert not store.excluded_by_obsidian("Archive/a.md")
        self.app(root, "Archive/")
        assert store.excluded_by_obsidian("Archive/a.md")
        (root / ".obsidian/app.json").unlink()
        assert not store.excluded_by_obsidian("Archive/a.md")

    def test_a_half_written_file_keeps_what_was_excluded(self, root: Path) -> None:
        self.app(root, "Archive/")
        store = VaultStore.open(root)
        assert store.excluded_by_obsidian("Archive/a.md")
        put(root, ".obsidian/app.json", '{"userIgnoreFilters": ["Arch')
        assert store.excluded_by_obsidian("Archive/a.md")
        assert [p.code for p in store.problems()] == ["app-json"]

    @pytest.mark.parametrize(
        "text", ["", "[]", "{", '{"userIgnoreFilters": 3}', '{"userIgnoreFilters": [1, null, ""]}']
    )
    def test_a_damaged_file_excludes_nothing(self, root: Path, text: str) -> None:
        put(root, ".obsidian/app.json", text)
        assert not VaultStore.open(root).excluded_by_obsidian("a.md")

    @pytest.mark.parametrize(
        "pattern",
        [
            "(a+)+$",
            "(a|aa)*$",
            "(a*)*",
            "(a|b|ab){10,}$",
            r"(.*a){20}",
            "a" * 201,
            r"(a)\1+",
            "a?" * 30 + "a" * 30,
            "(a|a)" * 9,
            "(.*)(.*)(.*)(.*)x",
            "((ab)*c)+",
        ],
    )
    def test_costly_patterns_are_refused_and_said(self, root: Path, pattern: str) -> None:
        assert costly(pattern)
        self.app(root, f"/{pattern}/")
        store = VaultStore.open(root)
        assert not store.excluded_by_obsidian("a" * 100 + "!")
        assert [p.code for p in store.problems()] == ["exclusion-refused"]

    @pytest.mark.parametrize(
        "pattern",
        [
            r"^Templates\/",
            r"\.excalidraw\.md$",
            r"^(Archive|Old stuff)\/",
            r"\/_.*\.md$",
            r"[0-9]{4}-[0-9]{2}",
            r"^.*\/draft",
            "日记",
            r"[(*+]x",
            r"\(\+\)+",
        ],
    )
    def test_ordinary_patterns_are_taken(self, pattern: str) -> None:
        assert costly(pattern) is None

    def test_an_invalid_pattern_is_a_problem(self, root: Path) -> None:
        self.app(root, "/(unclosed/", "Good/")
        store = VaultStore.open(root)
        assert store.excluded_by_obsidian("Good/a.md")
        assert [p.code for p in store.problems()] == ["exclusion-refused"]

    def test_a_pattern_that_proves_slow_is_dropped(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.app(root, "/x/")
        store = VaultStore.open(root)
        monkeypatch.setattr(exclude, "SLOW", -1.0)
        assert store.excluded_by_obsidian("x.md")
        assert not store.excluded_by_obsidian("x.md")
        assert "too slow" in store.problems()[0].message


class TestMemoryFolder:
    @pytest.fixture
    def store(self, root: Path) -> VaultStore:
        return VaultStore.open(root)

    def test_belongs(self, store: VaultStore) -> None:
        assert store.in_memory_folder("Memory/core/a.md")
        assert store.in_memory_folder("Memory")
        assert not store.in_memory_folder("Memory 2/a.md")

    @pytest.mark.parametrize("name", ["", ".hidden", "../x", "a//b", "/abs", "a\\b"])
    def test_an_odd_folder_name_is_refused(self, root: Path, name: str) -> None:
        with pytest.raises(VaultError, match=r"memory\.folder|inside"):
            VaultStore.open(root, name)

    def test_writes_whole_files_and_leaves_no_temporary_ones(self, store: VaultStore, root: Path) -> None:
        assert store.write_memory("core/a.md", b"one")
        assert (root / "Memory/core/a.md").read_bytes() == b"one"
        (root / "Memory/core/a.md").chmod(0o640)
        assert store.write_memory("core/a.md", b"two")
        assert (root / "Memory/core/a.md").stat().st_mode & 0o777 == 0o640
        assert names(root / "Memory/core") == ["a.md"]

    def test_equal_bytes_are_not_written_again(self, store: VaultStore, root: Path) -> None:
        store.write_memory("a.md", b"one")
        before = (root / "Memory/a.md").stat()
        assert not store.write_memory("a.md", b"one")
        assert (root / "Memory/a.md").stat() == before

    def test_a_file_changed_outside_is_not_overwritten(self, store: VaultStore, root: Path) -> None:
        store.write_memory("a.md", b"one", expected_digest="")
        with pytest.raises(ChangedOutside):
            store.write_memory("a.md", b"two", expected_digest="")
        put(root, "Memory/a.md", "theirs")
        with pytest.raises(ChangedOutside):
            store.write_memory("a.md", b"two", expected_digest=digest_of(b"one"))
        assert (root / "Memory/a.md").read_text() == "theirs"
        assert names(root / "Memory") == ["a.md"]

    @pytest.mark.parametrize("rel", ["../a.md", "/a.md", "x/../../a.md"])
    def test_nothing_is_written_outside(self, store: VaultStore, root: Path, rel: str) -> None:
        with pytest.raises(VaultError):
            store.write_memory(rel, b"x")
        assert names(root) == []

    def test_links_do_not_lead_writes_out(self, root: Path, tmp_path: Path) -> None:
        store = VaultStore.open(root)
        put(root, "note.md"), put(tmp_path, "outside/x")
        (root / "Memory").mkdir()
        (root / "Memory/out").symlink_to(tmp_path / "outside")
        (root / "Memory/up").symlink_to(root)
        for rel in ("out/x", "up/note.md"):
            with pytest.raises(VaultError):
                store.write_memory(rel, b"bad")
            with pytest.raises(VaultError):
                store.append_memory(rel, b"bad")
        assert (root / "note.md").read_text() == "text\n"

    def test_own_writes_are_known_and_a_later_edit_is_not(self, store: VaultStore, root: Path) -> None:
        store.write_memory("a.md", b"one")
        seen = store.stat("Memory/a.md")
        assert seen is not None
        assert store.own_write("Memory/a.md", seen)
        put(root, "Memory/a.md", "edit")
        seen = store.stat("Memory/a.md")
        assert seen is not None
        assert not store.own_write("Memory/a.md", seen)
        store.append_memory("l.jsonl", b"{}\n")
        seen = store.stat("Memory/l.jsonl")
        assert seen is not None
        assert store.own_write("Memory/l.jsonl", seen)

    @pytest.mark.parametrize(
        ("number", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "writable"), (errno.EIO, "again")]
    )
    def test_a_disk_that_refuses_loses_nothing(
        self,
        store: VaultStore,
        root: Path,
        monkeypatch: pytest.MonkeyPatch,
        number: int,
        words: str,
    ) -> None:
        store.write_memory("a.md", b"one")
        store.append_memory("l.jsonl", b'{"n":1}\n')

        def refuse(_fd: int, _data: object) -> int:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "write", refuse)
        with pytest.raises(VaultError, match=words):
            store.write_memory("a.md", b"two")
        with pytest.raises(VaultError, match=words):
            store.append_memory("l.jsonl", b'{"n":2}\n')
        monkeypatch.undo()
        assert (root / "Memory/a.md").read_bytes() == b"one"
        assert (root / "Memory/l.jsonl").read_bytes() == b'{"n":1}\n'
        assert sorted(names(root / "Memory")) == ["a.md", "l.jsonl"]

    def test_an_append_that_fails_half_way_is_taken_back(
        self,
        store: VaultStore,
        root: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        store.append_memory("l.jsonl", b'{"n":1}\n')
        real, calls = os.write, []

        def half(fd: int, data: memoryview) -> int:
            if calls:
                raise OSError(errno.ENOSPC, "No space left on device")
            calls.append(fd)
            return real(fd, bytes(data[:4]))

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(VaultError):
            store.append_memory("l.jsonl", b'{"n":2}\n')
        monkeypatch.undo()
        assert (root / "Memory/l.jsonl").read_bytes() == b'{"n":1}\n'

    def test_a_shadow_takes_the_writes_and_is_read_first(self, root: Path, tmp_path: Path) -> None:
        put(root, "Memory/facts.jsonl", '{"id":"1"}\n'), put(root, "Memory/uses/d.jsonl", '{"id":"u1"}\n')
        before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
        store = VaultStore.open(root, shadow=tmp_path / "shadow")
        store.write_memory("facts.jsonl", b"new")
        store.write_memory("core/x.md", b"x")
        store.append_memory("uses/d.jsonl", b'{"id":"u2"}\n')
        assert store.memory_bytes("facts.jsonl") == b"new"
        assert store.memory_bytes("uses/d.jsonl") == b'{"id":"u1"}\n{"id":"u2"}\n'
        assert store.memory_list("core") == ["x.md"]
        assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before

    def test_sweep_removes_what_a_kill_left(self, store: VaultStore, root: Path) -> None:
        put(root, "Memory/core/.ebbtide-0011.tmp"), put(root, "Memory/core/a.md"), put(root, ".ebbtide-0011.tmp")
        store.sweep()
        assert names(root / "Memory/core") == ["a.md"]
        assert (root / ".ebbtide-0011.tmp").exists()


def test_what_obsidian_excluded_stays_excluded_while_its_file_cannot_be_read(tmp_path: Path) -> None:
    vault, kept = tmp_path / "vault", tmp_path / "excluded.json"
    settings = vault / ".obsidian" / "app.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"userIgnoreFilters": ["Away/"]}')
    first = VaultStore.open(vault)
    first.keep_exclusions(kept)
    assert first.excluded_by_obsidian("Away/a.md")
    settings.write_text('{"userIgnoreFilters": ["Away/"')
    again = VaultStore.open(vault)
    again.keep_exclusions(kept)
    assert again.excluded_by_obsidian("Away/a.md")
    assert [problem.code for problem in again.problems()] == ["app-json"]
    settings.write_text("{}")
    assert not again.excluded_by_obsidian("Away/a.md")
    settings.unlink()
    assert not again.excluded_by_obsidian("Away/a.md")


def test_a_stray_nul_does_not_make_a_short_note_binary() -> None:
    text, _, problems = decode_note("n.md", b"line one\nnulword \0 here\n")
    assert "nulword \ufffd here" in text
    assert [(problem.code, problem.line) for problem in problems] == [("nul", 2)]
