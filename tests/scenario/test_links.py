"""links.jsonl after any sequence of changes is what a build from nothing gives; and no more is looked at again than needed."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ebbtide.daemon import Daemon
from ebbtide.index.linker import Linker
from ebbtide.runtime import Runtime
from support import Place, notes_for, wait_until

NAMES = ["Plan", "plan", "Map", "Idea.v2", "笔记", "Cafe\u0301", "a b"]
FOLDERS = ["", "A/", "B/", "B/Deep/"]
TARGETS = [
    "Plan",
    "A/Plan",
    "plan",
    "Map",
    "Idea.v2",
    "Idea",
    "笔记",
    "Caf\u00e9",
    "a b",
    "B/Deep/Map",
    "pic.png",
    "None",
]


class Vault:
    """Random changes of files, told apart by nothing but a seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.chance = root, random.Random(seed)

    def files(self) -> list[str]:
        found = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return sorted(str(path) for path in found if path.parts[0] != "Memory")

    def _new_name(self) -> str:
        ending = self.chance.choice([".md"] * 6 + [".canvas", ".png"])
        name = "pic" if ending == ".png" else self.chance.choice(NAMES)
        return self.chance.choice(FOLDERS) + name + ending

    def _text(self, path: str) -> str:
        if path.endswith(".canvas"):
            ends = [self.chance.choice(FOLDERS) + self.chance.choice(NAMES) + ".md" for _ in range(2)]
            nodes = [{"id": str(n), "type": "file", "file": end} for n, end in enumerate(ends)]
            return json.dumps(
                {"nodes": nodes, "edges": [{"id": "e", "fromNode": "0", "toNode": "1", "label": "causes"}]}
            )
        wanted = [self.chance.choice(TARGETS) for _ in range(self.chance.randint(0, 4))]
        links = " ".join(f"{self.chance.choice(['', '!'])}[[{name}]]" for name in wanted)
        head = f'---\nup: "[[{self.chance.choice(TARGETS)}]]"\n---\n' if self.chance.random() < 0.3 else ""
        extra = f"[x](../{self.chance.choice(NAMES)}.md) caused_by:: [[{self.chance.choice(TARGETS)}]]\n"
        return f"{head}# N{self.chance.randint(0, 99)}\n\n{links}\n\n{extra if self.chance.random() < 0.4 else ''}"

    def change(self) -> set[str]:
        """One change; the paths that a watcher would name."""
        there = self.files()
        what = self.chance.choice(["write"] * 4 + ["delete", "rename", "rename", "folder"])
        if what == "write" or not there:
            path = self._new_name()
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("x" if path.endswith(".png") else self._text(path), "utf-8")
            return {path}
        path = self.chance.choice(there)
        if what == "delete":
            (self.root / path).unlink()
            return {path}
        new = self._new_name().rpartition(".")[0] + "." + path.rpartition(".")[2]
        if what == "folder" and "/" in path:
            top = path.split("/")[0]
            other = self.root / self.chance.choice(["A", "B", "C"])
            inside = [name for name in there if name.startswith(top + "/")]
            if not other.exists():
                (self.root / top).rename(other)
                return {*inside, *(f"{other.name}/{name.partition('/')[2]}" for name in inside)}
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).rename(self.root / new)
        return {path, new}


def state(runtime: Runtime) -> dict[str, Any]:
    """What the indexes hold, without what depends on their history."""
    catalog = runtime.catalog
    files = catalog.files()
    return {
        "links": list(catalog.all_links()),
        "files": {path: (row.kind, row.status, row.title, row.digest, row.inlinks) for path, row in files.items()},
        "passages": {
            path: [(p.headings, p.line, p.text) for p in catalog.passages_of(row.row)] for path, row in files.items()
        },
        "documents": (runtime.texts["notes"].count(), runtime.texts["facts"].count()),
        "names": [link for name in TARGETS for link in [runtime.sync.linker.names.resolve(name, "x.md").target]],
        "left over": catalog.stale_keys(),
        "graph": pictured(runtime),
    }


