"""Why a note is, or is not, among the answers to a question: step by step, in the asker's language, with each part of its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ebbtide.index.rows import FileRow
from ebbtide.memory.revisions import Standing
from ebbtide.memory.states import Lang
from ebbtide.parse.text import language
from ebbtide.recall.candidates import folder
from ebbtide.recall.compose import ended_reason
from ebbtide.recall.engine import Engine
from ebbtide.recall.ranking import NOTES_RANKED, Question, Ranking, after
from ebbtide.recall.weighing import ended

PLENTY: Final = 1_000_000
"""Tokens with which nothing is lost to the budget."""
MANY: Final = 100
NEAREST: Final = 3
CHANNELS: Final = ("keyword", "vector", "graph")

_SAID: Final[Mapping[str, Mapping[Lang, str]]] = {
    "known": {"en": "the note is known", "zh": "这篇笔记在库中"},
    "unknown": {"en": "there is no such note", "zh": "没有这篇笔记"},
    "nearest": {"en": "there is no such note; nearest: {names}", "zh": "没有这篇笔记；名称最接近的是：{names}"},
    "indexed": {"en": "indexed", "zh": "已索引"},
    "private": {
        "en": "indexed; private: it answers here and is never sent",
        "zh": "已索引；私密：只在本机回答，从不外发",
    },
    "not_indexed": {"en": "not indexed: {status}{reason}", "zh": "未索引：{status}{reason}"},
    "skipped": {"en": "skipped", "zh": "已跳过"},
    "failed": {"en": "failed to be read", "zh": "读取失败"},
    "pending": {"en": "waiting", "zh": "等待处理"},
    "not_note": {"en": "it is no note", "zh": "它不是笔记"},
    "in_scope": {"en": "lies in {scope}", "zh": "在 {scope} 之内"},
    "out_of_scope": {"en": "lies outside {scope}", "zh": "在 {scope} 之外"},
    "in_time": {"en": "not dated after {day}", "zh": "日期不晚于 {day}"},
    "later": {"en": "dated {date}, after {day}", "zh": "日期为 {date}，晚于 {day}"},
    "itself": {"en": "it is the note that was looked at", "zh": "它就是所看的那篇笔记"},
    "linked": {
        "en": "a link leads from one note to the other, and what is linked is left out",
        "zh": "两篇笔记之间有链接，而有链接的笔记不显示",
    },
    "apart": {"en": "it is another note, and no link leaves it out", "zh": "它是另一篇笔记，没有因链接而不显示"},
    "fits": {"en": "it, or a fact in it, is a {type}", "zh": "它或其中的事实属于 {type}"},
    "unfit": {
        "en": "neither it ({own}) nor a fact found in it is a {type}",
        "zh": "它（{own}）和其中找到的事实都不属于 {type}",
    },
    "holds": {"en": "holds", "zh": "有效"},
    "put_away": {
        "en": "{state}: it answers only with --include {state}",
        "zh": "{word}：加上 --include {state} 才会作答",
    },
    "facts_away": {"en": "; of its facts do not answer: {counts}", "zh": "；其中不作答的事实：{counts}"},
    "found_by": {"en": "rank {rank}, score {score}", "zh": "第 {rank} 位，得分 {score}"},
    "not_found_by": {"en": "did not find it", "zh": "没有找到它"},
    "left_out": {"en": "was left out: {why}", "zh": "未使用：{why}"},
    "no_channel": {"en": "no way of looking found it", "zh": "任何途径都没有找到它"},
    "relevant": {"en": "relevance {R:.2f}, at least {least:.2f}", "zh": "相关度 {R:.2f}，达到 {least:.2f}"},
    "weak": {"en": "relevance {R:.2f} is below {least:.2f}", "zh": "相关度 {R:.2f}，低于 {least:.2f}"},
    "place": {"en": "place {rank}, score {S:.2f} = {parts}", "zh": "第 {rank} 位，得分 {S:.2f} = {parts}"},
    "parts": {
        "en": "relevance {R:.2f}, freshness {F:.2f}, importance {I:.2f}, warmth {W:.2f} ({word}), use {B:.2f}{gate}",
        "zh": "相关度 {R:.2f}，新鲜度 {F:.2f}，重要度 {I:.2f}，温度 {W:.2f}（{word}），使用 {B:.2f}{gate}",
    },
    "gate": {"en": " (withdrawn: it tells of another time)", "zh": "（已撤回：所说的时间与问题不符）"},
    "lapse": {"en": "; {lapse:.0%} of it is left: {ended}", "zh": "；只保留其中 {lapse:.0%}：{ended}"},
    "unranked": {"en": "not among the first {many}", "zh": "不在前 {many} 位"},
    "returned": {"en": "{count} of the answer's items", "zh": "答案中有 {count} 条"},
    "budget": {
        "en": "the budget of {budget} tokens was full before it",
        "zh": "{budget} 个 token 的预算在它之前已用完",
    },
    "limit": {"en": "the answer's {count} items were better", "zh": "答案只收 {count} 条，其他的更好"},
    "tail": {
        "en": "its best memory scores {own:.2f}, under {share:.0%} of the best ({best:.2f})",
        "zh": "它最好的一条得分 {own:.2f}，不到最高分（{best:.2f}）的 {share:.0%}",
    },
    "nothing_more": {
        "en": "it says nothing for this that other items do not say, or its words are gone from the note",
        "zh": "它没有说出其他条目之外的内容，或原文已不在笔记里",
    },
    "abstained": {
        "en": "nothing was sure enough: the best relevance is {best:.2f}, and {least:.2f} is needed",
        "zh": "没有足够可靠的记忆：最高相关度 {best:.2f}，需要 {least:.2f}",
    },
    "in_answer": {"en": "It is in the answer.", "zh": "它在答案中。"},
    "stopped": {"en": "It is not in the answer ({step}): {message}.", "zh": "它不在答案中（{step}）：{message}。"},
    "step_exists": {"en": "exists", "zh": "存在"},
    "step_indexed": {"en": "indexed", "zh": "索引"},
    "step_scope": {"en": "scope", "zh": "范围"},
    "step_as_of": {"en": "day", "zh": "日期"},
    "step_beside": {"en": "the other note", "zh": "另一篇笔记"},
    "step_type": {"en": "type", "zh": "类型"},
    "step_state": {"en": "state", "zh": "状态"},
    "step_keyword": {"en": "by its words", "zh": "按字词"},
    "step_vector": {"en": "by meaning", "zh": "按意思"},
    "step_graph": {"en": "by links", "zh": "按链接"},
    "step_found": {"en": "found", "zh": "检索"},
    "step_relevance": {"en": "relevance", "zh": "相关度"},
    "step_ranked": {"en": "ranking", "zh": "排序"},
    "step_returned": {"en": "answer", "zh": "入选"},
    "archived": {"en": "archived", "zh": "已归档"},
    "frozen": {"en": "frozen", "zh": "已冻结"},
    "quarantined": {"en": "quarantined", "zh": "已隔离"},
    "stale": {"en": "superseded", "zh": "已被取代"},
    "candidate": {"en": "candidate", "zh": "候选"},
    "forgotten": {"en": "forgotten", "zh": "已遗忘"},
    "merged": {"en": "merged", "zh": "已合并"},
}
_DECIDES: Final = frozenset(
    ("exists", "indexed", "scope", "as_of", "beside", "type", "state", "found", "relevance", "ranked", "returned")
)
"""Steps that can stop a note; that one channel did not find it stops nothing."""


@dataclass(slots=True)
class _Told:
    """The steps so far."""

    lang: Lang
    steps: list[dict[str, Any]] = field(default_factory=list)

    def say(self, name: str, **values: object) -> str:
        return _SAID[name][self.lang].format(**values)

    def step(self, name: str, passed: bool, message: str) -> bool:
        self.steps.append({"step": name, "title": self.say(f"step_{name}"), "passed": passed, "message": message})
        return passed

    def reason(self) -> str:
        """The verdict: the first step that stopped it."""
        failed = next((s for s in self.steps if not s["passed"] and s["step"] in _DECIDES), None)
        if failed is None:
            return self.say("in_answer")
        return self.say("stopped", step=failed["title"], message=failed["message"])


def explain(
    engine: Engine, question: Question, note: str, file: FileRow | None, near: str | None = None
) -> dict[str, Any]:
    """The answer of POST /v1/explain. `file` is the note's row, None if no such note is known; `near`: the path of the note
    that the question was made of."""
    told = _Told(question.lang or language(question.query))
    rank: int | None = None
    items: list[dict[str, Any]] = []
    returned = False
    if _exists(engine, told, note, file) and file is not None and _indexed(told, file):
        ranking, answer = engine.found(question, hurry=False)
        notes = [path for path in answer["notes"] if path == note]
        rank = answer["notes"].index(note) + 1 if notes else None
        items = [item for item in answer["items"] if item["note"] == note]
        returned = bool(items)
        if _beside(told, question, file, near) and _allowed(engine, told, question, ranking, file):
            _found(engine, told, ranking, file, rank)
            if not items:
                items = _offered(engine, question, note)
            _returned(engine, told, question, ranking, answer, file.row, items)
    return {
        "query": question.query,
        "note": note,
        "found": rank is not None,
        "rank": rank,
        "returned": returned,
        "reason": told.reason(),
        "steps": told.steps,
        "items": items,
    }


def _exists(engine: Engine, told: _Told, note: str, file: FileRow | None) -> bool:
    if file is not None:
        return told.step("exists", True, told.say("known"))
    near = engine.channels.catalog.nearest_notes(note, NEAREST)
    names = ("、" if told.lang == "zh" else ", ").join(near)
    return told.step("exists", False, told.say("nearest", names=names) if near else told.say("unknown"))


def _indexed(told: _Told, file: FileRow) -> bool:
    if file.kind not in ("note", "memory"):
        return told.step("indexed", False, told.say("not_note"))
    if file.status == "indexed":
        return told.step("indexed", True, told.say("private" if file.private else "indexed"))
    status = told.say(file.status) if file.status in _SAID else file.status
    reason = f" ({file.reason})" if told.lang == "en" else f"（{file.reason}）"
    return told.step("indexed", False, told.say("not_indexed", status=status, reason=reason if file.reason else ""))


def _beside(told: _Told, question: Question, file: FileRow, near: str | None) -> bool:
    """Whether the note can stand beside the one that was looked at, if one was."""
    if near is None:
        return True
    kept_out = file.row in question.without
    said = "apart" if not kept_out else "itself" if file.path == near else "linked"
    return told.step("beside", not kept_out, told.say(said))


def _allowed(engine: Engine, told: _Told, question: Question, ranking: Ranking, file: FileRow) -> bool:
    """Whether the question's own limits, and where the note stands, let it answer."""
    within = folder(question.scope)
    if within is not None:
        inside = file.path.startswith(within)
        if not told.step("scope", inside, told.say("in_scope" if inside else "out_of_scope", scope=within)):
            return False
    if question.as_of is not None:
        late = after(file.date, question.as_of)
        said = told.say("later" if late else "in_time", date=file.date, day=question.as_of)
        if not told.step("as_of", not late, said):
            return False
    way = ranking.route
    if way.filters and file.row in ranking.pool.notes:
        kept = file.row in ranking.note_scores
        said = told.say("fits" if kept else "unfit", type=way.type or way.layer, own=file.type or "note")
        if not told.step("type", kept, said):
            return False
    return _state(engine, told, question, file, put_away=file.row in ranking.held.put_away)


