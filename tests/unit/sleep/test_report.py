"""The report: what it tells, that it stays text whatever a note is called, its charts, its twin, and how figures moved."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest

from ebbtide.memory.health import Figure
from ebbtide.memory.ports import Usage
from ebbtide.memory.states import Lang
from ebbtide.parse.note import parse_note
from ebbtide.sleep import trend
from ebbtide.sleep.charts import charts, nice
from ebbtide.sleep.desk import Spent
from ebbtide.sleep.edition import Back, Edition, Rest, Ruling, Side, Spending
from ebbtide.sleep.markup import address, md, xml
from ebbtide.sleep.nights import Candidate, Decision, Judged, Plan, Quote
from ebbtide.sleep.report import report
from ebbtide.vault import contracts

DAY = "2026-11-30"
HOSTILE = "x]] ](http://evil) | <script>alert(1)</script>\n# h `c` %%c%% a::b www.evil.example ![[e]] \u202e"


def day(back: int) -> str:
    return (date.fromisoformat(DAY) - timedelta(days=back)).isoformat()


def line(
    back: int = 0, *, night: dict[str, int] | None = None, core: float = 5, **values: float | None
) -> dict[str, Any]:
    """A line of the history."""
    given = {"freshness": 0.5, "coherence": 0.8, "steps": 1.5, "pollution": 0.1, "backlog": 0.0, "core": core} | values
    figures = {
        kind.name: Figure(given.get(kind.name), why="" if given.get(kind.name) is not None else "no-edges")
        for kind in trend.KINDS
    }
    layers = {"semantic": 40 - back, "episodic": 9}
    return trend.record(f"{day(back)}T03:00:00.000Z", day(back), "1.0", figures, layers, night=night)


def candidate(number: int, title: str = "Sprint", **more: Any) -> Candidate:
    values: dict[str, Any] = {
        "key": f"c_{number}",
        "id": f"n_{number}",
        "note": f"Work/Sprint {number}.md",
        "title": title,
        "day": day(1),
        "lang": "en",
        "task": "Work",
        "salience": 0.7,
        "parts": {"nov": 0.9, "ins": 0.4, "rev": 0.0},
        "why": ("it says something new",),
        "quotes": (Quote(f"Work/Sprint {number}.md", 4, "Small batches ship faster."),),
    }
    return Candidate(**(values | more))


def judged(number: int, decision: Decision, **more: Any) -> Judged:
    one = candidate(number, **more.pop("of", {}))
    values: dict[str, Any] = {"insight": "Small batches ship faster.", "target": None}
    values |= {"path": "Memory/core/principles/Small batches.md"} if decision == "promote" else {}
    return Judged(one, "said on 2 days, in 2 notes, for 2 tasks", "new", 0.1, decision, **(values | more))


def plan(*decided: Judged, skipped: tuple[str, ...] = ()) -> Plan:
    return Plan(DAY, "c" * 32, tuple(one.candidate for one in decided), decided, (), 31, skipped)


NIGHT = plan(
    judged(1, "promote", why="because reviews stay short", how="when a change is large, split it", links=("Memory/core/models/Tide.md",)),
    judged(2, "associate", target="Memory/core/models/Tide.md"),
    judged(3, "compress", target="Memory/core/models/Tide.md"),
    judged(4, "release", until="2026-12-30"),
    judged(5, "release", of={"private": True}),
    skipped=("Work/Long.md: more than 16 MB",),
)  # fmt: skip


def edition(lang: Lang = "en", history: Sequence[trend.Record] = (), **more: Any) -> Edition:
    values: dict[str, Any] = {
        "plan": NIGHT,
        "rulings": (Ruling("dispute", (Side("The pond cost 400.", "Pond.md", 3), Side("It cost 90.", "Life/池.md", 7)), day(2)),),
        "open_": 3,
        "back": (Back("Memory/core/models/Tide.md", "Tide", "“All ebbs.”: not used for 90 days.", ("Plan.md", "Plan")),),
        "rest": (Rest("f_1", "The kettle is red.", "Home.md", 2, "not confirmed for 400 days"),),
        "spending": Spending(Spent(3, Usage(1000, 200, 300, 0), 1500, 0.0123), 500_000, 1.0, 2, ""),
        "titles": {"Memory/core/models/Tide.md": "Tide"},
    }  # fmt: skip
    return Edition(line(night=trend.counts(NIGHT)), history, "Memory", lang, **(values | more))


def page(one: Edition) -> str:
    return report(one)[f"reports/{DAY}.md"].decode()


# --- the page -----------------------------------------------------------------------------------------------------


def test_a_report_is_three_files_and_the_same_every_time() -> None:
    files = report(edition(history=[line(1), line(30)]))
    assert sorted(files) == [f"reports/{DAY}.json", f"reports/{DAY}.md", f"reports/{DAY}.svg"]
    assert report(edition(history=[line(30), line(1)])) == files


def test_it_tells_what_was_promoted_and_why_what_was_let_go_and_what_waits() -> None:
    text = page(edition())
    assert "31 notes looked at, 5 candidates: 1 promoted, 1 associated, 1 compressed, 2 released." in text
    assert "Share of each outcome: promoted 20%, associated 20%, compressed 20%, released 40%." in text
    assert (
        "- **Small batches ship faster.**: [Sprint](../../Work/Sprint%201.md), into [Small batches](../core/principles/Small%20batches.md)"
        in text
    )
    assert "  - Why: said on 2 days, in 2 notes, for 2 tasks" in text
    assert "  - How to apply: when a change is large, split it" in text
    assert "  - “Small batches ship faster.” ([Sprint 1](../../Work/Sprint%201.md):4)" in text
    assert (
        "relation to the core: new, said already: 10%; salience 0.70 (new 0.90, insight 0.40); judged by rules" in text
    )
    assert "with [Tide](../core/models/Tide.md)" in text
    assert "waits to be said again until 2026-12-30" in text
    assert "- **contradiction**, open since 2026-11-28" in text
    assert "([池](../../Life/池.md):7)" in text
    assert "2 more. Rule on them with `ebbtide review`." in text
    assert "→ [Plan](../../Plan.md)" in text
    assert "- `f_1` The kettle is red. ([Home](../../Home.md):2): not confirmed for 400 days" in text
    assert "3 requests, 1500 tokens (1300 read, 300 of them from the cache, 200 written), 0.0123" in text
    assert "- Work/Long.md: more than 16 MB" in text
    assert text.index("## Needs your ruling") < text.index("## Figures of the core") < text.index("## Promoted")
    assert f"![Trends of the figures below]({DAY}.svg)" in text


def test_the_same_in_chinese() -> None:
    text = page(edition("zh"))
    for words in (
        "看了 31 篇笔记",
        "需要你裁决",
        "提升了什么，为什么",
        "放下的",
        "核心的数字",
        "各层记录",
        "花费",
        "矛盾",
        "显著度 0.70",
    ):
        assert words in text
    english = [row for row in text.splitlines() if re.search(r"\b(?:promoted|released|last night|fresh|figure)\b", row)]
    assert english == []


def test_figures_have_arrows_against_last_night_and_30_days() -> None:
    history = [line(30, freshness=0.6, steps=1.5, core=9), line(1, freshness=0.45, pollution=None, core=5)]
    text = page(edition(history=history))
    rows = {
        row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]]
        for row in text.splitlines()
        if row.startswith("| ")
    }
    assert rows["figure"] == ["now", "of", "last night (11-29)", "30 days ago (10-31)"]
    assert rows["Fresh: met in 30 days"] == ["50%", "", "▲ 5 pt (better)", "▼ 10 pt (worse)"]
    assert rows["Steps between two memories"] == ["1.50", "", "=", "="]
    assert rows["Core memories"] == ["5", "", "=", "▼ 4"]
    assert rows["Called wrong or without support"][2:] == ["-", "="]
    assert rows["Steps within that part"][0] == "not defined: no core memory links to another"


def test_without_a_night_and_without_a_past_it_says_so() -> None:
    text = page(Edition(line(steps=None), (), "Memory"))
    assert "Only the figures: no night was run." in text
    assert "Nothing waits for a ruling." in text
    assert "Nothing was sent to a model." in text
    assert "not defined: no core memory links to another" in text
    assert "no note says how something is done" in text  # the reason for an empty layer
    assert "## Promoted" not in text


def test_the_gate_and_a_growing_core_are_warned_of() -> None:
    night = {"processed": 9, "candidates": 5, "promote": 3, "associate": 1, "compress": 0, "release": 1}
    growing = [line(21, core=2), line(14, core=3), line(7, core=4)]
    assert trend.warnings(line(night=night), growing) == ["core-grows", "gate-loose"]
    assert trend.warnings(line(night=night | {"promote": 2, "release": 2}), [*growing[:2], line(7, core=5)]) == []
    assert trend.warnings(line(), growing[1:]) == ["core-grows"][:0]
    text = page(replace(edition(history=growing), record=line(night=night)))
    assert "> [!warning]\n> The core has grown three weeks running." in text
    assert "> [!warning]\n> More than 60 %" in text


def test_a_few_candidates_say_nothing_about_the_gate_but_those_of_a_week_do() -> None:
    few = {"processed": 3, "candidates": 2, "promote": 2, "associate": 0, "compress": 0, "release": 0}
    assert trend.warnings(line(night=few), []) == []
    assert trend.taken(line(night=few), [line(1, night=few), line(2, night=few)]) == 1.0
    assert trend.taken(line(night=few), [line(7, night=few), line(8, night=few)]) is None


def test_hostile_text_adds_no_link_no_field_and_no_markup() -> None:
    bad = HOSTILE
    night = plan(
        judged(1, "promote", insight=bad, why=bad, how=bad, of={"title": bad, "quotes": (Quote("Work/Sprint 1.md", 4, bad),)}),
        judged(2, "release", of={"title": bad}, judge=bad),
        skipped=(bad,),
    )  # fmt: skip
    one = edition(plan=night, rulings=(Ruling("dispute", (Side(bad, "Pond.md", 3),), DAY),),
                  rest=(Rest(bad, bad, "Home.md", 2, bad),), back=(Back("Memory/core/a.md", bad, bad),))  # fmt: skip
    plain = page(edition(plan=plan(judged(1, "promote"), judged(2, "release"))))
    text = page(one)
    note, usual = parse_note(f"Memory/reports/{DAY}.md", text), parse_note(f"Memory/reports/{DAY}.md", plain)
    assert {link.kind for link in note.links} == {"markdown", "embed"}  # the chart is embedded
    assert [link.path for link in note.links if link.kind == "embed"] == [f"{DAY}.svg"]
    assert {link.path for link in note.links} <= {link.path for link in usual.links} | {"../core/a.md"}
    assert len(note.headings) == len(usual.headings) + 1  # that of what was left out
    assert not note.tags
    assert "\u202e" not in text
    assert "<script" not in re.sub(r"`[^`\n]*`|\\<", "", text)
    assert report(one)[f"reports/{DAY}.svg"] == report(edition(plan=night))[f"reports/{DAY}.svg"]


@pytest.mark.parametrize(
    ("path", "folder", "wanted"),
    [
        ("Work/My note.md", "Memory/reports", "../../Work/My%20note.md"),
        ("Memory/core/a (b).md", "Memory", "core/a%20%28b%29.md"),
        ("笔记/搬家.md", "", "笔记/搬家.md"),
        ("100%.md", "", "100%25.md"),
        ("a\u202eb.md", "", "a%E2%80%AEb.md"),
        ("a\udcffb.md", "", "a%FFb.md"),
    ],
)
def test_a_path_is_written_so_that_it_is_read_back(path: str, folder: str, wanted: str) -> None:
    assert address(path, folder) == wanted


def test_text_is_cut_and_kept_on_a_line() -> None:
    assert md("a\n\nb\tc") == "a b c"
    assert md("x" * 300, 10) == "x" * 9 + "…"
    assert xml("<a & 'b' \"c\">") == "&lt;a &amp; &apos;b&apos; &quot;c&quot;&gt;"


# --- the charts ---------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def drawn(history: Sequence[trend.Record], lang: Lang = "en") -> ElementTree.Element:
    return ElementTree.fromstring(charts(trend.by_day(history), DAY, lang))


def test_the_charts_are_a_picture_with_labelled_axes_and_nothing_loaded() -> None:
    picture = drawn([line(back, night={"promote": 1, "release": back}) for back in range(40)])
    texts = ["".join(node.itertext()) for node in picture.iter(f"{SVG}text")]
    for words in (
        "Freshness",
        "% of core memories",
        "100",
        "50",
        "0",
        "10-22",
        "11-30",
        "fresh 50%",
        "core 5",
        "promoted 1",
    ):
        assert words in texts
    whole = charts(trend.by_day([line()]), DAY, "en")
    assert not re.search(r"href|url\(|<image|<script|@import", whole)
    assert "prefers-color-scheme:dark" in whole


def test_an_axis_begins_at_zero_and_holds_every_value() -> None:
    for most in (0, 0.3, 1, 2, 2.1, 9, 11, 99, 101, 12345):
        top = nice(most)
        assert top >= most
        assert top == nice(top)
    frames = drawn([line(core=12)])
    assert [n.text for n in frames.iter(f"{SVG}text") if n.text == "0"] == ["0"] * 6


def test_what_is_not_defined_is_a_gap_never_a_zero() -> None:
    history = [line(4), line(3), line(2, freshness=None), line(1), line(0)]
    runs = [n for n in drawn(history).iter(f"{SVG}polyline") if "l0" in (n.get("class") or "")]
    assert len([n for n in runs if len((n.get("points") or "").split()) == 2]) >= 2
    nothing = drawn([line(freshness=None, coherence=None, steps=None)])
    texts = ["".join(n.itertext()) for n in nothing.iter(f"{SVG}text")]
    assert texts.count("not defined yet") == 4  # freshness, coherence, steps, and no night
    assert drawn([line(freshness=None)], "zh").get("lang") == "zh"


# --- the twin and the history -------------------------------------------------------------------------------------


def test_the_twin_meets_its_schema_and_names_every_candidate() -> None:
    twin = json.loads(report(edition(history=[line(1)]))[f"reports/{DAY}.json"])
    assert contracts.validate("report", twin) == []
    assert twin["counts"] == {
        "processed": 31,
        "candidates": 5,
        "promote": 1,
        "associate": 1,
        "compress": 1,
        "release": 2,
    }
    first = twin["candidates"][0]
    assert (first["decision"], first["relation"], first["duplication"]) == ("promote", "new", 0.1)
    assert first["parts"] == {"ins": 0.4, "nov": 0.9, "rev": 0.0}
    assert twin["candidates"][4]["private"] is True
    assert twin["cost"]["money"] == 0.0123
    bare = json.loads(report(Edition(line(), (), "Memory"))[f"reports/{DAY}.json"])
    assert contracts.validate("report", bare) == []
    assert bare["counts"] is None


def test_a_line_meets_its_schema_and_is_named_by_what_it_says() -> None:
    one = line(night={"processed": 1, "candidates": 0, "promote": 0, "associate": 0, "compress": 0, "release": 0})
    assert contracts.validate("health", one) == []
    assert one["id"] == line(night=one["night"])["id"] != line(core=6)["id"]


def test_one_line_a_day_the_last_computed_and_what_is_none_is_passed_over() -> None:
    early, late = line(), line(core=7)
    late["at"] = f"{DAY}T09:00:00.000Z"
    odd: list[Any] = [{"day": "soon"}, {"day": DAY, "figures": 3}, {"figures": {}}]
    assert trend.by_day([late, *odd, early, line(3)]) == [line(3), late]


def test_a_figure_is_compared_with_the_last_day_and_with_30_days_ago() -> None:
    history = [line(40), line(33, core=2), line(2, core=4)]
    assert trend.before(history, DAY) == history[2]
    assert trend.before(history, DAY, 30) == history[1]
    assert trend.before(history[:1], DAY, 30) is None
    assert trend.before([], DAY) is None


def test_layers_grow_by_the_week_and_an_empty_one_has_a_reason() -> None:
    rows = {row["layer"]: row for row in trend.layer_rows(line(), [line(7)])}
    assert (rows["semantic"]["records"], rows["semantic"]["week"], rows["semantic"]["why"]) == (40, 7, None)
    assert rows["concept"]["why"]
    assert rows["concept"]["why_zh"]
    assert trend.layer_rows(line(), [line(3)])[0]["week"] is None
