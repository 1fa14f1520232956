"""Contradictions, sentence by sentence: what is one, of which kind, and above all what is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ebbtide.memory.conflict import CONFLICT_AT, judge
from ebbtide.memory.conflict_claim import CONFLICT_KINDS, Claim
from ebbtide.memory.conflict_pairs import COMMON, candidates
from ebbtide.memory.conflict_patrol import WEAK_PER_NOTE, patrol
from ebbtide.memory.records import Fact, FactId
from ebbtide.parse.claims import in_slot, read_claim

CONFLICTS = [
    # negation, and words with an opposite
    ("negation", "The export feature supports CSV files.", "The export feature does not support CSV files."),
    ("negation", "导出功能支持表格文件。", "导出功能不支持表格文件。"),
    ("negation", "缓存在重启之后会保留。", "缓存在重启之后不会保留。"),
    ("negation", "夜間備份已經啟用。", "夜间备份已经停用。"),
    ("negation", "The nightly backup of the archive is enabled.", "The nightly backup of the archive is disabled."),
    ("negation", "访客允许进入资料室。", "访客禁止进入资料室。"),
    ("negation", "Guests are allowed in the reading room.", "Guests are forbidden in the reading room."),
    ("negation", "The migration of the ledger succeeded.", "The migration of the ledger failed."),
    ("negation", "账本的迁移成功了。", "账本的迁移失败了。"),
    ("negation", "We never store the passwords in plain text.", "We store the passwords in plain text."),
    ("negation", "王医生从来没去过海边的诊所。", "王医生去过海边的诊所。"),
    # number
    ("number", "The session limit is 40 users.", "The session limit is 60 users."),
    ("number", "会话上限是四十人。", "会话上限是 60 人。"),
    ("number", "The gateway listens on port 8080.", "The gateway listens on port 8081."),
    ("number", "网关监听 8080 端口。", "网关监听 8081 端口。"),
    ("number", "The workshop fee is $120.", "The workshop fee is $150."),
    ("number", "仓库里有三千册书。", "仓库里有两千册书。"),
    ("number", "The build needs Python 3.11.2 to run.", "The build needs Python 3.9.1 to run."),
    ("number", "At least 12 reviewers must sign the report.", "Only 5 reviewers must sign the report."),
    ("number", "本月新增用户超过 5000 人。", "本月新增用户 3000 人。"),
    # unit
    ("unit", "The request timeout is 30 seconds.", "The request timeout is 30 minutes."),
    ("unit", "请求超时是 30 秒。", "请求超时是 30 分钟。"),
    ("unit", "The cache may grow to 2 GB.", "The cache may grow to 2 MB."),
    ("unit", "上传文件不能大于 5 兆。", "上传文件不能大于 5 GB。"),
    # date
    ("date", "The library opens on 3 May 2024.", "The library opens on 5 May 2024."),
    ("date", "图书馆于2024年5月3日开放。", "图书馆于2024年6月3日开放。"),
    ("date", "The contract was signed in March 2021.", "The contract was signed in March 2020."),
    ("date", "合同在 2021-03-04 签订。", "合同在 2021-04-03 签订。"),
    ("date", "The weekly review starts at 9:30.", "The weekly review starts at 10:30."),
    ("date", "每周例会下午三点开始。", "每周例会下午四点开始。"),
    # entity
    ("entity", "The capital of the province is Linhai.", "The capital of the province is Taizhou."),
    ("entity", "这部电影由李岚执导，二〇一九年上映。", "这部电影由王岳执导，二〇一九年上映。"),
    (
        "entity",
        "The annual meeting of the society was held in Lisbon.",
        "The annual meeting of the society was held in Porto.",
    ),
    ("entity", "学会的年会在杭州举行。", "学会的年会在苏州举行。"),
    (
        "entity",
        "The 2018 final of the regional cup was won by Norden.",
        "The 2018 final of the regional cup was won by Sanden.",
    ),
    ("entity", "機房的主要供電來自上海電網。", "机房的主要供电来自南京电网。"),
    # choice
    ("choice", "For the message queue we chose Kafka.", "For the message queue we chose RabbitMQ."),
    ("choice", "消息队列最终选用 Kafka。", "消息队列最终选用 RabbitMQ。"),
    ("choice", "The web client is built using Svelte.", "The web client is built using React."),
    ("choice", "报表服务采用 Postgres 存储数据。", "报表服务采用 MySQL 存储数据。"),
    # owner
    ("owner", "The payment module is owned by Alice.", "The payment module is owned by Bob."),
    ("owner", "支付模块由张伟负责。", "支付模块由李娜负责。"),
    ("owner", "Carol is responsible for the release notes.", "Dave is responsible for the release notes."),
    ("owner", "前台的对接人是陈静。", "前台的对接人是刘洋。"),
    # quantifier
    ("quantifier", "All backups are encrypted with the team key.", "Some backups are encrypted with the team key."),
    ("quantifier", "所有备份都用团队密钥加密。", "部分备份用团队密钥加密。"),
    ("quantifier", "Editors can publish the article.", "Only editors can publish the article."),
    ("quantifier", "Every test in the suite passes.", "Most tests in the suite pass."),
    # order
    ("order", "Run the linter before the tests.", "Run the tests before the linter."),
    ("order", "先备份再升级。", "先升级再备份。"),
    ("order", "The parser calls the loader.", "The loader calls the parser."),
    ("order", "甲方案的成本高于乙方案。", "乙方案的成本高于甲方案。"),
    # across languages, where numbers and dates are all that is said of the same name
]

NO_CONFLICT = [
    # other scope, environment, project, place, person
    ("scope", "In production the pool has 20 connections.", "In staging the pool has 5 connections."),
    ("scope", "生产环境的连接池是 20 个。", "测试环境的连接池是 5 个。"),
    ("scope", "Project Alpha uses port 8080.", "Project Beta uses port 9090."),
    ("scope", "项目甲的预算是 30 万元。", "项目乙的预算是 50 万元。"),
    ("scope", "On Linux the path has 255 characters.", "On Windows the path has 260 characters."),
    ("place", "The office in Berlin opens at 8:00.", "The office in Madrid opens at 9:00."),
    ("place", "北京办公室八点开门。", "上海办公室九点开门。"),
    ("person", "Alice weighs 62 kg.", "Bob weighs 80 kg."),
    ("person", "小王每天跑 5 公里。", "小李每天跑 10 公里。"),
    ("person", "Alice likes strong coffee.", "Bob likes strong coffee."),
    # plan and outcome
    ("plan", "We plan to release 12 reports this year.", "We released 9 reports this year."),
    ("plan", "计划本季度招聘 12 人。", "本季度招聘 9 人。"),
    ("plan", "The launch is expected on 3 May 2024.", "The launch took place on 9 May 2024."),
    # dated records of a series
    ("series", "2024-05-01: 体重 71 公斤", "2024-05-08: 体重 70 公斤"),
    ("series", "On 2024-05-01 the disk was 40% full.", "On 2024-06-01 the disk was 55% full."),
    ("series", "2023 年营收 300 万元。", "2024 年营收 420 万元。"),
    # a stated exception
    ("exception", "All services restart at night except the gateway.", "The gateway does not restart at night."),
    ("exception", "除了周三，每天都开门。", "周三不开门。"),
    # equal in other words or units
    ("equal", "The index takes 1.5 GB.", "The index takes 1536 MB."),
    ("equal", "The timeout is 30 s.", "The timeout is 30,000 ms."),
    ("equal", "超时是 30 秒。", "超时是三十秒。"),
    ("equal", "大厅可容纳一千人。", "大厅可容纳 1000 人。"),
    ("equal", "Half of the pages are translated.", "50% of the pages are translated."),
    ("equal", "一半的页面已翻译。", "50% 的页面已翻译。"),
    ("equal", "The hike is 10 km long.", "The hike is 10,000 m long."),
    ("equal", "The shop opened on 15 November 2020.", "The shop opened on November 15, 2020."),
    ("equal", "会议在 2024 年 3 月 5 日举行。", "会议在 2024-03-05 举行。"),
    ("equal", "The sale starts at 3 pm.", "The sale starts at 15:00."),
    # quotation, hypothesis, question, code
    ("quotation", 'Tom said: "the valve is rated for 40 bar".', 'Ann said: "the valve is rated for 60 bar".'),
    ("quotation", "老周说：“阀门的额定压力是 40 巴”。", "老吴说：“阀门的额定压力是 60 巴”。"),
    ("hypothesis", "If the queue holds 100 jobs, we add a worker.", "If the queue holds 500 jobs, we add a worker."),
    ("hypothesis", "如果队列超过 100 个，就扩容。", "如果队列超过 500 个，就扩容。"),
    ("hypothesis", "Perhaps the meeting moves to room 4.", "Perhaps the meeting moves to room 5."),
    ("question", "Is the limit 40 users?", "Is the limit 60 users?"),
    ("question", "上限是 40 人吗？", "上限是 60 人吗？"),
    ("code", "`timeout = 30`", "`timeout = 60`"),
    ("code", "retry(3, 200);", "retry(5, 200);"),
    # lists
    ("list", "We use Redis.", "We use Kafka."),
    ("list", "苹果", "香蕉"),
    ("list", "- buy milk", "- buy bread"),
    # a more precise value
    ("precise", "The tank holds about 30 litres.", "The tank holds 29.8 litres."),
    ("precise", "水箱约 30 升。", "水箱 29.8 升。"),
    ("precise", "The lease ends in May 2025.", "The lease ends on 31 May 2025."),
    ("precise", "合同 2025 年到期。", "合同 2025 年 5 月到期。"),
    ("precise", "At least 10 people came to the talk.", "14 people came to the talk."),
    # alias, wider word, paraphrase, addition
    ("alias", "The report was sent to the United Nations.", "The report was sent to the UN."),
    ("wider", "会议室在三楼东侧。", "会议室在三楼。"),
    ("addition", "The library opens at nine.", "The library opens at nine on the ground floor."),
    ("addition", "导出支持表格。", "导出支持表格和文档。"),
    ("twice", "The door is not open.", "The door is closed."),
    ("twice", "门没有打开。", "门关闭了。"),
    ("unrelated", "The museum has 40 rooms.", "The tram leaves every 10 minutes."),
    ("unrelated", "博物馆有四十个展厅。", "电车每十分钟一班。"),
    ("double", "The gate cannot be left unlocked.", "The gate cannot be left unlocked at night."),
    ("words", "这个方法不仅快，而且省。", "这个方法快，而且省。"),
]


@pytest.mark.parametrize(("kind", "a", "b"), CONFLICTS)
def test_a_conflict_is_found_and_named(kind: str, a: str, b: str) -> None:
    for one, two in ((a, b), (b, a)):
        verdict = judge(read_claim(one), read_claim(two))
        assert (verdict.conflict, verdict.kind) == (True, kind), verdict
        assert verdict.ruling == "dispute", "without a slot nothing is superseded"
        assert verdict.reason and verdict.reason_zh


@pytest.mark.parametrize(("why", "a", "b"), NO_CONFLICT)
def test_what_can_both_be_true_is_none(why: str, a: str, b: str) -> None:
    for one, two in ((a, b), (b, a)):
        verdict = judge(read_claim(one), read_claim(two))
        assert not verdict.conflict, (why, verdict)


def test_every_kind_has_cases() -> None:
    assert {kind for kind, *_ in CONFLICTS} == set(CONFLICT_KINDS)
    assert len(CONFLICTS) + len(NO_CONFLICT) >= 80


# --- across languages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("Orion 2 was released on 3 May 2021.", "Orion 2 于 2020 年 5 月 3 日发布。", "date"),
        ("Orion 2 was released on 3 May 2021.", "Orion 2 于 2021 年 5 月 3 日发布。", None),
        ("《北岸》的导演是李岚。", "《北岸》由王岳执导。", "entity"),
        ("《北岸》的导演是李岚。", "《北岸》由李岚执导。", None),
    ],
)
def test_dates_and_names_meet_across_languages_and_wordings(a: str, b: str, kind: str | None) -> None:
    verdict = judge(read_claim(a), read_claim(b))
    assert (verdict.kind if verdict.conflict else None) == kind


# --- slots and rulings ------------------------------------------------------------------------------------------------


FACT = Fact(
    id=FactId("f_0"),
    fact="",
    source="a.md",
    line=1,
    quote="",
    note_hash="",
    type="constraint",
    recorded_at="2024-01-01T00:00:00Z",
    subject="Gateway",
    attribute="rate limit",
)


def slot(text: str, value: str, *, single_valued: bool = True, **more: Any) -> Claim:
    """A claim in the slot (Gateway, rate limit)."""
    fact = replace(FACT, fact=text, quote=text, value=value)
    return replace(in_slot(read_claim(text), fact, single_valued=single_valued), **more)


def test_the_later_value_of_a_slot_supersedes() -> None:
    old = slot("The gateway allows 100 requests.", "100 requests", valid_from="2024-01-05")
    new = slot("Requests at the gateway: 200 now.", "200 requests", valid_from="2024-06-01")
    verdict = judge(old, new)
    assert (verdict.conflict, verdict.kind, verdict.ruling) == (True, "number", "supersede")
    assert "200 requests" in verdict.reason.split("replaces")[0]
    assert "取代" in verdict.reason_zh


@pytest.mark.parametrize(
    "text",
    [
        "The gateway now uses a limit of 200 requests.",
        "网关改为 200 个请求。",
        "后来换成 200 个请求。",
        "We switched to 200 requests.",
    ],
)
def test_a_change_marker_supersedes_without_dates(text: str) -> None:
    old, new = slot("The gateway allows 100 requests.", "100"), slot(text, "200")
    for verdict in (judge(old, new), judge(new, old)):
        assert verdict.ruling == "supersede"
        assert verdict.reason.startswith("“200”")


def test_without_a_later_day_or_marker_a_slot_is_disputed() -> None:
    a, b = slot("The gateway allows 100 requests.", "100"), slot("200 is what the gateway takes.", "200")
    assert judge(a, b).ruling == "dispute"
    assert judge(replace(a, date="2024-01-01"), replace(b, date="2024-01-01")).ruling == "dispute"


def test_a_marker_in_the_older_claim_leaves_it_open() -> None:
    a = slot("We switched to 100 requests.", "100", valid_from="2024-01-01")
    b = slot("The gateway takes 200.", "200", valid_from="2024-05-01")
    assert judge(a, b).ruling == "dispute"


def test_the_same_value_merges() -> None:
    a, b = slot("The gateway allows 1.5 GB.", "1.5 GB"), slot("网关上限 1536 MB。", "1536 MB")
    verdict = judge(a, b)
    assert (verdict.conflict, verdict.ruling) == (False, "merge")


def test_an_attribute_with_several_values_is_not_superseded() -> None:
    a = slot("The gateway is used by Sales.", "Sales", single_valued=False, valid_from="2024-01-01")
    b = slot("Legal sits behind the gateway.", "Legal", single_valued=False, valid_from="2024-02-01")
    assert not judge(a, b).conflict


@pytest.mark.parametrize("field", ["scope", "project"])
def test_another_scope_or_project_is_another_slot(field: str) -> None:
    a, b = slot("The limit is 100 requests.", "100"), slot("The limit is 200 requests.", "200")
    assert not judge(replace(a, **{field: "alpha"}), replace(b, **{field: "beta"})).conflict


def test_disjoint_validity_is_no_conflict() -> None:
    a = slot("The limit is 100 requests.", "100", valid_from="2023-01-01", valid_to="2023-12-31")
    b = slot("The limit is 200 requests.", "200", valid_from="2024-01-01")
    assert not judge(a, b).conflict
    assert not judge(b, a).conflict


def test_records_of_different_days_are_no_conflict() -> None:
    a = replace(read_claim("The water level is 40 cm."), record=True, date="2024-01-01")
    b = replace(read_claim("The water level is 55 cm."), record=True, date="2024-01-02")
    assert not judge(a, b).conflict
    assert judge(a, replace(b, date="2024-01-01")).conflict


@pytest.mark.parametrize("key", ["source", "id", "uid"])
def test_bookkeeping_is_never_evidence(key: str) -> None:
    a = replace(read_claim("abc-1"), subject="Note", attribute=key, value="abc-1")
    b = replace(read_claim("abc-2"), subject="Note", attribute=key, value="abc-2")
    assert not judge(a, b).conflict
    assert candidates([replace(a, note="a.md"), replace(b, note="b.md")]) == []


# --- nearness ---------------------------------------------------------------------------------------------------------


def test_spans_close_in_meaning_are_a_paraphrase() -> None:
    a, b = read_claim("The heating plan suits the small houses."), read_claim("The heating plan suits the tiny houses.")
    c = read_claim("The heating plan suits the stone houses.")
    near = {frozenset(("small", "tiny")): 0.93, frozenset(("small", "stone")): 0.4}

    def nearness(x: str, y: str) -> float | None:
        return near.get(frozenset((x, y)))

    assert not judge(a, b, nearness).conflict
    assert judge(a, c, nearness).conflict


def test_names_are_not_asked_about() -> None:
    asked: list[tuple[str, str]] = []

    def nearness(x: str, y: str) -> float | None:
        asked.append((x, y))
        return 1.0

    a = read_claim("The annual meeting was held in Lisbon.")
    assert judge(a, read_claim("The annual meeting was held in Porto."), nearness).conflict
    assert asked == []


# --- questions with answers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "conflict"),
    [
        ("问：仓库有窗吗？ 答：有，两扇。", "问：仓库有窗吗？ 答：没有。", True),
        ("Q: Is the archive open? A: Yes, all day.", "Q: Is the archive open? A: No, it is closed.", True),
        ("问：馆里有几个展厅？ 答：五个。", "问：馆里有几个展厅？ 答：八个。", True),
        ("问：馆里有几个展厅？ 答：五个。", "问：馆里有几个展厅？ 答：有 5 个。", False),
        ("问：你喜欢爬山吗？ 答：喜欢。", "问：你讨厌爬山吗？ 答：不讨厌。", False),
        ("问：谁管钥匙？ 答：不知道。", "问：钥匙在谁那里？ 答：不清楚。", False),
    ],
)
def test_a_question_answered_twice(a: str, b: str, conflict: bool) -> None:
    assert judge(read_claim(a), read_claim(b)).conflict is conflict
    assert judge(read_claim(b), read_claim(a)).conflict is conflict


# --- properties -------------------------------------------------------------------------------------------------------

TEXTS = st.sampled_from([text for row in (*CONFLICTS, *NO_CONFLICT) for text in row[1:]]) | st.text(max_size=80)


@given(TEXTS, TEXTS)
def test_the_verdict_does_not_depend_on_the_order(a: str, b: str) -> None:
    one, two = judge(read_claim(a), read_claim(b)), judge(read_claim(b), read_claim(a))
    assert (one.conflict, one.kind, one.score, one.ruling) == (two.conflict, two.kind, two.score, two.ruling)
    assert (one.a_span, one.b_span) == (two.b_span, two.a_span)


@given(TEXTS)
@example("Run the tests before the tests.")
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert not judge(read_claim(text), read_claim(text)).conflict
    assert not judge(read_claim(text), read_claim(f"  {text} ")).conflict


@given(TEXTS, TEXTS)
def test_scores_and_conflicts_go_together(a: str, b: str) -> None:
    verdict = judge(read_claim(a), read_claim(b))
    assert 0.0 <= verdict.score <= 1.0
    assert not verdict.conflict or verdict.score >= CONFLICT_AT
    assert verdict.conflict == (verdict.ruling in ("dispute", "supersede"))


@given(st.integers(1, 28), st.integers(1, 12), st.integers(1950, 2049))
def test_a_day_is_the_same_in_every_spelling(day: int, month: int, year: int) -> None:
    name = "January February March April May June July August September October November December".split()[month - 1]
    spellings = [
        f"{day} {name} {year}",
        f"{name} {day}, {year}",
        f"{name[:3]} {day}, {year}",
        f"{year}-{month:02}-{day:02}",
        f"{year}/{month}/{day}",
        f"{year}年{month}月{day}日",
    ]
    claims = [read_claim(f"The bridge was opened on {spelled}.") for spelled in spellings]
    other = read_claim(f"The bridge was opened on {day} {name} {year + 1}.")
    for claim in claims:
        assert not judge(claims[0], claim).conflict
        verdict = judge(claim, other)
        assert (verdict.conflict, verdict.kind) == (True, "date")


@given(st.integers(2, 9999), st.integers(2, 9999))
def test_numbers_conflict_exactly_when_they_differ(x: int, y: int) -> None:
    a, b = read_claim(f"The hall has {x:,} seats."), read_claim(f"The hall has {y} seats.")
    assert judge(a, b).conflict == (x != y)


@given(st.sampled_from(CONFLICTS), st.sampled_from(["", " Checked by Mia.", " 已核对。"]))
def test_the_same_ending_changes_nothing(case: tuple[str, str, str], ending: str) -> None:
    kind, a, b = case
    verdict = judge(read_claim(a + ending), read_claim(b + ending))
    assert verdict.conflict or kind == "order"


# --- a whole vault ----------------------------------------------------------------------------------------------------


def vault(*texts: str) -> list[Claim]:
    return [read_claim(text, note=f"{number}.md", line=1) for number, text in enumerate(texts)]


def test_the_patrol_finds_a_planted_pair_and_its_witness() -> None:
    claims = vault(
        "The Halden bridge over the Lumen was designed by Ines Carrow in the old harbour.",
        "The Halden bridge over the Lumen was designed by Piet Osman in the old harbour.",
        "Ines Carrow drew the Halden bridge when the harbour at the Lumen was still in use.",
        "The tram to the market leaves every ten minutes.",
    )
    flags = {(f.a, f.b): f.verdict for f in patrol(claims)}
    assert set(flags) == {(0, 1), (1, 2)}
    assert flags[0, 1].kind == flags[1, 2].kind
    assert flags[0, 1].score > flags[1, 2].score


def test_claims_of_one_note_are_not_compared() -> None:
    claims = [read_claim(f"The session limit is {n} users.", note="a.md") for n in (40, 60)]
    assert candidates(claims) == []


def test_a_template_that_fills_a_vault_makes_no_pairs() -> None:
    claims = vault(*(f"Weight today {60 + n % 7} kg." for n in range(COMMON * 4)))
    assert len(candidates(claims)) <= len(claims) * 2


def test_candidates_do_not_depend_on_chance_and_take_neighbours() -> None:
    claims = vault(
        "Quartz clocks keep the observatory in step.", "The observatory uses quartz clocks.", "Nothing here."
    )
    assert candidates(claims) == candidates(list(claims)) == [(0, 1)]
    assert candidates(claims, [(2, 0)]) == [(0, 1), (0, 2)]


def test_a_note_has_few_weak_flags() -> None:
    many = [f"《北岸{n}》与《灯塔》：导演是李岚{'甲乙丙丁戊己庚'[n]}。" for n in range(7)]
    claims = vault("《灯塔》由王岳执导。", *many)
    flags = patrol(claims)
    weak = [f for f in flags if f.verdict.score < 0.8 and 0 in (f.a, f.b)]
    assert len(weak) <= WEAK_PER_NOTE


def test_short_sentences_count_only_in_versions_of_one_paragraph() -> None:
    def note(name: str, port: int, before: str) -> list[Claim]:
        lines = (before, f"Port: {port}")
        return [read_claim(text, note=name, title=name, line=n) for n, text in enumerate(lines, 1)]

    before = "The lantern relay stands on the western quay."
    versions = [*note("a.md", 8080, before), *note("b.md", 8081, before)]
    strangers = [*note("a.md", 8080, before), *note("b.md", 8081, "The printer has a tray of its own.")]
    assert [(f.a, f.b) for f in patrol(versions, [(1, 3)])] == [(1, 3)]
    assert patrol(strangers, [(1, 3)]) == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "The Halden ferry on the Lumen was painted by Ines Carrow.",
            "The Halden ferry on the Lumen was painted by Ines Carow.",
        ),
        (
            "Orders are kept under 318545387 in the harbour ledger.",
            "Orders are kept under 290425801 in the harbour ledger.",
        ),
    ],
)
def test_spellings_and_identifiers_are_no_contradiction(a: str, b: str) -> None:
    assert not judge(read_claim(a), read_claim(b)).conflict


@pytest.mark.parametrize(
    ("attribute", "single"),
    [
        ("rate limit", True),
        ("负责人", True),
        ("The current port", True),
        ("likes", False),
        ("喜欢", False),
        ("uses", False),
    ],
)
def test_only_some_attributes_have_one_value(attribute: str, single: bool) -> None:
    fact = replace(FACT, attribute=attribute, value="Ferns")
    other = replace(FACT, attribute=attribute, value="Mosses")
    a, b = in_slot(read_claim("Ferns, he said once."), fact), in_slot(read_claim("Mosses of the north."), other)
    assert a.single_valued is single
    assert judge(a, b).conflict is single
