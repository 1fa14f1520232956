"""`ebbtide tune`: settings fitted to confirmed uses and to the user's own exam, as a report and the values to set. Writes nothing.

Two parts, and each takes a new value only where what it was not fitted to bears it out. Warmth is fitted to the earlier weeks
of use and judged by the later ones (`tune_fit`); the weights of the score and the thresholds of silence are searched on one
half of the exam's questions and judged by the other (`tune_exam`). Fewer uses than `heat.tune_least`: nothing at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from ebbtide.memory.heat import TIMELESS, Heat, kind_of
from ebbtide.parse.note_kind import is_periodic_name
from ebbtide.prove.questions import FILE, read_paper
from ebbtide.prove.tune_exam import LEAST, Replay, compared, halves, name_of, row
from ebbtide.prove.tune_file import value_of, with_values
from ebbtide.prove.tune_fit import PARTS, History, Trial, Weeks, parted, weeks_of
from ebbtide.prove.tune_words import TITLES, Told, notice, why
from ebbtide.recall.score import scoring_of
from ebbtide.recall.weighing import said_on
from ebbtide.runtime import Runtime

Say = Callable[[str, int, int], None]
_FITTED: Final = {"life": ("half_life", "gain"), "bands": ("hot", "warm")}


@dataclass(slots=True)
class Tuning:
    """What is found on the way: the values to set, why, and the rows of the report."""

    runtime: Runtime
    today: str
    say: Say
    values: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, Told] = field(default_factory=dict)
    trials: list[dict[str, Any]] = field(default_factory=list)
    exam: list[dict[str, Any]] = field(default_factory=list)
    notices: list[Told] = field(default_factory=list)

    # --- warmth -------------------------------------------------------------------------------------------------------

    def fit_warmth(self) -> None:
        """The half-life, what use adds to it, and the bands, from the histories of use."""
        if self.runtime.config.recall.temperature != "curve":
            self.notices.append(notice("bands-form"))
            return
        heat = scoring_of(self.runtime.config).heat
        self.say("uses", 0, 0)
        found = parted(weeks_of(self.histories(), self.today, heat))
        if found is None:
            self.notices.append(notice("few-weeks"))
            return
        earlier, later, split = found
        for part in PARTS:
            self.say(part, 0, 0)
            heat = self._fit(part, earlier, later, split, heat)

    def _fit(self, part: str, earlier: Weeks, later: Weeks, split: int, now: Heat) -> Heat:
        fit, attempt = PARTS[part]
        fitted = fit(earlier, now)
        if fitted == now:
            self.notices.append(notice(f"{part}-kept"))
            return now
        trial = attempt(earlier, later, now, fitted)
        self.trials.append(_trial(part, trial, split))
        if not trial.better:
            self.notices.append(notice(f"{part}-kept"))
            return now
        for name in _FITTED[part]:
            if getattr(fitted, name) != getattr(now, name):
                self.values[f"heat.{name}"] = getattr(fitted, name)
                self.reasons[f"heat.{name}"] = _reason(part, name, trial, now, fitted)
        return fitted

    def histories(self) -> list[History]:
        """What became of each memory that is still there and has any event. A fact and its note go together."""
        catalog = self.runtime.catalog
        idents = catalog.used_ever()
        events = catalog.uses(idents)
        facts = catalog.facts_by_id([ident for ident in idents if ident.startswith("f_")])
        files = catalog.files_by_row(sorted({row[1] for row in facts.values()}))
        out = []
        for ident, found in sorted(facts.items()):
            file, record = files.get(found[1]), json.loads(found[2])
            if file is not None:
                dated = kind_of(record["type"]) not in TIMELESS and said_on(record, file) is not None
                out.append(History(file.id, record["type"], dated, events[ident]))
        notes = catalog.files_by_id([ident for ident in idents if ident.startswith("n_")])
        for ident, file in sorted(notes.items()):
            type_ = file.type or ("daily" if is_periodic_name(file.title) else None)
            dated = kind_of(type_) not in TIMELESS and file.date is not None
            out.append(History(ident, type_, dated, events[ident]))
        return out

    # --- the exam -----------------------------------------------------------------------------------------------------

    def fit_exam(self) -> None:
        """Weights and thresholds, from own questions; and what all of it does to them."""
        paper = read_paper(self.runtime.exam.questions(), f"{self.runtime.config.memory.folder}/{FILE}")
        replay = Replay(self.runtime, lambda done, total: self.say("exam", done, total))
        first, second = halves(paper.asked)
        before = replay.right([*first, *second], {})
        first, second = ([one for one in half if name_of(one) in before] for half in (first, second))
        asked = [*first, *second]
        keys = [name_of(one) for one in asked]
        if len(asked) < LEAST:
            self.notices.append(notice("few-questions", n=len(asked), least=LEAST))
            return
        if len(asked) < len(paper.asked):
            self.notices.append(notice("some-asked", n=len(paper.asked), asked=len(asked)))
        if self.values:
            warmed = compared(before, replay.right(asked, self.values), keys)
            if warmed.verdict == "worse":
                self.notices.append(notice("warmth-hurts", lost=warmed.lost, gained=warmed.gained))
                self.values, self.reasons = {}, {}
                self.trials = [trial | {"kept": False} for trial in self.trials]
        base = replay.right(asked, self.values)
        found = replay.search(first, self.values)
        if found:
            now = replay.right(asked, {**self.values, **found})
            fitted, judged = (compared(base, now, [name_of(one) for one in half]) for half in (first, second))
            signs = {"gained": fitted.gained, "lost": fitted.lost, "gained2": judged.gained, "lost2": judged.lost}
            if fitted.after > fitted.before and judged.after >= judged.before:
                self.values |= found
                self.reasons |= {key: why("exam", **signs) for key in found}
            else:
                self.notices.append(notice("exam-unsure", **signs))
        else:
            right = all(base[name_of(one)] for one in first)
            self.notices.append(notice("all-right" if right else "exam-kept"))
        after = replay.right(asked, self.values)
        parts = {"fitted": first, "judged": second, "all": asked}
        self.exam = [row(part, compared(before, after, [name_of(q) for q in half])) for part, half in parts.items()]


def tune(runtime: Runtime, today: str, say: Say = lambda *_: None) -> tuple[dict[str, Any], dict[str, float]]:
    """(report, values to set by dotted key). The same uses, questions, settings and day give the same."""
    least, uses = runtime.config.heat.tune_least, runtime.catalog.confirmed_uses()
    found = Tuning(runtime, today, say)
    if uses < least:
        found.notices.append(notice("few-uses", uses=uses, missing=least - uses, least=least))
    else:
        found.fit_warmth()
        found.fit_exam()
    values = {key: value for key, value in sorted(found.values.items()) if value != value_of(runtime.config, key)}
    with_values(runtime.config, values)  # what is out of range must never be written: raise here
    report = {
        "day": today,
        "enough": uses >= least,
        "uses": uses,
        "needed": least,
        "missing": max(0, least - uses),
        "changes": [
            {"key": key, "old": value_of(runtime.config, key), "new": value, **found.reasons[key]}
            for key, value in values.items()
        ],
        "warmth": found.trials,
        "exam": found.exam,
        "notices": found.notices,
    }
    return report, values


def _trial(part: str, trial: Trial, split: int) -> dict[str, Any]:
    title, title_zh = TITLES[part]
    return {
        "name": part,
        "title": title,
        "title_zh": title_zh,
        "before": round(trial.before, 5),
        "after": round(trial.after, 5),
        "low": round(trial.low, 5),
        "high": round(trial.high, 5),
        "weeks": trial.weeks,
        "used": trial.used,
        "memories": trial.memories,
        "since": date.fromordinal(split).isoformat(),
        "kept": trial.better,
    }


def _reason(part: str, name: str, trial: Trial, now: Heat, fitted: Heat) -> Told:
    code = part if part == "bands" else "gain" if name == "gain" else "slower"
    if code == "slower" and fitted.half_life < now.half_life:
        code = "faster"
    return why(code, before=trial.before, after=trial.after)
