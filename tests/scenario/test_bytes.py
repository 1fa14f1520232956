"""User notes stay as they are: every byte, mode and time outside the memory folder, whatever the product does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import Place, fingerprints, notes_for, rebuilt, settled, wait_until

ODD: dict[str, str | bytes] = {
    "Home.md": "# Home\n\nWe decided to use SQLite in 2026-03 because it is one file. See [[Plan]] and [[Nowhere]].\n",
    "Plan.md": "---\ntags: [plan]\n---\n## Steps\r\n\r\n1. Copy the database.\r\n2. Never stop the server.\r\n",
    "bom.md": b"\xef\xbb\xbf# With a mark\n\nThe budget is 500 euro.\n",
    "no newline at the end.md": "The last line has none",
    "broken.md": "---\na: [1\n---\ntext\n",
    "gbk.md": "数据库".encode("gbk"),
    "binary.md": bytes(range(256)) * 40,
    "empty.md": "",
    "笔记/搬家.md": "# 搬家\n\n2026-04-05 决定搬到良渚，因为房租便宜三成。\n",
    "board.canvas": '{"nodes":[{"id":"1","type":"file","file":"Plan.md"}],"edges":[]}',
    "Files/picture.png": b"\x89PNG\r\n\x1a\n\0\0",
    ".obsidian/app.json": '{"userIgnoreFilters": ["Away/"]}',
    ".hidden/note.md": "hidden",
    "Away/secret.md": "The excluded word is heliotrope.",
    "Mine/forget me.md": "---\nmemory: false\n---\nThe unremembered word is vermilion.",
}
QUESTIONS = ["why SQLite", "为什么搬家", "budget", "(((", ""]


@pytest.fixture
def full(place: Place) -> Place:
    place.fill(ODD)
    os.symlink("Plan.md", place.vault / "link.md")
    os.symlink("/etc/hostname", place.vault / "outside.md")
    (place.vault / "read only.md").write_text("Nobody may write here.\n")
    (place.vault / "read only.md").chmod(0o444)
    return place


def test_a_daemon_from_start_to_stop_changes_no_note(full: Place) -> None:
    before = fingerprints(full.vault, without="Memory")
    with full.served() as daemon:
        for question in QUESTIONS:
            daemon.service.recall(question)
        for what in ("text", "links", "facts", "vectors", "all"):
            rebuilt(daemon, what)
        daemon.service.related("Home.md")
        daemon.service.explain("SQLite", "Home.md")
        daemon.service.doctor()
        daemon.service.pause(5)
        daemon.service.resume()
        settled(daemon)
    assert fingerprints(full.vault, without="Memory") == before
    assert {path.name for path in (full.vault / "Memory").iterdir()} >= {".ebbtide.json", "facts.jsonl", "links.jsonl"}


def test_edits_and_moves_by_a_person_are_the_only_changes(full: Place) -> None:
    with full.served() as daemon:
        full.write("Plan.md", "# Plan\n\nThe plan is now called narwhal.\n")
        wait_until(lambda: notes_for(daemon.service, "narwhal")[:1] == ["Plan.md"], "the edited note")
        (full.vault / "Plan.md").rename(full.vault / "笔记" / "计划.md")
        wait_until(lambda: notes_for(daemon.service, "narwhal")[:1] == ["笔记/计划.md"], "the renamed note")
        (full.vault / "empty.md").unlink()
        full.write("New/one.md", "A new note about okapi.\n")
        wait_until(lambda: notes_for(daemon.service, "okapi"), "the new note")
        now = fingerprints(full.vault, without="Memory")
        settled(daemon)
    assert fingerprints(full.vault, without="Memory") == now


def _run(place: Place, *words: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own, without vectors."""
    return subprocess.run(
        [sys.executable, "-m", "ebbtide", *words],
        env=place.environ | {"EBBTIDE_EMBED_ENABLED": "false"},
        capture_output=True,
        timeout=120,
        check=False,
    )


READ_ONLY: list[list[str]] = [
    ["status"],
    ["recall", "why SQLite"],
    ["recall", "("],
    ["related", "Home.md"],
    ["explain", "SQLite", "Home.md"],
    ["facts"],
    ["links", "--unresolved"],
    ["note", "Home.md"],
    ["notes"],
    ["doctor"],
    ["recall", "nothing of the kind", "--scope", "笔记", "--as-of", "2026-01-01"],
]


@pytest.mark.parametrize("words", READ_ONLY, ids=lambda words: " ".join(words))
def test_reading_commands_change_nothing_in_a_vault_never_opened(full: Place, words: list[str]) -> None:
    before = fingerprints(full.vault)
    run = _run(full, *words, "--vault", str(full.vault), "--json")
    assert run.returncode in (0, 1), run.stderr.decode()
    json.loads(run.stdout)
    assert fingerprints(full.vault) == before


def test_reading_commands_change_nothing_in_a_vault_with_a_memory(full: Place) -> None:
    with full.served():
        pass
    assert full.facts()
    full.write("Late.md", "We decided to move the archive to Ghent.\n")  # something to index that no daemon has seen
    before = fingerprints(full.vault)
    for words in READ_ONLY:
        run = _run(full, *words, "--vault", str(full.vault), "--json")
        assert run.returncode in (0, 1), run.stderr.decode()
        assert fingerprints(full.vault) == before, words


def _exam(place: Place, folder: Path, environ: dict[str, str] | None = None) -> list[dict[str, Any]]:
    queries = folder / "queries.jsonl"
    queries.write_text("".join(json.dumps({"id": str(n), "query": q}) + "\n" for n, q in enumerate(QUESTIONS)))
    out = folder / "out.jsonl"
    command = ["exam", "ask", "--vault", str(place.vault), "--queries", str(queries), "--out", str(out)]
    run = subprocess.run(
        [sys.executable, "-m", "ebbtide", *command],
        env=environ or place.environ | {"EBBTIDE_EMBED_ENABLED": "false"},
        capture_output=True,
        timeout=180,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_an_exam_changes_nothing_and_gives_the_same_twice(full: Place, tmp_path: Path) -> None:
    before = fingerprints(full.vault)
    first = _exam(full, tmp_path)
    assert fingerprints(full.vault) == before
    assert [row["id"] for row in first] == [str(n) for n in range(len(QUESTIONS))]
    assert first[0]["ranked"][0] == "Home.md"
    second = _exam(full, tmp_path)
    assert fingerprints(full.vault) == before
    assert [row["ranked"] for row in second] == [row["ranked"] for row in first]


def test_exams_beside_a_running_daemon_do_not_disturb_it_or_each_other(full: Place, tmp_path: Path) -> None:
    with full.served() as daemon:
        settled(daemon)
        before = fingerprints(full.vault)
        runtime = full.open(read_only=True)  # one reader holds its place beside the daemon while another comes
        try:
            ranked = [row["ranked"] for row in _exam(full, tmp_path)]
        finally:
            runtime.close()
        assert fingerprints(full.vault) == before
        assert notes_for(daemon.service, "why SQLite")[0] == "Home.md"
        daemon.service.rebuild("text")
        settled(daemon)
        assert notes_for(daemon.service, "why SQLite")[0] == ranked[0][0] == "Home.md"
