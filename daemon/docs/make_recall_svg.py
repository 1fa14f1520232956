"""Draw daemon/docs/recall.svg, the picture of the README, from what recall really answers on the sample vault:

    .venv/bin/python daemon/docs/make_recall_svg.py

It works on a copy of the sample vault in a temporary folder. Nothing is written by hand: when an answer changes, so does
the picture.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from ebbtide.serve.show import columns

HERE = Path(__file__).parent
VAULT = HERE.parents[1] / "sample-vault"
TARGET = HERE / "recall.svg"
QUESTIONS = (
    ("为什么从买断改成年费？", 1),
    ("Why did we give up last-write-wins?", 2),
    ("离线地图那次冲刺为什么失败？", 1),
)
"""What is asked, and how many of the best memories are drawn."""
WIDTH = 92
TITLE = (
    "ebbtide recall answers two questions in Chinese and one in English, each with its place in a note and the reasons; "
    "the last Chinese question is answered by an English note"
)
CHAR, LINE, LEFT, TOP = 8.4, 21, 24, 44
COLOURS = {"ask": "#7cc4a0", "text": "#e8eaed", "place": "#8ab4f8", "quote": "#bdc1c6", "why": "#9aa0a6"}
STYLE = (
    "text{font:14px ui-monospace,'SF Mono','Cascadia Mono',Menlo,Consolas,'Noto Sans Mono CJK SC','PingFang SC','Microsoft YaHei',"
    "monospace;white-space:pre}" + "".join(f".{name}{{fill:{colour}}}" for name, colour in COLOURS.items())
)


def answers() -> list[tuple[str, list[dict[str, Any]]]]:
    """What recall says to the questions, on a copy of the sample vault."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        shutil.copytree(VAULT, place / "vault")
        os.environ |= {f"EBBTIDE_{name}": str(place / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
        from ebbtide.runtime import open_service

        with open_service(place / "vault") as service:
            return [(question, service.recall(question, limit=limit)["items"]) for question, limit in QUESTIONS]


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns: broken at spaces where there are any, anywhere in Chinese."""
    lines, line = [], ""
    for word in _pieces(" ".join(text.split())):
        if line and columns(line + word) > width:
            lines.append(line.rstrip())
            line = word.lstrip()
        else:
            line += word
    return [*lines, line.rstrip()]


def _pieces(text: str) -> list[str]:
    out = [""]
    for char in text:
        wide = columns(char) == 2
        after_wide = out[-1] != "" and columns(out[-1][-1]) == 2
        if char == " " or (wide and char not in "，。；：、？！）」》") or (after_wide and not wide):
            out.append(char)
        else:
            out[-1] += char
    return out


def lines() -> list[tuple[str, int, str]]:
    """(kind, indent in columns, text) for every line of the picture; an empty kind is a gap."""
    out: list[tuple[str, int, str]] = []
    for question, items in answers():
        out.append(("ask", 0, f'$ ebbtide recall "{question}"'))
        for number, item in enumerate(items, 1):
            first, *rest = wrapped(item["text"], WIDTH - 3)
            out.append(("text", 0, f"{number}. {first}"))
            out += [("text", 3, line) for line in rest[:3]]
            about = ", ".join(filter(None, [item["type"], item["as_of"]]))
            out.append(("place", 3, f"{item['note']}:{item['line']}  {about}"))
            if " ".join(item["quote"].split()) not in " ".join(
                item["text"].split()
            ):  # shown once is enough for a picture
                first, *rest = wrapped(item["quote"], WIDTH - 5)
                out += [("quote", 3, f"> {first}"), *(("quote", 5, line) for line in rest[:2])]
            out += [("why", 3, f"- {reason}") for reason in item["why"]]
        out.append(("", 0, ""))
    return out[:-1]


def svg(drawn: list[tuple[str, int, str]]) -> str:
    """The picture; each line is one text element, so that wide characters need no grid."""
    height = TOP + LINE * len(drawn) + 16
    width = round(2 * LEFT + CHAR * WIDTH + 20)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{TITLE}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" rx="10" fill="#1f2328"/>',
        *(
            f'<circle cx="{LEFT + 18 * i}" cy="20" r="5.5" fill="{c}"/>'
            for i, c in enumerate(("#e06c5f", "#e0b35f", "#74b877"))
        ),
    ]
    for number, (kind, indent, text) in enumerate(drawn):
        if kind:
            y = TOP + LINE * number + 14
            parts.append(
                f'<text class="{kind}" x="{LEFT + CHAR * indent:g}" y="{y}">{escape(text, quote=False)}</text>'
            )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(svg(lines()), "utf-8", newline="\n")
