"""Keyword search over real Tantivy: both scripts, identifiers, scope, and questions that mean harm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ebbtide.index.text import TantivyIndex
from ebbtide.memory.ports import KeywordResult

DOCS = {
    "fruit": ("Food/fruit.md", "水果", "仓库里存放着很多水果，周五盘点。"),
    "life": ("Work/life.md", "研究", "她在研究生命科学，也带研究生。"),
    "trad": ("Work/trad.md", "資料庫", "這個資料庫的連線數有上限。"),
    "code": ("Work/code.md", "Build", "重跑gen-itgc后报 E0425，UserManager.save() 在 v2.10.1 里改了。"),
    "tea": ("Food/tea.md", "Tea", "The experiments with green tea failed twice."),
    "cpp": ("Work/cpp.md", "Languages", "We moved from C++ to Rust and kept some C#."),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TantivyIndex]:
    made = TantivyIndex.open(tmp_path_factory.mktemp("text"))
    made.upsert((key, {"path": path, "title": title, "body": body}) for key, (path, title, body) in DOCS.items())
    made.commit()
    yield made
    made.close()


def keys(found: KeywordResult) -> list[str]:
    return [hit.key for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("水果", "fruit"),
        ("库", "fruit"),  # inside a word, never a word of its own
        ("存放", "fruit"),
        ("研究生", "life"),
        ("生命科学", "life"),
        ("连线 上限", "trad"),
        ("资料库", "trad"),
        ("連線數", "trad"),
        ("gen-itgc", "code"),
        ("itgc", "code"),
        ("E0425", "code"),
        ("manager", "code"),
        ("2.10.1", "code"),
        ("experiment", "tea"),
        ("C++", "cpp"),
    ],
)
def test_what_people_type_is_found(index: TantivyIndex, query: str, key: str) -> None:
    assert key in keys(index.search(query, 10))[:2]


def test_a_folder_limits_the_search(index: TantivyIndex) -> None:
    assert set(keys(index.search("研究 水果 tea", 10, "Food/"))) == {"fruit", "tea"}
    assert keys(index.search("水果", 10, "Work/")) == []


def test_a_quoted_phrase_lifts_and_shuts_nothing_out(index: TantivyIndex) -> None:
    assert keys(index.search('"green tea"', 10))[0] == "tea"
    assert keys(index.search('"what tea failed twice and why was that"', 10))[0] == "tea"


def test_coverage_has_a_ceiling_that_no_document_passes(index: TantivyIndex) -> None:
    found = index.search("green tea experiments", 10)
    assert 0 < found.hits[0].score <= found.ceiling * 2  # title and phrase may add to the body's score


@pytest.mark.parametrize(
    "query",
    ["", " ", ".", "。，！？", "(" * 3000, ")(" * 3000, "a:b", "title:x", "/re/", "\\", "[[note]]", "*", "AND OR NOT", '"', '""', "\ud800",
     "\0", "😀", "x" * 100_000, "水" * 50_000, "-tea", "tea~9", "{!raw}"],
)  # fmt: skip
def test_no_question_is_taken_for_syntax(index: TantivyIndex, query: str) -> None:
    assert isinstance(index.search(query, 10), KeywordResult)


@pytest.mark.parametrize("limit", [-1, 0, 2**62])
def test_any_limit_is_bounded(index: TantivyIndex, limit: int) -> None:
    assert index.search("tea", limit).hits


def test_replacing_and_deleting_show_after_a_commit(tmp_path: Path) -> None:
    index = TantivyIndex.open(tmp_path / "text")
    index.upsert([("a", {"path": "a.md", "title": "", "body": "narwhal"})])
    assert keys(index.search("narwhal", 5)) == []
    index.commit()
    assert keys(index.search("narwhal", 5)) == ["a"]
    index.upsert([("a", {"path": "a.md", "title": "", "body": "okapi"})])
    index.commit()
    assert (keys(index.search("narwhal", 5)), keys(index.search("okapi", 5))) == ([], ["a"])
    index.delete(["a", "never there"])
    index.commit()
    assert keys(index.search("okapi", 5)) == []
    index.close()


def test_equal_scores_come_in_the_order_of_keys(tmp_path: Path) -> None:
    index = TantivyIndex.open(tmp_path / "text")
    index.upsert((key, {"path": f"{key}.md", "title": "", "body": "same words"}) for key in ("c", "a", "b"))
    index.commit()
    assert keys(index.search("same", 5)) == ["a", "b", "c"]
    index.close()


def test_an_unbroken_run_of_any_length_is_not_lost(tmp_path: Path) -> None:
    index = TantivyIndex.open(tmp_path / "text")
    index.upsert(
        [("run", {"path": "run.md", "title": "", "body": "这是一个没有任何标点也没有空格的很长很长的句子里面藏着海豚"})]
    )
    index.commit()
    assert keys(index.search("海豚", 5)) == ["run"]
    index.close()
