"""Answers as text for a person: plain, readable without colour, citations as `note:line`.

Pure: a function takes the API's object and a `Pen` and returns text. What comes from notes is cleaned of control
characters, so that a note cannot drive the terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Body = Mapping[str, Any]
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Pen:
    """Colour or none, and how wide a line may be (None: as long as it likes, for pipes)."""

    color: bool = False
    width: int | None = None

    def bold(self, text: str) -> str:
        """What is looked for first."""
        return self._in("1", text)

    def dim(self, text: str) -> str:
        """What is only there if wanted."""
        return self._in("2", text)

    def good(self, text: str) -> str:
        """In order."""
        return self._in("32", text)

    def bad(self, text: str) -> str:
        """Not in order."""
        return self._in("31", text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and text else text


def clean(text: object) -> str:
    """One line without control characters or hidden changes of direction."""
    return _CONTROL.sub("\ufffd", " ".join(str(text).split()))


def columns(text: str) -> int:
    """How many columns a terminal gives the text: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def cut(text: str, width: int) -> str:
    """The text in at most so many columns, with an ellipsis if something is missing."""
    if columns(text) <= width:
        return text
    out, used = [], 1
    for char in text:
        used += columns(char)
        if used > width:
            break
        out.append(char)
    return "".join(out) + "…"


def table(rows: Iterable[Sequence[object]], head: Sequence[str], pen: Pen) -> str:
    """Columns that line up, wide characters included; only the last one is cut, and only on a terminal."""
    cells = [[clean(cell) for cell in row] for row in rows]
    if not cells:
        return ""
    widths = [max(columns(row[i]) for row in [*cells, list(head)]) for i in range(len(head) - 1)]
    room = None if pen.width is None else max(20, pen.width - sum(widths) - 2 * len(widths))

    def line(row: Sequence[str]) -> str:
        padded = [cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=False)]
        return "  ".join([*padded, row[-1] if room is None else cut(row[-1], room)]).rstrip()

    return "\n".join([pen.dim(line(list(head))), *map(line, cells)]) + "\n"


def cite(record: Body, note: str = "note") -> str:
    """Where it stands."""
    return f"{clean(record[note])}:{record['line']}"


def status(body: Body, pen: Pen) -> str:
    """State, counts, progress, problems."""
    counts, progress, model = body["counts"], body["progress"], body["model"]
    where = f"process {body['pid']}" + (f", port {body['port']}" if body["port"] else ", no daemon")
    state = pen.good(body["state"]) if body["state"] == "ready" else pen.bold(body["state"])
    lines = [
        f"{pen.bold(clean(body['vault']['name']))}  {state}  {clean(body['message'])}",
        f"  vault     {clean(body['vault']['path'])}",
        f"  daemon    Ebbtide {body['version']}, {where}, up {duration(body['uptime_seconds'])}",
        f"  notes     {counts['indexed']} of {counts['notes']} indexed, {counts['pending']} pending,"
        f" {counts['skipped']} skipped, {counts['failed']} failed",
        f"  memory    {counts['facts']} facts, {counts['passages']} passages, {counts['links']} links"
        f" ({counts['unresolved']} unresolved, {counts['ambiguous']} ambiguous)",
        f"  keyword   {'ready' if body['keyword_ready'] else 'not yet'}",
        f"  meaning   {counts['vectors']} of {counts['vectors_wanted']} vectors,"
        f" model {clean(model['name']) or 'none'} {model['state']}" + after(": ", model["message"]),
        f"  watching  {body['watch']['mode']}" + after(": ", body["watch"]["message"]),
    ]
    if progress["total"]:
        eta = "" if progress["eta_seconds"] is None else f", about {duration(progress['eta_seconds'])} to go"
        lines.append(f"  now       {progress['phase']} {progress['done']} of {progress['total']}{eta}")
    if body["problem_count"]:
        lines.append(pen.bold(f"\n{body['problem_count']} problem{'s' * (body['problem_count'] != 1)} in the vault"))
        lines += [f"  {problem_line(problem)}" for problem in body["problems"]]
        if body["problem_count"] > len(body["problems"]):
            lines.append(pen.dim("  ..."))
    return "\n".join(lines) + "\n"


