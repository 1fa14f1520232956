"""What makes a note worth a second thought: each term, how they are weighed, which are taken, and the words for it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ebbtide.config_sleep import Sleep
from ebbtide.parse.note import parse_note
from ebbtide.sleep import markers, salience
from ebbtide.sleep.novelty import closest, of_notes, unlikeness
from ebbtide.sleep.quotes import Wanted, quotes
from ebbtide.sleep.salience import Grounds, Moved
from ebbtide.sleep.told import figure_of, told

SHARE = st.floats(0, 1)
FIGURE = st.floats(-1e6, 1e6, allow_nan=False)
SETTINGS = Sleep()
PARTS = st.fixed_dictionaries(dict.fromkeys(salience.PARTS, SHARE))


# --- the terms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I realised that the pump was fine all along.", ["i realised"]),
        ("I finally realized it.", ["i finally realized"]),
        ("Next time I should weigh it first. In hindsight that was clear.", ["next time i", "in hindsight"]),
        ("我意识到问题不在水泵。这说明测量方法错了。", ["意识到", "这说明"]),
        ("我意識到問題不在水泵。", ["意识到"]),
        ("下次我应该先称重。", ["下次我应该"]),
        ("请阅读使用说明书，这说明书很长。", []),
        ("The market square is open; she was in the tent.", []),
        ("我在发现频道看节目。", []),
    ],
)
def test_words_of_insight_are_found_in_both_languages(text: str, found: list[str]) -> None:
    assert markers.marks(text) == found


def test_a_users_own_marker_counts_and_is_no_pattern() -> None:
    assert markers.marks("Now it clicked for me.", ["it clicked"]) == ["it clicked"]
    assert markers.marks("Now it clicks.", ["it click"]) == []
    assert markers.marks("aaaa", [".*", "(a+)+$", "", " "]) == []
    assert markers.marks("豁然开朗的一天", ["豁然"]) == ["豁然"]


def test_density_counts_han_twice_and_never_less_than_a_hundred_characters() -> None:
    assert markers.size("水泵ab") == 6
    assert markers.density(1, 10) == markers.density(1, 100) == 1.0
    assert markers.density(1, 200) == 0.5


def test_novelty_is_the_share_of_notes_that_are_less_new() -> None:
    others = [n / 100 for n in range(40)]
    assert salience.novelty(0.5, others, 20) == 1.0
    assert salience.novelty(-0.1, others, 20) == 0.0
    assert salience.novelty(0.2, others, 20) == pytest.approx(20.5 / 40)


def test_novelty_of_a_young_vault_is_read_off_fixed_cut_offs() -> None:
    low, high = salience.UNLIKE["meaning"]
    assert salience.novelty(low, [], 20) == 0.0
    assert salience.novelty(high, [0.9] * 19, 20) == 1.0
    assert salience.novelty((low + high) / 2, [], 20) == pytest.approx(0.5)
    assert salience.novelty(0.85, [], 20, "words") < salience.novelty(0.85, [], 20, "meaning")


@given(st.lists(SHARE, max_size=60), SHARE, SHARE)
def test_more_unlike_is_never_less_new(others: list[float], a: float, b: float) -> None:
    assume(a <= b)
    assert 0.0 <= salience.novelty(a, others, 20) <= salience.novelty(b, others, 20) <= 1.0


def test_insight_is_measured_against_the_writers_own_habit() -> None:
    talkative = [0.5 + 0.01 * (n % 5) for n in range(30)]
    assert salience.insight(0.5, talkative, 20) == 0.0
    assert salience.insight(2.0, talkative, 20) == 1.0
    assert salience.insight(0.25, [], 20) == pytest.approx(0.25 / salience.DENSE)
    assert salience.insight(0.25, [0.0] * 30, 20) == 1.0  # MAD = 0: more than ever is all there is
    assert salience.insight(0.25, [0.25] * 30, 20) == 0.0
    assert salience.insight(0.0, talkative, 20) == 0.0


def test_a_figure_changes_by_its_own_range() -> None:
    calm = [70.0, 70.5, 71.0, 70.2, 70.8, 70.4]
    assert salience.change(70.4, calm) < 0.2
    assert salience.change(76.0, calm) == 1.0
    assert salience.change(64.0, calm) == 1.0
    assert salience.change(7.0, [7.0] * 6) == 0.0  # MAD = 0: 0 or 1 by inequality
    assert salience.change(7.1, [7.0] * 6) == 1.0
    assert salience.change(10.0, []) == 0.0
    assert salience.change(12.5, [10.0, 10.0]) == pytest.approx(0.5)  # too few for a range of its own


@given(FIGURE, st.lists(FIGURE, max_size=20))
def test_change_is_a_share(value: float, past: list[float]) -> None:
    assert 0.0 <= salience.change(value, past) <= 1.0


# --- weighed and taken ------------------------------------------------------------------------------------------------


def test_the_weights_are_those_of_the_design() -> None:
    parts = {"nov": 1.0, "ins": 1.0, "chg": 1.0, "lnk": 1.0, "rev": 0.0}
    assert salience.salience(parts, SETTINGS) == 1.0
    assert salience.salience({"nov": 0.5, "ins": 0.5}, SETTINGS) == 0.3
    assert salience.salience({"rev": 1.0}, SETTINGS) == 0.8


@given(PARTS, st.sampled_from(salience.PARTS), SHARE)
def test_more_of_any_part_is_never_less_salient(parts: dict[str, float], name: str, more: float) -> None:
    raised = parts | {name: max(parts[name], more)}
    assert 0.0 <= salience.salience(parts, SETTINGS) <= salience.salience(raised, SETTINGS) <= 1.0


@given(st.lists(SHARE, max_size=60))
def test_at_least_three_at_most_twenty_and_the_best(values: list[float]) -> None:
    found = [(value, f"{number:02}.md", number) for number, value in enumerate(values)]
    taken = salience.take(found, SETTINGS)
    over = sum(value >= SETTINGS.threshold for value in values)
    assert len(taken) == min(len(values), max(3, min(20, over)))
    assert taken == salience.take(list(reversed(found)), SETTINGS)
    left = [value for number, value in enumerate(values) if number not in taken]
    assert all(values[number] >= max(left, default=0.0) for number in taken)


def test_ties_go_by_path() -> None:
    found = [(0.4, path, path) for path in ("c.md", "a.md", "d.md", "b.md")]
    assert salience.take(found, SETTINGS) == ["a.md", "b.md", "c.md"]


# --- in words ---------------------------------------------------------------------------------------------------------


@given(PARTS, st.booleans(), st.sampled_from(["dispute", "supersede", "change"]))
def test_every_part_that_counts_is_said_in_both_languages(parts: dict[str, float], core: bool, how: str) -> None:
    grounds = Grounds(
        40, True, ("i realised",), Moved("weight (kg)", 76.0, 70.5, 6), ("Rest {day}",), "Old plan", how, core
    )
    for lang in ("en", "zh"):
        said = salience.why(parts, grounds, lang)
        assert len(said) == sum(value > 0 for value in parts.values())
        assert all(sentence and "{" not in sentence for sentence in said)


def test_the_words_name_what_they_rest_on() -> None:
    parts = {"nov": 0.83, "ins": 1.0, "chg": 1.0, "lnk": 0.33, "rev": 1.0}
    grounds = Grounds(40, True, ("这说明",), Moved("体重 (kg)", 76.0, 70.5, 6), ("早睡",), "旧计划", "supersede")
    said = "\n".join(salience.why(parts, grounds, "zh"))
    assert all(word in said for word in ("旧计划", "这说明", "83%", "40", "体重 (kg) 为 76", "70.5", "早睡"))
    assert said.startswith("改变看法")


# --- novelty by vectors -----------------------------------------------------------------------------------------------


def test_a_note_is_compared_with_others_only() -> None:
    same, other = [1.0, 0.0], [0.0, 1.0]
    vectors = np.array([same, same, other, same], dtype=np.float32)
    unlike = unlikeness([10, 11, 12, 13], [1, 1, 2, 3], vectors)
    assert unlike == {10: 0.5, 11: 0.5, 12: 1.0, 13: pytest.approx(1 / 3)}
    assert of_notes(unlike, {10: 1, 11: 1, 12: 2, 13: 3}) == {1: 0.5, 2: 1.0, 3: 0.333333}


def test_what_has_nothing_beside_it_is_new_and_the_core_is_only_compared_with() -> None:
    one = np.array([[1.0, 0.0]], dtype=np.float32)
    assert unlikeness([7], [1], one) == {7: 1.0}
    assert unlikeness([7], [1, 9], np.concatenate([one, one])) == {7: 0.0}
    assert closest(one, np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32), [4, 5]) == {4: 1.0, 5: 0.0}
    assert closest(one, one[:0], []) == {}


# --- a person's own words ---------------------------------------------------------------------------------------------

DIALOGUE = """---
speakers: [user, assistant]
---

