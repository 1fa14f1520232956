"""What a note is to the indexes: its passages, edges, keyword document and properties. Pure: one text in, one value out.

Everything that can go wrong with an odd note goes wrong here, before anything is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ebbtide.index.means import text_key
from ebbtide.index.rows import FileRow, NewLink, NewPassage
from ebbtide.memory import codec
from ebbtide.memory.errors import Problem
from ebbtide.memory.records import FileText, Note, Passage
from ebbtide.parse.anchors import outline, write_outline
from ebbtide.parse.canvas import parse_canvas
from ebbtide.parse.dates import note_date
from ebbtide.parse.episodes import Episode, episode_of
from ebbtide.parse.fates import became
from ebbtide.parse.file_kinds import ConflictCopy, conflict_copy, in_template_folder
from ebbtide.parse.frames import past_after
from ebbtide.parse.links import NameIndex, build_links, keys_of_link
from ebbtide.parse.note import note_name, parse_note
from ebbtide.parse.note_kind import archived_project
from ebbtide.parse.passage_key import passage_key
from ebbtide.parse.passages import is_drawing, split_passages
from ebbtide.parse.relations import RELATIONS
from ebbtide.parse.text import language

EXCLUDED = "excluded"
TEMPLATE = "template"
"""An indexed note in Obsidian's template folder: its links count, no fact is read from it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as read. `file.status` is "indexed", or "skipped" with everything else empty: of such a file only its name is kept.

    `link_keys` are the file names by which its links are resolved; `document` is its keyword document; `outline` what links
    can point at within it (parse.anchors; None for a board); `episode` what it tells of an attempt, where facts are read too.
    """

    file: FileRow
    note: Note
    passages: Sequence[NewPassage] = ()
    links: Sequence[NewLink] = ()
    link_keys: frozenset[str] = frozenset()
    document: Mapping[str, str] | None = None
    problems: Sequence[Problem] = ()
    outline: str | None = None
    episode: Episode | None = None


def ident(prefix: str, text: str) -> str:
    """A prefix and 16 hex digits of a hash."""
    return prefix + text_key(text)[:8].hex()


def note_id(path: str, number: int = 0) -> str:
    """The id a note gets when its path is first seen; `number` counts ids that are taken, as after a rename."""
    return ident("n_", f"{path}\0{number}" if number else path)


def kind_of(path: str, *, memory: bool) -> str:
    """What a file is by its name: "note", "memory" (a note in the memory folder), "canvas" or "other"."""
    lower = path.lower()
    if lower.endswith(".md"):
        return "memory" if memory else "note"
    return "canvas" if lower.endswith(".canvas") else "other"


def tells_of_attempts(row: FileRow) -> bool:
    """Whether episodes are read from a file: a note, or what a night wrote down as one."""
    return row.kind == "note" or (row.kind == "memory" and "/episodic/" in row.path)


def parse(kind: str, path: str, text: str) -> Note:
    """A note or a board."""
    return parse_canvas(path, text) if kind == "canvas" else parse_note(path, text)


def read(
    file: FileText, row: FileRow, names: NameIndex, *, excluded: bool, template: bool = False,
    table: Mapping[str, tuple[str, bool]] = RELATIONS,
) -> Reading:  # fmt: skip
    """Read a file. `row` is what the catalogue knows of it, at its present stat and path.

    A conflict copy is skipped like what is excluded: it would answer as if it were the note. It is named as a problem.
    """
    note = parse(row.kind, file.path, file.text)
    copy = conflict_copy(file.path)
    reason = EXCLUDED if excluded else "" if note.remembered else "memory: false"
    if not reason and copy is not None:
        reason = "conflict copy"
    if reason:
        bare = FileRow(
            row.row, row.id, row.path, row.size, row.mtime_ns, row.inode, file.digest, row.kind, "skipped", reason,
            note_name(row.path), changed=row.changed,
        )  # fmt: skip
        found = [] if copy is None or excluded else [_conflict(file.path, copy)]
        return Reading(bare, note, problems=found)
    date = note_date(note.properties, file.path)
    ended = became(note) if row.kind != "canvas" else None
    kind = note.properties.get("type")
    fresh = replace(
        row,
        digest=file.digest,
        status="indexed",
        reason=TEMPLATE if template and row.kind == "note" else "",
        title=note.title,
        type=kind if isinstance(kind, str) and kind else None,
        date=date[0] if date else None,
        lang=language(file.text[:4000]),
        private=note.private,
        archived=archived_project(note.path, note.properties),
        until=past_after(note.properties),
        fate=None if ended is None else ended.code(),
    )
    passages = split_passages(note) if row.kind != "canvas" else []
    links, keys = edges(note, names, table)
    mute = template or in_template_folder(file.path) or is_drawing(note)
    keyword = document(note, [passage.text for passage in passages])
    return Reading(
        replace(fresh, document=text_key(codec.line(keyword)).hex()),
        note,
        [_passage(fresh, note, passage) for passage in passages],
        links,
        keys,
        keyword,
        [*file.problems, *note.problems],
        None if row.kind == "canvas" else write_outline(outline(note)),
        episode_of(note) if tells_of_attempts(row) and not mute else None,
    )


def _conflict(path: str, copy: ConflictCopy) -> Problem:
    name = copy.original.rpartition("/")[2]
    message = f"a conflict copy of {name!r} ({copy.tool}): it gives no facts, links or answers"
    fix = f"take over into {name!r} what is missing there, then delete the copy; renamed, it becomes a note of its own"
    return Problem(path, None, "conflict-copy", message, fix)


def edges(
    note: Note, names: NameIndex, table: Mapping[str, tuple[str, bool]] = RELATIONS
) -> tuple[list[NewLink], frozenset[str]]:
    """The edges of a note as they resolve now, and the names that decide about them."""
    links = []
    for link in build_links(note, names, table):
        # An inverse edge names this note as its target; what the graph needs is the file at the other end.
        inward = link.target == note.path and link.origin != note.path
        links.append(
            NewLink(
                link.origin if inward else link.target,
                link.ambiguous,
                codec.line(codec.link_to_dict(link)),
                link.type,
                link.weight == "strong",
                link.declared,
                link.confidence,
                inward,
                None if inward or link.origin == note.path else link.origin,
            )
        )
    return links, frozenset(key for raw in note.links for key in keys_of_link(raw))


def _passage(row: FileRow, note: Note, passage: Passage) -> NewPassage:
    text = passage_key(note, passage)
    headings = " > ".join(passage.headings)
    return NewPassage(
        ident("p_", f"{row.id}|{headings}|{passage.ordinal}"),
        passage.ordinal,
        headings,
        passage.line,
        passage.start,
        passage.end,
        passage.text,
        passage.lang,
        text,
        text_key(text),
    )


def document(note: Note, passages: Sequence[str]) -> dict[str, str]:
    """A note as a keyword document: names as title; path, properties and the whole text as body (a drawing's data left out)."""
    title = "\n".join(dict.fromkeys([note.title, note_name(note.path), *note.aliases]))
    values = [str(value) for value in note.properties.values() if isinstance(value, str | int | float)]
    values += [
        str(v) for value in note.properties.values() if isinstance(value, list) for v in value if isinstance(v, str)
    ]
    text = "\n".join(passages) if is_drawing(note) else note.text[note.body :]
    return {"path": note.path, "title": title, "body": "\n".join([note.path.removesuffix(".md"), *values, text])}
