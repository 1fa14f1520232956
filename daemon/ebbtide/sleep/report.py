"""The report of a night: `reports/DATE.md` with its charts and its twin for machines. Pure; formats.md 5.

Obsidian shows it without any plugin, and so does every other reader of Markdown. Its narrative is computed from the plan of the
night and the figures; what comes of notes is escaped, so that no note can add a link, a field or an order to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ebbtide.sleep import trend
from ebbtide.sleep.charts import charts
from ebbtide.sleep.edition import FOLDER, Edition
from ebbtide.sleep.markup import md, plain
from ebbtide.sleep.nights import Judged
from ebbtide.sleep.outlived import sealed
from ebbtide.sleep.report_hygiene import sections
from ebbtide.sleep.report_merge import sections as merged
from ebbtide.sleep.report_merge import success
from ebbtide.sleep.report_twin import twin_of
from ebbtide.sleep.report_words import known
from ebbtide.sleep.trend import KINDS, OUTCOMES, Kind, Record

SHOWN: Final = 40
"""Rows of a list that the page shows; the twin has all of them."""


def report(edition: Edition) -> dict[str, bytes]:
    """The three files, by their path in the memory folder. The same edition gives the same bytes."""
    history = trend.by_day([*edition.history, edition.record])
    stem = f"{FOLDER}/{edition.day}"
    shown = {
        ".md": markdown(edition, history).encode("utf-8", "replace"),
        ".svg": charts(history, edition.day, edition.lang).encode("utf-8", "replace"),
    }
    files = {**shown, ".json": sealed(twin_of(edition, history), shown)}
    return {stem + ending: data for ending, data in files.items()}


# --- the page -----------------------------------------------------------------------------------------------------


def markdown(edition: Edition, history: Sequence[Record]) -> str:
    """The page; what waits for a ruling heads it."""
    plan = edition.plan
    parts = [
        ["---", "type: report", f"date: {edition.day}", "---"],
        [f"# {edition.say('title', day=edition.day)}"],
        _summary(edition),
        _warnings(edition, history),
        success(edition.record, history, edition.lang),
        [f"## {edition.say('rulings')}"],
        _rulings(edition),
        [f"## {edition.say('figures')}"],
        _figures(edition, history),
        [f"![{edition.say('chart')}]({edition.day}.svg)"],
    ]
    if plan is not None:
        for name, title in (("promote", "promoted"), ("associate",) * 2, ("compress",) * 2, ("release",) * 2):
            parts += [[f"## {edition.say(title)}"], _outcome(edition, [j for j in plan.judged if j.decision == name])]
    parts += [
        *merged(edition.joined, edition.lang, edition.to),
        *sections(edition.hygiene, edition.lang, edition.to),
        [f"## {edition.say('layers')}"],
        _layers(edition, history),
        [f"## {edition.say('revive')}"],
        _back(edition),
        *([[f"## {edition.say('rest')}"], _rest(edition)] if edition.rest else []),
        [f"## {edition.say('spending')}"],
        _spending(edition),
    ]
    left = [*(plan.skipped if plan is not None else ()), *edition.skipped]
    if left:
        parts += [[f"## {edition.say('skipped')}"], [f"- {md(text, 400)}" for text in left]]
    twin = f"[{edition.day}.json]({edition.day}.json)"
    foot = "foot" if plan is not None else "foot_figures"
    parts.append(["---", "", edition.say(foot, json=twin, day=edition.day)])
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _summary(edition: Edition) -> list[str]:
    if edition.plan is None:
        return [edition.say("no_night")]
    found = trend.counts(edition.plan)
    lines = [edition.say("night", **found)]
    judged = len(edition.plan.judged)
    if judged:
        shares = edition.say("comma").join(
            f"{edition.say(f'{name}_share')} {found[name] / judged:.0%}" for name in OUTCOMES
        )
        lines.append(edition.say("share", shares=shares))
    return lines


def _warnings(edition: Edition, history: Sequence[Record]) -> list[str]:
    found = trend.warnings(edition.record, history)
    return [
        line
        for code in found
        for line in ("> [!warning]", f"> {trend.WARNINGS[code][edition.lang]}", "")
    ][:-1]  # fmt: skip


def _rulings(edition: Edition) -> list[str]:
    if not edition.rulings:
        return [edition.say("rulings_none")]
    lines = []
    for ruling in edition.rulings[:SHOWN]:
        kind = edition.say(ruling.kind) if known(ruling.kind) else md(ruling.kind)
        kind = edition.say("check") if ruling.why and ruling.kind == "expired" else kind
        why = f"{edition.say('colon')}{md(ruling.why)}" if ruling.why else ""
        lines.append(f"- **{kind}**, {edition.say('since', day=md(ruling.since[:10]))}{why}")
        lines += [f"  - {md(side.text)} ({edition.to(side.note, line=side.line)})" for side in ruling.sides]
    more = edition.open_ - len(edition.rulings[:SHOWN])
    return [*lines, "", edition.say("rulings_more", n=more) if more > 0 else edition.say("rulings_how")]


def _figures(edition: Edition, history: Sequence[Record]) -> list[str]:
    last, month = trend.before(history, edition.day), trend.before(history, edition.day, 30)
    heads = [edition.say("figure"), edition.say("now"), edition.say("of")]
    for name, past in (("last", last), ("month", month)):
        heads.append(edition.say(name) + (f" ({str(past['day'])[5:]})" if past is not None else ""))
    lines = [_row(heads), "|---|---:|---:|---|---|"]
    for kind in KINDS:
        now = trend.value(edition.record, kind.name)
        row = edition.record["figures"].get(kind.name) or {}
        k, n = row.get("k"), row.get("n")
        moved = [_moved(edition, kind, past) for past in (last, month)]
        told = (
            edition.say("undefined", why=trend.why(edition.record, kind.name, edition.lang))
            if now is None
            else told_value(now, kind)
        )
        lines.append(_row([kind.title(edition.lang), told, f"{k}/{n}" if now is not None and n else "", *moved]))
    return lines


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def told_value(number: float, kind: Kind) -> str:
    """A figure as a person reads it."""
    return f"{number:.0%}" if kind.unit == "share" else f"{number:.2f}" if kind.unit == "number" else f"{number:.0f}"


def _moved(edition: Edition, kind: Kind, earlier: Record | None) -> str:
    found = trend.change(edition.record, earlier, kind.name)
    if found is None:
        return edition.say("unknown")
    size = abs(found.by) * (100 if kind.unit == "share" else 1)
    amount = f"{size:.2f}" if kind.unit == "number" else f"{size:.0f}"
    if not float(amount):
        return "="
    unit = f" {edition.say('pt')}" if kind.unit == "share" else ""
    good = "" if found.good is None else f" ({edition.say('better' if found.good else 'worse')})"
    return f"{'▲' if found.by > 0 else '▼'} {amount}{unit}{good}"


def _outcome(edition: Edition, judged: Sequence[Judged]) -> list[str]:
    lines: list[str] = []
    for one in judged[:SHOWN]:
        lines += _released(edition, one) if one.decision == "release" else _taken(edition, one)
    return lines or [edition.say("none")]


def _taken(edition: Edition, one: Judged) -> list[str]:
    candidate, target = one.candidate, one.path if one.decision == "promote" else one.target
    name = "into" if one.decision in ("promote", "compress") else "with"
    where = f", {edition.say(name, target=edition.to(target))}" if target else ""
    if one.decision == "promote" and one.target:
        where += f", {edition.say('instead', target=edition.to(one.target))}"
    private = f" ({edition.say('private')})" if candidate.private else ""
    head = md(one.insight or candidate.title, 300)
    lines = [f"- **{head}**{private}: {edition.to(candidate.note, candidate.title)}{where}"]
    lines.append(f"  - {edition.say('why')}{edition.say('colon')}{md(one.reasoning, 400)}")
    if one.why:
        lines.append(f"  - {edition.say('evidence')}{edition.say('colon')}{md(one.why, 300)}")
    if one.how:
        lines.append(f"  - {edition.say('how')}{edition.say('colon')}{md(one.how, 300)}")
    lines += [
        f"  - “{md(q.text, 240)}” ({edition.to(q.note, line=q.line)})" for q in (one.places or candidate.quotes)[:3]
    ]
    if one.links:
        beside = edition.say("comma").join(map(edition.to, one.links))
        lines.append(f"  - {edition.say('beside')}{edition.say('colon')}{beside}")
    share = edition.say("relation", relation=edition.say(one.relation), share=f"{one.duplication:.0%}")
    return [
        *lines,
        f"  - {share}{edition.say('sep')}{_salience(edition, one)}{edition.say('sep')}{_judge(edition, one)}",
    ]


def _released(edition: Edition, one: Judged) -> list[str]:
    to = edition.to(one.candidate.note, one.candidate.title)
    waits = (
        f"{edition.say('sep')}{edition.say('until', day=md(one.until))}"
        if one.until and one.until not in one.reasoning
        else ""
    )
    why = f"{md(one.reasoning, 300)}{edition.say('sep')}{_salience(edition, one)}"
    return [f"- {to}{edition.say('colon')}{why}{waits}"]


def _salience(edition: Edition, one: Judged) -> str:
    parts = edition.say("comma").join(
        f"{edition.say(name) if known(name) else md(name)} {number:.2f}"
        for name, number in sorted(one.candidate.parts.items(), key=lambda item: (-item[1], item[0]))
        if number > 0
    )
    return edition.say("salience", value=f"{one.candidate.salience:.2f}", parts=parts or "0")


def _judge(edition: Edition, one: Judged) -> str:
    return edition.say("judge", judge=md(one.judge, 60))


def _layers(edition: Edition, history: Sequence[Record]) -> list[str]:
    heads = [edition.say(name) for name in ("layer", "records", "week")]
    lines = [_row(heads), "|---|---:|---|"]
    for row in trend.layer_rows(edition.record, history):
        week = row["week"]
        moved = (
            edition.say("unknown") if week is None else "=" if not week else f"{'▲' if week > 0 else '▼'} {abs(week)}"
        )
        why = row["why_zh"] if edition.lang == "zh" else row["why"]
        lines.append(_row([edition.say(row["layer"]), str(row["records"]), why or moved]))
    return lines


def _back(edition: Edition) -> list[str]:
    lines = []
    for back in edition.back:
        where = f" → {edition.to(*back.place)}" if back.place else ""
        lines.append(f"- {edition.to(back.path, back.title)}{edition.say('colon')}{md(back.question, 500)}{where}")
    return lines or [edition.say("revive_none")]


def _rest(edition: Edition) -> list[str]:
    lines = []
    for rest in edition.rest[:SHOWN]:
        ident = plain(rest.id, 40).replace("`", "")
        why = f"{edition.say('colon')}{md(rest.why)}"
        lines.append(f"- `{ident}` {md(rest.text)} ({edition.to(rest.note, line=rest.line)}){why}")
    more = len(edition.rest) - SHOWN
    return [*lines, *([edition.say("rest_more", n=more)] if more > 0 else []), "", edition.say("rest_how")]


def _spending(edition: Edition) -> list[str]:
    told = edition.spending
    if told is None or (not told.spent.requests and not told.waiting and not told.reason):
        return [edition.say("spent_none")]
    used = told.spent.usage
    whole = {"read": used.read + used.cached + used.stored, "cached": used.cached, "written": used.written}
    money = f"{told.spent.money:.4f}"
    lines = [edition.say("spent", requests=told.spent.requests, tokens=told.spent.tokens, money=money, **whole)]
    caps = {
        "tokens": told.tokens or edition.say("no_cap"),
        "money": f"{told.money:.2f}" if told.money else edition.say("no_cap"),
    }
    lines.append(edition.say("caps", **caps))
    if (night := told.night) is not None:
        cost = f"{night.money:.4f}"
        lines.append(edition.say("spent_night", requests=night.requests, tokens=night.tokens, money=cost))
    lines += [edition.say("waiting", n=told.waiting)] if told.waiting else []
    lines += [edition.say("paused", reason=md(told.reason, 300))] if told.reason else []
    return lines
