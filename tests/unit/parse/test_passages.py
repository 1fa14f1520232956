"""Passages: where a note is cut, what is left out, and the text that is embedded."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.note import parse_note
from ebbtide.parse.passages import (
    MAX_TOKENS,
    clean_markdown,
    estimate_tokens,
    language_of,
    passage_key,
    split_passages,
)

WORDS = "The pump failed again and nobody knew why it did so today. "


def cut(text: str, path: str = "n.md") -> list[tuple[tuple[str, ...], str]]:
    return [(passage.headings, passage.text) for passage in split_passages(parse_note(path, text))]


def keys(text: str, path: str = "n.md") -> list[str]:
    note = parse_note(path, text)
    return [passage_key(note, passage) for passage in split_passages(note)]


def test_headings_of_level_one_and_two_always_part() -> None:
    text = "intro\n\n# A\n\n## B\n\none\n\n## C\n\n### D\n\ntwo\n\n### E\n\nthree\n\n# F\n\nfour\n"
    assert cut(text) == [
        ((), "intro"), (("A", "B"), "one"), (("A", "C"), "### D\n\ntwo\n\n### E\n\nthree"), (("F",), "four"),
    ]  # fmt: skip


def test_an_empty_section_goes_with_the_next() -> None:
    assert cut("# A\n## Empty\n## B\ntext\n") == [(("A", "B"), "## Empty\n## B\ntext")]
    assert cut("# A\n## B\n") == [((), "# A\n## B")]
    assert cut("# A\ntext\n## End\n") == [(("A",), "text"), (("A",), "## End")]


def test_deeper_sections_are_kept_whole_where_they_fit() -> None:
    text = "## S\n\n" + "".join(f"### {name}\n\n{WORDS * 12}\n\n" for name in "abc") + "### d\n\nshort\n"
    assert [headings for headings, _ in cut(text)] == [("S", "a"), ("S", "b"), ("S",)]
    assert cut(text)[-1][1].startswith("### c\n\nThe pump")
    assert cut(text)[-1][1].endswith("### d\n\nshort")


def test_long_sections_part_between_blocks_near_the_target() -> None:
    text = "## S\n\n" + "\n\n".join(f"{number}. {WORDS * 4}" for number in range(20)) + "\n"
    passages = split_passages(parse_note("n.md", text))
    sizes = [estimate_tokens(passage.text) for passage in passages]
    assert max(sizes) <= MAX_TOKENS
    assert min(sizes) >= 80
    assert all(later.start >= earlier.end for earlier, later in pairwise(passages))
    assert "".join(p.text for p in passages).count("The pump") == 80


@pytest.mark.parametrize("sentence", [WORDS, "水泵又坏了，没有人知道为什么会这样。", "x" * 50, "没有标点的汉字" * 9])
def test_a_giant_paragraph_parts_at_sentences_with_some_overlap(sentence: str) -> None:
    text = sentence * 120
    note = parse_note("n.md", text)
    passages = split_passages(note)
    assert len(passages) > 2
    assert all(estimate_tokens(passage.text) <= MAX_TOKENS for passage in passages)
    for earlier, later in pairwise(passages):
        overlap = (earlier.end - later.start) / (earlier.end - earlier.start)
        assert 0 <= overlap <= 0.16
    assert passages[-1].end == len(text.rstrip())


def test_code_is_kept_with_its_text_but_cut_off() -> None:
    code = "\n".join(f"line {number}" for number in range(1_000))
    (first, last) = cut(f"Do this:\n\n```sh\n{code}\n```\n\nDone.\n")
    assert first[1].startswith("Do this:\n\n```sh\nline 0\n")
    assert estimate_tokens(first[1]) <= MAX_TOKENS
    assert last[1] == "Done."


def test_comments_drawings_and_data_are_left_out() -> None:
    blob = "data:image/png;base64," + "iVBORw0KGgo+" * 500
    text = f"a %%secret%% b\n\n%%\nsecret\n%%\n\n<!-- secret -->\n\n![]({blob}) end\n\n{'Ab3/' * 100}\n\n`%%` code\n"
    (passage,) = cut(text)
    assert passage[1] == "a  b\n\n\n\n\n\n![]() end\n\n\n\n`%%` code"
    drawing = "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\npump ^a1\n\n%%\n# Drawing\n```json\n{}\n```\n%%\n"
    assert [text for _, text in cut(drawing)] == ["pump ^a1"]
    assert cut("# Drawing\n```json\n{}\n```\n", "x.excalidraw.md") == [((), "# Drawing")]


def test_a_note_without_text_can_still_be_found() -> None:
    note = parse_note("p/City.md", "---\naliases: [Town]\ncity: Paris\nn: [1, 2]\ntags: [x]\nprivate: true\n---\n\n")
    (passage,) = split_passages(note)
    assert (passage.text, passage.start, passage.end) == ("City\nTown\ncity: Paris\nn: 1, 2", note.body, note.body)
    assert passage_key(note, passage) == passage.text
    assert cut("", "a/Only name.md") == [((), "Only name")]


def test_key_holds_title_headings_description_and_clean_text() -> None:
    text = (
        "---\ndescription: About pumps\n---\n# Pump\n\n## Seal\n\n- [ ] see [[a/Valve#x|the valve]], [[b/Tank]] ^id1\n"
        "> [!note] **Bold** and _em_ of snake_case `code` at https://example.org/long/path?x=1\n\n## Next\n\nmore\n"
    )
    first, second = keys(text, "folder/Pump.md")
    assert first == (
        "Pump > Seal\nAbout pumps\nsee the valve, Tank\nBold and em of snake_case code at example.org"
    )  # fmt: skip
    assert second == "Pump > Next\nmore"
    assert "folder" not in first


def test_key_does_not_repeat_the_title() -> None:
    assert keys("Pump is broken.\n", "Pump.md") == ["Pump is broken."]
    assert keys("It is broken.\n", "Pump.md") == ["Pump\nIt is broken."]
    assert keys("cafe\u0301\n", "x.md") == ["x\ncafé"]


@pytest.mark.parametrize(
    ("source", "clean"),
    [
        ('![[p.png|100]] ![alt](x.png) [t](u.md "t")', "p.png alt t"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a b\n1 2"),
        ("```py\nx = a*b\n```", "x = ab"),
        ("a<br>b <!-- c --> d", "a b d"),
        ("1. one\n   - [x] two ==hot== ~~old~~", "one\ntwo hot old"),
        ("<https://a.example/b> (https://c.example:80/d)", "a.example (c.example)"),
        ("[[#Part]] [[#^id]]", "Part id"),
        ("", ""),
    ],
)
def test_clean_markdown(source: str, clean: str) -> None:
    assert clean_markdown(source) == clean


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("hello", "en"),
        ("水泵坏了", "zh"),
        ("用 Python 写的小工具", "zh"),
        ("The 水泵 failed again", "en"),
        ("123 🔥", "en"),
    ],
)
def test_language(text: str, lang: str) -> None:
    assert language_of(text) == lang


def test_estimate() -> None:
    assert estimate_tokens("abcd" * 10) == 10
    assert estimate_tokens("水" * 148) == pytest.approx(100)


PIECES = st.sampled_from(
    ["# A\n", "## B\n", "### C\n", "#### D\n", "text here. ", "\n\n", "\n", "水泵坏了。", "- item\n", "> q\n", "```\n",
     "%%", "<!-- x -->", "| a |\n|---|\n| b |\n", "x" * 300, WORDS * 30, "- " + WORDS * 8 + "\n", "[[a]]", "^id\n",
     "data:a;base64,AA"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_passages_are_ordered_bounded_and_never_cross_a_high_heading(text: str) -> None:
    note = parse_note("n.md", text)
    passages = split_passages(note)
    assert passages
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))
    before = 0
    for passage in passages:
        assert note.body <= passage.start <= passage.end <= len(text)
        assert passage.start >= before
        before = passage.start
        assert passage.line == text.count("\n", 0, passage.start) + 1
        assert estimate_tokens(passage.text) <= MAX_TOKENS + 1
        assert passage.text == passage.text.strip()
        content = [u.start for u in note.units if u.kind != "heading" and passage.start <= u.start < passage.end]
        for heading in note.headings:
            shown = heading.level <= 2 and not _hidden(note.text, heading.offset)
            if shown and content and passage.start < heading.offset < passage.end:
                before_it = [start for start in content if start < heading.offset]
                assert all(_hidden(note.text, start) for start in before_it)
        assert passage_key(note, passage).strip()


def _hidden(text: str, start: int) -> bool:
    return "%%" in text[: start + 2] or "base64" in text[start : start + 40] or "<!--" in text[: start + 4]


@given(st.text(max_size=300))
def test_never_raises_on_arbitrary_text(text: str) -> None:
    note = parse_note("n.md", text)
    for passage in split_passages(note):
        passage_key(note, passage)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "汉字。" * 100_000,
        "# a\n" * 50_000,
        "<!--" * 100_000,
        "%%a " * 100_000,
        "| " * 200_000,
        "a\n\n" * 50_000,
    ],
    ids=["letters", "han", "headings", "comments", "percent", "bars", "blocks"],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    note = parse_note("n.md", text)
    began = time.process_time()
    for passage in split_passages(note):
        passage_key(note, passage)
    assert time.process_time() - began < 8