def pictured(runtime: Runtime) -> dict[str, list[Any]]:
    """The graph by paths instead of rows: the steps at each file, with their sentences, and the paths between some."""
    runtime.graph.refresh()
    graph, names = runtime.graph.current(), dict(runtime.catalog.graph_files())
    out: dict[str, list[Any]] = {}
    for row, name in names.items():
        steps = graph.steps(row)
        said = runtime.catalog.link_records([step.link for step in steps])
        out[name] = [
            (names[s.other], s.outward, s.type, s.strong, s.declared, s.confidence, said[s.link]) for s in steps
        ]
    rows = list(names)
    for start, goal in itertools.pairwise(rows):
        out[f"{names[start]} > {names[goal]}"] = [
            (names[s.other], s.type, s.outward) for s in graph.path(start, goal, 4)
        ]
    return out


@pytest.fixture
def built(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A function that builds everything from nothing, read-only and in another place."""
    made: list[Path] = []

    def build() -> dict[str, Any]:
        made.append(tmp_path_factory.mktemp("scratch"))
        other = Place(made[-1])
        other.vault.symlink_to(place.vault, target_is_directory=True)
        with other.opened(read_only=True) as service:
            return state(service.runtime)

    yield build
    for folder in made:
        shutil.rmtree(folder)


@pytest.mark.evidence
@pytest.mark.parametrize("seed", range(24 if os.environ.get("EBBTIDE_EVIDENCE") == "1" else 3))
def test_any_sequence_of_changes_gives_what_a_build_from_nothing_gives(place: Place, built: Any, seed: int) -> None:
    vault = Vault(place.vault, seed)
    for _ in range(8):
        vault.change()
    runtime = place.open()
    try:
        runtime.catch_up()
        for step in range(60):
            runtime.sync.apply(vault.change())
            if vault.chance.random() < 0.15:  # changes that nobody told of, found by comparing everything
                vault.change()
                vault.change()
                runtime.sync.reconcile()
            if step % 12 == 11:
                runtime.sync.reconcile()
                assert state(runtime) == built()
                runtime.write_memory()
                lines = (place.vault / "Memory/links.jsonl").read_text("utf-8")
                assert lines == "".join(line + "\n" for line in runtime.catalog.all_links())
    finally:
        runtime.close()


def test_apply_alone_keeps_links_true(place: Place, built: Any) -> None:
    """Without any comparison of everything: what the watcher names is enough."""
    vault = Vault(place.vault, 99)
    runtime = place.open()
    try:
        runtime.catch_up()
        for _ in range(80):
            runtime.sync.apply(vault.change())
        assert state(runtime) == built()
    finally:
        runtime.close()


def test_lines_are_sorted_by_source_and_offset(place: Place) -> None:
    place.fill(
        {
            "b.md": "[[a]] x [[c]]",
            "a.md": "[[b]]",
            "Z.md": "[[a]]",
            "é.md": "[[a]]",
            "a/x.md": "[[a]]",
            "a b.md": "[[a]]",
        }
    )
    with place.served():
        pass
    keys = [(record["source"], record["offset"]) for record in place.ledger("links.jsonl")]
    assert keys == sorted(keys)
    assert len(keys) == 7


def test_only_links_by_a_name_that_came_or_went_are_resolved_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill({f"n{number}.md": f"[[m{number}]] and [[Hub]]" for number in range(40)})
    seen: list[str] = []
    resolve = Linker._resolve

    def counted(self: Linker, path: str) -> None:
        seen.append(path)
        resolve(self, path)

    runtime = place.open()
    try:
        runtime.catch_up()
        monkeypatch.setattr(Linker, "_resolve", counted)
        place.write("m7.md", "new")
        runtime.sync.apply(["m7.md"])
        assert seen == ["n7.md"]
        found = [json.loads(line) for line in runtime.catalog.find_links("n7.md", 9)]
        assert {link["raw"]: link["target"] for link in found} == {"[[m7]]": "m7.md", "[[Hub]]": None}
        seen.clear()
        (place.vault / "m7.md").rename(place.vault / "m8.md")
        runtime.sync.apply(["m7.md", "m8.md"])
        assert seen == ["n7.md", "n8.md"]
        seen.clear()
        place.write("n3.md", "no link any more")
        runtime.sync.apply(["n3.md"])
        assert seen == []
        place.write("Hub.md", "the middle")
        runtime.sync.apply(["Hub.md"])
        assert sorted(seen) == sorted(f"n{number}.md" for number in range(40) if number != 3)
        assert runtime.catalog.files()["Hub.md"].inlinks == 39
    finally:
        runtime.close()


def test_the_file_is_written_only_when_a_byte_differs(place: Place) -> None:
    place.fill({"a.md": "[[b]]\n", "b.md": "word\n"})
    file = place.vault / "Memory/links.jsonl"
    with place.served() as daemon:
        wait_until(file.exists, "links.jsonl")
        before = file.stat()
        place.write("b.md", "another word, gnu\n")
        wait_until(lambda: notes_for(daemon.service, "gnu"), "the saved note")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    with place.served() as daemon:
        place.write("c.md", "[[a]]\n")
        wait_until(lambda: len(place.ledger("links.jsonl")) == 2, "the new edge")


def test_names_that_were_not_looked_at_when_the_process_died_are_looked_at_later(
    place: Place, built: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fill({"a.md": "[[late]] [[gone]]", "gone.md": "word"})
    runtime = place.open()
    runtime.catch_up()
    place.write("late.md", "here")
    (place.vault / "gone.md").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(Linker, "resolve_again", lambda *_: iter(()))  # the process dies before this
        runtime.sync.apply(["late.md", "gone.md"])
        assert {"late", "gone"} <= set(runtime.catalog.stale_keys())
        runtime.close()
    with place.opened() as service:
        assert state(service.runtime) == built()
        links = {link["raw"]: link["target"] for link in service.links("a.md")["links"]}
    assert links == {"[[late]]": "late.md", "[[gone]]": None}


def test_links_of_and_to_notes_whose_departure_was_not_told(place: Place, built: Any) -> None:
    """The watcher names only where they arrived: links by the old names must not stay."""
    place.fill({f"n{n}.md": f"Note {n}: [[n{n}]] [[n{(n + 1) % 4}]] [[n{(n + 2) % 4}]]" for n in range(4)})
    runtime = place.open()
    try:
        runtime.catch_up()
        (place.vault / "M").mkdir()
        for n in range(4):
            (place.vault / f"n{n}.md").rename(place.vault / f"M/m{n}.md")
        runtime.sync.apply([f"M/m{n}.md" for n in range(4)])
        assert state(runtime) == built()
    finally:
        runtime.close()


@pytest.mark.parametrize("told", ["sync", "indexer"])
def test_a_note_that_is_told_of_before_the_first_comparison_links_to_what_is_there(place: Place, told: str) -> None:
    place.fill({"old.md": "word\n", "B/deep.md": "word\n"})
    place.open().close()
    with place.opened():
        pass
    place.write("new.md", "See [[old]] and [[deep]].\n")
    if told == "sync":
        runtime = place.open()
        runtime.sync.apply(["new.md"])
        targets = [json.loads(line)["target"] for line in runtime.catalog.all_links()]
        runtime.close()
    else:
        daemon = Daemon(place.open())
        daemon.indexer.report(frozenset(["new.md"]), False)
        daemon.indexer.start()
        wait_until(lambda: daemon.runtime.catalog.file("new.md") and not daemon.indexer.busy, "the note")
        targets = [json.loads(line)["target"] for line in daemon.runtime.catalog.all_links()]
        daemon.indexer.stop()
        daemon.runtime.close()
    assert targets == ["old.md", "B/deep.md"]


def test_other_words_for_relations_are_heeded_at_the_next_start(place: Place) -> None:
    place.fill({"Moth.md": "vexes:: [[Lamp]]\n", "Lamp.md": "light\n"})
    for synonyms, kind in (({}, "vexes"), ({"vexes": "contradicts"}, "contradicts"), ({}, "vexes")):
        with place.opened(relations__synonyms=synonyms) as service:
            assert [link["type"] for link in service.links()["links"]] == [kind]
            assert service.runtime.sync.reconcile().touched == 0
