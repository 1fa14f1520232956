"""How an attempt ended, where the words say so. Pure; nothing is guessed: what is hoped, planned or denied is no result."""

from __future__ import annotations

import re
from typing import Final, Literal, get_args

from ebbtide.parse.sentences import sentences

Result = Literal["success", "partial", "failure"]
RESULTS: Final[tuple[Result, ...]] = get_args(Result)

_FAILED = re.compile(
    r"\b(?:fail(?:ed|ure|s)?|did(?:n't| not) work|gave up|abandoned|rolled back|nothing shipped|never merged|broke down)\b"
    r"|失败|没成|未能|没能|没有成功|泡汤|放弃了|回滚|翻车|告吹",
    re.I,
)
_WORKED = re.compile(
    r"\b(?:success(?:ful|fully)?|succeeded|shipped|fixed|solved|resolved|restored|recovered)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bhe )(?<!\bshe )(?<!\bwho )\bworked\b(?! (?:on (?:it|this|that|a|my|our)|with|hard|late|through|together)\b)"
    r"|成功|修好|修复|解决了|恢复|上线了|搞定|达成|奏效",
    re.I,
)
_FAILED_TELLING = re.compile(
    r"\b(?:no luck|to no avail|did(?:n't| not) help|no use|made (?:it|things) worse|no effect|fell (?:apart|through)|dead end"
    r"|reverted|had to undo)\b"
    r"|没啥用|没什么用|没有用|没用(?![到过上完着了的])|不管用|(?<!可)不行|无效|没有?效果|没起作用|白费|白折腾|作罢|更糟|没修好|没有?解决|碰壁",
    re.I,
)
_WORKED_TELLING = re.compile(
    r"\b(?:did the trick|(?:that|it|this) helped|paid off|worked out)\b|(?<!不)管用|(?<!无)(?<!没)有效(?!期|率|地)|就好了|终于好了",
    re.I,
)
_PARTLY = re.compile(
    r"\b(?:part(?:ly|ial|ially)|only half|half (?:worked|works|done|fixed|solved)|mixed|inconclusive)\b"
    r"|部分|只.{0,6}一半|一半(?:成功|解决|修|完成|好)|喜忧参半|不完全",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|n't|never|no|without)\b[^.;,]{0,16}$|(?:没有?|未|不|并非)[^，。；]{0,4}$", re.I)
_UNSURE = re.compile(
    r"\b(?:would|should|could|might|may|will|must|if|unless|hope[ds]?|whether|to be|try(?:ing)? to|until|before it|once it)\b"
    r"[^.;,]{0,24}$|(?:如果|要是|假如|应该|希望|能否|是否|可能|也许|等到?|才[能会]|就[能会]|将|会)[^，。；]{0,6}$",
    re.I,
)
_NO_VERDICT = re.compile(
    r"\b(?:the|a|an|any|each|every|those|these|of) (?:\w+ )?(?:failed|failure)\b(?= \w)(?! (?:in|on|at|after|because|and|but|to|with)\b)"
    r"|\b(?:fail(?:ed|ure)?|success(?:ful)?) (?:rates?|modes?|cases?|counts?|criteria|stor(?:y|ies)|logins?|requests?|uploads?|jobs?)\b"
    r"|(?:失败|成功)(?:率|次数|案例|标准|的概率|之母|学)|失败的(?!尝试)|恢复(?:出厂|默认|码)",
    re.I,
)
"""Words that name a failure or a success without saying that this was one: "the failed upload", "success rate"."""
_AT_LAST = re.compile(r"\b(?:in the end|finally|eventually|at last|after all)\b|最后|最终|终于|后来", re.I)
_LOOKED_AT: Final = 6


def read_result(text: str) -> Result | None:
    """How an attempt ended, where its words say so: the first sentence that says, and partial if they say both."""
    for start, end in sentences(text)[:_LOOKED_AT]:
        found = outcome(text[start:end])
        if found is not None:
            return found
    return None


def outcome(sentence: str, *, telling: bool = False) -> Result | None:
    """What one sentence says of the end. `telling`: it follows an attempt, so that "no luck" is said of it, too."""
    failed, worked = _holds(_FAILED, sentence), _holds(_WORKED, sentence)
    if telling:
        failed = max(failed, _holds(_FAILED_TELLING, sentence))
        worked = max(worked, _holds(_WORKED_TELLING, sentence))
    if failed < 0 and worked < 0:
        return None
    if _PARTLY.search(sentence):
        return "partial"
    if failed < 0 or worked < 0:
        return "failure" if worked < 0 else "success"
    last = _AT_LAST.search(sentence)  # "it failed twice and worked in the end": the end counts
    if last is None:
        return "partial"
    return "failure" if failed > worked else "success"


def at_last(sentence: str) -> bool:
    """Whether a sentence says of itself that it tells the end."""
    return _AT_LAST.search(sentence) is not None


def _holds(pattern: re.Pattern[str], sentence: str) -> int:
    """Where a word stands that is neither denied nor hoped for nor only a name; -1 if none does."""
    named = [found.span() for found in _NO_VERDICT.finditer(sentence)]
    for found in pattern.finditer(sentence):
        before = sentence[: found.start()]
        if any(start <= found.start() < end for start, end in named):
            continue
        if not _DENIED.search(before) and not _UNSURE.search(before):
            return found.start()
    return -1
