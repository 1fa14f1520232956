"""`python -m tests.bench.ablation --shared ../shared/eval [sets...]`: what each part of recall is worth, on every set.

Every question is asked once by each arm, in one process over one opened vault, and scored with the score.py that lies beside the
sets. An arm is recall as it ships with one part taken away, or one of the original forms that the settings keep (formats.md 8).
The first column is recall as it ships, the others are differences to it; `*`: the paired difference is not chance (McNemar, p < .05).
Of the arms that shape what is given to a model, the packet is scored too: whether it holds a note that answers, and its tokens.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ebbtide.config import Config, load
from ebbtide.memory.ports import KeywordResult, VectorHit
from ebbtide.prove.exam import filled
from ebbtide.prove.stats import mcnemar
from ebbtide.recall.candidates import Channels
from ebbtide.recall.engine import Engine, Question
from ebbtide.recall.settings import recall_settings
from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service, told

from . import vaults
from .eval import ROOT, ROWS, Row
from .live import environment
from .phases import percentile

Rewire = Callable[[Channels], Channels]
Score = Callable[[Mapping[str, Any], Sequence[str]], Mapping[str, float]]


class _Silent:
    """A keyword index that finds nothing."""

    def search(self, _query: str, _limit: int, _within: str | None = None) -> KeywordResult:
        return KeywordResult((), 0.0)


class _Once:
    """An embedder that embeds the question at hand once, however many arms ask for it."""

    def __init__(self, embedder: Any) -> None:
        self._embedder, self._last = embedder, ("", None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> Any:
        if self._last[0] != text or self._last[1] is None:
            self._last = text, self._embedder.embed_query(text)
        return self._last[1]


class _Nowhere:
    """A vector index without vectors."""

    def search(self, _vector: Any, _limit: int) -> list[VectorHit]:
        return []

    def cosines(self, _vector: Any, _labels: Sequence[int]) -> dict[int, float]:
        return {}

    def vectors(self, _labels: Sequence[int]) -> dict[int, Any]:
        return {}


def _without_keyword(channels: Channels) -> Channels:
    silent: Any = _Silent()
    return replace(channels, notes=silent, facts=silent)


def _without_vector(channels: Channels) -> Channels:
    return replace(channels, embedder=lambda: None)


def _without_facts(channels: Channels) -> Channels:
    silent: Any = _Silent()
    nowhere: Any = _Nowhere()
    return replace(channels, facts=silent, near={**channels.near, "facts": nowhere})


@dataclass(frozen=True)
class Arm:
    """Recall with other settings (keys of the configuration) or other channels. `packet`: what is given to a model differs too."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    channels: Rewire = lambda channels: channels
    packet: bool = False