def problem_line(problem: Body) -> str:
    """File, line, what and how to put it right."""
    where = clean(problem["path"]) + ("" if problem["line"] is None else f":{problem['line']}")
    return f"{where}  {clean(problem['message'])} ({clean(problem['fix'])})"


def recall(body: Body, pen: Pen, explain: bool = False) -> str:
    """The memories, best first, each with its place and reasons."""
    lines: list[str] = []
    for number, item in enumerate(body["items"], 1):
        lead = pen.dim(" (a lead, not certain)") if item["lead"] else ""
        lines.append(f"{number}. {pen.bold(clean(item['text']))}{lead}")
        about = [item["type"], *([item["as_of"]] if item["as_of"] else []), *_state(item)]
        lines.append(f"   {cite(item)}  {pen.dim(', '.join(clean(word) for word in about))}")
        if item["quote"] and clean(item["quote"]) != clean(item["text"]):
            lines.append(pen.dim(f"   > {cut(clean(item['quote']), 200)}"))
        lines += [pen.dim(f"   - {clean(reason)}") for reason in item["why"]]
        for step in item["chain"]:
            replaced = f" (superseded by {clean(step['superseded_by'])})" if step["superseded_by"] else ""
            lines.append(f"   {pen.dim(clean(step['words']))} {clean(step['note'])}{replaced}")
            lines.append(pen.dim(f"     > {cut(clean(step['text']), 160)}  {clean(step['source'])}:{step['line']}"))
        if explain:
            lines.append(pen.dim(f"   score {item['score']:.3f} = {parts_of(item['parts'])}"))
    if not body["items"]:
        lines.append(clean(body["empty_reason"] or "Nothing was found."))
    hidden = ", ".join(f"{count} {state}" for state, count in body["hidden"].items() if count)
    if hidden:
        lines.append(pen.dim(f"Hidden: {hidden}; --include shows them."))
    lines += [pen.dim(f"Left out: {clean(skip['step'])}: {clean(skip['why'])}") for skip in body["skipped"]]
    if explain:
        steps = ", ".join(f"{step} {value:.0f} ms" for step, value in body["ms"].items())
        lines.append(
            pen.dim(f"{body['tokens']} of {body['budget']} tokens, by {body['counted']}; {body['frame']}; {steps}")
        )
    return "\n".join(lines) + "\n"


def _state(item: Body) -> list[str]:
    words = [] if item["state"] == "active" else [item["state"]]
    words += ["historical"] if item["frame"] == "historical" else []
    heat = item["temperature"]
    return words + ([heat["word"]] if heat else [])


def parts_of(parts: Body) -> str:
    """What a score is made of."""
    numbers = [
        f"{name} {parts[name]:.2f}"
        for name in ("R", "F", "I", "W", "B", "gate", "lapse")
        if parts.get(name) is not None
    ]
    found = [f"{name} #{at['rank']} ({at['score']:.3g})" for name, at in parts["channels"].items()]
    return ", ".join([*numbers, *found])


def why(body: Body, pen: Pen) -> str:
    """The chain, a place a line, each with the sentence that leads to it."""
    lines: list[str] = []
    for number, place in enumerate(body["chain"]):
        lines += _place(place, pen, "" if number == 0 else "   " * min(number, 6))
    if body["branches"]:
        lines.append(pen.dim("\nalso:"))
        for place in body["branches"]:
            lines += _place(place, pen, "   ")
    lines.append(("\n" if lines else "") + clean(body["message"]))
    if not body["chain"] and body["notes"]:
        lines.append(pen.dim(f"nearest: {', '.join(clean(note) for note in body['notes'][:3])}"))
    lines += [pen.dim(f"left out: {clean(left['step'])} ({clean(left['why'])})") for left in body["skipped"]]
    return "\n".join(lines) + "\n"


