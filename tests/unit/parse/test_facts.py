"""Facts by rules: what is read, how it stands alone, what is left out. Texts are written for this project."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ebbtide.memory.records import FactDraft
from ebbtide.parse.fact_dialogue import in_third_person
from ebbtide.parse.fact_text import plain, telling
from ebbtide.parse.facts import EXTRACTOR, extract
from ebbtide.parse.note import parse_note


def facts(text: str, path: str = "Harbor.md", first_seen: str | None = "2026-11-30") -> list[FactDraft]:
    note = parse_note(path, text)
    found = extract(note, first_seen=first_seen)
    assert len(found) <= 10
    for fact in found:
        assert fact.quote and fact.quote == note.text[fact.start : fact.end]
        assert fact.line == note.text[: fact.start].count("\n") + 1
        assert fact.trigger and fact.fact
    return found


def one(text: str, path: str = "Harbor.md") -> FactDraft:
    found = facts(text, path)
    assert len(found) == 1, [fact.fact for fact in found]
    return found[0]


NOTE_ZH = """---
date: 2026-03-10
budget: 3,000 元
---

# 支付重构

## 决定

- 我们决定采用 PostgreSQL，因为 MySQL 的锁在高并发下会超时。见 [[2026-03-01 故障]]
- **缓存**: Redis 7.2
- 下周三开始灰度发布

## 指标

| 指标 | 目标 | 现状 |
|---|---|---|
| p95 延迟 | 120 ms | 180 ms |

## 教训

以前用 MySQL 存订单，后来改用 PostgreSQL。上线之前都要跑一遍回归测试。
禁止在周五发布！
"""


def test_a_chinese_project_note() -> None:
    found = {fact.quote: fact for fact in facts(NOTE_ZH, "Projects/支付/支付重构.md")}
    decision = found["我们决定采用 PostgreSQL，因为 MySQL 的锁在高并发下会超时。"]
    assert decision.type == "decision" and decision.fact.startswith("支付重构")
    assert (decision.scope, decision.project) == ("project", "支付")
    assert decision.why == "因为 MySQL 的锁在高并发下会超时"
    assert decision.because == "2026-03-01 故障"
    assert (decision.created_at, decision.precision) == ("2026-03-10", "day")
    cache = found["**缓存**: Redis 7.2"]
    assert (cache.subject, cache.attribute, cache.value) == ("支付重构", "缓存", "Redis 7.2")
    plan = found["下周三开始灰度发布"]
    assert plan.type == "plan" and "2026-03-18" in plan.fact and plan.valid_from == "2026-03-18"
    row = found["| p95 延迟 | 120 ms | 180 ms |"]
    assert row.type == "metric" and (row.subject, row.attribute, row.value, row.unit) == (
        "p95 延迟",
        "目标",
        "120",
        "ms",
    )
    budget = found["budget: 3,000 元"]
    assert (budget.subject, budget.attribute, budget.value, budget.unit) == ("支付重构", "budget", "3000", "元")
    assert found["禁止在周五发布！"].type == "constraint" and found["禁止在周五发布！"].importance == 7


def test_a_change_gives_what_was_and_what_is() -> None:
    old, new = facts("---\ndate: 2026-03-10\n---\n以前用 MySQL 存订单，后来改用 PostgreSQL。", "支付重构.md")
    assert (old.frame, old.valid_to) == ("historical", "2026-03-10")
    assert (new.frame, new.valid_from, new.value) == ("change", "2026-03-10", "PostgreSQL")
    assert old.quote == new.quote


NOTE_EN = """---
created: 2026-05-04
project: "[[Harbor]]"
---
# Search service

We decided to use Tantivy because it needs no server. Tantivy is a search library written in Rust.

## Results
- Latency: 120 ms
- p95 latency dropped from 300 ms to 120 ms last week.
- The owner of the importer is Ann Lee.
- Never commit secrets to the repository.

## Steps
1. Run `make index` to rebuild the index.

