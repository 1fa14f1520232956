"""Claude as the judge of a night: every candidate on the one snapshot of the core, held against it, under the rules' own law.

A candidate that is not answered for, for whatever reason, is judged by the rules, and the reason is said. The question of a
candidate is named by the prompt's version, the model, the snapshot, the candidate and what was shown of it: so the same night
asks the same questions, and none is paid for twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ebbtide.memory.ports import Question
from ebbtide.sleep.consolidate import Rules, Weighed, insight_of
from ebbtide.sleep.desk import Kept, token_for
from ebbtide.sleep.judge_check import UNANSWERED, Reason, read, settle
from ebbtide.sleep.judge_context import GONE, Context
from ebbtide.sleep.judge_prompt import PROMPT_VERSION, Shown, asking, body
from ebbtide.sleep.nights import Candidate, Core, CoreMemory, Judged

Answers = Callable[[Sequence[tuple[Question, str]], Callable[[str], bool]], Mapping[str, Kept | Reason]]
"""(question, path of its note) -> verdicts and failures by the question's id. Before one is sent, the second argument is asked
whether it still may be."""


@dataclass(slots=True)
class ClaudeJudge:
    """The judge of one night. `most`: tokens of an answer; `secret`: what no author of a note knows."""

    rules: Rules
    context: Context
    answers: Answers
    model: str
    most: int
    secret: bytes
    _shown: dict[str, tuple[Candidate, Core, str]] = field(default_factory=dict)
    """Question id -> what it was made of."""

    def __call__(self, candidates: Sequence[Candidate], core: Core) -> list[Judged]:
        """The verdicts of a night, in the order of the candidates."""
        told: dict[int, Shown | Reason | None] = {}
        asked: dict[int, tuple[Question, str]] = {}
        for n, candidate in enumerate(candidates):
            told[n] = shown = None if candidate.machine else self._show(candidate, core)
            if isinstance(shown, Shown):
                asked[n] = self._question(shown, core), candidate.note
        answers = self.answers(list(asked.values()), self._still) if asked else {}
        weighed: list[Weighed] = []
        judged: list[Judged] = []
        for n, candidate in enumerate(candidates):
            shown, kept = told[n], answers.get(asked[n][0].id) if n in asked else None
            found = self._settled(candidate, candidates, core, shown, kept)
            weighed.append(found[0])
            judged.append(found[1])
        return self.rules.among_themselves(weighed, judged)

    def _settled(
        self,
        one: Candidate,
        all_: Sequence[Candidate],
        core: Core,
        shown: Shown | Reason | None,
        kept: Kept | Reason | None,
    ) -> tuple[Weighed, Judged]:
        """What becomes of a candidate by its answer, or by the rules, with the reason."""
        why = ""
        if isinstance(shown, Shown):
            if isinstance(kept, Kept) and kept.outcome == "answered":
                opinion = read(kept.answer, shown)
                if not isinstance(opinion, Reason):
                    return settle(self.rules, opinion, one, all_, core, self.model)
                why = opinion.told(one.lang)
            elif isinstance(kept, Kept):
                why = kept.reason
            else:
                why = (kept or UNANSWERED).told(one.lang)
        elif shown is not None:
            why = shown.told(one.lang)
        weighed = self.rules.weigh(one, all_, core)
        return weighed, replace(self.rules.judge(weighed, core), unjudged=why)

    def _show(self, candidate: Candidate, core: Core) -> Shown | Reason:
        def nearest() -> list[CoreMemory]:
            own = insight_of(candidate)
            text = own[0] if own is not None else candidate.title
            return [memory for memory, _ in self.rules.nearest(text, candidate, core)]

        return self.context.shown(candidate, nearest) if candidate.quotes else GONE

    def _question(self, shown: Shown, core: Core) -> Question:
        material, one = body(shown), shown.candidate
        inside = "\0".join((str(PROMPT_VERSION), self.model, core.hash, one.key, material))
        ident = hashlib.blake2b(inside.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        self._shown[ident] = (one, core, material)
        return asking(material, token_for(self.secret, material), ident, self.most)

    def _still(self, ident: str) -> bool:
        """Whether what a question shows may still be shown, and is still so."""
        candidate, core, material = self._shown[ident]
        shown = self._show(candidate, core)
        return isinstance(shown, Shown) and body(shown) == material
