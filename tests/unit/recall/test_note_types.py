"""Types of notes in the words of users, and which of them a question wants."""

from __future__ import annotations

import pytest

from ebbtide.recall.note_types import note_type, wanted_type
from ebbtide.recall.route import route


@pytest.mark.parametrize(
    ("spelled", "type_"),
    [
        ("decision", "decision"), ("决策", "decision"), ("ADR", "decision"), ("How-To", "procedure"), ("流程", "procedure"),
        ("偏好", "preference"), ("指标", "metric"), ("postmortem", "lesson"), ("资料", "reference"), ("提案", "plan"),
        ("episodic", None), ("semantic", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_what_users_call_a_type(spelled: str | None, type_: str | None) -> None:
    assert note_type(spelled) == type_


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("what did we decide about the cache", "decision"), ("缓存最后敲定了哪种", "decision"),
        ("what went wrong with the cache", "lesson"), ("缓存出过什么事故", "lesson"),
        ("how do I change the cache", "procedure"), ("缓存怎么换", "procedure"), ("which one do I prefer", "preference"),
        ("我更愿意用哪个", "preference"), ("how long does it take", "metric"), ("平均几块钱", "metric"),
        ("who looks after the cache", "reference"), ("缓存放在哪里", "reference"), ("tell me of the cache", None),
    ],
)  # fmt: skip
def test_what_a_question_wants(query: str, wanted: str | None) -> None:
    assert wanted_type(query, route(query).type) == wanted