## Lessons
When the disk is full, the writer blocks for minutes.
Why: it waits for the merge thread.
"""


def test_an_english_project_note() -> None:
    found = {fact.quote: fact for fact in facts(NOTE_EN, "Work/Search service.md")}
    decision = found["We decided to use Tantivy because it needs no server."]
    assert decision.type == "decision" and decision.value == "Tantivy" and decision.project == "Harbor"
    assert decision.why == "because it needs no server"
    latency = found["Latency: 120 ms"]
    assert latency.fact == "Search service › Results: Latency: 120 ms"
    assert (latency.type, latency.value, latency.unit) == ("metric", "120", "ms")
    drop = found["p95 latency dropped from 300 ms to 120 ms last week."]
    assert drop.frame == "change" and "(week of 2026-04-27)" in drop.fact
    assert (drop.attribute, drop.value, drop.unit) == ("p95 latency", "120", "ms")
    owner = found["The owner of the importer is Ann Lee."]
    assert (owner.subject, owner.attribute, owner.value) == ("importer", "owner", "Ann Lee")
    rule = found["Never commit secrets to the repository."]
    assert rule.type == "constraint" and rule.action == rule.quote and rule.importance == 7
    step = found["Run `make index` to rebuild the index."]
    assert step.type == "procedure" and step.action == step.quote
    lesson = next(fact for fact in found.values() if fact.type == "lesson")
    assert lesson.trigger == "when the disk is full" and lesson.why == "Why: it waits for the merge thread."


def test_a_preference_note_gives_one_preference_of_the_user() -> None:
    text = "---\ntype: preference\nspeakers: [user]\n---\n\nI refuse to fly with airlines that charge for cabin bags.\n"
    fact = one(text, "prefs/8d3e6be7.md")
    assert (fact.type, fact.scope, fact.subject, fact.attribute) == ("preference", "user", "user", "avoids")
    assert fact.fact == "I refuse to fly with airlines that charge for cabin bags."
    assert fact.action == "avoid fly with airlines that charge for cabin bags"


def test_a_chinese_preference() -> None:
    fact = one("我对花生过敏。", "daily/2026-05-04.md")
    assert (fact.type, fact.scope, fact.attribute, fact.value) == ("preference", "user", "避免", "花生")


DIALOGUE = """---
date: 2023-05-08
speakers: ["Ann", "assistant"]
---

**Ann**: Hey! I went to a pottery class yesterday and I made my first bowl. ^t1

**assistant**: You adopted a dog in March, that is wonderful news! ^t2

**Ann**: Thanks! What should I cook tonight? ^t3

