"""The text that is embedded for a passage: title path, description, and the passage with its Markdown noise taken out.

Pure. The key holds no folder, so that moving a note embeds nothing again.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

from ebbtide.memory.records import Note, Passage

_WIKI = re.compile(r"!?\[\[([^\[\]\n|]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_MARKDOWN = re.compile(r"!?\[([^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)")
_URL = re.compile(r"<?\bhttps?://[^\s<>()\[\]（）。，、；]+>?")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_LINE_MARKS = re.compile(
    r"^[ \t]*+(?:>[ \t]?+)*+(?:\[![^\]\n]+\][+-]?[ \t]*|#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?",
    re.MULTILINE,
)
_EMPHASIS = re.compile(r"(?<=\S)\*{1,3}|\*{1,3}(?=\S)|~~|==|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+")
_TABLE_RULE = re.compile(r"^(?=[^\n|]*\|)(?=[^\n-]*-)[-|: \t>]++$\n?", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAGS = re.compile(r"</?[A-Za-z][^<>\n]*>")
_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]+")
_LINES = re.compile(r"\s*\n\s*")
_SIZE = re.compile(r"\d+(?:x\d+)?")


def passage_key(note: Note, passage: Passage) -> str:
    """What is embedded for this passage of this note, in NFC: `title > headings`, description, text."""
    text = clean_markdown(passage.text)
    path = [clean_markdown(heading) for heading in passage.headings]
    title = note.title
    if path and path[0].casefold() == title.casefold():
        path = path[1:]
    begins = text.casefold().startswith(title.casefold()) and not path
    lines = [" > ".join([*([] if begins else [title]), *path])]
    if passage.ordinal == 0:
        lines.append(_description(note))
    lines.append(text)
    return unicodedata.normalize("NFC", "\n".join(line for line in lines if line.strip()))


def _description(note: Note) -> str:
    for name in ("description", "summary"):
        value = note.properties.get(name)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:500]
    return ""


def clean_markdown(text: str) -> str:
    """The text as a reader sees it: links by what they show, no marks, block ids or tags, web addresses by host."""
    text = _WIKI.sub(_shown, text)
    text = _MARKDOWN.sub(r"\1", text)
    text = _URL.sub(_host, text)
    text = _BLOCK_ID.sub("", text)
    if "-->" in text:
        text = _COMMENT.sub(" ", text)
    if "<" in text:
        text = _TAGS.sub(" ", text)
    if "|" in text:
        text = _TABLE_RULE.sub("", text).replace("|", " ")
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    text = _LINE_MARKS.sub("", text)
    text = _EMPHASIS.sub("", text)
    return _LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


def _shown(match: re.Match[str]) -> str:
    path, alias = match[1], match[2]
    if alias and not _SIZE.fullmatch(alias.strip()):
        return alias
    name, _, sub = path.partition("#")
    shown = name.strip().rpartition("/")[2].removesuffix(".md")
    return shown or sub.lstrip("^")


def _host(match: re.Match[str]) -> str:
    try:
        return urlsplit(match[0].strip("<>")).hostname or ""
    except ValueError:
        return ""
