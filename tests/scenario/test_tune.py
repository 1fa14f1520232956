"""Settings fitted to what was used: too little changes nothing, what is found is shown, set, in force, and taken back to the byte."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ebbtide.memory.errors import ChangedOutside, EbbtideError
from ebbtide.prove import tune
from ebbtide.prove.questions import Asked
from ebbtide.prove.tune_exam import Replay, name_of
from ebbtide.serve import wire_tune
from ebbtide.serve.cli import main
from ebbtide.serve.jobs import Busy
from ebbtide.serve.service import Service
from ebbtide.vault import contracts
from support import Place, fingerprints, wait_until

THINGS = ("pump", "kettle", "ladder", "anvil", "lantern", "barrel", "saddle", "violin", "compass", "mirror", "bucket",
          "candle", "basket", "hammer", "needle", "pillow", "ribbon", "saucer", "teapot", "wallet", "zipper", "easel",
          "funnel", "goblet")  # fmt: skip
NOTES = {
    f"{place}/{thing.title()}.md": f"---\ndate: 2026-01-10\n---\n# {thing.title()} in the {place.lower()}\n\n"
    f"The {thing} of the {place.lower()} costs {20 + n} EUR and hangs on hook {n}.\n"
    for place in ("Shed", "Loft")
    for n, thing in enumerate(THINGS)
}
MINE = (
    b"# my own settings\r\n[recall]\r\nbudget = 5000  # enough for me\r\n\r\n[heat]\r\nhalf_life = 14 # as it came\r\n"
)


def used(place: Place, service: Service, half_life: float, *, days: int = 400, slope: float = 0.35) -> int:
    """A ledger of another device in which each note is used as warm as it is, from a first use on. Returns how many uses."""
    chance, now = random.Random(11), datetime.now().astimezone().replace(hour=12)
    lines: list[str] = []
    for path in NOTES:
        ident, uses, last = service.note(path)["id"], 0, None
        for ago in range(days, 0, -1):
            warm = 0.0 if last is None else 2 ** ((ago - last) / (half_life * min(4.0, 1 + 0.6 * math.log1p(uses))))
            if last is not None and chance.random() >= 1 - math.exp(-(0.004 + slope * warm) / 7):
                continue
            uses, last = uses + 1, ago
            at = (now - timedelta(days=ago)).isoformat(timespec="milliseconds")
            record = {"id": f"u_{len(lines):016x}", "at": at, "by": "user", "kind": "used", "subjects": [ident],
                      "query_hash": None, "session": None, "why": None}  # fmt: skip
            assert contracts.validate("use", record) == []
            lines.append(json.dumps(record))
    place.write("Memory/uses/0badcafe.jsonl", "\n".join(lines) + "\n")
    return len(lines)


EXACT, LOOSE = "what does the {} of the shed cost", "money paid for the {}"


def questions(place: Place, count: int = len(THINGS), query: str = EXACT) -> None:
    rows = [
        {"id": f"q{n}", "query": query.format(thing), "gold": [path]}
        for n, (thing, path) in enumerate(zip(THINGS[:count], NOTES, strict=False))
    ]
    place.write("Memory/exam.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


def tuned(service: Service, **options: Any) -> dict[str, Any]:
    ident = service.tune(**options)["id"]
    wait_until(lambda: service.job(ident)["finished"], "the fit")
    job = service.job(ident)
    assert job["state"] == "done", job["message"]
    report: dict[str, Any] = job["result"]
    wire_tune.TuneReport.model_validate(report)
    assert set(report) == set(wire_tune.TuneReport.model_fields)
    return report


def codes(report: dict[str, Any]) -> set[str]:
    assert all(notice["text"] and notice["text_zh"] for notice in report["notices"])
    return {notice["code"] for notice in report["notices"]}


@pytest.fixture
def shed(place: Place) -> Place:
    """A vault that was opened before, with settings of its own."""
    place.fill(NOTES)
    with place.opened():
        pass
    place.write("Memory/ebbtide.toml", MINE)
    return place


@pytest.fixture
def soon_cold(shed: Place) -> Place:
    """The same, out of use sooner than the half-life in force says, and with an exam."""
    with shed.opened() as service:
        assert used(shed, service, 4.0, slope=2.0) >= 200
    questions(shed)
    return shed


def test_too_few_uses_change_nothing_and_are_counted(shed: Place) -> None:
    with shed.opened() as service:
        service.uses([service.note("Shed/Pump.md")["id"]])
        before = fingerprints(shed.vault)
        report = tuned(service)
        assert (report["enough"], report["uses"], report["needed"], report["missing"]) == (False, 1, 200, 199)
        assert codes(report) == {"few-uses"}
        assert report["changes"] == report["warmth"] == report["exam"] == []
        assert fingerprints(shed.vault) == before


def test_what_is_found_is_set_in_force_at_once_and_taken_back_to_the_byte(soon_cold: Place) -> None:
    file = soon_cold.vault / "Memory" / "ebbtide.toml"
    with soon_cold.opened() as service:
        pump = "what does the pump of the shed cost"

        def warm() -> float:
            return float(max(item["temperature"]["value"] for item in service.recall(pump)["items"]))

        before = warm()
        report = tuned(service)
        changed = {change["key"]: change for change in report["changes"]}
        life = changed["heat.half_life"]
        assert life["new"] < 14.0 == life["old"]
        assert life["why"] and life["why_zh"]
        [trial] = [one for one in report["warmth"] if one["name"] == "life"]
        assert trial["kept"]
        assert trial["high"] < 0
        assert trial["after"] < trial["before"]
        assert [part["part"] for part in report["exam"]] == ["fitted", "judged", "all"]
        assert all(part["after"]["k"] >= part["before"]["k"] for part in report["exam"])
        assert report["in_force"]
        assert warm() < before

        lines = file.read_bytes().split(b"\r\n")
        assert [line for line in MINE.split(b"\r\n") if not line.startswith(b"half_life")] == [
            line for line in lines if b"ebbtide tune" not in line
        ]
        [said] = [line for line in lines if line.startswith(b"half_life")]
        assert b"was 14.0; as it came" in said
        assert report["day"].encode() in said
        [revision] = [r for r in soon_cold.revisions("correct") if r["id"] == report["revision"]]
        assert contracts.validate("revision", revision) == []
        assert {c["field"] for c in revision["changes"]} == {"content", *changed}

        undone = service.undo(report["revision"])
        assert undone["undone"] == report["revision"]
        assert file.read_bytes() == MINE
        assert warm() == before
        service.undo(undone["revisions"][0]["id"])  # the undo, undone
        assert file.read_bytes().split(b"\r\n") == lines
        assert warm() < before
    with soon_cold.opened() as service:
        assert service.runtime.config.heat.half_life == life["new"]  # and after a restart


def test_only_shown_writes_nothing_and_the_same_comes_again(soon_cold: Place) -> None:
    before = fingerprints(soon_cold.vault)
    with soon_cold.opened(read_only=True) as service:
        one, other = tuned(service, dry_run=True), tuned(service, dry_run=True)
        assert one == other
        assert one["changes"]
        assert (one["revision"], one["in_force"]) == (None, False)
        with pytest.raises(EbbtideError):
            service.tune()
    assert fingerprints(soon_cold.vault) == before
    with soon_cold.opened() as service:
        assert tuned(service)["changes"] == one["changes"]


def test_nothing_is_changed_where_nothing_is_better(shed: Place) -> None:
    with shed.opened() as service:
        assert used(shed, service, 14.0, slope=1.0) >= 200
    questions(shed, 5)
    with shed.opened() as service:
        report = tuned(service)
        assert report["enough"]
        assert report["changes"] == []
        assert report["revision"] is None
        assert codes(report) >= {"life-kept", "few-questions"}
    assert (shed.vault / "Memory" / "ebbtide.toml").read_bytes() == MINE
    assert not (shed.vault / "Memory" / ".history").exists()


def test_thresholds_that_silence_right_answers_are_lowered(shed: Place) -> None:
    """The user set a threshold of silence too high: half of the questions say so, the other half bears it out."""
    shed.write("Memory/ebbtide.toml", "recall.abstain = 0.29 # too much\n")
    with shed.opened() as service:
        used(shed, service, 14.0, slope=1.0)
    questions(shed, query=LOOSE)
    with shed.opened() as service:

        def silent() -> int:
            return sum(service.recall(LOOSE.format(thing))["abstained"] for thing in THINGS)

        assert silent() == len(THINGS)
        report = tuned(service)
        assert [change["key"] for change in report["changes"]] == ["recall.abstain"]
        [change] = report["changes"]
        assert change["new"] < change["old"] == 0.29
        assert [(part["gained"], part["lost"]) for part in report["exam"]] == [(12, 0), (12, 0), (24, 0)]
        assert {part["verdict"] for part in report["exam"]} == {"better"}
        assert silent() == 0
        text = (shed.vault / "Memory" / "ebbtide.toml").read_text("utf-8")
        assert text.startswith(f"recall.abstain = {change['new']}  # ebbtide tune")
        assert text.endswith("too much\n")


def test_a_right_silence_is_not_given_up(shed: Place) -> None:
    """Of what is asked in these words half has no answer: a lower threshold gains as much as it loses, so nothing moves."""
    shed.write("Memory/ebbtide.toml", "recall.abstain = 0.29\n")
    with shed.opened() as service:
        used(shed, service, 14.0, slope=1.0)
    rows = [
        {"id": f"q{n}", "query": LOOSE.format(thing)} | ({"gold": [path]} if n % 2 else {"kind": "unanswerable"})
        for n, (thing, path) in enumerate(zip(THINGS, NOTES, strict=False))
    ]
    shed.write("Memory/exam.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    with shed.opened() as service:
        report = tuned(service)
    assert report["changes"] == []
    assert codes(report) >= {"exam-kept"}


def test_an_undo_does_not_run_over_what_a_person_wrote_since(soon_cold: Place) -> None:
    file = soon_cold.vault / "Memory" / "ebbtide.toml"
    with soon_cold.opened() as service:
        report = tuned(service)
        mine = file.read_bytes() + b"# and I add this\n"
        file.write_bytes(mine)
        with pytest.raises(ChangedOutside):
            service.undo(report["revision"])
        assert file.read_bytes() == mine
        assert not next(r for r in service.revisions()["revisions"] if r["id"] == report["revision"])["undone"]


def test_a_file_that_was_not_there_is_not_there_after_the_undo(soon_cold: Place) -> None:
    file = soon_cold.vault / "Memory" / "ebbtide.toml"
    file.unlink()
    with soon_cold.opened() as service:
        report = tuned(service)
        assert file.exists()
        service.undo(report["revision"])
        assert not file.exists()


def test_a_file_that_cannot_be_changed_by_lines_is_named_and_left(soon_cold: Place) -> None:
    file = soon_cold.write("Memory/ebbtide.toml", "heat = { gain = 0.6 }\n")
    with soon_cold.opened() as service:
        ident = service.tune()["id"]
        wait_until(lambda: service.job(ident)["finished"], "the fit")
        job = service.job(ident)
        assert job["state"] == "failed"
        assert "heat.half_life = " in job["message"]
    assert file.read_text("utf-8") == "heat = { gain = 0.6 }\n"
    assert soon_cold.revisions("correct") == []


def test_through_the_daemon_with_the_writers_thread(soon_cold: Place) -> None:
    with soon_cold.served() as daemon:
        report = tuned(daemon.service, client="claude-code")
        assert report["in_force"]
        [revision] = [r for r in soon_cold.revisions("correct") if r["id"] == report["revision"]]
        assert revision["by"] == "agent:claude-code"
        daemon.service.undo(report["revision"])
        assert (soon_cold.vault / "Memory" / "ebbtide.toml").read_bytes() == MINE


def test_by_the_command_line(
    soon_cold: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for key, value in soon_cold.environ.items():
        if key.startswith("EBBTIDE_"):
            monkeypatch.setenv(key, value)
    (tmp_path / "config.toml").write_text("[embed]\nenabled = false\n", "utf-8")
    assert main(["tune", "--dry-run", "--vault", str(soon_cold.vault)]) == 0
    shown = capsys.readouterr()
    assert "would change" in shown.out
    assert "heat.half_life  14 -> " in shown.out
    assert "tune: " in shown.err
    assert main(["tune", "--json", "--vault", str(soon_cold.vault)]) == 0
    report = json.loads(capsys.readouterr().out)["result"]
    assert main(["undo", report["revision"], "--vault", str(soon_cold.vault)]) == 0
    assert (soon_cold.vault / "Memory" / "ebbtide.toml").read_bytes() == MINE


def test_what_only_the_searched_half_bears_out_is_not_taken(shed: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower threshold helps the half that is searched and harms the other: such a fit is to the questions, not to the user."""
    shed.write("Memory/ebbtide.toml", "recall.abstain = 0.29\n")
    with shed.opened() as service:
        used(shed, service, 14.0, slope=1.0)
    rows = [
        {"id": f"q{n:02}", "query": LOOSE.format(thing)} | ({"gold": [path]} if n < 12 else {"kind": "unanswerable"})
        for n, (thing, path) in enumerate(zip(THINGS, NOTES, strict=False))
    ]
    shed.write("Memory/exam.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(tune, "halves", lambda asked: (list(asked[:12]), list(asked[12:])))
    with shed.opened() as service:
        report = tuned(service)
    assert report["changes"] == []
    assert "exam-unsure" in codes(report)
    assert all(part["before"] == part["after"] for part in report["exam"])


def test_warmth_that_makes_the_exam_worse_is_not_taken(soon_cold: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def right(_replay: Replay, asked: Sequence[Asked], values: Mapping[str, float]) -> dict[str, bool]:
        return {name_of(one): n % 2 == 0 or not values for n, one in enumerate(asked)}

    monkeypatch.setattr(Replay, "right", right)
    with soon_cold.opened() as service:
        report = tuned(service)
    assert report["changes"] == []
    assert "warmth-hurts" in codes(report)
    assert not any(trial["kept"] for trial in report["warmth"])


def test_a_value_that_an_option_overrules_is_said_to_be(soon_cold: Place) -> None:
    with soon_cold.opened(heat__half_life=14.0) as service:
        report = tuned(service)
        assert report["revision"] is not None
        assert not report["in_force"]
        assert service.runtime.config.heat.half_life == 14.0


def test_one_fit_at_a_time(soon_cold: Place) -> None:
    with soon_cold.opened() as service:
        ident = service.tune(dry_run=True)["id"]
        with pytest.raises(Busy):
            service.tune(dry_run=True)
        with pytest.raises(Busy):
            service.exam()
        wait_until(lambda: service.job(ident)["finished"], "the fit")
        assert tuned(service, dry_run=True)["changes"]
