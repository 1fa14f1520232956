"""A core memory as Markdown (formats.md 5): written whole once, afterwards only added to, whatever a person made of it. Pure.

Text of the vault that goes into it stays text: no link, tag, embed, field or block comes of it. `claim_of` reads it back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote as percent

from ebbtide.memory.states import Lang
from ebbtide.parse.fact_text import plain as unmarked
from ebbtide.parse.fact_trigger import trigger_of
from ebbtide.parse.file_kinds import conflict_copy
from ebbtide.parse.note_kind import is_index_name, is_periodic_name
from ebbtide.parse.properties import read_properties
from ebbtide.parse.text import count_cjk, fold
from ebbtide.sleep.nights import CoreMemory, Quote
from ebbtide.sleep.own_reasons import bare

FOLDERS: Final = {
    "principle": "principles",
    "rule": "principles",
    "preference": "principles",
    "model": "models",
    "reference": "models",
    "pattern": "patterns",
}
"""Type of a core memory -> its folder under `core/`."""
DERIVED: Final = "derived"
"""`origin` of what Ebbtide wrote; a person who changes or takes away this property makes the memory their own."""
EVIDENCE_AT_MOST: Final = 12
FOOTNOTES_AT_MOST: Final = 8
RELATED_AT_MOST: Final = 3
NAME_AT_MOST: Final = 48
"""Width of a file name: a Han character counts for two."""

_SPECIAL: Final = re.compile(
    r"[\\`*\[\]<$~^]|%(?=%)|(?<=%)%|=(?==)|(?<==)=|(?<!\S)#|:(?=:)|(?<!\w)_|_(?!\w)|\{(?=\{)|&(?=#?\w+;)"
)
_LEADING: Final = re.compile(r"^(?:[-+>!|]|(?P<number>\d{1,9})(?=[.)](?:\s|$)))")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_OPENING: Final = re.compile(
    r"^\W*(?:from now on|as a rule|从今(?:以后|往后|天起)|(?:以后|今后)(?=我))[ ,，:：]*(?:(?:we|i)\b|我们?)?[ ,，]*",
    re.IGNORECASE,
)
"""How a rule is announced: no part of its name."""
_UNSAFE: Final = re.compile(r'[\\/:*?"<>|#^\[\]%`{}$]+')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_ENDINGS: Final = (".tmp", ".swp", ".swx", ".crdownload", ".part")
_LABEL: Final = re.compile(
    r"\*\*(?P<name>why|how to apply|evidence|disputed|related|为什么|原因|怎么用|证据|争议|相关)[:：]?\*\*[:：]?",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()\s]+\)")
_FOOTNOTE: Final = re.compile(r"\[\^(\d{1,6})\]")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_NO_CLAIM: Final = re.compile(r"\s*(?:#{1,6}\s|[-*+>|]|\d+[.)]\s|```|~~~|<|%%|\[\^|!\[|---+\s*$|\*\*\*+\s*$)")


@dataclass(frozen=True, slots=True)
class NewCore:
    """What a new core memory says. Paths are those of the vault; `day` is the night's (ISO)."""

    type: str
    claim: str
    day: str
    lang: Lang
    places: Sequence[Quote]
    why: str = ""
    how: str = ""
    links: Sequence[str] = ()
    supersedes: str | None = None
    confidence: float = 0.7
    private: bool = False


# --- text and links -----------------------------------------------------------------------------------------------