**Ann**: I don't like cilantro. ^t4
"""


def test_in_a_dialogue_the_speaker_becomes_the_subject() -> None:
    found = facts(DIALOGUE, "chat/2023-05-08.md")
    assert [fact.fact for fact in found] == [
        "Ann went to a pottery class yesterday (2023-05-07) and they made their first bowl.",
        "Ann doesn't like cilantro.",
    ]
    assert [fact.subject for fact in found] == ["Ann", "Ann"]
    assert found[0].valid_from == "2023-05-07" and found[0].line == 6
    assert found[1].scope == "user" and "^" not in found[1].quote


@pytest.mark.parametrize(
    ("said", "resolved"),
    [
        ("I'm a nurse and I've got two cats.", "Ann is a nurse and they've got two cats."),
        ("My brother gave me a book.", "Ann's brother gave them a book."),
        ("I really enjoy hiking.", "Ann really enjoys hiking."),
        ("I was late.", "Ann was late."),
        ("Had dinner with my sister.", "Ann had dinner with their sister."),
        ("我觉得我很累，我要休息。", "Ann觉得自己很累，Ann要休息。"),
        ("灵感来自我的旅行", "灵感来自Ann的旅行"),
    ],
)
def test_the_first_person(said: str, resolved: str) -> None:
    assert in_third_person(said, "Ann") == (resolved, True)


@pytest.mark.parametrize(
    "text",
    [
        "# Only a heading\n\n## And another\n",
        "> The founder said that the budget is 5,000 dollars and must not change.\n",
        "> [!quote]\n> We decided to move to Lisbon in 2024.\n",
        "```\nthe budget is 5,000 dollars\n```\n",
        "$$\nlatency = 120\n$$\n",
        "What is the budget of the project?\n",
        "- [ ] Decide on the database of the project\n",
        "We decided to use {{database}} for <% tp.file.title %> in 2024.\n",
        "[[Some link]]\n\nhttps://example.org/a/b\n\n![[image.png]]\n",
        "## References\n\n- Ann Lee, The budget of cities is growing by 5 percent, 2019.\n",
        "Hello!\n\nThanks.\n",
        "",
    ],
)
def test_nothing_to_keep(text: str) -> None:
    assert facts(text, "notes/Harbor.md") == []


@pytest.mark.parametrize(
    ("path", "front"),
    [
        ("Templates/Decision.md", ""),
        ("模板/决定.md", ""),
        ("Harbor (Ann's conflicted copy 2026-01-01).md", ""),
        ("Harbor.sync-conflict-20260101-120000.md", ""),
        ("Drawing.excalidraw.md", ""),
        ("Harbor.md", "---\nmemory: false\n---\n"),
        ("Harbor.md", "---\nexcalidraw-plugin: parsed\n---\n"),
    ],
)
def test_notes_that_are_not_read(path: str, front: str) -> None:
    assert facts(front + "We decided to use PostgreSQL because it is fast.\n", path) == []


def test_bookkeeping_properties_yield_nothing() -> None:
    text = (
        "---\nid: 7\ntags: [a]\ncssclasses: wide\ncreated: 2026-01-01\nlang: en\npublish: true\nbudget: 500 EUR\n---\n"
    )
    assert one(text).attribute == "budget"


def test_a_dated_todo_is_a_plan() -> None:
    fact = one("- [ ] Send the contract to Ann Lee 📅 2026-12-05\n")
    assert fact.type == "plan"


def test_yesterday_of_an_undated_note_is_left_alone() -> None:
    fact = one("Yesterday we signed the contract with Ann Lee in Lisbon.\n")
    assert "(" not in fact.fact and fact.created_at == "2026-11-30"


def test_a_heading_dates_what_is_below_it() -> None:
    fact = one("## 2026-02-03\n\n今天我们决定把备份改成每小时一次。\n", "日志.md")
    assert fact.created_at == "2026-02-03" and "2026-02-03" in fact.fact


def test_a_closed_note_speaks_of_the_past() -> None:
    fact = facts("---\nstatus: archived\n---\nThe importer must run before 6 every morning.\n")[-1]
    assert fact.frame == "historical"


def test_repeats_are_kept_once() -> None:
    assert len(facts("- We decided to use PostgreSQL for orders.\n" * 5)) == 1


def test_ten_at_most_and_spread_over_the_note() -> None:
    parts = ("alpha", "beta", "gamma", "delta", "omega")
    things = {"pump": "Ann Lee", "valve": "Bo Chen", "meter": "Cy Diaz", "cable": "Di Fox"}
    text = "".join(
        f"## Part {part}\n\n"
        + "".join(f"- The {part} {thing} must be checked by {who}.\n" for thing, who in things.items())
        for part in parts
    )
    found = facts(text)
    assert len(found) == 10
    assert {fact.heading for fact in found} == {f"Part {part}" for part in parts}


def test_marks_go_and_words_stay() -> None:
    assert plain("- **预算**: [[a/b#c|钱]] 3,000 元 ==hot== ~~old~~ `x_y` #tag ^abc") == "预算: 钱 3,000 元 hot `x_y`"
    assert plain("see [the *paper*](https://a.b/c) and [[Notes/Ann.md]]") == "see the paper and Ann"


@pytest.mark.parametrize("name", ["2026-11-30", "8d3e6be7", "Untitled", "2026-05-04 周一", "今天的想法", "README"])
def test_names_that_tell_nothing(name: str) -> None:
    assert not telling(name)


EPISODE = """---
type: sprint
result: failure
lesson: Always ask before packing tiles
---
# Sprint 9

