"""Trend charts of the figures as one SVG picture: small panels, axes with units, from zero where lengths are compared. Pure.

Lines differ in colour, dash and mark, and are named at their end, so that no colour must be told apart; the colours are those of
Okabe and Ito. The picture brings its own background, a dark one where the reader's system is dark, so it can be read on any page.
Nothing in it is loaded from anywhere. What is not defined on a day is a gap, never a zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from ebbtide.memory.states import Lang
from ebbtide.sleep.markup import xml
from ebbtide.sleep.trend import OUTCOMES, Record, value

DAYS: Final = 90
"""Days that the charts go back, at most."""
LEAST: Final = 14
"""Days that they show at least, so that two nights do not look like a trend."""
_WIDTH, _HEIGHT, _GAP, _MARGIN = 380, 200, 16, 20
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 112, 52, 28
_MARKS: Final = ("circle", "square", "diamond")
_DASHES: Final = ("", "6 4", "2 3")

_STYLE: Final = """
.page{fill:#fbfaf7}.card{fill:#fff;stroke:#dcd9d1}.ink{fill:#2b2a28}.soft{fill:#6a675f}.grid{stroke:#e6e3dc}.axis{stroke:#8a877f}
.l0{stroke:#0072b2}.l1{stroke:#b84a00}.l2{stroke:#007a5a}.f0{fill:#0072b2}.f1{fill:#b84a00}.f2{fill:#007a5a}
.b0{fill:#0072b2}.b1{fill:#56b4e9}.b2{fill:#e69f00}.b3{fill:#aaa598}
text{font-family:system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;font-size:11px}
.title{font-size:13px;font-weight:600}.now{font-size:12px;font-weight:600}.line{fill:none;stroke-width:2;stroke-linejoin:round}
@media (prefers-color-scheme:dark){.page{fill:#1d1c1a}.card{fill:#262523;stroke:#3d3b37}.ink{fill:#eceae4}.soft{fill:#a9a69d}
.grid{stroke:#383632}.axis{stroke:#7b786f}.l0{stroke:#56b4e9}.l1{stroke:#f28e4c}.l2{stroke:#2fc99c}.f0{fill:#56b4e9}.f1{fill:#f28e4c}
.f2{fill:#2fc99c}.b0{fill:#56b4e9}.b1{fill:#1f78b0}.b2{fill:#e69f00}.b3{fill:#6b6860}}
"""
_WORDS: Final[Mapping[str, Mapping[Lang, str]]] = {
    "head": {"en": "Health of the core until {day}", "zh": "核心记忆的健康状况，截至 {day}"},
    "freshness": {"en": "Freshness", "zh": "新鲜度"},
    "coherence": {"en": "Coherence", "zh": "连贯度"},
    "steps": {"en": "Steps between memories", "zh": "记忆之间的步数"},
    "core": {"en": "Size and backlog", "zh": "规模与积压"},
    "pollution": {"en": "Pollution", "zh": "污染"},
    "night": {"en": "Candidates by outcome", "zh": "候选的去向"},
    "share": {"en": "% of core memories", "zh": "占核心记忆的 %"},
    "number": {"en": "steps", "zh": "步"},
    "count": {"en": "number", "zh": "条数"},
    "candidates": {"en": "candidates a night", "zh": "每晚候选数"},
    "fresh": {"en": "fresh", "zh": "新鲜"},
    "all": {"en": "any link", "zh": "任何链接"},
    "typed": {"en": "named", "zh": "明确关系"},
    "mean": {"en": "all", "zh": "全部"},
    "inside": {"en": "largest part", "zh": "最大部分"},
    "size": {"en": "core", "zh": "核心"},
    "backlog": {"en": "open > 1 day", "zh": "未裁决"},
    "polluted": {"en": "polluted", "zh": "被污染"},
    "promote": {"en": "promoted", "zh": "提升"},
    "associate": {"en": "associated", "zh": "关联"},
    "compress": {"en": "compressed", "zh": "压缩"},
    "release": {"en": "released", "zh": "释放"},
    "none": {"en": "not defined yet", "zh": "尚无定义"},
}
_PANELS: Final[tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]] = (
    ("freshness", "share", (("freshness", "fresh"),)),
    ("coherence", "share", (("coherence", "all"), ("coherence_typed", "typed"))),
    ("steps", "number", (("steps", "mean"), ("inside", "inside"))),
    ("core", "count", (("core", "size"), ("backlog", "backlog"))),
    ("pollution", "share", (("pollution", "polluted"),)),
)
"""(title, unit, lines); a line is (figure, its name)."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The inner corner of a panel, the days of its x axis and the top of its y axis, which begins at zero."""

    x: float
    y: float
    first: date
    last: date
    top: float

    @property
    def width(self) -> float:
        return _WIDTH - _LEFT - _RIGHT

    @property
    def height(self) -> float:
        return _HEIGHT - _TOP - _BOTTOM

    def at(self, day: date) -> float:
        return self.x + self.width * (day - self.first).days / max(1, (self.last - self.first).days)

    def up(self, number: float) -> float:
        return self.y + self.height * (1 - min(number, self.top) / self.top)


def charts(history: Sequence[Record], day: str, lang: Lang) -> str:
    """The picture. `history` is one record a day, oldest first (trend.by_day), that of `day` among them."""
    last = date.fromisoformat(day)
    known = [r for r in history if last - timedelta(days=DAYS - 1) <= date.fromisoformat(str(r["day"])) <= last]
    first = min([date.fromisoformat(str(r["day"])) for r in known] + [last - timedelta(days=LEAST - 1)])
    rows = (len(_PANELS) + 2) // 2
    width = 2 * _WIDTH + _GAP + 2 * _MARGIN
    height = rows * (_HEIGHT + _GAP) - _GAP + 2 * _MARGIN + 24
    head = xml(_WORDS["head"][lang].format(day=day))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{head}" lang="{lang}">',
        f"<title>{head}</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}" rx="10"/>',
        f'<text class="ink title" x="{_MARGIN}" y="{_MARGIN + 8}">{head}</text>',
    ]
    for number in range(len(_PANELS) + 1):
        x = _MARGIN + (number % 2) * (_WIDTH + _GAP)
        y = _MARGIN + 24 + (number // 2) * (_HEIGHT + _GAP)
        if number < len(_PANELS):
            out += _lines(_PANELS[number], known, (x, y), (first, last), lang)
        else:
            out += _bars(known, (x, y), (first, last), lang)
    return "\n".join([*out, "</svg>", ""])


def _lines(
    panel: tuple[str, str, tuple[tuple[str, str], ...]],
    known: Sequence[Record],
    corner: tuple[int, int],
    span: tuple[date, date],
    lang: Lang,
) -> list[str]:
    title, unit, names = panel
    scale = 100.0 if unit == "share" else 1.0
    drawn = [
        (label, [(date.fromisoformat(str(r["day"])), v * scale) for r in known if (v := value(r, name)) is not None])
        for name, label in names
    ]
    most = max((v for _, points in drawn for _, v in points), default=0.0)
    frame = _frame(corner, span, 100.0 if unit == "share" else nice(most))
    out = _card(title, unit, corner, frame, lang)
    days = [date.fromisoformat(str(r["day"])) for r in known]
    ends: list[tuple[float, str, int]] = []
    for number, (label, points) in enumerate(drawn):
        if not points:
            continue
        for run in _runs(points, days):
            path = " ".join(f"{_n(frame.at(day))},{_n(frame.up(v))}" for day, v in run)
            dash = f' stroke-dasharray="{_DASHES[number]}"' if _DASHES[number] else ""
            out.append(f'<polyline class="line l{number}"{dash} points="{path}"/>' if len(run) > 1 else "")
            out += [_mark(number, frame.at(day), frame.up(v)) for day, v in (run if len(run) == 1 else run[-1:])]
        shown = f"{xml(_WORDS[label][lang])} {_told(points[-1][1], unit)}"
        ends.append((frame.up(points[-1][1]), shown, number))
    out += _ends(ends, frame)
    if not ends:
        out.append(_nothing(frame, lang))
    return [line for line in out if line]


def _bars(known: Sequence[Record], corner: tuple[int, int], span: tuple[date, date], lang: Lang) -> list[str]:
    nights = [(date.fromisoformat(str(r["day"])), _night(r)) for r in known if r.get("night")]
    most = max((sum(counts) for _, counts in nights), default=0)
    frame = _frame(corner, span, nice(float(most)))
    out = _card("night", "candidates", corner, frame, lang)
    step = frame.width / ((span[1] - span[0]).days + 1)
    wide = max(1.0, min(14.0, step * 0.8))
    for day, counts in nights:
        below = 0.0
        left = frame.x + step * ((day - span[0]).days + 0.5) - wide / 2
        for number, count in enumerate(counts):
            if count:
                top = frame.up(below + count)
                tall = frame.up(below) - top
                out.append(
                    f'<rect class="b{number}" x="{_n(left)}" y="{_n(top)}" width="{_n(wide)}" height="{_n(tall)}"/>'
                )
            below += count
    last = nights[-1][1] if nights else [0] * len(OUTCOMES)
    for number, name in reversed(list(enumerate(OUTCOMES))):
        y = frame.y + 12 + 20 * (len(OUTCOMES) - 1 - number)
        x = frame.x + frame.width + 8
        out.append(f'<rect class="b{number}" x="{_n(x)}" y="{_n(y - 9)}" width="10" height="10"/>')
        out.append(f'<text class="ink" x="{_n(x + 14)}" y="{_n(y)}">{xml(_WORDS[name][lang])} {last[number]}</text>')
    if not nights:
        out.append(_nothing(frame, lang))
    return out


def _night(item: Record) -> list[int]:
    row = item.get("night")
    found = [row.get(name) if isinstance(row, Mapping) else 0 for name in OUTCOMES]
    return [count if isinstance(count, int) and count > 0 else 0 for count in found]


def _frame(corner: tuple[int, int], span: tuple[date, date], top: float) -> _Frame:
    return _Frame(corner[0] + _LEFT, corner[1] + _TOP, span[0], span[1], top)


def _card(title: str, unit: str, corner: tuple[int, int], frame: _Frame, lang: Lang) -> list[str]:
    x, y = corner
    out = [
        f'<rect class="card" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="8"/>',
        f'<text class="ink title" x="{x + 14}" y="{y + 20}">{xml(_WORDS[title][lang])}</text>',
        f'<text class="soft" x="{x + 14}" y="{y + 36}">{xml(_WORDS[unit][lang])}</text>',
    ]
    right = frame.x + frame.width
    for part in (0.0, 0.5, 1.0):
        level, height = frame.top * part, frame.up(frame.top * part)
        line = "axis" if part == 0 else "grid"
        out.append(f'<path class="{line}" d="M{_n(frame.x)} {_n(height)}H{_n(right)}"/>')
        out.append(
            f'<text class="soft" text-anchor="end" x="{_n(frame.x - 6)}" y="{_n(height + 4)}">{_short(level)}</text>'
        )
    low = frame.y + frame.height + 18
    for day, anchor in ((frame.first, "start"), (frame.last, "end")):
        edge = frame.x if anchor == "start" else right
        out.append(
            f'<text class="soft" text-anchor="{anchor}" x="{_n(edge)}" y="{_n(low)}">{day.isoformat()[5:]}</text>'
        )
    return out


def _runs(points: Sequence[tuple[date, float]], days: Sequence[date]) -> list[list[tuple[date, float]]]:
    """The points cut where a day was looked at and the figure was not defined."""
    known = dict(points)
    out: list[list[tuple[date, float]]] = [[]]
    for day in days:
        if day in known:
            out[-1].append((day, known[day]))
        elif out[-1]:
            out.append([])
    return [run for run in out if run]


def _mark(number: int, x: float, y: float) -> str:
    kind = _MARKS[number]
    if kind == "circle":
        return f'<circle class="f{number}" cx="{_n(x)}" cy="{_n(y)}" r="3.5"/>'
    if kind == "square":
        return f'<rect class="f{number}" x="{_n(x - 3.2)}" y="{_n(y - 3.2)}" width="6.4" height="6.4"/>'
    return f'<path class="f{number}" d="M{_n(x)} {_n(y - 4.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5z"/>'


def _ends(ends: Sequence[tuple[float, str, int]], frame: _Frame) -> list[str]:
    """The names of the lines beside their last points, pushed apart where they would lie on each other."""
    out, free = [], -math.inf
    for y, text, number in sorted(ends, key=lambda end: (end[0], end[2])):
        free = max(y + 4, free + 14)
        x = frame.x + frame.width + 8
        out.append(f'<text class="f{number} now" x="{_n(x)}" y="{_n(free)}">{text}</text>')
    return out


def _nothing(frame: _Frame, lang: Lang) -> str:
    x, y = frame.x + frame.width / 2, frame.y + frame.height / 2
    return f'<text class="soft" text-anchor="middle" x="{_n(x)}" y="{_n(y)}">{xml(_WORDS["none"][lang])}</text>'


def nice(most: float) -> float:
    """The end of an axis from zero that holds a value: a round number of at least 2, whose half can be written short."""
    if most <= 2:
        return 2.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= most)


def _told(number: float, unit: str) -> str:
    return f"{number:.0f}%" if unit == "share" else f"{number:.2f}" if unit == "number" else f"{number:.0f}"


def _short(number: float) -> str:
    return f"{number:.0f}" if number == round(number) else f"{number:.1f}"


def _n(number: float) -> str:
    """A coordinate, short and the same on every machine."""
    text = f"{number:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"
