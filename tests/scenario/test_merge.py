"""Core memories that say the same: proposed, decided by a person, merged and taken back to the byte; and what nobody needs rests."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from ebbtide import tidying
from ebbtide.index.decisions import Decisions
from ebbtide.memory.errors import BadRequest, ChangedOutside, NotFound
from ebbtide.runtime import Runtime
from ebbtide.serve.service import Service
from ebbtide.sleep.core_note import NewCore, written
from ebbtide.sleep.night import Outcome
from ebbtide.sleep.nights import Plan, Quote, Step
from ebbtide.sleeping import open_night
from ebbtide.vault.nightfiles import NightFiles, NightJournal
from support import Place, fingerprints, wait_until

DAY, SOON, LATER = "2026-03-10", "2026-03-11", "2026-04-20"
NOTES = {
    "Work/2026-03-02.md": "# Monday\n\nEstimates get better once we split the work before planning.\n",
    "Work/2026-03-03.md": "# Tuesday\n\nEstimates get better once I split the work before planning it.\n",
    "Garden/2026-03-04.md": "# Wednesday\n\nThe bed took long.\n",
    "Work/2025-01-01.md": "# New year\n\nEstimates get better once we split the work before planning.\n",
}
SPLIT = "Estimates get better once we split the work before planning."
SPLIT_TOO = "Estimates get better once I split the work before planning it."
RULE = "Split the work before planning."
NEVER = "Estimates never get better once we split the work before planning."
OTHER = "Reviews get better once we split the work before planning."
FIRST, SECOND = "core/patterns/First.md", "core/patterns/Second.md"


def made(runtime: Runtime, path: str, claim: str, type_: str = "pattern", day: str = "2026-03-05", **more: Any) -> Step:
    """The step by which a night once wrote a core memory."""
    default = [note for note in NOTES if note[-13:-3] < day][-1:] if day < "2026" else list(NOTES)[:1]
    places = [Quote(note, 3, claim, note[-13:-3]) for note in more.pop("notes", default)]
    text = written(NewCore(type_, claim, day, more.pop("lang", "en"), places, **more))
    return Step("promote", path, "", text, (runtime.sync.new_id(f"Memory/{path}"),), "borne out", tuple(places))


def night(service: Service, day: str = DAY, steps: Iterable[Step] = (), **changed: Any) -> Outcome:
    """A night without candidates that does these steps, and then what a night does by itself."""
    told = open_night(service.runtime, lambda work: work())
    told.collect = lambda *_: ((), 0)
    if steps:
        told.further = lambda _day: tuple(steps)
    for name, value in changed.items():
        setattr(told, name, value)
    outcome = told.run(day)
    service.runtime.write_memory()
    return outcome


def two(service: Service, one: str = SPLIT, other: str = SPLIT_TOO, day: str = DAY, **more: Any) -> Outcome:
    """A night that writes two core memories; the second is borne out by two notes, so it would stay."""
    runtime = service.runtime
    steps = [made(runtime, FIRST, one, **more), made(runtime, SECOND, other, notes=list(NOTES)[1:3])]
    return night(service, day, steps)


def core(place: Place) -> dict[str, bytes]:
    base = place.vault / "Memory"
    return {file.relative_to(base).as_posix(): file.read_bytes() for file in sorted(base.glob("core/**/*.md"))}


def ids(service: Service) -> dict[str, str]:
    return {row.path.removeprefix("Memory/"): row.id for row in service.runtime.catalog.files().values()}


def asked(service: Service) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = service.reviews(kind="merge")["reviews"]
    return found


def standing(service: Service, path: str) -> Any:
    return service.runtime.sync.decisions.standing(ids(service)[path])


def shown(service: Service, **more: Any) -> set[str]:
    """The core memories that may answer."""
    query, paths = "what makes estimates better when planning the work?", [p for p in ids(service) if "/" in p]
    found = {p: service.explain(query, f"Memory/{p}", **more) for p in paths if p.startswith("core/")}
    steps = {path: {step["step"]: step["passed"] for step in told["steps"]} for path, told in found.items()}
    return {path for path, told in steps.items() if told["state"]}


def report(place: Place, day: str) -> str:
    return (place.vault / f"Memory/reports/{day}.md").read_text("utf-8")


# --- proposing --------------------------------------------------------------------------------------------------------


def test_what_says_the_same_is_proposed_and_nothing_is_changed(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        before = fingerprints(place.vault, without="Memory")
        two(service)
        texts = core(place)
        [item] = asked(service)
        assert [(side["note"], side["fact"]) for side in item["sides"]] == [
            (f"Memory/{FIRST}", SPLIT),
            (f"Memory/{SECOND}", SPLIT_TOO),
        ], "the one that is less borne out becomes evidence of the other"
        assert [choice["ruling"] for choice in item["choices"]] == ["merge", "both", "later"]
        assert item["question"].endswith("?")
        assert "Second" in item["why"]
        page = report(place, DAY)
        assert "say the same" in page
        assert SPLIT in page
        night(service, SOON)
        assert asked(service) == [item], "asked once"
        assert core(place) == texts
        assert fingerprints(place.vault, without="Memory") == before


@pytest.mark.parametrize(
    ("other", "more"),
    [
        (NEVER, {}),
        (OTHER, {}),
        (SPLIT_TOO, {"private": True}),
        ("先把工作拆小再计划，估算会准很多。", {"lang": "zh"}),
    ],
)
def test_what_denies_or_tells_of_another_thing_is_never_proposed(
    place: Place, other: str, more: Mapping[str, Any]
) -> None:
    with place.fill(NOTES).opened() as service:
        two(service, other, SPLIT, **more)
        assert asked(service) == []


def test_another_scope_is_another_thing(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        step = made(service.runtime, FIRST, SPLIT)
        assert step.after is not None
        text = step.after.replace("scope: user", "scope: project\nproject: Delta")
        scoped = Step("promote", FIRST, "", text, step.subjects, step.why, step.evidence)
        night(service, DAY, [scoped, made(service.runtime, SECOND, SPLIT_TOO)])
        assert asked(service) == []


def test_a_principle_takes_in_the_pattern_that_it_covers(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        principle = made(service.runtime, "core/principles/Rule.md", RULE, "principle")
        night(service, DAY, [made(service.runtime, FIRST, SPLIT, notes=list(NOTES)), principle])
        [item] = asked(service)
        assert [side["note"] for side in item["sides"]] == [f"Memory/{FIRST}", "Memory/core/principles/Rule.md"]
        assert "instance" in item["why"]


# --- deciding ---------------------------------------------------------------------------------------------------------


def test_merged_it_becomes_evidence_and_undo_brings_the_very_bytes_back(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        texts, [item] = core(place), asked(service)
        assert shown(service) == {FIRST, SECOND}
        done = service.rule(item["id"], "merge")
        assert [r["kind"] for r in done["revisions"]] == ["merge"]
        assert asked(service) == []
        now = {path: data.decode() for path, data in core(place).items()}
        assert "status: merged" in now[FIRST]
        assert 'superseded_by: "[[Memory/core/patterns/Second]]"' in now[FIRST]
        assert f"[[Memory/core/patterns/First]]: “{SPLIT}”" in now[SECOND]
        assert "[[Work/2026-03-02]]" in now[SECOND], "its own evidence goes along"
        assert standing(service, FIRST).merged_into == ids(service)[SECOND]
        assert shown(service) == {SECOND}
        assert FIRST in shown(service, include=["stale"])
        night(service, SOON)
        router = (place.vault / "Memory/MEMORY.md").read_text("utf-8")
        assert "Second" in router
        assert "First" not in router
        service.undo(id=done["revisions"][0]["id"])
        assert core(place) == texts
        assert standing(service, FIRST).merged_into is None
        assert asked(service) == [item]
        assert shown(service) == {FIRST, SECOND}


def test_kept_apart_they_are_asked_about_again_only_once_one_says_something_else(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        [item] = asked(service)
        done = service.rule(item["id"], "both")
        assert asked(service) == []
        night(service, LATER)
        assert asked(service) == []
        service.undo(id=done["revisions"][0]["id"])
        assert asked(service) == [item]
        service.rule(item["id"], "both")
        file = place.vault / "Memory" / SECOND
        said = file.read_text("utf-8").replace("planning it.", "planning it, and the sprint calmer.")
        file.write_text(said, "utf-8")
        service.catch_up(vectors=False)
        night(service, "2026-06-01")
        [again] = asked(service)
        assert again["sides"][1]["fact"].endswith("and the sprint calmer.")
        assert again["since"] > item["since"]


def test_what_was_put_off_is_still_open_but_not_shown(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        [item] = asked(service)
        service.rule(item["id"], "later")
        assert asked(service) == []
        with pytest.raises(NotFound):
            service.rule(item["id"], "merge")
        night(service, SOON)
        assert "say the same" not in report(place, SOON)
        service.undo()
        assert asked(service) == [item]
        with pytest.raises(BadRequest):
            service.rule(item["id"], "keep_a")


def test_what_a_person_changed_is_never_merged_away(place: Place) -> None:
    with place.fill(NOTES).opened(merge__auto=True) as service:
        runtime = service.runtime
        night(service, DAY, [made(runtime, FIRST, SPLIT)])
        file = place.vault / "Memory" / FIRST
        file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
        service.catch_up(vectors=False)
        night(service, LATER, [made(runtime, SECOND, SPLIT_TOO, notes=list(NOTES)[1:3])])
        now = {path: data.decode() for path, data in core(place).items()}
        assert "status: active" in now[FIRST]
        assert "Mine." in now[FIRST], "it is the one that stays"
        assert "[[Memory/core/patterns/Second]]" in now[FIRST]
        assert "status: merged" in now[SECOND]


def test_an_edit_closes_the_question_and_two_of_a_persons_own_are_left_alone(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        [item] = asked(service)
        for path in (FIRST, SECOND):
            file = place.vault / "Memory" / path
            file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
        service.catch_up(vectors=False)
        assert asked(service) == []
        with pytest.raises(NotFound):
            service.rule(item["id"], "merge")
        texts = core(place)
        night(service, LATER)
        assert asked(service) == []
        assert core(place) == texts


def test_what_is_pinned_stays(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        runtime = service.runtime
        steps = [made(runtime, FIRST, SPLIT), made(runtime, SECOND, SPLIT_TOO, notes=list(NOTES)[1:3])]
        night(service, DAY, steps, closing=lambda _plan: ())
        service.act(ids(service)[FIRST], "pin")
        night(service, SOON)
        [item] = asked(service)
        assert [side["note"] for side in item["sides"]] == [f"Memory/{SECOND}", f"Memory/{FIRST}"]


def test_a_night_is_not_taken_back_under_a_merge_and_a_merge_that_was_cut_off_goes_on(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        [item] = asked(service)
        done = service.rule(item["id"], "merge")["revisions"][0]["id"]
        merged = core(place)
        told = open_night(service.runtime, lambda work: work())
        with pytest.raises(BadRequest, match="A merge of"):
            told.undo(DAY, "user", "no")
        service.undo(id=done)
        texts = core(place)
        again = service.rule(item["id"], "merge")["revisions"][0]["id"]
        for path, data in texts.items():  # as if it had been killed before it came to the files
            (place.vault / "Memory" / path).write_bytes(data)
        told.journal.write("undo.json", json.dumps({"id": again, "forward": True}).encode())
        told.resume()
        assert core(place) == merged


class Killed(BaseException):
    """As if the process ended here."""


def cut_off(patched: pytest.MonkeyPatch, tick: int) -> list[int]:
    """End the process, so to say, at the N-th moment before or after a write of a merge; the moments met so far."""
    met = [0]

    def moment() -> None:
        met[0] += 1
        if met[0] == tick:
            raise Killed

    for kind, name in (
        (NightFiles, "keep"),
        (NightFiles, "put"),
        (NightJournal, "write"),
        (NightJournal, "remove"),
        (Decisions, "record"),
    ):
        inner = getattr(kind, name)

        def outer(*args: Any, _inner: Any = inner, **more: Any) -> Any:
            moment()
            found = _inner(*args, **more)
            moment()
            return found

        patched.setattr(kind, name, outer)
    return met


def test_cut_off_at_any_moment_a_merge_that_a_person_ruled_is_done_as_a_whole_or_not_at_all(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        texts, [item] = core(place), asked(service)
        outcomes, tick = set(), 0
        merged: dict[str, bytes] = {}
        while True:
            tick += 1
            with monkeypatch.context() as patched, contextlib.suppress(Killed):
                met = cut_off(patched, tick)
                service.rule(item["id"], "merge")
            whole = met[0] < tick
            told = open_night(service.runtime, lambda work: work())
            told.resume()
            assert told.journal.read("undo.json") is None
            made = service.runtime.catalog.latest_revisions(1, ("merge",))
            done = bool(made) and not service.runtime.catalog.is_undone(str(made[0]["id"]))
            assert (asked(service) == []) == done
            assert (core(place) != texts) == done, f"cut off at moment {tick}"
            if done:
                merged = merged or core(place)
                assert core(place) == merged
                service.undo(id=str(made[0]["id"]))
                assert core(place) == texts
            outcomes.add(done)
            if whole:
                break
        assert outcomes == {True, False}


def test_what_was_cut_off_is_ended_before_another_merge_begins(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    pond = ["The pond stays clear once we rake the leaves.", "The pond stays clear once I rake the leaves away."]
    with place.fill(NOTES).opened() as service:
        runtime = service.runtime
        more = [made(runtime, f"core/patterns/Pond {n}.md", claim) for n, claim in enumerate(pond)]
        night(service, DAY, [made(runtime, FIRST, SPLIT), made(runtime, SECOND, SPLIT_TOO), *more])
        texts = core(place)
        one, other = asked(service)
        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(NightFiles, "put", lambda *_: (_ for _ in ()).throw(Killed))
            service.rule(one["id"], "merge")
        assert core(place) == texts
        service.rule(other["id"], "merge")
        now = core(place)
        assert len([path for path in now if b"status: merged" in now[path]]) == 2
        assert {path for path in now if now[path] != texts[path]} == set(texts)


def test_a_merge_is_refused_if_a_file_was_changed_since_it_was_read(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        [open_] = tidying.open_merges(service.runtime, DAY)
        file = place.vault / "Memory" / SECOND
        file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
        texts = core(place)
        with pytest.raises(ChangedOutside):
            tidying.carry_out(service.runtime, open_, "user", "")
        assert core(place) == texts
        assert place.revisions("merge") == []


# --- by itself --------------------------------------------------------------------------------------------------------


def test_by_itself_a_night_merges_and_is_taken_back_with_the_night_or_alone(place: Place) -> None:
    with place.fill(NOTES).opened(merge__auto=True) as service:
        runtime = service.runtime
        steps = [made(runtime, FIRST, SPLIT), made(runtime, SECOND, SPLIT_TOO, notes=list(NOTES)[1:3])]
        night(service, DAY, steps, closing=lambda _plan: ())
        texts = core(place)
        night(service, SOON)
        assert "status: merged" in core(place)[FIRST].decode()
        assert asked(service) == []
        assert "First" in report(place, SOON).split("## Merged")[1]
        merged = core(place)
        open_night(runtime, lambda work: work()).undo(None, "user", "no")
        assert core(place) == texts
        night(service, "2026-03-12")
        assert core(place) == merged, "a night that was taken back was no look"
        [revision] = [r for r in place.revisions("merge") if r["night"] == "2026-03-12"]
        service.undo(id=revision["id"])
        assert core(place) == texts
        night(service, LATER)
        assert core(place) == texts, "what a person took back does not come again"


def test_cut_off_between_the_two_files_a_merge_goes_on_and_is_done_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with place.fill(NOTES).opened(merge__auto=True) as service:
        runtime = service.runtime
        steps = [made(runtime, FIRST, SPLIT), made(runtime, SECOND, SPLIT_TOO, notes=list(NOTES)[1:3])]
        night(service, DAY, steps, closing=lambda _plan: ())
        real = NightFiles.put

        def put(files: NightFiles, rel: str, data: bytes, before: str) -> None:
            if rel == SECOND:
                raise OSError("cut off")
            real(files, rel, data, before)

        with monkeypatch.context() as patched, pytest.raises(OSError, match="cut off"):
            patched.setattr(NightFiles, "put", put)
            night(service, SOON)
        assert "status: merged" in core(place)[FIRST].decode()
        assert "patterns/First]]" not in core(place)[SECOND].decode()
        told = open_night(runtime, lambda work: work())
        assert told.resume() is not None
        assert "patterns/First]]" in core(place)[SECOND].decode()
        assert len(place.revisions("merge")) == 1
        assert told.resume() is None


def test_a_person_who_is_faster_keeps_both(place: Place) -> None:
    with place.fill(NOTES).opened(merge__auto=True) as service:
        runtime = service.runtime
        steps = [made(runtime, FIRST, SPLIT), made(runtime, SECOND, SPLIT_TOO, notes=list(NOTES)[1:3])]
        night(service, DAY, steps, closing=lambda _plan: ())
        texts, told = core(place), open_night(runtime, lambda work: work())
        told.collect, plain = lambda *_: ((), 0), told.closing

        def closing(plan: Plan) -> list[Step]:
            found = list(plain(plan))
            (place.vault / "Memory" / SECOND).write_bytes(texts[SECOND] + b"\nMine.\n")
            return found

        told.closing = closing
        outcome = told.run(SOON)
        assert [outcome.steps[n].kind for n in outcome.skipped] == ["merge"]
        assert core(place) == {**texts, SECOND: texts[SECOND] + b"\nMine.\n"}


def test_the_next_look_is_a_month_later(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        runtime = service.runtime
        night(service, DAY, [made(runtime, FIRST, SPLIT), made(runtime, "core/patterns/Pond.md", "The pond is deep.")])
        night(service, SOON, [made(runtime, SECOND, SPLIT_TOO)])
        assert asked(service) == []
        night(service, "2026-04-08")
        assert asked(service) == []
        night(service, "2026-04-09")
        assert len(asked(service)) == 1


def test_never_is_never(place: Place) -> None:
    with place.fill(NOTES).opened(merge__every_days=0) as service:
        two(service)
        assert asked(service) == []


def test_the_same_vault_gives_the_same_merges(tmp_path: Any) -> None:
    found = []
    for name in ("one", "two"):
        (tmp_path / name / "vault").mkdir(parents=True)
        place = Place(tmp_path / name).fill(NOTES)
        with place.opened(merge__auto=True) as service:
            runtime = service.runtime
            steps = [made(runtime, FIRST, SPLIT), made(runtime, SECOND, SPLIT_TOO, notes=list(NOTES)[1:3])]
            night(service, DAY, steps if name == "one" else steps[::-1])
            found.append(core(place))
    assert found[0] == found[1]


def test_through_the_daemon(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        two(service)
        texts = core(place)
    with place.served() as daemon:
        service = daemon.service
        [item] = asked(service)
        done = service.rule(item["id"], "merge")
        wait_until(lambda: not daemon.indexer.busy, "rest")
        assert core(place) != texts
        service.undo(id=done["revisions"][0]["id"])
        assert core(place) == texts


# --- what nobody needs ------------------------------------------------------------------------------------------------


def test_a_pattern_that_nobody_needs_is_frozen_and_comes_back(place: Place) -> None:
    with place.fill(NOTES).opened(merge__idle_days=365) as service:
        runtime, rule = service.runtime, "core/principles/Rule.md"
        made_ = [made(runtime, FIRST, SPLIT, day="2025-01-02"), made(runtime, rule, RULE, "principle", "2025-01-02")]
        night(service, "2025-01-02", made_, closing=lambda _plan: ())
        assert {FIRST, rule} <= shown(service)
        night(service, "2026-01-01")
        assert not standing(service, FIRST).frozen, "not for a year yet"
        night(service, "2026-01-02")
        assert standing(service, FIRST).frozen
        assert not standing(service, rule).frozen
        assert FIRST not in shown(service)
        assert FIRST in shown(service, include=["frozen"])
        assert SPLIT in report(place, "2026-01-02").split("## Frozen")[1]
        assert "First" not in (place.vault / "Memory/MEMORY.md").read_text("utf-8")
        service.act(ids(service)[FIRST], "thaw")
        assert FIRST in shown(service)


def test_unless_the_user_says_so_no_core_memory_is_frozen_for_its_age(place: Place) -> None:
    with place.fill(NOTES).opened() as service:
        night(service, "2025-01-02", [made(service.runtime, FIRST, SPLIT, day="2025-01-02")], closing=lambda _plan: ())
        night(service, "2028-01-02")
        assert not standing(service, FIRST).frozen


def test_what_a_person_changed_pinned_or_met_does_not_freeze(place: Place) -> None:
    with place.fill(NOTES).opened(merge__idle_days=365) as service:
        runtime = service.runtime
        paths = [f"core/patterns/{name}.md" for name in ("Edited", "Pinned", "Used")]
        claims = (SPLIT, "The pond wants shade in the late summer.", "Trams run late when it rains for long.")
        steps = [made(runtime, path, said, day="2025-01-02") for path, said in zip(paths, claims, strict=True)]
        night(service, "2025-01-02", steps, closing=lambda _plan: ())
        file = place.vault / "Memory" / paths[0]
        file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
        service.catch_up(vectors=False)
        service.act(ids(service)[paths[1]], "pin")
        service.uses([ids(service)[paths[2]]])
        night(service, runtime.uses.today())
        assert not any(standing(service, path).frozen for path in paths)


def test_what_is_said_again_is_thawed(place: Place) -> None:
    with place.fill(NOTES).opened(merge__idle_days=365) as service:
        night(service, "2025-01-02", [made(service.runtime, FIRST, SPLIT, day="2025-01-02")], closing=lambda _plan: ())
        night(service, "2026-03-01")
        assert standing(service, FIRST).frozen
        place.write("Work/2026-03-09.md", f"# Again\n\nI realised that {SPLIT[0].lower()}{SPLIT[1:]}\n")
        service.catch_up(vectors=False)
        outcome = open_night(service.runtime, lambda work: work()).run(DAY)
        assert "associate" in {one.decision for one in outcome.plan.judged}
        assert not standing(service, FIRST).frozen