def _place(place: Body, pen: Pen, indent: str) -> list[str]:
    edge = place["edge"]
    words = "" if edge is None else f"{pen.dim(clean(edge['words']))} "
    about = [*([place["date"]] if place["date"] else []), *_replaced(place)]
    head = f"{indent}{words}{pen.bold(clean(place['title']))}  {cite(place)}"
    lines = [head + (f"  {pen.dim(', '.join(clean(word) for word in about))}" if about else "")]
    if edge is not None:
        sure = "" if edge["declared"] else f" ({edge['confidence']:.0%})" if edge["reasoned"] else " (a mention only)"
        lines.append(
            pen.dim(f"{indent}  > {cut(clean(edge['sentence']), 200)}  {clean(edge['source'])}:{edge['line']}{sure}")
        )
    return lines


def _replaced(place: Body) -> list[str]:
    return [f"superseded by {place['superseded_by']}"] if place["superseded_by"] else []


def related(body: Body, pen: Pen) -> str:
    """Memories near a note."""
    lines = []
    for number, item in enumerate(body["items"], 1):
        lines.append(f"{number}. {pen.bold(clean(item['title']))}  {cite(item)}")
        lines += [pen.dim(f"   - {clean(reason)}") for reason in item["why"]]
    return "\n".join(lines or [clean(body["empty_reason"] or "No other note is near.")]) + "\n"


def episodes(body: Body, pen: Pen) -> str:
    """A page of attempts, each part with its place."""
    lines = []
    for told in body["episodes"]:
        about = ", ".join(clean(word) for word in (told["type"], told["date"], told["result"]) if word)
        lines.append(f"{pen.bold(clean(told['title']))}  {clean(told['note'])}  {pen.dim(about)}")
        for name, said in told["parts"].items():
            lines.append(f"    {name:<9}{cut(clean(said['text']), 200)}  {pen.dim(clean(told['note']))}:{said['line']}")
        if told["missing"]:
            lines.append(f"    {pen.bad('not said')}: {', '.join(told['missing'])}")
        if told["facts"]:
            lines.append(pen.dim(f"    facts    {' '.join(told['facts'])}"))
    counts = ", ".join(f"{number} {clean(name)}" for name, number in body["counts"].items())
    more = f"; go on with --after '{clean(body['next'])}'" if body["next"] else ""
    lines.append(pen.dim(f"{len(body['episodes'])} of {body['total']}{after('; in all ', counts)}{more}"))
    return "\n".join(lines) + "\n"


def links(body: Body, pen: Pen) -> str:
    """Edges as a table, or what no edge connects, or their numbers."""
    if body["stats"] is not None:
        return _link_stats(body["stats"])
    more = f"; go on with --after '{clean(body['next'])}'" if body["next"] else ""
    if body["orphan_counts"] is not None:
        lines = [f"{entry['kind']:<10}  {clean(entry['path'])}" for entry in body["orphans"]]
        counts = ", ".join(f"{number} {kind}{'s' * (number != 1)}" for kind, number in body["orphan_counts"].items())
        return "\n".join([*lines, pen.dim(f"{counts} in all{more}")]) + "\n"
    rows = [(cite(link, "source"), link["type"], link["weight"], _leads_to(link)) for link in body["links"]]
    tail = f"{len(rows)} of {body['total']} links; {body['unresolved']} unresolved, {body['ambiguous']} ambiguous{more}"
    return table(rows, ("from", "type", "weight", "to"), pen) + pen.dim(tail) + "\n"


def _leads_to(link: Body) -> str:
    text = (link["target"] or f"nowhere: {link['raw']}") + (" (ambiguous)" if link["ambiguous"] else "")
    if link["missing"] is not None:
        text += f" has no {link['missing']}"
    if link["others"]:
        text += f"; could be {', '.join(link['others'])}"
    near = (f"{near['name']} ({near['path']}, {near['nearness']:.0%})" for near in link["near"])
    return text + after("; did you mean ", ", ".join(near))


