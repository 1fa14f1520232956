"""The health of the core and the digest of a day as text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ebbtide.serve.commands_health import AUTO
from ebbtide.serve.show import Body, Pen, clean, duration, table

_SIGNS: Final = {"better": "better", "worse": "worse", "same": "=", "neither": ""}


def health(body: Body, pen: Pen) -> str:
    """A table of figures, the layers, warnings."""
    if body["day"] is None:
        return f"{clean(body['hint'])}\n"
    age = "" if body["age_seconds"] is None else f", {duration(body['age_seconds'])} ago"
    lines = [pen.bold(f"Health of the core, computed {clean(body['day'])}{age}"), ""]
    rows = [_row(figure) for figure in body["figures"]]
    lines.append(table(rows, ("figure", "now", "of", "last", "30 days"), pen))
    lines += [f"not defined: {clean(f['title'])}: {clean(f['why'])}" for f in body["figures"] if f["value"] is None]
    layers = [(r["layer"], r["records"], _more(r["week"]), r["why"] or "") for r in body["layers"]]
    lines += ["", table(layers, ("layer", "records", "in a week", ""), pen)]
    if body["night"] is not None:
        lines.append(_night(body["night"]))
    lines += [pen.bad(clean(warning["text"])) for warning in body["warnings"]]
    if body["report"]:
        lines.append(pen.dim(f"Report: {clean(body['report'])}"))
    if body["kept"]:
        lines.append(pen.dim(f"Kept in {clean(body['kept'])}"))
    return "\n".join(line.rstrip("\n") for line in lines) + "\n"


def _row(figure: Mapping[str, Any]) -> tuple[str, ...]:
    value = figure["value"]
    now = "-" if value is None else _told(value, figure["unit"])
    share = f"{figure['k']}/{figure['n']}" if value is not None and figure["n"] else ""
    return (figure["title"], now, share, _move(figure["last"], figure["unit"]), _move(figure["month"], figure["unit"]))


def _told(value: float, unit: str) -> str:
    return f"{value:.0%}" if unit == "share" else f"{value:.2f}" if unit == "number" else f"{value:.0f}"


def _move(move: Mapping[str, Any] | None, unit: str) -> str:
    if move is None:
        return ""
    return f"{_told(move['value'], unit)} {_SIGNS[move['verdict']]}".strip()


def _more(week: int | None) -> str:
    return "" if week is None else f"{week:+d}" if week else "="


def _night(night: Mapping[str, Any]) -> str:
    return (
        f"Last night: {night['processed']} notes looked at, {night['candidates']} candidates: {night['promote']} promoted,"
        f" {night['associate']} associated, {night['compress']} compressed, {night['release']} released"
    )


def measured(body: Body, pen: Pen) -> str:
    """A job that computed the figures."""
    if body["result"] is None:
        return (
            f"{clean(body['what'])}: {body['state']}"
            + (f": {clean(body['message'])}" if body["message"] else "")
            + "\n"
        )
    return health(body["result"], pen)


def digest(body: Body, pen: Pen, markdown: str | None = None) -> str:
    """What is worth a minute. `markdown`: as the API gives it in that language, AUTO for that of most of what comes back."""
    if markdown is not None:
        most = [item["lang"] for item in body["revive"]]
        lang = markdown if markdown != AUTO else "zh" if 2 * most.count("zh") > len(most) else "en"
        told: str = body["markdown_zh" if lang == "zh" else "markdown"]
        return told
    lines = [pen.bold(f"{clean(body['day'])} ({clean(body['week'])})")]
    for item in body["revive"]:
        asked = item["question_zh" if item["lang"] == "zh" else "question"]
        lines += [f"  {clean(asked)}", pen.dim(f"    {clean(item['path'])}")]
        if item["place"] is not None:
            lines.append(pen.dim(f"    -> {clean(item['place']['path'])}"))
    for review in body["reviews"]:
        lines.append(f"  {clean(review['kind'])}: {clean(review['question'])}")
    left = body["open"] - len(body["reviews"])
    if left > 0:
        lines.append(f"  {left} more to rule on: ebbtide review")
    lines += [f"  {pen.bad(clean(warning['text']))}" for warning in body["warnings"]]
    if body["night"] is not None:
        lines.append(f"  {_night(body['night'])}")
    if body["report"]:
        lines.append(pen.dim(f"  Report: {clean(body['report'])}"))
    if body["hint"]:
        lines.append(pen.dim(f"  {clean(body['hint'])}"))
    if len(lines) == 1:
        lines.append("  Nothing waits for you.")
    return "\n".join(lines) + "\n"


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {"health": health, "measure": measured, "digest": digest}
