"""The settings of warmth, freshness, importance and reward: the constants of memory.heat, memory.importance, recall.score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ebbtide.config_key import rank, table


@dataclass(frozen=True, slots=True)
class Heat:
    """How use, age and weight of a memory enter its score."""

    relevance: float = rank(0.6, "weight of relevance in the score")
    freshness: float = rank(0.2, "weight of freshness in the score")
    importance: float = rank(0.2, "weight of importance in the score")
    mix: float = rank(0.7, "share of the score that no cold can take; 0: warmth multiplies all of it")
    ended: float = rank(
        0.7, "share of the score left to a plan whose properties say that it was dropped, refused or replaced"
    )
    ended_told: float = rank(0.8, "the same where only its words say so")
    done: float = rank(0.92, "share of the score left to a plan that is done, where no plan is asked for")
    half_life: float = rank(14.0, "days after which an unused memory is half as warm", 0.1, 3650)
    gain: float = rank(0.6, "how much days of use lengthen that time", 0, 10)
    most: float = rank(4.0, "how many times they lengthen it at most", 1, 100)
    types: Mapping[str, float] = table(
        {
            "working": 0.15,
            "note": 1.0,
            "episodic": 1.0,
            "fact": 1.5,
            "preference": 3.0,
            "decision": 3.0,
            "procedural": 4.0,
            "principle": 6.0,
        },
        "factor of that time by kind of memory",
        0.01,
        100,
        vault=True,
    )
    hot: float = rank(0.70, "temperature from which a memory is hot")
    warm: float = rank(0.22, "temperature from which it is warm")
    least: float = rank(0.3, "weight of what is stone cold")
    unknown: float = rank(0.22, "temperature of what has no date and was never used")
    reward: float = rank(0.08, "most that confirmed use adds to a score")
    reward_days: float = rank(14.0, "days after which a use has half its effect", 0.1, 3650)
    reward_uses: float = rank(3.0, "days of use at which their number has two thirds of its effect", 0.1, 1000)
    reward_reach: float = rank(0.15, "only what is at most this much less relevant than the best is rewarded")
    unlike: float = rank(0.3, "share of the reward where the question resembles none it was confirmed for")
    gate: bool = rank(True, "no reward for what tells of the past, unless the question asks about it")
    tune_least: int = rank(200, "confirmed uses before `ebbtide tune` changes anything", 20, 1_000_000)
    fresh_days: float = rank(84.0, "days since it was checked at which half of the freshness is gone", 1, 36500)
    fresh_power: float = rank(1.8, "how steeply freshness falls", 0.1, 10)
    fresh_floor: float = rank(0.25, "freshness of what was never checked again")
    fresh_unknown: float = rank(0.6, "freshness of what has no date")
    fresh_overdue: float = rank(0.3, "freshness at most once the time limit has passed")
    slower: Mapping[str, float] = table(
        {"principle": 0.25, "procedural": 0.5, "decision": 0.5},
        "factor of the age by kind of memory",
        0,
        10,
        vault=True,
    )
    binding: float = rank(2.0, "importance added for words that bind", 0, 9)
    lesson: float = rank(1.0, "importance added for a failure with its lesson", 0, 9)
    links: float = rank(0.5, "importance added for each doubling of the notes that link to it with a type", 0, 9)
    links_most: float = rank(1.5, "most that links add", 0, 9)
    cited_months: int = rank(3, "distinct months with a confirmed use after which it counts as cited", 1, 120)
    cited: float = rank(1.0, "importance added for being cited", 0, 9)
    doubtful: float = rank(2.0, "importance taken off a conclusion with a confidence below 0.5", 0, 9)