## Lesson

We decided to ship contour lines because of [[Field week]].
Never resume a download over part of a file.
Two phones had 32 GB.
"""


def test_what_an_episode_teaches_points_to_it() -> None:
    found = {fact.type: fact.because for fact in facts(EPISODE, "Work/Sprint 9.md")}
    assert (found["lesson"], found["metric"]) == ("Work/Sprint 9", None)
    assert found["decision"] == "Field week", "a ground that is named goes before the note it stands in"
    text = EPISODE.replace("type: sprint\nresult: failure\nlesson:", "type: note\nlesson:")
    assert {fact.because for fact in facts(text, "Work/Sprint 9.md")} == {None, "Field week"}


LEAVES = """# Move

- We decided to keep the old van because of [[Flooded cellar]].
- We decided to sell the shelf.
- We decided to leave in May. See [[Lease]].

After [[Cold winter]] the pipes were changed.
"""


def test_a_ground_is_linked_by_its_own_sentence_alone() -> None:
    found = {fact.quote.split()[-1]: fact.because for fact in facts(LEAVES, "Move.md")}
    assert (found["cellar]]."], found["shelf."], found["May."]) == ("Flooded cellar", None, "Lease")


def test_a_declared_ground_holds_for_the_decisions_of_its_note() -> None:
    text = (
        '---\nbecause: "[[Flooded cellar]]"\n---\nWe decided to sell the shelf.\n\nThe shelf cost 90 EUR in 2026-05.\n'
    )
    found = {fact.type: fact.because for fact in facts(text)}
    assert (found["decision"], found["metric"]) == ("Flooded cellar", None)


def test_only_the_sentences_that_tell_of_an_attempt_point_to_a_journal() -> None:
    text = "We decided to move the desk. \n\nI tried the old key. It failed because of rust. Lesson: always oil the lock first.\n"
    found = {fact.type: fact.because for fact in facts(text, "Daily/2026-05-12.md")}
    assert (found["decision"], found["lesson"]) == (None, "Daily/2026-05-12")


def test_the_extractor_has_a_version() -> None:
    assert EXTRACTOR == "rules/2"


RELATED = """---
date: 2026-03-01
causes:
  - "[[Flooded cellar]]"
  - "[[Night shift]]"
depends_on: "[[Pump station]]"
attendees: ["[[Ann Lee]]", "[[Bo Chen]]"]
---
# Pump failure

