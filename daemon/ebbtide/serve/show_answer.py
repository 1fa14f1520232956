"""Answers to `ask` and `explain` as text for a person. Pure; see `show`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ebbtide.recall.answer_marks import unescaped
from ebbtide.serve.show import Body, Pen, cite, clean, cut, parts_of


def answer(body: Body, pen: Pen) -> str:
    """The answer, then where each quote stands."""
    lines = [clean(unescaped(line)) if line else "" for line in body["answer"].split("\n")]
    if lines:
        lines[0] = pen.bold(lines[0])
    if body["citations"]:
        lines.append("")
    for cited in body["citations"]:
        about = [cited["heading"], cited["as_of"], *_standing(cited)]
        tail = ", ".join(clean(word) for word in about if word)
        lines.append(f"[{cited['n']}] {cite(cited)}" + (f"  {pen.dim(tail)}" if tail else ""))
    lines += [pen.dim(f"  ? {clean(near['title'])}  {clean(near['note'])}") for near in body["nearest"]]
    if body["why"]:
        lines.append(pen.dim(clean(body["why"])))
    hidden = ", ".join(f"{count} {clean(state)}" for state, count in body["hidden"].items() if count)
    if hidden:
        lines.append(pen.dim(f"Hidden: {hidden}; --include shows them."))
    lines += [pen.dim(f"Left out: {clean(skip['step'])}: {clean(skip['why'])}") for skip in body["skipped"]]
    return "\n".join(lines) + "\n"


def _standing(cited: Body) -> list[str]:
    return ([] if cited["state"] == "active" else [cited["state"]]) + (["disputed"] if cited["disputed"] else [])


def explain(body: Body, pen: Pen) -> str:
    """What each stage of recall made of the note."""
    lines = [pen.bold(clean(body["reason"]))]
    for step in body["steps"]:
        mark = pen.good("+") if step["passed"] else pen.bad("-")
        lines.append(f"  {mark} {clean(step['title'])}: {clean(step['message'])}")
    for item in body["items"]:
        lines.append(f"    {cite(item)}  {cut(clean(item['text']), 300)}")
        lines.append(pen.dim(f"    score {item['score']:.3f} = {parts_of(item['parts'])}"))
    return "\n".join(lines) + "\n"


SHOWN: Final[dict[str, Callable[[Body, Pen], str]]] = {"answer": answer, "explain": explain}
