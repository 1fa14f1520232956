"""`exam cite` through the whole program: the line that states a fact, how it is named, and that nothing is touched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import Place, fingerprints

NOTES = {
    "Talks/2024-03-02.md": (
        '---\ndate: 2024-03-02\nspeakers: ["Odile", "Tomas"]\n---\n\n'
        "**Odile**: Hey, long time no see! What have you been up to? ^t1\n\n"
        "**Tomas**: I sold the rowing boat to a school in Halden. It hurt a bit. ^t2\n\n"
        "**Odile**: I rowed in a boat like that as a girl. ^t3\n\n"
        "**Tomas**: Next week I start as a night baker. ^t4\n"
    ),
    "Garden.md": (
        "# Garden\n\nThe pump runs at night.\n\n"
        "- Quince tree planted by the wall in autumn 2021.\n- The hose leaks at the tap.\n\n"
        "```\nplant the quince tree\n```\n"
    ),
    "Lamp.md": "The lamp in the hall came from Vera's aunt.\nIt needs a 40 watt bulb. ^lamp\n",
    "茶.md": "# 茶\n\n水温不要超过八十度。\n\n- 这把壶是何清在杭州的市集上买的。\n- 每天早上喝两杯龙井。\n",
    "Private.md": "---\nmemory: false\n---\nThe quince tree was planted by the wall, said nobody.\n",
}


def run(place: Place, facts: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ebbtide", "exam", "cite", "--vault", str(place.vault)]
    return subprocess.run(
        [*command, "--facts", str(facts), "--out", str(out)],
        capture_output=True,
        text=True,
        env=place.environ | {"EBBTIDE_EMBED_ENABLED": "false"},
        timeout=120,
        check=False,
    )


def cited(place: Place, base: Path, *facts: str | dict[str, Any]) -> list[dict[str, Any]]:
    given, out = base / "F.jsonl", base / "R.jsonl"
    rows = [{"fact": fact} if isinstance(fact, str) else fact for fact in facts]
    given.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    done = run(place, given, out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


@pytest.fixture
def written(place: Place) -> Place:
    return place.fill(NOTES)


def test_the_line_is_named_by_its_block_or_its_number(written: Place, tmp_path: Path) -> None:
    before = fingerprints(written.vault)
    boat, quince, lamp, pot = cited(
        written,
        tmp_path,
        "Tomas sold his rowing boat to a school.",
        {"id": "tree", "fact": "A quince tree was planted by the wall in 2021."},
        "Vera's aunt gave the lamp in the hall.",
        "何清在市集上买了这把壶",
    )
    assert fingerprints(written.vault) == before
    assert boat["ranked"][0] == "Talks/2024-03-02.md#^t2"
    assert (boat["id"], boat["note"], boat["line"]) == (0, "Talks/2024-03-02.md", 8)
    assert boat["quote"] == "**Tomas**: I sold the rowing boat to a school in Halden."
    assert (quince["id"], quince["ranked"][0]) == ("tree", "Garden.md#L5")
    assert lamp["ranked"][0] == "Lamp.md#^lamp"
    assert (pot["note"], pot["line"]) == ("茶.md", 5)


def test_every_quote_is_verbatim_on_its_line_and_enough_lines_are_ranked(written: Place, tmp_path: Path) -> None:
    rows = cited(
        written, tmp_path, "The pump runs by night.", "Tomas becomes a baker.", "早上喝龙井", "Nothing like it."
    )
    for row in rows:
        lines = (written.vault / row["note"]).read_text("utf-8").split("\n")
        assert row["quote"] in lines[row["line"] - 1]
        assert len(row["ranked"]) >= 5
        assert len(row["ranked"]) == len(set(row["ranked"]))
        assert not any("Private.md" in place for place in row["ranked"])
    assert [row["ranked"][0] for row in rows[:3]] == ["Garden.md#L3", "Talks/2024-03-02.md#^t4", "茶.md#L6"]


def test_who_speaks_counts(written: Place, tmp_path: Path) -> None:
    odile, tomas = cited(written, tmp_path, "Odile rowed in a boat.", "Tomas had a rowing boat.")
    assert odile["ranked"][0] == "Talks/2024-03-02.md#^t3"
    assert tomas["ranked"][0] == "Talks/2024-03-02.md#^t2"


def test_an_empty_vault_cites_nothing(place: Place, tmp_path: Path) -> None:
    (row,) = cited(place, tmp_path, "Tomas sold his boat.")
    assert row == {"id": 0, "note": None, "line": None, "quote": None, "ranked": []}


@pytest.mark.parametrize("line", ["not json", '{"id": 1}', '{"fact": 7}', "[]"])
def test_a_line_that_is_no_fact_is_named_and_nothing_is_written(written: Place, tmp_path: Path, line: str) -> None:
    given, out = tmp_path / "F.jsonl", tmp_path / "R.jsonl"
    given.write_text('{"fact": "x"}\n' + line + "\n", "utf-8")
    done = run(written, given, out)
    assert done.returncode != 0
    assert "F.jsonl:2" in done.stderr
    assert not out.exists()