- supersedes:: [[Old pump plan]]
"""


def test_typed_relations_are_relations_with_their_whole_quote() -> None:
    found = {fact.attribute: fact for fact in facts(RELATED, "Pump failure.md")}
    assert {fact.type for fact in found.values()} == {"relation"}
    assert found["causes"].quote == 'causes:\n  - "[[Flooded cellar]]"\n  - "[[Night shift]]"'
    assert found["causes"].value == "Flooded cellar, Night shift"
    assert found["depends_on"].trigger == "when asked what Pump failure depends on"
    assert found["attendees"].quote.endswith("]") and "supersedes" in found


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("## Timeline\n\n- Two vans must wait at the gate for the river crew.\n", "Flood.md"),
        ("## 时间线\n\n- 水位不超过 3 米，值班的人必须留下。\n", "洪水.md"),
        ("# Log growth\n\n## Tried\n\n- Compress the log of the river pump with zstd.\n", "Log growth.md"),
        ("---\ndate: 2026-03-01\n---\n- 16:24 Ann finds 12 crates where there should be 40.\n", "Flood.md"),
        ("---\ndate: 2026-03-01\n---\n- 早上 8 点值班室接到电话，水必须放掉。\n", "洪水.md"),
    ],
)
def test_what_stands_on_a_timeline_happened(text: str, path: str) -> None:
    assert [fact.type for fact in facts(text, path)] == ["event"]


@pytest.mark.parametrize(
    ("text", "binding"),
    [
        ("The store held 31 crates where there should be 243 of them.", False),
        ("The pump in the cellar is old, they do not know the maker of it.", False),
        ("他的手不准，仓库里记的数字应该是 243。", False),
        ("The pump should be switched off before the crew goes down.", True),
        ("Do not open the valve without the second key.", True),
    ],
)
def test_a_constraint_binds_the_reader(text: str, binding: bool) -> None:
    assert any(fact.type == "constraint" for fact in facts(text + "\n", "Pump.md")) == binding


@pytest.mark.parametrize("heading", ["Options", "选项", "备选", "Alternatives considered", "Considered"])
def test_options_are_neither_steps_nor_decisions(heading: str) -> None:
    text = f"# Pump choice\n\n## {heading}\n\n- Use the old diesel pump of 1998, which costs 300 EUR.\n"
    for fact in facts(text, "Pump choice.md"):
        assert (fact.type, fact.confidence, fact.importance) == ("definition", 0.6, 3)
        assert fact.subject == "Pump choice"


@pytest.mark.parametrize(
    "text",
    [
        "For anybody who works with me, and for me on bad days.\n",
        "复盘在 [[河边半马复盘]]。\n",
        "Details in [[The Pump Went Dark]].\n",
        "- Bad days: [[Flooded cellar]], [[Night shift]]\n",
        "It was the hardest call of this work so far.\n",
    ],
)
def test_what_does_not_stand_alone_is_not_taken(text: str) -> None:
    assert facts(text, "2026-11-08.md") == []


@pytest.mark.parametrize(
    ("text", "path", "trigger"),
    [
        (
            "## Preferences\n\n- Quiet mornings without calls work best.",
            "People/Ann Lee.md",
            "when choosing or suggesting something for Ann Lee",
        ),
        ("- Latency: 120 ms", "Search service.md", "when asked for latency of Search service"),
        ("- 延迟: 120 毫秒", "搜索服务.md", "当问到搜索服务的延迟时"),
        ("1. Run the replay test twice and read the log.", "How to Cut a Release.md", "when cutting a Release"),
        ("- 首先看三个数，然后再放给一支队伍。", "怎么做灰度发布.md", "当要做灰度发布时"),
        ("Lesson: ask what people do with the map.", "Map sprint.md", "when facing Map sprint again"),
        ("我们决定搬到河边，因为楼上太吵。", "搬家决定.md", "当要决定搬家时"),
        ("We decided to use Tantivy for search.", "Search service.md", "when deciding about Search service"),
    ],
)
def test_triggers_can_be_read(text: str, path: str, trigger: str) -> None:
    assert one(text + "\n", path).trigger == trigger


def test_a_section_is_no_subject() -> None:
    text = "# Pump choice\n\n## Context\n\nThe cellar was flooded twice in 2025.\n"
    fact = one(text, "Pump choice.md")
    assert fact.subject == "Pump choice" and fact.heading == "Context"


PIECES = st.sampled_from(
    """# H\n|## 决定\n|- item: value\n|- 我们决定用 X，因为 Y。\n|**Ann**: I like tea. ^t1\n\n|> quote\n|> [!note] t\n> body is here\n
    |text [[link¦|]] 改成 |以前用 A，后来改用 B。|yesterday |2026-13-45 |```\n|`|**|~~|%%|\n\n|\t|。|!|📅 2026-01-01|---\n|key: 1\n
    |- [ ] do\n|- [x] done it 2026-01-01\n|\u3000|<b>|&amp;|¦ a ¦ b ¦\n¦---¦---¦\n¦ 1 ¦ 2 ¦\n""".replace(
        "\n    ", ""
    ).split("|")
).map(lambda piece: piece.replace("¦", "|"))


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=200)))
def test_any_note_is_survived_and_quotes_are_exact(text: str) -> None:
    first = facts(text, "x/Some note.md")
    assert first == facts(text, "x/Some note.md")
