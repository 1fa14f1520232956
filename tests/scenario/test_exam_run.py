"""The exam that a user runs on their own vault: questions, planted contradictions, with and without memory, and what is kept."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest, EbbtideError, NotFound
from ebbtide.prove import run as exam_run
from ebbtide.prove.planted import Source, plant, plants, words_of
from ebbtide.serve import docs, wire_exam
from ebbtide.serve.cli import main
from ebbtide.serve.service import Service
from ebbtide.vault import contracts
from support import Place, fingerprints, wait_until

SAMPLE = Path(__file__).parents[2] / "sample-vault"
NOTES = {
    "Work/Relay.md": "---\ncreated: 2026-01-10\n---\n# Relay\n\nThe relay keeps backups for 35 days on the second disk.\n",
    "Work/Queue.md": "---\ncreated: 2026-01-11\n---\n# Queue\n\nThe queue must hold at least 400 messages for each client.\n",
    "Work/Gateway.md": "---\ncreated: 2026-01-12\n---\n# Gateway\n\nThe gateway is restarted by hand after every upgrade.\n",
    "Work/Invoices.md": "---\ncreated: 2026-01-13\n---\n# Invoices\n\nInvoices are sent on 2026-04-01 to all tenants of the house.\n",
    "Work/Roof.md": "---\ncreated: 2026-01-14\n---\n# Roof\n\nThe roof of the workshop was repaired for 1,250 EUR by the cooperative.\n",
    "Work/Printer.md": "---\ncreated: 2026-01-15\n---\n# Printer\n\nThe printer in the hall should be cleaned every 90 pages.\n",
    "Work/Cellar.md": "---\ncreated: 2026-01-16\n---\n# Cellar\n\nThe cellar can be entered from the yard without a key.\n",
    "生活/茶.md": "---\ncreated: 2026-01-17\n---\n# 茶\n\n绿茶的水温是 85 度，第一泡只要 20 秒。\n",
    "生活/跑步.md": "---\ncreated: 2026-01-18\n---\n# 跑步\n\n每次跑步之前需要热身 15 分钟，这样膝盖不疼。\n",
    "生活/搬家.md": "---\ncreated: 2026-01-19\n---\n# 搬家\n\n我们决定在 6月13日 搬到良渚的新房子里去住。\n",
    "生活/阳台.md": "---\ncreated: 2026-01-20\n---\n# 阳台\n\n阳台的花可以每 3 天浇一次水，冬天减半。\n",
    "生活/牙医.md": "---\ncreated: 2026-01-21\n---\n# 牙医\n\n牙医建议每天用牙线，并且应该每 6 个月检查一次。\n",
    "Work/Bees.md": "---\ncreated: 2026-01-22\n---\n# Bees\n\nThe bees are fed with 3 litres of syrup by the neighbour.\n",
    "Work/Bells.md": "---\ncreated: 2026-01-23\n---\n# Bells\n\nThe bells ring 12 times on the evening of the harvest.\n",
    "Work/Boats.md": "---\ncreated: 2026-01-24\n---\n# Boats\n\nThe boats are painted on 2026-05-02 behind the old mill.\n",
    "Work/Bread.md": "---\ncreated: 2026-01-25\n---\n# Bread\n\nThe bread should rest for 45 minutes under a wet cloth.\n",
    "生活/图书馆.md": "---\ncreated: 2026-01-26\n---\n# 图书馆\n\n图书馆的书可以借 30 天，续借一次。\n",
    "生活/鱼缸.md": "---\ncreated: 2026-01-27\n---\n# 鱼缸\n\n鱼缸每次换水需要换掉 12 升，水要先放一晚。\n",
    "Daily/2026-11-20.md": "# 2026-11-20\n\nA quiet day with rain, soup and a long letter to an aunt.\n",
}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "backups", "query": "How long does the relay keep backups?", "kind": "must-cite", "gold": ["Work/Relay.md"],
     "quote": "keeps backups for 35 days", "answers": ["35 days"], "type": "metric"},
    {"id": "tea", "query": "绿茶的水温是多少度？", "kind": "find", "gold": ["生活/茶.md"], "answers": ["85 度"]},
    {"id": "roof", "query": "who repaired the roof of the workshop?", "kind": "find", "gold": ["Work/Roof.md"]},
    {"id": "aunt", "query": "the long letter to an aunt", "kind": "find", "gold": ["Daily/2026-11-20.md"], "answers": ["aunt"]},
    {"id": "passport", "query": "zebra passport xylophone", "kind": "unanswerable"},
]  # fmt: skip


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.fixture
def vault(place: Place) -> Place:
    """A vault that was opened before, with an exam."""
    place.fill(NOTES)
    with place.opened():
        pass
    place.write("Memory/exam.jsonl", lines(*QUESTIONS))
    return place


def sit(service: Service, **options: Any) -> dict[str, Any]:
    ident = service.exam(**options)["id"]
    wait_until(lambda: service.job(ident)["finished"], "the exam")
    job = service.job(ident)
    assert job["state"] == "done", job["message"]
    report: dict[str, Any] = job["result"]
    wire_exam.ExamReport.model_validate(report)
    assert set(report) == set(wire_exam.ExamReport.model_fields)
    return report


def share(report: dict[str, Any], name: str) -> tuple[int, int] | None:
    return next(((row["k"], row["n"]) for row in report["figures"] if row["name"] == name), None)


# --- the whole of it ----------------------------------------------------------------------------------------------------


def test_a_run_measures_everything_and_writes_one_line(vault: Place) -> None:
    before = fingerprints(vault.vault)
    with vault.opened(read_only=True) as service:
        cache = service.runtime.cache
        (cache / "planted-killed" / "vault").mkdir(parents=True)
        report = sit(service)
    assert share(report, "hit@3") == (4, 4)
    assert share(report, "must-cite") == (1, 1)
    assert share(report, "false-answer") == (0, 1)
    assert share(report, "false-silence") == (0, 4)
    assert share(report, "quote-live") is not None
    assert share(report, "pollution") is not None
    detected, handled, alarms = (share(report, name) for name in ("detected", "handled", "false-alarm"))
    assert detected is not None
    assert handled is not None
    assert alarms is not None
    assert detected[1] >= 10
    assert detected[0] >= 0.6 * detected[1]
    assert handled[0] >= 0.6 * handled[1]
    assert alarms[0] == 0
    assert report["latency"]["total"]["p50"] <= report["latency"]["total"]["p99"]
    assert {notice["code"] for notice in report["notices"]} >= {"claude-off", "no-model", "few-questions"}
    assert list(cache.glob("planted-*")) == []

    after = fingerprints(vault.vault)
    assert report["kept"] in after
    assert {name for name in after if after[name] != before.get(name)} == {"Memory/exam-results", report["kept"]}
    assert before.keys() <= after.keys()
    [record] = vault.ledger("exam-results/*.jsonl")
    assert contracts.validate("exam-results", record) == []
    assert "relay" not in json.dumps(record).lower()  # no text of a note is kept
    assert not list(vault.vault.glob("Memory/uses/*"))


def test_the_same_vault_gives_the_same_answers(vault: Place) -> None:
    with vault.opened(read_only=True) as service:
        first, second = sit(service, keep=False), sit(service, keep=False)
    for report in (first, second):
        for name in ("at", "latency", "trend"):
            del report[name]
    assert first == second
    assert not (vault.vault / "Memory/exam-results").exists()


def test_a_vault_that_was_never_opened_stays_untouched_and_its_trend_is_kept_aside(place: Place) -> None:
    place.fill(NOTES)
    before = fingerprints(place.vault)
    for expected in (1, 2):
        with place.opened(read_only=True) as service:
            report = sit(service, only="vault")
            assert len(report["trend"]) == expected
            assert "unborn" in {notice["code"] for notice in report["notices"]}
    assert fingerprints(place.vault) == before


def test_without_questions_it_says_how_to_add_some_and_measures_the_rest(place: Place) -> None:
    place.fill(NOTES)
    with place.opened(read_only=True) as service:
        report = sit(service)
    assert report["memory"] is None
    assert share(report, "hit@3") is None
    assert share(report, "detected") is not None
    assert "no-questions" in {notice["code"] for notice in report["notices"]}


def test_of_undated_facts_nobody_can_say_which_holds(place: Place) -> None:
    place.fill({path: text.split("---\n", 2)[-1] for path, text in NOTES.items() if path.startswith("Work/")})
    with place.opened(read_only=True) as service:
        report = sit(service, only="planted")
    detected = share(report, "detected")
    assert detected is not None
    assert detected[0] >= 0.6 * detected[1]
    assert share(report, "handled") is None


# --- questions ----------------------------------------------------------------------------------------------------------


def test_bad_lines_and_lost_golds_are_named_and_nothing_is_lost(vault: Place) -> None:
    gone = {"id": "gone", "query": "What did the gone note say?", "gold": ["No/Such.md"]}
    text = lines(*QUESTIONS) + "{nonsense\n" + lines(gone)
    vault.write("Memory/exam.jsonl", text)
    with vault.opened(read_only=True) as service:
        report = sit(service, only="find", keep=False)
    told = [(problem["path"], problem["line"], problem["code"]) for problem in report["problems"]]
    assert told == [("Memory/exam.jsonl", 6, "exam-line"), ("Memory/exam.jsonl", 7, "exam-gold")]
    assert all(problem["fix"] for problem in report["problems"])
    assert share(report, "hit@3") == (3, 3)
    assert (vault.vault / "Memory/exam.jsonl").read_text("utf-8") == text


def test_a_gold_follows_its_note_where_it_is_renamed_to(vault: Place) -> None:
    with vault.opened() as service:
        ident = service.note("Work/Roof.md")["id"]
    (vault.vault / "Work/Roof.md").rename(vault.vault / "生活/屋顶.md")
    with vault.opened() as service:
        assert service.note("生活/屋顶.md")["id"] == ident
    (vault.vault / "生活/屋顶.md").rename(vault.vault / "Top.md")
    with vault.opened() as service:
        report = sit(service, only="find", keep=False)
    assert report["problems"] == []
    assert share(report, "hit@3") == (3, 3)


def test_a_citation_that_held_and_does_not_any_more_is_a_regression(vault: Place) -> None:
    note = vault.vault / "Work/Relay.md"
    with vault.opened() as service:
        assert share(sit(service, only="must-cite"), "must-cite") == (1, 1)
    note.write_text(note.read_text("utf-8").replace("# Relay\n", "# Relay\n\nSome new words above.\n\n"), "utf-8")
    with vault.opened() as service:
        assert share(sit(service, only="must-cite"), "must-cite") == (1, 1)
    note.write_text(note.read_text("utf-8").replace("for 35 days", "for a while"), "utf-8")
    with vault.opened() as service:
        report = sit(service, only="must-cite")
    assert share(report, "must-cite") == (0, 1)
    [failure] = report["failures"]
    assert (failure["id"], failure["code"], failure["regression"]) == ("backups", "not-cited", True)
    assert failure["look"] == "ebbtide explain 'How long does the relay keep backups?' Work/Relay.md"
    [row] = [row for row in report["figures"] if row["name"] == "must-cite"]
    assert (row["last"]["lost"], row["last"]["verdict"]) == (1, "no difference")


def test_what_does_not_hold_any_more_must_come_after_what_does(place: Place) -> None:
    place.fill(
        {
            "Old.md": "---\ncreated: 2026-01-01\nstatus: superseded\n---\n# Price\n\nA seat costs 198 EUR once.\n",
            "New.md": "---\ncreated: 2026-08-01\n---\n# Price\n\nA seat costs 168 EUR a year.\n",
        }
    )
    with place.opened():
        pass
    asked = {
        "id": "a",
        "query": "What does a seat cost?",
        "kind": "conflict",
        "gold": ["New.md"],
        "against": ["Old.md"],
    }
    place.write("Memory/exam.jsonl", lines(asked, {**asked, "id": "b", "gold": ["Old.md"], "against": ["New.md"]}))
    with place.opened(read_only=True) as service:
        report = sit(service, only="conflict", keep=False)
    assert share(report, "conflict") == (1, 2)
    assert [(failure["id"], failure["code"]) for failure in report["failures"]] == [("b", "outranked")]


def test_memory_is_compared_with_as_many_tokens_of_the_newest_notes(vault: Place) -> None:
    with vault.opened(read_only=True) as service:
        small, large = (sit(service, only="find", budget=budget, keep=False) for budget in (40, 6000))
    assert small["memory"]["judged"] == 3
    assert (small["memory"]["by_words"], small["memory"]["by_note"]) == (2, 1)
    assert (small["memory"]["wins"], small["memory"]["losses"], small["memory"]["draws"]) == (2, 0, 1)
    assert (large["memory"]["wins"], large["memory"]["draws"]) == (0, 3)  # all notes fit: no memory is needed
    assert small["memory"]["verdict"] == large["memory"]["verdict"] == "draw"
    assert small["tokens"]["tokens_newest"] <= 40
    assert small["tokens"]["tokens"] <= 40


def test_the_sample_vault_comes_with_thirty_questions_that_its_notes_answer(place: Place) -> None:
    shutil.copytree(SAMPLE, place.vault, dirs_exist_ok=True)
    with place.opened(read_only=True) as service:
        asked = service.exam_questions()
        assert (len(asked["questions"]), asked["problems"]) == (30, [])
        assert {question["kind"] for question in asked["questions"]} == {
            "find",
            "must-cite",
            "conflict",
            "unanswerable",
        }
        for question in asked["questions"]:
            texts = [(place.vault / path).read_text("utf-8") for path in question["gold"]]
            assert all((place.vault / path).is_file() for path in question["against"])
            assert not question["quote"] or question["quote"] in texts[0]
            assert not question["answers"] or any(answer in text for answer in question["answers"] for text in texts)
        report = sit(service, only="must-cite", keep=False)
    assert report["questions"]["passed_over"] == 0
    found = share(report, "must-cite")
    assert found is not None
    assert found[0] >= found[1] - 1  # by keyword alone


def test_six_won_and_none_lost_is_no_draw(vault: Place) -> None:
    asked = {
        "Work/Relay.md": "How many days does the relay keep backups?",
        "Work/Queue.md": "How many messages must the queue hold?",
        "Work/Roof.md": "What did the roof of the workshop cost?",
        "Work/Printer.md": "After how many pages is the printer cleaned?",
        "Work/Bread.md": "How long should the bread rest?",
        "生活/茶.md": "绿茶的水温是多少度？",
        "生活/图书馆.md": "图书馆的书可以借多少天？",
    }
    rows = [{"id": str(n), "query": query, "gold": [path]} for n, (path, query) in enumerate(asked.items())]
    vault.write("Memory/exam.jsonl", lines(*rows))
    with vault.opened(read_only=True) as service:
        memory = sit(service, only="find", budget=60, keep=False)["memory"]
    assert (memory["wins"], memory["losses"]) == (7, 0)
    assert memory["p"] == pytest.approx(2 / 2**7, abs=1e-4)
    assert memory["verdict"] == "memory"


def test_a_recall_that_got_worse_is_called_worse(vault: Place) -> None:
    rows = [{"id": str(n), "query": query, "gold": ["Work/Relay.md"]} for n, query in enumerate(
        f"{word} does the relay keep backups?"
        for word in ("How long", "Where", "Why", "How many days", "On which disk", "Since when", "For whom")
    )]  # fmt: skip
    vault.write("Memory/exam.jsonl", lines(*rows))
    with vault.opened() as service:
        assert share(sit(service, only="find"), "false-silence") == (0, 7)
    with vault.opened(recall__abstain=0.99) as service:
        report = sit(service, only="find")
        again = sit(service, only="find")
    assert share(report, "false-silence") == (7, 7)
    verdicts = {row["name"]: row["last"]["verdict"] for row in report["figures"]}
    assert verdicts["false-silence"] == verdicts["with-memory"] == "worse"
    assert {row["last"]["verdict"] for row in again["figures"]} == {"no difference"}


# --- the vault's own figures ----------------------------------------------------------------------------------------------


def test_corrections_and_what_was_called_wrong_count_until_a_person_confirms_it(vault: Place) -> None:
    with vault.opened() as service:
        fact = next(f for f in service.facts(note="Work/Relay.md")["facts"] if "35" in f["fact"])
        clean = sit(service, only="vault")
        service.corrections([fact["id"]], "it is 30 days")
        wrong = sit(service, only="vault")
        service.act(fact["id"], "confirm")
        confirmed = sit(service, only="vault")
    (k, of), *rest = (share(report, "pollution") or (0, 0) for report in (clean, wrong, confirmed))
    assert (k, rest) == (0, [(1, of), (0, of)])
    assert of > 10
    assert [report["corrections_per_week"] for report in (clean, wrong)] == [0.0, 0.25]
    assert [failure["code"] for failure in wrong["failures"] if failure["part"] == "pollution"] == ["called-wrong"]
    assert share(wrong, "corrected") == (1, 1)
    assert [run["figures"]["pollution"] > 0 for run in confirmed["trend"]] == [False, True, False]


def test_a_change_of_settings_is_named(vault: Place) -> None:
    with vault.opened() as service:
        sit(service, only="find")
    with vault.opened(recall__abstain=0.3) as service:
        report = sit(service, only="find")
        assert report["changed"] == ["config"]
        assert sit(service, only="find", budget=100)["changed"] == ["budget"]
        told = service.exam_runs()
        assert told["total"] == 3
        kinds = {kind["name"]: kind for kind in told["kinds"]}
        assert all(run["figures"].keys() <= kinds.keys() for run in told["runs"])
        assert all(kind["title"] and kind["title_zh"] for kind in kinds.values())
        assert kinds["false-answer"]["lower_is_better"]
        assert not kinds["hit@3"]["lower_is_better"]
        hit = [run["figures"]["hit@3"] for run in told["runs"] if "hit@3" in run["figures"]]
        assert kinds["hit@3"]["value"] == hit[-1]
        assert kinds["hit@3"]["last"]["value"] == hit[-2]


# --- plants -----------------------------------------------------------------------------------------------------------


def source(text: str, lang: Any, number: int = 0, day: str | None = None) -> Source:
    return Source(f"f_{number:016x}", f"n{number}.md", 3, f"Title {number}", None, text, lang, day)


@pytest.mark.parametrize(
    ("text", "lang", "kind", "said"),
    [
        ("The relay keeps backups for 35 days.", "en", "number", "The relay keeps backups for 52 days."),
        ("It cost 1,250 EUR in all.", "en", "number", "It cost 1,875 EUR in all."),
        ("Only 38 % of new users came back.", "en", "number", "Only 19 % of new users came back."),
        ("发布之后误触率降到 4.5，很好。", "zh", "number", "发布之后误触率降到 6.5，很好。"),
        ("It is switched off on 2026-07-31.", "en", "date", "It is switched off on 2026-09-09."),
        ("女儿 5 月 21 日出生在成都。", "zh", "date", "女儿 6 月 21 日出生在成都。"),
        ("Rent is due on 3 March each year.", "en", "date", "Rent is due on 3 May each year."),
        ("The gateway is restarted by hand.", "en", "negation", "The gateway is not restarted by hand."),
        ("You should not delete the file.", "en", "negation", "You should delete the file."),
        ("跑步之前需要热身十五分钟。", "zh", "negation", "跑步之前不需要热身十五分钟。"),
        ("空腹的时候不要喝浓茶。", "zh", "negation", "空腹的时候要喝浓茶。"),
        ("We decided to use SQLite for it.", "en", "choice", "We decided to use Redis for it."),
        ("后来我们改用 Typst 排版了。", "zh", "choice", "后来我们改用 LaTeX 排版了。"),
        ("Tell Anna before you publish.", "en", "entity", "Tell Bela before you publish."),
    ],
)
def test_one_thing_is_changed_and_the_question_asks_for_it(text: str, lang: Any, kind: Any, said: str) -> None:
    others = [source("They use Redis for caching.", "en", 7), source("以前采用 LaTeX 写论文。", "zh", 8)]
    asked = source(text, lang)
    words = words_of([asked, *others], {"People/Anna.md": "Anna", "People/Bela.md": "Bela"})
    found = plant(asked, kind, words)
    assert found is not None
    assert (found.said, found.kind) == (said, kind)
    assert found.before not in found.question or kind == "negation"
    assert text in found.again or kind in ("date", "number")


def test_years_versions_and_days_of_an_entry_are_no_numbers() -> None:
    words = words_of([], {})
    for text in ("In 2026 we grew a lot.", "Seen in v1.4.0 of the app.", "Call room B-12/3 at 16:20."):
        assert plant(source(text, "en"), "number", words) is None
    assert plant(source("2026-04-02 the shoes were given away.", "en"), "date", words) is None


def test_plants_are_the_same_whatever_the_order_and_one_a_note() -> None:
    many = [source(f"The relay number {'abcdefghijk'[n]} keeps {n + 3} files.", "en", n) for n in range(11)]
    many += [source("It is a second fact of the note with 7 words.", "en", 3)]
    words = words_of(many, {})
    made = plants(many, words)
    assert made == plants(many[::-1], words)
    assert len({one.source.note for one in made}) == len(made) == 11
    assert len({one.kind for one in made}) >= 2
    assert len(plants(many, words, 4)) == 4
    dated = source("The relay of the mill keeps 99 files.", "en", 77, "2026-01-01")
    assert plants([*many, dated], words)[0].source is dated


# --- adding, listing, removing ------------------------------------------------------------------------------------------


def test_a_question_is_made_of_a_recall_that_went_right_or_wrong(vault: Place) -> None:
    (vault.vault / "Memory/exam.jsonl").unlink()
    with vault.opened() as service:
        with pytest.raises(BadRequest, match="Nothing was recalled"):
            service.exam_add(last="right")
        items = service.recall("How long does the relay keep backups?")["items"]
        right = service.exam_add(last="right")["question"]
        assert (right["query"], right["kind"]) == ("How long does the relay keep backups?", "find")
        assert right["gold"] == [items[0]["note"]]

        service.recall("绿茶的水温是多少度？")
        cited = service.exam_add(last="right", kind="must-cite")["question"]
        assert (cited["gold"], cited["gold_line"]) == (["生活/茶.md"], 6)
        assert "85 度" in cited["quote"]

        service.recall("printer pages")
        with pytest.raises(BadRequest, match="What should have come"):
            service.exam_add(last="wrong")
        wrong = service.exam_add(last="wrong", gold=["Work/Printer.md"], quote="cleaned every 90 pages")["question"]
        assert (wrong["gold"], wrong["kind"], wrong["gold_line"]) == (["Work/Printer.md"], "must-cite", 6)

        assert service.recall("zebra passport xylophone")["abstained"]
        silent = service.exam_add(last="right")["question"]
        assert (silent["kind"], silent["gold"]) == ("unanswerable", [])

        listed = service.exam_questions()
        assert [question["id"] for question in listed["questions"]] == [q["id"] for q in (right, cited, wrong, silent)]
    for record in vault.ledger("exam.jsonl"):
        assert contracts.validate("exam-question", record) == []
        assert record["by"] == "user"


def test_what_was_confirmed_is_the_answer_and_not_what_came_first(vault: Place) -> None:
    vault.write("Work/Relay 2.md", "# Relay 2\n\nThe relay keeps backups for long; ask the operator how many days.\n")
    with vault.opened() as service:
        items = service.recall("How long does the relay keep backups?")["items"]
        other = next(item for item in items if item["note"] != items[0]["note"])
        service.uses([other["id"]])
        added = service.exam_add(last="right", type="metric")["question"]
    assert added["gold"] == [other["note"]]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"query": "q", "gold": ["Nowhere.md"]}, NotFound),
        ({"query": "q", "gold": ["../outside.md"]}, BadRequest),
        ({"query": "q", "gold": ["f_0000000000000000"]}, NotFound),
        ({"query": "q"}, BadRequest),
        ({"query": " ", "gold": ["Work/Roof.md"]}, BadRequest),
        ({"query": "q", "gold": ["Work/Roof.md"], "quote": "it never says that"}, BadRequest),
        ({"query": "q", "gold": ["Work/Roof.md"], "kind": "must-cite"}, BadRequest),
        ({"query": "q", "gold": ["Work/Roof.md"], "kind": "unanswerable"}, BadRequest),
    ],
)
def test_what_makes_no_question_is_refused_and_the_file_stays(
    vault: Place, given: dict[str, Any], error: type[EbbtideError]
) -> None:
    before = (vault.vault / "Memory/exam.jsonl").read_bytes()
    with vault.opened() as service, pytest.raises(error):
        service.exam_add(**given)
    assert (vault.vault / "Memory/exam.jsonl").read_bytes() == before


def test_the_command_line_adds_lists_removes_and_brings_back(
    vault: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**vault.environ, "EBBTIDE_EMBED_ENABLED": "false"}.items():
        monkeypatch.setenv(name, value)
    file, root = vault.vault / "Memory/exam.jsonl", ["--vault", str(vault.vault)]
    odd = b'{ "query" : "odd spacing?", "gold":["Work/Roof.md"] ,"id":"odd"}'
    file.write_bytes(file.read_bytes() + b"not a question\n" + odd)
    before = file.read_bytes()
    add = [
        "exam",
        "add",
        "阳台的花多久浇一次？",
        "--gold",
        "生活/阳台.md",
        "--quote",
        "每 3 天浇一次水",
        "--answer",
        "3 天",
        *root,
    ]
    assert main(add) == 0
    assert file.read_bytes().startswith(before + b"\n")
    ident = json.loads(file.read_text("utf-8").splitlines()[-1])["id"]
    assert main(add) == 2
    assert "already" in capsys.readouterr().err
    added = file.read_bytes()
    assert main(["exam", "remove", "odd", *root]) == 0
    assert main(["exam", "list", *root]) == 0
    shown = capsys.readouterr().out
    assert ident in shown
    assert "removed 20" in shown
    assert "Memory/exam.jsonl:6" in shown
    assert main(["exam", "remove", "odd", "--undo", *root]) == 0
    assert file.read_bytes() == added
    assert main(["exam", "remove", "nobody", *root]) == 1
    assert main(["exam", "add", "q", "--gold", "Work/Roof.md", "--nothing", *root]) == 2


def test_the_command_line_prints_a_report_and_the_apis_answer(
    vault: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**vault.environ, "EBBTIDE_EMBED_ENABLED": "false"}.items():
        monkeypatch.setenv(name, value)
    root = ["--vault", str(vault.vault)]
    assert main(["exam", "run", "--only", "find", *root]) == 0
    text = capsys.readouterr().out
    assert "own questions: a right note among the first 3" in text
    assert "3/3" in text
    assert "44%-100%" in text
    assert "a draw" in text
    assert "Kept in Memory/exam-results/" in text
    before = fingerprints(vault.vault)
    assert main(["exam", "run", "--only", "find", "--no-keep", "--json", *root]) == 0
    told = capsys.readouterr()
    job = json.loads(told.out)
    wire_exam.ExamJobResponse.model_validate(job)
    assert job["result"]["kept"] is None
    assert job["result"]["figures"][0]["last"]["verdict"] == "no difference"
    assert "exam: " in told.err
    assert fingerprints(vault.vault) == before
    assert main(["exam", "trend", *root]) == 0
    assert "100.0%" in capsys.readouterr().out


# --- beside the daemon ----------------------------------------------------------------------------------------------------


def test_the_daemon_sits_one_exam_at_a_time_and_goes_on_answering(
    vault: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, real = threading.Event(), exam_run.run

    def slowly(*arguments: Any) -> Any:
        assert go.wait(60)
        return real(*arguments)

    monkeypatch.setattr(exam_run, "run", slowly)
    with vault.served() as daemon:
        service = daemon.service
        first = service.exam(only="find")
        with pytest.raises(EbbtideError, match="already") as refused:
            service.exam()
        assert refused.value.status == 409
        assert service.recall("relay backups")["items"]
        go.set()
        wait_until(lambda: service.job(first["id"])["finished"], "the exam")
        assert service.job(first["id"])["state"] == "done"
        assert share(sit(service, only="find"), "hit@3") == (3, 3)


def test_what_goes_wrong_is_said_by_the_job(vault: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise BadRequest("The disk is full.", "Make room.")

    monkeypatch.setattr(exam_run, "run", broken)
    with vault.opened(read_only=True) as service:
        ident = service.exam()["id"]
        wait_until(lambda: service.job(ident)["finished"], "the exam")
        job = service.job(ident)
    assert (job["state"], job["result"]) == ("failed", None)
    assert "The disk is full." in job["message"]


def test_the_schemas_of_the_exam_can_be_printed() -> None:
    assert {"exam-question", "exam-results"} <= set(docs.schema_names())
    assert Path(docs.schemas() / "exam-question.schema.json").is_file()