def _state(engine: Engine, told: _Told, question: Question, file: FileRow, *, put_away: bool) -> bool:
    catalog = engine.channels.catalog
    own = catalog.standings([file.id]).get(file.id, Standing())
    facts = catalog.standings([ident for _, ident, _ in catalog.facts_of(file.row)])
    counts = Counter(state for standing in facts.values() if (state := _hidden(standing, question)) is not None)
    said = ("，" if told.lang == "zh" else ", ").join(f"{n} {told.say(state)}" for state, n in sorted(counts.items()))
    tail = told.say("facts_away", counts=said) if said else ""
    if not put_away:
        return told.step("state", True, told.say("holds") + tail)
    plain = "stale" if own.state == "stale" else "archived"
    state = "quarantined" if own.state == "quarantined" else "frozen" if own.frozen else plain
    return told.step("state", False, told.say("put_away", state=state, word=told.say(state)) + tail)


def _hidden(standing: Standing, question: Question) -> str | None:
    """Why a fact does not answer by itself, or None."""
    if not standing.there:
        return "forgotten"
    if standing.merged_into is not None:
        return "merged"
    state = "frozen" if standing.frozen else standing.state
    return None if state == "active" or state in question.include else state


def _found(engine: Engine, told: _Told, ranking: Ranking, file: FileRow, rank: int | None) -> None:
    """What each channel, the threshold and the ranking made of it."""
    found = ranking.pool.notes.get(file.row)
    left = dict(ranking.pool.skipped)
    for channel in CHANNELS:
        place = found.evidence.ranks.get(channel) if found is not None else None
        if place is not None:
            told.step(channel, True, told.say("found_by", rank=place[0], score=place[1]))
        elif channel in left:
            told.step(channel, False, told.say("left_out", why=left[channel]))
        else:
            told.step(channel, False, told.say("not_found_by"))
    parts = ranking.weighed.notes.get(file.row)
    if found is None or parts is None:
        told.step("found", False, told.say("no_channel"))
        return
    least = engine.settings.abstain_below
    facts = [ranking.weighed.facts[i].R for i, fact in ranking.pool.facts.items() if fact.file.row == file.row]
    best = max([parts.R, *facts])
    told.step("relevance", best >= least, told.say("relevant" if best >= least else "weak", R=best, least=least))
    if rank is None:
        told.step("ranked", False, told.say("unranked", many=NOTES_RANKED))
        return
    gate = "" if parts.gate else told.say("gate")
    shown = told.say("parts", R=parts.R, F=parts.F, I=parts.I, W=parts.W, word=parts.warmth.word, B=parts.B, gate=gate)
    over = ended(file, ranking.weighed.today)
    if over is not None and parts.lapse < 1:
        shown += told.say("lapse", lapse=parts.lapse, ended=ended_reason(*over, told.lang))
    told.step("ranked", True, told.say("place", rank=rank, S=parts.S, parts=shown))


