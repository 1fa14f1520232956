"""The check-up's rules: what it finds in a sentence and its dates, what it leaves alone, that its rounds miss nobody."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.revisions import effective
from ebbtide.parse.note import parse_note
from ebbtide.parse.text import language
from ebbtide.sleep import checkup
from ebbtide.sleep.checkup import Finding, Read, examine, part
from ebbtide.sleep.doubtful import agents_own, doubt

TODAY = "2026-11-30"
DAYS = st.dates(date(2020, 1, 1), date(2030, 12, 31)).map(date.isoformat)


def read(text: str, said: str = "2026-01-10", **more: Any) -> Read:
    values: dict[str, Any] = {"quote": text, "lang": language(text), "born": said, **more}
    return Read("f_1", text, "A.md", 3, said=said, **values)


def code(one: Read, today: str = TODAY) -> str | None:
    found = examine(one, today, 90)
    return None if found is None else found.code


# --- dates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Until 2026-05-01 every order goes through the second supplier.", "ran-out"),
        ("The badge for the east door is valid until 1 March 2026.", "ran-out"),
        ("The lease on the workshop expires on 2026-10-31.", "ran-out"),
        ("合同有效期至2026年3月31日。", "ran-out"),
        ("报名到2026年5月1日为止。", "ran-out"),
        ("临时方案用到2026年6月1日前有效。", "ran-out"),
        ("Until 2027-05-01 every order goes through the second supplier.", None),
        ("The workshop opened on 2026-02-01.", None),
        ("Until 2019-05-01 we used the old building.", None),
        ("合同有效期至2027年3月31日。", None),
        ("Small batches ship faster than large ones.", None),
    ],
)
def test_a_stated_end_that_has_passed(text: str, found: str | None) -> None:
    assert code(read(text)) == found


def test_what_was_over_when_it_was_said_tells_of_the_past() -> None:
    assert code(read("Until 2026-05-01 the ferry goes twice a day.", "2026-06-01")) is None
    assert code(read("The ferry goes twice a day.", "2026-06-01", ends="2026-05-01")) is None
    assert code(read("The ferry goes twice a day.", "2026-04-01", ends="2026-05-01")) == "ran-out"


@given(DAYS, DAYS, DAYS)
def test_dates_it_states_itself_are_held_against_the_day(said: str, end: str, today: str) -> None:
    one = read("Small batches ship faster.", said, ends=end)
    assert (code(one, today) == "ran-out") == (end < today and said <= end)
    assert (code(replace(one, ends=None, review=end), today) == "review") == (end <= today)


@pytest.mark.parametrize("odd", ["", "soon", "2026-13-45", "2026", "2026-05", "五月"])
def test_odd_dates_harm_nothing(odd: str) -> None:
    examine(read("Small batches ship faster.", odd, ends=odd, review=odd), TODAY, 90)
    assert code(read("Small batches ship faster.", "2025-01-01", ends="2026-05")) == "ran-out"


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It makes everything slower.", "pronoun"),
        ("This works better in the morning.", "pronoun"),
        ("They never answer on a Monday.", "pronoun"),
        ("它会让启动变慢。", "pronoun"),
        ("这会导致索引重建。", "pronoun"),
        ("他喜欢靠窗的位子。", "pronoun"),
        ("她们说不需要备份。", "pronoun"),
        ("Was slower than the old one.", "subject"),
        ("But only with the blue cable.", "subject"),
        ("所以要先停掉服务。", "subject"),
        ("It is important to sleep before a decision.", None),
        ("Never deploy on a Friday evening.", None),
        ("这样的会议不要超过半小时。", None),
        ("其实缓存比索引更重要。", None),
        ("他山之石可以攻玉。", None),
        ("会议之前先写一页纸。", None),
        ("Is it slower?", None),
    ],
)
def test_what_does_not_say_of_what_it_speaks(text: str, found: str | None) -> None:
    assert code(read(text)) == found


def test_a_pronoun_with_something_known_to_stand_for_is_none() -> None:
    assert code(read("It makes everything slower.", about="the sync service")) is None
    assert checkup.antecedent("Redis cache", "It makes everything slower.") == "Redis cache"
    assert checkup.antecedent("It makes everything", "It makes everything slower.") is None
    assert checkup.antecedent("", "It makes everything slower.") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We currently keep the rent account at the Harbour Bank.", "now"),
        ("The service runs on the old machine now.", "now"),
        ("目前账户在港口银行。", "now"),
        ("服务现在跑在旧机器上。", "now"),
        ("From now on we meet at noon.", None),
        ("从现在起中午开会。", None),
        ("Now that the days are short, walk at noon.", None),
        ("Every now and then the pump stops.", None),
        ("In May 2026 we now meet at noon.", None),
        ("They knew the answer.", "pronoun"),
    ],
)
def test_now_without_a_date(text: str, found: str | None) -> None:
    assert code(read(text)) == found


def test_now_is_asked_about_only_once_it_is_old_and_where_no_note_dates_it() -> None:
    text = "We currently meet at noon."
    assert code(read(text, "2026-09-02")) is None
    assert code(read(text, "2026-08-31")) == "now"
    assert code(read(text, "")) is None
    assert code(read(text, dated=True)) is None


# --- all of it --------------------------------------------------------------------------------------------------------

TEXTS = st.text(max_size=200) | st.sampled_from(
    ["It works.", "目前在用。", "Until 2026-01-01.", "{word} {day}", "\x00[[x]]\u202e", "\ud800 now"]
)


@given(TEXTS, TEXTS, DAYS | st.just(""), DAYS)
def test_whatever_a_sentence_holds_is_read_the_same_each_time_and_told_in_both_languages(
    text: str, title: str, said: str, today: str
) -> None:
    one = read(text, said, about=checkup.antecedent(title, text))
    found = examine(one, today, 90)
    assert examine(one, today, 90) == found
    if found is not None:
        assert found.code in checkup.ORDER
        assert checkup.told(found.kept, "en")
        assert checkup.told(found.kept, "zh") == found.reason("zh") != found.reason("en")


def test_what_another_version_wrote_is_told_as_nothing() -> None:
    assert checkup.told({"check": "later-kind", "said": {}}, "en") == ""
    assert checkup.told({"check": "now", "said": None}, "en") == ""
    assert checkup.told({"kind": "expire"}, "zh") == ""


# --- what was asked before --------------------------------------------------------------------------------------------


def made(ident: str, at: int, finding: Finding | None = None, **more: Any) -> dict[str, Any]:
    kept = {} if finding is None else finding.kept
    return {"id": ident, "at": f"2026-11-{at:02d}", "kind": "expire", "subjects": ["f_1"], **kept, **more}


def test_a_question_is_asked_once_for_the_same_words() -> None:
    one = checkup.found("now", ("We now meet.",), word="now", day="2026-01-01")
    assert not checkup.asked([], one)
    lead = {"id": "r_lead", "at": "2026-11-01", "kind": "release", "subjects": ["night"]}
    first = made("r_1", 2, one, part_of="r_lead")
    history = [lead, first, {"id": "r_2", "at": "2026-11-03", "kind": "confirm", "subjects": ["f_1"]}]
    assert checkup.asked(history, one)
    assert not checkup.asked(history, checkup.found("now", ("We now meet at noon.",), word="now", day="2026-01-01"))
    assert not checkup.asked(history, checkup.found("subject", ("We now meet.",)))
    whole = [*history, {"id": "r_3", "at": "2026-11-04", "kind": "restore", "undoes": "r_lead", "subjects": ["night"]}]
    assert first not in effective(whole)
    assert not checkup.asked(whole, one), "a night that was taken back asked nothing"
    single = [*history, {"id": "r_3", "at": "2026-11-04", "kind": "restore", "undoes": "r_1", "subjects": ["f_1"]}]
    assert checkup.asked(single, one), "who takes a question back has answered it"


# --- rounds -----------------------------------------------------------------------------------------------------------


@given(st.sets(st.text(max_size=8), max_size=60), st.integers(1, 70), st.integers(0, 1000))
def test_each_has_its_turn_once_in_a_round(idents: set[str], most: int, nights: int) -> None:
    rounds = max(1, -(-len(idents) // most))
    turns = [part(idents, nights + n, most) for n in range(rounds)]
    assert sorted(ident for turn in turns for ident in turn) == sorted(idents)
    assert turns[0] == part(sorted(idents, reverse=True), nights + rounds, most)


def test_a_part_is_about_as_large_as_is_set() -> None:
    idents = [f"f_{n:016x}" for n in range(20_000)]
    sizes = [len(part(idents, n, 500)) for n in range(28)]
    assert 400 < min(sizes) <= max(sizes) < 600


# --- whose words ------------------------------------------------------------------------------------------------------


def kind(path: str = "A.md", **properties: str) -> str | None:
    head = "".join(f"{name}: {value}\n" for name, value in properties.items())
    return doubt(parse_note(path, f"---\n{head}---\n\n# A\n\nText.\n"))


def test_what_is_doubtful_says_so_itself() -> None:
    assert kind(source="https://example.org/page", published="2026-01-01") == "clipping"
    assert kind(来源="http://example.org", 作者="某人") == "clipping"
    assert kind(clipped_from="https://example.org/page") == "clipping"
    assert kind(tags="[clippings]") == "clipping"
    assert kind(tags="[剪藏]") == "clipping"
    assert kind(url="https://example.org", published="2026-01-01") == "clipping"
    assert kind("Clippings/A.md") == "clipping"
    assert kind(author="Claude") == "agent"
    assert kind(generated="true") == "agent"
    assert kind("A (Ann's conflicted copy 2026-01-01).md") == "copy"


def test_a_persons_notes_are_not() -> None:
    assert kind() is None
    assert kind(url="https://example.org/our-project") is None
    assert kind(source="https://example.org/paper") is None, "a literature note has the address alone"
    assert kind(来源="http://example.org") is None
    assert kind(source="a talk with Ann", author="Ann") is None
    assert kind(author="Claude Shannon") is None
    assert kind(tags="[reading]") is None
    assert kind("Notes on clippings/A.md") is None


def test_what_a_night_wrote_is_no_agents_own() -> None:
    assert not agents_own(parse_note("Memory/core/A.md", "---\norigin: derived\n---\n\nA.\n"))
    assert agents_own(parse_note("Memory/core/A.md", "---\norigin: agent\n---\n\nA.\n"))
    assert not agents_own(parse_note("Memory/core/A.md", "---\norigin: observed\n---\n\nA.\n"))
