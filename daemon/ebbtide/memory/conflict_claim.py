"""What the judgement of contradictions is handed: a claim, taken apart. `parse.claims` makes them, `memory.conflict` compares them.

Two claims are compared over their tokens: a Han character, a word, or a whole value (a date, a number with its unit), which
is one token whatever its spelling. Nothing here knows a language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

ConflictKind = Literal["negation", "number", "unit", "date", "entity", "choice", "owner", "quantifier", "order"]
CONFLICT_KINDS: Final[tuple[ConflictKind, ...]] = get_args(ConflictKind)
Ruling = Literal["supersede", "merge", "dispute"]

Nearness = Callable[[str, str], float | None]
"""How close two short spans are in meaning (cosine, 0 to 1); None where it cannot be said."""

Role = Literal["plain", "stop", "value", "negation", "quantifier", "mark"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a date in a text.

    `dimension` says what may be compared with what: "byte", "second", "percent", "count:人", "date", "version"; "" is a
    bare number. `low` to `high` is what it allows, in the dimension's base unit; a bound that is not given is infinite.
    `step` is the size of its last written digit. A date keeps `parts` (year, month, day), None where not given.
    """

    dimension: str
    low: float
    high: float
    step: float = 0.0
    unit: str = ""
    near: bool = False
    parts: tuple[int | None, int | None, int | None] | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A unit of comparison: `text` is folded (a Latin word reduced), text[start:end] of the claim is its source, `clause` counts clauses.

    `word` is the number of the word it belongs to: the characters of one Chinese word share it.
    """

    text: str
    start: int
    end: int
    role: Role
    clause: int
    word: int
    name: bool = False
    value: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence (or a short text) and what is known of it. Dates are ISO days; unknown is None.

    - `words` carry the topic; `names` (proper names, titles, years) tie it to one.
    - `denied`: the words within reach of a denial ("~": there is one). `strength`: all, some, none, only.
    - `opposites`: the words it uses that have an opposite, mapped to those.
    - `roles`: an office or deed that one has (director, winner, capital), and the names beside it; `dated`: what happens once,
      with its days.
    - `bound`: the starts of tokens that are quoted or supposed.
    - `exclusive`: a verb of owning or choosing; `holds_one`: a role or place that one thing has; `ordered`: a word of sequence or
      comparison; `record`: one of a dated series (a diary, a measurement).
    - `measure`: the slot's value as a quantity.
    - `stance`: it begins with yes (1) or no (-1); `unsure`: it says that it does not know; `wants`: a question for a thing, not
      for yes or no; `unsure_of`: a question whether the other knows something of me. `asked` and `answer` are set where the text
      has both.
    """

    text: str
    lang: str
    tokens: tuple[Token, ...]
    words: frozenset[str]
    opposites: dict[str, frozenset[str]]
    denied: frozenset[str]
    strength: frozenset[str]
    places: frozenset[str] = frozenset()
    roles: dict[str, frozenset[str]] = field(default_factory=dict)
    dated: dict[str, tuple[Quantity, ...]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    bound: frozenset[int] = frozenset()
    folded: str = ""
    question: bool = False
    code: bool = False
    plan: bool = False
    change: bool = False
    excepts: bool = False
    exclusive: ConflictKind | None = None
    holds_one: bool = False
    ordered: bool = False
    title: str = ""
    note: str = ""
    line: int = 0
    date: str | None = None
    record: bool = False
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    unit: str | None = None
    measure: Quantity | None = None
    scope: str | None = None
    project: str | None = None
    frame: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    single_valued: bool = True
    stance: int = 0
    unsure: bool = False
    wants: bool = False
    unsure_of: bool = False
    answer: Claim | None = None
    asked: Claim | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What two claims are to each other. `ruling` is None where they have nothing to do with each other.

    `why` names the rule in one word for tests and `explain`; `reason` and `reason_zh` are for people.
    """

    conflict: bool
    kind: ConflictKind | None
    score: float
    ruling: Ruling | None
    why: str
    reason: str
    reason_zh: str
    a_span: str = ""
    b_span: str = ""
