"""Answers from real notes: what is quoted stands in its note, what belongs beside it is there, and silence where nothing answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ebbtide.parse.note import parse_note
from ebbtide.recall.answer_marks import unescaped
from ebbtide.serve.cli import main
from ebbtide.serve.service import Service
from support import Place, fingerprints

SAMPLE = Path(__file__).parents[2] / "sample-vault"
RESULTS = ("failure", "partial")


def dated(day: str, body: str, more: str = "") -> str:
    return f"---\ndate: {day}\n{more}---\n{body}"


def sound(answer: Mapping[str, Any], vault: Path) -> None:
    """What holds of every answer: quotes stand where they are said to, and every number in the text has its citation."""
    for n, cited in enumerate(answer["citations"], 1):
        assert cited["n"] == n
        text = (vault / cited["note"]).read_text("utf-8")
        rest = "\n".join(text.split("\n")[cited["line"] - 1 :])
        units = rest.encode("utf-16-le")[2 * cited["column"] :].decode("utf-16-le")
        assert units.startswith(cited["quote"]), cited
        assert f"[{n}]" in answer["answer"]
    assert answer["abstained"] is not bool(answer["citations"])
    assert answer["by"] == "extract"
    for place in answer["chain"][1:]:
        assert answer["citations"][place["n"] - 1]["note"] == place["edge"]["source"]
        assert place["edge"]["reasoned"]
    for part in (answer["episode"] or {"parts": {}})["parts"].values():
        cited = answer["citations"][part["n"] - 1]
        assert (cited["note"], cited["quote"]) == (answer["episode"]["note"], part["quote"])


def first(answer: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = answer["citations"][0]
    return found


# --- the sample vault -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path]]:
    """A copy of the sample vault, opened once with the real model."""
    base = tmp_path_factory.mktemp("ask")
    shutil.copytree(SAMPLE, base / "vault")
    place = Place(base, {"recall.deadline_ms": 60_000})
    with place.opened(read_only=True, vectors=True) as service:
        yield service, place.vault


QUESTIONS = [
    ("为什么从买断改成年费？", "zh", "Projects/Mosslog/Decisions/决定-年费定价.md", "买断的收入只来一次"),
    ("Why did we give up last-write-wins?", "en", "ADR-007 Per-Field Merge Log.md", "trusts the phone's clock"),
    ("Why did the dialect voice input trial fail?", "en", "实验-方言语音录入.md", "模型只学过普通话"),
    ("上次做离线卫星图为什么翻车？", "zh", "Sprint 09 Offline Map Tiles.md", "1.7 GB"),
    ("搬家那天几点来车，花了多少钱？", "zh", "Moving Checklist.md", "van at 08:00, two men, ¥980"),
    ("谁最先发现证书过期？", "zh", "事故-证书过期.md", "[[陈牧]] 06:35 发现"),
    ("早上起来第一杯喝什么？", "zh", "Life/Tea/胃不舒服之后.md", "红茶"),
    ("When was moving day?", "en", "Life/Home/Moving Checklist.md", "2026-06-13"),
]


@pytest.mark.parametrize(("query", "lang", "note", "says"), QUESTIONS)
def test_the_sentence_that_answers_comes_first(
    sample: tuple[Service, Path], query: str, lang: str, note: str, says: str
) -> None:
    service, vault = sample
    answer = service.answer(query)
    sound(answer, vault)
    assert answer["lang"] == lang
    assert first(answer)["note"].endswith(note)
    assert any(says in cited["quote"] for cited in answer["citations"])
    assert unescaped(answer["answer"]).startswith(f"“{' '.join(first(answer)['quote'].split())}” [1]")


def test_a_question_why_shows_the_chain_step_by_step(sample: tuple[Service, Path]) -> None:
    service, vault = sample
    for query, words, head in (
        ("Why did we give up last-write-wins?", "because of", "How it came about:"),
        ("上次证书过期是怎么造成的，原因是什么？", "因为", "来龙去脉："),
    ):
        answer = service.answer(query)
        sound(answer, vault)
        places = answer["chain"]
        assert len(places) >= 2
        assert head in answer["answer"]
        step = f"1. {places[0]['title']} → {words} → {places[1]['title']} [{places[1]['n']}]"
        assert step in unescaped(answer["answer"])


@pytest.mark.parametrize(
    ("query", "title", "words"),
    [
        ("Why did the map sprint fail last time?", "Sprint 09 Offline Map Tiles", ("Lesson: ", "failure")),
        ("语音录入上次失败在哪里？", "实验-方言语音录入", ("教训：", "失败")),
        ("What was the lesson of the lost counts?", "Incident Lost Counts", ("Trigger: ", "Reason: ")),
    ],
)
def test_a_failure_is_told_with_its_episode(
    sample: tuple[Service, Path], query: str, title: str, words: tuple[str, ...]
) -> None:
    service, vault = sample
    answer = service.answer(query)
    sound(answer, vault)
    episode = answer["episode"]
    assert episode["title"] == title
    assert episode["result"] in RESULTS
    assert {"reason", "lesson"} <= set(episode["parts"])
    assert all(word in answer["answer"] for word in words)


NO_ANSWER = [
    "What is the phone number of Tomas?",
    "Who is the mayor of Hangzhou?",
    "When is Mara's birthday?",
    "What do we do about GDPR?",
    "How many employees has Google?",
    "What did the landlord say about the dog?",
    "What is the capital of Mongolia?",
    "Who wrote Hamlet?",
    "How do I bake sourdough bread?",
    "When did we hire a lawyer?",
    "What is the wifi password?",
    "Why did we stop using Kafka?",
    "What was the score of the football match?",
    "我的车牌号是多少？",
    "谁负责市场营销？",
    "猫叫什么名字？",
    "家里的无线密码是什么？",
    "量子计算机什么时候能用？",
    "我女儿的老师叫什么？",
    "我们为什么放弃 Kubernetes？",
    "公司去年交了多少税？",
    "我的血型是什么？",
]
"""What the sample vault does not say, much of it close to what it does say."""


def test_most_answers_come_from_the_right_note_and_most_of_what_is_not_there_is_left_unanswered(
    sample: tuple[Service, Path],
) -> None:
    """Measured: 17 of 24 first sentences from the right note, 1 unanswered; 13 of 22 without an answer left unanswered."""
    service, vault = sample
    cases = json.loads((SAMPLE.parent / "tests" / "data" / "sample_questions.json").read_text("utf-8"))
    right = silent = 0
    for case in (*cases["demo"], *cases["questions"]):
        answer = service.answer(case["query"])
        sound(answer, vault)
        silent += answer["abstained"]
        right += not answer["abstained"] and first(answer)["note"] == case["note"]
    left = sum(service.answer(query)["abstained"] for query in NO_ANSWER)
    assert right >= 15
    assert silent <= 3
    assert left >= 11


@pytest.mark.parametrize(
    ("query", "says"), [("What is the capital of Mongolia?", "Nothing"), ("蒙古国的首都是哪里？", "没有")]
)
def test_where_nothing_answers_it_says_so_and_what_is_nearest(
    sample: tuple[Service, Path], query: str, says: str
) -> None:
    service, vault = sample
    answer = service.answer(query)
    sound(answer, vault)
    assert answer["abstained"]
    assert answer["answer"].startswith(says)
    assert (answer["chain"], answer["episode"], answer["tokens"]) == ([], None, 0)
    for near in answer["nearest"]:
        assert (vault / near["note"]).is_file()


def test_the_same_question_gives_the_same_bytes_and_changes_nothing(sample: tuple[Service, Path]) -> None:
    service, vault = sample
    before = fingerprints(vault)
    one, two = (json.dumps(service.answer("为什么从买断改成年费？") | {"ms": {}}) for _ in range(2))
    assert one == two
    assert fingerprints(vault) == before


def test_as_of_a_day_nothing_later_is_told(sample: tuple[Service, Path]) -> None:
    service, vault = sample
    answer = service.answer("Why did we give up last-write-wins?", as_of="2026-01-31")
    sound(answer, vault)
    assert all((cited["as_of"] or "") <= "2026-01-31" for cited in answer["citations"])
    assert answer["as_of"] == "2026-01-31"
    if not answer["abstained"]:
        assert answer["answer"].startswith("As of 2026-01-31:")


# --- small vaults -----------------------------------------------------------------------------------------------------

OWNERS = {
    "a.md": dated("2026-01-10", "# 服务器\n\n负责人：陈牧\n"),
    "b.md": dated("2026-03-10", "# 服务器\n\n负责人：苏禾\n"),
}
TIMEOUTS = {
    "a.md": dated("2026-01-10", "# Server\n\nThe timeout is 30 seconds.\n"),
    "b.md": dated("2026-03-10", "# Server\n\nThe timeout is now 45 seconds.\n"),
}


def test_a_dispute_is_shown_with_both_sides_and_their_days(place: Place) -> None:
    with place.fill(OWNERS).opened() as service:
        answer = service.answer("服务器的负责人是谁？")
        sound(answer, place.vault)
        assert answer["answer"].startswith("有争议")
        assert "- “负责人：陈牧” [1]（2026-01-10）\n- “负责人：苏禾” [2]（2026-03-10）" in answer["answer"]
        assert [cited["disputed"] for cited in answer["citations"][:2]] == [True, True]


def test_what_was_superseded_is_named_so_beside_what_took_its_place(place: Place) -> None:
    with place.fill(TIMEOUTS).opened(recall__abstain=0.1, recall__sure=0.1) as service:
        now = service.answer("What is the timeout of the server?")
        sound(now, place.vault)
        assert first(now)["quote"] == "The timeout is now 45 seconds."
        told = [cited for cited in now["citations"] if cited["note"] == "a.md"]
        assert all(cited["state"] == "stale" for cited in told)
        past = service.answer("What was the timeout of the server formerly?")
        sound(past, place.vault)
        stale = next(cited for cited in past["citations"] if cited["note"] == "a.md")
        assert (stale["state"], stale["quote"]) == ("stale", "The timeout is 30 seconds.")
        assert stale["superseded_by"] is not None
        assert "What holds since: “The timeout is now 45 seconds.”" in past["answer"]


def test_a_note_that_another_one_supersedes_is_called_so(place: Place) -> None:
    place.fill(
        {
            "Old rule.md": "# Old rule\n\nThe newest copy of a record wins the merge.\n",
            "New rule.md": "---\nsupersedes: '[[Old rule]]'\n---\n# New rule\n\nFields are merged one by one.\n",
        }
    )
    with place.opened() as service:
        answer = service.answer("Which copy of a record wins the merge?")
        sound(answer, place.vault)
        assert first(answer)["note"] == "Old rule.md"
        assert "That note was superseded by “New rule”." in answer["answer"]


KILN = """---
type: experiment
trigger: Glaze ran off the bowls
result: failure
lesson: Never trust a thermocouple near the door
date: 2026-03-04
---
# Slow kiln

