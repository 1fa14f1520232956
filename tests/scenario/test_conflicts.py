"""`exam conflicts` and `exam pairs` through the whole program: what they write, and that they touch nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import Place, fingerprints

NOTES = {
    "Harbour.md": "# Harbour\n\nThe Halden bridge over the Lumen was designed by Ines Carrow for the old harbour.\n",
    "Bridges.md": (
        "---\nsource: b-17\n---\n\nBridges of the north.\n\n"
        "The Halden bridge over the Lumen was designed by Piet Osman for the old harbour.\n"
    ),
    "码头.md": "码头的夜间照明由港务处的陈静负责，每天检查两次。\n",
    "照明.md": "照明记录：\n\n- 码头的夜间照明由港务处的刘洋负责，每天检查两次。\n",
    "Tests.md": "In the staging cluster the ferry service keeps 5 idle connections to the ticket database.\n",
    "Live.md": "In the production cluster the ferry service keeps 20 idle connections to the ticket database.\n",
    "Private.md": "---\nmemory: false\n---\nThe Halden bridge over the Lumen was designed by Otto Brandt for the old harbour.\n",
    "Tea.md": "- kind:: drink of the house\n- rating:: 4\n- source:: shelf 12\n",
    "Tee.md": "- kind:: drink of the house\n- rating:: 5\n- source:: shelf 13\n",
    "One.md": "---\nsource: rec-1\nid: 4711\nuid: a-1\n---\nNothing is said here.\n",
    "Two.md": "---\nsource: rec-2\nid: 4712\nuid: a-2\n---\nNothing is said here.\n",
}


def run(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ebbtide", *words]
    return subprocess.run(command, capture_output=True, text=True, env=place.environ, timeout=120, check=False)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def written(place: Place) -> Place:
    return place.fill(NOTES)


def flagged(place: Place, out: Path) -> list[dict[str, Any]]:
    done = run(place, "exam", "conflicts", "--vault", str(place.vault), "--out", str(out), "--no-model")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return lines(out)


def test_conflicts_are_named_with_their_lines_and_nothing_changes(written: Place, tmp_path: Path) -> None:
    before = fingerprints(written.vault)
    found = {frozenset((row["a"], row["b"])): row for row in flagged(written, tmp_path / "F.jsonl")}
    assert fingerprints(written.vault) == before
    assert set(found) == {frozenset(("Harbour.md", "Bridges.md")), frozenset(("码头.md", "照明.md"))}
    bridge = found[frozenset(("Harbour.md", "Bridges.md"))]
    place_of = {bridge["a"]: bridge["a_line"], bridge["b"]: bridge["b_line"]}
    assert place_of == {"Harbour.md": 3, "Bridges.md": 7}
    assert (bridge["kind"], bridge["ruling"]) == ("entity", "dispute")
    assert 0.5 <= bridge["score"] <= 1
    assert "Piet Osman" in bridge["reason"]
    owner = found[frozenset(("码头.md", "照明.md"))]
    assert owner["kind"] == "owner"
    assert "陈静" in owner["reason_zh"]


def test_the_same_vault_gives_the_same_file(written: Place, tmp_path: Path) -> None:
    flagged(written, tmp_path / "one.jsonl")
    flagged(written, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_a_slot_whose_change_is_told_is_superseded(place: Place, tmp_path: Path) -> None:
    place.fill(
        {
            "Spring.md": "---\ndate: 2024-03-01\n---\n网关的限流上限是 100 次每分钟。\n",
            "Autumn.md": "---\ndate: 2024-09-01\n---\n网关的限流上限现在是 200 次每分钟。\n",
            "Winter.md": "---\ndate: 2024-12-01\n---\n网关的限流上限是 200 次每分钟。\n",
        }
    )
    rows = {frozenset((row["a"], row["b"])): row for row in flagged(place, tmp_path / "F.jsonl")}
    assert set(rows) == {frozenset(("Spring.md", "Autumn.md")), frozenset(("Spring.md", "Winter.md"))}
    changed = rows[frozenset(("Spring.md", "Autumn.md"))]
    assert (changed["kind"], changed["ruling"]) == ("number", "supersede")
    assert "replaces" in changed["reason"]
    assert rows[frozenset(("Spring.md", "Winter.md"))]["ruling"] == "dispute", "later written down is not later true"


def test_pairs_are_judged_line_by_line(place: Place, tmp_path: Path) -> None:
    pairs, out = tmp_path / "P.jsonl", tmp_path / "D.jsonl"
    given = [
        {"id": "limit", "a": "The session limit is 40 users.", "b": "The session limit is 60 users."},
        {"id": "units", "a": "The timeout is 30 s.", "b": "The timeout is 30,000 ms."},
        {"id": "否定", "a": "导出功能支持表格文件。", "b": "导出功能不支持表格文件。"},
    ]
    pairs.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in given) + "\n\n", "utf-8")
    done = run(place, "exam", "pairs", "--pairs", str(pairs), "--out", str(out), "--no-model", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["contradictions"] == 2
    rows = lines(out)
    assert [(row["id"], row["contradiction"], row["kind"]) for row in rows] == [
        ("limit", True, "number"),
        ("units", False, None),
        ("否定", True, "negation"),
    ]
    assert all((row["score"] >= 0.5) == row["contradiction"] for row in rows)


def test_a_line_that_is_no_pair_is_named_and_nothing_is_written(place: Place, tmp_path: Path) -> None:
    pairs, out = tmp_path / "P.jsonl", tmp_path / "D.jsonl"
    pairs.write_text('{"id": 1, "a": "x", "b": "y"}\n{"id": 2, "a": "x"}\n', "utf-8")
    done = run(place, "exam", "pairs", "--pairs", str(pairs), "--out", str(out), "--no-model")
    assert done.returncode != 0
    assert "P.jsonl:2" in done.stderr
    assert not out.exists()
