"""Words by which a person says that they have understood something: "I realised", 这说明, "next time I should". Pure.

The built-in list is both languages'; a user adds to it (`sleep.markers`). Texts are matched folded, so script, width and
case do not matter. What a user adds is matched as it stands and never as a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ebbtide.parse.text import count_cjk, fold

PER: Final = 100
"""Characters that a density is counted for; a Han character counts for two Latin letters."""
MOST_ADDED: Final = 200
"""So many words of a user's own are looked for."""
LONGEST: Final = 100
"""Characters of such a word, at most."""

_ZH: Final = (
    r"意识到|领悟|悟到|醒悟|想通|想明白|恍然|体会到|认识到|深刻体会|(?:才|终于|突然|忽然)(?:明白|发现|懂得?|看清)"
    r"|我(?:发现|明白|懂得|学到|学会)了?|原来(?:如此|是(?:因为)?|不是|真正)|意味着|(?:这|由此|也|都|就|正|恰恰)(?:说明|证明)(?!书|文|会|材料)"
    r"|由此可见|可见[,，]|下次(?:我|我们)?(?:应该|要|必须|得|一定|不|别|先|再|可以)|以后(?:我|我们)?(?:要|不|别|都|必须|应该|一定|尽量|绝)"
    r"|教训|(?:最)?关键(?:在于|是)|本质上|归根结底|根本原因|真正的(?:原因|问题)|我(?:想|看|弄|做|搞)?错了|我(?:之前|以前|一直|原)以为"
    r"|(?:让|使)我(?:明白|懂得|意识|学|认识)|改变了(?:我的)?(?:看法|想法|主意)|回头看|事后看|不该|早该|本应该"
)
_EN: Final = (
    r"\bi(?:'ve| have|'m)? ?(?:just |now |also |finally |suddenly |only |never )*(?:reali[sz]e[ds]?|reali[sz]ing|learn(?:ed|t)"
    r"|figured out|came to (?:see|understand|believe)|come to (?:see|understand|believe)|noticed that|discovered that)\b"
    r"|\bmade me (?:reali[sz]e|see|think|understand|appreciate)\b|\b(?:it )?turns out\b|\bit turned out\b|\bit dawned on\b"
    r"|\b(?:this|that|which|it) (?:really |just |clearly )?(?:shows?|proves?|means|suggests?|taught|tells) (?:that|me|us|how|why|the)?\b"
    r"|\btaught (?:me|us)\b|\bnext time,? (?:i|we)\b|\bfrom now on\b|\bnever again\b|\blessons? (?:learn(?:ed|t)|is|was|here)\b"
    r"|\bthe lesson\b|\btakeaways?\b|\bin hindsight\b|\blooking back\b|\bi was wrong\b|\bi (?:used to think|had assumed|always thought)\b"
    r"|\b(?:i|we) should(?:n't)?(?:'ve| have)\b|\bchanged my mind\b|\b(?:now i|i now|i finally) (?:see|know|understand)\b"
    r"|\bthe (?:key|point|trick|secret) (?:is|was)\b|\broot cause\b|\bthe real (?:reason|problem|issue)\b|\bwhat (?:really )?matters\b"
    r"|\bi(?:'m| am) (?:beginning|starting) to (?:see|understand|believe)\b"
)


@lru_cache(maxsize=16)
def _pattern(added: tuple[str, ...]) -> re.Pattern[str]:
    own = [fold(word).strip() for word in added[:MOST_ADDED]]
    parts = [_bounded(word) for word in own if 0 < len(word) <= LONGEST]
    return re.compile("|".join([_ZH, _EN, *parts]))


def _bounded(word: str) -> str:
    """A user's word as a pattern of itself; a Latin one only as a whole word."""
    left = r"\b" if word[0].isascii() and word[0].isalnum() else ""
    right = r"\b" if word[-1].isascii() and word[-1].isalnum() else ""
    return left + re.escape(word) + right


def marks(text: str, added: Sequence[str] = ()) -> list[str]:
    """The markers in a text, in its order, as they are folded; one of a user's own counts like a built-in one."""
    return [found.group().strip() for found in _pattern(tuple(added)).finditer(fold(text))]


def size(text: str) -> int:
    """Length of a text for a density: a Han character counts for two."""
    return len(text) + count_cjk(text)


def density(count: int, length: int) -> float:
    """Markers per `PER` characters of a length from `size`; a text shorter than that counts as so long."""
    return PER * count / max(length, PER)
