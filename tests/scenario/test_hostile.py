"""Bad input and bad surroundings: nothing is lost, the rest goes on, and what is wrong is said."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest, EbbtideError, LockHeld, PortTaken, VaultError
from ebbtide.serve.server import serve
from ebbtide.serve.service import Service
from ebbtide.vault import lines
from support import Place, fingerprints, notes_for, rebuilt, settled, wait_first, wait_until

# --- hostile notes ----------------------------------------------------------------------------------------------------

NASTY: dict[str, str | bytes] = {
    "yaml-open.md": "---\na: [1\n---\nkeyone text\n",
    "yaml-tab.md": "---\n\ta: b\n---\nkeytwo text\n",
    "yaml-tag.md": "---\na: !!python/object/apply:os.system ['echo x']\n---\nkeythree text\n",
    "yaml-bomb.md": "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9))
    + "---\nkeyfour text\n",
    "yaml-huge.md": "---\n" + "".join(f"k{n}: v\n" for n in range(60_000)) + "---\nkeyfive text\n",
    "yaml-deep.md": "---\na: " + "[" * 3000 + "]" * 3000 + "\n---\nkeysix text\n",
    "long-line.md": "keyseven " + "x" * 1_000_000 + "\n",
    "long-words.md": "keyeight " + "word " * 200_000 + "\n",
    "long-han.md": "keynine " + "数据" * 300_000 + "\n",
    "brackets.md": "keyten\n\n" + "[" * 10_000 + "](" * 10_000 + "\n",
    "wikis.md": "keyeleven\n\n" + "[[a|" * 20_000 + "\n",
    "quotes.md": ">" * 10_000 + " keytwelve\n",
    "lists.md": "".join("  " * n + "- keythirteen\n" for n in range(800)),
    "table.md": "|" + "a|" * 5000 + "\n|" + "-|" * 5000 + "\n|" + "keyfourteen|" * 5000 + "\n",
    "fence.md": "keyfifteen\n\n```\nnever closed\n" * 500,
    "nul.md": b"keysixteen\n" + b"\0" * 100_000,
    "binary.md": bytes(range(256)) * 4000,
    "utf16.md": "keyseventeen".encode("utf-16"),
    "latin.md": "keyeighteen caf\xe9\n".encode("latin-1"),
    "separators.md": "keynineteen\u2028line\u2029para\x85next\x0bvt\x0cff\n",
    "surrogate.md": b"keytwenty \xed\xa0\x80 end\n",
    "crlf.md": "keytwentyone\r\n\r\n- one\r- two\r\n",
    "empty.md": "",
    "only-yaml.md": "---\ntitle: keytwentytwo\n---",
    "board.canvas": '{"nodes": [{"id": 1, "type": "file"}], "edges": "no"}',
    "broken.canvas": "{" * 5000,
    "math.md": "keytwentythree $" + "x^" * 20_000 + "$\n",
}
NAMES = [
    "emoji 🦊🏽‍🚀.md",
    'it\'s a "quote".md',
    "100% sure %20 %zz.md",
    " leading and trailing .md",
    "trailing space.md ",
    "dots...md",
    "#hash ^caret [x] |pipe|.md",
    unicodedata.normalize("NFD", "Café à côté.md"),
    unicodedata.normalize("NFC", "Café à côté.md"),
    "Case.md",
    "case.md",
    "a" * 252 + ".md",
    "数" * 84 + ".md",
    "new\nline.md",
    "tab\there.md",
    "rtl \u202e gnp.md",
    "-dash.md",
    "~tilde.md",
    "$HOME `x` ;rm.md",
]


def test_every_hostile_note_is_read_or_named_and_no_other_suffers(place: Place) -> None:
    place.fill({**NASTY, "good.md": "The good note knows the okapi. See [[brackets]].\n"})
    before = fingerprints(place.vault)
    with place.served() as daemon:
        settled(daemon)
        assert notes_for(daemon.service, "okapi")[:1] == ["good.md"]
        status = {note["path"]: note["status"] for note in daemon.service.notes(limit=500)["notes"]}
        assert set(status) == {*NASTY, "good.md"}
        assert set(status.values()) == {"indexed"}
        for path, text in NASTY.items():
            raw = text if isinstance(text, bytes) else text.encode()
            if b"key" in raw and path not in ("utf16.md", "nul.md"):
                word = next(w for w in raw.decode("utf-8", "replace").replace("|", " ").split() if w.startswith("key"))
                assert path in notes_for(daemon.service, word), path
        named = {problem["path"] for problem in daemon.service.status()["problems"]}
        assert {"yaml-open.md", "yaml-tab.md", "yaml-huge.md", "binary.md", "utf16.md", "latin.md", "nul.md"} <= named
        for path in NASTY:
            if path.endswith(".md"):
                json.dumps(daemon.service.note(path), ensure_ascii=False).encode("utf-8")
        rebuilt(daemon, "all")
    assert fingerprints(place.vault, without="Memory") == before


def test_odd_names_are_found_linked_moved_and_forgotten(place: Place) -> None:
    words = {name: f"word{chr(97 + number)}q" for number, name in enumerate(NAMES)}
    place.fill({name: f"Here is {word}.\n" for name, word in words.items()})
    place.write("index.md", "".join(f"[[{name.removesuffix('.md')}]]\n" for name in NAMES))
    there = {name for name in NAMES if name.endswith(".md")}
    with place.served() as daemon:
        settled(daemon)
        for name in there:
            assert notes_for(daemon.service, words[name])[:1] == [name]
            assert daemon.service.note(name)["path"] == name
        targets = {link["raw"]: link["target"] for link in daemon.service.links("index.md", limit=100)["links"]}
        assert targets["[[emoji 🦊🏽‍🚀]]"] == "emoji 🦊🏽‍🚀.md"
        assert targets["[[Case]]"] == "Case.md"
        assert targets["[[case]]"] == "case.md"
        folder = "Folder 'x' %41 🦊 "
        (place.vault / folder).mkdir()
        for name in NAMES:
            if name != "index.md":
                (place.vault / name).rename(place.vault / folder / name)
        for name in there:
            wait_first(daemon.service, words[name], f"{folder}/{name}")
        for name in NAMES:
            (place.vault / folder / name).unlink()
        wait_until(lambda: all(notes_for(daemon.service, words[name]) == [] for name in there), "all to be gone")
    records = place.ledger("revisions/*.jsonl")
    assert {record["kind"] for record in records} == {"move"}
    assert len(records) == len(there)


def test_a_name_that_is_not_utf8_is_named_and_passed_over(place: Place) -> None:
    place.write("good.md", "okapi\n")
    raw = os.fsencode(place.vault) + b"/caf\xe9.md"
    try:
        with open(raw, "wb") as file:
            file.write(b"text\n")
    except OSError:
        pytest.skip("this disk takes no such name")
    with place.served() as daemon:
        assert notes_for(daemon.service, "okapi") == ["good.md"]
        assert "name-not-utf8" in {problem["code"] for problem in daemon.service.status()["problems"]}


def test_a_note_deleted_while_it_is_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fill({f"n{n}.md": f"common word{n}\n" for n in range(6)})
    runtime = place.open()
    read = runtime.store.read

    def gone(path: str) -> Any:
        if path == "n3.md":
            (place.vault / path).unlink(missing_ok=True)
        return read(path)

    monkeypatch.setattr(runtime.store, "read", gone)
    try:
        service = Service(runtime)
        service.catch_up(vectors=False)
        assert sorted(notes_for(service, "common")) == [f"n{n}.md" for n in range(6) if n != 3]
        runtime.sync.reconcile()
        assert runtime.catalog.file("n3.md") is None
        assert runtime.catalog.counts()["problems"] == 0
    finally:
        runtime.close()


def test_a_note_that_cannot_be_read_is_named_and_read_later(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fill({"a.md": "the first okapi\n", "b.md": "the second okapi\n"})
    runtime = place.open()
    read = runtime.store.read
    refused = True

    def maybe(path: str) -> Any:
        if refused and path == "a.md":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return read(path)

    monkeypatch.setattr(runtime.store, "read", maybe)
    try:
        service = Service(runtime)
        service.catch_up(vectors=False)
        assert notes_for(service, "okapi") == ["b.md"]
        assert [(p.path, p.code) for p in runtime.catalog.problems()] == [("a.md", "note-failed")]
        refused = False
        runtime.sync.reconcile()
        assert sorted(notes_for(service, "okapi")) == ["a.md", "b.md"]
        assert runtime.catalog.problems() == []
    finally:
        runtime.close()


def test_a_bug_in_reading_costs_one_note(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from ebbtide.index import reading

    place.fill({"a.md": "the first okapi\n", "b.md": "the second okapi\n"})
    parse = reading.parse
    monkeypatch.setattr(reading, "parse", lambda kind, path, text: 1 / 0 if path == "a.md" else parse(kind, path, text))
    with place.served() as daemon:
        assert notes_for(daemon.service, "okapi") == ["b.md"]
        assert [p["path"] for p in daemon.service.status()["problems"]] == ["a.md"]
        monkeypatch.undo()
        place.write("a.md", "the first okapi again\n")
        wait_until(lambda: sorted(notes_for(daemon.service, "okapi")) == ["a.md", "b.md"], "the mended note")


# --- hostile questions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "", " ", "?!.,;:", "()", "(" * 3000, '"' * 3001, "a:b", "title:", "/re/", "\\", "*", "snak*", "AND OR NOT",
        "x" * 100_000, "數" * 30_000, "okapi " * 16_000, "\ud800", "\0", "[[note]]", "http://a.b/c", "-" * 500, "'; DROP TABLE files;--",
        "🦊" * 1000, '"okapi', '"the good note" "knows" ""',
    ],
    ids=lambda query: repr(query[:12]),
)  # fmt: skip
def test_no_question_hurts(place: Place, query: str) -> None:
    place.write("good.md", "The good note knows the okapi.\n")
    with place.opened(read_only=True) as service:
        for scope in (None, "", "..", "no/such"):
            try:
                answer = service.recall(query, scope=scope)
            except BadRequest:
                assert len(query) > 100_000 // 2
                continue
            json.dumps(answer)
            assert set(answer["notes"]) <= {"good.md"}
        assert notes_for(service, "okapi") == ["good.md"]


# --- the vault goes away ------------------------------------------------------------------------------------------------


def test_a_vault_that_is_not_there_is_said(place: Place) -> None:
    place.vault.rmdir()
    with pytest.raises(VaultError, match="cannot be opened"):
        place.open()
    place.vault.write_text("a file")
    with pytest.raises(VaultError):
        place.open()


def test_a_root_that_is_renamed_away_and_comes_back_loses_nothing(place: Place) -> None:
    place.options |= {"watch.health_every": 1, "watch.rescan_every": 10}
    place.fill({f"n{n}.md": f"The pond {n} cost {n}00 EUR in 2026-03. common\n" for n in range(1, 8)})
    with place.served() as daemon:
        facts = sorted(fact["id"] for fact in daemon.service.facts()["facts"])
        away = place.base / "away"
        place.vault.rename(away)
        daemon.watcher.rescan()
        wait_until(
            lambda: "vault-gone" in {p["code"] for p in daemon.service.status()["problems"]}, "the loss to be seen"
        )
        daemon.indexer.report(frozenset({"n1.md", "n2.md"}), True)  # whatever is reported meanwhile
        wait_until(lambda: daemon.indexer.problem is not None, "the indexer to say so")
        assert len(notes_for(daemon.service, "common")) == 7, "what is known stays"
        place.vault.mkdir()  # an empty mount point
        daemon.watcher.rescan()
        daemon.indexer.report(frozenset({"n3.md"}), True)
        wait_until(lambda: not daemon.indexer._called() and not daemon.indexer._working, "another round")
        assert len(notes_for(daemon.service, "common")) == 7, "an empty folder in its place is not a vault of nothing"
        place.vault.rmdir()
        away.rename(place.vault)
        daemon.watcher.rescan()
        place.write("n9.md", "back again, okapi common\n")
        wait_until(lambda: notes_for(daemon.service, "okapi") == ["n9.md"], "the vault to be watched again")
        settled(daemon)
        wait_until(lambda: daemon.indexer.problem is None, "the trouble to be over")
        assert sorted(fact["id"] for fact in daemon.service.facts()["facts"]) == facts
        assert len(notes_for(daemon.service, "common")) == 8
    assert place.ledger("revisions/*.jsonl") == []


def test_a_memory_folder_that_cannot_be_written_stops_nothing_else(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("Server.md", "# Server\n\nThe timeout is 30 seconds.\n")
    with place.served():
        pass
    before = place.facts()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with place.served() as daemon:
        settled(daemon)
        monkeypatch.setattr("ebbtide.vault.store.replace_durably", refuse)
        monkeypatch.setattr("ebbtide.vault.store.append_durably", refuse)
        place.write("Server.md", "# Server\n\nThe timeout is 45 seconds. An okapi.\n")
        wait_until(lambda: notes_for(daemon.service, "okapi") == ["Server.md"], "the saved note")
        wait_until(lambda: daemon.indexer.problem is not None, "the trouble to be said")
        problem = daemon.indexer.problem
        assert problem is not None
        assert "Read-only" in problem.message
        assert "tried again" in problem.fix
        assert daemon.service.facts()["facts"][0]["value"] == "45"
        assert place.facts() == before
        monkeypatch.undo()
        place.write("Other.md", "More.\n")
        wait_until(lambda: daemon.indexer.problem is None, "the trouble to be over")
    assert [fact["value"] for fact in place.facts().values()] == ["45"]
    assert len(place.revisions("supersede")) == 1


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of its own, if the system lets us have one."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mount.returncode:
        pytest.skip("no right to mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("which", ["cache", "state", "vault"])
def test_a_full_disk_loses_nothing_and_is_said(place: Place, which: str) -> None:
    """First there is no room, then there is: everything is as it would have been."""
    full = place.base / which
    with small_disk(full, "3m"):
        place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-03. common\n" for n in range(1, 30)})
        with place.served() as daemon:
            settled(daemon)
            ballast = full / ".ballast"
            with contextlib.suppress(OSError), ballast.open("wb") as file:
                while True:
                    file.write(b"x" * 4096)
            many = {f"m{n}.md": f"# M{n}\n\nThe shed {n} cost {n}50 EUR in 2026-04.\n" for n in range(1, 400)}
            place.fill({} if which == "vault" else many)
            if which == "vault":
                for n in range(1, 30):
                    (place.vault / f"n{n}.md").unlink(missing_ok=True)
                    if n > 15:
                        break
                with contextlib.suppress(OSError), ballast.open("ab") as file:
                    while True:
                        file.write(b"x" * 512)
            wait_until(lambda: daemon.indexer.problem is not None, "the trouble to be said")
            problem = daemon.indexer.problem
            assert problem is not None
            assert "full" in problem.message or "space" in problem.message.lower(), problem
            assert notes_for(daemon.service, "common"), "questions are answered all the same"
            ballast.unlink()
            daemon.indexer.report(frozenset(), True)
            wait_until(lambda: daemon.indexer.problem is None, "the trouble to be over")
            settled(daemon)
            known = {note["path"] for note in daemon.service.notes(limit=5000)["notes"]}
            assert known == {path.name for path in place.vault.glob("*.md")}
            assert {check["name"]: check["ok"] for check in daemon.service.doctor()["checks"]}["keyword index"]
            facts = {fact["id"] for fact in daemon.service.facts(limit=5000)["facts"]}
        assert set(place.facts()) == facts
        assert len(facts) == len(known)


# --- ports, locks, processes ----------------------------------------------------------------------------------------------


def test_two_daemons_on_one_vault(place: Place) -> None:
    place.write("a.md", "okapi\n")
    with place.served() as daemon:
        with pytest.raises(LockHeld) as caught:
            place.open()
        assert str(os.getpid()) in str(caught.value)
        run = subprocess.run(
            [sys.executable, "-m", "ebbtide", "up", str(place.vault), "--json"],
            env=place.environ | {"EBBTIDE_EMBED_ENABLED": "false"}, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert run.returncode == 4
        assert notes_for(daemon.service, "okapi") == ["a.md"]
    with place.served() as daemon:  # the lock is free again
        assert notes_for(daemon.service, "okapi") == ["a.md"]


def test_a_port_that_is_taken(place: Place) -> None:
    from ebbtide.daemon import Daemon

    place.write("a.md", "okapi\n")
    taken = serve(_app(), 0)
    try:
        daemon = Daemon(place.open())
        with pytest.raises(PortTaken, match=str(taken.port)):
            daemon.start(taken.port)
        daemon.stop()
        with place.served() as other:  # nothing was left behind: lock, threads, run file
            assert notes_for(other.service, "okapi") == ["a.md"]
        alive = [thread.name for thread in threading.enumerate() if thread.name.startswith("ebbtide")]
        assert alive == []
    finally:
        taken.stop()
        taken._socket.close()


def _app() -> Any:
    from fastapi import FastAPI

    return FastAPI()


def test_a_memory_folder_that_belongs_to_somebody_else(place: Place) -> None:
    place.write("Memory/theirs.md", "not ours\n")
    before = fingerprints(place.vault)
    with pytest.raises(EbbtideError, match="not Ebbtide's"):
        place.open()
    assert fingerprints(place.vault) == before


def test_what_a_killed_write_left_in_the_memory_folder_is_swept(place: Place) -> None:
    place.write("a.md", "okapi\n")
    with place.served():
        pass
    left = place.vault / "Memory" / f"{lines.TEMP_PREFIX}0123456789abcdef{lines.TEMP_SUFFIX}"
    left.write_bytes(b"half a fi")
    with place.served():
        assert not left.exists()


def test_pausing_holds_changes_back_and_does_not_spin(place: Place) -> None:
    place.write("a.md", "okapi\n")
    with place.served() as daemon:
        settled(daemon)
        daemon.service.pause(10)
        rounds = 0
        take = daemon.indexer._take

        def counted() -> Any:
            nonlocal rounds
            rounds += 1
            return take()

        daemon.indexer._take = counted  # type: ignore[method-assign]
        place.write("b.md", "axolotl\n")
        wait_until(lambda: daemon.indexer._inbox.paths, "the watcher to tell")
        before = rounds
        daemon.indexer.order(lambda: None)
        wait_until(lambda: not daemon.indexer._inbox.orders, "an order, which goes on")
        wait_until(lambda: not daemon.indexer._working, "the round")
        assert rounds - before <= 2
        assert notes_for(daemon.service, "axolotl") == []
        daemon.service.resume()
        wait_until(lambda: notes_for(daemon.service, "axolotl") == ["b.md"], "the note after the pause")
