"""Link health over a real vault and service: what leads nowhere, what may have been meant, what nothing links, and
what must not be believed: conflict copies, templates, drawings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ebbtide.memory.errors import BadRequest
from ebbtide.serve.service import Service
from support import Place, notes_for, settled, wait_until

NOTES: dict[str, str] = {
    "Home.md": "# Home\n\nSee [[Old/Harbor Plan]], [[harbr plan]], [[項目計劃]], [[MELL]], [[Nothing like it]] and [[Meeting]].\n",
    "Work/Harbor Plan.md": "# Harbor Plan\n\n## Why it matters?\n\nWe chose stone. ^reason\n\n### Costs\n\nMuch.\n",
    "项目计划.md": "# 项目计划\n\n见 [[Harbor Plan#Why it matters]] 和 [[Harbor Plan#^REASON]]。\n",
    "Meetings.md": "---\naliases: [MELL]\n---\n# Meetings\n\n![[pic.png]] [[Harbor Plan#Why it maters]] [[Harbor Plan#^raeson]]\n",
    "Alone.md": "# Alone\n\nNobody links here, and [[#Alone]] is only itself; [[Nowhere at all]].\n",
    "2026-03-01.md": "Rain.\n",
    "pic.png": "x",
    "unused.png": "x",
}


def ask(service: Service, **asked: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(json.dumps(service.links(**asked)))
    return answer


def missing(service: Service) -> set[tuple[str, str]]:
    return {(link["source"], link["missing"]) for link in ask(service, broken_anchors=True)["links"]}


def orphans(service: Service) -> list[str]:
    return [entry["path"] for entry in ask(service, orphans=True)["orphans"]]


# --- unresolved and ambiguous ---------------------------------------------------------------------------------------------


def test_unresolved_links_come_with_near_names_and_stay_unresolved(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        links = ask(service, unresolved=True)["links"]
        assert all(link["target"] is None for link in links)
        said = {link["raw"]: [(near["path"], near["how"]) for near in link["near"]] for link in links}
    assert said == {
        "[[Old/Harbor Plan]]": [("Work/Harbor Plan.md", "moved")],
        "[[harbr plan]]": [("Work/Harbor Plan.md", "typo")],
        "[[項目計劃]]": [("项目计划.md", "form")],
        "[[MELL]]": [("Meetings.md", "form")],
        "[[Nothing like it]]": [],
        "[[Meeting]]": [("Meetings.md", "plural")],
        "[[Nowhere at all]]": [],
    }


def test_every_form_of_link_is_looked_up(place: Place) -> None:
    board = {"nodes": [{"id": "1", "type": "file", "file": "Old/Harbor Plan.md"}]}
    place.fill({"Harbor Plan.md": "x\n", "pic one.png": "x", "B.canvas": json.dumps(board)})
    place.write(
        "n.md",
        '---\nup: "[[Harbour Plan]]"\n---\n[a](Harbr%20Plan.md) ![[pics/pic-one.png|20]]\n\nx:: [[Harbor Plam|h]]\n',
    )
    with place.opened() as service:
        links = ask(service, unresolved=True)["links"]
    assert {link["kind"]: [near["path"] for near in link["near"]] for link in links} == {
        "canvas": ["Harbor Plan.md"],
        "frontmatter": ["Harbor Plan.md"],
        "markdown": ["Harbor Plan.md"],
        "embed": ["pic one.png"],
        "inline-field": ["Harbor Plan.md"],
    }


def test_an_ambiguous_link_says_which_file_it_took_and_which_it_could_mean(place: Place) -> None:
    place.fill({"aa/Plan.md": "a\n", "bb/Plan.md": "b\n", "long/er/Plan.md": "c\n", "n.md": "[[Plan]] [[aa/Plan]]\n"})
    with place.opened() as service:
        answer = ask(service, ambiguous=True)
        (link,) = answer["links"]
        assert (link["target"], link["others"]) == ("aa/Plan.md", ["bb/Plan.md", "long/er/Plan.md"])
        assert (answer["total"], answer["ambiguous"], answer["next"]) == (1, 1, None)


def test_pages_follow_each_other_whatever_is_asked(place: Place) -> None:
    place.fill({f"n{n}.md": f"[[Gone {n}]] [[lost]] [[n0#Nope]] [[n1#Nope]]\n" for n in range(7)})
    place.fill({f"alone {n}.md": "x\n" for n in range(3)} | {f"u{n}.png": "x" for n in range(3)})
    with place.opened() as service:
        for view, key, number in (
            ("unresolved", "links", 14),
            ("broken_anchors", "links", 14),
            ("orphans", "orphans", 6),
        ):
            whole = ask(service, **{view: True}, limit=1000)
            seen: list[Any] = []
            after: str | None = ""
            while after is not None:
                page = ask(service, **{view: True}, limit=4, after=after)
                assert len(page[key]) <= 4
                seen += page[key]
                after = page["next"]
            assert seen == whole[key]
            assert len(seen) == number


def test_two_questions_at_once_are_refused(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        with pytest.raises(BadRequest):
            service.links(unresolved=True, ambiguous=True)
        with pytest.raises(BadRequest):
            service.links(note="Home.md", orphans=True)


# --- anchors ----------------------------------------------------------------------------------------------------------------


def test_broken_anchors_are_named_with_near_ones(place: Place) -> None:
    place.fill(NOTES)
    with place.opened() as service:
        links = ask(service, broken_anchors=True)["links"]
        assert {(link["missing"], *(near["name"] for near in link["near"])) for link in links} == {
            ("#Why it maters", "Why it matters?"),
            ("#^raeson", "reason"),
        }
        assert {link["target"] for link in links} == {"Work/Harbor Plan.md"}
        assert ask(service, broken_anchors=True, note="项目计划.md")["links"] == []
        assert ask(service, broken_anchors=True, note="Meetings.md")["total"] == 2


def test_an_anchor_breaks_and_heals_with_its_note_without_the_linking_note_being_read(place: Place) -> None:
    place.fill({"a.md": "[[b#One]] [[b#One#Two]] [[b#^x]] [[#Here]]\n\n# Here\n", "b.md": "# One\n## Two\n\ntext ^x\n"})
    runtime = place.open()
    service = Service(runtime)
    service.catch_up(vectors=False)
    assert missing(service) == set()
    read: list[str] = []
    kept = runtime.store.read
    runtime.sync.vault.read = lambda path: (read.append(path), kept(path))[1]  # type: ignore[method-assign]
    place.write("b.md", "# Eins\n## Two\n\ntext ^y\n")
    runtime.sync.apply(["b.md"])
    assert missing(service) == {("a.md", "#One"), ("a.md", "#One#Two"), ("a.md", "#^x")}
    place.write("b.md", "# One\n# Two\n\ntext ^x\n")
    runtime.sync.apply(["b.md"])
    assert missing(service) == {("a.md", "#One#Two")}
    assert set(read) == {"b.md"}
    (place.vault / "b.md").rename(place.vault / "c.md")
    runtime.sync.apply(["b.md", "c.md"])
    assert missing(service) == set(), "the links lead nowhere now; that is another fault"
    place.write("b.md", "# One\n")
    runtime.sync.apply(["b.md"])
    assert missing(service) == {("a.md", "#One#Two"), ("a.md", "#^x")}
    runtime.close()


def test_what_is_no_anchor_of_a_note_is_never_broken(place: Place) -> None:
    board = {"nodes": [{"id": "1", "type": "file", "file": "b.md", "subpath": "#Nope"},
                       {"id": "2", "type": "file", "file": "b.md", "subpath": "#One"}]}  # fmt: skip
    place.fill({"b.md": "# One\n", "p.pdf": "x", "t.base": "views: []\n", "d.excalidraw.md": "# Text Elements\n"})
    place.fill({"hidden.md": "---\nmemory: false\n---\n# Secret\n", "c.canvas": json.dumps(board)})
    place.write(
        "a.md", "![[p.pdf#page=3]] ![[t.base#View]] [[d.excalidraw#^group=x1]] [[hidden#Any]] [[c.canvas#x]] [[b#]]\n"
    )
    with place.opened() as service:
        assert missing(service) == {("c.canvas", "#Nope")}
        assert ask(service, unresolved=True)["total"] == 0


# --- orphans and numbers ----------------------------------------------------------------------------------------------------


def test_orphans_are_what_no_resolved_link_connects(place: Place) -> None:
    place.fill(NOTES)
    place.fill({"Templates/Day.md": "x\n", "data.csv": "1", "B.canvas": "{}"})
    with place.opened() as service:
        place.write("Memory/core/x.md", "# X\n")
        service.catch_up(vectors=False)
        assert orphans(service) == ["Alone.md", "B.canvas", "Home.md", "unused.png"]
        assert ask(service, orphans=True)["orphan_counts"] == {"note": 2, "board": 1, "attachment": 1}
        place.write("Alone.md", "[[Home]]\n")
        service.catch_up(vectors=False)
        assert orphans(service) == ["B.canvas", "unused.png"]


def test_stats_count_edges_by_type_and_origin(place: Place) -> None:
    board = {
        "nodes": [{"id": "1", "type": "file", "file": "a.md"}, {"id": "2", "type": "file", "file": "b.md"}],
        "edges": [{"id": "e", "fromNode": "1", "toNode": "2", "label": "causes"}],
    }
    place.fill(
        {
            "a.md": '---\ndepends_on: "[[b]]"\n---\nsupports:: [[c]]\n\nSee [[b]], [[gone]].\n',
            "b.md": "x\n",
            "c.md": "x\n",
        }
    )
    place.fill({"d.md": "x\n", "B.canvas": json.dumps(board)})
    with place.opened() as service:
        stats = ask(service, stats=True)["stats"]
    assert stats["by_origin"] == {"property": 1, "field": 1, "canvas": 1, "prose": 0, "mention": 4}
    assert stats["by_type"] == {"mentioned": 4, "causes": 1, "depends_on": 1, "supports": 1}
    assert (stats["edges"], stats["resolved"], stats["typed"]) == (7, 6, 3)
    assert (stats["notes"], stats["notes_typed"], stats["notes_typed_share"]) == (4, 3, 0.75)


# --- conflict copies ----------------------------------------------------------------------------------------------------------

PLAN = "# Plan\n\nWe decided to use granite for the quay in 2026-03 because it is hard.\n\n- depends_on:: [[Stone]]\n"
COPIES = [
    "Plan.sync-conflict-20260301-120000-ABCDEFG.md",
    "Plan (Ann's conflicted copy 2026-03-01).md",
    "Plan (Ann 的冲突副本 2026-03-01).md",
    "Plan (Conflicted copy Pixel 7 202603011200).md",
    "Plan (conflicted copy 2026-03-01 120000).md",
]


@pytest.mark.parametrize("copy", COPIES)
def test_a_conflict_copy_is_flagged_and_answers_nothing(place: Place, copy: str) -> None:
    place.fill(
        {"Plan.md": PLAN, "Stone.md": "# Stone\n", copy: PLAN.replace("granite", "basalt"), "n.md": "[[Plan]]\n"}
    )
    with place.opened() as service:
        problems = [p for p in service.status()["problems"] if p["path"] == copy]
        assert [(p["code"], "Plan.md" in p["fix"]) for p in problems] == [("conflict-copy", True)]
        assert [n["reason"] for n in service.notes("skipped")["notes"]] == ["conflict copy"]
        assert notes_for(service, "granite for the quay")[:1] == ["Plan.md"]
        assert notes_for(service, "basalt") == []
        assert {fact["source"] for fact in service.facts()["facts"]} == {"Plan.md"}
        assert copy not in {link["source"] for link in ask(service)["links"]}
        assert copy not in orphans(service)
        check = next(c for c in service.doctor()["checks"] if c["name"] == "conflict copies")
        assert (check["ok"], "1" in check["message"]) == (False, True)


def test_a_renamed_copy_is_a_note_again_and_the_note_keeps_its_identity(place: Place) -> None:
    place.fill({"Plan.md": PLAN, "Stone.md": "# Stone\n"})
    with place.served() as daemon:
        before, facts = daemon.runtime.catalog.file("Plan.md"), {f["id"] for f in daemon.service.facts()["facts"]}
        assert before is not None and facts
        # As Syncthing does it: the older text is set aside, then the newer one takes its name.
        (place.vault / "Plan.md").rename(place.vault / COPIES[0])
        place.write("Plan.md", PLAN + "\nMore.\n")
        settled(daemon)
        wait_until(lambda: daemon.runtime.catalog.file(COPIES[0]), "the copy")
        wait_until(lambda: notes_for(daemon.service, "granite quay")[:1] == ["Plan.md"], "the note")
        assert {f["id"] for f in daemon.service.facts()["facts"]} == facts
        assert COPIES[0] not in notes_for(daemon.service, "granite quay")
        assert place.revisions("supersede") == []
        (place.vault / COPIES[0]).rename(place.vault / "Quay.md")
        wait_until(lambda: "Quay.md" in notes_for(daemon.service, "granite quay"), "the renamed copy")
        assert [p for p in daemon.service.status()["problems"] if p["code"] == "conflict-copy"] == []
        after = daemon.runtime.catalog.file("Plan.md")
        assert after is not None
        assert after.id == before.id


def test_a_text_that_is_set_aside_does_not_take_the_identity_of_its_note_along(place: Place) -> None:
    place.fill({"Plan.md": PLAN, "Stone.md": "# Stone\n"})
    runtime = place.open()
    runtime.catch_up()
    before = runtime.catalog.file("Plan.md")
    facts = [ident for ident, _ in runtime.catalog.all_facts()]
    assert before is not None and facts
    (place.vault / "Plan.md").rename(place.vault / COPIES[0])
    runtime.sync.apply(["Plan.md", COPIES[0]])  # a look between the two steps of the sync program
    assert list(runtime.catalog.all_facts()) == []
    place.write("Plan.md", PLAN)
    runtime.sync.apply(["Plan.md"])
    after = runtime.catalog.file("Plan.md")
    assert after is not None
    assert after.id == before.id
    assert [ident for ident, _ in runtime.catalog.all_facts()] == facts
    assert place.revisions("move") == []
    runtime.close()


# --- templates, drawings, bases, attachments ----------------------------------------------------------------------------------

FACT = "We decided to use granite for the quay in 2026-03 because it is hard. See [[Stone]].\n"


@pytest.mark.parametrize(
    ("file", "key"),
    [(".obsidian/templates.json", "folder"), (".obsidian/plugins/templater-obsidian/data.json", "templates_folder")],
)
def test_the_template_folder_of_the_settings_gives_links_but_no_facts(place: Place, file: str, key: str) -> None:
    place.fill({"Meta/Blueprints/Decision.md": FACT, "Stone.md": "x\n", "Note.md": FACT})
    with place.opened() as service:
        assert service.facts(note="Meta/Blueprints/Decision.md")["facts"]
        place.write(file, json.dumps({key: "meta/Blueprints/"}))
        service.catch_up(vectors=False)
        facts = service.facts()["facts"]
        assert {fact["source"] for fact in facts} == {"Note.md"}
        assert [e for fact in facts for e in fact["evidence"]] == []
        assert {link["source"] for link in ask(service)["links"]} == {"Note.md", "Meta/Blueprints/Decision.md"}
        assert "Meta/Blueprints/Decision.md" not in orphans(service)
        place.write(file, json.dumps({key: ""}))
        service.catch_up(vectors=False)
        sources = {fact["source"] for fact in service.facts()["facts"]}
        told = {e["source"] for fact in service.facts()["facts"] for e in fact["evidence"]}
        assert sources | told == {"Note.md", "Meta/Blueprints/Decision.md"}


def test_drawings_bases_and_attachments_are_targets_and_give_no_facts(place: Place) -> None:
    drawing = "%%\n# Drawing\n```json\n{}\n```\n%%\n"
    place.write("D.excalidraw.md", f"---\nexcalidraw-plugin: parsed\n---\n# Text Elements\n{FACT} ^a1\n\n{drawing}")
    place.fill({"Stone.md": "x\n", "All.base": 'filters: file.hasLink("[[Stone]]")\n', "p.png": "x", "v.mp4": "x"})
    place.write(
        "n.md", "[[All.base]] ![[All.base#View]] ![[p.png]] [[v.mp4]] [[D.excalidraw]]\n\n```base\n[[Nowhere]]\n```\n"
    )
    with place.opened() as service:
        assert service.facts()["facts"] == []
        links = {(link["source"], link["target"]) for link in ask(service)["links"]}
        assert links == {
            ("D.excalidraw.md", "Stone.md"),
            *(("n.md", target) for target in ("All.base", "p.png", "v.mp4", "D.excalidraw.md")),
        }
        assert {note["path"] for note in service.notes()["notes"]} == {"D.excalidraw.md", "Stone.md", "n.md"}
        assert ask(service, unresolved=True)["total"] == 0
