"""parse_note: what is a link and a tag, exact places, inline fields, properties, and input that must be survived."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ebbtide.parse.note as note_module
from ebbtide.memory.records import Note, RawLink
from ebbtide.parse.note import MAX_NOTE, MAX_SNIPPET, parse_note


def raws(text: str) -> list[str]:
    return [link.raw for link in parse_note("n.md", text).links]


def fields(text: str) -> list[tuple[str, str, str | None]]:
    return [(link.kind, link.path, link.relation) for link in parse_note("n.md", text).links]


def only(text: str) -> RawLink:
    (link,) = parse_note("n.md", text).links
    return link


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        ("[[A]]", ("A", None, None, None)),
        ("[[ a/B.md ]]", ("a/B.md", None, None, None)),
        ("[[A#H#I|x|y]]", ("A", "H#I", None, "x|y")),
        ("[[A# H |]]", ("A", "H", None, None)),
        ("[[#^id|x]]", ("", None, "id", "x")),
        ("[[A\\|x]]", ("A", None, None, "x")),
        ("[[|x]]", ("|x", None, None, None)),
        ("![[p.png|100x20]]", ("p.png", None, None, "100x20")),
        ("[[a]b]]", ("a]b", None, None, None)),
        ("[[https://example.org]]", ("https://example.org", None, None, None)),
        ("[t](a%20b.md#c%20d)", ("a b.md", "c d", None, "t")),
        ("[t](<a b.md>)", ("a b.md", None, None, "t")),
        ('![](a(b)c.png "t")', ("a(b)c.png", None, None, None)),
        ("[t](#^id)", ("", None, "id", "t")),
        ("[t](a\\)b.md)", ("a)b.md", None, None, "t")),
        ("[t](100%.md)", ("100%.md", None, None, "t")),
        ("[two\nlines](a.md)", ("a.md", None, None, "two\nlines")),
    ],
)
def test_parts_of_a_link(raw: str, parts: tuple[str | None, ...]) -> None:
    link = only(f"see {raw} end\n")
    assert (link.raw, link.path, link.heading, link.block, link.alias) == (raw, *parts)
    assert link.kind == ("embed" if raw[0] == "!" else "markdown" if "](" in raw else "wikilink")


@pytest.mark.parametrize(
    "text",
    [
        "[[]] [[ ]] [a] [ ] []() [t]() [t](<>)", "[t](a b.md)", "[t](http://x/a.md) [t](mailto:a@b) ![t](https://x/y.png)",
        "\\[[a]] [\\[a]] \\[t](a.md)", "[[a\nb]]", "[[a", "［［a］］", "`[[a]]` ``x ` [[a]]`` `[t](a.md)`",
        "```\n[[a]]\n", "~~~\n[[a]]\n```\n[[b]]\n~~~", "- x\n  ```\n  [[a]]\n  ```", "> ```\n> [[a]]\n> ```", "\t[[a]]",
        "<!-- [[a]] -->", "x <!-- [[a]] --> y", "<!--\n\n[[a]]\n-->", "$[[a]]$ $$[[b]]$$", "$$\n[[a]]\n$$",
        "``` [[a]]\nx\n```", "[a\n\nb](c.md)", "[a\n- b](c.md)", "Type `[[` to open and `]]` to close",
        "Type `[[` to open, then close ]]",
    ],
)  # fmt: skip
def test_what_is_no_link(text: str) -> None:
    assert raws(f"{text}\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[a [[b]] c]] [[[d]]]", ["[[b]]", "[[d]]"]),
        ("\\![[a]] \\\\[[b]]", ["[[a]]", "[[b]]"]),
        ("%% [[a]] %%\n%%\n[[b]]\n%%", ["[[a]]", "[[b]]"]),
        ("$5 for [[a]] or $6, [[b]] $ [[c]] $", ["[[a]]", "[[b]]", "[[c]]"]),
        ("[[Cost $5]] and [[Cost $6]] `x`", ["[[Cost $5]]", "[[Cost $6]]"]),
        ("[^1]: [[a]]\n\n    [[b]] `x`\n\nx^[ [[c]] ]", ["[[a]]", "[[b]]", "[[c]]"]),
        ("[[a]]\n\n[a]: https://x `y`", ["[[a]]"]),
        ("[![alt](p.png)](q.md) [[x]](y.md)", ["[![alt](p.png)](q.md)", "![alt](p.png)", "[[x]]"]),
        ("[a [b](c.md) d](e.md)", ["[b](c.md)"]),
        ("**[[a]]** _[[b_c]]_ ==[[d]]== ~~[[e*f]]~~ `x`", ["[[a]]", "[[b_c]]", "[[d]]", "[[e*f]]"]),
        ("| `x` | [[a\\|b]] |\n|---|---|\n| [[c]] | [d](e.md) |", ["[[a\\|b]]", "[[c]]", "[d](e.md)"]),
        ("`code` [text `x` y](a.md)", ["[text `x` y](a.md)"]),
        ("<br>[[a]] <span>[[b]]</span>", ["[[a]]", "[[b]]"]),
        ("[[<% x %>]] [[{{y}}]]", ["[[<% x %>]]", "[[{{y}}]]"]),
        ("- a\n\n    - [[b]]\n\n        - [[c]]\n", ["[[b]]", "[[c]]"]),
    ],
)
def test_what_is_a_link(text: str, expected: list[str]) -> None:
    assert raws(f"{text}\n") == expected


def test_places_lines_columns_and_snippets() -> None:
    text = '---\nup: "[[Ü🔥]]"\n---\r\n第一句。🔥 See [[A]] here! Next one.\r\n'
    up, body = parse_note("n.md", text).links
    assert (text[up.offset : up.offset + len(up.raw)], up.line, up.column, up.kind) == ("[[Ü🔥]]", 2, 5, "frontmatter")
    assert text[body.offset : body.offset + len(body.raw)] == "[[A]]"
    assert (body.line, body.column, body.snippet) == (4, 11, "🔥 See [[A]] here!")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("causes:: [[A]], [[B]]", [("inline-field", "A", "causes"), ("inline-field", "B", "causes")]),
        ("**depends on**:: [a](A.md)", [("inline-field", "A.md", "depends on")]),
        ("> - 原因:: [[A]]", [("inline-field", "A", "原因")]),
        ("1. x:: [[A]]", [("inline-field", "A", "x")]),
        ("- [ ] x:: [[A]]", [("wikilink", "A", None)]),
        ("- [ ] (x:: [[A]])", [("inline-field", "A", "x")]),
        ("[x:: [[A]]] [[B]] (🔥:: [[C]])",
         [("inline-field", "A", "x"), ("wikilink", "B", None), ("inline-field", "C", "🔥")]),
        ("x:: [[A]] [y:: [[B]]]", [("wikilink", "A", None), ("inline-field", "B", "y")]),
        ("[[A]]:: [[B]]", [("wikilink", "A", None), ("wikilink", "B", None)]),
        ("`std::x` [[A]]", [("wikilink", "A", None)]),
        ("It causes:: [[A]]", [("inline-field", "A", "It causes")]),
        ("cover:: ![[a.png]]", [("embed", "a.png", "cover")]),
    ],
)  # fmt: skip
def test_inline_fields(line: str, expected: list[Any]) -> None:
    assert fields(f"{line}\n") == expected


def test_property_links_count_only_as_a_whole() -> None:
    text = (
        '---\na: "[[A|x]]"\nb: ["[[B]]", text, "[t](B%20c.md)"]\nc: see [[C]]\nd: [[D#e]]\ne:\n  - [[E]]\n'
        'f: "[[F]] and [[G]]"\n"[[K]]": v\ng: https://x\nh: [[1, 2]]\n---\n'
    )
    links = parse_note("n.md", text).links
    assert [(link.raw, link.path, link.relation, link.native) for link in links] == [
        ("[[A|x]]", "A", "a", True), ("[[B]]", "B", "b", True), ("[t](B%20c.md)", "B c.md", "b", True),
        ("[[D#e]]", "D", "d", False), ("[[E]]", "E", "e", False),
    ]  # fmt: skip
    assert all(text[link.offset : link.offset + len(link.raw)] == link.raw for link in links)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#a #b/c- #标签 #🔥hot #2024 #y2024 #d. #e's (#no) x#no \\#no #a#f\n", "a b/c- 标签 🔥hot y2024 d e f"),
        ("`#no` #yes/\n\n    #no\n\n[[x#no]] [t](u.md#no) [a #in text](u.md) <!-- #no --> https://x/#no\n", "yes in"),
        ("# #h\n> #q\n- #l\n%% #c %%\n## no\n#\n", "h q l c"),
        ('---\nTags: [x, "#Y", "a b", 12, null]\ntag: no\n---\n#y #X\n', "x Y"),
        ("---\ntags: a, b\n---\n", ""),
        ("---\ntags: solo\n---\n", "solo"),
    ],
)
def test_tags(text: str, tags: str) -> None:
    assert [tag.name for tag in parse_note("n.md", text).tags] == tags.split()


def test_title_aliases_and_flags() -> None:
    note = parse_note("a/My note.md", "---\naliases: One, two\nprivate: true\nmemory: false\n---\n")
    assert (note.title, note.aliases, note.private, note.remembered) == ("My note", ("One, two",), True, False)
    assert parse_note("n.md", "---\ntitle: T\nAliases: [a, 12, a, '']\n---\n").aliases == ("a", "12")
    assert parse_note("n.md", "---\ntitle: [x]\n---\n").title == "n"


def test_broken_properties_leave_the_body() -> None:
    note = parse_note("n.md", '---\nup: "[[A]]"\nx: [\n---\n[[B]] #t\n')
    assert [link.path for link in note.links] == ["B"]
    assert [(p.path, p.code) for p in note.problems] == [("n.md", "yaml-invalid")]


def test_private_use_characters_do_not_confuse_the_markers() -> None:
    area = "".join(map(chr, range(0xE000, 0xF900)))
    text = f"{area} `x` [[A]] \ue0000\ue001 `[[B]]` [[C\ue0001\ue001]] #t\ue000\n"
    note = parse_note("n.md", text)
    assert [link.raw for link in note.links] == ["[[A]]", "[[C\ue0001\ue001]]"]
    assert [tag.name for tag in note.tags] == ["t\ue000"]


def test_a_failing_parser_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def parse(self, _: str) -> None:
            raise RecursionError

    text = "`[[no]]` [[a]]\n\n```\n[[no]]\n```\n[t](b.md) #tag `#no`\n"
    expected = parse_note("n.md", text)
    monkeypatch.setattr(note_module, "_markdown", Broken())
    found = parse_note("n.md", text)
    assert [p.code for p in found.problems] == ["markdown-hostile"]
    assert (found.links, found.tags, found.units) == (expected.links, expected.tags, expected.units)


def test_a_note_that_is_too_long_is_cut_at_a_line() -> None:
    text = ("word " * 200 + "[[a]] end of line\n") * 2_100
    note = parse_note("n.md", text)
    assert MAX_NOTE - 2_000 < len(note.text) <= MAX_NOTE < len(text)
    assert note.text.endswith("line\n")
    assert [(p.code, p.line) for p in note.problems] == [("note-too-long", None)]


PIECES = st.sampled_from(
    ["[[", "]]", "[", "](", ")", "!", "`", "``", "```\n", "~~~\n", "$", "$$", "<!--", "-->", "<b>", "#", "#t", "\\",
     "|", "\n", "\n\n", "    ", "\t", "- ", "> ", "1. ", "a", "b.md", " ", "::", "%%", "---\n", "[^1]: ", "🔥", "\ue000",
     "\ue001", "[[x]]", "[y](z.md)", "\r\n", "|-|\n", "=", "^id"]
)  # fmt: skip
MARKDOWNISH = st.lists(PIECES, max_size=40).map("".join)


def check(text: str) -> Note:
    note = parse_note("n.md", text)
    for link in note.links:
        assert len(link.snippet) <= MAX_SNIPPET
        assert link.line == text.count("\n", 0, link.offset) + 1
        begin = text.rfind("\n", 0, link.offset) + 1
        assert link.column == len(text[begin : link.offset].encode("utf-16-le", "surrogatepass")) // 2
        if link.kind != "frontmatter":
            assert link.raw == text[link.offset : link.offset + len(link.raw)]
            assert link.offset >= note.body
    for tag in note.tags:
        assert tag.offset is None or text.startswith(f"#{tag.name}", tag.offset)
    return note


@given(MARKDOWNISH)
def test_places_are_exact_on_any_markdown(text: str) -> None:
    assert not check(text).problems or text.startswith("---")


@given(st.text(max_size=200))
def test_never_raises_on_arbitrary_text(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from(["[[a]]", "[b](c.md)", "#t", "word", "  ", "\n", "\n\n", "*", "_", "~~"]), max_size=30))
def test_without_code_math_and_html_all_candidates_count(pieces: list[str]) -> None:
    """The short way round mistune gives what the long way gives."""
    text = "x " + " ".join(pieces)
    short = parse_note("n.md", text)
    long = parse_note("n.md", f"{text}\n\n`code`\n")
    assert short.links == long.links
    assert short.tags == long.tags


HOSTILE = {
    "brackets": "[" * 10_000,
    "open links": "[[a|" * 50_000,
    "empty links": "[](" * 80_000,
    "images": "![" * 60_000 + "](x)" * 30_000,
    "half": "](" * 100_000,
    "one line": "[[a|b]] " * 20_000,
    "levels": "".join("  " * depth + f"- `c` [[x{depth}]]\n" for depth in range(1_000)),
    "quotes": ">" * 10_000 + " `c` [[a]]\n",
    "ticks": "".join("`" * (1 + i % 9) + "a" for i in range(40_000)) + " [[x]]",
    "dollars": "$" * 200_000 + "[[x]]",
    "tags": "#a" * 100_000,
    "backslashes": "\\" * 200_000 + "[[x]]",
    "fields": "[a:: " * 40_000 + "[[x]]",
    "nul": "\0" * 100_000 + "[[x]]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    began = time.process_time()
    check(HOSTILE[name]) if name != "one line" else parse_note("n.md", HOSTILE[name])
    assert time.process_time() - began < 6


def test_all_thousand_levels_keep_their_links() -> None:
    assert len(raws(HOSTILE["levels"])) == 1_000