def line_of(text: str) -> str:
    """Printable text on one line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def escaped(text: str) -> str:
    """A line of text that Markdown shows as it is, alone in its paragraph or behind a mark of a list."""
    line = _SPECIAL.sub(r"\\\g<0>", line_of(text))
    return _LEADING.sub(lambda m: f"{m['number']}\\" if m["number"] else f"\\{m.group()}", line)


def unescaped(text: str) -> str:
    """The other way round."""
    return _ESCAPED.sub(r"\1", text)


def linked(path: str, shown: str | None = None) -> str:
    """A link to a file of the vault that Obsidian follows from anywhere; a Markdown link where a name cannot stand in brackets."""
    name = path.removesuffix(".md")
    if path.endswith(".md") and name and not re.search(r"[\[\]|#^\\\x00-\x1f\x7f]|%%|^\s|\s$", name):
        return f"[[{name}]]"
    label = escaped(shown or name.rpartition("/")[2]) or "-"
    return f"[{label}]({percent(path, safe='/')})"


def _value(text: str) -> str:
    """A YAML scalar on one line."""
    return json.dumps(line_of(text), ensure_ascii=False)


# --- names --------------------------------------------------------------------------------------------------------


def name_for(claim: str, type_: str, folder: str, key: str, taken: Collection[str]) -> str:
    """The vault path of a new core memory: its first words, safe on every system, and free.

    `folder` is the memory folder, `taken` the folded paths that are in use; a name that is gets the candidate's hash behind it.
    """
    stem = _stem(claim)
    base = f"{folder}/core/{FOLDERS[type_]}/"
    ordinary = stem and not (
        is_index_name(stem)
        or is_periodic_name(stem)
        or _RESERVED.fullmatch(stem)
        or conflict_copy(f"{base}{stem}.md")
        or stem.lower().endswith(_ENDINGS)
    )
    if not ordinary:
        stem = f"{type_} {key[:8]}"
    tries = [stem, *(f"{stem} {key[:size]}" for size in (6, 12, 24, len(key)))]
    free = (f"{base}{one}.md" for one in tries)
    return next((path for path in free if fold(path) not in taken), f"{base}{type_} {key}.md")


def _stem(claim: str) -> str:
    text = " ".join(_UNSAFE.sub(" ", _OPENING.sub("", line_of(unmarked(claim)))).split())
    text = text[:1].upper() + text[1:]
    text = "".join(c for c in text if c.isalnum() or c in " -_'’()（）,，、.;；!！&+=《》“”").strip(
        " .,，、;；-_!！'’~"
    )
    width, out = 0, []
    for char in text:
        width += 2 if count_cjk(char) else 1
        if width > NAME_AT_MOST:
            break
        out.append(char)
    cut = "".join(out)
    if len(out) < len(text) and out and out[-1].isascii() and text[len(out)].isascii() and " " in cut:
        cut = cut[: cut.rindex(" ")]
    return cut.strip(" .,，、;；-_!！'’(（")


# --- writing ------------------------------------------------------------------------------------------------------


def written(new: NewCore) -> str:
    """The whole file of a new core memory."""
    claim = line_of(unmarked(new.claim))
    hook = trigger_of(bare(claim), "lesson", new.lang, subject=None, attribute=None, value=None, day=None, step=False)
    head = [
        "---",
        f"type: {new.type}",
        f"description: {_value(hook)}",
        "status: active",
        f"origin: {DERIVED}",
        f"confidence: {new.confidence:g}",
        "scope: user",
        f"created: {new.day}",
        f"verified: {new.day}",
        *(["private: true"] if new.private else []),
        "evidence:",
        *(f"  - {_value(linked(place))}" for place in dict.fromkeys(quote.note for quote in new.places)),
        *([f"supersedes: {_value(linked(new.supersedes))}"] if new.supersedes else []),
        "---",
    ]
    body = [escaped(claim)]
    body += [f"**Why:** {escaped(new.why)}"] if new.why else []
    body += [f"**How to apply:** {escaped(new.how)}"] if new.how else []
    body.append("\n".join(["**Evidence:**", "", *map(place_line, new.places)]))
    if new.links:
        body.append("**Related:** " + ", ".join(map(linked, new.links)))
    return "\n".join(head) + "\n\n" + "\n\n".join(body) + "\n"


def place_line(quote: Quote) -> str:
    """A dated place that bears a memory out, as an item of a list."""
    day = f"{quote.day} " if quote.day else ""
    return f"- {day}{linked(quote.note)}: “{escaped(quote.text)}”"


def with_place(text: str, label: str, quote: Quote, day: str) -> str:
    """The file with a further line under a label (Evidence, Disputed), which is added where it is missing; all else stays.

    Evidence also makes `day` the one on which the memory was last verified.
    """
    lines, end = _lines(text)
    if label == "Evidence":
        lines = _verified(lines, day)
    return end.join(_with_item(lines, label, place_line(quote)))


def _with_item(lines: list[str], label: str, item: str) -> list[str]:
    at = next((n for n, line in _body(lines) if _labelled(line, label)), None)
    if at is None:
        stop = _before_end(lines, "Related")
        return [*lines[:stop], "", f"**{label}:**", "", item, *lines[stop:]]
    last = at
    for n in range(at + 1, len(lines)):
        if _ITEM.match(lines[n]):
            last = n
        elif lines[n].strip():
            break
    return [*lines[: last + 1], *([""] if last == at else []), item, *lines[last + 1 :]]


def _before_end(lines: list[str], *labels: str) -> int:
    """Where something may be added: behind the text, before the footnotes and what stands under these labels."""
    ends = (n for n, line in _body(lines) if line.startswith("[^") or any(_labelled(line, label) for label in labels))
    stop = next(ends, len(lines))
    while stop > 0 and not lines[stop - 1].strip():
        stop -= 1
    return stop


def with_footnote(text: str, quote: Quote) -> str:
    """The file with what a further note adds, as a footnote of its claim; all else stays."""
    lines, end = _lines(text)
    number = 1 + max((int(found) for found in _FOOTNOTE.findall(text)), default=0)
    at = _claim_at(lines)
    if at is None:
        at = next((n for n, line in _body(lines) if line.strip()), len(lines) - 1)
    lines[at] = f"{lines[at].rstrip()}[^{number}]"
    while lines and not lines[-1].strip():
        lines.pop()
    day = f"{quote.day} " if quote.day else ""
    gap = [] if lines[-1].startswith("[^") else [""]
    return end.join([*lines, *gap, f"[^{number}]: {day}{linked(quote.note)}: “{escaped(quote.text)}”", ""])


def absorbed(text: str, covered: CoreMemory) -> str:
    """The file of a memory that another one has become evidence of: a link to that one, its places and what it is linked to, as far
    as there is room; all else stays."""
    lines, end = _lines(text)
    theirs, _ = _lines(covered.text)
    own = f"- {covered.day + ' ' if covered.day else ''}{linked(covered.path)}: “{escaped(covered.claim)}”"
    notes = [f"- {line.partition(':')[2].strip()}" for line in theirs if re.match(r"\[\^\d+\]:", line)]
    count = len(_items(lines, "Evidence"))
    for item in (own, *_items(theirs, "Evidence"), *notes):
        link = _LINK.search(item)
        if count < EVIDENCE_AT_MOST and (link.group() if link is not None else item) not in text:
            lines, count = _with_item(lines, "Evidence", item), count + 1
    there, beside = _related(lines), [link for link in _related(theirs) if link not in text]
    room_ = [link for link in beside if link != linked(covered.path)][: max(0, RELATED_AT_MOST - len(there))]
    return end.join(_with_related(lines, room_) if room_ else lines)


def _items(lines: Sequence[str], label: str) -> list[str]:
    """The items of the list under a label."""
    at = next((n for n, line in _body(lines) if _labelled(line, label)), len(lines))
    out: list[str] = []
    for line in lines[at + 1 :]:
        if _ITEM.match(line):
            out.append(line)
        elif line.strip():
            break
    return out


def _related(lines: Sequence[str]) -> list[str]:
    return [link.group() for _, line in _body(lines) if _labelled(line, "Related") for link in _LINK.finditer(line)]


def _with_related(lines: list[str], links: Sequence[str]) -> list[str]:
    at = next((n for n, line in _body(lines) if _labelled(line, "Related")), None)
    if at is not None:
        return [*lines[:at], ", ".join([lines[at].rstrip(), *links]), *lines[at + 1 :]]
    stop = _before_end(lines)
    return [*lines[:stop], "", f"**Related:** {', '.join(links)}", *lines[stop:]]


def retired(text: str, successor: str, status: str = "superseded") -> str:
    """The file of a memory that another one has taken the place of, or in: it says so; its words stay."""
    lines, end = _lines(text)
    head = _head(lines)
    lines = _property(lines, "status", status) if head else lines
    lines = _property(lines, "superseded_by", _value(linked(successor))) if head else lines
    return end.join(lines)


def _lines(text: str) -> tuple[list[str], str]:
    end = "\r\n" if "\r\n" in text else "\n"
    return text.replace("\r\n", "\n").split("\n"), end


def _head(lines: Sequence[str]) -> int:
    """Number of lines that the properties take, their dashes among them; 0 without any."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((n + 1 for n in range(1, len(lines)) if lines[n].rstrip() == "---"), 0)


