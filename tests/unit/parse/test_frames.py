"""Frames: the regression set (written for this project), the split of a change, structure, queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.frames import frame, query_frame, split_change, structural_frame

SENTENCES = [
    # historical, Chinese
    ("我们曾经用 MySQL 存订单", "historical"),
    ("这个接口已废弃", "historical"),
    ("旧版的登录流程要输两次密码", "historical"),
    ("早期的部署全靠手工", "historical"),
    ("数据库以前用 MySQL", "historical"),
    ("他以前是产品经理", "historical"),
    ("我们以前都在周五发布", "historical"),
    ("当时的方案是每晚全量同步", "historical"),
    ("老方案把索引放在仓库里", "historical"),
    ("那时候团队只有三个人", "historical"),
    ("旧的缓存服务已下线", "historical"),
    ("報表系統已被新的取代", "historical"),
    ("之前用过 Redis 做队列", "historical"),
    ("支付网关一度由外包团队维护", "historical"),
    ("2024 年用的是 Elasticsearch", "historical"),
    ("原来试过每小时备份一次", "historical"),
    # historical, English
    ("The v1 endpoint is deprecated", "historical"),
    ("We used to deploy by hand every Friday", "historical"),
    ("The old scheduler was formerly owned by the data team", "historical"),
    ("Back then the office had two rooms", "historical"),
    ("This page describes the legacy importer", "historical"),
    ("The 2019 plan was superseded", "historical"),
    ("Until 2021 the site ran on PHP, was using a shared host", "historical"),
    # change
    ("后来改成每天一次", "change"),
    ("数据库换成 PostgreSQL", "change"),
    ("以前用 MySQL，后来改用 PostgreSQL", "change"),
    ("日志迁移到了对象存储", "change"),
    ("发布日从周五改到周三", "change"),
    ("We switched from npm to pnpm", "change"),
    ("Jenkins was replaced by GitHub Actions", "change"),
    ("The team moved to a four-day week", "change"),
    ("預算從三千調整到五千", "change"),
    ("The meeting was postponed to Thursday", "change"),
    # current
    ("现在用 PostgreSQL", "current"),
    ("目前由李雷负责支付模块", "current"),
    ("新版本已经上线了", "current"),
    ("上线之前都要跑一遍回归测试", "current"),
    ("合并以前必须有两个人评审", "current"),
    ("三点以前要交周报", "current"),
    ("睡觉之前喝一杯温水", "current"),
    ("我们不再支持 Python 3.8", "current"),
    ("不要再用已废弃的脚本", "current"),
    ("禁止调用旧版接口", "current"),
    ("这个接口没有废弃", "current"),
    ("他说“以前都用 MySQL”很可笑", "current"),
    ("运行 `legacy-import` 即可导入", "current"),
    ("我喜欢在早上写代码", "current"),
    ("超过三次就锁定账号", "current"),
    ("通过内网访问数据库", "current"),
    ("以前用过 Redis，现在只用内存缓存", "current"),
    ("原来如此，配置要放在根目录", "current"),
    ("We no longer use Redis", "current"),
    ("Do not use the deprecated endpoint", "current"),
    ("The API is not deprecated", "current"),
    ("This tool is used to build images", "current"),
    ("I am used to working at night", "current"),
    ("We used to run Jenkins, but now everything runs on Actions", "current"),
    ("The parser reads one file at a time", "current"),
    ("As of March the limit is 500 requests", "current"),
    ("You must never call the legacy API", "current"),
    ("She painted a lake last year", "current"),
    # plan
    ("下周要发布 2.0", "plan"),
    ("我打算周末去爬山", "plan"),
    ("计划在年底前完成迁移", "plan"),
    ("新办公室即将启用", "plan"),
    ("預計三月上線", "plan"),
    ("接下来会重写导入模块", "plan"),
    ("We plan to add dark mode", "plan"),
    ("I'm going to visit Kyoto in May", "plan"),
    ("The launch is scheduled for 3 June", "plan"),
    ("We will migrate next quarter", "plan"),
    ("I'll call the landlord tomorrow", "plan"),
    # traps
    ("原计划三月上线", "current"),
    ("根据该计划，预算不变", "current"),
    ("这些文件必须在会前一天发出", "current"),
    ("过期的令牌会被拒绝", "current"),
    ("不过效果很好", "current"),
]

QUERIES = [
    ("以前是怎么做备份的", "historical"),
    ("上次为什么失败", "historical"),
    ("当初为什么选 MySQL", "historical"),
    ("之前用什么框架", "historical"),
    ("What did we use before the switch?", "historical"),
    ("How did we use to deploy?", "historical"),
    ("history of the pricing", "historical"),
    ("上线之前要做什么", "current"),
    ("现在用什么数据库", "current"),
    ("数据库是什么", "current"),
    ("Which database do we use?", "current"),
    ("What must be done before a release?", "current"),
    ("下周要做什么", "plan"),
    ("What are the plans for next month?", "plan"),
]


@pytest.mark.parametrize(("sentence", "expected"), SENTENCES)
def test_sentence(sentence: str, expected: str) -> None:
    assert frame(sentence, written="2026-11-30") == expected


@pytest.mark.parametrize(("query", "expected"), QUERIES)
def test_query(query: str, expected: str) -> None:
    assert query_frame(query) == expected


def test_the_set_is_large_enough() -> None:
    assert len(SENTENCES) >= 60


def test_a_year_is_past_only_for_one_who_writes_later() -> None:
    assert frame("2024 年用的是 MySQL", written="2024-05-01") == "current"
    assert frame("2024 年用的是 MySQL") == "current"


def test_a_change_splits_into_what_was_and_what_is() -> None:
    sentence = "以前用 MySQL 存订单，后来改用 PostgreSQL"
    parts = split_change(sentence)
    assert parts is not None
    assert [sentence[a:b] for a, b in parts] == ["以前用 MySQL 存订单", "后来改用 PostgreSQL"]
    assert split_change("数据库换成 PostgreSQL") is None


def test_structure_needs_no_text() -> None:
    assert structural_frame({"status": "Archived"}) == "historical"
    assert structural_frame({"superseded_by": "[[New]]"}) == "historical"
    assert structural_frame({"valid_to": "2025-01-01"}, today="2026-01-01") == "historical"
    assert structural_frame({"valid_to": "2027-01-01"}, today="2026-01-01") is None
    assert structural_frame({"status": "active"}) is None


@given(st.text(alphabet=st.sampled_from('以前之过已改用 MySQL,，。now usedto是都不再"“”`')))
def test_anything_has_a_frame(text: str) -> None:
    assert frame(text) in {"current", "historical", "change", "plan"}
    assert query_frame(text) in {"current", "historical", "plan"}
    parts = split_change(text)
    assert parts is None or parts[0][1] <= parts[1][0]
