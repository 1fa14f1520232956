"""The health of a vault's core as it is: figures from the notes, a line a day, the answers of the API, what comes back, what rests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ebbtide import measuring
from ebbtide.memory.errors import EbbtideError
from ebbtide.parse.links import NameIndex, build_links
from ebbtide.parse.note import parse_note
from ebbtide.serve.service import Service
from ebbtide.sleep.nights import Candidate, Judged, Plan, Quote
from ebbtide.vault import contracts
from support import Place, fingerprints, wait_until

NOW = datetime(2026, 11, 30, 20, 0, tzinfo=UTC).timestamp()
TODAY = datetime.fromtimestamp(NOW).astimezone().date()


def day(back: int) -> str:
    return (TODAY - timedelta(days=back)).isoformat()


def core(claim: str, *, born: int = 100, description: str = "", **more: str) -> str:
    head = {"type": "principle", "description": f'"{description}"', "status": "active", "created": day(born)} | more
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in head.items()) + f"---\n\n{claim}\n"


SMALL, TIDE, WALL = (f"Memory/core/{name}.md" for name in ("principles/Small batches", "models/Tide", "patterns/Wall"))
NOTES: Mapping[str, str] = {
    SMALL: core("Small batches ship faster than large ones.", description="when a release is planned")
    + "\n**Related:** [[Memory/core/models/Tide]]\n",
    TIDE: core("Memories ebb unless they are met again.", type="model", description="when something was forgotten")
    + "\nsupports:: [[Memory/core/patterns/Wall]]\n",
    WALL: core("A wall of text hides the one line that matters.", type="pattern"),
    "Memory/core/index.md": core("[[Memory/core/patterns/Wall]] [[Memory/core/models/Tide]]"),
    "Memory/core/principles/Old.md": core("Rewrite it all at once.", status="superseded"),
    "Daily/Plan.md": f"---\ndate: {day(3)}\n---\n# Plan\n\nThe release is planned in small batches, see [[Small batches]].\n",
    "Pond.md": f"---\ndate: {day(500)}\n---\n# Pond\n\nThe pond costs 90 EUR.\n",
}


class Hand:
    """A clock that stands where it is set."""

    def __init__(self, at: float) -> None:
        self.at = at

    def now(self) -> float:
        return self.at


@contextmanager
def opened(place: Place, at: float = NOW, **options: Any) -> Iterator[Service]:
    """The vault, indexed, at a moment of our choice."""
    runtime = place.open(**options)
    clock = Hand(at)
    runtime.sync.clock = runtime.uses.clock = runtime.sync.outbox.clock = clock
    try:
        service = Service(runtime)
        service.catch_up(vectors=False)
        yield service
    finally:
        runtime.close()


@pytest.fixture
def filled(place: Place) -> Place:
    """A vault whose memory folder is ours, with a small core."""
    with place.opened():
        pass
    return place.fill(NOTES)


def measured(service: Service, **more: Any) -> dict[str, Any]:
    job = service.measure(**more)["id"]
    done = wait_until(lambda: (j := service.job(job))["state"] in ("done", "failed") and j, "the figures")
    assert done["state"] == "done", done["message"]
    found: dict[str, Any] = done["result"]
    return found


def by_name(answer: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {figure["name"]: figure for figure in answer["figures"]}


def ident(service: Service, path: str) -> str:
    return str(service.note(path)["id"])


# --- figures ------------------------------------------------------------------------------------------------------


def test_the_figures_are_those_of_the_core_alone(filled: Place) -> None:
    with opened(filled) as service:
        found = by_name(measured(service))
    assert found["core"]["value"] == 3  # neither the index nor what is superseded
    assert (found["coherence"]["k"], found["coherence"]["n"]) == (3, 3)
    assert (found["coherence_typed"]["k"], found["coherence_typed"]["n"]) == (2, 3)
    assert found["steps"]["value"] == pytest.approx(1.2, abs=1e-4)  # a path of three
    assert (found["freshness"]["k"], found["freshness"]["n"]) == (1, 3)  # a note of three days ago links to one
    assert found["pollution"]["value"] == 0.0
    assert found["distillation"]["value"] is None
    assert found["distillation"]["why"]
    assert found["distillation"]["why_zh"]


def test_a_use_refreshes_and_being_called_wrong_pollutes_until_it_is_confirmed(filled: Place) -> None:
    with opened(filled) as service:
        service.uses([ident(service, TIDE)])
        service.corrections([ident(service, WALL)], "not so")
        found = by_name(measured(service, keep=False))
        assert found["freshness"]["k"] == 2
        assert (found["pollution"]["k"], found["pollution"]["n"]) == (1, 3)


def test_what_a_machine_wrote_must_still_rest_on_what_a_person_says(filled: Place) -> None:
    claim = "Ask before you build."
    filled.write("Work/A.md", f"# A\n\n{claim}\n")
    filled.write("Work/B.md", f"# B\n\nAgain: {claim}\n")
    made = "Memory/core/principles/Ask.md"
    filled.write(made, core(claim, origin="derived", evidence='["[[Work/A]]", "[[Work/B]]"]'))
    with opened(filled) as service:
        record = service.runtime.sync.decisions.record
        places = [{"source": f"Work/{name}.md", "line": 3, "quote": claim} for name in "AB"]
        base: dict[str, Any] = {"by": "daemon", "object": None, "changes": [], "why": "said twice"}
        record({**base, "kind": "promote", "subjects": [ident(service, made)], "evidence": places})
        assert by_name(measured(service, keep=False))["pollution"]["k"] == 0
        assert by_name(measured(service, keep=False))["distillation"]["value"] == 0.0
        filled.write("Work/B.md", "# B\n\nSomething else.\n")
        service.runtime.catch_up()
        assert by_name(measured(service, keep=False))["pollution"]["k"] == 1


def test_what_became_of_the_core_counts_until_it_is_undone(filled: Place) -> None:
    with opened(filled) as service:
        decisions = service.runtime.sync.decisions
        base: dict[str, Any] = {"by": "daemon", "object": None, "changes": [], "why": "", "evidence": []}
        small, wall = ident(service, SMALL), ident(service, WALL)
        decisions.record({**base, "kind": "promote", "subjects": [small]})
        [merged] = decisions.record({**base, "kind": "merge", "subjects": [wall], "object": small})
        found = by_name(measured(service, keep=False))
        assert (found["distillation"]["k"], found["distillation"]["n"], found["core"]["value"]) == (1, 1, 2)
        service.undo(merged["id"])
        found = by_name(measured(service, keep=False))
        assert (found["distillation"]["k"], found["core"]["value"]) == (0, 3)


def test_an_empty_vault_has_every_figure_or_a_reason_for_it(place: Place) -> None:
    with opened(place) as service:
        answer = measured(service)
    assert all(figure["value"] is not None or (figure["why"] and figure["why_zh"]) for figure in answer["figures"])
    assert all(row["records"] or (row["why"] and row["why_zh"]) for row in answer["layers"])
    assert [row["layer"] for row in answer["layers"]] == ["semantic", "episodic", "procedural", "concept", "working"]


def test_an_open_contradiction_is_backlog_once_it_is_older_than_a_day(filled: Place) -> None:
    filled.write("Pond 2.md", f"---\ndate: {day(400)}\n---\n# Pond again\n\nThe pond does not cost 90 EUR.\n")
    with opened(filled) as service:
        facts = {fact["source"]: fact["id"] for fact in service.facts(limit=200)["facts"]}
        a, b = facts["Pond.md"], facts["Pond 2.md"]
        base = {"by": "daemon", "changes": [], "why": "", "evidence": []}
        service.runtime.sync.decisions.record({**base, "kind": "dispute", "subjects": [a], "object": b})
        assert by_name(measured(service, keep=False))["backlog"]["value"] == 0
    with opened(filled, NOW + 2.5 * 86400) as service:
        assert by_name(measured(service, keep=False))["backlog"]["value"] == 1
        text = measuring.measure(service.runtime).files[f"reports/{measuring.when_of(service.runtime).day}.md"].decode()
        assert "[Pond](../../Pond.md):6" in text


# --- the history --------------------------------------------------------------------------------------------------


def lines(place: Place) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = place.ledger("health/*.jsonl")
    return found


def test_a_line_a_day_and_computing_again_replaces_it(filled: Place) -> None:
    with opened(filled) as service:
        kept = measured(service)["kept"]
        measured(service)
        service.uses([ident(service, TIDE)])
        measured(service)
    with opened(filled, NOW + 86400) as service:
        answer = measured(service)
    assert Path(filled.vault, kept).is_file()
    assert [line["day"] for line in lines(filled)] == [day(0), day(-1)]
    assert all(contracts.validate("health", line) == [] for line in lines(filled))
    assert by_name(answer)["freshness"]["last"] == {"day": day(0), "value": 0.666667, "by": 0.0, "verdict": "same"}
    assert [entry["day"] for entry in answer["trend"]] == [day(0), day(-1)]


def test_the_lines_of_other_devices_are_read_and_left_alone(filled: Place) -> None:
    with opened(filled) as service:
        measured(service)
    [own] = (filled.vault / "Memory" / "health").glob("*.jsonl")
    theirs = own.with_name("0badcafe.jsonl")
    record = lines(filled)[0] | {"id": "h_00000000000000ff", "day": day(9), "at": f"{day(9)}T01:00:00.000Z"}
    text = json.dumps(record) + "\nnot json\n" + json.dumps({"day": day(8)}) + "\n"
    theirs.write_text(text, "utf-8")
    with opened(filled) as service:
        assert [entry["day"] for entry in measured(service)["trend"]] == [day(9), day(0)]
    assert theirs.read_text("utf-8") == text


def test_asking_tells_the_last_figures_and_their_age_and_computes_nothing(filled: Place) -> None:
    with opened(filled) as service:
        before = service.health()
        assert (before["day"], before["figures"]) == (None, [])
        assert "ebbtide health --now" in before["hint"]
        assert before["hint_zh"]
        measured(service)
    filled.write("Memory/core/models/New.md", core("A third model.", type="model"))
    seen = fingerprints(filled.vault)
    with opened(filled, NOW + 3600, read_only=True) as service:
        answer = service.health()
        assert answer["age_seconds"] == 3600.0
        assert by_name(answer)["core"]["value"] == 3
        assert by_name(measured(service))["core"]["value"] == 4  # what is only read may be computed, and is not kept
        assert service.digest()["day"] == day(0)
    assert fingerprints(filled.vault) == seen


def test_nothing_on_the_way_of_an_answer_walks_the_vault(filled: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(filled) as service:
        measured(service)

        def refuse(*_: object) -> Any:
            raise AssertionError("an answer looked at everything")

        for name in ("files", "all_facts", "graph_edges", "graph_files", "all_links"):
            monkeypatch.setattr(type(service.runtime.catalog), name, refuse)
        assert service.health()["figures"]
        assert service.digest()["week"]


def test_two_computations_at_once_are_refused(filled: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(filled) as service:
        whole = measuring.measure

        def slow(*values: Any) -> Any:
            with pytest.raises(EbbtideError):
                service.measure()
            return whole(*values)

        monkeypatch.setattr(measuring, "measure", slow)
        measured(service)


def test_the_same_vault_and_day_give_the_same_bytes(filled: Place) -> None:
    with opened(filled) as service:
        one = measuring.close_night(service.runtime, night())
        two = measuring.close_night(service.runtime, night())
        assert (one.record, one.files) == (two.record, two.files)
    for cache in filled.caches:
        for file in cache.glob("catalog.sqlite*"):
            file.unlink()
    with opened(filled) as service:
        assert measuring.close_night(service.runtime, night()).files == one.files


# --- the end of a night -------------------------------------------------------------------------------------------


def night() -> Plan:
    quote = Quote("Daily/Plan.md", 6, "The release is planned in small batches, see [[Small batches]].")
    found = Candidate(
        "c_1", "n_1", "Daily/Plan.md", "Plan", day(3), "en", "Daily", 0.6, {"nov": 0.6}, ("new",), (quote,)
    )
    judged = Judged(found, "it says the same", "redundant", 0.9, "associate", "Small batches.", target=SMALL)
    return Plan(day(0), "0" * 32, (found,), (judged,), (), 7, ("Big.md: too large",))


def test_a_night_leaves_its_report_its_line_and_a_router_without_a_dangling_link(filled: Place) -> None:
    with opened(filled) as service:
        runtime = service.runtime
        outside = fingerprints(filled.vault, without="Memory")
        measuring.finish(runtime, night(), ["core/x.md: a person was faster"], lambda work: work())
        [router] = measuring.steps_after(runtime, day(0))
        runtime.store.write_memory(router.path, str(router.after).encode(), router.before)
        assert measuring.steps_after(runtime, day(0)) == ()
        assert fingerprints(filled.vault, without="Memory") == outside
        digest = service.digest()
        assert digest["night"]["associate"] == 1
        assert digest["report"] == f"Memory/reports/{day(0)}.md"
        assert by_name(measured(service))["core"]["value"] == 3
        assert lines(filled)[0]["night"]["processed"] == 7  # figures computed later in the day keep what the night did
    reports = filled.vault / "Memory" / "reports"
    twin = json.loads((reports / f"{day(0)}.json").read_text("utf-8"))
    assert contracts.validate("report", twin) == []
    assert twin["skipped"] == ["Big.md: too large", "core/x.md: a person was faster"]
    text = (reports / f"{day(0)}.md").read_text("utf-8")
    assert "with [Small batches](../core/principles/Small%20batches.md)" in text
    paths = [file.relative_to(filled.vault).as_posix() for file in filled.vault.rglob("*") if file.is_file()]
    for name in (f"Memory/reports/{day(0)}.md", "Memory/MEMORY.md"):
        note = parse_note(name, (filled.vault / name).read_text("utf-8"))
        found = [link.target for link in build_links(note, NameIndex(paths))]
        assert found
        assert None not in found
    assert {SMALL, TIDE, WALL} == {link.target for link in build_links(note, NameIndex(paths))}


def test_the_trend_tells_of_layers_nights_and_spending_day_by_day(filled: Place) -> None:
    spent = {"requests": 3, "tokens": 1200, "money": 0.25, "cap_tokens": 5000, "cap_money": 0.0, "reason": None}
    with opened(filled) as service:
        measuring.finish(service.runtime, night(), [], lambda work: work())
    [own] = (filled.vault / "Memory" / "health").glob("*.jsonl")
    record = lines(filled)[0] | {"id": "h_00000000000000ff", "day": day(2), "night": None, "spent": spent}
    own.with_name("0badcafe.jsonl").write_text(json.dumps(record | {"layers": {"concept": 2, "odd": "x"}}), "utf-8")
    with opened(filled) as service:
        answer = service.health()
    earlier, last = answer["trend"]
    assert (earlier["day"], earlier["night"], earlier["layers"]) == (day(2), None, {"concept": 2})
    assert earlier["spent"] == {k: v for k, v in spent.items() if k != "reason"}
    assert (last["night"], last["spent"]) == (answer["night"], answer["spent"])
    assert last["night"]["processed"] == 7
    assert last["spent"] is None  # no model could be asked
    assert last["layers"] == {row["layer"]: row["records"] for row in answer["layers"]}


def test_reports_and_the_router_are_no_notes_of_the_vault(filled: Place) -> None:
    with opened(filled) as service:
        before = service.status()["counts"]["notes"]
        measuring.finish(service.runtime, night(), [], lambda work: work())
        [router] = measuring.steps_after(service.runtime, day(0))
        service.runtime.store.write_memory(router.path, str(router.after).encode(), router.before)
        service.runtime.catch_up()
        assert service.status()["counts"]["notes"] == before


def test_a_chinese_vault_gets_a_chinese_report(place: Place) -> None:
    with place.opened():
        pass
    place.fill({f"笔记{n}.md": "# 笔记\n\n今天决定先做小批量，因为评审更快。\n" for n in range(3)})
    with opened(place) as service:
        files = measuring.close_night(service.runtime, night()).files
    assert "核心的数字" in files[f"reports/{day(0)}.md"].decode()
    assert 'lang="zh"' in files[f"reports/{day(0)}.svg"].decode()


# --- what comes back, what rests ----------------------------------------------------------------------------------


def test_dormant_memories_come_back_for_a_week_with_a_place_and_then_rest(filled: Place) -> None:
    monday = NOW - TODAY.weekday() * 86400
    with opened(filled, monday) as service:
        measured(service)
        digest = service.digest()
        assert {item["path"] for item in digest["revive"]} == {TIDE, WALL}  # the other was linked to three days ago
        assert all(item["question"] and item["question_zh"] and item["idle_days"] >= 60 for item in digest["revive"])
    with opened(filled, monday + 3 * 86400) as service:
        measured(service)
        assert service.digest()["revive"] == digest["revive"]
        service.act(ident(service, WALL), "archive")
        assert [item["path"] for item in service.digest()["revive"]] == [TIDE]
    with opened(filled, monday + 7 * 86400) as service:
        measured(service)
        assert service.digest()["revive"] == []


def test_the_place_is_a_note_of_these_days(filled: Place) -> None:
    for path in (TIDE, WALL):
        (filled.vault / path).unlink()
    filled.write("Daily/Plan.md", f"---\ndate: {day(3)}\n---\n# Plan\n\nThe release is planned in small batches.\n")
    filled.write(
        "Daily/Past.md", f"---\ndate: {day(90)}\n---\n# Past\n\nA release of small batches is planned faster.\n"
    )
    with opened(filled) as service:
        measured(service)
        [item] = service.digest()["revive"]
    assert item["path"] == SMALL
    assert item["place"] == {"path": "Daily/Plan.md", "title": "Plan"}
    assert "“Plan”" in item["question"]
    assert "《Plan》" in item["question_zh"]


def test_a_year_of_disuse_is_proposed_and_a_use_of_the_note_prevents_it(place: Place) -> None:
    place.fill(
        {
            "Kettle.md": f"---\ndate: {day(800)}\n---\n# Kettle\n\nThe kettle costs 40 EUR.\n",
            "Lamp.md": f"---\ndate: {day(800)}\n---\n# Lamp\n\nThe lamp costs 30 EUR.\n",
            "Choice.md": f"---\ndate: {day(800)}\n---\n# Choice\n\nWe decided to use SQLite because it is one file.\n",
        }
    )
    with opened(place, NOW - 500 * 86400):
        pass
    with opened(place) as service:
        service.uses([ident(service, "Lamp.md")], kind="opened")
        steps = measuring.steps_before(service.runtime, day(0))
        facts = {fact["id"]: fact for fact in service.facts(limit=100)["facts"]}
        assert [facts[step.subjects[0]]["source"] for step in steps] == ["Kettle.md"]
        assert all((step.kind, step.path) == ("freeze", "") and step.why and step.evidence for step in steps)
    with opened(place, NOW - 200 * 86400) as service:
        assert measuring.steps_before(service.runtime, day(200)) == ()


# --- the command line ---------------------------------------------------------------------------------------------


def test_the_command_line_prints_exactly_the_api(
    filled: Place, capsysbinary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ebbtide.serve.cli import main

    for name, value in filled.environ.items():
        if name.startswith("EBBTIDE_"):
            monkeypatch.setenv(name, value)
    vault = ["--vault", str(filled.vault)]
    assert main(["health", "--now", "--json", *vault]) == 0
    job = json.loads(capsysbinary.readouterr().out)
    assert job["state"] == "done"
    assert main(["health", "--json", *vault]) == 0
    told = json.loads(capsysbinary.readouterr().out)
    assert by_name(told)["core"]["value"] == by_name(job["result"])["core"]["value"] == 3
    assert main(["health", *vault]) == 0
    assert "Core memories" in capsysbinary.readouterr().out.decode()
    assert main(["digest", *vault]) == 0
    assert date.today().isoformat() in capsysbinary.readouterr().out.decode()
    assert main(["health", "--no-keep", *vault]) == 2