def _offered(engine: Engine, question: Question, note: str) -> list[dict[str, Any]]:
    """What the note would give if there were room for everything."""
    wide = engine.recall(replace(question, budget=PLENTY, limit=MANY), hurry=False)
    return [item for item in wide["items"] if item["note"] == note]


def _returned(
    engine: Engine,
    told: _Told,
    question: Question,
    ranking: Ranking,
    answer: Mapping[str, Any],
    row: int,
    items: list[dict[str, Any]],
) -> None:
    """Whether it is among the items; if not, whether the budget, the number of items or its score kept it out.

    `items`: what it gave or, if that is nothing, what it would give if there were room for everything.
    """
    note = ranking.pool.notes[row].file.path if row in ranking.pool.notes else ""
    own = sum(item["note"] == note for item in answer["items"])
    if own:
        told.step("returned", True, told.say("returned", count=own))
        return
    least = engine.settings.abstain_below
    if ranking.weak(engine.settings):
        told.step("returned", False, told.say("abstained", best=ranking.weighed.best, least=least))
        return
    if items:
        roomy = engine.recall(replace(question, budget=PLENTY), hurry=False)["items"]
        if any(item["note"] == note for item in roomy):
            told.step("returned", False, told.say("budget", budget=answer["budget"]))
        else:
            told.step("returned", False, told.say("limit", count=len(answer["items"])))
        return
    best = max((item["score"] for item in answer["items"]), default=0.0)
    facts = [ranking.fact_scores[i] for i, fact in ranking.pool.facts.items() if fact.file.row == row]
    mine = max([ranking.note_scores.get(row, 0.0), *facts])
    share = engine.settings.limits.floor_share
    if mine < share * best:
        told.step("returned", False, told.say("tail", own=mine, share=share, best=best))
    else:
        told.step("returned", False, told.say("nothing_more"))