## Reason

The thermocouple sat too near the door.
"""
RULE = "# Firing rules\n\nWe decided to fire by cones instead of the gauge because of [[Slow kiln]].\n"


def test_the_episode_that_a_decision_rests_on_is_told(place: Place) -> None:
    with place.fill({"Slow kiln.md": KILN, "Rules.md": RULE}).opened() as service:
        answer = service.answer("What did we decide to fire by?")
        sound(answer, place.vault)
        assert first(answer)["note"] == "Rules.md"
        episode = answer["episode"]
        assert (episode["note"], episode["result"], episode["date"]) == ("Slow kiln.md", "failure", "2026-03-04")
        assert list(episode["parts"]) == ["trigger", "result", "reason", "lesson"]
        assert "- Lesson: “Never trust a thermocouple near the door”" in answer["answer"]


def test_a_step_whose_sentence_is_gone_ends_the_chain(place: Place) -> None:
    place.fill(
        {
            "Price.md": "# Price\n\nThe app is sold by the year.\n\nbecause:: [[Bill]]\n",
            "Bill.md": "# Bill\n\nHosting grew.\n\ncaused by:: [[Photos]]\n",
            "Photos.md": "# Photos\n\nPeople send pictures.\n",
        }
    )
    with place.opened() as service:
        whole = service.answer("Why is the app sold by the year?")
        assert [step["note"] for step in whole["chain"]] == ["Price.md", "Bill.md", "Photos.md"]
        place.write("Bill.md", "# Bill\n\nHosting grew.\n")  # saved since it was indexed
        short = service.answer("Why is the app sold by the year?")
        sound(short, place.vault)
        assert [step["note"] for step in short["chain"]] == ["Price.md", "Bill.md"]


@pytest.mark.parametrize("kind", ["forget", "archive", "quarantine"])
def test_a_sentence_that_was_put_away_is_not_quoted_from_its_passage(place: Place, kind: str) -> None:
    place.fill({"Pump.md": "# Pump\n\nThe pump costs 90 EUR. Its seals last two years in cold water.\n"})
    with place.opened() as service:
        assert "90 EUR" in service.answer("What does the pump cost?")["answer"]
        [ident] = [fact["id"] for fact in service.facts()["facts"] if "90 EUR" in fact["fact"]]
        service.act(ident, kind)
        answer = service.answer("What does the pump cost?")
        sound(answer, place.vault)
        assert "90 EUR" not in answer["answer"]


def test_nothing_in_a_note_comes_alive_in_an_answer(place: Place) -> None:
    hostile = "The pump ![x](http://evil/y.png) costs 90 EUR, see [[Home]], <img src=x> #now $a$."
    with place.fill({"Pump.md": f"# Pump\n\n{hostile}\n"}).opened() as service:
        answer = service.answer("What does the pump cost?")
        sound(answer, place.vault)
        read = parse_note("A.md", answer["answer"])
        assert (read.links, read.tags) == ((), ())
        assert hostile in unescaped(answer["answer"])


def test_the_budget_drops_the_episode_then_the_chain_then_further_quotes(place: Place) -> None:
    place.fill({"Slow kiln.md": KILN, "Rules.md": RULE})
    with place.opened() as service:
        whole = service.answer("Why did we decide to fire by cones?")
        assert whole["episode"] is not None
        assert whole["chain"]
        less = service.answer("Why did we decide to fire by cones?", budget=whole["tokens"] - 1)
        sound(less, place.vault)
        assert less["episode"] is None
        assert less["tokens"] < whole["tokens"]


def test_a_type_that_is_asked_for_is_kept_to(place: Place) -> None:
    place.fill({"Rules.md": RULE + "\nThe kiln door weighs 40 kg.\n"})
    with place.opened() as service:
        answer = service.answer("How heavy is the kiln door?", type="decision")
        sound(answer, place.vault)
        assert "40 kg" not in answer["answer"]


def test_what_an_answer_rests_on_can_be_confirmed(place: Place) -> None:
    with place.fill(TIMEOUTS).served() as daemon:
        answer = daemon.service.answer("What is the timeout of the server?")
        told = daemon.service.uses([first(answer)["id"]])
        assert told["recorded"] == [first(answer)["id"]]


# --- the command line -------------------------------------------------------------------------------------------------


def test_the_command_line_prints_the_answer_and_where_it_stands(
    place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place.fill({"Slow kiln.md": KILN, "Rules.md": RULE})
    for name, value in (place.environ | {"EBBTIDE_EMBED_ENABLED": "false"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("EBBTIDE_VAULT", str(place.vault))
    before = fingerprints(place.vault)
    assert main(["ask", "Why did we decide to fire by cones?", "--local"]) == 0
    text = capfd.readouterr().out
    assert text.startswith("“We decided to fire by cones instead of the gauge because of [[Slow kiln]].” [1]")
    assert "[1] Rules.md:3" in text
    assert main(["ask", "Why did we decide to fire by cones?", "--json"]) == 0
    answer = json.loads(capfd.readouterr().out)
    sound(answer, place.vault)
    assert main(["ask", "zebra crossing", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["abstained"]
    assert fingerprints(place.vault) == before