**user**: I realised that I sleep badly after coffee. ^t1

**assistant**: I realised that too. Your weight is 90 kg.

Further words of the assistant, which it turns out are many.

**user**: From now on I drink tea.

> [!ai] Summary
> I realised that tea is the answer.
"""


def test_a_machines_words_are_nobodys() -> None:
    own = told(parse_note("a.md", DIALOGUE))
    assert [saying.text for saying in own.sayings] == [
        "I realised that I sleep badly after coffee.",
        "From now on I drink tea.",
    ]
    assert [saying.line for saying in own.sayings] == [5, 11]
    assert told(parse_note("b.md", "---\nauthor: claude\n---\nI realised that I am a model.\n")).sayings == ()


@given(st.text(alphabet="aI 我。.!\n-*>#`[]^|:", max_size=200))
def test_every_saying_stands_in_the_note_at_its_line(text: str) -> None:
    note = parse_note("a.md", text)
    own = told(note)
    lines = note.text.split("\n")
    for saying in own.sayings:
        assert note.text[saying.start : saying.end] == saying.text
        assert lines[saying.line - 1].find(saying.text.split("\n")[0]) >= 0
    for quote in quotes(note, own, Wanted(), 5):
        assert quote.text in note.text
        assert lines[quote.line - 1].find(quote.text.split("\n")[0]) >= 0


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("71.2 kg", (71.2, "kg")),
        ("6.5小时", (6.5, "小时")),
        ("$1,200", (1200.0, "$")),
        ("-3", (-3.0, "")),
        ("2026-11-30", None),
        ("12:30", None),
        ("about 5", None),
        ("v1.2", None),
    ],
)
def test_a_property_is_a_figure_if_it_is_nothing_else(text: str, figure: tuple[float, str] | None) -> None:
    assert figure_of(text) == figure


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("Resting pulse: 88 bpm", [("resting pulse", "bpm", 88.0)]),
        ("体重：71.2 公斤", [("体重", "公斤", 71.2)]),
        ("导入耗时 34 秒。", [("导入", "秒", 34.0)]),
        ("The build took 14 minutes today.", [("build", "minutes", 14.0)]),
        ("The pressure fell to 2.1 bar overnight.", [("pressure", "bar", 2.1)]),
        ("Budget: 3,000 元", [("budget", "元", 3000.0)]),
        ("2026-11-30: 12 guests", []),
        ("Start: 12:30", []),
        ("Version: 2.1.4", []),
        ("We met at noon.", []),
    ],
)
def test_a_sentence_gives_a_figure_where_it_says_of_what(text: str, figures: list[tuple[str, str, float]]) -> None:
    found = told(parse_note("a.md", text)).figures
    assert [(figure.name, figure.unit, figure.value) for figure in found] == figures


def test_quotes_are_what_carries_the_note() -> None:
    text = "# Log\n\nThe sky was grey and the bus was late again. We had soup for lunch in the canteen.\n\n" + (
        "I realised that the leak only shows when the tank is full.\n\nThe pressure fell to 2.1 bar overnight.\n"
    )
    note = parse_note("a.md", text)
    found = quotes(note, told(note), Wanted(measured={7}), 2)
    assert {quote.text for quote in found} == {
        "I realised that the leak only shows when the tank is full.",
        "The pressure fell to 2.1 bar overnight.",
    }


def test_what_is_mentioned_for_the_first_time_is_quoted_before_what_is_not() -> None:
    first = "The lab will use the Kestrel spectrometer."
    text = f"The team will meet in the big room.\n\n{first}\n"
    note = parse_note("a.md", text)
    known = told(note).words - {"kestrel", "spectrometer", "lab"}
    assert quotes(note, told(note), Wanted(known=known), 1)[0].text == first
