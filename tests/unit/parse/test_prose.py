"""Relations stated in prose: types, directions, ends, and what is not one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.records import Link
from ebbtide.parse.links import RELATIONS, NameIndex, build_links
from ebbtide.parse.note import parse_note
from ebbtide.parse.prose import DOUBTED, stated_relations
from ebbtide.parse.prose_rules import TYPES
from ebbtide.parse.relations import relation_table

FILES = ["A.md", "B.md", "C.md", "N.md", "旧方案.md", "新方案.md", "Pump.md", "实验.md", "2026-05-01.md"]


def typed(text: str, path: str = "N.md") -> list[tuple[str, str | None, str]]:
    """(from, to, type) of the edges that prose gave a type, without `.md`."""
    return [
        (link.origin.removesuffix(".md"), (link.target or "").removesuffix(".md"), link.type)
        for link in edges(text, path)
        if link.type != "mentioned" and not link.declared
    ]


def edges(text: str, path: str = "N.md") -> list[Link]:
    """All edges of a note."""
    return build_links(parse_note(path, text), NameIndex(FILES))


@pytest.mark.parametrize(
    ("text", "source", "target", "kind"),
    [
        # One link: the other end is the note.
        ("Because [[A]] does not solve memory, we added a second store.", "A", "N", "causes"),
        ("We added a second store because [[A]] does not solve memory.", "A", "N", "causes"),
        ("The race was given up because of [[A|the knee]].", "A", "N", "causes"),
        ("Dropped due to the old [[A]].", "A", "N", "causes"),
        ("That missing list led to [[C]] in September.", "N", "C", "causes"),
        ("This eventually resulted in [[C]].", "N", "C", "causes"),
        ("The outage was caused by [[A]].", "A", "N", "causes"),
        ("This is why [[C]] exists.", "N", "C", "causes"),
        ("[[A]] is the reason for this change.", "A", "N", "causes"),
        ("It is not only because of [[A]] that we moved.", "A", "N", "causes"),
        ("我们放弃了原来的做法，因为 [[A]]。", "A", "N", "causes"),
        ("因为 [[A]] 没有成功，戴手套的人还是只能用手点。", "A", "N", "causes"),
        ("由于 [[A]]，这一版推迟了两周。", "A", "N", "causes"),
        ("因為 [[A]] 一直沒修，這個版本延期了。", "A", "N", "causes"),
        ("[[A]] 导致了这次改版。", "A", "N", "causes"),
        ("[[A]] 導致了這次改版。", "A", "N", "causes"),
        ("[[A]] 要拖到九月，导致我们都睡不好。", "A", "N", "causes"),
        ("这一条后来导致了 [[C]]。", "N", "C", "causes"),
        ("没有备份的习惯最终造成 [[C]]。", "N", "C", "causes"),
        ("睡眠不足引起 [[C]]。", "N", "C", "causes"),
        ("于是有了 [[C]]。", "N", "C", "causes"),
        ("这次事故是由 [[A]] 引起的。", "A", "N", "causes"),
        ("原因很清楚：[[A]] 把所有人的界面一起放大了。", "A", "N", "causes"),
        ("根本原因是 [[A]]。", "A", "N", "causes"),
        ("真正让我们早走的是[[A]]，它拖慢了一切。", "A", "N", "causes"),
        ("最后逼我们停下来的其实是 [[A]]。", "A", "N", "causes"),
        ("造成这次停电的就是 [[A]]。", "A", "N", "causes"),
        ("What finally made us leave was [[A]].", "A", "N", "causes"),
        ("What caused the outage was the old [[A]].", "A", "N", "causes"),
        ("The main reason is [[A]].", "A", "N", "causes"),
        ("The reason we chose this was [[A]].", "A", "N", "causes"),
        ("This was born out of [[A]].", "A", "N", "causes"),
        ("We moved in the wake of [[A]].", "A", "N", "causes"),
        ("[[A]] forced us to move.", "A", "N", "causes"),
        ("[[A]] is why we moved.", "A", "N", "causes"),
        ("It failed, so we chose [[C]].", "N", "C", "causes"),
        ("It broke; as a result we built the [[C]].", "N", "C", "causes"),
        ("因 [[A]] 推迟。", "A", "N", "causes"),
        ("正是 [[A]] 让我们搬家。", "A", "N", "causes"),
        ("[[A]] 迫使我们提前交货。", "A", "N", "causes"),
        ("吸取 [[A]] 的教训，我们加了检查。", "A", "N", "causes"),
        ("归根到底是 [[A]]。", "A", "N", "causes"),
        ("受 [[A]] 影响，展会推迟了。", "A", "N", "causes"),
        ("旧的坏了，所以我们选了 [[C]]。", "N", "C", "causes"),
        ("- 原因：[[A]]", "A", "N", "causes"),
        ("- **Because**: [[A]]", "A", "N", "causes"),
        ("This depends on [[A]].", "N", "A", "depends_on"),
        ("It is based on the older [[A]].", "N", "A", "depends_on"),
        ("本方案依赖 [[A]]。", "N", "A", "depends_on"),
        ("它是建立在 [[A]] 之上的。", "N", "A", "depends_on"),
        ("本方案以 [[A]] 为前提。", "N", "A", "depends_on"),
        ("- 依赖：[[A]]", "N", "A", "depends_on"),
        ("Replaced by [[A]] on 2026-02-26.", "A", "N", "supersedes"),
        ("This decision has been superseded by [[A]].", "A", "N", "supersedes"),
        ("It was dropped in favour of [[A]].", "A", "N", "supersedes"),
        ("This replaces [[A]].", "N", "A", "supersedes"),
        ("2026-08-12 起由 [[A]] 取代。", "A", "N", "supersedes"),
        ("已被 [[A]] 替代。", "A", "N", "supersedes"),
        ("[[A]] 已被本决定取代，尺寸保留。", "N", "A", "supersedes"),
        ("本决定取代 [[A]]。", "N", "A", "supersedes"),
        ("本決定取代 [[A]]。", "N", "A", "supersedes"),
        ("The numbers confirm [[A]].", "N", "A", "supports"),
        ("This is supported by [[A]].", "A", "N", "supports"),
        ("三个月的数据印证了 [[A]]。", "N", "A", "supports"),
        ("这一点得到 [[A]] 的证实。", "A", "N", "supports"),
        ("This contradicts [[A]].", "N", "A", "contradicts"),
        ("这与 [[A]] 矛盾。", "N", "A", "contradicts"),
        ("她反对过 [[A]]，后来证明她是对的。", "N", "A", "contradicts"),
        ("This is part of [[A]].", "N", "A", "part_of"),
        ("本项目属于 [[A]]。", "N", "A", "part_of"),
        ("它是 [[A]] 的一部分。", "N", "A", "part_of"),
        # Callouts, done tasks, embeds and Markdown links count.
        ("> [!warning] Superseded\n> Replaced by [[A]] on 2026-02-26.", "A", "N", "supersedes"),
        ("- [x] Dropped because of [[A]]", "A", "N", "causes"),
        ("This was caused by ![[A]].", "A", "N", "causes"),
        ("This was caused by [the first](A.md).", "A", "N", "causes"),
        # Links of days are no ends.
        ("[[2026-05-01]] 更新：因为 [[A]]，改了阈值。", "A", "N", "causes"),
        # A list under a heading that is a relation word, or under an introducing line.
        ("## Why\n\n- [[A]]\n", "A", "N", "causes"),
        ("## 原因\n\n- [[A]]：没有人维护\n", "A", "N", "causes"),
        ("Depends on:\n- [[A]]\n", "N", "A", "depends_on"),
    ],
)  # fmt: skip
def test_a_link_and_its_note(text: str, source: str, target: str, kind: str) -> None:
    assert typed(text) == [(source, target, kind)]


@pytest.mark.parametrize(
    ("text", "source", "target", "kind"),
    [
        ("[[旧方案]] 已被 [[新方案]] 取代。", "新方案", "旧方案", "supersedes"),
        ("[[旧方案|舊方案]] 已被 [[新方案]] 取代。", "新方案", "旧方案", "supersedes"),
        ("[[新方案]] 取代了 [[旧方案]]。", "新方案", "旧方案", "supersedes"),
        ("我们用 [[新方案]] 替换了 [[旧方案]]。", "新方案", "旧方案", "supersedes"),
        ("我们从 [[旧方案]] 迁移到 [[新方案]]。", "新方案", "旧方案", "supersedes"),
        ("弃用 [[旧方案]]，改用 [[新方案]]。", "新方案", "旧方案", "supersedes"),
        ("[[A]] was replaced by [[B]].", "B", "A", "supersedes"),
        ("We replaced [[A]] with the new [[B]].", "B", "A", "supersedes"),
        ("We switched from [[A]] to [[B]].", "B", "A", "supersedes"),
        ("[[A]] depends on [[B]].", "A", "B", "depends_on"),
        ("[[A]] 依赖 [[B]]。", "A", "B", "depends_on"),
        ("[[A]]：基于 [[B]]，需要登录。", "A", "B", "depends_on"),
        ("[[A]] 导致 [[B]]。", "A", "B", "causes"),
        ("[[A]] led to [[B]].", "A", "B", "causes"),
        ("[[B]] was caused by [[A]].", "A", "B", "causes"),
        ("[[A]] 也是 [[B]] 的原因。", "A", "B", "causes"),
        ("[[A]] 的直接后果是 [[B]]。", "A", "B", "causes"),
        ("[[B]] 是 [[A]] 的结果。", "A", "B", "causes"),
        ("[[A]] paved the way for [[B]].", "A", "B", "causes"),
        ("[[A]] contributed to [[B]].", "A", "B", "causes"),
        ("[[B]] is the successor to [[A]].", "B", "A", "supersedes"),
        ("[[Pump]] failed because of [[A]].", "A", "Pump", "causes"),
        ("[[A]] contradicts [[B]].", "A", "B", "contradicts"),
        ("[[A]] 与 [[B]] 矛盾。", "A", "B", "contradicts"),
        ("[[实验]] 证实了 [[A]]。", "实验", "A", "supports"),
        ("[[A]] is part of [[B]].", "A", "B", "part_of"),
        ("[[A]] 属于 [[B]]。", "A", "B", "part_of"),
        ("[[A]] 由 [[B]] 组成。", "B", "A", "part_of"),
    ],
)
def test_two_links(text: str, source: str, target: str, kind: str) -> None:
    assert typed(text) == [(source, target, kind)]


@pytest.mark.parametrize(
    "text",
    [
        # No relation in so many words.
        "原因 [[A]] 里没写。",
        "在 [[A]] 里让我们看到了不少。",
        "[[A]] 让我们想起了冬天。",
        "[[A]] 没有让我们搬家。",
        "[[A]] didn't force us to move.",
        "[[A]] was not forced on us.",
        "The reason for it was not [[A]].",
        "语言深受 [[A]] 的影响。",
        "不受 [[A]] 影响。",
        "If it breaks, so we chose [[A]].",
        "They read [[A]] and made us laugh.",
        "We followed it from [[A]].",
        "真正让我们早走的不是 [[A]]。",
        "让我们早走的是不是 [[A]]？",
        "What made us leave was not [[A]].",
        "She knew what made it tick and was [[A]].",
        "真正让我们早走的是 [[A]] 的规定吗？",
        "See [[A]].", "[[A]] and [[B]]", "关于 [[A]] 的笔记。", "支持 [[A]] 的笔记软件。", "[[A]] supports [[B]].",
        "四月睡得少（[[A]]），导致效率低。", "这导致 [[A]] 的下降。", "Since [[A]] we check the dates.",
        # Not of the note: another subject.
        "Obsidian 基于 [[A]]。", "A doll was created as part of [[A]].",
        # Negations.
        "Not because of [[A]].", "It was not caused by [[A]].", "This doesn't depend on [[A]].",
        "This no longer depends on [[A]].", "并不是因为 [[A]]，而是懒。", "不是因为 [[A]]。", "本方案不依赖 [[A]]。",
        "这并没有导致 [[A]]。", "本項目不屬於 [[A]]。", "Nothing here depends on [[A]].",
        # Questions.
        "Is it because of [[A]]?", "是因为 [[A]] 吗？", "这是不是 [[A]] 导致的？",
        # Hypotheses, plans, hearsay.
        "If [[A]] led to this, we stop.", "This might lead to [[A]].", "It would replace [[A]].",
        "We may drop it because of [[A]].", "如果 [[A]] 导致了这次改版，就回滚。", "也许是因为 [[A]]。",
        "这可能导致 [[A]]。", "计划用 [[A]] 取代 [[B]]。", "We plan to replace [[A]] with [[B]].", "可以被 [[A]] 完全替代。",
        "据说是因为 [[A]]。", "This will be replaced by [[A]].", "考虑用 [[A]] 替换 [[B]]。",
        # Quotations.
        "> because of [[A]]", '"It broke because of [[A]]," he said.', "他说：“是因为 [[A]]。”", "她写道「[[A]] 導致 [[B]]」。",
        # Code, open tasks, declared relations are not prose.
        "`because of [[A]]`", "- [ ] replace [[A]] with [[B]]",
    ],
)  # fmt: skip
def test_no_relation(text: str) -> None:
    assert typed(text) == []


def test_the_notes_name_as_subject_is_the_note() -> None:
    assert typed("Obsidian 基于 [[A]]。", "Obsidian.md") == [("Obsidian", "A", "depends_on")]
    assert typed("---\naliases: [Bridge]\n---\nBridge depends on [[A]].") == [("N", "A", "depends_on")]
    assert typed("[[A]] 就是基于 jekyll 的。", "jekyll.md") == [("A", "jekyll", "depends_on")]


def test_several_links_of_one_side() -> None:
    assert typed("This depends on [[A]], [[B]] and [[C]].") == [
        ("N", "A", "depends_on"), ("N", "B", "depends_on"), ("N", "C", "depends_on"),
    ]  # fmt: skip
    assert typed("[[A]] 是 [[B]] 和 [[C]] 的原因。") == [("A", "B", "causes"), ("A", "C", "causes")]


def test_a_single_link_stays_one_edge_and_bears_the_type() -> None:
    (edge,) = edges("Fine. We stopped because of [[A]]. More.")
    assert (edge.origin, edge.target, edge.type, edge.relation) == ("A.md", "N.md", "causes", "because of")
    assert not edge.declared
    assert 0.5 < edge.confidence < 1.0
    assert edge.weight == "weak"
    assert edge.snippet == "We stopped because of [[A]]."
    assert (edge.offset, edge.line, edge.raw) == (28, 1, "[[A]]")


def test_two_links_keep_their_edges_and_a_third_relates_them() -> None:
    found = edges("[[旧方案]] 已被 [[新方案]] 取代。")
    assert [(e.origin, e.target, e.type, e.relation, e.raw) for e in found] == [
        ("N.md", "旧方案.md", "mentioned", None, "[[旧方案]]"),
        ("新方案.md", "旧方案.md", "supersedes", "被 … 取代", "[[旧方案]]"),
        ("N.md", "新方案.md", "mentioned", None, "[[新方案]]"),
    ]


def test_ends_without_a_file_keep_their_names() -> None:
    found = [e for e in edges("[[Nowhere]] depends on [[A]].") if e.type == "depends_on"]
    assert [(e.origin, e.target) for e in found] == [("Nowhere", "A.md")]
    (edge,) = edges("Replaced by [[Nowhere]].")
    assert (edge.target, edge.type) == (None, "supersedes")


def test_a_declared_relation_is_not_read_again() -> None:
    (edge,) = edges("because:: [[A]] depends on this")
    assert edge.declared
    assert (edge.type, edge.confidence) == ("causes", 1.0)


def test_a_persons_own_words_count_in_labels_verbs_and_declarations() -> None:
    table = {**RELATIONS, "spawned": ("causes", False), "拖垮": ("causes", False)}
    for text in ("This spawned [[C]].", "Spawned: [[C]]", "spawned:: [[C]]", "这件事拖垮了 [[C]]。"):
        (edge,) = build_links(parse_note("N.md", text), NameIndex(FILES), table)
        assert (edge.origin, edge.target, edge.type) == ("N.md", "C.md", "causes")
        assert edge.relation is not None
        assert edge.relation.lower() in ("spawned", "拖垮了")
    (plain,) = edges("This spawned [[C]].")
    assert plain.type == "mentioned"


def test_the_table_of_own_words_keeps_the_directions_it_knows() -> None:
    assert relation_table({}) is RELATIONS
    table = relation_table({"Driven by": "causes", "被点燃": "causes", "caused by": "supports", "feeds": "supports"})
    assert [table[word] for word in ("driven_by", "drivenby", "被点燃", "caused_by", "feeds", "导致")] == [
        ("causes", True), ("causes", True), ("causes", True), ("supports", True), ("supports", False), ("causes", False),
    ]  # fmt: skip


def test_a_table_row_tells_of_the_link_in_its_first_cell() -> None:
    head = "| Plan | Note | Depends on |\n|---|---|---|\n"
    assert typed(f"{head}| [[A]] | replaced by [[B]] | |") == [("B", "A", "supersedes")]
    assert typed(f"{head}| [[A]] | fine | [[B]], [[C]] |") == [("A", "B", "depends_on"), ("A", "C", "depends_on")]
    assert typed(f"{head}| bees | based on [[B]] | [[C]] |") == []
    assert typed(f"{head}| bees | dropped because of [[B]] | |") == [("B", "N", "causes")]


def test_a_sentence_with_very_many_links_relates_none_beyond_its_evidence() -> None:
    many = "This depends on " + ", ".join("[[A]]" for _ in range(5000)) + "."
    found = [edge for edge in edges(many) if edge.type != "mentioned"]
    assert 0 < len(found) < 64
    assert all(edge.type == "depends_on" and "This depends on" in edge.snippet for edge in found)


def test_private_characters_of_a_text_are_no_links() -> None:
    assert typed("\ue000 because of \ue001 [[A]]") == [("A", "N", "causes")]
    assert typed("\ue000 led to \ue001") == []


PIECES = st.sampled_from(
    [
        "[[A]]", "[[B|b]]", "![[C]]", "[m](A.md)", "[[", "]]", "因为", "导致", "由", "被", "取代", "的原因", "because of ", "led to ",
        "depends on ", "replaced ", "with ", "“", "”", "\"", "`", "。", ". ", "，", ", ", "?", "\n", "\n\n", "> ", "- ", "- [ ] ", "| ",
        "## ", "原因：", "这", "it ", "\ue000", "\ue001", "e\u0301", "🔥", "İ", "是", "\\|", ""
        "|", "不", "如果", "::", "與", "矛盾", "x" * 200,
    ]
)  # fmt: skip


@given(st.one_of(st.text(max_size=120), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_read_and_every_relation_has_its_evidence_in_the_note(text: str) -> None:
    note = parse_note("N.md", text)
    for item in stated_relations(note):
        assert item.type in TYPES
        assert 0.5 < item.confidence < 1.0
        assert item.relation
        for index in (item.link, item.other if item.other is not None else item.link):
            link = note.links[index]
            assert note.text.startswith(link.raw, link.offset)
            assert link.raw in link.snippet
            assert link.snippet in note.text
    plain = [link for link in build_links(note, NameIndex(FILES)) if link.declared or link.raw]
    assert len(plain) >= len(note.links)


@pytest.mark.parametrize(
    "text",
    [
        "> She said the [[A]] was at fault.",
        "> - [[A]]",
        "He wrote: “we blame [[A]] for all of it”.",
        '"Nobody likes [[A]] here," they said.',
        "老张说「都怪 [[A]] 那件事」。",
        "~~See [[A]] first.~~",
        "The delay was not caused by [[A]].",
        "It isn't because of [[A]].",
        "This has nothing to do with [[A]].",
        "Done by hand rather than with [[A]].",
        "It came about independently of [[A]].",
        "[[A]] was not the reason.",
        "不是因为 [[A]]。",
        "这并非源于 [[A]]。",
        "这和 [[A]] 完全无关。",
        "与 [[A]] 没有关系。",
        "[[A]] 不是主要原因。",
        "If [[A]] had failed, we had called.",
        "Perhaps [[A]] played a part.",
        "It might be [[A]].",
        "Whether [[A]] matters is open.",
        "如果 [[A]] 失败，就停。",
        "也许是 [[A]]。",
        "据说 [[A]] 也出过事。",
    ],
)
def test_a_mention_that_is_quoted_denied_or_supposed_is_less_sure(text: str) -> None:
    assert [(edge.type, edge.confidence) for edge in edges(text)] == [("mentioned", DOUBTED)]


@pytest.mark.parametrize(
    "text",
    [
        "See [[A]].",
        "- [[A]]",
        "“[[A]]” is the note about it.",
        '"Yes," she said, and opened [[A]].',
        "> [!note] Where\n> It stands in [[A]].",
        "We did not finish; notes are in [[A]].",
        "Do not forget [[A]].",
        "Not only [[A]] was full.",
        "If it rains, the list is in [[A]].",
        "In May the list went to [[A]].",
        "没有别的事，见 [[A]]。",
        "不仅 [[A]] 满了。",
        "如果下雨，清单在 [[A]]。",
        "可能性分析见 [[A]]。",
        "若干问题见 [[A]]。",
    ],
)
def test_an_ordinary_mention_is_not(text: str) -> None:
    assert [(edge.type, edge.confidence) for edge in edges(text)] == [("mentioned", 0.5)]
