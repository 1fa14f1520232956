"""Properties: find the block at the top of a note and read it as strict YAML 1.2 core, or JSON. Pure; never raises.

The block is found here, not by python-frontmatter, whose `parse` strips the text and so moves every offset
(design/obsidian.md 7 and 14). Its handler is subclassed only for the reading of the block itself. Values are built from
the parser's event stream, not by a constructor: nesting, size and alias expansion are then bounded while reading, and
every value keeps its place in the file. Dates, `yes` and `1:30` stay text, as in Obsidian.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml
from frontmatter.default_handlers import YAMLHandler

from ebbtide.memory.errors import Problem

MAX_BLOCK: Final = 65_536
"""Characters of a property block that are read; a longer one is skipped with a Problem."""
MAX_DEPTH: Final = 32
MAX_NODES: Final = 10_000

# The stubs leave marks and anchors optional; the events of these classes always have them.
_parse: Any = yaml.parse
_Alias: Any = yaml.AliasEvent
_Document: Any = yaml.DocumentStartEvent
_SequenceEnd: Any = yaml.SequenceEndEvent
_MappingEnd: Any = yaml.MappingEndEvent
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPEN = re.compile(r"---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_LOOKS_LIKE_KEY = re.compile(r"[\w -]{1,60}:(?:[ \t]|\r?\n)")
_INT = re.compile(r"[-+]?[0-9]+")
_OCT = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: Final[dict[str, Any]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_GUARDS: Final[dict[str, tuple[re.Pattern[str], bool]]] = {
    "private": (re.compile(r"^[\"']?private[\"']?[ \t]*:[ \t]*true\b", re.MULTILINE | re.IGNORECASE), True),
    "memory": (re.compile(r"^[\"']?memory[\"']?[ \t]*:[ \t]*false\b", re.MULTILINE | re.IGNORECASE), False),
}


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the block: its JSON value, the text of a scalar, and where its source is in the block."""

    value: Any
    start: int
    end: int
    text: str | None = None
    items: tuple[Node, ...] = ()
    pairs: tuple[tuple[str, int, Node], ...] = ()


@dataclass(frozen=True, slots=True)
class PropertyText:
    """A text value, or text item of a list, of a top-level property; start and end are offsets in the note's text.

    `native` is false for an unquoted `[[x]]`, which YAML reads as a list in a list: `text` is then its source.
    """

    key: str
    text: str
    start: int
    end: int
    native: bool = True


@dataclass(frozen=True, slots=True)
class Properties:
    """What the top of a note holds. `body` is the offset of the first character after the block (0 without a block)."""

    values: dict[str, Any]
    lines: dict[str, int]
    body: int
    texts: tuple[PropertyText, ...] = ()
    problems: tuple[Problem, ...] = ()


class RefusedBlock(Exception):
    """The block cannot be read as properties. `index` is a character offset in the block."""

    def __init__(self, code: str, reason: str, index: int) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.index = index


