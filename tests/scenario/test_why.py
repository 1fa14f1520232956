"""Why something is so, over real notes: the chain in order, its sentences, what it may and may not follow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest
from ebbtide.prove.exam import why as exam_why
from support import Place, fingerprints

PRICING = {
    "Annual pricing.md": "---\ndate: 2026-05-02\nbecause: ['[[Server bill]]']\n---\n# Annual pricing\n\nThe app is sold by the year.\n",
    "Server bill.md": "---\ndate: 2026-04-01\n---\n# Server bill\n\nHosting grew fourfold.\n\ncaused by:: [[Photo uploads]]\n",
    "Photo uploads.md": "---\ndate: 2026-03-10\n---\n# Photo uploads\n\nVolunteers send pictures of every tree.\n",
    "Unrelated.md": "# Unrelated\n\nTulips need sun.\n",
}


def why(place: Place, query: str, **options: Any) -> dict[str, Any]:
    with place.opened() as service:
        return service.why(query, **options)


def notes(answer: Mapping[str, Any]) -> list[str]:
    return [step["note"] for step in answer["chain"]]


def test_a_chain_goes_from_the_question_to_the_ground_with_its_sentences(place: Place) -> None:
    answer = why(place.fill(PRICING), "Why is the app sold with annual pricing?")
    assert notes(answer) == ["Annual pricing.md", "Server bill.md", "Photo uploads.md"]
    assert answer["kind"] == "typed"
    assert answer["direction"] == "back"
    first, second, third = answer["chain"]
    assert first["edge"] is None
    assert (second["edge"]["type"], second["edge"]["words"], second["edge"]["declared"]) == (
        "causes",
        "because of",
        True,
    )
    assert (third["edge"]["source"], third["edge"]["line"]) == ("Server bill.md", 8)
    assert "[[Photo uploads]]" in third["edge"]["sentence"]
    assert (second["date"], third["title"]) == ("2026-04-01", "Photo uploads")
    assert answer["notes"][:3] == notes(answer)


def test_and_from_a_ground_to_what_came_of_it(place: Place) -> None:
    answer = why(place.fill(PRICING), "What came of the photo uploads?")
    assert answer["direction"] == "forward"
    assert notes(answer) == ["Photo uploads.md", "Server bill.md", "Annual pricing.md"]
    assert [step["edge"]["words"] for step in answer["chain"][1:]] == ["led to", "led to"]
    back = why(place, "What came of the photo uploads?", direction="back")
    assert "Server bill.md" not in notes(back)


@pytest.mark.parametrize(
    ("query", "far"),
    [
        ("How did the photo uploads of volunteers cause annual pricing?", "Annual pricing.md"),
        ("Why did photo uploads lead to the server bill?", "Server bill.md"),
    ],
)
def test_a_question_that_names_both_ends_starts_at_the_effect(place: Place, query: str, far: str) -> None:
    answer = why(place.fill(PRICING), query)
    assert (answer["kind"], answer["direction"]) == ("typed", "back")
    assert (notes(answer)[0], notes(answer)[-1]) == (far, "Photo uploads.md")
    onward = why(place, query, direction="forward")
    assert notes(onward)[0] == "Photo uploads.md"


def test_an_effect_that_no_note_is_about_leaves_the_question_as_it_is(place: Place) -> None:
    answer = why(place.fill(PRICING), "Why did annual pricing lead to zebras?")
    assert notes(answer) == ["Annual pricing.md", "Server bill.md", "Photo uploads.md"]


def test_a_question_in_chinese_is_answered_in_chinese(place: Place) -> None:
    place.fill(
        {
            "年费定价.md": "---\n因为: '[[服务器账单]]'\n---\n# 年费定价\n\n改成按年收费。\n",
            "服务器账单.md": "# 服务器账单\n\n托管费涨了四倍。\n\n原因:: [[照片上传]]\n",
            "照片上传.md": "# 照片上传\n\n志愿者给每棵树拍照。\n",
        }
    )
    answer = why(place, "为什么改成年费定价？")
    assert notes(answer) == ["年费定价.md", "服务器账单.md", "照片上传.md"]
    assert answer["chain"][1]["edge"]["words"] == "因为"
    assert "原因" in answer["message"]


def test_a_supersession_is_followed_and_marked(place: Place) -> None:
    place.fill(
        {
            "Merge log.md": "---\nsupersedes: '[[Last write wins]]'\n---\n# Merge log\n\nFields merge one by one.\n",
            "Last write wins.md": "# Last write wins\n\nThe newest copy stays.\n",
        }
    )
    answer = why(place, "Why do we have the merge log?")
    assert notes(answer) == ["Merge log.md", "Last write wins.md"]
    assert answer["chain"][1]["superseded_by"] == "Merge log.md"
    assert answer["chain"][0]["superseded_by"] is None


def test_as_of_a_day_later_notes_are_no_part_of_it(place: Place) -> None:
    place.fill(
        PRICING
        | {"Cheaper host.md": "---\ndate: 2026-09-01\nsupersedes: '[[Server bill]]'\n---\n# Cheaper host\n\nMoved.\n"}
    )
    answer = why(place, "What came of the photo uploads?", as_of="2026-04-15")
    assert notes(answer) == ["Photo uploads.md", "Server bill.md"]
    assert answer["chain"][1]["superseded_by"] is None
    assert why(place, "What came of the photo uploads?")["chain"][1]["superseded_by"] == "Cheaper host.md"


def test_a_cycle_ends(place: Place) -> None:
    place.fill(
        {
            "Stress.md": "---\ncauses: '[[Bad sleep]]'\n---\n# Stress\n\nMuch of it.\n",
            "Bad sleep.md": "---\ncauses: '[[Stress]]'\n---\n# Bad sleep\n\nToo short.\n",
        }
    )
    assert notes(why(place, "Why is there bad sleep?")) == ["Bad sleep.md", "Stress.md"]


def test_mentions_alone_are_a_path_and_said_to_be_weaker(place: Place) -> None:
    place.fill(
        {
            "Kayak.md": "# Kayak\n\nBought after [[Lake week]].\n",
            "Lake week.md": "# Lake week\n\nSeven days of rain.\n",
            "Other.md": "# Other\n\nNothing.\n",
        }
    )
    answer = why(place, "Why the kayak?")
    assert answer["kind"] == "path"
    assert notes(answer) == ["Kayak.md", "Lake week.md"]
    assert not answer["chain"][1]["edge"]["reasoned"]
    assert "weaker" in answer["message"]


@pytest.mark.parametrize(("query", "says"), [("Why do tulips need sun?", "No chain"), ("Why zzzqqq?", "No")])
def test_where_nothing_connects_it_says_so(place: Place, query: str, says: str) -> None:
    answer = why(place.fill(PRICING), query)
    assert (answer["kind"], answer["chain"]) == ("none", [])
    assert answer["message"].startswith(says)


def test_a_folder_holds_the_chain_in(place: Place) -> None:
    place.fill({f"In/{name}" if name != "Photo uploads.md" else name: text for name, text in PRICING.items()})
    assert notes(why(place, "Why annual pricing?", scope="In")) == ["In/Annual pricing.md", "In/Server bill.md"]


def test_a_hub_is_nobodys_reason(place: Place) -> None:
    place.fill({f"spoke{n}.md": f"# Spoke {n}\n\nSee [[Home]].\n" for n in range(200)})
    place.fill({"Home.md": "# Home\n\n" + "".join(f"- [[spoke{n}]]\n" for n in range(200))})
    place.fill(
        {
            "Kayak.md": "# Kayak\n\nOn the list at [[Home]], bought after [[Lake week]].\n",
            "Lake week.md": "# Lake week\n\nRain.\n",
        }
    )
    answer = why(place, "Why the kayak?")
    assert notes(answer) == ["Kayak.md", "Lake week.md"]


def test_recall_brings_the_far_notes_of_a_question_why(place: Place) -> None:
    place.fill(PRICING | {f"other{n}.md": f"# Other {n}\n\nAnnual plan number {n} about the app.\n" for n in range(12)})
    with place.opened() as service:
        found = service.recall("Why is the app sold with annual pricing?")["notes"]
        assert found.index("Photo uploads.md") < 10
        plain = service.recall("app sold with annual pricing")["notes"]
    assert "Server bill.md" in plain
    assert "Photo uploads.md" not in plain
    with place.opened(recall__graph_parents=0) as service:
        assert "Photo uploads.md" not in service.recall("Why is the app sold with annual pricing?")["notes"]


def test_a_memory_on_the_chain_shows_where_it_leads(place: Place) -> None:
    with place.fill(PRICING).opened() as service:
        items = service.recall("Why is the app sold with annual pricing?")["items"]
        chains = {item["note"]: [step["note"] for step in item["chain"]] for item in items if item["chain"]}
        assert chains["Annual pricing.md"] == ["Server bill.md", "Photo uploads.md"]
        assert items[0]["chain"][0]["words"] == "because of"
        assert all(not item["chain"] for item in service.recall("app sold with annual pricing")["items"])


def test_the_batch_writes_the_chain_first_and_changes_nothing(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill(PRICING)
    for name, value in (place.environ | {"EBBTIDE_EMBED_ENABLED": "false"}).items():
        monkeypatch.setenv(name, value)
    before = fingerprints(place.vault)
    queries, out = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    queries.write_text(
        '{"id": 1, "query": "Why annual pricing?"}\n'
        '{"id": 2, "query": "annual pricing", "direction": "forward", "as_of": "2026-06-01"}\n'
        '{"id": 3, "query": "Why xyzzy?"}\n'
    )
    done = exam_why(place.vault, queries, out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert done["questions"] == 3
    assert [row["id"] for row in rows] == [1, 2, 3]
    assert rows[0]["chain"] == rows[0]["ranked"][:3] == ["Annual pricing.md", "Server bill.md", "Photo uploads.md"]
    assert rows[1]["chain"] == []
    assert rows[2]["abstained"]
    assert all(len(row["ranked"]) == 4 for row in rows)
    assert fingerprints(place.vault) == before
    for wrong in ('"direction": "up"', '"as_of": "yesterday"', '"as_of": "2026-02-30"', '"as_of": 20260601'):
        queries.write_text(f'{{"id": 1, "query": "x", {wrong}}}\n')
        with pytest.raises(BadRequest, match=":1 "):
            exam_why(place.vault, queries, out)