def _link_stats(stats: Body) -> str:
    parts = [
        f"{stats['edges']} edges, {stats['resolved_share']:.1%} resolved, {stats['typed_share']:.1%} typed",
        f"{stats['notes_typed']} of {stats['notes']} notes have a typed edge ({stats['notes_typed_share']:.1%})",
        *(f"  {clean(name):<16}{number}" for name, number in stats["by_type"].items()),
        *(f"  from {name:<11}{number}" for name, number in stats["by_origin"].items()),
    ]
    return "\n".join(parts) + "\n"


def notes(body: Body, pen: Pen) -> str:
    """What became of each note, as a table."""
    rows = [
        (note["path"], note["status"], note["facts"], note["links"], note["reason"] or "") for note in body["notes"]
    ]
    tail = ", ".join([f"{len(rows)} of {body['total']} shown", *(f"{n} {name}" for name, n in body["counts"].items())])
    return table(rows, ("note", "status", "facts", "links", "why"), pen) + pen.dim(tail) + "\n"


def note(body: Body, pen: Pen) -> str:
    """One note as it was read."""
    path = clean(body["path"])
    lines = [f"{pen.bold(clean(body['title']))}  {path}  {body['status']}" + after(": ", body["reason"])]
    lines += [f"  {name}: {clean(value)}" for name, value in body["properties"].items()]
    if body["tags"]:
        lines.append("  tags: " + ", ".join(f"#{clean(tag['name'])}" for tag in body["tags"]))
    lines += [f"  {path}:{head['line']}  {'#' * head['level']} {clean(head['text'])}" for head in body["headings"]]
    lines.append(f"  {len(body['passages'])} passages")
    lines += [f"  fact  {cite(entry, 'source')}  {clean(entry['fact'])}" for entry in body["facts"]]
    lines += [f"  to    {clean(link['target'] or link['raw'])}  {link['type']}" for link in body["links"]]
    lines += [f"  from  {cite(link, 'source')}  {link['type']}" for link in body["backlinks"]]
    lines += [f"  {pen.bad('problem')}  {problem_line(problem)}" for problem in body["problems"]]
    return "\n".join(lines) + "\n"


def job(body: Body, pen: Pen) -> str:
    """How a job ended."""
    state = pen.good("done") if body["state"] == "done" else pen.bold(body["state"])
    return f"{clean(body['what'])}: {state}" + after(", ", body["message"]) + "\n"


def doctor(body: Body, pen: Pen) -> str:
    """Every check; under those that failed why that matters and the remedy."""
    lines = []
    for check in body["checks"]:
        mark = pen.good("ok  ") if check["ok"] else pen.bad("FAIL")
        lines.append(f"{mark}  {clean(check['title'])}: {clean(check['message'])}")
        lines += [] if check["ok"] else [pen.dim(f"      {clean(check['why'])}")]
        lines += [f"      {clean(check['fix'])}"] if check["fix"] else []
    return "\n".join(lines) + "\n"


def paused(body: Body, _pen: Pen) -> str:
    """What `pause` and `resume` came to."""
    until = f" until {body['paused_until']}" if body["paused_until"] else ""
    return f"The daemon is {body['state']}{until}.\n"


def duration(seconds: float) -> str:
    """Roughly how long, in the two largest units."""
    whole = int(seconds)
    for unit, size, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // part} {smaller}"
    return f"{whole} s"


def after(mark: str, text: object) -> str:
    """The text behind a mark, or nothing."""
    return f"{mark}{clean(text)}" if text else ""


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {
    "status": status,
    "recall": recall,
    "why": why,
    "related": related,
    "episodes": episodes,
    "links": links,
    "note": note,
    "notes": notes,
    "rebuild": job,
    "doctor": doctor,
    "pause": paused,
    "resume": paused,
}
"""How each answer is shown, by the name of its use-case; those about facts and rulings are in `show_rulings`."""