def _body(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    start = _head(lines)
    return ((n, lines[n]) for n in range(start, len(lines)))


def _verified(lines: list[str], day: str) -> list[str]:
    found = (lines[n] for n in range(_head(lines)) if lines[n].startswith("verified:"))
    known = next(found, "").partition(":")[2].strip().strip("\"'")
    return _property(lines, "verified", day) if known and known < day else lines


def _property(lines: list[str], name: str, value: str) -> list[str]:
    head = _head(lines)
    for n in range(1, head - 1):
        if lines[n].startswith(f"{name}:"):
            return [*lines[:n], f"{name}: {value}", *lines[n + 1 :]]
    return [*lines[: head - 1], f"{name}: {value}", *lines[head - 1 :]]


# --- reading ------------------------------------------------------------------------------------------------------

_NAMES: Final = {
    "Evidence": ("evidence", "证据"),
    "Disputed": ("disputed", "争议"),
    "Related": ("related", "相关"),
}


def _labelled(line: str, label: str) -> bool:
    found = _LABEL.match(line.strip())
    return found is not None and found["name"].lower() in _NAMES[label]


def _claim_at(lines: Sequence[str]) -> int | None:
    """The line of the claim: the first of the body that is plain text."""
    fenced = False
    for n, line in _body(lines):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced = fenced != fence
        if not fence and not fenced and line.strip() and not _NO_CLAIM.match(line) and not _LABEL.match(line.strip()):
            return n
    return None


def claim_line(text: str) -> int:
    """The line of the claim (from 1); 1 where none is plain text."""
    at = _claim_at(_lines(text)[0])
    return 1 if at is None else at + 1


def claim_of(text: str, title: str) -> str:
    """What a core memory says in one line: its first sentence of plain text, else its description, else its title."""
    lines, _ = _lines(text)
    at = _claim_at(lines)
    if at is not None:
        return line_of(unmarked(_FOOTNOTE.sub("", lines[at])))
    told = read_properties("", text).values.get("description")
    return line_of(told) if isinstance(told, str) and told.strip() else title


def room(memory: CoreMemory, label: str) -> bool:
    """Whether a memory may get a further line: "footnote", or the label of a list. What grows without end is no core."""
    if label == "footnote":
        return sum(1 for line in memory.text.splitlines() if re.match(r"\[\^\d+\]:", line)) < FOOTNOTES_AT_MOST
    return len(_items(_lines(memory.text)[0], label)) < EVIDENCE_AT_MOST


def has_list(text: str, label: str) -> bool:
    """Whether a memory has a list under a label."""
    return bool(_items(_lines(text)[0], label))
