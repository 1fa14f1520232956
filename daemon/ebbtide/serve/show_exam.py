"""The exam as text: a table of figures with intervals and the last run, then what failed and how to look. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ebbtide.serve.show import Body, Pen, clean, table

NAMED: Final = 20
"""Failures that are shown; --json has all that the report names."""
_VERDICTS: Final = {"no difference": "no difference the numbers can show"}
_MEMORY: Final = {
    "memory": "memory helps",
    "newest notes": "the newest notes do better",
    "draw": "a draw: no difference the numbers can show",
}


def exam(body: Body, pen: Pen) -> str:
    """A job of the exam: its report once it is done."""
    report = body["result"]
    if report is None:
        return f"{body['what']}: {body['state']}" + (f": {clean(body['message'])}" if body["message"] else "") + "\n"
    counts = report["questions"]
    parts = [f"{counts['asked']} own questions", f"{counts['planted']} planted contradictions"]
    last = f", compared with {_when(report['last'])}" if report["last"] else ", the first run"
    changed = f" (changed since: {', '.join(report['changed'])})" if report["changed"] else ""
    lines = [pen.bold(f"Exam of {_when(report['at'])}: {', '.join(parts)}{last}{changed}"), ""]
    rows = [_row(figure) for figure in report["figures"]]
    text = table(rows, ("figure", "share", "of", "95 %", "last", "verdict"), pen)
    lines += [text.rstrip("\n")] if rows else []
    lines += ["", *_more(report)]
    lines += _failures(report, pen)
    for problem in report["problems"]:
        where = clean(problem["path"]) + (f":{problem['line']}" if problem["line"] else "")
        lines.append(f"{where}: {clean(problem['message'])} ({clean(problem['fix'])})")
    lines += [pen.dim(clean(notice["text"])) for notice in report["notices"]]
    lines.append(pen.dim(f"Kept in {clean(report['kept'])}" if report["kept"] else "Not kept."))
    return "\n".join(lines) + "\n"


def _row(figure: Mapping[str, Any]) -> tuple[object, ...]:
    last = figure["last"]
    verdict = ""
    if last is not None:
        moved = (
            "" if last["same"] == 0 else f" (+{last['gained']} -{last['lost']} of {last['same']}, p {last['p']:.2g})"
        )
        verdict = _VERDICTS.get(last["verdict"], last["verdict"]) + moved
    return (
        figure["title"] + (" (less is better)" if figure["lower_is_better"] else ""),
        f"{figure['k'] / figure['n']:.1%}",
        f"{figure['k']}/{figure['n']}",
        f"{figure['low']:.0%}-{figure['high']:.0%}",
        "" if last is None else f"{last['value']:.1%}",
        verdict,
    )


def _more(report: Body) -> list[str]:
    """What is no share: memory against the newest notes, tokens, corrections, times."""
    out = []
    memory, tokens = report["memory"], report["tokens"]
    if memory is not None:
        out.append(
            f"With memory against the newest notes: {memory['wins']} won, {memory['losses']} lost,"
            f" {memory['draws']} alike, p {memory['p']:.2g}: {_MEMORY[memory['verdict']]}"
            f" (judged by the answer's words {memory['by_words']},"
            f" by Claude {memory['by_claude']}, by the note {memory['by_note']})"
        )
        out.append(
            f"Tokens a question: {tokens['tokens']:.0f} with memory, {tokens['tokens_newest']:.0f} of the newest notes"
        )
    if report["corrections_per_week"] is not None:
        out.append(f"Corrections a week: {report['corrections_per_week']:g}")
    if report["latency"]:
        steps = {name: row for name, row in report["latency"].items() if name != "total"}
        total = report["latency"].get("total")
        rows = ([("total", total)] if total else []) + sorted(steps.items())
        told = [f"{clean(name)} {row['p50']:.0f}/{row['p95']:.0f}/{row['p99']:.0f}" for name, row in rows]
        out.append(f"Milliseconds p50/p95/p99: {', '.join(told)}")
    return [*out, ""] if out else out


def _failures(report: Body, pen: Pen) -> list[str]:
    out: list[str] = []
    for failure in report["failures"][:NAMED]:
        mark = pen.bad("went right in the last run: ") if failure["regression"] else ""
        out.append(f"{mark}{failure['part']} {clean(failure['id'])}: {clean(failure['why'])}")
        if failure["query"]:
            out.append(f"  {clean(failure['query'])}")
        wanted = ", ".join(map(clean, failure["wanted"])) or "nothing"
        got = ", ".join(map(clean, failure["got"])) or "nothing"
        out.append(f"  wanted {wanted}; came {got}")
        out.append(pen.dim(f"  {clean(failure['look'])}"))
    left = report["failure_count"] - len(report["failures"][:NAMED])
    return [*out, *([f"... and {left} more"] if left > 0 else []), *([""] if out else [])]


def questions(body: Body, pen: Pen) -> str:
    """The questions, those taken out, and what is wrong with other lines."""
    rows = [_question(question) for question in body["questions"]]
    rows += [
        (*_question(question)[:1], f"removed {question['removed']}", *_question(question)[2:])
        for question in body["removed"]
    ]
    text = table(rows, ("id", "kind", "gold", "question"), pen)
    if not rows:
        text = f"{clean(body['file'])} has no questions. Add one: ebbtide exam add QUESTION --gold NOTE\n"
    for problem in body["problems"]:
        where = f"{clean(problem['path'])}:{problem['line']}"
        text += f"{where}: {clean(problem['message'])} ({clean(problem['fix'])})\n"
    return text


def _question(question: Mapping[str, Any]) -> tuple[str, str, str, str]:
    gold = ", ".join(question["gold"]) or "(nothing)"
    return question["id"], question["kind"], gold, question["query"]


def question(body: Body, _pen: Pen) -> str:
    """One question that was added, taken out or brought back."""
    one = body["question"]
    state = (
        f"removed; `ebbtide exam remove {one['id']} --undo` brings it back" if one["removed"] else "asked from now on"
    )
    return f"{clean(one['id'])}: {clean(one['query'])}\n  {state} ({body['asked']} in all)\n"


def runs(body: Body, pen: Pen) -> str:
    """The last runs, a line each."""
    names = ("hit@3", "must-cite", "detected", "handled", "with-memory", "newest-notes", "citation", "pollution")
    shown = [name for name in names if any(name in run["figures"] for run in body["runs"])]
    rows = [
        (
            _when(run["at"]),
            run["version"],
            run["model"] or "-",
            run["only"] or "all",
            *(f"{run['figures'][name]:.1%}" if name in run["figures"] else "" for name in shown),
        )
        for run in body["runs"]
    ]
    head = ("when", "version", "model", "part", *shown)
    return table(rows, head, pen) or "The exam was not sat yet: ebbtide exam run\n"


def _when(at: str) -> str:
    return clean(at[:16].replace("T", " "))


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {
    "exam": exam,
    "exam_runs": runs,
    "exam_questions": questions,
    "exam_add": question,
    "exam_remove": question,
}
