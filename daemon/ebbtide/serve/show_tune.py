"""A fit of settings as text: what changes and why, then before and after. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ebbtide.serve.show import Body, Pen, clean, table

_PARTS: Final = {
    "fitted": "exam: the half it was fitted to",
    "judged": "exam: the other half",
    "all": "exam: all questions",
}


def tune(body: Body, pen: Pen) -> str:
    """A job that fits: its report once it is done."""
    report = body["result"]
    if report is None:
        return f"{body['what']}: {body['state']}" + (f": {clean(body['message'])}" if body["message"] else "") + "\n"
    told = (f"  {clean(c['key'])}  {c['old']:g} -> {c['new']:g}  {clean(c['why'])}" for c in report["changes"])
    lines = [pen.bold(_head(report)), *told]
    rows = [_trial(trial) for trial in report["warmth"]] + [_exam(part) for part in report["exam"]]
    text = table(
        rows, ("measured on what was not fitted to, unless said", "before", "after", "difference", "verdict"), pen
    )
    lines += ["", text.rstrip("\n"), ""] if rows else []
    lines += [pen.dim(clean(notice["text"])) for notice in report["notices"]]
    return "\n".join([*lines, *_tail(report, pen)]) + "\n"


def _head(report: Mapping[str, Any]) -> str:
    uses = f"Tuned on {report['day']} by {report['uses']} confirmed uses"
    if not report["enough"]:
        return f"Not tuned: {report['uses']} of {report['needed']} confirmed uses"
    count = len(report["changes"])
    what = "1 setting" if count == 1 else f"{count} settings"
    done = "would change" if report["dry_run"] else "changed"
    return f"{uses}: {what} {done}" if count else f"{uses}: nothing better was found"


def _trial(trial: Mapping[str, Any]) -> tuple[object, ...]:
    verdict = "better" if trial["kept"] else "kept as it was"
    return (
        f"{trial['title']}, {trial['weeks']} weeks since {trial['since']} (less is better)",
        f"{trial['before']:.4f}",
        f"{trial['after']:.4f}",
        f"{trial['low']:+.4f} to {trial['high']:+.4f}",
        verdict,
    )


def _exam(part: Mapping[str, Any]) -> tuple[object, ...]:
    def share(side: Mapping[str, Any]) -> str:
        return f"{side['k']}/{part['n']} ({side['low']:.0%}-{side['high']:.0%})"

    moved = f"+{part['gained']} -{part['lost']}, p {part['p']:.2g}"
    return _PARTS[part["part"]], share(part["before"]), share(part["after"]), moved, part["verdict"]


def _tail(report: Mapping[str, Any], pen: Pen) -> list[str]:
    if report["revision"] is None:
        return [pen.dim("Nothing was written.")]
    held = (
        "in force now"
        if report["in_force"]
        else "but overruled: an environment variable or an option sets another value"
    )
    return [f"Set in {clean(report['file'])}, {held}. Take it back with: {clean(report['undo'])}"]


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {"tune": tune}
