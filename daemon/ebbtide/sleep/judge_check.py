"""Whether to believe what Claude says of a candidate: held against its sentences, the core it was shown, and our own rules. Pure.

What an answer may settle: which of the person's sentences carries the insight, its wording if it says no more than they do, how it
stands to the core, and that a candidate is not worth keeping. What it may not: promote what was not borne out, settle a
contradiction, let go of what the person laid down outright, or name anything that it was not shown. Any JSON may come in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast, get_args

from ebbtide.memory.records import Note
from ebbtide.memory.states import Lang
from ebbtide.parse.fact_text import plain
from ebbtide.parse.sentences import sentences
from ebbtide.parse.stem import STOP_WORDS, STOP_WORDS_ZH
from ebbtide.parse.text import is_cjk, tokenize
from ebbtide.sleep.consolidate import Rules, Weighed, stands_alone
from ebbtide.sleep.core_note import line_of
from ebbtide.sleep.extraction import bad_fact
from ebbtide.sleep.ground import ADDRESSED, Ground, bad_text, ground_of, safe
from ebbtide.sleep.judge_prompt import LINKS, Shown
from ebbtide.sleep.likeness import SAME
from ebbtide.sleep.nights import Candidate, Core, CoreMemory, Decision, Judged, Quote, Relation

REASONING: Final = 600
"""Characters of a reasoning that are kept."""
PART: Final = 240
"""Characters of a ground, or of how to apply it."""
FIT: Final[Mapping[Decision, frozenset[Relation]]] = {
    "promote": frozenset(("new", "complements", "corrects")),
    "associate": frozenset(("redundant", "opposed", "corrects")),
    "compress": frozenset(("complements",)),
    "release": frozenset(get_args(Relation)),
}
"""The relations that go with a decision; any other pair contradicts itself."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is left of an answer. `said`: the person's sentence that carries the insight, as a line, and where it stands.

    `insight`, `why`, `how` are "" where the answer's own did not hold; `reworded` says whether that of the insight did. `links` are
    paths of core memories that it was shown.
    """

    reasoning: str
    relation: Relation
    decision: Decision
    target: CoreMemory | None = None
    duplication: float = 0.0
    said: tuple[str, Quote] | None = None
    insight: str = ""
    why: str = ""
    how: str = ""
    links: tuple[str, ...] = ()
    reworded: bool = True


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no opinion, in English and Chinese."""

    en: str
    zh: str

    def told(self, lang: Lang) -> str:
        """For a person."""
        return self.zh if lang == "zh" else self.en


MALFORMED: Final = Reason("its answer is not of the form that was asked for", "回答不合要求的格式")
UNANSWERED: Final = Reason("it was not answered", "没有得到回答")
MISFIT: Final = Reason("its decision and its relation contradict each other", "它的去向与关系自相矛盾")
UNSHOWN: Final = Reason("it names a core memory that it was not shown", "它指向没有给它看过的核心记忆")
UNSAID: Final = Reason("it quotes what the note does not say", "它引用了笔记里没有的话")
EMPTY: Final = Reason("it keeps something but quotes nothing", "它要保留，却没有引用任何一句")


def addressed(shown: Shown) -> bool:
    """Whether a sentence of a candidate, or its title, speaks to a model: then rules judge it."""
    one = shown.candidate
    return any(ADDRESSED.search(text) for text in (one.title, *(quote.text for quote in one.quotes)))


def read(answer: object, shown: Shown) -> Opinion | Reason:
    """An answer held against what was shown."""
    if not isinstance(answer, Mapping):
        return MALFORMED
    relation, decision = answer.get("relation"), answer.get("decision")
    texts = [answer.get(name) for name in ("reasoning", "target", "insight", "why", "how")]
    lists = [answer.get(name) for name in ("quotes", "links")]
    if relation not in get_args(Relation) or decision not in get_args(Decision):
        return MALFORMED
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(each, list) for each in lists):
        return MALFORMED
    relation, decision = cast(Relation, relation), cast(Decision, decision)
    if relation not in FIT[decision]:
        return MISFIT
    target = shown.memory(cast(str, answer["target"])) if answer["target"].strip() else None
    needed = decision in ("associate", "compress") or (decision == "promote" and relation == "corrects")
    if target is None and (needed or answer["target"].strip()):
        return UNSHOWN
    quotes = _quotes(answer["quotes"], shown.candidate)
    if quotes is None:
        return UNSAID
    if not quotes and decision != "release":
        return EMPTY
    return _opinion(answer, relation, decision, target, quotes, shown)


def _quotes(told: Sequence[object], candidate: Candidate) -> list[Quote] | None:
    """The candidate's sentences that an answer quotes, each once; None if it quotes words that stand in none of them."""
    found: list[Quote] = []
    for each in told:
        words = each.get("quote") if isinstance(each, Mapping) else None
        n = each.get("n") if isinstance(each, Mapping) else None
        text = line_of(words) if isinstance(words, str) else ""
        own = candidate.quotes[n - 1] if isinstance(n, int) and 1 <= n <= len(candidate.quotes) else None
        if own is None or not text or text not in line_of(own.text):
            return None
        found += [own] if own not in found else []
    return found


