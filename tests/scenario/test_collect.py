"""What a night catches in a real vault: which notes, why, with which sentences, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from ebbtide.config_sleep import Sleep
from ebbtide.runtime import Runtime
from ebbtide.serve.service import Service
from ebbtide.sleep.collect import Sources, candidate_key, collect
from ebbtide.sleep.nights import Candidate
from support import Place, fingerprints
from tiny import STEMS, story, write_tiny

TODAY = "2026-11-30"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("model") / "tiny")


def day(back: int) -> str:
    return (date.fromisoformat(TODAY) - timedelta(days=back)).isoformat()


def dated(back: int, text: str, **properties: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in {"date": day(back), **properties}.items())
    return f"---\n{lines}---\n{text}\n"


def sources(runtime: Runtime, settings: Sleep | None = None) -> Sources:
    folder, keyword = runtime.config.memory.folder, runtime.texts["notes"]
    return Sources(runtime.catalog, runtime.store, runtime.near, keyword, folder, settings or runtime.config.sleep)


def caught(service: Service, today: str = TODAY, since: str | None = None) -> dict[str, Candidate]:
    found, _ = collect(sources(service.runtime, Sleep(least=20)), today, since)
    return {candidate.note: candidate for candidate in found}


def decide(service: Service, kind: str, *subjects: str) -> str:
    base: dict[str, object] = {"by": "daemon", "object": None, "changes": [], "why": "", "evidence": []}
    return str(service.runtime.sync.decisions.record({**base, "kind": kind, "subjects": list(subjects)})[0]["id"])


PLAIN = "The pump was checked by Mara in the north cellar."
NOTES: Mapping[str, str] = {
    "Daily/2026-11-29.md": f"# 2026-11-29\n\n{PLAIN}\n",
    "Work/Pump.md": dated(0, "I realised that the pump only leaks when the tank is full."),
    "Work/Old.md": dated(7, PLAIN),
    "Work/Tomorrow.md": dated(-1, PLAIN),
    "Work/Undated.md": PLAIN,
    "Talks/Monday.md": dated(2, "**Mara**: The pump has a new seal.\n\n**Ole**: I bought the seal in Bergen."),
    "Memory/working/Now.md": dated(1, "The seal must be ordered before Friday."),
    "Memory/episodic/2026/11/Leak.md": dated(3, "Tried a new seal.", type="debug", result="failure"),
    "Memory/conversations/2026-11-28.md": "**user**: I think the seal is the cause.\n\n**assistant**: It is the tank.\n",
    "Memory/conversations/2026-10-01.md": "**user**: I think of the autumn.\n\n**assistant**: I see.\n",
    "Memory/core/principles/Check seals.md": dated(1, "Check the seal first.", type="principle"),
    "Memory/people/Mara/behavioral.md": dated(1, "Mara likes short answers."),
    "Memory/reports/2026-11-29.md": dated(1, "Nothing was caught."),
    "Principles/Rest.md": dated(1, "Rest before a long drive.", type="principle"),
    "Home.md": dated(0, "A list of everything: [[Pump]]."),
    "Templates/Day.md": dated(0, PLAIN),
    "Machine.md": dated(0, PLAIN, author="claude"),
    "Secret.md": dated(0, PLAIN, memory="false"),
    "Kept/Away.md": dated(0, PLAIN),
    "Diary.md": dated(0, "The letter to Ole is in the drawer.", private="true"),
    "Code.md": dated(0, "```\npump = open()\n```"),
    "Work/Pump (conflicted copy 2026-11-30 101010).md": dated(0, PLAIN),
}
TAKEN = {
    "Daily/2026-11-29.md",
    "Work/Pump.md",
    "Talks/Monday.md",
    "Memory/working/Now.md",
    "Memory/episodic/2026/11/Leak.md",
    "Memory/conversations/2026-11-28.md",
    "Diary.md",
}


def owned(place: Place) -> Place:
    """The memory folder is ours before notes are put into it."""
    with place.opened():
        pass
    return place


def test_a_persons_notes_of_the_week_are_looked_at_and_nothing_else(place: Place) -> None:
    owned(place).fill(NOTES)
    with place.opened(vault__excluded=["Kept/"]) as service:
        before = fingerprints(place.vault)
        found = caught(service)
        assert set(found) == TAKEN
        assert collect(sources(service.runtime), TODAY)[1] == len(TAKEN)
        assert fingerprints(place.vault) == before
        assert [note for note, candidate in found.items() if candidate.private] == ["Diary.md"]
        talk = found["Memory/conversations/2026-11-28.md"]
        assert [quote.text for quote in talk.quotes] == ["I think the seal is the cause."]
        for note, candidate in found.items():
            lines = (place.vault / note).read_text("utf-8").split("\n")
            assert candidate.quotes
            assert all(quote.note == note and quote.text in lines[quote.line - 1] for quote in candidate.quotes)


def test_the_window_begins_where_the_last_night_ended(place: Place) -> None:
    owned(place).fill(NOTES)
    with place.opened() as service:
        assert "Work/Old.md" in caught(service, since=day(7))
        assert set(caught(service, since=TODAY)) == {"Work/Pump.md", "Diary.md", "Kept/Away.md"}
        assert "Work/Tomorrow.md" in caught(service, today=day(-1))


def test_what_a_night_dealt_with_is_not_caught_again_unless_it_changes(place: Place) -> None:
    owned(place).fill({"Work/Pump.md": NOTES["Work/Pump.md"], "Work/Seal.md": dated(0, PLAIN)})
    with place.opened() as service:
        first = caught(service)
        undone = decide(service, "release", first["Work/Pump.md"].key)
        decide(service, "promote", first["Work/Seal.md"].key)
        assert caught(service) == {}
        assert collect(sources(service.runtime), TODAY) == ((), 0)
        service.runtime.sync.decisions.undo(undone, "user", "not so")
        assert caught(service) == {"Work/Pump.md": first["Work/Pump.md"]}
        place.write("Work/Seal.md", dated(0, PLAIN + " It held."))
        service.catch_up(vectors=False)
        again = caught(service)["Work/Seal.md"]
        row = service.runtime.catalog.file("Work/Seal.md")
        assert row is not None
        assert again.key == candidate_key(row.id, row.digest) != first["Work/Seal.md"].key


def test_words_of_insight_make_a_note_salient_and_are_its_first_quote(place: Place) -> None:
    words = "我意识到漏水只在水箱装满时出现。这说明密封圈没有坏。"
    place.fill(
        {f"Tag/{day(back)}.md": f"# {day(back)}\n\n今天检查了北边地窖的水泵，一切正常。" for back in range(1, 25)}
    )
    place.fill({f"Tag/{TODAY}.md": f"# {TODAY}\n\n早上去了市场。\n\n{words}\n"})
    with place.opened() as service:
        found, looked = collect(sources(service.runtime), TODAY)
        assert (len(found), looked) == (3, 7)  # six calm days stay below: two of them only fill up to three
        best = found[0]
        assert best.note == f"Tag/{TODAY}.md"
        assert best.parts["ins"] == 1.0
        assert best.lang == "zh"
        assert best.salience > found[1].salience
        assert best.quotes[0].text in words
        assert best.quotes[0].line == 5
        assert any("意识到" in sentence for sentence in best.why)


def test_a_figure_that_leaves_its_range_is_told_with_its_past(place: Place) -> None:
    for back in range(1, 20):
        body = f"# {day(back)}\n\nResting pulse: {58 + back % 3} bpm\n"
        place.write(f"Log/{day(back)}.md", f"---\nweight: {70 + back % 2 / 10} kg\n---\n{body}")
    place.write(f"Log/{TODAY}.md", f"---\nweight: 70.1 kg\n---\n# {TODAY}\n\nWe had soup.\n\nResting pulse: 88 bpm\n")
    place.write("Other/Cat.md", dated(0, "The cat sleeps in the hall.", weight="4 kg"))
    with place.opened() as service:
        found = caught(service)
        log, cat = found[f"Log/{TODAY}.md"], found["Other/Cat.md"]
        assert log.parts["chg"] == 1.0
        assert log.quotes[0].text == "Resting pulse: 88 bpm"
        assert any("88" in sentence and "59" in sentence for sentence in log.why)
        assert cat.parts["chg"] == 0.0  # another folder, another series
        assert found[f"Log/{day(1)}.md"].parts["chg"] < 0.5


def test_links_to_the_core_and_its_names_are_ties(place: Place) -> None:
    owned(place).fill(
        {
            "Memory/core/principles/Check seals.md": dated(40, "Check the seal first.", type="principle"),
            "Memory/core/models/Tank.md": dated(40, "A tank sweats.", type="model", aliases="[cold tank]"),
            "早睡原则.md": dated(40, "十一点前睡觉。", type="原则"),
            "Linked.md": dated(0, "The leak is back. See [[Check seals]]. It is about the Cold Tank."),
            "Named.md": dated(1, "按早睡原则，今天十点半就睡了。"),
            "Neither.md": dated(1, "The tanks arrived, and with them a checked seal."),
        }
    )
    with place.opened() as service:
        found = caught(service)
        assert found["Linked.md"].parts["lnk"] == pytest.approx(2 / 3, abs=1e-4)
        assert any("Check seals" in sentence and "Tank" in sentence for sentence in found["Linked.md"].why)
        assert found["Named.md"].parts["lnk"] == pytest.approx(1 / 3, abs=1e-4)
        assert found["Neither.md"].parts["lnk"] == 0.0
        decide(service, "archive", service.runtime.catalog.file("早睡原则.md").id)  # type: ignore[union-attr]
        assert caught(service)["Named.md"].parts["lnk"] == 0.0


def test_what_contradicts_or_replaces_an_earlier_statement_comes_first(place: Place) -> None:
    place.fill(
        {
            "2025/Import.md": dated(30, "# Import\n\nThe timeout is 30 seconds."),
            "2026/Import.md": dated(0, "# Import\n\nThe weather was fine.\n\nThe timeout is now 90 seconds."),
            "Calm.md": dated(0, "The letter to Ole is in the drawer."),
        }
    )
    with place.opened() as service:
        found, _ = collect(sources(service.runtime), TODAY)
        best = found[0]
        assert best.note == "2026/Import.md"
        assert best.parts["rev"] == 1.0
        assert best.salience >= 0.8
        assert best.quotes[0].text == "The timeout is now 90 seconds."
        assert "Import" in best.why[0]
        assert found[1].parts["rev"] == 0.0
        earlier, _ = collect(sources(service.runtime), day(30))
        assert [(c.note, c.parts["rev"]) for c in earlier] == [
            ("2025/Import.md", 0.0)
        ]  # what came later is not known yet


def test_a_change_that_names_a_core_memory_revises_it(place: Place) -> None:
    owned(place).fill(
        {
            "Memory/core/principles/Tea at night.md": dated(40, "Drink tea, not coffee.", type="principle"),
            "Today.md": dated(0, "I switched from Tea at night to warm milk, and slept."),
            "Calm.md": dated(0, "Tea at night was good again."),
        }
    )
    with place.opened() as service:
        found = caught(service)
        assert found["Today.md"].parts["rev"] == 1.0
        assert "Tea at night" in found["Today.md"].why[0]
        assert found["Calm.md"].parts["rev"] == 0.0


def test_novelty_comes_from_stored_vectors_and_embeds_nothing(place: Place, model: Path) -> None:
    place.options |= {"embed.enabled": True, "embed.model": str(model)}
    alike, strange = " ".join(STEMS[:9]), " ".join(STEMS[60:69])
    owned(place).fill({f"Log/{day(back)}.md": f"The {alike} was on shelf {back}.\n" for back in range(30)})
    place.write("Strange.md", dated(0, f"The {strange} was on a shelf."))
    place.write("Memory/core/patterns/Shelf.md", dated(60, f"The {alike} is on a shelf.", type="pattern"))
    with place.opened(vectors=True) as service:
        backfill = service.runtime.backfill
        assert backfill is not None
        before = backfill.embedded
        found = caught(service)
        assert backfill.embedded == before
        assert found["Strange.md"].parts["nov"] > 0.9
        assert (
            max(c.parts["nov"] for note, c in found.items() if note != "Strange.md") < found["Strange.md"].parts["nov"]
        )
        assert found[f"Log/{TODAY}.md"].near == ("Memory/core/patterns/Shelf.md",)
    with place.opened() as service:  # by keyword
        assert caught(service)["Strange.md"].parts["nov"] > 0.9


@pytest.mark.parametrize("vectors", [False, True])
def test_two_vaults_of_the_same_notes_give_the_same_candidates(tmp_path: Path, model: Path, vectors: bool) -> None:
    found = []
    for name in ("one", "two"):
        (tmp_path / name / "vault").mkdir(parents=True)
        place = Place(tmp_path / name)
        place.options |= {"embed.enabled": vectors, "embed.model": str(model)}
        for seed in sorted(range(40), reverse=name == "two"):
            place.write(f"Notes/n{seed}.md", dated(seed % 12, story(seed)))
        with place.opened(vectors=vectors) as service:
            found.append(collect(sources(service.runtime), TODAY))
    assert found[0] == found[1]
    assert 3 <= len(found[0][0]) <= 20


def test_hostile_names_and_texts_stay_text(place: Place) -> None:
    owned(place).fill(
        {
            "Memory/core/principles/(a+)+$ [xyz.md": dated(9, "Nothing.", aliases='[".*", "{0}", "(((((("]'),
            "Memory/core/principles/aa.md": dated(9, "Too short a name."),
            "日记/%s{}.md": dated(
                0, "I realised that {0} and %s name (a+)+$ [xyz here. aa aa aaaaaaaaaaaaaaaaaaaaaaaaaaa!"
            ),
            "broken.md": f"---\ndate: {TODAY}\nweight: [\n---\n\x00 words of a broken note \ufffd\n".encode()
            + b"\xff\xfe",
            "Memory/conversations/2026-11-30 ../x.md": "**user**: hello there, I came by.\n",
        }
    )
    with place.opened() as service:
        found = caught(service)
        assert found["日记/%s{}.md"].parts["lnk"] == pytest.approx(1 / 3, abs=1e-4)
        settings = replace(Sleep(least=20), markers=("(a+)+$",))
        assert collect(sources(service.runtime, settings), TODAY)[0]
