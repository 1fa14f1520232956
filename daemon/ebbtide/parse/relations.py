"""Relation words to edge types: the default table, in English and Chinese. Pure.

A word maps to an edge type and whether it is written the other way round (`caused by`: the target is the cause). Words
that are not in the table stay, normalised: `related`, `up` and `tags` are types of their own (design/formats.md 3).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

_BREAKS = re.compile(r"[\s-]+")

_FORWARD: Final[dict[str, str]] = {
    "depends_on": "depends on, depend on, uses, requires, require, needs, need, relies on, builds on, based on,"
    "blocked by,"
    "依赖, 依赖于, 取决于, 需要, 基于, 建立在, 前提, 前提是, 前置, 前置条件, 被阻塞, 受阻于, 依賴, 依賴於, 取決於",
    "causes": "causes, cause of, leads to, lead to, led to, results in, resulted in, triggers, triggered, produces, brings about,"
    "provokes, provoked, gives rise to, sparked, prompts, prompted, forces, forced,"
    "导致, 引起, 造成, 引发, 触发, 带来, 产生, 结果, 结果是, 後果, 后果, 所以, 因此, 導致, 引發, 觸發, 帶來, 產生",
    "contradicts": "contradicts, contradict, conflicts with, conflicts, disagrees with, opposes, refutes, disproves,"
    "矛盾, 相矛盾, 与之矛盾, 冲突, 相冲突, 反对, 反驳, 否定, 推翻, 不一致, 衝突, 反對, 反駁",
    "supports": "supports, support, confirms, backs, evidence for, corroborates, proves, validates, in favour of,"
    "支持, 支撑, 证明, 印证, 佐证, 证实, 验证, 支撐, 證明, 印證, 佐證, 證實, 驗證",
    "supersedes": "supersedes, supersede, replaces, replace, obsoletes, deprecates, succeeds,"
    "取代, 替代, 替换, 代替, 废弃, 接替, 取代了, 替換, 廢棄",
    "part_of": "part of, belongs to, is part of, member of, component of, in project, parent, up project, subset of,"
    "属于, 隶属于, 隶属, 是一部分, 组成部分, 归属, 所属, 上级, 所属项目, 屬於, 隸屬於, 組成部分, 歸屬, 所屬",
}
_INVERSE: Final[dict[str, str]] = {
    "depends_on": "required by, needed by, used by, blocks, dependency of, enables, prerequisite of,"
    "被依赖, 被需要, 被使用, 阻塞, 是前提, 被依賴",
    "causes": "caused by, because of, because, due to, result of, results from, triggered by, cause, reason, why, provoked by, prompted by,"
    "forced by, sparked by, brought about by,"
    "因为, 由于, 原因, 起因, 成因, 根因, 源于, 源自, 起因于, 由此引起, 由…引起, 由…导致, 导致原因, 因為, 由於, 源於",
    "contradicts": "contradicted by, refuted by, disproved by, opposed by, 被反驳, 被否定, 被推翻, 被反駁",
    "supports": "supported by, confirmed by, evidence, backed by, proved by, validated by,"
    "证据, 依据, 被支持, 被证实, 被证明, 由…支持, 證據, 依據, 被證實, 被證明",
    "supersedes": "superseded by, replaced by, obsoleted by, deprecated by, succeeded by,"
    "被取代, 被替代, 被替换, 被…取代, 被…替代, 被…替换, 由…取代, 被废弃, 取代者, 替代者, 后继, 被替換, 被廢棄, 後繼",
    "part_of": "has part, consists of, contains, includes, has member, children, child, comprises,"
    "包含, 包括, 组成, 含有, 由…组成, 下级, 子项, 子项目, 組成",
}


def normalise_relation(word: str) -> str:
    """NFC, trimmed, lower case, spaces and hyphens to `_`; without the colons of an inline field written among properties."""
    return _BREAKS.sub("_", unicodedata.normalize("NFC", word).strip().rstrip(":：").rstrip().lower())


def _table() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for words_of, inverse in ((_FORWARD, False), (_INVERSE, True)):
        for kind, words in words_of.items():
            for word in map(normalise_relation, words.split(",")):
                table.setdefault(word, (kind, inverse))
                # `dependsOn` as people write it in properties.
                table.setdefault(word.replace("_", ""), (kind, inverse))
    table.pop("", None)
    return table


RELATIONS: Final[Mapping[str, tuple[str, bool]]] = _table()
"""Normalised word to (edge type, written the other way round)."""


def relation_table(synonyms: Mapping[str, str]) -> Mapping[str, tuple[str, bool]]:
    """The default table with a person's own words over it; the default table itself if there are none.

    `synonyms` maps words as written to edge types. A word that the defaults know keeps its direction; of others, those
    that are written as a passive ("driven by", 被…) are the other way round.
    """
    if not synonyms:
        return RELATIONS
    table = dict(RELATIONS)
    for written, kind in synonyms.items():
        word = normalise_relation(written)
        inverse = RELATIONS[word][1] if word in RELATIONS else word.endswith("_by") or word.startswith("被")
        table[word] = (kind, inverse)
        table.setdefault(word.replace("_", ""), (kind, inverse))
    return table


def relation_type(relation: str | None, table: Mapping[str, tuple[str, bool]] = RELATIONS) -> tuple[str, bool]:
    """Edge type of a relation word and whether it is inverse. No relation is `mentioned`; unknown words are kept.

    A word of the table with `…` stands for all words that begin and end so (`被…取代`: `被新方案取代`).
    """
    word = normalise_relation(relation) if relation is not None else ""
    if not word:
        return "mentioned", False
    known = table.get(word)
    if known is None and not word.isascii():
        for pattern, meaning in table.items():
            begin, gap, end = pattern.partition("…")
            if gap and word.startswith(begin) and word.endswith(end):
                return meaning
    return known if known is not None else (word, False)