def _opinion(
    answer: Mapping[str, Any], relation: Relation, decision: Decision, target: CoreMemory | None,
    quotes: Sequence[Quote], shown: Shown,
) -> Opinion:  # fmt: skip
    candidate = shown.candidate
    links = [memory.path for name in answer["links"] if isinstance(name, str) and (memory := shown.memory(name))]
    made = Opinion(_reasoning(answer["reasoning"]), relation, decision, target, _share(answer["duplication"]))
    made = replace(made, links=tuple(dict.fromkeys(links))[:LINKS])
    if not quotes:
        return made
    lines = [line_of(plain(quote.text)) for quote in quotes]
    alone = [n for n, line in enumerate(lines) if stands_alone(line, dated=bool(candidate.day))]
    insight = line_of(answer["insight"])
    ground, cited = _ground(candidate, quotes), "\n".join(lines)
    fits = insight and len(sentences(insight)) == 1 and stands_alone(insight, dated=bool(candidate.day))
    reworded = bool(fits) and not bad_fact(insight, cited, ground) and not adds(insight, ground)
    at = alone[0] if alone else 0
    return replace(
        made,
        said=(lines[at], quotes[at]) if alone or reworded else None,
        insight=insight if reworded else "",
        reworded=reworded,
        why=_copied(answer["why"], ground, cited),
        how=_applied(answer["how"], ground, cited),
    )


def _ground(candidate: Candidate, quotes: Sequence[Quote]) -> Ground:
    """The sentences that an insight rests on, as a note to hold it against."""
    return ground_of(Note(candidate.note, "\n".join(quote.text for quote in quotes), candidate.title, 0), None)


def _reasoning(told: str) -> str:
    """The reasoning as one harmless line; "" if it speaks to a model or holds markup."""
    line = line_of(safe(told))[:REASONING]
    return "" if ADDRESSED.search(line) or "http" in line or "](" in line or "[[" in line else line


def _share(told: object) -> float:
    number = float(told) if isinstance(told, int | float) and not isinstance(told, bool) else 0.0
    return round(min(1.0, max(0.0, number)), 4) if math.isfinite(number) else 0.0


def _copied(told: str, ground: Ground, cited: str) -> str:
    """A ground, if it stands in the quotes word for word."""
    text = line_of(told)
    return text if text and len(text) <= PART and text in cited and not bad_text(text, ground) else ""


def _applied(told: str, ground: Ground, cited: str) -> str:
    """How to apply it, if it says no more than the quotes do."""
    text = line_of(told)
    return text if text and len(text) <= PART and not bad_fact(text, cited, ground) and not adds(text, ground) else ""


def adds(text: str, ground: Ground) -> bool:
    """Whether a text holds a word of content, in any of its forms, that its ground does not: a core memory adds nothing."""
    forms: dict[int, set[str]] = {}
    for token in tokenize(text):
        forms.setdefault(token.start, set()).add(token.text.lower())
    return not all(
        words & (STOP_WORDS | STOP_WORDS_ZH) or words & ground.words or any(_stands(word, ground) for word in words)
        for words in forms.values()
    )


def _stands(word: str, ground: Ground) -> bool:
    return word.isdigit() or (is_cjk(word[0]) and word in ground.folded)


# --- settling -----------------------------------------------------------------------------------------------------


def settle(
    rules: Rules, opinion: Opinion, candidate: Candidate, all_: Sequence[Candidate], core: Core, model: str
) -> tuple[Weighed, Judged]:
    """A candidate weighed by the sentence that the model chose, and what becomes of it under our rules."""
    one = rules.weigh(candidate, all_, core, opinion.said)
    if opinion.insight and one.quote is not None:
        own = one.insight
        if rules.likeness.contrary(opinion.insight, own, rules.likeness.duplication(opinion.insight, own)) is None:
            one = replace(one, insight=opinion.insight)
        else:
            opinion = replace(opinion, reworded=False)
    ours = _ruled(rules, one, opinion, core)
    verdict = replace(ours, judge=model, reasoning=_told(opinion, ours), duplication=_dup(opinion, one, ours))
    if verdict.decision == "promote":
        links = [path for path in opinion.links if path != verdict.target] or verdict.links
        verdict = replace(
            verdict, why=opinion.why or verdict.why, how=opinion.how or verdict.how, links=tuple(links)
        )  # fmt: skip
    return one, verdict


def _ruled(rules: Rules, one: Weighed, opinion: Opinion, core: Core) -> Judged:
    """What our rules let the model decide."""
    target, relation = opinion.target, opinion.relation
    if one.quote is None or one.contrary is not None or (one.target is not None and one.duplication >= SAME):
        return rules.judge(one, core)  # nothing to keep, an open contradiction, or said already
    if opinion.decision == "release" and not (one.due and one.outright):  # what a person laid down is not let go
        said = rules.waiting(one, relation)
        return replace(said, until="") if relation == "redundant" else said
    if target is not None and relation in ("opposed", "corrects"):
        reason = "模型认为两者不能同时成立。" if one.candidate.lang == "zh" else "a model sees that both cannot hold."
        return rules.disputed(replace(one, target=target), target, relation, reason)
    if target is not None and relation == "redundant":
        return rules.known(replace(one, target=target), target)
    if target is not None and opinion.decision == "compress":
        return rules.added(one, target, "complements")
    relation = relation if relation in ("new", "complements") else "new"
    return rules.promoted(one, relation, core) if one.due else rules.waiting(one, relation)


def _told(opinion: Opinion, ours: Judged) -> str:
    """The model's reasons, then what our rules say."""
    zh = ours.candidate.lang == "zh"
    own = ""
    if ours.insight and not opinion.reworded and opinion.said is not None and opinion.decision != "release":
        own = "它的措辞不全出自原话，因此保留原话" if zh else "its wording said more than yours, which is kept"
    parts = [part for part in (opinion.reasoning, own, ours.reasoning) if part]
    return ("；" if zh else "; ").join(part.rstrip("。.;；") for part in parts)


def _dup(opinion: Opinion, one: Weighed, ours: Judged) -> float:
    """How much the core says already: by the model, but not less than what our own comparison sees."""
    return max(opinion.duplication, one.duplication if ours.relation != "new" else 0.0)
