"""The shared link cases where they are at hand, else a few of our own in the same format."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1].parent / "shared" / "conformance" / "links-cases.json"


def _runner() -> Any:
    spec = importlib.util.spec_from_file_location("conformance_run", HERE / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run = _runner()


def _link(target: str | None, raw: str, kind: str = "wikilink", **more: str) -> dict[str, str | None]:
    names = ("heading", "block", "alias", "relation")
    return {"target": target, "raw": raw, "kind": kind, **{name: more.get(name) for name in names}}


def _case(name: str, text: str, links: list[dict[str, str | None]], **more: Any) -> dict[str, Any]:
    files = dict.fromkeys(more.pop("others", ()), "")
    return {
        "id": name, "layer": more.pop("layer", "obsidian"), "files": {**files, "day/today.md": text},
        "source": "day/today.md", "expect_links": links, **more,
    }  # fmt: skip


OWN_CASES = [
    _case(
        "mixed", "Met [[ann]] and [Bob](people/Bob%20B.md#Work \"x\"), not `[[Ann]]`. #met\n",
        [_link("people/Ann.md", "[[ann]]"),
         _link("people/Bob B.md", '[Bob](people/Bob%20B.md#Work "x")', "markdown", heading="Work", alias="Bob")],
        others=("people/Ann.md", "people/Bob B.md"), expect_tags=["met"],
    ),
    _case(
        "nearest", "[[Plan]] [[./Plan]] [[../Plan]] [[/old/Plan]]\n",
        [_link("day/Plan.md", "[[Plan]]"), _link("day/Plan.md", "[[./Plan]]"), _link(None, "[[../Plan]]"),
         _link("old/Plan.md", "[[/old/Plan]]")],
        others=("day/Plan.md", "old/Plan.md", "x/Plan.md"),
    ),
    _case(
        "properties", "---\nup: \"[[Home]]\"\nnext: [[Home]]\naliases: [T, U]\n---\n| a |\n|---|\n| [[Home\\|h]] |\n",
        [_link("Home.md", "[[Home]]", "frontmatter", relation="up"), _link("Home.md", "[[Home\\|h]]", alias="h")],
        others=("Home.md",), expect_aliases=["T", "U"],
    ),
    _case(
        "fields", "- [ ] leads to:: [[Home]]\n- leads to:: [[Home]]\n",
        [_link("Home.md", "[[Home]]"), _link("Home.md", "[[Home]]", "inline-field", relation="leads to")],
        others=("Home.md",), layer="dataview",
    ),
    _case(
        "hidden", "%% [[Home]] %%\n<!-- [[Home]] -->\n\n    [[Home]]\n\n$x [[Home]]$ and \\[[Home]] end ^here\n",
        [_link("Home.md", "[[Home]]")], others=("Home.md",), expect_blocks=["here"],
    ),
    _case("skipped", "- up [[Home]]\n", [], others=("Home.md",), layer="juggl"),
]  # fmt: skip


def test_own_cases_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(OWN_CASES), encoding="utf-8")
    assert run.main([str(file), "-v"]) == 0
    assert capsys.readouterr().out == f"{len(OWN_CASES) - 1} passed, 0 failed, 1 skipped\n"


def test_a_failing_case_is_named_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = _case("wrong", "[[Home]]\n", [])
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([wrong]), encoding="utf-8")
    assert run.main([str(file)]) == 1
    assert capsys.readouterr().out == "wrong\n0 passed, 1 failed, 0 skipped\n"


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not beside this checkout")
def test_shared_cases_pass() -> None:
    for case in json.loads(SHARED.read_text(encoding="utf-8")):
        if case["layer"] not in run.SKIPPED_LAYERS:
            assert run.check_case(case) == [], case["id"]


def test_what_obsidian_sees_is_held_against_the_vault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The plugin's export has no files of its own: they are read from the vault it came from."""
    vault = tmp_path / "vault"
    (vault / "Ideas").mkdir(parents=True)
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "B.md").write_text("hidden", "utf-8")
    (vault / "A.md").write_text("# Top\nSee [[B]] and [[C]]. #tag\n", "utf-8")
    (vault / "Ideas" / "B.md").write_text("", "utf-8")
    link = {"raw": "[[B]]", "target": "Ideas/B.md", "kind": "wikilink"}
    case = {
        "id": "A.md", "layer": "obsidian", "source": "A.md", "expect_tags": ["Tag"], "expect_headings": ["Top"],
        "expect_links": [link, {"raw": "[[C]]", "target": None, "kind": "wikilink"}],
    }  # fmt: skip
    cases = tmp_path / "seen.json"
    cases.write_text(json.dumps([case]), "utf-8")
    assert run.main([str(cases), "--vault", str(vault)]) == 0
    assert capsys.readouterr().out.endswith("1 passed, 0 failed, 0 skipped\n")
    cases.write_text(json.dumps([case | {"expect_links": [link]}]), "utf-8")
    assert run.main([str(cases), "--vault", str(vault), "-v"]) == 1
    assert "surplus link" in capsys.readouterr().out
