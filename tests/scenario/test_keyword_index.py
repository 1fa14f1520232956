"""Deleted documents and keyword scores: rewriting changes nothing, and what is made anew scores like a fresh build."""

from __future__ import annotations

import os
from typing import Any

import pytest

from ebbtide.index.refill import Refiller
from ebbtide.index.text import TantivyIndex
from support import Place, notes_for, settled, wait_first, wait_until
from tiny import STEMS, questions, story


def scores(index: TantivyIndex) -> list[Any]:
    found = []
    for query in [*questions(10), *STEMS[:10]]:
        result = index.search(query, 1000)
        found.append(([(hit.key, round(hit.score, 6)) for hit in result.hits], round(result.ceiling, 6)))
    return found


def both(place_or_runtime: Any) -> tuple[list[Any], list[Any]]:
    texts = place_or_runtime.texts
    return scores(texts["notes"]), scores(texts["facts"])


def fresh(place: Place, tmp: Place) -> tuple[list[Any], list[Any]]:
    """The scores of an index that was built once, in another place."""
    tmp.vault.symlink_to(place.vault, target_is_directory=True)
    with tmp.opened(read_only=True) as service:
        return both(service.runtime)


@pytest.fixture
def stories(place: Place) -> Place:
    return place.fill({f"n{n}.md": story(n) for n in range(20)})


def test_rewriting_notes_with_the_same_text_changes_no_score(stories: Place) -> None:
    with stories.served() as daemon:
        settled(daemon)
        before = both(daemon.runtime)
        for word in ("okapi", "tapir", "zebu"):
            for n in range(20):
                stories.write(f"n{n}.md", story(n))
            mark = stories.write("mark.md", f"{word}\n")
            wait_first(daemon.service, word, "mark.md")
            mark.unlink()
            wait_first(daemon.service, word, None)
        settled(daemon)
        daemon.indexer.report(frozenset(), True)
        settled(daemon)
        daemon.runtime.refiller.merge_deleted = 0.0  # the mark's own coming and going is merged away
        daemon.indexer.order(lambda: None)
        settled(daemon)
        assert both(daemon.runtime) == before


def test_metadata_and_facts_that_stay_are_not_written_again(stories: Place) -> None:
    runtime = stories.open()
    try:
        runtime.catch_up()
        runtime.rebuild("facts")
        runtime.rebuild("links")
        assert runtime.texts["notes"].deleted_share() == runtime.texts["facts"].deleted_share() == 0
        stories.write("n3.md", story(3) + "\nOne more line.\n")
        runtime.sync.apply(["n3.md"])
        assert runtime.texts["notes"].deleted_share() == pytest.approx(1 / 21)
        assert runtime.texts["facts"].deleted_share() == 0
    finally:
        runtime.close()


def test_past_the_limit_the_index_is_made_anew_and_scores_as_if_built_once(stories: Place, tmp_path: Any) -> None:
    with stories.served() as daemon:
        settled(daemon)
        old = daemon.runtime.texts["notes"].folder
        for n in range(8):
            stories.write(f"n{n}.md", story(200 + n))
        (stories.vault / "n9.md").unlink()
        wait_until(lambda: daemon.runtime.catalog.file("n9.md") is None, "the last change")
        settled(daemon)
        index = daemon.runtime.texts["notes"]
        assert index.folder != old
        assert not old.exists()
        assert index.deleted_share() <= daemon.runtime.refiller.merge_deleted
        assert index.count() == 19
        daemon.runtime.refiller.merge_deleted = 0.0  # what came after it was made anew, too
        daemon.indexer.order(lambda: None)
        settled(daemon)
        assert index.deleted_share() == daemon.runtime.texts["facts"].deleted_share() == 0
        found = both(daemon.runtime)
        stories.write("n1.md", "A saved note about the okapi.\n")
        wait_until(lambda: notes_for(daemon.service, "okapi")[:1] == ["n1.md"], "a note saved afterwards")
        stories.write("n1.md", story(201))
        wait_until(lambda: not notes_for(daemon.service, "okapi"), "the note to be as it was")
    other = Place(tmp_path / "other")
    other.base.mkdir()
    assert found == fresh(stories, other)


def test_notes_saved_while_it_is_made_anew_go_first_and_are_in_it(
    stories: Place, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = stories.open()
    try:
        runtime.catch_up()
        part, steps = Refiller._part, 0

        def slow(self: Refiller, name: str, after: int) -> Any:
            nonlocal steps
            steps += 1
            return part(self, name, after)

        monkeypatch.setattr(Refiller, "_part", slow)
        monkeypatch.setattr("ebbtide.index.refill._NOTES_AT_ONCE", 3)
        saved = iter([["n2.md"], ["n3.md", "new.md"], ["n4.md"]])

        def just_saved() -> list[str]:
            paths = next(saved, [])
            for path in paths:
                if path == "n4.md":
                    (stories.vault / path).unlink()
                else:
                    stories.write(path, story(300 + len(path)))
            return paths

        runtime.sync.yield_to = just_saved
        monkeypatch.setattr("ebbtide.keeping.STEP", 0.0)  # one part a step
        step = runtime.refiller.step
        monkeypatch.setattr(
            runtime.refiller, "step", lambda seconds, interrupted=lambda: False: step(0.001, interrupted)
        )
        runtime.rebuild("text")
        assert steps > 5
        assert next(saved, None) is None, "not all that was saved came in between"
        assert runtime.texts["notes"].count() == 20
        runtime.refiller.merge_deleted = 0.0
        runtime.refiller.look()
        runtime.sync.yield_to = list
        while step(1.0):
            pass
        found = both(runtime)
    finally:
        runtime.close()
    other = Place(tmp_path / "other")
    other.base.mkdir()
    assert found == fresh(stories, other)


@pytest.mark.parametrize("moment", ["begun", "half", "before the switch is noted", "after the switch is noted"])
def test_a_death_while_it_is_made_anew_loses_nothing(
    stories: Place, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Death(BaseException):
        pass

    runtime = stories.open()
    runtime.catch_up()
    before = both(runtime)
    index = runtime.texts["notes"]
    monkeypatch.setattr("ebbtide.index.refill._NOTES_AT_ONCE", 3)
    parts = 0
    part = Refiller._part

    def dying(self: Refiller, name: str, after: int) -> Any:
        nonlocal parts
        parts += 1
        if name == "notes" and (moment, parts) in {("begun", 1), ("half", 4)}:
            raise Death
        return part(self, name, after)

    def die(*_: Any) -> None:
        raise Death

    monkeypatch.setattr(Refiller, "_part", dying)
    if moment == "after the switch is noted":
        monkeypatch.setattr(index, "switch", die)
    if moment == "before the switch is noted":
        monkeypatch.setattr(type(runtime.catalog), "set_meta", die)
    runtime.refiller.order("notes")
    with pytest.raises(Death):
        while runtime.refiller.step(1.0):
            pass
    for text in runtime.texts.values():  # a dead process closes nothing; only its locks are gone
        for core in (text._core, text._next):
            if core is not None:
                core._writer = None
    if runtime.lock is not None:
        runtime.lock.release()
    monkeypatch.undo()
    with stories.opened() as service:
        assert both(service.runtime) == before
        assert service.doctor()["checks"][4]["ok"], service.doctor()["checks"][4]
        (cache,) = stories.caches
        folders = [name for name in os.listdir(cache) if name.startswith("text-notes")]
        assert len(folders) == 1