class _Builder:
    """Builds Nodes from YAML events under the limits above."""

    def __init__(self, block: str, duplicates: list[tuple[str, int]]) -> None:
        self._block = block
        self._events: Iterator[Any] = iter(_parse(block, Loader=_LOADER))
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._nodes = 0
        self._duplicates = duplicates

    def document(self) -> Node | None:
        """The first document, or None if the block is empty. Raises RefusedBlock or yaml.YAMLError."""
        root: Node | None = None
        for event in self._events:
            if isinstance(event, _Document):
                if root is not None:
                    raise RefusedBlock("yaml-invalid", "there is more than one document", event.start_mark.index)
                root = self._node(next(self._events), 1)
        return root

    def _count(self, amount: int, index: int) -> None:
        self._nodes += amount
        if self._nodes > MAX_NODES:
            raise RefusedBlock("yaml-hostile", f"more than {MAX_NODES} values (aliases counted)", index)

    def _node(self, event: Any, depth: int) -> Node:
        start, before = event.start_mark.index, self._nodes
        if isinstance(event, _Alias):
            known = self._anchors.get(event.anchor)
            if known is None:
                raise RefusedBlock("yaml-invalid", f"the alias *{event.anchor} has no anchor before it", start)
            self._count(known[1], start)
            return known[0]
        self._count(1, start)
        if depth > MAX_DEPTH:
            raise RefusedBlock("yaml-hostile", f"nested more than {MAX_DEPTH} levels deep", start)
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, depth)
        else:
            node = self._mapping(event, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, self._nodes - before)
        return node

    def _scalar(self, event: Any) -> Node:
        plain = event.implicit[0] and event.style in (None, "")
        value = resolve_core(event.value) if plain else event.value
        if event.tag == "tag:yaml.org,2002:str":
            value = event.value
        return Node(value, event.start_mark.index, event.end_mark.index, event.value)

    def _sequence(self, event: Any, depth: int) -> Node:
        items: list[Node] = []
        while not isinstance(inner := next(self._events), _SequenceEnd):
            items.append(self._node(inner, depth + 1))
        return Node([i.value for i in items], event.start_mark.index, inner.end_mark.index, None, tuple(items))

    def _mapping(self, event: Any, depth: int) -> Node:
        pairs: list[tuple[str, int, Node]] = []
        values: dict[str, Any] = {}
        while not isinstance(inner := next(self._events), _MappingEnd):
            key = self._node(inner, depth + 1)
            # A key is used as written (`2024`, `yes`); a map or list as key, the mark of an unfilled template, as JSON.
            name = key.text if key.text is not None else json.dumps(key.value, ensure_ascii=False)
            value = self._node(next(self._events), depth + 1)
            if name in values:
                self._duplicates.append((name, key.start))
                continue
            values[name] = value.value
            pairs.append((name, key.start, value))
        return Node(values, event.start_mark.index, inner.end_mark.index, None, (), tuple(pairs))


class CoreHandler(YAMLHandler):
    """python-frontmatter handler for YAML 1.2 core. `load` leaves places in `root` and double keys in `duplicates`."""

    def __init__(self) -> None:
        super().__init__()
        self.root: Node | None = None
        self.duplicates: list[tuple[str, int]] = []

    def load(self, fm: str, **_: object) -> Any:
        """The block's value. Raises RefusedBlock or yaml.YAMLError."""
        self.root = _Builder(fm, self.duplicates).document()
        return {} if self.root is None else self.root.value


def resolve_core(text: str) -> Any:
    """The value of a plain scalar in YAML 1.2 core, as far as JSON holds it (64-bit integers, finite floats)."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    number: int | float
    if _INT.fullmatch(text) and len(text) < 21:
        number = int(text)
    elif _OCT.fullmatch(text) and len(text) < 23:
        number = int(text[2:], 8)
    elif _HEX.fullmatch(text) and len(text) < 19:
        number = int(text[2:], 16)
    elif not _INT.fullmatch(text) and _FLOAT.fullmatch(text):
        number = float(text)
        return text if number in (float("inf"), float("-inf")) else number
    else:
        return text
    return number if -(2**63) <= number < 2**64 else text


def find_block(text: str) -> tuple[int, int, int] | None:
    """Start and end of the block's inside and the offset of the body, or None if the note has no block.

    The first line must be exactly `---`; the block ends at the first later line that is `---`, spaces after it allowed.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return None
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        return None
    body = closing.end() + 1 if text.startswith("\n", closing.end()) else closing.end()
    return opening.end(), closing.start(), body


def read_properties(path: str, text: str) -> Properties:
    """Properties of the note `path` with this text (no byte order mark). Never raises: what is wrong is a Problem."""
    found = find_block(text)
    if found is None:
        opening = _OPEN.match(text)
        if opening is not None and _LOOKS_LIKE_KEY.match(text, opening.end()):
            message = "the property block is not closed, so it counts as text"
            unclosed = Problem(path, 1, "properties-unclosed", message, "add a line --- after the last property")
            return Properties({}, {}, 0, problems=(unclosed,))
        return Properties({}, {}, 0)
    start, end, body = found
    reader = _Reader(path, text, start, end)
    reader.read()
    return Properties(reader.values, reader.lines, body, tuple(reader.texts), tuple(reader.problems))


