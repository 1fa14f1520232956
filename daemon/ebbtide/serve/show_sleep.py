"""A night as text: what was decided about each candidate and why, in one line or two. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ebbtide.serve.show import Body, Pen, clean

_DONE: Final[Mapping[str, str]] = {
    "promote": "promoted",
    "associate": "associated",
    "compress": "compressed",
    "release": "let go",
}


def sleep(body: Body, pen: Pen) -> str:
    """A job of the night: what came of it, once it is done."""
    told = body["result"]
    if told is None:
        return f"{body['what']}: {body['state']}" + (f": {clean(body['message'])}" if body["message"] else "") + "\n"
    if told["undone"]:
        left = [f"Left as you changed it: {clean(path)}" for path in told["left"]]
        return "\n".join([f"The night of {told['day']} was taken back ({told['undone']}).", *left]) + "\n"
    if not told["day"]:
        return "Nothing was under way.\n"
    counts = ", ".join(f"{told['counts'][name]} {word}" for name, word in _DONE.items())
    would = " (only shown: nothing was written)" if told["dry_run"] else ""
    head = (
        f"Night of {told['day']}: {told['processed']} notes looked at, {told['candidates']} candidates: {counts}{would}"
    )
    lines = [pen.bold(head)]
    for one in told["judged"]:
        lines += ["", *_judged(one, pen)]
    done = told["hygiene"]
    if any(done.values()):
        put_away = f"{done['moved']} working notes put away ({done['episodes']} as episodes)"
        lines += ["", f"Hygiene: {done['asked']} questions asked, {put_away}, {done['set_aside']} statements set aside"]
    lines += [pen.dim(f"Left out: {clean(why)}") for why in told["skipped"]]
    if told["undo"]:
        lines += ["", pen.dim(f"Take it back: {told['undo']}")]
    return "\n".join(lines) + "\n"


def _judged(one: Mapping[str, Any], pen: Pen) -> list[str]:
    where = one["path"] or one["target"]
    into = f" -> {clean(where)}" if where else ""
    waits = one["until"] and one["decision"] == "release"
    word = "waits" if waits else _DONE[one["decision"]]
    lines = [f"{pen.bold(word)}{into}  {clean(one['note'])} ({one['day']}, salience {one['salience']:.2f})"]
    if one["insight"]:
        own = one["judge"] == "rules"  # else it may be a model's wording of what the person said
        lines.append(f"  “{clean(one['insight'])}”" if own else f"  {clean(one['insight'])}")
    by = "" if one["judge"] == "rules" else f" (judged by {clean(one['judge'])})"
    lines.append(pen.dim(f"  {one['relation']}: {clean(one['reasoning'])}{by}"))
    return lines


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {"sleep": sleep}
