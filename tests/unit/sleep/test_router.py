"""MEMORY.md: its limits, no link that leads nowhere, what shares a line, what is left out; and what comes back in a week."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.memory.heat import Event
from ebbtide.parse.links import NameIndex, build_links
from ebbtide.parse.note import parse_note
from ebbtide.sleep.digest import DORMANT, REST, Recent, Sleeper, asked, choose, kept, met_days, question, week_of
from ebbtide.sleep.router import BYTES, LINES, Entry, router

TODAY = "2026-11-30"
HOSTILE = [
    "Ask]] [[Evil", "a|b", "x](http://evil.example)", "# head", "<script>alert(1)</script>", "`code`", "%%hidden%%", "a::b",
    "$x$ ==y== ~~z~~", "line\nbreak", "![[embed]]", "^block #tag", "https://evil.example/x www.evil.example", "&lt;b&gt;",
    "\u202edlrow", "\\", "",
]  # fmt: skip


def entry(path: str, hook: str = "", **more: object) -> Entry:
    values = {"title": path.rpartition("/")[2].removesuffix(".md"), "type": "principle", "heat": 0.5} | more
    return Entry(path, hook=hook, **values)  # type: ignore[arg-type]


def targets(page: str, paths: Sequence[str], folder: str = "Memory") -> list[str | None]:
    """Where the links of a page lead, as Ebbtide itself reads it."""
    note = parse_note(f"{folder}/MEMORY.md", page)
    return [link.target for link in build_links(note, NameIndex([f"{folder}/MEMORY.md", *paths]))]


def test_a_line_a_memory_with_its_link_and_when_to_open_it() -> None:
    paths = ["Memory/core/principles/Small steps.md", "Memory/core/models/潮汐.md"]
    entries = [entry(paths[0], "when a change is large"), entry(paths[1], "谈到遗忘时", type="model")]
    page = router(entries, "Memory", "en")
    assert "- [Small steps](core/principles/Small%20steps.md): when a change is large\n" in page
    assert "- [潮汐](core/models/潮汐.md): 谈到遗忘时\n" in page
    assert page.index("## Principles") < page.index("## Models")
    assert sorted(map(str, targets(page, paths))) == sorted(paths)
    assert "## 原则" in router(entries, "Memory", "zh")
    assert "There is no core memory yet." in router([], "Memory", "en")


def test_hostile_names_stay_text_and_their_links_lead_where_they_should() -> None:
    names = [re.sub(r"[/\x00\n]", " ", text) for text in HOSTILE]
    paths = [f"Memory/core/principles/n{n} {name}.md" for n, name in enumerate(names)]
    entries = [entry(path, hook=text, title=text) for path, text in zip(paths, HOSTILE, strict=True)]
    page = router(entries, "Memory", "en")
    note = parse_note("Memory/MEMORY.md", page)
    assert {link.kind for link in note.links} == {"markdown"}
    linked = [path for path in paths if "#" not in path]  # no link can name these
    assert len(note.links) == len(linked) > 10
    assert not note.tags
    assert not note.anchors
    assert [head.text for head in note.headings] == ["Memory", "Principles"]
    found = {link.path for link in note.links}
    assert found == {path.removeprefix("Memory/") for path in linked}
    assert "\u202e" not in page
    assert len(page.splitlines()) == page.count("\n")


def test_what_is_opened_for_the_same_thing_shares_a_line() -> None:
    entries = [
        entry("Memory/core/principles/a.md", "when the release is late and the tests are red", heat=0.9),
        entry("Memory/core/principles/b.md", "when the tests are red and the release is late", heat=0.1),
        entry("Memory/core/models/c.md", "when the tests are red and the release is late", type="model"),
        entry("Memory/core/principles/d.md", ""),
        entry("Memory/core/principles/e.md", ""),
    ]
    page = router(entries, "Memory", "en")
    assert "- [a](core/principles/a.md), [b](core/principles/b.md): when the release is late" in page
    assert page.count("\n- ") == 4


def test_the_coldest_go_first_and_are_counted() -> None:
    entries = [entry(f"Memory/core/principles/p{n:03d}.md", f"hook{n} " * 12, heat=n / 300) for n in range(300)]
    page = router(entries, "Memory", "en")
    assert len(page.encode()) <= BYTES
    shown = [int(n) for n in re.findall(r"\(core/principles/p(\d+)\.md\)", page)]
    assert sorted(shown) == list(range(300 - len(shown), 300))
    assert f"{300 - len(shown)} more are found by `ebbtide recall`." in page


def test_what_is_private_stays_out() -> None:
    page = router([entry("Memory/core/a.md", "secret hook", private=True), entry("Memory/core/b.md")], "Memory", "en")
    assert "secret" not in page
    assert "core/b.md" in page


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
entries_of = st.lists(
    st.builds(
        Entry,
        path=st.from_regex(r"Memory/core/[a-z]{1,12}/[^/\x00\n\r]{1,30}\.md", fullmatch=True),
        title=words,
        hook=words,
        type=st.sampled_from(["principle", "model", "pattern", "x"]),
        heat=st.floats(0, 1),
        private=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda e: e.path,
)


@settings(max_examples=60, deadline=None)
@given(entries_of, st.randoms(use_true_random=False), st.sampled_from(["en", "zh"]))
def test_within_its_limits_the_same_in_any_order_and_only_links_to_what_is_there(
    entries: list[Entry], chance: random.Random, lang: str
) -> None:
    page = router(entries, "Memory", "zh" if lang == "zh" else "en")
    other = list(entries)
    chance.shuffle(other)
    assert router(other, "Memory", "zh" if lang == "zh" else "en") == page
    assert page.count("\n") <= LINES
    assert len(page.encode("utf-8", "replace")) <= BYTES
    found = re.findall(r"\]\((core/[^)]*)\)", page)
    assert len(found) <= sum(not e.private for e in entries)


# --- what comes back ----------------------------------------------------------------------------------------------


def sleeper(name: str, last: str = "2026-01-01", weight: float = 0.5, **more: str) -> Sleeper:
    return Sleeper(name, f"Memory/core/{name}.md", name, more.get("claim", ""), more.get("hook", ""), (last,), weight)


def test_up_to_two_dormant_memories_the_more_important_first() -> None:
    found = choose(
        [sleeper("a"), sleeper("b", weight=0.9), sleeper("c", weight=0.7), sleeper("awake", "2026-11-20", 1.0)],
        [], {}, TODAY,
    )  # fmt: skip
    assert [one.id for one in found] == ["b", "c"]
    assert choose([sleeper("edge", "2026-10-02")], [], {}, TODAY) == []
    assert choose([sleeper("edge", "2026-10-01")], [], {}, TODAY)[0].idle == DORMANT
    assert choose([Sleeper("n", "p", "t", "", "", (), 1.0)], [], {}, TODAY) == []


def test_what_came_back_is_left_alone_and_others_come_first() -> None:
    sleepers = [sleeper("a", weight=0.9), sleeper("b", weight=0.8), sleeper("c", weight=0.1)]
    assert [one.id for one in choose(sleepers, [], {"a": "2026-11-20"}, TODAY)] == ["b", "c"]
    assert [one.id for one in choose(sleepers, [], {"a": "2026-09-01"}, TODAY)] == ["b", "c"]
    assert REST == 56


def test_the_place_is_the_recent_note_that_shares_the_rarest_words() -> None:
    one = sleeper("tides", claim="Ship small batches before the review of the release.", hook="when planning a release")
    notes = [
        Recent("Daily/2026-11-29.md", "2026-11-29", "2026-11-29", "We ship the small batches; review of release on Friday."),
        Recent("Cooking.md", "Cooking", "2026-11-30", "Onions and rice."),
        Recent("Plan.md", "Plan", "2026-11-28", "The release review."),
    ]  # fmt: skip
    [found] = choose([one], notes, {}, TODAY)
    assert found.place == "Daily/2026-11-29.md"
    assert set(found.shared) == {"ship", "small", "batch", "review", "release"}
    assert set(found.shared[:3]) == {"ship", "small", "batch"}  # the rarest first
    assert choose([one], notes[1:2], {}, TODAY)[0].place is None
    assert choose([one], notes[::-1], {}, TODAY)[0] == found


def test_a_chinese_memory_finds_a_chinese_note() -> None:
    one = sleeper("潮汐", claim="每次发布之前先做小批量评审。", hook="准备发布的时候")
    notes = [Recent("日记/2026-11-29.md", "2026-11-29", "2026-11-29", "今天准备发布，先做评审，小批量上线。")]
    assert choose([one], notes, {}, TODAY)[0].place == "日记/2026-11-29.md"


def test_the_choice_of_a_week_is_kept_for_the_week() -> None:
    monday = {"day": "2026-11-30", "revive": [{"id": "n_1"}]}
    assert week_of("2026-11-30") == week_of("2026-12-06") != week_of("2026-12-07")
    assert kept([monday], "2026-12-03") == [{"id": "n_1"}]
    assert kept([monday], "2026-12-07") is None
    assert kept([{"day": "2026-12-01", "revive": []}], "2026-12-03") is None
    assert asked([monday, {"day": "2026-12-01", "revive": [{"id": "n_1"}, "bad"]}]) == {"n_1": "2026-12-01"}


def test_the_question_says_what_since_when_and_where() -> None:
    assert question("T", "Ship small.", "", 90, "Plan", "en") == (
        "“Ship small.”: not used for 90 days. Does it still hold? It may serve in “Plan”."
    )
    assert "准备发布" in question("T", "先小批量。", "准备发布的时候", 90, None, "zh")
    assert "\n" not in question("a\nb", "", "", 1, None, "en")


def test_days_on_which_it_was_met_are_those_of_counted_events() -> None:
    events = [Event("2026-01-02"), Event("2026-01-03", "wrong"), Event("2026-01-04", "opened")]
    assert met_days(events, None, "2026-01-01") == ("2026-01-01", "2026-01-02", "2026-01-04")