class _Reader:
    """One reading of one block: collects values, lines, texts and problems."""

    def __init__(self, path: str, text: str, start: int, end: int) -> None:
        self._path, self._text, self._start = path, text, start
        self._block = text[start:end]
        self.values: dict[str, Any] = {}
        self.lines: dict[str, int] = {}
        self.texts: list[PropertyText] = []
        self.problems: list[Problem] = []

    def _line(self, index: int) -> int:
        return self._text.count("\n", 0, self._start + min(index, len(self._block))) + 1

    def _problem(self, code: str, message: str, fix: str, index: int = 0) -> None:
        self.problems.append(Problem(self._path, self._line(index), code, message, fix))

    def read(self) -> None:
        if len(self._block) > MAX_BLOCK:
            message = f"the property block has {len(self._block):,} characters; more than {MAX_BLOCK:,} are not read"
            self._problem("yaml-too-large", message, "move long text into the body")
            return self._guard()
        handler = CoreHandler()
        try:
            value = handler.load(self._block)
        except (yaml.YAMLError, RefusedBlock, RecursionError, ValueError) as error:
            if not (self._block.lstrip().startswith("{") and self._read_json()):
                self._refuse(error)
            return self._guard()
        if not isinstance(value, dict):
            if value is not None:
                fix = "write `name: value` lines, or put a blank line before the first --- if it is a rule"
                self._problem("properties-not-a-map", "the block at the top holds no `name: value` pairs", fix)
            return None
        self.values = value
        for name, index in handler.duplicates:
            message = f"the property {name[:60]!r} is there twice; the first one counts"
            self._problem("yaml-duplicate-key", message, "remove one of them", index)
        if handler.root is not None:
            self._places(handler.root)
        return self._guard() if handler.duplicates else None

    def _refuse(self, error: Exception) -> None:
        code, reason, index = "yaml-invalid", "it is nested too deeply", 0
        if isinstance(error, RefusedBlock):
            code, reason, index = error.code, error.reason, error.index
        elif isinstance(error, yaml.MarkedYAMLError):
            reason = str(error.problem or error.context or "it cannot be read")
            mark = error.problem_mark or error.context_mark
            index = mark.index if mark is not None else 0
        elif isinstance(error, yaml.reader.ReaderError):
            reason, index = "it holds a control character", int(error.position)
        message = f"the properties are not valid YAML: {reason}; the body is used without them"
        self._problem(code, message, "correct this line, or put the value in double quotes", index)

    def _places(self, root: Node) -> None:
        """Lines of keys, and the texts that can be links. Keys and values come in the order of the file."""
        line, done = self._line(0), 0
        for name, index, node in root.pairs:
            line += self._block.count("\n", done, index)
            done = index
            self.lines[name] = line
            self._take(name, node)
            for item in node.items:
                self._take(name, item)

    def _take(self, key: str, node: Node) -> None:
        if node.text is not None:
            if isinstance(node.value, str):
                at = self._block.find(node.text, node.start, node.end)
                place = self._start + (at if at >= 0 else node.start)
                self.texts.append(PropertyText(key, node.value, place, self._start + node.end))
        elif len(node.items) == 1 and len(node.items[0].items) == 1 and node.items[0].items[0].text is not None:
            source = self._block[node.start : node.end]
            if source.startswith("[["):
                start = self._start + node.start
                self.texts.append(PropertyText(key, source, start, start + len(source), native=False))

    def _read_json(self) -> bool:
        """Second try for a JSON block that YAML cannot read (tabs, surrogate pairs). True if it held properties."""
        try:
            value = json.loads(self._block, parse_constant=str)
        except (ValueError, RecursionError):
            return False
        if not isinstance(value, dict) or not _within_limits(value):
            return False
        self.values = _clean(value)
        for name, item in self.values.items():
            found = self._block.find(json.dumps(name, ensure_ascii=False))
            at = max(found, 0)
            self.lines[name] = self._line(at)
            for text in item if isinstance(item, list) else [item]:
                if isinstance(text, str):
                    place = self._start + max(self._block.find(text, at), at)
                    self.texts.append(PropertyText(name, text, place, place + len(text)))
        return True

    def _guard(self) -> None:
        """In a block that is not wholly understood, a plain wish for privacy still counts: it must fail closed."""
        for name, (pattern, value) in _GUARDS.items():
            if pattern.search(self._block):
                self.values[name] = value


def _within_limits(value: Any) -> bool:
    todo: list[tuple[Any, int]] = [(value, 1)]
    count = 0
    while todo:
        item, depth = todo.pop()
        count += 1
        if depth > MAX_DEPTH or count > MAX_NODES:
            return False
        children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        todo.extend((child, depth + 1) for child in children)
    return True


def _clean(value: Any) -> Any:
    """JSON allows half a surrogate pair and any integer; UTF-8 and our stores do not."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**64:
        return str(value) if value.bit_length() < 4_000 else None
    return None if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