ARMS: Mapping[str, Arm] = {
    "full": Arm(packet=True),
    "no-keyword": Arm(channels=_without_keyword),
    "no-vector": Arm(channels=_without_vector),
    "no-graph": Arm({"recall.graph_parents": 0}),
    "no-facts": Arm(channels=_without_facts, packet=True),
    "no-dates": Arm({"recall.period_date": 0.0, "recall.period_floor": 0.0, "recall.period_text": 0.0}),
    "no-language": Arm({"recall.other_language": -1.0}),
    "no-further": Arm({"recall.further": 0.0}),
    "no-type": Arm({f"recall.{name}": 0.0 for name in
                    ("type_boost", "type_note", "why_boost", "failure_boost", "told_boost")}),
    "no-ended": Arm({"heat.ended": 1.0, "heat.ended_told": 1.0, "heat.done": 1.0, "recall.fate_gain": 0.0}),
    "no-fresh": Arm({"heat.freshness": 0.0}),
    "no-weight": Arm({"heat.importance": 0.0}),
    "no-warmth": Arm({"heat.mix": 1.0}),
    "sum": Arm({"recall.score": "sum"}),
    "bands": Arm({"recall.temperature": "bands"}),
    "filter": Arm({"recall.route": "filter"}, packet=True),
    "stop": Arm({"recall.budget_mode": "stop"}, packet=True),
}  # fmt: skip
"""Name -> arm. Freshness, importance and warmth are taken out of the score by their weights; what is the same for all orders nothing."""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table and keep it in .bench/eval/ablation.json; never fails by its figures."""
    sets = list(dict.fromkeys(row.set for row in ROWS))
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.ablation", description="What each part of recall is worth."
    )
    parser.add_argument("sets", nargs="*", metavar="set", help=f"default: all of {', '.join(sets)}")
    parser.add_argument(
        "--shared", type=Path, default=ROOT.parent / "shared" / "eval", help="folder with sets/ and tools/"
    )
    parser.add_argument("--arms", help=f"separated by commas, beside full; default: all of {', '.join(ARMS)}")
    parser.add_argument("--limit", type=int, help="only so many questions of each set, evenly drawn")
    args = parser.parse_args(argv)
    arms = {name: ARMS[name] for name in ARMS if args.arms is None or name in ("full", *args.arms.split(","))}
    if unknown := set(args.sets) - set(sets) or set((args.arms or "full").split(",")) - set(ARMS):
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    score, lines = scorer(args.shared), list[dict[str, Any]]()
    print(f"{'set':<44}{'metric':>9}{'n':>6}" + "".join(f"{name:>12}" for name in arms))
    for name in args.sets or sets:
        source, work = args.shared / "sets" / name, ROOT / ".bench" / "eval" / name
        if not (work / "vault").exists():
            vaults.unpacked(source, work / "vault")
        queries = [json.loads(line) for line in (source / "queries.jsonl").read_text("utf-8").splitlines()]
        if args.limit:
            queries = queries[:: max(1, len(queries) // args.limit)][: args.limit]
        for found in measured(work, queries, [row for row in ROWS if row.set == name], arms, score):
            lines.append(found)
            print(line(found, arms), flush=True)
    file = ROOT / ".bench" / "eval" / "ablation.json"
    file.write_text(json.dumps(lines, indent=1) + "\n", "utf-8")
    return 0


def scorer(shared: Path) -> Score:
    """The scoring of one question from the score.py beside the sets, by its path: it is not ours to copy."""
    spec = importlib.util.spec_from_file_location("eval_score", shared / "tools" / "score.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score: Score = module.score
    return score


# --- asking -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Given:
    """What one arm gave for one question: `ranked` note paths, and where a packet was made the notes it cites and its tokens."""

    ranked: Sequence[str]
    cited: Sequence[str] = ()
    tokens: int = 0


def measured(
    work: Path, queries: Sequence[Mapping[str, Any]], rows: Sequence[Row], arms: Mapping[str, Arm], score: Score
) -> list[dict[str, Any]]:
    """The lines of one set: its rows, then its packet. `work` holds `vault` and what `tests.bench.eval` keeps beside it."""
    out: list[dict[str, Any]] = []
    runtime = open_runtime(work / "vault", read_only=True, environ=environment(work))
    try:
        Service(runtime).catch_up(
            progress=told(lambda text: print(f"... {text}", file=sys.stderr)), threads=os.cpu_count() or 1
        )
        for no_scope in sorted({row.no_scope for row in rows}):
            given = asked(runtime, queries, arms, no_scope=no_scope)
            out += [scored(row, queries, given, score) for row in rows if row.no_scope == no_scope]
            if not no_scope:
                out += packets(rows[0].set, queries, {name: given[name] for name in arms if arms[name].packet}, score)
    finally:
        runtime.close()
    return out


def asked(
    runtime: Runtime, queries: Sequence[Mapping[str, Any]], arms: Mapping[str, Arm], *, no_scope: bool = False
) -> dict[str, list[Given]]:
    """Every question by every arm, in the order of the questions. A question is embedded once for all arms."""
    embedder: Any = _Once(runtime.engine.channels.embedder())
    channels = replace(runtime.engine.channels, embedder=lambda: embedder)
    engines = {
        name: Engine(runtime.store, arm.channels(channels), recall_settings(changed(runtime.config, arm.settings)))
        for name, arm in arms.items()
    }
    out: dict[str, list[Given]] = {name: [] for name in arms}
    for number, query in enumerate(queries, 1):
        question = Question(
            str(query["query"]).strip(), scope=None if no_scope else query.get("scope"), as_of=query.get("as_of")
        )
        for name, engine in engines.items():
            out[name].append(_given(runtime, engine, question, packet=arms[name].packet))
        if number % 100 == 0:
            print(f"... questions {number}/{len(queries)}", file=sys.stderr, flush=True)
    return out


def changed(config: Config, settings: Mapping[str, Any]) -> Config:
    """The configuration with keys set; a key or value that the product does not know is an error of ours."""
    fresh, problems = load([("arm", settings)])
    if problems:
        raise ValueError(problems[0].message)
    for key in settings:
        section, _, name = key.partition(".")
        part = replace(getattr(config, section), **{name: getattr(getattr(fresh, section), name)})
        config = replace(config, **{section: part})
    return config


def _given(runtime: Runtime, engine: Engine, question: Question, *, packet: bool) -> Given:
    if packet:
        answer = engine.recall(question, hurry=False)
        cited = list(dict.fromkeys(item["note"] for item in answer["items"]))
        return Given(filled(runtime, question, answer["notes"]), cited, answer["tokens"])
    ranking = engine.rank(question)
    return Given(filled(runtime, question, [ranking.pool.notes[row].file.path for row in ranking.notes]))


# --- scoring ------------------------------------------------------------------------------------------------------


def scored(
    row: Row, queries: Sequence[Mapping[str, Any]], given: Mapping[str, Sequence[Given]], score: Score
) -> dict[str, Any]:
    """One line of the table: the mean of a metric over a group of questions, of each arm, and which differ from the first arm."""
    group = [(place, query) for place, query in enumerate(queries) if _belongs(query, row.group)]
    values = {
        name: [
            value
            for place, query in group
            if (value := score(query, answers[place].ranked).get(row.metric)) is not None
        ]
        for name, answers in given.items()
    }
    label = row.set + ("" if row.group == "ALL" else ", " + row.group.removeprefix("cat "))
    return _figures(label + (" (whole vault)" if row.no_scope else ""), row.metric, values)


def packets(
    name: str, queries: Sequence[Mapping[str, Any]], given: Mapping[str, Sequence[Given]], score: Score
) -> list[dict[str, Any]]:
    """Two lines of what a model would be given: whether it cites a note that answers, and the median of its tokens."""
    known = [(place, query) for place, query in enumerate(queries) if _belongs(query, "ALL")]
    most = "hit@10"  # a packet has eight items at most
    hits = {arm: [score(query, answers[place].cited)[most] for place, query in known] for arm, answers in given.items()}
    tokens = {
        arm: percentile([float(answers[place].tokens) for place, _ in known], 0.5) for arm, answers in given.items()
    }
    spent = {"set": f"{name}, packet", "metric": "tokens", "n": len(known), "values": tokens, "sure": []}
    return [_figures(f"{name}, packet", "cited", hits), spent]


def _belongs(query: Mapping[str, Any], group: str) -> bool:
    """As score.py groups: what cannot be answered is in none of the groups asked for here."""
    return query.get("answerable") is not False and group in ("ALL", f"cat {query.get('category', '?')}")


def _figures(label: str, metric: str, values: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    means = {name: sum(part) / len(part) if part else None for name, part in values.items()}
    base = next(iter(values.values()))
    sure = []
    for name, part in values.items():
        better = sum(mine > theirs for mine, theirs in zip(part, base, strict=True))
        worse = sum(mine < theirs for mine, theirs in zip(part, base, strict=True))
        if mcnemar(better, worse) < 0.05:
            sure.append(name)
    return {"set": label, "metric": metric, "n": len(base), "values": means, "sure": sure}


def line(found: Mapping[str, Any], arms: Mapping[str, Arm]) -> str:
    """A line as it is printed: the first arm's figure, then differences to it; `-` where an arm makes none."""
    values, whole = found["values"], found["metric"] == "tokens"
    base = next(iter(values.values()))
    cells = []
    for name in arms:
        value = values.get(name)
        if value is None or base is None:
            cells.append(f"{'-':>11} ")
        elif name == next(iter(arms)):
            cells.append(f"{value:>11.0f} " if whole else f"{value:>11.3f} ")
        else:
            mark = "*" if name in found["sure"] else " "
            cells.append(f"{value - base:>+11.0f}{mark}" if whole else f"{value - base:>+11.3f}{mark}")
    return f"{found['set']:<44}{found['metric']:>9}{found['n']:>6}" + "".join(cells)


if __name__ == "__main__":
    sys.exit(main())
