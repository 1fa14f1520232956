"""What stands near a note: memories with reasons, places and disputes, never the note itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ebbtide.memory.errors import NotFound
from ebbtide.serve.service import Service
from support import Place

NOTES = {
    "Pump.md": "---\ndate: 2026-03-02\n---\n# Garden pump\n\nThe garden pump in the pond broke. It follows [[Seal]].\n",
    "Seal.md": "---\ndate: 2026-03-01\n---\n# Worn seal\n\n😀 The seal of the garden pump was worn, so the pond leaked.\n",
    "Spare.md": "---\ntype: decision\ndate: 2026-05-02\n---\n# Spare pump\n\nWe decided to buy a spare garden pump for the pond.\n",
    "泵.md": "# 备用水泵\n\n花园里的水泵 pump 坏了,我们决定再买一台。\n",
    "Tulips.md": "# Tulips\n\nTulips need sun.\n",
}
OWNERS = {
    "a.md": "---\ndate: 2026-01-10\n---\n# 服务器\n\n负责人：陈牧\n",
    "b.md": "---\ndate: 2026-03-10\n---\n# 服务器\n\n- 负责人：苏禾\n",
}


@pytest.fixture
def service(place: Place) -> Iterator[Service]:
    with place.fill(NOTES).opened(recall__abstain=0.05) as opened:
        yield opened


def near(service: Service, note: str = "Pump.md", **options: Any) -> dict[str, dict[str, Any]]:
    answer = service.related(note, **options)
    assert answer["tokens"] == sum(item["tokens"] for item in answer["items"]) <= answer["budget"]
    return {item["note"]: item for item in answer["items"]}


def test_rows_say_where_they_are_from_and_whether_they_are_linked(service: Service, place: Place) -> None:
    found = near(service)
    assert {note: item["linked"] for note, item in found.items()} == {"Seal.md": True, "Spare.md": False}
    assert found["Spare.md"]["title"] == "Spare"
    for note, item in found.items():
        line = (place.vault / note).read_text("utf-8").splitlines()[item["line"] - 1]
        utf16 = line.encode("utf-16-le")[2 * item["column"] :].decode("utf-16-le")
        assert utf16.startswith(item["quote"].splitlines()[0])
        assert "this note's words" in item["why"][0]
        assert item["temperature"]["word"] in ("hot", "warm", "cool", "frozen")


def test_linked_notes_can_be_left_out(service: Service) -> None:
    assert set(near(service, unlinked=True)) == {"Spare.md"}
    assert set(near(service, "Seal.md", unlinked=True)) == {"Spare.md"}  # the other way round as well


def test_a_type_and_a_budget_are_kept_to(service: Service) -> None:
    assert {item["type"] for item in near(service, type="decision").values()} == {"decision"}
    assert len(near(service, limit=1)) == 1
    assert service.related("Pump.md", budget=1)["items"] == []


def test_reasons_are_given_in_the_language_that_is_asked_for(service: Service) -> None:
    for ask in (
        lambda lang: near(service, lang=lang),
        lambda lang: {i["note"]: i for i in service.recall("garden pump", lang=lang)["items"]},
    ):
        assert "关键词" in ask("zh")["Spare.md"]["why"][0]
        assert "keyword" in ask("en")["Spare.md"]["why"][0]
    said = service.explain("garden pump", "Spare.md", lang="zh")
    assert said["reason"] == "它在答案中。"
    assert said["steps"][0]["message"] == "这篇笔记在库中"
    assert service.related("Tulips.md", lang="zh")["empty_reason"].startswith("没有")
    assert service.related("Tulips.md")["empty_reason"].startswith("Nothing")


def test_a_dispute_shows_the_other_side_where_it_stands(place: Place) -> None:
    with place.fill(OWNERS).opened(recall__abstain=0.05) as service:
        item = near(service, "a.md")["b.md"]
        side = item["against"][0]
        assert (side["note"], side["line"], side["column"], side["as_of"]) == ("a.md", 6, 0, "2026-01-10")
        assert "陈牧" in side["quote"]
        assert "a.md:6" in item["inject"]
        both = {i["note"]: i["against"] for i in service.recall("服务器的负责人是苏禾吗")["items"]}
        assert both["a.md"][0]["note"] == "b.md"
        assert both["b.md"][0] == side
        line = OWNERS["b.md"].splitlines()[5].encode("utf-16-le")[2 * both["a.md"][0]["column"] :].decode("utf-16-le")
        assert line.startswith(both["a.md"][0]["quote"])


def test_what_was_shown_beside_a_note_can_be_confirmed_and_is_no_question(service: Service) -> None:
    service.recall("garden pump")
    last = service.shown.last()
    ident = near(service)["Spare.md"]["id"]
    assert service.shown.last() == last
    assert service.shown.question(ident) is not None
    assert service.uses([ident])["recorded"] == [ident]


def test_a_chain_starts_at_the_note_that_is_named(place: Place) -> None:
    notes = {
        "Outage.md": "# Outage\n\nThe shop was down. Caused by [[Disk]].\n",
        "Disk.md": "# Disk\n\nThe disk was full. Caused by [[Logs]].\n",
        "Logs.md": "# Logs\n\nLogs were kept for ever.\n",
    }
    with place.fill(notes).opened() as service:
        for start, rest in (("Outage.md", ["Disk.md", "Logs.md"]), ("Disk.md", ["Logs.md"])):
            found = service.why("tulips", note=start, direction="back", lang="zh")
            assert [place["note"] for place in found["chain"]] == [start, *rest]
            assert found["chain"][1]["edge"]["words"] == "因为"
        with pytest.raises(NotFound):
            service.why("tulips", note="Gone.md")


def test_what_is_done_to_a_passage_is_done_to_its_note_and_can_be_taken_back(service: Service) -> None:
    passage = near(service, "Pump.md")["Seal.md"]
    passages = service.note("Seal.md")["passages"]
    ident = passages[0]["id"]
    done = service.act(ident, "archive", "done with")
    assert "Seal.md" not in near(service)
    assert "Seal.md" in near(service, include=["archived"])
    service.undo(done["revisions"][0]["id"])
    assert near(service)["Seal.md"]["id"] == passage["id"]
    with pytest.raises(NotFound):
        service.act("p_0000000000000000", "archive")


def test_why_a_note_is_not_near_another_is_said(service: Service) -> None:
    def told(note: str, **options: Any) -> dict[str, Any]:
        return service.explain("", note, near="Pump.md", **options)

    assert told("Seal.md")["returned"]
    assert "what is linked is left out" in told("Seal.md", unlinked=True)["reason"]
    assert "有链接的笔记不显示" in told("Seal.md", unlinked=True, lang="zh")["reason"]
    assert "the note that was looked at" in told("Pump.md")["reason"]
    assert told("Spare.md", unlinked=True)["returned"]
    assert not told("Tulips.md")["found"]
