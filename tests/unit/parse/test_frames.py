"""Frames: the regression set (written for this project), the split of a change, structure, queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.parse.frames import frame, past_after, query_frame, split_change, structural_frame, text_frame

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


MORE = [
    ("支付接口已经上线了", "current"),
    ("文档已经翻译完了", "current"),
    ("我们已经搬到新办公室了", "current"),
    ("合同已经签好了", "current"),
    ("上线之前必须跑一遍压测", "current"),
    ("发版以前要通知客服", "current"),
    ("合并之前先 rebase", "current"),
    ("五点以前把报表发出来", "current"),
    ("开会之前请读完材料", "current"),
    ("睡前一小时不看屏幕", "current"),
    ("入职之前需要体检", "current"),
    ("到期之前要续费", "current"),
    ("关机之前保存文件", "current"),
    ("Back up the database before you upgrade", "current"),
    ("Run the tests before merging", "current"),
    ("我们不再使用 Jenkins", "current"),
    ("服务器再也不用手工重启", "current"),
    ("We no longer ship a 32-bit build", "current"),
    ("The cron job is not needed anymore", "current"),
    ("不要再用已废弃的脚本部署", "current"),
    ("禁止引用旧版接口", "current"),
    ("请勿使用已下线的域名", "current"),
    ("别再把数据写进旧系统", "current"),
    ("Do not call the deprecated endpoint", "current"),
    ("Never use the legacy importer", "current"),
    ("Avoid the old approach when writing new modules", "current"),
    ("You must not restore the obsolete config", "current"),
    ("这个接口并没有废弃", "current"),
    ("该方案尚未被取代", "current"),
    ("旧流程还没有下线", "current"),
    ("The v1 API is not yet deprecated", "current"),
    ("It has never been superseded", "current"),
    ("面试官问他“以前都用什么数据库”", "current"),
    ("执行 `drop legacy_table` 之后刷新缓存", "current"),
    ('The page says "this was formerly the admin panel"', "current"),
    ("书名是《曾经沧海》", "current"),
    ("当时规定所有提交必须两人评审", "historical"),
    ("早期要求每个人必须周五提交周报", "historical"),
    ("那时候不允许远程办公", "historical"),
    ("曾经禁止在工作日发布", "historical"),
    ("Back then every release must be approved by two people", "historical"),
    ("以前都必须手工审批", "historical"),
    ("We used to never deploy on Fridays", "historical"),
    ("我们早年用 SVN 管代码", "historical"),
    ("他一度想放弃这个项目", "historical"),
    ("旧版的导出按钮在右上角", "historical"),
    ("这个域名已停用", "historical"),
    ("2019 年用的是 Hadoop", "historical"),
    ("团队以前一直在周三开例会", "historical"),
    ("以前的网关是 Nginx", "historical"),
    ("从前备份都刻成光盘", "historical"),
    ("这套规则已作废", "historical"),
    ("原来用的是 Kafka", "current"),
    ("最初的设计是单体应用", "current"),
    ("The billing service formerly ran on Perl", "historical"),
    ("In the early days we kept everything in one file", "historical"),
    ("The old plan was abandoned in May", "historical"),
    ("That endpoint was removed last year", "historical"),
    ("Previously the limit was 50 requests", "historical"),
    ("Originally we stored sessions in files", "historical"),
    ("The server was decommissioned", "historical"),
    ("This approach is outdated", "historical"),
    ("从 3 月起改为每周发布", "change"),
    ("后来我们把网关换成了 Envoy", "change"),
    ("部署从手工改成自动", "change"),
    ("We moved from Slack to Matrix", "change"),
    ("Redis was replaced with Valkey", "change"),
    ("起初用 cron，后来改用 Airflow", "change"),
    ("现在由小林负责值班", "current"),
    ("目前每周二发布", "current"),
    ("如今改由平台组维护", "change"),
    ("现行制度是每季度复盘", "current"),
    ("网关使用 Envoy", "current"),
    ("As of June the quota is 20 GB", "current"),
    ("Currently the on-call rotation is weekly", "current"),
    ("以前用 Jenkins，现在用 GitHub Actions", "current"),
    ("我们用过很多工具，目前只留下 Make", "current"),
    ("The team used to meet daily but now meets weekly", "current"),
    ("下个月要上线新版登录", "plan"),
    ("打算把日志迁移到 Loki", "plan"),
    ("We are going to drop Python 3.9 next year", "plan"),
    ("历史记录保留 90 天", "current"),
    ("请保留旧版本的兼容层", "current"),
    ("过去 30 天的错误率是 0.2%", "current"),
    ("最初的三分钟最关键", "current"),
    ("原来他是医生", "current"),
    ("旧金山的天气很凉", "current"),
    ("本来就应该这样", "current"),
    ("He is used to early meetings", "current"),
    ("The cache is used to speed up lookups", "current"),
    ("早期版本必须升级", "current"),
    ("不要再像早期那样手工部署", "current"),
]
MORE_QUERIES = [
    ("以前怎么部署的", "historical"),
    ("上次发版出了什么问题", "historical"),
    ("当初为什么不用 Kafka", "historical"),
    ("上周谁值班", "historical"),
    ("旧方案是什么", "historical"),
    ("曾经用过哪些数据库", "historical"),
    ("现在怎么部署", "current"),
    ("合并之前要做什么", "current"),
    ("发布以前需要通知谁", "current"),
    ("部署流程是什么", "current"),
    ("How did we deploy before?", "historical"),
    ("What did the old process look like?", "historical"),
    ("Which database did we originally use?", "historical"),
    ("history of our CI", "historical"),
    ("What was the limit last year?", "historical"),
    ("What is the limit now?", "current"),
    ("How do we deploy?", "current"),
    ("What should I check before a release?", "current"),
    ("下个月有什么计划", "plan"),
    ("What are we going to ship next month?", "plan"),
    ("最早用的是什么工具", "historical"),
    ("早些年是谁负责的", "historical"),
    ("之前的网关是哪个", "historical"),
    ("2019 年用的什么框架", "historical"),
    ("What was used back in 2019?", "historical"),
    ("过去30天的错误率", "current"),
    ("为什么当时选了 Vue", "historical"),
    ("What was our policy at that time?", "historical"),
    ("Why did we choose Vue back then?", "historical"),
    ("现在还用以前的网关吗", "current"),
]

TEXTS = [
    ("部署早期靠手工。每周五打包，上传到 FTP。", "", "historical"),
    ("现在由 CI 自动发布。以前都是手工上传。", "现在由 CI 自动发布。", "current"),
    ("现在由 CI 自动发布。以前都是手工上传。", "以前都是手工上传。", "historical"),
    ("旧版登录流程\n当时要输两次密码。目前的流程见另一篇。", "", "historical"),
    ("早期用 Jenkins。去年改用 GitHub Actions。", "", "change"),
    ("The kettle holds two litres. It is made of steel.", "", "current"),
    ("We used to sync at night. Back then it took an hour. Now it is live.", "It took an hour.", "historical"),
    ("", "", "current"),
]


@pytest.mark.parametrize(("text", "focus", "expected"), TEXTS)
def test_a_text_of_several_sentences(text: str, focus: str, expected: str) -> None:
    assert text_frame(text, focus) == expected


def test_properties_say_from_when_a_note_tells_of_the_past() -> None:
    assert past_after({"superseded_by": "[[New]]"}) == past_after({"状态": "已废弃"}) == ""
    assert past_after({"valid_to": "2025-01-01"}) == "2025-01-01"
    assert past_after({"valid_to": "soon", "status": "active"}) is None


@pytest.mark.parametrize(("sentence", "expected"), [*SENTENCES, *MORE])
def test_sentence(sentence: str, expected: str) -> None:
    assert frame(sentence, written="2026-11-30") == expected


@pytest.mark.parametrize(("query", "expected"), [*QUERIES, *MORE_QUERIES])
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
