"""Answers about facts, rulings and the review queue, as text for a person. Pure; see `show`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ebbtide.serve.show import Body, Pen, after, cite, clean, cut


def state(fact: Body) -> list[str]:
    """Where a fact stands, in words; nothing if it is plainly active."""
    words = [] if fact["state"] == "active" else [str(fact["state"])]
    if fact["superseded_by"]:
        words = [f"superseded by {fact['superseded_by']}"]
    if fact["merged_into"]:
        words = [f"merged into {fact['merged_into']}"]
    words += [word for word in ("expired", "pinned", "frozen", "forgotten", "refused") if fact[word]]
    if fact["disputes"]:
        words.append(f"disputed by {', '.join(fact['disputes'])}")
    heat = fact["temperature"]
    return words + ([heat["word"]] if heat else [])


def _fact_lines(fact: Body, pen: Pen) -> list[str]:
    about = ", ".join(clean(word) for word in [fact["type"], fact["created_at"], *state(fact)] if word)
    return [
        f"{pen.dim(clean(fact['id']))}  {pen.bold(clean(fact['fact']))}",
        f"    {cite(fact, 'source')}  {pen.dim(about)}",
    ]


def facts(body: Body, pen: Pen) -> str:
    """A page of facts, or of what was refused with the counts of each reason."""
    lines = [line for fact in body["facts"] for line in _fact_lines(fact, pen)]
    for entry in body["refused"]:
        fact = entry["fact"]
        lines.append(pen.bold(clean(fact.get("fact", ""))))
        place = f"{clean(entry['note'])}:{clean(fact.get('line', ''))}"
        lines.append(f"    {place}  {clean(entry['outcome'])}, {clean(entry['gate'])}: {clean(entry['reason'])}")
    for gate, codes in body["counts"].items():
        told = ", ".join(f"{number} {clean(code)}" for code, number in codes.items())
        lines.append(pen.dim(f"{clean(gate)}: {told}"))
    if not lines:
        return "No facts.\n"
    if body["next"]:
        lines.append(pen.dim(f"{body['total']} in all; go on with --after {body['next']}"))
    return "\n".join(lines) + "\n"


_SAID: Final = frozenset(["fact", "source", "line", "quote", "note_hash", "evidence"])
_STANDS: Final = frozenset(
    [
        "state",
        "superseded_by",
        "merged_into",
        "disputes",
        "temperature",
        "expired",
        "pinned",
        "frozen",
        "forgotten",
        "refused",
    ]
)
"""What `fact` shows in its own way."""


def fact(body: Body, pen: Pen) -> str:
    """Everything about one fact, and its history: when, what, by whom, why, and whether it was undone."""
    record = body["fact"]
    lines = [pen.bold(clean(record["fact"])), f"  {cite(record, 'source')}", pen.dim(f"  > {clean(record['quote'])}")]
    lines.append(f"  {'state':<12}{clean(', '.join(state(record)) or 'active')}")
    lines += [
        f"  {name:<12}{clean(', '.join(map(str, value)) if isinstance(value, list) else value)}"
        for name, value in record.items()
        if name not in _SAID | _STANDS and value not in (None, "", [], {})
    ]
    lines += [f"  also at     {cite(entry, 'source')}" for entry in record["evidence"]]
    lines += [f"  {_revision(entry)}" for entry in body["history"]]
    return "\n".join(lines) + "\n"


def _revision(r: Body) -> str:
    what = f"undo of {r['undoes']}" if r.get("undoes") else str(r.get("kind", ""))
    undone = " (undone)" if r.get("undone") else ""
    head = f"{clean(r.get('at', ''))}  {clean(r.get('id', ''))}  {clean(what)} by {clean(r.get('by', ''))}{undone}"
    return head + after(": ", r.get("why") or "")


def revised(body: Body, pen: Pen) -> str:
    """What a change of mind came to, and how to take it back."""
    lines = [f"{pen.bold(clean(note['path']))}  {clean(note['state'])}" for note in body["notes"]]
    lines += [line for entry in body["facts"] for line in _fact_lines(entry, pen)]
    lines += [f"{clean(ident)}  no note says it any more" for ident in body["absent"]]
    if body["revisions"]:
        lead = body["revisions"][0]
        done = f"took back {body['undone']}" if body["undone"] else clean(lead["kind"])
        lines.append(pen.dim(f"{done}; undo with: ebbtide undo {clean(lead['id'])}"))
    return "\n".join(lines or ["Done."]) + "\n"


def revisions(body: Body, _pen: Pen) -> str:
    """The latest revisions, a line each."""
    lines = [
        _revision(r) + (f" (+{r['parts']})" if r["parts"] else "") + f"  {clean(', '.join(r['subjects'][:3]))}"
        for r in body["revisions"]
    ]
    return "\n".join(lines or ["Nothing was decided yet."]) + "\n"


def review(item: Body, pen: Pen) -> str:
    """One open question with its sides."""
    since = pen.dim(clean(str(item["since"] or "")[:10]))
    lines = [f"{pen.bold(clean(item['question']))}  {since}"]
    two = len(item["sides"]) == 2 and item["kind"] == "dispute"
    for name, side in zip("ab" if two else "-" * len(item["sides"]), item["sides"], strict=False):
        lines.append(f"  {name}  {pen.bold(clean(side['fact']))}")
        about = ", ".join(clean(word) for word in (side["date"] or "no date", side["state"]))
        lines.append(f"     {cite(side)}  {pen.dim(about)}  {pen.dim(clean(side['id']))}")
        if clean(side["quote"]) != clean(side["fact"]):
            lines.append(pen.dim(f"     > {cut(clean(side['quote']), 200)}"))
    return "\n".join(lines) + "\n"


def reviews(body: Body, pen: Pen) -> str:
    """The open questions, each with the command that decides it."""
    lines = []
    for item in body["reviews"]:
        lines.append(review(item, pen).rstrip("\n"))
        lines.append(pen.dim(f"  ebbtide rule {clean(item['id'])} {'|'.join(c['ruling'] for c in item['choices'])}"))
    if not lines:
        return "Nothing to decide.\n"
    told = ", ".join(f"{number} {kind}" for kind, number in body["counts"].items() if number)
    more = f"; go on with --after {body['next']}" if body["next"] else ""
    lines.append(pen.dim(f"{body['total']} open: {told}{more}"))
    return "\n".join(lines) + "\n"


def used(body: Body, pen: Pen) -> str:
    """What was taken down, and what was not."""
    lines = [f"Recorded for {body['day']}: {', '.join(clean(i) for i in body['recorded'])}"] if body["recorded"] else []
    lines += [f"Not recorded: {pen.dim(clean(left['id']))} ({clean(left['reason'])})" for left in body["ignored"]]
    return "\n".join(lines) + "\n"


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {
    "facts": facts,
    "fact": fact,
    "correct": revised,
    "act": revised,
    "undo": revised,
    "rule": revised,
    "uses": used,
    "corrections": used,
    "revisions": revisions,
    "reviews": reviews,
}
"""How each answer is shown, by the name of its use-case."""
